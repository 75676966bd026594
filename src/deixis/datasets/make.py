"""Making a dataset: pools of worlds, the partition, the test sets made on purpose, the proof, the files.

Nothing here depends on the number of workers: shards are pure functions of the recipe, they are taken in the order of their numbers, and every file is written from rows whose order
is fixed.
"""

from __future__ import annotations

import json
import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deixis._version import __version__
from deixis.datasets.card import write_card
from deixis.datasets.recipe import Pool, Recipe
from deixis.datasets.shards import OUTCOME_NAMES, Shard, make_shard
from deixis.datasets.store import FORMAT, MANIFEST, Dataset, Workshop, file_digest, open_dataset, replacing_file, write_parquet
from deixis.datasets.table import SCHEMA, ragged
from deixis.datasets.tests_on_purpose import Trained, instructions_for, trained_on
from deixis.errors import RecipeError, UnsatisfiablePattern
from deixis.seeds import Stream, derive
from deixis.splits.leakage import TRAINING, Examples, LeakageProof
from deixis.splits.partition import Fractions, divide_at_random, membership_names
from deixis.worlds.grid.choose import choose_balanced, choose_uniform
from deixis.worlds.grid.patterns import pattern


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.language.utterance import Instruction


__all__ = ["Progress", "make"]

ROWS_PER_SHARD = 4_500
ROWS_PER_FILE = 131_072
PATIENCE = 6  # a pool is given up after so many times as many commands as it asks for


class Progress(Protocol):
    """Told how far each stage has come."""

    def __call__(self, stage: str, done: int, total: int, /) -> None:
        """`done` of `total` examples of a stage are ready."""


@dataclass
class _Made:
    """A finished pool: its shards, cut to the commands it asked for, and what happened on the way."""

    pool: Pool
    tables: list[pa.Table]
    outcomes: np.ndarray
    commands: int
    tried: int
    short: int
    fruitless: int

    def summary(self) -> dict[str, object]:
        rows = sum(table.num_rows for table in self.tables)
        return {
            "examples": rows,
            "commands": self.commands,
            "commands tried": self.tried,
            "commands without any world": self.fruitless,
            "commands with fewer worlds than asked": self.short,
            "worlds missing": self.pool.commands * self.pool.worlds - rows,
            "tries": {name: int(n) for name, n in zip(OUTCOME_NAMES, self.outcomes, strict=True) if n},
        }


def make(recipe: Recipe, out: Path, *, workers: int | None = None, progress: Progress | None = None) -> Dataset:
    """Make the dataset of a recipe in a folder, or finish one whose making was interrupted.

    Args:
        recipe: what to make.
        out: the folder; it may hold the beginning of the same dataset.
        workers: how many threads, by default one per core; the result does not depend on it.
        progress: told how far things are.
    """
    if (out / MANIFEST).exists():
        return _already_made(recipe, out)
    if out.exists() and any(child.name != ".partial" for child in out.iterdir()):
        raise RecipeError(f"{out} is not empty and does not hold a deixis dataset; choose another folder")
    workshop = Workshop(out, recipe)
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as threads:
        maker = _Maker(recipe, workshop, threads, progress or (lambda *_: None))
        try:
            return maker.run()
        finally:
            threads.shutdown(wait=True, cancel_futures=True)
            workshop.close()


def _already_made(recipe: Recipe, out: Path) -> Dataset:
    dataset = open_dataset(out)
    if dataset.manifest.get("recipe digest") != recipe.digest:
        raise RecipeError(f"{out} already holds a dataset made from another recipe; choose another folder or delete it")
    return dataset


@dataclass
class _Maker:
    """One run over all stages."""

    recipe: Recipe
    workshop: Workshop
    threads: ThreadPoolExecutor
    progress: Progress

    def run(self) -> Dataset:
        self._check_hold_outs()
        pools = [self._make_pool(pool, self._choose(pool)) for pool in self.recipe.pools]
        placed = self._partition(pools)
        trained = trained_on([(table, places == 0) for table, places in placed])
        for pool in self.recipe.tests:
            made = self._make_pool(pool, self._choose_on_purpose(pool, trained))
            pools.append(made)
        places = self._place_names()
        rows = [*placed, *((table, np.full(table.num_rows, places.index(made.pool.name))) for made in self._tests(pools) for table in made.tables)]
        proof = self._prove(rows, places)
        files = self._write(rows, places)
        return self._finish(pools, proof, files, rows, places)

    def _tests(self, pools: list[_Made]) -> list[_Made]:
        return pools[len(self.recipe.pools) :]

    def _check_hold_outs(self) -> None:
        names = {rule.name for rule in self.recipe.hold_out if rule.is_generated} - {pool.name for pool in self.recipe.tests}
        if names:
            raise RecipeError(f"the hold-outs {', '.join(sorted(names))} need a test pool of that name in the recipe")

    # --- pools

    def _choose(self, pool: Pool) -> Iterator[Instruction]:
        rng = Stream(derive(self.recipe.seed, pool.name, "commands"))
        choose = choose_uniform if self.recipe.mode == "compatible" else choose_balanced
        return choose(pattern(pool.pattern), rng=rng)

    def _choose_on_purpose(self, pool: Pool, trained: Trained) -> Iterator[Instruction]:
        rule = next(rule for rule in self.recipe.hold_out if rule.name == pool.name)
        rng = Stream(derive(self.recipe.seed, pool.name, "commands"))
        return instructions_for(rule, pool, trained, mode=self.recipe.mode, rng=rng)

    def _make_pool(self, pool: Pool, instructions: Iterator[Instruction]) -> _Made:
        """Worlds for the first so many commands that have any."""
        per_shard = max(1, min(ROWS_PER_SHARD // pool.worlds, pool.commands))
        made = _Made(pool, [], np.zeros(len(OUTCOME_NAMES), np.int64), 0, 0, 0, 0)
        total = pool.commands * pool.worlds
        done = 0
        for shard in self._shards(pool, instructions, per_shard, limit=PATIENCE * pool.commands + 100):
            self._take(made, shard)
            done = sum(table.num_rows for table in made.tables)
            self.progress(pool.name, min(done, total), total)
            if made.commands >= pool.commands:
                break
        self.progress(pool.name, total, total)
        if not made.tables or not done:
            raise UnsatisfiablePattern(
                f"no world was found for any of {made.tried} commands of pool {pool.name!r}; allow more objects (cap), a larger grid or more retries"
            )
        return made

    def _shards(self, pool: Pool, instructions: Iterator[Instruction], per_shard: int, *, limit: int) -> Iterator[Shard]:
        """Shards in the order of their numbers, several being made at a time."""
        waiting: deque[Future[Shard]] = deque()
        number = 0
        taken = islice(instructions, limit)
        ahead = 2 * self.threads._max_workers
        try:
            while True:
                while len(waiting) < ahead and (batch := list(islice(taken, per_shard))):
                    waiting.append(self.threads.submit(self._one_shard, pool, batch, number * per_shard, number))
                    number += 1
                if not waiting:
                    return
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def _one_shard(self, pool: Pool, batch: list[Instruction], first: int, number: int) -> Shard:
        name = f"{pool.name}-{number:05d}"
        kept = self.workshop.load(name)
        return kept if kept is not None else self.workshop.keep(name, make_shard(self.recipe, pool, batch, first))

    def _take(self, made: _Made, shard: Shard) -> None:
        """Add a shard to a pool, up to the last command that the pool asks for."""
        found = shard.outcomes[:, 0]
        has_any = np.cumsum(found > 0)
        room = made.pool.commands - made.commands
        used = len(found) if has_any[-1] <= room else int(np.argmax(has_any >= room)) + 1
        rows = int(found[:used].sum())
        table = shard.table.slice(0, rows)
        if self.recipe.mode == "compatible" and made.pool.name == "c1":
            table = _with_every_clause_needed(table)
        made.tables.append(table)
        made.outcomes += shard.outcomes[:used].sum(axis=0)
        made.tried += used
        made.commands += int(has_any[used - 1]) if used else 0
        made.fruitless += int((found[:used] == 0).sum())
        made.short += int(((found[:used] > 0) & (found[:used] < made.pool.worlds)).sum())

    # --- places

    def _place_names(self) -> list[str]:
        """Every place an example can go to; the number of a place is its position."""
        held = [rule for rule in self.recipe.hold_out if not rule.is_generated]
        rules = self.recipe.hold_out
        bits = [rules.index(rule) for rule in held]
        names = {membership_names(rules, sum(1 << b for k, b in enumerate(bits) if choice >> k & 1)) for choice in range(1 << len(bits))}
        singles = [rule.name for rule in held]
        joint = sorted(names - set(singles) - {"aside"}, key=lambda name: (name.count("+"), name))
        return [*TRAINING, *singles, *joint, *(pool.name for pool in self.recipe.tests), "aside"]

    def _partition(self, pools: list[_Made]) -> list[tuple[pa.Table, np.ndarray]]:
        """The place of every example of the pools."""
        tables = [table for made in pools for table in made.tables]
        names = self._place_names()
        held = np.concatenate([table["held"].to_numpy() for table in tables])
        kept = np.concatenate([table["kept"].to_numpy() for table in tables])
        ids = np.concatenate([table["id"].to_numpy() for table in tables])
        places = np.zeros(len(ids), np.int64)
        for value in np.unique(kept[held > 0]).tolist():
            places[(held > 0) & (kept == value)] = names.index(membership_names(self.recipe.hold_out, value))
        free = held == 0
        seed = derive(self.recipe.seed, "partition")
        places[free] = divide_at_random(ids[free], seed=seed, fractions=Fractions(self.recipe.dev, self.recipe.test))
        ends = np.cumsum([table.num_rows for table in tables])
        return list(zip(tables, np.split(places, ends[:-1]), strict=True))

    def _prove(self, rows: list[tuple[pa.Table, np.ndarray]], names: list[str]) -> dict[str, object]:
        proof = LeakageProof(self.recipe.hold_out)
        total = sum(table.num_rows for table, _ in rows)
        done = 0
        for table, places in rows:
            commands = table["command"].combine_chunks()
            shapes, starts = ragged(table["shape"])
            colors, _ = ragged(table["color"])
            texts = commands.dictionary.to_pylist()
            which = commands.indices.to_numpy()
            ids = table["id"].to_numpy()
            for place in np.unique(places).tolist():
                here = places == place
                proof.add(names[place], Examples(ids[here], texts, which[here], shapes, colors, starts[:-1][here]))
            done += table.num_rows
            self.progress("leakage proof", done, total)
        return proof.conclude()

    # --- files

    def _write(self, rows: list[tuple[pa.Table, np.ndarray]], names: list[str]) -> list[dict[str, object]]:
        total = sum(table.num_rows for table, _ in rows)
        jobs = []
        for place, name in enumerate(names):
            masks = [(table, places == place) for table, places in rows if (places == place).any()]
            chunks = _chunks(masks)
            for number, chunk in enumerate(chunks):
                path = self.workshop.out / "data" / f"{name}-{number:05d}-of-{len(chunks):05d}.parquet"
                jobs.append((name, path, chunk))
        done = 0
        files = []
        for entry in self.threads.map(lambda job: _write_file(*job), jobs):
            done += int(entry["rows"])  # type: ignore[call-overload]
            self.progress("writing", done, total)
            files.append(entry)
        return files

    def _finish(
        self,
        pools: list[_Made],
        proof: dict[str, object],
        files: list[dict[str, object]],
        rows: list[tuple[pa.Table, np.ndarray]],
        names: list[str],
    ) -> Dataset:
        counts = np.zeros(len(names), np.int64)
        for _, places in rows:
            counts += np.bincount(places, minlength=len(names))
        manifest = {
            "format": FORMAT,
            "made by": f"deixis {__version__}",
            "recipe digest": self.recipe.digest,
            "recipe": self.recipe.to_dict(),
            "examples": int(counts.sum()),
            "splits": _split_sizes(names, counts),
            "pools": {made.pool.name: made.summary() for made in pools},
            "leakage proof": proof,
            "content": _content_digest(rows),
            "files": files,
        }
        write_card(self.workshop.out / "README.md", manifest)
        with replacing_file(self.workshop.out / MANIFEST) as draft:
            draft.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        self.workshop.clear()
        return open_dataset(self.workshop.out)


def _with_every_clause_needed(table: pa.Table) -> pa.Table:
    """Only worlds in which leaving out any one clause makes the referent unclear, as the published C1 (specification section 7.2)."""
    if not table.num_rows:
        return table
    values, starts = ragged(table["necessary"])
    commands = table["command"].combine_chunks()
    from deixis.expression.parts import parts
    from deixis.language.parse import read

    clauses = [[k for k, p in enumerate(parts(read(text).expression)) if p.kind == "clause"] for text in commands.dictionary.to_pylist()]
    which = commands.indices.to_numpy()
    good = [all(values[starts[row] + k] for k in clauses[which[row]]) for row in range(table.num_rows)]
    return table.filter(pa.array(good))


def _chunks(masks: list[tuple[pa.Table, np.ndarray]]) -> list[list[tuple[pa.Table, np.ndarray]]]:
    """Rows divided into files of bounded size; a shard is never divided."""
    chunks: list[list[tuple[pa.Table, np.ndarray]]] = []
    rows = ROWS_PER_FILE
    for table, mask in masks:
        here = int(mask.sum())
        if rows + here > ROWS_PER_FILE:
            chunks.append([])
            rows = 0
        chunks[-1].append((table, mask))
        rows += here
    return chunks


def _write_file(split: str, path: Path, chunk: list[tuple[pa.Table, np.ndarray]]) -> dict[str, object]:
    tables = []
    for table, mask in chunk:
        picked = table.filter(pa.array(mask))
        columns = [
            pc.cast(picked[name], pa.string()) if pa.types.is_dictionary(picked.schema.field(name).type) else picked[name]
            for name in SCHEMA.names
            if name != "split"
        ]
        columns.append(pa.array(np.repeat([split], picked.num_rows), pa.string()))
        tables.append(pa.table(columns, schema=SCHEMA))
    whole = pa.concat_tables(tables).combine_chunks()
    write_parquet(whole, path)
    return {
        "path": path.relative_to(path.parent.parent).as_posix(),
        "split": split,
        "rows": whole.num_rows,
        "bytes": path.stat().st_size,
        "sha256": file_digest(path),
    }


def _split_sizes(names: list[str], counts: np.ndarray) -> dict[str, int]:
    """How many examples each split has; one that is in two test sets counts in both."""
    sizes: dict[str, int] = {}
    for name, count in zip(names, counts.tolist(), strict=True):
        for single in name.split("+"):
            sizes[single] = sizes.get(single, 0) + count
    return sizes


def _content_digest(rows: list[tuple[pa.Table, np.ndarray]]) -> str:
    """A digest of what the dataset holds and where, independent of files and their encoding."""
    from hashlib import sha256

    digest = sha256()
    for table, places in rows:
        digest.update(table["id"].to_numpy().astype("<u8").tobytes())
        digest.update(places.astype("<u1").tobytes())
    return digest.hexdigest()
