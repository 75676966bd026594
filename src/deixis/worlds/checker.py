"""Trying a world: every part on a few examples, as Gymnasium's checker does with environments."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from deixis._trial import Trial
from deixis.errors import SchemaError
from deixis.resolution.reference import denotation, resolve
from deixis.worlds.example import context_of, fits_nothing, scenes_of
from deixis.worlds.registry import BUILT_IN, known_worlds
from deixis.worlds.world import PARTS, World


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.worlds.world import Examples


__all__ = ["check_world"]

DEIXIS = "deixis"  # what a world's package is where it does not say
LISTED = {"recipes": "datasets", "models": "models", "commands": "commands"}  # by part, what the world lists of it
BEGINNINGS = {"svg": (b"<svg", b"<?xml"), "png": (b"\x89PNG",), "gif": (b"GIF8",)}


def check_world(world: World, *, examples: int = 8) -> None:
    """Try every part of a world, and raise one error with everything that is wrong.

    A small dataset is made twice by the recipe of `recipes.demo`, which must give the same bytes. It is then read,
    drawn, checked, counted, audited, judged and asked about.

    Args:
        world: what to try.
        examples: how many examples each part is tried on.

    Raises:
        SchemaError: with one line for everything that is missing or wrong.
    """
    if not isinstance(world, World):
        raise SchemaError(f"a world is a deixis.worlds.World, got {type(world).__name__}")
    trial = _Trial(world, examples)
    with TemporaryDirectory(prefix="deixis-world-") as folder:
        trial.run(Path(folder))
    trial.refuse_problems(f"the world {world.name}")


class _Trial(Trial):
    """One run over all parts; what is wrong is collected."""

    def __init__(self, world: World, examples: int) -> None:
        super().__init__()
        self.world = world
        self.examples = examples

    def run(self, folder: Path) -> None:
        """Try everything that can be tried."""
        with self.trying("registry"):
            is_named = self.world.name in BUILT_IN or self.world.package != DEIXIS
            self.demand(is_named, "its package is not named, which manifests tell: World(package=…)")
            found = known_worlds().get(self.world.name)
            self.demand(found is None or found == self.world, f"another world is registered as {self.world.name!r}")
        for name in PARTS:
            if self.world.has(name):
                with self.trying(name):
                    self.world.part(name)
        for part, what in LISTED.items() if not self.problems else ():
            with self.trying(part):
                self.try_names(part, what)
        if self.problems or not self.world.has("recipes") or not self.world.has("examples"):
            return
        data = folder / "data"
        self.try_making(data, folder / "again")
        if self.problems:
            return
        opened = self.try_examples(data)
        if opened is not None:
            for attempt in (self.try_language, self.try_pictures):
                attempt(opened)
        for trial in (self.try_checks, self.try_statistics, self.try_audit, self.try_judging, self.try_questions):
            trial(data)
        self.try_pages(data)

    def try_names(self, part: str, what: str) -> None:
        """The world lists exactly what its part has."""
        listed: Mapping[str, str] = getattr(self.world, what)
        if not self.world.has(part):
            self.demand(not listed, f"the world lists {what} ({', '.join(listed)}) and has no such part")
            return
        found = self.world.part(part)
        names = set(found if part == what == "commands" else getattr(found, what))
        unlisted, absent = sorted(names - set(listed)), sorted(set(listed) - names)
        self.demand(not absent, f"the world lists {', '.join(absent)}, which the part has not")
        self.demand(not unlisted, f"it has {', '.join(unlisted)}, which the world does not list under {what}")

    def try_making(self, data: Path, again: Path) -> None:
        """The same recipe gives the same bytes, and the manifest holds it."""
        with self.trying("recipes"):
            recipes = self.world.part("recipes")
            recipe = recipes.demo()
            dataset = recipes.make(recipe, data, workers=1)
            recipes.make(recipes.recipe_from(dataset.manifest["recipe"]), again, workers=2)
            self.demand(_bytes_of(data) == _bytes_of(again), "the same recipe gives other bytes with two workers")
            self.demand(dataset.manifest.get("world") == self.world.name, "the manifest does not name the world")
            self.demand(
                recipe.dataset in self.world.datasets, f"the world does not list the dataset {recipe.dataset!r}"
            )

    def try_examples(self, data: Path) -> Examples | None:
        """Examples are there, and their expressions pick out their targets, or nothing where that is the answer."""
        opened: Examples | None = None
        with self.trying("examples"):
            opened = self.world.part("examples").open(data)
            assert opened is not None
            self.demand(len(opened) > 0, "the dataset of recipes.demo() has no examples")
            self.demand(sum(opened.splits.values()) >= len(opened), "the splits hold fewer examples than there are")
            for number in range(min(self.examples, len(opened))):
                example = opened[number]
                self.demand(bool(example.text), f"example {number} says nothing")
                if example.expression is not None and fits_nothing(example):
                    is_right = not any(denotation(example.expression, scene) for scene in scenes_of(example))
                    self.demand(is_right, f"example {number}: nothing fits by its record, but the expression does")
                elif example.expression is not None:
                    found = resolve(example.expression, example.context).objects
                    is_right = found == {example.context.target}
                    self.demand(is_right, f"example {number}: the expression does not pick out the target alone")
        return opened if not self.problems else None

    def try_language(self, opened: Examples) -> None:
        """What is said is read back."""
        if not self.world.has("language"):
            return
        with self.trying("language"):
            language = self.world.part("language")
            for number in range(min(self.examples, len(opened))):
                example = opened[number]
                if example.expression is None:
                    continue
                context = context_of(example)
                scene = scenes_of(example)[0 if context is None else context.target.scene]
                read = language.read(example.text, scene).expression
                self.demand(read == example.expression, f"example {number}: its text is read as something else")
                said = language.realise(example.expression)
                again = language.read(said.text, scene).expression
                self.demand(again == example.expression, f"example {number}: what is said of it is read otherwise")

    def try_pictures(self, opened: Examples) -> None:
        """Pictures are files of their kind, and plain values can be written as JSON."""
        with self.trying("pictures"):
            pictures = self.world.part("pictures")
            for number in range(min(2, len(opened))):
                for kind in pictures.formats:
                    data = pictures.draw(opened[number], format=kind)
                    beginnings = BEGINNINGS.get(kind, (b"",))
                    self.demand(data.startswith(beginnings), f"the picture of example {number} is no {kind}")
                self.demand(any(pictures.lines(opened[number], number=number)), f"example {number} has no lines")
                json.dumps(pictures.plain(opened[number], number=number))

    def try_checks(self, data: Path) -> None:
        """A dataset that was just made has no errors."""
        with self.trying("checks"):
            from deixis.data.checks import CheckRequest

            report = self.world.part("checks").check(data, CheckRequest())
            errors = {code: often for code, often in report.counts.items() if code.startswith("E")}
            self.demand(not errors, f"a fresh dataset has errors: {errors}")

    def try_statistics(self, data: Path) -> None:
        """Counts can be written as JSON."""
        with self.trying("statistics"):
            statistics = self.world.part("statistics")
            counted = statistics.count(data, name="data")
            json.dumps(statistics.describe([counted]).values)

    def try_audit(self, data: Path) -> None:
        """An audit finds as many examples as there are."""
        with self.trying("audit"):
            from deixis.audits.run import audit_path

            audit_path(data, sample=self.examples)

    def try_judging(self, data: Path) -> None:
        """The oracle is better than chance."""
        with self.trying("judging"):
            from deixis.judge.request import Request

            judging = self.world.part("judging")
            self.demand({"random", "oracle"} <= set(judging.baselines), "there are no baselines random and oracle")
            oracle, chance = (
                judging.evaluate(Request(answers=(Path(name),), data=data)).values for name in ("oracle", "random")
            )
            self.demand(oracle != chance, "the oracle is no better than chance")

    def try_questions(self, data: Path) -> None:
        """Right answers are judged to be right."""
        with self.trying("questions"):
            from deixis.prompts.ask import ask
            from deixis.prompts.recipe import PromptRecipe
            from deixis.prompts.tasks import task_of

            asked = ask(PromptRecipe(task=task_of(data), limit=self.examples), data)
            for item in asked.items:
                verdict = item.gold.judge(f"Answer: {item.gold.right}").outcome
                self.demand(verdict == "right", f"the right answer {item.gold.right!r} is judged {verdict}")

    def try_pages(self, data: Path) -> None:
        """The studio shows the dataset and an example; skipped where the studio is not installed."""
        if find_spec("starlette") is None or find_spec("httpx") is None:
            return
        with self.trying("pages"):
            from starlette.testclient import TestClient

            from deixis._studio.server import make_app

            client = TestClient(make_app((data.parent / "data",)), base_url="http://127.0.0.1")
            for address in ("/", "/d/data", "/d/data/0"):
                status = client.get(address).status_code
                self.demand(status == 200, f"the studio answers {address} with {status}")


def _bytes_of(folder: Path) -> Mapping[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
