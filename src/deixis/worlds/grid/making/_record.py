"""The record of a recipe for grid worlds, and what it demands of its pools, hold-outs and test sets."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeAlias

from deixis._numbers import is_number
from deixis.data.recipes import digest_of
from deixis.errors import RecipeError
from deixis.expression.patterns import P1, P2, PATTERNS, pattern
from deixis.worlds.grid.making.pool import MAX_EXAMPLES, Pool, demand_whole
from deixis.worlds.grid.splits.rules import REASCAN, Rule


Mode: TypeAlias = Literal["compatible", "corrected", "every-word", "gscan", "spatial"]
MODES: tuple[Mode, ...] = ("compatible", "corrected", "every-word", "gscan", "spatial")
Balance: TypeAlias = Literal["relations", "directions", "distances", "lengths", "situations"]
BALANCE: tuple[Balance, ...] = ("relations", "directions", "distances", "lengths", "situations")
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
