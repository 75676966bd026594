"""What an agent gets to see, as spaces of Gymnasium and as values in them."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from gymnasium import spaces

from deixis.environments.pictures import observed_picture
from deixis.worlds.grid.pictures.board import describe
from deixis.worlds.grid.pictures.look import Marks


if TYPE_CHECKING:
    from deixis.environments.batch import Batch
    from deixis.environments.episodes import Episodes
    from deixis.environments.options import Options


__all__ = ["Values", "letters_of", "observe", "observe_all", "space_of"]

Values: TypeAlias = dict[str, Any]
CHARACTERS = string.ascii_letters + string.digits + " .,:-'"
LONGEST_OBJECT, LONGEST_START = 80, 200  # of a description, in letters


def space_of(batch: Batch, options: Options) -> spaces.Dict:
    """The space of the observations of one row."""
    size, places = batch.episodes.size, batch.episodes.places
    words = spaces.Box(0, batch.vocabulary, (batch.stage.words.shape[1],), np.uint16)
    match options.observation:
        case "symbolic":
            most = max(places, 1)  # what stands on one cell is added up
            return spaces.Dict({"grid": spaces.Box(0, most, (size, size, options.channels), np.uint8), "words": words})
        case "objects":
            codes = np.tile(np.array([3, 3, 4, size - 1, size - 1], np.uint8), (places, 1))
            agent = np.array([size - 1, size - 1, 3], np.uint8)
            return spaces.Dict(
                {
                    "objects": spaces.Box(np.zeros_like(codes), codes, dtype=np.uint8),
                    "agent": spaces.Box(np.zeros_like(agent), agent, dtype=np.uint8),
                    "words": words,
                }
            )
        case "rgb":
            side = size * options.cell
            return spaces.Dict({"image": spaces.Box(0, 255, (side, side, 3), np.uint8), "words": words})
    longest = LONGEST_START + LONGEST_OBJECT * places
    command = max(len(said.text) for said in batch.episodes.asked.commands)
    return spaces.Dict(
        {
            "instruction": spaces.Text(command, charset=letters_of(batch.episodes)),
            "scene": spaces.Text(longest, charset=CHARACTERS),
        }
    )


def observe(batch: Batch, options: Options, row: int) -> Values:
    """What is seen in one row; new arrays each time."""
    match options.observation:
        case "rgb":
            return {"image": observed_picture(batch.scene(row), options.cell), "words": batch.stage.words[row].copy()}
        case "text":
            number = int(batch.stage.episode[row])
            return {"instruction": batch.episodes.command(number), "scene": describe(batch.scene(row), Marks())}
    return {name: array[row].copy() for name, array in _arrays(batch, options).items()}


def observe_all(batch: Batch, options: Options, *, copy: bool) -> Values:
    """What is seen in all rows, for the kinds of observation that are arrays already."""
    arrays = _arrays(batch, options)
    return {name: array.copy() for name, array in arrays.items()} if copy else arrays


def _arrays(batch: Batch, options: Options) -> Values:
    stage = batch.stage
    if options.observation == "symbolic":
        return {"grid": stage.grid, "words": stage.words}
    return {"objects": stage.objects, "agent": stage.agent, "words": stage.words}


def letters_of(episodes: Episodes) -> str:
    """Every letter that a command may have."""
    return "".join(sorted(set(CHARACTERS).union(*(said.text for said in episodes.asked.commands))))
