"""Distractor images: three of each kind of `misreadings`, none of which the expression fits.

Images are looked at in a random order that depends on the seed and the expression alone, and taken when the expression
cannot fit anything in them. That is resolved, not believed, in every way that `guard` knows: it stands in for the hand
check of the paper's test set.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from deixis.errors import SchemaError
from deixis.seeds import GOLDEN_WORD, derive, fold, mix_words
from deixis.worlds.photos._alike import merge_alike_relations, with_alternatives
from deixis.worlds.photos._guard import Guard
from deixis.worlds.photos._index import Pool, Pools, Requirements, requirements_of
from deixis.worlds.photos._misreadings import (
    DISTRACTOR_KINDS,
    DistractorKind,
    misreading_of,
    noun_alone,
    noun_with_attributes,
    nouns_as_related,
)
from deixis.worlds.photos.resolution.graphs import compile_for, counts_of, resolve_graph_pairs


if TYPE_CHECKING:
    from collections.abc import Sequence

    from deixis.distractors.planned_misreadings import PlannedMisreading
    from deixis.expression.description import Expression
    from deixis.expression.program import Program
    from deixis.worlds.photos._guard import Questions
    from deixis.worlds.photos._index import GraphIndex
    from deixis.worlds.photos.resolution.unknowns import Unknowns
    from deixis.worlds.photos.scene.graph_table import GraphTable


__all__ = ["Distractor", "Search", "SearchResult", "TargetExpression", "find_distractors"]

Attributes: TypeAlias = Literal["said", "annotated"]
SEED_NUMBERS = np.array([-1, 0, 1, 3, 4, -1, 6, 7, 8, 9, 2, 5], np.int16)  # by `Op`; data of every seed depend on them
ROUNDS = (4, 12, 60)  # images looked at in every round, of each kind; in a last round all that may be looked at
BATCH = 2_000  # expressions that are looked for together
HARDEST_FIRST: tuple[DistractorKind, ...] = ("Cat&attr", "Cat&cat", "Cat", "DiffCat")


class TargetExpression(NamedTuple):
    """An expression, the number of its scene, and the number of the target in it."""

    expression: Expression
    scene: int
    target: int


class Distractor(NamedTuple):
    """An image that is shown beside the right one.

    Attributes:
        kind: why it was looked for.
        scene: its number.
        object: the number of the object in it to which the misreading leads; -1 where there is none.
        misreading: what a reader has to miss to be led there.
    """

    kind: DistractorKind
    scene: int
    object: int = -1
    misreading: PlannedMisreading | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Settings of the search for distractor images.

    Attributes:
        each: how many of every kind; 3 in the paper.
        kinds: which kinds.
        attributes: whether an object of `Cat&attr` has the attributes that are said of the target, or all that the
            target is annotated with.
        may_repeat: whether one image may serve for two kinds, as it does in about a third of the released records.
        in_other_words: whether images are refused that the expression would fit in similar words, see `alike`.
        loose_sides: whether images are refused that the expression would fit with left and right as people see them.
        unknowns: if given, images are refused that the expression may fit, for all that is known. Where the truth is
            at hand, that is asked instead.
        most_looks: how many images of each kind are looked at before giving up.
    """

    each: int = 3
    kinds: tuple[DistractorKind, ...] = DISTRACTOR_KINDS
    attributes: Attributes = "said"
    may_repeat: bool = False
    in_other_words: bool = True
    loose_sides: bool = True
    unknowns: Unknowns | None = None
    most_looks: int = 500

    def __post_init__(self) -> None:
        if self.each < 1 or self.most_looks < self.each:
            raise SchemaError(f"cannot look for {self.each} images among {self.most_looks}")
        if strange := [kind for kind in self.kinds if kind not in DISTRACTOR_KINDS]:
            raise SchemaError(f"unknown kind {strange[0]!r}; known: {', '.join(DISTRACTOR_KINDS)}")
        if self.attributes not in ("said", "annotated"):
            raise SchemaError(f"attributes are those 'said' or those 'annotated', not {self.attributes!r}")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Search results for one expression.

    Attributes:
        distractors: in the order of the kinds, each in the order of finding.
        lacking: the kinds of which there were too few. The paper leaves such expressions out.
    """

    distractors: tuple[Distractor, ...]
    lacking: frozenset[DistractorKind]


def find_distractors(
    said: Sequence[TargetExpression],
    table: GraphTable,
    index: GraphIndex,
    search: Search | None = None,
    *,
    seed: int,
    among: np.ndarray | None = None,
    truth: GraphTable | None = None,
) -> list[SearchResult]:
    """Find distractor images for some expressions.

    The images of one expression do not depend on the others.

    Args:
        said: the expressions, each with its scene and target.
        table: the scenes.
        index: of the table.
        search: what to look for.
        seed: of the random order in which images are looked at.
        among: the numbers of the scenes that may be chosen, e.g. those of one split; all by default.
        truth: the same scenes as they are, where that is known.
    """
    search = search or Search()
    allowed = None
    if among is not None:
        allowed = np.zeros(len(table), np.bool_)
        allowed[among] = True
    hunt = _Hunt(
        table=table,
        pools=Pools(table, index, allowed),
        search=search,
        seed=derive(seed, "distractors"),
        blurred=merge_alike_relations(table) if search.in_other_words else None,
        guard=Guard(
            table=table,
            in_other_words=search.in_other_words,
            loose_sides=search.loose_sides,
            unknowns=search.unknowns,
            truth=truth,
        ),
    )
    batches = (said[start : start + BATCH] for start in range(0, len(said), BATCH))
    return [found for batch in batches for found in hunt.find(batch)]


@dataclass(eq=False)
class _Slot:
    """The search for images of one kind for one expression."""

    number: int  # of the expression
    kind: DistractorKind
    pool: Pool
    seed: int
    taken: list[tuple[int, int]] = field(default_factory=list)  # scene, place in the pool
    is_exhausted: bool = False


@dataclass(eq=False)
class _Hunt:
    """All that one call needs at hand."""

    table: GraphTable
    pools: Pools
    search: Search
    seed: int
    blurred: GraphTable | None
    guard: Guard
    programs: dict[Expression, Program] = field(default_factory=dict)

    def find(self, said: Sequence[TargetExpression]) -> list[SearchResult]:
        """Return the images for one batch of expressions."""
        words = self.table.vocabulary
        asked = [requirements_of(one.expression, words) for one in said]
        programs = [compile_for(one.expression, words) for one in said]
        tests = _Tests(
            self.guard.ask([one.expression for one in said]),
            [self.as_related(one.expression) for one in said],
            np.array([nouns_as_related(one.expression) is not None for one in said]),
        )
        slots = [slot for number in range(len(said)) for slot in self.slots(number, said, asked, programs)]
        used = [{one.scene} for one in said]
        first = 0
        for looks in (*(some for some in ROUNDS if some < self.search.most_looks), self.search.most_looks):
            self.look(first, looks, slots, asked, tests, used)
            first += looks
        return self.collect(said, slots)

    def slots(
        self, number: int, said: Sequence[TargetExpression], asked: Sequence[Requirements], programs: Sequence[Program]
    ) -> list[_Slot]:
        """Return the searches for one expression, those for the rarest images first."""
        one, what = said[number], asked[number]
        key = int.from_bytes(blake2b(_seed_bytes(programs[number]), digest_size=8).digest(), "little")
        start = fold((one.scene, one.target, key), self.seed)
        return [
            _Slot(number, kind, self.pool(kind, what, one), fold((place,), start))
            for place, kind in enumerate(HARDEST_FIRST)
            if kind in self.search.kinds
        ]

    def pool(self, kind: DistractorKind, what: Requirements, one: TargetExpression) -> Pool:
        match kind:
            case "Cat&attr":
                thing = int(self.table.scene_ptr[one.scene]) + one.target
                held = self.table.attr[self.table.attr_ptr[thing] : self.table.attr_ptr[thing + 1]]
                only_annotated = self.search.attributes == "annotated"
                return self.pools.with_attributes(what, tuple(held.tolist()), only_annotated=only_annotated)
            case "Cat&cat":
                return self.pools.with_categories(what)
            case "Cat":
                return self.pools.with_category(what)
            case _:
                return self.pools.everything()

    def look(
        self,
        first: int,
        looks: int,
        slots: Sequence[_Slot],
        asked: Sequence[Requirements],
        tests: _Tests,
        used: Sequence[set[int]],
    ) -> None:
        """Look at some more images for every search that has not found enough, and take what is clean."""
        open_slots = [slot for slot in slots if len(slot.taken) < self.search.each and not slot.is_exhausted]
        if not open_slots:
            return
        places = _places(open_slots, first, looks)
        counts = [len(some) for some in places]
        which = np.repeat([slot.number for slot in open_slots], counts)
        scenes = np.concatenate([slot.pool.scenes[some] for slot, some in zip(open_slots, places, strict=True)])
        kinds = np.repeat([DISTRACTOR_KINDS.index(slot.kind) for slot in open_slots], counts)
        names = np.array([what.name for what in asked], np.int64)[which]
        clean = (kinds != DISTRACTOR_KINDS.index("DiffCat")) | ~_have(self.pools.index, scenes, names)
        rest = np.flatnonzero(clean)
        for_relations = kinds[rest] == DISTRACTOR_KINDS.index("Cat&cat")
        clean[rest] = self.clean(tests, which[rest], scenes[rest], for_relations)
        ends = np.cumsum(counts)
        for slot, some, end, count in zip(open_slots, places, ends.tolist(), counts, strict=True):
            good = np.flatnonzero(clean[end - count : end])
            found = scenes[end - count : end][good].tolist()
            self.take(slot, found, some[good].tolist(), used[slot.number])

    def clean(self, tests: _Tests, which: np.ndarray, scenes: np.ndarray, for_relations: np.ndarray) -> np.ndarray:
        """Return whether an expression cannot fit anything in a scene, however it is put: bool [pair].

        Args:
            tests: what to resolve.
            which: int [pair], the number of the expression.
            scenes: int [pair].
            for_relations: bool [pair], whether the things that are mentioned must also not be related as it says.
        """
        is_clean = ~tests.asked.may_fit(which, scenes)
        rest = np.flatnonzero(is_clean & for_relations & tests.has_relations[which])
        masks = resolve_graph_pairs(tests.as_related, self.blurred or self.table, which[rest], scenes[rest])
        is_clean[rest] = counts_of(masks) == 0
        return is_clean

    def reword(self, expression: Expression) -> Expression:
        return with_alternatives(expression, self.table.vocabulary) if self.blurred else expression

    def as_related(self, expression: Expression) -> Program:
        """Return the program that finds the mentioned things related as the expression says."""
        related = nouns_as_related(expression)
        return self.program(noun_alone(expression) if related is None else self.reword(related))

    def take(self, slot: _Slot, scenes: list[int], places: list[int], used: set[int]) -> None:
        own = {scene for scene, _ in slot.taken}
        for scene, place in zip(scenes, places, strict=True):
            if len(slot.taken) == self.search.each:
                return
            if scene in own or (scene in used and not self.search.may_repeat):
                continue
            slot.taken.append((scene, place))
            own.add(scene)
            used.add(scene)

    def collect(self, said: Sequence[TargetExpression], slots: Sequence[_Slot]) -> list[SearchResult]:
        """What was found, with the object that each image tempts with."""
        tempting = self.tempting(said, slots)
        made: dict[tuple[int, DistractorKind, bool], PlannedMisreading | None] = {}
        found: list[dict[DistractorKind, list[Distractor]]] = [{} for _ in said]
        for slot in slots:
            found[slot.number][slot.kind] = kept = []
            for scene, place in slot.taken:
                number, kind, with_attributes = self.tempting_object(slot, scene, place, tempting)
                key = slot.number, kind, with_attributes
                if key not in made:
                    made[key] = misreading_of(kind, said[slot.number].expression, with_attributes=with_attributes)
                kept.append(Distractor(slot.kind, scene, number, made[key]))
        searched = []
        for kinds in found:
            ordered = [kind for kind in DISTRACTOR_KINDS if kind in kinds]
            lacking = frozenset(kind for kind in ordered if len(kinds[kind]) < self.search.each)
            searched.append(SearchResult(tuple(one for kind in ordered for one in kinds[kind]), lacking))
        return searched

    @staticmethod
    def tempting_object(
        slot: _Slot, scene: int, place: int, tempting: dict[tuple[int, int], _Tempting]
    ) -> tuple[int, DistractorKind, bool]:
        """Return the object that a misreading picks out, the kind of image, and whether it has the attributes."""
        if slot.kind == "DiffCat":
            return -1, slot.kind, False
        if slot.kind == "Cat&attr" and slot.pool.objects is not None:
            return int(slot.pool.objects[place]), slot.kind, True
        number, with_attributes = tempting[slot.number, scene]
        return number, slot.kind, with_attributes

    def tempting(self, said: Sequence[TargetExpression], slots: Sequence[_Slot]) -> dict[tuple[int, int], _Tempting]:
        """For every pair of expression and image the first object that a careless reader may take for the target."""
        pairs = [(slot.number, scene) for slot in slots if slot.kind != "DiffCat" for scene, _ in slot.taken]
        if not pairs:
            return {}
        which, scenes = np.array(pairs, np.int64).T
        nouns = [self.program(noun_alone(one.expression)) for one in said]
        phrases = [self.program(noun_with_attributes(one.expression)) for one in said]
        by_noun = _first_of(resolve_graph_pairs(nouns, self.table, which, scenes))
        by_phrase = _first_of(resolve_graph_pairs(phrases, self.table, which, scenes))
        best = np.where(by_phrase >= 0, by_phrase, by_noun)
        return {
            pair: _Tempting(number, has)
            for pair, number, has in zip(pairs, best.tolist(), (by_phrase >= 0).tolist(), strict=True)
        }

    def program(self, expression: Expression) -> Program:
        program = self.programs.get(expression)
        if program is None:
            program = self.programs[expression] = compile_for(expression, self.table.vocabulary)
        return program


class _Tests(NamedTuple):
    """For every expression what must pick out nothing: itself, and the bare relations it claims."""

    asked: Questions
    as_related: Sequence[Program]
    has_relations: np.ndarray


class _Tempting(NamedTuple):
    """An object of the category, and whether it has the attributes that are said."""

    number: int
    with_attributes: bool


def _places(slots: Sequence[_Slot], first: int, looks: int) -> list[np.ndarray]:
    """Where in its pool each search looks: everywhere where there are few images, else here and there, none twice."""
    seeds = np.array([slot.seed for slot in slots], np.uint64)
    sizes = np.array([len(slot.pool.scenes) for slot in slots])
    with np.errstate(over="ignore"):
        counter = np.arange(first + 1, first + looks + 1, dtype=np.uint64) * GOLDEN_WORD
        words = mix_words(counter[None, :] + seeds[:, None])  # [slot, look]
    drawn = (words % np.maximum(sizes, 1).astype(np.uint64)[:, None]).tolist()
    places = []
    for number, slot in enumerate(slots):
        size = int(sizes[number])
        if size <= looks:
            slot.is_exhausted = True
            places.append(np.argsort(words[number, :size], kind="stable"))
        else:
            places.append(np.array(list(dict.fromkeys(drawn[number])), np.int64))
    return places


def _have(index: GraphIndex, scenes: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Return whether each scene holds an object of the category of its own name, bool [pair]."""
    is_frequent = names < 64 * index.bits.shape[1]
    bits = np.where(is_frequent, names, 0)
    held = (index.bits[scenes, bits >> 6] >> (bits & 63).astype(np.uint64)) & np.uint64(1) != 0
    for place in np.flatnonzero(~is_frequent).tolist():
        held[place] = index.has(scenes[place : place + 1], int(names[place]))[0]
    return held


def _first_of(masks: np.ndarray) -> np.ndarray:
    """Return the first object of each set, int64 [pair], or -1 for empty sets."""
    word = np.argmax(masks != 0, axis=1)
    held = np.take_along_axis(masks, word[:, None], axis=1)[:, 0]
    with np.errstate(over="ignore"):
        lowest = np.bitwise_count((held & (~held + np.uint64(1))) - np.uint64(1)).astype(np.int64)
    return np.where(held != 0, 64 * word + lowest, -1)


def _seed_bytes(program: Program) -> bytes:
    """Return the bytes of a program from which its random draws follow, with the numbers that fixed them."""
    rows = program.rows.copy()
    rows[:, 0] = SEED_NUMBERS[rows[:, 0]]
    return rows.tobytes()
