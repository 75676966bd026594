"""The verbs as functions: make, load, check, audit and evaluate datasets of any world, read and say texts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deixis._options import names_in
from deixis.errors import UnknownName
from deixis.worlds.registry import find_world, known_worlds, world_of, worlds_with


if TYPE_CHECKING:
    from deixis.audits.audit import Audit
    from deixis.data.checks import Report
    from deixis.data.store import Dataset
    from deixis.expression.description import Expression
    from deixis.language.utterance import Instruction, Utterance
    from deixis.scene.scene import Scene
    from deixis.worlds.world import Examples, World


__all__ = ["audit", "check", "evaluate", "load", "make", "parse", "parse_instruction", "realise"]


def make(recipe: Any, out: Path | str, *, workers: int | None = None, **options: Any) -> Dataset:
    """Make a dataset of any world in a folder, or go on with one.

    Args:
        recipe: the name of a dataset, or a recipe.
        out: the folder.
        workers: how many threads, one per core by default; the result does not depend on it.
        options: with a name, what `deixis make NAME` can be told.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> folder = TemporaryDirectory()
        >>> dx.make('a3ds', f"{folder.name}/rooms", captions="none", test_sets=True).splits["test"]
        400000
        >>> folder.cleanup()
    """
    name = recipe if isinstance(recipe, str) else recipe.dataset
    part = _world_with(name).part("recipes")
    chosen = part.datasets[name](**options) if isinstance(recipe, str) else recipe
    made: Dataset = part.make(chosen, Path(out), workers=workers)
    return made


def load(path: Path | str) -> Examples:
    """The examples of a dataset of any world, wherever it lies: by number, by split or in order.

    Args:
        path: a dataset folder, a file of examples, or an address such as s3://bucket/folder.

    Example:
        >>> examples = dx.load(sample)
        >>> examples[0].text
        'walk to the big green circle'
        >>> examples.splits["train"] == len(examples.numbers("train"))
        True
    """
    place = _at_hand(path)
    found: Examples = world_of(place).part("examples").open(place)
    return found


def check(path: Path | str, **request: Any) -> Report:
    """Return the findings about a dataset of any world.

    Args:
        path: the dataset.
        request: fields of `CheckRequest`, as `select="E,W2"`, `sample=1000` or `thorough=True`.

    Example:
        >>> dx.check(sample).exit_code
        0
    """
    from deixis.data.checks import CheckRequest

    if isinstance(select := request.get("select"), str):
        request["select"] = names_in(select)
    place = _at_hand(path)
    report: Report = world_of(place).part("checks").check(place, CheckRequest(**request))
    return report


def audit(
    path: Path | str, *, split: str | None = None, sample: int | None = None, seed: int = 0, workers: int | None = None
) -> Audit:
    """Audit a dataset of any world: needed words, shortcuts, and leaks of the answer.

    Args:
        path: the dataset.
        split: only the examples of this split.
        sample: only so many examples, chosen at random.
        seed: which ones.
        workers: how many threads, one per core by default; the result does not depend on it.

    Example:
        >>> audit = dx.audit(sample, split="train")
        >>> audit.words_needed("target").share > 0.5
        True
    """
    from deixis.audits.run import audit_path

    return audit_path(_at_hand(path), split=split, sample=sample, seed=seed, workers=workers or os.cpu_count() or 1)


def evaluate(answers: Path | str, data: Path | str, *, split: str = "", **request: Any) -> dict[str, Any]:
    """Judge answers to a dataset of any world, and return the JSON of `deixis evaluate --json`.

    Args:
        answers: a file of answers, a checkpoint, the name of a model that comes with Deixis, `random` or `oracle`.
        data: the dataset that was answered.
        split: only the examples of these splits, separated by commas.
        request: further fields of `deixis.judge.request.Request`, as `seed=1`, `device="cpu"` or `options={…}`.

    Example:
        >>> found = dx.evaluate("oracle", sample, split="test")
        >>> found["splits"]["test"]["exact"]
        1.0
    """
    from deixis.judge._evaluation import evaluate_request
    from deixis.judge.request import Request

    place = _at_hand(data)
    asked = Request(answers=(Path(answers),), data=place, splits=names_in(split), **request)
    return dict(evaluate_request(world_of(place), asked).values)


def parse(text: str, *, world: str | None = None, scene: Scene | None = None) -> Expression:
    """Return the meaning of a text.

    Args:
        text: an expression, a caption, a noun phrase.
        world: whose language it is; by default that of the first world.
        scene: where it is said, for worlds whose vocabulary differs between datasets.

    Raises:
        ParseError: when it cannot be read, with the word that could not and what could have stood there.

    Example:
        >>> print(dx.parse("the red circle"))
        [shape=circle, color=red]
        >>> print(dx.parse("a tiny red ball", world='rooms'))
        [object_hue=red, scale=tiny, shape=ball]
        >>> print(dx.parse("the cup that is on the wood table", world='photos'))
        [name=cup, on: [name=table, material=wood]]
    """
    language = _language(world)
    strict = getattr(language, "parse", None)
    expression: Expression = strict(text) if strict is not None else language.read(text, scene).expression
    return expression


def parse_instruction(text: str, *, world: str | None = None) -> Instruction:
    """Return the verb, expression and manner of a text that asks for something to be done.

    Example:
        >>> dx.parse_instruction("push the red circle hesitantly").verb
        'push'
    """
    from deixis.language.parse import parse_instruction as read

    return read(text, words=_language(world).words)


def realise(meaning: Expression | Instruction, *, world: str | None = None, **options: Any) -> Utterance:
    """A text that says an expression, with the words of each part.

    Args:
        meaning: an expression, or an instruction where the world has any.
        world: whose language; by default that of the first world.
        options: what the language of that world can be told.

    Example:
        >>> dx.realise(dx.parse("the red circle")).text
        'the red circle'
        >>> dx.realise(dx.parse("a tiny red ball", world='rooms'), world='rooms').text
        'a tiny red ball'
    """
    said: Utterance = _language(world).realise(meaning, **options)
    return said


def _language(world: str | None) -> Any:
    return find_world(worlds_with("language")[0] if world is None else world).part("language")


def _world_with(dataset: str) -> World:
    """The world that makes a dataset of this name."""
    for world in known_worlds().values():
        if dataset in world.datasets:
            return world
    known = ", ".join(name for world in known_worlds().values() for name in world.datasets)
    raise UnknownName(f"no world makes a dataset {dataset[:40]!r}; known: {known}")


def _at_hand(path: Path | str) -> Path:
    """A path as it is; for an address, a folder of this machine with the same dataset."""
    if isinstance(path, str) and "://" in path:
        from deixis.data.remote import at_hand

        return at_hand(path)
    return Path(path)
