"""Why speakers differ from the published ones: sentences that a person wrote down, one for a metric of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.errors import RecipeError
from deixis.reports.a3ds_runs import METRICS
from deixis.reports.a3ds_tables import LETTERS
from deixis.reports.notes import read_sentences


if TYPE_CHECKING:
    from pathlib import Path


__all__ = ["read_speaker_reasons"]


def read_speaker_reasons(path: Path) -> dict[tuple[str, str], str]:
    """Read sentences from a TOML file with a table for every model: letter and metric -> sentence.

    Raises:
        RecipeError: when it is no TOML, or names a model or a metric that there is not.

    Example:
        ```toml
        [table1.RP]
        relevance = "Every word has its price here, as it had not in the paper."
        ```
    """
    found: dict[tuple[str, str], str] = {}
    letters = {letter.lower(): letter for letter in LETTERS}
    for (_, model, metric), sentence in read_sentences(path, {"table1": tuple(METRICS)}).items():
        if model.lower() not in letters:
            raise RecipeError(f"{path}, table1: there is no model {model!r}; there are: {', '.join(LETTERS)}")
        found[letters[model.lower()], metric] = sentence
    return found
