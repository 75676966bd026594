from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from deixis.errors import BrokenCheckpoint, DivergedTraining, RecipeError
from deixis.learn.devices import find_device
from deixis.worlds.grid.data._arrays import load_plan_arrays, words_of
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.training import _losses as losses
from deixis.worlds.grid.training._checkpoints import read_checkpoint, selection_of
from deixis.worlds.grid.training.course import train
from tests.datasets.tiny import quick
from tests.training.small import SIZES, WITHOUT_DROPOUT, are_equal, small, weights
from tests.training.test_checkpoints import no_room


ROOT = Path(__file__).parents[2]


class Killed(BaseException):
    """Stands for whatever ends a process without asking."""


def killing(update: int):
    """Progress that ends the training after so many updates."""

    def tell(_stage: str, done: int, _total: int, note: str = "", /) -> None:
        if done >= update and note.startswith("loss"):
            raise Killed

    return tell


def lines(folder: Path) -> list[dict]:
    """The log, without what a clock says."""
    found = [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    return [{k: v for k, v in one.items() if k not in ("seconds", "examples_per_second")} for one in found]


@pytest.fixture(scope="module")
def whole(dataset, tmp_path_factory):
    """One undisturbed training of each model."""
    folder = tmp_path_factory.mktemp("whole")
    for model in SIZES:
        train(dataset, small(model), folder / model, device="cpu")
    return folder


def press_after(updates: int):
    """What presses Ctrl-C while the update after so many is taken."""

    def press(_stage: str, done: int, _total: int, _note: str = "", /) -> None:
        if done == updates:
            os.kill(os.getpid(), signal.SIGINT)

    return press


# ------------------------------------------------------------------------------- what is left


@pytest.mark.parametrize("model", SIZES)
def test_a_training_leaves_its_record(whole, model):
    """Run, log and checkpoints say the same."""
    run = json.loads((whole / model / "run.json").read_text(encoding="utf-8"))
    log = lines(whole / model)
    looks = [one["dev"]["exact"] for one in log if "dev" in one]
    best = [one["step"] for one in log if "dev" in one and one["dev"]["exact"] == max(looks)]

    assert (run["kind"], run["model"], run["steps"], run["seed"]) == ("run", model, 12, 1)
    assert run["training"]["patterns"] == ["p1", "p3"]
    assert run["selection"]["evaluations"] == len(looks) == 3
    assert run["selection"]["best"] == max(looks)
    assert run["selection"]["best_step"] == best[-1]  # of equal ones the later has learnt more
    assert read_checkpoint(whole / model / "best.safetensors").step == best[-1]
    assert read_checkpoint(whole / model / "best.safetensors").metrics["evaluations"] == 3
    assert read_checkpoint(whole / model / "last.safetensors").step == 12
    assert [one["step"] for one in log if "loss" in one] == [2, 3, 4, 6, 8, 9, 10, 12]
    assert run["examples_per_second"] > 0


def test_the_same_training_gives_the_same_weights(dataset, whole, tmp_path):
    """Every number follows from the seed; another seed gives others."""
    train(dataset, small(), tmp_path / "again", device="cpu")
    train(dataset, small(seed=2), tmp_path / "other", device="cpu")

    assert are_equal(tmp_path / "again" / "last.safetensors", whole / "m-lstm" / "last.safetensors")
    assert not are_equal(tmp_path / "other" / "last.safetensors", whole / "m-lstm" / "last.safetensors")


def test_learning_lowers_the_loss(dataset, tmp_path):
    """Sixty updates are enough to see it."""
    train(dataset, small(steps=60, eval_every=60, save_every=0), tmp_path / "run", device="cpu")
    losses = [one["loss"] for one in lines(tmp_path / "run") if "loss" in one]

    assert sum(losses[-3:]) < 0.8 * sum(losses[:3])


def test_without_dev_examples_the_last_weights_count(dataset, tmp_path):
    """Nothing is looked at, and the checkpoint says so."""
    run = train(dataset, small(dev_examples=0), tmp_path / "run", device="cpu")
    best = read_checkpoint(tmp_path / "run" / "best.safetensors")

    assert best.step == 12
    assert selection_of(best) == "none; the last checkpoint"
    assert run.facts["selection"]["evaluations"] == 0


def test_precision_and_compilation_are_options(dataset, tmp_path):
    """Bfloat16 gives about the same weights after a few updates, and not exactly the same."""
    for precision in ("fp32", "bf16"):
        train(dataset, small(precision=precision, steps=2), tmp_path / precision, device="cpu")
    exact, rough = (weights(tmp_path / name / "last.safetensors") for name in ("fp32", "bf16"))

    assert all(torch.allclose(exact[name], rough[name], atol=0.05) for name in exact if "/" not in name)
    assert not are_equal(tmp_path / "fp32" / "last.safetensors", tmp_path / "bf16" / "last.safetensors")


def test_tensorboard_is_told_what_the_log_says(dataset, tmp_path):
    """Event files with the loss, where they are asked for and the package is there."""
    loader = pytest.importorskip("tensorboard.backend.event_processing.event_file_loader")
    train(dataset, small(steps=3, tensorboard=True), tmp_path / "run", device="cpu")

    (events,) = (tmp_path / "run" / "tensorboard").iterdir()
    names = [value.tag for event in loader.EventFileLoader(str(events)).Load() for value in event.summary.value]
    assert names.count("loss") == 2
    assert "dev/exact" in names


# ------------------------------------------------------------------------------- going on


@pytest.mark.parametrize("model", SIZES)
@pytest.mark.parametrize("update", [1, 5, 9])
def test_going_on_gives_what_would_have_been(dataset, whole, tmp_path, model, update):
    """Ended anywhere and taken up again, weights, memory and log are as if nothing had happened."""
    with pytest.raises(Killed):
        train(dataset, small(model), tmp_path / model, device="cpu", progress=killing(update))

    train(dataset, small(model), tmp_path / model, device="cpu")

    for name in ("last.safetensors", "best.safetensors"):
        assert are_equal(tmp_path / model / name, whole / model / name)
    assert lines(tmp_path / model) == lines(whole / model)


CHILD = """
import os, signal, sys, torch
from pathlib import Path
from deixis.data.store import open_dataset
from deixis.worlds.grid.training.course import train
from tests.training.small import SIZES, small

torch.set_num_threads(1)
dataset = open_dataset(Path(sys.argv[1]))

def tell(stage, done, total, note=""):
    if done >= 7 and note.startswith("loss"):
        os.kill(os.getpid(), signal.SIGKILL)

for model in SIZES:
    if not os.fork():
        train(dataset, small(model), Path(sys.argv[2]) / model, device="cpu", progress=tell)
        os._exit(0)
    print(os.wait()[1])
"""


@pytest.mark.slow
def test_a_killed_process_goes_on(dataset, whole, tmp_path):
    """After kill -9, in processes of their own, every model ends with the weights of an undisturbed training."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", CHILD, str(dataset.path), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=120)

    assert done.stdout.split() == [str(int(signal.SIGKILL))] * len(SIZES)
    for model in SIZES:
        assert read_checkpoint(tmp_path / model / "last.safetensors").step < 12
        train(dataset, small(model), tmp_path / model, device="cpu")
        assert are_equal(tmp_path / model / "last.safetensors", whole / model / "last.safetensors")


def test_weights_that_learn_are_kept_in_full_precision(dataset, tmp_path):
    """Where the transformer has its weights rounded, a training that goes on still ends as an undisturbed one."""
    how = {"precision": "bf16", "lr": 1e-5}  # so small a step is lost to rounding, were the rounded weights kept
    train(dataset, small("transformer", **how), tmp_path / "whole", device="cpu")
    train(dataset, small("transformer", **how, steps=5), tmp_path / "parts", device="cpu")
    before = weights(tmp_path / "parts" / "last.safetensors")
    train(dataset, small("transformer", **how), tmp_path / "parts", device="cpu")

    assert are_equal(tmp_path / "parts" / "last.safetensors", tmp_path / "whole" / "last.safetensors")
    after = weights(tmp_path / "parts" / "last.safetensors")
    moved = {name: before[name] != after[name] for name in after if name.endswith("first.weight")}
    assert {str(after[name].dtype) for name in moved} == {"torch.float32"}
    assert all(float(one.float().mean()) > 0.5 for one in moved.values())


def test_easy_commands_can_come_first(dataset, tmp_path):
    """So many updates are made of short commands alone; where there are none, that is told."""
    shortest = int(load_plan_arrays(dataset, "train", words_of(dataset, "train"), channels=17).word_count.min())
    how = {"easy_first": 3, "easy_words": shortest}
    run = train(dataset, small(**how), tmp_path / "easy", device="cpu")
    train(dataset, small(**how, steps=2), tmp_path / "parts", device="cpu")
    train(dataset, small(**how), tmp_path / "parts", device="cpu")

    assert run.is_finished
    assert are_equal(tmp_path / "parts" / "last.safetensors", tmp_path / "easy" / "last.safetensors")
    with pytest.raises(RecipeError, match="no command has 1 words or fewer"):
        train(dataset, small(easy_first=3, easy_words=1), tmp_path / "none", device="cpu")


def test_rare_words_can_come_more_often(dataset, tmp_path):
    """It changes what is learnt, and a run that is stopped on the way goes on to the same weights."""
    how = {"rare_first": 6, "rare_share": 0.9}
    train(dataset, small(**how), tmp_path / "rare", device="cpu")
    train(dataset, small(), tmp_path / "plain", device="cpu")
    train(dataset, small(**how, steps=4), tmp_path / "parts", device="cpu")
    train(dataset, small(**how), tmp_path / "parts", device="cpu")

    assert are_equal(tmp_path / "parts" / "last.safetensors", tmp_path / "rare" / "last.safetensors")
    assert not are_equal(tmp_path / "plain" / "last.safetensors", tmp_path / "rare" / "last.safetensors")


def test_a_training_can_be_given_little_time(dataset, whole, tmp_path):
    """It stops when time is up, keeps what it has, and the same call goes on to the same weights."""
    first = train(dataset, small(), tmp_path / "run", device="cpu", stop_after=0.0)
    calls = 1
    while not (run := train(dataset, small(), tmp_path / "run", device="cpu", stop_after=0.0)).is_finished:
        calls += 1

    assert not first.is_finished
    assert (tmp_path / "run" / "best.safetensors").exists()
    assert calls > 2
    assert run.facts["steps"] == 12
    assert are_equal(tmp_path / "run" / "last.safetensors", whole / "m-lstm" / "last.safetensors")


def test_a_longer_training_goes_the_same_way(dataset, whole, tmp_path):
    """A finished run can be made longer: the same weights as those of one that was meant to be longer."""
    train(dataset, small(steps=5), tmp_path / "run", device="cpu")

    train(dataset, small(), tmp_path / "run", device="cpu")

    assert are_equal(tmp_path / "run" / "last.safetensors", whole / "m-lstm" / "last.safetensors")


def test_a_finished_training_is_left_alone(dataset, whole):
    """There is nothing to do, and nothing is written."""
    before = {path.name: path.stat().st_mtime_ns for path in (whole / "m-lstm").iterdir()}

    run = train(dataset, small(), whole / "m-lstm", device="cpu")

    assert run.was_finished
    assert run.facts["steps"] == 12
    assert {path.name: path.stat().st_mtime_ns for path in (whole / "m-lstm").iterdir()} == before


def test_ctrl_c_finishes_the_update_in_hand(dataset, whole, tmp_path):
    """The interrupted training says how far it came, is saved there, and goes on to the same weights."""
    with pytest.raises(KeyboardInterrupt, match=r"stopped after 7 steps; .* the same command goes on"):
        train(dataset, small(), tmp_path / "run", device="cpu", progress=press_after(6))

    assert read_checkpoint(tmp_path / "run" / "last.safetensors").step == 7
    train(dataset, small(), tmp_path / "run", device="cpu")
    assert are_equal(tmp_path / "run" / "last.safetensors", whole / "m-lstm" / "last.safetensors")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"batch_size": 7}, "batch_size is 6 there, 7 here"),
        ({"seed": 5}, "seed is 1 there, 5 here"),
        ({"steps": 3}, "has taken 12 steps already, more than 3"),
    ],
)
def test_another_training_does_not_go_on_from_here(dataset, whole, changes, complaint):
    """What differs is named, and the run stays as it is."""
    with pytest.raises(RecipeError, match=complaint):
        train(dataset, small(**changes), whole / "m-lstm", device="cpu")


def test_where_to_cool_down_can_be_decided_on_the_way(dataset, tmp_path):
    """A run that was meant to be longer ends like one that was meant to end there."""
    train(dataset, small(steps=9, cooldown=4), tmp_path / "meant", device="cpu")
    with pytest.raises(KeyboardInterrupt):
        train(dataset, small(steps=1000), tmp_path / "decided", device="cpu", progress=press_after(4))

    train(dataset, small(steps=9, cooldown=4), tmp_path / "decided", device="cpu")

    assert are_equal(tmp_path / "decided" / "last.safetensors", tmp_path / "meant" / "last.safetensors")


@pytest.mark.parametrize(("before", "now"), [((12, 8), (20, 8)), ((20, 0), (12, 8))])
def test_a_cooldown_that_has_begun_keeps_its_end(dataset, tmp_path, before, now):
    """Neither a rate that has fallen nor one that should have can be undone."""
    with pytest.raises(KeyboardInterrupt):
        train(dataset, small(steps=before[0], cooldown=before[1]), tmp_path, device="cpu", progress=press_after(6))

    with pytest.raises(RecipeError, match=f"cannot end after {now[0]} with one of {now[1]}"):
        train(dataset, small(steps=now[0], cooldown=now[1]), tmp_path, device="cpu")


def test_another_model_does_not_go_on_from_here(dataset, whole):
    """The folder of one model is no place for another."""
    with pytest.raises(RecipeError, match="model is 'm-lstm' there, 'gcn-lstm' here"):
        train(dataset, small("gcn-lstm"), whole / "m-lstm", device="cpu")


def test_other_data_do_not_go_on_from_here(dataset, whole, tmp_path):
    """A run belongs to its data."""
    other = make(quick(dev=0.3, seed=7), tmp_path / "other", workers=1)

    with pytest.raises(RecipeError, match="which is other data"):
        train(other, small(), whole / "m-lstm", device="cpu")


def test_a_broken_checkpoint_is_told(dataset, tmp_path):
    """Instead of starting anew over it."""
    (tmp_path / "last.safetensors").write_bytes(b"no tensors")

    with pytest.raises(BrokenCheckpoint, match="cannot be read as a safetensors file"):
        train(dataset, small(), tmp_path, device="cpu")


def test_two_processes_cannot_share_a_folder(dataset, tmp_path):
    """The second is refused in one line while the first goes on."""
    refused = []

    def intrude(_stage: str, done: int, _total: int, _note: str = "", /) -> None:
        if done == 3:
            with pytest.raises(RecipeError, match="another process is training in"):
                train(dataset, small(), tmp_path / "run", device="cpu")
            refused.append(done)

    assert train(dataset, small(), tmp_path / "run", device="cpu", progress=intrude).is_finished
    assert refused == [3]


# ------------------------------------------------------------------------------- misfortunes


def test_a_loss_that_is_no_number_ends_the_training(dataset, tmp_path, monkeypatch):
    """Its update is named, and the last good checkpoint stays as it was."""
    updates = []

    def losses_of(*arguments):
        updates.append(1)
        found = step_losses(*arguments)
        return found._replace(plans=found.plans * float("nan")) if len(updates) >= 8 else found

    step_losses = losses.losses_of
    monkeypatch.setattr(losses, "losses_of", losses_of)

    with pytest.raises(DivergedTraining, match=r"the loss of step 8 is nan; the last good checkpoint is .*last\.safe"):
        train(dataset, small(), tmp_path / "run", device="cpu")

    kept = read_checkpoint(tmp_path / "run" / "last.safetensors")
    assert kept.step == 6
    assert all(bool(torch.isfinite(tensor).all()) for tensor in kept.weights.values())


def test_a_full_disk_leaves_the_last_good_checkpoint(dataset, whole, tmp_path):
    """With room again, the same call goes on to the same weights."""
    train(dataset, small(steps=4), tmp_path / "run", device="cpu")
    before = (tmp_path / "run" / "last.safetensors").read_bytes()

    with no_room(len(before) // 2), pytest.raises(OSError, match=r"."):
        train(dataset, small(), tmp_path / "run", device="cpu")

    assert (tmp_path / "run" / "last.safetensors").read_bytes() == before
    train(dataset, small(), tmp_path / "run", device="cpu")
    assert are_equal(tmp_path / "run" / "last.safetensors", whole / "m-lstm" / "last.safetensors")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_told(dataset, tmp_path):
    """In one line, before anything is written."""
    with pytest.raises(RecipeError, match="'cuda' was asked for, but torch finds no GPU here"):
        train(dataset, small(), tmp_path / "run", device="cuda")

    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["gpu", "cuda:x", "cpu:1", "cuda:-1", ""])
def test_an_unknown_device_is_told(name):
    """With those that are known."""
    with pytest.raises(RecipeError, match="unknown device"):
        find_device(name)


def test_plans_that_are_too_long_are_told(dataset, tmp_path):
    """The model says how many actions it has room for."""
    with pytest.raises(RecipeError, match="room for 3, set longest_plan higher"):
        train(dataset, small("transformer", settings={"longest_plan": 4}), tmp_path / "run", device="cpu")


def test_data_without_dev_are_told(tmp_path):
    """There would be nothing to choose a checkpoint by."""
    data = make(quick(dev=0.0), tmp_path / "data", workers=1)

    with pytest.raises(RecipeError, match="has no split dev"):
        train(data, small(), tmp_path / "run", device="cpu")
    assert train(data, small(dev_examples=0), tmp_path / "run", device="cpu").is_finished


# ------------------------------------------------------------------------------- several processes


MEMBER = """
import sys, torch
from pathlib import Path
from deixis.data.store import open_dataset
from deixis.worlds.grid.training.course import train
from tests.training.small import WITHOUT_DROPOUT, small

torch.set_num_threads(1)
train(open_dataset(Path(sys.argv[1])), small(settings=WITHOUT_DROPOUT, batch_size=7), Path(sys.argv[2]), device="cpu")
"""


@pytest.mark.slow
def test_two_processes_learn_what_one_learns(dataset, tmp_path):
    """Each takes a part of every batch; without dropout the weights agree with those of a single process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    variables = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    path = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
    members = [
        subprocess.Popen(
            [sys.executable, "-c", MEMBER, str(dataset.path), str(tmp_path / "two")],
            env={**os.environ, **variables, "PYTHONPATH": path, "RANK": rank, "LOCAL_RANK": rank},
        )
        for rank in ("0", "1")
    ]
    train(dataset, small(settings=WITHOUT_DROPOUT, batch_size=7), tmp_path / "one", device="cpu")

    assert [member.wait(timeout=120) for member in members] == [0, 0]
    one, two = (weights(tmp_path / name / "last.safetensors") for name in ("one", "two"))
    assert one.keys() == two.keys()
    assert all(torch.allclose(one[name], two[name], atol=1e-5) for name in one)
    assert lines(tmp_path / "one")[-1]["dev"] == lines(tmp_path / "two")[-1]["dev"]
