"""Clouds of words: nothing overlaps, sizes follow frequencies, files are what they claim to be."""

from __future__ import annotations

import re
from io import BytesIO
from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.path import Path
from PIL import Image

from deixis.worlds.photos._paper.clouds import (
    COLORS,
    DARK,
    LONGEST,
    MOST,
    PAPER,
    SMALLEST,
    TONES,
    Cloud,
    Clouds,
    draw_clouds,
    lay_out,
    outline_of,
)


SVG = "{http://www.w3.org/2000/svg}"
NAMES = {"man": 400, "building": 200, "tree": 180, "$5 & <b>": 90, "dog": 40, "eye": 3}


def inked(placed, *, across=400):
    """The pixels of one word, by filling its outline: bool [row, column]."""
    path = Path(placed.points * across, outline_of(placed.word)[1])
    grid = np.stack(np.meshgrid(np.arange(across) + 0.5, np.arange(across) + 0.5), axis=-1).reshape(-1, 2)
    return path.contains_points(grid).reshape(across, across)


@pytest.fixture(scope="module")
def clouds():
    rows = [("", [Cloud(title="Names", counts=NAMES), Cloud(title="Attributes", counts={})])]
    return Clouds(name="figure2", title="Words", rows=rows)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    st.dictionaries(st.text(st.characters(codec="latin-1"), max_size=12), st.integers(0, 5000), max_size=14),
    st.sampled_from([0.6, 1.0]),
)
def test_no_word_stands_on_another_or_outside(counts, aspect):
    """Filled pixel by pixel, no two words share one, and all stay within the room."""
    placed = lay_out(counts, most=10, aspect=aspect)

    total = sum((inked(word).astype(int) for word in placed), start=np.zeros((400, 400), int))
    assert total.max(initial=0) <= 1
    for word in placed:
        assert word.points.min() >= -1e-9
        assert word.points[:, 0].max() <= 1 + 1e-9
        assert word.points[:, 1].max() <= aspect + 1e-2


@given(st.dictionaries(st.text("abcdefg", min_size=1, max_size=6), st.integers(1, 10**6), min_size=1, max_size=12))
@settings(max_examples=12, deadline=None)
def test_the_more_frequent_word_is_the_larger(counts):
    """Words come in the order of their frequency, none is too small to read, and the most frequent are those shown."""
    placed = lay_out(counts, most=8, aspect=0.9)

    assert [word.count for word in placed] == sorted(counts.values(), reverse=True)[:8]
    for one, other in pairwise(placed):
        assert (one.size > other.size) == (one.count > other.count)
        assert one.size >= other.size
    assert placed[-1].weight >= SMALLEST - 1e-9


def test_the_most_frequent_word_stands_in_the_middle():
    """The first word has the whole room to choose from."""
    first = lay_out(NAMES, most=60, aspect=1.0)[0]
    middle = (first.points.min(axis=0) + first.points.max(axis=0)) / 2

    assert first.word == "man"
    assert middle == pytest.approx([0.5, 0.5], abs=0.02)


def test_strange_words_are_shown_as_far_as_possible():
    """Signs that cannot be printed are left out, long words cut, and what is nothing but such signs is not shown."""
    (only,) = lay_out({"a\x00b " + "c" * 80: 2, "\u200b\n": 5, "   ": 9, "\u2800": 7}, most=5, aspect=1.0)

    assert only.word.startswith("a b c")
    assert len(only.word) == LONGEST
    assert lay_out({}, most=5, aspect=1.0) == []


@pytest.mark.slow
def test_many_words_find_room():
    """However many words there are, a hundred find a place."""
    counts = {f"number {number}": 1 + number for number in range(300)}

    assert len(lay_out(counts, most=10**6, aspect=0.5)) == MOST


def test_the_svg_tells_counts_and_follows_the_theme(clouds):
    """Every word is a path with its count; its colour and that of the ground have a counterpart in the dark."""
    svg = draw_clouds(clouds, ("svg",))["svg"].decode()
    root = ET.fromstring(svg)  # noqa: S314 (our own file)
    told = {path[0].text for path in root.iter(f"{SVG}path") if len(path)}

    assert told == {f"{word}: {count}" for word, count in NAMES.items()}
    assert root.find(f"{SVG}title").text == "Words"
    assert root.find(f"{SVG}desc").text == f"names: {', '.join(NAMES)}. attributes: none."
    for element in root.iter():
        if "fill" in element.attrib:
            assert f'[fill="{element.get("fill")}"]{{fill:' in svg


def test_the_svg_and_the_outline_agree(clouds):
    """Following the strokes of a path leads to the points of the outline."""
    root = ET.fromstring(draw_clouds(clouds, ("svg",))["svg"])  # noqa: S314 (our own file)
    drawn = next(path for path in root.iter(f"{SVG}path") if len(path) and path[0].text == "man: 400")
    man = next(word for word in lay_out(NAMES, most=60, aspect=0.9) if word.word == "man")

    corners = np.array(list(strokes(drawn.get("d"))), float)
    wanted = man.points[outline_of("man")[1] != 79]
    scale = np.ptp(corners, axis=0) / np.ptp(wanted, axis=0)

    assert len(corners) == len(wanted)
    assert scale[0] == pytest.approx(scale[1], rel=0.01)
    assert (corners - corners.min(axis=0))[:, 0] == pytest.approx((wanted - wanted.min(axis=0))[:, 0] * scale[0], abs=2)
    assert (corners.max(axis=0) - corners)[:, 1] == pytest.approx((wanted - wanted.min(axis=0))[:, 1] * scale[1], abs=2)


def strokes(way):
    """The points of a path that has nothing but M, l, q, c and z in it."""
    at = (0, 0)
    for letter, numbers in re.findall(r"([Mlqcz])([-\d ]*)", way):
        values = list(map(int, numbers.split()))
        from_here = (0, 0) if letter == "M" else at
        points = [(x + from_here[0], y + from_here[1]) for x, y in zip(values[::2], values[1::2], strict=True)]
        yield from points
        at = points[-1] if points else at


def test_both_files_are_the_same_every_time(clouds):
    """Equal counts give equal bytes; the picture has few colours, the ground first among them."""
    files = draw_clouds(clouds, ("png", "svg"))

    assert draw_clouds(clouds, ("svg", "png")) == files
    with Image.open(BytesIO(files["png"])) as picture:
        colors = picture.convert("RGB").getcolors()
        assert picture.width > 1000
    assert len(colors) <= COLORS
    assert max(colors)[1] == (255, 255, 255)


@pytest.mark.parametrize("ground", [PAPER, DARK[PAPER]])
def test_words_can_be_read_on_light_and_on_dark(ground):
    """Every colour of a word has a contrast of at least 4.5 to 1 with the ground it is seen on."""
    for tones in TONES:
        for tone in tones:
            color = tone if ground == PAPER else DARK[tone]
            light, dark = sorted((luminance(color), luminance(ground)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, color


def luminance(color):
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
