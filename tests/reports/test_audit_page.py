"""The page of an audit: well-formed, self-contained, safe, the same every time, for any kind of dataset."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from deixis.audits import Audit
from deixis.audits.run import audit_path
from deixis.data.store import open_dataset
from deixis.errors import RecipeError
from deixis.report._audit_charts import audit_charts
from deixis.report._audit_page import lead, write_audit_page
from deixis.report._chart_layout import sign_path
from deixis.report._palette import color_pair, role_of
from deixis.worlds.grid._audit.run import audit_tables
from deixis.worlds.grid._paper.published import released_audit
from tests.reports.test_page import read_page


GROUNDED = """\
{"format": "deixis grounded 1", "schema": {"name": "kitchen", "attributes": [{"name": "name", "head": true}, \
{"name": "color"}], "relations": [{"name": "on"}]}}
{"text": "the white cup on the table", "scenes": [{"objects": [{"name": "cup", "color": "white"}, {"name": "cup", \
"color": "white"}, {"name": "table", "color": "brown"}], "relations": [["on", 0, 2]]}], "expression": \
[{"is": ["name", "cup"]}, {"is": ["color", "white"]}, {"related": "on", "to": [{"is": ["name", "table"]}]}], \
"target": [0, 0], "split": "test"}
"""


@pytest.fixture(scope="module")
def audit(dataset):
    return audit_tables(open_dataset(dataset).tables())


@pytest.fixture(scope="module")
def page(audit, tmp_path_factory):
    out = tmp_path_factory.mktemp("audit") / "audit.html"
    return write_audit_page({"one": audit, "<b>other</b>": audit}, out, published=released_audit())


def test_the_page_is_well_formed_and_asks_for_nothing(page):
    """Elements are closed, ids unique, links stay on the page and lead somewhere, and nothing is loaded."""
    reader = read_page(page)

    assert not reader.faults
    assert not reader.open
    assert not reader.sources
    assert len(reader.ids) == len(set(reader.ids))
    assert {link[1:] for link in reader.links} <= set(reader.ids)
    assert not re.search(r"""(?:https?:)?//[a-z]|@import|url\((?!#)""", page.read_text(encoding="utf-8"))


def test_names_of_datasets_stay_text(page):
    """Markup in a name does not become markup."""
    assert "<b>other</b>" not in page.read_text(encoding="utf-8")


def test_equal_audits_give_equal_bytes(audit, page, tmp_path):
    """Nothing but the audits decides what is written, and reading one back from JSON changes nothing."""
    same = Audit.from_dict(audit.to_dict())
    again = write_audit_page({"one": same, "<b>other</b>": audit}, tmp_path / "audit.html", published=released_audit())

    assert again.read_bytes() == page.read_bytes()


def test_every_section_has_something_to_say(page):
    """All sections are there, each with a heading that the navigation names."""
    reader = read_page(page)

    for name in (
        "words",
        "scorecard",
        "needed",
        "shortcuts",
        "competitors",
        "chance",
        "skew",
        "repeats",
        "definitions",
    ):
        assert name in reader.ids
        assert f"#{name}" in reader.links


def test_figures_show_all_datasets_in_the_same_order(audit):
    """A figure keeps the place of every dataset, published figures first; the shares of a stack make up the whole."""
    for charts in audit_charts({"one": audit, "two": audit}, beside=released_audit()).values():
        for chart in charts:
            if chart.marks == "stacks":
                for shares in zip(*(one.values for one in chart.series), strict=True):
                    assert sum(shares) == pytest.approx(1)
            elif chart.marks != "tiles":
                assert [one.label for one in chart.series if one.label != "released"] == ["one", "two"]


def test_the_lead_says_the_key_figures(audit):
    """The paragraph has the shares that the audit has."""
    said = re.sub(r"<[^>]+>", "", lead(audit))

    assert f"{100 * audit.words_needed('target').share:.1f} % are needed to find it" in said
    assert "6.0 objects to choose from" in said


def test_the_lead_says_how_many_meanings_are_judged(audit):
    """Where they are not those of all examples."""
    some = replace(audit, examples=2 * audit.examples)

    assert "Meanings are judged" not in lead(audit)
    assert f"Meanings are judged in {audit.judged:,} of {some.examples:,} examples." in lead(some)


def test_a_dataset_without_examples_can_be_shown(tmp_path):
    """Nothing to judge is said, not a crash."""
    said = " ".join(read_page(write_audit_page({"empty": Audit()}, tmp_path / "audit.html")).words)

    assert "No example could be judged" in said


def test_a_dataset_without_examples_can_stand_beside_another(audit, tmp_path):
    """What is missing of one dataset is a dash, and nothing is said of its extremes."""
    reader = read_page(write_audit_page({"one": audit, "empty": Audit()}, tmp_path / "audit.html"))

    assert not reader.faults
    assert "(empty)" not in " ".join(reader.words)


def test_scene_graphs_can_be_shown(tmp_path):
    """Worlds without grids, agents and plans have a page of what applies to them."""
    path = tmp_path / "kitchen.jsonl"
    path.write_text(GROUNDED, encoding="utf-8")
    reader = read_page(write_audit_page({"kitchen": audit_path(path)}, tmp_path / "audit.html"))

    assert not reader.faults
    assert "clauses" in reader.words
    assert "plot-cells" not in reader.ids


def test_eight_datasets_stand_side_by_side(audit, tmp_path):
    """Each has a colour and a sign of its own."""
    page = write_audit_page({f"number {k}": audit for k in range(8)}, tmp_path / "audit.html")

    assert not read_page(page).faults
    assert len({sign_path(role_of(place), 0, 0) for place in range(8)}) == 8
    assert len({color_pair(place) for place in range(8)}) == 8


@pytest.mark.parametrize("count", [0, 9])
def test_as_many_datasets_as_can_be_told_apart(count, tmp_path):
    """None, or more than there are colours, are refused in one line."""
    with pytest.raises(RecipeError, match=str(count)):
        write_audit_page({str(k): Audit() for k in range(count)}, tmp_path / "audit.html")
