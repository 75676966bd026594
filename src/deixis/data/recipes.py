"""Recipes of datasets in any world, and what manifests say of them.

| in a manifest of format 2 | |
|---|---|
| `world`, `dataset`, `package` | which world it is of, by what name it was made, and whose package has the world |
| `recipe`, `recipe digest` | what it was made from, and a name for exactly that; nothing where it was imported |

Format 1 names a `kind` instead of a world, and some of its manifests hold the recipe under `made with`.
"""

from __future__ import annotations

import json
from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from deixis._version import __version__
from deixis.errors import BrokenDataset, DeixisError, MissingPart, RecipeError
from deixis.worlds.registry import NEWEST_FORMAT, known_worlds


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from deixis.worlds.world import Recipe, World


__all__ = ["begin_manifest", "digest_of", "fresh_recipe", "offer", "recipe_in", "record_from"]


Made = TypeVar("Made")


def digest_of(values: Mapping[str, Any]) -> str:
    """A name for exactly these plain values."""
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def begin_manifest(
    world: World, dataset: str, recipe: Recipe | None = None, *, kind: str = "", digest: str = ""
) -> dict[str, Any]:
    """Return the fields with which every manifest begins.

    Args:
        world: which the dataset is of.
        dataset: by what name it was made, or what it was converted from.
        recipe: what it was made from; None where it was not made here.
        kind: what format 1 called such a dataset, for those who look for it.
        digest: of the recipe, where it is at hand.
    """
    made_from = {} if recipe is None else {"recipe digest": digest or recipe.digest, "recipe": recipe.to_dict()}
    return {
        "format": NEWEST_FORMAT,
        "world": world.name,
        "dataset": dataset,
        "package": world.package,
        **({"kind": kind} if kind else {}),
        "made by": f"deixis {__version__}",
        **made_from,
    }


def recipe_in(manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the recipe in a manifest of any format, or None if it holds none."""
    made = manifest.get("made with")
    found = manifest.get("recipe", made.get("recipe") if isinstance(made, dict) else None)
    return found if isinstance(found, dict) else None


def record_from(record: type[Made], values: Mapping[str, Any], *, called: str) -> Made:
    """Return the recipe of plain values, as a manifest or a TOML file holds them.

    Lists stand for tuples.

    Raises:
        RecipeError: when the record has no such field, or refuses a value.
    """
    unknown = set(values) - {field.name for field in fields(record)}  # type: ignore[arg-type]
    if unknown:
        raise RecipeError(f"unknown keys in the recipe of {called}: {', '.join(sorted(map(str, unknown)))}")
    plain = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    try:
        return record(**plain)
    except DeixisError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise RecipeError(f"the recipe of {called} does not make sense: {error}") from error


def offer(world: World, name: str) -> Any:
    """Return an optional member of the recipes of a world, or raise `MissingPart` if they lack it."""
    found = getattr(world.part("recipes"), name, None)
    if found is None:
        having = [one.name for one in known_worlds().values() if one.has("recipes") and _offers(one, name)]
        raise MissingPart(
            f"the recipes of {world.name} offer no {name!r}; worlds with one: {', '.join(having) or 'none'}"
        )
    return found


def _offers(world: World, name: str) -> bool:
    try:
        return hasattr(world.part("recipes"), name)
    except Exception:  # noqa: BLE001 (a package that it needs may be missing)
        return False


def fresh_recipe(world: World, seed: int, *, like: Path | None = None) -> Recipe:
    """A recipe for a small test set that nobody has seen.

    Args:
        world: of which world.
        seed: everything random follows from it.
        like: a dataset whose recipe is used, with smaller sizes.

    Raises:
        BrokenDataset: when the dataset does not say how it was made, or says what cannot be read.
        MissingPart: when the world has no such recipes.
    """
    from deixis.data.store import MANIFEST, open_dataset

    known = None
    if like is not None:
        known = recipe_in(open_dataset(like).manifest) if (like / MANIFEST).is_file() else None
        if known is None:
            raise BrokenDataset(f"{like} does not say how it was made, so there is no recipe for a fresh test set")
    try:
        recipe: Recipe = offer(world, "fresh")(seed, like=known)
    except (MissingPart, BrokenDataset):
        raise
    except (DeixisError, TypeError, ValueError) as error:
        raise BrokenDataset(f"the recipe of {like} cannot be read: {error}") from error
    return recipe
