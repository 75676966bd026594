"""The results of speakers in words and plain tables: what stands in a page, in a Markdown file and in a terminal."""

from __future__ import annotations

from dataclasses import asdict
from shlex import quote
from statistics import fmean
from typing import TYPE_CHECKING

from deixis.report.cells import NO_REASON, NOTHING, plain_words, span
from deixis.worlds.rooms.judging.marked import NAMES, mark_caption
from deixis.worlds.rooms.judging.published import HOURS
from deixis.worlds.rooms.pairs import CATEGORIES, PAIRS, SETS
from deixis.worlds.rooms.paper.runs import ALL, METRICS
from deixis.worlds.rooms.paper.tables import FAR, FAR_FEATURES, LETTERS, far_of, published_of
from deixis.worlds.rooms.training.settings import Game


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from deixis.worlds.rooms.judging.marked import Piece
    from deixis.worlds.rooms.paper.page import Example
    from deixis.worlds.rooms.paper.runs import Reading, Said, SpeakerRun
    from deixis.worlds.rooms.paper.tables import Difference, Measured, SpeakerResults, Variant


__all__ = [
    "ABOUT",
    "SEEDS",
    "SEEDS_ARE",
    "SOURCE",
    "TIMES",
    "WITHOUT_OPTION",
    "all_commands",
    "commands_of",
    "marks",
    "say_measured",
    "say_published",
    "say_seeds",
    "say_set",
    "say_shift",
    "seed_rows",
    "speakers_as_markdown",
    "time_rows",
    "together",
    "wide_rows",
]

SOURCE = (
    "P. Tsvilodub and M. Franke, Evaluating Pragmatic Abilities of Image Captioners on A3DS, ACL 2023, Table 1; false "
    "features and times from sections 2 and 3"
)
ABOUT = {
    "B": "learnt exhaustive captions",
    "RP": "B after the reference game on random pairs",
    "SP": "B after the game on similar pairs",
}
BY_CATEGORY = ("discriminativity", "contrastive_efficiency", "relevance", "listener_accuracy", "literal_accuracy")
OVER_ALL = ("mentioned_features", "false_features", "contrast_gap")
SEEDS = ("model", *(METRICS[metric] for metric in (*BY_CATEGORY, *OVER_ALL)))
TIMES = ("model", "runs", "steps", "contexts each", "time of one run", "contexts a second", "memory", "device")
GIBIBYTE = 2**30
WITHOUT_OPTION = ("log_every",)  # settings that only a file can say
NAMED = ("rooms", "factors")  # encoders that need no file
STYLES = {
    "decoding.way": ("--decoding", "greedy"),
    "decoding.temperature": ("--temperature", "1.0"),
    "decoding.k": ("--k", "20"),
    "decoding.width": ("--width", "5"),
    "thinking": ("--thinking", "none"),
    "pragmatic.alpha": ("--alpha", "1.0"),
    "pragmatic.cost": ("--cost", "0.0"),
    "pragmatic.candidates": ("--candidates", "20"),
    "pragmatic.fluency": ("--fluency", "1.0"),
}
SEEDS_ARE = "Three numbers are for one, two and three features shared; one number is for all sets together."


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
        yield "±", "sample standard deviation over seeds"
    if any(len(one.runs) == 1 for one in results.variants):
        yield "( – )", "one seed; 95 % interval over its captions"
    if results.differences:
        yield "▲ ▼", f"ours is more than {FAR:g} ({FAR_FEATURES:g} features) above or below the published figure"
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


def seed_rows(results: SpeakerResults) -> Iterator[list[str]]:
    """Every seed of models that have several, see `SEEDS`: by category, and the last ones over all sets."""
    for one in results.variants:
        for run, said in zip(one.runs, one.said, strict=True) if len(one.runs) > 1 else ():
            cells = [[said.readings[part].get(metric) for part in CATEGORIES] for metric in BY_CATEGORY]
            cells += [[said.readings[ALL].get(metric)] for metric in OVER_ALL]
            yield [f"{one.label}, seed {run.how.seed}", *(" / ".join(map(_mean_in, some)) for some in cells)]


def _mean_in(found: Reading | None) -> str:
    return NOTHING if found is None else f"{round(found.mean, 2) + 0.0:.2f}"  # no zero has a sign


def time_rows(results: SpeakerResults) -> Iterator[list[str]]:
    """How long training took, see `TIMES`."""
    for one in results.variants:
        if not one.is_restyled:
            first = one.runs[0]
            yield [
                one.label,
                str(len(one.runs)),
                f"{first.updates:,}",
                f"{first.how.batch_size:,}",
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
    if seeds := list(seed_rows(results)):
        rows = [[plain_words(cell) for cell in row] for row in seeds]
        lines += ["", "## Each seed", "", SEEDS_ARE, "", *_table(SEEDS, rows)]
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


# -------------------------------------------------------------------------------- commands


def commands_of(run: SpeakerRun, runs: Sequence[SpeakerRun]) -> Iterator[str]:
    """The commands for a run, one in a line; `runs` are those that it may have begun with."""
    known = {said.checkpoint: one.folder for one in reversed(runs) for said in one.said}  # the first of several
    if not run.is_trained_here:
        yield from (_say(run, said, known) for said in run.said)
        return
    changed = _changed(run)
    filed = {name: value for name, value in changed.items() if name in WITHOUT_OPTION}
    place = _place(run.speaker, known, "SPEAKER")
    model = f"game --speaker {place}" if isinstance(run.how, Game) else "captioner"
    words = [f"deixis train {model} --out {quote(run.folder)} --seed {run.how.seed}"]
    if filed:
        file = quote(f"{run.folder}.toml")
        lines = "".join(f"{name} = {value}\\n" for name, value in filed.items())
        yield f"printf '{lines}' > {file}"
        words.append(f"--settings {file}")
    if isinstance(run.how, Game):
        words.append(f"--pairs {run.how.pairs}")
    if run.listener:
        words.append(f"--listener {_place(run.listener, known, 'LISTENER')}")
    for name, value in changed.items():
        if name == "listener":
            words.append("--freeze")
        elif name not in (*WITHOUT_OPTION, "seed", "pairs"):
            words.append(f"--{name.replace('_', '-')} {_written(value)}")
    words += _encoder(run)
    for leg in run.legs[:-1]:  # the rate went by other numbers of updates
        stopped = "" if leg.until >= leg.updates else f"  # stopped after {leg.until}"
        yield " ".join(
            [*(word for word in words if not word.startswith("--steps ")), f"--steps {leg.updates}{stopped}"]
        )
    yield " ".join([*words, *(["--steady"] if run.is_steadied else [])])
    for said in run.said:
        yield _say(run, said, known)


def _changed(run: SpeakerRun) -> dict[str, object]:
    """The settings that are not as they are by default."""
    usual = asdict(type(run.how)())
    return {name: value for name, value in asdict(run.how).items() if value != usual[name]}


def _say(run: SpeakerRun, said: Said, known: Mapping[str, str]) -> str:
    folder = quote(run.folder)
    words = [f"deixis evaluate CHECKPOINT --out {folder}"]
    if run.is_trained_here:
        words = [f"deixis evaluate {folder} --out {quote(f'{run.folder}/{said.folder}')}"]
    for name, (option, usual) in STYLES.items():
        value = said.style.get(name, usual)
        if value != usual:
            words.append(f"{option} {quote(value)}")
    if said.listener not in ("", said.checkpoint):
        words.append(f"--listener {_place(said.listener, known, 'LISTENER')}")
    if said.contexts != PAIRS:
        words.append(f"--count {said.contexts}")
    if said.seed:
        words.append(f"--seed {said.seed}")
    return " ".join([*words, *_encoder(run)])


def _encoder(run: SpeakerRun) -> list[str]:
    if run.encoder == NAMED[0]:
        return []
    return [f"--encoder {run.encoder if run.encoder in NAMED else 'FILE'}"]


def _place(digest: str, known: Mapping[str, str], otherwise: str) -> str:
    return quote(known[digest]) if digest in known else otherwise


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else quote(str(value))
