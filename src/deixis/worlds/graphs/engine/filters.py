"""What is left out: targets too small or without an outline, expressions that say only left and right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.expression.description import Description
from deixis.expression.steps import Is, Nth


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.expression.steps import Step
    from deixis.worlds.graphs.engine.facts import Facts, Photograph
    from deixis.worlds.graphs.engine.settings import Engine
    from deixis.worlds.graphs.engine.tree import Tree


__all__ = ["is_spatial_only", "other_counts", "targets_of"]


def targets_of(photograph: Photograph, facts: Facts, engine: Engine) -> list[int]:
    """The objects of an image that can be spoken of: large enough, and of a name that is not removed."""
    least = engine.least_area * photograph.size
    return [
        thing
        for thing, name in enumerate(photograph.names)
        if facts.is_target[name] and photograph.areas[thing] >= least
    ]


def is_spatial_only(tree: Tree, facts: Facts, engine: Engine) -> bool:
    """Whether an expression says nothing but simple spatial relations (Cops-Ref section 3.3)."""
    if engine.spatial_only == "keep" or not tree.edges:
        return False
    codes = facts.table.vocabulary.relation_codes
    recorded = len(facts.is_side)
    relations = [codes[edge.relation] for edge in tree.edges]
    if engine.spatial_only == "strict":
        return all(code < recorded and facts.is_simple[code] for code in relations)
    says_more = any(node.attributes or node.denied or node.rank for node in tree.nodes)
    return not says_more and all(code < recorded and facts.is_side[code] for code in relations)


def other_counts(expression: Expression) -> list[Expression]:
    """The other readings of a rank: counted among those that fit what is said after it, in part or in full.

    'the first glass from the left that is clear' counts all glasses; someone may count the clear ones.
    """
    steps = expression.steps
    place = next((n for n, step in enumerate(steps) if isinstance(step, Nth)), None)
    if place is None:
        return []
    later = steps[place + 1 :]
    words = tuple(step for step in later if isinstance(step, Is))
    clauses = tuple(step for step in later if not isinstance(step, Is))
    readings: list[tuple[Step, ...]] = [(*steps[:place], *later, steps[place])] if later else []
    if words and clauses:
        readings.append((*steps[:place], *words, steps[place], *clauses))
    return [Description(reading) for reading in readings]
