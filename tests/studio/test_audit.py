"""The audit in the studio: the numbers of `deixis audit`, and bars that lead to exactly as many examples."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest
from starlette.testclient import TestClient

from deixis._studio.audit import SAMPLE, SEED, histograms_of
from deixis._studio.filters import PageQuery, order_field, put_in_order
from deixis._studio.library import Library
from deixis._studio.server import make_app
from deixis.audits.run import audit_dataset
from deixis.errors import UnknownName


@pytest.fixture(scope="module")
def library(demo_roots):
    """The datasets of the demo."""
    return Library(demo_roots)


@pytest.fixture(scope="module")
def client(demo_roots):
    """Somebody who visits the studio."""
    return TestClient(make_app(demo_roots), base_url="http://127.0.0.1")


def entry_of(library, kind):
    """The dataset of a world."""
    return next(iter(library.of_kind(kind)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["grid", "rooms", "photos"])
def test_the_audit_of_every_world_has_a_page(client, library, kind):
    """Its lead, its scorecard and its charts are there, and the gallery leads to it."""
    slug = entry_of(library, kind).slug

    page = client.get(f"/d/{slug}/audit")

    assert page.status_code == 200
    assert "How the examples are spread" in page.text
    assert f'href="/d/{slug}/audit"' in client.get(f"/d/{slug}").text


@pytest.mark.slow
def test_the_page_says_what_the_verb_says(client, library):
    """The same audit of the same sample."""
    entry = entry_of(library, "grid")
    audit = audit_dataset(entry.path, sample=SAMPLE, seed=SEED).audit

    page = client.get(f"/d/{entry.slug}/audit").text

    assert f"Judged: {audit.judged:,} examples" in page
    assert f"{100 * audit.words_needed('target').share:.3g} %" in page


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["grid", "rooms", "photos"])
def test_every_bar_leads_to_as_many_examples_as_it_says(client, library, kind):
    """Two bars of every histogram are followed."""
    found = histograms_of(entry_of(library, kind), library)
    assert found
    for one in found:
        for bar in (one.bars[0], one.bars[-1]):
            page = client.get(bar.address).text
            told = re.search(r'<h2 aria-live="polite">\s*([\d,]+)', page)
            assert told, bar
            assert int(told[1].replace(",", "")) == bar.examples, bar


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "some"), [("grid", "pattern=p2&needs=every"), ("photos", "needs=clause")])
def test_bars_of_charts_lead_to_their_examples(client, library, kind, some):
    """Each name that is a link lists examples; where no filter fits a bar, its name leads nowhere."""
    slug = entry_of(library, kind).slug
    page = client.get(f"/d/{slug}/audit").text
    links = [unescape(one) for one in re.findall(r'<a class="of" href="([^"]+)"', page)]

    assert f"/d/{slug}?{some}" in links
    assert '<span class="of">noun alone</span>' in page
    for link in dict.fromkeys(links):
        told = re.search(r'<h2 aria-live="polite">\s*([\d,]+)', client.get(link).text)
        assert told
        assert int(told[1].replace(",", "")) > 0


@pytest.mark.slow
def test_needed_words_are_those_of_the_audit(library):
    """The facets of the gallery and the audit count the same examples, each from its own source."""
    from deixis.worlds.grid._pages.needs import need_facets
    from deixis.worlds.grid._pages.shelf import grid_shelf

    entry = entry_of(library, "grid")
    shelf = grid_shelf(entry)
    needs, idle = need_facets(shelf.codes(), shelf.rows)
    audit = audit_dataset(entry.path).audit
    whole = audit.all_words_needed()

    assert audit.judged == len(shelf.rows)
    assert needs.total["every"] == round(whole.share * whole.of)
    assert idle.total["some"] == len(shelf.rows) - needs.total["every"]


@pytest.mark.slow
def test_colour_words_that_are_needed_can_be_asked_for(library):
    """And each example that is found needs one, by the plain definition."""
    from deixis.distractors.necessity import necessity
    from deixis.worlds.grid._pages.gallery import filter_grid
    from deixis.worlds.grid._pages.shelf import grid_example

    entry = entry_of(library, "grid")
    found = filter_grid(entry, PageQuery({"needs": "colour word"}), library)
    others = np.setdiff1d(
        np.arange(len(entry.data)) if hasattr(entry.data, "__len__") else np.arange(found.max()), found
    )

    def needs_color(number):
        example = grid_example(entry, int(number))
        needed = necessity(example.expression, example.context)
        return any(is_needed and part.attribute == "color" for part, is_needed in needed.items())

    assert all(needs_color(number) for number in found[:20])
    assert not any(needs_color(number) for number in others[:20])


def test_orders_keep_the_examples_and_are_always_the_same():
    """Shuffled twice in the same way; sorted by what is asked for, ties in the order of the dataset."""
    numbers, sizes = np.array([2, 3, 5, 8]), {"plan length": np.array([9, 9, 4, 1, 9, 4, 9, 9, 2])}

    shuffled = put_in_order(np.arange(50), "shuffled", {})

    assert sorted(shuffled) == list(range(50))
    assert shuffled.tolist() == put_in_order(np.arange(50), "shuffled", {}).tolist() != list(range(50))
    assert shuffled.tolist() != put_in_order(np.arange(50), "shuffled-again", {}).tolist()
    assert put_in_order(numbers, "few-plan-length", sizes).tolist() == [3, 8, 2, 5]
    assert put_in_order(numbers, "many-plan-length", sizes).tolist() == [2, 5, 8, 3]
    with pytest.raises(UnknownName, match="no order"):
        put_in_order(numbers, "backwards", sizes)


def test_every_choice_of_the_form_is_an_order():
    """Nothing is offered that is then refused."""
    field = order_field(PageQuery({}), ["words", "plan length"])

    for choice in field.choices:
        put_in_order(np.arange(3), choice.value, {"words": np.arange(3), "plan length": np.arange(3)})


@pytest.mark.slow
def test_the_next_example_is_the_next_in_the_order(client, library):
    """Previous and Next follow the order in which the gallery lists."""
    entry = entry_of(library, "grid")
    first = client.get(f"/d/{entry.slug}?order=shuffled").text
    listed = re.findall(rf'<h3><a href="(/d/{entry.slug}/\d+\?in=order%3Dshuffled)"', first)

    assert len(listed) > 2
    assert listed[2] in client.get(listed[1]).text
    assert listed[0] in client.get(listed[1]).text


def test_the_first_page_says_what_the_datasets_are(client, library):
    """World, mode and size stand on each card, and three doors lead on."""
    entry = entry_of(library, "grid")

    page = client.get("/").text

    card = page.partition(f'<a href="/d/{entry.slug}">')[2].partition("</li>")[0]
    assert "grid ·" in card
    assert "every-word" in card
    assert "<b>752</b> examples" in card
    for words in ("Browse examples", "Try the playground", "Do the task"):
        assert words in page


@pytest.mark.slow
def test_the_share_of_needed_words_comes_with_its_sample(client, library):
    """It is that of the audit of a small sample, and a dataset that is not there has none."""
    from deixis._studio.audit import SMALL, count_audit

    entry = entry_of(library, "grid")
    found = client.get(f"/d/{entry.slug}/needed").json()
    audit = count_audit(entry, sample=SMALL)

    assert found["examples"] == audit.judged
    assert found["words"] == "100 %"
    assert client.get("/d/nothing/needed").status_code == 404


@pytest.mark.slow
def test_what_is_found_is_saved_in_the_order_of_the_gallery(client, library, tmp_path):
    """Parquet that is a dataset again, and JSON Lines with the same examples."""
    import json

    import pyarrow.parquet as pq

    from deixis.worlds.grid._pages.gallery import filter_grid
    from deixis.worlds.grid._pages.shelf import grid_example
    from deixis.worlds.grid.data.sources import open_source

    entry = entry_of(library, "grid")
    query = {"needs": "clause", "verb": "push", "order": "few-words"}
    numbers = filter_grid(entry, PageQuery(query), library)

    found = client.get(f"/d/{entry.slug}/examples.parquet", params=query)
    (tmp_path / "found.parquet").write_bytes(found.content)
    lines = client.get(f"/d/{entry.slug}/examples.jsonl", params=query).text.splitlines()

    table = pq.read_table(tmp_path / "found.parquet")
    wanted = [grid_example(entry, int(number)).id for number in numbers]
    assert table["id"].to_pylist() == wanted
    assert [json.loads(line)["id"] for line in lines] == wanted
    assert sum(1 for _ in open_source(tmp_path / "found.parquet").tables()) >= 1


def test_what_cannot_be_saved_is_told(client, library):
    """Other forms, more examples than can be saved here, and findings of checks."""
    grid, rooms = entry_of(library, "grid").slug, entry_of(library, "rooms").slug

    assert client.get(f"/d/{grid}/examples.exe").status_code == 404
    assert "at most 100,000 examples" in client.get(f"/d/{rooms}/examples.jsonl").text
    assert "deixis check" in client.get(f"/d/{grid}/sheet.png?check=any").text
    assert "Save" not in client.get(f"/d/{grid}?check=any").text


def test_an_example_is_reached_by_its_number(client, library):
    """What is no number is told."""
    slug = entry_of(library, "grid").slug

    found = client.get(f"/d/{slug}/go?number=17", follow_redirects=False)

    assert (found.status_code, found.headers["location"]) == (303, f"/d/{slug}/17")
    assert client.get(f"/d/{slug}/go?number=x").status_code == 400
    assert client.get(f"/d/{slug}/go?number=99999999").status_code == 404
