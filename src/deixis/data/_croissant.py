"""Croissant metadata of a dataset: its files with their hashes, and the records in them, as JSON-LD.

Follows version 1.0 of the format (mlcommons.org/croissant), which reads the files where they lie: addresses are
relative to the folder. Every split of every table is a set of records whose files are listed once, however many sets
they belong to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deixis._version import __version__


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deixis.data._card_facts import Facts, TableFacts


CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
PARQUET = "application/x-parquet"


def croissant(facts: Facts, *, published: str = "") -> dict[str, Any]:
    """The metadata as plain values.

    Args:
        facts: what is known of the dataset.
        published: the day on which it was published, e.g. 2026-11-30; left out where nobody says.
    """
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": facts.name,
        "description": " ".join(facts.summary.split()),
        "alternateName": facts.title,
        "inLanguage": "en",
        "license": facts.license.url or facts.license.name,
        "citeAs": "\n\n".join(citation.bibtex for citation in facts.citations),
        "creator": {"@type": "sc:Organization", "name": f"deixis {__version__}"},
        "keywords": list(facts.tags),
        "version": "1.0.0",
        **({"datePublished": published} if published else {}),
        "isLiveDataset": False,
        "rai:dataCollection": facts.answers.get("C", "Computed from a recipe and a seed; nothing was collected."),
        "rai:dataUseCases": facts.answers.get("A.1", ""),
        "rai:dataLimitations": "A small vocabulary and regular forms; a score on it is no score on real language.",
        "rai:dataBiases": facts.answers.get("B.8", "None known beyond what the recipe asks for."),
        "rai:personalSensitiveInformation": facts.answers.get("B.15", "None."),
        "distribution": [*_files(facts), *(_set(table, split) for table in facts.tables for split in table.files)],
        "recordSet": [_records(table, split) for table in facts.tables for split in table.files],
    }


def _files(facts: Facts) -> Iterator[dict[str, Any]]:
    listed = {entry["path"]: entry for table in facts.tables for entry in table.entries}
    for path, entry in listed.items():
        yield {
            "@type": "cr:FileObject",
            "@id": path,
            "name": _name(path),
            "contentUrl": path,
            "contentSize": f"{entry['bytes']} B",
            "encodingFormat": PARQUET,
            "sha256": entry["sha256"],
        }


def _set(table: TableFacts, split: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{table.name}/{split}/files",
        "name": _name(f"{table.name}-{split}-files"),
        "encodingFormat": PARQUET,
        "includes": [entry["path"] for entry in table.files[split]],
    }


def _records(table: TableFacts, split: str) -> dict[str, Any]:
    key = f"{table.name}/{split}"
    meanings = table.meanings
    return {
        "@type": "cr:RecordSet",
        "@id": key,
        "name": _name(f"{table.name}-{split}"),
        "description": f"{table.about} {table.rows[split]:,} rows.",
        "field": [_field(key, column, table, meanings) for column in table.schema],
    }


def _field(key: str, column: pa.Field, table: TableFacts, meanings: Mapping[str, str]) -> dict[str, Any]:
    is_picture = column.name in table.pictures
    source: dict[str, Any] = {"fileSet": {"@id": f"{key}/files"}, "extract": {"column": column.name}}
    if is_picture:
        source["transform"] = {"jsonPath": "bytes"}
    told = {
        "@type": "cr:Field",
        "@id": f"{key}/{column.name}",
        "name": column.name,
        "description": meanings.get(column.name, ""),
        "dataType": "sc:ImageObject" if is_picture else _type(column.type),
        "source": source,
    }
    return told | ({"repeated": True} if pa.types.is_list(column.type) else {})


def _type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind) or pa.types.is_dictionary(kind):
        return _type(kind.value_type)
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    return "sc:Integer" if pa.types.is_integer(kind) else "sc:Float" if pa.types.is_floating(kind) else "sc:Text"


def _name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-")
