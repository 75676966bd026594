"""The gallery of a dataset, and the way from there to the page of each example."""

from __future__ import annotations

import gzip
import json
from asyncio import Future, ensure_future, shield
from collections import OrderedDict
from contextlib import suppress
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from deixis.errors import DeixisError, UnknownName
from deixis.studio.filters import Wanted
from deixis.studio.gallery_grid import list_grid
from deixis.studio.gallery_photographs import list_photographs
from deixis.studio.gallery_photographs import prepare as prepare_photographs
from deixis.studio.gallery_rooms import list_rooms
from deixis.studio.pages import library_of, render_text
from deixis.studio.pictures import IMAGE_ROUTES
from deixis.studio.rows import grid_shelf


if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from deixis.studio.filters import Listing
    from deixis.studio.library import Entry, Library


__all__ = ["ROUTES", "listing_of"]

ABOUT = {
    "grid": "Instructions in grid worlds",
    "a3ds": "Captions of 3D Shapes",
    "copsref": "Expressions about photographs",
}
PARTS = ("", "list", "counts")
MOST_PAGES = 96  # that are kept, some ten kilobytes each
FRESH_SECONDS = 60


class Pages:
    """Pages that were made a moment ago, so that many visitors of one page cost as much as one."""

    def __init__(self) -> None:
        self.kept: OrderedDict[tuple[Any, ...], tuple[float, bytes]] = OrderedDict()
        self.pending: dict[tuple[Any, ...], Future[tuple[bytes, bool]]] = {}

    def begin(
        self, key: tuple[Any, ...], make: Callable[..., tuple[bytes, bool]], *arguments: Any
    ) -> Future[tuple[bytes, bool]]:
        """A page that is being made, by whoever asked for it first; it is finished even if they go away."""
        if key not in self.pending:
            made = self.pending[key] = ensure_future(run_in_threadpool(make, *arguments))
            made.add_done_callback(lambda done: self._end(key, done))
        return self.pending[key]

    def _end(self, key: tuple[Any, ...], done: Future[tuple[bytes, bool]]) -> None:
        self.pending.pop(key, None)
        if not done.cancelled():
            done.exception()  # known to those who wait, if there still are any

    def find(self, key: tuple[Any, ...]) -> bytes | None:
        """A page, if it was made lately."""
        made, page = self.kept.get(key, (0.0, b""))
        return page if page and monotonic() - made < FRESH_SECONDS else None

    def keep(self, key: tuple[Any, ...], page: bytes) -> None:
        """Keep a page; the oldest go."""
        self.kept[key] = monotonic(), page
        self.kept.move_to_end(key)
        while len(self.kept) > MOST_PAGES:
            self.kept.popitem(last=False)


async def gallery(request: Request) -> Response:
    """One page of a dataset, or where the query has `part=list`, the list alone."""
    library = library_of(request)
    entry = library.find(request.path_params["slug"], "grid", "a3ds", "copsref")
    pages = _pages(request)
    key = (entry.slug, entry.stamp, request.url.query, tuple(run.slug for run in library.of_kind("run")))
    page = pages.find(key)
    after = None
    if page is None:
        after = BackgroundTask(_prepare, entry) if entry.kind != "a3ds" else None
        made, is_final = await shield(pages.begin(key, _made, request, entry, library))
        if is_final:
            pages.keep(key, made)
        page = made
    kind = "application/json" if request.query_params.get("part") == "counts" else "text/html"
    headers = {"vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
    else:
        page = gzip.decompress(page)
    return Response(page, media_type=kind, headers=headers, background=after)


def _pages(request: Request) -> Pages:
    state = request.app.state
    if not hasattr(state, "gallery_pages"):
        state.gallery_pages = Pages()
    pages: Pages = state.gallery_pages
    return pages


def _prepare(entry: Entry) -> None:
    """Read what the next question will need, now that this one is answered."""
    with suppress(DeixisError):  # whoever asks the next question will be told
        if entry.kind == "grid":
            grid_shelf(entry).prepare()
        else:
            prepare_photographs(entry)


def _made(request: Request, entry: Entry, library: Library) -> tuple[bytes, bool]:
    """The page, packed, since it is many small pictures alike; and whether it would be the same when made again."""
    part = request.query_params.get("part", "")
    if part not in PARTS:
        raise UnknownName(f"a gallery has no part {part[:40]!r}")
    wanted = Wanted.of(request.query_params)
    if part:  # the form wants its counts
        _count(entry)
    listing = listing_of(entry, wanted, library)
    if part == "counts":
        return _packed(json.dumps(_counts(listing))), listing.is_final
    path = f"/d/{entry.slug}"
    shown = render_text(
        "gallery_list.html" if part else "gallery.html",
        path=path,
        title=entry.title,
        entry=entry,
        about=ABOUT[entry.kind],
        listing=listing,
        counts=json.dumps(_counts(listing)),
        pager=_pager(path, wanted, listing),
        is_filtered=bool(wanted.values),
    )
    return _packed(shown), listing.is_final


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode(), 5, mtime=0)


def _count(entry: Entry) -> None:
    if entry.kind == "grid":
        grid_shelf(entry).codes()
    elif entry.kind == "copsref":
        prepare_photographs(entry)


def listing_of(entry: Entry, wanted: Wanted, library: Library) -> Listing:
    """A page of the gallery of a dataset."""
    match entry.kind:
        case "grid":
            return list_grid(entry, wanted, library)
        case "copsref":
            return list_photographs(entry, wanted, library)
    return list_rooms(entry, wanted)


def _counts(listing: Listing) -> dict[str, list[tuple[str, str, int | None]]]:
    """The choices of every field, for the form that stays while the list is exchanged."""
    if not listing.is_final:
        return {}
    return {
        field.name: [(choice.value, choice.label, choice.count) for choice in field.choices]
        for field in listing.fields
        if field.choices
    }


def _pager(path: str, wanted: Wanted, listing: Listing) -> list[tuple[str, str, bool]]:
    """What leads to other pages: words, address and whether it is the page that is shown."""
    if listing.onward:
        return [("Look on", listing.onward, False)]
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
    """The page of an example: of a grid dataset by its number, of one about photographs by its id."""
    entry = library_of(request).find(request.path_params["slug"], "grid", "copsref")
    part = "grid" if entry.kind == "grid" else "photographs"
    return _page(part, "example_page", request, entry, request.path_params["number"])


def image(request: Request) -> Response:
    """The page of an image of 3D Shapes."""
    entry = library_of(request).find(request.path_params["slug"], "a3ds")
    return _page("shapes", "image_page", request, entry, request.path_params["number"])


def pair(request: Request) -> Response:
    """The page of a pair of such images."""
    entry = library_of(request).find(request.path_params["slug"], "a3ds")
    return _page("shapes", "pair_page", request, entry, request.path_params["set"], request.path_params["number"])


def _page(part: str, name: str, *arguments: Any) -> Response:
    page: Response = getattr(import_module(f"deixis.studio.{part}"), name)(*arguments)
    return page


ROUTES = (
    Route("/d/{slug}", gallery),
    *IMAGE_ROUTES,
    Route("/d/{slug}/{number:int}", example),
    Route("/d/{slug}/image/{number:int}", image),
    Route("/d/{slug}/{set}/{number:int}", pair),
)
