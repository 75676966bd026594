"""The set of objects after every step: what explanations and highlighting are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deixis.expression.parts import Part
from deixis.expression.steps import Related
from deixis.resolution.reference import denotation, keep


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.scene.scene import Scene
    from deixis.schema import Reading


__all__ = ["Trace", "TracedStep", "trace"]


@dataclass(frozen=True, slots=True)
class TracedStep:
    """One step of a resolution: the part, the objects before and after it, and how what it relates to was resolved."""

    part: Part
    before: frozenset[int]
    after: frozenset[int]
    inner: Trace | None = None

    @property
    def dropped(self) -> frozenset[int]:
        """The objects that this step excluded."""
        return self.before - self.after


@dataclass(frozen=True, slots=True)
class Trace:
    """Resolution of an expression, step by step.

    `referents` can be smaller than what the last step leaves: when mentions must be different objects, some are
    excluded at the end because the objects they need are already taken.
    """

    steps: tuple[TracedStep, ...]
    referents: frozenset[int]

    def walk(self) -> Iterator[TracedStep]:
        """Every traced step, inner descriptions before the clause that needs them."""
        for step in self.steps:
            if step.inner:
                yield from step.inner.walk()
            yield step


def trace(expression: Expression, scene: Scene, *, reading: Reading | None = None) -> Trace:
    """The resolution of an expression in a scene, step by step."""
    return _trace(expression, scene, reading or scene.schema.reading, ())


def _trace(expression: Expression, scene: Scene, reading: Reading, above: Address) -> Trace:
    left = frozenset(range(len(scene)))
    steps = []
    for index, step in enumerate(expression.steps):
        address = (*above, index)
        inner = _trace(step.to, scene, reading, address) if isinstance(step, Related) else None
        after = keep(step, left, scene, reading=reading)
        steps.append(TracedStep(Part(address, step), left, after, inner))
        left = after
    return Trace(tuple(steps), denotation(expression, scene, reading=reading))
