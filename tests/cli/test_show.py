from __future__ import annotations

import json

import pytest

from deixis._cli import main
from deixis.worlds.grid._scene_files import read_world
from deixis.worlds.grid.data.sources import open_source


def printed(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def test_an_example_is_shown_with_all_that_is_known(tiny, capsys):
    """Command, plan, every object with its role, and the misreadings they are there for."""
    example = next(e for e in _examples(tiny) if any(e.misreading_of(k) for k in range(len(e.scene))))
    number = _examples(tiny).index(example)

    out = printed(capsys, "show", tiny, number)

    assert example.text in out
    assert "plan: " in out
    assert "[T] target" in out
    assert "placed to catch readers who" in out
    assert all(str(thing) in out for thing in example.scene.objects)


def test_output_to_a_file_has_no_colours(tiny, capsys):
    """Terminal codes are left out where no terminal listens."""
    assert "\x1b" not in printed(capsys, "show", tiny)


@pytest.mark.parametrize("number", [0, 7, 59])
def test_json_says_what_the_example_says(tiny, number, capsys):
    """The JSON of an example agrees with the example."""
    shown = json.loads(printed(capsys, "show", tiny, number, "--json"))

    example = _examples(tiny)[number]
    assert (shown["number"], shown["id"], shown["command"]) == (number, example.id, example.text)
    assert [thing["role"] for thing in shown["objects"]] == [role.kind for role in example.roles]
    assert shown["plan"] == [action.words for action in example.plan]


def test_numbers_count_within_a_split(tiny, capsys):
    """With a split, example 0 is the first of that split."""
    shown = json.loads(printed(capsys, "show", tiny, "--split", "a1", "--json"))

    first = next(e for e in _examples(tiny) if "a1" in e.split.split("+"))
    assert shown["id"] == first.id


@pytest.mark.parametrize("kind", ["dataset", "released"])
def test_a_seed_chooses(kind, tiny, released, capsys):
    """The same seed chooses the same example; different seeds do not all choose the same."""
    path = tiny if kind == "dataset" else released
    chosen = [json.loads(printed(capsys, "show", path, "--seed", s, "--json"))["number"] for s in (1, 1, 2, 3, 4, 5)]

    assert chosen[0] == chosen[1]
    assert len(set(chosen)) > 1


@pytest.mark.parametrize("number", [60, 10**30, -1])
def test_numbers_beyond_the_end_are_refused(number, tiny, capsys):
    """The message says how many examples there are."""
    assert main(["show", str(tiny), str(number)]) == 2
    assert "it has 60, counted from 0" in capsys.readouterr().err


def test_a_number_and_a_seed_contradict_each_other(tiny, capsys):
    """Only one way to choose can be given."""
    assert main(["show", str(tiny), "3", "--seed", "1"]) == 2
    assert "not both" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG"), ("a.PNG", b"\x89PNG")])
@pytest.mark.parametrize("style", ["deixis", "release"])
def test_pictures_are_written_to_files(name, start, style, tiny, tmp_path, capsys):
    """The name decides the form of the picture."""
    printed(capsys, "show", tiny, 3, "--out", tmp_path / name, "--style", style)

    assert (tmp_path / name).read_bytes().lstrip().startswith(start)


def test_a_picture_needs_a_known_ending(tiny, tmp_path, capsys):
    """Other forms are refused before anything is written."""
    assert main(["show", str(tiny), "--out", str(tmp_path / "a.bmp")]) == 2
    assert ".svg, .png or .gif" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("words", "start"), [(("a.gif",), b"GIF89a"), (("b.svg", "--animate"), b"<svg")])
def test_plans_are_written_as_moving_pictures(words, start, tiny, tmp_path, capsys):
    """A name that ends in .gif, or --animate, lets the agent carry out the plan."""
    name, *options = words
    printed(capsys, "show", tiny, 3, "--out", tmp_path / name, *options)

    data = (tmp_path / name).read_bytes()
    assert data.startswith(start)
    assert start == b"GIF89a" or b"@keyframes" in data


@pytest.mark.parametrize("words", [(), ("--out", "a.png")])
def test_only_some_files_can_move(words, tiny, tmp_path, monkeypatch, capsys):
    """Terminals and PNG files stay still, and the message says what would move."""
    monkeypatch.chdir(tmp_path)
    assert main(["show", str(tiny), "--animate", *words]) == 2
    assert "or .gif" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_what_show_prints_can_be_asked_about(tiny, tmp_path, capsys):
    """The JSON of an example is a world for explain."""
    path = tmp_path / "example.json"
    path.write_text(printed(capsys, "show", tiny, 4, "--json"), encoding="utf-8")

    assert read_world(path) == _examples(tiny)[4].scene


def _examples(path):
    from deixis.worlds.grid.data.table import examples_of

    return [example for table in open_source(path).tables() for example in examples_of(table)]
