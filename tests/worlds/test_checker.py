"""`check_world`: what every world must do, and what it says of one that does not."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from deixis.errors import SchemaError
from deixis.testing import check_world
from deixis.worlds.registry import BUILT_IN, find_world
from deixis.worlds.world import World
from tests.beads import installed_beads


@pytest.fixture
def beads():
    """The world that `deixis new world` writes."""
    with installed_beads():
        yield find_world("beads")


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_worlds_pass(name):
    """By the same rules as anybody else's."""
    check_world(find_world(name), examples=4)


@pytest.mark.slow
def test_the_world_of_beads_passes(beads):
    """With parts of the toolkit and four of its own."""
    check_world(beads)


BROKEN = SimpleNamespace(formats=("svg",), draw=lambda *_, **__: b"no picture", lines=lambda *_, **__: [], plain=dict)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"checks": "no_such_module:CHECKS"}, "checks: SchemaError: .* no module no_such_module"),
        ({"checks": "deixis_beads.scenes:NOTHING"}, "checks: SchemaError: .* deixis_beads.scenes has no NOTHING"),
        ({"language": "deixis_beads.scenes:SCHEMA"}, "language: SchemaError: .* has no words, read, realise"),
        ({"pictures": f"{__name__}:BROKEN"}, "pictures: the picture of example 0 is no svg"),
        ({"checks": "deixis_beads.scenes:SIZES"}, "checks: SchemaError: .* has no codes, runs_on_clusters, check"),
    ],
)
def test_a_wrong_part_is_named(beads, monkeypatch, parts, problem):
    """One line says which part it is and what it lacks."""
    monkeypatch.setattr("deixis.worlds.checker.known_worlds", dict)

    with pytest.raises(SchemaError, match=problem) as caught:
        check_world(replace(beads, parts={**beads.parts, **parts}))

    assert str(caught.value).count("\n") == 1
    assert "has 1 problem:" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"package": "deixis"}, "registry: its package is not named"),
        ({"datasets": {"beads": "", "pearls": ""}}, "recipes: the world lists pearls, which the part has not"),
        ({"datasets": {}}, "recipes: it has beads, which the world does not list under datasets"),
        ({"models": {"counter": "Counts"}}, r"models: the world lists models \(counter\) and has no such part"),
        ({"commands": {"count": "Counts"}}, r"commands: the world lists commands \(count\) and has no such part"),
    ],
)
def test_what_a_world_lists_is_what_its_parts_have(beads, monkeypatch, changes, problem):
    """A name that leads nowhere, or one that nobody can find, is a problem; so is a package that manifests misname."""
    monkeypatch.setattr("deixis.worlds.checker.known_worlds", dict)

    with pytest.raises(SchemaError, match=problem):
        check_world(replace(beads, **changes))


@pytest.mark.slow
def test_another_world_may_have_the_same_task(beads, monkeypatch):
    """Of two worlds whose task is to point, as all are that `deixis new world` writes, each passes."""
    both = {"amber": replace(beads, name="amber"), "beads": beads}
    monkeypatch.setattr("deixis.prompts.tasks.known_worlds", lambda: both)

    check_world(beads)


def test_another_world_of_the_same_name_is_told(beads):
    """The registry would use the other one."""
    with pytest.raises(SchemaError, match="another world is registered as 'beads'"):
        check_world(replace(beads, title="Pearls"))


@pytest.mark.parametrize("thing", [None, "beads", 7])
def test_only_worlds_are_tried(thing):
    """Anything else is refused in one line."""
    with pytest.raises(SchemaError, match=r"a world is a deixis\.worlds\.World, got"):
        check_world(thing)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"datasets": ["a"]}, "the datasets of the world pearls are texts by name"),
        ({"models": None}, "the models of the world pearls are texts by name"),
        ({"parts": {"recipes": 3}}, "the parts of the world pearls are texts by name"),
        ({"commands": {"count": print}}, "the commands of the world pearls are texts by name"),
        ({"options": {"show": "style"}}, "the options of the world pearls are several Option by verb"),
        ({"options": {"show": ("style",)}}, "the options of the world pearls are several Option by verb"),
        ({"kinds": "pearls"}, "the kinds of the world pearls are several texts"),
        ({"title": None}, "the title of the world pearls is a text"),
        ({"name": 7}, "the name of a world is one word"),
    ],
)
def test_fields_of_a_wrong_kind_are_refused_at_once(fields, message):
    """So that the package is left out, and no verb fails because of it."""
    with pytest.raises(SchemaError, match=message):
        World(**{"name": "pearls", "title": "Pearls", "task": "point", "parts": {}, **fields})


def test_unknown_parts_are_refused_at_once():
    """A part that no verb asks for is a slip of the pen."""
    with pytest.raises(SchemaError, match="a world has no part 'picturs'"):
        World(name="pearls", title="Pearls", task="point", parts={"picturs": "x:y"})
