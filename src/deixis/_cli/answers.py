"""`deixis answers`: what a language model said, judged."""

from __future__ import annotations

from collections import Counter
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis._cli.options import AllowLosses, Count, Json, Seed
from deixis._cli.printing import print_json, print_losses, print_table
from deixis._losses import Losses
from deixis.errors import BrokenDataset


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis.judge.uncertainty import Estimate
    from deixis.prompts.scores import Group, JudgedAnswer, Scores


MOST_ROWS = 12  # of misreadings


def answers(
    given: Path,
    /,
    *,
    prompts: Path | None = None,
    gold: Path | None = None,
    out: Path | None = None,
    seed: Seed = 0,
    workers: Count | None = None,
    allow_losses: AllowLosses = False,
    as_json: Json = False,
) -> int:
    """Judge what a language model answered to `deixis prompts`.

    An answer that cannot be understood is never taken for a wrong choice: it is counted apart, with the reason.

    Args:
        given: A file with a line {"id": …, "answer": …} for every question; the answer is whatever the model said.
        prompts: The file of prompts; the right answers are looked for beside it.
        gold: The file of right answers, where it lies elsewhere.
        out: A folder for scores.json and judgements.jsonl, a line for every question.
        seed: Random seed of the bootstrap intervals; 0 by default.
        workers: Accepted by every verb; one core is fast enough.
        allow_losses: Go on although over 1 % of the answers belong to no question, or repeat one.
        as_json: Print JSON instead of text.
    """
    from deixis.prompts.files import gold_path, read_given, read_key, write_lines
    from deixis.prompts.scores import judge_answers, score

    del workers
    if gold is None and prompts is None:
        raise BrokenDataset("say which prompts were answered: add --prompts prompts.jsonl")
    key = read_key(gold if gold is not None else gold_path(prompts or given))
    strange: Counter[str] = Counter()
    judged = judge_answers(key.golds, read_given(given, strange=strange), strange=strange)
    losses = _losses_of(judged, strange)
    losses.demand_few(where=given, allowed=allow_losses)
    scores = score(judged, seed=seed, strange=strange)
    values = {"asked": key.about, "answers": given.name, **scores.to_dict()}
    values |= {"losses": losses.to_dict()} if losses else {}
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_lines(out / "judgements.jsonl", (_line(one) for one in judged))
        _write_json(out / "scores.json", values)
    if as_json:
        print_json(values)
        return 0
    _print(scores, key.about)
    if out is not None:
        print(f"Written: {out / 'scores.json'}, {out / 'judgements.jsonl'}")
    print_losses(losses)
    return 0


def _losses_of(judged: Sequence[JudgedAnswer], strange: Mapping[str, int]) -> Losses:
    """Count answers that match no open question: unknown or repeated ids, and lines without an id or answer."""
    answered = sum(one.judgement.outcome != "unanswered" for one in judged)
    losses = Losses("answers", answered + sum(strange.values()))
    for what, count in strange.items():
        losses.leave_out(what, count)
    return losses


def _line(one: JudgedAnswer) -> dict[str, Any]:
    found = one.judgement
    measures = {name: None if isnan(value) else value for name, value in found.measures.items()}
    about = {
        "outcome": found.outcome,
        "understood": found.said,
        "fault": found.fault,
        "missed": list(found.misreadings),
    }
    return {"id": one.id, **one.groups, **about, **measures}


def _write_json(path: Path, values: dict[str, Any]) -> None:
    import json

    path.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _print(scores: Scores, about: dict[str, Any]) -> None:
    said = [
        f"{key} {about[key]}"
        for key in ("task", "answer", "style", "shots", "seed", "fresh")
        if about.get(key) is not None
    ]
    print(f"{scores.overall.questions:,} questions ({', '.join(said)})")
    names = list(scores.overall.measures)
    heads = (
        "",
        "n",
        *(name.replace("_", " ") for name in names),
        f"{names[0].replace('_', ' ')} if understood",
        "not understood",
    )
    rows = [_row("all", scores.overall)]
    for what, parts in scores.groups.items():
        rows += [_row(f"{what}: {name}", group) for name, group in parts.items()] if len(parts) > 1 else []
    print_table(heads, rows, numbers=range(1, len(heads)))
    print(
        "± is half of a 95 % interval; answers that are not understood count as not right, except in the last but one"
    )
    _print_counts(
        "Wrong answers by what was missed", ((name, f"{share:.1f}") for name, share in scores.misreadings.items())
    )
    _print_counts("Not understood", ((name, f"{count:,}") for name, count in scores.faults.items()))
    unanswered = scores.overall.outcomes.get("unanswered", 0)
    if unanswered:
        print(f"{unanswered:,} questions were not answered")


def _row(name: str, group: Group) -> list[str]:
    found = (*group.measures.values(), group.understood, group.unparsable)
    return [name, f"{group.questions:,}", *map(_number, found)]


def _number(found: Estimate) -> str:
    return "–" if isnan(found.mean) else f"{found.mean:.3f} ±{(found.high - found.low) / 2:.3f}"


def _print_counts(title: str, rows: Iterator[tuple[str, str]] | Sequence[tuple[str, str]]) -> None:
    some = list(rows)
    if some:
        print_table((title, "n"), some[:MOST_ROWS], numbers=(1,))
