from __future__ import annotations

from deixis.expression.steps import AnyOf, Not, Related
from deixis.worlds.photos._balance import Balance, moved_words, said_words
from tests.language.copsref.sayings import d, n, w


CUP = d(n("cup"), w("white"), Related("on", d(n("table"))))


def test_words_are_those_of_the_meaning():
    """Names, attributes and relations count wherever they are said."""
    assert said_words(CUP) == ["cup", "white", "on", "table"]
    assert said_words(
        d(n("cup"), Not(w("white")), AnyOf((Related("on", d(n("table"))), Related("near", d(n("cup"))))))
    ) == [*("cup", "white", "on", "table", "near", "cup")]


def test_a_swap_moves_no_word():
    """What comes in and what goes out is told; the same words in other places are no movement."""
    assert moved_words(CUP, d(n("cup"), w("clear"), Related("on", d(n("table"))))) == {"clear": 1, "white": -1}
    assert moved_words(CUP, d(n("table"), w("white"), Related("on", d(n("cup"))))) == {}


def test_what_came_in_before_costs_more():
    """A word that came in often is dear, one that went out often is cheap, and so is a change that was seldom made."""
    balance = Balance([CUP, CUP])
    balance.take("attribute", {"clear": 1, "white": -1})

    assert balance.cost("noun", {"clear": 1}) > balance.cost("noun", {"orange": 1}) > balance.cost("noun", {"white": 1})
    assert balance.cost("attribute", {}) > balance.cost("noun", {}) == 0
