"""Stars2: people's descriptions of solids, with the objects of every scene and the content of every description.

A release has the scenes (`Stars2-contexts.xml`) and a folder of descriptions: it is read, or either, or one file.

What a description says is annotated by attribute and value; a prefix names the object it is said of (`landmark-`,
`second-landmark-`), and the value of a relation is the name of the other object. The meaning follows these entries
alone. A relation leads to the description of the object that it names, so `near-w landmark-type-cube` is 'near a cube'.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset, SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import Is, Related
from deixis.readers.files import head_of, xml_tree
from deixis.readers.reader import Image, Reader, ReadExample, RefusedRecord
from deixis.scene.scene import PlainScene, Where
from deixis.schema import Attribute, Relation, Schema


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from xml.etree.ElementTree import Element


SCHEMA = Schema(
    name="stars2",
    attributes=(
        Attribute(name="type", values=("ball", "cone", "cube"), is_head=True),
        Attribute(name="color", values=("grey", "red")),
        Attribute(name="size", values=("small", "regular")),
        Attribute(name="hpos", values=("left", "centre", "right")),
        Attribute(name="vpos", values=("top", "centre", "bottom")),
    ),
    relations=tuple(
        Relation(name=name) for name in ("near", "left", "right", "in-front-of", "behind", "above", "below")
    ),
)
RELATIONS = frozenset(relation.name for relation in SCHEMA.relations)
VALUES = {attribute.name: frozenset(attribute.values) for attribute in SCHEMA.attributes}
NAMES = {"colour": "color", "screen-hpos": "hpos", "screen-vpos": "vpos"}  # places are annotated as on the screen
SYNONYMS = {"sphere": "ball"}  # as an early release says
PREFIXES = ("", "landmark-", "second-landmark-")
ANCHORS = ("LANDMARK", "SECOND-LANDMARK")  # fields that name the objects of the other prefixes
CONTEXTS = re.compile(r"stars2?-?contexts?.*\.xml", re.IGNORECASE)
DESCRIPTIONS = ("descriptions", "description", "Trials")
FACTS = ("SPEAKER", "AGE", "GENDER", "EXP", "HEARER", "COND", "SEQ", "PREVIOUS", "SOURCE", "TARGET", *ANCHORS)


class Stage(NamedTuple):
    """One scene, with the names of its objects."""

    scene: PlainScene
    names: tuple[str, ...]


class Record(NamedTuple):
    """One description: the fields around it, its entries, and the scenes of the release, None where there are none."""

    fields: Mapping[str, str]
    entries: tuple[tuple[str, str], ...] | None
    stages: Mapping[str, Stage | str] | None


def sniff(path: Path) -> bool:
    """Return whether a path is a release of Stars2, its folder of descriptions, or one of its files."""
    if not path.is_dir():
        return _is_trial(path) or (path.suffix.lower() == ".xml" and _is_scenes(path))
    files = sorted(path.glob("*.xml"))
    if any(CONTEXTS.fullmatch(file.name) and _is_scenes(file) for file in files):
        return True
    return bool(files) and _is_trial(files[0])


def records(path: Path) -> Iterator[Record]:
    """Yield the descriptions, speaker by speaker in the order of their numbers."""
    trials = _trials(path)
    if not trials:
        raise BrokenDataset(f"{path} has no folder {DESCRIPTIONS[0]} with XML files beside the scenes")
    contexts = _contexts(path)
    stages = None if contexts is None else _read_stages(contexts)
    for trial in trials:
        root = xml_tree(trial)
        for context in root.iter("CONTEXT"):
            fields = {**root.attrib, "TRIAL": root.get("ID", trial.stem), **context.attrib}
            described = context.findall("ATTRIBUTE-SET")
            if not described:
                yield Record(fields, None, stages)
            for one in described:
                entries = tuple((entry.get("NAME", ""), entry.get("VALUE", "")) for entry in one.iter("ATTRIBUTE"))
                yield Record({**fields, **one.attrib, "ID": fields.get("ID", "")}, entries, stages)


def read(record: Record) -> Iterator[ReadExample]:
    """Yield the example of one description."""
    fields, entries, stages = record
    if entries is None:
        raise RefusedRecord("no-description", f"scene {fields.get('ID')} of speaker {fields.get('TRIAL')}")
    scenes: tuple[PlainScene, ...] = ()
    targets: tuple[Where, ...] = ()
    if stages is not None:
        stage = stages.get(fields["ID"])
        if stage is None or isinstance(stage, str):
            raise RefusedRecord("no-scene" if stage is None else "odd-scene", stage or fields["ID"])
        if fields["TARGET"] not in stage.names:
            raise RefusedRecord("no-target", f"{fields['TARGET']} in scene {fields['ID']}")
        scenes, targets = (stage.scene,), (Where(0, stage.names.index(fields["TARGET"])),)
    facts: dict[str, Any] = {key.lower().replace("-", "_"): fields[key] for key in FACTS if fields.get(key)}
    facts["portuguese"] = fields.get("STRING", "").strip()
    meaning, unread = _meaning(entries, fields)
    if unread:
        facts["unread"] = unread
    said = {f"{name}-{value}" for name, value in entries}
    if more := [word for word in fields.get("ANNOTATION", "").split() if word not in said]:
        facts["annotated_only"] = more
    yield ReadExample(
        id="-".join(fields.get(key, "") for key in ("TRIAL", "ID", "SEQ")).strip("-"),
        text=fields.get("TRANSLATION", "").strip() or fields.get("STRING", "").strip(),
        scenes=scenes,
        targets=targets,
        meaning=None if unread else meaning,
        images=(Image(fields["IMAGE"]),) if fields.get("IMAGE") else (),
        facts=facts,
    )


def _meaning(entries: tuple[tuple[str, str], ...], fields: Mapping[str, str]) -> tuple[Description, list[str]]:
    """Return the meaning of what is annotated, and the entries that have none."""
    steps: list[list[Is]] = [[] for _ in PREFIXES]
    links: list[list[tuple[str, int]]] = [[] for _ in PREFIXES]
    unread: list[str] = []
    for entry, value in entries:
        level = next(number for number in (2, 1, 0) if entry.startswith(PREFIXES[number]))
        name = entry[len(PREFIXES[level]) :]
        name = NAMES.get(name, name)
        if name in RELATIONS:
            links[level].append((name, _place(value, level, fields)))
        elif (value := SYNONYMS.get(value, value)) in VALUES.get(name, ()):
            steps[level].append(Is(name, value))
        else:
            unread.append(f"{entry}-{value}")

    def describe(level: int, above: frozenset[int]) -> Description:
        if level >= len(PREFIXES) or level in above:  # an object of which nothing is said, or that is described already
            return Description()
        inner = above | {level}
        clauses = (Related(name, describe(other, inner)) for name, other in dict.fromkeys(links[level]))
        return Description((*dict.fromkeys(steps[level]), *clauses))

    return describe(0, frozenset()), unread


def _place(name: str, level: int, fields: Mapping[str, str]) -> int:
    """Return the number of the prefix under which an object is described, or one past the last if it is not."""
    known = [fields.get("TARGET"), *(fields.get(anchor) for anchor in ANCHORS)]
    if found := [number for number in (1, 2, 0) if known[number] == name]:
        return found[0]
    return level + 1 if level + 1 < len(known) and known[level + 1] is None else len(PREFIXES)


def _read_stages(path: Path) -> dict[str, Stage | str]:
    """Return the scenes by name; of one that cannot be read, what is wrong with it."""
    found: dict[str, Stage | str] = {}
    for context in xml_tree(path).iter("CONTEXT"):
        name = context.get("ID", "")
        try:
            found[name] = _stage(context)
        except (SchemaError, LookupError, ValueError) as error:
            found[name] = f"{name}: {error}"
    if not found:
        raise BrokenDataset(f"{path} holds no scenes")
    return found


def _stage(context: Element) -> Stage:
    things = context.findall("ATTRIBUTE-SET")
    names = tuple(thing.get("ID", "") for thing in things)
    if len(set(names)) != len(names):
        raise SchemaError("two objects have the same name")
    objects: list[frozenset[tuple[str, str]]] = []
    links: set[tuple[str, int, int]] = set()
    for number, thing in enumerate(things):
        values: set[tuple[str, str]] = set()
        for entry in thing.iter("ATTRIBUTE"):
            name, value = entry.get("NAME", ""), entry.get("VALUE", "")
            if name in RELATIONS:
                if value not in names:
                    raise SchemaError(f"{name} names {value[:20]!r}, which is no object of the scene")
                links.add((name, number, names.index(value)))
            else:
                values.add((NAMES.get(name, name), SYNONYMS.get(value, value)))
        objects.append(frozenset(values))
    return Stage(PlainScene(schema=SCHEMA, objects=tuple(objects), links=frozenset(links)), names)


def _trials(path: Path) -> list[Path]:
    """Return the files of the speakers, in the order of their numbers."""
    if _is_trial(path):
        return [path]
    folder = path if path.is_dir() else path.parent
    for place in (*(folder / name for name in DESCRIPTIONS), folder):
        if found := [file for file in place.glob("*.xml") if not CONTEXTS.fullmatch(file.name)]:
            return sorted(found, key=lambda file: (int("0" + "".join(re.findall(r"[0-9]+", file.stem))[:9]), file.name))
    return []


def _contexts(path: Path) -> Path | None:
    """Return the file of the scenes: the path itself, or the one in its folder or the folder above."""
    if path.is_file() and _is_scenes(path):
        return path
    folder = path if path.is_dir() else path.parent
    files = (file for place in (folder, folder.absolute().parent) for file in sorted(place.glob("*.xml")))
    return next((file for file in files if CONTEXTS.fullmatch(file.name)), None)


def _is_trial(path: Path) -> bool:
    head = head_of(path) if path.suffix.lower() == ".xml" else ""
    return bool(re.search(r"<TRIAL\s[^>]*\bSPEAKER=", head)) and ("<ATTRIBUTE-SET" in head or "<CONTEXT" in head)


def _is_scenes(path: Path) -> bool:
    return bool(re.search(r"<DOMAIN\s[^>]*NAME=.Stars2", head_of(path), re.IGNORECASE))


READER = Reader(
    name="stars2",
    title="Stars2: people's descriptions of solids",
    task="refer",
    license="free for research, cite the publication",
    citation="Paraboni, Galindo and Iacovelli (2016). Stars2: a corpus of object descriptions in a visual domain.",
    schema=SCHEMA,
    sniff=sniff,
    records=records,
    read=read,
    refusals={
        "no-description": "a speaker is shown a scene, but the file has no description of it",
        "no-scene": "the file of the scenes does not have the one that is described",
        "odd-scene": "the scene has values or objects that Stars2 does not have",
        "no-target": "the object that is meant is not in the scene",
    },
    about="The text is the English translation; `portuguese` is what was said. Sizes are the values that the scenes "
    "record. An entry that names nothing in the scenes leaves the example without meaning (`unread`). Marks that only "
    "the field ANNOTATION has, such as `xsecond-landmark-others-1`, name no value: they are kept in `annotated_only`. "
    "Without the file of the scenes there is meaning, but no scene. People err: not every description is true.",
)
