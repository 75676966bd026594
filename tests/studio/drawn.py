"""A dataset of drawn worlds with the answers of two models, small enough to know by heart."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from deixis.data._ragged import Ragged
from deixis.data.store import write_parquet
from deixis.worlds.grid.actions import plan_to_codes
from deixis.worlds.grid.data.plans import write_plans
from deixis.worlds.grid.data.table import table_of
from deixis.worlds.grid.drawn import grid
from deixis.worlds.grid.judging._verdict_file import write_plan_verdicts
from deixis.worlds.grid.judging.navigation import evaluate_plans
from deixis.worlds.grid.judging.verdicts import ExampleArrays, Plans
from deixis.worlds.grid.navigate import Example
from deixis.worlds.grid.plan import plan as make_plan
from deixis.worlds.grid.roles import DROPPED, Role, encode_misreading


if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from deixis.worlds.grid.actions import Plan


CONTENT = "c0ffee" * 8
SCENE = grid("""
    0:r○2 .   1:b○2 .
    >     .   .     .
    .     2:r□1 .   .
    .     .   .     3:g○1
""")
ROLES = (Role("target"), Role("attribute", 0), Role("attribute", 1), Role("random"))
MISREADINGS = (encode_misreading("attribute", 0, 1, DROPPED), encode_misreading("attribute", 0, 0, DROPPED))


def drawn(text: str = "walk to the red circle", **changes: object) -> Example:
    """The example that most tests look at: a red circle, with a blue one and a red square to punish misreadings."""
    made = Example(
        text=text, scene=SCENE, target=0, plan=(), roles=ROLES, misreadings=MISREADINGS, split="test", command_number=7
    )
    return replace(replace(made, plan=made.gold_plan()), **changes)  # type: ignore[arg-type]


def examples() -> dict[str, list[Example]]:
    """Some examples by split; those of the split a1 have something special each."""
    return {
        "train": [drawn("push the red circle"), drawn("walk to the blue circle", target=1)],
        "test": [drawn(), drawn("pull the red circle hesitantly"), drawn("walk to the green circle", target=3)],
        "a1": [drawn("walk to the circle", split="a1"), drawn(plan=(), split="a1")],
    }


def write_dataset(folder: Path, some: dict[str, list[Example]] | None = None) -> Path:
    """Write the examples as a dataset, each split twice: all but its last example, then that one."""
    files, splits = [], {}
    for split, found in (some or examples()).items():
        splits[split] = len(found)
    for turn in range(2):
        for split, found in (some or examples()).items():
            rows = found[-1:] if turn else found[:-1]
            path = folder / "data" / f"{split}-{turn}.parquet"
            write_parquet(table_of(rows), path)
            digest = sha256(path.read_bytes()).hexdigest()
            name = str(path.relative_to(folder))
            files.append(
                {"path": name, "split": split, "rows": len(rows), "bytes": path.stat().st_size, "sha256": digest}
            )
    manifest = {"format": 1, "made by": "deixis", "content": CONTENT, "splits": splits, "files": files}
    manifest |= {"recipe": {"mode": "every-word", "seed": 42}, "recipe digest": "d1ce" * 16}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def plan_to(example: Example, target: int) -> Plan:
    """What one does who takes another object for the target."""
    return make_plan(example.scene, target, example.verb, example.manner)


def write_answers(folder: Path, asked: Iterable[Example], plans: Iterable[Plan], **facts: object) -> Path:
    """Write what a model says for the split `test` into a run folder."""
    known, said = list(asked), [plan_to_codes(plan) for plan in plans]
    starts = np.cumsum([0, *map(len, said)], dtype=np.int64)
    about = {"data": CONTENT, "split": "test", "model": folder.name} | facts
    ids = np.array([example.id for example in known], np.int64)
    write_plans(folder / "predictions" / "test.parquet", ids, (np.concatenate(said), starts), about)
    (folder / "run.json").write_text("{}", encoding="utf-8")
    return folder


def write_evaluation(folder: Path, asked: list[Example], plans: Iterable[Plan]) -> Path:
    """Write the judgement on what a model says for the split `test`, without the plans themselves."""
    said = [plan_to_codes(plan) for plan in plans]
    starts = np.cumsum([0, *map(len, said)], dtype=np.int64)
    ids = np.array([example.id for example in asked], np.int64)
    answers = Plans(ids=ids, codes=Ragged(np.concatenate(said), starts), facts={"model": folder.name})
    known = {"test": ExampleArrays.of(asked)}
    evaluation, verdicts = evaluate_plans(known, {"test": answers}, data="drawn", digest=CONTENT)
    folder.mkdir(parents=True)
    (folder / "evaluation.json").write_text(json.dumps(evaluation.to_dict()), encoding="utf-8")
    write_plan_verdicts(folder / "verdicts.parquet", known, verdicts)
    return folder
