"""`deixis report`: the tables of papers for trained models, beside the published numbers."""

from __future__ import annotations

from dataclasses import replace
from operator import methodcaller
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from deixis._cli.options import Count, Json, Seed
from deixis._cli.printing import print_json, print_output, print_written
from deixis._cli.progress import Stages
from deixis._study.settings import is_study
from deixis.errors import BrokenDataset, RecipeError
from deixis.report._json_facts import printable
from deixis.report._runs import EVALUATION, facts_in
from deixis.worlds.registry import find_world, known_worlds, world_whose, worlds_with


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.report.output import Output


def report(
    runs: Annotated[list[Path], Parameter(name="RUN", negative=())],
    /,
    *,
    out: Path | None = None,
    notes: Path | None = None,
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Compare trained models with the published tables.

    Runs that differ only in their seeds are put together: the mean and the standard deviation over seeds, or one seed
    with its interval. Runs of several worlds are reported one world after the other.

    Args:
        runs: Folders that deixis train or deixis evaluate --out wrote to; or a study of deixis study with what people
            answered, and after it files of what models answered to its prompts.jsonl. Results on further datasets
            (on-NAME) stand beside; of a speaker, what it said lies in the folder said of its run (deixis evaluate RUN
            --out RUN/said) and in others named said-….
        out: A folder for report.html, the tables as Markdown and CSV, report.json and all figures as PNG and SVG; for
            runs of several worlds, a folder of each world in it.
        notes: A TOML file with a sentence for each cell that differs, e.g. a2 = "…" under [table3.m-lstm], or
            relevance = "…" under [table1.RP]; for a statement why = "…" under [claims.random].
        seed: Random seed of the intervals of a study; nothing else is random here.
        workers: Accepted by every verb; this one runs in one process.
        as_json: Print JSON instead of text.
    """
    del workers
    if is_study(runs[0]):
        return _report_study(runs[0], runs[1:], out=out, seed=seed or 0, as_json=as_json)
    groups = _by_world(runs)
    if notes is not None and len(groups) > 1:
        raise RecipeError(
            f"--notes are about one paper, and these are runs of {' and '.join(groups)}; report them apart"
        )
    found: dict[str, Output] = {}
    with Stages() as progress, TemporaryDirectory(prefix="deixis-report-") as scratch:
        places = [out] if out is None or len(groups) == 1 else [Path(scratch), out]  # first see that all can be written
        for place in places:
            for name, some in groups.items():
                inside = place / name if place is not None and len(groups) > 1 else place
                found[name] = find_world(name).part("paper").report(some, out=inside, notes=notes, progress=progress)
    if as_json:
        told = {name: {**one.values, "files": [str(path) for path in one.files]} for name, one in found.items()}
        print_json(told if len(told) > 1 else next(iter(told.values())))
        return 0
    for name, one in found.items():
        if len(found) > 1:
            print(f"{find_world(name).title}\n")
        print_output(replace(one, files=()), as_json=False)
    print_written([path for one in found.values() for path in one.files], out)
    return 0


def _report_study(folder: Path, models: Sequence[Path], *, out: Path | None, seed: int, as_json: bool) -> int:
    """Report what people answered in a study, beside models."""
    from deixis._study.analysis import analyse
    from deixis._study.design import read_study
    from deixis._study.output import output_of, write_results

    found = analyse(read_study(folder), models={path.stem: path for path in models}, seed=seed)
    files = write_results(found, out) if out is not None else []
    print_output(replace(output_of(found), files=files), as_json=as_json)
    return 0


def _by_world(runs: Sequence[Path]) -> dict[str, list[Path]]:
    """The runs of each world, in the order in which worlds first occur.

    Raises:
        BrokenDataset: when a folder is that of no world with a paper.
    """
    found: dict[str, list[Path]] = {}
    for folder in runs:
        if not folder.is_dir():
            raise BrokenDataset(f"{folder} is no run folder: there is no such folder")
        world = world_whose("paper", methodcaller("recognises", folder))
        if world is None:
            raise BrokenDataset(f"{folder} holds nothing to report; {_advice(folder)}")
        found.setdefault(world.name, []).append(folder)
    return found


def _advice(folder: Path) -> str:
    """What would have been something to report."""
    able = worlds_with("paper")
    facts = facts_in(folder, EVALUATION)
    name, judged = facts.get("world"), facts.get("model")
    if isinstance(name, str) and name in known_worlds():
        what = f"results of {printable(judged)}" if isinstance(judged, str) else "results"
        if name in able:
            return f"its {what} on {name} are of no model that stands in a table; the studio shows them"
        return f"its {what} are on {name}, which has no published ones; worlds with some: {', '.join(able)}"
    return (
        "name a folder that `deixis train` left, or that `deixis evaluate MODEL --out` wrote to; "
        f"worlds with published results: {', '.join(able)}"
    )
