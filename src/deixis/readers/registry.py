"""The registry of readers: those that come with Deixis, and those that other packages register.

Another package registers its reader by an entry point:

    [project.entry-points."deixis.readers"]
    mydata = "my_package.mydata:READER"

A package that fails to import is left out with a warning; the other readers work.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from deixis._plugins import add_plugins
from deixis.errors import BrokenDataset, UnknownName, nearest
from deixis.readers.files import head_of, tail_of
from deixis.readers.reader import Reader


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.worlds.world import World


__all__ = ["BUILT_IN", "GROUP", "ReaderWarning", "find_reader", "known_readers", "reader_names", "reader_of"]

GROUP = "deixis.readers"
BUILT_IN: tuple[str, ...] = (
    "stars2",
    "gre3d",
    "clevr_ref",
    "clembench",
    "nlvr",
    "refcoco",
    "mdetr",
    "refcoco_rows",
    "refcoco_tfds",
    "expressions",
    "sugarcrepe",
    "valse",
    "aro",
    "cola",
    "winoground",
    "ref_adv",
    "mig_bench",
    "refexp",
)
"""Readers that come with Deixis, the most particular layouts first: files are shown to them in this order."""


COMPANIONS = (
    (("category_id", "iscrowd"), "objects of COCO without expressions; give the file of references beside it"),
    (("images", "supercategory"), "objects of COCO without expressions; give the file of references beside it"),
    (("scenes", "relationships"), "scenes of CLEVR without expressions; give the file of expressions beside it"),
)
"""Fields at the beginning or end of files that are read with others, and what these files hold."""


class ReaderWarning(UserWarning):
    """A package registers a reader that cannot be used, or a reader fails on a file that it is only shown."""


@cache
def known_readers() -> dict[str, Reader]:
    """All readers by name: the built-in ones first, then those of other packages in the order of their names."""
    found = {name: import_module(f"deixis.readers._builtin.{name}").READER for name in BUILT_IN}
    return add_plugins(found, group=GROUP, kind=Reader, what="reader", warn=_warn)


@contextmanager
def make_known(reader: Reader) -> Iterator[None]:
    """Within this context, a reader is known by its name, as if its package were installed."""
    known = known_readers()
    before = known.get(reader.name)
    known[reader.name] = reader
    world_of_reader.cache_clear()
    try:
        yield
    finally:
        if before is None:
            del known[reader.name]
        else:
            known[reader.name] = before
        world_of_reader.cache_clear()


def reader_names() -> tuple[str, ...]:
    """The names of all readers."""
    return tuple(known_readers())


def find_reader(name: str) -> Reader:
    """Return the reader of a name, or raise `UnknownName` if there is none."""
    found = known_readers().get(name)
    if found is None:
        raise UnknownName(f"there is no reader {str(name)[:40]!r}{nearest(str(name), reader_names())}")
    return found


def sniff_reader(path: Path) -> Reader | None:
    """Return the first reader that knows the layout of a file or folder, or None."""
    for reader in known_readers().values():
        try:
            if reader.sniff(path):
                return reader
        except Exception as error:
            if reader.name in BUILT_IN:
                raise
            _warn(f"the reader {reader.name!r} fails on {path.name}: {type(error).__name__}: {error}")
    return None


def advice_on(path: Path) -> str:
    """Return what to add to the complaint about a path that no reader knows, where it might be for one.

    That is a folder, or a file with text that is no web page and the like.
    """
    if path.is_file():
        from deixis.data._json_stream import kind_of_bytes

        start = head_of(path, 64)
        if not start.strip() or not start.isascii() or "\0" in start or kind_of_bytes(start.encode()):
            return ""
    elif not path.is_dir():
        return ""
    return f"; nor does a reader know its layout ({', '.join(reader_names())})"


def reader_of(path: Path | str) -> Reader:
    """Return the reader of a file or folder, or raise `BrokenDataset` if no reader knows its layout."""
    found = sniff_reader(Path(path))
    if found is None:
        raise BrokenDataset(f"no reader knows the layout of {path}; known readers: {', '.join(reader_names())}")
    return found


def name_companion(path: Path) -> str:
    """Return what a file holds that is read with another one, and which, or an empty text."""
    ends = head_of(path) + tail_of(path)
    if ends.lstrip()[:1] != "{":
        return ""
    found = (told for names, told in COMPANIONS if all(f'"{name}"' in ends for name in names))
    return next(found, "")


@cache
def world_of_reader(name: str) -> World:
    """Return the reader of a name as a world, with which every verb works."""
    from deixis.readers._world import ReaderWorld

    return ReaderWorld.of(find_reader(name))


def _warn(message: str) -> None:
    warnings.warn(message, ReaderWarning, stacklevel=3)
