"""Going from example to example within a filter, in galleries of all three worlds."""

from __future__ import annotations

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from deixis._studio.server import make_app


FILTERS = (
    "/d/grid-worlds?verb=push",
    "/d/grid-worlds?text=red&split=a2",
    "/d/grid-worlds?model=random&verdict=wrong",
    "/d/photographs?there=absent",
    "/d/photographs?split=test&length=short",
    "/d/3d-shapes?shape=pill&split=train",
    "/d/3d-shapes?set=object&shape=ball",
)


@pytest.fixture(scope="module")
def client(demo_roots):
    """A studio with galleries and their examples."""
    return TestClient(make_app(demo_roots), base_url="http://127.0.0.1")


def cards(client, address):
    """The addresses of the examples on a page of a gallery."""
    text = client.get(address).text
    return [unescape(found) for found in re.findall(r'<h3><a href="([^"]+)"', text)]


def link(text, what):
    """Where a link of a page leads; nothing where it has none."""
    found = re.search(rf'rel="{what}" href="([^"]+)"', text)
    return unescape(found[1]) if found else ""


@pytest.mark.parametrize("address", FILTERS)
def test_next_leads_through_what_the_filter_leaves(client, address):
    """Following Next visits the cards of the gallery in their order, and Previous leads back."""
    listed = cards(client, address)
    assert len(listed) > 2

    here, visited, before = listed[0], [], ""
    for _ in range(3):
        text = client.get(here).text
        visited.append(here)
        assert link(text, "prev") == before
        before, here = here, link(text, "next")

    assert visited == listed[:3]


@pytest.mark.parametrize("address", FILTERS)
def test_the_crumb_leads_back_to_the_list(client, address):
    """The way back keeps the filter, and says how many it leaves."""
    text = client.get(cards(client, address)[0]).text

    back = unescape(re.search(r'<a href="([^"]+)">[\d,]+ found</a>', text)[1])

    assert cards(client, back) == cards(client, address)


def test_the_crumb_leads_back_to_the_page(client):
    """An example of the second page leads back to the second page."""
    (first, *_) = cards(client, "/d/grid-worlds?split=train&page=2")

    text = client.get(first).text

    assert "/d/grid-worlds?split=train&amp;page=2" in text
    assert "25 of " in text


@pytest.mark.parametrize(
    "filtered", ["", "?in=verb%3Dfly", "?in=%00", "?in=page%3Dx", "?in=check%3DE101", "?in=verb%3Dpull"]
)
def test_what_is_no_filter_that_leaves_the_example_is_passed_over(client, filtered):
    """The neighbours are those of the split then."""
    number = cards(client, "/d/grid-worlds?verb=push&split=train")[0].partition("?")[0].rpartition("/")[2]

    answer = client.get(f"/d/grid-worlds/{number}{filtered}")

    assert answer.status_code == 200
    assert "?in=" not in link(answer.text, "next")
    assert " found</a>" not in answer.text


def test_without_a_filter_addresses_stay_plain(client):
    """The address of an example is short unless it carries something."""
    assert not any("?" in address for address in cards(client, "/d/grid-worlds"))
