"""The first page, and the files that every page needs."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from deixis._studio.demo import Stage
from deixis._studio.pages import HERE, cache_pages, folders, library_of, render
from deixis._studio.play import playable
from deixis._studio.world_pages import all_pages
from deixis.data.store import MANIFEST
from deixis.errors import DeixisError
from deixis.report._skeleton import resource
from deixis.report.chart_html import chart_rules, chart_script


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from starlette.requests import Request

    from deixis._studio.filters import Card
    from deixis._studio.library import Entry


TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
SHARED: dict[str, tuple[Callable[[], str], str]] = {  # with reports
    "chart.css": (chart_rules, TYPES[".css"]),
    "chart.js": (chart_script, TYPES[".js"]),
    "live.css": (partial(resource, "live.css"), TYPES[".css"]),
    "live.js": (partial(resource, "live.js"), TYPES[".js"]),
    "scorecard.css": (partial(resource, "audit.css"), TYPES[".css"]),
}


def home(request: Request) -> Response:
    """Datasets and results."""
    library = library_of(request)
    datasets = library.datasets
    return render(
        request,
        "home.html",
        title="Studio",
        datasets=datasets,
        has_tasks=any(playable(datasets)),
        covers={entry.slug: _cover(request, entry) for entry in datasets if not entry.error},
        facts={entry.slug: _facts(entry) for entry in datasets if not entry.error},
        asked={entry.slug: _number_to_ask(request, entry) for entry in datasets if _is_asked(entry)},
        runs=library.runs,
        preparing=_stage(request),
        live=next(filter(None, (pages.live_board() for pages in all_pages())), None),
        needless=[link for pages in all_pages() for link in pages.navigation.items()],
    )


def preparing(request: Request) -> Response:
    """Return the progress of making the demo, for the first page, which asks now and then."""
    library_of(request).refresh()
    stage = _stage(request) or Stage(is_over=True)
    return JSONResponse(stage.to_dict() | {"entries": len(list(library_of(request)))})


def _stage(request: Request) -> Stage | None:
    """How far something is that is being made; None where nothing is."""
    found = request.app.state.preparing
    return None if found is None or (found.stage.is_over and not found.stage.error) else found.stage


def _cover(request: Request, entry: Entry) -> Card | None:
    """An example of a dataset, from its test set where it has one; nothing where none can be shown."""
    covers: dict[tuple[str, int], Card | None] = request.app.state.__dict__.setdefault("covers", {})
    key = (entry.slug, entry.stamp)
    if key not in covers:
        try:
            covers[key] = entry.pages.cover(entry, library_of(request))
        except (DeixisError, OSError):
            covers[key] = None
    return covers[key]


def _is_asked(entry: Entry) -> bool:
    """Whether texts about the scenes of a dataset can be asked."""
    try:
        return not entry.error and entry.pages.can_be_asked(entry)
    except (DeixisError, OSError):
        return False


def _number_to_ask(request: Request, entry: Entry) -> int:
    """The number of the example on the card of a dataset, or of its first one."""
    card = _cover(request, entry)
    number = "" if card is None else card.address.rpartition("/")[2]
    return int(number) if number.isdecimal() else 0


class CoverFacts(NamedTuple):
    """The mode of a dataset, empty where it has none, and how many examples it holds."""

    mode: str
    examples: int


def _facts(entry: Entry) -> CoverFacts:
    """Return what the card of a dataset says, from its manifest as far as it has one."""
    try:
        manifest = json.loads((entry.path / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        manifest = {}
    manifest = manifest if isinstance(manifest, dict) else {}
    recipe, examples = manifest.get("recipe"), manifest.get("examples")
    mode = recipe.get("mode") if isinstance(recipe, dict) else ""
    count = examples if type(examples) is int else sum(entry.splits.values())
    return CoverFacts(mode[:40] if isinstance(mode, str) else "", count)


def ask(request: Request) -> Response:
    """Show what a text picks out in the scene of an example."""
    entry = library_of(request).find_dataset(request.path_params["slug"])
    return entry.pages.ask(request, entry, request.path_params["number"])


def static(request: Request) -> Response:
    """A file of the studio's own, or of a world, by its bare name."""
    world, name = request.path_params.get("world"), request.path_params["name"]
    if world is None and name in SHARED:
        make, kind = SHARED[name]
        return Response(make(), media_type=kind, headers={"cache-control": "no-cache"})
    folder = HERE if world is None else folders().get(world)
    known = {path.name: path for path in _files(folder) if path.suffix in TYPES}
    if name not in known:
        return PlainTextResponse("There is no such file.", 404)
    kind = TYPES[known[name].suffix]
    return Response(known[name].read_bytes(), media_type=kind, headers={"cache-control": "no-cache"})


def _files(folder: Path | None) -> Iterable[Path]:
    """The static files in a folder; links do not lead out of it."""
    place = (folder / "static").resolve() if folder is not None else None
    if place is None or not place.is_dir():
        return ()
    return [path for path in place.iterdir() if path.is_file() and path.resolve().parent == place]


ROUTES = (
    Route("/", cache_pages(home)),
    Route("/preparing", preparing),
    Route("/d/{slug}/{number:int}/ask", ask),
    Route("/static/{name}", static),
    Route("/static/{world}/{name}", static),
)
