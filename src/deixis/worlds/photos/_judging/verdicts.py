"""Verdicts on single answers: the object each means, whether it is the target, and if not, the misreading.

A box stands for the candidate it agrees with best, if the two overlap by half. The misreading behind a wrong choice is
the slightest of the `misreadings` that lead to it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis.errors import UnknownName
from deixis.expression.parts import mention_at
from deixis.expression.steps import AnyOf, Is, Not, Nth, Related
from deixis.judge.request import ANSWERED, NOT_ASKED
from deixis.seeds import Stream, derive
from deixis.worlds.photos._misreadings import misreadings
from deixis.worlds.photos.localise import OVERLAP, SETTINGS, intersection_over_union, match_box
from deixis.worlds.photos.resolution.graphs import compile_for, resolve_graph_pairs
from deixis.worlds.photos.scene.vocabulary import NAME


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from deixis.distractors.planned_misreadings import PlannedMisreading
    from deixis.expression.description import Expression
    from deixis.expression.program import Program
    from deixis.worlds.photos.localise import Answer, Example, Setting
    from deixis.worlds.photos.scene.graph_table import GraphTable


Outcome: TypeAlias = Literal["right", "wrong object", "no object", "said not there", "unparsable", "unanswered"]
OUTCOMES: tuple[Outcome, ...] = ("right", "wrong object", "no object", "said not there", "unparsable", "unanswered")
SAME_IMAGE, OTHER_IMAGE = "right image", "image not shown"
UNEXPLAINED = "nothing in particular"
WORDS = (
    "noun",
    "attribute",
    "rank",
    "negation",
    "alternatives",
    "relation",
)  # for single parts, see `name_ignored_parts`
LABELS: dict[str, str] = {  # misreadings as what somebody did, in the words of `language._misreadings`
    **{word: f"ignored the target's {word}" for word in WORDS},
    **{f"{word} of something related": f"ignored another object's {word}" for word in WORDS},
    "all relations": "ignored all relations",
    "all but noun and attributes": "ignored all but the noun and its attributes",
    "all but the noun": "ignored all but the noun",
    UNEXPLAINED: "no misreading leads there",
}


class Verdict(NamedTuple):
    """The verdict on one answer.

    Attributes:
        id: of the example.
        setting: the images that were shown.
        outcome: what came of it. For an expression that fits nothing, `said not there` is right and filed as that.
        candidates: how many objects there were to choose from.
        place: where a wrong choice lies: `right image`, the kind of its image, or `image not shown`.
        is_same_category: whether a wrong choice has the target's name.
        misreadings: those that explain this choice, see `name_ignored_parts`.
        overlaps: whether the box that was given overlaps the target's by half, whichever object it matches best; None
            where none was given.
        image: the image in which an object was chosen; empty where none was.
        object: the number of this object in its image, -1 where there is none.
    """

    id: int
    setting: Setting
    outcome: Outcome
    candidates: int
    place: str = ""
    is_same_category: bool = False
    misreadings: tuple[str, ...] = ()
    overlaps: bool | None = None
    image: str = ""
    object: int = -1


def judge_answers(
    examples: Sequence[Example],
    answers: Iterable[Answer],
    scenes: GraphTable,
    *,
    seed: int = 0,
    strange: Counter[str] | None = None,
    judge: Callable[[Sequence[Choice]], Iterable[Verdict]] | None = None,
) -> list[Verdict]:
    """Judge every example in every setting that was answered, including unanswered examples of such a setting.

    Splits of which not one example was answered are left out.

    Args:
        examples: all that were asked.
        answers: what the model said; the first counts where there are several.
        scenes: the graphs of the images.
        seed: of the choice among equal scores.
        strange: how many answers are to other examples, or are not the first, is entered here.
        judge: judges choices as `judge_choices` does, by several workers.
    """
    known = {example.id: example for example in examples}
    strange = Counter() if strange is None else strange
    chooser = _Judge(scenes, derive(seed, "equal scores"))
    judged: dict[tuple[int, Setting], Choice] = {}
    for answer in answers:
        example = known.get(answer.id)
        if example is None:
            strange[NOT_ASKED] += 1
            continue
        settings = SETTINGS if answer.setting is None else (answer.setting,)
        new = [setting for setting in settings if (answer.id, setting) not in judged]
        if not new:
            strange[ANSWERED] += 1
        for setting in new:
            judged[answer.id, setting] = chooser.choice(answer, example, setting)
    asked = [setting for setting in SETTINGS if any(key[1] == setting for key in judged)]
    splits = {known[number].split for number, _ in judged}
    choices = [
        judged.get((example.id, setting)) or Choice(example, setting, "unanswered")
        for setting in asked
        for example in examples
        if example.split in splits
    ]
    return chooser.verdicts(choices) if judge is None else list(judge(choices))


def judge_choices(choices: Sequence[Choice], scenes: GraphTable) -> list[Verdict]:
    """Return the judgements on some choices, with the misreadings of wrong ones."""
    return _Judge(scenes, 0).verdicts(choices)


def name_ignored_parts(misreading: PlannedMisreading, expression: Expression) -> str:
    """Name the ignored parts of a misreading: `relation`, `noun of something related`, `all but the noun`."""
    if len(misreading.parts) > 1:
        return {"relation": "all relations"}.get(misreading.kind) or (
            "all but the noun" if len(misreading.expression.steps) == 1 else "all but noun and attributes"
        )
    (part,) = misreading.parts
    above = (mention_at(expression, part.address[:k]).steps[part.address[k]] for k in range(len(part.address) - 1))
    is_related = any(isinstance(step, Related) for step in above)
    match part.step:
        case Is(attribute, _):
            word = "noun" if attribute == NAME else "attribute"
        case Nth():
            word = "rank"
        case Not():
            word = "negation"
        case AnyOf():
            word = "alternatives"
        case _:
            word = "relation"
    return f"{word} of something related" if is_related else word


class Choice(NamedTuple):
    """The meaning of an answer, before misreadings are looked for."""

    example: Example
    setting: Setting
    outcome: Outcome
    scene: int = -1
    object: int = -1
    overlaps: bool | None = None


@dataclass(eq=False)
class _Judge:
    """The scenes, with what was looked up in them."""

    scenes: GraphTable
    seed: int
    _ids: dict[int, dict[str, int]] = field(default_factory=dict)

    def choice(self, answer: Answer, example: Example, setting: Setting) -> Choice:
        """Which object an answer means, and whether it is the target."""
        if answer.fault:
            return Choice(example, setting, "unparsable")
        if answer.is_absent:
            return Choice(example, setting, "said not there")
        if answer.scores is not None:
            best = self.best(answer.scores, example, setting)
            return Choice(example, setting, "unparsable") if best is None else self.decide(example, setting, *best)
        try:
            scene = self.scenes.find(answer.image_id)
        except UnknownName:
            return Choice(example, setting, "no object")
        if answer.box is None:
            number = self.ids_of(scene).get(answer.object_id)
            return (
                Choice(example, setting, "no object", scene)
                if number is None
                else self.decide(example, setting, scene, number)
            )
        some = self.scenes.objects_of(scene)
        boxes = self.scenes.box[some.start : some.stop]
        found = match_box(answer.box, boxes)
        overlaps = False
        if example.is_there and answer.image_id == example.image_id:
            agreement = intersection_over_union(answer.box, boxes)
            target = self.ids_of(scene).get(example.object_id)
            overlaps = target is not None and bool(agreement[target] >= OVERLAP)
        if found is None:
            return Choice(example, setting, "no object", scene, overlaps=overlaps)
        return self.decide(example, setting, scene, found)._replace(overlaps=overlaps)

    def decide(self, example: Example, setting: Setting, scene: int, number: int) -> Choice:
        is_right = (
            example.is_there
            and self.scenes.image_ids[scene] == example.image_id
            and self.ids_of(scene).get(example.object_id) == number
        )
        return Choice(example, setting, "right" if is_right else "wrong object", scene, number)

    def best(
        self, scores: Mapping[tuple[str, str], float], example: Example, setting: Setting
    ) -> tuple[int, int] | None:
        """The candidate with the highest score; among equals one at random, as neither order nor luck should count."""
        found: list[tuple[float, int, int]] = []
        for image_id in example.images(setting):
            scene = self.scenes.find(image_id)
            for object_id, number in self.ids_of(scene).items():
                score = scores.get((image_id, object_id))
                if score is not None:
                    found.append((score, scene, number))
        if not found:
            return None
        highest = max(score for score, _, _ in found)
        equals = sorted((scene, number) for score, scene, number in found if score == highest)
        stream = Stream(derive(self.seed, example.id, setting))
        return equals[0] if len(equals) == 1 else stream.choice(equals)

    def ids_of(self, scene: int) -> dict[str, int]:
        """Return the objects of a scene by their ids."""
        ids = self._ids.get(scene)
        if ids is None:
            some = self.scenes.objects_of(scene)
            names = self.scenes.object_ids[some.start : some.stop]
            ids = self._ids[scene] = {object_id: number for number, object_id in enumerate(names)}
        return ids

    def verdicts(self, choices: Sequence[Choice]) -> list[Verdict]:
        """Return the judgements on some choices, with the misreadings of wrong ones."""
        sizes = np.diff(self.scenes.scene_ptr)
        why = self.ignored_parts([choice for choice in choices if _is_explicable(choice)])
        candidates: dict[tuple[int, Setting], int] = {}
        found = []
        for choice in choices:
            example, setting = choice.example, choice.setting
            key = example.id, setting
            if key not in candidates:
                candidates[key] = int(sizes[example.scenes(self.scenes, setting)].sum())
            is_wrong = choice.outcome == "wrong object" and example.is_there
            found.append(
                Verdict(
                    example.id,
                    setting,
                    choice.outcome,
                    candidates[key],
                    place=self.place(choice) if is_wrong else "",
                    is_same_category=is_wrong and self.is_same_category(choice),
                    misreadings=(next(why) if _is_explicable(choice) else (UNEXPLAINED,)) if is_wrong else (),
                    overlaps=choice.overlaps,
                    image=self.scenes.image_ids[choice.scene] if choice.object >= 0 else "",
                    object=choice.object,
                )
            )
        return found

    def place(self, choice: Choice) -> str:
        image_id = self.scenes.image_ids[choice.scene]
        if image_id == choice.example.image_id:
            return SAME_IMAGE
        if image_id not in choice.example.images(choice.setting):
            return OTHER_IMAGE
        return " and ".join(choice.example.kinds_of(image_id))

    def is_same_category(self, choice: Choice) -> bool:
        scene = self.scenes.find(choice.example.image_id)
        target = self.ids_of(scene).get(choice.example.object_id)
        names, start = self.scenes.name, self.scenes.scene_ptr
        return target is not None and bool(names[start[choice.scene] + choice.object] == names[start[scene] + target])

    def ignored_parts(self, choices: Sequence[Choice]) -> Iterator[tuple[str, ...]]:
        """For every wrong choice what the slightest misreadings miss that lead to it."""
        readings: dict[int, tuple[PlannedMisreading, ...]] = {}
        programs: list[Program] = []
        which: list[int] = []
        where: list[int] = []
        asked: list[int] = []
        first: dict[int, int] = {}
        for choice in choices:
            example = choice.example
            assert example.expression is not None
            if example.id not in readings:
                readings[example.id] = misreadings(example.expression)
                first[example.id] = len(programs)
                programs += [compile_for(one.expression, self.scenes.vocabulary) for one in readings[example.id]]
            count = len(readings[example.id])
            which.extend(range(first[example.id], first[example.id] + count))
            where.extend([choice.scene] * count)
            asked.extend([choice.object] * count)
        masks = resolve_graph_pairs(programs, self.scenes, np.array(which, np.int64), np.array(where, np.int64))
        number = np.array(asked, np.int64)
        word = np.take_along_axis(masks, (number >> 6)[:, None], axis=1)[:, 0] if len(number) else masks[:, 0]
        leads = ((word >> (number & 63).astype(np.uint64)) & np.uint64(1)) != 0
        place = 0
        for choice in choices:
            some = readings[choice.example.id]
            led = [one for one, does in zip(some, leads[place : place + len(some)].tolist(), strict=True) if does]
            place += len(some)
            yield _names_of(led, choice.example.expression)


def _is_explicable(choice: Choice) -> bool:
    return choice.outcome == "wrong object" and choice.example.is_there and choice.example.expression is not None


def slightest(led: Sequence[PlannedMisreading]) -> tuple[PlannedMisreading, ...]:
    """Return the misreadings of a single part that lead to an object, or else the first of several parts."""
    return tuple(one for one in led if len(one.parts) == 1) or tuple(led[:1])


def _names_of(led: Sequence[PlannedMisreading], expression: Expression | None) -> tuple[str, ...]:
    """What the slightest of the misreadings that lead to an object miss."""
    if not led or expression is None:
        return (UNEXPLAINED,)
    return tuple(dict.fromkeys(name_ignored_parts(one, expression) for one in slightest(led)))
