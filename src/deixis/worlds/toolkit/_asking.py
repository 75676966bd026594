"""Ask about a scene: any text about the scene of an example, what it picks out there, and how to mend it.

This is the playground of worlds with ready-made pages. Scenes stay as they are; texts are read tolerantly, and every
change is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from deixis.errors import DeixisError, ParseError, SchemaError
from deixis.language._fits import describe_fits
from deixis.language.suggestions import suggest_edits
from deixis.language.tolerant import read_tolerantly
from deixis.worlds.example import PlainExample, scenes_of
from deixis.worlds.toolkit._story import Story


if TYPE_CHECKING:
    from deixis.language.suggestions import Suggestion
    from deixis.language.tolerant import TolerantReading
    from deixis.worlds.example import Example
    from deixis.worlds.world import World


MOST_LETTERS = 400
MOST_MENTIONS = 8
MOST_OBJECTS = 200  # in all scenes together


@dataclass(frozen=True)
class Answer:
    """What a text picks out.

    Attributes:
        text: what was asked.
        reading: how it was read; None where it cannot be read.
        error: why it cannot be read.
        story: how it is resolved; None where it is not.
        suggestions: the edits after which one object is picked out.
    """

    text: str
    reading: TolerantReading | None = None
    error: ParseError | None = None
    story: Story | None = None
    suggestions: tuple[Suggestion, ...] = ()

    @property
    def tone(self) -> str:
        """The tone of the verdict: good, fair or bad."""
        if self.story is None:
            return "bad" if self.error and self.error.word else "fair"
        return "good" if len(self.fits) == 1 else "fair"

    @property
    def headline(self) -> str:
        """The verdict in a few words."""
        if self.error is not None:
            if self.error.word:
                return f"Cannot be read: ‘{self.error.word}’ does not fit here"
            return "Incomplete" if self.text.strip() else "Say which object you mean"
        return describe_fits(len(self.fits))

    @property
    def details(self) -> str:
        """What else is to be said of a text that cannot be read."""
        if self.error is None:
            return ""
        if self.error.suggestion:
            return f"Did you mean ‘{self.error.suggestion}’?"
        wanted = [words.strip("<>") if words.startswith("<") else f"‘{words}’" for words in self.error.expected[:12]]
        return f"Expected here: {', '.join(wanted)}." if wanted else ""

    @cached_property
    def names(self) -> dict[str, str]:
        """The objects in words, by their names in the page."""
        return {} if self.story is None else {thing.key: thing.name for thing in self.story.things}

    @property
    def fits(self) -> list[str]:
        """The names in the page of the objects that fit."""
        return [] if self.story is None else [self.story.key(where) for where in self.story.fits]


def can_be_asked(world: World, example: Example) -> bool:
    """Return whether texts about the scenes of an example can be read."""
    return world.has("language") and 0 < sum(map(len, scenes_of(example))) <= MOST_OBJECTS


def answer_about(world: World, example: Example, text: str) -> Answer:
    """Return what a text picks out among the scenes of an example.

    Raises:
        SchemaError: when the text is longer than anyone types, or the example has no scenes to ask about.
    """
    if len(text) > MOST_LETTERS:
        raise SchemaError(f"a text has at most {MOST_LETTERS} characters here, got {len(text):,}")
    if not can_be_asked(world, example):
        raise SchemaError("texts about this example cannot be read: its world has no language, or it has no scene")
    language, context = world.part("language"), Story(world, example).context
    scene = context.scenes[context.target.scene]
    try:
        reading = read_tolerantly(
            text, lambda said: language.read(said, scene), words=language.words, schema=scene.schema
        )
    except ParseError as error:
        return Answer(text, error=error)
    said = reading.utterance
    if sum(1 for _ in said.expression.mentions()) > MOST_MENTIONS:
        raise SchemaError(f"at most {MOST_MENTIONS} noun phrases are worked out here")
    story = Story(world, PlainExample(text=said.text, expression=said.expression, context=context))
    try:
        suggestions = suggest_edits(said, context, language=language)
    except DeixisError:
        suggestions = ()
    return Answer(text, reading=reading, story=story, suggestions=suggestions)
