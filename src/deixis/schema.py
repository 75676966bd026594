"""Schemas: the attributes, values and relations of one kind of scene."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.errors import SchemaError, UnknownName


if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = ["Attribute", "Reading", "Relation", "Schema", "Which"]

Reading: TypeAlias = Literal["comparative", "superlative"]


class Which(IntEnum):
    """The end of an ordered attribute that a word such as 'small' or 'big' points to."""

    LEAST = 0
    MOST = 1

    @property
    def other(self) -> Which:
        """The opposite end."""
        return Which(1 - self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """One dimension along which objects differ, with its values in a fixed order.

    Every dimension is set-valued: an object may have no, one or several of the values. Grids and 3D Shapes
    are the exactly-one special case.
    """

    name: str
    values: tuple[str, ...]
    is_head: bool = False  # said by the noun of a phrase
    is_ordered: bool = False  # the values run from least to most
    broader: tuple[tuple[str, str], ...] = ()  # (value, the wider value it falls under), e.g. (man, person)

    def __post_init__(self) -> None:
        if len(set(self.values)) != len(self.values):
            raise SchemaError(f"attribute {self.name!r} lists a value twice: {self.values}")

    def code(self, value: str) -> int:
        """The number of a value, or an error that names the nearest ones."""
        try:
            return self.values.index(value)
        except ValueError:
            raise _unknown(f"{self.name} value", value, self.values) from None

    def demand_order(self) -> None:
        """An error unless the values run from least to most, as words such as 'small' need."""
        if not self.is_ordered:
            raise SchemaError(f"the values of {self.name!r} have no order, so none lies towards an end of it")

    def covers(self, value: str, recorded: str) -> bool:
        """Return whether an object recorded as `recorded` may be called `value` (itself or something wider)."""
        wider = dict(self.broader)
        seen: set[str] = set()
        while recorded != value:
            if recorded in seen or recorded not in wider:
                return False
            seen.add(recorded)
            recorded = wider[recorded]
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A named link between two different objects, computed from the scene or recorded in it."""

    name: str
    is_symmetric: bool = False
    to: tuple[tuple[str, str], ...] = ()  # what the second object must be, e.g. (("shape", "box"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The vocabulary of meanings of one kind of scene, and the conventions for reading them.

    Attributes:
        distinct: every object mentioned in an expression is a different object (ReaSCAN, appendix B.4).
        reading: how words for the ends of an ordered attribute are read. *comparative*: 'small' holds when
            some other object of the same class is bigger. *superlative*: when none is smaller.
        exchanges: the attributes whose words a careless reader may exchange between two noun phrases; those of one
            entry go together. By default each attribute by itself, and the ordered ones with the noun: 'a small red
            circle' and 'a big green square' exchange their colours, or 'small circle' for 'big square'.
    """

    name: str
    attributes: tuple[Attribute, ...]
    relations: tuple[Relation, ...] = ()
    distinct: bool = False
    reading: Reading = "superlative"
    exchanges: tuple[tuple[str, ...], ...] | None = None

    @property
    def exchanged(self) -> tuple[tuple[str, ...], ...]:
        """The attributes whose words may be exchanged, those that go together in one entry."""
        if self.exchanges is not None:
            return self.exchanges
        alone = tuple((one.name,) for one in self.attributes if not (one.is_ordered or one.is_head))
        ordered = tuple(one.name for one in self.attributes if one.is_ordered and not one.is_head)
        together = ordered + tuple(one.name for one in self.attributes if one.is_head)
        return (*alone, together) if together else alone

    def attribute(self, name: str) -> Attribute:
        """The attribute of that name."""
        return self.attributes[self.attribute_code(name)]

    def relation(self, name: str) -> Relation:
        """The relation of that name."""
        return self.relations[self.relation_code(name)]

    def attribute_code(self, name: str) -> int:
        """The position of an attribute, its number in programs."""
        for code, attribute in enumerate(self.attributes):
            if attribute.name == name:
                return code
        raise _unknown("attribute", name, (a.name for a in self.attributes))

    def relation_code(self, name: str) -> int:
        """The position of a relation, its number in programs."""
        for code, relation in enumerate(self.relations):
            if relation.name == name:
                return code
        raise _unknown("relation", name, (r.name for r in self.relations))

    @property
    def head(self) -> Attribute | None:
        """The attribute said by nouns, if the schema names one."""
        return next((a for a in self.attributes if a.is_head), None)


def _unknown(what: str, name: str, known: Iterable[str]) -> UnknownName:
    known = tuple(known)
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(known)}"
    return UnknownName(f"unknown {what} {name!r}{hint}")
