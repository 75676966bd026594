"""Several processes and one cache."""

from __future__ import annotations

import multiprocessing
import sys
import time

import numpy as np
import pytest
import torch

from deixis.data._locks import hold_lock
from deixis.errors import BrokenDataset, RecipeError
from deixis.worlds.rooms.training.features import FEATURES, Encoder, features_of


CPU = torch.device("cpu")
SPAWN = multiprocessing.get_context("spawn")
WAITING = "waiting for another process"
unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")


def slow(pause: float = 1.0) -> Encoder:
    """One that takes its time."""

    def encode(ids: np.ndarray, _: np.ndarray | None, device: torch.device) -> torch.Tensor:
        time.sleep(pause)
        return torch.from_numpy(ids % 1000).float().to(device)[:, None].expand(-1, FEATURES)

    return Encoder("slow", "slow-1", encode, needs_pictures=False)


def fill(cache, ids, together, answers):
    """Run in a process of its own."""
    told: list[str] = []
    together.wait()
    found = features_of(np.array(ids), slow(), CPU, cache=cache, progress=lambda stage, *_: told.append(stage))
    answers.put((told, found.values[found.rows(np.array(ids)), 0].tolist()))


@pytest.mark.slow
@unix
@pytest.mark.parametrize("images", [([7, 3], [7, 3]), ([7, 3], [3, 90, 500])])
def test_two_that_start_together_both_finish(tmp_path, images):
    """One waits for the other, both have what they want, nothing is looked at twice, and the cache holds it all."""
    together, answers = SPAWN.Barrier(2), SPAWN.Queue()
    both = [SPAWN.Process(target=fill, args=(tmp_path, ids, together, answers)) for ids in images]
    for one in both:
        one.start()
    found = [answers.get(timeout=120) for _ in both]
    for one in both:
        one.join(60)

    assert [one.exitcode for one in both] == [0, 0]
    assert sorted(values for _, values in found) == sorted(images)
    assert sum(WAITING in told for told, _ in found) == 1
    if images[0] == images[1]:
        assert sorted(sorted(set(told)) for told, _ in found) == [["looking at images"], [WAITING]]
    every = np.unique(np.concatenate(images))
    held = features_of(every, slow(), CPU, cache=tmp_path, progress=lambda *_: pytest.fail("it looks again"))
    assert held.ids.tolist() == every.tolist()


@unix
def test_what_is_there_is_read_at_once(tmp_path):
    """Nobody waits for a lock to read what a cache holds."""
    features_of(np.array([1, 2, 3]), slow(0), CPU, cache=tmp_path)
    (lock,) = tmp_path.glob("*.lock")
    with hold_lock(lock, tmp_path):
        found = features_of(np.array([3, 1]), slow(0), CPU, cache=tmp_path, progress=lambda *_: pytest.fail("it waits"))

    assert found.values[found.rows(np.array([3, 1])), 0].tolist() == [3, 1]


def test_damage_is_still_told(tmp_path):
    """A file that is cut short is no file that somebody else is writing."""
    features_of(np.array([1, 2, 3]), slow(0), CPU, cache=tmp_path)
    (values,) = (path for path in tmp_path.glob("*.npy") if not path.stem.endswith("-ids"))
    values.write_bytes(values.read_bytes()[:-9])

    with pytest.raises(BrokenDataset, match="are damaged"):
        features_of(np.array([1]), slow(0), CPU, cache=tmp_path)


def test_a_cache_that_cannot_be_written_is_told(tmp_path):
    """A file where the folder should be is told in a line."""
    (tmp_path / "cache").write_text("mine", encoding="utf-8")

    with pytest.raises(RecipeError, match="cannot keep features"):
        features_of(np.array([1]), slow(0), CPU, cache=tmp_path / "cache")
