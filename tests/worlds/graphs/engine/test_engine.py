from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from deixis.errors import RecipeError
from deixis.resolution.reference import denotation
from deixis.worlds.photos._words import Synonyms
from deixis.worlds.photos.engine import FORMS, Engine, express, express_in_parallel, tune_weights
from deixis.worlds.photos.engine._choose import other_counts
from deixis.worlds.photos.language import parse_reference, read_reference
from deixis.worlds.photos.resolution.unknowns import Unknowns, judge
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import needs_graphs
from tests.worlds.graphs.engine.images import made_up, real, shelf


SOURCES = [pytest.param(made_up, 1, id="made up"), pytest.param(real, 20, id="real", marks=needs_graphs)]
EVEN = dict.fromkeys(FORMS, 1.0)


@pytest.mark.parametrize(("source", "step"), SOURCES)
@pytest.mark.parametrize("changes", [{}, {"composition": 1.0, "style": "release"}, {"words": "all", "style": "paper"}])
def test_every_expression_picks_out_its_target_by_the_plain_definition(source, step, changes):
    """What the engine calls unique is unique by the definition, of the right form, and its words can be read back."""
    table = source()
    engine = Engine(per_image=8, **changes)

    told = list(express(table, engine, scenes=range(0, len(table), step), weights=EVEN))

    assert {one.form for one in told} == set(FORMS)
    for one in told:
        scene = table.scene(one.scene)
        assert denotation(one.expression, scene) == {one.target}
        assert (one.image_id, one.target_id) == (scene.image_id, scene.object_ids[one.target])
        assert one.expression == one.tree.expression()
        assert one.form == one.forms[0]
        read = read_reference(one.text, table.vocabulary)
        assert (read.expression, dict(read.spans)) == (one.expression, dict(one.spans))


def test_no_rank_leads_astray_unless_it_is_flagged():
    """A rank that picks another object when counted among fewer is rejected, or kept with a flag."""
    table = shelf()
    order, many = {"order": 1.0}, Engine(per_image=30, per_target=30)
    strict = list(express(table, many, weights=order))
    lax = list(express(table, replace(many, rank_readings="flag"), weights=order))

    for one in (*strict, *lax):
        scene = table.scene(one.scene)
        leads_astray = any(denotation(other, scene) - {one.target} for other in other_counts(one.expression))
        assert leads_astray == one.has_other_count
    assert {one.has_other_count for one in strict} == {False}
    assert {one.has_other_count for one in lax} == {False, True}


def test_exactly_one_branch_of_an_or_is_true():
    """The target has one of the two relations to something that fits, and not the other, whose name is kept."""
    table = made_up()

    for one in express(table, Engine(per_image=6, composition=0.0), weights={"or": 1.0}):
        scene = table.scene(one.scene)
        branches = one.expression.steps[-1].steps
        true = [step for step in branches if one.target in denotation(type(one.expression)((step,)), scene)]
        assert len(true) == 1
        assert one.false_relation == next(step.relation for step in branches if step not in true)


def test_quotas_are_kept_and_nothing_is_said_twice():
    """No image and no target has more than its share, and no image has two equal texts."""
    told = list(express(made_up(), Engine(per_image=5, per_target=2), weights=EVEN))

    assert max(Counter(one.scene for one in told).values()) == 5
    assert max(Counter((one.scene, one.target) for one in told).values()) == 2
    assert max(Counter((one.scene, one.text) for one in told).values()) == 1


def test_at_most_one_attribute_is_said_of_a_thing():
    """By default no node of a tree has two attributes."""
    told = express(made_up(), Engine(per_image=5, composition=0.0), weights=EVEN)

    assert all(len(node.attributes) <= 1 for one in told for node in one.tree.nodes)


def test_what_is_said_of_an_image_does_not_depend_on_the_others():
    """Every image has a stream of its own: spoken of alone, it gets the same expressions."""
    table = made_up()
    alone = list(express(table, Engine(), scenes=[7], weights=EVEN))

    together = [one for one in express(table, Engine(), weights=EVEN) if one.scene == 7]

    assert alone == together
    assert alone != list(express(table, Engine(seed=1), scenes=[7], weights=EVEN))


@pytest.mark.slow
def test_forms_come_out_in_the_shares_asked_for():
    """Tuned weights make up for what images do not offer."""
    table = made_up(400)
    engine = Engine(per_image=4)

    told = Counter(one.form for one in express(table, engine))

    for form, share in engine.shares.items():
        assert told[form] / told.total() == pytest.approx(share, abs=0.04)


def test_a_single_form_can_be_asked_for():
    """With one form there is nothing to tune."""
    engine = Engine(shares={"chain": 1.0})

    assert tune_weights(made_up(), engine) == {"chain": 1.0, **dict.fromkeys(FORMS[1:], 0.0)}
    assert {one.form for one in express(made_up(), engine)} == {"chain"}


@pytest.mark.slow
def test_incomplete_annotation_can_be_allowed_for():
    """With unknowns, no other object may fit even if what is not written down were so."""
    unknowns = Unknowns()
    table = made_up()

    told = list(express(table, Engine(per_image=6, unknowns=unknowns), weights=EVEN))

    assert told
    assert all(judge(one.expression, table.scene(one.scene), unknowns).is_unique for one in told)


def test_synonyms_are_said_and_read():
    """Other words are said in place of names, and who knows them reads the same meaning."""
    table = made_up()
    synonyms = Synonyms(names={name: (f"{name}oid",) for name in table.vocabulary.names})

    told = list(express(table, Engine(synonyms=1.0), weights={"chain": 1.0}, synonyms=synonyms))

    assert told
    for one in told:
        assert "oid" in one.text
        assert parse_reference(one.text, table.vocabulary, other_names=synonyms.as_read) == one.expression


@pytest.mark.slow
def test_any_number_of_workers_says_the_same():
    """Two processes and one give the same expressions in the same order."""
    table = made_up(1100)
    engine = replace(Engine(), per_image=1)
    done = []

    one = list(express_in_parallel(table, engine, workers=1))
    two = list(express_in_parallel(table, engine, workers=2, progress=done.append))

    assert one == two
    assert sum(done) == len(table)


def test_an_empty_table_says_nothing():
    """Nothing to speak of is no error."""
    assert list(express(GraphTable.of([]))) == []
    assert list(express_in_parallel(GraphTable.of([]))) == []


def test_an_expression_can_be_written_down():
    """The plain values name the image, the object, the form, the text and the tree."""
    (one,) = express(shelf(), Engine(per_image=1, variety=0.0, synonyms=0.0), weights={"not": 1.0})

    written = one.as_dict()

    assert {key: written[key] for key in ("image", "form", "text")} == {
        "image": "shelf",
        "form": "not",
        "text": one.text,
    }
    assert one.length == len(one.text.split())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shares": {"riddle": 1.0}}, "unknown form 'riddle'"),
        ({"shares": {"chain": 0.0}}, "not all 0"),
        ({"per_image": 0}, "per_image must be at least 1"),
        ({"composition": 2.0}, "composition is a share"),
        ({"same": "twins"}, "same is one of pair, any"),
    ],
)
def test_impossible_settings_are_refused(changes, message):
    """A setting that makes no sense is named."""
    with pytest.raises(RecipeError, match=message):
        Engine(**changes)
