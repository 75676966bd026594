"""The codes: what each check is called, what it says, and how a selection of them is named."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import numpy as np

from deixis.errors import UnknownName


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


__all__ = ["ALWAYS", "CHECKS", "Check", "Hits", "check", "checks_table", "selected"]

Scope: TypeAlias = Literal["file", "table", "row", "dataset"]
AnyCheck = TypeVar("AnyCheck", bound="Callable[..., Any]")
ALWAYS = "E001"  # what cannot be read cannot be checked, so this is reported whatever was selected


@dataclass(frozen=True, slots=True)
class Hits:
    """What a check found: the places of the rows, ascending, and what to say about one of them."""

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
        scope: what the function is given: a shard file, a table, a chunk of rows or the contents of all rows.
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
        """Whether a finding is no problem."""
        return self.code.startswith("I")


CHECKS: dict[str, Check] = {}


def check(code: str, *, scope: Scope = "row") -> Callable[[AnyCheck], AnyCheck]:
    """Register a function as the check of a code."""

    def register(find: AnyCheck) -> AnyCheck:
        message, _, about = cleandoc(find.__doc__ or "").partition("\n")
        if code in CHECKS:
            raise ValueError(f"two checks are called {code}")
        CHECKS[code] = Check(code=code, scope=scope, message=message.rstrip("."), about=about.strip(), find=find)
        return find

    return register


def selected(select: Sequence[str] = ()) -> tuple[str, ...]:
    """The codes that start with one of the selectors; all that are not merely informational where none is given.

    Raises:
        UnknownName: when a selector fits no code.
    """
    known = sorted(CHECKS)
    if not select:
        return tuple(code for code in known if not CHECKS[code].is_informational)
    for selector in select:
        if not selector or not any(code.startswith(selector) for code in known):
            raise UnknownName(f"no check is called {selector!r}; known: {', '.join(known)}")
    return tuple(code for code in known if code == ALWAYS or code.startswith(tuple(select)))


def checks_table() -> str:
    """All codes with their messages, as a Markdown table."""
    rows = [f"| {code} | {CHECKS[code].message} |" for code in sorted(CHECKS, key=lambda c: c[1:])]
    return "\n".join(("| code | found |", "|------|-------|", *rows))
