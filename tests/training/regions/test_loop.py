"""Learning: the same weights whether or not it was stopped, stages, mining, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import torch
from torch import nn

from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.worlds.photos.training import _grounding as grounding
from deixis.worlds.photos.training import _prepare as preparation
from deixis.worlds.photos.training._bundles import build, read_grounding, sizes_of
from deixis.worlds.photos.training._evaluate import ground
from deixis.worlds.photos.training._grounding import learn_to_ground
from deixis.worlds.photos.training._mining import TRIES, mine
from deixis.worlds.photos.training._prepare import Shelf, Surroundings
from deixis.worlds.photos.training.settings import MODELS, RECORDED, grounding_of
from tests.training.regions.small import small


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.worlds.photos.data.store import CopsRef

LAST, BEST = "last.safetensors", "best.safetensors"


@pytest.mark.parametrize("model", MODELS)
def test_every_model_learns_and_is_kept(model: str, photographs: CopsRef, tmp_path: Path) -> None:
    """Every model takes its updates, looks at val, and leaves its best weights behind."""
    facts = learn_to_ground(small(model), photographs, tmp_path)
    assert facts["steps"] == 6
    assert facts["best"]["step"] in (3, 6)
    assert set(facts["dev"]) == {"Full", "WithoutDist"}
    assert list(read_grounding(tmp_path / BEST).models) == [model]


@pytest.mark.parametrize("strategy", ["random", "class-aware", "sentence-sim", "module-specific"])
def test_stopped_while_mining_it_goes_on_to_the_same_weights(
    strategy: str, photographs: CopsRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was mined for updates to come is kept with the weights, so a stop between two refreshes changes nothing."""
    how = small("mattnet", steps=9, mining=strategy, first_stage=2, refresh_every=4, repeats=2, save_every=1)
    learn_to_ground(how, photographs, tmp_path / "whole")
    take, taken = grounding.Updates.__call__, 0

    def stop(self, update, rows, rate):
        nonlocal taken
        taken += 1
        if taken == 5:
            raise OSError("the power is gone")
        take(self, update, rows, rate)

    with monkeypatch.context() as patch:
        patch.setattr(grounding.Updates, "__call__", stop)
        with pytest.raises(OSError, match="power"):
            learn_to_ground(how, photographs, tmp_path / "parts")
    learn_to_ground(how, photographs, tmp_path / "parts")
    whole, parts = (read_grounding(tmp_path / name / LAST) for name in ("whole", "parts"))
    for name, weights in whole.weights.items():
        assert torch.equal(weights, parts.weights[name]), name
    assert torch.equal(whole.memory["kept/mined"], parts.memory["kept/mined"])


def test_nothing_is_mined_or_erased_in_the_first_stage(
    photographs: CopsRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log speaks of mining from the second stage on, and erasing is switched on there."""
    learn_to_ground(small("mattnet", steps=4, first_stage=2, mining="random"), photographs, tmp_path / "mine")
    lines = [json.loads(line) for line in (tmp_path / "mine" / "log.jsonl").read_text().splitlines()]
    assert ["mined" in line for line in lines if "loss" in line] == [False, False, True, True]
    erases = []
    before = grounding._Grounding.prepare

    def told(self, step):
        rows = before(self, step)
        erases.append(self.model.erases)
        return rows

    monkeypatch.setattr(grounding._Grounding, "prepare", told)
    learn_to_ground(small("cm-att-erase", steps=4, first_stage=2), photographs, tmp_path / "erase")
    assert erases == [False, False, True, True]


def test_only_the_second_stage_is_chosen_from(photographs: CopsRef, tmp_path: Path) -> None:
    """Weights of the first stage are never the best, however good they are."""
    facts = learn_to_ground(small("mattnet", first_stage=3, mining="random"), photographs, tmp_path)
    assert facts["best"]["step"] == 6


def test_it_begins_with_another_run(photographs: CopsRef, tmp_path: Path) -> None:
    """A second stage may begin with the weights of a run; one of another model, or of other features, is refused."""
    learn_to_ground(small("mattnet"), photographs, tmp_path / "first")
    begin = tmp_path / "first" / BEST
    how = small("mattnet", mining="module-specific", lr=1e-9)
    learn_to_ground(how, photographs, tmp_path / "second", begin=begin)
    first, second = read_grounding(begin), read_grounding(tmp_path / "second" / LAST)
    name = (
        "mattnet.language.word.weight" if "mattnet.language.word.weight" in first.weights else next(iter(first.weights))
    )
    assert torch.allclose(first.weights[name], second.weights[name], atol=1e-6)
    with pytest.raises(RecipeError, match="begin with mattnet, but grounder"):
        learn_to_ground(small("grounder"), photographs, tmp_path / "third", begin=begin)
    with pytest.raises(RecipeError, match="other features"):
        learn_to_ground(small("mattnet", noise=0.5), photographs, tmp_path / "fourth", begin=begin)


def test_a_run_that_begins_with_another_takes_other_weights_of_losses(photographs: CopsRef, tmp_path: Path) -> None:
    """Sizes that change no tensor are as asked for, all others as before; those that change tensors are refused."""
    learn_to_ground(small("mattnet", sizes={"width": 8, "margin": 0.2}), photographs, tmp_path / "first")
    begin = tmp_path / "first" / BEST
    how = small("mattnet", mining="random", sizes={"mined_weight": 0.25})
    learn_to_ground(how, photographs, tmp_path / "second", begin=begin)

    held = read_grounding(tmp_path / "second" / BEST).models["mattnet"]
    assert (held["width"], held["margin"], held["mined_weight"]) == (8, 0.2, 0.25)
    with pytest.raises(RecipeError, match="weights of other sizes"):
        learn_to_ground(small("mattnet", sizes={"width": 12}), photographs, tmp_path / "third", begin=begin)


def test_a_shelf_saves_work_and_changes_nothing(
    photographs: CopsRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trainings that share what is prepared end as they do alone, and the dataset is read once."""
    hows = [small("mattnet"), small("mattnet", category_noise=0.5), small("grounder")]
    for number, how in enumerate(hows):
        learn_to_ground(how, photographs, tmp_path / f"alone-{number}")
    read: list[str] = []
    real = preparation.copsref_arrays
    monkeypatch.setattr(preparation, "copsref_arrays", lambda *given: read.append("once") or real(*given))
    around = Surroundings(shelf=Shelf())
    for number, how in enumerate(hows):
        learn_to_ground(how, photographs, tmp_path / f"shelf-{number}", around=around)
        alone, beside = (read_grounding(tmp_path / f"{kind}-{number}" / LAST) for kind in ("alone", "shelf"))
        assert all(torch.equal(one, beside.weights[name]) for name, one in alone.weights.items())
    ground(tmp_path / "shelf-0" / BEST, photographs, around=around)
    assert read == ["once"]


def test_what_is_true_of_the_target_is_not_mined(photographs: CopsRef, tmp_path: Path) -> None:
    """With the scene graphs asked, whatever is mined is false of the target, unless all that was drawn is true."""
    course = grounding._Grounding(
        small("mattnet", mining="class-aware", exclude_true=True, exclude_same_image=False),
        photographs,
        None,
        grounding.Surroundings(),
        grounding.silent,
    )
    truth, category = course.truth, course.lessons.category
    assert truth is not None
    everyone = torch.arange(course.rows)
    assert truth(everyone.numpy(), everyone.numpy()).all()  # every expression is true of its own target
    found = mine(course.training, course.pool, everyone, is_true=truth)
    for row, others in enumerate(found.tolist()):
        kind = (category == category[row]).nonzero()[:, 0]
        kind = kind[kind != row]
        own = torch.full_like(kind, row).numpy()
        fair = ~(truth(kind.numpy(), own) | truth(own, kind.numpy()))
        if fair.any() and len(kind) <= TRIES:  # all of them are tried
            assert set(others) <= set(kind[fair].tolist())


def test_a_folder_with_another_run_is_refused(photographs: CopsRef, tmp_path: Path) -> None:
    """A run goes on with its own settings only."""
    learn_to_ground(small("grounder"), photographs, tmp_path)
    with pytest.raises(RecipeError, match="lr"):
        learn_to_ground(small("grounder", lr=0.01, steps=9), photographs, tmp_path)
    assert learn_to_ground(small("grounder"), photographs, tmp_path)["was finished"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"probe": "blind"}, "unknown probe 'blind'"),
        ({"mining": "hard"}, "unknown mining"),
        ({"precision": "bf16"}, "unknown precision"),
        ({"anywhere": 1.5}, "anywhere must be a number from 0 to 1"),
        ({"batch_size": 1}, "batch_size must be a whole number"),
        ({"lr": float("nan")}, "lr must be a number"),
        ({"betas": (0.9, 1.0)}, "betas must be a number of at least 0 and below 1"),
        ({"exclude_true": 1}, "true or false"),
        ({"speed": 2}, "no setting 'speed'"),
        ({"sizes": 3}, "table of names"),
    ],
)
def test_impossible_settings_are_refused(changes: dict[str, object], said: str) -> None:
    """A setting that is not known or not possible is named."""
    with pytest.raises(RecipeError, match=said):
        grounding_of("mattnet", changes)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("model", RECORDED)
def test_recorded_updates_learn_the_same_on_a_gpu(model: str, photographs: CopsRef, tmp_path: Path) -> None:
    """Through both stages, whether mined or erased, every loss is what it is without recording."""
    changes = {"steps": 12, "first_stage": 5, "save_every": 4}
    changes |= {"mining": "class-aware", "refresh_every": 3} if model == "mattnet" else {}
    losses = []
    for record in (False, True):
        learn_to_ground(small(model, record=record, **changes), photographs, tmp_path / str(record))
        log = (tmp_path / str(record) / "log.jsonl").read_text(encoding="utf-8").splitlines()
        losses.append([line["loss"] for line in map(json.loads, log) if "loss" in line])

    assert len(losses[0]) == 12
    assert losses[1] == pytest.approx(losses[0], rel=1e-3)


def test_updates_are_recorded_where_their_shape_stays_the_same() -> None:
    """That of MattNet and of CM-Att-Erase does, unless they learn to see; whoever wants to can do without."""
    assert {model for model in MODELS if grounding_of(model).is_recorded} == set(RECORDED)
    assert not grounding_of("mattnet", {"features": "tiny"}).is_recorded
    assert not grounding_of("mattnet", {"record": False}).is_recorded


def test_products_have_the_precision_that_was_asked_for_only_while_learning(
    photographs: CopsRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TF32 while updates are taken, and what was there before afterwards; by default on a CPU no TF32."""
    seen: list[str] = []
    take = grounding.Updates.__call__

    def watched(self, update, rows, rate):
        seen.append(torch.get_float32_matmul_precision())
        take(self, update, rows, rate)

    monkeypatch.setattr(grounding.Updates, "__call__", watched)
    before = torch.get_float32_matmul_precision()
    for precision in ("tf32", "fp32", "auto"):
        learn_to_ground(
            small("grounder", steps=1, precision=precision),
            photographs,
            tmp_path / precision,
            around=Surroundings(device="cpu"),
        )
    assert seen == ["high", "highest", "highest"]
    assert torch.get_float32_matmul_precision() == before


def test_only_what_can_mine_mines() -> None:
    """A model without phrases for modules cannot mine, and one that reads no words cannot be probed."""
    with pytest.raises(RecipeError, match="cannot mine"):
        grounding_of("grounder", {"mining": "random"})
    with pytest.raises(RecipeError, match="no probe"):
        grounding_of("tree", {"probe": "deaf"})
    with pytest.raises(RecipeError, match="mattnet"):
        grounding_of("matnet")


def test_the_rate_falls_as_published() -> None:
    """MattNet's rate stays for 8,000 updates and is a tenth after 16,000; the second stage begins anew."""
    how = grounding_of("mattnet", {"first_stage": 20_000})
    assert how.lr_at(8_000) == 4e-4
    assert how.lr_at(12_000) == pytest.approx(4e-4 * 0.1**0.5)
    assert how.lr_at(16_000) == pytest.approx(4e-5)
    assert how.lr_at(20_000) == 4e-4
    scan = grounding_of("scan")
    assert scan.lr_at(scan.decay_from - 1) == 2e-4
    assert scan.lr_at(scan.decay_from) == pytest.approx(2e-5)


def test_sizes_come_from_data_settings_and_paper() -> None:
    """What the data demand cannot be said otherwise, and unknown sizes are named."""
    sizes = sizes_of("mattnet", {"low": 4, "high": 6, "attributes": 2}, {"width": 8})
    assert (sizes["low"], sizes["high"], sizes["width"], sizes["margin"]) == (4, 6, 8, 0.1)
    with pytest.raises(RecipeError, match="follows from the data"):
        sizes_of("mattnet", {"high": 6}, {"high": 8})
    with pytest.raises(RecipeError, match="did you mean 'width'"):
        sizes_of("mattnet", {}, {"widht": 8})
    with pytest.raises(BrokenCheckpoint, match="cannot be built"):
        build("mattnet", {"width": 10**9}, ("<pad>", "<unknown>"))
    with pytest.raises(BrokenCheckpoint, match="no model"):
        build("magic", {}, ("<pad>", "<unknown>"))
    assert isinstance(build("mattnet", sizes, ("<pad>", "<unknown>", "cat")), nn.Module)
