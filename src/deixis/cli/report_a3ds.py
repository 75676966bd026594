"""`deixis report` for speakers of rooms: Table 1 and Figure 2 of the A3DS paper, beside what is published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.cli.printing import print_json, print_table, print_written
from deixis.cli.progress import Stages
from deixis.cli.say import COLUMNS
from deixis.errors import RecipeError


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deixis.reports.a3ds_tables import SpeakerResults


__all__ = ["are_speakers", "report_speakers"]

GAP = 3  # between two columns of a table


def are_speakers(runs: Sequence[Path]) -> bool:
    """Whether runs are those of speakers of rooms.

    Raises:
        RecipeError: when some are and others are not.
    """
    from deixis.reports.a3ds_runs import is_speaker

    kinds = {folder: is_speaker(folder) for folder in runs}
    speakers = [folder for folder, is_one in kinds.items() if is_one]
    others = [folder for folder, is_one in kinds.items() if not is_one]
    if speakers and others:
        raise RecipeError(f"{speakers[0]} is the run of a speaker of rooms, {others[0]} is not; report them apart")
    return bool(speakers)


def report_speakers(runs: Sequence[Path], *, out: Path | None, notes: Path | None, as_json: bool) -> int:
    """Compare speakers with what is published, print it, and write it where a folder is given."""
    from deixis.reports.a3ds_notes import read_speaker_reasons
    from deixis.reports.a3ds_page import write_speakers
    from deixis.reports.a3ds_runs import read_speaker
    from deixis.reports.a3ds_tables import compare_speakers, reference_scores, speakers_as_dict

    reasons = read_speaker_reasons(notes) if notes is not None else {}
    found = [read_speaker(folder) for folder in runs]
    results = compare_speakers(found, reasons=reasons)
    with Stages() as progress:
        references = reference_scores(found, progress=lambda name, done, total: progress("speakers", done, total, name))
    results = compare_speakers(found, reasons=reasons, references=references)
    files = write_speakers(results, out) if out is not None else []
    if as_json:
        print_json(speakers_as_dict(results) | {"files": [str(path) for path in files]})
        return 0
    _print(results)
    print_written(files, out)
    return 0


def _print(results: SpeakerResults) -> None:
    from deixis.reports.a3ds_runs import METRICS
    from deixis.reports.a3ds_words import say_shift, together

    for heads, rows in _fitting(results):
        print_table(heads, rows, numbers=range(2, len(heads)))
    print("d discriminativity, e contrastive efficiency where d = 1, r relevance, od optimal contrastivity,")
    print("said and false: features per caption; heard: by the listener; alone: by a literal one, made of the speaker")
    print(
        "(B), (RP) and (SP) are published (Tsvilodub and Franke 2023); standard deviations are in the files and in JSON"
    )
    unsaid = [one for one in results.differences if not one.reason]
    if unsaid:
        print("\nDiffer from the published, with no reason in --notes")
    for one in unsaid:
        print(f"{one.letter}, {METRICS[one.metric]}: {say_shift(one)}")
    if together(results):
        print(f"\n{together(results)}")


def _fitting(results: SpeakerResults) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Ours, variants and the published, means only: one table, or two where the terminal is narrow."""
    from rich.console import Console

    from deixis.reports.a3ds_runs import METRICS

    rows = list(_rows(results))
    heads = ["share", "model", *(COLUMNS[metric] for metric in METRICS)]
    wide = sum(max(map(len, cells)) + GAP for cells in zip(heads, *rows, strict=True))
    middle = len(heads) if wide <= Console().width else 2 + len(METRICS) // 2
    yield heads[:middle], [row[:middle] for row in rows]
    if middle < len(heads):
        yield heads[:2] + heads[middle:], [row[:2] + row[middle:] for row in rows]


def _rows(results: SpeakerResults) -> Iterator[list[str]]:
    from deixis.reports.a3ds_words import wide_rows
    from deixis.worlds.shapes.pairs import CATEGORIES

    for part in CATEGORIES:
        name = part.partition(" ")[0]
        for kind, label, cells in wide_rows(results, part):
            if kind != "reference":
                shown = f"({label.partition(' ')[0]})" if kind == "published" else label
                yield [name, shown, *(cell.partition(" ")[0] for cell in cells)]
                name = ""
