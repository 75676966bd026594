"""The page of an audit: what one or several datasets really test, on one HTML page that needs nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis._version import __version__
from deixis.audits._counting import ALL, CHANCE
from deixis.audits.audit import REPEATED
from deixis.data.store import replacing_file
from deixis.errors import RecipeError
from deixis.report._audit_charts import audit_charts
from deixis.report._figures_section import figures_charts, figures_sentences, figures_table
from deixis.report._markup import number, percent, text
from deixis.report._palette import MAX_DATASETS, pattern_words, role_of
from deixis.report._scorecard import column_of, definitions_markup, scorecard_markup
from deixis.report._skeleton import frame_page
from deixis.report._templates import render_part
from deixis.report.chart_html import chart_markup


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.audits import Audit, Share
    from deixis.audits.figures import Figure
    from deixis.audits.run import FurtherTable
    from deixis.report._scorecard import Column, PublishedAudit
    from deixis.report.chart import Chart


MOST_DATASETS = MAX_DATASETS  # as many as can be told apart by colour
INTROS = {
    "needed": "A word or clause is needed when the expression without it fits something else. Words that are not "
    "needed need not be understood, and a model that ignores them loses nothing.",
    "shortcuts": "A shortcut solves an example when what it keeps of the expression already picks out the "
    "target alone.",
    "competitors": "Every wrong object that fits when a part is overlooked punishes the oversight.",
    "chance": "A guess is the floor that every result has to be compared with; it should not depend on the words.",
    "skew": "What can be learnt about the target without reading a word of the expression.",
}
TITLES = {
    "needed": "Which words are needed",
    "shortcuts": "Shortcuts",
    "competitors": "Competitors and difficulty",
    "chance": "Chance",
    "skew": "What gives the answer away",
}


def write_audit_page(
    audits: Mapping[str, Audit],
    out: Path,
    *,
    published: PublishedAudit | None = None,
    shared: Sequence[str] | None = None,
    further: Mapping[str, Sequence[FurtherTable]] | None = None,
    notes: Mapping[str, Sequence[str]] | None = None,
    figures: Mapping[str, Mapping[str, Figure]] | None = None,
) -> Path:
    """Write audits as one HTML file.

    Equal audits give equal bytes.

    Args:
        audits: by the name of the dataset, in the order in which to show them.
        out: the file to write; it is replaced only when all went well.
        published: what is known of other data, to show beside them.
        shared: what the datasets have in common, a sentence each; None where nobody looked.
        further: what only the world of a dataset measures, by the name of the dataset.
        notes: whatever else there is to say of a dataset, a sentence each.
        figures: measures of any examples, by the name of the dataset.

    Returns:
        `out`.

    Raises:
        RecipeError: when there are no datasets, or more than can be told apart.
    """
    if not 1 <= len(audits) <= MOST_DATASETS:
        raise RecipeError(f"an audit page shows 1 to {MOST_DATASETS} datasets side by side, got {len(audits)}")
    own = _own(audits, further or {}, notes or {})
    page = _page(audits, beside=published, shared=shared, own=own, figures=figures or {})
    with replacing_file(out) as draft:
        draft.write_text(page, encoding="utf-8", newline="\n")
    return out


def charts_markup(charts: Sequence[Chart], *, intro: str = "") -> str:
    """Return charts side by side where there is room, and those with many rows in the whole width."""
    drawn = [chart_markup(chart, is_broad=chart.marks == "tiles" or bool(chart.groups)) for chart in charts]
    return render_part("audit.html", "charts", intro=intro, drawn=drawn) if drawn else ""


def _own(
    audits: Mapping[str, Audit], further: Mapping[str, Sequence[FurtherTable]], notes: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, str]]:
    """A section for every dataset whose world measures something of its own."""
    sections = {}
    for place, name in enumerate(audits):
        parts = [
            (chart_markup(replace(one.plot, name=f"{one.plot.name}-{place}")) if one.plot is not None else "", one)
            for one in further.get(name, ())
        ]
        if parts or notes.get(name):
            body = render_part("audit.html", "further", notes=notes.get(name, ()), parts=parts)
            sections[f"further-{place}"] = (text(f"Only of {name}"), body)
    return sections


def _page(
    audits: Mapping[str, Audit],
    *,
    beside: PublishedAudit | None,
    shared: Sequence[str] | None,
    own: Mapping[str, tuple[str, str]],
    figures: Mapping[str, Mapping[str, Figure]],
) -> str:
    columns = [column_of(name, audit) for name, audit in audits.items()]
    shown = [beside.column, *columns] if beside else columns
    charts = audit_charts(audits, beside=beside)
    charts["skew"] = [*charts.get("skew", []), *charts.get("determiners", []), *charts.get("cells", [])]
    datasets = [
        (name, role_of(place), _paragraphs(audit, figures.get(name)))
        for place, (name, audit) in enumerate(audits.items())
    ]
    every = {name: figures.get(name, {}) for name in audits} if figures else {}
    sections = {
        "words": ("In words", render_part("audit.html", "leads", datasets=datasets)),
        "scorecard": ("Scorecard", scorecard_markup(shown) + _source(beside) if _has_measures(shown) else ""),
        "any": ("Of any examples", figures_table(every) + charts_markup(figures_charts(every)) if every else ""),
    }
    sections |= {
        name: (title, charts_markup(charts.get(name, ()), intro=INTROS[name])) for name, title in TITLES.items()
    }
    patterns = "".join(by_pattern(audit, caption=name) for name, audit in audits.items() if len(audit.patterns) > 1)
    sections |= own
    sections |= {
        "patterns": ("By pattern", patterns),
        "repeats": ("Repeats and leaks", _repeats(audits, shared)),
        "left-out": ("Left out", _left_out(audits, has_figures=bool(figures))),
        "definitions": ("Definitions", definitions_markup(shown)),
    }
    return frame_page(
        title=f"Audit of {', '.join(audits)}",
        header=_header(audits),
        sections=sections,
        footer=render_part("parts.html", "footer", version=__version__),
        styles=("report.css", "audit.css"),
    )


def _header(audits: Mapping[str, Audit]) -> str:
    counts = [f"{name}: {number(audit.examples)} examples" for name, audit in audits.items()]
    title, tiles = f"What {len(audits)} datasets test", []
    if len(audits) == 1:
        ((name, audit),) = audits.items()
        title, counts, tiles = f"What {name} tests", [f"{number(audit.examples)} examples"], _tiles(audit)
    about = [" · ".join(counts)]
    return render_part("parts.html", "header", kicker="Deixis · audit", title=title, about=about, tiles=tiles)


def _tiles(audit: Audit) -> list[tuple[str, str]]:
    found = {
        "of words needed": audit.words_needed().share,
        "of clauses needed": audit.clauses_needed().share,
        "of examples need every word": audit.all_words_needed().share,
        "solved by a bag of words": _bag(audit),
        "errors by one oversight": audit.difficulty(),
    }
    return [(what, percent(share)) for what, share in found.items() if share is not None]


def _bag(audit: Audit) -> float | None:
    found = audit.shortcut_shares().get("bag of words")
    return found.share if found is not None else None


def _source(known: PublishedAudit | None) -> str:
    if known is None:
        return ""
    count = known.column.about.split()[0]
    said = f"Hatched: published, or measured on the released test set of {count} examples ({known.source})."
    return render_part("audit.html", "source", said=said)


def lead(audit: Audit) -> str:
    """A summary of what a dataset tests, in a few sentences."""
    return render_part("audit.html", "lead", paragraphs=_paragraphs(audit))


def by_pattern(audit: Audit, *, caption: str) -> str:
    """The key figures of every pattern of one dataset."""
    head = ["pattern", "examples", "words of the target", "words of the others", "clauses", "every word needed"]
    head += ["bag of words solves", "an oversight errs", "objects", "chance"]
    rows = []
    for pattern, examples in audit.patterns.items():
        chance = audit.chance_by_pattern[pattern]
        needed = (
            audit.words_needed("target", pattern),
            audit.words_needed("other", pattern),
            audit.clauses_needed(pattern),
            audit.all_words_needed(pattern),
            audit.shortcut_shares(pattern).get("bag of words"),
        )
        rest = [_percent(audit.difficulty(pattern)), f"{chance.objects:.1f}", percent(chance.chance)]
        rows.append([pattern_words(pattern), number(examples), *map(_share, needed), *rest])
    return render_part("parts.html", "table", heads=head, rows=rows, caption=caption, numeric=range(1, len(head)))


def _repeats(audits: Mapping[str, Audit], shared: Sequence[str] | None) -> str:
    """For each dataset and split, what is repeated within it, in training, and in another dataset."""
    kinds = tuple(REPEATED)
    heads = ["dataset", "split", "examples", *(f"{called} twice" for called in REPEATED.values())]
    heads += [f"{called} also in train" for called in REPEATED.values()] + ["held out by a rule"]
    rows = []
    for name, audit in audits.items():
        for (split,), examples in sorted(audit.splits.items(), key=lambda entry: _split_order(entry[0][0])):
            within = [number(audit.repeats.get((kind, split, split), 0)) for kind in kinds]
            in_train = [
                "–" if split == "train" else number(audit.repeats.get((kind, split, "train"), 0)) for kind in kinds
            ]
            broken = sum(count for (_, place), count in audit.held_out.items() if place == split)
            held = number(broken) if split in ("train", "dev", "test") else "–"
            rows.append([name, split, number(examples), *within, *in_train, held])
    between = [] if shared is None or len(audits) < 2 else [f"{one}." for one in shared]
    if shared is not None and len(audits) > 1 and not between:
        between = ["No example is in two of the datasets."]
    if not rows and not between:
        return ""
    return render_part("audit.html", "repeats", heads=heads, rows=rows, shared=between)


def _left_out(audits: Mapping[str, Audit], *, has_figures: bool) -> str:
    """The numbers of examples that were not judged, by reason."""
    rows = [
        [name, reason, number(count), percent(count / audit.examples)]
        for name, audit in audits.items()
        for (reason,), count in sorted(audit.unjudged.items())
    ]
    return render_part("audit.html", "left_out", rows=rows, has_figures=has_figures)


def _has_measures(columns: Sequence[Column]) -> bool:
    return any(column.values for column in columns)


def _paragraphs(audit: Audit, figures: Mapping[str, Figure] | None = None) -> list[str]:
    """The sentences of the summary, main numbers between double asterisks; none where nothing was measured."""
    said = [_on_need(audit), _on_shortcuts(audit), _on_giveaways(audit)] if audit.judged else []
    said += [figures_sentences(figures, is_judged=bool(audit.judged))] if figures else []
    return [paragraph for sentences in said if (paragraph := " ".join(sentences))]


def _on_need(audit: Audit) -> Iterator[str]:
    target, other, clauses = audit.words_needed("target"), audit.words_needed("other"), audit.clauses_needed()
    if audit.judged < audit.examples:
        yield f"Meanings are judged in {number(audit.judged)} of {number(audit.examples)} examples."
    if target.of:
        said = f"Of the words of the target’s phrase {_strong(target)} are needed to find it"
        said += f", of the words of the other phrases {_strong(other)}" if other.of else ""
        yield said + (f", of the clauses {_strong(clauses)}." if clauses.of else ".")
    matter, words = audit.words_that_matter
    whole = audit.all_words_needed()
    if words:
        yield f"An expression has {words:.1f} content words, of which {matter:.1f} matter; in {_strong(whole)} of the "
        yield "examples all of them do."
    both = audit.colour_and_shape().get("both needed")
    if both is not None and both.of:
        yield f"Where a colour and a noun are said of the target, both are needed in {_strong(both)}."
    moving = [f"‘{verb}’ in {_strong(share)}" for verb, share in sorted(audit.moving.items(), reverse=True) if share.of]
    if moving:
        yield f"Of the examples that say so, something moves at {', at '.join(moving)}."


def _on_shortcuts(audit: Audit) -> Iterator[str]:
    solved = {name: share for name, share in audit.shortcut_shares().items() if share.of}
    if "noun alone" in solved and "noun phrase alone" in solved:
        noun, phrase = solved["noun alone"], solved["noun phrase alone"]
        yield f"The noun alone finds the target in {_strong(noun)}, the phrase without its clauses in {_strong(phrase)}"
        bag = solved.get("bag of words")
        yield f"of the examples; the words in any order do in {_strong(bag)}." if bag else "of the examples."
    error = audit.difficulty()
    if error is not None:
        yield f"A reader who overlooks one word or clause errs in {_bold(percent(error))}."


def _on_giveaways(audit: Audit) -> Iterator[str]:
    chance = audit.chance_overall
    blind = audit.reading_nothing
    if chance is not None:
        yield f"There are {chance.objects:.1f} objects to choose from, so a guess is right in "
        yield f"{_bold(percent(chance.chance))}."
    if ALL in blind and CHANCE in blind:
        yield f"Looking without reading raises that from {percent(blind[CHANCE])} to {_bold(percent(blind[ALL]))}."
    skew = audit.skew
    if skew:
        name = max(skew, key=lambda feature: (skew[feature].net, feature))
        feature = "colour" if name == "color" else name
        yield f"What tells most about the target is the {feature} of an object, {skew[name].net:.3f} bits."


def _strong(share: Share | None) -> str:
    return _bold(_share(share))


def _bold(value: str) -> str:
    return f"**{value}**"


def _share(share: Share | None) -> str:
    return _percent(None if share is None else share.share)


def _percent(value: float | None) -> str:
    return "–" if value is None else percent(value)


def _split_order(name: str) -> tuple[int, str]:
    known = ("train", "dev", "test")
    return (known.index(name) if name in known else len(known), name)
