"""Which objects fit: the definition, its compiled twins, and the trace."""

from deixis.resolve.batch import resolve_batch as resolve_batch
from deixis.resolve.batch import resolve_pairs as resolve_pairs
from deixis.resolve.reference import Referents as Referents
from deixis.resolve.reference import denotation as denotation
from deixis.resolve.reference import resolve as resolve
from deixis.resolve.reference import resolve_one as resolve_one
from deixis.resolve.trace import Trace as Trace
from deixis.resolve.trace import TracedStep as TracedStep
from deixis.resolve.trace import trace as trace
