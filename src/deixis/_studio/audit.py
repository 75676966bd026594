"""The audit of a dataset, at `/d/{slug}/audit`: what it tests, and how its examples are spread, with links to them.

The scorecard and the charts are those of `deixis audit`, on a sample. The histograms are the choices of the gallery's
form with their counts, so that every bar leads to its examples.
"""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import JSONResponse
from starlette.routing import Route

from deixis._studio.filters import PageQuery
from deixis._studio.meanings import EVERY, NEEDS
from deixis._studio.pages import cache_pages, library_of, render
from deixis.audits.audit import CLAUSE, IMPLIED
from deixis.audits.run import audit_dataset
from deixis.report._audit_charts import audit_charts
from deixis.report._audit_need_charts import PHRASES
from deixis.report._audit_page import INTROS, TITLES, by_pattern, charts_markup, lead
from deixis.report._markup import percent
from deixis.report._palette import pattern_words
from deixis.report._scorecard import column_of, definitions_markup, scorecard_markup


if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from deixis._studio.filters import Listing
    from deixis._studio.library import Entry, Library
    from deixis.audits import Audit
    from deixis.report.chart import Chart


SAMPLE = 2_000  # examples that are judged
SMALL = 200  # for the first page
SEED = 0
MAX_KEPT = 16  # audits
MAX_BARS = 24  # of one histogram; the form has the others
TARGET = "target"
OF_PATTERNS = {  # charts whose bars are patterns, with what else the examples of a bar have
    "plot-every-word": {NEEDS: EVERY},
    "plot-bags": {},
    "plot-difficulty": {},
    "plot-reached": {},
}
_counting = Lock()
_kept: dict[tuple[str, int, int], Audit] = {}


class Bar(NamedTuple):
    """One bar of a histogram: its name, how many examples it stands for, their share, and where they are."""

    label: str
    examples: int
    share: float
    address: str


class Histogram(NamedTuple):
    """The examples by one thing that can be asked of them."""

    title: str
    bars: tuple[Bar, ...]
    left_out: int


def audit_page(request: Request) -> Response:
    """Show what a dataset tests."""
    library = library_of(request)
    entry = library.find_dataset(request.path_params["slug"])
    listing = _list_all(entry, library)  # first, since galleries of copies are not to depend on what can be audited
    audit = count_audit(entry)
    columns = [column_of(entry.title, audit)]
    addresses = BarAddresses(entry, audit, listing)
    charts = {
        name: [addresses.link(chart) for chart in some] for name, some in audit_charts({entry.title: audit}).items()
    }
    charts["skew"] = [*charts.get("skew", []), *charts.get("determiners", []), *charts.get("cells", [])]
    sections: list[tuple[str, str]] = [
        (title, charts_markup(charts[name], intro=INTROS[name])) for name, title in TITLES.items() if charts.get(name)
    ]
    if len(audit.patterns) > 1:
        sections.append(("By pattern", by_pattern(audit, caption=entry.title)))
    return render(
        request,
        "audit.html",
        title=f"Audit of {entry.title}",
        entry=entry,
        audit=audit,
        sampled=SAMPLE,
        lead=lead(audit),
        scorecard=scorecard_markup(columns) if columns[0].values else "",
        sections=sections,
        has_links=any(any(chart.links) for some in charts.values() for chart in some),
        definitions=definitions_markup(columns) if columns[0].values else "",
        histograms=_histograms(entry, listing),
    )


def count_audit(entry: Entry, *, sample: int = SAMPLE) -> Audit:
    """Return the audit of a sample of a dataset, counted once while the dataset stays the same."""
    key = (str(entry.path), entry.stamp, sample)
    with _counting:
        if key not in _kept:
            _kept[key] = audit_dataset(entry.path, sample=sample, seed=SEED, workers=1).audit
            while len(_kept) > MAX_KEPT:
                _kept.pop(next(iter(_kept)))
        return _kept[key]


def needed_words(request: Request) -> Response:
    """Return the share of words that are needed, on a small sample."""
    entry = library_of(request).find_dataset(request.path_params["slug"])
    audit = count_audit(entry, sample=SMALL)
    parts = [audit.words_needed(phrase) for phrase in ("target", "other")]
    of = sum(one.of for one in parts)
    share = sum(one.part for one in parts) / of if of else None
    words = None if share is None else percent(share)
    return JSONResponse({"share": share, "words": words, "examples": audit.judged})


class BarAddresses:
    """The addresses of the examples that bars of an audit's charts stand for, where the gallery can list them.

    A bar without such a filter has none: what a shortcut solves, say, or how the words for the target differ from those
    for other objects.
    """

    def __init__(self, entry: Entry, audit: Audit, listing: Listing) -> None:
        self.path = f"/d/{entry.slug}"
        self.known = {field.name: {one.value for one in field.choices if one.count} for field in listing.fields}
        self.patterns = {pattern_words(name): name for name in audit.patterns}
        phrases = {phrase for phrase, kind in audit.needed if kind != IMPLIED}
        kinds = {kind for _, kind in audit.needed if kind not in (IMPLIED, CLAUSE)}
        self.kinds = {f"{PHRASES[TARGET]} {kind}s": kind for kind in kinds} if phrases == {TARGET} else {}

    def link(self, chart: Chart) -> Chart:
        """Return a chart whose bars lead to their examples."""
        links = tuple(self._address(chart.name, label) for label in chart.labels)
        return replace(chart, links=links) if any(links) else chart

    def _address(self, name: str, label: str) -> str:
        query = self._query(name, label)
        is_known = bool(query) and all(value in self.known.get(field, ()) for field, value in query.items())
        return PageQuery(query).address(self.path) if is_known else ""

    def _query(self, name: str, label: str) -> dict[str, str]:
        if label in self.patterns and name in OF_PATTERNS:
            return {"pattern": self.patterns[label], **OF_PATTERNS[name]}
        if name == "plot-needed" and label == "clauses":
            return {NEEDS: CLAUSE}
        if name == "plot-needed" and label in self.kinds:
            return {NEEDS: self.kinds[label]}
        return {"relation": label} if name == "plot-relations" else {}


def _list_all(entry: Entry, library: Library) -> Listing:
    """Return the gallery without a filter, with everything counted."""
    entry.pages.count_all(entry)
    nothing: dict[str, Any] = {}
    return entry.pages.list_examples(entry, PageQuery(nothing), library)


def histograms_of(entry: Entry, library: Library) -> list[Histogram]:
    """Return the choices of the gallery of a dataset that are counted, as histograms."""
    return _histograms(entry, _list_all(entry, library))


def _histograms(entry: Entry, listing: Listing) -> list[Histogram]:
    found = []
    for field in listing.fields:
        counted = [(choice, choice.count) for choice in field.choices if choice.count]
        if not counted:
            continue
        most = max(count for _, count in counted)
        bars = tuple(
            Bar(choice.label, count, count / most, PageQuery({field.name: choice.value}).address(f"/d/{entry.slug}"))
            for choice, count in counted[:MAX_BARS]
        )
        found.append(Histogram(field.label, bars, max(len(counted) - MAX_BARS, 0)))
    return found


ROUTES = (
    Route("/d/{slug}/audit", cache_pages(audit_page)),
    Route("/d/{slug}/needed", needed_words),
)
