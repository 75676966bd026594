"""The role of each word of an expression: it names a thing, describes the thing, or relates it to another.

A word is first looked up among what its own expression says, so that 'light' is a noun in one text and an attribute in
another; then among all names, attributes and relations of the corpus. Longer phrases win: 'to the left of' relates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.worlds.photos.language._words import words_of_photographs
from deixis.worlds.photos.scene.vocabulary import NAME, SAME


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self

    from deixis.worlds.photos.scene.vocabulary import Vocabulary


OTHER, NOUN, ATTRIBUTE, RELATION = range(4)


@dataclass(frozen=True)
class Phrases:
    """Phrases with their roles.

    Attributes:
        roles: by the words of a phrase.
        longest: how many words the longest phrase has that begins with a word.
    """

    roles: Mapping[tuple[str, ...], int]
    longest: Mapping[str, int]

    @classmethod
    def of(cls, roles: Mapping[tuple[str, ...], int]) -> Self:
        """Return phrases with their roles, without empty ones."""
        longest: dict[str, int] = {}
        for words in roles:
            if words:
                longest[words[0]] = max(longest.get(words[0], 0), len(words))
        return cls(roles, longest)


def known_phrases(vocabulary: Vocabulary) -> Phrases:
    """Return the phrases of a corpus, other words for them included."""
    table = words_of_photographs()
    relations = [(*vocabulary.relations, *SAME), *([verb.third, verb.base] for verb in table.verbs.values())]
    attributes = [vocabulary.words, table.said_attributes.values(), *table.attribute_synonyms.values()]
    names = [vocabulary.names, table.said_names.values(), *table.name_synonyms.values()]
    roles: dict[tuple[str, ...], int] = {}
    for role, lists in ((RELATION, relations), (ATTRIBUTE, attributes), (NOUN, names)):
        roles.update((tuple(text.lower().split()), role) for texts in lists for text in texts)
    return Phrases.of(roles)


def said_in(steps: object, depth: int = 0) -> Iterator[tuple[str, int]]:
    """Return the phrases of an expression with their roles, from its plain values (`expression.plain`).

    Other values have no phrases.
    """
    if not isinstance(steps, list) or depth > 32:
        return
    for step in steps:
        if not isinstance(step, dict):
            continue
        match step:
            case {"is": [str(attribute), str(value)]}:
                yield value, NOUN if attribute == NAME else ATTRIBUTE
            case {"related": str(relation), "to": to}:
                yield relation, RELATION
                yield from said_in(to, depth + 1)
            case {"not": inner}:
                yield from said_in([inner], depth + 1)
            case {"any of": inner}:
                yield from said_in(inner, depth + 1)


def roles_in(words: Sequence[str], steps: object, phrases: Phrases) -> list[int]:
    """Return the role of every word.

    Args:
        words: in lower case.
        steps: what they mean, as plain values; None where nobody knows.
        phrases: of the corpus.
    """
    own = Phrases.of({tuple(text.lower().split()): role for text, role in said_in(steps)})
    roles = [OTHER] * len(words)
    place, end = 0, len(words)
    while place < end:
        word = words[place]
        for length in range(max(own.longest.get(word, 0), phrases.longest.get(word, 0)), 0, -1):
            phrase = tuple(words[place : place + length])
            role = own.roles.get(phrase) or phrases.roles.get(phrase)
            if role:
                roles[place : place + length] = [role] * len(phrase)
                place += len(phrase)
                break
        else:
            place += 1
    return roles
