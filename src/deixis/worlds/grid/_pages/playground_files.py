"""Boards in addresses and files, and downloads from the playground: a test in Python, plain values, and pictures.

The plain values are those that `deixis explain --scene` reads. In an address a board is its side, its agent and its
objects, joined with underscores: `6_a0.5s_rc2.1.1` is a board of 6 by 6 cells with an agent at row 0, column 5 that
faces south, and a red circle of size 2 at row 1, column 1.
"""

from __future__ import annotations

import json
import re
from textwrap import indent
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from deixis.errors import AmbiguousExpression, SchemaError, UnknownName
from deixis.worlds.grid.actions import plan_to_letters
from deixis.worlds.grid.draw import Look, animate_gif, animate_svg, draw_png, draw_svg
from deixis.worlds.grid.drawn import draw_text
from deixis.worlds.grid.language import realise
from deixis.worlds.grid.scene import COLORS, SHAPES, SIZES, Agent, Facing, GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deixis.language.utterance import Utterance
    from deixis.worlds.grid._pages.playground_verdict import Judgement
    from deixis.worlds.grid.actions import Plan


MIN_SIDE, MAX_SIDE = 4, 16
MAX_OBJECTS = 48
FIELDS = ("shape", "color", "size", "row", "column")
SHAPE_LETTERS = dict(zip("cysx", SHAPES, strict=True))
COLOR_LETTERS = {color[0]: color for color in COLORS}
FACING_LETTERS = {facing.name[0].lower(): facing for facing in Facing}
AGENT = re.compile(r"a(\d{1,3})\.(\d{1,3})([eswn])", re.ASCII)
OBJECT = re.compile(r"([rbgy])([cysx])(\d)\.(\d{1,3})\.(\d{1,3})", re.ASCII)
Theme: TypeAlias = Literal["light", "dark"]
WIDEST = 560  # pixels of a board
MAX_GIF_ACTIONS = 100  # several seconds of drawing; the SVG can be longer


def to_address(scene: GridScene) -> str:
    """Return a board as a short text that needs no escaping in an address."""
    shapes = {shape: letter for letter, shape in SHAPE_LETTERS.items()}
    things = [f"{t.color[0]}{shapes[t.shape]}{t.size}.{t.row}.{t.column}" for t in scene.objects]
    agent = scene.agent
    place = [f"a{agent.row}.{agent.column}{agent.facing.name[0].lower()}"] if agent else []
    return "_".join([str(scene.size), *place, *things])


def from_address(text: str) -> GridScene:
    """Read the board that `to_address` wrote.

    Raises:
        SchemaError: when it is none, or one that the playground does not take.
    """
    side, *pieces = text.split("_")
    if not (side.isascii() and side.isdecimal() and len(side) < 4):
        raise SchemaError(f"the board in this address begins with {side[:20]!r} instead of the length of its side")
    agent: Agent | None = None
    objects = []
    for piece in pieces:
        if found := AGENT.fullmatch(piece):
            agent = Agent(int(found[1]), int(found[2]), FACING_LETTERS[found[3]])
        elif found := OBJECT.fullmatch(piece):
            shape, color = SHAPE_LETTERS[found[2]], COLOR_LETTERS[found[1]]
            objects.append(GridObject(shape, color, *(int(found[k]) for k in (3, 4, 5))))
        else:
            raise SchemaError(f"the board in this address has {piece[:20]!r}; an object is written like rc2.1.1")
    return check_bounds(GridScene(tuple(objects), size=int(side), agent=agent))


def to_plain(scene: GridScene) -> dict[str, Any]:
    """Return a board as plain values."""
    agent = scene.agent
    place = {"row": agent.row, "column": agent.column, "facing": agent.facing.name.lower()} if agent else None
    objects = [{name: getattr(thing, name) for name in FIELDS} for thing in scene.objects]
    return {"size": scene.size, "agent": place, "objects": objects}


def from_plain(fields: object) -> GridScene:
    """Return the board of plain values.

    Raises:
        SchemaError: when they are none, or one that the playground does not take.
    """
    table = _table(fields, "the board", ("size", "agent", "objects"))
    entries = table.get("objects")
    if not isinstance(entries, list):
        raise SchemaError("the board has no list of objects")
    if len(entries) > MAX_OBJECTS:
        raise SchemaError(_too_many(len(entries)))
    objects = tuple(_object(entry, number) for number, entry in enumerate(entries))
    agent = None if table.get("agent") is None else _agent(table["agent"])
    return check_bounds(GridScene(objects, size=_whole(table, "size", "the board"), agent=agent))


def check_bounds(scene: GridScene) -> GridScene:
    """Return the scene, or raise an error where the playground does not take it."""
    if not MIN_SIDE <= scene.size <= MAX_SIDE:
        raise SchemaError(f"a board of the playground has {MIN_SIDE} to {MAX_SIDE} cells a side, got {scene.size}")
    if len(scene) > MAX_OBJECTS:
        raise SchemaError(_too_many(len(scene)))
    return scene


def _too_many(count: int) -> str:
    return f"a board of the playground holds at most {MAX_OBJECTS} objects, got {count}"


def _object(entry: object, number: int) -> GridObject:
    what = f"object {number}"
    table = _table(entry, what, FIELDS)
    shape, color = (str(table.get(name))[:20] for name in ("shape", "color"))
    size = _whole(table, "size", what)
    if not 1 <= size <= len(SIZES):
        raise SchemaError(f"the size of {what} must be 1 to {len(SIZES)}, got {size}")
    return GridObject(shape, color, size, _whole(table, "row", what), _whole(table, "column", what))


def _agent(entry: object) -> Agent:
    table = _table(entry, "the agent", ("row", "column", "facing"))
    facing = str(table.get("facing", "east")).upper()
    if facing not in Facing.__members__:
        raise SchemaError(f"the agent cannot face {facing[:20].lower()!r}; known: east, south, west, north")
    return Agent(_whole(table, "row", "the agent"), _whole(table, "column", "the agent"), Facing[facing])


def _table(entry: object, what: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(entry, dict) or entry.keys() - set(names):
        raise SchemaError(f"{what} must have the fields {', '.join(names)} and no others")
    return entry


def _whole(fields: Mapping[str, Any], name: str, what: str) -> int:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1000:
        raise SchemaError(f"{what} needs a small whole number as {name}, got {str(value)[:20]!r}")
    return value


# -------------------------------------------------------------------------------- files


class PlaygroundFile(NamedTuple):
    """A file: its content and its type."""

    content: bytes
    media_type: str


def make_file(name: str, judgement: Judgement, *, theme: Theme = "light") -> PlaygroundFile:
    """Return one of the files of a text on a board.

    Raises:
        UnknownName: when there is no file of this name.
        AmbiguousExpression: for a plan where there is none.
        ParseError: for a test or values where the text cannot be read.
    """
    if name not in FILES:
        raise UnknownName(f"the playground has no file {name!r}; it has {', '.join(FILES)}")
    media_type, make = FILES[name]
    content = make(judgement, theme)
    return PlaygroundFile(content if isinstance(content, bytes) else content.encode(), media_type)


def ready(judgement: Judgement) -> list[str]:
    """Return the names of the files that can be made of a text on a board."""
    lacking: set[str] = set()
    if judgement.explanation is None:
        lacking |= {"fixture.json", "test_fixture.py"}
    if not judgement.can_be_watched:
        lacking |= {"plan.svg", "plan.gif"}
    elif len(judgement.plan or ()) > MAX_GIF_ACTIONS:
        lacking.add("plan.gif")
    return [name for name in FILES if name not in lacking]


def _svg(judgement: Judgement, theme: Theme) -> str:
    return draw_svg(judgement.scene, marks=judgement.marks, look=_still(judgement, theme), title=judgement.text)


def _png(judgement: Judgement, theme: Theme) -> bytes:
    return draw_png(judgement.scene, marks=judgement.marks, look=_still(judgement, theme), title=judgement.text)


def _moving_svg(judgement: Judgement, theme: Theme) -> str:
    look = Look(cell=cell_for(judgement.scene, WIDEST * 2 // 3), theme=theme)
    return animate_svg(judgement.scene, _plan(judgement), marks=judgement.marks, look=look)


def _gif(judgement: Judgement, theme: Theme) -> bytes:
    if len(_plan(judgement)) > MAX_GIF_ACTIONS:
        count = len(_plan(judgement))
        raise SchemaError(
            f"a GIF of the playground shows at most {MAX_GIF_ACTIONS} actions, got {count}; take plan.svg"
        )
    look = Look(cell=cell_for(judgement.scene, WIDEST * 2 // 3), theme=theme)
    return animate_gif(judgement.scene, _plan(judgement), marks=judgement.marks, look=look, title=judgement.text)


def _json(judgement: Judgement, theme: Theme) -> str:
    del theme
    _demand_read(judgement)
    values: dict[str, Any] = {"text": judgement.text, "world": to_plain(judgement.scene)}
    if judgement.explanation is not None:
        values |= {"referents": list(judgement.referents), "target": judgement.target}
    if judgement.necessities:
        values["necessary"] = [{"words": part.words, "needed": part.is_necessary} for part in judgement.necessities]
    if judgement.plan is not None:
        values["plan"] = [action.words for action in judgement.plan]
    return json.dumps(values, ensure_ascii=False, indent=2) + "\n"


def _python(judgement: Judgement, theme: Theme) -> str:
    """A test that says what was found; it needs pytest and deixis, and nothing else."""
    del theme
    said, explanation = _demand_read(judgement), judgement.explanation
    if explanation is None:
        raise AmbiguousExpression(judgement.refusal)
    instruction = said.instruction
    text = json.dumps(realise(instruction, determiners=said.determiners).text)
    picture = indent(draw_text(judgement.scene, numbered=True), " " * 8)
    imports = ["import deixis as dx"]
    found = f"{len(judgement.referents)} object{'' if len(judgement.referents) == 1 else 's'}"
    body = [f'    """{text[1:-1].capitalize()}: {found}."""', f'    scene = dx.grid("""\n{picture}\n    """)']
    if instruction.verb:
        body += [f"    instruction = dx.parse_instruction({text})", "    expression = instruction.expression"]
    else:
        body.append(f"    expression = dx.parse({text})")
    body += ["", f"    assert sorted(dx.resolve(expression, scene).indices) == {list(judgement.referents)}"]
    if judgement.target is not None:
        needed = [part.is_necessary for part in explanation.parts]
        body.append(f"    context = dx.Context.of(scene, {judgement.target})")
        body.append(f"    assert list(dx.necessity(expression, context).values()) == {needed}")
    if judgement.plan is not None:
        imports += [
            "from deixis.worlds.grid.actions import Manner, Verb, plan_to_letters",
            "from deixis.worlds.grid.plan import plan",
        ]
        body.append(
            f"    actions = plan(scene, {judgement.target}, Verb(instruction.verb), Manner(instruction.manner))"
        )
        body.append(f'    assert plan_to_letters(actions) == "{plan_to_letters(judgement.plan)}"')
    return "\n".join([*imports, "", "", "def test_what_is_picked_out():", *body, ""])


def cell_for(scene: GridScene, width: int = WIDEST) -> int:
    """Return the side of a cell for a board of about a width, bounded so that a small board does not look coarse."""
    return max(20, min(72, width // scene.size))


def _still(judgement: Judgement, theme: Theme) -> Look:
    has_title = not judgement.is_blank
    return Look(cell=cell_for(judgement.scene), theme=theme, heading=has_title, legend=has_title)


def _plan(judgement: Judgement) -> Plan:
    if judgement.plan is None:
        raise AmbiguousExpression(judgement.why_no_plan or "there is no plan to show: the text cannot be read yet")
    return judgement.plan


def _demand_read(judgement: Judgement) -> Utterance:
    if judgement.utterance is None:
        raise judgement.error or AmbiguousExpression("there is nothing to save yet; say which object you mean")
    return judgement.utterance


FILES: dict[str, tuple[str, Callable[[Judgement, Theme], str | bytes]]] = {
    "scene.svg": ("image/svg+xml", _svg),
    "scene.png": ("image/png", _png),
    "plan.svg": ("image/svg+xml", _moving_svg),
    "plan.gif": ("image/gif", _gif),
    "fixture.json": ("application/json", _json),
    "test_fixture.py": ("text/x-python", _python),
}
