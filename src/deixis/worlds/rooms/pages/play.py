"""Playing with rooms of 3D Shapes: pick the image that a caption describes, or write one that tells two apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import quote

import numpy as np

from deixis._version import __version__
from deixis.datasets.a3ds import read_pairs
from deixis.errors import SchemaError, UnknownName
from deixis.language.mentions import judge
from deixis.metrics.arrays import score_captions
from deixis.metrics.summary import MAIN, plain_estimates, summarise
from deixis.metrics.uncertainty import wilson
from deixis.scene.factors import FACTORS, RoomScene
from deixis.seeds import Stream, derive
from deixis.studio.answers import Judged, Measure, draw_numbers, write_json, write_lines
from deixis.worlds.shapes.captions import captions, count, words_of
from deixis.worlds.shapes.pairs import draw_contexts


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.metrics.arrays import Scores
    from deixis.studio.library import Entry


__all__ = ["ANEW", "Pair", "RoomGame", "room_game", "sets_of"]

RoomTask: TypeAlias = Literal["pick", "caption"]
ANEW = "drawn anew"  # the set where a dataset has no pairs
SHARED = 3  # factors that the images of such a pair share
LONGEST = 400  # letters of a caption
SHARES = ("discriminativity", "contrastive_efficiency", "relevance", "optimal_discriminativity")
SHOWN = (*SHARES, "mentioned_features", "false_features")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two images, the first of which is meant, with a caption of it.

    Attributes:
        set: the set of pairs that it is from.
        number: its number in the set; None where it was drawn anew.
        target, distractor: numbers of images.
        caption: says enough to find the target.
        is_swapped: whether the distractor is shown first.
    """

    set: str
    number: int | None
    target: int
    distractor: int
    caption: str
    is_swapped: bool

    @property
    def images(self) -> tuple[int, int]:
        """Both images as they are shown."""
        return (self.distractor, self.target) if self.is_swapped else (self.target, self.distractor)

    @property
    def contrast(self) -> tuple[str, ...]:
        """The features in which they differ."""
        one, other = RoomScene(self.target).factors, RoomScene(self.distractor).factors
        return tuple(name for name, a, b in zip(FACTORS, one, other, strict=True) if a != b)


@dataclass(frozen=True)
class RoomGame:
    """Pairs of images to choose from, or to write captions for."""

    entry: Entry
    task: RoomTask
    pairs: tuple[Pair, ...]
    seed: int

    @property
    def template(self) -> str:
        """The template that shows a question, and what came of it."""
        return f"play_{self.task}.html"

    def __len__(self) -> int:
        return len(self.pairs)

    def text(self, place: int) -> str:
        """The caption, or what is asked."""
        pair = self.pairs[place]
        return pair.caption if self.task == "pick" else f"image {pair.target}, not image {pair.distractor}"

    def address(self, place: int) -> str:
        """The page of the pair, or of the target where the pair is in no set."""
        pair = self.pairs[place]
        where = f"image/{pair.target}" if pair.number is None else f"{quote(pair.set, safe='')}/{pair.number}"
        return f"/d/{self.entry.slug}/{where}"

    def read(self, place: int, form: Mapping[str, str]) -> str:
        """The number of an image, or a caption."""
        if self.task == "pick":
            said = form.get("image", "")
            if said not in map(str, self.pairs[place].images):
                raise SchemaError("choose one of the two images")
            return said
        caption = " ".join(form.get("caption", "").split())
        if not caption:
            raise SchemaError("write a caption")
        if len(caption) > LONGEST:
            raise SchemaError(f"a caption has at most {LONGEST} letters here")
        return caption

    def shown(self, place: int, form: Mapping[str, str]) -> dict[str, Any]:
        """The images."""
        pair = self.pairs[place]
        images = pair.images if self.task == "pick" else (pair.target, pair.distractor)
        known = form.get("caption", "")[:LONGEST]
        return {"pair": pair, "images": images, "caption": known, "longest": LONGEST, "slug": self.entry.slug}

    def told(self, place: int, said: str) -> dict[str, Any]:
        """The images with what tells them apart."""
        pair = self.pairs[place]
        one, other = words_of(pair.target), words_of(pair.distractor)
        rows = [(name.replace("_", " "), one[name], other[name], name in pair.contrast) for name in FACTORS]
        return {"pair": pair, "features": rows, "said": said, "slug": self.entry.slug}

    def judge(self, place: int, said: str) -> Judged:
        """Whether an answer is right, and why not."""
        pair = self.pairs[place]
        if self.task == "pick":
            return _picked(pair, int(said))
        scores = _scores([pair], [said])
        is_found, is_true = bool(scores.is_discriminative[0]), not int(scores.false[0])
        if not is_found:
            headline = "That does not tell them apart"
        elif not is_true:
            headline = "Told apart, but not all of it is true"
        else:
            headline = "Told apart, and nothing in excess" if scores.is_minimal[0] else "Told apart"
        return Judged(is_found and is_true, headline, tuple(_about(pair, said, int(scores.unknown[0]))))

    def measures(self, said: Sequence[str]) -> list[Measure]:
        """What `deixis score` measures of captions; of choices, how many are right."""
        if not said:
            return []
        if self.task == "pick":
            right = sum(int(one) == pair.target for one, pair in zip(said, self.pairs, strict=False))
            return [Measure("right image", "the image that the caption describes", wilson(right, len(said)), True, 0.5)]
        found = summarise({"all": _scores(self.pairs, said)}, seed=self.seed).overall
        return [Measure(name.replace("_", " "), MAIN[name], found[name], name in SHARES) for name in SHOWN]

    def missed(self, said: Sequence[str]) -> dict[str, float]:
        """Of wrong answers the features that would have told the images apart, each with its share."""
        shares: dict[str, float] = {}
        for pair, one in zip(self.pairs, said, strict=False):
            unsaid = _unsaid(pair, one) if self.task == "caption" else pair.contrast * (int(one) != pair.target)
            for name in unsaid:
                word = name.replace("_", " ")
                shares[word] = shares.get(word, 0.0) + 1 / len(unsaid)
        return dict(sorted(shares.items(), key=lambda share: (-share[1], share[0])))

    def write(self, folder: Path, said: Sequence[str], facts: Mapping[str, Any], *, is_over: bool) -> list[str]:
        """Captions as `deixis score` reads them; choices with the captions that they were made for."""
        name, what = ("picks.jsonl", "picked_id") if self.task == "pick" else ("captions.jsonl", "prediction")
        rows = []
        for pair, one in zip(self.pairs, said, strict=False):
            row: dict[str, Any] = {"caption": pair.caption} if self.task == "pick" else {}
            row |= {what: int(one) if self.task == "pick" else one}
            rows.append(row | {"target_id": pair.target, "distractor_id": pair.distractor, "set": pair.set})
        write_lines(folder / name, rows)
        if is_over:
            found = {measure.name: measure.estimate for measure in self.measures(said)}
            write_json(
                folder / "scores.json", {"deixis": __version__, **facts, "scores": plain_estimates({"all": found})}
            )
        return [] if self.task == "pick" else ["deixis score FOLDER/captions.jsonl"]


def sets_of(entry: Entry) -> dict[str, np.ndarray]:
    """The sets of pairs that a dataset has, by name: int64 [pair, 2], the target first."""
    root = entry.path.resolve()
    files = sorted(path for path in (root / "pairs").glob("*.parquet") if path.resolve().is_relative_to(root))
    return dict(_sets(tuple((path, path.stat().st_mtime_ns) for path in files)))


@lru_cache(maxsize=4)
def _sets(files: tuple[tuple[Path, int], ...]) -> dict[str, np.ndarray]:
    """The pairs of some files, read again when one has changed."""
    return {name: rows for path, _ in files for name, rows in read_pairs(path).items()}


def room_game(entry: Entry, split: str, task: RoomTask, questions: int, *, seed: int) -> RoomGame:
    """A game on random pairs of a set, or of all sets; on pairs drawn anew where there is none."""
    sets = sets_of(entry)
    if split in sets:
        sets = {split: sets[split]}
    elif split and split != ANEW:
        raise UnknownName(f"there is no set of pairs {split[:40]!r}; known: {', '.join(sets) or ANEW}")
    if not sets or split == ANEW:
        rows = draw_contexts(questions, seed=derive(seed, "play"), shared=SHARED)
        chosen: list[tuple[str, int | None, list[int]]] = [(ANEW, None, row) for row in rows.tolist()]
    else:
        names = list(sets)
        places = draw_numbers([len(sets[name]) for name in names], questions, seed=seed)
        chosen = [(names[which], at, sets[names[which]][at].tolist()) for which, at in places]
    stream = Stream(derive(seed, "play", "order"))
    pairs = []
    for name, number, (target, distractor) in chosen:
        said = _telling(target, distractor, stream)
        pairs.append(Pair(name, number, target, distractor, said, bool(stream.below(2))))
    return RoomGame(entry, task, tuple(pairs), seed)


def _telling(target: int, distractor: int, stream: Stream) -> str:
    """A caption of the target that the distractor does not fit: a short one where there is one."""
    known = (*captions(target, "short"), *captions(target, "exhaustive"))
    same = np.full(len(known), target), np.full(len(known), distractor)
    telling = np.flatnonzero(score_captions(known, *same).is_discriminative)
    short = telling[telling < count("short")]
    places = short if len(short) else telling
    return known[stream.choice(places.tolist())] if len(places) else known[-1]


def _scores(pairs: Sequence[Pair], said: Sequence[str]) -> Scores:
    some = pairs[: len(said)]
    return score_captions(said, np.array([p.target for p in some]), np.array([p.distractor for p in some]))


def _picked(pair: Pair, image: int) -> Judged:
    one, other = words_of(pair.target), words_of(pair.distractor)
    differ = (f"{name.replace('_', ' ')}: {one[name]}, not {other[name]}" for name in pair.contrast)
    reason = f"They differ in {'; '.join(differ)}."
    return (
        Judged(True, "Right", (reason,))
        if image == pair.target
        else Judged(False, "The other image is meant", (reason,))
    )


def _unsaid(pair: Pair, said: str) -> tuple[str, ...]:
    """The features that a caption leaves out which does not tell the images apart."""
    true = judge(said, RoomScene(pair.target)).true
    return () if set(true) & set(pair.contrast) else pair.contrast


def _about(pair: Pair, said: str, unknown: int) -> Iterator[str]:
    """What a caption says, feature by feature."""
    found = judge(said, RoomScene(pair.target))
    groups = {
        "Tells them apart": [name for name in found.true if name in pair.contrast],
        "True of both images, so it could be left out": [name for name in found.true if name not in pair.contrast],
        "Not true of the image that is meant": [name for name in FACTORS if found.verdicts[name] == "false"],
        "Not clear what it is about": [name for name in FACTORS if found.verdicts[name] == "ambiguous"],
        "Would have told them apart": [name for name in pair.contrast if found.verdicts[name] == "absent"],
    }
    for what, names in groups.items():
        if names:
            yield f"{what}: {', '.join(name.replace('_', ' ') for name in names)}."
    if found.stray:
        yield "It names a colour that is nowhere in the image."
    if unknown:
        yield f"{unknown} of its words are not known here, and were passed over."
