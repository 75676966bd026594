"""The studio as a web application, and how it is started."""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
import webbrowser
from contextlib import nullcontext, suppress
from ipaddress import ip_address
from time import monotonic
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from deixis._studio import audit, gallery, home, play, results
from deixis._studio.guard import Guard
from deixis._studio.library import Library
from deixis._studio.pages import render
from deixis._studio.study import make_study_app
from deixis._studio.world_pages import all_pages
from deixis.errors import BrokenDataset, DeixisError, UnknownName


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp

    from deixis._studio.demo import Preparing
    from deixis._study.design import Study


EVERYWHERE = ("0.0.0.0", "[::]")  # noqa: S104 (only where somebody asks for it)
WAITING = 128  # connections that may wait to be taken
MOST_DESCRIPTORS = 4096
PATIENCE_SECONDS = 15.0  # in which a request must come
PORT = 8377  # always the same, so that links into the studio survive a restart
NEXT_PORTS = 20  # that are tried where it is taken


def make_app(
    roots: Iterable[Path],
    *,
    hosts: Iterable[str] = (),
    answers: Path | None = None,
    preparing: Preparing | None = None,
) -> ASGIApp:
    """The studio over some folders.

    Args:
        roots: nothing outside them is ever shown.
        hosts: names under which it may be called, besides those of this machine.
        answers: the folder where the answers of people who play are kept; only in memory without one.
        preparing: what is being made in one of the folders, if anything is.
    """
    routes: list[BaseRoute] = [route for part in (home, gallery, audit, play, results) for route in part.ROUTES]
    routes += [route for pages in all_pages() for route in pages.routes]
    app = Starlette(
        routes=routes,
        exception_handlers={DeixisError: _mistake, HTTPException: _missing, Exception: _fault},
    )
    app.state.library = Library(tuple(roots))
    app.state.answers = answers
    app.state.preparing = preparing
    return Guard(app, frozenset(hosts))


def serve(
    roots: Iterable[Path],
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    answers: Path | None = None,
    opens: bool = True,
    told: Callable[[str], object] = print,
    preparing: Preparing | None = None,
) -> None:
    """Run the studio until Ctrl-C.

    Args:
        roots: the folders that it shows.
        host: where it listens; this machine only by default.
        port: where it listens; 0 for any that is free. By default `PORT`, or the next one that is free.
        answers: the folder where the answers of people who play are kept; only in memory without one.
        opens: whether a browser is opened.
        told: called with its address when it is open.
        preparing: what is made in one of the folders while the studio is open.
    """
    with _listening(host, port) if port is not None else _listening_near(host, PORT) as place:
        app = make_app(roots, hosts=_hosts(host), answers=answers, preparing=preparing)
        address = _address(host, place)
        told(address)
        if opens and _has_windows():
            timer = threading.Timer(0.5, webbrowser.open, [address])
            timer.daemon = True
            timer.start()
        with suppress(KeyboardInterrupt), preparing or nullcontext():
            Server(_config(app)).run(sockets=[place])


def serve_study(
    study: Study,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    name: str = "",
    told: Callable[[str], object] = print,
) -> None:
    """Serve a study until Ctrl-C, with the arguments of `serve`.

    Args:
        study: what is served.
        host: where it listens.
        port: where it listens.
        name: a further name under which it may be called, that of a proxy in front of it.
        told: called with its address when it is open.
    """
    with _listening(host, port) if port is not None else _listening_near(host, PORT) as place:
        app = make_study_app(study, hosts=_hosts(host, name))
        told(_address(host, place))
        with suppress(KeyboardInterrupt):
            Server(_config(app)).run(sockets=[place])


def _hosts(host: str, name: str = "") -> tuple[str, ...]:
    """The names under which a server at an address may be called."""
    own = f"[{host}]" if ":" in host else host
    return ("*" if own in EVERYWHERE else own.lower(), *([name.lower()] if name else []))


def _address(host: str, place: socket.socket) -> str:
    own = f"[{host}]" if ":" in host else host
    return f"http://{'127.0.0.1' if own in EVERYWHERE else own}:{place.getsockname()[1]}/"


def _config(app: ASGIApp) -> uvicorn.Config:
    logged = "warning" if os.environ.get("DEIXIS_DEBUG") else "critical"
    return uvicorn.Config(
        app, log_level=logged, access_log=False, lifespan="off", timeout_graceful_shutdown=2, backlog=WAITING
    )


class Server(uvicorn.Server):
    """A server that drops connections over which no whole request comes, before they use up its descriptors."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.most_silent = _descriptors() // 2
        self._silent: dict[Any, tuple[object, float]] = {}  # by connection its last request, and since when it waits

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second."""
        now = monotonic()
        before, self._silent = self._silent, {}
        connections: set[Any] = {one for one in self.server_state.connections if hasattr(one, "cycle")}
        for connection in connections:
            request = connection.cycle
            if request is None or request.response_complete or request.more_body:
                last, since = before.get(connection, (request, now))
                self._silent[connection] = (request, since if last is request else now)
        by_age = sorted(self._silent, key=lambda connection: self._silent[connection][1])
        for place, connection in enumerate(by_age):
            is_crowded = len(by_age) - place > self.most_silent
            if is_crowded or now - self._silent[connection][1] > PATIENCE_SECONDS:
                connection.transport.close()
        return await super().on_tick(counter)


def _descriptors() -> int:
    """How many files and connections this process may have open at the same time."""
    try:
        import resource
    except ModuleNotFoundError:  # a system without such limits
        return MOST_DESCRIPTORS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_DESCRIPTORS if soft == resource.RLIM_INFINITY else min(soft, MOST_DESCRIPTORS)


def is_local(host: str) -> bool:
    """Return whether only this machine can reach a server at an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _listening_near(host: str, port: int) -> socket.socket:
    """A socket that listens at a port, or where that is taken at the next one that is free."""
    for candidate in range(port, port + NEXT_PORTS):
        try:
            return _listening(host, candidate)
        except DeixisError as error:
            if getattr(error.__cause__, "errno", None) != errno.EADDRINUSE:
                raise
    return _listening(host, 0)


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens; `DeixisError` saying why there can be none."""
    # Without the protocol, asyncio does not see that this is TCP and leaves Nagle's algorithm on: 40 ms an answer.
    place = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # who went away without a word is noticed
        if os.name == "posix":  # elsewhere this would let two programs listen at one port
            place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind((host, port))
        place.listen(WAITING)
    except (OSError, OverflowError) as error:
        place.close()
        reason = getattr(error, "strerror", None) or error
        is_port = isinstance(error, OverflowError) or error.errno in (errno.EADDRINUSE, errno.EACCES)
        advice = "choose another with --port" if is_port else "--host takes an address of this machine"
        raise DeixisError(f"the studio cannot listen at {host}, port {port}: {reason}; {advice}") from error
    return place


def _has_windows() -> bool:
    """Whether a browser could show itself; one that writes into the terminal is of no use here."""
    return sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _mistake(request: Request, error: Exception) -> Response:
    """What the user asked for cannot be shown, and why."""
    status = 404 if isinstance(error, UnknownName) else 422 if isinstance(error, BrokenDataset) else 400
    return _error_page(request, status, str(error))


def _missing(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return _error_page(
        request, status, "There is no such page." if status == 404 else str(getattr(error, "detail", error))
    )


def _fault(request: Request, error: Exception) -> Response:
    return _error_page(request, 500, f"This is a fault in deixis: {type(error).__name__}.")


def _error_page(request: Request, status: int, message: str) -> Response:
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"error": message}, status)
    title = "Page not found" if status == 404 else "Something went wrong"
    return render(request, "error.html", status=status, title=title, message=message)
