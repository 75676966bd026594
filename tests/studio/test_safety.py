"""What strangers, strange addresses and strange files could do to the studio: nothing."""

from __future__ import annotations

import http.client
import json
import re
import shutil
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient

from deixis._studio.guard import LARGEST
from deixis._studio.server import make_app
from tests.studio.conftest import running
from tests.studio.crawl import crawl


if TYPE_CHECKING:
    from pathlib import Path


SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"  # may be the name of a folder, which has no slash
BREAKOUT = f"\"'></textarea></title></style>{SCRIPT}{IMAGE}"
SECRET = "what lies outside of the given folders"
NONSENSE = (
    "0",
    "-1",
    "99999999999999999999999",
    "none",
    "\0",
    "%",
    "é<b>",
    "../../secret",
    "a" * 3000,
    "NaN",
    "1e999",
    " ",
)
TRAVERSALS = (
    "../secret.txt",
    "../../secret.txt",
    "..%2fsecret.txt",
    "%2e%2e/secret.txt",
    "%2e%2e%2f%2e%2e%2fsecret.txt",
    "%252e%252e%252fsecret.txt",
    "..%5csecret.txt",
    "..%c0%afsecret.txt",
    "....//secret.txt",
    "secret.txt%00.png",
    "%00",
    "link",
    "link%2fsecret.txt",
    "link/secret.txt",
    "{outside}/secret.txt",
    "{encoded}%2fsecret.txt",
    "/{outside}/secret.txt",
)


@pytest.fixture(scope="module")
def hostile(demo_roots, tmp_path_factory):
    """A folder with datasets and results that mean harm, and a secret beside it."""
    outside = tmp_path_factory.mktemp("outside")
    root = outside / "given"
    shutil.copytree(demo_roots[0], root)
    for name in ("secret.txt", "secret.png", "secret.json", "manifest.json"):
        (outside / name).write_text(SECRET, encoding="utf-8")
    shutil.copytree(root / "grid-worlds", root / IMAGE)
    speak_evil(root / IMAGE, "command", lambda text: f"{text} {SCRIPT}")
    speak_evil(root / "photographs", "text", lambda text: text + BREAKOUT)
    boast(root / "results" / "random")
    (root / "results" / "random").rename(root / "results" / f"random{IMAGE}")
    for name in ("broken", SCRIPT.replace("/", "")):
        (root / name).mkdir()
        (root / name / "manifest.json").write_text(f'{{"format": "{SCRIPT}"}}', encoding="utf-8")
    (root / "link").symlink_to(outside)
    return root


@pytest.fixture(scope="module")
def app(hostile, tmp_path_factory):
    """A studio over them."""
    return make_app([hostile], answers=tmp_path_factory.mktemp("answers"))


@pytest.fixture(scope="module")
def client(app):
    """Somebody who looks at it, and sees faults as answers."""
    return TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)


@pytest.fixture(scope="module")
def visited(client):
    """One page of every kind."""
    return list(crawl(client))


def test_there_is_something_to_look_at(visited):
    """The pages of all parts are among those that are tried below."""
    kinds = {page.kind.partition("?")[0] for page in visited if page.status == 200}

    assert {"/", "/playground", "/play", "/results"} <= kinds
    assert sum(kind.startswith("/d/") for kind in kinds) >= 6


def test_no_page_holds_a_script_that_is_not_ours(visited):
    """Names, commands, captions and predictions are shown as they are written, and never run."""
    evil = {page.address: strangers(page.text) for page in visited if page.type == "text/html"}

    assert {address: found for address, found in evil.items() if found} == {}
    assert any("&lt;script&gt;alert(1)" in page.text for page in visited)


def test_no_link_leads_to_a_fault(visited):
    """Every kind of page that a link leads to answers without a fault, however bad the data."""
    assert {page.address: page.status for page in visited if page.status >= 500} == {}


def test_a_broken_dataset_is_told_of_and_the_rest_works(client):
    """The first page says what is wrong with one and links to the others."""
    text = client.get("/").text

    assert text.count('class="fault"') == 2
    assert 'href="/d/3d-shapes"' in text
    assert client.get("/d/broken").status_code in (404, 422)


@pytest.mark.slow
def test_nonsense_in_addresses_is_answered(app, client):
    """Whatever stands where an address has a name or a number, the answer is no fault of the studio's."""
    slugs = [entry.slug for entry in app.app.state.library]
    faults = []
    for route in app.app.routes:
        for address in filled(route.path, slugs):
            answer = client.get(address)
            if answer.status_code >= 500 or strangers_in(answer) or SECRET in answer.text:
                faults.append((address[:80], answer.status_code, strangers_in(answer)))

    assert faults == []


@pytest.mark.slow
def test_nonsense_in_what_is_asked_is_answered_and_never_reflected(client, visited):
    """Every field of every page, and every name in every link, is tried with nonsense and with scripts."""
    names = {}
    for page in visited:
        asked = page.kind.partition("?")[2].split("&")
        names.setdefault(urlsplit(page.address).path, set()).update(page.fields, filter(None, asked))
    faults = []
    for path, fields in names.items():
        for field in sorted(fields):
            for value in (BREAKOUT, "-1", "99999999999999999999999", "\0"):
                answer = client.get(f"{path}?{quote(field)}={quote(value)}")
                if answer.status_code >= 500 or strangers_in(answer):
                    faults.append((path, field, value[:20], answer.status_code, strangers_in(answer)))
        answer = client.get(path + "?" + "&".join(f"{quote(field)}={quote(BREAKOUT)}" for field in [*fields, "x"]))
        if answer.status_code >= 500 or strangers_in(answer):
            faults.append((path, "all", answer.status_code))

    assert names
    assert faults == []


def test_nonsense_that_is_sent_is_answered(app, client):
    """Bodies that are no JSON, JSON of the wrong form, too deep or too long are mistakes of the sender's."""
    slugs = [entry.slug for entry in app.app.state.library if entry.slug != "broken"][:4]
    bodies = (
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"[" * 50_000,
        b"\xff\xfe",
        b'{"text": 1, "objects": 5}',
        b'{"size": 1e999}',
    )
    faults = []
    for route in app.app.routes:
        if "POST" not in route.methods:
            continue
        for address in [*filled(route.path, slugs, few=True)][:6]:
            for kind in (
                "application/json",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "",
            ):
                for body in bodies if "json" in kind else bodies[:3]:
                    answer = client.post(address, content=body, headers={"content-type": kind})
                    if answer.status_code >= 500 or strangers_in(answer):
                        faults.append((address[:60], kind, body[:20], answer.status_code))
        assert client.post(address, content=b"x" * (LARGEST + 1)).status_code == 413

    assert faults == []


@pytest.fixture(scope="module")
def server(app):
    """The studio behind a real server, which takes addresses as they come."""
    with running(app) as address:
        yield urlsplit(address).port


def test_nothing_outside_of_the_given_folders_is_served(server, app, hostile):
    """Dots, encoded dots, links, null bytes and whole paths behind every address lead nowhere."""
    outside = str(hostile.parent)
    places = {route.path.partition("{")[0] for route in app.app.routes} | {"/", "/d/photographs/picture/", "/d/link/"}
    places |= {f"/d/{entry.slug}/" for entry in app.app.state.library}
    names = [name.format(outside=outside, encoded=quote(outside, safe="")) for name in TRAVERSALS]
    names += [name.replace("secret.txt", f"secret.{end}") for name in TRAVERSALS[:5] for end in ("png", "json")]
    seen = {}
    for place in sorted(places):
        for name in names:
            status, body = raw(server, "GET", place + name)
            if status >= 500 or SECRET.encode() in body or b"root:" in body:
                seen[place + name] = status

    assert seen == {}


def test_the_source_of_the_studio_is_not_served(server):
    """Only styles, scripts and pictures are, by their bare names."""
    for name in (
        "../pages.py",
        "%2e%2e%2fpages.py",
        "pages.py",
        "..%2ftemplates%2fhome.html",
        "./studio.css",
        "%2fetc%2fpasswd",
    ):
        assert raw(server, "GET", f"/static/{name}")[0] == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, 403),
        ({"Content-Length": str(1 << 40)}, 413),
    ],
)
def test_strangers_are_refused_at_every_address(server, app, headers, status):
    """Foreign names, other sites and giants are turned away before any page is made."""
    for route in app.app.routes:
        for method in sorted((route.methods or set()) & {"GET", "POST"}):
            assert raw(server, method, re.sub(r"\{[^}]*\}", "1", route.path), headers)[0] == status


def test_nobody_is_allowed_to_read_from_another_site(server):
    """No answer carries a permission for other sites, not even when it is asked for politely."""
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    connection = http.client.HTTPConnection("127.0.0.1", server, timeout=10)
    connection.request("OPTIONS", "/", headers=asked)

    answer = connection.getresponse()

    assert (answer.status, answer.getheader("access-control-allow-origin")) == (403, None)
    connection.close()


def test_broken_lines_do_not_stop_the_server(server):
    """Half a request, or something that is none, hurts nobody else."""
    for junk in (b"GET /\r\n\r\n", b"\0" * 100, b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n", b"POST / HTTP/1.1\r\n"):
        connection = http.client.HTTPConnection("127.0.0.1", server, timeout=10)
        connection.connect()
        connection.sock.sendall(junk)
        connection.close()

    assert raw(server, "GET", "/")[0] == 200


def raw(port: int, method: str, address: str, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    """The answer to exactly this address, which nobody has tidied up."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    given = {"Host": f"127.0.0.1:{port}", **(headers or {})}
    connection.putrequest(method, address, skip_host=True, skip_accept_encoding=True)
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def filled(path: str, slugs: list[str], *, few: bool = False):
    """Addresses of a route: every nonsense in place of one of its names or numbers, plausible ones in the others."""
    holes = re.findall(r"\{[^}]*\}", path)
    usual = {hole: ["0"] if ":int" in hole else slugs if "slug" in hole else ["test", "0"] for hole in holes}
    yield from ([path] if not holes else [])
    for hole in holes:
        for value in NONSENSE[:4] if few else NONSENSE:
            for slug in slugs if "slug" in "".join(holes) and "slug" not in hole else slugs[:1]:
                address = path.replace(hole, quote(value, safe=""))
                for other in holes:
                    address = address.replace(other, slug if "slug" in other else usual[other][0])
                yield address


class Strangers(HTMLParser):
    """Whatever in a page could run, other than our own scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        """Note scripts from elsewhere or inline, handlers, and addresses that run."""
        values = dict(attrs)
        if tag in ("object", "embed", "iframe", "base"):
            self.found.append(tag)
        if (
            tag == "script"
            and not (values.get("src") or "").startswith("/static/")
            and "json" not in str(values.get("type"))
        ):
            self.found.append("script")
        self.found += [name for name, value in attrs if name.startswith("on") or "javascript:" in (value or "").lower()]


def strangers(text: str) -> list[str]:
    """What could run in a page and is not ours."""
    reader = Strangers()
    reader.feed(text)
    return reader.found


def strangers_in(answer) -> list[str]:
    """The same of an answer; what is no page cannot run, unless a browser were told that it is one."""
    return strangers(answer.text) if "html" in answer.headers.get("content-type", "") else []


def speak_evil(dataset: Path, column: str, change) -> None:
    """Change what is said in every example, and let the manifest agree."""
    manifest = json.loads((dataset / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["files"]:
        path = dataset / entry["path"]
        table = pq.read_table(path)
        place = table.schema.get_field_index(column)
        said = pa.array([change(text) for text in table[column].to_pylist()], pa.string())
        plain = table.set_column(place, column, said.cast(table.schema.field(place).type))
        pq.write_table(plain, path, write_page_checksum=True)
        entry["bytes"] = path.stat().st_size
    (dataset / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def boast(run: Path) -> None:
    """Put a script into every word of an evaluation."""
    path = run / "evaluation.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    told |= {
        key: f"{value}{SCRIPT}"
        for key, value in told.items()
        if isinstance(value, str) and key not in ("kind", "digest")
    }
    path.write_text(json.dumps(told), encoding="utf-8")
