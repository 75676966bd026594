"""Released files read for a check: an example that cannot be understood is told, and so is every field that is wrong.

Reading for use stops at the first example that makes no sense. Reading for a check goes on: such an example becomes a
row with a fault, and of all others each recorded field is held against what follows from the command, the world and
the roles of the objects.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from deixis.data._json_stream import no_object
from deixis.errors import BrokenDataset, DeixisError
from deixis.expression.patterns import C2
from deixis.worlds.grid.actions import plan_from_words, plan_to_words
from deixis.worlds.grid.formats._inferred_roles import infer_roles
from deixis.worlds.grid.formats._metadata import Sets
from deixis.worlds.grid.formats._predictions import file_of
from deixis.worlds.grid.formats._rows import ROWS, Row, append_row, no_rows, table_of_columns, text_field
from deixis.worlds.grid.formats._situation import (
    ImpossibleWorld,
    LostTarget,
    Situation,
    read_situation,
    write_situation,
)
from deixis.worlds.grid.formats._wording import name_of, wording
from deixis.worlds.grid.formats.reascan import record_of
from deixis.worlds.grid.roles import Role, decode_role


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from deixis.worlds.grid.formats._wording import Wording


FAULT = "fault"
RECORDED = (FAULT, "recorded_of_command", "recorded_of_world", "recorded_of_distractors")  # columns beside the schema
OF_COMMAND = (
    "command",
    "grammer_pattern",
    "meaning",
    "derivation",
    "verb_in_command",
    "adverb_in_command",
    "referred_target",
    "object_pattern_map",
    "relation_map",
    "object_expression",
)
OF_WORLD = ("situation", "n_object", "n_distractor")
OF_DISTRACTORS = (
    "full_relation_distractor",
    "has_relation_distractor",
    "has_attribute_distractor",
    "has_isomorphism_distractor",
    "has_random_distractor",
    "n_random_distractor",
    "relation_distractor_metadata",
    "attribute_distractor_metadata",
    "isomorphism_distractor_metadata",
    "random_distractor_metadata",
)
MISSING = object()
LONGEST = 60  # letters of a value in a message


class ExaminedExample(NamedTuple):
    """One released example and its faults in words, which are empty where there are none.

    Attributes:
        row: what was understood; None where there is a fault.
        fault: a code of `worlds.grid.checks` and the reason why the example cannot be used.
        of_command, of_world, of_distractors: the recorded fields that are not what they should be.
    """

    row: Row | None
    fault: str = ""
    of_command: str = ""
    of_world: str = ""
    of_distractors: str = ""


def examined_tables(path: Path, kind: str, *, rows: int = ROWS) -> Iterator[pa.Table | str]:
    """Yield the examples of a released file as tables with the columns `RECORDED` beside those of the schema.

    Where the file itself cannot be read on, the reason comes last, as text.

    Args:
        path: the file.
        kind: `reascan` or `gscan`.
        rows: at most so many in one table.
    """
    file = file_of(path, keeps_all=True)
    judge = examine if kind == "reascan" else examine_gscan
    columns = _no_rows()
    try:
        for split, example in file:
            _append(columns, judge(example, file.header.get("grid_size")), split)
            if len(columns["split"]) >= rows:
                yield _table(columns)
                columns = _no_rows()
    except BrokenDataset as error:
        problem = str(error)
    else:
        problem = ""
    if columns["split"]:
        yield _table(columns)
    if problem:
        yield problem


def examine(example: Any, grid_size: object = None) -> ExaminedExample:
    """Read one example of a released ReaSCAN file, with the faults of its 24 fields.

    Args:
        example: the example as the file has it.
        grid_size: the size that the head of the file gives for all, where it does.
    """
    return _guard(example, lambda said, world, plan: _examine_reascan(example, said, world, plan, grid_size))


def examine_gscan(example: Any, grid_size: object = None) -> ExaminedExample:
    """Return one example of a released gSCAN file, with what is wrong with its fields.

    Its grammar and its vectors differ between its releases; they are passed over.
    """
    return _guard(example, lambda said, world, plan: _examine_gscan(example, said, world, plan, grid_size))


def _guard(example: Any, judge: Callable[[Wording, Situation, str], ExaminedExample]) -> ExaminedExample:
    """The judgement on an example whose command, world and plan can be read, or the fault of one where they cannot."""
    if not isinstance(example, dict):
        return _fault("E001", f"it is {no_object(example)}")
    try:
        said = wording(text_field(example, "command"))
    except BrokenDataset as error:
        return _fault("E001", error)
    except (DeixisError, ValueError) as error:
        return _fault("E104", error)
    try:
        world = read_situation(example.get("situation"), with_vectors=False)
        plan = plan_to_words(plan_from_words(text_field(example, "target_commands")))
        if len(world.objects) < len(said):
            return _fault("E106", f"the command mentions {len(said)} objects, the world has {len(world.objects)}")
        return judge(said, world, plan)
    except LostTarget as error:
        return _fault("E103", error)
    except ImpossibleWorld as error:
        return _fault("E106", error)
    except (DeixisError, ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError) as error:
        return _fault("E001", error)


def _fault(code: str, why: object) -> ExaminedExample:
    return ExaminedExample(None, f"{code} {why}")


def _examine_reascan(
    example: dict[str, Any], said: Wording, world: Situation, plan: str, grid_size: object
) -> ExaminedExample:
    codes, misreadings = infer_roles(example, said, world.objects) if world.target == 0 else ([], [])
    roles = [decode_role(code) for code in codes] or [Role("random")] * len(world.objects)
    wanted = record_of(said, world, plan, Sets.of(misreadings, roles))
    return ExaminedExample(
        Row(said, world, plan, codes, misreadings),
        of_command=_differing(example, wanted, OF_COMMAND),
        of_world=_join(_differing(example, wanted, OF_WORLD), _order(world), _other_size(world, grid_size)),
        of_distractors=_join(_differing(example, wanted, OF_DISTRACTORS), _other_number(example))
        or _other_edges(example, said),
    )


def _examine_gscan(
    example: dict[str, Any], said: Wording, world: Situation, plan: str, grid_size: object
) -> ExaminedExample:
    wanted = {"verb_in_command": said.verb, "manner": said.manner, "meaning": example["command"]}
    named = example.get("referred_target", "")
    if isinstance(named, str) and sorted(named.split()) != sorted(said.phrases[0].split()):
        wanted["referred_target"] = said.phrases[0]
    told = {name: value for name, value in wanted.items() if name in example}
    situation, right = example["situation"], write_situation(world)
    distances = [name for name in ("distance_to_target", "direction_to_target") if name in situation]
    return ExaminedExample(
        Row(said, world, plan, [], []),
        of_command=_differing(example, told, tuple(told)),
        of_world=_join(_differing(situation, right, tuple(distances)), _other_size(world, grid_size)),
    )


def _order(world: Situation) -> str:
    return "" if world.target == 0 else f"target_object is placed_objects {world.target}, which should be the first"


def _other_size(world: Situation, grid_size: object) -> str:
    """What to say where the head of the file has another grid."""
    if grid_size is None or str(grid_size) == str(world.size):
        return ""
    return f"situation.grid_size {world.size} should be {_shorten(grid_size)}, as at the head of the file"


def _other_number(example: dict[str, Any]) -> str:
    """What to say where other random objects are counted than are named; either alone passes for the truth."""
    number, entries = example.get("n_random_distractor"), example.get("random_distractor_metadata")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return ""
    named = sum(map(len, entries))
    return "" if number in (None, named) else f"n_random_distractor {_shorten(number)}, but {named} are named"


def _other_edges(example: dict[str, Any], said: Wording) -> str:
    """What to say where the sets are not one for each clause that can be dropped, as the release has them.

    Without random objects, whose names count what came before, a set that is not recorded leaves no other trace.
    """
    entries = example.get("relation_distractor_metadata")
    edges = [entry.get("distractor_metadata", {}).get("edge") for entry in entries] if isinstance(entries, list) else []
    if not any(edges) or len(said) < 2:
        return ""
    is_star = said.pattern != C2 and len(said) > 2
    wanted = [said.edge(k) for k in range(1, len(said))] if is_star else edges[:1]
    if edges == wanted:
        return ""
    return f"relation_distractor_metadata has {len(edges)} sets, not one for each of {', '.join(map(_name, wanted))}"


def _name(edge: object) -> str:
    return "-".join(edge) if isinstance(edge, list) and edge else name_of(1)


def _differing(found: dict[str, Any], wanted: dict[str, Any], names: tuple[str, ...]) -> str:
    """Return the fields of some names that are not as wanted, with both values."""
    told = (_first_difference(name, found.get(name, MISSING), wanted[name]) for name in names)
    return _join(*(text for text in told if text))


def _first_difference(name: str, found: object, wanted: object) -> str:
    """Return the first place at which two values differ, or empty where they do not.

    True and 1 are not the same here: the fields of the release have types.
    """
    if found is MISSING:
        return f"{name} is missing"
    if isinstance(found, dict) and isinstance(wanted, dict):
        extra = [key for key in found if key not in wanted]
        inner = (_first_difference(f"{name}.{key}", found.get(key, MISSING), wanted[key]) for key in wanted)
        return next(filter(None, inner), f"{name} has {_shorten(extra[0])} too many" if extra else "")
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        pairs = enumerate(zip(found, wanted, strict=True))
        return next(filter(None, (_first_difference(f"{name}[{k}]", *pair) for k, pair in pairs)), "")
    if type(found) is type(wanted) and found == wanted:
        return ""
    return f"{name} {_shorten(found)} should be {_shorten(wanted)}"


def _join(*texts: str) -> str:
    return "; ".join(text for text in texts if text)


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _no_rows() -> dict[str, list[Any]]:
    return {**no_rows(), **{name: [] for name in RECORDED}}


def _append(columns: dict[str, list[Any]], found: ExaminedExample, split: str) -> None:
    append_row(columns, found.row or _no_example(), split)
    for name, text in zip(RECORDED, found[1:], strict=True):
        columns[name].append(text)


def _table(columns: dict[str, list[Any]]) -> pa.Table:
    table = table_of_columns(columns)
    for name in RECORDED:
        table = table.append_column(name, pa.array(columns[name], pa.string()))
    return table


@lru_cache(maxsize=1)
def _no_example() -> Row:
    """Return a row that holds the place of an example with a fault."""
    return Row(wording("walk to the circle"), Situation(6, [], 0, (0, 0, 0)), "walk", [], [])
