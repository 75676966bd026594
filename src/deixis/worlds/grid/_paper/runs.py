"""Runs of models that say plans: what is read of them, and which row and column of Tables 2 and 3 they belong to.

Where only judging wrote into a folder there is no `run.json`, and what the evaluation says of the model has to do.
Results on further datasets lie in folders `on-NAME` in a run folder.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deixis.data._kept_results import APART
from deixis.errors import BrokenDataset
from deixis.judge.uncertainty import wilson
from deixis.report import _runs as runs
from deixis.report._json_facts import MAX_COUNT, demand_kind, flat_facts, printable
from deixis.report._results.groups import demand_different_seeds, group_runs
from deixis.report._runs import EVALUATION, RUN, Results, Run, training_fields
from deixis.worlds.grid._paper.models import known_results
from deixis.worlds.grid.judging import POINTING
from deixis.worlds.grid.judging.navigation import KIND, MEASURES
from deixis.worlds.grid.training.settings import Training


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from deixis.judge.uncertainty import Estimate
    from deixis.report._json_facts import Facts
    from deixis.report._results.groups import Group
    from deixis.worlds.grid._paper.models import TableRow


UNTRAINED = ("random", "oracle")  # models that are not trained
POINTED = ("right_target",)  # the measures of answers that point at an object
# Settings that say where or as what a run was made, not how: runs that differ in these only are of one column.
IGNORED = {"seed", "name", "out", "folder", "path", "device", "workers", "data"}
IGNORED |= {"eval_every", "log_every", "save_every", "dev_examples", "decode_limit", "compile", "half", "tensorboard"}
ELSEWHERE = ("model", "settings", "quirks", "seed", "steps", "batch_size")  # what run.json says beside the recipe
EARLIER = {"rare_first": "0", "rare_share": "0.2", "weight_decay": "0.0", "pointing": "0.0"}  # before there were such


def read_run(folder: Path) -> Run:
    """Read a run folder.

    Raises:
        BrokenDataset: when a file is missing, is no JSON or has impossible values.
    """
    is_apart = folder.resolve().name.startswith(APART) and not (folder / RUN).exists()
    run = runs.read_run(folder, home=folder.resolve().parent if is_apart else folder, kind="run")
    if not run.judged.values:
        if not (folder / RUN).exists():
            raise BrokenDataset(
                f"{folder} holds nothing to report; name a folder that `deixis evaluate --out` wrote to"
            )
        raise BrokenDataset(f"there is no {folder / EVALUATION}; judge the model first, with deixis evaluate")
    demand_kind(run.judged, KIND)
    said, answered = run.judged.text("model", ""), run.judged.inner("predictions").without_nulls()
    run = replace(run, results=read_results(run.judged))
    if not run.trained.values:
        told = {} if said.lower() in UNTRAINED else training_fields(answered)
        return replace(run, **{**told, "model": said or run.folder})
    seed = answered.find_count("seed")
    if said not in ("", run.model, run.trained.text("name", "")) or seed not in (None, run.seed):
        here = f"{said or 'a model'}{'' if seed is None else f' with seed {seed}'}"
        raise BrokenDataset(f"{folder / EVALUATION} judges {here}, but {RUN} is of {run.model}, seed {run.seed}")
    return run


def read_results(judged: Facts) -> Results:
    """Read the results in evaluation.json, or raise `BrokenDataset` where no example was judged."""
    demand_kind(judged, KIND)
    measures = POINTED if is_pointing(judged) else MEASURES
    splits = {printable(name): judged.inner("splits").inner(name) for name in judged.inner("splits").values}
    splits = {name: found for name, found in splits.items() if found.count("examples")}
    if not splits:
        raise BrokenDataset(f"{judged.where} judges no example of any split")
    kinds = dict.fromkeys(kind for found in splits.values() for kind in found.inner("by").values)
    return Results(
        data=judged.text("data", ""),
        digest=judged.text("digest", ""),
        scores={name: _estimates(found, measures) for name, found in splits.items()},
        groups={kind: {name: _group(found, kind, measures) for name, found in splits.items()} for kind in kinds},
        outcomes={name: found.counts("choices") for name, found in splits.items()},
        roles={name: found.counts("wrong_objects_by_role") for name, found in splits.items()},
        misreadings={name: found.counts("wrong_objects_by_misreading") for name, found in splits.items()},
        remarks=(
            *(f"{count:,.0f} × plans {name}" for name, count in judged.counts("strange_answers").items()),
            *(f"{count:,.0f} × {name}" for name, count in judged.counts("faults").items()),
        ),
    )


def _group(found: Facts, kind: str, measures: Iterable[str]) -> dict[str, dict[str, Estimate]]:
    parts = found.inner("by").inner(kind)
    each = {printable(name): parts.inner(name) for name in parts.values}
    return {name: _estimates(part, measures) for name, part in each.items() if part.count("examples")}


def _estimates(found: Facts, measures: Iterable[str]) -> dict[str, Estimate]:
    examples = found.count("examples")
    if examples > MAX_COUNT:
        raise BrokenDataset(f"{found.where}: {examples} examples are more than can be")
    first, *others = measures
    shares = {first: found.share(first), **{measure: found.find_share(measure) for measure in others}}
    return {
        name: wilson(round(one * examples), examples)._replace(mean=one)
        for name, one in shares.items()
        if one is not None
    }


def is_pointing(judged: Facts) -> bool:
    """Return whether the answers only point at objects, so that there are no plans that a table could compare."""
    about = judged.values.get("predictions")
    return isinstance(about, dict) and about.get("task") == POINTING


def is_untrained(run: Run) -> bool:
    """Return whether a model needs no training."""
    return run.model.lower() in UNTRAINED


# -------------------------------------------------------------------------------- rows and columns


def place_of(run: Run) -> TableRow | None:
    """Return the row of Table 2 that a run was trained for, or None where there is no such row.

    A model that is not trained, or of whose training nothing is known, belongs where the examples that it was judged on
    belong, unless these leave it open. A model that was judged on a test set of Table 3 belongs there.
    """
    rows = known_results().rows["table2"]
    if run.training is not None and (trained := run.training.facts.texts("patterns")):
        key = tuple(sorted(trained)), run.training.facts.flag("random_only")
        return next((row for row in rows if (row.patterns, row.random_only) == key), None)
    by_pattern = run.results.groups.get("pattern", {})
    judged = next((by_pattern.get(name, {}) for name in ("test", "dev") if name in run.results.scores), {})
    patterns = tuple(sorted(judged))
    found = next((row for row in rows if row.patterns == patterns and not row.random_only), None)
    if found is not None and patterns != ("p3",):  # with random distractors only or not: nobody says
        return found
    held_out = {row.split for row in known_results().rows["table3"]} - {"test"}
    return next((row for row in rows if row.key == "all"), None) if held_out & run.results.scores.keys() else None


def score_of(run: Run, row: TableRow, part: str, measure: str = "exact") -> Estimate | None:
    """Return the score of a run in a row of a table, or None where it was not judged there."""
    split = row.split or part
    if row.pattern:
        return run.results.groups.get("pattern", {}).get(split, {}).get(row.pattern, {}).get(measure)
    return run.results.scores.get(split, {}).get(measure)


def columns_of(found: Sequence[Run]) -> list[Group[Run]]:
    """Return the columns of runs, in the order of published models, with columns of their own for added faults."""
    known = known_results()

    def kind(run: Run) -> tuple[str, str]:
        model = known.model(run.model)
        quirks = sorted(run.trained.texts("quirks"))
        title = " + ".join((model.title if model else run.model, *(quirk.replace("_", " ") for quirk in quirks)))
        return model.key if model else "", title

    columns = group_runs(
        found,
        kind=kind,
        traits=_traits,
        order=lambda run: (-1 if run.seed is None else run.seed, run.folder),
        has_settings=lambda run: "settings" in run.trained.values,
        within=lambda run: getattr(place_of(run), "key", ""),
        earlier=EARLIER,
    )
    for one in columns:
        demand_different_seeds(
            one.label,
            one.runs,
            seed=lambda run: (run.seed, getattr(place_of(run), "key", "")),
            folder=lambda run: run.folder,
        )
    order = [model.key for model in known.models]
    return sorted(
        columns,
        key=lambda one: (order.index(one.key) if one.key else len(order), one.title, bool(one.differs), one.label),
    )


def _traits(run: Run) -> dict[str, Any]:
    """How a run was made and judged."""
    recipe = Training.rename(run.trained.inner("recipe").values)
    course = {name: value for name, value in recipe.items() if name not in ELSEWHERE}
    settings = dict(flat_facts({**course, **run.trained.inner("settings").values}))
    known = {**(EARLIER if settings else {}), **settings}
    found = {name: value for name, value in known.items() if name.rpartition(".")[2] not in IGNORED}
    found |= {name: f"{count:,}" for name, count in (("steps", run.steps), ("batch size", run.batch_size)) if count}
    found["judged up to"] = f"{run.judged.find_count('decode_limit')} actions"
    found["judged on data"] = run.results.digest[:8] or run.results.data
    if run.training is not None:
        found["trained on data"] = run.training.digest[:8]
        found["begins with"] = "a checkpoint" if run.training.begins_with else "fresh weights"
    return found
