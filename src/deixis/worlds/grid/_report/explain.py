"""Examples in words: the misreading behind each distractor, the resolution of the target, and the plan of the agent."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from deixis.distractors.necessity import is_implied, necessity
from deixis.expression.parts import without
from deixis.resolution.reference import denotation, resolve
from deixis.worlds.grid.language import say_misreading
from deixis.worlds.grid.roles import KINDS, decode_misreading, misreading_of


if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deixis.distractors.planned_misreadings import PlannedMisreading
    from deixis.expression.parts import Part
    from deixis.language.utterance import Utterance
    from deixis.worlds.grid.actions import Plan
    from deixis.worlds.grid.navigate import Example
    from deixis.worlds.grid.roles import RoleKind


@dataclass(frozen=True, kw_only=True)
class DistractorSet:
    """One distractor set of an example.

    Attributes:
        kind: the kind of distractor.
        misreading: what the set punishes.
        words: the misreading in words that follow 'if you': "ignored 'inside of a blue box'".
        ends: the objects of the set at which that reader would end.
        helpers: its other objects, which make the misreading fit.
        elsewhere: objects of other sets at which that reader may end as well: competitors are shared.
    """

    kind: RoleKind
    misreading: PlannedMisreading
    words: str
    ends: tuple[int, ...]
    helpers: tuple[int, ...]
    elsewhere: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class IgnoredPart:
    """The objects that fit when one part is ignored.

    Attributes:
        part: the ignored part.
        words: what is said there; of a clause everything, its phrase included.
        wrong: the objects other than the target that then fit.
        keeps_target: whether the target still fits too.
        is_implied: whether the part only repeats what its clause has said.
    """

    part: Part
    words: str
    wrong: tuple[int, ...]
    keeps_target: bool
    is_implied: bool

    @property
    def is_punished(self) -> bool:
        """True if ignoring the part changes the referents."""
        return bool(self.wrong) or not self.keeps_target


def ignored_parts(example: Example) -> list[IgnoredPart]:
    """Return for each part of the command, in the order of the words, the objects that fit when it is ignored.

    This is worked out from the definition, not from the roles of the objects: one object may punish several.

    Raises:
        AmbiguousExpression: when the command does not fit the target alone.
    """
    utterance, context = example.utterance, example.context
    found = []
    for part in necessity(utterance.expression, context):
        fits = {where.object for where in resolve(without(utterance.expression, part), context).objects}
        found.append(
            IgnoredPart(
                part=part,
                words=utterance.words_of(part.address),
                wrong=tuple(sorted(fits - {example.target})),
                keeps_target=example.target in fits,
                is_implied=is_implied(part, utterance.expression, example.scene.schema),
            )
        )
    return sorted(found, key=lambda one: utterance.spans[one.part.address][0])


def distractor_sets(example: Example) -> list[DistractorSet]:
    """Return the distractor sets of an example in the order of their numbers.

    Raises:
        DeixisError: when the command cannot be read or a code is not that of a misreading.
    """
    sets: dict[int, list[int]] = {}
    for index, role in enumerate(example.roles):
        if role.has_misreading and role.number < len(example.misreadings):
            sets.setdefault(role.number, []).append(index)
    return [_trap(example, number, members) for number, members in sorted(sets.items())]


def _trap(example: Example, number: int, members: list[int]) -> DistractorSet:
    code = example.misreadings[number]
    misreading = decode_misreading(code, example.expression)
    reached = denotation(misreading.expression, example.scene, reading=example.scene.schema.reading) - {example.target}
    return DistractorSet(
        kind=KINDS[code >> 12],
        misreading=misreading,
        words=misreading_words(example.utterance, code),
        ends=tuple(index for index in members if index in reached),
        helpers=tuple(index for index in members if index not in reached),
        elsewhere=tuple(sorted(reached - set(members))),
    )


def misreading_words(utterance: Utterance, code: int) -> str:
    """Put the misreading of a code into words that follow 'if you': "ignored ‘inside of a blue box’"."""
    return say_misreading(misreading_of(code, utterance.expression), utterance)


def plan_words(plan: Plan) -> str:
    """Put a plan into words, with repetitions said once: 'turn right, then 3 times: walk, stay'."""
    pieces = []
    for unit, times in _repeats([action.words for action in plan]):
        words = ", ".join(_count_runs(unit))
        pieces.append(f"{times} times ({words})" if times > 1 and len(unit) > 1 else _times(words, times))
    return ", then ".join(pieces) if pieces else "nothing: the agent stands on the target already"


def _count_runs(words: Sequence[str]) -> list[str]:
    return [_times(word, len(list(run))) for word, run in groupby(words)]


def _times(words: str, times: int) -> str:
    return words if times == 1 else f"{words} {times} times"


def _repeats(words: Sequence[str], longest: int = 7) -> Iterable[tuple[Sequence[str], int]]:
    """Return the words as units that are said several times in a row, found from the left, the widest cover first."""
    at = 0
    while at < len(words):
        unit, times = max(((size, _count(words, at, size)) for size in range(1, longest + 1)), key=_cover)
        yield words[at : at + unit], times
        at += unit * times


def _count(words: Sequence[str], at: int, size: int) -> int:
    """How often in a row the words from `at` on repeat; 0 where there are not as many."""
    unit, times = words[at : at + size], 0
    while len(unit) == size and words[at + times * size : at + (times + 1) * size] == unit:
        times += 1
    return times


def _cover(found: tuple[int, int]) -> tuple[int, int]:
    size, times = found
    return (size * times if times > 1 or size == 1 else 0, -size)
