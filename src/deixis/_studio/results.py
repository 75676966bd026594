"""The results page: how well models do, where they go wrong, and the examples behind every number."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from markupsafe import Markup
from starlette.responses import Response
from starlette.routing import Route

from deixis._studio._result_tables import (
    cell_of,
    charts_of,
    confusion_of,
    groups_of,
    labels_of,
    outcomes_of,
    shown_of,
    subjects_of,
)
from deixis._studio.model_results import dataset_of, find_model_results, read_model_results
from deixis._studio.pages import cache_pages, library_of, render
from deixis._studio.score_tables import as_latex, as_score_csv, chart_of, table_of_model, table_of_subject
from deixis._studio.verdicts import SHOWN, Side, VerdictFilter, cards_of, compare, facets_of, rows_of, verdicts_of
from deixis._studio.world_pages import all_pages, world_pages
from deixis.errors import SchemaError, UnknownName
from deixis.judge.uncertainty import wilson
from deixis.report.chart_html import chart_markup


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from starlette.requests import Request

    from deixis._studio._result_tables import Subject
    from deixis._studio.library import Entry, Library
    from deixis._studio.score_tables import ScoreTable
    from deixis._studio.verdicts import Comparison, ResultCard
    from deixis.report.chart import Chart


PAGE = 12  # examples at a time
LAST_PAGE = 100_000
AMONG, PLACE, MAX_DIGITS = "among", "at", 9  # in the addresses of examples behind a number
FORMS = {"csv": (as_score_csv, "text/csv"), "tex": (as_latex, "application/x-tex")}
QUARTERS = {"both": "both right", "a": "only A right", "b": "only B right", "neither": "both wrong"}


# -------------------------------------------------------------------------------- pages


def overview(request: Request) -> Response:
    """All results, or those of one model."""
    library = library_of(request)
    asked = _values_of(request)
    if asked.get("run"):
        return _one(request, library, asked["run"])
    found, broken = read_model_results(library)
    measure = _one_of("measure", asked.get("measure", ""), ("", *_every_measure()))
    subjects = subjects_of(library, found, measure=measure, part=asked.get("split", ""))
    return render(
        request,
        "results.html",
        title="Results",
        subjects=[{**shown_of(subject), **_scores_of(subject)} for subject in subjects],
        broken=broken,
        link=_link,
    )


def _scores_of(subject: Subject) -> dict[str, Any]:
    """A chart of the scores of a subject, published ones, and what is saved."""
    published = world_pages(subject.world).published_scores(subject.measure)
    table = table_of_subject(subject, published)
    return {
        "scored": table,
        "chart": _markup(chart_of(table, published)),
        "saved": _files_of({"on": subject.name, "measure": subject.measure}) if table.own else [],
    }


def scores(request: Request) -> Response:
    """Scores that a page of results shows, as CSV or LaTeX."""
    library = library_of(request)
    asked = _values_of(request)
    form = request.path_params["form"]
    if form not in FORMS:
        raise UnknownName(f"scores are saved as {' or '.join(FORMS)}, not as {form[:20]!r}")
    table = _asked_table(library, asked)
    write, kind = FORMS[form]
    headers = {"content-disposition": f'attachment; filename="scores.{form}"'}
    return Response(write(table), media_type=kind, headers=headers)


def _asked_table(library: Library, asked: Mapping[str, str]) -> ScoreTable:
    if asked.get("run"):
        return table_of_model(find_model_results(library, asked["run"]))
    found, _ = read_model_results(library)
    measure = _one_of("measure", asked.get("measure", ""), ("", *_every_measure()))
    subjects = {one.name: one for one in subjects_of(library, found, measure=measure)}
    subject = subjects[_one_of("dataset", asked.get("on", ""), subjects)]
    return table_of_subject(subject, world_pages(subject.world).published_scores(subject.measure))


def _files_of(query: Mapping[str, str]) -> list[tuple[str, str]]:
    """What scores can be saved as: names and addresses."""
    return [(name, _link(f"/results/scores.{form}", query)) for name, form in (("CSV", "csv"), ("LaTeX", "tex"))]


def _markup(chart: Chart | None) -> Markup:
    return Markup(chart_markup(chart, is_broad=True)) if chart else Markup()  # noqa: S704 (escaped by its templates)


class Behind(NamedTuple):
    """The examples behind a number, of one model or of two.

    Attributes:
        sides: the models.
        rows: for each of them, which of its verdicts are on these examples: int64 [example].
        dataset: where the examples are, if it is at hand.
        address: of the page that lists them.
        query: what that page is asked for.
    """

    sides: list[Side]
    rows: list[np.ndarray]
    dataset: Entry | None
    address: str
    query: dict[str, str]

    def cards(self, start: int, stop: int) -> Sequence[ResultCard]:
        """Cards of some of them, whose links know where they stand among all."""
        listed = cards_of(self.sides, [some[start:stop] for some in self.rows], self.dataset)
        return [
            replace(card, link=_with_query(card.link, {"in": self.place(start + number)})) if card.link else card
            for number, card in enumerate(listed)
        ]

    def place(self, number: int) -> str:
        """Return the place of an example as its address says it, for `find_place`."""
        return urlencode({AMONG: _link("", self.query).removeprefix("?"), PLACE: number})


def examples(request: Request) -> Response:
    """The examples behind a number."""
    library = library_of(request)
    asked = _values_of(request)
    behind, wanted = _behind_score(library, asked)
    (side,) = behind.sides
    paging = _paging(asked, len(behind.rows[0]))
    return render(
        request,
        "results_examples.html",
        title=f"{side.judged.model}: examples",
        judged=side.judged,
        dataset=behind.dataset,
        verdicts=side.verdicts,
        wanted=wanted,
        facets=facets_of(side.verdicts, wanted),
        cards=behind.cards(paging.start, paging.stop),
        paging=paging,
        address=behind.address,
        query=behind.query,
        link=_link,
        part_word=side.judged.words.part,
    )


def _behind_score(library: Library, asked: Mapping[str, str]) -> tuple[Behind, VerdictFilter]:
    """Return the examples behind a score of one model, and what is wanted of them."""
    judged = find_model_results(library, asked.get("run", ""))
    verdicts = verdicts_of(judged)
    wanted = VerdictFilter(
        measure=_one_of("measure", asked.get("measure") or next(iter(judged.measures)), judged.measures),
        part=_one_of(judged.words.part, asked.get("split", ""), ("", *verdicts.parts)),
        show=_one_of("choice", asked.get("show") or "wrong", SHOWN),  # type: ignore[arg-type]
        outcome=asked.get("outcome", ""),
        role=asked.get("role", ""),
        misreading=asked.get("misreading") or asked.get("missed", ""),
    )
    rows = rows_of(verdicts, wanted)
    if not len(rows) and not asked.get("show"):  # a model that gets nothing wrong has other examples to show
        wanted = wanted._replace(show="all")
        rows = rows_of(verdicts, wanted)
    query = {"run": judged.key, **_query_of(wanted)}
    dataset = dataset_of(library, judged)
    return Behind([Side(judged, verdicts)], [rows], dataset, "/results/examples", query), wanted


class ComparisonChoice(NamedTuple):
    """The measure, the part and the quarter by which two models are compared, and what there is to choose from."""

    measures: list[str]
    measure: str
    parts: list[str]
    part: str
    show: str
    both: Comparison


def comparison(request: Request) -> Response:
    """Two models, example by example."""
    library = library_of(request)
    asked = _values_of(request)
    behind, by = _behind_comparison(library, asked)
    first, second = (side.judged for side in behind.sides)
    counts = {name: int(found.sum()) for name, found in by.both.quarters.items()}
    disagreed = counts["a"] + counts["b"]
    paging = _paging(asked, len(behind.rows[0]))
    return render(
        request,
        "results_compare.html",
        title=f"{first.model} and {second.model}",
        judged=first,
        other=second,
        measures={measure: first.measures[measure] for measure in by.measures},
        labels=labels_of((first, second)),
        dataset=behind.dataset,
        cards=behind.cards(paging.start, paging.stop),
        counts=counts,
        total=len(by.both.first),
        edge=wilson(counts["a"], disagreed) if disagreed else None,
        quarters=QUARTERS,
        show=by.show,
        measure=by.measure,
        part=by.part,
        parts=by.parts,
        paging=paging,
        address=behind.address,
        query=behind.query,
        link=_link,
        part_word=first.words.part,
    )


def _behind_comparison(library: Library, asked: Mapping[str, str]) -> tuple[Behind, ComparisonChoice]:
    """Return the examples behind a quarter of a comparison, and what is compared."""
    first, second = (find_model_results(library, asked.get(side, "")) for side in ("a", "b"))
    if first.subject != second.subject:
        raise SchemaError(f"{first.model} and {second.model} were not asked the same, so they cannot be compared")
    sides = [Side(one, verdicts_of(one)) for one in (first, second)]
    measures = [measure for measure in first.measures if measure in second.measures]
    if not measures:
        raise SchemaError(f"{first.model} and {second.model} had different tasks, so no measure fits both")
    said = asked.get("measure", "")
    is_known = said in ("", *_every_measure())
    measure = said if said in measures else _one_of("measure", measures[0] if is_known else said, measures)
    shared = [part for part in sides[0].verdicts.parts if part in sides[1].verdicts.parts]
    part = _one_of(first.words.part, asked.get("split", ""), ("", *shared))
    both = compare(sides[0].verdicts, sides[1].verdicts, measure=measure, part=part)
    show = _one_of("choice", asked.get("show") or "a", QUARTERS)
    chosen = both.quarters[show]
    query = {"a": first.key, "b": second.key, "measure": measure, "split": part, "show": show}
    rows = [both.first[chosen], both.second[chosen]]
    behind = Behind(sides, rows, dataset_of(library, first), "/results/compare", query)
    return behind, ComparisonChoice(measures, measure, shared, part, show, both)


def _with_query(address: str, query: Mapping[str, str]) -> str:
    """Return an address with further values in its query."""
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


class ResultPlace(NamedTuple):
    """The place of an example among those behind a number: see `deixis._studio.gallery.Way`."""

    back: str
    place: int
    total: int
    before: str
    after: str


def find_place(library: Library, carried: str, here: str) -> ResultPlace | None:
    """Return where an example stands among those behind a number, or None if it does not stand there.

    Args:
        library: where the results are.
        carried: what `Behind.place` wrote.
        here: the address of the example.

    Raises:
        DeixisError: when there are no such results.
    """
    said = dict(parse_qsl(carried))
    number = said.get(PLACE, "")
    if not (number.isascii() and number.isdecimal() and len(number) <= MAX_DIGITS):
        return None
    asked = dict(parse_qsl(said.get(AMONG, "")))
    behind, _ = _behind_comparison(library, asked) if "a" in asked else _behind_score(library, asked)
    place, total = int(number), len(behind.rows[0])
    if place >= total:
        return None
    first = max(place - 1, 0)
    near = dict(enumerate(behind.cards(first, place + 2), start=first))
    if near[place].link.partition("?")[0] != here:
        return None
    before, after = (near[at].link if at in near else "" for at in (place - 1, place + 1))
    back = _link(behind.address, behind.query, page=place // PAGE + 1 if place >= PAGE else "")
    return ResultPlace(back, place + 1, total, before, after)


def _one(request: Request, library: Library, key: str) -> Response:
    """Everything about one model."""
    judged = find_model_results(library, key)
    mistaken = [part for part in judged.scores if part in judged.misreadings]
    return render(
        request,
        "results_run.html",
        title=judged.model,
        judged=judged,
        dataset=dataset_of(library, judged),
        about=world_pages(judged.world).about_inside,
        part_word=judged.words.part,
        cells={
            part: {measure: cell_of(found) for measure, found in scores.items()}
            for part, scores in judged.scores.items()
        },
        groups=groups_of(judged),
        outcomes=outcomes_of(judged),
        outcome_names=list(dict.fromkeys(name for found in judged.outcomes.values() for name in found if found[name])),
        charts=charts_of({judged.model: judged}),
        chart=_markup(chart_of(table_of_model(judged))) if judged.scores else "",
        saved=_files_of({"run": judged.key}) if judged.scores else [],
        mistaken=mistaken,
        confusions=[
            confusion_of(judged.words, "misreading", [judged.misreadings[part] for part in mistaken]),
            confusion_of(judged.words, "role", [judged.roles.get(part, {}) for part in mistaken]),
        ],
        link=_link,
    )


ROUTES = (
    Route("/results", cache_pages(overview)),
    Route("/results/examples", cache_pages(examples)),
    Route("/results/compare", cache_pages(comparison)),
    Route("/results/scores.{form}", scores),
)


# -------------------------------------------------------------------------------- what was asked


def _every_measure() -> Iterable[str]:
    return dict.fromkeys(measure for pages in all_pages() for measure in pages.results.measures)


def _values_of(request: Request) -> dict[str, str]:
    return {name: value.strip()[:200] for name, value in request.query_params.items()}


def _one_of(what: str, said: str, known: Iterable[str]) -> str:
    names = list(known)
    if said not in names:
        raise UnknownName(f"there is no {what} {said[:60]!r} here; there is {', '.join(filter(None, names)) or 'none'}")
    return said


class Paging(NamedTuple):
    """The page of many examples that is shown, counted from 1."""

    page: int
    pages: int
    total: int

    @property
    def start(self) -> int:
        """The first that is shown."""
        return (self.page - 1) * PAGE

    @property
    def stop(self) -> int:
        """The one after the last that is shown."""
        return min(self.page * PAGE, self.total)


def _paging(asked: Mapping[str, str], total: int) -> Paging:
    said = asked.get("page") or "1"
    if not said.isascii() or not said.isdigit() or not 1 <= int(said[:9]) <= LAST_PAGE:
        raise UnknownName(f"there is no page {said[:20]!r}; pages are counted from 1")
    pages = max(1, -(-total // PAGE))
    return Paging(min(int(said[:9]), pages), pages, total)


def _query_of(wanted: VerdictFilter) -> dict[str, str]:
    return {"split" if name == "part" else name: value for name, value in wanted._asdict().items()}


def _link(address: str, query: Mapping[str, Any] | None = None, /, **changed: Any) -> str:
    """An address with a query; what is empty is left out."""
    values = {name: value for name, value in {**(query or {}), **changed}.items() if value not in ("", None)}
    return f"{address}?{urlencode(values)}" if values else address


# -------------------------------------------------------------------------------- tables and charts
