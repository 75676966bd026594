"""Meaning to words, for expressions about photographs.

The language is right-branching. A relative clause belongs to the noun just before it. 'and' and 'or' go on with the
clause that the last 'that' opened, or with the first noun where there is none; 'or' joins two neighbours, 'and' joins
the rest. So only the last of several clauses on one noun may have a 'that' inside. An adjective after a rank does not
change who is counted: 'the second glass from the left that is clear' counts all glasses. An activity is said behind
its noun ('the man riding'), and what its words would fit as well as something said before is 'another' one. An
expression of another form cannot be said and is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.language.utterance import Instruction, Utterance
from deixis.worlds.photos.language._words import ENGLISH, RANKS, Style, style_named, words_of_photographs
from deixis.worlds.photos.scene.vocabulary import NAME, SAME


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.language.utterance import Span
    from deixis.worlds.photos.language._words import Words


__all__ = ["DETERMINERS", "NOTHING_SAID", "realise_reference"]

NOTHING_SAID = "object"  # the noun of a description without a name
DETERMINERS = ("the", "a", "an", "another", "other")
WEARING = ("wearing", "wears")


def realise_reference(
    expression: Expression, style: Style | str = ENGLISH, *, synonyms: Mapping[str, str] | None = None
) -> Utterance:
    """Put an expression about a photograph into words.

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
    behind: tuple[int, Is] | None  # an activity
    after: list[tuple[int, Step]]  # clauses and what else follows 'that is'

    @property
    def noun(self) -> str:
        """What the thing is called."""
        return self.name[1].value if self.name else NOTHING_SAID

    @property
    def adjectives(self) -> frozenset[str]:
        """The attributes that are said with the noun or after 'that is'."""
        said = (*self.before, *([self.behind] if self.behind else ()), *self.after)
        return frozenset(step.value for _, step in said if isinstance(step, Is))


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
        self.told: list[tuple[str, frozenset[str]]] = []  # the nouns so far, with what was said of them

    def say(self, text: str) -> Span:
        start = len(self.words)
        self.words.extend(text.split())
        return start, len(self.words)

    def description(
        self, description: Description, at: Address, *, is_known: bool = True, is_worn: bool = False
    ) -> None:
        shape = _shape_of(description, self.table, self.style, is_target=not at)
        name = self.phrase(shape, at, is_known=is_known or shape.rank is not None, is_worn=is_worn)
        is_plural = name in self.table.plurals or (is_worn and name in self.table.worn)
        if not shape.after:
            return
        opening = self.opening(shape, at)
        if opening:
            who = not self.style.literal and self.table.is_person(name)
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
        """Return the word before the first clause, or none where the clause can follow the noun directly."""
        first = shape.after[0][1]
        is_alone = len(shape.after) == 1
        if shape.behind:
            return ""
        if isinstance(first, AnyOf):
            first, is_alone = first.steps[0], False
        if not isinstance(first, Related) or first.relation in SAME or first.relation in self.table.verbs:
            return self.style.relative
        table, style = self.table, self.style
        if is_alone and first.relation in table.bare and not style.literal and shape.rank is None:
            return ""
        is_dropped = style.drops_before_doing and table.is_doing(first.relation)
        if is_dropped and not is_alone:  # 'the girl touching the ball and has a hat'
            is_dropped = not at and all(_is_said_with_is(step, table.verbs) for _, step in shape.after)
        return "" if is_dropped or (style.drops_before_two and not is_alone and not at) else style.relative

    def phrase(self, shape: _Shape, at: Address, *, is_known: bool, is_worn: bool) -> str:
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
        name = shape.noun
        if shape.name:
            self.spans[(*at, shape.name[0])] = self.say(self.noun_word(name, is_worn=is_worn))
        else:
            self.say(name)
        if shape.behind:
            index, step = shape.behind
            self.spans[(*at, index)] = self.say(self.attribute_word(step))
        if shape.rank:
            index, rank = shape.rank
            where = "in the middle" if rank.side == "middle" else f"{'on' if on_a_side else 'from'} the {rank.side}"
            self.spans[(*at, index) if on_a_side else (*at, index, -2)] = self.say(where)
        is_more = name in self.table.mass or name in self.table.plurals or (is_worn and name in self.table.worn)
        if has_article and self.is_another(shape):
            self.words[start] = "other" if is_more else "another"
        elif not is_known and has_article:
            self.words[start] = _article(self.words[start + 1])
            if is_more:
                self.drop(start)
        self.told.append((name, shape.adjectives))
        self.determiners.append(self.words[start] if self.words[start] in DETERMINERS else "")
        self.spans[(*at, -1)] = (start, len(self.words))
        return name

    def is_another(self, shape: _Shape) -> bool:
        """Return whether the words would fit something that was said before: 'the tree to the left of the tree'."""
        if self.style.literal or shape.rank is not None:
            return False
        return any(noun == shape.noun and shape.adjectives <= said for noun, said in self.told)

    def drop(self, start: int) -> None:
        """Leave out the article that was said at a place; what was said after it moves up."""
        del self.words[start]
        for address, (first, last) in self.spans.items():
            if first > start:
                self.spans[address] = (first - 1, last - 1)

    def is_on_a_side(self, rank: Nth) -> bool:
        """Return whether the rank is said after the noun alone: 'in the middle', 'on the left'."""
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
        is_mixed = len({_is_said_with_is(inner, self.table.verbs) for inner in step.steps}) > 1
        for number, inner in enumerate(step.steps):
            if number:
                self.say("or")
            elif not is_alone:
                if is_mixed:  # 'either is near the window or has a clock'
                    says_is = False
                elif not says_is and _is_said_with_is(inner, self.table.verbs):
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
        is_worn = not self.style.literal and step.relation in WEARING
        self.description(step.to, at, is_known=is_known, is_worn=is_worn)
        self.spans[at] = (start, len(self.words))
        return is_said

    def relation_words(self, relation: str, *, is_base: bool) -> str:
        if relation in SAME:
            return f"{'have' if is_base else 'has'} the {relation} as"
        if relation in self.table.verbs:
            verb = self.table.verbs[relation]
            return verb.base if is_base else verb.third
        return relation

    def noun_word(self, name: str, *, is_worn: bool) -> str:
        """Return the word for a name."""
        if is_worn and name in self.table.worn:
            return self.table.worn[name]
        if self.style.literal or name in self.synonyms:
            return self.synonyms.get(name, name)
        return self.table.capitalise(self.table.said_names.get(name, name))

    def attribute_word(self, step: Is, *, is_alone: bool = False) -> str:
        """Return the word for an attribute, beside its noun or alone after 'is'."""
        word = step.value
        if self.style.literal or word in self.synonyms:
            return self.synonyms.get(word, word)
        if is_alone and step.attribute == "material" and word not in self.table.said_attributes:
            return f"made of {word}"
        return self.table.capitalise(self.table.said_attributes.get(word, word))


def _shape_of(description: Description, table: Words, style: Style, *, is_target: bool) -> _Shape:
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
        if not is_counted and step.value in table.phrases:
            break
        before.append((steps.pop(0)[0], step))
    if steps and isinstance(step := steps[0][1], Nth):
        rank = (steps.pop(0)[0], step)
    shape = _Shape(name, before, rank, None, steps)
    is_doing = bool(before) and before[-1][1].value in table.doing and not style.literal and rank is None
    return _with_activity_behind(shape, table, style, is_target=is_target) if is_doing else shape


def _with_activity_behind(shape: _Shape, table: Words, style: Style, *, is_target: bool) -> _Shape:
    """The last adjective behind the noun, or first after 'that is' where the clauses cannot follow it directly."""
    activity = shape.before[-1]
    can_follow = all(_says_where(step, table) for _, step in shape.after) and (is_target or len(shape.after) < 2)
    if not shape.after or (style.joins_activities and can_follow):
        return shape._replace(before=shape.before[:-1], behind=activity)
    return shape._replace(before=shape.before[:-1], after=[activity, *shape.after])


def _says_where(step: Step, table: Words) -> bool:
    """Whether a clause can follow an activity: 'sitting near the tree', 'eating near the tree or under the bridge'."""
    if isinstance(step, AnyOf):
        return all(_says_where(inner, table) for inner in step.steps)
    return isinstance(step, Related) and table.is_where(step.relation)


def _is_said_with_is(step: Step, verbs: Mapping[str, object]) -> bool:
    inner = step.step if isinstance(step, Not) else step
    return not (isinstance(inner, Related) and (inner.relation in SAME or inner.relation in verbs))


def _article(next_word: str) -> str:
    """'a' or 'an', by the sound that follows."""
    small = next_word.lower()
    sounds_like_you = small.startswith(("uni", "use", "ute", "euro", "one"))
    is_spelt_out = next_word.isupper() and next_word[0] in "AEFHILMNORSX"  # an SUV
    return "an" if is_spelt_out or (small[0] in "aeiou" and not sounds_like_you) else "a"


def _rank_word(index: int) -> str:
    if index <= len(RANKS):
        return RANKS[index - 1]
    ending = "th" if index % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(index % 10, "th")
    return f"{index}{ending}"


def _be(is_plural: bool) -> str:
    return "are" if is_plural else "is"
