"""Stars2: scenes and descriptions are joined, and the annotation is the meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from deixis.audits._plain import audit_examples
from deixis.distractors.necessity import necessity
from deixis.errors import BrokenDataset
from deixis.readers._builtin.stars2 import READER
from deixis.readers._examples import ReadFile
from deixis.resolution.reference import resolve
from tests.readers.hostile import check_hostile_bytes


REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "others" / "stars2"
needs_sample = pytest.mark.skipif(not REAL.is_dir(), reason="the sample of Stars2 does not lie beside the checkout")

OBJECTS = {  # a row of solids: a red ball, a grey cube, a small grey cone; and a grey ball behind the cube
    "a": "type=ball colour=red size=regular hpos=left vpos=centre left=b near=b",
    "b": "type=cube colour=grey size=regular hpos=left vpos=centre right=a left=c near=a near=c in-front-of=d",
    "c": "type=cone colour=grey size=small hpos=right vpos=centre right=b near=b",
    "d": "type=ball colour=grey size=regular hpos=left vpos=top behind=b",
}


def attributes(text):
    """Entries as the corpus writes them, from `name=value`."""
    pairs = (pair.split("=") for pair in text.split())
    return "".join(f'<ATTRIBUTE NAME="{name}" VALUE="{value}" />' for name, value in pairs)


def scenes(objects=OBJECTS):
    """The file of the scenes."""
    sets = "".join(f'<ATTRIBUTE-SET ID="{name}">{attributes(text)}</ATTRIBUTE-SET>' for name, text in objects.items())
    return f'<DOMAIN NAME="Stars2"><CONTEXT ID="01f-t1n" MAIN-TARGET="b">{sets}</CONTEXT></DOMAIN>'


def described(entries, *, target="b", context="01f-t1n", seq=1, **fields):
    """One description in its context."""
    said = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in fields.items())
    inner = f'<ATTRIBUTE-SET TARGET="{target}" STRING="cubo à esquerda"{said}>{attributes(entries)}</ATTRIBUTE-SET>'
    return f'<CONTEXT ID="{context}" SEQ="{seq}" IMAGE="type1/{context}">{inner}</CONTEXT>'


def write(folder, *contexts, name="descriptions/trial7.xml", stages=None):
    """A release in the encoding of the corpus."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    trial = f'<TRIAL ID="7" SPEAKER="832" AGE="19" GENDER="f" HEARER="455">{"".join(contexts)}</TRIAL>'
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>\n'
    path.write_bytes((head + trial).encode("iso-8859-1"))
    if stages != "":
        (folder / "Stars2-contexts.xml").write_bytes((head + (stages or scenes())).encode("iso-8859-1"))
    return folder


def meanings(folder):
    """The expressions of all examples as text."""
    return [str(example.meaning) for example in ReadFile(READER, folder)]


def test_prefixes_are_clauses(tmp_path):
    """Each is about the object that the relation before it names."""
    nested = described(
        "type=cube near=c landmark-type=cone landmark-near=b second-landmark-type=cube second-landmark-colour=grey",
        LANDMARK="c",
        SECOND_LANDMARK="b",
    )
    beside = described(
        "type=cube near=a near=c landmark-type=ball second-landmark-type=cone", LANDMARK="a", SECOND_LANDMARK="c"
    )
    bare = described("type=cube near=a")

    assert meanings(write(tmp_path, nested, beside, bare)) == [
        "[type=cube, near: [type=cone, near: [type=cube, color=grey]]]",
        "[type=cube, near: [type=ball], near: [type=cone]]",
        "[type=cube, near: []]",
    ]


def test_what_was_said_is_kept_beside_its_translation(tmp_path):
    """In the letters of the corpus; marks of the annotation that are no entry are told."""
    said = described("type=cube", TRANSLATION="cube on the left", ANNOTATION="type-cube xsecond-landmark-others-1 ")
    (example,) = ReadFile(READER, write(tmp_path, said))

    assert example.text == "cube on the left"
    assert example.facts["portuguese"] == "cubo à esquerda"
    assert example.facts["annotated_only"] == ["xsecond-landmark-others-1"]
    assert str(example.meaning) == "[type=cube]"
    assert example.id == "7-01f-t1n-1"
    assert resolve(example.meaning, example.context).objects == {(0, 1)}


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ("type=cube colour=mauve", ["colour-mauve"]),
        ("type=cube others=1", ["others-1"]),
        ("type=cube screen-shape=left", ["screen-shape-left"]),
        ("type=cube screen-hpos=left", None),
        ("type=sphere", None),
    ],
)
def test_entries_without_a_value_leave_no_meaning(tmp_path, entries, expected):
    """They are told; places on the screen and the older word for a ball have a value."""
    (example,) = ReadFile(READER, write(tmp_path, described(entries)))

    assert example.facts.get("unread") == expected
    assert (example.meaning is None) == (expected is not None)


@pytest.mark.parametrize("place", ["", "descriptions", "descriptions/trial7.xml", "Stars2-contexts.xml"])
def test_folders_and_files_of_a_release_are_read(tmp_path, place):
    """From wherever one points at it."""
    path = write(tmp_path, described("type=cube")) / place

    assert READER.sniff(path)
    assert len(ReadFile(READER, path)) == 1
    assert ReadFile(READER, path)[0].scenes


def test_descriptions_without_the_file_of_the_scenes_have_meaning_only(tmp_path):
    """They are no reason to refuse the folder."""
    folder = write(tmp_path / "alone", described("type=cube"), name="trial7.xml", stages="")
    (example,) = ReadFile(READER, folder)

    assert READER.sniff(folder)
    assert not example.scenes
    assert str(example.meaning) == "[type=cube]"


def test_records_that_cannot_be_read_are_refused_by_code(tmp_path):
    """One of each; nothing is dropped."""
    good = described("type=cube")
    folder = write(
        tmp_path,
        good,
        described("type=cube", context="99"),
        described("type=cube", target="z"),
        '<CONTEXT ID="01f-t1n" SEQ="2"></CONTEXT>',
    )
    read = ReadFile(READER, folder)
    assert (read.records, len(read)) == (4, 1)
    assert [refusal.code for refusal in read.refusals] == ["no-scene", "no-target", "no-description"]

    odd = write(tmp_path / "odd", good, stages=scenes({"b": "type=cube colour=mauve"}))
    with pytest.raises(BrokenDataset, match="most often odd-scene"):
        ReadFile(READER, odd)


def test_broken_files_give_one_line(tmp_path):
    """Document types, cut files, and scenes without descriptions."""
    folder = write(tmp_path, described("type=cube"))
    (folder / "descriptions" / "trial7.xml").write_text("<TRIAL SPEAKER='1'><CONTEXT", encoding="utf-8")
    with pytest.raises(BrokenDataset, match="is no XML"):
        ReadFile(READER, folder)
    (folder / "descriptions" / "trial7.xml").unlink()
    with pytest.raises(BrokenDataset, match="has no folder descriptions"):
        ReadFile(READER, folder)


def test_hostile_bytes_never_crash(tmp_path):
    """Changed bytes give examples, refusals or one line."""
    folder = write(tmp_path, described("type=cube near=a landmark-type=ball", LANDMARK="a"), described("type=ball"))
    for name in ("descriptions/trial7.xml", "Stars2-contexts.xml"):
        check_hostile_bytes(READER, folder, folder / name)


@needs_sample
def test_the_sample_resolves_to_the_intended_objects():
    """All 598 descriptions of 38 people; the whole corpus has 884 by 56, of which 882 do."""
    read = ReadFile(READER, REAL)

    assert (read.records, len(read), dict(read.refused)) == (598, 598, {})
    assert all(resolve(example.meaning, example.context).objects == set(example.targets) for example in read)
    assert sum("annotated_only" in example.facts for example in read) == 13


@needs_sample
def test_the_sample_says_more_than_is_needed():
    """Of 1,971 parts 760 are needed, 38.6 %; of 196 clauses about landmarks one."""
    needed = [necessity(example.meaning, example.context) for example in ReadFile(READER, REAL)]
    inner = [
        is_needed
        for one in needed
        for part, is_needed in one.items()
        if part.kind == "clause" and len(part.address) == 2
    ]

    assert sum(len(one) for one in needed) == 1971
    assert sum(sum(one.values()) for one in needed) == 760
    assert (len(inner), sum(inner)) == (196, 1)


@needs_sample
@pytest.mark.slow
def test_the_audit_judges_every_description_of_the_sample():
    """The same figures as measures of an audit."""
    measures = audit_examples(ReadFile(READER, REAL)).to_dict()["measures"]

    assert measures["judged"] == 598
    assert (measures["words needed"]["all"]["part"], measures["words needed"]["all"]["of"]) == (461, 1399)
    assert (measures["clauses needed"]["part"], measures["clauses needed"]["of"]) == (299, 572)
