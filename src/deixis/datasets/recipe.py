"""What a dataset is made from: the frozen configuration that its manifest records.

The configuration of a dataset is this tree of records itself; a TOML file is one-to-one with it. Two datasets with equal recipes are equal byte for byte.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.errors import RecipeError
from deixis.splits.catalogue import REASCAN, find_rule
from deixis.splits.rules import Rule
from deixis.worlds.grid.patterns import pattern


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


__all__ = ["DISTRACTORS", "Mode", "Pool", "Recipe", "Scale", "read_recipe", "reascan"]

Mode: TypeAlias = Literal["compatible", "corrected"]
Scale: TypeAlias = Literal["small", "paper"]
Distractors: TypeAlias = Literal["relation", "attribute", "isomorphism", "random"]
DISTRACTORS: tuple[Distractors, ...] = ("relation", "attribute", "isomorphism", "random")
MAX_GRID, MAX_OBJECTS, MAX_WORLDS = 16, 48, 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Commands of one pattern and the worlds made for them.

    Attributes:
        name: the name of the pool, e.g. `p3`; that of its split where it is a test set made on purpose.
        pattern: how the noun phrases of its commands hang together.
        commands: how many commands; one for which no world is found is replaced by another.
        worlds: how many worlds for each.
        retries: how often to try for one world before the command is given up.
        distractors: which kinds are added.
    """

    name: str
    pattern: str
    commands: int
    worlds: int
    retries: int = 500
    distractors: tuple[Distractors, ...] = DISTRACTORS

    def __post_init__(self) -> None:
        pattern(self.pattern)
        for name in ("commands", "worlds", "retries"):
            if getattr(self, name) < 1:
                raise RecipeError(f"pool {self.name!r} asks for {getattr(self, name)} {name}; at least 1 is needed")
        if self.worlds > MAX_WORLDS:
            raise RecipeError(f"pool {self.name!r} asks for {self.worlds} worlds per command; at most {MAX_WORLDS} are made")
        unknown = set(self.distractors) - set(DISTRACTORS)
        if unknown:
            raise RecipeError(f"unknown distractors {sorted(unknown)} in pool {self.name!r}; known: {', '.join(DISTRACTORS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to make a ReaSCAN dataset.

    Attributes:
        mode: `compatible` repeats the released generator, faults included; `corrected` mends them and accepts a world only if the target is the
            only referent and every clause is needed.
        seed: everything random follows from it.
        pools: what is divided into train, dev, test and held-out sets.
        tests: test sets made on purpose (B1, C1, C2).
        hold_out: what stays out of training.
        dev, test: shares of what is not held out.
        grid_size, fill, cap: cells along one side; random objects are added until there are `fill`; more than `cap` are never placed.
        any_facing: let the agent start facing anywhere, not only east.
        must_move: push and pull only where the object really moves.
    """

    name: str = "reascan"
    mode: Mode = "corrected"
    seed: int = 42
    pools: tuple[Pool, ...] = ()
    tests: tuple[Pool, ...] = ()
    hold_out: tuple[Rule, ...] = field(default=REASCAN)
    dev: float = 0.052
    test: float = 0.01
    grid_size: int = 6
    fill: int = 13
    cap: int = 16
    any_facing: bool = False
    must_move: bool = False

    def __post_init__(self) -> None:
        if self.mode not in ("compatible", "corrected"):
            raise RecipeError(f"unknown mode {self.mode!r}; known: compatible, corrected")
        if not 0 <= self.seed < 1 << 63:
            raise RecipeError(f"the seed must be between 0 and 2^63 - 1, got {self.seed}")
        if not self.pools:
            raise RecipeError("a recipe needs at least one pool of commands")
        names = [pool.name for pool in (*self.pools, *self.tests)]
        if len(set(names)) < len(names):
            raise RecipeError(f"two pools have the same name: {', '.join(names)}")
        if not 4 <= self.grid_size <= MAX_GRID:
            raise RecipeError(f"the grid size must be 4 to {MAX_GRID}, got {self.grid_size}")
        if not 1 <= self.fill <= self.cap <= min(MAX_OBJECTS, self.grid_size**2 - 1):
            raise RecipeError(
                f"fill and cap must satisfy 1 <= fill <= cap <= {min(MAX_OBJECTS, self.grid_size**2 - 1)}, "
                f"got fill {self.fill} and cap {self.cap}"
            )
        if self.dev < 0 or self.test < 0 or self.dev + self.test >= 1:
            raise RecipeError(f"dev and test must leave something for training, got {self.dev} and {self.test}")
        if len({rule.name for rule in self.hold_out}) < len(self.hold_out):
            raise RecipeError("two hold-outs have the same name")
        if len(self.hold_out) > 16:
            raise RecipeError(f"a dataset has at most 16 hold-outs, got {len(self.hold_out)}")
        known = {rule.name for rule in self.hold_out}
        for pool in self.tests:
            if pool.name not in known:
                raise RecipeError(f"the test set {pool.name!r} has no hold-out rule of that name")

    def to_dict(self) -> dict[str, object]:
        """The recipe as plain data."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]

    @property
    def digest(self) -> str:
        """A name for exactly this recipe."""
        return sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


def reascan(
    *,
    mode: Mode = "corrected",
    scale: Scale = "small",
    seed: int = 42,
    patterns: tuple[str, ...] = ("p1", "p2", "p3"),
    hold_out: tuple[Rule, ...] | None = None,
    random_only: bool = False,
) -> Recipe:
    """The recipe of ReaSCAN, at the size of the paper or small enough to be made in seconds.

    Args:
        mode: as the released generator, or corrected.
        scale: `paper` has 675 + 2,025 + 3,375 commands with 180 worlds each; `small` a few thousand examples in all.
        seed: everything random follows from it.
        patterns: which command patterns to train on.
        hold_out: what stays out of training, by default the paper's seven splits; `()` for plain random splits.
        random_only: only random distractors, as in the paper's 2-relative-clauses (RD).
    """
    if scale not in ("small", "paper"):
        raise RecipeError(f"unknown scale {scale!r}; known: small, paper")
    rules = REASCAN if hold_out is None else hold_out
    kinds: tuple[Distractors, ...] = ("random",) if random_only else DISTRACTORS
    sizes = _SIZES[scale]
    pools = tuple(_pool(name, sizes, kinds, random_only=random_only) for name in patterns)
    named = {rule.name for rule in rules}
    tests = tuple(_TESTS[scale][name] for name in ("b1", "c1", "c2") if name in named and "p3" in patterns and not random_only)
    generated = {"b1", "c1", "c2"} - {pool.name for pool in tests}
    rules = tuple(rule for rule in rules if rule.name not in generated or not rule.is_generated)
    # The released worlds hold up to 17 objects and are never cut short; the corrected ones keep the paper's promise of 16.
    return Recipe(mode=mode, seed=seed, pools=pools, tests=tests, hold_out=rules, cap=24 if mode == "compatible" else 16)


_SIZES: dict[str, dict[str, tuple[int, int]]] = {
    "small": {"p1": (675, 2), "p2": (300, 6), "p3": (500, 6)},
    "paper": {"p1": (675, 180), "p2": (2025, 180), "p3": (3375, 180)},
}
_TESTS: dict[str, dict[str, Pool]] = {
    "small": {
        "b1": Pool(name="b1", pattern="p3", commands=60, worlds=3, retries=200),
        "c1": Pool(name="c1", pattern="p4", commands=60, worlds=3, distractors=("relation", "random")),
        "c2": Pool(name="c2", pattern="chain", commands=60, worlds=3, retries=200),
    },
    "paper": {
        "b1": Pool(name="b1", pattern="p3", commands=3334, worlds=3, retries=200),
        "c1": Pool(name="c1", pattern="p4", commands=4000, worlds=3, distractors=("relation", "random")),
        "c2": Pool(name="c2", pattern="chain", commands=2668, worlds=3, retries=200),
    },
}


def _pool(name: str, sizes: Mapping[str, tuple[int, int]], kinds: tuple[Distractors, ...], *, random_only: bool) -> Pool:
    commands, worlds = sizes.get(name, sizes["p3"])
    return Pool(name=f"{name}-rd" if random_only else name, pattern=name, commands=commands, worlds=worlds, distractors=kinds)


def read_recipe(path: Path) -> Recipe:
    """The recipe in a TOML file; keys are the fields of `Recipe`, and `scale` and `patterns` start from the paper's recipe."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RecipeError(f"cannot read the recipe {path.name}: {error}") from error
    return recipe_from(table)


def recipe_from(table: Mapping[str, object]) -> Recipe:
    """The recipe that plain data describes (a parsed TOML file, or a manifest)."""
    table = dict(table)
    try:
        start = {key: table.pop(key) for key in ("mode", "scale", "seed") if key in table}
        if "patterns" in table:
            start["patterns"] = tuple(table.pop("patterns"))  # type: ignore[arg-type]
        if "pools" in table:
            start.pop("patterns", None)
        if "hold_out" in table:
            table["hold_out"] = tuple(_rule(entry) for entry in table["hold_out"])  # type: ignore[attr-defined]
            start["hold_out"] = table.pop("hold_out")
        for key in ("pools", "tests"):
            if key in table:
                table[key] = tuple(_read_pool(entry) for entry in table[key])  # type: ignore[attr-defined]
        unknown = set(table) - {f.name for f in fields(Recipe)}
        if unknown:
            raise RecipeError(f"unknown keys in the recipe: {', '.join(sorted(unknown))}")
        made = reascan(**start)  # type: ignore[arg-type]
        if "pools" in table and "hold_out" in start:
            table["hold_out"] = start["hold_out"]
        return replace(made, **table)  # type: ignore[arg-type]
    except (TypeError, AttributeError, KeyError) as error:
        raise RecipeError(f"the recipe does not make sense: {error}") from error


def _read_pool(entry: Mapping[str, object]) -> Pool:
    entry = dict(entry)
    if "distractors" in entry:
        entry["distractors"] = tuple(entry["distractors"])  # type: ignore[arg-type]
    return Pool(**entry)  # type: ignore[arg-type]


def _rule(entry: str | Mapping[str, object]) -> Rule:
    """A rule of the catalogue by its name, or one of the user's own."""
    if isinstance(entry, str):
        return find_rule(entry)
    entry = dict(entry)
    entry.setdefault("id", f"own/{entry.get('name', '')}")
    if "relations" in entry:
        entry["relations"] = tuple(entry["relations"])  # type: ignore[arg-type]
    return Rule(**entry)  # type: ignore[arg-type]
