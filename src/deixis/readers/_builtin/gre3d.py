"""GRE3D3 and GRE3D7: people's descriptions of one of three or seven solids, with the content of every description.

The descriptions come as CSV and as XML; of a folder that has both, the CSV is read.

Beside what was typed stand the same words in a normal form (`small ball on-top-of large cube`) and a pattern that names
what each of them says (`tg_size tg_type rel lm_size lm_type`): `tg` is the target, `lm` the landmark. Words before the
relation are read as the target's, those behind it as the landmark's, and both must be what the pattern in normal order
lists; some patterns have slips such as `lm_tg_loc`.

The distribution does not say what is in the scenes; for those of GRE3D3 it is known from elsewhere.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from deixis.errors import BrokenDataset
from deixis.expression.description import Description
from deixis.expression.steps import Is, Related
from deixis.readers._builtin._gre3d_scenes import SCHEMA, is_known, known_scene
from deixis.readers.files import head_of, xml_tree
from deixis.readers.reader import ALL, Image, Reader, ReadExample, RefusedRecord
from deixis.scene.scene import Where


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


ATTRIBUTES = {"type": "type", "col": "color", "size": "size", "loc": "place"}
VALUES = {attribute.name: frozenset(attribute.values) for attribute in SCHEMA.attributes}
RELATIONS = frozenset(relation.name for relation in SCHEMA.relations)
SYNONYMS = {"adjacent-to": "next-to", "beside": "next-to", "near": "next-to", "on": "on-top-of", "below": "under"}
COLUMNS = {  # of the CSV, and the elements and attributes of the XML
    "subjid": "speaker",
    "p": "speaker",
    "sceneid": "scene",
    "s": "scene",
    "sceneorder": "order",
    "o": "order",
    "schema": "schema",
    "desc": "text",
    "original": "text",
    "cleaned": "cleaned",
    "pattern": "pattern",
    "orig_pattern": "pattern",
    "pattern (normalised order)": "normal",
    "pattern (normalized order)": "normal",
    "reordered_pattern": "normal",
}
NEEDED = ("speaker", "scene", "text", "cleaned", "pattern")
NEARLY_ALL = 0.9
LARGEST = 64 << 20  # bytes of a table


def sniff(path: Path) -> bool:
    """Return whether a file holds descriptions of GRE3D3 or GRE3D7, or a folder such files."""
    if path.is_dir():
        return bool(_files(path))
    head = head_of(path).lstrip()
    if head.startswith("<"):
        return "<TRIAL" in head and "<STRING-DESCRIPTION" in head and "<CLEANED" in head
    columns = {COLUMNS.get(name.strip().lower()) for name in re.split(r"[\r\n]", head, maxsplit=1)[0].split(",")}
    return columns.issuperset(NEEDED)


def records(path: Path) -> Iterator[dict[str, str]]:
    """Yield the fields of every description, by the names of `COLUMNS`, and of several files the name."""
    if not (files := _files(path) if path.is_dir() else [path]):
        raise BrokenDataset(f"{path} holds no file of GRE3D3 or GRE3D7 with descriptions")
    for file in files:
        more = {"corpus": file.stem} if len(files) > 1 else {}
        more |= {} if _is_of_three(file) else {"scenes": "not known"}
        yield from ({**record, **more} for record in _descriptions(file))


def _is_of_three(file: Path) -> bool:
    """Return whether nearly all scenes of a file are those of GRE3D3; some numbers of GRE3D7 are the same."""
    told = ((record.get("scene", ""), record.get("schema", "")) for record in _descriptions(file))
    known = [is_known(int(number), schema) for number, schema in told if number.isdecimal() and len(number) < 6]
    return sum(known) >= NEARLY_ALL * len(known)


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder, tables first; an XML file that stands beside its table is left."""
    files = [file for kind in ("csv", "xml") for file in sorted(folder.glob(f"*.{kind}")) if sniff(file)]
    return list({file.stem: file for file in reversed(files)}.values())[::-1]


def _descriptions(path: Path) -> Iterator[dict[str, str]]:
    if head_of(path).lstrip().startswith("<"):
        for trial in xml_tree(path).iter("TRIAL"):
            texts = {one.tag: one.text or "" for one in trial.iter() if one is not trial}
            yield _rename({**trial.attrib, **texts})
        return
    if not sniff(path):
        raise BrokenDataset(f"{path} has no columns {', '.join(NEEDED)}")
    text = _text(path)
    rows = csv.reader(io.StringIO(text, newline=None))
    open_line = len(text.splitlines()) if text[-1:] not in ("\r", "\n") else 0  # perhaps cut off
    try:
        head = [name.strip().lower() for name in next(rows, [])]
        for row in rows:
            if any(cell.strip() for cell in row):
                beyond, lacks = row[len(head) :], head[len(row) :]  # columns without a name may be left out
                is_whole = not any(beyond) and not any(lacks) and not (lacks and rows.line_num == open_line)
                yield _rename(dict(zip(head, row, strict=False))) if is_whole else {"row": ",".join(row)[:80]}
    except csv.Error as error:
        raise BrokenDataset(f"{path}, line {rows.line_num}: {error}") from error


def read(record: dict[str, str]) -> Iterator[ReadExample]:
    """Yield the example of one description."""
    if "row" in record:
        raise RefusedRecord("odd-row", record["row"])
    if not (text := record["text"] or record["cleaned"]):
        raise RefusedRecord("no-text", f"speaker {record['speaker']}, scene {record['scene']}")
    speaker, number = record["speaker"], int(record["scene"])
    facts: dict[str, Any] = {
        name: record[name] for name in ("speaker", "scene", "order", "schema", "cleaned", "pattern") if record.get(name)
    }
    meaning, unread = _meaning(record)
    if unread:
        facts["unread"] = unread
    scene = known_scene(number) if "scenes" not in record and is_known(number, record.get("schema", "")) else None
    corpus = record.get("corpus", "")
    yield ReadExample(
        id=f"{corpus}/p{speaker}s{number}" if corpus else f"p{speaker}s{number}",
        text=text,
        split=corpus or ALL,
        scenes=(scene,) if scene else (),
        targets=(Where(0, 0),) if scene else (),
        meaning=None if unread else meaning,
        images=(Image(f"{number}.jpg"),),
        facts=facts,
    )


def _meaning(record: dict[str, str]) -> tuple[Description, list[str]]:
    """Return the meaning of the words in normal form, and what of them has none."""
    names, words = record["pattern"].split(), record["cleaned"].split()
    phrases: list[list[Is]] = [[]]
    relations: list[str] = []
    listed: set[str] = set()
    unread: list[str] = []
    for name, word in zip(names, words, strict=False):
        role, kind = ("lm" if relations else "tg"), name.rpartition("_")[2]
        attribute, relation = ATTRIBUTES.get(kind, ""), SYNONYMS.get(word, word)
        if name == "rel" and relation in RELATIONS:
            relations.append(relation)
            phrases.append([])
        elif name != "rel" and word in VALUES.get(attribute, ()):
            phrases[-1].append(Is(attribute, word))
        else:
            unread.append(f"{name}={word}")
        listed.add("rel" if name == "rel" else f"{role}_{kind}")
    if len(names) != len(words) or not words:
        unread.append("as many words as the pattern names")
    if len(relations) > 1:
        unread.append("several relations")
    if not unread and listed != set(record.get("normal", "").split() or listed):
        unread.append("the pattern in normal order")
    clause = (Related(relations[0], Description(tuple(phrases[1]))),) if len(relations) == 1 else ()
    return Description((*phrases[0], *clause)), unread


def _rename(fields: dict[str, str]) -> dict[str, str]:
    return {COLUMNS[name.lower()]: value.strip() for name, value in fields.items() if name.lower() in COLUMNS}


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise BrokenDataset(f"{path} has more than {LARGEST >> 20} MiB")
        content = path.read_bytes()
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


READER = Reader(
    name="gre3d",
    title="GRE3D3 and GRE3D7: people's descriptions of solids in scenes of three or seven",
    task="refer",
    license="free for research, cite the publication",
    citation="Viethen and Dale (2008). The use of spatial relations in referring expressions. INLG. Viethen and Dale "
    "(2011). GRE3D7: a corpus of distinguishing descriptions for objects in visual scenes. UCNLG+Eval.",
    schema=SCHEMA,
    sniff=sniff,
    records=records,
    read=read,
    refusals={
        "odd-row": "the row has more or fewer cells than the head of the table; perhaps the file is cut short",
        "no-text": "nothing was typed",
    },
    about="The text is what was typed; the meaning follows the words in normal form and their pattern. Sizes are "
    "recorded values. Words without a value in the scenes (`same-size`) leave the example without meaning (`unread`). "
    "Scenes are known for GRE3D3 only, from a public annotation with which the descriptions agree.",
)
