"""The public border: modules without an underscore are the reference's, and they alone list their names."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import deixis


SOURCES = Path(deixis.__file__).parent
REFERENCE = Path(__file__).parents[1] / "docs" / "reference"


REPLACED = "deixis/distractors/relaxations.py"  # an earlier home: it holds deprecated names alone


def modules():
    """Every module of the package by its dotted name, with its file; earlier homes of names are left out."""
    for path in sorted(SOURCES.rglob("*.py")):
        parts = path.relative_to(SOURCES.parent).with_suffix("").parts
        if "template" not in parts and path.name != "__main__.py" and not path.as_posix().endswith(REPLACED):
            yield ".".join(parts).removesuffix(".__init__"), path


def is_public(module):
    """Whether no part of a dotted name begins with an underscore."""
    return not any(part.startswith("_") for part in module.split("."))


def lists_names(path):
    """Whether a file has an `__all__`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def documented():
    """The modules that the pages of the reference show."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md"))
    return set(re.findall(r"^::: (\S+)$", pages, re.MULTILINE))


def test_public_modules_are_those_of_the_reference():
    """A module is either shown in the reference or named with an underscore; packages only hold others."""
    public = {module for module, path in modules() if is_public(module) and path.name != "__init__.py"}

    assert public - documented() == set()
    assert {module for module in documented() if not is_public(module)} == set()


def test_only_public_modules_list_their_names():
    """`__all__` says what is promised, so nothing private has one."""
    assert [module for module, path in modules() if not is_public(module) and lists_names(path)] == []


def test_public_modules_list_their_names():
    """What a public module does not list may change."""
    unlisted = [
        module
        for module, path in modules()
        if is_public(module) and path.name != "__init__.py" and not lists_names(path)
    ]

    assert unlisted == []
