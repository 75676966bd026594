"""`deixis induce`: abstract-reasoning tasks in the layout of ARC, their solver and their checks."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.cli.options import Count, Json, Seed, names_in
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from deixis.tasks.induce.rule import Task


__all__ = ["induce"]

FEW = 5  # tasks with faults shown in text


def induce(
    *,
    out: Path | None = None,
    solve: Path | None = None,
    check: Path | None = None,
    tasks: Count = 500,
    pairs: Count = 3,
    operations: str = "",
    patterns: str = "",
    grid_size: Count = 6,
    objects: Count = 8,
    pictures: int = 0,
    seed: Seed = 42,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Make abstract-reasoning tasks (--out), solve them by search (--solve), or check them (--check).

    A task shows pairs of worlds before and after a rule, such as "Find the red circle; make it one size larger.", and
    asks what the rule makes of one world more. No other rule that is not longer explains its pairs.

    Args:
        out: The folder for new tasks, one JSON file each in the layout of the Abstraction and Reasoning Corpus.
        solve: A folder with tasks to solve, from their matrices alone; the exit code is 1 when one is wrong.
        check: A folder with tasks to check: layout, rule, identifiability; the exit code is 1 when one is faulty.
        tasks: How many to make; 500 by default.
        pairs: How many pairs a task shows at least; 3 by default, more where the rule would not be plain.
        operations: What rules do: draw, enlarge, change-shape, draw-adjacent, move; all in turn by default.
        patterns: The patterns of their expressions, p1,p2,p3 by default.
        grid_size: Cells along one side, 4 to 6; 6 by default.
        objects: How many objects a world has; 8 by default.
        pictures: Draw the sheets of so many tasks, as SVG and PNG.
        seed: Everything random follows from it; 42 by default.
        workers: How many processes make tasks, one per core by default; the result does not depend on it.
        as_json: Print JSON instead of text.
    """
    if sum(folder is not None for folder in (out, solve, check)) != 1:
        raise RecipeError("give one folder: --out to make tasks, --solve to solve them or --check to check them")
    if solve is not None:
        return _solve(solve, as_json=as_json)
    if check is not None:
        return _check(check, as_json=as_json)
    from deixis.tasks.induce.make import TaskRecipe

    recipe = TaskRecipe.named(
        operations=names_in(operations),
        patterns=names_in(patterns),
        tasks=tasks,
        pairs=pairs,
        most_pairs=max(pairs, TaskRecipe().most_pairs),
        grid_size=grid_size,
        objects=objects,
        seed=seed,
    )
    assert out is not None
    return _make(recipe, out, pictures=pictures, workers=workers, as_json=as_json)


def _make(recipe: Any, out: Path, *, pictures: int, workers: int | None, as_json: bool) -> int:
    from deixis.tasks.induce.files import write_tasks
    from deixis.tasks.induce.make import make_tasks

    start = time.monotonic()
    counts: Counter[tuple[str, str, int]] = Counter()
    replaced = 0
    with Stages() as progress:
        for task in write_tasks(recipe, make_tasks(recipe, workers=workers), out):
            counts[task.rule.operation.value, task.pattern, len(task.train)] += 1
            replaced += task.replaced
            if task.number < pictures:
                _draw(task, out / "pictures")
            progress("tasks", counts.total(), recipe.tasks)
    run: dict[str, Any] = {
        "path": str(out),
        "tasks": counts.total(),
        "by pairs": _by(counts, 2),
        "by operation": _by(counts, 0),
        "by pattern": _by(counts, 1),
        "commands replaced": replaced,
        "seconds": round(time.monotonic() - start, 3),
    }
    if as_json:
        print_json(run)
        return 0
    print_table(("pairs shown", "tasks"), [(key, f"{n:,}") for key, n in run["by pairs"].items()], numbers=(0, 1))
    print(f"Made {run['tasks']:,} tasks in {run['seconds']:.1f} seconds in {out}; {replaced:,} commands were replaced.")
    print(f"Next: deixis induce --solve {out}")
    return 0


def _by(counts: Counter[tuple[str, str, int]], place: int) -> dict[str, int]:
    """How many tasks there are by operation (0), pattern (1) or number of pairs (2)."""
    totals: Counter[Any] = Counter()
    for key, number in counts.items():
        totals[key[place]] += number
    return {str(name): totals[name] for name in sorted(totals)}


def _draw(task: Task, folder: Path) -> None:
    """The sheet with a question mark, and the one with rule and answer."""
    from deixis.tasks.induce.draw import draw_task_png, draw_task_svg

    folder.mkdir(parents=True, exist_ok=True)
    for name, shows in (("", False), ("-solved", True)):
        path = folder / f"task-{task.number:05d}{name}"
        path.with_suffix(".svg").write_text(draw_task_svg(task, rule=shows, answer=shows), encoding="utf-8")
        path.with_suffix(".png").write_bytes(draw_task_png(task, rule=shows, answer=shows))


def _solve(folder: Path, *, as_json: bool) -> int:
    from deixis.tasks.induce.check import solve_folder
    from deixis.tasks.induce.files import list_tasks

    start, total = time.monotonic(), len(list_tasks(folder))
    attempts = []
    with Stages() as progress:
        for attempt in solve_folder(folder):
            attempts.append(attempt)
            progress("tasks", len(attempts), total)
    right, seconds = sum(attempt.is_right for attempt in attempts), time.monotonic() - start
    if as_json:
        answers = [{"task": a.path.name, "right": a.is_right, "rule": a.rule} for a in attempts]
        print_json({"tasks": total, "right": right, "seconds": round(seconds, 3), "answers": answers})
    else:
        for attempt in [attempt for attempt in attempts if not attempt.is_right][:FEW]:
            print(f"{attempt.path.name}: {attempt.rule or 'no rule explains its pairs'}")
        print(f"{right:,} of {total:,} tasks solved in {seconds:.1f} seconds.")
    return int(right < total)


def _check(folder: Path, *, as_json: bool) -> int:
    from deixis.tasks.induce.check import check_folder
    from deixis.tasks.induce.files import list_tasks

    total = len(list_tasks(folder))
    findings = []
    with Stages() as progress:
        for finding in check_folder(folder):
            findings.append(finding)
            progress("tasks", len(findings), total)
    faulty = [finding for finding in findings if finding.faults]
    if as_json:
        listed = [{"task": finding.path.name, "faults": list(finding.faults)} for finding in faulty]
        print_json({"tasks": total, "faulty": len(faulty), "findings": listed})
    else:
        for finding in faulty[:FEW]:
            print(f"{finding.path.name}: {'; '.join(finding.faults)}")
        print(f"{total:,} tasks checked: {len(faulty):,} faulty." if faulty else f"{total:,} tasks checked: all sound.")
    return int(bool(faulty))
