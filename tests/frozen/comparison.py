"""What differs between what was held and what is."""

from __future__ import annotations

import json
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any


if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


__all__ = ["AGAIN", "differences", "read_frozen", "write_frozen"]

PLACE = Path(__file__).parent / "frozen.json"
AGAIN = "If it is meant, and the changelog says so under *Changed data*, hold it anew: python -m tests.frozen"
CLOSE = 0.04  # by how much scores may differ between processors, as one or two of some fifty answers may
SEEN = 0.01  # likewise what an encoder sees
LIGHT = 2.0  # likewise the lightness of a block of a picture, of 255
OTHERWISE = 0.05  # the share of plans or captions that may be others
MISSING = "(nothing)"


def read_frozen() -> dict[str, Any]:
    """What is held, by world and verb."""
    return json.loads(PLACE.read_text(encoding="utf-8")) if PLACE.exists() else {}


def write_frozen(facts: Mapping[str, Any]) -> None:
    """Hold other facts."""
    PLACE.write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def differences(was: Any, now: Any, *path: str) -> list[str]:
    """A line for everything that differs: where, what it was, what it is."""
    return list(_differ(was, json.loads(json.dumps(now)), path))


def _differ(was: Any, now: Any, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(was, dict) and isinstance(now, dict):
        for key in [*was, *(key for key in now if key not in was)]:
            yield from _differ(was.get(key, MISSING), now.get(key, MISSING), (*path, key))
    elif isinstance(was, list) and isinstance(now, list):
        yield from _differ_in_list(was, now, path)
    elif was != now and not _are_close(was, now, path):
        yield f"{': '.join(path)}: was {_brief(was)}, is {_brief(now)}"


def _differ_in_list(was: list[Any], now: list[Any], path: tuple[str, ...]) -> Iterator[str]:
    pairs = list(zip_longest(was, now, fillvalue=MISSING))
    lines = [line for place, pair in enumerate(pairs) for line in _differ(*pair, (*path, str(place)))]
    are_words = _is_computed(path) and len(was) == len(now) and all(isinstance(one, str) for one in (*was, *now))
    if not are_words or len(lines) > max(1, OTHERWISE * len(pairs)):
        yield from lines


def _are_close(was: Any, now: Any, path: tuple[str, ...]) -> bool:
    """Whether two numbers are as good as the same, where processors may differ."""
    if not _is_computed(path) or not (isinstance(was, float) and isinstance(now, float)):
        return False
    limit = LIGHT if "pictures" in path else SEEN if "room-encoder" in path else CLOSE * max(1.0, abs(was))
    return abs(was - now) <= limit


def _is_computed(path: tuple[str, ...]) -> bool:
    """Whether something comes of arithmetic in floating point: scores of models, and pictures."""
    return bool(path) and (path[0].startswith("shipped ") or "pictures" in path)


def _brief(value: Any) -> str:
    text = value if value is MISSING else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:157]}..."
