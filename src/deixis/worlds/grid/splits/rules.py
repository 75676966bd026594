"""The rules of splits, over expressions and the objects they mention."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.errors import RecipeError, UnknownName
from deixis.expression.parts import parts
from deixis.expression.patterns import pattern, pattern_of
from deixis.expression.steps import Extreme, Is
from deixis.worlds.grid.language import parse
from deixis.worlds.grid.scene import GRID
from deixis.worlds.grid.splits.cases import Case


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.description import Description, Expression
    from deixis.expression.steps import Related
    from deixis.worlds.grid.scene import GridScene

__all__ = [
    "GSCAN",
    "GSCAN_LENGTHS",
    "GSCAN_SPATIAL",
    "REASCAN",
    "REASCAN_ASIDE",
    "Case",
    "Decisive",
    "Rule",
    "find_rule",
    "phrase_key",
    "relation_key",
    "rules",
]


Decisive: TypeAlias = Literal["", "shape", "color", "size"]
MOST_SHOTS = 1000
TAKEN = ("train", "dev", "test", "aside", "all")  # 'all' is how other tools call everything together


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule that keeps examples out of training.

    An example is held out when any of the conditions given holds.

    Attributes:
        id: a versioned name, e.g. `reascan/A1-v1`; results are comparable only under the same id.
        name: the name of the split, e.g. `a1`.
        about: what it tests, in a few words.
        phrase: words said together in one noun phrase, e.g. 'yellow square'; other words may stand between.
        thing: what no mentioned object may be, e.g. 'red square', whatever it is called.
        relations: relations said together in one command.
        in_order: whether the first of them must be that of the first clause and the others come in this order.
        first_clause: what the first clause says, e.g. 'inside of a yellow box'; its phrase may say more.
        pattern: the pattern of the command.
        new_phrases: noun phrases that occur, each by itself, in training, but never all together.
        decisive: the attribute whose word in `phrase` must be needed to find the target for an example to be in the
            test set. Held-out examples without that are set aside: in neither training nor the test set.
        tested: whether what is held out forms a test set; otherwise all of it is set aside.
        cases: what an example may not be, several things at once, e.g. a square of size 3 that is to be pushed.
        shots: so many of the examples that this rule alone holds out go to train all the same.
    """

    id: str
    name: str
    about: str = ""
    phrase: str = ""
    thing: str = ""
    relations: tuple[str, ...] = ()
    in_order: bool = False
    first_clause: str = ""
    pattern: str = ""
    new_phrases: bool = False
    decisive: Decisive = ""
    tested: bool = True
    cases: tuple[Case, ...] = ()
    shots: int = 0

    def __post_init__(self) -> None:
        self._check_kinds()
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", self.name) or self.name in TAKEN:
            raise RecipeError(
                f"a split cannot be called {self.name!r}; use small letters, digits and hyphens, not {'/'.join(TAKEN)}"
            )
        other = bool(self.phrase or self.thing or self.relations or self.first_clause or self.pattern or self.cases)
        if not (other or self.new_phrases):
            raise RecipeError(
                f"the hold-out {self.name!r} holds out nothing; "
                "give it a phrase, a thing, relations, a first clause, a pattern or cases"
            )
        if self.new_phrases and other:
            raise RecipeError(f"the hold-out {self.name!r} asks for new phrases; it can hold out nothing else besides")
        if not self.tested and (self.is_generated or self.decisive):
            raise RecipeError(
                f"the hold-out {self.name!r} is not tested; it cannot be made on purpose or ask for a decisive word"
            )
        if self.shots and (self.is_generated or not self.tested):
            raise RecipeError(
                f"the hold-out {self.name!r} lets examples into train, but it has no test set that they come from"
            )
        if self.first_clause:
            self._check_clause(self.first_clause)
        for words in filter(None, (self.phrase, self.thing)):
            self._check_words(words)
        if any(isinstance(step, Extreme) for step in _steps_of(self.thing)):
            raise RecipeError(
                f"the hold-out {self.name!r} names a thing by size; "
                "only shape and color can be seen on one object alone"
            )
        if self.decisive and not any(step.attribute == self.decisive for step in _steps_of(self.phrase)):
            raise RecipeError(
                f"the hold-out {self.name!r} wants {self.decisive} to be decisive, "
                f"but its phrase {self.phrase!r} does not say one"
            )
        for relation in self.relations:
            GRID.relation_code(relation)
        if self.pattern:
            object.__setattr__(self, "pattern", pattern(self.pattern).name)  # '^ &' is p3

    def _check_kinds(self) -> None:
        """Texts must be texts, and what is true or false must be so: a rule may come from a file."""
        for name in ("id", "name", "about", "phrase", "thing", "first_clause", "pattern", "decisive"):
            if not isinstance(getattr(self, name), str):
                raise RecipeError(f"{name} of a hold-out is a text, got {str(getattr(self, name))[:60]}")
        for name in ("in_order", "new_phrases", "tested"):
            if not isinstance(getattr(self, name), bool):
                raise RecipeError(f"{name} of the hold-out {self.name!r} is true or false, got {getattr(self, name)!r}")
        cases: object = self.cases
        if not isinstance(cases, tuple) or not all(isinstance(case, Case) for case in cases):
            raise RecipeError(f"the cases of the hold-out {self.name!r} are a list of tables of conditions")
        shots: object = self.shots
        if isinstance(shots, bool) or not isinstance(shots, int) or not 0 <= shots <= MOST_SHOTS:
            raise RecipeError(
                f"shots of the hold-out {self.name!r} is a whole number up to {MOST_SHOTS}, got {shots!r}"
            )

    def _check_words(self, words: str) -> None:
        said = parse(f"the {words}")
        if said.clauses or not said.steps:
            raise RecipeError(
                f"the hold-out {self.name!r} must name one noun phrase that says more than 'object', got {words!r}"
            )

    def _check_clause(self, words: str) -> None:
        said = parse(f"the object that is {words}")
        if len(said.clauses) != 1 or said.clauses[0].to.clauses:
            raise RecipeError(f"the first clause of the hold-out {self.name!r} must be one clause, got {words!r}")

    @property
    def is_generated(self) -> bool:
        """True if its test set is made on purpose: no pool of commands holds what it asks for."""
        return bool(self.pattern or self.new_phrases)

    def says(self, expression: Expression) -> bool:
        """Return whether the command itself is held out, in any world."""
        return (
            (bool(self.phrase) and any(True for _ in self.mentions(expression)))
            or (bool(self.relations) and self._relates(expression))
            or (bool(self.first_clause) and self._begins(expression))
            or (bool(self.pattern) and pattern_of(expression).name == self.pattern)
        )

    def _relates(self, expression: Expression) -> bool:
        """Return whether all held-out relations are said, in order where that is asked for."""
        said = list(expression.relations())
        if not self.in_order:
            return set(self.relations) <= set(said)
        rest = iter(said)
        return said[:1] == [self.relations[0]] and all(relation in rest for relation in self.relations)

    def _begins(self, expression: Expression) -> bool:
        """Return whether the first clause has the relation and the words held out."""
        wanted, said = _clause_of(self.first_clause), expression.clauses[:1]
        return any(
            clause.relation == wanted.relation and set(wanted.to.steps) <= set(clause.to.steps) for clause in said
        )

    def mentions(self, expression: Expression) -> Iterator[int]:
        """Yield the numbers of the mentions whose noun phrase says all words of the held-out phrase."""
        wanted = set(_steps_of(self.phrase))
        for number, mention in enumerate(expression.mentions()):
            if wanted and wanted <= set(mention.steps):
                yield number

    def decisive_parts(self, expression: Expression) -> tuple[int, ...]:
        """Return the places, in the order of `parts`, of the words that must be needed."""
        found = []
        said = set(self.mentions(expression))
        mention = 0
        for place, part in enumerate(parts(expression)):
            if part.kind == "clause":
                mention += 1
            elif mention in said and part.attribute == self.decisive:
                found.append(place)
        return tuple(found)

    def thing_codes(self) -> dict[str, str]:
        """Return the values that no mentioned object may have together, by attribute, or empty without such a rule."""
        return {step.attribute: step.value for step in _steps_of(self.thing) if isinstance(step, Is)}

    def shows(self, scene: GridScene, mentions: int) -> bool:
        """Return whether one of the mentioned objects, which come first, is the held-out thing."""
        wanted = self.thing_codes()
        return bool(wanted) and any(
            all(getattr(thing, attribute) == value for attribute, value in wanted.items())
            for thing in scene.objects[:mentions]
        )

    def holds(
        self, expression: Expression, scene: GridScene, *, verb: str = "", manner: str = "", actions: int = 0
    ) -> bool:
        """Return whether an example must stay out of training, in whose scene the mentioned objects come first."""
        if self.says(expression) or self.shows(scene, sum(1 for _ in expression.mentions())):
            return True
        return any(case.holds(expression, scene, verb=verb, manner=manner, actions=actions) for case in self.cases)


def phrase_key(expression: Expression) -> tuple[str, ...]:
    """Return the noun phrases of a command, in any order."""
    return tuple(sorted(_notation(mention.phrase) for mention in expression.mentions()))


def relation_key(expression: Expression) -> tuple[str, ...]:
    """Return the relations of a command, in any order."""
    return tuple(sorted(expression.relations()))


@lru_cache(maxsize=4096)
def _notation(phrase: Description) -> str:
    return str(phrase)


@lru_cache(maxsize=256)
def _steps_of(words: str) -> tuple[Is | Extreme, ...]:
    """Return the steps of a noun phrase without clauses."""
    return parse(f"the {words}").steps if words else ()  # type: ignore[return-value]


@lru_cache(maxsize=256)
def _clause_of(words: str) -> Related:
    """Return the clause that is said by these words."""
    return parse(f"the object that is {words}").clauses[0]


REASCAN = (
    Rule(
        id="reascan/A1-v1",
        name="a1",
        about="novel colour modifier",
        phrase="yellow square",
        decisive="color",
    ),
    Rule(
        id="reascan/A2-v1",
        name="a2",
        about="novel colour attribute",
        phrase="red square",
        thing="red square",
        decisive="color",
    ),
    Rule(
        id="reascan/A3-v1",
        name="a3",
        about="novel size modifier",
        phrase="small cylinder",
        decisive="size",
    ),
    Rule(id="reascan/B1-v1", name="b1", about="novel co-occurrence of objects", new_phrases=True),
    Rule(id="reascan/B2-v1", name="b2", about="novel co-occurrence of relations", relations=("same size", "inside")),
    Rule(id="reascan/C1-v1", name="c1", about="novel conjunctive clause length", pattern="p4"),
    Rule(id="reascan/C2-v1", name="c2", about="novel relative clauses", pattern="chain"),
)

# What the authors keep out of train, dev and test besides, without a test set of its own.
REASCAN_ASIDE = (
    Rule(
        id="reascan/inside-then-shape-v1",
        name="inside-then-shape",
        about="inside first, then same shape",
        relations=("inside", "same shape"),
        in_order=True,
        tested=False,
    ),
    Rule(
        id="reascan/first-yellow-box-v1",
        name="first-yellow-box",
        about="inside of a yellow box in the first clause",
        first_clause="inside of a yellow box",
        tested=False,
    ),
)

GSCAN = (
    Rule(
        id="gscan/yellow-squares-v1",
        name="yellow-squares",
        about="novel composition of references",
        phrase="yellow square",
    ),
    Rule(
        id="gscan/red-squares-v1",
        name="red-squares",
        about="novel composition of object properties",
        thing="red square",
    ),
    Rule(
        id="gscan/south-west-v1",
        name="south-west",
        about="novel direction of the target",
        cases=(Case(direction="sw"),),
    ),
    Rule(
        id="gscan/small-circles-v1",
        name="small-circles",
        about="novel contextual reference: a circle of size 2 called small",
        cases=(Case(said="small", target="circle", size=2),),
    ),
    Rule(
        id="gscan/pushed-squares-v1",
        name="pushed-squares",
        about="novel class inference: pushing a square of size 3",
        cases=(Case(verb="push", target="square", size=3),),
    ),
    Rule(
        id="gscan/cautiously-v1",
        name="cautiously",
        about="an adverb learned from a few examples",
        cases=(Case(manner="cautiously"),),
        shots=1,
    ),
    Rule(
        id="gscan/pull-while-spinning-v1",
        name="pull-while-spinning",
        about="novel combination of adverb and verb",
        cases=(Case(verb="pull", manner="while spinning"),),
    ),
)

GSCAN_LENGTHS = (
    Rule(
        id="gscan/long-plans-v1",
        name="long-plans",
        about="plans of more than 15 actions",
        cases=(Case(longer_than=15),),
    ),
)

# The spatial relations of Qiu et al. 2021; what looks alike there and above has rules of its own, which differ.
GSCAN_SPATIAL = (
    Rule(
        id="gscan-spatial/visual-v1",
        name="visual",
        about="a red square as target or reference",
        thing="red square",
    ),
    Rule(
        id="gscan-spatial/relation-v1",
        name="relation",
        about="a green square and a blue circle related to each other",
        cases=(
            Case(target="green square", reference="blue circle"),
            Case(target="blue circle", reference="green square"),
        ),
    ),
    Rule(
        id="gscan-spatial/referent-v1",
        name="referent",
        about="a yellow square as target",
        cases=(Case(target="yellow square"),),
    ),
    Rule(
        id="gscan-spatial/relative-position-1-v1",
        name="relative-position-1",
        about="novel relation: north of",
        relations=("north of",),
    ),
    Rule(
        id="gscan-spatial/relative-position-2-v1",
        name="relative-position-2",
        about="novel composition of relations: south west of",
        relations=("south west of",),
    ),
)


def rules() -> dict[str, Rule]:
    """Return every rule of the catalogue, by id."""
    return {rule.id: rule for rule in (*REASCAN, *REASCAN_ASIDE, *GSCAN, *GSCAN_LENGTHS, *GSCAN_SPATIAL)}


def find_rule(name: str) -> Rule:
    """Return the rule of an id (`reascan/A1-v1`) or of a short name (`a1`)."""
    known = rules()
    by_name = {rule.name: rule for rule in known.values()}
    if name in known:
        return known[name]
    if name.lower() in by_name:
        return by_name[name.lower()]
    near = get_close_matches(name, [*known, *by_name], n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
    raise UnknownName(f"unknown split {name!r}; {hint}")
