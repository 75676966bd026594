"""Expressions: steps, descriptions, parts, and the edits that make misreadings."""

from deixis.expression.description import Description as Description
from deixis.expression.description import Expression as Expression
from deixis.expression.description import describe as describe
from deixis.expression.parts import Part as Part
from deixis.expression.parts import exchanging as exchanging
from deixis.expression.parts import mention_at as mention_at
from deixis.expression.parts import parts as parts
from deixis.expression.parts import replacing as replacing
from deixis.expression.parts import swapping as swapping
from deixis.expression.parts import without as without
from deixis.expression.program import Program as Program
from deixis.expression.program import compile_expression as compile_expression
from deixis.expression.program import decompile as decompile
from deixis.expression.steps import AnyOf as AnyOf
from deixis.expression.steps import Extreme as Extreme
from deixis.expression.steps import Is as Is
from deixis.expression.steps import Not as Not
from deixis.expression.steps import Nth as Nth
from deixis.expression.steps import Related as Related
from deixis.expression.steps import Step as Step
