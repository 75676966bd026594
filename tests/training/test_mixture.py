"""Learning from several datasets at once: of each as many examples, and the run says which they were."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from deixis._cli import main
from deixis.errors import RecipeError
from deixis.worlds.grid.data._arrays import load_plan_arrays, words_of
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.training._mixture import load_mixture
from deixis.worlds.grid.training.course import train
from tests.datasets.tiny import quick
from tests.training.small import are_equal, small


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """A second dataset, of another seed and half the size."""
    recipe = quick(seed=5)
    pools = tuple(replace(pool, commands=max(1, pool.commands // 2)) for pool in recipe.pools)
    return make(replace(recipe, pools=pools), tmp_path_factory.mktemp("other") / "other")


def test_a_mixture_has_as_many_examples_of_each(dataset, other):
    """The smallest is there as a whole, and of the other as many examples, each unchanged."""
    words = tuple(sorted({*words_of(dataset, "train"), *words_of(other, "train")}))
    parts = [load_plan_arrays(one, "train", words) for one in (dataset, other)]
    count = min(map(len, parts))
    assert len(parts[0]) != len(parts[1])
    mixed = load_mixture([dataset, other], "train", words, channels=17, seed=3)
    assert len(mixed) == 2 * count
    for part, first in zip(parts, (0, count), strict=True):
        place = {number: row for row, number in enumerate(part.ids.tolist())}
        rows = np.array([place[number] for number in mixed.ids[first : first + count].tolist()])
        assert len(set(rows.tolist())) == count
        some = mixed.taking(np.arange(first, first + count))
        assert (some.grids() == part.grids()[rows]).all()
        assert (some.target == part.target[rows]).all()
        assert (some.words[:, : part.words.shape[1]] == part.words[rows]).all()
        plans = part.plans.take(rows)
        assert (some.plans.values == plans.values).all()
        assert (some.plans.length == plans.length).all()


def test_the_draw_is_a_function_of_the_seed(dataset, other):
    """The same seed draws the same examples, another seed others."""
    words = tuple(sorted({*words_of(dataset, "train"), *words_of(other, "train")}))
    one, again, another = (
        load_mixture([dataset, other], "train", words, channels=17, seed=seed).ids.tolist() for seed in (1, 1, 2)
    )
    assert one == again
    assert one != another


def test_one_dataset_is_no_mixture(dataset):
    """One dataset alone is taken as a whole, in its own order."""
    words = words_of(dataset, "train")
    alone = load_mixture([dataset], "train", words, channels=17, seed=1)
    assert alone.ids.tolist() == load_plan_arrays(dataset, "train", words).ids.tolist()


def test_a_run_says_what_it_learnt_from(dataset, other, tmp_path):
    """The run names all datasets, and stopped and resumed it has the same weights."""
    run = train(dataset, small(steps=8), tmp_path / "whole", device="cpu", also=[other])
    train(dataset, small(steps=4), tmp_path / "parts", device="cpu", also=[other])
    train(dataset, small(steps=8), tmp_path / "parts", device="cpu", also=[other])
    assert are_equal(tmp_path / "whole" / "best.safetensors", tmp_path / "parts" / "best.safetensors")
    facts = json.loads((tmp_path / "whole" / "run.json").read_text(encoding="utf-8"))["training"]
    assert [one["name"] for one in facts["also"]] == [other.path.name]
    assert facts["seen"] == 2 * min(dataset.splits["train"], other.splits["train"])
    assert run.facts["selection"]["examples"] == min(5, 2 * min(dataset.splits["dev"], other.splits["dev"]))


def test_a_run_goes_on_with_the_same_datasets_alone(dataset, other, tmp_path):
    """A run that learnt from two datasets is not resumed with one of them."""
    train(dataset, small(steps=4), tmp_path, device="cpu", also=[other])
    with pytest.raises(RecipeError, match="other data"):
        train(dataset, small(steps=8), tmp_path, device="cpu")


def test_grids_of_two_sizes_are_refused(dataset, tmp_path):
    """The refusal names both datasets with their sizes."""
    large = make(replace(quick(), grid_size=8), tmp_path / "large")
    with pytest.raises(RecipeError, match="large of 64"):
        load_mixture([dataset, large], "train", words_of(dataset, "train"), channels=17, seed=1)


def test_the_command_line_takes_further_datasets(dataset, other, tmp_path, capsys):
    """`deixis train MODEL --data A --also B` learns from both."""
    asked = ["train", "m-lstm", "--data", str(dataset.path), "--also", str(other.path), "--out", str(tmp_path / "run")]
    settings = tmp_path / "small.toml"
    settings.write_text("dev_examples = 2\ndecode_limit = 5\n", encoding="utf-8")
    options = ["--settings", str(settings), "--steps", "2", "--batch-size", "4", "--json"]
    assert main([*asked, *options]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["training"]["also"]] == [other.path.name]
