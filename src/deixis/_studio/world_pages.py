# ruff: noqa: ARG002 (what a world may ask of an argument, not all do)
"""The part `pages` of a world for the studio, and its defaults.

The studio opens datasets, lists them, asks questions about them and shows results through a `WorldPages` alone. A world
that names no such part has the ready-made one of `deixis.worlds.toolkit.pages`, which needs nothing but its examples.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from deixis._studio.filters import PageQuery
from deixis.errors import UnknownName
from deixis.worlds.registry import find_world, parts_of


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from markupsafe import Markup
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from deixis._studio.answers import Game
    from deixis._studio.catalogue import Catalogue
    from deixis._studio.filters import Card, Facet, Field, Listing
    from deixis._studio.library import Entry, Library
    from deixis._studio.model_results import ModelResults
    from deixis._studio.score_tables import PublishedScores
    from deixis._studio.verdicts import AnswerCard, ResultCard, Side
    from deixis.report._live_board import LiveBoard
    from deixis.report._runs import Run
    from deixis.worlds.example import Example
    from deixis.worlds.world import World


@dataclass(frozen=True, kw_only=True)
class ResultWords:
    """Words for the outcomes and measures on the pages of results.

    Attributes:
        measures: by which an answer is right, with their names for people; the first is looked at first.
        part: what results are told apart by, in one word: split, setting.
        interval: where the intervals come from.
        misreadings_heading: title of the table of misreadings, and of its first column.
        roles: title of the table of which wrong objects were chosen, and of its first column.
        misreadings: what somebody did, for people, by the names under which misreadings are counted.
        misreading_label, role_label: what the filters for both are called.
        choice: the measure of whether the right object was chosen; empty for the one that is looked at.
        legend: what the pictures of examples show; `compared` the same where two models are compared.
        needs_data: whether there are pictures only where the dataset is at hand.
        without_data: what is said where it is not.
        quotes: whether the texts that verdicts hold are the answers themselves, not what was asked.
    """

    measures: Mapping[str, str]
    part: str = "split"
    interval: str = "Wilson"
    misreadings_heading: tuple[str, str] = ("Words ignored when the wrong object was chosen", "misreading")
    misreadings: Mapping[str, str] = field(default_factory=dict)
    roles: tuple[str, str] = ("Role of the chosen object", "role")
    misreading_label: str = "Misreading"
    role_label: str = "Role"
    choice: str = ""
    legend: Markup | str = ""
    compared: Markup | str = ""
    needs_data: bool = True
    without_data: str = "The dataset is not in the given folders: there are numbers and verdicts, but no pictures."
    quotes: bool = False


class ListedExamples(Protocol):
    """The examples of a gallery, by their places."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> Example: ...

    def __iter__(self) -> Iterator[Example]: ...


@dataclass(frozen=True, eq=False)
class WorldPages:
    """Pages of the datasets of one world.

    A world overrides what it shows in its own way.

    Attributes:
        world: whose pages they are.
        about: what its datasets are, to follow "Datasets /".
        short: the same in a word or two.
        folder: holds `templates` and `static`; templates are named `WORLD/FILE`, static files lie at
            `/static/WORLD/FILE`. Elements with `data-served` need a running studio and are left out of exports; those
            with `data-copied hidden` are shown in exports alone.
        routes: further addresses. Those of a dataset begin with `/d/{slug}/` and a word of the world's own.
        navigation: pages that need no dataset, by address, with their names.
        tasks: what people can do with a dataset, by name: what it is called, and what is to be done.
        demo_folder: the folder of its dataset in the demo; the name of the world by default.
        demo_readers: the baselines whose results lie beside it.
        split_word, all_splits: what a sample is drawn from, and what it is called when that is everything.
        results: the words of the pages of results.
        result_files: the names of files that hold results of this world.
    """

    world: World
    about: str
    short: str
    folder: Path | None = None
    routes: Sequence[BaseRoute] = ()
    navigation: Mapping[str, str] = field(default_factory=dict)
    tasks: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    demo_folder: str = ""
    demo_readers: tuple[str, ...] = ()
    split_word: str = "Split"
    all_splits: str = "everything"
    results: ResultWords = field(default_factory=lambda: ResultWords(measures={"right": "right"}))
    result_files: tuple[str, ...] = ("evaluation.json",)

    @property
    def about_inside(self) -> str:
        """Description of its datasets, inside a sentence, where a name at its beginning keeps its capital."""
        first, _, rest = self.about.partition(" ")
        is_name = first.endswith(":") or first[1:] != first[1:].lower() or rest[:1].isupper()
        return self.about if is_name else self.about[:1].lower() + self.about[1:]

    def live_board(self) -> LiveBoard | None:
        """Return a sentence with its picture for the first page, or nothing."""
        return None

    # ---------------------------------------------------------------------------- datasets

    def open(self, path: Path) -> Any:
        """Open a dataset, with a mapping `splits` from names to sizes.

        By default these are the world's own examples.
        """
        return self.world.part("examples").open(path)

    def catalogue(self, entry: Entry, wanted: PageQuery, library: Library) -> Catalogue:
        """Return the examples of a dataset with what can be asked of them."""
        raise NotImplementedError

    def list_examples(self, entry: Entry, wanted: PageQuery, library: Library) -> Listing:
        """One page of the gallery."""
        from deixis._studio.catalogue import list_catalogue

        return list_catalogue(entry, self.catalogue(entry, wanted, library), wanted)

    def filter_examples(
        self, entry: Entry, wanted: PageQuery, library: Library
    ) -> tuple[np.ndarray, Callable[[int], str]]:
        """Return the examples that pass a filter in the order of the gallery, int64 [example], and their addresses."""
        from deixis._studio.catalogue import filter_catalogue

        numbers = filter_catalogue(entry, self.catalogue(entry, wanted, library), wanted)
        return numbers, lambda number: self.address(entry, number, wanted)

    def address(self, entry: Entry, number: int, wanted: PageQuery) -> str:
        """Return the address of an example by its number in the gallery."""
        return f"/d/{entry.slug}/{number}"

    def examples_of(self, entry: Entry, part: str = "") -> ListedExamples:
        """Return the examples of a dataset by their places in the gallery.

        A world whose galleries show different sorts of examples tells these apart by a `part`.
        """
        examples: ListedExamples = entry.data
        return examples

    def read_meanings(self, entry: Entry, part: str = "") -> tuple[Facet, ...]:
        """Count what the words of each example do."""
        from deixis._studio.meanings import examples_to_judge, read_meanings

        return read_meanings(examples_to_judge(entry, part)).facets

    def prepare(self, entry: Entry) -> None:
        """Read what the next question about a dataset will need.

        It is called once a page is answered.
        """

    def count(self, entry: Entry) -> None:
        """Read what the counts of the form need.

        It is called before they are asked for.
        """

    def count_all(self, entry: Entry) -> None:
        """Read what all counts of the form need, however long that takes.

        It is called before the histograms of an audit are shown.
        """
        from deixis._studio.meanings import is_judged_at_once, meaning_facets

        self.count(entry)
        if is_judged_at_once(entry):
            meaning_facets(entry)

    def cover(self, entry: Entry, library: Library) -> Card | None:
        """The example for the first page: of the first ones of the test set, that with the most words."""
        from_test = {"split": "test"} if "test" in entry.splits else {}
        cards = [
            card for card in self.list_examples(entry, PageQuery(from_test), library).cards if card.picture is not None
        ]
        return max(cards, key=lambda card: len(card.text.split()), default=None)

    def example(self, request: Request, entry: Entry, number: int) -> Response:
        """The page of an example, at `/d/{slug}/{number}`."""
        raise UnknownName(f"examples of {entry.title} have no numbers")

    @property
    def has_numbers(self) -> bool:
        """True if examples have pages by their numbers."""
        return type(self).example is not WorldPages.example

    def find_example(self, entry: Entry, number: int, wanted: PageQuery) -> Example:
        """Return an example by its number in the gallery."""
        return self.examples_of(entry)[number]

    def find_id(self, entry: Entry, said: str) -> int:
        """Return the number of the first example with an id in the dataset, or raise `UnknownName`."""
        for number, example in enumerate(self.examples_of(entry)):
            if str(example.id) == said:
                return number
        raise UnknownName(f"there is no example with the id {said[:60]!r} in {entry.title}")

    def table(self, entry: Entry, numbers: np.ndarray, wanted: PageQuery) -> Any:
        """Return examples as an Arrow table, by default with their text, their meaning and everything as JSON.

        Args:
            entry: the dataset.
            numbers: int64 [example], as `filter_examples` gives them.
            wanted: the filter.
        """
        from deixis._studio.saved import table_of_examples

        return table_of_examples(entry, numbers, wanted)

    def can_be_asked(self, entry: Entry) -> bool:
        """Return whether any text about the scenes of a dataset can be asked, at `/d/{slug}/{number}/ask`."""
        return False

    def ask(self, request: Request, entry: Entry, number: int) -> Response:
        """Show what a text picks out in the scene of an example."""
        raise UnknownName(f"nothing can be asked about the scenes of {entry.title}")

    def picture(self, entry: Entry, number: int) -> bytes:
        """The picture of an example as SVG, at `/d/{slug}/{number}/picture.svg`."""
        raise UnknownName(f"there is no picture of example {number} of {entry.title}")

    # ---------------------------------------------------------------------------- playing

    def tasks_of(self, entry: Entry) -> Mapping[str, tuple[str, str]]:
        """Return the tasks that people can do with a dataset, by default those of all datasets of the world."""
        return self.tasks

    def samples(self, entry: Entry) -> dict[str, int]:
        """Return the splits that a sample can be drawn from, with sizes.

        An empty name stands for everything.
        """
        return entry.splits or {"": 0}

    def options(self, form: Mapping[str, str]) -> tuple[Field, ...]:
        """Return the further choices before playing.

        A field without choices is a box to tick.
        """
        return ()

    def game(self, entry: Entry, split: str, task: str, questions: int, *, seed: int, form: Mapping[str, str]) -> Game:
        """A game on a random sample."""
        raise NotImplementedError

    # ---------------------------------------------------------------------------- results

    def claims(self, found: Mapping[str, Any], file: str) -> bool:
        """Return whether results in a file that name no world are of this one, as those of older versions may be."""
        return False

    def read_results(self, entry: Entry, file: str, run: Run) -> list[ModelResults]:
        """Return the models whose results a file holds, `run.judged`, by default those in the common form."""
        from deixis._studio.model_results import read_common_results

        return [read_common_results(self.world.name, entry, run)]

    def is_about(self, judged: ModelResults, entry: Entry) -> bool:
        """Return whether a model was asked about a dataset: by the digest of its content, or by its name."""
        content = digest_of(entry) if judged.digest else ""
        return judged.digest == content if content else entry.path.name == judged.data

    def published_scores(self, measure: str) -> PublishedScores | None:
        """Return what papers report of models by a measure, to stand beside ours, or None where there is nothing."""
        return None

    def subject_of(self, data: str, digest: str) -> tuple[str, str]:
        """Return the name and digest under which results on a dataset stand beside those of models."""
        return data, digest

    def cards(
        self,
        cards: Sequence[ResultCard],
        sides: Sequence[Side],
        rows: Sequence[np.ndarray],
        dataset: Entry | None,
    ) -> Sequence[ResultCard]:
        """The same cards with texts, pictures and links, where the dataset is at hand.

        Args:
            cards: some examples, with what the models made of them.
            sides: one model, or several.
            rows: int64 [example] for each of them, which verdicts are on these examples.
            dataset: where the examples are, if it is at hand.
        """
        return cards

    def describe_answer(self, side: Side, row: int) -> AnswerCard:
        """Describe the answer of a model to an example."""
        from deixis._studio.verdicts import AnswerCard

        verdicts = side.verdicts
        misreadings = verdicts.misreadings[verdicts.misreading[row]]
        words = self.say(verdicts.outcomes[verdicts.outcome[row]], verdicts.roles[verdicts.role[row]], misreadings)
        return AnswerCard(side.judged.model, side.marks(row), words)

    def say(self, outcome: str, role: str, misreadings: Sequence[str]) -> str:
        """Describe the outcome of an answer in a sentence."""
        told = f"{outcome[:1].upper()}{outcome[1:]}{f', {role}' if role else ''}."
        return f"{told} Misreading: {' or '.join(misreadings)}." if misreadings else told


def world_pages(name: str) -> WorldPages:
    """Return the pages of a world by its name.

    Raises `UnknownName` if there is no such world, and `MissingPart` if it has no pages.
    """
    found: WorldPages = find_world(name).part("pages")
    return found


def all_pages() -> list[WorldPages]:
    """Return the pages of all worlds that have some.

    A fault in another package costs its own pages only.
    """
    return [pages for _, pages in parts_of("pages")]


def digest_of(entry: Entry) -> str:
    """Return the digest of the content of a dataset, or an empty text if it has no manifest."""
    from deixis.data.store import MANIFEST, open_dataset

    return open_dataset(entry.path).digest if (entry.path / MANIFEST).is_file() else ""
