"""A typed text in pieces, for the page: its parts, the word at which reading stopped, and what could stand next."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from deixis.errors import ParseError
from deixis.expression.parts import parts
from deixis.expression.steps import Related
from deixis.language.lexicon import lexicon
from deixis.language.parse import read
from deixis.studio.playground_verdict import class_of


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.language.explain import Explanation
    from deixis.language.utterance import Utterance
    from deixis.studio.playground_verdict import Judgement


__all__ = ["Completion", "Segment", "completions", "completions_title", "segments"]


@dataclass(frozen=True, slots=True)
class Segment:
    """Some words of the text that belong together.

    Attributes:
        words: the words.
        kind: `noun`, `color`, `size` or `clause` for parts, `wrong` or `begun` where reading stopped, else nothing.
        lights: the objects that are left after this part.
        is_idle: whether the target is found without the part.
        note: what the part does, in words.
    """

    words: str
    kind: str = ""
    lights: tuple[int, ...] = ()
    is_idle: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """What can stand next, or in the place of a wrong word: the words, and the text that they make."""

    words: str
    text: str


def segments(judgement: Judgement) -> list[Segment]:
    """The text in pieces: its parts, or the word at which reading stopped."""
    if judgement.utterance is not None:
        return list(_pieces(judgement.utterance, judgement.explanation))
    if judgement.error is None or judgement.is_blank:
        return []
    return list(_around(judgement.error, "begun" if judgement.is_begun else "wrong"))


def completions(judgement: Judgement) -> list[Completion]:
    """What can follow, or stand in the place of the word that cannot be read; what was begun is completed."""
    said = judgement.utterance
    error = judgement.error if said is None else _error_after(said)
    if error is None:
        return []
    options = [words for words in error.expected if not words.startswith("<")]
    if said is not None:
        manners = () if said.instruction.verb else lexicon().manners
        return [Completion(words, f"{said.text} {words}") for words in options if words not in manners]
    tokens = error.text.split()
    before, after = tokens[: error.position - 1], tokens[error.position :]
    made = [Completion(words, " ".join([*before, words, *after])) for words in options]
    if after:
        return [one for one in made if _reach(one.text) > error.position] or made
    return [one for one in made if one.words.startswith(error.word)] or made


def completions_title(judgement: Judgement) -> str:
    """What the completions are."""
    error = judgement.error
    if error is None:
        return "Can follow:" if completions(judgement) else "Nothing more can follow."
    return "Next:" if judgement.is_blank or judgement.is_begun else f"Instead of ‘{error.word}’:"


def _pieces(utterance: Utterance, explanation: Explanation | None) -> Iterator[Segment]:
    """The parts; of a clause only the words of its relation, since its phrase has parts of its own."""
    tokens = utterance.text.split(" ")
    steps = {step.address: step for mention in (explanation.mentions if explanation else ()) for step in mention.steps}
    idle = {part.address for part in (explanation.parts if explanation else ()) if not part.is_necessary}
    at = 0
    for part in sorted(parts(utterance.expression), key=lambda part: utterance.spans[part.address]):
        first, last = utterance.spans[part.address]
        if isinstance(part.step, Related):
            last = utterance.spans[(*part.address, -1)][0]
        if at < first:
            yield Segment(" ".join(tokens[at:first]))
        at = last
        words, step = " ".join(tokens[first:last]), steps.get(part.address)
        if step is None:
            yield Segment(words, class_of(part))
            continue
        note = f"{len(step.after)} of {len(step.before)} left" + ("; not needed" if part.address in idle else "")
        yield Segment(words, class_of(part), step.after, part.address in idle, note)
    if at < len(tokens):
        yield Segment(" ".join(tokens[at:]))


def _around(error: ParseError, kind: str) -> Iterator[Segment]:
    """The word at which reading stopped, between what stands before and after it."""
    tokens = error.text.split()
    at = error.position - 1
    if at:
        yield Segment(" ".join(tokens[:at]))
    yield Segment(" ".join(tokens[at : at + 1]) or "…", kind)
    if tokens[at + 1 :]:
        yield Segment(" ".join(tokens[at + 1 :]))


def _reach(text: str) -> float:
    """At which word reading stops."""
    try:
        read(text, any_order=True)
    except ParseError as error:
        return error.position
    return inf


def _error_after(utterance: Utterance) -> ParseError | None:
    """The complaint about a word that no text has, put after a text that can be read: it says what could follow."""
    try:
        read(f"{utterance.text} ?", any_order=True)
    except ParseError as error:
        return error
    return None
