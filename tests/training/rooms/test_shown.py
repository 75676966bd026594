from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.steadiness import of_drawn
from deixis.errors import RecipeError
from deixis.learn.run import shipped_checkpoints
from deixis.worlds.rooms.data._room_pictures import read_room_pictures
from deixis.worlds.rooms.draw import draw_rooms
from deixis.worlds.rooms.mentions import judge_rows, read_rows
from deixis.worlds.rooms.scene import factors_of
from deixis.worlds.rooms.training._augment import DISTURBANCES
from deixis.worlds.rooms.training._evaluate import say_pictures
from deixis.worlds.rooms.training.features import Eyes
from tests.training.rooms.made import HERE, fresh_speaker


CPU = Eyes(device="cpu")
REAL = Path(__file__).parents[3] / "../shared/data/3dshapes/real_samples_64x64.npz"
LEAST = {"2 px right": 0.8, "2 px left": 0.75, "3 px right": 0.4, "3 px left": 0.4}
# measured on 1,000 test pictures: 0.939, 0.886, 0.616 and 0.619, else at least 0.986


def named(pictures, ids):
    """Of which pictures the shipped B names all six features."""
    said, _ = say_pictures(shipped_checkpoints()["speaker-b"], pictures, eyes=CPU)
    return judge_rows(read_rows(said.texts), factors_of(ids)).true.all(axis=1)


def test_the_shipped_speaker_bears_small_changes():
    """A pixel, a little less light, some blur: it breaks at none of them, as one that saw drawn pictures only does."""
    shares = {row.change: row.all_six / row.pictures for row in of_drawn(shipped_checkpoints()["speaker-b"], 50)}

    assert set(DISTURBANCES) < set(shares)
    assert {name: share for name, share in shares.items() if share < LEAST.get(name, 0.94)} == {}


@pytest.mark.data
@pytest.mark.skipif(not REAL.exists(), reason="needs the published pictures in ../shared/data")
def test_the_shipped_speaker_sees_published_pictures():
    """All frames whose factors are certain, and most of those whose factors are estimates, which are wrong at times."""
    found = read_room_pictures(REAL)
    right = named(found.pictures, found.ids)

    assert right[50:].all()
    assert right[:50].sum() >= 35


def test_pictures_are_captioned_beside_others():
    """What a speaker says of pictures is what it says of the images that they show."""
    ids = np.array([5, 163_233, 400_123])
    rows = np.array([[0, 1], [2, 0]])

    said, facts = say_pictures(shipped_checkpoints()["speaker-rp"], draw_rooms(ids), rows, eyes=CPU)

    assert len(said.texts) == 2
    assert said.understood is not None
    assert facts["role"] == "game"
    assert said.rows.tolist() == rows.tolist()


@pytest.mark.parametrize(
    ("pictures", "rows", "complaint"),
    [
        (np.zeros((2, 64, 64, 3)), None, "pictures are bytes of shape"),
        (np.zeros((2, 32, 32, 3), np.uint8), None, r"got uint8 of \[2, 32, 32, 3\]"),
        (np.zeros((0, 64, 64, 3), np.uint8), None, "pictures are bytes of shape"),
        (np.zeros((2, 64, 64, 3), np.uint8), np.array([[0, 2]]), "numbered from 0 to 1, got 0 to 2"),
        (np.zeros((2, 64, 64, 3), np.uint8), np.array([0, 1]), "a context is a row of numbers"),
    ],
)
def test_what_is_no_picture_is_refused(pictures, rows, complaint):
    """With what it should be."""
    with pytest.raises(RecipeError, match=complaint):
        say_pictures(shipped_checkpoints()["speaker-b"], pictures, rows, eyes=CPU)


def test_an_encoder_without_eyes_is_refused(tmp_path):
    """The factors of a picture from a file are not known."""
    speaker = fresh_speaker(tmp_path / "speaker.safetensors", width=8)

    with pytest.raises(RecipeError, match="the encoder 'factors' sees no pictures"):
        say_pictures(speaker, np.zeros((1, 64, 64, 3), np.uint8), eyes=HERE)
