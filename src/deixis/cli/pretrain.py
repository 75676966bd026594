"""`deixis pretrain`: a speaker that learns exhaustive captions of rooms, the model B of A3DS."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from deixis.cli.options import Count, Json, Seed
from deixis.cli.progress import Stages
from deixis.cli.rooms import Above, NotBelow, seconds_of, settings_said, tell_run


__all__ = ["pretrain"]


def pretrain(
    *,
    out: Path,
    settings: Path | None = None,
    updates: Count | None = None,
    batch: Count | None = None,
    rate: Above | None = None,
    clip: NotBelow | None = None,
    captions: Count | None = None,
    forcing: Literal["always", "halved"] | None = None,
    distractors: Count | None = None,
    width: Count | None = None,
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
    """Let a speaker learn exhaustive captions of rooms (the model B of A3DS).

    Whatever is not said is as published. Stopped, by Ctrl-C or by a power cut, the same command goes on from the last
    checkpoint, to the same weights. No image of a test set is looked at.

    Args:
        out: The folder for the run: checkpoints, log.jsonl and run.json.
        settings: A TOML file with any of the settings; options say more than it.
        updates: How many updates of the weights.
        batch: How many contexts each is made with.
        rate: The learning rate; it falls to nothing over the last fifth of the updates.
        clip: The largest norm of a gradient; 0, the default, for no limit.
        captions: How many of the twenty exhaustive captions of each image are learnt, 5 by default.
        forcing: Whether the words before are always the right ones (always, the default), or, as published, with a
            probability that is halved with every pass over the data and otherwise the speaker's own (halved).
        distractors: How many images are shown beside the target, 1 by default.
        width: Of the speaker, 512 by default.
        look_every: Updates between two looks at validation images.
        save_every: Updates between two checkpoints, besides those at every look.
        data_seed: Which images are for what, as in `deixis make a3ds --seed`; 42 by default.
        encoder: How images are seen: rooms (comes with deixis), factors (the truth, as an upper limit), a file that
            `deixis see` has made, or weights of ResNet-50 as safetensors.
        cache: A folder for what images look like, so that it is computed once.
        minutes: Stop after so many; the same command goes on.
        device: auto (a GPU where there is one), cpu, cuda, cuda:1.
        seed: Weights, order and captions follow from it; 0 by default.
        workers: How many threads on a CPU, one per core by default.
        as_json: Print JSON instead of text.
    """
    from deixis.training.devices import use_threads
    from deixis.training.rooms.features import Eyes
    from deixis.training.rooms.pretrain import learn_captions
    from deixis.training.rooms.settings import Captioning, settings_from

    said = {
        "updates": updates,
        "batch": batch,
        "rate": rate,
        "clip": clip,
        "captions": captions,
        "forcing": forcing,
        "distractors": distractors,
        "width": width,
        "look_every": look_every,
        "save_every": save_every,
        "data_seed": data_seed,
        "seed": seed,
    }
    how = settings_from(Captioning, settings_said(settings, said))
    if workers is not None:
        use_threads(workers)
    eyes = Eyes(encoder=encoder, device=device, cache=cache)
    with Stages() as progress:
        facts = learn_captions(how, out, eyes=eyes, progress=progress, stop_after=seconds_of(minutes))
    seen = "" if encoder == "rooms" else f" --encoder {encoder}"
    next_ones = [f"deixis say {out}{seen}", f"deixis play {out} --pairs random --out RUN{seen}"]
    tell_run(out, facts, next_ones, as_json=as_json)
    return 0
