"""Misreadings of an expression about an image, in which parts of it are ignored.

The four kinds of images that Cops-Ref (section 3.2) shows beside the right one each punish a reader of a certain sort:

| kind       | what the image holds                                          | who is led astray                       |
|------------|---------------------------------------------------------------|-----------------------------------------|
| `DiffCat`  | nothing of the target's category                              | nobody who hears the noun               |
| `Cat`      | something of the category                                     | who hears only the noun                 |
| `Cat&attr` | something of the category with the attributes that are said   | who hears the noun and its attributes   |
| `Cat&cat`  | everything that is mentioned, related otherwise               | who hears nouns but not how they relate |

All misreadings here leave parts out, so each is told by the places of those parts; saying something else in their place
leads to no object that leaving them out does not lead to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.distractors.planned_misreadings import KINDS as MISREADING_KINDS
from deixis.distractors.planned_misreadings import PlannedMisreading
from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.parts import Part, mention_at, parts, without
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.worlds.photos.scene.vocabulary import NAME


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deixis.distractors.planned_misreadings import MisreadingKind
    from deixis.expression.description import Expression
    from deixis.expression.steps import Step


DistractorKind: TypeAlias = Literal["DiffCat", "Cat", "Cat&attr", "Cat&cat", "Mirror", "Twin"]
DISTRACTOR_KINDS: tuple[DistractorKind, ...] = ("DiffCat", "Cat", "Cat&attr", "Cat&cat")
OWN_KINDS: tuple[DistractorKind, ...] = ("Mirror", "Twin")  # made of the image of the target, see `mirror` and `twins`
ALL_KINDS = (*DISTRACTOR_KINDS, *OWN_KINDS)


def noun_of(expression: Expression) -> str:
    """Return the category of the described thing, or raise an error where none is said."""
    name = expression.value(NAME)
    if name is None:
        raise SchemaError(f"{expression} does not say what the object is called, so no category can be looked for")
    return name


def noun_alone(expression: Expression) -> Expression:
    """Return the expression as understood by a reader who uses only the noun."""
    return Description(tuple(step for step in expression.steps if _is_noun(step)))


def noun_with_attributes(expression: Expression) -> Expression:
    """Return the expression as understood by a reader who uses only the noun and its attributes."""
    return Description(tuple(step for step in expression.steps if isinstance(step, Is)))


def nouns_as_related(expression: Expression) -> Expression | None:
    """Return the noun with any of its relations to the bare nouns they lead to, or None where it has none.

    Where this picks out something, two of the mentioned categories are related as the expression says, whatever their
    attributes; such an image cannot stand for 'related otherwise'.
    """
    links = tuple(
        Related(said.relation, noun_alone(said.to)) for step in expression.steps for said in _claimed_clauses(step)
    )
    if not links:
        return None
    return Description((*noun_alone(expression).steps, AnyOf(links) if len(links) > 1 else links[0]))


def misreading_of(
    kind: DistractorKind, expression: Expression, *, with_attributes: bool = False
) -> PlannedMisreading | None:
    """Return the misreading that an image of some kind punishes, or None where the noun is enough.

    Args:
        kind: of the image.
        expression: what is said.
        with_attributes: for `Cat&cat`, whether the object of the category there has the attributes, too.
    """
    match kind:
        case "DiffCat" | "Mirror" | "Twin":
            return None
        case "Cat":
            return _only_hearing(expression, noun_alone(expression), "attribute")
        case "Cat&attr":
            return _only_hearing(expression, noun_with_attributes(expression), "phrase")
        case "Cat&cat":  # pragma: no branch (the last kind)
            heard = noun_with_attributes(expression) if with_attributes else noun_alone(expression)
            return _only_hearing(expression, heard, "relation")


def misreadings(expression: Expression) -> tuple[PlannedMisreading, ...]:
    """Return the misreadings that leave something out, the slightest first.

    First every single part by itself, then all clauses together, then all but the noun and its attributes, and in the
    end all but the noun.
    """
    single = [PlannedMisreading(_kind(part.step), (part,), without(expression, part)) for part in parts(expression)]
    clauses = [Part((place,), step) for place, step in enumerate(expression.steps) if _kind(step) == "relation"]
    wide = [
        PlannedMisreading("relation", tuple(clauses), leaving_out(expression, [part.address for part in clauses])),
        _only_hearing(expression, noun_with_attributes(expression), "phrase"),
        _only_hearing(expression, noun_alone(expression), "phrase"),
    ]
    found: dict[Expression, PlannedMisreading] = {}
    for misreading in (*single, *wide):
        if misreading.parts:
            found.setdefault(misreading.expression, misreading)
    return tuple(found.values())


def leaving_out(expression: Expression, addresses: Iterable[tuple[int, ...]]) -> Expression:
    """Return the expression without the parts at some places, none of which may lie inside another."""
    for address in sorted(addresses, reverse=True):
        step = mention_at(expression, address[:-1]).steps[address[-1] : address[-1] + 1]
        if not step:
            raise SchemaError(f"the expression has no part at {address}")
        expression = without(expression, Part(address, step[0]))
    return expression


def encode_misreading(misreading: PlannedMisreading | None) -> str:
    """Encode a misreading in a few characters: its kind and the places of the parts, e.g. `relation 2 3.0`."""
    if misreading is None:
        return ""
    places = (".".join(map(str, part.address)) for part in misreading.parts)
    return " ".join((misreading.kind, *places))


def decode_misreading(code: str, expression: Expression) -> PlannedMisreading | None:
    """Invert `encode_misreading` for the misread expression, or raise `SchemaError` where it does not fit."""
    if not code:
        return None
    name, *places = code.split(" ")
    kind = next((known for known in MISREADING_KINDS if known == name), None)
    if kind is None or not all(number.isdecimal() for place in places for number in place.split(".")):
        raise SchemaError(f"{code[:60]!r} is no misreading")
    addresses = [tuple(int(number) for number in place.split(".")) for place in places]
    there = {part.address: part for part in parts(expression)}
    missing = next((address for address in addresses if address not in there), None)
    if missing is not None:
        raise SchemaError(f"the misreading {code[:60]!r} is of another expression: there is no part at {missing}")
    return PlannedMisreading(kind, tuple(there[a] for a in addresses), leaving_out(expression, addresses))


def _only_hearing(expression: Expression, heard: Expression, kind: MisreadingKind) -> PlannedMisreading:
    lost = (Part((place,), step) for place, step in enumerate(expression.steps) if step not in heard.steps)
    return PlannedMisreading(kind, tuple(lost), heard)


def _kind(step: Step) -> MisreadingKind:
    match step:
        case Is() | Not(Is()):
            return "attribute"
        case Nth() | Not(Nth()):
            return "selector"
        case _:
            return "relation"


def _claimed_clauses(step: Step) -> Iterator[Related]:
    """Yield the clauses in a step that are said to hold."""
    match step:
        case Related():
            yield step
        case AnyOf(steps):
            for inner in steps:
                yield from _claimed_clauses(inner)


def _is_noun(step: Step) -> bool:
    return isinstance(step, Is) and step.attribute == NAME
