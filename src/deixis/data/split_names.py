"""Names of splits: an example of several test sets has an entry such as `a1+a2`, which is read here alone."""

from __future__ import annotations

from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = ["join_splits", "names_in_split", "splits_of"]

BETWEEN = "+"


def names_in_split(entry: str) -> list[str]:
    """The single splits of an entry: `a1+a2` names two; an empty entry names one without a name."""
    return entry.split(BETWEEN)


def splits_of(entry: str | None) -> list[str]:
    """The splits that an example is in; train where nothing is said."""
    return names_in_split(entry or "train")


def join_splits(splits: Iterable[str]) -> str:
    """The entry of an example that is in all of these, each named once."""
    return BETWEEN.join(dict.fromkeys(single for split in splits for single in splits_of(split)))
