"""Patterns: how the noun phrases of a command hang together.

A pattern is written as in the released files, `$OBJ_0 ^ $OBJ_1 & $OBJ_2`, where `^` is 'that is' and `&` is 'and'.
'that is' hangs a clause on the phrase just before it, 'and' on the head of the last 'that is'.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.errors import RecipeError, SchemaError


if TYPE_CHECKING:
    from deixis.expression.description import Expression


__all__ = ["C1", "C2", "P1", "P2", "P3", "PATTERNS", "Pattern", "pattern", "pattern_of"]

MAX_CLAUSES = 7  # then a command has at most 31 parts, and a word of 32 bits says which of them are needed


@dataclass(frozen=True, slots=True)
class Pattern:
    """The tree of mentions of a command, without its words.

    Attributes:
        name: a short name, or the notation where there is none.
        parents: for each mention the number of the one it is said about; -1 for the target.
    """

    name: str
    parents: tuple[int, ...]

    def __post_init__(self) -> None:
        heads = (-1, *self.parents[1:])
        sayable = (parent in (child - 1, heads[child - 1]) for child, parent in enumerate(heads) if child)
        if self.parents[:1] != (-1,) or -1 in heads[1:] or not all(sayable):
            raise SchemaError(
                f"no command has mentions that hang on {self.parents}: a clause belongs to the mention just before it "
                "or to the head of the clause before"
            )

    @property
    def notation(self) -> str:
        """The pattern as the released files write it."""
        text, head = "$OBJ_0", -1
        for child, parent in enumerate(self.parents[1:], start=1):
            text += f" {'&' if parent == head else '^'} $OBJ_{child}"
            head = parent
        return text

    def __len__(self) -> int:
        return len(self.parents)


P1 = Pattern("p1", (-1,))
P2 = Pattern("p2", (-1, 0))
P3 = Pattern("p3", (-1, 0, 0))
C1 = Pattern("p4", (-1, 0, 0, 0))
C2 = Pattern("chain", (-1, 0, 1))
PATTERNS = {p.name: p for p in (P1, P2, P3, C1, C2)}


def pattern(name: str) -> Pattern:
    """The pattern of a name (p1, p2, p3, p4, chain) or a notation: `$OBJ_0 ^ $OBJ_1 & $OBJ_2`, or `^ &` for short."""
    if name in PATTERNS:
        return PATTERNS[name]
    found = _read(re.findall(r"[\^&]", name))
    if not name.split() or name.split() not in (re.findall(r"[\^&]", found.notation), found.notation.split()):
        raise RecipeError(
            f"impossible pattern {name!r}; use {', '.join(PATTERNS)} or a notation of at most {MAX_CLAUSES} clauses "
            "that starts with ^, such as '^ & ^' (^ is 'that is', & is 'and')"
        )
    return found


def pattern_of(expression: Expression) -> Pattern:
    """The pattern of an expression."""
    parents: list[int] = []

    def walk(description: Expression, parent: int) -> None:
        here = len(parents)
        parents.append(parent)
        for clause in description.clauses:
            walk(clause.to, here)

    walk(expression, -1)
    return _pattern_with_name(tuple(parents))


def _read(marks: list[str]) -> Pattern:
    """The pattern of these marks as far as they make sense."""
    parents, head = [-1], 0
    for mark in marks[:MAX_CLAUSES]:
        head = len(parents) - 1 if mark == "^" else head
        parents.append(head)
    return _pattern_with_name(tuple(parents))


def _pattern_with_name(parents: tuple[int, ...]) -> Pattern:
    for known in PATTERNS.values():
        if known.parents == parents:
            return known
    return Pattern(Pattern("", parents).notation, parents)
