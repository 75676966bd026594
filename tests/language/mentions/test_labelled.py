from __future__ import annotations

import csv
from pathlib import Path

import pytest

from deixis.worlds.rooms.mentions import judge, read_mentions
from deixis.worlds.rooms.mentions._phrases import EXPRESSIONS
from deixis.worlds.rooms.scene import FACTORS, PLACES, RoomScene


HERE = Path(__file__).parent
REAL = HERE.parents[2] / "../shared/data/3dshapes/real_speaker_captions_500.csv"
LETTERS = {"t": "true", "f": "false", "a": "ambiguous", "-": "absent"}
needs_captions = pytest.mark.skipif(not REAL.exists(), reason="the captions of the real speaker are not at hand")


def table(name: str) -> list[dict[str, str]]:
    lines = [line for line in (HERE / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def real_captions() -> dict[int, str]:
    with REAL.open(encoding="utf-8", newline="") as file:
        return {int(row[0]): row[1] for row in csv.reader(file) if row[0]}


def room_of(said: dict[str, str], *, shifted: bool = False) -> RoomScene:
    """A room of which everything said holds, or nothing."""
    factors = []
    for feature, known in zip(FACTORS, EXPRESSIONS, strict=True):
        number = 0 if said[feature] == "-" else (known.index(said[feature]) + shifted) % len(known)
        factors.append(number if feature != "orientation" else PLACES.index(known[number]))
    return RoomScene.of(*factors)


@needs_captions
def test_every_word_of_a_real_speaker_is_explained():
    """No caption of the real speaker has a word that belongs to no known phrase."""
    assert [text for text in real_captions().values() if read_mentions(text).unknown] == []


@needs_captions
@pytest.mark.parametrize("label", table("labelled_real.tsv"), ids=lambda label: label["row"])
def test_real_captions_are_read_as_by_hand(label):
    """What the extractor finds in a caption of the real speaker is what a reader finds."""
    reading = read_mentions(real_captions()[int(label["row"])])

    found = {feature: "/".join(e for m in reading.of(feature) for e in m.expressions) or "-" for feature in FACTORS}

    assert found == {feature: label[feature] for feature in FACTORS}
    assert reading.of(None) == ()


@needs_captions
@pytest.mark.parametrize("label", table("labelled_real.tsv"), ids=lambda label: label["row"])
def test_real_captions_are_judged_as_by_hand(label):
    """Against a room of which everything said holds all of it is true; against one of which nothing does, false."""
    text = real_captions()[int(label["row"])]
    for verdict, shifted in (("true", False), ("false", True)):
        expected = {feature: "absent" if label[feature] == "-" else verdict for feature in FACTORS}

        assert judge(text, room_of(label, shifted=shifted)).verdicts == expected


@pytest.mark.parametrize("label", table("labelled_broken.tsv"), ids=lambda label: label["caption"][:40])
def test_broken_captions_are_judged_as_by_hand(label):
    """Repeated, missing, foreign and misplaced words do not stop the extractor from finding what is there."""
    scene = RoomScene.of(*map(int, label["factors"].split()))

    judgement = judge(label["caption"], scene)

    assert list(judgement.verdicts.values()) == [LETTERS[letter] for letter in label["verdicts"]]
    assert judgement.false == int(label["false"])


def test_there_are_enough_labels():
    """At least sixty captions of the real speaker and twenty invented ones are labelled."""
    assert len({label["row"] for label in table("labelled_real.tsv")}) >= 60
    assert len({label["caption"] for label in table("labelled_broken.tsv")}) >= 20
