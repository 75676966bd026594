"""Words to meaning, for expressions about photographs: the inverse of `realise_reference` in all its styles.

Names, attributes and relations may have several words and may be ambiguous ('orange', 'street light', 'in the middle
of'). Reading tries the longest first and goes back where the rest cannot be read. What does not read at all is an error
that names the first word that no reading gets past.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from deixis.errors import ParseError
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.language.utterance import Instruction, Utterance
from deixis.worlds.photos.language._words import RANKS, words_of_photographs
from deixis.worlds.photos.language.say import DETERMINERS, NOTHING_SAID
from deixis.worlds.photos.scene.vocabulary import NAME, RARE, SAME


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Side, Step
    from deixis.language.utterance import Span
    from deixis.worlds.photos.scene.vocabulary import Vocabulary


__all__ = ["parse_reference", "read_reference"]

MAX_WORDS = 200
MAX_LETTERS = 40  # what an error shows of a word
MOST_READINGS = 32  # of one noun phrase
RELATIVES = ("that", "which", "who")
SIDES: dict[tuple[str, ...], Side] = {
    **{("from", "the", side): side for side in ("left", "right", "top", "bottom")},
    **{("from", side): side for side in ("left", "right")},
}
PLACES: dict[tuple[str, ...], Side] = {
    ("on", "the", "left"): "left",
    ("on", "the", "right"): "right",
    ("in", "the", "middle"): "middle",
}

_Noun: TypeAlias = "tuple[tuple[tuple[str, Span], ...], tuple[str, Span] | None, int]"  # adjectives, name, end


def parse_reference(text: str, vocabulary: Vocabulary, *, other_names: tuple[tuple[str, str], ...] = ()) -> Expression:
    """Parse the expression that a text says about a photograph.

    Args:
        text: in any of the wordings that `realise_reference` has; capitals and a full stop do not matter.
        vocabulary: the names, attributes and relations that the text may use.
        other_names: further words for names, beyond the usual synonyms, each as (word, name).

    Raises:
        ParseError: with the word that could not be read and what could have stood there.
    """
    return read_reference(text, vocabulary, other_names=other_names).expression


def read_reference(text: str, vocabulary: Vocabulary, *, other_names: tuple[tuple[str, str], ...] = ()) -> Utterance:
    """Read a text with its meaning and the words that say each part, with the arguments of `parse_reference`."""
    tokens = [token for word in text.lower().split() if (token := word.strip('.,;:!?"“”'))]
    if len(tokens) > MAX_WORDS:
        raise _complaint(tokens, MAX_WORDS, (f"<at most {MAX_WORDS} words>",))
    surfaces = _surfaces(vocabulary, other_names)
    said = _Reader(tokens, surfaces, surfaces.plain_relations, vocabulary).utterance()
    if said is None:
        reader = _Reader(tokens, surfaces, surfaces.all_relations, vocabulary)
        said = reader.utterance()
        if said is None:
            raise _complaint(tokens, reader.furthest, tuple(reader.expected))
    return said


class Phrases(NamedTuple):
    """Phrases with their meanings, and the length of the longest that begins with a word."""

    meanings: Mapping[tuple[str, ...], str]
    longest: Mapping[str, int]


class _Surfaces(NamedTuple):
    """The words of a vocabulary as they can be met in text."""

    things: Phrases  # names that are no phrases themselves
    names: Phrases  # the rest
    plain_attributes: Phrases  # that are listed as English
    attributes: Phrases  # the rest
    all_attributes: Phrases
    doing: Phrases  # attributes that stand behind the noun
    plain_relations: Phrases  # of which English clauses can be made
    all_relations: Phrases


class _Phrase(NamedTuple):
    """A noun phrase: words with their spans."""

    start: int
    end: int
    article: str
    name: tuple[str, Span] | None
    attributes: tuple[tuple[str, Span], ...]
    rank: tuple[Nth, Span, Span | None] | None


class _Predicate(NamedTuple):
    """What follows a noun or a connecting word: an attribute, or a relation to a noun phrase."""

    connection: str  # that, and, or; empty where nothing connects
    start: int
    own_start: int  # without 'either', which opens two
    is_denied: bool
    attribute: str
    relation: str
    said: Span
    phrase: _Phrase | None


class _Mention:
    """A noun phrase whose clauses may still follow."""

    def __init__(self, phrase: _Phrase) -> None:
        self.phrase = phrase
        self.clauses: list[list[tuple[_Predicate, _Mention | None]]] = []  # joined by 'and', each a list joined by 'or'

    @property
    def end(self) -> int:
        ends = (_end(clause) for clause in self.clauses[-1:])
        return max(ends, default=self.phrase.end)


class _Reader:
    """Reads one text."""

    def __init__(
        self, tokens: list[str], surfaces: _Surfaces, relations_known: Phrases, vocabulary: Vocabulary
    ) -> None:
        self.tokens = tokens
        self.surfaces = surfaces
        self.relations_known = relations_known
        self.vocabulary = vocabulary
        self.furthest = 0
        self.expected: dict[str, None] = {}
        self.hopeless: set[tuple[str, int]] = set()
        self.nouns_at: dict[int, list[_Noun]] = {}
        self.spans: dict[Address, Span] = {}
        self.determiners: list[str] = []

    def utterance(self) -> Utterance | None:
        """Return the first reading of the whole text, if there is one."""
        for phrase in self.phrases(0):
            rest = self.after_noun(phrase.end)
            if rest is not None:
                description = self.attach(phrase, rest)
                return Utterance(
                    " ".join(self.tokens), Instruction("", description), tuple(self.determiners), self.spans
                )
        return None

    # ------------------------------------------------------------------------------------------ finding a reading

    def after_noun(self, at: int) -> list[_Predicate] | None:
        """The predicates from here to the end, if they can be read; a noun phrase stands before."""
        if at == len(self.tokens):
            return []
        if ("noun", at) in self.hopeless:
            return None
        found = self.first_of(at, RELATIVES, "that") or self.join_predicates(at) or self.first_bare(at)
        if found is None:
            self.hopeless.add(("noun", at))
        return found

    def after_attribute(self, at: int) -> list[_Predicate] | None:
        return [] if at == len(self.tokens) else self.join_predicates(at)

    def join_predicates(self, at: int) -> list[_Predicate] | None:
        return self.first_of(at, ("and",), "and") or self.first_of(at, ("or",), "or")

    def first_of(self, at: int, words: tuple[str, ...], connection: str) -> list[_Predicate] | None:
        self.expect(at, connection)
        if self.word(at) not in words:
            return None
        start = at + 1
        if connection != "that" and self.word(start) in RELATIVES:
            start += 1
        return self.predicates(start, connection)

    def first_bare(self, at: int) -> list[_Predicate] | None:
        """Return a relation that follows its noun directly."""
        return self.relations(at, (at, at), "", is_denied=False)

    def predicates(self, at: int, connection: str) -> list[_Predicate] | None:
        """Return the predicate that begins here and all that follow."""
        if (connection, at) in self.hopeless:
            return None
        begun, start = (at, at), at
        is_denied = False
        for _ in range(2):  # 'is either', 'either is'
            if self.word(start) in ("is", "are", "either"):
                start += 1
                if self.word(start - 1) == "either":
                    begun = (at, start)
        if self.word(start) in ("does", "do") and self.word(start + 1) == "not":
            start, is_denied = start + 2, True
        elif self.word(start) == "not":
            start, is_denied = start + 1, True
        found = self.relations(start, begun, connection, is_denied=is_denied)
        if found is None:
            found = self.attributes(start, begun, connection, is_denied=is_denied)
        if found is None:
            self.hopeless.add((connection, at))
        return found

    def relations(self, at: int, begun: Span, connection: str, *, is_denied: bool) -> list[_Predicate] | None:
        self.expect(at, "<a relation>")
        for end, relation in self.matches(self.relations_known, at):
            for phrase in self.phrases(end):
                rest = self.after_noun(phrase.end)
                if rest is not None:
                    return [_Predicate(connection, *begun, is_denied, "", relation, (at, end), phrase), *rest]
        return None

    def attributes(self, at: int, begun: Span, connection: str, *, is_denied: bool) -> list[_Predicate] | None:
        self.expect(at, "<an attribute>")
        for end, word in self.matches(self.surfaces.all_attributes, at):
            rest = self.after_attribute(end)
            if rest is not None:
                return [_Predicate(connection, *begun, is_denied, word, "", (at, end), None), *rest]
        return None

    def phrases(self, at: int) -> Iterator[_Phrase]:
        """Yield the noun phrases that can be read here, the likeliest first."""
        start = at
        article = ""
        if self.word(at) in DETERMINERS:
            article = self.word(at)
            at += 1
        index = _rank(self.word(at))
        if index:
            for attributes, name, end in self.nouns(at + 1):
                self.expect(end, "from the left")
                for words, side in SIDES.items():
                    if self.comes(words, end):
                        rank = (Nth(index, side), (at, at + 1), (end, end + len(words)))
                        yield _Phrase(start, end + len(words), article, name, attributes, rank)
        for attributes, name, end in self.nouns(at):
            for words, side in PLACES.items():
                if self.comes(words, end):
                    place = (end, end + len(words))
                    yield _Phrase(start, place[1], article, name, attributes, (Nth(1, side), place, None))
            yield _Phrase(start, end, article, name, attributes, None)
            for last, word in self.matches(self.surfaces.doing, end):
                yield _Phrase(start, last, article, name, (*attributes, (word, (end, last))), None)

    def nouns(self, at: int) -> list[_Noun]:
        """The readings of adjectives and a noun that begin here; words that are listed as English come first."""
        if at in self.nouns_at:
            return self.nouns_at[at]
        self.expect(at, "<a name>")
        surfaces = self.surfaces
        found: list[_Noun] = []
        for names, words in ((surfaces.things, surfaces.plain_attributes), (surfaces.names, surfaces.attributes)):
            for end, name in self.matches(names, at):
                found.append(((), (name, (at, end)), end))
            for end, word in self.matches(words, at):
                for attributes, noun, last in self.nouns(end):
                    found.append((((word, (at, end)), *attributes), noun, last))
        if self.word(at) == NOTHING_SAID:
            found.append(((), None, at + 1))
        self.nouns_at[at] = found[:MOST_READINGS]
        return self.nouns_at[at]

    def matches(self, phrases: Phrases, at: int) -> Iterator[tuple[int, str]]:
        """Yield the phrases of a table that come next, the longest first, with where they end."""
        longest = phrases.longest.get(self.word(at), 0)
        for end in range(min(at + longest, len(self.tokens)), at, -1):
            meaning = phrases.meanings.get(tuple(self.tokens[at:end]))
            if meaning is not None:
                yield end, meaning

    def comes(self, words: tuple[str, ...], at: int) -> bool:
        return tuple(self.tokens[at : at + len(words)]) == words

    def word(self, at: int) -> str:
        return self.tokens[at] if at < len(self.tokens) else ""

    def expect(self, at: int, what: str) -> None:
        """Remember what could have stood at the furthest word that was reached."""
        if at > self.furthest:
            self.furthest, self.expected = at, {}
        if at == self.furthest:
            self.expected[what] = None

    # ------------------------------------------------------------------------------------------ building the tree

    def attach(self, phrase: _Phrase, predicates: list[_Predicate]) -> Description:
        """Return the description, every predicate with the noun that it belongs to."""
        root = newest = continued = _Mention(phrase)
        for predicate in predicates:
            mention = _Mention(predicate.phrase) if predicate.phrase else None
            if predicate.connection in ("", "that"):
                newest.clauses.append([(predicate, mention)])
                continued = newest if predicate.connection else continued
            elif predicate.connection == "or" and continued.clauses:
                continued.clauses[-1].append((predicate, mention))
            else:
                continued.clauses.append([(predicate, mention)])
            newest = mention or newest
        return self.describe(root, ())

    def describe(self, mention: _Mention, at: Address) -> Description:
        phrase = mention.phrase
        steps: list[Step] = []
        self.determiners.append(phrase.article)

        def add(step: Step, span: Span) -> None:
            self.spans[(*at, len(steps))] = span
            steps.append(step)

        if phrase.name:
            add(Is(NAME, phrase.name[0]), phrase.name[1])
        for word, span in phrase.attributes:
            add(Is(self.vocabulary.type_of(word), word), span)
        if phrase.rank:
            rank, first, second = phrase.rank
            if second:
                self.spans[(*at, len(steps), -2)] = second
            add(rank, first)
        self.spans[(*at, -1)] = (phrase.start, phrase.end)
        for alternatives in mention.clauses:
            here = (*at, len(steps))
            if len(alternatives) == 1:
                steps.append(self.clause(*alternatives[0], here))
                continue
            steps.append(AnyOf(tuple(self.clause(*each, (*here, n)) for n, each in enumerate(alternatives))))
            self.spans[here] = (alternatives[0][0].start, _end(alternatives))
        return Description(tuple(steps))

    def clause(self, predicate: _Predicate, mention: _Mention | None, at: Address) -> Step:
        inside = (*at, 0) if predicate.is_denied else at
        step: Step
        if mention is None:
            step = Is(self.vocabulary.type_of(predicate.attribute), predicate.attribute)
            self.spans[inside] = predicate.said
        else:
            step = Related(predicate.relation, self.describe(mention, inside))
            self.spans[inside] = (predicate.said[0], mention.end)
        if predicate.is_denied:
            self.spans[at] = (predicate.own_start, self.spans[inside][1])
            return Not(step)
        return step


def _end(alternatives: list[tuple[_Predicate, _Mention | None]]) -> int:
    """Where the last of some alternatives ends."""
    predicate, mention = alternatives[-1]
    return mention.end if mention else predicate.said[1]


@lru_cache(maxsize=8)
def _surfaces(vocabulary: Vocabulary, other_names: tuple[tuple[str, str], ...]) -> _Surfaces:
    """Every way to say a word of the vocabulary; its own spelling comes before any other."""
    table = words_of_photographs()
    names = {name: name for name in vocabulary.names if name != RARE}
    others = [
        {table.said_names[name]: name for name in names if name in table.said_names},
        {other: name for other, name in other_names if name in names},
        {other: name for name in names for other in table.name_synonyms.get(name, ())},
        {other: name for name in names for other in _other_numbers(name)},
    ]
    attributes = {word: word for word in vocabulary.words}
    other_words = [
        {table.said_attributes[word]: word for word in attributes if word in table.said_attributes},
        {other: word for word in attributes for other in table.attribute_synonyms.get(word, ())},
        {f"made of {word}": word for word in attributes if vocabulary.type_of(word) == "material"},
    ]
    relations = {relation: relation for relation in vocabulary.relations}
    verbs = {
        form: relation for relation in relations if relation in table.verbs for form in reversed(table.verbs[relation])
    }
    same = {f"{verb} the {kind} as": kind for kind in SAME for verb in ("has", "have")}
    british = {phrase.replace("color", "colour"): kind for phrase, kind in same.items()}
    all_names, all_attributes = _phrases(names, *others), _phrases(attributes, *other_words)
    all_relations = _phrases(relations, verbs, same, british)
    return _Surfaces(
        things=_only(all_names, table.is_a_thing),
        names=_only(all_names, lambda name: not table.is_a_thing(name)),
        plain_attributes=_only(all_attributes, table.can_stand_before),
        attributes=_only(all_attributes, lambda word: not table.can_stand_before(word)),
        all_attributes=all_attributes,
        doing=_only(all_attributes, lambda word: word in table.doing),
        plain_relations=_only(all_relations, lambda relation: relation in SAME or table.can_be_chosen(relation)),
        all_relations=all_relations,
    )


def _phrases(*tables: Mapping[str, str]) -> Phrases:
    """The phrases of some tables; an earlier table decides about a phrase of several."""
    meanings: dict[tuple[str, ...], str] = {}
    for table in tables:
        for phrase, meaning in table.items():
            meanings.setdefault(tuple(phrase.lower().split()), meaning)
    return _with_lengths(meanings)


def _with_lengths(meanings: Mapping[tuple[str, ...], str]) -> Phrases:
    longest: dict[str, int] = {}
    for words in meanings:
        if words:
            longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return Phrases(meanings, longest)


def _only(phrases: Phrases, fits: Callable[[str], bool]) -> Phrases:
    """Return the phrases that mean a word that fits."""
    return _with_lengths({words: meaning for words, meaning in phrases.meanings.items() if fits(meaning)})


def _other_numbers(name: str) -> tuple[str, ...]:
    """Return the name in the plural and, as carelessly as the released files do it, in the singular."""
    plurals = [f"{name}s", f"{name}es"]
    for ending, plural in (("f", "ves"), ("fe", "ves"), ("y", "ies")):
        if name.endswith(ending):
            plurals.append(name.removesuffix(ending) + plural)
    if name.endswith("s") and len(name) > 3:
        plurals.append(name)
    return tuple(dict.fromkeys((*plurals, *(plural[:-1] for plural in plurals))))


def _rank(word: str) -> int:
    """The number that a rank word says; 0 for other words."""
    if word in RANKS:
        return RANKS.index(word) + 1
    figures = re.fullmatch(r"([1-9]\d{0,3})(st|nd|rd|th)", word)
    return int(figures[1]) if figures else 0


def _complaint(tokens: list[str], at: int, expected: tuple[str, ...]) -> ParseError:
    word = tokens[at] if at < len(tokens) else ""
    word = word if len(word) <= MAX_LETTERS else word[: MAX_LETTERS - 1] + "…"
    return ParseError(text=" ".join(tokens), word=word, position=at + 1, expected=expected)
