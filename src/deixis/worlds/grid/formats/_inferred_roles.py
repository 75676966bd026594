"""Roles and misreadings found again: what the metadata of a released example says about its distractor sets.

A file lists its objects in the order of placement: the target, the other mentions, a set for every clause that is
left out, the set with one word changed, the counterparts of size words, the set with words exchanged, and random
ones. A set that ran out of room is incomplete: the objects it got stay, and the names of later random objects go on
counting as if it were whole. From this, the flags and the looks of the objects the roles are found again. Which size
words have a counterpart follows from the rule of the generator, that of the release or ours; where neither explains the
objects, a counterpart is taken for needless where the world already holds such an object. Where several divisions are
possible the one with the fullest sets is taken; where none is, everything but the target and the mentions counts as
random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.expression.patterns import C2
from deixis.worlds.grid.formats._wording import COLOR, SHAPE, SIZE, SLOT_NAMES, number_of
from deixis.worlds.grid.roles import KINDS, Role, encode_misreading, encode_role


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.worlds.grid.formats._situation import Codes
    from deixis.worlds.grid.formats._wording import Wording


ATTRIBUTE_SET = KINDS.index("attribute")
MOST_MENTIONS = 15  # a misreading keeps the number of a mention in four bits
ANY = 15
BY_COLOR, BY_SIZE_AND_SHAPE = 0, 1


class Look(NamedTuple):
    """The shapes, colors and sizes that an object may have, a bit for each."""

    shapes: int = ANY
    colors: int = ANY
    sizes: int = ANY  # bit 0 is size 1

    def fits(self, thing: Codes) -> bool:
        """Return whether an object may be the one that is meant."""
        shape, color, size, _, _ = thing
        return bool(self.shapes >> shape & self.colors >> color & self.sizes >> size - 1 & 1)


class Rule(NamedTuple):
    """The rule for size words that get a counterpart: those whose class has no object of the other size yet.

    Attributes:
        is_exact: every such word has one, and no other word has.
        is_first: counterparts are placed before all other sets, so that these do not count; no set lacks objects.
        of_objects: those of 'object' phrases too have the other size.
        always_of_objects: 'object' phrases always have one.
        of_changed: a phrase whose size word was changed may have one.
        when_unchanged: there are counterparts also where no word could be changed.
    """

    is_exact: bool = False
    is_first: bool = False
    of_objects: bool = True
    always_of_objects: bool = False
    of_changed: bool = False
    when_unchanged: bool = True


RELEASED = Rule(is_exact=True, always_of_objects=True, when_unchanged=False)
RELEASED_RULES = (RELEASED, RELEASED._replace(of_objects=False))  # a bound of its shape may overrule the other size
CORRECTED_RULES = (Rule(is_exact=True, is_first=True, of_changed=True),)
LOOSE_RULES = (Rule(), Rule(of_changed=True), Rule(of_objects=False))


class Draft(NamedTuple):
    """A set as it was meant to be placed."""

    code: int
    looks: tuple[Look, ...]
    least: int  # how many of its objects are certainly there
    rule: Rule | None = None  # of a counterpart, which is no failure where it is not needed
    is_always_due: bool = False


class Clues(NamedTuple):
    """The metadata of an example about its sets."""

    dropped: tuple[int, ...]  # clauses, by the number of the mention
    changed: tuple[tuple[int, int], ...]  # mention and slot
    exchanged: tuple[tuple[int, int, int], ...]  # two mentions and what was exchanged
    is_unchanged: bool  # no word could be changed
    words: tuple[int, ...]  # for every random object: 0, 1 called small, 2 called big
    missing: int | None  # how many objects found no place, where the names tell
    is_full: tuple[bool, bool, bool]  # no clause set failed, the changed set is whole, the exchanged set is whole


def infer_roles(example: dict[str, Any], wording: Wording, objects: Sequence[Codes]) -> tuple[list[int], list[int]]:
    """Return the codes of the roles of all objects, and those of the misreadings of the sets, of one released example.

    Both are empty for a command with more mentions than codes can number.
    """
    if len(wording) > MOST_MENTIONS:
        return [], []
    clues = _read_clues(example, wording, len(objects))
    roles = [encode_role(Role("target")), *(encode_role(Role("mentioned", k)) for k in range(1, len(wording)))]
    between = objects[len(wording) : len(objects) - len(clues.words)]
    for drafts in _readings(wording, objects, clues):
        counts = _divide(drafts, objects[: len(wording)], between, clues.missing)
        if counts is not None:
            found, codes = _number_sets(wording, drafts, counts, between)
            return roles + found + [encode_role(Role("random", word)) for word in clues.words], codes
    words = (*[0] * len(between), *clues.words)
    return roles + [encode_role(Role("random", word)) for word in words], []


def _readings(wording: Wording, objects: Sequence[Codes], clues: Clues) -> Iterator[list[Draft]]:
    """Yield the sets as they may have been drafted, the likeliest first, to anything at all."""
    is_ours = _has_two_sizes(wording, objects)
    exact = CORRECTED_RULES + RELEASED_RULES if is_ours else RELEASED_RULES + CORRECTED_RULES
    for rule in exact + LOOSE_RULES:
        drafts = _drafts(wording, clues, objects, rule)
        has_none = clues.is_unchanged and not rule.when_unchanged
        yield [draft for draft in drafts if draft.rule is None] if has_none else drafts
    loose = _drafts(wording, clues, objects, None)
    yield loose
    yield [draft._replace(looks=(Look(),) * len(draft.looks)) for draft in loose]


def _has_two_sizes(wording: Wording, objects: Sequence[Codes]) -> bool:
    """Return whether the class of every size word has two sizes at most, as in all worlds of the corrected mode."""
    looks = [_look(row) for row in wording.said if row[SIZE] >= 0]
    return all(len({thing[2] for thing in objects if look.fits(thing)}) <= 2 for look in looks)


def _drafts(wording: Wording, clues: Clues, objects: Sequence[Codes], rule: Rule | None) -> list[Draft]:
    said = wording.said
    whole_clauses, whole_changed, whole_exchanged = (True,) * 3 if rule and rule.is_first else clues.is_full
    drafts = []
    for mention in clues.dropped:
        gone = wording.below(mention)
        looks = tuple(_look(row) for k, row in enumerate(said) if k not in gone)
        drafts.append(Draft(encode_misreading("relation", mention), looks, len(looks) if whole_clauses else 0))
    for mention, slot in clues.changed:
        looks = tuple(_change(row, slot) if k == mention else _look(row) for k, row in enumerate(said))
        least = len(looks) if whole_changed else 0
        drafts.append(Draft(encode_misreading("attribute", mention, slot), looks, least))
    drafts.extend(_counterpart_drafts(wording, clues, objects, rule))
    for one, other, what in clues.exchanged:
        looks = tuple(_look(row) for row in exchange(said, one, other, what))
        drafts.append(
            Draft(encode_misreading("isomorphism", one, other, what), looks, len(looks) if whole_exchanged else 0)
        )
    return drafts


def _counterpart_drafts(wording: Wording, clues: Clues, objects: Sequence[Codes], rule: Rule | None) -> Iterator[Draft]:
    """A draft for every size word that may have a counterpart; without a rule, of any size."""
    for k, row in enumerate(wording.said):
        if row[SIZE] < 0 or (rule and not rule.of_changed and (k, SIZE) in clues.changed):
            continue
        is_object = row[SHAPE] < 0
        sizes = ANY
        if rule and (rule.of_objects or not is_object):
            mine = objects[k][2]
            sizes = (ANY << mine if row[SIZE] == 0 else (1 << mine - 1) - 1) & ANY
        look = _look(row)._replace(sizes=sizes)
        always = rule is not None and rule.always_of_objects and is_object
        yield Draft(encode_misreading("size", k), (look,), 0, rule or Rule(), is_always_due=always)


def _look(row: Sequence[int]) -> Look:
    shapes = ANY if row[SHAPE] < 0 else 1 << row[SHAPE]
    return Look(shapes, ANY if row[COLOR] < 0 else 1 << row[COLOR])


def _change(row: Sequence[int], slot: int) -> Look:
    look = _look(row)
    if slot == SHAPE:
        return look._replace(shapes=ANY & ~look.shapes)
    return look._replace(colors=ANY & ~look.colors) if slot == COLOR else look


def exchange(said: Sequence[Sequence[int]], one: int, other: int, what: int) -> list[tuple[int, ...]]:
    """Return the mentions with colours, or sizes and nouns, exchanged between two."""
    rows = [list(row) for row in said]
    for slot in (COLOR,) if what == BY_COLOR else (SHAPE, SIZE):
        rows[one][slot], rows[other][slot] = rows[other][slot], rows[one][slot]
    return [tuple(row) for row in rows]


def _divide(
    drafts: list[Draft], mentioned: Sequence[Codes], things: Sequence[Codes], missing: int | None
) -> list[int] | None:
    """How many of the objects belong to each set, the fullest sets first; None if they cannot be divided so."""
    dead: set[tuple[int, int, int, int]] = set()

    def go(k: int, at: int, first: int, lacking: int) -> list[int] | None:
        """The rest of the division, from a set and an object on; `first` is where the counterparts begin."""
        if k == len(drafts):
            return [] if at == len(things) and missing in (None, lacking) else None
        if (k, at, first, lacking) in dead:
            return None
        draft = drafts[k]
        for count in _possible_counts(draft, mentioned, things, at, first):
            lost = 0 if draft.rule else len(draft.looks) - count
            rest = go(k + 1, at + count, first if draft.rule else at + count, lacking + lost)
            if rest is not None:
                return [count, *rest]
        dead.add((k, at, first, lacking))
        return None

    return go(0, 0, 0, 0)


def _possible_counts(
    draft: Draft, mentioned: Sequence[Codes], things: Sequence[Codes], at: int, first: int
) -> Sequence[int]:
    """Return how many objects from a place on may belong to a set, the likeliest number first."""
    counts = range(_fitting(draft.looks, things, at), draft.least - 1, -1)
    if draft.rule is None:
        return counts
    before = (*mentioned, *things[first if draft.rule.is_first else 0 : at])
    is_idle = _is_idle(draft, before)
    if draft.rule.is_exact:
        return [count for count in counts if bool(count) != is_idle]
    return counts[::-1] if is_idle else counts


def _is_idle(draft: Draft, before: Sequence[Codes]) -> bool:
    """Return whether a counterpart was not needed, as the world already held such an object."""
    (look, *_) = draft.looks
    return not draft.is_always_due and look.sizes != ANY and any(look.fits(thing) for thing in before)


def _fitting(looks: tuple[Look, ...], things: Sequence[Codes], at: int) -> int:
    """Return how many objects from a place on look like those of a set, in order."""
    count = 0
    while count < len(looks) and at + count < len(things) and looks[count].fits(things[at + count]):
        count += 1
    return count


def _number_sets(
    wording: Wording, drafts: list[Draft], counts: list[int], things: Sequence[Codes]
) -> tuple[list[int], list[int]]:
    """Return the roles of the objects of all sets, and the codes of the sets."""
    roles: list[int] = []
    codes: list[int] = []
    for draft, count in zip(drafts, counts, strict=True):
        if count or draft.rule is None:
            mine = things[len(roles) : len(roles) + count]
            roles += [draft.code >> 12 << 5 | len(codes)] * count
            codes.append(draft.code | _new_value(wording, draft.code, mine))
    return roles, codes


def _new_value(wording: Wording, code: int, things: Sequence[Codes]) -> int:
    """What a changed word became: read off the object; where that found no place, just another value than was said."""
    kind, mention, slot = code >> 12, code >> 8 & 15, code >> 4 & 15
    if kind != ATTRIBUTE_SET:
        return 0
    old = wording.said[mention][slot]
    if slot == SIZE:
        return 1 - old
    new = things[mention][slot] if mention < len(things) else old
    return new if new != old else (old + 1) % (3 if slot == SHAPE else 4)


def _read_clues(example: dict[str, Any], wording: Wording, count: int) -> Clues:
    names = [pair for entry in _entries(example, "random_distractor_metadata") for pair in entry.items()]
    wanted = example.get("n_random_distractor", len(names))
    room = count - len(wording)
    randoms = wanted if isinstance(wanted, int) and 0 <= wanted <= room else min(len(names), room)
    texts = [text if isinstance(text, str) else "" for _, text in names] + [""] * randoms
    words = tuple(1 if text.startswith("small ") else 2 if text.startswith("big ") else 0 for text in texts[:randoms])
    first = number_of(names[0][0]) if names and randoms else None
    return Clues(
        dropped=tuple(_dropped_clauses(example, wording)),
        changed=tuple(_changed_words(example, wording)),
        exchanged=tuple(_exchanged_words(example, wording)),
        is_unchanged=example.get("attribute_distractor_metadata") == [],
        words=words,
        missing=None if first is None else first - (count - randoms),
        is_full=(
            example.get("full_relation_distractor") is True,
            example.get("has_attribute_distractor") is True,
            example.get("has_isomorphism_distractor") is True,
        ),
    )


def _dropped_clauses(example: dict[str, Any], wording: Wording) -> Iterator[int]:
    """Yield the clauses left out.

    With one clause on every head the files name the clause that is kept, `null` for none; else the one that is dropped.
    """
    for entry in _entries(example, "relation_distractor_metadata"):
        edge = _at(entry, "distractor_metadata", "edge")
        child = number_of(edge[1]) if isinstance(edge, list) and len(edge) == 2 else None
        if edge == "null" and len(wording) > 1:
            yield 1
        elif child is not None and 0 < child < len(wording):
            is_kept = wording.pattern == C2 and child == 1
            yield 2 if is_kept else child


def _changed_words(example: dict[str, Any], wording: Wording) -> Iterator[tuple[int, int]]:
    for entry in _parts(example, "attribute_distractor_metadata"):
        mention, name = number_of(entry.get("modified_obj")), entry.get("modified_attribute")
        if mention is not None and mention < len(wording) and name in SLOT_NAMES:
            slot = SLOT_NAMES.index(name)
            if wording.said[mention][slot] >= 0:
                yield mention, slot


def _exchanged_words(example: dict[str, Any], wording: Wording) -> Iterator[tuple[int, int, int]]:
    for entry in _parts(example, "isomorphism_distractor_metadata"):
        pair = entry.get("swapped_pair")
        numbers = [number_of(name) for name in pair] if isinstance(pair, list) else []
        one, other = numbers if len(numbers) == 2 else (None, None)
        if one is not None and other is not None and max(one, other) < len(wording):
            yield one, other, BY_COLOR if entry.get("color_shuffled") else BY_SIZE_AND_SHAPE


def _entries(example: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = example.get(name)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _parts(example: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    for entry in _entries(example, name):
        listed = entry.get("distractor_metadata")
        yield from (part for part in (listed if isinstance(listed, list) else []) if isinstance(part, dict))


def _at(entry: dict[str, Any], *names: str) -> Any:
    value: Any = entry
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
