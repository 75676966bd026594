"""Why results differ from the paper: sentences that a person wrote down, for cells of a table and for statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.errors import RecipeError
from deixis.reports.copsref_models import published_results
from deixis.reports.notes import read_sentences


if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


__all__ = ["read_notes"]

CLAIMS, WHY = "claims", "why"


def read_notes(path: Path, claims: Iterable[str]) -> dict[tuple[str, str, str], str]:
    """Read sentences from a TOML file: by table, row and setting; and by `claims`, statement and `why`.

    Args:
        path: the file.
        claims: the keys of the statements that there are.

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
    known = {table.key: [row.key for row in table.rows] for table in tables} | {CLAIMS: list(claims)}
    for table, row, _ in found:
        if row not in known[table]:
            raise RecipeError(f"{path}: {table} has no {row!r}; it has {', '.join(known[table])}")
    return found
