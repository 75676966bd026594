"""The recipe of a dataset: the frozen configuration that its manifest records.

The configuration of a dataset is this tree of records itself; a TOML file is one-to-one with it. Two datasets that one
version of deixis makes from equal recipes are equal byte for byte.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from deixis._numbers import is_number
from deixis.data.recipes import digest_of
from deixis.errors import DeixisError, RecipeError
from deixis.expression.patterns import P1, P2, PATTERNS, pattern
from deixis.worlds.grid.making.pool import DISTRACTORS, MAX_EXAMPLES, Distractors, Pool, Says, demand_whole
from deixis.worlds.grid.splits.partition import Fractions
from deixis.worlds.grid.splits.rules import (
    GSCAN,
    GSCAN_LENGTHS,
    GSCAN_SPATIAL,
    REASCAN,
    REASCAN_ASIDE,
    Case,
    Rule,
    find_rule,
)


if TYPE_CHECKING:
    from pathlib import Path


__all__ = [
    "BALANCE",
    "DISTRACTORS",
    "MODES",
    "Balance",
    "Distractors",
    "GscanSplits",
    "Mode",
    "Pool",
    "Recipe",
    "Scale",
    "every_word_mixture",
    "gscan",
    "read_recipe",
    "reascan",
    "recipe_from",
]

Mode: TypeAlias = Literal["compatible", "corrected", "every-word", "gscan", "spatial"]
MODES: tuple[Mode, ...] = ("compatible", "corrected", "every-word", "gscan", "spatial")
Balance: TypeAlias = Literal["relations", "directions", "distances", "lengths", "situations"]
BALANCE: tuple[Balance, ...] = ("relations", "directions", "distances", "lengths", "situations")
GscanSplits: TypeAlias = Literal["compositional", "lengths", "spatial"]
Scale: TypeAlias = Literal["small", "medium", "paper"]
MAX_GRID, MAX_OBJECTS, MAX_HOLD_OUTS = 16, 48, 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The recipe of a ReaSCAN dataset.

    Attributes:
        name: what to call it.
        mode: `compatible` repeats the released generator, faults included; `corrected` mends them and accepts a world
            only if the target is the only referent and every clause is needed; `every-word` accepts one only if no
            content word can be spared either; `gscan` makes simple commands with random distractors as gSCAN does;
            `spatial` makes gSCAN's commands with a spatial relation.
        seed: everything random follows from it.
        pools: what is divided into train, dev, test and held-out sets.
        tests: test sets made on purpose (B1, C1, C2).
        hold_out: what stays out of training.
        dev, test: shares of what is not held out.
        grid_size, fill, cap: cells along one side; random objects are added until there are `fill`; more than `cap` are
            never placed.
        any_facing: let the agent start facing anywhere, not only east.
        must_move: push and pull only where the object really moves; by default only in the mode `every-word`.
        competitors: how many wrong objects must fit the command when any one content word or clause is overlooked.
        exhaustive: whether one must fit it also for every other value that a word could be misread as.
        balance: what comes out even instead of as it happens: combinations of relations over the commands (always so in
            the modes `corrected` and `every-word`); over the worlds of a command the directions in which the agent sees
            the target, their distances, and the lengths of the plans; or `situations`, directions and distances as
            often as gSCAN has them.
        blocked: the share of pushes and pulls that move nothing; all others really move. By default that is as it
            happens, or as `must_move` says.
        overlaps_aside: set aside what several rules hold out, as gSCAN does, instead of testing it in each of the sets.
    """

    name: str = "reascan"
    mode: Mode = "corrected"
    seed: int = 42
    pools: tuple[Pool, ...] = ()
    tests: tuple[Pool, ...] = ()
    hold_out: tuple[Rule, ...] = field(default=tuple(rule for rule in REASCAN if not rule.is_generated))
    dev: float = 0.052
    test: float = 0.01
    grid_size: int = 6
    fill: int = 13
    cap: int = 16
    any_facing: bool = False
    must_move: bool | None = None
    competitors: int = 0
    exhaustive: bool = False
    balance: tuple[Balance, ...] = ()
    blocked: float | None = None
    overlaps_aside: bool = False

    def __post_init__(self) -> None:
        name: object = self.name
        if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= 100:
            raise RecipeError(f"a dataset has a name of one line, at most 100 letters long, got {str(name)[:100]!r}")
        if self.mode not in MODES:
            raise RecipeError(f"unknown mode {self.mode!r}; known: {', '.join(MODES)}")
        if self.must_move is None:
            object.__setattr__(self, "must_move", self.mode == "every-word")
        demand_whole("seed", self.seed, 0, (1 << 63) - 1)
        for name in ("any_facing", "must_move", "exhaustive", "overlaps_aside"):
            if not isinstance(getattr(self, name), bool):
                raise RecipeError(f"{name} is true or false, got {getattr(self, name)!r}")
        self._check_board()
        self._check_shares()
        self._check_pools()
        self._check_hold_outs()

    def _check_board(self) -> None:
        demand_whole("grid_size", self.grid_size, 4, MAX_GRID)
        most = min(MAX_OBJECTS, self.grid_size**2 - 1)
        demand_whole("cap", self.cap, 1, most)
        demand_whole("fill", self.fill, 1, MAX_OBJECTS)
        if self.fill > self.cap:
            raise RecipeError(
                f"random objects are added up to fill, {self.fill}, but cap allows {self.cap}; lower fill"
            )
        demand_whole("competitors", self.competitors, 0, self.cap)
        unknown = set(self.balance) - set(BALANCE)
        if unknown:
            raise RecipeError(f"cannot balance {', '.join(sorted(map(str, unknown)))}; known: {', '.join(BALANCE)}")

    def _check_shares(self) -> None:
        for name in ("dev", "test"):
            share = getattr(self, name)
            if not is_number(share) or share < 0:
                raise RecipeError(f"the share of {name} must be between 0 and 1, got {share!r}")
        if self.blocked is not None and (not is_number(self.blocked) or not 0 <= self.blocked <= 1):
            raise RecipeError(f"the share of blocked pushes and pulls must be between 0 and 1, got {self.blocked!r}")
        if self.dev + self.test >= 1:
            raise RecipeError(f"dev and test must leave something for training, got {self.dev} and {self.test}")

    def _check_pools(self) -> None:
        if not self.pools:
            raise RecipeError("a recipe needs at least one pool of commands")
        pools = (*self.pools, *self.tests)
        names = [pool.name for pool in pools]
        if len(set(names)) < len(names):
            raise RecipeError(f"two pools have the same name: {', '.join(names)}")
        total = sum(pool.commands * pool.worlds for pool in pools)
        if total > MAX_EXAMPLES:
            raise RecipeError(f"the pools ask for {total:,} examples; at most {MAX_EXAMPLES:,} are made")
        for pool in pools:
            if len(pattern(pool.pattern)) > self.cap:
                raise RecipeError(
                    f"cap allows worlds of {self.cap} objects, but commands of the pattern {pool.pattern} (pool "
                    f"{pool.name!r}) mention {len(pattern(pool.pattern))}; raise cap or choose other patterns"
                )
        for pool in pools:
            self._check_form(pool)
        for pool in pools if self.mode == "compatible" else ():
            if pattern(pool.pattern).name not in PATTERNS:
                raise RecipeError(
                    f"the released generator never made commands of the pattern {pool.pattern!r} (pool {pool.name!r}); "
                    f"use {', '.join(PATTERNS)}, or the corrected mode"
                )

    def _check_form(self, pool: Pool) -> None:
        """Raise an error for a pool that the mode has no commands or distractors for."""
        form, wanted = pattern(pool.pattern), {"gscan": P1, "spatial": P2}.get(self.mode)
        if wanted is P1 and form != P1:
            raise RecipeError(f"gSCAN has simple commands only: pool {pool.name!r} must have the pattern p1")
        if wanted is P2 and form != P2:
            raise RecipeError(f"commands with a spatial relation have one clause: pool {pool.name!r} must be p2")
        if pool.free_sizes and self.mode != "compatible":
            raise RecipeError(f"free_sizes is for the compatible mode only: pool {pool.name!r}, mode {self.mode!r}")

    def _check_hold_outs(self) -> None:
        rules = {rule.name: rule for rule in self.hold_out}
        if len(rules) < len(self.hold_out):
            raise RecipeError("two hold-outs have the same name")
        if len(rules) > MAX_HOLD_OUTS:
            raise RecipeError(f"a dataset has at most {MAX_HOLD_OUTS} hold-outs, got {len(rules)}")
        for pool in self.tests:
            if pool.name not in rules:
                raise RecipeError(f"the test set {pool.name!r} has no hold-out rule of that name")
            _demand_makeable(rules[pool.name], pool)
        made = {pool.name for pool in self.tests}
        patterns = {pattern(pool.pattern).name for pool in self.pools}
        for rule in self.hold_out:
            if rule.name not in made and (rule.new_phrases or (rule.pattern and rule.pattern not in patterns)):
                raise RecipeError(f"the hold-out {rule.name!r} needs a test pool of that name in the recipe")

    @property
    def dataset(self) -> str:
        """The name of what is made."""
        return "gscan" if self.mode in ("gscan", "spatial") else "reascan"

    def to_dict(self) -> dict[str, object]:
        """Return the recipe as plain data, the inverse of `recipe_from`."""
        plain: dict[str, object] = json.loads(json.dumps(asdict(self)))
        return plain

    @property
    def digest(self) -> str:
        """A name for exactly this recipe."""
        return digest_of(self.to_dict())


def _demand_makeable(rule: Rule, pool: Pool) -> None:
    """An error unless commands of a pool can be what a rule holds out."""
    if not rule.is_generated:
        raise RecipeError(
            f"no test set can be made on purpose for {rule.id}: it names neither a pattern nor new phrases"
        )
    if rule.pattern and pattern(pool.pattern).name != rule.pattern:
        raise RecipeError(
            f"the test pool {pool.name!r} has the pattern {pool.pattern!r}, but {rule.id} {rule.pattern!r}"
        )


def reascan(
    *,
    mode: Mode = "corrected",
    scale: Scale = "small",
    seed: int = 42,
    patterns: tuple[str, ...] = ("p1", "p2", "p3"),
    hold_out: tuple[Rule, ...] | None = None,
    random_only: bool = False,
) -> Recipe:
    """Return the recipe of ReaSCAN, at the size of the paper or small enough to be made in seconds.

    Args:
        mode: as the released generator, or corrected.
        scale: `paper` has 675 + 2,025 + 3,375 commands with 180 worlds each; `medium` some 120,000 examples in all,
            with dev and test of a twentieth each; `small` a few thousand.
        seed: everything random follows from it.
        patterns: which command patterns to train on.
        hold_out: what stays out of training, by default the paper's seven splits and, in compatible mode, the two
            further sets that the authors keep out; `()` for plain random splits. Of those made on purpose, B1, C1 and
            C2, the ones that need other patterns or distractors are left out.
        random_only: only random distractors, as in the paper's 2-relative-clauses (RD).
    """
    if scale not in _SIZES:
        raise RecipeError(f"unknown scale {scale!r}; known: {', '.join(_SIZES)}")
    is_compatible = mode == "compatible"
    rules = hold_out if hold_out is not None else (*REASCAN, *REASCAN_ASIDE) if is_compatible else REASCAN
    named = {rule.name for rule in rules if rule.is_generated} if "p3" in patterns and not random_only else set()
    tests = tuple(_test_pool(pool, is_compatible) for pool in _TESTS[scale] if pool.name in named)
    unmade = {pool.name for pool in _TESTS[scale]} - named
    return Recipe(
        mode=mode,
        seed=seed,
        pools=tuple(_pool(name, scale, random_only=random_only) for name in patterns),
        tests=tests,
        hold_out=tuple(rule for rule in rules if not (rule.is_generated and rule.name in unmade)),
        cap=_CAPS.get(mode, 16),
        balance=("relations",) if mode == "every-word" else (),
        dev=_SHARES[scale].dev,
        test=_SHARES[scale].test,
    )


def gscan(*, splits: GscanSplits = "compositional", scale: Scale = "small", seed: int = 42, shots: int = 1) -> Recipe:
    """Return the recipe of gSCAN: its compositional splits, its target lengths, or its spatial relations.

    Every kind of object that a command may mean has as many worlds, and directions and distances are as frequent as in
    the release. What several rules hold out is in no test set.

    Args:
        splits: `compositional` has the hold-outs B to H, `lengths` plans of more than 15 actions on a larger grid,
            `spatial` the relations of Qiu et al. 2021 with five hold-outs.
        scale: `paper` makes as many examples as were published; `medium` some hundred thousand; `small` some thousand.
        seed: everything random follows from it.
        shots: how many commands with 'cautiously' are in train (compositional only).
    """
    if scale not in _SIZES:
        raise RecipeError(f"unknown scale {scale!r}; known: {', '.join(_SIZES)}")
    if splits not in _GSCAN:
        raise RecipeError(f"unknown splits {splits!r} of gSCAN; known: {', '.join(_GSCAN)}")
    chosen = _GSCAN[splits]
    rules = tuple(replace(rule, shots=shots) if rule.name == "cautiously" else rule for rule in chosen.rules)
    return Recipe(
        name="gscan" if splits == "compositional" else f"gscan-{splits}",
        mode=chosen.mode,
        seed=seed,
        pools=tuple(_gscan_pool(chosen, says, scale) for says in _KINDS_MEANT),
        hold_out=rules,
        dev=chosen.shares.dev,
        test=chosen.shares.test,
        grid_size=chosen.grid_size,
        cap=chosen.cap,
        fill=chosen.cap,
        balance=("situations",),
        overlaps_aside=True,
    )


class _Gscan(NamedTuple):
    """One of the releases of gSCAN.

    Attributes:
        commands: how many commands say nothing but the noun, for a noun that does not matter.
        worlds: by scale, how many worlds every kind of object has that a command may mean.
        thinned: by scale, of how many commands one is made.
        shares: of dev and test, of what is not held out, before what equals an example of train was dropped.
    """

    mode: Mode
    rules: tuple[Rule, ...]
    adverbs: bool
    commands: dict[Says, int]
    worlds: dict[str, int]
    thinned: dict[str, int]
    shares: Fractions
    grid_size: int = 6
    cap: int = 16


_KINDS_MEANT: dict[Says, int] = {"noun": 16, "color": 4, "size": 12, "size color": 3}  # by what a phrase says
_GSCAN: dict[GscanSplits, _Gscan] = {
    "compositional": _Gscan(
        "gscan",
        GSCAN,
        adverbs=True,
        commands={"noun": 45, "color": 180, "size": 90, "size color": 360},
        worlds={"small": 3, "medium": 30, "paper": 232},
        thinned={"small": 1, "medium": 1, "paper": 1},
        shares=Fractions(0.009, 0.1),
    ),
    "lengths": _Gscan(
        "gscan",
        GSCAN_LENGTHS,
        adverbs=False,
        commands={"noun": 9, "color": 36, "size": 18, "size color": 72},
        worlds={"small": 12, "medium": 140, "paper": 592},
        thinned={"small": 1, "medium": 1, "paper": 1},
        shares=Fractions(0.008, 0.2),
        grid_size=12,
    ),
    "spatial": _Gscan(
        "spatial",
        GSCAN_SPATIAL,
        adverbs=False,
        commands={"noun": 3564, "color": 14256, "size": 7128, "size color": 28512},
        worlds={"small": 1, "medium": 1, "paper": 2},
        thinned={"small": 24, "medium": 3, "paper": 1},
        shares=Fractions(0.009, 0.1),
        cap=18,
    ),
}


def _gscan_pool(chosen: _Gscan, says: Says, scale: Scale) -> Pool:
    commands = max(1, chosen.commands[says] // chosen.thinned[scale])
    worlds = chosen.worlds[scale] * _KINDS_MEANT[says]
    form = "p2" if chosen.mode == "spatial" else "p1"
    name = says.replace(" ", "-")
    return Pool(name=name, pattern=form, commands=commands, worlds=worlds, says=says, adverbs=chosen.adverbs)


_SIZES: dict[str, dict[str, tuple[int, int]]] = {
    "small": {"p1": (675, 2), "p2": (300, 6), "p3": (500, 6)},
    "medium": {"p1": (675, 30), "p2": (1000, 40), "p3": (1500, 40)},
    "paper": {"p1": (675, 180), "p2": (2025, 180), "p3": (3375, 180)},
}
_SHARES = {"small": Fractions(), "medium": Fractions(0.05, 0.05), "paper": Fractions()}  # by default as released
_TESTS: dict[str, tuple[Pool, ...]] = {
    "small": (
        Pool(name="b1", pattern="p3", commands=60, worlds=3, retries=200),
        Pool(name="c1", pattern="p4", commands=60, worlds=3, distractors=("relation", "random")),
        Pool(name="c2", pattern="chain", commands=60, worlds=3, retries=200),
    ),
    "medium": (
        Pool(name="b1", pattern="p3", commands=700, worlds=3, retries=200),
        Pool(name="c1", pattern="p4", commands=700, worlds=3, distractors=("relation", "random")),
        Pool(name="c2", pattern="chain", commands=700, worlds=3, retries=200),
    ),
    "paper": (
        Pool(name="b1", pattern="p3", commands=3334, worlds=3, retries=200),
        Pool(name="c1", pattern="p4", commands=4000, worlds=3, distractors=("relation", "random")),
        Pool(name="c2", pattern="chain", commands=2668, worlds=3, retries=200),
    ),
}
# The released worlds hold up to 17 objects and are never cut short; the corrected ones keep the paper's promise of 16.
_CAPS = {"compatible": 24, "corrected": 16, "spatial": 18}


def every_word_mixture(name: str, *, seed: int) -> Recipe:
    """Return a recipe of some hundred commands whose every word is needed, with held-out sets, made in seconds."""
    return Recipe(
        name=name,
        mode="every-word",
        seed=seed,
        pools=(
            Pool(name="p1", pattern="p1", commands=100, worlds=2),
            Pool(name="p2", pattern="p2", commands=60, worlds=3),
            Pool(name="p3", pattern="p3", commands=100, worlds=3),
        ),
        tests=(
            Pool(name="b1", pattern="p3", commands=12, worlds=2, retries=200),
            Pool(name="c1", pattern="p4", commands=12, worlds=2, distractors=("relation", "random")),
            Pool(name="c2", pattern="chain", commands=12, worlds=2, retries=200),
        ),
        hold_out=REASCAN,
        dev=0.1,
        test=0.1,
        balance=("relations",),
    )


def _test_pool(pool: Pool, is_compatible: bool) -> Pool:
    """Return a test pool as the mode has it: the code with which B1 was added leaves sizes free, C1 was made before."""
    return replace(pool, free_sizes=True) if is_compatible and pool.name == "b1" else pool


def _pool(name: str, scale: Scale, *, random_only: bool) -> Pool:
    pattern(name)
    commands, worlds = _SIZES[scale].get(name, _SIZES[scale]["p3"])
    if random_only:
        return Pool(
            name=f"{_file_name(name)}-rd", pattern=name, commands=commands, worlds=worlds, distractors=("random",)
        )
    return Pool(name=_file_name(name), pattern=name, commands=commands, worlds=worlds)


def _file_name(name: str) -> str:
    """Return a name for the pool of a pattern: its own, or its marks spelled out ('^ & ^' becomes that-and-that)."""
    if name in PATTERNS:
        return name
    return "-".join("that" if mark == "^" else "and" for mark in re.findall(r"[\^&]", name))


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
    table.setdefault("cap", _CAPS.get(table.get("mode", "corrected"), 16))
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
