"""Every chart record renders in both renderers, with all its numbers, no number that is none, and labels as text."""

from __future__ import annotations

import re
from html import unescape
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deixis.report._palette import ROLES
from deixis.report.chart import Axis, Chart, Figure, Series, format_value
from deixis.report.chart_html import chart_markup, figure_markup
from deixis.report.chart_matplotlib import draw_figure
from tests.reports.test_chart_html import read


MARKS = ("bars", "columns", "stacks", "lines", "dots", "tiles")
UNITS = ("share", "bits", "number", "times", "count", "value")
NUMBERS = st.one_of(st.none(), st.floats(0, 1e6), st.sampled_from((nan, inf, 0.0)))
WORDS = st.one_of(st.text(max_size=12), st.just("<script>alert('x')</script>"), st.just('"&amp; $x_\\frac$'))


@st.composite
def charts(draw: st.DrawFn) -> Chart:
    """Charts over categories, of any marks and units, some with intervals and published numbers."""
    size = draw(st.integers(1, 6))
    values = st.lists(NUMBERS, min_size=size, max_size=size).map(tuple)
    ends = st.tuples(st.floats(0, 1), st.floats(1, 2))
    intervals = st.lists(st.one_of(st.none(), ends), min_size=size, max_size=size).map(tuple)
    series = st.builds(
        Series,
        label=WORDS,
        values=values,
        color=st.sampled_from(tuple(ROLES)),
        intervals=st.one_of(st.just(()), intervals),
        published=st.one_of(st.just(()), values),
    )
    labels = st.lists(WORDS, min_size=size, max_size=size).map(tuple)
    return Chart(
        name="chart",
        title=draw(WORDS),
        caption=draw(WORDS),
        marks=draw(st.sampled_from(MARKS)),
        labels=draw(labels),
        groups=draw(st.one_of(st.just(()), labels)),
        series=tuple(draw(st.lists(series, min_size=1, max_size=3))),
        axis=Axis(label=draw(WORDS), unit=draw(st.sampled_from(UNITS))),
        across=draw(st.integers(1, 4)),
        published=draw(st.one_of(st.just(()), values)),
    )


@given(charts())
@settings(max_examples=60)
def test_pages_show_all_numbers_as_text(chart: Chart):
    """Markup is well-formed, holds every number in text or titles, no number that is none, and labels as text only."""
    markup = chart_markup(chart)

    read(markup)
    assert "<script" not in markup
    assert not re.search(r"""["\s:,(]-?(?:nan|inf)["\s,)%;]""", _without_words(markup, chart), flags=re.IGNORECASE)
    shown = unescape(markup)
    for one in chart.series:
        for value in one.values:
            assert format_value(value, chart.axis.unit).removesuffix(" bits") in shown


def _without_words(markup: str, chart: Chart) -> str:
    """The markup without text and labels, which may say anything."""
    return re.sub(r'>[^<]*<|(?:title|aria-label|data-[a-z]+)="[^"]*"', "", markup)


@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_files_are_drawn_of_all_marks(marks: str, form: str):
    """Missing values, intervals, published numbers and markup in labels are drawn, the same bytes every time."""
    series = (
        Series(label="<script>", values=(0.2, None, nan), color="d0", intervals=((0.1, 0.3), None, None)),
        Series(label="$\\frac", values=(0.5, 0.0, 1.0), color="published", published=(0.4, inf, None)),
    )
    chart = Chart(name="x", title="<b>", marks=marks, labels=("a", "b <i>", "c"), series=series, across=2)

    figure = Figure(name="x", title="<b>", caption="", rows=((chart,),), width=3.4)

    drawn = draw_figure(figure, form)
    assert drawn == draw_figure(figure, form)
    if form == "svg":
        assert b"<script>" not in drawn
        assert b"nan" not in drawn.lower()


@pytest.mark.parametrize("theme", ["light", "dark", "reader"])
def test_figures_of_several_panels_have_one_legend(theme: str):
    """A label that several panels share has one entry, in pages and in files of every theme."""
    line = [
        Series(label=label, color=color, values=(3.0, 1.0), places=(0, 9))
        for label, color in (("a", "d0"), ("b", "d1"))
    ]
    axis = Axis(label="loss", unit="value", is_log=True)
    charts = tuple(
        Chart(name=f"x{k}", title=f"panel {k}", marks="lines", series=tuple(line), axis=axis) for k in (1, 2)
    )
    figure = Figure(name="x", title="Both", caption="Two.", rows=(charts,), width=7.0, is_titled=True)

    assert [entry.label for entry in figure.entries] == ["a", "b"]
    markup = figure_markup(figure)
    read(markup)
    assert markup.count('class="swatch"') == 2
    svg = draw_figure(figure, "svg", theme=theme).decode()
    assert ("prefers-color-scheme" in svg) == (theme == "reader")
    assert "<title>Both</title><desc>Two.</desc>" in svg


def test_a_chart_of_nothing_says_so():
    """Where there is nothing to show, both renderers say what the record says."""
    series = (Series(label="a", values=(0, 0), color="d0"),)
    chart = Chart(name="x", title="T", marks="columns", labels=("a", "b"), series=series, empty="not recorded")

    assert "not recorded" in chart_markup(chart)
    assert "<svg" not in chart_markup(chart)
    assert draw_figure(Figure(name="x", title="T", caption="", rows=((chart,),), width=3.4), "png")


def test_series_of_different_lengths_are_refused():
    """A record whose lists do not fit together cannot be made."""
    with pytest.raises(ValueError, match="2 values and 1"):
        Series(label="x", values=(1, 2), places=(1,), color="d0")
