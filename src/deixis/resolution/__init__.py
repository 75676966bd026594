"""Resolution of expressions: the definition, its compiled twins, and the trace."""

from deixis.resolution.reference import Referents as Referents
from deixis.resolution.reference import denotation as denotation
from deixis.resolution.reference import resolve as resolve
from deixis.resolution.reference import resolve_one as resolve_one
from deixis.resolution.trace import Trace as Trace
from deixis.resolution.trace import TracedStep as TracedStep
from deixis.resolution.trace import trace as trace
