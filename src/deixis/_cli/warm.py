"""`deixis warm`: compile the kernels now, so that nobody has to wait later."""

from __future__ import annotations

import time

from deixis._cli.options import Count, Json, Seed
from deixis._cli.printing import print_json


def warm(*, seed: Seed | None = None, workers: Count | None = None, as_json: Json = False) -> int:
    """Compile the kernels once, in about a minute.

    A handful of examples is made and checked in a temporary folder, which uses all of them.

    Args:
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; this one runs in one process.
        as_json: Print JSON instead of text.
    """
    from deixis.worlds.registry import parts_of

    del seed, workers
    start = time.monotonic()
    rows = sum(part.warm() for _, part in parts_of("recipes") if hasattr(part, "warm"))
    seconds = time.monotonic() - start
    if as_json:
        print_json({"seconds": round(seconds, 3), "examples": rows})
    else:
        print(f"The kernels are ready ({seconds:.1f} seconds; {rows} examples made and checked).")
    return 0
