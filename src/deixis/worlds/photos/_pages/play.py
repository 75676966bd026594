"""The game with expressions about photographs: click the target region, or say that it is not there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis._studio.answers import AnswerVerdict, Game, Measure, draw_numbers, write_json, write_lines
from deixis._studio.filters import Choice, Field
from deixis._version import __version__
from deixis.errors import SchemaError, UnknownName
from deixis.judge.verdicts import VERDICTS
from deixis.seeds import Stream, derive
from deixis.worlds.photos._judging.grounding import evaluate_answers
from deixis.worlds.photos._judging.verdict_file import write_answer_verdicts
from deixis.worlds.photos._judging.verdicts import LABELS, judge_answers
from deixis.worlds.photos._pages.gallery import has_picture
from deixis.worlds.photos._pages.reading import Reading
from deixis.worlds.photos.data.store import write_copsref
from deixis.worlds.photos.localise import SETTINGS, Answer
from deixis.worlds.photos.scene.graph import GraphObject, Link, SceneGraph
from deixis.worlds.photos.scene.graph_table import GraphTable


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis._studio.library import Entry
    from deixis.worlds.photos._judging.verdicts import Verdict
    from deixis.worlds.photos.data.store import CopsRef
    from deixis.worlds.photos.localise import Example, Setting
    from deixis.worlds.photos.scene.graph import GraphScene


NOT_THERE = "not there"
ABSENT = {  # how often nothing fits
    "half": "half of the questions",
    "never": "none: it is always there",
    "as is": "as many as in the dataset",
}
HALF = 50.0  # of a hundred
TASKS = {"find": ("Find", "Click the target region, among all images, or say that it is not there.")}
NAMED = "Name every region (screen-reader mode; makes the task easier)"


class Region(NamedTuple):
    """An object in an image that can be chosen, its edges in percent of the image.

    Attributes:
        value: how a form names it.
        name: what it is, in words.
        style: where it lies.
        role: `target`, `chosen` or nothing.
    """

    value: str
    name: str
    style: str
    role: str = ""


class ShownImage(NamedTuple):
    """One image of a question.

    Attributes:
        image_id: which.
        width, height: in pixels.
        regions: the large ones first, so that small ones lie above them.
        role: what it is for, once the answer is given.
        has_picture: whether there is a picture of it, or just the boxes.
    """

    image_id: str
    width: int
    height: int
    regions: tuple[Region, ...]
    role: str = ""
    has_picture: bool = True


@dataclass(frozen=True)
class PhotographGame(Game):
    """A game of expressions whose targets are to be found."""

    entry: Entry
    examples: tuple[Example, ...]
    setting: Setting
    seed: int
    is_named: bool
    absent: str = "as is"

    template = "photos/play_find.html"

    def __len__(self) -> int:
        return len(self.examples)

    @property
    def about_absent(self) -> str:
        """Share of expressions that fit nothing, as told to players."""
        gone = sum(not example.is_there for example in self.examples)
        if not gone:
            return "What is described is there in every question."
        if 2 * gone in (len(self), len(self) - 1):
            return "In half of the questions nothing fits what is described."
        return f"In {gone} of the {len(self)} questions nothing fits what is described."

    @property
    def choices(self) -> dict[str, str]:
        """The options chosen besides dataset, split and number, to play like this again."""
        return {"setting": self.setting, "absent": self.absent} | ({"named": "yes"} if self.is_named else {})

    @property
    def data(self) -> CopsRef:
        """The dataset."""
        found: CopsRef = self.entry.data
        return found

    def text(self, place: int) -> str:
        """Return the expression."""
        return self.examples[place].text

    def address(self, place: int) -> str:
        """Return the page of the example."""
        return f"/d/{self.entry.slug}/{self.examples[place].id}"

    def read(self, place: int, form: Mapping[str, str]) -> str:
        """Read an answer: an image and an object of it, by their numbers, or that it is not there."""
        said = form.get("region", "")
        if said == NOT_THERE:
            return said
        image, dot, number = said.partition(".")
        images = self.images(place)
        if not (dot and image.isdecimal() and number.isdecimal() and int(image) < len(images)):
            raise SchemaError("choose a region, or say that it is not there")
        if int(number) >= len(self.scene(images[int(image)])):
            raise SchemaError(f"there is no region {said[:20]!r} here")
        return f"{int(image)}.{int(number)}"

    def images(self, place: int) -> list[str]:
        """Return the images of a question, in an order that gives nothing away."""
        known = self.examples[place].images(self.setting)
        return Stream(derive(self.seed, "play", "images", place)).permutation(known)

    def scene(self, image_id: str) -> GraphScene:
        """Return the graph of an image."""
        return self.data.scenes.scene(self.data.scenes.find(image_id))

    def show_question(self, place: int, form: Mapping[str, str]) -> dict[str, Any]:
        """Return all images with their regions."""
        del form
        shown = [self._show_image(which, image_id) for which, image_id in enumerate(self.images(place))]
        asks_absent = any(not example.is_there for example in self.examples)
        about = {"absent": NOT_THERE if asks_absent else "", "about_absent": self.about_absent}
        return {"shown": shown, "slug": self.entry.slug, "is_named": self.is_named, **about}

    def show_verdict(self, place: int, said: str) -> dict[str, Any]:
        """Return all images, with the target and what was chosen."""
        example = self.examples[place]
        shown = []
        for which, image_id in enumerate(self.images(place)):
            found = self._show_image(which, image_id)
            ids = self.scene(image_id).object_ids
            is_right = example.is_there and image_id == example.image_id
            target = f"{which}.{ids.index(example.object_id)}" if is_right and example.object_id in ids else ""
            kept = tuple(
                region._replace(role="target" if region.value == target else "chosen")
                for region in found.regions
                if region.value in (target, said)
            )
            own = "the image that it is about" if example.is_there else "the image that it was written for"
            role = own if image_id == example.image_id else ", ".join(example.kinds_of(image_id))
            shown.append(found._replace(regions=kept, role=role))
        order = sorted(shown, key=lambda one: not one.regions)
        return {"shown": order, "slug": self.entry.slug, "is_there": example.is_there}

    def answer(self, place: int, said: str) -> Answer:
        """Return the player's answer as an answer of a model."""
        example = self.examples[place]
        if said == NOT_THERE:
            return Answer(example.id, self.setting, is_absent=True)
        which, _, number = said.partition(".")
        image_id = self.images(place)[int(which)]
        return Answer(example.id, self.setting, image_id, self.scene(image_id).object_ids[int(number)])

    def verdict(self, place: int, said: str) -> Verdict:
        """Return the verdict that a model would get."""
        (found,) = judge_answers([self.examples[place]], [self.answer(place, said)], self.data.scenes)
        return found

    def judge(self, place: int, said: str) -> AnswerVerdict:
        """Judge an answer, and say why it is wrong."""
        example, found = self.examples[place], self.verdict(place, said)
        if not example.is_there:
            changed = (f"The expression was changed so that it fits nothing: {example.changed}.",) * bool(
                example.changed
            )
            if found.outcome == "said not there":
                return AnswerVerdict(True, "Right: it is not there", changed)
            return AnswerVerdict(False, "It is not there", changed or ("Nothing in these images fits the expression.",))
        if found.outcome == "right":
            return AnswerVerdict(True, "Right")
        if found.outcome == "said not there":
            return AnswerVerdict(False, "It is there", (f"The target is the {self._name_of_target(example)}.",))
        return AnswerVerdict(False, "Not quite", tuple(self._why(place, said)))

    def measures(self, said: Sequence[str]) -> list[Measure]:
        """Return the measures that `deixis evaluate` computes for answers."""
        if not said:
            return []
        found, _ = self._evaluation(said)
        measures = []
        if self.setting in found.settings:
            settled = found.settings[self.setting]
            meaning = "the region that is meant, among all in the images"
            measures.append(Measure("right region", meaning, settled.accuracy, True, settled.chance))
        if self.setting in found.absent:
            meaning = "said not to be there, where nothing fits"
            measures.append(Measure("right that it is not there", meaning, found.absent[self.setting]))
        return measures

    def misreadings(self, said: Sequence[str]) -> dict[str, float]:
        """Return the misreadings behind the wrong choices, with shares where several explain one."""
        if not said:
            return {}
        found, _ = self._evaluation(said)
        misreadings = found.settings[self.setting].misreadings if self.setting in found.settings else {}
        return {LABELS[name]: share for name, share in misreadings.items()}

    def write(self, folder: Path, said: Sequence[str], facts: Mapping[str, Any], *, is_over: bool) -> list[str]:
        """Write answers as `deixis evaluate` reads them, and in the end the evaluation and the asked examples."""
        write_lines(folder / "answers.jsonl", (self._line(place, one) for place, one in enumerate(said)))
        if is_over:
            evaluation, verdicts = self._evaluation(said)
            about = {"world": "photos", "predictions": "answers.jsonl", "data": self.entry.title, **facts}
            about["selection"] = f"{facts['selection']}; {self.about_absent[:1].lower()}{self.about_absent[1:-1]}"
            write_json(folder / "evaluation.json", {"deixis": __version__, **about, **evaluation.to_dict()})
            write_answer_verdicts(folder / VERDICTS, verdicts, self.examples)
            images = dict.fromkeys(image_id for example in self.examples for image_id in example.images())
            graphs = GraphTable.of(_graph(self.scene(image_id)) for image_id in images)
            write_copsref(folder / "asked", self.examples, graphs, about={"sample of": self.entry.title})
        return [
            f"deixis evaluate FOLDER/answers.jsonl --data {data} --split {self.examples[0].split}"
            for data in ("FOLDER/asked", "DATA")
        ]

    def _evaluation(self, said: Sequence[str]) -> Any:
        answers = [self.answer(place, one) for place, one in enumerate(said)]
        return evaluate_answers(self.examples[: len(said)], answers, self.data.scenes, seed=self.seed)

    def _line(self, place: int, said: str) -> dict[str, Any]:
        given = self.answer(place, said)
        what = {NOT_THERE: True} if given.is_absent else {"image": given.image_id, "object": given.object_id}
        return {"id": given.id, **what, "setting": self.setting}

    def _show_image(self, which: int, image_id: str) -> ShownImage:
        scene = self.scene(image_id)
        width, height = max(scene.width, 1), max(scene.height, 1)
        order = sorted(range(len(scene)), key=lambda number: -scene.boxes[number].area)
        is_there = has_picture(self.entry, image_id)
        regions = []
        for place, number in enumerate(order, 1):
            x, y, w, h = scene.boxes[number]
            left, top = _percent(x / width), _percent(y / height)
            wide, high = min(_percent(w / width), 100 - left), min(_percent(h / height), 100 - top)
            style = f"left:{left:.2f}%;top:{top:.2f}%;width:{wide:.2f}%;height:{high:.2f}%"
            side = "left" if left + wide / 2 < HALF else "right"
            whereabouts = f"region {place} of {len(order)}, {'top' if top + high / 2 < HALF else 'bottom'} {side}"
            is_named = self.is_named or not is_there
            words = " ".join((*sorted(scene.words[number]), scene.names[number]))
            regions.append(Region(f"{which}.{number}", words if is_named else whereabouts, style))
        return ShownImage(image_id, width, height, tuple(regions), has_picture=is_there)

    def _name_of_target(self, example: Example) -> str:
        scene = self.scene(example.image_id)
        number = scene.object_number(example.object_id)
        return " ".join((*sorted(scene.words[number]), scene.names[number]))

    def _why(self, place: int, said: str) -> Iterator[str]:
        example, given = self.examples[place], self.answer(place, said)
        scene = self.scene(given.image_id)
        number = scene.object_number(given.object_id)
        taken = " ".join((*sorted(scene.words[number]), scene.names[number]))
        other = "" if given.image_id == example.image_id else ", in another image"
        yield f"The target is the {self._name_of_target(example)}; you chose the {taken}{other}."
        reading = Reading(example, self.data.scenes)
        told = reading.say_misreadings(reading.leading_to(scene).get(number, ()))
        yield f"You would end there if you {told}." if told else "No single misreading leads there."


def options_of(form: Mapping[str, str]) -> tuple[Field, ...]:
    """Return the choices before playing: the images shown, the share of absent targets, names of regions."""
    setting, absent = form.get("setting") or SETTINGS[0], form.get("absent") or next(iter(ABSENT))
    return (
        Field("setting", "Images shown", setting, tuple(Choice(name, name) for name in SETTINGS)),
        Field("absent", "Nothing fits in", absent, tuple(Choice(*one) for one in ABSENT.items())),
        Field("named", NAMED, form.get("named", "")),
    )


def photograph_game(
    entry: Entry,
    split: str,
    setting: str,
    count: int,
    *,
    seed: int,
    is_named: bool = False,
    absent: str = "half",
) -> PhotographGame:
    """Return a game on a random sample of a split.

    Args:
        entry: the dataset.
        split: which part of it.
        setting: the images that are shown with each expression.
        count: how many questions.
        seed: of the sample.
        is_named: whether regions are called by what they are, for those who cannot see the pictures.
        absent: how often nothing fits, one of `ABSENT`.
    """
    data: CopsRef = entry.data
    if split not in data.splits:
        raise UnknownName(f"there is no split {split[:40]!r}; known: {', '.join(data.splits)}")
    known = next((one for one in SETTINGS if one == setting), None)
    if known is None:
        raise SchemaError(f"unknown setting {setting[:40]!r}; known: {', '.join(SETTINGS)}")
    chosen = _draw_sample(data, split, count, absent, seed=seed)
    wanted, found = set(chosen), {}
    for number, example in enumerate(data.examples(split)):
        if number in wanted:
            found[number] = example
            if len(found) == len(wanted):
                break
    examples = tuple(found[number] for number in chosen if number in found)
    return PhotographGame(entry, examples, known, seed, is_named, absent)


def _draw_sample(data: CopsRef, split: str, count: int, absent: str, *, seed: int) -> list[int]:
    """Return the places of a random sample in a split, as many of them absent as is wanted and as there are."""
    if absent not in ABSENT:
        raise SchemaError(f"nothing fits in {', '.join(map(repr, ABSENT))}; got {absent[:40]!r}")
    if absent == "as is":
        return [at for _, at in draw_numbers([data.splits[split]], count, seed=seed)]
    tables = data.dataset.tables(split, columns=["object"])
    is_there = np.array([bool(one) for table in tables for one in table["object"].to_pylist()], bool)
    there, gone = np.flatnonzero(is_there), np.flatnonzero(~is_there)
    number = min(count // 2, len(gone)) if absent == "half" else 0
    if absent == "half" and len(there) < count - number:
        number = min(count - len(there), len(gone))
    chosen: list[int] = []
    for places, many in ((there, count - number), (gone, number)):
        if many and len(places):
            chosen += [int(places[at]) for _, at in draw_numbers([len(places)], many, seed=seed)]
    if not chosen:
        raise SchemaError(f"in the split {split!r} nothing is there; choose that nothing fits 'as is'")
    return Stream(derive(seed, "play", "mixed")).permutation(chosen)


def _graph(scene: GraphScene) -> SceneGraph:
    """What a file says of an image."""
    ids = scene.object_ids
    links: dict[int, list[Link]] = {number: [] for number in range(len(scene))}
    for relation, number, other in sorted(scene.links):
        links[number].append(Link(relation, ids[other]))
    things = (
        GraphObject(
            id=ids[number],
            name=scene.names[number],
            box=scene.boxes[number],
            attributes=tuple(sorted(scene.words[number])),
            relations=tuple(links[number]),
            raw_name=scene.raw_names[number],
        )
        for number in range(len(scene))
    )
    return SceneGraph(scene.image_id, scene.width, scene.height, tuple(things))


def _percent(share: float) -> float:
    return min(max(100 * share, 0.0), 100.0)
