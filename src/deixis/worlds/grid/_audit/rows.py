"""The measures over a chunk of a grid table, in arrays, with the same counts as `audits._plain`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from deixis.audits._counting import Looks, Tally
from deixis.audits._sightings import Sightings
from deixis.audits.audit import CLAUSE, NO_COMMAND, NO_OBJECT, NO_WORLD, SHORTCUTS, SUFFICIENT
from deixis.audits.measures import ANOTHER, NOTHING, SEVERAL
from deixis.data._ragged import Ragged
from deixis.data._split_names import names_in_split
from deixis.seeds import mix_words
from deixis.worlds.grid._audit.features import GRID_FEATURES, compass
from deixis.worlds.grid._audit.questions import KINDS, PHRASES, QuestionTables
from deixis.worlds.grid._kernels.audit import EXCHANGED, FIRST_CLAUSE, NOUN, PHRASE, REACHED, read_carelessly
from deixis.worlds.grid._kernels.form import digest_forms
from deixis.worlds.grid.actions import Action, Verb
from deixis.worlds.grid.checks._registry import CHECKS
from deixis.worlds.grid.data.statistics import COMPASS
from deixis.worlds.grid.navigate import text_digest
from deixis.worlds.grid.roles import KINDS as ROLES
from deixis.worlds.grid.roles import SHIFT
from deixis.worlds.grid.scene import BOX, COLORS, GRID, SHAPES, SIZES


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.worlds.grid._audit.questions import Question, Questions
    from deixis.worlds.grid.checks._chunk import Chunk


ASIDE = "set aside"
NEEDED = ("none", "some", "all")
FLAGS = (False, True)
MENTIONED, FIRST_DISTRACTOR = ROLES.index("mentioned"), ROLES.index("relation")


class ChunkAudit:
    """The audit of one chunk.

    Shapes (of what is said about rows below): [row] goes over `rows`, the rows that are judged.
    """

    def __init__(self, chunk: Chunk, questions: Questions) -> None:
        self.chunk = chunk
        self.tally = Tally()
        self.aside = np.array([name == "aside" for name in chunk.split_names], bool)[chunk.split]
        self.rows = np.flatnonzero(chunk.points & ~self.aside)
        judged = np.bincount(chunk.which[self.rows], minlength=len(chunk.commands)) > 0
        asked = [
            questions[c.expression] if is_judged else None for c, is_judged in zip(chunk.commands, judged, strict=True)
        ]
        different = dict.fromkeys(question for question in asked if question is not None)
        self.questions: tuple[Question, ...] = tuple(different)
        numbers = {question: number for number, question in enumerate(self.questions)}
        self.question_of_command = np.array([-1 if one is None else numbers[one] for one in asked], np.int64)
        self.which = self.question_of_command[chunk.which[self.rows]]  # [row], numbers of questions
        self.tables = QuestionTables.of(self.questions)
        self.bit = chunk.target_bit[self.rows]

    def count(self) -> Tally:
        """Return everything that can be counted within the chunk."""
        self._count_unjudged()
        self._count_held_out()
        if len(self.rows):
            self._count_parts()
            self._count_shortcuts()
            self._count_chance()
            self._count_features()
            self._count_children()
            self._count_determiners()
            self._count_verbs()
        return self.tally

    # ---------------------------------------------------------------------------- columns of the judged rows

    @cached_property
    def pattern(self) -> tuple[np.ndarray, tuple[str, ...]]:
        """The pattern of every row, as numbers and names."""
        names = tuple(dict.fromkeys(question.pattern for question in self.questions))
        codes = np.array([names.index(question.pattern) for question in self.questions], np.int64)
        return codes[self.which], names

    @cached_property
    def length(self) -> np.ndarray:
        """int64 [row]: words of the command."""
        lengths = [len(command.text.split()) for command in self.chunk.commands]
        return self.chunk.of_command(lengths, np.int64)[self.rows]

    @cached_property
    def parts(self) -> Ragged:
        """The parts of every row: int64 [part, 4], see `Question.parts`."""
        return self.tables.parts.take(self.which)

    @property
    def left(self) -> np.ndarray:
        """uint64 [part]: what is picked out without each part."""
        return self._resolved[0]

    @property
    def found(self) -> np.ndarray:
        """uint64 [row, 5]: see `worlds.grid._kernels.audit.read_carelessly`."""
        return self._resolved[1]

    @cached_property
    def _resolved(self) -> tuple[np.ndarray, np.ndarray]:
        chunk, tables = self.chunk, self.tables
        without, found = np.zeros(len(self.parts.values), np.uint64), np.zeros((len(self.rows), 5), np.uint64)
        parts = np.ascontiguousarray(tables.parts.values[:, :2])
        asked = tables.mentions.values, tables.mentions.start, parts, tables.parts.start
        for size in np.unique(chunk.size[self.rows]):
            some = np.flatnonzero(chunk.size[self.rows] == size)
            rows = self.rows[some]
            picked = np.zeros((len(some), 5), np.uint64)
            worlds = chunk.objects[rows], chunk.count[rows], int(size)
            read_carelessly(*worlds, *asked, self.which[some], without, self.parts.start[some], picked)
            found[some] = picked
        return without, found

    @cached_property
    def is_needed(self) -> np.ndarray:
        """bool [part]: dropping it changes what is picked out."""
        found: np.ndarray = self.left != self.bit[self.parts.row]
        return found

    @cached_property
    def is_word(self) -> np.ndarray:
        """bool [part]: it is a content word."""
        found: np.ndarray = self.parts.values[:, 3] < KINDS.index(CLAUSE)
        return found

    @property
    def is_clause(self) -> np.ndarray:
        """bool [part]: it is a clause."""
        found: np.ndarray = self.parts.values[:, 3] == KINDS.index(CLAUSE)
        return found

    def _of_questions(self, tables: list[np.ndarray]) -> Ragged:
        """Return one table per question, spread over the rows."""
        return Ragged.of_lists(tables).take(self.which)

    def _of_question(self, values: Sequence[int]) -> np.ndarray:
        """Return one number per question, spread over the rows."""
        return np.array(values, np.int64)[self.which]

    def _per_row(self, parts: np.ndarray) -> np.ndarray:
        """Return int64 [row]: how many of its parts are marked."""
        return np.bincount(self.parts.row[parts], minlength=len(self.rows))

    # ---------------------------------------------------------------------------- what is counted

    def _count_unjudged(self) -> None:
        chunk = self.chunk
        self.tally.examples = len(chunk)
        for number, count in enumerate(np.bincount(chunk.split, minlength=len(chunk.split_names)).tolist()):
            for name in names_in_split(chunk.split_names[number]):
                self.tally.add("splits", name, count=count)
        rest = np.ones(len(chunk), bool)
        fitting = np.bitwise_count(chunk.referents)
        reasons = (
            (ASIDE, self.aside),
            (NO_WORLD, ~chunk.is_sound),
            (NO_COMMAND, ~chunk.is_read),
            (NO_OBJECT, ~chunk.has_target),
            (NOTHING, fitting == 0),
            (SEVERAL, fitting > 1),
            (ANOTHER, ~chunk.points),
        )
        for reason, holds in reasons:
            self.tally.add("unjudged", reason, count=int((rest & holds).sum()))
            rest &= ~holds

    def _count_held_out(self) -> None:
        if not self.chunk.rules:
            return
        hits = CHECKS["E403"].find(self.chunk)
        for row in hits.places.tolist():
            for rule in hits.detail(row).split(", "):
                self.tally.add("held_out", rule, self.chunk.split_of(row))

    def _count_parts(self) -> None:
        code, names = self.pattern
        parts, needed = self.parts, self.is_needed
        columns = ((code[parts.row], names), (parts.values[:, 2], PHRASES), (parts.values[:, 3], KINDS))
        wrong = np.bitwise_count(self.left & ~self.bit[parts.row])
        self.tally.add_columns("parts", *columns, (needed, FLAGS))
        self.tally.add_columns("competitors", *columns, (np.minimum(wrong, 4), None))
        words, clauses = self._per_row(self.is_word), self._per_row(self.is_clause)
        words_needed, clauses_needed = self._per_row(self.is_word & needed), self._per_row(self.is_clause & needed)
        self.tally.add_columns("words", (code, names), (words_needed, None), (words, None))
        self.tally.add_columns(
            "wholes", (code, names), (words_needed == words, FLAGS), (clauses_needed == clauses, FLAGS)
        )
        counted = np.flatnonzero(self.is_word | self.is_clause)
        row = parts.row[counted]
        hit = self.left[counted] & self.bit[row] != 0
        fitting = np.where(hit, np.bitwise_count(self.left[counted]), 0)
        self.tally.add_columns("overlooked", (code[row], names), ((words + clauses)[row], None), (fitting, None))
        colour = self._of_question([question.colour_part for question in self.questions])
        noun = self._of_question([question.noun_part for question in self.questions])
        both = np.flatnonzero((colour >= 0) & (noun >= 0))
        colour_suffices, noun_suffices = (~needed[parts.start[both] + part[both]] for part in (noun, colour))
        self.tally.add_columns("sufficient", (code[both], names), (colour_suffices + 2 * noun_suffices, SUFFICIENT))
        clause = self._of_questions([question.relations for question in self.questions])
        relations = tuple(relation.name for relation in GRID.relations)
        self.tally.add_columns("relations", (code[clause.row], names), (clause.values, relations))

    def _count_shortcuts(self) -> None:
        code, names = self.pattern
        solved = self.found == self.bit[:, None]
        solved[:, EXCHANGED] = self.found[:, EXCHANGED] & ~self.bit == 0
        several = self._of_question([question.has_several_clauses for question in self.questions]) == 1
        for name, column in zip(SHORTCUTS, (NOUN, PHRASE, FIRST_CLAUSE, EXCHANGED), strict=True):
            rows = several if column == FIRST_CLAUSE else np.ones(len(self.rows), bool)
            label = (np.zeros(rows.sum()), (name,))
            self.tally.add_columns("shortcuts", (code[rows], names), label, (solved[rows, column], FLAGS))
        reached = np.bitwise_count(self.found[:, REACHED] & ~self.bit)
        objects = self.chunk.count[self.rows]
        self.tally.add_columns("reached", (code, names), (reached, None), (objects, None))

    def _count_chance(self) -> None:
        code, names = self.pattern
        same = np.bitwise_count(self.found[:, NOUN])
        columns = (code, names), (self.length, None)
        self.tally.add_columns("lengths", *columns)
        self.tally.add_columns("chance", *columns, (self.chunk.count[self.rows], None))
        self.tally.add_columns("namesakes", *columns, (same, None))

    # ---------------------------------------------------------------------------- what there is to see

    @cached_property
    def looks(self) -> Looks:
        """The visible features of the judged rows, in the order of `GRID_FEATURES`."""
        chunk = self.chunk
        things = chunk.codes.take(self.rows)
        place = things.values[:, 3:].astype(np.int64) - chunk.agent[self.rows][things.row, :2]
        distance = np.minimum(np.abs(place).sum(axis=1), 255)
        direction = compass(place[:, 0], place[:, 1])
        codes = np.concatenate([things.values, distance[:, None], direction[:, None]], axis=1).astype(np.uint8)
        return Looks(mix_words(chunk.digest[self.rows]), codes, things.start, chunk.target[self.rows])

    @cached_property
    def sightings(self) -> Sightings:
        """The keys that identify the judged rows."""
        chunk = self.chunk
        world = np.empty(len(self.rows), np.uint64)
        counts = chunk.count[self.rows].astype(np.uint8)
        digest_forms(chunk.objects[self.rows], counts, chunk.size[self.rows], world)
        commands = [
            text_digest(f"{c.verb} {self.questions[n].digest} {c.manner}") if n >= 0 else 0
            for c, n in zip(chunk.commands, self.question_of_command.tolist(), strict=True)
        ]
        command = chunk.of_command(commands, np.uint64)[self.rows]
        return Sightings(chunk.digest[self.rows], world, command, chunk.split[self.rows], chunk.split_names)

    def _count_features(self) -> None:
        looks = self.looks
        codes = looks.codes.astype(np.int64)
        is_target = np.zeros(len(codes), bool)
        is_target[looks.start[:-1] + looks.target] = True
        numbers = tuple(str(number) for number in range(256))
        values = {"shape": SHAPES, "color": COLORS, "size": ("0", *SIZES), "distance": numbers, "direction": COMPASS}
        for number, name in enumerate(GRID_FEATURES):
            if name in values:
                column = (np.zeros(len(codes)), (name,))
                self.tally.add_columns("features", column, (codes[:, number], values[name]), (is_target, FLAGS))
        thing = (codes[:, 0] == BOX, ("solid", "box"))
        self.tally.add_columns("cells", thing, (codes[:, 3], None), (codes[:, 4], None), (is_target, FLAGS))

    @cached_property
    def roles(self) -> Ragged:
        """The recorded roles, int64 [role], none for a row that does not have one for every object."""
        recorded = self.chunk.role.take(self.rows)
        fits = recorded.length == self.chunk.count[self.rows]
        kept = np.repeat(fits, recorded.length)
        return Ragged.of_lengths(recorded.values[kept].astype(np.int64), np.where(fits, recorded.length, 0))

    def _count_children(self) -> None:
        roles = self.roles
        mention = roles.values & (1 << SHIFT) - 1
        relations = [question.relations for question in self.questions]
        clauses = np.array([len(relation) for relation in relations], np.int64)[self.which]
        said = np.flatnonzero((roles.values >> SHIFT == MENTIONED) & (mention > 0) & (mention <= clauses[roles.row]))
        row, place = roles.row[said], roles.place[said]
        start = np.cumsum([0, *(len(relation) for relation in relations)])
        relation = np.concatenate(relations)[start[self.which[row]] + mention[said] - 1]
        things = self.chunk.objects[self.rows[row], place]
        names = tuple(known.name for known in GRID.relations)
        self.tally.add_columns("children", (relation, names), (things[:, 3], None), (things[:, 4], None))

    def _count_determiners(self) -> None:
        code, names = self.pattern
        words = tuple(dict.fromkeys(word for c in self.chunk.commands if c.is_read for word in c.determiners))
        spoken = [
            np.array([words.index(word) for word in c.determiners] if c.is_read else [], np.int64)
            for c in self.chunk.commands
        ]
        said = Ragged.of_lists(spoken).take(self.chunk.which[self.rows])
        at = said.start[self.parts.row] + self.parts.values[:, 0]  # the mention that each part belongs to
        total = np.bincount(at[self.is_word], minlength=len(said.values))
        needed = np.bincount(at[self.is_word & self.is_needed], minlength=len(said.values))
        status = np.where(needed == 0, 0, np.where(needed < total, 1, 2))
        column = (said.values, words)
        self.tally.add_columns("determiners", (code[said.row], names), (said.place, None), column, (status, NEEDED))
        kinds, known = self._distractor_kinds()
        others = np.flatnonzero((said.place > 0) & (self.roles.length > 0)[said.row])
        self.tally.add_columns("determiner_kinds", (said.values[others], words), (kinds[said.row[others]], known))

    def _distractor_kinds(self) -> tuple[np.ndarray, tuple[str, ...]]:
        """Which kinds of distractors each row has: a number for each row, and the kinds that each number stands for."""
        kinds = ROLES[FIRST_DISTRACTOR:]
        kind = (self.roles.values >> SHIFT) - FIRST_DISTRACTOR
        present = np.zeros(len(self.rows), np.int64)
        for number in range(len(kinds)):
            present |= (np.bincount(self.roles.row[kind == number], minlength=len(present)) > 0).astype(
                np.int64
            ) << number
        names = tuple(
            "+".join(name for number, name in enumerate(kinds) if code >> number & 1) or "none"
            for code in range(1 << len(kinds))
        )
        return present, names

    def _count_verbs(self) -> None:
        chunk = self.chunk
        efforts = (chunk.plan.values == Action.PUSH) | (chunk.plan.values == Action.PULL)
        moves = np.bincount(chunk.plan.row[efforts], minlength=len(chunk)) > 0
        verbs = (Verb.PUSH, Verb.PULL)
        code = [verbs.index(c.verb) if c.is_read and c.verb in verbs else -1 for c in chunk.commands]
        verb = chunk.of_command(code, np.int64)[self.rows]
        asked = verb >= 0
        names = tuple(str(one) for one in verbs)
        self.tally.add_columns("verbs", (verb[asked], names), (moves[self.rows][asked], FLAGS))
