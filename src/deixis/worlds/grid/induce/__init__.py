"""Abstract reasoning: a rule is induced from pairs of scenes before and after it (ReaSCAN, appendix H)."""

from deixis.worlds.grid.induce.edits import Edit as Edit
from deixis.worlds.grid.induce.edits import Operation as Operation
from deixis.worlds.grid.induce.edits import apply_edit as apply_edit
from deixis.worlds.grid.induce.edits import edits_between as edits_between
from deixis.worlds.grid.induce.make import TaskRecipe as TaskRecipe
from deixis.worlds.grid.induce.make import make_task as make_task
from deixis.worlds.grid.induce.make import make_tasks as make_tasks
from deixis.worlds.grid.induce.rule import Pair as Pair
from deixis.worlds.grid.induce.rule import Rule as Rule
from deixis.worlds.grid.induce.rule import Task as Task
from deixis.worlds.grid.induce.solve import Solution as Solution
from deixis.worlds.grid.induce.solve import is_identifiable as is_identifiable
from deixis.worlds.grid.induce.solve import solve as solve
