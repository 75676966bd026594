"""`deixis make copsref --mode every-word` with imagined scenes: twins by one edit, and other families beside them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from deixis._cli.app import main
from deixis.resolution.reference import denotation
from deixis.worlds.photos._audit.look_alike import look_for_the_most_alike
from deixis.worlds.photos._guard import Guard
from deixis.worlds.photos._needed_words import NeededWords
from deixis.worlds.photos._twins import is_twin, is_twin_of, origin_of
from deixis.worlds.photos.data._photographs import decode_picture
from deixis.worlds.photos.data.store import open_copsref


WORDS = ("--mode", "every-word", "--images", "36", "--candidates", "6", "--val", "0", "--test", "0.5", "--seed", "3")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("made") / "refs"
    assert main(["make", "copsref", "--out", str(out), "--workers", "1", *WORDS]) == 0
    return open_copsref(out)


@pytest.fixture(scope="module")
def examples(made):
    return [one for one in made.examples() if one.is_there]


def test_every_want_is_served(made, examples):
    """By the plain definition every want is served, and every record of an image is right."""
    assert len(examples) > 20
    assert not any(NeededWords(made.scenes).look_at(examples, thorough=True))


def test_nothing_fits_beside_the_right_image(made, examples):
    """By the whole truth, in every reading of the guard, the expression fits nothing in twins and other families."""
    guard = Guard(table=made.scenes)
    for one in examples:
        beside = np.array([made.scenes.find(image) for image in one.images()[1:]])
        assert not any(denotation(one.expression, made.scenes.scene(scene)) for scene in beside.tolist())
        assert not guard.ask([one.expression]).may_fit(np.zeros(len(beside), np.int64), beside).any()


def test_families_are_of_one_size(examples):
    """Beside the right image stand its twins, and other scenes each with as many."""
    for one in examples:
        families = Counter(origin_of(image) for image in one.images())
        twins = sum(image.kind == "Twin" for image in one.distractors)
        assert len(families) >= 2
        assert set(families.values()) == {1 + twins}
        assert all(is_twin_of(i.image_id, one.image_id) for i in one.distractors if i.kind == "Twin")
        assert len(one.distractors) <= 12


def test_the_image_that_looks_like_another_finds_little(made, examples):
    """The image most like the others is hardly more often the right one than any other."""
    found = look_for_the_most_alike(examples, made.scenes)
    assert found.image < found.by_chance + 0.25


def test_pictures_show_the_truth(made):
    """Every twin has a picture of the size that its graph tells, unlike that of its scene."""
    for number, image in enumerate(made.scenes.image_ids):
        if is_twin(image):
            twin, scene = (decode_picture(made.photographs.find(i), i) for i in (image, origin_of(image)))
            assert twin.shape == (made.scenes.height[number], made.scenes.width[number], 3) == scene.shape
            assert (twin != scene).any()


def test_bytes_do_not_depend_on_workers(made, tmp_path):
    """Two workers make the bytes that one makes."""
    out = tmp_path / "again"
    assert main(["make", "copsref", "--out", str(out), "--workers", "2", *WORDS]) == 0
    assert (out / "manifest.json").read_bytes() == (made.path / "manifest.json").read_bytes()


def test_the_check_passes(made):
    """`deixis check` finds nothing, by the plain definition as well."""
    assert main(["check", str(made.path), "--thorough"]) == 0
