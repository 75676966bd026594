"""The page that shows what a speaker says."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from deixis.worlds.rooms.judging._marked import mark_caption
from deixis.worlds.rooms.judging._pages import caption_page, count_features


RED, PURPLE = 163_233, 167_073  # two rooms that differ in the colour of the ball alone


def test_words_are_marked_by_what_they_do() -> None:
    """A colour that tells the rooms apart, a noun that does not, a wrong size, and a word that nobody knows."""
    found = {piece.text: piece.mark for piece in mark_caption("a giant red ball gizmo", (RED, PURPLE)) if piece.mark}

    assert found == {"giant": "false", "red": "contrastive", "ball": "redundant", "gizmo": "unknown"}


def test_without_others_what_is_true_is_only_true() -> None:
    """There is nothing to tell a room from that stands by itself."""
    assert {piece.mark for piece in mark_caption("a red ball", (RED,)) if piece.mark} == {"true"}


def test_the_pieces_of_a_caption_are_the_caption() -> None:
    """Nothing is lost or said twice, whatever a model came up with."""
    for said in ("", "red", "A tiny red ball green near the floor in green of", "<b>&amp;</b> the the"):
        assert "".join(piece.text for piece in mark_caption(said, (RED, PURPLE))) == said


def test_a_page_shows_every_set_and_loads_nothing() -> None:
    """Each set has its heading and its pictures; nothing comes from elsewhere, and captions are text, not markup."""
    said = {
        "object_hue": (["a red <script>alert(1)</script> ball"] * 3, [[RED, PURPLE]] * 3),
        "shape": ([""], [[RED, 7]]),
    }
    page = caption_page("somebody <i>", said)

    assert "<script>alert" not in page
    assert page.count('<img src="data:image/png;base64,') == 8
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    assert "(nothing)" in page
    assert page == caption_page("somebody <i>", said)
    HTMLParser().feed(page)


def test_a_feature_that_is_said_twice_counts_once() -> None:
    """The note under a caption counts features, not mentions, so that it never has more than six."""
    said = "a tiny red ball, the ball is red, on green floor, on green floor"

    assert count_features(said, (RED, PURPLE)) == {"telling": 1, "idle": 3, "false": 0}
