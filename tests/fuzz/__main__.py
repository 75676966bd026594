"""Run the fuzzer: `python -m tests.fuzz --inputs 100000 --minutes 30`.

The work is done in a process of its own; one that dies is a failure, too, and the input that killed it is told.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.corpus import Corpus
from tests.fuzz.engine import Outcome, run_targets
from tests.fuzz.targets import all_targets


def main() -> int:
    """The exit code: 1 where anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000, help="how many in all")
    parser.add_argument("--minutes", type=float, default=10, help="after which to stop")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", default="", help="only targets that begin like this")
    parser.add_argument("--only", type=int, help="only the input of this number")
    parser.add_argument("--corpus", type=Path, help="a folder that keeps the seeds for the next run")
    parser.add_argument("--report", type=Path, help="a JSON file for what came of it")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.environ["DEIXIS_DEBUG"] = "1"
    if given.work or given.only is not None:
        return _work(given)
    return _watch(given)


def _work(given: argparse.Namespace) -> int:
    with TemporaryDirectory() as aside:
        folder = given.corpus or Path(aside) / "corpus"
        folder.mkdir(parents=True, exist_ok=True)
        targets = all_targets(Corpus(folder), Path(aside) / "scratch")
        chosen = [one for one in targets if one.name.startswith(given.target)]
        outcome = run_targets(
            chosen,
            seed=given.seed,
            inputs=given.inputs if given.only is None else len(chosen),
            seconds=60 * given.minutes,
            first=given.only or 0,
            note=None if given.report is None else given.report.with_suffix(".now"),
            tell=lambda text: print(text, flush=True),
        )
    _tell(outcome)
    if given.report is not None:
        values = {"inputs": outcome.inputs, "refused": outcome.refused, "failures": sorted(outcome.failures)}
        given.report.write_text(json.dumps(values, indent=1), encoding="utf-8")
    return int(bool(outcome.failures))


def _watch(given: argparse.Namespace) -> int:
    """Start the work; where it dies, say with which input."""
    words = [word for word in sys.argv[1:] if word != "--work"]
    with TemporaryDirectory() as aside:
        if given.report is None:
            words += ["--report", str(Path(aside) / "report.json")]
            given.report = Path(aside) / "report.json"
        code = subprocess.run([sys.executable, "-m", "tests.fuzz", *words, "--work"], check=False).returncode
        if code not in (0, 1):
            note = given.report.with_suffix(".now")
            where = note.read_text(encoding="utf-8") if note.exists() else "before the first input"
            print(f"the process died with {code} at: {where}")
    return int(code != 0)


def _tell(outcome: Outcome) -> None:
    print(f"{'target':24} {'inputs':>8} {'refused':>8} {'seconds':>8}")
    for name, count in outcome.inputs.items():
        print(f"{name:24} {count:8,} {outcome.refused.get(name, 0):8,} {outcome.seconds.get(name, 0):8.1f}")
    print(f"{outcome.total:,} inputs over {len(outcome.inputs)} readers, {len(outcome.failures)} kinds of failure")
    for key, often in outcome.repeated.items():
        print(f"  {often} times: {key}")


if __name__ == "__main__":
    sys.exit(main())
