"""What speakers say of the thirteen test sets of A3DS, and what listeners make of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np
import torch

from deixis.datasets.store import replacing_file
from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.metrics.arrays import score_captions
from deixis.metrics.summary import summarise
from deixis.training.devices import find_device, name_of
from deixis.training.rooms.bundles import bundle_digest
from deixis.training.rooms.drift import texts_of
from deixis.training.rooms.features import Eyes, features_of, find_encoder
from deixis.training.rooms.players import read_player
from deixis.training.rooms.pragmatic import Pragmatic, literal_listener, reasoned, reranked
from deixis.training.rooms.pretrain import silent
from deixis.training.rooms.saying import Decoding, say
from deixis.training.step import reseed
from deixis.worlds.shapes.pairs import CATEGORIES, PAIRS, test_sets


if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

    from deixis.metrics.summary import Summary
    from deixis.models.room_listener import RoomListener
    from deixis.models.room_speaker import RoomSpeaker
    from deixis.training.loop import Progress
    from deixis.training.rooms.bundles import Bundle
    from deixis.training.rooms.saying import Said


__all__ = ["Spoken", "Style", "Thinking", "say_sets", "scores_of", "write_captions"]

BATCH = 2048  # contexts at a time
Thinking: TypeAlias = Literal["none", "rerank", "reason"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a speaker speaks.

    Attributes:
        decoding: how words are chosen.
        thinking: whether it thinks of its listener, by proposing captions and choosing one (`rerank`), or word by word
            (`reason`); see `pragmatic`.
        pragmatic: how much.
    """

    decoding: Decoding = field(default_factory=Decoding)
    thinking: Thinking = "none"
    pragmatic: Pragmatic = field(default_factory=Pragmatic)

    def __post_init__(self) -> None:
        if self.thinking not in get_args(Thinking):
            raise RecipeError(f"unknown way of thinking {self.thinking!r}; known: {', '.join(get_args(Thinking))}")


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """The captions of a test set.

    Shapes:
        images: int64 [context, image], the target first.
        understood: bool [context], whether the listener that plays with the speaker finds the target; None without one.
        literally: bool [context], whether a literal listener, made of the speaker itself, finds it.
    """

    texts: tuple[str, ...]
    images: np.ndarray
    understood: np.ndarray | None
    literally: np.ndarray


def say_sets(
    checkpoint: Path,
    *,
    listener: Path | None = None,
    eyes: Eyes | None = None,
    style: Style | None = None,
    count: int = PAIRS,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[dict[str, Spoken], dict[str, Any]]:
    """Let a speaker caption the test sets; the captions by set, and facts about how they came about.

    Args:
        checkpoint: a file with a speaker, and maybe its listener.
        listener: another file with a listener, e.g. of another game.
        eyes: how images are seen, with the encoder that the speaker learnt with.
        style: how captions are said, greedily by default.
        count: contexts of each set; the sets are those of the seed that the images of the training were divided by.
        seed: of chance, where captions are drawn.
        progress: told how far things are.

    Raises:
        RecipeError: when the speaker learnt with another encoder.
        BrokenCheckpoint: when a file cannot be read or holds no speaker.
    """
    eyes, style = eyes or Eyes(), style or Style()
    place, tell = find_device(eyes.device), progress or silent
    seer = find_encoder(eyes.encoder, place)
    bundle = read_player(checkpoint, "speaker", seer)
    other = read_player(listener, "listener", seer) if listener is not None else bundle
    hears = cast("RoomListener", other.model("listener", place)) if "listener" in other.models else None
    speaks = _Speaks(cast("RoomSpeaker", bundle.model("speaker", place)), hears, style)
    sets = test_sets(seed=_data_seed(checkpoint, bundle), count=count)
    ids = np.concatenate([rows.ravel() for rows in sets.values()])
    features = features_of(ids, seer, place, cache=eyes.cache, progress=tell)
    spoken, done = {}, 0
    for number, (name, rows) in enumerate(sets.items()):
        reseed(seed, number, place)
        spoken[name] = _of_set(speaks, features.rows(rows), features.values, rows, place)
        done += len(rows)
        tell("captions", done, len(sets) * count, name)
    facts = {
        "checkpoint": bundle_digest(checkpoint),
        "listener": bundle_digest(listener or checkpoint) if hears is not None else None,
        "role": bundle.role,
        "training": dict(bundle.training),
        "data": dict(bundle.data),
        "updates": bundle.update,
        "style": asdict(style),
        "contexts": count,
        "device": name_of(place),
    }
    return spoken, facts


def scores_of(spoken: Mapping[str, Spoken], *, seed: int = 0) -> tuple[Summary, dict[str, dict[str, float]]]:
    """The metrics of captions by set and category, and the accuracy of listeners.

    Returns:
        The summary, and for every set, every category and `overall` both `listener_accuracy` and `literal_accuracy`.
    """
    scores = {name: score_captions(one.texts, one.images[:, 0], one.images[:, 1:]) for name, one in spoken.items()}
    found = {name: _accuracy([one]) for name, one in spoken.items()}
    whole = {name: sets for name, sets in CATEGORIES.items() if all(part in spoken for part in sets)}
    found |= {name: _accuracy([spoken[part] for part in sets]) for name, sets in whole.items()}
    found["overall"] = _accuracy(list(spoken.values()))
    return summarise(scores, categories=CATEGORIES, seed=seed), found


def write_captions(path: Path, spoken: Mapping[str, Spoken]) -> None:
    """Write captions as JSON Lines that `deixis score` reads."""
    with replacing_file(path) as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
        for name, one in spoken.items():
            for number, (text, images) in enumerate(zip(one.texts, one.images.tolist(), strict=True)):
                row: dict[str, Any] = {"prediction": text, "target_id": images[0]}
                row |= {"distractor_id": images[1]} if len(images) == 2 else {"distractor_ids": images[1:]}
                row["set"] = name
                if one.understood is not None:
                    row["understood"] = bool(one.understood[number])
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class _Speaks:
    speaker: RoomSpeaker
    listener: RoomListener | None
    style: Style

    def __call__(self, images: Tensor) -> Said:
        style = self.style
        if style.thinking == "rerank":
            drawn = style.decoding if style.decoding.way in ("sampled", "top-k") else None
            return reranked(self.speaker, self.listener, images, style.pragmatic, drawn)
        if style.thinking == "reason":
            return reasoned(self.speaker, images, style.pragmatic)
        return say(self.speaker, self.speaker.look(images), style.decoding)


@torch.no_grad()
def _of_set(speaks: _Speaks, rows: np.ndarray, values: np.ndarray, images: np.ndarray, device: torch.device) -> Spoken:
    texts: list[str] = []
    understood, literally = [], []
    for start in range(0, len(rows), BATCH):
        some = rows[start : start + BATCH]
        seen = torch.from_numpy(values[some.ravel()]).to(device).float().view(*some.shape, -1)
        said = speaks(seen)
        texts += texts_of(said.words.cpu().numpy())
        literally.append((literal_listener(speaks.speaker, seen, said).argmax(1) == 0).cpu().numpy())
        if speaks.listener is not None:
            fits = speaks.listener(seen, said.words, said.length)
            understood.append((fits.argmax(1) == 0).cpu().numpy())
    return Spoken(
        texts=tuple(texts),
        images=images,
        understood=np.concatenate(understood) if understood else None,
        literally=np.concatenate(literally),
    )


def _data_seed(checkpoint: Path, bundle: Bundle) -> int:
    seed = bundle.data.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise BrokenCheckpoint(f"{checkpoint} does not say by which seed its images were divided")
    return seed


def _accuracy(parts: list[Spoken]) -> dict[str, float]:
    """The unweighted mean of sets."""
    found = {"literal_accuracy": float(np.mean([one.literally.mean() for one in parts]))}
    heard = [one.understood for one in parts if one.understood is not None]
    if len(heard) == len(parts):
        found["listener_accuracy"] = float(np.mean([one.mean() for one in heard]))
    return found
