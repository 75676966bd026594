"""Requirements of the extras, their state in this installation, and the command that installs the rest."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from deixis.errors import UnknownName


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


NAME = "deixis"
BARE = "(bare)"  # what comes without any extra
ABOUT: Mapping[str, str] = {
    BARE: "scenes, expressions, resolution, language, this command",
    "cluster": "making and checking on many machines, object storage",
    "data": "datasets and pictures",
    "environments": "Gymnasium and PettingZoo",
    "hf": "Hugging Face datasets and metrics, Croissant",
    "lite0": "weights of EfficientNet-Lite0, to see photographs with",
    "llm": "Inspect AI and lm-evaluation-harness",
    "report": "figures",
    "shapes": "the HDF5 file of 3D Shapes",
    "studio": "datasets in the browser",
    "tensorboard": "curves of trainings for TensorBoard",
    "train": "models",
    "wandb": "curves of trainings for Weights & Biases",
}  # the extras for users, and what they are for; others belong to work on the project itself
REQUIREMENT = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[([^\]]*)\])?\s*([^;]*)(?:;\s*(.*))?$")
OF_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
AT_LEAST = re.compile(r">=\s*([0-9.]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One package that an extra asks for.

    Attributes:
        name: the name it is installed by.
        version: of what is installed; None where nothing is.
        least: the lowest version that will do, empty for any.
    """

    name: str
    version: str | None
    least: str

    @property
    def is_old(self) -> bool:
        """True if the installed version is older than the required one."""
        return self.version is not None and _numbers(self.version) < _numbers(self.least)

    @property
    def is_there(self) -> bool:
        """True if it is installed and new enough."""
        return self.version is not None and not self.is_old

    def __str__(self) -> str:
        if self.version is None:
            return f"{self.name} is missing"
        return f"{self.name} {self.version}{f' is older than {self.least}' if self.is_old else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """A set of packages that is installed together.

    Attributes:
        name: of the extra.
        about: what it is for.
        packages: all that it asks for, by name.
        own: those that `data` does not bring anyhow.
        command: what brings all of them.
    """

    name: str
    about: str
    packages: tuple[Package, ...]
    own: tuple[Package, ...]
    command: str

    @property
    def is_there(self) -> bool:
        """True if every package of it is there."""
        return all(package.is_there for package in self.packages)

    @property
    def lacking(self) -> tuple[Package, ...]:
        """The packages that are missing or too old."""
        return tuple(package for package in self.packages if not package.is_there)


def extras() -> tuple[Extra, ...]:
    """Every extra for users, what comes without one first."""
    asked = _requirements_by_extra()
    shared = set(_packages("data", asked))
    found = []
    for name, about in ABOUT.items():
        if name in asked:
            packages = tuple(_packages(name, asked))
            own = tuple(package for package in packages if name == "data" or package not in shared)
            found.append(Extra(name=name, about=about, packages=packages, own=own, command=_command(name)))
    return tuple(found)


def find_extra(name: str, known: Sequence[Extra]) -> Extra:
    """Return the extra of a name, or raise `UnknownName` with the nearest one."""
    for extra in known:
        if extra.name == name:
            return extra
    names = [extra.name for extra in known if extra.name != BARE]
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
    raise UnknownName(f"there is no extra {name!r}; {hint}")


def source_tree() -> Path | None:
    """Return the checkout that deixis runs from, or None if it is installed like any other package."""
    root = Path(__file__).parents[3]
    return root if (root / "pyproject.toml").is_file() and (root / "src" / NAME).is_dir() else None


def _requirements_by_extra() -> dict[str, list[str]]:
    """Return the requirements of each extra, from the checkout or else from the installed metadata."""
    root = source_tree()
    if root is not None:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return {BARE: project["dependencies"], **project["optional-dependencies"]}
    found: dict[str, list[str]] = {BARE: []}
    with suppress(metadata.PackageNotFoundError):
        for line in metadata.requires(NAME) or ():
            extra = OF_EXTRA.search(line)
            found.setdefault(extra[1] if extra else BARE, []).append(line)
    return found


def _packages(name: str, asked: Mapping[str, list[str]]) -> Iterator[Package]:
    """The packages of an extra, those of extras within it included, each once."""
    seen: dict[str, str] = {}
    waiting, met = [name], {name}
    while waiting:
        for line in asked.get(waiting.pop(), ()):
            package, inner, bounds = _read(line)
            if package == NAME:
                waiting += [one for one in inner if one not in met]
                met.update(inner)
            else:
                seen.setdefault(package, bounds)
    for package in sorted(seen):
        yield Package(name=package, version=_version(package), least=seen[package])


def _read(line: str) -> tuple[str, tuple[str, ...], str]:
    """A requirement as its name, the extras of it and the lowest version."""
    found = REQUIREMENT.match(line.strip())
    assert found is not None, line  # our own pyproject.toml, or metadata made from it
    inner = tuple(part.strip() for part in (found[2] or "").split(",") if part.strip())
    least = AT_LEAST.search(found[3])
    return found[1].lower(), inner, least[1] if least else ""


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with: 2.13.0+cpu is (2, 13, 0)."""
    begin = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    return tuple(map(int, begin[0].split("."))) if begin else ()


def _command(extra: str) -> str:
    """What to type to have an extra, from where deixis itself came."""
    wanted = "" if extra == BARE else f"[{extra}]"
    install = [sys.executable or "python", "-m", "pip", "install"]
    root = source_tree()
    if root is not None:
        return shlex.join([*install, "--editable", f"{root}{wanted}"])
    came = _came_from()
    return shlex.join([*install, f"{NAME}{wanted} @ {came}" if came else f"{NAME}{wanted}"])


def _came_from() -> str:
    """The address of the archive that was installed; empty where it came from an index."""
    with suppress(metadata.PackageNotFoundError, ValueError, TypeError):
        told = json.loads(metadata.distribution(NAME).read_text("direct_url.json") or "{}")
        if isinstance(told, dict):
            return str(told.get("url", ""))
    return ""
