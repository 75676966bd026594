"""Several processes and one cache."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
import zlib
from dataclasses import replace

import numpy as np
import pytest
import torch

from deixis.data._locks import hold_lock
from deixis.worlds.photos.data._region_arrays import region_arrays
from deixis.worlds.photos.training import _features as module
from deixis.worlds.photos.training._encoders import oracle_encoder
from deixis.worlds.photos.training._features import region_features, region_table
from deixis.worlds.photos.training._looking import Looks
from tests.training.regions.test_features import CPU, IMAGES, same, scenes_of


SPAWN = multiprocessing.get_context("spawn")
WAITING, LOOKING = "waiting for another process", "looking at regions"
unix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")


def slow_encoder(regions, pause=0.3, deadly=None):
    """One that takes its time, and whose process dies at a block."""
    encoder, seen = oracle_encoder(regions), []

    def look(block, device):
        seen.append(block.row)
        if len(seen) == deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(pause)
        return encoder.look(block, device)

    return replace(encoder, look=look)


def fill(cache, together, answers, deadly=None):
    """Run in a process of its own."""
    torch.set_num_threads(1)
    module.BLOCK = 2
    regions, told = region_arrays(scenes_of()), []
    encoder = slow_encoder(regions, deadly=deadly)
    together.wait()
    found = region_features(
        regions, encoder, CPU, cache=cache, progress=lambda stage, done, *_: told.append((stage, done))
    )
    table = region_table(regions, found, CPU)
    answers.put((told, zlib.crc32(table.high.numpy().tobytes()), zlib.crc32(table.whole.numpy().tobytes())))


@pytest.mark.slow
@unix
def test_two_that_start_together_both_finish(tmp_path):
    """One looks at all images, the other waits for it, told how far it is, and both have the same."""
    together, answers = SPAWN.Barrier(2), SPAWN.Queue()
    both = [SPAWN.Process(target=fill, args=(tmp_path, together, answers)) for _ in range(2)]
    for one in both:
        one.start()
    (told, *values), (also_told, *also) = (answers.get(timeout=120) for _ in both)
    for one in both:
        one.join(60)

    assert [one.exitcode for one in both] == [0, 0]
    assert values == also
    looking, waiting = sorted((told, also_told))
    assert looking == [(LOOKING, done) for done in (2, 4, 6, IMAGES)]
    assert waiting
    assert {stage for stage, _ in waiting} == {WAITING}
    assert [done for _, done in waiting] == sorted(done for _, done in waiting)


@pytest.mark.slow
@unix
def test_one_that_died_stops_nobody(tmp_path, monkeypatch):
    """What a killed process had written is gone on with, without waiting for it."""
    monkeypatch.setattr(module, "BLOCK", 2)
    together, answers = SPAWN.Barrier(1), SPAWN.Queue()
    one = SPAWN.Process(target=fill, args=(tmp_path, together, answers, 3))
    one.start()
    one.join(120)
    assert one.exitcode == -signal.SIGKILL

    regions, told = region_arrays(scenes_of()), []
    found = region_features(
        regions, oracle_encoder(regions), CPU, cache=tmp_path, progress=lambda *said: told.append(said[:2])
    )

    assert told == [(LOOKING, done) for done in (4, 6, IMAGES)]
    assert same(found, region_features(regions, oracle_encoder(regions), CPU))


@unix
def test_what_is_complete_is_read_at_once(tmp_path):
    """Nobody waits for the lock of a complete cache, whoever holds it, nor writes anything there."""
    regions = region_arrays(scenes_of())
    first = region_features(regions, oracle_encoder(regions), CPU, cache=tmp_path)
    with hold_lock(first.folder / "lock", first.folder):
        again = region_features(
            regions, oracle_encoder(regions), CPU, cache=tmp_path, progress=lambda *_: pytest.fail("it waits")
        )

    assert same(first, again)


def test_blocks_that_are_seen_together_are_kept_apart(tmp_path, monkeypatch):
    """An encoder that looks at several blocks at a time gives the same features, checksums and steps as any other."""
    monkeypatch.setattr(module, "BLOCK", 2)
    regions, shown, told = region_arrays(scenes_of()), [], []
    plain = oracle_encoder(regions)

    def look(block, device):
        shown.append(block.regions.images)
        return Looks(*(torch.clone(one) for one in plain.look(block, device)))

    one_by_one = region_features(regions, plain, CPU, cache=tmp_path / "one")
    by_three = region_features(
        regions,
        replace(plain, look=look, blocks=3),
        CPU,
        cache=tmp_path / "three",
        progress=lambda _, done, *__: told.append(done),
    )

    assert shown == [6, 1]
    assert told == [2, 4, 6, IMAGES]
    assert by_three.sums == one_by_one.sums
    assert same(by_three, one_by_one)
    assert all(np.isfinite(some).all() for _, some in by_three.part("high", regions))
