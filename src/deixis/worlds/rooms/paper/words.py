"""The results of speakers in words and plain tables: what stands in a page, in a Markdown file and in a terminal."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from deixis.metrics.marked import NAMES, mark_caption
from deixis.metrics.published import HOURS
from deixis.reports.a3ds_commands import commands_of
from deixis.reports.a3ds_runs import ALL, METRICS
from deixis.reports.a3ds_tables import FAR, FAR_FEATURES, LETTERS, far_of, published_of
from deixis.reports.cells import plain_words, span
from deixis.worlds.shapes.pairs import CATEGORIES, SETS


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from deixis.metrics.marked import Piece
    from deixis.reports.a3ds_examples import Example
    from deixis.reports.a3ds_tables import Difference, Measured, SpeakerResults, Variant


__all__ = [
    "ABOUT",
    "NOTHING",
    "NO_REASON",
    "SOURCE",
    "TIMES",
    "all_commands",
    "marks",
    "say_measured",
    "say_published",
    "say_seeds",
    "say_set",
    "say_shift",
    "speakers_as_markdown",
    "time_rows",
    "together",
    "wide_rows",
]

NOTHING = "–"
NO_REASON = "No reason is given."
SOURCE = (
    "P. Tsvilodub and M. Franke, Evaluating Pragmatic Abilities of Image Captioners on A3DS, ACL 2023, Table 1; false "
    "features and times from sections 2 and 3"
)
ABOUT = {
    "B": "learnt exhaustive captions",
    "RP": "B after the reference game on random pairs",
    "SP": "B after the game on similar pairs",
}
TIMES = ("model", "runs", "updates", "contexts each", "time of one run", "contexts a second", "memory", "device")
GIBIBYTE = 2**30


def say_measured(ours: Measured | None) -> str:
    """A mean with what is known of its uncertainty."""
    if ours is None:
        return NOTHING
    if ours.deviation is not None:
        return f"{ours.mean:.3f} ± {ours.deviation:.3f}"
    return f"{ours.mean:.3f}" + ("" if ours.interval is None else " ({:.3f}–{:.3f})".format(*ours.interval))


def say_published(variant: Variant, part: str, metric: str) -> str:
    """What is published of a main model; false features are published of all sets together."""
    value = published_of(variant.letter, part, metric)
    if value is None and metric == "false_features":
        value = published_of(variant.letter, ALL, metric)
        return NOTHING if value is None else f"{value:.3f}°"
    return NOTHING if value is None else f"{value:.3f}"


def say_seeds(variant: Variant) -> str:
    """How many runs there are, and of which seeds."""
    seeds = [str(run.how.seed) for run in variant.runs]
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"{len(seeds)} seeds: {', '.join(seeds)}"


def say_set(name: str) -> str:
    """What the two images of a pair have in common at least, by the name of their test set."""
    shared = SETS.get(name, ())
    if isinstance(shared, int):
        return f"at least {('', 'one feature', 'two features', 'three features')[shared]} in common"
    *others, last = (NAMES[factor] for factor in shared)
    return f"the same {', '.join(others)}{' and ' if others else ''}{last}"


def say_shift(one: Difference) -> str:
    """By how much in which categories."""
    return ", ".join(f"{part} {gap:+.3f}" for part, gap in one.by.items()).replace("-", "−")


def marks(results: SpeakerResults) -> Iterator[tuple[str, str]]:
    """The marks of the tables and what each means, those that occur."""
    if any(len(one.runs) > 1 for one in results.variants):
        yield "±", "the standard deviation over seeds, that of a sample"
    if any(len(one.runs) == 1 for one in results.variants):
        yield "( – )", "one seed; the 95 % interval, which says how sure its captions make it"
    if results.differences:
        yield "▲ ▼", f"ours is more than {FAR:g} ({FAR_FEATURES:g} features) above or below what is published"
    yield "°", "published of all sets together only"


def wide_rows(results: SpeakerResults, part: str) -> Iterator[tuple[str, str, list[str]]]:
    """A table with a row for everybody: kind of row (ours, variant, reference, published), label, and cells."""
    for one in results.variants:
        kind = "variant" if one.differs else "ours"
        yield kind, one.label, [say_measured(one.measured(part, metric)) for metric in METRICS]
    for name, parts in results.references.items():
        values = parts.get(part, {})
        cells = [values.get(metric, float("nan")) for metric in METRICS]
        yield "reference", name, [NOTHING if cell != cell else f"{cell:.3f}" for cell in cells]  # noqa: PLR0124
    for letter in LETTERS:
        known = [published_of(letter, part, metric) for metric in METRICS]
        yield "published", f"{letter} (published)", [NOTHING if one is None else f"{one:.3f}" for one in known]


def time_rows(results: SpeakerResults) -> Iterator[list[str]]:
    """How long training took, see `TIMES`."""
    for one in results.variants:
        if not one.is_restyled:
            first = one.runs[0]
            yield [
                one.label,
                str(len(one.runs)),
                f"{first.updates:,}",
                f"{first.how.batch:,}",
                _mean_of([run.seconds for run in one.runs], span),
                _mean_of([run.examples_per_second for run in one.runs], lambda value: f"{value:,.0f}"),
                _mean_of([run.peak_bytes for run in one.runs], lambda value: f"{value / GIBIBYTE:.1f} GiB"),
                ", ".join(dict.fromkeys(run.device for run in one.runs)) or NOTHING,
            ]


def together(results: SpeakerResults) -> str:
    """How long one of each model took, beside what is published; empty where some are missing."""
    times = [[run.seconds for run in one.runs if run.seconds is not None] for one in results.main]
    if len(times) < len(LETTERS) or not all(times):
        return ""
    whole = span(sum(fmean(some) for some in times))
    return f"B, RP and SP of one seed: {whole} of training. Published: about {sum(HOURS.values()):g} h on one A40."


def all_commands(results: SpeakerResults) -> list[str]:
    """The commands that make everything again, in an order in which they can be given."""
    runs = sorted(results.runs, key=lambda run: run.letter != "B")
    return [command for run in runs for command in commands_of(run, runs)]


def speakers_as_markdown(
    results: SpeakerResults, examples: Sequence[Example], figures: Sequence[tuple[str, str]]
) -> str:
    """The results as a page of Markdown.

    Args:
        results: what to show.
        examples: captions to show.
        figures: the files of pictures beside it, each with its title.
    """
    lines = ["# A3DS speakers, beside what is published", "", *_intro(results), ""]
    lines += ["## Table 1", "", "Ours, and in italics the published.", "", *_table_1(results), ""]
    lines += [f"{plain_words(mark)} {plain_words(meaning)}  " for mark, meaning in marks(results)]
    if results.differences:
        lines += ["", "## Where ours differ", ""]
        for one in results.differences:
            name = f"{one.letter}, {METRICS[one.metric]}"
            lines.append(f"- **{name}** ({say_shift(one)}): {plain_words(one.reason or NO_REASON)}")
    lines += ["", "## Beside variants, and speakers that need no training", ""]
    for part in CATEGORIES:
        rows = [[_styled(kind, label), *cells] for kind, label, cells in wide_rows(results, part)]
        lines += [f"### {part.capitalize()}", "", *_table(("model", *METRICS.values()), rows), ""]
    lines += ["## Discriminativity by set", ""]
    rows = [
        [_styled("ours", one.label), *(_brief(one.measured(name, "discriminativity")) for name in SETS)]
        for one in results.variants
    ]
    lines += [*_table(("model", *map(plain_words, SETS)), rows), "", "## Figures", ""]
    for name, title in figures:
        lines += [f"![{plain_words(title)}]({name})", ""]
    if examples:
        lines += ["## Examples", "", *_examples(examples), ""]
    lines += ["## Time", "", *_table(TIMES, [[plain_words(cell) for cell in row] for row in time_rows(results)]), ""]
    lines += [line for line in (together(results), "") if line] + [""] * bool(together(results))
    lines += ["## Commands", "", "```sh", *all_commands(results), "```", "", f"Published: {plain_words(SOURCE)}."]
    return "\n".join(lines) + "\n"


def _intro(results: SpeakerResults) -> Iterator[str]:
    for one in results.main:
        first = one.runs[0]
        sizes = ", ".join(f"{name} {size:,}" for name, size in first.parameters.items())
        sees = f"sees through the encoder {plain_words(first.encoder)}" if first.encoder else "sees through an encoder"
        yield f"- **{one.letter}** {ABOUT[one.letter]}; {say_seeds(one)}; {sees}; parameters: {plain_words(sizes)}"
    said = results.main[0].said[0]
    yield ""
    yield (
        f"Captions of {len(SETS)} test sets with {said.contexts:,} pairs each, of images that no run has seen. A "
        "category is the unweighted mean of its sets. Contrastive efficiency counts captions with discriminativity 1."
    )


def _table_1(results: SpeakerResults) -> list[str]:
    """Metrics in rows; categories and models in columns, ours with the published below."""
    heads = ["", *(f"{part.split()[0]}: {one.letter}" for part in CATEGORIES for one in results.main)]
    rows = []
    for metric, title in METRICS.items():
        cells = [_cell(one, part, metric) for part in CATEGORIES for one in results.main]
        rows.append([title.capitalize(), *cells])
    return _table(heads, rows)


def _cell(one: Variant, part: str, metric: str) -> str:
    gap = far_of(one, part, metric)
    sign = "" if gap is None else " ▲" if gap > 0 else " ▼"
    theirs = say_published(one, part, metric)
    return f"{say_measured(one.measured(part, metric))}{sign}" + (f"<br>*{theirs}*" if theirs != NOTHING else "")


def _styled(kind: str, label: str) -> str:
    kept = plain_words(label)
    return {"ours": f"**{kept}**", "published": f"*{kept}*"}.get(kind, kept)


def _brief(ours: Measured | None) -> str:
    return NOTHING if ours is None else f"{ours.mean:.3f}"


def _examples(examples: Sequence[Example]) -> Iterator[str]:
    yield "**Bold** is true and tells the target apart, <del>struck out</del> does not hold; the rest tells nothing."
    for one in examples:
        images = " and ".join(str(image) for image in one.images)
        yield ""
        yield f"Images {images}, of which the first is meant; both have {say_set(one.part)}:"
        yield ""
        for label, line in one.lines.items():
            heard = {None: "", True: " (understood)", False: " (misunderstood)"}[line.is_understood]
            words = "".join(_marked(piece) for piece in mark_caption(line.text, one.images))
            yield f"- {plain_words(label)}: {words or '(nothing)'}{heard}"


def _marked(piece: Piece) -> str:
    kept = plain_words(piece.text)
    before = " " if piece.text[:1].isspace() else ""
    after = " " if piece.text[-1:].isspace() and piece.text.strip() else ""
    shown = {"contrastive": f"**{kept}**", "false": f"<del>{kept}</del>"}.get(piece.mark, kept)
    return f"{before}{shown}{after}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table of cells that are Markdown already."""
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return [f"| {' | '.join(line)} |" for line in (heads, rule, *rows)]


def _mean_of(values: Sequence[float | None], say: Callable[[float], str]) -> str:
    known = [value for value in values if value is not None]
    return say(fmean(known)) if known else NOTHING
