"""Table 1 of the A3DS paper for speakers of ours: every cell with its published figure beside it, variants below."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from deixis._version import __version__
from deixis.errors import RecipeError
from deixis.report.cells import as_csv
from deixis.report.notes import read_sentences
from deixis.worlds.rooms.judging.anchors import SPEAKERS, score_speakers
from deixis.worlds.rooms.judging.published import FALSE_FEATURES, TABLE_1
from deixis.worlds.rooms.judging.summary import summarise
from deixis.worlds.rooms.pairs import CATEGORIES, SETS
from deixis.worlds.rooms.paper.runs import ALL, METRICS, REDUNDANT


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.worlds.rooms.paper.runs import Letter, Said, SpeakerRun


__all__ = [
    "FAR",
    "LETTERS",
    "Difference",
    "Measured",
    "SpeakerResults",
    "Variant",
    "compare_speakers",
    "far_of",
    "published_of",
    "read_speaker_reasons",
    "reference_scores",
    "speakers_as_csv",
    "speakers_as_dict",
]

LETTERS: tuple[Letter, ...] = ("B", "RP", "SP")
REFERENCES = ("random, three features", "rational (alpha 4)", "rational (alpha 16)", "incremental", "minimal")
FAR, FAR_FEATURES = 0.05, 0.5  # by which a share or a number of features may differ without a reason
COUNTED = ("mentioned_features", "false_features")
APART = ("seed", "eval_every", "log_every", "save_every")  # settings that do not set variants apart
NAMES = {
    "structure": "λ",
    "decoding.way": "",
    "thinking": "",
    "decoding.k": "k",
    "decoding.width": "beam of",
    "pragmatic.alpha": "α",
    "pragmatic.cost": "cost of speaking",
    "pragmatic.candidates": "candidates",
    "pragmatic.fluency": "fluency",
}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A metric over one or several seeds.

    Attributes:
        mean: over the seeds.
        deviation: the sample standard deviation over the seeds, None where there is one.
        interval: the 95 % interval where there is one seed: how sure its captions make it.
        seeds: how many of them it is defined for.
    """

    mean: float
    deviation: float | None
    interval: tuple[float, float] | None
    seeds: int

    @property
    def low(self) -> float:
        """Where a bar for its uncertainty begins."""
        return self.interval[0] if self.interval else self.mean - (self.deviation or 0.0)

    @property
    def high(self) -> float:
        """Where it ends."""
        return self.interval[1] if self.interval else self.mean + (self.deviation or 0.0)


@dataclass(frozen=True, kw_only=True)
class Variant:
    """Runs that differ in their seeds only, and what they said in one style.

    Attributes:
        letter: the model of the paper that it is, or is a variant of.
        differs: in what it differs from the main runs of that letter; empty of these themselves.
        is_restyled: whether the same runs are there in the main style, too.
        runs: in the order of seeds.
        said: of each run.
    """

    letter: Letter
    differs: tuple[str, ...] = ()
    is_restyled: bool = False
    runs: tuple[SpeakerRun, ...]
    said: tuple[Said, ...]

    @property
    def label(self) -> str:
        """Its name."""
        return ", ".join((self.letter, *self.differs))

    def measured(self, part: str, metric: str) -> Measured | None:
        """A metric in a set, a category or all sets; None where no seed has it."""
        found = [one.readings[part][metric] for one in self.said if metric in one.readings[part]]
        if not found:
            return None
        low, high = found[0].low, found[0].high
        return Measured(
            mean=fmean(one.mean for one in found),
            deviation=stdev(one.mean for one in found) if len(found) > 1 else None,
            interval=(low, high) if len(found) == 1 and low is not None and high is not None else None,
            seeds=len(found),
        )


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A metric of a model that is far from the published figure: by how much in which categories, and why."""

    letter: Letter
    metric: str
    by: Mapping[str, float]
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class SpeakerResults:
    """All that is to be shown.

    Attributes:
        variants: the main ones first, then those that differ from them.
        references: what speakers score that need no training, by name, category and metric.
        reasons: why ours differ, by letter and metric.
    """

    variants: tuple[Variant, ...]
    references: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def main(self) -> tuple[Variant, ...]:
        """At most one for each letter."""
        return tuple(one for one in self.variants if not one.differs)

    @property
    def others(self) -> tuple[Variant, ...]:
        """The variants that differ from the main ones."""
        return tuple(one for one in self.variants if one.differs)

    @property
    def runs(self) -> tuple[SpeakerRun, ...]:
        """Every run once."""
        return tuple(run for one in self.variants if not one.is_restyled for run in one.runs)

    @property
    def differences(self) -> list[Difference]:
        """Where the main runs are far from the published figures."""
        found = []
        for one in self.main:
            for metric in METRICS:
                by = {part: gap for part in (*CATEGORIES, ALL) if (gap := far_of(one, part, metric)) is not None}
                if by:
                    reason = self.reasons.get((one.letter, metric), "")
                    found.append(Difference(letter=one.letter, metric=metric, by=by, reason=reason))
        return found


def compare_speakers(
    runs: Sequence[SpeakerRun],
    *,
    reasons: Mapping[tuple[str, str], str] | None = None,
    references: Mapping[str, Mapping[str, Mapping[str, float]]] | None = None,
) -> SpeakerResults:
    """Put runs together that differ in their seeds only.

    Of each letter the main runs are those with the most seeds, the first given where several have as many.

    Args:
        runs: in any order.
        reasons: why ours differ from the published, by letter and metric.
        references: see `reference_scores`.

    Raises:
        RecipeError: when a run is given twice.
    """
    groups: dict[tuple[Letter, _Key], list[tuple[SpeakerRun, Said]]] = {}
    for run in runs:
        for said in run.said:
            groups.setdefault((run.letter, _key(run, said)), []).append((run, said))
    for group in groups.values():
        _demand_different_seeds([run for run, _ in group])
    variants = [one for letter in LETTERS for one in _of_letter(letter, groups)]
    variants.sort(key=lambda one: bool(one.differs))
    return SpeakerResults(variants=tuple(variants), references=references or {}, reasons=reasons or {})


def reference_scores(
    runs: Sequence[SpeakerRun], *, progress: Callable[[str, int, int], None] | None = None
) -> dict[str, dict[str, dict[str, float]]]:
    """What speakers that need no training score on the test sets of the first run: speaker -> category -> metric."""
    seed, count = runs[0].how.data_seed, runs[0].said[0].contexts
    some = {name: SPEAKERS[name] for name in REFERENCES}
    found = score_speakers(seed=seed, count=count, speakers=some, progress=progress)
    means = {}
    for name, scores in found.items():
        summary = summarise(scores, categories=CATEGORIES, seed=seed, resamples=2)  # the intervals are not shown
        means[name] = {
            part: {metric: table[metric].mean for metric in METRICS if metric in table}
            for part, table in summary.categories.items()
        }
    return means


def published_of(letter: Letter, part: str, metric: str) -> float | None:
    """What is published; false features are published of all sets together only."""
    if metric == "false_features":
        return FALSE_FEATURES[letter] if part == ALL else None
    return TABLE_1.get(part, {}).get(letter, {}).get(metric)


def far_of(variant: Variant, part: str, metric: str) -> float | None:
    """Ours less the published, where that is so much that it asks for a reason."""
    ours, theirs = variant.measured(part, metric), published_of(variant.letter, part, metric)
    if ours is None or theirs is None:
        return None
    gap = ours.mean - theirs
    return gap if abs(gap) > (FAR_FEATURES if metric in COUNTED else FAR) else None


def speakers_as_csv(results: SpeakerResults) -> str:
    """Every number of the tables and of Figure 2, one in a row."""
    heads = ("model", "part", "metric", "mean", "deviation", "low", "high", "seeds", "published")
    return as_csv(heads, _rows(results))


def speakers_as_dict(results: SpeakerResults) -> dict[str, Any]:
    """The same as plain values, with the runs."""
    heads = ("model", "part", "metric", "mean", "deviation", "low", "high", "seeds", "published")
    return {
        "kind": "a3ds results",
        "deixis": __version__,
        "cells": [dict(zip(heads, row, strict=True)) for row in _rows(results)],
        "runs": [
            {
                "run": run.folder,
                "model": one.label,
                "settings": asdict(run.how),
                "updates": run.updates,
                "legs": [leg._asdict() for leg in run.legs],
                "encoder": run.encoder,
                "device": run.device,
                "seconds": run.seconds,
                "said": {said.folder: said.checkpoint for said in run.said},
            }
            for one in results.variants
            if not one.is_restyled
            for run in one.runs
        ],
    }


def _rows(results: SpeakerResults) -> Iterator[tuple[Any, ...]]:
    for one in results.variants:
        for part in (*CATEGORIES, ALL, *SETS):
            for metric in (*METRICS, *REDUNDANT):
                theirs = published_of(one.letter, part, metric) if not one.differs else None
                ours = one.measured(part, metric)
                if ours is not None:
                    spread = (ours.deviation, *(ours.interval or (None, None)))
                    numbers = (None if value is None else round(value, 6) for value in (ours.mean, *spread))
                    yield (one.label, part, metric, *numbers, ours.seeds, theirs)
    for name, parts in results.references.items():
        for part, values in parts.items():
            for metric, value in values.items():
                if value == value:  # noqa: PLR0124 (not where it is not a number)
                    yield (name, part, metric, round(value, 6), None, None, None, None, None)


# ----------------------------------------------------------------------------------------------------- putting together


@dataclass(frozen=True)
class _Key:
    """What runs have in common: how they were trained, and how they spoke."""

    trained: tuple[tuple[str, object], ...]
    spoke: tuple[tuple[str, object], ...]


def _key(run: SpeakerRun, said: Said) -> _Key:
    trained: dict[str, object] = {name: value for name, value in asdict(run.how).items() if name not in APART}
    trained |= {"encoder": run.encoder, "encoder_digest": run.encoder_digest, "given": bool(run.listener)}
    trained["taken"] = min(run.updates, run.how.steps)
    trained["legs"] = run.legs
    trained["steadied"] = run.is_steadied
    if "width" not in trained:  # a game is played with speakers as wide as they are
        trained["speaker"] = run.parameters.get("speaker", 0)
    spoke: dict[str, object] = dict(said.style)
    own = said.listener in ("", said.checkpoint)
    return _Key(tuple(trained.items()), tuple({**spoke, "contexts": said.contexts, "own": own}.items()))


def _of_letter(
    letter: Letter, groups: Mapping[tuple[Letter, _Key], list[tuple[SpeakerRun, Said]]]
) -> Iterator[Variant]:
    mine = {key: group for (whose, key), group in groups.items() if whose == letter}
    if not mine:
        return
    main = max(mine, key=lambda key: len(mine[key]))  # the first of several
    seen = set()
    for key in sorted(mine, key=lambda key: key != main):
        group = sorted(mine[key], key=lambda pair: pair[0].how.seed)
        yield Variant(
            letter=letter,
            differs=tuple(_differences(key, main)),
            is_restyled=key.trained in seen,
            runs=tuple(run for run, _ in group),
            said=tuple(said for _, said in group),
        )
        seen.add(key.trained)


def _differences(key: _Key, main: _Key) -> Iterator[str]:
    """In what a variant differs, in words."""
    theirs, ours = dict(main.trained) | dict(main.spoke), dict(key.trained) | dict(key.spoke)
    for name, value in ours.items():
        if value != theirs.get(name):
            said = _difference(name, value, ours, theirs)
            if said:
                yield said


def _difference(name: str, value: object, ours: Mapping[str, object], theirs: Mapping[str, object]) -> str:
    match name:
        case "encoder_digest":
            return "another encoder of that name" if ours["encoder"] == theirs.get("encoder") else ""
        case "given":
            return "listener given" if value else "listener new"
        case "steadied":
            return "steadied" if value else "not steadied"
        case "legs":
            return _say_legs(value)
        case "taken":
            return f"stopped after {value:,} steps" if value != ours["steps"] else ""
        case "speaker":
            return f"speaker of {value:,} parameters"
        case "contexts":
            return f"{value:,} pairs a set"
        case "own":
            return "own listener" if value else "another listener hears"
        case "thinking":
            return "without thinking" if value == "none" else str(value)
        case _:
            shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
            shown = f"{value:g}" if isinstance(value, float) else shown
            plain = name.rpartition(".")[2] if name.startswith("decoding") else name.replace(".", " ")
            return f"{NAMES.get(name, plain.replace('_', ' '))} {shown}".strip()


def _say_legs(legs: object) -> str:
    if not isinstance(legs, tuple) or not legs:
        return "without going on"
    return f"gone on with: {', then '.join(f'{leg.updates:,}' for leg in legs)} steps"


def _demand_different_seeds(runs: Sequence[SpeakerRun]) -> None:
    """Runs of one seed must at least have begun with different speakers."""
    known: dict[tuple[int, str, str], str] = {}
    for run in runs:
        same = (run.how.seed, run.speaker, run.listener)
        if same in known:
            raise RecipeError(
                f"{known[same]} and {run.folder} are of one seed, {run.how.seed}, with equal settings; give one of them"
            )
        known[same] = run.folder


def read_speaker_reasons(path: Path) -> dict[tuple[str, str], str]:
    """Read sentences from a TOML file with a table for every model: letter and metric -> sentence.

    Raises:
        RecipeError: when it is no TOML, or names a model or a metric that there is not.

    Example:
        ```toml
        [table1.RP]
        relevance = "Every word has its price here, as it had not in the paper."
        ```
    """
    found: dict[tuple[str, str], str] = {}
    letters = {letter.lower(): letter for letter in LETTERS}
    for (_, model, metric), sentence in read_sentences(path, {"table1": tuple(METRICS)}).items():
        if model.lower() not in letters:
            raise RecipeError(f"{path}, table1: there is no model {model!r}; there are: {', '.join(LETTERS)}")
        found[letters[model.lower()], metric] = sentence
    return found
