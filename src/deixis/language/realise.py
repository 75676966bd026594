"""Meaning to words.

The language is right-branching: 'that is' attaches a clause to the phrase just before it, 'and' attaches a further
clause to the head of the last 'that is'. So only the last of several clauses on one head may carry clauses of its own.
A size word compares the objects that the rest of its noun phrase describes, so it comes after the values and before the
clauses. An expression of another form cannot be said and is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.errors import SchemaError, UnknownName
from deixis.expression.description import Description
from deixis.expression.steps import Extreme, Is, Related
from deixis.language.utterance import Instruction, Utterance


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.language.lexicon import Lexicon
    from deixis.language.utterance import Span


__all__ = ["phrase_words", "realise"]


def realise(
    meaning: Instruction | Expression,
    *,
    words: Lexicon,
    determiners: Sequence[str] | None = None,
) -> Utterance:
    """The text that says an instruction or an expression.

    Args:
        meaning: an instruction, or an expression alone.
        words: the language.
        determiners: one for every mention, in the order of the words; by default 'the' for the target and 'a' for the
            rest.
    """
    instruction = meaning if isinstance(meaning, Instruction) else Instruction("", meaning)
    mentions = sum(1 for _ in instruction.expression.mentions())
    chosen = tuple(determiners) if determiners is not None else _default_determiners(mentions, words)
    if len(chosen) != mentions:
        raise SchemaError(f"the expression has {mentions} mentions, but {len(chosen)} determiners were given")
    for determiner in chosen:
        if determiner not in words.determiners:
            raise UnknownName(f"{determiner!r} is no determiner; known: {', '.join(words.determiners)}")
    writer = _Writer(words, chosen)
    if instruction.verb:
        writer.say(words.verb_phrase(instruction.verb))
    writer.description(instruction.expression, ())
    if instruction.manner:
        writer.say(words.manner_phrase(instruction.manner))
    return Utterance(" ".join(writer.words), instruction, chosen, writer.spans)


def phrase_words(mention: Description, *, words: Lexicon) -> str:
    """The words of a noun phrase without its determiner and clauses: 'small red circle'."""
    writer = _Writer(words, ("",))
    writer.phrase(mention, ())
    return " ".join(writer.words)


class _Writer:
    """Collects words and remembers which part they say."""

    def __init__(self, words: Lexicon, determiners: tuple[str, ...]) -> None:
        self.lexicon = words
        self.determiners = iter(determiners)
        self.words: list[str] = []
        self.spans: dict[Address, Span] = {}

    def say(self, text: str) -> Span:
        start = len(self.words)
        self.words.extend(text.split())
        return start, len(self.words)

    def description(self, description: Description, at: Address) -> None:
        self.phrase(description, at)
        clauses = [(i, s) for i, s in enumerate(description.steps) if isinstance(s, Related)]
        for number, (index, clause) in enumerate(clauses):
            if clause.to.clauses and number + 1 < len(clauses):
                raise SchemaError(
                    "only the last of several clauses on one head may have clauses of its own in this language; "
                    "put the nested clause last"
                )
            relation = self.lexicon.phrase_for(clause.relation)
            joining = "" if relation in self.lexicon.bare else self.lexicon.relative
            self.say(joining if number == 0 else self.lexicon.conjunction)
            start, _ = self.say(relation)
            self.description(clause.to, (*at, index))
            self.spans[(*at, index)] = (start, len(self.words))

    def phrase(self, description: Description, at: Address) -> None:
        start, _ = self.say(next(self.determiners))
        said = self.words_said(description)
        for slot in self.lexicon.slots:
            if slot in said:
                index, step = said.pop(slot)
                self.spans[(*at, index)] = self.say(self.lexicon.word_for(step))
            elif slot == self.lexicon.slots[-1]:
                self.say(self.lexicon.top)
        if said:
            raise SchemaError(f"the language {self.lexicon.name!r} has no place for {', '.join(said)} in a noun phrase")
        self.spans[(*at, -1)] = (start, len(self.words))

    def words_said(self, description: Description) -> dict[str, tuple[int, Step]]:
        """The steps that words of the noun phrase say, by attribute, each with its place among the steps."""
        said: dict[str, tuple[int, Step]] = {}
        kinds: set[type[Step]] = set()
        for index, step in enumerate(description.steps):
            if not isinstance(step, Is | Extreme | Related):
                raise SchemaError(f"the language {self.lexicon.name!r} cannot say {Description((step,))}")
            if (isinstance(step, Is) and Extreme in kinds) or (isinstance(step, Extreme) and Related in kinds):
                raise SchemaError(
                    f"in {description} a size is not compared within its whole noun phrase; "
                    "put it after the values and before the clauses"
                )
            kinds.add(type(step))
            if isinstance(step, Related):
                continue
            if step.attribute in said:
                raise SchemaError(f"a noun phrase of this language says {step.attribute} once, not twice")
            said[step.attribute] = (index, step)
        return said


def _default_determiners(mentions: int, words: Lexicon) -> tuple[str, ...]:
    definite, *rest = words.determiners
    return (definite, *[rest[0] if rest else definite] * (mentions - 1))
