"""An audit in a few lines of words and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.audits.audit import SHORTCUTS, SUFFICIENT
from deixis.audits.readers import ALL, CHANCE


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.audits.audit import Audit
    from deixis.audits.information import Information, Share


__all__ = ["compared", "summary"]

NOTHING = "–"  # what a dataset has no such thing of


def summary(audit: Audit) -> dict[str, str]:
    """The measures that matter most, as text by name; what does not apply is a dash."""
    return {name: value or NOTHING for name, value in _lines(audit)}


def compared(audits: Mapping[str, Audit]) -> list[tuple[str, ...]]:
    """Several audits side by side: (measure, value for each); what applies to none of them is left out."""
    columns = [summary(audit) for audit in audits.values()]
    rows = [(name, *(column[name] for column in columns)) for name in (columns[0] if columns else ())]
    return [row for row in rows if set(row[1:]) != {NOTHING}]


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
            f"  {what}" if what != SUFFICIENT[0] else f"colour and noun: {what}",
            _percent(audit.colour_and_shape().get(what)),
        )
    solved = audit.solved()
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
    for verb in ("push", "pull"):
        yield f"{verb} moves its object", _percent(audit.moving.get(verb))
    yield from _repeats(audit)
    yield "held out, yet in train, dev or test", f"{sum(audit.held_out.values()):,}" if audit.judged else ""


def _repeats(audit: Audit) -> Iterator[tuple[str, str]]:
    within = dict.fromkeys(("example", "world"), 0)
    shared = dict.fromkeys(("example", "world", "command"), 0)
    for (what, split, other), count in audit.repeats.items():
        if split == other and what in within:
            within[what] += count
        elif split != other and other == "train":
            shared[what] += count
    for what, count in within.items():
        yield f"{what}s twice in one split", f"{count:,}" if audit.judged else ""
    has_train = any(key[1] == "train" for key in audit.different) and len(audit.splits) > 1
    for what, count in shared.items():
        yield f"tested {what}s also in train", f"{count:,}" if has_train else ""


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
