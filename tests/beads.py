"""The world of beads, which `deixis new world` writes, as if its package were installed."""

from __future__ import annotations

import importlib.metadata
import sys
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from deixis._cli.app import command_line
from deixis.worlds.registry import GROUP, known_worlds


if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["installed_beads"]


def forget_worlds() -> None:
    """Let the registry and the command line look for worlds again."""
    known_worlds.cache_clear()
    command_line.cache_clear()


@contextmanager
def installed_beads() -> Iterator[None]:
    """The package that `deixis new world` writes, as if it were installed."""
    source = str(files("deixis.worlds.toolkit") / "template" / "src")
    found = importlib.metadata.entry_points

    def with_beads(**wanted: str):
        point = importlib.metadata.EntryPoint("beads", "deixis_beads:WORLD", GROUP)
        return [*found(**wanted), point] if wanted == {"group": GROUP} else found(**wanted)

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(source)
        patch.setattr(importlib.metadata, "entry_points", with_beads)
        forget_worlds()
        yield
    forget_worlds()
    for name in [name for name in sys.modules if name.partition(".")[0] == "deixis_beads"]:
        del sys.modules[name]
