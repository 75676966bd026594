"""The gallery of expressions about photographs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup, escape

from deixis._studio.catalogue import Catalogue, list_catalogue
from deixis._studio.filters import (
    ORDER,
    Card,
    Chip,
    Choice,
    Facet,
    Field,
    Lines,
    Listing,
    list_uncounted,
    order_field,
    ranges,
    set_facet,
    stretches_of,
)
from deixis._studio.library import Shelf, shelf_of
from deixis._studio.meanings import CLAUSES, uncounted_fields
from deixis._studio.meanings import NAMES as MEANINGS
from deixis.data._row_groups import RowGroups
from deixis.errors import DeixisError, UnknownName
from deixis.worlds.photos.data.store import COLUMNS
from deixis.worlds.photos.localise import FORMS, LENGTHS, length_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis._studio.filters import PageQuery
    from deixis._studio.library import Entry
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.scene.graph import GraphScene


CANDIDATES = (10, 20, 40, 60, 80, 120, 160, 240, 400)  # last number of each group
LENGTH_LABELS = {"short": "short, below 10 words", "middle": "10 to 20 words", "long": "long, above 20 words"}
CHANGES = {"there": "it is there", "absent": "nothing fits"}
SEARCHED = ("form", "length", "candidates", "text", "there", "served", *MEANINGS, ORDER)


class PhotographShelf(Shelf["_Codes"]):
    """A dataset about photographs: its rows by number, and after the first search their facets."""

    data: CopsRef

    @cached_property
    def rows(self) -> RowGroups:
        """The rows by number, over all files in the order of the manifest."""
        listed = self.data.dataset.manifest["files"]
        return RowGroups([(self.data.path / entry["path"], entry["rows"]) for entry in listed], COLUMNS.names)

    def read_codes(self) -> _Codes:
        """Read the facets of every example."""
        return _read_codes(self.rows, self.data)


@dataclass(frozen=True, eq=False)
class _Codes:
    """The texts of all examples, their facets, and the numbers by which they are sorted."""

    lines: Lines
    facets: tuple[Facet, ...]
    words: np.ndarray
    candidates: np.ndarray


def list_photographs(entry: Entry, wanted: PageQuery) -> Listing:
    """Show one page of a dataset.

    Raises:
        UnknownName: when something is asked for that does not exist.
        BrokenDataset: when something cannot be read.
    """
    shelf = shelf_of(entry, PhotographShelf)
    if not shelf.has_codes and not any(wanted.get(name) for name in SEARCHED):
        return _without_codes(entry, shelf, wanted)
    return list_catalogue(entry, photograph_catalogue(entry, wanted), wanted)


def photograph_catalogue(entry: Entry, wanted: PageQuery) -> Catalogue:
    """Return all expressions with what can be asked of them."""
    shelf = shelf_of(entry, PhotographShelf)
    codes = shelf.codes()
    return Catalogue(
        what="expressions",
        size=len(codes.lines.texts),
        facets=codes.facets,
        cards=lambda numbers: _cards(entry, shelf, numbers),
        having=lambda text: [codes.lines.having(text)],
        text=_text_field(wanted),
        sizes={"words": codes.words, "candidates": codes.candidates},
    )


def prepare(entry: Entry) -> None:
    """Read the codes that a search needs."""
    shelf_of(entry, PhotographShelf).codes()


def _without_codes(entry: Entry, shelf: PhotographShelf, wanted: PageQuery) -> Listing:
    """Return a page of everything or of a split, for which nothing but its rows is read."""
    split = wanted.get("split")
    if split and split not in entry.splits:
        raise UnknownName(f"nothing here has the split {split!r}; there are {', '.join(entry.splits)}")
    stretches = stretches_of(shelf.data.dataset.manifest["files"], split)
    fields = (
        Field("split", "split", split, tuple(Choice(name, name, size) for name, size in entry.splits.items())),
        Field("form", "form", choices=tuple(Choice(form, form) for form in FORMS)),
        Field("length", "length", choices=tuple(Choice(*one) for one in LENGTH_LABELS.items())),
        Field("candidates", "candidates", choices=(Choice("", "being counted"),)),
        Field("there", "target", choices=tuple(Choice(*one) for one in CHANGES.items())),
        Field("served", "distractors for", choices=(Choice("", "being counted"),)),
        *uncounted_fields(),
        order_field(wanted, ("words", "candidates", CLAUSES)),
        _text_field(wanted),
    )
    return list_uncounted("expressions", wanted, stretches, fields, lambda numbers: _cards(entry, shelf, numbers))


def _text_field(wanted: PageQuery) -> Field:
    return Field("text", "expression has", wanted.get("text"), hint='left "red cup"')


def _read_codes(rows: RowGroups, data: CopsRef) -> _Codes:
    columns: dict[str, list[Any]] = {name: [] for name in ("split", "form", "text", "object")}
    candidates: list[np.ndarray] = []
    served: list[tuple[str, ...]] = []
    objects = _ObjectCounts(data)
    for group in rows.groups():
        table = rows.read(group, [*columns, "image", "distractor_image", "distractor_kind"])
        for name, values in columns.items():
            values += [value or "" for value in table[name].to_pylist()]
        served += [tuple(sorted(set(kinds or ()))) for kinds in table["distractor_kind"].to_pylist()]
        candidates.append(objects.count_candidates(table))
    splits = _facet("split", columns["split"], [*data.splits])
    forms = _facet("form", columns["form"], FORMS)
    lengths = _facet("length", [length_of(text) for text in columns["text"]], LENGTHS, LENGTH_LABELS)
    counts = np.concatenate(candidates) if candidates else np.zeros(0, np.int64)
    shown = Facet("candidates", "candidates", counts, *ranges(counts, CANDIDATES, unit="objects"))
    there = _facet(
        "there", ["there" if one else "absent" for one in columns["object"]], tuple(CHANGES), CHANGES, "target"
    )
    words = np.array([len(text.split()) for text in columns["text"]], np.int64)
    kinds = set_facet("served", "distractors for", served)
    return _Codes(Lines(columns["text"]), (splits, forms, lengths, shown, there, kinds), words, counts)


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

    def count_candidates(self, table: Any) -> np.ndarray:
        """Return the number of candidates of every row: the objects of all images that are shown."""
        total = np.fromiter((self.sizes.get(image, 0) for image in table["image"].to_pylist()), np.int64, len(table))
        lists = table["distractor_image"].combine_chunks()
        lengths = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        sizes = np.fromiter((self.sizes.get(image, 0) for image in lists.flatten().to_pylist()), np.int64)
        row = np.repeat(np.arange(len(table)), lengths)
        return total + np.bincount(row, weights=sizes, minlength=len(table)).astype(np.int64)


def _cards(entry: Entry, shelf: PhotographShelf, numbers: Sequence[int] | np.ndarray) -> Iterator[Card]:
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
            picture = photograph_picture(entry, scene, row["object"])
        except DeixisError as error:
            fault = str(error)
        yield Card(f"/d/{entry.slug}/{row['id']}", row["text"], picture, tuple(chips), fault)


def photograph_picture(entry: Entry, scene: GraphScene, target: str) -> Markup:
    """Draw a photograph with a box around the target, or without a picture the boxes of all its objects."""
    width, height = int(scene.width), int(scene.height)
    lines = [f'<svg viewBox="0 0 {width} {height}" class="photo" aria-hidden="true">']
    is_there = has_picture(entry, scene.image_id)
    if is_there:
        address = f"/d/{entry.slug}/picture/{escape(scene.image_id)}.png?small=1"
        lines.append(f'<image href="{address}" width="{width}" height="{height}"/>')
    else:
        lines.append(f'<rect class="canvas" width="{width}" height="{height}"/>')
    letters = max(10, width // 26)
    for index, (x, y, w, h) in enumerate(scene.boxes):
        is_target = scene.object_ids[index] == target
        if not is_target and is_there:
            continue
        kind = "target" if is_target else "other"
        lines.append(f'<rect class="box {kind}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}"/>')
        if is_target or (not is_there and w * h > width * height / 60):
            lines.append(
                f'<text x="{x + 4:g}" y="{y + letters:g}" font-size="{letters}">{escape(scene.names[index])}</text>'
            )
    return Markup("".join([*lines, "</svg>"]))  # noqa: S704 (names are escaped)


def has_picture(entry: Entry, image: str) -> bool:
    """Return whether the picture of a photograph is at hand."""
    return bool(entry.data.photographs.has(image))
