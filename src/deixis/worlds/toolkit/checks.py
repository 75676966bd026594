"""Checks of any examples: each is read, parsed, resolved and compared with the others.

| code | found |
|------|-------|
| E001 | The dataset or an example cannot be read |
| E002 | A file is not what the manifest says |
| E004 | The text does not say what the expression means |
| W006 | A file lies in the folder that the manifest does not list |
| E007 | Two examples have one id |
| E101 | The expression fits no object |
| E102 | The expression fits more than one object |
| E103 | The target is not the object that the expression fits |
| E104 | The text cannot be read |
| W201 | A part of the expression is not needed to find the target |
| E401 | The same content is in two splits |
| W402 | The same content is twice in one split |
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from deixis.data._data_places import share_reading
from deixis.data._kept_contents import KeptContents, find_clashes
from deixis.data._packed_findings import pack_collector, request_settings, unpack_collector
from deixis.data._resumable_work import ResumableWork
from deixis.data._seal import find_changes, find_unlisted
from deixis.data.checks import COMPARED, Collector, Contents, Finding
from deixis.data.store import MANIFEST, open_dataset
from deixis.distractors.necessity import is_implied, necessity
from deixis.errors import BrokenDataset, DeixisError
from deixis.expression.description import Description, describe
from deixis.expression.plain import expression_to_plain
from deixis.resolution.reference import resolve
from deixis.scene.plain import scene_to_plain
from deixis.worlds.example import context_of
from deixis.worlds.registry import find_known, find_world


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from deixis.data._data_places import DataPlace
    from deixis.data.checks import CheckRequest, Report
    from deixis.worlds.example import Example, Examples
    from deixis.worlds.world import World


__all__ = ["CODES", "ExampleChecks", "content_digest", "ready_part"]

CODES = {
    "E001": "The dataset or an example cannot be read",
    "E002": "A file is not what the manifest says",
    "E004": "The text does not say what the expression means",
    "W006": "A file lies in the folder that the manifest does not list",
    "E007": "Two examples have one id",
    "E101": "The expression fits no object",
    "E102": "The expression fits more than one object",
    "E103": "The target is not the object that the expression fits",
    "E104": "The text cannot be read",
    "W201": "A part of the expression is not needed to find the target",
    **COMPARED,
}
MISFITS = ("E101", "E102", "E103")  # an expression fits nothing, several objects, or another one than the target
EVERY = 256  # examples that are looked at together


def ready_part(world: World) -> ExampleChecks:
    """The checks of a world that has none of its own."""
    return ExampleChecks(world)


def content_digest(example: Example) -> int:
    """Return 64 bits that stand for the text and scenes of an example, without its id and split.

    An example that has more to tell than text, scenes and one target has a method `content`, which is used then.
    """
    if (own := getattr(example, "content", None)) is not None:
        return _digest(own())
    said = None if example.expression is None else expression_to_plain(example.expression)
    target = example.context.target
    scenes = [scene_to_plain(scene) for scene in example.context.scenes]
    return _digest([example.text, said, scenes, target.scene, target.object])


def _digest(content: object) -> int:
    return int.from_bytes(sha256(json.dumps(content, sort_keys=True).encode()).digest()[:8], "big")


class ExampleChecks:
    """Part `checks` over the parts `examples` and `language` of a world.

    A world that knows more adds codes and says in `faults` what they find.
    """

    codes: Mapping[str, str] = CODES
    runs_on_clusters = True
    reads_texts = True
    """Whether texts are read anew and compared with the expressions."""

    def __init__(self, world: World) -> None:
        self.world = world

    def check(self, path: Path, request: CheckRequest) -> Report:
        """Check a dataset by the plain definitions, with the same findings for any number of workers."""
        found = Collector(self.codes, select=request.select, most=request.most)
        return _Run(self.checks_for(path), path, found).report(request)

    def checks_for(self, path: Path) -> ExampleChecks:  # noqa: ARG002 (for those who look)
        """Return the checks of a dataset: these, unless they depend on its recipe."""
        return self

    def file_faults(self, examples: Examples) -> Iterable[tuple[str, str]]:  # noqa: ARG002 (for those who look)
        """Yield faults of the file as a whole: codes of `codes`, each with its detail."""
        return ()

    def misfit(self, example: Example, code: str) -> str:  # noqa: ARG002 (for those who look)
        """Return the code under which it is told that an expression does not fit its target: E101, E102 or E103."""
        return code

    def faults(self, example: Example) -> Iterable[tuple[str, str]]:  # noqa: ARG002 (for those who look)
        """Yield further faults of an example: codes of `codes`, each with its detail."""
        return ()


class _Run:
    """One look through a dataset; it remembers what only all examples together can show."""

    def __init__(self, checks: ExampleChecks, path: Path, found: Collector) -> None:
        self.checks = checks
        self.world = checks.world
        self.path = path
        self.found = found
        self.parts: dict[str, tuple[int, int]] = {}
        self.contents = KeptContents()
        self.ids = KeptContents()  # the same with digests of ids

    def report(self, request: CheckRequest) -> Report:
        """Look at all examples, or at some, and tell what was found."""
        is_folder = (self.path / MANIFEST).is_file()
        if request.sample is None and is_folder:
            self._look_at_files()
        try:
            examples: Examples = self.world.part("examples").open(self.path)
            size = len(examples)  # which may be the first to read the files
        except BrokenDataset as error:
            if not is_folder:
                raise
            self.found.add("E001", str(error))
            return self.found.report(facts={"kind": "dataset"})
        for code, what in self.checks.file_faults(examples):
            self.found.add(code, what)
        chosen = request.choose(size)
        done = 0
        with ResumableWork("check", self.path, request_settings(request, world=self.world.name)) as resumable:
            for looked in self._looks(examples, chosen, request, resumable):
                self._take(looked)
                done += looked.found.rows
                request.tell(self.path.name, done, len(chosen))
        self._look_at_ids()
        made = self.found.report(contents=self.contents, facts={"kind": "dataset"})
        return replace(made, parts=self.parts)

    def _looks(
        self, examples: Examples, chosen: Sequence[int], request: CheckRequest, resumable: ResumableWork
    ) -> Iterator[_Look]:
        """Look at the chosen examples piece by piece, here or by whoever shares the work."""
        pieces = [chosen[start : start + EVERY] for start in range(0, len(chosen), EVERY)]
        asked = [_Piece(self.world.name, numbers, tuple(request.select), request.most) for numbers in pieces]

        def here(piece: _Piece) -> _Look:
            return look_at(self.checks, examples, piece)

        if find_known(self.world.name) != self.world:  # which other processes would not find
            return map(here, asked)

        def share(rest: Iterator[_Piece], count: int) -> Iterator[_Look]:
            who: dict[str, Any] = {"workers": request.workers, "crew": request.crew}
            return share_reading(_look_at_piece, self.path, rest, count, here=here, **who)

        def unpack(packed: dict[str, Any]) -> _Look:
            return _Look.unpack(
                packed, self.checks, Collector(self.checks.codes, select=request.select, most=request.most)
            )

        return resumable.go_on("looks", asked, len(asked), share, pack=_Look.pack, unpack=unpack)

    def _look_at_files(self) -> None:
        manifest = open_dataset(self.path).manifest
        for name, what in find_changes(self.path, manifest):
            self.found.add("E002", what, file=name)
        for name in find_unlisted(self.path, manifest):
            self.found.add("W006", "it is not in the manifest", file=name)

    def _take(self, looked: _Look) -> None:
        """Take in what was found in a piece, and remember what it takes to compare it with the others."""
        self.found.merge(looked.found)
        for kind, (needed, total) in looked.parts.items():
            had = self.parts.get(kind, (0, 0))
            self.parts[kind] = (had[0] + needed, had[1] + total)
        seen = looked.contents()
        self.contents.add(seen)
        if self.found.wants("E007"):
            self.ids.add(replace(seen, digest=np.array([_key_of(one) for one in seen.id.tolist()], np.uint64)))

    def _look_at_ids(self) -> None:
        """Find the examples whose id an earlier one has."""
        count, first = find_clashes([self.ids], _always, most=self.found.most)
        self.found.add_counted(
            "E007",
            count,
            (
                Finding("E007", self.found.messages["E007"], one.split, one.row, one.id, f"also row {other.row}")
                for one, other in first
            ),
        )


def _always(_one: frozenset[str], _other: frozenset[str], _alone: frozenset[str]) -> bool:
    """Examples of any two splits must have different ids."""
    return True


def _key_of(number: Any) -> int:
    """Return 64 bits that stand for an id: a whole number itself, where it is not longer."""
    return number % (1 << 64) if isinstance(number, int) else _digest(number)


class _Piece(NamedTuple):
    """Numbers of examples of a world, and what is looked for."""

    world: str
    numbers: Sequence[int]
    select: tuple[str, ...]
    most: int


class _Sight(NamedTuple):
    """What is remembered of an example."""

    digest: int
    id: Any
    row: int
    split: str


def _look_at_piece(place: DataPlace, piece: _Piece) -> _Look:
    """Look at some examples, in whatever process."""
    checks, examples = _open_data(place, piece.world)
    return look_at(checks, examples, piece)


@lru_cache(maxsize=1)
def _open_data(place: DataPlace, world: str) -> tuple[ExampleChecks, Examples]:
    """The checks and the examples of a dataset, which stay open for the next piece."""
    path, found = place.find(), find_world(world)
    return found.part("checks").checks_for(path), found.part("examples").open(path)


def look_at(checks: ExampleChecks, examples: Examples, piece: _Piece) -> _Look:
    """Look at some examples."""
    looked = _Look(checks, Collector(checks.codes, select=piece.select, most=piece.most))
    for number in piece.numbers:
        looked.look_at(examples, number)
    return looked


class _Look:
    """What was found in some examples, each looked at by itself."""

    def __init__(self, checks: ExampleChecks, found: Collector) -> None:
        self.checks: ExampleChecks | None = checks
        self.found = found
        self.parts: dict[str, tuple[int, int]] = {}
        self.seen: list[_Sight] = []
        reads = checks.reads_texts and checks.world.has("language") and found.wants("E004", "E104")
        self.language = checks.world.part("language") if reads else None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "checks": None, "language": None}

    def pack(self) -> dict[str, Any]:
        """Return what was found as JSON can tell it."""
        return {"found": pack_collector(self.found), "parts": self.parts, "seen": self.seen}

    @classmethod
    def unpack(cls, packed: dict[str, Any], checks: ExampleChecks, empty: Collector) -> _Look:
        """Return what was found before, for a collector that has found nothing."""
        look = cls(checks, unpack_collector(packed["found"], empty))
        look.parts = {kind: (needed, total) for kind, (needed, total) in packed["parts"].items()}
        look.seen = [_Sight(*one) for one in packed["seen"]]
        return look

    def contents(self) -> Contents:
        """Return what is remembered of the examples."""
        names = tuple(dict.fromkeys(one.split for one in self.seen))
        places = {name: place for place, name in enumerate(names)}
        ids = [one.id for one in self.seen]
        are_numbers = all(isinstance(one, int) for one in ids)
        return Contents(
            digest=np.array([one.digest for one in self.seen], np.uint64),
            id=np.array(ids, np.int64 if are_numbers else object),
            row=np.array([one.row for one in self.seen], np.int64),
            split=np.array([places[one.split] for one in self.seen], np.int64),
            names=names,
        )

    def look_at(self, examples: Examples, number: int) -> None:
        """Look at the example of a number."""
        checks = self.checks
        assert checks is not None
        try:
            example = examples[number]
            digest = content_digest(example)
        except DeixisError as error:
            self.found.see("")
            self.found.add("E001", str(error), row=number)
            return
        self.found.see(example.split)
        self.seen.append(_Sight(digest, example.id, number, example.split))
        where = {"row": number, "id": example.id, "split": example.split}
        self._read(example, where)
        codes = [checks.misfit(example, code) for code in MISFITS]
        if self.found.wants(*codes, "W201") and context_of(example) and example.expression is not None:
            self._resolve(example, where, *codes)
        for code, what in checks.faults(example):
            self.found.add(code, what, **where)

    def _read(self, example: Example, where: dict[str, Any]) -> None:
        if self.language is None or not example.text:
            return
        context = context_of(example)
        try:
            scene = None if context is None else context.scenes[context.target.scene]
            said = self.language.read(example.text, scene).expression
        except DeixisError as error:
            self.found.add("E104", str(error), **where)
            return
        if example.expression is None or said.canonical() != example.expression.canonical():
            self.found.add("E004", f"{example.text!r} says {said}", **where)

    def _resolve(self, example: Example, where: dict[str, Any], none: str, several: str, another: str) -> None:
        expression, context = example.expression, example.context
        assert expression is not None
        try:
            fitting = resolve(expression, context).objects
        except DeixisError as error:
            self.found.add("E001", f"it cannot be resolved: {error}", **where)
            return
        if len(fitting) != 1:
            self.found.add(several if fitting else none, f"{len(fitting)} objects fit {example.text!r}", **where)
        elif context.target not in fitting:
            (picked,) = fitting
            told = f"object {picked.object} of scene {picked.scene} fits, {context.target.object} of scene"
            self.found.add(another, f"{told} {context.target.scene} is recorded", **where)
        elif self.found.wants("W201"):
            self._weigh(example, where)

    def _weigh(self, example: Example, where: dict[str, Any]) -> None:
        expression, schema = example.expression, example.context.scenes[0].schema
        assert expression is not None
        idle = []
        for part, needed in necessity(expression, example.context).items():
            if is_implied(part, expression, schema):
                continue
            kind = part.kind if part.attribute is None else part.attribute
            had = self.parts.get(kind, (0, 0))
            self.parts[kind] = (had[0] + needed, had[1] + 1)
            if not needed:
                idle.append(describe(Description((part.step,))))
        if idle:
            self.found.add("W201", "; ".join(idle), **where)
