"""A few seconds of fuzzing, and what the fuzzer itself promises; `make test-all` runs it for longer."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pytest

from deixis.errors import SchemaError
from tests.fuzz import engine
from tests.fuzz.corpus import Corpus
from tests.fuzz.engine import Target, make_input, run_targets
from tests.fuzz.mutate import change_bytes, change_table, change_tree
from tests.fuzz.targets import all_targets


def test_some_inputs_for_every_reader(tmp_path, monkeypatch):
    """Whatever is read, only errors of ours come of it, in bounded time and memory."""
    monkeypatch.setenv("DEIXIS_DEBUG", "1")
    targets = all_targets(Corpus(tmp_path), tmp_path / "scratch", quick=True)

    outcome = run_targets(targets, seed=7, inputs=25, seconds=12)

    assert outcome.total >= len(targets)
    assert not outcome.failures, "\n".join(map(str, outcome.failures.values()))


def _careless(value: object, _rng: object) -> None:
    if not isinstance(value, dict):
        raise SchemaError("no table")
    value["count"] + 1


def test_a_fault_is_found_and_made_small():
    """An exception that is not ours is reported once, with one mutation that is enough for it."""
    target = Target("careless", [{"count": 1, "other": [1, 2]}], change_tree, _careless)

    outcome = run_targets([target], seed=1, inputs=300, seconds=20)

    assert {key.split(": ")[1].split(" at ")[0] for key in outcome.failures} >= {"KeyError", "TypeError"}
    assert all(len(failure.edits) == 1 for failure in outcome.failures.values())
    assert "--target careless --seed 1 --only" in str(next(iter(outcome.failures.values())))
    assert outcome.refused["careless"]


def test_a_hang_is_found(monkeypatch):
    """An input that takes too long is a failure."""
    monkeypatch.setattr(engine, "INPUT_SECONDS", 0.05)

    outcome = run_targets([Target("slow", [b"x"], change_bytes, lambda *_: time.sleep(5))], seed=1, inputs=1, seconds=9)

    assert [failure.error[:5] for failure in outcome.failures.values()] == ["Hang:"]


def test_a_blow_up_is_found(monkeypatch):
    """An input that takes too much memory is a failure."""
    monkeypatch.setattr(engine, "SPARE_BYTES", 64 << 20)
    target = Target("greedy", [b"x"], change_bytes, lambda *_: bytearray(1 << 30))

    outcome = run_targets([target], seed=1, inputs=1, seconds=9)

    assert [failure.error[:12] for failure in outcome.failures.values()] == ["MemoryError:"]


@pytest.mark.parametrize("number", [0, 17])
def test_an_input_follows_from_its_number(number):
    """The same seed, target and number give the same input, in any process."""
    target = Target("some", [{"a": [1, 2, {"b": None}]}, [1]], change_tree, lambda *_: None)

    assert repr(make_input(target, 3, number)) == repr(make_input(target, 3, number))
    assert repr(make_input(target, 3, number)) != repr(make_input(target, 4, number))


def test_tables_with_two_columns_of_one_name_are_mutated():
    """An earlier mutation may have given two columns one name; the next must not fail over it."""
    table = pa.table([pa.array([1, 2]), pa.array([3, 4])], names=["a", "a"])

    changed = [change_table(table, np.random.default_rng(number))[1] for number in range(60)]

    assert "column a left out" in changed
