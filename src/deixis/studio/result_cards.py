"""The examples behind a result: a picture where the dataset is at hand, and what each model did in words."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from markupsafe import Markup

from deixis.datasets.judged_plans import find_plan_letters
from deixis.datasets.table import examples_of
from deixis.errors import DeixisError
from deixis.metrics.verdicts import OTHER_IMAGE, SAME_IMAGE
from deixis.scene.factors import IMAGES
from deixis.studio.pictures import photograph_picture
from deixis.studio.play_pictures import draw_board
from deixis.studio.rows import grid_rows
from deixis.studio.verdict_files import places_in
from deixis.studio.verdicts import NO_OBJECT, RIGHT_TARGET, WRONG_OBJECT
from deixis.worlds.grid.actions import plan_from_letters
from deixis.worlds.grid.draw import Marks, Role, path_of
from deixis.worlds.shapes.draw import draw_png


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.scene.grid import GridScene
    from deixis.studio.judged import Judged
    from deixis.studio.library import Entry, Library
    from deixis.studio.verdicts import Verdicts
    from deixis.tasks.navigate import Example


__all__ = ["Card", "Said", "Side", "cards_of"]

ROOM_PIXELS = 112
OUTCOMES = {
    "grid": {
        RIGHT_TARGET: "Made for the target",
        WRONG_OBJECT: "Made for a wrong object",
        NO_OBJECT: "Made for no object",
    },
    "copsref": {
        "right": "Chose the target",
        "wrong object": "Chose a wrong object",
        "no object": "Chose no object",
        "said not there": "Said that it is not there",
        "unparsable": "The answer cannot be understood",
        "unanswered": "No answer",
    },
}
PLACES = {SAME_IMAGE: "in the right image", OTHER_IMAGE: "in an image that was not shown"}


class Side(NamedTuple):
    """One model with the verdicts on it."""

    judged: Judged
    verdicts: Verdicts


class Said(NamedTuple):
    """What one model made of an example.

    Attributes:
        model: its name.
        marks: (name, whether it is so) of every measure.
        words: what it did, in a sentence.
        quote: its caption, where it wrote one.
    """

    model: str
    marks: tuple[tuple[str, bool], ...]
    words: str
    quote: str = ""


@dataclass(frozen=True, kw_only=True)
class Card:
    """One example.

    Attributes:
        name: its id, for people.
        part: the split, setting or set that it is of.
        text: what was said; empty where it is not known.
        link: where to see more; empty where it cannot be seen.
        picture: what is to be seen, as markup of ours; empty where the dataset is not at hand.
        pictures: names and addresses of single pictures instead.
        said: what the models made of it.
    """

    name: str
    part: str
    text: str = ""
    link: str = ""
    picture: str = ""
    pictures: tuple[tuple[str, str], ...] = ()
    said: tuple[Said, ...] = ()


def cards_of(sides: Sequence[Side], rows: Sequence[np.ndarray], dataset: Entry | None, library: Library) -> list[Card]:
    """Cards for some examples.

    Args:
        sides: one model, or several.
        rows: int64 [example] for each of them, which verdicts are on these examples.
        dataset: where the examples are, if it is at hand.
        library: what may be shown.
    """
    verdicts = sides[0].verdicts
    ids = verdicts.ids[rows[0]]
    is_quoted = sides[0].judged.world == "copsref" or len(sides) == 1  # otherwise each model has its own caption
    blank = [
        Card(
            name=str(number),
            part=verdicts.parts[verdicts.part[row]],
            text=verdicts.texts[row] if verdicts.texts and is_quoted else "",
            said=tuple(_said(side, some[place]) for side, some in zip(sides, rows, strict=True)),
        )
        for place, (number, row) in enumerate(zip(ids.tolist(), rows[0].tolist(), strict=True))
    ]
    match sides[0].judged.world:
        case "grid":
            return _with_boards(blank, sides, rows, dataset) if dataset else blank
        case "copsref":
            return _with_photographs(blank, ids, dataset, library) if dataset else blank
    return [_with_rooms(card, int(number), dataset) for card, number in zip(blank, ids.tolist(), strict=True)]


def _said(side: Side, row: int) -> Said:
    judged, verdicts = side
    marks = tuple((name, bool(verdicts.right[measure][row])) for measure, name in judged.measures.items())
    missed = verdicts.misreadings[verdicts.missed[row]]
    if judged.world == "a3ds":
        caption = verdicts.texts[row] if verdicts.texts else ""
        return Said(judged.model, marks, _amiss(missed), caption or "(nothing)")
    outcome, role = verdicts.outcomes[verdicts.outcome[row]], verdicts.roles[verdicts.role[row]]
    words = OUTCOMES[judged.world].get(outcome, outcome)
    if role:
        words += f", {_role(role) if judged.world == 'grid' else PLACES.get(role, f'in an image shown as {role}')}"
    return Said(judged.model, marks, f"{words}.{_missing(missed)}")


def _amiss(missed: Sequence[str]) -> str:
    """What is wrong with a caption, in a sentence."""
    first, *others = [name.removeprefix("says ") for name in missed] or [""]
    return f"It says {', and '.join([first, *others])}." if first else ""


def _missing(missed: Sequence[str]) -> str:
    return f" Missed: {' or '.join(missed)}." if missed else ""


def _role(role: str) -> str:
    """Why a wrong object is there."""
    try:
        return f"there as {Role(role).words}"
    except ValueError:
        return "nobody recorded why it is there"


# -------------------------------------------------------------------------------- grids


def _with_boards(cards: Sequence[Card], sides: Sequence[Side], rows: Sequence[np.ndarray], entry: Entry) -> list[Card]:
    numbers = places_in(entry).find(sides[0].verdicts.ids[rows[0]])
    known = np.flatnonzero(numbers >= 0)
    read = examples_of(grid_rows(entry).take(numbers[known])) if len(known) else ()
    examples = dict(zip(known.tolist(), read, strict=True))
    plans = _plans(sides[0], rows[0]) if len(sides) == 1 else {}
    made = []
    for place, card in enumerate(cards):
        example = examples.get(place)
        if example is None:
            made.append(card)
            continue
        chosen = [int(side.verdicts.chosen[some[place]]) for side, some in zip(sides, rows, strict=True)]
        said = tuple(_named(one, example, index) for one, index in zip(card.said, chosen, strict=True))
        picture = _board(example, chosen, plans.get(example.id, ""))
        link = f"/d/{entry.slug}/{numbers[place]}"
        name = f"example {numbers[place]:,}"
        made.append(replace(card, name=name, text=example.text, link=link, picture=picture, said=said))
    return made


def _named(said: Said, example: Example, chosen: int) -> Said:
    """The same words with the object that was chosen."""
    if not 0 <= chosen < len(example.scene) or chosen == example.target:
        return said
    _, comma, rest = said.words.partition(", ")
    return said._replace(words=f"Made for the {_object(example.scene, chosen)}{comma}{rest}" if comma else said.words)


def _object(scene: GridScene, index: int) -> str:
    thing = scene.objects[index]
    return f"{thing.color} {thing.shape} of size {thing.size}"


def _plans(side: Side, rows: np.ndarray) -> dict[int, str]:
    """What the model said, where its predictions lie beside its results."""
    verdicts = side.verdicts
    found: dict[int, str] = {}
    for code in np.unique(verdicts.part[rows]).tolist():
        name = verdicts.parts[code]
        file = side.judged.entry.path / "predictions" / f"{name}.parquet"
        if "/" in name or "\\" in name or "\0" in name or not file.is_file():
            continue
        try:
            found |= find_plan_letters(file, verdicts.ids[rows[verdicts.part[rows] == code]].tolist())
        except DeixisError:
            continue  # a picture without the way is still a picture
    return found


def _board(example: Example, chosen: Sequence[int], letters: str) -> Markup:
    """The scene with the target, what was chosen instead, and the way that the model went."""
    wrong = sorted({index for index in chosen if 0 <= index < len(example.scene) and index != example.target})
    kinds = {index: example.roles[index].kind if example.roles else "random" for index in wrong}
    marks = Marks(
        target=example.target,
        mentioned=tuple(index for index, kind in kinds.items() if kind == "mentioned"),
        distractors={index: kind for index, kind in kinds.items() if kind not in ("mentioned", "target")},
    )
    try:
        way = path_of(example.scene, plan_from_letters(letters)) if letters and example.scene.agent else None
        marks = replace(marks, path=way.path, pushed=way.pushed) if way else marks
    except DeixisError:
        pass  # a plan that is none has no way
    drawn = str(draw_board(example.scene, marks=marks, title=example.text))
    for index in wrong:
        plain = f'class="object" data-object="{index}"'
        drawn = drawn.replace(plain, plain.replace("object", "object chosen", 1))
    return Markup(drawn)  # noqa: S704 (our own makers wrote it)


# -------------------------------------------------------------------------------- 3D Shapes


def _with_rooms(card: Card, pair: int, entry: Entry | None) -> Card:
    target, other = divmod(pair, IMAGES)
    link = f"/d/{entry.slug}/image/{target}" if entry else ""
    return replace(
        card,
        name=f"{target} beside {other}",
        link=link,
        pictures=((f"target, image {target}", _room(target)), (f"distractor, image {other}", _room(other))),
    )


@lru_cache(maxsize=512)
def _room(number: int) -> str:
    return "data:image/png;base64," + b64encode(draw_png(number, size=ROOM_PIXELS)).decode()


# -------------------------------------------------------------------------------- photographs


def _with_photographs(cards: Sequence[Card], ids: np.ndarray, entry: Entry, library: Library) -> list[Card]:
    wanted = {int(number) for number in ids.tolist()}
    known: dict[int, tuple[str, str, str]] = {}
    for table in entry.data.dataset.tables(columns=["id", "text", "image", "object"]):
        numbers = table["id"].to_numpy()
        rows = np.flatnonzero(np.isin(numbers.astype(np.uint64), ids))
        for values in table.take(rows).to_pylist() if len(rows) else ():
            if values["id"] in wanted:
                known[values["id"]] = values["text"], values["image"], values["object"]
    made = []
    for card, number in zip(cards, ids.tolist(), strict=True):
        text, image, thing = known.get(number, ("", "", ""))
        is_same = number in known and text == card.text
        picture = _photograph(library, entry, image, thing) if is_same else Markup("")
        made.append(replace(card, link=f"/d/{entry.slug}/{number}", picture=picture) if is_same else card)
    return made


def _photograph(library: Library, entry: Entry, image: str, thing: str) -> Markup:
    table = entry.data.scenes
    try:
        return photograph_picture(entry, library, table.scene(table.find(image)), thing)
    except DeixisError:
        return Markup("")
