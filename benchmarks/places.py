"""Whether places of words are what C1 and C2 fail by, and whether plans go where a transformer points.

Run as `python -m benchmarks.places DATA CHECKPOINT`, with the paper-size compatible ReaSCAN set and a transformer whose
words have absolute positions. Nothing is trained or chosen. It tells by the number of words of a
command in what share of examples

- the cell that the model points at is that of the target,
- the same with other vectors for the places that no command of training reaches, which weight decay has brought near
  zero: all zeros, the last place before them, the mean of the eight before them,
- the plan goes to the target, where a folder for plans is given (some 60 plans a second on one core).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from deixis.data.store import open_dataset
from deixis.learn.run import checkpoint_of
from deixis.worlds.grid.data._arrays import load_plan_arrays
from deixis.worlds.grid.data.example_arrays import example_arrays
from deixis.worlds.grid.judging.navigation import align_plans
from deixis.worlds.grid.judging.verdicts import judge_all
from deixis.worlds.grid.training._checkpoints import load_model, read_checkpoint
from deixis.worlds.grid.training._data import DeviceData
from deixis.worlds.grid.training.predict import predict


if TYPE_CHECKING:
    from deixis.data.store import Dataset
    from deixis.learn._checkpoints import Bundle
    from deixis.worlds.grid.data._arrays import PlanArrays
    from deixis.worlds.grid.models.policy import Policy


CPU = torch.device("cpu")
MARKS = 2  # around the words of a command, each with a place of its own
BATCH = 512


def main(arguments: list[str] | None = None) -> int:
    """Print a table for each split."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.places", description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("checkpoint", help="a run or a file of a transformer whose words have absolute positions")
    parser.add_argument("--splits", default="c1,c2")
    parser.add_argument("--plans", type=Path, help="a folder for plans, which are judged as well")
    options = parser.parse_args(arguments)
    dataset, path = open_dataset(options.data), checkpoint_of(options.checkpoint)
    checkpoint = read_checkpoint(path)
    model = load_model(checkpoint, CPU)
    longest = int(_arrays(dataset, "train", checkpoint.vocabulary).word_count.max())
    print(f"the longest command of training has {longest} words")
    for split in options.splits.split(","):
        arrays = _arrays(dataset, split, checkpoint.vocabulary)
        columns = {"points": points_right(model, arrays)}
        if int(arrays.word_count.max()) > longest:
            for name, before in (("zeros", 0), ("the last", 1), ("mean of eight", 8)):
                columns[f"points, {name}"] = points_right(_with_places(checkpoint, longest + MARKS, before), arrays)
        if options.plans:
            columns["goes"] = goes_right(path, dataset, split, options.plans)
        _print(split, arrays.word_count, columns)
    return 0


@torch.inference_mode()
def points_right(model: Policy, arrays: PlanArrays) -> np.ndarray:
    """bool [example]: whether the model points at the target's cell more than at any other."""
    data, found = DeviceData(arrays, CPU), []
    for first in range(0, len(arrays), BATCH):
        batch = data.batch(torch.arange(first, min(first + BATCH, len(arrays))), 1)
        memory = model.encode(batch.words, batch.word_count, batch.grid)
        found.append(model.target_scores(memory).argmax(dim=1) == batch.target)
    return torch.cat(found).numpy()


def goes_right(checkpoint: Path, dataset: Dataset, split: str, out: Path) -> np.ndarray:
    """bool [example]: whether the model's plan goes to the target."""
    asked = example_arrays(dataset.tables(split), name=split)
    plans, is_given = align_plans(asked, predict(checkpoint, dataset, [split], out, device="cpu")[split])
    right: np.ndarray = judge_all(asked, plans, is_given=is_given).is_right_target
    return right


def _with_places(checkpoint: Bundle, known: int, before: int) -> Policy:
    """The model with the mean of so many known places in place of all that are unknown; zeros for the mean of none."""
    model = load_model(checkpoint, CPU)
    with torch.no_grad():
        places = model.get_parameter("words.place.weight")
        places[known:] = places[known - before : known].mean(dim=0) if before else 0.0
    return model


def _arrays(dataset: Dataset, split: str, words: tuple[str, ...]) -> PlanArrays:
    return load_plan_arrays(dataset, split, words, channels=25)


def _print(split: str, lengths: np.ndarray, columns: dict[str, np.ndarray]) -> None:
    print(f"\n| {split.upper()}, words | examples | {' | '.join(f'{name}, %' for name in columns)} |")
    print("|---" * (2 + len(columns)) + "|")
    for name, chosen in [("all", lengths > 0), *((str(count), lengths == count) for count in np.unique(lengths))]:
        shares = (f"{100 * column[chosen].mean():.1f}" for column in columns.values())
        print(f"| {name} | {int(chosen.sum()):,} | {' | '.join(shares)} |", flush=True)
    if "goes" in columns:
        points, goes = columns["points"], columns["goes"]
        both, either = (points & goes).mean(), (points | goes).mean()
        print(f"both right {100 * both:.1f} %, one of them {100 * either:.1f} %")


if __name__ == "__main__":
    sys.exit(main())
