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

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pyarrow as pa

from deixis._losses import Losses
from deixis._options import refuse_options
from deixis.data._split_names import names_in_split
from deixis.distractors.misreadings import leading_to
from deixis.errors import BrokenDataset, DeixisError
from deixis.judge._results import answer_lines, begin_results, examples_to_judge, write_results
from deixis.judge._sharing import judge_together
from deixis.judge.request import AGAIN, NO_EXAMPLE, says_none
from deixis.judge.uncertainty import plain_estimates, share
from deixis.judge.verdicts import Codes, Verdicts, id_code, write_verdicts
from deixis.learn.run import is_word
from deixis.report.output import Output, TextTable
from deixis.resolution.reference import denotation, resolve
from deixis.scene.scene import Where
from deixis.seeds import Stream, derive
from deixis.worlds.example import context_of, fits_nothing, has_absent, scenes_of


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.judge.request import Request
    from deixis.worlds.example import Example
    from deixis.worlds.world import World


__all__ = ["OUTCOMES", "Answer", "ObjectJudging", "Verdict", "ready_part", "score_verdicts", "write_object_verdicts"]


Result: TypeAlias = Literal[
    "right",
    "wrong object",
    "said nothing fits",
    "missed that nothing fits",
    "no such object",
    "unreadable",
    "unanswered",
]
OUTCOMES: tuple[Result, ...] = get_args(Result)
SOMETHING, NOTHING = "something fits", "nothing fits"  # the two kinds of examples, where a dataset has both
UNEXPLAINED = "nothing in particular"


class Answer(NamedTuple):
    """The answer to the example of an id.

    `where` is None if nothing fits by the answer (`is_none`), or if it cannot be understood.
    """

    id: str
    where: Where | None
    is_none: bool = False


class Verdict(NamedTuple):
    """The judgement on one answer.

    Attributes:
        id: of the example. split: where it belongs, `a+b` for two sets.
        outcome: what came of it.
        chosen: the object that was answered.
        misreading: the sorts of the slightest misreadings that lead there, see `RANKS` in `misreadings`.
        read_as: what is understood then, in words, if the world has a language.
        is_there: whether something fits.
    """

    id: str
    split: str
    outcome: Result
    chosen: Where | None = None
    misreading: tuple[str, ...] = ()
    read_as: tuple[str, ...] = ()
    is_there: bool = True


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
            values=values, blocks=[*_blocks(values), *_unfit_lines(unfit), *losses.lines()], files=files, notes=notes
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


def score_verdicts(verdicts: Sequence[Verdict], chances: Sequence[float]) -> dict[str, Any]:
    """Return the measures of some verdicts, as `evaluation.json` holds them.

    `chances` are those of a random answer. Where examples fit nothing, accuracy is told for both kinds of examples.
    """
    right = np.array([verdict.outcome == "right" for verdict in verdicts])
    is_there = np.array([verdict.is_there for verdict in verdicts])
    found = {"accuracy": share(right)}
    if not is_there.all():
        kinds = {SOMETHING: is_there, NOTHING: ~is_there}
        found |= {f"accuracy, {name}": share(right[kind]) for name, kind in kinds.items() if kind.any()}
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    shares: dict[str, float] = {}
    for verdict in verdicts:
        for slip in verdict.misreading:
            shares[slip] = shares.get(slip, 0.0) + 1 / len(verdict.misreading)
    return {
        "examples": len(verdicts),
        **plain_estimates({"": found})[""],
        "chance": round(float(np.mean(chances)), 6),
        "outcomes": {name: outcomes[name] for name in OUTCOMES if outcomes[name]},
        "misreadings": {
            name: round(count, 3) for name, count in sorted(shares.items(), key=lambda one: (-one[1], one[0]))
        },
    }


def write_object_verdicts(path: Path, verdicts: Sequence[Verdict], *, world: World, keep: bool = False) -> None:
    """Write verdicts on objects in the common schema, with the scene and what was read besides.

    Args:
        path: the file.
        verdicts: one for each answer; an example of two splits has a row in each.
        world: whose they are.
        keep: whether to keep what the file holds of other splits.
    """
    rows = [(split, verdict) for verdict in verdicts for split in names_in_split(verdict.split or "all")]
    part, outcome, misreading = (Codes() for _ in range(3))
    for split, verdict in rows:
        part.add(split)
        outcome.add(verdict.outcome)
        misreading.add(verdict.misreading)
    ids = [verdict.id for _, verdict in rows]
    scenes = [None if verdict.chosen is None else verdict.chosen.scene for _, verdict in rows]
    found = Verdicts(
        ids=np.array([id_code(one) for one in ids], np.int64),
        part=part.codes,
        parts=part.names,
        right={"accuracy": np.array([verdict.outcome == "right" for _, verdict in rows], bool)},
        outcome=outcome.codes,
        outcomes=outcome.names,
        role=np.zeros(len(rows), np.int16),
        roles=("",),
        misreading=misreading.codes,
        misreadings=misreading.names,
        chosen=np.array([-1 if one.chosen is None else one.chosen.object for _, one in rows], np.int32),
        names=ids,
    )
    read_as = pa.array([list(verdict.read_as) for _, verdict in rows], pa.list_(pa.string()))
    more = {"scene": pa.array(scenes, pa.int32()), "read_as": read_as}
    write_verdicts(path, found, world=world.name, more=more, keep=keep)


def _blocks(values: Mapping[str, Any]) -> Iterator[str | TextTable]:
    yield f"{values['model'] or values['predictions']['answers']} on {values['data']}; in %, with 95 % interval"
    scores = {**values["splits"], **({"all": values["overall"]} if len(values["splits"]) > 1 else {})}
    rows = []
    for name, score in scores.items():
        found = score["accuracy"]
        interval = f"{100 * found['low']:.1f}–{100 * found['high']:.1f}"
        rows.append((name, f"{score['examples']:,}", _percent(found["mean"]), interval, _percent(score["chance"])))
    yield TextTable(("split", "examples", "right", "95 %", "chance"), rows, range(1, 5))
    overall = values["overall"]
    kinds = [(kind, overall[f"accuracy, {kind}"]) for kind in (SOMETHING, NOTHING) if f"accuracy, {kind}" in overall]
    if kinds:
        shown = [
            (kind, f"{one['rows']:,}", _percent(one["mean"]), f"{100 * one['low']:.1f}–{100 * one['high']:.1f}")
            for kind, one in kinds
        ]
        yield TextTable(("all, where", "examples", "right", "95 %"), shown, (1, 2, 3))
    if set(overall["outcomes"]) != {"right"}:
        counted = [(name, f"{count:,}") for name, count in overall["outcomes"].items()]
        yield TextTable(("outcome", "answers"), counted, (1,))
    wrong = sum(overall["outcomes"].get(name, 0) for name in ("wrong object", "missed that nothing fits"))
    if wrong:
        shares = [(name, _percent(count / wrong)) for name, count in overall["misreadings"].items()]
        yield TextTable(("wrong object, by misreading", "%"), shares, (1,))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
