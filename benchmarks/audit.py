"""How fast photographs are audited, and how much faster than by the definition of resolution.

python -m benchmarks.audit
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.machine import Row
from deixis.audits._plain import AuditCount, KnownScenes
from deixis.audits.measures import reorderings
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.making.make import CopsRefRecipe, make_copsref


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.photos.localise import Example


__all__ = ["measure_audit"]

RECIPE = CopsRefRecipe(seed=3, images=80, val=0.1, test=0.8, each=3, guarded=False)
PROMISED = 3.0  # times as fast as by the definition, on these few examples


def main() -> int:
    """Measure and print; 1 when a promise is broken."""
    rows = measure_audit()
    for row in rows:
        print(f"{row.name}: {row.value:,.4g} {row.unit}")
    return 1 if any(row.is_broken for row in rows) else 0


def measure_audit(count: int = 60) -> list[Row]:
    """Examples with their images that are audited per second of processor time, in two ways with the same counts."""
    with tempfile.TemporaryDirectory() as folder:
        data = open_copsref(make_copsref(RECIPE, Path(folder) / "data").path)
        shown = (data[number] for number in data.numbers("test"))
        some = [one for one in shown if one.is_there and one.distractors][:count]
        _count(some[:2], KnownScenes())  # what is read once is read before the clock starts
        by_definition = KnownScenes()
        by_definition.memory = None  # type: ignore[assignment]
        plain, expected = _count(some, by_definition)
        fast, found = _count(some, KnownScenes())
        if found != expected:
            raise AssertionError("both ways must count the same")
    return [
        Row("photographs audited, with their distractor images", len(some) / fast, "examples/s"),
        Row("the same against the definition of resolution", plain / fast, "times", at_least=PROMISED),
    ]


def _count(examples: Sequence[Example], known: KnownScenes) -> tuple[float, dict[str, object]]:
    """Seconds of the processor, and what was counted."""
    start = time.process_time()
    count = AuditCount(bag=reorderings, known=known)
    for example in examples:
        count.add(example)
    return time.process_time() - start, count.audit().to_dict()


if __name__ == "__main__":
    sys.exit(main())
