"""Expressions about photographs as prompts: the scene graphs as text, or pictures with numbered boxes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from string import ascii_uppercase
from typing import TYPE_CHECKING, NamedTuple

from deixis.errors import DeixisError, UnknownName
from deixis.judge.boxes import Box
from deixis.prompts._box_forms import ask_for_box
from deixis.prompts._box_questions import BoxQuestion, form_of, is_box, pose_box
from deixis.prompts._marks import number_objects
from deixis.prompts.answers import NOT_THERE
from deixis.prompts.question import ClickArea, GoldMessage, Message, Picture, View
from deixis.seeds import Stream, derive
from deixis.worlds.photos._judging.verdicts import judge_answers
from deixis.worlds.photos._questions.gold import SOMETHING_ELSE, Candidate, RegionGold
from deixis.worlds.photos.data._photographs import decode_picture
from deixis.worlds.photos.localise import Answer


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PIL.Image import Image

    from deixis.prompts.question import Part
    from deixis.worlds.photos.localise import Example, Setting
    from deixis.worlds.photos.scene.graph import GraphScene
    from deixis.worlds.photos.scene.graph_table import GraphTable


INVERSE = {"to the right of": "to the left of"}  # of which one direction is enough to say
SHOWN = {
    "text": "You read descriptions of images. In each, the objects are numbered; attributes stand before the name, the "
    "box in brackets is (left, top, width, height) in pixels, and what is recorded about an object and others follows. "
    'What is "to the left of" something has it to its right. A description need not mention everything.',
    "image": "You see images. In each, objects are framed and numbered; the number stands in a corner of its frame, or "
    "beside a small frame, in the same colour.",
}
SEEN = """\
You see one or several images. An expression describes at most one thing in all of them; ranks such as "the first … \
from the left" count within one image."""
ASKED = f"""\
An expression describes at most one of all these objects; ranks such as "the first … from the left" count within one \
image. Which object is it? You may think first. End with one line that gives its number, or says that nothing in these \
images fits the expression, for example:
Answer: 7
Answer: {NOT_THERE}"""
FOR_PEOPLE = """\
You see one or several pictures in which things are framed and numbered, and a description. It describes at most one \
of all these things. Choose it: click its frame, or its number. Ranks such as "the first … from the left" count within \
one picture. Where nothing in these pictures fits the description, choose the answer that says so."""


class PosedExample(NamedTuple):
    """One question about photographs: the images in the order in which they are shown, and the right answer."""

    images: tuple[str, ...]
    gold: RegionGold


def region_instructions(answer: str, style: str) -> Message:
    """Return the instructions before the first expression."""
    if is_box(answer):
        return Message("system", (f"{SEEN}\n\n{ask_for_box(form_of(answer), may_be_many=False)}",))
    return Message("system", ("\n\n".join((SHOWN[style], ASKED)),))


@dataclass(frozen=True)
class Photographs:
    """The images that expressions are about.

    Attributes:
        scenes: their graphs.
        find: the picture of an image by its id, None where there is none.
        seed: of the order of images.
    """

    scenes: GraphTable
    find: Callable[[str], bytes | None]
    seed: int

    def show(self, example: Example, setting: Setting) -> PosedExample:
        """Return an example in a setting, its images in an order that gives nothing away, its objects numbered."""
        stream = Stream(derive(self.seed, "images", example.id))
        images = tuple(stream.permutation(example.images(setting)))
        places = [(image, thing) for image in images for thing in self._scene(image).object_ids]
        wanted = (example.image_id, example.object_id)
        if example.is_there and wanted not in places:
            raise UnknownName(f"example {example.id} is about the object {wanted[1]!r}, which its image does not have")
        gold = RegionGold(
            text=example.text,
            candidates=tuple(self._candidates(example, setting, places)),
            target=places.index(wanted) if example.is_there else None,
            split=example.split,
            form=example.form,
            change=example.change,
        )
        return PosedExample(images, gold)

    def _candidates(self, example: Example, setting: Setting, places: Sequence[tuple[str, str]]) -> list[Candidate]:
        """Every region, with what `deixis evaluate` would say of whoever chooses it."""
        if not example.is_there:
            return [Candidate(*place) for place in places]
        copies = [replace(example, id=number) for number in range(len(places))]
        answers = [Answer(number, setting, *place) for number, place in enumerate(places)]
        verdicts = judge_answers(copies, answers, self.scenes)
        return [Candidate(*place, one.place, one.misreadings) for place, one in zip(places, verdicts, strict=True)]

    def question(self, shown: PosedExample, style: str) -> Message:
        """Return the images and the expression as a question."""
        parts: list[Part] = []
        first = 1
        for label, image in zip(_labels(len(shown.images)), shown.images, strict=True):
            scene, title = self._scene(image), f"Image {label}"
            if style == "image":
                parts += [f"{title}:", Picture(self._draw(scene, first), title)]
            else:
                parts.append(
                    "\n".join((f"{title} ({scene.width} x {scene.height} pixels)", *_list_objects(scene, first), ""))
                )
            first += len(scene)
        return Message("user", (*parts, f"Expression: {shown.gold.text}"))

    def box(self, shown: PosedExample, answer: str) -> GoldMessage:
        """Return the images without marks, and the box of what is described in one of them."""
        gold, scenes = shown.gold, [self._scene(image) for image in shown.images]
        places = [(place, number) for place, scene in enumerate(scenes) for number in range(len(scene))]
        named = iter(gold.candidates)
        misreadings = tuple(tuple(self._misreadings(gold, next(named)) for _ in range(len(scene))) for scene in scenes)
        question = BoxQuestion(
            text=gold.text,
            ask=f"Expression: {gold.text}",
            views=tuple(map(self._view, scenes)),
            target=None if gold.target is None else places[gold.target],
            misreadings=misreadings,
            split=gold.split,
            facts={name: value for name, value in gold.groups.items() if name != "split"},
        )
        return pose_box(question, answer)

    @staticmethod
    def _misreadings(gold: RegionGold, candidate: Candidate) -> tuple[str, ...]:
        return (SOMETHING_ELSE,) if gold.target is None else candidate.misreadings

    def _view(self, scene: GraphScene) -> View:
        """Return the picture of a scene as it is, with the boxes of its objects as far as they lie in it."""
        png, width, height = _as_png(self._picture(scene), scene.image_id)
        across, down = width / max(scene.width, 1), height / max(scene.height, 1)
        boxes: list[Box | None] = []
        for x, y, w, h in scene.boxes:
            box = Box(max(x, 0), max(y, 0), min(x + w, scene.width), min(y + h, scene.height)).scale(across, down)
            boxes.append(box if box.left < box.right and box.top < box.bottom else None)
        return View.of(png, boxes)

    def areas(self, shown: PosedExample) -> tuple[ClickArea, ...]:
        """Return the frame of every object, for its number."""
        found: list[ClickArea] = []
        for place, image in enumerate(shown.images):
            scene = self._scene(image)
            for number in range(len(scene)):
                x, y, w, h = scene.boxes[number]
                wide, high = max(scene.width, 1), max(scene.height, 1)
                edges = (x / wide, y / high, (x + w) / wide, (y + h) / high)
                left, top, right, bottom = (min(max(edge, 0.0), 1.0) for edge in edges)
                found.append(ClickArea(str(len(found) + 1), place, (left, top, right, bottom)))
        return tuple(found)

    def _scene(self, image: str) -> GraphScene:
        if image not in self._kept:
            self._kept[image] = self.scenes.scene(self.scenes.find(image))
        return self._kept[image]

    @cached_property
    def _kept(self) -> dict[str, GraphScene]:
        return {}

    def _draw(self, scene: GraphScene, first: int) -> bytes:
        return _frame_objects(self._picture(scene), scene, first)

    def _picture(self, scene: GraphScene) -> bytes:
        held = self.find(scene.image_id)
        if held is None:
            raise UnknownName(f"there is no picture of the image {scene.image_id!r}; use the style text")
        return held


def _labels(count: int) -> list[str]:
    return [*ascii_uppercase, *(a + b for a in ascii_uppercase for b in ascii_uppercase)][:count]


def _list_objects(scene: GraphScene, first: int) -> list[str]:
    """Return a line for every object: number, words, box, and what is recorded about it and others."""
    lines = []
    for number in range(len(scene)):
        x, y, w, h = scene.boxes[number]
        words = " ".join((*sorted(scene.words[number]), scene.names[number]))
        relations: dict[str, list[str]] = {}
        for relation, other in scene.outgoing(number):
            if not scene.related(INVERSE.get(relation, relation), other, number) or relation not in INVERSE:
                relations.setdefault(relation, []).append(str(first + other))
        said = "".join(f"; {relation} {', '.join(others)}" for relation, others in relations.items())
        lines.append(f"{first + number}. {words} ({x:.0f}, {y:.0f}, {w:.0f}, {h:.0f}){said}")
    return lines


# -------------------------------------------------------------------------------- pictures


def _as_png(held: bytes, name: str) -> tuple[bytes, int, int]:
    """Return a picture as PNG, whatever it was, its width and its height."""
    picture = _open(held, name)
    out = BytesIO()
    picture.save(out, "PNG", compress_level=6)
    return out.getvalue(), picture.width, picture.height


def _open(held: bytes, name: str) -> Image:
    try:
        from PIL import Image
    except ImportError:
        raise DeixisError('pictures need Pillow; run: pip install "deixis[data]"') from None
    return Image.fromarray(decode_picture(held, name))


def _frame_objects(held: bytes, scene: GraphScene, first: int) -> bytes:
    """The picture, perhaps twice as large, with a numbered frame around every object."""
    picture = _open(held, scene.image_id)
    across, down = picture.width / max(scene.width, 1), picture.height / max(scene.height, 1)
    boxes = [Box(x, y, x + w, y + h).scale(across, down) for x, y, w, h in scene.boxes]
    return number_objects(picture, boxes, range(first, first + len(scene)))
