"""`deixis train`: a model that carries out instructions or finds what is meant, from a dataset of either."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import Parameter, validators

from deixis.cli.options import Count, Json, Seed, names_in
from deixis.cli.printing import print_json
from deixis.cli.progress import Stages
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from deixis.training.loop import Run


__all__ = ["train"]

Share: TypeAlias = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=1))]
Above: TypeAlias = Annotated[float, Parameter(validator=validators.Number(gt=0))]


def train(
    model: str,
    /,
    *,
    data: Path,
    out: Path,
    settings: Path | None = None,
    quick: bool = False,
    updates: Count | None = None,
    batch: Count | None = None,
    rate: Above | None = None,
    clip: Above | None = None,
    batching: Literal["bucketed", "random"] | None = None,
    precision: Literal["auto", "fp32", "tf32", "bf16"] | None = None,
    look_every: Count | None = None,
    save_every: Count | None = None,
    features: str | None = None,
    probe: Literal["none", "deaf", "shuffle", "obj-attr"] | None = None,
    mining: Literal["none", "random", "class-aware", "sentence-sim", "module-specific"] | None = None,
    temperature: Above | None = None,
    anywhere: Share | None = None,
    exclude_true: bool = False,
    first_stage: Annotated[int, Parameter(validator=validators.Number(gte=0))] | None = None,
    begin: Path | None = None,
    cache: Path | None = None,
    quirks: str = "",
    compile_parts: Annotated[bool, Parameter(name="--compile")] = False,
    half: bool = False,
    minutes: Above | None = None,
    device: str = "auto",
    tensorboard: bool = False,
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Train a model to carry out instructions, or to find what expressions point at in photographs.

    Whatever is not said is as published. Stopped, by Ctrl-C or by a power cut, the same command goes on from the last
    checkpoint, to the same weights. The checkpoint that does best on dev is kept; no test set is looked at.

    Args:
        model: For instructions: m-lstm, gcn-lstm or transformer. For photographs: grounder, mattnet, cm-att-erase, scan
            or tree.
        data: The dataset folder to learn from.
        out: The folder for the run: checkpoints, log.jsonl and run.json.
        settings: A TOML file with any of the settings of a training, and the sizes of the model under [settings], or
            [sizes] for photographs; options say more than it.
        quick: For instructions: learn as we found it to go fastest, in minutes on a GPU, instead of as published.
        updates: How many updates of the weights.
        batch: How many examples each is made with.
        rate: The learning rate at the start.
        clip: The largest norm of a gradient; no limit by default.
        features: For photographs: what regions look like: lite0 (by default), handcrafted, tiny (learnt
            together with the model), oracle, or the path of what a detector saw.
        probe: For photographs: what is done to all texts, none by default: no words at all (deaf), in random order
            (shuffle), or nouns and attributes only (obj-attr).
        mining: For mattnet: from where expressions are taken that are easily mistaken for one another, none by default.
        temperature: Of mining; the larger, the less similarity counts; 1 by default.
        anywhere: How often one is taken from anywhere all the same, from 0, the default, to 1.
        exclude_true: Mine nothing that is true of the target as well, as the scene graph has it.
        first_stage: For mattnet and cm-att-erase: updates before mining or erasing begins.
        begin: A run or a checkpoint of the same model to begin with, or for instructions the name of one that comes
            with deixis; its sizes are kept.
        cache: For photographs: a folder for what regions look like, so that it is computed once.
        batching: For instructions: plans of about the same length together (bucketed, the default), or examples as they
            come (random).
        precision: Of the heavy products: fp32, tf32 or, for instructions, bf16; by default fp32 on a CPU, and on a GPU
            bf16 for instructions and tf32 for photographs.
        look_every: Updates between two looks at dev.
        save_every: Updates between two checkpoints, besides those at every look.
        quirks: Oddities of the published code to repeat, separated by commas: paper-rate (m-lstm), drops-85-percent
            (gcn-lstm), sees-padding (transformer).
        compile_parts: Let torch compile parts of the model.
        half: Keep the best weights in bfloat16, at half the size.
        minutes: Stop after so many; the same command goes on.
        device: auto (a GPU where there is one), cpu, cuda, cuda:1.
        tensorboard: Also write event files for TensorBoard.
        seed: Weights, order and dropout follow from it; 0 by default.
        workers: How many threads on a CPU, one per core by default.
        as_json: Print JSON instead of text.
    """
    from deixis.cli.train_regions import GROUNDING, train_regions
    from deixis.datasets.sources import open_source
    from deixis.training import loop
    from deixis.training.devices import use_threads
    from deixis.training.settings import read_training, training_of

    photographs: dict[str, Any] = {
        "features": features,
        "probe": probe,
        "mining": mining,
        "temperature": temperature,
        "anywhere": anywhere,
        "exclude_true": exclude_true or None,
        "first_stage": first_stage,
    }
    instructions: dict[str, Any] = {
        "batching": batching,
        "quirks": names_in(quirks) or None,
        "compile": compile_parts or None,
        "half": half or None,
        "tensorboard": tensorboard or None,
    }
    is_about_photographs = model in GROUNDING
    mine = {**instructions, "quick": quick or None}
    others = mine if is_about_photographs else {**photographs, "cache": cache}
    for name, value in others.items():
        if value is not None:
            raise RecipeError(f"{model} has no setting {name!r}; see deixis train --help for the models that have it")
    said: dict[str, Any] = {
        "updates": updates,
        "batch": batch,
        "rate": rate,
        "clip": clip,
        "precision": precision,
        "look_every": look_every,
        "save_every": save_every,
        "seed": seed,
        **(photographs if is_about_photographs else instructions),
    }
    if is_about_photographs:
        return train_regions(
            model,
            data,
            out,
            said=said,
            settings=settings,
            begin=begin,
            cache=cache,
            minutes=minutes,
            device=device,
            workers=workers,
            as_json=as_json,
        )
    changes = read_training(settings) if settings is not None else {}
    if changes.pop("model", model) != model:
        raise RecipeError(f"{settings} is about another model than {model}")
    changes |= {name: value for name, value in said.items() if value is not None}
    training = training_of(model, changes, quick=quick)
    source = open_source(data)
    if source.dataset is None:
        raise RecipeError(f"{data} is no dataset folder; make one with `deixis convert {data} --to parquet FOLDER`")
    if workers is not None:
        use_threads(workers)
    with Stages() as progress:
        run = loop.train(
            source.dataset,
            training,
            out,
            device=device,
            begin=None if begin is None else _beginning(begin),
            progress=progress,
            stop_after=None if minutes is None else 60 * minutes,
        )
    _tell(run, data, as_json=as_json)
    return 0


def _beginning(name: Path) -> Path:
    from deixis.models.registry import MODELS
    from deixis.training.shipped import find_checkpoint, shipped_checkpoints

    found = find_checkpoint(name)
    if found is None:
        known = ", ".join(one for one in shipped_checkpoints() if one in MODELS)
        raise RecipeError(f"there is no run and no checkpoint {name} to begin with; with deixis come {known}")
    return found


def _tell(run: Run, data: Path, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {"path": str(run.folder), "finished": run.is_finished, "was finished": run.was_finished, **run.facts}
        )
        return
    facts, chosen = run.facts, run.facts["selection"]
    if run.was_finished:
        print(f"{run.folder} is already trained: {facts['updates']:,} updates with the same settings; nothing to do.")
        return
    speed = f", {facts['examples_per_second']:,.0f} examples per second" if facts["examples_per_second"] else ""
    took = f"{facts['updates']:,} updates in {facts['seconds']:,.0f} seconds{speed}"
    print(f"{facts['model']}, seed {facts['seed']}: {took}.")
    if chosen["looks"]:
        print(
            f"Best on dev: {100 * chosen['best']:.1f} % exact match of {chosen['examples']:,} examples, "
            f"after {chosen['best_update']:,} updates; {chosen['looks']:,} looks."
        )
    if not run.is_finished:
        print(f"{facts['updates_wanted'] - facts['updates']:,} updates are left; the same command goes on.")
    print(f"Next: deixis evaluate {run.folder} --data {data} --out {run.folder}")
