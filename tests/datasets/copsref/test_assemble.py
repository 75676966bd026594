from __future__ import annotations

from collections import Counter

import pytest

from deixis.errors import DeixisError, SchemaError
from deixis.resolution.reference import resolve
from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos._misreadings import DISTRACTOR_KINDS
from deixis.worlds.photos.making import assemble
from deixis.worlds.photos.making.assemble import negatives_of, with_distractors
from tests.datasets.copsref.posed import posed


def test_examples_pick_out_their_target_among_all_images():
    """With all distractor images shown, the plain definition finds the target and nothing else."""
    examples, table = posed().there, posed().scenes

    assert len(examples) >= 20
    for example in examples:
        context = example.context_in(table, "Full")
        assert resolve(example.expression, context).objects == {context.target}
        assert Counter(one.kind for one in example.distractors) == dict.fromkeys(DISTRACTOR_KINDS, 3)


def test_misreadings_lead_into_the_images():
    """The object that an image tempts with is one that the recorded misreading picks out there."""
    table = posed().scenes
    for example in posed().there:
        for one in example.distractors:
            misreading = example.misreading_of(one)
            scene = table.scene(table.find(one.image_id))
            assert (misreading is None) == (one.kind == "DiffCat") == (one.object_id == "")
            if misreading is not None:
                assert scene.object_number(one.object_id) in resolve(misreading.expression, scene).indices


def test_what_fits_nothing_fits_nothing_in_any_image():
    """An expression that fits nothing picks out nothing in any image it is shown with, and names its origin."""
    table = posed().scenes
    absent = [example for example in posed().examples if not example.is_there]
    originals = {example.id: example for example in posed().there}

    assert len({example.id for example in posed().examples}) == len(posed().examples)
    assert len(absent) > len(originals)
    for example in absent:
        assert originals[example.changed_id].images() == example.images()
        assert example.change
        assert example.changed
        assert not any(resolve(example.expression, table.scene(number)).objects for number in example.scenes(table))


def test_examples_with_too_few_images_are_left_out_and_counted():
    """Every example is either kept with all images or counted by what was wanting."""
    table, index = posed().scenes, GraphIndex.of(posed().scenes)
    found = with_distractors(posed().there, table, index, seed=9, among=range(40))

    assert found.dropped
    assert len(found.examples) + sum(found.dropped.values()) == len(posed().there)


@pytest.mark.slow
def test_workers_do_not_matter(monkeypatch):
    """Two processes find what one finds."""
    monkeypatch.setattr(assemble, "CHUNK", 9)
    table, index = posed().scenes, GraphIndex.of(posed().scenes)

    one = with_distractors(posed().there, table, index, seed=1)
    two = with_distractors(posed().there, table, index, seed=1, workers=2)

    assert one == two
    assert one.examples == posed().there


def test_texts_that_cannot_be_said_are_left_out():
    """Where the wording refuses an expression, it is left out; an example nobody has read is refused."""

    def refuse(expression):
        raise SchemaError(f"{expression} cannot be said")

    table, index = posed().scenes, GraphIndex.of(posed().scenes)
    assert negatives_of(posed().there, table, index, say=refuse, seed=1) == []

    unread = [type(e)(**{**{f: getattr(e, f) for f in e.__slots__}, "expression": None}) for e in posed().there[:1]]
    with pytest.raises(DeixisError, match="no meaning"):
        with_distractors(unread, table, index, seed=1)
