"""The gallery of every world filters by what words do, by the plain definitions, and saves what it finds."""

from __future__ import annotations

import io
import json
import re
from collections import OrderedDict
from html import unescape
from threading import Event

import numpy as np
import pytest


pytest.importorskip("starlette", reason="needs deixis[studio]")
pytest.importorskip("httpx", reason="needs httpx")

import pyarrow.parquet as pq
from PIL import Image
from starlette.testclient import TestClient

from deixis._studio import meanings
from deixis._studio.filters import PageQuery
from deixis._studio.library import Library
from deixis._studio.meanings import CLAUSES, IDLE, MISREAD, NAMES, NEEDS, SLIPS, clauses_name
from deixis._studio.server import make_app
from deixis.audits.measures import audited_parts, left_without, why_not_judged
from deixis.distractors.misreadings import misreadings
from deixis.resolution.reference import resolve
from deixis.worlds.example import context_of


pytestmark = pytest.mark.slow
SOME = 25  # examples that are compared with the definition
HOSTILE = (
    *("misread=__class__", "clauses=-1", "needs=%00", "order=shuffled--1", "order=shuffled-99999999999999999999"),
    *("order=few-clauses-clauses", "idle=<script>alert(1)</script>", "misread=" + "a" * 301, "clauses=٣", "page=0"),
)


@pytest.fixture(scope="module")
def client(made):
    """Somebody who visits a studio over one dataset."""
    return TestClient(make_app([made.path]), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def library(made):
    """The dataset alone."""
    return Library((made.path,))


@pytest.fixture(scope="module")
def entry(library):
    """The dataset alone."""
    return library.datasets[0]


@pytest.fixture(scope="module")
def part(client, entry):
    """What has to be asked so that examples with words are listed: a set of pairs, where there are such."""
    page = client.get(f"/d/{entry.slug}").text
    sets = re.search(r'<select id="filter-set".*?</select>', page, re.DOTALL)
    return {"set": unescape(re.findall(r'value="([^"]+)"', sets[0])[0])} if sets else {}


def told_of(example):
    """What the plain definitions say of an example, by the facets of the gallery; None where they say nothing."""
    context, expression = context_of(example), example.expression
    if context is None or expression is None or why_not_judged(expression, context):
        return None
    schema = context.scenes[context.target.scene].schema
    target = {context.target}
    left = left_without(expression, context)
    judged = [(one.kind, left[one.part] != target) for one in audited_parts(expression, schema)]
    judged = [one for one in judged if one[0] != "implied noun"]
    astray = {one.slip for one in misreadings(expression, schema) if resolve(one.expression, context).objects - target}
    needed = {kind for kind, is_needed in judged if is_needed}
    idle = {kind for kind, is_needed in judged if not is_needed}
    return {
        NEEDS: needed | ({"every"} if needed and not idle else set()),
        IDLE: idle | ({"some"} if idle else set()),
        MISREAD: astray | ({"any"} if astray else {"none"}),
        CLAUSES: {clauses_name(sum(1 for _ in expression.relations()))},
    }


def choices_of(page, name):
    """The values of a field of the form, with their counts; nothing where no example has any."""
    form = re.search(rf'<select id="filter-{name}".*?</select>', page, re.DOTALL)
    found = re.findall(r'<option value="([^"]+)"[^>]*>[^<]*\(([\d,]+)\)</option>', form[0] if form else "")
    return {unescape(value): int(count.replace(",", "")) for value, count in found}


def test_filters_by_what_words_do_agree_with_the_definitions(library, entry, part):
    """Each of some examples is found by every value that the definitions give it, and by no other."""
    pages = entry.pages
    everything, _ = pages.filter_examples(entry, PageQuery(part), library)
    chosen = everything[:: max(1, len(everything) // SOME)][:SOME]
    told = {number: told_of(pages.find_example(entry, number, PageQuery(part))) for number in chosen.tolist()}
    assert any(told.values())
    facets = {name: set().union(*(one[name] for one in told.values() if one)) for name in NAMES}
    facets[MISREAD] |= {"any", "none", *SLIPS}

    for name, values in facets.items():
        for value in values:
            found, _ = pages.filter_examples(entry, PageQuery({**part, name: value}), library)
            holding = [number for number, one in told.items() if one is not None and value in one[name]]
            assert sorted(set(found.tolist()) & set(told)) == sorted(holding), (name, value)


def test_counts_of_the_form_are_those_of_the_lists(client, entry, part):
    """Whoever chooses a value finds as many examples as it says, once all are counted."""
    path = f"/d/{entry.slug}"
    page = client.get(path, params={**part, MISREAD: "any"}).text

    counted = {name: choices_of(page, name) for name in NAMES}
    assert counted[MISREAD]
    for name, choices in counted.items():
        for value, count in choices.items():
            found = client.get(path, params={**part, MISREAD: "any", name: value}).text
            assert int(re.search(r'<h2 aria-live="polite">\s*([\d,]+)', found)[1].replace(",", "")) == count


def test_the_first_page_offers_what_is_counted_later(made, monkeypatch):
    """Before anything is counted, the form has every field that it has afterwards, so that counts have a place."""
    monkeypatch.setattr("deixis.worlds.toolkit.pages.LARGE", 5)
    client = TestClient(make_app([made.path]), base_url="http://127.0.0.1")
    fields = re.compile(r'id="filter-(\w+)"')
    (slug,) = set(re.findall(r'href="/d/([^"/?]+)"', client.get("/").text))

    before = fields.findall(client.get(f"/d/{slug}").text)
    client.get(f"/d/{slug}?part=counts")
    client.get(f"/d/{slug}/audit")
    after = fields.findall(client.get(f"/d/{slug}", params={"page": 1}).text)

    assert set(after) <= set(before)


def test_large_datasets_are_judged_when_somebody_asks(made, part, monkeypatch):
    """Nothing is judged before; who asks is told how far it is, and finds the examples when all are judged."""
    gate, judge = Event(), meanings.read_meanings

    def judge_later(examples):
        assert gate.wait(60)
        return judge(examples)

    monkeypatch.setattr(meanings, "_kept", OrderedDict())
    monkeypatch.setattr(meanings, "MAX_JUDGED", -1)
    monkeypatch.setattr(meanings, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(meanings, "read_meanings", judge_later)
    client = TestClient(make_app([made.path]), base_url="http://127.0.0.1")
    (slug,) = set(re.findall(r'href="/d/([^"/?]+)"', client.get("/").text))
    path, asked = f"/d/{slug}", {**part, MISREAD: "any", "order": "many-clauses"}

    client.get(path, params=part)
    assert not any(kept.helper for kept in meanings._kept.values())
    if made.world != "grid":  # whose misreadings are resolved in compiled loops at once
        told = client.get(path, params=asked).text
        assert re.search(r"judged now, 0 of [\d,]+ so far", told)
        assert "data-waiting" in told
        assert "Look again" in told
        assert '<option value="any" selected>any misreading' in told
        assert '<option value="many-clauses" selected>' in told
        assert client.get(path, params={**asked, "part": "counts"}).json() == {}
    gate.set()
    monkeypatch.setattr(meanings, "PATIENCE_SECONDS", 60.0)
    found = client.get(path, params=asked).text

    assert "data-waiting" not in found
    assert int(re.search(r'<h2 aria-live="polite">\s*([\d,]+)', found)[1].replace(",", ""))


def test_orders_keep_what_is_found(library, entry, part):
    """Shuffled by a seed, always alike, and sorted by clauses: the same examples in another order."""

    def numbers(order):
        found, _ = entry.pages.filter_examples(entry, PageQuery({**part, "order": order}), library)
        return found.tolist()

    plain, shuffled = numbers(""), numbers("shuffled-7")
    assert sorted(shuffled) == sorted(plain)
    assert shuffled == numbers("shuffled-7") != numbers("shuffled-8")
    assert sorted(numbers("many-clauses")) == sorted(plain)
    few = [sum(1 for _ in expression.relations()) for expression in _expressions(entry, numbers("many-clauses"), part)]
    assert few == sorted(few, reverse=True)


def _expressions(entry, numbers, part):
    for number in numbers[:10]:
        example = entry.pages.find_example(entry, number, PageQuery(part))
        if told_of(example):
            yield example.expression


def test_what_is_found_is_saved_as_parquet_and_lines(client, library, entry, part):
    """As many rows as are found, in their order, in both forms."""
    query = {**part, MISREAD: "any", "order": "shuffled-3"}
    numbers, _ = entry.pages.filter_examples(entry, PageQuery(query), library)

    parquet = client.get(f"/d/{entry.slug}/examples.parquet", params=query)
    lines = client.get(f"/d/{entry.slug}/examples.jsonl", params=query).text.splitlines()

    table = pq.read_table(io.BytesIO(parquet.content))
    assert len(table) == len(lines) == len(numbers) > 0
    said = "command" if "command" in table.column_names else "text"
    texts = [entry.pages.find_example(entry, number, PageQuery(part)).text for number in numbers[:5].tolist()]
    assert table[said].to_pylist()[:5] == texts
    assert [json.loads(line)[said] for line in lines[:5]] == texts


def test_a_sheet_shows_the_first_that_are_found(client, entry, part):
    """A PNG with pictures, the same every time, and one that says so where nothing is found."""
    address, query = f"/d/{entry.slug}/sheet.png", {**part, MISREAD: "any"}

    sheet = client.get(address, params=query)

    image = np.asarray(Image.open(io.BytesIO(sheet.content)).convert("RGB"))
    assert image.shape[0] > 300
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 8
    assert client.get(address, params=query).content == sheet.content
    nothing = client.get(address, params={**part, MISREAD: "none", CLAUSES: "3-"})
    assert nothing.headers["content-type"] == "image/png"


@pytest.mark.parametrize("query", HOSTILE)
def test_hostile_questions_are_refused_with_a_reason(client, entry, part, query):
    """Nothing but a page of one sentence, in which nothing of theirs is markup."""
    asked = "&".join([*(f"{name}={value}" for name, value in part.items()), query])
    for address in ("", "/examples.jsonl", "/sheet.png"):
        if address and query.startswith("page"):
            continue
        answer = client.get(f"/d/{entry.slug}{address}?{asked}")
        assert answer.status_code in (400, 404)
        assert "<script>alert" not in answer.text


def test_an_example_is_reached_by_its_id(client, library, entry):
    """The address is that of its page; what has no id is told."""
    number = int(entry.pages.filter_examples(entry, PageQuery({}), library)[0][-1])
    wanted = entry.pages.find_example(entry, number, PageQuery({})).id

    found = client.get(f"/d/{entry.slug}/go", params={"id": str(wanted)}, follow_redirects=False)

    assert (found.status_code, found.headers["location"]) == (303, entry.pages.address(entry, number, PageQuery({})))
    assert client.get(f"/d/{entry.slug}/go", params={"id": "no such id"}).status_code == 404


def test_the_way_goes_on_within_the_filter(client, entry, part):
    """The page of the second example that is found leads to the first and to the third."""
    page = client.get(f"/d/{entry.slug}", params={**part, MISREAD: "any", "order": "shuffled-2"}).text
    listed = re.findall(r'<h3><a href="([^"]*)"', page)
    assert len(listed) > 2

    second = client.get(unescape(listed[1])).text

    assert listed[0] in second
    assert listed[2] in second
