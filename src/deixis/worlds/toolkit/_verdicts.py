"""Answers and verdicts where the answer is an object: their scores, the file and the table of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pyarrow as pa

from deixis.data._split_names import names_in_split
from deixis.judge.uncertainty import plain_estimates, share
from deixis.judge.verdicts import Codes, Verdicts, id_code, write_verdicts
from deixis.report.output import TextTable


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.scene.scene import Where
    from deixis.worlds.world import World


Result: TypeAlias = Literal[
    "right",
    "wrong object",
    "said nothing fits",
    "missed that nothing fits",
    "no such object",
    "unreadable",
    "unanswered",
]
OUTCOMES: tuple[Result, ...] = get_args(Result)
SOMETHING, NOTHING = "something fits", "nothing fits"  # the two kinds of examples, where a dataset has both
UNEXPLAINED = "nothing in particular"


class Answer(NamedTuple):
    """The answer to the example of an id.

    `where` is None if nothing fits by the answer (`is_none`), or if it cannot be understood.
    """

    id: str
    where: Where | None
    is_none: bool = False


class Verdict(NamedTuple):
    """The judgement on one answer.

    Attributes:
        id: of the example. split: where it belongs, `a+b` for two sets.
        outcome: what came of it.
        chosen: the object that was answered.
        misreading: the sorts of the slightest misreadings that lead there, see `RANKS` in `misreadings`.
        read_as: what is understood then, in words, if the world has a language.
        is_there: whether something fits.
    """

    id: str
    split: str
    outcome: Result
    chosen: Where | None = None
    misreading: tuple[str, ...] = ()
    read_as: tuple[str, ...] = ()
    is_there: bool = True


def score_verdicts(verdicts: Sequence[Verdict], chances: Sequence[float]) -> dict[str, Any]:
    """Return the measures of some verdicts, as `evaluation.json` holds them.

    `chances` are those of a random answer. Where examples fit nothing, accuracy is told for both kinds of examples.
    """
    right = np.array([verdict.outcome == "right" for verdict in verdicts])
    is_there = np.array([verdict.is_there for verdict in verdicts])
    found = {"accuracy": share(right)}
    if not is_there.all():
        kinds = {SOMETHING: is_there, NOTHING: ~is_there}
        found |= {f"accuracy, {name}": share(right[kind]) for name, kind in kinds.items() if kind.any()}
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    shares: dict[str, float] = {}
    for verdict in verdicts:
        for slip in verdict.misreading:
            shares[slip] = shares.get(slip, 0.0) + 1 / len(verdict.misreading)
    return {
        "examples": len(verdicts),
        **plain_estimates({"": found})[""],
        "chance": round(float(np.mean(chances)), 6),
        "outcomes": {name: outcomes[name] for name in OUTCOMES if outcomes[name]},
        "misreadings": {
            name: round(count, 3) for name, count in sorted(shares.items(), key=lambda one: (-one[1], one[0]))
        },
    }


def write_object_verdicts(path: Path, verdicts: Sequence[Verdict], *, world: World, keep: bool = False) -> None:
    """Write verdicts on objects in the common schema, with the scene and what was read besides.

    Args:
        path: the file.
        verdicts: one for each answer; an example of two splits has a row in each.
        world: whose they are.
        keep: whether to keep what the file holds of other splits.
    """
    rows = [(split, verdict) for verdict in verdicts for split in names_in_split(verdict.split or "all")]
    part, outcome, misreading = (Codes() for _ in range(3))
    for split, verdict in rows:
        part.add(split)
        outcome.add(verdict.outcome)
        misreading.add(verdict.misreading)
    ids = [verdict.id for _, verdict in rows]
    scenes = [None if verdict.chosen is None else verdict.chosen.scene for _, verdict in rows]
    found = Verdicts(
        ids=np.array([id_code(one) for one in ids], np.int64),
        part=part.codes,
        parts=part.names,
        right={"accuracy": np.array([verdict.outcome == "right" for _, verdict in rows], bool)},
        outcome=outcome.codes,
        outcomes=outcome.names,
        role=np.zeros(len(rows), np.int16),
        roles=("",),
        misreading=misreading.codes,
        misreadings=misreading.names,
        chosen=np.array([-1 if one.chosen is None else one.chosen.object for _, one in rows], np.int32),
        names=ids,
    )
    read_as = pa.array([list(verdict.read_as) for _, verdict in rows], pa.list_(pa.string()))
    more = {"scene": pa.array(scenes, pa.int32()), "read_as": read_as}
    write_verdicts(path, found, world=world.name, more=more, keep=keep)


def verdict_blocks(values: Mapping[str, Any]) -> Iterator[str | TextTable]:
    yield f"{values['model'] or values['predictions']['answers']} on {values['data']}; in %, with 95 % interval"
    scores = {**values["splits"], **({"all": values["overall"]} if len(values["splits"]) > 1 else {})}
    rows = []
    for name, score in scores.items():
        found = score["accuracy"]
        interval = f"{100 * found['low']:.1f}–{100 * found['high']:.1f}"
        rows.append((name, f"{score['examples']:,}", _percent(found["mean"]), interval, _percent(score["chance"])))
    yield TextTable(("split", "examples", "right", "95 %", "chance"), rows, range(1, 5))
    overall = values["overall"]
    kinds = [(kind, overall[f"accuracy, {kind}"]) for kind in (SOMETHING, NOTHING) if f"accuracy, {kind}" in overall]
    if kinds:
        shown = [
            (kind, f"{one['rows']:,}", _percent(one["mean"]), f"{100 * one['low']:.1f}–{100 * one['high']:.1f}")
            for kind, one in kinds
        ]
        yield TextTable(("all, where", "examples", "right", "95 %"), shown, (1, 2, 3))
    if set(overall["outcomes"]) != {"right"}:
        counted = [(name, f"{count:,}") for name, count in overall["outcomes"].items()]
        yield TextTable(("outcome", "answers"), counted, (1,))
    wrong = sum(overall["outcomes"].get(name, 0) for name in ("wrong object", "missed that nothing fits"))
    if wrong:
        shares = [(name, _percent(count / wrong)) for name, count in overall["misreadings"].items()]
        yield TextTable(("wrong object, by misreading", "%"), shares, (1,))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
