"""A small dataset of each of the three worlds, for those who want to look before they have anything of their own.

Beside the grid worlds lie the results of two that need no training: one says random plans, one understands everything.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from deixis._version import __version__
from deixis.datasets.a3ds import A3dsRecipe, make_a3ds
from deixis.datasets.asked import asked_in, data_digest
from deixis.datasets.baselines import oracle_plans, random_plans
from deixis.datasets.copsref.make import CopsRefRecipe, make_copsref
from deixis.datasets.copsref.store import is_copsref, open_copsref
from deixis.datasets.make import make
from deixis.datasets.plans import write_verdicts
from deixis.datasets.recipe import every_word_mixture
from deixis.datasets.sources import open_source
from deixis.datasets.store import replacing_file
from deixis.metrics.navigation import evaluate_plans


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.datasets.recipe import Recipe
    from deixis.metrics.plan_verdicts import Asked, Plans


__all__ = ["demo_folder", "make_demo"]

GRID, ROOMS, PHOTOGRAPHS, RESULTS = "grid-worlds", "3d-shapes", "photographs", "results"  # the folders
EVALUATION = "evaluation.json"
READERS = ("oracle", "random")
JUDGED = ("test", "a1", "a2", "a3", "b1", "b2", "c1", "c2")


def make_demo(
    out: Path, *, seed: int = 42, workers: int = 1, progress: Callable[[str, int, int | None], None] | None = None
) -> Path:
    """Make the three datasets in a folder, or use those that are there; the folder.

    Args:
        out: the folder.
        seed: everything random follows from it.
        workers: how many threads or processes; the result does not depend on it.
        progress: told how far every stage has come.
    """
    out.mkdir(parents=True, exist_ok=True)
    tell = progress or (lambda *_: None)
    make(grid_recipe(seed), out / GRID, workers=workers, progress=tell)
    make_a3ds(A3dsRecipe(captions=(), test_sets=True, seed=seed), out / ROOMS, workers=workers, progress=tell)
    photographs = out / PHOTOGRAPHS
    if is_copsref(photographs):
        open_copsref(photographs)  # which complains when it is not whole
    else:
        recipe = CopsRefRecipe(seed=seed, images=120, val=0, test=0.75, each=2)
        make_copsref(recipe, photographs, workers=workers, progress=tell)
    if not all((out / RESULTS / name / EVALUATION).exists() for name in READERS):
        _judge(out / GRID, out / RESULTS, seed=seed)
    return out


def _judge(data: Path, out: Path, *, seed: int) -> None:
    """Judge what the two readers make of the commands."""
    source = open_source(data)
    asked = asked_in(source, (split for split in JUDGED if (source.splits or {}).get(split)))
    for name in READERS:
        plans = {split: _plans(name, some, seed) for split, some in asked.items()}
        evaluation, verdicts = evaluate_plans(asked, plans, data=data.name, digest=data_digest(source))
        (out / name).mkdir(parents=True, exist_ok=True)
        write_verdicts(out / name / "verdicts.parquet", asked, verdicts)
        with replacing_file(out / name / EVALUATION) as draft:
            text = json.dumps({"deixis": __version__, **evaluation.to_dict()}, indent=1, ensure_ascii=False)
            draft.write_text(text + "\n", encoding="utf-8")


def _plans(reader: str, asked: Asked, seed: int) -> Plans:
    return random_plans(asked, seed=seed) if reader == "random" else oracle_plans(asked)


def grid_recipe(seed: int) -> Recipe:
    """Some hundred commands of which no word can be spared, with the paper's held-out sets."""
    return every_word_mixture("demo", seed=seed)


def demo_folder(seed: int = 42) -> Path:
    """Where the demo is kept between visits: in the user's folder for what can be made again."""
    home = Path.home()
    match sys.platform:
        case "win32":
            caches = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
        case "darwin":
            caches = home / "Library" / "Caches"
        case _:
            caches = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return caches / "deixis" / f"studio-demo-{seed}"
