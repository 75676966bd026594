"""Pragmatic fit of an expression to its context: enough to find the target, and not more than that.

The metrics of A3DS (Tsvilodub and Franke 2023, section 2.2), defined on the core, so that they hold for any number of
distractors and for any kind of scene. With c the contrastive features said, k the true features said, z the contrastive
features there are and n all features there are:

- discriminativity d: 1 if what is truly said fits the target alone (with one distractor: if c > 0).
- contrastive efficiency e, only where d = 1: how few of the contrastive features it takes. 1 - (c - m) / (z - m) with
  the denominator `z`, which made the published table; 1 - (c - m) / (k - m) with `k`, as the paper prints it. m is how
  few would do, 1 where there is one distractor. Where the denominator is 0 nothing was said in excess, and e is 1.
- relevance r: 1 - (k - c) / (n - z), the share of features that tell nothing apart and are left unsaid; 1 where all
  features are contrastive.
- optimal discriminativity od: 1 if d = 1 and c = m.

Two images that are the same (z = 0) cannot be told apart: d = 0, e is undefined, od = 0. An empty caption says nothing:
d = 0, e undefined, r = 1, od = 0. What is false of the target takes no part in c and k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.distractors._contrast import features, options
from deixis.distractors.necessity import is_minimal
from deixis.expression.description import Description
from deixis.expression.parts import parts
from deixis.expression.steps import Is
from deixis.resolution.reference import resolve


if TYPE_CHECKING:
    from deixis.distractors._contrast import By
    from deixis.expression.description import Expression
    from deixis.expression.steps import Step
    from deixis.scene.scene import Context
    from deixis.schema import Schema


__all__ = ["Denominator", "Pragmatics", "efficiency", "pragmatics", "relevance", "truthful"]

Denominator: TypeAlias = Literal["z", "k"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pragmatics:
    """Counts of the features that an expression mentions of a target.

    Attributes:
        said: true features said (k).
        contrastive: those of them that rule out some other object (c).
        available: contrastive features there are (z).
        features: all features there are.
        needed: how few features would leave the target alone (m); None where all of them together do not.
        false: parts that do not hold of the target.
        is_discriminative: whether what is truly said fits the target alone (d).
        is_minimal: whether none of it could be left out, which is stricter than od: redundant features count.
    """

    said: int
    contrastive: int
    available: int
    features: int
    needed: int | None
    false: int
    is_discriminative: bool
    is_minimal: bool

    def efficiency(self, denominator: Denominator = "z") -> float | None:
        """Return contrastive efficiency e, or None if the target is not found."""
        if not self.is_discriminative or self.needed is None:
            return None
        return efficiency(self.contrastive, {"z": self.available, "k": self.said}[denominator], self.needed)

    @property
    def relevance(self) -> float:
        """Relevance r."""
        return relevance(self.said - self.contrastive, self.features - self.available)

    @property
    def is_optimal(self) -> bool:
        """Optimal discriminativity od: no more contrastive features than it takes."""
        return self.is_discriminative and self.contrastive == self.needed


def efficiency(contrastive: int, most: int, needed: int) -> float:
    """1 for as few contrastive features as it takes, 0 for the most that could be said."""
    return 1.0 if most == needed else 1 - (contrastive - needed) / (most - needed)


def relevance(redundant: int, most: int) -> float:
    """Return 1 for no redundant feature said, 0 for all of them, and 1 if no feature is redundant."""
    return 1 - redundant / most if most else 1.0


def pragmatics(expression: Expression, context: Context, *, by: By = "label") -> Pragmatics:
    """Count what an expression says of the target of a context.

    Args:
        expression: what is said; parts that do not hold of the target are counted apart.
        context: the scenes shown together.
        by: whether a word stands for the value that the scene records (`label`), so that 'in the middle' is contrastive
            for orientations of 0 and 4 degrees, or for all values it covers (`expression`), so that it is not.
    """
    steps, false = truthful(expression, context, by=by)
    there = options(context, by=by, also=steps)
    telling = {there.features[number] for number in there.contrastive}
    said = Description(steps)
    is_found = resolve(said, context).objects == {context.target}
    count = len(telling.intersection(steps))
    shortest = there.smallest()
    needed = len(shortest[0]) if shortest else None
    if is_found:  # a size or a rank may do more among the objects left by other words than by itself
        needed = count if needed is None else min(needed, count)
    return Pragmatics(
        said=len(steps),
        contrastive=count,
        available=len(telling),
        features=len(there.features),
        needed=needed,
        false=false,
        is_discriminative=is_found,
        is_minimal=is_found and is_minimal(said, context),
    )


def truthful(expression: Expression, context: Context, *, by: By = "label") -> tuple[tuple[Step, ...], int]:
    """The parts that hold of the target, each once and in order, and how many do not."""
    scene = context.scenes[context.target.scene]
    held = features(context, by=by)
    true: dict[Step, None] = {}
    false = 0
    for part in parts(expression):
        if len(part.address) > 1:
            continue
        if context.target not in resolve(Description((part.step,)), context):
            false += 1
            continue
        true[_as_feature(part.step, held, scene.schema)] = None
    return tuple(true), false


def _as_feature(step: Step, held: tuple[Is, ...], schema: Schema) -> Step:
    """The feature of the target that a word stands for."""
    if isinstance(step, Is):
        attribute = schema.attribute(step.attribute)
        for feature in held:
            same = feature.attribute == step.attribute
            if same and (attribute.covers(step.value, feature.value) or attribute.covers(feature.value, step.value)):
                return feature
    return step
