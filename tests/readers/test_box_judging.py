"""Judging boxes: spaces that are declared, overlaps, sets, images, refusals, and misreadings behind wrong boxes."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isclose
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import BrokenDataset, RecipeError, SchemaError, UnknownName
from deixis.judge.boxes import SPACES, Box, overlap, pair_boxes
from deixis.judge.request import Request
from deixis.judge.verdicts import read_column, read_verdicts
from deixis.readers._box_baselines import BASELINES
from deixis.readers._box_scores import group_values
from deixis.readers._region_scene import RegionScene
from deixis.readers.reader import Image, Region
from deixis.readers.registry import world_of_reader
from deixis.scene.scene import Where
from tests.readers.box_examples import APPLE, EXAMPLES, PEAR, world_of_boxes


PREDICTED = Path(__file__).resolve().parents[3] / "shared/data/others/ref-adv/qwen3a8b_direct_predictions-6.jsonl"
EDGE = st.floats(0, 1000, allow_nan=False, width=32)
SIDE = st.floats(1, 500, allow_nan=False, width=32)
BOXES = st.builds(lambda x, y, w, h: Box(x, y, x + w, y + h), EDGE, EDGE, SIDE, SIDE)


def judge(tmp_path, *lines, examples=EXAMPLES, space=None, out=None, splits=(), allow=False):
    """The evaluation of some lines of answers."""
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return judge_file(tmp_path, answers, examples=examples, space=space, out=out, splits=splits, allow=allow)


def judge_file(tmp_path, answers, *, examples=EXAMPLES, space=None, out=None, splits=(), allow=False):
    """The evaluation of a file of answers or of a baseline."""
    options = {"space": space} if space else {}
    request = Request(
        answers=(answers,), data=tmp_path / "fruit", out=out, options=options, splits=splits, allow_losses=allow
    )
    return world_of_boxes(*examples).part("judging").evaluate(request)


def outcome(tmp_path, line, number, **more):
    """What comes of one answer to the example of a number."""
    found = judge(tmp_path, {"id": number, **line}, examples=(EXAMPLES[number],), **more)
    return next(iter(found.values["overall"]["outcomes"]))


@pytest.mark.parametrize(
    ("number", "line", "expected"),
    [
        (0, {"box": [0, 0, 40, 40], "space": "pixels"}, "right"),
        (0, {"box": [0, 0, 40, 20], "space": "pixels"}, "right"),
        (0, {"box": [0, 0, 40, 19], "space": "pixels"}, "loose box"),
        (0, {"box": [90, 0, 140, 40], "space": "pixels"}, "wrong object"),
        (0, {"object": 0}, "right"),
        (0, {"object": 2}, "wrong object"),
        (0, {"object": 3}, "no such region"),
        (0, {"box": "none"}, "wrong refusal"),
        (0, {"box": [0, 0, 0, 40], "space": "pixels"}, "unreadable"),
        (0, {"box": None}, "unreadable"),
        (0, {"box": [0, 0, 200, 200], "image": 3, "space": "pixels"}, "no such region"),
        (1, {"box": [100, 100, 120, 120], "space": "pixels"}, "wrong box"),
        (1, {"box": [0.05, 0.05, 0.3, 0.3], "space": "share"}, "right"),
        (1, {"box": [50, 50, 300, 300], "space": "0..1000"}, "right"),
        (1, {"boxes": [[10, 10, 60, 60], [0, 0, 9, 9]], "space": "pixels"}, "wrong set of boxes"),
        (2, {"boxes": []}, "right"),
        (2, {"box": "not there"}, "right"),
        (2, {"box": [0, 0, 9, 9], "space": "pixels"}, "box where nothing fits"),
        (3, {"boxes": [[50, 50, 90, 90], [0, 0, 20, 20]], "space": "pixels"}, "right"),
        (3, {"boxes": [[50, 50, 90, 90], [51, 51, 90, 90]], "space": "pixels"}, "wrong set of boxes"),
        (3, {"box": [0, 0, 20, 20], "space": "pixels"}, "wrong set of boxes"),
        (4, {"box": [100, 0, 200, 50], "image": 1, "space": "pixels"}, "right"),
        (4, {"box": [100, 0, 200, 50], "image": "b.jpg", "space": "pixels"}, "right"),
        (4, {"boxes": [{"image": 1, "box": [250, 0, 500, 500]}], "space": "0..1000"}, "right"),
        (4, {"box": [100, 0, 200, 50], "image": 0, "space": "pixels"}, "wrong image"),
        (4, {"box": [100, 0, 200, 50], "space": "pixels"}, "no such region"),
        (5, {"box": [100, 0, 200, 50], "image": 1, "space": "pixels"}, "right"),
    ],
)
def test_every_answer_has_the_outcome_that_it_deserves(tmp_path, number, line, expected):
    """Boxes in three spaces, candidates, refusals, sets and images."""
    assert outcome(tmp_path, line, number) == expected


def test_verdicts_keep_the_boxes_that_were_given(tmp_path):
    """In the space of the example, with the number of their image, whatever space they came in."""
    line = {"boxes": [{"image": 1, "box": [250, 0, 500, 500]}], "space": "0..1000"}
    judge(tmp_path, {"id": 4, **line}, examples=(EXAMPLES[4],), out=tmp_path / "out")

    (kept,) = (tmp_path / "out").rglob("verdicts.parquet")
    given = read_column(kept, "given_boxes").to_pylist()
    assert [[1.0, 100.0, 0.0, 200.0, 50.0]] in given
    assert read_column(kept, "no such column") is None
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(BrokenDataset, match=r"broken\.parquet"):
        read_column(tmp_path / "broken.parquet", "given_boxes")


def test_a_space_that_is_not_declared_is_refused(tmp_path):
    """By the answer or by the option; never guessed."""
    line = {"box": [0, 0, 40, 40]}

    with pytest.raises(BrokenDataset, match="do not say their space; declare it with --space pixels or share or 0"):
        outcome(tmp_path, line, 0)
    with pytest.raises(BrokenDataset, match="are in the space 'percent'"):
        outcome(tmp_path, {**line, "space": "percent"}, 0)
    assert outcome(tmp_path, line, 0, space="pixels") == "right"


def test_a_size_that_is_needed_and_not_known_is_an_error(tmp_path):
    """Unless the answer brings it."""
    line = {"box": [50, 0, 100, 100], "image": 0, "space": "pixels"}
    example = replace(EXAMPLES[5], boxes=(Region(0, Box(0.25, 0, 0.5, 0.5)),))

    with pytest.raises(BrokenDataset, match=r"the size of the image is not known; give answers in share or 0\.\.1000"):
        judge(tmp_path, {"id": 5, **line}, examples=(example,))
    found = judge(tmp_path, {"id": 5, **line, "width": 200, "height": 200}, examples=(example,))
    assert found.values["overall"]["accuracy"]["mean"] == 1


@pytest.mark.parametrize(
    ("line", "space", "told"),
    [
        ({"box": [10, 10, 60, 60], "space": "share"}, None, "a box in share has numbers above 1"),
        ({"box": [10, 10, 1060, 1060], "space": "0..1000"}, None, "a box in 0..1000 has numbers above 1000"),
        ({"box": [0.1, 0.1, 0.6, 0.6], "space": "pixels"}, None, "a box in pixels has no number above 1"),
        ({"box": [10, 10, 900, 900], "space": "pixels"}, None, "a box in pixels reaches far out of its image"),
        ({"box": [10, 10, 60, 60], "space": "pixels"}, "share", "a line says pixels, --space says share"),
    ],
)
def test_boxes_that_contradict_their_declaration_are_counted_and_told(tmp_path, line, space, told):
    """They count as declared."""
    found = judge(tmp_path, {"id": 1, **line}, examples=(EXAMPLES[1],), space=space)

    (reason,) = found.values["contradictions"]
    assert reason.startswith(told)
    assert any("1 contradiction, counted as declared" in str(block) for block in found.blocks)


PLACES = [replace(EXAMPLES[1], id=k, boxes=(Region(0, Box(40 + k, 30, 70 + k, 80)),)) for k in range(4)]


@pytest.mark.parametrize(
    ("write", "form", "space", "told"),
    [
        (
            lambda box: [box.left, box.top, box.right - box.left, box.bottom - box.top],
            "xywh",
            "pixels",
            "left, top, width",
        ),
        (lambda box: [5 * edge for edge in box], "xyxy", "0..1000", "two corners in 0..1000"),
    ],
)
def test_a_reading_that_would_fit_much_better_is_told_and_not_taken(tmp_path, write, form, space, told):
    """Corner and size instead of two corners, also where they make no box, or another space: all count as declared."""
    lines = [{"id": one.id, "box": write(one.boxes[0].box), "space": "pixels"} for one in PLACES]
    found = judge(tmp_path, *lines, examples=PLACES)

    reading = found.values["better_reading"]
    assert (reading["form"], reading["space"], reading["answers"]) == (form, space, 4)
    assert isclose(reading["mean_iou"], 1)
    assert found.values["overall"]["accuracy"]["mean"] == 0
    assert any(f"Read as {told}" in str(block) and "they count as declared" in str(block) for block in found.blocks)


def test_no_reading_is_told_where_answers_fit_as_declared(tmp_path):
    """Nor where there are too few answers, or none of the readings fits."""
    right = [{"id": one.id, "box": list(one.boxes[0].box), "space": "pixels"} for one in PLACES]
    wrong = [{"id": one.id, "box": [1, 1, 4, 3], "space": "pixels"} for one in PLACES]
    few = [{"id": 0, "box": [40, 30, 30, 50], "space": "pixels"}]

    assert all("better_reading" not in judge(tmp_path, *some, examples=PLACES).values for some in (right, wrong, few))


def test_it_is_told_why_answers_cannot_be_read(tmp_path):
    """By kind: other names of fields, edges that are turned round, what is no list of four numbers."""
    lines = [
        {"id": 0, "bbox": [1, 2, 3, 4], "space": "pixels"},
        {"id": 1, "box": [70, 30, 40, 80], "space": "pixels"},
        {"id": 2, "box": ["1", "2", "3", "4"], "space": "pixels"},
        {"id": 3, "answer": "[1, 2, 3, 4]"},
    ]
    found = judge(tmp_path, *lines, examples=PLACES)

    assert found.values["overall"]["outcomes"] == {"unreadable": 4}
    reasons = " / ".join(found.values["unreadable"])
    for reason in ("'bbox' does not say", "a box has no area", "no list of four numbers", "it has no 'box' or 'boxes'"):
        assert reason in reasons
    assert any("1 answer cannot be read: a box has no area" in str(block) for block in found.blocks)


def test_a_wrong_object_is_explained_by_a_misreading(tmp_path):
    """The green apple is what ignoring or misreading 'red' leads to, the pear that of 'apple'."""
    green = judge(tmp_path, {"id": 0, "object": 1}, examples=EXAMPLES[:1]).values["overall"]
    pear = judge(tmp_path, {"id": 0, "box": list(PEAR), "space": "pixels"}, examples=EXAMPLES[:1]).values["overall"]

    assert green["misreadings"] == {"ignored": 1.0}
    assert pear["misreadings"] == {"ignored": 1.0}
    assert green["chance"] == pytest.approx(1 / 3, abs=1e-6)


def test_a_candidate_can_be_named_by_its_number_in_the_dataset(tmp_path):
    """Where the scene knows the numbers."""
    boxes = (Box(0, 0, 40, 40), Box(100, 0, 140, 40))
    scene = RegionScene(["dog", "cat"], boxes, (298801, 77))
    example = replace(EXAMPLES[0], scenes=(scene,), targets=(Where(0, 1),), meaning=None, regions=(boxes,))

    for key, number, expected in (
        ("annotation", 77, "right"),
        ("ann_id", "298801", "wrong object"),
        ("annotation", 5, "no such region"),
    ):
        found = judge(tmp_path, {"id": 0, key: number}, examples=(example,))
        assert found.values["overall"]["outcomes"] == {expected: 1}


def test_an_object_in_nearly_the_same_box_is_told_apart(tmp_path):
    """Who names it is wrong, though its box overlaps the right one; who gives the box is right."""
    boxes = (APPLE, APPLE, PEAR)
    example = replace(EXAMPLES[0], regions=(boxes,))
    named = judge(tmp_path, {"id": 0, "object": 1}, examples=(example,))
    given_box = judge(tmp_path, {"id": 0, "box": list(APPLE), "space": "pixels"}, examples=(example,))

    assert (named.values["overall"]["accuracy"]["mean"], named.values["overall"]["IoU 0.5"]["mean"]) == (0, 1)
    assert named.values["twins"] == 1
    assert "1 answer names an object whose box overlaps" in str(named.blocks[-1])
    assert given_box.values["overall"]["accuracy"]["mean"] == 1
    assert "twins" not in given_box.values


def test_measures_are_what_their_names_say(tmp_path):
    """A ladder of overlaps, centres, precision and recall, refusals."""
    lines = (
        {"id": 0, "box": [0, 0, 40, 32], "space": "pixels"},  # an overlap of .8
        {"id": 1, "box": "none"},
        {"id": 2, "box": "none"},
        {"id": 3, "box": [0, 0, 20, 20], "space": "pixels"},
        {"id": 4, "box": [100, 0, 200, 50], "image": 0, "space": "pixels"},
    )
    overall = judge(tmp_path, *lines, examples=EXAMPLES[:5]).values["overall"]
    means = {name: one["mean"] for name, one in overall.items() if isinstance(one, dict) and "mean" in one}

    assert means["accuracy"] == 0.4
    assert (means["IoU 0.5"], means["IoU 0.75"], means["IoU 0.9"]) == (0.25, 0.25, 0)
    assert isclose(means["mAcc"], 7 / 10 / 4, abs_tol=1e-6)
    assert isclose(means["mean IoU"], (0.8 + 0.5) / 4, abs_tol=1e-6)
    assert isclose(means["center"], 1 / 3, abs_tol=1e-6)
    assert means["image"] == 0
    assert isclose(means["precision"], 2 / 3, abs_tol=1e-6)
    assert isclose(means["recall"], 2 / 5, abs_tol=1e-6)
    assert isclose(means["F1"], 0.5, abs_tol=1e-6)
    assert (means["right refusals"], means["wrong refusals"]) == (1, 0.25)


def test_answers_to_other_expressions_are_left_out(tmp_path):
    """An id that happens to be there is not enough where the answer repeats what was asked."""
    lines = [{"id": n, "box": "none", "expression": EXAMPLES[n].text} for n in range(4)]
    lines[2]["expression"] = "the brown cow"

    with pytest.raises(BrokenDataset, match="its expression is not that of the example of its id"):
        judge(tmp_path, *lines)
    found = judge(tmp_path, *lines, allow=True).values
    assert found["overall"]["outcomes"]["unanswered"] == 3
    assert found["losses"]["left out"] == {"its expression is not that of the example of its id": 1}


def test_scores_are_told_by_what_the_dataset_says(tmp_path):
    """By values, by ranges of many numbers, by every value of a list; not by what all share or hardly two do."""
    examples = [
        replace(
            EXAMPLES[2],
            id=n,
            facts={"hops": n % 2, "far": n // 8, "kinds": ["a", "b"][: n % 2 + 1], "name": str(n), "row": n}
            | ({"rare": str(n)} if n < 5 else {}),
        )
        for n in range(160)
    ]
    values = group_values(examples)
    facts = judge(tmp_path, {"id": 0, "box": "none"}, examples=examples).values["facts"]

    assert list(values) == ["hops", "far", "kinds"]
    assert list(facts["far"]) == ["0 to 4", "5 to 9", "10 to 14", "15 to 19"]
    assert {name: one["examples"] for name, one in facts["kinds"].items()} == {"a": 160, "b": 80}
    assert facts["hops"]["0"]["accuracy"]["mean"] == 1 / 80


def test_baselines_answer_every_example(tmp_path):
    """The oracle is right; whole images and middles are boxes of the right size; the seed decides random ones."""
    found = {word: judge_file(tmp_path, Path(word), examples=EXAMPLES[:5]).values for word in BASELINES}

    assert found["oracle"]["overall"]["outcomes"] == {"right": 5}
    assert all(one["overall"]["examples"] == 5 for one in found.values())
    assert found["random"] == judge_file(tmp_path, Path("random"), examples=EXAMPLES[:5]).values
    whole = judge_file(tmp_path, Path("whole"), examples=EXAMPLES[1:2]).values["overall"]
    assert isclose(whole["mean IoU"]["mean"], 50 * 50 / 200**2, abs_tol=1e-6)
    blind = (replace(EXAMPLES[1], images=(Image("x.jpg"),)), EXAMPLES[2])
    losses = judge_file(tmp_path, Path("whole"), examples=blind).values["losses"]
    assert losses["left out"] == {"the size of its image is not known": 1}


def test_verdicts_are_written_in_the_common_schema(tmp_path):
    """With measures, the object that was chosen, and the overlap; other splits are kept."""
    out = tmp_path / "results"
    lines = ({"id": 0, "object": 1}, {"id": 1, "box": [10, 10, 60, 60], "space": "pixels"}, {"id": 2, "box": "none"})
    examples = (EXAMPLES[0], replace(EXAMPLES[1], split="val"), EXAMPLES[2])
    judge(tmp_path, *lines, examples=examples, out=out, splits=("all",))
    found = judge(tmp_path, *lines, examples=examples, out=out, splits=("val",))
    verdicts = read_verdicts(out / "verdicts.parquet")

    assert found.notes == ["Kept there of earlier: all"]
    assert sorted(verdicts.ids.tolist()) == [0, 1, 2]
    assert list(verdicts.right) == ["accuracy", "IoU 0.5", "IoU 0.75", "IoU 0.9", "center"]
    assert dict(zip(verdicts.ids.tolist(), verdicts.chosen.tolist(), strict=True)) == {0: 1, 1: -1, 2: -1}
    kept = json.loads((out / "evaluation.json").read_text(encoding="utf-8"))
    assert set(kept["splits"]) == {"all", "val"}


def test_what_cannot_be_judged_is_one_line(tmp_path):
    """A folder, no answers, ids of others, an unknown split, options of checkpoints."""
    with pytest.raises(BrokenDataset, match="is a folder; fruit judges files of answers"):
        judge_file(tmp_path, tmp_path)
    with pytest.raises(BrokenDataset, match="holds no answers"):
        judge(tmp_path)
    with pytest.raises(BrokenDataset, match="would be left out"):
        judge(tmp_path, {"id": 99, "box": "none"})
    with pytest.raises(UnknownName, match="there is no split 'dev'"):
        judge(tmp_path, {"id": 0, "box": "none"}, splits=("dev",))
    request = Request(answers=(Path("oracle"),), data=tmp_path / "fruit", device="cpu")
    with pytest.raises(RecipeError, match="--device"):
        world_of_boxes().part("judging").evaluate(request)


def test_hostile_answers_are_verdicts_or_one_line(tmp_path):
    """Values of any type in every field."""
    strange = [None, True, -1, 1e400, "x", [], {}, [1], [[1, 2, 3, 4]], {"box": 3}, [None] * 4, "none", 10**400]
    path = tmp_path / "answers.jsonl"
    for field in ("id", "box", "boxes", "image", "object", "space", "width"):
        for value in strange:
            line = {"id": 0, "box": [0, 0, 40, 40], "space": "pixels", "height": 10, field: value}
            line |= {"box": None} if field == "boxes" else {}
            if field == "boxes":
                del line["box"]
            path.write_text(json.dumps(line) + "\n", encoding="utf-8")
            try:
                judge_file(tmp_path, path, examples=EXAMPLES[:1], allow=True)
            except BrokenDataset as error:
                if "\n" in str(error):
                    pytest.fail(f"an error of several lines: {error}")


@given(BOXES, BOXES)
def test_overlap_is_symmetric(one, other):
    """It is from 0 to 1, and 1 for the same box."""
    assert isclose(overlap(one, other), overlap(other, one), abs_tol=1e-12)
    assert 0 <= overlap(one, other) <= 1
    assert overlap(one, one) == 1


@given(BOXES, st.sampled_from(list(SPACES)), st.sampled_from(list(SPACES)), SIDE, SIDE)
def test_spaces_round_trip(box, space, to, width, height):
    """A box that is converted and back is the same box."""
    again = box.convert(space, to, (width, height)).convert(to, space, (width, height))

    assert np.allclose(again, box, rtol=1e-9, atol=1e-9)
    if "pixels" in (space, to) and space != to:
        with pytest.raises(SchemaError):
            box.convert(space, to, (0, 0))


@given(st.lists(BOXES, max_size=6), st.lists(BOXES, max_size=6))
def test_pairs_are_one_to_one(given_boxes, right):
    """No box is paired twice; overlaps fall; a box that is there on both sides is paired."""
    pairs = pair_boxes(given_boxes, right)

    assert len({one for one, _, _ in pairs}) == len({other for _, other, _ in pairs}) == len(pairs)
    assert [value for _, _, value in pairs] == sorted((value for _, _, value in pairs), reverse=True)
    assert all(isclose(overlap(given_boxes[one], right[other]), value) for one, other, value in pairs)
    if set(given_boxes) & set(right):
        assert pairs[0][2] == 1


@pytest.mark.skipif(not PREDICTED.is_file(), reason="the sample of Ref-Adv does not lie beside the checkout")
def test_predictions_of_ref_adv_have_the_overlaps_that_they_say():
    """Three of six are right, as `first_hit` says; nothing contradicts itself."""
    lines = [json.loads(line) for line in PREDICTED.read_text(encoding="utf-8").splitlines()]
    values = world_of_reader("ref_adv").part("judging").evaluate(Request(answers=(PREDICTED,), data=PREDICTED)).values

    assert values["overall"]["accuracy"]["mean"] == sum(line["first_hit"] for line in lines) / 6
    assert isclose(values["overall"]["mean IoU"]["mean"], sum(one["first_iou"] for one in lines) / 6, abs_tol=1e-6)
    assert "contradictions" not in values
