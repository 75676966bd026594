"""Galleries of expressions about photographs."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.datasets.copsref.store import COLUMNS
from deixis.datasets.row_groups import RowGroups
from deixis.errors import DeixisError, UnknownName
from deixis.studio.filters import (
    Card,
    Chip,
    Choice,
    Facet,
    Field,
    Lines,
    Listing,
    choose,
    field_of,
    page_of,
    places_in,
    ranges,
    stretches_of,
)
from deixis.studio.pictures import photograph_picture
from deixis.tasks.localise import FORMS, LENGTHS, length_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.datasets.copsref.store import CopsRef
    from deixis.studio.filters import Wanted
    from deixis.studio.library import Entry, Library


__all__ = ["list_photographs", "prepare"]

CANDIDATES = (10, 20, 40, 60, 80, 120, 160, 240, 400)  # last number of each group
LENGTH_LABELS = {"short": "short, below 10 words", "middle": "10 to 20 words", "long": "long, above 20 words"}
CHANGES = {"there": "it is there", "absent": "nothing fits"}
SEARCHED = ("form", "length", "candidates", "text", "there")
MOST = 4  # datasets that are kept open


class PhotographShelf:
    """A dataset about photographs: its rows by number, and once somebody searches, what can be asked of them."""

    def __init__(self, data: CopsRef) -> None:
        self.data = data
        self._reading = Lock()
        self._codes: _Codes | None = None

    @cached_property
    def rows(self) -> RowGroups:
        """The rows by number, over all files in the order of the manifest."""
        listed = self.data.dataset.manifest["files"]
        return RowGroups([(self.data.path / entry["path"], entry["rows"]) for entry in listed], COLUMNS.names)

    @property
    def has_codes(self) -> bool:
        """Whether a search needs no reading any more."""
        return self._codes is not None

    def codes(self) -> _Codes:
        """What can be asked of every example; read now, unless it was before."""
        with self._reading:
            if self._codes is None:
                self._codes = _read_codes(self.rows, self.data)
            return self._codes


@dataclass(frozen=True, eq=False)
class _Codes:
    """The texts of all examples, and their facets."""

    lines: Lines
    facets: tuple[Facet, ...]


_SHELVES: OrderedDict[int, PhotographShelf] = OrderedDict()
_guard = Lock()


def _shelf(entry: Entry) -> PhotographShelf:
    data: CopsRef = entry.data
    with _guard:
        shelf = _SHELVES.get(id(data))
        if shelf is None:
            shelf = _SHELVES[id(data)] = PhotographShelf(data)
        _SHELVES.move_to_end(id(data))
        while len(_SHELVES) > MOST:
            _SHELVES.popitem(last=False)
        return shelf


def list_photographs(entry: Entry, wanted: Wanted, library: Library) -> Listing:
    """One page of a dataset.

    Raises:
        UnknownName: when something is asked for that does not exist.
        BrokenDataset: when something cannot be read.
    """
    shelf = _shelf(entry)
    if not shelf.has_codes and not any(wanted.get(name) for name in SEARCHED):
        return _without_codes(entry, library, shelf, wanted)
    codes = shelf.codes()
    text = wanted.get("text")
    found = choose(len(codes.lines.texts), codes.facets, wanted.values, [codes.lines.having(text)] if text else ())
    start, stop, pages = page_of(wanted, found.size)
    numbers = found.numbers(start, stop)
    fields = [field_of(facet, wanted, found.counts[facet.name]) for facet in codes.facets]
    fields.append(_text_field(wanted))
    return Listing(
        what="expressions",
        fields=tuple(fields),
        cards=tuple(_cards(entry, library, shelf, numbers)),
        total=found.size,
        page=wanted.page,
        pages=pages,
    )


def prepare(entry: Entry) -> None:
    """Read what a search needs."""
    _shelf(entry).codes()


def _without_codes(entry: Entry, library: Library, shelf: PhotographShelf, wanted: Wanted) -> Listing:
    """A page of everything or of a split, for which nothing but its rows is read."""
    split = wanted.get("split")
    if split and split not in entry.splits:
        raise UnknownName(f"nothing here has the split {split!r}; there are {', '.join(entry.splits)}")
    stretches = stretches_of(shelf.data.dataset.manifest["files"], split)
    total = sum(map(len, stretches))
    start, stop, pages = page_of(wanted, total)
    fields = (
        Field("split", "split", split, tuple(Choice(name, name, size) for name, size in entry.splits.items())),
        Field("form", "form", choices=tuple(Choice(form, form) for form in FORMS)),
        Field("length", "length", choices=tuple(Choice(*one) for one in LENGTH_LABELS.items())),
        Field("candidates", "candidates", choices=(Choice("", "being counted"),)),
        Field("there", "target", choices=tuple(Choice(*one) for one in CHANGES.items())),
        _text_field(wanted),
    )
    return Listing(
        what="expressions",
        fields=fields,
        cards=tuple(_cards(entry, library, shelf, places_in(stretches, start, stop))),
        total=total,
        page=wanted.page,
        pages=pages,
        is_final=False,
    )


def _text_field(wanted: Wanted) -> Field:
    return Field("text", "expression has", wanted.get("text"), hint='left "red cup"')


def _read_codes(rows: RowGroups, data: CopsRef) -> _Codes:
    columns: dict[str, list[Any]] = {name: [] for name in ("split", "form", "text", "object")}
    candidates: list[np.ndarray] = []
    objects = _ObjectCounts(data)
    for group in rows.groups():
        table = rows.read(group, [*columns, "image", "distractor_image"])
        for name, values in columns.items():
            values += [value or "" for value in table[name].to_pylist()]
        candidates.append(objects.shown(table))
    splits = _facet("split", columns["split"], [*data.splits])
    forms = _facet("form", columns["form"], FORMS)
    lengths = _facet("length", [length_of(text) for text in columns["text"]], LENGTHS, LENGTH_LABELS)
    counts = np.concatenate(candidates) if candidates else np.zeros(0, np.int64)
    shown = Facet("candidates", "candidates", counts, *ranges(counts, CANDIDATES, unit="objects"))
    there = _facet(
        "there", ["there" if one else "absent" for one in columns["object"]], tuple(CHANGES), CHANGES, "target"
    )
    return _Codes(Lines(columns["text"]), (splits, forms, lengths, shown, there))


def _facet(
    name: str, values: Sequence[str], known: Sequence[str], labels: Mapping[str, str] | None = None, label: str = ""
) -> Facet:
    names = list(dict.fromkeys([*known, *values]))
    numbers = {value: place for place, value in enumerate(names)}
    codes = np.fromiter((numbers[value] for value in values), np.uint16, len(values))
    tables = {value: np.arange(len(names)) == place for value, place in numbers.items() if value}
    return Facet(name, label or name, codes, tables, labels or {})


class _ObjectCounts:
    """How many objects images have, by their ids."""

    def __init__(self, data: CopsRef) -> None:
        sizes = np.diff(data.scenes.scene_ptr).tolist()
        self.sizes = dict(zip(data.scenes.image_ids, sizes, strict=True))

    def shown(self, table: Any) -> np.ndarray:
        """The number of candidates of every row: the objects of all images that are shown."""
        total = np.fromiter((self.sizes.get(image, 0) for image in table["image"].to_pylist()), np.int64, len(table))
        lists = table["distractor_image"].combine_chunks()
        lengths = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        sizes = np.fromiter((self.sizes.get(image, 0) for image in lists.flatten().to_pylist()), np.int64)
        row = np.repeat(np.arange(len(table)), lengths)
        return total + np.bincount(row, weights=sizes, minlength=len(table)).astype(np.int64)


def _cards(
    entry: Entry, library: Library, shelf: PhotographShelf, numbers: Sequence[int] | np.ndarray
) -> Iterator[Card]:
    for row in shelf.rows.take(numbers).to_pylist():
        chips = [Chip(row["split"], "split"), Chip(row["form"], "form")]
        images = 1 + len(row["distractor_image"] or ())
        chips.append(Chip(f"{images} image{'' if images == 1 else 's'}"))
        if not row["object"]:
            chips.append(Chip("nothing fits", f"changed: {row['changed'] or row['change']}", "fair"))
        picture, fault = None, ""
        try:
            scenes = shelf.data.scenes
            scene = scenes.scene(scenes.find(row["image"]))
            picture = photograph_picture(entry, library, scene, row["object"])
        except DeixisError as error:
            fault = str(error)
        yield Card(f"/d/{entry.slug}/{row['id']}", row["text"], picture, tuple(chips), fault)
