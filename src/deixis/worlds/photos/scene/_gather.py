"""Collection of scene graphs into the columns of a table, in one pass.

Words are numbered as they come and renumbered by frequency at the end, so that the order of the graphs in a file
decides ties only.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from deixis.errors import SchemaError
from deixis.worlds.photos.scene.vocabulary import OTHER, RARE, SAME, TYPE_OF, TYPES, Vocabulary


if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from deixis.worlds.photos.scene.graph import SceneGraph


@dataclass(frozen=True, eq=False)
class Texts(Sequence[str]):
    """Texts as their bytes, one after the other, and where each begins.

    Shapes:
        ptr: int64 [text + 1]; data: uint8 [byte], UTF-8.
    """

    ptr: np.ndarray
    data: np.ndarray

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Return the texts in this form, with a question mark for characters that UTF-8 cannot hold."""
        pieces = [text.encode("utf-8", "replace") for text in texts]
        ptr = np.zeros(len(pieces) + 1, np.int64)
        np.cumsum([len(piece) for piece in pieces], out=ptr[1:])
        data = np.frombuffer(b"".join(pieces), np.uint8)
        ptr.setflags(write=False)
        return cls(ptr, data)

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} texts, got {index}")
        index %= len(self)
        return self.data[self.ptr[index] : self.ptr[index + 1]].tobytes().decode("utf-8", "replace")


class TableColumns(NamedTuple):
    """All columns of a table."""

    vocabulary: Vocabulary
    columns: dict[str, np.ndarray]
    image_ids: list[str]
    object_ids: list[str]
    raw_names: tuple[str, ...]
    locations: tuple[str, ...]
    weathers: tuple[str, ...]
    left_out: dict[str, int]


class TableBuilder:
    """The columns of a table while graphs come in."""

    def __init__(self) -> None:
        self._names, self._words, self._relations = _Codes(), _Codes(), _Codes()
        self._raw_names, self._locations, self._weathers = _Codes(), _Codes(), _Codes()
        self._scene_ptr, self._attr_ptr, self._edge_ptr = array("q", [0]), array("q", [0]), array("q", [0])
        self._name, self._raw_name, self._attr = array("i"), array("i"), array("i")
        self._relation, self._target = array("i"), array("i")
        self._per_scene = array("i")  # width, height, location, weather of each scene
        self._box = array("f")
        self._image_ids: list[str] = []
        self._object_ids: list[str] = []

    def add(self, graph: SceneGraph) -> None:
        """Add one graph, whose links must lead to objects that it has."""
        number = {thing.id: index for index, thing in enumerate(graph.objects)}
        for thing in graph.objects:
            self._name.append(self._names[thing.name])
            self._raw_name.append(self._raw_names[thing.raw_name or thing.name])
            self._box.extend(thing.box)
            if thing.attributes:
                self._attr.extend({self._words[word]: None for word in thing.attributes})
            self._attr_ptr.append(len(self._attr))
            try:
                self._target.extend([number[link.object_id] for link in thing.relations])
            except KeyError as error:
                what = f"object {thing.id!r} of image {graph.image_id!r} is related to {error}, which is missing"
                raise SchemaError(f"{what}; clean the graph first") from None
            self._relation.extend([self._relations[link.relation] for link in thing.relations])
            self._edge_ptr.append(len(self._relation))
        self._scene_ptr.append(len(self._name))
        self._image_ids.append(graph.image_id)
        self._object_ids.extend(number)
        places = self._locations[graph.location], self._weathers[graph.weather]
        self._per_scene.extend((graph.width, graph.height, *places))

    def finish(self, most: int) -> TableColumns:
        """Return the columns, with the `most` most frequent words of each kind."""
        names, name_code = _by_frequency(self._names, self._name, most)
        words, word_code = _by_frequency(self._words, self._attr, most, by_type=True)
        relations, relation_code = _by_frequency(self._relations, self._relation, most - len(SAME))
        name = name_code[_ints(self._name)]
        attr, attr_ptr = _without_rare(word_code[_ints(self._attr)], self._attr_ptr)
        relation = relation_code[_ints(self._relation)]
        target = _ints(self._target)[relation >= 0]
        left_out = {
            "names": int((name < 0).sum()),
            "attributes": len(self._attr) - len(attr),
            "relations": int((relation < 0).sum()),
        }
        if left_out["names"]:
            names = (*names[:-1], RARE)
            name = np.where((name < 0) | (name == len(names) - 1), len(names) - 1, name)
        relation, edge_ptr = _without_rare(relation, self._edge_ptr)
        per_scene = _ints(self._per_scene).reshape(-1, 4)
        columns = {
            "scene_ptr": np.array(self._scene_ptr, np.int64),
            "name": name,
            "raw_name": _ints(self._raw_name),
            "box": np.array(self._box, np.float32).reshape(-1, 4),
            "attr_ptr": attr_ptr,
            "attr": _ascending_within(attr, attr_ptr),
            "edge_ptr": edge_ptr,
            "relation": relation,
            "target": target,
            **{key: per_scene[:, k] for k, key in enumerate(("width", "height", "location", "weather"))},
        }
        return TableColumns(
            vocabulary=Vocabulary(names=names, words=words, relations=relations),
            columns=columns,
            image_ids=self._image_ids,
            object_ids=self._object_ids,
            raw_names=tuple(self._raw_names),
            locations=tuple(self._locations),
            weathers=tuple(self._weathers),
            left_out={kind: count for kind, count in left_out.items() if count},
        )


class _Codes(dict[str, int]):
    """Numbers words as they come."""

    def __missing__(self, word: str) -> int:
        code = self[word] = len(self)
        return code


def _ints(values: array[int]) -> np.ndarray:
    return np.array(values, np.int32)


def _by_frequency(
    codes: _Codes, used: array[int], most: int, *, by_type: bool = False
) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the most frequent words, and the new code of every old one, -1 for those that are not among them."""
    words = list(codes)
    often = np.bincount(_ints(used), minlength=len(words))
    order = np.argsort(-often, kind="stable")[:most]
    if by_type:
        kind = np.array([TYPES.index(TYPE_OF.get(words[code], OTHER)) for code in order.tolist()], np.int64)
        order = order[np.argsort(kind, kind="stable")]
    new = np.full(len(words), -1, np.int32)
    new[order] = np.arange(len(order), dtype=np.int32)
    return tuple(words[code] for code in order.tolist()), new


def _without_rare(codes: np.ndarray, pointers: array[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes that are not -1, and the pointers into them."""
    kept = np.zeros(len(codes) + 1, np.int64)
    np.cumsum(codes >= 0, out=kept[1:])
    return codes[codes >= 0], kept[np.array(pointers, np.int64)]


def _ascending_within(codes: np.ndarray, pointers: np.ndarray) -> np.ndarray:
    """Return the codes sorted within each stretch between two pointers."""
    owner = np.repeat(np.arange(len(pointers) - 1), np.diff(pointers))
    return codes[np.lexsort((codes, owner))]
