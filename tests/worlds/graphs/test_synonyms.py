from __future__ import annotations

import pytest

from deixis.errors import BrokenDataset
from deixis.worlds.photos._words import Synonyms, read_synonyms
from deixis.worlds.photos.scene.vocabulary import Vocabulary


@pytest.fixture
def wordnet(tmp_path):
    """Two files in WordNet's layout: a car is an automobile in its first sense and a railway carriage in its second."""
    lines = [
        "02958343 06 n 03 car 0 auto 0 motor_car(p) 0 001 @ 03791235 n 0000 | a motor vehicle  ",
        "02959942 06 n 02 car 1 railcar 0 000 | a wheeled vehicle  ",
    ]
    first = "  1 a licence of many lines  \n"
    data, places = first, []
    for line in lines:
        places.append(len(data))
        data += f"{len(data):08d}{line[8:]}\n"
    (tmp_path / "data.noun").write_text(data)
    index = f"  1 a licence\ncar n 2 2 @ ~ 2 1 {places[0]:08d} {places[1]:08d}  \nsofa n 1 0 1 0 {places[1]:08d}  \n"
    (tmp_path / "index.noun").write_text(index)
    return tmp_path


def test_wordnet_gives_words_of_the_sense_that_is_meant(wordnet):
    """The first sense of 'car' has two other words; a couch is looked up as a sofa; 'table' and 'bus' have none."""
    found = read_synonyms(wordnet, ("car", "couch", "table", "bus"))

    assert found == {"car": ("auto", "motor car"), "couch": ("car", "railcar")}


def test_wordnet_joins_the_curated_list(wordnet):
    """A name has the synonyms of both."""
    synonyms = Synonyms.of(Vocabulary(names=("car",)), wordnet=wordnet)

    assert synonyms.names == {"car": ("automobile", "auto", "motor car")}


def test_words_of_the_corpus_are_no_synonyms():
    """Where the corpus has sofas, a couch is not called a sofa; a synonym of two names is said of neither."""
    assert Synonyms.of(Vocabulary(names=("couch",))).names == {"couch": ("sofa",)}
    assert Synonyms.of(Vocabulary(names=("couch", "sofa"))).names == {}
    assert "grey" in Synonyms.of(Vocabulary(names=(), words=("gray",))).attributes["gray"]


def test_missing_and_foreign_files_are_named(tmp_path, wordnet):
    """A folder without WordNet, and an index that does not fit its data, are errors of one line."""
    with pytest.raises(BrokenDataset, match=r"no index\.noun of WordNet; install wordnet-base"):
        read_synonyms(tmp_path / "nowhere", ("car",))
    (wordnet / "data.noun").write_text("nonsense\n" * 40)
    with pytest.raises(BrokenDataset, match="does not belong to its index"):
        read_synonyms(wordnet, ("car",))
