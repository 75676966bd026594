"""The expression engine: expressions about the objects of a photograph, in six forms and their compositions."""

from deixis.worlds.photos.engine._tree import Edge as Edge
from deixis.worlds.photos.engine._tree import Node as Node
from deixis.worlds.photos.engine._tree import ObjectExpression as ObjectExpression
from deixis.worlds.photos.engine._tree import Tree as Tree
from deixis.worlds.photos.engine.make import express as express
from deixis.worlds.photos.engine.make import express_in_parallel as express_in_parallel
from deixis.worlds.photos.engine.make import tune_weights as tune_weights
from deixis.worlds.photos.engine.settings import FORMS as FORMS
from deixis.worlds.photos.engine.settings import Engine as Engine
from deixis.worlds.photos.engine.settings import Form as Form
