"""What is made and asked: small datasets of every world and mode, the verbs on them, and the shipped checkpoints."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from deixis._cli import main
from tests.frozen.digests import card_facts, digest, facts_of, file_facts, line_facts, picture_facts, plain
from tests.frozen.graphs import scene_graphs


if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Facts = dict[str, Any]


__all__ = ["FROZEN", "MODELS"]

RECIPE = """
mode = "{mode}"
seed = 5
hold_out = [{hold_out}]
dev = 0.1
test = 0.1
{pools}
"""
POOL = """
[[{kind}]]
name = "{name}"
pattern = "{pattern}"
commands = {commands}
worlds = {worlds}
"""
MANIFEST = ("content", "examples", "images", "captions", "splits", "pools", "leakage proof", "losses")
MEASURES = ("exact", "got_there", "right_target", "tokens_right")  # of models that carry out commands
WHOLE = 39  # captions; a mean over fewer of them is too unsteady to be held
HELD_OUT = ("a1", "a2", "a3", "b1", "b2", "c1", "c2")


def run(*words: object) -> tuple[int, str, str]:
    """The exit code of a command, and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in words])
    return code, out.getvalue(), err.getvalue()


def make(*words: object) -> None:
    """Make a dataset on one core."""
    code, _, err = run("make", *words, "--workers", 1)
    assert code == 0, err


def ask(folder: Path, *words: object, depth: int = 3) -> Facts:
    """What a command answers in JSON, or the line by which it is refused."""
    code, out, err = run(*words, "--json")
    if not out:
        return {"exit code": code, "refused": plain(err.strip().splitlines()[-1], folder.parent)}
    return {"exit code": code, **facts_of(plain(json.loads(out), folder.parent), depth)}


# ---------------------------------------------------------------------------------------------------- datasets


def dataset_facts(
    folder: Path, *, shown: tuple[str, ...], prompts: dict[str, list[str]], audited: int | None = None
) -> Facts:
    """What is held of a dataset of any world; of large ones a sample is audited."""
    sample = () if audited is None else ("--sample", audited)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    facts: Facts = {
        "manifest": facts_of(plain({key: manifest[key] for key in MANIFEST if key in manifest}, folder.parent), 2),
        "data files": file_facts(folder),
        "card": card_facts(folder),
        "check": ask(folder, "check", folder, "--workers", 1),
        "stats": ask(folder, "stats", folder),
        "audit": ask(folder, "audit", folder, "--workers", 1, *sample, depth=4),
    }
    for name in ("oracle", "random"):
        facts[f"evaluate {name}"] = ask(folder, "evaluate", name, "--data", folder, "--seed", 3)
    for which in shown:
        facts[f"show {which}"] = ask(folder, "show", folder, *which.split(), depth=2)
    for name, options in prompts.items():
        facts[f"prompts {name}"] = _prompts(folder, options)
    return facts


def _prompts(folder: Path, options: list[str]) -> Facts:
    out = folder.parent / "asked" / "prompts.jsonl"
    out.parent.mkdir(exist_ok=True)
    code, _, err = run("prompts", folder, "--limit", 5, "--seed", 1, "--out", out, *options)
    assert code == 0, err
    files = {name: out.with_name(name) for name in ("prompts.jsonl", "prompts.gold.jsonl")}
    facts = {name: line_facts(path) for name, path in files.items()}
    for path in files.values():
        path.unlink()
    return facts


def grid(place: Path, *, mode: str, p1: tuple[int, int], p3: tuple[int, int]) -> Facts:
    """A dataset of commands on boards, with every split of the paper."""
    folder = make_grid(place, mode=mode, p1=p1, p3=p3)
    prompts = {
        "actions": ["--answer", "actions", "--shots", "2"],
        "target": ["--answer", "target", "--style", "board"],
    }
    return dataset_facts(folder, shown=("0", "30"), prompts=prompts)


def make_grid(place: Path, *, mode: str, p1: tuple[int, int], p3: tuple[int, int]) -> Path:
    """The folder of such a dataset; pools have so many commands with so many worlds each."""
    pools = [("pools", "p1", "p1", *p1), ("pools", "p3", "p3", *p3)]
    pools += [("tests", "b1", "p3", 3, 2), ("tests", "c1", "p4", 4, 2), ("tests", "c2", "chain", 4, 2)]
    return _make_recipe(place, mode, HELD_OUT, pools)


def gscan(place: Path) -> Facts:
    """A dataset in the manner of gSCAN."""
    folder = _make_recipe(
        place, "gscan", ("gscan/yellow-squares-v1", "gscan/red-squares-v1"), [("pools", "simple", "p1", 100, 3)]
    )
    return dataset_facts(folder, shown=("0",), prompts={"actions": ["--answer", "actions"]})


def _make_recipe(place: Path, mode: str, hold_out: tuple[str, ...], pools: list[tuple[Any, ...]]) -> Path:
    fields = ("kind", "name", "pattern", "commands", "worlds")
    text = "".join(POOL.format(**dict(zip(fields, pool, strict=True))) for pool in pools)
    recipe = place / "recipe.toml"
    names = ", ".join(f'"{name}"' for name in hold_out)
    recipe.write_text(RECIPE.format(mode=mode, hold_out=names, pools=text), encoding="utf-8")
    make("reascan", "--recipe", recipe, "--out", place / mode)
    return place / mode


def a3ds(place: Path) -> Facts:
    """The splits of all rooms, both kinds of pairs, the test sets, a few pictures; captions as they are shown."""
    folder = place / "a3ds"
    make("a3ds", "--captions", "none", "--pairs", "--test-sets", "--pictures", 3, "--out", folder)
    prompts = {"choose": ["--answer", "choose"], "caption": ["--answer", "caption", "--split", "shape,background"]}
    single = [f"{image} --split images" for image in (0, 123456, 271828, 479999)]
    shown = ("0", "12345", *single, "5 --split shape+scale")
    facts = dataset_facts(folder, shown=shown, prompts=prompts, audited=4000)
    return facts | {"captions": _all_captions(), "pictures": _pictures(folder / "pictures")}


def _all_captions() -> Facts:
    """What every grammar says of some rooms; the verb would write millions of captions."""
    from deixis.worlds.rooms.captions import GRAMMARS, captions

    said = {grammar: [list(captions(image, grammar)) for image in range(0, 480_000, 9973)] for grammar in GRAMMARS}
    return {grammar: [rooms[7][0], f"{len(rooms)} with digest {digest(rooms)}"] for grammar, rooms in said.items()}


def copsref_imagined(place: Path) -> Facts:
    """Photographs that are imagined and drawn."""
    folder = place / "imagined"
    shares = ["--val", 0, "--test", 0.6, "--each", 1, "--fewest", 1]
    make("copsref", "--images", 60, *shares, "--closed-world", "--out", folder)
    facts = dataset_facts(folder, shown=("0", "80"), prompts={"region": ["--answer", "region"]})
    return facts | {"pictures": _pictures(folder / "images")}


def copsref_given(place: Path) -> Facts:
    """Expressions about scene graphs of one's own, guarded against what is not annotated."""
    folder, scenes = place / "given", place / "scenes.json"
    scenes.write_text(json.dumps(scene_graphs(40)), encoding="utf-8")
    shares = ["--val", 0.25, "--test", 0.35, "--each", 1, "--fewest", 1]
    make("copsref", "--scenes", scenes, *shares, "--out", folder)
    return dataset_facts(folder, shown=("0", "80"), prompts={"region": ["--answer", "region", "--setting", "Cat"]})


def _pictures(folder: Path) -> Facts:
    return {key: value for path in sorted(folder.glob("*.parquet")) for key, value in picture_facts(path).items()}


# ---------------------------------------------------------------------------------------------------- checkpoints


def grid_models(place: Path) -> Facts:
    """How the shipped models carry out some sixty commands, and their plans."""
    folder = make_grid(place, mode="corrected", p1=(60, 1), p3=(90, 2))
    return {name: _plans(folder, name) for name in ("m-lstm", "gcn-lstm", "program", "transformer")}


def _plans(folder: Path, name: str) -> Facts:
    out = folder.parent / name
    words = ["--split", "dev,a2,a3", "--device", "cpu", "--seed", 1, "--out", out]
    code, printed, err = run("evaluate", name, "--data", folder, *words, "--json")
    assert code == 0, err
    splits = json.loads(printed)["splits"].values()
    counts = [split["examples"] for split in splits]
    means = {key: _short(np.average([split[key] for split in splits], weights=counts)) for key in MEASURES}
    tables = pa.concat_tables(pq.read_table(path) for path in sorted((out / "predictions").glob("*.parquet")))
    return {"examples": counts, **means, "plans": tables["plan"].to_pylist()}


def speakers(place: Path) -> Facts:
    """How the shipped speakers caption 39 pairs, and what they say of a few pictures; what the encoder sees."""
    folder = place / "a3ds"
    make("a3ds", "--captions", "none", "--pictures", 24, "--out", folder)
    _write_pictures(folder / "pictures" / "train.parquet", place)
    facts = {name: _captions(place, name) for name in ("speaker-b", "speaker-rp", "speaker-sp", "speaker-contrast")}
    return facts | {"room-encoder": _features(place / "cache")}


def _write_pictures(table: Path, place: Path) -> None:
    """Every third picture of a file, and which of them are shown together."""
    (place / "pictures").mkdir()
    names = []
    for row in pq.read_table(table).to_pylist()[::3]:
        names.append(f"{row['image']}.png")
        (place / "pictures" / names[-1]).write_bytes(row["picture"]["bytes"])
    pairs = [f"{name},{other}" for name, other in zip(names, names[1:] + names[:1], strict=True)]
    (place / "pairs.csv").write_text("\n".join(["target,distractor", *pairs, ""]), encoding="utf-8")


def _captions(place: Path, name: str) -> Facts:
    alike = ["--device", "cpu", "--seed", 1, "--workers", 1, "--json"]
    code, printed, err = run("evaluate", name, "--count", 3, "--cache", place / "cache", *alike)
    assert code == 0, err
    scores = json.loads(printed)["overall"]
    scores = {key: one for key, one in scores.items() if one["rows"] >= WHOLE and not key.startswith("contrast_gap/")}
    code, printed, err = run("evaluate", name, "--pictures", place / "pictures", "--pairs", place / "pairs.csv", *alike)
    assert code == 0, err
    said = [one["prediction"] for one in json.loads(printed)["said"]]
    return {"overall": {key: _short(one["mean"]) for key, one in scores.items()}, "said of pictures": said}


def _features(cache: Path) -> Facts:
    """What the encoder made of the rooms that were captioned."""
    arrays = [np.load(path, allow_pickle=False) for path in sorted(cache.glob("*.npy"))]
    (features,) = [array.astype(np.float64) for array in arrays if array.ndim == 2]
    return {
        "rooms": features.shape[0],
        "features": features.shape[1],
        "mean": _short(features.mean()),
        "spread": _short(features.std()),
        "spread of the first rooms": [_short(row.std()) for row in features[:8]],
        "first room, part by part": [_short(part.mean()) for part in np.array_split(features[0], 8)],
    }


def _short(value: float) -> float:
    return value if isinstance(value, int) else round(float(value), 4)


FROZEN: dict[str, Callable[[Path], Facts]] = {
    "reascan compatible": partial(grid, mode="compatible", p1=(60, 1), p3=(90, 2)),
    "reascan corrected": partial(grid, mode="corrected", p1=(60, 1), p3=(90, 2)),
    "reascan every-word": partial(grid, mode="every-word", p1=(60, 1), p3=(60, 2)),
    "gscan": gscan,
    "a3ds": a3ds,
    "copsref imagined": copsref_imagined,
    "copsref given": copsref_given,
}
MODELS: dict[str, Callable[[Path], Facts]] = {
    "shipped grid models": grid_models,
    "shipped speakers": speakers,
}
