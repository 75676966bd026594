"""Manifests that answer for every file of a dataset, and for themselves.

A manifest lists files where a world needs them: `files` and `pictures.files` with their rows, `scenes.sha256` by name.
Whatever else lies in the folder stands under `other files`, and `manifest sha256` is the hash of the manifest itself
with that hash written as zeros. So no bit of a dataset can change without being noticed.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.data.store import MANIFEST, OTHER_FILES, file_digest, lies_inside, replacing_file


if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path


SEAL = "manifest sha256"
BLANK = "0" * 64
_SEALED = re.compile(rb'"' + SEAL.encode() + rb'": "([0-9a-f]{64})"')


class Member(NamedTuple):
    """A file of a dataset as its manifest lists it, with the number of bytes if the manifest has it."""

    path: str
    sha256: str
    bytes: int | None


def members_of(manifest: Mapping[str, Any]) -> list[Member]:
    """Return all files that a manifest lists, without itself and without malformed entries."""
    found = [_member(entry) for entry in manifest["files"]]
    pictures, scenes, others = (manifest.get(key) for key in ("pictures", "scenes", OTHER_FILES))
    listed = pictures.get("files") if isinstance(pictures, dict) else None
    found += [_member(entry) for entry in (listed if isinstance(listed, list) else ()) if isinstance(entry, dict)]
    if isinstance(scenes, dict):
        digests = scenes.get("sha256")
        named = digests.items() if isinstance(digests, dict) else ()
        found += [Member(f"{scenes.get('path')}/{name}", str(digest), None) for name, digest in named]
    if isinstance(others, dict):
        found += [_member({**entry, "path": path}) for path, entry in others.items() if isinstance(entry, dict)]
    return found


def _member(entry: Mapping[str, Any]) -> Member:
    size = entry.get("bytes")
    return Member(str(entry.get("path")), str(entry.get("sha256")), size if type(size) is int else None)


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest of a dataset whose other files are complete, and add files to it that it does not list yet."""
    said = {key: value for key, value in manifest.items() if key not in (OTHER_FILES, SEAL)}
    known = {member.path for member in members_of(said)}
    others = {
        name: {"bytes": (folder / name).stat().st_size, "sha256": file_digest(folder / name)}
        for name in _names_in(folder)
        if name not in known
    }
    blank = json.dumps({**said, OTHER_FILES: others, SEAL: BLANK}, indent=1, ensure_ascii=False) + "\n"
    digest = sha256(blank.encode()).hexdigest()
    with replacing_file(folder / MANIFEST) as draft:
        draft.write_text(blank.replace(f'"{SEAL}": "{BLANK}"', f'"{SEAL}": "{digest}"'), encoding="utf-8", newline="\n")


def renew_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest again after files beside the data, such as a card, have changed.

    An older one stays as it is.
    """
    if OTHER_FILES in manifest:
        write_manifest(folder, manifest)


def find_changes(
    folder: Path, manifest: Mapping[str, Any], *, without: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield the files that differ from the manifest, each with what is wrong.

    The manifest itself is one of them, and the names in `without` are left out.
    """
    if SEAL in manifest and not _is_sealed(folder / MANIFEST):
        yield MANIFEST, "its hash is another"
    for member in members_of(manifest):
        path = folder / member.path
        if member.path in without:
            continue
        try:
            if not lies_inside(folder, member.path):
                yield member.path, "it is not inside the dataset"
            elif file_digest(path) != member.sha256:
                yield member.path, "its hash is another"
        except FileNotFoundError:
            yield member.path, "it is missing"
        except OSError as error:
            yield member.path, f"it cannot be read: {error.strerror or error}"


def find_unlisted(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Return the files in a folder that its manifest does not list, without hidden ones and older manifests.

    A manifest from before there were `other files` answers for the data alone.
    """
    if OTHER_FILES not in manifest:
        return []
    known = {member.path for member in members_of(manifest)}
    return [name for name in _names_in(folder) if name not in known]


def _names_in(folder: Path) -> list[str]:
    """The files of a dataset, those of hidden folders and the manifest left out."""
    names = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())
    return [name for name in names if name != MANIFEST and not any(part.startswith(".") for part in name.split("/"))]


def _is_sealed(path: Path) -> bool:
    """Whether the hash that a manifest has of itself is right."""
    try:
        written = path.read_bytes()
    except OSError:
        return False
    seals = [*_SEALED.finditer(written)]
    if len(seals) != 1:
        return False
    start, end = seals[0].span(1)
    return sha256(written[:start] + BLANK.encode() + written[end:]).hexdigest() == seals[0][1].decode()
