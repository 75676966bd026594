"""Scenes and expressions for your own tests: a short way to write phrases, and hypothesis strategies.

    from hypothesis import given
    from deixis.testing import expressions, grid_scenes

    @given(expressions(), grid_scenes())
    def test_my_resolver(expression, scene): ...

This is the only module of the package that needs hypothesis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from hypothesis import strategies as st

from deixis.expression.description import Description
from deixis.expression.steps import SIDES, AnyOf, Extreme, Is, Not, Nth, Related, Step
from deixis.scene.grid import COLORS, GRID, SHAPES, SIZES, Agent, Facing, GridObject, GridScene
from deixis.scene.scene import PlainScene, Point
from deixis.schema import Which


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.schema import Schema


__all__ = [
    "ALL_KINDS",
    "PLAIN_KINDS",
    "StepKind",
    "agents",
    "expressions",
    "grid_objects",
    "grid_scenes",
    "plain_scenes",
    "steps",
    "the",
]

StepKind: TypeAlias = Literal["is", "extreme", "nth", "related", "not", "any_of"]
SizeWord: TypeAlias = Literal["small", "big"]
ALL_KINDS: frozenset[StepKind] = frozenset(("is", "extreme", "nth", "related", "not", "any_of"))
PLAIN_KINDS: frozenset[StepKind] = frozenset(("is", "extreme", "related"))  # all that ReaSCAN says
WORDS: dict[SizeWord, Which] = {"small": Which.LEAST, "big": Which.MOST}


def the(noun: str = "object", *clauses: Step, color: str | None = None, size: SizeWord | None = None) -> Expression:
    """The grid expression of a noun phrase and its clauses, in the order in which they are read.

    Args:
        noun: a shape, or `object` for any.
        *clauses: further steps, applied last.
        color: a colour, if one is said.
        size: `small` or `big`, if one is said; compared with the objects of that shape and colour.

    Example:
        >>> print(the("circle", Related("same row", the("square", color="blue")), size="small"))
        [shape=circle, size=least, same row: [color=blue, shape=square]]
    """
    said: list[Step] = []
    if color is not None:
        said.append(Is("color", color))
    if noun != "object":
        said.append(Is("shape", noun))
    if size is not None:
        said.append(Extreme("size", WORDS[size]))
    return Description((*said, *clauses))


def grid_objects(*, size: int = 6) -> st.SearchStrategy[GridObject]:
    """Single solids and boxes, anywhere on a board; a box may reach over its edge."""
    cell = st.integers(0, size - 1)
    return st.builds(
        GridObject, st.sampled_from(SHAPES), st.sampled_from(COLORS), st.integers(1, len(SIZES)), cell, cell
    )


def agents(*, size: int = 6) -> st.SearchStrategy[Agent]:
    """Agents on any cell of a board, facing any way."""
    cell = st.integers(0, size - 1)
    return st.builds(Agent, cell, cell, st.sampled_from(Facing))


def grid_scenes(
    *, size: int = 6, min_objects: int = 0, max_objects: int = 9, with_agent: bool = False
) -> st.SearchStrategy[GridScene]:
    """Boards on which no two solids share a cell and no two boxes a corner.

    Args:
        size: rows and columns of the board.
        min_objects: the fewest objects.
        max_objects: the most.
        with_agent: whether there is an agent, on any cell.
    """
    objects = st.lists(
        grid_objects(size=size),
        min_size=min_objects,
        max_size=max_objects,
        unique_by=lambda thing: (thing.is_box, thing.row, thing.column),
    )
    agent = agents(size=size) if with_agent else st.none()
    return st.builds(GridScene, objects.map(tuple), size=st.just(size), agent=agent)


def plain_scenes(
    schema: Schema, *, min_objects: int = 0, max_objects: int = 6, max_links: int = 12
) -> st.SearchStrategy[PlainScene]:
    """Written-out scenes of any schema: objects with no, one or several values per attribute, links and points."""
    pairs = [(a.name, value) for a in schema.attributes for value in a.values]
    thing = st.frozensets(st.sampled_from(pairs), max_size=4) if pairs else st.just(frozenset())
    point = st.builds(Point, st.integers(0, 9), st.integers(0, 9))
    counts = st.integers(min_objects, max_objects)
    return counts.flatmap(
        lambda count: st.builds(
            PlainScene,
            schema=st.just(schema),
            objects=st.tuples(*[thing] * count),
            links=_links(schema, count, max_links),
            points=st.tuples(*[point] * count),
        )
    )


def expressions(
    schema: Schema = GRID,
    *,
    kinds: frozenset[StepKind] = ALL_KINDS,
    max_depth: int = 2,
    min_steps: int = 0,
    max_steps: int = 4,
    max_mentions: int = 6,
    in_spoken_order: bool = False,
) -> st.SearchStrategy[Expression]:
    """Expressions over a schema.

    Args:
        schema: what can be said.
        kinds: the kinds of steps that may occur.
        max_depth: how deep clauses are nested.
        min_steps: how many steps the whole expression has at least, before spoken order leaves out repeated words.
        max_steps: how many steps each description has at most.
        max_mentions: how many objects are mentioned at most, the described one included.
        in_spoken_order: whether values come first, then size words, then ranks, then everything else, with one word per
            attribute, as in English phrases; otherwise the steps stand in any order and may contradict each other.
    """
    step = steps(schema, kinds=kinds, max_depth=max_depth, max_steps=max_steps, in_spoken_order=in_spoken_order)
    drawn = st.lists(step, min_size=min_steps, max_size=max_steps)
    ordered = drawn.map(_as_spoken) if in_spoken_order else drawn
    said = ordered.map(lambda some: Description(tuple(some)))
    return said.filter(lambda expression: sum(1 for _ in expression.mentions()) <= max_mentions)


def steps(
    schema: Schema = GRID,
    *,
    kinds: frozenset[StepKind] = ALL_KINDS,
    max_depth: int = 2,
    max_steps: int = 4,
    in_spoken_order: bool = False,
) -> st.SearchStrategy[Step]:
    """Single steps over a schema; the arguments are those of `expressions`."""
    simple = _simple_steps(schema, kinds)
    if "related" in kinds and max_depth > 0 and schema.relations:
        inner = expressions(
            schema, kinds=kinds, max_depth=max_depth - 1, max_steps=max_steps - 1, in_spoken_order=in_spoken_order
        )
        simple |= st.builds(Related, st.sampled_from([relation.name for relation in schema.relations]), inner)
    choices = [simple]
    if "not" in kinds:
        choices.append(st.builds(Not, simple))
    if "any_of" in kinds:
        choices.append(st.builds(AnyOf, st.lists(simple, min_size=2, max_size=3).map(tuple)))
    return st.one_of(choices)


def _simple_steps(schema: Schema, kinds: frozenset[StepKind]) -> st.SearchStrategy[Step]:
    """The steps without anything inside them."""
    values = [Is(a.name, value) for a in schema.attributes for value in a.values if "is" in kinds]
    ends = [Extreme(a.name, which) for a in schema.attributes if a.is_ordered for which in Which if "extreme" in kinds]
    ranks = [Nth(n, side) for side in SIDES for n in (1, 2, 3) if "nth" in kinds and (n == 1 or side != "middle")]
    return st.one_of([st.sampled_from(some) for some in (values, ends, ranks) if some])


def _links(schema: Schema, count: int, most: int) -> st.SearchStrategy[frozenset[tuple[str, int, int]]]:
    if count < 2 or not schema.relations:
        return st.just(frozenset())
    names = st.sampled_from([relation.name for relation in schema.relations])
    index = st.integers(0, count - 1)
    return st.frozensets(st.tuples(names, index, index).filter(lambda link: link[1] != link[2]), max_size=most)


def _as_spoken(drawn: list[Step]) -> list[Step]:
    """The steps in the order of an English phrase, with the first word for each attribute only."""
    words = {step.attribute: step for step in reversed(drawn) if isinstance(step, Is | Extreme)}
    rest = [step for step in drawn if not isinstance(step, Is | Extreme)]
    return sorted([*words.values(), *rest], key=_spoken_place)


def _spoken_place(step: Step) -> int:
    match step:
        case Is():
            return 0
        case Extreme():
            return 1
        case Nth():
            return 2
        case _:
            return 3
