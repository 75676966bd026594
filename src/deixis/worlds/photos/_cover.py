"""The search for images that serve every want of an expression, at most twelve, among those of a corpus.

    found = find_covers(said, corpus, seed=7, among=scenes)

Each result holds the images to show, or says which wants nothing serves. Images are looked at in a random order that
depends on the seed and the expression alone; only those in which the expression fits nothing are taken (`Guard`). Of
these the one that serves most of what is left is taken first, beginning with the mirror image of the own scene, if that
is clean: it has every word in it, and exchanges left and right.

With the own mirror image the mirror images of the others are shown, too, where they are clean. Otherwise a reader would
find the right image by its having a mirror image beside it. Without it no other image is shown together with its mirror
image, unless both are needed. Otherwise the right image would be the one that is least like the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from deixis.errors import SchemaError
from deixis.expression.steps import Is, Related
from deixis.seeds import GOLDEN_WORD, derive, fold, mix_words
from deixis.worlds.photos._misreadings import noun_alone
from deixis.worlds.photos._wants import Want, find_tempted_pairs, nouns_suffice, wants_of
from deixis.worlds.photos.resolution.graphs import counts_of
from deixis.worlds.photos.scene.vocabulary import NAME


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deixis.expression.description import Description, Expression
    from deixis.worlds.photos._guard import Guard, Questions
    from deixis.worlds.photos._index import GraphIndex
    from deixis.worlds.photos._wants import Plausible
    from deixis.worlds.photos.distractors import TargetExpression
    from deixis.worlds.photos.scene.graph_table import GraphTable


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverSearch:
    """Settings of the search.

    Attributes:
        most: how many images are shown beside the right one at most.
        looks: how many images are looked at for each want.
        kept: how many of those that serve a want are kept to choose from.
    """

    most: int = 12
    looks: int = 300
    kept: int = 8

    def __post_init__(self) -> None:
        if min(self.most, self.looks, self.kept) < 1:
            raise SchemaError("at least one image is looked at, kept and shown")


class ServingImage(NamedTuple):
    """An image that is shown beside the right one.

    Attributes:
        scene: its number.
        object: a thing in it to which the first of the wants leads; -1 where it serves none.
        wants: what it serves.
    """

    scene: int
    object: int
    wants: tuple[Want, ...]


class Cover(NamedTuple):
    """Search result for one expression.

    Attributes:
        wants: all that is asked for.
        images: those to show, empty where a want is not served.
        unserved: the wants that nothing serves, not even the own image.
        served_at_home: how many wants the own image serves.
    """

    wants: tuple[Want, ...]
    images: tuple[ServingImage, ...]
    unserved: tuple[Want, ...]
    served_at_home: frozenset[str]


class _Draft(NamedTuple):
    """What is chosen for one expression: images that are needed, spare ones that are clean, too."""

    wants: tuple[Want, ...]
    unserved: tuple[Want, ...]
    home: frozenset[str]
    chosen: Sequence[int] = ()
    spare: Sequence[int] = ()
    has_mirror: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class CoverFinder:
    """The corpus that is searched.

    Attributes:
        mirror_of: the number of the mirror image of a scene.
        is_allowed: bool [scene], those that may be shown.
    """

    table: GraphTable
    index: GraphIndex
    guard: Guard
    plausible: Plausible
    mirror_of: Callable[[int], int]
    is_allowed: np.ndarray
    search: CoverSearch = field(default_factory=CoverSearch)
    seed: int = 0
    _pools: dict[object, np.ndarray] = field(default_factory=dict, repr=False)

    def find(self, said: Sequence[TargetExpression]) -> list[Cover]:
        """Return the images for some expressions, which do not depend on each other."""
        wants = [wants_of(one.expression, self.plausible) for one in said]
        flat = [want for some in wants for want in some]
        owner = np.repeat(np.arange(len(said)), [len(some) for some in wants])
        if not flat:
            return []
        scenes = np.array([one.scene for one in said], np.int64)
        targets = np.array([one.target for one in said], np.int64)
        questions = self.guard.ask([one.expression for one in said])
        every = np.arange(len(flat))
        at_home = counts_of(find_tempted_pairs(flat, self.table, every, scenes[owner], targets[owner])) > 0
        mirrors = np.array([self.mirror_of(scene) for scene in scenes.tolist()], np.int64)
        is_clean = ~questions.may_fit(np.arange(len(said)), mirrors)
        in_mirror = counts_of(find_tempted_pairs(flat, self.table, every, mirrors[owner])) > 0
        is_open = ~at_home & ~(in_mirror & is_clean[owner])
        serving = self._look(said, flat, owner, is_open, questions)
        places = np.split(every, np.cumsum([len(some) for some in wants])[:-1])
        drafts = [
            self._choose(one, wants[number], places[number], at_home, is_open, serving, is_clean[number])
            for number, one in enumerate(said)
        ]
        return self._complete(said, drafts, questions)

    def _look(
        self,
        said: Sequence[TargetExpression],
        flat: Sequence[Want],
        owner: np.ndarray,
        is_open: np.ndarray,
        questions: Questions,
    ) -> dict[int, list[int]]:
        """Return for each want that is open some clean images that serve it; what lacks one is given up at once."""
        serving: dict[int, list[int]] = {}
        lost: set[int] = set()
        rounds: list[list[int]] = []
        for number in range(len(said)):
            mine: list[int] = np.flatnonzero((owner == number) & is_open).tolist()
            sizes = {k: len(self.scenes_for(flat[k])) for k in mine}
            mine.sort(key=lambda k: (sizes[k], k))
            for place, k in enumerate(mine):
                while len(rounds) <= place:
                    rounds.append([])
                rounds[place].append(k)
        for some in rounds:
            asked = [k for k in some if int(owner[k]) not in lost]
            places = [self._places(flat[k], said[int(owner[k])]) for k in asked]
            which = np.repeat(asked, [len(some) for some in places]).astype(np.int64)
            where = np.concatenate(places) if places else np.zeros(0, np.int64)
            hit = (
                counts_of(find_tempted_pairs(flat, self.table, which, where)) > 0
                if len(which)
                else np.zeros(0, np.bool_)
            )
            which, where = which[hit], where[hit]
            which, where = _first_of_each(which, where, 3 * self.search.kept)
            clean = ~questions.may_fit(owner[which], where) if len(which) else np.zeros(0, np.bool_)
            for k, scene in zip(which[clean].tolist(), where[clean].tolist(), strict=True):
                serving.setdefault(k, []).append(scene)
            lost.update(int(owner[k]) for k in asked if not serving.get(k))
        return {k: found[: self.search.kept] for k, found in serving.items()}

    def _choose(
        self,
        one: TargetExpression,
        wants: tuple[Want, ...],
        mine: np.ndarray,
        at_home: np.ndarray,
        is_open: np.ndarray,
        serving: dict[int, list[int]],
        is_mirror_clean: bool,
    ) -> _Draft:
        """Choose the images that serve all wants of one expression, or tell which nothing serves."""
        home = frozenset(want.code for want, k in zip(wants, mine.tolist(), strict=True) if at_home[k])
        lost = tuple(w for w, k in zip(wants, mine.tolist(), strict=True) if is_open[k] and not serving.get(k))
        if lost:
            return _Draft(wants, lost, home)
        mirror = [self.mirror_of(one.scene)] if is_mirror_clean else []
        pool = [*mirror, *dict.fromkeys(s for k in mine.tolist() for s in serving.get(k, ()))]
        served = self._find_served(wants, pool)
        left = {n for n, want in enumerate(wants) if want.code not in home}
        chosen: list[int] = []
        if mirror:
            chosen.append(0)
            left -= set(np.flatnonzero(served[0]).tolist())
        while left:
            gains = [len(left & set(np.flatnonzero(row).tolist())) for row in served]
            if not mirror:  # then no image and its mirror image, unless nothing else serves
                shown = {self.mirror_of(pool[k]) for k in chosen}
                lone = [0 if scene in shown else gain for scene, gain in zip(pool, gains, strict=True)]
                gains = lone if any(lone) else gains
            best = int(np.argmax(gains))
            if not gains[best]:  # only while the first pass and this one disagree, which a test excludes
                break
            chosen.append(best)
            left -= set(np.flatnonzero(served[best]).tolist())
        if left or len(chosen) > self.search.most:
            return _Draft(wants, tuple(wants[n] for n in sorted(left)) or wants, home)
        picked = [pool[k] for k in chosen]
        return _Draft(wants, (), home, picked, [scene for scene in pool if scene not in picked], bool(mirror))

    def _complete(
        self, said: Sequence[TargetExpression], drafts: Sequence[_Draft], questions: Questions
    ) -> list[Cover]:
        """Add images to those that are needed, up to as many as may be shown, all of them clean.

        Where the own mirror image is shown, they come in pairs of an image and its mirror image, as far as both are.
        """
        drafts = [
            draft._replace(unserved=draft.wants[:1])
            if not draft.unserved and nouns_suffice(one.expression, self.table.scene(one.scene), one.target)
            else draft
            for one, draft in zip(said, drafts, strict=True)
        ]
        good = [number for number, draft in enumerate(drafts) if not draft.unserved]
        more = [self._company(said[number], drafts[number]) for number in good]
        clean = self._clean(good, more, questions)
        rest = [
            [*drafts[n].spare, *(scene for scene in some if scene in ok)]
            for n, some, ok in zip(good, more, clean, strict=True)
        ]
        order = [
            [s for s in (*drafts[n].chosen, *some) if s != self.mirror_of(said[n].scene)]
            for n, some in zip(good, rest, strict=True)
        ]
        mirrors = self._clean(
            good,
            [
                [self.mirror_of(s) for s in some] if drafts[n].has_mirror else []
                for n, some in zip(good, order, strict=True)
            ],
            questions,
        )
        scenes = {n: self._pair_up(drafts[n], some, ok) for n, some, ok in zip(good, order, mirrors, strict=True)}
        return [
            Cover(draft.wants, tuple(self._tell(draft.wants, scenes.get(n, ()))), draft.unserved, draft.home)
            for n, draft in enumerate(drafts)
        ]

    def _company(self, one: TargetExpression, draft: _Draft) -> list[int]:
        """Return further images in which a careless reader finds something, not known to be clean."""
        want = next((want for want in draft.wants if want.kind == "phrases"), None)
        alone = Want("noun", "", noun_alone(one.expression))
        found = [*(self._places(want, one) if want else ()), *self._places(alone, one)]
        known = {*draft.chosen, *draft.spare}
        return [int(scene) for scene in dict.fromkeys(found) if scene not in known][: 3 * self.search.most]

    def _clean(self, numbers: Sequence[int], scenes: Sequence[list[int]], questions: Questions) -> list[set[int]]:
        """Return for each expression the images among some in which it fits nothing."""
        which = np.repeat(np.array(numbers, np.int64), [len(some) for some in scenes])
        where = np.array([scene for some in scenes for scene in some], np.int64)
        if not len(which):
            return [set() for _ in numbers]
        is_clean = ~questions.may_fit(which, where)
        cuts = np.cumsum([len(some) for some in scenes])[:-1]
        return [
            set(some[ok].tolist()) for some, ok in zip(np.split(where, cuts), np.split(is_clean, cuts), strict=True)
        ]

    def _pair_up(self, draft: _Draft, order: Sequence[int], clean_mirrors: set[int]) -> list[int]:
        """Return the images to show: those that are needed, and others, in pairs if the own mirror image is shown."""
        scenes = list(draft.chosen)
        for scene in order:
            if not draft.has_mirror and self.mirror_of(scene) in scenes:
                continue
            pair = (scene, self.mirror_of(scene)) if draft.has_mirror else (scene,)
            more = [some for some in pair if some not in scenes]
            if set(pair[1:]) <= clean_mirrors and len(scenes) + len(more) <= self.search.most:
                scenes += more
        return scenes

    def _find_served(self, wants: Sequence[Want], scenes: Sequence[int]) -> np.ndarray:
        """Return which wants each scene serves: bool [scene, want]."""
        return self._tempting(wants, scenes) >= 0

    def _tempting(self, wants: Sequence[Want], scenes: Sequence[int]) -> np.ndarray:
        """Return the first thing to which each want leads in each scene, -1 for none: int64 [scene, want]."""
        if not scenes:
            return np.zeros((0, len(wants)), np.int64)
        which = np.tile(np.arange(len(wants)), len(scenes))
        where = np.repeat(np.array(scenes, np.int64), len(wants))
        masks = find_tempted_pairs(wants, self.table, which, where)
        return first_bits(masks).reshape(len(scenes), len(wants))

    def _tell(self, wants: tuple[Want, ...], scenes: Sequence[int]) -> Iterator[ServingImage]:
        """Yield the images with all that they serve."""
        for scene, row in zip(scenes, self._tempting(wants, scenes).tolist(), strict=True):
            mine = tuple(want for want, thing in zip(wants, row, strict=True) if thing >= 0)
            yield ServingImage(scene, next((thing for thing in row if thing >= 0), -1), mine)

    def _places(self, want: Want, one: TargetExpression) -> np.ndarray:
        """Return the images that are looked at for a want, in a random order."""
        pool = self.scenes_for(want)
        pool = pool[(pool != one.scene) & (pool != self.mirror_of(one.scene))]
        key = np.uint64(fold((one.scene, one.target, len(want.code)), derive(self.seed, "wants", want.code)))
        with np.errstate(over="ignore"):
            order = np.argsort(mix_words((pool.astype(np.uint64) + np.uint64(1)) * GOLDEN_WORD + key), kind="stable")
        return pool[order[: self.search.looks]].astype(np.int64)

    def scenes_for(self, want: Want) -> np.ndarray:
        """Return the scenes that hold all that a want needs by name, and with its attributes: int64 [scene]."""
        needs = tuple(sorted({need for said in (want.heard, *_sure(want)) for need in self._needs(said)}))
        if needs not in self._pools:
            found: np.ndarray | None = None
            for name, word in needs:
                some = (
                    self.index.scenes_with(name)
                    if word < 0
                    else np.unique(self.table.scene_of[self.index.objects_with(name, word)])
                )
                found = some if found is None else found[np.isin(found, some, assume_unique=True)]
            scenes = np.arange(len(self.table)) if found is None else found
            self._pools[needs] = scenes[self.is_allowed[scenes]].astype(np.int64)
        return self._pools[needs]

    def _needs(self, said: Expression) -> Iterator[tuple[int, int]]:
        """Yield names, each with an attribute or -1, that an image must hold for an expression to fit."""
        words = self.table.vocabulary
        for mention in _mentions(said):
            name = mention.value(NAME)
            if name is None:
                continue
            code = words.name_code(name)
            said_words = [step.value for step in mention.steps if isinstance(step, Is) and step.attribute != NAME]
            yield from ((code, words.word_code(word)) for word in said_words)
            if not said_words:
                yield code, -1


def _mentions(said: Description) -> Iterator[Description]:
    """Yield what is said to be there, alternatives and what is denied apart."""
    yield said
    for step in said.steps:
        if isinstance(step, Related):
            yield from _mentions(step.to)


def _sure(want: Want) -> Iterator[Expression]:
    """Yield what must be beside the thing, alternatives apart."""
    return (group[0] for group in want.beside if len(group) == 1)


def _first_of_each(which: np.ndarray, where: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first so many pairs of each, which stand together."""
    if not len(which):
        return which, where
    starts = np.flatnonzero(np.append(True, which[1:] != which[:-1]))
    rank = np.arange(len(which)) - np.repeat(starts, np.diff(np.append(starts, len(which))))
    return which[rank < most], where[rank < most]


def first_bits(masks: np.ndarray) -> np.ndarray:
    """Return the first object of each set, int64 [pair], or -1 for empty sets."""
    word = np.argmax(masks != 0, axis=1)
    held = np.take_along_axis(masks, word[:, None], axis=1)[:, 0]
    with np.errstate(over="ignore"):
        lowest = np.bitwise_count((held & (~held + np.uint64(1))) - np.uint64(1)).astype(np.int64)
    return np.where(held != 0, 64 * word + lowest, -1)
