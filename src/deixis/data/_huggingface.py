"""The head of a card: what Hugging Face's `datasets` and its hub read, in YAML.

Texts are written as JSON writes them, which YAML reads the same way, so that a split called `no` stays a word.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._card_facts import size_category
from deixis.data.store import replacing_file


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.data._card_facts import Facts, TableFacts


FEW = 64  # rows in a group, since pictures are large
PICTURE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])  # a picture as `datasets.Image` keeps it


def front_matter(facts: Facts) -> str:
    """The head of a card, its fences included."""
    lines = [
        "---",
        f"pretty_name: {_text(facts.title)}",
        "language:",
        '- "en"',
        *_license(facts),
        *_list("task_categories", facts.tasks),
        *_list("tags", facts.tags),
        *_list("size_categories", (size_category(facts.examples),)),
        "configs:",
        *(line for place, table in enumerate(facts.tables) for line in _config(table, is_default=place == 0)),
        "dataset_info:",
        *(line for table in facts.tables for line in _info(table)),
        "---",
    ]
    return "\n".join(lines)


def with_picture_features(schema: pa.Schema, *pictures: str) -> pa.Schema:
    """Columns with a note, for `datasets`, which of them are pictures or lists of pictures."""
    features = {field.name: _feature_of(field.type, is_picture=field.name in pictures) for field in schema}
    note = json.dumps({"info": {"features": features}}, separators=(",", ":"))
    return schema.with_metadata({"huggingface": note})


def write_texts_with_pictures(
    path: Path, rows: Sequence[Mapping[str, str]], pictures: Sequence[Sequence[tuple[str, bytes]]]
) -> None:
    """Write rows of texts with a further column `pictures`, lists of pictures, which `datasets` decodes.

    Args:
        path: of the Parquet file.
        rows: the texts by column, the same columns in each row.
        pictures: those of each row, by name and as files.
    """
    held = [
        {**row, "pictures": [{"bytes": content, "path": name} for name, content in some]}
        for row, some in zip(rows, pictures, strict=True)
    ]
    schema = pa.schema([*((name, pa.string()) for name in rows[0]), ("pictures", pa.list_(PICTURE))])
    with replacing_file(path) as draft:
        table = pa.Table.from_pylist(held, schema=with_picture_features(schema, "pictures"))
        pq.write_table(table, draft, compression="zstd", row_group_size=FEW)


def _license(facts: Facts) -> Iterator[str]:
    if facts.license.is_known:
        yield f"license: {_text(facts.license.name)}"
    else:
        yield 'license: "other"'
        yield f"license_name: {_text(facts.license.name)}"


def _list(name: str, values: tuple[str, ...]) -> Iterator[str]:
    if values:
        yield f"{name}:"
        yield from (f"- {_text(value)}" for value in values)


def _config(table: TableFacts, *, is_default: bool) -> Iterator[str]:
    yield f"- config_name: {_text(table.name)}"
    if is_default:
        yield "  default: true"
    yield "  data_files:"
    for split, entries in table.files.items():
        yield f"  - split: {_text(split)}"
        yield "    path:"
        yield from (f"    - {_text(entry['path'])}" for entry in entries)


def _info(table: TableFacts) -> Iterator[str]:
    yield f"- config_name: {_text(table.name)}"
    yield "  features:"
    for column in table.schema:
        yield f"  - name: {_text(column.name)}"
        labels = table.labels.get(column.name, ())
        yield from (f"    {line}" for line in _feature(column.type, labels, is_picture=column.name in table.pictures))
    yield "  splits:"
    for split, rows in table.rows.items():
        yield f"  - name: {_text(split)}"
        yield f"    num_bytes: {sum(entry['bytes'] for entry in table.files[split])}"
        yield f"    num_examples: {rows}"
    size = sum(entry["bytes"] for entry in table.entries)
    yield f"  download_size: {size}"
    yield f"  dataset_size: {size}"


def _feature(kind: pa.DataType, labels: Any, *, is_picture: bool) -> Iterator[str]:
    if is_picture:
        yield "dtype: image"
    elif pa.types.is_list(kind):
        yield "list:"
        yield from (f"  {line}" for line in _feature(kind.value_type, labels, is_picture=False))
    elif labels:
        yield "dtype:"
        yield "  class_label:"
        yield "    names:"
        yield from (f"      {_text(str(number))}: {_text(label)}" for number, label in enumerate(labels))
    else:
        yield f"dtype: {_dtype(kind)}"


def _dtype(kind: pa.DataType) -> str:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return "float32" if pa.types.is_float32(kind) else "float64" if pa.types.is_float64(kind) else str(kind)


def _feature_of(kind: pa.DataType, *, is_picture: bool) -> dict[str, Any]:
    if pa.types.is_list(kind):
        return {"feature": _feature_of(kind.value_type, is_picture=is_picture), "_type": "List"}
    if is_picture:
        return {"_type": "Image"}
    return {"dtype": _dtype(kind), "_type": "Value"}


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
