"""Names are nouns and verbs, and docstrings open with a plain main clause.

Three rules for all of `src/deixis`: no class and no function is named by a bare participle, no public docstring opens
with a riddle, and neither uses a phrase that says less than a plain word.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest


if TYPE_CHECKING:
    from collections.abc import Iterable


SOURCE = Path(__file__).parents[1] / "src" / "deixis"


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


#: Participles that do not end in -ed.
IRREGULAR = words(
    "beaten become begun bent born borne bought bound broken brought built caught chosen cut dealt done drawn "
    "driven eaten fallen fed felt forgotten fought found frozen given gone ground grown heard held hidden hit "
    "hung kept known laid lain led left lent lost made meant met paid put ridden risen run said sat seen sent set sewn "
    "shaken shown shut sold sought spent split spoken spoilt spread spun stood stuck struck sung sunk swept sworn "
    "taken taught thought thrown told torn understood worn won woven written"
)
#: Of these, the words that are a noun or an infinitive as well.
IRREGULAR_BUT_PLAIN = words("become bound cut ground hit left put run set shut split spread")
#: Words in -ed that are no participles.
PLAIN = words("bed embed exceed feed need proceed red reseed seed shed speed succeed")
#: Participles that stay, because each is a term of the theory or of another library, with the reason.
TERMS: dict[str, str] = {
    "Related": "the step of an expression that keeps objects related to a landmark",
    "related": "the relation of a scene as a function: scene.related(name)",
    "Ragged": "an adjective: arrays of rows of different length",
}

OPENINGS = words("what how whether who whoever where which when that whatever")
PHRASES = ("whoever", "of ours", "be it", "as far as", "whatever")


@dataclass(frozen=True)
class Definition:
    """A module, class or function.

    Attributes:
        name: of a class or function, or empty for a module.
        opening: the first paragraph of the docstring on one line, or None without a docstring.
        is_property: whether it is an attribute, which like a field may be an adjective.
        is_public: whether neither it nor anything around it has a name with an underscore.
    """

    path: Path
    line: int
    name: str
    qualname: str
    opening: str | None
    is_property: bool
    is_public: bool

    def __str__(self) -> str:
        return f"src/deixis/{self.path.relative_to(SOURCE).as_posix()}:{self.line} {self.qualname}"


def opening_of(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """Return the first paragraph of a docstring on one line, or None without a docstring."""
    docstring = ast.get_docstring(node)
    return None if docstring is None else " ".join(docstring.split("\n\n", 1)[0].split())


def is_participle(name: str) -> bool:
    """Return whether a name is one word, and that word a participle."""
    word = name.strip("_")
    if word in TERMS or not re.fullmatch(r"[A-Z]?[a-z]+", word):
        return False
    word = word.lower()
    if word in IRREGULAR:
        return word not in IRREGULAR_BUT_PLAIN
    return word.endswith("ed") and word not in PLAIN


def complaints_of(opening: str) -> list[str]:
    """Return what is wrong with the first paragraph of a docstring."""
    found = []
    if ";" in re.sub(r"`[^`]*`", "", opening):
        found.append("has a semicolon")
    if not opening.endswith("."):
        found.append("does not end with a full stop")
    if (first := re.match(r"[A-Za-z]*", opening)[0].lower()) in OPENINGS:
        found.append(f"begins with {first!r}")
    found += [f"says {phrase!r}" for phrase in PHRASES if re.search(rf"\b{phrase}\b", opening, re.IGNORECASE)]
    return found


def definitions_of(path: Path) -> list[Definition]:
    """Return the module, classes and functions of a file, nested ones included, in the order of their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    module = path.relative_to(SOURCE.parent).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    is_public = not path.stem.startswith("_") or path.stem == "__init__"
    found = [Definition(path, 1, "", module, opening_of(tree), is_property=False, is_public=is_public)]

    def visit(body: Iterable[ast.stmt | ast.ExceptHandler | ast.match_case], qualname: str, *, is_public: bool) -> None:
        for child in body:
            if not isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                for inner in ("body", "orelse", "handlers", "finalbody", "cases"):
                    visit(getattr(child, inner, ()), qualname, is_public=is_public)
                continue
            name = f"{qualname}.{child.name}" if qualname else child.name
            public = is_public and not child.name.startswith("_")
            is_property = any(ast.unparse(each).endswith("property") for each in child.decorator_list)
            found.append(Definition(path, child.lineno, child.name, name, opening_of(child), is_property, public))
            visit(child.body, name, is_public=public and isinstance(child, ast.ClassDef))

    visit(tree.body, "", is_public=is_public)
    return found


@cache
def all_definitions() -> tuple[Definition, ...]:
    """Return every definition below `src/deixis`."""
    return tuple(found for path in sorted(SOURCE.rglob("*.py")) for found in definitions_of(path))


def test_no_class_or_function_is_a_bare_participle() -> None:
    wrong = [str(each) for each in all_definitions() if is_participle(each.name) and not each.is_property]
    assert not wrong, "\n".join(wrong)


def test_docstrings_open_with_a_plain_clause() -> None:
    wrong = [
        f"{each}: {', '.join(complaints)}: {each.opening}"
        for each in all_definitions()
        if each.is_public and each.opening is not None
        if (complaints := complaints_of(each.opening))
    ]
    assert not wrong, "\n".join(wrong)


def test_terms_are_used() -> None:
    unused = set(TERMS) - {each.name for each in all_definitions()}
    assert not unused, f"no longer TERMS: {sorted(unused)}"


@pytest.mark.parametrize("name", ["said", "_told", "Judged", "Shown", "asked", "__found", "counted"])
def test_participles_are_recognised(name: str) -> None:
    assert is_participle(name)


@pytest.mark.parametrize("name", ["seed", "Feed", "set_up", "told_apart", "Related", "split", "is_shown", "embed"])
def test_other_names_pass(name: str) -> None:
    assert not is_participle(name)


@pytest.mark.parametrize(
    "opening",
    [
        "Whether a folder is a dataset.",
        "The part as a fraction; None of nothing.",
        "Read a file, be it old or new.",
        "Read a file",
        "What a row says.",
    ],
)
def test_riddles_are_recognised(opening: str) -> None:
    assert complaints_of(opening)


@pytest.mark.parametrize("opening", ["Return whether a folder is a dataset.", "Fraction, or None if the total is 0."])
def test_plain_clauses_pass(opening: str) -> None:
    assert not complaints_of(opening)
