"""Replacement names go on working, say what to use instead, and go away when they were to."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

import deixis
from deixis import distractors
from deixis._deprecation import Replacement, deprecate, lookup, merge_fields, rename_field


SOURCES = Path(deixis.__file__).parent
NAMES = {"join": Replacement(by="os:path.join", since="0.2.0", until="0.4.0")}


def version(text: str) -> tuple[int, ...]:
    """A version as numbers that compare."""
    return tuple(int(part) for part in text.split("."))


def promises():
    """Where in the sources a name is replaced, with the version in which it goes away."""
    for path in sorted(SOURCES.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in (
            ast.walk(ast.parse(text))
            if re.search(r"Replacement\(|deprecate\(|rename_field\(|merge_fields\(", text)
            else ()
        ):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) in (
                "Replacement",
                "deprecate",
                "rename_field",
            ):
                given = {word.arg: word.value for word in node.keywords}
                if isinstance(given.get("until"), ast.Constant):
                    yield path.name, node.lineno, given["since"].value, given["until"].value


def test_a_replaced_name_of_a_module_is_found_with_a_warning():
    """The warning names both names and both versions."""
    with pytest.warns(DeprecationWarning, match=r"old\.join is deprecated since deixis 0\.2\.0.* use os\.path\.join"):
        found = lookup("old", NAMES)("join")

    assert found("a", "b") == "a/b"


def test_a_name_that_was_never_there_is_no_attribute():
    """The module complains as any module does."""
    with pytest.raises(AttributeError, match="module 'old' has no attribute 'walk'"):
        lookup("old", NAMES)("walk")


def test_a_replaced_function_warns_and_does_what_it_did():
    """Its name and docstring stay, and the warning points at the caller."""

    @deprecate("deixis:new", since="0.2.0", until="0.3.0")
    def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    with pytest.warns(DeprecationWarning, match=r"goes away in 0\.3\.0; use deixis\.new") as caught:
        assert double(4) == 8

    assert double.__doc__ == "Double a number."
    assert Path(caught[0].filename) == Path(__file__)


def test_a_replaced_field_is_read_and_given_under_its_earlier_name():
    """Both warn; new names are silent."""

    @rename_field("missed", "misreadings", since="0.2.0", until="0.3.0")
    class Pair(NamedTuple):
        misreadings: tuple[str, ...] = ()

    @rename_field("missed", "misreadings", since="0.2.0", until="0.3.0")
    @dataclass(frozen=True, slots=True)
    class Record:
        misreadings: tuple[str, ...] = ()

    for kind in (Pair, Record):
        with pytest.warns(DeprecationWarning, match=rf"{kind.__name__}\.missed is deprecated.*\.misreadings") as given:
            assert kind(missed=("noun",)) == kind(misreadings=("noun",))
        with pytest.warns(DeprecationWarning, match=rf"{kind.__name__}\.missed is deprecated.*\.misreadings") as read:
            assert kind(("noun",)).missed == ("noun",)
        assert [one.filename for one in (*given, *read)] == [__file__, __file__]


def test_fields_that_one_field_replaces_are_read_and_given_under_their_earlier_names():
    """Both warn, and one of them may be changed alone."""

    @merge_fields({"low": "start", "high": "stop"}, "span", range, since="0.2.0", until="0.3.0")
    @dataclass(frozen=True)
    class Stretch:
        span: range

    with pytest.warns(DeprecationWarning, match=r"Stretch\.low is deprecated.*use .*Stretch\.span"):
        made = Stretch(low=2, high=5)
    with pytest.warns(DeprecationWarning, match=r"Stretch\.high is deprecated.*use .*Stretch\.span\.stop"):
        assert made.high == 5
    with pytest.warns(DeprecationWarning, match=r"Stretch\.low"):
        assert replace(made, low=3) == Stretch(range(3, 5))


def test_names_that_the_package_had_before_warn_every_time():
    """`dx.Recipe` is the recipe of the grid."""
    for _ in range(2):
        with pytest.warns(DeprecationWarning, match=r"deixis\.Recipe is deprecated.* use deixis\.GridRecipe"):
            assert deixis.Recipe is deixis.GridRecipe

    assert "Recipe" not in dir(deixis)


def test_relaxations_are_now_planned_misreadings():
    """The function, its class and its module are found under their earlier names, with a warning."""
    with pytest.warns(DeprecationWarning, match=r"use deixis\.planned_misreadings"):
        assert deixis.relaxations is deixis.planned_misreadings
    with pytest.warns(DeprecationWarning, match=r"use deixis\.distractors\.PlannedMisreading"):
        assert distractors.Relaxation is distractors.PlannedMisreading

    module = import_module("deixis.distractors.relaxations")
    with pytest.warns(DeprecationWarning, match=r"use deixis\.distractors\.planned_misreadings\.MisreadingKind"):
        assert module.RelaxationKind
    with pytest.warns(DeprecationWarning, match=r"relaxations\.relaxations is deprecated"):
        assert module(deixis.parse("the red circle"), deixis.worlds.grid.scene.GRID)


def test_no_replaced_name_outlives_its_version():
    """Delete the name once the version that was promised is reached; promise at least one minor version."""
    assert list(promises())
    for where, line, since, until in promises():
        assert version(until)[:2] > version(since)[:2], f"{where}:{line}"
        assert version(deixis.__version__) < version(until), f"{where}:{line} was to go away in {until}"
