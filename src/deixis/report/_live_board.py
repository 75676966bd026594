"""A sentence and the scene that it is about, whose parts can be switched off: which objects fit what is left?

Everything is worked out when the page is made, one answer for each choice of parts; the page itself only looks them up.
Without scripts it shows the whole sentence, and the picture with the target.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from deixis.expression.parts import parts, without
from deixis.expression.steps import Related
from deixis.language.explain import name_object
from deixis.report._templates import render
from deixis.resolution.reference import resolve


if TYPE_CHECKING:
    from collections.abc import Callable

    from markupsafe import Markup

    from deixis.expression.description import Expression
    from deixis.expression.parts import Address, Part
    from deixis.language.utterance import Utterance
    from deixis.scene.scene import Scene


MOST_PARTS = 7  # 128 answers


class LivePiece(NamedTuple):
    """Some words of the sentence.

    Attributes:
        words: the words.
        kind: `noun`, `color`, `size` or `clause` for a part, else nothing.
        part: the number of the part that they say, -1 for none.
        inside: the numbers of the clauses that they are in.
    """

    words: str
    kind: str
    part: int
    inside: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveBoard:
    """A sentence with its parts, a picture, and what fits for each choice of parts.

    Attributes:
        pieces: the sentence.
        picture: the scene, in which every object is a group with its number as `data-object`.
        names: the objects in words.
        fits: for each choice of parts the objects that fit. Bit n of its place is set where part n is left out.
        texts: likewise what is said.
        link: where the sentence can be changed further; empty for nowhere.
    """

    pieces: tuple[LivePiece, ...]
    picture: Markup
    names: tuple[str, ...]
    fits: tuple[tuple[int, ...], ...]
    texts: tuple[str, ...]
    link: str = ""

    @property
    def data(self) -> str:
        """What the script of the page needs, as JSON."""
        return json.dumps({"names": self.names, "fits": self.fits, "texts": self.texts}, ensure_ascii=False)

    def markup(self, *, with_link: bool = False) -> str:
        """The board as a part of a page, which needs `live.css` and `live.js` of this package."""
        return render("live_board.html", live=self, link=self.link if with_link else "")


def make_live_board(
    utterance: Utterance, scene: Scene, *, picture: Markup, say: Callable[[Expression], str], link: str = ""
) -> LiveBoard:
    """Work out what fits for each choice of the parts of a sentence.

    Args:
        utterance: the sentence, with at most `MOST_PARTS` parts.
        scene: what it is about.
        picture: the scene, drawn.
        say: says what is left of the expression.
        link: where the sentence can be changed further.
    """
    ordered = sorted(parts(utterance.expression), key=lambda part: utterance.spans[part.address])
    assert len(ordered) <= MOST_PARTS
    left = [_without_all(utterance.expression, ordered, choice) for choice in range(1 << len(ordered))]
    return LiveBoard(
        pieces=tuple(_pieces(utterance, scene, ordered)),
        picture=picture,
        names=tuple(name_object(scene, index) for index in range(len(scene))),
        fits=tuple(tuple(sorted(resolve(expression, scene).indices)) for expression in left),
        texts=tuple(map(say, left)),
        link=link,
    )


def _without_all(expression: Expression, ordered: list[Part], choice: int) -> Expression:
    """The expression without the parts of a choice; the last ones go first, so that addresses of others stay."""
    gone = [part for place, part in enumerate(ordered) if choice >> place & 1]
    for part in sorted(gone, key=lambda part: part.address, reverse=True):
        if not any(_is_inside(part.address, other.address) for other in gone):
            expression = without(expression, part)
    return expression


def _is_inside(address: Address, other: Address) -> bool:
    return address != other and address[: len(other)] == other


def _pieces(utterance: Utterance, scene: Scene, ordered: list[Part]) -> list[LivePiece]:
    """Each word with the part that it says, and neighbours of the same part together.

    What opens a clause (*that is*) goes with it, as do the words of its phrase that say no part.
    """
    places = {part.address: place for place, part in enumerate(ordered)}
    tokens = utterance.text.split(" ")
    owners: list[Address | None] = [None] * len(tokens)
    for part in sorted(ordered, key=lambda part: len(part.address)):
        first, last = utterance.spans[part.address]
        opening = first
        if isinstance(part.step, Related):
            while opening and owners[opening - 1] is None and not _says_a_part(utterance, ordered, opening - 1):
                opening -= 1
        owners[opening:last] = [part.address] * (last - opening)
    found: list[LivePiece] = []
    for place, (token, owner) in enumerate(zip(tokens, owners, strict=True)):
        is_filler = owner is not None and _is_filler(utterance, owner, place)
        inside = tuple(places[one] for one in places if owner is not None and _is_inside(owner, one))
        if is_filler and owner is not None:
            inside = (*inside, places[owner])
        said = -1 if owner is None or is_filler else places[owner]
        piece = LivePiece(token, "" if said < 0 else _kind(ordered[said], scene), said, inside)
        if found and found[-1][1:] == piece[1:]:
            found[-1] = piece._replace(words=f"{found[-1].words} {token}")
        else:
            found.append(piece)
    return found


def _says_a_part(utterance: Utterance, ordered: list[Part], place: int) -> bool:
    spans = (utterance.spans[part.address] for part in ordered)
    return any(first <= place < last for first, last in spans)


def _is_filler(utterance: Utterance, owner: Address, place: int) -> bool:
    """Whether a word of a clause is of its noun phrase, and says no part: its determiner."""
    first, last = utterance.spans.get((*owner, -1), (0, 0))
    return first <= place < last


def _kind(part: Part, scene: Scene) -> str:
    """The style sheet's name for a part."""
    if part.attribute is None:
        return "clause"
    attribute = scene.schema.attribute(part.attribute)
    return "noun" if attribute.is_head else "size" if attribute.is_ordered else "color"
