"""`deixis evaluate`: how well a model understands language that points at things, and what it misreads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from deixis._cli.compose import options_for
from deixis._cli.options import Address, AllowLosses, Count, Json, Named, On, Place, Seed, Wait
from deixis._cli.places import PATIENCE_SECONDS, at_hand, crew_for
from deixis._cli.printing import print_output
from deixis._cli.progress import Stages
from deixis._options import names_in
from deixis._study.settings import is_study
from deixis.errors import RecipeError
from deixis.judge._evaluation import evaluate_request
from deixis.judge.request import BASELINES, Request
from deixis.worlds.registry import parts_of, world_of


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis._study.design import Study
    from deixis.worlds.world import World


def evaluate(
    *answers: Annotated[Named, Parameter(name="ANSWERS")],
    data: Place | None = None,
    split: str = "",
    device: str = "auto",
    out: Path | None = None,
    force: bool = False,
    seed: Seed = 0,
    workers: Count | None = None,
    on: On = "here",
    address: Address = "",
    cluster_wait: Wait = PATIENCE_SECONDS,
    allow_losses: AllowLosses = False,
    as_json: Json = False,
    options: dict[str, Any],
) -> int:
    """Judge what a model answered, and name its misreadings.

    Args:
        answers: A file of answers, a checkpoint, a folder that deixis train left, the name of a model that comes with
            deixis, or random or oracle, which need no model (./random is a file or folder of that name). Or a study
            of deixis study with what people answered, and after it what models answered to its prompts.jsonl.
        data: The dataset that was answered: its folder, or an address such as s3://bucket/folder. Where
            answers themselves say what they are about, as captions of numbered images do, none is needed. Or the
            study that rows in files are answers to.
        split: Judge the examples of these splits, separated by commas; by default all but train, as far as any
            example of a split was answered.
        device: Where a checkpoint computes: auto (a GPU where there is one), cpu, cuda, cuda:1.
        out: A folder for evaluation.json, for the verdicts on all answers and for what a checkpoint says. Splits that
            were judged before are kept; results on another dataset go to the folder on-NAME in it. After a stop,
            the same command goes on from what is finished.
        force: Replace results of another model, or of another checkpoint, that the folder holds.
        seed: Random seed of random answers, ties and bootstrap intervals; 0 by default.
        workers: How many processes or threads share the work, one per core by default; the result is the same.
        on: Who shares it: this machine (here, the default), or the workers of a Dask cluster.
        address: The scheduler of the cluster, e.g. tcp://10.0.0.1:8786; without it, processes are started here.
        cluster_wait: Seconds to wait while the cluster has no worker, or its scheduler is gone; 60 by default.
        allow_losses: Go on although over 1 % of the answers are unusable: without the id of an example, repeated, or
            only partly understood.
        as_json: Print JSON instead of text.
        options: Those that single worlds have.
    """
    if not answers:
        raise RecipeError("name what is to be judged: a file of answers, a checkpoint, random or oracle")
    if people := _find_study(answers, data):
        return _evaluate_study(*people, out=out, seed=seed, allow_losses=allow_losses, as_json=as_json)
    folder = None if data is None else at_hand(data)
    world = _world_of_answers(answers) if folder is None else world_of(folder)
    if folder is not None:
        _demand_own_models(answers, world, folder)
    judging = world.part("judging")
    chosen = options_for(world, "evaluate", options, where=folder or answers[0])
    if on != "here" and not judging.runs_on_clusters:
        able = ", ".join(one.name for one, part in parts_of("judging") if part.runs_on_clusters)
        raise RecipeError(f"--on {on} is for answers to {able} only; {folder or answers[0]} is of {world.name}")
    request = Request(
        answers=answers,
        data=folder,
        splits=names_in(split),
        out=out,
        force=force,
        seed=seed,
        device=device,
        workers=workers,
        allow_losses=allow_losses,
        options=chosen,
    )
    try:
        with crew_for(on, address, workers=workers, wait=cluster_wait) as crew, Stages(compiles=True) as progress:
            found = evaluate_request(world, replace(request, crew=crew, progress=progress))
    except KeyboardInterrupt:
        from deixis.judge._kept_evaluation import is_begun

        if out is None or not is_begun(out):
            raise
        message = f"stopped; what is finished is kept in {out}, the same command goes on from there"
        raise KeyboardInterrupt(message) from None
    print_output(found, as_json=as_json)
    return 0


def _find_study(answers: Sequence[Path], data: Path | str | None) -> tuple[Study, list[Path], list[Path]] | None:
    """Return the study that is to be analysed with files of rows and of models, or None if none is named."""
    is_given = isinstance(data, Path) and is_study(data)
    if not is_given and (data is not None or not is_study(answers[0])):
        return None
    from deixis._study.design import read_study

    if is_given:
        return read_study(Path(data)), list(answers), []  # type: ignore[arg-type]
    return read_study(answers[0]), [], list(answers[1:])


def _evaluate_study(
    study: Study,
    rows: Sequence[Path],
    models: Sequence[Path],
    *,
    out: Path | None,
    seed: int,
    allow_losses: bool,
    as_json: bool,
) -> int:
    """Analyse what people answered."""
    from deixis._study.analysis import analyse
    from deixis._study.output import output_of, write_results

    found = analyse(study, rows, models={path.stem: path for path in models}, seed=seed)
    found.losses.demand_few(where=rows[0] if rows else study.folder, allowed=allow_losses)
    files = write_results(found, out) if out is not None else []
    print_output(replace(output_of(found), files=files), as_json=as_json)
    return 0


def _world_of_answers(answers: Sequence[Path]) -> World:
    """The world of answers that need no dataset; `RecipeError` where they do."""
    from deixis.learn.run import checkpoint_of

    found = [_owner(one) for one in answers]
    for world, judging in parts_of("judging"):
        pairs = zip(answers, found, strict=True)
        if all(judging.recognises(one) if owner is None else owner is world for one, owner in pairs):
            return world
    for one in answers:
        if str(one) not in BASELINES and not one.exists():
            checkpoint_of(one)
    raise RecipeError(f"name the dataset that was answered with --data; {answers[0]} alone does not tell")


def _owner(answer: Path) -> World | None:
    """The world of a model; None of what is no model."""
    from deixis.learn.run import find_checkpoint, world_of_checkpoint

    checkpoint = None if str(answer) in BASELINES else find_checkpoint(answer)
    return None if checkpoint is None else world_of_checkpoint(checkpoint)


def _demand_own_models(answers: Sequence[Path], world: World, where: Path) -> None:
    """`RecipeError` for a model that answers other questions than those of a dataset."""
    for one in answers:
        if (owner := _owner(one)) not in (None, world):
            raise RecipeError(f"{one} is a model of {owner.name}; {where} is of {world.name}")
