"""Figures of any examples: measures that need no meaning, each with what it needs and why a dataset lacks it.

The measures of `deixis.audits.audit` need an expression with a meaning, scenes and a target. Those listed here need
less: texts, images, candidates or choices. So datasets of all worlds and readers can stand in the same rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis.errors import UnknownName
from deixis.judge.uncertainty import LEVEL, wilson


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = ["ROWS", "Figure", "FigureRow", "compare_figures", "explain_missing", "mean_figure", "missing"]

NOTHING = "–"
Unit: TypeAlias = Literal["share", "count", "number", "words"]
TEXT, IMAGES, LANGUAGE = "text", "text, and images or scenes", "text, and an annotated or parsed meaning"
TARGET, BOXES, SENTENCES = "scenes and target", "right boxes and sizes of images", "choices of which one is right"
ANSWERS = "answers: a target among scenes, or choices"
HALVES = "answers, and as many again to learn from"


class FigureRow(NamedTuple):
    """One measure of any examples.

    Attributes:
        name: its row in tables.
        needs: what a dataset must hold to have it.
        about: its definition.
        unit: of its value.
        is_blind: whether a reader learnt for it, so that its interval is always shown.
    """

    name: str
    needs: str
    about: str
    unit: Unit = "share"
    is_blind: bool = False


_ALL = (
    FigureRow("texts", TEXT, "Examples with a text; a pair of captions counts once.", "count"),
    FigureRow("words of a text", TEXT, "The median number of words, with the 5 % and 95 % quantiles.", "words"),
    FigureRow("different words", TEXT, "The number of different words, small and capital letters alike.", "count"),
    FigureRow(
        "words said once",
        TEXT,
        "Share of the different words that occur once in the whole dataset; a word that the sentences of one example "
        "share occurs once in it.",
    ),
    FigureRow("same text twice in a split", TEXT, "Share of the texts that repeat an earlier one of the same split."),
    FigureRow(
        "same text in another split",
        TEXT,
        "Share of the texts outside train that are also in train; of all texts that are in another split, if there is "
        "no train.",
    ),
    FigureRow(
        "images", IMAGES, "The number of different images, or of different scenes, if no image is named.", "count"
    ),
    FigureRow(
        "same text and image twice in a split",
        IMAGES,
        "Share of the examples whose text and images repeat those of an earlier example of the same split.",
    ),
    FigureRow(
        "same text and image in another split",
        IMAGES,
        "Share of the examples outside train whose text and images are also in train (in another split, if there is "
        "no train).",
    ),
    FigureRow(
        "image in another split",
        IMAGES,
        "Image leakage: share of the examples outside train whose images are also in train (in another split, if "
        "there is no train).",
    ),
    FigureRow("meaning known", LANGUAGE, "Share of the texts with an annotated meaning or one that a language reads."),
    FigureRow(
        "meaning fits the target alone",
        LANGUAGE,
        "Share of the known meanings, where scenes and targets are given, that pick out exactly what is meant.",
    ),
    FigureRow("meaning fits others, too", LANGUAGE, "Likewise: it fits what is meant and other objects."),
    FigureRow("meaning fits others only", LANGUAGE, "Likewise: it fits objects, but not all that is meant."),
    FigureRow("meaning fits nothing", LANGUAGE, "Likewise: it fits no object."),
    FigureRow("candidates", TARGET, "The mean number of objects to choose from.", "number"),
    FigureRow("category suffices", TARGET, "Share of the examples in which no other object has the target's category."),
    FigureRow(
        "largest is the target",
        TARGET,
        "How often the largest candidate is the target; candidates of equal size share the guess.",
    ),
    FigureRow("most central is the target", TARGET, "The same of the candidate nearest to the middle of its image."),
    FigureRow("first is the target", TARGET, "The same of the candidate that the dataset lists first."),
    FigureRow(
        "one box for all, IoU .5",
        BOXES,
        "How often the mean box of one half overlaps the right box in the other half by at least 0.5.",
        is_blind=True,
    ),
    FigureRow("most frequent ninth", BOXES, "Share of right boxes with their centre in the most frequent ninth."),
    FigureRow(
        "ninth by the text alone",
        BOXES,
        "How often naive Bayes over words tells in which ninth of the image the centre of the right box lies.",
        is_blind=True,
    ),
    FigureRow("shorter is right", SENTENCES, "Share of the pairs in which the right sentence has fewer words."),
    FigureRow("longer is right", SENTENCES, "Share of the pairs in which the right sentence has more words."),
    FigureRow("same words in another order", SENTENCES, "Share of the pairs in which both are the same bag of words."),
    FigureRow("people choose the right one", SENTENCES, "Share of people's votes for the right choice, if recorded."),
    FigureRow("chance", ANSWERS, "One over the number of candidates or choices, on average."),
    FigureRow("most frequent answer", ANSWERS, "Share of the most frequent answer of true-or-false examples."),
    FigureRow(
        "image only",
        HALVES,
        "Accuracy of naive Bayes over visible features of candidates, without any word.",
        is_blind=True,
    ),
    FigureRow(
        "text only",
        HALVES,
        "Accuracy of naive Bayes over words. Of candidates, it knows the categories alone, chooses the likeliest and "
        "guesses among equals; of choices, it knows the words that differ.",
        is_blind=True,
    ),
    FigureRow("text only, with order", HALVES, "The same over words and pairs of neighbouring words.", is_blind=True),
    FigureRow("length only", HALVES, "The same reader, told the number of words and nothing else.", is_blind=True),
)
ROWS: dict[str, FigureRow] = {row.name: row for row in _ALL}
"""All measures of any examples by name, in the order of tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """The value of one measure, or the reason why there is none.

    Attributes:
        value: None where there is none.
        low, high: the 95 % interval of a share or an accuracy.
        of: how many examples it is measured on.
        why: why there is no value.
        spread: the 5 % and the 95 % quantile of a length.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    of: int = 0
    why: str = ""
    spread: tuple[float, float] | None = None

    def write(self, row: FigureRow) -> str:
        """The figure as text for a table, with its interval if a reader learnt for it."""
        if self.value is None:
            return NOTHING
        if row.unit == "count":
            return f"{self.value:,.0f}"
        if row.unit == "number":
            return f"{self.value:.1f}"
        if row.unit == "words":
            return f"{self.value:g}" + ("" if self.spread is None else f" ({self.spread[0]:g}-{self.spread[1]:g})")
        told = f"{self.value:.1%}"
        if row.is_blind and self.low is not None and self.high is not None:
            return f"{told} [{100 * self.low:.1f}, {100 * self.high:.1f}]"
        return told

    def to_dict(self, needs: str = "") -> dict[str, Any]:
        """The figure as plain values, with what it needs."""
        found: dict[str, Any] = {"needs": needs, "value": self.value, "of": self.of}
        if self.low is not None:
            found["interval"] = [self.low, self.high]
        if self.spread is not None:
            found["quantiles"] = list(self.spread)
        return found | ({"why": self.why} if self.why else {})


def missing(why: str) -> Figure:
    """A figure that a dataset does not have."""
    return Figure(value=None, why=why)


def mean_figure(values: np.ndarray, groups: np.ndarray | None = None) -> Figure:
    """Return the mean of values from 0 to 1 with a 95 % interval.

    The interval is Wilson's; where values come in groups, such as the examples of one image, it is at least as wide as
    the normal interval whose variance is taken over groups.

    Args:
        values: bool or float64 [example].
        groups: which values belong together, any integers [example].
    """
    count = len(values)
    if not count:
        return missing("there are no such examples")
    values = np.asarray(values, np.float64)
    mean = float(values.mean())
    told = wilson(min(round(float(values.sum())), count), count)
    low, high = min(told.low, mean), max(told.high, mean)
    if groups is not None:
        _, which = np.unique(groups, return_inverse=True)
        sums = np.bincount(which, weights=values - mean)
        reach = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt(float((sums**2).sum())) / count
        low, high = min(low, max(mean - reach, 0.0)), max(high, min(mean + reach, 1.0))
    return Figure(value=mean, low=low, high=high, of=count)


def compare_figures(figures: Mapping[str, Mapping[str, Figure]]) -> list[tuple[str, ...]]:
    """Return figures of datasets side by side as rows, under a heading for what each needs.

    A heading is a row with empty cells. Measures that no dataset has are left out.
    """
    rows: list[tuple[str, ...]] = []
    heading = ""
    for name, row in ROWS.items():
        cells = [found[name].write(row) if name in found else NOTHING for found in figures.values()]
        if set(cells) == {NOTHING}:
            continue
        if row.needs != heading:
            heading = row.needs
            rows.append((f"needs: {heading}", *("" for _ in cells)))
        rows.append((f"  {name}", *cells))
    return rows


def explain_missing(figures: Mapping[str, Mapping[str, Figure]]) -> list[str]:
    """Return why some datasets have a dash where others have a value, a line for each reason."""
    found: dict[tuple[str, str], list[str]] = {}
    for measure in ROWS:
        if not any(measure in some and some[measure].value is not None for some in figures.values()):
            continue
        for name, some in figures.items():
            one = some.get(measure, missing("not measured"))
            if one.value is None:
                found.setdefault((name, one.why), []).append(measure)
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (name, why), measures in found.items():
        alike.setdefault((why, tuple(measures)), []).append(name)
    return [f"{NOTHING} {', '.join(names)}: {why} ({'; '.join(measures)})" for (why, measures), names in alike.items()]


def complete_figures(figures: Mapping[str, Figure], reasons: Mapping[str, str]) -> dict[str, Figure]:
    """Return figures for all rows in their order, with a reason for each that is missing.

    Args:
        figures: those that are known.
        reasons: by the need of a row or by its name, why there is none.
    """
    for name in figures:
        if name not in ROWS:
            raise UnknownName(f"there is no measure {name!r} of any examples")
    return {
        name: figures.get(name) or missing(reasons.get(name) or reasons.get(row.needs) or "not measured")
        for name, row in ROWS.items()
    }


def quantiles(values: Sequence[int] | np.ndarray) -> tuple[float, tuple[float, float]]:
    """(the median, the 5 % and the 95 % quantile)."""
    low, middle, high = np.quantile(np.asarray(values), (0.05, 0.5, 0.95), method="inverted_cdf")
    return float(middle), (float(low), float(high))
