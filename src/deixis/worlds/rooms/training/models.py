"""Part `models` of rooms: an encoder of pictures, a captioner and the reference game; the options of `deixis train`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import RecipeError
from deixis.learn.run import BEST, RUN, Model, Models, Run, checkpoint_of, files_here, tell_updates, write_json
from deixis.learn.settings import merge_settings, options_in
from deixis.worlds.rooms.training.settings import (
    Baseline,
    Captioning,
    Forcing,
    Game,
    Objective,
    Pairing,
    Reward,
    Structure,
    settings_from,
)


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.learn.run import Progress
    from deixis.worlds.rooms.training.encoder import Encoding
    from deixis.worlds.rooms.training.features import Eyes


__all__ = ["MODELS", "steady_run"]

PERCENT = ("listener", "discriminativity")
ORDER = ("listener", "discriminativity", "efficiency", "relevance", "mentioned", "false", "words")


# -------------------------------------------------------------------------------- an encoder


def encoder_options(
    *,
    pictures: int = 30_000,
    judged: int = 20_000,
    updates: int = 32_000,
    batch: int = 256,
    rate: float = 1e-3,
    no_augment: bool = False,
    data_seed: int = 42,
    seed: int = 0,
) -> Any:
    """How an encoder learns to tell the six factors of rooms that are drawn for it.

    Args:
        pictures: How many pictures to learn from, at most 30,000.
        judged: By how many validation pictures it is judged, at most 20,000.
        updates: How many updates of the weights.
        batch: How many pictures each is made with.
        rate: The learning rate at the start; it falls evenly to nothing.
        no_augment: Learn from pictures as they are drawn; by default they are moved, resampled, darkened, blurred and
            given noise, a little and by chance, so that the encoder also sees pictures from elsewhere.
        data_seed: Which images are for what, as in `deixis make a3ds --seed`; 42 by default.
        seed: Weights and order follow from it; 0 by default.
    """
    from deixis.worlds.rooms.training.augment import Augmentation
    from deixis.worlds.rooms.training.encoder import Encoding

    return Encoding(
        seed=seed,
        data_seed=data_seed,
        pictures=pictures,
        judged=judged,
        updates=updates,
        batch=batch,
        rate=rate,
        augmentation=None if no_augment else Augmentation(),
    )


def _train_encoder(
    settings: Encoding,
    data: Path | None,  # noqa: ARG001 (rooms are made, not read)
    out: Path,
    *,
    device: str,
    progress: Progress,
    stop_after: float | None,
) -> Run:
    from deixis.worlds.rooms.training.encoder import learn_to_see

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


def captioner_options(
    *,
    settings: Path | None = None,
    updates: int | None = None,
    batch: int | None = None,
    rate: float | None = None,
    clip: float | None = None,
    captions: int | None = None,
    forcing: Forcing | None = None,
    distractors: int | None = None,
    width: int | None = None,
    look_every: int | None = None,
    save_every: int | None = None,
    data_seed: int | None = None,
    encoder: str = "rooms",
    cache: Path | None = None,
    steady: bool = False,
    seed: int | None = None,
) -> _Speaking:
    """How a speaker learns exhaustive captions of rooms (the model B of A3DS).

    Args:
        settings: A TOML file with any of the settings; options override it.
        updates: How many updates of the weights.
        batch: How many contexts each is made with.
        rate: The learning rate; it falls to nothing over the last fifth of the updates.
        clip: The largest norm of a gradient; 0, the default, for no limit.
        captions: How many of the twenty exhaustive captions of each image are learnt, 5 by default.
        forcing: Whether the words before are always the right ones (always, the default), or, as published, with a
            probability that is halved with every pass over the data and otherwise the speaker's own (halved).
        distractors: How many images are shown beside the target, 1 by default.
        width: Of the speaker, 512 by default.
        look_every: Updates between two evaluations on validation images.
        save_every: Updates between two checkpoints, besides those at every evaluation.
        data_seed: Which images are for what, as in `deixis make a3ds --seed`; 42 by default.
        encoder: How images are seen: rooms (comes with deixis), factors (the truth, as an upper limit), a file that
            `deixis train room-encoder` has made, or weights of ResNet-50 as safetensors.
        cache: A folder for what images look like, so that it is computed once.
        steady: At the end, fit what the models see anew, so that a picture that is moved by a pixel, darker or noisy
            looks to them as it was drawn; some thousand pictures are looked at for it.
        seed: Weights, order and captions follow from it; 0 by default.
    """
    given = options_in(Captioning, locals())
    how = settings_from(Captioning, merge_settings(settings, given))
    return _Speaking(how, encoder, cache, steady).demand_sense()


def game_options(
    *,
    speaker: str,
    pairs: Pairing | None = None,
    settings: Path | None = None,
    distractors: int | None = None,
    updates: int | None = None,
    batch: int | None = None,
    rate: float | None = None,
    clip: float | None = None,
    objective: Objective | None = None,
    baseline: Baseline | None = None,
    reward: Reward | None = None,
    cost: float | None = None,
    entropy: float | None = None,
    structure: float | None = None,
    structural: Structure | None = None,
    kl: float | None = None,
    temperature: float | None = None,
    listener: str | None = None,
    freeze: bool = False,
    listener_first: int | None = None,
    listener_gold: float | None = None,
    speaker_rate: float | None = None,
    look_every: int | None = None,
    save_every: int | None = None,
    data_seed: int | None = None,
    encoder: str = "rooms",
    cache: Path | None = None,
    steady: bool = False,
    seed: int | None = None,
) -> _Speaking:
    """How a speaker and a listener play: it names an image, and the listener has to find it among others.

    Args:
        speaker: Who plays: the folder of a run of captioner, a checkpoint, or the name of one that comes with deixis.
        pairs: Images that are shown together: random ones (the default; the model RP of A3DS), or such as share three
            features or more (similar; the model SP).
        settings: A TOML file with any of the settings; options override it.
        distractors: From how many images the target is told, 1 by default.
        updates: How many updates of the weights.
        batch: How many contexts each is made with.
        rate: The learning rate; it falls to nothing over the last fifth of the updates.
        clip: The largest norm of a gradient; 0, the default, for no limit.
        objective: reinforce (the default), gumbel (words are mixed, so that gradients pass), or a fault of released
            code: inverted (log(1 - p) for log p), severed (success has no gradient).
        baseline: What a reward is held against: none (as published), mean of earlier ones (the default), or
            self-critical, what the speaker's best caption would earn.
        reward: 1 or -1 for the choice of the listener (choice, the default), or twice its probability less 1.
        cost: Of every word, taken from the reward; 0 by default.
        entropy: How much the speaker is paid for staying undecided, per nat and word; 0.1 by default.
        structure: The weight of captions that people would give, against that of success; 0.75 by default.
        structural: Whether these captions are learnt word by word (forced, the default), or held against what the
            speaker says freely, place by place (free, as published).
        kl: The weight of keeping close to the speaker that the game began with; 0 by default.
        temperature: At which words are drawn, 1 by default.
        listener: A checkpoint or run with a listener; by default a new one learns from the beginning.
        freeze: The listener stays as it is; it must be given.
        listener_first: Updates at the beginning in which the listener alone learns.
        listener_gold: The weight of captions that people would give among what the listener learns from, so that words
            keep their meaning; 0 as published.
        speaker_rate: The learning rate of the speaker, where it is not that of the listener.
        look_every: Updates between two evaluations on validation images.
        save_every: Updates between two checkpoints, besides those at every evaluation.
        data_seed: Which images are for what; the speaker's must be the same, 42 by default.
        encoder: How images are seen, the one that the speaker learnt with: rooms (comes with deixis), factors, or a
            file with weights.
        cache: A folder for what images look like, so that it is computed once.
        steady: At the end, fit what the models see anew, so that a picture that is moved by a pixel, darker or noisy
            looks to them as it was drawn; some thousand pictures are looked at for it.
        seed: The listener's weights, order and chance follow from it; 0 by default.
    """
    given = options_in(Game, locals() | {"listener": "frozen" if freeze else None})
    how = settings_from(Game, merge_settings(settings, given))
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
    from deixis.worlds.rooms.training.features import Eyes
    from deixis.worlds.rooms.training.game import play_games
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
    return Run(
        path=out,
        facts=facts,
        is_finished=facts["updates"] == facts["updates_wanted"],
        was_finished=bool(facts.get("was finished")),
        lines=tuple(_lines(facts)),
        following=tuple(following),
    )


def steady_run(out: Path, facts: dict[str, Any], eyes: Eyes, progress: Progress) -> dict[str, Any]:
    """Make the best models of a finished run see steadily, and say so in run.json; what that says then."""
    from dataclasses import asdict

    from deixis.worlds.rooms.training.steady import Steadying, steady

    if facts["updates"] < facts["updates_wanted"]:
        return facts
    how = Steadying()
    steady(out / BEST, how, eyes=eyes, progress=progress)
    told = {**facts, "steadied": asdict(how)}
    write_json(out / RUN, {name: value for name, value in told.items() if name != "was finished"})
    return told


def _lines(facts: Mapping[str, Any]) -> list[str]:
    lines = [tell_updates(facts, of="contexts")]
    lines += [
        f"Up to update {leg['until']:,} the rate was that of {leg['updates']:,} updates; run.json says so."
        for leg in facts.get("legs", [])[:-1]
    ]
    look = facts["look"]
    shown = [
        f"{name} {100 * look[name]:.1f} %" if name in PERCENT else f"{name} {look[name]:.2f}"
        for name in ORDER
        if name in look
    ]
    return [*lines, f"On validation images: {', '.join(shown)}."] if shown else lines


MODELS = Models(
    models={
        "room-encoder": Model(options=encoder_options, train=_train_encoder, needs_data=False),
        "captioner": Model(options=captioner_options, train=_train_speaker, needs_data=False),
        "game": Model(options=game_options, train=_train_speaker, needs_data=False),
    },
    kinds=("rooms",),
    shipped=files_here("room-encoder", "speaker-b", "speaker-rp", "speaker-sp"),
)
