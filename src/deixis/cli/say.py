"""`deixis say`: what a speaker says of the thirteen test sets of A3DS, and how it compares with the paper."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from deixis._version import __version__
from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages
from deixis.cli.rooms import Above, NotBelow, checkpoint_of
from deixis.cli.score import HEADS


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from deixis.metrics.summary import Summary
    from deixis.training.rooms.evaluate import Spoken


__all__ = ["say"]

COLUMNS = {**HEADS, "listener_accuracy": "heard", "literal_accuracy": "alone"}
ALL = "all"


def say(
    checkpoint: Annotated[Path, Parameter(name="CHECKPOINT")],
    /,
    *,
    out: Path | None = None,
    decoding: Literal["greedy", "sampled", "top-k", "beam"] = "greedy",
    temperature: Above = 1.0,
    top: Annotated[Count, Parameter(name="--k")] = 20,
    width: Count = 5,
    thinking: Literal["none", "rerank", "reason"] = "none",
    alpha: NotBelow = 1.0,
    cost: NotBelow = 0.0,
    candidates: Count = 20,
    fluency: NotBelow = 1.0,
    listener: Path | None = None,
    count: Count = 7500,
    encoder: str = "rooms",
    cache: Path | None = None,
    device: str = "auto",
    seed: Seed = 0,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Let a speaker caption the thirteen test sets of A3DS: Table 1 of the paper, with its numbers beside ours.

    Args:
        checkpoint: The folder of a run, a checkpoint, or the name of one that comes with deixis.
        out: A folder for captions.jsonl (which `deixis score` reads), evaluation.json, figures, and
            examples.html with every word marked.
        decoding: The likeliest word each time (greedy), words by chance (sampled), by chance from the likeliest few
            (top-k), or the likeliest caption that a search finds (beam).
        temperature: Above 1 makes chance wilder, below 1 tamer.
        top: How many words are the likeliest few.
        width: How many captions the search keeps.
        thinking: Whether the speaker thinks of its listener: not at all, by proposing captions and choosing one
            (rerank), or word by word (reason).
        alpha: The weight of being understood, for one who thinks.
        cost: Of every word, in nats, for one who thinks.
        candidates: How many captions are proposed to choose from.
        fluency: The weight of what the speaker itself holds for likely, for one who thinks.
        listener: A checkpoint or run with another listener than the one that the speaker played with.
        count: Pairs in each test set, 7,500 as published.
        encoder: How images are seen, the one that the speaker learnt with: rooms (comes with deixis), factors, or a
            file with weights.
        cache: A folder for what images look like, so that it is computed once.
        device: auto (a GPU where there is one), cpu, cuda, cuda:1.
        seed: Of chance, where captions are drawn, and of resamples; 0 by default.
        workers: How many threads on a CPU, one per core by default.
        as_json: Print JSON instead of text.
    """
    from deixis.training.devices import use_threads
    from deixis.training.rooms.evaluate import Style, say_sets, scores_of
    from deixis.training.rooms.features import Eyes
    from deixis.training.rooms.pragmatic import Pragmatic
    from deixis.training.rooms.saying import Decoding

    style = Style(
        decoding=Decoding(way=decoding, temperature=temperature, k=top, width=width),
        thinking=thinking,
        pragmatic=Pragmatic(alpha=alpha, cost=cost, candidates=candidates, fluency=fluency),
    )
    if workers is not None:
        use_threads(workers)
    with Stages() as progress:
        spoken, facts = say_sets(
            checkpoint_of(checkpoint),
            listener=None if listener is None else checkpoint_of(listener),
            eyes=Eyes(encoder=encoder, device=device, cache=cache),
            style=style,
            count=count,
            seed=seed,
            progress=progress,
        )
        summary, accuracy = scores_of(spoken, seed=seed)
    values = _plain(facts, summary, accuracy, seed)
    written = _write(out, checkpoint.name, spoken, summary, values) if out is not None else []
    if as_json:
        print_json(values)
        return 0
    _print(checkpoint, facts, summary, accuracy)
    if written:
        print(f"Written: {', '.join(str(path) for path in written)}")
    return 0


def _plain(
    facts: Mapping[str, Any], summary: Summary, accuracy: Mapping[str, Mapping[str, float]], seed: int
) -> dict[str, Any]:
    from deixis.metrics.published import FALSE_FEATURES, TABLE_1

    rounded = {name: {what: round(value, 6) for what, value in found.items()} for name, found in accuracy.items()}
    published = {"table_1": TABLE_1, "false_features": FALSE_FEATURES}
    about = {"deixis": __version__, "seed": seed, **facts}
    return {**about, **summary.to_dict(), "accuracy": rounded, "published": published}


def _write(
    out: Path, name: str, spoken: Mapping[str, Spoken], summary: Summary, values: Mapping[str, Any]
) -> list[Path]:
    from deixis.metrics.figures import write_figures
    from deixis.reports.caption_page import caption_page
    from deixis.training.folder import write_json
    from deixis.training.rooms.evaluate import write_captions

    out.mkdir(parents=True, exist_ok=True)
    captions, evaluation, examples = out / "captions.jsonl", out / "evaluation.json", out / "examples.html"
    write_captions(captions, spoken)
    write_json(evaluation, values)
    page = caption_page(name, {part: (one.texts, one.images.tolist()) for part, one in spoken.items()})
    examples.write_text(page, encoding="utf-8")
    return [captions, evaluation, examples, *write_figures({name: summary}, out, denominator="z")]


def _print(
    checkpoint: Path, facts: Mapping[str, Any], summary: Summary, accuracy: Mapping[str, Mapping[str, float]]
) -> None:
    style = facts["style"]
    how = style["decoding"]["way"] if style["thinking"] == "none" else style["thinking"]
    sets = len(summary.sets)
    print(f"{checkpoint} ({facts['role']}, {facts['updates']:,} updates), {how}: {sets} sets of {facts['contexts']:,}")
    print_table(("share", "model", *COLUMNS.values()), _rows(summary, accuracy), numbers=range(2, 2 + len(COLUMNS)))
    print("d discriminativity, e contrastive efficiency where d = 1, r relevance, od optimal discriminativity,")
    print("said and false: features per caption; heard: by the listener; alone: by a literal one, made of the speaker")
    print("B, RP and SP as published (Tsvilodub and Franke 2023, Table 1; false features from section 3)")


def _rows(summary: Summary, accuracy: Mapping[str, Mapping[str, float]]) -> Iterator[list[str]]:
    """Each category, and all sets together: first what was measured here, then what was published."""
    from deixis.metrics.published import FALSE_FEATURES, TABLE_1

    measured = {**summary.categories, ALL: summary.overall}
    published: dict[str, dict[str, dict[str, float]]] = {
        category: {model: dict(values) for model, values in models.items()} for category, models in TABLE_1.items()
    }
    published[ALL] = {model: {"false_features": value} for model, value in FALSE_FEATURES.items()}
    for name, table in measured.items():
        heard = accuracy["overall" if name == ALL else name]
        ours = {**{metric: found.mean for metric, found in table.items()}, **heard}
        yield [name.partition(" ")[0], "ours", *_numbers(ours)]
        for model, theirs in published.get(name, {}).items():
            yield ["", model, *_numbers(theirs)]


def _numbers(values: Mapping[str, float]) -> Iterator[str]:
    for metric in COLUMNS:
        value = values.get(metric, float("nan"))
        yield "–" if isnan(value) else f"{value:.3f}"
