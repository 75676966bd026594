from __future__ import annotations

from dataclasses import replace

import pytest

from deixis.worlds.rooms.training._game import play_games
from deixis.worlds.rooms.training.settings import Game
from tests.training.rooms.made import HERE, fresh_speaker, log_of, two_factors


HOW = Game(
    steps=100,
    batch_size=128,
    lr=0.01,
    structure=0.0,
    entropy=0.01,
    reward="probability",
    eval_every=50,
    log_every=5,
    save_every=100,
)


@pytest.fixture
def understood(tmp_path):
    """Lets players that know nothing play in a world of two factors; how often the target is found in other pairs."""
    speaker = fresh_speaker(tmp_path / "speaker.safetensors", width=32)

    def play(how: Game) -> float:
        out = tmp_path / how.objective
        found = play_games(how, speaker, out, eyes=HERE, contexts=two_factors(2))
        return float(found["dev"]["listener"])

    return play


def test_players_learn_to_understand_each_other(understood, tmp_path):
    """From chance to nine in ten and more, without a single caption to learn from: shapes and hues, two words."""
    found = understood(HOW)

    assert log_of(tmp_path / "reinforce")[0]["success"] < 0.65
    assert found > 0.9


@pytest.mark.parametrize("fault", ["inverted", "severed"])
def test_with_a_faulty_objective_they_do_not(understood, fault):
    """Where success is punished, or has no gradient, the same players stay near chance."""
    assert understood(replace(HOW, objective=fault)) < 0.75


def test_mixed_words_also_lead_there(understood):
    """The other way to let success reach the speaker."""
    assert understood(replace(HOW, objective="gumbel")) > 0.9
