"""Codes of checks: their selection, and what a check is asked and returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from deixis.errors import DeixisError, UnknownName
from deixis.seeds import GOLDEN_WORD, derive, mix_words


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deixis.data._crew import Crew, Progress


MAX_FINDINGS = 20  # of each code unless more are asked for; the rest is only counted
ALWAYS = "E001"  # what cannot be read cannot be checked, so this is reported whatever was selected
Scope: TypeAlias = Literal["folder", "file", "table", "row", "dataset"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """A request to the part `checks` of a world.

    Attributes:
        select: the beginnings of codes to look for; everything but mere information where there are none.
        thorough: judge by the plain definitions, where there is a faster way that is used otherwise.
        sample: look at so many examples only, chosen by the seed.
        seed: which ones.
        most: how many findings of each code are kept; the rest is only counted.
        workers: how many threads; the report does not depend on it.
        crew: those who do it instead, where the world's checks run on clusters.
        progress: told how far things are.
        options: those that the world declares for the verb `check`.
    """

    select: Sequence[str] = ()
    thorough: bool = False
    sample: int | None = None
    seed: int = 0
    most: int = MAX_FINDINGS
    workers: int = 1
    crew: Crew | None = None
    progress: Progress | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def tell(self, stage: str, done: int, total: int | None) -> None:
        """Say how far things are, if anybody listens."""
        if self.progress is not None:
            self.progress(stage, done, total)

    def choose(self, total: int) -> Sequence[int]:
        """The numbers of the examples to look at, in their order."""
        return range(total) if self.sample is None else sample_numbers(total, self.sample, seed=self.seed).tolist()


def is_informational(code: str) -> bool:
    """Return whether a finding of this code is no problem."""
    return code.startswith("I")


def select_codes(codes: Mapping[str, Any], select: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the codes that start with one of the selectors, by default all that are not merely informational.

    Args:
        codes: those that a world has.
        select: the beginnings of codes, such as `E`, `W2` or `E101`.

    Raises:
        UnknownName: when a selector fits no code.
    """
    known = sorted(codes)
    if not select:
        return tuple(code for code in known if not is_informational(code))
    for selector in select:
        if not selector or not any(code.startswith(selector) for code in known):
            raise UnknownName(f"no check is called {selector!r}; known: {', '.join(known)}")
    return tuple(code for code in known if code == ALWAYS or code.startswith(tuple(select)))


def codes_table(codes: Mapping[str, str]) -> str:
    """Codes with their messages, as a Markdown table."""
    rows = [f"| {code} | {codes[code]} |" for code in sorted(codes, key=lambda c: c[1:])]
    return "\n".join(("| code | found |", "|------|-------|", *rows))


@dataclass(frozen=True, slots=True)
class Hits:
    """Findings of one check: the places of the rows, ascending, and a function for the detail of each."""

    places: np.ndarray
    detail: Callable[[int], str]

    @classmethod
    def where(cls, mask: np.ndarray, detail: Callable[[int], str]) -> Hits:
        """The places at which a mask is set."""
        return cls(np.flatnonzero(mask), detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check.

    Attributes:
        code: E for what makes an example wrong, W for what makes it worse than it could be, I for mere information.
        scope: what the function is given: a dataset on disk, a file, a table, a chunk of rows or the contents of all
            rows.
        message: the first line of the function's docstring.
        about: the rest of it.
    """

    code: str
    scope: Scope
    message: str
    about: str
    find: Callable[..., Any]

    @property
    def is_informational(self) -> bool:
        """True if a finding is no problem."""
        return is_informational(self.code)


def sample_numbers(total: int, sample: int, *, seed: int) -> np.ndarray:
    """Draw a sample of the numbers below a total, in their order: int64 [chosen].

    All of them if there are not more.
    """
    if sample < 1:
        raise DeixisError(f"a sample has at least 1 example, got {sample}")
    if sample >= total:
        return np.arange(total)
    with np.errstate(over="ignore"):
        keys = mix_words((np.arange(total, dtype=np.uint64) + np.uint64(derive(seed, "sample"))) * GOLDEN_WORD)
    return np.sort(np.argpartition(keys, sample)[:sample])
