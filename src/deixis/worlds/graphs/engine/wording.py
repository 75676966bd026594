"""A tree in words: a style or a variant of it, perhaps a synonym, and the test that the words can be read back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deixis.errors import ParseError, SchemaError
from deixis.language.copsref import parse_reference, realise_reference, style_named, words_of_photographs
from deixis.worlds.graphs.engine.expressed import Expressed


if TYPE_CHECKING:
    from deixis.expression.description import Expression
    from deixis.language.copsref import Style
    from deixis.worlds.graphs.engine.choose import Chooser
    from deixis.worlds.graphs.engine.tree import Tree
    from deixis.worlds.graphs.engine.unique import Candidate, Verdict
    from deixis.worlds.graphs.synonyms import Synonyms


__all__ = ["worded"]


def worded(candidate: Candidate, verdict: Verdict, chooser: Chooser, synonyms: Synonyms) -> Expressed | None:
    """The candidate as it is said; None where the words would be read as something else."""
    tree, expression = candidate.tree, candidate.expression
    style, vocabulary = _style_for(tree, chooser), chooser.facts.table.vocabulary
    others = synonyms.drawn_for(tree, chooser) if chooser.happens(_any_of(tree, chooser)) else {}
    try:
        said = realise_reference(expression, style, synonyms=others)
        if parse_reference(said.text, vocabulary, other_names=synonyms.as_read) != expression:
            return None
    except (SchemaError, ParseError):
        return None
    table, forms = chooser.facts.table, tree.forms
    first = table.objects_of(candidate.scene).start
    return Expressed(
        scene=candidate.scene,
        image_id=table.image_ids[candidate.scene],
        target=candidate.target,
        target_id=table.object_ids[first + candidate.target],
        form=forms[0],
        forms=forms,
        expression=expression,
        text=said.text,
        spans=said.spans,
        tree=tree,
        template=_template(tree, style, expression),
        false_relation=tree.false_relation,
        has_other_count=verdict.misleads,
    )


def _any_of(tree: Tree, chooser: Chooser) -> float:
    """The chance that at least one of the words is said by a synonym."""
    words = sum(1 + len(node.attributes) for node in tree.nodes)
    return 1 - (1 - chooser.engine.synonyms) ** words


def _style_for(tree: Tree, chooser: Chooser) -> Style:
    """The wording of the settings, or a variant of it that suits the tree."""
    style = style_named(chooser.engine.style)
    rank = tree.nodes[0].rank
    if rank and rank.index == 1 and rank.side != "middle":
        row = chooser.photograph.by_name[chooser.photograph.names[tree.nodes[0].object]]
        if len(row) == 2 and chooser.happens(0.5):  # of two, the first is simply the one on that side
            style = replace(style, side="on")
    if not style.literal and chooser.happens(chooser.engine.variety):
        does = any(words_of_photographs().is_doing(edge.relation) for edge in tree.edges)
        style = replace(style, drops_before_doing=True) if does else replace(style, relative="which")
    return style


def _template(tree: Tree, style: Style, expression: Expression) -> str:
    """The name of the wording: the form with its size or kind, and what the style varies."""
    form = tree.forms[0]
    detail = {"chain": str(expression.depth)}.get(form, "")
    if form == "order" and tree.nodes[0].rank:
        rank = tree.nodes[0].rank
        detail = "middle" if rank.side == "middle" else style.side if rank.index == 1 else "from"
    if form == "not":
        detail = "attribute" if any(node.denied for node in tree.nodes) else "relation"
    variants = ("which" if style.relative == "which" else "", "doing" if style.drops_before_doing else "")
    return ":".join(part for part in (style.name, f"{form}-{detail}".rstrip("-"), *variants) if part)
