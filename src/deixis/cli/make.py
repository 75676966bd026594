"""`deixis make`: a dataset from a recipe."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from deixis.cli.options import Address, Count, Json, On, Place, Seed, Wait, names_in
from deixis.cli.places import PATIENCE_SECONDS, crew_for, delivered
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from typing import Any

    from deixis.datasets.crew import Crew
    from deixis.datasets.recipe import Recipe
    from deixis.datasets.store import Dataset
    from deixis.splits.rules import Rule


__all__ = ["gscan", "reascan", "run_recipe"]


def reascan(
    *,
    out: Place,
    mode: Literal["compatible", "corrected", "every-word"] | None = None,
    scale: Literal["small", "paper"] | None = None,
    seed: Seed | None = None,
    workers: Count | None = None,
    recipe: Path | None = None,
    patterns: str = "",
    hold_out: str = "",
    random_only: bool = False,
    any_facing: bool = False,
    must_move: bool = False,
    competitors: Count | None = None,
    exhaustive: bool = False,
    balance: str = "",
    grid_size: Count | None = None,
    cap: Count | None = None,
    on: On = "here",
    address: Address = "",
    cluster_wait: Wait = PATIENCE_SECONDS,
    as_json: Json = False,
) -> int:
    """Make a ReaSCAN dataset: commands, worlds with distractors, plans, splits and a proof that nothing leaks.

    What is finished is kept when making is interrupted; the same command goes on from there.

    Args:
        out: The folder for the dataset, or an address such as s3://bucket/folder.
        mode: As the released generator, corrected (the default), or so that no content word can be spared.
        scale: A few thousand examples (small, the default), or as many as the paper has.
        seed: Everything random follows from it; 42 by default.
        workers: How many threads; the result does not depend on it.
        recipe: A TOML file that says what to make, instead of the other options.
        patterns: The command patterns to train on, separated by commas; p1,p2,p3 by default.
        hold_out: What stays out of training, e.g. a1,a2, or none; the paper's seven splits by default.
        random_only: Only random distractors.
        any_facing: Let the agent start facing anywhere, not only east.
        must_move: Push and pull only where the object really moves; always so in the mode every-word.
        competitors: How many wrong objects must fit the command when any one word or clause is overlooked.
        exhaustive: One wrong object also for every other value that a word could be misread as.
        balance: What comes out even: relations, directions, distances, lengths; separated by commas.
        grid_size: Cells along one side; 6 by default.
        cap: The most objects a world may hold; 16 by default (24 in compatible mode).
        on: Work on this machine (here, the default), or on a Dask cluster; the result is the same.
        address: The scheduler of the cluster, e.g. tcp://10.0.0.1:8786; without it, processes are started here.
        cluster_wait: How many seconds to wait while the cluster has no worker; 60 by default.
        as_json: Print JSON instead of text.
    """
    if recipe is not None:
        given = {"--mode": mode, "--scale": scale, "--patterns": patterns, "--hold-out": hold_out}
        _refuse_with_recipe({**given, "--random-only": random_only})
        made = _from_file(recipe, seed)
    else:
        number = 42 if seed is None else seed
        made = _from_options(mode or "corrected", scale or "small", number, patterns, hold_out, random_only)
    changes: dict[str, Any] = {"any_facing": made.any_facing or any_facing, "must_move": made.must_move or must_move}
    changes |= {"exhaustive": made.exhaustive or exhaustive, "balance": names_in(balance) or made.balance}
    numbers = {"competitors": competitors, "grid_size": grid_size, "cap": cap}
    changes |= {name: value for name, value in numbers.items() if value is not None}
    with crew_for(on, address, workers=workers, wait=cluster_wait) as crew:
        return _make(replace(made, **changes), out, workers=workers, as_json=as_json, crew=crew)


def gscan(
    *,
    out: Place,
    scale: Literal["small", "paper"] = "small",
    seed: Seed = 42,
    workers: Count | None = None,
    on: On = "here",
    address: Address = "",
    cluster_wait: Wait = PATIENCE_SECONDS,
    as_json: Json = False,
) -> int:
    """Make a gSCAN-style dataset: simple commands, random distractors, yellow and red squares held out.

    It is there to be compared with: its words are often not needed, which `deixis audit` shows.

    Args:
        out: The folder for the dataset, or an address such as s3://bucket/folder.
        scale: About ten thousand examples (small, the default), or some hundred thousand as gSCAN has.
        seed: Everything random follows from it; 42 by default.
        workers: How many threads; the result does not depend on it.
        on: Work on this machine (here, the default), or on a Dask cluster; the result is the same.
        address: The scheduler of the cluster, e.g. tcp://10.0.0.1:8786; without it, processes are started here.
        cluster_wait: How many seconds to wait while the cluster has no worker; 60 by default.
        as_json: Print JSON instead of text.
    """
    from deixis.datasets import recipe

    with crew_for(on, address, workers=workers, wait=cluster_wait) as crew:
        return _make(recipe.gscan(scale=scale, seed=seed), out, workers=workers, as_json=as_json, crew=crew)


def _make(recipe: Recipe, out: Path | str, *, workers: int | None, as_json: bool, crew: Crew | None = None) -> int:
    with delivered(out, digest=recipe.digest) as folder:
        run = {**run_recipe(recipe, folder, workers=workers, crew=crew), "path": str(out)}
    if as_json:
        print_json(run)
    else:
        _print_summary(run)
    return 0


def run_recipe(recipe: Recipe, out: Path, *, workers: int | None = None, crew: Crew | None = None) -> dict[str, Any]:
    """Make the dataset of a recipe with progress on standard error; what came of it as plain values.

    Raises:
        KeyboardInterrupt: saying that the same command goes on from there.
    """
    from deixis.datasets.make import make
    from deixis.datasets.store import MANIFEST, PARTIAL

    complete = (out / MANIFEST).exists()
    begun = (out / PARTIAL / "recipe.json").exists() and not complete
    start = time.monotonic()
    try:
        with Stages(compiles=not complete) as progress:
            dataset = make(recipe, out, workers=workers, progress=progress, crew=crew)
    except KeyboardInterrupt:
        message = f"stopped; what is finished is kept in {out}, the same command goes on from there"
        raise KeyboardInterrupt(message) from None
    return _outcome(dataset, seconds=time.monotonic() - start, complete=complete, begun=begun)


def _outcome(dataset: Dataset, *, seconds: float, complete: bool, begun: bool) -> dict[str, Any]:
    manifest = dataset.manifest
    sizes: dict[str, int] = {}
    for entry in manifest["files"]:
        for split in entry["split"].split("+"):
            sizes[split] = sizes.get(split, 0) + entry["bytes"]
    return {
        "path": str(dataset.path),
        "was complete": complete,
        "was resumed": begun,
        "examples": manifest["examples"],
        "splits": {split: size for split, size in dataset.splits.items() if size},
        "bytes": sum(entry["bytes"] for entry in manifest["files"]),
        "bytes by split": sizes,
        "seconds": round(seconds, 3),
        "recipe digest": manifest["recipe digest"],
        "content": manifest["content"],
    }


def _from_file(path: Path, seed: int | None) -> Recipe:
    from deixis.datasets.recipe import read_recipe

    made = read_recipe(path)
    return made if seed is None else replace(made, seed=seed)


def _from_options(
    mode: Literal["compatible", "corrected", "every-word"],
    scale: Literal["small", "paper"],
    seed: int,
    patterns: str,
    hold_out: str,
    random_only: bool,
) -> Recipe:
    from deixis.datasets import recipe

    rules = _rules(hold_out)
    names = names_in(patterns) or ("p1", "p2", "p3")
    made = recipe.reascan(mode=mode, scale=scale, seed=seed, patterns=names, hold_out=rules, random_only=random_only)
    lost = {rule.name for rule in rules or ()} - {rule.name for rule in made.hold_out}
    if lost:
        raise RecipeError(
            f"the hold-outs {', '.join(sorted(lost))} are made from p3 with all distractors; "
            "add p3 to --patterns and leave out --random-only, or hold out something else"
        )
    return made


def _rules(names: str) -> tuple[Rule, ...] | None:
    from deixis.splits.catalogue import find_rule

    if not names:
        return None
    return () if names.strip().lower() == "none" else tuple(find_rule(name) for name in names_in(names))


def _refuse_with_recipe(options: dict[str, object]) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise RecipeError(f"{', '.join(given)} cannot be combined with --recipe; write it into the recipe")


def _print_summary(run: dict[str, Any]) -> None:
    path = run["path"]
    if run["was complete"]:
        print(f"{path} is already complete: {run['examples']:,} examples made from the same recipe; nothing to do.")
        return
    rows = [(split, f"{size:,}", f"{run['bytes by split'][split] / size:.0f}") for split, size in run["splits"].items()]
    total = ("all", f"{run['examples']:,}", f"{run['bytes'] / run['examples']:.0f}")
    print_table(("split", "examples", "bytes per example"), (*rows, total), numbers=(1, 2))
    went_on = ", going on from what was kept" if run["was resumed"] else ""
    print(f"Made {run['examples']:,} examples in {run['seconds']:.1f} seconds in {path}{went_on}.")
    print(f"Next: deixis check {path}")
