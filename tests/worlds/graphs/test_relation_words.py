from __future__ import annotations

import pytest

from deixis.worlds.photos._words import plain_relation


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("ON", "on"),
        ("are on a", "on"),
        ("is wearing an", "wearing"),
        ("wears", "wearing"),
        ("have", "has"),
        ("laying  on", "lying on"),
        ("on side of", "on the side of"),
        ("to the left of", "to the left of"),
        ("a", "a"),
        ("", ""),
        ("painted in", "painted in"),
    ],
)
def test_one_relation_has_one_spelling(written, plain):
    """Articles, number and tense are dropped, and nothing else."""
    assert plain_relation(written) == plain


@pytest.mark.parametrize("relation", ["on", "wearing", "on the side of", "has", "in front of"])
def test_plain_relations_stay_plain(relation):
    """Doing it twice changes nothing."""
    assert plain_relation(plain_relation(relation)) == plain_relation(relation)
