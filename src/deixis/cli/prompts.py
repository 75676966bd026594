"""`deixis prompts`: questions for language models, from a dataset or made fresh."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from deixis.cli.options import Count, Json, Seed, names_in
from deixis.cli.printing import print_json
from deixis.cli.progress import Stages
from deixis.errors import RecipeError


__all__ = ["prompts"]


def prompts(
    data: Path | None = None,
    /,
    *,
    fresh: Seed | None = None,
    task: Literal["navigate", "refer", "localise"] | None = None,
    answer: Literal["actions", "target", "choose", "caption", "region"] | None = None,
    style: Literal["text", "board", "image"] = "text",
    shots: int = 0,
    limit: Count = 100,
    split: str = "",
    setting: Literal["Full", "DiffCat", "Cat", "Cat&attr", "Cat&cat", "WithoutDist"] = "Full",
    absent: float = 0.25,
    images: Literal["files", "base64"] = "files",
    gold: Annotated[bool, Parameter(name="--with-gold")] = False,
    out: Path | None = None,
    lm_eval: Annotated[Path | None, Parameter(name="--lm-eval")] = None,
    seed: Seed = 0,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Write questions for a language model: prompts as JSON Lines, right answers in a file of their own.

    With --fresh SEED a test set is made on the spot that nobody can have seen: by the recipe of the dataset, if one is
    named. Let a model answer, write its answers as {"id": …, "answer": …}, and judge them with `deixis answers`.
    Without --out and --lm-eval the first prompt is printed.

    Args:
        data: A dataset folder: grid worlds, A3DS or Cops-Ref; may be left out with --fresh.
        fresh: Make a fresh test set with this seed.
        task: navigate, refer or localise; by default what the dataset is for.
        answer: What to ask for: actions or target, choose or caption, region; by default the first of the task.
        style: How scenes are shown: text, board (of grid worlds), image.
        shots: Solved examples before every question, from the training split.
        limit: Questions of each split, or of each set of pairs; 100 by default.
        split: Splits or sets of pairs to ask about, separated by commas; by default test, or all sets.
        setting: Which images are shown with an expression about photographs.
        absent: The share of such expressions that fit nothing; 0.25 by default.
        images: Pictures as files beside the prompts, or inside them as base64.
        gold: Put the right answer on every line of the prompts, too.
        out: The file of prompts, FILE.jsonl; right answers go to FILE.gold.jsonl.
        lm_eval: A folder for a task of the lm-evaluation-harness.
        seed: Which questions, in which order; 0 by default.
        workers: Processes that make a fresh test set; one per core by default.
        as_json: Print JSON instead of text.
    """
    from deixis.prompts.ask import ask, task_of
    from deixis.prompts.files import write_prompts
    from deixis.prompts.recipe import PromptRecipe

    if task is None:
        if data is None:
            raise RecipeError("say what to ask: a dataset, or --fresh SEED with --task navigate, refer or localise")
        task = task_of(data)
    recipe = PromptRecipe(
        task=task,
        answer=answer,
        style=style,
        shots=shots,
        limit=limit,
        splits=names_in(split),
        setting=setting,
        absent=absent,
        seed=seed,
    )
    with Stages() as progress:
        made = ask(recipe, data, fresh=fresh, workers=workers or os.cpu_count() or 1, progress=progress)
    written: list[Path] = []
    if out is not None:
        written += write_prompts(made, out, keep=images, with_gold=gold)
    if lm_eval is not None:
        from deixis.bridges.lm_eval_tasks import write_task

        written += write_task(made, lm_eval)
    if as_json:
        print_json({**made.facts, "files": [str(path) for path in written]})
        return 0
    if not written:
        print(made.items[0].question.text)
        print(f"One of {len(made):,} questions; write them all with --out prompts.jsonl")
        return 0
    print(f"{len(made):,} questions ({recipe.task}, answer: {recipe.wanted}, style: {recipe.style})")
    print(f"Written: {', '.join(str(path) for path in written)}")
    return 0
