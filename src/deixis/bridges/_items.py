"""Rows as what models take: dictionaries of tensors and texts, and batches of them.

The part `items` of a world adds to the columns: worlds and plans of the grid, pictures, and so on. Numbers become int64
or float32. Items are dictionaries of a kind that a plain `DataLoader` knows how to collate.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.utils.data._utils.collate import default_collate_fn_map

from deixis.data._example_rows import columns_of
from deixis.data._ragged import Ragged
from deixis.errors import BrokenDataset, DeixisError


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deixis.data._example_rows import Table


class Item(dict[str, Any]):
    """An example as a dictionary, which `DataLoader` collates with `collate` by default."""


Batch: TypeAlias = dict[str, Any]
PADDING = -1


class Maker:
    """Turns rows into items or batches.

    Args:
        further: what a world adds to the columns of a table, see `deixis.worlds.world.Items`.
    """

    def __init__(self, further: Callable[[Table], Mapping[str, Any]] | None = None) -> None:
        self.further = further

    def items(self, table: Table) -> list[Item]:
        """The rows of a table, one by one."""
        columns = {
            name: column.split() if isinstance(column, Ragged) else column
            for name, column in self._columns(table).items()
        }
        return [
            Item({name: _value(value) for name, value in zip(columns, row, strict=True)})
            for row in zip(*columns.values(), strict=True)
        ]

    def batch(self, table: Table) -> Batch:
        """The rows of a table together: what `collate` makes of the items, without making them."""
        batch: Batch = {}
        for name, column in self._columns(table).items():
            if isinstance(column, Ragged):
                batch[name], batch[f"{name}_count"] = _pad_ragged(column)
            elif isinstance(column, np.ndarray):
                batch[name] = _tensor(column)
            elif any(isinstance(value, (np.ndarray, Tensor)) for value in column[:1]):
                batch |= collate([{name: _value(value)} for value in column])
            else:
                batch[name] = column
        return batch

    def _columns(self, table: Table) -> dict[str, np.ndarray | Ragged | list[Any]]:
        columns = columns_of(table)
        if "picture" in columns:
            columns["picture"] = [picture_tensor(one["bytes"]) for one in table.column("picture").to_pylist()]
        for name, column in (self.further(table) if self.further is not None else {}).items():
            columns[name] = [_decode_pictures(one) for one in column] if isinstance(column, list) else column
        return columns


def _decode_pictures(value: Any) -> Any:
    """Return a value with its pictures, which are bytes, as tensors."""
    if isinstance(value, list):
        return [_decode_pictures(one) for one in value]
    return picture_tensor(value) if isinstance(value, bytes) else value


def _value(value: Any) -> Any:
    """A value as a tensor where it is a number or numbers."""
    return _tensor(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value


def _tensor(values: np.ndarray) -> Tensor:
    if values.dtype == np.uint8 and values.ndim >= 3:  # pictures and grids stay bytes
        return torch.from_numpy(np.array(values))
    return torch.from_numpy(values.astype(np.float32 if np.issubdtype(values.dtype, np.floating) else np.int64))


def _pad_ragged(column: Ragged) -> tuple[Tensor, Tensor]:
    """Pad the numbers of every row to the longest, and return them with the length of each row."""
    counts = column.length
    is_number = np.issubdtype(column.values.dtype, np.floating)
    filled = np.full((len(counts), counts.max(initial=0)), PADDING, np.float32 if is_number else np.int64)
    filled[np.arange(filled.shape[1]) < counts[:, None]] = column.values
    return torch.from_numpy(filled), torch.from_numpy(counts)


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


def collate(items: Sequence[Mapping[str, Any]]) -> Batch:
    """Items as one batch.

    Tensors of one shape are stacked. Tensors of different sizes are filled up with -1 (pictures and grids, which are
    bytes, with 0), and `NAME_count` says how long each was along its first axis. Everything else becomes a list.

    Example:
        >>> collate([{"a": torch.tensor([1, 2]), "b": "x"}, {"a": torch.tensor([3]), "b": "y"}])["a"]
        tensor([[ 1,  2],
                [ 3, -1]])
    """
    batch: Batch = {}
    for name in items[0] if items else ():
        values = [item[name] for item in items]
        if not all(isinstance(value, Tensor) for value in values):
            batch[name] = values
        elif len({value.shape for value in values}) == 1 and (values[0].dim() != 1):
            batch[name] = torch.stack(values)
        else:
            batch[name] = _stack_padded(values)
            batch[f"{name}_count"] = torch.tensor([len(value) for value in values])
    return batch


def _stack_padded(values: Sequence[Tensor]) -> Tensor:
    first = values[0]
    if any(value.dim() != first.dim() for value in values):
        raise BrokenDataset("the values of one column have different numbers of axes")
    shape = [max(value.shape[axis] for value in values) for axis in range(first.dim())]
    filled = torch.full((len(values), *shape), 0 if first.dtype == torch.uint8 else PADDING, dtype=first.dtype)
    for place, value in enumerate(values):
        filled[place][tuple(slice(size) for size in value.shape)] = value
    return filled


def _collate_plainly(items: Sequence[Mapping[str, Any]], **_: object) -> Batch:
    return collate(items)


default_collate_fn_map[Item] = _collate_plainly
