"""Abstract reasoning: a rule is to be found out from pairs of scenes before and after it (ReaSCAN, appendix H)."""

from deixis.tasks.induce.edits import Edit as Edit
from deixis.tasks.induce.edits import Operation as Operation
from deixis.tasks.induce.edits import apply_edit as apply_edit
from deixis.tasks.induce.edits import edits_between as edits_between
from deixis.tasks.induce.identify import is_identifiable as is_identifiable
from deixis.tasks.induce.make import TaskRecipe as TaskRecipe
from deixis.tasks.induce.make import make_task as make_task
from deixis.tasks.induce.make import make_tasks as make_tasks
from deixis.tasks.induce.rule import Pair as Pair
from deixis.tasks.induce.rule import Rule as Rule
from deixis.tasks.induce.rule import Task as Task
from deixis.tasks.induce.solve import Solution as Solution
from deixis.tasks.induce.solve import solve as solve
