"""Playing with rooms of 3D Shapes: pick the image that a caption describes, or write one that tells two apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import quote

import numpy as np

from deixis._studio.answers import AnswerVerdict, Game, Measure, draw_numbers, write_json, write_lines
from deixis._version import __version__
from deixis.errors import SchemaError, UnknownName
from deixis.judge.uncertainty import plain_estimates, wilson
from deixis.judge.verdicts import VERDICTS
from deixis.seeds import Stream, derive
from deixis.worlds.rooms._pages.gallery import pairs_of
from deixis.worlds.rooms.captions import captions, count
from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.judging._predictions import read_predictions, released_rows, write_rows
from deixis.worlds.rooms.judging._summary import MAIN, summarise
from deixis.worlds.rooms.judging._verdict_file import Pick, write_caption_verdicts, write_pick_verdicts
from deixis.worlds.rooms.mentions import judge, read_mentions
from deixis.worlds.rooms.mentions._judging import said_of
from deixis.worlds.rooms.pairs import draw_contexts
from deixis.worlds.rooms.scene import FACTORS, ORIENTATIONS, PLACES, RoomScene, factors_of, ids_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis._studio.library import Entry
    from deixis.worlds.rooms.judging._arrays import Scores


RoomTask: TypeAlias = Literal["pick", "caption"]
TASKS = {
    "pick": ("Pick", "Choose the image that the caption describes."),
    "caption": ("Describe", "Write a caption that tells one image from the other."),
}
ANEW = "drawn anew"  # the set where a dataset has no pairs
DEGREES = "differs in degrees, not in words"
SHARED = 3  # factors that the images of such a pair share
LONGEST = 400  # letters of a caption
RIGHT_IMAGE = "right_image"  # the measure of choices, as results name it
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
        """The features in which they differ, an orientation also where it does so in degrees only."""
        one, other = RoomScene(self.target).factors, RoomScene(self.distractor).factors
        return tuple(name for name, a, b in zip(FACTORS, one, other, strict=True) if a != b)

    @property
    def spoken(self) -> tuple[str, ...]:
        """The features in which they differ in words, so that a caption can tell them apart."""
        one, other = self.words
        return tuple(name for name in self.contrast if one[name] != other[name])

    @property
    def named(self) -> tuple[str, ...]:
        """The features in which they differ in words and that the caption names."""
        true = judge(self.caption, RoomScene(self.target)).true
        return tuple(name for name in self.spoken if name in true)

    @property
    def words(self) -> tuple[dict[str, str], dict[str, str]]:
        """Phrases for the features of the target and of the distractor."""
        return said_of(RoomScene(self.target)), said_of(RoomScene(self.distractor))

    @property
    def degrees(self) -> tuple[str, str]:
        """The orientations of both."""
        return tuple(ORIENTATIONS[RoomScene(one).factors[-1]] for one in (self.target, self.distractor))  # type: ignore[return-value]


@dataclass(frozen=True)
class RoomGame(Game):
    """Pairs of images to choose from, or to write captions for."""

    entry: Entry
    task: RoomTask
    pairs: tuple[Pair, ...]
    seed: int

    @property
    def template(self) -> str:
        """The template that shows a question, and what came of it."""
        return f"rooms/play_{self.task}.html"

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

    def show_question(self, place: int, form: Mapping[str, str]) -> dict[str, Any]:
        """The images."""
        pair = self.pairs[place]
        images = pair.images if self.task == "pick" else (pair.target, pair.distractor)
        known = form.get("caption", "")[:LONGEST]
        return {"pair": pair, "images": images, "caption": known, "longest": LONGEST, "slug": self.entry.slug}

    def show_verdict(self, place: int, said: str) -> dict[str, Any]:
        """The images with what tells them apart."""
        pair = self.pairs[place]
        return {"pair": pair, "features": list(_features(pair)), "said": said, "slug": self.entry.slug}

    def judge(self, place: int, said: str) -> AnswerVerdict:
        """Judge an answer, with the reason if it is wrong."""
        pair = self.pairs[place]
        if self.task == "pick":
            return _judge_choice(pair, int(said))
        scores = _scores([pair], [said])
        is_found, is_true = bool(scores.is_discriminative[0]), not int(scores.false[0])
        if not is_found:
            headline = "That does not tell them apart"
        elif not is_true:
            headline = "Told apart, but not all of it is true"
        else:
            headline = "Told apart, and nothing in excess" if scores.is_minimal[0] else "Told apart"
        return AnswerVerdict(is_found and is_true, headline, tuple(_about(pair, said)))

    def measures(self, said: Sequence[str]) -> list[Measure]:
        """Return the measures of `deixis evaluate` for captions, or the share of right choices."""
        if not said:
            return []
        if self.task == "pick":
            right = sum(int(one) == pair.target for one, pair in zip(said, self.pairs, strict=False))
            return [Measure("right image", "the image that the caption describes", wilson(right, len(said)), True, 0.5)]
        found = summarise({"all": _scores(self.pairs, said)}, seed=self.seed).overall
        return [Measure(name.replace("_", " "), MAIN[name], found[name], name in SHARES) for name in SHOWN]

    def misreadings(self, said: Sequence[str]) -> dict[str, float]:
        """Of wrong answers the features that would have told the images apart, each with its share.

        Of captions those that could have been named, of choices those that the caption names.
        """
        shares: dict[str, float] = {}
        for pair, one in zip(self.pairs, said, strict=False):
            passed_over = _unsaid(pair, one) if self.task == "caption" else pair.named * (int(one) != pair.target)
            for name in passed_over:
                word = name.replace("_", " ")
                shares[word] = shares.get(word, 0.0) + 1 / len(passed_over)
        return dict(sorted(shares.items(), key=lambda share: (-share[1], share[0])))

    def write(self, folder: Path, said: Sequence[str], facts: Mapping[str, Any], *, is_over: bool) -> list[str]:
        """Write captions as `deixis evaluate` reads them, or choices with the captions that they were made for."""
        name, what = ("picks.jsonl", "picked_id") if self.task == "pick" else ("captions.jsonl", "prediction")
        rows = []
        for pair, one in zip(self.pairs, said, strict=False):
            row: dict[str, Any] = {"caption": pair.caption} if self.task == "pick" else {}
            row |= {what: int(one) if self.task == "pick" else one}
            rows.append(row | {"target_id": pair.target, "distractor_id": pair.distractor, "set": pair.set})
        write_lines(folder / name, rows)
        if is_over:
            if self.task == "pick":
                write_pick_verdicts(folder / VERDICTS, list(map(_pick, self.pairs, said)))
            scores = self._picks(said) if self.task == "pick" else _captions(folder / name, self.seed)
            about = {"deixis": __version__, "world": "rooms", **facts}
            write_json(folder / "evaluation.json", {**about, "scores": {str(facts["model"]): scores}})
        if self.task == "pick":
            return []
        is_lossy = bool(said) and bool(_scores(self.pairs, said).unknown.any())
        return [f"deixis evaluate FOLDER/captions.jsonl{' --allow-losses' if is_lossy else ''}"]

    def _picks(self, said: Sequence[str]) -> dict[str, Any]:
        """How many choices are right, by set."""
        found = {}
        for name, places in self._by_set().items():
            right = sum(int(said[place]) == self.pairs[place].target for place in places)
            found[name] = {RIGHT_IMAGE: wilson(right, len(places))}
        return {"sets": plain_estimates(found)}

    def _by_set(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for place, pair in enumerate(self.pairs):
            found.setdefault(pair.set, []).append(place)
        return found


def _pick(pair: Pair, said: str) -> Pick:
    return Pick(pair.set, pair.target, pair.distractor, int(said), pair.caption)


def _captions(path: Path, seed: int) -> dict[str, Any]:
    """What `deixis evaluate --out` says of the captions in a file; its table is written beside it."""
    sets = read_predictions(path)
    scores = {name: score_captions(one.captions, one.targets, one.distractors) for name, one in sets.items()}
    write_rows(path.with_name("rows.csv"), released_rows(sets, scores))
    write_caption_verdicts(path.with_name(VERDICTS), sets, scores)
    return summarise(scores, seed=seed).to_dict()


def samples_of(entry: Entry) -> dict[str, int]:
    """Return the sets of pairs to draw a sample from, with sizes.

    An empty name stands for all.
    """
    sets = {name: len(rows) for name, rows in pairs_of(entry).items()}
    return {"": sum(sets.values()), **sets} if sets else {ANEW: 0}


def room_game(entry: Entry, split: str, task: RoomTask, questions: int, *, seed: int) -> RoomGame:
    """Return a game on random pairs of a set or of all sets, or on new pairs if there is no set."""
    sets = pairs_of(entry)
    if split in sets:
        sets = {split: sets[split]}
    elif split and split != ANEW:
        raise UnknownName(f"there is no set of pairs {split[:40]!r}; known: {', '.join(sets) or ANEW}")
    if not sets or split == ANEW:
        rows = draw_contexts(questions, seed=derive(seed, "play"), shared=SHARED)
        chosen: list[tuple[str, int | None, list[int]]] = [(ANEW, None, row) for row in rows.tolist()]
    else:
        names = list(sets)
        fit = [np.flatnonzero(_differ_in_words(rows)) for rows in sets.values()]
        places = [(which, int(fit[which][at])) for which, at in draw_numbers([*map(len, fit)], questions, seed=seed)]
        chosen = [(names[which], at, sets[names[which]][at].tolist()) for which, at in places]
    stream = Stream(derive(seed, "play", "order"))
    pairs = []
    for name, number, (target, distractor) in chosen:
        said = _telling(target, distractor, stream)
        pairs.append(Pair(name, number, target, distractor, said, bool(stream.below(2))))
    return RoomGame(entry, task, tuple(pairs), seed)


def _differ_in_words(pairs: np.ndarray) -> np.ndarray:
    """bool [pair]: whether there is anything that a caption could tell the images of a pair apart by."""
    one, other = factors_of(pairs[:, 0]), factors_of(pairs[:, 1])
    phrase = np.array([PLACES.index(place) for place in PLACES])
    return (one[:, :-1] != other[:, :-1]).any(axis=1) | (phrase[one[:, -1]] != phrase[other[:, -1]])


def _features(pair: Pair) -> Iterator[tuple[str, str, str, str]]:
    """A row for every feature: its name, what it is in both images, and how these differ."""
    one, other = pair.words
    for name in FACTORS:
        how = "differs" if name in pair.spoken else DEGREES if name in pair.contrast else ""
        shown = (one[name], other[name])
        if how == DEGREES:
            shown = (f"{one[name]}, {pair.degrees[0]}", f"{other[name]}, {pair.degrees[1]}")
        yield name.replace("_", " "), *shown, how


def _telling(target: int, distractor: int, stream: Stream) -> str:
    """A caption of the target that the distractor does not fit, in words: a short one where there is one."""
    known = (*captions(target, "short"), *captions(target, "exhaustive"))
    one, other = factors_of(np.array([target, distractor]))
    if PLACES[one[-1]] == PLACES[other[-1]]:
        other[-1] = one[-1]
    same = np.full(len(known), target), np.full(len(known), ids_of(other))
    telling = np.flatnonzero(score_captions(known, *same).is_discriminative)
    short = telling[telling < count("short")]
    places = short if len(short) else telling
    return known[stream.choice(places.tolist())] if len(places) else known[-1]


def _scores(pairs: Sequence[Pair], said: Sequence[str]) -> Scores:
    some = pairs[: len(said)]
    return score_captions(said, np.array([p.target for p in some]), np.array([p.distractor for p in some]))


def _judge_choice(pair: Pair, image: int) -> AnswerVerdict:
    one, other = pair.words
    differ = [f"{name.replace('_', ' ')}: {one[name]}, not {other[name]}" for name in pair.spoken]
    differ += [f"{name} {DEGREES.removeprefix('differs ')}" for name in pair.contrast if name not in pair.spoken]
    reason = f"They differ in {'; '.join(differ)}."
    if image == pair.target:
        return AnswerVerdict(True, "Right", (reason,))
    named = f"Of these, the caption names {', '.join(name.replace('_', ' ') for name in pair.named)}."
    return AnswerVerdict(False, "Not quite. The target is the other image", (reason, named))


def _unsaid(pair: Pair, said: str) -> tuple[str, ...]:
    """The features that a caption leaves out which does not tell the images apart."""
    true = judge(said, RoomScene(pair.target)).true
    return () if set(true) & set(pair.contrast) else pair.spoken


def _about(pair: Pair, said: str) -> Iterator[str]:
    """What a caption says, feature by feature."""
    heard = read_mentions(said)
    found = judge(heard, RoomScene(pair.target))
    groups = {
        "Tells them apart": [name for name in found.true if name in pair.spoken],
        "Differs in degrees, which is counted, but not in words": [
            name for name in found.true if name in pair.contrast and name not in pair.spoken
        ],
        "True of both images, so it could be left out": [name for name in found.true if name not in pair.contrast],
        "Not true of the image that is meant": [name for name in FACTORS if found.verdicts[name] == "false"],
        "Not clear what it is about": [name for name in FACTORS if found.verdicts[name] == "ambiguous"],
        "Would have told them apart": [name for name in pair.spoken if found.verdicts[name] == "absent"],
    }
    for what, names in groups.items():
        if names:
            yield f"{what}: {', '.join(name.replace('_', ' ') for name in names)}."
    if found.stray:
        yield "It names a colour that is nowhere in the image."
    passed_over = dict.fromkeys(f"‘{said[start:end]}’" for start, end in heard.unknown)
    if passed_over:
        are = "is not understood here and was" if len(passed_over) == 1 else "are not understood here and were"
        yield f"{', '.join(passed_over)} {are} passed over."
