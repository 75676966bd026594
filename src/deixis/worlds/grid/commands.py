"""The commands of ReaSCAN: the rules of the language, their exhaustive enumeration, and sampling from it.

A *core command* is the expression alone: noun phrases and relations, no verb, manner or determiner. The rules are
(numbers of the paper's appendix C where it states them, letters where only the released generator does):

    1A  same shape only between two phrases that say 'object'
    1B  same color only where neither phrase says a colour
    1C  same size only where neither phrase says a size
    2   what something is inside of is a box, and a box is mentioned nowhere else
    3   clauses on one head all have different relations
    a   every phrase but the target's has an adjective
    b   a phrase other than the target's says 'object' only under same shape
    c   no two phrases have the same words
    d   head and related phrase have different nouns, unless the relation is same shape
    e   a target without clauses has a noun other than 'object'

The order of enumeration is that of the released generator: forms of phrases as a nested product, the target's
outermost, then relations, then words.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import RecipeError, UnsatisfiablePattern
from deixis.expression.description import Description
from deixis.expression.patterns import P1
from deixis.expression.steps import Extreme, Is, Related
from deixis.language.utterance import Instruction
from deixis.schema import Which
from deixis.worlds.grid.actions import Manner, Verb
from deixis.worlds.grid.scene import BESIDE


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deixis.expression.description import Expression
    from deixis.expression.patterns import Pattern
    from deixis.expression.steps import Step
    from deixis.seeds import Stream

__all__ = [
    "RULES",
    "Schematic",
    "broken_rules",
    "choose_balanced",
    "choose_spatial",
    "choose_uniform",
    "commands",
    "count_commands",
    "sample_commands",
    "schematics",
    "with_balanced_verbs",
    "with_random_verbs",
]


RELATIONS = ("same row", "same column", "inside", "same size", "same color", "same shape")
SPATIAL = ("next to", *BESIDE)  # of gSCAN's second release (Qiu et al. 2021)
SIZE_WORDS = (Which.MOST, Which.LEAST)  # big, small
COLORS = ("red", "blue", "green", "yellow")
SOLIDS = ("circle", "cylinder", "square")
PATIENCE = 10_000  # draws in vain after which it is worth counting how many commands there are
MAX_MENTIONS = 6  # the target and five clauses have up to half a million schematics
LISTABLE = 9_000  # beyond this many candidates commands are drawn instead of listed and shuffled


RULES = {
    "1A": "same shape only between two phrases that say 'object'",
    "1B": "same color only where neither phrase says a colour",
    "1C": "same size only where neither phrase says a size",
    "2": "what something is inside of is a box, and a box is mentioned nowhere else",
    "3": "clauses on one head all have different relations",
    "a": "every phrase but the target's has an adjective",
    "b": "a phrase other than the target's says 'object' only under same shape",
    "c": "no two phrases have the same words",
    "d": "head and related phrase have different nouns, unless the relation is same shape",
    "e": "a target without clauses has a noun other than 'object'",
}


@dataclass(frozen=True, slots=True)
class Form:
    """The kinds of words of a noun phrase, before they are chosen."""

    has_size: bool
    has_color: bool
    is_object: bool

    @cache  # noqa: B019 - forms are eight values that live as long as the program
    def phrases(self, *, is_box: bool) -> tuple[Description, ...]:
        """Return every noun phrase of this form, in the order of enumeration."""
        sizes = SIZE_WORDS if self.has_size else (None,)
        colors = COLORS if self.has_color else (None,)
        nouns = ("box",) if is_box else (None,) if self.is_object else SOLIDS
        return tuple(_phrase(size, color, noun) for size, color, noun in product(sizes, colors, nouns))


FORMS = tuple(Form(size, color, generic) for size, color, generic in product((False, True), repeat=3))


@dataclass(frozen=True, slots=True)
class Schematic:
    """A command with its words left open: a form for every phrase and a relation for every clause."""

    pattern: Pattern
    forms: tuple[Form, ...]
    relations: tuple[str, ...]  # relations[i] is that of mention i + 1

    def phrases(self, mention: int) -> tuple[Description, ...]:
        """Return the phrases that may fill one mention."""
        is_box = mention > 0 and self.relations[mention - 1] == "inside"
        return self.forms[mention].phrases(is_box=is_box)

    @property
    def candidates(self) -> int:
        """Number of ways to fill it, before phrases are compared."""
        return prod(len(self.phrases(i)) for i in range(len(self.forms)))

    def fits(self, phrases: tuple[Description, ...]) -> bool:
        """Return whether the phrases differ as rules c and d demand."""
        if len(set(phrases)) < len(phrases):
            return False
        nouns = [phrase.value("shape") for phrase in phrases]
        return all(nouns[parent] != nouns[child] for parent, child in self._edges_of_different_nouns())

    def expression(self, phrases: tuple[Description, ...]) -> Expression:
        """Return the expression with the phrases filled in."""
        built = list(phrases)
        for child in range(len(phrases) - 1, 0, -1):
            parent = self.pattern.parents[child]
            at = len(phrases[parent].steps)
            clause = Related(self.relations[child - 1], built[child])
            steps = built[parent].steps
            built[parent] = Description((*steps[:at], clause, *steps[at:]))
        return built[0]

    def expressions(self) -> Iterator[Expression]:
        """Yield every core command of this schematic, in the order of enumeration."""
        for phrases in product(*(self.phrases(i) for i in range(len(self.forms)))):
            if self.fits(phrases):
                yield self.expression(phrases)

    def count(self) -> int:
        """Return how many core commands it stands for, without listing them."""
        options = [self.phrases(i) for i in range(len(self.forms))]
        fits = np.ones([len(o) for o in options], bool)
        for one, other in combinations(range(len(options)), 2):
            if set(options[one]) & set(options[other]):
                fits &= _table(options, one, other, lambda a, b: a != b)
        for parent, child in self._edges_of_different_nouns():
            fits &= _table(options, parent, child, lambda a, b: a.value("shape") != b.value("shape"))
        return int(fits.sum())

    def _edges_of_different_nouns(self) -> Iterator[tuple[int, int]]:
        for child, relation in enumerate(self.relations, start=1):
            if relation != "same shape":
                yield self.pattern.parents[child], child


@cache
def schematics(pattern: Pattern) -> tuple[Schematic, ...]:
    """Return every schematic of a pattern that obeys the rules, in the order of enumeration."""
    _demand_few_clauses(pattern)
    inner = tuple(form for form in FORMS if form.has_size or form.has_color)  # rule a
    root = FORMS if len(pattern) > 1 else tuple(form for form in FORMS if not form.is_object)
    edges = [(parent, child) for child, parent in enumerate(pattern.parents) if child]
    found: list[Schematic] = []
    for forms in product(root, *[inner] * (len(pattern) - 1)):
        options = [_relations_between(forms[parent], forms[child]) for parent, child in edges]
        found += [Schematic(pattern, forms, r) for r in product(*options) if _siblings_differ(pattern, r)]
    return tuple(found)


def commands(pattern: Pattern) -> Iterator[Expression]:
    """Yield every core command of a pattern, in the order of the released generator."""
    for schematic in schematics(pattern):
        yield from schematic.expressions()


@cache
def count_commands(pattern: Pattern) -> int:
    """Return how many core commands a pattern has."""
    return sum(schematic.count() for schematic in schematics(pattern))


def sample_commands(pattern: Pattern, *, rng: Stream, relations: tuple[str, ...] | None = None) -> Iterator[Expression]:
    """Yield all core commands of a pattern in random order, none twice.

    Small sets are listed and shuffled; from large ones commands are drawn as they are asked for, which gives the
    same distribution.

    Args:
        pattern: how the noun phrases hang together.
        rng: where chance comes from.
        relations: only commands with exactly these relations, in any order.
    """
    chosen = schematics(pattern) if relations is None else _by_relations(pattern).get(tuple(sorted(relations)), ())
    ends = np.cumsum([s.candidates for s in chosen])
    if not chosen or ends[-1] <= LISTABLE:
        yield from rng.permutation(expression for schematic in chosen for expression in schematic.expressions())
        return
    seen: set[Expression] = set()
    total, in_vain = np.inf, 0
    while len(seen) < total:
        schematic = chosen[int(np.searchsorted(ends, rng.below(int(ends[-1])), side="right"))]
        phrases = tuple(rng.choice(schematic.phrases(i)) for i in range(len(pattern)))
        expression = schematic.expression(phrases) if schematic.fits(phrases) else None
        in_vain += 1
        if expression is not None and expression not in seen:
            in_vain = 0
            seen.add(expression)
            yield expression
        elif in_vain == PATIENCE and total == np.inf:
            total = sum(s.count() for s in chosen)


def broken_rules(expression: Expression) -> tuple[str, ...]:
    """Return the rules that an expression breaks, by their names in the table above, none for a command of ReaSCAN.

    Of these, commands with one of gSCAN's spatial relations have to obey c alone.
    """
    broken = []
    mentions = list(expression.mentions())
    phrases = [mention.phrase for mention in mentions]
    if len({frozenset(phrase.steps) for phrase in phrases}) < len(phrases):
        broken.append("c")
    if not set(expression.relations()).isdisjoint(SPATIAL):
        return tuple(broken)
    if not expression.clauses and phrases[0].value("shape") is None:
        broken.append("e")
    if any(not _has_adjective(phrase) for phrase in phrases[1:]):
        broken.append("a")
    if phrases[0].value("shape") == "box":
        broken.append("2")
    for head in mentions:
        if len({c.relation for c in head.clauses}) < len(head.clauses):
            broken.append("3")
        for clause in head.clauses:
            broken.extend(_broken_by_clause(head, clause))
    return tuple(dict.fromkeys(broken))


@cache
def _by_relations(pattern: Pattern) -> dict[tuple[str, ...], tuple[Schematic, ...]]:
    groups: dict[tuple[str, ...], list[Schematic]] = {}
    for schematic in schematics(pattern):
        groups.setdefault(tuple(sorted(schematic.relations)), []).append(schematic)
    return {relations: tuple(group) for relations, group in groups.items()}


def _broken_by_clause(head: Description, clause: Related) -> Iterator[str]:
    one, two = _form_of(head), _form_of(clause.to)
    noun = clause.to.value("shape")
    if clause.relation == "same shape" and not (one.is_object and two.is_object):
        yield "1A"
    if clause.relation == "same color" and (one.has_color or two.has_color):
        yield "1B"
    if clause.relation == "same size" and (one.has_size or two.has_size):
        yield "1C"
    if (clause.relation == "inside") != (noun == "box"):
        yield "2"
    if two.is_object and clause.relation != "same shape":
        yield "b"
    if clause.relation != "same shape" and head.value("shape") == noun:
        yield "d"


def _demand_few_clauses(pattern: Pattern) -> None:
    """An error unless the commands of a pattern exist and their schematics can be listed."""
    for head, clauses in Counter(pattern.parents[1:]).items():
        most = len(RELATIONS) - (head > 0)  # an adjective rules out same color or same size
        if clauses > most:
            raise UnsatisfiablePattern(
                f"no command has the pattern {pattern.notation!r}: clauses on one head need different relations, "
                f"and $OBJ_{head} can have {most} at most"
            )
    if len(pattern) > MAX_MENTIONS:
        raise RecipeError(
            f"there are too many commands of the pattern {pattern.notation!r} to choose from; "
            f"use {MAX_MENTIONS - 1} clauses at most"
        )


@cache
def _relations_between(head: Form, to: Form) -> tuple[str, ...]:
    return tuple(relation for relation in RELATIONS if _is_allowed(relation, head, to))


def _is_allowed(relation: str, head: Form, to: Form) -> bool:
    """Return whether a relation may join two forms (rules 1A to 1C, 2 and b)."""
    if relation == "same shape":
        return head.is_object and to.is_object
    if to.is_object:
        return False
    if relation == "same color":
        return not (head.has_color or to.has_color)
    if relation == "same size":
        return not (head.has_size or to.has_size)
    return True


def _siblings_differ(pattern: Pattern, relations: tuple[str, ...]) -> bool:
    edges = list(zip(pattern.parents[1:], relations, strict=True))
    return len(set(edges)) == len(edges)


def _phrase(size: Which | None, color: str | None, noun: str | None) -> Description:
    steps: list[Step] = []
    if noun:
        steps.append(Is("shape", noun))
    if color:
        steps.append(Is("color", color))
    if size is not None:
        steps.append(Extreme("size", size))
    return Description(tuple(steps))


def _form_of(mention: Description) -> Form:
    return Form(
        has_size=any(isinstance(s, Extreme) for s in mention.steps),
        has_color=mention.value("color") is not None,
        is_object=mention.value("shape") is None,
    )


def _has_adjective(phrase: Description) -> bool:
    form = _form_of(phrase)
    return form.has_size or form.has_color


def _table(
    options: list[tuple[Description, ...]], one: int, other: int, holds: Callable[[Description, Description], bool]
) -> np.ndarray:
    """Return a condition on two mentions as an array that broadcasts over the choices for all of them."""
    table = np.array([[holds(a, b) for b in options[other]] for a in options[one]])
    shape = [1] * len(options)
    shape[one], shape[other] = table.shape
    return table.reshape(shape)


VERBS = tuple(product([str(v) for v in Verb], [str(m) for m in Manner]))  # fifteen ways to act


def choose_uniform(pattern: Pattern, *, rng: Stream) -> Iterator[Instruction]:
    """Choose commands as the released generator does.

    Simple commands come with every verb and manner; of the others each core command comes once, with a random verb and
    manner. All core commands are equally likely, so relations with few of them hardly occur.
    """
    if pattern == P1:
        pairs = product(sample_commands(pattern, rng=rng), VERBS)
        yield from rng.permutation(Instruction(verb, expression, manner) for expression, (verb, manner) in pairs)
        return
    yield from with_random_verbs(sample_commands(pattern, rng=rng), rng=rng)


def choose_spatial(*, rng: Stream) -> Iterator[Instruction]:
    """Choose commands with one spatial relation, every one of which is equally likely.

    The noun of a phrase is always said, and target and reference are called differently.
    """
    phrases = [phrase for form in FORMS if not form.is_object for phrase in form.phrases(is_box=False)]
    pairs = [(target, to) for target in phrases for to in phrases if target != to]
    kinds = list(product(SPATIAL, VERBS))
    for number in rng.permutation(range(len(pairs) * len(kinds))):
        (target, to), (relation, (verb, manner)) = pairs[number // len(kinds)], kinds[number % len(kinds)]
        yield Instruction(verb, Description((*target.steps, Related(relation, to))), manner)


def choose_balanced(pattern: Pattern, *, rng: Stream) -> Iterator[Instruction]:
    """Choose commands with every combination of relations, verb and manner equally often, while they last."""
    if pattern == P1:
        yield from choose_uniform(pattern, rng=rng)
        return
    yield from with_balanced_verbs(_by_relations_in_turn(pattern, rng=rng), rng=rng)


def with_random_verbs(expressions: Iterator[Expression], *, rng: Stream) -> Iterator[Instruction]:
    """Yield each expression with one random verb and manner."""
    for expression in expressions:
        verb, manner = rng.choice(VERBS)
        yield Instruction(verb, expression, manner)


def with_balanced_verbs(expressions: Iterator[Expression], *, rng: Stream) -> Iterator[Instruction]:
    """Yield each expression with one verb and manner, so that every fifteen expressions use each pair once."""
    waiting: list[tuple[str, str]] = []
    for expression in expressions:
        waiting = waiting or rng.permutation(VERBS)
        verb, manner = waiting.pop()
        yield Instruction(verb, expression, manner)


def _by_relations_in_turn(pattern: Pattern, *, rng: Stream) -> Iterator[Expression]:
    kinds = sorted({tuple(sorted(schematic.relations)) for schematic in schematics(pattern)})
    streams = [sample_commands(pattern, rng=rng, relations=kind) for kind in kinds]
    while streams:
        for stream in list(streams):
            expression = next(stream, None)
            if expression is None:
                streams.remove(stream)
            else:
                yield expression
