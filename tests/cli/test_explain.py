from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from deixis._cli import main
from deixis.errors import DeixisError
from deixis.worlds.grid._scene_files import read_world, world_to_dict
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.scene import GridObject
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

    assert main(["explain", command, "--scene", world]) == 0

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
    assert "ignored ‘in the same row as a blue square’: red circle of size 3 (2)" in out
    assert "The plan: turn left, walk (2 actions)" in out  # at the edge, nothing can be pushed


def test_json_holds_the_whole_explanation(world, capsys):
    """The JSON has the target, the plan, what is needed and where misreadings lead."""
    command = "walk to the small red circle"

    assert main(["explain", command, "--scene", world, "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["referents"], found["unique"], found["target"]) == ([0], True, 0)
    assert found["plan"] == ["turn left", "walk"]
    assert {part["words"]: part["is_necessary"] for part in found["necessary"]}["'small'"] is True
    assert any(misreading["wrong"] == [2] for misreading in found["misreadings"])


def test_an_ambiguous_command_has_no_plan(world, capsys):
    """Where several objects fit, they are named and nothing is planned."""
    assert main(["explain", "walk to the red circle", "--scene", world]) == 0

    out = capsys.readouterr().out
    assert "fits 2 objects" in out
    assert "The plan" not in out


def test_an_ambiguous_text_is_answered_by_what_to_add(world, capsys):
    """Each suggestion names the object that it picks out, in text and in JSON."""
    words = ["explain", "walk to the red circle", "--scene", world]

    assert main(words) == 0
    out = capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)

    assert "add ‘small’: red circle of size 1 (0)" in out
    assert found["suggestions"] == [
        {"words": "add ‘small’", "text": "walk to the small red circle", "scene": 0, "target": 0},
        {"words": "add ‘big’", "text": "walk to the big red circle", "scene": 0, "target": 2},
    ]


def test_what_was_meant_is_read_if_that_is_wanted(world, capsys):
    """With an option slips are mended, and it is said how; without it nothing is mended."""
    words = ["explain", "push Grean cylindr", "--scene", world]

    assert main(words) == 2
    capsys.readouterr()
    assert main([*words, "--tolerant"]) == 0
    out = capsys.readouterr().out
    assert main([*words, "--tolerant", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)

    assert "Read as: ‘push the green cylinder’ (‘the’ was added, ‘grean’ was read as ‘green’, " in out
    assert (found["target"], found["read_as"]["text"]) == (4, "push the green cylinder")
    assert found["read_as"]["changes"][0] == {"said": "", "read": "the"}


def test_a_command_that_cannot_be_read_is_refused(world, capsys):
    """The word at which reading stopped is named."""
    assert main(["explain", "walk to the blue elephant", "--scene", world]) == 2
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


def test_a_full_stop_and_a_capital_are_those_of_a_sentence(world, capsys):
    """A command is understood the way people write it."""
    assert main(["explain", "Walk to the small red circle.", "--scene", world]) == 0

    assert "exactly one object: red circle of size 1 (0)" in capsys.readouterr().out


def test_a_slip_is_answered_by_what_may_have_been_meant(world, capsys):
    """The one line of a command that cannot be read asks for the one that can."""
    assert main(["explain", "go to the red circel which is inside a box", "--scene", world]) == 2

    assert "did you mean 'walk to the red circle that is inside of a box'?" in capsys.readouterr().err


def test_a_size_word_without_anything_to_compare_with_is_told(world, capsys):
    """'big' fits nothing where everything of its kind has one size, and the explanation says so."""
    assert main(["explain", "the big green cylinder", "--scene", world]) == 0

    out = capsys.readouterr().out
    assert "big: none left, 1 dropped: there is nothing smaller of its kind to compare with" in out
    assert "nothing is left after 'big', as there is nothing smaller of its kind to compare with" in out


def test_numbers_may_be_written_as_text(tmp_path):
    """The released files write numbers as text, and so may a world; what is no number is quoted as it stands."""
    path = tmp_path / "world.json"
    thing = {"shape": "circle", "color": "red", "size": "2", "row": "0", "column": 1}
    path.write_text(json.dumps({"size": "4", "objects": [thing]}), encoding="utf-8")

    assert read_world(str(path)).objects == (GridObject("circle", "red", 2, 0, 1),)

    path.write_text(json.dumps({"objects": [{**thing, "size": "two"}]}), encoding="utf-8")
    with pytest.raises(DeixisError, match="needs a whole number as size, got 'two'"):
        read_world(str(path))


def test_shapes_are_told_apart_without_their_marks(world):
    """A terminal that has no ○ shows the stand-ins that a picture in text may have."""
    words = [sys.executable, "-m", "deixis", "explain", "the small red circle", "--scene", world]
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}

    shown = subprocess.run(words, env=plain, capture_output=True, check=True).stdout.decode("ascii")

    assert "0:ro1" in shown
    assert "1:bs2" in shown
    assert "4:g/1" in shown


def test_a_reader_who_goes_away_is_no_fault(world):
    """`deixis explain … | head -1` says nothing on standard error and leaves as other programs do."""
    words = [sys.executable, "-m", "deixis", "explain", "the small red circle", "--scene", world]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        complaint = process.stderr.read()

    assert complaint == b""
    assert process.returncode == 141
