"""What the settings of trainings have in common: how they are read, and how their values are checked; without torch."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from deixis.errors import RecipeError, nearest
from deixis.numbers import is_number


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


__all__ = [
    "MAY_CHANGE",
    "Precision",
    "demand_choices",
    "demand_flags",
    "demand_known",
    "demand_real",
    "demand_whole",
    "merge_settings",
    "options_in",
    "read_settings",
]

Precision: TypeAlias = Literal["auto", "fp32", "tf32", "bf16"]
MAY_CHANGE = ("updates", "log_every", "look_every", "save_every")  # when a run goes on
MAX_BYTES = 1 << 20  # of a settings file


def read_settings(path: Path) -> dict[str, Any]:
    """What a TOML file says about a training.

    Raises:
        RecipeError: when it is no TOML file, or far too long for one.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RecipeError(f"{path} is far too long for settings of a training")
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecipeError(f"{path} is no TOML file: {error}") from error


def merge_settings(path: Path | None, given: Mapping[str, Any], *, model: str = "") -> dict[str, Any]:
    """The settings of a TOML file, overridden by those options that were given.

    Args:
        path: the file, if there is one.
        given: what the options say, see `options_in`.
        model: whose settings they are; `RecipeError` where the file says that they are another's.
    """
    changes = read_settings(path) if path is not None else {}
    if model and changes.pop("model", model) != model:
        raise RecipeError(f"{path} is about another model than {model}")
    return {**changes, **given}


def options_in(record: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a model's options that are settings of its record and were given: neither None nor False."""
    names = {one.name for one in fields(record)}
    return {name: value for name, value in given.items() if name in names and value is not None and value is not False}


def demand_known(values: Iterable[str], known: Iterable[str], *, of: str = "there is no setting") -> None:
    """`RecipeError` for a name that no setting has."""
    known = list(known)
    for name in values:
        if name not in known:
            raise RecipeError(f"{of} {name!r}{nearest(str(name), known)}")


def demand_whole(settings: object, limits: Mapping[str, tuple[int, int]]) -> None:
    """`RecipeError` unless these fields are whole numbers within their limits."""
    for name, (least, most) in limits.items():
        value = getattr(settings, name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise RecipeError(f"{name} must be a whole number from {least} to {most:,}, got {value!r}")


def demand_real(settings: object, limits: Mapping[str, tuple[float, float]]) -> None:
    """`RecipeError` unless these fields are numbers within their limits."""
    for name, (low, high) in limits.items():
        value = getattr(settings, name)
        if not is_number(value) or not low <= value <= high:
            raise RecipeError(f"{name} must be a number from {low:g} to {high:g}, got {value!r}")


def demand_choices(settings: object, choices: Mapping[str, tuple[str, ...]]) -> None:
    """`RecipeError` unless each of these fields holds one of its choices."""
    for name, known in choices.items():
        if getattr(settings, name) not in known:
            raise RecipeError(f"unknown {name} {getattr(settings, name)!r}; known: {', '.join(known)}")


def demand_flags(settings: object, names: Iterable[str]) -> None:
    """`RecipeError` unless these fields are true or false."""
    for name in names:
        if not isinstance(getattr(settings, name), bool):
            raise RecipeError(f"{name} is true or false, got {getattr(settings, name)!r}")
