"""The results page: how well models do, where they go wrong, and the examples behind every number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

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
from deixis._studio.verdicts import SHOWN, Side, VerdictFilter, cards_of, compare, facets_of, rows_of, verdicts_of
from deixis._studio.world_pages import all_pages, world_pages
from deixis.errors import SchemaError, UnknownName
from deixis.judge.uncertainty import wilson


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from deixis._studio.library import Library


PAGE = 12  # examples at a time
LAST_PAGE = 100_000
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
        subjects=[shown_of(subject) for subject in subjects],
        broken=broken,
        link=_link,
    )


def examples(request: Request) -> Response:
    """The examples behind a number."""
    library = library_of(request)
    asked = _values_of(request)
    judged = find_model_results(library, asked.get("run", ""))
    dataset = dataset_of(library, judged)
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
    paging = _paging(asked, len(rows))
    here = rows[paging.start : paging.stop]
    cards = cards_of([Side(judged, verdicts)], [here], dataset)
    here_only = {"run": judged.key, **_query_of(wanted)}
    return render(
        request,
        "results_examples.html",
        title=f"{judged.model}: examples",
        judged=judged,
        dataset=dataset,
        verdicts=verdicts,
        wanted=wanted,
        facets=facets_of(verdicts, wanted),
        cards=cards,
        paging=paging,
        address="/results/examples",
        query=here_only,
        link=_link,
        part_word=judged.words.part,
    )


def comparison(request: Request) -> Response:
    """Two models, example by example."""
    library = library_of(request)
    asked = _values_of(request)
    first, second = (find_model_results(library, asked.get(side, "")) for side in ("a", "b"))
    if first.subject != second.subject:
        raise SchemaError(f"{first.model} and {second.model} were not asked the same, so they cannot be compared")
    dataset = dataset_of(library, first)
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
    quarters = both.quarters
    show = _one_of("choice", asked.get("show") or "a", QUARTERS)
    chosen = quarters[show]
    rows = [both.first[chosen], both.second[chosen]]
    paging = _paging(asked, len(rows[0]))
    counts = {name: int(found.sum()) for name, found in quarters.items()}
    disagreed = counts["a"] + counts["b"]
    return render(
        request,
        "results_compare.html",
        title=f"{first.model} and {second.model}",
        judged=first,
        other=second,
        measures={measure: first.measures[measure] for measure in measures},
        labels=labels_of((first, second)),
        dataset=dataset,
        cards=cards_of(sides, [some[paging.start : paging.stop] for some in rows], dataset),
        counts=counts,
        total=len(both.first),
        edge=wilson(counts["a"], disagreed) if disagreed else None,
        quarters=QUARTERS,
        show=show,
        measure=measure,
        part=part,
        parts=shared,
        paging=paging,
        address="/results/compare",
        query={"a": first.key, "b": second.key, "measure": measure, "split": part, "show": show},
        link=_link,
        part_word=first.words.part,
    )


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
