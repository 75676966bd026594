"""Meaning to words, for expressions about photographs.

The language is right-branching. A relative clause belongs to the noun just before it. 'and' and 'or' go on with the
clause that the last 'that' opened, or with the first noun where there is none; 'or' joins two neighbours, 'and' joins
the rest. So only the last of several clauses on one noun may have a 'that' inside. An adjective after a rank does not
change who is counted: 'the second glass from the left that is clear' counts all glasses. An expression of another form
cannot be said and is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.language.copsref.styles import ENGLISH, Style, style_named
from deixis.language.copsref.words import RANKS, words_of_photographs
from deixis.language.utterance import Instruction, Utterance
from deixis.scene.vocabulary import NAME, SAME


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.language.utterance import Span


__all__ = ["NOTHING_SAID", "realise_reference"]

NOTHING_SAID = "object"  # the noun of a description without a name


def realise_reference(
    expression: Expression, style: Style | str = ENGLISH, *, synonyms: Mapping[str, str] | None = None
) -> Utterance:
    """The text that says an expression about a photograph.

    Args:
        expression: over the schema of scene graphs: a name first, then adjectives and at most one rank, then clauses.
        style: the wording, or the name of one.
        synonyms: for names and attributes, words to say in their place.

    Returns:
        The utterance. Of a rank that is said in two pieces ('second … from the left') the span of its part is the first
        piece; the other stands under the address with a final -2.
    """
    style = style_named(style) if isinstance(style, str) else style
    writer = _Writer(style, synonyms or {}, has_rank=any(isinstance(step, Nth) for step in expression.steps))
    writer.description(expression, ())
    text = " ".join(writer.words)
    if text.startswith("the ") and not writer.is_lower:
        text = "T" + text[1:]
    return Utterance(text, Instruction("", expression), tuple(writer.determiners), writer.spans)


class _Shape(NamedTuple):
    """The steps of a description by the places where they are said, each with its number."""

    name: tuple[int, Is] | None
    before: list[tuple[int, Is]]
    rank: tuple[int, Nth] | None
    after: list[tuple[int, Step]]  # clauses and what else follows 'that is'


class _Writer:
    """Collects words and remembers which part they say."""

    def __init__(self, style: Style, synonyms: Mapping[str, str], *, has_rank: bool) -> None:
        self.style = style
        self.table = words_of_photographs()
        self.synonyms = synonyms
        self.is_lower = has_rank and not style.articles_in_order
        self.words: list[str] = []
        self.spans: dict[Address, Span] = {}
        self.determiners: list[str] = []
        self.last_that = -1  # the word number of the last relative pronoun

    def say(self, text: str) -> Span:
        start = len(self.words)
        self.words.extend(text.split())
        return start, len(self.words)

    def description(self, description: Description, at: Address, *, is_known: bool = True) -> None:
        shape = _shape_of(description, self.table.phrases)
        name = self.phrase(shape, at, is_known=is_known or shape.rank is not None)
        is_plural = name in self.table.plurals
        if not shape.after:
            return
        opening = self.opening(shape, at)
        if opening:
            who = opening == "which" and name in self.table.persons
            self.last_that, _ = self.say("who" if who else opening)
        says_is = not opening  # 'is' need not be said where the pronoun was dropped
        for number, (index, step) in enumerate(shape.after):
            if number:
                self.say("and")
            begun = len(self.words)
            says_is = self.predicate(
                step, (*at, index), says_is=says_is, is_plural=is_plural, is_alone=len(shape.after) == 1
            )
            if number + 1 < len(shape.after) and self.last_that >= begun:
                raise SchemaError("only the last of several clauses on one noun may have a relative clause inside")

    def opening(self, shape: _Shape, at: Address) -> str:
        """The word before the first clause, or none where the clause can follow the noun directly."""
        first = shape.after[0][1]
        is_alone = len(shape.after) == 1
        if isinstance(first, AnyOf):
            first, is_alone = first.steps[0], False
        if not isinstance(first, Related) or first.relation in SAME or first.relation in self.table.verbs:
            return self.style.relative
        table, style = self.table, self.style
        if is_alone and first.relation in table.bare and not style.literal and shape.rank is None:
            return ""
        is_dropped = style.drops_before_doing and table.is_doing(first.relation) and (is_alone or not at)
        return "" if is_dropped or (style.drops_before_two and not is_alone and not at) else style.relative

    def phrase(self, shape: _Shape, at: Address, *, is_known: bool) -> str:
        """Say the noun phrase, with 'the' where it is known which one is meant; the name that was said."""
        on_a_side = shape.rank is not None and self.is_on_a_side(shape.rank[1])
        has_article = not self.is_lower or (not at and not on_a_side)
        start = len(self.words)
        self.say("the" if has_article else "")
        if shape.rank and not on_a_side:
            index, rank = shape.rank
            self.spans[(*at, index)] = self.say(_rank_word(rank.index))
        for index, step in shape.before:
            self.spans[(*at, index)] = self.say(self.attribute_word(step))
        name = NOTHING_SAID
        if shape.name:
            index, step = shape.name
            name = step.value
            said = name if self.style.literal else self.table.said_names.get(name, name)
            self.spans[(*at, index)] = self.say(self.synonyms.get(name, said))
        else:
            self.say(name)
        if shape.rank:
            index, rank = shape.rank
            where = "in the middle" if rank.side == "middle" else f"{'on' if on_a_side else 'from'} the {rank.side}"
            self.spans[(*at, index) if on_a_side else (*at, index, -2)] = self.say(where)
        if not is_known and has_article:
            self.words[start] = _article(self.words[start + 1])
            if name in self.table.mass or name in self.table.plurals:
                self.drop(start)
        self.determiners.append(self.words[start] if self.words[start] in ("the", "a", "an") else "")
        self.spans[(*at, -1)] = (start, len(self.words))
        return name

    def drop(self, start: int) -> None:
        """Leave out the article that was said at a place; what was said after it moves up."""
        del self.words[start]
        for address, (first, last) in self.spans.items():
            if first > start:
                self.spans[address] = (first - 1, last - 1)

    def is_on_a_side(self, rank: Nth) -> bool:
        """Whether the rank is said after the noun alone: 'in the middle', 'on the left'."""
        is_outermost = rank.index == 1 and rank.side in ("left", "right")
        return rank.side == "middle" or (is_outermost and self.style.side == "on")

    def predicate(self, step: Step, at: Address, *, says_is: bool, is_plural: bool, is_alone: bool) -> bool:
        """Say what follows 'that'; whether an 'is' that was said still holds for what comes next."""
        start = len(self.words)
        if isinstance(step, AnyOf):
            says_is = self.alternatives(step, at, says_is=says_is, is_plural=is_plural, is_alone=is_alone)
        elif isinstance(step, Not):
            inner = step.step
            if not isinstance(inner, Is | Related):
                raise SchemaError(f"there are no words for {Description((step,))}")
            self.clause(inner, (*at, 0), says_is=says_is, is_plural=is_plural, is_denied=True)
            says_is = False
        elif isinstance(step, Is | Related):
            says_is = self.clause(step, at, says_is=says_is, is_plural=is_plural, is_denied=False)
        else:
            raise SchemaError(f"there are no words for {Description((step,))}")
        self.spans.setdefault(at, (start, len(self.words)))
        return says_is

    def alternatives(self, step: AnyOf, at: Address, *, says_is: bool, is_plural: bool, is_alone: bool) -> bool:
        if any(isinstance(inner, AnyOf) for inner in step.steps):
            raise SchemaError(f"there are no words for {Description((step,))}")
        for number, inner in enumerate(step.steps):
            if number:
                self.say("or")
            elif not is_alone:
                if not says_is and _is_said_with_is(inner, self.table.verbs):
                    self.say(_be(is_plural))
                    says_is = True
                self.say("either")
            begun = len(self.words)
            says_is = self.predicate(inner, (*at, number), says_is=says_is, is_plural=is_plural, is_alone=False)
            if number + 1 < len(step.steps) and self.last_that >= begun:
                raise SchemaError("only the last of several alternatives may have a relative clause inside")
        return says_is

    def clause(self, step: Is | Related, at: Address, *, says_is: bool, is_plural: bool, is_denied: bool) -> bool:
        """Say an adjective or a relation with what it relates to; whether an 'is' was said or still holds."""
        is_said = _is_said_with_is(step, self.table.verbs)
        if is_said and not says_is:
            self.say(_be(is_plural))
        if is_denied:
            self.say("not" if is_said else f"{'do' if is_plural else 'does'} not")
        if isinstance(step, Is):
            if step.attribute == NAME:
                raise SchemaError("a name can only be said by the noun")
            self.spans[at] = self.say(self.attribute_word(step, is_alone=True))
            return True
        start, _ = self.say(self.relation_words(step.relation, is_base=is_denied or is_plural))
        is_known = self.style.literal or step.relation not in self.table.indefinite
        self.description(step.to, at, is_known=is_known)
        self.spans[at] = (start, len(self.words))
        return is_said

    def relation_words(self, relation: str, *, is_base: bool) -> str:
        if relation in SAME:
            return f"{'have' if is_base else 'has'} the {relation} as"
        if relation in self.table.verbs:
            verb = self.table.verbs[relation]
            return verb.base if is_base else verb.third
        return relation

    def attribute_word(self, step: Is, *, is_alone: bool = False) -> str:
        """The word for an attribute, before its noun or alone after 'is'."""
        word = step.value
        if self.style.literal or word in self.synonyms:
            return self.synonyms.get(word, word)
        if is_alone and step.attribute == "material" and word not in self.table.said_attributes:
            return f"made of {word}"
        return self.table.said_attributes.get(word, word)


def _shape_of(description: Description, phrases: frozenset[str]) -> _Shape:
    """The steps sorted by where they are said; an error where they are not in an order that words can show."""
    steps = list(enumerate(description.steps))
    name: tuple[int, Is] | None = None
    if steps and isinstance(steps[0][1], Is) and steps[0][1].attribute == NAME:
        name = (0, steps[0][1])
        steps = steps[1:]
    before: list[tuple[int, Is]] = []
    rank: tuple[int, Nth] | None = None
    is_counted = any(isinstance(step, Nth) for _, step in steps)
    while steps and isinstance(step := steps[0][1], Is) and step.attribute != NAME:
        if not is_counted and step.value in phrases:
            break
        before.append((steps.pop(0)[0], step))
    if steps and isinstance(step := steps[0][1], Nth):
        rank = (steps.pop(0)[0], step)
    return _Shape(name, before, rank, steps)


def _is_said_with_is(step: Step, verbs: Mapping[str, object]) -> bool:
    inner = step.step if isinstance(step, Not) else step
    return not (isinstance(inner, Related) and (inner.relation in SAME or inner.relation in verbs))


def _article(next_word: str) -> str:
    """'a' or 'an', by the sound that follows."""
    sounds_like_you = next_word.startswith(("uni", "use", "ute", "euro", "one"))
    return "an" if next_word[0] in "aeiou" and not sounds_like_you else "a"


def _rank_word(index: int) -> str:
    if index <= len(RANKS):
        return RANKS[index - 1]
    ending = "th" if index % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(index % 10, "th")
    return f"{index}{ending}"


def _be(is_plural: bool) -> str:
    return "are" if is_plural else "is"
