"""Digests of what files and answers hold, however a library encodes it."""

from __future__ import annotations

import io
import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image


if TYPE_CHECKING:
    from pathlib import Path


__all__ = ["card_facts", "digest", "facts_of", "file_facts", "line_facts", "picture_facts", "plain"]

# Version numbers, times, places and machines; and what depends on how Parquet is compressed.
PASSING = {"deixis", "made by", "recipe digest", "data digest", "path", "seconds", "device", "bytes", "sha256"}
NO_TABLES = {"README.md", "croissant.json", "manifest.json"}  # of the folder itself: held in other ways
FEW = 8  # so many records are told apart, more have a digest together
SHORT = 70  # so many letters of JSON are as good as a digest
BLOCKS = 4  # a picture is told by the means of so many by so many blocks


def digest(value: object) -> str:
    """Twelve letters that stand for plain data."""
    return sha256(json.dumps(value, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:12]


def plain(value: Any, folder: Path) -> Any:
    """The same without what passes: floats have six digits, and nothing names the folder."""
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key not in PASSING}
        kept = {key: one for key, one in kept.items() if not (key == "files" and isinstance(one, list))}
        return {str(key): plain(one, folder) for key, one in kept.items()}
    if isinstance(value, list | tuple):
        return [plain(one, folder) for one in value]
    if isinstance(value, float):
        return round(value, 6) + 0.0  # which makes -0.0 a plain zero
    return value.replace(str(folder), "FOLDER") if isinstance(value, str) else value


def facts_of(value: Any, depth: int) -> Any:
    """Numbers and words down to a depth as they are, and a digest of whatever lies deeper."""
    if not isinstance(value, dict | list) or not value:
        return value
    if isinstance(value, list) and len(value) <= FEW and all(isinstance(one, dict) for one in value):
        return {str(place): facts_of(one, depth) for place, one in enumerate(value)}
    if isinstance(value, list) or depth == 0:
        told = json.dumps(value, ensure_ascii=False).replace('"', "")
        return told if len(told) <= SHORT else f"{len(value)} with digest {digest(value)}"
    return {key: facts_of(one, depth - 1) for key, one in value.items()}


def line_facts(path: Path) -> str:
    """How many lines a file of JSON Lines has, and what they say."""
    lines = [plain(json.loads(line), path.parent) for line in path.read_text(encoding="utf-8").splitlines()]
    return f"{len(lines)} with digest {digest(lines)}"


# ---------------------------------------------------------------------------------------------------- data files


def file_facts(folder: Path) -> dict[str, str]:
    """What every data file below a folder holds, by its path."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    return {name: _file_fact(path) for name, path in named.items() if name not in NO_TABLES}


def _file_fact(path: Path) -> str:
    if path.suffix == ".parquet":
        return _table_fact(pq.read_table(path))
    if path.suffix == ".npy":
        array = np.load(path, allow_pickle=False)
        return f"{array.dtype.str} {list(array.shape)} with digest {_hash(np.ascontiguousarray(array).tobytes())}"
    if path.suffix == ".json":
        value = plain(json.loads(path.read_text(encoding="utf-8")), path.parent)
        return f"{len(value)} with digest {digest(value)}"
    return f"{path.stat().st_size} bytes with digest {_hash(path.read_bytes())}"


def _table_fact(table: pa.Table) -> str:
    columns = [
        (field.name, _type_name(field.type), _column_digest(table[field.name]))
        for field in table.schema
        if not _holds_bytes(field.type)  # pictures, which other libraries compress in other ways
    ]
    return f"{table.num_rows} rows of {len(columns)} columns with digest {digest(columns)}"


def _type_name(kind: pa.DataType) -> str:
    """The name of a type, for which it does not matter how strings are stored and what items of lists are called."""
    if pa.types.is_dictionary(kind):
        return _type_name(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"list of {_type_name(kind.value_type)}"
    return "string" if pa.types.is_large_string(kind) else str(kind)


def _holds_bytes(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return any(_holds_bytes(field.type) for field in kind)
    return pa.types.is_binary(kind) or pa.types.is_large_binary(kind)


def _column_digest(column: pa.ChunkedArray) -> str:
    if pa.types.is_integer(column.type) and column.null_count == 0:
        return _hash(column.to_numpy().astype("<i8").tobytes())
    if pa.types.is_string(column.type) and column.null_count == 0 and len(column) > 1000:
        encoded = column.combine_chunks().dictionary_encode()
        places = encoded.indices.to_numpy().astype("<i8").tobytes()
        return _hash(places) + digest(encoded.dictionary.to_pylist())
    return digest(column.to_pylist())


def _hash(value: bytes) -> str:
    return sha256(value).hexdigest()[:12]


def picture_facts(path: Path, few: int = 2) -> dict[str, list[float]]:
    """How light the first pictures of a Parquet file are, block by block."""
    column = pq.read_table(path, columns=["picture"]).slice(0, few)["picture"]
    return {f"{path.stem} {number}": _lightness(one["bytes"]) for number, one in enumerate(column.to_pylist())}


def _lightness(png: bytes) -> list[float]:
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=np.float64).mean(axis=2)
    rows = np.array_split(pixels, BLOCKS, axis=0)
    return [round(float(block.mean()), 1) for row in rows for block in np.array_split(row, BLOCKS, axis=1)]


# ---------------------------------------------------------------------------------------------------- cards


def card_facts(folder: Path) -> dict[str, str]:
    """Digests of the sections of a card and of its metadata, without sizes of files and names of modules."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    for pattern, instead in (
        (r"(num_bytes|download_size|dataset_size): \d+", r"\1: SIZE"),
        (r"(?i)(made by( \||:)?) deixis [^\s|]*\w", r"\1 deixis"),
        (r"(recipe digest) \| `\w+`", r"\1"),
        (r"from deixis[\w.]* import", "from deixis import"),
        (r"`worlds\.[\w.]+`", "`worlds`"),
    ):
        text = re.sub(pattern, instead, text)
    head, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    facts = {"head": digest(head)} | {one.partition("\n")[0]: digest(one) for one in sections}
    values = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    return facts | {"croissant.json": digest(_lasting_metadata(values))}


def _lasting_metadata(value: Any) -> Any:
    if isinstance(value, dict):
        passing = {"contentSize", "sha256", "version"}
        return {key: _lasting_metadata(one) for key, one in value.items() if key not in passing}
    if isinstance(value, list):
        return [_lasting_metadata(one) for one in value]
    return re.sub(r"deixis \d[\w.+-]*\w", "deixis", value) if isinstance(value, str) else value
