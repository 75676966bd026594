"""A study as one folder for any web space: a page, its script, its data and its pictures, without a server.

The folder holds no right answer but those of practice items, whose feedback needs them. What it cannot hide: the
questions themselves, from which whoever understands the descriptions, or has the dataset, finds the answers; the
completion code; and that rows which a browser sends can be made up.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from deixis._study.design import IMAGES, TEXTS
from deixis._study.items import LABELS, NONE, SEVERAL
from deixis.errors import BrokenDataset, RecipeError


if TYPE_CHECKING:
    from deixis._study.design import Study


PAGE = Path(__file__).parent / "page"
PAGE_FILES = ("index.html", "study.css", "study.js")
DATA = "study-data.js"


def page_data(study: Study, *, served: bool) -> dict[str, Any]:
    """Return the data of the page before anybody enters.

    With a server the items come later.
    """
    found: dict[str, Any] = {
        "format": 1,
        "study": study.digest,
        "served": served,
        "title": "Study",
        "texts": {name: study.text(name) for name in TEXTS},
        "labels": {"several": LABELS[SEVERAL], "none": LABELS[NONE]},
        "break_every": study.settings.break_every,
    }
    return found if served else found | {"items": study.client_items(), "order_seed": study.order_seed}


def data_script(values: dict[str, Any]) -> str:
    """Return plain values as a script, in which no text can end it."""
    text = json.dumps(values, ensure_ascii=True).replace("<", r"\u003c")
    return f"window.DEIXIS_STUDY = {text};\n"


def write_bundle(study: Study, out: Path, *, post: str = "") -> list[Path]:
    """Write the study as a page without a server, and return the files and folders.

    Args:
        study: what to write.
        out: a folder that is empty or not there yet.
        post: where results are sent as JSON; they are saved as a file if it is empty.

    Raises:
        RecipeError: when the folder holds something, or the address is none.
    """
    demand_empty(out)
    if post and (urlsplit(post).scheme not in ("https", "http") or not urlsplit(post).netloc):
        raise RecipeError(f"results are sent to an address that begins with https://, not to {post[:80]!r}")
    out.mkdir(parents=True, exist_ok=True)
    values = page_data(study, served=False) | {"post": post, "code": study.secret()["code"]}
    for name in PAGE_FILES:
        shutil.copyfile(PAGE / name, out / name)
    (out / DATA).write_text(data_script(values), encoding="utf-8")
    copy_images(study, out / "images")
    return [*(out / name for name in (*PAGE_FILES, DATA)), out / "images"]


def copy_images(study: Study, folder: Path) -> None:
    """Copy the pictures of all items."""
    folder.mkdir()
    for name in dict.fromkeys(image_names(study)):
        try:
            shutil.copyfile(study.folder / IMAGES / name, folder / name)
        except OSError as error:
            raise BrokenDataset(f"the picture {name} of {study.folder} cannot be read: {error}") from error


def image_names(study: Study) -> list[str]:
    """Return the names of the pictures of all items."""
    return [part["image"] for item in study.items for part in item.shown if "image" in part]


def demand_empty(out: Path) -> None:
    """Refuse a folder that holds something."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RecipeError(f"{out} is there already; choose another folder")
