"""Captions as models write them: words of captions in any order, with what else may come."""

from __future__ import annotations

from hypothesis import strategies as st

from deixis.worlds.rooms.scene import IMAGES, RoomScene


SAID = """
red orange yellow green light dark medium blue cyan purple pink tiny small medium sized middle big large huge giant
block cylinder ball pill cube thing floor wall in on the a of to is front near nearly close left right corner side
standing unk pad END picture shows zebra Red medium-sized not or no without balls either nor wrong but nothing was
"""
WORDS = tuple(SAID.split())
PHRASES = (
    "in front of a",
    "is red",
    "light green wall",
    "on green floor",
    "in the middle",
    "close to the left side",
    "a tiny red ball",
    "dark blue",
    "isn't red",
    "is not a",
    "red or blue",
    "a ball or a block",
    "neither tiny nor big",
    "wasn't red",
    "far from",
    "any colour but",
    "a red ball or a pink block",
)


def captions() -> st.SearchStrategy[str]:
    """Up to fifteen words or phrases, one after another."""
    return st.lists(st.sampled_from((*WORDS, *PHRASES)), max_size=15).map(" ".join)


def rooms() -> st.SearchStrategy[RoomScene]:
    """Rooms, many of which have the same hue twice."""
    hue = st.integers(0, 3) | st.integers(0, 9)
    alike = st.builds(RoomScene.of, hue, hue, hue, st.integers(0, 7), st.integers(0, 3), st.integers(0, 14))
    return alike | st.integers(0, IMAGES - 1).map(RoomScene)
