"""An audit in a few lines of words and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.audits._counting import ALL, CHANCE
from deixis.audits.audit import REPEATED, SHORTCUTS, SUFFICIENT


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.audits.audit import Audit, Information, Share


NOTHING = "–"  # what a dataset has no such thing of
ELSEWHERE = "measured in other worlds only"
NOT_JUDGED = "no example has a meaning that picks out a single target"
MOVES, UNMOVED = "moves its object", "nothing is said that moves an object"
NO_CLAUSES, NO_PAIR = "no example has clauses for it", "no target is given both a colour and a noun"
REASONS = {  # why a dataset may lack a measure, by how the name of the measure begins
    "needed: words of the others": NO_CLAUSES,
    "needed: clauses": NO_CLAUSES,
    "needed": "nothing of the kind is said",
    "examples that need": "no example could be judged",
    "words that matter": "no example could be judged",
    "colour and noun": NO_PAIR,
    "colour alone": NO_PAIR,
    "noun alone": NO_PAIR,
    "either alone": NO_PAIR,
    "solved by the first clause": "no example has several clauses",
    "solved by the noun": "no example could be judged",
    "feature that tells": "no feature tells anything",
    "relation tells": "it is not recorded where what a clause mentions stands",
    "determiner tells": "it is not recorded which determiner was said",
    "tested": "there is no training split beside others",
    "held out": "no example could be judged",
}


def summary(audit: Audit) -> dict[str, str]:
    """Return the main measures of an audit as text by name, with a dash for those that do not apply."""
    return {name: value or NOTHING for name, value in _lines(audit)}


def compare_audits(
    audits: Mapping[str, Audit], further: Mapping[str, Mapping[str, str]] | None = None
) -> list[tuple[str, ...]]:
    """Return audits side by side as rows (measure, value for each).

    Measures that apply to none of them are left out.

    Args:
        audits: by the name of the dataset.
        further: measures that only some worlds have, likewise.
    """
    own = further or {}
    columns = [{**summary(audit), **own.get(name, {})} for name, audit in audits.items()]
    names = dict.fromkeys(name for column in columns for name in column)
    rows = [(name, *(column.get(name, NOTHING) for column in columns)) for name in names]
    return [row for row in rows if set(row[1:]) != {NOTHING}]


def explain_dashes(rows: Sequence[Sequence[str]], names: Sequence[str], unjudged: Sequence[str] = ()) -> list[str]:
    """Why some datasets have a dash where others have a value, a line for each reason.

    Args:
        rows: of `compare_audits`.
        names: of the datasets.
        unjudged: those of which no example could be judged, so that they have no measure that needs a meaning.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for measure, *values in rows:
        for name, value in zip(names, values, strict=True):
            if value == NOTHING and name in unjudged:
                found[name, NOT_JUDGED] = ["all measures that need one"]
            elif value == NOTHING:
                usual = UNMOVED if measure.endswith(MOVES) else ELSEWHERE
                why = next((why for begin, why in REASONS.items() if measure.strip().startswith(begin)), usual)
                found.setdefault((name, why), []).append(measure.strip())
    return [f"{NOTHING} {name}: {why} ({', '.join(measures)})" for (name, why), measures in found.items()]


def _lines(audit: Audit) -> Iterator[tuple[str, str]]:
    matter, said = audit.words_that_matter
    yield "examples", f"{audit.examples:,}"
    yield "  judged", f"{audit.judged:,}"
    yield "needed: words of the target", _percent(audit.words_needed("target"))
    yield "needed: words of the others", _percent(audit.words_needed("other"))
    yield "needed: clauses", _percent(audit.clauses_needed())
    yield "examples that need every word", _percent(audit.all_words_needed())
    yield "words that matter, of those said", f"{matter:.1f} of {said:.1f}" if audit.judged else ""
    for what in SUFFICIENT:
        yield (
            f"  {what.replace('shape', 'noun')}" if what != SUFFICIENT[0] else f"colour and noun: {what}",
            _percent(audit.colour_and_shape().get(what)),
        )
    solved = audit.shortcut_shares()
    for name in SHORTCUTS:
        yield f"solved by {'a' if name == SHORTCUTS[-1] else 'the'} {name}", _percent(solved.get(name))
    yield "objects that a misreading reaches", _number(audit.mean_reached())
    yield "error when one part is overlooked", _fraction(audit.difficulty())
    chance = audit.chance_overall
    yield "objects", _number(chance.objects if chance else None)
    yield "chance", _fraction(chance.chance if chance else None)
    yield "chance among what fits the noun", _fraction(chance.chance_among_namesakes if chance else None)
    blind = audit.reading_nothing
    yield "reader who does not read", _fraction(blind.get(ALL))
    yield "  chance on the same examples", _fraction(blind.get(CHANCE))
    yield "feature that tells most", _strongest(audit)
    for place in ("row", "column"):
        yield f"relation tells {place} of its object", _bits(audit.child_skew.get(place))
    for what in ("words needed", "distractor kinds"):
        yield f"determiner tells {what}", _bits(audit.determiner_leak.get(what))
    for verb, share in audit.moving.items():
        yield f"{verb} {MOVES}", _percent(share)
    yield from _repeats(audit)
    yield "held out, yet in train, dev or test", f"{sum(audit.held_out.values()):,}" if audit.judged else ""


def _repeats(audit: Audit) -> Iterator[tuple[str, str]]:
    within = dict.fromkeys(("example", "world"), 0)
    shared = dict.fromkeys(REPEATED, 0)
    for (what, split, other), count in audit.repeats.items():
        if split == other and what in within:
            within[what] += count
        elif split != other and other == "train":
            shared[what] += count
    for what, count in within.items():
        yield f"{REPEATED[what]} twice in one split", f"{count:,}" if audit.judged else ""
    has_train = any(key[1] == "train" for key in audit.different) and len(audit.splits) > 1
    for what, count in shared.items():
        yield f"tested {REPEATED[what]} also in train", f"{count:,}" if has_train else ""


def _strongest(audit: Audit) -> str:
    found = max(audit.skew.items(), key=lambda entry: (entry[1].net, entry[0]), default=None)
    return f"{found[0]} {found[1].net:.3f} bits" if found and found[1].net else ""


def _bits(found: Information | None) -> str:
    return "" if found is None else f"{found.net:.3f} bits"


def _percent(share: Share | None) -> str:
    return "" if share is None or share.share is None else f"{share.share:.1%}"


def _fraction(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"
