"""`deixis explain`: how a command is resolved in a world, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from deixis.cli.options import Count, Json, Seed
from deixis.cli.printing import print_json, say_plan
from deixis.cli.show import wants_color


if TYPE_CHECKING:
    from deixis.language.utterance import Utterance
    from deixis.scene.grid import GridScene
    from deixis.worlds.grid.actions import Plan


__all__ = ["explain"]


def explain(
    command: Annotated[str, Parameter(name="COMMAND")],
    /,
    *,
    world: str,
    no_color: bool = False,
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Explain what a command picks out in a world: every step, which words are needed, where misreadings lead.

    The world is a JSON file
    {"size": 6, "agent": {"row": 0, "column": 0, "facing": "east"},
    "objects": [{"shape": "circle", "color": "red", "size": 2, "row": 1, "column": 1}, ...]},
    what `deixis show --json` prints, an example of a released ReaSCAN file, a picture in text, or PATH#N for example N
    of a dataset.

    Args:
        command: The command or noun phrase, e.g. "push the red circle that is in the same row as a blue square".
        world: The file with the world.
        no_color: Do not use colours in the terminal.
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; there is nothing to divide here.
        as_json: Print JSON instead of text.
    """
    del seed, workers
    from deixis.cli.worlds import read_world
    from deixis.language import explain as explaining
    from deixis.language.parse import read

    utterance = read(command, any_order=True)
    scene = read_world(world)
    explanation = explaining.explain(utterance, scene)
    plan = _plan(utterance, scene, explanation.target)
    if as_json:
        words = None if plan is None else [action.words for action in plan]
        print_json({**explanation.as_dict(), "target": explanation.target, "plan": words})
        return 0
    _print_world(scene, explanation.target, color=wants_color(no_color=no_color))
    for line in explanation.lines():
        print(line)
    if plan is not None:
        print(f"\nThe plan: {say_plan(plan)}")
    return 0


def _print_world(scene: GridScene, target: int | None, *, color: bool) -> None:
    from deixis.worlds.grid.draw import Marks, draw_terminal

    print(draw_terminal(scene, marks=Marks(target=target), color=color))


def _plan(utterance: Utterance, scene: GridScene, target: int | None) -> Plan | None:
    """The plan, where there is something to do, someone to do it and one object to do it with."""
    from deixis.worlds.grid.actions import Manner, Verb
    from deixis.worlds.grid.plan import plan

    instruction = utterance.instruction
    if target is None or scene.agent is None or not instruction.verb:
        return None
    return plan(scene, target, Verb(instruction.verb), Manner(instruction.manner))
