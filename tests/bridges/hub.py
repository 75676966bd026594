"""A hub on this machine: the parts of Hugging Face's interface that reading a public dataset needs."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


NAME = "somebody/tiny"
COMMIT = "c0ffee" + "0" * 34
DAY = "2026-01-01T00:00:00.000Z"


class Answers(BaseHTTPRequestHandler):
    """Answers of a hub that has one folder."""

    folder: Path
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        """Answer as to GET, without the content."""
        self.do_GET()

    def do_GET(self) -> None:
        """Answer with a file, a list of files, or what the dataset is."""
        path = unquote(urlsplit(self.path).path)
        if found := re.fullmatch(rf"/datasets/{NAME}/resolve/[^/]+/(.+)", path):
            self.give_file(found[1])
        elif found := re.fullmatch(rf"/api/datasets/{NAME}/tree/[^/]+/?(.*)", path):
            deep = "recursive=true" in self.path.lower()
            self.give([entry for entry in entries(self.folder) if is_in(entry["path"], found[1], deep=deep)])
        elif re.fullmatch(rf"/api/datasets/{NAME}(/revision/[^/]+)?", path):
            files = [{"rfilename": entry["path"]} for entry in entries(self.folder) if entry["type"] == "file"]
            about = {"id": NAME, "_id": "1", "sha": COMMIT, "siblings": files, "private": False, "tags": []}
            self.give({**about, "downloads": 0, "likes": 0, "lastModified": DAY, "createdAt": DAY})
        else:
            self.give({"error": "not found"}, 404)

    def do_POST(self) -> None:
        """Answer what some paths are."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked = json.loads(body)["paths"]
        asked = [asked] if isinstance(asked, str) else asked
        self.give([entry for entry in entries(self.folder) if entry["path"] in asked])

    def give(self, values: object, status: int = 200) -> None:
        """Answer with JSON."""
        self.give_bytes(json.dumps(values).encode(), status, {"Content-Type": "application/json"})

    def give_file(self, name: str) -> None:
        """Answer with a file, or the part that is asked for."""
        path = self.folder / name
        if not path.is_file():
            self.give_bytes(b"", 404, {"X-Error-Code": "EntryNotFound"})
            return
        held = path.read_bytes()
        heads = {"ETag": f'"{oid(path)}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        span = re.fullmatch(r"bytes=([0-9]+)-([0-9]*)", self.headers.get("Range", ""))
        if span is None:
            self.give_bytes(held, 200, heads)
            return
        start, stop = int(span[1]), min(int(span[2] or len(held)), len(held) - 1) + 1
        self.give_bytes(held[start:stop], 206, {**heads, "Content-Range": f"bytes {start}-{stop - 1}/{len(held)}"})

    def give_bytes(self, content: bytes, status: int, heads: dict[str, str]) -> None:
        """Answer with bytes."""
        self.send_response(status)
        for name, value in {**heads, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a hub that has a folder as the dataset `NAME`."""
    answers = type("OfFolder", (Answers,), {"folder": folder})
    server = ThreadingHTTPServer(("127.0.0.1", 0), answers)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def entries(folder: Path) -> list[dict[str, object]]:
    """All files and folders of a folder, as a hub lists them."""
    found = []
    for path in sorted(folder.rglob("*")):
        kind = {"type": "directory", "size": 0} if path.is_dir() else {"type": "file", "size": path.stat().st_size}
        found.append({**kind, "path": path.relative_to(folder).as_posix(), "oid": oid(path)})
    return found


def oid(path: Path) -> str:
    """A name for the content of a file."""
    return sha1(path.read_bytes() if path.is_file() else path.name.encode(), usedforsecurity=False).hexdigest()


def is_in(path: object, folder: str, *, deep: bool) -> bool:
    """Whether an entry lies in a folder, or anywhere below."""
    inner = str(path).removeprefix(f"{folder}/") if folder else str(path)
    return (not folder or inner != path) and (deep or "/" not in inner)
