"""Rows by number, and the codes of all rows, against reading everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.data._row_groups import RowGroups
from deixis.data.store import write_parquet
from deixis.errors import BrokenDataset, UnknownName
from deixis.testing import grid_scenes
from deixis.worlds.grid.actions import plan_from_letters
from deixis.worlds.grid.data._example_codes import pack_worlds, read_codes, read_ids
from deixis.worlds.grid.data.imported import write_imported
from deixis.worlds.grid.data.sources import open_source, row_groups_of
from deixis.worlds.grid.data.table import SCHEMA, examples_of, table_of
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.formats.reascan import write_reascan
from deixis.worlds.grid.navigate import Example
from deixis.worlds.grid.roles import KINDS, Role


COMMANDS = ("walk to the red circle", "push the circle that is in the same row as a blue square cautiously")


def example(number: int) -> Example:
    scene = grid(f"""
        r○1  .   .
        >    .   b□{number % 4 + 1}
        .    .   .
    """)
    return Example(
        text=COMMANDS[number % 2],
        scene=scene,
        target=0,
        plan=plan_from_letters("W" * (number % 5)),
        roles=() if number % 3 == 0 else (Role("target"), Role(KINDS[1 + number % 6], 0)),
        split=("train", "a1+a2", "dev")[number // 10 % 3],
        command_number=number,
    )


EXAMPLES = [example(number) for number in range(50)]


@pytest.fixture(scope="module")
def rows(tmp_path_factory) -> RowGroups:
    """Fifty examples in three files, of one, of twenty-four and of twenty-five rows, in groups of eight."""
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("rows")
    files = []
    for number, (start, stop) in enumerate(((0, 1), (1, 25), (25, 50))):
        path = folder / f"{number}.parquet"
        pq.write_table(table_of(EXAMPLES[start:stop]), path, row_group_size=8)
        files.append((path, stop - start))
    return RowGroups(files, SCHEMA.names)


@given(numbers=st.lists(st.integers(0, 49), max_size=12))
def test_rows_are_those_of_the_numbers_in_their_order(rows, numbers):
    """Any choice of rows, in any order, with repetitions."""
    assert list(examples_of(rows.take(numbers))) == [EXAMPLES[number] for number in numbers]


def test_groups_follow_each_other_without_gaps(rows):
    """Every row lies in exactly one group."""
    covered = [number for group in rows.groups() for number in range(group.start, group.stop)]
    assert covered == list(range(50))
    assert all(rows.group_of(number).start <= number < rows.group_of(number).stop for number in range(50))


@pytest.mark.parametrize("number", [-1, 50, 10**12])
def test_a_number_out_of_range_is_unknown(rows, number):
    """The message says how many there are."""
    with pytest.raises(UnknownName, match="there are 50, counted from 0"):
        rows.row(number)


def test_codes_say_what_the_examples_say(rows):
    """Texts, numbers of objects, lengths of plans and kinds of roles of every example."""
    codes = read_codes(rows)
    assert len(codes) == len(EXAMPLES)
    for number, one in enumerate(EXAMPLES):
        assert codes.text("command", number) == one.text
        assert codes.text("split", number) == one.split
        assert codes.text("pattern", number) == one.pattern
        assert codes.text("verb", number) == one.verb
        assert codes.text("manner", number) == one.manner
        assert codes.objects[number] == len(one.scene)
        assert codes.length[number] == len(one.plan)
        kinds = {kind for place, kind in enumerate(KINDS) if codes.kinds[number] >> place & 1}
        assert kinds == {role.kind for role in one.roles}
    assert {name for name, table in codes.relations.items() if table.any()} == {"same row"}
    assert read_ids(rows).tolist() == [one.id for one in EXAMPLES]


@given(scenes=st.lists(grid_scenes(min_objects=1), min_size=1, max_size=4))
def test_packed_worlds_are_the_worlds(tmp_path_factory, scenes):
    """What is unpacked equals what was packed, whatever the world."""
    examples = [Example(text=COMMANDS[0], scene=scene, target=len(scene) - 1, plan=()) for scene in scenes]
    path = tmp_path_factory.mktemp("packed") / "some.parquet"
    write_parquet(table_of(examples), path)
    worlds = pack_worlds(RowGroups([(path, len(examples))], SCHEMA.names))
    assert worlds is not None
    assert [worlds.scene(number) for number in range(len(scenes))] == scenes
    assert [worlds.target(number) for number in range(len(scenes))] == [len(scene) - 1 for scene in scenes]


def test_values_that_are_too_large_are_not_packed(rows, tmp_path):
    """A size of nine does not fit into two bits."""
    import pyarrow as pa

    table = table_of(EXAMPLES[:2])
    sizes = pa.array([[9, 1], [1, 1]], pa.list_(pa.uint8()))
    write_parquet(table.set_column(table.schema.get_field_index("size"), "size", sizes), tmp_path / "odd.parquet")
    assert pack_worlds(RowGroups([(tmp_path / "odd.parquet", 2)], SCHEMA.names)) is None


@pytest.mark.parametrize("kind", ["folder", "parquet", "reascan"])
def test_every_source_has_rows(kind, tmp_path):
    """Datasets, single files and released files."""
    table = table_of([one for one in EXAMPLES if one.split == "dev"])
    match kind:
        case "folder":
            path = write_imported([table], tmp_path / "out", source="test", kind="test").path
        case "parquet":
            path = tmp_path / "some.parquet"
            write_parquet(table, path)
        case _:
            path = tmp_path / "released.txt"
            write_reascan([table], path)
    rows = row_groups_of(open_source(path))
    assert len(rows) == table.num_rows
    shown = next(examples_of(rows.row(3)))
    assert (shown.text, shown.scene) == (EXAMPLES[23].text, EXAMPLES[23].scene)


def test_damage_is_told_in_one_line(rows, tmp_path):
    """A file that is cut, and one with another number of rows than promised."""
    whole = rows.files[1][0].read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BrokenDataset, match=r"cut\.parquet cannot be read"):
        RowGroups([(tmp_path / "cut.parquet", 24)], SCHEMA.names).row(0)
    with pytest.raises(BrokenDataset, match="24 rows, but should have 30"):
        RowGroups([(rows.files[1][0], 30)], SCHEMA.names).row(0)
    with pytest.raises(BrokenDataset, match="cannot be read"):
        read_codes(RowGroups([(tmp_path / "missing.parquet", 1)], SCHEMA.names))


def test_a_file_of_something_else_is_refused(tmp_path):
    """Its columns are not those of examples."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": np.arange(3)}), tmp_path / "other.parquet")
    with pytest.raises(BrokenDataset, match="lacks the columns"):
        RowGroups([(tmp_path / "other.parquet", 3)], SCHEMA.names).row(0)
