"""The folders of a ReaSCAN release: which file is which split.

A release is a folder of folders, each with one `data-compositional-splits.txt` and two vocabularies:

| folder | splits in its file | called here |
|---|---|---|
| `ReaSCAN-compositional` | train, dev, test, all hold-outs removed | train, dev, test |
| `ReaSCAN-compositional-a1` … `-c2` | test | a1, a2, a3, b1, b2, c1, c2 |
| `ReaSCAN-compositional-p1-test`, `-p1-test-updated` … | test | p1-test, p1-test-updated … |
| `ReaSCAN-compositional-p1`, `-p2`, `-p3`, `-p3-rd` | train, dev, test, nothing held out | train, dev, test |

Table 3 of the paper needs the first two kinds, and these are what the release as a whole is read as. The others have
examples of train, or repeat those of test; each can be read by itself.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


FILE_NAME = "data-compositional-splits.txt"
PREFIX = "ReaSCAN-compositional"
HELD_OUT = ("a1", "a2", "a3", "b1", "b2", "c1", "c2")
TESTS = tuple(f"{pattern}-test{which}" for pattern in ("p1", "p2", "p3") for which in ("", "-updated"))
UNCHANGED: Mapping[str, str] = MappingProxyType({})


class ReleasedFile(NamedTuple):
    """A file of a release, and what its splits are called here where that is not what they are called there."""

    path: Path
    names: Mapping[str, str] = UNCHANGED


class Release(NamedTuple):
    """The files of a release that make up one dataset, and the folders that are no part of it."""

    files: tuple[ReleasedFile, ...]
    left_out: tuple[str, ...]


def names_in_folder(folder: str) -> Mapping[str, str]:
    """Return the names of the splits of a file from the name of its folder: the test of `…-a1` is a1."""
    part = folder.removeprefix(f"{PREFIX}-")
    is_test = folder != part and part in (*HELD_OUT, *TESTS)
    return {"test": part} if is_test else UNCHANGED


def folder_of(split: str) -> str:
    """Return the folder that a release has a split in."""
    return PREFIX if split in ("train", "dev", "test") else f"{PREFIX}-{split}"


def find_release(folder: Path) -> Release | None:
    """Return the files of the release in a folder, or None where there is no folder of one.

    Raises:
        BrokenDataset: when it has folders of a release, but none that belongs to Table 3.
    """
    found = sorted(path.parent.name for path in folder.glob(f"{PREFIX}*/{FILE_NAME}"))
    if not found:
        return None
    parts = [name for name in (PREFIX, *(f"{PREFIX}-{split}" for split in HELD_OUT)) if name in found]
    if not parts:
        raise BrokenDataset(f"{folder} holds neither {PREFIX} nor its test sets; name one of {', '.join(found)} in it")
    files = tuple(ReleasedFile(folder / name / FILE_NAME, names_in_folder(name)) for name in parts)
    return Release(files, tuple(name for name in found if name not in parts))
