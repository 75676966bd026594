"""The reader that looks for the image most like the others."""

from __future__ import annotations

import pytest

from deixis.expression.description import Description
from deixis.expression.steps import Is
from deixis.worlds.photos._audit.look_alike import likeness, look_for_the_most_alike, most_alike
from deixis.worlds.photos._mirror import mirror_graph
from deixis.worlds.photos.localise import DistractorImage, Example
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.scene.graphs import image, thing


def scene(image_id, *names):
    return image(*(thing(k, name) for k, name in enumerate(names)), image_id=image_id)


@pytest.fixture(scope="module")
def table():
    near = scene("1", "cup", "table", "dog")
    return GraphTable.of(
        [near, mirror_graph(near), scene("2", "cup", "table", "cat"), scene("3", "car"), scene("4", "bus", "tree")]
    )


def test_a_mirror_image_is_alike_in_all(table):
    """An image and its mirror image share all things, two with one thing in three exchanged two thirds, others none."""
    one, mirror, near, far, _ = (table.scene(k) for k in range(5))
    assert likeness(one, mirror) == 1
    assert likeness(one, near) == pytest.approx(2 / 3)
    assert likeness(one, far) == 0
    assert most_alike([far, one, mirror, near]) == [1, 2]


def test_the_right_image_is_found_where_it_alone_has_a_copy(table):
    """Beside its mirror image and strangers the right image is one of two that are most alike."""
    said = Description((Is("name", "cup"),))
    example = Example(
        id=0,
        text="The cup",
        expression=said,
        form="chain",
        image_id="1",
        object_id="0",
        distractors=(DistractorImage("Mirror", "1-mirrored"), DistractorImage("DiffCat", "3")),
    )
    found = look_for_the_most_alike([example], table)
    assert (found.image, found.by_chance, found.solved) == (0.5, pytest.approx(1 / 3), 0.5)
    assert look_for_the_most_alike([], table) is None
