"""One example from a recipe and a number: what it is to show, the search for it, its words and its split."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from deixis.distractors.absence import absence
from deixis.errors import DeixisError, UnsatisfiablePattern
from deixis.expression.steps import Is
from deixis.scene.scene import Where
from deixis.seeds import Stream, derive
from deixis.worlds.tabletop._examples import TableExample
from deixis.worlds.tabletop._language.say import choose_determiners, say
from deixis.worlds.tabletop._making.find import Find, Stage, find_tables, picks_out_one, set_tables
from deixis.worlds.tabletop._making.forms import Phrases
from deixis.worlds.tabletop._making.recipe import FORMS, MOST, MOST_TOGETHER
from deixis.worlds.tabletop._making.splits import (
    OTHER_TURN,
    TESTS,
    USUAL_MOST,
    USUAL_TURN,
    is_held_out_pair,
    is_usual_pair,
    subjects_of,
)
from deixis.worlds.tabletop._render.ids import visible_shares
from deixis.worlds.tabletop._schema import SCHEMA
from deixis.worlds.tabletop._solids import COLORS, SHAPES, Camera


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.expression.description import Expression
    from deixis.worlds.tabletop._making.recipe import Form, TabletopRecipe


TRIES = 20_000  # of one example
PHRASES = 60  # expressions tried on one table in plain mode
CLEVR_SHAPES = ("cube", "sphere", "cylinder")
WORDS = {0: 4, 1: 6, 2: 5, 3: 5}
"""The most values that an expression with so many relations says, where none of them may be spared."""
SIGHT = (160, 120)
"""Pixels of the picture in which it is counted how much of a solid is seen."""


class Wish(NamedTuple):
    """Everything that an example is to show.

    Attributes:
        test: the test set by rule, or nothing for train, dev and test.
        form: of the expression.
        relations: how many relations a chain may have.
        pairs: which pairs of relations it may have, see `Phrases`.
        solids: the colours and shapes that may go together.
        least, most: how many solids a table has.
    """

    test: str
    form: Form
    relations: int
    pairs: str
    solids: frozenset[tuple[str, str]]
    least: int
    most: int


def wish_of(recipe: TabletopRecipe, number: int) -> Wish:
    """Return what the example of a number is to show: a test set by rule follows the others as a block."""
    names = tuple(TESTS)
    test = "" if number < recipe.examples else names[(number - recipe.examples) // recipe.tests]
    chance = Stream(derive(recipe.seed, "form", number))
    form = chance.choice(FORMS) if recipe.form is None else recipe.form
    if test == "relations" and form not in ("chain", "and"):
        form = chance.choice(("chain", "and"))
    if test == "deeper":
        form = "chain"
    pairs = "any" if not recipe.tests else "held out" if test == "relations" else "usual"
    return Wish(
        test=test,
        form=form,
        relations=3 if test == "deeper" else 2 if test == "relations" else recipe.relations,
        pairs=pairs,
        solids=_solids(
            recipe.shapes, _any_pair if not recipe.tests else _held_out if test == "pairs" else is_usual_pair
        ),
        least=USUAL_MOST + 1 if test == "more" else recipe.least,
        most=min(MOST, MOST_TOGETHER // recipe.images) if test == "more" else recipe.most,
    )


def _any_pair(color: str, shape: str) -> bool:
    del color, shape
    return True


def _held_out(color: str, shape: str) -> bool:
    """Whether a colour and a shape go together under condition B, in which spheres have all colours, too."""
    return shape == "sphere" or is_held_out_pair(color, shape)


@cache
def _solids(shapes: str, may_be: Callable[[str, str], bool]) -> frozenset[tuple[str, str]]:
    known = CLEVR_SHAPES if shapes == "clevr" else SHAPES
    return frozenset((color, shape) for color in COLORS for shape in known if may_be(color, shape))


def draw_example(recipe: TabletopRecipe, number: int) -> TableExample:
    """Draw the example of a number, without its split.

    Raises:
        UnsatisfiablePattern: when the recipe asks for what is hardly ever found.
    """
    wish = wish_of(recipe, number)
    for attempt in range(TRIES):
        chance = Stream(derive(recipe.seed, "example", number, attempt))
        found = _try(recipe, wish, chance)
        if found is not None and (not recipe.tests or _is_as_wanted(found, wish)):
            return found
    raise UnsatisfiablePattern(
        f"no example of the form {wish.form!r} came of {TRIES:,} tries; allow more solids or other forms"
    )


def _is_as_wanted(example: TableExample, wish: Wish) -> bool:
    tables = (scene.table for scene in example.scenes)
    return subjects_of(example.expression, tables) == ((wish.test,) if wish.test else ())


def _try(recipe: TabletopRecipe, wish: Wish, chance: Stream) -> TableExample | None:
    """One try at an example."""
    make = _find_every_word if recipe.mode == "every-word" else _find_plain
    found = make(recipe, wish, chance)
    if found is None:
        return None
    expression, (scenes, table, solid, _) = found
    if any(min(visible_shares(scene.table, *SIGHT)) < 1 - recipe.hidden for scene in scenes):
        return None
    determiners = choose_determiners(expression, scenes[table])
    example = TableExample(
        scenes=scenes,
        target=Where(table, solid),
        expression=expression,
        text=say(expression, determiners).text,
        facts={"form": wish.form},
    )
    return _make_absent(example, determiners, chance) if chance.below(1 << 16) < recipe.absent * (1 << 16) else example


def _stage_of(recipe: TabletopRecipe, wish: Wish, chance: Stream, *, least: int = 0) -> Stage:
    """Draw cameras and numbers of solids, of a single table at least so many as there are words to be needed."""
    azimuths, elevations = OTHER_TURN if wish.test == "camera" else USUAL_TURN
    cameras = tuple(
        Camera(azimuth=_between(azimuths, chance), elevation=_between(elevations, chance)) for _ in range(recipe.images)
    )
    low = max(wish.least, min(least, wish.most)) if recipe.images == 1 else wish.least
    counts = tuple(_between((low, wish.most), chance) for _ in range(recipe.images))
    return Stage(counts, cameras, recipe.hidden, wish.solids)


def _between(ends: tuple[int, int], chance: Stream) -> int:
    low, high = ends
    return low + chance.below(high - low + 1)


def _find_every_word(recipe: TabletopRecipe, wish: Wish, chance: Stream) -> tuple[Expression, Find] | None:
    """An expression in words at random, and tables on which none of them can be spared."""
    shapes = sorted({shape for _, shape in wish.solids})

    def value(name: str) -> str:
        return chance.choice(shapes if name == "shape" else SCHEMA.attribute(name).values)

    phrases = Phrases(chance, value=value, pairs=wish.pairs, relations=wish.relations)
    expression = phrases.expression(wish.form)
    words = sum(isinstance(step, Is) for mention in expression.mentions() for step in mention.steps)
    relations = len(expression.relations())
    if words > WORDS[min(relations, 3)]:
        return None
    found = find_tables(expression, _stage_of(recipe, wish, chance, least=words + relations + 1), chance)
    return None if found is None else (expression, found)


def _find_plain(recipe: TabletopRecipe, wish: Wish, chance: Stream) -> tuple[Expression, Find] | None:
    """Tables at random, and an expression in words that are there, which is true of one solid alone."""
    found = set_tables(_stage_of(recipe, wish, chance), chance)
    if found is None:
        return None
    solids = [solid for scene in found.scenes for solid in scene.table.solids]
    phrases = Phrases(
        chance,
        value=lambda name: getattr(chance.choice(solids), name),
        pairs=wish.pairs,
        relations=wish.relations,
        is_every_word=False,
    )
    for _ in range(PHRASES):
        expression = phrases.expression(wish.form)
        if (place := picks_out_one(expression, found.scenes)) is not None:
            return expression, found._replace(table=place[0], solid=place[1])
    return None


def _make_absent(example: TableExample, determiners: tuple[str, ...], chance: Stream) -> TableExample | None:
    """Return the example with one word changed so that nothing fits, or None if there is no such word."""
    changed = absence(example.expression, example.scenes, rng=chance)
    if changed is None:
        return None
    try:
        text = say(changed.expression, determiners).text
    except DeixisError:
        return None
    false = {"address": list(changed.part.address), "before": changed.before, "after": changed.after}
    return TableExample(
        scenes=example.scenes,
        target=None,
        expression=changed.expression,
        text=text,
        facts={**example.facts, "said of": example.text, "false": false},
    )
