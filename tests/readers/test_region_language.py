"""A small language of places, sizes and categories over the boxes of an image, and what it does not cover."""

from __future__ import annotations

from math import hypot

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.expression.steps import Extreme, Is, Nth, Related
from deixis.judge.boxes import Box
from deixis.readers._region_language import NOUNS, RegionReading, parse_regions, read_regions
from deixis.readers._region_scene import COCO, SCHEMA, RegionScene
from deixis.readers.reader import Image, ReadExample
from deixis.resolution.reference import denotation, resolve
from deixis.scene.plain import scene_from_plain, scene_to_plain
from deixis.scene.scene import PlainScene


def scene(*things):
    """A scene of `category x y size`, with square boxes around their centres."""
    rows = [thing.rsplit(" ", 3) for thing in things]
    boxes = tuple(
        Box(
            float(x) - float(size) / 2,
            float(y) - float(size) / 2,
            float(x) + float(size) / 2,
            float(y) + float(size) / 2,
        )
        for _, x, y, size in rows
    )
    return RegionScene([name for name, *_ in rows], boxes)


THINGS = ("cup 10 50 8", "cup 40 52 10", "cup 90 48 12", "bowl 60 50 20", "teddy bear 70 10 9", "dining table 50 60 90")
TABLE = scene(*THINGS)


@pytest.mark.parametrize(
    ("text", "fitting"),
    [
        ("cup", {0, 1, 2}),
        ("left cup", {0}),
        ("the cup on the left", {0}),
        ("far right cup", {2}),
        ("RIGHT MOST CUP", {2}),
        ("cup on the very right", {2}),
        ("cup left", {0}),
        ("middle cup", {1}),
        ("cup in the middle of the picture", {1}),
        ("second cup from the left", {1}),
        ("2nd mug from right", {1}),
        ("cup second from right", {1}),
        ("third from left cup", {2}),
        ("first cup on the right", {2}),
        ("fourth cup from the left", set()),
        ("top thing", {4}),
        ("teddy", {4}),
        ("bear", {4}),
        ("biggest cup", {2}),
        ("the small cup", {0}),
        ("largest object", {5}),
        ("cup right of the bowl", {2}),
        ("cup to the left of the bowl", {0, 1}),
        ("left cup to the right of left cup", {1}),
        ("bowl next to the second cup from the left", {3}),
        ("teddy bear above the bowl left of the right cup", {4}),
        ("cup that is closest to the left edge", {0}),
        ("cup on the left of the image", {0}),
        ("upper glass", {2}),
        ("glass by bowl", {1}),
    ],
)
def test_texts_fit_what_they_say(text, fitting):
    """Read by hand, text by text."""
    reading = read_regions(text)

    assert reading.missing == ""
    assert denotation(reading.expression, TABLE) == fitting


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("red cup", "red"),
        ("man on right", "man"),
        ("cup in front", "front"),
        ("cup behind the bowl", "behind"),
        ("cup on the table", "on"),
        ("cup on the left side of the table", "of"),
        ("left one", "(no noun)"),
        ("second from left", "(no noun)"),
        ("top left cup", "(several ranks)"),
        ("big cup on the left", "(several ranks)"),
        ("second cup", "(order of words)"),
        ("second middle cup", "(order of words)"),
        ("cup from left", "(order of words)"),
        ("cup bowl", "bowl"),
        ("left hand", "hand"),
        ("far cup", "far"),
        ("", "(nothing said)"),
        ("...", "(nothing said)"),
        ("cup " * 100, "(order of words)"),
        ("left of of of left", "of"),
    ],
)
def test_what_is_not_covered_is_told(text, missing):
    """The first word that the language does not know, or a remark where all are known."""
    assert read_regions(text) == RegionReading(None, missing)


def test_nouns_that_say_more_than_a_category_are_covered_where_there_is_one_person():
    """Whether somebody is a man is not known; where there is nobody else, it does not matter."""
    one, two = scene("person 10 10 5", "dog 30 10 5"), scene("person 10 10 5", "person 30 10 5")
    examples = [
        ReadExample(id=1, text="man left of the dog", scenes=(some,), images=(Image("x.jpg"),), parse=parse_regions)
        for some in (one, two)
    ]

    assert str(examples[0].expression) == "[category=person, left-of: [category=dog]]"
    assert (examples[1].expression, parse_regions.why(examples[1])) == (None, "man")
    assert parse_regions(ReadExample(id=1, text="left dog")) == read_regions("left dog").expression


def test_every_category_of_coco_has_a_noun():
    """All 80 by their own names, save that a bear may be of any kind."""
    assert len(COCO) == 80
    for name in COCO.values():
        step = read_regions(name).expression.steps[0]
        assert step == Is("category", "any bear" if name == "bear" else name)
    assert set(NOUNS.values()) <= set(SCHEMA.attributes[0].values)


SIDES = {"left": (1, 1), "right": (1, -1), "top": (0, 1), "bottom": (0, -1)}
NAMES = ("cup", "bowl", "dog")
SOME = ("left", "of", "the", "second", "cup", "from", "right", "next", "to", "on", "bowl", "one", "man", "big")


def by_hand(things, steps):
    """What steps leave, worked out from centres and sides without the theory."""
    left = set(range(len(things)))
    for step in steps:
        match step:
            case Is(_, value):
                left = {k for k in left if things[k][0] == value}
            case Related(name, to):
                others = by_hand(things, to.steps)
                left = {k for k in left if any(n != k and holds(name, things[k], things[n]) for n in others)}
            case Extreme(_, which):
                sizes = {k: things[k][3] for k in left}
                best = (max if which else min)(sizes.values(), default=0)
                left = {k for k in left if sizes[k] == best}
            case Nth(rank, side):
                left = nth(things, left, rank, side)
    return left


def nth(things, left, rank, side):
    """The object of a rank, if no other has its place."""
    if side == "middle":
        places = {k: things[k][1] for k in left}
        return {
            k
            for k, x in places.items()
            if sum(o < x for o in places.values()) == sum(o > x for o in places.values())
            and sum(o == x for o in places.values()) == 1
        }
    axis, sign = SIDES[side]
    places = {k: sign * things[k][1 if axis else 2] for k in left}
    return {
        k
        for k, x in places.items()
        if sum(o < x for o in places.values()) == rank - 1 and sum(o == x for o in places.values()) == 1
    }


def holds(name, one, other):
    """A relation between two squares."""
    gap = hypot(*(max(abs(one[k] - other[k]) - (one[3] + other[3]) / 2, 0) for k in (1, 2)))
    return {
        "left-of": one[1] < other[1],
        "right-of": one[1] > other[1],
        "above": one[2] < other[2],
        "below": one[2] > other[2],
        "next-to": gap <= min(one[3], other[3]) / 2,
    }[name]


@st.composite
def phrases(draw, depth=2):
    """A text that the language covers."""
    noun = draw(st.sampled_from(NAMES))
    side = draw(st.sampled_from([*SIDES, "middle"]))
    outer = draw(st.sampled_from(list(SIDES)))
    text = draw(
        st.sampled_from(
            [
                noun,
                f"the {noun}",
                f"{side} {noun}",
                f"{noun} on the {side}",
                f"{noun} far {outer}",
                f"{outer} most {noun}",
                f"second {noun} from the {outer}",
                f"3rd from {outer} {noun}",
                f"biggest {noun}",
                f"small {noun}",
            ]
        )
    )
    if depth and draw(st.booleans()):
        relation = draw(st.sampled_from(["left of", "to the right of", "above", "under", "next to"]))
        text += f" {relation} {draw(phrases(depth=depth - 1))}"
    return text


things = st.tuples(
    st.sampled_from(NAMES), st.integers(0, 12), st.integers(0, 12), st.integers(1, 6).map(lambda n: 2 * n)
)


@given(st.lists(things, min_size=1, max_size=7), phrases())
def test_every_reading_resolves_as_a_plain_reading_by_hand(found, text):
    """The theory over scenes of boxes, against a few lines of arithmetic."""
    reading = read_regions(text)

    assert reading.missing == ""
    made = scene(*(" ".join(map(str, thing)) for thing in found))
    assert denotation(reading.expression, made) == by_hand(found, reading.expression.steps)


@given(st.text(max_size=60) | st.lists(st.sampled_from(SOME)).map(" ".join))
def test_any_text_has_a_meaning_or_a_reason(text):
    """And never both."""
    expression, missing = read_regions(text)

    assert (expression is None) == bool(missing)
    if expression is not None:
        resolve(expression, TABLE)


def test_a_scene_is_the_same_when_it_is_written_out():
    """Relations that are worked out when they are asked for are those of the scene as plain values."""
    plain = scene_from_plain(scene_to_plain(TABLE), SCHEMA)

    assert isinstance(TABLE, PlainScene)
    for relation in (one.name for one in SCHEMA.relations):
        for k in range(len(TABLE)):
            for n in range(len(TABLE)):
                assert plain.related(relation, k, n) == (k != n and TABLE.related(relation, k, n))
    again = scene(*THINGS[:5])
    assert again != TABLE
    assert again.digest != TABLE.digest
    assert len({TABLE, again, scene(*THINGS)}) == 2


def test_the_biggest_box_has_the_first_rank():
    """Equal areas have one rank, and a group of any size has its ranks."""
    some = scene("cup 10 10 4", "cup 30 10 8", "cup 50 10 8")
    crowd = scene(*(f"cup {k} 10 {k + 1}" for k in range(300)))

    assert [dict(values)["size"] for values in some.objects] == ["2", "1", "1"]
    assert [dict(crowd.objects[k])["size"] for k in (299, 100, 0)] == ["1", "200", "200"]
