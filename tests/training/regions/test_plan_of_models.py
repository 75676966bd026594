"""The plan of `benchmarks.copsref_models`: what is trained for Tables 3 and 4, at every scale."""

from __future__ import annotations

from typing import get_args

import pytest

from benchmarks.copsref_models import OTHERS, Plan
from deixis.worlds.photos._recipes import recipe_from
from deixis.worlds.photos.training._bundles import sizes_of
from deixis.worlds.photos.training.settings import MODELS, Mining, RegionEncoderTraining, grounding_of


SCALES = ("paper", "small", "tiny")
SEEN = {"low": 112, "high": 1280, "attributes": 50}


@pytest.mark.parametrize("scale", SCALES)
def test_everything_in_the_plan_can_be(scale: str) -> None:
    """Recipes, settings and sizes of every run are possible, and what it begins with comes before it."""
    plan = Plan.read(scale)
    recipes = {name: recipe_from(values) for name, values in plan.data().items()}
    assert len({recipe.seed for recipe in recipes.values()}) == len(recipes)
    RegionEncoderTraining.read(plan.encoder())
    before: set[str] = set()
    for job in plan.jobs("kinds"):
        assert not job.begin or job.begin in before
        before.add(job.name)
        if "model" in job.run:
            settings = plan.settings(job, "oracle")
            how = grounding_of(job.run["model"], settings)
            assert sizes_of(how.model, SEEN, how.sizes)
            assert how.first_stage < how.steps


def test_every_model_and_every_source_of_pairs_is_in_the_plan() -> None:
    """Each is trained with three seeds, on the paper's kinds and where every word is needed."""
    plan = Plan.read("paper")
    assert set(plan.data()) == {OTHERS, "kinds", "every-word"}
    jobs = [job for job in plan.jobs("kinds") if "model" in job.run and "seeds" not in job.run]
    for seed in (1, 2, 3):
        mine = [job for job in jobs if job.seed == seed]
        assert {job.run["model"] for job in mine} == set(MODELS)
        assert {job.run.get("settings", {}).get("mining", "none") for job in mine} == set(get_args(Mining))
