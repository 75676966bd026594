"""How often GQA says each name, attribute and relation: for balancing, and for corpora made up in its likeness."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["GqaCounts", "gqa_counts"]


class GqaCounts(NamedTuple):
    """Words with how often they occur, the most frequent first."""

    names: Mapping[str, int]
    attributes: Mapping[str, int]
    relations: Mapping[str, int]


@cache
def gqa_counts() -> GqaCounts:
    """The counts of the table in this folder, which names its source."""
    table = tomllib.loads(files(__package__).joinpath("gqa_counts.toml").read_text(encoding="utf-8"))
    return GqaCounts(*(_counts(table[kind]) for kind in GqaCounts._fields))


def _counts(text: str) -> dict[str, int]:
    entries = (" ".join(entry.split()).rpartition(" ") for entry in text.split(","))
    return {word: int(count) for word, _, count in entries}
