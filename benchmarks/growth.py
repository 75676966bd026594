"""Memory of checks and audits of growing datasets, beside that of an earlier version, as a section of a page.

python -m benchmarks.growth --before ../earlier/src --write docs/results/sharing.md
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.machine import describe_machine
from benchmarks.sharing import MEMORY, Cost, measure


if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["main"]

GROWING = {
    "tabletop": ("--examples", ("1000", "3000", "9000", "27000")),
    "copsref": ("--images", ("100", "300", "900", "2700")),
    "reascan": ("--scale", ("small", "medium", "paper")),
}
VERBS = ("check", "audit")


def _datasets(folder: Path, source: Path, only: str) -> Iterator[Path]:
    """The datasets, made where they are not there yet."""
    for name, (option, sizes) in GROWING.items():
        for size in sizes if any(some in name for some in only.split(",")) else ():
            data = folder / f"{name}-{size}"
            if not (data / "manifest.json").is_file():
                measure(["make", name, option, size, "--out", str(data)], source)
            yield data


def _row(data: Path, sources: tuple[Path | None, Path]) -> str:
    """The memory and the CPU seconds of each verb, before and now."""
    costs = [
        Cost(0, 0, 0) if source is None else measure([verb, str(data)], source, workers=1)
        for verb in VERBS
        for source in sources
    ]
    manifest = json.loads((data / "manifest.json").read_text(encoding="utf-8"))
    rows = sum(entry["rows"] for entry in manifest["files"])
    cells = []
    for before, now in (costs[:2], costs[2:]):
        cells += [f"{before.megabytes:,.0f} MB", f"{now.megabytes:,.0f} MB"]
        cells.append(f"{now.cpu / before.cpu:.2f}" if before.cpu else "")
    name, _, size = data.name.partition("-")
    return f"| {name} {GROWING[name][0]} {size} | {rows:,} | {' | '.join(cells)} |"


def main() -> int:
    """Measure, print, optionally write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--before", type=Path, help="the folder src of an earlier version")
    parser.add_argument("--folder", type=Path, help="where data are kept for the next time")
    parser.add_argument("--only", default="", help="only data whose world contains one of these, separated by commas")
    parser.add_argument("--write", type=Path, help="write the section into a page of Markdown")
    options = parser.parse_args()
    after = Path(__file__).parents[1] / "src"
    with TemporaryDirectory() as aside:
        for source in filter(None, (options.before, after)):
            measure(["warm"], source, workers=1)  # kernels are compiled before anything is measured
        rows = []
        for data in _datasets(options.folder or Path(aside), after, options.only):
            rows.append(_row(data, (options.before, after)))
            print(rows[-1], flush=True)
    if options.write:
        page, _, _ = options.write.read_text(encoding="utf-8").partition(MEMORY)
        section = SECTION.format(heading=MEMORY, machine=describe_machine(), rows="\n".join(rows))
        options.write.write_text(page + section, encoding="utf-8")
    return 0


SECTION = """{heading}

Made by `python -m benchmarks.growth --before EARLIER --write docs/results/sharing.md` on {machine}.

Memory of the one process of a command with `--workers 1`, on datasets of growing size; *before* is the version in which
what is compared between examples stayed in memory until the end. The ratio is that of CPU seconds, now to before, each
measured once on a machine with much other work: single ratios may be off by a fifth.

| dataset | examples | check before | check now | CPU | audit before | audit now | CPU |
|---|---|---|---|---|---|---|---|
{rows}

- What is compared between examples waits in a file, and 262,144 rows of it are in memory at a time. Readers who do not
  read are judged on 200,000 examples at most, which wait in a file, too.
- Memory still grows up to a bound: that of row groups and pieces, which have 32,768 rows; that of 2,048 scenes with
  what was worked out about them, which is most of what audits of photographs need; and that of 32,768 different
  commands on grids, of which ReaSCAN at paper scale has 19,439.
- It grows without bound, by little: two bytes for each image and the names of all images (check of photographs), and
  about 40 bytes for each expression that fits nothing, for its words (audit of photographs).
- Of files of others, which are read in one pass, 50,000 examples are in memory at a time, and about a hundred bytes of
  each until the end of an audit: digests, lengths and counts. Their words wait in a file.
"""


if __name__ == "__main__":
    sys.exit(main())
