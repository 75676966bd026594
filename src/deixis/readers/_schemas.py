"""Schemas as plain values, for datasets that hold examples of several."""

from __future__ import annotations

from typing import Any

from deixis.errors import BrokenDataset, SchemaError
from deixis.schema import Attribute, Relation, Schema


def schema_to_plain(schema: Schema) -> dict[str, Any]:
    """Return a schema as plain values."""
    attributes = [
        {
            "name": one.name,
            "values": list(one.values),
            "head": one.is_head,
            "ordered": one.is_ordered,
            "broader": [list(pair) for pair in one.broader],
        }
        for one in schema.attributes
    ]
    relations = [
        {"name": one.name, "symmetric": one.is_symmetric, "to": [list(pair) for pair in one.to]}
        for one in schema.relations
    ]
    return {
        "name": schema.name,
        "attributes": attributes,
        "relations": relations,
        "distinct": schema.distinct,
        "reading": schema.reading,
        "exchanges": None if schema.exchanges is None else [list(some) for some in schema.exchanges],
    }


def schema_from_plain(values: Any) -> Schema:
    """Return the schema that `schema_to_plain` wrote, or raise `BrokenDataset` for anything else."""
    try:
        exchanges = values["exchanges"]
        return Schema(
            name=str(values["name"]),
            attributes=tuple(map(_attribute, values["attributes"])),
            relations=tuple(map(_relation, values["relations"])),
            distinct=values["distinct"] is True,
            reading="comparative" if values["reading"] == "comparative" else "superlative",
            exchanges=None if exchanges is None else tuple(tuple(map(str, some)) for some in exchanges),
        )
    except (KeyError, TypeError, ValueError, AttributeError, SchemaError) as error:
        raise BrokenDataset(f"the schema of the scenes cannot be read: {error}") from error


def _attribute(values: Any) -> Attribute:
    return Attribute(
        name=str(values["name"]),
        values=tuple(map(str, values["values"])),
        is_head=values["head"] is True,
        is_ordered=values["ordered"] is True,
        broader=_pairs(values["broader"]),
    )


def _relation(values: Any) -> Relation:
    return Relation(name=str(values["name"]), is_symmetric=values["symmetric"] is True, to=_pairs(values["to"]))


def _pairs(values: Any) -> tuple[tuple[str, str], ...]:
    return tuple((str(one), str(other)) for one, other in values)
