"""Settings said once: a frozen record whose annotated fields carry type, range and help.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Counting(Settings):
        lr: Annotated[float, Setting("learning rate", above=0, most=10)] = 1e-3
        seed: Annotated[int, Setting("random seed", least=0, most=MAX_SEED)] = 0

Validation, reading from plain values or TOML, the digest, command-line options and the table in the docs come from
these fields. A new setting is one line.
"""

from __future__ import annotations

import inspect
import json
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields, replace
from hashlib import sha256
from types import NoneType, SimpleNamespace, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, Union, get_args, get_origin, get_type_hints

from deixis._numbers import is_number
from deixis.errors import RecipeError, nearest


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


__all__ = [
    "MAX_SEED",
    "MAX_STEPS",
    "Setting",
    "Settings",
    "add_options",
    "merge_settings",
    "read_toml",
    "settings_table",
]

MAX_SEED = (1 << 63) - 1
MAX_STEPS = 1 << 32
MAX_TOML_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Setting:
    """Range, help and other facts about one field of a settings record.

    Attributes:
        help: one line, without a full stop; `--help` and the docs show it.
        least, most: bounds of a number, inclusive.
        above, below: bounds of a number, exclusive.
        was: the name in files of earlier versions, still read; digests go on using it.
        is_option: whether it is an option of the command line; otherwise it is read from TOML only.
        may_change: whether it may differ when a run is resumed; it is then no part of the digest.
        is_later: whether earlier versions had no such field; at its default it is then no part of the digest, so that
            their runs can be resumed.
    """

    help: str
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    was: str = ""
    is_option: bool = True
    may_change: bool = False
    is_later: bool = False

    def bounds(self, *, whole: bool) -> str:
        """The range in words: "from 1 to 20", "above 0 and up to 10", "of at least 0"."""
        least, most, above, below = (
            None if one is None else f"{one:,}" if whole else f"{one:g}"
            for one in (self.least, self.most, self.above, self.below)
        )
        if least is not None and most is not None:
            return f"from {least} to {most}"
        parts = [f"above {above}"] if above is not None else [f"of at least {least}"] if least is not None else []
        parts += [f"up to {most}"] if most is not None else [f"below {below}"] if below is not None else []
        return " and ".join(parts)

    def holds(self, value: float) -> bool:
        """Return whether a number lies within the bounds."""
        return (
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )


class Settings:
    """Base of settings records: subclasses are frozen dataclasses whose fields are `Annotated` with a `Setting`.

    Creating a record validates it. Rules between several fields go into `demand_sense`.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for name, (kind, about) in _fields_of(type(self)).items():
            _demand(name, getattr(self, name), kind, about)
        self.demand_sense()

    def demand_sense(self) -> None:
        """Raise `RecipeError` where fields do not fit together."""

    @classmethod
    def read(cls, values: Mapping[str, Any], **more: Any) -> Self:
        """Build a record from plain values, as TOML, JSON and options have them.

        Args:
            values: by name; names of earlier versions are understood, lists become tuples.
            more: further values, which override.

        Raises:
            RecipeError: when a name is unknown or a value is impossible.
        """
        given = {**cls.rename(values), **more}
        known = _fields_of(cls)
        for name in given:
            if name not in known:
                raise RecipeError(f"there is no setting {name!r}{nearest(str(name), known)}")
        lacking = [one.name for one in fields(cls) if _has_no_default(one) and one.name not in given]  # type: ignore[arg-type]
        if lacking:
            raise RecipeError(f"the setting {lacking[0]} is missing")
        made = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
        return cls(**made)

    @classmethod
    def rename(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return plain values under the present names of fields.

        Names of no field are kept.
        """
        today = {about.was: name for name, (_, about) in _fields_of(cls).items() if about.was}
        return {today.get(name, name): value for name, value in values.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain JSON values, from which `read` makes it again."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))  # type: ignore[call-overload]
        return plain

    def digest_values(self) -> dict[str, Any]:
        """Return the values of the digest: all that may not change when a run is resumed.

        Each has the first name that its field had.
        """
        known = _fields_of(type(self))
        plain, usual = self.to_dict(), {one.name: one.default for one in fields(self)}  # type: ignore[arg-type]
        return {
            about.was or name: plain[name]
            for name, (_, about) in known.items()
            if not about.may_change and not (about.is_later and getattr(self, name) == usual[name])
        }

    def differences(self, values: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
        """The fields that may not change when a run is resumed and do: by name, the plain value there and here."""
        there, here = self.rename(values), self.to_dict()
        names = (name for name, (_, about) in _fields_of(type(self)).items() if not about.may_change)
        return {name: (there.get(name), here[name]) for name in names if there.get(name) != here[name]}

    @property
    def digest(self) -> str:
        """Digest of the settings that train the weights, without the number of steps."""
        return sha256(json.dumps(self.digest_values(), sort_keys=True).encode()).hexdigest()


def add_options(
    record: type[Settings],
    *,
    without: Iterable[str] = (),
    defaults: Mapping[str, Any] | None = None,
    **fixed: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function of its own options so that the fields of a record become options, too.

    The function is called as `function(given, **own)`, where `given` holds the fields that were set, by name.

    Args:
        record: the settings.
        without: fields that are no option here.
        defaults: values that help shows instead of the record's defaults.
        fixed: own parameters that are filled in here and so are no options.
    """
    shown = {name: field for name, field in _fields_of(record).items() if field[1].is_option and name not in without}
    usual = {one.name: one.default for one in fields(record)} | record.rename(defaults or {})  # type: ignore[arg-type]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        own = [one for one in inspect.signature(function).parameters.values() if one.kind is one.KEYWORD_ONLY]
        typed = SimpleNamespace(__annotations__={one.name: one.annotation for one in own})
        hints = get_type_hints(typed, globalns=function.__globals__, include_extras=True)

        def options(**said: Any) -> Any:
            given = {name: said.pop(name) for name in shown if name in said}
            given = {name: value for name, value in given.items() if value is not None and value is not False}
            return function(given, **said, **fixed)

        parameters = [one.replace(annotation=hints[one.name]) for one in own if one.name not in fixed]
        taken = {one.name for one in parameters}
        parameters += [
            _option(name, kind, about, usual.get(name)) for name, (kind, about) in shown.items() if name not in taken
        ]
        options.__name__, options.__doc__ = function.__name__, function.__doc__
        options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        options.__annotations__ = {one.name: one.annotation for one in parameters}
        options.earlier = {about.was: name for name, (_, about) in shown.items() if about.was}  # type: ignore[attr-defined]
        return options

    return decorate


def _option(name: str, kind: Any, about: Setting, default: Any) -> inspect.Parameter:
    """An option that is None, or False, where it is not given."""
    is_flag = kind is bool
    shown = "" if is_flag or default in (None, "", MISSING) else f" [default: {_in_words(default)}]"
    helped = Setting(f"{about.help[:1].upper()}{about.help[1:]}.{shown}")
    hint: Any = Annotated[kind if is_flag else kind | None, helped]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False if is_flag else None, annotation=hint)


def _in_words(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def settings_table(record: type[Settings], *, options: bool = True) -> str:
    """The fields of a record as a Markdown table: option or name, kind and range, default, meaning.

    Args:
        record: the settings.
        options: whether to write those that are options as `--name`.
    """
    lines = ["| setting | value | default | meaning |", "|---|---|---|---|"]
    defaults = {one.name: one.default for one in fields(record)}  # type: ignore[arg-type]
    for name, (kind, about) in _fields_of(record).items():
        called = f"`--{name.replace('_', '-')}`" if options and about.is_option else f"`{name}`"
        default = defaults[name]
        shown = "" if default is MISSING else f"`{json.dumps(default)}`"
        is_open = about.most is not None and about.most >= MAX_STEPS  # a bound that nobody meets says nothing
        told = replace(about, most=None) if is_open else about
        lines.append(f"| {called} | {_kind_in_words(kind, told)} | {shown} | {about.help} |")
    return "\n".join(lines)


def read_toml(path: Path) -> dict[str, Any]:
    """The values of a TOML file of settings.

    Raises:
        RecipeError: when it is no TOML file, or far too long for one.
    """
    try:
        if path.stat().st_size > MAX_TOML_BYTES:
            raise RecipeError(f"{path} is far too long for settings")
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecipeError(f"{path} is no TOML file: {error}") from error


def merge_settings(path: Path | None, given: Mapping[str, Any], *, model: str = "") -> dict[str, Any]:
    """The values of a TOML file, overridden by those that were given as options.

    Args:
        path: the file, if there is one.
        given: by name.
        model: whose settings they are; `RecipeError` where the file says that they are another's.
    """
    values = read_toml(path) if path is not None else {}
    if model and values.pop("model", model) != model:
        raise RecipeError(f"{path} is about another model than {model}")
    return {**values, **given}


# -------------------------------------------------------------------------------- fields


_KNOWN: dict[type, dict[str, tuple[Any, Setting]]] = {}


def _fields_of(record: type) -> dict[str, tuple[Any, Setting]]:
    """The kind of every field, and what it says about itself; `TypeError` where one says nothing."""
    if record in _KNOWN:
        return _KNOWN[record]
    hints = get_type_hints(record, include_extras=True)
    found: dict[str, tuple[Any, Setting]] = {}
    for one in fields(record):
        kind, *rest = get_args(hints[one.name]) if get_origin(hints[one.name]) is Annotated else (hints[one.name],)
        about = next((item for item in rest if isinstance(item, Setting)), None)
        if about is None:
            raise TypeError(f"{record.__name__}.{one.name} has no Setting")
        found[one.name] = (kind, about)
    return _KNOWN.setdefault(record, found)


def _has_no_default(one: Any) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


def _demand(name: str, value: Any, kind: Any, about: Setting) -> None:
    """`RecipeError` unless a value is of a kind and within its range."""
    kinds = get_args(kind) if get_origin(kind) in (UnionType, Union) else (kind,)
    if value is None and NoneType in kinds:
        return
    kind = next(one for one in kinds if one is not NoneType)
    origin = get_origin(kind)
    if origin is Literal:
        if not isinstance(value, str) or value not in get_args(kind):
            raise RecipeError(f"unknown {name} {value!r}; known: {', '.join(get_args(kind))}")
    elif origin is tuple:
        inner, *rest = get_args(kind)
        items = value if isinstance(value, tuple) else ()
        is_long_enough = bool(items) if rest == [Ellipsis] else len(items) == 1 + len(rest)
        if not isinstance(value, tuple) or (inner is not str and not is_long_enough):
            count = "" if rest == [Ellipsis] else f"{1 + len(rest)} "
            raise RecipeError(f"{name} must be a list of {count}{_PLURALS.get(inner, 'values')}, got {value!r}")
        for item in items:
            _demand(name, item, inner, about)
    elif not _is_of(value, origin or kind, about):
        raise RecipeError(f"{name} must be {_kind_in_words(kind, about)}, got {value!r}")


def _is_of(value: Any, kind: Any, about: Setting) -> bool:
    if kind is bool:
        return isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and about.holds(value)
    if kind is float:
        return is_number(value) and about.holds(value)
    if kind is str:
        return isinstance(value, str)
    return isinstance(value, dict) if kind is Mapping else isinstance(value, kind)


_PLURALS = {int: "whole numbers", float: "numbers", str: "names"}


def _kind_in_words(kind: Any, about: Setting) -> str:
    kinds = [one for one in get_args(kind) if one is not NoneType] if get_origin(kind) in (UnionType, Union) else [kind]
    kind = kinds[0]
    origin = get_origin(kind)
    if origin is Literal:
        return ", ".join(get_args(kind))
    if origin is tuple:
        return f"a list of {_PLURALS.get(get_args(kind)[0], 'values')}"
    if kind in (int, float):
        bounds = about.bounds(whole=kind is int)
        return f"a {'whole ' if kind is int else ''}number{' ' if bounds else ''}{bounds}"
    plain = {bool: "true or false", str: "a text", Mapping: "a table of names and values"}
    return plain.get(origin or kind, getattr(kind, "__name__", str(kind)))
