"""Published results of models on Cops-Ref: the figures of Tables 3 and 4 of the paper."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError
from deixis.report._notes import read_sentences


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


CHANCE = "chance"
CLAIMS, WHY = "claims", "why"  # of notes: sentences about statements


@dataclass(frozen=True, kw_only=True)
class KnownRow:
    """A row of a table.

    Attributes:
        key: what its runs are filed under.
        title: what it is called.
        published: the accuracy in percent by setting, where there is one.
    """

    key: str
    title: str
    published: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class KnownTable:
    """A table of the paper, with the settings that it has."""

    key: str
    title: str
    settings: tuple[str, ...]
    rows: tuple[KnownRow, ...]


@dataclass(frozen=True, kw_only=True)
class PublishedResults:
    """Published results and their sources, with claims by their keys, as models.toml has them."""

    source: str
    tables: tuple[KnownTable, ...]
    claims: Mapping[str, Mapping[str, Any]]

    def row(self, key: str) -> KnownRow | None:
        """Return the row of a key, in the first table that has it."""
        return next((row for table in self.tables for row in table.rows if row.key == key), None)


@cache
def published_results() -> PublishedResults:
    """Return the published results."""
    facts = tomllib.loads((files("deixis.worlds.photos._paper") / "models.toml").read_text(encoding="utf-8"))
    tables = tuple(_table(key, facts[key], tuple(facts["settings"])) for key in ("table3", "table4"))
    return PublishedResults(source=facts["source"], tables=tables, claims=facts["claims"])


def _table(key: str, facts: dict[str, Any], settings: tuple[str, ...]) -> KnownTable:
    rows = tuple(
        KnownRow(
            key=row["key"],
            title=row["title"],
            published=dict(zip(settings, row.get("published", ()), strict=False)),
        )
        for row in facts["rows"]
    )
    shown = max(len(row.published) for row in rows)
    return KnownTable(key=key, title=facts["title"], settings=settings[:shown], rows=rows)


def read_notes(path: Path) -> dict[tuple[str, str, str], str]:
    """Read sentences from a TOML file, by table, row and setting, and by `claims`, statement and `why`.

    Raises:
        RecipeError: when it is no TOML, or names a table, a row, a setting or a statement that there is not.

    Example:
        ```toml
        [table3.mattnet]
        full = "Our pictures hold fewer objects of one category than photographs do."
        [claims.random]
        why = "…"
        ```
    """
    tables = published_results().tables
    settings = {table.key: tuple(name.lower() for name in table.settings) for table in tables}
    found = read_sentences(path, {**settings, CLAIMS: (WHY,)})
    known = {table.key: [row.key for row in table.rows] for table in tables} | {
        CLAIMS: list(published_results().claims)
    }
    for table, row, _ in found:
        if row not in known[table]:
            raise RecipeError(f"{path}: {table} has no {row!r}; it has {', '.join(known[table])}")
    return found
