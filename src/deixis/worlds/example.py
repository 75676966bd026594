"""One example of any world: what is said, in which context, and what is to be answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from deixis.errors import BrokenDataset, DeixisError, UnknownName


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.expression.description import Expression
    from deixis.scene.scene import Context, Scene


__all__ = [
    "Example",
    "Examples",
    "PlainExample",
    "context_of",
    "count_examples",
    "fits_nothing",
    "has_absent",
    "pick_example",
    "pick_random",
    "scenes_of",
]


@runtime_checkable
class Example(Protocol):
    """One example, whichever world it is of."""

    @property
    def id(self) -> int | str:
        """The id in the dataset."""

    @property
    def split(self) -> str:
        """The split, `a+b` for two of them."""

    @property
    def text(self) -> str:
        """The text of the referring expression."""

    @property
    def expression(self) -> Expression | None:
        """The meaning, or None if the text cannot be read."""

    @property
    def context(self) -> Context:
        """The scenes that are shown, and the target.

        Raises `SchemaError` if there is no target or no scenes are known.
        """

    @property
    def answer(self) -> Any:
        """The right answer: a plan, the id of an object, the number of an image, or None if nothing fits."""


class Examples(Protocol):
    """The examples of a dataset, wherever it lies.

    They may also have `pick(number, split)` and `count(split)`, where counting within a split is faster that way; verbs
    go through `pick_example`, `pick_random` and `count_examples`. `has_absent` tells whether some of them fit nothing.
    """

    @property
    def path(self) -> Path:
        """The file or folder of the dataset."""

    @property
    def splits(self) -> Mapping[str, int]:
        """The number of examples of every split.

        An example of two splits counts in both.
        """

    def __len__(self) -> int: ...

    def __getitem__(self, number: int) -> Example:
        """One example by its number, from 0; `UnknownName` where there is none."""

    def numbers(self, split: str | None = None) -> Sequence[int]:
        """Return the numbers of the examples of a split, or of all, or raise `UnknownName` for an unknown split."""

    def __iter__(self) -> Iterator[Example]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainExample:
    """An example written out.

    Attributes:
        context: the scenes, all of one schema, and the target.
        expression: what is said.
        text: its words, where there are some.
        split: where it belongs, `a+b` for two sets.
        id: what the dataset calls it.
        facts: whatever else a world keeps of it.
    """

    context: Context
    expression: Expression | None
    text: str = ""
    split: str = ""
    id: int | str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def answer(self) -> int:
        """The number of the object that is meant, in the scene of the target."""
        return self.context.target.object


def context_of(example: Example) -> Context | None:
    """Return the context of an example, or None where it has no single target or its scenes are not known."""
    try:
        return example.context
    except DeixisError:
        return None


def scenes_of(example: Example) -> tuple[Scene, ...]:
    """Return the scenes of an example that are known, also where nothing or several objects are meant."""
    own = getattr(example, "scenes", None)
    if isinstance(own, tuple):
        return own
    context = context_of(example)
    return () if context is None else context.scenes


def fits_nothing(example: Example) -> bool:
    """Return whether the right answer is that nothing fits: objects are shown, and none of them is meant."""
    return context_of(example) is None and bool(scenes_of(example)) and example.answer is None


def has_absent(examples: Examples, some: Iterable[Example] = ()) -> bool:
    """Return whether a dataset says that it has examples that fit nothing, or some of its examples are such."""
    return bool(getattr(examples, "has_absent", False)) or any(map(fits_nothing, some))


# -------------------------------------------------------------------------------- choosing


def pick_example(examples: Examples, number: int, split: str | None = None) -> Example:
    """Return the example of a number, counted from 0 within a split or over all, or raise `UnknownName`.

    Examples may have a method `pick` of the same meaning, where that is faster than `numbers`.
    """
    pick = getattr(examples, "pick", None)
    if pick is not None:
        found: Example = pick(number, split)
        return found
    numbers = _numbers(examples, split)
    if not 0 <= number < len(numbers):
        where = f"{examples.path.name}, split {split}" if split else examples.path.name
        raise UnknownName(f"there is no example {number} in {where}; it has {len(numbers):,}, counted from 0")
    return examples[numbers[number]]


def count_examples(examples: Examples, split: str | None = None) -> int:
    """Count the examples to pick from, with the method `count` of the examples if they have one."""
    count = getattr(examples, "count", None)
    return int(count(split)) if count is not None else len(_numbers(examples, split))


def pick_random(examples: Examples, seed: int, split: str | None = None) -> tuple[int, Example]:
    """An example chosen by a seed, with its number."""
    from deixis.seeds import Stream, derive  # needs numpy, which choosing by number does not

    size = count_examples(examples, split)
    if not size:
        raise BrokenDataset(f"{examples.path} holds no examples to choose from")
    number = Stream(derive(seed, "show")).below(size)
    return number, pick_example(examples, number, split)


def _numbers(examples: Examples, split: str | None) -> Sequence[int]:
    if split is not None and split not in examples.splits:
        known = ", ".join(examples.splits) or "none"
        raise UnknownName(f"there is no split {split!r} in {examples.path.name}; it has {known}")
    return examples.numbers(split)
