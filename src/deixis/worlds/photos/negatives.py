"""Expressions of absent things: each fits its target until one place is changed, and then fits nothing shown.

The change keeps to what the corpus knows: an attribute is replaced by another of its type that things of that name have
elsewhere, a relation by another in which such things stand elsewhere, a noun by another that stands in the same
relation elsewhere; or words or nouns of two phrases are swapped. Words that the image does show somewhere are tried
first. What comes out sounds right, is about things that are there, and is false all the same.

That it is false is verified by resolution, in every way that `guard` knows, without its ranks: two objects at the same
distance have none, but whoever sees them finds a first one. A word that may be said of the same thing is no change:
what is big is large, and what is worn is something one is in.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.parts import Part, exchanging, mention_at, parts, replacing
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.seeds import Stream, derive, fold
from deixis.worlds.photos.alike import alike_names, alike_words, may_both_hold
from deixis.worlds.photos.engine.facts import Facts
from deixis.worlds.photos.engine.settings import Engine
from deixis.worlds.photos.guard import Guard
from deixis.worlds.photos.scene.vocabulary import NAME, RARE, SAME


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.worlds.photos.index import GraphIndex
    from deixis.worlds.photos.resolution.unknowns import Unknowns
    from deixis.worlds.photos.scene.graph_table import GraphTable


__all__ = ["CHANGES", "Change", "Cooccurrences", "Negation", "Negative", "ShownExpression", "find_negatives"]

Change: TypeAlias = Literal["attribute", "relation", "noun", "swap"]
CHANGES: tuple[Change, ...] = ("attribute", "relation", "noun", "swap")
TRIES = 4  # replacements that are thought of for every part, among the words shown and among others
SPARE = 4  # for every one that is wanted, how many are tried: in the first scene, and what is false of it in the others
BATCH = 2_000  # expressions that are changed together
FREQUENT = 200  # names that may replace a noun of which nothing else is said


class ShownExpression(NamedTuple):
    """An expression and the numbers of the scenes in which nothing may fit once it is changed."""

    expression: Expression
    scenes: tuple[int, ...]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Negation:
    """Settings of the search for expressions of absent things.

    Attributes:
        changes: which changes to make.
        each: how many of every change, at most.
        most: how many of all changes together, at most, where they are chosen to be in balance (`balance`).
        in_other_words: whether the result must not fit in similar words either.
        loose_sides: whether it must not fit with left and right as people see them either.
        unknowns: if given, the result must certainly not fit, for all that is not annotated. Where the truth is at
            hand, that is asked instead.
    """

    changes: tuple[Change, ...] = CHANGES
    each: int = 1
    most: int = 1
    in_other_words: bool = True
    loose_sides: bool = True
    unknowns: Unknowns | None = None

    def __post_init__(self) -> None:
        if strange := [change for change in self.changes if change not in CHANGES]:
            raise SchemaError(f"unknown change {strange[0]!r}; known: {', '.join(CHANGES)}")
        if self.each < 1 or self.most < 1:
            raise SchemaError(f"at least one change is wanted, got {min(self.each, self.most)}")


def find_negatives(
    shown: Sequence[ShownExpression],
    table: GraphTable,
    index: GraphIndex,
    how: Negation | None = None,
    *,
    seed: int,
    facts: Facts | None = None,
    truth: GraphTable | None = None,
) -> list[tuple[Negative, ...]]:
    """Find for every expression some that differ from it in one place and fit nothing in its scenes.

    Args:
        shown: expressions with the scenes that are shown with them; the right one, and its distractors if it has any.
        table: the scenes.
        index: of the table.
        how: which changes to make.
        seed: of the choice of words.
        facts: which words can be said where; those of the engine by default.
        truth: the same scenes as they are, where that is known.
    """
    how = how or Negation()
    seen = Cooccurrences(table, index, facts or Facts.of(table, Engine()))
    guard = Guard(
        table=table,
        in_other_words=how.in_other_words,
        loose_sides=how.loose_sides,
        unknowns=how.unknowns,
        truth=truth,
    )
    base = derive(seed, "negatives")
    found: list[tuple[Negative, ...]] = []
    for start in range(0, len(shown), BATCH):
        batch = shown[start : start + BATCH]
        tried = [_candidates(one, seen, how, base) for one in batch]
        first = [one.scenes[:1] for one in batch]
        tried = _false_in(first, tried, guard, most=SPARE * how.each)
        found += map(tuple, _false_in([one.scenes for one in batch], tried, guard, most=how.each))
    return found


@dataclass(frozen=True, eq=False)
class Cooccurrences:
    """Co-occurrences of names, attributes and relations in a corpus, with kept answers."""

    table: GraphTable
    index: GraphIndex
    facts: Facts
    _known: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def triples(self) -> np.ndarray:
        """The recorded (name, relation, name) combinations as single numbers, ascending, int64 [triple]."""
        owner = np.repeat(np.arange(self.table.object_count), np.diff(self.table.edge_ptr))
        other = self.table.scene_ptr[self.table.scene_of[owner]] + self.table.target
        names, relations = len(self.table.vocabulary.names), len(self.table.vocabulary.relations)
        one, two = self.table.name[owner].astype(np.int64), self.table.name[other].astype(np.int64)
        return np.unique((one * names + two) * relations + self.table.relation)

    @cached_property
    def backwards(self) -> tuple[np.ndarray, np.ndarray]:
        """The same as (relation, second name) and the first name, ascending: twice int64 [triple]."""
        names, relations = len(self.table.vocabulary.names), len(self.table.vocabulary.relations)
        pair, relation = np.divmod(self.triples, max(relations, 1))
        one, two = np.divmod(pair, max(names, 1))
        order = np.lexsort((one, relation * names + two))
        return (relation * names + two)[order], one[order]

    @cached_property
    def forwards(self) -> tuple[np.ndarray, np.ndarray]:
        """The same as (first name, relation) and the second name, ascending: twice int64 [triple]."""
        names, relations = len(self.table.vocabulary.names), len(self.table.vocabulary.relations)
        pair, relation = np.divmod(self.triples, max(relations, 1))
        one, two = np.divmod(pair, max(names, 1))
        order = np.lexsort((two, one * relations + relation))
        return (one * relations + relation)[order], two[order]

    def relations_between(self, one: str, other: str) -> tuple[str, ...]:
        """Return the relations in which anything of one name stands to anything of another, anywhere in the corpus."""
        return self._keep(("between", one, other), lambda: self._relations_between(one, other))

    def names_before(self, relation: str, other: str) -> tuple[str, ...]:
        """Return the names of things that stand in a relation to something of a name."""
        words = self.table.vocabulary
        key = words.relation_code(relation) * len(words.names) + words.name_code(other)
        return self._keep(("before", relation, other), lambda: self._names_at(self.backwards, key))

    def names_after(self, one: str, relation: str) -> tuple[str, ...]:
        """Return the names of things to which something of a name stands in a relation."""
        words = self.table.vocabulary
        key = words.name_code(one) * len(words.relations) + words.relation_code(relation)
        return self._keep(("after", one, relation), lambda: self._names_at(self.forwards, key))

    def words_with(self, name: str, kind: str) -> tuple[str, ...]:
        """Return the attributes of a type that things of a name have."""
        return self._keep(("words", name, kind), lambda: self._words_with(name, kind))

    def names_with(self, word: str) -> tuple[str, ...]:
        """Return the names of the things that have an attribute, the most frequent first."""
        return self._keep(("names", word), lambda: self._names_with(word))

    def _relations_between(self, one: str, other: str) -> tuple[str, ...]:
        words = self.table.vocabulary
        relations = len(words.relations)
        first = (words.name_code(one) * len(words.names) + words.name_code(other)) * relations
        start, end = np.searchsorted(self.triples, (first, first + relations))
        codes = (self.triples[start:end] - first).tolist()
        pair = words.name_code(one), words.name_code(other)
        return tuple(words.relations[code] for code in codes if self.facts.can_relate(pair[0], code, pair[1]))

    def _words_with(self, name: str, kind: str) -> tuple[str, ...]:
        words = self.table.vocabulary
        first = words.name_code(name) * self.index.words
        start, end = np.searchsorted(self.index.pair, (first, first + self.index.words))
        held = (words.words[code] for code in (self.index.pair[start:end] - first).tolist())
        return tuple(word for word in held if words.type_of(word) == kind)

    def _names_with(self, word: str) -> tuple[str, ...]:
        words = self.table.vocabulary
        name, held = np.divmod(self.index.pair, max(self.index.words, 1))
        named = name[held == words.word_code(word)].tolist()
        return tuple(words.names[code] for code in named if self.facts.is_thing[code])

    def _keep(self, key: tuple[str, ...], find: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
        if key not in self._known:
            self._known[key] = find()
        return self._known[key]

    def words_of(self, scene: int) -> frozenset[str]:
        """Return the names, attributes and relations of the objects of a scene."""
        words, some = self.table.vocabulary, self.table.objects_of(scene)
        attr = self.table.attr[self.table.attr_ptr[some.start] : self.table.attr_ptr[some.stop]]
        relation = self.table.relation[self.table.edge_ptr[some.start] : self.table.edge_ptr[some.stop]]
        return frozenset(
            (
                *(words.names[code] for code in self.table.name[some.start : some.stop].tolist()),
                *(words.words[code] for code in attr.tolist()),
                *(words.relations[code] for code in np.unique(relation).tolist()),
            )
        )

    def _names_at(self, sorted_pairs: tuple[np.ndarray, np.ndarray], key: int) -> tuple[str, ...]:
        keys, names = sorted_pairs
        start, end = np.searchsorted(keys, (key, key + 1))
        is_thing, known = self.facts.is_thing, self.table.vocabulary.names
        return tuple(known[code] for code in names[start:end].tolist() if is_thing[code])


def _candidates(one: ShownExpression, seen: Cooccurrences, how: Negation, base: int) -> list[Negative]:
    """Changed expressions in random order, those in words that the first scene shows first; they may still be true."""
    key = int.from_bytes(blake2b(str(one.expression).encode(), digest_size=8).digest(), "little")
    there = seen.words_of(one.scenes[0]) if one.scenes else frozenset()
    makers = {"attribute": _attributes, "relation": _relations, "noun": _nouns, "swap": _swaps}
    tried: dict[Expression, Negative] = {}
    for change in how.changes:
        words = _Words(Stream(fold((key, *one.scenes[:1], CHANGES.index(change)), base)), there)
        options = words.stream.permutation(makers[change](one.expression, seen, words))
        options.sort(key=lambda option: option.now not in there)
        options = [option for option in options if _can_be_said(option.expression, one.expression, seen)]
        for negative in options[: SPARE * how.each]:
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


def _false_in(
    scenes: Sequence[tuple[int, ...]], tried: Sequence[Sequence[Negative]], guard: Guard, *, most: int
) -> list[list[Negative]]:
    """Return those changed expressions that fit nothing in any scene shown with them, so many of each change."""
    where = [some for some, changed in zip(scenes, tried, strict=True) for _ in changed]
    false = iter(_nowhere([one.expression for some in tried for one in some], where, guard).tolist())
    kept: list[list[Negative]] = []
    for some in tried:
        counts: Counter[Change] = Counter()
        kept.append([])
        for negative in some:
            if next(false) and counts[negative.change] < most:
                counts[negative.change] += 1
                kept[-1].append(negative)
    return kept


def _nowhere(expressions: Sequence[Expression], scenes: Sequence[tuple[int, ...]], guard: Guard) -> np.ndarray:
    """Return whether each expression fits nothing in any of its scenes, bool [expression]."""
    which = np.repeat(np.arange(len(expressions)), [len(some) for some in scenes])
    where = np.array([scene for some in scenes for scene in some], np.int64)
    fits = np.zeros(len(expressions), np.bool_)
    asked = guard.ask([_without_ranks(expression) for expression in expressions])
    fits[which[asked.may_fit(which, where)]] = True
    return ~fits


def _without_ranks(expression: Expression) -> Expression:
    """The expression without its ranks, which fits all that it fits; nothing is done inside a negation."""
    return Description(tuple(_unrank(step) for step in expression.steps if not isinstance(step, Nth)))


def _unrank(step: Step) -> Step:
    match step:
        case Related(relation, to):
            return Related(relation, _without_ranks(to))
        case AnyOf(steps):
            return AnyOf(tuple(_unrank(inner) for inner in steps))
        case _:
            return step
