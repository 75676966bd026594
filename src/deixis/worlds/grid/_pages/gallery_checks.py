"""Checks as a filter of galleries of grids, which run while a page is made."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis._studio.filters import PAGE, Chip, Field, Listing
from deixis.data.checks import MAX_FINDINGS
from deixis.errors import DeixisError, UnknownName
from deixis.worlds.grid._pages.gallery_cards import draw_cards
from deixis.worlds.grid.checks import check_tables
from deixis.worlds.grid.checks._registry import CHECKS


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis._studio.filters import PageQuery
    from deixis._studio.library import Entry
    from deixis.worlds.grid._pages.shelf import GridShelf


ANY = "any"
CHECKED = 2_048  # rows that are checked together
PATIENCE_SECONDS = 0.6  # for one page of findings


def list_checked(
    entry: Entry, shelf: GridShelf, wanted: PageQuery, kept: np.ndarray, fields: tuple[Field, ...]
) -> Listing:
    """The next examples in which checks find something, which run now for `PATIENCE_SECONDS`."""
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
    cards = tuple(draw_cards(entry, shelf, listed, findings=found))
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
