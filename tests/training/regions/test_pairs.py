"""Pairs that are told apart: what is counted, by hand, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deixis.errors import RecipeError
from deixis.worlds.photos.training import _pairs as pairs
from deixis.worlds.photos.training._grounding import learn_to_ground
from deixis.worlds.photos.training._pairs import KINDS, tell_apart
from tests.training.regions.small import small


if TYPE_CHECKING:
    from pathlib import Path

    import torch

    from deixis.worlds.photos.data.store import CopsRef


@pytest.mark.slow
@pytest.mark.parametrize("model", ["mattnet", "cm-att-erase"])
def test_a_model_that_has_seen_the_answers_tells_more_apart(
    model: str, photographs: CopsRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trained model tells most targets it has seen from others; counts are of what its scores say, block by block."""
    learn_to_ground(small(model, steps=120, batch_size=16, lr=0.01, eval_every=120), photographs, tmp_path)
    told = tell_apart(tmp_path / "best.safetensors", photographs, splits=("train", "test"))
    assert set(told) == {(split, kind) for split in ("train", "test") for kind in KINDS}
    assert told["train", "anywhere"].regions > 0.7
    assert told["train", "anywhere"].pairs == 60
    assert told["train", "same category"].pairs <= 60

    monkeypatch.setattr(pairs, "AT_ONCE", 7)
    assert tell_apart(tmp_path / "best.safetensors", photographs, splits=("train",)).items() <= told.items()


def test_only_what_is_closer_is_told_apart(
    photographs: CopsRef, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A region fits worse than another: not told apart; a text does not: told apart; as good as: not told apart."""
    learn_to_ground(small("mattnet", steps=1, eval_every=1), photographs, tmp_path)

    def fits(*values: torch.Tensor) -> list[torch.Tensor]:
        own = values[3].float()
        return [own, own + (own % 2), own - 1]

    monkeypatch.setattr(pairs, "_fits", fits)
    told = tell_apart(tmp_path / "best.safetensors", photographs, splits=("train",))
    assert {one.regions for one in told.values()} == {0.0}
    assert {one.texts for one in told.values()} == {1.0}


def test_a_model_without_pairs_is_refused(photographs: CopsRef, tmp_path: Path) -> None:
    """GroundeR compares the regions of an image; it says nothing of a single pair."""
    learn_to_ground(small("grounder", steps=1, eval_every=1), photographs, tmp_path)
    with pytest.raises(RecipeError, match="only mattnet, cm-att-erase do"):
        tell_apart(tmp_path / "best.safetensors", photographs)
