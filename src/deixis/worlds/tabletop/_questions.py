"""Part `questions`: solids with numbers, as lists or in pictures, of which one is asked for."""

from __future__ import annotations

from deixis.worlds.tabletop.world import WORLD
from deixis.worlds.toolkit.questions import ObjectQuestions


QUESTIONS = ObjectQuestions(WORLD)
