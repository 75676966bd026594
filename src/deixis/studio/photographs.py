"""Pages of expressions about photographs: the words, how they are resolved, and the images that tempt."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from deixis.datasets.copsref.store import COLUMNS, example_from_row
from deixis.datasets.row_groups import RowGroups
from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.studio.pages import library_of, render
from deixis.studio.photographs_story import Story
from deixis.studio.pictures import find_picture


if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from starlette.requests import Request
    from starlette.responses import Response

    from deixis.datasets.copsref.store import CopsRef
    from deixis.studio.library import Entry
    from deixis.tasks.localise import Example


__all__ = ["ROUTES", "example_page", "find_example"]

ROLES = {
    "target": "the target",
    "related": "mentioned beside it",
    "tempting": "tempts a careless reader",
    "reached": "would do, too, if more went unheard",
}
CHANGES = {
    "attribute": "one attribute was exchanged",
    "relation": "one relation was exchanged",
    "noun": "one noun was exchanged",
    "swap": "two things changed places",
}


def example_page(request: Request, entry: Entry, number: int) -> Response:
    """One example with its images."""
    ids, _ = _ids_of(entry.data)
    example, place = find_example(entry, number)
    story = Story(example, entry.data.scenes)
    library = library_of(request)
    pictures = {
        shown.image_id: f"/d/{entry.slug}/picture/{shown.image_id}.png"
        for shown in story.shown
        if find_picture(entry, library, shown.image_id)
    }
    return render(
        request,
        "photographs.html",
        title=f"Example {example.id}",
        entry=entry,
        example=example,
        story=story,
        pictures=pictures,
        roles=ROLES,
        change=CHANGES.get(example.change, example.change),
        before=int(ids[place - 1]) if place else None,
        after=int(ids[place + 1]) if place + 1 < len(ids) else None,
        made=_made(entry.data),
    )


def find_example(entry: Entry, number: int) -> tuple[Example, int]:
    """The example with an id, and its place among all of the dataset.

    Raises:
        UnknownName: when no example has this id.
        BrokenDataset: when it cannot be read.
    """
    ids, rows = _ids_of(entry.data)
    found = np.flatnonzero(ids == np.int64(number)) if 0 <= number < 2**63 else np.empty(0, np.int64)
    if not len(found):
        raise UnknownName(f"there is no example with the id {number} in {entry.title}")
    place = int(found[0])
    try:
        return example_from_row(rows.row(place).to_pylist()[0]), place
    except BrokenDataset:
        raise
    except (DeixisError, ValueError, TypeError, KeyError, RecursionError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise BrokenDataset(f"example {number} of {entry.title} cannot be read: {reason}") from error


def _ids_of(data: CopsRef) -> tuple[np.ndarray, RowGroups]:
    """The ids of all examples in order, and their rows."""
    listed = tuple((data.path / entry["path"], entry["rows"]) for entry in data.dataset.manifest["files"])
    return _ids_in(listed, tuple(path.stat().st_mtime_ns for path, _ in listed))


@lru_cache(maxsize=8)
def _ids_in(
    files: tuple[tuple[Path, int], ...],
    changed: tuple[int, ...],  # noqa: ARG001 (files that changed are read again)
) -> tuple[np.ndarray, RowGroups]:
    rows = RowGroups(files, COLUMNS.names)
    blocks = [rows.read(group, ["id"])["id"].to_numpy() for group in rows.groups()]
    return np.concatenate(blocks) if blocks else np.empty(0, np.int64), rows


def _made(data: CopsRef) -> dict[str, Any]:
    """How the dataset was made, as far as it says."""
    manifest = data.dataset.manifest
    recipe = manifest.get("made with", {}).get("recipe", {})
    known = {"made by": manifest.get("made by")}
    if isinstance(recipe, dict):
        known |= {name: recipe.get(name) for name in ("seed", "each", "guarded")}
    return {name: value for name, value in known.items() if value is not None}


ROUTES = ()
