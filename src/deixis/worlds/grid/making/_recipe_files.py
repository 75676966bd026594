"""Recipes from plain data: a TOML file or a manifest, with the papers' recipes to begin with."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, replace
from typing import TYPE_CHECKING, Any

from deixis.errors import DeixisError, RecipeError
from deixis.worlds.grid.making._paper_recipes import CAPS, reascan
from deixis.worlds.grid.making._record import Recipe
from deixis.worlds.grid.making.pool import Pool
from deixis.worlds.grid.splits.rules import Case, Rule, find_rule


if TYPE_CHECKING:
    from pathlib import Path


def read_recipe(path: Path) -> Recipe:
    """Return the recipe in a TOML file, see `recipe_from`."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RecipeError(f"cannot read the recipe {path.name}: {error}") from error
    return recipe_from(table)


def recipe_from(table: Mapping[str, object]) -> Recipe:
    """Return the recipe that plain data describes (a parsed TOML file, or a manifest).

    Its keys are the fields of `Recipe`. Without `pools` it starts from the paper's recipe, of which `scale` and
    `patterns` choose the size and the pools. Rules are named as in the catalogue or spelled out.
    """
    try:
        return _from_fields(dict(table)) if "pools" in table else _from_paper(dict(table))
    except DeixisError:
        raise
    except (TypeError, AttributeError, KeyError, ValueError) as error:
        raise RecipeError(f"the recipe does not make sense: {error}") from error


def _from_fields(table: dict[str, Any]) -> Recipe:
    """Return a recipe whose pools are all spelled out."""
    _refuse_unknown("recipe", table, Recipe)
    for key in ("pools", "tests"):
        table[key] = tuple(_read_pool(entry) for entry in _list(key, table.get(key, [])))
    if "hold_out" in table:
        table["hold_out"] = _read_rules(table["hold_out"])
    if "balance" in table:
        table["balance"] = tuple(_list("balance", table["balance"]))
    table.setdefault("cap", CAPS.get(table.get("mode", "corrected"), 16))
    return Recipe(**table)


def _from_paper(table: dict[str, Any]) -> Recipe:
    """Return the paper's recipe with some fields changed."""
    start: dict[str, Any] = {key: table.pop(key) for key in ("mode", "scale", "seed") if key in table}
    if "patterns" in table:
        start["patterns"] = tuple(_list("patterns", table.pop("patterns")))
    if "hold_out" in table:
        start["hold_out"] = _read_rules(table.pop("hold_out"))
    _refuse_unknown("recipe", table, Recipe)
    if "tests" in table:
        table["tests"] = tuple(_read_pool(entry) for entry in _list("tests", table["tests"]))
    if "balance" in table:
        table["balance"] = tuple(_list("balance", table["balance"]))
    return replace(reascan(**start), **table)


def _read_rules(entries: object) -> tuple[Rule, ...]:
    return tuple(_read_rule(entry) for entry in _list("hold_out", entries))


def _read_rule(entry: str | dict[str, Any]) -> Rule:
    """Return a rule of the catalogue by its name, or one of the user's own."""
    if isinstance(entry, str):
        return find_rule(entry)
    entry = {"id": f"own/{_table('hold-out', entry).get('name', '')}", **entry}
    _refuse_unknown("hold-out", entry, Rule)
    _demand_all("hold-out", entry, Rule)
    listed = {name: tuple(_list(name, entry.get(name, []))) for name in ("relations", "cases")}
    return Rule(**{**entry, **listed, "cases": tuple(map(_read_case, listed["cases"]))})


def _read_case(entry: object) -> Case:
    _refuse_unknown("case of a hold-out", _table("case of a hold-out", entry), Case)
    return Case(**_table("case of a hold-out", entry))


def _read_pool(entry: dict[str, Any]) -> Pool:
    _refuse_unknown("pool", _table("pool", entry), Pool)
    _demand_all("pool", entry, Pool)
    if "distractors" in entry:
        entry = {**entry, "distractors": tuple(_list("distractors", entry["distractors"]))}
    return Pool(**entry)


def _refuse_unknown(what: str, table: Mapping[str, object], record: type[Recipe | Pool | Rule | Case]) -> None:
    unknown = set(table) - {entry.name for entry in fields(record)}
    if unknown:
        raise RecipeError(f"unknown keys in the {what}: {', '.join(sorted(unknown))}")


def _demand_all(what: str, table: Mapping[str, object], record: type[Pool | Rule]) -> None:
    missing = [entry.name for entry in fields(record) if entry.name not in table and _is_demanded(entry)]
    if missing:
        raise RecipeError(f"a {what} lacks {', '.join(missing)}")


def _is_demanded(entry: Field[Any]) -> bool:
    return entry.default is MISSING and entry.default_factory is MISSING


def _table(what: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise RecipeError(f"a {what} must be a table of keys, got {value!r:.60}")
    return value


def _list(name: str, value: object) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise RecipeError(f"{name} must be a list, got {value!r}")
    return list(value)
