"""Result tables: scores by split, the objects that plans went to, and the misreadings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.judge.request import NO_EXAMPLE, NOT_ASKED
from deixis.report.output import TextTable
from deixis.worlds.grid.judging.navigation import merge_splits


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deixis._losses import Losses
    from deixis.worlds.grid.judging.navigation import PlanEvaluation, Score, SplitEvaluation
    from deixis.worlds.grid.judging.verdicts import Plans


ABREAST = 6  # splits whose shares are set side by side
DISTRACTORS = ("relation", "attribute", "isomorphism", "size", "random")  # roles that say less by themselves


def evaluation_blocks(evaluation: PlanEvaluation, groupings: Sequence[str]) -> Iterator[str | TextTable]:
    """Tabulate scores by split and other groups, the objects that plans went to, and the misreadings."""
    limit = f", at most {evaluation.decode_limit} actions" if evaluation.decode_limit else ""
    main = "right target" if evaluation.is_pointed else "exact match"
    tabulate = _targets if evaluation.is_pointed else _scores
    yield f"{evaluation.model or 'Plans'} on {evaluation.data}{limit}; in %, {main} with 95 % interval"
    yield tabulate("split", {split: found.score for split, found in evaluation.splits.items()}, cut=True)
    every = merge_splits(evaluation.splits.values())
    names = list(evaluation.splits)
    for start in range(0, len(names), ABREAST):
        some = {name: evaluation.splits[name] for name in names[start : start + ABREAST]}
        yield from _choices(some, every)
    for what in groupings:
        scores = {
            f"{split}: {name}": score for split in names for name, score in evaluation.splits[split].by[what].items()
        }
        yield tabulate(what, scores, cut=what == "length")


def fault_lines(evaluation: PlanEvaluation, plans: Mapping[str, Plans], losses: Losses) -> Iterator[str]:
    """Describe the answers that could not be judged.

    `losses` describes the plans that were left out.
    """
    lost = losses.counts["left out"]
    if rest := evaluation.strange.get(NOT_ASKED, 0) - lost[NO_EXAMPLE]:
        yield f"{rest:>9,} × a plan {NOT_ASKED}"
    first = {what: where for split in evaluation.splits for what, (_, where) in plans[split].faults.items()}
    for what, count in evaluation.faults.items():
        told = f"{what} (first: {first[what]})" if what in first else what
        if told not in lost:
            yield f"{count:>9,} × {told}"
    yield from losses.lines()


def _scores(what: str, scores: Mapping[str, Score], *, cut: bool) -> TextTable:
    """A line for each score; `cut` also shows what the first 30 actions would tell."""
    measures = {"first 30": "exact_cut_30", "got there": "got_there", "target": "right_target"}
    shown = {head: measure for head, measure in measures.items() if cut or head != "first 30"}
    rows = []
    for name, score in scores.items():
        exact = score.estimate("exact")
        shares = (score.estimate(measure).mean for measure in shown.values())
        interval = f"{100 * exact.low:.1f}–{100 * exact.high:.1f}"
        rows.append((name, f"{score.examples:,}", _percent(exact.mean), interval, *map(_percent, shares)))
    return TextTable((what, "examples", "exact", "95 %", *shown), rows, range(1, 4 + len(shown)))


def _targets(what: str, scores: Mapping[str, Score], *, cut: bool) -> TextTable:
    """Return a line for each score of those who only point."""
    del cut
    rows = []
    for name, score in scores.items():
        right = score.estimate("right_target")
        interval = f"{100 * right.low:.1f}–{100 * right.high:.1f}"
        rows.append((name, f"{score.examples:,}", _percent(right.mean), interval))
    return TextTable((what, "examples", "target", "95 %"), rows, range(1, 4))


def _choices(splits: Mapping[str, SplitEvaluation], every: SplitEvaluation) -> Iterator[TextTable]:
    """Outcomes of the plans, and for wrong objects the misreadings and the roles."""
    found = list(splits.values())
    numbers = range(1, 1 + len(found))
    if every.choices["right target"] < every.score.examples:
        kept = [name for name, count in every.choices.items() if count]
        rows = _shares(kept, [(one.choices, one.score.examples) for one in found])
        yield TextTable(("made for", *splits), rows, numbers)
    if every.choices["wrong object"]:
        wrong = [one.choices["wrong object"] for one in found]
        misreadings = _shares(every.misreadings, list(zip((one.misreadings for one in found), wrong, strict=True)))
        yield TextTable(("wrong object, missing", *splits), misreadings, numbers)
        roles = _shares(every.roles, list(zip((one.roles for one in found), wrong, strict=True)))
        named = [(f"{role} distractor" if role in DISTRACTORS else role, *shares) for role, *shares in roles]
        yield TextTable(("wrong object, there as", *splits), named, numbers)


def _shares(names: Iterable[str], columns: Sequence[tuple[Mapping[str, float], int]]) -> list[tuple[str, ...]]:
    return [
        (name, *(_percent(counts.get(name, 0) / total) if total else "–" for counts, total in columns))
        for name in names
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
