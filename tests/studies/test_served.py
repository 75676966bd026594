"""The served study over HTTP: it serves nothing else, and every hostile request gets one clear refusal."""

from __future__ import annotations

import json

import pytest


pytest.importorskip("starlette", reason="needs deixis[studio]")
pytest.importorskip("httpx", reason="needs httpx")

from starlette.testclient import TestClient

from deixis._studio.study import make_study_app
from deixis._study.items import NONE
from tests.studies.conftest import row_for


@pytest.fixture
def client(study):
    """Somebody who sends requests to a served study."""
    return TestClient(make_study_app(study), base_url="http://127.0.0.1")


@pytest.fixture
def told(client, study):
    """A participant who has entered."""
    return client.post("/enter", json={"token": min(study.tokens())}).json()


def test_the_page_and_its_parts_are_served(client, told, study):
    """Page, sheet, script, texts and pictures."""
    pictures = [part["image"] for item in told["items"] for part in item["shown"]]

    for name in ("", "study.css", "study.js", "study-data.js", f"images/{pictures[0]}"):
        assert client.get(f"/{name}").status_code == 200
    assert study.text("consent").splitlines()[0] in json.dumps(client.get("/study-data.js").text)


@pytest.mark.parametrize(
    "path",
    [
        *("/study.json", "/items.json", "/secret.json", "/links.txt", "/prompts.gold.jsonl", "/answers", "/results"),
        *("/images/../secret.json", "/images/..%2fsecret.json", "/images/%2e%2e/secret.json", "/play", "/d/x"),
    ],
)
def test_nothing_else_is_served(client, path):
    """Neither the study's own files nor pages of the studio."""
    found = client.get(path)

    assert found.status_code == 404
    assert found.text == "There is no such page." or "no such picture" in found.text


def test_an_answer_of_ten_megabytes_is_refused(client, told):
    """With one status and one sentence, and nothing is kept."""
    row = row_for(0, told["order"][0], NONE) | {"clicks": "x" * 10_000_000}
    large = client.post("/answer", json={"key": told["key"], "row": row})
    middling = client.post("/answer", json={"key": told["key"], "row": row | {"clicks": "x" * 100_000}})

    assert (large.status_code, middling.status_code) == (413, 413)
    assert middling.json() == {"error": "An answer has at most 64 kB."}


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 422),
        (b"[]", "application/json", 422),
        (b"null", "application/json", 422),
        (b'{"key": NaN}', "application/json", 422),
        (b"[" * 60_000, "application/json", 422),
        (b"\xff\xfe", "application/json", 422),
        (b"key=1", "application/x-www-form-urlencoded", 415),
        (b"{}", "text/plain", 415),
    ],
)
def test_what_is_no_answer_is_refused(client, body, kind, status):
    """A form of another site, half a document, deep nesting."""
    found = client.post("/answer", content=body, headers={"content-type": kind})

    assert found.status_code == status
    assert list(found.json()) == ["error"]


def test_requests_from_pages_of_other_sites_are_refused(client, told):
    """Nobody else's page can answer in the name of a participant."""
    row = row_for(0, told["order"][0], NONE)
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"host": "evil.example"}):
        assert client.post("/answer", json={"key": told["key"], "row": row}, headers=headers).status_code in (403, 421)


def test_a_link_from_a_recruiting_site_opens_the_page(client):
    """Participants come from elsewhere; that is a link, and nothing is sent with it."""
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}

    assert client.get("/?PROLIFIC_PID=<script>", headers=headers).status_code == 200


def test_a_proxy_may_call_it_by_another_name(study):
    """Where it was started with --name."""
    client = TestClient(make_study_app(study, hosts=["study.example.org"]), base_url="http://study.example.org")

    assert client.get("/").status_code == 200
