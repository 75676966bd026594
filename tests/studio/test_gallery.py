"""The gallery: what it shows, what filters leave, and what it refuses."""

from __future__ import annotations

import json
import re
from html import unescape

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from deixis._studio.filters import Facet, Lines, PageQuery, choose, places_in, ranges
from deixis._studio.library import Library
from deixis._studio.server import make_app
from deixis.data.checks import MAX_FINDINGS
from deixis.errors import UnknownName
from deixis.worlds.grid._pages.shelf import GridShelf, grid_example, grid_size
from deixis.worlds.grid.checks import check_tables
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.making.make import make
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.localise import length_of
from deixis.worlds.rooms._pages.gallery import pairs_of
from deixis.worlds.rooms.scene import FACTORS, RoomScene
from tests.datasets.tiny import quick
from tests.studio.drawn import examples, plan_to, write_dataset, write_evaluation


GRID, ROOMS, PHOTOGRAPHS = "/d/grid-worlds", "/d/3d-shapes", "/d/photographs"


def studio_over(*roots) -> TestClient:
    return TestClient(make_app(roots), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def client(demo_roots) -> TestClient:
    """A studio over the demo."""
    return studio_over(*demo_roots)


@pytest.fixture(scope="module")
def grid_rows(demo_roots):
    """All examples of the grid worlds of the demo, in their order."""
    from deixis.worlds.grid.data.table import examples_of

    return [one for table in open_source(demo_roots[0] / "grid-worlds").tables() for one in examples_of(table)]


def total(answer) -> int:
    """How many a page says that there are."""
    return int(re.search(r"<h2[^>]*>\s*([\d,]+)", answer.text)[1].replace(",", ""))


def cards(answer) -> list[tuple[str, str]]:
    """The address, without the filter that it carries, and the text of every card."""
    found = re.findall(r'<h3><a href="([^"]*)">(.*?)</a>', answer.text)
    return [(unescape(address).partition("?in=")[0], unescape(text)) for address, text in found]


def choices(answer, name: str) -> dict[str, int]:
    """The values of a field with their counts."""
    form = re.search(rf'<select id="filter-{name}".*?</select>', answer.text, re.DOTALL)[0]
    found = re.findall(r'<option value="([^"]+)"[^>]*>[^<]*?(?:\(([\d,]+)\))?</option>', form)
    return {unescape(value): int(count.replace(",", "")) if count else -1 for value, count in found}


def all_numbers(client, query: str) -> list[int]:
    """The numbers of all examples that a question leaves, from all pages."""
    first = client.get(f"{GRID}?{query}")
    pages = -(-total(first) // 24)
    answers = [first, *(client.get(f"{GRID}?{query}&page={page}") for page in range(2, pages + 1))]
    return [int(address.rpartition("/")[2]) for answer in answers for address, _ in cards(answer)]


def rewrite(path, column: str, values: list) -> None:
    """Put other values into a column of a file."""
    table = pq.read_table(path)
    place = table.schema.get_field_index(column)
    pq.write_table(table.set_column(place, column, pa.array(values, table.schema.field(column).type)), path)


def test_the_first_page_reads_nothing_but_its_rows(demo_roots, monkeypatch):
    """Neither it nor a page of a split waits for the codes of all examples."""

    def never(shelf):
        raise AssertionError("the codes were read")

    monkeypatch.setattr(GridShelf, "codes", never)
    monkeypatch.setattr(GridShelf, "prepare", lambda _: None)
    client = studio_over(*demo_roots)
    first = client.get(GRID)
    assert total(first) == sum(file["rows"] for file in _manifest(demo_roots, "grid-worlds")["files"])
    assert [address for address, _ in cards(first)] == [f"{GRID}/{number}" for number in range(24)]
    assert first.text.count("<svg") == 24
    assert "data-uncounted" in first.text
    split = client.get(f"{GRID}?split=train&page=2")
    assert total(split) == _manifest(demo_roots, "grid-worlds")["splits"]["train"]


def _manifest(demo_roots, name):
    return json.loads((demo_roots[0] / name / "manifest.json").read_text())


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("split=a1", lambda one: "a1" in one.split.split("+")),
        ("pattern=p3", lambda one: one.pattern == "p3"),
        ("verb=push", lambda one: one.verb == "push"),
        ("manner=cautiously", lambda one: one.manner == "cautiously"),
        ("manner=none&verb=pull", lambda one: not one.manner and one.verb == "pull"),
        ("relation=same+row", lambda one: "in the same row as" in one.text),
        ("kind=isomorphism", lambda one: any(role.kind == "isomorphism" for role in one.roles)),
        ("objects=14", lambda one: len(one.scene) == 14),
        ("length=6-10", lambda one: 6 <= len(one.plan) <= 10),
        ('text=small+"red+circle"', lambda one: "red circle" in one.text and "small" in one.text.split()),
        ("pattern=p2&verb=walk&split=train", lambda one: (one.pattern, one.verb, one.split) == ("p2", "walk", "train")),
    ],
)
def test_a_filter_leaves_just_the_examples_that_fit(client, grid_rows, query, fits):
    """All pages together show every example that fits, and no other."""
    assert all_numbers(client, query) == [number for number, one in enumerate(grid_rows) if fits(one)]


def test_counts_say_what_each_value_would_leave(client):
    """The number beside a value is the number of examples found with it, the other choices as they are."""
    answer = client.get(f"{GRID}?verb=push&part=list")
    told = json.loads(unescape(re.search(r'data-counts="([^"]*)"', answer.text)[1]))
    assert json.dumps(told) == json.dumps(client.get(f"{GRID}?verb=push&part=counts").json())
    for name in ("split", "pattern", "kind", "length", "relation"):
        for value, _, count in told[name]:
            found = client.get(GRID, params={"verb": "push", name: value})
            assert (total(found), choices(found, name)[value]) == (count, count)
    assert {value for value, *_ in told["verb"]} == {"walk", "push", "pull"}


def test_the_list_alone_has_the_cards_of_the_page(client):
    """What a script exchanges is what the page would show."""
    part = client.get(f"{GRID}?pattern=p2&part=list")
    assert "<form" not in part.text
    assert cards(part) == cards(client.get(f"{GRID}?pattern=p2"))


def test_pages_lead_to_each_other_and_keep_the_question(client):
    """The address of the next page asks for the same."""
    first = client.get(f"{GRID}?split=train&verb=walk")
    following = unescape(re.findall(r'<a class="chip" href="([^"]*)">Next', first.text)[0])
    second = client.get(following)
    assert total(second) == total(first)
    assert not set(cards(first)) & set(cards(second))
    assert 'aria-current="page">2<' in second.text


@pytest.mark.parametrize(
    ("address", "status"),
    [
        (f"{GRID}?page=0", 400),
        (f"{GRID}?page=x", 400),
        (f"{GRID}?page=99999", 404),
        (f"{GRID}?split=nowhere", 404),
        (f"{GRID}?objects=many", 404),
        (f"{GRID}?length=1-", 404),
        (f"{GRID}?verdict=maybe", 404),
        (f"{GRID}?model=nobody", 404),
        (f"{GRID}?check=E999", 404),
        (f"{GRID}?check=E002", 404),
        (f"{GRID}?check=any&from=-1", 400),
        (f"{GRID}?part=nothing", 404),
        (f"{GRID}?text={'x' * 400}", 400),
        (f"{ROOMS}?set=nothing", 404),
        (f"{ROOMS}?split=nothing", 404),
        (f"{ROOMS}?captions=none", 404),
        (f"{ROOMS}?shape=star", 404),
        (f"{PHOTOGRAPHS}?form=poem", 404),
        (f"{PHOTOGRAPHS}?split=nothing", 404),
        ("/d/nothing", 404),
        (f"{ROOMS}/image/480000.png", 404),
        (f"{GRID}/image/1.png", 404),
        (f"{PHOTOGRAPHS}/picture/nothing.png", 404),
        (f"{PHOTOGRAPHS}/picture/..%2fmanifest.json.png", 404),
        (f"{PHOTOGRAPHS}/picture/%2e%2e.jpg", 404),
    ],
)
def test_nonsense_is_refused_with_a_reason(client, address, status):
    """A clear line and a status that says whose fault it is."""
    answer = client.get(address)
    assert answer.status_code == status
    assert 'class="fault"' in answer.text
    assert "Traceback" not in answer.text


def test_what_users_and_data_say_is_escaped(tmp_path):
    """Neither a command nor a query can bring a script into the page."""
    evil = "<script>alert(1)</script>"
    write_dataset(tmp_path / "evil")
    rewrite(tmp_path / "evil" / "data" / "test-0.parquet", "command", [evil, "walk to the circle"])
    client = studio_over(tmp_path)
    for query in ({}, {"text": evil}, {"split": evil}, {"text": "script"}, {evil: evil}):
        answer = client.get("/d/evil", params=query)
        assert evil not in answer.text
    assert unescape(client.get("/d/evil", params={"text": "script"}).text).count(evil) == 1


def test_a_row_that_cannot_be_read_is_a_card_with_its_fault(tmp_path):
    """The other cards are there."""
    write_dataset(tmp_path / "odd")
    rewrite(tmp_path / "odd" / "data" / "test-0.parquet", "target", [77, 0])
    client = studio_over(tmp_path)
    for query in ("", "?verb=walk"):
        answer = client.get(f"/d/odd{query}")
        assert answer.status_code == 200
        assert answer.text.count('<p class="fault">') == 1
        assert answer.text.count("<svg") == len(cards(answer)) - 1


def test_models_are_filters(tmp_path):
    """The examples that a model has right, those that it has wrong, and both."""
    write_dataset(tmp_path / "drawn")
    asked = examples()["test"]
    write_evaluation(tmp_path / "judged", asked, [plan_to(asked[0], 2), *(one.plan for one in asked[1:])])
    client = studio_over(tmp_path)
    (key,) = choices(client.get("/d/drawn"), "model")
    found = {
        verdict: client.get("/d/drawn", params={"model": key, "verdict": verdict}) for verdict in ("right", "wrong", "")
    }
    assert [text for _, text in cards(found["wrong"])] == [asked[0].text]
    assert {text for _, text in cards(found["right"])} == {one.text for one in asked[1:]}
    assert total(found[""]) == len(asked)
    assert found["wrong"].text.count(": wrong") == 1


def test_checks_are_filters(tmp_path):
    """All examples in which a check finds something, page after page, and nothing else."""
    made = make(quick(), tmp_path / "made", workers=1)
    table = pa.concat_tables(made.tables())
    client = studio_over(tmp_path)
    address, found = "/d/made?check=I202", []
    while address:
        answer = client.get(address)
        assert answer.status_code == 200
        found += [int(place.rpartition("/")[2]) for place, _ in cards(answer)]
        assert answer.text.count(">I202<") == len(cards(answer))
        onward = re.findall(r'href="([^"]*)">Look on', answer.text)
        address = unescape(onward[0]) if onward else ""
    hits = [n for n in range(table.num_rows) if check_tables([table.slice(n, 1)], select=["I202"]).tally["I202"]]
    assert found == hits
    assert len(hits) > MAX_FINDINGS  # so that a page has to be put together from several looks


def test_examples_are_found_by_number(demo_roots, grid_rows):
    """The number in an address is the place of the example over all files."""
    entry = Library(demo_roots).find("grid-worlds")
    assert grid_size(entry) == len(grid_rows)
    for number in (0, 1, len(grid_rows) // 2, len(grid_rows) - 1):
        assert grid_example(entry, number) == grid_rows[number]
    with pytest.raises(UnknownName):
        grid_example(entry, len(grid_rows))


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("", lambda *_: True),
        ("form=and", lambda one, _: one.form == "and"),
        ("length=middle", lambda one, _: length_of(one.text) == "middle"),
        ("there=absent", lambda one, _: not one.object_id),
        ("text=left", lambda one, _: "left" in one.text.lower().split()),
        ("split=test&there=there", lambda one, _: one.split == "test" and one.object_id),
        ("candidates=21-40", lambda one, sizes: 21 <= _candidates(one, sizes) <= 40),
    ],
)
def test_expressions_about_photographs_are_filtered(client, demo_roots, query, fits):
    """As many are found as fit, and the cards lead to them."""
    data = open_copsref(demo_roots[0] / "photographs")
    sizes = {image: len(data.scenes.objects_of(place)) for place, image in enumerate(data.scenes.image_ids)}
    expected = [one for one in data.examples() if fits(one, sizes)]
    answer = client.get(f"{PHOTOGRAPHS}?{query}")
    assert total(answer) == len(expected) > 0
    assert cards(answer) == [(f"{PHOTOGRAPHS}/{one.id}", one.text) for one in expected[:24]]


def _candidates(example, sizes) -> int:
    return sum(sizes[image] for image in (example.image_id, *(one.image_id for one in example.distractors)))


def test_photographs_come_with_their_dataset(client, demo_roots):
    """The pictures lie in the dataset: they are shown small and large, also where the studio was given nothing else."""
    address = re.search(r'<image href="([^"]*)"', client.get(PHOTOGRAPHS).text)[1]
    small = client.get(unescape(address))
    assert (small.status_code, small.headers["content-type"]) == (200, "image/jpeg")
    large = client.get(unescape(address).partition("?")[0])
    assert large.headers["content-type"] == "image/png"
    assert large.content.startswith(b"\x89PNG")
    alone = studio_over(demo_roots[0] / "photographs")
    assert alone.get(unescape(address)).content == small.content
    assert alone.get(f"{PHOTOGRAPHS}/picture/none.png").status_code == 404


def test_a_link_to_a_picture_outside_is_not_followed(demo_roots, tmp_path):
    """A link out of the folders of the studio leads nowhere."""
    import shutil

    shutil.copytree(demo_roots[0] / "photographs", tmp_path / "in" / "photographs")
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"\x89PNG secret")
    client = studio_over(tmp_path / "in")  # which would refuse a dataset that has such a link from the beginning
    (tmp_path / "in" / "photographs" / "images").mkdir(exist_ok=True)
    (tmp_path / "in" / "photographs" / "images" / "leak.png").symlink_to(secret)
    answer = client.get(f"{PHOTOGRAPHS}/picture/leak.png")
    assert answer.status_code == 404
    assert "secret" not in answer.text


def test_rooms_are_filtered_by_their_factors(client):
    """Images of a split, of a value, and with words of the caption."""
    everything = client.get(ROOMS)
    assert total(everything) == 480_000
    assert len(set(cards(everything))) == 24
    some = client.get(f"{ROOMS}?object_hue=red&shape=ball")
    assert total(some) == 480_000 // 40
    for address, text in cards(some):
        room = RoomScene(int(address.rpartition("/")[2]))
        assert dict(zip(FACTORS, room.factors, strict=True))["shape"] == 2
        assert "red ball" in text
    assert total(client.get(f"{ROOMS}?split=validation")) == 20_000
    assert all("tiny" in text and "pill" in text for _, text in cards(client.get(f"{ROOMS}?text=a+tiny+pill")))
    assert total(client.get(f"{ROOMS}?text=elephant")) == 0


def test_pairs_lead_to_their_place_in_the_set(client, demo_roots):
    """The number of a pair is its place in the set, whatever is filtered."""
    pairs = pairs_of(Library(demo_roots).find("3d-shapes"))["random two"]
    answer = client.get(f"{ROOMS}?set=random+two&shape=ball")
    balls = np.flatnonzero([RoomScene(int(target)).factors[4] == 2 for target in pairs[:, 0]])
    assert total(answer) == len(balls)
    assert [address for address, _ in cards(answer)] == [f"{ROOMS}/random%20two/{number}" for number in balls[:24]]
    assert answer.text.count("<img src=") >= 48


def test_pictures_of_rooms_are_drawn(client):
    """As PNG, in the size that is asked for, within bounds."""
    for query, size in (("", 128), ("?size=64", 64), ("?size=9999", 512), ("?size=x", 128)):
        answer = client.get(f"{ROOMS}/image/7.png{query}")
        assert answer.headers["content-type"] == "image/png"
        assert int.from_bytes(answer.content[16:20]) == size


def test_a_broken_file_is_told_on_the_page(tmp_path):
    """One line says which file; other datasets are shown all the same."""
    write_dataset(tmp_path / "whole")
    write_dataset(tmp_path / "broken")
    (tmp_path / "broken" / "data" / "train-0.parquet").write_bytes(b"PAR1 nonsense")
    client = studio_over(tmp_path)
    for query in ("", "?verb=walk"):
        answer = client.get(f"/d/broken{query}")
        assert answer.status_code == 422
        assert "train-0.parquet" in answer.text
    assert client.get("/d/whole").status_code == 200


# -------------------------------------------------------------------------------- filters by themselves


@given(
    codes=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=40),
    one=st.sampled_from(["", "even", "odd"]),
    two=st.sampled_from(["", "0", "3", "5"]),
)
def test_choosing_agrees_with_its_definition(codes, one, two):
    """What remains, and what every other choice would leave, counted one by one."""
    values = np.array(codes, np.uint8)
    parity = {"even": np.array([True, False, True, False]), "odd": np.array([False, True, False, True])}
    each = {str(n): np.arange(6) == n for n in range(6)}
    facets = (Facet("one", "one", values[:, 0], parity), Facet("two", "two", values[:, 1], each))

    def fits(row, first, second) -> bool:
        return (not first or (row[0] % 2 == 0) == (first == "even")) and (not second or row[1] == int(second))

    found = choose(len(codes), facets, {"one": one, "two": two})
    kept = [number for number, row in enumerate(codes) if fits(row, one, two)]
    assert found.size == len(kept)
    assert found.numbers(0, 100).tolist() == kept
    for value in parity:
        assert found.counts["one"][value] == sum(fits(row, value, two) for row in codes)
    for value in each:
        assert found.counts["two"][value] == sum(fits(row, one, value) for row in codes)


@given(values=st.lists(st.integers(0, 60), min_size=1), ends=st.sets(st.integers(0, 50)).map(sorted))
def test_ranges_hold_every_number_once(values, ends):
    """Groups do not overlap, leave nothing out, and none is empty."""
    tables, labels = ranges(np.array(values), ends)
    assert set(tables) == set(labels)
    for value in values:
        assert sum(bool(table[value]) for table in tables.values()) == 1
    assert all(table[values].any() for table in tables.values())


@given(cuts=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 9)), max_size=5), start=st.integers(0, 40))
def test_places_in_stretches_are_those_of_the_numbers(cuts, start):
    """The same as putting all numbers into one list."""
    stretches = [range(first, first + size) for first, size in cuts]
    assert places_in(stretches, start, start + 7) == [n for one in stretches for n in one][start : start + 7]


@pytest.mark.parametrize(
    ("words", "expected"),
    [("red", [True, True]), ('"red circle"', [True, False]), ("circle RED, by", [True, False]), ("re", [False, False])],
)
def test_words_are_searched_whole(words, expected):
    """In any order; in quotes, one after the other; never as parts of words."""
    assert Lines(["a red circle by a box", "a circle, a red square"]).having(words).tolist() == expected


def test_an_address_keeps_what_was_asked(client):
    """Only what is changed changes, and what is empty goes."""
    wanted = PageQuery({"split": "a&b", "text": "x"}, 3)
    assert wanted.address("/d/x", page=4, text="") == "/d/x?split=a%26b&page=4"
