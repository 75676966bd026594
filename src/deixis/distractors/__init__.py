"""Misreadings, necessity and competitors, which make every part of an expression matter."""

from deixis.distractors.absence import Absence as Absence
from deixis.distractors.absence import absence as absence
from deixis.distractors.absence import absences as absences
from deixis.distractors.necessity import competitors as competitors
from deixis.distractors.necessity import content_parts as content_parts
from deixis.distractors.necessity import is_minimal as is_minimal
from deixis.distractors.necessity import necessity as necessity
from deixis.distractors.relaxations import Relaxation as Relaxation
from deixis.distractors.relaxations import relaxations as relaxations
