"""Why an object is in the world: as the target, as something mentioned, or to punish a misreading.

Roles and misreadings are stored as small integers (one byte per object, two per distractor set) and read back as
values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.distractors.misreadings import Misreading, misreading_from
from deixis.distractors.planned_misreadings import PlannedMisreading
from deixis.errors import SchemaError
from deixis.expression.parts import Part, exchanging, parts, replacing, without
from deixis.expression.steps import Extreme, Is, Related
from deixis.schema import Which
from deixis.worlds.grid.scene import GRID


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.expression.parts import Address


__all__ = [
    "KINDS",
    "Role",
    "RoleKind",
    "decode_misreading",
    "decode_role",
    "encode_misreading",
    "encode_role",
    "mention_addresses",
    "misreading_of",
]

RoleKind: TypeAlias = Literal["target", "mentioned", "relation", "attribute", "isomorphism", "size", "random", "helper"]
KINDS: tuple[RoleKind, ...] = (
    "target",
    "mentioned",
    "relation",
    "attribute",
    "isomorphism",
    "size",
    "random",
    "helper",
)
SLOTS = ("shape", "color", "size")
DROPPED = 15  # in place of a value: the word is left out, not taken for another
VALUES = {"shape": 4, "color": 4, "size": len(Which)}  # how many values a misread word may have become
EXCHANGED = (frozenset({"color"}), frozenset({"size", "shape"}))
SHIFT = 5


@dataclass(frozen=True, slots=True)
class Role:
    """Why one object is there.

    Attributes:
        kind: target, mentioned, or the kind of distractor.
        number: for what is mentioned, the number of the mention; for a distractor, the number of its set, which names
            its misreading; for a random object 0, 1 and 2 where its class may have two sizes only and it is the
            smaller or the bigger, or 3 where it gives a size word of some misreading something to compare with. A
            helper belongs to a set too, whose misreading passes through it on the way to an object of another set.
    """

    kind: RoleKind
    number: int = 0

    @property
    def is_distractor(self) -> bool:
        """True if it was added to make the target harder to find."""
        return self.kind not in ("target", "mentioned")

    @property
    def has_misreading(self) -> bool:
        """True if it punishes a particular misreading."""
        return self.is_distractor and self.kind != "random"


def encode_role(role: Role) -> int:
    """Return the role as one byte."""
    if not 0 <= role.number < 1 << SHIFT:
        raise SchemaError(f"a role has a number from 0 to {(1 << SHIFT) - 1}, got {role.number}")
    return KINDS.index(role.kind) << SHIFT | role.number


def decode_role(code: int) -> Role:
    """Return the role of a byte."""
    if not 0 <= code >> SHIFT < len(KINDS):
        raise SchemaError(f"{code} is not the code of a role")
    return Role(KINDS[code >> SHIFT], code & (1 << SHIFT) - 1)


def mention_addresses(expression: Expression) -> list[Address]:
    """Return the address of every mention, in the order of the words: `()` for the target, else that of its clause."""
    return [(), *(part.address for part in parts(expression) if isinstance(part.step, Related))]


def decode_misreading(code: int, expression: Expression) -> PlannedMisreading:
    """Return the misreading that a distractor set was made for.

    Four bits each name the kind, a mention, a second number and a value:

    | kind        | misreading                                      | second                   | value                 |
    |-------------|-------------------------------------------------|--------------------------|-----------------------|
    | relation    | the clause of the mention dropped               |                          |                       |
    | attribute   | one word of the mention misread                 | shape 0, color 1, size 2 | what it was taken for |
    |             |                                                 |                          | (15: it was dropped)  |
    | isomorphism | words exchanged with another mention,           | the other mention        | 0 colors,             |
    |             | neither of them the target                      |                          | 1 sizes and nouns     |
    | size        | the size word of the mention dropped            |                          |                       |
    """
    kind, mention, second, value = code >> 12, code >> 8 & 15, code >> 4 & 15, code & 15
    addresses = dict(enumerate(mention_addresses(expression)))
    match KINDS[kind] if 0 <= kind < len(KINDS) else "":
        case "relation" if 0 < mention < len(addresses):
            clause = next(part for part in parts(expression) if part.address == addresses[mention])
            return PlannedMisreading("relation", (clause,), without(expression, clause))
        case "size" if mention in addresses:
            word = _word(expression, addresses[mention], "size")
            return PlannedMisreading("selector", (word,), without(expression, word))
        case "attribute" if mention in addresses and second < len(SLOTS) and _has_value(SLOTS[second], value):
            return _misread_word(expression, addresses[mention], SLOTS[second], value)
        case "isomorphism" if 0 < mention != second > 0 and {mention, second} <= addresses.keys() and value < 2:
            return _exchange(expression, addresses[mention], addresses[second], EXCHANGED[value])
    raise SchemaError(f"{code} is not the code of a misreading of {expression}")


def misreading_of(code: int, expression: Expression) -> Misreading:
    """Return the misreading that a distractor set was made for, as one of the inventory of misreadings."""
    misreading = decode_misreading(code, expression)
    if misreading.kind != "isomorphism":
        return misreading_from(misreading, expression)
    addresses = mention_addresses(expression)
    phrases = addresses[code >> 8 & 15], addresses[code >> 4 & 15]
    said = ("size", "shape") if code & 15 else ("color",)
    return Misreading("swap", (), misreading.expression, phrases, said)


def encode_misreading(kind: RoleKind, mention: int, second: int = 0, value: int = 0) -> int:
    """Return the code of a misreading, whose numbers `decode_misreading` explains."""
    if kind == "helper" or not Role(kind).has_misreading:
        raise SchemaError(f"an object that is there as {kind!r} punishes no misreading")
    if not all(0 <= number < 16 for number in (mention, second, value)):
        raise SchemaError(f"the numbers of a misreading go from 0 to 15, got {mention}, {second} and {value}")
    return KINDS.index(kind) << 12 | mention << 8 | second << 4 | value


def _has_value(slot: str, value: int) -> bool:
    """Return whether a word of this kind can be misread so."""
    return value == DROPPED or value < VALUES[slot]


def _misread_word(expression: Expression, mention: Address, slot: str, value: int) -> PlannedMisreading:
    word = _word(expression, mention, slot)
    if value == DROPPED:
        return PlannedMisreading("selector" if slot == "size" else "attribute", (word,), without(expression, word))
    if slot == "size":
        return PlannedMisreading("selector", (word,), replacing(expression, word, Extreme("size", Which(value))))
    new = Is(slot, GRID.attribute(slot).values[value])
    return PlannedMisreading("attribute", (word,), replacing(expression, word, new))


def _exchange(expression: Expression, one: Address, other: Address, attributes: frozenset[str]) -> PlannedMisreading:
    moved = tuple(p for p in parts(expression) if p.address[:-1] in (one, other) and p.attribute in attributes)
    return PlannedMisreading("isomorphism", moved, exchanging(expression, one, other, attributes))


def _word(expression: Expression, mention: Address, attribute: str) -> Part:
    for part in parts(expression):
        if part.address[:-1] == mention and part.attribute == attribute:
            return part
    raise SchemaError(f"the mention at {mention} of {expression} has no word for {attribute}")
