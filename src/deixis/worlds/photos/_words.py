"""Words of scene graphs: one spelling for relations, singular names, synonyms of a short list or of WordNet's files."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from deixis.errors import BrokenDataset
from deixis.worlds.photos.language._words import words_of_photographs


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from deixis.worlds.photos.engine._choose import Chooser
    from deixis.worlds.photos.engine._tree import Tree
    from deixis.worlds.photos.scene.vocabulary import Vocabulary

LEADING = frozenset(("am", "are", "be", "being", "is", "was", "were"))
TRAILING = frozenset(("a", "an", "her", "his", "its", "the", "their"))
PLAIN = {
    "attatched to": "attached to",
    "at end of": "at the end of",
    "at top of": "at the top of",
    "carries": "carrying",
    "carry": "carrying",
    "cover": "covering",
    "covers": "covering",
    "crosses": "crossing",
    "drive down": "driving down",
    "front of": "in front of",
    "hangs from": "hanging from",
    "hangs on": "hanging on",
    "have": "has",
    "hold": "holding",
    "holds": "holding",
    "in center of": "in the center of",
    "in from of": "in front of",
    "in front": "in front of",
    "in middle of": "in the middle of",
    "inside of": "inside",
    "laying in": "lying in",
    "laying on": "lying on",
    "laying on top of": "lying on top of",
    "near by": "near",
    "near to": "near",
    "on back of": "on the back of",
    "on bottom of": "on the bottom of",
    "on edge of": "on the edge of",
    "on front of": "on the front of",
    "on side of": "on the side of",
    "on top if": "on top of",
    "outside of": "outside",
    "sit in": "sitting in",
    "sit near": "sitting near",
    "sit on": "sitting on",
    "sits at": "sitting at",
    "sits in": "sitting in",
    "sits on": "sitting on",
    "stand in": "standing in",
    "stand on": "standing on",
    "stands on": "standing on",
    "wear": "wearing",
    "wears": "wearing",
    "wrap around": "wrapped around",
}


@lru_cache(maxsize=65536)
def plain_relation(relation: str) -> str:
    """Return the relation without articles around it, as a participle or preposition, or unchanged if unknown."""
    words = relation.lower().split()
    while len(words) > 1 and words[0] in LEADING:
        words = words[1:]
    while len(words) > 1 and words[-1] in TRAILING:
        words = words[:-1]
    plain = " ".join(words)
    return PLAIN.get(plain, plain)


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
    """Return the name with its last word in the singular, or unchanged if it is no plural."""
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


MOST_LETTERS = 2_000_000  # of one line; no real one comes near
SENSES = {  # names of photographs: an entry of the index and the number of its sense, counted from 1
    "airplane": ("airplane", 1),
    "bicycle": ("bicycle", 1),
    "bus": ("bus", 1),
    "candle": ("candle", 1),
    "car": ("car", 1),
    "cat": ("cat", 1),
    "ceiling": ("ceiling", 1),
    "couch": ("sofa", 1),
    "curtain": ("curtain", 1),
    "dog": ("dog", 1),
    "donut": ("doughnut", 2),
    "elephant": ("elephant", 1),
    "fence": ("fence", 1),
    "motorcycle": ("motorcycle", 1),
    "racket": ("racket", 4),
    "refrigerator": ("refrigerator", 1),
    "sidewalk": ("sidewalk", 1),
    "sofa": ("sofa", 1),
    "spectator": ("spectator", 1),
    "suitcase": ("bag", 6),
    "taxi": ("cab", 3),
    "truck": ("truck", 1),
    "vase": ("vase", 1),
}


def read_synonyms(folder: Path | str, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Read the other words for some names, each in the sense that a photograph means.

    Args:
        folder: holds `index.noun` and `data.noun`.
        names: those to look up; names without an entry in `SENSES` have no synonyms here.

    Raises:
        BrokenDataset: when the files are not there or are not WordNet's.
    """
    index, data = Path(folder) / "index.noun", Path(folder) / "data.noun"
    for path in (index, data):
        if not path.is_file():
            raise BrokenDataset(f"{folder} holds no {path.name} of WordNet; install wordnet-base or name its folder")
    wanted = {name: SENSES[name] for name in names if name in SENSES}
    places = _places_of(index, {entry for entry, _ in wanted.values()})
    found: dict[str, tuple[str, ...]] = {}
    with data.open("rb") as file:
        for name, (entry, number) in sorted(wanted.items()):
            if number > len(places.get(entry, ())):
                continue
            place = places[entry][number - 1]
            file.seek(place)
            words = (word.replace("_", " ").lower() for word in _words_at(file.readline(MOST_LETTERS), place, data))
            if others := tuple(word for word in words if word != name):
                found[name] = others
    return found


def _places_of(path: Path, entries: set[str]) -> dict[str, list[int]]:
    """Where the senses of some words stand in the data file, in their order."""
    places: dict[str, list[int]] = {}
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            word, _, rest = line.partition(" ")
            if word in entries:
                places[word] = [int(part) for part in rest.split() if len(part) == 8 and part.isdecimal()]
    return places


def _words_at(line: bytes, place: int, path: Path) -> list[str]:
    """Return the words of a line of the data file: 'offset file type count word id word id …'."""
    fields = line.decode("utf-8", "replace").split()
    begins_right = fields[:1] == [f"{place:08d}"] and len(fields) > 4 and len(fields[3]) == 2
    try:
        count = int(fields[3], 16) if begins_right else 0
    except ValueError:
        count = 0
    words = fields[4 : 4 + 2 * count : 2]
    if not words:
        raise BrokenDataset(f"{path} has no sense at {place}; it does not belong to its index")
    return [word.partition("(")[0] for word in words]


@dataclass(frozen=True, eq=False, kw_only=True)
class Synonyms:
    """Synonyms of names and attributes."""

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, vocabulary: Vocabulary, *, wordnet: Path | str | None = None) -> Self:
        """Return the synonyms for a vocabulary, from the curated list and, where a folder is named, from WordNet."""
        known = words_of_photographs()
        names = dict(known.name_synonyms)
        if wordnet is not None:
            for name, others in read_synonyms(wordnet, vocabulary.names).items():
                names[name] = tuple(dict.fromkeys((*names.get(name, ()), *others)))
        return cls(
            names=_free(names, vocabulary.name_codes, known.said_names),
            attributes=_free(known.attribute_synonyms, vocabulary.word_codes, known.said_attributes),
        )

    @cached_property
    def as_read(self) -> tuple[tuple[str, str], ...]:
        """The other words for names, each as (word, name), as `parse_reference` takes them."""
        return tuple((other, name) for name, others in self.names.items() for other in others)

    def drawn_for(self, tree: Tree, chooser: Chooser) -> dict[str, str]:
        """Draw other words for one of the names or attributes of a tree."""
        said = [(node.name, self.names) for node in tree.nodes]
        said += [(word, self.attributes) for node in tree.nodes for word in (*node.attributes, *node.denied)]
        options = [(word, table[word]) for word, table in said if word in table]
        if not options:
            return {}
        word, others = chooser.stream.choice(options)
        return {word: chooser.stream.choice(others)}


def _free(
    synonyms: Mapping[str, tuple[str, ...]], used: Mapping[str, int], said: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the synonyms that are no words of the corpus, nor another way to say one, and that only one word has."""
    taken = {*used, *(said[word] for word in used if word in said)}
    owners: dict[str, int] = {}
    for word in synonyms.keys() & used.keys():
        for other in synonyms[word]:
            owners[other] = owners.get(other, 0) + 1
    free = {
        word: tuple(other for other in others if other not in taken and owners.get(other) == 1)
        for word, others in synonyms.items()
        if word in used
    }
    return {word: others for word, others in free.items() if others}
