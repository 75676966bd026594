"""The notebooks in `examples` as pages: what stands in them, the outputs that were kept, and their pictures as files.

    python docs/notebooks.py

Nothing is run here. `tests/release/test_notebook.py` runs the notebooks, and sees that the pages are those of the
notebooks as they are now.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any


ROOT = Path(__file__).parents[1]
DOCS, EXAMPLES, IMAGES = ROOT / "docs", ROOT / "examples", "images/notebooks"
FENCE = "~~~"  # blocks between ``` are run by the tests of the documentation; these are run as a notebook


def page_of(notebook: dict[str, Any], name: str) -> tuple[str, dict[str, bytes]]:
    """A notebook as Markdown, and its pictures by the path that the page has for them."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook["cells"]:
        text = "".join(cell["source"]).strip()
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"{FENCE}python\n{text}\n{FENCE}")
        for output in cell["outputs"]:
            parts += _shown(output, name, pictures, alt=cell["metadata"].get("alt", ""))
    before = f"*This page is the notebook `examples/{name}.ipynb` of the repository, with what it printed and drew.*"
    heading, _, rest = "\n\n".join(parts).partition("\n")
    return f"{heading}\n\n{before}\n{rest}\n", pictures


def write_page(path: Path) -> list[Path]:
    """Write the page of a notebook and its pictures; what was written."""
    text, pictures = page_of(json.loads(path.read_text(encoding="utf-8")), path.stem)
    page = DOCS / f"{path.stem}.md"
    page.write_text(text, encoding="utf-8")
    for name, data in pictures.items():
        (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
        (DOCS / name).write_bytes(data)
    return [page, *(DOCS / name for name in pictures)]


def _shown(output: dict[str, Any], name: str, pictures: dict[str, bytes], *, alt: str) -> list[str]:
    """One output as Markdown; a picture is put aside under a number, and described by what its cell says of it."""
    if output["output_type"] == "stream":
        said = "".join(output["text"]).rstrip()
        return [f"{FENCE}text\n{said}\n{FENCE}"] if output["name"] == "stdout" else []
    data = output.get("data", {})
    if "image/png" in data:
        place = f"{IMAGES}/{name}-{len(pictures) + 1}.png"
        pictures[place] = b64decode("".join(data["image/png"]))
        return [f"![{alt}]({place})"]
    return []


if __name__ == "__main__":
    for notebook in sorted(EXAMPLES.glob("*.ipynb")):
        for written in write_page(notebook):
            sys.stdout.write(f"{written.relative_to(ROOT)}\n")
