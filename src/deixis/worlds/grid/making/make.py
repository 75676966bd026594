"""Making a dataset: pools of worlds, the partition, the test sets made on purpose, the proof, the files.

Nothing here depends on the number of workers: shards are pure functions of the recipe, they are taken in the order of
their numbers, and every file is written from rows whose order is fixed.
"""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deixis._version import __version__
from deixis.datasets.card import write_card
from deixis.datasets.places import Places, divide, prove, write_files
from deixis.datasets.pool_maker import MadePool, PoolMaker, Progress
from deixis.datasets.store import FORMAT, MANIFEST, PARTIAL, Dataset, open_dataset, replacing_file
from deixis.datasets.tests_on_purpose import Trained, instructions_for, trained_on, with_every_clause_needed
from deixis.datasets.workshop import Workshop
from deixis.errors import RecipeError
from deixis.seeds import Stream, derive
from deixis.worlds.grid.choose import choose_balanced, choose_uniform
from deixis.worlds.grid.patterns import C1, pattern


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.datasets.crew import Crew
    from deixis.datasets.pool import Pool
    from deixis.datasets.recipe import Recipe
    from deixis.language.utterance import Instruction


__all__ = ["Progress", "make"]


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
    workers = (os.cpu_count() or 1) if workers is None else workers
    if workers < 1:
        raise RecipeError(f"at least 1 worker is needed, got {workers}")
    try:
        if (out / MANIFEST).exists():
            return _already_made(recipe, out)
        with Workshop(out, recipe) as workshop, ThreadPoolExecutor(workers) as threads:
            if (out / MANIFEST).exists():  # another process has finished it in the meantime
                return _already_made(recipe, out)
            pools = PoolMaker(recipe, workshop, threads, workers, progress or _silent, crew)
            try:
                return _Maker(recipe, workshop, pools).run()
            finally:
                threads.shutdown(wait=True, cancel_futures=True)
    except OSError as error:
        raise RecipeError(f"cannot write to {out}: {error.strerror or error}") from error


def _silent(stage: str, done: int, total: int, /) -> None:
    """Tell nobody."""


def _already_made(recipe: Recipe, out: Path) -> Dataset:
    dataset = open_dataset(out)
    if dataset.manifest.get("recipe digest") != recipe.digest:
        raise RecipeError(f"{out} already holds a dataset made from another recipe; choose another folder or delete it")
    dataset.demand_whole()
    if (out / PARTIAL).is_dir():  # whoever finished it had no time to tidy up, or is just doing so
        with suppress(RecipeError, OSError), Workshop(out, recipe) as workshop:
            workshop.clear()
    return dataset


@dataclass(frozen=True)
class _Maker:
    """One run over all stages."""

    recipe: Recipe
    workshop: Workshop
    pools: PoolMaker

    def run(self) -> Dataset:
        known = np.zeros(0, np.uint64)
        made: list[MadePool] = []
        for pool in self.recipe.pools:
            made.append(self.pools.make(pool, self._choose(pool)))
            known = made[-1].leave_out(known)
        places = divide(self.recipe, [table for pool in made for table in pool.tables])
        for pool, test in self._make_tests(places):
            known = test.leave_out(known)
            places = places.with_test(pool.name, test.tables)
            made.append(test)
        proof = prove(self.recipe, places, self.pools.progress)
        files = write_files(places, self.workshop.out, self.pools.threads, self.pools.progress)
        return self._finish(self._manifest(made, places, proof, files))

    def _choose(self, pool: Pool) -> Iterator[Instruction]:
        is_even = "relations" in self.recipe.balance or self.recipe.mode in ("corrected", "every-word")
        choose = choose_balanced if is_even else choose_uniform
        return choose(pattern(pool.pattern), rng=self._stream(pool))

    def _stream(self, pool: Pool) -> Stream:
        return Stream(derive(self.recipe.seed, pool.name, "commands"))

    def _make_tests(self, places: Places) -> Iterator[tuple[Pool, MadePool]]:
        """The test sets made on purpose, one after another."""
        trained = trained_on(places.only("train")) if self.recipe.tests else Trained((), np.zeros(0, np.int64))
        for pool in self.recipe.tests:
            yield pool, self._make_test(pool, trained)

    def _make_test(self, pool: Pool, trained: Trained) -> MadePool:
        rule = next(rule for rule in self.recipe.hold_out if rule.name == pool.name)
        rng = self._stream(pool)
        made = self.pools.make(pool, instructions_for(rule, pool, trained, mode=self.recipe.mode, rng=rng))
        if self.recipe.mode == "compatible" and pattern(pool.pattern) == C1:
            made.tables = [with_every_clause_needed(table) for table in made.tables]
        return made

    def _manifest(
        self, made: list[MadePool], places: Places, proof: dict[str, object], files: list[dict[str, object]]
    ) -> dict[str, object]:
        return {
            "format": FORMAT,
            "made by": f"deixis {__version__}",
            "recipe digest": self.recipe.digest,
            "recipe": self.recipe.to_dict(),
            "examples": places.total,
            "splits": _split_sizes(places),
            "pools": {pool.pool.name: pool.summary() for pool in made},
            "leakage proof": proof,
            "content": places.digest(),
            "files": files,
        }

    def _finish(self, manifest: dict[str, object]) -> Dataset:
        write_card(self.workshop.out, manifest)
        with replacing_file(self.workshop.out / MANIFEST) as draft:
            draft.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        self.workshop.clear()
        return open_dataset(self.workshop.out)


def _split_sizes(places: Places) -> dict[str, int]:
    """How many examples each split has; one that is in two test sets counts in both."""
    sizes: dict[str, int] = {}
    for name, count in places.sizes().items():
        for single in name.split("+"):
            sizes[single] = sizes.get(single, 0) + count
    return sizes
