"""Part `models` of photographs: models that find what expressions point at, encoders of regions, and their options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import RecipeError
from deixis.learn.run import Model, Models, Run, checkpoint_of, describe_steps
from deixis.settings import add_options, merge_settings
from deixis.worlds.photos.training.settings import PUBLISHED, Grounding, RegionEncoderTraining, grounding_of


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.learn.run import Progress


MINING = ("mining", "temperature", "anywhere", "exclude_true")


class _Settings(NamedTuple):
    grounding: Grounding
    begin: Path | None
    cache: Path | None


def _settings(
    given: Mapping[str, Any],
    *,
    model: str,
    settings: Path | None = None,
    begin: str | None = None,
    cache: Path | None = None,
) -> _Settings:
    """How a model learns to find what expressions point at.

    Args:
        given: The settings that were given as options.
        model: Its name.
        settings: A TOML file with any of the settings of a training, and the sizes of the model under [sizes]; options
            override it.
        begin: A run or a checkpoint of the same model to begin with; its sizes are kept.
        cache: A folder for the features of regions, so that they are computed once.
    """
    how = grounding_of(model, merge_settings(settings, given, model=model))
    _demand_mining(how, given)
    return _Settings(how, None if begin is None else checkpoint_of(begin, world="photos"), cache)


def _demand_mining(how: Grounding, given: Mapping[str, Any]) -> None:
    """`RecipeError` for options about mining where nothing is mined, or not by similarity."""
    if how.mining == "none":
        idle: Sequence[str] = MINING[1:]
        because = "for --mining only, which is none"
    elif how.mining in ("random", "class-aware"):
        idle = MINING[1:2]
        because = f"for --mining sentence-sim and module-specific only, not for {how.mining}"
    else:
        return
    flags = [f"--{name.replace('_', '-')}" for name in idle if name in given]
    if flags:
        raise RecipeError(f"{', '.join(flags)}: {because}; leave {'them' if len(flags) > 1 else 'it'} out")


def _train(
    settings: _Settings,
    data: Path | None,
    out: Path,
    *,
    device: str,
    progress: Progress,
    stop_after: float | None,
) -> Run:
    from deixis.worlds.photos.data.store import open_copsref
    from deixis.worlds.photos.training._grounding import learn_to_ground
    from deixis.worlds.photos.training._prepare import Surroundings

    assert data is not None
    facts = learn_to_ground(
        settings.grounding,
        open_copsref(data),
        out,
        begin=settings.begin,
        around=Surroundings(device=device, cache=settings.cache),
        progress=progress,
        stop_after=stop_after,
    )
    following = f"deixis evaluate {out} --data {data} --out {out}"
    if settings.grounding.model == "scan":
        following = f"deixis evaluate RUN --retrieve {out} --data {data}, with RUN a model that finds objects"
    return Run.of(out, facts, lines=tuple(_lines(facts)), following=(following,))


def _lines(facts: Mapping[str, Any]) -> list[str]:
    how = facts["settings"]
    called = how["model"] + "".join(f", {how[name]}" for name in ("mining", "probe") if how[name] != "none")
    lines = [describe_steps(facts, of="expressions", model=called)]
    if "best" in facts:
        best = facts["best"]
        lines.append(f"Best on val: {100 * best['merit']:.1f} % right in Full, after {best['step']:,} steps.")
    return lines


_LEFT_OUT: dict[str, tuple[str, ...]] = {
    "grounder": (*MINING, "first_stage"),
    "mattnet": (),
    "cm-att-erase": MINING,
    "scan": (*MINING, "first_stage"),
    "tree": (*MINING, "first_stage", "probe"),
}


def _model(name: str, without: tuple[str, ...]) -> Model:
    options = add_options(Grounding, without=without, defaults=PUBLISHED[name], model=name)(_settings)
    return Model(options=options, train=_train)


# -------------------------------------------------------------------------------- an encoder


class _EncoderSettings(NamedTuple):
    training: RegionEncoderTraining
    cache: Path | None


def _encoder_settings(
    given: Mapping[str, Any], *, settings: Path | None = None, cache: Path | None = None
) -> _EncoderSettings:
    """How an encoder of regions learns to tell their categories and attributes.

    Args:
        given: The settings that were given as options.
        settings: A TOML file with any of the settings of a training; options override it.
        cache: A folder for shrunken pictures, so that they are shrunk once.
    """
    return _EncoderSettings(RegionEncoderTraining.read(merge_settings(settings, given, model=ENCODER)), cache)


def _train_encoder(
    settings: _EncoderSettings,
    data: Path | None,
    out: Path,
    *,
    device: str,
    progress: Progress,
    stop_after: float | None,
) -> Run:
    from deixis.worlds.photos.data.store import open_copsref
    from deixis.worlds.photos.training._prepare import Surroundings
    from deixis.worlds.photos.training._region_encoder import learn_to_see

    assert data is not None
    around = Surroundings(device=device, cache=settings.cache)
    facts = learn_to_see(
        settings.training, open_copsref(data), out, around=around, progress=progress, stop_after=stop_after
    )
    lines = [describe_steps(facts, of="pictures", model=ENCODER)]
    if facts["dev"]:
        told = ", ".join(f"{what} {100 * share:.1f}" for what, share in facts["dev"].items())
        lines.append(f"Told right of pictures held out, in %: {told}.")
    following = (f"deixis train mattnet --features {out} --data OTHER_PICTURES --out RUN",)
    return Run.of(out, facts, lines=tuple(lines), following=following)


ENCODER = "region-encoder"
MODELS = Models(
    models={
        **{name: _model(name, without) for name, without in _LEFT_OUT.items()},
        ENCODER: Model(options=add_options(RegionEncoderTraining)(_encoder_settings), train=_train_encoder),
    },
    kinds=("regions", ENCODER),
)
