"""`deixis demo`: a small dataset of a world, its checks, and what else the world has to show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deixis._cli.make import run_recipe
from deixis._cli.options import Count, Json, Seed
from deixis._cli.printing import print_output
from deixis._cli.progress import Stages


if TYPE_CHECKING:
    from deixis.report.output import Output
    from deixis.worlds.world import World


def demo(
    *,
    world: str = "",
    out: Path = Path("deixis-demo"),
    seed: Seed = 42,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Make, check and audit a small dataset, and write a report.

    Args:
        world: World to demonstrate; by default the first that writes a report.
        out: The folder, deixis-demo by default; finished datasets in it are used again.
        seed: Random seed; 42 by default.
        workers: How many threads; the result does not depend on it.
        as_json: Print JSON instead of text.
    """
    from deixis.worlds.registry import find_world, known_worlds

    chosen = find_world(world) if world else next(iter(known_worlds().values()))
    show = getattr(chosen.part("recipes"), "demonstrate", None)
    try:
        if show is None:
            output = _make_and_check(chosen, out / chosen.name, seed=seed, workers=workers)
        else:
            with Stages(compiles=True) as progress:
                output = show(out, seed=seed, workers=workers, progress=progress)
    except KeyboardInterrupt:
        message = f"stopped; what is finished is kept in {out}, the same command goes on from there"
        raise KeyboardInterrupt(message) from None
    print_output(output, as_json=as_json)
    return output.code


def _make_and_check(world: World, out: Path, *, seed: int, workers: int | None) -> Output:
    from deixis.data._crew import count_workers
    from deixis.data.checks import CheckRequest
    from deixis.data.recipes import offer
    from deixis.report.output import Output

    made = run_recipe(world, offer(world, "demo")(seed), out, workers=workers)
    if not world.has("checks"):
        return made
    with Stages() as progress:
        report = world.part("checks").check(out, CheckRequest(workers=count_workers(workers), progress=progress))
    found = ", ".join(f"{code} {count:,}" for code, count in report.counts.items()) or "nothing found"
    return Output(
        values={"dataset": made.values, "checks": report.as_dict()},
        blocks=[*made.blocks[:-1], f"Checks: {found}.", f"Next: deixis show {out} 0"],
        code=int(report.has_errors),
    )
