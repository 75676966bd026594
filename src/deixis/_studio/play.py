"""Doing the task oneself: a sample of questions, a judgement on each answer, and in the end a score as models get it.

| address | |
|---|---|
| `/play?data=…` | what to play, with whom and how much of it |
| `/play/{sitting}` | the next question, or the score; an answer is sent there |
| `/play/{sitting}/{question}` | what came of an answer |
| `/play/{sitting}/answers` | the answers as predictions, in an archive |

Everything is a plain form, so that it works without a script; scripts add clicks in the picture and keys.
"""

from __future__ import annotations

import re
import shlex
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from deixis._studio.answers import MOST_QUESTIONS, Sittings, file_name
from deixis._studio.pages import cache_pages, library_of, render
from deixis.errors import DeixisError, SchemaError, UnknownName


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from starlette.applications import Starlette
    from starlette.requests import Request

    from deixis._studio.answers import Measure, Sitting
    from deixis._studio.library import Entry


NOT_FIRST = ("train", "aside")  # splits that are not offered first
QUESTIONS = 10
LARGEST_SEED = (1 << 31) - 1
MOST_FIELDS = 20
_starting = Lock()


def choose(request: Request) -> Response:
    """Show the choice of dataset and task."""
    return _chooser(request, dict(request.query_params))


async def start(request: Request) -> Response:
    """Begin a sitting."""
    return await run_in_threadpool(_start, request, _fields(await request.body()))


def go_on(request: Request) -> Response:
    """The next question, or the score when there is none."""
    sitting = sitting_of(request)
    if sitting.is_over:
        return _score(request, sitting)
    return _question(request, sitting, dict(request.query_params))


async def answer(request: Request) -> Response:
    """Take an answer."""
    return await run_in_threadpool(_take_answer, request, _fields(await request.body()))


def came_of(request: Request) -> Response:
    """Show the verdict on an answer."""
    sitting, place = sitting_of(request), request.path_params["question"] - 1
    reply = sitting.reply(place)
    return render(
        request,
        sitting.game.template,
        **_common(sitting, place),
        reply=reply,
        is_told=True,
        example=sitting.game.address(place),
        **sitting.game.show_verdict(place, reply.said),
    )


def download(request: Request) -> Response:
    """The answers as predictions, in an archive."""
    sitting = sitting_of(request)
    if not sitting.replies:
        raise UnknownName("nothing is answered yet")
    with TemporaryDirectory() as aside:
        path = Path(aside) / "answers.zip"
        sitting.write_archive(path)
        content = path.read_bytes()
    name = f"{file_name(sitting.entry.slug)}-{sitting.task}-{file_name(sitting.player)}.zip"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/zip", headers=headers)


ROUTES = (
    Route("/play", cache_pages(choose)),
    Route("/play", start, methods=["POST"]),
    Route("/play/{sitting}", go_on),
    Route("/play/{sitting}", answer, methods=["POST"]),
    Route("/play/{sitting}/answers", download),
    Route("/play/{sitting}/{question:int}", came_of),
)


# -------------------------------------------------------------------------------- starting


def _chooser(request: Request, form: Mapping[str, str], fault: str = "") -> Response:
    library = library_of(request)
    entries = list(playable(library.datasets))
    slug = form.get("data", "")
    entry = library.find_dataset(slug) if slug else next(iter(entries), None)
    if entry is not None and entry not in entries:
        fault, entry = fault or _nothing_to_do(entry), None
    values: dict[str, Any] = {"entries": entries, "entry": entry, "fault": fault, "form": form}
    if entry is not None:
        values |= {
            "tasks": (tasks := entry.pages.tasks_of(entry)),
            "task": form.get("task") or next(iter(tasks), ""),
            "splits": entry.pages.samples(entry),
            "split": form.get("split") or _first_split(entry),
            "options": entry.pages.options(form),
            "questions": form.get("questions") or QUESTIONS,
            "seed": form.get("seed") or 0,
            "player": form.get("player", ""),
            "most": MOST_QUESTIONS,
            "keeps": _keeps(request) is not None,
        }
    return render(request, "play.html", title="Play", status=400 if fault else 200, **values)


def playable(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The datasets with which people can do a task."""
    return (entry for entry in entries if not entry.error and entry.pages.tasks_of(entry))


def _nothing_to_do(entry: Entry) -> str:
    return f"{entry.title} has no example in which something is to be pointed at"


def _start(request: Request, form: Mapping[str, str]) -> Response:
    try:
        sitting = _begin_sitting(request, form)
    except DeixisError as error:
        if isinstance(error, UnknownName) and not form.get("data"):
            raise
        return _chooser(request, form, str(error))
    return RedirectResponse(f"/play/{sitting.id}", 303)


def _begin_sitting(request: Request, form: Mapping[str, str]) -> Sitting:
    if not form.get("data"):
        raise UnknownName("choose a dataset to play with")
    library = library_of(request)
    entry = library.find_dataset(form["data"])
    task, tasks = form.get("task", ""), entry.pages.tasks_of(entry)
    if not tasks:
        raise SchemaError(_nothing_to_do(entry))
    if task not in tasks:
        raise SchemaError(f"there is no task {task[:40]!r} here; known: {', '.join(tasks)}")
    count = _whole(form, "questions", QUESTIONS, 1, MOST_QUESTIONS)
    seed = _whole(form, "seed", 0, 0, LARGEST_SEED)
    split = form.get("split", "")
    known = entry.pages.samples(entry)
    if split not in known:
        raise UnknownName(f"there is no split {split[:40]!r} here; known: {', '.join(filter(None, known))}")
    return _sittings(request.app).start(
        entry.pages.game(entry, split, task, count, seed=seed, form=form),
        entry=entry,
        task=task,
        split=split,
        seed=seed,
        player=form.get("player", ""),
        answers=_keeps(request),
    )


def _first_split(entry: Entry) -> str:
    known = list(entry.pages.samples(entry))
    return next((name for name in ("test", *known) if name in known and name not in NOT_FIRST), known[0])


# -------------------------------------------------------------------------------- questions and answers


def _question(request: Request, sitting: Sitting, form: Mapping[str, str], fault: str = "") -> Response:
    place, game = sitting.ask(), sitting.game
    return render(
        request,
        game.template,
        status=400 if fault else 200,
        **_common(sitting, place),
        fault=fault,
        is_told=False,
        **game.show_question(place, game.step(form) or form),
    )


def _take_answer(request: Request, form: Mapping[str, str]) -> Response:
    sitting = sitting_of(request)
    stepped = sitting.game.step(form)
    if stepped is not None:  # a button that answers nothing yet, where there is no script
        return RedirectResponse(f"/play/{sitting.id}?{urlencode(stepped)}", 303)
    place = _whole(form, "question", len(sitting.replies) + 1, 1, len(sitting.game)) - 1
    try:
        sitting.answer(place, form)
    except SchemaError as error:
        if sitting.is_over or place != len(sitting.replies):
            raise
        return _question(request, sitting, form, str(error))
    return RedirectResponse(f"/play/{sitting.id}/{place + 1}", 303)


def _common(sitting: Sitting, place: int) -> dict[str, Any]:
    name, what = sitting.entry.pages.tasks[sitting.task]
    return {
        "title": f"{name}, question {place + 1} of {len(sitting.game)}",
        "sitting": sitting,
        "place": place,
        "task_name": name,
        "what": what,
        "text": sitting.game.text(place),
    }


def _score(request: Request, sitting: Sitting) -> Response:
    name, _ = sitting.entry.pages.tasks[sitting.task]
    rows = [(place, sitting.game.text(place), reply) for place, reply in enumerate(sitting.replies)]
    again = {"data": sitting.entry.slug, "task": sitting.task, "split": sitting.split, "questions": len(sitting.game)}
    again |= {"seed": sitting.seed + 1, "player": sitting.player}
    again |= sitting.game.choices
    folder = sitting.folder
    return render(
        request,
        "play_score.html",
        title=f"{name}: {sitting.right} of {len(sitting.game)} right",
        sitting=sitting,
        task_name=name,
        measures=[_plain(measure) for measure in sitting.game.measures(sitting.said)],
        misreadings=sitting.game.misreadings(sitting.said),
        rows=rows,
        addresses=[sitting.game.address(place) for place in range(len(sitting.game))],
        folder=None if folder is None else str(folder),
        commands=[]
        if folder is None
        else [_fill_paths(command, folder, sitting.entry.path) for command in sitting.commands],
        again=f"/play?{urlencode(again)}",
    )


def _fill_paths(command: str, folder: Path, data: Path) -> str:
    """Return a command with its paths filled in, as a shell reads them."""
    paths = {"FOLDER": folder, "DATA": data}
    return re.sub(r"\b(?:FOLDER|DATA)\b", lambda name: shlex.quote(str(paths[name.group()])), command)


def _plain(measure: Measure) -> dict[str, Any]:
    """A measure as a template shows it; None for what is not a number."""
    found = measure.estimate
    mean, low, high = (None if isnan(value) else value for value in (found.mean, found.low, found.high))
    return {
        "name": measure.name,
        "meaning": measure.meaning,
        "is_share": measure.is_share,
        "chance": measure.chance,
    } | {
        "mean": mean,
        "low": low,
        "high": high,
        "rows": found.rows,
    }


# -------------------------------------------------------------------------------- the studio around it


def _sittings(app: Starlette) -> Sittings:
    with _starting:
        if not hasattr(app.state, "sittings"):
            app.state.sittings = Sittings()
        found: Sittings = app.state.sittings
        return found


def sitting_of(request: Request) -> Sitting:
    """The sitting that an address names."""
    return _sittings(request.app).find(request.path_params["sitting"])


def _keeps(request: Request) -> Path | None:
    """The folder for answers, if there is one."""
    found = getattr(request.app.state, "answers", None)
    return None if found is None else Path(found)


def _fields(body: bytes) -> dict[str, str]:
    """The fields of a form; of several with one name the last counts."""
    try:
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise SchemaError("that is no form of this page") from error
    return dict(pairs)


def _whole(form: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    """A whole number of a form."""
    said = form.get(name, "").strip()
    if not said:
        return default
    if not (said.isascii() and said.isdecimal() and len(said) < 12 and low <= int(said) <= high):
        raise SchemaError(f"{name} is a whole number from {low:,} to {high:,}, got {said[:20]!r}")
    return int(said)
