"""The measures of audits: what each means, what it comes to, and where it begins to be good or bad.

A world adds measures of its own as `measures` of its part `audit`, under the headings of this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.audits._counting import ALL, CHANCE
from deixis.audits.audit import Share
from deixis.report._markup import number, percent
from deixis.report.chart import format_value
from deixis.worlds.registry import parts_of


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.audits import Audit, Information
    from deixis.report.chart import Unit


__all__ = [
    "GIVEN",
    "HARD",
    "MEASURES",
    "NEED",
    "SHORT",
    "SOUND",
    "Measure",
    "Value",
    "Verdict",
    "all_measures",
    "necessity_measure",
    "value_of_bits",
    "value_of_share",
]


Verdict: TypeAlias = Literal["good", "fair", "bad", "plain"]


class Value(NamedTuple):
    """The value of a measure."""

    amount: float
    note: str = ""  # said when one asks: of how many, published where


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One row of a scorecard.

    Attributes:
        key: its name everywhere.
        group: the heading it stands under.
        about: its definition, in one sentence.
        unit: of its numbers.
        good, bad: thresholds of the verdict; None for a measure without one.
        of: computes the value; None where the measure does not apply.
        needs: why it may not apply.
    """

    key: str
    group: str
    about: str
    unit: Unit = "share"
    good: float | None = None
    bad: float | None = None
    of: Callable[[Audit], Value | None]
    needs: str = "not known, or no example was judged"

    def verdict(self, amount: float) -> Verdict:
        """Return whether a number is good."""
        if self.good is None or self.bad is None:
            return "plain"
        better, worse = (self.good, self.bad) if self.good > self.bad else (-self.good, -self.bad)
        amount = amount if self.good > self.bad else -amount
        return "good" if amount >= better else "bad" if amount < worse else "fair"

    @property
    def scale(self) -> str:
        """The thresholds of good and bad, in words."""
        if self.good is None or self.bad is None:
            return ""
        sides = ("at least", "below") if self.good > self.bad else ("at most", "above")
        good, bad = (format_value(edge, self.unit) for edge in (self.good, self.bad))
        if good == bad:
            return f"Good: {good}, bad: anything else."
        return f"Good: {sides[0]} {good}; bad: {sides[1]} {bad}."


# --------------------------------------------------------------------------------------------------- what they come to


def value_of_share(share: Share | None) -> Value | None:
    """Return a share as a value, or None if there is none."""
    if share is None or share.share is None:
        return None
    return Value(share.share, f"{number(share.part)} of {number(share.of)}")


def _plain(amount: float | None, note: str = "") -> Value | None:
    return None if amount is None else Value(amount, note)


def _with_clauses(audit: Audit, shortcut: str) -> Value | None:
    """The share of examples with clauses that a shortcut solves; None where all patterns have clauses."""
    patterns = {pattern for pattern, _ in audit.relations}
    if patterns == set(audit.patterns):
        return None
    found = [
        audit.shortcut_shares(pattern)[shortcut]
        for pattern in sorted(patterns)
        if shortcut in audit.shortcut_shares(pattern)
    ]
    return value_of_share(Share(sum(share.part for share in found), sum(share.of for share in found)))


def value_of_bits(found: Information | None) -> Value | None:
    """Return mutual information less its bias as a value, or None if nothing was counted."""
    if found is None or not found.counted:
        return None
    return Value(found.net, f"{found.bits:.3f} bits counted, {found.bias:.4f} expected by chance")


def _chance_spread(audit: Audit) -> Value | None:
    found = [entry.chance for entry in audit.chance_by_length.values() if entry.examples >= audit.judged / 200]
    return Value(max(found) - min(found), f"from {percent(min(found))} to {percent(max(found))}") if found else None


def _blind_gain(audit: Audit) -> Value | None:
    blind = audit.reading_nothing
    if ALL not in blind or CHANCE not in blind:
        return None
    return Value(blind[ALL] - blind[CHANCE], f"{percent(blind[ALL])} right, {percent(blind[CHANCE])} by chance")


def _strongest(audit: Audit) -> Value | None:
    name, found = max(audit.skew.items(), key=lambda entry: (entry[1].net, entry[0]), default=("", None))
    return None if found is None else Value(found.net, f"the feature is {name}")


def _repeats(audit: Audit, what: str, *, within: bool) -> Value | None:
    if not audit.different:
        return None
    if within:
        return Value(sum(n for (kind, one, other), n in audit.repeats.items() if kind == what and one == other))
    if not any(key[1] == "train" for key in audit.different) or len(audit.splits) < 2:
        return None
    return Value(sum(n for (kind, one, other), n in audit.repeats.items() if kind == what and one != other == "train"))


def _held_out(audit: Audit) -> Value | None:
    return Value(sum(audit.held_out.values())) if audit.judged and audit.different else None


# ------------------------------------------------------------------------------------------------------ the measures

NEED, SHORT, HARD = "What is needed", "What already suffices", "How hard it is to get wrong"
GIVEN, SOUND = "What gives the answer away", "What is repeated"
HEADINGS = (NEED, SHORT, HARD, GIVEN, SOUND)
necessity_measure = partial(Measure, group=NEED, good=0.95, bad=0.5)
_shortcut_measure = partial(Measure, group=SHORT, good=0.05, bad=0.2)
MEASURES: tuple[Measure, ...] = (
    necessity_measure(
        key="words of the target",
        about="How many size, colour and shape words of the target's phrase are needed: without the word, the "
        "expression fits something else.",
        of=lambda audit: value_of_share(audit.words_needed("target")),
    ),
    necessity_measure(
        key="words of the others",
        about="The same of the phrases for other objects; a noun that its relation implies does not count.",
        of=lambda audit: value_of_share(audit.words_needed("other")),
        needs="no example has a clause",
    ),
    necessity_measure(
        key="clauses",
        about="How many clauses are needed: without the clause, the expression fits something else.",
        of=lambda audit: value_of_share(audit.clauses_needed()),
        needs="no example has a clause",
    ),
    necessity_measure(
        key="examples that need every clause",
        about="In how many examples with clauses none of them can be left out.",
        of=lambda audit: value_of_share(audit.all_clauses_needed()),
        needs="no example has a clause",
    ),
    necessity_measure(
        key="examples that need every word",
        about="In how many examples no size, colour or shape word can be left out.",
        of=lambda audit: value_of_share(audit.all_words_needed()),
    ),
    necessity_measure(
        key="colour and shape both needed",
        about="Of the examples that give the target a colour and a noun, how many need both; elsewhere one of them "
        "suffices.",
        of=lambda audit: value_of_share(audit.colour_and_shape().get("both needed")),
        needs="no target is given both a colour and a noun",
    ),
    Measure(
        key="words that matter",
        group=NEED,
        about="How many words of an expression are needed, on average.",
        unit="number",
        of=lambda audit: (
            _plain(audit.words_that_matter[0], f"of {audit.words_that_matter[1]:.1f} that are said")
            if audit.judged
            else None
        ),
    ),
    _shortcut_measure(
        key="noun alone",
        about="How many examples are solved by the target's noun alone: nothing else in the world is one.",
        of=lambda audit: value_of_share(audit.shortcut_shares().get("noun alone")),
    ),
    _shortcut_measure(
        key="noun phrase alone",
        about="How many examples are solved by the target's phrase without its clauses; all where there are none.",
        of=lambda audit: value_of_share(audit.shortcut_shares().get("noun phrase alone")),
    ),
    _shortcut_measure(
        key="noun phrase alone, where there are clauses",
        about="The same among the examples with clauses only.",
        of=lambda audit: _with_clauses(audit, "noun phrase alone"),
        needs="no example has a clause, or all have",
    ),
    _shortcut_measure(
        key="first clause alone",
        about="Of the examples with several clauses, how many are solved by the target's phrase and the first clause.",
        of=lambda audit: value_of_share(audit.shortcut_shares().get("first clause alone")),
        needs="no example has several clauses",
    ),
    _shortcut_measure(
        key="bag of words",
        about="How many examples are solved without the order of the words: whatever words of one kind change places "
        "between two phrases, no other object is picked out.",
        of=lambda audit: value_of_share(audit.shortcut_shares().get("bag of words")),
    ),
    _shortcut_measure(
        key="bag of words, where there are clauses",
        about="The same among the examples with clauses only; an expression of one phrase is always solved.",
        of=lambda audit: _with_clauses(audit, "bag of words"),
        needs="no example has a clause, or all have",
    ),
    Measure(
        key="error when one part is overlooked",
        group=HARD,
        about="How often a reader errs who overlooks one word or clause at random and guesses among what then fits.",
        good=0.5,
        bad=0.25,
        of=lambda audit: _plain(audit.difficulty()),
    ),
    Measure(
        key="objects that a misreading reaches",
        group=HARD,
        about="How many wrong objects some single misreading of the expression leads to, on average.",
        unit="number",
        of=lambda audit: _plain(audit.mean_reached()),
    ),
    Measure(
        key="objects",
        group=HARD,
        about="How many objects there are to choose from, on average.",
        unit="number",
        of=lambda audit: _plain(audit.chance_overall.objects if audit.chance_overall else None),
    ),
    Measure(
        key="chance",
        group=HARD,
        about="How often a guess among all objects is right.",
        of=lambda audit: _plain(audit.chance_overall.chance if audit.chance_overall else None),
    ),
    Measure(
        key="chance among namesakes",
        group=HARD,
        about="How often a guess among the objects that fit the target's noun is right.",
        of=lambda audit: _plain(audit.chance_overall.chance_among_namesakes if audit.chance_overall else None),
    ),
    Measure(
        key="length tells chance",
        group=GIVEN,
        about="How much the chance level differs between expressions of different lengths, largest less smallest: the "
        "number of words then tells how many objects there are. Lengths with under half a percent of the examples "
        "are left out.",
        good=0.05,
        bad=0.2,
        of=_chance_spread,
    ),
    Measure(
        key="gain without reading",
        group=GIVEN,
        about="How much more often than chance a reader is right who sees the scene but not the expression and has "
        "learnt which objects tend to be targets (naive Bayes, judged on the half it has not learnt from).",
        good=0.05,
        bad=0.15,
        of=_blind_gain,
    ),
    Measure(
        key="feature that tells most",
        group=GIVEN,
        about="What the most telling feature of an object tells about whether it is the target: mutual information "
        "less what chance alone would show.",
        unit="bits",
        good=0.01,
        bad=0.05,
        of=_strongest,
    ),
    Measure(
        key="determiner tells necessity",
        group=GIVEN,
        about="What ‘the’ or ‘a’ before another object tells about whether the words of its phrase are needed.",
        unit="bits",
        good=0.01,
        bad=0.1,
        of=lambda audit: value_of_bits(audit.determiner_leak.get("words needed")),
        needs="it is not recorded which determiner was said",
    ),
    Measure(
        key="determiner tells distractors",
        group=GIVEN,
        about="What ‘the’ or ‘a’ tells about which kinds of distractors are in the world.",
        unit="bits",
        good=0.01,
        bad=0.1,
        of=lambda audit: value_of_bits(audit.determiner_leak.get("distractor kinds")),
        needs="it is not recorded which determiner was said",
    ),
    Measure(
        key="examples twice in a split",
        group=SOUND,
        about="How many examples are repeats of an earlier one of their split: same words, same scene.",
        unit="count",
        good=0,
        bad=0,
        of=lambda audit: _repeats(audit, "example", within=True),
    ),
    Measure(
        key="tested examples also in train",
        group=SOUND,
        about="How many examples outside the training set are in it as well.",
        unit="count",
        good=0,
        bad=0,
        of=lambda audit: _repeats(audit, "example", within=False),
        needs="there is no training split beside others",
    ),
    Measure(
        key="tested scenes also in train",
        group=SOUND,
        about="How many examples outside the training set have a scene that is in it too, as the world tells scenes "
        "apart.",
        unit="count",
        of=lambda audit: _repeats(audit, "world", within=False),
        needs="there is no training split beside others",
    ),
    Measure(
        key="held out, yet trained on",
        group=SOUND,
        about="How many examples of train, dev or test are what a split rule of the dataset holds out.",
        unit="count",
        good=0,
        bad=0,
        of=_held_out,
    ),
)


def all_measures() -> list[Measure]:
    """The measures of all audits and those that single worlds add, heading by heading."""
    added = (measure for _, part in parts_of("audit") for measure in getattr(part, "measures", ()))
    return sorted((*MEASURES, *added), key=lambda measure: HEADINGS.index(measure.group))
