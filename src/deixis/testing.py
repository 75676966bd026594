"""Scenes and expressions for your own tests: hypothesis strategies, and what worlds add to them.

    from hypothesis import given
    from deixis.testing import expressions, grid_scenes

    @given(expressions(), grid_scenes())
    def test_my_resolver(expression, scene): ...

Strategies need hypothesis, and nothing else of the package does. `check_world` tries every part of a world, and
`check_reader` a reader on a file.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from deixis.expression.description import Description
from deixis.expression.steps import SIDES, AnyOf, Extreme, Is, Not, Nth, Related, Step
from deixis.readers._checker import check_reader
from deixis.scene.scene import PlainScene, Point
from deixis.schema import Which
from deixis.worlds.checker import check_world


with suppress(ModuleNotFoundError):  # `check_world` does without
    from hypothesis import strategies as st

if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.schema import Schema


__all__ = [
    "ALL_KINDS",
    "PLAIN_KINDS",
    "StepKind",
    "check_reader",
    "check_world",
    "expressions",
    "plain_scenes",
    "steps",
]

StepKind: TypeAlias = Literal["is", "extreme", "nth", "related", "not", "any_of"]
ALL_KINDS: frozenset[StepKind] = frozenset(("is", "extreme", "nth", "related", "not", "any_of"))
PLAIN_KINDS: frozenset[StepKind] = frozenset(("is", "extreme", "related"))


def __getattr__(name: str) -> Any:
    """What worlds add: strategies for their scenes, such as `grid_scenes`, and short ways to write expressions."""
    from deixis.worlds.registry import known_worlds

    for world in known_worlds().values():
        if f"testing.{name}" in world.names:
            module, _, inside = world.names[f"testing.{name}"].partition(":")
            return getattr(import_module(module), inside)
    raise AttributeError(f"module 'deixis.testing' has no attribute {name!r}")


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
    schema: Schema | None = None,
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
        schema: what can be said; by default that of the first world that has one for tests.
        kinds: the kinds of steps that may occur.
        max_depth: how deep clauses are nested.
        min_steps: how many steps the whole expression has at least, before spoken order leaves out repeated words.
        max_steps: how many steps each description has at most.
        max_mentions: how many objects are mentioned at most, the described one included.
        in_spoken_order: whether values come first, then size words, then ranks, then everything else, with one word per
            attribute, as in English phrases; otherwise the steps stand in any order and may contradict each other.
    """
    schema = __getattr__("SCHEMA") if schema is None else schema
    step = steps(schema, kinds=kinds, max_depth=max_depth, max_steps=max_steps, in_spoken_order=in_spoken_order)
    drawn = st.lists(step, min_size=min_steps, max_size=max_steps)
    ordered = drawn.map(_as_spoken) if in_spoken_order else drawn
    said = ordered.map(lambda some: Description(tuple(some)))
    return said.filter(lambda expression: sum(1 for _ in expression.mentions()) <= max_mentions)


def steps(
    schema: Schema | None = None,
    *,
    kinds: frozenset[StepKind] = ALL_KINDS,
    max_depth: int = 2,
    max_steps: int = 4,
    in_spoken_order: bool = False,
) -> st.SearchStrategy[Step]:
    """Return a strategy for single steps over a schema, with the arguments of `expressions`."""
    schema = __getattr__("SCHEMA") if schema is None else schema
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
