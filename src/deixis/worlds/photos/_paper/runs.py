"""Runs of models that ground expressions: what is read of them, and which row of Tables 3 and 4 they belong to.

| in the folder | |
|---|---|
| `run.json`, `log.jsonl` | how it was trained; missing where only judging wrote here, e.g. after retrieval |
| `evaluation.json` | how well it does; missing for SCAN, which finds images and no objects; all there is of answers |
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deixis.data.store import file_digest
from deixis.errors import BrokenDataset
from deixis.judge.uncertainty import Estimate
from deixis.report import _runs as runs
from deixis.report._json_facts import NO_FACTS, flat_facts, printable
from deixis.report._results.cells import measure
from deixis.report._results.groups import demand_different_seeds, group_runs
from deixis.report._runs import EVALUATION, RUN, Results, Run, facts_in, training_fields
from deixis.worlds.photos._judging.verdict_file import ABSENT
from deixis.worlds.photos._paper.models import published_results
from deixis.worlds.photos.training.settings import Grounding


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis.report._json_facts import Facts
    from deixis.report._results.cells import Measurement
    from deixis.report._results.groups import Group


BASELINES = ("random", "oracle")  # what is judged without a file of answers
ROLE, RETRIEVER, BEST = "grounding", "scan", "best.safetensors"
GROUPINGS = ("form", "length", "candidates")
TITLES = {
    "grounder": "GroundeR",
    "mattnet": "MattNet",
    "cm-att-erase": "CM-Att-Erase",
    "scan": "SCAN",
    "tree": "Tree",
    "deaf": "Deaf",
    "shuffle": "Shuffle",
    "obj-attr": "Obj-Attr",
}
# Settings that say where or for how long a run was made, not how: runs that differ in these only are of one row.
IGNORED = ("seed", "eval_every", "eval_examples", "log_every", "save_every", "record", "model", "probe", "mining")
EARLIER = {"anywhere": "0.0", "precision": "fp32"}  # of runs that were made before there was such a setting
SIZES = "sizes."  # before the names of sizes of the model that are not the published ones
GOES_ON, TRAINED_ON = "begins with a checkpoint", "trained on"
SHARED = ("features", "grid", "noise")  # what all models should have in common, so that they can be compared


def is_grounding_run(folder: Path) -> bool:
    """Return whether a folder says that it is of a model that grounds expressions, without checking it further."""
    return facts_in(folder, RUN).get("model") == ROLE or _is_grounding(facts_in(folder, EVALUATION))


def _is_grounding(facts: Mapping[str, Any]) -> bool:
    model = facts.get("model")
    has_retriever = isinstance(model, dict) and "retriever" in model
    return has_retriever or (isinstance(facts.get("settings"), dict) and "kind" not in facts and "predictions" in facts)


def read_grounding_run(folder: Path) -> Run:
    """Read a run folder.

    Raises:
        BrokenDataset: when a file is missing, is no JSON, has impossible values, or is of a model of another kind.
    """
    run = runs.read_run(folder, kind="run")
    if not is_grounding_run(folder):
        raise BrokenDataset(f"{folder} holds no model that grounds expressions; report models of other kinds apart")
    if run.trained.values and model_of(run)[0] == RETRIEVER:
        return run
    if not run.judged.values:
        raise BrokenDataset(f"there is no {folder / EVALUATION}; judge the model first, with deixis evaluate")
    about = about_model(run)
    if run.trained.values and (model_of(run), run.seed) != (_names_in(about), about.find_count("seed")):
        alone = replace(run, trained=NO_FACTS)
        raise BrokenDataset(
            f"{folder / EVALUATION} judges {row_of(alone)[1]}, seed {about.find_count('seed')}, but {RUN} is of "
            f"{row_of(replace(run, judged=NO_FACTS))[1]}, seed {run.seed}"
        )
    if not run.trained.values and about.values:
        run = replace(run, **{**training_fields(about), "trained": NO_FACTS})
    return replace(run, results=read_results(run.judged))


def read_results(judged: Facts) -> Results:
    """Read the results in evaluation.json, or raise `BrokenDataset` where no expression was judged in any setting."""
    settings = {name: judged.inner("settings").inner(name) for name in judged.inner("settings").values}
    absent = judged.inner(ABSENT)
    if not settings:
        raise BrokenDataset(f"{judged.where} judges no expression in any setting")
    scores = {printable(name): _scores(found) for name, found in settings.items()}
    scores |= {
        f"{printable(name)}, {ABSENT}": {"right": absent.inner(name).estimate("accuracy")} for name in absent.values
    }
    return Results(
        data=judged.text("data", ""),
        scores=scores,
        groups={
            what: {printable(name): _parts(found, f"by {what}") for name, found in settings.items()}
            for what in GROUPINGS
        },
        outcomes={printable(name): found.counts("outcomes") for name, found in settings.items()},
        roles={printable(name): found.counts("wrong choices by place") for name, found in settings.items()},
        misreadings={
            printable(name): found.counts("wrong choices by what was missed") for name, found in settings.items()
        },
        remarks=(
            *(f"{count:,.0f} × answers {name}" for name, count in judged.counts("strange answers").items()),
            *(f"{count:,.0f} × {name}" for name, count in judged.counts("faults").items()),
        ),
    )


def _scores(found: Facts) -> dict[str, Estimate]:
    right = found.estimate("accuracy")
    chance = found.find_share("chance")
    return {"right": right} | ({} if chance is None else {"chance": Estimate(chance, chance, chance, right.rows)})


def _parts(found: Facts, key: str) -> dict[str, dict[str, Estimate]]:
    return {printable(name): {"right": found.inner(key).estimate(name)} for name in found.inner(key).values}


# -------------------------------------------------------------------------------- what a run is


def about_model(run: Run) -> Facts:
    """Return the facts about the model in evaluation.json, or nothing for answers of unknown origin."""
    return run.judged.inner("model") if isinstance(run.judged.values.get("model"), dict) else NO_FACTS


def answers_of(run: Run) -> str:
    """Return the file of answers that was judged, where that is all that is known."""
    return "" if run.judged.values.get("model") is not None else run.judged.text("predictions", "")


def settings_of(run: Run) -> dict[str, Any]:
    """Return the settings of the training, under the names of today, or empty where they are not recorded."""
    return Grounding.rename(run.trained.inner("settings").values)


def model_of(run: Run) -> tuple[str, str, str]:
    """Return the model, the probe and where pairs are mined."""
    if run.trained.values:
        return _names_in(run.trained.inner("settings"))
    answers = answers_of(run)
    if answers:
        return (answers if answers in BASELINES else run.folder), "none", "none"
    return _names_in(about_model(run))


def _names_in(facts: Facts) -> tuple[str, str, str]:
    return facts.text("model"), facts.text("probe", "none"), facts.text("mining", "none")


def retriever_of(run: Run) -> str:
    """Return the digest of the checkpoint that found the image first, or empty where there was none."""
    return about_model(run).text("retriever", "")


def checkpoint_of(run: Run) -> str:
    """Return the digest of the checkpoint that was judged, or that training left."""
    best = run.path / BEST
    found = about_model(run).text("checkpoint", "")
    return found or (file_digest(best) if model_of(run)[0] == RETRIEVER and best.is_file() else "")


def features_of(run: Run) -> str:
    """Return the encoder of the regions."""
    settings = run.trained.inner("settings")
    trained = run.trained.inner("training").text("features", settings.text("features", ""))
    return about_model(run).text("features", trained)


def row_of(run: Run) -> tuple[str, str]:
    """Return the key of the row that a run belongs to, and its title where it is none of the paper's."""
    if (answers := answers_of(run)) in BASELINES:  # random is also where a model of the paper takes its pairs from
        return f"{answers} answers", f"{answers} answers"
    model, probe, mining = model_of(run)
    key, title = model, TITLES.get(model, model)
    if mining == "module-specific":
        key, title = f"{key}-mine", f"{title}-Mine"
    elif mining != "none":
        key = mining if model == "mattnet" else f"{key}-{mining}"
        title = f"{title}-Mine, {mining}"
    if probe != "none":
        key, title = f"{probe}-{key}", f"{TITLES.get(probe, probe)}-{title}"
    if retriever_of(run):
        key, title = f"{RETRIEVER}+{key}", f"{TITLES[RETRIEVER]}+{title}"
    known = next((row.title for row in published_results().tables[0].rows if row.key == key), title)
    return key, known


def groups_of(found: Sequence[Run]) -> tuple[Group[Run], ...]:
    """Group runs that differ in their seeds only, in the order of the tables."""
    groups = group_runs(
        found,
        kind=row_of,
        traits=_traits,
        order=lambda run: (run.seed or 0, run.folder),
        has_settings=lambda run: bool(settings_of(run)),
        earlier=EARLIER,
        shared=SHARED,
    )
    for group in groups:
        demand_different_seeds(group.label, group.runs, seed=lambda run: (run.seed,), folder=lambda run: run.folder)
    order = list(dict.fromkeys(row.key for table in published_results().tables for row in table.rows))
    groups = [_name_trained_on(group, groups) for group in groups]
    return tuple(
        sorted(groups, key=lambda one: (order.index(one.key) if one.key in order else len(order), one.differs))
    )


def _name_trained_on(group: Group[Run], groups: Sequence[Group[Run]]) -> Group[Run]:
    """Name runs that go on from others of their row by that alone, if there is one way of going on only."""
    going_on = [one for one in groups if one.key == group.key and GOES_ON in one.differs]
    return replace(group, differs=(TRAINED_ON,)) if going_on == [group] else group


def _traits(run: Run) -> dict[str, str]:
    """How a run was made and judged."""
    plain = dict(flat_facts(settings_of(run)))
    known = {**(EARLIER if plain else {}), **plain}
    found = {name.removeprefix(SIZES): value for name, value in known.items() if name not in IGNORED}
    found["features"] = features_of(run) or found.get("features", "")
    if run.training is not None and run.training.digest:
        found["trained on"] = f"{run.training.name} ({run.training.digest[:8]})"
    if plain:
        found["steps"] = f"{run.steps:,}"
        is_begun = run.training is not None and run.training.begins_with
        found["begins with"] = "a checkpoint" if is_begun else "fresh weights"  # as GOES_ON has it
    return found | {"judged on": f"{run.results.data}, {'+'.join(run.judged.texts('splits'))}"}


# -------------------------------------------------------------------------------- measures


def measure_setting(group: Group[Run], setting: str, what: str = "right") -> Measurement | None:
    """Return the share of right answers in a setting, in percent."""
    return measure([run.results.scores.get(setting, {}).get(what) for run in group.runs], scale=100)


def measure_parts(group: Group[Run], by: str, setting: str = "Full") -> dict[str, Measurement]:
    """Return the share of right answers by `form` or by `length`, in percent."""
    parts = [run.results.groups.get(by, {}).get(setting, {}) for run in group.runs]
    names = dict.fromkeys(name for one in parts for name in one)
    found = {name: measure([one.get(name, {}).get("right") for one in parts], scale=100) for name in names}
    return {name: one for name, one in found.items() if one is not None}


def share_of_wrong(run: Run, places: Sequence[str], setting: str = "Full") -> list[float]:
    """Return the shares of wrong choices by place, and those of the target's category, or empty without any."""
    found = run.results.roles.get(setting, {})
    total = math.fsum(found.values())
    if not total:
        return []
    same = run.judged.inner("settings").inner(setting).counts("wrong choices by category").get("same category", 0)
    return [*(found.get(name, 0) / total for name in places), same / total]
