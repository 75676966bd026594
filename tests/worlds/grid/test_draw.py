"""Pictures of grid scenes: what they must show, to whom, and that they can be trusted."""

from __future__ import annotations

import re
import sys
from io import BytesIO
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.errors import DeixisError, SchemaError
from deixis.worlds.grid._pictures.look import DARK, LIGHT
from deixis.worlds.grid.actions import plan_from_letters
from deixis.worlds.grid.draw import Look, Marks, Role, draw_png, draw_svg, draw_terminal, path_of
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.scene import COLORS, SHAPES, Agent, Facing, GridObject, GridScene


SVG = "{http://www.w3.org/2000/svg}"
KINDS = ("relation", "attribute", "isomorphism", "size", "random")

# How colours look without one kind of cone, on linear RGB (Machado, Oliveira and Fernandes 2009, full severity).
VISIONS = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


@pytest.fixture
def scene() -> GridScene:
    """Two overlapping boxes, one with the target inside, among four solids."""
    return grid("""
        .      0:r○4  .      .      5:y▱1  .
        .      1:g▣3  2:b▣2  .      .    .
        .      .      3:b□3  .      .    .
        .      .      .      .      .    .
        >      .      .      4:y○2  .    .
        .      .      .      .      .    .
    """)


@pytest.fixture
def marks() -> Marks:
    """The blue square is meant, and everything else has some role."""
    return Marks(
        target=3,
        mentioned=(3, 1),
        distractors={0: "relation", 2: "isomorphism", 4: "random", 5: "attribute"},
        path=((4, 0), (4, 1), (4, 2), (3, 2), (2, 2)),
        pushed=((2, 2), (1, 2)),
    )


scenes = st.builds(
    GridScene,
    st.lists(
        st.builds(
            GridObject,
            st.sampled_from(SHAPES),
            st.sampled_from(COLORS),
            st.integers(1, 4),
            st.integers(0, 4),
            st.integers(0, 4),
        ),
        max_size=8,
    ).map(tuple),
    size=st.just(5),
    agent=st.none() | st.builds(Agent, st.integers(0, 4), st.integers(0, 4), st.sampled_from(Facing)),
)


@pytest.mark.parametrize("style", ["deixis", "release"])
def test_svg_shows_every_object_once(scene, marks, style):
    """The SVG is well-formed and holds one group per object, titled with what the object is."""
    root = _read(draw_svg(scene, marks=marks, look=Look(style=style)))

    groups = {
        g.get("data-object"): g.findtext(f"{SVG}title") for g in root.iter(f"{SVG}g") if g.get("class") == "object"
    }

    assert sorted(groups) == [str(index) for index in range(len(scene))]
    assert all(str(thing) in groups[str(index)] for index, thing in enumerate(scene.objects))


def test_svg_speaks_to_screen_readers(scene, marks):
    """The SVG is an image whose title and description, referred to by id, say what is there."""
    root = _read(draw_svg(scene, marks=marks, title="push the blue square"))

    named = {element.get("id"): element.text for element in root if element.get("id")}
    title, description = (named[name] for name in root.get("aria-labelledby").split())

    assert root.get("role") == "img"
    assert title == "push the blue square"
    assert "blue square of size 3 at row 2, column 2 (target)" in description
    assert "agent is at row 4, column 0, facing east" in description


@pytest.mark.parametrize(
    "text", ["</title><script>alert(1)</script>", 'a" onload="x', "]]>&lt;", "nul\0 and \x1b[2J \ud800"]
)
def test_hostile_titles_stay_text(scene, text):
    """Whatever the title says, the SVG parses and contains no element or attribute that the title asked for."""
    root = _read(draw_svg(scene, title=text, look=Look(heading=True)))

    shown = root.findtext(f"{SVG}title")

    assert shown == "".join(sign if sign.isprintable() and sign != "\ud800" else "\ufffd" for sign in text)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "desc", "rect", "g", "path", "text",
    }  # fmt: skip
    assert not any(name.startswith("on") for element in root.iter() for name in element.attrib)


def test_every_role_has_its_own_letter_and_line(scene):
    """Target, mentioned and the five kinds of distractor differ by badge letter and by outline, not by colour alone."""
    all_marks = [Marks(target=0), Marks(mentioned=(0,)), *(Marks(distractors={0: kind}) for kind in KINDS)]

    pictures = [_read(draw_svg(scene, marks=marks)) for marks in all_marks]
    letters = [group.findtext(f"{SVG}text") for root in pictures for group in _groups(root, "badge")]
    lines = {_lines(group) for root in pictures for group in _groups(root, "mark")}

    assert letters == ["T", "M", "R", "A", "I", "S", "?"]
    assert len(lines) == len(all_marks)


def test_legend_names_the_marks_in_use(scene):
    """The legend, when asked for, explains the marks that occur and no others."""
    marks = Marks(target=3, distractors={0: "relation"}, path=((4, 0), (4, 1)))

    (legend,) = _groups(_read(draw_svg(scene, marks=marks, look=Look(legend=True))), "legend")

    names = [text.text for text in legend.iter(f"{SVG}text") if len(text.text) > 1]
    assert names == ["target", "relation-based", "walked"]
    assert not _groups(_read(draw_svg(scene, marks=marks)), "legend")


def test_numbers_captions_and_heading_appear_when_asked(scene):
    """Row and column numbers, object numbers and the title are drawn exactly when the look asks for them."""
    plain = _read(draw_svg(scene, title="two boxes"))
    full = _read(draw_svg(scene, title="two boxes", look=Look(numbers=True, captions=True, heading=True)))

    assert not list(plain.iter(f"{SVG}text"))
    assert [t.text for g in _groups(full, "numbers") for t in g] == [str(i) for i in range(6) for _ in "rc"]
    assert [g.findtext(f"{SVG}text") for g in _groups(full, "caption")] == [str(i) for i in range(len(scene))]
    assert [t.text for g in _groups(full, "heading") for t in g] == ["two boxes"]


def test_the_way_is_a_line_and_the_push_is_dashed(scene, marks):
    """The walked way is an unbroken line, the pushed way and the ghost of the object are dashed."""
    walk = _groups(_read(draw_svg(scene, marks=Marks(path=marks.path))), "plan")
    push = _groups(_read(draw_svg(scene, marks=Marks(pushed=marks.pushed))), "plan")

    assert [_dashes(group) for group in walk] == [0]
    assert [_dashes(group) for group in push] == [2]


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_png_has_the_size_asked_for(scene, scale):
    """A release-style PNG without marks is exactly the board; the other style adds a margin."""
    release = _pixels(draw_png(scene, look=Look(style="release", cell=60), scale=scale))
    own = _pixels(draw_png(scene, look=Look(cell=50), scale=scale))

    assert release.shape == (360 * scale, 360 * scale, 3)
    assert own.shape == (316 * scale, 316 * scale, 3)


def test_png_shows_the_target_in_its_colour(scene, marks):
    """The pixel in the middle of the target has the target's colour, marked and in any theme."""
    for look in (Look(), Look(theme="dark"), Look(cell=40)):
        pixels = _pixels(draw_png(scene, marks=marks, look=look, scale=2))
        middle = round(2 * look.cell * (0.16 + 2.5))

        assert _hex(pixels[middle, middle]) == look.palette.objects["blue"]


@pytest.mark.parametrize(
    ("thing", "inside", "outside"),
    [
        (GridObject("circle", "red", 4, 1, 1), [(90, 90), (90, 110)], [(90, 114), (63, 63)]),
        (GridObject("square", "green", 4, 1, 1), [(62, 62), (110, 110)], [(114, 114)]),
        (GridObject("square", "yellow", 1, 1, 1), [(63, 63), (73, 73)], [(78, 78), (90, 90)]),
        (GridObject("cylinder", "blue", 4, 1, 1), [(64, 100), (108, 75)], [(64, 75), (108, 100)]),
        (GridObject("box", "red", 1, 1, 1), [(60, 90), (63, 90), (90, 119)], [(70, 90), (90, 90)]),
    ],
    ids=lambda value: str(value) if isinstance(value, GridObject) else "",
)
def test_release_style_has_the_published_geometry(thing, inside, outside):
    """In the release look each shape covers the pixels (row, column) it covers in the published pictures."""
    color = {"red": "#800000", "green": "#2E8B57", "blue": "#191970", "yellow": "#FFBF00"}[thing.color]

    pixels = _pixels(draw_png(GridScene((thing,)), look=Look(style="release", cell=60), scale=1))

    assert {_hex(pixels[place]) for place in inside} == {color}
    assert color not in {_hex(pixels[place]) for place in outside}


def test_release_style_paints_the_agent_pink():
    """The released agent is a pink triangle that points where it faces."""
    scene = GridScene((), agent=Agent(1, 1, Facing.NORTH))

    pixels = _pixels(draw_png(scene, look=Look(style="release", cell=60), scale=1))

    pink = np.argwhere((pixels == (255, 192, 203)).all(axis=2))
    widths = [np.sum(pink[:, 0] == row) for row in range(80, 101)]
    assert pink.mean(axis=0) == pytest.approx([94, 90], abs=1)
    assert widths == sorted(widths)


@pytest.mark.parametrize("shape", ["circle", "cylinder", "square"])
def test_bigger_solids_cover_more(shape):
    """The four sizes of a shape are drawn in clearly growing areas."""
    areas = []
    for size in range(1, 5):
        pixels = _pixels(draw_png(GridScene((GridObject(shape, "blue", size, 1, 1),), size=3), scale=1))
        areas.append(np.sum(pixels.astype(int)[..., 2] - pixels[..., 0] > 60))

    assert all(larger > 1.3 * smaller for smaller, larger in pairwise(areas))


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_colours_differ_for_every_colour_vision(palette, vision):
    """Any two object colours stay at least 25 CIELAB units apart under each kind of dichromacy."""
    seen = {name: _lab(color, VISIONS[vision]) for name, color in palette.objects.items()}

    distances = {pair: np.linalg.norm(seen[pair[0]] - seen[pair[1]]) for pair in combinations(seen, 2)}

    assert min(distances.values()) > 25, distances


def test_lit_objects_stay_and_others_fade(scene):
    """With some objects lit, they keep their colour while every other one loses most of its own."""
    pixels = _pixels(draw_png(scene, marks=Marks(lit=frozenset({3})), look=Look(cell=50), scale=1))

    lit, dim = pixels[8 + 125, 8 + 125], pixels[8 + 25, 8 + 75]

    assert _hex(lit) == LIGHT.objects["blue"]
    assert dim.min() > 200


def test_pictures_are_reproducible(scene, marks):
    """The same scene drawn twice gives the same bytes."""
    look = Look(numbers=True, captions=True, legend=True, heading=True)

    assert draw_svg(scene, marks=marks, look=look, title="t") == draw_svg(scene, marks=marks, look=look, title="t")
    assert draw_png(scene, marks=marks, look=look, title="t") == draw_png(scene, marks=marks, look=look, title="t")


def test_boxes_on_one_line_have_frames_apart():
    """Two boxes whose frames would run along the same line are drawn at different distances from it."""
    scene = GridScene((GridObject("box", "red", 3, 0, 0), GridObject("box", "blue", 2, 0, 0)))

    root = _read(draw_svg(scene, look=Look(cell=100)))

    tops = {min(float(y) for y in re.findall(r"[ML][\d.]+ ([\d.]+)", g[1].get("d"))) for g in _groups(root, "object")}
    assert len(tops) == 2


@given(scene=scenes, actions=st.lists(st.integers(0, 5), max_size=20))
@settings(max_examples=40, deadline=None)
def test_any_scene_and_way_can_be_drawn(scene, actions):
    """However objects crowd, boxes overhang and the agent wanders, SVG and terminal show every object."""
    way = path_of(scene, actions)._asdict() if scene.agent else {}
    marks = Marks(distractors={index: KINDS[index % 5] for index in range(len(scene))}, **way)

    root = _read(draw_svg(scene, marks=marks, look=Look(captions=True, legend=True)))
    text = draw_terminal(scene, marks=marks, color=False)

    assert len(_groups(root, "object")) == len(scene)
    assert all(f"{thing}" in text for thing in scene.objects)
    assert "nan" not in "".join(element.get("d", "") for element in root.iter())


def test_terminal_lists_every_object_with_its_role(scene, marks):
    """Below the board every object has a line of its own that says what it is and why it is there."""
    lines = draw_terminal(scene, marks=marks, color=False).splitlines()[-len(scene) :]

    assert [str(thing) in line for thing, line in zip(scene.objects, lines, strict=True)] == [True] * len(scene)
    roles = [line.rpartition("[")[2] for line in lines]
    assert roles == [
        "R] relation distractor",
        "M] mentioned",
        "I] isomorphism distractor",
        "T] target",
        "?] random object",
        "A] attribute distractor",
    ]


def test_terminal_board_shows_where_things_are():
    """The plain board shows solids in their cells, the extent of boxes, the agent and its way."""
    scene = grid("""
        1:g▣2  .      .
        .      0:r○4  .
        >      .      .
    """)

    text = draw_terminal(scene, marks=Marks(target=0, path=((2, 0), (2, 1), (1, 1))), color=False)

    assert text.splitlines()[:10] == [
        "       0        1        2",
        "   ┌1:g▣2───────────┐",
        " 0 │   ·        ·   │    ·",
        "   │                │",
        "   │                │",
        " 1 │   ·     0:r○4T │    ·",
        "   └────────────────┘",
        "",
        " 2    (>)       ↑        ·",
        "       →",
    ]


def test_terminal_colour_adds_nothing_but_colour(scene, marks):
    """With its colour codes taken out, the coloured board is the plain one, up to blanks at line ends."""
    plain = draw_terminal(scene, marks=marks, color=False)
    colored = draw_terminal(scene, marks=marks, color=True)

    stripped = re.sub(r"\x1b\[[\d;]*m", "", colored)
    assert colored != plain
    assert "\x1b" not in plain
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()


@pytest.mark.parametrize(
    ("letters", "path", "pushed"),
    [
        ("", ((2, 0),), ()),
        ("WRSW", ((2, 0), (2, 1), (3, 1)), ()),
        ("WWPPPP", ((2, 0), (2, 1), (2, 2)), ((2, 2), (2, 3))),
        ("WWPPWL", ((2, 0), (2, 1), (2, 2), (2, 3)), ()),
        ("WWQQQQ", ((2, 0), (2, 1), (2, 2)), ((2, 2), (2, 1), (2, 0))),
    ],
    ids=["nothing", "walk", "push", "blocked", "pull"],
)
def test_path_follows_the_actions(letters, path, pushed):
    """The path is where the agent walks, the pushed cells where a heavy object yields to every second effort."""
    scene = grid("""
        . . .    .    .
        . . .    .    .
        > . b□3  .    .
        . . .    .    .
        . . .    .    .
    """)
    if letters == "WWPPWL":
        scene = GridScene((*scene.objects, GridObject("circle", "red", 1, 2, 3)), size=5, agent=scene.agent)
    if letters == "WWPPPP":
        scene = GridScene((*scene.objects, GridObject("circle", "red", 1, 2, 4)), size=5, agent=scene.agent)

    way = path_of(scene, plan_from_letters(letters))

    assert way == (path, pushed)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda scene: draw_svg(scene, marks=Marks(target=9)), "no object 9"),
        (lambda scene: draw_svg(scene, marks=Marks(lit=frozenset({-1}))), "no object -1"),
        (lambda scene: draw_terminal(scene, marks=Marks(path=((0, 6),)), color=False), r"cell \(0, 6\)"),
        (lambda _: Marks(distractors={0: "target"}), "unknown kind of distractor 'target'"),
        (lambda _: Look(cell=0), "got 0"),
        (lambda _: Look(style="nice"), "unknown style 'nice'"),
        (lambda scene: draw_png(scene, scale=99), "at most 4096 a side"),
        (lambda scene: path_of(scene, [7]), "unknown action code 7"),
        (lambda scene: path_of(GridScene(scene.objects), [2]), "no agent"),
    ],
)
def test_impossible_wishes_are_refused_in_one_line(scene, make, message):
    """A mark, option or action that makes no sense is refused with a message that names it."""
    with pytest.raises(SchemaError, match=message) as caught:
        make(scene)

    assert "\n" not in str(caught.value)


def test_without_pillow_the_message_says_how_to_get_it(scene, monkeypatch):
    """SVG needs nothing extra; PNG without Pillow says what to install."""
    monkeypatch.setitem(sys.modules, "PIL", None)

    assert draw_svg(scene).startswith("<svg")
    with pytest.raises(DeixisError, match=r'pip install "deixis\[data\]"'):
        draw_png(scene)


def test_an_object_has_one_role(scene):
    """The target is not also shown as mentioned, nor a mentioned object as a distractor."""
    marks = Marks(target=3, mentioned=(3, 1), distractors={3: "random", 1: "relation", 0: "size"})

    root = _read(draw_svg(scene, marks=marks))

    shown = {group.get("data-object"): group.get("class") for group in _groups(root, "mark")}
    assert shown == {"3": f"mark {Role.TARGET}", "1": f"mark {Role.MENTIONED}", "0": f"mark {Role.SIZE}"}


def _read(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - our own words, and the claim is that they parse


def _groups(root: ET.Element, name: str) -> list[ET.Element]:
    return [group for group in root.iter(f"{SVG}g") if group.get("class", "").split()[0] == name]


def _lines(group: ET.Element) -> tuple[tuple[str | None, ...], ...]:
    """Widths and dashes of a mark's outlines, without colour."""
    return tuple((path.get("stroke-width"), path.get("stroke-dasharray")) for path in group.iter(f"{SVG}path"))


def _dashes(group: ET.Element) -> int:
    return sum(path.get("stroke-dasharray") is not None for path in group.iter(f"{SVG}path"))


def _pixels(png: bytes) -> np.ndarray:
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(BytesIO(png)))


def _hex(pixel: np.ndarray) -> str:
    return "#" + "".join(f"{int(value):02X}" for value in pixel)


def _lab(color: str, vision: tuple[tuple[float, ...], ...]) -> np.ndarray:
    rgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(vision) @ linear, 0, 1)
    to_xyz = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])
    xyz = to_xyz @ seen / (0.9505, 1, 1.0888)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
