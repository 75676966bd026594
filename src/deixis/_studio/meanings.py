"""Facets of galleries about the words of each example: needed, not needed, misread, and the number of clauses.

The definitions are those of audits (`deixis.audits.measures`) and of the inventory of misreadings
(`deixis.distractors.misreadings`). An example that does not pick out its target alone has no such values. Examples are
judged one by one, in large datasets once somebody asks; a world may count the same in its own way.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from threading import Lock, Thread
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis._studio.filters import Choice, Facet, Field
from deixis.audits.audit import CLAUSE, IMPLIED
from deixis.audits.measures import audited_parts, left_without, why_not_judged
from deixis.distractors.misreadings import misreadings
from deixis.errors import DeixisError
from deixis.expression.parts import parts
from deixis.expression.steps import Related
from deixis.resolution._remembered import RememberedScenes
from deixis.worlds.example import context_of


if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from deixis._studio.filters import PageQuery
    from deixis._studio.library import Entry
    from deixis.expression.description import Expression
    from deixis.scene.scene import Context
    from deixis.worlds.example import Example


MAX_JUDGED = 50_000  # examples of a dataset that are judged before anybody asks
PATIENCE_SECONDS = 1.0  # for which whoever asks waits, before being told how far judging is
MAX_KEPT = 16  # datasets, or parts of one
NEEDS, IDLE, MISREAD, CLAUSES = NAMES = ("needs", "idle", "misread", "clauses")  # in addresses
EVERY, SOME, ANY, NONE = "every", "some", "any", "none"
TITLES = {NEEDS: "needed", IDLE: "not needed", MISREAD: "wrong if misread", CLAUSES: "clauses"}
FIRST = ("noun", "colour word", "size word")  # kinds of parts in the order of the form; clauses come last
MANY_CLAUSES = 3
SLIPS = {  # what leads to something else than the target
    "comparison": "size compared with everything",
    "attachment": "clause attached to the target",
    "ignored": "a word ignored",
    "misread": "a word read as another",
    "clause": "a clause ignored",
    "swap": "words of two phrases swapped",
    "relations": "two relations swapped",
    "clauses": "all clauses ignored",
    "noun alone": "everything but the noun ignored",
}
READ_LABELS = {ANY: "any misreading", **SLIPS, NONE: "no misreading"}


class Meaning(NamedTuple):
    """The part that words play in one example.

    Attributes:
        needed: the kinds of parts of which one is needed.
        idle: the kinds of parts of which one is not needed.
        slips: the sorts of misreading of which one leads to something else than the target.
        clauses: how many clauses are said, in all phrases.
    """

    needed: frozenset[str]
    idle: frozenset[str]
    slips: frozenset[str]
    clauses: int


def meaning_of(expression: Expression, context: Context, memory: RememberedScenes | None = None) -> Meaning | None:
    """Return what the words of an expression do where it is said, or None where it does not fit the target alone."""
    if why_not_judged(expression, context, memory=memory):
        return None
    schema = context.scenes[context.target.scene].schema
    left, target = left_without(expression, context, memory=memory), frozenset((context.target,))
    kinds: dict[bool, set[str]] = {True: set(), False: set()}
    for one in audited_parts(expression, schema):
        if one.kind != IMPLIED:
            kinds[left[one.part] != target].add(one.kind)
    return Meaning(
        frozenset(kinds[True]),
        frozenset(kinds[False]),
        slips_astray(expression, context, memory),
        count_clauses(expression),
    )


def slips_astray(expression: Expression, context: Context, memory: RememberedScenes | None = None) -> frozenset[str]:
    """Return the sorts of misreading of which at least one picks out something else than the target.

    Of the values that nothing in the context has, one stands for all, since they fit the same: nothing.
    """
    memory = memory or RememberedScenes()
    schema = context.scenes[context.target.scene].schema
    found: set[str] = set()

    def values(name: str) -> Iterator[str]:
        held = frozenset().union(*(memory.names(name, scene) for scene in context.scenes))
        everything = schema.attribute(name).values
        yield from (value for value in everything if value in held)
        yield from islice((value for value in everything if value not in held), 1)

    for one in misreadings(expression, schema, values=values):
        if one.slip not in found and memory.resolve(one.expression, context).objects - {context.target}:
            found.add(one.slip)
    return frozenset(found)


def count_clauses(expression: Expression) -> int:
    """Count the clauses of an expression, those within clauses too."""
    return sum(isinstance(part.step, Related) for part in parts(expression))


# -------------------------------------------------------------------------------- of many examples


@dataclass(frozen=True, eq=False)
class MeaningCodes:
    """The meanings of the examples of a dataset.

    Attributes:
        codes: int32 [example], numbers of `meanings`.
        meanings: those that occur, None for examples that cannot be judged.
    """

    codes: np.ndarray
    meanings: tuple[Meaning | None, ...]

    @cached_property
    def facets(self) -> tuple[Facet, ...]:
        """The facets of the gallery, or none where no example can be judged."""
        known = [one for one in self.meanings if one is not None]
        if not known:
            return ()
        kinds = _in_order({kind for one in known for kind in one.needed | one.idle})
        tables = {
            NEEDS: {
                EVERY: self._table(lambda one: bool(one.needed) and not one.idle),
                **{kind: self._table(lambda one, kind=kind: kind in one.needed) for kind in kinds},
            },
            IDLE: {
                SOME: self._table(lambda one: bool(one.idle)),
                **{kind: self._table(lambda one, kind=kind: kind in one.idle) for kind in kinds},
            },
            MISREAD: {
                ANY: self._table(lambda one: bool(one.slips)),
                **{slip: self._table(lambda one, slip=slip: slip in one.slips) for slip in SLIPS},
                NONE: self._table(lambda one: not one.slips),
            },
            CLAUSES: {
                value: self._table(lambda one, value=value: clauses_name(one.clauses) == value)
                for value in clause_labels()
            },
        }
        labels = {
            NEEDS: {EVERY: "every word needed", **{kind: f"{kind} needed" for kind in kinds}},
            IDLE: {SOME: "some word not needed", **{kind: f"{kind} not needed" for kind in kinds}},
            MISREAD: READ_LABELS,
            CLAUSES: clause_labels(),
        }
        return tuple(Facet(name, TITLES[name], self.codes, tables[name], labels[name]) for name in NAMES)

    def _table(self, holds: object) -> np.ndarray:
        assert callable(holds)
        return np.array([one is not None and holds(one) for one in self.meanings], bool)


def clauses_name(count: int) -> str:
    """Return the value by which a number of clauses is asked for."""
    return str(count) if count < MANY_CLAUSES else f"{MANY_CLAUSES}-"


def clause_labels() -> dict[str, str]:
    """Return the values of numbers of clauses, with what people call them."""
    few = {str(count): f"{count or 'no'} clause{'' if count == 1 else 's'}" for count in range(MANY_CLAUSES)}
    return {**few, f"{MANY_CLAUSES}-": f"{MANY_CLAUSES} or more clauses"}


def read_meanings(examples: Iterable[Example]) -> MeaningCodes:
    """Judge examples one by one.

    Those that have a `likeness` (see `deixis.audits`) are judged once for all that are alike.
    """
    memory = RememberedScenes()
    known: dict[Meaning | None, int] = {}
    alike: dict[object, Meaning | None] = {}
    codes = []
    for example in examples:
        likeness = getattr(example, "likeness", None)
        if likeness is not None and likeness in alike:
            found = alike[likeness]
        else:
            found = _meaning_of_example(example, memory)
            if likeness is not None:
                alike[likeness] = found
        codes.append(known.setdefault(found, len(known)))
    return MeaningCodes(np.array(codes, np.int32), tuple(known))


def _meaning_of_example(example: Example, memory: RememberedScenes) -> Meaning | None:
    try:
        context, expression = context_of(example), example.expression
        return None if context is None or expression is None else meaning_of(expression, context, memory)
    except DeixisError:  # a row that cannot be read is told on its card
        return None


def _in_order(kinds: Iterable[str]) -> list[str]:
    """Return kinds of parts in the order of the form."""
    return sorted(kinds, key=lambda kind: (kind == CLAUSE, FIRST.index(kind) if kind in FIRST else len(FIRST), kind))


# -------------------------------------------------------------------------------- of datasets


class _FacetHolder:
    """What was found out about one part of one dataset, and what is finding it out."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.facets: tuple[Facet, ...] | None = None
        self.judged = 0
        self.helper: Thread | None = None


_kept: OrderedDict[tuple[str, int, str], _FacetHolder] = OrderedDict()
_keeping = Lock()


def facets_at_hand(entry: Entry, part: str = "") -> tuple[Facet, ...] | None:
    """Return the facets of meanings of a dataset, or of a part of it, or None where they are not counted yet."""
    return _of(entry, part).facets


def meaning_facets(entry: Entry, part: str = "") -> tuple[Facet, ...]:
    """Return the facets of meanings of a dataset, counted now if they are not at hand."""
    kept = _of(entry, part)
    with kept.lock:
        if kept.facets is None:
            kept.facets = entry.pages.read_meanings(entry, part)
        return kept.facets


def is_judged_at_once(entry: Entry, part: str = "") -> bool:
    """Return whether a dataset is small enough to judge its examples before anybody asks."""
    return len(entry.pages.examples_of(entry, part)) <= MAX_JUDGED


def prepare_meanings(entry: Entry, part: str = "") -> None:
    """Count in the background what is not at hand yet, unless that would take long."""
    if is_judged_at_once(entry, part):
        _begin(entry, part)


def wait_for_meanings(entry: Entry, part: str = "") -> int | None:
    """Begin to judge the examples of a large dataset, and wait a moment.

    Returns how many are judged if that goes on, or None where nothing is to be waited for.
    """
    if is_judged_at_once(entry, part):
        return None
    helper = _begin(entry, part)
    if helper is not None:
        helper.join(PATIENCE_SECONDS)
    return _of(entry, part).judged if helper is not None and helper.is_alive() else None


def _begin(entry: Entry, part: str) -> Thread | None:
    """Return what counts in the background, begun if nobody has; None where all is at hand."""
    kept = _of(entry, part)
    with _keeping:
        if kept.facets is None and kept.helper is None:
            kept.helper = Thread(target=_prepare, args=(entry, part), name="meanings", daemon=True)
            kept.helper.start()
        return kept.helper if kept.facets is None else None


def examples_to_judge(entry: Entry, part: str = "") -> Iterator[Example]:
    """Yield the examples of a dataset, or of a part of it, and keep how many were taken."""
    kept = _of(entry, part)
    for number, example in enumerate(entry.pages.examples_of(entry, part)):
        kept.judged = number
        yield example


def uncounted_fields(counted: Collection[str] = (), wanted: PageQuery | None = None) -> Iterator[Field]:
    """Yield the fields of meanings that are not counted yet, with values that every dataset has and what is wanted."""
    labels = {
        NEEDS: {EVERY: "every word needed"},
        IDLE: {SOME: "some word not needed"},
        MISREAD: READ_LABELS,
        CLAUSES: clause_labels(),
    }
    for name in (name for name in NAMES if name not in counted):
        chosen = "" if wanted is None else wanted.get(name)
        known = labels[name] if chosen in ("", *labels[name]) else {**labels[name], chosen: chosen}
        yield Field(name, TITLES[name], chosen, tuple(Choice(value, label) for value, label in known.items()))


def _prepare(entry: Entry, part: str) -> None:
    try:
        meaning_facets(entry, part)
    except Exception:  # noqa: BLE001 (whoever asks for these facets will be told the same)
        return


def _of(entry: Entry, part: str) -> _FacetHolder:
    key = (str(entry.path), entry.stamp, part)
    with _keeping:
        kept = _kept.setdefault(key, _FacetHolder())
        _kept.move_to_end(key)
        while len(_kept) > MAX_KEPT:
            _kept.popitem(last=False)
        return kept
