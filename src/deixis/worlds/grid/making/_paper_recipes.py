"""The recipes of the papers: ReaSCAN and gSCAN in three sizes, and a small mixture whose every word is needed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal, NamedTuple, TypeAlias

from deixis.errors import RecipeError
from deixis.expression.patterns import PATTERNS, pattern
from deixis.worlds.grid.making._record import Mode, Recipe
from deixis.worlds.grid.making.pool import Pool, Says
from deixis.worlds.grid.splits.partition import Fractions
from deixis.worlds.grid.splits.rules import GSCAN, GSCAN_LENGTHS, GSCAN_SPATIAL, REASCAN, REASCAN_ASIDE, Rule


GscanSplits: TypeAlias = Literal["compositional", "lengths", "spatial"]
Scale: TypeAlias = Literal["small", "medium", "paper"]


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
        cap=CAPS.get(mode, 16),
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
CAPS = {"compatible": 24, "corrected": 16, "spatial": 18}


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
