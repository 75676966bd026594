"""What the parts of a world offer to the verbs, one protocol for each part.

`deixis.worlds.world` says which verbs use which part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from deixis.audits.run import DatasetAudit
    from deixis.data._card_facts import Facts, License
    from deixis.data._crew import Crew, Progress
    from deixis.data.checks import CheckRequest, Report
    from deixis.data.store import Dataset
    from deixis.expression.description import Expression
    from deixis.judge.request import Request
    from deixis.language.lexicon import Words
    from deixis.language.utterance import Utterance
    from deixis.report.output import Output
    from deixis.scene.scene import Scene
    from deixis.worlds.example import Examples


PROTOCOLS = {
    "recipes": "Recipes",
    "examples": "OpensExamples",
    "language": "Language",
    "pictures": "Pictures",
    "checks": "Checks",
    "statistics": "Statistics",
    "audit": "Audits",
    "judging": "Judging",
    "pages": "Pages",
    "paper": "Paper",
    "formats": "Formats",
    "items": "Items",
}
"""Which of the classes below says what a part offers."""
FURTHER = {  # what is asked of parts whose protocols are classes of other packages, or functions
    "card": ("__call__",),
    "environment": ("__call__",),
    "commands": ("__getitem__", "keys"),
    "models": ("models", "shipped", "recognises"),
    "questions": ("find", "gold_from"),
}


def lacking_members(name: str, part: object) -> list[str]:
    """Return the members of its protocol that a part of this name lacks, without computing any of them."""
    from inspect import getattr_static

    if name in FURTHER:
        wanted: Iterable[str] = FURTHER[name]
    else:
        known = globals()[PROTOCOLS[name]]
        wanted = (one for one in (*known.__annotations__, *vars(known)) if not one.startswith("_"))
    absent = object()
    return [one for one in wanted if getattr_static(part, one, absent) is absent and not hasattr(part, one)]


class OpensExamples(Protocol):
    """Part `examples`."""

    def open(self, path: Path) -> Examples:
        """Open the examples at a path, or raise `BrokenDataset` if there are none."""

    def recognises(self, path: Path) -> bool:
        """Return whether a file or folder without a manifest holds examples of this world, without ever raising."""


class Recipe(Protocol):
    """A frozen record from which a dataset is made.

    Equal recipes make equal datasets.
    """

    @property
    def dataset(self) -> str:
        """The name of the dataset, one of those that the world lists."""

    @property
    def digest(self) -> str:
        """A name for exactly this recipe, as `deixis.data.recipes.digest_of` makes one."""

    def to_dict(self) -> dict[str, Any]:
        """The recipe as plain values, as the manifest holds it."""


class Recipes(Protocol):
    """Part `recipes`: how datasets are made.

    Beside these a part may offer `recipe_from(values)`, the recipe that a manifest or a TOML file holds;
    `fresh(seed, like)`, a recipe for a small test set that nobody has seen, where `like` is the recipe of a dataset as
    its manifest holds it, or None; `demo(seed)`, the recipe of a small dataset to look at; `warm()`, which compiles
    whatever making needs; and `summary(dataset)`, an `Output` that says more of a finished dataset than the number of
    its examples. `demonstrate(out, seed, workers, progress)` makes whatever `deixis demo` is to show, as an `Output`.
    """

    datasets: Mapping[str, Callable[..., Recipe]]
    """By name a function whose keyword-only parameters are the options of `deixis make NAME`, each with a line under
    Args in its docstring; it returns a recipe."""

    def make(
        self,
        recipe: Any,
        out: Path,
        *,
        workers: int | None = None,
        progress: Progress | None = None,
        crew: Crew | None = None,
    ) -> Dataset:
        """Make a dataset in a folder, or go on with one whose making was interrupted.

        Args:
            recipe: what to make.
            out: the folder; it may hold the beginning of the same dataset, or all of it.
            workers: how many threads or processes, by default one per core; the result does not depend on it.
            progress: told how far things are.
            crew: those who do the work, if it is not this machine; the result does not depend on it either.
        """


class Formats(Protocol):
    """Part `formats`: what examples of this world are read from and written as."""

    reads: Mapping[str, str]
    """Every form that can be read, with one line."""
    writes: Mapping[str, str]
    """Every form that can be written, with one line."""

    def recognise(self, path: Path) -> str:
        """Return the name of the format of a file or folder, or an empty text if it is none of this world."""

    def convert(
        self,
        sources: Sequence[Path],
        out: Path,
        *,
        to: str,
        split: str | None = None,
        names: Sequence[str] = (),
        force: bool = False,
        progress: Progress | None = None,
        **options: Any,
    ) -> Output:
        """Write what lies at some paths in another form.

        Args:
            sources: what is read, one after the other, as one dataset.
            out: where to write.
            to: one of `writes`.
            split: only this split.
            names: what splits are to be called: `old=new`, or a name for the only split of each source.
            force: replace what is there.
            progress: told how far things are.
            options: those that the world has for `convert`.
        """


class Language(Protocol):
    """Part `language`: the words of a world.

    It may also have `read_scene(path) -> Scene`, which reads a scene that somebody wrote to a file, and
    `consequences(utterance, scene, target)`, what follows beyond the target (a plan, say): by name, words and plain
    values. Both serve `deixis explain`.
    """

    words: Words
    """The words for relations and values: a `Lexicon`, or `SchemaWords` where they are called as the schema says."""

    def read(self, text: str, scene: Scene | None = None) -> Utterance:
        """Return a text with its meaning and the words for each part.

        `ParseError` says what could follow.

        The scene is where it is said; worlds whose vocabulary differs between datasets take that from it.
        """

    def realise(self, expression: Expression) -> Utterance:
        """Return a text for an expression and the words for each part, or raise `SchemaError` if it cannot be said."""


class ColorText(str):
    """Lines that a world drew itself: colours in them reach the terminal. Words of datasets must not be inside."""

    __slots__ = ()


class Pictures(Protocol):
    """Part `pictures`.

    A world without it is shown by `deixis.worlds.toolkit.pictures`.

    It may also have `draw_scene(scene, target, color)`, a single scene for a terminal, for `deixis explain`, and
    `snapshot(example)`, a PNG of the scenes with the target marked and without text, for sheets of many examples.
    """

    formats: tuple[str, ...]
    """Which files `draw` makes, by their endings: svg, png, gif."""

    def draw(self, example: Any, *, format: str, **options: Any) -> bytes:  # noqa: A002
        """Draw an example as a picture file.

        The options are those of `World.options["show"]`.
        """

    def lines(self, example: Any, *, number: int, color: bool = False) -> Iterable[str]:
        """Return the example for a terminal, line by line.

        Lines with colours of their own are a `ColorText`.
        """

    def plain(self, example: Any, *, number: int) -> dict[str, Any]:
        """The example as plain values, for JSON."""


class Checks(Protocol):
    """Part `checks`. `toolkit.checks` has one that suits most worlds."""

    codes: Mapping[str, str]
    """Every code with one line that says what is wrong where it is found. E is for what makes an example wrong, W for
    what makes it worse than it could be, I for information, which is not looked for unless it is selected."""
    runs_on_clusters: bool
    """Whether a crew helps; the verb refuses `--on dask` where it does not."""

    def check(self, path: Path, request: CheckRequest) -> Report:
        """Check a dataset, and return the findings."""


class Statistics(Protocol):
    """Part `statistics`. `toolkit.statistics` has one that suits most worlds."""

    def count(self, path: Path, *, name: str, split: str | None = None, progress: Progress | None = None) -> Any:
        """Count a dataset, or one split of it.

        `losses` of the counts, if any, say what could not be counted.
        """

    def describe(self, counted: Sequence[Any], *, brief: bool = False, **options: Any) -> Output:
        """Return datasets side by side as plain values and as tables, only with their sizes if `brief`."""

    def draw(self, counted: Sequence[Any], *, formats: Sequence[str], **options: Any) -> Mapping[str, bytes]:
        """Return figures, tables and the plain values as files, by name.

        Equal counts give equal bytes.
        """

    def draw_card(self, path: Path, *, progress: Progress | None = None) -> Mapping[str, bytes]:
        """The figures of a dataset's card, by name: PNG, `NAME.txt` with what to say below one, `table2.md`."""


class TellsFacts(Protocol):
    """Part `card`. A world without one has a card that says what manifest and columns say."""

    def __call__(self, folder: Path, manifest: dict[str, Any], license_: License | None) -> Facts:
        """What the card of a dataset says; the terms are its own choice unless some are given."""


class Judging(Protocol):
    """Part `judging`: what answers of models are worth. `toolkit.judging` has one that suits most worlds."""

    answers: Mapping[str, str]
    """The kinds of answers that are read, with a line each: a file and how its lines look, a checkpoint."""
    baselines: Mapping[str, str]
    """Answers without a model by name, with a line each: `random` and `oracle` at least."""
    measures: Mapping[str, str]
    """What is measured, with a line each that says when an answer counts as right."""
    runs_on_clusters: bool
    """Whether a crew helps; the verb refuses `--on dask` where it does not."""

    def recognises(self, answers: Path) -> bool:
        """Return whether answers are of this world although no dataset is named: its own models or file formats."""

    def evaluate(self, request: Request) -> Output:
        """Judge answers, and write `evaluation.json` and the verdicts where a folder is given."""


class Audits(Protocol):
    """Part `audit`. No world needs it: `deixis.audits._plain` audits the `examples` of every world.

    `measures`, where it is there, holds further rows of the scorecard, see `deixis.report.measures.Measure`. Where
    `runs_on_clusters` is there and true, `audit` also takes `crew`, those who share the work, or None.
    """

    def audit(
        self, path: Path, *, split: str | None, sample: int | None, seed: int, workers: int, progress: Any
    ) -> DatasetAudit:
        """The counts of a dataset by the definitions of `deixis.audits.measures`, and what else this world measures.

        Args:
            path: the dataset.
            split: only the examples of this split; `UnknownName` where there is none.
            sample: only so many examples, chosen at random by the seed.
            seed: which ones.
            workers: how many share the work; the result does not depend on it.
            progress: called with the number of examples judged so far, and how many there are where that is known.
        """


class Items(Protocol):
    """Part `items`: what rows become for PyTorch beside their columns, and metrics on lists of predictions."""

    metrics: Mapping[str, Callable[..., dict[str, Any]]]
    """By name a function of `predictions` and `references`, lists of texts, and of further options by name."""

    def columns(self, path: Path, *, pictures: bool) -> Callable[[Any], dict[str, Any]]:
        """A function from a table of rows to further columns by name: arrays, `Ragged`s or lists.

        Args:
            path: the folder of the dataset; one in storage is no `Path`, but has `/`, `name` and `open`, too.
            pictures: whether pictures are wanted.
        """


class Pages(Protocol):
    """Part `pages`: what the studio shows of the datasets and results of a world.

    No world needs it: `deixis.worlds.toolkit.pages.ReadyPages` makes a gallery, a page for every example, a game and
    pages of results from the parts `examples` and `pictures`. Who wants to show more names an object of a subclass of
    it, or of `deixis._studio.world_pages.WorldPages`, which has the members below and what they are by default.

    Results are read from folders with an `evaluation.json` in this form, if the world does not read its own:

        {"world": "beads", "model": "random", "data": "beads-42", "digest": "…",
         "splits": {"test": {"examples": 90, "accuracy": {"mean": 0.5, "low": 0.4, "high": 0.6},
                             "outcomes": {"right": 45, "wrong object": 45}, "misreadings": {"ignored": 20.5}}}}

    and `verdicts.parquet` beside it, in the schema of `deixis.judge.verdicts`; `deixis.worlds.toolkit.judging` writes
    both.
    """

    about: str
    """What the datasets are, in a few words."""
    folder: Path | None
    """Holds `templates` (named `WORLD/FILE`) and `static` (at `/static/WORLD/FILE`)."""
    routes: Sequence[Any]
    """Further addresses, as Starlette routes."""
    navigation: Mapping[str, str]
    """Pages that need no dataset, by address, with their names."""
    tasks: Mapping[str, tuple[str, str]]
    """What people can do themselves, by name: what it is called, and what is to be done."""

    def open(self, path: Path) -> Any:
        """A dataset."""

    def list_examples(self, entry: Any, wanted: Any, library: Any) -> Any:
        """One page of the gallery, a `deixis._studio.filters.Listing`."""

    def example(self, request: Any, entry: Any, number: int) -> Any:
        """The page of an example, at `/d/{slug}/{number}`."""

    def game(self, entry: Any, split: str, task: str, questions: int, *, seed: int, form: Mapping[str, str]) -> Any:
        """A `deixis._studio.answers.Game` on a random sample."""


class Paper(Protocol):
    """Part `paper`: published results, with ours beside them."""

    def recognises(self, folder: Path) -> bool:
        """Return whether a folder holds a run or an evaluation of this world."""

    def report(self, runs: Sequence[Path], *, out: Path | None, notes: Path | None, progress: Any) -> Output:
        """Return the tables of the paper for some runs, and write them to a folder if one is given."""
