"""The studio as a web application, and how it is started."""

from __future__ import annotations

import os
import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from deixis.errors import BrokenDataset, DeixisError, UnknownName
from deixis.studio.guard import Guard
from deixis.studio.library import Library
from deixis.studio.pages import render


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp


__all__ = ["PARTS", "make_app", "serve"]

PARTS = ("home", "gallery", "grid", "shapes", "photographs", "playground", "play", "results")
EVERYWHERE = ("0.0.0.0", "[::]")  # noqa: S104 (only where somebody asks for it)
WAITING = 512  # connections that may wait to be taken


def make_app(
    roots: Iterable[Path],
    *,
    parts: Iterable[str] = PARTS,
    hosts: Iterable[str] = (),
    answers: Path | None = None,
) -> ASGIApp:
    """The studio over some folders.

    Args:
        roots: nothing outside them is ever shown.
        parts: the modules of `deixis.studio` whose pages it has.
        hosts: names under which it may be called, besides those of this machine.
        answers: the folder where the answers of people who play are kept; only in memory without one.
    """
    routes: list[BaseRoute] = []
    for part in parts:
        routes += import_module(f"deixis.studio.{part}").ROUTES
    app = Starlette(
        routes=routes,
        exception_handlers={DeixisError: _mistake, HTTPException: _missing, Exception: _fault},
    )
    app.state.library = Library(tuple(roots))
    app.state.answers = answers
    return Guard(app, frozenset(hosts))


def serve(
    roots: Iterable[Path],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    answers: Path | None = None,
    opens: bool = True,
    told: Callable[[str], object] = print,
) -> None:
    """Run the studio until Ctrl-C.

    Args:
        roots: the folders that it shows.
        host: where it listens; this machine only by default.
        port: 0 for any that is free.
        answers: the folder where the answers of people who play are kept; only in memory without one.
        opens: whether a browser is opened.
        told: called with its address when it is open.
    """
    with _listening(host, port) as place:
        name = f"[{host}]" if ":" in host else host
        is_everywhere = name in EVERYWHERE
        app = make_app(roots, hosts=("*",) if is_everywhere else (name.lower(),), answers=answers)
        address = f"http://{'127.0.0.1' if is_everywhere else name}:{place.getsockname()[1]}/"
        told(address)
        if opens and _has_windows():
            timer = threading.Timer(0.5, webbrowser.open, [address])
            timer.daemon = True
            timer.start()
        logged = "warning" if os.environ.get("DEIXIS_DEBUG") else "critical"
        config = uvicorn.Config(app, log_level=logged, access_log=False, lifespan="off", timeout_graceful_shutdown=2)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[place])


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens; `DeixisError` saying why there can be none."""
    place = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        if os.name == "posix":  # elsewhere this would let two programs listen at one port
            place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind((host, port))
        place.listen(WAITING)
    except (OSError, OverflowError) as error:
        place.close()
        reason = getattr(error, "strerror", None) or error
        advice = "choose another with --port" if port else "--host takes an address of this machine"
        raise DeixisError(f"the studio cannot listen at {host}, port {port}: {reason}; {advice}") from error
    return place


def _has_windows() -> bool:
    """Whether a browser could show itself; one that writes into the terminal is of no use here."""
    return sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _mistake(request: Request, error: Exception) -> Response:
    """What the user asked for cannot be shown, and why."""
    status = 404 if isinstance(error, UnknownName) else 422 if isinstance(error, BrokenDataset) else 400
    return _said(request, status, str(error))


def _missing(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return _said(request, status, "There is no such page." if status == 404 else str(getattr(error, "detail", error)))


def _fault(request: Request, error: Exception) -> Response:
    return _said(request, 500, f"This is a fault in deixis: {type(error).__name__}.")


def _said(request: Request, status: int, message: str) -> Response:
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"error": message}, status)
    return render(request, "error.html", status=status, title="Not to be seen", message=message)
