"""Pragmatic scores of captions of 3D Shapes, from files and from speakers that need no training."""

from __future__ import annotations

from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from deixis._losses import Losses
from deixis._options import names_in, names_of
from deixis._version import __version__
from deixis.data._kept_results import demand_same, read_kept, write_evaluation
from deixis.errors import BrokenDataset, RecipeError
from deixis.judge.request import BASELINES
from deixis.judge.uncertainty import plain_estimates
from deixis.judge.verdicts import VERDICTS
from deixis.learn.run import is_word
from deixis.report.output import Output, TextTable
from deixis.worlds.rooms.every_word import EVERY_WORD, draw_every_word
from deixis.worlds.rooms.judging._anchors import score_speakers
from deixis.worlds.rooms.judging._pieces import (
    compare_surfaces,
    say_baselines,
    score_files,
    share_scores,
    summarise_files,
)
from deixis.worlds.rooms.judging._predictions import Predictions, read_predictions, released_rows, write_rows
from deixis.worlds.rooms.judging._published import TABLE_1
from deixis.worlds.rooms.judging._verdict_file import write_caption_verdicts
from deixis.worlds.rooms.mentions import Faults
from deixis.worlds.rooms.pairs import PAIRS, test_sets
from deixis.worlds.rooms.scene import FACTORS


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.judge.request import Request
    from deixis.judge.uncertainty import Estimate
    from deixis.worlds.rooms.judging._arrays import Scores
    from deixis.worlds.rooms.judging._summary import Summary


HEADS = {
    "discriminativity": "d",
    "contrastive_efficiency": "e",
    "relevance": "r",
    "optimal_discriminativity": "od",
    "mentioned_features": "said",
    "false_features": "false",
    "contrast_gap": "gap",
}
COLUMNS = {**HEADS, "listener_accuracy": "heard", "literal_accuracy": "literal"}
BY_FEATURE = {"mentioned": "mentioned", "when_contrastive": "when contrastive", "when_redundant": "when redundant"}
LOOKS = ("B-1", "B-2", "B-3", "B-4", "R-L", "MET", "CID", "TUP")
SPEAKERS_WORD = "speakers"
NOT_ASKED = "its images are no pair of the dataset"


def score_answers(request: Request) -> Output:
    """Score captions, put side by side where there are several files or speakers."""
    how = _how(request)
    paths = [one for one in request.answers if not is_word(one, (*BASELINES, SPEAKERS_WORD))]
    words = [str(one) for one in request.answers if one not in paths]
    count, seed = request.options.get("count"), request.seed
    if count is not None and not words:
        raise RecipeError(
            "--count: for speakers and baselines only, and these captions are there already; leave it out"
        )
    asked = pairs_of(request) if request.data is not None or words else {}
    files = {
        name: _choose_sets(read_predictions(path), request.splits)
        for name, path in zip(names_of(paths), paths, strict=True)
    }
    losses = {name: Losses("captions", sum(map(len, sets.values()))) for name, sets in files.items()}
    if request.data is not None:
        files = {name: _match_pairs(sets, asked, losses[name]) for name, sets in files.items()}
        _demand_few(paths, losses, request)
    files |= say_baselines(request, [word for word in words if word in BASELINES], asked)
    found = score_files(request, files, mode=how.mode, by=how.by, faults=how.faults)
    for name, some in losses.items():
        _count_guesses(some, found[name], files[name])
    _demand_few(paths, losses, request)
    if SPEAKERS_WORD in words:

        def tell(_name: str, done: int, total: int) -> None:
            request.progress("speakers", done, total)

        share = partial(share_scores, request)
        others = score_speakers(seed=seed, by=how.by, pairs=asked, share=share, progress=tell)
        found |= {name: sets for name, sets in others.items() if name not in found}
    summaries = summarise_files(request, found, denominator=how.denominator)
    surface = request.options.get("surface")
    looks = compare_surfaces(request, files, surface) if surface else {}
    values = _plain(how, summaries, looks)
    values |= {"data": request.data.name} if request.data is not None else {}
    values |= {"losses": lost} if (lost := {name: one.to_dict() for name, one in losses.items() if one}) else {}
    written = _write(request, values, files, found, summaries, how) if request.out is not None else []
    blocks: list[str | TextTable] = []
    for name, summary in summaries.items():
        blocks += _blocks(name, summary, found[name])
    for name, look in looks.items():
        blocks += _surface_blocks(name, look)
    blocks += _how_lines(how)
    if SPEAKERS_WORD in words:
        blocks += _published_blocks()
    told = [f"{name}: {line}" if len(losses) > 1 else line for name, one in losses.items() for line in one.lines()]
    return Output(values=values, blocks=[*blocks, *told], files=written)


def pairs_of(request: Request) -> dict[str, np.ndarray]:
    """The test sets to be captioned: those of the dataset, or the thirteen of the paper and what is asked for.

    Raises:
        BrokenDataset: when the dataset has no test sets, or none of a name that is asked for.
    """
    from deixis.worlds.rooms.data.make import read_test_sets

    count = request.options.get("count", PAIRS)
    if count < 1:
        raise RecipeError(f"--count is at least 1, got {count}")
    if request.data is None:
        return _choose_sets(_drawn_sets(request.seed, count, request.splits), request.splits)
    sets = read_test_sets(request.data)
    if not sets:
        raise BrokenDataset(
            f"{request.data.name} has no test sets; make it with `deixis make a3ds --test-sets`, or leave out --data"
        )
    return {name: rows[:count] for name, rows in _choose_sets(sets, request.splits).items()}


def _drawn_sets(seed: int, count: int, wanted: Sequence[str]) -> dict[str, np.ndarray]:
    """The thirteen sets of the paper, and where one of them is asked for, those in which every word is needed."""
    further = draw_every_word(seed=seed, count=count) if set(wanted) & set(EVERY_WORD) else {}
    return {**test_sets(seed=seed, count=count), **further}


def _choose_sets(sets: Mapping[str, Any], splits: Sequence[str]) -> dict[str, Any]:
    unknown = [name for name in splits if name not in sets]
    if unknown:
        raise BrokenDataset(f"there is no split {unknown[0]!r} in the test sets; they have {', '.join(sets)}")
    return {name: rows for name, rows in sets.items() if not splits or name in splits}


def _match_pairs(
    sets: Mapping[str, Predictions], asked: Mapping[str, np.ndarray], losses: Losses
) -> dict[str, Predictions]:
    """Return the captions of the pairs in question.

    Those of a set without a name may be of any.
    """
    every = {tuple(row) for rows in asked.values() for row in rows.tolist()}
    found = {}
    for name, part in sets.items():
        known = {tuple(row) for row in asked[name].tolist()} if name in asked else every
        images = np.column_stack((part.targets, part.distractors)).tolist()
        is_known = np.array([tuple(row) in known for row in images], bool)
        losses.leave_out(NOT_ASKED, int((~is_known).sum()))
        if is_known.any():
            found[name] = Predictions(
                rows=part.rows[is_known],
                captions=tuple(text for text, is_one in zip(part.captions, is_known, strict=True) if is_one),
                targets=part.targets[is_known],
                distractors=part.distractors[is_known],
            )
    if not found:
        raise BrokenDataset("none of the captions is of a pair of the dataset; are the images the same?")
    return found


class _How(NamedTuple):
    """What was asked for, which every report says."""

    mode: Literal["clean", "paper"]
    denominator: Literal["z", "k"]
    by: Literal["label", "expression"]
    mended: tuple[str, ...]
    seed: int

    @property
    def faults(self) -> Faults:
        """The faults of the mode paper that are kept."""
        if self.mended and self.mode != "paper":
            raise RecipeError("only the mode paper has faults to mend; add --mode paper")
        return Faults.without(self.mended)


def _how(request: Request) -> _How:
    given = request.options
    mode, denominator = given.get("mode", "clean"), given.get("denominator", "z")
    return _How(mode, denominator, given.get("contrast", "label"), names_in(given.get("mend", "")), request.seed)


def _plain(
    how: _How, summaries: Mapping[str, Summary], looks: Mapping[str, Mapping[str, Mapping[str, Estimate]]]
) -> dict[str, Any]:
    about = {key: value for key, value in how._asdict().items() if key != "mended"}
    about |= {"mended": list(how.mended)} if how.mode == "paper" else {}
    scores = {name: summary.to_dict() for name, summary in summaries.items()}
    for name, look in looks.items():
        scores[name]["surface"] = plain_estimates(look)
    return {"deixis": __version__, "world": "rooms", **about, "scores": scores}


def _write(
    request: Request,
    values: Mapping[str, Any],
    files: Mapping[str, Mapping[str, Predictions]],
    found: Mapping[str, Mapping[str, Scores]],
    summaries: Mapping[str, Summary],
    how: _How,
) -> list[Path]:
    """The results, a table for every file, a page and the figures."""
    from deixis.worlds.rooms.judging._figures import write_figures
    from deixis.worlds.rooms.judging._pages import write_score_page

    out = cast("Path", request.out)
    out.mkdir(parents=True, exist_ok=True)
    kept = read_kept(out)
    before = None if kept is None else {"model": ", ".join(kept.get("scores") or ("a speaker",))}
    demand_same(out, {"model": ", ".join(values["scores"])}, before, force=request.force)
    written = [write_evaluation(out, values)]
    undefined = 0.0 if how.mode == "paper" else float("nan")
    for number, (name, sets) in enumerate(files.items(), 1):
        path = out / ("rows.csv" if len(files) == 1 else f"rows-{number}.csv")
        write_rows(path, released_rows(sets, found[name], denominator=how.denominator, undefined=undefined))
        verdicts = out / (VERDICTS if len(files) == 1 else f"verdicts-{number}.parquet")
        write_caption_verdicts(verdicts, sets, found[name], denominator=how.denominator)
        written += [path, verdicts]
    counts = {name: sum(map(len, sets.values())) for name, sets in found.items()}
    page = write_score_page(summaries, counts, out / "scores.html", how=f"{_describe_reading(how).capitalize()}.")
    return [*written, page, *write_figures(summaries, out, denominator=how.denominator)]


def _demand_few(paths: Sequence[Path], losses: Mapping[str, Losses], request: Request) -> None:
    """`BrokenDataset` where a file of captions loses more than one in a hundred and nobody has asked for it."""
    for lost, path in zip(losses.values(), paths, strict=True):
        lost.demand_few(where=path, allowed=request.allow_losses)


def _count_guesses(losses: Losses, scores: Mapping[str, Scores], sets: Mapping[str, Predictions]) -> None:
    """What was passed over or assumed of captions that are scored."""
    unknown = sum(int((part.unknown > 0).sum()) for part in scores.values())
    losses.guess("words that belong to no known phrase are passed over", unknown)
    same = sum(int((part.distractors == part.targets[:, None]).any(axis=1).sum()) for part in sets.values())
    losses.guess("the target is among the distractors", same)
    empty = sum(not caption.strip() for part in sets.values() for caption in part.captions)
    losses.guess("the caption is empty, which says nothing", empty)


# -------------------------------------------------------------------------------- for people


def _blocks(name: str, summary: Summary, scores: Mapping[str, Scores]) -> Iterator[str | TextTable]:
    yield f"{name}: {sum(map(len, scores.values())):,} captions"
    yield TextTable(("set", "n", *HEADS.values()), list(_rows(summary, scores)), range(1, 2 + len(HEADS)))
    yield TextTable(("feature", *BY_FEATURE.values()), list(_feature_rows(summary)), range(1, 1 + len(BY_FEATURE)))


def _rows(summary: Summary, scores: Mapping[str, Scores]) -> Iterator[list[str]]:
    """The sets, then the categories with half of their intervals below them; a single set also has its interval."""
    for name, table in summary.sets.items():
        yield [name, f"{len(scores[name]):,}", *(_number(table[metric].mean) for metric in HEADS)]
        if len(summary.sets) == 1:
            yield ["", "±", *(_half(table[metric]) for metric in HEADS)]
    for name, table in summary.categories.items():
        yield [name, "", *(_number(table[metric].mean) for metric in HEADS)]
        yield ["", "±", *(_half(table[metric]) for metric in HEADS)]


def _feature_rows(summary: Summary) -> Iterator[list[str]]:
    """How often each feature is spoken of, over all sets."""
    for factor in FACTORS:
        found = [summary.overall[f"{kind}/{factor}"] for kind in BY_FEATURE]
        yield [factor.replace("_", " "), *(f"{_number(one.mean)} ±{_half(one)}" for one in found)]


def _half(one: Estimate) -> str:
    return _number((one.high - one.low) / 2)


def _number(value: float) -> str:
    return "–" if isnan(value) else f"{value:.3f}"


def _surface_blocks(name: str, look: Mapping[str, Mapping[str, Estimate]]) -> Iterator[str | TextTable]:
    from deixis.judge.captions import SURFACE

    yield f"{name}: likeness to the 20 exhaustive captions: BLEU, ROUGE-L, METEOR with exact words, CIDEr-D, tuples"
    rows = [
        (part, f"{table['cider'].rows:,}", *(f"{table[metric].mean:.2f}" for metric in SURFACE))
        for part, table in look.items()
    ]
    yield TextTable(("set", "n", *LOOKS), rows, range(1, 2 + len(LOOKS)))


def _describe_reading(how: _How) -> str:
    """Describe how captions were read."""
    mended = f" ({', '.join(how.mended)} mended)" if how.mended else ""
    return f"mode {how.mode}{mended}, features contrast by {how.by}"


def _how_lines(how: _How) -> Iterator[str]:
    formula = {"z": "1 - (c - 1) / (z - 1), as in the published table", "k": "1 - (c - 1) / (k - 1), as printed"}
    yield f"{_describe_reading(how)}; ± is half of a 95 % interval"
    yield "d discriminativity, r relevance, od optimal discriminativity, said and false: features per caption"
    yield f"e contrastive efficiency where d = 1: {formula[how.denominator]} (denominator {how.denominator})"
    yield "gap: how much more often a feature is said where it tells the images apart than where they share it"


def _published_blocks() -> Iterator[str | TextTable]:
    rows = [
        (category, model, *(f"{values[m]:.3f}" if m in values else "–" for m in HEADS))
        for category, models in TABLE_1.items()
        for model, values in models.items()
    ]
    yield "published (Tsvilodub and Franke 2023, Table 1): B pretrained, RP and SP tuned on random and similar pairs"
    yield TextTable(("category", "model", *HEADS.values()), rows, range(2, 2 + len(HEADS)), labels=2)
