"""CLEVR-Ref+: programs become expressions that pick out the same objects."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from deixis.expression.plain import expression_from_plain, expression_to_plain
from deixis.readers._builtin.clevr_ref import READER
from deixis.readers._examples import ReadFile
from deixis.resolution.reference import denotation
from tests.readers.clevr_programs import draw_file, draw_scene
from tests.readers.hostile import check_hostile_bytes


REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "clevr" / "CLEVR_scenes.json"


def write(folder, scenes, refexps, name="val"):
    """The two files of a release, in its two folders."""
    for kind, content in (("scenes", {"info": {}, "scenes": scenes}), ("refexps", refexps)):
        (folder / kind).mkdir(exist_ok=True)
        (folder / kind / f"clevr_ref+_{name}_{kind}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder / "refexps" / f"clevr_ref+_{name}_refexps.json"


@pytest.fixture
def drawn():
    """Ten scenes and 300 programs, the same every time."""
    rng = np.random.default_rng(7)
    scenes = [draw_scene(rng, number) for number in range(10)]
    return scenes, draw_file(rng, scenes, 300)


def check_agreement(examples, refexps):
    """The targets are the recorded objects, and so is what the expression picks out; returns how many have one."""
    for example, fields in zip(examples, refexps, strict=True):
        recorded = set(fields["program"][-1]["_output"])
        assert {where.object for where in example.targets} == recorded
        if example.meaning is None:
            assert "rank" in example.facts["unread"]
        else:
            assert denotation(example.meaning, example.scenes[0]) == recorded, fields["program"]
    return sum(example.meaning is not None for example in examples)


def test_expressions_pick_out_what_programs_give(tmp_path, drawn):
    """On scenes drawn at random; ranks that meet have no expression."""
    scenes, refexps = drawn
    path = write(tmp_path, scenes, refexps)

    assert READER.sniff(path)
    assert READER.sniff(tmp_path)
    read = ReadFile(READER, path)
    assert (read.records, len(read), dict(read.refused)) == (300, 300, {})
    assert check_agreement(list(read), refexps["refexps"]) >= 240
    assert {len(example.targets) for example in read} >= {0, 1, 2, 3}


@pytest.mark.skipif(not REAL.is_file(), reason="the rendered CLEVR scenes do not lie beside the checkout")
def test_expressions_agree_on_rendered_scenes(tmp_path):
    """The same on ten scenes of the CLEVR engine, whose relationships leave near objects out."""
    scenes = json.loads(REAL.read_text(encoding="utf-8"))["scenes"]
    refexps = draw_file(np.random.default_rng(11), scenes, 400)
    read = ReadFile(READER, write(tmp_path, scenes, refexps))

    assert check_agreement(list(read), refexps["refexps"]) >= 330


def test_programs_are_run_where_no_objects_are_recorded(tmp_path, drawn):
    """Without `_output`, and with the older names of the fields, the same objects are meant."""
    scenes, refexps = drawn
    bare = json.loads(json.dumps(refexps))
    for fields in bare["refexps"]:
        for step in fields["program"]:
            del step["_output"]
            step["function"], step["side_inputs"] = step.pop("type"), step.pop("value_inputs")
    (tmp_path / "other").mkdir()

    with_answers, without = (
        list(ReadFile(READER, write(tmp_path / name, scenes, one))) for name, one in ((".", refexps), ("other", bare))
    )
    assert [example.targets for example in with_answers] == [example.targets for example in without]
    assert [example.meaning for example in with_answers] == [example.meaning for example in without]


def test_an_answer_that_the_program_does_not_give_holds(tmp_path, drawn):
    """The recorded objects are the targets, and the expression is withheld."""
    scenes, refexps = drawn
    fields = refexps["refexps"][0]
    given = fields["program"][-1]["_output"]
    fields["program"][-1]["_output"] = other = [0] if given != [0] else [1]
    example = ReadFile(READER, write(tmp_path, scenes, refexps))[0]

    assert [where.object for where in example.targets] == other
    assert example.meaning is None
    assert "other objects" in example.facts["unread"]


@pytest.mark.parametrize("is_recorded", [True, False])
def test_visibility_is_read_where_the_scene_has_it(tmp_path, drawn, is_recorded):
    """Otherwise the record is refused by its code, unless the file says which objects are meant."""
    scenes, _ = drawn
    for number, thing in enumerate(scenes[0]["objects"]):
        if is_recorded:
            thing["visible"] = "fully visible" if number else "partially visible"
    steps = [
        {"type": "scene", "value_inputs": [], "inputs": []},
        {"type": "filter_visible", "value_inputs": ["partially visible"], "inputs": [0]},
    ]
    entry = {"split": "val", "image_index": 0, "refexp": "the partially visible thing(s)", "program": steps}
    answered = {**entry, "program": [steps[0], {**steps[1], "_output": [0]}]}
    read = ReadFile(READER, write(tmp_path, scenes, {"refexps": [entry, answered]}))

    if is_recorded:
        assert [str(example.meaning) for example in read] == ["[visible=partially visible]"] * 2
    else:
        assert dict(read.refused) == {"no-visibility": 1}
        assert [example.meaning for example in read] == [None]
    assert {example.targets for example in read} == {((0, 0),)}


def test_records_that_cannot_be_read_are_refused_by_code(tmp_path, drawn):
    """One of each: nothing is dropped and nothing raises."""
    scenes, refexps = drawn
    good = next(one for one in refexps["refexps"] if one["image_index"] > 2)
    node = {"type": "filter_color", "value_inputs": ["red"], "inputs": [0]}
    start = {"type": "scene", "value_inputs": [], "inputs": []}
    scenes[1]["objects"][0]["color"] = "mauve"
    scenes[2]["relationships"]["left"][0] = [10**9]
    bad = {
        "no-scene": {**good, "image_index": 99},
        "no-text": {**good, "refexp": " "},
        "odd-scene": {**good, "image_index": 1},
        "odd-program": {**good, "program": [start, {**node, "value_inputs": ["mauve"]}]},
        "no-objects": {**good, "program": [{**start, "_output": [77]}]},
        "unreadable": {**good, "program": ["scene"]},
    }
    more = [
        {**good, "image_index": 2},
        {**good, "image_index": [1]},
        {**good, "program": []},
        {**good, "program": [start, {**node, "inputs": [5]}]},
        {**good, "program": [start, {"type": "count", "inputs": [0]}]},
        {**good, "program": [start, {"type": "scene_of", "inputs": [0]}]},
        {**good, "program": [start, {"type": "relate", "value_inputs": ["left"], "inputs": [0]}]},
        "no record at all",
    ]
    fine = [one for one in refexps["refexps"] if one["image_index"] > 2][:10]
    read = ReadFile(READER, write(tmp_path, scenes, {"refexps": [*fine, *bad.values(), *more]}))

    codes = [refusal.code for refusal in read.refusals]
    assert (read.records, len(read)) == (24, 10)
    assert codes[:6] == list(bad)
    assert codes[6:] == ["odd-scene", "no-scene", *["odd-program"] * 5, "no-scene"]
    assert set(codes) <= set(READER.codes)


def test_a_file_without_scenes_says_so(tmp_path, drawn):
    """All records are refused, in one line that names the code."""
    scenes, refexps = drawn
    path = write(tmp_path, scenes, refexps)
    (tmp_path / "scenes" / "clevr_ref+_val_scenes.json").unlink()

    with pytest.raises(Exception, match="most often no-scene"):
        ReadFile(READER, path)


def test_expressions_can_be_stored(tmp_path, drawn):
    """Alternatives of several words, too, survive being written down."""
    scenes, refexps = drawn
    for example in ReadFile(READER, write(tmp_path, scenes, refexps)):
        if example.meaning is not None:
            assert expression_from_plain(expression_to_plain(example.meaning)) == example.meaning


def test_hostile_bytes_never_crash(tmp_path, drawn):
    """Changed bytes of either file give examples, refusals or one line."""
    scenes, refexps = drawn
    path = write(tmp_path, scenes[:3], {"refexps": [one for one in refexps["refexps"] if one["image_index"] < 3][:6]})
    check_hostile_bytes(READER, path, path)
    check_hostile_bytes(READER, path, tmp_path / "scenes" / "clevr_ref+_val_scenes.json")
