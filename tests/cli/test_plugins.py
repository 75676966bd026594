"""Packages that register a world and get it wrong: a line tells, and every other world works as before."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import ModuleType, SimpleNamespace

import pytest

from deixis._cli import main
from deixis.worlds.registry import GROUP
from deixis.worlds.world import Option, World
from tests.beads import forget_worlds


PICTURE = "r○1 b□1\n. ."


def raises(*_, **__):
    """What a stranger's function may do."""
    raise RuntimeError("boom")


@pytest.fixture
def plug_in(monkeypatch):
    """A function that installs a package whose modules have what it is given, and registers its worlds."""

    def install(*worlds, **inside):
        module = ModuleType("stranger")
        module.__dict__.update(inside)
        monkeypatch.setitem(sys.modules, "stranger", module)
        points = []
        for number, world in enumerate(worlds):
            setattr(module, f"WORLD{number}", world)
            point = EntryPoint(getattr(world, "name", "stranger"), f"stranger:WORLD{number}", GROUP)
            object.__setattr__(point, "dist", SimpleNamespace(name=f"deixis-stranger{number}"))
            points.append(point)
        monkeypatch.setattr(
            "importlib.metadata.entry_points", lambda **wanted: points if wanted.get("group") == GROUP else []
        )
        forget_worlds()

    yield install
    monkeypatch.undo()
    forget_worlds()


def world_with(**fields):
    """A world of a stranger."""
    return World(**{"name": "stranger", "title": "Strange", "task": "point", "parts": {}, **fields})


def run(capsys, *words):
    """The exit code of a command, what it printed, and the lines on standard error."""
    code = main([str(word) for word in words])
    shown = capsys.readouterr()
    return code, shown.out, shown.err.splitlines()


@pytest.fixture
def board(tmp_path):
    """A file with a scene of the first world."""
    path = tmp_path / "board.txt"
    path.write_text(PICTURE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("worlds", "warnings"),
    [
        ([3], ["the world 'stranger' of deixis-stranger0 is left out: stranger:WORLD0 is no deixis World"]),
        (
            [world_with(name="twin"), world_with(name="twin")],
            ["the world 'twin' of deixis-stranger1 is left out: deixis-stranger0 has one of that name"],
        ),
        (
            [world_with(commands={"check": "Mine", "new": "Mine"})],
            [
                "of the commands, 'check' of stranger is left out: every world has one of that name",
                "of the commands, 'new' of stranger is left out: every world has one of that name",
            ],
        ),
        (
            [world_with(datasets={"reascan": "Mine"}, models={"m-lstm": "Mine"})],
            [
                "of the datasets, 'reascan' of stranger is left out: grid has one of that name",
                "of the models, 'm-lstm' of stranger is left out: grid has one of that name",
            ],
        ),
        (
            [world_with(options={"show": (Option(name="split", help="Mine"),)})],
            ["the option --split of stranger is left out: deixis show has its own"],
        ),
        (
            [world_with(options={"show": (Option(name="style", help="Mine", kind=int),)})],
            ["the option --style of stranger is left out: that of grid is of another kind"],
        ),
    ],
)
def test_what_is_wrong_with_a_package_is_one_line_each(plug_in, capsys, board, worlds, warnings):
    """Said once, without a place in the code; the command that was given does its work."""
    plug_in(*worlds)

    code, out, err = run(capsys, "explain", "the red circle", "--scene", board)

    assert code == 0
    assert "the red circle" in out
    assert err == [f"deixis: warning: {line}" for line in warnings]


BROKEN_PARTS = {
    "examples": "stranger:THREE",
    "formats": "stranger:THREE",
    "models": "stranger:NOTHING",
    "judging": "stranger:THREE",
    "paper": "stranger:THREE",
    "checks": "stranger:THREE",
    "language": "no_such_module:LANGUAGE",
}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("check", "NOTES"), 2),
        (("check", "--codes"), 0),
        (("convert", "NOTES", "OUT", "--to", "parquet"), 2),
        (("evaluate", "nobody"), 2),
        (("train", "m-lstm", "--data", "NOTES", "--out", "OUT", "--colour", "1"), 2),
        (("report", "FOLDER"), 2),
        (("explain", "the red circle", "--scene", "BOARD", "--world", "rooms"), 2),
    ],
)
def test_a_broken_part_costs_its_own_world_only(plug_in, capsys, tmp_path, board, words, code):
    """Verbs that ask all worlds do without it, and say so in a line."""
    plug_in(world_with(parts=BROKEN_PARTS), THREE=3)
    notes = tmp_path / "notes.txt"
    notes.write_text("nothing", encoding="utf-8")
    (tmp_path / "run").mkdir()
    names = {"NOTES": notes, "OUT": tmp_path / "out", "FOLDER": tmp_path / "run", "BOARD": board}

    found, _, err = run(capsys, *(names.get(word, word) for word in words))

    assert found == code
    assert all(line.startswith("deixis: ") for line in err)
    assert any("of the world 'stranger' are left out" in line for line in err)
    assert sum("warning" not in line for line in err) == (code != 0)
    assert not any("a fault in deixis" in line for line in err)
    assert not (tmp_path / "out").exists()


def test_a_part_that_fails_when_it_is_asked_costs_its_own_world_only(plug_in, capsys, tmp_path):
    """`recognises` must not raise, and when it does, the others are asked nevertheless."""
    part = SimpleNamespace(open=raises, recognises=raises)
    plug_in(world_with(parts={"examples": "stranger:EXAMPLES"}), EXAMPLES=part)
    notes = tmp_path / "notes.txt"
    notes.write_text("nothing", encoding="utf-8")

    code, _, err = run(capsys, "show", notes)

    assert code == 2
    assert err[0] == "deixis: warning: the examples of the world 'stranger' are left out: RuntimeError: boom"
    assert len(err) == 2


@pytest.mark.parametrize(
    ("fields", "words", "message"),
    [
        (
            {"datasets": {"pearls": "Pearls"}, "parts": {"recipes": "stranger:NOTHING"}},
            ("make", "pearls", "--out", "OUT"),
            "the part 'recipes' of the world stranger is not there: stranger has no NOTHING",
        ),
        (
            {"datasets": {"pearls": "Pearls"}, "parts": {"recipes": "stranger:THREE"}},
            ("make", "pearls", "--out", "OUT"),
            "the part 'recipes' of the world stranger has no datasets, make",
        ),
        (
            {"models": {"counter": "Counts"}, "parts": {"models": "stranger:MODELS"}},
            ("train", "counter", "--out", "OUT"),
            "the models of stranger lack 'counter', which the world lists",
        ),
        (
            {"commands": {"count": "Counts"}, "parts": {"commands": "stranger:EMPTY"}},
            ("count",),
            "the commands of stranger lack 'count', which the world lists",
        ),
    ],
)
def test_a_verb_of_a_world_with_a_wrong_part_says_which_it_is(plug_in, capsys, tmp_path, fields, words, message):
    """In one line, and nothing is written."""
    models = SimpleNamespace(models={}, shipped={}, recognises=lambda _: False)
    plug_in(world_with(**fields), THREE=3, EMPTY={}, MODELS=models)

    code, _, err = run(capsys, *(str(tmp_path / "out") if word == "OUT" else word for word in words))

    assert code == 2
    assert err == [f"deixis: {message}"]
    assert not (tmp_path / "out").exists()


def test_a_module_that_fails_names_the_part(plug_in, capsys, tmp_path, monkeypatch):
    """Whatever is raised when a part is imported is told of the part, not of Deixis."""
    (tmp_path / "failing_part.py").write_text("raise RuntimeError('boom')", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    plug_in(world_with(datasets={"pearls": "Pearls"}, parts={"recipes": "failing_part:RECIPES"}))

    code, _, err = run(capsys, "make", "pearls", "--out", tmp_path / "out")

    assert code == 2
    assert err == ["deixis: the part 'recipes' of the world stranger cannot be imported: RuntimeError: boom"]


def test_an_option_of_two_worlds_has_the_choices_of_each(plug_in):
    """One verb takes them all, and refuses those of the other world."""
    from deixis._cli.compose import options_for
    from deixis.errors import RecipeError
    from deixis.worlds.registry import find_world

    mine = Option(name="style", help="Mine", choices=("deixis", "plain"))
    plug_in(world_with(options={"show": (mine,)}))

    assert options_for(find_world("stranger"), "show", {"style": "plain"}, where="x") == {"style": "plain"}
    with pytest.raises(RecipeError, match="--style of grid is one of deixis, release, got 'plain'"):
        options_for(find_world("grid"), "show", {"style": "plain"}, where="x")
