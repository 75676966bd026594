"""Part `models` of the grid: models that carry out instructions, and the options of `deixis train` for each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis._options import names_in
from deixis.errors import RecipeError
from deixis.learn.run import Model, Models, checkpoint_of, describe_steps, files_here
from deixis.settings import add_options, merge_settings
from deixis.worlds.grid.training._published import PUBLISHED
from deixis.worlds.grid.training.settings import Training, training_of


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.data.store import Dataset
    from deixis.learn.run import Progress, Run


class _Settings(NamedTuple):
    training: Training
    begin: Path | None
    also: tuple[Path, ...]


def _settings(
    given: Mapping[str, Any],
    *,
    model: str,
    settings: Path | None = None,
    quick: bool = False,
    begin: str | None = None,
    also: tuple[Path, ...] = (),
    quirks: str = "",
) -> _Settings:
    """How a model learns to carry out instructions.

    Args:
        given: The settings that were given as options.
        model: Its name.
        settings: A TOML file with any of the settings of a training, and the sizes of the model under [settings];
            options override it.
        quick: The settings that train fastest, in minutes on a GPU, instead of the published ones.
        begin: A run or a checkpoint of the same model to begin with, or the name of one that comes with deixis; its
            sizes are kept.
        also: A further dataset to learn from and to select by, as many examples as of the smallest; may be repeated.
        quirks: Quirks of the published code to repeat, separated by commas: QUIRKS.
    """
    named = {"quirks": names} if (names := names_in(quirks)) else {}
    training = training_of(model, merge_settings(settings, {**given, **named}, model=model), quick=quick)
    return _Settings(training, None if begin is None else checkpoint_of(begin, world="grid"), also)


def _train(
    settings: _Settings,
    data: Path | None,
    out: Path,
    *,
    device: str,
    progress: Progress,
    stop_after: float | None,
) -> Run:
    from deixis.worlds.grid.training.course import train

    assert data is not None
    dataset, *also = (_dataset_of(place) for place in (data, *settings.also))
    run = train(
        dataset,
        settings.training,
        out,
        device=device,
        also=also,
        begin=settings.begin,
        progress=progress,
        stop_after=stop_after,
    )
    return replace(run, lines=tuple(_lines(run.facts)), following=(f"deixis evaluate {out} --data {data} --out {out}",))


def _dataset_of(place: Path) -> Dataset:
    from deixis.worlds.grid.data.sources import open_source

    source = open_source(place)
    if source.dataset is None:
        raise RecipeError(f"{place} is no dataset folder; make one with `deixis convert {place} --to parquet FOLDER`")
    return source.dataset


def _lines(facts: Mapping[str, Any]) -> list[str]:
    chosen = facts["selection"]
    lines = [describe_steps(facts, of="examples")]
    if chosen["evaluations"]:
        lines.append(
            f"Best on dev: {100 * chosen['best']:.1f} % exact match of {chosen['examples']:,} examples, "
            f"after {chosen['best_step']:,} steps; {chosen['evaluations']:,} evaluations."
        )
    return lines


def _model(name: str) -> Model:
    known = PUBLISHED[name]
    fixed: dict[str, Any] = {"model": name} if known.quirks else {"model": name, "quirks": ""}
    options = add_options(Training, defaults=known.training, **fixed)(_settings)
    about = "; ".join(f"{quirk} ({one.about})" for quirk, one in known.quirks.items())
    options.__doc__ = (options.__doc__ or "").replace("QUIRKS", about)
    return Model(options=options, train=_train)


MODELS = Models(
    models={name: _model(name) for name in PUBLISHED},
    kinds=("grid", "checkpoint"),
    shipped=files_here(*PUBLISHED),
)
