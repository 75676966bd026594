"""The reader of shelves, which `deixis new reader` writes, as if its package were installed."""

from __future__ import annotations

import importlib.metadata
import sys
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deixis.readers.registry import GROUP, known_readers, world_of_reader


if TYPE_CHECKING:
    from collections.abc import Iterator


TEMPLATE = Path(str(files("deixis.readers") / "template"))
SHELF = TEMPLATE / "tests" / "shelf.csv"


def forget_readers() -> None:
    """Let the registry look for readers again."""
    known_readers.cache_clear()
    world_of_reader.cache_clear()


@contextmanager
def registered_readers(**homes: str) -> Iterator[None]:
    """Entry points of other packages: the name of a reader and "module:object"."""
    found = importlib.metadata.entry_points

    def with_readers(**wanted: str):
        points = [importlib.metadata.EntryPoint(name, home, GROUP) for name, home in homes.items()]
        return [*found(**wanted), *points] if wanted == {"group": GROUP} else found(**wanted)

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TEMPLATE / "src"))
        patch.setattr(importlib.metadata, "entry_points", with_readers)
        forget_readers()
        yield
    forget_readers()
    for name in [name for name in sys.modules if name.partition(".")[0] == "deixis_shelf"]:
        del sys.modules[name]


@contextmanager
def installed_shelf() -> Iterator[None]:
    """The package that `deixis new reader` writes, as if it were installed."""
    with registered_readers(shelf="deixis_shelf:READER"):
        yield
