"""'the' or 'a', decided by the scene.

ReaSCAN grounds its determiners (appendix A.2): the target is always definite; any other mention is definite when at
most one object of the scene fits the words of its noun phrase, relations left aside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deixis.resolution.reference import denotation


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.language.lexicon import Lexicon
    from deixis.scene.scene import Scene


__all__ = ["grounded_determiners"]


def grounded_determiners(expression: Expression, scene: Scene, *, words: Lexicon) -> tuple[str, ...]:
    """The determiner of every mention, in the order of the words."""
    definite, indefinite = words.determiners
    _, *rest = expression.mentions()
    fitting = (len(denotation(mention.phrase, scene)) for mention in rest)
    return (definite, *(definite if count <= 1 else indefinite for count in fitting))
