from __future__ import annotations

import json

import pytest

from deixis.errors import BrokenDataset
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Related
from deixis.worlds.photos._formats.copsref import RefReport, read_refs, write_refs
from deixis.worlds.photos.data._records import example_of, ref_of
from deixis.worlds.photos.localise import DistractorImage, Example
from deixis.worlds.photos.scene.graph import Box
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.datasets.copsref.posed import posed
from tests.scene.graphs import STREET, image, thing


RELEASED = {  # a record in the shape of the release, with words of our own
    "ref_id": 12,
    "sent_ids": [12],
    "sentences": [{"sent_id": 12, "sent": "The red car that is near the man", "tokens": ["The", "red", "car"]}],
    "image_id": "street",
    "imageId": "street",
    "objectId": "0",
    "ann_id": 0,
    "category_id": 3,
    "name": "cars",
    "box": [0, 10, 8, 20],
    "attributes": ["red", "red"],
    "att_wds": ["red"],
    "expression": "The red car that is near the man",
    "logic": "unary",
    "explored_list": [["0"], ["1"]],
    "attri_used": [["red"], [""]],
    "not_rela": "on",
    "split": "test",
    "splitOld": "val",
    "valid_flag": 1,
    "neg_img_list": {"random": ["a", "b", "c"], "cat": ["d", "e", "f"], "catAndAttr": ["d"], "catAndcat": ["g"]},
    "neg_obj_list": {"random": ["1", "2", "3"], "cat": ["4", "5", "6"], "catAndAttr": ["4"], "catAndcat": ["7"]},
    "neg_ann_id_list": {"random": [1, 2, 3], "cat": [4, 5, 6], "catAndAttr": [4]},
}


def file_of(tmp_path, refs):
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"info": {"version": 1}, "refs": refs}), encoding="utf-8")
    return path


def test_a_released_record_comes_back_whole(tmp_path):
    """Every key of the release is read and written again, `catAndcat` missing from one list as it is there."""
    (ref,) = read_refs(file_of(tmp_path, [RELEASED]))

    assert ref.to_dict() == RELEASED
    assert write_refs(tmp_path / "out.json", [ref]) == 1
    assert json.loads((tmp_path / "out.json").read_text())["refs"] == [RELEASED]


def test_a_record_is_an_example(tmp_path):
    """The label `unary` is the form order, the list `random` is DiffCat; what the text means is read if asked for."""
    (ref,) = read_refs(file_of(tmp_path, [RELEASED]))

    example = example_of(ref, parse=lambda text: Description((Is("name", text.split()[2]),)))

    assert (example.id, example.form, example.object_id, example.split) == (12, "order", "0", "test")
    assert example.expression == Description((Is("name", "car"),))
    assert example.images("DiffCat") == ("street", "a", "b", "c")
    assert example.images("Full") == ("street", "a", "b", "c", "d", "e", "f", "g")
    assert example.kinds_of("d") == ("Cat", "Cat&attr")
    assert example_of(ref).expression is None


@pytest.mark.parametrize(
    ("record", "code", "is_kept"),
    [
        (None, "R002", False),
        ("text", "R003", False),
        ({**RELEASED, "expression": None, "sentences": []}, "R004", False),
        ({key: value for key, value in RELEASED.items() if key != "objectId"}, "R005", False),
        ({**RELEASED, "ref_id": "x", "sent_ids": None, "sentences": None}, "R101", True),
        ({key: value for key, value in RELEASED.items() if key != "logic"}, "R102", True),
        ({**RELEASED, "box": [1, 2]}, "R103", True),
        ({**RELEASED, "neg_img_list": {"cat": ["a", None]}}, "R104", True),
        ({**RELEASED, "neg_img_list": {"dog": ["a"]}}, "R105", True),
        ({**RELEASED, "imageId": "other"}, "R201", True),
    ],
)
def test_strange_records_are_told_and_the_rest_is_read(record, code, is_kept, tmp_path):
    """Each kind of damage has a code and a line; records before and after it are read."""
    report = RefReport()
    around = [{**RELEASED, "ref_id": 1}, record, {**RELEASED, "ref_id": 2}]

    refs = list(read_refs(file_of(tmp_path, around), report))

    assert [ref.ref_id for ref in refs if ref.ref_id in (1, 2)][:1] == [1]
    assert len(refs) == 2 + is_kept
    assert report.counts == {code: 1}
    assert report.lines[0].strip().startswith(f"1 × {code} record 1")


def test_missing_keys_leave_gaps(tmp_path):
    """A record of nothing but a text and a target is kept; the old spelling of the image will do."""
    (ref,) = read_refs(file_of(tmp_path, [{"imageId": 5, "objectId": "9", "expression": "the cat"}]))

    assert (ref.image_id, ref.object_id, ref.box, ref.explored_list) == ("5", "9", None, None)
    assert example_of(ref).distractors == ()


def test_the_number_of_the_sentence_will_do(tmp_path):
    """A record without a number of its own has that of its only sentence, or one that no other record can have."""
    refs = read_refs(file_of(tmp_path, [{**RELEASED, "ref_id": None}, {**RELEASED, "ref_id": 0, "sent_ids": []}]))
    assert [ref.ref_id for ref in refs] == [12, 0]

    nameless = {**RELEASED, "ref_id": None, "sent_ids": [], "sentences": []}
    assert [ref.ref_id for ref in read_refs(file_of(tmp_path, [nameless, nameless]))] == [-1, -2]


def test_a_number_is_used_once(tmp_path):
    """Of two records with one number the first is kept."""
    report = RefReport()
    refs = list(read_refs(file_of(tmp_path, [RELEASED, {**RELEASED, "expression": "other"}]), report))

    assert [ref.expression for ref in refs] == [RELEASED["expression"]]
    assert report.counts == {"R006": 1}


def test_a_file_that_breaks_off_keeps_what_was_read(tmp_path):
    """Records before the break are read, and the break is told with its place; a file without any is refused."""
    path = file_of(tmp_path, [RELEASED, {**RELEASED, "ref_id": 13}])
    path.write_bytes(path.read_bytes()[:-400])
    report = RefReport()

    assert [ref.ref_id for ref in read_refs(path, report)] == [12]
    assert "R001" in report.counts
    assert "cut short" in report.lines[0]
    for text in ("", '{"images": []}', "PK\x03\x04", '{"refs": 7}'):
        path.write_text(text)
        with pytest.raises(BrokenDataset):
            list(read_refs(path))
    with pytest.raises(BrokenDataset, match="No such file"):
        list(read_refs(tmp_path / "none.json"))


def test_examples_make_records(tmp_path):
    """What we make is told in the released keys, and read back as the same example but for its misreadings."""
    table = posed().scenes
    for example in posed().there:
        ref = ref_of(example, table)
        again = example_of(ref, parse=lambda _, e=example: e.expression)
        thing_number = int(table.scene_ptr[table.find(example.image_id)]) + int(example.object_id)
        assert ref.ann_id == thing_number
        assert ref.explored_list[0] == [example.object_id]
        assert len(ref.explored_list) == len(ref.attri_used)
        assert (again.id, again.text, again.form, again.image_id) == (
            example.id,
            example.text,
            example.form,
            example.image_id,
        )
        for setting in ("Full", "Cat"):
            assert again.images(setting) == example.images(setting)


def test_the_objects_spoken_of_stand_by_depth():
    """Alternatives stand side by side with their attributes; the one that does not hold is named."""
    other = image(thing(0, "cow"), image_id="field")
    table = GraphTable.of([STREET, other])
    man = Description((Is("name", "man"), Is("other", "wet")))
    tree = Description((Is("name", "tree"), Is("height", "tall")))
    expression = Description(
        (Is("name", "car"), Is("color", "red"), AnyOf((Related("on", tree), Related("near", man))))
    )
    example = Example(
        id=3,
        text="The red car that is on the tall tree or near the wet man",
        expression=expression,
        form="or",
        image_id="street",
        object_id="0",
        distractors=(DistractorImage("DiffCat", "field"),),
    )

    ref = ref_of(example, table)

    assert ref.explored_list == [["0"], ["4", "1"]]
    assert ref.attri_used == [["red"], [["tall"], ["wet"]]]
    assert (ref.not_rela, ref.logic, ref.box) == ("on", "or", Box(0, 10, 8, 20))
    assert ref.neg_img_list == {"random": ("field",)}
