"""The reference game: PettingZoo's own checks, what each agent sees, and what is earned."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from deixis.errors import DeixisError, SchemaError, UnknownName
from deixis.worlds.rooms.draw import draw_room
from deixis.worlds.rooms.environment import REFERENCE_GAME
from deixis.worlds.rooms.environment.agents import choose_action, say
from deixis.worlds.rooms.environment.game import (
    LISTENER,
    SPEAKER,
    ParallelReferenceGame,
    ReferenceGame,
    env,
    parallel_env,
)
from deixis.worlds.rooms.scene import factors_of
from deixis.worlds.rooms.vocabulary import vocabulary


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what PettingZoo says about its own old games when it is imported
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

WORDS = vocabulary("natural")
KINDS = [
    {},
    {"speech": "caption", "candidates": 4, "rounds": 3},
    {"observation": "image", "cost": 0.05, "candidates": 3},
]
# What PettingZoo says about any game whose agents have a mask or see different things.
USUAL = (
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Agents have different observation space sizes",
    "ignore:Action mask is a single number",
)


def usual(function):
    for line in USUAL:
        function = pytest.mark.filterwarnings(line)(function)
    return function


@usual
@pytest.mark.parametrize("options", KINDS)
def test_pettingzoo_finds_nothing_to_complain_about(options, capsys):
    """Both forms of the game pass PettingZoo's checks."""
    api_test(env(**options), num_cycles=60)
    parallel_api_test(parallel_env(**options), num_cycles=60)


@usual
@pytest.mark.parametrize("options", KINDS[:2])
def test_games_follow_from_the_seed(options):
    """Two games with one seed are the same, by PettingZoo's own check; another seed shows other rooms."""
    seed_test(lambda: env(**options), num_cycles=60)
    if options.get("speech") == "caption":  # the check takes any action, allowed or not
        parallel_seed_test(lambda: parallel_env(**options), num_cycles=60)
    game = env(**options)
    rooms = []
    for seed in (1, 1, 2):
        game.reset(seed=seed)
        rooms.append(game.game.images.tolist())
    assert rooms[0] == rooms[1] != rooms[2]


def play(game, act):
    """Play an episode to its end; what each agent earned."""
    earned = dict.fromkeys((SPEAKER, LISTENER), 0.0)
    for agent in game.agent_iter():
        seen, reward, terminated, truncated, _ = game.last()
        earned[agent] += reward
        game.step(None if terminated or truncated else act(agent, seen))
    return earned


def test_agents_that_know_what_words_mean_always_succeed():
    """Where captions can tell the rooms apart, the brief speaker and the literal listener earn all there is."""
    game = env(candidates=3, rounds=40, cost=0.01)
    game.reset(seed=5)
    lengths = []

    def act(agent, seen):
        action = choose_action(agent, seen)
        if agent == LISTENER:
            lengths.append(len(game.game.said))
        return action

    earned = play(game, act)

    assert earned[SPEAKER] == earned[LISTENER] == pytest.approx(40 - 0.01 * sum(lengths))
    assert len(lengths) == 40


def test_chance_succeeds_as_often_as_there_are_candidates():
    """A listener that always takes the first place is right once in four: places are shuffled."""
    game = env(candidates=4, rounds=400, speech="caption")
    game.reset(seed=1)
    earned = play(game, lambda _agent, _seen: 0)

    assert 0.15 < earned[LISTENER] / 400 < 0.35


def test_each_agent_sees_the_same_rooms_in_its_own_order():
    """The speaker has the target first; the listener has its own order, and hears what was said."""
    game = env(candidates=4)
    game.reset(seed=9)
    speaker, listener = game.observe(SPEAKER), game.observe(LISTENER)
    images, order = game.game.images, game.game.order
    assert np.array_equal(speaker["observation"], factors_of(images))
    assert np.array_equal(listener["observation"], factors_of(images[order]))

    word = say(speaker)
    game.step(word)
    heard = game.observe(LISTENER)["words"]
    assert heard[0] == word
    assert (heard[1:] == WORDS.numbers[WORDS.padding]).all()


def test_pictures_are_those_of_the_rooms():
    """Images stand side by side in the order of the agent."""
    game = env(observation="image", candidates=2)
    game.reset(seed=3)
    seen = game.observe(SPEAKER)["observation"]

    assert np.array_equal(seen[:, :64], draw_room(int(game.game.images[0])))
    assert seen in game.observation_space(SPEAKER)["observation"]


def test_a_caption_ends_by_itself():
    """After so many words the listener picks, whether or not the caption was ended."""
    game = env(most_words=2)
    game.reset(seed=3)
    game.step(WORDS.numbers["a"])
    assert game.agent_selection == SPEAKER
    game.step(WORDS.numbers["red"])
    assert game.agent_selection == LISTENER


def test_both_forms_are_one_game():
    """Played with the same actions, both forms earn the same."""
    turns, both = env(rounds=3, cost=0.02), parallel_env(rounds=3, cost=0.02)
    turns.reset(seed=4)
    earned = play(turns, choose_action)[LISTENER]
    seen, _ = both.reset(seed=4)
    total = 0.0
    while both.agents:
        seen, rewards, _, _, _ = both.step({agent: choose_action(agent, seen[agent]) for agent in both.agents})
        total += rewards[LISTENER]

    assert total == pytest.approx(earned)


def test_pettingzoo_knows_both_forms():
    """Since PettingZoo has a registry, both forms are found there under one name."""
    pettingzoo = pytest.importorskip("pettingzoo", minversion="1.27")

    assert isinstance(pettingzoo.make("aec", REFERENCE_GAME, candidates=3), ReferenceGame)
    assert isinstance(pettingzoo.make("parallel", REFERENCE_GAME), ParallelReferenceGame)


def test_games_are_rendered():
    """As text with the target marked, or as a picture of all rooms."""
    text, picture = env(render_mode="ansi"), env(render_mode="rgb_array", candidates=3)
    text.reset(seed=1)
    picture.reset(seed=1)

    assert text.render().count("(the target)") == 1
    assert picture.render().shape == (128, 3 * 128, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"candidates": 1}, "the number of candidates is a whole number from 2 to 16, got 1"),
        ({"observation": "sound"}, "the observation cannot be 'sound'; known: factors, image"),
        ({"speech": "song"}, "the speech cannot be 'song'; known: words, caption"),
        ({"shared": ("smell",)}, "rooms have no factor 'smell'"),
        ({"shared": "shape"}, "the shared factors are a list of names"),
        ({"shared": 9}, "images can share from 0 to 6 factors, got 9"),
        ({"cost": -1}, "the cost of a word is a number from 0 to 1"),
        ({"round": 2}, "the game has no option 'round'; did you mean 'rounds'?"),
        ({"render_mode": "film"}, "the render_mode cannot be 'film'; known: ansi, rgb_array"),
    ],
)
def test_wrong_options_are_refused(options, message):
    """Every wrong option is named in one line."""
    with pytest.raises(DeixisError) as raised:
        env(**options)

    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_wrong_actions_are_refused():
    """What the mask rules out cannot be done, nor anything once the game is over."""
    game = env()
    game.reset(seed=0)
    for action in (WORDS.numbers["PAD"], WORDS.numbers["END"], 999, "red"):
        with pytest.raises(SchemaError, match="the action_mask says what it can"):
            game.step(action)
    both = parallel_env(speech="caption")
    with pytest.raises(DeixisError, match="call reset before"):
        both.step({SPEAKER: 0, LISTENER: 0})
    both.reset(seed=0)
    with pytest.raises(SchemaError, match="it is the turn of speaker_0"):
        both.step({LISTENER: 0})
    with pytest.raises(UnknownName, match="there is no agent 'judge_0'"):
        both.action_space("judge_0")
    with pytest.raises(SchemaError, match='make the game with observation="factors"'):
        say({"observation": np.zeros((64, 128, 3)), "words": np.zeros(3)})
