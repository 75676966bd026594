"""An expression with everything that is known about how it came to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deixis.expression.description import describe


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address
    from deixis.language.utterance import Span
    from deixis.worlds.graphs.engine.settings import Form
    from deixis.worlds.graphs.engine.tree import Tree


__all__ = ["Expressed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expressed:
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
        """How many words it has."""
        return len(self.text.split())

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for files and for reading; the meaning in compact notation."""
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
