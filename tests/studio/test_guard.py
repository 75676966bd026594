"""Who may ask the studio for something, and for how much."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from deixis._studio.guard import LARGEST, Guard


async def weigh(request):
    """How many bytes came."""
    return PlainTextResponse(str(len(await request.body())))


def client(*hosts: str) -> TestClient:
    """A guarded application that weighs what it is sent."""
    app = Starlette(routes=[Route("/", weigh, methods=["GET", "POST"])])
    return TestClient(Guard(app, frozenset(hosts)), base_url="http://127.0.0.1:8000")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "LOCALHOST", "[::1]", "[::1]:8000"])
def test_this_machine_may_ask(host):
    """All names of this machine are answered, whatever the port."""
    assert client().get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        "127.0.0.1.example.org",
        "localhost.example.org:8000",
        "127.0.0.1@example.org",
        "example.org:127.0.0.1",
        "192.168.0.7:8000",
        "0.0.0.0",  # noqa: S104 (it is refused)
        "[::2]",
        "",
        ":8000",
        "127.0.0.1:",
        "127.0.0.1:8000:8000",
        "2130706433",
    ],
)
def test_other_names_are_refused(host):
    """A name that a DNS trick may have led here, or none at all, gets nothing."""
    answer = client().get("/", headers={"host": host})

    assert answer.status_code == 421
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_two_names_are_refused():
    """A request with two Host headers is refused, even if both are names of this machine."""
    headers = [("host", "127.0.0.1"), ("host", "localhost")]

    assert client().get("/", headers=headers).status_code == 421


def test_a_studio_for_the_network_answers_to_numbers_but_not_to_names():
    """Numbers cannot be turned into another machine's, names can."""
    codes = {
        host: client("*").get("/", headers={"host": host}).status_code for host in ("10.1.2.3:80", "[fe80::1]", "a")
    }

    assert codes == {"10.1.2.3:80": 200, "[fe80::1]": 200, "a": 421}
    assert client("my-machine").get("/", headers={"host": "My-Machine:80"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://example.org"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://127.0.0.1"},
        {"origin": "http://127.0.0.1:8000.example.org"},
        {"origin": "http://localhost:8000"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "nonsense"},
        {"sec-fetch-site": "same-origin", "origin": "http://example.org"},
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_requests_from_other_sites_are_refused(method, headers):
    """Another site's page, another port's, or a sandboxed frame gets nothing and changes nothing."""
    assert client().request(method, "/", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers", [{}, {"origin": "http://127.0.0.1:8000"}, {"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}]
)
def test_own_pages_and_the_address_bar_may_ask(headers):
    """Pages of the studio, typed addresses and plain programs are served."""
    assert client().post("/", headers=headers, content=b"abc").text == "3"


LINK = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-user": "?1"}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_on_another_page_leads_in(site):
    """Who follows a link from documentation, a notebook or a chat sees the page."""
    assert client().get("/", headers=LINK | {"sec-fetch-site": site}).status_code == 200


@pytest.mark.parametrize(
    ("method", "changes"),
    [
        ("POST", {}),
        ("PUT", {}),
        ("GET", {"sec-fetch-dest": "iframe"}),
        ("GET", {"sec-fetch-dest": "image"}),
        ("GET", {"sec-fetch-dest": "embed"}),
        ("GET", {"sec-fetch-mode": "no-cors"}),
        ("GET", {"sec-fetch-mode": "cors"}),
        ("GET", {"sec-fetch-site": "nonsense"}),
        ("GET", {"origin": "http://example.org"}),
        ("GET", {"host": "example.org"}),
    ],
)
def test_nothing_but_a_link_leads_in_from_another_page(method, changes):
    """Forms that send, frames, pictures and scripts of other pages stay outside."""
    headers = LINK | {"sec-fetch-site": "cross-site"} | changes

    assert client().request(method, "/", headers=headers).status_code in (403, 421)


def test_large_requests_are_refused_before_they_are_read():
    """A length that is too large, or none, is not waited for."""
    assert client().post("/", content=b"x" * (LARGEST + 1)).status_code == 413
    for length in ("9" * 5000, "-1", "1e3", "²", ""):
        assert client().get("/", headers={"content-length": length.encode("latin-1")}).status_code == 413


def test_large_requests_that_do_not_say_so_are_cut_off():
    """What comes in pieces is weighed while it comes; exactly the limit is let through."""
    pieces = [b"x" * (LARGEST // 4)] * 4

    assert client().post("/", content=iter(pieces)).text == str(LARGEST)
    answer = client().post("/", content=iter([*pieces, b"x"]))
    assert (answer.status_code, answer.headers["x-content-type-options"]) == (413, "nosniff")


def test_every_answer_forbids_foreign_scripts_and_frames():
    """Whatever the application says, browsers are told to load and run only what comes from here."""
    headers = client().get("/").headers

    assert "default-src 'none'" in headers["content-security-policy"]
    assert "script-src 'self';" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


@given(host=st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30))
def test_no_host_but_ours_is_ever_answered(host):
    """Among all names there are, only those of this machine, with or without a port, lead in."""
    answered = client().get("/", headers={"host": host}).status_code == 200

    name = host.lower().rsplit(":", 1)[0] if host.rpartition(":")[2].isdecimal() else host.lower()
    assert answered == (name in ("127.0.0.1", "localhost", "[::1]"))
