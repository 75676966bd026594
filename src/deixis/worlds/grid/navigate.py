"""Navigation: an instruction in a grid world, answered by a plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from deixis._deprecation import deprecate
from deixis._numbers import ID_BITS
from deixis.distractors.necessity import necessity
from deixis.errors import SchemaError
from deixis.expression.patterns import pattern_of
from deixis.scene.scene import Context
from deixis.seeds import GOLDEN, fold, mix
from deixis.worlds.grid.actions import Manner, Verb
from deixis.worlds.grid.language import read
from deixis.worlds.grid.plan import plan as make_plan
from deixis.worlds.grid.roles import Role, decode_misreading


if TYPE_CHECKING:
    from deixis.distractors.planned_misreadings import PlannedMisreading
    from deixis.expression.description import Expression
    from deixis.expression.parts import Part
    from deixis.language.utterance import Instruction, Utterance
    from deixis.worlds.grid.actions import Plan
    from deixis.worlds.grid.scene import GridScene


__all__ = ["Example", "content_digest", "content_id", "id_of", "text_digest"]

_WORD = (1 << 64) - 1


@dataclass(frozen=True, kw_only=True)
class Example:
    """One instruction in one world, with its answer and the reason for every object.

    Attributes:
        text: the command, words separated by spaces.
        scene: the world, agent included.
        target: the object that is meant.
        plan: the actions that carry the instruction out.
        roles: why each object is there; empty where a file does not say.
        misreadings: the codes of the misreadings that the distractor sets punish, in the order of the sets.
        split: where it belongs, e.g. `train`, or `a1+a2` for an example of two held-out sets.
        command_number, world_number: which command of its recipe and which of its worlds; -1 where a file does not say.
        stored: what a dataset stores as the meaning of the text; None where only the text is known.
    """

    text: str
    scene: GridScene
    target: int
    plan: Plan
    roles: tuple[Role, ...] = ()
    misreadings: tuple[int, ...] = ()
    split: str = ""
    command_number: int = -1
    world_number: int = -1
    stored: Instruction | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.target < len(self.scene):
            raise SchemaError(f"the target is object {self.target}, but the world has {len(self.scene)} objects")
        if self.roles and len(self.roles) != len(self.scene):
            raise SchemaError(f"there are {len(self.roles)} roles for {len(self.scene)} objects")

    @cached_property
    def utterance(self) -> Utterance:
        """The text with its meaning, with adjectives in any order, as in gSCAN."""
        return read(self.text, any_order=True)

    @property
    def instruction(self) -> Instruction:
        """The meaning of the text, as stored beside it, or as it is read."""
        return self.stored or self.utterance.instruction

    @property
    def expression(self) -> Expression:
        """The expression that picks out the target."""
        return self.instruction.expression

    @property
    def verb(self) -> Verb:
        """The verb of the command."""
        if not self.instruction.verb:
            raise SchemaError(f"the text {self.text!r} names something but does not say what to do with it")
        return Verb(self.instruction.verb)

    @property
    def manner(self) -> Manner:
        """The manner of the command."""
        return Manner(self.instruction.manner)

    @property
    def pattern(self) -> str:
        """The name of the pattern of the command."""
        return pattern_of(self.expression).name

    @property
    def context(self) -> Context:
        """The world with its target."""
        return Context.of(self.scene, self.target)

    @property
    def answer(self) -> Plan:
        """The plan."""
        return self.plan

    @cached_property
    def id(self) -> int:
        """A number for the content: equal for two examples exactly when a reader could not tell them apart."""
        return id_of(self.digest)

    @cached_property
    def digest(self) -> int:
        """The content as 64 bits, of which the id is the upper part."""
        return content_digest(self.text, self.scene)

    def misreading_of(self, index: int) -> PlannedMisreading | None:
        """Return the misreading that an object punishes, if it was placed for one."""
        role = self.roles[index] if self.roles else Role("random")
        if not role.has_misreading or role.number >= len(self.misreadings):
            return None
        return decode_misreading(self.misreadings[role.number], self.expression)

    @deprecate("deixis.worlds.grid.navigate:Example.misreading_of", since="0.3.0", until="0.5.0")
    def relaxation_of(self, index: int) -> PlannedMisreading | None:
        """Return the misreading that an object punishes, if it was placed for one."""
        return self.misreading_of(index)

    def gold_plan(self) -> Plan:
        """Return the plan made anew from the world and the instruction."""
        return make_plan(self.scene, self.target, self.verb, self.manner)

    def necessity(self) -> dict[Part, bool]:
        """Return for each part of the expression whether the target cannot be found without it."""
        return necessity(self.expression, self.context)


def text_digest(text: str) -> int:
    """Return a 64-bit digest of the words of a command."""
    return fold(text.encode())


def id_of(digest: int) -> int:
    """Return the id of an example whose content has a digest of 64 bits."""
    return digest >> 64 - ID_BITS


def content_id(text: str, scene: GridScene) -> int:
    """Return the id of an example: a number of 53 bits for its content."""
    return id_of(content_digest(text, scene))


def content_digest(text: str, scene: GridScene) -> int:
    """Return the content of an example as a 64-bit number: the words, and the world in any order of its objects.

    Its part for the world is the plain twin of `worlds.grid._kernels.worlds.digest_world`.
    """
    total = 0
    for thing in scene.objects:
        packed = 0
        for code in thing.codes():
            packed = packed << 8 | code
        total = (total + mix((packed + GOLDEN) & _WORD)) & _WORD
    agent = scene.agent
    where = (agent.row, agent.column, int(agent.facing)) if agent else (255, 255, 255)
    world = fold((scene.size, *where), mix((total + GOLDEN) & _WORD))
    return fold((world,), text_digest(text))
