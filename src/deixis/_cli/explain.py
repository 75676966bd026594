"""`deixis explain`: how a text is resolved in a scene of any world, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter

from deixis._cli.options import Count, Json, Seed
from deixis._cli.places import at_hand, is_address
from deixis._cli.printing import print_json
from deixis._cli.show import print_lines, wants_color
from deixis.errors import MissingPart, RecipeError
from deixis.worlds.registry import find_world, known_worlds, parts_of, world_of


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deixis.language.explain import Explanation
    from deixis.language.suggestions import Suggestion
    from deixis.language.tolerant import TolerantReading
    from deixis.scene.scene import Context, Scene
    from deixis.worlds.world import World


class _Place(NamedTuple):
    """What a text is about: the world, one scene or those of an example, and the text of the example."""

    world: World
    where: Scene | Context
    scene: Scene
    text: str = ""


def explain(
    text: Annotated[str, Parameter(name="TEXT")] = "",
    /,
    *,
    scene: str,
    split: str | None = None,
    world: str | None = None,
    tolerant: bool = False,
    no_color: bool = False,
    seed: Seed | None = None,
    workers: Count | None = None,
    as_json: Json = False,
) -> int:
    """Explain what a text picks out, step by step.

    Every step is shown, which words are needed, and where misreadings lead. A text that picks out several objects, or
    none, is answered by the shortest edits after which it picks out one. A text with slips is refused;
    `--tolerant` reads what was meant and says what was changed.

    Name an example of a dataset of any world as PATH#N, or a file with a scene, where its world reads such files.

    Args:
        text: The text, e.g. "push the red circle that is in the same row as a blue square"; by default what the
            example says.
        scene: The scene: PATH#N for example N of a dataset, or a file with a scene.
        split: Count the examples within this split.
        world: The world that a file with a scene is of; by default the first that reads scenes from files.
        tolerant: Read what was meant where TEXT has slips: misspelt, missing or other words.
        no_color: Do not use colours in the terminal.
        seed: Accepted by every verb; nothing is random here.
        workers: Accepted by every verb; this one runs in one process.
        as_json: Print JSON instead of text.
    """
    del seed, workers
    from deixis.language import explain as explaining
    from deixis.language.suggestions import suggest_edits

    place = _example_at(scene, split, world) or _scene_in(scene, split, world)
    said = text or place.text
    if not said:
        raise RecipeError("say what is to be explained, or name an example as PATH#N, whose text is explained then")
    language = place.world.part("language")
    reading = _read(said, place, is_tolerant=bool(text) and tolerant)
    utterance = reading.utterance
    explanation = explaining.explain(utterance, place.where, words=language.words, say=language.realise)
    suggestions = suggest_edits(utterance, place.where, language=language)
    follow = getattr(language, "consequences", None)
    further: dict[str, tuple[str, Any]] = follow(utterance, place.scene, explanation.target) if follow else {}
    if as_json:
        values = {name: value for name, (_, value) in further.items()}
        own = {"read_as": reading.as_dict() if reading.changes else None}
        told = {"target": explanation.target, "suggestions": [one.as_dict() for one in suggestions]}
        print_json({**explanation.as_dict(), **own, **told, **values})
        return 0
    draw = getattr(place.world.part("pictures"), "draw_scene", None) if place.world.has("pictures") else None
    if draw is not None:
        print_lines([draw(place.scene, target=explanation.target, color=wants_color(no_color=no_color))])
    if reading.changes:
        print_lines([f"Read as: {reading.told}", ""])
    print_lines(explanation.lines())
    print_lines(_lines_on(suggestions, explanation))
    for name, (words, _) in further.items():
        if words:
            print(f"\nThe {name}: {words}")
    return 0


def _read(text: str, place: _Place, *, is_tolerant: bool) -> TolerantReading:
    """The text with its meaning; the text of an example is read as it is."""
    from deixis.language.tolerant import TolerantReading, read_tolerantly

    language = place.world.part("language")
    if not is_tolerant:
        return TolerantReading(language.read(text, place.scene))
    schema = place.scene.schema
    return read_tolerantly(text, lambda said: language.read(said, place.scene), words=language.words, schema=schema)


def _lines_on(suggestions: Sequence[Suggestion], explanation: Explanation) -> Iterator[str]:
    """What to change so that one object is picked out, and which."""
    if not suggestions:
        return
    names = {one.number: one.names for one in explanation.others} | {explanation.scene: explanation.names}
    yield ""
    yield "To mean one object alone"
    for one in suggestions:
        scene, index = one.target
        number = str(index) if scene == explanation.scene else f"{scene}:{index}"
        yield f"  {one.words}: {names[scene][index]} ({number})"


def _example_at(where: str, split: str | None, world_name: str | None) -> _Place | None:
    """The example that PATH#N names; None where it is a file."""
    from deixis.worlds.example import pick_example

    place, hash_sign, number = where.rpartition("#")
    is_numbered = bool(hash_sign) and number.isascii() and number.isdecimal()
    if is_address(where) and not is_numbered:
        raise RecipeError(f"{where} is an address; name an example of the dataset there as {where}#0")
    if not is_numbered or Path(where).exists():
        return None
    path = at_hand(place if is_address(where) else Path(place))
    world = world_of(path)
    if world_name is not None and find_world(world_name) is not world:
        raise RecipeError(f"{place} is of {world.name}, not of {world_name}; --world is for files with a scene")
    world.part("language")
    example = pick_example(world.part("examples").open(path), int(number[:18]), split)
    context = example.context
    return _Place(world, context, context.scenes[context.target.scene], example.text)


def _scene_in(where: str, split: str | None, world_name: str | None) -> _Place:
    """The scene in a file."""
    if split is not None:
        raise RecipeError(f"--split is for examples of datasets, named as PATH#N; {where} is a file with a scene")
    names = list(known_worlds()) if world_name is None else [find_world(world_name).name]
    for world, language in parts_of("language"):
        read = getattr(language, "read_scene", None) if world.name in names else None
        if read is not None:
            scene = read(Path(where))
            return _Place(world, scene, scene)
    able = ", ".join(one.name for one, language in parts_of("language") if hasattr(language, "read_scene"))
    raise MissingPart(
        f"{' and '.join(names)} cannot read scenes from files, worlds that can: {able or 'none'}; "
        "name an example of a dataset as PATH#N"
    )
