"""The plan and the figures of `benchmarks.copsref_mining`, and the errors of `benchmarks.category_errors`."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np
import pytest

from benchmarks.category_errors import learn_categories
from benchmarks.copsref_mining import Plan, main
from benchmarks.copsref_mining_report import LABELS, Answers, category_error, gain, read_runs
from deixis.worlds.photos._recipes import recipe_from
from deixis.worlds.photos.data._region_arrays import region_arrays
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.training.settings import Mining


if TYPE_CHECKING:
    from pathlib import Path

    from deixis.worlds.photos.data.store import CopsRef

FULL = SETTINGS.index("Full")


@pytest.mark.parametrize("scale", ["cpu", "tiny"])
def test_everything_in_the_plan_of_mining_can_be(scale: str) -> None:
    """The recipe and all settings are possible, and what a run begins with comes before it."""
    plan = Plan.read(scale)
    assert recipe_from(plan.data()).images
    before: set[str] = set()
    for job in plan.jobs():
        assert not job.begin or job.begin in before
        assert job.name not in before
        assert job.how.features == "oracle"
        before.add(job.name)


def test_every_source_of_pairs_meets_every_noise_with_every_seed() -> None:
    """And training on as long, from the same MattNet with the same noise, is there to compare with."""
    plan = Plan.read("cpu")
    jobs = {job.name: job for job in plan.jobs()}
    assert set(plan.facts["runs"]) == set(LABELS)
    for level, noise in plan.facts["levels"].items():
        for seed in plan.facts["seeds"]:
            begun = [
                job
                for name, job in jobs.items()
                if job.begin == f"all/{level}/mattnet-{seed}" and name.startswith("all/")
            ]
            assert {job.how.mining for job in begun} == set(get_args(Mining))
            assert {(job.how.category_noise, job.how.seed, job.how.steps) for job in begun} == {(noise, seed, 500)}
            assert f"all/{level}/mine-none-{seed}" in jobs


def answers(right: np.ndarray) -> Answers:
    """Answers of a model that is right or wrong in all settings alike, about images of two examples each."""
    every = np.repeat(right[:, None], len(SETTINGS), axis=1)
    return Answers(every, every, ~every, np.arange(len(right)) // 2)


def test_a_gain_is_the_mean_of_paired_differences() -> None:
    """Over the seeds that both have; with none there is no gain."""
    rng = np.random.default_rng(1)
    base = {seed: answers(rng.random(4000) < 0.3) for seed in (1, 2, 3)}
    better = {seed: answers(one.right[:, 0] | (rng.random(4000) < 0.1)) for seed, one in base.items() if seed != 3}

    found, spread = gain(better, base, FULL)
    expected = [better[seed].right[:, 0].mean() - base[seed].right[:, 0].mean() for seed in (1, 2)]
    assert found.mean == pytest.approx(np.mean(expected))
    assert spread == pytest.approx(np.std(expected, ddof=1))
    assert 0 < found.low < found.mean < found.high < 0.1
    within, _ = gain(better, base, FULL, within=True)
    assert within.mean == pytest.approx(-found.mean)
    same, _ = gain(base, base, FULL)
    assert same[:3] == (0, 0, 0)
    assert gain(better, {3: base[3]}, FULL) is None


def test_more_noise_drowns_more_categories(photographs: CopsRef) -> None:
    """Without noise none is drowned, and with much nearly all but those that chance leaves."""
    regions = region_arrays(photographs.scenes)
    errors = [category_error(regions, noise) for noise in (0, 0.2, 0.5, 100)]
    assert errors[0] == 0
    assert errors == sorted(errors)
    assert errors[-1] > 1 - 2 / len(regions.names)


def test_a_discriminant_tells_what_noise_leaves() -> None:
    """Categories with means apart are told, also by a channel of much smaller spread than another."""
    rng = np.random.default_rng(2)
    category = rng.integers(0, 3, 600)
    seen = np.stack((rng.normal(0, 5, 600), category + rng.normal(0, 0.1, 600)), axis=1)
    weights, biases = learn_categories(seen, category, 4)

    told = (seen @ weights + biases).argmax(1)
    assert (told == category).mean() > 0.9
    assert (told < 3).all()  # one that was never seen is never told


@pytest.mark.slow
def test_the_experiment_runs_and_goes_on(tmp_path: Path) -> None:
    """In small it makes data, trains and reports; what is finished is not done again, and what is not is done."""
    words = ["--out", str(tmp_path), "--scale", "tiny"]
    assert main([*words, "--seconds", "0"]) == 0
    assert "0 runs" in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert main(words) == 0
    answered = {path: path.read_bytes() for path in tmp_path.glob("runs/*/*/*/answers.npz")}
    lost = next(iter(answered))
    lost.unlink()
    others = {path: path.stat().st_mtime_ns for path in answered if path != lost}
    assert main(words) == 0

    assert len(answered) == len(list(Plan.read("tiny").jobs()))
    assert all(path.stat().st_mtime_ns == time for path, time in others.items())
    assert sum(map(len, read_runs(tmp_path / "runs").values())) == len(answered)
    assert "better than trained on by" in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "gain.svg").read_bytes().startswith(b"<svg")
