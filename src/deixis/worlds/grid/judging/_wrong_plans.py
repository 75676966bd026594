"""Plans that make for a wrong object, one by one, with the misreadings that lead there in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.worlds.grid.judging._misreadings import LABELS, NO_REASON, UNCLEAR
from deixis.worlds.grid.language import say_misreadings_to
from deixis.worlds.grid.scene import GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.worlds.grid.judging.verdicts import ExampleArrays, Verdicts


MOST = 20  # of each split; the words of one take some milliseconds


class WrongPlan(NamedTuple):
    """A plan that makes for a wrong object.

    Attributes:
        id: of the example, as text.
        command: what was asked.
        chosen: the number of the object.
        misreadings: the names under which they are counted.
        wordings: what a reader did who goes there: "ignored ‘big’ in ‘a big circle’".
    """

    id: str
    command: str
    chosen: int
    misreadings: tuple[str, ...]
    wordings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, under the names of evaluation.json."""
        told = self._asdict()
        words = told.pop("wordings")
        return {**told, "missed": self.misreadings, "misreadings": words}


def wrong_plans(
    asked: Mapping[str, ExampleArrays], verdicts: Mapping[str, Verdicts], *, most: int = MOST
) -> dict[str, tuple[WrongPlan, ...]]:
    """Return the first plans of every judged split that make for a wrong object."""
    return {
        split: tuple(_wrong_plan(asked[split], found, int(row)) for row in _first_wrong(found, most))
        for split, found in verdicts.items()
    }


def _first_wrong(verdicts: Verdicts, most: int) -> np.ndarray:
    return np.flatnonzero(verdicts.is_wrong_object)[:most]


def _wrong_plan(asked: ExampleArrays, verdicts: Verdicts, row: int) -> WrongPlan:
    command, found = asked.commands[asked.which[row]], verdicts.verdict(row)
    chosen = int(verdicts.chosen[row])
    if UNCLEAR in found.misreadings or not command.is_read:
        told: tuple[str, ...] = (LABELS[UNCLEAR],)
    else:
        told = say_misreadings_to(command.utterance, _scene(asked, row), chosen) or (LABELS[NO_REASON],)
    return WrongPlan(str(int(asked.ids[row])), command.text, chosen, found.misreadings, told)


def _scene(asked: ExampleArrays, row: int) -> GridScene:
    codes = asked.objects[row, : int(asked.count[row])].tolist()
    return GridScene(tuple(GridObject.from_codes(*thing) for thing in codes), size=int(asked.size[row]))
