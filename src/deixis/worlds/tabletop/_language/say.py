"""Meaning to words.

A description says its values first, then at most one rank, then clauses: 'the second red cube from the left', 'the
cube that is left of the ring and not shiny'. A clause belongs to the noun just before it, and 'and' goes on with the
noun of the last clause that was opened; so only the last of several clauses may have clauses inside. A rank counts what
the values fit, whatever clauses follow. An expression of another form cannot be said and is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import SchemaError, UnknownName
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.language.utterance import Instruction, Utterance
from deixis.resolution.reference import denotation
from deixis.worlds.tabletop._language.words import (
    ANOTHER,
    ANY,
    DEFINITE,
    DETERMINERS,
    ENDS,
    FROM,
    INDEFINITE,
    LEXICON,
    MIDDLE,
    ORDINALS,
    SLOTS,
    THAT_IS,
    TOP,
)
from deixis.worlds.tabletop._schema import SPATIAL


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.language.utterance import Span
    from deixis.scene.scene import Scene


VOWELS = "aeiou"


def say(expression: Expression, determiners: Sequence[str] | None = None) -> Utterance:
    """Put an expression into words.

    Args:
        expression: over the schema of this world.
        determiners: one for every mention in the order of the words; by default 'the' for the target and for ranks,
            'any' where something is denied, and 'a' for the others.
    """
    chosen = tuple(determiners) if determiners is not None else tuple(_choose_determiners(expression, None))
    if len(chosen) != sum(1 for _ in expression.mentions()):
        raise SchemaError(f"{expression} needs another number of determiners than {len(chosen)}")
    for one in chosen:
        if one not in DETERMINERS:
            raise UnknownName(f"{one!r} is no determiner; known: {', '.join(DETERMINERS)}")
    writer = _Writer(chosen)
    writer.description(expression, ())
    return Utterance(" ".join(writer.words), Instruction("", expression), tuple(writer.determiners), writer.spans)


def choose_determiners(expression: Expression, scene: Scene) -> tuple[str, ...]:
    """Return the determiner of every mention as a speaker who sees the scene chooses it.

    What only one object fits is 'the', what would fit something mentioned before is 'another', what is denied is 'any'.
    """
    return tuple(_choose_determiners(expression, scene))


class _Mention(NamedTuple):
    """A description that is mentioned, whether within a denial, and those that were mentioned before it."""

    description: Description
    is_denied: bool
    above: tuple[Description, ...]


def _choose_determiners(expression: Expression, scene: Scene | None) -> Iterator[str]:
    for place, (said, is_denied, above) in enumerate(_mentions_of(expression)):
        has_rank = any(isinstance(step, Nth) for step in said.steps)
        if not place or has_rank or (scene is not None and len(denotation(said, scene)) == 1):
            yield DEFINITE
        elif is_denied:
            yield ANY
        elif scene is not None and any(_may_be_called(one, said) for one in above):
            yield ANOTHER
        else:
            yield INDEFINITE


def _mentions_of(expression: Expression) -> list[_Mention]:
    """Return every mention in the order of the words; those above a mention are what its relation starts from."""
    found: list[_Mention] = []

    def walk(description: Description, above: tuple[Description, ...], *, is_denied: bool) -> None:
        found.append(_Mention(description, is_denied, above))
        for step in description.steps:
            enter(step, (*above, description), is_denied=is_denied)

    def enter(step: Step, above: tuple[Description, ...], *, is_denied: bool) -> None:
        match step:
            case Related(_, to):
                walk(to, above, is_denied=is_denied)
            case Not(inner):
                enter(inner, above, is_denied=True)
            case AnyOf(steps):
                for inner in steps:
                    enter(inner, above, is_denied=is_denied)

    walk(expression, (), is_denied=False)
    return found


def _may_be_called(one: Description, said: Description) -> bool:
    """Whether everything a phrase says is said of something else, too: a red cube may be called a cube."""
    words = {step for step in said.steps if isinstance(step, Is)}
    return words <= {step for step in one.steps if isinstance(step, Is)}


class _Shape(NamedTuple):
    """The steps of a description by where they are said, each with its number."""

    values: dict[str, tuple[int, Is]]
    rank: tuple[int, Nth] | None
    clauses: list[tuple[int, Step]]


def _shape_of(description: Description) -> _Shape:
    values: dict[str, tuple[int, Is]] = {}
    rank: tuple[int, Nth] | None = None
    clauses: list[tuple[int, Step]] = []
    for index, step in enumerate(description.steps):
        if isinstance(step, Is) and not rank and not clauses and step.attribute not in values:
            values[step.attribute] = index, step
        elif isinstance(step, Nth) and not rank and not clauses:
            rank = index, step
        elif isinstance(step, Related | Not | AnyOf):
            clauses.append((index, step))
        else:
            raise SchemaError(f"{description} cannot be said: values come first, then one rank, then clauses")
    return _Shape(values, rank, clauses)


class _Writer:
    """Collects words and remembers which part they say."""

    def __init__(self, determiners: tuple[str, ...]) -> None:
        self.chosen = iter(determiners)
        self.words: list[str] = []
        self.spans: dict[Address, Span] = {}
        self.determiners: list[str] = []
        self.last_opening = -1  # the number of the word that opened the last clause

    def say(self, text: str) -> Span:
        start = len(self.words)
        self.words.extend(text.split())
        return start, len(self.words)

    def description(self, description: Description, at: Address) -> None:
        shape = _shape_of(description)
        self.phrase(shape, at)
        if not shape.clauses:
            return
        first = shape.clauses[0][1]
        is_bare = len(shape.clauses) == 1 and not at and isinstance(first, Related) and first.relation in SPATIAL
        self.last_opening = len(self.words)
        self.say("" if is_bare else THAT_IS)
        for number, (index, step) in enumerate(shape.clauses):
            self.say("and" if number else "")
            begun = len(self.words)
            self.predicate(step, (*at, index))
            if number + 1 < len(shape.clauses) and self.last_opening >= begun:
                raise SchemaError(f"{description} cannot be said: only the last of its clauses may have clauses inside")

    def phrase(self, shape: _Shape, at: Address) -> None:
        """Say a noun phrase without its clauses."""
        determiner = next(self.chosen)
        start, _ = self.say(determiner)
        if shape.rank:
            index, rank = shape.rank
            self.spans[(*at, index)] = self.say(_rank_word(rank))
        for attribute in SLOTS:
            if attribute in shape.values:
                index, value = shape.values[attribute]
                self.spans[(*at, index)] = self.say(LEXICON.word_for(value))
        if "shape" not in shape.values:
            self.say(TOP)
        if unknown := set(shape.values) - set(SLOTS):
            raise SchemaError(f"there is no word for {', '.join(unknown)}")
        if shape.rank and _rank_word(shape.rank[1]) in ORDINALS:
            self.spans[(*at, shape.rank[0], -2)] = self.say(f"from the {FROM[shape.rank[1].side]}")
        if determiner == INDEFINITE and self.words[start + 1][0] in VOWELS:
            self.words[start] = "an"
        self.determiners.append(self.words[start])
        self.spans[(*at, -1)] = (start, len(self.words))

    def predicate(self, step: Step, at: Address, *, is_negated: bool = False) -> None:
        """Say what follows 'is'."""
        start = len(self.words)
        match step:
            case Not(AnyOf() as inner):
                self.alternatives(inner, (*at, 0), "neither", "nor")
            case Not(Is() | Related() as inner):
                self.say("not")
                self.predicate(inner, (*at, 0), is_negated=True)
            case AnyOf() if not is_negated:
                self.alternatives(step, at, "either", "or")
            case Related(relation, to):
                self.say(LEXICON.phrase_for(relation))
                self.description(to, at)
            case Is("shape"):
                noun = LEXICON.word_for(step)
                self.say(f"an {noun}" if noun[0] in VOWELS else f"a {noun}")
            case Is():
                self.say(LEXICON.word_for(step))
            case _:
                raise SchemaError(f"there are no words for {Description((step,))}")
        self.spans[at] = (start, len(self.words))

    def alternatives(self, step: AnyOf, at: Address, before: str, between: str) -> None:
        start, _ = self.say(before)
        if any(not isinstance(inner, Is | Related) for inner in step.steps):
            raise SchemaError(f"there are no words for {Description((step,))}")
        for number, inner in enumerate(step.steps):
            self.say(between if number else "")
            begun = len(self.words)
            self.predicate(inner, (*at, number))
            if number + 1 < len(step.steps) and self.last_opening >= begun:
                raise SchemaError(f"{Description((step,))} cannot be said: only its last part may have clauses inside")
        self.spans[at] = (start, len(self.words))


def _rank_word(rank: Nth) -> str:
    if rank.side == "middle":
        return MIDDLE
    if rank.index > len(ORDINALS):
        raise SchemaError(f"ranks are said up to the {ORDINALS[-1]}, not the {rank.index}th")
    return ENDS[rank.side] if rank.index == 1 else ORDINALS[rank.index - 1]
