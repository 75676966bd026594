"""Writers of the layouts that other tools read: refer, COCO, TSV and lines of JSON.

| form | what is written | read by |
|---|---|---|
| `refer` | a folder with `refs.json` and `instances.json`; never pickles, which can run code | refer's users |
| `coco` | one JSON file: `refs`, `images`, `annotations`, `categories` | COCO's tools, which ignore `refs` |
| `tsv` | one box a row, corners in pixels in `bbox_x1` to `bbox_y2` | VLMEvalKit and what is made of it |
| `jsonl` | a line an example with all that is known | anything |

A reference that fits nothing has `no_target` and the object -1, as gRefCOCO writes it; a row has no box and the label
`none`.
"""

from __future__ import annotations

import csv
import json
import re
from itertools import count
from typing import IO, TYPE_CHECKING, Any, Protocol

from deixis.errors import RecipeError, SchemaError
from deixis.expression.plain import expression_to_plain
from deixis.readers._formats.grounding import NUMBERS, OWN, ground
from deixis.readers._formats.scenes import plain_scene


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deixis.readers._formats.grounding import Grounding
    from deixis.readers.reader import ReadExample


NO_OBJECT = -1  # the object of a reference that fits nothing
NONE, FOUND = "none", "box"  # labels of rows
FIRST_ABSENT = 1_000_000_000  # from here on references that fit nothing are numbered, apart from all others
LARGEST_NUMBER = (1 << 53) - 1
CORNERS = ("bbox_x1", "bbox_y1", "bbox_x2", "bbox_y2")
HEAD = ("index", "id", "image_path", "question", "label", *CORNERS, "width", "height", "split")
CHANGE = ("original", "part", "word", "instead_of")  # of an expression that was changed to fit nothing
PARENTS = ("dataset", "partition")  # facts of an example that name the file of its reference
MAX_FILES = 64
REFS, INSTANCES = "refs.json", "instances.json"


class Writer(Protocol):
    """Takes examples one by one, and writes files."""

    def add(self, example: ReadExample) -> None:
        """Add an example, or raise `SchemaError` where the layout cannot say it."""

    def close(self) -> None:
        """Write what is left."""


class RefFile:
    """A list of references that is being written: examples of one that follow each other are its sentences."""

    def __init__(self, path: Path, head: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.stream: IO[str] = path.open("w", encoding="utf-8", newline="\n")
        self.stream.write(head + "[\n")
        self.waiting: dict[str, Any] = {}
        self.key: tuple[Any, ...] = ()
        self.taken: set[tuple[Any, ...]] = set()  # numbers of references and sentences, in each partition
        self.next_ref, self.next_sentence = count(), count()
        self.next_absent = count(FIRST_ABSENT)
        self._is_first = True

    def flush(self) -> None:
        """Write the reference that waits for further sentences."""
        if self.waiting:
            self.write(self.waiting)
            self.waiting = {}

    def write(self, reference: dict[str, Any]) -> None:
        """Write a reference."""
        self.stream.write(("" if self._is_first else ",\n") + _json(reference))
        self._is_first = False

    def end(self) -> None:
        """Write the end of the list."""
        self.flush()
        self.stream.write("\n]")


class ReferWriter:
    """Writes references and the file of their objects: apart for refer, together for COCO.

    Where examples say of which dataset and partition they are, refer has a folder for each dataset and a file for each
    of its partitions.
    """

    def __init__(self, path: Path, *, is_one_file: bool) -> None:
        self.path = path
        self.is_one_file = is_one_file
        self._objects = ObjectNumbers()
        self._files: dict[str, RefFile] = {}

    def add(self, example: ReadExample) -> None:
        """Add an example."""
        grounding = ground(example)
        _json(example.text).encode("utf-8")  # half a character is refused before anything is written
        image, right = self._objects.place(grounding)
        file = self._file(example)
        reference, sentence = _numbers_in(example)
        parents = tuple(example.facts.get(field) for field in PARENTS)
        if "absent" in example.facts:  # it stands between the sentences of the reference that it was made of
            absent = self._reference(example, image, right, next(file.next_absent), grounding)
            absent["sentences"] = [_sentence(example, next(file.next_absent))]
            absent["sent_ids"] = [absent["sentences"][0]["sent_id"]]
            file.write(absent)
            return
        key = (image, right, example.split, reference, parents)
        if not file.waiting or key != file.key:
            file.flush()
            number = _free(reference, file.taken, file.next_ref, ("ref", *parents))
            file.waiting, file.key = self._reference(example, image, right, number, grounding), key
        said = _sentence(example, _free(sentence, file.taken, file.next_sentence, ("sentence", *parents)))
        file.waiting["sentences"].append(said)
        file.waiting["sent_ids"].append(said["sent_id"])

    def close(self) -> None:
        """Write the last references, and the objects."""
        for file in self._files.values():
            file.end()
            if self.is_one_file:
                file.stream.write(",\n")
                self._objects.write(file.stream)
                file.stream.write("}")
            file.stream.write("\n")
            file.stream.close()
        if self._files and not self.is_one_file:
            with (self.path / INSTANCES).open("w", encoding="utf-8", newline="\n") as stream:
                stream.write("{")
                self._objects.write(stream)
                stream.write("}\n")

    def _file(self, example: ReadExample) -> RefFile:
        first = next(iter(self._files), "")
        name = "" if self.is_one_file else _file_name(example, is_first=not first, has_folders="/" in (first or "/"))
        if name not in self._files:
            if len(self._files) >= MAX_FILES:
                raise SchemaError(f"there are more than {MAX_FILES} partitions")
            self._files[name] = RefFile(
                self.path / name if name else self.path, '{"refs": ' if self.is_one_file else ""
            )
        return self._files[name]

    def _reference(
        self, example: ReadExample, image: int, right: tuple[int, ...], number: int, grounding: Grounding
    ) -> dict[str, Any]:
        reference: dict[str, Any] = {
            "ref_id": number,
            "ann_id": right[0] if len(right) == 1 else list(right) or [NO_OBJECT],
            "category_id": self._objects.category_of(right[0]) if right else NO_OBJECT,
            "image_id": image,
            "file_name": grounding.image.name,
            "split": _own_split(example),
            "sentences": [],
            "sent_ids": [],
        }
        for field, name in zip(PARENTS, ("dataset", "dataset_partition"), strict=True):
            if isinstance(value := example.facts.get(field), str):
                reference[name] = value
        if not right:
            reference["no_target"] = True
        return reference


class ObjectNumbers:
    """Images, objects and categories by number, as COCO has them."""

    def __init__(self) -> None:
        self._images: dict[str, dict[str, Any]] = {}
        self._taken: set[tuple[Any, ...]] = set()
        self._next = count(1)
        self._things: dict[int, dict[tuple[str, tuple[float, ...], int], int]] = {}  # of each image, by content
        self._annotations: list[dict[str, Any]] = []
        self._categories: dict[str, int] = {}

    def place(self, grounding: Grounding) -> tuple[int, tuple[int, ...]]:
        """Return the numbers of an image and of the objects that are meant."""
        name, width, height = grounding.image
        if name not in self._images:
            number = _free(_number_in(name), self._taken, self._next)
            self._images[name] = {"id": number, "file_name": name, "width": width, "height": height}
            self._things[number] = {}
        image = self._images[name]
        if (image["width"], image["height"]) != (width, height):
            raise SchemaError("its image has another size than in an example before")
        known, right = self._things[image["id"]], []
        seen: dict[tuple[str, tuple[float, ...]], int] = {}
        for category, box in grounding.objects:
            same = seen[category, tuple(box)] = seen.get((category, tuple(box)), -1) + 1  # twins count up
            key = (category, tuple(box), same)
            if key not in known:
                known[key] = self._add(image["id"], category, tuple(box))
            if not same and box in grounding.right:
                right.append((grounding.right.index(box), known[key]))
        return image["id"], tuple(dict.fromkeys(number for _, number in sorted(right)))

    def category_of(self, number: int) -> int:
        """Return the category of an object."""
        found: int = self._annotations[number - 1]["category_id"]
        return found

    def write(self, stream: IO[str]) -> None:
        """Write images, objects and categories as three fields of JSON."""
        lists: dict[str, Any] = {
            "images": self._images.values(),
            "annotations": self._annotations,
            "categories": [{"id": number, "name": name} for name, number in self._categories.items()],
        }
        for place, (field, entries) in enumerate(lists.items()):
            stream.write(("" if not place else ",\n") + f'"{field}": [\n')
            for k, entry in enumerate(entries):
                stream.write(("" if not k else ",\n") + _json(entry))
            stream.write("\n]")

    def _add(self, image: int, category: str, box: tuple[float, ...]) -> int:
        left, top, right, bottom = box
        code = self._categories.setdefault(category, NUMBERS.get(category, OWN + len(self._categories)))
        number = len(self._annotations) + 1
        sides = right - left, bottom - top
        entry = {"id": number, "image_id": image, "category_id": code, "bbox": [left, top, *sides]}
        self._annotations.append({**entry, "area": sides[0] * sides[1], "iscrowd": 0})
        return number


class TableWriter:
    """Writes a row an example, with the corners of its box in pixels."""

    def __init__(self, path: Path, *, has_changes: bool = False) -> None:
        self._stream = path.open("w", encoding="utf-8", newline="")
        self._table = csv.writer(self._stream, delimiter="\t", lineterminator="\n")
        self._has_changes = has_changes
        self._table.writerow((*HEAD, *CHANGE) if has_changes else HEAD)
        self._next = 0

    def add(self, example: ReadExample) -> None:
        """Add an example."""
        image, right, _ = ground(example)
        if len(right) > 1:
            raise SchemaError("several boxes are right, and a row has one")
        corners = right[0] if right else ("",) * 4
        size = (image.width or "", image.height or "")
        label = FOUND if right else NONE
        changed = _change_cells(example) if self._has_changes else ()
        cells = (self._next, example.id, image.name, example.text, label, *corners, *size, example.split, *changed)
        self._table.writerow(cells)
        self._next += 1

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


class LineWriter:
    """Writes a line of JSON an example."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("w", encoding="utf-8", newline="\n")
        self._kept: tuple[Any, Any] = ((), [])  # the scenes of the last example as plain values

    def add(self, example: ReadExample) -> None:
        """Add an example."""
        said = example.meaning or example.expression
        if self._kept[0] is not example.scenes:
            self._kept = example.scenes, [plain_scene(scene) for scene in example.scenes]
        is_there = bool(example.targets or example.boxes)
        line: dict[str, Any] = {
            "id": example.id,
            "split": example.split,
            "text": example.text,
            "label": FOUND if example.boxes else "object" if is_there else NONE,
            "boxes": [list(box) for _, box in example.boxes],
            "box_images": [image for image, _ in example.boxes],
            "space": example.space,
            "targets": [list(where) for where in example.targets],
            "images": [{"name": one.name, "width": one.width, "height": one.height} for one in example.images],
            "expression": None if said is None else expression_to_plain(said),
            "scenes": self._kept[1],
            "regions": [[list(box) for box in some] for some in example.regions],
            **({"absent": example.facts["absent"]} if "absent" in example.facts else {}),
        }
        self._stream.write(_json(line) + "\n")

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def open_writer(form: str, path: Path, *, has_changes: bool = False) -> Writer:
    """Return the writer of a form.

    Args:
        form: refer, coco, tsv or jsonl.
        path: the file or folder.
        has_changes: whether examples were changed to fit nothing, which rows of a table have columns for.
    """
    try:
        if form != "refer":
            path.parent.mkdir(parents=True, exist_ok=True)
        if form in ("refer", "coco"):
            return ReferWriter(path, is_one_file=form == "coco")
        return TableWriter(path, has_changes=has_changes) if form == "tsv" else LineWriter(path)
    except OSError as error:
        raise RecipeError(f"cannot write to {path}: {error.strerror or error}") from error


def _sentence(example: ReadExample, number: int) -> dict[str, Any]:
    raw = example.facts.get("raw")
    return {
        "tokens": re.findall(r"\w+", example.text.lower()),
        "raw": raw if isinstance(raw, str) else example.text,
        "sent": example.text,
        "sent_id": number,
        **({"absent": example.facts["absent"]} if "absent" in example.facts else {}),
    }


def _file_name(example: ReadExample, *, is_first: bool, has_folders: bool) -> str:
    """The file of the references of a dataset and partition; of others, one in the folder itself or in another one."""
    dataset, partition = (example.facts.get(field) for field in PARENTS)
    if not (has_folders and isinstance(dataset, str) and isinstance(partition, str)):
        return f"others/{REFS}" if has_folders and not is_first else REFS
    is_plain = re.fullmatch(r"[a-z0-9]{1,40}", dataset) and re.fullmatch(r"[A-Za-z0-9_.]{1,40}", partition)
    return f"{dataset}/refs({partition}).json" if is_plain else f"others/{REFS}"


def _own_split(example: ReadExample) -> str:
    """The split without the names of dataset and partition, which its reader puts before it."""
    parents = [example.facts.get(field) for field in ("dataset", "partition")]
    before = "-".join(part for part in parents if isinstance(part, str) and part) + "-"
    return example.split.removeprefix(before) or example.split


def _change_cells(example: ReadExample) -> tuple[str, ...]:
    change = example.facts.get("absent", {})
    address = ".".join(map(str, change.get("part", ())))
    return change.get("original", ""), address, change.get("word", ""), change.get("instead_of", "")


def _numbers_in(example: ReadExample) -> tuple[int | None, int | None]:
    """The numbers of the reference and of the sentence, where the id of an example is made of them."""
    reference = example.facts.get("reference")
    found = re.fullmatch(r"(?:.*-)?([0-9]{1,15})-([0-9]{1,15})", str(example.id))
    if found and reference == int(found[1]):
        return reference, int(found[2])
    return (reference if type(reference) is int and reference >= 0 else None), None


def _number_in(name: str) -> int | None:
    """The number at the end of the name of an image: 581857 of COCO_train2014_000000581857.jpg."""
    found = re.search(r"([0-9]{1,15})(?:\.[A-Za-z]+)?$", name)
    return int(found[1]) if found else None


def _free(wanted: int | None, taken: set[tuple[Any, ...]], others: Iterator[int], among: tuple[Any, ...] = ()) -> int:
    """Return the wanted number if it is not taken among some, or the next one that is free, and take it."""
    if wanted is None or (*among, wanted) in taken or not 0 <= wanted <= LARGEST_NUMBER:
        wanted = next(number for number in others if (*among, number) not in taken)
    taken.add((*among, wanted))
    return wanted


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
