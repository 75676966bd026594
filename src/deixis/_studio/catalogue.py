"""The gallery of a dataset of any world: listing, counting, filtering and ordering its examples.

A world gives a `Catalogue`: its own facets, and how its examples are shown. What is true of all worlds is added here:
which words are needed, which misreadings lead astray, the number of clauses (`deixis._studio.meanings`), and the order.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from deixis._studio.filters import (
    ORDER,
    Field,
    Listing,
    PageQuery,
    choose,
    field_of,
    keep,
    list_counted,
    order_field,
    put_in_order,
)
from deixis._studio.meanings import CLAUSES, NAMES, facets_at_hand, meaning_facets, uncounted_fields, wait_for_meanings
from deixis.errors import UnknownName


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from deixis._studio.filters import Card, Facet, FilterResult
    from deixis._studio.library import Entry


@dataclass(frozen=True, eq=False, kw_only=True)
class Catalogue:
    """The examples of a dataset, or of a part of it, and what can be asked of them.

    Attributes:
        what: what is listed, in the plural.
        size: how many there are.
        facets: what the world can be asked.
        cards: makes the cards of some numbers.
        having: for a text, what examples must fulfil to have it: bool [example] each.
        text: the field for that text; None where texts are not searched.
        sizes: by name the numbers by which examples are sorted: [example] each.
        first, further: fields of the world's own, before and after all others.
        also: what else the world demands: bool [example] each.
        part: which part of the dataset this is, as `WorldPages.examples_of` knows it; None where nothing is said of
            the examples, so that words cannot be judged.
        numbers: what the world calls the examples, int64 [example]; by default their places.
    """

    what: str
    size: int
    facets: tuple[Facet, ...]
    cards: Callable[[np.ndarray], Iterable[Card]]
    having: Callable[[str], Iterable[np.ndarray]] = lambda _: ()
    text: Field | None = None
    sizes: Mapping[str, np.ndarray] = field(default_factory=dict)
    first: tuple[Field, ...] = ()
    further: tuple[Field, ...] = ()
    also: tuple[np.ndarray, ...] = ()
    part: str | None = ""
    numbers: np.ndarray | None = None


def list_catalogue(entry: Entry, catalogue: Catalogue, wanted: PageQuery) -> Listing:
    """Show one page of the examples that a filter leaves.

    Raises:
        UnknownName: when something is asked for that does not exist.
    """
    if catalogue.part is not None and _asks_for_meanings(catalogue, wanted):
        judged = wait_for_meanings(entry, catalogue.part)
        if judged is not None:
            return _list_later(entry, catalogue, wanted, judged)
    found, fields = find_examples(entry, catalogue, wanted)
    return list_counted(catalogue.what, wanted, found, fields, catalogue.cards)


def _list_later(entry: Entry, catalogue: Catalogue, wanted: PageQuery, judged: int) -> Listing:
    """Show the form, and how many examples are judged so far."""
    others = {name: value for name, value in wanted.values.items() if name not in (*NAMES, ORDER)}
    _, fields = find_examples(entry, catalogue, PageQuery(others))
    own = {facet.name for facet in catalogue.facets}
    fields = tuple(field for field in fields if field.name not in (*NAMES, ORDER) or field.name in own)
    return Listing(
        what=catalogue.what,
        fields=(*fields, *uncounted_fields(own, wanted), order_field(wanted, _sizes(catalogue, None))),
        cards=(),
        note=f"The words of these {catalogue.what} are judged now, {judged:,} of {catalogue.size:,} so far. "
        "What was asked for appears here when all are.",
        onward=wanted.address(f"/d/{entry.slug}"),
        is_final=False,
        is_waiting=True,
    )


def find_examples(entry: Entry, catalogue: Catalogue, wanted: PageQuery) -> tuple[FilterResult, tuple[Field, ...]]:
    """Return the examples that a filter leaves, in their order, and the form with the counts for the next choice."""
    meanings = _asked_meanings(entry, catalogue, wanted)
    facets, sizes = (*catalogue.facets, *(meanings or ())), _sizes(catalogue, meanings)
    found = choose(catalogue.size, facets, wanted.values, _demands(catalogue, wanted))
    if wanted.get(ORDER):
        kept = np.arange(catalogue.size) if found.kept is None else np.flatnonzero(found.kept)
        found = replace(found, ordered=put_in_order(kept, wanted.get(ORDER), sizes))
    fields = (
        *catalogue.first,
        *(
            field_of(one, wanted, found.counts[one.name], any=_any_word(one))
            for one in facets
            if _has_values(one, wanted)
        ),
        *(uncounted_fields({one.name for one in catalogue.facets}) if meanings is None else ()),
        order_field(wanted, sizes),
        *([catalogue.text] if catalogue.text else []),
        *catalogue.further,
    )
    return found, fields


def filter_catalogue(entry: Entry, catalogue: Catalogue, wanted: PageQuery) -> np.ndarray:
    """Return what the world calls the examples that a filter leaves, in their order: int64 [example]."""
    meanings = _asked_meanings(entry, catalogue, wanted)
    facets = (*catalogue.facets, *(meanings or ()))
    kept = keep(catalogue.size, facets, wanted.values, _demands(catalogue, wanted))
    kept = put_in_order(kept, wanted.get(ORDER), _sizes(catalogue, meanings))
    return kept if catalogue.numbers is None else catalogue.numbers[kept]


def _asked_meanings(entry: Entry, catalogue: Catalogue, wanted: PageQuery) -> tuple[Facet, ...] | None:
    """Return the facets of meanings that the world has not counted itself, or None if they are not at hand.

    Those that are asked for are counted now.
    """
    own = {facet.name for facet in catalogue.facets}
    asked = [name for name in NAMES if wanted.get(name) and name not in own]
    if catalogue.part is None:
        found: tuple[Facet, ...] | None = ()
    elif _asks_for_meanings(catalogue, wanted):
        found = meaning_facets(entry, catalogue.part)
    else:
        found = facets_at_hand(entry, catalogue.part)
    for name in asked:
        if name not in {facet.name for facet in found or ()}:
            raise UnknownName(f"the words of these {catalogue.what} are not judged, so {name!r} cannot be asked for")
    return None if found is None else tuple(facet for facet in found if facet.name not in own)


def _asks_for_meanings(catalogue: Catalogue, wanted: PageQuery) -> bool:
    """Return whether a filter or an order needs what the world has not counted itself."""
    own = {facet.name for facet in catalogue.facets}
    is_sorted = wanted.get(ORDER).endswith(f"-{CLAUSES}")
    return is_sorted or any(wanted.get(name) for name in NAMES if name not in own)


def _sizes(catalogue: Catalogue, meanings: tuple[Facet, ...] | None) -> Mapping[str, np.ndarray]:
    """Return the numbers by which examples are sorted, with that of clauses where it is known or still counted."""
    if meanings is None:
        return {**catalogue.sizes, CLAUSES: np.zeros(0, np.int64)}
    clauses = next((facet for facet in meanings if facet.name == CLAUSES), None)
    if clauses is None:
        return catalogue.sizes
    values = np.zeros(max((len(table) for table in clauses.tables.values()), default=0), np.int64)
    for place, table in enumerate(clauses.tables.values()):
        values[table] = place
    return {**catalogue.sizes, CLAUSES: values[clauses.codes]}


def _demands(catalogue: Catalogue, wanted: PageQuery) -> list[np.ndarray]:
    text = wanted.get(catalogue.text.name) if catalogue.text else ""
    return [*(catalogue.having(text) if text else ()), *catalogue.also]


def _has_values(facet: Facet, wanted: PageQuery) -> bool:
    """Return whether any example has a value of a facet, or one is asked for."""
    return bool(wanted.get(facet.name)) or any(facet.total.values())


def _any_word(facet: Facet) -> str:
    return "all" if facet.name == "split" else "any"
