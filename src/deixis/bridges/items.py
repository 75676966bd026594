"""Rows as what models take: dictionaries of tensors and texts, and batches of them.

| kind | added to the columns |
|---|---|
| grid worlds | `grid` uint8 [row, column, 17], see `batches`; `actions` int64 [action], numbers of `ACTIONS` |
| `a3ds` | with pictures: `picture`, or `target_picture` and `distractor_picture`, uint8 [3, row, column] |
| `copsref` | with pictures: `pictures`, those of all images shown, the right one first, where they are kept |

Numbers become int64 or float32. An id of 64 bits does not fit and stays an integer of Python's.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from deixis.datasets.example_rows import RaggedColumn, columns_of, grids_of
from deixis.errors import BrokenDataset, DeixisError
from deixis.worlds.grid.actions import Action, plan_from_letters


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deixis.datasets.table import Table


__all__ = ["PADDING", "Item", "Maker", "collate", "picture_tensor"]

Item: TypeAlias = dict[str, Any]
PADDING = -1
ROOM_SIDE = 64
CODES = np.full(128, 255, np.int64)  # the number of the action that a letter stands for
for _action in Action:
    CODES[ord(_action.letter)] = _action


class Maker:
    """Turns rows into items or batches.

    Args:
        kind: of the dataset: `grid`, `a3ds` or `copsref`.
        pictures: whether pictures are wanted.
        find_picture: the bytes of the picture of an image, for `copsref`.
    """

    def __init__(
        self, kind: str, *, pictures: bool = False, find_picture: Callable[[str], bytes] | None = None
    ) -> None:
        self.kind, self.pictures, self.find_picture = kind, pictures, find_picture

    def items(self, table: Table) -> list[Item]:
        """The rows of a table, one by one."""
        columns = {
            name: column.split() if isinstance(column, RaggedColumn) else column
            for name, column in self._columns(table).items()
        }
        return [
            {name: _value(value) for name, value in zip(columns, row, strict=True)}
            for row in zip(*columns.values(), strict=True)
        ]

    def batch(self, table: Table) -> Item:
        """The rows of a table together: what `collate` makes of the items, without making them."""
        batch: Item = {}
        for name, column in self._columns(table).items():
            if isinstance(column, RaggedColumn):
                batch[name], batch[f"{name}_count"] = _padded(column)
            elif isinstance(column, np.ndarray) and column.dtype != np.uint64:
                batch[name] = _tensor(column)
            elif isinstance(column, np.ndarray):
                batch[name] = column.tolist()
            elif any(isinstance(value, (np.ndarray, Tensor)) for value in column[:1]):
                batch |= collate([{name: _value(value)} for value in column])
            else:
                batch[name] = column
        return batch

    def _columns(self, table: Table) -> dict[str, np.ndarray | RaggedColumn | list[Any]]:
        columns = columns_of(table)
        if self.kind == "grid" and {"plan", "grid_size", "shape"} <= columns.keys():
            columns["grid"] = grids_of(table)
            columns["actions"] = _actions(table.column("plan").to_pylist())
        if "picture" in columns:
            columns["picture"] = [picture_tensor(one["bytes"]) for one in table.column("picture").to_pylist()]
        if self.pictures and self.kind == "a3ds":
            columns |= _rooms(columns)
        if self.pictures and self.kind == "copsref" and self.find_picture is not None:
            columns["pictures"] = self._photographs(table)
        return columns

    def _photographs(self, table: Table) -> list[Any]:
        assert self.find_picture is not None
        shown = zip(table.column("image").to_pylist(), table.column("distractor_image").to_pylist(), strict=True)
        return [
            [picture_tensor(self.find_picture(image)) for image in dict.fromkeys((own, *rest))] for own, rest in shown
        ]


def _value(value: Any) -> Any:
    """A value as a tensor where it is a number or numbers."""
    if isinstance(value, np.uint64):  # digests
        return int(value)
    return _tensor(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value


def _tensor(values: np.ndarray) -> Tensor:
    if values.dtype == np.uint8 and values.ndim >= 3:  # pictures and grids stay bytes
        return torch.from_numpy(np.array(values))
    return torch.from_numpy(values.astype(np.float32 if np.issubdtype(values.dtype, np.floating) else np.int64))


def _padded(column: RaggedColumn) -> tuple[Tensor, Tensor]:
    """The numbers of every row filled up to the longest, and how many each has."""
    counts = np.diff(column.starts)
    is_number = np.issubdtype(column.values.dtype, np.floating)
    filled = np.full((len(counts), counts.max(initial=0)), PADDING, np.float32 if is_number else np.int64)
    filled[np.arange(filled.shape[1]) < counts[:, None]] = column.values
    return torch.from_numpy(filled), torch.from_numpy(counts)


def _actions(plans: list[str]) -> RaggedColumn:
    """The actions of some plans."""
    codes = CODES[np.frombuffer("".join(plans).encode("utf-32-le"), np.uint32) & 127]
    if (len(codes) and codes.max() > max(Action)) or not "".join(plans).isascii():
        for plan in plans:
            plan_from_letters(plan)  # raises, saying what is wrong
    return RaggedColumn(codes, np.concatenate([[0], np.cumsum([len(plan) for plan in plans])]).astype(np.int64))


def _rooms(columns: Mapping[str, Any]) -> dict[str, np.ndarray | RaggedColumn | list[Any]]:
    from deixis.worlds.shapes.draw import draw_rooms

    pairs = (("image", "picture"), ("target", "target_picture"), ("distractor", "distractor_picture"))
    return {
        name: draw_rooms(columns[column].astype(np.int64), size=ROOM_SIDE).transpose(0, 3, 1, 2)
        for column, name in pairs
        if column in columns and name not in columns
    }


def picture_tensor(data: bytes) -> Tensor:
    """An encoded picture as uint8 [3, row, column].

    Raises:
        BrokenDataset: when it is no picture.
        DeixisError: when Pillow is not installed.
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise DeixisError("pictures need Pillow; install it with: pip install 'deixis[data]'") from None
    try:
        with Image.open(BytesIO(data)) as picture:
            pixels = np.array(picture.convert("RGB"))
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
        raise BrokenDataset(f"a picture cannot be decoded: {error}") from error
    return torch.from_numpy(pixels).permute(2, 0, 1).contiguous()


def collate(items: Sequence[Mapping[str, Any]]) -> Item:
    """Items as one batch.

    Tensors of one shape are stacked. Tensors of different sizes are filled up with -1 (pictures and grids, which are
    bytes, with 0), and `NAME_count` says how long each was along its first axis. Everything else becomes a list.

    Example:
        >>> collate([{"a": torch.tensor([1, 2]), "b": "x"}, {"a": torch.tensor([3]), "b": "y"}])["a"]
        tensor([[ 1,  2],
                [ 3, -1]])
    """
    batch: Item = {}
    for name in items[0] if items else ():
        values = [item[name] for item in items]
        if not all(isinstance(value, Tensor) for value in values):
            batch[name] = values
        elif len({value.shape for value in values}) == 1 and (values[0].dim() != 1):
            batch[name] = torch.stack(values)
        else:
            batch[name] = _filled(values)
            batch[f"{name}_count"] = torch.tensor([len(value) for value in values])
    return batch


def _filled(values: Sequence[Tensor]) -> Tensor:
    first = values[0]
    if any(value.dim() != first.dim() for value in values):
        raise BrokenDataset("the values of one column have different numbers of axes")
    shape = [max(value.shape[axis] for value in values) for axis in range(first.dim())]
    filled = torch.full((len(values), *shape), 0 if first.dtype == torch.uint8 else PADDING, dtype=first.dtype)
    for place, value in enumerate(values):
        filled[place][tuple(slice(size) for size in value.shape)] = value
    return filled
