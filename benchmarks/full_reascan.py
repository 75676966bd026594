"""What the full combinatorial ReaSCAN would take: every core command with every verb and manner, 180 worlds each.

python -m benchmarks.full_reascan --write docs/results/full-reascan.md
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.machine import describe_machine
from deixis.bridges.clusters import dask_crew
from deixis.expression.patterns import pattern
from deixis.seeds import Stream
from deixis.worlds.grid.commands import VERBS, choose_uniform
from deixis.worlds.grid.making._files import FilePlan, write_file
from deixis.worlds.grid.making._kept_shards import keep_shard
from deixis.worlds.grid.making._proving import Stretch, prove_stretches
from deixis.worlds.grid.making._shards import make_shard
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.pool import MAX_EXAMPLES
from deixis.worlds.grid.making.recipe import Mode, Pool, Recipe, reascan


if TYPE_CHECKING:
    from deixis.bridges.clusters import DaskCrew


__all__ = ["Estimate", "estimate"]

CORE = {"p1": 45, "p2": 5_050, "p3": 302_548}  # all commands without verb, manner and determiners
WORLDS = 180
ASKED = {mode: {"p1": 150, "p2": 400, "p3": 800} for mode in ("compatible", "corrected")}
ASKED["every-word"] = {"p1": 60, "p2": 100, "p3": 160}
AT_ONCE = 20  # commands that are timed together
SMALL, LARGE = 300, 1500  # commands of the datasets that a cluster makes


class Estimate(NamedTuple):
    """What one pattern takes, reckoned from a random sample of its commands."""

    pattern: str
    asked: int  # worlds
    made: float
    hours: float  # of one core
    off: float  # two standard errors of the hours
    rate: float  # examples per second of one core


class Overhead(NamedTuple):
    """What a cluster takes beside making: measured on whole datasets made with local workers."""

    examples: int
    coordinator_rate: float  # examples per second of processor time of the process that puts everything together
    finishing_rate: float  # examples per second of a worker that keeps, proves and writes them
    bytes_per_example: float


def estimate(recipe: Recipe, name: str, commands: int) -> Estimate:
    """Hours of one core for all commands of a pattern, each with every verb and manner."""
    pool = Pool(name=name, pattern=name, commands=commands, worlds=WORLDS)
    instructions = list(islice(choose_uniform(pattern(name), rng=Stream(23)), commands))
    make_shard(recipe, pool, instructions[:2], 0)  # compiled before the clock starts
    seconds, made = [], []
    for first in range(0, len(instructions), AT_ONCE):
        some = instructions[first : first + AT_ONCE]
        start = time.process_time()
        rows = make_shard(recipe, pool, some, first).table.num_rows
        seconds.append((time.process_time() - start) / len(some))
        made.append(rows / len(some))
    total = CORE[name] * len(VERBS)
    error = np.std(seconds, ddof=1) / np.sqrt(len(seconds))
    return Estimate(
        name,
        total * WORLDS,
        total * float(np.mean(made)),
        total * float(np.mean(seconds)) / 3600,
        2 * total * float(error) / 3600,
        sum(made) / sum(seconds),
    )


def measure_overhead(workers: int) -> Overhead:
    """Make datasets of two sizes with a cluster on this machine; what the larger one takes more, here, counts."""
    with dask_crew(workers=workers) as crew:
        _write_with(crew, workers, SMALL)  # compiled and connected before the clock starts
        rows, seconds, _ = _write_with(crew, workers, SMALL)
        more_rows, more_seconds, size = _write_with(crew, workers, LARGE)
    rate = (more_rows - rows) / (more_seconds - seconds)
    return Overhead(more_rows - rows, rate, measure_finishing(), size / more_rows)


def _write_with(crew: DaskCrew, workers: int, commands: int) -> tuple[int, float, int]:
    """Examples, seconds of this process, and bytes of a dataset that a crew makes."""
    with TemporaryDirectory() as folder:
        start = time.process_time()
        dataset = make(_recipe_of(commands), Path(folder) / "out", workers=workers, crew=crew)
        seconds = time.process_time() - start
    return dataset.manifest["examples"], seconds, sum(entry["bytes"] for entry in dataset.manifest["files"])


def measure_finishing() -> float:
    """Examples per second of processor time of one core that keeps shards, proves them and writes them to a file."""
    recipe = _recipe_of(SMALL)
    (pool,) = recipe.pools
    instructions = list(islice(choose_uniform(pattern(pool.pattern), rng=Stream(23)), SMALL))
    batches = [tuple(instructions[first : first + AT_ONCE]) for first in range(0, SMALL, AT_ONCE)]
    shards = [make_shard(recipe, pool, batch, place * AT_ONCE) for place, batch in enumerate(batches)]
    with TemporaryDirectory() as place:
        folder, names = Path(place), [f"{number}.arrow" for number in range(len(shards))]
        every = [np.arange(shard.table.num_rows, dtype=np.int32) for shard in shards]
        start = time.process_time()
        for name, shard, batch in zip(names, shards, batches, strict=True):
            keep_shard(folder, name, shard, batch)
        stretches = [Stretch(name, rows, np.zeros(len(rows), int)) for name, rows in zip(names, every, strict=True)]
        prove_stretches(folder, reascan(mode="compatible").hold_out, ("aside",), stretches)
        write_file(folder, FilePlan("train", "data/train.parquet", list(zip(names, every, strict=True))))
        return sum(map(len, every)) / (time.process_time() - start)


def _recipe_of(commands: int) -> Recipe:
    pool = Pool(name="p3", pattern="p3", commands=commands, worlds=WORLDS)
    return replace(reascan(mode="compatible", scale="small"), pools=(pool,), tests=(), hold_out=())


def as_page(found: dict[Mode, list[Estimate]], overhead: Overhead, *, cores: int, price: float, storage: float) -> str:
    """The page: what was measured, what follows, and what is assumed."""
    every = sum(CORE.values())
    return PAGE.format(
        machine=describe_machine(),
        head=f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}",
        core=" + ".join(f"{CORE[name]:,}" for name in ("p3", "p2", "p1")),
        verbs=len(VERBS),
        worlds=WORLDS,
        product=f"{every:,} × {len(VERBS)} × {WORLDS} = {every * len(VERBS) * WORLDS:,}",
        cores=cores,
        price=price,
        storage=storage,
        totals="\n".join(_total(mode, parts, overhead, cores, price, storage) for mode, parts in found.items()),
        parts="\n".join(_part(mode, one) for mode, parts in found.items() for one in parts),
        samples=", ".join(f"{sum(ASKED[mode].values()):,} ({mode})" for mode in found),
        overhead=overhead,
    )


def _total(mode: str, parts: list[Estimate], overhead: Overhead, cores: int, price: float, storage: float) -> str:
    """The row of a mode."""
    made, making = sum(p.made for p in parts), sum(p.hours for p in parts)
    off = float(np.sqrt(sum(p.off**2 for p in parts)))
    finishing = made / overhead.finishing_rate / 3600
    together = made / overhead.coordinator_rate / 3600
    hours = making + finishing + together
    coordinators = max(1, round(cores * together / hours), int(np.ceil(made / MAX_EXAMPLES)))
    gigabytes = made * overhead.bytes_per_example / 1e9
    return (
        f"| {mode} | {made / 1e6:,.0f} million | {making:,.1f} ± {off:,.1f} | {finishing:,.1f} | {together:,.2f} | "
        f"{(making + finishing) / together:,.0f} | {coordinators:,} | {_time(hours / cores)} | {gigabytes:,.0f} GB | "
        f"{hours * price:,.2f} USD | {gigabytes * storage:,.2f} USD |"
    )


def _part(mode: str, one: Estimate) -> str:
    """The row of a pattern."""
    found = f"{one.made / one.asked:.1%}"
    return f"| {mode} | {one.pattern} | {one.asked:,} | {found} | {one.rate:,.0f} | {one.hours:,.2f} ± {one.off:,.2f} |"


def _time(hours: float) -> str:
    seconds = hours * 3600
    return (
        f"{seconds:,.0f} seconds"
        if seconds < 180
        else f"{hours * 60:,.0f} minutes"
        if hours < 3
        else f"{hours:,.1f} hours"
    )


COLUMNS = (
    "mode",
    "examples",
    "core hours, making",
    "proving and writing",
    "coordinating",
    "workers for each coordinator",
    "coordinators",
    "time",
    "data",
    "computing",
    "storage, a month",
)
PAGE = """\
# The full combinatorial ReaSCAN

Made by `python -m benchmarks.full_reascan --write docs/results/full-reascan.md` on {machine}.
This set has not been made: the figures are estimates from rates measured on that machine.

The paper uses a sample of the commands of its language. In all there are {core} core commands (two clauses, one
clause, none). With {verbs} combinations of verb and manner each, and {worlds} worlds for each of those, that is
{product} worlds.

## On {cores:,} cores

{head}
{totals}

- Assumed prices: {price:.3f} USD for a core and an hour, {storage:.3f} USD for a gigabyte and a month; change them with
  `--price`, `--storage` and `--cores`.
- Time is all core hours divided by the cores. Queueing for nodes, starting Python on them (some seconds) and waiting
  for the slowest worker come on top, and dominate where the rest takes seconds.
- ± is two standard errors, from the variation between commands.
- Workers that see the folder of the dataset keep their shards there, prove them and write the files:
  {overhead.finishing_rate:,.0f} examples per second of a core. A coordinator hands out commands and puts digests,
  counts and proofs together. One of them, with its scheduler, did so for {overhead.coordinator_rate:,.0f} examples per
  second of its CPU time, measured on two-clause examples made by a cluster on this machine ({overhead.examples:,} more
  in one run than in another). So many workers keep one coordinator busy.
- The set is made as at least nine datasets with seeds of their own, since a recipe holds at most 100 million examples.
  Each example took {overhead.bytes_per_example:.1f} bytes.
- Workers that do not see the folder send their shards, and the coordinator keeps, proves and writes them with processes
  of its own machine.

## What was measured

| mode | pattern | worlds asked for | found | examples per second and core | core hours |
|---|---|---|---|---|---|
{parts}

Random samples of commands: {samples}, {worlds} worlds each. Not every world is found: a command is dropped when one
of its worlds is not found in 500 tries. The released generator's rules (compatible) make some commands impossible.

A recipe gives each core command of one or two clauses one random verb and manner; fifteen seeds give each command
fifteen. The sizes above count every combination.
"""


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, optionally write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.full_reascan", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--cores", type=int, default=1000)
    parser.add_argument("--price", type=float, default=0.05, help="of one core for an hour, in USD")
    parser.add_argument("--storage", type=float, default=0.023, help="of a gigabyte for a month, in USD")
    parser.add_argument("--workers", type=int, default=2, help="of the cluster that is started to measure its overhead")
    parser.add_argument("--write", type=Path, help="write the page as Markdown")
    options = parser.parse_args(arguments)
    found: dict[Mode, list[Estimate]] = {
        mode: [estimate(reascan(mode=mode, scale="small"), name, count) for name, count in asked.items()]
        for mode, asked in ASKED.items()
    }
    overhead = measure_overhead(options.workers)
    text = as_page(found, overhead, cores=options.cores, price=options.price, storage=options.storage)
    print(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
