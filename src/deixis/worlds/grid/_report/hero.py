"""The opening of a report: one example in motion, whose words light up what fits when they are ignored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis.errors import DeixisError
from deixis.worlds.grid._report.explain import ignored_parts, plan_words
from deixis.worlds.grid._report.gallery import HINT, command_markup, draw_in_both_themes, ignored_parts_table, marks_of
from deixis.worlds.grid._report.templates import report_part
from deixis.worlds.grid.actions import Manner
from deixis.worlds.grid.draw import Look, animate_svg


if TYPE_CHECKING:
    from collections.abc import Iterable

    from deixis.report._markup import Themes
    from deixis.worlds.grid._report.sample import SampledExample
    from deixis.worlds.grid.draw import Marks
    from deixis.worlds.grid.induce import Task
    from deixis.worlds.grid.navigate import Example


CELL = 60
SHORTEST, LONGEST = 5, 26  # actions that can be watched
TELLING = (Manner.SPINNING, Manner.CAUTIOUSLY, Manner.HESITANTLY)  # manners that show on every way
SEEN = ("same row", "same column", "inside")  # relations that one sees at a glance


def choose_hero(sampled: Iterable[SampledExample]) -> Example | None:
    """Choose the example that shows best how words matter: many, all needed, and a plan that can be watched."""
    scored = [(score, -place, one.example) for place, one in enumerate(sampled) if (score := _score(one.example))]
    return max(scored, key=lambda entry: entry[:2])[2] if scored else None


def choose_moving(sampled: Iterable[SampledExample], other_than: Example | None) -> Example | None:
    """Choose an example with a visible manner, in which something is moved, neither too long nor too short."""
    for one in sampled:
        example = one.example
        if example == other_than:
            continue
        try:
            is_fit = example.manner in TELLING and example.verb != "walk" and _can_be_watched(example, longest=45)
        except DeixisError:
            continue
        if is_fit and example.scene.agent is not None:
            return example
    return None


def hero_section(example: Example, themes: Themes) -> str:
    """Show the example beside its command, as an article."""
    found = ignored_parts(example)
    marks = replace(marks_of(example), distractors={})
    picture = moving_picture(example, marks, themes, title="")
    needed = sum(one.is_punished for one in found if not one.is_implied)
    count = sum(not one.is_implied for one in found)
    said = (
        f"All {count} words and relations of this command are needed: ignore one, and something else fits too."
        if needed == count
        else f"{needed} of the {count} words and relations of this command are needed."
    )
    return report_part(
        "hero",
        picture=picture,
        command=command_markup(example, found),
        hint=HINT,
        said=said,
        overlooked=ignored_parts_table(example, found),
        plan=plan_words(example.plan),
    )


def moving_picture(example: Example, marks: Marks, themes: Themes, *, title: str) -> str:
    """Draw the plan of an example as a moving picture with a button that stops it."""
    drawing = draw_in_both_themes(
        lambda theme: animate_svg(
            example.scene, example.plan, marks=marks, look=Look(cell=CELL, captions=True, theme=theme), title=title
        ),
        themes,
    )
    return report_part("moving", drawing=drawing)


def more_section(example: Example | None, task: Task | None, themes: Themes) -> str:
    """Show one more plan in motion and an abstract-reasoning puzzle, or nothing where there is neither."""
    if example is None and task is None:
        return ""
    plan = None
    if example is not None:
        picture = moving_picture(example, marks_of(example), themes, title=example.text)
        plan = {"picture": picture, "words": plan_words(example.plan).capitalize()}
    asked, solved = ("", "") if task is None else (_puzzle(task, themes, shows=shows) for shows in (False, True))
    return report_part("more", plan=plan, asked=asked, solved=solved)


def _puzzle(task: Task, themes: Themes, *, shows: bool) -> str:
    """Return the puzzle, with or without its rule and answer."""
    from deixis.worlds.grid.induce.pixels import draw_task_svg

    return draw_in_both_themes(
        lambda theme: draw_task_svg(task, rule=shows, answer=shows, look=Look(cell=32, theme=theme)), themes
    )


def _score(example: Example) -> float:
    """How well an example shows that words matter; 0 where it cannot be shown."""
    try:
        found = [one for one in ignored_parts(example) if not one.is_implied]
        moves = example.verb != "walk"
    except DeixisError:
        return 0.0
    if not found or example.scene.agent is None or not example.plan:
        return 0.0
    share = sum(one.is_punished for one in found) / len(found)
    clear = sum(1 for one in found if 1 <= len(one.wrong) <= 2) / len(found)
    watched = 1.0 if _can_be_watched(example, longest=LONGEST) else 0.0
    seen = sum(name in SEEN for name in example.expression.relations()) / max(len(example.expression.relations()), 1)
    varied = len({index for one in found for index in one.wrong})
    return 0.4 * min(varied, 5) + 4 * share + clear + 2 * watched + 0.5 * moves + 0.25 * min(len(found), 9) + 2 * seen


def _can_be_watched(example: Example, *, longest: int) -> bool:
    return SHORTEST <= len(example.plan) <= longest
