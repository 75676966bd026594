"""The verdict on every answer, in one Parquet schema for all worlds.

| column of `verdicts.parquet` | |
|---|---|
| `id` | of the example, as text |
| `split` | the split, setting or set in which it was judged; an example of two splits has two rows |
| `outcome` | what came of the answer, in words |
| `chosen` | the number of the object that was answered; null where there is none |
| `role` | why a wrong object is there, or where it lies; empty otherwise |
| `misreading` | the misreadings that explain a wrong answer |
| `text` | what was asked, or the answer itself where that is a text; null where it is not kept |

Then one column for every measure of the world, true where the answer is right by it. Worlds may add further columns.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deixis._deprecation import rename_field
from deixis._version import __version__
from deixis.data._parquet_files import open_parquet, read_all
from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path


__all__ = [
    "COMMON",
    "MAX_TEXT",
    "VERDICTS",
    "Codes",
    "Verdicts",
    "id_code",
    "read_column",
    "read_verdicts",
    "write_verdicts",
]

VERDICTS = "verdicts.parquet"
FORMAT, KEY = 1, b"deixis.verdicts"
COMMON = pa.schema(
    [
        ("id", pa.string()),
        ("split", pa.string()),
        ("outcome", pa.string()),
        ("chosen", pa.int32()),
        ("role", pa.string()),
        ("misreading", pa.list_(pa.string())),
        ("text", pa.string()),
    ]
)
MAX_ROWS = 3_000_000
MAX_NAMES = 60  # different misreadings: bits of a word
MAX_CODES = 30_000  # different splits, outcomes, roles or sets of misreadings
MAX_TEXT = 600  # letters of a text that are kept
MAX_DIGITS = 18  # of an id that is a number


@rename_field("missed", "misreading", since="0.3.0", until="0.5.0")
@dataclass(frozen=True, kw_only=True, eq=False)
class Verdicts:
    """The verdicts on many answers, with codes as numbers of the names beside them.

    Shapes:
        ids: int64 [row]: the id of the example, or another number that stands for it.
        part, outcome, role, misreading: int16 [row].
        chosen: int32 [row], the number of the object that was chosen, -1 where there is none or it is not told.

    Attributes:
        parts: names of splits, settings or sets.
        right: bool [row] by measure.
        outcomes: what can come of an answer.
        roles: why a wrong object is there, or where it lies; empty for whatever is no wrong choice.
        misreadings: what is misread together.
        texts: what was asked, or the answer where that is a text; None where it is not kept.
        names: the ids as texts, where they are no numbers.
    """

    ids: np.ndarray
    part: np.ndarray
    parts: tuple[str, ...]
    right: Mapping[str, np.ndarray]
    outcome: np.ndarray
    outcomes: tuple[str, ...]
    role: np.ndarray
    roles: tuple[str, ...]
    misreading: np.ndarray
    misreadings: tuple[tuple[str, ...], ...]
    chosen: np.ndarray
    texts: Sequence[str] | None = None
    names: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.ids)


def write_verdicts(
    path: Path, verdicts: Verdicts, *, world: str, more: Mapping[str, pa.Array] | None = None, keep: bool = False
) -> None:
    """Write verdicts.

    Args:
        path: the file.
        verdicts: what is written.
        world: whose verdicts they are.
        more: further columns of this world.
        keep: whether to keep what the file holds of other splits.
    """
    table = _table_of(verdicts, more or {})
    said = {"format": FORMAT, "world": world, "measures": list(verdicts.right), "deixis": __version__}
    if keep and (before := _find_others(path, verdicts.parts, table.schema)) is not None:
        table = pa.concat_tables([before, table])
    table = table.replace_schema_metadata({KEY: json.dumps(said, ensure_ascii=False)})
    with replacing_file(path) as draft:
        pq.write_table(table, draft, compression="zstd", write_page_checksum=True)


def _table_of(verdicts: Verdicts, more: Mapping[str, pa.Array]) -> pa.Table:
    count = len(verdicts)
    ids = pa.array(verdicts.names, pa.string()) if verdicts.names is not None else pa.array(verdicts.ids).cast("string")
    texts = pa.nulls(count, pa.string()) if verdicts.texts is None else pa.array(verdicts.texts, pa.string())
    sets = pa.array([list(names) for names in verdicts.misreadings], pa.list_(pa.string()))
    chosen = verdicts.chosen.astype(np.int32)
    common = {
        "id": ids,
        "split": pa.array(verdicts.parts, pa.string()).take(pa.array(verdicts.part)),
        "outcome": pa.array(verdicts.outcomes, pa.string()).take(pa.array(verdicts.outcome)),
        "chosen": pa.array(chosen, mask=chosen < 0),
        "role": pa.array(verdicts.roles, pa.string()).take(pa.array(verdicts.role)),
        "misreading": sets.take(pa.array(verdicts.misreading)),
        "text": texts,
    }
    measures = {name: pa.array(found.astype(bool)) for name, found in verdicts.right.items()}
    return pa.table({**common, **measures, **more})


def _find_others(path: Path, parts: Collection[str], schema: pa.Schema) -> pa.Table | None:
    """The verdicts of other splits that a file holds; None where there are none."""
    if not path.is_file():
        return None
    try:
        with open_parquet(path) as file:
            table = read_all(file, path, columns=schema.names)
        is_other = pc.invert(pc.is_in(table["split"], pa.array(list(parts), pa.string())))
        return table.filter(is_other).select(schema.names).cast(schema)
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise BrokenDataset(f"{path} holds no verdicts of this kind; delete it, or choose another folder") from error


# -------------------------------------------------------------------------------- reading


def read_verdicts(path: Path) -> Verdicts:
    """Read a file of verdicts.

    Raises:
        BrokenDataset: when it is no such file.
    """
    try:
        with open_parquet(path) as file:
            schema = file.schema_arrow
            measures = _measures_in(path, schema)
            _demand_few_rows(path, file.metadata.num_rows)
            table = read_all(file, path, [*COMMON.names, *measures])
        part, parts = _encode_texts(table["split"])
        outcome, outcomes = _encode_texts(table["outcome"])
        role, roles = _encode_texts(table["role"])
        misreading, misreadings = _coded_sets(table["misreading"])
        ids, names = _ids_in(table["id"])
        return Verdicts(
            ids=ids,
            part=part,
            parts=parts,
            right={name: table[name].cast(pa.bool_()).fill_null(False).to_numpy() for name in measures},
            outcome=outcome,
            outcomes=outcomes,
            role=role,
            roles=roles,
            misreading=misreading,
            misreadings=misreadings,
            chosen=table["chosen"].cast(pa.int32()).fill_null(-1).to_numpy(),
            texts=_texts_in(table["text"]),
            names=names,
        )
    except BrokenDataset:
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError, NotImplementedError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise BrokenDataset(f"{path} does not hold verdicts: {reason}") from error


def read_column(path: Path, name: str) -> pa.ChunkedArray | None:
    """Read a further column that a world adds to its verdicts, or return None where the file has none of this name.

    Raises:
        BrokenDataset: when it cannot be read.
    """
    try:
        with open_parquet(path) as file:
            return read_all(file, path, [name])[name] if name in file.schema_arrow.names else None
    except (pa.ArrowException, OSError, EOFError, ValueError, NotImplementedError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise BrokenDataset(f"{path} does not hold verdicts: {reason}") from error


def _measures_in(path: Path, schema: pa.Schema) -> list[str]:
    """The measures that a file has a column for; `BrokenDataset` where it is no file of verdicts."""
    advice = "write it with `deixis evaluate --out`"
    lacking = [name for name in COMMON.names if name not in schema.names]
    if lacking:
        raise BrokenDataset(f"{path} lacks the column {lacking[0]!r}; {advice}")
    try:
        said = json.loads((schema.metadata or {}).get(KEY, b"null"))
    except (ValueError, RecursionError):
        said = None
    names = said.get("measures") if isinstance(said, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) and name in schema.names for name in names):
        raise BrokenDataset(f"{path} does not say which measures it has; {advice}")
    return [name for name in dict.fromkeys(names) if name not in COMMON.names]


def _demand_few_rows(path: Path, rows: int) -> None:
    if rows > MAX_ROWS:
        raise BrokenDataset(f"{path} has more than {MAX_ROWS:,} rows")


def _ids_in(column: pa.ChunkedArray) -> tuple[np.ndarray, list[str] | None]:
    """Ids as numbers, and as texts where they are none."""
    texts = column.cast(pa.string()).fill_null("")
    longest = pc.max(pc.utf8_length(texts)).as_py() or 0
    if longest < MAX_DIGITS and pc.all(pc.match_substring_regex(texts, "^[0-9]+$")).as_py() is not False:
        return texts.cast(pa.int64()).to_numpy(), None
    names = [name[:MAX_TEXT] for name in texts.to_pylist()]
    return np.array([id_code(name) for name in names], np.int64), names


def _texts_in(column: pa.ChunkedArray) -> list[str] | None:
    if column.null_count == len(column):
        return None
    return pc.utf8_slice_codeunits(column.cast(pa.string()).fill_null(""), 0, MAX_TEXT).to_pylist()


def _encode_texts(column: pa.ChunkedArray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return texts as numbers, and the different texts."""
    texts = column.cast(pa.string()).fill_null("").combine_chunks().dictionary_encode()
    texts = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    names = tuple(texts.dictionary.to_pylist())
    if len(names) > MAX_CODES:
        raise ValueError(f"a column has {len(names):,} different names")
    return texts.indices.to_numpy().astype(np.int16), names


def _coded_sets(column: pa.ChunkedArray) -> tuple[np.ndarray, tuple[tuple[str, ...], ...]]:
    """Sets of texts as numbers, and the different sets."""
    lists = pa.concat_arrays(column.cast(pa.list_(pa.string())).chunks) if column.num_chunks else pa.array([[]])
    lengths = lists.value_lengths().fill_null(0).to_numpy()
    code, names = _encode_texts(pa.chunked_array([lists.flatten()]))
    if len(names) > MAX_NAMES:
        raise ValueError(f"{len(names)} different misreadings are named")
    masks = np.zeros(len(lengths), np.uint64)
    np.bitwise_or.at(masks, np.repeat(np.arange(len(lengths)), lengths), np.uint64(1) << code.astype(np.uint64))
    different, which = np.unique(masks, return_inverse=True)
    sets = tuple(tuple(name for bit, name in enumerate(names) if mask >> bit & 1) for mask in different.tolist())
    return which.astype(np.int16), sets


# -------------------------------------------------------------------------------- codes


def id_code(name: int | str) -> int:
    """The id of an example as a number, also where it is a text."""
    said = str(name)
    if said.isdecimal() and said.isascii() and len(said) < MAX_DIGITS:
        return int(said)
    return int.from_bytes(sha256(said.encode()).digest()[:8], "little") >> 1


class Codes:
    """Repeated values as integer codes."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}
        self._codes: list[int] = []

    @classmethod
    def of(cls, values: Iterable[Any]) -> Codes:
        """All values of a column."""
        made = cls()
        for value in values:
            made.add(value)
        return made

    def add(self, value: Any) -> None:
        """Add the next value."""
        self._codes.append(self._known.setdefault(value, len(self._known)))

    @property
    def codes(self) -> np.ndarray:
        """int16 [row]: the number of every value."""
        if len(self._known) > np.iinfo(np.int16).max:
            raise BrokenDataset("the verdicts hold too many different values")
        return np.array(self._codes, np.int16)

    @property
    def names(self) -> tuple[Any, ...]:
        """Names by number."""
        return tuple(self._known)
