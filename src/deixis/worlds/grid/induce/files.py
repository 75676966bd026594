"""Tasks on disk: one JSON file each in the layout of the Abstraction and Reasoning Corpus, and an index.

    FOLDER/tasks/task-00000.json    {"train": [{"input": matrix, "output": matrix}, …],
                                     "test": [{"input": matrix, "output": matrix}],
                                     "deixis": {…}}
    FOLDER/index.json               how they were made, and the hash of every file; written last

Tools for the corpus read `train` and `test` and need to know nothing else. Under `deixis` stands what the matrices
show: the rule in English and as an expression, its edit, and every scene object by object.
"""

from __future__ import annotations

import json
from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis._version import __version__
from deixis.errors import BrokenDataset, RecipeError, SchemaError
from deixis.expression.parts import parts
from deixis.worlds.grid.induce.edits import OPERATIONS
from deixis.worlds.grid.induce.pixels import decode, encode
from deixis.worlds.grid.induce.rule import Pair, Rule, Task
from deixis.worlds.grid.language import parse, realise
from deixis.worlds.grid.scene import GridObject, GridScene


if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from deixis.expression.description import Expression
    from deixis.worlds.grid.induce.edits import Edit
    from deixis.worlds.grid.induce.make import TaskRecipe


__all__ = [
    "INDEX",
    "Entry",
    "Puzzle",
    "list_tasks",
    "puzzle_from_dict",
    "read_json",
    "task_from_dict",
    "task_to_dict",
    "write_tasks",
]

INDEX = "index.json"
FORMAT = 1
LARGEST = 1 << 20  # bytes of a task; ours have some 25,000
MANY = 1 << 26  # bytes of an index
FIELDS = ("shape", "color", "size", "row", "column")


class Puzzle(NamedTuple):
    """The parts of a task that a solver may see, and the answer to compare with."""

    train: tuple[Pair, ...]
    question: GridScene
    answer: GridScene


class Entry(NamedTuple):
    """A task as the index lists it."""

    path: Path
    digest: str


def task_to_dict(task: Task) -> dict[str, Any]:
    """Return a task as it is written."""
    rule = task.rule
    return {
        "train": [_matrices(pair) for pair in task.train],
        "test": [_matrices(task.test)],
        "deixis": {
            "format": FORMAT,
            "version": __version__,
            "seed": task.seed,
            "number": task.number,
            "replaced": task.replaced,
            "english": rule.english(),
            "wording": rule.wording(),
            "operation": rule.operation.value,
            "arguments": rule.arguments,
            "expression": _expression_to_dict(rule.expression),
            "pattern": task.pattern,
            "length": rule.length,
            "scenes": {"train": [_scenes(pair) for pair in task.train], "test": _scenes(task.test)},
        },
    }


def task_from_dict(values: object) -> Task:
    """Read a written task, whose matrices must show its scenes and whose texts must say its rule.

    Raises:
        SchemaError: saying what is missing or contradicts the rest.
    """
    puzzle = puzzle_from_dict(values)
    more = _table(_table(values, "the task").get("deixis"), "'deixis'")
    if more.get("format") != FORMAT:
        raise SchemaError(f"it has format {str(more.get('format'))[:40]}; this version reads format {FORMAT}")
    expression = parse(_text(_table(more.get("expression"), "'expression'"), "text"))
    numbers = {name: _count(more, name) for name in ("seed", "number", "replaced")}
    rule = Rule(expression, _edit(more))
    scenes = _table(more.get("scenes"), "'scenes'")
    train = tuple(_pair(entry) for entry in _list(scenes.get("train"), "'scenes' of 'train'"))
    task = Task(rule=rule, train=train, test=_pair(scenes.get("test")), **numbers)
    if (task.train, task.test) != (puzzle.train, Pair(puzzle.question, puzzle.answer)):
        raise SchemaError("the matrices do not show the scenes")
    written = task_to_dict(task)["deixis"]
    for name in ("english", "wording", "expression", "pattern", "length"):
        if more.get(name) != written[name]:
            raise SchemaError(f"what it says as {name!r} is not what its rule says")
    return task


def puzzle_from_dict(values: object) -> Puzzle:
    """Read the matrices of a task as scenes, and nothing else in it.

    Raises:
        SchemaError: when it is not in the layout of the corpus, or a matrix is none of a grid scene.
    """
    fields_of = _table(values, "the task")
    train = _list(fields_of.get("train"), "'train'")
    test = _list(fields_of.get("test"), "'test'")
    if not train or len(test) != 1:
        raise SchemaError(f"a task has pairs in 'train' and one in 'test', got {len(train)} and {len(test)}")
    pairs = [_decode_pair(entry) for entry in (*train, *test)]
    return Puzzle(tuple(pairs[:-1]), pairs[-1].input, pairs[-1].output)


def write_tasks(recipe: TaskRecipe, tasks: Iterable[Task], folder: Path) -> Iterator[Task]:
    """Write tasks to a new folder, yielding each when it is written, and the index last.

    Raises:
        RecipeError: when the folder has tasks already.
    """
    if (folder / INDEX).exists() or any((folder / "tasks").glob("*.json")):
        raise RecipeError(f"{folder} has tasks already; choose another folder or delete it")
    (folder / "tasks").mkdir(parents=True, exist_ok=True)
    entries = []
    for task in tasks:
        name = f"tasks/task-{task.number:05d}.json"
        text = json.dumps(task_to_dict(task), separators=(",", ":")) + "\n"
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
        what = {"operation": task.rule.operation.value, "pattern": task.pattern, "pairs": len(task.train)}
        digest = sha256(text.encode()).hexdigest()
        entries.append({"path": name, **what, "english": task.rule.english(), "sha256": digest})
        yield task
    index = {"format": FORMAT, "version": __version__, "recipe": _plain(recipe), "tasks": entries}
    text = json.dumps(index, indent=1) + "\n"
    (folder / INDEX).write_text(text, encoding="utf-8", newline="\n")


def list_tasks(folder: Path) -> tuple[Entry, ...]:
    """List the tasks that the index of a folder names.

    Raises:
        BrokenDataset: when there is no index, or it is none of ours or names files outside the folder.
    """
    if not (folder / INDEX).is_file():
        raise BrokenDataset(f"{folder} has no {INDEX}: it is not a folder that `deixis induce` finished")
    index = read_json(folder / INDEX, limit=MANY)
    try:
        listed = _list(_table(index, "the index").get("tasks"), "'tasks'")
        named = [(_text(_table(entry, "an entry"), "path"), _text(entry, "sha256")) for entry in listed]
    except SchemaError as error:
        raise BrokenDataset(f"{folder / INDEX} is no index of tasks: {error}") from error
    root = folder.resolve()
    for name, _ in named:
        if not name.isprintable() or not (root / name).resolve().is_relative_to(root):
            raise BrokenDataset(f"{folder / INDEX} names the file {name[:80]!r}, which is not inside the folder")
    return tuple(Entry(folder / name, digest) for name, digest in named)


def read_json(path: Path, *, limit: int = LARGEST) -> object:
    """Read a JSON file.

    Raises:
        BrokenDataset: when it is too large or no JSON.
    """
    if not path.is_file():
        raise BrokenDataset(f"there is no file {path}")
    with path.open("rb") as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise BrokenDataset(f"{path} is larger than {limit:,} bytes, too large for what it should be")
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BrokenDataset(f"{path} is not JSON: {(str(error).splitlines() or ['?'])[0][:120]}") from error


def _matrices(pair: Pair) -> dict[str, list[list[int]]]:
    return {"input": encode(pair.input), "output": encode(pair.output)}


def _decode_pair(entry: object) -> Pair:
    pair = _table(entry, "a pair")
    return Pair(decode(pair.get("input")), decode(pair.get("output")))


def _scenes(pair: Pair) -> dict[str, Any]:
    return {"input": _scene_to_dict(pair.input), "output": _scene_to_dict(pair.output)}


def _pair(entry: object) -> Pair:
    pair = _table(entry, "a pair of scenes")
    return Pair(_scene_from_dict(pair.get("input")), _scene_from_dict(pair.get("output")))


def _scene_to_dict(scene: GridScene) -> dict[str, Any]:
    objects = [{name: getattr(thing, name) for name in FIELDS} for thing in scene.objects]
    return {"size": scene.size, "objects": objects}


def _scene_from_dict(entry: object) -> GridScene:
    values = _table(entry, "a scene")
    objects = [_table(thing, "an object") for thing in _list(values.get("objects"), "'objects'")]
    return GridScene(tuple(_object_from_dict(thing) for thing in objects), size=_count(values, "size"))


def _object_from_dict(thing: dict[str, Any]) -> GridObject:
    size, row, column = (_count(thing, name) for name in ("size", "row", "column"))
    return GridObject(_text(thing, "shape"), _text(thing, "color"), size, row, column)


def _expression_to_dict(expression: Expression) -> dict[str, Any]:
    utterance = realise(expression)
    words = [
        {"address": list(part.address), "kind": part.kind, "words": utterance.words_of(part.address)}
        for part in parts(expression)
    ]
    return {"text": utterance.text, "notation": str(expression), "parts": words}


def _edit(more: dict[str, Any]) -> Edit:
    name, arguments = _text(more, "operation"), _table(more.get("arguments"), "'arguments'")
    kinds = {operation.value: kind for kind, operation in OPERATIONS.items()}
    if name not in kinds:
        raise SchemaError(f"unknown operation {name[:40]!r}; known: {', '.join(kinds)}")
    wanted = {field.name: int if field.name == "size" else str for field in fields(kinds[name])}
    if arguments.keys() != wanted.keys() or any(type(arguments[key]) is not kind for key, kind in wanted.items()):
        raise SchemaError(f"{name} needs the arguments {', '.join(wanted) or '(none)'} and no others")
    return kinds[name](**arguments)


def _plain(recipe: TaskRecipe) -> dict[str, Any]:
    values: dict[str, Any] = {field.name: getattr(recipe, field.name) for field in fields(recipe)}
    names = {"operations": [o.value for o in recipe.operations], "patterns": [p.name for p in recipe.patterns]}
    return {**values, **names}


def _table(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SchemaError(f"{what} must be a table of keys, got {type(value).__name__}")
    return value


def _list(value: object, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise SchemaError(f"{what} must be a list, got {type(value).__name__}")
    return value


def _text(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    if not isinstance(value, str):
        raise SchemaError(f"{name!r} must be text, got {type(value).__name__}")
    return value


def _count(values: dict[str, Any], name: str) -> int:
    value = values.get(name)
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise SchemaError(f"{name!r} must be a whole number that is not negative, got {str(value)[:40]!r}")
    return value
