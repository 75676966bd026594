"""Rows with their picture and the boxes in it, as `datasets` reads them and models are trained on them.

| column | |
|---|---|
| `id`, `split`, `text`, `form` | as in the dataset |
| `image`, `width`, `height` | the image that the expression is about: its id, and its size in pixels |
| `picture` | the image itself, a `datasets.Image` |
| `object`, `name`, `box` | lists over its objects: id, what it is, and left, top, width and height in pixels |
| `target` | which of the objects is meant, from 0; -1 where nothing fits |
| `target_box` | its box; empty where nothing fits |
| `distractor_image`, `distractor_kind` | the other images shown, and why |
| `distractor_picture` | these images themselves, where they are wanted |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from deixis.data._card_facts import split_name
from deixis.data._huggingface import PICTURE, with_picture_features
from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.photos.data._photographs import picture_type
from deixis.worlds.photos.data._picture_files import KEPT


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from deixis.worlds.photos.data._photographs import Photographs
    from deixis.worlds.photos.localise import Example
    from deixis.worlds.photos.scene.graph_table import GraphTable


FEW = 64  # rows that are read together
PER_FILE = 2_048
COLUMNS = [
    ("id", pa.int64()),
    ("split", pa.string()),
    ("text", pa.string()),
    ("form", pa.string()),
    ("image", pa.string()),
    ("width", pa.int32()),
    ("height", pa.int32()),
    ("picture", PICTURE),
    ("object", pa.list_(pa.string())),
    ("name", pa.list_(pa.string())),
    ("box", pa.list_(pa.list_(pa.float32()))),
    ("target", pa.int32()),
    ("target_box", pa.list_(pa.float32())),
    ("distractor_image", pa.list_(pa.string())),
    ("distractor_kind", pa.list_(pa.string())),
]
OTHERS = ("distractor_picture", pa.list_(PICTURE))
README = """\
---
configs:
- config_name: "default"
  data_files:
{files}
---

# Expressions with their pictures

Written by `deixis convert … --to huggingface`. `datasets.load_dataset(FOLDER)` reads it. Boxes are left, top, width and
height in pixels; `target` is the number of the object that is meant among `object`, `name` and `box`, or -1.
"""


def write_picture_rows(
    out: Path, examples: Sequence[Example], scenes: GraphTable, photographs: Photographs, *, with_distractors: bool
) -> None:
    """Write a folder that `datasets` reads, `data/SPLIT-00000-of-00001.parquet` and so on with a card.

    Args:
        out: the folder, which must be new or empty.
        examples: in the order in which they are written.
        scenes: the graphs of their images.
        photographs: their pictures.
        with_distractors: whether the pictures of the other images are written, too.

    Raises:
        RecipeError: when the folder is not empty.
        BrokenDataset: when a picture is missing.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RecipeError(f"{out} is not empty; choose another folder")
    for image in _images_of(examples) if with_distractors else dict.fromkeys(one.image_id for one in examples):
        if not photographs.has(image):
            raise _missing(photographs, image)
    splits: dict[str, list[Example]] = {}
    for example in examples:
        splits.setdefault(split_name(example.split), []).append(example)
    schema = with_picture_features(
        pa.schema([*COLUMNS, OTHERS] if with_distractors else COLUMNS), "picture", "distractor_picture"
    )
    for split, some in splits.items():
        count = -(-len(some) // PER_FILE)
        for number in range(count):
            part = some[number * PER_FILE : (number + 1) * PER_FILE]
            path = out / "data" / f"{split}-{number:05d}-of-{count:05d}.parquet"
            with (
                replacing_file(path) as draft,
                pq.ParquetWriter(draft, schema, use_dictionary=["name"], **KEPT) as file,
            ):
                for start in range(0, len(part), FEW):
                    rows = [_row(one, scenes, photographs, with_distractors) for one in part[start : start + FEW]]
                    file.write_table(pa.Table.from_pylist(rows, schema=schema))
    files = "\n".join(f'  - split: "{split}"\n    path: "data/{split}-*.parquet"' for split in splits)
    (out / "README.md").write_text(README.format(files=files), encoding="utf-8", newline="\n")


def write_picture_files(out: Path, examples: Sequence[Example], photographs: Photographs) -> str:
    """Write the pictures of all images shown to a folder, called after their ids, and return the ending of their names.

    Raises:
        BrokenDataset: when a picture is missing, or some are PNG and some JPEG; nothing is written then.
    """
    ending = _common_ending(examples, photographs)
    for image in _images_of(examples):
        with replacing_file(out / f"{image}.{ending}") as draft:
            draft.write_bytes(_find(photographs, image))
    return ending


def _common_ending(examples: Sequence[Example], photographs: Photographs) -> str:
    """The ending of all pictures, which are read for it, as COCO's names have only one."""
    first_of: dict[str, str] = {}
    for image in _images_of(examples):
        first_of.setdefault(_ending(_find(photographs, image)), image)
    if len(first_of) > 1:
        found = " and ".join(f"that of {image!r} is {ending.upper()}" for ending, image in first_of.items())
        raise BrokenDataset(
            f"COCO's names have one ending for all pictures, but {found}; "
            "make the dataset with pictures of one kind, or use --to huggingface"
        )
    return next(iter(first_of), "jpg")


def _images_of(examples: Iterable[Example]) -> Iterable[str]:
    """The images that are shown, each once."""
    return dict.fromkeys(image for example in examples for image in example.images())


def _row(example: Example, scenes: GraphTable, photographs: Photographs, with_distractors: bool) -> dict[str, Any]:
    number = scenes.find(example.image_id)
    scene, objects = scenes.scene(number), scenes.objects_of(number)
    boxes = scenes.box[objects.start : objects.stop].astype("float32").tolist()
    target = scene.object_number(example.object_id) if example.is_there else -1
    others = example.images()[1:]
    return {
        "id": example.id,
        "split": example.split,
        "text": example.text,
        "form": example.form,
        "image": example.image_id,
        "width": int(scenes.width[number]),
        "height": int(scenes.height[number]),
        "picture": _picture(photographs, example.image_id),
        "object": list(scene.object_ids),
        "name": [scenes.raw_names[scenes.raw_name[k]] for k in objects],
        "box": boxes,
        "target": target,
        "target_box": boxes[target] if target >= 0 else [],
        "distractor_image": list(others),
        "distractor_kind": ["+".join(example.kinds_of(image)) for image in others],
        **({"distractor_picture": [_picture(photographs, image) for image in others]} if with_distractors else {}),
    }


def _picture(photographs: Photographs, image: str) -> dict[str, Any]:
    held = _find(photographs, image)
    return {"bytes": held, "path": f"{image}.{_ending(held)}"}


def _find(photographs: Photographs, image: str) -> bytes:
    held = photographs.find(image)
    if held is None:
        raise _missing(photographs, image)
    return held


def _missing(photographs: Photographs, image: str) -> BrokenDataset:
    return BrokenDataset(
        f"{photographs.dataset.path.name} keeps no picture of the image {image!r}; make it with imagined scenes, "
        "or with --pictures FOLDER"
    )


def _ending(held: bytes) -> str:
    return "jpg" if picture_type(held) == "image/jpeg" else "png"
