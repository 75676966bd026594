"""The first page: what there is to see; and the files that every page needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from deixis.studio.pages import HERE, library_of, render


if TYPE_CHECKING:
    from starlette.requests import Request


__all__ = ["ROUTES"]

TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def home(request: Request) -> Response:
    """Datasets and results."""
    library = library_of(request)
    library.refresh()
    return render(
        request,
        "home.html",
        title="Studio",
        datasets=library.of_kind("grid", "a3ds", "copsref"),
        runs=library.of_kind("run"),
    )


def static(request: Request) -> Response:
    """A file of the studio's own, by its bare name."""
    name = request.path_params["name"]
    known = {path.name: path for path in (HERE / "static").iterdir() if path.suffix in TYPES}
    if name not in known:
        return PlainTextResponse("There is no such file.", 404)
    kind = TYPES[known[name].suffix]
    return Response(known[name].read_bytes(), media_type=kind, headers={"cache-control": "no-cache"})


ROUTES = (Route("/", home), Route("/static/{name}", static))
