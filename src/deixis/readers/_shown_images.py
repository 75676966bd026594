"""Images of files of others in prompts: each as a PNG, found below a folder and never outside of it."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deixis.errors import BrokenDataset, DeixisError, RecipeError
from deixis.readers._image_files import find_image


if TYPE_CHECKING:
    from collections.abc import Mapping

    from deixis.readers.reader import ReadExample


FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
MOST_PIXELS = 64_000_000


class ShownImage(NamedTuple):
    """An image as a model sees it.

    Attributes:
        png: the file.
        width: in pixels.
        height: in pixels.
    """

    png: bytes
    width: int
    height: int


def picture_folder(options: Mapping[str, Any]) -> dict[str, Path]:
    """Return the setting `pictures`, the folder with the image files, if it is given.

    Raises:
        RecipeError: when it is no folder.
    """
    folder = options.get("pictures")
    if folder is None:
        return {}
    if not isinstance(folder, str | Path) or not Path(folder).is_dir():
        raise RecipeError(f"the pictures are to be in {str(folder)[:200]}, which is no folder")
    return {"pictures": Path(folder)}


def show_images(example: ReadExample, folder: Path | None) -> list[ShownImage]:
    """Return the images of an example.

    Args:
        example: what the images belong to.
        folder: where they are; None for the folder of the dataset.

    Raises:
        BrokenDataset: when there is none of that name, or it cannot be read.
    """
    place = folder if folder is not None else example.folder
    shown = []
    for image in example.images:
        file = find_image(image.name, place) if place is not None else None
        if file is None:
            raise BrokenDataset(
                f"there is no picture {image.name[:80]!r} below {place}; name its folder with --pictures, "
                "or use --style text"
            )
        shown.append(_as_png(file.data, image.name))
    return shown


def _as_png(data: bytes, name: str) -> ShownImage:
    try:
        from PIL import Image
    except ImportError:
        raise DeixisError('pictures need Pillow; run: pip install "deixis[data]"') from None
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                raise BrokenDataset(f"the picture {name[:80]!r} has more than {MOST_PIXELS:,} pixels")
            picture = image.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise BrokenDataset(f"the picture {name[:80]!r} cannot be read: {error}") from error
    out = BytesIO()
    picture.save(out, "PNG")
    return ShownImage(out.getvalue(), *picture.size)
