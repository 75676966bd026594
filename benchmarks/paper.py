"""The paper-size set, from nothing to Parquet, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.machine import Row


__all__ = ["measure_paper_size"]

SCRIPT = """
import json, resource, sys, time
from pathlib import Path
from deixis.audits.run import audit_path
from deixis.data.store import open_dataset
from deixis.worlds.grid.checks._run import check_dataset
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import reascan
out, mode = Path(sys.argv[1]), sys.argv[2]
make(reascan(mode=mode, scale="small"), out / "warm", workers=2)
start = time.perf_counter()
data = make(reascan(mode=mode, scale="paper"), out / "paper", workers=2)
seconds = time.perf_counter() - start
size = sum(entry["bytes"] for entry in data.manifest["files"])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
check_dataset(open_dataset(out / "warm"), workers=2)
start = time.perf_counter()
report = check_dataset(data, workers=2)
checking = time.perf_counter() - start
assert not report.has_errors, report.counts
audit_path(out / "warm", workers=2)
start = time.perf_counter()
audit_path(out / "paper", workers=2)
auditing = time.perf_counter() - start
said = {"seconds": seconds, "examples": data.manifest["examples"], "bytes": size, "peak": peak}
said |= {"checking": checking, "auditing": auditing}
print(json.dumps(said))
"""


def measure_paper_size(mode: str) -> list[Row]:
    """Time, memory and disk of 675 + 2,025 + 3,375 commands with 180 worlds each, with splits and the leakage proof."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(  # noqa: S603 - our own script, our own arguments
            [sys.executable, "-c", SCRIPT, str(Path(folder)), mode], check=True, capture_output=True, text=True
        )
    said = json.loads(done.stdout.splitlines()[-1])
    return [
        Row(f"paper-size set, {mode}", said["examples"], "examples"),
        Row("time to make it with 2 workers", said["seconds"], "s", at_most=60),
        Row("most memory used", said["peak"] / 1e6, "MB", at_most=1000),
        Row("on disk", said["bytes"] / said["examples"], "bytes/example", at_most=40),
        Row("time to check all of it with 2 workers", said["checking"], "s"),
        Row(
            "time to audit a million of it with 2 workers", said["auditing"] / said["examples"] * 1e6, "s", at_most=120
        ),
    ]
