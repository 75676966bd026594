"""Plans of models on disk: written once, judged as often as one likes.

**Parquet**, one file per split, `PREDICTIONS/<split>.parquet`: columns `id` (int64, of the example) and `plan` (one
letter per action: L, R turn, W walk, P push, Q pull, S stay; ? for what a model said that is no action), in the order
of the split. The metadata key `deixis` holds facts as JSON: `format`, `kind` ("plans"), `split`, `data` (the digest of
the dataset), `data_name`, `examples`, `model`, `checkpoint`, `seed`, `updates`, `selection`, `decode_limit`, `training`
and `deixis`, the version.

**JSON Lines**, so that anybody's model can be judged, one answer on each line and in any order:

    {"id": 10443282331, "plan": "LWWP"}
    {"id": "10443282331", "plan": "turn left, walk, walk, push"}
    {"id": 10443282331, "plan": ["turn left", "walk", "walk", "push"]}

**Prediction files of gSCAN's authors**, a JSON list whose entries hold the command and the world beside the plan. An id
follows from these, so that the plans can be judged against the file itself or against the dataset it was made from.

Ids may be written as text. Those of 64 bits, from before ids had 53, are understood, also where a tensor has made half
of them negative. A line that is no JSON, and a plan that
holds something that is no action, are counted and told; the rest is judged all the same.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deixis._version import __version__
from deixis.data._ids import LARGEST_ID, SMALLEST_ID, current_ids
from deixis.data._parquet_files import open_parquet, read_all
from deixis.data._ragged import Ragged
from deixis.data.store import replacing_file
from deixis.errors import BrokenDataset, ParseError
from deixis.worlds.grid.actions import Action, plan_from_letters, plan_from_words
from deixis.worlds.grid.formats._predictions import SPLIT, example_of, is_list, plan_of, read_predictions
from deixis.worlds.grid.formats._rows import tables_of
from deixis.worlds.grid.formats.gscan import understand
from deixis.worlds.grid.judging.verdicts import NO_ACTION, Plans


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


__all__ = ["Plans", "read_plans", "read_plans_in", "write_plans"]

FORMAT, KIND = 1, "plans"
KEY = b"deixis"
LETTERS = np.array([ord(action.letter) for action in Action], np.uint8)
STRANGE = b"?"[0]
LONGEST_LINE = 1 << 20
NO_PLAN = "a plan holds something that is no action"


class _Faults:
    """What could not be read: how often, and where first."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[int, str]] = {}

    def add(self, what: str, where: str, count: int = 1) -> None:
        before, first = self.found.get(what, (0, where))
        self.found[what] = before + count, first


# -------------------------------------------------------------------------------- writing


def write_plans(
    path: Path, ids: np.ndarray, plans: Ragged | tuple[np.ndarray, np.ndarray], facts: Mapping[str, Any] | None = None
) -> None:
    """Write the plans for one split.

    Args:
        path: the file, `<split>.parquet`.
        ids: integers [plan], of the examples.
        plans: the codes of `Plans`, or (actions, starts): uint8 [action], codes of actions, all plans one after the
            other, and int64 [plan + 1]. A code that is no action is written as ?.
        facts: what else to remember: split, data, model, checkpoint, seed and so on, as JSON can hold it.
    """
    actions, starts = (plans.values, plans.start) if isinstance(plans, Ragged) else map(np.asarray, plans)
    if len(starts) != len(ids) + 1 or starts[0] != 0 or starts[-1] != len(actions) or (np.diff(starts) < 0).any():
        raise ValueError(f"{len(ids)} plans need {len(ids) + 1} starts that rise from 0 to the number of actions")
    letters = np.full(256, STRANGE, np.uint8)
    letters[: len(LETTERS)] = LETTERS
    text = pa.LargeStringArray.from_buffers(
        len(ids), pa.py_buffer(starts.astype(np.int64)), pa.py_buffer(letters[actions.astype(np.uint8)].tobytes())
    )
    said = {"format": FORMAT, "kind": KIND, **(facts or {}), "examples": len(ids), "deixis": __version__}
    table = pa.table({"id": pa.array(np.asarray(ids, np.int64)), "plan": text.cast(pa.string())})
    table = table.replace_schema_metadata({KEY: json.dumps(said, ensure_ascii=False, allow_nan=False)})
    with replacing_file(path) as draft:
        pq.write_table(table, draft, compression="zstd", use_dictionary=["plan"], write_page_checksum=True)


# -------------------------------------------------------------------------------- reading


def read_plans(path: Path) -> Plans:
    """The plans in a Parquet file, in JSON Lines or in a prediction file, told apart by what is in it.

    Raises:
        BrokenDataset: when the file is neither, lacks a column, or holds no plan at all.
    """
    try:
        with path.open("rb") as stream:
            is_parquet = stream.read(4) == b"PAR1"
        plans = _read_parquet(path) if is_parquet else _read_entries(path) if is_list(path) else _read_lines(path)
    except OSError as error:
        raise BrokenDataset(f"{path} cannot be read: {_first_line(error)}") from error
    if not len(plans):
        why = next((f"{what} ({first})" for what, (_, first) in plans.faults.items()), "it is empty")
        raise BrokenDataset(f"{path} holds no plans: {why}")
    return plans


def read_plans_in(folder: Path, splits: Sequence[str]) -> dict[str, Plans]:
    """Read the plans in those files `<split>.parquet` of a folder that are there.

    Raises:
        BrokenDataset: when there is none, or one cannot be read.
    """
    found = {
        split: read_plans(folder / f"{split}.parquet") for split in splits if (folder / f"{split}.parquet").is_file()
    }
    if not found:
        raise BrokenDataset(
            f"{folder} holds plans for none of the splits {', '.join(splits)}, such as {splits[0]}.parquet"
        )
    return found


def _read_parquet(path: Path) -> Plans:
    try:
        with open_parquet(path) as file:
            table = read_all(file, path, [name for name in ("id", "plan") if name in file.schema_arrow.names])
    except (pa.ArrowException, OSError, EOFError) as error:
        raise BrokenDataset(f"{path} cannot be read as Parquet: {_first_line(error)}") from error
    missing = [name for name in ("id", "plan") if name not in table.column_names]
    if missing:
        raise BrokenDataset(f"{path} lacks the column {missing[0]!r}; plans have 'id' and 'plan'")
    facts = _facts_of(path, table.schema.metadata or {})
    try:
        ids, plans = _whole(table["id"]), table["plan"].cast(pa.large_string())
    except pa.ArrowException as error:
        raise BrokenDataset(f"{path} does not hold ids and plans: {_first_line(error)}") from error
    faults = _Faults()
    if ids.null_count or plans.null_count:
        kept = pc.and_(ids.is_valid(), plans.is_valid())
        first = int(np.argmin(kept.to_numpy()))
        faults.add("a row has no id or no plan", f"row {first}", int(pc.sum(pc.invert(kept)).as_py()))
        ids, plans = ids.filter(kept), plans.filter(kept)
    return _plans(current_ids(ids.to_numpy()), plans.combine_chunks(), facts, faults)


def _whole(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Ids as whole numbers, signed where that is enough."""
    if column.type == pa.uint64():
        return column
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:  # text that goes beyond
        return column.cast(pa.uint64())


def _facts_of(path: Path, metadata: Mapping[bytes, bytes]) -> dict[str, Any]:
    try:
        facts = json.loads(metadata.get(KEY, b"{}"))
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise BrokenDataset(f"{path} has facts that are no JSON object; write it with `write_plans`")
    if facts and (facts.get("kind"), facts.get("format")) != (KIND, FORMAT):
        said = f"{facts.get('kind')!r}, format {facts.get('format')!r}"
        raise BrokenDataset(f"{path} holds {said}; plans are of the kind {KIND!r}, format {FORMAT}")
    return facts


def _read_lines(path: Path) -> Plans:
    ids: list[int] = []
    texts: list[str] = []
    faults = _Faults()
    for number, values in _json_lines(path):
        where = f"line {number}"
        said = values.get("plan") if isinstance(values, dict) else None
        if isinstance(said, list) and all(isinstance(one, str) for one in said):
            said = ",".join(said)
        if not isinstance(values, dict):
            faults.add("a line is no JSON object", where)
        elif (known := _id_of(values.get("id"))) is None:
            faults.add("a line has no 'id' that is a whole number", where)
        elif not isinstance(said, str) or not _is_text(said):
            faults.add("a line has no 'plan' that is text", where)
        else:
            ids.append(known)
            texts.append(said)
    return _plans(current_ids(ids), pa.array(texts, pa.large_string()), {}, faults)


def _read_entries(path: Path) -> Plans:
    """Plans of a prediction file, each with the id that its command and world have in any dataset."""
    entries = list(read_predictions(path))
    tables = tables_of(((SPLIT, example_of(entry)) for entry in entries), understand, path)
    ids = [number for table in tables for number in table["id"].to_pylist()]
    texts = pa.array([plan_of(entry) for entry in entries], pa.large_string())
    return _plans(current_ids(ids), texts, {}, _Faults())


def _is_text(said: str) -> bool:
    """Whether a text can be written: JSON may hold halves of characters."""
    try:
        said.encode()
    except UnicodeEncodeError:
        return False
    return True


def _json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    with path.open("rb") as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE):
            number += 1
            if line.strip():
                try:
                    yield number, json.loads(line)
                except (ValueError, RecursionError):  # also what is no UTF-8
                    yield number, None


def _id_of(value: Any) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,20}", value.strip()):
        value = int(value)
    return value if type(value) is int and SMALLEST_ID <= value <= LARGEST_ID else None


# -------------------------------------------------------------------------------- texts to actions


def _plans(ids: np.ndarray, texts: pa.LargeStringArray, facts: dict[str, Any], faults: _Faults) -> Plans:
    """Texts as codes: letters all at once, whatever else it may be one by one."""
    codes = np.full(256, NO_ACTION, np.uint8)
    codes[LETTERS] = np.arange(len(LETTERS))
    letters = _bytes_of(texts)
    plans = Ragged(codes[letters.values], letters.start)
    strange = np.unique(letters.row[plans.values == NO_ACTION])
    if len(strange):
        lists = plans.split()
        for row in strange.tolist():
            lists[row] = _slowly(texts[row].as_py(), int(ids[row]), faults)
        plans = Ragged.of_lists(lists)
    return Plans(ids=ids, codes=plans, facts=facts, faults=faults.found)


def _slowly(text: str, number: int, faults: _Faults) -> np.ndarray:
    """The codes of a plan that is not just letters; a single code for no action where it is no plan."""
    is_letters = re.fullmatch(r"[A-Z?\s]*", text) is not None
    try:
        plan = plan_from_letters(text) if is_letters else plan_from_words(text.lower())
    except ParseError as error:
        faults.add(NO_PLAN, f"id {number}: {error.word[:40]!r} in place {error.position}")
        return np.array([NO_ACTION], np.uint8)
    return np.array(plan, np.uint8)


def _bytes_of(texts: pa.LargeStringArray) -> Ragged:
    _, offsets, letters = texts.buffers()
    start = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1] if offsets else np.zeros(1)
    start = start.astype(np.int64)
    values = np.frombuffer(letters, np.uint8) if letters else np.zeros(0, np.uint8)
    return Ragged(values[start[0] : start[-1]], start - start[0])


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
