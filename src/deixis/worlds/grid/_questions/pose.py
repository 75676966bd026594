"""Commands in grid worlds as prompts: the board as a list, drawn with signs, or as a picture."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis.errors import SchemaError
from deixis.judge.boxes import Box
from deixis.prompts._box_forms import ask_for_box
from deixis.prompts._box_questions import BoxQuestion, form_of, is_box, pose_box
from deixis.prompts.question import ClickArea, GoldMessage, Message, Picture, View
from deixis.worlds.grid._pictures.board import cell_boxes, object_boxes
from deixis.worlds.grid.draw import Look, draw_png
from deixis.worlds.grid.drawn import draw_text


if TYPE_CHECKING:
    from deixis.prompts.question import Part
    from deixis.worlds.grid._questions.gold import GridGold
    from deixis.worlds.grid.scene import GridScene


LOOK = Look(cell=80, numbers=True)

THINGS = """\
You see a board of square cells with objects and an agent. Rows are numbered from 0 at the top, columns from 0 at the \
left; a cell is written (row, column). North is up, east is right.
Objects are circles, cylinders, squares and boxes, each red, blue, green or yellow, with a size from 1 to 4.
- A box of size n covers n rows and n columns, from its own cell downwards and to the right. Whatever lies in one of \
these cells is inside of the box.
- "Small" and "big" compare an object with all others of the colour and shape named in the same phrase.
- "In the same row" and "in the same column" are about the objects' own cells. An "object" can be of any shape."""

CARRYING_OUT = """\
Commands are carried out with six actions: turn left, turn right, walk (one cell ahead), push, pull, stay.
1. Go to the cell of the object that is meant: first all steps east or west, then all steps north or south. Turn only \
where needed, the shorter way, and half round with two left turns. Objects do not block the way.
2. To push it, go on pushing in the direction that you face until it meets the edge or another object; to pull it, \
pull it backwards as far, without turning. You move along with it. Sizes 1 and 2 move one cell with each push or pull, \
sizes 3 and 4 with every second. Boxes block nothing and never move: only walk to them.
3. Manners: "while zigzagging" takes one step east or west and one step north or south by turns, as long as both are \
left. "While spinning" turns left four times before each walk, push or pull (and before the turns that it needs). \
"Cautiously" turns left, right, right and left immediately before each walk, push or pull. "Hesitantly" stays once \
after each walk, push or pull."""

ASKED = {
    "actions": "Which actions carry out the command? You may think first. End with one line that lists all actions in "
    "order, separated by commas, for example:\nAnswer: turn left, walk, walk, push",
    "target": "Which object is the command about? You may think first. End with one line that gives the cell of this "
    "object (of a box, its own cell: the upper left one), for example:\nAnswer: (2, 5)",
}
ASKED_FOR_BOX = """\
The expression is a command to the agent; what it describes is the object to walk to, to push or to pull, as large as \
it is drawn. """
FOR_PEOPLE = """\
You see a board with circles, cylinders, squares and boxes in four colours and four sizes, and an agent, the dark \
arrow. Each board comes with a command to the agent. Choose the object that the command is about: the one to walk to, \
to push or to pull. Nothing else matters, not even how the agent gets there.

- "Small" and "big" compare an object with all others of the colour and shape named in the same phrase.
- A box is a frame. Whatever lies inside the frame is inside of the box. To choose the box itself, click an empty part \
of it.
- "In the same row" and "in the same column" are about the cells in which things lie, of a box its upper left one.
- An "object" can be of any shape."""
SIGNS = """\
The board is drawn with one token for each cell: a colour (r red, b blue, g green, y yellow), a shape (○ circle, \
▱ cylinder, □ square, ▣ box, in its upper left cell) and a size, so that r○2 is a red circle of size 2. The agent is \
> v < or ^ as it faces east, south, west or north, a dot is an empty cell, and + joins things in one cell."""
SEEN = """\
The board is a picture with the numbers of rows and columns along its edges. Boxes are drawn as frames. The agent is \
the dark arrow, which points where it faces. Objects are drawn in four sizes, 1 being the smallest, and boxes as large \
as what they cover."""


def grid_instructions(answer: str, style: str) -> Message:
    """Return the instructions before the first command."""
    parts = [THINGS]
    parts += [SIGNS] * (style == "board") + [SEEN] * (style == "image")
    parts += [CARRYING_OUT] * (answer == "actions")
    asked = ASKED_FOR_BOX if is_box(answer) else ASKED[answer]
    if is_box(answer):
        asked += ask_for_box(form_of(answer), has_several=False, may_be_none=False, may_be_many=False)
    return Message("system", ("\n\n".join((*parts, asked)),))


def grid_question(gold: GridGold, style: str) -> Message:
    """Return one board with its command, without a hint at the target."""
    scene = in_reading_order(gold.example.scene)
    shown: Part
    if style == "image":
        shown = Picture(draw_png(scene, look=LOOK, scale=1), "the board")
    else:
        shown = _list_board(scene) if style == "text" else _draw_board(scene)
    return Message("user", (shown, f"Command: {gold.example.text}"))


def grid_box(gold: GridGold, answer: str) -> GoldMessage:
    """Return one board with its command, and the box of the object that is meant as it is drawn."""
    scene = in_reading_order(gold.example.scene)
    png = draw_png(scene, look=LOOK, scale=1)
    boxes = [Box(*box) for box in object_boxes(scene, LOOK)]
    order = reading_order(gold.example.scene)
    question = BoxQuestion(
        text=gold.example.text,
        ask=f"Expression: {gold.example.text}",
        views=(View.of(png, boxes),),
        target=(0, order.index(gold.example.target)),
        misreadings=(tuple(gold.misreadings_of(number) for number in order),),
        split=gold.groups["split"],
        facts={"pattern": gold.groups["pattern"]},
    )
    return pose_box(question, answer)


def grid_areas(gold: GridGold) -> tuple[ClickArea, ...]:
    """Return the cells of every object on the picture of a board, each for the object's own cell."""
    scene = in_reading_order(gold.example.scene)
    pairs = zip(scene.objects, cell_boxes(scene, LOOK), strict=True)
    return tuple(dict.fromkeys(ClickArea(f"({thing.row}, {thing.column})", 0, box) for thing, box in pairs))


def in_reading_order(scene: GridScene) -> GridScene:
    """Return the scene with its objects numbered in reading order, regardless of their roles."""
    return replace(scene, objects=tuple(scene.objects[number] for number in reading_order(scene)))


def reading_order(scene: GridScene) -> list[int]:
    """Return the numbers of all objects in reading order."""

    def key(number: int) -> tuple[object, ...]:
        thing = scene.objects[number]
        return thing.row, thing.column, thing.is_box, thing.codes()

    return sorted(range(len(scene)), key=key)


def _list_board(scene: GridScene) -> str:
    lines = [f"- ({one.row}, {one.column}): {one.color} {one.shape} of size {one.size}" for one in scene.objects]
    return "\n".join((f"Board of {scene.size} rows and {scene.size} columns, with:", *lines, _agent(scene)))


def _draw_board(scene: GridScene) -> str:
    """Return the board under its column numbers, beside its row numbers."""
    rows = [line.split() for line in draw_text(scene).splitlines()]
    head = [str(column) for column in range(scene.size)]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        f"{mark:>2} " + " ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        for mark, cells in zip(("", *head), (head, *rows), strict=True)
    ]
    return "\n".join((*lines, _agent(scene)))


def _agent(scene: GridScene) -> str:
    if scene.agent is None:
        raise SchemaError("this board has no agent, so there is nobody to carry out commands")
    return f"The agent is at ({scene.agent.row}, {scene.agent.column}) and faces {scene.agent.facing.name.lower()}."
