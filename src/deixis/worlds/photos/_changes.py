"""Expressions changed in one place: another attribute, relation or noun, or two phrases that swap words.

The change keeps to what the corpus knows: an attribute is replaced by another of its type that things of that name have
elsewhere, a relation by another in which such things stand elsewhere, a noun by another that stands in the same
relation elsewhere. Words that the image does show somewhere are tried first. A word that may be said of the same thing
is no change: what is big is large, and what is worn is something one is in.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.expression.description import Description
from deixis.expression.parts import Part, exchanging, mention_at, parts, replacing
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.seeds import Stream, fold
from deixis.worlds.photos._alike import alike_names, alike_words, may_both_hold
from deixis.worlds.photos.scene.vocabulary import NAME, RARE, SAME


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.worlds.photos._cooccurrences import Cooccurrences
    from deixis.worlds.photos.engine._facts import Facts


Change: TypeAlias = Literal["attribute", "relation", "noun", "swap"]
CHANGES: tuple[Change, ...] = ("attribute", "relation", "noun", "swap")
TRIES = 4  # replacements that are thought of for every part, among the words shown and among others
FREQUENT = 200  # names that may replace a noun of which nothing else is said


@dataclass(frozen=True, slots=True)
class Negative:
    """An expression that fits nothing in the scenes, and the change that made it.

    Attributes:
        expression: what is said.
        change: what was changed in the expression that it comes from.
        parts: the parts that were changed, as they stood there.
        was, now: the words before and after.
    """

    expression: Expression
    change: Change
    parts: tuple[Part, ...]
    was: str
    now: str

    @property
    def changed(self) -> str:
        """The change in words: `red → blue`."""
        return f"{self.was} → {self.now}"


def propose_changes(
    expression: Expression, scene: int | None, seen: Cooccurrences, changes: Sequence[Change], *, most: int, seed: int
) -> list[Negative]:
    """Change an expression in one place, in words that the corpus knows. The results may still be true.

    Args:
        expression: what is changed.
        scene: the number of the scene whose words are tried first; None where there is none.
        seen: the words of the corpus that go together.
        changes: which changes to make.
        most: how many of every change, at most, in random order.
        seed: of the choice of words.
    """
    key = int.from_bytes(blake2b(str(expression).encode(), digest_size=8).digest(), "little")
    shown = () if scene is None else (scene,)
    there = frozenset() if scene is None else seen.words_of(scene)
    makers = {"attribute": _attributes, "relation": _relations, "noun": _nouns, "swap": _swaps}
    tried: dict[Expression, Negative] = {}
    for change in changes:
        words = _Words(Stream(fold((key, *shown, CHANGES.index(change)), seed)), there)
        options = words.stream.permutation(makers[change](expression, seen, words))
        options.sort(key=lambda option: option.now not in there)
        options = [option for option in options if _can_be_said(option.expression, expression, seen)]
        for negative in options[:most]:
            tried.setdefault(negative.expression, negative)
    return list(tried.values())


class _Words(NamedTuple):
    """Chance, and the words that are true of something in the scene."""

    stream: Stream
    there: frozenset[str]

    def instead_of(self, alike: set[str], known: Sequence[str]) -> list[str]:
        """Return some of the known words that could be said instead of some that are alike."""
        options = [word for word in known if word not in alike]
        shown = self.stream.permutation(word for word in options if word in self.there)[:TRIES]
        return shown + self._a_few([word for word in options if word not in self.there])

    def _a_few(self, options: list[str]) -> list[str]:
        if len(options) > 4 * TRIES:
            options = list(dict.fromkeys(self.stream.choice(options) for _ in range(2 * TRIES)))
        return self.stream.permutation(options)[:TRIES]


def _attributes(expression: Expression, seen: Cooccurrences, words: _Words) -> Iterator[Negative]:
    """Yield one attribute replaced by another of its type that things of that name have elsewhere."""
    for part in parts(expression):
        if isinstance(part.step, Is) and part.step.attribute != NAME and not _is_denied(part.address, expression):
            noun = _noun_around(part.address, expression)
            known = seen.words_with(noun, part.step.attribute) if noun else ()
            for word in words.instead_of({*alike_words(part.step.value)}, known):
                said = Is(part.step.attribute, word)
                yield Negative(replacing(expression, part, said), "attribute", (part,), part.step.value, word)


def _relations(expression: Expression, seen: Cooccurrences, words: _Words) -> Iterator[Negative]:
    """Yield one relation replaced by another in which such things stand elsewhere."""
    for part in parts(expression):
        if isinstance(part.step, Related) and part.step.relation not in SAME:
            was, to = part.step.relation, part.step.to
            if _is_denied(part.address, expression):
                continue
            noun, other = _noun_around(part.address, expression), to.value(NAME)
            known = seen.relations_between(noun, other) if noun and other else ()
            alike = {name for name in known if may_both_hold(name, was)}
            for relation in words.instead_of(alike, known):
                said = Related(relation, to)
                yield Negative(replacing(expression, part, said), "relation", (part,), was, relation)


def _nouns(expression: Expression, seen: Cooccurrences, words: _Words) -> Iterator[Negative]:
    """Yield one noun replaced by another that stands in the same relation elsewhere."""
    for part in parts(expression):
        if isinstance(part.step, Is) and part.step.attribute == NAME and not _is_denied(part.address, expression):
            was = part.step.value
            alike = {*alike_names(was), RARE}
            for name in words.instead_of(alike, _other_nouns(part.address, expression, seen)):
                yield Negative(replacing(expression, part, Is(NAME, name)), "noun", (part,), was, name)


def _other_nouns(address: Address, expression: Expression, seen: Cooccurrences) -> tuple[str, ...]:
    """The names that could stand in the place of a noun, as far as the clause next to it is concerned."""
    mention = mention_at(expression, address[:-1])
    above = address[:-1]
    if above:
        clause = mention_at(expression, above[:-1]).steps[above[-1]]
        noun = _noun_around(above, expression)
        if isinstance(clause, Related) and clause.relation not in SAME and noun:
            return seen.names_after(noun, clause.relation)
    for clause in mention.clauses:
        other = clause.to.value(NAME)
        if other and clause.relation not in SAME:
            return seen.names_before(clause.relation, other)
    attribute = next((s for s in mention.steps if isinstance(s, Is) and s.attribute != NAME), None)
    if attribute is not None:
        return seen.names_with(attribute.value)
    return tuple(
        name for name, ok in zip(seen.table.vocabulary.names[:FREQUENT], seen.facts.is_thing, strict=False) if ok
    )


def _swaps(expression: Expression, seen: Cooccurrences, words: _Words) -> Iterator[Negative]:
    """Attributes exchanged between the phrase of the target and that of something it is related to, or the nouns.

    Nouns change places only where the relation is known to hold that way round, too.
    """
    del words
    for place, clause in enumerate(expression.steps):
        if not isinstance(clause, Related):
            continue
        attributes = [
            {s.attribute for s in steps if isinstance(s, Is) and s.attribute != NAME}
            for steps in (expression.steps, clause.to.steps)
        ]
        for kind in sorted(attributes[0] | attributes[1]):
            yield from _swap_at(expression, place, kind)
        nouns = clause.to.value(NAME), expression.value(NAME)
        is_plain = clause.relation not in SAME and not any(isinstance(s, Nth | AnyOf | Not) for s in expression.steps)
        if is_plain and nouns[0] and nouns[1] and clause.relation in seen.relations_between(nouns[0], nouns[1]):
            yield from _swap_at(expression, place, NAME)


def _swap_at(expression: Expression, place: int, kind: str) -> Iterator[Negative]:
    swapped = Description(_in_order(exchanging(expression, (), (place,), frozenset((kind,))).steps))
    phrases = (), (place,)
    moved = tuple(part for part in parts(expression) if part.attribute == kind and part.address[:-1] in phrases)
    most = max(1, *(_attribute_count(mention) for mention in expression.mentions()))
    if moved and swapped.value(NAME) and all(_attribute_count(mention) <= most for mention in swapped.mentions()):
        number = sum(isinstance(step, Related) for step in expression.steps[:place])
        was, now = (
            ", ".join(map(_phrase, (some.steps, some.clauses[number].to.steps))) for some in (expression, swapped)
        )
        yield Negative(swapped, "swap", moved, was, now)


def _in_order(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The noun first, then ranks, so that they are counted among all of that name; then attributes, then clauses."""
    tidy = (
        Related(step.relation, Description(_in_order(step.to.steps))) if isinstance(step, Related) else step
        for step in steps
    )
    return tuple(sorted(tidy, key=_place_in_order))


def _place_in_order(step: Step) -> int:
    match step:
        case Is(attribute, _):
            return 0 if attribute == NAME else 2
        case Nth():
            return 1
        case _:
            return 3


def _attribute_count(mention: Description) -> int:
    return sum(isinstance(step, Is) and step.attribute != NAME for step in mention.steps)


def _phrase(steps: tuple[Step, ...]) -> str:
    said = [step.value for step in sorted(steps, key=_place_in_order) if isinstance(step, Is)]
    return " ".join((*said[1:], *said[:1]))


def _noun_around(address: Address, expression: Expression) -> str | None:
    """Return the noun of the phrase that a part belongs to."""
    above = address[:-1]
    while above and not isinstance(mention_at(expression, above[:-1]).steps[above[-1]], Related):
        above = above[:-1]
    return mention_at(expression, above).value(NAME)


def _is_denied(address: Address, expression: Expression) -> bool:
    """Return whether a part lies inside a negation, where saying something else may well be true."""
    above = (mention_at(expression, address[:k]).steps[address[k]] for k in range(len(address) - 1))
    return any(isinstance(step, Not) for step in above)


def _can_be_said(expression: Expression, was: Expression, seen: Cooccurrences) -> bool:
    """Whether the words of a changed expression can stand where they stand, and say something else than before."""
    if expression == was:
        return False
    return all(_has_its_place(mention, seen, is_target=mention is expression) for mention in _mentions(expression))


def _mentions(expression: Expression) -> Iterator[Description]:
    """Yield the expression and everything that it mentions, alternatives and what is denied included."""
    yield expression
    for part in parts(expression):
        if isinstance(part.step, Related):
            yield part.step.to


def _has_its_place(mention: Description, seen: Cooccurrences, *, is_target: bool) -> bool:
    """Return whether noun, attributes and relations of a mention can be said together, as the engine would have it."""
    words, facts = seen.table.vocabulary, seen.facts
    name = mention.value(NAME)
    if name is None or not facts.is_thing[noun := words.name_code(name)]:
        return False
    is_ranked = any(isinstance(step, Nth) for step in mention.steps)
    if is_ranked and not facts.can_rank[noun]:
        return False
    for step in mention.steps:
        if isinstance(step, Is) and step.attribute != NAME:
            word = words.word_code(step.value)
            before, after = facts.places[word]
            fits = after if is_ranked else (before and (is_target or not facts.is_doing[word])) or (is_target and after)
            if not fits or not facts.can_be(noun, word) or step.value not in seen.words_with(name, step.attribute):
                return False
    return _have_their_places(list(_said_clauses(mention)), mention, noun, facts)


def _have_their_places(clauses: list[Related], mention: Description, noun: int, facts: Facts) -> bool:
    """Return whether clauses can be said of a mention: each of its noun, all of them in a row, and none twice."""
    words = facts.table.vocabulary
    adjectives = {step.value for step in mention.steps if isinstance(step, Is)}
    said = [(clause.relation, clause.to.value(NAME)) for clause in clauses]
    if len(set(said)) < len(said):  # 'wearing a shirt and wearing another shirt'
        return False
    for clause in clauses:
        relation, other = words.relation_code(clause.relation), clause.to.value(NAME)
        if relation >= len(facts.weights):  # one that is computed
            if other is None or not facts.can_share(clause.relation, noun, words.name_code(other)):
                return False
            continue
        if other is None or not facts.can_relate(noun, relation, words.name_code(other)):
            return False
        if not facts.can_join[relation] and len(clauses) > 1:
            return False
        others = {step.value for step in clause.to.steps if isinstance(step, Is)}
        if clause.relation.partition(" ")[0] in adjectives | others:
            return False
    return True


def _said_clauses(mention: Description) -> Iterator[Related]:
    """Yield the clauses of a mention, joined, alternative or denied."""
    for step in mention.steps:
        inner = step.step if isinstance(step, Not) else step
        for one in inner.steps if isinstance(inner, AnyOf) else (inner,):
            inside = one.step if isinstance(one, Not) else one
            if isinstance(inside, Related):
                yield inside
