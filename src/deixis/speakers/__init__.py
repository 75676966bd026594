"""Speakers that need no training: anchors for any model that points at things with words."""

from deixis.speakers.plain import Exhaustive as Exhaustive
from deixis.speakers.plain import Greedy as Greedy
from deixis.speakers.plain import Incremental as Incremental
from deixis.speakers.plain import Minimal as Minimal
from deixis.speakers.plain import Random as Random
from deixis.speakers.rational import Rational as Rational
from deixis.speakers.speaker import Speaker as Speaker
from deixis.speakers.speaker import speak as speak
