"""The judgement on a text on a board: its referents, their necessity, misreadings and plan.

Anything may be typed here, so the work is metered: a board counts the questions that it is asked, and refuses to go on
after so many. An honest expression needs a few ten thousand; one that was made to be hard to match could need years.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from deixis.distractors.necessity import is_implied
from deixis.errors import DeixisError, ParseError, SchemaError
from deixis.expression.parts import parts, without
from deixis.expression.steps import Related
from deixis.language._fits import describe_fits
from deixis.language._misreadings import join_misreadings
from deixis.language.suggestions import suggest_edits
from deixis.language.tolerant import read_tolerantly
from deixis.language.utterance import Instruction
from deixis.resolution.reference import resolve
from deixis.worlds.grid._pictures.animate import MAX_ACTIONS
from deixis.worlds.grid._report.explain import plan_words
from deixis.worlds.grid.actions import Manner, Verb
from deixis.worlds.grid.draw import Marks, path_of
from deixis.worlds.grid.language import LANGUAGE, WORDS, explain, grounded_determiners, read_typed, realise
from deixis.worlds.grid.plan import plan as make_plan


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.expression.parts import Address, Part
    from deixis.language.explain import Explanation
    from deixis.language.suggestions import Suggestion
    from deixis.language.tolerant import TolerantReading
    from deixis.language.utterance import Utterance
    from deixis.scene.scene import Point
    from deixis.schema import Schema
    from deixis.worlds.grid.actions import Plan
    from deixis.worlds.grid.scene import GridScene


MAX_LETTERS = 4000
MAX_MENTIONS = 12  # as for the compiled resolver; ReaSCAN has four at most
MAX_QUESTIONS = 300_000  # well under a second; examples of the datasets need up to 20,000
CLASSES = {"shape": "noun", "color": "color", "size": "size"}  # as the style sheet calls them


class TooMuchWork(DeixisError):
    """Raised for an expression and a board for which all ways to match words and objects cannot be tried."""


class _MeteredScene:
    """A grid scene that remembers its answers and counts the questions."""

    def __init__(self, scene: GridScene) -> None:
        self.schema: Schema = scene.schema
        self._scene = scene
        self._asked = 0
        self._values: dict[tuple[int, str], frozenset[str]] = {}
        self._related: dict[tuple[str, int, int], bool] = {}

    def __len__(self) -> int:
        return len(self._scene)

    def values(self, index: int, attribute: str) -> frozenset[str]:
        self._count()
        key = index, attribute
        if key not in self._values:
            self._values[key] = self._scene.values(index, attribute)
        return self._values[key]

    def related(self, relation: str, index: int, other: int) -> bool:
        self._count()
        key = relation, index, other
        if key not in self._related:
            self._related[key] = self._scene.related(relation, index, other)
        return self._related[key]

    def position(self, index: int) -> Point:
        self._count()
        return self._scene.position(index)

    def _count(self) -> None:
        self._asked += 1
        if self._asked > MAX_QUESTIONS:
            raise TooMuchWork(
                "this can be read, but there are too many ways to match its words and the objects; "
                "take away a clause or some objects"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Necessity:
    """The referents when a part is left out.

    Attributes:
        words: the words of the part.
        kind: `noun`, `color`, `size` or `clause`.
        is_necessary: whether what is picked out changes.
        is_implied: whether the part only repeats what its clause has said.
        fits: what is picked out without it.
        shorter: the text without it; empty where the language cannot say that.
    """

    words: str
    kind: str
    is_necessary: bool
    is_implied: bool
    fits: tuple[int, ...]
    shorter: str


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The judgement on a text on a board.

    Attributes:
        scene: the board.
        text: what was typed.
        utterance: what it means; None where it cannot be read.
        error: why it cannot be read.
        explanation: how it is resolved; None where it cannot be read or worked out.
        refusal: why it cannot be worked out although it can be read.
        necessities: for every part, in the order of the words; empty unless exactly one object fits.
        wording: the text with the determiners that the board asks for; empty where they are as said.
        plan: the actions, where there is something to do, someone to do it and one object to do it with.
        reading: what was changed to read the text, where it was read tolerantly.
        slip: why the text as it was typed cannot be read, where it was read tolerantly.
    """

    scene: GridScene
    text: str
    utterance: Utterance | None = None
    error: ParseError | None = None
    explanation: Explanation | None = None
    refusal: str = ""
    necessities: tuple[Necessity, ...] = ()
    wording: str = ""
    plan: Plan | None = None
    reading: TolerantReading | None = None
    slip: ParseError | None = None

    @property
    def is_blank(self) -> bool:
        """True if nothing was typed."""
        return not self.text.strip(" ,\t\n")

    @property
    def is_begun(self) -> bool:
        """True if the text is incomplete but readable: it ends too early, or within a word that fits."""
        if self.error is None or self.is_blank:
            return False
        is_last = self.error.position >= len(self.error.text.split())
        return is_last and any(words.startswith(self.error.word) for words in self.error.expected)

    @property
    def suggestion(self) -> str:
        """A text that may have been meant, or empty where this one can be read, or read on."""
        return "" if self.error is None or self.is_begun else self.error.suggestion

    @cached_property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """The edits after which one object is picked out, where several are or none."""
        if self.utterance is None or self.explanation is None or self.explanation.is_unique:
            return ()
        try:
            return suggest_edits(self.utterance, _MeteredScene(self.scene), language=LANGUAGE)
        except TooMuchWork:
            return ()

    @property
    def referents(self) -> tuple[int, ...]:
        """The objects that fit."""
        return self.explanation.referents if self.explanation else ()

    @property
    def target(self) -> int | None:
        """The one object that fits, if there is exactly one."""
        return self.explanation.target if self.explanation else None

    @property
    def tone(self) -> str:
        """Tone of the verdict: good, fair or bad."""
        return (
            "good"
            if self.target is not None
            else "bad"
            if self.error and not (self.is_blank or self.is_begun)
            else "fair"
        )

    @property
    def headline(self) -> str:
        """The verdict in a few words."""
        if self.is_blank:
            return "Say which object you mean"
        if self.error:
            return "Incomplete" if self.is_begun else f"Cannot be read: ‘{self.error.word}’ does not fit here"
        if self.refusal:
            return "Too much to work out"
        return describe_fits(len(self.referents))

    @property
    def details(self) -> str:
        """Details below the headline."""
        if self.is_blank:
            return "Type a noun phrase or a command, or choose words below the field."
        if self.error:
            wanted = _alternatives(self.error.expected)
            if self.suggestion:
                return f"Did you mean ‘{self.suggestion}’?"
            return f"Expected here: {wanted}." if wanted else "Nothing is expected here."
        if self.explanation is None:
            return self.refusal
        match len(self.referents):
            case 0:
                return self.explanation.verdict
            case 1:
                return ""
            case _ if self.suggestions:
                return ""
            case _:
                return "Add a word that rules out the others, or edit the board."

    @property
    def why_no_plan(self) -> str:
        """The reason why there is no plan."""
        if self.utterance is None or self.explanation is None:
            return ""
        if not self.utterance.instruction.verb:
            return "Nothing is to be done: begin with ‘walk to’, ‘push’ or ‘pull’."
        if self.scene.agent is None:
            return "There is nobody to do it: add the agent."
        return "" if self.target is not None else "There is no plan unless exactly one object fits."

    @property
    def can_be_watched(self) -> bool:
        """True if there is a plan, and one that is not too long for a moving picture."""
        return self.plan is not None and len(self.plan) <= MAX_ACTIONS

    @property
    def plan_words(self) -> str:
        """The plan in words."""
        return plan_words(self.plan) if self.plan is not None else ""

    @cached_property
    def marks(self) -> Marks:
        """The marks for a picture of the board."""
        way = path_of(self.scene, self.plan) if self.plan else None
        return Marks(target=self.target, path=way.path if way else None, pushed=way.pushed if way else ())

    def about(self, index: int) -> str:
        """Say why an object is the target, or is not."""
        if self.explanation is None:
            return ""
        if index in self.referents:
            return "This is the target." if self.target is not None else "This is one of those that fit."
        told = self.explanation.slightest_to(index)
        steps = self.explanation.mentions[-1].steps
        lost = next((step.words for step in steps if index in step.before and index not in step.after), "")
        ruled_out = f"Ruled out by ‘{lost}’." if lost else "Ruled out because mentions must be different objects."
        if not told:
            return f"{ruled_out} No misreading leads here." if self.target is not None else ruled_out
        return f"{ruled_out} You would end here if you {join_misreadings(told)}."


def class_of(part: Part) -> str:
    """Return the style sheet's class of a part."""
    return "clause" if isinstance(part.step, Related) else CLASSES[part.attribute or "shape"]


def judge(scene: GridScene, text: str, *, is_tolerant: bool = False) -> Judgement:
    """Judge a text on a board.

    Args:
        scene: the board.
        text: what was typed.
        is_tolerant: whether a text with slips is read as what was meant; not while its last word is being typed.

    Raises:
        SchemaError: when the text is longer than anyone types.
    """
    if len(text) > MAX_LETTERS:
        raise SchemaError(f"a text of the playground has at most {MAX_LETTERS:,} characters, got {len(text):,}")
    try:
        utterance = _read(text)
    except ParseError as error:
        strict = Judgement(scene=scene, text=text, error=error)
        if not is_tolerant or strict.is_blank or strict.is_begun:
            return strict
        try:
            reading = read_tolerantly(text, _read, words=WORDS)
        except ParseError as later:
            return Judgement(scene=scene, text=text, error=later)
        return replace(judge(scene, reading.utterance.text), text=text, reading=reading, slip=error)
    mentions = sum(1 for _ in utterance.expression.mentions())
    if mentions > MAX_MENTIONS:
        refusal = f"this can be read, but it has {mentions} noun phrases; at most {MAX_MENTIONS} are worked out here"
        return Judgement(scene=scene, text=text, utterance=utterance, refusal=refusal)
    metered = _MeteredScene(scene)
    try:
        explanation = explain(utterance, metered)
        necessities = tuple(_necessities(utterance, metered)) if explanation.is_unique else ()
        wording = _wording(utterance, metered)
    except TooMuchWork as error:
        return Judgement(scene=scene, text=text, utterance=utterance, refusal=str(error))
    return Judgement(
        scene=scene,
        text=text,
        utterance=utterance,
        explanation=explanation,
        necessities=necessities,
        wording=wording,
        plan=_plan(scene, utterance, explanation.target),
    )


def _alternatives(expected: tuple[str, ...]) -> str:
    return ", ".join(words.strip("<>") if words.startswith("<") else f"‘{words}’" for words in expected)


def _read(text: str) -> Utterance:
    """The text with its meaning; adjectives may stand in any order, but are expected in the usual one."""
    try:
        return read_typed(text)
    except ParseError as error:
        try:
            return read_typed(text, any_order=True)
        except ParseError:
            raise error from None


def _plan(scene: GridScene, utterance: Utterance, target: int | None) -> Plan | None:
    instruction = utterance.instruction
    if target is None or scene.agent is None or not instruction.verb:
        return None
    return make_plan(scene, target, Verb(instruction.verb), Manner(instruction.manner))


def _necessities(utterance: Utterance, scene: _MeteredScene) -> Iterator[Necessity]:
    whole = resolve(utterance.expression, scene).objects
    ordered = sorted(parts(utterance.expression), key=lambda part: utterance.spans[part.address])
    for part in ordered:
        left = resolve(without(utterance.expression, part), scene)
        yield Necessity(
            words=utterance.words_of(part.address),
            kind=class_of(part),
            is_necessary=left.objects != whole,
            is_implied=is_implied(part, utterance.expression, scene.schema),
            fits=tuple(sorted(left.indices)),
            shorter=_without(utterance, part),
        )


def _without(utterance: Utterance, part: Part) -> str:
    """The text without a part; determiners of what is left out go with it."""
    said = utterance.instruction
    kept = [
        determiner
        for address, determiner in zip(_mentions(utterance), utterance.determiners, strict=True)
        if address[: len(part.address)] != part.address
    ]
    shorter = Instruction(said.verb, without(said.expression, part), said.manner)
    try:
        return realise(shorter, determiners=kept).text
    except DeixisError:
        return ""


def _mentions(utterance: Utterance) -> list[Address]:
    """Return the addresses of the mentions in the order of the words."""
    found = [(span, address[:-1]) for address, span in utterance.spans.items() if address[-1] == -1]
    return [address for _, address in sorted(found)]


def _wording(utterance: Utterance, scene: _MeteredScene) -> str:
    grounded = grounded_determiners(utterance.expression, scene)
    return "" if grounded == utterance.determiners else realise(utterance.instruction, determiners=grounded).text
