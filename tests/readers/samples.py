"""Invented files in the layout of every built-in reader, as large as is asked for."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.readers.clevr_programs import draw_file, draw_scene


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


COLORS, NOUNS = ("red", "blue", "green", "white"), ("cup", "bowl", "vase", "book", "clock")
CATEGORIES = [{"id": 47, "name": "cup"}, {"id": 51, "name": "bowl"}, {"id": 86, "name": "vase"}]
OBJECTS_EACH = 4  # of an image of COCO
HEAD = '<?xml version="1.0" encoding="ISO-8859-1"?>\n'
SOLIDS = (
    "type=ball colour=red near=b left=b",
    "type=cube colour=grey near=a right=a near=c",
    "type=cone colour=grey near=b",
)
GRE3D = "subjid,sceneid,sceneorder,schema,desc,cleaned,pattern,pattern (normalised order),"
SMALL = ("wee", "small", "little", "tiny")
GRIDS = ("X X X\n▢ ▢ ▢\n▢ ▢ ▢", "X ▢ ▢\n▢ X ▢\n▢ ▢ X", "X X X\nX ▢ X\nX X X")
THINGS = (
    {"y_loc": 80, "type": "triangle", "color": "#0099ff", "x_loc": 80, "size": 20},
    {"y_loc": 47, "type": "circle", "color": "Yellow", "x_loc": 90, "size": 10},
    {"y_loc": 1, "type": "square", "color": "Black", "x_loc": 70, "size": 30},
)


def write_sample(name: str, folder: Path, count: int = 6) -> tuple[Path, Path]:
    """Write a file of some records for a reader, and return what it reads and the file that holds the records."""
    folder.mkdir(parents=True, exist_ok=True)
    return SAMPLES[name](folder, count)


def _json(path: Path, value: Any) -> tuple[Path, Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path, path


def _lines(path: Path, records: Iterable[Any]) -> tuple[Path, Path]:
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(record) + "\n" for record in records)
    return path, path


def _say(number: int) -> str:
    return f"the {COLORS[number % 4]} {NOUNS[number % 5]} {number}"


def _image(number: int) -> str:
    return f"COCO_train2014_{number:012d}.jpg"


def _box(number: int) -> list[float]:
    return [10.0 + 100 * (number % OBJECTS_EACH), 20.0, 60.5, 30.0 + number % 50]


# -------------------------------------------------------------------------------- scenes


def _stars2(folder: Path, count: int) -> tuple[Path, Path]:
    def attributes(text: str) -> str:
        pairs = (pair.split("=") for pair in text.split())
        return "".join(f'<ATTRIBUTE NAME="{name}" VALUE="{value}" />' for name, value in pairs)

    sets = "".join(
        f'<ATTRIBUTE-SET ID="{"abc"[k]}">{attributes(text)}</ATTRIBUTE-SET>' for k, text in enumerate(SOLIDS)
    )
    stage = f'<DOMAIN NAME="Stars2"><CONTEXT ID="01f" MAIN-TARGET="b">{sets}</CONTEXT></DOMAIN>'
    (folder / "Stars2-contexts.xml").write_text(HEAD + stage, encoding="iso-8859-1")
    said = ("type=cube", "type=ball colour=red", "type=cone near=b landmark-type=cube")
    described = "".join(
        f'<CONTEXT ID="01f" SEQ="{k}" IMAGE="type1/01f"><ATTRIBUTE-SET TARGET="{"bac"[k % 3]}" LANDMARK="b" '
        f'STRING="cubo" TRANSLATION="{("cube", "red ball", "cone near the cube")[k % 3]}">{attributes(said[k % 3])}'
        "</ATTRIBUTE-SET></CONTEXT>"
        for k in range(count)
    )
    trial = folder / "descriptions" / "trial7.xml"
    trial.parent.mkdir(exist_ok=True)
    whole = f'<TRIAL ID="7" SPEAKER="832" AGE="19" GENDER="f" HEARER="455">{described}</TRIAL>'
    trial.write_text(HEAD + whole, encoding="iso-8859-1")
    return folder, trial


def _gre3d(folder: Path, count: int) -> tuple[Path, Path]:
    pattern = "tg_size tg_type rel lm_loc lm_type"
    row = f"ball on the right-hand box,small ball on-top-of right-hand cube,{pattern},{pattern},"
    path = folder / "GRE3D3-descriptions.csv"
    path.write_text(
        "\r".join([GRE3D, *(f"{k},1,1,A,the {SMALL[k % 4]} {row}" for k in range(count))]), encoding="latin-1"
    )
    return path, path


def _clevr(folder: Path, count: int) -> tuple[Path, Path]:
    rng = np.random.default_rng(7)
    scenes = [draw_scene(rng, number) for number in range(10)]
    drawn = draw_file(rng, scenes, 300)
    drawn["refexps"].sort(key=lambda one: len(one["program"][-1]["_output"]) != 1)  # those that mean one object first
    many = [{**drawn["refexps"][k % len(drawn["refexps"])], "refexp_index": k} for k in range(count)]
    for kind, content in (("scenes", {"info": {}, "scenes": scenes}), ("refexps", {**drawn, "refexps": many})):
        _json(folder / kind / f"clevr_ref+_val_{kind}.json", content)
    path = folder / "refexps" / "clevr_ref+_val_refexps.json"
    return path, path


def _clembench(folder: Path, count: int) -> tuple[Path, Path]:
    shown = dict(zip(("player_2_first_grid", "player_2_second_grid", "player_2_third_grid"), GRIDS, strict=True))
    game = {"player_1_prompt_header": "Describe.", "player_1_target_grid": GRIDS[1], **shown, "lang": "en"}
    games = [{**game, "game_id": k, "target_grid_name": ["second", "2"]} for k in range(count)]
    size = 1_000  # games of one experiment
    parts = [{"name": f"lines{k}", "game_instances": games[k : k + size]} for k in range(0, count, size)]
    return _json(folder / "instances.json", {"experiments": parts})


def _nlvr(folder: Path, count: int) -> tuple[Path, Path]:
    votes = {f"r{k}": "true" for k in range(5)}
    fields = {"label": "true", "directory": "3", "evals": votes, "structured_rep": [THINGS, THINGS[:1], []]}
    records = ({"sentence": f"Box {k} is empty.", "identifier": f"{k}-0", **fields} for k in range(count))
    return _lines(folder / "dev.json", records)


# -------------------------------------------------------------------------------- boxes


def _coco(count: int) -> dict[str, Any]:
    images = range(-(-count // OBJECTS_EACH))
    return {
        "images": [{"id": k, "file_name": _image(k), "width": 640, "height": 480} for k in images],
        "annotations": [
            {"id": k, "image_id": k // OBJECTS_EACH, "category_id": (47, 51, 86)[k % 3], "bbox": _box(k), "iscrowd": 0}
            for k in range(len(images) * OBJECTS_EACH)
        ],
        "categories": CATEGORIES,
    }


def references(count: int) -> list[dict[str, Any]]:
    """References as refer writes them."""

    def say(number: int) -> str:
        """Objects 0 and 3 of an image are of one category, the others alone of theirs."""
        return ("left {}", "{}", "{}", "right {}")[number % OBJECTS_EACH].format(("cup", "bowl", "vase")[number % 3])

    return [
        {
            "ref_id": k,
            "ann_id": k,
            "category_id": (47, 51, 86)[k % 3],
            "image_id": k // OBJECTS_EACH,
            "file_name": _image(k // OBJECTS_EACH),
            "split": ("train", "val", "testA")[k % 3],
            "sent_ids": [k],
            "sentences": [{"sent_id": k, "sent": say(k), "raw": say(k), "tokens": say(k).split()}],
        }
        for k in range(count)
    ]


def _refcoco(folder: Path, count: int) -> tuple[Path, Path]:
    place = folder / "refcoco"
    _json(place / "instances.json", _coco(count))
    return place, _json(place / "refs(unc).json", references(count))[0]


def _tfds(folder: Path, count: int) -> tuple[Path, Path]:
    def image(number: int) -> dict[str, Any]:
        boxes = [[0.1, 0.2 * k, 0.4, 0.2 * k + 0.15] for k in range(3)]
        things = [
            {"id": number * 3 + k, "area": 9, "bbox": box, "label": 47, "iscrowd": False} for k, box in enumerate(boxes)
        ]
        said = {"refexp_id": number, "raw": "left cup"}
        meant = {"id": number * 3, "area": 9, "bbox": boxes[0], "label": 47, "gt_box_index": 0, "refexp": [said]}
        return {"image/id": number, "coco_annotations": things, "objects": [meant]}

    return _lines(folder / "refcoco_testA.jsonl", map(image, range(count)))


def _mdetr(folder: Path, count: int) -> tuple[Path, Path]:
    images = [
        {"id": k, "file_name": _image(k), "width": 640, "height": 480, "caption": _say(k), "original_id": k}
        for k in range(count)
    ]
    boxes = [
        {"id": k, "image_id": k, "category_id": 47, "bbox": _box(k), "iscrowd": 0, "tokens_positive": [[0, 3]]}
        for k in range(count)
    ]
    for image in images:
        image |= {"dataset_name": "refcoco", "tokens_negative": [[0, 8]]}
    whole = {"info": {}, "images": images, "annotations": boxes, "categories": CATEGORIES}
    return _json(folder / "finetune_refcoco_testA.json", whole)


def _rows(folder: Path, count: int) -> tuple[Path, Path]:
    path = folder / "refcoco_testA.tsv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, delimiter="\t", lineterminator="\n")
        head = (
            "index",
            "image_path",
            "question",
            "bbox_x1",
            "bbox_y1",
            "bbox_x2",
            "bbox_y2",
            "width",
            "height",
            "split",
        )
        table.writerow(head)
        for k in range(count):
            table.writerow((k, _image(k), _say(k), 10, 20, 70.5, 50 + k % 50, 640, 480, "testA"))
    return path, path


def _expressions(folder: Path, count: int) -> tuple[Path, Path]:
    return _json(folder / "testA.json", {"predictions": [{"sent": _say(k), "ref_id": k} for k in range(count)]})


def _ref_adv(folder: Path, count: int) -> tuple[Path, Path]:
    facts = {"empty_case": False, "hops": "2", "type": ["verb"], "occluded": True, "distractors": "4"}
    box = {"solution": [40.0, 20.0, 80.0, 100.0], "normalized_solution": [100, 100, 200, 500]}
    fields = {"width": 400, "height": 200, **box, "categories": facts}
    records = [{"normal_caption": _say(k), "image": f"val2017/{k}.jpg", **fields} for k in range(count)]
    return _json(folder / "adv_test.json", records)


def _mig_bench(folder: Path, count: int) -> tuple[Path, Path]:
    info = "It is in the second image. <|box_start|>(100,200),(300,400)<|box_end|>. "
    fields = {"task": "group_grounding", "images": ["a.jpg", "b.jpg", "c.jpg"], "answer": [0.1, 0.2, 0.3, 0.4]}
    asked = "Find the box of: <|object_ref_start|>{}<|object_ref_end|>."
    more = {"additional_info": info, "need_format": False}
    return _json(folder / "m.json", [{**fields, **more, "question": asked.format(_say(k))} for k in range(count)])


def _refexp(folder: Path, count: int) -> tuple[Path, Path]:
    numbers = range(1, count + 1)
    candidates = [{"bounding_box": _box(1), "predicted_object_name": "dog"}, {"bounding_box": [1, 2, 9, 9]}]
    image = {"width": 640, "height": 480, "region_candidates": candidates}
    whole = {
        "annotations": {
            str(k): {"annotation_id": k, "image_id": k, "bbox": _box(1), "category_id": 18, "refexp_ids": [k]}
            for k in numbers
        },
        "refexps": {str(k): {"refexp_id": k, "raw": _say(k), "tokens": _say(k).split()} for k in numbers},
        "images": {str(k): {"image_id": k, "file_name": _image(k), **image} for k in numbers},
    }
    return _json(folder / "google_refexp_val_201511.json", whole)


# -------------------------------------------------------------------------------- captions


def _sugarcrepe(folder: Path, count: int) -> tuple[Path, Path]:
    records = {
        str(k): {
            "filename": f"{k:012}.jpg",
            "caption": f"A {_say(k)} on a box.",
            "negative_caption": f"A box on {_say(k)}.",
        }
        for k in range(count)
    }
    return _json(folder / "swap_att.json", records)


def _valse(folder: Path, count: int) -> tuple[Path, Path]:
    votes = {"foil": 0, "caption": 3, "other": 0}
    fields = {"dataset": "toys", "original_split": "val", "linguistic_phenomena": "relations", "mturk": votes}
    records = {
        f"r:{k}": {
            **fields,
            "image_file": f"{k:012}.jpg",
            "dataset_idx": k,
            "caption": f"A {_say(k)} stands on a box.",
            "foil": f"A {_say(k)} stands under a box.",
            "classes": "on",
            "classes_foil": "under",
        }
        for k in range(count)
    }
    return _json(folder / "relations.json", records)


def _aro(folder: Path, count: int) -> tuple[Path, Path]:
    box = {"bbox_x": 10, "bbox_y": 20, "bbox_w": 100.5, "bbox_h": 50, "relation_name": "on"}
    records = [
        {
            "image_id": str(k),
            "image_path": f"{k}.jpg",
            **box,
            "true_caption": f"{_say(k)} is on the box",
            "false_caption": f"the box is on {_say(k)}",
        }
        for k in range(count)
    ]
    return _json(folder / "visual_genome_relation.json", records)


def _cola(folder: Path, count: int) -> tuple[Path, Path]:
    records = [
        [f"https://x.org/{k}.jpg", f"{_say(k)} red", f"https://x.org/{k}b.jpg", f"red {_say(k)}"] for k in range(count)
    ]
    return _json(folder / "cola.json", records)


def _winoground(folder: Path, count: int) -> tuple[Path, Path]:
    fields = {"tag": "Noun", "secondary_tag": "", "num_main_preds": 1, "collapsed_tag": "Object"}
    records = (
        {
            "id": k,
            "image_0": f"ex_{k}_img_0",
            "image_1": f"ex_{k}_img_1",
            "caption_0": f"{_say(k)} in a box",
            "caption_1": f"a box in {_say(k)}",
            **fields,
        }
        for k in range(count)
    )
    return _lines(folder / "examples.jsonl", records)


SAMPLES: dict[str, Callable[[Path, int], tuple[Path, Path]]] = {
    "stars2": _stars2,
    "gre3d": _gre3d,
    "clevr_ref": _clevr,
    "clembench": _clembench,
    "nlvr": _nlvr,
    "refcoco": _refcoco,
    "refcoco_tfds": _tfds,
    "mdetr": _mdetr,
    "refcoco_rows": _rows,
    "expressions": _expressions,
    "sugarcrepe": _sugarcrepe,
    "valse": _valse,
    "aro": _aro,
    "cola": _cola,
    "winoground": _winoground,
    "ref_adv": _ref_adv,
    "mig_bench": _mig_bench,
    "refexp": _refexp,
}
