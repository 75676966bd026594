"""An audit in a paragraph of plain words, and the tables that say what is repeated and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.audits.readers import ALL, CHANCE
from deixis.reports.charts import pattern_words
from deixis.reports.markup import element, number, percent, table, text


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.audits import Audit, Share


__all__ = ["by_pattern", "lead", "left_out", "repeats_table"]


def lead(audit: Audit) -> str:
    """What a dataset tests, in a few sentences that anyone can read."""
    if not audit.judged:
        return element("p", "No example could be judged.")
    return "".join(element("p", sentence) for sentence in _sentences(audit) if sentence)


def by_pattern(audit: Audit, *, caption: str) -> str:
    """The key figures of every pattern of one dataset."""
    head = ["pattern", "examples", "words of the target", "words of the others", "clauses", "every word needed"]
    head += ["bag of words solves", "an oversight errs", "objects", "chance"]
    rows = []
    for pattern, examples in audit.patterns.items():
        chance = audit.chance_by_pattern[pattern]
        needed = (
            audit.words_needed("target", pattern),
            audit.words_needed("other", pattern),
            audit.clauses_needed(pattern),
            audit.all_words_needed(pattern),
            audit.solved(pattern).get("bag of words"),
        )
        rest = [_percent(audit.difficulty(pattern)), f"{chance.objects:.1f}", percent(chance.chance)]
        rows.append([text(pattern_words(pattern)), number(examples), *map(_share, needed), *rest])
    return table(head, rows, caption=caption, numeric=range(1, len(head)))


def repeats_table(audits: Mapping[str, Audit]) -> str:
    """For each dataset and split, what is repeated within it and what the training set holds too."""
    kinds = ("example", "world", "command")
    head = ["dataset", "split", "examples", *(f"{kind}s twice" for kind in kinds)]
    head += [f"{kind}s also in train" for kind in kinds] + ["held out by a rule"]
    rows = []
    for name, audit in audits.items():
        for (split,), examples in sorted(audit.splits.items(), key=lambda entry: _split_order(entry[0][0])):
            within = [number(audit.repeats.get((kind, split, split), 0)) for kind in kinds]
            shared = [
                "–" if split == "train" else number(audit.repeats.get((kind, split, "train"), 0)) for kind in kinds
            ]
            broken = sum(count for (_, place), count in audit.held_out.items() if place == split)
            held = number(broken) if split in ("train", "dev", "test") else "–"
            rows.append([text(name), text(split), number(examples), *within, *shared, held])
    if not rows:
        return ""
    note = element(
        "p",
        "Worlds are the same when exchanging rows and columns turns one into the other, wherever the agent stands; "
        "commands when they mean the same. An equal command in training is no fault where other things are held out.",
        class_="note",
    )
    return table(head, rows, caption="Repeats and leaks", numeric=range(2, len(head))) + note


def left_out(audits: Mapping[str, Audit]) -> str:
    """How many examples were not judged, and why."""
    rows = [
        [text(name), text(reason), number(count), percent(count / audit.examples)]
        for name, audit in audits.items()
        for (reason,), count in sorted(audit.unjudged.items())
    ]
    if not rows:
        return element("p", "Every example was judged: each command fits exactly the recorded target.")
    intro = "Only examples whose command fits exactly the recorded target can be judged; the rest count nowhere else."
    return element("p", intro) + table(
        ["dataset", "why", "examples", "share"], rows, caption="Left out", numeric=[2, 3]
    )


def _sentences(audit: Audit) -> Iterator[str]:
    yield " ".join(_on_need(audit))
    yield " ".join(_on_shortcuts(audit))
    yield " ".join(_on_giveaways(audit))


def _on_need(audit: Audit) -> Iterator[str]:
    target, other, clauses = audit.words_needed("target"), audit.words_needed("other"), audit.clauses_needed()
    if target.of:
        said = f"Of the words of the target’s phrase {_strong(target)} are needed to find it"
        said += f", of the words of the other phrases {_strong(other)}" if other.of else ""
        yield said + (f", of the clauses {_strong(clauses)}." if clauses.of else ".")
    matter, words = audit.words_that_matter
    whole = audit.all_words_needed()
    if words:
        yield f"A command has {words:.1f} content words, of which {matter:.1f} matter; in {_strong(whole)} of the "
        yield "examples all of them do."
    both = audit.colour_and_shape().get("both needed")
    if both is not None and both.of:
        yield f"Where a colour and a noun are said of the target, both are needed in {_strong(both)}."
    push, pull = (audit.moving.get(verb) for verb in ("push", "pull"))
    if push is not None and pull is not None and push.of and pull.of:
        yield f"Pushing moves something in {_strong(push)} of the push examples, pulling in {_strong(pull)}."


def _on_shortcuts(audit: Audit) -> Iterator[str]:
    solved = {name: share for name, share in audit.solved().items() if share.of}
    if "noun alone" in solved and "noun phrase alone" in solved:
        noun, phrase = solved["noun alone"], solved["noun phrase alone"]
        yield f"The noun alone finds the target in {_strong(noun)}, the phrase without its clauses in {_strong(phrase)}"
        bag = solved.get("bag of words")
        yield f"of the examples; the words in any order do in {_strong(bag)}." if bag else "of the examples."
    error = audit.difficulty()
    if error is not None:
        yield f"A reader who overlooks one word or clause errs in {_bold(percent(error))}."


def _on_giveaways(audit: Audit) -> Iterator[str]:
    chance = audit.chance_overall
    blind = audit.reading_nothing
    if chance is not None:
        yield f"There are {chance.objects:.1f} objects to choose from, so a guess is right in "
        yield f"{_bold(percent(chance.chance))}."
    if ALL in blind and CHANCE in blind:
        yield f"Looking without reading raises that from {percent(blind[CHANCE])} to {_bold(percent(blind[ALL]))}."
    skew = audit.skew
    if skew:
        name = max(skew, key=lambda feature: (skew[feature].net, feature))
        feature = "colour" if name == "color" else name
        yield f"What tells most about the target is the {text(feature)} of an object, {skew[name].net:.3f} bits."


def _strong(share: Share | None) -> str:
    return _bold(_share(share))


def _bold(value: str) -> str:
    return element("b", value)


def _share(share: Share | None) -> str:
    return _percent(None if share is None else share.share)


def _percent(value: float | None) -> str:
    return "–" if value is None else percent(value)


def _split_order(name: str) -> tuple[int, str]:
    known = ("train", "dev", "test")
    return (known.index(name) if name in known else len(known), name)
