"""Scores of answers with boxes, with 95 % intervals: of all, by split, and by what the dataset says of its examples."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.data._split_names import names_in_split
from deixis.judge.boxes import LADDER
from deixis.judge.uncertainty import Estimate, estimate, plain_estimates, resample, share
from deixis.readers._box_verdicts import OUTCOMES, all_candidates
from deixis.report.output import TextTable


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.readers._box_verdicts import BoxVerdict
    from deixis.readers.reader import ReadExample


STEPS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))  # the ladder of COCO, .5 to .95
MEASURES = {
    "accuracy": "the answer is right: an overlap (IoU) of .5 in the right image, the object that is meant, all "
    "boxes of several, or nothing where nothing fits",
    **{f"IoU {step:g}": f"the overlap of every box is at least {step:g}, and none is left over" for step in LADDER},
    "mAcc": "the mean over the overlaps .5, .55, …, .95",
    "mean IoU": "the mean overlap; 0 for answers without a box",
    "center": "the centre of the box lies in the right one (the pointing game)",
    "image": "the box is in the right one of several images",
    "precision": "the part of the given boxes that are paired with a right one, with an overlap of .5",
    "recall": "the part of the right boxes that are paired with a given one",
    "F1": "the harmonic mean of precision and recall",
    "right refusals": "of the examples that nothing fits, the part in which the answer says so",
    "wrong refusals": "of all others, the part in which the answer says that nothing fits",
}
MOST_VALUES = 12  # of a fact by which results are told apart
MOST_NUMBERS = 8  # more of them are put together in ranges
MOST_RANGES = 4
LONGEST_VALUE = 40
FEW, MANY = 0.2, 0.5  # parts of the examples: a fact with more different numbers, or more values at all, is a name


def score_boxes(
    verdicts: Sequence[BoxVerdict], chances: Sequence[float], *, seed: int = 0, is_brief: bool = False
) -> dict[str, Any]:
    """Return the measures of some verdicts, as `evaluation.json` holds them.

    Args:
        verdicts: at least one.
        chances: those of a random candidate, not a number where there are none.
        seed: of the bootstrap.
        is_brief: leave out what needs a bootstrap.
    """
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    missed: dict[str, float] = {}
    for verdict in verdicts:
        for slip in verdict.misreading:
            missed[slip] = missed.get(slip, 0.0) + 1 / len(verdict.misreading)
    known = [chance for chance in chances if chance == chance]  # noqa: PLR0124 (not NaN)
    return {
        "examples": len(verdicts),
        **plain_estimates({"": dict(_estimates(verdicts, seed, is_brief=is_brief))})[""],
        "chance": round(float(np.mean(known)), 6) if known else None,
        "outcomes": {name: outcomes[name] for name in OUTCOMES if outcomes[name]},
        "misreadings": {
            name: round(count, 3) for name, count in sorted(missed.items(), key=lambda one: (-one[1], one[0]))
        },
    }


def _estimates(verdicts: Sequence[BoxVerdict], seed: int, *, is_brief: bool) -> Iterator[tuple[str, Estimate]]:
    """Yield the measures that are defined for some of the verdicts."""
    yield "accuracy", share(np.array([one.is_right for one in verdicts]))
    worst, mean = np.array([one.worst for one in verdicts]), np.array([one.overlap for one in verdicts])
    has_box = ~np.isnan(worst)
    if has_box.any():
        for step in LADDER:
            yield f"IoU {step:g}", share(worst[has_box] >= step)
        if not is_brief:
            steps = np.mean([worst[has_box] >= step for step in STEPS], axis=0)
            found = resample(np.stack([steps, mean[has_box]], axis=1), seed=seed).estimates()
            yield from zip(("mAcc", "mean IoU"), found, strict=True)
    for name in ("center", "image"):
        values = np.array([getattr(one, name) for one in verdicts])
        if not np.isnan(values).all():
            yield name, share(values)
    if not is_brief and any(one.wanted > 1 or one.given > 1 for one in verdicts):
        yield from _pairings(verdicts, seed)
    refused = np.array([one.is_refusal for one in verdicts], np.float64)
    if not has_box.all():
        yield "right refusals", share(np.where(has_box, np.nan, refused))
    if has_box.any():
        yield "wrong refusals", share(np.where(has_box, refused, np.nan))


def _pairings(verdicts: Sequence[BoxVerdict], seed: int) -> Iterator[tuple[str, Estimate]]:
    """Yield precision, recall and F1 over all boxes, with intervals over examples."""
    counts = np.array([(one.pairs, one.given, one.wanted) for one in verdicts], np.float64)
    pairs, given, wanted = resample(counts, seed=seed).sums
    for name, whole in (("precision", given), ("recall", wanted), ("F1", (given + wanted) / 2)):
        values = np.divide(pairs, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
        yield name, estimate(values, len(verdicts))


def chance_of(example: ReadExample) -> float:
    """Return the chance of a random candidate to be right, not a number where no candidates are known."""
    count = sum(1 for _ in all_candidates(example))
    if not count:
        return float("nan")
    meant = len(example.targets) if example.targets else len(example.boxes)
    return 1 / count if meant == 1 else 0.0


# -------------------------------------------------------------------------------- by what the dataset says


def group_values(examples: Sequence[ReadExample]) -> dict[str, list[tuple[str, ...]]]:
    """Return the facts by which results can be told apart: for every example the values that it has.

    A fact with many numbers is put together in ranges. One with many other values is left out, as is one with a number
    of its own for every few examples, which is a name, and one of which all examples have the same.
    """
    names = dict.fromkeys(name for example in examples for name in example.facts)
    found = {}
    for name in names:
        values = [_values(example.facts.get(name)) for example in examples]
        different, known = _different(values), sum(1 for some in values if some)
        is_counted = all(type(one) in (int, float) for one in different) and len(different) <= FEW * known
        if len(different) > MOST_NUMBERS and is_counted:
            values = _ranges(values)
            different = _different(values)
        if 1 < len(different) <= min(MOST_VALUES, max(2, MANY * known)):
            found[name] = [tuple(map(_word_for, some)) for some in values]
    return found


def _different(values: Sequence[tuple[Any, ...]]) -> set[Any]:
    return {one for some in values for one in some}


def _values(value: Any) -> tuple[Any, ...]:
    """Return the values of a fact that can be told in a word, several of a list."""
    some = value if isinstance(value, list | tuple) else [value]
    is_short = all(isinstance(one, bool | int | float) or (isinstance(one, str) and _is_short(one)) for one in some)
    return tuple(dict.fromkeys(some)) if is_short else ()


def _is_short(text: str) -> bool:
    return 0 < len(text) <= LONGEST_VALUE


def _word_for(value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _ranges(values: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return ranges of numbers instead of the numbers, with about as many examples in each."""
    numbers = np.sort([one for some in values for one in some])
    firsts = numbers[[len(numbers) * k // MOST_RANGES for k in range(MOST_RANGES)]]
    bounds = np.unique(firsts)
    names = []
    for first, following in zip(bounds, [*bounds[1:], None], strict=True):
        inside = (
            numbers[(numbers >= first) & (numbers < following)] if following is not None else numbers[numbers >= first]
        )
        names.append(f"{first:g}" if inside[-1] == first else f"{first:g} to {inside[-1]:g}")
    return [tuple(names[int(np.searchsorted(bounds, one, side="right")) - 1] for one in some) for some in values]


def scores_by_fact(
    examples: Sequence[ReadExample], verdicts: Sequence[BoxVerdict], chances: Sequence[float]
) -> dict[str, dict[str, Any]]:
    """Return the measures of the examples of every value of every fact, in the order of the values."""
    found: dict[str, dict[str, Any]] = {}
    for name, values in group_values(examples).items():
        parts: dict[str, list[int]] = {}
        for place, some in enumerate(values):
            for value in some:
                parts.setdefault(value, []).append(place)
        found[name] = {
            value: score_boxes([verdicts[k] for k in places], [chances[k] for k in places], is_brief=True)
            for value, places in sorted(parts.items(), key=lambda one: _order(one[0]))
        }
    return found


def _order(value: str) -> tuple[float, str]:
    """Numbers and ranges by their first number, then texts."""
    first = value.split(" to ", maxsplit=1)[0]
    try:
        return float(first), ""
    except ValueError:
        return float("inf"), value


def scores_by_split(
    verdicts: Sequence[BoxVerdict], chances: Sequence[float], splits: Sequence[str], *, seed: int = 0
) -> dict[str, Any]:
    """Return the measures of every split."""
    found = {}
    for split in splits:
        places = [k for k, verdict in enumerate(verdicts) if split in names_in_split(verdict.split)]
        found[split] = score_boxes([verdicts[k] for k in places], [chances[k] for k in places], seed=seed)
    return found


# -------------------------------------------------------------------------------- as tables


def score_tables(values: Mapping[str, Any]) -> Iterator[str | TextTable]:
    """Yield the results as tables: splits, all measures, facts, outcomes and misreadings."""
    overall = values["overall"]
    scores = {**values["splits"], **({"all": overall} if len(values["splits"]) > 1 else {})}
    rows = [
        (name, f"{one['examples']:,}", *_cells(one["accuracy"]), *(_percent(one, step) for step in _columns(overall)))
        for name, one in scores.items()
    ]
    heads = ("split", "examples", "right", "95 %", *_columns(overall))
    yield TextTable(heads, rows, range(1, len(heads)))
    shown = [name for name in MEASURES if name in overall and name != "accuracy"]
    if shown:
        lines = [(name, *_cells(overall[name]), f"{overall[name]['rows']:,}") for name in shown]
        yield TextTable(("measure, all", "%", "95 %", "examples"), lines, (1, 2, 3))
    for fact, parts in values["facts"].items():
        kinds = [(name, f"{one['examples']:,}", *_cells(one["accuracy"])) for name, one in parts.items()]
        yield TextTable((fact.replace("_", " "), "examples", "right", "95 %"), kinds, (1, 2, 3))
    if set(overall["outcomes"]) != {"right"}:
        counted = [(name, f"{count:,}") for name, count in overall["outcomes"].items()]
        yield TextTable(("outcome", "answers"), counted, (1,))
    if overall["misreadings"]:
        wrong = sum(overall["misreadings"].values())
        shares = [(name, f"{100 * count / wrong:.1f}") for name, count in overall["misreadings"].items()]
        yield TextTable(("wrong object, by misreading", "%"), shares, (1,))


def _columns(overall: Mapping[str, Any]) -> list[str]:
    shown = [name for name in ("IoU 0.75", "IoU 0.9", "mean IoU") if name in overall]
    return shown + (["chance"] if overall["chance"] is not None else [])


def _percent(score: Mapping[str, Any], name: str) -> str:
    found = score.get(name)
    value = found["mean"] if isinstance(found, dict) else found
    return "–" if value is None else f"{100 * value:.1f}"


def _cells(found: Mapping[str, Any]) -> tuple[str, str]:
    if found["mean"] is None:
        return "–", ""
    return f"{100 * found['mean']:.1f}", f"{100 * found['low']:.1f}–{100 * found['high']:.1f}"
