"""The splits that examples belong to: read, renamed, chosen and merged.

A split is a name, or several names joined by + where an example belongs to several test sets. Train, dev and test
divide one pool; what is held out from them may be in several test sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from deixis.data._split_names import join_splits, splits_of


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


AT_RANDOM = frozenset(("train", "dev", "test"))  # the splits that divide one pool, and that nothing held out may be in


def rename_splits(table: pa.Table, names: Mapping[str, str]) -> pa.Table:
    """Return the same examples in splits of other names.

    Splits without a new name keep theirs.
    """
    if not names:
        return table
    return _change_splits(table, lambda split: join_splits(names.get(single, single) for single in splits_of(split)))


def only_in(table: pa.Table, split: str) -> pa.Table:
    """The examples of one split, as members of that split alone."""
    wanted = [name for name in table["split"].unique().to_pylist() if split in splits_of(name)]
    chosen = table.filter(pc.is_in(table["split"], pa.array(wanted, pa.string())))
    return _change_splits(chosen, lambda _: split)


def _change_splits(table: pa.Table, change: Callable[[str | None], str]) -> pa.Table:
    encoded = table["split"].combine_chunks().dictionary_encode()
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    words = [change(name) for name in encoded.dictionary.to_pylist()]
    column = pa.array(words, pa.string()).take(encoded.indices)
    if column.null_count:
        column = column.fill_null(change(None))
    return table.set_column(table.schema.get_field_index("split"), "split", column)
