"""The phrases of a command, and which words see each other along its parse.

Each word belongs to a phrase: the frame (verb and manner) has number 1, the noun phrase of the target 2, and each
clause, from its relation to its noun, a number of its own. The head of the frame is its first word, the head of any
other phrase its noun. A word sees the words of its own phrase, and the heads of the phrases above and below it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch.nn import functional

from deixis.errors import DeixisError
from deixis.worlds.grid.language import read_typed


if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from deixis.language.utterance import Utterance


FRAME, ROOT = 1, 2


class _Word(NamedTuple):
    """A word's phrase, the phrase above that, 0 for none, and whether the word is its phrase's head."""

    phrase: int
    above: int
    is_head: int


def phrases_of(commands: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the words of each command, int16 [command, 3 x word], and which commands no parser can read.

    All words of such a command are one phrase, so that they all see each other.
    """
    read = [_words(command) for command in commands]
    told = np.zeros((len(read), max((len(words) for words, _ in read), default=0), 3), np.int16)
    for row, (words, _) in zip(told, read, strict=True):
        row[: len(words)] = words
    return told.reshape(len(read), -1), np.array([not is_read for _, is_read in read], np.bool_)


def mask_of(told: Tensor, is_word: Tensor) -> Tensor:
    """Return which words and marks see which: bool [example, word, other word].

    Both marks, at the beginning and at the end of a command, are of the frame.

    Shapes:
        told: int64 [example, 3 x word], as of `phrases_of`, with any padding. is_word: bool [example, word], marks
            included.
    """
    words = told.unflatten(1, (-1, 3))[:, : is_word.shape[1] - 2]
    phrase, above, is_head = (
        functional.pad(part, (1, is_word.shape[1] - 1 - words.shape[1])) for part in words.unbind(2)
    )
    phrase = torch.where(phrase == 0, FRAME, phrase)
    one, other = phrase[:, :, None], phrase[:, None]
    is_linked = (above[:, :, None] == other) | (above[:, None] == one)
    return ((one == other) | (is_linked & (is_head[:, None] > 0))) & is_word[:, None]


@lru_cache(maxsize=1 << 18)
def _words(command: str) -> tuple[tuple[_Word, ...], bool]:
    """The words of a command, and whether it could be read."""
    try:
        return _along_parse(read_typed(command, any_order=True)), True
    except DeixisError:
        return tuple(_Word(FRAME, 0, 0) for _ in command.split()), False


def _along_parse(said: Utterance) -> tuple[_Word, ...]:
    clauses = sorted(address for address in said.spans if (*address, -1) in said.spans)
    number = {(): ROOT} | {address: ROOT + 1 + k for k, address in enumerate(clauses)}
    words = [_Word(FRAME, 0, 0)] * len(said.text.split())
    end = max([said.spans[-1,][1], *(said.spans[address][1] for address in clauses)])
    spans = {(): (said.spans[-1,][0], end)} | {address: said.spans[address] for address in clauses}
    for address, (first, last) in sorted(spans.items(), key=lambda one: len(one[0])):
        above = number[address[:-1]] if address else FRAME
        words[first:last] = [_Word(number[address], above, 0)] * (last - first)
    for address in spans:
        noun = said.spans[*address, -1][1] - 1
        words[noun] = words[noun]._replace(is_head=1)
    if words[0].phrase == FRAME:
        words[0] = words[0]._replace(is_head=1)
    return tuple(words)
