"""The answers of models to one example, in one form for all worlds: right or wrong, why, and where it is drawn.

Worlds say which objects, boxes or cells an answer is about. The script of the page draws them: one line style and one
letter for each model, so that no colour is needed to tell models apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from deixis._studio.model_results import read_model_results
from deixis._studio.verdicts import Side, verdicts_of
from deixis.errors import DeixisError
from deixis.judge.verdicts import id_code, read_column


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from markupsafe import Markup

    from deixis._studio.library import Entry, Library


Sign: TypeAlias = Literal["good", "fair", "bad"]
SIGNS: dict[Sign, tuple[str, str]] = {"good": ("✓", "right"), "fair": ("≈", "partly right"), "bad": ("✗", "wrong")}


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    """The answer of one model.

    Attributes:
        key: of its results, in addresses.
        model: what it is called.
        sign: whether it is right.
        said: what it did, and the misreading that explains it.
        quote: the answer itself, where that is a text.
        parts: the settings in which it answered like this, where there are several.
        spots: what it points at, see `spot_of` and `box_spot`.
        way: the points that it walked through, in the drawing of the scene.
        keys: the objects of the scene that light up with it.
        more: the address of a fragment that shows more.
    """

    key: str
    model: str
    sign: Sign
    said: str
    quote: Markup | str = ""
    parts: tuple[str, ...] = ()
    spots: tuple[dict[str, Any], ...] = ()
    way: tuple[tuple[float, float], ...] = ()
    keys: tuple[str, ...] = ()
    more: str = ""

    @property
    def is_drawn(self) -> bool:
        """True if there is anything to draw."""
        return bool(self.spots or self.way)

    @property
    def mark(self) -> tuple[str, str]:
        """The sign for right or wrong, and the same in words."""
        return SIGNS[self.sign]


@dataclass(frozen=True, eq=False)
class FoundVerdict:
    """The verdict of a model on one example.

    Attributes:
        side: the model with all verdicts on it.
        row: of the verdict.
        parts: the settings or splits in which it is the same.
    """

    side: Side
    row: int
    parts: tuple[str, ...] = field(default=())

    @property
    def is_right(self) -> bool:
        """True if the answer is right by the first measure of its world that it has."""
        measure = next(iter(self.side.judged.measures))
        return bool(self.side.verdicts.right[measure][self.row])

    @property
    def chosen(self) -> int:
        """The number of the chosen object, -1 where there is none or it is not told."""
        return int(self.side.verdicts.chosen[self.row])

    @property
    def outcome(self) -> str:
        """The outcome of the answer."""
        return self.side.verdicts.outcomes[self.side.verdicts.outcome[self.row]]

    @property
    def role(self) -> str:
        """The role of a wrong object."""
        return self.side.verdicts.roles[self.side.verdicts.role[self.row]]

    @property
    def misreadings(self) -> tuple[str, ...]:
        """The misreadings that explain a wrong answer."""
        return self.side.verdicts.misreadings[self.side.verdicts.misreading[self.row]]

    @property
    def text(self) -> str:
        """The answer or the question as a text, where it is kept."""
        texts = self.side.verdicts.texts
        return texts[self.row] if texts else ""

    def column(self, name: str) -> Any:
        """Return the value in a further column of the file, or None where there is none."""
        file = self.side.judged.rows
        assert file is not None
        values = _read_column(file, file.stat().st_mtime_ns, name)
        return None if values is None or self.row >= len(values) else values[self.row].as_py()


def find_verdicts(
    entry: Entry,
    id: int | str,  # noqa: A002 (as examples call it)
    library: Library,
    *,
    also: Sequence[str] = (),
) -> Iterator[FoundVerdict]:
    """Yield the verdicts on an example of those models that were asked about its dataset.

    Verdicts that are the same in several splits or settings are given once. What cannot be read is passed over: the
    page of results says what is wrong with it.

    Args:
        entry: the dataset.
        id: of the example.
        library: where results are looked for.
        also: further columns that tell verdicts apart.
    """
    code = id_code(id)
    for judged in read_model_results(library)[0]:
        if judged.world != entry.kind or judged.rows is None or not entry.pages.is_about(judged, entry):
            continue
        try:
            side = Side(judged, verdicts_of(judged))
            yield from _join_parts(side, _rows_of(side, code, str(id)), also)
        except (DeixisError, OSError):
            continue


def _rows_of(side: Side, code: int, name: str) -> list[int]:
    verdicts = side.verdicts
    rows = np.flatnonzero(verdicts.ids == code).tolist()
    return [row for row in rows if verdicts.names is None or verdicts.names[row] == name]


def _join_parts(side: Side, rows: Sequence[int], also: Sequence[str]) -> Iterator[FoundVerdict]:
    verdicts = side.verdicts
    joined: dict[tuple[Any, ...], list[int]] = {}
    for row in rows:
        one = FoundVerdict(side, row)
        more = tuple(str(one.column(name)) for name in also)
        joined.setdefault((one.outcome, one.chosen, one.misreadings, one.text, more), []).append(row)
    for some in joined.values():
        yield FoundVerdict(side, some[0], tuple(verdicts.parts[verdicts.part[row]] for row in some))


@lru_cache(maxsize=64)
def _read_column(path: Path, _changed: int, name: str) -> Any:
    return read_column(path, name)


def spot_of(key: str, *, within: str = "") -> dict[str, Any]:
    """An object that is pointed at: its name in the drawing, and the id of the drawing where a page has several."""
    return {"object": key, "in": within}


def box_spot(image: int, box: Sequence[float]) -> dict[str, Any]:
    """A box that is given, with left, top, right and bottom in the space of its image."""
    return {"image": image, "box": [round(float(edge), 4) for edge in box]}
