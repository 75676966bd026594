"""Category names from the names in files: 'rocks' is a rock, 'street lights' a street light.

The rule is naive on purpose, as that of Cops-Ref was: its expressions speak of a 'pant', a 'jean' and a brown 'glass'
that is worn. Words that only look like plurals, and plurals that no rule finds, are listed.
"""

from __future__ import annotations

from functools import lru_cache


__all__ = ["singular"]

UNCHANGED = frozenset(  # no plurals, whatever their last letter says; words in -ss, -us and -is need no listing
    [
        "adidas",
        "binoculars",
        "canvas",
        "chaos",
        "christmas",
        "clothes",
        "gas",
        "gps",
        "kansas",
        "lens",
        "news",
        "outdoors",
        "pancreas",
        "rhinoceros",
        "series",
        "sideways",
        "texas",
    ]
)
IRREGULAR = {
    **{
        f"{stem}ves": f"{stem}f"
        for stem in ["bookshel", "cal", "el", "hal", "hoo", "lea", "loa", "scar", "shel", "thie", "wol"]
    },
    **{f"{stem}ves": f"{stem}fe" for stem in ["kni", "li", "pocketkni", "wi"]},
    **{f"{stem}oes": f"{stem}o" for stem in ["buffal", "her", "mang", "mosquit", "potat", "tomat", "torped"]},
    **{
        f"{stem}men": f"{stem}man"
        for stem in ["", "crafts", "fire", "fisher", "gentle", "police", "sales", "snow", "sports", "wo"]
    },
    **{f"{stem}is": f"{stem}i" for stem in ["bikin", "jet-sk", "kiw", "sk", "tax"]},
    **{f"{stem}uses": f"{stem}us" for stem in ["b", "cact", "octop", "vir", "walr"]},
    "cacti": "cactus",
    "cds": "cd",
    "children": "child",
    "feet": "foot",
    "gases": "gas",
    "geese": "goose",
    "lenses": "lens",
    "menus": "menu",
    "mice": "mouse",
    "oxen": "ox",
    "teeth": "tooth",
    "tvs": "tv",
}
KEEP_E = frozenset(  # plurals in -ies of words in -ie
    f"{stem}ies"
    for stem in ["brown", "cook", "dogg", "hood", "kidd", "mov", "p", "prair", "self", "smooth", "t", "vegg", "zomb"]
)


@lru_cache(maxsize=65536)
def singular(name: str) -> str:
    """The name with its last word in the singular; names that are not plurals stay as they are."""
    before, space, last = name.rpartition(" ")
    return before + space + _singular_word(last)


def _singular_word(word: str) -> str:
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word in UNCHANGED or len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")):
        return word
    if word.endswith("ies") and word not in KEEP_E:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    return word[:-1]
