"""The whole way at a small size: make a set, train every model, and print the paper's Table 3 for it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from deixis.worlds.photos._judging.grounding import evaluate_answers
from deixis.worlds.photos.data.store import open_copsref
from deixis.worlds.photos.localise import SETTINGS
from deixis.worlds.photos.making.make import CopsRefRecipe, make_copsref
from deixis.worlds.photos.training._evaluate import answers_of, ground
from deixis.worlds.photos.training._grounding import learn_to_ground
from deixis.worlds.photos.training.settings import grounding_of


if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deixis.worlds.photos.data.store import CopsRef

BEST = "best.safetensors"
SIZES = {  # an eighth of the published ones
    "grounder": {"width": 62, "joint": 16},
    "mattnet": {"width": 64},
    "cm-att-erase": {"width": 64, "bottleneck": 32},
    "scan": {"width": 128, "word_width": 38},
    "tree": {"width": 64, "pair": 8},
}


class Trained(NamedTuple):
    """A row of Table 3: the model, how it is trained, and the run of another that finds the image first."""

    model: str
    changes: dict[str, Any]
    retriever: str = ""


ROWS = {
    "GroundeR": Trained("grounder", {"lr": 3e-3}),
    "Deaf-GroundeR": Trained("grounder", {"lr": 3e-3, "probe": "deaf"}),
    "Shuffle-GroundeR": Trained("grounder", {"lr": 3e-3, "probe": "shuffle"}),
    "Obj-Attr-GroundeR": Trained("grounder", {"lr": 3e-3, "probe": "obj-attr"}),
    "MattNet": Trained("mattnet", {"lr": 2e-3}),
    "CM-Att-Erase": Trained("cm-att-erase", {"lr": 2e-3, "first_stage": 0.5}),
    "SCAN": Trained("scan", {"lr": 2e-3}),
    "SCAN+MattNet": Trained("mattnet", {"lr": 2e-3}, "SCAN"),
    "MattNet-Mine": Trained("mattnet", {"lr": 2e-3, "first_stage": 0.5, "mining": "module-specific"}),
    "Tree": Trained("tree", {"lr": 4e-3}),
}


@pytest.mark.slow
def test_the_whole_way_takes_less_than_five_minutes(tmp_path: Path) -> None:
    """Two hundred images: every model is trained and judged in all settings, and those with modules have learnt."""
    start = time.monotonic()
    recipe = CopsRefRecipe(seed=3, images=200, val=0.25, test=0.4, each=1, guarded=False)
    made = open_copsref(make_copsref(recipe, tmp_path / "data", workers=2).path)
    table = table_3(made, tmp_path, updates=150, batch=16)
    assert table["GroundeR"]["WithoutDist"] > 2 * table["chance"]["WithoutDist"]
    assert table["Tree"]["Full"] > 2 * table["chance"]["Full"]
    assert time.monotonic() - start < 300


@pytest.mark.slow
def test_a_reduced_way_takes_less_than_a_minute(tmp_path: Path) -> None:
    """Sixty images and a few updates: every model can be trained and judged in all settings."""
    start = time.monotonic()
    recipe = CopsRefRecipe(seed=3, images=60, val=0.25, test=0.5, each=1, guarded=False)
    table = table_3(open_copsref(make_copsref(recipe, tmp_path / "data").path), tmp_path, updates=4, batch=4)
    assert {name for name, row in table.items() if set(row) == set(SETTINGS)} == {*ROWS, "chance"} - {"SCAN"}
    assert all(0 <= share <= 1 for row in table.values() for share in row.values())
    assert time.monotonic() - start < 60


def table_3(made: CopsRef, folder: Path, *, updates: int, batch: int) -> dict[str, dict[str, float]]:
    """Train and judge every row, and print them; the shares of right answers by row and setting."""
    examples = list(made.examples("test"))
    table: dict[str, dict[str, float]] = {}
    lines: list[str] = []
    for name, row in ROWS.items():
        changes = {"sizes": SIZES[row.model], "steps": updates, "batch_size": batch, "repeats": 1, **row.changes}
        changes |= {"features": "oracle", "noise": 0.02, "eval_every": updates // 2, "decay_every": 0}
        changes["first_stage"] = int(updates * row.changes.get("first_stage", 0))
        out = folder / (name if not row.retriever else "MattNet")  # the same run, searched otherwise
        if not (out / BEST).exists():
            learn_to_ground(grounding_of(row.model, changes), made, out)
        if row.model == "scan":
            continue
        found, _ = ground(out / BEST, made, retriever=folder / row.retriever / BEST if row.retriever else None)
        evaluation, _ = evaluate_answers(examples, answers_of(found, made), made.scenes)
        table.setdefault("chance", {name: one.chance for name, one in evaluation.settings.items()})
        table[name] = {setting: one.accuracy.mean for setting, one in evaluation.settings.items()}
        lines.append(_line(name, [f"{100 * share:.1f}" for share in table[name].values()]))
    lines.insert(0, _line("chance", [f"{100 * share:.1f}" for share in table["chance"].values()]))
    print("", _line("", SETTINGS), *lines, sep="\n")  # noqa: T201 (with -s the table is shown)
    return table


def _line(name: str, cells: Sequence[str]) -> str:
    return f"{name:18}" + "".join(f"{cell:>12}" for cell in cells)
