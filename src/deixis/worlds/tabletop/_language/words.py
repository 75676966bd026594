"""The words for values, relations and ranks, and what else people say for them: the tables of `english.toml`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.language.lexicon import lexicon, word_table


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.expression.steps import Is, Side


PACKAGE = "deixis.worlds.tabletop"
LEXICON = lexicon(PACKAGE)
_TABLE = word_table(PACKAGE)
TOP, THAT_IS = LEXICON.top, LEXICON.relative
SLOTS = LEXICON.slots
"""The attributes in the order of their words: 'small shiny red cube'."""
STEPS_ORDER = ("shape", "color", "material", "size")
"""The order of the values in a description: the noun first."""
NOUNS: Mapping[str, str] = _TABLE["words"]["shape"]
"""By noun, the shape."""
VALUES: Mapping[str, Is] = {word: step for name in SLOTS[:-1] for word, step in LEXICON.words[name].items()}  # type: ignore[misc]
RELATIONS: Mapping[str, str] = LEXICON.relations
ORDINALS: tuple[str, ...] = tuple(_TABLE["ranks"]["ordinals"])
MIDDLE: str = _TABLE["ranks"]["middle"]
ENDS: Mapping[Side, str] = _TABLE["ranks"]["ends"]
FROM: Mapping[Side, str] = _TABLE["ranks"]["from"]
DEFINITE, INDEFINITE = LEXICON.determiners
ANOTHER, ANY = "another", "any"
DETERMINERS = (DEFINITE, INDEFINITE, "an", ANOTHER, ANY)
SYNONYMS: Mapping[str, str] = _TABLE["other"]["words"]
"""Single words that are read like another."""
OTHER_RELATIONS: Mapping[str, str] = _TABLE["other"]["relations"]
OPENINGS: tuple[str, ...] = (THAT_IS, *_TABLE["other"]["openings"])
