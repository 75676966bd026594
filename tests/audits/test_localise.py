from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deixis.audits.measures import bag_of_words_solves, exchanges, reorderings, solves
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Is, Not, Related
from deixis.judge.uncertainty import wilson
from deixis.worlds.photos._audit.localise import (
    PROBES,
    _plain,
    audit_shortcuts,
    find_guesses,
    find_shortcuts,
    left_for,
    mentioned_things,
    shortcut_rows,
    solved_by,
    summarise_shortcuts,
)
from tests.datasets.copsref.posed import posed


def named(name, *more):
    return Description((Is("name", name), *more))


@pytest.mark.parametrize("setting", ["WithoutDist", "Cat", "Cat&cat", "Full"])
def test_the_compiled_readers_agree_with_the_plain_definition(setting):
    """For every example and every reader, the fast path says what the definition says, guesses included."""
    examples, scenes = posed().there, posed().scenes
    left = [left_for(example, scenes, setting) for example in examples]
    target = [example.context_in(scenes, setting).target for example in examples]

    found = find_guesses(examples, scenes, setting)

    plain = [
        [(where in objects[probe]) / max(len(objects[probe]), 1) for probe in PROBES]
        for where, objects in zip(target, left, strict=True)
    ]
    np.testing.assert_allclose(found, plain)
    solved = [[solved_by(example, scenes, setting)[probe] for probe in PROBES] for example in examples]
    assert find_shortcuts(examples, scenes, setting).tolist() == solved
    assert 0 < np.mean(found == 1) < 1


def test_a_bag_of_words_solves_no_more_than_in_other_audits():
    """Whoever solves it here, where whole phrases change places too, solves it by the narrower measure of grids."""
    solved = 0
    for example in posed().there:
        context = example.context_in(posed().scenes, "Full")
        by_measures = solves(example.expression, context) and bag_of_words_solves(example.expression, context)

        here = solved_by(example, posed().scenes, "Full")["bag of words"]
        assert here <= by_measures
        solved += by_measures - here
    assert solved > 0


def test_whole_phrases_change_places():
    """'The red cup near the white dish' and 'the white dish near the red cup' are the same bag of words."""
    red, white = Is("color", "red"), Is("color", "white")
    said = named("cup", red, Related("near", named("dish", white)))

    assert named("dish", white, Related("near", named("cup", red))) in reorderings(said)
    assert set(exchanges(said)) < set(reorderings(said))


def test_alternatives_are_words_in_the_bag_too():
    """Words and relations of alternatives change places, with the target's and each other's; not what is denied."""
    near, on = Related("near", named("dish")), Related("on", named("rug"))
    said = named("cup", AnyOf((near, on)))

    found = reorderings(said)

    assert exchanges(said) == ()
    assert named("dish", AnyOf((Related("near", named("cup")), on))) in found
    assert named("cup", AnyOf((Related("near", named("rug")), Related("on", named("dish"))))) in found
    assert reorderings(named("cup", Not(near))) == ()


def test_who_hears_more_is_left_with_less():
    """Every step from the noun to the whole expression takes objects away, and never the target."""
    for example in posed().there:
        left = left_for(example, posed().scenes, "Full")

        assert left["whole expression"] <= left["phrases unrelated"] <= left["noun and attributes"]
        assert left["noun and attributes"] <= left["noun alone"] <= left["nothing"]
        assert left["whole expression"] <= left["bag of words"]


def test_hearing_nothing_is_chance():
    """Who hears nothing is right once in as many times as there are candidates."""
    examples, scenes = posed().there, posed().scenes
    (full,) = summarise_shortcuts(examples, scenes, settings=("Full",), resamples=20)

    chance = np.mean([1 / example.candidates(scenes, "Full") for example in examples])
    assert full.guesses["nothing"].mean == pytest.approx(chance)


def test_what_is_mentioned_must_be_there_unless_it_is_denied():
    """Clauses within clauses count, of alternatives one, of what is denied none."""
    cup, dish = named("cup", Is("color", "red")), named("dish")
    said = named(
        "table",
        Related("near", named("chair", Related("near", cup))),
        Not(Related("near", dish)),
        AnyOf((Related("on", dish), Related("on", named("rug", Related("on", cup))))),
        AnyOf((Is("color", "red"), Related("on", dish))),
    )

    assert mentioned_things(said) == ((named("chair"),), (cup,), (dish, named("rug")))
    assert mentioned_things(cup) == ()


def test_distractor_images_take_shortcuts_away():
    """Who hears less finds the target less often, and hardly ever when all distractor images are shown."""
    examples, scenes = posed().examples, posed().scenes
    full, alone = summarise_shortcuts(examples, scenes, resamples=50)

    assert (full.setting, alone.setting) == ("Full", "WithoutDist")
    assert full.shares["whole expression"].mean == alone.shares["whole expression"].mean == 1.0
    assert full.shares["noun alone"].mean == full.shares["noun and attributes"].mean == 0.0
    assert full.shares["noun alone"].mean < full.guesses["noun alone"].mean < alone.guesses["noun alone"].mean
    assert 0 < alone.shares["noun alone"].mean <= alone.shares["noun and attributes"].mean < 1
    assert full.shares["noun alone"].rows == len(posed().there)


def test_a_target_that_is_not_in_its_image_is_found_by_nobody():
    """A damaged example costs itself: no reader hits what is not there."""
    lost, whole = posed().there[:2]

    found = find_guesses([replace(lost, object_id="none"), whole], posed().scenes, "Full")

    assert found[0].tolist() == [0.0] * len(PROBES)
    assert found[1, -1] == 1.0


def test_an_audit_says_what_it_leaves_out():
    """Examples without target, meaning or distractor images are counted, not judged."""
    there, absent = posed().there, [one for one in posed().examples if not one.is_there]
    unread, bare = replace(there[0], expression=None), replace(there[1], distractors=())

    audit = audit_shortcuts([*there[2:], *absent, unread, bare], posed().scenes, resamples=20)

    assert audit.examples == audit.judged + sum(audit.left_out.values())
    assert audit.left_out == {"fits nothing": len(absent), "meaning unknown": 1, "no distractor images": 1}
    assert len(audit.shortcuts) == 6
    assert audit.to_dict()["settings"][0]["solved"]["whole expression"] == _plain(wilson(audit.judged, audit.judged))


def test_examples_to_train_on_are_audited_without_distractors():
    """Where no example has distractor images, one setting is left; where there is nothing at all, none."""
    bare = [replace(example, distractors=()) for example in posed().there]

    audit = audit_shortcuts(bare, posed().scenes, resamples=20)

    assert [one.setting for one in audit.shortcuts] == ["WithoutDist"]
    assert (audit.judged, audit.left_out) == (len(bare), {})
    assert audit_shortcuts([], posed().scenes).shortcuts == ()


def test_the_table_has_a_row_for_every_reader():
    """Rows are readers, columns settings, figures in percent, with half an interval where there is any to speak of."""
    found = summarise_shortcuts(posed().there, posed().scenes, resamples=20)
    rows = shortcut_rows(found)

    assert rows[0] == ["hears", "Full", "WithoutDist"]
    assert [row[0] for row in rows[1:]] == list(PROBES[1:])
    assert rows[-1][1].startswith("100.0 ±")
    assert all("±" in row[2] for row in rows[1:])
    guessed = shortcut_rows(found, guessing=True, intervals=False)
    assert (guessed[1][0], guessed[-1][1]) == ("nothing", "100.0")
