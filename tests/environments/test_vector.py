"""Many episodes at once do what as many single ones do."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from deixis.errors import DeixisError, SchemaError, UnknownName
from deixis.worlds.grid.environment import NAVIGATE
from deixis.worlds.grid.environment.vector import NavigateVectorEnv


FEW = 96
ROWS = 5


def make_vec(**options):
    return gymnasium.make_vec(NAVIGATE, **{"num_envs": ROWS, "episodes": FEW, **options})


def equal(one, two):
    """Whether two observations or infos hold the same, rows that say nothing aside."""
    return data_equivalence(one, two, exact=True)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("observation", ["symbolic", "objects"])
@pytest.mark.parametrize("success", ["exact", "got-there"])
def test_rows_do_what_single_environments_do(mode, observation, success):
    """Observations, rewards, ends and infos are those of Gymnasium's own vector of single environments."""
    options = {"episodes": FEW, "observation": observation, "success": success, "reward": "dense", "step_limit": 9}
    fast = make_vec(autoreset_mode=mode, **options)
    plain = SyncVectorEnv([lambda: gymnasium.make(NAVIGATE, **options)] * ROWS, autoreset_mode=mode)
    assert fast.single_observation_space == plain.single_observation_space
    assert fast.observation_space == plain.observation_space
    assert fast.action_space == plain.action_space

    one, two = fast.reset(seed=11), plain.reset(seed=11)
    assert equal(one[0], two[0])
    plain.action_space.seed(3)
    for _ in range(60):
        assert equal({key: one[-1][key] for key in two[-1] if "final" not in key}, _without_final(two[-1]))
        actions = plain.action_space.sample()
        one, two = fast.step(actions), plain.step(actions)
        assert one[0] in fast.observation_space
        for mine, theirs in zip(one[:4], two[:4], strict=True):
            assert equal(mine, theirs)
        if "final_obs" in two[4]:
            _compare_final(one[4], two[4])
        else:
            assert "final_obs" not in one[4]


def _without_final(infos):
    return {key: value for key, value in infos.items() if "final" not in key}


def _compare_final(mine, theirs):
    over = theirs["_final_obs"]
    assert np.array_equal(mine["_final_obs"], over)
    for row in np.flatnonzero(over):
        assert equal(mine["final_obs"][row], theirs["final_obs"][row])
        for key in ("action_mask", "number", "distance", "success"):
            assert np.array_equal(mine["final_info"][key][row], theirs["final_info"][key][row])


def test_without_autoreset_chosen_rows_begin_anew():
    """With autoreset disabled the rows that are over are reset by a mask, and only those."""
    envs = make_vec(autoreset_mode="DISABLED")
    envs.reset(seed=2)
    envs.step(np.array([6, 0, 0, 6, 0]))
    with pytest.raises(DeixisError, match="the episode of row 0 is over; call reset"):
        envs.step(np.zeros(ROWS, int))
    going_on = envs.batch.stage.agent[[1, 2, 4]].copy()
    envs.reset(options={"reset_mask": np.array([True, False, False, True, False])})
    assert np.array_equal(envs.batch.stage.agent[[1, 2, 4]], going_on)
    envs.step(np.zeros(ROWS, int))


def test_episodes_can_be_chosen():
    """Every row begins the episode it is told to, so that a whole split can be gone through once."""
    envs = make_vec()
    _, infos = envs.reset(options={"numbers": [9, 8, 7, 6, 5]})

    assert infos["number"].tolist() == [9, 8, 7, 6, 5]
    assert envs.instructions == tuple(envs.episodes.command(number) for number in (9, 8, 7, 6, 5))


def test_what_was_returned_stays_as_it_was():
    """By default nothing that was returned is changed by later steps; without copies the arrays are the same."""
    envs, quick = make_vec(), make_vec(copy=False)
    seen, infos = envs.reset(seed=1)
    before, mask = seen["grid"].copy(), infos["action_mask"].copy()
    for _ in range(5):
        envs.step(np.zeros(ROWS, int))
    assert np.array_equal(seen["grid"], before)
    assert np.array_equal(infos["action_mask"], mask)

    assert quick.reset(seed=1)[0]["grid"] is quick.step(np.zeros(ROWS, int))[0]["grid"]


def test_a_vector_is_rendered_row_by_row():
    """Every row is a picture, or a text."""
    envs = make_vec(render_mode="rgb_array", num_envs=2)
    envs.reset(seed=1)
    assert [picture.shape[2] for picture in envs.render()] == [3, 3]
    texts = make_vec(render_mode="ansi", num_envs=2)
    texts.reset(seed=1)
    assert [text.partition("\n")[0] for text in texts.render()] == list(texts.instructions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"observation": "rgb"}, 'observed as symbolic or objects, not as rgb; for that use vectorization_mode="sync"'),
        ({"autoreset_mode": "sometimes"}, "the autoreset_mode cannot be 'sometimes'; known: NEXT_STEP, SAME_STEP"),
        ({"render_mode": "human"}, "the render_mode of many episodes cannot be 'human'"),
        ({"num_envs": 0}, "num_envs is a whole number from 1"),
        ({"obs": "rgb"}, "the environment has no option 'obs'"),
    ],
)
def test_wrong_options_are_refused(options, message):
    """Every wrong option is named in one line."""
    with pytest.raises(DeixisError) as raised:
        make_vec(**options)

    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 0], "5 rows need as many actions"),
        ([0, 0, 0, 0, 7], "an action is a whole number from 0 to 6, got 7"),
        ([0.5] * 5, "5 rows need as many actions, got float64"),
    ],
)
def test_wrong_actions_are_refused(actions, message):
    """Actions are one number from 0 to 6 for every row."""
    envs = make_vec()
    envs.reset(seed=0)
    with pytest.raises(SchemaError, match=message):
        envs.step(np.array(actions))


def test_wrong_resets_are_refused():
    """Nothing begins before the first reset, and a reset asks for what there is."""
    envs = make_vec()
    with pytest.raises(DeixisError, match="call reset before the first step"):
        envs.step(np.zeros(ROWS, int))
    with pytest.raises(UnknownName, match=f"numbered from 0 to {FEW - 1}"):
        envs.reset(options={"numbers": [0, 0, 0, 0, FEW]})
    with pytest.raises(SchemaError, match="the numbers are 5 numbers of episodes"):
        envs.reset(options={"numbers": [0]})
    with pytest.raises(SchemaError, match="the reset_mask is an array of 5 booleans"):
        envs.reset(options={"reset_mask": [True]})
    with pytest.raises(UnknownName, match="reset has no option 'example'"):
        envs.reset(options={"example": 3})
    with pytest.raises(SchemaError, match="5 rows need as many seeds, got 2"):
        envs.reset(seed=[1, 2])


def test_gymnasium_makes_the_native_one():
    """`make_vec` gives the compiled vector, and `vectorization_mode="sync"` one of single environments."""
    assert isinstance(make_vec(), NavigateVectorEnv)
    assert isinstance(make_vec(vectorization_mode="sync", observation="text"), SyncVectorEnv)
