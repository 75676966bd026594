"""The figures and the table of the paper for any dataset: numbers against counting by hand, and files as they are."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import replace
from io import BytesIO, StringIO
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import RecipeError
from deixis.report._palette import MAX_DATASETS, MODE_ROLES, dataset_roles
from deixis.report.chart_matplotlib import draw_figure
from deixis.worlds.grid._paper.figures import (
    KINDS,
    PANELS,
    CountedDataset,
    distractor_worlds,
    figure4,
    figure5,
    lengths_by_bin,
    published_set,
)
from deixis.worlds.grid._paper.published import published_statistics
from deixis.worlds.grid._paper.statistics import (
    count,
    draw,
    how_counted,
    published_rows,
    size_rows,
    sizes_as_csv,
    sizes_as_markdown,
    statistics_as_dict,
)
from deixis.worlds.grid.data.statistics import LENGTH_BINS, Statistics, length_bin, statistics_of
from deixis.worlds.grid.data.table import table_of
from deixis.worlds.grid.making.recipe import reascan
from deixis.worlds.grid.roles import Role


def counted(examples, *, name="ours", kind="dataset"):
    return CountedDataset(name=name, kind=kind, statistics=statistics_of([table_of(examples)]))


@pytest.fixture(scope="session")
def ours(examples):
    return counted(examples)


@pytest.fixture(scope="session")
def gscan(examples):
    """A dataset that does not say why its objects are there."""
    return counted([replace(examples[0], roles=(), misreadings=())], name="gscan", kind="gscan")


@given(st.lists(st.tuples(st.sampled_from(["p1", "p3"]), st.integers(1, 90)), min_size=1))
def test_bins_hold_every_plan_once(plans):
    """Figure 4 counts what binning the lengths one by one counts."""
    lengths = Counter(plans)
    places = Counter(("train", pattern) for pattern, _ in plans)
    found = lengths_by_bin(Statistics(examples=len(plans), lengths=lengths, places=places))

    for pattern, bins in found.items():
        assert list(bins) == list(LENGTH_BINS)
        for label, number in bins.items():
            assert number == sum(p == pattern and length_bin(length) == label for p, length in plans)


def test_panels_count_what_is_said_and_shown(ours, examples):
    """The columns of Figure 5 are those that looking at the examples one by one gives."""
    panels = [panel.narrow([ours.statistics]) for panel in PANELS]
    by_name = {panel.name: dict(zip(panel.keys, panel.counts(ours.statistics), strict=True)) for panel in panels}
    things = [thing for example in examples for thing in example.scene.objects]

    assert by_name["world-colors"] == {c: sum(t.color == c for t in things) for c in ("red", "blue", "green", "yellow")}
    assert by_name["world-sizes"] == {str(size): sum(t.size == size for t in things) for size in (1, 2, 3, 4)}
    assert by_name["verbs"] == {"walk": 1, "push": 2, "pull": 1}
    assert by_name["manners"] == {"zigzagging": 0, "spinning": 1, "cautiously": 0, "hesitantly": 1, "none": 2}
    assert by_name["relations"] == {"row": 0, "column": 2, "inside": 0, "size": 0, "colour": 0, "shape": 1}
    assert by_name["command-sizes"] == {"small": 2, "big": 1}
    assert by_name["facing"] == {"E": 4, "S": 0, "W": 0, "N": 0}
    assert by_name["directions"]["E"] == 4


def test_distractors_are_counted_by_pattern(ours):
    """Worlds are counted by the kinds of distractors they hold; the set of the two-clause one lacks an object."""
    found = distractor_worlds(ours.statistics)
    present = {name: {kind: count for kind, count in kinds.items() if count} for name, kinds in found.items()}

    assert all(tuple(kinds) == KINDS for kinds in found.values())
    assert present == {
        "p1": {"size": 2, "random": 2},
        "p2": {"relation, all clauses": 1, "relation": 1, "random": 1},
        "p3": {"random": 1},
    }


def test_commands_chosen_for_a_test_set_have_a_row_of_their_own(examples):
    """B1 has commands of the same pattern as training; Table 2 does not add them to its row."""
    statistics = statistics_of([table_of([*examples, replace(examples[-1], split="b1")])], apart=["b1"])
    pattern = examples[-1].pattern

    rows = {row.pattern: row for row in size_rows(CountedDataset(name="ours", kind="dataset", statistics=statistics))}

    assert rows[f"{pattern} of b1"].splits == {"b1": 1}
    assert "b1" not in rows[pattern].splits
    assert rows["all"].examples == len(examples) + 1


@pytest.mark.parametrize(
    ("manifest", "apart", "copies"),
    [
        ({"recipe": reascan().to_dict()}, ("b1",), True),
        ({"recipe": reascan(mode="every-word", patterns=("p1", "p2"), hold_out=()).to_dict()}, (), False),
        ({}, ("b1",), True),
    ],
)
def test_the_recipe_says_how_to_count(manifest, apart, copies):
    """Of the sets made on purpose those stand apart whose pattern is in the pools; every-word sets are no copies."""
    assert how_counted(manifest) == {"apart": apart, "sets_are_copies": copies}


def test_one_dataset_is_shown_in_numbers_and_several_in_shares(ours, gscan):
    """Numbers of examples cannot be compared between datasets of different sizes."""
    (alone,) = figure4([ours]).rows
    (together,) = figure4([ours, gscan]).rows

    assert sum(sum(one.values) for one in alone[0].series) == ours.statistics.examples
    assert alone[0].axis.unit == "count"
    assert all(sum(one.values) == pytest.approx(1) for chart in together for one in chart.series)


def test_what_is_not_recorded_is_said(gscan, examples):
    """Unknown roles, absent relations and empty plans make panels that say so instead of showing zeros."""
    (distractors,), *rows = figure5([gscan]).rows
    relations = next(chart for row in rows for chart in row if chart.name == "relations")
    ((lengths,),) = figure4([counted([replace(example, plan=()) for example in examples])]).rows

    assert [chart.is_empty for chart in (distractors, relations, lengths)] == [True] * 3
    assert "not recorded" in distractors.empty
    assert "not recorded" in lengths.empty
    assert b"<svg" in draw_figure(figure5([gscan]), "svg")


def test_datasets_are_compared_with_the_set_they_correspond_to(ours, gscan, examples):
    """gSCAN is compared with gSCAN, random distractors with the published set of random distractors."""
    roles = (Role("target"), Role("mentioned", 1), Role("mentioned", 2), *[Role("random")] * 3)
    random = counted([replace(examples[-1], roles=roles, misreadings=())])

    assert published_set(gscan, "p1") == "gscan"
    assert published_set(random, "p3") == "p3-random"
    assert [published_set(ours, pattern) for pattern in ("p1", "p2", "p3")] == ["p1", "p2", "p3"]


def test_published_numbers_add_up():
    """The sets of Table 2 have the published totals, and every panel has labels that we draw."""
    facts = published_statistics()
    totals = {name: sum(row.get(split, 0) for split in ("train", "dev", "test")) for name, row in facts.sizes.items()}

    assert (totals["p1"], totals["p2"], totals["p3"]) == (121_500, 363_523, 585_963)
    assert totals["p1"] + totals["p2"] + totals["p3"] == 1_070_986
    assert totals["p1"] == facts.sizes["p1"]["commands"] * facts.sizes["p1"]["worlds"]
    for name, bins in facts.lengths.items():
        assert len(bins) == len(LENGTH_BINS)
        assert sum(bins) == pytest.approx(facts.sizes[name]["train"], rel=0.02)
    for panel in PANELS:
        assert facts.shares[panel.name].keys() <= panel.keys.keys()
        assert sum(facts.shares[panel.name].values()) <= 1 + 1e-9


def test_outlines_are_the_published_shares(ours):
    """Beside the paper, every panel of Figure 5 carries its shares, and Figure 4 those of each pattern."""
    facts = published_statistics()
    _, *rows = figure5([ours], beside=facts).rows
    ((lengths,),) = figure4([ours], beside=facts).rows

    for chart in (chart for row in rows for chart in row):
        assert chart.published == tuple(facts.shares[chart.name].get(label) for label in chart.labels)
    assert {one.label: sum(one.published) for one in lengths.series if one.published} == pytest.approx(
        {"p1": 1.0, "p2": 1.0, "p3": 1.0}
    )


def test_sizes_by_pattern_and_split(ours):
    """Table 2 has a row for every pattern and one for all; an example of two splits counts once in the total."""
    rows = {row.pattern: row for row in size_rows(ours)}

    assert list(rows) == ["p1", "p2", "p3", "all"]
    assert rows["p2"].splits == {"a1": 1, "a2": 1}
    assert rows["all"].splits == {"train": 2, "a1": 1, "a2": 1, "c1": 1}
    assert (rows["all"].examples, rows["all"].commands, rows["p1"].worlds) == (4, 4, 1.0)


def test_tables_say_the_same(ours):
    """The table for spreadsheets has plain numbers, the one for pages has the same with thousands separated."""
    rows = [*size_rows(ours), *published_rows([ours], published_statistics())]

    plain = list(csv.DictReader(StringIO(sizes_as_csv(rows))))
    lines = sizes_as_markdown(rows).splitlines()

    assert len(plain) == len(rows) == len(lines) - 2
    assert {line.count(" | ") for line in lines} == {lines[0].count(" | ")}
    assert [row["train"] for row in plain if row["dataset"] == "published"] == ["113967", "340985", "549634", "539722"]
    assert "| published | p3 | 3,375 | 180 | 585,963 | 549,634 |" in lines[-2]


@pytest.mark.parametrize("name", ["=a|b", "two\nlines", "<script>alert(1)</script>", "\x00\ud800"])
def test_names_stay_names(dataset, ours, name):
    """Whatever a dataset is called, tables keep their columns, nothing is a formula, and drawings stay well-formed."""
    renamed = count(dataset, name=name)
    rows = size_rows(renamed)

    cells = {len(row) for row in csv.reader(StringIO(sizes_as_csv(rows)))}
    columns = {len(re.findall(r"(?<!\\)\|", line)) for line in sizes_as_markdown(rows).splitlines()}
    root = _read(draw_figure(figure4([ours, renamed]), "svg"))

    assert len(cells) == len(columns) == 1
    assert not sizes_as_csv(rows).splitlines()[1].startswith("=")
    assert not any(element.tag.endswith("script") for element in root.iter())


@pytest.mark.slow
def test_drawings_are_the_same_every_time(ours, gscan):
    """The same counts give the same bytes in both forms, without a date or metadata."""
    for sheet, form in ((figure4([ours] * 4), "png"), (figure5([ours, gscan], beside=published_statistics()), "svg")):
        drawn = draw_figure(sheet, form)
        assert drawn == draw_figure(sheet, form)
        assert not re.search(rb"<metadata|<!DOCTYPE|tEXt|\d\d:\d\d:\d\d", drawn)


@pytest.mark.slow
def test_drawings_have_the_size_of_a_column_and_of_a_page(ours):
    """Figure 4 of one dataset fits a column, Figure 5 a page, both at 300 dots per inch."""
    from PIL import Image

    widths = {}
    for sheet in (figure4([ours]), figure5([ours])):
        with Image.open(BytesIO(draw_figure(sheet, "png"))) as image:
            widths[sheet.name] = image.width
            assert image.height <= 9 * 300

    assert widths == {"figure4": 1020, "figure5": 2100}


def test_drawings_can_be_read_aloud(ours):
    """Title and description say what is drawn, in numbers."""
    root = _read(draw_figure(figure5([ours]), "svg"))
    said = {element.tag.split("}")[1]: element.text for element in list(root)[:2]}

    assert root.get("role") == "img"
    assert said["title"] == "What commands say and worlds hold"
    assert "verbs: walk 25.0 %, push 50.0 %, pull 25.0 %" in said["desc"]


@pytest.mark.slow
def test_everything_is_written(dataset):
    """A folder gets both figures in both forms, both tables and the counts, which are those of the dataset."""
    found = count(dataset, name="ours")
    files = draw([found], paper=True)

    names = ["figure4.png", "figure4.svg", "figure5.png", "figure5.svg", "stats.json", "table2.csv", "table2.md"]
    assert sorted(files) == names
    plain = json.loads(files["stats.json"])
    assert plain == json.loads(json.dumps(statistics_as_dict([found], beside=published_statistics())))
    assert plain["datasets"][0]["counts"] == json.loads(json.dumps(found.statistics.to_dict()))
    assert plain["published"]["source"].startswith("ReaSCAN")


def test_nothing_and_too_much_are_refused(ours):
    """No example, no dataset and more datasets than colours end in an error before anything is written."""
    nothing = CountedDataset(name="none", kind="dataset", statistics=Statistics())
    for sources in ([], [nothing], [ours] * (MAX_DATASETS + 1)):
        with pytest.raises(RecipeError):
            draw(sources)


def _read(svg):
    return ET.fromstring(svg)  # noqa: S314 - our own drawing


def test_modes_of_making_have_their_own_colours_in_every_figure():
    """Released and every-word data, the two poles of the argument, are told apart, whatever stands beside them."""
    four = dict(zip(MODE_ROLES, dataset_roles(tuple(MODE_ROLES)), strict=True))

    assert len(set(four.values())) == len(MODE_ROLES)
    assert dataset_roles(("every-word", "mine", "released")) == [four["every-word"], "d0", four["released"]]
    assert len(set(dataset_roles(("a", "b", "c", "d", "e", "f")))) == 6
