"""Single edits of a scene before it is drawn: what makes a twin of it.

| edit | what is done |
|---|---|
| `recolour` | a thing gets another colour |
| `restyle` | a thing gets another material, pattern, shape, state or size |
| `retype` | a thing becomes one of another kind that can be where it is and do what it does |
| `swap colours` | two things exchange their colours |
| `swap places` | two things, each with all that is on it, worn or held, exchange their places |
| `stand in` | the same, and the second thing takes the colour of the first, too |
| `move` | a thing, with all that belongs to it, moves to the left or right |
| `add` | another thing of the same kind and look is put beside it |
| `take away` | a thing goes, with all that is on it |
| `flip` | the whole picture is flipped left to right |

An edit is told by numbers of things and a value, so that a scene can be set up and edited again on another machine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from deixis.worlds.photos.imagine._kinds import KINDS, UNSAID_COLORS
from deixis.worlds.photos.imagine._pen import Frame
from deixis.worlds.photos.imagine._stage import Stage
from deixis.worlds.photos.imagine._textures import COLORS, IMPLIED


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deixis.worlds.photos.imagine._chance import Chance
    from deixis.worlds.photos.imagine._stage import Edges, Path, Thing


SHAPES_ALIKE, SIZES_ALIKE = 1.6, 2.0  # by how much kinds may differ in ratio and height that stand in for each other
PEOPLE = (("man", "woman"), ("boy", "girl"))
CLOTHES = (("shirt", "jacket"), ("pants", "jeans", "shorts"), ("hat", "cap"))
POSTURES = frozenset(("standing", "sitting", "lying", "eating", "flying"))  # of which relations speak, too
OPPOSITE = {"large": "small", "small": "large", "tall": "short", "short": "tall"}
GROWN = {"small": 0.55, "large": 1.8, "short": 0.7, "tall": 1.4}
MOVED = 0.22  # of the width of the picture: at least so far is something moved


class Edit(NamedTuple):
    """One edit: what is done, to which things by their numbers on the stage, and with what value."""

    kind: str
    one: int = -1
    other: int = -1
    value: str = ""


def with_edits(stage: Stage, edits: Iterable[Edit]) -> Stage:
    """Return a copy of a stage with some edits made, in order; `flip` is made when the scene is told and drawn."""
    copy = Stage(stage.width, stage.height, stage.chance)
    copy.things = [replace(thing, words=list(thing.words), taken=list(thing.taken)) for thing in stage.things]
    copy.links, copy.strings = dict(stage.links), list(stage.strings)
    copy.far, copy.near, copy.horizon = stage.far, stage.near, stage.horizon
    for edit in edits:
        _MAKERS[edit.kind](copy, edit)
    return copy


def edits_about(stage: Stage, things: Sequence[int], chance: Chance) -> list[Edit]:
    """Return edits of a scene that change some of its things, in an order that serves most wants first."""
    mentioned = [stage.things[number] for number in things]
    each = [_edits_of(stage, thing, mentioned, chance) for thing in mentioned]
    rounds = (some[place] for place in range(max(map(len, each), default=0)) for some in each if len(some) > place)
    return list(dict.fromkeys((Edit("flip"), *rounds)))


def _edits_of(stage: Stage, thing: Thing, mentioned: Sequence[Thing], chance: Chance) -> list[Edit]:
    """Return edits of one thing, of several sorts in turn."""
    number = thing.number
    others = [t for t in stage.things if _can_swap_places(stage, thing, t)]
    others.sort(key=lambda t: (t.name == thing.name, abs((t.box[3] - t.box[1]) / (thing.box[3] - thing.box[1]) - 1)))
    sorts: list[list[Edit]] = [
        [Edit("recolour", number, value=color) for color in _other_colours(thing, chance)],
        [Edit("retype", number, value=name) for name in _other_kinds(stage, thing, chance)],
        [Edit("swap places", number, other.number) for other in mentioned if other in others],
        [Edit("restyle", number, value=value) for value in _other_styles(thing, chance)],
        [Edit("swap colours", number, o.number) for o in mentioned if o is not thing and _can_swap_colours(thing, o)],
        [Edit("move", number, value=f"{by:.1f}") for by in _ways(stage, thing, chance)],
        [Edit("stand in", number, o.number) for o in others if o.name != thing.name and _can_take_colour(o, thing)][:2],
        [Edit("swap places", number, other.number) for other in others[:3]],
        [Edit("take away", number)] if thing.level in ("worn", "top", "held") else [],
        [Edit("add", number, value=f"{_beside(stage, thing, chance):.1f}")]
        if thing.level in ("ground", "top", "wall") and not _group(stage, thing)[1:]
        else [],
    ]
    found = [some[place] for place in range(max(map(len, sorts))) for some in sorts if len(some) > place]
    return [
        edit._replace(one=edit.other, other=edit.one)
        if edit.kind != "stand in" and -1 < edit.other < edit.one
        else edit
        for edit in found
    ]


def neutral_edits(stage: Stage, spared: Iterable[int], chance: Chance) -> tuple[Edit, ...]:
    """Return one or two changes of colour of things that nobody speaks of, as far as there are any."""
    kept = set(spared)
    free = [t for t in stage.things if t.number not in kept and t.level not in ("gone", "backdrop")]
    found = [(t, colors) for t in free if (colors := _other_colours(t, chance))]
    count = min(len(found), 1 + chance.below(2))
    chosen = [found.pop(chance.below(len(found))) for _ in range(count)]
    return tuple(Edit("recolour", thing.number, value=colors[0]) for thing, colors in chosen)


# -------------------------------------------------------------------------------- what can be done


def _other_colours(thing: Thing, chance: Chance) -> list[str]:
    if thing.name in UNSAID_COLORS or thing.name == "traffic light":
        return []
    colors = [
        c for c in dict.fromkeys(KINDS[thing.name].colors) if c not in thing.words and IMPLIED.get(c) not in thing.words
    ]
    chosen: list[str] = []
    while colors and len(chosen) < 2:
        chosen.append(colors.pop(chance.below(len(colors))))
    return chosen


def _other_kinds(stage: Stage, thing: Thing, chance: Chance) -> list[str]:
    """Return the names of kinds that can stand in for a thing: people, clothes, or others of its size."""
    for group in (*PEOPLE, *CLOTHES):
        if thing.name in group:
            is_bald = "bald" in thing.words
            return [name for name in group if name != thing.name and not is_bald]
    kind = KINDS[thing.name]
    if (
        thing.level not in ("ground", "top", "wall", "scenery")
        or thing.sprite != thing.name
        or _group(stage, thing)[1:]
    ):
        return []
    if kind.name in ("traffic light", "zebra"):
        return []
    color = _colour(thing)
    names = [
        other.name
        for other in KINDS.values()
        if other.name != kind.name
        and thing.look.state in other.states
        and (color in other.colors or thing.name in UNSAID_COLORS)
        and (other.name not in UNSAID_COLORS or thing.name in UNSAID_COLORS)
        and (not thing.look.texture or thing.look.texture in other.materials)
        and (not thing.look.pattern or thing.look.pattern in other.patterns)
        and max(kind.ratio / other.ratio, other.ratio / kind.ratio) <= SHAPES_ALIKE
        and max(kind.height / other.height, other.height / kind.height) <= SIZES_ALIKE
        and other.name not in SELDOM_ALONE
    ]
    here = [name for name in names if stage.count(name)]
    chosen = here[:1]
    names = [name for name in names if name not in chosen]
    while names and len(chosen) < 2:
        chosen.append(names.pop(chance.below(len(names))))
    return chosen


SELDOM_ALONE = frozenset(name for group in CLOTHES for name in group) | {
    "dress", "skirt", "shoes", "helmet", "glasses", "tie", "scarf", "wall", "floor", "ceiling", "sky", "ground",
    "grass", "sand", "street", "road", "sidewalk", "water", "ocean", "snow", "mountain", "hill", "wheel", "airplane",
}  # fmt: skip


def _other_styles(thing: Thing, chance: Chance) -> list[str]:
    """Return other materials, patterns, shapes, states and sizes of a thing, as `what it is: what it becomes`."""
    if thing.look.body is not None:
        return ["smiling:"] if "smiling" in thing.words and thing.level == "ground" else []
    if thing.name == "traffic light" or thing.level == "worn":
        return []
    kind = KINDS[thing.name]
    found: list[str] = []
    states = () if POSTURES & {*kind.states} else kind.states
    for word, options in (
        (thing.look.texture, kind.materials),
        (thing.look.pattern, ("", *kind.patterns)),
        (thing.look.shape, kind.shapes),
        (thing.look.state, states),
    ):
        others = [option for option in dict.fromkeys(options) if option != word]
        if word and word in thing.words and others:
            found.append(f"{word}:{others[chance.below(len(others))]}")
    found += [f"{word}:{OPPOSITE[word]}" for word in thing.words if word in OPPOSITE]
    return found


def _ways(stage: Stage, thing: Thing, chance: Chance) -> list[float]:
    """Return how far a thing can be moved to either side."""
    if thing.level not in ("ground", "wall") or "riding" in thing.words:
        return []
    group = _group(stage, thing)
    left, right = min(t.box[0] for t in group), max(t.box[2] for t in group)
    least = MOVED * stage.width
    ways = []
    if left > least:
        ways.append(-chance.between(least, max(least, left)))
    if stage.width - right > least:
        ways.append(chance.between(least, max(least, stage.width - right)))
    return ways


def _beside(stage: Stage, thing: Thing, chance: Chance) -> float:
    wide = thing.box[2] - thing.box[0]
    return (1.4 * wide + chance.between(0, 0.2 * stage.width)) * (1 if thing.box[2] + 1.5 * wide < stage.width else -1)


def _can_swap_colours(one: Thing, other: Thing) -> bool:
    names = (one.name, other.name)
    if any(name in UNSAID_COLORS or name == "traffic light" for name in names):
        return False
    return _colour(one) != _colour(other) and _may_be(one, _colour(other)) and _may_be(other, _colour(one))


def _can_take_colour(thing: Thing, other: Thing) -> bool:
    """Return whether a thing may have the colour of another, and has it not."""
    color = _colour(other)
    return color not in thing.words and _may_be(thing, color) and bool(_colour(thing))


def _may_be(thing: Thing, color: str) -> bool:
    """Return whether things of a kind have a colour: a grass that is pink would tell that it is edited."""
    return color in KINDS[thing.name].colors


def _can_swap_places(stage: Stage, one: Thing, other: Thing) -> bool:
    is_apart = one not in _group(stage, other) and other not in _group(stage, one)
    is_movable = one.level == other.level and one.level in ("ground", "top", "wall", "scenery")
    return one is not other and is_apart and is_movable


def _colour(thing: Thing) -> str:
    return next((word for word in thing.words if word in COLORS), "")


def _group(stage: Stage, thing: Thing) -> list[Thing]:
    """Return a thing, and all that is on it, part of it, worn or held by it."""
    group, numbers = [thing], {thing.number}
    for other in stage.things:  # hosts stand before what they host, but for riders and what is behind
        host = other.host
        while host is not None:
            if host == thing.number and other.number not in numbers and other is not thing:
                group.append(other)
                numbers.add(other.number)
            host = stage.things[host].host
    return group


# -------------------------------------------------------------------------------- how it is done


def _recolour(stage: Stage, edit: Edit) -> None:
    _paint(stage.things[edit.one], edit.value)


def _paint(thing: Thing, color: str) -> None:
    old = {*COLORS, *IMPLIED.values()}
    thing.look = replace(thing.look, color=COLORS[color])
    implied = [IMPLIED[color]] if color in IMPLIED else []
    thing.words = [color, *implied, *(word for word in thing.words if word not in old)]


def _retype(stage: Stage, edit: Edit) -> None:
    thing = stage.things[edit.one]
    if thing.level != "worn" and thing.look.body is None:
        old, new = KINDS[thing.name], KINDS[edit.value]
        left, top, right, bottom = thing.box
        height = (bottom - top) * min(1.3, max(0.75, new.height / old.height))
        width = height * (right - left) / (bottom - top) * new.ratio / old.ratio
        middle = (left + right) / 2
        _put(thing, (middle - width / 2, bottom - height, middle + width / 2, bottom))
    thing.name = thing.sprite = edit.value


def _restyle(stage: Stage, edit: Edit) -> None:
    thing = stage.things[edit.one]
    old, _, new = edit.value.partition(":")
    thing.words = [*(word for word in thing.words if word != old), *([new] if new else [])]
    look = thing.look
    if old in OPPOSITE:
        foot = ((thing.box[0] + thing.box[2]) / 2, thing.box[3])
        for each in _group(stage, thing):
            _carry(each, foot, foot, GROWN[new])
    elif old == "smiling":
        thing.look = replace(look, state=" ".join(word for word in look.state.split() if word != old))
    elif old == look.texture:
        thing.look = replace(look, texture=new)
    elif old == look.pattern:
        thing.look = replace(look, pattern=new)
    elif old == look.shape:
        thing.look = replace(look, shape=new)
    else:
        thing.look = replace(look, state=new)


def _swap_colours(stage: Stage, edit: Edit) -> None:
    one, other = stage.things[edit.one], stage.things[edit.other]
    first, second = _colour(one), _colour(other)
    _paint(one, second)
    _paint(other, first)


def _swap_places(stage: Stage, edit: Edit) -> None:
    one, other = stage.things[edit.one], stage.things[edit.other]
    groups = _group(stage, one), _group(stage, other)
    first, second = _spot(one), _spot(other)
    for group, here, there in ((groups[0], first, second), (groups[1], second, first)):
        grown = min(1.6, max(0.6, there.scale / here.scale))
        for thing in group:
            _carry(thing, here.foot, there.foot, grown)
            thing.path = (*_in_place_of(there.path, here.path), *thing.path[len(here.path) :])
            thing.scale *= grown
    _exchange_hosts(stage, one, other)


class _Spot(NamedTuple):
    """The place of a thing: the middle of its foot, the pixels of a metre there, and the painting order."""

    foot: tuple[float, float]
    scale: float
    path: Path


def _spot(thing: Thing) -> _Spot:
    return _Spot(((thing.box[0] + thing.box[2]) / 2, thing.box[3]), thing.scale or 1.0, thing.path)


def _in_place_of(there: Path, here: Path) -> Path:
    """Return the place in the painting order of what was there, told apart by the number of what comes."""
    return (*there[:-1], (there[-1][0], here[-1][1]))


def _exchange_hosts(stage: Stage, one: Thing, other: Thing) -> None:
    """Write what was said of each thing and what it is on, of the other instead."""
    first, second = one.host, other.host
    one.host, other.host = second, first
    if first == second:
        return
    moved = {one.number: (first, second), other.number: (second, first)}
    links: dict[tuple[int, str, int], None] = {}
    for subject, relation, thing in stage.links:
        for mine, (old, new) in moved.items():
            if subject == mine and thing == old and new is not None:
                thing = new  # noqa: PLW2901 (said of where it is now)
                break
            if thing == mine and subject == old and new is not None:
                subject = new  # noqa: PLW2901
                break
        links[subject, relation, thing] = None
    stage.links = links


def _stand_in(stage: Stage, edit: Edit) -> None:
    _swap_places(stage, edit)
    _paint(stage.things[edit.other], _colour(stage.things[edit.one]))


def _move(stage: Stage, edit: Edit) -> None:
    thing, by = stage.things[edit.one], float(edit.value)
    for each in _group(stage, thing):
        _carry(each, (0.0, 0.0), (by, 0.0), 1.0)


def _add(stage: Stage, edit: Edit) -> None:
    thing, by = stage.things[edit.one], float(edit.value)
    number = len(stage.things)
    *rest, (depth, _) = thing.path
    copy = replace(thing, number=number, words=list(thing.words), taken=[], path=(*rest, (depth, number)))
    _carry(copy, (0.0, 0.0), (by, 0.0), 1.0)
    stage.things.append(copy)
    for subject, relation, other in list(stage.links):
        if subject == thing.number and other == thing.host:
            stage.links[number, relation, other] = None
        if other == thing.number and subject == thing.host:
            stage.links[subject, relation, number] = None


def _take_away(stage: Stage, edit: Edit) -> None:
    for each in _group(stage, stage.things[edit.one]):
        each.level = "gone"


def _carry(thing: Thing, start: tuple[float, float], end: tuple[float, float], grown: float) -> None:
    """Move a thing so that one point comes to lie where another is, larger or smaller around it."""

    def there(x: float, y: float) -> tuple[float, float]:
        return end[0] + (x - start[0]) * grown, end[1] + (y - start[1]) * grown

    frame = thing.frame
    thing.frame = Frame(*there(frame.x, frame.y), frame.across * grown, frame.down * grown)
    left, top, right, bottom = thing.box
    thing.box = (*there(left, top), *there(right, bottom))
    thing.foot = there(0.0, thing.foot)[1]


def _put(thing: Thing, box: Edges) -> None:
    """Give a thing another box, facing as it did."""
    left, top, right, bottom = box
    thing.box = box
    if thing.frame.across < 0:
        thing.frame = Frame(right, top, left - right, bottom - top)
    else:
        thing.frame = Frame(left, top, right - left, bottom - top)


def _flip(stage: Stage, edit: Edit) -> None:
    """Leave the stage as it is: the picture is flipped in the end, see `making._twinned`."""
    del stage, edit


_MAKERS = {
    "recolour": _recolour,
    "retype": _retype,
    "restyle": _restyle,
    "swap colours": _swap_colours,
    "stand in": _stand_in,
    "swap places": _swap_places,
    "move": _move,
    "add": _add,
    "take away": _take_away,
    "flip": _flip,
}
