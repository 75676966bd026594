"""The terms that cards name."""

from __future__ import annotations

from deixis.datasets.card_facts import License
from deixis.errors import RecipeError


__all__ = ["LICENSES", "find_license", "of_its_source", "ours"]

LICENSES = {
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "cc-by-nc-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "mit": "https://opensource.org/license/mit",
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
}
OURS = "cc-by-4.0"  # as the release of ReaSCAN
SYNTHETIC = (
    "Everything in it is synthetic. Whoever publishes it may choose other terms: `deixis card PATH --license NAME`."
)
FOREIGN = "as-its-source"


def find_license(name: str) -> License:
    """A licence by its name.

    Raises:
        RecipeError: when it is not known here.
    """
    if name.lower() not in LICENSES:
        raise RecipeError(f"unknown licence {name[:40]!r}; known: {', '.join(LICENSES)}")
    return License(name=name.lower(), url=LICENSES[name.lower()])


def ours() -> License:
    """The terms of what is made here."""
    return License(name=OURS, url=LICENSES[OURS], about=SYNTHETIC)


def of_its_source(about: str) -> License:
    """The terms of something that others made."""
    return License(name=FOREIGN, about=about)
