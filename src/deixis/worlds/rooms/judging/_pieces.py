"""Captions that are said, scored and summed up piece by piece, here or by whoever shares the work."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.data._data_places import share_pieces
from deixis.data._pieces import pack_arrays, share_kept, unpack_arrays
from deixis.judge._sharing import share_request
from deixis.judge.uncertainty import Estimate
from deixis.seeds import derive
from deixis.speakers import Minimal, Random
from deixis.worlds.rooms.judging._anchors import speaker_captions
from deixis.worlds.rooms.judging._arrays import Scores, score_captions
from deixis.worlds.rooms.judging._predictions import Predictions
from deixis.worlds.rooms.judging._summary import SampledSet, Summary, resample_set, summarise
from deixis.worlds.rooms.pairs import CATEGORIES


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from deixis.distractors._contrast import By
    from deixis.judge.pragmatics import Denominator
    from deixis.judge.request import Request
    from deixis.speakers import Speaker
    from deixis.worlds.rooms.judging._anchors import SpeakerTurn
    from deixis.worlds.rooms.judging._arrays import Mode
    from deixis.worlds.rooms.mentions import Faults


TOGETHER = 8192  # captions that are scored together
FIELDS = tuple(field.name for field in fields(Scores))
SAID_BY: dict[str, Speaker] = {"random": Random(), "oracle": Minimal()}


# -------------------------------------------------------------------------------- what baselines say


class _BaselineTurn(NamedTuple):
    """Pairs that a baseline is to caption."""

    word: str
    part: str
    rows: np.ndarray
    seed: int


def say_baselines(
    request: Request, words: Sequence[str], asked: Mapping[str, np.ndarray]
) -> dict[str, dict[str, Predictions]]:
    """What baselines say of pairs, by name and by set."""
    wanted = [_BaselineTurn(word, part, rows, request.seed) for word in words for part, rows in asked.items()]
    said: Iterator[list[str]] = share_request(request, _say, wanted, key=_key_of_said, pack=list, unpack=list)
    found: dict[str, dict[str, Predictions]] = {word: {} for word in words}
    for one, texts in zip(wanted, said, strict=True):
        found[one.word][one.part] = Predictions(
            rows=np.arange(1, len(one.rows) + 1),
            captions=tuple(texts),
            targets=one.rows[:, 0],
            distractors=one.rows[:, 1:],
        )
    return found


def _say(one: _BaselineTurn) -> list[str]:
    return speaker_captions(SAID_BY[one.word], one.rows, seed=derive(one.seed, one.word, one.part))


def _key_of_said(one: _BaselineTurn) -> list[str]:
    return ["captions", one.word, one.part]


# -------------------------------------------------------------------------------- scores


class _Captions(NamedTuple):
    """Captions of one set that are scored together."""

    name: str
    part: str
    start: int
    texts: Sequence[str]
    targets: np.ndarray
    distractors: np.ndarray
    mode: Mode
    by: By
    faults: Faults | None


def score_files(
    request: Request,
    files: Mapping[str, Mapping[str, Predictions]],
    *,
    mode: Mode = "clean",
    by: By = "label",
    faults: Faults | None = None,
) -> dict[str, dict[str, Scores]]:
    """Return the scores of captions, by name of the file and of the set, as `score_captions` gives them."""
    pieces = [
        _Captions(
            *(name, part, start, said.captions[start:end], said.targets[start:end], said.distractors[start:end]),
            *(mode, by, faults),
        )
        for name, sets in files.items()
        for part, said in sets.items()
        for start, end in _spans(len(said), whole=mode == "paper")  # whose faults reach from caption to caption
    ]
    found: dict[str, dict[str, list[Scores]]] = {name: {part: [] for part in sets} for name, sets in files.items()}
    done = dict.fromkeys(files, 0)
    scores = share_request(request, _score, pieces, key=_key_of_captions, pack=_pack_scores, unpack=_unpack_scores)
    for one, some in zip(pieces, scores, strict=True):
        found[one.name][one.part].append(some)
        done[one.name] += len(some)
        request.progress(one.name, done[one.name], sum(map(len, files[one.name].values())))
    return {name: {part: _join(some) for part, some in sets.items()} for name, sets in found.items()}


def share_scores(
    request: Request, work: Callable[[SpeakerTurn], Scores], turns: Sequence[SpeakerTurn]
) -> Iterator[Scores]:
    """Yield the scores of what speakers say."""
    return share_request(request, work, turns, key=_key_of_turn, pack=_pack_scores, unpack=_unpack_scores)


def _spans(count: int, *, whole: bool) -> list[tuple[int, int]]:
    step = max(count, 1) if whole else TOGETHER
    return [(start, start + step) for start in range(0, count, step)] or [(0, 0)]


def _score(one: _Captions) -> Scores:
    return score_captions(one.texts, one.targets, one.distractors, mode=one.mode, by=one.by, faults=one.faults)


def _key_of_captions(one: _Captions) -> list[Any]:
    return ["scores", one.name, one.part, one.start]


def _key_of_turn(one: SpeakerTurn) -> list[str]:
    return ["speakers", one.name, one.part]


def _join(parts: Sequence[Scores]) -> Scores:
    if len(parts) == 1:
        return parts[0]
    return Scores(**{name: np.concatenate([getattr(one, name) for one in parts]) for name in FIELDS})


def _pack_scores(scores: Scores) -> dict[str, str]:
    return pack_arrays({name: getattr(scores, name) for name in FIELDS})


def _unpack_scores(packed: Mapping[str, str]) -> Scores:
    return Scores(**unpack_arrays(packed))


# -------------------------------------------------------------------------------- intervals


def summarise_files(
    request: Request, found: Mapping[str, Mapping[str, Scores]], *, denominator: Denominator = "z"
) -> dict[str, Summary]:
    """Return the metrics of captions with their intervals, by name of the file, as `summarise` gives them."""

    def work(names: Sequence[str]) -> Iterator[Summary]:
        sets = [
            SampledSet(part, scores, denominator, request.seed)
            for name in names
            for part, scores in found[name].items()
        ]
        states = share_pieces(resample_set, sets, len(sets), crew=request.crew)  # here, matrices use all cores
        for name in names:
            own = dict(zip(found[name], states, strict=False))  # those of the files that follow remain
            yield summarise(found[name], categories=CATEGORIES, denominator=denominator, states=own)

    summaries: dict[str, Summary] = {}
    names = list(found)
    kept = share_kept(request.kept, names, work, key=_key_of_summary, pack=_pack_summary, unpack=_unpack_summary)
    for name, summary in zip(names, kept, strict=True):
        summaries[name] = summary
        request.progress("intervals", len(summaries), len(found))
    return summaries


def _key_of_summary(name: str) -> list[str]:
    return ["intervals", name]


def _pack_summary(summary: Summary) -> dict[str, Any]:
    return {"sets": summary.sets, "categories": summary.categories, "overall": summary.overall}


def _unpack_summary(packed: Mapping[str, Any]) -> Summary:
    tables = {
        name: {part: _estimates(table) for part, table in packed[name].items()} for name in ("sets", "categories")
    }
    return Summary(**tables, overall=_estimates(packed["overall"]))


def _estimates(table: Mapping[str, Sequence[Any]]) -> dict[str, Estimate]:
    return {metric: Estimate(*values) for metric, values in table.items()}


# -------------------------------------------------------------------------------- surface


class _Surface(NamedTuple):
    """Captions of a set beside which references are held."""

    name: str
    part: str
    texts: Sequence[str]
    targets: np.ndarray
    distractors: np.ndarray
    seed: int


def compare_surfaces(
    request: Request, files: Mapping[str, Mapping[str, Predictions]], most: int
) -> dict[str, dict[str, dict[str, Estimate]]]:
    """How much the first captions of each set look like references, by name of the file and of the set."""
    pieces = [
        _Surface(name, part, said.captions[:most], said.targets[:most], said.distractors[:most], request.seed)
        for name, sets in files.items()
        for part, said in sets.items()
    ]
    looks: dict[str, dict[str, dict[str, Estimate]]] = {name: {} for name in files}
    found = share_request(request, _compare, pieces, key=_key_of_surface, pack=dict, unpack=_estimates)
    for one, look in zip(pieces, found, strict=True):
        looks[one.name][one.part] = look
    return looks


def _compare(one: _Surface) -> dict[str, Estimate]:
    from deixis.judge.captions import surface
    from deixis.worlds.rooms.captions import captions

    scores = score_captions(one.texts, one.targets, one.distractors)
    references = [captions(target) for target in one.targets.tolist()]
    return surface(one.texts, references, scores, seed=derive(one.seed, "surface", one.part))


def _key_of_surface(one: _Surface) -> list[str]:
    return ["surface", one.name, one.part]
