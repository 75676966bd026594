"""Judging for readers whose answer is a choice: tasks `match` and `verify`.

How files of answers look is told in `_choice_answers`, what is measured in `_choice_scores`. The same questions in
several orders are one file with the field `order`, or several files, one for each order:

    deixis evaluate gpt4v-positive-first.json gpt4v-negative-first.json --data swap_obj.json
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from deixis._losses import Losses
from deixis._options import refuse_options
from deixis.audits._pairs import compare_pair, words_of
from deixis.data._split_names import names_in_split
from deixis.errors import BrokenDataset, RecipeError
from deixis.judge._results import begin_results, examples_to_judge, write_results
from deixis.judge._sharing import judge_together
from deixis.judge.request import AGAIN, NO_EXAMPLE
from deixis.judge.verdicts import Codes, Verdicts, id_code, write_verdicts
from deixis.learn.run import is_word
from deixis.readers._choice_answers import ChoiceAnswer, choices_of, read_choices
from deixis.readers._choice_scores import (
    MEASURES,
    ChoiceVerdict,
    JudgedChoice,
    in_split,
    measures_in,
    score_choices,
    score_facts,
    score_tables,
)
from deixis.report.output import Output
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.judge.request import Request
    from deixis.readers._choice_answers import Choices
    from deixis.readers._world import ReaderWorld
    from deixis.readers.reader import ReadExample
    from deixis.worlds.world import World


CHANGES = {
    "order": "words in another order",
    "added": "words added",
    "dropped": "words left out",
    "replaced": "words replaced",
    "marks": "marks or capitals only",
}
"""How a wrong sentence differs from the right one, by `deixis.audits._pairs`."""
SHORTER, LONGER, CONSTANT = "shorter", "longer", "constant"


def ready_part(world: ReaderWorld) -> ChoiceJudging:
    """The part `judging` of a reader whose answers are choices."""
    return ChoiceJudging(world)


def difference_of(asked: Choices, chosen: int, example: ReadExample) -> str:
    """Return how the sentence of a wrong choice differs from the right one, or an empty text where it is right."""
    return _difference(asked.right, chosen, example)


def _difference(right: int, chosen: int, example: ReadExample) -> str:
    if chosen == right or not 0 <= chosen < len(example.choices):
        return ""
    return CHANGES[compare_pair(example.choices[right], example.choices[chosen]).change]


@dataclass(frozen=True, slots=True)
class ChoiceJudging:
    """Part `judging` for readers of the tasks `match` and `verify`."""

    world: ReaderWorld
    answers: ClassVar[Mapping[str, str]] = {
        "JSON Lines": '{"id": 12, "choice": 0}, a number, text or place, with "order" where it was shown in another',
        "scores": '{"id": 12, "scores": [0.3, 0.1]}; of two images and sentences a row for each sentence',
        "SugarCrepe": "the answers that it publishes, one file for each order",
    }
    measures: ClassVar[Mapping[str, str]] = MEASURES
    runs_on_clusters: ClassVar[bool] = True

    @property
    def baselines(self) -> Mapping[str, str]:
        """Answers without a model."""
        blind = {
            SHORTER: "the sentence with fewer words; of several, any of them",
            LONGER: "the sentence with more words; of several, any of them",
        }
        own = blind if self.world.reader.task == "match" else {CONSTANT: "the first of the choices, as true"}
        return {"random": "any of the choices", "oracle": "the right choice", **own}

    def recognises(self, answers: Path) -> bool:
        """Never: choices say nothing without the dataset."""
        del answers
        return False

    def evaluate(self, request: Request) -> Output:
        """Judge answers.

        A folder gets evaluation.json and verdicts.parquet, in which other splits are kept.
        """
        data = request.folder
        refuse_options({"--device": request.device != "auto"}, because="no model is run")
        refuse_options({"--space": request.options.get("space")}, because="the answers are choices, not boxes")
        word = self._word(request)
        examples = self.world.part("examples").open(data)
        chosen = examples_to_judge(examples, request.splits)
        asked = list(chosen.values())
        request.progress("examples", len(asked), len(asked))
        losses = Losses("answers")
        if word:
            given = {("", one.id, one.asked): one for one in self.answer(word, asked, seed=request.seed)}
        else:
            given = self._read(request.answers, {str(example.id): example for example in examples}, losses)
            losses.demand_few(where=" and ".join(map(str, request.answers)), allowed=request.allow_losses)
        values = begin_results(request, world=self.world.name, word=word)
        verdicts, facts = self._verdicts(chosen, given, request)
        measures = measures_in(verdicts)
        splits = [split for split in examples.splits if any(in_split(one, split) for one in verdicts)]
        values |= {
            "overall": score_choices(verdicts, measures),
            "splits": {
                split: score_choices([one for one in verdicts if in_split(one, split)], measures) for split in splits
            },
            "facts": score_facts(verdicts, facts, measures),
        } | ({"losses": losses.to_dict()} if losses else {})

        def write(path: Path, keep: bool) -> None:
            write_choice_verdicts(path, verdicts, world=self.world.name, keep=keep)

        files, notes = write_results(request, values, write)
        blocks = [*score_tables(values, measures), *losses.lines()]
        return Output(values=values, blocks=blocks, files=files, notes=notes)

    def _word(self, request: Request) -> str:
        """The baseline that is to be judged, or an empty text; `RecipeError` for several answerers."""
        words = [str(one) for one in request.answers if is_word(one, tuple(self.baselines))]
        if words and len(request.answers) > 1:
            raise RecipeError(f"{words[0]} is judged alone; files of answers in several orders are of one model")
        return words[0] if words else ""

    def answer(self, word: str, examples: Iterable[ReadExample], *, seed: int = 0) -> Iterator[ChoiceAnswer]:
        """Yield the answers of a baseline.

        Random answers depend on the seed, the id and the question alone.
        """
        for example in examples:
            for one in choices_of(example, self.world.reader.task):
                stream = Stream(derive(seed, "random choices", str(example.id), one.asked))
                yield ChoiceAnswer(str(example.id), _choose(word, one, stream), "", one.asked)

    def _read(
        self, paths: Sequence[Path], examples: Mapping[str, ReadExample], losses: Losses
    ) -> dict[tuple[str, str, str], ChoiceAnswer]:
        """The answers of all files by run, id and question; those to no example and second ones are counted."""
        given: dict[tuple[str, str, str], ChoiceAnswer] = {}
        for number, path in enumerate(paths):
            if path.is_dir() or not path.exists():
                kind = "is a folder" if path.is_dir() else "is not there"
                words = ", ".join(self.baselines)
                raise BrokenDataset(f"{path} {kind}; {self.world.name} judges files of answers, and the words {words}")
            seen = losses.seen
            for answer in read_choices(path, examples, self.world.reader.task, losses):
                name = path.name if len(paths) > 1 else ""
                run = f"order {' '.join(map(str, answer.order))}" if answer.order else name
                key = (run, answer.id, answer.asked)
                if answer.id not in examples:
                    losses.leave_out(NO_EXAMPLE)
                elif key in given:
                    losses.leave_out(AGAIN)
                else:
                    given[key] = answer
            if losses.seen == seen:
                raise BrokenDataset(f"{path} holds no answers (file {number + 1} of {len(paths)})")
        return given

    def _verdicts(
        self,
        asked: Mapping[int, ReadExample],
        given: Mapping[tuple[str, str, str], ChoiceAnswer],
        request: Request,
    ) -> tuple[list[ChoiceVerdict], list[Mapping[str, Any]]]:
        """The verdict on every example of the splits of which any was answered, with its facts."""
        task = self.world.reader.task
        by_question: dict[tuple[str, str], dict[str, ChoiceAnswer]] = {}
        for (run, name, question), answer in given.items():
            by_question.setdefault((name, question), {})[run] = answer
        most = max(map(len, by_question.values()), default=1)
        runs = list(dict.fromkeys(run for run, _, _ in given))
        questions = {question for _, question in by_question}
        answered = {
            split
            for example in asked.values()
            if any((str(example.id), one.asked) in by_question for one in choices_of(example, task))
            for split in names_in_split(example.split)
        }
        chosen = {
            number: example for number, example in asked.items() if answered.intersection(names_in_split(example.split))
        }
        judged: dict[int, list[JudgedChoice]] = {}
        for number, example in chosen.items():
            judged[number] = []
            for one in choices_of(example, task):
                if one.asked and one.asked.partition(" ")[0] not in {
                    question.partition(" ")[0] for question in questions
                }:
                    continue
                judged[number] += _judge(one, by_question.get((str(example.id), one.asked), {}), runs, most)
        missed = self._misreadings(request, chosen, judged)
        verdicts = [
            ChoiceVerdict(str(example.id), example.split, tuple(judged[number]), missed.get(number, ()), example.text)
            for number, example in chosen.items()
        ]
        if not verdicts:
            where = " and ".join(map(str, request.answers))
            raise BrokenDataset(
                f"none of the answers in {where} is to an example that is judged; are the ids the same?"
            )
        return verdicts, [example.facts for example in chosen.values()]

    def _misreadings(
        self, request: Request, asked: Mapping[int, ReadExample], judged: Mapping[int, Sequence[JudgedChoice]]
    ) -> dict[int, tuple[str, ...]]:
        """How wrong choices differ from the right ones, worked out here or by whoever shares the work."""
        if self.world.reader.task != "match":
            return {}
        pairs = {
            number: [(one.asked.right, one.answer.choice) for one in some if one.outcome == "wrong" and one.answer]
            for number, some in judged.items()
        }
        wrong = [(number, some) for number, some in pairs.items() if some]
        found = judge_together(request, self.world, wrong, _differences, examples=asked, unpack=tuple)
        return {number: missed for (number, _), missed in zip(wrong, found, strict=True)}


def _differences(
    world: World,  # noqa: ARG001 (as whoever shares the work is told)
    examples: Mapping[int, ReadExample],
    asked: Sequence[tuple[int, Sequence[tuple[int, int]]]],
) -> list[tuple[str, ...]]:
    """Return for each example how its wrong choices differ from the right ones, which stand before them."""
    return [
        tuple(dict.fromkeys(_difference(right, chosen, examples[number]) for right, chosen in pairs))
        for number, pairs in asked
    ]


def _judge(asked: Choices, given: Mapping[str, ChoiceAnswer], runs: Sequence[str], most: int) -> Iterator[JudgedChoice]:
    """Yield as many answers to a question as any question has, with None for those that are missing."""
    yield from (JudgedChoice(asked, answer, run) for run, answer in given.items())
    missing = [run for run in runs if run not in given] if len(runs) == most else [""] * (most - len(given))
    yield from (JudgedChoice(asked, None, run) for run in missing)


def _choose(word: str, asked: Choices, stream: Stream) -> int:
    """Return the choice of a baseline; one that looks at sentences guesses where images are to be chosen."""
    if word == "oracle":
        return asked.right
    if word == CONSTANT:
        return 0
    best = list(range(len(asked.texts)))
    if word in (SHORTER, LONGER) and not asked.asked.startswith("sentence"):
        lengths = [len(words_of(text)) for text in asked.texts]
        wanted = min(lengths) if word == SHORTER else max(lengths)
        best = [number for number, length in enumerate(lengths) if length == wanted]
    return best[stream.below(len(best))]


def write_choice_verdicts(path: Path, verdicts: Sequence[ChoiceVerdict], *, world: str, keep: bool = False) -> None:
    """Write verdicts on choices in the common schema; an example of two splits has a row in each.

    Args:
        path: the file.
        verdicts: one for each example.
        world: whose they are.
        keep: whether to keep what the file holds of other splits.
    """
    rows = [(split, verdict) for verdict in verdicts for split in names_in_split(verdict.split)]
    part, outcome = Codes.of(split for split, _ in rows), Codes.of(verdict.outcome for _, verdict in rows)
    missed = Codes.of(verdict.misreading for _, verdict in rows)
    ids = [verdict.id for _, verdict in rows]
    right = {name: np.array([verdict.is_right(name) for _, verdict in rows], bool) for name in measures_in(verdicts)}
    found = Verdicts(
        ids=np.array([id_code(one) for one in ids], np.int64),
        part=part.codes,
        parts=part.names,
        right=right,
        outcome=outcome.codes,
        outcomes=outcome.names,
        role=np.zeros(len(rows), np.int16),
        roles=("",),
        misreading=missed.codes,
        misreadings=missed.names,
        chosen=np.array([verdict.chosen for _, verdict in rows], np.int32),
        texts=[verdict.text for _, verdict in rows],
        names=ids,
    )
    write_verdicts(path, found, world=world, keep=keep)
