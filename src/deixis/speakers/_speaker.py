"""The protocol of speakers, which choose what to say of all that is true of a target.

A speaker sees the options only: which features there are and what each rules out. So it speaks about rooms, boards and
photographs alike, in contexts with any number of distractors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from deixis.distractors._contrast import options
from deixis.expression.description import Description


if TYPE_CHECKING:
    from deixis.distractors._contrast import By, Options
    from deixis.expression.description import Expression
    from deixis.scene.scene import Context
    from deixis.seeds import Stream


class Speaker(Protocol):
    """Chooses features by number."""

    def choose(self, there: Options, *, rng: Stream) -> tuple[int, ...]:
        """The numbers of the features to say, in order."""


def speak(speaker: Speaker, context: Context, *, rng: Stream, by: By = "label") -> Expression:
    """Return the expression that a speaker says of the target of a context.

    Args:
        speaker: who.
        context: the scenes shown together.
        rng: for speakers that leave things to chance.
        by: whether features contrast by recorded values or by the widest expressions for them.
    """
    there = options(context, by=by)
    return Description(tuple(there.features[number] for number in speaker.choose(there, rng=rng)))
