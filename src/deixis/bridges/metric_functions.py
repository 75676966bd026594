"""Metrics as plain functions on lists: predictions in, a dictionary of numbers out.

| function | for | numbers |
|---|---|---|
| `exact_match` | plans beside recorded plans | `exact_match`, `tokens_right` |
| `navigation` | plans for the examples of a dataset | the same, `got_there`, `right_target` |
| `pragmatic` | captions of rooms that are to be told from others | `discriminativity`, `relevance`, … |
| `localisation` | objects for the expressions of a dataset | `accuracy`, `denied`, `chance` |

Shares are from 0 to 1. What was not answered or cannot be read is wrong, and counted apart in `unparsable` and
`unanswered`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from deixis.errors import ParseError, SchemaError
from deixis.metrics.arrays import score_captions
from deixis.metrics.plan_verdicts import NO_ACTION, Plans, judge_all, tokens_right
from deixis.metrics.plan_verdicts import exact_match as is_exact
from deixis.metrics.summary import MAIN, METRICS, columns
from deixis.worlds.grid.actions import plan_from_letters, plan_from_words


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.grid.actions import Plan


__all__ = ["Numbers", "exact_match", "localisation", "navigation", "pragmatic", "read_plan"]

Numbers: TypeAlias = dict[str, float | int | None]


def read_plan(text: str) -> Plan | None:
    """A plan in letters (`LWW`) or in words (`turn left,walk,walk`); None for anything else.

    Example:
        >>> read_plan("LWW") == read_plan("turn left,walk,walk")
        True
        >>> read_plan("fly away") is None
        True
    """
    for read in (plan_from_letters, plan_from_words):
        try:
            return read(text)
        except ParseError:
            continue
    return None


def exact_match(predictions: Sequence[str], references: Sequence[str]) -> Numbers:
    """How many plans are the recorded ones, and the mean share of right actions.

    Args:
        predictions: plans in letters or words; anything that is no plan is wrong.
        references: the right plans, one for each.

    Raises:
        SchemaError: when the lists are of different lengths, empty, or a reference is no plan.

    Example:
        >>> exact_match(["LWW", "turn left,walk", "no idea"], ["LWW", "LWW", "W"])
        {'exact_match': 0.3333333333333333, 'tokens_right': 0.5555555555555555, 'unparsable': 1, 'examples': 3}
    """
    _demand_alike(predictions=predictions, references=references)
    right = [read_plan(text) for text in references]
    if None in right:
        raise SchemaError(f"a reference is no plan: {references[right.index(None)][:80]!r}")
    said = [read_plan(text) for text in predictions]
    pairs = [(one, other or ()) for one, other in zip(said, right, strict=True)]
    return {
        "exact_match": _mean([one is not None and is_exact(one, other) for one, other in pairs]),
        "tokens_right": _mean([0.0 if one is None else tokens_right(one, other) for one, other in pairs]),
        "unparsable": said.count(None),
        "examples": len(said),
    }


def navigation(
    predictions: Mapping[int, str] | Sequence[str],
    data: Path | str,
    *,
    split: str = "test",
    ids: Sequence[int | str] | None = None,
) -> Numbers:
    """How well plans carry out the commands of a split.

    Args:
        predictions: plans in letters or words: by the id of the example, or a list.
        data: the dataset of grid worlds.
        split: which split; examples without a prediction count as wrong.
        ids: the examples that a list answers; without them, all of the split in their order.

    Returns:
        `exact_match`, `tokens_right`, `got_there` (the world is left as it should be), `right_target` (the object that
        is made for is the one meant), `unparsable`, `unanswered` and `examples`.

    Raises:
        BrokenDataset: when the dataset cannot be read.
        UnknownName: when it has no such split.
        SchemaError: when a list is not as long as it should be, or answers examples that do not exist.
    """
    from deixis.datasets.asked import asked_of
    from deixis.datasets.sources import open_source

    asked = asked_of(open_source(Path(data)).tables(split), name=split)
    said = _by_id(predictions, asked.ids.tolist() if ids is None else [_number(one) for one in ids])
    strange = said.keys() - set(asked.ids.tolist())
    if strange:
        raise SchemaError(f"there is no example {min(strange)} in the split {split} of {Path(data).name}")
    codes = [_codes(said.get(number)) for number in asked.ids.tolist()]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in codes])]).astype(np.int64)
    plans = Plans(ids=asked.ids, actions=np.concatenate(codes).astype(np.uint8), starts=starts)
    found = judge_all(asked, plans, is_given=np.array([number in said for number in asked.ids.tolist()]))
    return {
        "exact_match": _mean(found.exact),
        "tokens_right": _mean(found.tokens),
        "got_there": _mean(found.got_there),
        "right_target": _mean(found.is_right_target),
        "unparsable": int((found.is_given & ~found.is_plan).sum()),
        "unanswered": int((~found.is_given).sum()),
        "examples": len(asked),
    }


def pragmatic(captions: Sequence[str], targets: Sequence[int], distractors: Sequence[int]) -> Numbers:
    """How well captions of rooms tell a target from its distractor (Tsvilodub and Franke 2023).

    Args:
        captions: what was said of each target; an empty one says nothing.
        targets: the numbers of the images that are described.
        distractors: the numbers of the images that they are to be told from.

    Raises:
        SchemaError: when the lists are of different lengths or empty, or a number is not that of an image.

    Example:
        >>> pragmatic(["a tiny red block on the right"], [15], [16])["discriminativity"]
        0.0
    """
    _demand_alike(captions=captions, targets=targets, distractors=distractors)
    scores = score_captions(list(captions), np.asarray(targets), np.asarray(distractors))
    found = columns(scores)
    means: Numbers = {name: _known_mean(found[:, METRICS.index(name)]) for name in MAIN}
    return means | {"examples": len(captions)}


def localisation(
    predictions: Mapping[int, str], data: Path | str, *, split: str = "test", setting: str = "Full"
) -> Numbers:
    """How many expressions a model finds the object of.

    Args:
        predictions: by the id of the example, `IMAGE/OBJECT`, or an empty text for *not there*.
        data: the dataset of expressions about photographs.
        split: which split; examples without a prediction count as wrong.
        setting: which images were shown, one of `SETTINGS`.

    Returns:
        `accuracy` over expressions that fit something, `denied` over those that fit nothing, `chance`, `unanswered` and
        `examples`; None where there are no such expressions.

    Raises:
        BrokenDataset: when the dataset cannot be read, or not one prediction is to one of its examples.
        SchemaError: when there is no such setting.
    """
    from deixis.datasets.copsref.store import open_copsref
    from deixis.metrics.grounding import evaluate_answers
    from deixis.tasks.localise import SETTINGS, Answer

    if setting not in SETTINGS:
        raise SchemaError(f"unknown setting {setting!r}; known: {', '.join(SETTINGS)}")
    opened = open_copsref(Path(data))
    examples = list(opened.examples(split))
    answers = [_answer(_number(number), text, setting, Answer) for number, text in predictions.items()]
    evaluation, verdicts = evaluate_answers(examples, answers, opened.scenes, resamples=1)
    settled = next((found for name, found in evaluation.settings.items() if name == setting), None)
    denied = next((found for name, found in evaluation.absent.items() if name == setting), None)
    return {
        "accuracy": None if settled is None else settled.accuracy.mean,
        "denied": None if denied is None else denied.mean,
        "chance": None if settled is None else settled.chance,
        "unanswered": sum(verdict.outcome == "unanswered" for verdict in verdicts),
        "examples": len(verdicts),
    }


def _answer(number: int, text: str, setting: Any, make: Any) -> Any:
    image, slash, name = text.strip().partition("/")
    if not text.strip():
        return make(number, setting, is_absent=True)
    if not slash or not image or not name:
        return make(number, setting, fault="it is not IMAGE/OBJECT")
    return make(number, setting, image_id=image, object_id=name)


def _by_id(predictions: Mapping[int, str] | Sequence[str], ids: Sequence[int]) -> dict[int, str]:
    if isinstance(predictions, Mapping):
        return {_number(number): text for number, text in predictions.items()}
    _demand_alike(predictions=predictions, ids=ids)
    return dict(zip(ids, predictions, strict=True))


def _codes(text: str | None) -> np.ndarray:
    plan = () if text is None else read_plan(text)
    return np.array([NO_ACTION]) if plan is None else np.array(plan, np.int64)


def _number(value: int | str) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise SchemaError(f"the id of an example is a number, got {str(value)[:40]!r}") from None


def _demand_alike(**lists: Sequence[Any]) -> None:
    sizes = {name: len(values) for name, values in lists.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{size:,} {name}" for name, size in sizes.items())
        raise SchemaError(f"the lists must be equally long, got {told}")
    if not all(sizes.values()):
        raise SchemaError(f"there is nothing to score: {', '.join(sizes)} are empty")


def _mean(values: Any) -> float:
    return float(np.mean(values))


def _known_mean(values: np.ndarray) -> float | None:
    """The mean of the values that are defined; None where none is."""
    known = np.asarray(values, np.float64)
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else None
