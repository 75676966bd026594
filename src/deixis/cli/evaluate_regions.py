"""`deixis evaluate` for checkpoints of models that find what expressions point at in photographs."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from deixis.cli.evaluate_copsref import evaluate_copsref
from deixis.cli.options import names_in
from deixis.cli.printing import print_table
from deixis.cli.progress import Stages
from deixis.cli.rooms import checkpoint_of
from deixis.errors import SchemaError


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.training.regions.evaluate import Absence


__all__ = ["evaluate_regions", "is_run"]

ANSWERS, FACTS = "answers.jsonl", "model.json"


def is_run(predictions: Path) -> bool:
    """Whether a name stands for a checkpoint, rather than for a file of answers."""
    return predictions.is_dir() or predictions.suffix == ".safetensors"


def evaluate_regions(
    run: Path,
    data: Path,
    *,
    split: str,
    retriever: Path | None,
    cache: Path | None,
    out: Path | None,
    device: str,
    seed: int,
    as_json: bool,
) -> int:
    """Let a model answer in all settings, and judge its answers as any others; options as of `deixis evaluate`."""
    from deixis.datasets.copsref.store import open_copsref
    from deixis.training.folder import write_json
    from deixis.training.regions.evaluate import TEST, absence_of, ground, write_answers
    from deixis.training.regions.prepare import Surroundings

    dataset = open_copsref(data)
    wanted = names_in(split) or [TEST]
    unknown = [name for name in wanted if name not in dataset.splits]
    if unknown:
        raise SchemaError(f"{data.name} has no split {unknown[0]!r}; it has {', '.join(dataset.splits)}")
    with Stages() as progress:
        found, facts = ground(
            checkpoint_of(run),
            dataset,
            splits=wanted,
            retriever=None if retriever is None else checkpoint_of(retriever),
            around=Surroundings(device=device, cache=cache),
            progress=progress,
        )
    absence = absence_of(found)
    told = {**facts, "telling what is there": {setting: one.to_dict() for setting, one in absence.items()}}
    with TemporaryDirectory() as aside:
        folder = Path(aside) if out is None else out
        folder.mkdir(parents=True, exist_ok=True)
        write_answers(folder / ANSWERS, found, dataset)
        write_json(folder / FACTS, told)
        if not as_json:
            print(_called(facts))
        code = evaluate_copsref(
            folder / ANSWERS,
            data,
            split=",".join(wanted),
            setting="all",
            boxes="",
            out=out,
            seed=seed,
            as_json=as_json,
            about={"model": told},
        )
    if not as_json and absence:
        _print_absence(absence)
    return code


def _called(facts: Mapping[str, Any]) -> str:
    more = [facts[name] for name in ("mining", "probe") if facts[name] != "none"]
    more += ["after retrieval"] if facts["retriever"] else []
    return f"{', '.join([facts['model'], *more])}, seed {facts['seed']}, {facts['updates']:,} updates"


def _print_absence(absence: Mapping[str, Absence]) -> None:
    print("Is it there at all? The threshold was chosen on val; half of all is right for whoever always says the same:")
    rows = [
        (setting, *(f"{100 * share:.1f}" for share in (one.accuracy, one.found, one.denied, one.area)))
        for setting, one in absence.items()
    ]
    heads = ("setting", "right %", "of what is there %", "of what is not %", "area under the curve %")
    print_table(heads, rows, numbers=range(1, 5))
