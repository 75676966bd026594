"""The metadata of a released example, from the roles and misreadings of its objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.expression.patterns import C2, P2
from deixis.worlds.grid.formats._inferred_roles import BY_COLOR, exchange
from deixis.worlds.grid.formats._wording import SHAPE, SLOT_NAMES, name_of, phrase_text
from deixis.worlds.grid.roles import KINDS, Role
from deixis.worlds.grid.scene import BOX


if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from deixis.worlds.grid.formats._situation import Codes
    from deixis.worlds.grid.formats._wording import Wording


STRATEGIES = frozenset({"relation", "attribute", "isomorphism", "random"})
RELATION_SET, ATTRIBUTE_SET, ISOMORPHISM_SET, SIZE_SET = (
    KINDS.index(k) for k in ("relation", "attribute", "isomorphism", "size")
)
SIZE_WORDS = {1: "small", 2: "big"}  # of random objects whose class may have two sizes only


class Sets(NamedTuple):
    """The sets of an example: their codes, how many objects each has, and the roles of all objects."""

    codes: tuple[int, ...]
    placed: tuple[int, ...]
    roles: tuple[Role, ...]

    @classmethod
    def of(cls, codes: Sequence[int], roles: Sequence[Role]) -> Sets:
        """Return the sets that the roles make up."""
        placed = [0] * len(codes)
        for role in roles:
            if role.has_misreading and role.number < len(codes):
                placed[role.number] += 1
        return cls(tuple(codes), tuple(placed), tuple(roles))

    def whole(self, kind: int, wording: Wording) -> list[bool]:
        """Return for every set of a kind whether all its objects are there."""
        return [
            placed == _count_drafted(code, wording)
            for code, placed in zip(self.codes, self.placed, strict=True)
            if code >> 12 == kind
        ]

    def of_kind(self, kind: int) -> list[int]:
        """Return the codes of the sets of a kind."""
        return [code for code in self.codes if code >> 12 == kind]

    def missing(self, wording: Wording) -> int:
        """Return the number of objects that found no place."""
        return sum(_count_drafted(code, wording) - placed for code, placed in zip(self.codes, self.placed, strict=True))


def metadata_of(
    wording: Wording, objects: Sequence[Codes], sets: Sets, strategies: Collection[str] | None = None
) -> dict[str, Any]:
    """Return the twelve fields of a released example that tell how its objects came about, in their order.

    Args:
        wording: the command.
        objects: all objects, in the order of the file.
        sets: their roles and sets.
        strategies: the kinds of distractors that were asked for. By default all four; relation and random for the
            pattern p4, and random alone for a command with clauses and no set that leaves one out, unless the sets say
            more.
    """
    used = _strategies(wording, sets) if strategies is None else strategies
    roles = sets.roles
    randoms = [k for k, role in enumerate(roles) if role.kind == "random"]
    clauses = sets.whole(RELATION_SET, wording)
    return {
        "n_object": len(objects),
        "n_distractor": len(objects) - len(wording),
        "full_relation_distractor": all(clauses),
        "has_relation_distractor": any(clauses),
        "has_attribute_distractor": any(sets.whole(ATTRIBUTE_SET, wording)) and all(sets.whole(SIZE_SET, wording)),
        "has_isomorphism_distractor": any(sets.whole(ISOMORPHISM_SET, wording)),
        "has_random_distractor": bool(randoms),
        "n_random_distractor": len(randoms),
        "relation_distractor_metadata": _relation_metadata(wording, sets, used),
        "attribute_distractor_metadata": _attribute_metadata(wording, objects, sets, used),
        "isomorphism_distractor_metadata": _isomorphism_metadata(wording, sets, used),
        "random_distractor_metadata": [
            {name_of(k + sets.missing(wording)): _random_text(objects[k], roles[k].number) for k in randoms}
        ],
    }


def _count_drafted(code: int, wording: Wording) -> int:
    """Return how many objects a set has when all find a place."""
    kind, mention = code >> 12, code >> 8 & 15
    if kind == SIZE_SET:
        return 1
    return len(wording) - len(wording.below(mention)) if kind == RELATION_SET else len(wording)


def _strategies(wording: Wording, sets: Sets) -> frozenset[str]:
    used = {"random"}
    if len(wording) == 1 or sets.of_kind(RELATION_SET):
        used |= {"relation"}
        used |= STRATEGIES if wording.pattern.name != "p4" else set()
    used |= {"attribute"} if sets.of_kind(ATTRIBUTE_SET) else set()
    used |= {"isomorphism"} if sets.of_kind(ISOMORPHISM_SET) else set()
    return frozenset(used)


def _relation_metadata(wording: Wording, sets: Sets, used: Collection[str]) -> list[dict[str, Any]]:
    if len(wording) == 1:
        return []
    if "relation" not in used:
        return [{"distractor_metadata": {}}]
    return [{"distractor_metadata": _clause_entry(wording, code >> 8 & 15)} for code in sets.of_kind(RELATION_SET)]


def _clause_entry(wording: Wording, dropped: int) -> dict[str, Any]:
    named = dropped
    if wording.pattern in (P2, C2):  # here the files name the clause that is kept
        named = dropped - 1
    if named == 0:
        return {"edge": "null", "relation_old_type": "null", "full_set": True}
    return {"edge": wording.edge(named), "relation_old_type": wording.relation(named), "full_set": True}


def _attribute_metadata(
    wording: Wording, objects: Sequence[Codes], sets: Sets, used: Collection[str]
) -> list[dict[str, Any]]:
    codes = sets.of_kind(ATTRIBUTE_SET)
    entries: list[dict[str, Any]] = [
        {"modified_obj": name_of(code >> 8 & 15), "modified_attribute": SLOT_NAMES[code >> 4 & 15]} for code in codes
    ]
    if not entries and "attribute" in used and not _has_words_to_change(wording, objects, sets):
        return []
    return [{"distractor_metadata": entries or [{"modified_obj": None, "modified_attribute": None}]}]


def _has_words_to_change(wording: Wording, objects: Sequence[Codes], sets: Sets) -> bool:
    """Whether the released generator found a noun to work on, or, with two boxes in the world, did not look for one."""
    boxes = sum(
        thing[SHAPE] == BOX
        for thing, role in zip(objects, sets.roles, strict=False)
        if role.kind in ("target", "mentioned", "relation")
    )
    return boxes >= 2 or any(0 <= row[SHAPE] < BOX for row in wording.said)


def _isomorphism_metadata(wording: Wording, sets: Sets, used: Collection[str]) -> list[dict[str, Any]]:
    entries = [_exchange_entry(wording, code) for code in sets.of_kind(ISOMORPHISM_SET)]
    if entries:
        return [{"distractor_metadata": entries}]
    return [] if "isomorphism" in used else [{"distractor_metadata": {}}]


def _exchange_entry(wording: Wording, code: int) -> dict[str, Any]:
    one, other, what = code >> 8 & 15, code >> 4 & 15, code & 15
    after = exchange(wording.said, one, other, what)
    return {
        "swapped_pair": [name_of(one), name_of(other)],
        "before_pair_obj_str": [wording.phrases[one], wording.phrases[other]],
        "after_pair_obj_str": [phrase_text(after[one]), phrase_text(after[other])],
        "size_shuffled": what != BY_COLOR,
        "color_shuffled": what == BY_COLOR,
        "shape_shuffled": what != BY_COLOR,
    }


def _random_text(thing: Codes, word: int) -> str:
    """The looks of a random object; without a size word the text starts with a space, as in the files."""
    shape, color, _, _, _ = thing
    return f"{SIZE_WORDS.get(word, '')} {phrase_text((shape, color, -1))}"
