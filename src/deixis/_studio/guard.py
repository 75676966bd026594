"""Limits on requests: only from pages of this studio, from this machine, or from a followed link, and of bounded size.

A page of another site can make a browser send requests to any local server. Such requests carry a foreign Host (after a
DNS trick), a foreign Origin or a Sec-Fetch-Site that says so; all are refused before anything else happens. The one
exception is a link that opens a page in a window of its own: the other site cannot read what is shown there.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse


if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]"})
FRIENDLY = frozenset({"", "none", "same-origin"})
LARGEST = 1 << 20  # bytes of a request
TOO_LARGE = f"At most {LARGEST >> 20} MB can be sent."
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """An ASGI application that lets only friendly requests through, and marks every answer.

    Args:
        app: what is guarded.
        hosts: names other than those of this machine under which the studio may be called, as a Host header has them;
            `*` for any number of an address. Names stay forbidden then: a number cannot be turned into another
            machine's by a DNS trick.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] = frozenset()) -> None:
        self.app, self.hosts = app, LOCAL | hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refused = self._refusal_of(Headers(scope=scope), scope["method"])
        if refused:
            await PlainTextResponse(refused[1], refused[0], headers=HEADERS)(scope, receive, send)
            return
        left = LARGEST

        async def receive_bounded() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, TOO_LARGE)
            return message

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive_bounded, send_marked)

    def _refusal_of(self, headers: Headers, method: str) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not self._is_ours(_name(host)):
            return 421, "This studio answers to 127.0.0.1 and localhost only."
        origin = headers.get("origin", "")
        is_friendly = headers.get("sec-fetch-site", "") in FRIENDLY or _opens_a_page(headers, method)
        if not is_friendly or (origin and origin.partition("://")[2] != host):
            return 403, "This request comes from a page of another site, so it is refused."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 10 or int(length) > LARGEST:
            return 413, TOO_LARGE
        return None

    def _is_ours(self, name: str) -> bool:
        return name in self.hosts or ("*" in self.hosts and _is_number(name))


def _opens_a_page(headers: Headers, method: str) -> bool:
    """Whether a request is somebody's following a link: it reads a page into a window, not into a page or a script."""
    mode, target = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    known = headers.get("sec-fetch-site") in ("cross-site", "same-site")
    return known and method == "GET" and mode == "navigate" and target == "document"


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdecimal() else host.lower()


def _is_number(name: str) -> bool:
    """Whether a name is the number of an address."""
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
