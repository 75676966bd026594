"""Verdicts on the examples that models were asked: which are wanted, how two models compare, and cards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis._studio.world_pages import world_pages
from deixis.errors import BrokenDataset, UnknownName
from deixis.judge.verdicts import read_verdicts
from deixis.seeds import mix_words


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis._studio.library import Entry
    from deixis._studio.model_results import ModelResults
    from deixis.judge.verdicts import Verdicts


Show: TypeAlias = Literal["all", "right", "wrong"]
SHOWN: tuple[Show, ...] = ("wrong", "right", "all")


class VerdictFilter(NamedTuple):
    """The choice of examples to show, in which an empty value does not matter.

    Attributes:
        measure: by which an example is right or wrong.
        part: of this split, setting or set.
        show: those that are right, those that are wrong, or all.
        outcome: with which this came of it.
        role: where the wrong object has this role.
        misreading: where this explains the wrong choice.
    """

    measure: str
    part: str = ""
    show: Show = "all"
    outcome: str = ""
    role: str = ""
    misreading: str = ""


class Facets(NamedTuple):
    """Number of examples of every kind, among those of a part and among those that are shown."""

    right: int
    wrong: int
    outcomes: dict[str, int]
    roles: dict[str, int]
    misreadings: dict[str, int]


def rows_of(verdicts: Verdicts, wanted: VerdictFilter) -> np.ndarray:
    """int64 [row]: the examples that are wanted: part by part, within each mixed, but always in the same order."""
    keep = _of_part(verdicts, wanted.part) & _is_shown(verdicts, wanted)
    if wanted.outcome:
        keep &= verdicts.outcome == _code(wanted.outcome, verdicts.outcomes)
    if wanted.role:
        keep &= verdicts.role == _code(wanted.role, verdicts.roles)
    if wanted.misreading:
        holds = np.array([wanted.misreading in some for some in verdicts.misreadings], bool)
        keep &= holds[verdicts.misreading]
    rows = np.flatnonzero(keep)
    return rows[np.lexsort((mix_words(verdicts.ids[rows].astype(np.uint64)), verdicts.part[rows]))]


def facets_of(verdicts: Verdicts, wanted: VerdictFilter) -> Facets:
    """Count the further choices of a filter."""
    here = _of_part(verdicts, wanted.part)
    right = int((here & verdicts.right[wanted.measure]).sum())
    keep = here & _is_shown(verdicts, wanted)
    sets = np.bincount(verdicts.misreading[keep], minlength=len(verdicts.misreadings)).tolist()
    misreadings: dict[str, int] = {}
    for names, count in zip(verdicts.misreadings, sets, strict=True):
        for name in names:
            misreadings[name] = misreadings.get(name, 0) + count
    return Facets(
        right,
        int(here.sum()) - right,
        _count_names(verdicts.outcome[keep], verdicts.outcomes),
        _count_names(verdicts.role[keep], verdicts.roles),
        _sort_counts(misreadings),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """Two models on the examples that both were asked.

    Shapes:
        first, second: int64 [example], rows of the verdicts on each.
        is_first, is_second: bool [example], whether each is right.
    """

    first: np.ndarray
    second: np.ndarray
    is_first: np.ndarray
    is_second: np.ndarray

    @property
    def quarters(self) -> dict[str, np.ndarray]:
        """bool [example] by name: both right, only the first, only the second, neither."""
        return {
            "both": self.is_first & self.is_second,
            "a": self.is_first & ~self.is_second,
            "b": ~self.is_first & self.is_second,
            "neither": ~self.is_first & ~self.is_second,
        }


def compare(first: Verdicts, second: Verdicts, *, measure: str, part: str = "") -> Comparison:
    """Compare two models example by example, in the order of `rows_of`.

    Examples are matched by part and id.
    """
    sides = []
    for verdicts in (first, second):
        rows = np.flatnonzero(_of_part(verdicts, part))
        name = {name: np.uint64(_hash_name(name)) for name in verdicts.parts}
        salt = np.array([name[one] for one in verdicts.parts], np.uint64)
        with np.errstate(over="ignore"):
            sides.append((rows, mix_words(verdicts.ids[rows].astype(np.uint64) + salt[verdicts.part[rows]])))
    _, at, other = np.intersect1d(sides[0][1], sides[1][1], return_indices=True)
    order = np.argsort(first.part[sides[0][0][at]], kind="stable")
    rows_a, rows_b = sides[0][0][at[order]], sides[1][0][other[order]]
    return Comparison(
        first=rows_a,
        second=rows_b,
        is_first=first.right[measure][rows_a],
        is_second=second.right[measure][rows_b],
    )


# -------------------------------------------------------------------------------- cards


class Side(NamedTuple):
    """One model with the verdicts on it."""

    judged: ModelResults
    verdicts: Verdicts

    def marks(self, row: int) -> tuple[tuple[str, bool], ...]:
        """(name, whether it is so) of every measure of an example."""
        held = self.verdicts.right
        return tuple((name, bool(held[measure][row])) for measure, name in self.judged.measures.items())


class AnswerCard(NamedTuple):
    """The answer of one model to an example.

    Attributes:
        model: its name.
        marks: (name, whether it is so) of every measure.
        words: what it did, in a sentence.
        quote: its caption, where it wrote one.
    """

    model: str
    marks: tuple[tuple[str, bool], ...]
    words: str
    quote: str = ""


@dataclass(frozen=True, kw_only=True)
class ResultCard:
    """One example.

    Attributes:
        name: its id, for people.
        part: the split, setting or set that it is of.
        text: what was said; empty where it is not known.
        link: where to see more; empty where it cannot be seen.
        picture: what is to be seen, as markup of ours; empty where the dataset is not at hand.
        pictures: names and addresses of single pictures instead.
        answers: those of the models.
    """

    name: str
    part: str
    text: str = ""
    link: str = ""
    picture: str = ""
    pictures: tuple[tuple[str, str], ...] = ()
    answers: tuple[AnswerCard, ...] = ()


def cards_of(sides: Sequence[Side], rows: Sequence[np.ndarray], dataset: Entry | None) -> Sequence[ResultCard]:
    """Cards for some examples.

    Args:
        sides: one model, or several.
        rows: int64 [example] for each of them, which verdicts are on these examples.
        dataset: where the examples are, if it is at hand.
    """
    verdicts, pages = sides[0].verdicts, world_pages(sides[0].judged.world)
    is_told = not pages.results.quotes or len(sides) == 1  # otherwise each model has its own text
    blank = [
        ResultCard(
            name=verdicts.names[row] if verdicts.names else str(number),
            part=verdicts.parts[verdicts.part[row]],
            text=verdicts.texts[row] if verdicts.texts and is_told else "",
            answers=tuple(pages.describe_answer(side, some[place]) for side, some in zip(sides, rows, strict=True)),
        )
        for place, (number, row) in enumerate(zip(verdicts.ids[rows[0]].tolist(), rows[0].tolist(), strict=True))
    ]
    return pages.cards(blank, sides, rows, dataset)


# -------------------------------------------------------------------------------- files


def verdicts_of(judged: ModelResults) -> Verdicts:
    """The verdicts on a model.

    Raises:
        UnknownName: when no verdicts were written.
        BrokenDataset: when they cannot be read.
    """
    if judged.rows is None:
        raise UnknownName(
            f"the results of {judged.model} say nothing about single examples; "
            "write their verdicts with `deixis evaluate … --out FOLDER`"
        )
    try:
        found = judged.rows.stat()
    except OSError as error:
        raise BrokenDataset(f"{judged.rows.name} cannot be read: {error.strerror or error}") from error
    return _read(judged.rows, (found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=16)
def _read(path: Path, stamp: tuple[int, int]) -> Verdicts:
    del stamp
    return read_verdicts(path)


# -------------------------------------------------------------------------------- choosing


def _of_part(verdicts: Verdicts, part: str) -> np.ndarray:
    return verdicts.part == _code(part, verdicts.parts) if part else np.ones(len(verdicts), bool)


def _is_shown(verdicts: Verdicts, wanted: VerdictFilter) -> np.ndarray:
    if wanted.show == "all":
        return np.ones(len(verdicts), bool)
    right = verdicts.right[wanted.measure]
    return right if wanted.show == "right" else ~right


def _code(name: str, names: Sequence[str]) -> int:
    """The number of a name, or one that nothing has."""
    return names.index(name) if name in names else -9


def _count_names(codes: np.ndarray, names: Sequence[str]) -> dict[str, int]:
    counts = np.bincount(codes, minlength=len(names)).tolist()
    return _sort_counts({name: count for name, count in zip(names, counts, strict=False) if name and count})


def _sort_counts(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])) if count}


def _hash_name(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8], "little")
