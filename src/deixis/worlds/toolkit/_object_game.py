"""The ready-made game: to point at targets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from deixis._studio.answers import AnswerVerdict, Game, Measure, write_json, write_lines
from deixis._studio.world_pages import digest_of
from deixis._version import __version__
from deixis.errors import SchemaError
from deixis.judge.uncertainty import wilson
from deixis.judge.verdicts import VERDICTS
from deixis.scene.scene import Where
from deixis.worlds.toolkit._story import SLIPS, Story
from deixis.worlds.toolkit.judging import Answer, ObjectJudging, score_verdicts, write_object_verdicts


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from markupsafe import Markup

    from deixis._studio.library import Entry
    from deixis.worlds.example import Example
    from deixis.worlds.toolkit.judging import Verdict
    from deixis.worlds.world import World


@dataclass(frozen=True)
class ObjectGame(Game):
    """Expressions whose targets are to be pointed at."""

    world: World
    entry: Entry
    split: str
    numbers: tuple[int, ...]
    examples: tuple[Example, ...]
    seed: int
    draw: Callable[[Example, Story, Mapping[Where, str]], Markup]
    is_on_paper: bool = False

    template = "ready_play.html"

    def __len__(self) -> int:
        return len(self.examples)

    @cached_property
    def _judging(self) -> ObjectJudging:
        return ObjectJudging(self.world)

    def text(self, place: int) -> str:
        """Return the text of the example."""
        return self.examples[place].text

    def address(self, place: int) -> str:
        """The page of the example."""
        return f"/d/{self.entry.slug}/{self.numbers[place]}"

    def read(self, place: int, form: Mapping[str, str]) -> str:
        """Return the number of an object, and of several scenes that of the scene before it."""
        said = form.get("object", "")
        if said not in {thing.key for thing in Story(self.world, self.examples[place]).things}:
            raise SchemaError("choose one of the objects" if not said else f"there is no object {said[:20]!r} here")
        return said

    def show_question(self, place: int, form: Mapping[str, str]) -> dict[str, Any]:
        """Show the objects and their relations, without a picture, which may show the target."""
        del form
        story = Story(self.world, self.examples[place])
        drawing = self.draw(self.examples[place], story, {})
        return {"story": story, "drawing": drawing, "is_on_paper": self.is_on_paper}

    def show_verdict(self, place: int, said: str) -> dict[str, Any]:
        """The picture, and how the target is found."""
        story = Story(self.world, self.examples[place])
        chosen, target = self._where(place, said), self.examples[place].context.target
        marks = {chosen: "yours", target: "meant"}
        picture = f"/d/{self.entry.slug}/{self.numbers[place]}/picture.svg"
        drawing = self.draw(self.examples[place], story, marks)
        return {"story": story, "drawing": drawing, "picture": picture, "is_on_paper": self.is_on_paper}

    def judge(self, place: int, said: str) -> AnswerVerdict:
        """Judge an answer, with the reason if it is wrong."""
        story, found = Story(self.world, self.examples[place]), self.verdict(place, said)
        names = {thing.where: f"{thing.key}, the {thing.name}" for thing in story.things}
        target = story.context.target
        if found.outcome == "right":
            return AnswerVerdict(True, "Right", (f"It is {names[target]}.",))
        why = [f"The target is {names[target]}; you chose {names[self._where(place, said)]}."]
        led = [one.did for one in story.misreadings if said in one.lights.split(" ")]
        why.append(f"You would end there if you {led[0]}." if led else "No single misreading leads there.")
        return AnswerVerdict(False, "Not quite", tuple(why))

    def verdict(self, place: int, said: str) -> Verdict:
        """The judgement that a model would get."""
        example = self.examples[place]
        return self._judging.judge(example, Answer(str(example.id), self._where(place, said)))

    def measures(self, said: Sequence[str]) -> list[Measure]:
        """Return the measures of `deixis evaluate` for objects."""
        if not said:
            return []
        right = sum(self.verdict(place, one).outcome == "right" for place, one in enumerate(said))
        chance = float(np.mean(self._chances(said)))
        return [Measure("right object", "the target was chosen", wilson(right, len(said)), True, chance)]

    def misreadings(self, said: Sequence[str]) -> dict[str, float]:
        """Return the shares of misreadings behind wrong objects, divided where several explain one."""
        shares: dict[str, float] = {}
        for place, one in enumerate(said):
            found = self.verdict(place, one).misreading
            for name in (SLIPS.get(slip, slip) for slip in found):
                shares[name] = shares.get(name, 0.0) + 1 / len(found)
        return dict(sorted(shares.items(), key=lambda share: (-share[1], share[0])))

    def write(self, folder: Path, said: Sequence[str], facts: Mapping[str, Any], *, is_over: bool) -> list[str]:
        """Answers as `deixis evaluate` reads them, and in the end the evaluation."""
        write_lines(folder / "answers.jsonl", (self._line(place, one) for place, one in enumerate(said)))
        if is_over:
            verdicts = [self.verdict(place, one) for place, one in enumerate(said)]
            score = score_verdicts(verdicts, self._chances(said))
            about = {"world": self.world.name, **facts, "data": self.entry.title, "digest": self.digest}
            splits = {self.split or "all": score}
            write_json(folder / "evaluation.json", {"deixis": __version__, **about, "splits": splits})
            judged = [one._replace(split=self.split or "all") for one in verdicts]
            write_object_verdicts(folder / VERDICTS, judged, world=self.world)
        return ["deixis evaluate FOLDER/answers.jsonl --data DATA"]

    @property
    def digest(self) -> str:
        """The digest of the content of the dataset, as results hold it."""
        return digest_of(self.entry)

    def _line(self, place: int, said: str) -> dict[str, Any]:
        where = self._where(place, said)
        several = {"scene": where.scene} if len(self.examples[place].context.scenes) > 1 else {}
        return {"id": self.examples[place].id, **several, "object": where.object}

    def _where(self, place: int, said: str) -> Where:
        scene, dot, index = said.rpartition(".")
        del place
        return Where(int(scene) if dot else 0, int(index))

    def _chances(self, said: Sequence[str]) -> list[float]:
        some = self.examples[: len(said)]
        return [1 / max(sum(map(len, example.context.scenes)), 1) for example in some]
