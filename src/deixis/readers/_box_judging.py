"""Judging of task localise: answers with boxes, over examples that readers take from files of others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from deixis._losses import Losses
from deixis._options import refuse_options
from deixis.data._split_names import names_in_split
from deixis.errors import BrokenDataset, SchemaError
from deixis.judge._results import begin_results, examples_to_judge, write_results
from deixis.judge._sharing import judge_together
from deixis.judge.boxes import LADDER, SPACES, Box, Region
from deixis.judge.request import AGAIN, NO_EXAMPLE
from deixis.learn.run import is_word
from deixis.readers._box_answers import AnswerFile, BoxAnswer
from deixis.readers._box_baselines import BASELINES, NO_SIZE, baseline_answers
from deixis.readers._box_readings import best_reading, tell_reading
from deixis.readers._box_scores import MEASURES, chance_of, score_boxes, score_tables, scores_by_fact, scores_by_split
from deixis.readers._box_verdict_file import write_box_verdicts
from deixis.readers._box_verdicts import BoxVerdict, judge_boxes
from deixis.report.output import Output
from deixis.scene.scene import Where


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.judge.boxes import Space
    from deixis.judge.request import Request
    from deixis.readers.reader import ReadExample
    from deixis.worlds.world import Examples, World


ANOTHER_TEXT = "its expression is not that of the example of its id"


def ready_part(world: World) -> BoxJudging:
    """The part `judging` of a reader of task localise."""
    return BoxJudging(world)


@dataclass(frozen=True, slots=True)
class BoxJudging:
    """Part `judging` where boxes are asked for, in one or several images, or nothing."""

    world: World
    answers: ClassVar[Mapping[str, str]] = {
        "JSON Lines": '{"id": 12, "box": [10, 20, 110, 220], "space": "pixels"}, "boxes" for several, "image" where '
        'several are shown; {"id": 12, "object": 3} for a candidate; "box": "none" where nothing fits',
        "Ref-Adv": "predictions of its evaluation, in pixels",
        "Google Refexp": "results of the comprehension task, in pixels",
    }
    baselines: ClassVar[Mapping[str, str]] = BASELINES
    measures: ClassVar[Mapping[str, str]] = MEASURES
    runs_on_clusters: ClassVar[bool] = True

    def recognises(self, answers: Path) -> bool:
        """Never: boxes say nothing without the dataset."""
        del answers
        return False

    def evaluate(self, request: Request) -> Output:
        """Judge answers.

        A folder gets evaluation.json and verdicts.parquet, in which other splits are kept.
        """
        source, data = request.answer, request.folder
        refuse_options({"--device": request.device != "auto"}, because="for checkpoints only")
        word = str(source) if is_word(source, tuple(self.baselines)) else ""
        examples: Examples = self.world.part("examples").open(data)
        chosen = examples_to_judge(examples, request.splits)
        request.progress("examples", len(chosen), len(chosen))
        losses, contradictions = Losses("answers"), Counter[str]()
        if word:
            answers: Iterable[BoxAnswer] = baseline_answers(
                word, list(chosen.values()), seed=request.seed, losses=losses
            )
        else:
            answers = self.read(source, request.options.get("space"), losses, contradictions)
        given: dict[str, BoxAnswer] = {}
        for answer in answers:
            losses.see()
            losses.leave_out(AGAIN, int(answer.id in given))
            given.setdefault(answer.id, answer)
        if not word:
            texts = {str(example.id): example.text for example in examples}
            losses.leave_out(NO_EXAMPLE, sum(number not in texts for number in given))
            others = [name for name, one in given.items() if one.text and one.text != texts.get(name, one.text)]
            losses.leave_out(ANOTHER_TEXT, len(others))
            for name in others:
                del given[name]
            losses.demand_few(where=source, allowed=request.allow_losses)
        chosen = _in_answered_splits(chosen, given)
        asked = list(chosen.values())
        if not asked:
            why = f": {NO_SIZE}" if word else "; are the ids the same?"
            raise BrokenDataset(f"none of the answers in {source} is to an example that is judged{why}")
        values = begin_results(request, world=self.world.name, word=word)
        verdicts = self._judge_all(request, chosen, given, contradictions)
        chances, seed = [chance_of(example) for example in asked], request.seed
        splits = [split for split in examples.splits if any(split in names_in_split(one.split) for one in asked)]
        values |= {
            "overall": score_boxes(verdicts, chances, seed=seed),
            "splits": scores_by_split(verdicts, chances, splits, seed=seed),
            "facts": scores_by_fact(asked, verdicts, chances),
        }
        if twins := sum(one.outcome == "wrong object" and one.worst >= LADDER[0] for one in verdicts):
            values["twins"] = twins
        values |= {"contradictions": dict(contradictions.most_common())} if contradictions else {}
        values |= _explain(asked, [given.get(str(one.id)) for one in asked])
        values |= {"losses": losses.to_dict()} if losses else {}

        def write(path: Path, keep: bool) -> None:
            write_box_verdicts(path, verdicts, world=self.world, keep=keep)

        files, notes = write_results(request, values, write)
        return Output(values=values, blocks=[*_blocks(values), *losses.lines()], files=files, notes=notes)

    def read(
        self, path: Path, space: Space | None, losses: Losses, contradictions: Counter[str]
    ) -> Iterator[BoxAnswer]:
        """Yield the answers in a file, or raise `BrokenDataset` where there are none or a space is not declared."""
        if path.is_dir() or not path.exists():
            words = ", ".join(self.baselines)
            kind = "is a folder" if path.is_dir() else "is not there"
            raise BrokenDataset(f"{path} {kind}; {self.world.name} judges files of answers, and the words {words}")
        yield from AnswerFile(path, space=space, losses=losses, contradictions=contradictions)

    def _judge_all(
        self,
        request: Request,
        chosen: Mapping[int, ReadExample],
        given: Mapping[str, BoxAnswer],
        contradictions: Counter[str],
    ) -> list[BoxVerdict]:
        """Judge the answers to examples by their numbers, here or by whoever shares the work.

        A box far outside its image is counted as a contradiction.
        """
        asked = [(number, given.get(str(example.id))) for number, example in chosen.items()]
        for number, answer in asked:
            for one in (answer.boxes or ()) if answer is not None else ():
                if one.space == "pixels" and _is_far_outside(one.box, chosen[number], one.image):
                    contradictions["a box in pixels reaches far out of its image"] += 1
        return judge_together(request, self.world, asked, _judge_some, examples=chosen, unpack=_unpack)

    def judge(self, example: ReadExample, answer: BoxAnswer | None) -> BoxVerdict:
        """Judge one answer, or None for no answer."""
        try:
            return judge_boxes(self.world, example, answer)
        except SchemaError as error:
            others = " or ".join(space for space in SPACES if space != "pixels")
            raise BrokenDataset(
                f"example {example.id}: {error}; give answers in {others}, or add width and height to each"
            ) from error


def _judge_some(
    world: World, examples: Mapping[int, ReadExample], asked: Sequence[tuple[int, BoxAnswer | None]]
) -> list[BoxVerdict]:
    """Judge some answers, in whatever process."""
    judging = world.part("judging")
    return [judging.judge(examples[number], answer) for number, answer in asked]


def _unpack(fields: Sequence[Any]) -> BoxVerdict:
    """Return a verdict of which JSON has made lists."""
    one = BoxVerdict(*fields)
    regions = tuple(Region(image, Box(*box)) for image, box in one.regions)
    chosen = None if one.chosen is None else Where(*one.chosen)
    return one._replace(regions=regions, chosen=chosen, misreading=tuple(one.misreading), read_as=tuple(one.read_as))


def _explain(asked: Sequence[ReadExample], answers: Sequence[BoxAnswer | None]) -> dict[str, Any]:
    """Return why answers cannot be understood, and whether all would fit better read in another way."""
    problems = Counter(one.problem for one in answers if one is not None and one.problem)
    reading = best_reading(asked, answers)
    found: dict[str, Any] = {"unreadable": dict(problems.most_common())} if problems else {}
    return found | ({"better_reading": reading} if reading else {})


def _is_far_outside(box: Any, example: ReadExample, image: int | str | None) -> bool:
    number = image if isinstance(image, int) else 0
    size = example.images[number] if 0 <= number < len(example.images) else None
    return (
        size is not None
        and bool(size.width and size.height)
        and (box.right > 1.1 * size.width or box.bottom > 1.1 * size.height)
    )


def _in_answered_splits(asked: Mapping[int, ReadExample], given: Mapping[str, BoxAnswer]) -> dict[int, ReadExample]:
    """Return the examples of the splits of which any example was answered, by their numbers."""
    splits = {split for one in asked.values() if str(one.id) in given for split in names_in_split(one.split)}
    return {number: one for number, one in asked.items() if splits.intersection(names_in_split(one.split))}


def _blocks(values: Mapping[str, Any]) -> Iterator[Any]:
    yield f"{values['model'] or values['predictions']['answers']} on {values['data']}; in %, with 95 % interval"
    yield from score_tables(values)
    if count := values.get("twins", 0):
        yield (
            f"{count:,} answer{'s name' if count != 1 else ' names'} an object whose box overlaps the right one by .5 "
            "or more, but which is not the one that is meant: wrong, since an object is named"
        )
    for reason, count in values.get("contradictions", {}).items():
        yield f"{count:,} contradiction{'s' * (count != 1)}, counted as declared: {reason}"
    for reason, count in values.get("unreadable", {}).items():
        yield f"{count:,} answer{'s' * (count != 1)} cannot be read: {reason}"
    if "better_reading" in values:
        yield tell_reading(values["better_reading"])
