"""The report as a whole: valid, self-contained, safe, complete and the same every time."""

from __future__ import annotations

import builtins
import json
import re
import tomllib
from dataclasses import replace
from html.parser import HTMLParser

import pyarrow as pa
import pytest

from deixis.data.store import MANIFEST, open_dataset, write_parquet
from deixis.errors import BrokenDataset, DeixisError, RecipeError
from deixis.report._markup import Themes, anchor, percent, text
from deixis.report._templates import make_environment
from deixis.worlds.grid._report.page import write_report
from deixis.worlds.grid.checks import check_tables
from deixis.worlds.grid.making.recipe import read_recipe, recipe_from
from tests.reports.conftest import write_dataset


VOID = {"meta", "br", "link", "img", "input", "hr"}


class Reader(HTMLParser):
    """Notes what is open, what was wrongly closed, ids, links, sources and the text of a page."""

    def __init__(self):
        super().__init__()
        self.open, self.faults, self.ids, self.links, self.sources, self.tags, self.words = [], [], [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        """Note the element."""
        self.tags.append(tag)
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        for name, value in given.items():
            if name in ("href", "xlink:href"):
                self.links.append(value)
            if name in ("src", "srcset", "data", "poster", "action") or (name == "style" and "url(" in value):
                self.sources.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        """Note the element, which closes itself."""
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        """Note what does not close what is open."""
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data):
        """Note the text."""
        self.words.append(data)


def read_page(path):
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader


@pytest.fixture(scope="module")
def page(dataset, tmp_path_factory):
    out = tmp_path_factory.mktemp("page") / "report.html"
    return write_report(dataset, out, report=check_tables(open_dataset(dataset).tables()))


def test_the_page_is_well_formed(page):
    """Every element is closed where it should be, and no id is used twice."""
    reader = read_page(page)

    assert not reader.faults
    assert not reader.open
    assert len(reader.ids) == len(set(reader.ids))


def test_the_page_asks_for_nothing_from_outside(page):
    """Every link stays on the page, and nothing is loaded."""
    reader = read_page(page)

    assert reader.links
    assert not reader.sources
    assert all(link.startswith("#") for link in reader.links)
    assert not re.search(r"""(?:https?:)?//[a-z]|@import|url\((?!#)""", page.read_text(encoding="utf-8"))


def test_links_lead_somewhere(page):
    """Every link points at something that is there."""
    reader = read_page(page)

    assert {link[1:] for link in reader.links} <= set(reader.ids)


def test_the_same_dataset_gives_the_same_bytes(dataset, tmp_path, page):
    """A report depends on nothing but the dataset and the arguments."""
    again = write_report(dataset, tmp_path / "again.html", report=check_tables(open_dataset(dataset).tables()))

    assert again.read_bytes() == page.read_bytes()


def test_every_split_and_pattern_is_mentioned(page, examples):
    """Whatever the dataset holds has its name on the page."""
    said = " ".join(read_page(page).words)

    for example in examples:
        for name in (*example.split.split("+"), example.pattern):
            assert re.search(rf"\b{name}\b", said)


def test_the_gallery_shows_every_example_of_a_small_dataset(page, examples):
    """Where there is room for all, all are shown with picture and command."""
    reader = read_page(page)
    said = "".join(reader.words)

    assert reader.tags.count("article") == len(examples)
    assert all(example.text in said for example in examples)


def test_hostile_text_stays_text(tmp_path, examples):
    """Markup in a command, in the name of a dataset or in the name of a split does not become markup."""
    evil = '"><script>alert(1)</script><img src=x onerror=alert(2)>&'
    folder = write_dataset(tmp_path / "dataset", examples, name=evil)
    file = open_dataset(folder).files("train")[0]
    table = next(open_dataset(folder).tables("train"))
    write_parquet(_with(_with(table, "command", evil), "pattern", f"_${evil}$"), file)

    page = write_report(folder, tmp_path / "report.html")
    reader = read_page(page)

    assert reader.tags.count("script") == 1
    assert "img" not in reader.tags
    assert not reader.faults
    assert not reader.open
    assert "<script>alert(1)" in "".join(reader.words)


def test_without_checks_the_page_says_so(dataset, tmp_path):
    """A report never looks as if checks had been run when they were not."""
    said = "".join(read_page(write_report(dataset, tmp_path / "report.html")).words)

    assert "The checks have not been run" in said
    assert "No problem found" not in said


def test_findings_are_counted(tmp_path, examples):
    """A wrong plan shows up with its code and its number."""
    wrong = replace(examples[0], plan=())
    folder = write_dataset(tmp_path / "dataset", [wrong])
    report = check_tables(open_dataset(folder).tables())
    said = "".join(read_page(write_report(folder, tmp_path / "report.html", report=report)).words)

    assert report.counts["E301"] == 1
    assert f"✗ {sum(n for c, n in report.counts.items() if c[0] == 'E')} errors" in said
    assert "E302" in said


def test_the_recipe_on_the_page_makes_the_same_dataset(page, dataset, tmp_path):
    """The TOML that is shown reads as the recipe of the manifest."""
    reader = read_page(page)
    shown = next(words for words in reader.words if words.startswith("name = "))
    path = tmp_path / "recipe.toml"
    path.write_text(shown, encoding="utf-8")

    assert tomllib.loads(shown)["seed"] == 42
    assert read_recipe(path) == recipe_from(open_dataset(dataset).manifest["recipe"])


def test_a_gallery_has_a_sensible_size(dataset, tmp_path):
    """No examples, or thousands, are refused before anything is read."""
    for examples in (0, 1001):
        with pytest.raises(RecipeError, match=str(examples)):
            write_report(dataset, tmp_path / "report.html", examples=examples)


@pytest.mark.parametrize("key", ["recipe", "pools", "leakage proof", "content"])
def test_an_incomplete_manifest_is_refused(examples, tmp_path, key):
    """What is missing is named, and no half page is left behind."""
    dataset = write_dataset(tmp_path / "dataset", examples)
    path = dataset / MANIFEST
    manifest = json.loads(path.read_text(encoding="utf-8"))
    del manifest[key]
    path.write_text(json.dumps(manifest), encoding="utf-8")

    with pytest.raises(BrokenDataset, match=key):
        write_report(dataset, tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_without_jinja2_the_error_says_what_to_install(dataset, tmp_path, monkeypatch):
    """A missing extra is one line, with the command that mends it."""
    plain = builtins.__import__

    def refuse(name, *rest, **kwargs):
        if name.startswith("jinja2"):
            raise ImportError(name)
        return plain(name, *rest, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    make_environment.cache_clear()

    with pytest.raises(DeixisError, match=r"pip install 'deixis\[report\]'"):
        write_report(dataset, tmp_path / "report.html")


def test_shares_are_never_rounded_to_all_or_nothing():
    """100 % is said only of all, 0 % only of none."""
    assert [percent(x) for x in (0, 1, 0.5, 0.99999, 0.00001, -0.00001, -0.02)] == [
        "0 %",
        "100 %",
        "50.0 %",
        "over 99.9 %",
        "under 0.1 %",
        "under 0.1 %",
        "-2.0 %",
    ]


def test_text_that_html_forbids_is_replaced():
    """Control characters and lone surrogates do not reach the file."""
    assert text("a\x00<b>\ud800\u0085") == "a�&lt;b&gt;��"


def test_colors_follow_the_theme():
    """A drawing in two palettes becomes one that names its colours, and the rules give both."""
    themes = Themes()

    merged = themes.merge('<a fill="#FFFFFF" stroke="#000000"/>', '<a fill="#111111" stroke="#eeeeee"/>')

    assert merged == '<a fill="var(--c0)" stroke="var(--c1)"/>'
    assert "--c0:#FFFFFF;--c1:#000000;" in themes.rules()
    assert "--c0:#111111;--c1:#EEEEEE;" in themes.rules()


def test_anchors_are_plain():
    """A name becomes something that a link can point at."""
    assert anchor("a1+a2") == "a1-a2"
    assert anchor("<>") == "x"


def _with(table, name, value):
    place = table.schema.get_field_index(name)
    return table.set_column(place, table.schema.field(name), pa.array([value] * table.num_rows))
