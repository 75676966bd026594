"""Result tables: accuracy by setting and in parts, and the misreadings behind wrong choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.judge.request import NO_EXAMPLE, NOT_ASKED
from deixis.report.output import TextTable
from deixis.worlds.photos._judging.verdicts import OUTCOMES


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deixis._losses import Losses
    from deixis.judge.uncertainty import Estimate
    from deixis.worlds.photos._judging.grounding import Evaluation, SettingResult
    from deixis.worlds.photos.localise import Setting
    from deixis.worlds.photos.training._evaluate import Absence


def evaluation_blocks(evaluation: Evaluation, faults: Sequence[str], losses: Losses) -> Iterator[str | TextTable]:
    """Return the results in every setting, and for the first setting also those of parts and the misreadings.

    Args:
        evaluation: the results.
        faults: what could not be understood, a line each.
        losses: the answers that are left out.
    """
    there, nowhere = evaluation.examples
    yield f"{there:,} expressions that fit something, {nowhere:,} that fit nothing"
    if evaluation.settings:
        yield from _settings(evaluation.settings)
    first = next(iter(evaluation.settings), None)
    if first is not None:
        yield from _parts(first, evaluation.settings[first])
        yield from _errors(first, evaluation.settings[first])
    if evaluation.absent:
        yield from _absent(evaluation)
    if rest := evaluation.strange.get(NOT_ASKED, 0) - losses.counts["left out"][NO_EXAMPLE]:
        yield f"{rest:>9,} × an answer {NOT_ASKED}"
    yield from faults
    yield from losses.lines()


def absence_blocks(absence: Mapping[str, Absence]) -> Iterator[str | TextTable]:
    """Return the tables on telling absent from present things, or nothing if no expression is about an absent one."""
    if absence:
        yield "Is it there at all? The threshold was chosen on val; always saying the same is right in half of all:"
        rows = [
            (setting, *(f"{100 * share:.1f}" for share in (one.accuracy, one.found, one.denied, one.area)))
            for setting, one in absence.items()
        ]
        heads = ("setting", "right %", "of what is there %", "of what is not %", "area under the curve %")
        yield TextTable(heads, rows, range(1, 5))


def _settings(settings: Mapping[Setting, SettingResult]) -> Iterator[str | TextTable]:
    rows = [
        (setting, _percent(found.accuracy), f"{100 * found.chance:.1f}", f"{found.accuracy.rows:,}")
        for setting, found in settings.items()
    ]
    yield TextTable(("setting", "right %", "chance %", "examples"), rows, (1, 2, 3))
    kept = [name for name in OUTCOMES if any(name in found.outcomes for found in settings.values())]
    counts = [(name, *(f"{found.outcomes.get(name, 0):,}" for found in settings.values())) for name in kept]
    yield TextTable(("outcome", *settings), counts, range(1, 1 + len(settings)))


def _absent(evaluation: Evaluation) -> Iterator[str | TextTable]:
    rows = [(setting, "all", _percent(found), f"{found.rows:,}") for setting, found in evaluation.absent.items()]
    first = next(iter(evaluation.absent))
    rows += [
        (first, change, _percent(found), f"{found.rows:,}")
        for change, found in evaluation.absent_by_change[first].items()
    ]
    yield "Expressions that fit nothing, and the share that was said not to be there:"
    yield TextTable(("setting", "changed", "right %", "examples"), rows, (2, 3))
    if evaluation.absent_unanswered:
        silent = (
            f"{number:,} of {evaluation.absent[setting].rows:,} in {setting}"
            for setting, number in evaluation.absent_unanswered.items()
        )
        yield f"Of these, unanswered and counted as wrong: {', '.join(silent)}."


def _parts(setting: Setting, found: SettingResult) -> Iterator[str | TextTable]:
    rows = [
        (what, name, _percent(part), f"{part.rows:,}")
        for what, parts in (
            ("form", found.by_form),
            ("length", found.by_length),
            ("candidates", found.by_candidates),
        )
        for name, part in parts.items()
    ]
    yield f"Breakdown ({setting}):"
    yield TextTable(("by", "", "right %", "examples"), rows, (2, 3))


def _errors(setting: Setting, found: SettingResult) -> Iterator[str | TextTable]:
    wrong = found.outcomes.get("wrong object", 0)
    if not wrong:
        return
    rows = [
        (what, name, f"{100 * count / wrong:.1f}")
        for what, parts in (("lies in", found.places), ("is of", found.categories), ("ignores", found.misreadings))
        for name, count in parts.items()
    ]
    yield f"Of {wrong:,} wrong choices ({setting}):"
    yield TextTable(("a choice", "", "%"), rows, (2,))


def _percent(found: Estimate) -> str:
    return f"{100 * found.mean:.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"
