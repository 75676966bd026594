"""Image files that datasets name: found below a folder, never outside of it, and told by their first bytes."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, NamedTuple


if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


LARGEST = 32 << 20  # bytes of a file that is drawn
KINDS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}
FOLDERS = ("images", "image", "imgs")  # beside a file of annotations
NO_SIZES = frozenset({0xC4, 0xC8, 0xCC})  # segments of a JPEG between those that have the size


class ImageFile(NamedTuple):
    """An image file as bytes.

    Attributes:
        kind: png, jpeg, gif or webp.
        data: its bytes.
    """

    kind: str
    data: bytes

    @property
    def address(self) -> str:
        """The file as an address that holds it."""
        return f"data:image/{self.kind};base64,{b64encode(self.data).decode()}"

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, (0, 0) where the file does not say it plainly."""
        data = self.data
        if self.kind == "png":
            return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
        if self.kind == "gif":
            return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
        return _jpeg_size(data) if self.kind == "jpeg" else (0, 0)


def find_image(name: str, folder: Path) -> ImageFile | None:
    """Return the file of a name below a folder, or None where there is none, or what is there is no image."""
    try:
        root = folder.resolve()
        for place in _places(name, root):
            found = place.resolve()
            if found.is_relative_to(root) and found.is_file() and found.stat().st_size <= LARGEST:
                data = found.read_bytes()
                kind = next((kind for sign, kind in KINDS.items() if data.startswith(sign)), "")
                return ImageFile(kind, data) if kind else None
    except (OSError, ValueError, RuntimeError):  # a name that is no path, a loop of links
        return None
    return None


def _places(name: str, root: Path) -> Iterator[Path]:
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    if not last or last in (".", ".."):
        return
    yield root / name
    yield root / last
    yield from (root / folder / last for folder in FOLDERS)


def _jpeg_size(data: bytes) -> tuple[int, int]:
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        mark = data[place + 1]
        if 0xC0 <= mark <= 0xCF and mark not in NO_SIZES:
            return int.from_bytes(data[place + 7 : place + 9], "big"), int.from_bytes(
                data[place + 5 : place + 7], "big"
            )
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return 0, 0
