"""Pages from templates, and those that were made a moment ago, so that many visitors of one cost as much as one.

What comes from data or users is escaped; only markup that our own makers wrote is not. Templates and static files of a
world lie in the folder of its pages: `grid/example.html` is the template `example.html` of the world `grid`.

A page is kept under its address and the state of the library. It is made again when that state changes, and after a
minute in any case, for what the library does not look at (a picture that was added to a dataset, say).
"""

from __future__ import annotations

import gzip
from asyncio import Future, ensure_future, shield
from collections import OrderedDict
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response

from deixis._studio.world_pages import all_pages
from deixis._version import __version__
from deixis.report._templates import make_environment


if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.background import BackgroundTask
    from starlette.requests import Request

    from deixis._studio.library import Library


HERE = Path(__file__).parent
MOST_BYTES = 32 << 20  # of all pages that are kept, packed
FRESH_SECONDS = 60
OK = 200


def library_of(request: Request) -> Library:
    """Return the library of the studio of a request."""
    library: Library = request.app.state.library
    return library


def render(request: Request, template: str, /, *, status: int = 200, **values: Any) -> Response:
    """Render a page, or a fragment of one, from a template."""
    return HTMLResponse(render_text(template, request=request, path=request.url.path, **values), status)


def render_text(template: str, /, **values: Any) -> str:
    """A template filled in."""
    prefixed = tuple((name, folder / "templates") for name, folder in folders().items())
    environment = make_environment(HERE / "templates", prefixed)
    return environment.get_template(template).render(version=__version__, navigation=navigation, **values)


def folders() -> dict[str, Path]:
    """The folders with templates and static files of worlds, by the name of the world."""
    return {pages.world.name: pages.folder for pages in all_pages() if pages.folder is not None}


def navigation() -> list[tuple[str, str]]:
    """Return the links in the head of every page: addresses and names."""
    own = [link for pages in all_pages() for link in pages.navigation.items()]
    return [("/", "Datasets"), *own, ("/play", "Play"), ("/results", "Results")]


# -------------------------------------------------------------------------------- pages that are kept


class Pages:
    """The pages of a running studio that were made lately, packed."""

    def __init__(self) -> None:
        self.kept: OrderedDict[tuple[Any, ...], tuple[float, bytes]] = OrderedDict()
        self.pending: dict[tuple[Any, ...], Future[Any]] = {}
        self.size = 0

    def begin(self, key: tuple[Any, ...], make: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Start making something, or join the making that an earlier request started.

        It is finished even if they go away.
        """
        if key not in self.pending:
            made = self.pending[key] = ensure_future(run_in_threadpool(make, *arguments))
            made.add_done_callback(lambda done: self._end(key, done))
        return self.pending[key]

    def _end(self, key: tuple[Any, ...], done: Future[Any]) -> None:
        self.pending.pop(key, None)
        if not done.cancelled():
            done.exception()  # known to those who wait, if there still are any

    def find(self, key: tuple[Any, ...]) -> bytes | None:
        """A page, if it was made lately."""
        made, page = self.kept.get(key, (0.0, b""))
        return page if page and monotonic() - made < FRESH_SECONDS else None

    def keep(self, key: tuple[Any, ...], page: bytes) -> None:
        """Keep a page, and drop the oldest ones beyond the limit."""
        self.size += len(page) - len(self.kept.pop(key, (0.0, b""))[1])
        self.kept[key] = monotonic(), page
        while self.size > MOST_BYTES:
            _, (_, oldest) = self.kept.popitem(last=False)
            self.size -= len(oldest)


def pages_of(request: Request) -> Pages:
    """The pages that the studio of a request keeps."""
    state = request.app.state
    if not hasattr(state, "kept_pages"):
        state.kept_pages = Pages()
    pages: Pages = state.kept_pages
    return pages


def cache_pages(make: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that keeps its pages, which depend on nothing but their address and the library."""

    async def endpoint(request: Request) -> Response:
        pages, library = pages_of(request), library_of(request)
        preparing = request.app.state.preparing
        if preparing is not None and not preparing.stage.is_over:  # the next look shows something else
            await run_in_threadpool(library.refresh)
            return await run_in_threadpool(make, request)
        await shield(pages.begin(("look again",), library.refresh))
        key = (request.url.path, request.url.query, library.version)
        page = pages.find(key)
        if page is None:
            made: Response = await shield(pages.begin(key, make, request))
            if made.status_code != OK:
                return made
            page = await run_in_threadpool(pack_page, bytes(made.body))
            pages.keep(key, page)
        return send_packed(request, page, "text/html")

    endpoint.__name__, endpoint.__doc__ = make.__name__, make.__doc__
    return endpoint


def pack_page(page: bytes) -> bytes:
    """Compress a page as it is kept, since pages are many small pictures alike."""
    return gzip.compress(page, 5, mtime=0)


def send_packed(request: Request, page: bytes, kind: str, background: BackgroundTask | None = None) -> Response:
    """A packed page, unpacked for those who cannot do that themselves."""
    headers = {"vary": "accept-encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
    else:
        page = gzip.decompress(page)
    return Response(page, media_type=kind, headers=headers, background=background)
