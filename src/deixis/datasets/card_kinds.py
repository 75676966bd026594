"""How each kind of dataset is told on its card: commands in grid worlds, imported ones, captions of rooms, expressions.

| kind in the manifest | tables |
|---|---|
| none, or `imported` | `default`, the commands |
| `a3ds` | one for each grammar of captions, `test-pairs`, `tuning-pairs`, `images`, `pictures`, as far as made |
| `copsref` | `default`, the expressions, and `images` where their pictures are kept |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.datasets.card_grid import imported_facts, made_facts
from deixis.datasets.card_photographs import photograph_facts
from deixis.datasets.card_rooms import room_facts
from deixis.datasets.licenses import find_license


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.datasets.card_facts import Facts


__all__ = ["facts_of"]

TOLD = {"a3ds": room_facts, "copsref": photograph_facts, "imported": imported_facts}


def facts_of(folder: Path, manifest: dict[str, Any], *, license_name: str = "") -> Facts:
    """What the card of a dataset says.

    Args:
        folder: where its files lie.
        manifest: what it says of itself.
        license_name: the terms, in place of those that its kind comes with.

    Raises:
        BrokenDataset: when a file cannot be read.
        RecipeError: when the licence is one that is not known here.
    """
    told = TOLD.get(manifest.get("kind", ""), made_facts)
    return told(folder, manifest, find_license(license_name) if license_name else None)
