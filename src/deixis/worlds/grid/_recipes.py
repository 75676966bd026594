"""Part `recipes` of the grid: what `deixis make reascan` and `deixis make gscan` can be told, and who makes it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from deixis._options import names_in
from deixis.errors import RecipeError
from deixis.worlds.grid.making import recipe as making
from deixis.worlds.grid.making.recipe import MODES, Pool, Recipe, every_word_mixture, read_recipe, recipe_from
from deixis.worlds.grid.splits.rules import find_rule


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.data._crew import Crew, Progress
    from deixis.data.store import Dataset
    from deixis.report.output import Output
    from deixis.worlds.grid.splits.rules import Rule


MOST_COMMANDS, MOST_WORLDS = 200, 3  # of a pool of a fresh test set: enough to ask about
DEV = TEST = 0.1


def reascan(  # noqa: PLR0913 (each is an option)
    *,
    mode: Literal["compatible", "corrected", "every-word"] | None = None,
    scale: Literal["small", "medium", "paper"] | None = None,
    seed: int | None = None,
    recipe: Path | None = None,
    patterns: str = "",
    hold_out: str = "",
    random_only: bool = False,
    any_facing: bool = False,
    must_move: bool = False,
    competitors: int | None = None,
    exhaustive: bool = False,
    balance: str = "",
    blocked: float | None = None,
    grid_size: int | None = None,
    cap: int | None = None,
) -> Recipe:
    """ReaSCAN: commands, worlds with distractors, plans, splits and a proof that nothing leaks.

    Args:
        mode: Like the released generator (compatible), without its faults (corrected, the default), or with every
            content word needed (every-word).
        scale: A few thousand examples (small, the default), some 120,000 with larger dev and test (medium), or as
            many as the paper has.
        seed: Random seed; 42 by default.
        recipe: A TOML file that says what to make, instead of the other options.
        patterns: The command patterns to train on, separated by commas; p1,p2,p3 by default.
        hold_out: Sets to hold out of training, e.g. a1,a2, or none; the paper's seven splits by
            default, in compatible mode also what else the authors keep out.
        random_only: Only random distractors.
        any_facing: Let the agent start facing anywhere, not only east.
        must_move: Push and pull only where the object really moves; always so in the mode every-word.
        competitors: Least number of wrong objects that fit the command if any one word or clause is ignored.
        exhaustive: Also a distractor for every other value of each word.
        balance: Properties to balance, separated by commas: relations, directions, distances, lengths.
        blocked: Share of pushes and pulls that move nothing, e.g. 0.2; by default left to chance, and 0 in the mode
            every-word.
        grid_size: Cells along one side; 6 by default.
        cap: Largest number of objects in a world; 16 by default (24 in compatible mode). Random objects are added until
            there are 13, or as many as the cap.
    """
    if recipe is not None:
        given = {"--mode": mode, "--scale": scale, "--patterns": patterns, "--hold-out": hold_out}
        named = [name for name, value in {**given, "--random-only": random_only}.items() if value]
        if named:
            raise RecipeError(f"{', '.join(named)} cannot be combined with --recipe; write it into the recipe")
        made = read_recipe(recipe)
        made = made if seed is None else replace(made, seed=seed)
    else:
        number = 42 if seed is None else seed
        made = _from_options(mode or "corrected", scale or "small", number, patterns, hold_out, random_only)
    changes: dict[str, Any] = {"any_facing": made.any_facing or any_facing, "must_move": made.must_move or must_move}
    changes |= {"exhaustive": made.exhaustive or exhaustive, "balance": names_in(balance) or made.balance}
    numbers = {"competitors": competitors, "grid_size": grid_size, "cap": cap, "blocked": blocked}
    changes |= {name: value for name, value in numbers.items() if value is not None}
    changes |= {"fill": min(made.fill, cap)} if cap is not None else {}
    return replace(made, **changes)


def _from_options(
    mode: Literal["compatible", "corrected", "every-word"],
    scale: Literal["small", "medium", "paper"],
    seed: int,
    patterns: str,
    hold_out: str,
    random_only: bool,
) -> Recipe:
    rules = _rules(hold_out)
    names = names_in(patterns) or ("p1", "p2", "p3")
    made = making.reascan(mode=mode, scale=scale, seed=seed, patterns=names, hold_out=rules, random_only=random_only)
    lost = {rule.name for rule in rules or ()} - {rule.name for rule in made.hold_out}
    if lost:
        raise RecipeError(
            f"the hold-outs {', '.join(sorted(lost))} are made from p3 with all distractors; "
            "add p3 to --patterns and leave out --random-only, or hold out something else"
        )
    return made


def _rules(names: str) -> tuple[Rule, ...] | None:
    if not names:
        return None
    return () if names.strip().lower() == "none" else tuple(find_rule(name) for name in names_in(names))


def gscan(
    *,
    splits: Literal["compositional", "lengths", "spatial"] = "compositional",
    scale: Literal["small", "medium", "paper"] = "small",
    seed: int = 42,
    shots: int | None = None,
) -> Recipe:
    """GSCAN: simple commands, random distractors, and all that its authors hold out.

    Args:
        splits: What is held out: the compositional splits B to H, plans of more than 15 actions (lengths), or five
            sets of commands with a spatial relation such as 'a circle north of a square' (spatial).
        scale: Some thousand examples (small, the default), a hundred thousand (medium), or as many as were published
            (paper).
        seed: Random seed; 42 by default.
        shots: How many examples with 'cautiously' are in train, 1 by default; only for the compositional splits.
    """
    if shots is not None and splits != "compositional":
        raise RecipeError(f"--shots is for the compositional splits only, not for --splits {splits}")
    return making.gscan(splits=splits, scale=scale, seed=seed, shots=1 if shots is None else shots)


datasets = {"reascan": reascan, "gscan": gscan}


def make(
    recipe: Recipe,
    out: Path,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    crew: Crew | None = None,
) -> Dataset:
    """Make the dataset of a recipe, see `deixis.worlds.grid.making.make`."""
    from deixis.worlds.grid.making.make import make as run

    return run(recipe, out, workers=workers, progress=progress, crew=crew)


def fresh(seed: int, *, like: Mapping[str, Any] | None = None) -> Recipe:
    """Return a recipe of fresh commands, so that nothing in them can have been memorised.

    Args:
        seed: everything random follows from it.
        like: a recipe, which is used with smaller pools; by default a mixture of the paper's patterns, with its
            held-out sets, in which no word can be spared.
    """
    if like is None:
        return every_word_mixture("fresh", seed=seed)
    recipe = recipe_from(like)
    pools, tests = (tuple(map(_smaller, some)) for some in (recipe.pools, recipe.tests))
    return replace(recipe, seed=seed, pools=pools, tests=tests, dev=DEV, test=TEST)


def _smaller(pool: Pool) -> Pool:
    return replace(pool, commands=min(pool.commands, MOST_COMMANDS), worlds=min(pool.worlds, MOST_WORLDS))


def demo(seed: int = 42) -> Recipe:
    """Return some hundred commands of which no word can be spared, with the paper's held-out sets."""
    return every_word_mixture("demo", seed=seed)


def demonstrate(out: Path, *, seed: int, workers: int | None, progress: Progress) -> Output:
    """Make a small dataset, check and audit it, and write a report, see `report.demo`."""
    from deixis.worlds.grid._report import demo as shown

    return shown.demonstrate(out, seed=seed, workers=workers, progress=progress)


def warm() -> int:
    """Compile the kernels by making, checking and auditing a few examples of every mode, and return their number."""
    from deixis._kernels.attention import compile_attention
    from deixis.worlds.grid._audit.run import audit_tables
    from deixis.worlds.grid.checks._run import check_dataset

    compile_attention()
    rows = 0
    with TemporaryDirectory(prefix="deixis-warm-") as folder:
        for mode in MODES:
            names = {"gscan": ("p1",), "spatial": ("p2",)}.get(mode, ("p1", "p2", "p3"))
            pools = tuple(Pool(name=name, pattern=name, commands=2, worlds=1) for name in names)
            dataset = make(Recipe(mode=mode, pools=pools, hold_out=()), Path(folder) / mode, workers=1)
            rows += check_dataset(dataset).rows
            audit_tables(dataset.tables())
    return rows
