"""Rows of what models read and see: some of them, several lots as one, and as many at once as memory allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch.nn import functional

from deixis.models.grounding.regions import PAD, Words


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor


__all__ = ["join_rows", "join_words", "pieces", "take_rows"]

T = TypeVar("T", bound="tuple[Any, ...]")


def take_rows(value: T, rows: Any) -> T:
    """Some rows of a record of tensors, as another of its kind; `rows` is whatever indexes a tensor."""
    return type(value)(*(part[rows] for part in value))


def join_rows(values: Sequence[T]) -> T:
    """The rows of several records of one kind, one record after the other."""
    return type(values[0])(*(torch.cat(parts) for parts in zip(*values, strict=True)))


def join_words(texts: Sequence[Words]) -> Words:
    """Several lots of texts as one, padded to the longest."""
    steps = max(lot.words.shape[1] for lot in texts)
    words = [functional.pad(lot.words, (0, steps - lot.words.shape[1]), value=PAD) for lot in texts]
    return Words(torch.cat(words), torch.cat([lot.count for lot in texts]))


def pieces(rows: Tensor, numbers: int, at_once: int) -> Iterator[slice]:
    """The texts in slices: each pair of a text and a region takes so many numbers, of which so many fit at once.

    Shapes:
        rows: [text, region].
    """
    step = max(1, at_once // max(1, numbers * rows.shape[1]))
    for start in range(0, len(rows), step):
        yield slice(start, start + step)
