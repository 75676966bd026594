"""Making a dataset: pools of worlds, the partition, the test sets made on purpose, the proof, the files.

Nothing here depends on the number of workers: shards are pure functions of the recipe, they are taken in the order of
their numbers, and every file is written from rows whose order is fixed. Shards are kept on disk by whoever makes them,
and proven and written to the dataset by whoever is free; here only their digests, counts and hashes come together.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

from deixis._losses import Losses
from deixis.data._crew import count_workers, tell_nobody
from deixis.data._processes import process_crew
from deixis.data._resumable import make_in, sees
from deixis.data._split_names import names_in_split
from deixis.data.card import write_card
from deixis.data.recipes import begin_manifest
from deixis.errors import RecipeError
from deixis.expression.patterns import C1, pattern
from deixis.worlds.grid.making._files import DATA, write_files
from deixis.worlds.grid.making._hands import CrewHands, ThreadHands
from deixis.worlds.grid.making._instructions import instructions_of, stream_of
from deixis.worlds.grid.making._kept_shards import KeptRows, read_rows
from deixis.worlds.grid.making._places import Places, divide
from deixis.worlds.grid.making._pool_maker import MadePool, PoolMaker
from deixis.worlds.grid.making._proving import Prover
from deixis.worlds.grid.making._tests_on_purpose import (
    TrainingCommands,
    commands_trained_on,
    instructions_for,
    is_every_clause_needed,
)
from deixis.worlds.grid.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

    from deixis.data._crew import Crew, Progress
    from deixis.data._resumable import Entry, ResumableFolder
    from deixis.data.store import Dataset
    from deixis.language.utterance import Instruction
    from deixis.worlds.grid.making._hands import Hands
    from deixis.worlds.grid.making.pool import Pool
    from deixis.worlds.grid.making.recipe import Recipe


__all__ = ["make"]

FOR_PROCESSES = 50_000  # examples asked for, from which on processes are worth their start


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
        workers: how many threads, or of large datasets processes, by default one per core; the result does not depend
            on it.
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
        with ExitStack() as stack:  # whoever works has ended before the folder is tidied up
            threads = ThreadPoolExecutor(count)
            stack.callback(threads.shutdown, cancel_futures=True)
            manifest = _Maker(recipe, folder, threads, count, progress or tell_nobody, crew, stack).run()
        write_card(folder.out, manifest)
        folder.finish(manifest)

    return make_in(out, recipe.digest, run)


def _clear_data(out: Path) -> None:
    """Remove files of examples that an interrupted making has left: they are written again at the end."""
    files = list((out / DATA).iterdir()) if (out / DATA).is_dir() else []
    for file in files:
        if not file.name.endswith((".parquet", ".tmp")) or file.is_dir():
            raise RecipeError(f"{out / DATA} holds {file.name!r}, which is not of a deixis dataset; remove it")
    for file in files:
        file.unlink()


class _Maker:
    """One run over all stages.

    Small datasets are made by threads, since processes take a second to start. Larger ones are made, proven and
    written by processes or a crew; here their results are put together.
    """

    def __init__(
        self,
        recipe: Recipe,
        folder: ResumableFolder,
        threads: Executor,
        count: int,
        progress: Progress,
        crew: Crew | None,
        stack: ExitStack,
    ) -> None:
        self.recipe, self.folder, self.progress = recipe, folder, progress
        is_large = count > 1 and sum(pool.commands * pool.worlds for pool in recipe.pools) >= FOR_PROCESSES
        is_seen = crew is not None and crew.submit(sees, folder.share()).result()
        if is_large and not is_seen:
            processes: Crew | None = stack.enter_context(process_crew(count))
        else:
            processes = crew if is_seen else None
        shared = folder.share() if processes is not None else None
        makers = processes if crew is None else crew
        self.pools = PoolMaker(recipe, folder, threads, count, progress, makers, shared)
        self.hands: Hands = (
            ThreadHands(threads, count, folder.out)
            if processes is None or shared is None
            else CrewHands(processes, shared, folder.out)
        )

    def run(self) -> dict[str, object]:
        """Make everything but the manifest, which is returned."""
        made = self.pools.make([(pool, instructions_of(self.recipe, pool)) for pool in self.recipe.pools])
        known: list[KeptRows] = []
        for one in made:
            one.leave_out(known)
            known += one.rows
        places = divide(self.recipe, known)
        prover = Prover(self.recipe.hold_out, self.hands)
        try:
            prover.add(places.names, places.rows)
            for test in self._make_tests(places):
                test.leave_out(known)
                known += test.rows
                before = len(places.rows)
                places = places.with_test(test.pool.name, test.rows)
                prover.add(places.names, places.rows[before:])
                made.append(test)
            proof = prover.conclude(self.progress)
        finally:
            prover.cancel()
        return self._manifest(made, places, proof, write_files(places, self.hands, self.progress))

    def _make_tests(self, places: Places) -> list[MadePool]:
        """The test sets made on purpose."""
        if not self.recipe.tests:
            return []
        trained = commands_trained_on(places.only("train"))
        made = self.pools.make([(pool, self._instructions_for(pool, trained)) for pool in self.recipe.tests])
        for test in made:
            if self.recipe.mode == "compatible" and pattern(test.pool.pattern) == C1:
                test.rows = [self._with_every_clause_needed(rows) for rows in test.rows]
        return made

    def _instructions_for(self, pool: Pool, trained: TrainingCommands) -> Iterator[Instruction]:
        rule = next(rule for rule in self.recipe.hold_out if rule.name == pool.name)
        return instructions_for(rule, pool, trained, mode=self.recipe.mode, rng=stream_of(self.recipe, pool))

    def _with_every_clause_needed(self, rows: KeptRows) -> KeptRows:
        table = read_rows(self.folder.out, rows.name, rows.numbers, ("expression", "necessary"))
        return rows.only(is_every_clause_needed(table))

    def _manifest(
        self, made: list[MadePool], places: Places, proof: dict[str, object], files: Sequence[Entry]
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
        missing = one.pool.commands * one.pool.worlds - one.count - one.repeated
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
