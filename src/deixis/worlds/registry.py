"""The registry of worlds: those that come with Deixis, and those that other packages register.

Another package registers its world by an entry point:

    [project.entry-points."deixis.worlds"]
    beads = "deixis_beads:WORLD"

A package that fails to import is left out with a warning; the other worlds work.
"""

from __future__ import annotations

import json
import warnings
from functools import cache
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from deixis._plugins import add_plugins
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.worlds.world import World


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


__all__ = [
    "BUILT_IN",
    "GROUP",
    "WorldWarning",
    "find_known",
    "find_world",
    "known_worlds",
    "parts_of",
    "world_names",
    "world_of",
    "world_of_layout",
    "world_whose",
    "worlds_with",
]

GROUP = "deixis.worlds"
BUILT_IN = ("grid", "rooms", "photos", "tabletop")
MANIFEST = "manifest.json"
NEWEST_FORMAT = 2


class WorldWarning(UserWarning):
    """A package registers a world that cannot be used."""


@cache
def known_worlds() -> dict[str, World]:
    """All worlds by name: the built-in ones first, then those of other packages in the order of their names."""
    found = {name: import_module(f"deixis.worlds.{name}.world").WORLD for name in BUILT_IN}
    return add_plugins(found, group=GROUP, kind=World, what="world", warn=_warn)


def world_names() -> tuple[str, ...]:
    """The names of all worlds."""
    return tuple(known_worlds())


def find_world(name: str) -> World:
    """Return the world of a name, or that of the reader of that name, or raise `UnknownName` if there is none."""
    found = find_known(name)
    if found is None:
        raise UnknownName(f"there is no world {str(name)[:40]!r}; known: {', '.join(world_names())}")
    return found


def find_known(name: str) -> World | None:
    """Return the world of a name as other processes would find it, or None if they would not."""
    return known_worlds().get(name) or _world_of_reader(name)


def _readers() -> Any:
    """The registry of readers, which make worlds of the files of others; it is imported when one is asked for."""
    return import_module("deixis.readers.registry")


def _world_of_reader(name: str) -> World | None:
    readers = _readers()
    return readers.world_of_reader(name) if name in readers.known_readers() else None


def parts_of(name: str) -> Iterator[tuple[World, Any]]:
    """Yield the worlds that have a part, with the part.

    A part that cannot be used is left out with a warning.

    A fault of a world that comes with Deixis is raised.
    """
    for world in known_worlds().values():
        if not world.has(name):
            continue
        try:
            part = world.part(name)
        except Exception as error:
            if world.name in BUILT_IN:
                raise
            _leave_part_out(world, name, error)
        else:
            yield world, part


def world_whose(part: str, says_yes: Callable[[Any], bool]) -> World | None:
    """Return the first world whose part says yes, if any.

    A part that fails is left out with a warning.

    Args:
        part: which part is asked.
        says_yes: asks it.
    """
    for world, found in parts_of(part):
        try:
            if says_yes(found):
                return world
        except Exception as error:
            if world.name in BUILT_IN:
                raise
            _leave_part_out(world, part, error)
    return None


def worlds_with(part: str) -> tuple[str, ...]:
    """The names of the worlds that have a part."""
    return tuple(name for name, world in known_worlds().items() if world.has(part))


def world_of(path: Path | str) -> World:
    """The world that a dataset is of.

    A folder with a manifest says so itself. Other files and folders are shown to each world in turn, then to each
    reader of other people's datasets, which is a world of its own then.

    Raises:
        BrokenDataset: when the manifest cannot be read, is of a newer format or names a world that is not installed,
            and when no world recognises what lies there.
    """
    path = Path(path)
    manifest = path / MANIFEST
    if manifest.is_file():
        try:
            facts = json.loads(manifest.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise BrokenDataset(f"{manifest} cannot be read: {error}") from error
        if not isinstance(facts, dict):
            raise BrokenDataset(f"{manifest} is no manifest of a dataset")
        return world_in(facts, where=str(path))
    found = world_whose("examples", lambda examples: examples.recognises(path))
    if found is not None:
        return found
    if (read := world_of_layout(path)) is not None:
        return read
    if what := _readers().name_companion(path):
        raise BrokenDataset(f"{path} holds {what}")
    for world, examples in parts_of("examples"):  # whoever is asked first says what is wrong with it
        try:
            examples.open(path)
        except BrokenDataset as error:
            raise BrokenDataset(f"{error}{_readers().advice_on(path)}") from error
        return world
    raise BrokenDataset(f"{path} holds no dataset of any world; known worlds: {', '.join(world_names())}")


def world_of_layout(path: Path) -> World | None:
    """Return the reader of other people's datasets that knows the layout of a path, as a world, or None."""
    readers = _readers()
    reader = readers.sniff_reader(path)
    return None if reader is None else readers.world_of_reader(reader.name)


def world_in(manifest: Mapping[str, Any], *, where: str) -> World:
    """Return the world that a manifest names.

    Format 1 names a kind of dataset instead, or nothing.

    Args:
        manifest: what it holds.
        where: the path or the address of the dataset, for complaints.
    """
    written = manifest.get("format", 1)
    if isinstance(written, int) and written > NEWEST_FORMAT:
        advice = "a newer deixis wrote it: upgrade this one"
        raise BrokenDataset(f"{where} is in format {written}, and this version reads up to {NEWEST_FORMAT}; {advice}")
    name = manifest.get("world")
    if name is None and written == NEWEST_FORMAT and not isinstance(written, bool):
        raise BrokenDataset(f"{where} is in format {written}, and its manifest names no world")
    if name is None:
        kind = manifest.get("kind", "")
        for world in known_worlds().values():
            if kind in world.kinds:
                return world
        raise BrokenDataset(f"{where} is of a kind that no world here knows: {str(kind)[:40]!r}")
    found = (known_worlds().get(name) or _world_of_reader(name)) if isinstance(name, str) else None
    if found is None:
        package = manifest.get("package")
        by = f" of package {package[:80]}" if isinstance(package, str) and package else ""
        raise BrokenDataset(f"{PurePath(where).name} was made by world {str(name)[:40]!r}{by}, which is not installed")
    return found


def _warn(message: str) -> None:
    warnings.warn(message, WorldWarning, stacklevel=3)


def _leave_part_out(world: World, part: str, error: Exception) -> None:
    reason = str(error) if isinstance(error, DeixisError) else f"{type(error).__name__}: {error}"
    _warn(f"the {part} of the world {world.name!r} are left out: {reason}")
