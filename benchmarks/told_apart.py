"""How often models tell a target from others of its category, and from others of any, on what they saw and did not see.

Run as `python -m benchmarks.told_apart DATA RUN...`, with runs of mattnet or cm-att-erase.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.training._pairs import KINDS, tell_apart
from deixis.worlds.photos.training._prepare import Surroundings


SPLITS = ("train", "val", "test")


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--cache", type=Path, help="a folder for what regions look like")
    said = parser.parse_args()
    dataset, around = open_copsref(said.data), Surroundings(cache=said.cache)
    columns = [(split, kind) for split in SPLITS for kind in KINDS]
    print("| run | " + " | ".join(f"{split}, {kind}" for split, kind in columns) + " |")
    print("|---|" + "---|" * len(columns))
    for run in said.runs:
        told = tell_apart(run / "best.safetensors" if run.is_dir() else run, dataset, splits=SPLITS, around=around)
        cells = (f"{100 * told[column].regions:.1f} / {100 * told[column].texts:.1f}" for column in columns)
        print(f"| {run.name} | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
