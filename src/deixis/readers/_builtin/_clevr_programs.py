"""Programs of CLEVR-Ref+: the objects that one gives on a scene, and the expression that says the same.

A program is a list of steps like `{"type": "filter_color", "value_inputs": ["red"], "inputs": [2]}`, whose inputs are
earlier steps. A `union` becomes an alternative; where one of its sides has several words, these are one step of the
alternative: 'red and large' as 'neither not red nor not large'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related, Side, is_selector
from deixis.readers.reader import RefusedRecord
from deixis.schema import Attribute, Relation, Schema


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.expression.steps import Step
    from deixis.scene.scene import Point

Steps: TypeAlias = "tuple[Step, ...]"
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "size": ("small", "large"),
    "color": ("gray", "red", "blue", "green", "brown", "purple", "cyan", "yellow"),
    "material": ("rubber", "metal"),
    "shape": ("cube", "sphere", "cylinder"),
    "visible": ("fully visible", "partially visible"),
}
COMPARED = ("size", "color", "material", "shape")
SIDES = ("left", "right", "front", "behind")
SCHEMA = Schema(
    name="clevr_ref",
    attributes=tuple(
        Attribute(name=name, values=values, is_head=name == "shape") for name, values in ATTRIBUTES.items()
    ),
    relations=(
        *(Relation(name=name) for name in SIDES),
        *(Relation(name=f"same {name}", is_symmetric=True) for name in COMPARED),
    ),
)
ORDER = {attribute.name: number for number, attribute in enumerate(SCHEMA.attributes)}
WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
RANKS = {word: number for number, word in enumerate(WORDS, start=1)} | {"nineth": 9}  # as the dataset spells it
ENDS: dict[str, Side] = {"from left": "left", "from right": "right", "from front": "bottom"}  # lower in the picture
RANKING = "filter_ordinal"
ODD, NO_MEANING, NOT_SEEN = "odd-program", "no-meaning", "no-visibility"
MAX_NODES = 200


class Node(NamedTuple):
    """One step of a program: its function, its values, and the numbers of the steps that it takes."""

    name: str
    values: Sequence[str]
    inputs: Sequence[int]

    @property
    def kind(self) -> str:
        """The name, or `filter` or `same` for those that are about an attribute."""
        prefix = self.name.partition("_")[0]
        return prefix if prefix in ("filter", "same") and self.name != RANKING else self.name

    @property
    def attribute(self) -> str:
        """The attribute that a filter or a comparison is about."""
        return self.name.partition("_")[2]


@dataclass(frozen=True, slots=True, eq=False)
class Objects:
    """What is kept of a scene.

    Attributes:
        name: its picture.
        values: of every object by attribute; no `visible` where the scene does not say.
        points: of every object, in pixels.
        sides: for every side and object a word of bits: which objects are on that side of it.
    """

    name: str
    values: tuple[Mapping[str, str], ...]
    points: tuple[Point, ...]
    sides: Mapping[str, tuple[int, ...]]


def read_program(program: Any) -> list[Node]:
    """Return the steps of a program, or raise `RefusedRecord` unless each takes as many earlier ones as it needs."""
    if not isinstance(program, list) or not 0 < len(program) <= MAX_NODES:
        raise RefusedRecord(ODD, f"the program is no list of up to {MAX_NODES} steps")
    nodes: list[Node] = []
    for number, step in enumerate(program):
        name, inputs = str(step.get("type", step.get("function"))), step.get("inputs", [])
        values = step.get("value_inputs", step.get("side_inputs", []))
        needed = 0 if name == "scene" else 2 if name in ("union", "intersect") else 1
        if len(inputs) != needed or not all(type(one) is int and 0 <= one < number for one in inputs):
            raise RefusedRecord(ODD, f"step {number}, {name[:40]}, has the inputs {str(inputs)[:40]}")
        nodes.append(Node(name, [str(value) for value in values], inputs))
    return nodes


def run_program(nodes: Sequence[Node], objects: Objects) -> frozenset[int]:
    """Return the objects that a program gives, or raise `RefusedRecord` where the scene does not tell."""
    every = frozenset(range(len(objects.values)))
    left: list[frozenset[int]] = []
    for node in nodes:
        some = left[node.inputs[0]] if node.inputs else every
        match node.kind:
            case "scene":
                pass
            case "union":
                some |= left[node.inputs[1]]
            case "intersect":
                some &= left[node.inputs[1]]
            case "filter_ordinal":
                some = _take_rank(some, objects, *_rank(node))
            case "filter":
                some = _filter(some, objects, _word(node))
            case "unique":
                _only(node, some)
            case "relate":
                bits = objects.sides[_side(node)][_only(node, some)]
                some = frozenset(one for one in every if bits >> one & 1)
            case _:
                one, attribute = _only(node, some), _compared_attribute(node)
                value = objects.values[one][attribute]
                some = frozenset(k for k in every if k != one and objects.values[k][attribute] == value)
        left.append(some)
    return left[-1]


def express_program(nodes: Sequence[Node]) -> Description:
    """Return the expression of a program, or raise `RefusedRecord` with the code `no-meaning` if there is none."""
    built: list[Steps] = []
    for node in nodes:
        steps = built[node.inputs[0]] if node.inputs else ()
        match node.kind:
            case "scene" | "unique":
                pass
            case "union":
                steps = _either(steps, built[node.inputs[1]])
            case "intersect":
                steps = _both(steps, built[node.inputs[1]])
            case "filter_ordinal":
                steps = (*steps, Nth(*_rank(node)))
            case "filter":
                steps = (*steps, Is(*_word(node)))
            case "relate":
                steps = (Related(_side(node), Description(_arrange(steps))),)
            case _:
                steps = (Related(f"same {_compared_attribute(node)}", Description(_arrange(steps))),)
        built.append(steps)
    return Description(_arrange(built[-1]))


def _take_rank(some: frozenset[int], objects: Objects, rank: int, side: Side) -> frozenset[int]:
    axis, sign = {"left": (1, 1), "right": (1, -1), "bottom": (0, -1)}[side]
    inwards = sorted(some, key=lambda one: sign * objects.points[one][axis])
    return frozenset(inwards[rank - 1 : rank])


def _filter(some: frozenset[int], objects: Objects, word: tuple[str, str]) -> frozenset[int]:
    attribute, value = word
    if any(attribute not in objects.values[one] for one in some):
        raise RefusedRecord(NOT_SEEN, f"the scene does not say which objects are {value}")
    return frozenset(one for one in some if objects.values[one][attribute] == value)


def _either(one: Steps, other: Steps) -> Steps:
    if any(map(is_selector, (*one, *other))):
        raise RefusedRecord(NO_MEANING, "a rank in an alternative")
    return (AnyOf((_join(one), _join(other))),) if one and other else ()


def _both(one: Steps, other: Steps) -> Steps:
    """Return the steps for what two sets have in common: filters after a rank do not disturb it."""
    if any(map(is_selector, one)):
        one, other = other, one
    if any(map(is_selector, one)):
        raise RefusedRecord(NO_MEANING, "what two ranks have in common")
    return (*other, *one)


def _join(steps: Steps) -> Step:
    """Return several filters as one step."""
    return steps[0] if len(steps) == 1 else Not(AnyOf(tuple(Not(step) for step in steps)))


def _arrange(steps: Steps) -> Steps:
    """Return the steps with the words before the clauses, as far as ranks let them change places."""
    ranks = 0
    keys: list[tuple[int, int]] = []
    for step in steps:
        ranks += is_selector(step)
        keys.append((ranks, -1 if is_selector(step) else ORDER[step.attribute] if isinstance(step, Is) else len(ORDER)))
        ranks += is_selector(step)
    return tuple(steps[place] for place in sorted(range(len(steps)), key=keys.__getitem__))


def _word(node: Node) -> tuple[str, str]:
    if len(node.values) != 1 or node.values[0] not in ATTRIBUTES.get(node.attribute, ()):
        raise RefusedRecord(ODD, f"{node.name[:40]} of {str(node.values)[:40]}")
    return node.attribute, node.values[0]


def _rank(node: Node) -> tuple[int, Side]:
    ranks = [RANKS[word] for value in node.values for word in value.split() if word in RANKS]
    ends = [ENDS[value] for value in node.values if value in ENDS]
    if len(ranks) != 1 or len(ends) != 1:
        raise RefusedRecord(ODD, f"{node.name} of {str(node.values)[:60]}")
    return ranks[0], ends[0]


def _side(node: Node) -> str:
    if len(node.values) != 1 or node.values[0] not in SIDES:
        raise RefusedRecord(ODD, f"{node.name[:40]} of {str(node.values)[:40]}")
    return node.values[0]


def _compared_attribute(node: Node) -> str:
    if node.kind != "same" or node.attribute not in COMPARED:
        raise RefusedRecord(ODD, f"{node.name[:40]} is no function of expressions")
    return node.attribute


def _only(node: Node, some: frozenset[int]) -> int:
    if len(some) != 1:
        raise RefusedRecord(ODD, f"{node.name[:40]} is asked of {len(some)} objects, not one")
    return next(iter(some))
