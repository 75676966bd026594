from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
import torch

from deixis.errors import RecipeError
from deixis.worlds.rooms.draw import draw_rooms
from deixis.worlds.rooms.training._augment import DISTURBANCES, augment, blur_pictures, move_pictures
from deixis.worlds.rooms.training.settings import Augmentation


NONE = Augmentation(plain=0, shift=0, stretch=0, resampled=0, brightness=0, contrast=0, tint=0, blur=0, noise=0)


@pytest.fixture(scope="module")
def pictures():
    """Sixteen rooms."""
    drawn = torch.from_numpy(draw_rooms(np.arange(16) * 29_991))
    return drawn.permute(0, 3, 1, 2).float() / 255


def changed(pictures, how, seed=3):
    return augment(pictures, how, rng=torch.Generator().manual_seed(seed))


def test_the_same_seed_gives_the_same_pictures(pictures):
    """And another seed other ones, all of them with values from 0 to 1."""
    once, again, other = (changed(pictures, Augmentation(), seed) for seed in (3, 3, 4))

    assert torch.equal(once, again)
    assert not torch.equal(once, other)
    assert once.shape == pictures.shape
    assert 0 <= once.min() <= once.max() <= 1


def test_nothing_is_changed_where_nothing_is_asked_for(pictures):
    """Every change can be switched off."""
    assert torch.allclose(changed(pictures, NONE), pictures, atol=1e-5)
    assert torch.equal(changed(pictures, replace(Augmentation(), plain=1.0)), pictures)


@pytest.mark.parametrize("name", [one.name for one in fields(Augmentation) if one.name not in ("plain", "coarsest")])
def test_each_change_changes_pictures(pictures, name):
    """Each by itself, and each picture in another way."""
    found = changed(pictures[:1].repeat(6, 1, 1, 1), replace(NONE, **{name: getattr(Augmentation(), name) or 1.0}))

    apart = [float((found[0] - one).abs().max()) for one in found]
    assert max(apart) > 0.01
    assert float((found - pictures[:1]).abs().mean()) < 0.2


def test_pictures_are_moved_by_whole_pixels(pictures):
    """As rolling the arrays does, but for the edge, which is repeated."""
    right = move_pictures(pictures, 1, 0)
    up = move_pictures(pictures, 0, -2)

    assert torch.allclose(right[:, :, :, 1:], pictures[:, :, :, :-1], atol=1e-5)
    assert torch.allclose(right[:, :, :, 0], pictures[:, :, :, 0], atol=1e-5)
    assert torch.allclose(up[:, :, :-2], pictures[:, :, 2:], atol=1e-5)


def test_resampling_doubles_rows(pictures):
    """Brought to fewer rows and back without smoothing, some rows are there twice."""
    found = changed(pictures, replace(NONE, resampled=1.0, coarsest=40))

    doubled = (found[:, :, 1:] == found[:, :, :-1]).all(3).all(1).sum(1)
    before = (pictures[:, :, 1:] == pictures[:, :, :-1]).all(3).all(1).sum(1)
    assert (doubled > before).sum() >= 4  # half of the pictures are smoothed, and some keep all of their rows


def test_a_blur_keeps_what_is_even(pictures):
    """One colour stays as it is; a spread of nothing changes nothing."""
    even = torch.full((2, 3, 64, 64), 0.4)

    assert torch.allclose(blur_pictures(even, torch.tensor([0.5, 1.0])), even, atol=1e-6)
    assert torch.allclose(blur_pictures(pictures, torch.zeros(16)), pictures, atol=1e-6)
    assert blur_pictures(pictures, torch.ones(16)).diff(dim=3).abs().sum() < pictures.diff(dim=3).abs().sum()


@pytest.mark.parametrize("name", list(DISTURBANCES))
def test_the_changes_to_be_judged_by_are_fixed(pictures, name):
    """Each gives the same pictures each time, and other ones than were drawn."""
    once, again = DISTURBANCES[name](pictures), DISTURBANCES[name](pictures)

    assert torch.equal(once, again)
    assert torch.equal(once, pictures) == (name == "as drawn")
    assert 0 <= once.min() <= once.max() <= 1


@pytest.mark.parametrize("wrong", [{"noise": -0.1}, {"plain": 1.5}, {"coarsest": 0}, {"shift": float("nan")}])
def test_impossible_changes_are_refused(wrong):
    """With the name of the setting."""
    with pytest.raises(RecipeError, match=f"{next(iter(wrong))} must be a (whole )?number from [01] to"):
        Augmentation(**wrong)
