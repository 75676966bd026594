"""The kind of a distractor image by what it holds."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from deixis.expression.steps import Is
from deixis.worlds.photos.scene.vocabulary import NAME


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.worlds.photos._misreadings import DistractorKind
    from deixis.worlds.photos.scene.graph_table import GraphTable


HARDEST_FIRST: tuple[DistractorKind, ...] = ("Cat&cat", "Cat&attr", "Cat", "DiffCat")


def kind_of_image(expression: Expression, scenes: GraphTable, scene: int) -> DistractorKind:
    """Return the hardest of the paper's kinds that an image is of; a test that `holds_kind` agrees is in the tests."""
    return next(kind for kind in HARDEST_FIRST if holds_kind(kind, expression, scenes, scene))


def holds_kind(kind: DistractorKind, expression: Expression, scenes: GraphTable, scene: int) -> bool:
    """Return whether an image holds the objects that a kind promises.

    `DiffCat` lacks the category of the target and every other kind has it; `Cat&attr` has it with the attributes that
    are said, and `Cat&cat` has every category that is mentioned, as often as it is. Of an expression without a noun
    nothing is promised.
    """
    nouns = [mention.value(NAME) for mention in expression.mentions()]
    if None in nouns:
        return True
    names, words = _objects_of(scenes, scene)
    has_category = nouns[0] in names
    if kind == "DiffCat":
        return not has_category
    if kind == "Cat&attr":
        said = {step.value for step in expression.steps if isinstance(step, Is) and step.attribute != NAME}
        return any(name == nouns[0] and said <= held for name, held in zip(names, words, strict=True))
    return has_category and (kind != "Cat&cat" or not Counter(nouns) - Counter(names))


@lru_cache(maxsize=8192)
def _objects_of(scenes: GraphTable, scene: int) -> tuple[list[str], list[set[str]]]:
    """Return the names of the objects of a scene, and their attributes."""
    words, some = scenes.vocabulary, scenes.objects_of(scene)
    starts = scenes.attr_ptr[some.start : some.stop + 1].tolist()
    names = [words.names[code] for code in scenes.name[some.start : some.stop].tolist()]
    return names, [{words.words[code] for code in scenes.attr[a:b].tolist()} for a, b in pairwise(starts)]
