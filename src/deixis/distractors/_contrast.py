"""Features of a target in single words, and the other objects that each of them rules out.

Speakers choose from these options, and the pragmatic metrics ask how well they chose.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.expression.description import Description
from deixis.expression.steps import Is
from deixis.resolution.reference import resolve
from deixis.scene.scene import Where


if TYPE_CHECKING:
    from collections.abc import Iterable

    from deixis.expression.steps import Step
    from deixis.scene.scene import Context
    from deixis.schema import Attribute


By: TypeAlias = Literal["label", "expression"]


@dataclass(frozen=True, slots=True)
class Options:
    """The words that are true of a target, and what each rules out.

    Attributes:
        features: the words.
        rules_out: for each of them the objects that it does not fit, as bits.
        others: all objects but the target, as bits.
    """

    features: tuple[Step, ...]
    rules_out: tuple[int, ...]
    others: int

    @property
    def contrastive(self) -> tuple[int, ...]:
        """The numbers of the features that rule out anything at all."""
        return tuple(number for number, out in enumerate(self.rules_out) if out)

    def left(self, chosen: Iterable[int]) -> int:
        """The other objects that fit all chosen features, as bits."""
        left = self.others
        for number in chosen:
            left &= ~self.rules_out[number]
        return left

    def smallest(self) -> tuple[tuple[int, ...], ...]:
        """Return the shortest choices of features that leave the target alone.

        All have one length. There are none if even all features together do not rule out the others.
        """
        for size in range(len(self.features) + 1):
            fitting = tuple(some for some in combinations(range(len(self.features)), size) if not self.left(some))
            if fitting:
                return fitting
        return ()


def features(context: Context, *, by: By = "label") -> tuple[Is, ...]:
    """Return the true single-word features of the target, attribute by attribute.

    Args:
        context: the scenes shown together.
        by: `label` names the value that the scene records; `expression` the widest one that covers it, as captions of
            3D Shapes say 'in the middle' for three orientations.
    """
    where, index = context.target
    scene = context.scenes[where]
    return tuple(
        Is(attribute.name, recorded if by == "label" else _widest(attribute, recorded))
        for attribute in scene.schema.attributes
        for recorded in sorted(scene.values(index, attribute.name))
    )


def options(context: Context, *, by: By = "label", also: Iterable[Step] = ()) -> Options:
    """Return the features of the target with the objects that each rules out.

    Objects are counted in order, without the target.

    Args:
        context: the scenes shown together.
        by: as for `features`.
        also: further steps that hold of the target, such as clauses.
    """
    said = tuple(dict.fromkeys((*features(context, by=by), *also)))
    others = [where for where in objects_of(context) if where != context.target]
    fitting = (resolve(Description((feature,)), context) for feature in said)
    rules_out = tuple(sum(1 << bit for bit, where in enumerate(others) if where not in fits) for fits in fitting)
    return Options(said, rules_out, (1 << len(others)) - 1)


def objects_of(context: Context) -> tuple[Where, ...]:
    """All objects of a context, scene by scene."""
    return tuple(Where(number, index) for number, scene in enumerate(context.scenes) for index in range(len(scene)))


def _widest(attribute: Attribute, recorded: str) -> str:
    wider = dict(attribute.broader)
    seen = {recorded}
    while (above := wider.get(recorded, recorded)) not in seen:
        recorded = above
        seen.add(above)
    return recorded
