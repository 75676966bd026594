"""Published results of models on ReaSCAN: the figures of Tables 2 and 3 of the paper and of later ones.

Why ours differ from them, a person writes down: a sentence for a cell of a table.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from deixis.report._notes import read_sentences
from deixis.report._results.cells import PublishedFigure, Unit


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


Which: TypeAlias = Literal["table2", "table3"]
UNIT = Unit(digits=2, far=5.0, name="points")
Reasons: TypeAlias = "Mapping[tuple[Which, str, str], str]"  # why a cell differs, by table, model and row


@dataclass(frozen=True, kw_only=True)
class KnownModel:
    """A model that figures are published of.

    Attributes:
        key: its name in the files.
        title: what ours is called.
        published: what the published one is called.
        names: all its names, written plainly.
    """

    key: str
    title: str
    published: str
    names: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """A row of a table.

    Attributes:
        key: its name in the files.
        title: its head.
        about: what it tests.
        split: the split that is judged; empty in Table 2, where it is dev or test.
        pattern: only the examples of this pattern; empty for all.
        patterns: in Table 2, the patterns of the commands that the model is trained on.
        random_only: in Table 2, whether all distractors of the training set are random.
        is_leaking: whether the published test set leaks.
    """

    key: str
    title: str
    about: str = ""
    split: str = ""
    pattern: str = ""
    patterns: tuple[str, ...] = ()
    random_only: bool = False
    is_leaking: bool = False


@dataclass(frozen=True, kw_only=True)
class KnownResults:
    """Everything that is published.

    Attributes:
        source: what to cite.
        marks: signs behind figures, with their meanings.
        titles: of the tables.
        models: in the order in which to show them.
        rows: of each table, in their order.
        figures: by table, model, row and `dev`, `test` or `update`, the last for clean test sets.
    """

    source: str
    marks: Mapping[str, str]
    titles: Mapping[Which, str]
    models: tuple[KnownModel, ...]
    rows: Mapping[Which, tuple[TableRow, ...]]
    figures: Mapping[tuple[Which, str, str, str], PublishedFigure]

    def model(self, name: str) -> KnownModel | None:
        """Return the model with this name, however it is written."""
        return next((model for model in self.models if plain_name(name) in model.names), None)

    def scores_to_compare(
        self, which: Which, model: KnownModel | None, row: str, part: str
    ) -> tuple[PublishedFigure, ...]:
        """Return the published scores for a cell: the one to compare with, then any from before the leak was found.

        There is no figure where nobody reported one.
        """
        keys = [*(["update"] if part == "test" else []), part]
        found = [self.figures.get((which, model.key, row, key)) for key in keys] if model else []
        return tuple(figure for figure in found if figure is not None)


@cache
def known_results() -> KnownResults:
    """Return the published results of models on ReaSCAN."""
    facts = tomllib.loads((files("deixis.worlds.grid._paper") / "models.toml").read_text(encoding="utf-8"))
    tables: tuple[Which, ...] = ("table2", "table3")
    return KnownResults(
        source=facts["source"],
        marks=facts["marks"],
        titles={which: facts[which]["title"] for which in tables},
        models=tuple(_model(key, entry) for key, entry in facts["models"].items()),
        rows={which: tuple(_row(key, row) for key, row in facts[which]["rows"].items()) for which in tables},
        figures={
            (which, model, row, part): PublishedFigure(
                mean=numbers[0],
                deviation=numbers[1],
                marks=("†" if part == "test" and facts[which]["rows"][row].get("is_leaking") else "")
                + theirs.get("marks", ""),
                digits=theirs.get("digits"),
            )
            for which in tables
            for model, theirs in facts["models"].items()
            for row, parts in facts[which].get(model, {}).items()
            for part, numbers in parts.items()
        },
    )


def plain_name(name: str) -> str:
    """Return a name without what people write differently: `m_lstm` and `M-LSTM` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _model(key: str, facts: Mapping[str, Any]) -> KnownModel:
    title = facts["title"]
    published = facts.get("published", title)
    names = frozenset(map(plain_name, (key, title, published, *facts.get("also", ()))))
    return KnownModel(key=key, title=title, published=published, names=names)


def _row(key: str, facts: Mapping[str, Any]) -> TableRow:
    return TableRow(key=key, **{**facts, "patterns": tuple(facts.get("patterns", ()))})


def read_reasons(path: Path) -> dict[tuple[Which, str, str], str]:
    """Read sentences from a TOML file with a table for every table and model.

    Raises:
        RecipeError: when it is no TOML, or names a table or a row that there is not.

    Example:
        ```toml
        [table3.m-lstm]
        a2 = "Our red squares are never targets of any command, those of the release sometimes are."
        ```
    """
    rows = {which: tuple(row.key for row in some) for which, some in known_results().rows.items()}
    return cast("dict[tuple[Which, str, str], str]", read_sentences(path, cast("Mapping[str, tuple[str, ...]]", rows)))
