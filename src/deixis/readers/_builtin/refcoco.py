"""RefCOCO, RefCOCO+, RefCOCOg and gRefCOCO: references to objects of COCO, among all objects of the image.

| read | objects from |
|---|---|
| `refs(unc).p`, `grefs(unc).json`, … : a list of references, pickled or JSON | `instances.json` beside it |
| a folder with such files, or with folders of them | likewise |
| one JSON file with `ref` and `coco_anns`, as TFDS is built from | the same file |
| one JSON file with `images`, `annotations`, `categories` and `refs` | the same file |

Pickles are never unpickled, see `deixis.readers.pickles`. All boxes are (left, top, width, height) in pixels.

**Partitions.** The same references were divided several times (`unc`, `google`, `umd`), so that one may be in train
here and in test there. Where a file or folder holds one partition of one dataset, splits have the names that it gives
them; where it holds several, the names begin with dataset and partition (`refcoco-unc-testA`), so that every comparison
of splits says which partitions it compares.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset
from deixis.readers._builtin._coco import REFUSALS, Catalogue, find_instances, make_all, name_dataset, name_split
from deixis.readers._region_scene import SCHEMA
from deixis.readers.files import head_of, json_entries, json_items, tail_of
from deixis.readers.pickles import pickle_items
from deixis.readers.reader import ALL, Reader, RefusedRecord


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.readers.reader import ReadExample


FILES = re.compile(r"g?refs\s*\((?P<partition>[^)]*)\)\.(p|pkl|pickle|json)|g?refs\.(p|pkl|pickle|json)")
PICKLES = ("p", "pkl", "pickle")
NO_OBJECT = -1  # what gRefCOCO lists where nothing fits


class Reference(NamedTuple):
    """One reference: its fields, where it is from, and the images and objects it is about."""

    fields: Any
    dataset: str
    partition: str
    catalogue: Catalogue
    is_one_of_several: bool


def sniff(path: Path) -> bool:
    """Return whether a path is a file of references, or a folder with some."""
    if path.is_dir():
        return any(find_instances(file) is not None and _is_list(file) for file in _files(path))
    return _is_list(path) or bool(_key_of(path))


def records(path: Path) -> Iterator[Reference]:
    """Yield the references, file by file in the order of their names."""
    if key := _key_of(path):
        yield from _read_whole(path, key)
        return
    files = _files(path) if path.is_dir() else [path]
    if not files:
        raise BrokenDataset(f"{path} holds no file of references such as refs(unc).p")
    catalogue, place = Catalogue(), None
    for file in files:
        instances = find_instances(file)
        if instances is None:
            raise BrokenDataset(f"{file}: instances.json, which has the boxes, does not lie beside it")
        if instances != place:
            catalogue, place = Catalogue.read(instances), instances
        found = FILES.fullmatch(file.name)
        partition = (found["partition"] or "") if found else ""
        dataset = name_dataset(file.absolute().parent.name)
        is_pickle = file.suffix[1:] in PICKLES
        for fields in pickle_items(file) if is_pickle else json_items(file):
            yield Reference(fields, dataset, partition, catalogue, len(files) > 1)


def read(record: Reference) -> Iterator[ReadExample]:
    """Yield an example for every sentence of a reference."""
    fields, dataset, partition, catalogue, is_one_of_several = record
    objects = _objects(fields)
    parents = (dataset, partition) if is_one_of_several else ()
    split = name_split(str(fields.get("split") or ALL), *parents)
    prefix = "-".join(part for part in (*parents, str(fields["ref_id"])) if part)
    known = {"reference": fields["ref_id"], "dataset": dataset, "partition": partition}
    facts = {name: value for name, value in known.items() if value != ""}
    sentences = fields["sentences"]
    if not sentences:
        raise RefusedRecord("no-text", f"reference {prefix}")

    def make(number: int, sentence: dict[str, Any]) -> ReadExample:
        text, raw = sentence.get("sent") or sentence.get("raw"), sentence.get("raw")
        own: dict[str, Any] = {"raw": raw} if isinstance(raw, str) and raw.strip() != text else {}
        if isinstance(change := sentence.get("absent"), dict):  # what `deixis convert --to absent-refer` changed
            own["absent"] = change
        return catalogue.example(
            fields["image_id"],
            objects,
            name=f"{prefix}-{sentence.get('sent_id', number)}",
            text=text,
            split=split,
            facts={**facts, **own},
        )

    yield from make_all(partial(make, number, sentence) for number, sentence in enumerate(sentences))


def _objects(fields: dict[str, Any]) -> list[int]:
    """The numbers of the objects that are meant; none where the reference says that nothing fits."""
    meant = fields["ann_id"]
    if fields.get("no_target") or meant in ([], None, NO_OBJECT, [NO_OBJECT]):
        if fields.get("no_target") or isinstance(meant, list):
            return []
        raise RefusedRecord("no-box", f"reference {fields['ref_id']}")
    return list(meant) if isinstance(meant, list) else [meant]


def _read_whole(path: Path, key: str) -> Iterator[Reference]:
    """Yield the references of a file that has everything; it is read twice."""
    catalogue = Catalogue()
    partitions: set[tuple[str, str]] = set()
    for field, number, entry in json_entries(path):
        if field == key:
            partitions.add(_partition(entry))
        elif field == "coco_anns":
            catalogue.take(path, "images", number, entry.get("info") if isinstance(entry, dict) else None)
            for one in entry.get("anns", ()):
                catalogue.take(path, "annotations", number, one)
        else:
            catalogue.take(path, field, number, entry)
    has_begun = False
    for field, _, entry in json_entries(path):
        if field == key:
            has_begun = True
            yield Reference(entry, *_partition(entry), catalogue, len(partitions) > 1)
        elif has_begun:  # what follows is read already
            break


def _partition(fields: Any) -> tuple[str, str]:
    """The dataset and the partition that a reference names."""
    if not isinstance(fields, dict):
        return "", ""
    dataset, partition = (fields.get(name) or "" for name in ("dataset", "dataset_partition"))
    return name_dataset(str(dataset)), str(partition)


def _files(folder: Path) -> list[Path]:
    """The files of references in a folder, or in the folders in it."""
    for pattern in ("*refs*.*", "*/*refs*.*"):
        if found := sorted(file for file in folder.glob(pattern) if FILES.fullmatch(file.name)):
            return found
    return []


def _is_list(path: Path) -> bool:
    """Whether a file is a list of references, pickled or JSON."""
    head = head_of(path)
    if not ("ref_id" in head and "sent" in head) or "raw_image_info" in head:
        return False
    start = head.lstrip()[:1]
    return path.suffix[1:] in PICKLES or (start == "[" and '"sentences"' in head)


def _key_of(path: Path) -> str:
    """The field of a file with everything that holds its references, or an empty text."""
    head = head_of(path)
    if path.suffix.lower() == ".jsonl" or head.lstrip()[:1] != "{":
        return ""
    ends = head + tail_of(path)
    if '"refs"' in ends and '"ref_id"' in ends and '"sentences"' in ends:  # objects may lie far from both ends
        return "refs"
    return "ref" if '"coco_anns"' in ends or '"dataset_partition"' in ends else ""


READER = Reader(
    name="refcoco",
    title="RefCOCO, RefCOCO+, RefCOCOg: references to objects in photographs",
    task="localise",
    license="Apache-2.0 (references); images and objects: COCO's terms",
    citation="Kazemzadeh, Ordonez, Matten and Berg (2014). ReferItGame. EMNLP. Yu, Poirson, Yang, Berg and Berg "
    "(2016). Modeling context in referring expressions. ECCV. Mao and others (2016). Generation and comprehension of "
    "unambiguous object descriptions. CVPR.",
    schema=SCHEMA,
    sniff=sniff,
    records=records,
    read=read,
    refusals=REFUSALS,
    about="One example for every sentence; its text is the sentence in lower case (`sent`), and `raw` what was typed "
    "where that differs. All objects of the image are candidates, without groups (`iscrowd`). A text has a meaning "
    "where a small language of places, sizes and categories covers every word of it. Where several partitions are read "
    "together, the names of splits begin with dataset and partition.",
)
