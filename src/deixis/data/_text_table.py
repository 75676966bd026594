"""Tables of texts and whole numbers from rows of plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


def text_table(rows: Sequence[Mapping[str, Any]], names: Sequence[str], *, integers: Collection[str] = ()) -> Any:
    """Return rows as an Arrow table whose columns are texts, but for those that are named as whole numbers."""
    import pyarrow as pa

    kinds = [(name, pa.int64() if name in integers else pa.string()) for name in names]
    return pa.Table.from_pylist(list(rows), schema=pa.schema(kinds))
