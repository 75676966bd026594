"""Captions of a trained speaker: the thirteen test sets of A3DS beside the published numbers, or picture files."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from deixis._options import refuse_options
from deixis._version import __version__
from deixis.data._kept_results import demand_same, read_kept, write_evaluation
from deixis.data.store import replacing_file
from deixis.judge.uncertainty import plain_estimates
from deixis.judge.verdicts import VERDICTS
from deixis.learn.run import checkpoint_of
from deixis.report.output import Output, TextTable
from deixis.worlds.rooms.captions import words_of
from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.judging._pieces import score_files, summarise_files
from deixis.worlds.rooms.judging._predictions import Predictions
from deixis.worlds.rooms.judging._published import FALSE_FEATURES, TABLE_1
from deixis.worlds.rooms.judging._score import COLUMNS, HEADS, pairs_of
from deixis.worlds.rooms.judging._summary import summarise
from deixis.worlds.rooms.judging._verdict_file import write_caption_verdicts
from deixis.worlds.rooms.judging.literal import listen_literally
from deixis.worlds.rooms.mentions import judge_rows, read_rows
from deixis.worlds.rooms.pairs import PAIRS
from deixis.worlds.rooms.scene import FACTORS, factors_of
from deixis.worlds.rooms.training._evaluate import (
    Style,
    accuracy_of,
    evaluation_of,
    say_sets,
    write_captions,
)
from deixis.worlds.rooms.training._saying import Decoding, Pragmatic
from deixis.worlds.rooms.training.features import Eyes


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.judge.request import Request
    from deixis.worlds.rooms.data._room_pictures import RoomPictures
    from deixis.worlds.rooms.judging._arrays import Scores
    from deixis.worlds.rooms.judging._summary import Summary
    from deixis.worlds.rooms.training._evaluate import SetCaptions, ShownAndSaid


OF_PICTURES = ("discriminativity", "contrastive_efficiency", "relevance", "mentioned_features", "false_features")
ALL = "all"
SPOKEN = "captions"  # what progress is told of
MOST_SHOWN = 20  # captions of pictures for people; the files have all


def speak(request: Request) -> Output:
    """Let a speaker caption the test sets, for Table 1 of the paper with its numbers beside, or pictures."""
    given = request.options
    style = _style(given)
    if request.workers is not None:
        from deixis.learn.devices import use_threads

        use_threads(request.workers)
    eyes = Eyes(encoder=given.get("encoder", "rooms"), device=request.device, cache=given.get("cache"))
    speaker = checkpoint_of(request.answer)
    hears = None if given.get("listener") is None else checkpoint_of(given["listener"])
    if given.get("pictures") is not None:
        idle = {"--cache": given.get("cache"), "--data": request.data, "--split": request.splits}
        refuse_options(idle, because="pictures from files are looked at each time")
        return _speak_of_pictures(request, speaker, hears, eyes, style)
    refuse_options({"--pairs": given.get("pairs")}, because="for --pictures only")
    named = request.data is not None or bool(request.splits)
    spoken, facts = say_sets(
        speaker,
        listener=hears,
        eyes=eyes,
        style=style,
        count=given.get("count", PAIRS),
        sets=(lambda seed: pairs_of(replace(request, seed=seed))) if named else None,
        seed=request.seed,
        kept=request.kept,
        progress=request.progress,
    )
    scores = score_files(request, {SPOKEN: _predictions(spoken)})[SPOKEN]
    summary, accuracy = summarise_files(request, {SPOKEN: scores})[SPOKEN], accuracy_of(spoken)
    values = {"world": "rooms", **evaluation_of(facts, summary, accuracy, seed=request.seed)}
    values |= {"judged on": request.data.name} if request.data is not None else {}
    _demand_same(request, values)
    files = _write(request, spoken, scores, summary, values) if request.out is not None else []
    blocks = [*_blocks(request.answer, facts, summary, accuracy), *_strange_images(request, facts)]
    return Output(values=values, blocks=blocks, files=files)


def _style(given: Mapping[str, Any]) -> Style:
    """How the speaker speaks; `RecipeError` for options that this way of speaking does not have."""
    decoding, thinking = given.get("decoding", "greedy"), given.get("thinking", "none")
    drawn = {name: given[name] for name in ("temperature", "k", "width") if name in given}
    weights = {name: given[name] for name in ("alpha", "cost", "candidates", "fluency") if name in given}
    _refuse_idle(decoding, thinking, drawn, weights)
    return Style(decoding=Decoding(way=decoding, **drawn), thinking=thinking, pragmatic=Pragmatic(**weights))


def _refuse_idle(decoding: str, thinking: str, drawn: Mapping[str, Any], weights: Mapping[str, Any]) -> None:
    """`RecipeError` for options that this way of speaking does not have."""
    if thinking == "none":
        refuse_options(_flags(weights), because="for --thinking rerank or reason only")
    if thinking != "rerank":
        refuse_options(_flags(weights, "candidates"), because="for --thinking rerank only")
    if thinking == "reason":
        chosen = {"--decoding": decoding != "greedy", **_flags(drawn)}
        refuse_options(chosen, because="words are chosen one by one with --thinking reason")
    if thinking == "rerank" and decoding == "beam":
        refuse_options({"--decoding beam": True}, because="captions to rerank are drawn: sampled or top-k")
    drawing = decoding in ("sampled", "top-k")
    refuse_options({} if drawing else _flags(drawn, "temperature"), because="for --decoding sampled or top-k only")
    refuse_options({} if decoding == "top-k" else _flags(drawn, "k"), because="for --decoding top-k only")
    refuse_options({} if decoding == "beam" else _flags(drawn, "width"), because="for --decoding beam only")


def _flags(given: Mapping[str, Any], *only: str) -> dict[str, bool]:
    return {f"--{name}": True for name in given if not only or name in only}


def _demand_same(request: Request, values: Mapping[str, Any]) -> None:
    """`RecipeError` where the folder holds what another speaker said, or the same one in another style."""
    if request.out is None:
        return
    kept = read_kept(request.out)
    demand_same(request.out, _answerer(values), None if kept is None else _answerer(kept), force=request.force)


def _answerer(kept: Mapping[str, Any]) -> dict[str, Any]:
    style = json.dumps(kept.get("style"), sort_keys=True)
    return {"model": kept.get("role") or "captions", "checkpoint": kept.get("checkpoint"), "style": style}


def _write(
    request: Request,
    spoken: Mapping[str, SetCaptions],
    scores: Mapping[str, Scores],
    summary: Summary,
    values: Mapping[str, Any],
) -> list[Path]:
    from deixis.worlds.rooms.judging._figures import write_figures
    from deixis.worlds.rooms.judging._pages import caption_page

    out, name = cast("Path", request.out), request.answer.name
    out.mkdir(parents=True, exist_ok=True)
    captions, examples = out / "captions.jsonl", out / "examples.html"
    write_captions(captions, spoken)
    write_caption_verdicts(out / VERDICTS, _predictions(spoken), scores)
    evaluation = write_evaluation(out, values)
    page = caption_page(name, {part: (one.texts, one.images.tolist()) for part, one in spoken.items()})
    examples.write_text(page, encoding="utf-8")
    return [captions, evaluation, out / VERDICTS, examples, *write_figures({name: summary}, out, denominator="z")]


def _predictions(spoken: Mapping[str, SetCaptions]) -> dict[str, Predictions]:
    """What was said, as if it had been read from a file."""
    return {
        part: Predictions(
            rows=np.arange(len(one.texts)) + 1,
            captions=one.texts,
            targets=one.images[:, 0],
            distractors=one.images[:, 1:],
        )
        for part, one in spoken.items()
    }


def _strange_images(request: Request, facts: Mapping[str, Any]) -> Iterator[str]:
    """A line where images of the dataset may have been learnt from."""
    if request.data is None:
        return
    from deixis.data.store import open_dataset

    seed = open_dataset(request.data).manifest.get("recipe", {}).get("seed")
    if seed != facts["data"].get("seed"):
        yield (
            f"The images of {request.data.name} are divided by seed {seed}, those that the speaker learnt from by "
            f"{facts['data'].get('seed')}: it may have seen some of them."
        )


def _blocks(
    checkpoint: Path, facts: Mapping[str, Any], summary: Summary, accuracy: Mapping[str, Mapping[str, float]]
) -> Iterator[str | TextTable]:
    style = facts["style"]
    how = style["decoding"]["way"] if style["thinking"] == "none" else style["thinking"]
    sets = len(summary.sets)
    yield f"{checkpoint} ({facts['role']}, {facts['updates']:,} steps), {how}: {sets} sets of {facts['contexts']:,}"
    heads = ("share", "model", *COLUMNS.values())
    yield TextTable(heads, list(_rows(summary, accuracy)), range(2, len(heads)), labels=2)
    yield "d discriminativity, e contrastive efficiency where d = 1, r relevance, od optimal discriminativity,"
    yield "said and false: features per caption; heard: by the listener; literal: by one who goes by what words mean"
    yield "gap: how much more often a feature is said where it tells the images apart than where they share it"
    yield "B, RP and SP as published (Tsvilodub and Franke 2023, Table 1; false features from section 3)"


def _rows(summary: Summary, accuracy: Mapping[str, Mapping[str, float]]) -> Iterator[list[str]]:
    """Each category, or each set where they make none, and all together: what was measured here, then the published."""
    measured = {**(summary.categories or summary.sets), ALL: summary.overall}
    published: dict[str, dict[str, dict[str, float]]] = {
        category: {model: dict(values) for model, values in models.items()} for category, models in TABLE_1.items()
    }
    if summary.categories:
        published[ALL] = {model: {"false_features": value} for model, value in FALSE_FEATURES.items()}
    for name, table in measured.items():
        heard = accuracy["overall" if name == ALL else name]
        ours = {**{metric: found.mean for metric, found in table.items()}, **heard}
        yield [name.partition(" ")[0] if name in summary.categories else name, "ours", *_numbers(ours)]
        for model, theirs in published.get(name, {}).items():
            yield ["", model, *_numbers(theirs)]


def _numbers(values: Mapping[str, float]) -> Iterator[str]:
    for metric in COLUMNS:
        value = values.get(metric, float("nan"))
        yield "–" if isnan(value) else f"{value:.3f}"


# -------------------------------------------------------------------------------- pictures in files


def _speak_of_pictures(request: Request, speaker: Path, listener: Path | None, eyes: Eyes, style: Style) -> Output:
    """Caption pictures and, where factors are known, tell how right the captions are."""
    from deixis.worlds.rooms.data._room_pictures import read_contexts, read_room_pictures
    from deixis.worlds.rooms.training._evaluate import say_pictures

    given, seed, out = request.options, request.seed, request.out
    source, pairs, count = given["pictures"], given.get("pairs"), given.get("count", PAIRS)
    contexts = None if pairs is None else read_contexts(pairs)[:count]
    only = None if contexts is None else {name for context in contexts for name in context}
    shown = read_room_pictures(source, only=only, most=count)
    rows = None if contexts is None or pairs is None else shown.rows_of(contexts, pairs.name)
    said, facts = say_pictures(
        speaker,
        shown.pictures,
        rows,
        listener=listener,
        eyes=eyes,
        style=style,
        seed=seed,
        progress=request.progress,
    )
    lines = list(_lines(shown, said))
    scores = {} if shown.ids is None else {**_picture_scores(shown.ids, said), **_fitted_scores(shown, said)}
    values = {
        "deixis": __version__,
        "world": "rooms",
        "seed": seed,
        **facts,
        "pictures": len(shown),
        "captions": len(lines),
        **scores,
    }
    values["in the source"], values["factors"] = shown.in_file, _kind(shown)
    files = []
    if out is not None:
        _demand_same(request, values)
        with replacing_file(out / "captions.jsonl") as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
            for line in lines:
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")
        files = [out / "captions.jsonl", write_evaluation(out, values)]
    blocks = list(_picture_blocks(shown, said, lines, scores))
    return Output(values={**values, "said": lines}, blocks=blocks, files=files)


def _kind(shown: RoomPictures) -> str:
    if shown.ids is None:
        return "unknown"
    return "estimated" if shown.are_estimated else "known"


def _lines(shown: RoomPictures, said: ShownAndSaid) -> Iterator[dict[str, Any]]:
    """A line for each caption, with the columns that `deixis evaluate` reads where images are known."""
    for number, (text, row) in enumerate(zip(said.texts, said.rows.tolist(), strict=True)):
        target, *others = (shown.names[place] for place in row)
        line: dict[str, Any] = {"prediction": text, "target": target}
        if others:
            line["distractors"] = others
        if shown.ids is not None:
            ids = shown.ids[row].tolist()
            line["target_id"] = ids[0]
            line |= {"distractor_id": ids[1]} if len(ids) == 2 else {"distractor_ids": ids[1:]} if others else {}
        if said.understood is not None:
            line["understood"] = bool(said.understood[number])
        yield line


def _picture_scores(ids: np.ndarray, said: ShownAndSaid) -> dict[str, Any]:
    """How right captions are, and, with distractors, how pragmatic."""
    images = ids[said.rows]
    judged = judge_rows(read_rows(said.texts), factors_of(images[:, 0]))
    found: dict[str, Any] = {
        "all six right": int(judged.true.all(axis=1).sum()),
        "without a false feature": int((~judged.false.any(axis=1) & (judged.stray == 0)).sum()),
        "features": {
            name: {"true": int(judged.true[:, place].sum()), "false": int(judged.false[:, place].sum())}
            for place, name in enumerate(FACTORS)
        },
    }
    if images.shape[1] > 1:
        scores = score_captions(said.texts, images[:, 0], images[:, 1:])
        found["scores"] = plain_estimates(summarise({"pictures": scores}).sets)["pictures"]
        found["literal_accuracy"] = round(float(listen_literally(said.texts, images).mean()), 6)
        if said.understood is not None:
            found["listener_accuracy"] = round(float(np.mean(said.understood)), 6)
    return found


def _fitted_scores(shown: RoomPictures, said: ShownAndSaid) -> dict[str, Any]:
    """How right captions are by the drawings most like the pictures, where the factors given are estimates."""
    from deixis.worlds.rooms.decode import decode_room

    if not shown.are_estimated or shown.ids is None:
        return {}
    targets = said.rows[:, 0]
    fitted = {place: decode_room(shown.pictures[place]).room.id for place in np.unique(targets).tolist()}
    factors = factors_of(np.array([fitted[place] for place in targets.tolist()]))
    judged = judge_rows(read_rows(said.texts), factors)
    places = np.array(list(fitted))
    differ = [
        words_of(one) != words_of(other) for one, other in zip(shown.ids[places].tolist(), fitted.values(), strict=True)
    ]
    return {
        "fitted": {
            "all six right": int(judged.true.all(axis=1).sum()),
            "without a false feature": int((~judged.false.any(axis=1) & (judged.stray == 0)).sum()),
            "pictures estimated otherwise": int(sum(differ)),
        }
    }


def _picture_blocks(
    shown: RoomPictures, said: ShownAndSaid, lines: Sequence[Mapping[str, Any]], scores: Mapping[str, Any]
) -> Iterator[str | TextTable]:
    heads = ("picture", "beside", "caption") if said.rows.shape[1] > 1 else ("picture", "caption")
    table = [
        (line["target"], *([", ".join(line["distractors"])] if len(heads) == 3 else []), line["prediction"])
        for line in lines[:MOST_SHOWN]
    ]
    yield TextTable(heads, table)
    if len(lines) > MOST_SHOWN:
        yield f"… and {len(lines) - MOST_SHOWN:,} captions more; --out keeps all of them"
    if scores:
        kind = " as estimated" if shown.are_estimated else ""
        yield (
            f"All six features right{kind}: {scores['all six right']:,} of {len(lines):,}; "
            f"without a false one: {scores['without a false feature']:,}."
        )
        if fitted := scores.get("fitted"):
            yield (
                f"By the drawing most like each picture: {fitted['all six right']:,} of {len(lines):,}; without a "
                f"false one: {fitted['without a false feature']:,}. It is another one than the estimate says for "
                f"{fitted['pictures estimated otherwise']:,}."
            )
        rows = [
            (name.replace("_", " "), str(one["true"]), str(one["false"])) for name, one in scores["features"].items()
        ]
        yield TextTable(("feature", "said truly", "falsely"), rows, (1, 2))
    else:
        yield "What the pictures show is not known, so nothing is scored."
    if "scores" in scores:
        means = [scores["scores"][metric]["mean"] for metric in OF_PICTURES]
        heard = [scores.get(name) for name in ("listener_accuracy", "literal_accuracy")]
        cells = ["–" if value is None else f"{value:.3f}" for value in (*means, *heard)]
        yield TextTable((*(HEADS[name] for name in OF_PICTURES), "heard", "literal"), [cells], range(len(cells)))
    left = shown.in_file - len(shown)
    if left:
        yield f"{left:,} of the {shown.in_file:,} pictures of the source were not looked at."
