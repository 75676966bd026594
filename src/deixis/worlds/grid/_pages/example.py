"""The page of one example of a grid world: its command, target, resolution and plan."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.routing import Route

from deixis._studio.example_answers import ModelAnswer, spot_of
from deixis._studio.gallery import find_way
from deixis._studio.pages import library_of, render
from deixis._studio.provenance import Fact, place_in, provenance_of
from deixis.data.checks import select_codes
from deixis.errors import DeixisError, SchemaError, UnknownName
from deixis.report._palette import pattern_words
from deixis.worlds.grid._pages.film import Inks, draw_board, find_film, find_way_points
from deixis.worlds.grid._pages.results import answers_to
from deixis.worlds.grid._pages.shelf import grid_rows
from deixis.worlds.grid._pages.story import objects_of, story_of
from deixis.worlds.grid._report.explain import plan_words
from deixis.worlds.grid._report.gallery import marks_of
from deixis.worlds.grid.actions import plan_to_letters
from deixis.worlds.grid.checks import CHECKS, check_tables
from deixis.worlds.grid.data.table import example_at, rows_of
from deixis.worlds.grid.draw import Look, Marks, animate_gif, draw_png, draw_svg, path_of


if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from deixis._studio.library import Entry
    from deixis.data.checks import Finding
    from deixis.worlds.grid._pages.results import Answer
    from deixis.worlds.grid._pages.story import ShownObject, Story
    from deixis.worlds.grid.actions import Plan
    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.data.table import Table
    from deixis.worlds.grid.navigate import Example


BESIDE_CELL = 56  # of two boards side by side
FILM_CELL = 44  # of a GIF, which takes its time
LONGEST_FILM = 120  # actions
TYPES = {"svg": "image/svg+xml", "png": "image/png", "gif": "image/gif", "json": "application/json"}
OF_MANY = ("E002", "E204")  # checks of rows that a single row cannot answer: they need the files or the recipe


class Place(NamedTuple):
    """The place of an example: its split, and its neighbours there."""

    split: str
    before: int | None
    after: int | None


class CheckResult(NamedTuple):
    """The checks of one example: every code that was asked, with its findings."""

    code: str
    message: str
    detail: str
    kind: str  # good, note, fair or bad


def example_page(request: Request, entry: Entry, number: int) -> Response:
    """Show everything about one example.

    Raises:
        UnknownName: when the dataset has no example of this number.
        BrokenDataset: when the example cannot be read.
    """
    row, example = _read_example(entry, number)
    source: Source = entry.data
    story, fault = _find_story(example)
    shown = objects_of(example, story)
    inks = Inks()
    film = find_film(example.scene, example.plan)
    place = _place(source, number, example.split)
    split = place.split.partition("+")[0]
    return render(
        request,
        "grid/example.html",
        title=f"{entry.title}, example {number}",
        here=f"example {number:,}",
        entry=entry,
        number=number,
        within=(place.split, f"/d/{entry.slug}?{urlencode({'split': split})}") if split else None,
        before="" if place.before is None else f"/d/{entry.slug}/{place.before}",
        after="" if place.after is None else f"/d/{entry.slug}/{place.after}",
        way=find_way(request, entry, number),
        example=example,
        chip_words=_chips(example),
        story=story,
        fault=fault,
        shown=shown,
        led=_list_misreadings(shown),
        board=draw_board(example.scene, marks_of(example), inks, title=example.text),
        inks=inks,
        film=film,
        checked=_run_checks(row, source),
        facts=_facts(entry, example, number, place),
        answers=[_show_answer(entry, number, example, one) for one in answers_to(example, source, library_of(request))],
        playground=_playground(entry, number),
    )


def _list_misreadings(shown: Sequence[ShownObject]) -> list[tuple[str, list[ShownObject]]]:
    """Return the misreadings that lead to wrong objects, each with these objects."""
    led: dict[str, list[ShownObject]] = {}
    for thing in shown:
        for words in thing.reached:
            led.setdefault(words, []).append(thing)
    return list(led.items())


def _show_answer(entry: Entry, number: int, example: Example, answer: Answer) -> ModelAnswer:
    """The answer of a model as all pages show answers: the object that it makes for, and its way."""
    verdict = answer.verdict
    keys = tuple(map(str, answer.lights))
    has_plan = answer.plan is not None
    return ModelAnswer(
        key=answer.run,
        model=answer.model,
        sign="good" if verdict.exact else "fair" if verdict.got_there else "bad",
        said=answer.said,
        spots=tuple(map(spot_of, keys)),
        way=find_way_points(example.scene, answer.plan or ()),
        keys=keys,
        more=f"/d/{entry.slug}/{number}/answer/{answer.run}" if has_plan else "",
    )


def answer(request: Request) -> Response:
    """Show the plan of one model beside the reference plan, as a fragment of the page."""
    entry, number = _requested_example(request)
    _, example = _read_example(entry, number)
    run = request.path_params["run"]
    found = answers_to(example, entry.data, library_of(request), run=run)
    if not found or found[0].plan is None:
        raise UnknownName(f"the run {run!r} has no plan for this example")
    (one,) = found
    inks = Inks()
    return render(
        request,
        "grid/answer.html",
        answer=one,
        boards=[
            _board(example, "right", "The right plan", example.plan, example.plan, inks),
            _board(example, "model", f"What {one.model} says", one.plan or (), example.plan, inks),
        ],
        inks=inks,
    )


def export(request: Request) -> Response:
    """Export the example as a picture, in motion, or as plain values."""
    entry, number = _requested_example(request)
    kind = request.path_params["kind"]
    if kind not in TYPES:
        raise UnknownName(f"an example can be had as {', '.join(TYPES)}, not as {kind!r}")
    row, example = _read_example(entry, number)
    name = f"{entry.slug}-{number}.{kind}"
    return Response(
        _export(example, row, kind),
        media_type=TYPES[kind],
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


ROUTES = (
    Route("/d/{slug}/{number:int}/export.{kind}", export),
    Route("/d/{slug}/{number:int}/answer/{run}", answer),
)


def _requested_example(request: Request) -> tuple[Entry, int]:
    return library_of(request).find(request.path_params["slug"], "grid"), request.path_params["number"]


def _read_example(entry: Entry, number: int) -> tuple[Table, Example]:
    """Return the row of an example, and the example."""
    rows = grid_rows(entry)
    if not 0 <= number < len(rows):
        raise UnknownName(f"{entry.title} has no example {number}; it has {len(rows):,}, counted from 0")
    row = rows.row(number)
    return row, example_at(row, 0)


def _find_story(example: Example) -> tuple[Story | None, str]:
    """What the command says, or why that cannot be told."""
    try:
        return story_of(example), ""
    except DeixisError as error:
        return None, str(error)


def _place(source: Source, number: int, split: str) -> Place:
    """Where a number lies; without a manifest everything is one file."""
    if source.dataset is None:
        size = source.total or 0
        return Place(split, number - 1 if number else None, _next(number, size))
    here = place_in(source.dataset.manifest, number)
    mine = split if here is None else here.split
    start, stretches = 0, []
    for file in source.dataset.manifest["files"]:
        stop = start + file["rows"]
        if start < stop and str(file["split"]) == mine:
            stretches.append((start, stop))
        start = stop
    before = [min(number - 1, last - 1) for first, last in stretches if first < number]
    after = [max(number + 1, first) for first, last in stretches if last > number + 1]
    return Place(mine, before[-1] if before else None, after[0] if after else None)


def _next(number: int, size: int) -> int | None:
    return number + 1 if not size or number + 1 < size else None


def _chips(example: Example) -> list[str]:
    """What kind of example it is, in a few words."""
    try:
        return [pattern_words(example.pattern), *(str(word) for word in (example.verb, example.manner) if word)]
    except DeixisError:
        return []


def _run_checks(row: Table, source: Source) -> list[CheckResult]:
    """Return the checks that look at single examples, by the plain definitions."""
    try:
        rules = source.rules
    except DeixisError:
        rules = ()
    codes = [code for code in select_codes(CHECKS, ("E", "W", "I")) if _is_of_one_row(code)]
    report = check_tables([row], select=codes, thorough=True, rules=rules)
    found = {finding.code: finding for finding in report.findings}
    checked = [_check(code, found.get(code)) for code in codes]
    return sorted(checked, key=lambda one: (one.kind == "good", one.kind == "note", one.code))


def _is_of_one_row(code: str) -> bool:
    return CHECKS[code].scope in ("row", "table") and code not in OF_MANY


def _check(code: str, finding: Finding | None) -> CheckResult:
    if finding is None:
        return CheckResult(code, CHECKS[code].message, "", "good")
    return CheckResult(code, finding.message, finding.detail, {"E": "bad", "W": "fair"}.get(code[0], "note"))


def _facts(entry: Entry, example: Example, number: int, place: Place) -> list[Fact]:
    """Where the example comes from."""
    command, world = example.command_number, example.world_number
    plan = plan_words(example.plan)
    more = (
        Fact("Command", f"number {command} of the recipe" if command >= 0 else ""),
        Fact("World", f"number {world} of this command" if world >= 0 else ""),
        Fact("Plan", f"{plan[:1].upper()}{plan[1:]}"),
        Fact("Actions", plan_to_letters(example.plan), is_code=True),
    )
    return provenance_of(entry, number=number, split=place.split, id=example.id, more=more)


def _playground(entry: Entry, number: int) -> str:
    return f"/playground?example={entry.slug}/{number}"


class Board(NamedTuple):
    """One of two boards side by side."""

    key: str
    title: str
    drawing: str
    film: dict[str, Any] | None
    actions: list[tuple[str, bool]]  # each action in words, and whether it is another than that of the right plan
    plan: str


def _board(example: Example, key: str, title: str, plan: Plan, right: Plan, inks: Inks) -> Board:
    way = path_of(example.scene, plan)
    marks = Marks(target=example.target, path=way.path, pushed=way.pushed)
    differs = [place >= len(right) or right[place] != action for place, action in enumerate(plan)]
    return Board(
        key=key,
        title=title,
        drawing=draw_board(example.scene, marks, inks, title=f"{title}: {example.text}", cell=BESIDE_CELL),
        film=find_film(example.scene, plan, cell=BESIDE_CELL),
        actions=[(action.words, is_other) for action, is_other in zip(plan, differs, strict=True)],
        plan=plan_words(plan),
    )


def _export(example: Example, row: Table, kind: str) -> str | bytes:
    if kind == "json":
        return json.dumps(next(rows_of(row)), indent=1, ensure_ascii=False) + "\n"
    marks, look = marks_of(example), Look(heading=True, legend=True, captions=True)
    if kind == "svg":
        return draw_svg(example.scene, marks=marks, look=look, title=example.text)
    if kind == "png":
        return draw_png(example.scene, marks=marks, look=look, title=example.text)
    if len(example.plan) > LONGEST_FILM:
        raise SchemaError(f"a GIF shows at most {LONGEST_FILM} actions, this plan has {len(example.plan)}")
    return animate_gif(example.scene, example.plan, marks=marks, look=Look(cell=FILM_CELL), title=example.text)
