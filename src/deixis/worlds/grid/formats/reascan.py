"""ReaSCAN's released files, read into the table of examples and written from it.

Reading finds the role of every object again from the metadata (see `sets`); writing derives all 24 fields of an
example, so that what was read can be written without loss. Objects are written in the order of the release: target,
mentions, then the distractor sets by kind, random ones last.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa

from deixis.data._json_stream import ExampleFile
from deixis.data._split_names import splits_of
from deixis.errors import BrokenDataset, DeixisError
from deixis.worlds.grid.actions import plan_to_words
from deixis.worlds.grid.data.table import DEMANDED, examples_of
from deixis.worlds.grid.formats._inferred_roles import infer_roles
from deixis.worlds.grid.formats._layout import JsonLayout, write_fields
from deixis.worlds.grid.formats._metadata import Sets, metadata_of
from deixis.worlds.grid.formats._release import FILE_NAME
from deixis.worlds.grid.formats._rows import ROWS, Row, tables_of, text_field
from deixis.worlds.grid.formats._situation import Situation, read_situation, write_situation
from deixis.worlds.grid.formats._wording import name_of, wording
from deixis.worlds.grid.formats.vocabulary import VocabularyCounter
from deixis.worlds.grid.roles import KINDS, Role, decode_role
from deixis.worlds.grid.scene import Agent


if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from deixis._losses import Losses
    from deixis.worlds.grid.formats._wording import Wording
    from deixis.worlds.grid.navigate import Example


__all__ = [
    "FILE_NAME",
    "convert_reascan",
    "differences",
    "read_examples",
    "read_reascan",
    "record_of",
    "to_record",
    "understand",
    "write_reascan",
]

INDENT = 4
UNSAYABLE = "the released layout cannot say why these objects are there; read back, they punish other misreadings"
PLACEMENT = [
    KINDS.index(kind)
    for kind in ("target", "mentioned", "relation", "attribute", "size", "isomorphism", "helper", "random")
]
WORD_LISTS = {
    "intransitive_verbs": ["walk"],
    "transitive_verbs": ["push", "pull"],
    "adverbs": ["while zigzagging", "while spinning", "cautiously", "hesitantly"],
    "nouns": ["circle", "cylinder", "square", "box"],
    "color_adjectives": ["red", "blue", "green", "yellow"],
    "size_adjectives": ["big", "small"],
    "relative_pronouns": ["that is"],
    "relation_clauses": [
        "in the same row as",
        "in the same column as",
        "in the same color as",
        "in the same shape as",
        "in the same size as",
        "inside of",
    ],
}


# ---------------------------------------------------------------------------------------------------- reading


def read_reascan(path: Path | str, *, rows: int = ROWS) -> Iterator[pa.Table]:
    """Yield the examples of a released file as tables, some thousand rows at a time.

    Raises:
        BrokenDataset: when the file or an example of it cannot be understood.
    """
    yield from tables_of(ExampleFile(path), understand, Path(path), rows=rows)


def read_examples(path: Path | str) -> Iterator[Example]:
    """Yield the examples of a released file, one by one."""
    for table in read_reascan(path):
        yield from examples_of(table)


def differences(record: dict[str, Any], *, strategies: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the fields of a released example that its command, world and roles contradict, or empty for none."""
    table = next(tables_of([("", record)], understand, Path("record")))
    derived = to_record(next(examples_of(table)), strategies=strategies)
    return tuple(name for name in derived if derived[name] != record.get(name))


def understand(example: dict[str, Any]) -> Row:
    """Read the meaning of a released example, with the roles of its objects found again."""
    said = wording(text_field(example, "command"))
    situation = read_situation(example.get("situation"))
    if len(situation.objects) < len(said):
        raise BrokenDataset(f"the command mentions {len(said)} objects, the world has {len(situation.objects)}")
    roles, misreadings = infer_roles(example, said, situation.objects) if situation.target == 0 else ([], [])
    return Row(said, situation, text_field(example, "target_commands"), roles, misreadings)


# ---------------------------------------------------------------------------------------------------- one example


def to_record(example: Example, *, strategies: Collection[str] | None = None) -> dict[str, Any]:
    """Return the example with the 24 fields of the release, in their order and with their types.

    Args:
        example: any example of the grid.
        strategies: the kinds of distractors that were asked for, of relation, attribute, isomorphism and random; see
            `sets.metadata_of` for the default.
    """
    roles, order = _placement(example)
    objects = [example.scene.objects[k].codes() for k in order]
    agent = example.scene.agent or Agent(0, 0)
    situation = Situation(
        example.scene.size, objects, order.index(example.target), (agent.row, agent.column, int(agent.facing))
    )
    said = wording(example.text)
    return record_of(said, situation, plan_to_words(example.plan), Sets.of(example.misreadings, roles), strategies)


def record_of(
    said: Wording, situation: Situation, plan: str, sets: Sets, strategies: Collection[str] | None = None
) -> dict[str, Any]:
    """Return the 24 fields of the release for an example that is taken apart.

    Args:
        said: the command.
        situation: the world, its objects in the order of the release.
        plan: the actions as words.
        sets: the roles of the objects and the distractor sets that they make up.
        strategies: as for `to_record`.
    """
    command = said.text.replace(" ", ",")
    return {
        "command": command,
        "grammer_pattern": said.pattern.notation,
        "meaning": command,
        "derivation": said.pattern.notation,
        "situation": write_situation(situation),
        "target_commands": plan,
        "verb_in_command": said.verb,
        "adverb_in_command": said.manner,
        "referred_target": said.phrases[0],
        "object_pattern_map": {name_of(k): form for k, form in enumerate(said.forms)},
        "relation_map": [[said.edge(k), said.relation(k)] for k in range(1, len(said))],
        "object_expression": {name_of(k): phrase for k, phrase in enumerate(said.phrases)},
        **metadata_of(said, situation.objects, sets, strategies),
    }


def _placement(example: Example) -> tuple[list[Role], list[int]]:
    """The roles of the objects in the order of the release, and that order; what is not known counts as random."""
    count = len(example.scene)
    if example.roles:
        order = sorted(range(count), key=lambda k: PLACEMENT.index(KINDS.index(example.roles[k].kind)))
        return [example.roles[k] for k in order], order
    order = [example.target, *(k for k in range(count) if k != example.target)]
    return [Role("target"), *[Role("random")] * (count - 1)], order


# ---------------------------------------------------------------------------------------------------- writing


def _keeps_roles(example: Example, record: dict[str, Any]) -> bool:
    """Return whether a record, read again, has the roles of the example it was written from."""
    if not example.roles:
        return True
    roles, _ = _placement(example)
    row = understand(record)
    read = [decode_role(code) for code in row.roles]
    return _reasons(roles, example.misreadings) == _reasons(read, row.misreadings)


def _reasons(roles: Iterable[Role], misreadings: Sequence[int]) -> list[tuple[str, int]]:
    """Why each object is there: its kind, and the misreading that it punishes, whatever number its set has."""
    return [
        (role.kind, misreadings[role.number] if role.has_misreading and role.number < len(misreadings) else 0)
        for role in roles
    ]


def write_reascan(
    tables: Iterable[pa.Table] | pa.Table,
    path: Path | str,
    *,
    strategies: Collection[str] | None = None,
    percentage_train: float = 0.9,
    indent: int | None = INDENT,
    losses: Losses | None = None,
    allow_losses: bool = True,
) -> dict[str, int]:
    """Write one file in the layout of the release, and return the number of examples of every split.

    The file takes its name only when it is whole. Memory does not grow with the number of examples: splits are
    gathered in temporary files first. An example of several held-out sets is written to each of them; one without a
    split to train.

    Args:
        tables: the examples.
        path: where to write.
        strategies: as for `to_record`.
        percentage_train: a field that nothing depends on; the release has 0.9, and 0.0 in its B1 and C2 files.
        indent: spaces of indentation, or None for one long line.
        losses: told of the examples whose roles the layout cannot say.
        allow_losses: write the file even where these are more than one in a hundred.
    """
    from deixis.data.store import replacing_file

    layout = JsonLayout(indent)
    counts: dict[str, int] = {}
    fields = _fields(percentage_train)
    try:
        with ExitStack() as stack:
            draft = stack.enter_context(replacing_file(Path(path)))
            parts: dict[str, IO[str]] = {}
            for example in _all_examples(tables):
                fields["grid_size"] = fields["grid_size"] or example.scene.size
                record = to_record(example, strategies=strategies)
                if losses is not None:
                    losses.see()
                    losses.leave_out(UNSAYABLE, not _keeps_roles(example, record))
                text = layout.value(record, 3, is_open=True)
                for split in splits_of(example.split):
                    if split not in parts:
                        parts[split] = stack.enter_context(TemporaryFile("w+", encoding="utf-8", dir=draft.parent))
                    parts[split].write(layout.gap(3, is_first=not counts.get(split)) + text)
                    counts[split] = counts.get(split, 0) + 1
            if losses is not None:
                losses.demand_few(where=path, allowed=allow_losses)
            with draft.open("w", encoding="utf-8", newline="\n") as file:
                write_fields(file, fields | {"grid_size": fields["grid_size"] or 6}, parts, layout)
    except OSError as error:
        raise DeixisError(f"{path} cannot be written: {error.strerror or error}") from error
    return counts


def convert_reascan(
    source: Path | str | Iterable[pa.Table] | pa.Table,
    out: Path | str,
    *,
    strategies: Collection[str] | None = None,
    percentage_train: float = 0.9,
) -> dict[str, int]:
    """Write a dataset as the release has it, one file with two vocabularies, and return the size of every split.

    Args:
        source: the folder of a dataset, a released file, or tables.
        out: a folder, or a file whose name ends in .txt or .json.
        strategies: as for `to_record`.
        percentage_train: as for `write_reascan`.
    """
    path = Path(out) if Path(out).suffix in (".txt", ".json") else Path(out) / FILE_NAME
    counter = VocabularyCounter()
    counts = write_reascan(
        counter.counting(_tables(source)), path, strategies=strategies, percentage_train=percentage_train
    )
    counter.write(path.parent)
    return counts


def _tables(source: Path | str | Iterable[pa.Table] | pa.Table) -> Iterable[pa.Table]:
    from deixis.data.store import open_dataset
    from deixis.worlds.grid.formats._recognise import read_any

    if isinstance(source, pa.Table):
        return [source]
    if not isinstance(source, str | Path):
        return source
    return open_dataset(Path(source)).tables(demanded=DEMANDED) if Path(source).is_dir() else read_any(source)


def _all_examples(tables: Iterable[pa.Table] | pa.Table) -> Iterator[Example]:
    for table in [tables] if isinstance(tables, pa.Table) else tables:
        yield from examples_of(table)


def _fields(percentage_train: float) -> dict[str, Any]:
    """The fields of a file in their order; the examples, and the grid size that they have, are filled in later."""
    return {
        "grid_size": None,
        "type_grammar": "ReaSCAN-Grammer",
        "min_object_size": 1,
        "max_object_size": 4,
        "percentage_train": percentage_train,
        "examples": None,
        **WORD_LISTS,
    }
