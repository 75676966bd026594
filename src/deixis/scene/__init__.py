"""What is there: scenes, contexts and the grid."""

from deixis.scene.grid import GRID as GRID
from deixis.scene.grid import Agent as Agent
from deixis.scene.grid import Facing as Facing
from deixis.scene.grid import GridBatch as GridBatch
from deixis.scene.grid import GridObject as GridObject
from deixis.scene.grid import GridScene as GridScene
from deixis.scene.picture import draw_text as draw_text
from deixis.scene.picture import grid as grid
from deixis.scene.scene import Context as Context
from deixis.scene.scene import PlainScene as PlainScene
from deixis.scene.scene import Point as Point
from deixis.scene.scene import Scene as Scene
from deixis.scene.scene import Where as Where
