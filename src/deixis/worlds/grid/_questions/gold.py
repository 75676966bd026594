"""Right answers to commands in grid worlds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from deixis.errors import BrokenDataset, DeixisError
from deixis.prompts.answers import Unparsable
from deixis.prompts.question import Judgement
from deixis.worlds.grid._questions.answers import parse_actions, parse_cell
from deixis.worlds.grid.actions import plan_from_letters, plan_to_letters
from deixis.worlds.grid.judging.verdicts import judge_plan
from deixis.worlds.grid.navigate import Example
from deixis.worlds.grid.plan import plan as make_plan
from deixis.worlds.grid.roles import decode_role, encode_role
from deixis.worlds.grid.scene import Agent, Facing, GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.worlds.grid.actions import Plan


@dataclass(frozen=True, slots=True)
class GridGold:
    """The plan that carries out a command, or the cell of the object that is meant."""

    example: Example
    answer: str
    choices: ClassVar[tuple[str, ...]] = ()

    @property
    def right(self) -> str:
        """The actions separated by commas, or (row, column)."""
        if self.answer == "actions":
            return ", ".join(action.words for action in self.example.plan) or "nothing"
        thing = self.example.scene.objects[self.example.target]
        return f"({thing.row}, {thing.column})"

    @property
    def groups(self) -> Mapping[str, str]:
        """Split and pattern."""
        return {"split": self.example.split or "all", "pattern": self.example.pattern}

    def judge(self, text: str | None) -> Judgement:
        """Judge a plan as `deixis evaluate` does, and a cell as a plan that leads to the object there."""
        names = (
            ("exact", "got_there", "right_target", "actions_right") if self.answer == "actions" else ("right_target",)
        )
        nothing = dict.fromkeys(names, 0.0)
        if text is None:
            return Judgement("unanswered", nothing)
        try:
            return self._plan(parse_actions(text)) if self.answer == "actions" else self._cell(text)
        except Unparsable as fault:
            return Judgement("unparsable", nothing, fault=str(fault))

    def _plan(self, plan: Plan) -> Judgement:
        found = judge_plan(self.example, plan)
        measures = {
            "exact": float(found.exact),
            "got_there": float(found.got_there),
            "right_target": float(found.chosen == self.example.target),
            "actions_right": found.tokens,
        }
        said = plan_to_letters(plan) or "nothing"
        return Judgement("right" if found.exact else "wrong", measures, said=said, misreadings=found.misreadings)

    def _cell(self, text: str) -> Judgement:
        scene, target = self.example.scene, self.example.target
        cell = parse_cell(text, size=scene.size)
        here = [number for number, thing in enumerate(scene.objects) if (thing.row, thing.column) == cell]
        if target in here:  # whoever names a cell that holds two things is believed to mean the right one
            return Judgement("right", {"right_target": 1.0}, said=str(cell))
        if not here:
            return Judgement("wrong", {"right_target": 0.0}, said=str(cell), misreadings=("no object there",))
        chosen = min(here, key=lambda number: (scene.objects[number].is_box, number))
        misreadings = self.misreadings_of(chosen)
        return Judgement("wrong", {"right_target": 0.0}, said=str(cell), misreadings=misreadings)

    def misreadings_of(self, chosen: int) -> tuple[str, ...]:
        """Return the misreadings of a reader who takes an object for the one that is meant."""
        example = self.example
        if chosen == example.target:
            return ()
        found = judge_plan(example, make_plan(example.scene, chosen, example.verb, example.manner))
        return found.misreadings if found.chosen == chosen else ()

    def to_plain(self) -> dict[str, Any]:
        """Return the example as plain values."""
        example = self.example
        agent = example.scene.agent
        return {
            "command": example.text,
            "size": example.scene.size,
            "objects": [[int(code) for code in thing.codes()] for thing in example.scene.objects],
            "agent": [agent.row, agent.column, int(agent.facing)] if agent else None,
            "target": example.target,
            "plan": plan_to_letters(example.plan),
            "roles": [int(encode_role(role)) for role in example.roles],
            "misreadings": list(example.misreadings),
            "split": example.split,
        }

    @classmethod
    def from_plain(cls, values: Mapping[str, Any], answer: str) -> GridGold:
        """Return the gold of a line of JSON, or raise `BrokenDataset` where it is none."""
        try:
            row, column, facing = values["agent"]
            scene = GridScene(
                tuple(GridObject.from_codes(*codes) for codes in values["objects"]),
                size=values["size"],
                agent=Agent(row, column, Facing(facing)),
            )
            example = Example(
                text=str(values["command"]),
                scene=scene,
                target=int(values["target"]),
                plan=plan_from_letters(values["plan"]),
                roles=tuple(decode_role(code) for code in values["roles"]),
                misreadings=tuple(int(code) for code in values["misreadings"]),
                split=str(values["split"]),
            )
            _ = example.verb, example.manner, example.pattern
        except (DeixisError, LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise BrokenDataset(f"this is no command in a grid world: {error}") from error
        return cls(example, answer)
