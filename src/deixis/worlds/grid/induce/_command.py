"""`deixis induce`: abstract-reasoning tasks in the layout of ARC, their solver and their checks."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path  # noqa: TC003 (options are made from annotations)
from typing import TYPE_CHECKING, Any

from deixis._options import names_in
from deixis.data._crew import tell_nobody
from deixis.errors import RecipeError
from deixis.report.output import Output, TextTable


if TYPE_CHECKING:
    from deixis.data._crew import Progress
    from deixis.worlds.grid.induce.rule import Task


FEW = 5  # tasks with faults shown in text


def induce(  # noqa: PLR0913 (each is an option)
    *,
    out: Path | None = None,
    solve: Path | None = None,
    check: Path | None = None,
    tasks: int = 500,
    pairs: int = 3,
    operations: str = "",
    patterns: str = "",
    grid_size: int = 6,
    objects: int = 8,
    pictures: int = 0,
    seed: int = 42,
    workers: int | None = None,
    progress: Progress = tell_nobody,
) -> Output:
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
        seed: Random seed; 42 by default.
        workers: How many processes make tasks, one per core by default; the result does not depend on it.
        progress: Told how far things are.
    """
    if sum(folder is not None for folder in (out, solve, check)) != 1:
        raise RecipeError("give one folder: --out to make tasks, --solve to solve them or --check to check them")
    if solve is not None:
        return _solve(solve, progress)
    if check is not None:
        return _check(check, progress)
    from deixis.worlds.grid.induce.make import TaskRecipe

    recipe = TaskRecipe.from_names(
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
    return _make(recipe, out, pictures=pictures, workers=workers, progress=progress)


def _make(recipe: Any, out: Path, *, pictures: int, workers: int | None, progress: Progress) -> Output:
    from deixis.worlds.grid.induce.files import write_tasks
    from deixis.worlds.grid.induce.make import make_tasks

    start = time.monotonic()
    counts: Counter[tuple[str, str, int]] = Counter()
    replaced = 0
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
    rows = [(key, f"{n:,}") for key, n in run["by pairs"].items()]
    made = f"Made {run['tasks']:,} tasks in {run['seconds']:.1f} seconds in {out}; {replaced:,} commands were replaced."
    table = TextTable(("pairs shown", "tasks"), rows, numbers=(0, 1))
    return Output(values=run, blocks=[table, made, f"Next: deixis induce --solve {out}"])


def _by(counts: Counter[tuple[str, str, int]], place: int) -> dict[str, int]:
    """Return how many tasks there are by operation (0), pattern (1) or number of pairs (2)."""
    totals: Counter[Any] = Counter()
    for key, number in counts.items():
        totals[key[place]] += number
    return {str(name): totals[name] for name in sorted(totals)}


def _draw(task: Task, folder: Path) -> None:
    """The sheet with a question mark, and the one with rule and answer."""
    from deixis.worlds.grid.induce.pixels import draw_task_png, draw_task_svg

    folder.mkdir(parents=True, exist_ok=True)
    for name, shows in (("", False), ("-solved", True)):
        path = folder / f"task-{task.number:05d}{name}"
        path.with_suffix(".svg").write_text(draw_task_svg(task, rule=shows, answer=shows), encoding="utf-8")
        path.with_suffix(".png").write_bytes(draw_task_png(task, rule=shows, answer=shows))


def _solve(folder: Path, progress: Progress) -> Output:
    from deixis.worlds.grid.induce.files import list_tasks
    from deixis.worlds.grid.induce.solve import solve_folder

    start, total = time.monotonic(), len(list_tasks(folder))
    attempts = []
    for attempt in solve_folder(folder):
        attempts.append(attempt)
        progress("tasks", len(attempts), total)
    right, seconds = sum(attempt.is_right for attempt in attempts), time.monotonic() - start
    answers = [{"task": a.path.name, "right": a.is_right, "rule": a.rule} for a in attempts]
    wrong = [attempt for attempt in attempts if not attempt.is_right][:FEW]
    return Output(
        values={"tasks": total, "right": right, "seconds": round(seconds, 3), "answers": answers},
        blocks=[
            *(f"{attempt.path.name}: {attempt.rule or 'no rule explains its pairs'}" for attempt in wrong),
            f"{right:,} of {total:,} tasks solved in {seconds:.1f} seconds.",
        ],
        code=int(right < total),
    )


def _check(folder: Path, progress: Progress) -> Output:
    from deixis.worlds.grid.induce.files import list_tasks
    from deixis.worlds.grid.induce.solve import check_folder

    total = len(list_tasks(folder))
    findings = []
    for finding in check_folder(folder):
        findings.append(finding)
        progress("tasks", len(findings), total)
    faulty = [finding for finding in findings if finding.faults]
    listed = [{"task": finding.path.name, "faults": list(finding.faults)} for finding in faulty]
    said = f"{len(faulty):,} faulty" if faulty else "all sound"
    return Output(
        values={"tasks": total, "faulty": len(faulty), "findings": listed},
        blocks=[
            *(f"{finding.path.name}: {'; '.join(finding.faults)}" for finding in faulty[:FEW]),
            f"{total:,} tasks checked: {said}.",
        ],
        code=int(bool(faulty)),
    )


COMMANDS = {"induce": induce}
