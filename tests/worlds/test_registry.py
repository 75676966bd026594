"""The registry: built-in worlds, worlds of other packages, and the world of a dataset."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from deixis.errors import BrokenDataset, MissingPart, SchemaError, UnknownName
from deixis.worlds import registry
from deixis.worlds.registry import WorldWarning, find_world, known_worlds, world_names, world_of
from deixis.worlds.world import World


BEADS = World(name="beads", title="Beads on a string", task="point", parts={}, package="deixis-beads")


class Point(SimpleNamespace):
    """An entry point that gives a value, or fails."""

    dist = SimpleNamespace(name="deixis-beads")
    value = "deixis_beads:WORLD"

    def load(self):
        """What the package has under that name."""
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found


@pytest.fixture
def register(monkeypatch):
    """A function that lets a package register something as the world of a name."""

    def add(name, found):
        monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [Point(name=name, found=found)])
        known_worlds.cache_clear()

    yield add
    known_worlds.cache_clear()


def test_built_in_worlds_come_first():
    """All three are there, under their names."""
    assert world_names()[:4] == ("grid", "rooms", "photos", "tabletop")
    assert all(find_world(name).name == name for name in world_names())


def test_a_package_registers_a_world(register):
    """It is found like the built-in ones."""
    register("beads", BEADS)

    assert find_world("beads") is BEADS


@pytest.mark.parametrize(
    ("name", "found", "reason"),
    [
        ("beads", ImportError("no such thing"), "ImportError: no such thing"),
        ("beads", "a text", "is no deixis World"),
        ("pearls", BEADS, "it calls itself 'beads'"),
        ("grid", World(name="grid", title="", task="", parts={}), "deixis itself has one of that name"),
        ("beads", SystemExit("bye"), "SystemExit: bye"),
    ],
)
def test_a_broken_package_is_left_out_with_a_warning(register, name, found, reason):
    """The other worlds work."""
    register(name, found)

    with pytest.warns(WorldWarning, match=reason):
        names = world_names()

    assert names == ("grid", "rooms", "photos", "tabletop")


def test_an_unknown_world_is_an_error_in_one_line():
    """It names those that there are."""
    with pytest.raises(UnknownName, match=r"there is no world 'mars'; known: grid, rooms, photos"):
        find_world("mars")


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        ({"format": 1}, "grid"),
        ({"format": 1, "kind": "imported"}, "grid"),
        ({"format": 1, "kind": "a3ds"}, "rooms"),
        ({"format": 1, "kind": "copsref"}, "photos"),
        ({"format": 2, "world": "rooms"}, "rooms"),
    ],
)
def test_a_manifest_names_its_world(tmp_path, manifest, name):
    """Format 2 by name, format 1 by the kind of dataset."""
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    assert world_of(tmp_path).name == name


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (
            {"format": 2, "world": "beads", "package": "deixis-beads"},
            "was made by world 'beads' of package deixis-beads, which is not installed",
        ),
        ({"format": 2, "world": ["grid"]}, "which is not installed"),
        ({"format": 3, "world": "grid"}, "is in format 3, and this version reads up to 2"),
        ({"format": 2}, "its manifest names no world"),
        ({"format": 1, "kind": "music"}, "is of a kind that no world here knows: 'music'"),
        ([], "is no manifest of a dataset"),
    ],
)
def test_a_manifest_of_nobody_here_is_an_error_in_one_line(tmp_path, manifest, message):
    """What wrote it is said, so that it can be installed."""
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    with pytest.raises(BrokenDataset, match=message) as caught:
        world_of(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["Beads", "two words", ""])
def test_the_name_of_a_world_is_one_word(name):
    """It stands in manifests, on the command line and in addresses."""
    with pytest.raises(SchemaError, match="one word in small letters"):
        World(name=name, title="", task="", parts={})


def test_parts_are_imported_when_asked_for():
    """A module, or an object in it; what is not there is said in one line."""
    world = World(
        name="beads",
        title="",
        task="",
        parts={
            "card": "json:dumps",
            "examples": "deixis.worlds.grid._examples",
            "checks": "json",
            "statistics": "json:nothing",
            "paper": "no_such_module:x",
        },
    )

    assert world.part("card") is json.dumps
    assert world.part("examples") is find_world("grid").part("examples")
    with pytest.raises(SchemaError, match="'checks' of the world beads has no codes, runs_on_clusters, check"):
        world.part("checks")
    with pytest.raises(SchemaError, match="'statistics' of the world beads is not there: json has no nothing"):
        world.part("statistics")
    with pytest.raises(SchemaError, match="the part 'paper' of the world beads is not there: no module no_such_module"):
        world.part("paper")
    with pytest.raises(MissingPart, match="beads has no environment; worlds with one: "):
        world.part("environment")
    with pytest.raises(MissingPart, match="beads has no formats; worlds with some: "):
        world.part("formats")
    with pytest.raises(SchemaError, match="a world has no part 'music'"):
        World(name="beads", title="", task="", parts={"music": "json"})


def test_the_registry_is_read_once(monkeypatch):
    """Asking again costs nothing."""
    first = known_worlds()
    monkeypatch.setattr(registry, "import_module", lambda _: pytest.fail("imported again"))

    assert known_worlds() is first
