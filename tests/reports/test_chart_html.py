"""Charts in pages: complete, well-formed, with the numbers behind them."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.report.chart import Axis, Chart, Series, format_value, make_series
from deixis.report.chart_html import chart_markup
from tests.reports.test_page import Reader


SAID = {"name": "plot-x", "title": "A <title>", "caption": "What to see.", "axis": Axis(label="share")}
SCRIPT = "<script>alert(1)</script>"


def read(markup):
    reader = Reader()
    reader.feed(markup)
    reader.close()
    assert not reader.faults
    assert not reader.open
    return reader


def test_bars_show_every_number_and_a_dash_for_none():
    """Each value stands beside its bar, whose length follows from it; what is not known is a dash."""
    series = make_series({"one": (0.25, None), "other": (1.0, 0.5)})
    drawn = chart_markup(Chart(**SAID, marks="bars", labels=("nouns", "clauses"), series=series))

    read(drawn)
    assert re.findall(r"--w:([\d.]+)", drawn) == ["0.2500", "1.0000", "0.5000"]
    assert drawn.count('class="bar none"') == 1
    assert "A &lt;title&gt;" in drawn


def test_published_series_look_different_and_keep_the_colours_of_the_others():
    """A published series is hatched and takes no colour away from the datasets."""
    series = make_series({"released": (1,), "one": (1,), "other": (1,)}, published=("released",))
    drawn = chart_markup(Chart(**SAID, marks="bars", labels=("all",), series=series))

    assert re.findall(r"tone (\w+)", drawn) == ["published", "d0", "d1"] * 2  # in the legend and of the bars


def test_stacks_fill_the_whole():
    """The segments of a row are as wide as their shares."""
    series = make_series({"0": (0.5,), "1": (0.25,), "more": (0.25,)}, colors="steps")
    chart = Chart(**SAID, marks="stacks", labels=("one",), groups=("nouns",), series=series)

    assert sum(map(float, re.findall(r"width:([\d.]+)%", chart_markup(chart)))) == pytest.approx(100)


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=12, unique=True).map(sorted),
    st.lists(st.floats(0, 1), min_size=12, max_size=12),
)
def test_lines_stay_within_the_drawing(at, values):
    """Every point lies inside the axes, whatever the numbers."""
    line = Series(label="one", values=tuple(values[: len(at)]), places=tuple(at), color="d0")
    drawn = chart_markup(Chart(**SAID, marks="lines", series=(line,), below=Axis(label="words", unit="count")))

    read(drawn)
    (path,) = re.findall(r'<path d="M([^"]*)"/>', drawn)
    places = [tuple(map(float, place.split())) for place in path.split("L")]
    assert len(places) == len(at)
    assert all(0 <= x <= 520 and 0 <= y <= 260 for x, y in places)


def test_lines_are_told_apart_without_colour():
    """Lines have different signs, names and ends in words; a logarithmic scale leaves out what is not above 0."""
    lines = [("one", "d0", (1.0, 0.1)), (SCRIPT, "d1", (0.0, 0.5))]
    series = tuple(Series(label=label, color=color, values=values, places=(0, 10)) for label, color, values in lines)
    axis = Axis(label="loss", unit="value", is_log=True)
    drawn = chart_markup(Chart(name="loss", title="Loss", marks="lines", series=series, axis=axis))

    assert 'class="line d0 dash0"' in drawn
    assert 'class="line d1 dash0"' in drawn
    one, other, *_ = re.findall(r'class="sign" d="M[\d. ]*([^"]*)"', drawn)  # of the legend, at the same place each
    assert one != other
    assert "one: from 1 to 0.1" in drawn
    assert SCRIPT not in drawn


def test_tiles_colour_what_is_not_even():
    """A tile is the more coloured the further it is from the average, on two sides."""
    board = make_series({"targets": (1.0, 2.0, 0.5, 0.5)})
    drawn = chart_markup(Chart(**SAID | {"axis": Axis(unit="times")}, marks="tiles", across=2, series=board))

    read(drawn)
    assert re.findall(r'class="(above|below)" style="--v:([\d.]+)"', drawn) == [
        ("above", "0.000"),
        ("above", "1.000"),
        ("below", "0.500"),
        ("below", "0.500"),
    ]


def test_every_chart_has_its_numbers_as_a_table():
    """What is drawn can be read as well."""
    series = make_series({"one": (0.25,), "other": (0.0,)})
    words = unescape(" ".join(read(chart_markup(Chart(**SAID, marks="bars", labels=("nouns",), series=series))).words))

    assert "Numbers" in words
    assert words.count("25.0 %") == 2


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [(None, "share", "–"), (0.5, "share", "50.0 %"), (0.0123, "bits", "0.012 bits"), (1234, "count", "1,234")],
)
def test_numbers_are_written_in_their_units(value, unit, said):
    """Shares in percent, information in bits, counts with separators."""
    assert format_value(value, unit) == said
