"""Realisation of trees: a style or a variant of it, perhaps a synonym, and the test that the words can be read back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from deixis.errors import ParseError, SchemaError
from deixis.expression.parts import parts
from deixis.expression.steps import Is
from deixis.worlds.photos.engine._tree import ObjectExpression
from deixis.worlds.photos.language import STYLES, parse_reference, realise_reference, style_named, words_of_photographs
from deixis.worlds.photos.language._words import ENGLISH


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from deixis.expression.description import Expression
    from deixis.expression.steps import Step
    from deixis.language.utterance import Utterance
    from deixis.worlds.photos._words import Synonyms
    from deixis.worlds.photos.engine._choose import Candidate, Chooser, Verdict
    from deixis.worlds.photos.engine._tree import Tree
    from deixis.worlds.photos.language import Style
    from deixis.worlds.photos.scene.vocabulary import Vocabulary


VARIANTS: tuple[dict[str, Any], ...] = tuple(  # all that `put_into_words` may come to, the plainest first
    {"relative": relative, "drops_before_doing": drops, "side": side, "joins_activities": joins}
    for joins in (True, False)
    for side in ("from", "on")
    for drops in (False, True)
    for relative in ("that", "which")
)


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of a text, so that something else can be said in the same way.

    Attributes:
        style: the wording.
        synonyms: the words that stood for names and attributes.
        vocabulary: the words that a reader knows.
    """

    style: Style
    synonyms: Mapping[str, str]
    vocabulary: Vocabulary

    @classmethod
    def of(cls, text: str, expression: Expression, vocabulary: Vocabulary) -> Self:
        """Return the wording in which a text says an expression, or plain English if no known wording gives it."""
        words = text.split()
        for style in (replace(base, **variant) for base in STYLES.values() for variant in VARIANTS):
            try:
                plain = realise_reference(expression, style)
            except SchemaError:
                break
            if plain.text == text:
                return cls(style, {}, vocabulary)
            others = _said_otherwise(words, plain, expression)
            if others and realise_reference(expression, style, synonyms=others).text == text:
                return cls(style, others, vocabulary)
        return cls(ENGLISH, {}, vocabulary)

    def say(self, expression: Expression) -> str:
        """Return the text of another expression in this wording.

        Raises:
            SchemaError: when it would be read as something else.
        """
        known = tuple((other, name) for name, other in self.synonyms.items() if name in self.vocabulary.name_codes)
        said = said_as_read(expression, self.style, self.vocabulary, self.synonyms, known)
        if said is None:
            raise SchemaError(f"{expression} would be read as something else")
        return said.text


def _said_otherwise(words: list[str], plain: Utterance, expression: Expression) -> dict[str, str]:
    """The one name or attribute for which a text has other words, as far as it is the plain text but for them."""
    usual = plain.text.split()
    for part in parts(expression):
        if not isinstance(part.step, Is) or part.address not in plain.spans:
            continue
        start, end = plain.spans[part.address]
        stop = end + len(words) - len(usual)
        if words[:start] == usual[:start] and words[stop:] == usual[end:] and stop > start:
            return {part.step.value: " ".join(words[start:stop])}
    return {}


def put_into_words(
    candidate: Candidate, verdict: Verdict, chooser: Chooser, synonyms: Synonyms
) -> ObjectExpression | None:
    """Put a candidate into words, or return None where the words would be read as something else."""
    tree, expression = candidate.tree, candidate.expression
    style, vocabulary = _style_for(tree, chooser), chooser.facts.table.vocabulary
    others = synonyms.drawn_for(tree, chooser) if chooser.happens(_any_of(tree, chooser)) else {}
    said = said_as_read(expression, style, vocabulary, others, synonyms.as_read)
    if said is None:
        return None
    table, forms = chooser.facts.table, tree.forms
    first = table.objects_of(candidate.scene).start
    return ObjectExpression(
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


def said_as_read(
    expression: Expression,
    style: Style,
    vocabulary: Vocabulary,
    synonyms: Mapping[str, str] | None = None,
    other_names: tuple[tuple[str, str], ...] = (),
) -> Utterance | None:
    """Put an expression into words that are read back as its meaning, or return None where no wording is.

    Args:
        expression: what is meant.
        style: the wording. Where an activity and what follows it would be read as one relation, they are said apart.
        vocabulary: the words that a reader knows.
        synonyms: words to say in the place of names and attributes.
        other_names: further words for names that a reader knows, each as (word, name).
    """
    for wording in (style, replace(style, joins_activities=False)):
        try:
            said = realise_reference(expression, wording, synonyms=synonyms)
            if parse_reference(said.text, vocabulary, other_names=other_names) == expression:
                return said
        except (SchemaError, ParseError):
            pass
        if not any(isinstance(step, Is) and step.value in words_of_photographs().doing for step in _steps(expression)):
            break
    return None


def _steps(expression: Expression) -> Iterator[Step]:
    return (part.step for part in parts(expression))


def _any_of(tree: Tree, chooser: Chooser) -> float:
    """Return the chance that at least one of the words is said by a synonym."""
    words = sum(1 + len(node.attributes) for node in tree.nodes)
    return 1 - (1 - chooser.engine.synonyms) ** words


def _style_for(tree: Tree, chooser: Chooser) -> Style:
    """Return the wording of the settings, or a variant of it that suits the tree."""
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
    """Return the name of the wording: the form with its size or kind, and what the style varies."""
    form = tree.forms[0]
    detail = {"chain": str(expression.depth)}.get(form, "")
    if form == "order" and tree.nodes[0].rank:
        rank = tree.nodes[0].rank
        detail = "middle" if rank.side == "middle" else style.side if rank.index == 1 else "from"
    if form == "not":
        detail = "attribute" if any(node.denied for node in tree.nodes) else "relation"
    variants = ("which" if style.relative == "which" else "", "doing" if style.drops_before_doing else "")
    return ":".join(part for part in (style.name, f"{form}-{detail}".rstrip("-"), *variants) if part)
