"""Pages of 3D Shapes: some rooms side by side, and any caption of the first held against the others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import quote, urlencode

import numpy as np
from markupsafe import Markup
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from deixis._studio.example_answers import ModelAnswer, find_verdicts, spot_of
from deixis._studio.gallery import find_way
from deixis._studio.pages import cache_pages, library_of, render, render_text
from deixis._studio.provenance import Fact, provenance_of
from deixis.distractors._contrast import By
from deixis.errors import RecipeError, UnknownName
from deixis.expression.steps import Is
from deixis.seeds import Stream, derive
from deixis.speakers import Exhaustive, Greedy, Minimal, Random, Rational, speak
from deixis.worlds.rooms._pages.gallery import pair_file, pairs_of
from deixis.worlds.rooms._pages.needs import need_rows
from deixis.worlds.rooms._room import HUE_LEVELS
from deixis.worlds.rooms.captions import GRAMMARS, caption, frames
from deixis.worlds.rooms.draw import draw_png
from deixis.worlds.rooms.every_word import EVERY_WORD, needed_captions
from deixis.worlds.rooms.judging._arrays import score_captions
from deixis.worlds.rooms.judging._marked import HOLDS, MARKS, NAMES, Piece, mark_caption, telling_features
from deixis.worlds.rooms.mentions import judge, read_mentions
from deixis.worlds.rooms.mentions._judging import said_of
from deixis.worlds.rooms.pairs import context_of
from deixis.worlds.rooms.scene import FACTORS, IMAGES, ORIENTATIONS, SIZES, STRIDES, RoomScene
from deixis.worlds.rooms.speakers import INCREMENTAL, caption_of
from deixis.worlds.rooms.world import WORLD


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from starlette.datastructures import QueryParams
    from starlette.requests import Request

    from deixis._studio.library import Entry
    from deixis.speakers import Speaker
    from deixis.worlds.rooms.judging._arrays import Scores
    from deixis.worlds.rooms.mentions import Judgement


SPEAKERS: dict[str, tuple[Speaker, str]] = {
    "exhaustive": (Exhaustive(), "says all that is true"),
    "minimal": (Minimal(), "says one of the shortest things that fit the target alone"),
    "greedy": (Greedy(), "says what rules out most, until the target is alone"),
    "incremental": (INCREMENTAL, "goes through features in an order of preference; always says the noun"),
    "rational": (Rational(), "weighs what a literal listener makes of it against its length"),
    "random": (Random(), "says true features at random, without a look at the other images"),
}
MOST_BESIDE = 7
LONGEST = 400  # letters of a caption
LARGEST_SEED = 10**9
RIGHT_IMAGE = "right_image"
_PICKED = ("Chose the distractor for this caption.", "Chose the target for this caption.")
_TOLD_APART = ("It does not tell the target from the distractor.", "It tells the target from the distractor.")
ROOM_PX, LARGEST_ROOM_PX = 128, 512
KEEP = {"cache-control": "private, max-age=3600"}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCaption:
    """A caption with its judgement in a context.

    Attributes:
        pieces: the whole text in stretches.
        marks: how many stretches there are of every mark.
        features: for each feature its name, its verdict, the words about it, and what holds.
        metrics: name, symbol, value and explanation of every metric; none where there is no distractor.
        listener: for each image its role and why a literal listener would rule it out; empty where it fits.
    """

    text: str
    pieces: tuple[Piece, ...]
    marks: dict[str, int]
    features: tuple[tuple[str, str, str, str], ...]
    metrics: tuple[tuple[str, str, str, str], ...]
    listener: tuple[tuple[str, str], ...]


# -------------------------------------------------------------------------------- pages


def image_page(request: Request) -> Response:
    """One room, beside others that the address may name."""
    entry = library_of(request).find(request.path_params["slug"], WORLD.name)
    rooms = (request.path_params["number"], *_beside(request.query_params))
    return _page(request, entry, rooms, name="", place=None)


def pair_page(request: Request) -> Response:
    """A pair of a set, the target first."""
    entry = library_of(request).find(request.path_params["slug"], WORLD.name)
    name, number = request.path_params["set"], request.path_params["number"]
    pairs = pairs_of(entry)
    if name not in pairs:
        raise UnknownName(
            f"there is no set of pairs {name[:60]!r} in {entry.title}; known: {', '.join(pairs) or 'none'}"
        )
    rows = pairs[name]
    if not 0 <= number < len(rows):
        raise UnknownName(f"there is no pair {number} in {name}; it has {len(rows):,}, counted from 0")
    return _page(request, entry, tuple(rows[number].tolist()), name=name, place=(number, len(rows)))


def _page(
    request: Request, entry: Entry, rooms: tuple[int, ...], *, name: str, place: tuple[int, int] | None
) -> Response:
    _demand(rooms)
    asked = request.query_params
    by, seed = _by(asked), _whole(asked, "seed", LARGEST_SEED)
    is_said = name not in EVERY_WORD or {"text", "grammar", "speaker"} & set(asked)
    text = _caption_asked_for(asked, rooms, by, seed) if is_said else needed_captions(np.array([rooms]))[0]
    number = place[0] if place else rooms[0]
    before, after = _neighbours(entry, rooms, name, place)
    return render(
        request,
        "rooms/example.html",
        title=f"{name}, pair {number:,}" if place else f"Image {number:,}",
        here=f"pair {number:,}" if place else f"image {number:,}",
        entry=entry,
        rooms=rooms,
        name=name,
        place=place,
        way=find_way(request, entry, number),
        within=(name, f"/d/{entry.slug}?{urlencode({'set': name})}") if name else None,
        before=before,
        after=after,
        factors=_factors(rooms),
        told=[str(RoomScene(room)) for room in rooms],
        alike=_alike(rooms[0]),
        names=NAMES,
        by=by,
        seed=seed,
        beside=",".join(map(str, rooms[1:])),
        grammars={grammar: len(frames(grammar)) for grammar in GRAMMARS},
        chosen=(asked.get("grammar", "exhaustive"), asked.get("number", "0")),
        text=text,
        judged=judge_caption(text, rooms, by=by),
        needs=need_rows(text, rooms),
        legend=MARKS,
        speakers=_captions_of_speakers(rooms, by, seed),
        facts=_facts(entry, rooms, name, place),
        answers=[*_list_answers(request, entry, rooms, by)],
    )


def _neighbours(entry: Entry, rooms: tuple[int, ...], name: str, place: tuple[int, int] | None) -> tuple[str, str]:
    """Return the addresses of the pair or image before and after one; empty where there is none."""
    if place is None and len(rooms) > 1:
        return "", ""
    number, count = place or (rooms[0], IMAGES)
    path = f"/d/{entry.slug}/{quote(name, safe='') if place else 'image'}"
    return f"{path}/{number - 1}" if number else "", f"{path}/{number + 1}" if number + 1 < count else ""


def _facts(entry: Entry, rooms: tuple[int, ...], name: str, place: tuple[int, int] | None) -> list[Fact]:
    """Where the images come from."""
    images = ", ".join(f"{room:,}" for room in rooms)
    more = (
        *((Fact("Pair", f"{place[0]:,} of {place[1]:,}, counted from 0"),) if place else ()),
        Fact(
            "Image" if len(rooms) == 1 else "Images",
            f"{images} of 3D Shapes" + (", the target first" * bool(rooms[1:])),
        ),
    )
    shown = f"deixis show {entry.path.name} {rooms[0]}"
    return provenance_of(entry, split=name, command=shown, file=pair_file(entry, name), more=more)


def _list_answers(request: Request, entry: Entry, rooms: tuple[int, ...], by: By) -> Iterator[ModelAnswer]:
    """Yield the captions that models wrote for a pair, and the images that they chose."""
    if len(rooms) != 2:
        return
    for found in find_verdicts(entry, rooms[0] * IMAGES + rooms[1], library_of(request)):
        is_pick = RIGHT_IMAGE in found.side.judged.measures
        quoted = render_text("rooms/quote.html", judged=judge_caption(found.text, rooms, by=by)) if found.text else ""
        told = entry.pages.describe_answer(found.side, found.row).words
        verdict = _PICKED if is_pick else _TOLD_APART
        yield ModelAnswer(
            key=found.side.judged.key,
            model=found.side.judged.model,
            sign="good" if found.is_right else "bad",
            said=f"{verdict[found.is_right]} {told}".strip(),
            quote=Markup(quoted),  # noqa: S704 (a template wrote it)
            parts=found.parts,
            spots=(spot_of(str(int(not found.is_right))),) if is_pick else (),
        )


def caption_fragment(request: Request) -> Response:
    """A caption that is being typed, judged."""
    asked = request.query_params
    rooms = _rooms(asked)
    said = judge_caption(_text(asked.get("text", "")), rooms, by=_by(asked))
    return render(request, "rooms/judged.html", judged=said, legend=MARKS, rooms=rooms)


def needed_fragment(request: Request) -> Response:
    """Show which words of a caption that is being typed are needed."""
    asked = request.query_params
    text = _text(asked.get("text", ""))
    return render(request, "rooms/needed.html", text=text, needs=need_rows(text, _rooms(asked)))


def speakers_fragment(request: Request) -> Response:
    """Show the captions of the speakers with another seed."""
    asked = request.query_params
    rooms, by = _rooms(asked), _by(asked)
    return render(
        request, "rooms/speakers.html", speakers=_captions_of_speakers(rooms, by, _whole(asked, "seed", LARGEST_SEED))
    )


def caption_json(request: Request) -> Response:
    """Return a caption of a grammar as JSON."""
    asked = request.query_params
    rooms = _rooms(asked)
    return JSONResponse({"text": _caption_asked_for(asked, rooms, _by(asked), _whole(asked, "seed", LARGEST_SEED))})


# -------------------------------------------------------------------------------- judging captions


def judge_caption(text: str, rooms: Sequence[int], *, by: By = "label") -> JudgedCaption:
    """Judge a caption of the first room against the others.

    Args:
        text: the caption.
        rooms: numbers of images, the target first.
        by: whether features contrast by recorded values or by the words that captions have for them.
    """
    target = RoomScene(rooms[0])
    reading = read_mentions(text)
    verdicts = judge(reading, target)
    telling = telling_features(rooms, by=by)
    pieces = mark_caption(text, rooms, by=by)
    return JudgedCaption(
        text=text,
        pieces=pieces,
        marks={mark: count for mark in MARKS if (count := sum(piece.mark == mark for piece in pieces))},
        features=tuple(_features(text, verdicts, target, telling if len(rooms) > 1 else None)),
        metrics=tuple(_metrics(text, rooms, by)) if len(rooms) > 1 else (),
        listener=tuple(_listener(text, rooms)) if len(rooms) > 1 and reading.mentions else (),
    )


def _features(
    text: str, verdicts: Judgement, target: RoomScene, telling: Mapping[str, list[int]] | None
) -> Iterator[tuple[str, str, str, str]]:
    for feature, verdict in verdicts.verdicts.items():
        words = ", ".join(dict.fromkeys(text[start:end] for start, end in verdicts.spans[feature]))
        shown: str = {"absent": "unsaid", "ambiguous": "unclear"}.get(verdict, verdict)
        if verdict == "true" and telling is not None:
            shown = "contrastive" if feature in telling else "redundant"
        yield NAMES[feature], shown, words, said_of(target)[feature]


def _listener(text: str, rooms: Sequence[int]) -> Iterator[tuple[str, str]]:
    """What a listener who takes every word literally makes of each image."""
    for place, room in enumerate(rooms):
        scene = RoomScene(room)
        found = judge(text, scene)
        wrong = [
            HOLDS[feature].format(said_of(scene)[feature])
            for feature, verdict in found.verdicts.items()
            if verdict == "false"
        ]
        wrong += [f"nothing there is {' or '.join(mention.expressions)}" for mention in found.stray]
        yield _role(place, len(rooms)), ", ".join(dict.fromkeys(wrong))


def _metrics(text: str, rooms: Sequence[int], by: By) -> Iterator[tuple[str, str, str, str]]:
    """The metrics of a caption, each with what it means here."""
    counted = score_captions([text], np.array(rooms[:1]), np.array([rooms[1:]]), by=by)
    said, telling, there = int(counted.said[0]), int(counted.contrastive[0]), int(counted.available[0])
    needed, idle, most = int(counted.needed[0]), said - telling, len(FACTORS) - there
    is_found = bool(counted.is_discriminative[0])
    yield "Discriminativity", "d", str(int(is_found)), _found_words(counted, there)
    if is_found:
        why = (
            f"{_things(telling, 'contrastive feature')} said; {needed} would do, and there are {there} to choose from."
        )
        yield "Contrastive efficiency", "e", f"{float(counted.efficiency()[0]):.2f}", why
    else:
        yield "Contrastive efficiency", "e", "–", "Not defined, since the target is not found."
    why = (
        f"{idle} of {most} features that tell nothing apart {'is' if idle == 1 else 'are'} said." if most else _ALL_TELL
    )
    yield "Relevance", "r", f"{float(counted.relevance[0]):.2f}", why
    is_best = bool(counted.is_optimal[0])
    why = (
        "As few contrastive features as it takes."
        if is_best
        else "Not found with as few contrastive features as it takes."
    )
    yield "Optimal discriminativity", "od", str(int(is_best)), why
    false, theirs = int(counted.false[0]), int(counted.false_of_distractor[0])
    why = (
        f"{theirs or 'None'} of them would be true of another image."
        if false
        else "Nothing that is said is false of the target."
    )
    yield "False", "", str(false), why


def _found_words(counted: Scores, there: int) -> str:
    if counted.is_discriminative[0]:
        return "What is truly said fits the target alone."
    if not there:
        return "The images do not differ, so that no caption can tell them apart."
    if not counted.contrastive[0]:
        return "Nothing that is truly said tells the target from the others."
    return "What is truly said fits another image as well."


_ALL_TELL = "There is no feature that tells nothing apart."


def _things(count: int, name: str) -> str:
    return f"{count} {name}{' is' if count == 1 else 's are'}"


def _role(place: int, count: int) -> str:
    return "target" if place == 0 else "distractor" if count == 2 else f"distractor {place}"


# -------------------------------------------------------------------------------- what is said and shown


def _captions_of_speakers(rooms: Sequence[int], by: By, seed: int) -> list[dict[str, Any]]:
    """Return the caption of each speaker, judged, or nothing for a room that stands alone."""
    if len(rooms) == 1:
        return []
    found = []
    for name, (_, about) in SPEAKERS.items():
        text = _said_by(name, rooms, by, seed)
        found.append({"name": name, "about": about, "judged": judge_caption(text, rooms, by=by)})
    return found


def _said_by(name: str, rooms: Sequence[int], by: By, seed: int) -> str:
    said = speak(SPEAKERS[name][0], context_of(rooms), rng=Stream(derive(seed, "studio", name)), by=by)
    return caption_of(rooms[0], [step.attribute for step in said.steps if isinstance(step, Is)])


def _caption_asked_for(asked: QueryParams, rooms: tuple[int, ...], by: By, seed: int) -> str:
    """Return the caption of an address: written out, of a speaker, or of a grammar."""
    if "text" in asked:
        return _text(asked["text"])
    if "speaker" in asked:
        name = asked["speaker"]
        if name not in SPEAKERS:
            raise UnknownName(f"there is no speaker {name[:40]!r}; known: {', '.join(SPEAKERS)}")
        return _said_by(name, rooms, by, seed)
    grammar = next((known for known in GRAMMARS if known == asked.get("grammar", "exhaustive")), None)
    if grammar is None:
        raise UnknownName(f"there is no grammar {asked['grammar'][:40]!r}; known: {', '.join(GRAMMARS)}")
    return caption(rooms[0], _whole(asked, "number", len(frames(grammar)) - 1), grammar)


def _factors(rooms: Sequence[int]) -> list[dict[str, Any]]:
    """A row for every feature: what it is in each room, and whether it differs."""
    scenes = [RoomScene(room) for room in rooms]
    rows = []
    for place, feature in enumerate(FACTORS):
        codes = [scene.factors[place] for scene in scenes]
        words = [said_of(scene)[feature] for scene in scenes]
        is_hue = place < 3
        rows.append(
            {
                "name": NAMES[feature],
                "differs": len(set(codes)) > 1,
                "in_words": len(set(words)) > 1,
                "values": [
                    {
                        "word": word,
                        "more": ORIENTATIONS[code] if feature == "orientation" else "",
                        "color": "rgb({},{},{})".format(*(51 * level for level in HUE_LEVELS[code])) if is_hue else "",
                        "is_other": code != codes[0],
                    }
                    for word, code in zip(words, codes, strict=True)
                ],
            }
        )
    return rows


def _alike(room: int) -> list[tuple[str, int]]:
    """For each feature a room that differs in it alone."""
    factors = RoomScene(room).factors
    found = []
    for name, value, size, stride in zip(FACTORS, factors, SIZES, STRIDES, strict=True):
        other = (value + size // 2) % size
        found.append((NAMES[name], room + (other - value) * stride))
    return found


# -------------------------------------------------------------------------------- what is asked


def _rooms(asked: QueryParams) -> tuple[int, ...]:
    rooms = (_whole(asked, "target", IMAGES - 1), *_beside(asked))
    _demand(rooms)
    return rooms


def _beside(asked: QueryParams) -> tuple[int, ...]:
    """The other rooms that an address names, separated by commas."""
    named = [piece.strip() for piece in asked.get("beside", "").replace(" ", ",").split(",") if piece.strip()]
    if len(named) > MOST_BESIDE:
        raise RecipeError(f"at most {MOST_BESIDE} images can be shown beside the target, got {len(named)}")
    if not all(piece.isascii() and piece.isdigit() and len(piece) <= 6 for piece in named):
        raise RecipeError("the images beside the target are numbers, separated by commas")
    return tuple(map(int, named))


def _demand(rooms: Sequence[int]) -> None:
    for room in rooms:
        if not 0 <= room < IMAGES:
            raise UnknownName(f"there is no image {room}; they are numbered from 0 to {IMAGES - 1:,}")


def _whole(asked: QueryParams, name: str, most: int) -> int:
    value = asked.get(name, "0").strip() or "0"
    if not (value.isascii() and value.isdigit() and len(value) <= 10 and int(value) <= most):
        raise RecipeError(f"{name} is a whole number from 0 to {most:,}, got {value[:20]!r}")
    return int(value)


def _by(asked: QueryParams) -> By:
    value = asked.get("by", "label")
    found: By | None = next((known for known in get_args(By) if known == value), None)
    if found is None:
        raise UnknownName(f"features contrast by label or by expression, not by {value[:40]!r}")
    return found


def _text(text: str) -> str:
    if len(text) > LONGEST:
        raise RecipeError(f"a caption has at most {LONGEST} letters, got {len(text):,}")
    return text


# -------------------------------------------------------------------------------- pictures


def room_png(request: Request) -> Response:
    """An image of 3D Shapes."""
    library_of(request).find(request.path_params["slug"], WORLD.name)
    number = request.path_params["number"]
    if number >= IMAGES:
        raise UnknownName(f"there is no image {number}; they are numbered from 0 to {IMAGES - 1:,}")
    return Response(_room(number, _size(request.query_params.get("size"))), media_type="image/png", headers=KEEP)


@lru_cache(maxsize=512)
def _room(number: int, size: int) -> bytes:
    return draw_png(number, size=size, samples=2 if size >= ROOM_PX else 4)


def _size(said: str | None) -> int:
    size = int(said) if said and re.fullmatch(r"[0-9]{1,4}", said) else ROOM_PX
    return min(max(size, 16), LARGEST_ROOM_PX)


ROUTES = (
    Route("/d/{slug}/image/{number:int}.png", room_png),
    Route("/d/{slug}/image/{number:int}", cache_pages(image_page)),
    Route("/d/{slug}/{set}/{number:int}", cache_pages(pair_page)),
    Route("/shapes/caption", caption_fragment),
    Route("/shapes/needed", needed_fragment),
    Route("/shapes/speakers", speakers_fragment),
    Route("/shapes/said", caption_json),
)
