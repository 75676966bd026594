"""Galleries of instructions in grid worlds: facets of a million examples, and a card for each that is shown.

Without a question, or with one for a split alone, only the rows of the page are read. Any other question goes to the
codes of all rows (`GridShelf`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from deixis._studio.catalogue import Catalogue, filter_catalogue, find_examples
from deixis._studio.filters import (
    ORDER,
    Choice,
    Facet,
    Field,
    Lines,
    Listing,
    list_counted,
    list_uncounted,
    order_field,
    ranges,
    stretches_of,
)
from deixis._studio.meanings import CLAUSES, IDLE, NEEDS, uncounted_fields
from deixis._studio.meanings import NAMES as MEANINGS
from deixis.data._split_names import splits_of
from deixis.expression.patterns import PATTERNS
from deixis.worlds.grid._pages.gallery_cards import DISTRACTORS, draw_cards
from deixis.worlds.grid._pages.gallery_checks import ANY, list_checked
from deixis.worlds.grid._pages.gallery_models import VERDICTS, model_mask, models_of, shown_verdicts
from deixis.worlds.grid._pages.needs import are_counted, need_facets
from deixis.worlds.grid._pages.shelf import GridShelf, grid_shelf
from deixis.worlds.grid.actions import MANNERS, VERBS
from deixis.worlds.grid.checks._registry import CHECKS
from deixis.worlds.grid.language import WORDS
from deixis.worlds.grid.roles import KINDS


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deixis._studio.filters import PageQuery
    from deixis._studio.library import Entry, Library
    from deixis._studio.model_results import ModelResults
    from deixis.worlds.grid.data._example_codes import ExampleCodes


NONE = "none"  # in place of an empty text in addresses
LENGTHS = (2, 5, 10, 15, 20, 30, 50, 80)  # last plan length of each group
SEARCHED = (
    *("pattern", "verb", "manner", "relation", "kind", "objects", "length", "text", "model", "verdict", "check"),
    *(*MEANINGS, ORDER),
)
FACETS: WeakKeyDictionary[ExampleCodes, tuple[Facet, ...]] = WeakKeyDictionary()
LINES: WeakKeyDictionary[ExampleCodes, Lines] = WeakKeyDictionary()


def list_grid(entry: Entry, wanted: PageQuery, library: Library) -> Listing:
    """Show one page of a dataset.

    Raises:
        UnknownName: when something is asked for that does not exist.
        BrokenDataset: when something cannot be read.
    """
    shelf = grid_shelf(entry)
    models = models_of(entry, library, wanted)
    if not shelf.has_codes and not any(wanted.get(name) for name in SEARCHED):
        return _without_codes(entry, shelf, wanted, models)
    catalogue = grid_catalogue(entry, wanted, library)
    found, fields = find_examples(entry, catalogue, wanted)
    if wanted.get("check"):
        kept = np.arange(catalogue.size) if found.kept is None else np.flatnonzero(found.kept)
        return list_checked(entry, shelf, wanted, kept, fields)
    return list_counted(catalogue.what, wanted, found, fields, catalogue.cards)


def grid_catalogue(entry: Entry, wanted: PageQuery, library: Library) -> Catalogue:
    """Return all examples with what can be asked of them."""
    shelf = grid_shelf(entry)
    codes, models = shelf.codes(), models_of(entry, library, wanted)
    verdicts = shown_verdicts(shelf, wanted, models)
    return Catalogue(
        what="examples",
        size=len(codes),
        facets=_asked_facets(entry, shelf, wanted),
        cards=lambda numbers: draw_cards(entry, shelf, numbers, verdicts=verdicts),
        having=lambda text: _text_mask(codes, text),
        text=_text_field(wanted),
        sizes=_sizes(codes),
        further=tuple(_further_fields(wanted, models)),
        also=tuple(model_mask(shelf, wanted, models)),
    )


def _asked_facets(entry: Entry, shelf: GridShelf, wanted: PageQuery) -> tuple[Facet, ...]:
    """Return the facets of a dataset, those of needed words only where they are asked for or at hand."""
    codes = shelf.codes()
    facets = facets_of(codes, entry.splits)
    if are_counted(codes) or any(wanted.get(name) for name in (NEEDS, IDLE)):
        facets = (*facets, *need_facets(codes, shelf.rows))
    return facets


def filter_grid(entry: Entry, wanted: PageQuery, library: Library) -> np.ndarray:
    """Return the numbers of the examples that a filter leaves, regardless of checks: int64 [example]."""
    return filter_catalogue(entry, grid_catalogue(entry, wanted, library), wanted)


def _sizes(codes: ExampleCodes) -> dict[str, np.ndarray]:
    """Return the numbers by which examples can be sorted."""
    commands = codes.texts["command"]
    words = np.array([len(text.split()) for text in commands.names], np.uint16)
    return {"objects": codes.objects, "plan length": codes.length, "words": words[commands.codes]}


def facets_of(codes: ExampleCodes, splits: Mapping[str, int]) -> tuple[Facet, ...]:
    """Return the facets of the examples of a dataset."""
    if codes not in FACETS:
        FACETS[codes] = tuple(_facets(codes, splits))
    return FACETS[codes]


def _facets(codes: ExampleCodes, splits: Mapping[str, int]) -> Iterator[Facet]:
    joined = codes.texts["split"].names
    known = list(dict.fromkeys([*splits, *(single for name in joined for single in splits_of(name))]))
    member = {name: np.array([name in splits_of(one) for one in joined], bool) for name in known}
    yield Facet("split", "split", codes.texts["split"].codes, member)
    for name in ("pattern", "verb", "manner"):
        values = codes.texts[name].names
        tables = {value or NONE: np.arange(len(values)) == place for place, value in sorted(enumerate(values), key=_by)}
        yield Facet(name, name, codes.texts[name].codes, tables, {NONE: "no manner"} if name == "manner" else {})
    yield Facet("relation", "relation", codes.texts["command"].codes, codes.relations)
    bits = np.arange(256)
    present = {name: (bits >> KINDS.index(name) & 1).astype(bool) for name in DISTRACTORS}
    yield Facet("kind", "distractors", codes.kinds, present, DISTRACTORS)
    sizes = np.arange(int(codes.objects.max(initial=0)) + 1)
    occurring = np.bincount(codes.objects, minlength=len(sizes)) > 0
    yield Facet("objects", "objects", codes.objects, {str(n): sizes == n for n in sizes.tolist() if occurring[n]})
    yield Facet("length", "plan length", codes.length, *ranges(codes.length, LENGTHS, unit="actions"))


def _by(entry: tuple[int, str]) -> str:
    return entry[1]


def _text_mask(codes: ExampleCodes, text: str) -> Iterator[np.ndarray]:
    if codes not in LINES:
        LINES[codes] = Lines(codes.texts["command"].names)
    yield np.take(LINES[codes].having(text), codes.texts["command"].codes)


# -------------------------------------------------------------------------------- the form


def _text_field(wanted: PageQuery) -> Field:
    return Field("text", "command contains", wanted.get("text"), hint='red "same row"')


def _further_fields(wanted: PageQuery, models: Sequence[ModelResults]) -> Iterator[Field]:
    if models:
        named = tuple(Choice(one.key, one.model or one.key) for one in models)
        yield Field("model", "model", wanted.get("model"), named)
        shown = tuple(Choice(value, label) for value, label in VERDICTS.items())
        yield Field("verdict", "model is", wanted.get("verdict"), shown)
    codes = sorted(code for code, check in CHECKS.items() if check.scope == "row")
    listed = tuple(Choice(code, f"{code} {CHECKS[code].message}") for code in codes)
    yield Field("check", "check reports", wanted.get("check"), (Choice(ANY, "any error or warning"), *listed), any="–")


def _without_codes(entry: Entry, shelf: GridShelf, wanted: PageQuery, models: Sequence[ModelResults]) -> Listing:
    """Return a page of everything or of a split, for which nothing but its rows is read."""
    fields = (
        Field("split", "split", wanted.get("split"), tuple(Choice(*one) for one in _with_labels(entry)), any="all"),
        _plain_field("pattern", PATTERNS),
        _plain_field("verb", VERBS),
        _plain_field("manner", [str(manner) or NONE for manner in MANNERS]),
        _plain_field("relation", WORDS.relations.values()),
        _plain_field("kind", DISTRACTORS, label="distractors"),
        _plain_field("objects", map(str, range(1, 17))),
        _plain_field("length", (), label="plan length"),
        *uncounted_fields(),
        order_field(wanted, ("objects", "plan length", "words", CLAUSES)),
        _text_field(wanted),
        *_further_fields(wanted, models),
    )
    stretches = _stretches(entry, shelf, wanted.get("split"))
    return list_uncounted("examples", wanted, stretches, fields, lambda numbers: draw_cards(entry, shelf, numbers))


def _with_labels(entry: Entry) -> Iterator[tuple[str, str, int]]:
    return ((name, name, size) for name, size in entry.splits.items())


def _plain_field(name: str, values: Iterable[str], *, label: str = "") -> Field:
    """Return a field before anybody has counted."""
    named = {NONE: "no manner"} if name == "manner" else {}
    choices = tuple(Choice(str(value), named.get(str(value), str(value))) for value in values)
    return Field(name, label or name, choices=choices or (Choice("", "being counted"),))


def _stretches(entry: Entry, shelf: GridShelf, split: str) -> list[range]:
    """Where the examples of a split lie; of all, where it is empty."""
    dataset = shelf.source.dataset
    if not split:
        return [range(len(shelf.rows))]
    if dataset is None or split not in entry.splits:
        numbers = np.flatnonzero(facets_of(shelf.codes(), entry.splits)[0].mask(split))
        return [range(number, number + 1) for number in numbers.tolist()]
    return stretches_of(dataset.manifest["files"], split)
