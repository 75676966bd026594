"""Figures made of markup: complete, well-formed, with the numbers behind them."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.report.plots import Bars, Heat, Lines, Stack, draw_plot, key_of, written
from tests.reports.test_page import Reader


SAID = {"name": "plot-x", "title": "A <title>", "caption": "What to see.", "axis": "share"}


def read(markup):
    reader = Reader()
    reader.feed(markup)
    reader.close()
    assert not reader.faults
    assert not reader.open
    return reader


def test_bars_show_every_number_and_a_dash_for_none():
    """Each value stands beside its bar, whose length follows from it; what is not known is a dash."""
    plot = Bars(**SAID, labels=("nouns", "clauses"), series={"one": (0.25, None), "other": (1.0, 0.5)})
    drawn = draw_plot(plot)

    read(drawn)
    assert re.findall(r"--w:([\d.]+)", drawn) == ["0.2500", "1.0000", "0.5000"]
    assert drawn.count('class="bar none"') == 1
    assert "A &lt;title&gt;" in drawn


def test_published_series_look_different_and_keep_the_colours_of_the_others():
    """A published series is hatched and takes no colour away from the datasets."""
    key = key_of(("released", "one", "other"), ("released",))

    assert re.findall(r"tone (\w+)", key) == ["published", "d0", "d1"]


def test_stacks_fill_the_whole():
    """The segments of a row are as wide as their shares."""
    plot = Stack(**SAID, segments=("0", "1", "more"), groups={"nouns": {"one": (0.5, 0.25, 0.25)}})

    assert sum(map(float, re.findall(r"width:([\d.]+)%", draw_plot(plot)))) == pytest.approx(100)


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=12, unique=True).map(sorted),
    st.lists(st.floats(0, 1), min_size=12, max_size=12),
)
def test_lines_stay_within_the_drawing(at, values):
    """Every point lies inside the axes, whatever the numbers."""
    plot = Lines(**SAID, below="words", at=tuple(at), series={"one": tuple(values[: len(at)])})
    drawn = draw_plot(plot)

    read(drawn)
    places = re.findall(r'<circle cx="([\d.-]+)" cy="([\d.-]+)"', drawn)
    assert len(places) == len(at)
    assert all(0 <= float(x) <= 460 and 0 <= float(y) <= 250 for x, y in places)


def test_heat_maps_colour_what_is_not_even():
    """A cell is the more coloured the further it is from the average, on two sides."""
    drawn = draw_plot(Heat(**SAID, boards={"targets": ((1.0, 2.0), (0.5, 0.5))}))

    read(drawn)
    assert re.findall(r'class="(above|below)" style="--v:([\d.]+)"', drawn) == [
        ("above", "0.000"),
        ("above", "1.000"),
        ("below", "0.500"),
        ("below", "0.500"),
    ]


def test_every_figure_has_its_numbers_as_a_table():
    """What is drawn can be read as well."""
    plot = Bars(**SAID, labels=("nouns",), series={"one": (0.25,), "other": (0.0,)})
    words = unescape(" ".join(read(draw_plot(plot)).words))

    assert "Numbers" in words
    assert words.count("25.0 %") == 2


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [(None, "share", "–"), (0.5, "share", "50.0 %"), (0.0123, "bits", "0.012 bits"), (1234, "count", "1,234")],
)
def test_numbers_are_written_in_their_units(value, unit, said):
    """Shares in percent, information in bits, counts with separators."""
    assert written(value, unit) == said
