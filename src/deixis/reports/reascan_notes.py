"""Why a result differs from the published one: sentences that a person wrote down, one for a cell of a table."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias

from deixis.errors import RecipeError
from deixis.reports.reascan_models import known_results


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.reports.reascan_models import Which


__all__ = ["Reasons", "read_reasons"]

Reasons: TypeAlias = "Mapping[tuple[Which, str, str], str]"  # by table, model and row
LONGEST = 1_000  # letters of a sentence


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
    try:
        facts = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise RecipeError(f"{path} is no TOML file: {error}") from error
    found: dict[tuple[Which, str, str], str] = {}
    for table, models in facts.items():
        which = _one_of(table, tuple(known_results().rows), f"{path}: there is no table")
        rows = tuple(row.key for row in known_results().rows[which])
        for model, sentences in _table(models, f"{path}, {table}").items():
            for row, sentence in _table(sentences, f"{path}, {table}.{model}").items():
                place = _one_of(row, rows, f"{path}, {table}.{model}: there is no row")
                if not isinstance(sentence, str) or not 0 < len(sentence.strip()) <= LONGEST:
                    raise RecipeError(
                        f"{path}, {table}.{model}.{row} should be a sentence of up to {LONGEST:,} letters"
                    )
                found[which, model, place] = " ".join(sentence.split())
    return found


def _table(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise RecipeError(f"{where} should be a table")
    return value


def _one_of(name: str, known: tuple[Any, ...], complaint: str) -> Any:
    if name in known:
        return name
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
    raise RecipeError(f"{complaint} {name!r}; {hint}")
