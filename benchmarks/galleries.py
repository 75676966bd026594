"""How fast galleries judge the words of examples: as a world does it itself, and by the plain definition.

Both are measured in one run, on the same datasets. Time is that of the processor, without compilation.

python -m benchmarks.galleries DATASET …
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from pathlib import Path

from benchmarks.machine import Row, as_markdown
from deixis._studio.library import Library
from deixis._studio.meanings import read_meanings
from deixis._studio.world_pages import WorldPages
from deixis.worlds.registry import world_of


__all__ = ["measure_galleries"]

ABOUT = "Rates are per second of CPU time of one core, without compilation."
PLAIN = 1_000  # examples of each dataset that are judged by the plain definition


def measure_galleries(paths: list[Path]) -> list[Row]:
    """Return the rates for some datasets, and their ratio where a world counts in its own way."""
    rows = []
    for entry in Library(tuple(paths)).datasets:
        world = world_of(entry.path)
        examples = list(islice(world.part("examples").open(entry.path), PLAIN))
        plain = _rate(lambda examples=examples: len(read_meanings(examples).codes))
        rows.append(Row(f"{entry.title}: by the plain definition", plain, "examples/s"))
        if type(entry.pages).read_meanings is WorldPages.read_meanings:
            continue
        size = sum(entry.splits.values())
        own = _rate(lambda entry=entry, size=size: entry.pages.read_meanings(entry) and size)
        rows.append(Row(f"{entry.title}: all of {size:,}, as its world does it", own, "examples/s"))
        rows.append(Row(f"{entry.title}: its world to the plain definition", own / plain, "times"))
    return rows


def _rate(judge: object) -> float:
    """Return how many examples are judged in a second of processor time, once what is compiled is there."""
    assert callable(judge)
    judge()
    begun = time.process_time()
    return float((judge() or 0) / (time.process_time() - begun))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.galleries", description=__doc__)
    parser.add_argument("datasets", type=Path, nargs="+")
    rows = measure_galleries(parser.parse_args().datasets)
    print(as_markdown(rows, "Galleries", "python -m benchmarks.galleries", ABOUT))


if __name__ == "__main__":
    main()
