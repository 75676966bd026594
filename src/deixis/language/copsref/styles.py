"""The ways of wording: that of the released files, that of the paper's table, and plain English.

                 clauses                          order                                          awkward relations
    english      The c0 that is r0 the c1 …       The second c0 from the left that is a0 …       'of', 'with', 'has'
    release      The c0 that is r0 the c1 …       the second c0 from the left that is a0 …       'that is of'
    paper        The c0 r0 the c1 and r1 the c2   The second c0 from the left that is a0 …       'of', 'with', 'has'

The released files give the related objects of an order expression no article ('to the left of gravy'), and leave the
article out before a noun that is 'on the left' or 'in the middle'; `release` does so too. `english` is `release` with
these mended and with relations that cannot follow 'that is' said as English says them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from deixis.errors import UnknownName


if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["ENGLISH", "PAPER", "RELEASE", "STYLES", "Style", "style_named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How expressions are worded.

    Attributes:
        name: of the wording that it is, or is a variant of.
        literal: relations and names are said as they are written in the corpus, awkward or not.
        articles_in_order: whether the phrases of order expressions have articles.
        relative: the word that opens a clause.
        drops_before_doing: 'the girl touching the ball' for 'the girl that is touching the ball'.
        drops_before_two: no 'that is' before two clauses that 'and' or 'or' joins.
        side: 'the first cup from the left' or 'the cup on the left', which say the same.
    """

    name: str = "english"
    literal: bool = False
    articles_in_order: bool = True
    relative: Literal["that", "which"] = "that"
    drops_before_doing: bool = False
    drops_before_two: bool = False
    side: Literal["from", "on"] = "from"


ENGLISH = Style()
RELEASE = Style(name="release", literal=True, articles_in_order=False)
PAPER = Style(name="paper", drops_before_two=True)
STYLES: Mapping[str, Style] = {style.name: style for style in (ENGLISH, RELEASE, PAPER)}


def style_named(name: str) -> Style:
    """The style of that name."""
    if name not in STYLES:
        raise UnknownName(f"there is no wording {name!r}; known: {', '.join(STYLES)}")
    return STYLES[name]
