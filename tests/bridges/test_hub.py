"""Datasets on a hub: the real client of Hugging Face reads what was uploaded, by the same words as other storage."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from deixis.bridges.pytorch import StreamedExamples
from deixis.worlds.grid.making.make import make
from tests.bridges.hub import NAME, serving
from tests.datasets.tiny import quick


pytestmark = pytest.mark.slow
ADDRESS = f"hf://datasets/{NAME}"
SCRIPT = f"""
import json
from datasets import load_dataset
from deixis.bridges.pytorch import ExampleLoader, StreamedExamples
address = "{ADDRESS}"
stream = StreamedExamples(address, split="train", batch=4, seed=3)
ids = [batch["id"].tolist() for batch in ExampleLoader(stream, workers=1)]
rows = load_dataset("{NAME}", "default", split="train", streaming=True)
files = load_dataset("parquet", data_files=address + "/data/train-*.parquet", split="train", streaming=True)
print(json.dumps([ids, [row["id"] for row in rows], [row["id"] for row in files]]))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small dataset as it is uploaded."""
    out = tmp_path_factory.mktemp("hub") / "tiny"
    make(quick(), out, workers=1)
    return out


@pytest.fixture
def hub(made, tmp_path, monkeypatch):
    """A hub that other processes find, without an account or anything kept."""
    pytest.importorskip("datasets")
    for name in list(os.environ):
        if name.startswith("HF_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    monkeypatch.setenv("DEIXIS_CACHE", str(tmp_path / "cache"))
    with serving(made) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        yield address


def run(*words):
    """What a process of Python says."""
    command = [sys.executable, "-W", "ignore", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.stdout, done.stderr
    return done.stdout


def test_examples_are_streamed_from_a_hub(hub, made):
    """Our stream gives what the folder gives, and `datasets` streams the rows by name and by file."""
    ids, rows, files = json.loads(run("-c", SCRIPT).splitlines()[-1])

    here = [batch["id"].tolist() for batch in StreamedExamples(made, split="train", batch=4, seed=3)]
    assert ids == here
    assert rows == files
    assert sorted(rows) == sorted(number for batch in here for number in batch)


def test_verbs_take_a_dataset_of_a_hub(hub, made):
    """`deixis stats hf://…` says of the dataset what it says of the folder."""
    there, here = (json.loads(run("-m", "deixis", "stats", place, "--json")) for place in (ADDRESS, str(made)))

    assert {**there, "path": ""} == {**here, "path": ""}
