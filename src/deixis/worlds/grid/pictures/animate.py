"""Plans as moving pictures: an animated GIF for talks and chats, an SVG that moves by itself for pages.

Both show the same: every action takes the same time, its name stands below the board, an effort in vain moves there
and back, and after the last action the picture rests before it starts again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import BytesIO
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.worlds.grid.pictures.board import compose
from deixis.worlds.grid.pictures.motion import AGENT, Pose, between, movers, pose_of, steps_of, sway
from deixis.worlds.grid.pictures.raster import paint
from deixis.worlds.grid.pictures.strokes import Layer, Words
from deixis.worlds.grid.pictures.svg import plain_number, svg_name, write_svg


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from PIL.Image import Image

    from deixis.scene.grid import GridScene
    from deixis.worlds.grid.pictures.look import Look, Marks
    from deixis.worlds.grid.pictures.motion import Mover, Step
    from deixis.worlds.grid.pictures.strokes import Picture
    from deixis.worlds.grid.pictures.svg import Inset


__all__ = ["FRAMES_PER_ACTION", "Film", "film_of", "write_gif", "write_moving_svg"]

FRAMES_PER_ACTION = 3
FRAME_MS, START_MS, END_MS = 120, 900, 2000
MOVING_SHARE = 0.86  # of the time of an action; the rest is a rest, so that steps can be told apart
STRIP = 0.46  # the height of the line below the board, in cells
COLORS = 255  # of a GIF; one more is left for what stays as it was
SAMPLES = 12  # frames from which the colours of a GIF are taken


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    """A plan as pictures, one before the first action and one after each.

    Attributes:
        pictures: without the line of words below.
        steps: what happens in every action.
        words: the line below, for every picture.
        moving: what moves at some time.
        way: the whole way, for those who do not want things to move.
        look: how it looks.
    """

    pictures: tuple[Picture, ...]
    steps: tuple[Step, ...]
    words: tuple[str, ...]
    moving: tuple[Mover, ...]
    way: Layer | None
    look: Look


def film_of(scene: GridScene, actions: Iterable[int], marks: Marks, look: Look, *, title: str = "") -> Film:
    """The pictures of a plan.

    Args:
        scene: before the first action.
        actions: what the agent does.
        marks: what to point out; the way in it is shown only where nothing moves.
        look: how it looks; the title is always shown.
        title: the command.

    Raises:
        SchemaError: when the scene has no agent, the actions cannot be understood or are too many, or a mark points at
            something that is not there.
    """
    steps = tuple(steps_of(scene, actions))
    shown, bare = replace(look, heading=bool(title)), replace(marks, path=None, pushed=())
    states = (scene, *(step.after for step in steps))
    pictures = tuple(_with_strip(compose(state, bare, shown, title=title), look) for state in states)
    whole = compose(scene, marks, replace(shown, legend=False), title=title)
    count = len(steps)
    return Film(
        pictures=pictures,
        steps=steps,
        words=(_summary(count), *(f"{k} of {count}: {step.words}" for k, step in enumerate(steps, start=1))),
        moving=tuple(movers(pictures, steps)),
        way=next((replace(layer, name="still") for layer in whole.layers if layer.name == "plan"), None),
        look=look,
    )


def write_gif(film: Film) -> bytes:
    """The film as an animated GIF that plays for ever; the same film always gives the same bytes.

    Raises:
        DeixisError: when Pillow is not installed, or the image would be too large.
    """
    palette = _palette(film)
    frames = (palette.reduce(paint(picture, scale=1)) for picture in _frames(film))
    file = BytesIO()
    durations = [START_MS, *[FRAME_MS] * (FRAMES_PER_ACTION * len(film.steps))]
    durations[-1] = END_MS if film.steps else START_MS
    next(frames).save(
        file, format="GIF", save_all=True, append_images=frames, duration=durations, loop=0, disposal=1, optimize=False
    )
    return file.getvalue()


def write_moving_svg(film: Film) -> str:
    """The film as an SVG document that moves by itself, by style rules alone.

    Where the reader prefers things not to move, and in print, it is a still picture with the whole way.
    """
    first = film.pictures[0]
    said = f"{first.description} The plan: {_plan_in_words(film.steps)}."
    layers = (*first.layers, film.way) if film.way else first.layers
    picture = replace(first, description=said, layers=layers)
    name = svg_name(picture)
    return write_svg(picture, style=_style(film, name), inset=_ticker(film))


def _summary(count: int) -> str:
    return "nothing to do" if not count else "1 action" if count == 1 else f"{count} actions"


def _plan_in_words(steps: Sequence[Step]) -> str:
    runs = ((action.words, sum(1 for _ in run)) for action, run in groupby(step.action for step in steps))
    return ", ".join(words if times == 1 else f"{words} {times} times" for words, times in runs) or "nothing to do"


def _with_strip(picture: Picture, look: Look) -> Picture:
    """A picture with room for a line of words below."""
    return replace(picture, height=picture.height + round(STRIP * look.cell))


def _line(film: Film, number: int, *, y: float) -> Words:
    """What stands below a picture."""
    look = film.look
    left = (0.16 + (0.3 if look.numbers else 0)) * look.cell
    return Words(x=left, y=y, text=film.words[number], size=0.235 * look.cell, color=look.palette.ink, anchor="start")


def _frames(film: Film) -> Iterator[Picture]:
    """Every picture of a GIF: the first, and for every action some on the way and the one after it."""
    yield _worded(film, film.pictures[0], 0)
    for number, (one, other) in enumerate(pairwise(film.pictures)):
        for part in range(1, FRAMES_PER_ACTION):
            yield _worded(film, _on_the_way(film, number, part / FRAMES_PER_ACTION, one, other), number + 1)
        yield _worded(film, other, number + 1)


def _on_the_way(film: Film, number: int, share: float, one: Picture, other: Picture) -> Picture:
    return between(one, other, film.steps[number], share, moving=film.moving, cell=film.look.cell)


def _worded(film: Film, picture: Picture, number: int) -> Picture:
    middle = picture.height - 0.55 * STRIP * film.look.cell
    layer = Layer(name="step", items=(_line(film, number, y=middle),))
    return replace(picture, layers=(*picture.layers, layer))


class _Palette(NamedTuple):
    """The colours of a GIF, the same for all of its frames."""

    colors: np.ndarray  # int64 [color, 3]

    def reduce(self, image: Image) -> Image:
        """An image in the nearest of these colours."""
        from PIL import Image as Images

        codes, where = np.unique(_codes(image), return_inverse=True)
        wanted = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=1)
        nearest = ((wanted[:, None, :] - self.colors[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)
        reduced = Images.frombytes("P", image.size, nearest.astype(np.uint8)[where].tobytes())
        reduced.putpalette(self.colors.astype(np.uint8).tobytes())
        return reduced


def _palette(film: Film) -> _Palette:
    """The most frequent colours of some frames: flat colours come first and so stay exact."""
    total = 1 + FRAMES_PER_ACTION * len(film.steps)
    chosen = {round(k * (total - 1) / (SAMPLES - 1)) for k in range(SAMPLES)}
    codes = [_codes(paint(picture, scale=1)) for k, picture in enumerate(_frames(film)) if k in chosen]
    values, counts = np.unique(np.concatenate(codes), return_counts=True)
    order = np.lexsort((values, -counts))[:COLORS]
    kept = np.sort(values[order])
    return _Palette(np.stack([kept >> 16, kept >> 8 & 255, kept & 255], axis=1))


def _codes(image: Image) -> np.ndarray:
    """The colours of an image as int64 [pixel]."""
    pixels = np.asarray(image, np.int64).reshape(-1, 3)
    return pixels[:, 0] << 16 | pixels[:, 1] << 8 | pixels[:, 2]


def _style(film: Film, name: str) -> str:
    """The rules that move things, and those that leave them still."""
    step_ms = FRAME_MS * FRAMES_PER_ACTION
    total = START_MS + step_ms * len(film.steps) + END_MS
    seconds = plain_number(total / 1000)
    rules = [f"#{name} .still{{visibility:hidden}}"]
    for mover in film.moving if film.steps else ():
        key = "agent" if mover == AGENT else f"object-{mover}"
        target = ".agent" if mover == AGENT else f'[data-object="{mover}"]'
        frames = "".join(f"{_percent(at, total)}{{transform:{pose}}}" for at, pose in _key_poses(film, mover, total))
        rules.append(f"#{name} {target}{{animation:{name}-{key} {seconds}s linear infinite}}")
        rules.append(f"@keyframes {name}-{key}{{{frames}}}")
    height = STRIP * film.look.cell
    starts = [0, *(START_MS + step_ms * k for k in range(len(film.steps)))]
    lines = "".join(
        f"{_percent(at, total)}{{transform:translateY({plain_number(-k * height)}px)}}" for k, at in enumerate(starts)
    )
    rules.append(f"#{name} .ticker{{animation:{name}-ticker {seconds}s step-end infinite}}")
    rules.append(f"@keyframes {name}-ticker{{{lines}}}")
    still = f"#{name} *{{animation:none}}#{name} .still{{visibility:visible}}"
    rules.append(f"@media print,(prefers-reduced-motion:reduce){{{still}}}")
    return "\n".join(rules)


def _key_poses(film: Film, mover: Mover, total: int) -> Iterator[tuple[float, str]]:
    """When something is where, as transformations of how it is drawn at first."""
    first = pose_of(film.pictures[0], mover)
    turns = [0, *accumulate(step.quarters for step in film.steps)] if mover == AGENT else [0] * len(film.pictures)
    poses = [
        replace(pose, size=pose.size / first.size, angle=90.0 * quarters)
        for pose, quarters in zip((pose_of(picture, mover) for picture in film.pictures), turns, strict=True)
    ]
    step_ms = FRAME_MS * FRAMES_PER_ACTION
    yield 0, _transform(poses[0], first)
    for number, (step, (one, other)) in enumerate(zip(film.steps, pairwise(poses), strict=True)):
        extra = sway(step, mover, cell=film.look.cell)
        start = START_MS + step_ms * number
        if one != other or extra != Pose(x=0.0, y=0.0, size=0.0):
            yield start, _transform(one, first)
            halfway = one.towards(other, 0.5)
            swung = replace(halfway, x=halfway.x + extra.x, y=halfway.y + extra.y, size=halfway.size + extra.size)
            if swung != halfway:
                yield start + 0.5 * MOVING_SHARE * step_ms, _transform(swung, first)
            yield start + MOVING_SHARE * step_ms, _transform(other, first)
    yield total, _transform(poses[-1], first)


def _transform(pose: Pose, first: Pose) -> str:
    x, y, back_x, back_y = (f"{plain_number(v)}px" for v in (pose.x, pose.y, -first.x, -first.y))
    size = f"{pose.size:.3f}".rstrip("0").rstrip(".")
    return f"translate({x},{y}) rotate({plain_number(pose.angle)}deg) scale({size}) translate({back_x},{back_y})"


def _percent(at: float, total: float) -> str:
    return f"{100 * at / total:.3f}".rstrip("0").rstrip(".") + "%"


def _ticker(film: Film) -> Inset:
    """The lines below the board, one under the other behind a window that shows one of them."""
    picture, height = film.pictures[0], STRIP * film.look.cell
    items = tuple(_line(film, number, y=(number + 0.45) * height) for number in range(len(film.words)))
    return Layer(name="ticker", items=items), (0.0, picture.height - height, picture.width, height)
