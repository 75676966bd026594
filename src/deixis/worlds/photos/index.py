"""Where to find things in a corpus of scene graphs: scenes by category, objects by category and attribute.

    scenes with a category          postings, with how many objects of it each scene has
    objects with a category and an attribute    postings
    categories of a scene           one bit per category, for the most frequent ones

All of it is a few arrays, saved beside the table and mapped into memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from deixis.errors import BrokenDataset
from deixis.scene.array_folder import check_codes, check_pointers, read_arrays, write_arrays


if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Self

    from deixis.scene.graph_table import GraphTable


__all__ = ["GraphIndex"]

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
    """Postings and bit sets of one table; codes are those of its vocabulary.

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
        """The index of a table."""
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
        return cls(words=words, scenes=len(table), **{key: _frozen(a, ARRAYS[key][0]) for key, a in arrays.items()})

    def scenes_with(self, name: int) -> np.ndarray:
        """The scenes that hold an object of a category, ascending, int32 [scene]."""
        return self.scene[self.scene_start[name] : self.scene_start[name + 1]]

    def times_in(self, name: int) -> np.ndarray:
        """How many objects of the category each of `scenes_with` holds, int32 [scene]."""
        return self.times[self.scene_start[name] : self.scene_start[name + 1]]

    def scenes_with_all(self, names: Iterable[int]) -> np.ndarray:
        """The scenes that hold objects of all these categories, ascending, int32 [scene]."""
        rarest_first = sorted(set(names), key=lambda name: int(self.scene_start[name + 1] - self.scene_start[name]))
        if not rarest_first:
            return np.arange(self.scenes, dtype=np.int32)
        found = self.scenes_with(rarest_first[0])
        for name in rarest_first[1:]:
            found = found[self.has(found, name)]
        return found

    def has(self, scenes: np.ndarray, name: int) -> np.ndarray:
        """Whether scenes hold an object of a category, bool [scene]."""
        scenes = np.asarray(scenes)
        if name < 64 * self.bits.shape[1]:
            held: np.ndarray = (self.bits[scenes, name >> 6] >> np.uint64(name & 63)) & np.uint64(1) != 0
            return held
        return np.isin(scenes, self.scenes_with(name))

    def objects_with(self, name: int, word: int) -> np.ndarray:
        """The objects of a category that have an attribute, numbered over all scenes, ascending, int32 [object]."""
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
        """The index of a table, mapped into memory; `BrokenDataset` when it is damaged or belongs to another table."""
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


def _frozen(array: np.ndarray, dtype: str) -> np.ndarray:
    array = np.ascontiguousarray(array, dtype)
    array.setflags(write=False)
    return array
