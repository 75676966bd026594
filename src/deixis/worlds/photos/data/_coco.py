"""COCO and refCOCO layouts of examples, for models and toolkits that know these.

| file | |
|---|---|
| `instances.json` | `images`, `annotations` (boxes x, y, width, height in pixels) and `categories`, as in COCO |
| `refs.json` | a list of references as in refCOCO's `refs.p`, plus `distractor_image_ids` by kind and `is_there` |

Ids of images and annotations are numbers there. An image keeps its number where its id is one; the original ids stand
beside them as `original_id`. No annotation is 0, which pycocotools takes for none: the first one has the number after
the last.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deixis.data.store import replacing_file


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from deixis.worlds.photos.localise import Example
    from deixis.worlds.photos.scene.graph_table import GraphTable


def write_coco(out: Path, examples: Iterable[Example], scenes: GraphTable, *, file_name: str = "{id}.jpg") -> int:
    """Write both files for some examples and their images, and return the number of references.

    Args:
        out: the folder.
        examples: in the order in which they are written.
        scenes: the graphs of their images.
        file_name: of an image, with `{id}` for its original id.
    """
    out.mkdir(parents=True, exist_ok=True)
    numbers = coco_image_numbers(scenes)
    shown: dict[int, None] = {}
    count = 0
    with replacing_file(out / "refs.json") as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write("[")
        for example in examples:
            shown |= dict.fromkeys(example.scenes(scenes))
            reference = _reference(example, scenes, numbers, file_name)
            stream.write((",\n" if count else "\n") + json.dumps(reference, ensure_ascii=False))
            count += 1
        stream.write("\n]\n")
    names = scenes.vocabulary.names
    with replacing_file(out / "instances.json") as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write('{"info": {"description": "expressions about photographs, exported by deixis"},\n"images": [')
        _write_list(stream, (_image(number, scenes, numbers, file_name) for number in sorted(shown)))
        stream.write(',\n"annotations": [')
        _write_list(stream, (one for number in sorted(shown) for one in _annotations(number, scenes, numbers)))
        stream.write(',\n"categories": [')
        _write_list(stream, ({"id": code, "name": name, "supercategory": name} for code, name in enumerate(names)))
        stream.write("}\n")
    return count


def coco_image_numbers(scenes: GraphTable) -> list[int]:
    """Return the number of every image: its id where all ids are plain numbers, else its place in the table, from 1."""
    ids = list(scenes.image_ids)
    are_numbers = all(one.isascii() and one.isdecimal() and len(one) < 18 and str(int(one)) == one for one in ids)
    return [int(one) for one in ids] if are_numbers else list(range(1, len(ids) + 1))


def annotation_number(thing: int, scenes: GraphTable) -> int:
    """Return the number of the annotation of an object."""
    return thing or scenes.object_count


def _write_list(stream: Any, entries: Iterable[dict[str, Any]]) -> None:
    for place, entry in enumerate(entries):
        stream.write((",\n" if place else "\n") + json.dumps(entry, ensure_ascii=False))
    stream.write("\n]")


def _reference(example: Example, scenes: GraphTable, numbers: list[int], file_name: str) -> dict[str, Any]:
    number = scenes.find(example.image_id)
    values: dict[str, Any] = {
        "ref_id": example.id,
        "image_id": numbers[number],
        "split": example.split,
        "file_name": file_name.replace("{id}", example.image_id),
        "sent_ids": [example.id],
        "sentences": [
            {
                "sent_id": example.id,
                "raw": example.text,
                "sent": example.text.lower(),
                "tokens": example.text.lower().split(),
            }
        ],
        "logic": example.form,
        "is_there": example.is_there,
        "distractor_image_ids": {
            kind: [numbers[scenes.find(one.image_id)] for one in example.distractors if one.kind == kind]
            for kind in dict.fromkeys(one.kind for one in example.distractors)
        },
    }
    if example.is_there:
        thing = int(scenes.scene_ptr[number]) + scenes.scene(number).object_number(example.object_id)
        values |= {"ann_id": annotation_number(thing, scenes), "category_id": int(scenes.name[thing])}
    return values


def _image(number: int, scenes: GraphTable, numbers: list[int], file_name: str) -> dict[str, Any]:
    original = scenes.image_ids[number]
    return {
        "id": numbers[number],
        "original_id": original,
        "file_name": file_name.replace("{id}", original),
        "width": int(scenes.width[number]),
        "height": int(scenes.height[number]),
    }


def _annotations(number: int, scenes: GraphTable, numbers: list[int]) -> Iterator[dict[str, Any]]:
    for thing in scenes.objects_of(number):
        box = [round(float(one), 2) for one in scenes.box[thing]]
        yield {
            "id": annotation_number(thing, scenes),
            "original_id": scenes.object_ids[thing],
            "image_id": numbers[number],
            "category_id": int(scenes.name[thing]),
            "bbox": box,
            "area": round(box[2] * box[3], 2),
            "iscrowd": 0,
        }
