"""What must not change while the house is rebuilt (see `tests.frozen`).

One test makes a dataset and asks everything about it, so that parallel workers never make the same one twice.
"""

from __future__ import annotations

from copy import deepcopy

import pytest

from tests.frozen.comparison import AGAIN, MISSING, differences, read_frozen
from tests.frozen.digests import facts_of, plain
from tests.frozen.making import FROZEN, MODELS


SHOWN = 40  # differences at most
FAST = ("reascan compatible", "gscan")  # datasets


def demand_same(name, facts):
    lines = differences(read_frozen().get(name, {}), facts, name)
    more = [f"... and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    if lines:
        pytest.fail("\n".join(["what must not change is different:", *lines[:SHOWN], *more, AGAIN]), pytrace=False)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in FROZEN]
)
def test_a_dataset_and_what_is_said_of_it(name, tmp_path):
    """Its content, its files, its card, its prompts, and what the verbs answer in JSON."""
    demand_same(name, FROZEN[name](tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_scores_of_shipped_checkpoints(name, tmp_path):
    """Scores, plans and captions, but for what another processor may round otherwise."""
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)

    demand_same(name, MODELS[name](tmp_path))


def test_everything_is_held():
    """Each world with each verb, none of which is refused, and each checkpoint."""
    held = read_frozen()

    assert list(held) == [*FROZEN, *MODELS]
    verbs = {"manifest", "data files", "card", "check", "stats", "audit", "evaluate oracle", "evaluate random"}
    assert all(verbs <= set(held[name]) for name in FROZEN)
    assert {name for name in FROZEN if held[name]["check"]["exit code"]} == {"reascan compatible"}
    assert not [name for name in FROZEN for verb in verbs if "refused" in held[name][verb]]
    models = {checkpoint for name in MODELS for checkpoint in held[name]}
    of_rooms = {"speaker-b", "speaker-contrast", "speaker-rp", "speaker-sp", "room-encoder"}
    assert models == {"m-lstm", "gcn-lstm", "program", "transformer"} | of_rooms


def test_a_difference_is_told_with_its_place():
    """World, verb and key, what it was and what it is; what is new or gone, too."""
    held = read_frozen()["gscan"]
    now = deepcopy(held)
    now["manifest"]["examples"] += 1
    now["check"]["new"] = 1
    del now["audit"]["exit code"]

    lines = differences(held, now, "gscan")

    was = held["manifest"]["examples"]
    assert f"gscan: manifest: examples: was {was}, is {was + 1}" in lines
    assert f"gscan: check: new: was {MISSING}, is 1" in lines
    assert f"gscan: audit: exit code: was 0, is {MISSING}" in lines
    assert len(lines) == 3


def test_only_what_is_computed_may_be_near():
    """Scores may differ a little and a few plans be others; nothing else."""
    plans = ["LW"] * 40

    assert not differences({"exact": 0.5, "plans": plans}, {"exact": 0.52, "plans": ["L", *plans[1:]]}, "shipped x")
    assert len(differences({"exact": 0.5, "plans": plans}, {"exact": 0.6, "plans": ["L"] * 40}, "shipped x")) == 41
    assert differences({"rooms": 39}, {"rooms": 40}, "shipped x")
    assert differences({"share": 0.5}, {"share": 0.500001}, "gscan")


def test_facts_leave_out_what_passes(tmp_path):
    """Versions, times and places are no facts; numbers stay readable, and what lies deep has a digest."""
    value = {
        "deixis": "1.2",
        "path": "x",
        "at": f"{tmp_path}/set",
        "share": 1 / 3,
        "deep": {"er": {"a": "x" * 99, "b": 2}},
    }

    facts = facts_of(plain(value, tmp_path), 2)

    deeper = facts["deep"].pop("er")
    assert facts == {"at": "FOLDER/set", "share": 0.333333, "deep": {}}
    assert deeper.startswith("2 with digest ")
    value["deep"]["er"]["b"] = 3
    assert facts_of(plain(value, tmp_path), 2)["deep"]["er"] != deeper
