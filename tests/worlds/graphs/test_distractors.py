from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import Is, Not, Related
from deixis.resolution.reference import denotation
from deixis.worlds.photos._alike import merge_alike_relations, with_alternatives
from deixis.worlds.photos._index import GraphIndex
from deixis.worlds.photos._misreadings import DISTRACTOR_KINDS, noun_of, nouns_as_related
from deixis.worlds.photos.distractors import Search, TargetExpression, find_distractors
from deixis.worlds.photos.resolution.unknowns import Unknowns, judge
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import VISUAL_GENOME, image, needs_graphs, thing
from tests.worlds.graphs.said import crowded_table, some_said


@pytest.fixture(scope="module")
def table():
    return crowded_table()


@pytest.fixture(scope="module")
def index(table):
    return GraphIndex.of(table)


@pytest.fixture(scope="module")
def said(table):
    return some_said(table, 60)


@pytest.fixture(scope="module")
def searched(said, table, index):
    return find_distractors(said, table, index, seed=3)


def found(said, searched):
    return [(one, distractor) for one, some in zip(said, searched, strict=True) for distractor in some.distractors]


def test_nothing_fits_in_a_distractor_image(said, searched, table):
    """By the plain definition, the expression picks out nothing in any image that was chosen, in no words."""
    loose = merge_alike_relations(table)
    pairs = found(said, searched)

    assert len(pairs) > 300
    for one, distractor in pairs:
        assert not denotation(one.expression, table.scene(distractor.scene))
        assert not denotation(with_alternatives(one.expression, table.vocabulary), loose.scene(distractor.scene))


def test_every_kind_holds_what_it_should(said, searched, table):
    """DiffCat lacks the category, all others have it, Cat&cat has every noun but not the relations that are said."""
    for one, distractor in found(said, searched):
        scene = table.scene(distractor.scene)
        nouns = [noun_of(mention) for mention in one.expression.mentions()]
        assert (nouns[0] in scene.names) == (distractor.kind != "DiffCat")
        if distractor.kind == "Cat&cat":
            assert not Counter(nouns) - Counter(scene.names)
            claimed = nouns_as_related(one.expression)
            assert claimed is None or not denotation(claimed, scene)


def test_the_misreading_leads_to_the_object(said, searched, table):
    """Whoever misses what the distractor says, finds its object there."""
    tempting = [(one, d) for one, d in found(said, searched) if d.kind != "DiffCat"]

    for one, distractor in tempting:
        assert distractor.misreading is not None
        assert distractor.object in denotation(distractor.misreading.expression, table.scene(distractor.scene))
        assert set(distractor.misreading.expression.steps) < set(one.expression.steps)
    assert all(d.misreading is None and d.object == -1 for _, d in found(said, searched) if d.kind == "DiffCat")


def test_attributes_that_are_said_are_there(said, searched, table):
    """The object of a Cat&attr image has all attributes that are said of the target."""
    for one, distractor in found(said, searched):
        if distractor.kind == "Cat&attr":
            words = {step.value for step in one.expression.steps if isinstance(step, Is) and step.attribute != "name"}
            assert words <= table.scene(distractor.scene).words[distractor.object]


def test_images_are_different_and_enough(said, searched):
    """An expression has three images of every kind, none twice and none its own, or says what is lacking."""
    assert any(not some.lacking for some in searched)
    for one, some in zip(said, searched, strict=True):
        scenes = [distractor.scene for distractor in some.distractors]
        counts = Counter(distractor.kind for distractor in some.distractors)
        assert len(set(scenes) | {one.scene}) == len(scenes) + 1
        assert all((counts[kind] < 3) == (kind in some.lacking) for kind in DISTRACTOR_KINDS)
        assert max(counts.values(), default=0) <= 3


def test_the_same_seed_finds_the_same_images_in_any_company(said, searched, table, index):
    """What is found depends on the seed and the expression, not on the other expressions."""
    backwards = find_distractors(said[::-1], table, index, seed=3)

    assert backwards[::-1] == searched
    assert find_distractors(said, table, index, seed=4) != searched


@given(allowed=st.sets(st.integers(0, 149), min_size=30), each=st.integers(1, 3))
def test_only_images_that_may_be_shown_are(allowed, each):
    """Images of another split are not looked at."""
    table = _TABLE
    searched = find_distractors(_SAID, table, _INDEX, Search(each=each), seed=1, among=np.array(sorted(allowed)))

    assert {d.scene for some in searched for d in some.distractors} <= allowed


def test_images_may_serve_twice_as_in_the_release(said, table, index):
    """Where images may repeat, some do, and no more expressions lack some."""
    searched = find_distractors(said, table, index, Search(may_repeat=True), seed=3)

    scenes = [[d.scene for d in some.distractors] for some in searched]
    assert any(len(set(some)) < len(some) for some in scenes)


def test_gaps_in_the_annotation_can_be_guarded_against(said, table, index):
    """With unknowns, no image is shown in which the expression may hold for all that is known."""
    unknowns = Unknowns()
    searched = find_distractors(said[:30], table, index, Search(unknowns=unknowns), seed=3)
    pairs = found(said[:30], searched)

    assert pairs
    assert all(not judge(one.expression, table.scene(d.scene), unknowns).possible for one, d in pairs)


def test_a_denied_attribute_is_looked_for():
    """'The dog that is not wet' needs images in which every dog is wet; they are found among very many others."""
    dry = [image(thing(0, "dog"), thing(1, "cat"), image_id=f"dry {number}") for number in range(300)]
    wet = [image(thing(0, "dog", "wet"), image_id=f"wet {number}") for number in range(9)]
    table = GraphTable.of([image(thing(0, "dog"), thing(1, "dog", "wet"), image_id="target"), *dry, *wet])
    expression = Description((Is("name", "dog"), Not(Is("other", "wet"))))
    search = Search(kinds=("Cat", "Cat&attr"))

    (some,) = find_distractors([TargetExpression(expression, 0, 0)], table, GraphIndex.of(table), search, seed=0)

    assert not some.lacking
    assert all(table.image_ids[d.scene].startswith("wet") for d in some.distractors)


def test_annotated_attributes_can_be_asked_for():
    """On request an object of Cat&attr has all attributes that the target is annotated with, not only those said."""
    like = [image(thing(0, "dog", "wet small"), image_id=f"like {number}") for number in range(3)]
    half = [image(thing(0, "dog", "wet"), image_id=f"half {number}") for number in range(20)]
    target = image(thing(0, "dog", "wet small", "near 1"), thing(1, "cat"), image_id="target")
    table = GraphTable.of([target, *half, *like])
    near = Related("near", Description((Is("name", "cat"),)))
    said = TargetExpression(Description((Is("name", "dog"), Is("other", "wet"), near)), 0, 0)
    search = Search(kinds=("Cat&attr",), attributes="annotated")

    (some,) = find_distractors([said], table, GraphIndex.of(table), search, seed=0)

    assert {table.image_ids[d.scene] for d in some.distractors} == {"like 0", "like 1", "like 2"}


@pytest.mark.parametrize(
    "settings", [{"each": 0}, {"each": 5, "most_looks": 3}, {"kinds": ("Dog",)}, {"attributes": "all"}]
)
def test_settings_that_make_no_sense_are_refused(settings):
    """A search that cannot be carried out is refused before it begins."""
    with pytest.raises(SchemaError):
        Search(**settings)


@pytest.mark.slow
@needs_graphs
@pytest.mark.data
def test_distractors_among_real_graphs():
    """In real scene graphs every distractor that is found is clean by the plain definition."""
    from deixis.worlds.photos.data.graphs import read_table

    table = read_table(VISUAL_GENOME)
    said = some_said(table, 120, seed=8)
    pairs = found(said, find_distractors(said, table, GraphIndex.of(table), seed=8))

    assert len(pairs) > 500
    assert all(not denotation(one.expression, table.scene(d.scene)) for one, d in pairs)


_TABLE = crowded_table()
_INDEX = GraphIndex.of(_TABLE)
_SAID = some_said(_TABLE, 5, seed=2)
