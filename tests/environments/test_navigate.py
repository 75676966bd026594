"""The environment of one episode: the checks of Gymnasium, what is seen, what is earned, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics

from deixis.environments import register_environments
from deixis.errors import BrokenDataset, DeixisError, RecipeError, SchemaError, UnknownName
from deixis.worlds.grid._batches import encode_grids
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.environment import NAVIGATE
from deixis.worlds.grid.environment.agents import oracle, play, random_agent
from deixis.worlds.grid.environment.navigate import STOP
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import reascan
from deixis.worlds.grid.scene import GridBatch


FEW = 96


def make_env(**options):
    few = {} if options.get("data") is not None else {"episodes": FEW}  # a dataset has its own
    return gymnasium.make(NAVIGATE, **{**few, **options})


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    """A small dataset on disk."""
    recipe = reascan(mode="compatible", seed=3)
    few = tuple(replace(pool, commands=12, worlds=2) for pool in recipe.pools)
    return make(replace(recipe, pools=few, tests=(), hold_out=()), tmp_path_factory.mktemp("data") / "few", workers=1)


@pytest.mark.parametrize("observation", ["symbolic", "objects", "rgb", "text"])
@pytest.mark.parametrize("reward", ["sparse", "dense"])
def test_gymnasium_finds_nothing_to_complain_about(observation, reward, capsys):
    """Every kind of observation passes Gymnasium's own checks, rendering included, without a warning."""
    check_env(make_env(observation=observation, reward=reward).unwrapped)
    for mode in ("rgb_array", "ansi", "human"):
        env = make_env(observation=observation, render_mode=mode)
        env.reset(seed=0)
        env.step(0)
        env.render()
        env.close()


def test_a_seed_chooses_the_episodes():
    """Two environments with one seed play the same episodes, another seed plays others."""
    one, two = make_env(), make_env()
    numbers = [[one.reset(seed=s)[1]["number"], *(one.reset()[1]["number"] for _ in range(9))] for s in (5, 6)]

    assert numbers[0] == [two.reset(seed=5)[1]["number"], *(two.reset()[1]["number"] for _ in range(9))]
    assert numbers[0] != numbers[1]
    assert len(set(numbers[0])) > 1


def test_worlds_follow_from_the_seed_of_the_recipe():
    """The same seed makes the same worlds, another makes others."""
    worlds = [make_env(world_seed=seed).unwrapped.episodes.asked.ids for seed in (1, 1, 2)]

    assert len(worlds[0]) == FEW
    assert np.array_equal(worlds[0], worlds[1])
    assert not np.isin(worlds[0], worlds[2]).all()


@pytest.mark.parametrize("channels", [17, 25])
def test_the_grid_is_what_models_see(channels):
    """At every step the planes are those that `encode_grids` gives for the world as it is."""
    env = make_env(channels=channels)
    choose = random_agent(1)
    for number in range(20):
        seen, info = env.reset(options={"number": number})
        for _ in range(30):
            scene = env.unwrapped.scene
            agent = np.array([[scene.agent.row, scene.agent.column, scene.agent.facing]])
            assert np.array_equal(seen["grid"], encode_grids(GridBatch.of([scene]), agent, channels=channels)[0])
            seen, _, terminated, _, info = env.step(choose(env, info))
            if terminated:
                break


def test_words_have_the_numbers_of_the_language_or_of_a_model():
    """Words are numbered from 1 in a given order; what follows the command is 0."""
    env = make_env()
    words = tuple(sorted({word for said in env.unwrapped.episodes.asked.commands for word in said.text.split()}))
    known = make_env(words=words[::-1], longest_command=40)
    seen, _ = known.reset(options={"number": 3})
    said = env.unwrapped.episodes.command(3).split()

    assert seen["words"].shape == (40,)
    assert [words[::-1][number - 1] for number in seen["words"] if number] == said
    assert not seen["words"][len(said) :].any()


@pytest.mark.parametrize("success", ["exact", "manner", "got-there"])
@pytest.mark.parametrize("ends", ["stop", "goal"])
def test_the_oracle_always_succeeds(success, ends):
    """Whoever follows the plan earns 1 in every episode, whatever counts as success, and only takes allowed actions."""
    env = make_env(success=success, ends=ends)
    for number in range(FEW):
        done = play(env, oracle, options={"number": number})
        assert done.success
        assert sum(done.rewards) == 1.0
        assert not done.truncated


def test_the_oracle_takes_allowed_actions_only():
    """No plan holds an action that the mask rules out."""
    env = make_env()
    for number in range(FEW):
        _, info = env.reset(options={"number": number})
        over = False
        while not over:
            action = oracle(env, info)
            assert info["action_mask"][action] == 1
            _, _, over, _, info = env.step(action)


def test_chance_rarely_succeeds():
    """An agent that does anything hardly ever does what was asked for."""
    env = make_env()
    choose = random_agent(7)

    assert np.mean([play(env, choose, options={"number": number}).success for number in range(FEW)]) < 0.2


def test_progress_adds_up_to_the_same_for_everybody():
    """Undiscounted, what is earned for coming nearer sums to 1 in every episode that ends, whoever plays it."""
    env = RecordEpisodeStatistics(make_env(reward="dense"))
    choose = random_agent(2)
    for number in range(FEW):
        far = env.reset(options={"number": number})[1]["distance"]
        done = play(env, choose, options={"number": number})
        if not done.truncated:
            assert sum(done.rewards) == pytest.approx(done.success + (1.0 if far else 0.0))


def test_an_episode_is_cut_short():
    """After so many actions an episode is truncated, not terminated, and then takes no more steps."""
    env = make_env(step_limit=5).unwrapped
    env.reset(seed=1)
    ends = [env.step(0)[2:4] for _ in range(5)]

    assert ends == [(False, False)] * 4 + [(False, True)]
    with pytest.raises(DeixisError, match="is over; call reset"):
        env.step(0)


def test_stopping_at_once_is_right_only_where_nothing_is_to_be_done():
    """Stopping ends an episode; it succeeds where the agent already stands where it should."""
    env = make_env()
    for number in range(FEW):
        env.reset(options={"number": number})
        _, reward, terminated, truncated, info = env.step(STOP)
        assert terminated
        assert not truncated
        assert info["success"] == (not env.unwrapped.episodes.plan(number)) == bool(reward)


def test_a_dataset_at_an_address_is_played(dataset, tmp_path, monkeypatch):
    """As by every verb, an address is fetched and not taken for a folder called s3:."""
    monkeypatch.setenv("DEIXIS_CACHE", str(tmp_path))

    env = make_env(data=f"file://{dataset.path.resolve()}", split="train")

    assert len(env.unwrapped.episodes) == len(make_env(data=dataset.path, split="train").unwrapped.episodes)
    with pytest.raises(DeixisError, match="no storage called nosuch://"):
        make_env(data="nosuch://bucket/data")


def test_a_dataset_is_played(dataset):
    """The episodes of a stored split are its examples, and one of them can be asked for by its id."""
    env = make_env(data=str(dataset.path), split="train")
    examples = [open_source(dataset.path).example(number, "train") for number in range(5)]
    for number, example in enumerate(examples):
        _, info = env.reset(options={"example": example.id})
        assert info["number"] == number
        assert env.unwrapped.instruction == example.text
        assert env.unwrapped.scene == example.scene
        assert env.unwrapped.episodes.plan(number) == example.plan
        assert env.unwrapped.episodes.manner(number) == example.manner
        assert env.unwrapped.episodes.verb(number) == example.verb


def test_held_out_worlds_are_kept_out_of_training():
    """Fresh worlds of `train` have nothing that the recipe holds out; those of a hold-out have nothing else."""
    kept = make_env(split="a1", episodes=24).unwrapped.episodes
    train = make_env(split="train").unwrapped.episodes

    assert len(kept) == 24
    assert all("yellow square" in kept.command(number) for number in range(len(kept)))
    assert not any("yellow square" in train.command(number) for number in range(len(train)))


def test_pictures_of_one_environment_are_equally_large():
    """Rendered pictures have one shape whatever the length of the command, and pointing out the target changes them."""
    env, pointing = make_env(render_mode="rgb_array"), make_env(render_mode="rgb_array", point_out=True)
    pictures = []
    for number in range(12):
        env.reset(options={"number": number})
        pointing.reset(options={"number": number})
        pictures.append(env.render())
        assert not np.array_equal(pictures[-1], pointing.render())

    assert {picture.shape for picture in pictures} == {pictures[0].shape}
    assert pictures[0].dtype == np.uint8


def test_a_terminal_shows_the_board(capsys):
    """`human` clears the terminal and draws; `ansi` gives the same words without colours."""
    env = make_env(render_mode="human")
    env.reset(seed=4)
    shown = capsys.readouterr().out
    text = make_env(render_mode="ansi")
    text.reset(seed=4)

    assert shown.startswith("\x1b[H\x1b[2J")
    assert text.render().startswith(text.unwrapped.instruction)
    assert "\x1b" not in text.render()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"observation": "pixels"}, UnknownName, "the observation cannot be 'pixels'; known: symbolic, objects, rgb"),
        ({"success": "nearly"}, UnknownName, "the success cannot be 'nearly'"),
        ({"reward": "big"}, UnknownName, "known: sparse, dense"),
        ({"channels": 3}, UnknownName, "the channels cannot be 3; known: 17, 25"),
        ({"rewards": "dense"}, UnknownName, "no option 'rewards'; did you mean 'reward'?"),
        ({"discount": 2}, SchemaError, "the discount is a number from 0 to 1"),
        ({"discount": float("nan")}, SchemaError, "the discount is a number from 0 to 1"),
        ({"step_limit": 0}, SchemaError, "the step_limit is a whole number from 1"),
        ({"words": ("walk",)}, UnknownName, "is not among the 1 words"),
        ({"words": "walk"}, SchemaError, "the words are a list of texts"),
        ({"longest_command": 2}, SchemaError, "there is room for 2; set longest_command higher"),
        ({"cell": 3}, SchemaError, "a cell must be 16 to 512 pixels wide"),
        ({"split": "b7"}, UnknownName, "the recipe makes no split 'b7'"),
        ({"split": "b1"}, RecipeError, "the split 'b1' depends on all training commands; run `deixis make`"),
        ({"split": 7}, UnknownName, "a split has a name, got 7"),
        ({"data": "nowhere"}, BrokenDataset, "there is no file or folder"),
        ({"data": 3}, BrokenDataset, "data is the path of a dataset, got 3"),
        ({"data": "x", "episodes": 3}, RecipeError, "leave out episodes"),
        ({"data": "x", "world_seed": 3}, RecipeError, "from a dataset or from a recipe, not from both"),
        ({"recipe": 3}, RecipeError, "a recipe is a Recipe, the path of one, or its keys"),
        ({"recipe": "nowhere.toml"}, RecipeError, "cannot read the recipe nowhere.toml"),
        ({"recipe": {"mode": "odd"}}, RecipeError, "unknown mode 'odd'"),
        ({"episodes": 0}, RecipeError, "episodes must be a whole number from 1"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(options, error, message):
    """Every wrong option is named in one line that says what there is."""
    with pytest.raises(error) as raised:
        make_env(**options)

    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_wrong_render_mode_is_refused():
    """An unknown way to render is named with the known ones."""
    from deixis.worlds.grid.environment.navigate import NavigateEnv

    with pytest.raises(UnknownName, match="the render_mode cannot be 'film'; known: human, rgb_array, ansi"):
        NavigateEnv(render_mode="film")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"example": 1}, "there is no example 1 in"),
        ({"example": "first"}, "examples are named by their id, a whole number"),
        ({"number": FEW}, f"numbered from 0 to {FEW - 1}, got {FEW}"),
        ({"room": 1}, "reset has no option 'room'; known: example, number"),
    ],
)
def test_an_unknown_episode_is_refused(options, message):
    """Asking for an episode that is not there says what is."""
    with pytest.raises(UnknownName, match=message):
        make_env().reset(options=options)


@pytest.mark.parametrize("action", [7, -1, "walk", 1.5, None])
def test_an_unknown_action_is_refused(action):
    """An action is a number from 0 to 6."""
    env = make_env().unwrapped
    env.reset(seed=0)
    with pytest.raises(SchemaError, match="an action is a whole number from 0 to 6"):
        env.step(action)


def test_an_unknown_environment_is_named_with_the_nearest():
    """Gymnasium names what there is, because the environment is registered under its namespace; twice is no harm."""
    register_environments()
    with pytest.raises(gymnasium.error.NameNotFound, match="Did you mean: `Navigate`"):
        gymnasium.make("deixis/Navigat-v1")


@pytest.mark.parametrize(
    ("package", "module", "what"),
    [
        ("gymnasium", "deixis.environments", "environments"),
        ("pettingzoo", "deixis.worlds.rooms.environment.game", "environments for two agents"),
    ],
)
def test_a_missing_package_is_named_with_the_way_to_get_it(package, module, what):
    """Importing environments where their package is missing says which extra installs it."""
    code = (
        "import importlib.util as u; find = u.find_spec\n"
        f"u.find_spec = lambda name, *rest: None if name == '{package}' else find(name, *rest)\n"
        f"import {module}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stderr.splitlines()[-1].endswith(
        f"{what} need {package}; install it with: pip install 'deixis[environments]'"
    )


def test_a_dataset_that_was_made_anew_is_read_anew(dataset, tmp_path, monkeypatch):
    """A path means what lies there now, whatever the working folder and whatever lay there before."""
    monkeypatch.chdir(dataset.path.parent)
    before = len(make_env(data=dataset.path.name).unwrapped.episodes)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BrokenDataset, match="there is no file or folder"):
        make_env(data=dataset.path.name)
    other = reascan(mode="compatible", seed=4, patterns=("p1",), hold_out=())
    make(replace(other, pools=(replace(other.pools[0], commands=4, worlds=2),)), tmp_path / "few", workers=1)

    assert len(make_env(data="few").unwrapped.episodes) < before
