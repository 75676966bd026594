"""The benchmarks take minutes and are run by hand; here, what they name is looked for."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest


BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
IMPORT = re.compile(
    r"^\s*from (deixis[\w.]*) import (\w+(?:, \w+)*)", re.MULTILINE
)  # also in scripts for other processes


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_takes_from_deixis_is_there(path):
    """Scripts that a benchmark hands to another process are looked at, too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    scripts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    in_scripts = [match.groups() for script in scripts for match in IMPORT.finditer(script)]
    in_file = [
        (node.module, ", ".join(name.name for name in node.names))
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("deixis")
    ]

    missing = [
        f"{module}: {name}"
        for module, names in in_file + in_scripts
        for name in names.split(", ")
        if _lacks(module, name)
    ]

    assert missing == []


def _lacks(module: str, name: str) -> bool:
    try:
        return not hasattr(import_module(module), name) and import_module(f"{module}.{name}") is None
    except ImportError:
        return True
