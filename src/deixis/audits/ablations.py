"""Ablations: an expression with a part dropped or with words exchanged, and what is then picked out.

With a meaning no model is needed: a part whose loss changes nothing is idle, and an exchange that still picks out the
target alone shows that the order of the words does not matter. Without a meaning the changed texts can be given to a
model.

>>> from deixis.worlds.grid.drawn import grid
>>> from deixis.worlds.grid.language import parse
>>> from deixis.scene import Context
>>> from deixis.worlds.example import PlainExample
>>> context = Context.of(grid('''
...     0:y□1 .     .
...     .     1:y○1 .
...     .     .     2:r○1
... '''))
>>> example = PlainExample(context=context, expression=parse("the yellow square"), text="the yellow square")
>>> [(one.part, one.picks, one.is_needed) for one in ablate_example(example)]
[('noun', 'several', True), ('colour word', 'target', False)]
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from deixis.audits._texts import digest
from deixis.audits.measures import audited_parts, exchanges
from deixis.errors import DeixisError, SchemaError
from deixis.expression.parts import without
from deixis.resolution.reference import resolve
from deixis.seeds import Stream, derive


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.audits.measures import Bag
    from deixis.expression.description import Expression
    from deixis.scene.scene import Context, Where
    from deixis.worlds.example import Example
    from deixis.worlds.world import Language


__all__ = ["Ablation", "Change", "Picks", "TextAblation", "ablate_example", "ablate_text"]

Change: TypeAlias = Literal["drop", "exchange"]
Picks: TypeAlias = Literal["target", "several", "others", "nothing"]


class Ablation(NamedTuple):
    """An expression with one change, and what it picks out.

    Attributes:
        change: `drop` for a part left out, `exchange` for words that changed places.
        part: the kind of the part, such as `noun`, `colour word` or `clause`; empty for an exchange.
        phrase: `target` or `other`, the phrase that the part belongs to; empty for an exchange.
        expression: what is left.
        text: its words, if a language was given that can say it; otherwise the expression written out.
        objects: what it picks out.
        picks: `target` if that is the target alone, `several` if it is the target and others, `others` or `nothing`.
    """

    change: Change
    part: str
    phrase: str
    expression: Expression
    text: str
    objects: frozenset[Where]
    picks: Picks

    @property
    def is_needed(self) -> bool:
        """The part or the order is needed: without it, something else than the target alone is picked out."""
        return self.picks != "target"


class TextAblation(NamedTuple):
    """A text with one change, for a model to read.

    Attributes:
        change: `drop` for a word left out, `swap` for two neighbours exchanged, `shuffle` for words in random order.
        place: the number of the word, or of the first of two; -1 for a shuffle.
        text: the changed text.
    """

    change: Literal["drop", "swap", "shuffle"]
    place: int
    text: str


def ablate_example(example: Example, *, language: Language | None = None, bag: Bag = exchanges) -> tuple[Ablation, ...]:
    """Return an example's expression without each of its parts, then with words exchanged, and what each picks out.

    Args:
        example: with a meaning, scenes and a single target.
        language: says what is left; the part `language` of a world.
        bag: the exchanges, `measures.exchanges` or `measures.reorderings`.

    Raises:
        SchemaError: when the example has no meaning, no scenes or no single target.
    """
    context, expression = example.context, example.expression
    if expression is None:
        raise SchemaError(f"the meaning of example {example.id!r} is not known; ablate_text changes its words")
    schema = context.scenes[context.target.scene].schema
    found = [
        _ablation("drop", one.kind, one.phrase, without(expression, one.part), context, language)
        for one in audited_parts(expression, schema)
    ]
    found += [_ablation("exchange", "", "", reading, context, language) for reading in bag(expression)]
    return tuple(found)


def ablate_text(text: str, *, shuffles: int = 1, seed: int = 0) -> Iterator[TextAblation]:
    """Yield a text without each of its words, with each two neighbours exchanged, and with its words in random order.

    The shuffles depend on the seed and the text alone. Changes that leave the text as it is are left out.

    >>> [one.text for one in ablate_text("the red cup", shuffles=0)]
    ['red cup', 'the cup', 'the red', 'red the cup', 'the cup red']
    """
    words = text.split()
    for place in range(len(words)):
        yield TextAblation("drop", place, " ".join((*words[:place], *words[place + 1 :])))
    for place in range(len(words) - 1):
        if words[place] != words[place + 1]:
            swapped = (*words[:place], words[place + 1], words[place], *words[place + 2 :])
            yield TextAblation("swap", place, " ".join(swapped))
    for number in range(shuffles if len(set(words)) > 1 else 0):
        stream = Stream(derive(seed, "shuffle", digest(text), number))
        shuffled = stream.permutation(words)
        while shuffled == words:
            shuffled = stream.permutation(words)
        yield TextAblation("shuffle", -1, " ".join(shuffled))


def _ablation(
    change: Change, part: str, phrase: str, expression: Expression, context: Context, language: Language | None
) -> Ablation:
    objects = resolve(expression, context).objects
    text = str(expression)
    if language is not None:
        with suppress(DeixisError):
            text = language.realise(expression).text
    return Ablation(change, part, phrase, expression, text, objects, _picks(objects, context.target))


def _picks(objects: frozenset[Where], target: Where) -> Picks:
    if not objects:
        return "nothing"
    if target not in objects:
        return "others"
    return "target" if len(objects) == 1 else "several"
