"""Small pictures for cards, and the pictures of rooms and photographs as files."""

from __future__ import annotations

import re
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING

from markupsafe import Markup, escape
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from deixis.errors import UnknownName
from deixis.scene.factors import IMAGES
from deixis.studio.pages import library_of
from deixis.worlds.grid.draw import Look, Marks, draw_svg
from deixis.worlds.grid.pictures.look import LIGHT


if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request

    from deixis.scene.graph import GraphScene
    from deixis.scene.grid import GridScene
    from deixis.studio.library import Entry, Library


__all__ = ["IMAGE_ROUTES", "find_picture", "grid_picture", "photograph_picture"]

CARD = Look(cell=32)
ROOM_PX, LARGEST_ROOM_PX = 128, 512
THUMBNAIL_PX = 420
ENDINGS = {"png": "image/png", "jpg": "image/jpeg"}
FOLDERS = ("images", "pictures")
KEEP = {"cache-control": "private, max-age=3600"}
THEMED = {  # colours of light pictures that a dark page changes
    LIGHT.paper: "paper",
    LIGHT.grid: "grid",
    LIGHT.border: "border",
    LIGHT.ink: "ink",
    LIGHT.soft: "soft",
    LIGHT.accent: "accent",
    **{color: f"{name}" for name, color in LIGHT.objects.items()},
}


def grid_picture(scene: GridScene, target: int) -> Markup:
    """A grid scene with its target, small, in the colours of the page; the words beside it say what it shows."""
    drawn = draw_svg(scene, marks=Marks(target=target), look=CARD)
    drawn = re.sub(r"<title.*?</desc>\n?", "", drawn, count=1, flags=re.DOTALL)
    drawn = re.sub(r' role="img"\s+aria-labelledby="[^"]*"', ' aria-hidden="true"', drawn, count=1)
    return Markup(_COLORS.sub(lambda found: f'"var(--board-{THEMED[found[1]]}, {found[1]})"', drawn))  # noqa: S704 (ours)


_COLORS = re.compile(f'"({"|".join(map(re.escape, THEMED))})"')


def photograph_picture(entry: Entry, library: Library, scene: GraphScene, target: str) -> Markup:
    """A photograph with a box around the target; where the picture is not at hand, the boxes of all its objects."""
    width, height = int(scene.width), int(scene.height)
    lines = [f'<svg viewBox="0 0 {width} {height}" class="photo" aria-hidden="true">']
    has_picture = find_picture(entry, library, scene.image_id) is not None
    if has_picture:
        address = f"/d/{entry.slug}/picture/{escape(scene.image_id)}.png?small=1"
        lines.append(f'<image href="{address}" width="{width}" height="{height}"/>')
    else:
        lines.append(f'<rect class="canvas" width="{width}" height="{height}"/>')
    letters = max(10, width // 26)
    for index, (x, y, w, h) in enumerate(scene.boxes):
        is_target = scene.object_ids[index] == target
        if not is_target and has_picture:
            continue
        kind = "target" if is_target else "other"
        lines.append(f'<rect class="box {kind}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}"/>')
        if is_target or (not has_picture and w * h > width * height / 60):
            lines.append(
                f'<text x="{x + 4:g}" y="{y + letters:g}" font-size="{letters}">{escape(scene.names[index])}</text>'
            )
    return Markup("".join([*lines, "</svg>"]))  # noqa: S704 (names are escaped)


# -------------------------------------------------------------------------------- files


def find_picture(entry: Entry, library: Library, image: str) -> Path | None:
    """The file of a photograph: in the folder of the dataset, or where `deixis make copsref` draws, beside it.

    Nothing outside the folders that the studio was given is found, links followed.
    """
    if not re.fullmatch(r"[\w-]{1,80}", image):
        return None
    beside = entry.path.with_name(f"{entry.path.name}-imagined")
    for folder in (*(entry.path / name for name in FOLDERS), beside / "images"):
        for ending in ENDINGS:
            path = (folder / f"{image}.{ending}").resolve()
            inside = [entry.path.resolve(), *library.roots]
            if any(path.is_relative_to(root) for root in inside) and path.is_file():
                return path
    return None


def room_png(request: Request) -> Response:
    """An image of 3D Shapes."""
    library_of(request).find(request.path_params["slug"], "a3ds")
    number = request.path_params["number"]
    if number >= IMAGES:
        raise UnknownName(f"there is no image {number}; they are numbered from 0 to {IMAGES - 1:,}")
    return Response(_room(number, _size(request.query_params.get("size"))), media_type="image/png", headers=KEEP)


def photograph(request: Request) -> Response:
    """A photograph of a dataset, as it is or small."""
    library = library_of(request)
    entry = library.find(request.path_params["slug"], "copsref")
    path = find_picture(entry, library, request.path_params["image"])
    if path is None:
        raise UnknownName(f"there is no picture of the image {request.path_params['image']!r} here")
    if "small" in request.query_params:
        return Response(_thumbnail(path, path.stat().st_mtime_ns), media_type="image/jpeg", headers=KEEP)
    return FileResponse(path, media_type=ENDINGS[path.suffix[1:]], headers=KEEP)


@lru_cache(maxsize=512)
def _room(number: int, size: int) -> bytes:
    from deixis.worlds.shapes.draw import draw_png

    return draw_png(number, size=size, samples=2 if size >= ROOM_PX else 4)


@lru_cache(maxsize=512)
def _thumbnail(path: Path, stamp: int) -> bytes:  # noqa: ARG001 (a changed file is read again)
    from PIL import Image

    try:
        with Image.open(path) as picture:
            small = picture.convert("RGB")
            small.thumbnail((THUMBNAIL_PX, THUMBNAIL_PX))
            out = BytesIO()
            small.save(out, "JPEG", quality=86)
            return out.getvalue()
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise UnknownName(f"the picture {path.name} cannot be read: {error}") from error


def _size(said: str | None) -> int:
    size = int(said) if said and re.fullmatch(r"[0-9]{1,4}", said) else ROOM_PX
    return min(max(size, 16), LARGEST_ROOM_PX)


IMAGE_ROUTES = (
    Route("/d/{slug}/image/{number:int}.png", room_png),
    Route("/d/{slug}/picture/{image}.png", photograph),
    Route("/d/{slug}/picture/{image}.jpg", photograph),
)
