"""Other words for names and attributes: a short list that is right in every photograph, or WordNet from its files.

A first sense of WordNet is not safe: it calls a table a tabular array and a plate a home base. So the list is curated,
and from WordNet only the synonyms in the sense that a table of ours gives to a name are taken. A word that the corpus
itself uses is never a synonym: it would name another category.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from deixis.language.copsref.words import words_of_photographs
from deixis.worlds.graphs.wordnet import read_synonyms


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Self

    from deixis.scene.vocabulary import Vocabulary
    from deixis.worlds.graphs.engine.choose import Chooser
    from deixis.worlds.graphs.engine.tree import Tree


__all__ = ["Synonyms"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Synonyms:
    """For names and attributes, the other words that may be said."""

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, vocabulary: Vocabulary, *, wordnet: Path | str | None = None) -> Self:
        """The synonyms for a vocabulary, from the curated list and, where a folder is named, from WordNet."""
        known = words_of_photographs()
        names = dict(known.name_synonyms)
        if wordnet is not None:
            for name, others in read_synonyms(wordnet, vocabulary.names).items():
                names[name] = tuple(dict.fromkeys((*names.get(name, ()), *others)))
        return cls(
            names=_free(names, vocabulary.name_codes, known.said_names),
            attributes=_free(known.attribute_synonyms, vocabulary.word_codes, known.said_attributes),
        )

    @cached_property
    def as_read(self) -> tuple[tuple[str, str], ...]:
        """The other words for names, each as (word, name), as `parse_reference` takes them."""
        return tuple((other, name) for name, others in self.names.items() for other in others)

    def drawn_for(self, tree: Tree, chooser: Chooser) -> dict[str, str]:
        """Other words for one of the names or attributes of a tree."""
        said = [(node.name, self.names) for node in tree.nodes]
        said += [(word, self.attributes) for node in tree.nodes for word in (*node.attributes, *node.denied)]
        options = [(word, table[word]) for word, table in said if word in table]
        if not options:
            return {}
        word, others = chooser.stream.choice(options)
        return {word: chooser.stream.choice(others)}


def _free(
    synonyms: Mapping[str, tuple[str, ...]], used: Mapping[str, int], said: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """The synonyms that are no words of the corpus, nor another way to say one, and that only one word has."""
    taken = {*used, *(said[word] for word in used if word in said)}
    owners: dict[str, int] = {}
    for word in synonyms.keys() & used.keys():
        for other in synonyms[word]:
            owners[other] = owners.get(other, 0) + 1
    free = {
        word: tuple(other for other in others if other not in taken and owners.get(other) == 1)
        for word, others in synonyms.items()
        if word in used
    }
    return {word: others for word, others in free.items() if others}
