"""The gallery of a report: pictures with the command, the reason for each distractor, the plan and the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from deixis.data._split_names import names_in_split
from deixis.errors import AmbiguousExpression, DeixisError
from deixis.expression.parts import parts
from deixis.expression.steps import Related
from deixis.report._markup import anchor, details, element, text
from deixis.report._palette import pattern_words
from deixis.resolution.trace import trace
from deixis.worlds.grid._report.explain import distractor_sets, ignored_parts, plan_words
from deixis.worlds.grid._report.templates import report_part
from deixis.worlds.grid.actions import plan_to_letters
from deixis.worlds.grid.data.statistics import part_kind
from deixis.worlds.grid.draw import Look, Marks, Role, draw_svg, path_of


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from deixis.expression.parts import Address
    from deixis.report._markup import Themes
    from deixis.resolution.trace import Trace, TracedStep
    from deixis.worlds.grid._report.explain import DistractorSet, IgnoredPart
    from deixis.worlds.grid._report.sample import SampledExample
    from deixis.worlds.grid.navigate import Example


CELL = 56
NAMED_AT_MOST = 6
HINT = "Point at a word, or go to it with the tab key: what fits without it lights up."
Theme: TypeAlias = Literal["light", "dark"]
SHOWN = {"noun": "noun", "colour word": "color", "size word": "size", "clause": "clause", "other": "other"}


def card(sampled: SampledExample, themes: Themes, *, number: int, splits: Mapping[str, str]) -> str:
    """Show one example as an article.

    Args:
        sampled: the example and where it was found.
        themes: collects the colours of the pictures.
        number: its number in the gallery, counted from 1.
        splits: what each split is about, by name.
    """
    example = sampled.example
    where = " and ".join(
        f"{name} ({splits[name]})" if splits.get(name) else name for name in names_in_split(sampled.split)
    )
    title = f"{number}. {where}"
    top = element("h3", text(title)) + element("p", text(pattern_words(sampled.pattern)), class_="pattern")
    try:
        body = _picture(example, themes) + element("div", _describe(example), class_="told")
    except DeixisError as error:
        body = element("p", text(example.text), class_="command") + _note(f"This example cannot be explained: {error}.")
    return element("article", top + body, class_="example", id=f"example-{number}-{anchor(sampled.split)}")


def legend() -> str:
    """Explain the letters in the pictures and the colours in the commands."""
    meanings = {
        Role.TARGET: "what is meant",
        Role.MENTIONED: "what the command mentions to find it",
        Role.RELATION: "fits if a clause is ignored",
        Role.ATTRIBUTE: "fits if a word is misread",
        Role.ISOMORPHISM: "fits if words of two mentions are exchanged",
        Role.SIZE: "the other size, so that ‘small’ or ‘big’ means something",
        Role.HELPER: "a misreading passes through it on the way to another object",
        Role.RANDOM: "there to fill the world",
    }
    words = {"noun": "circle", "color": "red", "size": "small", "clause": "inside of"}
    return report_part("legend", roles=meanings, words=words)


def command_markup(example: Example, found: Sequence[IgnoredPart] | None) -> str:
    """Mark every part of the command as a span that says its kind and lights up what fits when it is ignored.

    Args:
        example: whose command it is.
        found: its ignored parts; None where the command does not fit the target alone.
    """
    words = [text(word) for word in example.text.split(" ")]
    opening: dict[int, list[str]] = {}
    closing: dict[int, int] = {}
    spans = sorted(_spans(example, found), key=lambda entry: (entry[0][0], -entry[0][1], entry[1].startswith("part")))
    for (first, last), tag, further in spans:
        opening.setdefault(first, []).append(f'<span class="{tag}"{further}>')
        closing[last - 1] = closing.get(last - 1, 0) + 1
    pieces = ["".join(opening.get(k, [])) + word + "</span>" * closing.get(k, 0) for k, word in enumerate(words)]
    return element("p", " ".join(pieces), class_="command")


def _spans(example: Example, found: Sequence[IgnoredPart] | None) -> Iterable[tuple[tuple[int, int], str, str]]:
    """(words, classes, further attributes) of everything that is marked; a clause is a frame around its own words."""
    utterance = example.utterance
    known = {one.part: one for one in found or ()}
    for part in parts(utterance.expression):
        one = known.get(part)
        state = "" if one is None else " needed" if one.is_punished else " idle"
        kind = SHOWN[part_kind(part)]
        span = utterance.spans[part.address]
        if isinstance(part.step, Related):
            yield span, "frame", ""
            span = (span[0], utterance.spans[(*part.address, -1)][0])
        yield span, f"part {kind}{state}", f' title="{kind}"' if one is None else _pointing(example, one)


def _pointing(example: Example, one: IgnoredPart) -> str:
    """Return the attributes by which a word lights up what fits when it is ignored."""
    wrong = " ".join(map(str, one.wrong))
    lit = f"{example.target} {wrong}".strip()
    said = text(ignored_part_words(example, one))
    return f' tabindex="0" data-objects="{lit}" data-wrong="{wrong}" data-said="{said}" title="{said}"'


def ignored_part_words(example: Example, one: IgnoredPart) -> str:
    """Say in a sentence what happens when a part is ignored."""
    without = f"Without ‘{one.words}’"
    if not one.is_punished:
        why = ", since nothing else has an inside" if one.is_implied else ""
        return f"{without} the target would be found all the same{why}."
    names = _join_names([_name(example, index) for index in one.wrong])
    if not one.wrong:
        return f"{without} nothing would be left."
    return f"{without} {names} would fit {'as well' if one.keeps_target else 'instead'}."


def _picture(example: Example, themes: Themes) -> str:
    marks = marks_of(example)
    drawing = draw_in_both_themes(
        lambda theme: draw_svg(
            example.scene, marks=marks, look=Look(cell=CELL, captions=True, theme=theme), title=example.text
        ),
        themes,
    )
    return element("div", drawing, class_="picture")


def draw_in_both_themes(draw: Callable[[Theme], str], themes: Themes) -> str:
    """Draw a picture in both themes as one that follows the theme of the page."""
    return themes.merge(draw("light"), draw("dark")).replace(' xmlns="http://www.w3.org/2000/svg"', "")


def marks_of(example: Example) -> Marks:
    """Return the marks of a picture of an example: the role of every object, and the way of the agent."""
    way = path_of(example.scene, example.plan) if example.scene.agent and example.plan else None
    return Marks(
        target=example.target,
        mentioned=tuple(index for index, role in enumerate(example.roles) if role.kind == "mentioned"),
        distractors={index: role.kind for index, role in enumerate(example.roles) if role.is_distractor},
        path=way.path if way else None,
        pushed=way.pushed if way else (),
    )


def _describe(example: Example) -> str:
    """Return everything that is said about an example beside its picture."""
    note, found = "", None
    try:
        found = ignored_parts(example)
    except AmbiguousExpression as error:
        note = _note(f"Faulty: {error}.")
    rest = [
        ("Plan", f"{text(plan_words(example.plan).capitalize())}. {element('code', plan_to_letters(example.plan))}")
    ]
    terms = "".join(element("dt", term) + element("dd", said) for term, said in (*_reasons(example), *rest))
    hint = element("p", HINT, class_="hint", aria_live="polite") if found else ""
    command = command_markup(example, found)
    listed = details("What each word is there for", ignored_parts_table(example, found)) if found else ""
    return command + hint + note + listed + element("dl", terms) + _trace(example)


def ignored_parts_table(example: Example, found: Sequence[IgnoredPart]) -> str:
    """Tabulate for every part the objects that fit too when it is ignored."""
    rows = []
    for one in found:
        kind = f"{SHOWN[part_kind(one.part)]} {'needed' if one.is_punished else 'idle'}"
        taken = objects_markup(example, one.wrong) if one.wrong else "nothing is left" if one.is_punished else "nothing"
        rows.append((one.words, kind, taken))
    return report_part("overlooked", rows=rows)


def _reasons(example: Example) -> Iterable[tuple[str, str]]:
    """Why every object is there, sets of distractors with what they punish."""
    yield "Target", objects_markup(example, [example.target])
    said = [index for index, role in enumerate(example.roles) if role.kind == "mentioned"]
    if said:
        yield "Mentioned", objects_markup(example, said)
    for trap in distractor_sets(example):
        is_helping = not trap.ends and {example.roles[index].kind for index in trap.helpers} == {"helper"}
        yield ("Helper" if is_helping else Role(trap.kind).words.capitalize()), _trap(example, trap)
    chance = [index for index, role in enumerate(example.roles) if role.kind == "random"]
    if chance:
        yield "Random", objects_markup(example, chance)


def _trap(example: Example, trap: DistractorSet) -> str:
    if trap.ends:
        helpers = (
            f" {objects_markup(example, trap.helpers)} {_verb(trap.helpers, 'help')} the misreading."
            if trap.helpers
            else ""
        )
        return f"{objects_markup(example, trap.ends)}: you would end here if you {text(trap.words)}.{helpers}"
    if trap.elsewhere and trap.helpers:
        leads = f"{_verb(trap.helpers, 'lead')} to {objects_markup(example, trap.elsewhere)}"
        return f"{objects_markup(example, trap.helpers)} {leads} if you {text(trap.words)}."
    if trap.kind == "size":
        (word,) = trap.misreading.parts
        said = example.utterance.words_of(word.address)
        phrase = example.utterance.words_of((*word.address[:-1], -1))
        one = objects_markup(example, trap.helpers)
        return f"{one} {_verb(trap.helpers, 'give')} ‘{text(said)}’ in ‘{text(phrase)}’ something to be compared with."
    return f"{objects_markup(example, trap.helpers)}: made for those who {text(trap.words)}, but nobody would end here."


def _verb(objects: Iterable[int], verb: str) -> str:
    return verb if len(tuple(objects)) > 1 else f"{verb}s"


def objects_markup(example: Example, objects: Iterable[int]) -> str:
    """Mark up objects by name and number, with their exact look on demand."""
    names = []
    for index in objects:
        thing = example.scene.objects[index]
        where = f"size {thing.size}, row {thing.row}, column {thing.column}"
        label = text(f"{thing.color} {thing.shape}") + element("sub", str(index))
        names.append(element("span", label, class_="object-name", data_objects=str(index), title=where, tabindex="0"))
    return _join_names(names)


def _name(example: Example, index: int) -> str:
    """Return an object in words: 'the red circle (5)'."""
    thing = example.scene.objects[index]
    return f"the {thing.color} {thing.shape} ({index})"


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names) or "none"


def _trace(example: Example) -> str:
    found = trace(example.expression, example.scene)
    everything = f"Start from all {len(example.scene)} objects."
    steps = element("p", everything) + _steps(example, found, ())
    return details("How the target is found, step by step", steps)


def _steps(example: Example, found: Trace, above: Address) -> str:
    lines = [element("li", _step(example, step)) for step in found.steps]
    left = found.steps[-1].after if found.steps else frozenset(range(len(example.scene)))
    if found.referents != left and not above:
        lines.append(element("li", f"Every mention needs an object of its own: {_left(example, found.referents)}"))
    return element("ol", "".join(lines))


def _step(example: Example, step: TracedStep) -> str:
    said = f"‘{text(example.utterance.words_of(step.part.address))}’"
    kept = f"{len(step.before)} → {len(step.after)}: {_left(example, step.after)}"
    if step.inner is None:
        return f"{said} {kept}"
    phrase = text(example.utterance.words_of((*step.part.address, -1)))
    inner = element("p", f"where ‘{phrase}’ is found so:") + _steps(example, step.inner, step.part.address)
    return f"{said} {kept}{inner}"


def _left(example: Example, objects: frozenset[int]) -> str:
    if len(objects) > NAMED_AT_MOST:
        numbers = " ".join(map(str, sorted(objects)))
        return element("span", f"{len(objects)} objects", class_="object-name", data_objects=numbers, tabindex="0")
    return objects_markup(example, sorted(objects))


def _note(message: str) -> str:
    return element("p", text(message), class_="fault")
