"""Part `models` of the grid: models that carry out instructions, and the options of `deixis train` for each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import RecipeError
from deixis.learn.run import Model, Models, Run, checkpoint_of, files_here, leave_out, tell_updates
from deixis.learn.settings import Precision, merge_settings, options_in
from deixis.worlds.grid.training.order import Batching


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.learn.run import Progress
    from deixis.worlds.grid.training.settings import Training


__all__ = ["MODELS"]


class _Settings(NamedTuple):
    training: Training
    begin: Path | None


def _options(
    *,
    model: str,
    settings: Path | None = None,
    quick: bool = False,
    updates: int | None = None,
    batch: int | None = None,
    rate: float | None = None,
    clip: float | None = None,
    batching: Batching | None = None,
    precision: Precision | None = None,
    look_every: int | None = None,
    save_every: int | None = None,
    begin: str | None = None,
    quirks: str = "",
    compile: bool = False,  # noqa: A002
    half: bool = False,
    tensorboard: bool = False,
    seed: int | None = None,
) -> _Settings:
    """How a model learns to carry out instructions.

    Args:
        model: Its name.
        settings: A TOML file with any of the settings of a training, and the sizes of the model under [settings];
            options override it.
        quick: Learn as we found it to go fastest, in minutes on a GPU, instead of as published.
        updates: How many updates of the weights.
        batch: How many examples each is made with.
        rate: The learning rate at the start.
        clip: The largest norm of a gradient; no limit by default.
        batching: Plans of about the same length together (bucketed, the default), or examples as they come (random).
        precision: Of the heavy products: fp32, tf32 or bf16; by default fp32 on a CPU and bf16 on a GPU.
        look_every: Updates between two evaluations on dev.
        save_every: Updates between two checkpoints, besides those at every evaluation.
        begin: A run or a checkpoint of the same model to begin with, or the name of one that comes with deixis; its
            sizes are kept.
        quirks: Oddities of the published code to repeat, separated by commas: paper-rate (m-lstm), drops-85-percent
            (gcn-lstm), sees-padding (transformer).
        compile: Let torch compile parts of the model.
        half: Keep the best weights in bfloat16, at half the size.
        tensorboard: Also write event files for TensorBoard.
        seed: Weights, order and dropout follow from it; 0 by default.
    """
    given = locals()
    from deixis.worlds.grid.training.settings import Training, training_of

    names = tuple(name for part in quirks.split(",") if (name := part.strip()))
    given = options_in(Training, given | {"settings": None, "quirks": names or None})
    training = training_of(model, merge_settings(settings, given, model=model), quick=quick)
    return _Settings(training, None if begin is None else checkpoint_of(begin, world="grid"))


def _train(
    settings: _Settings,
    data: Path | None,
    out: Path,
    *,
    device: str,
    progress: Progress,
    stop_after: float | None,
) -> Run:
    from deixis.worlds.grid.data.sources import open_source
    from deixis.worlds.grid.training.loop import train

    assert data is not None
    source = open_source(data)
    if source.dataset is None:
        raise RecipeError(f"{data} is no dataset folder; make one with `deixis convert {data} --to parquet FOLDER`")
    run = train(
        source.dataset,
        settings.training,
        out,
        device=device,
        begin=settings.begin,
        progress=progress,
        stop_after=stop_after,
    )
    return Run(
        path=out,
        facts=run.facts,
        is_finished=run.is_finished,
        was_finished=run.was_finished,
        lines=tuple(_lines(run.facts)),
        following=(f"deixis evaluate {out} --data {data} --out {out}",),
    )


def _lines(facts: Mapping[str, Any]) -> list[str]:
    chosen = facts["selection"]
    lines = [tell_updates(facts, of="examples")]
    if chosen["looks"]:
        lines.append(
            f"Best on dev: {100 * chosen['best']:.1f} % exact match of {chosen['examples']:,} examples, "
            f"after {chosen['best_update']:,} updates; {chosen['looks']:,} evaluations."
        )
    return lines


NAMES = ("m-lstm", "gcn-lstm", "transformer")
MODELS = Models(
    models={name: Model(options=leave_out(_options, model=name), train=_train) for name in NAMES},
    kinds=("checkpoint",),
    shipped=files_here(*NAMES),
)
