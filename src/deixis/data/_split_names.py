"""Names of splits: an example of several test sets has an entry such as `a1+a2`, which is read here alone."""

from __future__ import annotations

from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Iterable


BETWEEN = "+"


def names_in_split(entry: str) -> list[str]:
    """Return the single splits of an entry, two for `a1+a2`, and one without a name for an empty entry."""
    return entry.split(BETWEEN)


def splits_of(entry: str | None) -> list[str]:
    """Return the splits of an example, which is train by default."""
    return names_in_split(entry or "train")


def join_splits(splits: Iterable[str]) -> str:
    """The entry of an example that is in all of these, each named once."""
    return BETWEEN.join(dict.fromkeys(single for split in splits for single in splits_of(split)))
