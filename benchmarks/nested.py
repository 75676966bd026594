"""How often readers who get nested clauses wrong are right all the same: what C2 can tell of a model.

Run as `python -m benchmarks.nested DATA`, with a ReaSCAN dataset that holds out C2; commands without a clause about the
object of another are passed over. Three readers understand all words, relations and sizes:

| reader | *the circle that is in the same row as a square that is in the same column as a box* |
|---|---|
| all of it | as it is said |
| and | … in the same row as a square *and* in the same column as a box; where nothing fits, either clause will do |
| first clause | the circle that is in the same row as a square |

A reader who finds several objects takes any of them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from deixis.resolution.reference import denotation
from deixis.worlds.grid._blueprint import PARENT, blueprint, from_blueprint
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.language import parse_instruction


if TYPE_CHECKING:
    import numpy as np

    from deixis.worlds.grid.scene import GridScene


CHAIN = [-1, 0, 1]  # parents: the second object is said of the first, the third of the second


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--split", default="c2")
    said = parser.parse_args()
    shares = dict.fromkeys(("all of it", "and", "and, where something fits", "first clause"), 0.0)
    count = fitting = 0
    for table in open_source(said.data).tables(said.split):
        for example in examples_of(table):
            chain = blueprint(parse_instruction(example.text).expression)
            if list(chain[:, PARENT]) != CHAIN:
                continue
            flat, first, second = readings(chain, example.scene)
            found = {
                "all of it": denotation(from_blueprint(chain), example.scene),
                "and": flat or first | second,
                "and, where something fits": flat,
                "first clause": first,
            }
            for reader, objects in found.items():
                shares[reader] += (example.target in objects) / max(1, len(objects))
            count += 1
            fitting += bool(flat)
    if not count:
        print(f"No command of {said.split} has a clause about the object of another.", file=sys.stderr)
        return 1
    print(f"{count:,} examples of {said.split}; with 'and' something fits in {100 * fitting / count:.1f} %.")
    for reader, share in shares.items():
        print(f"| {reader} | {100 * share / count:.1f} |")
    return 0


def readings(chain: np.ndarray, scene: GridScene) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    """What fits both clauses of a chain as if both were the target's, the first alone, and the second alone."""
    flat = chain.copy()
    flat[1:, PARENT] = 0
    tables = (flat, flat[[0, 1]], flat[[0, 2]])
    both, first, second = (denotation(from_blueprint(one), scene) for one in tables)
    return both, first, second


if __name__ == "__main__":
    sys.exit(main())
