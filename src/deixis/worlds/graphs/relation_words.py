"""One spelling for the many ways in which people have written a relation down: 'are on a' is 'on'.

GQA did this by hand when it made its graphs from those of Visual Genome; for other graphs the rules here do the most of
it. Nothing is lost but articles, tense and number.
"""

from __future__ import annotations

from functools import lru_cache


__all__ = ["plain_relation"]

LEADING = frozenset(("am", "are", "be", "being", "is", "was", "were"))
TRAILING = frozenset(("a", "an", "her", "his", "its", "the", "their"))
PLAIN = {
    "attatched to": "attached to",
    "at end of": "at the end of",
    "at top of": "at the top of",
    "carries": "carrying",
    "carry": "carrying",
    "cover": "covering",
    "covers": "covering",
    "crosses": "crossing",
    "drive down": "driving down",
    "front of": "in front of",
    "hangs from": "hanging from",
    "hangs on": "hanging on",
    "have": "has",
    "hold": "holding",
    "holds": "holding",
    "in center of": "in the center of",
    "in from of": "in front of",
    "in front": "in front of",
    "in middle of": "in the middle of",
    "inside of": "inside",
    "laying in": "lying in",
    "laying on": "lying on",
    "laying on top of": "lying on top of",
    "near by": "near",
    "near to": "near",
    "on back of": "on the back of",
    "on bottom of": "on the bottom of",
    "on edge of": "on the edge of",
    "on front of": "on the front of",
    "on side of": "on the side of",
    "on top if": "on top of",
    "outside of": "outside",
    "sit in": "sitting in",
    "sit near": "sitting near",
    "sit on": "sitting on",
    "sits at": "sitting at",
    "sits in": "sitting in",
    "sits on": "sitting on",
    "stand in": "standing in",
    "stand on": "standing on",
    "stands on": "standing on",
    "wear": "wearing",
    "wears": "wearing",
    "wrap around": "wrapped around",
}


@lru_cache(maxsize=65536)
def plain_relation(relation: str) -> str:
    """The relation without articles around it, as a participle or preposition; unknown ones stay as they are."""
    words = relation.lower().split()
    while len(words) > 1 and words[0] in LEADING:
        words = words[1:]
    while len(words) > 1 and words[-1] in TRAILING:
        words = words[:-1]
    plain = " ".join(words)
    return PLAIN.get(plain, plain)
