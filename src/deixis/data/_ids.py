"""Ids of examples as columns and arrays hold them: whole numbers of at most 53 bits, int64 in files.

They pass unchanged through JSON, JavaScript, float64 and tensors. Ids once had 64 bits, uint64 in files; of those the
upper 53 are kept, which is what the same example is called now. In a tensor or a signed column half of them had become
negative; that is undone first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deixis._numbers import ID_BITS


if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa


LARGEST_ID, SMALLEST_ID = (1 << 64) - 1, -(1 << 63)  # of whatever was an id in some version, or a signed copy of one
AT_ONCE = 1 << 22  # ids that are compared at a time
_LOST = np.uint64(64 - ID_BITS)


def ids_of_digests(digests: np.ndarray) -> np.ndarray:
    """int64 [example]: the ids of examples whose content has these digests, uint64 [example]."""
    return (digests >> _LOST).astype(np.int64)


def current_ids(ids: Sequence[int] | np.ndarray) -> np.ndarray:
    """int64 [id]: ids of one file, brought to 53 bits where they have more.

    Where most have more, all are taken for old ones: one in 2,048 of those happens to be small.

    Args:
        ids: whole numbers from `SMALLEST_ID` to `LARGEST_ID`.
    """
    if not isinstance(ids, np.ndarray):
        ids = np.array([number % (1 << 64) for number in ids], np.uint64)
    words = ids if ids.dtype == np.uint64 else ids.astype(np.int64).view(np.uint64)
    is_old = words >> np.uint64(ID_BITS) != 0
    if 2 * int(is_old.sum()) > len(is_old):
        is_old[:] = True
    return np.where(is_old, words >> _LOST, words).astype(np.int64)


def repeated_ids(parts: Sequence[np.ndarray], *, at_once: int = AT_ONCE) -> np.ndarray:
    """The ids that occur more than once in some arrays together: int64 [id], in rising order.

    Ids are compared range by range, so that memory does not grow with their number: they are digests, and every range
    has about as many.

    Args:
        parts: int64 [id], ids of today.
        at_once: about how many are held in memory.
    """
    bits = max(0, (sum(map(len, parts)) // at_once).bit_length())
    found = []
    for number in range(1 << bits):
        first, last = (side << ID_BITS - bits for side in (number, number + 1))
        some = [part[(part >= first) & (part < last)] for part in parts] if bits else parts
        ids = np.sort(np.concatenate([np.zeros(0, np.int64), *some]))
        found.append(np.unique(ids[1:][ids[1:] == ids[:-1]]))
    return np.concatenate(found)


def with_current_ids(table: pa.Table) -> pa.Table:
    """A table whose ids, if it has any, are those of today."""
    import pyarrow as pa  # loaded already where there is a table; recipes need none
    import pyarrow.compute as pc

    place = table.schema.get_field_index("id")
    if place < 0 or table.schema.field(place).type != pa.uint64():
        return table
    ids, largest = table["id"], pc.max(table["id"]).as_py()
    if largest is not None and largest >> ID_BITS:
        ids = pc.shift_right(ids, pa.scalar(64 - ID_BITS, pa.uint64()))
    return table.set_column(place, pa.field("id", pa.int64()), ids.cast(pa.int64()))
