"""What workers fetch from storage in an epoch of a stream, with lanes and without.

python -m benchmarks.streaming --data DATASET --write docs/results/streaming.md
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import ClassVar

from deixis.bridges.pytorch import StreamedExamples
from deixis.data._stored_paths import StoredPath
from deixis.data.store import open_dataset


COMMAND = "python -m benchmarks.streaming --data DATASET --write docs/results/streaming.md"
MADE = "deixis make reascan --scale paper --mode compatible --out DATASET"
SHARES = (1, 2, 4, 8, 3)
LANES = (8, 1)
PAGE = """\
# Streaming from storage

What ranks or workers that share an epoch fetch together, counted and not timed: `{command}`, on the training split of
`{made}` ({rows:,} examples, {size:.1f} MB in {groups} groups of rows, batches of 256).

| shares | MB, {many} lanes | MB, one lane | requests, {many} lanes | requests, one lane |
|---|---|---|---|---|
{table}

By default there are {many} lanes. The shares of a dataset that fits into one window, some 200,000 rows, fetch all of it
each. Footers of files are fetched by every share. Where the number of shares does not divide that of lanes, each reads
every lane; {odd} shares show it.
"""


class CountedPath(StoredPath):
    """A file in storage whose requests are counted."""

    fetched: ClassVar[Counter[str]] = Counter()

    def read(self, start: int, stop: int) -> bytes:
        """Fetch some bytes."""
        CountedPath.fetched.update(requests=1, bytes=stop - start)
        return super().read(start, stop)


def fetched_by(address: str, split: str, shares: int, lanes: int) -> Counter[str]:
    """What all shares of an epoch fetch together."""
    CountedPath.fetched.clear()
    for rank in range(shares):
        stream = StreamedExamples(address, split=split, batch=256, seed=1, rank=rank, ranks=shares, lanes=lanes)
        for _ in stream:
            pass
    return Counter(CountedPath.fetched)


def main(arguments: list[str] | None = None) -> int:
    """Count, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", default="train")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args(arguments)
    StoredPath.__truediv__ = lambda self, name: CountedPath(self.folder, name)  # type: ignore[method-assign]
    address = options.data.resolve().as_uri()
    rows = []
    for shares in SHARES:
        many, one = (fetched_by(address, options.split, shares, lanes) for lanes in LANES)
        sizes = [f"{each['bytes'] / 1e6:.1f}" for each in (many, one)]
        rows.append(f"| {shares} | {' | '.join(sizes)} | {many['requests']} | {one['requests']} |")
        print(rows[-1], flush=True)
    held = StreamedExamples(options.data, split=options.split)
    entries = [one for one in open_dataset(options.data).manifest["files"] if one["split"] == options.split]
    page = PAGE.format(
        command=COMMAND,
        made=MADE,
        rows=len(held.rows),
        size=sum(one["bytes"] for one in entries) / 1e6,
        groups=len(held.rows.groups),
        many=LANES[0],
        odd=SHARES[-1],
        table="\n".join(rows),
    )
    if options.write:
        options.write.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
