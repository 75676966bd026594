from __future__ import annotations

from dataclasses import replace

import pytest

from deixis.expression.description import Description
from deixis.expression.parts import parts
from deixis.expression.steps import Is, Related
from deixis.worlds.photos.data._statistics import describe_examples, table_2
from deixis.worlds.photos.localise import SETTINGS, DistractorImage, Example
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.datasets.copsref.posed import posed
from tests.scene.graphs import STREET, image, thing


def test_the_figures_of_a_small_dataset():
    """Everything that is said is counted once, candidates over all images shown."""
    table = GraphTable.of([STREET, image(thing(0, "car"), thing(1, "cow"), image_id="field")])
    man = Description((Is("name", "man"), Is("other", "wet")))
    first = Example(
        id=0,
        text="The red car that is near the wet man",
        expression=Description((Is("name", "car"), Is("color", "red"), Related("near", man))),
        form="chain",
        image_id="street",
        object_id="0",
        distractors=(DistractorImage("Cat", "field", "0"),),
    )
    second = Example(id=1, text="the tree", expression=None, form="not", image_id="street", object_id="4")

    row = describe_examples([first, second], table)

    assert (row.expressions, row.images, row.regions) == (2, 2, 8)
    assert (row.categories, row.attributes, row.relations) == (3, 2, 1)  # car, man, tree; red, wet; near
    assert (row.vocabulary, row.mean_length) == (9, 5.5)
    assert (row.candidates, row.same_category, row.mean_images) == (8, 4, 2)  # of the example with distractors
    assert row.forms == {"chain": 1, "not": 1}
    assert row.said["names"] == {"car": 1, "man": 1, "tree": 1}  # nobody has read the second: its target counts
    assert row.said["attributes"] == {"red": 1, "wet": 1}
    assert row.said["relations"] == {"near": 1}
    assert row.to_dict()["lengths"] == {"2": 1, "9": 1}


def test_candidates_agree_with_the_task():
    """The mean number of candidates is that of the examples in the full setting."""
    examples, scenes = posed().there, posed().scenes

    row = describe_examples(examples, scenes)

    assert row.candidates == pytest.approx(sum(e.candidates(scenes) for e in examples) / len(examples))
    assert row.mean_images == 13


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_setting_agrees_with_the_task(setting):
    """Images, candidates and chance of a setting are the means over the examples as the task poses them."""
    examples, scenes = posed().there, posed().scenes
    candidates = [e.candidates(scenes, setting) for e in examples]

    crowd = describe_examples(examples, scenes).settings[setting]

    assert crowd.images == pytest.approx(sum(len(e.images(setting)) for e in examples) / len(examples))
    assert crowd.candidates == pytest.approx(sum(candidates) / len(examples))
    assert crowd.chance == pytest.approx(sum(1 / count for count in candidates) / len(examples))
    assert 1 <= crowd.same_category <= crowd.candidates


def test_without_distractors_there_is_one_setting():
    """Settings that show the same images are not told apart; examples that fit nothing are filed by their change."""
    bare = [replace(example, distractors=()) for example in posed().examples]

    row = describe_examples(bare, posed().scenes)

    assert list(row.settings) == ["WithoutDist"]
    assert row.candidates == row.settings["WithoutDist"].candidates
    assert sum(row.changes.values()) == len(bare) - len(posed().there) > 0
    assert set(row.changes) <= {"attribute", "relation", "noun", "swap"}


def test_words_stand_in_the_order_of_their_frequency():
    """The most frequent first, equally frequent ones as in the alphabet; every part of every expression counts."""
    row = describe_examples(posed().examples, posed().scenes)

    for counts in row.said.values():
        assert list(counts.items()) == sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    clauses = sum(isinstance(part.step, Related) for e in posed().there for part in parts(e.expression))
    assert sum(row.said["relations"].values()) == clauses > 0


def test_a_dataset_stands_beside_the_published_ones():
    """The table has a line for every published dataset and one for ours, each with all figures."""
    rows = table_2({"ours": describe_examples(posed().there, posed().scenes)})

    assert [row[0] for row in rows] == ["refCOCO", "refCOCOg", "CLEVR-Ref+", "Cops-Ref", "ours"]
    assert rows[3] == ("Cops-Ref", "508", "601", "299", "14.4", "262.5", "20.3")
    assert {len(row) for row in rows} == {7}
    assert describe_examples([], posed().scenes).expressions == 0
