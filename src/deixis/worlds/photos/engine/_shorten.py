"""Shorter ways to say what has been said: the same tree without some of its attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis.worlds.photos.engine._choose import Candidate, Chooser, is_spatial_only, other_counts, verdicts_on
from deixis.worlds.photos.engine._wording import put_into_words


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.photos._words import Synonyms
    from deixis.worlds.photos.engine._facts import Facts
    from deixis.worlds.photos.engine._tree import ObjectExpression, Tree
    from deixis.worlds.photos.engine.settings import Engine


def shorten(
    said: Sequence[tuple[ObjectExpression, frozenset[str]]], facts: Facts, engine: Engine, synonyms: Synonyms
) -> list[ObjectExpression | None]:
    """Return expressions without some of their attributes, or None where that no longer picks out the target alone.

    Args:
        said: expressions, each with the attributes to leave out.
        facts: about the table.
        engine: its settings.
        synonyms: other words.
    """
    candidates = [_candidate(one, _without(one.tree, words)) for one, words in said]
    verdicts = verdicts_on(candidates, facts.table, engine.unknowns, loose_sides=engine.loose_sides)
    found: list[ObjectExpression | None] = []
    for (one, _), candidate, verdict in zip(said, candidates, verdicts, strict=True):
        is_sayable = verdict.is_unique and not verdict.misleads and candidate.tree != one.tree
        if not is_sayable or is_spatial_only(candidate.tree, facts, engine):
            found.append(None)
            continue
        chooser = Chooser(facts.photograph(one.scene), facts, engine)
        found.append(put_into_words(candidate, verdict, chooser, synonyms))
    return found


def _candidate(one: ObjectExpression, tree: Tree) -> Candidate:
    expression = tree.expression()
    return Candidate(one.scene, one.target, tree, expression, other_counts(expression))


def _without(tree: Tree, words: frozenset[str]) -> Tree:
    """Return a tree in which some attributes are not said of anything."""
    nodes = (
        replace(node, attributes=tuple(word for word in node.attributes if word not in words)) for node in tree.nodes
    )
    return replace(tree, nodes=tuple(nodes))
