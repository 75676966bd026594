"""Figures: the numbers behind them, and drawings that follow the page."""

from __future__ import annotations

import re
from html import unescape

import pytest

from deixis.data.store import open_dataset
from deixis.report.figures import draw_chart
from deixis.report.markup import Themes
from deixis.worlds.grid.data.statistics import Statistics, statistics_of
from deixis.worlds.grid.report.charts import charts


@pytest.fixture(scope="module")
def drawn(dataset):
    statistics = statistics_of(open_dataset(dataset).tables())
    return {chart.name: chart for chart in charts(statistics, ["train", "a1", "a2", "c1"])}


def test_every_series_has_a_number_for_every_label(drawn):
    """Charts are complete, and shares of one pattern add up to one."""
    assert len(drawn) == 12
    for chart in drawn.values():
        assert chart.caption.endswith(".")
        assert all(len(values) == len(chart.labels) for values in chart.series.values())
    for values in drawn["figure-lengths"].series.values():
        assert sum(values) == pytest.approx(1)


def test_splits_are_counted_by_pattern(drawn):
    """An example of two held-out sets counts in both."""
    chart = drawn["figure-splits"]

    assert chart.labels == ("train", "a1", "a2", "c1")
    assert chart.series["p1"] == (2, 0, 0, 0)
    assert chart.series["p2"] == (0, 1, 1, 0)


def test_a_dataset_without_examples_has_no_figures():
    """Nothing is drawn of nothing."""
    assert charts(Statistics(), []) == []


def test_drawings_are_the_same_every_time_and_name_their_colors(drawn):
    """No date, no random id and no fixed colour is left in a drawing, and its ids are its own."""
    for chart in drawn.values():
        one, again = (draw_chart(chart, Themes()) for _ in range(2))
        assert one == again
        assert not re.search(r"#[0-9a-fA-F]{6}\b|<metadata|xmlns|<\?xml|DejaVu", one)
        assert all(name.startswith(chart.name) for name in re.findall(r'\bid="([^"]*)"', one))


def test_drawings_can_be_read_aloud(drawn):
    """Title and caption stand in the label of the picture."""
    for chart in drawn.values():
        label = re.search(r'<svg [^>]*role="img" aria-label="([^"]*)"', draw_chart(chart, Themes()))
        assert label
        assert unescape(label[1]) == f"{chart.title}. {chart.caption}"
