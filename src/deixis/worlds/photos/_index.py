"""Index of a corpus of scene graphs: scenes by category, objects by category and attribute.

    scenes with a category          postings, with how many objects of it each scene has
    objects with a category and an attribute    postings
    categories of a scene           one bit per category, for the most frequent ones

All of it is a few arrays, saved beside the table and mapped into memory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import BrokenDataset
from deixis.expression.steps import Is, Not, Nth, Related
from deixis.scene._array_folder import check_codes, check_pointers, read_arrays, write_arrays
from deixis.worlds.photos._misreadings import noun_of
from deixis.worlds.photos.scene.vocabulary import NAME


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path
    from typing import Self

    from deixis.expression.description import Expression
    from deixis.worlds.photos.scene.graph_table import GraphTable
    from deixis.worlds.photos.scene.vocabulary import Vocabulary

KIND = "index of scene graphs"
MOST_IN_BITS = 2048  # categories that have a bit; rarer ones are looked up in the postings
ARRAYS = {
    "scene_start": ("<i8", 1),
    "scene": ("<i4", 1),
    "times": ("<i4", 1),
    "pair": ("<i8", 1),
    "object_start": ("<i8", 1),
    "object": ("<i4", 1),
    "bits": ("<u8", 2),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphIndex:
    """Postings and bit sets of one table, by the codes of its vocabulary.

    Shapes:
        scene_start: int64 [name + 1]; scene, times: int32 [posting], by name, scenes ascending.
        pair: int64 [pair], name * words + word, ascending; object_start: int64 [pair + 1]; object: int32 [posting].
        bits: uint64 [scene, word], one bit per name, for the first `64 * words` names.
    """

    words: int  # how many attribute words the vocabulary has
    scenes: int
    scene_start: np.ndarray
    scene: np.ndarray
    times: np.ndarray
    pair: np.ndarray
    object_start: np.ndarray
    object: np.ndarray
    bits: np.ndarray

    @classmethod
    def of(cls, table: GraphTable) -> Self:
        """Return the index of a table."""
        names, words = len(table.vocabulary.names), len(table.vocabulary.words)
        key, times = np.unique(table.name.astype(np.int64) * len(table) + table.scene_of, return_counts=True)
        name, scene = np.divmod(key, max(len(table), 1))
        owner = np.repeat(np.arange(table.object_count), np.diff(table.attr_ptr))
        said = table.name[owner].astype(np.int64) * words + table.attr
        order = np.argsort(said, kind="stable")
        pair, object_start = np.unique(said[order], return_index=True)
        bits = np.zeros((len(table), -(-min(names, MOST_IN_BITS) // 64)), np.uint64)
        frequent = name < 64 * bits.shape[1]
        np.bitwise_or.at(
            bits, (scene[frequent], name[frequent] >> 6), np.uint64(1) << (name[frequent] & 63).astype(np.uint64)
        )
        arrays = {
            "scene_start": np.searchsorted(name, np.arange(names + 1)),
            "scene": scene,
            "times": times,
            "pair": pair,
            "object_start": np.append(object_start, len(said)),
            "object": owner[order],
            "bits": bits,
        }
        return cls(words=words, scenes=len(table), **{key: _freeze(a, ARRAYS[key][0]) for key, a in arrays.items()})

    def scenes_with(self, name: int) -> np.ndarray:
        """Return the scenes that hold an object of a category, ascending, int32 [scene]."""
        return self.scene[self.scene_start[name] : self.scene_start[name + 1]]

    def times_in(self, name: int) -> np.ndarray:
        """Return the number of objects of the category in each of `scenes_with`, int32 [scene]."""
        return self.times[self.scene_start[name] : self.scene_start[name + 1]]

    def scenes_with_all(self, names: Iterable[int]) -> np.ndarray:
        """Return the scenes that hold objects of all these categories, ascending, int32 [scene]."""
        rarest_first = sorted(set(names), key=lambda name: int(self.scene_start[name + 1] - self.scene_start[name]))
        if not rarest_first:
            return np.arange(self.scenes, dtype=np.int32)
        found = self.scenes_with(rarest_first[0])
        for name in rarest_first[1:]:
            found = found[self.has(found, name)]
        return found

    def has(self, scenes: np.ndarray, name: int) -> np.ndarray:
        """Return for each scene whether it holds an object of a category, bool [scene]."""
        scenes = np.asarray(scenes)
        if name < 64 * self.bits.shape[1]:
            held: np.ndarray = (self.bits[scenes, name >> 6] >> np.uint64(name & 63)) & np.uint64(1) != 0
            return held
        return np.isin(scenes, self.scenes_with(name))

    def objects_with(self, name: int, word: int) -> np.ndarray:
        """Return the objects of a category with an attribute, numbered over all scenes, ascending, int32 [object]."""
        wanted = name * self.words + word
        place = int(np.searchsorted(self.pair, wanted))
        if place == len(self.pair) or self.pair[place] != wanted:
            return self.object[:0]
        return self.object[self.object_start[place] : self.object_start[place + 1]]

    def save(self, folder: Path | str) -> None:
        """Write the index to a folder, from which `load` maps it into memory."""
        facts = {"words": self.words, "scenes": self.scenes}
        write_arrays(folder, KIND, {name: getattr(self, name) for name in ARRAYS}, facts)

    @classmethod
    def load(cls, folder: Path | str, table: GraphTable) -> Self:
        """Load the index of a table, mapped into memory, or raise `BrokenDataset` if damaged or of another table."""
        arrays, facts = read_arrays(folder, KIND, ARRAYS)
        names, words = len(table.vocabulary.names), len(table.vocabulary.words)
        if facts != {"words": words, "scenes": len(table)} or len(arrays["bits"]) != len(table):
            raise BrokenDataset(f"{folder} is the index of another table; make it anew")
        postings, pairs = len(arrays["scene"]), len(arrays["pair"])
        check_pointers(folder, "scene_start", arrays["scene_start"], rows=names, end=postings)
        check_pointers(folder, "object_start", arrays["object_start"], rows=pairs, end=len(arrays["object"]))
        check_codes(folder, "scene", arrays["scene"], len(table))
        check_codes(folder, "object", arrays["object"], table.object_count)
        if len(arrays["times"]) != postings:
            raise BrokenDataset(f"{folder}: times has {len(arrays['times'])} entries, not {postings}")
        return cls(words=words, scenes=len(table), **arrays)


def _freeze(array: np.ndarray, dtype: str) -> np.ndarray:
    array = np.ascontiguousarray(array, dtype)
    array.setflags(write=False)
    return array


class Requirements(NamedTuple):
    """Requirements of an expression on an image, as codes of the vocabulary.

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


def requirements_of(expression: Expression, vocabulary: Vocabulary) -> Requirements:
    """Return the requirements of an expression on an image."""
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
    return Requirements(name, tuple(sorted(set(words))), tuple(sorted(set(denied))), tuple(sorted(set(near))), names)


class Pool(NamedTuple):
    """Scenes to choose from, ascending.

    Where an object is the reason, it is counted within its scene.
    """

    scenes: np.ndarray
    objects: np.ndarray | None = None


@dataclass(eq=False)
class Pools:
    """The pools of one corpus, each looked up once.

    Attributes:
        among: bool [scene], the scenes that may be chosen; all where it is None.
    """

    table: GraphTable
    index: GraphIndex
    among: np.ndarray | None = None
    _known: dict[object, Pool] = field(default_factory=dict, repr=False)

    def everything(self) -> Pool:
        """Return all scenes that may be chosen."""
        return self._keep("everything", lambda: Pool(self._keep_allowed(np.arange(len(self.table), dtype=np.int32))))

    def with_category(self, what: Requirements) -> Pool:
        """Return scenes with something of the category of the target.

        Where the target is said not to have an attribute, only scenes in which something of the category has it; where
        it is said not to be related to something, only scenes that hold such a thing. In all others the expression
        would be true.
        """
        if what.denied:
            return self._with_words(what.name, what.denied, every=False)
        key = ("category", what.name, what.near)
        return self._keep(key, lambda: Pool(self._keep_allowed(self.index.scenes_with_all((what.name, *what.near)))))

    def with_attributes(self, what: Requirements, annotated: tuple[int, ...], *, only_annotated: bool = False) -> Pool:
        """Return scenes with something of the category that has all attributes that are said.

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

    def with_categories(self, what: Requirements) -> Pool:
        """Return scenes with everything that is mentioned, each as often as it is mentioned."""
        return self._keep(("categories", what.names), lambda: Pool(self._keep_allowed(self._holding(what.names))))

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

    def _keep_allowed(self, scenes: np.ndarray) -> np.ndarray:
        return scenes if self.among is None else scenes[self.among[scenes]]

    def _keep(self, key: object, make: Callable[[], Pool]) -> Pool:
        pool = self._known.get(key)
        if pool is None:
            pool = self._known[key] = make()
        return pool


def _nouns(expression: Expression) -> Iterator[str]:
    return (noun for mention in expression.mentions() if (noun := mention.value(NAME)) is not None)
