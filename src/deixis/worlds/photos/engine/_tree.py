"""The reasoning tree behind an expression, with the objects of the image that its words were taken from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from deixis.expression.description import Description, describe
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.worlds.photos.engine.settings import PRIORITY
from deixis.worlds.photos.scene.vocabulary import NAME, SAME, Vocabulary


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.expression.steps import Step
    from deixis.language.utterance import Span
    from deixis.worlds.photos.engine.settings import Form

NO_OBJECT = -1


@dataclass(frozen=True, slots=True)
class Node:
    """One object that is spoken of.

    Attributes:
        object: its number in the scene; `NO_OBJECT` where none is meant ('not on the table').
        attributes, denied: said of it, or said not to be so.
    """

    object: int
    name: str
    attributes: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    rank: Nth | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation that is said between two nodes.

    Attributes:
        joined: with the other relations of its parent by `and`, by `or`, or denied.
        is_true: whether it holds; false for what is denied and for the false branch of `or`.
    """

    parent: int
    child: int
    relation: str
    joined: Literal["and", "or", "not"] = "and"
    is_true: bool = True

    @property
    def kind(self) -> str:
        """The sort of relation: `rel`, `not_rel`, or `same:color`."""
        if self.relation in SAME:
            return f"same:{self.relation.removeprefix('same ')}"
        return "not_rel" if self.joined == "not" else "rel"


@dataclass(frozen=True, slots=True)
class Tree:
    """The target and everything that is said of it.

    Node 0 is the target, and parents stand before children.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()

    @property
    def forms(self) -> tuple[Form, ...]:
        """Every form that is used, the one that names the composition first."""
        used: set[Form] = set()
        per_parent: dict[int, int] = {}
        for edge in self.edges:
            if edge.relation in SAME:
                used.add("same")
            if edge.joined == "not":
                used.add("not")
            elif edge.joined == "or":
                used.add("or")
            elif edge.relation not in SAME:
                per_parent[edge.parent] = per_parent.get(edge.parent, 0) + 1
        if any(node.denied for node in self.nodes):
            used.add("not")
        if any(node.rank for node in self.nodes):
            used.add("order")
        if any(number > 1 for number in per_parent.values()):
            used.add("and")
        if 1 in per_parent.values():
            used.add("chain")
        return tuple(form for form in PRIORITY if form in used) or ("chain",)

    @property
    def false_relation(self) -> str:
        """The relation of an `or` that does not hold, or empty where there is none."""
        return next((edge.relation for edge in self.edges if edge.joined == "or" and not edge.is_true), "")

    def expression(self) -> Expression:
        """Return the expression that the tree stands for."""
        return self._description(0)

    def _description(self, number: int) -> Description:
        node = self.nodes[number]
        type_of = Vocabulary.type_of
        steps: list[Step] = [Is(NAME, node.name)]
        if node.rank:
            steps.append(node.rank)
        steps.extend(Is(type_of(word), word) for word in node.attributes)
        steps.extend(Not(Is(type_of(word), word)) for word in node.denied)
        alternatives: list[Step] = []
        for edge in self.edges:
            if edge.parent != number:
                continue
            related = Related(edge.relation, self._description(edge.child))
            if edge.joined == "or":
                alternatives.append(related)
            else:
                steps.append(Not(related) if edge.joined == "not" else related)
        if alternatives:
            steps.append(AnyOf(tuple(alternatives)))
        return Description(tuple(steps))

    def objects_by_depth(self, object_ids: Sequence[str]) -> list[list[str]]:
        """Return the ids of the objects by depth, as `explored_list` of the released files has them."""
        return [
            [object_ids[self.nodes[n].object] for n in level if self.nodes[n].object != NO_OBJECT]
            for level in self._levels()
        ]

    def attributes_by_depth(self) -> list[Any]:
        """Return the attributes by depth, as `attri_used` of the released files has them, with empty text for none."""
        rows: list[Any] = []
        for level in self._levels():
            used = [[(*self.nodes[n].attributes, *self.nodes[n].denied, "")[0]] for n in level]
            rows.append(used[0] if len(used) == 1 else used)
        return rows

    def as_dict(self, object_ids: Sequence[str] = ()) -> dict[str, Any]:
        """Return the tree as plain values, for files."""
        return {
            "nodes": [_node_as_dict(node, object_ids) for node in self.nodes],
            "edges": [
                {
                    "parent": edge.parent,
                    "child": edge.child,
                    "relation": edge.relation,
                    "kind": edge.kind,
                    "joined": edge.joined,
                    "truth": edge.is_true,
                }
                for edge in self.edges
            ],
        }

    def _levels(self) -> list[list[int]]:
        depth = [0] * len(self.nodes)
        for edge in self.edges:
            depth[edge.child] = depth[edge.parent] + 1
        return [[n for n, d in enumerate(depth) if d == level] for level in range(max(depth) + 1)]


def _node_as_dict(node: Node, object_ids: Sequence[str]) -> dict[str, Any]:
    number = node.object
    said: dict[str, Any] = {
        "object": (object_ids[number] if object_ids else number) if number != NO_OBJECT else None,
        "category": node.name,
        "used_attributes": list(node.attributes),
        "negated_attributes": list(node.denied),
    }
    if node.rank:
        is_middle = node.rank.side == "middle"
        rank = {"position": "middle"} if is_middle else {"index": node.rank.index, "from": node.rank.side}
        said["order"] = rank
    return said


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectExpression:
    """One expression about one object of one image.

    Attributes:
        scene, target: the numbers of the image in its table and of the object in its image.
        image_id, target_id: their ids in the files.
        form: the form that names it; `forms` lists all that it is composed of.
        expression: what it means. `text` says it, and `spans` tells which words say which part (by address).
        tree: the objects that its words were taken from.
        template: the wording.
        false_relation: of an `or`, the relation that does not hold; else empty.
        has_other_count: whether its rank, counted in another way, leads to another object (`Engine.rank_readings`).
    """

    scene: int
    image_id: str
    target: int
    target_id: str
    form: Form
    forms: tuple[Form, ...]
    expression: Expression
    text: str
    spans: Mapping[Address, Span]
    tree: Tree
    template: str
    false_relation: str = ""
    has_other_count: bool = False

    @property
    def length(self) -> int:
        """Number of words."""
        return len(self.text.split())

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for files and readers, with the meaning in compact notation."""
        return {
            "image": self.image_id,
            "object": self.target_id,
            "form": self.form,
            "forms": list(self.forms),
            "text": self.text,
            "meaning": describe(self.expression),
            "template": self.template,
            "tree": self.tree.as_dict(),
            "false_relation": self.false_relation or None,
            "has_other_count": self.has_other_count,
        }
