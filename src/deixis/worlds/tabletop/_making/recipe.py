"""The settings of a dataset of tables, each an option of `deixis make tabletop`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from deixis.errors import RecipeError
from deixis.worlds.tabletop._making.splits import TESTS, USUAL_DEPTH, USUAL_MOST
from deixis.worlds.tabletop._solids import HEIGHT, WIDTH
from deixis.worlds.toolkit.recipes import Recipe


Mode: TypeAlias = Literal["every-word", "plain"]
Form: TypeAlias = Literal["phrase", "chain", "and", "or", "not", "same", "order"]
FORMS: tuple[Form, ...] = ("phrase", "chain", "and", "or", "not", "same", "order")
FEWEST, MOST = 3, 15  # solids of a table
MOST_IMAGES, MOST_TOGETHER = 6, 60
LONGEST_CHAIN = 3
MOST_HIDDEN = 0.9
MOST_TESTS = 1_000_000
SMALLEST, LARGEST = 16, 2_048  # pixels along a side of a picture


@dataclass(frozen=True, kw_only=True)
class TabletopRecipe(Recipe):
    """Tables: solids seen by a camera, and expressions that pick out one of them.

    Attributes:
        seed: Random seed; 0 by default.
        examples: How many examples to draw for train, dev and test; 1000 by default.
        mode: Whether every content word, relation and order is needed (every-word, the default) or may be spared
            (plain).
        form: The form of the expressions: phrase, chain, and, or, not, same or order; by default all in turn.
        relations: The most relations of a chain, 1 to 3; 2 by default.
        shapes: All shapes (all, the default), or those of CLEVR alone (clevr).
        least: The fewest solids of a table; 3 by default.
        most: The most solids of a table, up to 15; 10 by default.
        images: How many tables an expression is said of, as in Cops-Ref; 1 by default.
        hidden: The largest share of a solid that others may hide; 0.4 by default.
        absent: The share of expressions that fit nothing, in which one word is false; 0 by default.
        tests: How many examples each test set by rule gets (pairs, relations, deeper, more, camera), whose subject is
            then held out of training; 0 by default, without such sets.
        pictures: Draw the tables, too: columns with pictures, masks and boxes.
        width: Pixels across a picture, with --pictures; 320 by default.
        height: Pixels down a picture, with --pictures; 240 by default.
    """

    mode: Mode = "every-word"
    form: Form | None = None
    relations: int = 2
    shapes: Literal["all", "clevr"] = "all"
    least: int = FEWEST
    most: int = 10
    images: int = 1
    hidden: float = 0.4
    absent: float = 0.0
    tests: int = 0
    pictures: bool = False
    width: int = WIDTH
    height: int = HEIGHT
    dataset: ClassVar[str] = "tabletop"

    def __post_init__(self) -> None:
        """Refuse what no table can hold."""
        super().__post_init__()
        crowd = f"1 to {MOST_IMAGES} images and at most {MOST_TOGETHER} solids together"
        for is_wrong, told in (
            (self.mode not in ("every-word", "plain"), f"a mode is every-word or plain, got {self.mode!r}"),
            (
                self.form is not None and self.form not in FORMS,
                f"a form is {', '.join(FORMS[:-1])} or {FORMS[-1]}, got {self.form!r}",
            ),
            (self.shapes not in ("all", "clevr"), f"the shapes are all or clevr, got {self.shapes!r}"),
            (
                not 1 <= self.relations <= LONGEST_CHAIN,
                f"a chain has 1 to {LONGEST_CHAIN} relations, got {self.relations}",
            ),
            (
                not FEWEST <= self.least <= self.most <= MOST,
                f"a table holds {FEWEST} to {MOST} solids, got {self.least} to {self.most}",
            ),
            (
                not 1 <= self.images <= MOST_IMAGES or self.images * self.most > MOST_TOGETHER,
                f"an expression is said of {crowd}, got {self.images} of up to {self.most} solids",
            ),
            (not 0 <= self.hidden <= MOST_HIDDEN, f"up to {MOST_HIDDEN} of a solid may be hidden, got {self.hidden}"),
            (not 0 <= self.absent <= 1, f"the share of expressions that fit nothing is 0 to 1, got {self.absent}"),
            (
                not 0 <= self.tests <= MOST_TESTS,
                f"a test set by rule gets 0 to {MOST_TESTS:,} examples, got {self.tests}",
            ),
            (
                bool(self.tests) and self.relations > USUAL_DEPTH,
                "chains of three relations are held out for the test set deeper; give --relations 2",
            ),
            (
                bool(self.tests) and self.most > USUAL_MOST,
                f"more than {USUAL_MOST} solids are held out for the test set more; give --most {USUAL_MOST}",
            ),
        ):
            if is_wrong:
                raise RecipeError(told)

    @property
    def total(self) -> int:
        """The number of examples of all splits."""
        return self.examples + len(TESTS) * self.tests
