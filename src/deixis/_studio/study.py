"""A study for its participants, without anything else of the studio: one page, its pictures, and three requests.

| address | |
|---|---|
| `/` | the page, with a token or the ids of Prolific in its address |
| `/enter` | lets a participant in, or back in: the items, and how many are answered |
| `/answer` | keeps an answer, and replies when it is on the disk |
| `/finish` | the completion code, once everything is answered |
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from deixis._studio.guard import Guard
from deixis._study.bundle import DATA, PAGE, PAGE_FILES, data_script, image_names, page_data
from deixis._study.design import IMAGES
from deixis._study.sessions import Refusal, Sessions
from deixis.errors import DeixisError


if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from deixis._study.design import Study


LARGEST = 1 << 16  # bytes of an answer
FOREVER = {"cache-control": "private, max-age=86400, immutable"}


def make_study_app(study: Study, *, hosts: Iterable[str] = ()) -> ASGIApp:
    """Return the application that serves a study.

    Args:
        study: what is served.
        hosts: names under which it may be called, besides those of this machine.
    """
    sessions = Sessions(study)
    data = data_script(page_data(study, served=True)).encode()
    images = frozenset(image_names(study))
    items = json.dumps(sessions.items, ensure_ascii=False, separators=(",", ":"))

    def page(request: Request) -> Response:
        """The page, its sheet or its script."""
        name = request.path_params.get("name", "index.html")
        return FileResponse(PAGE / name)

    def page_values(request: Request) -> Response:
        """The texts of the page."""
        del request
        return Response(data, media_type="text/javascript")

    def picture(request: Request) -> Response:
        """A picture of an item."""
        name = request.path_params["name"]
        if name not in images:
            raise HTTPException(404, "There is no such picture.")
        return FileResponse(study.folder / IMAGES / name, headers=FOREVER)

    def enter(values: dict[str, Any], address: str) -> str:
        told = json.dumps(sessions.enter(values, address=address))
        return f'{told[:-1]}, "items": {items}}}'  # written once for everybody

    def answer(values: dict[str, Any], address: str) -> str:
        del address
        return json.dumps(sessions.answer(values))

    def finish(values: dict[str, Any], address: str) -> str:
        del address
        return json.dumps(sessions.finish(values))

    routes = [
        Route("/", page),
        *(Route(f"/{name}", _bound(page, name)) for name in PAGE_FILES if name != "index.html"),
        Route(f"/{DATA}", page_values),
        Route("/images/{name}", picture),
        *(Route(f"/{step.__name__}", _taking(step), methods=["POST"]) for step in (enter, answer, finish)),
    ]
    handlers: Any = {Refusal: _refusal, DeixisError: _mistake, HTTPException: _missing, Exception: _fault}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), frozenset(hosts))


def _bound(page: Callable[[Request], Response], name: str) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        request.path_params["name"] = name
        return page(request)

    return endpoint


def _taking(step: Callable[[dict[str, Any], str], str]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint for a step from plain values, and the address that they come from, to JSON."""

    async def endpoint(request: Request) -> Response:
        if "application/json" not in request.headers.get("content-type", ""):
            raise Refusal(415, "Answers are sent as JSON.")
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST:
                raise Refusal(413, f"An answer has at most {LARGEST >> 10} kB.")
        try:
            values = json.loads(bytes(body), parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            raise Refusal(422, "This is no JSON object.")
        address = request.client.host if request.client else ""
        return Response(await run_in_threadpool(step, values, address), media_type="application/json")

    return endpoint


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _refusal(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, Refusal)
    return JSONResponse({"error": str(error), **error.more}, error.status)


def _mistake(request: Request, error: Exception) -> Response:
    del request
    return JSONResponse({"error": str(error)}, 400)


def _missing(request: Request, error: Exception) -> Response:
    told = str(getattr(error, "detail", error))
    status = getattr(error, "status_code", 404)
    if request.method == "POST":
        return JSONResponse({"error": told}, status)
    return PlainTextResponse("There is no such page." if status == 404 else told, status)


def _fault(request: Request, error: Exception) -> Response:
    del request
    return JSONResponse({"error": f"This is a fault in deixis: {type(error).__name__}."}, 500)
