"""Statistics of any examples: how many there are in every split, what they say, and how full their scenes are."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deixis._losses import Losses
from deixis.data._split_names import splits_of
from deixis.errors import DeixisError, RecipeError, UnknownName
from deixis.expression.parts import parts
from deixis.report._cells import as_csv, as_markdown
from deixis.report._markup import percent
from deixis.report._palette import MAX_DATASETS
from deixis.report.chart import WIDE, Axis, Chart, Figure, make_series
from deixis.report.chart_matplotlib import FORMATS, draw_figure
from deixis.report.output import Output, TextTable
from deixis.worlds.example import scenes_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.data._crew import Progress
    from deixis.report.chart_matplotlib import Format
    from deixis.worlds.example import Example
    from deixis.worlds.world import World


__all__ = ["DatasetCounts", "ExampleStatistics", "ready_part"]


EVERY = 1_024  # examples between two words about how far things are
MOST_WORDS = 12  # that are printed
HEADS = (
    "dataset",
    "split",
    "examples",
    "distinct texts",
    "words per text",
    "objects per scene",
    "steps per expression",
)
FIGURES = {"lengths": "Words per text", "objects": "Objects per scene", "steps": "Steps per expression"}


def ready_part(world: World) -> ExampleStatistics:
    """Return the default statistics for a world that defines none."""
    return ExampleStatistics(world)


@dataclass
class SplitCounts:
    """Counts of the examples of one split, by number of words, objects and steps."""

    examples: int = 0
    texts: set[str] = field(default_factory=set)
    lengths: Counter[int] = field(default_factory=Counter)
    objects: Counter[int] = field(default_factory=Counter)
    steps: Counter[int] = field(default_factory=Counter)

    def see(self, example: Example) -> None:
        """Count one example."""
        self.examples += 1
        self.texts.add(example.text)
        self.lengths[len(example.text.split())] += 1
        self.objects.update(len(scene) for scene in scenes_of(example))
        if example.expression is not None:
            self.steps[sum(1 for _ in parts(example.expression))] += 1

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain values."""
        counted = {name: {str(key): n for key, n in sorted(getattr(self, name).items())} for name in FIGURES}
        return {"examples": self.examples, "distinct texts": len(self.texts), **counted}


@dataclass(frozen=True, kw_only=True)
class DatasetCounts:
    """Counts of a dataset under a name: by split, for all of it, and of its words."""

    name: str
    world: str
    splits: Mapping[str, SplitCounts]
    whole: SplitCounts
    words: Counter[str]
    unread: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain values."""
        words = dict(sorted(self.words.items(), key=lambda one: (-one[1], one[0])))
        splits = {name: counts.to_dict() for name, counts in self.splits.items()}
        return {"name": self.name, "kind": self.world, **self.whole.to_dict(), "words": words, "splits": splits}


class ExampleStatistics:
    """Part `statistics` over the part `examples` of a world."""

    def __init__(self, world: World) -> None:
        self.world = world

    def count(
        self, path: Path, *, name: str, split: str | None = None, progress: Progress | None = None
    ) -> DatasetCounts:
        """Count a dataset, or one split of it.

        An example of `a+b` counts in both splits.

        Raises:
            UnknownName: when there is no such split.
        """
        examples = self.world.part("examples").open(path)
        if split is not None and split not in examples.splits:
            known = ", ".join(examples.splits) or "none"
            raise UnknownName(f"there is no split {split!r} in {path.name}; it has {known}")
        numbers = examples.numbers(split)
        splits: dict[str, SplitCounts] = {one: SplitCounts() for one in examples.splits if split in (None, one)}
        whole, words, unread = SplitCounts(), Counter[str](), 0
        for done, number in enumerate(numbers, start=1):
            try:
                example = examples[number]
            except DeixisError:
                unread += 1
                continue
            whole.see(example)
            words.update(example.text.split())
            for one in splits_of(example.split):
                if split in (None, one):
                    splits.setdefault(one, SplitCounts()).see(example)
            if progress is not None and done % EVERY == 0:
                progress(name, done, len(numbers))
        printable = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
        return DatasetCounts(
            name=printable, world=self.world.name, splits=splits, whole=whole, words=words, unread=unread
        )

    def describe(self, counted: Sequence[DatasetCounts], *, brief: bool = False) -> Output:
        """Datasets side by side as plain values and as tables.

        Raises:
            BrokenDataset: when more than one in a hundred examples cannot be read.
        """
        losses = Losses("examples", sum(one.whole.examples + one.unread for one in counted))
        losses.leave_out("it cannot be read", sum(one.unread for one in counted))
        losses.demand_few(where=", ".join(one.name for one in counted))
        lost = {"losses": losses.to_dict()} if losses else {}
        sizes = TextTable(HEADS, [row for one in counted for row in _rows(one)], numbers=range(2, len(HEADS)), labels=2)
        blocks: list[str | TextTable] = [sizes]
        for one in () if brief else counted:
            blocks += _most_frequent(one)
        values = {"datasets": [one.to_dict() for one in counted], **lost}
        return Output(values=values, blocks=blocks, notes=tuple(losses.lines()))

    def draw(self, counted: Sequence[DatasetCounts], *, formats: Sequence[Format] = FORMATS) -> dict[str, bytes]:
        """Distributions in every format, table2.csv, table2.md, words.csv and stats.json.

        Raises:
            RecipeError: when there is nothing to show, or too much for one figure.
        """
        if not 1 <= len(counted) <= MAX_DATASETS:
            raise RecipeError(f"a figure shows 1 to {MAX_DATASETS} datasets, got {len(counted)}")
        if not any(one.whole.examples for one in counted):
            raise RecipeError("there is nothing to draw: no example was found")
        sheet = _distributions(counted)
        rows = [row for one in counted for row in _rows(one)]
        said = [(one.name, word, times) for one in counted for word, times in one.words.most_common()]
        plain = json.dumps(self.describe(counted).values, indent=2, ensure_ascii=False) + "\n"
        return {
            **{f"{sheet.name}.{form}": draw_figure(sheet, form) for form in formats},
            "table2.csv": as_csv(
                HEADS, [(*row[:2], *(cell.replace(",", "") for cell in row[2:])) for row in rows]
            ).encode(),
            "table2.md": as_markdown(HEADS, rows).encode(),
            "words.csv": as_csv(("dataset", "word", "times said"), said).encode(),
            "stats.json": plain.encode(),
        }

    def draw_card(self, path: Path, *, progress: Progress | None = None) -> dict[str, bytes]:
        """The figures of a dataset's card: the first example where the world draws PNG, and the distributions."""
        figures = self.draw([self.count(path, name=path.resolve().name, progress=progress)], formats=("png",))
        pictures = self.world.part("pictures")
        if "png" in pictures.formats:
            example = self.world.part("examples").open(path)[0]
            figures |= {
                "example.png": pictures.draw(example, format="png"),
                "example.txt": f"“{example.text}”".encode(),
            }
        return figures


def _rows(one: DatasetCounts) -> list[tuple[str, ...]]:
    """A row for every split, and one for all where there are several."""
    every = {"all": one.whole} if len(one.splits) > 1 else {}
    return [
        (
            one.name,
            split,
            f"{counts.examples:,}",
            f"{len(counts.texts):,}",
            *(f"{_mean(getattr(counts, name)):.1f}" for name in FIGURES),
        )
        for split, counts in {**one.splits, **every}.items()
    ]


def _mean(counts: Mapping[int, int]) -> float:
    return sum(key * n for key, n in counts.items()) / max(sum(counts.values()), 1)


def _most_frequent(one: DatasetCounts) -> Iterator[str | TextTable]:
    if not one.words:
        return
    total = one.words.total()
    words = sorted(one.words.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_WORDS]
    yield from ("", f"Said most often in {one.name}")
    yield TextTable(("word", "times", "share"), [(w, f"{n:,}", percent(n / total)) for w, n in words], numbers=(1, 2))


def _distributions(counted: Sequence[DatasetCounts]) -> Figure:
    in_shares = len(counted) > 1
    charts = []
    for name, title in FIGURES.items():
        found = {one.name: getattr(one.whole, name) for one in counted}
        keys = {key for counts in found.values() for key in counts} or {0}
        labels = range(min(keys), max(keys) + 1)
        series = {
            one: tuple(counts[key] / ((counts.total() or 1) if in_shares else 1) for key in labels)
            for one, counts in found.items()
        }
        chart = Chart(
            name=name,
            title=title,
            marks="columns",
            labels=tuple(map(str, labels)),
            series=make_series(series, colors="datasets"),
            axis=Axis(label="share" if in_shares else "examples", unit="share" if in_shares else "count"),
            empty="none",
        )
        charts.append(chart)
    return Figure(
        name="distributions",
        title="Words, objects and steps",
        caption=" ".join(f"{one.name}: {one.whole.examples:,} examples." for one in counted),
        rows=((charts[0], charts[1]), (charts[2],)),
        width=WIDE,
    )
