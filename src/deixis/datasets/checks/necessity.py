"""W2: is everything that is said needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.datasets.checks.registry import Hits, check
from deixis.distractors.content import is_implied
from deixis.scene.grid import GRID


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.datasets.checks.chunk import Chunk
    from deixis.datasets.checks.said import Command
    from deixis.expression.parts import Part


@check("W201")
def idle_clause(chunk: Chunk) -> Hits:
    """A clause is not needed to find the target."""
    return _idle(chunk, lambda part, _: part.kind == "clause")


@check("I202")
def idle_word(chunk: Chunk) -> Hits:
    """A word of a noun phrase is not needed to find the target.

    The shares of needed parts by kind are in every report that looks at necessity.
    """
    return _idle(chunk, lambda part, _: part.kind != "clause")


@check("E203")
def other_necessity(chunk: Chunk) -> Hits:
    """The recorded necessity of the parts is not what comes out.

    Rows that record none are passed over.
    """
    said = chunk.necessary
    count = chunk.of_command([len(c.parts) if c.is_read else 0 for c in chunk.commands], np.int64)
    asked = chunk.points & (said.length > 0)
    wrong = asked & (said.length != count)
    if chunk.needed.shape[1]:
        differ = (chunk.needed >= 0) & (said.padded(chunk.needed.shape[1]).astype(np.int8) != chunk.needed)
        wrong |= asked & differ.any(axis=1)
    return Hits.where(wrong, lambda row: f"it should be {_written(chunk, row)}, {_letters(said[row])} is recorded")


@check("E204")
def spared_word(chunk: Chunk) -> Hits:
    """A content word is not needed, although the recipe of the dataset promises that every one is.

    The noun 'box' after 'inside of' is not a content word: nothing else can be what something is inside of.
    """
    if not chunk.promises_every_word:
        return Hits.where(np.zeros(len(chunk), bool), lambda _: "")
    return _idle(chunk, lambda part, command: not is_implied(part, command.expression, GRID))


def _idle(chunk: Chunk, concerns: Callable[[Part, Command], bool]) -> Hits:
    """The rows in which a part of some kind is not needed."""
    width = chunk.needed.shape[1]
    asked = np.zeros((len(chunk.commands), width), bool)
    for number, command in enumerate(chunk.commands):
        if command.is_read:
            asked[number, : len(command.parts)] = [concerns(part, command) for part in command.parts]
    idle = (chunk.needed == 0) & asked[chunk.which]

    def detail(row: int) -> str:
        command = chunk.command(row)
        return "; ".join(f"{command.words_of(command.parts[place])!r}" for place in np.flatnonzero(idle[row]))

    return Hits.where(idle.any(axis=1), detail)


def _written(chunk: Chunk, row: int) -> str:
    return _letters(chunk.needed[row, : len(chunk.command(row).parts)])


def _letters(flags: np.ndarray) -> str:
    return "".join("+" if flag else "-" for flag in flags)
