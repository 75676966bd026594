"""For which commands every-word worlds are found, and whether the plain definition agrees that no word is spared."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.machine import describe_machine
from deixis.distractors.necessity import content_parts, count_words
from deixis.expression.patterns import pattern
from deixis.seeds import Stream, derive
from deixis.worlds.grid.commands import sample_commands, with_balanced_verbs
from deixis.worlds.grid.data.table import example_at
from deixis.worlds.grid.making._shards import make_shard
from deixis.worlds.grid.making.recipe import Pool, reascan
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["Coverage", "measure_coverage"]

COMMANDS = {"p1": 45, "p2": 5_050, "p3": 20_000, "chain": 5_000, "p4": 3_000}  # all of p1 and p2
PROMISED = {"p1": 0.95, "p2": 0.95, "p3": 0.90}
RETRIES = 1_000
CHECKED = 400  # examples of each pattern judged by the plain definition
BATCH = 250


class Coverage(NamedTuple):
    """What came of one pattern.

    Attributes:
        name: of the pattern.
        tried, found: commands by number of content words.
        parts, needed: content words of the checked examples, and how many of them the plain definition calls needed.
        seconds: of processor time.
    """

    name: str
    tried: Counter[int]
    found: Counter[int]
    parts: int
    needed: int
    seconds: float

    @property
    def share(self) -> float:
        """The share of commands with a world."""
        return self.found.total() / self.tried.total()


def measure_coverage(name: str, commands: int, *, seed: int = 42, cap: int = 16) -> Coverage:
    """Try one world for each of some commands of a pattern."""
    rng = Stream(derive(seed, name, "coverage"))
    pool = Pool(name=name, pattern=name, commands=commands, worlds=1, retries=RETRIES)
    recipe = replace(reascan(mode="every-word", seed=seed), cap=cap)
    drawn = with_balanced_verbs(sample_commands(pattern(name), rng=rng), rng=rng)
    instructions = list(islice(drawn, commands))
    tried, found = Counter[int](), Counter[int]()
    parts = needed = checked = 0
    seconds = 0.0
    for first in range(0, len(instructions), BATCH):
        batch = instructions[first : first + BATCH]
        start = time.process_time()
        shard = make_shard(recipe, pool, batch, first)
        seconds += time.process_time() - start
        for instruction, worlds in zip(batch, shard.outcomes[:, 0].tolist(), strict=True):
            words = count_words(instruction.expression, GRID)
            tried[words] += 1
            found[words] += worlds > 0
        wanted = min(shard.table.num_rows, 1 + CHECKED * BATCH // len(instructions))
        table = shard.table.append_column("split", [[""] * shard.table.num_rows])
        for row in range(wanted if checked < CHECKED else 0):
            example = example_at(table, row)
            verdict = example.necessity()
            parts += len(content_parts(example.expression, GRID))
            needed += sum(verdict[part] for part in content_parts(example.expression, GRID))
        checked += wanted
    return Coverage(name, tried, found, parts, needed, seconds)


def main(arguments: list[str] | None = None) -> int:
    """Measure all patterns, print or write the tables; 1 when fewer commands have worlds than promised."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--write", type=Path, help="write the tables as Markdown, e.g. docs/results/every-word.md")
    parser.add_argument("--scale", type=float, default=1.0, help="try this share of the commands only")
    options = parser.parse_args(arguments)
    rows = [measure_coverage(name, max(20, int(options.scale * count))) for name, count in COMMANDS.items()]
    text = _markdown(rows, measure_coverage("p4", FEWER, cap=ROOMIER))
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")
    kept = all(row.share >= PROMISED.get(row.name, 0) and row.parts == row.needed for row in rows)
    return 0 if kept else 1


INTRO = """\
In the mode `every-word` a world is accepted only if every content word (size, colour, noun, relation) is needed to find
the target. This page counts the commands that have such a world with at most 16 objects on 6 by 6 cells, where objects
that are pushed or pulled can move."""
LIMITS = """\
The number of objects limits the longest commands: each word needs an object that differs in just that word and, for
words of a clause, one that stands in its relation to it. With a cap of {cap} objects, {found} of {tried} commands
of p4 have a world."""
ROOMIER, FEWER = 18, 150  # a larger cap, and how many commands of p4 are tried with it
HEAD = (
    "pattern",
    "commands tried",
    "with a world",
    "share",
    "promised",
    "content words checked",
    "needed",
    "commands/s",
)


def _markdown(rows: list[Coverage], roomier: Coverage) -> str:
    lengths = sorted({words for row in rows for words in row.tried})
    command = "python -m benchmarks.coverage --write docs/results/every-word.md"
    return "\n".join(
        (
            "# Commands with every-word worlds",
            "",
            INTRO,
            "",
            f"Made by `{command}` on {describe_machine()}; at most {RETRIES:,} tries for a world.",
            "",
            _line(HEAD),
            _line(["---"] * len(HEAD)),
            *(_line(_summary(row)) for row in rows),
            "",
            "p1 and p2 are all commands, the others a random sample. Content words are checked by the reference",
            "implementation on some hundred worlds of each pattern. Below, by number of content words (a clause counts",
            "one for its relation): commands without a world / commands tried.",
            "",
            _line(["pattern", *map(str, lengths)]),
            _line(["---"] * (len(lengths) + 1)),
            *(_line([row.name, *(_cell(row, words) for words in lengths)]) for row in rows),
            "",
            LIMITS.format(cap=ROOMIER, found=roomier.found.total(), tried=roomier.tried.total()),
        )
    )


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _summary(row: Coverage) -> list[str]:
    tried, found = row.tried.total(), row.found.total()
    promised = f"{100 * PROMISED[row.name]:.0f} %" if row.name in PROMISED else ""
    rate = f"{tried / row.seconds:,.0f}"
    return [
        row.name,
        f"{tried:,}",
        f"{found:,}",
        f"{row.share:.2%}",
        promised,
        f"{row.parts:,}",
        f"{row.needed:,}",
        rate,
    ]


def _cell(row: Coverage, words: int) -> str:
    return f"{row.tried[words] - row.found[words]:,} / {row.tried[words]:,}" if row.tried[words] else ""


if __name__ == "__main__":
    sys.exit(main())
