"""A network that learns to see together with the model that reads."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.photos.data._arrays import copsref_arrays
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.making.make import CopsRefRecipe, make_copsref
from deixis.worlds.photos.training import _grounding as grounding
from deixis.worlds.photos.training._bundles import EYES, read_grounding
from deixis.worlds.photos.training._evaluate import ground
from deixis.worlds.photos.training._features import region_features, region_table
from deixis.worlds.photos.training._grounding import learn_to_ground
from deixis.worlds.photos.training._prepare import Surroundings
from deixis.worlds.photos.training._sight import Window, shrunken_pictures, sight_of
from deixis.worlds.photos.training._tiny import TinyEyes, TinySettings, tiny_encoder
from deixis.worlds.photos.training.settings import MODELS
from tests.training.regions.small import small


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.worlds.photos.data.store import CopsRef

CPU = torch.device("cpu")
EYES_SIZES = {"side": 32, "low": 8, "high": 12}
TINY = {"features": "tiny", "eyes": EYES_SIZES, "grid": 2}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> CopsRef:
    recipe = CopsRefRecipe(seed=3, images=60, val=0.25, test=0.5, each=1, guarded=False)
    return open_copsref(make_copsref(recipe, tmp_path_factory.mktemp("drawn") / "data").path)


@pytest.mark.parametrize("model", MODELS)
def test_every_model_learns_with_eyes_and_is_judged(model: str, drawn: CopsRef, tmp_path: Path) -> None:
    """Every model takes updates that change what it sees, keeps its eyes, and answers with them."""
    learn_to_ground(small(model, **TINY, steps=2, eval_every=1), drawn, tmp_path)
    kept = read_grounding(tmp_path / "best.safetensors")
    assert set(kept.models) == {model, EYES}
    first = [name for name in kept.weights if name.startswith("eyes.early.0")]
    fresh = grounding._Grounding(small(model, **TINY), drawn, None, Surroundings(device="cpu"), grounding.silent)
    assert any(not torch.equal(kept.weights[name], fresh.sight.eyes.state_dict()[name[5:]]) for name in first)
    if model != "scan":
        found, facts = ground(tmp_path / "best.safetensors", drawn)
        assert facts["features"] == "tiny"
        assert np.isfinite(found.fit).all()


@pytest.mark.slow
def test_it_learns_by_heart_what_it_sees(drawn: CopsRef, tmp_path: Path) -> None:
    """A model that sees pixels only finds the targets of a few expressions again, and hardly without having learnt."""
    how = small("grounder", **TINY, steps=120, batch_size=16, lr=1e-2, eval_every=120, sizes={"width": 24, "joint": 24})
    course = grounding._Grounding(how, drawn, None, Surroundings(device="cpu"), grounding.silent)
    few = torch.arange(16)
    shares = []
    for update in range(how.steps):
        course.updates(update, few.numpy(), how.lr)
        shares.append(float(course.updates.reported["right"]))
    assert np.mean(shares[:3]) < 0.4
    assert np.mean(shares[-3:]) > 0.9


@pytest.mark.slow
def test_stopped_it_goes_on_to_the_same_eyes(drawn: CopsRef, tmp_path: Path) -> None:
    """A run in two parts ends with the same weights as one in one, those of the network that sees included."""
    how = small("mattnet", **TINY, steps=4, eval_every=2, mining="random", refresh_every=3)
    learn_to_ground(how, drawn, tmp_path / "whole")
    learn_to_ground(small("mattnet", **TINY, steps=2, eval_every=2, mining="random", refresh_every=3), drawn, tmp_path)
    learn_to_ground(how, drawn, tmp_path)
    whole, parts = (read_grounding(folder / "last.safetensors") for folder in (tmp_path / "whole", tmp_path))
    assert all(torch.equal(value, parts.weights[name]) for name, value in whole.weights.items())


@pytest.mark.slow
def test_a_window_shows_what_the_encoder_sees(drawn: CopsRef) -> None:
    """Some images, numbered anew, have the looks, places and neighbours that they have among all."""
    regions = copsref_arrays(drawn).regions
    eyes = TinyEyes(TinySettings(**EYES_SIZES, grid=2)).eval()
    sight = sight_of(eyes, regions, drawn, CPU)
    whole = region_table(regions, region_features(regions, tiny_encoder(eyes), CPU, dataset=drawn), CPU)
    window = Window.of(sight.table, torch.tensor([7, 2, 7, 20]))
    with torch.no_grad():
        seen = sight.encode(window)

    assert window.images.tolist() == [2, 7, 20]
    assert torch.equal(window.inside(window.rows), torch.arange(len(window.rows)))
    assert torch.equal(window.images[seen.image], whole.image[window.rows])
    some, all_of_them = seen.take(torch.arange(len(seen))), whole.take(window.rows)
    for one in fields(type(whole)):
        if one.name in ("low", "high", "pooled", "place", "alike", "near_places", "category"):
            expected = getattr(whole, one.name)[window.rows].float()
            assert torch.allclose(getattr(seen, one.name).float(), expected, atol=4e-3), one.name
    assert torch.allclose(some.near, all_of_them.near, atol=4e-3)
    assert torch.allclose(seen.whole, whole.whole[window.images].float(), atol=4e-3)


@pytest.mark.slow
def test_pictures_are_shrunk_once(drawn: CopsRef, tmp_path: Path) -> None:
    """Pictures from a file are those from memory; they are read once, and a damaged file is named."""
    regions = copsref_arrays(drawn).regions
    plain = shrunken_pictures(regions, drawn, 32)
    first = shrunken_pictures(regions, drawn, 32, cache=tmp_path)
    again = shrunken_pictures(regions, drawn, 32, cache=tmp_path, progress=lambda *_: pytest.fail("it reads again"))
    assert np.array_equal(plain, first)
    assert np.array_equal(plain, again)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(BrokenDataset, match="damaged"):
        shrunken_pictures(regions, drawn, 32, cache=tmp_path)


def test_eyes_that_cannot_be_are_refused(drawn: CopsRef, tmp_path: Path) -> None:
    """Sizes that nobody knows or that make no sense are named, and a model with eyes begins with one that has them."""
    with pytest.raises(RecipeError, match="no size 'wide' of tiny"):
        learn_to_ground(small("grounder", features="tiny", eyes={"wide": 3}), drawn, tmp_path)
    with pytest.raises(RecipeError, match="multiple of 16"):
        learn_to_ground(small("grounder", features="tiny", eyes={"side": 20}), drawn, tmp_path)
    with pytest.raises(RecipeError, match="eyes are for tiny only"):
        small("grounder", eyes={"side": 32})
    learn_to_ground(small("grounder", steps=1), drawn, tmp_path / "blind")
    with pytest.raises(RecipeError, match="other features"):
        learn_to_ground(small("grounder", **TINY), drawn, tmp_path, begin=tmp_path / "blind" / "best.safetensors")
