"""Programs of CLEVR-Ref+ for expressions, where there is one.

CLEVR-Ref+ has no negation and no `near`, counts from left, right and front only, and relates to one solid, which must
be the only one that fits its own description.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deixis.expression.steps import AnyOf, Is, Nth, Related
from deixis.resolution.reference import denotation, keep
from deixis.worlds.tabletop._formats.clevr import MATERIALS, SIDES
from deixis.worlds.tabletop._language.words import ORDINALS


if TYPE_CHECKING:
    from deixis.expression.description import Description, Expression
    from deixis.expression.steps import Step
    from deixis.worlds.tabletop._scene import SolidScene


RELATIONS = {relation: side for side, relation in SIDES.items()}
ENDS = {"left": "from left", "right": "from right", "bottom": "from front"}
ORDER = ("size", "color", "material", "shape")


class NoProgram(Exception):
    """CLEVR-Ref+ has no words for what an expression says."""


def program_of(expression: Expression, scene: SolidScene) -> list[dict[str, Any]]:
    """Return the program of an expression, whose last step gives what it picks out, or raise `NoProgram`."""
    writer = _Writer(scene)
    writer.description(expression)
    return writer.nodes


class _Writer:
    """Collects steps, each with the objects that it gives."""

    def __init__(self, scene: SolidScene) -> None:
        self.scene = scene
        self.nodes: list[dict[str, Any]] = []

    def add(self, name: str, inputs: list[int], values: list[str], found: frozenset[int]) -> int:
        node: dict[str, Any] = {"type": name, "inputs": inputs, "_output": sorted(found)}
        self.nodes.append({**node, "value_inputs": values} if values else node)
        return len(self.nodes) - 1

    def set_at(self, number: int) -> frozenset[int]:
        return frozenset(self.nodes[number]["_output"])

    def description(self, description: Description) -> int:
        """Write the steps of a description, and return the number of the last."""
        here = self.add("scene", [], [], frozenset(range(len(self.scene))))
        values = sorted((s for s in description.steps if isinstance(s, Is)), key=lambda s: ORDER.index(s.attribute))
        for value in values:
            here = self.filter(value, here)
        for step in description.steps:
            if isinstance(step, Nth):
                here = self.rank(step, here)
            elif not isinstance(step, Is):
                here = self.both(here, self.clause(step))
        return here

    def filter(self, step: Is, here: int) -> int:
        left = keep(step, self.set_at(here), self.scene, reading="superlative")
        return self.add(f"filter_{step.attribute}", [here], [MATERIALS.get(step.value, step.value)], left)

    def rank(self, step: Nth, here: int) -> int:
        if step.side not in ENDS:
            raise NoProgram("it counts from the back or the middle")
        left = keep(step, self.set_at(here), self.scene, reading="superlative")
        return self.add("filter_ordinal", [here], [f"the {ORDINALS[step.index - 1]} one of the", ENDS[step.side]], left)

    def clause(self, step: Step) -> int:
        """Write the steps of a clause that stands for itself."""
        if isinstance(step, AnyOf):
            first, *others = (self.clause(inner) for inner in step.steps)
            for other in others:
                first = self.add("union", [first, other], [], self.set_at(first) | self.set_at(other))
            return first
        if isinstance(step, Is):
            return self.filter(step, self.add("scene", [], [], frozenset(range(len(self.scene)))))
        if not isinstance(step, Related):
            raise NoProgram("it denies something")
        side = RELATIONS.get(step.relation)
        if side is None and not step.relation.startswith("same "):
            raise NoProgram(f"it says {step.relation!r}")
        if len(denotation(step.to, self.scene)) != 1:
            raise NoProgram("it relates to something that is not the only one of its description")
        last = self.description(step.to)
        one = self.add("unique", [last], [], self.set_at(last))
        left = keep(step, frozenset(range(len(self.scene))), self.scene, reading="superlative")
        if side is not None:
            return self.add("relate", [one], [side], left)
        return self.add(f"same_{step.relation.removeprefix('same ')}", [one], [], left)

    def both(self, here: int, other: int) -> int:
        return self.add("intersect", [here, other], [], self.set_at(here) & self.set_at(other))
