"""Edits of imagined scenes: each does what it says, and the truth is told anew."""

from __future__ import annotations

from collections import Counter

import pytest

from deixis.worlds.photos.imagine import imagine
from deixis.worlds.photos.imagine._chance import Chance
from deixis.worlds.photos.imagine._edits import Edit, edits_about, neutral_edits, with_edits
from deixis.worlds.photos.imagine.imagined import set_stage, show_stage


def staged(number, *edits, seed=1):
    """The scene of a number with edits: its stage, the numbers of its things, and its truth."""
    stage, place = set_stage(number, seed=seed)
    numbers, picture = show_stage(with_edits(stage, edits), "7", place)
    return stage, numbers, picture.truth


def words_of(truth):
    return [(thing.name, thing.attributes) for thing in truth.objects]


def test_a_scene_without_edits_is_as_it_was():
    """What is set up again and shown without an edit is the scene that was imagined."""
    for number in range(4):
        assert words_of(staged(number)[2]) == words_of(imagine(number, seed=1).truth)


def test_every_edit_can_be_made():
    """Of eight scenes every edit that is offered can be made, and of each sort some change what is true."""
    changed = Counter()
    for number in range(8):
        stage, numbers, truth = staged(number)
        for edit in edits_about(stage, numbers[2:7], Chance(number))[:14]:
            _, place = set_stage(number, seed=1)
            _, picture = show_stage(with_edits(stage, [edit]), "7", place)
            changed[edit.kind] += picture.truth != truth
    assert changed["flip"] == 0  # the picture is flipped, not the stage
    assert all(changed[kind] for kind in ("recolour", "retype", "swap places", "move"))


def test_edits_leave_the_stage_alone():
    """A stage can be edited again and again: the copies share nothing that changes."""
    stage, numbers, _ = staged(3)
    before = [(t.name, tuple(t.words), t.box, t.path, t.level) for t in stage.things]
    for edit in edits_about(stage, numbers[:8], Chance(1)):
        with_edits(stage, [edit])
    assert [(t.name, tuple(t.words), t.box, t.path, t.level) for t in stage.things] == before


@pytest.mark.parametrize("number", [0, 2, 5])
def test_a_recoloured_thing_has_the_other_colour(number):
    """After `recolour` a thing has the new colour word and not the old one; nothing else changes its words."""
    stage, numbers, truth = staged(number)
    edit = next(e for e in edits_about(stage, numbers, Chance(1)) if e.kind == "recolour")
    _, again, after = staged(number, edit)
    assert again == numbers
    place = numbers.index(edit.one)
    assert edit.value in after.objects[place].attributes
    assert edit.value not in truth.objects[place].attributes
    assert (
        words_of(after)[:place] + words_of(after)[place + 1 :] == words_of(truth)[:place] + words_of(truth)[place + 1 :]
    )


def test_things_that_swap_places_stand_on_what_the_other_stood_on():
    """Of two things on different hosts each is on that of the other afterwards."""
    for number in range(30):
        stage, numbers, _ = staged(number)
        tops = [k for k in numbers if stage.things[k].level == "top" and stage.things[k].host in numbers]
        pairs = [(a, b) for a in tops for b in tops if a < b and stage.things[a].host != stage.things[b].host]
        if not pairs:
            continue
        a, b = pairs[0]
        hosts = stage.things[a].host, stage.things[b].host
        copy = with_edits(stage, [Edit("swap places", a, b)])
        assert (copy.things[a].host, copy.things[b].host) == hosts[::-1]
        on = {(one, other) for one, relation, other in copy.links if relation in ("on", "in")}
        assert (a, hosts[1]) in on
        assert (a, hosts[0]) not in on
        return
    pytest.fail("no scene with things on two hosts")


def test_neutral_edits_spare_what_is_spoken_of():
    """Only things that nobody speaks of change their colour, one or two of them."""
    stage, numbers, _ = staged(2)
    for seed in range(20):
        edits = neutral_edits(stage, numbers[:6], Chance(seed))
        assert 1 <= len(edits) <= 2
        assert all(edit.kind == "recolour" and edit.one not in numbers[:6] for edit in edits)
