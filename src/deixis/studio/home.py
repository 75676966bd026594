"""The first page: what there is to see; and the files that every page needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from deixis.errors import DeixisError
from deixis.studio.filters import Wanted
from deixis.studio.gallery import listing_of
from deixis.studio.pages import HERE, library_of, render


if TYPE_CHECKING:
    from starlette.requests import Request

    from deixis.studio.filters import Card
    from deixis.studio.library import Entry


__all__ = ["ROUTES"]

TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def home(request: Request) -> Response:
    """Datasets and results."""
    library = library_of(request)
    library.refresh()
    datasets = library.of_kind("grid", "a3ds", "copsref")
    return render(
        request,
        "home.html",
        title="Studio",
        datasets=datasets,
        covers={entry.slug: _cover(request, entry) for entry in datasets},
        runs=library.of_kind("run"),
    )


def _cover(request: Request, entry: Entry) -> Card | None:
    """An example of a dataset, from its test set where it has one; nothing where none can be shown."""
    covers: dict[tuple[str, int], Card | None] = request.app.state.__dict__.setdefault("covers", {})
    key = (entry.slug, entry.stamp)
    if key not in covers:
        try:
            from_test = {"split": "test"} if entry.kind != "a3ds" and "test" in entry.splits else {}
            cards = listing_of(entry, Wanted(from_test), library_of(request)).cards
        except (DeixisError, OSError):
            cards = ()
        covers[key] = next((card for card in cards if card.picture is not None), None)
    return covers[key]


def static(request: Request) -> Response:
    """A file of the studio's own, by its bare name."""
    name = request.path_params["name"]
    known = {path.name: path for path in (HERE / "static").iterdir() if path.suffix in TYPES}
    if name not in known:
        return PlainTextResponse("There is no such file.", 404)
    kind = TYPES[known[name].suffix]
    return Response(known[name].read_bytes(), media_type=kind, headers={"cache-control": "no-cache"})


ROUTES = (Route("/", home), Route("/static/{name}", static))
