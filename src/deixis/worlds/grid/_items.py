"""Part `items` of the grid: worlds and plans as arrays, and metrics of plans.

| column | added for PyTorch |
|---|---|
| `grid` | uint8 [row, column, 17], see `worlds.grid._batches` |
| `actions` | int64 [action], numbers of `Action` |
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from deixis.data._ragged import Ragged
from deixis.errors import BrokenDataset, ParseError, SchemaError
from deixis.judge._lists import demand_alike, demand_data, mean, predictions_by_id
from deixis.worlds.grid._batches import encode_grids
from deixis.worlds.grid.actions import Action, plan_from_letters, plan_from_words
from deixis.worlds.grid.data.example_arrays import example_arrays
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.data.table import NOWHERE, grid_batch
from deixis.worlds.grid.judging.verdicts import NO_ACTION, Plans, judge_all, tokens_right
from deixis.worlds.grid.judging.verdicts import exact_match as is_exact


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deixis.judge._lists import Numbers
    from deixis.worlds.grid.actions import Plan
    from deixis.worlds.grid.data.table import Table


CODES = np.full(128, 255, np.int64)  # the number of the action that a letter stands for
for _action in Action:
    CODES[ord(_action.letter)] = _action


def columns(path: Path, *, pictures: bool) -> Callable[[Table], dict[str, Any]]:
    """Return the worlds and the plans of rows, without pictures."""
    del path, pictures
    return _columns


def _columns(table: Table) -> dict[str, Any]:
    if not {"plan", "grid_size", "shape"} <= set(table.column_names):
        return {}
    return {"grid": grids_of(table), "actions": _actions(table.column("plan").to_pylist())}


def _actions(plans: list[str]) -> Ragged:
    """Return the actions of some plans."""
    codes = CODES[np.frombuffer("".join(plans).encode("utf-32-le"), np.uint32) & 127]
    if (len(codes) and codes.max() > max(Action)) or not "".join(plans).isascii():
        for plan in plans:
            plan_from_letters(plan)  # raises, saying what is wrong
    return Ragged.of_lengths(codes, [len(plan) for plan in plans])


def grids_of(table: Table) -> np.ndarray | list[np.ndarray]:
    """Return the worlds of rows as uint8 [row, column, channel] (`batches.encode_grids`), one array for one size."""
    sizes = table.column("grid_size").to_numpy().astype(np.int64)
    agents = np.stack([table.column(f"agent_{name}").to_numpy() for name in ("row", "column", "facing")], axis=1)
    alike = 2 * sizes + ~(agents == NOWHERE).all(axis=1)  # what can be encoded together
    keys = np.unique(alike).tolist()
    if len(keys) == 1:
        return _encode(table, agents if keys[0] % 2 else None)
    found: list[np.ndarray] = [np.empty(0)] * table.num_rows
    for key in keys:
        here = np.flatnonzero(alike == key)
        grids = _encode(table.take(pa.array(here)), agents[here] if key % 2 else None)
        for place, grid in zip(here.tolist(), grids, strict=True):
            found[place] = grid
    return found


def _encode(table: pa.Table, agents: np.ndarray | None) -> np.ndarray:
    try:
        return encode_grids(grid_batch(table), None if agents is None else agents.astype(np.int64))
    except ValueError as error:
        raise BrokenDataset(f"a world cannot be read: {error}") from error


# -------------------------------------------------------------------------------- metrics


def read_plan(text: object) -> Plan | None:
    """Read a plan in letters (`LWW`) or in words (`turn left,walk,walk`), or return None for anything else.

    Example:
        >>> read_plan("LWW") == read_plan("turn left,walk,walk")
        True
        >>> read_plan("fly away") is None
        True
    """
    if not isinstance(text, str):
        return None
    for read in (plan_from_letters, plan_from_words):
        try:
            return read(text)
        except ParseError:
            continue
    return None


def exact_match(predictions: Sequence[str], references: Sequence[str]) -> Numbers:
    """Count the plans that are the recorded ones.

    Args:
        predictions: plans in letters or words; anything that is no plan is wrong.
        references: the right plans, one for each.

    Raises:
        SchemaError: when the lists are of different lengths, empty, or a reference is no plan.

    Example:
        >>> exact_match(["LWW", "turn left,walk", "no idea"], ["LWW", "LWW", "W"])
        {'exact_match': 0.3333333333333333, 'tokens_right': 0.5555555555555555, 'unparsable': 1, 'examples': 3}
    """
    demand_alike(predictions=predictions, references=references)
    right = [read_plan(text) for text in references]
    if None in right:
        raise SchemaError(f"a reference is no plan: {str(references[right.index(None)])[:80]!r}")
    said = [read_plan(text) for text in predictions]
    pairs = [(one, other or ()) for one, other in zip(said, right, strict=True)]
    return {
        "exact_match": mean([one is not None and is_exact(one, other) for one, other in pairs]),
        "tokens_right": mean([0.0 if one is None else tokens_right(one, other) for one, other in pairs]),
        "unparsable": said.count(None),
        "examples": len(said),
    }


def navigation(
    predictions: Mapping[int, str] | Sequence[str],
    data: Path | str,
    *,
    split: str = "test",
    ids: Sequence[int | str] | None = None,
) -> Numbers:
    """Evaluate how well plans carry out the commands of a split.

    Args:
        predictions: plans in letters or words: by the id of the example, or a list.
        data: the dataset of grid worlds.
        split: which split; examples without a prediction count as wrong.
        ids: the examples that a list answers; without them, all of the split in their order.

    Returns:
        `exact_match`, `tokens_right`, `got_there` (the world is left as it should be), `right_target` (the object that
        is made for is the one meant), `unparsable`, `unanswered` and `examples`.

    Raises:
        BrokenDataset: when the dataset cannot be read.
        UnknownName: when it has no such split.
        SchemaError: when a list is not as long as it should be, or answers examples that do not exist.
    """
    asked = example_arrays(open_source(Path(data)).tables(split), name=split)
    said = predictions_by_id(predictions, asked.ids.tolist() if ids is None else ids)
    strange = said.keys() - set(asked.ids.tolist())
    if strange:
        raise SchemaError(f"there is no example {min(strange)} in the split {split} of {Path(data).name}")
    codes = [_codes(said.get(number)) for number in asked.ids.tolist()]
    plans = Plans(ids=asked.ids, codes=Ragged.of_lists(codes))
    found = judge_all(asked, plans, is_given=np.array([number in said for number in asked.ids.tolist()]))
    return {
        "exact_match": mean(found.exact),
        "tokens_right": mean(found.tokens),
        "got_there": mean(found.got_there),
        "right_target": mean(found.is_right_target),
        "unparsable": int((found.is_given & ~found.is_plan).sum()),
        "unanswered": int((~found.is_given).sum()),
        "examples": len(asked),
    }


def _codes(text: str | None) -> np.ndarray:
    plan = () if text is None else read_plan(text)
    return np.array([NO_ACTION]) if plan is None else np.array(plan, np.int64)


def _navigation(predictions: Sequence[str], references: Sequence[str], **options: Any) -> Numbers:
    demand_data(options, "navigation")
    return navigation(list(predictions), ids=list(references), **options)


metrics: Mapping[str, Callable[..., Numbers]] = {"exact_match": exact_match, "navigation": _navigation}
