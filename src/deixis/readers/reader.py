"""The interface of a reader: one record that says how the files of a dataset become examples.

A reader is one module with one object, `READER`. It says which files it knows (`sniff`), takes them apart into
records (`records`), and makes examples of each record (`read`). A record that is no example is refused with a code:
`raise RefusedRecord("no-text", "caption is empty")`. Nothing can be dropped silently, because `Reader.examples` counts
a record of which nothing comes as refused, too.

    READER = Reader(
        name="stars2",
        title="Stars2: people's descriptions of solids",
        task="refer",
        license="free for research, cite",
        citation="Paraboni, Galindo and Iacovelli (2016). Stars2: a corpus of object descriptions in a visual domain.",
        schema=SCHEMA,
        sniff=sniff,
        records=records,
        read=read,
        refusals={"no-scene": "the description names a scene that the context file does not have"},
        is_resolvable=True,
    )

Everything that takes a dataset takes the file: `deixis check`, `show`, `stats`, `audit`, `prompts`, `evaluate`,
`studio` and `convert`. `deixis.testing.check_reader` tries a reader on a file, `deixis new reader NAME` writes a
package with one, and the entry-point group `deixis.readers` makes it known.

| task | asked | answer |
|---|---|---|
| `refer` | which of the objects that are listed is meant | an object |
| `localise` | where is what is described, and in which image | boxes; none where nothing fits |
| `match` | which of two sentences fits an image, or which image fits which sentence | a choice |
| `verify` | whether a statement about a scene is true | true or false |
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from deixis.errors import DeixisError, SchemaError
from deixis.judge.boxes import Region
from deixis.scene.plain import scene_to_plain
from deixis.scene.scene import Context, Where


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from deixis.expression.description import Expression
    from deixis.judge.boxes import Box
    from deixis.scene.scene import Scene
    from deixis.schema import Schema


__all__ = ["NOTHING_READ", "TASKS", "Image", "ReadExample", "Reader", "Refusal", "RefusedRecord", "Region", "Task"]

Task: TypeAlias = Literal["refer", "localise", "match", "verify"]
TASKS: tuple[Task, ...] = ("refer", "localise", "match", "verify")
NOTHING_READ = "nothing-read"
"""The code of a record of which a reader makes neither an example nor a refusal."""
ALL = "all"  # the split of datasets that have none
UNREADABLE = "unreadable"
"""The code of a record whose values are of other types than its format has."""
COMMON = {
    NOTHING_READ: "the reader made no example of the record",
    UNREADABLE: "a field of the record is missing or of another type",
}


class RefusedRecord(DeixisError, ValueError):
    """A record that is no example, with a code of `Reader.refusals` and a detail."""

    def __init__(self, code: str, detail: str = "") -> None:
        self.code, self.detail = code, detail
        super().__init__(f"{code}: {detail}" if detail else code)


class Refusal(NamedTuple):
    """A record of which no example was made.

    Attributes:
        record: its number in the file, from 0.
        code: one of `Reader.refusals`, or `nothing-read` or `unreadable`.
        detail: what is wrong with it.
    """

    record: int
    code: str
    detail: str = ""


class Image(NamedTuple):
    """A picture that an example is about.

    Attributes:
        name: its file, as the dataset names it; never an address to fetch.
        width: in pixels, 0 where the dataset does not say.
        height: likewise.
    """

    name: str
    width: float = 0
    height: float = 0


@dataclass(kw_only=True)
class ReadExample:
    """One example of a dataset that somebody else made, an `Example` for every verb.

    Attributes:
        id: what the dataset calls it, or a name made of what it holds.
        split: where it belongs; `all` where the dataset does not say.
        text: the expression, statement, or right caption.
        scenes: what is known of each image, as objects; empty where nothing is.
        targets: the objects that are meant; none where nothing fits, or where no objects are known.
        meaning: the expression, where the dataset annotates it.
        parse: reads the expression of the text, where the dataset does not annotate it; None where it cannot be read.
        images: the pictures.
        boxes: of task localise, the right regions; none where nothing fits.
        regions: for each scene the boxes of its objects.
        space: of task localise, `pixels` or `share`: the space of `boxes` and `regions`.
        choices: of the tasks match and verify, what can be answered. Of two images and two sentences, sentence k fits
            image k.
        right: the number of the right choice.
        facts: what else the dataset says of it: votes, hops, the type of a foil. All values are plain.
        record: the number of its record in the file; `Reader.examples` sets it.
        folder: where the dataset lies, and perhaps its images; `Reader.examples` sets it.
    """

    id: int | str
    text: str
    split: str = ALL
    scenes: tuple[Scene, ...] = ()
    targets: tuple[Where, ...] = ()
    meaning: Expression | None = None
    parse: Callable[[ReadExample], Expression | None] | None = None
    images: tuple[Image, ...] = ()
    boxes: tuple[Region, ...] = ()
    regions: tuple[tuple[Box, ...], ...] = ()
    space: Literal["pixels", "share"] = "pixels"
    choices: tuple[str, ...] = ()
    right: int = 0
    facts: dict[str, Any] = field(default_factory=dict)
    record: int = 0
    folder: Path | None = None

    @cached_property
    def expression(self) -> Expression | None:
        """The annotated meaning, or that of the text where it can be read."""
        if self.meaning is not None or self.parse is None:
            return self.meaning
        return self.parse(self)

    @property
    def context(self) -> Context:
        """The scenes and the target.

        Raises:
            SchemaError: when no objects are known, nothing fits, or several objects are meant.
        """
        if not self.scenes:
            raise SchemaError("the dataset does not say which objects there are")
        if len(self.targets) != 1:
            what = "nothing fits" if not self.targets else f"{len(self.targets)} objects are meant"
            raise SchemaError(f"{what}, so there is no single target")
        return Context(self.scenes, self.targets[0])

    def content(self) -> list[Any]:
        """The text and what it is about as plain values, without id and split: two copies of an example are equal.

        A scene that has a `digest` is known by it. Where neither scenes nor images are known, a reference is what the
        dataset calls it.
        """
        scenes = [getattr(scene, "digest", None) or scene_to_plain(scene) for scene in self.scenes]
        images, boxes = [image.name for image in self.images], [list(box) for _, box in self.boxes]
        content = [self.text, list(self.choices), self.right, scenes, list(map(list, self.targets)), images, boxes]
        return content if scenes or images else [*content, self.facts.get("reference")]

    @property
    def answer(self) -> Any:
        """The right answer: the number of a choice, regions, an object, or None where nothing fits."""
        if self.choices:
            return self.right
        if self.boxes or (self.images and not self.scenes):
            return list(self.boxes)
        if len(self.targets) == 1:
            return self.targets[0].object
        return [where.object for where in self.targets] or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A published dataset: its files, what becomes of them, and whose they are.

    Attributes:
        name: one word in small letters.
        title: what the dataset is, in a few words.
        task: what is asked.
        license: the terms of the dataset, as its makers state them.
        citation: the publication to cite.
        sniff: returns whether a file or folder is in this layout; it reads little and never raises.
        records: yields the records of a file or folder, one by one; `BrokenDataset` where it cannot be read on.
        read: returns the examples of one record, or raises `RefusedRecord`.
        schema: of the scenes, where all have the same.
        refusals: the codes of `RefusedRecord`, with a line each.
        is_resolvable: whether every expression that it gives picks out the targets.
        about: what a user should know: which releases are read, which fields are used, known faults of the data.
        language: "module:object" of the part `language` with which texts are read, where there is one.
        package: the distribution that it comes with.
    """

    name: str
    title: str
    task: Task
    license: str
    citation: str
    sniff: Callable[[Path], bool]
    records: Callable[[Path], Iterator[Any]]
    read: Callable[[Any], Iterable[ReadExample]]
    schema: Schema | None = None
    refusals: Mapping[str, str] = field(default_factory=dict)
    is_resolvable: bool = False
    about: str = ""
    language: str = ""
    package: str = "deixis"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", str(self.name)):
            raise SchemaError(f"the name of a reader is one word in small letters, got {str(self.name)[:40]!r}")
        if self.task not in TASKS:
            raise SchemaError(f"the task of a reader is one of {', '.join(TASKS)}, got {str(self.task)[:40]!r}")
        for what in ("title", "license", "citation"):
            if not isinstance(value := getattr(self, what), str) or not value.strip():
                raise SchemaError(f"the reader {self.name} has no {what}")
        for what in ("sniff", "records", "read"):
            if not callable(getattr(self, what)):
                raise SchemaError(f"{what} of the reader {self.name} is not a function")

    def examples(self, path: Path) -> Iterator[ReadExample | Refusal]:
        """Yield the examples of a file or folder in its order, and a refusal for every record that is none.

        Raises:
            BrokenDataset: when the file cannot be read, or not to its end.
        """
        read, folder = self.read, path if path.is_dir() else path.parent
        for number, record in enumerate(self.records(path)):
            count = 0
            try:
                for example in read(record):
                    example.record, example.folder = number, folder
                    count += 1
                    yield example
            except RefusedRecord as refusal:
                yield Refusal(number, refusal.code, refusal.detail)
                continue
            except SchemaError as error:
                yield Refusal(number, UNREADABLE, str(error))
                continue
            except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
                yield Refusal(number, UNREADABLE, f"{type(error).__name__}: {str(error)[:160]}")
                continue
            if not count:
                yield Refusal(number, NOTHING_READ)

    @property
    def codes(self) -> dict[str, str]:
        """All codes of refusals with a line each, those of every reader last."""
        return {**self.refusals, **COMMON}
