"""Mirror images: what is flipped, what is not, and that being flipped tells nothing."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from deixis.worlds.photos._mirror import (
    graph_of,
    is_mirrored,
    is_spoken_of_mirrored,
    mirror_graph,
    mirror_id,
    mirror_picture,
    mirror_words,
    mirrored_finder,
    with_mirror_images,
)
from deixis.worlds.photos.data._picture_files import Picture
from deixis.worlds.photos.imagine import imagine
from deixis.worlds.photos.scene.graph_table import GraphTable
from tests.worlds.graphs.said import crowded_table


def test_a_mirror_image_of_a_mirror_image_is_the_image():
    """Flipped twice, every imagined scene is itself, and its id, too."""
    for number in range(5):
        graph = imagine(number, seed=3).truth
        assert mirror_graph(mirror_graph(graph)) == graph
        assert mirror_id(mirror_id(graph.image_id)) == graph.image_id


def test_left_and_right_are_exchanged_and_nothing_else():
    """Relations and words change sides, boxes are flipped, and all other facts stay."""
    assert mirror_words("to the left of the right hand") == "to the right of the left hand"
    assert mirror_words("leftover bright") == "leftover bright"
    graph = imagine(1, seed=3).truth
    for one, other in zip(graph.objects, mirror_graph(graph).objects, strict=True):
        assert other.box.x + other.box.w == graph.width - one.box.x
        assert [mirror_words(link.relation) for link in one.relations] == [link.relation for link in other.relations]
        assert (one.id, one.name, one.attributes) == (other.id, other.name, other.attributes)


def test_a_table_has_every_mirror_image_behind_its_image():
    """Scene 2 k + 1 is the mirror image of scene 2 k, which is as it was."""
    table = crowded_table(12)
    both = with_mirror_images(table)
    assert list(both.image_ids)[::2] == list(table.image_ids)
    for number in range(len(table)):
        assert both.scene(2 * number).digest == GraphTable.of([graph_of(table, number)]).scene(0).digest
        assert is_mirrored(both.image_ids[2 * number + 1])
        assert both.image_ids[2 * number + 1] == mirror_id(both.image_ids[2 * number])


def test_being_mirrored_is_a_coin():
    """Of 4,000 images about half are spoken of mirrored, for every seed, and not the same ones."""
    coins = [[is_spoken_of_mirrored(str(image), seed) for image in range(4000)] for seed in (1, 2)]
    assert all(1900 < sum(some) < 2100 for some in coins)
    assert 1900 < sum(one != other for one, other in zip(*coins, strict=True)) < 2100


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_pictures_flip_with_their_graphs(kind):
    """The picture of a mirror image is that of the image, flipped, in the same format; a missing one stays missing."""
    pixels = np.zeros((16, 32, 3), np.uint8)
    pixels[:, 16:] = 255
    file = BytesIO()
    Image.fromarray(pixels).save(file, kind)
    find = mirrored_finder(lambda image: Picture(f"{image}.{kind.lower()}", file.getvalue()) if image == "7" else None)

    found = find("7-mirrored")
    assert find("8") is None
    assert find("8-mirrored") is None
    assert found.held == mirror_picture(file.getvalue())
    with Image.open(BytesIO(found.held)) as flipped:
        assert flipped.format == kind
        assert np.abs(np.asarray(flipped.convert("RGB"), int) - pixels[:, ::-1]).max() < 8
