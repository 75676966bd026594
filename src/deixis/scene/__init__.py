"""Scenes and contexts."""

from deixis.scene.scene import Context as Context
from deixis.scene.scene import PlainScene as PlainScene
from deixis.scene.scene import Point as Point
from deixis.scene.scene import Scene as Scene
from deixis.scene.scene import Where as Where
