"""The statistics of datasets about photographs as tables, figures and files."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import StringIO

import pytest

from deixis.errors import RecipeError
from deixis.report._palette import MAX_DATASETS
from deixis.worlds.photos._paper.statistics import (
    LAST_LENGTH,
    DescribedDataset,
    clouds,
    described_as_dict,
    distributions,
    draw,
    forms_of,
    in_words,
    length_bins,
    measures,
)
from deixis.worlds.photos.data._statistics import PUBLISHED, describe_examples
from tests.datasets.copsref.posed import posed


@pytest.fixture(scope="module")
def ours():
    return DescribedDataset(name="ours", row=describe_examples(posed().examples, posed().scenes))


@pytest.fixture(scope="module")
def bare():
    """A dataset without distractors, under a name that a spreadsheet would compute."""
    examples = [replace(example, distractors=(), form="joke") for example in posed().there[:7]]
    return DescribedDataset(name="=1+1|x", row=describe_examples(examples, posed().scenes))


def test_our_figures_stand_beside_those_of_the_paper(ours):
    """Each measure has a number of ours, then those that the paper gives, and nothing where it gives none."""
    heads, rows = measures([ours], others=True)

    assert heads == ["ours", "Cops-Ref", "CLEVR-Ref+", "refCOCOg", "refCOCO"]
    assert rows["expressions"] == [len(posed().there), 148_712, None, None, None]
    assert rows["mean length"][1:] == [14.4, 22.4, 8.5, 3.5]
    assert measures([ours])[0] == ["ours", "Cops-Ref"]
    assert [in_words(value) for value in (None, 1596, 14.44)] == ["–", "1,596", "14.4"]


def test_every_expression_is_in_one_bin(ours):
    """The bins end where the paper's end: below 10 words, and above 20."""
    bins = length_bins(ours.row)
    words = [len(example.text.split()) for example in posed().there]

    assert sum(bins.values()) == len(words)
    assert bins["1–4"] + bins["5–9"] == sum(count < 10 for count in words)
    assert bins["10–14"] + bins["15–20"] == sum(10 <= count <= 20 for count in words)


def test_one_dataset_is_drawn_in_numbers_and_several_in_shares(ours, bare):
    """Counts of datasets of different sizes are compared as shares; means stay what they are."""
    (lengths, forms), (candidates, _) = distributions([ours]).rows
    assert sum(lengths.values_of("ours")) == sum(forms.values_of("ours")) == ours.row.expressions
    assert candidates.values_of("ours")[0] == ours.row.candidates

    figure = distributions([ours, bare])
    (lengths, forms), (candidates, _) = figure.rows
    assert all(sum(one.values) == pytest.approx(1) for chart in (lengths, forms) for one in chart.series)
    assert candidates.values_of(bare.name) == (0, 0, 0, 0, 0, bare.row.candidates)
    assert [entry.label for entry in figure.entries] == ["ours", bare.name]
    assert forms_of([ours, bare])[-1] == "joke"


def test_very_long_expressions_share_a_column(ours):
    """The last column holds everything beyond it, so that one monster does not flatten the figure."""
    row = replace(ours.row, lengths={3: 5, LAST_LENGTH: 1, 900: 2})
    chart = distributions([DescribedDataset(name="long", row=row)]).rows[0][0]

    assert (chart.labels[0], chart.labels[-1]) == ("3", f"{LAST_LENGTH}+")
    assert (chart.values_of("long")[0], chart.values_of("long")[-1]) == (5, 3)


def test_clouds_have_a_row_for_each_dataset(ours, bare):
    """One dataset needs no name in the figure, several do."""
    assert [name for name, _ in clouds([ours]).rows] == [""]
    assert [name for name, _ in clouds([ours, bare]).rows] == ["ours", bare.name]
    assert [cloud.counts for cloud in clouds([ours]).rows[0][1]] == list(ours.row.said.values())


def test_files_hold_what_was_counted(ours, bare):
    """Tables, words and JSON say the same as the figures of the row; no cell is taken for a formula."""
    files = draw([ours, bare], formats=("svg",))

    names = ["figure2.svg", "distributions.svg", "table2.csv", "table2.md", "words.csv", "stats.json"]
    assert list(files) == names
    table = list(csv.DictReader(StringIO(files["table2.csv"].decode())))
    assert [line["dataset"] for line in table] == ["ours", "'=1+1|x", "Cops-Ref"]
    assert float(table[0]["candidates"]) == ours.row.candidates
    assert "=1+1\\|x" in files["table2.md"].decode()
    words = list(csv.DictReader(StringIO(files["words.csv"].decode())))
    said = {line["word"]: int(line["times said"]) for line in words if line["dataset"] == "ours"}
    assert said == {word: count for counts in ours.row.said.values() for word, count in counts.items()}
    plain = json.loads(files["stats.json"].decode())
    assert plain == json.loads(json.dumps(described_as_dict([ours, bare])))
    assert plain["published"]["table 2"] == PUBLISHED


@pytest.mark.slow
def test_equal_counts_give_equal_files(ours):
    """A second run writes the same bytes."""
    one, other = draw([ours]), draw([ours])

    assert len(one) == 8
    assert one == other


def test_nothing_cannot_be_drawn(ours):
    """No dataset, too many and empty ones are refused before anything is written."""
    empty = DescribedDataset(name="empty", row=describe_examples([], posed().scenes))
    for some in ([], [ours] * (MAX_DATASETS + 1), [empty]):
        with pytest.raises(RecipeError):
            draw(some)
