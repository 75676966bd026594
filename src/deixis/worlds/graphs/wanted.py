"""Which images could serve as distractors for an expression: pools of scenes, read off the index."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.expression.steps import Is, Not, Nth, Related
from deixis.scene.vocabulary import NAME
from deixis.worlds.graphs.misreadings import noun_of


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deixis.expression.description import Expression
    from deixis.scene.graph_table import GraphTable
    from deixis.scene.vocabulary import Vocabulary
    from deixis.worlds.graphs.index import GraphIndex


__all__ = ["Pool", "Pools", "Wanted", "wanted"]


class Wanted(NamedTuple):
    """What an expression asks of an image, as codes of the vocabulary.

    Attributes:
        name: the category of the target.
        words: the attributes said of the target.
        denied: the attributes it is said not to have.
        near: the categories to which it is said not to be related.
        names: every category that is mentioned, with how many objects of it are needed, sorted.
    """

    name: int
    words: tuple[int, ...]
    denied: tuple[int, ...]
    near: tuple[int, ...]
    names: tuple[tuple[int, int], ...]


def wanted(expression: Expression, vocabulary: Vocabulary) -> Wanted:
    """What an expression asks of an image."""
    name = vocabulary.name_code(noun_of(expression))
    words: list[int] = []
    denied: list[int] = []
    near: list[int] = []
    least: Counter[int] = Counter()
    for step in expression.steps:
        match step:
            case Is(attribute, value) if attribute != NAME:
                words.append(vocabulary.word_code(value))
            case Not(Is(attribute, value)) if attribute != NAME:
                denied.append(vocabulary.word_code(value))
            case Not(Related(_, to)):
                near.extend(vocabulary.name_code(said) for said in [to.value(NAME)] if said is not None)
            case Nth(index, _):
                least[name] = max(index, 2)  # one object alone is neither first nor last
    said = Counter(vocabulary.name_code(noun) for noun in _nouns(expression))
    names = tuple(sorted((said | least).items()))
    return Wanted(name, tuple(sorted(set(words))), tuple(sorted(set(denied))), tuple(sorted(set(near))), names)


class Pool(NamedTuple):
    """Scenes to choose from, ascending; where an object is the reason, which one, counted within its scene."""

    scenes: np.ndarray
    objects: np.ndarray | None = None


@dataclass(eq=False)
class Pools:
    """The pools of one corpus; each is looked up once.

    Attributes:
        among: bool [scene], the scenes that may be chosen; all where it is None.
    """

    table: GraphTable
    index: GraphIndex
    among: np.ndarray | None = None
    _known: dict[object, Pool] = field(default_factory=dict, repr=False)

    def everything(self) -> Pool:
        """All scenes that may be chosen."""
        return self._keep("everything", lambda: Pool(self._allowed(np.arange(len(self.table), dtype=np.int32))))

    def with_category(self, what: Wanted) -> Pool:
        """Scenes with something of the category of the target.

        Where the target is said not to have an attribute, only scenes in which something of the category has it; where
        it is said not to be related to something, only scenes that hold such a thing. In all others the expression
        would be true.
        """
        if what.denied:
            return self._with_words(what.name, what.denied, every=False)
        key = ("category", what.name, what.near)
        return self._keep(key, lambda: Pool(self._allowed(self.index.scenes_with_all((what.name, *what.near)))))

    def with_attributes(self, what: Wanted, annotated: tuple[int, ...], *, only_annotated: bool = False) -> Pool:
        """Scenes with something of the category that has all attributes that are said.

        Args:
            what: is asked for.
            annotated: the attributes that the target has. Where none is said, one of them is enough.
            only_annotated: whether something that has all of these is wanted, whatever is said.
        """
        if only_annotated and annotated:
            return self._with_words(what.name, annotated, every=True)
        if what.words or what.denied:
            return self._with_words(what.name, what.words or what.denied, every=True)
        return self._with_words(what.name, annotated, every=False) if annotated else self.with_category(what)

    def with_categories(self, what: Wanted) -> Pool:
        """Scenes with everything that is mentioned, each as often as it is mentioned."""
        return self._keep(("categories", what.names), lambda: Pool(self._allowed(self._holding(what.names))))

    def _holding(self, names: tuple[tuple[int, int], ...]) -> np.ndarray:
        scenes = self.index.scenes_with_all(name for name, _ in names)
        for name, least in names:
            if least > 1:
                where = np.searchsorted(self.index.scenes_with(name), scenes)
                scenes = scenes[self.index.times_in(name)[where] >= least]
        return scenes

    def _with_words(self, name: int, words: tuple[int, ...], *, every: bool) -> Pool:
        return self._keep(("words", name, words, every), lambda: self._objects(name, words, every=every))

    def _objects(self, name: int, words: tuple[int, ...], *, every: bool) -> Pool:
        postings = sorted((self.index.objects_with(name, word) for word in words), key=len)
        found = postings[0] if every else np.unique(np.concatenate(postings))
        for more in postings[1:] if every else ():
            found = found[np.isin(found, more, assume_unique=True)]
        scenes, first = np.unique(self.table.scene_of[found], return_index=True)
        objects = found[first] - self.table.scene_ptr[scenes]
        if self.among is not None:
            scenes, objects = scenes[self.among[scenes]], objects[self.among[scenes]]
        return Pool(scenes, objects)

    def _allowed(self, scenes: np.ndarray) -> np.ndarray:
        return scenes if self.among is None else scenes[self.among[scenes]]

    def _keep(self, key: object, make: Callable[[], Pool]) -> Pool:
        pool = self._known.get(key)
        if pool is None:
            pool = self._known[key] = make()
        return pool


def _nouns(expression: Expression) -> Iterator[str]:
    return (noun for mention in expression.mentions() if (noun := mention.value(NAME)) is not None)
