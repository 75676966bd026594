"""Scorers for Inspect: every measure of the task by split and pattern, and what was missed in wrong answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from deixis.bridges.inspect_package import demand_inspect
from deixis.prompts.files import gold_from


demand_inspect()

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr  # noqa: E402


if TYPE_CHECKING:
    from inspect_ai.solver import TaskState


__all__ = ["by_group", "measures", "misreadings", "missed"]

NOT_UNDERSTOOD = "not_understood"


@metric(name="by")
def by_group() -> Metric:
    """The mean over the questions of each group: `split: a1`, `pattern: p2`; one of two splits counts in both."""

    def means(scores: list[SampleScore]) -> Any:
        found: dict[str, list[float]] = {}
        for one in scores:
            groups = (one.sample_metadata or {}).get("groups", {})
            value = one.score.as_float()
            for what, names in groups.items():
                for name in str(names).split("+") if what == "split" else [names]:
                    found.setdefault(f"{what}: {name}", []).append(value)
        return {name: sum(values) / len(values) for name, values in sorted(found.items())}

    return cast("Metric", means)


@metric
def missed() -> Metric:
    """Of wrong answers what a reader misses who gives them, as shares of all wrong answers that are explained."""

    def shares(scores: list[SampleScore]) -> Any:
        found: dict[str, float] = {}
        for one in scores:
            names = (one.score.metadata or {}).get("missed", [])
            for name in names:
                found[name] = found.get(name, 0.0) + 1 / len(names)
        total = sum(found.values())
        ordered = sorted(found.items(), key=lambda share: (-share[1], share[0]))
        return {name: count / total for name, count in ordered}

    return cast("Metric", shares)


@scorer(metrics={"*": [mean(), stderr(), by_group()]})
def measures() -> Scorer:
    """Every measure of the task, and whether the answer could not be understood."""

    async def judged(state: TaskState, target: Target) -> Score:
        del target
        found = gold_from(state.metadata).judge(state.output.completion)
        is_silent = found.outcome in ("unparsable", "unanswered")
        return Score(
            value={**found.measures, NOT_UNDERSTOOD: float(is_silent)},
            answer=found.said or None,
            explanation=found.fault or None,
            metadata={"outcome": found.outcome, "fault": found.fault},
        )

    return judged


@scorer(metrics=[missed()])
def misreadings() -> Scorer:
    """What was missed in a wrong answer; 1 for an answer that misses nothing."""

    async def judged(state: TaskState, target: Target) -> Score:
        del target
        found = gold_from(state.metadata).judge(state.output.completion)
        metadata = {"outcome": found.outcome, "missed": list(found.missed)}
        return Score(value=float(found.outcome == "right"), answer=found.said or None, metadata=metadata)

    return judged
