"""The pages of the studio as files that need no server, on a file share or in a subfolder of a site.

The studio itself is asked for every page, without a network, and its answers are written with relative links. What is
written depends on the data and the number of examples alone.
"""

from __future__ import annotations

import json
import posixpath
import re
from asyncio import Runner
from collections import deque
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from mimetypes import guess_extension
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit

from deixis._studio.copied_pages import cards_in, copy_page, imports_of, links_in, plain_script
from deixis._studio.library import Library
from deixis._studio.replaced import demand_own, list_files, replacing_folder
from deixis._studio.server import make_app
from deixis._study.bundle import demand_empty
from deixis.errors import BrokenDataset, DeixisError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from starlette.types import ASGIApp, Message

    from deixis._studio.library import Entry


EXAMPLES = 100
MOST_RESULTS = 2_000  # pages of results
ASKED_OF_RESULTS = {  # by address what may be asked in its copies
    "/results": ({"measure"}, {"run"}),
    "/results/examples": ({"run", "split", "measure"},),
}
OK, REDIRECTS, FAULT = 200, (301, 302, 303, 307, 308), 500
LONGEST = 80  # letters of a part of a file name


@dataclass(frozen=True)
class ExportSummary:
    """The numbers of pages, examples, files and bytes of an export."""

    pages: int
    examples: int
    files: int
    bytes: int


def export_studio(
    roots: Iterable[Path],
    out: Path,
    *,
    examples: int = EXAMPLES,
    force: bool = False,
    progress: Callable[[str, int, int | None], object] = lambda *_: None,
) -> ExportSummary:
    """Write the studio's pages of some datasets and results into a folder, and return what it holds.

    Args:
        roots: the folders that are shown.
        out: a folder that is empty or not there yet.
        examples: how many examples of each dataset get a page, at most, from all its splits.
        force: replace an earlier export in the folder, once the new one is whole.
        progress: called with a stage, how much of it is done, and how much there is.

    Raises:
        RecipeError: when the folder holds something, with `force` something that no export wrote.
        BrokenDataset: when there is nothing to export.
        DeixisError: when the studio has no answer.
    """
    if force:
        demand_own(out)
    else:
        demand_empty(out)
    roots = tuple(roots)
    library = Library(roots)
    library.refresh()
    if not list(library):
        raise BrokenDataset(f"no datasets or results were found in {', '.join(str(root) for root in roots)}")
    with Studio(make_app(roots)) as studio, replacing_folder(out) as draft:
        export = Export(studio, draft)
        export.plan(library, examples, progress)
        return export.write(progress)


class Answer(NamedTuple):
    """An answer of the studio to a request."""

    status: int
    kind: str
    body: bytes
    onward: str = ""

    @property
    def text(self) -> str:
        """A page."""
        return self.body.decode()


class Studio:
    """A studio that is asked without a network, as a context manager."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._runner = Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.close()

    def get(self, address: str, accept: str = "text/html") -> Answer:
        """Return the answer to a request, where it leads to another address that one's.

        Raises:
            DeixisError: when the studio fails.
        """
        answer = self._runner.run(self._ask(address, accept))
        if answer.status in REDIRECTS:
            address = urljoin(address, answer.onward)
            answer = self._runner.run(self._ask(address, accept))
        if answer.status >= FAULT:
            raise DeixisError(f"the studio cannot make the page {address}")
        return answer

    async def _ask(self, address: str, accept: str) -> Answer:
        place = urlsplit(address)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": unquote(place.path),
            "raw_path": place.path.encode(),
            "query_string": place.query.encode(),
            "root_path": "",
            "headers": [(b"host", b"127.0.0.1"), (b"accept", accept.encode())],
            "client": ("127.0.0.1", 0),
            "server": ("127.0.0.1", 80),
        }
        asked = iter(({"type": "http.request", "body": b"", "more_body": False},))
        head: dict[str, Any] = {"status": FAULT}
        pieces: list[bytes] = []

        async def receive() -> Message:
            return next(asked, {"type": "http.disconnect"})

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                head["status"] = message["status"]
                head.update({name.decode().lower(): value.decode() for name, value in message.get("headers", ())})
            pieces.append(message.get("body", b""))

        try:
            await self.app(scope, receive, send)
        except Exception as error:
            raise DeixisError(
                f"the studio cannot make the page {address}: {type(error).__name__}: {error}"[:300]
            ) from error
        kind = head.get("content-type", "").partition(";")[0]
        return Answer(head["status"], kind, b"".join(pieces), head.get("location", ""))


# -------------------------------------------------------------------------------- what is written


class Export:
    """The files of an export, planned first, so that links are known, and written then."""

    def __init__(self, studio: Studio, out: Path) -> None:
        self.studio, self.out = studio, out
        self.planned: dict[str, str] = {}  # files by address
        self.cards: dict[str, int] = {}  # of galleries, how many are listed
        self.known: dict[str, str] = {}  # pages that were asked for while planning
        self.examples = 0
        self._taken: set[str] = set()
        self._assets: dict[str, str | None] = {}
        self._imports: dict[str, list[str]] = {}
        self._sizes: dict[str, int] = {}
        self._facts: dict[str, Mapping[str, object]] = {}

    # ---------------------------------------------------------------------------- the plan

    def plan(self, library: Library, examples: int, progress: Callable[[str, int, int | None], object]) -> None:
        """Choose the pages."""
        self._add("/")
        datasets = [entry for entry in library.datasets if not entry.error]
        for done, entry in enumerate(datasets):
            progress("datasets", done, len(datasets))
            self._plan_dataset(entry, examples)
        if library.runs:
            self._plan_results()

    def _plan_dataset(self, entry: Entry, examples: int) -> None:
        path = f"/d/{entry.slug}"
        audit = f"{path}/audit"
        self.facts(f"{path}?part=counts")  # first: galleries tell some things only once they have been counted
        audited = self.studio.get(audit)
        splits = list(entry.splits)
        chosen: dict[str, None] = {}
        share = max(1, examples // (len(splits) + 1))
        for name in splits if len(splits) > 1 else ():
            self._plan_gallery(f"{path}?{urlencode({'split': name})}", chosen, share, examples)
        self._plan_gallery(path, chosen, examples, examples)
        if len(splits) == 1 and _key(path) in self.planned:
            self.planned[_key(f"{path}?{urlencode({'split': splits[0]})}")] = self.planned[_key(path)]
        for address in chosen:
            self._add(address)
        self.examples += len(chosen)
        self.facts(f"{path}/needed")
        if audited.status == OK:
            self._add(audit)
            self.known[_key(audit)] = audited.text

    def _plan_gallery(self, address: str, chosen: dict[str, None], wanted: int, most: int) -> None:
        """Plan the pages of a gallery, up to a number of examples, and note these."""
        page = 1
        while wanted > 0:
            here = address if page == 1 else f"{address}{'&' if '?' in address else '?'}page={page}"
            answer = self.studio.get(here)
            cards = [_key(card) for card in cards_in(answer.text)] if answer.status == OK else []
            listed = 0
            for card in cards[:wanted]:
                if card not in chosen and len(chosen) >= most:
                    break
                chosen[card] = None
                listed += 1
            if not listed and not (page == 1 and "?" not in address and answer.status == OK):
                return
            self._add(here)
            self.known[_key(here)] = answer.text
            self.cards[_key(here)] = listed
            if listed < len(cards) or not cards:
                return
            wanted -= listed
            page += 1

    def _plan_results(self) -> None:
        """Plan the pages of results that are reached by links from the first."""
        waiting, seen = deque(["/results"]), {"/results"}
        while waiting:
            address = waiting.popleft()
            answer = self.studio.get(address)
            if answer.status != OK:
                continue
            self._add(address)
            self.known[_key(address)] = answer.text
            for link in links_in(answer.text):
                key = _key(urljoin(address, link))
                if key not in seen and len(seen) < MOST_RESULTS and _is_of_results(key):
                    seen.add(key)
                    waiting.append(key)

    def _add(self, address: str) -> None:
        key = _key(address)
        if key not in self.planned:
            self.planned[key] = self._name(key, ".html")

    # ---------------------------------------------------------------------------- files

    def write(self, progress: Callable[[str, int, int | None], object]) -> ExportSummary:
        """Write all pages, and what they need."""
        files = dict.fromkeys(self.planned.values())
        addresses = {file: key for key, file in reversed(self.planned.items())}  # of several that of the first
        for done, file in enumerate(files):
            progress("pages", done, len(files))
            address = addresses[file]
            text = self.known.pop(address, None) or self.studio.get(address).text
            links = ExportLinks(self, file)
            self._save(file, copy_page(text, address, links, self.cards.get(address)).encode())
        progress("pages", len(files), len(files))
        self._save(*list_files(self._sizes))
        return ExportSummary(len(files), self.examples, len(self._sizes), sum(self._sizes.values()))

    def asset(self, address: str) -> str | None:
        """Return the file of a picture, a script or a style sheet, written when it is first asked for."""
        key = _key(address)
        if key not in self._assets:
            answer = self.studio.get(address, "*/*")
            if answer.status != OK:
                self._assets[key] = None
                return None
            path = urlsplit(key).path
            ending = posixpath.splitext(path)[1] or guess_extension(answer.kind) or ""
            body = answer.body
            if ending == ".js":
                self._imports[path] = imports_of(answer.text, path)
                body = plain_script(answer.text, path).encode()
            self._assets[key] = self._name(key, ending)
            self._save(self._assets[key] or "", body)
        return self._assets[key]

    def facts(self, address: str) -> Mapping[str, object]:
        """Return what the studio answers as JSON, or nothing where it has no answer."""
        if address not in self._facts:
            answer = self.studio.get(address, "application/json")
            found = json.loads(answer.body) if answer.status == OK else {}
            self._facts[address] = found if isinstance(found, dict) else {}
        return self._facts[address]

    def imports(self, address: str) -> list[str]:
        """Return what a script imports, each after what it needs itself."""
        found: list[str] = []

        def follow(one: str) -> None:
            self.asset(one)
            for needed in self._imports.get(one, ()):
                if needed not in found and needed != address:
                    follow(needed)
                    found.append(needed)

        follow(address)
        return found

    def _save(self, file: str, body: bytes) -> None:
        path = self.out / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        self._sizes[file] = len(body)

    def _name(self, key: str, ending: str) -> str:
        """Return the name of a file that no other has, also where letters are not told apart by case."""
        place = urlsplit(key)
        path = unquote(place.path).removesuffix(ending).strip("/") or "index"
        asked = "-".join(f"{name}-{value}" for name, value in parse_qsl(place.query))
        parts = [part for part in (*path.split("/"), asked) if part]
        safe = [re.sub(r"[^a-z0-9_-]+", "-", part.lower())[:LONGEST].strip("-") or "x" for part in parts]
        name = "/".join(safe)
        if safe != parts or name + ending in self._taken:
            name += "-" + sha256(key.encode()).hexdigest()[:8]
        self._taken.add(name + ending)
        return name + ending


class ExportLinks:
    """The links of one file of an export."""

    def __init__(self, export: Export, file: str) -> None:
        self.export = export
        self.file = file
        self._to = partial(posixpath.relpath, start=posixpath.dirname(file) or ".")

    def page(self, address: str) -> str | None:
        """Return the relative address of a page, or None where the export does not hold it."""
        found = self.export.planned.get(_key(address))
        return None if found is None else quote(self._to(found))

    def asset(self, address: str) -> str | None:
        """Return the relative address of a picture, a script or a style sheet, or None where there is none."""
        found = self.export.asset(address)
        return None if found is None else quote(self._to(found))

    def imports(self, address: str) -> list[str]:
        """Return the addresses of the scripts that a script imports."""
        return self.export.imports(address)

    def facts(self, address: str) -> Mapping[str, object]:
        """Return what the studio answers as JSON."""
        return self.export.facts(address)


def _key(address: str) -> str:
    """Return an address by which a page is known: without the filter that it carries and without a fragment."""
    place = urlsplit(address)
    asked = sorted((name, value) for name, value in parse_qsl(place.query) if name != "in")
    return place.path + (f"?{urlencode(asked)}" if asked else "")


def _is_of_results(key: str) -> bool:
    """Return whether an address is a page of results that copies have."""
    place = urlsplit(key)
    asked = {name for name, _ in parse_qsl(place.query)}
    return any(asked <= names for names in ASKED_OF_RESULTS.get(place.path, ()))
