"""Importing the core is cheap: heavy packages are loaded when something needs them, not before."""

from __future__ import annotations

import subprocess
import sys

import pytest


HEAVY = (
    "torch",
    "triton",
    "safetensors",
    "pyarrow",
    "numba",
    "fastapi",
    "PIL",
    "matplotlib",
    "cyclopts",
    "rich",
    "hypothesis",
)


def loaded_after(statement: str) -> set[str]:
    """The top-level packages in memory after a statement, in a fresh interpreter."""
    code = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}}, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())  # what is run may print


@pytest.mark.parametrize(
    "module",
    [
        "deixis",
        "deixis.schema",
        "deixis.scene",
        "deixis.expression",
        "deixis.resolution",
        "deixis.resolution.reference",
        "deixis.distractors",
    ],
)
def test_the_core_loads_nothing_heavy(module):
    """Neither the compiler nor anything for tables, pictures, servers, terminals or learning comes with the core."""
    loaded = loaded_after(f"import {module}")

    assert "deixis" in loaded
    assert not loaded & set(HEAVY)


def test_the_compiler_is_loaded_when_a_batch_needs_it():
    """Resolving a batch loads numba, and only then."""
    ask = "resolve_batch(Description(), GridBatch.of([GridScene(())]), backend={!r})"
    imports = "from deixis.expression import Description\nfrom deixis.worlds.grid.resolution import resolve_batch\n"
    imports += "from deixis.worlds.grid.scene import GridBatch, GridScene\n"

    assert "numba" in loaded_after(imports + ask.format("numba"))
    assert "numba" not in loaded_after(imports + ask.format("numpy"))


def test_learning_is_loaded_when_a_model_is_needed():
    """Neither the command line nor judging plans loads torch; finding a checkpoint does not, either."""
    assert "torch" not in loaded_after("import deixis._cli.app, deixis.worlds.grid.judging._evaluate, deixis.learn.run")
    assert "torch" in loaded_after("import deixis.worlds.grid.models.registry")


def test_models_see_tensors_only():
    """Models load neither tables nor kernels nor the command line."""
    assert not loaded_after("import deixis.worlds.grid.models.registry") & {"pyarrow", "numba", "cyclopts", "rich"}
