"""The scorecard: measures of audits, what is good of them, and published figures beside them."""

from __future__ import annotations

import pytest

from deixis.audits import Audit
from deixis.data.store import open_dataset
from deixis.report._scorecard import column_of, definitions_markup, scorecard_markup
from deixis.report.measures import MEASURES, Measure, all_measures
from deixis.worlds.grid._audit.run import audit_tables
from deixis.worlds.grid._paper.published import released_audit
from tests.reports.test_chart_html import read


@pytest.fixture(scope="module")
def audit(dataset):
    return audit_tables(open_dataset(dataset).tables())


def test_measures_are_those_of_the_audit(audit):
    """The numbers of a column are what the audit says."""
    values = column_of("one", audit).values

    assert values["words of the target"].amount == audit.words_needed("target").share
    assert values["clauses"].amount == audit.clauses_needed().share
    assert values["bag of words"].amount == audit.shortcut_shares()["bag of words"].share
    assert values["objects"].amount == audit.chance_overall.objects == 6
    assert values["examples twice in a split"].amount == 0


def test_every_measure_has_its_own_name_and_one_sentence():
    """Names are not used twice, and every measure says what it means."""
    assert len({measure.key for measure in all_measures()}) == len(all_measures())
    assert all(measure.about.endswith(".") for measure in all_measures())


def test_what_only_grids_have_is_added_by_the_grid():
    """The measures of all worlds speak of no rows, boxes or verbs; those of the grid stand under the same headings."""
    grids = ("push", "pull", "box", "row", "column", "north", "agent")
    assert [one.key for one in MEASURES if any(word in f"{one.key} {one.about}" for word in grids)] == []
    added = [one for one in all_measures() if one not in MEASURES]
    assert {"‘push’ moves something", "first row and column"} <= {one.key for one in added}
    assert {one.group for one in added} <= {one.group for one in MEASURES}


def test_an_audit_of_nothing_has_no_measures():
    """What does not apply is left out, not shown as 0."""
    assert column_of("empty", Audit()).values == {}


@pytest.mark.parametrize(
    ("good", "bad", "verdicts"),
    [(0.9, 0.5, ["bad", "fair", "good"]), (0.1, 0.5, ["good", "fair", "bad"]), (None, None, ["plain"] * 3)],
)
def test_verdicts_follow_the_edges(good, bad, verdicts):
    """More may be better or worse; the edges themselves belong to the better side."""
    measure = Measure(key="x", group="y", about="z.", good=good, bad=bad, of=lambda _: None)

    assert [measure.verdict(amount) for amount in (0.05, 0.5 if good != 0.1 else 0.3, 0.95)] == verdicts


def test_every_measure_on_the_card_is_defined(audit):
    """Each row links to a definition that is there."""
    columns = [released_audit().column, column_of("one", audit)]
    reader = read(scorecard_markup(columns) + definitions_markup(columns))

    assert {link[1:] for link in reader.links} == set(reader.ids)
    assert "first row and column" in reader.words


def test_names_of_datasets_stay_text(audit):
    """A name may hold anything."""
    assert "<script>" not in scorecard_markup([column_of("<script>", audit)])


def test_released_figures_are_measures_of_the_card():
    """Every published figure stands under the name of a measure, and the shares of a whole add up to it."""
    known = released_audit()

    assert set(known.column.values) <= {measure.key for measure in all_measures()}
    assert known.column.values["words of the target"].amount == pytest.approx(0.2775, abs=1e-4)
    assert sum(known.relations.values()) == pytest.approx(1, abs=0.01)
    assert sum(known.sufficient.values()) == pytest.approx(1, abs=0.01)
    for shares in known.places.values():
        assert sum(shares) == pytest.approx(1, abs=0.01)
