"""Part `judging` of the grid: how well plans carry out instructions, and what they misread."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis._losses import Losses
from deixis._options import names_in, refuse_options
from deixis._version import __version__
from deixis.data._kept_results import demand_same, place_for, read_kept, write_evaluation
from deixis.data._split_names import names_in_split
from deixis.errors import BrokenDataset, UnknownName
from deixis.judge.request import AGAIN, ANSWERED, BASELINES, NO_EXAMPLE
from deixis.judge.verdicts import VERDICTS
from deixis.learn.run import find_checkpoint, is_word, shipped_checkpoints
from deixis.report.output import Output
from deixis.worlds.grid.data._commands import StoredCommands
from deixis.worlds.grid.data._judged_plans import places_of
from deixis.worlds.grid.data.example_arrays import data_digest, example_arrays
from deixis.worlds.grid.data.plans import NO_PLAN, read_plans, read_plans_in
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.formats._predictions import is_predictions
from deixis.worlds.grid.judging._crews import judge_with_crew
from deixis.worlds.grid.judging._tables import evaluation_blocks, fault_lines
from deixis.worlds.grid.judging._verdict_file import write_plan_verdicts
from deixis.worlds.grid.judging._wrong_plans import wrong_plans
from deixis.worlds.grid.judging.baselines import oracle_plans, random_plans
from deixis.worlds.grid.judging.navigation import GROUPINGS, PlanEvaluation, evaluate_plans
from deixis.worlds.grid.judging.verdicts import ExampleArrays, judge_all


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deixis.judge.request import Request
    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.judging.verdicts import Plans


PREDICTIONS = "predictions"  # the folder for what a model says
NOT_TESTED = ("train", "aside")  # splits that are judged only on request

answers = {
    "JSON Lines": '{"id": 12, "plan": "LWW"}',
    "Parquet": "the columns id and plan, in one file or in a folder of <split>.parquet",
    "predictions": "a list as gSCAN's authors write it, with the examples in it",
    "checkpoint": "a file or folder that `deixis train` left, or a model that comes with deixis",
}
baselines = {
    "random": "as many actions as the right plan has, each drawn from all six alike",
    "oracle": "the plan for what the command picks out",
}
measures = {
    "exact": "the recorded plan, action by action",
    "exact_cut_30": "its first 30 actions are those of the recorded plan",
    "tokens_right": "the mean share of actions that are right in their place",
    "got_there": "it leaves the agent and every object where the recorded plan leaves them",
    "right_target": "it makes for the target",
}
runs_on_clusters = True


def recognises(answers: Path) -> bool:
    """Return whether answers hold the examples that they are for, as gSCAN's prediction files do."""
    return is_predictions(answers)


def evaluate(request: Request) -> Output:
    """Judge plans."""
    groupings = [_one_of(name, GROUPINGS) for name in names_in(request.options.get("by", ""))]
    answer = request.answer
    data = answer if request.data is None and is_predictions(answer) else request.folder
    source = open_source(data)
    digest = data_digest(source)
    out = None if request.out is None else place_for(request.out, {"data": data.name, "digest": digest})
    is_baseline = str(answer) in BASELINES
    if out is not None and not is_baseline and (checkpoint := find_checkpoint(answer)) is not None:
        demand_same(out, _facts_of(checkpoint), _answerer(read_kept(out)), force=request.force)
    examples = ExampleArraysBySplit(source, request.progress)
    plans = plans_for(answer, examples, replace(request, out=out))
    asked = {name: examples[name] for name in plans}
    is_whole = request.crew is None and request.kept is None
    judge = judge_all if is_whole else partial(judge_with_crew, crew=request.crew, kept=request.kept)
    evaluation, verdicts = evaluate_plans(asked, plans, data=data.name, digest=digest, judge=judge)
    losses = _losses(source, asked, plans, again=evaluation.strange.get(ANSWERED, 0))
    losses.demand_few(where=answer, allowed=request.allow_losses)
    if not is_baseline and not evaluation.facts.get("checkpoint"):
        evaluation = replace(evaluation, facts={**evaluation.facts, "answers": answer.resolve().name})
    values = {"deixis": __version__, "world": "grid", **evaluation.to_dict()} | (
        {"losses": losses.to_dict()} if losses else {}
    )
    told = wrong_plans(asked, verdicts)
    values["wrong_answers"] = {split: [one.to_dict() for one in some] for split, some in told.items()}
    files, notes = [], []
    if out is not None:
        kept = read_kept(out)
        demand_same(out, _answerer(values) or {}, _answerer(kept), force=request.force)
        before = {} if kept is None or request.force else PlanEvaluation.from_dict(kept).to_dict()["splits"]
        others = [name for name in before if name not in evaluation.splits]
        write_plan_verdicts(out / VERDICTS, asked, verdicts, keep=not request.force)
        words = {name: some for name, some in _told_before(kept).items() if name in others}
        merged = {"splits": before | values["splits"], "wrong_answers": words | values["wrong_answers"]}
        files = [write_evaluation(out, {**values, **merged}), out / VERDICTS]
        notes += [f"Kept there of earlier: {', '.join(others)}"] if others else []
        notes += [f"{request.out} itself holds results on another dataset"] if out != request.out else []
    blocks = [*evaluation_blocks(evaluation, groupings), *fault_lines(evaluation, plans, losses)]
    return Output(values=values, blocks=blocks, files=files, notes=notes)


class ExampleArraysBySplit(dict[str, ExampleArrays]):
    """The examples of a dataset by split, each read on demand with a report to `progress`."""

    def __init__(self, data: Source, progress: Callable[..., None] | None = None) -> None:
        super().__init__()
        self.data = data
        self.commands = StoredCommands()
        self.progress = progress

    def __missing__(self, split: str) -> ExampleArrays:
        found = self[split] = example_arrays(self.data.tables(split), commands=self.commands, name=split)
        if self.progress is not None:
            self.progress("examples", sum(map(len, self.values())), None)
        return found

    @property
    def tested(self) -> list[str]:
        """The splits that are judged unless others are asked for: all but train, or all where there is nothing else."""
        known = self.data.splits
        if known is None:
            names = (name for table in self.data.tables() for name in table["split"].unique().to_pylist())
            known = dict.fromkeys((single for name in names for single in names_in_split(name)), 0)
        return [name for name in known if name not in NOT_TESTED] or list(known)


def plans_for(source: Path, examples: ExampleArraysBySplit, request: Request) -> dict[str, Plans]:
    """Return the plans to be judged, by split, from any source.

    Args:
        source: a folder of <split>.parquet, a Parquet file, JSON Lines, a checkpoint, a folder with one, or one of the
            words `random` and `oracle` or the name of a checkpoint of ours.
        examples: those of the dataset.
        request: which splits, by default those that the source has answers for; the seed of random plans; for a
            checkpoint a folder in which to keep what it says, the device, and the actions after which plans are cut.
    """
    wanted = list(request.splits) or examples.tested
    limit = request.options.get("limit")
    checkpoint = None if is_word(source, BASELINES) else find_checkpoint(source)
    if checkpoint is not None:
        return _said_by(checkpoint, examples, wanted, request)
    given = {"--device": request.device != "auto", "--limit": limit}
    refuse_options(given, because=f"for checkpoints only, and {source} is none")
    if is_word(source, BASELINES):
        found = partial(random_plans, seed=request.seed) if str(source) == "random" else oracle_plans
        return {split: found(examples[split]) for split in wanted}
    if source.is_dir():
        is_inside = (source / PREDICTIONS).is_dir() and not any(
            (source / f"{name}.parquet").exists() for name in wanted
        )
        return read_plans_in(source / PREDICTIONS if is_inside else source, wanted)
    if source.is_file():
        plans = read_plans(source)
        told = str(plans.facts.get("split", ""))
        is_told = not request.splits and told in (examples.data.splits or ())
        return dict.fromkeys([told] if is_told else wanted, plans)
    words = ", ".join([*BASELINES, *shipped_checkpoints()])
    raise BrokenDataset(f"there is no file or folder {source}, and it is none of the words {words}")


def _said_by(
    checkpoint: Path, examples: ExampleArraysBySplit, splits: Sequence[str], request: Request
) -> dict[str, Plans]:
    """What a trained model says."""
    from deixis.worlds.grid.training.predict import LIMIT, predict

    dataset = examples.data.dataset
    if dataset is None:
        raise BrokenDataset(
            f"{examples.data.path} is no dataset folder, which a model needs; "
            f"make one with `deixis convert {examples.data.path} --to parquet FOLDER`"
        )
    limit = request.options.get("limit") or LIMIT
    with TemporaryDirectory() as aside:
        folder = Path(aside) if request.out is None else request.out / PREDICTIONS
        return predict(
            checkpoint, dataset, splits, folder, device=request.device, limit=limit, progress=request.progress
        )


def _losses(source: Source, asked: Mapping[str, ExampleArrays], plans: Mapping[str, Plans], *, again: int) -> Losses:
    """Plans that count for nothing: to no example of any split, to one that was answered before, or without an id.

    Args:
        source: the dataset.
        asked: the examples that are judged, by split.
        plans: what was read, by split; the same plans may stand under several.
        again: how many are to an example that was answered before.
    """
    losses = Losses("plans")
    losses.leave_out(AGAIN, again)
    known = np.concatenate([np.zeros(0, np.int64), *(one.ids for one in asked.values())])
    for one in {id(some): some for some in plans.values()}.values():
        losses.see(len(one))
        strange = one.ids[~np.isin(one.ids, known)]
        if len(strange):  # perhaps of a split that is not judged
            strange = strange[places_of(source).find(strange) < 0]
        losses.leave_out(NO_EXAMPLE, len(strange))
        for what, (count, first) in one.faults.items():
            if what != NO_PLAN:  # such a plan is judged, and wrong
                losses.see(count)
                losses.leave_out(f"{what} (first: {first})", count)
    return losses


def _told_before(kept: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the wrong answers that an earlier evaluation tells, by split."""
    told = (kept or {}).get("wrong_answers")
    return dict(told) if isinstance(told, dict) else {}


def _answerer(kept: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Whose results an evaluation tells; None where there is none."""
    if kept is None:
        return None
    facts = kept.get("predictions")
    facts = facts if isinstance(facts, dict) else {}
    told = {name: facts.get(name) for name in ("checkpoint", "seed", "answers")}
    return {"model": kept.get("model"), "decode_limit": kept.get("decode_limit"), **told}


def _facts_of(checkpoint: Path) -> dict[str, Any]:
    """Whose results those of a checkpoint will be."""
    from deixis.learn._checkpoints import checkpoint_digest
    from deixis.worlds.grid.training._checkpoints import name_in, read_checkpoint

    return {"model": name_in(read_checkpoint(checkpoint)), "checkpoint": checkpoint_digest(checkpoint)}


def _one_of(said: str, known: Sequence[str]) -> str:
    if said not in known:
        raise UnknownName(f"results cannot be shown by {said!r}; known: {', '.join(known)}")
    return said
