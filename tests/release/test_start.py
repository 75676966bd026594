"""Starting is cheap: what is not needed yet is not loaded."""

from __future__ import annotations

import pytest

from tests.test_imports import loaded_after


LAZY = (
    "PIL",
    "dask",
    "datasets",
    "distributed",
    "evaluate",
    "fsspec",
    "gymnasium",
    "h5py",
    "inspect_ai",
    "jinja2",
    "lm_eval",
    "matplotlib",
    "mlcroissant",
    "numba",
    "pettingzoo",
    "pyarrow",
    "safetensors",
    "starlette",
    "torch",
    "uvicorn",
)


@pytest.mark.parametrize(
    "program",
    [
        "import deixis",
        "from deixis._cli import main\nmain(['--help'])",
        "from deixis._cli import main\nmain(['--version'])",
        "from deixis._cli import main\nmain(['completion', 'bash'])",
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(program):
    """Neither the package nor the help of its command brings in a compiler, tables, models or somebody's harness."""
    assert loaded_after(program) & set(LAZY) == set()


def test_importing_the_package_needs_the_standard_library_only():
    """Not even numpy is there before a name of the package is used."""
    assert "numpy" not in loaded_after("import deixis")
