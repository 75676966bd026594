"""Co-occurrences in a corpus of scene graphs: names with their attributes, and the relations between names."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.worlds.photos._index import GraphIndex
    from deixis.worlds.photos.engine._facts import Facts
    from deixis.worlds.photos.scene.graph_table import GraphTable


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
