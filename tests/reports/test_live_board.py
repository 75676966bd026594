"""The live sentence of the first pages: what it shows for each choice of parts is what resolution says."""

from __future__ import annotations

import json
import re
from html import unescape

from hypothesis import given

import deixis as dx
from deixis.expression.parts import parts, without
from deixis.report._live_board import MOST_PARTS, make_live_board
from deixis.resolution.reference import resolve
from deixis.testing import PLAIN_KINDS, expressions, grid_scenes
from deixis.worlds.grid._report.live_board import BOARD, TEXT, live_board
from deixis.worlds.grid.language import read, realise


def made(text, scene):
    """A live board without a picture."""
    return make_live_board(read(text), scene, picture="", say=lambda left: realise(left).text)


@given(scene=grid_scenes(), expression=expressions(kinds=PLAIN_KINDS, in_spoken_order=True, max_depth=1, max_steps=2))
def test_every_choice_of_parts_is_resolved(scene, expression):
    """What fits without some parts is what fits the text that is told for them; one part left out is `without` it."""
    try:
        text = dx.realise(expression).text
    except dx.DeixisError:
        return
    said = read(text)
    ordered = sorted(parts(said.expression), key=lambda part: said.spans[part.address])
    if len(ordered) > MOST_PARTS:
        return

    live = made(text, scene)

    assert len(live.fits) == len(live.texts) == 2 ** len(ordered)
    for fits, left in zip(live.fits, live.texts, strict=True):
        assert set(fits) == resolve(read(left).expression, scene).indices
    for place, part in enumerate(ordered):
        assert set(live.fits[1 << place]) == resolve(without(said.expression, part), scene).indices


@given(expression=expressions(kinds=PLAIN_KINDS, in_spoken_order=True, max_depth=1, max_steps=2))
def test_the_pieces_are_the_sentence(expression):
    """The words of the pieces in their order are the text, and every part has one piece at least."""
    try:
        text = dx.realise(expression).text
    except dx.DeixisError:
        return
    count = len(list(parts(read(text).expression)))
    if count > MOST_PARTS:
        return

    pieces = made(text, BOARD).pieces

    assert " ".join(piece.words for piece in pieces) == text
    assert {piece.part for piece in pieces} - {-1} == set(range(count))


def test_words_inside_a_clause_go_with_it():
    """Its opening belongs to the clause; the determiner and the parts of its phrase are inside it."""
    pieces = {piece.words: piece for piece in made(TEXT, BOARD).pieces}
    clause = pieces["that is in the same column as"]

    assert clause.inside == ()
    assert [pieces[words].inside for words in ("a", "big", "red", "square")] == [(clause.part,)] * 4
    assert pieces["yellow"].inside == ()


def test_on_the_first_board_every_part_is_needed():
    """All parts together pick out one object, and without any one of them another fits, too."""
    live = live_board()
    count = len(list(parts(read(TEXT).expression)))

    assert len(live.fits[0]) == 1
    assert all(len(live.fits[1 << place]) > 1 for place in range(count))


def test_the_page_brings_everything_but_no_script_of_its_own():
    """The markup holds sentence, picture and answers; it has no script, no link elsewhere, and none at all unasked."""
    page = live_board().markup()

    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert json.loads(_data(page))["texts"][0] == TEXT.removeprefix("pull ")
    assert "<a " not in page
    assert '<a href="/there"' in live_board("/there").markup(with_link=True)


def _data(page):
    """The value of the attribute from which the script reads."""
    return unescape(re.search(r'data-live="([^"]*)"', page)[1])
