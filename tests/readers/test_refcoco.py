"""RefCOCO, RefCOCO+ and RefCOCOg in the layouts that people hold."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from pickle import dumps  # noqa: TID251 (tests write pickles; nothing here or in the package loads one)

import pytest

from deixis.data.checks import CheckRequest
from deixis.errors import BrokenDataset
from deixis.judge.boxes import Box
from deixis.readers._audit import ReadAudit
from deixis.readers._builtin.expressions import READER as EXPRESSIONS
from deixis.readers._builtin.mdetr import READER as MDETR
from deixis.readers._builtin.refcoco import READER as REFCOCO
from deixis.readers._builtin.refcoco_rows import READER as ROWS
from deixis.readers._builtin.refcoco_tfds import READER as TFDS
from deixis.readers._builtin.refexp import READER as REFEXP
from deixis.readers._checks import OUTSIDE, ReadChecks
from deixis.readers._examples import ReadFile
from deixis.readers._statistics import ReadStatistics
from deixis.readers._world import ReaderWorld
from deixis.readers.registry import reader_of
from deixis.resolution.reference import resolve
from deixis.testing import check_reader
from tests.readers.hostile import check_hostile_bytes


REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "others" / "refcoco"
NEEDS_REAL = pytest.mark.skipif(not REAL.is_dir(), reason="the samples of RefCOCO do not lie beside the checkout")
FILE = "COCO_train2014_000000000007.jpg"


def thing(number, category, *box, image=7, **more):
    """An object as COCO writes it."""
    return {
        "id": number,
        "image_id": image,
        "category_id": category,
        "bbox": list(box),
        "iscrowd": 0,
        "area": 1,
        **more,
    }


THINGS = [  # two cups, a bowl between them, a group of persons, and a flat one
    thing(11, 47, 10, 50, 20, 30, segmentation=[[1.0, 2.0]]),
    thing(12, 47, 80, 50, 25, 30),
    thing(13, 51, 40, 55, 30, 20),
    thing(14, 1, 0, 0, 100, 40, iscrowd=1),
    thing(15, 47, 5, 5, 0, 9),
]
IMAGE = {"id": 7, "file_name": FILE, "width": 120, "height": 90}
CATEGORIES = [{"id": 47, "name": "cup"}, {"id": 51, "name": "bowl"}, {"id": 1, "name": "person"}]
COCO = {"info": {"year": 2014}, "images": [IMAGE], "annotations": THINGS, "categories": CATEGORIES}


def sentence(number, raw):
    """A sentence as refer writes it."""
    sent = raw.lower().rstrip(".")
    return {"sent_id": number, "raw": raw, "sent": sent, "tokens": sent.split()}


def reference(number=1, object_number=11, split="train", texts=("Left cup.", "white cup"), **more):
    """A reference as refer writes it."""
    sentences = [sentence(10 * number + k, text) for k, text in enumerate(texts)]
    fields = {"ref_id": number, "ann_id": object_number, "image_id": 7, "category_id": 47, "split": split}
    ids = [one["sent_id"] for one in sentences]
    return {**fields, "file_name": FILE.replace(".jpg", "_1.jpg"), "sentences": sentences, "sent_ids": ids, **more}


def write(path, value, protocol=None):
    """A pickle, JSON Lines, or JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".p":
        path.write_bytes(dumps(value, protocol))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(one) + "\n" for one in value), encoding="utf-8")
    else:
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def release(folder, *references, name="refs(unc).p", protocol=2, coco=None):
    """A folder of refer."""
    write(folder / "instances.json", COCO if coco is None else coco)
    return write(folder / name, list(references or [reference()]), protocol)


# ---------------------------------------------------------------------------------------------------- refer


@pytest.mark.parametrize("protocol", [0, 1, 2, 4])
def test_references_are_read_with_all_objects_of_the_image(tmp_path, protocol):
    """From a pickle that is not unpickled; groups and flat boxes are no candidates, and are counted."""
    release(tmp_path / "refcoco", protocol=protocol)
    first, second = ReadFile(REFCOCO, tmp_path / "refcoco")

    assert (first.id, first.split, first.text, second.text) == ("1-10", "train", "left cup", "white cup")
    assert [sorted(dict(one).items()) for one in first.scenes[0].objects] == [
        [("category", "cup"), ("size", "2")],
        [("category", "cup"), ("size", "1")],
        [("category", "bowl"), ("size", "2")],
    ]
    assert first.scenes[0].position(0) == (65, 20)
    assert first.targets == ((0, 0),)
    assert first.boxes == ((0, Box(10, 50, 30, 80)),)
    assert first.regions == ((Box(10, 50, 30, 80), Box(80, 50, 105, 80), Box(40, 55, 70, 75)),)
    assert first.images == ((FILE, 120, 90),)
    known = {"reference": 1, "dataset": "refcoco", "partition": "unc", "groups": 1, "flat_boxes": 1}
    assert first.facts == {**known, "raw": "Left cup."}
    assert second.facts == known
    assert first.scenes[0] is second.scenes[0]


def test_texts_have_a_meaning_where_all_words_are_covered(tmp_path):
    """The first word that is not covered is told by the audit, and the share covered by the statistics."""
    path = release(tmp_path)
    world = ReaderWorld.of(REFCOCO)
    first, second = ReadFile(REFCOCO, path)

    assert resolve(first.expression, first.context).objects == {(0, 0)}
    assert second.expression is None
    found = ReadAudit(world).audit(path)
    assert found.to_dict()["not covered"] == {"white": 1}
    assert any("does not cover: white 1 (of 1 texts)" in note for note in found.notes)
    assert found.audit.judged == 1
    counted = ReadStatistics(world)
    told = counted.describe([counted.count(path, name="refs")])
    assert told.values["datasets"][0]["with meaning"] == 1
    assert told.notes[-1] == "refs: 1 of 2 texts have a meaning, annotated or read by a language"


def test_partitions_are_told_apart_where_several_are_read_together(tmp_path):
    """One reference in train here and in test there is no leak within one partition, and the names say so."""
    folder = tmp_path / "refcoco+"
    unc = release(folder, reference(split="train"))
    write(folder / "refs(google).p", [reference(split="test")])

    assert list(ReadFile(REFCOCO, unc).splits) == ["train"]
    read = ReadFile(REFCOCO, folder)
    assert list(read.splits) == ["refcocoplus-google-test", "refcocoplus-unc-train"]
    assert [example.id for example in read] == [
        "refcocoplus-google-1-10",
        "refcocoplus-google-1-11",
        "refcocoplus-unc-1-10",
        "refcocoplus-unc-1-11",
    ]
    rows = ReadAudit(ReaderWorld.of(REFCOCO)).audit(folder).to_dict()["figures"]
    assert rows["same text and image in another split"]["value"] == 1
    release(tmp_path / "refcocog", reference(split="val"), name="refs(umd).p")
    assert list(ReadFile(REFCOCO, tmp_path).splits) == [
        "refcocoplus-google-test",
        "refcocoplus-unc-train",
        "refcocog-umd-val",
    ]


def test_references_that_fit_several_objects_or_none_are_read(tmp_path):
    """As gRefCOCO has them."""
    several, none = reference(1, [11, 12], texts=["cups"]), reference(2, [-1], texts=["red dog"], no_target=True)
    path = release(tmp_path, several, none, reference(3, [], texts=["x"]), name="grefs(unc).json")
    first, second, third = ReadFile(REFCOCO, path)

    assert [where.object for where in first.targets] == [0, 1]
    assert len(first.boxes) == 2
    assert (second.targets, second.boxes, third.boxes) == ((), (), ())


def test_categories_that_are_not_of_coco_leave_no_scene(tmp_path):
    """As in refclef; the right box is known all the same."""
    path = release(tmp_path, coco={**COCO, "categories": [{"id": 47, "name": "hut"}]})
    (first, _) = ReadFile(REFCOCO, path)

    assert (first.scenes, first.targets, first.regions) == ((), (), ())
    assert first.boxes == ((0, Box(10, 50, 30, 80)),)


def test_one_file_may_hold_references_and_objects(tmp_path):
    """In TFDS's source, with dataset and partition in each reference; and with a plain list of references."""
    named = {"dataset": "refcoco", "dataset_partition": "unc"}
    other = {"dataset": "refcoco", "dataset_partition": "google"}
    refs = [reference(**named), reference(split="test", **other)]
    anns = {"7": {"info": IMAGE, "anns": THINGS}}
    tfds = write(tmp_path / "refcoco.json", {"ref": refs, "coco_anns": anns})
    single = write(tmp_path / "one.json", {"coco_anns": anns, "ref": refs[:1]})
    whole = write(tmp_path / "whole.json", {**COCO, "refs": [reference()]})

    assert reader_of(tfds) is reader_of(single) is reader_of(whole) is REFCOCO
    assert list(ReadFile(REFCOCO, tfds).splits) == ["refcoco-unc-train", "refcoco-google-test"]
    assert list(ReadFile(REFCOCO, single).splits) == ["train"]
    examples = [ReadFile(REFCOCO, path)[0] for path in (tfds, single, whole)]
    assert all(example.scenes == examples[0].scenes for example in examples)
    assert all(example.boxes == examples[0].boxes for example in examples)


def test_references_that_cannot_be_read_are_refused_by_code(tmp_path):
    """One of each."""
    bad = {
        "no-text": [reference(2, texts=[]), reference(3, texts=[" "])],
        "no-image": [reference(4, image_id=8)],
        "no-box": [reference(5, 99), reference(6, 15), reference(7, None)],
        "unreadable": [7, {}, reference(8, image_id=[]), reference(9, sentences=[3])],
    }
    path = release(tmp_path, reference(), *(one for some in bad.values() for one in some), name="refs(unc).json")
    read = ReadFile(REFCOCO, path)

    assert (read.records, len(read)) == (11, 2)
    assert read.refused == {code: len(records) for code, records in bad.items()}


def test_a_sentence_that_cannot_be_read_leaves_the_others(tmp_path):
    """All examples of a record come, and then its refusal."""
    path = release(tmp_path, reference(texts=["left cup", " ", "right cup"]))
    read = ReadFile(REFCOCO, path)

    assert [example.text for example in read] == ["left cup", "right cup"]
    assert (read.records, read.refused) == (1, {"no-text": 1})


def test_files_that_cannot_be_read_are_one_line(tmp_path):
    """No objects beside it; objects that are none."""
    path = release(tmp_path / "refcoco")
    (tmp_path / "refcoco" / "instances.json").unlink()
    with pytest.raises(BrokenDataset, match=r"instances\.json, which has the boxes, does not lie beside it"):
        ReadFile(REFCOCO, path)
    assert not REFCOCO.sniff(tmp_path)
    for wrong in ({"images": [3]}, {"annotations": [{"id": 1}]}, {"images": [{**IMAGE, "width": "x"}]}, {"a": 1}):
        write(tmp_path / "refcoco" / "instances.json", wrong)
        with pytest.raises(BrokenDataset, match=r"is none of COCO|has no images"):
            ReadFile(REFCOCO, path)


def test_a_box_out_of_its_image_is_a_finding(tmp_path):
    """Boxes are taken as they are, and `check` says which cannot be right."""
    path = release(tmp_path, coco={**COCO, "annotations": [thing(11, 47, 110, 50, 20, 30)]})
    world = ReaderWorld.of(REFCOCO)
    (first, _) = ReadFile(REFCOCO, path)

    assert [code for code, _ in ReadChecks(world).faults(first)] == [OUTSIDE]


@pytest.mark.parametrize("name", ["refs(unc).p", "refs(unc).json", "instances.json"])
def test_hostile_bytes_never_crash(tmp_path, name):
    """Changed bytes give examples, refusals or one line."""
    references = [reference(k) for k in range(5)]
    path = release(tmp_path, *references, name="refs(unc).json" if name.endswith("json") else name, protocol=0)
    check_hostile_bytes(REFCOCO, path, tmp_path / name)


def test_hostile_bytes_of_one_file_never_crash(tmp_path):
    """Likewise where everything is in one file, and in the other layouts."""
    path = write(
        tmp_path / "a.json",
        {"ref": [reference(k) for k in range(5)], "coco_anns": {"7": {"info": IMAGE, "anns": THINGS}}},
    )
    check_hostile_bytes(REFCOCO, path, path)
    path = mdetr(tmp_path)
    check_hostile_bytes(MDETR, path, path)
    path = google(tmp_path)
    check_hostile_bytes(REFEXP, path, path)


# ---------------------------------------------------------------------------------------------------- COCO's layout


def mdetr(folder, **changes):
    """Two captions as MDETR writes them."""
    more = {"original_id": 7, "dataset_name": "refcoco", "tokens_negative": [[0, 8]]}
    images = [{**IMAGE, **more, "id": k, "caption": text} for k, text in enumerate(["left cup", "right cup"])]
    boxes = [thing(k, 47, *THINGS[k]["bbox"], image=k, original_id=11 + k, tokens_positive=[[5, 8]]) for k in (0, 1)]
    whole = {"info": {}, "images": images, "annotations": boxes, "categories": CATEGORIES, **changes}
    return write(folder / "finetune_refcoco_testA.json", whole)


def google(folder):
    """Two expressions of one object as Google Refexp has them."""
    more = {"image_id": 7, "region_candidates": [{"bounding_box": [1, 2, 3, 4], "predicted_object_name": "cup"}]}
    whole = {
        "images": {"7": {**{key: value for key, value in IMAGE.items() if key != "id"}, **more}},
        "annotations": {"12": {**THINGS[1], "annotation_id": 12, "refexp_ids": [5, 6]}},
        "refexps": {
            "5": {"refexp_id": 5, "raw": "The right cup.", "tokens": []},
            "6": {"refexp_id": 6, "raw": "a jar"},
        },
    }
    return write(folder / "google_refexp_val_201511_coco_aligned.json", whole)


def test_captions_of_mdetr_are_read(tmp_path):
    """Without the file of all objects there is a box and no scene; with it, all objects are candidates."""
    path = mdetr(tmp_path)
    first, second = ReadFile(MDETR, path)

    assert reader_of(path) is MDETR
    assert (first.text, first.split, first.scenes) == ("left cup", "testA", ())
    assert [example.boxes for example in (first, second)] == [((0, Box(10, 50, 30, 80)),), ((0, Box(80, 50, 105, 80)),)]
    assert str(first.expression) == "[category=cup, #1 from left]"
    write(tmp_path / "instances_train2014.json", COCO)
    (_, second) = ReadFile(MDETR, path)
    assert resolve(second.expression, second.context).objects == set(second.targets) == {(0, 1)}


def test_google_refexp_is_read_with_all_objects_where_they_are_known(tmp_path):
    """Also a file that was not aligned with COCO, whose boxes are those of COCO."""
    path = google(tmp_path)
    (alone, _) = ReadFile(REFEXP, path)
    plain = {
        "annotations": [{"annotation_id": 12, "image_id": 7, "refexp_ids": [5], "region_candidates": []}],
        "refexps": [{"refexp_id": 5, "raw": "The right cup."}],
    }
    lists = write(tmp_path / "google_refexp_train_201511.json", plain)
    with pytest.raises(BrokenDataset, match="most often no-object"):
        ReadFile(REFEXP, lists)
    write(tmp_path / "instances.json", COCO)
    first, second = ReadFile(REFEXP, path)
    (example,) = ReadFile(REFEXP, lists)

    assert reader_of(path) is reader_of(lists) is REFEXP
    assert (alone.scenes, alone.boxes) == ((), first.boxes)
    assert (first.id, first.text, first.split, second.id) == ("12-5", "The right cup.", "val", "12-6")
    assert (example.split, example.targets, example.boxes) == ("train", ((0, 1),), first.boxes)
    assert resolve(first.expression, first.context).objects == {(0, 1)}


def test_expressions_of_google_refexp_that_cannot_be_read_are_refused_by_code(tmp_path):
    """One of each; results of the comprehension task are answers and no dataset."""
    path = google(tmp_path)
    values = json.loads(path.read_text(encoding="utf-8"))
    values["refexps"] |= {"8": {"refexp_id": 8, "raw": "x"}, "9": {"refexp_id": 9, "raw": " "}, "10": 7}
    more = {"image_id": 7, "bbox": [1, 2, 0, 9]}
    values["annotations"] |= {"3": {**more, "annotation_id": 3, "refexp_ids": [11]}}
    values["annotations"] |= {"4": {"image_id": 7, "annotation_id": 4, "refexp_ids": [12]}}
    values["refexps"] |= {str(n): {"refexp_id": n, "raw": "cup"} for n in (11, 12)}
    read = ReadFile(REFEXP, write(path, values))

    codes = ["no-object", "no-text", "unreadable", "odd-box", "no-box"]
    assert [refusal.code for refusal in read.refusals] == codes
    results = write(tmp_path / "results.json", [{"annotation_id": 12, "predicted_bounding_boxes": []}])
    with pytest.raises(BrokenDataset, match="holds results of the comprehension task"):
        ReadFile(reader_of(results), results)


def test_captions_that_cannot_be_read_are_refused_by_code(tmp_path):
    """No caption, no box, no size of the image; images that cannot be joined are one line."""
    more = {"original_id": 7, "tokens_negative": []}
    images = [{**IMAGE, **more, "id": 0, "caption": "x"}, {**IMAGE, **more, "id": 1}, {**more, "id": 2, "caption": "y"}]
    boxes = [thing(0, 47, 1, 2, 3, 4, image=0, tokens_positive=[]), thing(1, 47, 1, 2, 0, 0, image=0)]
    read = ReadFile(MDETR, mdetr(tmp_path, images=[*images, {**images[0], "id": 3}], annotations=boxes[:1]))
    assert (len(read), read.refused) == (1, {"no-text": 1, "no-image": 1, "no-box": 1})
    with pytest.raises(BrokenDataset, match="most often no-box"):
        ReadFile(MDETR, mdetr(tmp_path, images=images[:1], annotations=boxes))
    with pytest.raises(BrokenDataset, match="entry 0 has no id"):
        ReadFile(MDETR, mdetr(tmp_path, images=[{"caption": "x"}]))


def test_only_captions_of_grefcoco_may_fit_nothing(tmp_path):
    """A caption without an annotation is a fault of the file elsewhere, not an expression that fits nothing."""
    path = mdetr(tmp_path, annotations=[])
    with pytest.raises(BrokenDataset, match="most often no-box"):
        ReadFile(MDETR, path)
    other = path.rename(tmp_path / "finetune_grefcoco_testA.json")

    assert [(one.text, one.boxes) for one in ReadFile(MDETR, other)] == [("left cup", ()), ("right cup", ())]


# ---------------------------------------------------------------------------------------------------- rows

ASKED = "Please provide the bounding box coordinate of the region this sentence describes: <ref>left cup</ref>"


def table(path, **columns):
    """A TSV file of one row."""
    return write(path, "\t".join(columns) + "\n" + "\t".join(map(str, columns.values())) + "\n")


def test_rows_with_corners_are_read(tmp_path):
    """The columns say pixels; the image in the row is known by a digest, and another row may name it."""
    corners = dict(zip(("bbox_x1", "bbox_y1", "bbox_x2", "bbox_y2"), (10, 50, 30, 80), strict=True))
    more = {"question": ASKED, "split": "RefCOCO_testA", "width": 120, "height": 90, **corners}
    path = table(tmp_path / "RefCOCO.tsv", index=4, image="QUJD" * 200, **more)
    with path.open("a", encoding="utf-8") as stream:
        stream.write("\t".join(map(str, {"index": 5, "image": "4", **more}.values())) + "\n")
    first, second = ReadFile(ROWS, path)

    assert reader_of(path) is ROWS
    assert (first.text, first.split, first.space) == ("left cup", "RefCOCO-testA", "pixels")
    assert first.boxes == ((0, Box(10, 50, 30, 80)),)
    assert first.images == second.images
    assert first.images[0].name.startswith("image-")
    assert first.facts == {"question": ASKED}
    assert str(first.expression) == "[category=cup, #1 from left]"


def test_rows_declare_the_space_of_their_boxes(tmp_path):
    """Shares with a category, pixels without; a box that cannot be in that space is refused."""
    row = {"index": 1, "image": "a.jpg", "question": "left cup"}
    share = table(tmp_path / "a.tsv", **row, answer="[0.1, 0.2, 0.5, 0.6]", category="RefCOCO+ val")
    sized = table(tmp_path / "b.tsv", **row, answer="[0.1, 0.2, 0.5, 0.6]", category="x", width=100, height=50)
    pixels = table(tmp_path / "c_val.tsv", **row, answer="10 20 50 60", width=100, height=50)

    (first,), (second,), (third,) = (ReadFile(ROWS, path) for path in (share, sized, pixels))
    assert (first.space, first.boxes, first.split) == ("share", ((0, Box(0.1, 0.2, 0.5, 0.6)),), "RefCOCOplus-val")
    assert (second.space, second.boxes) == ("pixels", ((0, Box(10, 10, 50, 30)),))
    assert (third.space, third.boxes, third.split) == ("pixels", ((0, Box(10, 20, 50, 60)),), "val")
    for path in (
        table(tmp_path / "d.tsv", **row, answer="[10, 20, 50, 60]", category="x"),
        table(tmp_path / "e.tsv", **row, answer="0.1 0.2 0.5 0.6", width=100, height=50),
    ):
        with pytest.raises(BrokenDataset, match="most often odd-space"):
            ReadFile(ROWS, path)


def test_rows_of_evaluation_kits_are_read(tmp_path):
    """Several answers of a row are several expressions; boxes are as each layout writes them."""
    file = FILE.replace(".jpg", "_3.jpg")
    lmms = {
        "question_id": "9",
        "question": "Where?",
        "answer": ["left cup", "cup"],
        "bbox": [10, 50, 20, 30],
        "file_name": file,
    }
    captions = {
        "ref_id": 9,
        "captions": ["cup"],
        "bbox": [10, 50, 30, 80],
        "raw_image_info": json.dumps(IMAGE),
        "split": "test",
    }
    qwen = {"image": f"data/{FILE}", "sent": "left cup", "bbox": [10, 50, 30, 80], "width": 120, "height": 90}
    inside = {"image": "QUJD" * 5000, **lmms}
    paths = [
        write(tmp_path / name, [row])
        for name, row in (("a.json", lmms), ("b.jsonl", captions), ("refcoco_testB.jsonl", qwen), ("d.jsonl", inside))
    ]
    read = [list(ReadFile(reader_of(path), path)) for path in paths]

    assert [reader_of(path) for path in paths] == [ROWS] * 4
    assert [[example.text for example in some] for some in read] == [
        ["left cup", "cup"],
        ["cup"],
        ["left cup"],
        ["left cup", "cup"],
    ]
    assert {example.boxes for some in read for example in some} == {((0, Box(10, 50, 30, 80)),)}
    assert [some[0].images[0] for some in read[:3]] == [(FILE, 0, 0), (FILE, 120, 90), (f"data/{FILE}", 120, 90)]
    assert [some[0].split for some in read[:3]] == ["all", "test", "testB"]


@pytest.mark.parametrize(
    "cell", ["['left cup', \"the man's cup\"]", '["left cup", "the man\'s cup"]', "['left cup' \"the man's cup\"]"]
)
def test_a_list_in_a_cell_is_several_expressions(tmp_path, cell):
    """However it is written: by Python, as JSON, or by numpy."""
    more = {"question": "Where?", "bbox": "[10. 50. 20. 30.]", "file_name": FILE}
    path = tmp_path / "lmms.tsv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream, delimiter="\t")
        rows.writerow(["question_id", "image", "answer", *more])
        rows.writerows(
            [number, "QUJD" * 200, said, *more.values()] for number, said in enumerate([cell, "['cup'", "cup"])
        )
    read = ReadFile(reader_of(path), path)

    assert [one.text for one in read] == ["left cup", "the man's cup", "cup"]
    assert {one.boxes for one in read} == {((0, Box(10, 50, 30, 80)),)}
    assert [(one.record, one.code) for one in read.refusals] == [(1, "no-text")]


def test_rows_that_cannot_be_read_are_refused_by_code(tmp_path):
    """One of each, and changed bytes never crash."""
    good = {"image": FILE, "sent": "left cup", "bbox": [10, 50, 30, 80], "width": 120, "height": 90}
    bad = [
        {**good, "sent": ""},
        {**good, "bbox": [1, 2]},
        {**good, "bbox": [0, 0, 1, 1]},
        {**good, "width": "x"},
        7,
        {},
    ]
    path = write(tmp_path / "a.jsonl", [good, *bad])
    read = ReadFile(ROWS, path)

    assert [one.code for one in read.refusals] == ["no-text", "no-box", "odd-space", *["unreadable"] * 3]
    check_hostile_bytes(ROWS, path, path)


# ---------------------------------------------------------------------------------------------------- TFDS


def built(as_lists=False, **changes):
    """One image as TFDS builds it: two cups, the right one with two sentences, and a flat box."""
    annotations = [
        {"id": 11, "label": 47, "area": 6, "bbox": [0.5, 0.1, 0.8, 0.2]},
        {"id": 15, "label": 47, "area": 0, "bbox": [0.5, 0.1, 0.8, 0.1]},
        {"id": 12, "label": 47, "area": 7, "bbox": [0.5, 0.7, 0.8, 0.9]},
    ]
    said = [{"raw": "Right cup", "refexp_id": 1}, {"raw": "jar", "refexp_id": 2}]
    objects = [{**annotations[2], "gt_box_index": 2, "refexp": said}]
    if as_lists:
        objects[0]["refexp"] = {key: [one[key] for one in said] for key in said[0]}
        annotations, objects = ({key: [one[key] for one in some] for key in some[0]} for some in (annotations, objects))
    return {"image/id": 7, "coco_annotations": annotations, "objects": objects, **changes}


def test_images_that_tfds_built_are_read(tmp_path):
    """Boxes are top, left, bottom, right in shares; entries are lists, or lists of values by name."""
    one = write(tmp_path / "refcoco_unc_val.jsonl", [built(), built(as_lists=True)])
    first, second, third, _ = ReadFile(TFDS, one)

    assert reader_of(one) is reader_of(write(tmp_path / "a.json", [built()])) is TFDS
    assert (first.id, first.text, first.split, first.space) == ("7-12-1", "Right cup", "val", "share")
    assert (first.boxes, first.targets) == (((0, Box(0.7, 0.5, 0.9, 0.8)),), ((0, 1),))
    assert first.regions == ((Box(0.1, 0.5, 0.2, 0.8), Box(0.7, 0.5, 0.9, 0.8)),)
    assert resolve(first.expression, first.context).objects == {(0, 1)}
    assert first.content() == third.content()
    assert (second.facts, second.expression) == ({"object": 12, "flat_boxes": 1}, None)


def test_images_of_tfds_that_cannot_be_read_are_refused_by_code(tmp_path):
    """One of each, and changed bytes never crash."""
    odd = [{"id": 1, "label": 12, "bbox": [0, 0, 1, 1]}]
    pixels = [{"id": 1, "label": 47, "bbox": [10, 20, 30, 40]}]
    bad = [
        built(coco_annotations=odd),
        built(coco_annotations=pixels),
        built(objects=[]),
        built(coco_annotations=[]),
        built(objects=3),
        built(coco_annotations={"id": [1, 2], "bbox": []}),
        7,
    ]
    path = write(tmp_path / "a.jsonl", [built(), *bad])
    read = ReadFile(TFDS, path)

    codes = ["odd-category", "odd-space", "no-text", "no-box", "unreadable", "unreadable", "unreadable"]
    assert [one.code for one in read.refusals] == codes
    check_hostile_bytes(TFDS, path, path)


# ---------------------------------------------------------------------------------------------------- text only


def test_expressions_alone_are_read(tmp_path):
    """There is nothing to resolve, and nothing is claimed to be."""
    path = write(
        tmp_path / "testA.json", {"predictions": [{"sent": "left cup", "ref_id": 4}, {"sent": "", "ref_id": 5}]}
    )
    read = ReadFile(EXPRESSIONS, path)
    (example,) = read

    assert reader_of(path) is EXPRESSIONS
    assert (example.id, example.split, example.scenes, example.images) == ("4-0", "testA", (), ())
    assert str(example.expression) == "[category=cup, #1 from left]"
    assert read.refused == {"no-text": 1}
    check_hostile_bytes(
        EXPRESSIONS, write(tmp_path / "a.json", [{"sent": "x", "ref_id": k} for k in range(9)]), tmp_path / "a.json"
    )


# ---------------------------------------------------------------------------------------------------- real bytes


@NEEDS_REAL
def test_the_sample_of_tfds_is_read_whole():
    """32 references of three datasets and three partitions are 85 expressions among 12 to 24 objects."""
    path = REAL / "tfds_refcoco.json"
    read = ReadFile(reader_of(path), path)
    known = [example for example in read if example.expression is not None]
    resolved = [
        example
        for example in known
        if set(resolve(example.expression, example.context).objects) == set(example.targets)
    ]

    assert (read.reader, read.records, len(read), dict(read.refused)) == (REFCOCO, 32, 85, {})
    assert len(read.splits) == 16
    assert {len(example.scenes[0]) for example in read} == {12, 13, 19, 24}
    assert (len(known), len(resolved)) == (15, 10)
    assert len({example.id for example in read}) == 85


@NEEDS_REAL
def test_the_sample_of_expressions_is_read_whole():
    """1,984 expressions of a speaker, of which the language covers 276."""
    path = REAL / "refer_sample_expressions_testA.json"
    read = ReadFile(reader_of(path), path)

    assert (read.reader, read.records, len(read)) == (EXPRESSIONS, 1984, 1984)
    assert sum(example.expression is not None for example in read) == 276


# ---------------------------------------------------------------------------------------------------- all verbs


@pytest.mark.slow
@pytest.mark.parametrize(
    "layout",
    ["pickle", "folder", "tfds", "tfds as built", "mdetr", "mdetr with objects", "refexp", "rows", "expressions"],
)
def test_every_verb_takes_every_layout(tmp_path, layout):
    """As `check_reader` tries it."""
    references = [reference(k, 11 + k % 3, texts=["left cup", f"white cup {k}"]) for k in range(6)]
    match layout:
        case "pickle":
            path = release(tmp_path, *references)
        case "folder":
            release(tmp_path / "refcoco", *references, name="refs(google).p")
            release(tmp_path / "refcoco+", *references)
            path = tmp_path
        case "tfds":
            path = write(tmp_path / "a.json", {"ref": references, "coco_anns": {"7": {"info": IMAGE, "anns": THINGS}}})
        case "tfds as built":
            path = write(tmp_path / "a.jsonl", [built()])
        case "mdetr" | "mdetr with objects":
            path = mdetr(tmp_path)
            if layout != "mdetr":
                write(tmp_path / "instances.json", COCO)
        case "refexp":
            path = google(tmp_path)
        case "rows":
            row = {"image": FILE, "sent": "left cup", "bbox": [10, 50, 30, 80], "width": 120, "height": 90}
            path = write(tmp_path / "refcoco_val.jsonl", [row])
        case _:
            path = write(tmp_path / "testA.json", [{"sent": f"left cup {k}", "ref_id": k} for k in range(9)])
    facts = check_reader(reader_of(path), path)

    assert facts.records
    assert not facts.refused


def test_the_same_words_about_different_references_are_no_repeat(tmp_path):
    """Without image and object, an expression is of the reference that it names."""
    said = [{"sent": "left cup", "ref_id": number} for number in (4, 5, 4)]
    first, second, third = ReadFile(EXPRESSIONS, write(tmp_path / "a.json", said))

    assert first.content() != second.content()
    assert first.content() == third.content()


def test_whole_files_need_no_suffix_and_no_split(tmp_path):
    """A converter may write a file under any name; a split that is null is none."""
    whole = {"images": [IMAGE], "annotations": THINGS, "categories": CATEGORIES}
    said = {**reference(1, 11, texts=["left cup"]), "split": None}
    path = write(tmp_path / "coco", {**whole, "refs": [said]})

    (example,) = ReadFile(reader_of(path), path)
    assert (example.text, example.split) == ("left cup", "all")


def test_rows_in_parquet_are_read_without_their_pictures(tmp_path):
    """The columns are those of lmms-eval; what is no layout of rows is left alone."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    row = {
        "question_id": "1",
        "image": {"bytes": b"\x89PNG", "path": None},
        "question": "Find it.",
        "bbox": [1.5, 2, 3, 4],
    }
    more = {"answer": ["left cup", "the cup"], "iscrowd": 0, "file_name": FILE.replace(".jpg", "_16.jpg")}
    parquet.write_table(pa.Table.from_pylist([{**row, **more}]), tmp_path / "testA-00000-of-00001.parquet")
    parquet.write_table(pa.table({"image": [b"x"], "bbox": [[1, 2, 3, 4]]}), tmp_path / "other.parquet")

    first, second = ReadFile(
        reader_of(tmp_path / "testA-00000-of-00001.parquet"), tmp_path / "testA-00000-of-00001.parquet"
    )
    assert (first.text, second.text, first.images[0].name) == ("left cup", "the cup", FILE)
    assert first.split == "testA"
    assert first.boxes == ((0, Box(1.5, 2, 4.5, 6)),)
    assert not ROWS.sniff(tmp_path / "other.parquet")


def test_a_folder_of_rows_is_read_whole(tmp_path):
    """As evaluation kits hold it, a file or several for each split; rows are numbered through, other files are left."""
    row = {"question_id": "1", "answer": ["cup"], "bbox": [1, 2, 3, 4], "file_name": FILE}
    folder = tmp_path / "RefCOCO" / "data"
    folder.mkdir(parents=True)
    for name in ("testA-00000-of-00002.jsonl", "testA-00001-of-00002.jsonl", "val.jsonl"):
        (folder / name).write_text(2 * (json.dumps(row) + "\n"), encoding="utf-8")
    write(folder / "info.json", {"license": "none"})
    read = ReadFile(reader_of(tmp_path / "RefCOCO"), tmp_path / "RefCOCO")

    assert read.splits == {"testA": 4, "val": 2}
    assert len({one.id for one in read}) == 6
    assert [one.id for one in ReadFile(ROWS, folder)] == [one.id for one in read]
    assert not ROWS.sniff(tmp_path)


def test_a_misfit_of_a_text_that_is_only_read_is_a_warning(tmp_path):
    """Our language may be wrong as well as the data; where people annotated the meaning, it is an error."""
    release(tmp_path, reference(texts=("the cup", "right cup", "right bowl", "the dog")))
    report = ReadChecks(ReaderWorld.of(REFCOCO)).check(tmp_path / "refs(unc).p", CheckRequest(select=("W1", "E")))

    assert {code: count for code, count in report.counts.items() if count} == {"W101": 1, "W102": 1, "W103": 2}
