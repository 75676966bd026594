"""Pictures of files of others: what is said, the scenes and images as far as they are known, and the right answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis.errors import RecipeError
from deixis.expression.description import describe
from deixis.expression.parts import parts
from deixis.expression.plain import expression_to_plain
from deixis.expression.steps import Related
from deixis.language.explain import name_object
from deixis.readers._drawing import FONT, QUIET, TARGET, Panel, arrange, paragraph, sheet, stack
from deixis.readers._image_files import find_image
from deixis.readers._panels import Thing, choices_panel, grid_panel, image_panel, scene_panel
from deixis.readers._region_scene import RegionScene
from deixis.worlds.toolkit.pictures import PlainPictures, links_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.readers._image_files import ImageFile
    from deixis.readers._world import ReaderWorld
    from deixis.readers.reader import ReadExample
    from deixis.scene.scene import Scene


WIDEST = {1: 640.0, 2: 400.0}  # pixels of a panel, by how many stand beside each other
NARROW, COLUMNS = 320.0, 3
MANY = 4  # relations of an object; of more, only those that the expression mentions are listed
NOTHING = "nothing fits"
EDGE = 8  # pixels around a scene in a page
ASKED = {"match": "Which sentence fits?"}


def ready_part(world: ReaderWorld) -> ReadPictures:
    """The part `pictures` of a reader."""
    return ReadPictures(world.reader.task)


class ReadPictures(PlainPictures):
    """Part `pictures` for files of others."""

    def __init__(self, task: str) -> None:
        self.task = task

    def draw(
        self,
        example: ReadExample,
        *,
        format: str = "svg",  # noqa: A002 (as the protocol has it)
        pictures: Path | str | None = None,
        **options: Any,
    ) -> bytes:
        """Draw the scenes and images of an example as SVG, what is meant in a ring or box, the right choice ticked.

        Args:
            example: what to draw.
            format: svg.
            pictures: the folder with the image files; by default that of the dataset.
            options: there are none.
        """
        self.demand(format, options)
        if pictures is not None and not Path(pictures).is_dir():
            raise RecipeError(f"the pictures are to be in {pictures}, which is no folder")
        return sheet(_whole(example, self.task, pictures), example.text or f"example {example.id}")

    def scene(self, example: ReadExample, *, has_answer: bool = True) -> str:
        """Draw what is shown, without text and meaning, with objects as elements that pages know by their numbers."""
        body, across = _body(example if has_answer else replace(example, targets=(), boxes=()), None)
        is_nothing = has_answer and _fits_nothing(example, self.task)
        foot = [paragraph(NOTHING, across, size=18, ink=TARGET, bold=True)] if is_nothing else []
        panel = stack([*body, *foot], 20)
        wide, high = panel.width + 2 * EDGE, panel.height + 2 * EDGE
        size = f'viewBox="{-EDGE} {-EDGE} {wide:.0f} {high:.0f}" style="max-width:{wide:.0f}px"'
        return (
            f'<svg class="read-drawn" {size} font-family="{FONT}" role="img" aria-label="The scene">{panel.svg}</svg>'
        )

    def has_images(self, example: ReadExample) -> bool:
        """Return whether the file of an image is at hand."""
        return any(_file(example, image.name, None) is not None for image in example.images)

    def lines(self, example: ReadExample, *, number: int, color: bool = False) -> Iterator[str]:  # type: ignore[override]
        """Yield the text, its meaning, objects, images with boxes, and choices; stars stand at the right ones."""
        del color
        split = f", split {example.split}" if example.split else ""
        yield f"example {number}{split}, id {example.id}"
        if example.text and example.text not in example.choices:
            yield example.text
        if example.expression is not None:
            yield f"meaning: {describe(example.expression)}"
        grids = _grids(example)
        for place, cells in enumerate(grids):
            yield from _grid_lines(example, place, cells)
        for place, scene in enumerate(() if grids else example.scenes):
            yield from _scene_lines(example, place, scene)
        yield from _image_lines(example)
        for place, choice in enumerate(example.choices):
            mark = "*" if _is_right(example, place) else " "
            yield f" {mark} {choice}"
        if _fits_nothing(example, self.task):
            yield f"target: {NOTHING}"
        if self.task == "refer" and not example.scenes:
            yield "target: not known, as the dataset does not say which objects there are"
        facts = {name: value for name, value in example.facts.items() if not (grids and name == "grids")}
        if facts:
            yield "facts: " + "; ".join(f"{name} {_brief(value)}" for name, value in facts.items())

    def plain(self, example: ReadExample, *, number: int) -> dict[str, Any]:  # type: ignore[override]
        """The same as plain values."""
        said = example.expression
        return {
            "number": number,
            "id": example.id,
            "split": example.split,
            "task": self.task,
            "text": example.text,
            "expression": None if said is None else expression_to_plain(said),
            "targets": [{"scene": scene, "object": thing} for scene, thing in example.targets],
            "scenes": [_plain_scene(example, place) for place in range(len(example.scenes))],
            "images": [{"name": one.name, "width": one.width, "height": one.height} for one in example.images],
            "boxes": [{"image": image, "box": list(box)} for image, box in example.boxes],
            "space": example.space,
            "choices": list(example.choices),
            "right": example.right if example.choices else None,
            "facts": example.facts,
        }


# -------------------------------------------------------------------------------- text


def _scene_lines(example: ReadExample, place: int, scene: Scene) -> Iterator[str]:
    many = "1 object" if len(scene) == 1 else f"{len(scene)} objects"
    yield f"scene {place}, {many}:" if len(example.scenes) > 1 else f"{many}:"
    related: dict[int, dict[str, list[int]]] = {}
    links, mentioned = links_of(scene), _relations(example)
    if isinstance(scene, RegionScene) or len(links) >= MANY * len(scene):  # they follow from places and values
        links = tuple(link for link in links if link[0] in mentioned)
    symmetric = {relation.name for relation in scene.schema.relations if relation.is_symmetric}
    for name, one, other in links:
        related.setdefault(one, {}).setdefault(name, []).append(other)
        if name in symmetric:
            related.setdefault(other, {}).setdefault(name, []).append(one)
    for index in range(len(scene)):
        mark = "*" if (place, index) in example.targets else " "
        told = "; ".join(
            f"{name} {', '.join(map(str, sorted(others)))}" for name, others in related.get(index, {}).items()
        )
        box = f" at {_round(example.regions[place][index])}" if _has_region(example, place, index) else ""
        yield f" {mark} {index} {name_object(scene, index)}{box}" + (f" ({told})" if told else "")


def _grid_lines(example: ReadExample, place: int, cells: list[list[bool]]) -> Iterator[str]:
    is_right = any(at == place for at, _ in example.targets)
    yield f" {'*' if is_right else ' '} grid {place + 1}{', the target' if is_right else ''}:"
    yield from ("   " + " ".join("X" if is_filled else "▢" for is_filled in row) for row in cells)


def _image_lines(example: ReadExample) -> Iterator[str]:
    several = len(example.images) > 1
    for place, image in enumerate(example.images):
        size = f", {image.width:g} x {image.height:g}" if image.width and image.height else ""
        yield f"image {place}: {image.name}{size}" if several else f"image: {image.name}{size}"
        yield from (f" * {_round(box)} in {example.space}" for at, box in example.boxes if at == place)


def _plain_scene(example: ReadExample, place: int) -> dict[str, Any]:
    scene = example.scenes[place]
    values = [
        {one.name: sorted(held) for one in scene.schema.attributes if (held := scene.values(index, one.name))}
        for index in range(len(scene))
    ]
    return {
        "names": [name_object(scene, index) for index in range(len(scene))],
        "objects": values,
        "relations": [list(link) for link in links_of(scene)],
        "boxes": [list(box) for box in example.regions[place]] if place < len(example.regions) else [],
    }


def _round(box: Sequence[float]) -> list[float]:
    return [round(edge, 3) for edge in box]


def _brief(value: Any) -> str:
    told = _in_words(value)
    told = " ".join(told.split())
    return told if len(told) <= 80 else told[:79] + "…"


def _in_words(value: Any) -> str:
    """A fact in plain words: what a list or an object holds, without brackets."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_in_words(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value))
    return str(value)


# -------------------------------------------------------------------------------- drawing


def _whole(example: ReadExample, task: str, folder: Path | str | None) -> Panel:
    body, across = _body(example, folder)
    head = [paragraph(_head(example, task), across, size=20, bold=True)]
    if example.expression is not None:
        head.append(paragraph(f"meaning: {describe(example.expression)}", across, size=13, ink=QUIET))
    return stack([stack(head, 6), *body, *_foot(example, task, across)], 20)


def _body(example: ReadExample, folder: Path | str | None) -> tuple[list[Panel], float]:
    """What is shown, and the width of the picture."""
    files = [_file(example, image.name, folder) for image in example.images]
    shown = _panels_of(example, files)
    columns = min(COLUMNS, len(shown)) or 1
    width = WIDEST.get(columns, NARROW)
    panels = [draw(width) for draw in shown]
    body = [arrange(panels, columns)] if panels else []
    return body, max([480.0, *(panel.width for panel in body)])


def _foot(example: ReadExample, task: str, across: float) -> list[Panel]:
    """What is right, where that is no object."""
    foot = []
    if example.choices and not _pairs_up(example):
        foot.append(choices_panel(example.choices, [example.right], width=across))
    if _fits_nothing(example, task):
        foot.append(paragraph(NOTHING, across, size=18, ink=TARGET, bold=True))
    return foot


def _head(example: ReadExample, task: str) -> str:
    if example.choices and (example.text in example.choices or not example.text):
        return "Which sentence fits which image?" if _pairs_up(example) else ASKED.get(task, f"Example {example.id}")
    return example.text or f"Example {example.id}"


def _panels_of(example: ReadExample, files: Sequence[ImageFile | None]) -> list[Any]:
    """Functions that draw the panels of an example at a width, one for every scene or image."""
    grids = _grids(example)
    if grids:
        return [_draw_grid(example, place, cells) for place, cells in enumerate(grids)]
    if example.scenes and not any(example.regions):
        pictures = [_draw_image(example, place, file) for place, file in enumerate(files) if file is not None]
        return [*pictures, *(_draw_scene(example, place) for place in range(len(example.scenes)))]
    return [_draw_image(example, place, file) for place, file in enumerate(files)] or [
        _draw_image(example, place, None) for place in range(len(example.regions))
    ]


def _draw_scene(example: ReadExample, place: int) -> Any:
    scene, targets = example.scenes[place], {thing for at, thing in example.targets if at == place}
    relations = _relations(example)

    def draw(width: float) -> Panel:
        prefix = f"{place}." if len(example.scenes) > 1 else ""
        panel = scene_panel(
            scene, width=width, targets=targets, relations=relations, beside=example.scenes, prefix=prefix
        )
        if len(example.scenes) == 1:
            return panel
        return stack([paragraph(f"scene {place + 1}", width, size=13, ink=QUIET), panel], 6)

    return draw


def _draw_image(example: ReadExample, place: int, file: ImageFile | None) -> Any:
    image = example.images[place] if place < len(example.images) else None
    title = image.name.rpartition("/")[2] if image is not None else ""
    if len(example.images) > 1:
        title = f"image {place + 1}: {title}"
    size = (image.width, image.height) if image is not None else (0.0, 0.0)

    def draw(width: float) -> Panel:
        panel = image_panel(
            _things(example, place), width=width, size=size, space=example.space, title=title, file=file, place=place
        )
        if not _pairs_up(example):
            return panel
        return stack([panel, choices_panel([example.choices[place]], [0], width=width)], 12)

    return draw


def _things(example: ReadExample, place: int) -> list[Thing]:
    """The boxes of an image: those of its objects, and the right ones where no object has them."""
    things = []
    if place < len(example.regions):
        scene = example.scenes[place] if place < len(example.scenes) else None
        for index, box in enumerate(example.regions[place]):
            name = _label_of(scene, index) if scene is not None and index < len(scene) else ""
            is_known = scene is not None and index < len(scene)
            key = f"{place}.{index}" if len(example.scenes) > 1 else str(index)
            things.append(Thing(box, name, (place, index) in example.targets, key if is_known else ""))
    known = {thing.area for thing in things if thing.is_right}
    right = [box for at, box in example.boxes if at == place]
    if missing := [box for box in right if box not in known]:
        kept = {one.area: one.key for one in things if one.area in missing}
        things = [one for one in things if one.area not in missing]
        things += [Thing(box, "", is_right=True, key=kept.get(box, "")) for box in missing]
    return things


def _label_of(scene: Scene, index: int) -> str:
    """The name of an object; of a region its category alone, as the picture shows how big it is."""
    if isinstance(scene, RegionScene):
        return "/".join(sorted(scene.values(index, "category")))
    return name_object(scene, index)


def _draw_grid(example: ReadExample, place: int, cells: list[list[bool]]) -> Any:
    is_right = any(at == place for at, _ in example.targets)

    def draw(width: float) -> Panel:
        title = f"grid {place + 1}" + (", the target" if is_right else "")
        return grid_panel(cells, width=min(width, 240.0), is_right=is_right, title=title)

    return draw


def _grids(example: ReadExample) -> list[list[list[bool]]]:
    """The cells of the grids, where the scenes are grids that the facts hold as text."""
    texts = example.facts.get("grids")
    if not isinstance(texts, list) or len(texts) != len(example.scenes) or not texts:
        return []
    grids = []
    for text, scene in zip(texts, example.scenes, strict=True):
        if "cell" not in [attribute.name for attribute in scene.schema.attributes]:
            return []
        filled = scene.values(0, "cell")
        lines = [line.split() if " " in line.strip() else list(line.strip()) for line in str(text).split("\n")]
        grids.append(
            [[f"{row + 1},{k + 1}" in filled for k in range(len(line))] for row, line in enumerate(lines) if line]
        )
    return grids if all(grids) else []


def _relations(example: ReadExample) -> frozenset[str]:
    """The relations that the expression mentions."""
    if example.expression is None:
        return frozenset()
    return frozenset(one.step.relation for one in parts(example.expression) if isinstance(one.step, Related))


def _file(example: ReadExample, name: str, folder: Path | str | None) -> ImageFile | None:
    place = Path(folder) if folder is not None else example.folder
    return find_image(name, place) if place is not None else None


def _pairs_up(example: ReadExample) -> bool:
    """Return whether there are as many sentences as images, each with its own."""
    return len(example.images) > 1 and len(example.choices) == len(example.images)


def _is_right(example: ReadExample, choice: int) -> bool:
    return choice == example.right and not _pairs_up(example)


def _has_region(example: ReadExample, place: int, index: int) -> bool:
    return place < len(example.regions) and index < len(example.regions[place])


def _fits_nothing(example: ReadExample, task: str) -> bool:
    known = {"refer": example.scenes, "localise": example.scenes or example.images}  # what the text could fit
    return bool(known.get(task)) and not (example.targets or example.boxes)
