"""Part `language` of the grid: commands such as 'push the red circle that is in the same row as a blue square'.

The functions are those of `deixis.language` with the words of ReaSCAN and gSCAN (`english.toml`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from deixis import language
from deixis.language import _misreadings as misreadings
from deixis.language import explain as explaining
from deixis.language.lexicon import lexicon


if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from deixis.expression.description import Expression
    from deixis.language.utterance import Instruction, Utterance
    from deixis.scene.scene import Scene
    from deixis.worlds.grid.scene import GridScene


__all__ = [
    "LANGUAGE",
    "WORDS",
    "GridLanguage",
    "explain",
    "grounded_determiners",
    "parse",
    "parse_instruction",
    "phrase_words",
    "read",
    "read_typed",
    "realise",
    "say_misreading",
    "say_misreadings_to",
]

WORDS = lexicon("deixis.worlds.grid")
explain = partial(explaining.explain, words=WORDS)
grounded_determiners = partial(language.grounded_determiners, words=WORDS)
parse = partial(language.parse, words=WORDS)
parse_instruction = partial(language.parse_instruction, words=WORDS)
phrase_words = partial(language.phrase_words, words=WORDS)
read = partial(language.read, words=WORDS)
read_typed = partial(language.read_typed, words=WORDS)
realise = partial(language.realise, words=WORDS)
say_misreading = partial(misreadings.say_misreading, words=WORDS)
say_misreadings_to = partial(misreadings.say_misreadings_to, words=WORDS)


@dataclass(frozen=True, slots=True)
class GridLanguage:
    """Commands and noun phrases, with adjectives in any order, as in gSCAN."""

    words = WORDS

    def read(self, text: str, scene: Scene | None = None) -> Utterance:
        """Read a command or noun phrase with its meaning, or raise a `ParseError` that suggests another."""
        del scene
        return read_typed(text, any_order=True)

    def parse(self, text: str) -> Expression:
        """Parse a noun phrase, and refuse a command."""
        return parse(text)

    def realise(self, expression: Expression | Instruction, *, determiners: Sequence[str] | None = None) -> Utterance:
        """Put a meaning into a noun phrase, or a command."""
        return realise(expression, determiners=determiners)

    def read_scene(self, path: Path) -> GridScene:
        """Read the world in a file, JSON or a picture in text (see `deixis.worlds.grid._scene_files`)."""
        from deixis.worlds.grid._scene_files import read_world

        return read_world(path)

    def consequences(self, utterance: Utterance, scene: GridScene, target: int | None) -> Mapping[str, tuple[str, Any]]:
        """Return the plan, where there is something to do, an agent to do it and one object to do it with."""
        from deixis.worlds.grid.actions import Manner, Verb, say_plan
        from deixis.worlds.grid.plan import plan

        said = utterance.instruction
        if target is None or scene.agent is None or not said.verb:
            return {"plan": ("", None)}
        steps = plan(scene, target, Verb(said.verb), Manner(said.manner))
        return {"plan": (say_plan(steps), [action.words for action in steps])}


LANGUAGE = GridLanguage()
