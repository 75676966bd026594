"""The playground: a board to change, a text to type, and at once the meaning of the text there.

The page sends board and text after every change; the server answers with the picture, the text in parts and the
verdict. Every board with its text has an address of its own.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from deixis._studio.pages import cache_pages, library_of, render, render_text
from deixis.errors import DeixisError, SchemaError, UnknownName
from deixis.language.explain import name_object
from deixis.seeds import Stream, derive
from deixis.worlds.grid._pages.playground_files import (
    FILES,
    MAX_OBJECTS,
    MAX_SIDE,
    MIN_SIDE,
    cell_for,
    check_bounds,
    from_address,
    from_plain,
    make_file,
    ready,
    to_address,
    to_plain,
)
from deixis.worlds.grid._pages.playground_text import completions, completions_title, segments
from deixis.worlds.grid._pages.playground_verdict import judge
from deixis.worlds.grid._pages.shelf import grid_example, grid_size
from deixis.worlds.grid.draw import Look, draw_svg
from deixis.worlds.grid.drawn import MARKS, grid
from deixis.worlds.grid.scene import COLORS, SHAPES, SIZES, Agent, Facing, GridScene


if TYPE_CHECKING:
    from starlette.requests import Request

    from deixis.worlds.grid._pages.playground_files import Theme
    from deixis.worlds.grid._pages.playground_verdict import Judgement


NUMBER_DIGITS = 12
STARTS = {
    "every word counts": (
        "push the red circle that is in the same row as a blue square",
        """
        .   g○1 .   b□4 .   .
        >   .   .   .   .   .
        .   b□1 .   .   r○2 .
        r○3 .   .   g□2 .   .
        .   .   r▱1 .   .   b□3
        .   b▱2 .   r○4 .   .
        """,
    ),
    "one word too many": (
        "walk to the yellow cylinder that is inside of a green box while zigzagging",
        """
        .   .   .   .   r▣2 .
        .   g▣3 .   .   .   y▱2
        .   .   y▱3 .   .   .
        .   y○2 .   .   .   r○1
        .   .   .   .   y▱1 .
        >   .   .   .   .   .
        """,
    ),
    "ambiguous": (
        "pull the square that is in the same column as a circle",
        """
        r□1 .   .   y○2 .   .
        .   .   .   .   .   .
        b○3 .   <   .   g□2 .
        .   .   .   b□4 .   .
        .   r▱2 .   .   .   .
        .   .   .   .   .   g▱1
        """,
    ),
}
BLANK = GridScene((), size=6, agent=Agent(0, 0, Facing.EAST))


class Start(NamedTuple):
    """The board and text that the page opens with."""

    scene: GridScene
    text: str
    origin: str = ""  # the address of the example it comes from


def link(scene: GridScene, text: str) -> str:
    """Return the address at which the playground opens with a board and a text."""
    return f"/playground?{_query(scene, text)}"


def playground(request: Request) -> Response:
    """Show the page with the content of its address: a board and a text, an example of a dataset, or a chosen start."""
    start = _start(request)
    judgement = judge(start.scene, start.text, is_tolerant=True)
    return render(
        request,
        "grid/playground.html",
        title="Playground",
        answer=_answer(judgement, "light"),
        text=start.text,
        address=to_address(start.scene),
        state=json.dumps({"text": start.text, "scene": to_plain(start.scene)}),
        origin=start.origin,
        starts=[(name, link(grid(picture), text)) for name, (text, picture) in STARTS.items()],
        blank=link(BLANK, ""),
        random=f"/playground?random={_whole(request, 'random', 0) + 1}" if _grids(request) else "",
        sides=range(MIN_SIDE, MAX_SIDE + 1),
        most=MAX_OBJECTS,
        colors=COLORS,
        shapes=[(shape, MARKS[shape]) for shape in SHAPES],
        sizes=SIZES,
        facings=[facing.name.lower() for facing in Facing],
        files=tuple(FILES),
    )


async def answer(request: Request) -> Response:
    """Judge a text on a board, both sent as JSON."""
    return await run_in_threadpool(_reply, await request.body())


def save(request: Request) -> Response:
    """Return a file of a text on a board: a picture, a moving picture, plain values or a test."""
    name = request.path_params["name"]
    theme: Theme = "dark" if request.query_params.get("theme") == "dark" else "light"
    start = _start(request)
    judgement = judge(start.scene, start.text, is_tolerant=True)
    if judgement.reading is not None:  # a file has the text that was read
        judgement = judge(start.scene, judgement.reading.utterance.text)
    kept = make_file(name, judgement, theme=theme)
    shown = "inline" if request.query_params.get("shown") else "attachment"
    headers = {"content-disposition": f'{shown}; filename="{name}"', "cache-control": "no-store"}
    return Response(kept.content, media_type=kept.media_type, headers=headers)


def _reply(body: bytes) -> Response:
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SchemaError("what was sent is not JSON") from error
    if not isinstance(asked, dict) or not isinstance(asked.get("text"), str):
        raise SchemaError("send a text and a scene")
    theme: Theme = "dark" if asked.get("theme") == "dark" else "light"
    return JSONResponse(_answer(judge(from_plain(asked.get("scene")), asked["text"], is_tolerant=True), theme))


def _answer(judgement: Judgement, theme: Theme) -> dict[str, Any]:
    """What the page shows of a judgement."""
    scene = judgement.scene
    cell = cell_for(scene)
    svg = draw_svg(scene, marks=judgement.marks, look=Look(cell=cell, theme=theme), title=judgement.text or "The board")
    return {
        "svg": Markup(svg),  # noqa: S704 - our own drawing, which escapes its text
        "cell": cell,
        "scene": to_plain(scene),
        "things": [_thing(judgement, index) for index in range(len(scene))],
        "said": Markup(render_text("grid/playground_said.html", segments=segments(judgement))),  # noqa: S704 - a template
        "verdict": Markup(render_text("grid/playground_verdict.html", judgement=judgement)),  # noqa: S704 - likewise
        "headline": judgement.headline,
        "tone": judgement.tone,
        "next": [{"words": option.words, "text": option.text} for option in completions(judgement)],
        "next_title": completions_title(judgement),
        "query": _query(scene, judgement.text),
        "ready": ready(judgement),
    }


def _thing(judgement: Judgement, index: int) -> dict[str, Any]:
    thing = judgement.scene.objects[index]
    return {
        "name": f"{name_object(judgement.scene, index)}, row {thing.row}, column {thing.column}",
        "about": judgement.about(index),
        "fits": index in judgement.referents,
    }


def _query(scene: GridScene, text: str) -> str:
    return urlencode({"text": text, "scene": to_address(scene)})


def _start(request: Request) -> Start:
    asked = request.query_params
    if "example" in asked:
        slug, _, number = asked["example"].rpartition("/")
        return _example(request, slug, number, asked.get("text"))
    if "random" in asked:
        return _random(request, _whole(request, "random", 0))
    text, picture = next(iter(STARTS.values()))
    if "scene" in asked:
        return Start(from_address(asked["scene"]), asked.get("text", ""))
    return Start(grid(picture), asked.get("text", text))


def _example(request: Request, slug: str, number: str, text: str | None) -> Start:
    if not _is_number(number):
        raise UnknownName(f"{number[:20]!r} is not the number of an example; write ?example=DATASET/NUMBER")
    entry = library_of(request).find(slug, "grid")
    example = grid_example(entry, int(number))
    return Start(check_bounds(example.scene), example.text if text is None else text, f"/d/{entry.slug}/{int(number)}")


def _random(request: Request, seed: int) -> Start:
    grids = _grids(request)
    if not grids:
        raise UnknownName("there is no dataset of grid worlds to choose an example from")
    stream = Stream(derive(seed, "playground"))
    entry = stream.choice(grids)
    size = grid_size(entry)
    if not size:
        raise DeixisError(f"{entry.title} holds no examples to choose from")
    return _example(request, entry.slug, str(stream.below(size)), None)


def _grids(request: Request) -> list[Any]:
    return [entry for entry in library_of(request).of_kind("grid") if not entry.error]


def _whole(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, str(default))
    if not _is_number(text):
        raise UnknownName(f"{name} must be a whole number, got {text[:20]!r}")
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= NUMBER_DIGITS


ROUTES = (
    Route("/playground", cache_pages(playground)),
    Route("/playground/judge", answer, methods=["POST"]),
    Route("/playground/{name}", save),
)
