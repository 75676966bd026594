"""Expressions of every form, drawn before there is a table that they fit.

| form | says | for example |
|---|---|---|
| phrase | values alone | the small shiny red cube |
| chain | relations one inside the other | the cube left of a sphere that is behind a red ring |
| and | two relations of the same solid | the cube that is left of a ring and near a cone |
| or | that neither of two things holds | the cube that is neither red nor near any cone |
| not | that something does not hold | the shiny cube that is not left of any sphere |
| same | a comparison | the cube that is the same color as the large ring |
| order | a rank | the second red cube from the left |

'Either … or …' is said in plain mode only: if one solid is meant, it fits one of two alternatives, and the other can
always be spared. 'Neither … nor …' needs both.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.worlds.tabletop._language.words import STEPS_ORDER
from deixis.worlds.tabletop._making.splits import PAIRS
from deixis.worlds.tabletop._schema import COMPARED, NEAR, OPPOSITE, SAME, SCHEMA, SPATIAL


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deixis.expression.description import Expression
    from deixis.expression.steps import Side, Step
    from deixis.seeds import Stream
    from deixis.worlds.tabletop._making.recipe import Form


CHANCES = {"shape": 13, "color": 8, "material": 5, "size": 5}
"""How likely each attribute is to be said, relative to the others."""
LENGTHS = ((4, 11, 15), (8, 14, 16))
"""In how many of 16 phrases at most one, two and three values are said: of the target, and of others."""
SIDES: tuple[Side, ...] = ("left", "right", "bottom", "top")
HIGHEST_RANK = 3


class Phrases:
    """Draws expressions.

    Args:
        chance: the only source of chance.
        value: the value to say of an attribute.
        pairs: which pairs of relations an expression may have: any, none that is held out, or one that is.
        relations: how many relations a chain has.
        is_every_word: whether nothing may be said that can be spared.
    """

    def __init__(
        self,
        chance: Stream,
        *,
        value: Callable[[str], str] | None = None,
        pairs: str = "any",
        relations: int = 2,
        is_every_word: bool = True,
    ) -> None:
        self.chance = chance
        self.value = value or (lambda name: chance.choice(SCHEMA.attribute(name).values))
        self.pairs = pairs
        self.relations = relations
        self.is_every_word = is_every_word

    def expression(self, form: Form) -> Expression:
        """Draw an expression of a form."""
        makers: Mapping[Form, Callable[[], Expression]] = {
            "phrase": lambda: Description(self.values(least=2, is_target=True)),
            "chain": self.chain,
            "and": lambda: self.with_clauses(2),
            "or": self.alternatives,
            "not": self.negation,
            "same": self.comparison,
            "order": self.rank,
        }
        return makers[form]()

    def values(
        self, *, least: int = 1, without: frozenset[str] = frozenset(), is_target: bool = False
    ) -> tuple[Step, ...]:
        """Draw the values of a phrase, the noun first."""
        left = [name for name in STEPS_ORDER if name not in without]
        lot = self.chance.below(16)
        count = 1 + sum(lot >= most for most in LENGTHS[0 if is_target else 1])
        said: set[str] = set()
        while len(said) < min(max(count, least), len(left)):
            name = self.chance.choice(left)
            if self.chance.below(16) < CHANCES[name]:
                said.add(name)
        return tuple(Is(name, self.value(name)) for name in STEPS_ORDER if name in said)

    def chain(self) -> Expression:
        """Draw relations one inside the other."""
        count = self.relations if self.relations > 2 else 1 + self.chance.below(self.relations)
        return self._chain(self.several_relations(count))

    def _chain(self, relations: list[str]) -> Expression:
        compared = frozenset(name.removeprefix("same ") for name in relations[:1] if name in SAME)
        return self._link(relations, compared, is_target=True)

    def _link(self, relations: list[str], without: frozenset[str], *, is_target: bool = False) -> Expression:
        if not relations:
            return Description(self.values(without=without))
        inner = frozenset((relations[0].removeprefix("same "),)) if relations[0] in SAME else frozenset()
        after = frozenset((relations[1].removeprefix("same "),)) if relations[1:] and relations[1] in SAME else inner
        return Description(
            (
                *self.values(without=without | inner, is_target=is_target),
                Related(relations[0], self._link(relations[1:], inner | after)),
            )
        )

    def with_clauses(self, count: int) -> Expression:
        """Draw several relations of one solid."""
        relations = self.several_relations(count)
        compared = frozenset(name.removeprefix("same ") for name in relations if name in SAME)
        clauses: list[Step] = []
        for name in relations:
            inner = frozenset((name.removeprefix("same "),)) if name in SAME else frozenset()
            clauses.append(Related(name, Description(self.values(without=inner))))
        if len(set(clauses)) < count:
            return self.with_clauses(count)
        return Description((*self.values(without=compared, is_target=True), *clauses))

    def alternatives(self) -> Expression:
        """Draw two things of which neither holds or, in plain mode, of which one may hold."""
        if self.chance.below(3):
            relations = self.several_relations(2, among=SPATIAL)
            steps: list[Step] = [Related(name, Description(self.values())) for name in relations]
            said = self.values(is_target=True)
        else:
            names = self.chance.permutation(("color", "material", "shape", "size"))[:2]
            steps = [Is(name, self.value(name)) for name in names]
            if not self.chance.below(3) and names[0] == "color":
                steps[1] = Is("color", self.value("color"))
            if steps[0] == steps[1]:
                return self.alternatives()
            said = self.values(without=frozenset(names), is_target=True)
        either = AnyOf(tuple(steps))
        return Description((*said, Not(either) if self.is_every_word else either))

    def negation(self) -> Expression:
        """Draw something that does not hold, and sometimes a relation that does."""
        if self.chance.below(3):
            (denied, held) = self.several_relations(2, among=SPATIAL)
            inner: Step = Related(denied, Description(self.values()))
            taken: frozenset[str] = frozenset()
        else:
            name = self.chance.choice(COMPARED)
            (held,) = self.several_relations(1, among=SPATIAL)
            inner, taken = Is(name, self.value(name)), frozenset((name,))
        before = (Related(held, Description(self.values())),) if self.chance.below(2) else ()
        return Description((*self.values(without=taken, is_target=True), *before, Not(inner)))

    def comparison(self) -> Expression:
        """Draw a comparison, half of the time with something that stands in a relation itself."""
        first = self.chance.choice(SAME)
        if self.chance.below(2):
            return self._chain([first])
        while True:
            (second,) = self.several_relations(1, among=SPATIAL)
            if self.may_go_together((first, second)):
                return self._chain([first, second])

    def rank(self) -> Expression:
        """Draw a rank of what is meant, or of what it stands in a relation to."""
        rank = Nth(1 + self.chance.below(HIGHEST_RANK), self.chance.choice(SIDES))
        is_target = bool(self.chance.below(2))
        ranked = Description((*self.values(is_target=is_target), rank))
        if is_target:
            return ranked
        (relation,) = self.several_relations(1, among=SPATIAL)
        return Description((*self.values(is_target=True), Related(relation, ranked)))

    def several_relations(self, count: int, *, among: tuple[str, ...] = ()) -> list[str]:
        """Draw relations that may be said in one expression, four in five of them for the viewer."""
        while True:
            found = [self._relation(among) for _ in range(count)]
            if self.may_go_together(tuple(found)):
                return found

    def _relation(self, among: tuple[str, ...]) -> str:
        return self.chance.choice(among or (SPATIAL if self.chance.below(5) else SAME))

    def may_go_together(self, relations: tuple[str, ...]) -> bool:
        """Return whether relations, one inside the other, say something, and are a pair that is wanted."""
        for one, other in pairwise(relations):
            if other == OPPOSITE.get(one) or (one == other and (one == NEAR or one in SAME)):
                return False  # what is related back may be the first solid itself
        if self.pairs == "any" or len(relations) < 2:
            return True
        is_held_out = any(frozenset((one, other)) in PAIRS for one in relations for other in relations)
        return is_held_out == (self.pairs == "held out")
