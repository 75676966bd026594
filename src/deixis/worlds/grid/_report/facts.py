"""The facts in the manifest of a dataset, and the sections of a report about them.

A manifest is read with suspicion: it may come from anywhere.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.data.store import MANIFEST, file_digest
from deixis.errors import BrokenDataset
from deixis.report._markup import number
from deixis.report._palette import pattern_words
from deixis.worlds.grid._report.templates import report_part


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.data.store import Dataset
    from deixis.worlds.grid.data.statistics import Statistics


MODES = {
    "compatible": "This dataset repeats the released generator of ReaSCAN, its faults included, so that results can be "
    "compared with published ones.",
    "corrected": "This dataset mends the faults of the released generator of ReaSCAN: a world is accepted only if the "
    "command fits exactly one object and every clause is needed to find it.",
    "every-word": "In this dataset no content word can be spared: a world is accepted only if the command fits exactly "
    "one object, and ignoring any one size, colour or shape word, or any clause, lets another object through. What "
    "is to be pushed or pulled really moves, and no two worlds of a command are equal up to the order of rows and "
    "columns.",
    "gscan": "This dataset is made as gSCAN was: simple commands, and other objects chosen at random, whatever the "
    "words of the command need. It is there to be compared with.",
}
COMMAND = "deixis make reascan --recipe recipe.toml --out again"

PLAIN = {
    "train": "training",
    "dev": "development, same distribution as training",
    "test": "test, same distribution as training",
    "aside": "held out of training, but what is held out does not matter in it: in no test set",
}
KINDS = {
    "phrase": "the words ‘{}’ said of one thing",
    "thing": "any mentioned {}, whatever it is called",
    "first_clause": "‘{}’ as the first clause",
}


@dataclass(frozen=True, kw_only=True)
class Split:
    """One split: its size, its subject, the examples it keeps out of training, and its id."""

    name: str
    examples: int
    about: str
    holds_out: str
    id: str


class WordsOutcome(NamedTuple):
    """The outcome of the making for the commands of one number of content words."""

    tried: int
    short: int
    fruitless: int


@dataclass(frozen=True, kw_only=True)
class PoolOutcome:
    """One pool of commands and the outcome of making its worlds.

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
    by_words: Mapping[int, WordsOutcome]

    @property
    def acceptance(self) -> float:
        """The share of tries that ended in a world."""
        return self.tries.get("accepted", 0) / max(sum(self.tries.values()), 1)


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts about a dataset that are known without its examples."""

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
    pools: tuple[PoolOutcome, ...]
    shown: tuple[str, ...]


def facts_of(dataset: Dataset) -> Facts:
    """Read the facts from the manifest of a dataset.

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
        pools=tuple(_pool_outcome(str(name), made, asked[str(name)]) for name, made in manifest["pools"].items()),
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
        order = ", in this order" if rule.get("in_order") else ""
        said.append(f"the relations {' and '.join(map(str, rule['relations']))} in one command{order}")
    if rule.get("new_phrases"):
        said.append("noun phrases that training never has together")
    text = "; ".join(said)
    decisive = str(rule.get("decisive") or "").replace("color", "colour")
    return f"{text} (tested where the {decisive} word is needed)" if decisive else text


def _pool_outcome(name: str, made: Mapping[str, Any], asked: Mapping[str, Any]) -> PoolOutcome:
    return PoolOutcome(
        name=name,
        pattern=str(asked["pattern"]),
        asked=f"{int(asked['commands']):,} × {int(asked['worlds']):,}",
        examples=int(made["examples"]),
        commands=int(made["commands"]),
        tries={str(outcome): int(count) for outcome, count in made["tries"].items()},
        fruitless=int(made["commands without any world"]),
        missing=int(made["worlds missing"]),
        by_words={
            int(words): WordsOutcome(int(counts["tried"]), int(counts["too few worlds"]), int(counts["no world"]))
            for words, counts in made.get("by content words", {}).items()
        },
    )


def recipe_toml(recipe: Mapping[str, Any]) -> str:
    """Write a recipe as the TOML file that `read_recipe` reads."""
    plain = {key: value for key, value in recipe.items() if not _is_tables(value)}
    lines = _toml_fields(plain)
    for key, tables in recipe.items():
        for entry in tables if _is_tables(tables) else ():
            lines += ["", f"[[{key}]]", *_toml_fields(entry)]
    return "\n".join(lines) + "\n"


def _toml_fields(values: Mapping[str, Any]) -> list[str]:
    """Return fields as TOML; one without a value is left out, since TOML has no null."""
    return [f"{name} = {_toml(value)}" for name, value in values.items() if value is not None]


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)


def _toml(value: object) -> str:
    """Return a value in TOML: texts, numbers and truth values as in JSON, records as inline tables."""
    if isinstance(value, dict):
        return f"{{ {', '.join(_toml_fields(value))} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# -------------------------------------------------------------------------------- sections


def made_section(facts: Facts, statistics: Statistics) -> str:
    """Describe the splits with the examples they hold out, and the pools with their success rates."""
    names = list(dict.fromkeys(outcome for made in facts.pools for outcome in made.tries))
    outcomes = {
        "heads": ["a try for a world ended with", *(made.name for made in facts.pools)],
        "rows": [[name, *(number(made.tries.get(name, 0)) for made in facts.pools)] for name in names],
    }
    return report_part(
        "made",
        facts=facts,
        about=MODES.get(facts.mode, ""),
        patterns="; ".join(f"{pattern_words(name)}, {number(n)} examples" for name, n in statistics.patterns.items()),
        joint=sum(split.examples for split in facts.splits) - facts.examples,
        outcomes=outcomes,
    )


def reproduce_section(facts: Facts) -> str:
    """Describe the reproduction: the command, the recipe, and the digests of the result."""
    digests = {
        "Content (what is in which split)": facts.content,
        "Manifest (SHA-256)": facts.manifest_digest,
        "Recipe": facts.recipe_digest,
        "Made by": facts.made_by,
    }
    return report_part("reproduce", facts=facts, command=COMMAND, recipe=recipe_toml(facts.recipe), digests=digests)
