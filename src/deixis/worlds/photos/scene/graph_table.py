"""A whole corpus of scene graphs as a few long arrays: all objects one after the other, cut into scenes by pointers.

    scene_ptr   int64 [scene + 1]     the objects of scene s are scene_ptr[s] to scene_ptr[s + 1]
    name        int32 [object]        code of its category
    raw_name    int32 [object]        place in `raw_names` of what the file calls it
    box         float32 [object, 4]   x, y, width, height
    attr_ptr    int64 [object + 1]
    attr        int32 [mention]       codes of attribute words, ascending within an object
    edge_ptr    int64 [object + 1]
    relation    int32 [edge]          code of the relation
    target      int32 [edge]          to which object of the same scene, counted within the scene
    width, height, location, weather  int32 [scene]

GQA (75,000 images) takes about 80 MB. A table is built in one pass, saved to a folder, and mapped back into memory.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.errors import BrokenDataset, SchemaError, UnknownName
from deixis.scene._array_folder import check_codes, check_pointers, read_arrays, write_arrays
from deixis.worlds.photos.scene._gather import TableBuilder, Texts
from deixis.worlds.photos.scene.graph import Box, GraphScene
from deixis.worlds.photos.scene.vocabulary import MOST_WORDS, Vocabulary


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import Self

    from deixis.worlds.photos.scene.graph import SceneGraph


__all__ = ["GraphTable"]

KIND = "scene graphs"
COLUMNS = {
    "scene_ptr": ("<i8", 1),
    "name": ("<i4", 1),
    "raw_name": ("<i4", 1),
    "box": ("<f4", 2),
    "attr_ptr": ("<i8", 1),
    "attr": ("<i4", 1),
    "edge_ptr": ("<i8", 1),
    "relation": ("<i4", 1),
    "target": ("<i4", 1),
    "width": ("<i4", 1),
    "height": ("<i4", 1),
    "location": ("<i4", 1),
    "weather": ("<i4", 1),
}
IDS = ("image_ids", "object_ids")


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphTable:
    """Many scene graphs of one vocabulary, in the read-only arrays described above.

    Attributes:
        raw_names, locations, weathers: the texts that the codes of the columns of similar name stand for.
        left_out: how many names, attributes and relations were too rare for the vocabulary, by kind.
    """

    vocabulary: Vocabulary
    scene_ptr: np.ndarray
    name: np.ndarray
    raw_name: np.ndarray
    box: np.ndarray
    attr_ptr: np.ndarray
    attr: np.ndarray
    edge_ptr: np.ndarray
    relation: np.ndarray
    target: np.ndarray
    width: np.ndarray
    height: np.ndarray
    location: np.ndarray
    weather: np.ndarray
    image_ids: Texts
    object_ids: Texts
    raw_names: tuple[str, ...]
    locations: tuple[str, ...]
    weathers: tuple[str, ...]
    left_out: Mapping[str, int]

    @classmethod
    def of(cls, graphs: Iterable[SceneGraph], *, most_words: int = MOST_WORDS) -> Self:
        """Return the table of some graphs, read once, with words numbered by frequency.

        Args:
            graphs: each clean (`worlds.photos.clean_graph`), that is without links to missing objects.
            most_words: how many names, attribute words and relations are kept. Objects with a rarer name are called
                `(rare)`, rarer attributes and relations are left out; `left_out` counts them.
        """
        gathering = TableBuilder()
        for graph in graphs:
            gathering.add(graph)
        gathered = gathering.finish(min(most_words, MOST_WORDS))
        return cls(
            vocabulary=gathered.vocabulary,
            **{name: _freeze(column, COLUMNS[name][0]) for name, column in gathered.columns.items()},
            image_ids=Texts.of(gathered.image_ids),
            object_ids=Texts.of(gathered.object_ids),
            raw_names=gathered.raw_names,
            locations=gathered.locations,
            weathers=gathered.weathers,
            left_out=gathered.left_out,
        )

    def __len__(self) -> int:
        return len(self.scene_ptr) - 1

    @property
    def object_count(self) -> int:
        """Number of objects in all scenes."""
        return len(self.name)

    @property
    def edge_count(self) -> int:
        """Number of recorded relations in all scenes."""
        return len(self.relation)

    @cached_property
    def scene_of(self) -> np.ndarray:
        """The scene of every object, int32 [object]."""
        return _freeze(np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.scene_ptr)))

    @cached_property
    def name_counts(self) -> np.ndarray:
        """Number of objects with each name, int64 [name]."""
        return np.bincount(self.name, minlength=len(self.vocabulary.names))

    @cached_property
    def word_counts(self) -> np.ndarray:
        """Number of objects with each attribute, int64 [word]."""
        return np.bincount(self.attr, minlength=len(self.vocabulary.words))

    @cached_property
    def relation_counts(self) -> np.ndarray:
        """Number of records of each relation, int64 [recorded relation]."""
        return np.bincount(self.relation, minlength=len(self.vocabulary.relations))

    def find(self, image_id: str) -> int:
        """Return the number of the scene of an image."""
        number = self._numbers.get(image_id)
        if number is None:
            raise UnknownName(f"no scene graph of an image {image_id!r} among {len(self):,}")
        return number

    def objects_of(self, scene: int) -> range:
        """Return the numbers of a scene's objects among those of all scenes."""
        if not 0 <= scene < len(self):
            raise SchemaError(f"there are {len(self):,} scenes, numbered from 0, got {scene}")
        return range(int(self.scene_ptr[scene]), int(self.scene_ptr[scene + 1]))

    def scene(self, number: int) -> GraphScene:
        """Return one scene, to read and to resolve expressions in."""
        here = self.objects_of(number)
        some = slice(here.start, here.stop)
        words = self.vocabulary
        attr_ptr, edge_ptr = (p[here.start : here.stop + 1].tolist() for p in (self.attr_ptr, self.edge_ptr))
        attr = self.attr[attr_ptr[0] : attr_ptr[-1]].tolist()
        edges = slice(edge_ptr[0], edge_ptr[-1])
        source = np.repeat(np.arange(len(here)), np.diff(self.edge_ptr[here.start : here.stop + 1])).tolist()
        relation, target = self.relation[edges].tolist(), self.target[edges].tolist()
        return GraphScene(
            vocabulary=words,
            names=tuple(words.names[code] for code in self.name[some].tolist()),
            words=tuple(
                frozenset(words.words[code] for code in attr[a - attr_ptr[0] : b - attr_ptr[0]])
                for a, b in pairwise(attr_ptr)
            ),
            links=frozenset(zip(map(words.relations.__getitem__, relation), source, target, strict=True)),
            boxes=tuple(Box(*box) for box in self.box[some].tolist()),
            width=int(self.width[number]),
            height=int(self.height[number]),
            image_id=self.image_ids[number],
            object_ids=self.object_ids[some],
            raw_names=tuple(self.raw_names[code] for code in self.raw_name[some].tolist()),
        )

    def save(self, folder: Path | str) -> None:
        """Write the table to a folder, from which `load` maps it into memory."""
        write_arrays(folder, KIND, self._arrays(), self._facts())

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Return the content of the table as names and bytes, independent of its source."""
        for name, array in self._arrays().items():
            yield name, np.ascontiguousarray(array).tobytes()
        yield "facts", json.dumps(self._facts(), sort_keys=True).encode()

    def _arrays(self) -> dict[str, np.ndarray]:
        arrays: dict[str, np.ndarray] = {name: getattr(self, name) for name in COLUMNS}
        for name in IDS:
            texts: Texts = getattr(self, name)
            arrays |= {f"{name}_ptr": texts.ptr, f"{name}_data": texts.data}
        return arrays

    def _facts(self) -> dict[str, Any]:
        return {
            "names": self.vocabulary.names,
            "words": self.vocabulary.words,
            "relations": self.vocabulary.relations,
            "raw_names": self.raw_names,
            "locations": self.locations,
            "weathers": self.weathers,
            "left_out": dict(self.left_out),
        }

    @classmethod
    def load(cls, folder: Path | str) -> Self:
        """Load the table of a folder, mapped into memory, or raise `BrokenDataset` when it is damaged."""
        wanted = COLUMNS | {f"{name}_ptr": ("<i8", 1) for name in IDS} | {f"{name}_data": ("|u1", 1) for name in IDS}
        arrays, facts = read_arrays(folder, KIND, wanted)
        lists = {name: _texts_in(folder, facts, name) for name in (*_WORD_LISTS, *_TEXT_LISTS)}
        try:
            vocabulary = Vocabulary(**{name: lists[name] for name in _WORD_LISTS})
        except SchemaError as error:
            raise BrokenDataset(f"{folder}: {error}") from error
        _check_columns(folder, arrays, lists)
        left_out = facts.get("left_out")
        columns: dict[str, Any] = {
            **{name: arrays[name] for name in COLUMNS},
            **{name: Texts(arrays[f"{name}_ptr"], arrays[f"{name}_data"]) for name in IDS},
            **{name: lists[name] for name in _TEXT_LISTS},
        }
        return cls(vocabulary=vocabulary, **columns, left_out=left_out if isinstance(left_out, dict) else {})

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {image_id: number for number, image_id in enumerate(self.image_ids)}


_WORD_LISTS = ("names", "words", "relations")
_TEXT_LISTS = ("raw_names", "locations", "weathers")


def _texts_in(folder: Path | str, facts: Mapping[str, Any], name: str) -> tuple[str, ...]:
    texts = facts.get(name)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BrokenDataset(f"{folder}: the manifest lacks its list of {name}")
    return tuple(texts)


def _check_columns(folder: Path | str, arrays: Mapping[str, np.ndarray], lists: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse a table whose columns do not fit each other or its vocabulary."""
    scenes, objects = max(len(arrays["scene_ptr"]) - 1, 0), len(arrays["name"])
    for column, rows, end in (
        ("scene_ptr", scenes, objects),
        ("attr_ptr", objects, len(arrays["attr"])),
        ("edge_ptr", objects, len(arrays["relation"])),
        ("image_ids_ptr", scenes, len(arrays["image_ids_data"])),
        ("object_ids_ptr", objects, len(arrays["object_ids_data"])),
    ):
        check_pointers(folder, column, arrays[column], rows=rows, end=end)
    for column, length in (
        ("raw_name", objects),
        ("box", objects),
        ("target", len(arrays["relation"])),
        *((column, scenes) for column in ("width", "height", "location", "weather")),
    ):
        if len(arrays[column]) != length:
            raise BrokenDataset(f"{folder}: {column} has {len(arrays[column])} entries, not {length}")
    if arrays["box"].shape[1] != 4:
        raise BrokenDataset(f"{folder}: a box has four numbers, not {arrays['box'].shape[1]}")
    for column, words in (
        ("name", "names"),
        ("attr", "words"),
        ("relation", "relations"),
        ("raw_name", "raw_names"),
        ("location", "locations"),
        ("weather", "weathers"),
    ):
        check_codes(folder, column, arrays[column], len(lists[words]))
    _check_targets(folder, arrays)


def _check_targets(folder: Path | str, arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse links that leave their scene."""
    per_scene = np.diff(arrays["scene_ptr"])
    allowed = np.repeat(np.repeat(per_scene, per_scene), np.diff(arrays["edge_ptr"]))
    if np.any((arrays["target"] < 0) | (arrays["target"] >= allowed)):
        raise BrokenDataset(f"{folder}: a relation leads to an object that its scene does not have")


def _freeze(column: np.ndarray, dtype: str | type = "") -> np.ndarray:
    column = np.ascontiguousarray(column, dtype or column.dtype)
    column.setflags(write=False)
    return column
