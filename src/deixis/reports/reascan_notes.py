"""Why a result differs from the published one: sentences that a person wrote down, one for a cell of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from deixis.reports.notes import read_sentences
from deixis.reports.reascan_models import known_results


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.reports.reascan_models import Which


__all__ = ["Reasons", "read_reasons"]

Reasons: TypeAlias = "Mapping[tuple[Which, str, str], str]"  # by table, model and row


def read_reasons(path: Path) -> dict[tuple[Which, str, str], str]:
    """Read sentences from a TOML file with a table for every table and model.

    Raises:
        RecipeError: when it is no TOML, or names a table or a row that there is not.

    Example:
        ```toml
        [table3.m-lstm]
        a2 = "Our red squares are never targets of any command, those of the release sometimes are."
        ```
    """
    rows = {which: tuple(row.key for row in some) for which, some in known_results().rows.items()}
    return cast("dict[tuple[Which, str, str], str]", read_sentences(path, cast("Mapping[str, tuple[str, ...]]", rows)))
