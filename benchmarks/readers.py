"""How many records of others' files are read in a second of processor time, and how much memory that takes.

Every file is read by a process of its own, first whole and then with half as many records: where memory is bounded,
the larger one takes hardly more. Readers that have to hold the objects of all images take more with more images; that
is what a record of theirs costs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.machine import Row
from tests.readers.samples import SAMPLES, write_sample


__all__ = ["measure_reader", "measure_readers"]

RECORDS = 100_000
PROMISED = 20_000  # records a second and core, of layouts in which a record is plain JSON or a row of a table
PLAIN = ("refcoco_rows", "expressions", "sugarcrepe", "aro", "cola", "winoground", "ref_adv", "valse")
HOLDING = ("refcoco", "mdetr", "refexp", "clevr_ref", "stars2", "gre3d")  # objects of all images, or a whole small file
MOST_GROWTH = 24  # MiB that a file of twice the records may take more, where they are read one by one
FEWER = {"stars2": 20_000, "clevr_ref": 20_000, "nlvr": 50_000}  # records whose file would be too large


def measure_readers(names: tuple[str, ...] = tuple(SAMPLES)) -> list[Row]:
    """The rate and the memory of every reader."""
    rows = []
    for name in names:
        count = FEWER.get(name, RECORDS)
        with TemporaryDirectory(prefix="deixis-readers-") as folder:
            large, small = (measure_reader(name, Path(folder) / str(size), size) for size in (count, count // 2))
        at_least = PROMISED if name in PLAIN else None
        rows.append(Row(f"records of {name}, {count:,} of them", large["rate"], "/s", at_least=at_least))
        most = None if name in HOLDING else MOST_GROWTH
        growth = max(0.0, large["peak"] - small["peak"])
        rows.append(Row(f"memory of {name} beyond that of half the records", growth, "MiB", at_most=most))
    return rows


def measure_reader(name: str, folder: Path, count: int) -> dict[str, float]:
    """Records a second of CPU time at which a reader reads an invented file, and the peak of memory in MiB."""
    path, _ = write_sample(name, folder, count)
    words = [sys.executable, "-m", "benchmarks.readers", "--read", name, str(path), str(count)]
    told = subprocess.run(words, check=True, capture_output=True, text=True)  # noqa: S603 (our own module)
    found: dict[str, float] = json.loads(told.stdout)
    return found


def _read(name: str, path: Path, count: int) -> None:
    """Read a file once, and print records per second of processor time and the peak of memory in MiB."""
    import re
    import time

    from deixis.readers.reader import ReadExample
    from deixis.readers.registry import find_reader

    reader = find_reader(name)
    start = time.process_time()
    records = -1
    for one in reader.examples(path):
        records = max(records, one.record)
        assert isinstance(one, ReadExample), one
    seconds = time.process_time() - start
    assert records + 1 == count, records
    status = Path("/proc/self/status").read_text(encoding="utf-8")  # getrusage tells the peak of the parent, too
    peak = int(re.search(r"VmHWM:\s*(\d+)", status)[1]) / 1024  # type: ignore[index]
    print(json.dumps({"rate": count / seconds, "peak": peak}))


def main() -> None:
    """Measure, or in a process of its own, read."""
    if "--read" in sys.argv:
        name, path, count = sys.argv[sys.argv.index("--read") + 1 :]
        _read(name, Path(path), int(count))
        return
    for row in measure_readers(tuple(sys.argv[1:]) or tuple(SAMPLES)):
        print(f"{row.name}: {row.value:,.4g} {row.unit}{'  BROKEN' * row.is_broken}")


if __name__ == "__main__":
    main()
