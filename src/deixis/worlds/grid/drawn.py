"""Grid scenes drawn as text, for tests, documentation and the terminal.

One token per cell. A token is a colour letter (r b g y), a shape mark and a size, e.g. `r○2`; the size may be left
out (then 1). Shape marks: ○ circle, ▱ cylinder, □ square, ▣ box, also their ASCII stand-ins o / s [ . Several things
on one cell are joined with `+`. The agent is > v < ^ by its facing, an empty cell is a dot. Objects are numbered in
reading order, unless a token starts with its number: `0:r○2`.
"""

from __future__ import annotations

from deixis.errors import SchemaError
from deixis.worlds.grid.scene import COLORS, SHAPES, Agent, Facing, GridObject, GridScene


__all__ = ["draw_text", "grid"]

MARKS = {"circle": "○", "cylinder": "▱", "square": "□", "box": "▣"}
STAND_INS = {"o": "circle", "/": "cylinder", "s": "square", "[": "box"}
AGENTS = ">v<^"


def grid(picture: str) -> GridScene:
    """Return the scene that a picture shows.

    Examples:
        >>> scene = grid('''
        ...     .  r○2 .
        ...     >  b□  .
        ...     .  .   g○
        ... ''')
        >>> [str(thing) for thing in scene.objects][0]
        'red circle of size 2 at row 0, column 1'
    """
    rows = [line.split() for line in picture.strip().splitlines() if line.strip()]
    size = len(rows)
    things: list[tuple[int, GridObject]] = []
    agent: Agent | None = None
    for row, cells in enumerate(rows):
        if len(cells) != size:
            raise SchemaError(f"row {row} of the picture has {len(cells)} cells, expected {size}: {' '.join(cells)}")
        for column, cell in enumerate(cells):
            for token in cell.split("+"):
                if token in tuple(AGENTS):
                    agent = Agent(row, column, Facing(AGENTS.index(token)))
                elif token != ".":
                    number, _, mark = token.rpartition(":")
                    things.append((_number(number) if number else len(things), _thing(mark, row, column)))
    things.sort(key=lambda pair: pair[0])
    return GridScene(tuple(thing for _, thing in things), size=size, agent=agent)


def draw_text(scene: GridScene, *, numbered: bool = False) -> str:
    """Draw a scene as text, which `grid` reads back when it is numbered or in reading order."""
    cells: list[list[list[str]]] = [[[] for _ in range(scene.size)] for _ in range(scene.size)]
    for index, thing in enumerate(scene.objects):
        token = f"{thing.color[0]}{MARKS[thing.shape]}{thing.size}"
        cells[thing.row][thing.column].append(f"{index}:{token}" if numbered else token)
    if scene.agent:
        cells[scene.agent.row][scene.agent.column].append(AGENTS[scene.agent.facing])
    texts = [["+".join(cell) or "." for cell in row] for row in cells]
    widths = [max(len(row[column]) for row in texts) for column in range(scene.size)]
    return "\n".join(
        " ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in texts
    )


def _number(text: str) -> int:
    if not text.isdecimal():
        raise SchemaError(f"cannot read {text!r} in the picture as the number of an object; write e.g. 0:r○2")
    return int(text)


def _thing(mark: str, row: int, column: int) -> GridObject:
    colors = {color[0]: color for color in COLORS}
    shapes = {MARKS[shape]: shape for shape in SHAPES} | STAND_INS
    if len(mark) not in (2, 3) or mark[0] not in colors or mark[1] not in shapes or not (mark[2:] or "1").isdecimal():
        raise SchemaError(f"cannot read {mark!r} in the picture; write e.g. r○2, b□, .")
    return GridObject(shapes[mark[1]], colors[mark[0]], int(mark[2:] or 1), row, column)
