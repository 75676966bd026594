"""Speakers that need no training: anchors for any model that points at things with words."""

from deixis.speakers._plain import Exhaustive as Exhaustive
from deixis.speakers._plain import Greedy as Greedy
from deixis.speakers._plain import Incremental as Incremental
from deixis.speakers._plain import Minimal as Minimal
from deixis.speakers._plain import Random as Random
from deixis.speakers._rational import Rational as Rational
from deixis.speakers._speaker import Speaker as Speaker
from deixis.speakers._speaker import speak as speak
