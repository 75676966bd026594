"""Sentences that a person wrote down about cells of tables, by table, model and row."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError


if TYPE_CHECKING:
    from pathlib import Path


LONGEST = 1_000  # letters of a sentence


def read_sentences(path: Path, rows: Mapping[str, tuple[str, ...]]) -> dict[tuple[str, str, str], str]:
    """Read sentences from a TOML file with a table for every table and model.

    Args:
        path: the file.
        rows: of every table that there is.

    Raises:
        RecipeError: when it is no TOML, or names a table or a row that there is not.
    """
    try:
        facts = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise RecipeError(f"{path} is no TOML file: {error}") from error
    found: dict[tuple[str, str, str], str] = {}
    for table, models in facts.items():
        which = _one_of(table, tuple(rows), f"{path}: there is no table")
        for model, sentences in _table(models, f"{path}, {table}").items():
            for row, sentence in _table(sentences, f"{path}, {table}.{model}").items():
                place = _one_of(row, rows[which], f"{path}, {table}.{model}: there is no row")
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


def _one_of(name: str, known: tuple[str, ...], complaint: str) -> str:
    if name in known:
        return name
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(known)}"
    raise RecipeError(f"{complaint} {name!r}; {hint}")
