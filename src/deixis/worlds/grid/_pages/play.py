"""Games with instructions in grid worlds: click the target, or walk there.

A click is judged by the very object, and kept as the plan of somebody who goes there, so that `deixis evaluate` reads
the answers to both tasks. (Where a solid stands on the corner of a box, both have one plan, and `evaluate` takes it for
the solid's.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from starlette.routing import Route

from deixis._studio.answers import AnswerVerdict, Game, Measure, draw_numbers, write_json
from deixis._studio.pages import render
from deixis._studio.play import sitting_of
from deixis._version import __version__
from deixis.data._ragged import Ragged
from deixis.data._split_names import names_in_split, splits_of
from deixis.data.store import write_parquet
from deixis.errors import SchemaError, UnknownName
from deixis.judge.uncertainty import Estimate
from deixis.judge.verdicts import VERDICTS
from deixis.language._misreadings import join_misreadings
from deixis.language.explain import name_object
from deixis.resolution.reference import denotation
from deixis.worlds.grid._pages.shelf import grid_example
from deixis.worlds.grid._report.explain import plan_words
from deixis.worlds.grid._report.themed import draw_themed
from deixis.worlds.grid.actions import Action, Plan, plan_from_letters, plan_to_codes
from deixis.worlds.grid.data.example_arrays import data_digest
from deixis.worlds.grid.data.plans import write_plans
from deixis.worlds.grid.data.table import table_of
from deixis.worlds.grid.draw import Marks, path_of
from deixis.worlds.grid.judging._misreadings import LABELS
from deixis.worlds.grid.judging._verdict_file import write_plan_verdicts
from deixis.worlds.grid.judging.navigation import Score, evaluate_plans
from deixis.worlds.grid.judging.verdicts import ExampleArrays, Plans, judge_all, judge_choice, judge_choices, judge_plan
from deixis.worlds.grid.language import explain, say_misreadings_to
from deixis.worlds.grid.plan import plan as make_plan
from deixis.worlds.grid.simulate import simulate


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

    from deixis._studio.library import Entry
    from deixis.worlds.grid.data.sources import Source
    from deixis.worlds.grid.judging.verdicts import Verdict, Verdicts
    from deixis.worlds.grid.navigate import Example
    from deixis.worlds.grid.scene import GridScene
    from deixis.worlds.grid.simulate import Outcome


GridTask: TypeAlias = Literal["point", "navigate"]
MOST_ACTIONS = 300
TASKS = {
    "point": ("Point", "Click the object that the instruction is about."),
    "navigate": ("Navigate", "Carry the instruction out: turn, walk, push and pull."),
}
MEASURES = {
    "exact": "exact match with the reference plan",
    "got_there": "goal state reached",
    "right_target": "correct target",
}


@dataclass(frozen=True)
class GridGame(Game):
    """A game of instructions to carry out, or of targets to point at."""

    entry: Entry
    split: str
    task: GridTask
    numbers: tuple[int, ...]
    examples: tuple[Example, ...]

    @property
    def template(self) -> str:
        """The template that shows a question and its verdict."""
        return f"grid/play_{self.task}.html"

    def __len__(self) -> int:
        return len(self.examples)

    def step(self, form: Mapping[str, str]) -> dict[str, str] | None:
        """Return the plan after a button of the board, which adds an action to it or takes one away."""
        act, plan = form.get("act", ""), form.get("plan", "")
        if not act or self.task != "navigate":
            return None
        return {"plan": {"undo": plan[:-1], "again": ""}.get(act, plan + act)}

    def text(self, place: int) -> str:
        """Return the command."""
        return self.examples[place].text

    def address(self, place: int) -> str:
        """Return the page of the example."""
        return f"/d/{self.entry.slug}/{self.numbers[place]}"

    def read(self, place: int, form: Mapping[str, str]) -> str:
        """Read an answer: the number of an object, or the letters of a plan."""
        if self.task == "navigate":
            return read_plan(form.get("plan", ""))
        said, count = form.get("object", ""), len(self.examples[place].scene)
        if not said.isdecimal() or not int(said) < count:
            raise SchemaError("choose one of the objects" if not said else f"there is no object {said[:20]!r} here")
        return str(int(said))

    def show_question(self, place: int, form: Mapping[str, str]) -> dict[str, Any]:
        """Return the board after the actions so far."""
        scene = self.examples[place].scene
        if self.task == "navigate":
            return board_values(self.examples[place], read_plan(form.get("plan", "")))
        names = [(number, _name(scene, number)) for number in range(len(scene))]
        return {"board": draw_themed(scene, title=self.text(place)), "objects": names}

    def show_verdict(self, place: int, said: str) -> dict[str, Any]:
        """Return the board with the target, the chosen object and both ways."""
        example = self.examples[place]
        verdict, plan = self.verdict(place, said), self.plan(place, said)
        marks = _marks(example, verdict.chosen)
        values: dict[str, Any] = {
            "board": draw_themed(example.scene, marks=marks, title=example.text, has_legend=True),
            "mentions": explain(example.utterance, example.scene).mentions,
        }
        if self.task == "navigate":
            ways = [path_of(example.scene, actions) for actions in (plan, example.plan)]
            boards = [
                draw_themed(
                    example.scene,
                    marks=replace(marks, path=way.path if len(way.path) > 1 else None, pushed=way.pushed),
                    title=example.text,
                )
                for way in ways
            ]
            values |= {"mine": boards[0], "recorded": boards[1]}
            values |= {"my_words": plan_words(plan) if plan else "nothing", "right_words": plan_words(example.plan)}
        return values

    def plan(self, place: int, said: str) -> Plan:
        """Return the actions that an answer stands for."""
        if self.task == "navigate":
            return plan_from_letters(said)
        example = self.examples[place]
        if int(said) == example.target:
            return example.plan
        return make_plan(example.scene, int(said), example.verb, example.manner)

    def verdict(self, place: int, said: str) -> Verdict:
        """Return the verdict that a model would get, or for a click, the one on the very object."""
        if self.task == "point":
            return judge_choice(self.examples[place], int(said))
        return judge_plan(self.examples[place], self.plan(place, said))

    def judge(self, place: int, said: str) -> AnswerVerdict:
        """Judge an answer, and say why it is wrong."""
        example, found = self.examples[place], self.verdict(place, said)
        if self.task == "point":
            if found.chosen == example.target:
                return AnswerVerdict(True, "Right", (f"It is the {_name(example.scene, example.target)}.",))
            return AnswerVerdict(False, "Not quite", tuple(self._why(place, int(said))))
        if found.exact:
            return AnswerVerdict(True, "Right: exact match")
        if found.got_there:
            reason = "You reached the goal state, but the reference plan goes another way or has another manner."
            return AnswerVerdict(False, "Goal reached, another way", (reason,))
        if found.chosen == example.target:
            reason = "You went to the target, but did not reach the goal state of the reference plan."
            return AnswerVerdict(False, "Correct target, wrong goal state", (reason,))
        if found.chosen is None:
            return AnswerVerdict(False, "You did not end at an object", ("Nothing stands where you ended.",))
        return AnswerVerdict(False, "Not quite", tuple(self._why(place, found.chosen)))

    def measures(self, said: Sequence[str]) -> list[Measure]:
        """Return the measures that `deixis evaluate` computes for plans."""
        verdicts = [self.verdict(place, one) for place, one in enumerate(said)]
        right_target = [found.chosen == self.examples[place].target for place, found in enumerate(verdicts)]
        counts = (
            sum(found.exact for found in verdicts),
            sum(found.exact_cut for found in verdicts),
            sum(found.got_there for found in verdicts),
            sum(right_target),
        )
        tokens = float(np.mean([found.tokens for found in verdicts])) if verdicts else float("nan")
        score = Score(len(verdicts), counts, tokens)
        if self.task == "point":
            fair = [1 / max(len(self.examples[place].scene), 1) for place in range(len(said))]
            chance = float(np.mean(fair)) if fair else None
            return [Measure("right target", "the object that is meant", score.estimate("right_target"), True, chance)]
        found = [Measure(name.replace("_", " "), meaning, score.estimate(name)) for name, meaning in MEASURES.items()]
        bare = Estimate(tokens, float("nan"), float("nan"), len(verdicts))
        return [*found, Measure("actions right", "the share of actions that are right in their place", bare)]

    def misreadings(self, said: Sequence[str]) -> dict[str, float]:
        """Return the misreadings that lead to the wrong objects, with shares where several explain one."""
        shares: dict[str, float] = {}
        for place, one in enumerate(said):
            names = self.verdict(place, one).misreadings
            for name in names:
                shares[LABELS[name]] = shares.get(LABELS[name], 0.0) + 1 / len(names)
        return dict(sorted(shares.items(), key=lambda share: (-share[1], share[0])))

    def write(self, folder: Path, said: Sequence[str], facts: Mapping[str, Any], *, is_over: bool) -> list[str]:
        """Write plans as `deixis evaluate` reads them, the examples that were asked, and in the end the evaluation."""
        split = _file_of(self.split)
        plans = [plan_to_codes(self.plan(place, one)) for place, one in enumerate(said)]
        codes = Ragged.of_lists(plans, np.zeros(0, np.uint8))
        ids = np.array([example.id for example in self.examples[: len(said)]], np.int64)
        known = {**facts, "data": self._digest}
        write_plans(folder / f"{split}.parquet", ids, codes, known)
        write_parquet(table_of(self.examples[: len(said)]), folder / "asked.parquet")
        if is_over:
            asked = {split: ExampleArrays.of(self.examples)}
            given = {split: Plans(ids=ids, codes=codes, facts=known)}
            judge = self._judge_clicks(said) if self.task == "point" else judge_all
            evaluation, verdicts = evaluate_plans(asked, given, data=self.entry.title, digest=self._digest, judge=judge)
            write_json(folder / "evaluation.json", {"deixis": __version__, "world": "grid", **evaluation.to_dict()})
            write_plan_verdicts(folder / VERDICTS, asked, verdicts)
        file = f"FOLDER/{split}.parquet"
        chosen = f" --split {split}" if split == self.split else ""
        return [f"deixis evaluate {file} --data FOLDER/asked.parquet{chosen}", f"deixis evaluate {file} --data DATA"]

    @cached_property
    def _digest(self) -> str:
        return data_digest(self.entry.data)

    @staticmethod
    def _judge_clicks(said: Sequence[str]) -> Callable[..., Verdicts]:
        """What judges the objects that were clicked, not the plans to them."""
        chosen = np.array([int(one) for one in said], np.int64)
        return lambda asked, _plans, **_: judge_choices(asked, chosen)

    def _why(self, place: int, chosen: int) -> Iterator[str]:
        example = self.examples[place]
        meant, taken = (_name(example.scene, number) for number in (example.target, chosen))
        yield f"The target is the {meant}; you chose the {taken}."
        if denotation(example.expression, example.scene) != {example.target}:
            return
        told = say_misreadings_to(example.utterance, example.scene, chosen)
        yield f"You would end there if you {join_misreadings(told)}." if told else "No single misreading leads there."


def grid_game(entry: Entry, split: str, task: GridTask, count: int, *, seed: int) -> GridGame:
    """Return a game on a random sample of a split, or of everything where there is no split."""
    source: Source = entry.data
    if source.dataset is not None:
        stretches = []
        start = 0
        for file in source.dataset.manifest["files"]:
            if split in ("", file["split"], *names_in_split(file["split"])):
                stretches.append(range(start, start + file["rows"]))
            start += file["rows"]
        chosen = [stretches[which][at] for which, at in draw_numbers([*map(len, stretches)], count, seed=seed)]
    else:
        found = np.flatnonzero(
            np.concatenate([_belongs(table["split"].to_pylist(), split) for table in source.tables()])
        )
        chosen = [int(found[at]) for _, at in draw_numbers([len(found)], count, seed=seed)]
    examples = tuple(grid_example(entry, number) for number in chosen)
    return GridGame(entry, split, task, tuple(chosen), examples)


def board(request: Request) -> Response:
    """Show the board after some actions, as a fragment."""
    sitting = sitting_of(request)
    game, place = sitting.game, sitting.ask()
    if not isinstance(game, GridGame) or game.task != "navigate":
        raise UnknownName("there is no board to walk on in this task")
    letters = read_plan(request.query_params.get("plan", ""))
    return render(request, "grid/play_board.html", **board_values(game.examples[place], letters))


ROUTES = (Route("/play/{sitting}/board", board),)


def read_plan(text: str) -> str:
    """Read the letters of a plan, without blanks, or raise an error where there are too many or one is no action."""
    letters = "".join(text.split())
    if len(letters) > MOST_ACTIONS:
        raise SchemaError(f"a plan has at most {MOST_ACTIONS} actions here")
    plan_from_letters(letters)
    return letters


def board_values(example: Example, letters: str) -> dict[str, Any]:
    """Return the values with which a template shows the board after some actions."""
    actions = plan_from_letters(letters)
    scene, outcome = after(example.scene, actions)
    way = path_of(example.scene, actions)
    marks = Marks(path=way.path if len(way.path) > 1 else None, pushed=way.pushed)
    agent = outcome.agent
    return {
        "board": draw_themed(scene, marks=marks, title=example.text),
        "plan": letters,
        "actions": [action.words for action in actions],
        "where": f"row {agent.row}, column {agent.column}, facing {agent.facing.name.lower()}",
        "noticed": explain_idle_action(example.scene, actions),
    }


def after(scene: GridScene, actions: Plan) -> tuple[GridScene, Outcome]:
    """Return the scene when some actions have been carried out, and the last event."""
    outcome = simulate(scene, actions)
    return replace(scene, objects=outcome.objects, agent=outcome.agent), outcome


def explain_idle_action(scene: GridScene, actions: Plan) -> str:
    """Say in a few words why the last action did nothing, or return empty text where it did something."""
    if not actions:
        return ""
    before, now = simulate(scene, actions[:-1]), simulate(scene, actions)
    if now.missed > before.missed:
        return "There is nothing here to push or pull."
    if now.bumped > before.bumped:
        return "That way is blocked."
    if actions[-1] in (Action.PUSH, Action.PULL) and now.cells == before.cells:
        return "It is heavy: once more."
    return ""


def _name(scene: GridScene, number: int) -> str:
    thing = scene.objects[number]
    return f"{name_object(scene, number)} in row {thing.row}, column {thing.column}"


def _marks(example: Example, chosen: int | None) -> Marks:
    """Return the target, and a wrong object with its role."""
    if chosen is None or chosen == example.target:
        return Marks(target=example.target)
    role = example.roles[chosen] if example.roles else None
    if role is not None and role.kind == "mentioned":
        return Marks(target=example.target, mentioned=(chosen,))
    kind = role.kind if role is not None and role.is_distractor else "random"
    return Marks(target=example.target, distractors={chosen: kind})


def _belongs(splits: Sequence[str | None], split: str) -> np.ndarray:
    return np.array([not split or split in splits_of(one) for one in splits], bool)


def _file_of(split: str) -> str:
    """The name of a file for a split; any name that could lead elsewhere is replaced."""
    plain = split.replace("-", "").replace("_", "").replace("+", "")
    return split if split and len(split) <= 60 and plain.isascii() and plain.isalnum() else "answers"
