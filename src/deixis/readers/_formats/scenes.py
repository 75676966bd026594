"""Scenes of any world as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.language.explain import name_object
from deixis.worlds.toolkit.pictures import links_of


if TYPE_CHECKING:
    from deixis.scene.scene import Scene


def plain_scene(scene: Scene) -> dict[str, Any]:
    """Return the objects of a scene by their values, and its relations where they are not too many."""
    values = [
        {one.name: sorted(held) for one in scene.schema.attributes if (held := scene.values(index, one.name))}
        for index in range(len(scene))
    ]
    names = [name_object(scene, index) for index in range(len(scene))]
    return {"names": names, "objects": values, "relations": [list(link) for link in links_of(scene)]}
