"""Options that come from worlds."""

from __future__ import annotations

import re

import pytest
from cyclopts import App

from deixis._cli import compose
from deixis._cli.compose import command_of, join, options_for
from deixis.errors import RecipeError
from deixis.worlds.registry import parts_of
from deixis.worlds.world import Option, World


LAND = World(
    name="land",
    title="Land",
    task="find",
    parts={},
    options={"look": (Option(name="far", help="How far.", kind=int), Option(name="slowly", help="So.", kind=bool))},
)
SEA = World(
    name="sea",
    title="Sea",
    task="find",
    parts={},
    options={"look": (Option(name="tide", help="Which tide.", choices=("low", "high")),)},
    help={"look": "ships are seen, too."},
)


@pytest.fixture
def look(monkeypatch):
    """A verb with the options of two worlds."""
    monkeypatch.setattr(compose, "known_worlds", lambda: {"land": LAND, "sea": SEA})

    def look(place: str, /, *, seed: int = 0, options: dict) -> tuple:
        """Look around.

        Args:
            place: Where.
            seed: Chance.
            options: Of worlds.
        """
        return place, seed, options

    app = App(result_action="return_value")
    app.default(command_of(look))
    return app


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("here", {}),
        ("here --far 3", {"far": 3}),
        ("here --slowly --seed 2", {"slowly": True}),
        ("here --tide low", {"tide": "low"}),
    ],
)
def test_a_verb_takes_the_options_of_every_world(look, words, options):
    """What was not given is not handed on."""
    assert look(words.split(), exit_on_error=False, print_error=False)[2] == options


def test_help_shows_options_by_world(look, capsys):
    """Each world has its own panel, and the lines of the docstring are kept."""
    look(["--help"])

    shown = capsys.readouterr().out
    assert "Options of land" in shown
    assert "Options of sea" in shown
    assert "Which tide." in shown
    assert "Chance." in shown


def test_help_says_what_worlds_say_of_the_verb(look, capsys):
    """A paragraph of each world that says something, after those of the verb."""
    look(["--help"])

    shown = capsys.readouterr().out
    assert shown.index("Look around.") < shown.index("Sea: ships are seen, too.") < shown.index("Options of land")
    assert "Land:" not in shown


def test_help_names_every_form_that_a_world_writes():
    """What `convert --help` lists is what the part `formats` has."""
    for world, formats in parts_of("formats"):
        assert set(formats.writes) <= set(re.findall(r"[a-z]+", world.help["convert"])), world.name


def test_options_of_another_world_are_refused_in_one_line(look):
    """The line names the world that has it, and the world of the data."""
    assert options_for(LAND, "look", {"far": 3}, where="data") == {"far": 3}
    with pytest.raises(RecipeError, match="--tide is an option of sea; data is of land"):
        options_for(LAND, "look", {"tide": "low"}, where="data")


def test_a_command_joins_the_options_of_two_functions(capsys):
    """Its own go to the recipe, the common ones to the verb; help shows both."""

    def pearls(*, count: int = 3, bright: bool = False) -> dict:
        """Make pearls.

        Args:
            count: How many.
            bright: Let them shine.
        """
        return {"count": count, "bright": bright}

    def make(recipe: dict, *, out: str, workers: int = 1) -> tuple:
        """Make a dataset.

        Args:
            recipe: what to make.
            out: The folder.
            workers: How many threads.
        """
        return recipe, out, workers

    app = App(result_action="return_value")
    app.default(join(make, pearls, into="recipe"))

    assert app(["--count", "5", "--out", "x"]) == ({"count": 5, "bright": False}, "x", 1)
    app(["--help"])
    shown = capsys.readouterr().out
    assert "How many." in shown
    assert "The folder." in shown
    assert "what to make" not in shown
