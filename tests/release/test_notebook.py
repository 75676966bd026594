"""The notebooks in `examples` run, are small, and are the pages of the documentation."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest


ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
LARGEST = 300_000  # bytes, pictures included

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in read(path)["cells"] if cell["cell_type"] == "code"]


def test_there_is_a_notebook():
    """The tests below have something to look at."""
    assert [path.stem for path in NOTEBOOKS] == ["errors-of-a-model"]


@each
def test_a_notebook_is_kept_as_it_ran(path):
    """It was run once from top to bottom without an error, and its outputs are there and small."""
    cells = code_cells(path)

    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert not [out for cell in cells for out in cell["outputs"] if out["output_type"] == "error"]
    assert sum("image/png" in out.get("data", {}) for cell in cells for out in cell["outputs"]) >= 4
    assert path.stat().st_size < LARGEST


@each
def test_a_notebook_names_no_machine(path):
    """Neither a folder nor a complaint of the machine that it ran on is in it."""
    said = json.dumps([cell["outputs"] for cell in code_cells(path)])

    assert "/tmp/" not in said  # noqa: S108 - that it is not there is the point
    assert '"stderr"' not in said


@each
def test_the_page_is_that_of_the_notebook(path):
    """Whoever changes a notebook writes its page anew: python docs/notebooks.py."""
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    notebooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(notebooks)

    text, pictures = notebooks.page_of(read(path), path.stem)

    assert (ROOT / "docs" / f"{path.stem}.md").read_text(encoding="utf-8") == text
    assert all((ROOT / "docs" / name).read_bytes() == data for name, data in pictures.items())


@pytest.mark.slow
@each
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    """Run anew in an empty folder it goes through, prints as much and draws as much as what is kept."""
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"), prepend=":")
    client, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(path, as_version=4)
    kept = [[output["output_type"] for output in cell["outputs"]] for cell in code_cells(path)]

    client.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()

    again = [cell["outputs"] for cell in notebook.cells if cell["cell_type"] == "code"]
    assert [[output["output_type"] for output in outputs] for outputs in again] == kept
