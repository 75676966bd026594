"""Cops-Ref at the size of GQA: reading, cleaning, indexing, speaking, and looking for distractor images.

python -m benchmarks.scale --write docs/results/copsref-scale.md
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.copsref import measure_engine
from benchmarks.graphs import measure_graphs
from benchmarks.machine import Row, as_markdown


__all__ = ["measure_scale"]

TITLE = "Cops-Ref at the size of GQA"
ABOUT = """\
A synthetic corpus with as many images, objects and relations as GQA, written as one line of JSON and read like the real
file. Times are wall-clock, with one process per core; rates are per second of CPU time."""


def measure_scale(images: int = 75_000) -> list[Row]:
    """All rows."""
    return [*measure_graphs(images), *measure_engine(images)]


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, optionally write; 1 when something is slower than promised."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--images", type=int, default=75_000)
    parser.add_argument("--write", type=Path, help="write the page as Markdown")
    options = parser.parse_args(arguments)
    rows = measure_scale(options.images)
    text = as_markdown(rows, TITLE, "python -m benchmarks.scale --write docs/results/copsref-scale.md", ABOUT)
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")
    return 1 if any(row.is_broken for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
