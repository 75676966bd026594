"""Part `models` of rooms: a picture encoder, a captioner, the reference game, and the options of `deixis train`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import RecipeError
from deixis.learn.run import BEST, RUN, Model, Models, Run, checkpoint_of, describe_steps, files_here, write_json
from deixis.settings import add_options, merge_settings
from deixis.worlds.rooms.training.settings import Captioning, Encoding, Game, Reading


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.learn.run import Progress
    from deixis.worlds.rooms.training.features import Eyes


PERCENT = ("listener", "discriminativity")
ORDER = ("listener", "discriminativity", "efficiency", "relevance", "mentioned", "false", "words")


# -------------------------------------------------------------------------------- an encoder


def _encoding(given: Mapping[str, Any], *, no_augment: bool = False) -> Encoding:
    """How an encoder learns to tell the six factors of rooms that are drawn for it.

    Args:
        given: The settings that were given as options.
        no_augment: Train on pictures as they are drawn; by default they are moved, resampled, darkened, blurred and
            given noise, a little and by chance, so that the encoder also reads pictures from elsewhere.
    """
    return Encoding.read(given, **({"augmentation": None} if no_augment else {}))


def _train_encoder(
    settings: Encoding,
    data: Path | None,  # noqa: ARG001 (rooms are made, not read)
    out: Path,
    *,
    device: str,
    progress: Progress,
    stop_after: float | None,
) -> Run:
    from deixis.worlds.rooms.training._encoder import learn_to_see

    if stop_after is not None:
        raise RecipeError("--minutes: an encoder learns in one go and keeps nothing before it has; leave it out")
    found = learn_to_see(settings, out, device=device, progress=progress)
    told = ", ".join(f"{factor.replace('_', ' ')} {100 * share:.2f}" for factor, share in found["told"].items())
    borne = ", ".join(f"{change} {100 * share:.1f}" for change, share in found["disturbed"].items())
    return Run(
        path=out,
        facts=found,
        lines=(
            f"Told of validation pictures, in %: {told}.",
            f"All six told, in %, of pictures that are changed: {borne}.",
        ),
        following=(f"deixis train captioner --encoder {out} --out RUN",),
    )


# -------------------------------------------------------------------------------- speakers


class _Speaking(NamedTuple):
    """Settings of a training, who plays in it, and how images are seen."""

    how: Captioning | Game
    encoder: str
    cache: Path | None
    steady: bool
    speaker: Path | None = None
    listener: Path | None = None

    def demand_sense(self) -> _Speaking:
        """`RecipeError` where pictures are to be changed that nobody sees."""
        if self.steady and self.encoder == "factors":
            raise RecipeError("--steady: the encoder factors sees no pictures; leave it out")
        return self


class _ReaderSettings(NamedTuple):
    """Settings of a reader, and how images are seen."""

    how: Reading
    encoder: str
    cache: Path | None


def _captioning(
    given: Mapping[str, Any],
    *,
    settings: Path | None = None,
    encoder: str = "rooms",
    cache: Path | None = None,
    steady: bool = False,
) -> _Speaking:
    """How a speaker learns exhaustive captions of rooms (the model B of A3DS).

    Args:
        given: The settings that were given as options.
        settings: A TOML file with any of the settings; options override it.
        encoder: Image encoder: rooms (comes with deixis), factors (the truth, as an upper limit), a file that
            `deixis train room-encoder` has made, or weights of ResNet-50 as safetensors.
        cache: A folder for the features of images, so that they are computed once.
        steady: At the end, refit the first layer, so that a picture that is moved by a pixel, darker or noisy gives
            the same features as the one that was drawn; some thousand pictures are used for it.
    """
    how = Captioning.read(merge_settings(settings, given))
    return _Speaking(how, encoder, cache, steady).demand_sense()


def _reading(
    given: Mapping[str, Any], *, settings: Path | None = None, encoder: str = "rooms", cache: Path | None = None
) -> _ReaderSettings:
    """How a reader that is told the parse of captions learns to find their images.

    Args:
        given: The settings that were given as options.
        settings: A TOML file with any of the settings; options override it.
        encoder: Image encoder: rooms (comes with deixis), factors (the truth, as an upper limit), a file that
            `deixis train room-encoder` has made, or weights of ResNet-50 as safetensors.
        cache: A folder for the features of images, so that they are computed once.
    """
    return _ReaderSettings(Reading.read(merge_settings(settings, given)), encoder, cache)


def _train_reader(
    settings: _ReaderSettings,
    data: Path | None,  # noqa: ARG001 (rooms are made, not read)
    out: Path,
    *,
    device: str,
    progress: Progress,
    stop_after: float | None,
) -> Run:
    from deixis.worlds.rooms.training._told import learn_to_refer
    from deixis.worlds.rooms.training.features import Eyes

    eyes = Eyes(encoder=settings.encoder, device=device, cache=settings.cache)
    facts = learn_to_refer(settings.how, out, eyes=eyes, progress=progress, stop_after=stop_after)
    found = [f"The image is found in {100 * facts['best']['merit']:.1f} % of contexts of validation images."]
    return Run.of(
        out, facts, lines=(describe_steps(facts, of="contexts"), *(found if "merit" in facts.get("best", {}) else []))
    )


def _playing(
    given: Mapping[str, Any],
    *,
    speaker: str,
    settings: Path | None = None,
    listener: str | None = None,
    freeze: bool = False,
    encoder: str = "rooms",
    cache: Path | None = None,
    steady: bool = False,
) -> _Speaking:
    """How a speaker and a listener play: it names an image, and the listener has to find it among others.

    Args:
        given: The settings that were given as options.
        speaker: Who plays: the folder of a run of captioner, a checkpoint, or the name of one that comes with deixis.
        settings: A TOML file with any of the settings; options override it.
        listener: A checkpoint or run with a listener; by default a new one learns from the beginning.
        freeze: The listener is not trained; it must be given.
        encoder: Image encoder that the speaker was trained with: rooms (comes with deixis), factors, or a
            file with weights.
        cache: A folder for the features of images, so that they are computed once.
        steady: At the end, refit the first layer, so that a picture that is moved by a pixel, darker or noisy gives
            the same features as the one that was drawn; some thousand pictures are used for it.
    """
    frozen = {"listener": "frozen"} if freeze else {}
    how = Game.read(merge_settings(settings, {**given, **frozen}))
    plays = _Speaking(how, encoder, cache, steady).demand_sense()
    return plays._replace(
        speaker=checkpoint_of(speaker, world="rooms"),
        listener=None if listener is None else checkpoint_of(listener, world="rooms"),
    )


def _train_speaker(
    settings: _Speaking,
    data: Path | None,  # noqa: ARG001 (rooms are made, not read)
    out: Path,
    *,
    device: str,
    progress: Progress,
    stop_after: float | None,
) -> Run:
    from deixis.worlds.rooms.training._game import play_games
    from deixis.worlds.rooms.training.features import Eyes
    from deixis.worlds.rooms.training.pretrain import learn_captions

    eyes = Eyes(encoder=settings.encoder, device=device, cache=settings.cache)
    seen = "" if settings.encoder == "rooms" else f" --encoder {settings.encoder}"
    following = [f"deixis evaluate {out}{seen}"]
    how = settings.how
    if isinstance(how, Captioning):
        facts = learn_captions(how, out, eyes=eyes, progress=progress, stop_after=stop_after)
        following.append(f"deixis train game --speaker {out} --pairs random --out RUN{seen}")
    else:
        assert settings.speaker is not None
        facts = play_games(
            how,
            settings.speaker,
            out,
            listener=settings.listener,
            eyes=eyes,
            progress=progress,
            stop_after=stop_after,
        )
    if settings.steady:
        facts = steady_run(out, facts, eyes, progress)
    return Run.of(out, facts, lines=tuple(_lines(facts)), following=tuple(following))


def steady_run(out: Path, facts: dict[str, Any], eyes: Eyes, progress: Progress) -> dict[str, Any]:
    """Make the best models of a finished run robust to changed pictures, and return run.json, which records it."""
    from dataclasses import asdict

    from deixis.worlds.rooms.training._steady import Steadying, steady

    if facts["steps"] < facts["steps_wanted"]:
        return facts
    how = Steadying()
    steady(out / BEST, how, eyes=eyes, progress=progress)
    told = {**facts, "steadied": asdict(how)}
    write_json(out / RUN, {name: value for name, value in told.items() if name != "was finished"})
    return told


def _lines(facts: Mapping[str, Any]) -> list[str]:
    lines = [describe_steps(facts, of="contexts")]
    lines += [
        f"Up to step {leg['until']:,} the learning rate was that of {leg['steps']:,} steps; run.json says so."
        for leg in facts.get("legs", [])[:-1]
    ]
    dev = facts["dev"]
    shown = [
        f"{name} {100 * dev[name]:.1f} %" if name in PERCENT else f"{name} {dev[name]:.2f}"
        for name in ORDER
        if name in dev
    ]
    return [*lines, f"On validation images: {', '.join(shown)}."] if shown else lines


MODELS = Models(
    models={
        "room-encoder": Model(options=add_options(Encoding)(_encoding), train=_train_encoder, needs_data=False),
        "captioner": Model(options=add_options(Captioning)(_captioning), train=_train_speaker, needs_data=False),
        "game": Model(options=add_options(Game)(_playing), train=_train_speaker, needs_data=False),
        "room-program": Model(options=add_options(Reading)(_reading), train=_train_reader, needs_data=False),
    },
    kinds=("rooms",),
    shipped=files_here("room-encoder", "speaker-b", "speaker-contrast", "speaker-rp", "speaker-sp"),
)
