from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from deixis.worlds.photos.clean import (
    GRAPH_CODES,
    MAX_FINDINGS,
    Cleaning,
    GraphReport,
    clean_graph,
    clean_graphs,
    codes_table,
)
from deixis.worlds.photos.data.graphs import read_graphs
from deixis.worlds.photos.scene.graph import Link
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import STREET, VISUAL_GENOME, graphs, image, needs_graphs, thing


if TYPE_CHECKING:
    from deixis.worlds.photos.scene.graph import SceneGraph


def cleaned(graph: SceneGraph, cleaning: Cleaning | None = None) -> tuple[SceneGraph, dict[str, int]]:
    report = GraphReport()
    return clean_graph(graph, report, cleaning), dict(report.counts)


@pytest.mark.parametrize(
    ("attributes", "kept", "counts"),
    [
        ("surfing surfing", ("surfing",), {"G101": 1}),
        ("toilet white", ("white",), {"G102": 1}),
        ("grey wooden", ("gray", "wood"), {"G108": 2}),
        ("grey gray", ("gray",), {"G108": 1, "G101": 1}),
        ("White", ("white",), {"G108": 1}),
        ("", (), {}),
    ],
)
def test_attributes_are_said_once_in_one_spelling(attributes, kept, counts):
    """Repeated attributes go, as do those that repeat the name; spellings become one."""
    graph, found = cleaned(image(thing(0, "toilet", attributes)))

    assert graph.objects[0].attributes == kept
    assert found == counts


def test_relations_lead_to_other_objects_that_are_there():
    """Links to nothing, to itself, said twice or computed are left out, each with its code."""
    graph, found = cleaned(
        image(thing(0, "car", "", "on 1, on 1, on 0, on 7, same color 1, On  1, near 1"), thing(1, "road"))
    )

    assert [link.relation for link in graph.objects[0].relations] == ["on", "near"]
    assert found == {"G103": 2, "G104": 1, "G105": 1, "G109": 1, "G108": 1}


def test_relations_are_spelled_in_one_way():
    """What people wrote in many ways becomes one relation, said once, unless spelling is left alone."""
    graph = image(thing(0, "cup", "", "ARE on a 1, is on 1"), thing(1, "table"))

    assert cleaned(graph)[0].objects[0].relations == (Link("on", "1"),)
    assert cleaned(graph)[1] == {"G108": 2, "G103": 1}
    plain = cleaned(graph, Cleaning(spelling=False))[0].objects[0].relations
    assert plain == (Link("are on a", "1"), Link("is on", "1"))


def test_plural_names_become_categories_and_the_name_is_kept():
    """'rocks' is of the category rock; the file's word is kept beside it, and an attribute 'rocks' repeats it."""
    graph, found = cleaned(image(thing(0, "rocks", "rocks gray")))

    assert (graph.objects[0].name, graph.objects[0].raw_name) == ("rock", "rocks")
    assert graph.objects[0].attributes == ("gray",)
    assert found == {"G106": 1, "G102": 1}
    assert cleaned(image(thing(0, "rocks")), Cleaning(singular=False))[0].objects[0].name == "rocks"


@pytest.mark.parametrize(
    ("box", "kept", "code"),
    [
        ((490, 10, 20, 20), (490, 10, 10, 20), "G107"),
        ((-5, -5, 20, 20), (0, 0, 15, 15), "G107"),
        ((600, 10, 20, 20), None, "G007"),
        ((10, 10, 0, 20), None, "G007"),
        ((10, 10, -4, 20), None, "G007"),
        ((10, 10, 0, 0), (10, 10, 0, 0), None),
    ],
)
def test_boxes_end_where_the_image_ends(box, kept, code):
    """A box is cut at the edge of the image; what has nothing inside it is left out. Mere points are left alone."""
    graph, found = cleaned(image(thing(0, "car", box=box), thing(1, "man", "", "near 0")))

    assert [tuple(o.box) for o in graph.objects if o.id == "0"] == ([kept] if kept else [])
    assert set(found) - {"G105"} == ({code} if code else set())
    assert ("G105" in found) == (kept is None)


def test_circles_lone_sides_and_shared_boxes_are_reported_and_kept():
    """What is merely strange is told but not changed."""
    graph = image(
        thing(0, "cup", "", "on 1", box=(1, 1, 9, 9)),
        thing(1, "book", "", "on 2", box=(1, 1, 9, 9)),
        thing(2, "plate", "", "on 0, to the left of 3", box=(20, 1, 9, 9)),
        thing(3, "fork", "", "near 2", box=(40, 1, 9, 9)),
    )

    kept, found = cleaned(graph)

    assert kept == graph
    assert found == {"G201": 1, "G202": 1, "G203": 1}
    assert cleaned(graph, Cleaning(strange=False))[1] == {}


def test_objects_on_both_sides_of_each_other_are_reported():
    """Two objects cannot both be to the left of each other."""
    links = "to the left of {0}, to the right of {0}"
    _, found = cleaned(image(thing(0, "car", "", links.format(1)), thing(1, "car", "", links.format(0))))

    assert found == {"G201": 1}


def test_empty_and_repeated_images_are_left_out():
    """The first of two graphs of an image counts; an image without objects is no scene."""
    report = GraphReport()
    empty = image(image_id="empty")

    kept = list(clean_graphs([STREET, empty, STREET], report, Cleaning(strange=False)))

    assert [graph.image_id for graph in kept] == ["street"]
    assert dict(report.counts) == {"G003": 1, "G004": 1}
    assert (report.images, report.objects, report.relations) == (1, 6, 7)


@given(graph=graphs())
def test_cleaning_twice_changes_nothing_more(graph):
    """A clean graph stays as it is and has nothing to mend."""
    once, _ = cleaned(graph)
    twice, found = cleaned(once)

    assert twice == once
    assert not [code for code in found if code.startswith("G1")]
    GraphTable.of([once])


def test_a_report_keeps_the_first_findings_and_counts_the_rest():
    """Every code has a message, a line with an example, and a row in the table of codes."""
    report = GraphReport()
    for number in range(MAX_FINDINGS + 5):
        report.add("G104", "7", str(number), "on 7")

    assert report.counts["G104"] == MAX_FINDINGS + 5
    assert len(report.findings) == MAX_FINDINGS
    assert report.lines == ("       25 × G104 image 7 object 0: an object is related to itself (on 7)",)
    assert report.as_dict()["counts"] == {"G104": 25}
    assert codes_table().count("\n") == len(GRAPH_CODES) + 1


@pytest.mark.slow
@needs_graphs
def test_real_graphs_come_out_clean():
    """All 997 real graphs of Visual Genome are kept, and a second cleaning finds nothing to mend."""
    report, again = GraphReport(), GraphReport()

    kept = list(clean_graphs(read_graphs(VISUAL_GENOME, report), report))
    list(clean_graphs(kept, again))

    assert (report.images, report.objects) == (997, 28_821)
    assert report.counts["G106"] > 1000
    assert not [code for code in again.counts if code.startswith("G1")]
