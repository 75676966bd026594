"""Small invented files of caption pairs in every layout, and the real samples beside the checkout."""

from __future__ import annotations

import json
from pathlib import Path


OTHERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "others"
RIGHT, WRONG = "A red cup stands on a blue box.", "A blue cup stands on a red box."


def write(path, value, *, as_lines=False):
    """A value as JSON, or a list of values as JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(one) + "\n" for one in value) if as_lines else json.dumps(value, indent=1)
    path.write_text(text, encoding="utf-8")
    return path


def crepe(number=1, **changes):
    """A record of SugarCrepe."""
    fields = {"filename": f"{number:012}.jpg", "caption": f"{RIGHT[:-1]} {number}.", "negative_caption": WRONG}
    return {**fields, **changes}


def crepe_file(path, count=4, **changes):
    """A file of SugarCrepe with some records."""
    return write(path, {str(number): crepe(number, **changes) for number in range(count)})


def foil(**changes):
    """A record of VALSE on which three people agree."""
    fields = {
        "dataset": "toys",
        "original_split": "val",
        "dataset_idx": 7,
        "image_file": "000000000007.jpg",
        "linguistic_phenomena": "relations",
        "caption": "A cup stands on a box.",
        "classes": "on",
        "classes_foil": "under",
        "mturk": {"foil": 0, "caption": 3, "other": 0},
        "foil": "A cup stands under a box.",
    }
    return {**fields, **changes}


def cola_record(number=0):
    """A record of COLA."""
    return [f"https://x.org/{number}.jpg", f"red cup {number}", f"https://x.org/{number}b.jpg", f"cup {number} red"]
