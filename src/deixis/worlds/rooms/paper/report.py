"""Part `paper` of rooms: Table 1 and Figure 2 of the A3DS paper for speakers of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.report.output import Output, TextTable
from deixis.worlds.rooms.judging.score import COLUMNS
from deixis.worlds.rooms.pairs import CATEGORIES
from deixis.worlds.rooms.paper.page import write_speakers
from deixis.worlds.rooms.paper.runs import METRICS, read_speaker
from deixis.worlds.rooms.paper.runs import is_speaker as recognises
from deixis.worlds.rooms.paper.tables import (
    compare_speakers,
    read_speaker_reasons,
    reference_scores,
    speakers_as_dict,
)
from deixis.worlds.rooms.paper.words import say_shift, together, wide_rows


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from deixis.worlds.rooms.paper.tables import SpeakerResults


__all__ = ["recognises", "report"]


def report(runs: Sequence[Path], *, out: Path | None, notes: Path | None, progress: Any) -> Output:
    """Compare speakers with what is published of A3DS."""
    reasons = read_speaker_reasons(notes) if notes is not None else {}
    found = [read_speaker(folder) for folder in runs]
    compare_speakers(found, reasons=reasons)  # whatever is wrong shows before anything is scored
    references = reference_scores(found, progress=lambda name, done, total: progress("speakers", done, total, name))
    results = compare_speakers(found, reasons=reasons, references=references)
    files = write_speakers(results, out) if out is not None else []
    return Output(values=speakers_as_dict(results), blocks=list(_blocks(results)), files=files)


def _blocks(results: SpeakerResults) -> Iterator[str | TextTable]:
    heads = ["share", "model", *(COLUMNS[metric] for metric in METRICS)]
    yield TextTable(heads, list(_rows(results)), range(2, len(heads)), labels=2)
    yield "d discriminativity, e contrastive efficiency where d = 1, r relevance, od optimal contrastivity,"
    yield "said and false: features per caption; heard: by the listener; literal: by one who goes by what words mean"
    yield "(B), (RP) and (SP) are published (Tsvilodub and Franke 2023); files and JSON have standard deviations"
    unsaid = [one for one in results.differences if not one.reason]
    if unsaid:
        yield "\nDiffer from the published, with no reason in --notes"
    for one in unsaid:
        yield f"{one.letter}, {METRICS[one.metric]}: {say_shift(one)}"
    if together(results):
        yield f"\n{together(results)}"


def _rows(results: SpeakerResults) -> Iterator[list[str]]:
    """Ours, variants and the published, means only."""
    for part in CATEGORIES:
        name = part.partition(" ")[0]
        for kind, label, cells in wide_rows(results, part):
            if kind != "reference":
                shown = f"({label.partition(' ')[0]})" if kind == "published" else label
                yield [name, shown, *(cell.partition(" ")[0] for cell in cells)]
                name = ""
