from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import Is, Related
from deixis.scene.scene import Where
from deixis.worlds.photos.localise import (
    SETTINGS,
    SPACES,
    DistractorImage,
    Example,
    in_pixels,
    intersection_over_union,
    length_of,
    match_box,
)
from deixis.worlds.photos.scene.graph import Box
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import STREET, image, thing


NEAR = Related("near", Description((Is("name", "man"),)))
EXAMPLE = Example(
    id=7,
    text="The red car that is near the man",
    expression=Description((Is("name", "car"), Is("color", "red"), NEAR)),
    form="chain",
    image_id="street",
    object_id="0",
    distractors=(
        DistractorImage("DiffCat", "a"),
        DistractorImage("Cat", "b", "0", "attribute 1 2"),
        DistractorImage("Cat&attr", "b", "0", "phrase 2"),
    ),
)


@pytest.fixture(scope="module")
def table():
    others = (image(thing(0, "cow"), image_id="a"), image(thing(0, "car", "red"), thing(1, "car"), image_id="b"))
    return GraphTable.of([STREET, *others])


@pytest.mark.parametrize(
    ("setting", "images"),
    [
        ("Full", ("street", "a", "b")),
        ("DiffCat", ("street", "a")),
        ("Cat&attr", ("street", "b")),
        ("Cat&cat", ("street",)),
        ("WithoutDist", ("street",)),
    ],
)
def test_a_setting_shows_the_right_image_and_those_of_its_kind(setting, images, table):
    """The right image comes first, every image is shown once, and all objects of them are candidates."""
    assert EXAMPLE.images(setting) == images
    assert EXAMPLE.candidates(table, setting) == sum(len(table.scene(table.find(one))) for one in images)


def test_the_context_holds_the_target(table):
    """Posed as a context of the core, the expression picks out its target among all images."""
    from deixis.resolution.reference import resolve_one

    context = EXAMPLE.context_in(table)

    assert context.target == Where(0, 0)
    assert resolve_one(EXAMPLE.expression, context) == context.target


def test_an_image_knows_the_misreading_it_punishes():
    """From the code in the file comes the reading that a careless reader would have."""
    found = [EXAMPLE.misreading_of(one) for one in EXAMPLE.distractors]

    assert found[0] is None
    assert found[1].expression == Description((Is("name", "car"),))
    assert found[2].expression == Description((Is("name", "car"), Is("color", "red")))


def test_what_is_not_there_has_no_context(table):
    """An expression that fits nothing has no target to put in a context."""
    absent = Example(id=1, text="the cow", expression=None, form="chain", image_id="street", object_id="")

    assert not absent.is_there
    with pytest.raises(SchemaError, match="not there"):
        absent.context_in(table)
    with pytest.raises(SchemaError, match="unknown setting"):
        absent.images("Everything")


@pytest.mark.parametrize(("words", "length"), [(9, "short"), (10, "middle"), (20, "middle"), (21, "long")])
def test_lengths_of_exactly_ten_and_twenty_words_are_middle(words, length):
    """The bins of the paper, with its borders in the middle one."""
    assert length_of(" ".join(["word"] * words)) == length


boxes = st.builds(Box, *[st.integers(0, 300)] * 2, *[st.integers(1, 200)] * 2)


@given(box=boxes)
def test_a_box_is_the_same_in_every_space(box):
    """Written in any of the declared spaces, a box comes back as it was."""
    x, y, w, h = box
    corners = (x, y, x + w, y + h)
    written = {
        "xywh": (x, y, w, h),
        "xyxy": corners,
        "xywh-normalised": (x / 500, y / 400, w / 500, h / 400),
        "xyxy-normalised": tuple(n / (500, 400)[i % 2] for i, n in enumerate(corners)),
    }

    assert set(written) == set(SPACES)
    for space, numbers in written.items():
        assert in_pixels(numbers, space, width=500, height=400) == pytest.approx(box)


@pytest.mark.parametrize(
    ("numbers", "space"),
    [
        ((10, 20, 5, 30), "xyxy"),
        ((1, 2, -3, 4), "xywh"),
        ((1, 2, 3), "xywh"),
        ((1, 2, 3, float("nan")), "xywh"),
        ((10, 20, 100, 100), "xywh-normalised"),
        ((1, 2, 3, 4), "yxyx"),
    ],
)
def test_what_is_no_box_of_the_space_is_refused(numbers, space):
    """A box that makes no sense in its declared space is not tried in another."""
    with pytest.raises(SchemaError):
        in_pixels(numbers, space, width=500, height=400)


@given(box=boxes, other=boxes)
def test_agreement_counts_pixels(box, other):
    """Intersection over union is that of the sets of pixels the boxes cover."""
    pixels = np.zeros((2, 500, 500), bool)
    for canvas, (x, y, w, h) in zip(pixels, (box, other), strict=True):
        canvas[y : y + h, x : x + w] = True
    expected = (pixels[0] & pixels[1]).sum() / (pixels[0] | pixels[1]).sum()

    assert intersection_over_union(box, np.array([other]))[0] == pytest.approx(expected)


def test_a_box_stands_for_the_candidate_it_fits_best():
    """The best candidate counts if it overlaps by half; a box in no man's land stands for nothing."""
    candidates = np.array([(0, 0, 10, 10), (2, 0, 10, 10)])

    assert match_box(Box(2, 0, 10, 10), candidates) == 1
    assert match_box(Box(0, 0, 10, 5), candidates) == 0
    assert match_box(Box(0, 0, 10, 4), candidates) is None
    assert match_box(Box(0, 0, 1, 1), candidates[:0]) is None


def test_settings_are_those_of_the_paper():
    """The columns of Table 3."""
    assert SETTINGS == ("Full", "DiffCat", "Cat", "Cat&attr", "Cat&cat", "WithoutDist")
    with pytest.raises(SchemaError, match="unknown kind"):
        DistractorImage("Dog", "a")
