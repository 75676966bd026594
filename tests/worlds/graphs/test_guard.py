from __future__ import annotations

import numpy as np
import pytest

from deixis.errors import SchemaError
from deixis.expression.steps import Is, Not, Related
from deixis.worlds.photos._guard import Guard, aligned_with, says_sides
from deixis.worlds.photos.resolution.unknowns import Unknowns
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.language.copsref.sayings import d, n
from tests.scene.graphs import image, thing


LEFT = "to the left of"
NEAR, FAR = (0, 0, 10, 20), (400, 10, 10, 20)


def asked(guard, expression, scene=0):
    return bool(guard.ask([expression]).may_fit(np.array([0]), np.array([scene]))[0])


def big(name):
    return d(n(name), Is("size", "big"))


def test_what_is_recorded_fits():
    """An expression that is true as it stands may fit; one that is not, in no words, cannot."""
    table = GraphTable.of([image(thing(0, "car", "big"), thing(1, "dog", "small"))])

    assert asked(Guard(table=table), big("car"))
    assert not asked(Guard(table=table), big("dog"))


def test_what_other_words_say_may_fit():
    """A car that somebody called large may be called big."""
    table = GraphTable.of([image(thing(0, "car", "large"), thing(1, "dog", "big"))])

    assert asked(Guard(table=table), big("car"))
    assert not asked(Guard(table=table, in_other_words=False), big("car"))


@pytest.mark.parametrize("is_denied", [False, True])
def test_left_and_right_are_doubted(is_denied):
    """What is level but far away may be said to be on the left; where that is denied, the rule counts as well."""
    side = Related(LEFT, d(n("dog")))
    table = GraphTable.of(
        [
            image(thing(0, "car", box=NEAR), thing(1, "dog", box=FAR)),
            image(thing(0, "car", "", f"{LEFT} 1", box=NEAR), thing(1, "dog", box=(15, 0, 10, 20)), image_id="2"),
        ]
    )
    said = d(n("car"), Not(side) if is_denied else side)

    assert asked(Guard(table=table), said)
    assert asked(Guard(table=table, loose_sides=False), said) is is_denied


@pytest.mark.slow
def test_what_is_unknown_may_fit_and_the_truth_decides():
    """A car without a recorded size may be big, unless the truth, where it is at hand, has another size."""
    told = GraphTable.of([image(thing(0, "car")), image(thing(0, "dog", "big small"), image_id="2")])
    truth = GraphTable.of([image(thing(0, "car", "small")), image(thing(0, "dog", "big small"), image_id="2")])
    true = GraphTable.of([image(thing(0, "car", "big")), image(thing(0, "dog", "big small"), image_id="2")])

    assert not asked(Guard(table=told), big("car"))
    assert asked(Guard(table=told, unknowns=Unknowns()), big("car"))
    assert not asked(Guard(table=told, unknowns=Unknowns(), truth=truth), big("car"))
    assert asked(Guard(table=told, truth=true), big("car"))


def test_the_truth_is_about_the_same_images():
    """A truth about other images, or in another order, is refused."""
    one, other = image(thing(0, "car")), image(thing(0, "car"), image_id="2")
    table = GraphTable.of([one, other])

    assert aligned_with(table, table) is table
    with pytest.raises(SchemaError, match="the same images"):
        aligned_with(table, GraphTable.of([other, one]))
    with pytest.raises(SchemaError, match="the truth is about 1"):
        Guard(table=table, truth=GraphTable.of([one]))


def test_sides_are_heard_wherever_they_are_said():
    """Left and right count inside negations and alternatives, too."""
    side = Related(LEFT, d(n("dog")))

    assert says_sides(d(n("car"), Not(side)))
    assert says_sides(d(n("car"), Related("near", d(n("cup"), side))))
    assert not says_sides(d(n("car"), Related("near", d(n("cup")))))
