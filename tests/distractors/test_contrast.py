from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deixis.distractors._contrast import Options, features, options
from deixis.expression import Description, Is, Related
from deixis.resolution import resolve
from deixis.scene import Context
from deixis.testing import grid_scenes, the
from deixis.worlds.grid.drawn import grid


def test_every_word_lists_what_it_rules_out():
    """The objects are counted in order, without the target."""
    scene = grid("""
        r○ b○
        r□ .
    """)
    there = options(Context.of(scene, 0))
    by_attribute = dict(zip((step.attribute for step in there.features), there.rules_out, strict=True))

    assert by_attribute["color"] == 0b01
    assert by_attribute["shape"] == 0b10
    assert there.others == 0b11


def test_clauses_can_be_added():
    """What the attributes of a scene do not list can be an option too."""
    scene = grid("""
        r○ b□
        r○ .
    """)
    clause = Related("same row", the("square"))
    there = options(Context.of(scene, 0), also=(clause,))

    assert there.features[-1] == clause
    assert there.smallest() == ((len(there.features) - 1,),)


@given(grid_scenes(min_objects=1, max_objects=5), st.data())
def test_what_is_left_is_what_fits(scene, data):
    """Ruling out feature by feature leaves the objects that the whole description fits."""
    target = data.draw(st.integers(0, len(scene) - 1))
    context = Context.of(scene, target)
    there = options(context)
    chosen = data.draw(st.sets(st.integers(0, len(there.features) - 1)))
    said = Description(tuple(there.features[number] for number in sorted(chosen)))

    assert there.left(chosen).bit_count() == len(resolve(said, context)) - 1


def test_the_shortest_choices_are_all_listed():
    """Every choice of the smallest size that leaves nothing is there, and none where nothing helps."""
    names = tuple(Is(name, "x") for name in "abc")

    assert Options(names, (0b11, 0b01, 0b10), 0b11).smallest() == ((0,),)
    assert Options(names, (0b01, 0b01, 0b10), 0b11).smallest() == ((0, 2), (1, 2))
    assert Options(names, (0b01, 0b01, 0b00), 0b11).smallest() == ()
    assert Options(names, (0, 0, 0), 0).smallest() == ((),)


def test_features_are_true_of_the_target():
    """Each of them fits it."""
    scene = grid("""
        r○2 b○
        r□  .
    """)
    context = Context.of(scene, 0)

    assert all(context.target in resolve(Description((step,)), context) for step in features(context))
