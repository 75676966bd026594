"""The results page: how well models do, where they go wrong, and the examples behind every number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from starlette.routing import Route

from deixis.errors import SchemaError, UnknownName
from deixis.metrics.uncertainty import wilson
from deixis.studio.judged import MEASURES, dataset_of, find_judged, read_judged
from deixis.studio.pages import library_of, render
from deixis.studio.result_cards import Side, cards_of
from deixis.studio.result_tables import (
    PARTS,
    WORLDS,
    cell_of,
    charts_of,
    confusion_of,
    groups_of,
    labels_of,
    outcomes_of,
    shown_of,
    subjects_of,
)
from deixis.studio.verdict_files import verdicts_of
from deixis.studio.verdicts import SHOWN, Wanted, compare, facets_of, rows_of


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from deixis.studio.library import Library


__all__ = ["ROUTES"]

PAGE = 12  # examples at a time
LAST_PAGE = 100_000
QUARTERS = {"both": "both right", "a": "only A right", "b": "only B right", "neither": "both wrong"}


# -------------------------------------------------------------------------------- pages


def overview(request: Request) -> Response:
    """All results, or those of one model."""
    library = library_of(request)
    library.refresh()
    asked = _asked(request)
    if asked.get("run"):
        return _one(request, library, asked["run"])
    found, broken = read_judged(library)
    every = dict.fromkeys(measure for world in MEASURES.values() for measure in world)
    measure = _one_of("measure", asked.get("measure", ""), ("", *every))
    subjects = subjects_of(library, found, measure=measure, part=asked.get("split", ""))
    return render(
        request,
        "results.html",
        title="Results",
        subjects=[shown_of(subject) for subject in subjects],
        broken=broken,
        worlds=WORLDS,
        parts_of=PARTS,
        link=_link,
    )


def examples(request: Request) -> Response:
    """The examples behind a number."""
    library = library_of(request)
    asked = _asked(request)
    judged = find_judged(library, asked.get("run", ""))
    dataset = dataset_of(library, judged)
    verdicts = verdicts_of(judged, dataset)
    wanted = Wanted(
        measure=_one_of("measure", asked.get("measure") or next(iter(judged.measures)), judged.measures),
        part=_one_of(PARTS[judged.world], asked.get("split", ""), ("", *verdicts.parts)),
        show=_one_of("choice", asked.get("show") or "wrong", SHOWN),  # type: ignore[arg-type]
        outcome=asked.get("outcome", ""),
        role=asked.get("role", ""),
        missed=asked.get("missed", ""),
    )
    rows = rows_of(verdicts, wanted)
    if not len(rows) and not asked.get("show"):  # a model that gets nothing wrong has other examples to show
        wanted = wanted._replace(show="all")
        rows = rows_of(verdicts, wanted)
    paging = _paging(asked, len(rows))
    here = rows[paging.start : paging.stop]
    cards = cards_of([Side(judged, verdicts)], [here], dataset, library)
    here_only = {"run": judged.key, **_said(wanted)}
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
        part_word=PARTS[judged.world],
    )


def comparison(request: Request) -> Response:
    """Two models, example by example."""
    library = library_of(request)
    asked = _asked(request)
    first, second = (find_judged(library, asked.get(side, "")) for side in ("a", "b"))
    if first.subject != second.subject:
        raise SchemaError(f"{first.model} and {second.model} were not asked the same, so they cannot be compared")
    dataset = dataset_of(library, first)
    sides = [Side(one, verdicts_of(one, dataset)) for one in (first, second)]
    measure = _one_of("measure", asked.get("measure") or next(iter(first.measures)), first.measures)
    shared = [part for part in sides[0].verdicts.parts if part in sides[1].verdicts.parts]
    part = _one_of(PARTS[first.world], asked.get("split", ""), ("", *shared))
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
        labels=labels_of((first, second)),
        dataset=dataset,
        cards=cards_of(sides, [some[paging.start : paging.stop] for some in rows], dataset, library),
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
        part_word=PARTS[first.world],
    )


def _one(request: Request, library: Library, key: str) -> Response:
    """Everything about one model."""
    judged = find_judged(library, key)
    mistaken = [part for part in judged.scores if part in judged.missed]
    return render(
        request,
        "results_run.html",
        title=judged.model,
        judged=judged,
        dataset=dataset_of(library, judged),
        world=WORLDS[judged.world],
        part_word=PARTS[judged.world],
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
            confusion_of(judged.world, "missed", [judged.missed[part] for part in mistaken]),
            confusion_of(judged.world, "role", [judged.roles[part] for part in mistaken]),
        ],
        link=_link,
    )


ROUTES = (
    Route("/results", overview),
    Route("/results/examples", examples),
    Route("/results/compare", comparison),
)


# -------------------------------------------------------------------------------- what was asked


def _asked(request: Request) -> dict[str, str]:
    return {name: value.strip()[:200] for name, value in request.query_params.items()}


def _one_of(what: str, said: str, known: Iterable[str]) -> str:
    names = list(known)
    if said not in names:
        raise UnknownName(f"there is no {what} {said[:60]!r} here; there is {', '.join(filter(None, names)) or 'none'}")
    return said


class Paging(NamedTuple):
    """Which of many examples are shown; pages are counted from 1."""

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


def _said(wanted: Wanted) -> dict[str, str]:
    return {"split" if name == "part" else name: value for name, value in wanted._asdict().items()}


def _link(address: str, query: Mapping[str, Any] | None = None, /, **changed: Any) -> str:
    """An address with a query; what is empty is left out."""
    values = {name: value for name, value in {**(query or {}), **changed}.items() if value not in ("", None)}
    return f"{address}?{urlencode(values)}" if values else address
