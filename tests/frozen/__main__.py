"""Hold anew what must not change: `python -m tests.frozen`, or `python -m tests.frozen a3ds` for a part of it."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.frozen.comparison import differences, read_frozen, write_frozen
from tests.frozen.making import FROZEN, MODELS


def main() -> int:
    """Make everything, print what differs, and write it."""
    parser = argparse.ArgumentParser(prog="python -m tests.frozen", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which: {', '.join([*FROZEN, *MODELS])}; all by default")
    parser.add_argument("--dry", action="store_true", help="write nothing")
    given = parser.parse_args()
    every = FROZEN | MODELS
    if unknown := [name for name in given.names if name not in every]:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(every)}")
    held = read_frozen()
    found = dict(held)
    for name in given.names or every:
        began = time.perf_counter()
        with TemporaryDirectory() as place:
            found[name] = every[name](Path(place))
        lines = differences(held.get(name, {}), found[name], name)
        print(f"{name}: {len(lines) or 'no'} differences ({time.perf_counter() - began:.1f} seconds)", flush=True)
        print(*lines, sep="\n", end="\n" if lines else "")
    if not given.dry:
        write_frozen({name: found[name] for name in every if name in found})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
