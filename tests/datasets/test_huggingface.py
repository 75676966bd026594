"""Hugging Face's `datasets` reads what we write, all splits of it, without a network."""

from __future__ import annotations

import pytest

from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.splits.rules import Rule
from tests.datasets.tiny import quick


datasets = pytest.importorskip("datasets", reason="Hugging Face's `datasets` is not installed")

RULES = (
    Rule(id="own/1", name="no", thing="circle"),  # a word that YAML would read as a truth value
    Rule(id="own/2", name="2-things", thing="red object"),
    Rule(id="own/3", name="12", thing="blue object"),  # a name that YAML would read as a number
)


@pytest.fixture
def dataset(tmp_path, monkeypatch):
    """A dataset whose splits have awkward names, and joint sets."""
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    return make(quick(hold_out=RULES), tmp_path / "dataset", workers=1)


def test_the_folder_is_read_with_all_its_splits(dataset):
    """The card names the files of every split, joint sets in both; hyphens become underscores."""
    found = datasets.load_dataset(str(dataset.path))

    wanted = {name.replace("-", "_"): size for name, size in dataset.splits.items() if size}
    assert {name: len(rows) for name, rows in found.items()} == wanted


def test_single_files_are_read_as_parquet(dataset):
    """Files can be named one by one, and hold the rows that we read."""
    files = [str(path) for path in dataset.files("train")]

    found = datasets.load_dataset("parquet", data_files=files)["train"]

    ours = [row for table in dataset.tables("train") for row in table.to_pylist()]
    assert list(found) == ours
