"""A rule for every verb: what is left out is counted, told last, kept in JSON, and asked for where it is much."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis._cli import main


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _with_commands(tiny: Path, path: Path, faulty: int) -> Path:
    """A Parquet file of examples, some of whose commands nobody can read and none of which stores its expression."""
    tables = [pq.read_table(file) for file in sorted((tiny / "data").glob("*.parquet"))]
    table = pa.concat_tables(tables).drop_columns("expression")
    commands = ["fly away"] * faulty + table["command"].to_pylist()[faulty:]
    place = table.schema.get_field_index("command")
    pq.write_table(table.set_column(place, "command", pa.array(commands)), path)
    return path


def _plans(tiny: Path, path: Path, strange: int) -> Path:
    """Right plans for the split a1, and some for examples that there are not."""
    rows = [row for file in (tiny / "data").glob("*.parquet") for row in pq.read_table(file).to_pylist()]
    lines = [{"id": row["id"], "plan": row["plan"]} for row in rows if row["split"] == "test"]
    lines += [{"id": number, "plan": "W"} for number in range(strange)]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def _stats(tiny: Path, tmp: Path) -> list[object]:
    return ["stats", _with_commands(tiny, tmp / "some.parquet", 3)]


def _audit(tiny: Path, tmp: Path) -> list[object]:
    return ["audit", _with_commands(tiny, tmp / "some.parquet", 3)]


def _evaluate(tiny: Path, tmp: Path) -> list[object]:
    return ["evaluate", _plans(tiny, tmp / "plans.jsonl", 3), "--data", tiny, "--split", "test"]


def _evaluate_twice(tiny: Path, tmp: Path) -> list[object]:
    words = _evaluate(tiny, tmp)
    path = _plans(tiny, tmp / "plans.jsonl", 0)
    path.write_text(2 * (path.read_text(encoding="utf-8") + "\n"), encoding="utf-8")
    return words


def _prompts(tiny: Path, tmp: Path) -> list[object]:
    table = pq.read_table(next((tiny / "data").glob("train*.parquet"))).slice(0, 3)
    pq.write_table(pa.concat_tables([table, table]), tmp / "twice.parquet")
    return ["prompts", tmp / "twice.parquet", "--split", "train"]


def _answers(tiny: Path, tmp: Path) -> list[object]:
    assert main(["prompts", str(tiny), "--split", "train", "--limit", "5", "--out", str(tmp / "p.jsonl")]) == 0
    asked = [json.loads(line)["id"] for line in (tmp / "p.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = [json.dumps({"id": name, "answer": "W"}) for name in (*asked, "nobody")]
    (tmp / "given.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return ["answers", tmp / "given.jsonl", "--prompts", tmp / "p.jsonl"]


def _answers_twice(tiny: Path, tmp: Path) -> list[object]:
    words = _answers(tiny, tmp)
    lines = (tmp / "given.jsonl").read_text(encoding="utf-8").splitlines()[:-1]
    (tmp / "given.jsonl").write_text("\n".join(lines * 2), encoding="utf-8")
    return words


def _scenes(tiny: Path, tmp: Path) -> list[object]:
    graph = {"width": 500, "height": 300, "objects": {}}
    thing = {"x": 1, "y": 2, "w": 60, "h": 50, "attributes": ["red"], "relations": []}
    graphs = {str(n): {**graph, "objects": {f"{n}0": {**thing, "name": "cup"}}} for n in range(20)}
    graphs["3"] = {**graphs["3"], "width": float("nan")}
    (tmp / "graphs.json").write_text(json.dumps(graphs), encoding="utf-8")
    return ["make", "copsref", "--scenes", tmp / "graphs.json", "--out", tmp / "made", "--workers", 1]


CASES = (_stats, _audit, _evaluate, _evaluate_twice, _prompts, _answers, _answers_twice)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_losses_are_refused_told_and_kept(case: Callable[[Path, Path], list[object]], tiny, tmp_path, capsys):
    """More than one in a hundred is refused; asked for, it is told last and kept in the JSON."""
    words = [str(word) for word in case(tiny, tmp_path)]
    capsys.readouterr()

    assert main(words) == 2
    assert "--allow-losses" in capsys.readouterr().err

    assert main([*words, "--allow-losses"]) == 0
    told = capsys.readouterr().out.rstrip().splitlines()
    assert any("left out" in line for line in told[-3:])

    assert main([*words, "--allow-losses", "--json"]) == 0
    losses = json.loads(capsys.readouterr().out)["losses"]
    assert losses.get("left out") or all(one["left out"] for one in losses.values())


def test_what_a_recipe_cannot_have_is_told_and_kept(tmp_path, capsys):
    """Where fewer worlds are found than asked for, how many stands in the last lines and in the manifest."""
    recipe = tmp_path / "recipe.toml"
    pool = '[[pools]]\nname = "p3"\npattern = "p3"\ncommands = 4\nworlds = 3\nretries = 1\n'
    recipe.write_text(f'mode = "every-word"\nhold_out = []\ncap = 6\nfill = 6\ngrid_size = 4\n{pool}', encoding="utf-8")

    assert main(["make", "reascan", "--recipe", str(recipe), "--out", str(tmp_path / "out"), "--workers", "1"]) == 0

    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    missing = 12 - manifest["examples"]
    why = "too few commands and worlds were found for the pool p3"
    assert manifest["losses"] == [{"of": "examples", "seen": 12, "left out": {why: missing}}]
    assert f"{missing} of 12 examples left out: {why}" in capsys.readouterr().out.splitlines()[-2]


def test_faulty_scenes_are_refused(tiny, tmp_path, capsys):
    """One faulty image of twenty stops the making before anything is written."""
    words = [str(word) for word in _scenes(tiny, tmp_path)]

    assert main(words) == 2

    assert "--allow-losses" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["stats", "audit", "evaluate", "prompts", "answers", "convert", ("make", "copsref")])
def test_every_verb_that_may_lose_something_has_the_option(verb, capsys):
    """The option is called the same everywhere."""
    main([*([verb] if isinstance(verb, str) else verb), "--help"])

    assert "--allow-losses" in capsys.readouterr().out
