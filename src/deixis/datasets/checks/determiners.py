"""E6: do the small words fit the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis.datasets.checks.registry import Hits, check
from deixis.language.lexicon import lexicon


if TYPE_CHECKING:
    from deixis.datasets.checks.chunk import Chunk


@check("E601")
def other_determiners(chunk: Chunk) -> Hits:
    """The determiners are not those that the world asks for.

    The target is definite; anything else is definite when at most one object fits the words of its noun phrase.
    """
    definite, indefinite = lexicon().determiners
    rows = np.flatnonzero(chunk.is_judged)
    most = max((len(c.phrases) for c in chunk.commands if c.is_read), default=0)
    expected = np.ones((len(chunk), most), bool)
    recorded = np.ones((len(chunk), most), bool)
    for mention in range(most):
        phrases = [c.phrases[mention] if c.is_read and len(c.phrases) > mention else None for c in chunk.commands]
        said = [p is None or c.determiners[mention] == definite for c, p in zip(chunk.commands, phrases, strict=True)]
        recorded[rows, mention] = chunk.of_command(said, bool)[rows]
        if mention > 0:
            some, found = chunk.resolve(phrases, rows)
            expected[some, mention] = np.bitwise_count(found) <= 1

    def detail(row: int) -> str:
        words = [definite if the else indefinite for the in expected[row, : len(chunk.command(row).phrases)]]
        return f"they should be {', '.join(words)} in {chunk.command(row).text!r}"

    return Hits.where((expected != recorded).any(axis=1), detail)
