"""The rule of the house: a world is one folder and one object, and nothing else names one."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import deixis
from deixis._cli.app import VERBS
from deixis.worlds.registry import BUILT_IN, find_world


SOURCES = Path(deixis.__file__).parent
QUOTED = re.compile(r'"(grid|rooms|photos|tabletop|reascan|gscan|a3ds|copsref)"')


def modules():
    """Every module below the package, by its dotted name."""
    for path in sorted(SOURCES.rglob("*.py")):
        parts = path.relative_to(SOURCES.parent).with_suffix("").parts
        if "template" not in parts:
            yield ".".join(parts).removesuffix(".__init__"), path


def world_in(module):
    """The built-in world that a module belongs to, if any."""
    parts = module.split(".")
    return parts[2] if parts[:2] == ["deixis", "worlds"] and len(parts) > 2 and parts[2] in BUILT_IN else None


def imported(path):
    """The modules of ours that a file imports anywhere, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_nothing_imports_a_world_but_that_world_itself():
    """Verbs, pages and bridges ask the registry; no world imports another."""
    broken = {
        f"{module} -> {other}"
        for module, path in modules()
        for other in imported(path)
        if world_in(other) is not None and world_in(other) != world_in(module)
    }

    assert sorted(broken) == []


def test_nothing_outside_worlds_names_a_world_or_a_dataset():
    """Not even as a text; the one list of built-in worlds lies in the registry."""
    named = [
        f"{path.relative_to(SOURCES)}:{number}: {line.strip()}"
        for _, path in modules()
        if path.relative_to(SOURCES).parts[0] != "worlds"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if QUOTED.search(line)
    ]

    assert named == []


def test_no_file_outside_worlds_is_called_after_a_world_or_a_dataset():
    """Style sheets, templates and data of a world lie in its folder, too."""
    names = {name for world in map(find_world, BUILT_IN) for name in (world.name, *world.datasets)}
    named = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*")
        if path.relative_to(SOURCES).parts[0] not in ("worlds", "recipes") and path.stem in names
    ]

    assert named == []


def test_what_verbs_say_of_themselves_names_no_world_and_no_dataset():
    """Worlds add what holds for them only (`World.help`), so that help is as true of a world of another package."""
    names = {name for world in map(find_world, BUILT_IN) for name in (world.name, *world.datasets)}
    naming = re.compile(rf"\b({'|'.join(names)}|grids|cops-ref)\b", re.IGNORECASE)
    named = {verb.__name__: found for verb in VERBS if (found := naming.findall(inspect.getdoc(verb) or ""))}

    assert named == {}


def test_worlds_in_common_name_no_world_but_in_one_list():
    """What lies beside the worlds knows them by the list alone."""
    shared = [path for name, path in modules() if name.startswith("deixis.worlds") and world_in(name) is None]
    lines = [
        line.strip() for path in shared for line in path.read_text(encoding="utf-8").splitlines() if QUOTED.search(line)
    ]

    assert lines == ['BUILT_IN = ("grid", "rooms", "photos", "tabletop")']


def test_entries_of_several_splits_are_taken_apart_in_one_place():
    """`a1+a2` is read by `deixis.data._split_names` alone; what a cell of a drawn grid holds is no split."""
    found = [module for module, path in modules() if '.split("+")' in path.read_text(encoding="utf-8")]

    assert found == ["deixis.worlds.grid.drawn"]
