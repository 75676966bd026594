"""Galleries of instructions in grid worlds: facets of a million examples, and a card for each that is shown.

Without a question, or with one for a split alone, only the rows of the page are read. Any other question goes to the
codes of all rows (`GridShelf`).
"""

from __future__ import annotations

from functools import cached_property
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from deixis._studio.catalogue import Catalogue, filter_catalogue, find_examples
from deixis._studio.filters import (
    ORDER,
    PAGE,
    Card,
    Chip,
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
from deixis._studio.library import Shelf, shelf_of
from deixis._studio.meanings import CLAUSES, IDLE, NEEDS, uncounted_fields
from deixis._studio.meanings import NAMES as MEANINGS
from deixis._studio.model_results import dataset_of, read_model_results
from deixis.data._row_groups import spare_memory
from deixis.data._split_names import splits_of
from deixis.data.checks import MAX_FINDINGS
from deixis.errors import DeixisError, UnknownName
from deixis.expression.patterns import PATTERNS
from deixis.judge.verdicts import read_verdicts
from deixis.worlds.grid._examples import GridExamples
from deixis.worlds.grid._pages.film import draw_card
from deixis.worlds.grid._pages.needs import are_counted, need_facets
from deixis.worlds.grid.actions import MANNERS, VERBS
from deixis.worlds.grid.checks import check_tables
from deixis.worlds.grid.checks._registry import CHECKS
from deixis.worlds.grid.data._example_codes import pack_worlds, read_codes
from deixis.worlds.grid.data._judged_plans import places_of
from deixis.worlds.grid.data.sources import row_groups_of
from deixis.worlds.grid.data.table import example_at
from deixis.worlds.grid.language import WORDS
from deixis.worlds.grid.roles import KINDS


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from markupsafe import Markup

    from deixis._studio.filters import PageQuery
    from deixis._studio.library import Entry, Library
    from deixis._studio.model_results import ModelResults
    from deixis.data._row_groups import RowGroups
    from deixis.worlds.grid.data._example_codes import ExampleCodes, PackedWorlds
    from deixis.worlds.grid.data._judged_plans import Places
    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.navigate import Example


NONE = "none"  # in place of an empty text in addresses
DISTRACTORS = {  # how people call what tempts
    "relation": "relation",
    "attribute": "attribute",
    "isomorphism": "isomorphism",
    "size": "size",
    "random": "random",
    "helper": "helper",
}
LENGTHS = (2, 5, 10, 15, 20, 30, 50, 80)  # last plan length of each group
VERDICTS = {"right": "right", "wrong": "wrong"}
ANY = "any"
CHECKED = 2_048  # rows that are checked together
PATIENCE_SECONDS = 0.6  # for one page of findings
SEARCHED = (
    *("pattern", "verb", "manner", "relation", "kind", "objects", "length", "text", "model", "verdict", "check"),
    *(*MEANINGS, ORDER),
)
FACETS: WeakKeyDictionary[ExampleCodes, tuple[Facet, ...]] = WeakKeyDictionary()
LINES: WeakKeyDictionary[ExampleCodes, Lines] = WeakKeyDictionary()
PLACES: WeakKeyDictionary[GridShelf, Places] = WeakKeyDictionary()
VERDICT_CODES: dict[tuple[Path, int, int], np.ndarray] = {}
_preparing = Lock()


def list_grid(entry: Entry, wanted: PageQuery, library: Library) -> Listing:
    """Show one page of a dataset.

    Raises:
        UnknownName: when something is asked for that does not exist.
        BrokenDataset: when something cannot be read.
    """
    shelf = grid_shelf(entry)
    models = _models(entry, library, wanted)
    if not shelf.has_codes and not any(wanted.get(name) for name in SEARCHED):
        return _without_codes(entry, shelf, wanted, models)
    catalogue = grid_catalogue(entry, wanted, library)
    found, fields = find_examples(entry, catalogue, wanted)
    if wanted.get("check"):
        kept = np.arange(catalogue.size) if found.kept is None else np.flatnonzero(found.kept)
        return _list_checked(entry, shelf, wanted, kept, fields)
    return list_counted(catalogue.what, wanted, found, fields, catalogue.cards)


def grid_catalogue(entry: Entry, wanted: PageQuery, library: Library) -> Catalogue:
    """Return all examples with what can be asked of them."""
    shelf = grid_shelf(entry)
    codes, models = shelf.codes(), _models(entry, library, wanted)
    verdicts = _shown_verdicts(shelf, wanted, models)
    return Catalogue(
        what="examples",
        size=len(codes),
        facets=_asked_facets(entry, shelf, wanted),
        cards=lambda numbers: _cards(entry, shelf, numbers, verdicts=verdicts),
        having=lambda text: _text_mask(codes, text),
        text=_text_field(wanted),
        sizes=_sizes(codes),
        further=tuple(_further_fields(wanted, models)),
        also=tuple(_model_mask(shelf, wanted, models)),
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
    return list_uncounted("examples", wanted, stretches, fields, lambda numbers: _cards(entry, shelf, numbers))


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


# -------------------------------------------------------------------------------- cards


def _cards(
    entry: Entry,
    shelf: GridShelf,
    numbers: Sequence[int] | np.ndarray,
    *,
    verdicts: tuple[str, np.ndarray] | None = None,
    findings: Mapping[int, list[Chip]] | None = None,
) -> Iterator[Card]:
    chosen = [int(number) for number in numbers]
    shown = _from_memory(shelf, chosen) if shelf.worlds is not None and shelf.has_codes else _from_files(shelf, chosen)
    for number, row in zip(chosen, shown, strict=True):
        chips = [Chip(name, "split") for name in splits_of(row["split"])]
        chips.append(Chip(row["pattern"] or "?", "pattern"))
        if verdicts is not None:
            model, codes = verdicts
            right = codes[number] == 2
            chips.append(Chip(f"{model}: {'right' if right else 'wrong'}", kind="good" if right else "bad"))
        chips += (findings or {}).get(number, ())
        picture, fault = _picture(row)
        yield Card(f"/d/{entry.slug}/{number}", row["text"], picture, tuple(chips), fault)


def _picture(row: Mapping[str, Any]) -> tuple[Markup | None, str]:
    if isinstance(row["scene"], DeixisError):
        return None, str(row["scene"])
    try:
        return draw_card(row["scene"], row["target"]), ""
    except DeixisError as error:
        return None, str(error)


def _from_memory(shelf: GridShelf, numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    codes, worlds = shelf.codes(), shelf.worlds
    for number in numbers:
        row: dict[str, Any] = {name: codes.text(name, number) for name in ("split", "pattern")}
        row["text"] = codes.text("command", number)
        if worlds is not None:
            row["target"] = worlds.target(number)
            try:
                row["scene"] = worlds.scene(number)
            except (DeixisError, ValueError) as error:
                row["scene"] = DeixisError(f"this world cannot be drawn: {error}")
        yield row


def _from_files(shelf: GridShelf, numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    table = shelf.rows.take(numbers)
    for place in range(len(numbers)):
        row = {name: str(table[name][place].as_py() or "") for name in ("split", "pattern")}
        said = str(table["command"][place].as_py() or "")
        try:
            example = example_at(table, place)
            yield {**row, "text": said, "target": example.target, "scene": example.scene}
        except DeixisError as error:
            yield {**row, "text": said, "target": 0, "scene": error}


# -------------------------------------------------------------------------------- models


def _models(entry: Entry, library: Library, wanted: PageQuery) -> list[ModelResults]:
    """Return the models whose plans for this dataset were judged one by one.

    A model that is asked for by name and not known may have been judged since the folders were read: they are read
    again.
    """
    models = _known_models(entry, library)
    key = wanted.get("model")
    if key and key not in {model.key for model in models}:
        library.refresh()
        models = _known_models(entry, library)
    return models


def _known_models(entry: Entry, library: Library) -> list[ModelResults]:
    if not library.runs:
        return []
    known, _ = read_model_results(library)
    fitting = [one for one in known if one.world == entry.kind and one.rows is not None]
    return [one for one in fitting if dataset_of(library, one) is entry]


def _model_mask(shelf: GridShelf, wanted: PageQuery, models: Sequence[ModelResults]) -> Iterator[np.ndarray]:
    verdict = wanted.get("verdict")
    if verdict and verdict not in VERDICTS:
        raise UnknownName(f"a plan is right or wrong, not {verdict!r}")
    model = _model(wanted, models)
    if model is not None:
        codes = _verdict_codes(shelf, model)
        yield codes > 0 if not verdict else codes == (2 if verdict == "right" else 1)


def _model(wanted: PageQuery, models: Sequence[ModelResults]) -> ModelResults | None:
    """The model that is asked about; the only one, where a verdict is asked for and nothing else is said."""
    key = wanted.get("model")
    if not key:
        return models[0] if wanted.get("verdict") and models else None
    for model in models:
        if model.key == key:
            return model
    raise UnknownName(f"there are no plans of a model {key!r} for this dataset here")


def _shown_verdicts(
    shelf: GridShelf, wanted: PageQuery, models: Sequence[ModelResults]
) -> tuple[str, np.ndarray] | None:
    model = _model(wanted, models)
    return None if model is None else (model.model or model.key, _verdict_codes(shelf, model))


def _verdict_codes(shelf: GridShelf, model: ModelResults) -> np.ndarray:
    """Of every example: 0 where the model was not asked, 1 where its plan is wrong, 2 where it is right."""
    path = model.rows
    if path is None:
        raise UnknownName(f"there is no verdict on the single plans of {model.model}")
    key = (path, path.stat().st_mtime_ns, id(shelf))
    if key not in VERDICT_CODES:
        if shelf not in PLACES:
            PLACES[shelf] = places_of(shelf.source)
        judged = read_verdicts(path)
        numbers = PLACES[shelf].find(judged.ids)
        codes = np.zeros(len(shelf.rows), np.uint8)
        right = judged.right["exact" if "exact" in model.measures else "right_target"]  # whoever points has no plan
        codes[numbers[numbers >= 0]] = 1 + right[numbers >= 0]
        while len(VERDICT_CODES) >= 8:
            VERDICT_CODES.pop(next(iter(VERDICT_CODES)), None)
        VERDICT_CODES[key] = codes
    return VERDICT_CODES[key]


# -------------------------------------------------------------------------------- checks


def _list_checked(
    entry: Entry, shelf: GridShelf, wanted: PageQuery, kept: np.ndarray, fields: tuple[Field, ...]
) -> Listing:
    """The next examples in which checks find something: they run now, as far as patience goes."""
    code = wanted.get("check")
    select = () if code == ANY else (code,)
    if select and (code not in CHECKS or CHECKS[code].scope != "row"):
        raise UnknownName(f"there is no check {code!r} of single examples")
    first = _first(wanted.get("from"))
    place = int(np.searchsorted(kept, first))
    begun, began = monotonic(), place
    found: dict[int, list[Chip]] = {}
    rules = shelf.source.rules
    while place < len(kept) and len(found) < PAGE and (place == began or monotonic() - begun < PATIENCE_SECONDS):
        some = kept[place : place + CHECKED]
        report = check_tables([shelf.rows.take(some)], select=select, rules=rules)
        told = [
            finding for finding in report.findings if finding.row is not None and CHECKS[finding.code].scope == "row"
        ]
        is_cut = any(count > MAX_FINDINGS for one, count in report.tally.items() if CHECKS[one].scope == "row")
        last = _last_whole(told) if is_cut else len(some) - 1
        for finding in sorted(told, key=lambda one: one.row or 0):
            number = int(some[finding.row or 0])
            if (finding.row or 0) <= last and (number in found or len(found) < PAGE):
                chip = Chip(
                    finding.code,
                    f"{finding.message}. {finding.detail}",
                    kind="bad" if finding.code[0] == "E" else "fair",
                )
                found.setdefault(number, []).append(chip)
        place = int(np.searchsorted(kept, max(found) + 1)) if len(found) == PAGE else place + last + 1
    listed = sorted(found)
    note = f"Checked {place - began:,} of {len(kept):,} examples."
    path = f"/d/{entry.slug}"
    onward = wanted.address(path, **{"from": int(kept[place])}) if place < len(kept) else ""
    cards = tuple(_cards(entry, shelf, listed, findings=found))
    return Listing(what="examples", fields=fields, cards=cards, total=None, note=note, onward=onward)


def _last_whole(told: Sequence[Any]) -> int:
    """Return the last row up to which nothing was left out: of each code only the first findings are told."""
    rows: dict[str, list[int]] = {}
    for finding in told:
        rows.setdefault(finding.code, []).append(finding.row)
    return min(max(some) for some in rows.values() if len(some) >= MAX_FINDINGS)


def _first(said: str) -> int:
    if not said:
        return 0
    if not said.isdecimal() or len(said) > 12:
        raise DeixisError(f"examples are numbered from 0, got {said[:20]!r}")
    return int(said)


# -------------------------------------------------------------------------------- examples by their number


class GridShelf(Shelf["ExampleCodes"]):
    """A grid dataset: its rows, and after the first search the codes of all of them.

    The codes (some eleven bytes an example) are read when first needed, the worlds (some forty) after them in the
    background; until they are there, the rows that are shown are read from the files.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        spare_memory()
        self.source = source
        self.worlds: PackedWorlds | None = None
        self._helper: Thread | None = None

    @cached_property
    def rows(self) -> RowGroups:
        """The rows by number, with a released file read once for them."""
        return row_groups_of(self.source)

    @cached_property
    def examples(self) -> GridExamples:
        """The examples by number."""
        return GridExamples(self.source)

    def read_codes(self) -> ExampleCodes:
        """Read the facets of every example."""
        return read_codes(self.rows)

    def prepare(self) -> None:
        """Read codes and worlds in the background, with errors raised where they are needed."""
        with _preparing:
            if self._helper is None:
                self._helper = Thread(target=self._prepare, name="shelf", daemon=True)
                self._helper.start()

    def finish(self) -> None:
        """Wait until the work in the background is done."""
        if self._helper is not None:
            self._helper.join()

    def _prepare(self) -> None:
        try:
            self.codes()
            self.worlds = pack_worlds(self.rows, workers=1)  # which leaves room for visitors
        except Exception:  # noqa: BLE001 (a search, or the reading of a row, will say the same to somebody)
            return


def grid_shelf(entry: Entry) -> GridShelf:
    """Return the shelf of a dataset."""
    return shelf_of(entry, GridShelf)


def grid_rows(entry: Entry) -> RowGroups:
    """Return the rows of a grid dataset, by number."""
    return grid_shelf(entry).rows


def grid_size(entry: Entry) -> int:
    """Return the number of examples of a grid dataset."""
    return len(grid_rows(entry))


def find_grid_id(entry: Entry, said: str) -> int:
    """Return the number of the example with an id, or raise `UnknownName`."""
    shelf = grid_shelf(entry)
    if shelf not in PLACES:
        PLACES[shelf] = places_of(shelf.source)
    is_id = said.isascii() and said.removeprefix("-").isdecimal() and len(said) < 20 and abs(int(said)) < 1 << 63
    number = int(PLACES[shelf].find(np.array([int(said)]))[0]) if is_id else -1
    if number < 0:
        raise UnknownName(f"there is no example with the id {said[:60]!r} in {entry.title}")
    return number


def grid_example(entry: Entry, number: int) -> Example:
    """Return one example, counted from 0 over all files of the dataset in the order of its manifest.

    Raises:
        UnknownName: when there is no example of this number.
        BrokenDataset: when it cannot be read.
    """
    return example_at(grid_rows(entry).row(number), 0)
