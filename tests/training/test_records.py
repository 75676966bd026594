"""What is recorded of a training beside its log: the same values, by the packages themselves, without an account."""

from __future__ import annotations

import json
import struct
import sys

import pytest

from deixis._cli import main
from deixis.errors import RecipeError, UnknownName
from deixis.learn import _records as records
from deixis.learn.run import recording_to
from deixis.worlds.grid.training.course import train
from tests.training.small import small


BLOCK, HEAD = 32_768, struct.Struct("<IHB")  # of LevelDB's log, the form of these files


def records_in(path):
    """The records of an offline run of Weights & Biases, as bytes."""
    data, place, whole = path.read_bytes(), 7, b""
    while place < len(data):
        if BLOCK - place % BLOCK < HEAD.size:
            place += BLOCK - place % BLOCK
            continue
        _, length, kind = HEAD.unpack_from(data, place)
        place += HEAD.size
        whole += data[place : place + length]
        place += length
        if kind in (1, 4):  # whole, or the last part
            yield whole
            whole = b""


def read_run(path):
    """The id and the settings of such a run, and what was logged."""
    from wandb.proto.wandb_internal_pb2 import Record

    begun, rows = None, []
    for data in records_in(path):
        record = Record()
        record.ParseFromString(data)
        if record.HasField("run"):
            begun = begun or record.run
        if record.HasField("history"):
            items = {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in record.history.item}
            rows.append({name: value for name, value in items.items() if not name.startswith("_")})
    return begun.run_id, {item.key: json.loads(item.value_json) for item in begun.config.update}, rows


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of what the package stands on
def test_wandb_is_told_what_the_log_says(dataset, tmp_path, monkeypatch):
    """Without an account, a run with the settings and every line of the log; one that goes on is the same run."""
    pytest.importorskip("wandb")
    monkeypatch.setenv("NETRC", str(tmp_path / "nobody"))
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    out = tmp_path / "run"

    with recording_to("wandb"):
        train(dataset, small(steps=3), out, device="cpu")
        train(dataset, small(steps=6), out, device="cpu")
        train(dataset, small(steps=6), out, device="cpu")  # finished: nothing to record

    log = [records.flat(json.loads(line)) for line in (out / "log.jsonl").read_text().splitlines()]
    runs = sorted((out / "wandb").glob("offline-run-*/run-*.wandb"))
    told = [read_run(path) for path in runs]
    assert len({number for number, _, _ in told}) == 1
    assert told[0][1]["model"] == "m-lstm"
    assert sorted((row for _, _, rows in told for row in rows), key=lambda row: row["step"]) == log


def test_a_missing_package_is_told_before_anything_begins(monkeypatch, tmp_path, capsys):
    """The message names the extra; nothing is made. What nobody knows is told, too."""
    monkeypatch.setitem(sys.modules, "wandb", None)
    monkeypatch.setattr(records, "find_spec", lambda _: None)

    with pytest.raises(RecipeError, match=r"pip install 'deixis\[wandb\]'"), recording_to("wandb"):
        raise AssertionError("it began")
    with pytest.raises(UnknownName, match="known: tensorboard, wandb"), recording_to("soup"):
        raise AssertionError("it began")
    code = main(["train", "room-encoder", "--out", str(tmp_path / "run"), "--log", "wandb"])

    assert code == 2
    assert "deixis[wandb]" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_an_account_is_seen(monkeypatch, tmp_path):
    """A key, or an entry for the server among those of `wandb login`, is an account."""
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.delenv("WANDB_BASE_URL", raising=False)
    kept = tmp_path / "netrc"
    monkeypatch.setenv("NETRC", str(kept))
    found = [records._has_account()]
    kept.write_text("machine api.wandb.ai login user password none\n")
    found += [records._has_account()]
    monkeypatch.setenv("WANDB_BASE_URL", "https://other.example")
    found += [records._has_account()]
    monkeypatch.setenv("WANDB_API_KEY", "key")

    assert [*found, records._has_account()] == [False, True, False, True]
