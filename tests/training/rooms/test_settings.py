from __future__ import annotations

from dataclasses import replace

import pytest

from deixis.errors import RecipeError
from deixis.worlds.rooms.training.settings import Captioning, Game


@pytest.mark.parametrize("record", [Captioning, Game])
def test_what_is_not_said_is_the_default(record):
    """And what is said is taken."""
    assert record.read({}) == record()
    assert record.read({"batch_size": 7}) == record(batch_size=7)


@pytest.mark.parametrize(
    ("record", "values", "complaint"),
    [
        (Captioning, {"widht": 3}, "there is no setting 'widht'.*width"),
        (Captioning, {"pairs": "random"}, "there is no setting 'pairs'"),
        (Captioning, {"captions": 21}, "captions must be a whole number from 1 to 20, got 21"),
        (Captioning, {"forcing": "never"}, "unknown forcing 'never'; known: always, halved"),
        (Game, {"steps": 0}, "steps must be a whole number"),
        (Game, {"steps": True}, "steps must be a whole number"),
        (Game, {"batch_size": "many"}, "batch_size must be a whole number"),
        (Game, {"lr": 0}, "lr must be a number"),
        (Game, {"lr": float("nan")}, "lr must be a number"),
        (Game, {"structure": 1.5}, "structure must be a number from 0 to 1, got 1.5"),
        (Game, {"entropy": [1]}, "entropy must be a number"),
        (Game, {"objective": "reinforced"}, "unknown objective 'reinforced'"),
        (Game, {"listener": ["joint"]}, "unknown listener"),
    ],
)
def test_settings_that_cannot_be_are_told(record, values, complaint):
    """With the values that can."""
    with pytest.raises(RecipeError, match=complaint):
        record.read(values)


def test_a_digest_names_the_way():
    """How far and how often one looks is no part of it; everything else is."""
    assert Game().digest == Game(steps=3, eval_every=2, save_every=1, log_every=9).digest
    assert len({Game().digest, Game(seed=1).digest, Game(kl=0.1).digest, Captioning().digest}) == 4
    assert replace(Captioning(), width=8).digest != Captioning().digest
