"""`deixis warm`: compile the kernels now, so that nobody has to wait later."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json


__all__ = ["warm"]


def warm(*, seed: Seed | None = None, workers: Count | None = None, as_json: Json = False) -> int:
    """Compile the kernels and keep them; about a minute, once after installing.

    A handful of examples is made and checked in a temporary folder, which uses all of them.

    Args:
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; there is nothing to divide here.
        as_json: Print JSON instead of text.
    """
    from deixis.audits.run import audit_tables
    from deixis.datasets.checks import check_dataset
    from deixis.datasets.make import make
    from deixis.datasets.recipe import MODES, Pool, Recipe
    from deixis.worlds.shapes.draw import draw_room

    del seed, workers
    start = time.monotonic()
    rows = 0
    with TemporaryDirectory(prefix="deixis-warm-") as folder:
        for mode in MODES:
            names = ("p1",) if mode == "gscan" else ("p1", "p2", "p3")
            pools = tuple(Pool(name=name, pattern=name, commands=2, worlds=1) for name in names)
            dataset = make(Recipe(mode=mode, pools=pools, hold_out=()), Path(folder) / mode, workers=1)
            rows += check_dataset(dataset).rows
            audit_tables(dataset.tables())
    draw_room(0)
    seconds = time.monotonic() - start
    if as_json:
        print_json({"seconds": round(seconds, 3), "examples": rows})
    else:
        print(f"The kernels are ready ({seconds:.1f} seconds; {rows} examples made and checked).")
    return 0
