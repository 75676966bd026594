"""Grounded expressions of any world, as JSON Lines: what is there, what is said, what is meant.

The first line names the format and the schema, every further line holds one example:

    {"format": "deixis grounded 1", "schema": {"name": "photo", "attributes": [...], "relations": [...]}}
    {"scenes": [...], "expression": [...], "target": [0, 2]}

In the schema, an attribute is `{"name": "color", "values": [...]}` with `"head": true` for what nouns say, `"ordered":
true` where the values run from least to most and `"broader": {"man": "person"}` for wider words; values that are left
out are those that occur. A relation is `{"name": "on"}`, with `"symmetric": true` where it holds both ways and `"to":
{"shape": "box"}` for what it implies of the second object. `distinct` and `reading` are those of `Schema`.

A scene is `{"objects": [{"name": "cup", "color": ["red", "white"]}], "relations": [["on", 0, 1]], "points": [[0, 2]]}`;
points, (row, column) of every object, are needed for ranks only. The steps of an expression are `{"is": ["color",
"red"]}`, `{"end": ["size", "least"]}`, `{"rank": [2, "left"]}`, `{"related": "on", "to": [steps]}`, `{"not": step}` and
`{"any of": [step, step]}`. The target is `[scene, object]`, counted from 0. `text`, `split` and `id` may be left out.

A pair of pictures is an example of two scenes with one object each; a scene graph is one scene with relations.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset, DeixisError
from deixis.expression.parts import parts
from deixis.expression.plain import expression_from_plain, expression_to_plain
from deixis.expression.steps import Extreme, Is, Nth, Related
from deixis.scene.plain import scene_from_plain, scene_to_plain
from deixis.scene.scene import Context, Where
from deixis.schema import Attribute, Relation, Schema
from deixis.worlds.example import PlainExample


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from deixis.expression.description import Expression
    from deixis.worlds.example import Example


__all__ = ["FORMAT", "example_to_plain", "is_grounded", "read_grounded", "write_grounded"]

FORMAT = "deixis grounded 1"
FIELDS = ("scenes", "expression", "target", "text", "split", "id")


def example_to_plain(example: Example) -> dict[str, Any]:
    """Return an example as a line of a file holds it, or raise `SchemaError` if its scenes are not written out."""
    assert example.expression is not None
    values: dict[str, Any] = {
        "scenes": [scene_to_plain(scene) for scene in example.context.scenes],
        "expression": expression_to_plain(example.expression),
        "target": list(example.context.target),
    }
    return values | {name: said for name in ("text", "split", "id") if (said := getattr(example, name))}


def is_grounded(path: Path) -> bool:
    """Return whether the first line of a file declares grounded expressions."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return b'"deixis grounded' in stream.read(256)


def read_grounded(path: Path) -> Iterator[PlainExample]:
    """The examples of a file, in order.

    Raises:
        BrokenDataset: with the number of the line, when one of them cannot be understood.
    """
    schema = _schema_of(path)
    for number, values in _lines(path):
        if number > 1:
            try:
                yield _grounded_from(values, schema)
            except (DeixisError, RecursionError) as error:
                raise _line_error(path, number, str(error)) from error


def write_grounded(path: Path, schema: Schema, examples: Iterable[Example]) -> None:
    """Write examples, whose scenes must have this schema, so that `read_grounded` gives them back."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for values in ({"format": FORMAT, "schema": _schema_to_plain(schema)}, *map(example_to_plain, examples)):
            stream.write(json.dumps(values, ensure_ascii=False) + "\n")


# -------------------------------------------------------------------------------- reading


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines that are not empty, each with its number."""
    try:
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield number, _json(path, number, line)
    except UnicodeDecodeError as error:
        raise BrokenDataset(f"{path.name} is no text in UTF-8 ({error.reason} at byte {error.start})") from error


def _json(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _line_error(path, number, f"it is no JSON ({error})") from error
    if not isinstance(values, dict):
        raise _line_error(path, number, "it is not a JSON object")
    return values


def _line_error(path: Path, number: int, reason: str) -> BrokenDataset:
    return BrokenDataset(f"{path.name}, line {number}: {reason}")


def _schema_of(path: Path) -> Schema:
    """The schema in the first line; values that it leaves open are those that occur."""
    number, header = next(_lines(path), (1, {}))
    try:
        if number != 1 or header.get("format") != FORMAT:
            raise BrokenDataset(f"the file should begin with its format, {FORMAT!r}, and a schema")
        said = _mapping(header.get("schema"), "the schema")
        _only(said, ("name", "attributes", "relations", "distinct", "reading"), "the schema")
        attributes = _mappings(said.get("attributes"), "attributes")
        open_ones = {_text(one.get("name"), "the name of an attribute") for one in attributes if "values" not in one}
    except DeixisError as error:
        raise _line_error(path, number, str(error)) from error
    met = _values_met(path, open_ones) if open_ones else {}
    try:
        return _schema_from(said, met)
    except DeixisError as error:
        raise _line_error(path, number, str(error)) from error


def _values_met(path: Path, attributes: set[str]) -> dict[str, tuple[str, ...]]:
    """The values of some attributes that objects and expressions of a file have, sorted."""
    found: dict[str, set[str]] = {name: set() for name in attributes}

    def note(name: object, values: object) -> None:
        if isinstance(name, str) and name in found:
            several = values if isinstance(values, list) else [values]
            found[name].update(value for value in several if isinstance(value, str))

    def search(values: object) -> None:
        if isinstance(values, dict):
            for name, value in values.items():
                if name == "is" and isinstance(value, list) and len(value) == 2:
                    note(*value)
                else:
                    note(name, value)
                    search(value)
        elif isinstance(values, list | tuple):
            for value in values:
                search(value)

    for number, values in _lines(path):
        try:
            search((values.get("scenes"), values.get("expression")) if number > 1 else None)
        except RecursionError as error:
            raise _line_error(path, number, "it is nested too deep") from error
    return {name: tuple(sorted(values)) for name, values in found.items()}


def _schema_from(said: Mapping[str, Any], met: Mapping[str, tuple[str, ...]]) -> Schema:
    attributes = tuple(_attribute_from(one, met) for one in _mappings(said.get("attributes"), "attributes"))
    relations = tuple(_relation_from(one) for one in _mappings(said.get("relations", []), "relations"))
    for what, names in (("attribute", [a.name for a in attributes]), ("relation", [r.name for r in relations])):
        if len(set(names)) != len(names):
            raise BrokenDataset(f"the schema names an {what} twice")
    reading = said.get("reading", "superlative")
    if reading not in ("superlative", "comparative"):
        raise BrokenDataset(f"the reading is superlative or comparative, got {_shorten(reading)}")
    return Schema(
        name=_text(said.get("name", "plain"), "the name of the schema"),
        attributes=attributes,
        relations=relations,
        distinct=_flag(said.get("distinct", False), "distinct"),
        reading=reading,
    )


def _attribute_from(said: Mapping[str, Any], met: Mapping[str, tuple[str, ...]]) -> Attribute:
    name = _text(said.get("name"), "the name of an attribute")
    _only(said, ("name", "values", "head", "ordered", "broader"), f"the attribute {name!r}")
    is_ordered = _flag(said.get("ordered", False), "ordered")
    if is_ordered and "values" not in said:
        raise BrokenDataset(f"the attribute {name!r} is ordered, so its values must be listed from least to most")
    broader = _mapping(said.get("broader", {}), "broader")
    wider = tuple((word, _text(above, "a broader value")) for word, above in broader.items())
    if "values" in said:
        values = tuple(_text(value, f"a value of {name!r}") for value in _list(said["values"], "values"))
    else:
        values = tuple(sorted({*met[name], *(word for pair in wider for word in pair)}))
    return Attribute(
        name=name, values=values, is_head=_flag(said.get("head", False), "head"), is_ordered=is_ordered, broader=wider
    )


def _relation_from(said: Mapping[str, Any]) -> Relation:
    name = _text(said.get("name"), "the name of a relation")
    _only(said, ("name", "symmetric", "to"), f"the relation {name!r}")
    implied = _mapping(said.get("to", {}), "to")
    return Relation(
        name=name,
        is_symmetric=_flag(said.get("symmetric", False), "symmetric"),
        to=tuple((attribute, _text(value, "an implied value")) for attribute, value in implied.items()),
    )


def _grounded_from(values: Mapping[str, Any], schema: Schema) -> PlainExample:
    _only(values, FIELDS, "the example")
    scenes = tuple(scene_from_plain(one, schema) for one in _list(values.get("scenes"), "scenes"))
    target = [_index(one, "target") for one in _list(values.get("target"), "the target")]
    if len(target) != 2:
        raise BrokenDataset("the target is [scene, object], counted from 0")
    expression = _expression_from(values.get("expression"), schema)
    if any(isinstance(part.step, Nth) for part in parts(expression)) and not all(scene.points for scene in scenes):
        raise BrokenDataset("the expression counts from a side, so every scene needs points")
    text, split = (_text(values.get(name, ""), name, may_be_empty=True) for name in ("text", "split"))
    number = values.get("id", "")
    name = str(number) if isinstance(number, int) else _text(number, "id", may_be_empty=True)
    return PlainExample(context=Context(scenes, Where(*target)), expression=expression, id=name, text=text, split=split)


def _expression_from(said: Any, schema: Schema) -> Expression:
    expression = expression_from_plain(said)
    for part in parts(expression):
        match part.step:
            case Is(attribute, value):
                schema.attribute(attribute).code(value)
            case Extreme(attribute, _):
                schema.attribute(attribute).demand_order()
            case Related(relation, _):
                schema.relation(relation)
    return expression


# -------------------------------------------------------------------------------- demanding


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise BrokenDataset(f"{what} should be a list, got {_shorten(value)}")
    return value


def _mapping(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BrokenDataset(f"{what} should be an object, got {_shorten(value)}")
    return value


def _mappings(value: Any, what: str) -> list[dict[str, Any]]:
    return [_mapping(one, f"each of {what}") for one in _list(value, what)]


def _only(said: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    for name in said:
        if name not in known:
            raise BrokenDataset(f"{what} has no field {name!r}; known: {', '.join(known)}")


def _text(value: Any, what: str, *, may_be_empty: bool = False) -> str:
    if not isinstance(value, str) or not (value or may_be_empty):
        raise BrokenDataset(f"{what} should be a text, got {_shorten(value)}")
    return value


def _flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise BrokenDataset(f"{what} is true or false, got {_shorten(value)}")
    return value


def _index(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BrokenDataset(f"{what} should be a whole number, got {_shorten(value)}")
    return value


def _shorten(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"


# -------------------------------------------------------------------------------- writing


def _schema_to_plain(schema: Schema) -> dict[str, Any]:
    attributes = [
        {"name": a.name, "values": list(a.values)}
        | ({"head": True} if a.is_head else {})
        | ({"ordered": True} if a.is_ordered else {})
        | ({"broader": dict(a.broader)} if a.broader else {})
        for a in schema.attributes
    ]
    relations = [
        {"name": r.name} | ({"symmetric": True} if r.is_symmetric else {}) | ({"to": dict(r.to)} if r.to else {})
        for r in schema.relations
    ]
    return {
        "name": schema.name,
        "attributes": attributes,
        "relations": relations,
        "distinct": schema.distinct,
        "reading": schema.reading,
    }
