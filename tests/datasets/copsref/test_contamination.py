from __future__ import annotations

from dataclasses import replace

from deixis.resolution.reference import denotation
from deixis.worlds.photos._misreadings import DISTRACTOR_KINDS
from deixis.worlds.photos.data._contamination import measure_contamination
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.datasets.copsref.posed import posed
from tests.metrics.test_grounding import EXAMPLE
from tests.scene.graphs import image, thing


def test_examples_are_clean_in_the_graphs_they_were_made_from():
    """In its own graphs every example is unique, and no distractor image is contaminated."""
    found = measure_contamination(posed().examples, posed().scenes)

    assert (found.lost, found.ambiguous, found.absent[1]) == (0, 0, 0)
    assert found.shown == dict.fromkeys(DISTRACTOR_KINDS, 3 * len(posed().there))
    assert set(found.contaminated.values()) == {0}


def test_a_fuller_annotation_brings_contamination_to_light():
    """A man who is wet, though nobody wrote it down, makes a distractor image a second answer."""
    street = image(
        thing(0, "car", "red", "near 1"), thing(1, "man", "wet"), thing(3, "car", "red", "near 1"), image_id="street"
    )
    harbour = image(thing(0, "car", "red", "near 1"), thing(1, "man", "wet"), image_id="harbour")
    truth = GraphTable.of([street, harbour, image(thing(0, "cow"), image_id="field")])

    found = measure_contamination([EXAMPLE], truth)

    assert len(denotation(EXAMPLE.expression, truth.scene(0))) == 2
    assert (found.examples, found.ambiguous, found.lost) == (1, 1, 0)
    assert found.contaminated == {"DiffCat": 0, "Cat": 0, "Cat&attr": 1, "Cat&cat": 0}
    assert found.to_dict()["distractor images"]["Cat&attr"]["share"] == 1.0
    assert found.to_dict()["expressions"] == {"with distractor images": 1, "true in one of them": 1, "share": 1.0}


def test_one_bad_image_in_many_spoils_the_expression():
    """Contamination is told per image and per expression: one contaminated image is enough for the second."""
    truth = GraphTable.of(
        [
            image(thing(0, "car", "red", "near 1"), thing(1, "man", "wet"), image_id="street"),
            image(thing(0, "car", "red", "near 1"), thing(1, "man", "wet"), image_id="harbour"),
            image(thing(0, "cow"), image_id="field"),
        ]
    )
    absent = replace(EXAMPLE, id=EXAMPLE.id + 1, object_id="", changed_id=EXAMPLE.id)

    found = measure_contamination([EXAMPLE, absent], truth)

    assert sum(found.contaminated.values()) < sum(found.shown.values())
    assert (found.posed, found.misled) == (1, 1)
    assert found.absent == (1, 1)
