"""The text of the playground in pieces: its parts for the page, and words that can continue or mend it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING

from deixis.errors import ParseError
from deixis.expression.parts import parts
from deixis.expression.steps import Related
from deixis.worlds.grid._pages.playground_verdict import class_of
from deixis.worlds.grid.language import WORDS, read


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.language.explain import Explanation
    from deixis.language.utterance import Utterance
    from deixis.worlds.grid._pages.playground_verdict import Judgement


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
    """A continuation, or a replacement of a wrong word: the words, and the text that they make.

    Attributes:
        words: what is offered.
        text: the text with it.
        is_inserted: whether the wrong word stays, behind what is offered.
    """

    words: str
    text: str
    is_inserted: bool = False


def segments(judgement: Judgement) -> list[Segment]:
    """Return the text in pieces: its parts, or the word at which reading stopped."""
    if judgement.utterance is not None:
        return list(_pieces(judgement.utterance, judgement.explanation))
    if judgement.error is None or judgement.is_blank:
        return []
    return list(_around(judgement.error, "begun" if judgement.is_begun else "wrong"))


def completions(judgement: Judgement) -> list[Completion]:
    """Return words that can follow, or replace the word that cannot be read, with begun words completed.

    They are about the text that was typed, also where another was read.
    """
    said = None if judgement.slip else judgement.utterance
    error = (judgement.slip or judgement.error) if said is None else _error_after(said)
    if error is None:
        return []
    options = [words for words in error.expected if not words.startswith("<")]
    if said is not None:
        manners = () if said.instruction.verb else WORDS.manners
        return [Completion(words, f"{said.text} {words}") for words in options if words not in manners]
    meant = [Completion(judgement.suggestion, judgement.suggestion)] if judgement.suggestion else []
    return meant + _instead(error, options)


def _instead(error: ParseError, options: list[str]) -> list[Completion]:
    """What can stand in the place of the word that cannot be read, or before it where the word can stay."""
    made = [_mend(error, words) for words in options]
    is_last = error.position >= len(error.text.split())
    begun = [one for one in made if is_last and one.words.startswith(error.word) and not one.is_inserted]
    return begun or [one for one in made if _gets_past(one, error)] or made


def _mend(error: ParseError, words: str) -> Completion:
    """Return the text with some words at the place where reading stopped.

    They go before a word of the language, since it may be right there, unless the text can be read without it only; a
    word that the language does not have is replaced.
    """
    tokens = error.text.split()
    before, after = tokens[: error.position - 1], tokens[error.position :]
    replaced = Completion(words, " ".join([*before, words, *after]))
    if error.word not in _known_words():
        return replaced
    inserted = Completion(words, " ".join([*before, words, error.word, *after]), is_inserted=True)
    return replaced if _reach(replaced.text) == inf > _reach(inserted.text) else inserted


def _gets_past(one: Completion, error: ParseError) -> bool:
    """Return whether reading gets beyond what was offered, and beyond the word that it stands before."""
    return _reach(one.text) > error.position + (len(one.words.split()) if one.is_inserted else 0)


@lru_cache(maxsize=1)
def _known_words() -> frozenset[str]:
    return frozenset((*WORDS.vocabulary(), *" ".join(WORDS.bare).split()))


def completions_title(judgement: Judgement) -> str:
    """Return the title above the completions."""
    error = judgement.slip or judgement.error
    if error is None:
        return "Continue with:" if completions(judgement) else "Nothing more can follow."
    if judgement.is_blank or judgement.is_begun:
        return "Next:"
    where = {one.is_inserted for one in completions(judgement)}
    return f"{'Before' if where == {True} else 'Expected at' if True in where else 'Instead of'} ‘{error.word}’:"


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
    """Yield the word at which reading stopped, between what stands before and after it."""
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
