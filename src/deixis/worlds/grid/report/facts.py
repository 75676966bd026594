"""What the manifest of a dataset says, read with suspicion: a manifest may come from anywhere."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.datasets.store import MANIFEST, file_digest
from deixis.errors import BrokenDataset
from deixis.reports.charts import pattern_words


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.datasets.store import Dataset


__all__ = ["Facts", "Made", "Split", "Words", "facts_of", "recipe_toml"]

PLAIN = {
    "train": "training",
    "dev": "development, same distribution as training",
    "test": "test, same distribution as training",
    "aside": "held out of training, but what is held out does not matter in it: in no test set",
}
KINDS = {
    "phrase": "the words ‘{}’ said of one thing",
    "thing": "any mentioned {}, whatever it is called",
}


@dataclass(frozen=True, kw_only=True)
class Split:
    """One split: its size, what it is about, what it keeps out of training, and under which id."""

    name: str
    examples: int
    about: str
    holds_out: str
    id: str


class Words(NamedTuple):
    """How the making went for the commands of one number of content words."""

    tried: int
    short: int
    fruitless: int


@dataclass(frozen=True, kw_only=True)
class Made:
    """One pool of commands and how the making of its worlds went.

    `by_words` says, for each number of content words, how many commands were tried, how many got fewer worlds than
    asked and how many none; it is empty where the manifest is of an older kind.
    """

    name: str
    pattern: str
    asked: str
    examples: int
    commands: int
    tries: Mapping[str, int]
    fruitless: int
    missing: int
    by_words: Mapping[int, Words]

    @property
    def acceptance(self) -> float:
        """The share of tries that ended in a world."""
        return self.tries.get("accepted", 0) / max(sum(self.tries.values()), 1)


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known of a dataset without looking at its examples."""

    name: str
    mode: str
    seed: int
    made_by: str
    examples: int
    recipe: Mapping[str, Any]
    recipe_digest: str
    content: str
    manifest_digest: str
    splits: tuple[Split, ...]
    pools: tuple[Made, ...]
    shown: tuple[str, ...]


def facts_of(dataset: Dataset) -> Facts:
    """What the manifest says.

    Raises:
        BrokenDataset: when something is missing or of the wrong kind.
    """
    try:
        return _facts(dataset)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = f"{type(error).__name__} {error}".splitlines()[0][:120]
        raise BrokenDataset(
            f"the manifest of {dataset.path.name} is incomplete ({reason}); make the dataset again"
        ) from error


def _facts(dataset: Dataset) -> Facts:
    manifest = dataset.manifest
    recipe = manifest["recipe"]
    rules = {str(rule["name"]): rule for rule in recipe["hold_out"]}
    asked = {str(pool["name"]): pool for pool in (*recipe["pools"], *recipe["tests"])}
    return Facts(
        name=str(recipe["name"]),
        mode=str(recipe["mode"]),
        seed=int(recipe["seed"]),
        made_by=str(manifest["made by"]),
        examples=int(manifest["examples"]),
        recipe=dict(recipe),
        recipe_digest=str(manifest["recipe digest"]),
        content=str(manifest["content"]),
        manifest_digest=file_digest(dataset.path / MANIFEST),
        splits=tuple(_split(str(name), int(size), rules.get(str(name))) for name, size in dataset.splits.items()),
        pools=tuple(_made(str(name), made, asked[str(name)]) for name, made in manifest["pools"].items()),
        shown=tuple(map(str, manifest["leakage proof"]["shown"])),
    )


def _split(name: str, size: int, rule: Mapping[str, Any] | None) -> Split:
    if rule is None:
        return Split(name=name, examples=size, about=PLAIN.get(name, ""), holds_out="", id="")
    return Split(name=name, examples=size, about=str(rule["about"]), holds_out=_held_out(rule), id=str(rule["id"]))


def _held_out(rule: Mapping[str, Any]) -> str:
    """What a rule keeps out of training, in words."""
    said = [words.format(rule[key]) for key, words in KINDS.items() if rule.get(key)]
    if rule.get("pattern"):
        said.append(f"commands of the pattern {pattern_words(str(rule['pattern']))}")
    if rule.get("relations"):
        said.append(f"the relations {' and '.join(map(str, rule['relations']))} in one command")
    if rule.get("new_phrases"):
        said.append("noun phrases that training never has together")
    text = "; ".join(said)
    decisive = str(rule.get("decisive") or "").replace("color", "colour")
    return f"{text} (tested where the {decisive} word is needed)" if decisive else text


def _made(name: str, made: Mapping[str, Any], asked: Mapping[str, Any]) -> Made:
    return Made(
        name=name,
        pattern=str(asked["pattern"]),
        asked=f"{int(asked['commands']):,} × {int(asked['worlds']):,}",
        examples=int(made["examples"]),
        commands=int(made["commands"]),
        tries={str(outcome): int(count) for outcome, count in made["tries"].items()},
        fruitless=int(made["commands without any world"]),
        missing=int(made["worlds missing"]),
        by_words={
            int(words): Words(int(counts["tried"]), int(counts["too few worlds"]), int(counts["no world"]))
            for words, counts in made.get("by content words", {}).items()
        },
    )


def recipe_toml(recipe: Mapping[str, Any]) -> str:
    """A recipe as the TOML file that `read_recipe` reads."""
    plain = {key: value for key, value in recipe.items() if not _is_tables(value)}
    lines = [f"{key} = {_toml(value)}" for key, value in plain.items()]
    for key, tables in recipe.items():
        for entry in tables if _is_tables(tables) else ():
            lines += ["", f"[[{key}]]", *(f"{name} = {_toml(value)}" for name, value in entry.items())]
    return "\n".join(lines) + "\n"


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)


def _toml(value: object) -> str:
    """A value in TOML, which for texts, numbers, truth values and lists of them is written as in JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
