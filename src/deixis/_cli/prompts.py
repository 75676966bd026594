"""`deixis prompts`: questions for language models, from a dataset or made fresh."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from deixis._cli.compose import options_for
from deixis._cli.options import AllowLosses, Count, Json, Place, Seed
from deixis._cli.places import at_hand
from deixis._cli.printing import print_json, print_losses
from deixis._cli.progress import Stages
from deixis._options import names_in
from deixis.errors import RecipeError


def prompts(
    source: Annotated[Place | None, Parameter(name="DATA")] = None,
    /,
    *,
    fresh: Seed | None = None,
    task: str | None = None,
    answer: str | None = None,
    style: str | None = None,
    shots: int = 0,
    limit: Count = 100,
    split: str = "",
    images: Literal["files", "base64"] = "files",
    gold: Annotated[bool, Parameter(name="--with-gold")] = False,
    allow_losses: AllowLosses = False,
    out: Path | None = None,
    lm_eval: Annotated[Path | None, Parameter(name="--lm-eval")] = None,
    likelihood: Annotated[bool, Parameter(negative=())] = False,
    lmms_eval: Annotated[Path | None, Parameter(name="--lmms-eval")] = None,
    seed: Seed = 0,
    workers: Count | None = None,
    as_json: Json = False,
    options: dict[str, Any] | None = None,
) -> int:
    """Write questions for a language model.

    Prompts are JSON Lines; right answers go to a file of their own.

    With --fresh SEED a test set is made on the spot that nobody can have seen: by the recipe of the dataset, if one is
    named. Let a model answer, write its answers as {"id": …, "answer": …}, and judge them with `deixis answers`.
    Without --out, --lm-eval and --lmms-eval the first prompt is printed.

    Args:
        source: A dataset folder of any world, or an address such as s3://bucket/folder; may be left out with --fresh.
        fresh: Make a fresh test set with this seed.
        task: What is asked of models, for --fresh without DATA (`deixis prompts` alone lists the tasks); by default
            what the dataset is for.
        answer: What to ask for, e.g. actions or target, choose or caption; by default the first of the task. A box in
            a picture: pixels, share (0 to 1), 0..1000, box_2d (top first, 0..1000) or loc (location tokens).
        style: How scenes are shown: text (the default), image (the default for boxes), or what else the task knows.
        shots: Solved examples before every question, from the training split.
        limit: Questions of each split, or of each set of pairs; 100 by default.
        split: Splits or sets of pairs to ask about, separated by commas; by default test, or all sets.
        images: Pictures as files beside the prompts, or inside them as base64.
        gold: Put the right answer on every line of the prompts, too.
        allow_losses: Go on although over 1 % of the questions are duplicates.
        out: The file of prompts, FILE.jsonl; right answers go to FILE.gold.jsonl.
        lm_eval: A folder for a task of the lm-evaluation-harness.
        likelihood: Let that task compare how likely each listed answer is, instead of reading what a model says.
        lmms_eval: A folder for a task of lmms-eval, with the pictures.
        seed: Random seed of the choice and order of questions; 0 by default.
        workers: Processes that make a fresh test set; one per core by default.
        as_json: Print JSON instead of text.
        options: Those of single worlds.
    """
    from deixis.prompts.ask import ask
    from deixis.prompts.files import write_prompts
    from deixis.prompts.recipe import PromptRecipe
    from deixis.prompts.tasks import known_tasks, questions_of, task_of, world_of_task

    if likelihood and lm_eval is None:
        raise RecipeError("likelihoods are compared by a task of the lm-evaluation-harness; add --lm-eval FOLDER")
    data = None if source is None else at_hand(source)
    if task is None:
        if data is None:
            known = ", ".join(known_tasks())
            raise RecipeError(f"say what to ask: a dataset, or --fresh SEED with --task; tasks: {known}")
        task = task_of(data)
    questions_of(task)
    recipe = PromptRecipe(
        task=task,
        answer=answer,
        style=style,
        shots=shots,
        limit=limit,
        splits=names_in(split),
        seed=seed,
        options=options_for(world_of_task(task), "prompts", options or {}, where=data or f"the task {task}"),
    )
    with Stages() as progress:
        made = ask(
            recipe,
            data,
            fresh=fresh,
            workers=workers or os.cpu_count() or 1,
            allow_losses=allow_losses,
            progress=progress,
        )
    written: list[Path] = []
    if out is not None:
        written += write_prompts(made, out, keep=images, with_gold=gold)
    if lm_eval is not None:
        from deixis.bridges.lm_eval_tasks import write_task

        written += write_task(made, lm_eval, by_likelihood=likelihood)
    if lmms_eval is not None:
        from deixis.bridges import lmms_eval_tasks

        written += lmms_eval_tasks.write_task(made, lmms_eval)
    if as_json:
        print_json({**made.facts, "files": [str(path) for path in written]})
        return 0
    if not written:
        print(made.items[0].question.text)
        print(f"One of {len(made):,} questions; write them all with --out prompts.jsonl")
        print_losses(made.losses)
        return 0
    print(f"{len(made):,} questions ({recipe.task}, answer: {recipe.wanted}, style: {recipe.style})")
    print(f"Written: {', '.join(str(path) for path in written)}")
    print_losses(made.losses)
    return 0
