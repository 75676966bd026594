"""The story of an example of the toolkit, and the answers of models to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deixis._studio.provenance import place_in
from deixis.errors import SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import Is
from deixis.scene.scene import Where
from deixis.worlds.toolkit._story import Story
from tests.readers.box_examples import EXAMPLES, world_of_boxes


WORLD = world_of_boxes()
APPLES = Description((Is("name", "apple"),))


@pytest.mark.parametrize(
    ("targets", "meaning", "verdict"),
    [
        ((0,), EXAMPLES[0].meaning, "✓ So it picks out exactly one object, the target."),
        ((1,), EXAMPLES[0].meaning, "✗ It picks out 1 object, which is not the target."),
        ((0,), APPLES, "✗ It picks out 2 objects and is ambiguous."),
        ((0, 1), APPLES, "✓ So it picks out the 2 objects that are meant."),
        ((), APPLES, "✗ It picks out 2 objects, where nothing is meant."),
        ((), Description((Is("name", "pear"), Is("color", "green"))), "✓ So it picks out nothing, as it should."),
        ((2,), Description((Is("name", "pear"), Is("color", "green"))), "✗ It picks out nothing."),
    ],
)
def test_the_story_says_whether_what_is_meant_is_picked_out(targets, meaning, verdict):
    """Also where several things are meant, or nothing."""
    meant = tuple(Where(0, number) for number in targets)
    story = Story(WORLD, replace(EXAMPLES[0], targets=meant, meaning=meaning))

    assert story.verdict == verdict
    assert [thing.where for thing in story.things if thing.is_target] == list(meant)


def test_objects_say_why_they_are_there():
    """The target, a distractor with the slightest misreading, and one to which none leads."""
    story = Story(WORLD, EXAMPLES[0])
    target, green, pear = story.things

    assert story.why(target).endswith("is the target.")
    assert "you would end here if you" in story.why(green)
    assert story.reasons(green.key)
    assert story.reasons(target.key) == []
    assert story.why(pear).startswith(f"The {pear.name} (2)")


def test_an_example_without_objects_has_no_story():
    """There is nothing to tell steps about."""
    with pytest.raises(SchemaError, match="no objects of this example are known"):
        Story(WORLD, EXAMPLES[1])


@pytest.mark.parametrize(
    ("number", "place"), [(0, ("a", 0, "x")), (2, ("a", 2, "x")), (3, ("c", 0, "y")), (4, ("c", 1, "y")), (5, None)]
)
def test_a_number_leads_to_a_file_and_a_row(number, place):
    """Rows are counted through all files in their order, empty ones too."""
    files = [("a", 3, "x"), ("b", 0, "y"), ("c", 2, "y")]
    manifest = {"files": [{"path": path, "rows": rows, "split": split} for path, rows, split in files]}

    assert place_in(manifest, number) == place
