"""Twins: imagined scenes that differ from another one by single edits; their ids say whose twins they are.

`9000012-twin3` is the third twin of the image `9000012`.
"""

from __future__ import annotations

import re


TWIN = "-twin"
_TWIN = re.compile(r"-twin\d+$")


def twin_id(image_id: str, number: int) -> str:
    """Return the id of a twin of an image."""
    return f"{image_id}{TWIN}{number}"


def origin_of(image_id: str) -> str:
    """Return the id of the image that an image is a twin of, or of its own."""
    return _TWIN.sub("", image_id)


def is_twin(image_id: str) -> bool:
    """Return whether an image is a twin of another."""
    return bool(_TWIN.search(image_id))


def is_twin_of(image_id: str, other: str) -> bool:
    """Return whether an image is a twin of another."""
    return image_id != other and origin_of(image_id) == other
