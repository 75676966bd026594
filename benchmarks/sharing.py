"""Makers, checks, audits and evaluations with two workers: CPU time and memory, beside those of an earlier version.

python -m benchmarks.sharing --before ../earlier/src --write docs/results/sharing.md
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.machine import describe_machine
from tests.readers.samples import write_sample


__all__ = ["Cost", "measure"]

MADE = {
    "reascan": ("--scale", "small"),
    "tabletop": ("--examples", "300"),
    "copsref": ("--images", "100"),
    "a3ds": ("--captions", "short"),
}
SIZES = {  # of one dataset, the second three times as large as the first
    "tabletop": (("--examples", "1000"), ("--examples", "3000")),
    "copsref": (("--images", "100"), ("--images", "300")),
}
VERBS = {
    "check": ("check", "DATA"),
    "audit": ("audit", "DATA"),
    "evaluate": ("evaluate", "random", "--data", "DATA"),
}


READ = {"refcoco": 20_000, "sugarcrepe": 20_000}  # invented files of others, and how many records each has
CAPTIONS = ("--captions", "none", "--test-sets")  # 97,500 pairs to be captioned
SPOKEN = ("speakers", "--count", "1000")


MEMORY = "## Memory"  # where the section of benchmarks.growth begins


class Cost(NamedTuple):
    """What a command took: CPU seconds of all its processes, seconds by the clock, and the memory of the largest."""

    cpu: float
    wall: float
    megabytes: float


def measure(words: list[str], source: Path, *, workers: int = 2) -> Cost:
    """Run a command of deixis with the sources in a folder."""
    environment = os.environ | {"PYTHONPATH": str(source)}
    how = [] if words[0] == "evaluate" else ["--workers", str(workers)]  # earlier versions refused it in some worlds
    line = [sys.executable, "-m", "deixis", *words, *how]
    start = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 (commands of ours)
        line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):  # 1 where a check finds something
        raise SystemExit(f"{' '.join(words)} failed")
    return Cost(used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 1024)


def _commands(folder: Path, source: Path) -> dict[str, list[str]]:
    """The commands that are compared, by what is said of them; the data they read are made first."""
    found = {f"make {name} {' '.join(how)}": ["make", name, *how, "--out", "NEW"] for name, how in MADE.items()}
    for name, options in {**{name: (how,) for name, how in MADE.items()}, **SIZES}.items():
        for number, how in enumerate(options):
            data = folder / f"{name}-{number}"
            if not (data / "manifest.json").is_file():
                measure(["make", name, *how, "--out", str(data)], source)
            for verb, words in VERBS.items():
                if name != "a3ds" or verb == "check":
                    line = [str(data) if word == "DATA" else word for word in words]
                    found[f"{verb} {name} {' '.join(how)}"] = line
    return found | _further_evaluations(folder, source)


def _further_evaluations(folder: Path, source: Path) -> dict[str, list[str]]:
    """Evaluations of captions, and of files of others."""
    rooms = folder / "a3ds-pairs"
    if not (rooms / "manifest.json").is_file():
        measure(["make", "a3ds", *CAPTIONS, "--out", str(rooms)], source)
    found = {
        "evaluate a3ds --test-sets": ["evaluate", "random", "--data", str(rooms)],
        f"evaluate {' '.join(SPOKEN)}": ["evaluate", *SPOKEN],
    }
    for name, records in READ.items():
        path, _ = write_sample(name, folder / f"{name}-{records}", records)
        found[f"evaluate {name}, {records:,} records"] = ["evaluate", "random", "--data", str(path)]
    return found


def _row(name: str, words: list[str], before: Path | None, after: Path) -> str:
    costs = []
    for source in (before, after):
        with TemporaryDirectory() as aside:
            line = [str(Path(aside) / "new") if word == "NEW" else word for word in words]
            costs.append(None if source is None else measure(line, source))
    earlier, now = costs
    assert now is not None
    cells = ["", "", ""] if earlier is None else [f"{earlier.cpu:.1f} s", f"{earlier.megabytes:.0f} MB", ""]
    ratio = "" if earlier is None else f"{now.cpu / earlier.cpu:.2f}"
    return f"| {name} | {cells[0]} | {now.cpu:.1f} s | {ratio} | {cells[1]} | {now.megabytes:.0f} MB |"


def main() -> int:
    """Measure, print, optionally write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--before", type=Path, help="the folder src of an earlier version")
    parser.add_argument("--folder", type=Path, help="where data are kept for the next time")
    parser.add_argument("--only", default="", help="only commands that contain one of these, separated by commas")
    parser.add_argument("--write", type=Path, help="write the page as Markdown")
    options = parser.parse_args()
    after = Path(__file__).parents[1] / "src"
    with TemporaryDirectory() as aside:
        commands = _commands(options.folder or Path(aside), after)
        for source in filter(None, (options.before, after)):
            measure(["warm"], source, workers=1)  # kernels are compiled before anything is measured
        rows = []
        for name, words in commands.items():
            if any(some in name for some in options.only.split(",")):
                rows.append(_row(name, words, options.before, after))
                print(rows[-1], flush=True)
    if options.write:
        _, heading, section = options.write.read_text(encoding="utf-8").partition(MEMORY)  # of benchmarks.growth
        page = PAGE.format(machine=describe_machine(), rows="\n".join(rows))
        options.write.write_text(page + heading + section, encoding="utf-8")
    return 0


PAGE = """# Makers, checks, audits and evaluations among workers

Made by `python -m benchmarks.sharing --before EARLIER --write docs/results/sharing.md` on {machine}.

CPU seconds of all processes of a command with `--workers 2`, its start included, and the memory of its largest
process. *Before* is the version in which checks, audits and evaluations of most worlds were done by one process. Both
were run one after the other, on a machine with much other work, so that the clock says nothing and single ratios may
be off by a tenth. More than 2 cores were not to be had.

| command | before | now | now / before | memory before | memory now |
|---|---|---|---|---|---|
{rows}

- Processes are started once half a second of work shows that they save time: short commands stay in one process.
- What is under way is twice as many pieces as workers. What grows with the number of examples stands below.

"""


if __name__ == "__main__":
    sys.exit(main())
