"""The gallery of a dataset, the page of each example, and the way through a filtered list.

An address such as `/d/reascan/3777?in=verb%3Dpush` is an example together with the filter under which it was found: its
page leads to what lies before and after it among those that the filter leaves.
"""

from __future__ import annotations

import json
from asyncio import shield
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from starlette.background import BackgroundTask
from starlette.datastructures import QueryParams
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from deixis._studio.filters import LONGEST, ORDER, PAGE, PageQuery, next_shuffle
from deixis._studio.meanings import prepare_meanings
from deixis._studio.pages import cache_pages, library_of, pack_page, pages_of, render_text, send_packed
from deixis._studio.saved import MAX_SAVED, as_lines, as_parquet, draw_sheet
from deixis.errors import DeixisError, UnknownName


if TYPE_CHECKING:
    from starlette.requests import Request

    from deixis._studio.filters import Listing
    from deixis._studio.library import Entry, Library


PARTS = ("", "list", "counts")
MAX_DIGITS = 12  # of the number of an example
SAVED = (("Parquet", "examples.parquet"), ("JSON Lines", "examples.jsonl"), ("a sheet of pictures (PNG)", "sheet.png"))
FORMS = {"parquet": (as_parquet, "application/vnd.apache.parquet"), "jsonl": (as_lines, "application/jsonl")}
PICTURE = {  # of whoever wrote the world: it is drawn, and does nothing else
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    "cache-control": "private, max-age=3600",
}


async def gallery(request: Request) -> Response:
    """One page of a dataset, or where the query has `part=list`, the list alone."""
    library = library_of(request)
    entry = library.find_dataset(request.path_params["slug"])
    pages = pages_of(request)
    runs = tuple(run.slug for run in library.runs)
    key = (request.url.path, request.url.query, entry.stamp, runs)
    page = pages.find(key)
    after = None
    if page is None:
        after = BackgroundTask(_prepare, entry)
        made, is_final = await shield(pages.begin(key, _make_page, request, entry, library))
        if is_final:
            pages.keep(key, made)
        page = made
    kind = "application/json" if request.query_params.get("part") == "counts" else "text/html"
    return send_packed(request, page, kind, after)


def _prepare(entry: Entry) -> None:
    """Read what the next question will need, now that this one is answered."""
    with suppress(DeixisError):  # whoever asks the next question will be told
        entry.pages.prepare(entry)
        prepare_meanings(entry)


def _make_page(request: Request, entry: Entry, library: Library) -> tuple[bytes, bool]:
    """Return the page, packed, since it is many small pictures alike, and whether it is final."""
    part = request.query_params.get("part", "")
    if part not in PARTS:
        raise UnknownName(f"a gallery has no part {part[:40]!r}")
    wanted = PageQuery.of(request.query_params)
    if part:  # the form wants its counts
        entry.pages.count(entry)
    listing = _carrying(entry.pages.list_examples(entry, wanted, library), wanted)
    if part == "counts":
        return pack_page(json.dumps(_counts(listing)).encode()), listing.is_final
    path = f"/d/{entry.slug}"
    shown = render_text(
        "gallery_list.html" if part else "gallery.html",
        path=path,
        title=entry.title,
        entry=entry,
        about=entry.pages.about,
        listing=listing,
        counts=json.dumps(_counts(listing)),
        pager=_pager(path, wanted, listing),
        is_filtered=bool(wanted.values),
        saved=_save_links(entry, wanted),
        shuffled=wanted.address(path, **{ORDER: next_shuffle(wanted.get(ORDER))}),
    )
    return pack_page(shown.encode()), listing.is_final


def _save_links(entry: Entry, wanted: PageQuery) -> list[tuple[str, str]]:
    """What the examples that are found can be saved as: names and addresses; nothing where they cannot."""
    if "check" in wanted.values:
        return []
    query = wanted.address("")
    return [(name, f"/d/{entry.slug}/{file}{query}") for name, file in SAVED]


def _carrying(listing: Listing, wanted: PageQuery) -> Listing:
    """The listing with addresses from which one can go on within the filter."""
    cards = tuple(replace(card, address=card.address + wanted.carried) for card in listing.cards)
    return replace(listing, cards=cards)


def _counts(listing: Listing) -> dict[str, list[tuple[str, str, int | None]]]:
    """The choices of every field, for the form that stays while the list is exchanged."""
    if not listing.is_final:
        return {}
    return {
        field.name: [(choice.value, choice.label, choice.count) for choice in field.choices]
        for field in listing.fields
        if field.choices
    }


def _pager(path: str, wanted: PageQuery, listing: Listing) -> list[tuple[str, str, bool]]:
    """What leads to other pages: words, address and whether it is the page that is shown."""
    if listing.onward:
        return [("Look again" if listing.is_waiting else "Look on", listing.onward, False)]
    page, last = listing.page, listing.pages
    if last <= 1:
        return []
    near = sorted({1, *range(max(1, page - 2), min(last, page + 2) + 1), last})
    links = [("← Previous", wanted.address(path, page=page - 1), False)] if page > 1 else []
    before = 0
    for number in near:
        if number > before + 1:
            links.append(("…", "", False))
        links.append((f"{number:,}", wanted.address(path, page=number), number == page))
        before = number
    return [*links, ("Next →", wanted.address(path, page=page + 1), False)] if page < last else links


# -------------------------------------------------------------------------------- examples


def example(request: Request) -> Response:
    """The page of an example."""
    entry = library_of(request).find_dataset(request.path_params["slug"])
    return entry.pages.example(request, entry, request.path_params["number"])


def picture(request: Request) -> Response:
    """The picture of an example, as a file of its own."""
    entry = library_of(request).find_dataset(request.path_params["slug"])
    drawn = entry.pages.picture(entry, request.path_params["number"])
    return Response(drawn, media_type="image/svg+xml", headers=PICTURE)


class Way(NamedTuple):
    """The place of an example among those that pass a filter.

    Attributes:
        back: the address of the page on which it is listed, of the gallery or of results.
        place: its place, counted from 1.
        total: how many the filter leaves.
        before, after: the addresses of its neighbours; empty where there is none.
    """

    back: str
    place: int
    total: int
    before: str
    after: str


def find_way(request: Request, entry: Entry, number: int) -> Way | None:
    """Return the way through the filter that an address carries, or None without a filter that this example passes.

    Args:
        request: asks for the page of an example.
        entry: its dataset.
        number: what the filter of its world calls it, its place in the dataset say.
    """
    said = request.query_params.get("in", "")
    if not said:
        return None
    from deixis._studio.results import AMONG, find_place

    try:
        if AMONG in QueryParams(said):
            found = find_place(library_of(request), said, request.url.path)
            return None if found is None else Way(*found)
        wanted = PageQuery.of(QueryParams(said))
        if not wanted.carried:
            return None
        numbers, address = entry.pages.filter_examples(entry, wanted, library_of(request))
    except (DeixisError, OSError):
        return None
    places = np.flatnonzero(numbers == number)
    if not len(places):
        return None
    place = int(places[0])
    page = wanted.address(f"/d/{entry.slug}", page=place // PAGE + 1 if place >= PAGE else "")
    before, after = (
        address(int(numbers[at])) + wanted.carried if 0 <= at < len(numbers) else "" for at in (place - 1, place + 1)
    )
    return Way(page, place + 1, len(numbers), before, after)


# -------------------------------------------------------------------------------- what is found


def go(request: Request) -> Response:
    """Lead to the page of an example by its number, or by its id in the dataset."""
    entry = library_of(request).find_dataset(request.path_params["slug"])
    said = request.query_params.get("id", "").strip()
    if said:
        if len(said) > LONGEST:
            raise DeixisError(f"an id has at most {LONGEST} letters")
        return RedirectResponse(entry.pages.address(entry, entry.pages.find_id(entry, said), PageQuery({})), 303)
    said = request.query_params.get("number", "").strip()
    if not (said.isascii() and said.isdecimal() and len(said) < MAX_DIGITS):
        raise DeixisError(f"examples are numbered from 0, got {said[:20]!r}")
    return RedirectResponse(f"/d/{entry.slug}/{int(said)}", 303)


def download(request: Request) -> Response:
    """The examples that a filter leaves, as Parquet or JSON Lines, in the order of the gallery."""
    entry, wanted, numbers = _filter_of(request)
    form = request.path_params["form"]
    if form not in FORMS:
        raise UnknownName(f"examples are saved as {' or '.join(FORMS)}, not as {form[:20]!r}")
    if len(numbers) > MAX_SAVED:
        raise DeixisError(f"at most {MAX_SAVED:,} examples can be saved here, and these are {len(numbers):,}")
    write, kind = FORMS[form]
    headers = {"content-disposition": f'attachment; filename="{entry.slug}.{form}"'}
    return Response(write(entry.pages.table(entry, numbers, wanted)), media_type=kind, headers=headers)


def sheet(request: Request) -> Response:
    """The first examples that a filter leaves, as one picture."""
    entry, wanted, numbers = _filter_of(request)
    headers = {"content-disposition": f'inline; filename="{entry.slug}.png"'}
    return Response(draw_sheet(entry, numbers, wanted), media_type="image/png", headers=headers)


def _filter_of(request: Request) -> tuple[Entry, PageQuery, np.ndarray]:
    """Return the dataset of a request, its filter, and the numbers of the examples that this leaves."""
    library = library_of(request)
    entry = library.find_dataset(request.path_params["slug"])
    wanted = PageQuery.of(request.query_params)
    if "check" in wanted.values:
        raise DeixisError("findings of a check are counted page by page and cannot be saved; `deixis check` lists them")
    return entry, wanted, entry.pages.filter_examples(entry, wanted, library)[0]


ROUTES = (
    Route("/d/{slug}", gallery),
    Route("/d/{slug}/go", go),
    Route("/d/{slug}/examples.{form}", download),
    Route("/d/{slug}/sheet.png", sheet),
    Route("/d/{slug}/{number:int}", cache_pages(example)),
    Route("/d/{slug}/{number:int}/picture.svg", picture),
)
