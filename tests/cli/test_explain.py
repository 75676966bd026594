from __future__ import annotations

import json

import pytest

from deixis.cli import main
from deixis.cli.worlds import read_world, world_to_dict
from deixis.errors import DeixisError
from deixis.scene import GridObject, grid
from tests.datasets.formats.released import SIMPLE


WORLD = """
    0:r○1 .     1:b□2 .
    >     2:r○3 .     .
    .     .     .     3:b□1
    .     .     4:g▱1 .
"""


@pytest.fixture
def world(tmp_path) -> str:
    path = tmp_path / "world.json"
    path.write_text(json.dumps(world_to_dict(grid(WORLD))), encoding="utf-8")
    return str(path)


def test_the_way_to_the_target_is_told(world, capsys):
    """Inner descriptions come first, every step says what is left, then come the target and the plan."""
    command = "push the red circle that is in the same row as a blue square"

    assert main(["explain", command, "--world", world]) == 0

    out = capsys.readouterr().out
    steps = [
        "a blue square:",
        "square: 2 left (1, 3)",
        "circle: 2 left (0, 2)",
        "in the same row as a blue square: 1 left (0)",
    ]
    places = [out.index(step) for step in steps]
    assert places == sorted(places)
    assert "exactly one object: red circle of size 1 (0)" in out
    assert "without 'in the same row as a blue square': red circle of size 3 (2)" in out
    assert "The plan: turn left, walk (2 actions)" in out  # at the edge, nothing can be pushed


def test_json_holds_the_whole_explanation(world, capsys):
    """The JSON has the target, the plan, what is needed and where misreadings lead."""
    command = "walk to the small red circle"

    assert main(["explain", command, "--world", world, "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["referents"], found["unique"], found["target"]) == ([0], True, 0)
    assert found["plan"] == ["turn left", "walk"]
    assert {part["words"]: part["is_necessary"] for part in found["necessary"]}["'small'"] is True
    assert any(misreading["wrong"] == [2] for misreading in found["misreadings"])


def test_an_ambiguous_command_has_no_plan(world, capsys):
    """Where several objects fit, they are named and nothing is planned."""
    assert main(["explain", "walk to the red circle", "--world", world]) == 0

    out = capsys.readouterr().out
    assert "fits 2 objects" in out
    assert "The plan" not in out


def test_a_command_that_cannot_be_read_is_refused(world, capsys):
    """The word at which reading stopped is named."""
    assert main(["explain", "walk to the blue elephant", "--world", world]) == 2
    assert "'elephant' at word 5" in capsys.readouterr().err


def test_every_form_of_world_is_read(tmp_path):
    """Plain JSON, a released example, its situation alone and a picture all give the world they show."""
    scene = grid(WORLD)
    forms = {
        "plain.json": (json.dumps(world_to_dict(scene)), scene),
        "picture.txt": (WORLD, scene),
        "example.json": (json.dumps(SIMPLE), None),
        "situation.json": (json.dumps(SIMPLE["situation"]), None),
    }
    found = {}
    for name, (text, _) in forms.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        found[name] = read_world(str(tmp_path / name))

    assert found["plain.json"] == found["picture.txt"] == scene
    assert found["example.json"] == found["situation.json"]
    assert found["example.json"].objects[0] == GridObject("circle", "red", 1, 1, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "grid size"),
        ("{", "is not a world"),
        ("{}", "no list of objects"),
        ('{"objects": [], "colour": 1}', "unknown fields colour"),
        ('{"objects": [3]}', "object 0 must have the fields"),
        ('{"objects": [{"shape": "cone", "color": "red", "size": 1, "row": 0, "column": 0}]}', "unknown shape 'cone'"),
        ('{"objects": [{"shape": "circle", "color": "red", "size": 9, "row": 0, "column": 0}]}', "must be 1 to 4"),
        (
            '{"objects": [{"shape": "circle", "color": "red", "size": 1, "row": true, "column": 0}]}',
            "whole number as row",
        ),
        ('{"objects": [{"shape": "circle", "color": "red", "size": 1, "row": 6, "column": 0}]}', "outside"),
        ('{"objects": [], "agent": {"row": 0, "column": 0, "facing": "up"}}', "cannot face 'up'"),
        ('{"objects": [], "size": 1e3}', "whole number as size"),
        ('{"situation": {}}', "has no 'grid_size'"),
        ("[" * 100_000, "is not a world"),
        ('{"objects":' + "[" * 100_000, "is not a world"),
        ("r○1 .\n. nonsense", "cannot read 'nonsense'"),
    ],
)
def test_broken_worlds_are_refused(text, said, tmp_path):
    """What is wrong with a world is said in one error of ours."""
    path = tmp_path / "world"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(DeixisError) as caught:
        read_world(str(path))

    assert said in str(caught.value)


def test_a_world_with_too_many_objects_is_refused(tmp_path):
    """Sets of objects have a limit, and a file beyond it is not read."""
    thing = {"shape": "circle", "color": "red", "size": 1, "row": 0, "column": 0}
    path = tmp_path / "world.json"
    path.write_text(json.dumps({"objects": [thing] * 65}), encoding="utf-8")

    with pytest.raises(DeixisError, match="at most 64"):
        read_world(str(path))


def test_a_world_that_is_no_text_is_refused(tmp_path):
    """Bytes that are no text are not guessed at."""
    path = tmp_path / "world"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(DeixisError, match="not text"):
        read_world(str(path))
