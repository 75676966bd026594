"""NLVR: statements about three boxes with flat shapes, true or false, with the votes of several people.

Files are JSON Lines (`train.json`, `dev.json`, `test.json`), a JSON list, or lines in which the scenes of a sentence
are gathered under `worlds` and `labels`. A folder with the splits is read in their order: of each split the file of
its name or the final one, or where there is neither all files whose names begin with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset
from deixis.readers.files import head_of, json_items, json_lines
from deixis.readers.reader import ALL, Reader, ReadExample, RefusedRecord
from deixis.scene.scene import PlainScene, Point
from deixis.schema import Attribute, Schema


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


SCHEMA = Schema(
    name="nlvr",
    attributes=(
        Attribute(name="shape", values=("circle", "square", "triangle"), is_head=True),
        Attribute(name="color", values=("black", "blue", "yellow")),
        Attribute(name="size", values=("small", "medium", "big"), is_ordered=True),
    ),
)
COLORS = {
    "black": "black",
    "#000000": "black",
    "#000": "black",
    "blue": "blue",
    "#0099ff": "blue",
    "#09f": "blue",
    "#0000ff": "blue",
    "yellow": "yellow",
    "#ffff00": "yellow",
    "#ff0": "yellow",
}
SIZES = {10: "small", 20: "medium", 30: "big"}  # pixels of 100, the side of a box
CHOICES = ("true", "false")
LABELS = {"true": 0, "false": 1, "True": 0, "False": 1, True: 0, False: 1}
SPLITS = ("train", "dev", "test", "hidden")
HEAD = 32768  # bytes: the hidden test has its scenes twice before the sentence
WORLDS = ("structured_rep", "worlds")
_OBJECTS: dict[tuple[Any, Any, Any], frozenset[tuple[str, str]]] = {}


def sniff(path: Path) -> bool:
    """Return whether a file holds statements of NLVR, or a folder such files."""
    if path.is_dir():
        return any(sniff(file) for file in _files(path))
    head = head_of(path, HEAD)
    return head.lstrip()[:1] in ("{", "[") and '"sentence"' in head and any(f'"{name}"' in head for name in WORLDS)


def records(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the statements, each with the split that the name of its file says."""
    files = _files(path) if path.is_dir() else [path]
    if not files:
        raise BrokenDataset(f"{path} holds no file of NLVR: train.json, dev.json or test.json")
    for file in files:
        split = next((name for name in SPLITS if file.name.startswith(name)), ALL)
        is_list = head_of(file, 64).lstrip()[:1] == "["
        for record in json_items(file) if is_list else json_lines(file):
            yield split, record


def read(record: tuple[str, Any]) -> Iterator[ReadExample]:
    """Yield the example of a statement, or one for every scene that it is said of."""
    split, fields = record
    text, name = fields["sentence"], str(fields["identifier"])
    if not isinstance(text, str) or not text.strip():
        raise RefusedRecord("no-text", name)
    if "worlds" not in fields:
        yield _example(fields, name, split, fields["structured_rep"], fields.get("label"))
        return
    worlds, labels = fields["worlds"], fields["labels"]
    if len(worlds) != len(labels):
        raise RefusedRecord("no-label", f"{name} has {len(worlds)} scenes and {len(labels)} labels")
    for number, (world, label) in enumerate(zip(worlds, labels, strict=True)):
        yield _example(fields, f"{name}-{number}", split, world, label)


def _example(fields: dict[str, Any], name: str, split: str, boxes: Any, label: Any) -> ReadExample:
    if not isinstance(label, str | bool) or label not in LABELS:
        raise RefusedRecord("no-label", f"{name}: {str(label)[:40]}")
    right = LABELS[label]
    facts: dict[str, Any] = {}
    if isinstance(votes := fields.get("evals"), dict) and votes:
        agreeing = sum(LABELS.get(vote) == right for vote in votes.values())
        facts["votes"], facts["agreement"] = len(votes), agreeing / len(votes)
    if "directory" in fields:
        facts["directory"] = str(fields["directory"])
    scenes = tuple(map(_scene, boxes))
    return ReadExample(
        id=name, text=fields["sentence"], split=split, scenes=scenes, choices=CHOICES, right=right, facts=facts
    )


def _scene(box: list[dict[str, Any]]) -> PlainScene:
    things, points = [], []
    for thing in box:
        key = thing["type"], thing["color"], thing["size"]
        if (known := _OBJECTS.get(key)) is None:
            known = _OBJECTS[key] = _values(*key)
        things.append(known)
        points.append(Point(thing["y_loc"], thing["x_loc"]))
    return PlainScene(schema=SCHEMA, objects=tuple(things), points=tuple(points))


def _values(shape: Any, color: Any, size: Any) -> frozenset[tuple[str, str]]:
    """Return the values of an object as the schema names them."""
    named, big = COLORS.get(str(color).lower()), SIZES.get(size)
    if shape not in SCHEMA.attributes[0].values or named is None or big is None:
        raise RefusedRecord("odd-object", f"{str(shape)[:20]} of colour {str(color)[:20]} and size {str(size)[:20]}")
    return frozenset({("shape", shape), ("color", named), ("size", big)})


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder, or of a folder for each split in it, split by split."""
    found = []
    for name in SPLITS:
        usual = (
            f"{name}/{name}.json",
            f"{name}.json",
            f"{name}.jsonl",
            f"{name}_final.json",
            f"{name}/{name}_final.json",
        )
        files = [folder / one for one in usual if (folder / one).is_file()][:1]
        files = files or sorted(folder.glob(f"{name}*.json*")) or sorted(folder.glob(f"{name}/{name}*.json*"))
        found += [file for file in files if file.is_file() and sniff(file)]
    return found


READER = Reader(
    name="nlvr",
    title="NLVR: statements about boxes with flat shapes",
    task="verify",
    license="CC BY 4.0",
    citation="Suhr, Lewis, Yeh and Artzi (2017). A corpus of natural language for visual reasoning. ACL.",
    schema=SCHEMA,
    sniff=sniff,
    records=records,
    read=read,
    refusals={
        "no-text": "the statement is empty",
        "no-label": "it is not said whether the statement is true",
        "odd-object": "an object has a shape, colour or size that NLVR does not have",
    },
    about="The three boxes are three scenes. A position is the upper left corner in a box of 100 x 100. Statements on "
    "which people were not of one mind are kept: `votes` says how many voted, `agreement` which part of them agrees "
    "with the label.",
)
