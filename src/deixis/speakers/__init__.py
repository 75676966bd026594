"""Speakers that need no training: anchors for any model that points at things with words."""

from deixis.speakers.brevity import Greedy as Greedy
from deixis.speakers.brevity import Minimal as Minimal
from deixis.speakers.exhaustive import Exhaustive as Exhaustive
from deixis.speakers.incremental import Incremental as Incremental
from deixis.speakers.rational import Rational as Rational
from deixis.speakers.speaker import Speaker as Speaker
from deixis.speakers.speaker import caption_of as caption_of
from deixis.speakers.speaker import choose_rows as choose_rows
from deixis.speakers.speaker import speak as speak
from deixis.speakers.unguided import Random as Random
