"""What is fuzzed: every reader of files, and the verbs that use them, in one process."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from deixis._cli.app import command_line
from tests.audits.test_grounded import HEADER, LINE
from tests.datasets.formats.test_copsref import RELEASED
from tests.fuzz.corpus import GRAPHS, RECIPE, Corpus, seal
from tests.fuzz.engine import Target
from tests.fuzz.mutate import change_array, change_bytes, change_table, change_text, change_tree, dumps, nasty
from tests.readers.samples import SAMPLES, write_sample


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.random import Generator

    from deixis.worlds.world import World


__all__ = ["all_targets"]

COMMANDS = (
    "walk to the red circle",
    "push the small blue square that is in the same row as a green cylinder while spinning",
    "pull a big yellow circle that is inside of a red box and in the same column as the small green square hesitantly",
    "the square that is in the same color as the circle that is in the same shape as the box",
)
CAPTIONS = (
    "a tiny red ball on the right of a yellow wall",
    "the picture shows a huge green block in the left corner in front of a blue wall on orange floor",
    "a ball that is not red, or a big blue pill",
)
REFERENCES = ("the white cup that is on the table", "the second cup from the left", "the red car that is near the man")
PICTURE = "r○1 b□2 .\n. y○3 .\ng○4 . >"
GOOD_PLANS = b'{"id": 12, "plan": "LWW"}\n{"id": "13", "plan": ["turn left", "walk"]}\n{"id": 14, "plan": ""}\n'
ANSWERS = (
    {"id": 100, "image": "1", "object": "1"},
    {"id": 101, "setting": "Cat", "box": [1, 2, 30, 40], "space": "xywh"},
    {"id": 102, "not there": True},
    {"id": 103, "scores": [{"image": "1", "object": "2", "score": 0.5}]},
)
COCO = [{"image_id": 1, "ref_id": 100, "bbox": [1, 2, 3, 4], "score": 0.9}]
CSV = b'prediction,target_id,distractor_id,set\na red ball,1,2,object\n,3,4,object\n"a, b",5,6,shape\n'
LINES = (
    {"prediction": "a red ball", "target_id": 1, "distractor_id": 2, "set": "object"},
    {"caption": "a tiny pill", "target_id": 3, "distractor_ids": [4, 5]},
)
SAID = ("LWW", "Answer: turn left, walk", "I think: **B**", "(3, 4)", '{"answer": 2}', "not there", "Action: walk x3")


def all_targets(corpus: Corpus, scratch: Path, *, quick: bool = False) -> list[Target]:
    """All targets, their seeds made where they are not there.

    Args:
        corpus: what is mutated.
        scratch: a folder for mutated files.
        quick: leave out what takes long to begin, such as models and the studio.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    made = [
        *_texts(corpus),
        *_plain_files(corpus, scratch),
        *_settings(corpus, scratch),
        *_parquet_files(corpus, scratch),
        *_folders(corpus),
        *_readers(scratch),
        *_functions(corpus),
        *_results(corpus),
    ]
    return made if quick else [*made, *_checkpoints(scratch), *_studio(corpus)]


# -------------------------------------------------------------------------------- verbs


def run_verb(*words: object) -> None:
    """A verb as the command line runs it, whatever it raises."""
    command_line()([str(word) for word in words], exit_on_error=False, print_error=False, result_action="return_value")


def in_file(scratch: Path, name: str, read: Callable[[Path], object]) -> Callable[[bytes, Generator], object]:
    """A reader of a path as one of bytes."""

    def wrapped(data: bytes, _rng: Generator) -> object:
        path = scratch / name
        path.write_bytes(data)
        return drain(read(path))

    return wrapped


def drain(found: object) -> object:
    """Read what is only read when asked for."""
    if hasattr(found, "__next__"):
        for _ in found:
            pass
    return found


# -------------------------------------------------------------------------------- texts


def _texts(corpus: Corpus) -> Iterable[Target]:
    from deixis.expression.plain import expression_from_plain
    from deixis.prompts import answers
    from deixis.worlds.grid._pages.playground_files import from_address
    from deixis.worlds.grid._questions.answers import parse_actions, parse_cell
    from deixis.worlds.grid._scene_files import _read_picture
    from deixis.worlds.grid.actions import plan_from_letters, plan_from_words
    from deixis.worlds.grid.drawn import grid
    from deixis.worlds.grid.language import explain, read
    from deixis.worlds.photos.data.store import open_copsref
    from deixis.worlds.photos.language.read import read_reference
    from deixis.worlds.rooms.captions import captions, parse_caption
    from deixis.worlds.rooms.mentions import judge, read_mentions
    from deixis.worlds.rooms.scene import RoomScene

    scene = grid("r○1 b□2 .\n. y○3 .\ng○4 . >")
    words = open_copsref(corpus.photographs).scenes.vocabulary
    rooms = RoomScene(163_233)

    def command(text: str, rng: Generator) -> None:
        said = read(text, any_order=bool(rng.integers(2)))
        explain(said, scene)

    def caption(text: str, _rng: Generator) -> None:
        read_mentions(text)
        judge(text, rooms)

    def said(text: str, rng: Generator) -> None:
        ways = (
            lambda: parse_actions(text),
            lambda: parse_cell(text, size=6),
            lambda: answers.parse_choice(text, ["A", "B"]),
            lambda: answers.parse_region(text, count=9),
            lambda: answers.parse_caption(text),
        )
        with suppress(answers.Unparsable):  # which is what it is for
            ways[rng.integers(len(ways))]()

    def plan(text: str, _rng: Generator) -> None:
        (plan_from_letters if text[:1].isupper() else plan_from_words)(text)

    rows = pq.read_table(corpus.photographs / "data")["expression"].to_pylist()
    programs = [json.loads(row) for row in rows if row][:20]
    yield Target("command", COMMANDS, change_text, command, 4)
    yield Target("caption", CAPTIONS, change_text, caption, 4)
    strict = [one for name in ("exhaustive", "short") for one in captions(163_233, name)[:3]]
    yield Target("caption-grammar", strict, change_text, lambda text, _rng: parse_caption(text), 3)
    yield Target("reference", REFERENCES, change_text, lambda text, _rng: read_reference(text, words), 4)
    yield Target("answer-text", SAID, change_text, said, 4)
    yield Target("plan-text", ("LWWRWPQ", "turn left,walk,walk", "walk walk push"), change_text, plan, 2)
    yield Target("picture", (PICTURE,), change_text, lambda text, _rng: _read_picture(text), 3)
    yield Target(
        "board-address", ("6_a0.5s_rc2.1.1_bs1.3.4_gy3.2.2",), change_text, lambda text, _rng: from_address(text), 2
    )
    yield Target("expression", programs, change_tree, lambda tree, _rng: expression_from_plain(tree), 4)


# -------------------------------------------------------------------------------- files


def _plain_files(corpus: Corpus, scratch: Path) -> Iterable[Target]:
    from deixis.audits.grounded import read_grounded
    from deixis.prompts.files import read_given, read_key
    from deixis.prompts.scores import judge_answers, score
    from deixis.worlds.grid._scene_files import read_world
    from deixis.worlds.grid.data.plans import read_plans
    from deixis.worlds.grid.formats._compact import read_compact
    from deixis.worlds.grid.formats._recognise import read_any
    from deixis.worlds.photos._formats.copsref import read_refs
    from deixis.worlds.photos.data._predictions import read_answers
    from deixis.worlds.photos.data.graphs import read_table
    from deixis.worlds.photos.data.store import open_copsref
    from deixis.worlds.rooms.formats.a3ds import read_caption_file, read_image_list, read_vocabulary
    from deixis.worlds.rooms.judging._predictions import read_predictions

    released = json.loads(corpus.released.read_text(encoding="utf-8"))
    for part, examples in released["examples"].items():
        released["examples"][part] = examples[:2]
    scenes = open_copsref(corpus.photographs).scenes
    compact = corpus.compact.read_bytes().splitlines(keepends=True)[:3]
    gold = corpus.prompts.with_name("prompts.gold.jsonl")
    golds = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    given = [{"id": one["id"], "answer": "LWW"} for one in golds if "id" in one]
    world = {
        "size": 6,
        "agent": {"row": 0, "column": 5, "facing": "south"},
        "objects": [{"shape": "circle", "color": "red", "size": 2, "row": 1, "column": 1}],
    }

    def file(name: str, read: Callable[[Path], object]) -> Callable[[bytes, Generator], object]:
        return in_file(scratch, name, read)

    def tree(name: str, read: Callable[[Path], object]) -> Callable[[Any, Generator], object]:
        return lambda value, rng: in_file(scratch, name, read)(dumps(value), rng)

    def lines(name: str, read: Callable[[Path], object]) -> Callable[[Any, Generator], object]:
        def wrapped(value: Any, rng: Generator) -> object:
            rows = value if isinstance(value, list) else [value]
            return in_file(scratch, name, read)(b"\n".join(map(dumps, rows)) + b"\n", rng)

        return wrapped

    def judged(path: Path) -> None:
        strange: Counter[str] = Counter()
        score(judge_answers(read_key(gold).golds, read_given(path, strange=strange), strange=strange))

    def key(path: Path) -> None:
        for one in read_key(path).golds.values():
            for text in ("LWW", "", "A", "3"):
                one.judge(text)

    def releases(path: Path) -> None:
        drain(read_any(path))

    def verb_on_release(data: bytes, rng: Generator) -> None:
        path = scratch / "data-compositional-splits.txt"
        path.write_bytes(data)
        _some_verb(path, scratch, rng)

    yield Target("reascan", [released], change_tree, tree("released.txt", releases), 5)
    yield Target("reascan-bytes", [dumps(released)], change_bytes, file("released.txt", releases), 4)
    yield Target("reascan-verbs", [dumps(released)], change_bytes, verb_on_release, 0.5)
    yield Target(
        "reascan-tree-verbs", [released], change_tree, lambda value, rng: verb_on_release(dumps(value), rng), 1
    )
    yield Target("compact", compact, change_bytes, file("compact.jsonl", read_compact), 3)
    yield Target("plans", [GOOD_PLANS], change_bytes, file("plans.jsonl", read_plans), 3)
    yield Target("regions", [list(ANSWERS)], change_tree, lines("answers.jsonl", lambda p: read_answers(p, scenes)), 4)
    yield Target("coco", [COCO], change_tree, tree("coco.json", lambda p: read_answers(p, scenes)), 2)
    yield Target("captions-csv", [CSV], change_bytes, file("captions.csv", read_predictions), 3)
    yield Target("captions-lines", [list(LINES)], change_tree, lines("captions.jsonl", read_predictions), 3)
    yield Target("given", [given], change_tree, lines("given.jsonl", judged), 2)
    yield Target("gold", [golds], change_tree, lines("key.gold.jsonl", key), 3)
    yield Target("graphs", GRAPHS, change_tree, tree("graphs.json", read_table), 6)
    yield Target("graphs-bytes", [dumps(one) for one in GRAPHS], change_bytes, file("graphs.json", read_table), 3)
    yield Target("world", [world], change_tree, tree("world.json", lambda p: read_world(str(p))), 3)
    yield Target("refs", [{"info": {}, "refs": [RELEASED]}], change_tree, tree("refs.json", read_refs), 2)
    vocabulary = json.dumps({"START": 0, "END": 1, "UNK": 2, "PAD": 3, "a": 4, "ball": 5}).encode()
    yield Target("vocabulary", [vocabulary], change_bytes, file("vocabulary.json", read_vocabulary), 1)
    yield Target(
        "caption-file", [dumps({"0": ["a red ball"], "1": ["x"]})], change_bytes, file("c.json", read_caption_file), 1
    )
    yield Target("image-list", [b"1\n2\n479999\n"], change_bytes, file("ids.txt", read_image_list), 1)
    grounded = [HEADER, LINE]
    yield Target("grounded", [grounded], change_tree, lines("grounded.jsonl", read_grounded), 2)


def _settings(corpus: Corpus, scratch: Path) -> Iterable[Target]:
    from deixis.settings import read_toml
    from deixis.worlds.grid.making.recipe import read_recipe, recipe_from
    from deixis.worlds.grid.training.settings import training_of
    from deixis.worlds.photos.training.settings import grounding_of

    def file(name: str, read: Callable[[Path], object]) -> Callable[[bytes, Generator], object]:
        return in_file(scratch, name, read)

    def training(value: Any, rng: Generator) -> None:
        if isinstance(value, dict):  # as TOML always is
            names = ("m-lstm", "gcn-lstm", "transformer", "mattnet", "tree")
            name = names[rng.integers(len(names))]
            training_of(name, value) if name in names[:3] else grounding_of(name, value)

    yield Target("recipe-bytes", [RECIPE.encode()], change_bytes, file("recipe.toml", read_recipe), 2)
    manifest = json.loads((corpus.grid / "manifest.json").read_text(encoding="utf-8"))["recipe"]
    yield Target(
        "recipe",
        [manifest, {"mode": "every-word", "scale": "small", "seed": 1, "patterns": ["p1"]}],
        change_tree,
        lambda value, _rng: recipe_from(value),
        4,
    )
    training_file = b"steps = 10\nbatch_size = 4\nlr = 0.1\nbetas = [0.9, 0.99]\n[settings]\nwidth = 8\n"
    yield Target("training-bytes", [training_file], change_bytes, file("training.toml", read_toml), 2)
    values = {"steps": 10, "batch_size": 4, "lr": 0.1, "seed": 1, "clip": 1.0, "eval_every": 3}
    yield Target("training", [values], change_tree, training, 3)


# -------------------------------------------------------------------------------- files of others


def _readers(scratch: Path) -> Iterable[Target]:
    """Small files of every built-in reader, by their bytes and, where they are JSON, by their values."""
    from deixis.readers.registry import world_of_reader

    for name in SAMPLES:
        path, file = write_sample(name, scratch / "readers" / name)
        data = file.read_bytes()
        world = world_of_reader(name)
        yield Target(f"read-{name}", [data], change_bytes, _reading(world, path, file), 0.6)
        with suppress(ValueError):
            tree = json.loads(data)
            yield Target(f"read-{name}-tree", [tree], change_tree, _reading(world, path, file), 0.6)
    rows = scratch / "readers" / "rows"
    if not rows.exists():
        source, _ = write_sample("nlvr", scratch / "readers" / "whole")
        run_verb("convert", source, rows, "--to", "parquet")
    table = pq.read_table(rows / "data" / "dev.parquet")
    yield Target("read-rows", [table], change_table, _reading_rows(rows), 1)


def _reading(world: World, path: Path, file: Path) -> Callable[[Any, Generator], object]:
    """Everything that is read of a file, its first examples drawn and told."""

    def read(value: Any, _rng: Generator) -> None:
        file.write_bytes(value if isinstance(value, bytes) else dumps(value))
        world.reader.sniff(path)
        _look_at(world, world.part("examples").open(path))

    return read


def _reading_rows(folder: Path) -> Callable[[Any, Generator], object]:
    from deixis.worlds.registry import world_of

    def read(value: pa.Table, _rng: Generator) -> None:
        with suppress(pa.ArrowException, OverflowError):
            pq.write_table(value, folder / "data" / "dev.parquet")
        seal(folder)
        world = world_of(folder)
        _look_at(world, world.part("examples").open(folder))

    return read


def _look_at(world: World, examples: Any) -> None:
    pictures = world.part("pictures")
    for number, example in enumerate(examples):
        json.dumps(example.content())
        if number < 3:
            drain(iter(pictures.lines(example, number=number)))
            json.dumps(pictures.plain(example, number=number))
            pictures.draw(example, format="svg")


# -------------------------------------------------------------------------------- Parquet


def _parquet_files(corpus: Corpus, scratch: Path) -> Iterable[Target]:
    from deixis.judge.verdicts import read_verdicts
    from deixis.worlds.grid.data._judged_plans import find_plan_letters
    from deixis.worlds.grid.data.plans import read_plans
    from deixis.worlds.rooms.data._captions import caption_table, read_captions
    from deixis.worlds.rooms.data.make import read_pairs

    grid = pq.read_table(corpus.grid / "data" / "train-00000-of-00001.parquet").slice(0, 8)
    evaluated = corpus.folder / "evaluated"
    if not evaluated.exists():
        run_verb("evaluate", "random", "--data", corpus.grid, "--out", evaluated)
    verdicts = pq.read_table(next(evaluated.rglob("verdicts*.parquet"))).slice(0, 8)
    plans = pa.table({"id": pa.array([1, 2, 3], pa.uint64()), "plan": pa.array(["LWW", "W", ""])})
    pairs = pq.read_table(corpus.rooms / "pairs" / "test.parquet")
    captions = caption_table(pa.array([1, 2]).to_numpy(), "short").slice(0, 20)

    def write(table: pa.Table, name: str) -> Path:
        path = scratch / name
        with suppress(pa.ArrowException, OverflowError):
            pq.write_table(table, path)
        return path

    def table(name: str, read: Callable[[Path], object]) -> Callable[[Any, Generator], object]:
        return lambda value, _rng: drain(read(write(value, name)))

    def packed(table: pa.Table) -> bytes:
        path = scratch / "seed.parquet"
        pq.write_table(table, path)
        return path.read_bytes()

    def verbs(value: pa.Table, rng: Generator) -> None:
        _some_verb(write(value, "examples.parquet"), scratch, rng)

    def verbs_on_bytes(data: bytes, rng: Generator) -> None:
        (scratch / "examples.parquet").write_bytes(data)
        _some_verb(scratch / "examples.parquet", scratch, rng)

    yield Target("parquet", [grid], change_table, verbs, 3)
    yield Target("parquet-bytes", [packed(grid)], change_bytes, verbs_on_bytes, 2)
    yield Target("plans-parquet", [plans], change_table, table("plans.parquet", read_plans), 3)
    yield Target("verdicts", [verdicts], change_table, table("verdicts.parquet", read_verdicts), 3)
    yield Target("letters", [plans], change_table, table("p.parquet", lambda p: find_plan_letters(p, [1, 2])), 2)
    yield Target("pairs", [pairs], change_table, table("pairs.parquet", read_pairs), 3)
    yield Target("captions-parquet", [captions], change_table, table("captions.parquet", read_captions), 2)
    yield Target("captions-bytes", [packed(captions)], change_bytes, in_file(scratch, "c.parquet", read_captions), 2)


def _some_verb(path: Path, scratch: Path, rng: Generator) -> None:
    """One of the verbs that read examples of grid worlds."""
    out = scratch / "out"
    ways: Sequence[tuple[object, ...]] = (
        ("check", path, "--workers", 1),
        ("stats", path),
        ("show", path, int(rng.integers(4))),
        ("show", path, 0, "--out", scratch / "x.svg"),
        ("audit", path, "--workers", 1),
        ("convert", path, out.with_suffix(".txt"), "--to", "reascan", "--force", "--allow-losses"),
        ("convert", path, out.with_suffix(".jsonl"), "--to", "compact", "--force", "--allow-losses"),
        ("evaluate", "oracle", "--data", path),
        ("evaluate", "random", "--data", path),
        ("prompts", path, "--limit", 2),
        ("explain", "--scene", f"{path}#{rng.integers(4)}"),
    )
    run_verb(*ways[rng.integers(len(ways))])


# -------------------------------------------------------------------------------- folders


def _folders(corpus: Corpus) -> Iterable[Target]:
    grid, rooms, photographs = (
        corpus.copy(place, f"{place.name}-harmed") for place in (corpus.grid, corpus.rooms, corpus.photographs)
    )

    def verbs_of_grid(rng: Generator) -> None:
        if rng.integers(5) == 0:
            run_verb("card", grid, "--no-figures")
        else:
            _some_verb(grid, corpus.folder, rng)

    def verbs_of_rooms(rng: Generator) -> None:
        ways = (("check", rooms, "--workers", 1), ("stats", rooms), ("show", rooms, "--split", "random"))
        ways += (("card", rooms, "--no-figures"), ("prompts", rooms, "--limit", 2), ("doctor", rooms))
        ways += (("audit", rooms, "--sample", 5), ("explain", "--scene", f"{rooms}#{rng.integers(14)}"))
        ways += (("evaluate", "oracle", "--data", rooms), ("evaluate", "random", "--data", rooms))
        run_verb(*ways[rng.integers(len(ways))])

    def verbs_of_photographs(rng: Generator) -> None:
        ways: tuple[tuple[object, ...], ...] = (
            ("check", photographs),
            ("stats", photographs),
            ("show", photographs, int(rng.integers(4))),
            ("audit", photographs),
            ("prompts", photographs, "--limit", 2),
            ("card", photographs, "--no-figures"),
            ("explain", "--scene", f"{photographs}#{rng.integers(4)}"),
            ("evaluate", "oracle", "--data", photographs),
            ("evaluate", "random", "--data", photographs),
            ("convert", photographs, corpus.folder / "records", "--to", "copsref", "--force", "--allow-losses"),
            ("convert", photographs, corpus.folder / "coco.json", "--to", "coco", "--force", "--allow-losses"),
        )
        run_verb(*ways[rng.integers(len(ways))])

    for folder, verbs, share in (
        (grid, verbs_of_grid, 2),
        (rooms, verbs_of_rooms, 2),
        (photographs, verbs_of_photographs, 1),
    ):
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        yield Target(f"{folder.name}-manifest", [manifest], change_tree, _with_manifest(folder, verbs), share)
        tables = sorted(folder.rglob("*.parquet"))[:2]
        seeds = [(path, pq.read_table(path).slice(0, 12)) for path in tables]
        yield Target(f"{folder.name}-tables", seeds, _change_second(change_table), _with_table(folder, verbs), share)
    arrays = [(path, path.read_bytes()) for path in sorted((photographs / "scenes").iterdir())]
    npy = [one for one in arrays if one[0].suffix == ".npy"]
    texts = [(path, json.loads(data)) for path, data in arrays if path.suffix == ".json"]
    yield Target("scene-arrays", npy, _change_second(change_array), _with_bytes(photographs, verbs_of_photographs), 2)
    if texts:
        yield Target(
            "scene-manifest",
            texts,
            _change_second(change_tree),
            lambda value, rng: _with_bytes(photographs, verbs_of_photographs)((value[0], dumps(value[1])), rng),
            1,
        )


def _change_second(change: Callable[[Any, Generator], tuple[Any, str]]) -> Callable[[Any, Generator], tuple[Any, str]]:
    def changed(pair: tuple[Path, Any], rng: Generator) -> tuple[tuple[Path, Any], str]:
        value, what = change(pair[1], rng)
        return (pair[0], value), f"{pair[0].name}: {what}"

    return changed


def _with_manifest(folder: Path, verbs: Callable[[Generator], None]) -> Callable[[Any, Generator], None]:
    before = (folder / "manifest.json").read_bytes()

    def read(value: Any, rng: Generator) -> None:
        try:
            (folder / "manifest.json").write_bytes(dumps(value))
            verbs(rng)
        finally:
            (folder / "manifest.json").write_bytes(before)

    return read


def _with_table(folder: Path, verbs: Callable[[Generator], None]) -> Callable[[Any, Generator], None]:
    """A mutated table in its place; half of the time the manifest is made to fit it."""

    def write(pair: tuple[Path, pa.Table], file: Path) -> None:
        with suppress(pa.ArrowException, OverflowError):
            pq.write_table(pair[1], file)

    def read(pair: tuple[Path, pa.Table], rng: Generator) -> None:
        _harmed(folder, pair[0], lambda file: write(pair, file), verbs, rng)

    return read


def _with_bytes(folder: Path, verbs: Callable[[Generator], None]) -> Callable[[Any, Generator], None]:
    return lambda pair, rng: _harmed(folder, pair[0], lambda file: file.write_bytes(pair[1]), verbs, rng)


def _harmed(
    folder: Path, file: Path, harm: Callable[[Path], object], verbs: Callable[[Generator], None], rng: Generator
) -> None:
    manifest, data = (folder / "manifest.json").read_bytes(), file.read_bytes()
    try:
        harm(file)
        if rng.integers(4):
            seal(folder)
        verbs(rng)
    finally:
        file.write_bytes(data)
        (folder / "manifest.json").write_bytes(manifest)


# -------------------------------------------------------------------------------- functions


def _results(corpus: Corpus) -> Iterable[Target]:
    """What evaluations and inductions leave, and what reads it again."""
    from deixis._studio.library import Library
    from deixis._studio.model_results import read_model_results
    from deixis.worlds.grid.induce.solve import check_folder

    results = corpus.copy(corpus.folder / "evaluated", "evaluated-harmed")
    tasks = corpus.copy(corpus.make("tasks", "induce", "--out", "OUT", "--tasks", 3, "--workers", 1), "tasks-harmed")

    def write(path: Path, value: Any, read: Callable[[], object]) -> None:
        before = path.read_bytes()
        try:
            path.write_bytes(dumps(value))
            drain(read())
        finally:
            path.write_bytes(before)

    def judged(value: Any, rng: Generator) -> None:
        ways = (lambda: read_model_results(Library((results,))), lambda: run_verb("report", results))
        write(results / "evaluation.json", value, ways[rng.integers(2)])

    def task(pair: tuple[Path, Any], _rng: Generator) -> None:
        write(pair[0], pair[1], lambda: check_folder(tasks))

    found = json.loads((results / "evaluation.json").read_text(encoding="utf-8"))
    yield Target("results", [found], change_tree, judged, 2)
    files = [(path, json.loads(path.read_text(encoding="utf-8"))) for path in sorted(tasks.rglob("*.json"))]
    yield Target("tasks", files, _change_second(change_tree), task, 1)


def _functions(corpus: Corpus) -> Iterable[Target]:
    from deixis.bridges.metric_functions import exact_match, localisation, navigation, pragmatic

    def call(value: Any, rng: Generator) -> None:
        one, other = value
        ways = (
            lambda: exact_match(one, other),
            lambda: pragmatic(one, other, [3, 4]),
            lambda: navigation(one, corpus.grid, ids=other),
            lambda: localisation(one, corpus.photographs, ids=other),
        )
        ways[rng.integers(len(ways))]()

    def change(value: Any, rng: Generator) -> tuple[Any, str]:
        changed, what = change_tree(value, rng)
        if not isinstance(changed, list) or len(changed) != 2:
            return [nasty(rng), changed], what
        return changed, what

    seeds = [
        [["LWW", "W"], ["LWW", "L"]],
        [["a ball", "x"], [1, 2]],
        [{"1": "LWW", "2": "W"}, ["1"]],
        [{"100": "1/1"}, []],
        [["1/1", ""], [100, "101"]],
    ]
    yield Target("metrics", seeds, change, call, 2)


def _checkpoints(scratch: Path) -> Iterable[Target]:
    from deixis.learn.run import checkpoint_of
    from deixis.worlds.grid.training._checkpoints import load_model, read_checkpoint
    from deixis.worlds.grid.training.predict import _facts as facts_of
    from deixis.worlds.rooms.training._bundles import read_rooms

    path = scratch / "model.safetensors"
    seeds = []
    for name in ("m-lstm", "speaker-b", "room-encoder"):
        data = checkpoint_of(Path(name)).read_bytes()
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + length])
        about = {
            key: json.loads(value) if value[:1] in "{[" else value for key, value in header["__metadata__"].items()
        }
        seeds.append((name, about, header, data[8 + length :]))

    def change(seed: Any, rng: Generator) -> tuple[Any, str]:
        name, about, header, body = seed
        if rng.integers(3):
            about, what = change_tree(about, rng)
        elif rng.integers(2):
            header, what = change_tree(header, rng)
        else:
            body, what = change_bytes(body[:2000], rng)
        return (name, about, header, body), what

    def read(seed: Any, _rng: Generator) -> None:
        name, about, header, body = seed
        if isinstance(header, dict):
            said = about if isinstance(about, dict) else {"x": about}
            said = {str(key): value if isinstance(value, str) else json.dumps(value) for key, value in said.items()}
            header = {**header, "__metadata__": said}
        written = dumps(header)
        path.write_bytes(len(written).to_bytes(8, "little") + written + body)
        if name == "m-lstm":
            found = read_checkpoint(path)
            load_model(found, torch_cpu())
            json.dumps(facts_of(found, "", 120))
        else:
            found = read_rooms(path)
            _ = f"{found.step:,} {found.training.get('seed', 0):,}"
            for name in found.models:
                found.model(name, torch_cpu())

    yield Target("checkpoint", seeds, change, read, 1.5)


def torch_cpu() -> Any:
    """The processor, for models."""
    import torch

    return torch.device("cpu")


def _studio(corpus: Corpus) -> Iterable[Target]:
    from starlette.testclient import TestClient

    from deixis._studio.server import make_app

    client = TestClient(make_app([corpus.grid, corpus.photographs]), base_url="http://127.0.0.1")
    seeds = [
        *("/", "/results", "/play", "/playground", "/d/grid?text=red&split=test&page=2", "/d/grid/0", "/d/photographs"),
        "/d/grid/3/export.svg?style=release",
        "/playground?scene=6_a0.5s_rc2.1.1&text=the red circle",
        "/shapes/caption?text=a red ball&target=1&beside=2&by=label",
        "/d/photographs/3?setting=Cat&split=test",
        "/d/photographs/picture/1.png",
        "/results/compare?run=x&measure=exact&split=test&show=1",
    ]

    def visit(address: str, _rng: Generator) -> None:
        with suppress(UnicodeError, ValueError):  # of the client, which cannot send everything
            from urllib.parse import quote

            sent = quote(address, safe="/?&=%", errors="replace")[:4000]
            client.get(sent.replace("//", "/", 1) if sent.startswith("//") else sent)  # another host's, for the client

    def change(address: str, rng: Generator) -> tuple[str, str]:
        pieces = address.replace("?", " ").replace("&", " ").replace("=", " ").replace("/", " ")
        if rng.integers(2):
            changed, what = change_text(address, rng)
            return changed, what
        words = [word for word in pieces.split(" ") if word] or [""]
        word = words[rng.integers(len(words))]
        value = str(nasty(rng))[:500]
        return address.replace(word, value, 1), f"{word!r} set to {value!r:.60}"

    yield Target("studio", seeds, change, visit, 1)
