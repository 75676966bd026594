"""Trying a reader on a file: what it reads, whether it drops anything, and whether every verb takes it."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from deixis._trial import Trial
from deixis.errors import SchemaError
from deixis.readers._world import ReaderWorld
from deixis.readers.reader import NOTHING_READ, Reader, ReadExample, Refusal
from deixis.readers.registry import make_known
from deixis.resolution.reference import resolve
from deixis.worlds.example import context_of


MAX_TRIED = 2_000  # examples whose fields are tried one by one
STRANGE = {
    "nothing": b"",
    "text": b"The cat sat on the mat.\n",
    "json": b'{"a": [1, 2, {"b": null}]}',
    "bytes": bytes(range(256)) * 8,
}
"""Files that no reader knows; `sniff` has to say so."""


class ReadingFacts(NamedTuple):
    """The reading of a file in numbers.

    Attributes:
        records: in the file.
        examples: that came of them.
        refused: how many records were refused, by code.
        with_meaning: examples whose expression is known.
        resolved: of these, how many pick out exactly the targets.
    """

    records: int
    examples: int
    refused: dict[str, int]
    with_meaning: int
    resolved: int


def check_reader(reader: Reader, path: Path | str, *, examples: int = 8) -> ReadingFacts:
    """Try a reader on a file, and raise one error with everything that is wrong.

    The file is read twice and must give the same. Every record must become an example or a refusal whose code the
    reader lists. Examples must have what their task needs and ids that differ. Where the reader claims it, expressions
    must pick out the targets. Every verb must take the file.

    Args:
        reader: what to try.
        path: a file or folder in its layout.
        examples: how many examples the verbs are tried on.

    Returns:
        What was read, in numbers.

    Raises:
        SchemaError: with one line for everything that is wrong.
    """
    if not isinstance(reader, Reader):
        raise SchemaError(f"a reader is a deixis.readers.Reader, got {type(reader).__name__}")
    trial = _Trial(reader, Path(path), examples)
    with make_known(reader):  # its package need not be installed
        facts = trial.run()
    trial.refuse_problems(f"the reader {reader.name}")
    return facts


class _Trial(Trial):
    """One run over a file; everything that is wrong is collected."""

    def __init__(self, reader: Reader, path: Path, examples: int) -> None:
        super().__init__()
        self.reader = reader
        self.path = path
        self.count = examples
        self.is_text = False  # of examples there is a text and nothing else, so that nothing can be answered

    def run(self) -> ReadingFacts:
        """Try everything that can be tried, and return what was read."""
        self.try_sniffing()
        facts = ReadingFacts(0, 0, {}, 0, 0)
        with self.trying("records"):
            facts = self.try_reading()
        if not self.problems:
            self.try_verbs()
        return facts

    def try_sniffing(self) -> None:
        """It knows its own file, and no other."""
        with self.trying("sniff"):
            self.demand(self.reader.sniff(self.path) is True, f"it does not know {self.path.name}")
        with TemporaryDirectory(prefix="deixis-reader-") as folder:
            for name, content in STRANGE.items():
                with self.trying("sniff"):
                    (Path(folder) / name).write_bytes(content)
                    self.demand(not self.reader.sniff(Path(folder) / name), f"it claims a file with {name} in it")
            for place, what in ((Path(folder), "any folder"), (Path(folder) / "absent", "a file that is not there")):
                with self.trying("sniff"):
                    self.demand(not self.reader.sniff(place), f"it claims {what}")

    def try_reading(self) -> ReadingFacts:
        """Nothing is dropped, and a second reading gives the same."""
        refused: dict[str, int] = {}
        first: dict[str, int] = {}
        records = number = with_meaning = resolved = 0
        again = self.reader.examples(self.path)
        for one in self.reader.examples(self.path):
            other = next(again, None)
            self.demand(_plain(one) == _plain(other), f"record {one.record} is another when it is read again")
            self.demand(one.record in (records - 1, records), f"record {records} is dropped: {one.record} follows")
            records = max(records, one.record + 1)
            if isinstance(one, Refusal):
                refused[one.code] = refused.get(one.code, 0) + 1
                self.demand(one.code in self.reader.codes, f"the refusal {one.code!r} is not listed in `refusals`")
                continue
            other_number = first.setdefault(str(one.id), number)
            self.demand(other_number == number, f"examples {other_number} and {number} have the id {one.id!r}")
            if number < MAX_TRIED:
                self.try_example(one, number)
                with_meaning += one.expression is not None
                resolved += self.is_resolved(one, number)
            number += 1
        self.demand(next(again, None) is None, "a second reading gives more examples")
        self.demand(number > 0, "it reads no example")
        dropped = refused.get(NOTHING_READ, 0)
        self.demand(not dropped, f"of {dropped} records nothing comes, not even a refusal")
        return ReadingFacts(records, number, refused, with_meaning, resolved)

    def try_example(self, example: ReadExample, number: int) -> None:
        """An example has what its task needs."""
        task, says = self.reader.task, f"example {number}"
        self.demand(isinstance(example.text, str), f"{says} has no text")
        json.dumps(example.facts)
        if self.reader.schema is not None:
            known = all(scene.schema == self.reader.schema for scene in example.scenes)
            self.demand(known, f"{says} has a scene of another schema")
        if task in ("match", "verify"):
            self.demand(len(example.choices) > 1, f"{says} has fewer than two choices")
            self.demand(0 <= example.right < len(example.choices), f"the right choice of {says} is none of its choices")
        elif task == "refer":
            self.is_text = self.reader.schema is None and not (example.scenes or example.images)
            self.demand(bool(example.scenes) or self.is_text, f"{says} has no scene")
        else:
            inside = all(0 <= image < len(example.images) for image, _ in example.boxes)
            self.demand(bool(example.images) and inside, f"{says} has a box in an image that it does not name")
        for scene, thing in example.targets:
            inside = 0 <= scene < len(example.scenes) and 0 <= thing < len(example.scenes[scene])
            self.demand(inside, f"the target of {says} is no object of its scenes")
        for one, boxes in zip(example.scenes, example.regions, strict=False):
            self.demand(len(one) == len(boxes), f"{says} has {len(boxes)} boxes for {len(one)} objects")

    def is_resolved(self, example: ReadExample, number: int) -> bool:
        """Return whether the expression picks out exactly the targets, which a reader may claim."""
        if example.expression is None or not example.scenes:
            return False
        context = context_of(example)
        if context is None:
            return False
        is_right = set(resolve(example.expression, context).objects) == set(example.targets)
        told = f"the expression of example {number} does not pick out the target, which the reader claims"
        self.demand(is_right or not self.reader.is_resolvable, told)
        return is_right

    def try_verbs(self) -> None:
        """Every verb takes the file."""
        world = ReaderWorld.of(self.reader)
        for part, attempt in (
            ("pictures", self.try_pictures),
            ("checks", self.try_checks),
            ("statistics", self.try_statistics),
            ("audit", self.try_audit),
            ("judging", self.try_judging),
            ("questions", self.try_questions),
        ):
            if self.is_text and part in ("judging", "questions"):
                continue
            with self.trying(part):
                attempt(world)

    def try_pictures(self, world: ReaderWorld) -> None:
        """Examples can be shown."""
        pictures, opened = world.part("pictures"), world.part("examples").open(self.path)
        for number in range(min(self.count, len(opened))):
            self.demand(any(pictures.lines(opened[number], number=number)), f"example {number} has no lines")
            json.dumps(pictures.plain(opened[number], number=number))
            self.demand(bool(pictures.draw(opened[number], format="svg")), f"example {number} has no picture")

    def try_checks(self, world: ReaderWorld) -> None:
        """The file can be checked."""
        from deixis.data.checks import CheckRequest

        world.part("checks").check(self.path, CheckRequest(sample=self.count))

    def try_statistics(self, world: ReaderWorld) -> None:
        """Counts can be written as JSON."""
        statistics = world.part("statistics")
        json.dumps(statistics.describe([statistics.count(self.path, name="data")]).values)

    def try_audit(self, world: ReaderWorld) -> None:
        """The file can be audited."""
        audit = world.part("audit")
        found = audit.audit(self.path, split=None, sample=self.count, seed=0, workers=1, progress=None)
        json.dumps(found.to_dict())

    def try_judging(self, world: ReaderWorld) -> None:
        """The answers of the oracle can be judged."""
        from deixis.judge.request import Request

        judging = world.part("judging")
        self.demand({"random", "oracle"} <= set(judging.baselines), "there are no baselines random and oracle")
        json.dumps(judging.evaluate(Request(answers=(Path("oracle"),), data=self.path)).values)

    def try_questions(self, world: ReaderWorld) -> None:
        """Right answers are judged to be right."""
        from deixis.prompts.recipe import PromptRecipe

        questions = world.part("questions")
        recipe = PromptRecipe(task=self.reader.name, limit=self.count)
        with TemporaryDirectory(prefix="deixis-reader-") as folder:
            place = Path(folder) / "fresh"
            found = questions.find(recipe, self.path, fresh=None, folder=place, workers=1, progress=None)
        for item in found.posed:
            outcome = item.gold.judge(f"Answer: {item.gold.right}").outcome
            self.demand(outcome == "right", f"the right answer {item.gold.right!r} is judged {outcome}")


def _plain(one: ReadExample | Refusal | None) -> Any:
    """Everything of an example that must be the same whenever it is read."""
    if not isinstance(one, ReadExample):
        return one
    return [one.record, one.id, one.split, one.content(), one.facts, str(one.meaning)]
