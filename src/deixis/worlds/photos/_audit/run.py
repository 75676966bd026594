"""Part `audit` of photographs: the common measures, and the accuracy of readers who understand only a part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from deixis.audits.measures import reorderings
from deixis.audits.run import DatasetAudit, FurtherTable, audit_plainly, choose
from deixis.data._resumable_work import ResumableWork
from deixis.errors import RecipeError
from deixis.report.chart import Axis, Chart, make_series
from deixis.worlds.photos._audit.localise import PROBES, audit_shortcuts, shortcut_rows
from deixis.worlds.photos._audit.look_alike import NAME, look_for_the_most_alike
from deixis.worlds.photos._examples import open_once
from deixis.worlds.photos._served_wants import counts_in, wants_table


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from deixis.data._crew import Crew
    from deixis.worlds.photos._audit.localise import ShortcutAudit
    from deixis.worlds.photos._audit.look_alike import LookAlike
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import Example


runs_on_clusters = True
SOLVED = "The target is all that is left (%)"
GUESSED = "The target is hit by guessing among what is left (%); for who hears nothing, that is chance"


def audit(
    path: Path,
    *,
    split: str | None = None,
    sample: int | None = None,
    seed: int = 0,
    workers: int = 1,
    crew: Crew | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> DatasetAudit:
    """Audit a dataset, see `deixis.worlds.world.Audits`.

    The crew shares the measures of all worlds.
    """
    data = open_once(path)
    chosen = _ChosenExamples(data, split, sample, seed)
    settings = {"readers": "photos", "split": split, "sample": sample, "seed": seed}
    with ResumableWork("audit", path, settings) as resumable:
        found = audit_shortcuts(chosen, data.scenes, resumable=resumable)
        alike = look_for_the_most_alike(chosen, data.scenes)
        if not found.judged:
            raise RecipeError(f"{path} holds no example to audit: " + (_left_out(found) or "it is empty"))
        how: dict[str, Any] = {
            "split": split,
            "sample": sample,
            "seed": seed,
            "workers": workers,
            "crew": crew,
            "progress": progress,
        }
        common = audit_plainly("photos", path, bag=reorderings, **how)
    wants = counts_in(data.dataset.manifest)
    return DatasetAudit(
        common.audit,
        common.sightings,
        rows=dict(_rows(found, alike)),
        tables=(*(_table(found, guessing=guessing) for guessing in (False, True)), *_tables_of_wants(wants)),
        notes=(*_notes(found), *_notes_on_likeness(alike)),
        plain={"kind": "copsref", **found.to_dict(), **_plain(alike), **({"every word": wants} if wants else {})},
    )


class _ChosenExamples:
    """The examples of a split, or some of them chosen by the seed, read anew whenever they are gone through."""

    def __init__(self, data: CopsRef, split: str | None, sample: int | None, seed: int) -> None:
        self.data, self.split = data, split
        total = sum(1 for _ in data.examples(split)) if sample is not None else 0
        chosen = choose(range(total), sample, seed)
        self.chosen = None if len(chosen) == total else np.asarray(chosen, np.int64)

    def __iter__(self) -> Iterator[Example]:
        examples = self.data.examples(self.split)
        if self.chosen is None:
            return examples
        wanted = iter(self.chosen.tolist())
        return _only(examples, wanted)


def _only(examples: Iterator[Example], numbers: Iterator[int]) -> Iterator[Example]:
    """Yield the examples of some numbers, which rise."""
    number = next(numbers, None)
    for place, example in enumerate(examples):
        if place == number:
            yield example
            number = next(numbers, None)


def _tables_of_wants(wants: Mapping[str, Any]) -> Iterator[FurtherTable]:
    """Yield the table of what could be served, of the mode every-word."""
    if wants:
        heads, rows = wants_table(wants)
        title = "Wants that are served, of all that was tried to say (%)"
        yield FurtherTable(title=title, heads=("", *heads[1:]), rows=tuple(map(tuple, rows)))


def _notes_on_likeness(alike: LookAlike | None) -> Iterator[str]:
    if alike is not None:
        yield (
            f"The image most like the others is the right one in {alike.image:.1%} (chance {alike.by_chance:.1%}); "
            f"with the noun and its attributes that solves {alike.solved:.1%}. The image least like the others is the "
            f"right one in {alike.least:.1%}."
        )


def _plain(alike: LookAlike | None) -> dict[str, Any]:
    if alike is None:
        return {}
    told = {"right image": alike.image, "by chance": alike.by_chance, "solved": alike.solved, "least": alike.least}
    return {NAME: {name: round(value, 6) for name, value in told.items()}}


def _rows(found: ShortcutAudit, alike: LookAlike | None) -> Iterator[tuple[str, str]]:
    """What each reader solves with all images shown, and how well words alone tell expressions that fit nothing."""
    shown = found.shortcuts[0]
    for probe in PROBES[1:]:
        yield f"solved by {probe} ({shown.setting})", f"{shown.shares[probe].mean:.1%}"
    if alike is not None:
        yield f"solved by {NAME} (Full)", f"{alike.solved:.1%}"
    if found.words_alone is not None:
        yield "words alone tell what is not there", f"{found.words_alone.area:.2f} of 1, chance 0.50"


def _table(found: ShortcutAudit, *, guessing: bool) -> FurtherTable:
    heads, *rows = shortcut_rows(found.shortcuts, guessing=guessing)
    probes = PROBES if guessing else PROBES[1:]  # nothing solves nothing
    shares = {one.setting: one.guesses if guessing else one.shares for one in found.shortcuts}
    title = GUESSED if guessing else SOLVED
    plot = Chart(
        name=f"plot-readers-{'guessed' if guessing else 'solved'}",
        title=title.partition(" (%)")[0],
        caption="A row for each reader, named by what it hears; a bar for each setting.",
        marks="bars",
        labels=tuple(probes),
        series=make_series(
            {setting: tuple(column[probe].mean for probe in probes) for setting, column in shares.items()}
        ),
        axis=Axis(label="share of the examples"),
    )
    return FurtherTable(title=title, heads=tuple(heads), rows=tuple(map(tuple, rows)), plot=plot)


def _notes(found: ShortcutAudit) -> Iterator[str]:
    left_out = _left_out(found)
    yield f"{found.judged:,} of {found.examples:,} examples judged for shortcuts" + (
        f"; left out: {left_out}." if left_out else "."
    )
    told = found.words_alone
    if told is not None:
        words = ", ".join(f"{word} x{factor:.2g}" for word, factor in told.telling)
        yield (
            f"Words alone tell {told.absent:,} expressions that fit nothing from the {told.there:,} they were made "
            f"of with an area of {told.area:.2f} [{told.low:.2f}, {told.high:.2f}] under the curve, where chance is "
            f"0.50; most telling, with how much more often they say it: {words}."
        )


def _left_out(found: ShortcutAudit) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in found.left_out.items())
