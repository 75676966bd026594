"""The models that come with Deixis on the sets of `make reascan --mode compatible`, and on commands they never learnt.

Run as `python -m benchmarks.shipped --out FOLDER`. Three sets are made at the size of the paper:

- learnt: the one that the models learnt from. It lacks the two hold-outs without a test set, and the sizes of relation
  distractors are copied in B1 and free in C1. Its digest must be the one in the checkpoints.
- now: what `make` makes today, with these hold-outs, with free sizes in B1 and copied ones in C1.
- unseen: other commands of one and two clauses, held out by no rule; those that the models learnt are passed over.

Nothing is trained. Of every part only examples count that no model can have learnt: not one that is in the training set
of `learnt`, and in B1 no phrases that are together there. How many that leaves is told.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.judge.uncertainty import wilson
from deixis.learn.run import shipped_checkpoints
from deixis.worlds.grid.data.example_arrays import example_arrays
from deixis.worlds.grid.judging.navigation import align_plans
from deixis.worlds.grid.judging.verdicts import judge_all
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool, Recipe, reascan
from deixis.worlds.grid.splits.rules import REASCAN, REASCAN_ASIDE, phrase_key
from deixis.worlds.grid.training._checkpoints import read_checkpoint
from deixis.worlds.grid.training.predict import predict


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.data.store import Dataset
    from deixis.expression.description import Expression
    from deixis.worlds.grid.judging.verdicts import ExampleArrays
    from deixis.worlds.grid.making.recipe import Scale


MODELS = ("m-lstm", "gcn-lstm")  # the others learnt from what `make` makes today
PATTERNS = {"p1": "simple", "p2": "1-rel", "p3": "2-rel"}
HELD_OUT = ("a1", "a2", "a3", "b1", "b2", "c1", "c2")
UNSEEN = {
    "small": {"p2": (60, 2), "p3": (60, 2)},
    "paper": {"p2": (2000, 3), "p3": (3000, 3)},
}  # commands, worlds of each


def learnt_recipe(scale: Scale) -> Recipe:
    """What the shipped models learnt from."""
    made = reascan(mode="compatible", scale=scale, hold_out=REASCAN)
    return replace(made, tests=tuple(replace(pool, free_sizes=pool.name == "c1") for pool in made.tests))


def unseen_recipe(scale: Scale) -> Recipe:
    """Commands drawn anew, of which nothing is divided: what no rule holds out is all in train."""
    pools = tuple(
        Pool(name=f"{name}-unseen", pattern=name, commands=commands, worlds=worlds)
        for name, (commands, worlds) in UNSEEN[scale].items()
    )
    rules = (*(rule for rule in REASCAN if not rule.is_generated), *REASCAN_ASIDE)
    return Recipe(name="unseen", mode="compatible", seed=4242, pools=pools, hold_out=rules, dev=0.0, test=0.0, cap=24)


class Part(NamedTuple):
    """A row of the table: some examples of a split."""

    name: str
    data: str
    split: str
    chosen: np.ndarray  # bool [example]
    left_out: int  # examples that a model may have learnt


@dataclass(frozen=True)
class Learnt:
    """What is in the training set of the models: ids, expressions without determiners, combinations of phrases."""

    ids: np.ndarray
    expressions: frozenset[Expression]
    phrases: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, asked: ExampleArrays) -> Learnt:
        """Everything in some examples."""
        said = frozenset(one.expression for one in asked.commands if one.expression is not None)
        return cls(np.sort(asked.ids), said, frozenset(map(phrase_key, said)))

    def holds(self, asked: ExampleArrays) -> np.ndarray:
        """bool [example]: the very example."""
        return np.isin(asked.ids, self.ids)

    def knows(self, asked: ExampleArrays) -> np.ndarray:
        """bool [example]: its command, on whatever board and with whatever verb."""
        return asked.of_command([one.expression in self.expressions for one in asked.commands])

    def combines(self, asked: ExampleArrays) -> np.ndarray:
        """bool [example]: the noun phrases of its command together."""
        keys = (phrase_key(one.expression) if one.expression else () for one in asked.commands)
        return asked.of_command([key in self.phrases for key in keys])


def parts_of(asked: dict[tuple[str, str], ExampleArrays], learnt: Learnt) -> Iterator[Part]:
    """The rows of the table, in order."""
    for data in ("now", "learnt"):
        examples = asked[data, "test"]
        is_new = ~learnt.holds(examples)
        said = examples.of_command([one.pattern for one in examples.commands])
        for pattern, name in (*PATTERNS.items(), ("", "all")):
            here = (said == pattern) if pattern else np.ones(len(examples), bool)
            yield Part(name, data, "test", here & is_new, int((here & ~is_new).sum()))
    for (data, split), examples in asked.items():
        if split in HELD_OUT:
            known = learnt.holds(examples) | (learnt.combines(examples) if split == "b1" else False)
            yield Part(split.upper(), data, split, ~known, int(known.sum()))
    examples = asked["unseen", "train"]
    is_known = learnt.knows(examples)
    said = examples.of_command([one.pattern for one in examples.commands])
    for pattern, name in list(PATTERNS.items())[1:]:
        here = said == pattern
        yield Part(f"{name}, new commands", "unseen", "train", here & ~is_known, int((here & is_known).sum()))


def main(arguments: list[str] | None = None) -> int:
    """Make, predict, judge, print a table and write `shipped.json`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shipped", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder for data, plans and shipped.json")
    parser.add_argument("--scale", choices=("small", "paper"), default="paper")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--splits", default="", help="only these of the held-out sets, e.g. b1,c1")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    wanted = options.splits.split(",") if options.splits else list(HELD_OUT)
    data = {
        "learnt": make(learnt_recipe(options.scale), options.out / "learnt", workers=options.workers),
        "now": make(reascan(mode="compatible", scale=options.scale), options.out / "now", workers=options.workers),
        "unseen": make(unseen_recipe(options.scale), options.out / "unseen", workers=options.workers),
    }
    _say(start, ", ".join(f"{name}: {one.manifest['content'][:8]} {one.splits}" for name, one in data.items()))
    splits = {"now": ["test", *wanted], "learnt": ["test", *wanted], "unseen": ["train"]}
    asked = {(name, split): _read(data[name], split) for name, some in splits.items() for split in some}
    parts = list(parts_of(asked, Learnt.of(_read(data["learnt"], "train"))))
    _say(start, "examples read")
    found = {}
    for model in options.models.split(","):
        checkpoint = shipped_checkpoints()[model]
        _demand_learnt(checkpoint, data["learnt"], options.scale)
        right = _judged(checkpoint, data, splits, asked, options.out / "plans" / model, options.device)
        found[model] = [_score(part, *right[part.data, part.split]) for part in parts]
        _say(start, f"{model} judged")
    rows = [_row(part, {model: scores[k] for model, scores in found.items()}) for k, part in enumerate(parts)]
    told = {"scale": options.scale, "data": {name: one.manifest["content"] for name, one in data.items()}, "rows": rows}
    told["splits"] = {name: one.splits for name, one in data.items()}
    (options.out / "shipped.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    _print(rows, list(found))
    return 0


def _read(dataset: Dataset, split: str) -> ExampleArrays:
    return example_arrays(dataset.tables(split), name=split)


def _demand_learnt(checkpoint: Path, learnt: Dataset, scale: str) -> None:
    """At the size of the paper the set made here must be the one that the checkpoint names."""
    said = read_checkpoint(checkpoint).data.get("digest")
    if scale == "paper" and said != learnt.manifest["content"]:
        raise SystemExit(f"{checkpoint.name} learnt from data {said}, but {learnt.manifest['content']} was made")


def _judged(
    checkpoint: Path,
    data: dict[str, Dataset],
    splits: dict[str, list[str]],
    asked: dict[tuple[str, str], ExampleArrays],
    out: Path,
    device: str,
) -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    """(exact, right object), bool [example] each, by set and split."""
    found = {}
    for name, some in splits.items():
        for split, plans in predict(checkpoint, data[name], some, out / name, device=device).items():
            examples = asked[name, split]
            aligned, is_given = align_plans(examples, plans)
            verdicts = judge_all(examples, aligned, is_given=is_given)
            found[name, split] = (verdicts.exact, verdicts.is_right_target)
    return found


def _score(part: Part, exact: np.ndarray, right: np.ndarray) -> dict[str, Any]:
    count = int(part.chosen.sum())
    if not count:
        return {"exact": None, "right object": None}
    estimate = wilson(int(exact[part.chosen].sum()), count)
    return {
        "exact": estimate.mean,
        "interval": [estimate.low, estimate.high],
        "right object": float(right[part.chosen].mean()),
    }


def _row(part: Part, scores: dict[str, dict[str, Any]]) -> dict[str, Any]:
    examples = int(part.chosen.sum())
    return {"part": part.name, "data": part.data, "examples": examples, "left out": part.left_out, "scores": scores}


def _print(rows: list[dict[str, Any]], models: list[str]) -> None:
    print(
        "| part | data | examples | left out | " + " | ".join(f"{one}, exact (right object) %" for one in models) + " |"
    )
    print("|---" * (4 + len(models)) + "|")
    for row in rows:
        cells = []
        for model in models:
            score = row["scores"][model]
            exact, right = score["exact"], score["right object"]
            cells.append("–" if exact is None else f"{100 * exact:.1f} ({100 * right:.1f})")
        print(f"| {row['part']} | {row['data']} | {row['examples']:,} | {row['left out']:,} | {' | '.join(cells)} |")


def _say(start: float, what: str) -> None:
    print(f"{time.monotonic() - start:7.1f} s  {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
