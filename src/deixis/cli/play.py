"""`deixis play`: a speaker and a listener play the reference game, which makes the models RP and SP of A3DS."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from deixis.cli.options import Count, Json, Seed
from deixis.cli.progress import Stages
from deixis.cli.rooms import Above, NotBelow, Share, checkpoint_of, seconds_of, settings_said, tell_run


__all__ = ["play"]


def play(
    speaker: Annotated[Path, Parameter(name="SPEAKER")],
    /,
    *,
    out: Path,
    pairs: Literal["random", "similar"] | None = None,
    settings: Path | None = None,
    distractors: Count | None = None,
    updates: Count | None = None,
    batch: Count | None = None,
    rate: Above | None = None,
    clip: NotBelow | None = None,
    objective: Literal["reinforce", "gumbel", "inverted", "severed"] | None = None,
    baseline: Literal["none", "mean", "self-critical"] | None = None,
    reward: Literal["choice", "probability"] | None = None,
    cost: NotBelow | None = None,
    entropy: NotBelow | None = None,
    structure: Share | None = None,
    structural: Literal["forced", "free"] | None = None,
    kl: NotBelow | None = None,
    temperature: Above | None = None,
    listener: Path | None = None,
    freeze: bool = False,
    listener_first: Count | None = None,
    listener_gold: NotBelow | None = None,
    speaker_rate: Above | None = None,
    look_every: Count | None = None,
    save_every: Count | None = None,
    data_seed: Seed | None = None,
    encoder: str = "rooms",
    cache: Path | None = None,
    minutes: Above | None = None,
    device: str = "auto",
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Let a speaker and a listener play: it names an image, and the listener has to find it among others.

    The speaker has learnt captions (`deixis pretrain`). Random pairs make the model RP of A3DS, similar ones SP.
    Stopped, by Ctrl-C or by a power cut, the same command goes on from the last checkpoint, to the same weights.

    Args:
        speaker: The folder of a run, a checkpoint, or the name of one that comes with deixis.
        out: The folder for the run: checkpoints, log.jsonl and run.json.
        pairs: Images that are shown together: random ones (the default), or such as share three features or more.
        settings: A TOML file with any of the settings; options say more than it.
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
        look_every: Updates between two looks at validation images.
        save_every: Updates between two checkpoints, besides those at every look.
        data_seed: Which images are for what; the speaker's must be the same, 42 by default.
        encoder: How images are seen, the one that the speaker learnt with: rooms (comes with deixis), factors, or a
            file with weights.
        cache: A folder for what images look like, so that it is computed once.
        minutes: Stop after so many; the same command goes on.
        device: auto (a GPU where there is one), cpu, cuda, cuda:1.
        seed: The listener's weights, order and chance follow from it; 0 by default.
        workers: How many threads on a CPU, one per core by default.
        as_json: Print JSON instead of text.
    """
    from deixis.training.devices import use_threads
    from deixis.training.rooms.features import Eyes
    from deixis.training.rooms.game import play_games
    from deixis.training.rooms.settings import Game, settings_from

    said = {
        "pairs": pairs,
        "distractors": distractors,
        "updates": updates,
        "batch": batch,
        "rate": rate,
        "clip": clip,
        "objective": objective,
        "baseline": baseline,
        "reward": reward,
        "cost": cost,
        "entropy": entropy,
        "structure": structure,
        "structural": structural,
        "kl": kl,
        "temperature": temperature,
        "listener": "frozen" if freeze else None,
        "listener_first": listener_first,
        "listener_gold": listener_gold,
        "speaker_rate": speaker_rate,
        "look_every": look_every,
        "save_every": save_every,
        "data_seed": data_seed,
        "seed": seed,
    }
    how = settings_from(Game, settings_said(settings, said))
    if workers is not None:
        use_threads(workers)
    with Stages() as progress:
        facts = play_games(
            how,
            checkpoint_of(speaker),
            out,
            listener=None if listener is None else checkpoint_of(listener),
            eyes=Eyes(encoder=encoder, device=device, cache=cache),
            progress=progress,
            stop_after=seconds_of(minutes),
        )
    seen = "" if encoder == "rooms" else f" --encoder {encoder}"
    tell_run(out, facts, [f"deixis say {out}{seen}"], as_json=as_json)
    return 0
