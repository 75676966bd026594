"""`show` and `explain` mean the same in every world."""

from __future__ import annotations

import json
from xml.parsers.expat import ParserCreate as XmlParser

import pytest

from deixis._cli import main
from deixis._cli.show import pictures_of
from deixis.expression.description import Description
from deixis.expression.steps import Is, Related
from deixis.scene.scene import Context, PlainScene, Point
from deixis.schema import Attribute, Relation, Schema
from deixis.worlds.example import PlainExample, pick_example
from deixis.worlds.registry import find_world, world_of
from deixis.worlds.toolkit.pictures import PICTURES, links_of
from deixis.worlds.world import World


WORLDS = ("grid", "rooms", "photos")
SPLIT = {"grid": "train", "rooms": "shape", "photos": "val"}


def printed(capsys, *words) -> str:
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def refused(capsys, *words) -> str:
    assert main([str(word) for word in words]) == 2
    said = capsys.readouterr().err
    assert len(said.strip().splitlines()) == 1
    return said


@pytest.mark.parametrize("name", WORLDS)
def test_an_example_is_shown_in_words_as_json_and_as_a_picture(name, folders, tmp_path, capsys):
    """The same number means the same example in all three; every form of the world is written."""
    folder, split = folders[name], SPLIT[name]
    part = find_world(name).part("pictures")
    example = pick_example(find_world(name).part("examples").open(folder), 2, split)

    assert printed(capsys, "show", folder, 2, "--split", split) == "".join(
        f"{line}\n" for line in part.lines(example, number=2, color=False)
    )
    shown = json.loads(printed(capsys, "show", folder, 2, "--split", split, "--json"))
    head = {"number": 2, "id": example.id, "split": example.split, "text": example.text}
    assert shown == json.loads(json.dumps({**head, **part.plain(example, number=2)}))
    for form in part.formats:
        out = tmp_path / f"one.{form.upper()}"
        assert "Wrote example 2" in printed(capsys, "show", folder, 2, "--split", split, "--out", out)
        assert out.read_bytes() == part.draw(example, format=form)


@pytest.mark.parametrize("name", WORLDS)
def test_what_cannot_be_shown_is_one_line(name, folders, tmp_path, capsys):
    """Wrong numbers, splits, forms and a number with a seed are refused, and nothing is written."""
    folder, split = folders[name], SPLIT[name]
    assert "counted from 0" in refused(capsys, "show", folder, 10**9, "--split", split)
    assert "'nope'" in refused(capsys, "show", folder, 0, "--split", "nope")
    assert "not both" in refused(capsys, "show", folder, 0, "--seed", 1)
    assert "the name of a picture ends in" in refused(capsys, "show", folder, 0, "--out", tmp_path / "a.bmp")
    if name != "grid":
        assert f"is of {name}" in refused(capsys, "show", folder, 0, "--animate", "--out", tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", WORLDS)
def test_an_example_is_explained_by_its_own_text(name, folders, capsys):
    """PATH#N explains what example N says: one object fits, and it is the target."""
    folder, split = folders[name], SPLIT[name]
    examples = find_world(name).part("examples").open(folder)
    number = next(n for n in range(200) if _can_be_read(name, pick_example(examples, n, split)))
    example = pick_example(examples, number, split)

    found = json.loads(printed(capsys, "explain", "--scene", f"{folder}#{number}", "--split", split, "--json"))

    assert found["target"] == example.context.target.object
    assert found["unique"]
    assert [step["words"] for mention in found["mentions"] for step in mention["steps"]]
    assert len(found.get("others", ())) == len(example.context.scenes) - 1
    said = printed(capsys, "explain", "--scene", f"{folder}#{number}", "--split", split)
    assert "it fits exactly one object" in said
    assert "Could a word be left out?" in said


def _can_be_read(name, example) -> bool:
    from deixis.errors import DeixisError

    try:
        said = find_world(name).part("language").read(example.text, example.context.scenes[0])
    except DeixisError:
        return False
    return said.expression == example.expression and example.answer is not None


def test_a_caption_that_fits_both_rooms_is_ambiguous(folders, capsys):
    """Objects of other scenes count, and are named with the number of their scene."""
    example = pick_example(find_world("rooms").part("examples").open(folders["rooms"]), 0, "shape")
    (shape,) = example.context.scenes[0].values(0, "shape")

    said = printed(capsys, "explain", f"a {shape}", "--scene", f"{folders['rooms']}#0", "--split", "shape")

    assert f"“a {shape}” among 1 object of scene 0, beside 1 other scene\n" in said
    assert "it fits 2 objects and is ambiguous" in said
    assert "(1:0)" in said


def test_misreadings_lead_to_other_scenes(folders, capsys):
    """Leaving a word out of a caption that tells two rooms apart leads to the other room."""
    found = json.loads(printed(capsys, "explain", "--scene", f"{folders['rooms']}#1", "--split", "object", "--json"))
    assert found["unique"]
    assert any([1, 0] in one["elsewhere"] for one in found["misreadings"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--scene", "GRID#0", "--split", "nope"), "'nope'"),
        (("--scene", "GRID#999999"), "counted from 0"),
        (("--scene", "nowhere#3"), "nowhere"),
        (("a ball", "--scene", "board.txt", "--world", "rooms"), "rooms cannot read scenes from files"),
        (("a ball", "--scene", "board.txt", "--world", "mars"), "there is no world 'mars'"),
        (("the circle", "--scene", "board.txt", "--split", "train"), "--split is for examples of datasets"),
        (("--scene", "board.txt"), "say what is to be explained"),
    ],
)
def test_what_cannot_be_explained_is_one_line(words, message, folders, tmp_path, monkeypatch, capsys):
    """Places, splits and worlds that make no sense end in one line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.txt").write_text("r○ .\n. b□\n", encoding="utf-8")
    said = [str(word).replace("GRID", str(folders["grid"])) for word in words]
    assert message in refused(capsys, "explain", *said)


# -------------------------------------------------------------------------------- worlds without pictures

CUPS = Schema(
    name="cups",
    attributes=(Attribute(name="color", values=("red", "blue")), Attribute(name="name", values=("cup",), is_head=True)),
    relations=(Relation(name="on"), Relation(name="near", is_symmetric=True)),
)


def cups(*, points=()) -> PlainExample:
    red, blue = frozenset((("color", "red"), ("name", "cup"))), frozenset((("color", "blue"), ("name", "cup")))
    links = frozenset((("on", 0, 1), ("near", 0, 1)))
    scene = PlainScene(schema=CUPS, objects=(red, blue), links=links, points=points)
    expression = Description((Is("name", "cup"), Related("on", Description((Is("color", "blue"),)))))
    return PlainExample(context=Context.of(scene), expression=expression, text="the cup <on> the blue one", split="x")


def test_a_world_without_pictures_shows_text_and_values():
    """Expression, objects with their relations and the target are there."""
    assert pictures_of(World(name="cups", title="Cups", task="point", parts={})) is PICTURES
    lines = list(PICTURES.lines(cups(), number=4))

    assert lines[1] == "the cup <on> the blue one"
    assert "meaning: [name=cup, on: [color=blue]]" in lines
    assert " * 0 red cup (on 1; near 1)" in lines
    assert "   1 blue cup (near 0)" in lines
    assert PICTURES.plain(cups(), number=4)["target"] == {"scene": 0, "object": 0}
    assert links_of(cups().context.scenes[0]) == (("on", 0, 1), ("near", 0, 1))


@pytest.mark.parametrize("points", [(), (Point(0, 0), Point(1, 2)), (Point(0, 0), Point(0, 0))])
def test_a_simple_picture_names_objects_and_marks_the_target(points):
    """The SVG holds every name once, the relations, one thick ring, and no markup of the text."""
    drawn = PICTURES.draw(cups(points=points), format="svg").decode()

    XmlParser().Parse(drawn, True)
    assert (drawn.count(">red cup<"), drawn.count(">blue cup<"), drawn.count('stroke-width="4"')) == (1, 1, 1)
    assert ">on, near<" in drawn
    assert "&lt;on&gt;" in drawn


@pytest.mark.parametrize("name", WORLDS)
def test_simple_pictures_serve_every_world(name, folders):
    """Whatever world an example is of, it can be told in words and drawn."""
    examples = world_of(folders[name]).part("examples").open(folders[name])
    for number in examples.numbers()[:3]:
        assert examples[number].text in list(PICTURES.lines(examples[number], number=number))
        assert PICTURES.draw(examples[number]).startswith(b"<svg")
