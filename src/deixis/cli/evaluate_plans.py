"""`deixis evaluate` for instructions in grid worlds: how well plans carry them out."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from deixis._version import __version__
from deixis.cli.options import names_in
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages
from deixis.errors import BrokenDataset, UnknownName
from deixis.metrics.plan_verdicts import Asked, judge_all


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from deixis.datasets.crew import Crew
    from deixis.datasets.sources import Source
    from deixis.metrics.navigation import PlanEvaluation, Score, SplitEvaluation
    from deixis.metrics.plan_verdicts import Plans


__all__ = ["Examples", "evaluate_plan_files", "predictions_for"]

ABREAST = 6  # splits whose shares are set side by side
DISTRACTORS = ("relation", "attribute", "isomorphism", "size", "random")  # roles that say less by themselves
PREDICTIONS = "predictions"  # the folder for what a model says
NOT_TESTED = ("train", "aside")  # splits that are judged only on request


class Examples(dict[str, Asked]):
    """The examples of a dataset by split, each split read when it is asked for; `progress` is told of it."""

    def __init__(self, data: Source, progress: Callable[[str, int, int | None], None] | None = None) -> None:
        from deixis.datasets.checks.said import Commands

        super().__init__()
        self.data = data
        self.commands = Commands()
        self.progress = progress

    def __missing__(self, split: str) -> Asked:
        from deixis.datasets.asked import asked_of

        found = self[split] = asked_of(self.data.tables(split), commands=self.commands, name=split)
        if self.progress is not None:
            self.progress("examples", sum(map(len, self.values())), None)
        return found

    @property
    def tested(self) -> list[str]:
        """The splits that are judged unless others are asked for: all but train, or all where there is nothing else."""
        known = self.data.splits
        if known is None:
            names = (name for table in self.data.tables() for name in table["split"].unique().to_pylist())
            known = dict.fromkeys((single for name in names for single in name.split("+")), 0)
        return [name for name in known if name not in NOT_TESTED] or list(known)


def evaluate_plan_files(
    predictions: Path,
    data: Path,
    *,
    split: str,
    by: str,
    out: Path | None,
    seed: int,
    as_json: bool,
    device: str = "auto",
    limit: int | None = None,
    crew: Crew | None = None,
) -> int:
    """Judge plans; the options are those of `deixis evaluate`."""
    from deixis.datasets.asked import data_digest
    from deixis.datasets.judge_plans import judge_with_crew
    from deixis.datasets.plans import write_verdicts
    from deixis.datasets.sources import open_source
    from deixis.metrics.navigation import GROUPINGS, evaluate_plans

    groupings = [_one_of(name, GROUPINGS) for name in names_in(by)]
    source = open_source(data)
    with Stages(compiles=True) as progress:
        examples = Examples(source, progress)
        plans = predictions_for(
            predictions, examples, names_in(split), seed=seed, out=out, device=device, limit=limit, progress=progress
        )
        asked = {name: examples[name] for name in plans}
        judge = judge_all if crew is None else partial(judge_with_crew, crew=crew)
        evaluation, verdicts = evaluate_plans(asked, plans, data=data.name, digest=data_digest(source), judge=judge)
    values = {"deixis": __version__, **evaluation.to_dict()}
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "evaluation.json").write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        write_verdicts(out / "verdicts.parquet", asked, verdicts)
    if as_json:
        print_json(values)
        return 0
    _print(evaluation, groupings)
    _print_faults(evaluation, plans)
    if out is not None:
        print(f"Written: {out / 'evaluation.json'} and {out / 'verdicts.parquet'}")
    return 0


def predictions_for(
    source: Path,
    examples: Examples,
    splits: Sequence[str] = (),
    *,
    seed: int = 0,
    out: Path | None = None,
    device: str = "auto",
    limit: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[str, Plans]:
    """The plans to be judged, by split; this is where sources are told apart.

    Args:
        source: a folder of <split>.parquet, a Parquet file, JSON Lines, a checkpoint, a folder with one, or, where
            there is no file of that name, one of the words `random` and `oracle` or the name of a checkpoint of ours.
        examples: those of the dataset.
        splits: which ones; by default those that the source has answers for, train only if there is nothing else.
        seed: of random plans.
        out: a folder in which to keep what a checkpoint says, under `predictions`.
        device: where a checkpoint computes.
        limit: actions after which its plans are cut, 120 by default.
        progress: told how far it is.
    """
    from deixis.datasets.baselines import BASELINES, oracle_plans, random_plans
    from deixis.datasets.plans import read_plans, read_plans_in
    from deixis.training.shipped import find_checkpoint, shipped_checkpoints

    wanted = list(splits) or examples.tested
    if (checkpoint := find_checkpoint(source)) is not None:
        return _said_by(checkpoint, examples, wanted, out=out, device=device, limit=limit, progress=progress)
    if source.is_dir():
        return read_plans_in(source, wanted)
    if source.is_file():
        plans = read_plans(source)
        told = str(plans.facts.get("split", ""))
        is_told = not splits and told in (examples.data.splits or ())
        return dict.fromkeys([told] if is_told else wanted, plans)
    match str(source):
        case "random":
            return {split: random_plans(examples[split], seed=seed) for split in wanted}
        case "oracle":
            return {split: oracle_plans(examples[split]) for split in wanted}
    words = ", ".join([*BASELINES, *shipped_checkpoints()])
    raise BrokenDataset(f"there is no file or folder {source}, and it is none of the words {words}")


def _said_by(
    checkpoint: Path,
    examples: Examples,
    splits: Sequence[str],
    *,
    out: Path | None,
    device: str,
    limit: int | None,
    progress: Callable[[str, int, int], None] | None,
) -> dict[str, Plans]:
    """What a trained model says."""
    from tempfile import TemporaryDirectory

    from deixis.training.decode import LIMIT
    from deixis.training.predict import predict

    dataset = examples.data.dataset
    if dataset is None:
        raise BrokenDataset(
            f"{examples.data.path} is no dataset folder, which a model needs; "
            f"make one with `deixis convert {examples.data.path} --to parquet FOLDER`"
        )
    with TemporaryDirectory() as aside:
        folder = Path(aside) if out is None else out / PREDICTIONS
        return predict(checkpoint, dataset, splits, folder, device=device, limit=limit or LIMIT, progress=progress)


def _one_of(said: str, known: Sequence[str]) -> str:
    if said not in known:
        raise UnknownName(f"results cannot be shown by {said!r}; known: {', '.join(known)}")
    return said


# -------------------------------------------------------------------------------- printing


def _print(evaluation: PlanEvaluation, groupings: Sequence[str]) -> None:
    from deixis.metrics.navigation import merge_splits

    limit = f", at most {evaluation.decode_limit} actions" if evaluation.decode_limit else ""
    print(f"{evaluation.model or 'Plans'} on {evaluation.data}{limit}; in %, exact match with 95 % interval")
    _print_scores("split", {split: found.score for split, found in evaluation.splits.items()}, cut=True)
    every = merge_splits(evaluation.splits.values())
    names = list(evaluation.splits)
    for start in range(0, len(names), ABREAST):
        some = {name: evaluation.splits[name] for name in names[start : start + ABREAST]}
        _print_choices(some, every)
    for what in groupings:
        scores = {
            f"{split}: {name}": score for split in names for name, score in evaluation.splits[split].by[what].items()
        }
        _print_scores(what, scores, cut=what == "length")


def _print_scores(what: str, scores: Mapping[str, Score], *, cut: bool) -> None:
    """A line for each score; `cut` also shows what the first 30 actions would tell."""
    measures = {"first 30": "exact_cut_30", "got there": "got_there", "target": "right_target"}
    shown = {head: measure for head, measure in measures.items() if cut or head != "first 30"}
    rows = []
    for name, score in scores.items():
        exact = score.estimate("exact")
        shares = (score.estimate(measure).mean for measure in shown.values())
        interval = f"{100 * exact.low:.1f}–{100 * exact.high:.1f}"
        rows.append((name, f"{score.examples:,}", _percent(exact.mean), interval, *map(_percent, shares)))
    print_table((what, "examples", "exact", "95 %", *shown), rows, numbers=range(1, 4 + len(shown)))


def _print_choices(splits: Mapping[str, SplitEvaluation], every: SplitEvaluation) -> None:
    """What came of the plans, and of wrong objects what was missed by whoever goes there and why they are there."""
    found = list(splits.values())
    numbers = range(1, 1 + len(found))
    if every.choices["right target"] < every.score.examples:
        kept = [name for name, count in every.choices.items() if count]
        rows = _shares(kept, [(one.choices, one.score.examples) for one in found])
        print_table(("made for", *splits), rows, numbers=numbers)
    if every.choices["wrong object"]:
        wrong = [one.choices["wrong object"] for one in found]
        missed = _shares(every.missed, list(zip((one.missed for one in found), wrong, strict=True)))
        print_table(("wrong object, missing", *splits), missed, numbers=numbers)
        roles = _shares(every.roles, list(zip((one.roles for one in found), wrong, strict=True)))
        named = [(f"{role} distractor" if role in DISTRACTORS else role, *shares) for role, *shares in roles]
        print_table(("wrong object, there as", *splits), named, numbers=numbers)


def _shares(names: Iterable[str], columns: Sequence[tuple[Mapping[str, float], int]]) -> list[tuple[str, ...]]:
    return [
        (name, *(_percent(counts.get(name, 0) / total) if total else "–" for counts, total in columns))
        for name in names
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _print_faults(evaluation: PlanEvaluation, plans: Mapping[str, Plans]) -> None:
    for what, count in evaluation.strange.items():
        print(f"{count:>9,} × a plan {what}")
    first = {what: where for split in evaluation.splits for what, (_, where) in plans[split].faults.items()}
    for what, count in evaluation.faults.items():
        print(f"{count:>9,} × {what}{f' (first: {first[what]})' if what in first else ''}")
