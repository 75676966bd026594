"""The interface of a world: one record that names its parts, and what each part offers to the verbs.

A world is one folder and one object. Verbs, pages and bridges know worlds only through this file: they ask the registry
(`deixis.worlds.registry`) for a world, and the world for a part. Parts are named by strings, "package.module" or
"package.module:object", and are imported when somebody asks for them, so that a world without torch parts works without
torch. A part that is missing makes its verb say so in one line.

| part | verbs that use it | protocol |
|---|---|---|
| `recipes` | make, fresh prompts, studio demo, warm | `Recipes` |
| `examples` | show, audit, prompts, studio, bridges | `OpensExamples` |
| `language` | explain, `dx.parse` | `Language` |
| `pictures` | show, studio, prompts | `Pictures` |
| `checks` | check | `Checks` |
| `statistics` | stats | `Statistics` |
| `card` | card, making | `TellsFacts` |
| `audit` | audit, where a world counts faster or more than `audits._plain` does | `Audits` |
| `judging` | evaluate, metrics | `Judging` |
| `models` | train, evaluate | `deixis.learn.run.Models` |
| `questions` | prompts, answers, Inspect, lm-eval | an object of `deixis.prompts.tasks.Questions` |
| `pages` | studio | `Pages` |
| `paper` | report | `Paper` |
| `formats` | convert | `Formats` |
| `items` | PyTorch, Hugging Face `evaluate` | `Items` |
| `environment` | Gymnasium, PettingZoo | a function that registers its environments with them |
| `commands` | verbs of its own | by name a function: its keyword-only parameters are options, it returns an `Output` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from deixis.errors import DeixisError, MissingPart, SchemaError
from deixis.worlds._parts import (
    Audits,
    Checks,
    ColorText,
    Formats,
    Items,
    Judging,
    Language,
    OpensExamples,
    Pages,
    Paper,
    Pictures,
    Recipe,
    Recipes,
    Statistics,
    TellsFacts,
    lacking_members,
)
from deixis.worlds.example import Example, Examples


if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = [
    "PARTS",
    "Audits",
    "Checks",
    "ColorText",
    "Example",
    "Examples",
    "Formats",
    "Items",
    "Judging",
    "Language",
    "OpensExamples",
    "Option",
    "Pages",
    "Paper",
    "Pictures",
    "Recipe",
    "Recipes",
    "Statistics",
    "TellsFacts",
    "World",
]

PARTS: tuple[str, ...] = (
    *("recipes", "examples", "language", "pictures", "checks", "statistics", "card", "audit", "judging", "models"),
    *("questions", "pages", "paper", "formats", "items", "environment", "commands"),
)
READY = ("pictures", "checks", "statistics", "card", "judging", "questions", "pages", "items")
"""Parts that a world with `examples` has without naming them: `deixis.worlds.toolkit.PART.ready_part(world)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option that a verb has for the datasets of one world only.

    Attributes:
        name: as Python writes it, `allow_losses` for `--allow-losses`.
        help: one line.
        kind: `str`, `int`, `float`, `bool` or `Path`; of `bool`, giving the option means True.
        choices: what may be given, where that can be listed.
        many: whether it may be given several times; what was given is a list.
    """

    name: str
    help: str
    kind: type = str
    choices: tuple[str, ...] = ()
    many: bool = False

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return "--" + self.name.replace("_", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A kind of scene with everything that Deixis does with it.

    Attributes:
        name: one word; manifests hold it.
        title: what it is, in a few words.
        task: what is asked of models: navigate, refer, localise, …
        parts: where each part lies, "package.module" or "package.module:object".
        datasets: what `deixis make` can make of it, with one line each.
        models: what `deixis train` can train for it, with one line each.
        options: by verb, what that verb understands for this world only.
        help: by verb, what its help says of this world: which forms `convert` writes, what `stats` draws.
        commands: verbs of its own, with one line each; the functions are in the part `commands`.
        names: what it adds to the names under `deixis`, with "module:object" of each: `dx.grid`; a name that begins
            with `testing.` is added to `deixis.testing`.
        kinds: what manifests of format 1 call its datasets; "" where they say nothing.
        package: the distribution that it comes with.
    """

    name: str
    title: str
    task: str
    parts: Mapping[str, str]
    datasets: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Sequence[Option]] = field(default_factory=dict)
    help: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()
    package: str = "deixis"

    def __post_init__(self) -> None:
        if not _is_word(self.name):
            raise SchemaError(f"the name of a world is one word in small letters, got {self.name!r}")
        for what in ("title", "task", "package"):
            if not isinstance(value := getattr(self, what), str):
                raise SchemaError(f"the {what} of the world {self.name} is a text, got {value!r}")
        for what in ("parts", "datasets", "models", "help", "commands", "names"):
            if not _are_texts_by_name(value := getattr(self, what)):
                raise SchemaError(f"the {what} of the world {self.name} are texts by name, got {value!r}")
        if not _are_texts(self.kinds):
            raise SchemaError(f"the kinds of the world {self.name} are several texts, got {self.kinds!r}")
        if not _are_options_by_verb(self.options):
            raise SchemaError(f"the options of the world {self.name} are several Option by verb, got {self.options!r}")
        for name, home in self.parts.items():
            if name not in PARTS:
                raise SchemaError(f"a world has no part {name!r}; known: {', '.join(PARTS)}")
            if not home.partition(":")[0]:
                raise SchemaError(f"the part {name!r} of {self.name} is named by 'module:object', got {home!r}")

    def has(self, part: str) -> bool:
        """Return whether there is such a part, its own or a ready-made one, without importing it."""
        return part in self.parts or (part in READY and "examples" in self.parts)

    def part(self, name: str) -> Any:
        """A part, imported now.

        Raises:
            MissingPart: when the world has none; the message names the worlds that do.
            SchemaError: when it cannot be imported, or lacks what its protocol asks for.
            ModuleNotFoundError: when it needs a package that is not installed.
        """
        if name not in PARTS:
            raise SchemaError(f"a world has no part {name!r}; known: {', '.join(PARTS)}")
        if name not in self.parts and self.has(name):
            return import_module(f"deixis.worlds.toolkit.{name}").ready_part(self)
        if name not in self.parts:
            from deixis.worlds.registry import worlds_with

            others = ", ".join(worlds_with(name)) or "none"
            such = "some" if name.endswith("s") else "one"
            raise MissingPart(f"{self.name} has no {name}; worlds with {such}: {others}")
        found = self._import_part(name)
        if lacking := lacking_members(name, found):
            raise SchemaError(f"the part {name!r} of the world {self.name} has no {', '.join(lacking)}")
        return found

    def _import_part(self, name: str) -> Any:
        module, _, inside = self.parts[name].partition(":")
        try:
            found = import_module(module)
            return getattr(found, inside) if inside else found
        except DeixisError:
            raise
        except ModuleNotFoundError as error:
            if error.name is None or not (module == error.name or module.startswith(f"{error.name}.")):
                raise  # a package that the part needs is not installed, which is said elsewhere
            raise SchemaError(f"the part {name!r} of the world {self.name} is not there: no module {module}") from error
        except AttributeError as error:
            if not inside:
                raise
            raise SchemaError(
                f"the part {name!r} of the world {self.name} is not there: {module} has no {inside}"
            ) from error
        except ImportError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise SchemaError(f"the part {name!r} of the world {self.name} cannot be imported: {reason}") from error

    @property
    def family(self) -> str:
        """Name for the worlds that share their options: its own, or that of all files that readers read."""
        return self.name

    def options_of(self, verb: str) -> dict[str, Option]:
        """The options that a verb has for this world only, by name."""
        return {option.name: option for option in self.options.get(verb, ())}


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier() and value == value.lower()


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(one, str) for one in value)


def _are_texts_by_name(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(one, str) for pair in value.items() for one in pair)


def _are_options_by_verb(value: object) -> bool:
    if not isinstance(value, Mapping) or not all(isinstance(some, tuple | list) for some in value.values()):
        return False
    return all(isinstance(one, Option) for some in value.values() for one in some)
