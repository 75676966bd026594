"""Judging for worlds in which the answer is an object: correctness, and the misreading behind a wrong answer.

An answer is a line of JSON with the id of the example and the number of an object, counted from 0 in the order of the
scene; where several scenes are shown, also the number of the scene:

    {"id": 12, "object": 3}
    {"id": 13, "scene": 1, "object": 0}
    {"id": 14, "object": "none"}

The last says that nothing fits, as `nothing` and `not there` do; that is right where nothing does. Any other answer is
right when it is the target. A wrong one is explained by the slightest misreading of the expression that
leads to it (`deixis.distractors.misreadings`); where several are equally slight, each is given its share. Whatever is
not answered, or cannot be understood, is wrong and also counted apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from deixis._losses import Losses
from deixis._options import refuse_options
from deixis.data._split_names import names_in_split
from deixis.distractors.misreadings import leading_to
from deixis.errors import BrokenDataset, DeixisError
from deixis.judge._results import answer_lines, begin_results, examples_to_judge, write_results
from deixis.judge._sharing import judge_together
from deixis.judge.request import AGAIN, NO_EXAMPLE, says_none
from deixis.learn.run import is_word
from deixis.report.output import Output
from deixis.resolution.reference import denotation, resolve
from deixis.scene.scene import Where
from deixis.seeds import Stream, derive
from deixis.worlds.example import context_of, fits_nothing, has_absent, scenes_of
from deixis.worlds.toolkit._verdicts import (
    OUTCOMES,
    UNEXPLAINED,
    Answer,
    Verdict,
    score_verdicts,
    verdict_blocks,
    write_object_verdicts,
)


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.judge.request import Request
    from deixis.worlds.example import Example
    from deixis.worlds.world import World


__all__ = ["OUTCOMES", "Answer", "ObjectJudging", "Verdict", "ready_part", "score_verdicts", "write_object_verdicts"]


def ready_part(world: World) -> ObjectJudging:
    """The part `judging` of a world that names none."""
    return ObjectJudging(world)


@dataclass(frozen=True, slots=True)
class ObjectJudging:
    """Part `judging` for worlds in which the answer is the number of the object that is meant."""

    world: World
    answers: ClassVar[Mapping[str, str]] = {
        "JSON Lines": '{"id": 12, "object": 3}, with "scene" where several are shown; "none" where nothing fits'
    }
    baselines: ClassVar[Mapping[str, str]] = {
        "random": "any object that is shown; where a dataset has examples that fit nothing, also that",
        "oracle": "what the expression picks out, or what is meant where its meaning is not known",
    }
    measures: ClassVar[Mapping[str, str]] = {
        "accuracy": "the object is the one that is meant, or nothing fits and the answer says so"
    }
    runs_on_clusters: ClassVar[bool] = True

    def recognises(self, answers: Path) -> bool:
        """Never: numbers of objects say nothing without the dataset."""
        del answers
        return False

    def evaluate(self, request: Request) -> Output:
        """Judge answers.

        A folder gets evaluation.json and verdicts.parquet, in which other splits are kept.
        """
        source, data = request.answer, request.folder
        word = str(source) if is_word(source, tuple(self.baselines)) else ""
        examples = self.world.part("examples").open(data)
        chosen, unfit = _divide(examples_to_judge(examples, request.splits))
        asked = list(chosen.values())
        may_be_none = has_absent(examples, asked)
        if not asked:
            raise BrokenDataset(f"{data.name} has no example with objects of which one is meant, so none can be judged")
        request.progress("examples", len(asked), len(asked))
        losses = Losses("answers")
        model = None if word else self.ask_model(request, asked)
        if model is None:
            refuse_options({"--device": request.device != "auto"}, because="for checkpoints only")
        if model is not None:
            word, answers = model
        else:
            answers = (
                self.answer(word, asked, seed=request.seed, may_be_none=may_be_none)
                if word
                else self.read(source, asked, losses)
            )
        given: dict[str, Answer] = {}
        for answer in answers:
            losses.see()
            losses.leave_out(AGAIN, int(answer.id in given))
            given.setdefault(answer.id, answer)
        if not word:
            known = {str(example.id) for example in examples}
            losses.leave_out(NO_EXAMPLE, sum(number not in known for number in given))
            losses.demand_few(where=source, allowed=request.allow_losses)
        answered = {split for example in asked if str(example.id) in given for split in _splits(example)}
        chosen = {number: one for number, one in chosen.items() if answered.intersection(_splits(one))}
        asked = list(chosen.values())
        if not asked:
            raise BrokenDataset(
                f"none of the answers in {source} is to an example that is judged; are the ids the same?"
            )
        about = begin_results(request, world=self.world.name, word=word)
        todo = [(number, given.get(str(example.id))) for number, example in chosen.items()]
        verdicts = judge_together(request, self.world, todo, _judge_some, examples=chosen, unpack=_unpack)
        chances = [1 / max(sum(map(len, scenes_of(example))) + may_be_none, 1) for example in asked]
        wanted = [split for split in examples.splits if split in answered]
        values = (
            about
            | {
                "overall": score_verdicts(verdicts, chances),
                "splits": {split: score_verdicts(*_of_split(verdicts, chances, split)) for split in wanted},
            }
            | ({"losses": losses.to_dict()} if losses else {})
        )
        values |= {"not judged": unfit} if unfit else {}

        def write(path: Path, keep: bool) -> None:
            write_object_verdicts(path, verdicts, world=self.world, keep=keep)

        files, notes = write_results(request, values, write)
        return Output(
            values=values,
            blocks=[*verdict_blocks(values), *_unfit_lines(unfit), *losses.lines()],
            files=files,
            notes=notes,
        )

    def ask_model(
        self,
        request: Request,  # noqa: ARG002 (for worlds whose models answer)
        examples: Sequence[Any],  # noqa: ARG002
    ) -> tuple[str, Iterable[Answer]] | None:
        """Return the name and the answers of a model that is asked now, or None if a file holds the answers."""
        return None

    def answer(
        self, word: str, examples: Iterable[Example], *, seed: int = 0, may_be_none: bool = False
    ) -> Iterator[Answer]:
        """Yield the answers of a baseline.

        Random answers depend on the seed, the id, and whether the dataset has what fits nothing: then that nothing
        fits is as likely as each object (`may_be_none`).
        """
        for example in examples:
            chosen: Where | None
            if word == "random":
                scenes = scenes_of(example)
                places = [Where(number, thing) for number, scene in enumerate(scenes) for thing in range(len(scene))]
                draw = Stream(derive(seed, "random answers", str(example.id)))
                place = draw.below(len(places) + may_be_none) if places or may_be_none else 0
                chosen = places[place] if place < len(places) else None
                yield Answer(str(example.id), chosen, may_be_none and chosen is None)
            else:
                chosen = min(_objects_said(example), default=None)
                yield Answer(str(example.id), chosen, chosen is None and fits_nothing(example))

    def read(self, path: Path, examples: Iterable[Example], losses: Losses | None = None) -> Iterator[Answer]:
        """The answers in a file, in its order.

        Args:
            path: JSON Lines.
            examples: those that may have been answered, for the number of scenes that each shows.
            losses: lines without an id are counted here.

        Raises:
            BrokenDataset: when the file cannot be read or holds no answer.
        """
        if path.is_dir() or not path.exists():
            words = ", ".join(self.baselines)
            kind = "is a folder" if path.is_dir() else "is not there"
            raise BrokenDataset(f"{path} {kind}; {self.world.name} judges files of answers, and the words {words}")
        shown = {str(example.id): len(scenes_of(example)) for example in examples}
        seen = False
        for values in answer_lines(path):
            seen = True
            number = values.get("id") if isinstance(values, dict) else None
            if not isinstance(number, int | str) or isinstance(number, bool):
                if losses is not None:
                    losses.see()
                    losses.leave_out("a line has no 'id'")
                continue
            scene, thing = values.get("scene", 0 if shown.get(str(number), 1) == 1 else None), values.get("object")
            is_read = type(scene) is int and type(thing) is int
            yield Answer(str(number), Where(scene, thing) if is_read else None, says_none(thing))
        if not seen:
            raise BrokenDataset(f"{path} holds no answers")

    def judge(self, example: Example, answer: Answer | None) -> Verdict:
        """Judge one answer, or None for no answer."""
        scenes, context = scenes_of(example), context_of(example)
        is_there = context is not None
        verdict = Verdict(str(example.id), example.split, "unanswered", is_there=is_there)
        if answer is None:
            return verdict
        if answer.is_none:
            return verdict._replace(outcome="said nothing fits" if is_there else "right")
        chosen = answer.where
        if chosen is None:
            return verdict._replace(outcome="unreadable")
        verdict = verdict._replace(chosen=chosen)
        if context is not None and chosen == context.target:
            return verdict._replace(outcome="right")
        if not (0 <= chosen.scene < len(scenes) and 0 <= chosen.object < len(scenes[chosen.scene])):
            return verdict._replace(outcome="no such object")
        verdict = verdict._replace(outcome="wrong object" if is_there else "missed that nothing fits")
        if example.expression is None:
            return verdict._replace(misreading=(UNEXPLAINED,))
        found = leading_to(example.expression, scenes[chosen.scene], chosen.object)
        slips = tuple(dict.fromkeys(one.slip for one in found)) or (UNEXPLAINED,)
        return verdict._replace(misreading=slips, read_as=tuple(self._words(found)))

    def _words(self, found: Iterable[Any]) -> Iterator[str]:
        if self.world.has("language"):
            language = self.world.part("language")
            for one in found:
                try:
                    yield language.realise(one.expression).text
                except DeixisError:  # what is understood by mistake need not be something that one can say
                    continue


def _judge_some(
    world: World, examples: Mapping[int, Example], asked: Sequence[tuple[int, Answer | None]]
) -> list[Verdict]:
    """Judge some answers, in whatever process."""
    judging = world.part("judging")
    return [judging.judge(examples[number], answer) for number, answer in asked]


def _unpack(fields: Sequence[Any]) -> Verdict:
    """Return a verdict of which JSON has made lists."""
    one = Verdict(*fields)
    chosen = None if one.chosen is None else Where(*one.chosen)
    return one._replace(chosen=chosen, misreading=tuple(one.misreading), read_as=tuple(one.read_as))


def _objects_said(example: Example) -> Iterable[Where]:
    """Return the objects that an expression picks out, or the one that is meant where its meaning is not known."""
    said, context = example.expression, context_of(example)
    if said is None:
        return [] if context is None else [context.target]
    if context is None:
        scenes = scenes_of(example)
        return [Where(number, one) for number, scene in enumerate(scenes) for one in denotation(said, scene)]
    return resolve(said, context).objects


def _splits(example: Example) -> list[str]:
    return names_in_split(example.split)


def _divide(found: Mapping[int, Example]) -> tuple[dict[int, Example], int]:
    """Return the examples with objects of which one is meant, or none, by number, and how many are left out."""
    asked = {number: one for number, one in found.items() if context_of(one) is not None or fits_nothing(one)}
    return asked, len(found) - len(asked)


def _unfit_lines(unfit: int) -> list[str]:
    return [f"{unfit:,} examples are not judged: there is not one object that is meant"] if unfit else []


def _of_split(verdicts: Sequence[Verdict], chances: Sequence[float], split: str) -> tuple[list[Verdict], list[float]]:
    places = [place for place, verdict in enumerate(verdicts) if split in names_in_split(verdict.split)]
    return [verdicts[place] for place in places], [chances[place] for place in places]
