"""CLEVR-Ref+: expressions for objects of CLEVR scenes, each with the program that picks them out.

A file of expressions (`clevr_ref+_val_refexps.json`) is joined with the file of the scenes, which is looked for beside
it and in the folder `scenes` next to its own. A folder with files of expressions is read whole.

A program becomes an expression: `filter_color` is a word, `relate` and `same_size` are clauses, `filter_ordinal` is a
rank. The objects that are meant are those that the program gives, which is run on the scene; where the file records
other objects, these hold and the example has no meaning.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset
from deixis.readers._builtin._clevr_programs import (
    ATTRIBUTES,
    COMPARED,
    NOT_SEEN,
    ODD,
    SCHEMA,
    SIDES,
    Objects,
    express_program,
    read_program,
    run_program,
)
from deixis.readers.files import head_of, json_items
from deixis.readers.reader import ALL, Image, Reader, ReadExample, RefusedRecord
from deixis.scene.scene import PlainScene, Point, Where


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


WIDTH, HEIGHT = 480, 320  # of the pictures
HEAD = 16384  # bytes: programs may come before the words
SEEN, HIDDEN = ATTRIBUTES["visible"]
_VALUES: dict[tuple[Any, ...], Mapping[str, str]] = {}


class Record(NamedTuple):
    """One expression with its scene: None where it is missing, a text where it cannot be read."""

    id: str
    split: str
    fields: dict[str, Any]
    objects: Objects | str | None


def sniff(path: Path) -> bool:
    """Return whether a file holds expressions with programs, or a folder such files."""
    if path.is_dir():
        return any(sniff(file) for file in _files(path))
    head = head_of(path, HEAD) if path.suffix.lower() == ".json" else ""
    return '"refexps"' in head and '"program"' in head and '"inputs"' in head


def records(path: Path) -> Iterator[Record]:
    """Yield the expressions, each with its scene."""
    files = _files(path) if path.is_dir() else [path]
    if not files:
        raise BrokenDataset(f"{path} holds no file of expressions (*refexps*.json)")
    for file in files:
        scenes = _read_scenes(_scene_file(file))
        for number, fields in enumerate(json_items(file, "refexps")):
            if not isinstance(fields, dict):
                fields = {}  # noqa: PLW2901 (refused below)
            split, image = str(fields.get("split") or ALL), fields.get("image_index")
            objects = scenes.get(image) if isinstance(image, int | str) else None
            yield Record(f"{split}-{number}", split, fields, objects)


def read(record: Record) -> Iterator[ReadExample]:
    """Yield the example of one expression."""
    name, split, fields, objects = record
    if objects is None or isinstance(objects, str):
        raise RefusedRecord("no-scene" if objects is None else "odd-scene", objects or str(fields.get("image_index")))
    if not isinstance(text := fields.get("refexp"), str) or not text.strip():
        raise RefusedRecord("no-text", name)
    nodes = read_program(fields.get("program"))
    recorded = fields["program"][-1].get("_output")
    facts: dict[str, Any] = {"steps": len(nodes)}
    if isinstance(family := fields.get("refexp_family_index"), int):
        facts["family"] = family
    meaning = found = None
    try:
        found = run_program(nodes, objects)
        meaning = express_program(nodes)
    except RefusedRecord as refusal:
        if found is None and not isinstance(recorded, list):
            raise
        facts["unread"] = refusal.detail
    if isinstance(recorded, list):
        if found is not None and found != set(recorded):
            meaning, facts["unread"] = None, "the program gives other objects than are recorded"
        found = frozenset(recorded)
    if found is None or not all(type(one) is int and 0 <= one < len(objects.values) for one in found):
        raise RefusedRecord("no-objects", f"{name}: {str(recorded)[:40]}")
    yield ReadExample(
        id=name,
        text=text.strip(),
        split=split,
        scenes=(_scene(objects),),
        targets=tuple(Where(0, one) for one in sorted(found)),
        meaning=meaning,
        images=(Image(objects.name, WIDTH, HEIGHT),),
        facts=facts,
    )


@lru_cache(maxsize=256)
def _scene(objects: Objects) -> PlainScene:
    things = range(len(objects.values))
    links = {(side, k, n) for side in SIDES for n in things for k in things if objects.sides[side][n] >> k & 1}
    for name in COMPARED:
        same = ((k, n) for k in things for n in range(k) if objects.values[k][name] == objects.values[n][name])
        links.update((f"same {name}", k, n) for k, n in same)
    values = tuple(frozenset(value.items()) for value in objects.values)
    return PlainScene(schema=SCHEMA, objects=values, links=frozenset(links), points=objects.points)


def _read_scenes(path: Path | None) -> dict[int | str, Objects | str]:
    """Return the scenes by the number of their image; of one that cannot be read, what is wrong with it."""
    found: dict[int | str, Objects | str] = {}
    for number, scene in enumerate(json_items(path, "scenes") if path is not None else ()):
        image = scene.get("image_index", number) if isinstance(scene, dict) else number
        if not isinstance(image, int | str):
            continue
        try:
            found[image] = _objects(scene)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            found[image] = f"scene {image}: {type(error).__name__}: {str(error)[:80]}"
    return found


def _objects(scene: dict[str, Any]) -> Objects:
    things, related = scene["objects"], {side: scene["relationships"][side] for side in SIDES}
    known = range(len(things))
    if any(
        len(lists) != len(things) or any(k not in known for some in lists for k in some) for lists in related.values()
    ):
        raise ValueError("the relationships are not those of the objects")
    sides = {side: tuple(sum(1 << k for k in set(some)) for some in lists) for side, lists in related.items()}
    points = tuple(Point(float(thing["pixel_coords"][1]), float(thing["pixel_coords"][0])) for thing in things)
    return Objects(str(scene.get("image_filename", "")), tuple(map(_values, things)), points, sides)


def _values(thing: dict[str, Any]) -> Mapping[str, str]:
    """Return the values of an object; one mapping serves all objects that are alike."""
    key = (*(thing[name] for name in COMPARED), thing.get("visible", thing.get("fully_visible")))
    if key not in _VALUES:
        values = dict(zip(COMPARED, key, strict=False))
        if key[-1] is not None:
            values["visible"] = {True: SEEN, False: HIDDEN}.get(key[-1], key[-1])
        for name, value in values.items():
            if value not in ATTRIBUTES[name]:
                raise ValueError(f"{name} {str(value)[:40]!r} is not known")
        _VALUES[key] = values
    return _VALUES[key]


def _files(folder: Path) -> list[Path]:
    places = (folder, folder / "refexps")
    return [file for place in places for file in sorted(place.glob("*refexps*.json")) if file.is_file()]


def _scene_file(path: Path) -> Path | None:
    """Return the file of the scenes: that of the same name, or the only one there is."""
    folder = path.absolute().parent
    for place in (folder, folder / "scenes", folder.parent / "scenes"):
        if (same := place / path.name.replace("refexps", "scenes")).is_file() and same != path.absolute():
            return same
        if len(found := sorted(place.glob("*scenes*.json"))) == 1:
            return found[0]
    return None


READER = Reader(
    name="clevr_ref",
    title="CLEVR-Ref+: expressions with programs for objects of CLEVR scenes",
    task="refer",
    license="BSD 3-Clause (generator); CC BY 4.0 (CLEVR scenes)",
    citation="Liu, Liu, Bai and Yuille (2019). CLEVR-Ref+: diagnosing visual reasoning with referring expressions. "
    "CVPR.",
    schema=SCHEMA,
    sniff=sniff,
    records=records,
    read=read,
    refusals={
        "no-scene": "the scene is not in the file of the scenes, or there is no such file beside the expressions",
        "odd-scene": "the scene has values or fields that CLEVR does not have",
        "no-text": "the expression is empty",
        ODD: "the program has functions, values or inputs that CLEVR-Ref+ does not have",
        NOT_SEEN: "the program asks what is fully visible, and neither the scene nor the file says it",
        "no-objects": "the file records objects that the scene does not have",
    },
    is_resolvable=True,
    about="Several objects may be meant. Ranks from left, right and front are counted by the pixels of the centres. "
    "`unread` says why an example has no meaning: two ranks that meet, a rank in an alternative, visibility that the "
    "scenes do not record, or a program that gives other objects than the file records.",
)
