"""Misreadings, necessity and competitors, which make every part of an expression matter."""

from deixis._deprecation import Replacement, lookup
from deixis.distractors.absence import Absence as Absence
from deixis.distractors.absence import absence as absence
from deixis.distractors.absence import absences as absences
from deixis.distractors.necessity import competitors as competitors
from deixis.distractors.necessity import content_parts as content_parts
from deixis.distractors.necessity import is_minimal as is_minimal
from deixis.distractors.necessity import necessity as necessity
from deixis.distractors.planned_misreadings import PlannedMisreading as PlannedMisreading
from deixis.distractors.planned_misreadings import planned_misreadings as planned_misreadings


__getattr__ = lookup(
    __name__,
    {
        "Relaxation": Replacement(by=f"{__name__}:PlannedMisreading", since="0.3.0", until="0.5.0"),
        "relaxations": Replacement(by=f"{__name__}:planned_misreadings", since="0.3.0", until="0.5.0"),
    },
)
