"""The scenes, the words, and how one example is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, ClassVar

from deixis.distractors import is_minimal
from deixis.errors import RecipeError
from deixis.expression import Description, Extreme, Is, Related
from deixis.language import Lexicon
from deixis.resolution import resolve
from deixis.scene import Context, PlainScene, Point
from deixis.schema import Attribute, Relation, Schema, Which
from deixis.worlds.toolkit import ExampleRecipes, PhraseLanguage, PlainExample, Recipe, RowExamples


if TYPE_CHECKING:
    from deixis.expression.steps import Step
    from deixis.seeds import Stream


SIZES = ("small", "medium", "big")
COLORS = ("red", "blue", "green", "yellow")
SHAPES = ("ball", "cube", "disc")
TRIES = 30  # expressions for one bead of one string

SCHEMA = Schema(
    name="beads",
    attributes=(
        Attribute(name="size", values=SIZES, is_ordered=True),
        Attribute(name="color", values=COLORS),
        Attribute(name="shape", values=SHAPES, is_head=True),
    ),
    relations=(Relation(name="left of"), Relation(name="right of"), Relation(name="next to", is_symmetric=True)),
    distinct=True,  # every bead that is mentioned is another bead
)

LEXICON = Lexicon(
    name="beads",
    determiners=("the", "a"),
    relative="that is",
    conjunction="and",
    top="bead",
    slots=("size", "color", "shape"),
    words={
        "size": {"small": Extreme("size", Which.LEAST), "big": Extreme("size", Which.MOST)},
        "color": {color: Is("color", color) for color in COLORS},
        "shape": {shape: Is("shape", shape) for shape in SHAPES},
    },
    relations={"left of": "left of", "right of": "right of", "next to": "next to"},
    verbs={},
    manners={},
)

LANGUAGE = PhraseLanguage(LEXICON)
EXAMPLES = RowExamples(SCHEMA)


@dataclass(frozen=True, kw_only=True)
class BeadsRecipe(Recipe):
    """Make a dataset of beads on a string.

    Attributes:
        seed: Random seed; 0 by default.
        examples: How many examples to draw; 1000 by default.
        length: How many beads hang on a string; 8 by default.
        clauses: The most clauses that an expression has; 2 by default.
    """

    length: int = 8
    clauses: int = 2
    dataset: ClassVar[str] = "beads"

    def __post_init__(self) -> None:
        """Refuse what no string can hold."""
        super().__post_init__()
        if not 2 <= self.length <= 30:
            raise RecipeError(f"a string holds 2 to 30 beads, got {self.length}")
        if not 0 <= self.clauses <= 3:
            raise RecipeError(f"an expression has 0 to 3 clauses, got {self.clauses}")


def string_of(beads: list[tuple[str, str, str]]) -> PlainScene:
    """The scene of some beads, (size, color, shape) from left to right."""
    links = []
    for one, other in permutations(range(len(beads)), 2):
        links.append(("left of" if one < other else "right of", one, other))
        if abs(one - other) == 1:
            links.append(("next to", one, other))
    return PlainScene(
        schema=SCHEMA,
        objects=tuple(frozenset(zip(("size", "color", "shape"), bead, strict=True)) for bead in beads),
        links=frozenset(links),
        points=tuple(Point(0, place) for place in range(len(beads))),
    )


def draw(recipe: BeadsRecipe, chance: Stream) -> PlainExample | None:
    """Draw one example whose every word is needed, or None if this string and this bead allow none."""
    beads = [(chance.choice(SIZES), chance.choice(COLORS), chance.choice(SHAPES)) for _ in range(recipe.length)]
    scene, target, clauses = string_of(beads), chance.below(recipe.length), chance.below(recipe.clauses + 1)
    context = Context.of(scene, target)
    for _ in range(TRIES):
        steps = phrase(scene, target, chance)
        for _ in range(clauses):
            other = chance.choice([place for place in range(recipe.length) if place != target])
            relation = chance.choice([r.name for r in SCHEMA.relations if scene.related(r.name, target, other)])
            steps.append(Related(relation, Description(tuple(phrase(scene, other, chance)))))
        expression = Description(tuple(steps))
        if resolve(expression, context).objects == {context.target} and is_minimal(expression, context):
            return PlainExample(context=context, expression=expression, text=LANGUAGE.realise(expression).text)
    return None


def phrase(scene: PlainScene, place: int, chance: Stream) -> list[Step]:
    """Draw some of the true features of a bead: its shape, its colour, its size."""
    steps: list[Step] = []
    for attribute in ("shape", "color"):
        if chance.below(2):
            (value,) = scene.values(place, attribute)
            steps.append(Is(attribute, value))
    if not chance.below(4):
        steps.append(Extreme("size", chance.choice((Which.LEAST, Which.MOST))))
    return steps


def held_out(example: PlainExample) -> str | None:
    """Yellow discs as targets are never trained on: they are the test set `novel`."""
    scene, target = example.context.scenes[0], example.context.target.object
    is_novel = "yellow" in scene.values(target, "color") and "disc" in scene.values(target, "shape")
    return "novel" if is_novel else None


RECIPES = ExampleRecipes(world="beads", recipe=BeadsRecipe, draw=draw, held_out=held_out)
