"""`deixis evaluate` for expressions about photographs: how well a model finds what they point at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis._version import __version__
from deixis.cli.options import names_in
from deixis.cli.printing import print_json, print_table
from deixis.cli.progress import Stages
from deixis.errors import SchemaError


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deixis.metrics.grounding import Evaluation, Settled
    from deixis.metrics.uncertainty import Estimate
    from deixis.metrics.verdicts import Verdict
    from deixis.tasks.localise import Example, Setting


__all__ = ["evaluate_copsref"]


def evaluate_copsref(
    predictions: Path,
    data: Path,
    *,
    split: str,
    setting: str,
    boxes: str,
    out: Path | None,
    seed: int,
    as_json: bool,
    about: Mapping[str, Any] | None = None,
) -> int:
    """Judge answers to a dataset of expressions about photographs; the options are those of `deixis evaluate`.

    An answer is right when it is the target itself. Results are given by form, length and number of candidates, and
    wrong choices by where they lie and by what a reader misses who makes them. `about` is kept with the results.
    """
    from deixis.datasets.copsref.predictions import EVERY, AnswerReport, read_answers
    from deixis.datasets.copsref.store import open_copsref
    from deixis.metrics.grounding import evaluate_answers
    from deixis.tasks.localise import SETTINGS, SPACES

    shown = _one_of("setting", setting, (*SETTINGS, EVERY))
    space = _one_of("coordinate space", boxes, SPACES) if boxes else None
    dataset = open_copsref(data)
    report = AnswerReport()
    wanted = names_in(split) or [name for name in dataset.splits if name != "train"] or list(dataset.splits)
    with Stages(compiles=True) as progress:
        examples = [example for name in wanted for example in dataset.examples(name)]
        progress("examples", len(examples), len(examples))
        answers = read_answers(
            predictions, dataset.scenes, space=space, setting=None if shown == EVERY else shown, report=report
        )
        evaluation, verdicts = evaluate_answers(examples, answers, dataset.scenes, seed=seed)
    judged = {verdict.id for verdict in verdicts}
    values = {
        "deixis": __version__,
        "predictions": predictions.name,
        "data": data.name,
        "splits": sorted({example.split for example in examples if example.id in judged}),
        "seed": seed,
        **(about or {}),
        **evaluation.to_dict(),
        "faults": dict(report.faults),
    }
    if out is not None:
        _write(out, values, verdicts, examples)
    if as_json:
        print_json(values)
        return 0
    _print(evaluation, report.lines)
    if out is not None:
        print(f"Written: {out / 'evaluation.json'} and {out / 'verdicts.jsonl'}")
    return 0


def _one_of(what: str, said: str, known: Sequence[Any]) -> Any:
    for one in known:
        if one.lower() == said.lower():
            return one
    raise SchemaError(f"unknown {what} {said!r}; known: {', '.join(known)}")


def _write(out: Path, values: Mapping[str, Any], verdicts: Sequence[Verdict], examples: Sequence[Example]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    text = {example.id: example.text for example in examples}
    (out / "evaluation.json").write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    with (out / "verdicts.jsonl").open("w", encoding="utf-8", newline="\n") as stream:
        for verdict in verdicts:
            line = {**verdict._asdict(), "missed": list(verdict.missed), "text": text[verdict.id]}
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")


# -------------------------------------------------------------------------------- printing


def _print(evaluation: Evaluation, faults: Sequence[str]) -> None:
    there, nowhere = evaluation.examples
    print(f"{there:,} expressions that fit something, {nowhere:,} that fit nothing")
    if evaluation.settings:
        _print_settings(evaluation.settings)
    first = next(iter(evaluation.settings), None)
    if first is not None:
        _print_parts(first, evaluation.settings[first])
        _print_errors(first, evaluation.settings[first])
    if evaluation.absent:
        _print_absent(evaluation)
    for what, count in evaluation.strange.items():
        print(f"{count:>9,} × an answer {what}")
    for line in faults:
        print(line)


def _print_settings(settings: Mapping[Setting, Settled]) -> None:
    from deixis.metrics.verdicts import OUTCOMES

    rows = [
        (setting, _percent(found.accuracy), f"{100 * found.chance:.1f}", f"{found.accuracy.rows:,}")
        for setting, found in settings.items()
    ]
    print_table(("setting", "right %", "chance %", "examples"), rows, numbers=(1, 2, 3))
    kept = [name for name in OUTCOMES if any(name in found.outcomes for found in settings.values())]
    counts = [(name, *(f"{found.outcomes.get(name, 0):,}" for found in settings.values())) for name in kept]
    print_table(("what came of it", *settings), counts, numbers=range(1, 1 + len(settings)))


def _print_absent(evaluation: Evaluation) -> None:
    rows = [(setting, "all", _percent(found), f"{found.rows:,}") for setting, found in evaluation.absent.items()]
    first = next(iter(evaluation.absent))
    rows += [
        (first, change, _percent(found), f"{found.rows:,}")
        for change, found in evaluation.absent_by_change[first].items()
    ]
    print("Expressions that fit nothing, and the share that was said not to be there:")
    print_table(("setting", "changed", "right %", "examples"), rows, numbers=(2, 3))


def _print_parts(setting: Setting, found: Settled) -> None:
    rows = [
        (what, name, _percent(part), f"{part.rows:,}")
        for what, parts in (
            ("form", found.by_form),
            ("length", found.by_length),
            ("candidates", found.by_candidates),
        )
        for name, part in parts.items()
    ]
    print(f"In parts ({setting}):")
    print_table(("by", "", "right %", "examples"), rows, numbers=(2, 3))


def _print_errors(setting: Setting, found: Settled) -> None:
    wrong = found.outcomes.get("wrong object", 0)
    if not wrong:
        return
    rows = [
        (what, name, f"{100 * count / wrong:.1f}")
        for what, parts in (("lies in", found.places), ("is of", found.categories), ("misses", found.missed))
        for name, count in parts.items()
    ]
    print(f"Of {wrong:,} wrong choices ({setting}):")
    print_table(("a choice", "", "%"), rows, numbers=(2,))


def _percent(found: Estimate) -> str:
    return f"{100 * found.mean:.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"
