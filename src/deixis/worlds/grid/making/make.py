"""Making a dataset: pools of worlds, the partition, the test sets made on purpose, the proof, the files.

Nothing here depends on the number of workers: shards are pure functions of the recipe, they are taken in the order of
their numbers, and every file is written from rows whose order is fixed.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deixis._losses import Losses
from deixis.data._crew import count_workers, tell_nobody
from deixis.data._resumable import make_in
from deixis.data._split_names import names_in_split
from deixis.data.card import write_card
from deixis.data.recipes import begin_manifest
from deixis.errors import RecipeError
from deixis.expression.patterns import C1, pattern
from deixis.worlds.grid.making._instructions import instructions_of, stream_of
from deixis.worlds.grid.making._places import Places, divide, prove, write_files
from deixis.worlds.grid.making._pool_maker import MadePool, PoolMaker
from deixis.worlds.grid.making._tests_on_purpose import (
    TrainingCommands,
    commands_trained_on,
    instructions_for,
    with_every_clause_needed,
)
from deixis.worlds.grid.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.data._crew import Crew, Progress
    from deixis.data._resumable import ResumableFolder
    from deixis.data.store import Dataset
    from deixis.worlds.grid.making.pool import Pool
    from deixis.worlds.grid.making.recipe import Recipe


__all__ = ["make"]

DATA = "data"


def make(
    recipe: Recipe,
    out: Path,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    crew: Crew | None = None,
) -> Dataset:
    """Make the dataset of a recipe in a folder, or finish one whose making was interrupted.

    Args:
        recipe: what to make.
        out: the folder; it may hold the beginning of the same dataset, or all of it.
        workers: how many threads, by default one per core; the result does not depend on it.
        progress: told how far things are.
        crew: those who make the worlds, if not the threads here; the result does not depend on it either.

    Raises:
        RecipeError: when the folder holds something else, another process works there or it cannot be written to.
        BrokenDataset: when the folder holds the finished dataset, but files of it are missing.
        UnsatisfiablePattern: when no world was found for any command of a pool.
        LeakySplit: when something held out would be in training; nothing is written then.
    """
    count = count_workers(workers)

    def run(folder: ResumableFolder) -> None:
        _clear_data(folder.out)
        with ThreadPoolExecutor(count) as threads:
            pools = PoolMaker(recipe, folder, threads, count, progress or tell_nobody, crew)
            try:
                _Maker(recipe, folder, pools).run()
            finally:
                threads.shutdown(wait=True, cancel_futures=True)

    return make_in(out, recipe.digest, run)


def _clear_data(out: Path) -> None:
    """Remove files of examples that an interrupted making has left: they are written again at the end."""
    files = list((out / DATA).iterdir()) if (out / DATA).is_dir() else []
    for file in files:
        if not file.name.endswith((".parquet", ".tmp")) or file.is_dir():
            raise RecipeError(f"{out / DATA} holds {file.name!r}, which is not of a deixis dataset; remove it")
    for file in files:
        file.unlink()


@dataclass(frozen=True)
class _Maker:
    """One run over all stages."""

    recipe: Recipe
    folder: ResumableFolder
    pools: PoolMaker

    def run(self) -> None:
        known = np.zeros(0, np.int64)
        made: list[MadePool] = []
        for pool in self.recipe.pools:
            made.append(self.pools.make(pool, instructions_of(self.recipe, pool)))
            known = made[-1].leave_out(known)
        places = divide(self.recipe, [table for pool in made for table in pool.tables])
        for pool, test in self._make_tests(places):
            known = test.leave_out(known)
            places = places.with_test(pool.name, test.tables)
            made.append(test)
        proof = prove(self.recipe, places, self.pools.progress)
        files = write_files(places, self.folder.out, self.pools.threads, self.pools.progress)
        manifest = self._manifest(made, places, proof, files)
        write_card(self.folder.out, manifest)
        self.folder.finish(manifest)

    def _make_tests(self, places: Places) -> Iterator[tuple[Pool, MadePool]]:
        """Yield the test sets made on purpose, one after another."""
        trained = (
            commands_trained_on(places.only("train"))
            if self.recipe.tests
            else TrainingCommands((), np.zeros(0, np.int64))
        )
        for pool in self.recipe.tests:
            yield pool, self._make_test(pool, trained)

    def _make_test(self, pool: Pool, trained: TrainingCommands) -> MadePool:
        rule = next(rule for rule in self.recipe.hold_out if rule.name == pool.name)
        rng = stream_of(self.recipe, pool)
        made = self.pools.make(pool, instructions_for(rule, pool, trained, mode=self.recipe.mode, rng=rng))
        if self.recipe.mode == "compatible" and pattern(pool.pattern) == C1:
            made.tables = [with_every_clause_needed(table) for table in made.tables]
        return made

    def _manifest(
        self, made: list[MadePool], places: Places, proof: dict[str, object], files: list[dict[str, object]]
    ) -> dict[str, object]:
        return {
            **begin_manifest(WORLD, self.recipe.dataset, self.recipe),
            "examples": places.total,
            "splits": _split_sizes(places),
            "pools": {pool.pool.name: pool.summary() for pool in made},
            **({"losses": [losses.to_dict()]} if (losses := _losses(made)) else {}),
            "leakage proof": proof,
            "content": places.digest(),
            "files": files,
        }


def _losses(made: list[MadePool]) -> Losses:
    """Return the examples that pools ask for and do not have."""
    losses = Losses("examples", sum(one.pool.commands * one.pool.worlds for one in made))
    for one in made:
        missing = one.pool.commands * one.pool.worlds - one.rows - one.repeated
        losses.leave_out(f"too few commands and worlds were found for the pool {one.pool.name}", missing)
        losses.leave_out(f"an equal one is there already, in the pool {one.pool.name}", one.repeated)
    return losses


def _split_sizes(places: Places) -> dict[str, int]:
    """How many examples each split has; one that is in two test sets counts in both."""
    sizes: dict[str, int] = {}
    for name, count in places.sizes().items():
        for single in names_in_split(name):
            sizes[single] = sizes.get(single, 0) + count
    return sizes
