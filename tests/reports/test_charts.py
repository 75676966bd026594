"""Figures: the numbers behind them, and drawings that follow the page."""

from __future__ import annotations

import re
from html import unescape

import pytest

from deixis.data.store import open_dataset
from deixis.report.chart import Figure
from deixis.report.chart_html import chart_markup
from deixis.report.chart_matplotlib import draw_figure
from deixis.worlds.grid._report.charts import charts
from deixis.worlds.grid.data.statistics import Statistics, statistics_of


@pytest.fixture(scope="module")
def drawn(dataset):
    statistics = statistics_of(open_dataset(dataset).tables())
    return {chart.name: chart for chart in charts(statistics, ["train", "a1", "a2", "c1"])}


def test_every_series_has_a_number_for_every_label(drawn):
    """Charts are complete, and shares of one pattern add up to one."""
    assert len(drawn) == 12
    for chart in drawn.values():
        assert chart.caption.endswith(".")
        assert all(len(one.values) == len(chart.labels) for one in chart.series)
    for one in drawn["figure-lengths"].series:
        assert sum(one.values) == pytest.approx(1)


def test_splits_are_counted_by_pattern(drawn):
    """An example of two held-out sets counts in both."""
    chart = drawn["figure-splits"]

    assert chart.labels == ("train", "a1", "a2", "c1")
    assert chart.values_of("p1") == (2, 0, 0, 0)
    assert chart.values_of("p2") == (0, 1, 1, 0)


def test_a_dataset_without_examples_has_no_figures():
    """Nothing is drawn of nothing."""
    assert charts(Statistics(), []) == []


@pytest.mark.slow
def test_drawings_are_the_same_every_time_and_name_their_colors(drawn):
    """No fixed colour is left in a drawing, its only id is its name, and files have the same bytes twice."""
    for chart in drawn.values():
        markup = chart_markup(chart)
        assert markup == chart_markup(chart)
        assert not re.search(r"#[0-9a-fA-F]{6}\b|xmlns", markup)
        assert re.findall(r'\bid="([^"]*)"', markup) == [chart.name]
    figure = Figure(name="x", title="", caption="", rows=((drawn["figure-lengths"],),), width=7.0)
    assert draw_figure(figure, "svg") == draw_figure(figure, "svg")


def test_drawings_can_be_read_aloud(drawn):
    """Title and caption stand in the label of the picture, or the numbers are a table."""
    for chart in drawn.values():
        markup = chart_markup(chart)
        label = re.search(r'role="img"[^>]* aria-label="([^"]*)"', markup)
        if chart.marks == "tiles":
            assert '<table class="heat' in markup
        else:
            assert label
            assert unescape(label[1]) == f"{chart.title}. {chart.caption}"
