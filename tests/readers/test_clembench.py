"""Reference games of clembench: three grids, one of which is the target."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deixis.readers._builtin.clembench import READER
from deixis.readers._examples import ReadFile
from tests.readers.hostile import check_hostile_bytes


REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "others" / "clembench" / "referencegame_en-5each.json"

ROW = "X X X\n▢ ▢ ▢\n▢ ▢ ▢"
FALLING = "X ▢ ▢\n▢ X ▢\n▢ ▢ X"
FRAME = "X X X\nX ▢ X\nX X X"


def game(target=1, grids=(ROW, FALLING, FRAME), **changes):
    """One instance whose target is the second grid."""
    shown = dict(zip(("player_2_first_grid", "player_2_second_grid", "player_2_third_grid"), grids, strict=True))
    fields = {"game_id": 0, "player_1_prompt_header": "Describe.", "player_1_target_grid": grids[target], **shown}
    return {**fields, "target_grid_name": ["first", "1"] if target == 0 else ["second", "2"], "lang": "en", **changes}


def write(path, *games, name="lines", **more):
    """An instance file."""
    content = {"experiments": [{"name": name, "game_instances": list(games), **more}]}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_cells_say_what_is_filled(tmp_path):
    """Rows, columns, diagonals, corners and symmetry follow from them."""
    path = write(tmp_path / "instances.json", game())
    (example,) = ReadFile(READER, path)

    assert READER.sniff(path)
    assert (example.text, example.targets, example.id) == ("", ((1, 0),), "lines-0")
    row, falling, frame = example.scenes
    assert row.values(0, "row") == {"1"}
    assert row.values(0, "column") == frozenset()
    assert row.values(0, "symmetry") == {"left-right"}
    assert falling.values(0, "diagonal") == {"falling"}
    assert falling.values(0, "corner") == {"top left", "bottom right"}
    assert frame.values(0, "row") == frame.values(0, "column") == {"1", "3"}
    assert frame.values(0, "symmetry") == {"left-right", "top-bottom"}
    assert len(frame.values(0, "cell")) == 8


@pytest.mark.parametrize(
    "changes",
    [
        {"target_grid_name": "second"},
        {"target_grid_name": ["zweites", "2"], "lang": "de"},
        {"target_grid_name": ["第二"], "lang": "zh"},
        {"target_grid_name": None},
    ],
)
def test_the_target_is_found_in_every_language(tmp_path, changes):
    """By the grid itself; names are words of the language."""
    (example,) = ReadFile(READER, write(tmp_path / "instances.json", game(**changes)))

    assert example.targets == ((1, 0),)


def test_other_marks_of_cells_are_read(tmp_path):
    """The Chinese instances have another sign for an empty cell."""
    grids = tuple(grid.replace("▢", "□") for grid in (ROW, FALLING, FRAME))
    (one,) = ReadFile(READER, write(tmp_path / "zh.json", game(grids=grids)))
    (other,) = ReadFile(READER, write(tmp_path / "en.json", game()))

    assert one.scenes == other.scenes


def test_games_of_the_same_number_are_told_apart(tmp_path):
    """Early files number all games 0."""
    read = ReadFile(READER, write(tmp_path / "instances.json", game(), game()))

    assert [example.id for example in read] == ["lines-0", "lines-1"]


def test_grids_that_are_alike_need_a_name(tmp_path):
    """Then the name decides."""
    alike = (ROW, ROW, FRAME)
    read = ReadFile(READER, write(tmp_path / "x.json", game(grids=alike), game(grids=alike, target_grid_name=["x"])))

    assert [example.targets for example in read] == [((1, 0),)]
    assert dict(read.refused) == {"no-target": 1}


def test_records_that_cannot_be_read_are_refused_by_code(tmp_path):
    """One of each."""
    bad = {
        "no-grids": game(player_2_first_grid=None),
        "odd-grid": game(grids=("X X\n▢", FALLING, FRAME)),
        "no-target": game(target_grid_name=["third", "3"]),
    }
    more = [
        game(grids=("X Q\nQ X", FALLING, FRAME)),
        game(player_1_target_grid="X X X"),
        5,
        game(grids=("", ROW, FRAME)),
    ]
    read = ReadFile(READER, write(tmp_path / "x.json", game(), *bad.values(), *more))

    assert (read.records, len(read)) == (8, 1)
    codes = [refusal.code for refusal in read.refusals]
    assert codes == [*bad, "odd-grid", "no-target", "no-grids", "odd-grid"]


def test_a_folder_of_versions_gives_each_as_a_split(tmp_path):
    """Also where they lie in the subfolder `in`, as in the repository; other files are left."""
    (tmp_path / "in").mkdir()
    for name in ("instances_v1.6_ar", "instances_v3.0_hu"):
        write(tmp_path / "in" / f"{name}.json", game(), game(0))
    (tmp_path / "in" / "instances_taboo.json").write_text('{"experiments": []}')
    found = ReadFile(READER, tmp_path)

    assert READER.sniff(tmp_path)
    assert dict(found.splits) == {"instances_v1.6_ar": 2, "instances_v3.0_hu": 2}
    assert len({example.id for example in found}) == 4


def test_other_games_are_not_claimed(tmp_path):
    """They have experiments and instances, but no grids of two players."""
    content = {"experiments": [{"name": "taboo", "game_instances": [{"game_id": 0, "target_word": "tree"}]}]}
    (tmp_path / "instances.json").write_text(json.dumps(content), encoding="utf-8")

    assert not READER.sniff(tmp_path / "instances.json")


def test_hostile_bytes_never_crash(tmp_path):
    """Changed bytes give examples, refusals or one line."""
    path = write(tmp_path / "x.json", game(), game(0))
    check_hostile_bytes(READER, path, path)


@pytest.mark.skipif(not REAL.is_file(), reason="the sample of clembench does not lie beside the checkout")
def test_the_sample_is_read_whole():
    """30 games of six experiments, none refused."""
    read = ReadFile(READER, REAL)

    assert (read.records, len(read), dict(read.refused)) == (30, 30, {})
    assert len({example.facts["experiment"] for example in read}) == 6
    assert {example.targets[0].scene for example in read} == {0, 1, 2}
    assert all(example.scenes[where.scene].values(0, "cell") for example in read for where in example.targets)
