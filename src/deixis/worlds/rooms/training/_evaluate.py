"""Captions by speakers for the thirteen test sets of A3DS or for given pictures, and what listeners choose."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np
import torch

from deixis._version import __version__
from deixis.data._pieces import share_kept
from deixis.data.store import replacing_file
from deixis.errors import BrokenCheckpoint, RecipeError
from deixis.learn._checkpoints import checkpoint_digest
from deixis.learn._updates import reseed
from deixis.learn.devices import find_device, name_of
from deixis.learn.run import silent
from deixis.worlds.rooms.judging._published import FALSE_FEATURES, TABLE_1
from deixis.worlds.rooms.judging.literal import listen_literally
from deixis.worlds.rooms.pairs import CATEGORIES, PAIRS, test_sets
from deixis.worlds.rooms.training._bundles import read_player
from deixis.worlds.rooms.training._drift import texts_of
from deixis.worlds.rooms.training._saying import Decoding, Pragmatic, reason, rerank, say
from deixis.worlds.rooms.training.features import Eyes, features_of, find_encoder


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from torch import Tensor

    from deixis.data._pieces import KeptPieces
    from deixis.learn._checkpoints import Bundle
    from deixis.learn.run import Progress
    from deixis.worlds.rooms._models.speakers import RoomListener, RoomSpeaker
    from deixis.worlds.rooms.judging._summary import Summary
    from deixis.worlds.rooms.training._saying import SpokenCaptions
    from deixis.worlds.rooms.training.features import Encoder


BATCH = 2048  # contexts at a time
Thinking: TypeAlias = Literal["none", "rerank", "reason"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The way a speaker speaks: decoding, and how much it reasons about a listener.

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
class SetCaptions:
    """The captions of a test set.

    Shapes:
        images: int64 [context, image], the target first.
        understood: bool [context], whether the listener that plays with the speaker finds the target; None without one.
    """

    texts: tuple[str, ...]
    images: np.ndarray
    understood: np.ndarray | None


def say_sets(  # noqa: PLR0913 (who speaks, of what, and how)
    checkpoint: Path,
    *,
    listener: Path | None = None,
    eyes: Eyes | None = None,
    style: Style | None = None,
    count: int = PAIRS,
    sets: Callable[[int], Mapping[str, np.ndarray]] | None = None,
    seed: int = 0,
    kept: KeptPieces | None = None,
    progress: Progress | None = None,
) -> tuple[dict[str, SetCaptions], dict[str, Any]]:
    """Let a speaker caption the test sets, and return the captions by set with facts about them.

    Args:
        checkpoint: a file with a speaker, and maybe its listener.
        listener: another file with a listener, e.g. of another game.
        eyes: how images are seen, with the encoder that the speaker learnt with.
        style: how captions are said, greedily by default.
        count: contexts of each set; the sets are those of the seed that the images of the training were divided by.
        sets: other sets, from that seed: by name int64 [context, image], the target first.
        seed: of chance, where captions are drawn.
        kept: what the speaker said before it was stopped.
        progress: told how far things are.

    Raises:
        RecipeError: when the speaker learnt with another encoder.
        BrokenCheckpoint: when a file cannot be read or holds no speaker.
    """
    eyes, style = eyes or Eyes(), style or Style()
    place, tell = find_device(eyes.device), progress or silent
    seer = find_encoder(eyes.encoder, place)
    bundle, speaks = read_speaking(checkpoint, listener, seer, style, place)
    divided = _data_seed(checkpoint, bundle)
    contexts = test_sets(seed=divided, count=count) if sets is None else sets(divided)
    total = sum(map(len, contexts.values()))

    def speak(names: Sequence[str]) -> Iterator[tuple[str, SetCaptions]]:
        if not names:
            return
        ids = np.concatenate([rows.ravel() for rows in contexts.values()])
        features = features_of(ids, seer, place, cache=eyes.cache, progress=tell)
        for name in names:
            reseed(seed, list(contexts).index(name), place)
            texts, understood = hear(speaks, features.rows(contexts[name]), features.values, place)
            yield name, SetCaptions(texts=texts, images=contexts[name], understood=understood)

    def unpack(packed: Any) -> tuple[str, SetCaptions]:
        name, texts, understood = packed
        heard = None if understood is None else np.array(understood, np.bool_)
        return name, SetCaptions(texts=tuple(texts), images=contexts[name], understood=heard)

    spoken: dict[str, SetCaptions] = {}
    for name, one in share_kept(kept, list(contexts), speak, key=_key_of_set, pack=_pack_set, unpack=unpack):
        spoken[name] = one
        tell("captions", sum(len(some.texts) for some in spoken.values()), total, name)
    most = max(map(len, contexts.values()))
    return spoken, {**facts_of(checkpoint, listener, bundle, speaks, place), "contexts": most}


def read_speaking(
    checkpoint: Path, listener: Path | None, seer: Encoder, style: Style, device: torch.device
) -> tuple[Bundle, Speaks]:
    """A speaker from a checkpoint, with its listener where there is one, and the checkpoint itself."""
    bundle = read_player(checkpoint, "speaker", seer)
    other = read_player(listener, "listener", seer) if listener is not None else bundle
    hears = cast("RoomListener", other.model("listener", device)) if "listener" in other.models else None
    return bundle, Speaks(cast("RoomSpeaker", bundle.model("speaker", device)), hears, style)


def facts_of(
    checkpoint: Path, listener: Path | None, bundle: Bundle, speaks: Speaks, device: torch.device
) -> dict[str, Any]:
    """Return facts about the speaker, the listener and the decoding."""
    return {
        "checkpoint": checkpoint_digest(checkpoint),
        "listener": checkpoint_digest(listener or checkpoint) if speaks.listener is not None else None,
        "role": bundle.role,
        "training": dict(bundle.training),
        "data": dict(bundle.data),
        "updates": bundle.step,
        "style": asdict(speaks.style),
        "device": name_of(device),
    }


def _key_of_set(name: str) -> list[str]:
    return ["said", name]


def _pack_set(said: tuple[str, SetCaptions]) -> list[Any]:
    name, one = said
    return [name, one.texts, None if one.understood is None else one.understood.tolist()]


def accuracy_of(spoken: Mapping[str, SetCaptions]) -> dict[str, dict[str, float]]:
    """The accuracy of listeners by set, by category, and overall.

    There are `listener_accuracy`, of the listener that was played with, and `literal_accuracy`, of one who goes by what
    words mean (`listen_literally`).
    """
    found = {name: _accuracy([one]) for name, one in spoken.items()}
    whole = {name: sets for name, sets in CATEGORIES.items() if all(part in spoken for part in sets)}
    found |= {name: _accuracy([spoken[part] for part in sets]) for name, sets in whole.items()}
    found["overall"] = _accuracy(list(spoken.values()))
    return found


def evaluation_of(
    facts: Mapping[str, Any], summary: Summary, accuracy: Mapping[str, Mapping[str, float]], *, seed: int = 0
) -> dict[str, Any]:
    """All that is known of what a speaker said, and what is published beside it, as plain values."""
    rounded = {name: {what: round(value, 6) for what, value in found.items()} for name, found in accuracy.items()}
    published = {"table_1": TABLE_1, "false_features": FALSE_FEATURES}
    return {
        "deixis": __version__,
        "seed": seed,
        **facts,
        **summary.to_dict(),
        "accuracy": rounded,
        "published": published,
    }


def write_captions(path: Path, spoken: Mapping[str, SetCaptions]) -> None:
    """Write captions as JSON Lines that `deixis evaluate` reads."""
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
class Speaks:
    """A speaker that speaks in a style, and who listens."""

    speaker: RoomSpeaker
    listener: RoomListener | None
    style: Style

    def __call__(self, images: Tensor) -> SpokenCaptions:
        """Return captions of contexts, float [context, image, feature], the target first."""
        style = self.style
        if style.thinking == "rerank":
            drawn = style.decoding if style.decoding.way in ("sampled", "top-k") else None
            return rerank(self.speaker, self.listener, images, style.pragmatic, drawn)
        if style.thinking == "reason":
            return reason(self.speaker, images, style.pragmatic)
        return say(self.speaker, self.speaker.look(images), style.decoding)


@torch.no_grad()
def hear(
    speaks: Speaks, rows: np.ndarray, values: np.ndarray, device: torch.device
) -> tuple[tuple[str, ...], np.ndarray | None]:
    """Captions of contexts, and whether the listener finds each target: bool [context], None where nobody listens.

    Shapes:
        rows: int64 [context, image], where in `values` its images are. values: float16 [image, feature].
    """
    texts: list[str] = []
    understood = []
    for start in range(0, len(rows), BATCH):
        some = rows[start : start + BATCH]
        seen = torch.from_numpy(values[some.ravel()]).to(device).float().view(*some.shape, -1)
        said = speaks(seen)
        texts += texts_of(said.words.cpu().numpy())
        if speaks.listener is not None:
            fits = speaks.listener(seen, said.words, said.length)
            understood.append((fits.argmax(1) == 0).cpu().numpy())
    return tuple(texts), np.concatenate(understood) if understood else None


def _data_seed(checkpoint: Path, bundle: Bundle) -> int:
    seed = bundle.data.get("seed")
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise BrokenCheckpoint(f"{checkpoint} does not say by which seed its images were divided")
    return seed


def _accuracy(parts: list[SetCaptions]) -> dict[str, float]:
    """The unweighted mean of sets."""
    found = {"literal_accuracy": float(np.mean([listen_literally(one.texts, one.images).mean() for one in parts]))}
    heard = [one.understood for one in parts if one.understood is not None]
    if len(heard) == len(parts):
        found["listener_accuracy"] = float(np.mean([one.mean() for one in heard]))
    return found


SIDE = 64
BLOCK = 1024  # pictures at a time


@dataclass(frozen=True, kw_only=True)
class ShownAndSaid:
    """Captions of pictures.

    Shapes:
        rows: int64 [context, picture], which pictures were shown, the target first.
        understood: bool [context], whether the listener that plays with the speaker finds the target; None without one
            or where the target was shown alone.
    """

    texts: tuple[str, ...]
    rows: np.ndarray
    understood: np.ndarray | None


def say_pictures(  # noqa: PLR0913 (who speaks, of what, and how)
    checkpoint: Path,
    pictures: np.ndarray,
    rows: np.ndarray | None = None,
    *,
    listener: Path | None = None,
    eyes: Eyes | None = None,
    style: Style | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[ShownAndSaid, dict[str, Any]]:
    """Let a speaker caption pictures, and return the captions with facts about them.

    Args:
        checkpoint: a file with a speaker, and maybe its listener.
        pictures: uint8 [picture, 64, 64, 3].
        rows: int64 [context, picture], which pictures to show together, the target first; each by itself by default.
        listener: another file with a listener.
        eyes: how pictures are seen, with the encoder that the speaker learnt with.
        style: how captions are said, greedily by default.
        seed: of chance, where captions are drawn.
        progress: told how far things are.

    Raises:
        RecipeError: when pictures have another shape, a row names none of them, or the speaker learnt with another
            encoder or cannot see pictures at all.
        BrokenCheckpoint: when the file cannot be read or holds no speaker.
    """
    eyes, style, tell = eyes or Eyes(), style or Style(), progress or silent
    place = find_device(eyes.device)
    seer = find_encoder(eyes.encoder, place)
    rows = _check_pictures(pictures, rows, seer)
    bundle, speaks = read_speaking(checkpoint, listener, seer, style, place)
    values = _encode(pictures, seer, place, tell)
    reseed(seed, 0, place)
    texts, understood = hear(speaks, rows, values, place)
    said = ShownAndSaid(texts=texts, rows=rows, understood=understood if rows.shape[1] > 1 else None)
    return said, facts_of(checkpoint, listener, bundle, speaks, place)


def _check_pictures(pictures: np.ndarray, rows: np.ndarray | None, seer: Encoder) -> np.ndarray:
    if not seer.needs_pictures:
        raise RecipeError(f"the encoder {seer.name!r} sees no pictures; choose another one")
    if pictures.dtype != np.uint8 or pictures.shape[1:] != (SIDE, SIDE, 3) or not len(pictures):
        raise RecipeError(
            f"pictures are bytes of shape [picture, {SIDE}, {SIDE}, 3], got {pictures.dtype} of {list(pictures.shape)}"
        )
    rows = np.arange(len(pictures))[:, None] if rows is None else np.asarray(rows)
    if rows.ndim != 2 or not rows.size or not np.issubdtype(rows.dtype, np.integer):
        raise RecipeError(f"a context is a row of numbers of pictures, got {rows.dtype} of shape {list(rows.shape)}")
    if rows.min() < 0 or rows.max() >= len(pictures):
        raise RecipeError(f"pictures are numbered from 0 to {len(pictures) - 1:,}, got {rows.min()} to {rows.max()}")
    return rows.astype(np.int64)


@torch.no_grad()
def _encode(pictures: np.ndarray, seer: Encoder, device: torch.device, tell: Progress) -> np.ndarray:
    """Compute the features of pictures: float16 [picture, 2048]."""
    parts = []
    for start in range(0, len(pictures), BLOCK):
        some = pictures[start : start + BLOCK]
        numbers = np.arange(start, start + len(some))
        parts.append(seer.encode(numbers, some, device).half().cpu().numpy())
        tell("looking at pictures", start + len(some), len(pictures), "")
    return np.concatenate(parts)
