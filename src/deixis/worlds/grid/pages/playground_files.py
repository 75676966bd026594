"""What can be taken home from the playground: a test in Python, plain values, and pictures."""

from __future__ import annotations

import json
from textwrap import indent
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from deixis.errors import AmbiguousExpression, SchemaError, UnknownName
from deixis.language.realise import realise
from deixis.scene.picture import draw_text
from deixis.studio.playground_board import to_plain
from deixis.worlds.grid.actions import plan_to_letters
from deixis.worlds.grid.draw import Look, animate_gif, animate_svg, draw_png, draw_svg


if TYPE_CHECKING:
    from collections.abc import Callable

    from deixis.language.utterance import Utterance
    from deixis.scene.grid import GridScene
    from deixis.studio.playground_verdict import Judgement
    from deixis.worlds.grid.actions import Plan


__all__ = ["FILES", "Kept", "Theme", "cell_for", "keep", "ready"]

Theme: TypeAlias = Literal["light", "dark"]
WIDEST = 560  # pixels of a board
MAX_GIF_ACTIONS = 100  # several seconds of drawing; the SVG can be longer


class Kept(NamedTuple):
    """A file: what is in it, and of which type it is."""

    content: bytes
    media_type: str


def keep(name: str, judgement: Judgement, *, theme: Theme = "light") -> Kept:
    """One of the files of a text on a board.

    Raises:
        UnknownName: when there is no file of this name.
        AmbiguousExpression: for a plan where there is none.
        ParseError: for a test or values where the text cannot be read.
    """
    if name not in FILES:
        raise UnknownName(f"the playground has no file {name!r}; it has {', '.join(FILES)}")
    media_type, make = FILES[name]
    content = make(judgement, theme)
    return Kept(content if isinstance(content, bytes) else content.encode(), media_type)


def ready(judgement: Judgement) -> list[str]:
    """The names of the files that can be made of a text on a board as it is."""
    lacking: set[str] = set()
    if judgement.explanation is None:
        lacking |= {"fixture.json", "test_fixture.py"}
    if not judgement.can_be_watched:
        lacking |= {"plan.svg", "plan.gif"}
    elif len(judgement.plan or ()) > MAX_GIF_ACTIONS:
        lacking.add("plan.gif")
    return [name for name in FILES if name not in lacking]


def _svg(judgement: Judgement, theme: Theme) -> str:
    return draw_svg(judgement.scene, marks=judgement.marks, look=_still(judgement, theme), title=judgement.text)


def _png(judgement: Judgement, theme: Theme) -> bytes:
    return draw_png(judgement.scene, marks=judgement.marks, look=_still(judgement, theme), title=judgement.text)


def _moving_svg(judgement: Judgement, theme: Theme) -> str:
    look = Look(cell=cell_for(judgement.scene, WIDEST * 2 // 3), theme=theme)
    return animate_svg(judgement.scene, _plan(judgement), marks=judgement.marks, look=look)


def _gif(judgement: Judgement, theme: Theme) -> bytes:
    if len(_plan(judgement)) > MAX_GIF_ACTIONS:
        count = len(_plan(judgement))
        raise SchemaError(
            f"a GIF of the playground shows at most {MAX_GIF_ACTIONS} actions, got {count}; take plan.svg"
        )
    look = Look(cell=cell_for(judgement.scene, WIDEST * 2 // 3), theme=theme)
    return animate_gif(judgement.scene, _plan(judgement), marks=judgement.marks, look=look, title=judgement.text)


def _json(judgement: Judgement, theme: Theme) -> str:
    del theme
    _demand_read(judgement)
    values: dict[str, Any] = {"text": judgement.text, "world": to_plain(judgement.scene)}
    if judgement.explanation is not None:
        values |= {"referents": list(judgement.referents), "target": judgement.target}
    if judgement.necessities:
        values["necessary"] = [{"words": part.words, "needed": part.is_necessary} for part in judgement.necessities]
    if judgement.plan is not None:
        values["plan"] = [action.words for action in judgement.plan]
    return json.dumps(values, ensure_ascii=False, indent=2) + "\n"


def _python(judgement: Judgement, theme: Theme) -> str:
    """A test that says what was found; it needs pytest and deixis, and nothing else."""
    del theme
    said, explanation = _demand_read(judgement), judgement.explanation
    if explanation is None:
        raise AmbiguousExpression(judgement.refusal)
    instruction = said.instruction
    text = json.dumps(realise(instruction, determiners=said.determiners).text)
    picture = indent(draw_text(judgement.scene, numbered=True), " " * 8)
    imports = ["import deixis as dx"]
    found = f"{len(judgement.referents)} object{'' if len(judgement.referents) == 1 else 's'}"
    body = [f'    """{text[1:-1].capitalize()}: {found}."""', f'    scene = dx.grid("""\n{picture}\n    """)']
    if instruction.verb:
        body += [f"    instruction = dx.parse_instruction({text})", "    expression = instruction.expression"]
    else:
        body.append(f"    expression = dx.parse({text})")
    body += ["", f"    assert sorted(dx.resolve(expression, scene).indices) == {list(judgement.referents)}"]
    if judgement.target is not None:
        needed = [part.is_necessary for part in explanation.parts]
        body.append(f"    context = dx.Context.of(scene, {judgement.target})")
        body.append(f"    assert list(dx.necessity(expression, context).values()) == {needed}")
    if judgement.plan is not None:
        imports += [
            "from deixis.worlds.grid.actions import Manner, Verb, plan_to_letters",
            "from deixis.worlds.grid.plan import plan",
        ]
        body.append(
            f"    actions = plan(scene, {judgement.target}, Verb(instruction.verb), Manner(instruction.manner))"
        )
        body.append(f'    assert plan_to_letters(actions) == "{plan_to_letters(judgement.plan)}"')
    return "\n".join([*imports, "", "", "def test_what_is_picked_out():", *body, ""])


def cell_for(scene: GridScene, width: int = WIDEST) -> int:
    """The side of a cell with which a board is about so wide; never so large that a small board looks coarse."""
    return max(20, min(72, width // scene.size))


def _still(judgement: Judgement, theme: Theme) -> Look:
    has_title = not judgement.is_blank
    return Look(cell=cell_for(judgement.scene), theme=theme, heading=has_title, legend=has_title)


def _plan(judgement: Judgement) -> Plan:
    if judgement.plan is None:
        raise AmbiguousExpression(judgement.why_no_plan or "there is no plan to show: the text cannot be read yet")
    return judgement.plan


def _demand_read(judgement: Judgement) -> Utterance:
    if judgement.utterance is None:
        raise judgement.error or AmbiguousExpression("there is nothing to keep yet; say which object you mean")
    return judgement.utterance


FILES: dict[str, tuple[str, Callable[[Judgement, Theme], str | bytes]]] = {
    "scene.svg": ("image/svg+xml", _svg),
    "scene.png": ("image/png", _png),
    "plan.svg": ("image/svg+xml", _moving_svg),
    "plan.gif": ("image/gif", _gif),
    "fixture.json": ("application/json", _json),
    "test_fixture.py": ("text/x-python", _python),
}
