"""Results of the A3DS paper (`paper/models.toml`), to stand beside the measured ones."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from collections.abc import Mapping


_PAPER: dict[str, Any] = tomllib.loads(
    (files("deixis.worlds.rooms._paper") / "models.toml").read_text(encoding="utf-8")
)

SOURCE: str = _PAPER["source"]
CHANCE: float = _PAPER["chance"]
TABLE_1: Mapping[str, Mapping[str, Mapping[str, float]]] = _PAPER["table1"]  # category -> model -> metric -> value
FALSE_FEATURES: Mapping[str, float] = _PAPER["false_features"]
HOURS: Mapping[str, float] = _PAPER["hours"]
