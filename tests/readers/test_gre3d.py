"""GRE3D3 and GRE3D7: words in normal form and their pattern are the meaning."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from deixis.audits.measures import why_not_judged
from deixis.errors import BrokenDataset
from deixis.readers._builtin._gre3d_scenes import SCENES, known_scene
from deixis.readers._builtin.gre3d import READER
from deixis.readers._examples import ReadFile
from tests.readers.hostile import check_hostile_bytes


REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "others" / "gre3d" / "GRE3D3-v1-descriptions.csv"
needs_sample = pytest.mark.skipif(not REAL.is_file(), reason="GRE3D3 does not lie beside the checkout")

HEAD = "subjid,sceneid,sceneorder,schema,desc,cleaned,pattern,pattern (normalised order),"
PATTERN = "tg_size tg_type rel lm_loc lm_type"
ROWS = [
    f"1,1,1,A,the wee ball on the right-hand box,small ball on-top-of right-hand cube,{PATTERN},{PATTERN},",
    '1,2,2,B,"red ball, in front",red front ball,tg_col tg_loc tg_type,tg_col tg_loc tg_type,',
]


def write(path, *rows, head=HEAD, end="\r"):
    """A table whose lines end as those of the release."""
    path.write_bytes(end.join((head, *rows)).encode("latin-1"))
    return path


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_words_and_pattern_are_the_meaning(tmp_path, end):
    """Whatever ends the lines; what was typed is the text."""
    path = write(tmp_path / "descriptions.csv", *ROWS, end=end)
    one, other = ReadFile(READER, path)

    assert READER.sniff(path)
    assert one.text == "the wee ball on the right-hand box"
    assert str(one.meaning) == "[size=small, type=ball, on-top-of: [place=right-hand, type=cube]]"
    assert other.text == "red ball, in front"
    assert str(other.meaning) == "[color=red, place=front, type=ball]"
    assert one.facts["cleaned"] == "small ball on-top-of right-hand cube"
    assert not any(why_not_judged(example.meaning, example.context) for example in (one, other))


def test_slips_in_the_pattern_are_seen_through(tmp_path):
    """Words behind the relation are the landmark's, as the pattern in normal order confirms."""
    slip = (
        "3,3,3,C,small ball on the green cube on the right,small ball on-top-of green right-hand cube,"
        "tg_tg_size tg_type rel lm_col lm_tg_loc tg_type,tg_size tg_type rel lm_col lm_loc lm_type,"
    )
    wrong = "3,4,4,D,yellow cube,yellow cube,tg_col tg_type,tg_size tg_type,"
    examples = list(ReadFile(READER, write(tmp_path / "d.csv", slip, wrong)))

    assert str(examples[0].meaning) == (
        "[size=small, type=ball, on-top-of: [color=green, place=right-hand, type=cube]]"
    )
    assert examples[1].meaning is None
    assert examples[1].facts["unread"] == ["the pattern in normal order"]


@pytest.mark.parametrize(
    ("cleaned", "pattern", "unread"),
    [
        ("small same-size ball", "tg_size lm_size tg_type", "lm_size=same-size"),
        ("small", "tg_size tg_type", "as many words as the pattern names"),
        ("ball inside cube", "tg_type rel lm_type", "rel=inside"),
        ("ball on-top-of cube next-to ball", "tg_type rel lm_type rel lm_type", "several relations"),
        ("", "", "as many words as the pattern names"),
    ],
)
def test_words_without_a_value_leave_no_meaning(tmp_path, cleaned, pattern, unread):
    """They are told."""
    (example,) = ReadFile(READER, write(tmp_path / "d.csv", f"1,1,1,A,whatever,{cleaned},{pattern},,"))

    assert example.meaning is None
    assert unread in example.facts["unread"]


def test_both_forms_of_a_file_give_the_same(tmp_path):
    """The XML has the same fields under other names."""
    trial = """<CORPUS><TRIAL id="p1s1" p="1" s="1" o="1" schema="A"><STRING-DESCRIPTION>
    <ORIGINAL> the wee ball on the right-hand box </ORIGINAL><CLEANED>small ball on-top-of right-hand cube</CLEANED>
    </STRING-DESCRIPTION><PATTERN><ORIG_PATTERN>tg_size tg_type rel lm_loc lm_type</ORIG_PATTERN>
    <REORDERED_PATTERN>tg_size tg_type rel lm_loc lm_type</REORDERED_PATTERN></PATTERN></TRIAL></CORPUS>"""
    (tmp_path / "d.xml").write_text(trial, encoding="utf-8")
    (one,) = ReadFile(READER, tmp_path / "d.xml")
    (other,) = ReadFile(READER, write(tmp_path / "d.csv", ROWS[0]))

    assert READER.sniff(tmp_path / "d.xml")
    assert one == other


def test_a_folder_gives_both_corpora(tmp_path):
    """Each is a split; an XML file that stands beside its table is not read again."""
    write(tmp_path / "GRE3D3.csv", *ROWS)
    write(tmp_path / "GRE3D7.csv", *ROWS)
    (tmp_path / "GRE3D7.xml").write_text(
        "<CORPUS><TRIAL><STRING-DESCRIPTION><CLEANED>red ball</CLEANED></STRING-DESCRIPTION></TRIAL></CORPUS>"
    )
    found = ReadFile(READER, tmp_path)

    assert READER.sniff(tmp_path)
    assert dict(found.splits) == {"GRE3D3": 2, "GRE3D7": 2}
    assert len({example.id for example in found}) == 4
    (tmp_path / "GRE3D3.csv").unlink()
    assert dict(ReadFile(READER, tmp_path).splits) == {"all": 2}


def test_a_readme_that_shows_the_layout_is_not_claimed(tmp_path):
    """The readme of the release has an example of a description in it."""
    readme = tmp_path / "GRE3D7-v1-readme"
    readme.write_text("THE CORPUS\n<TRIAL id='pNsM'>\n<STRING-DESCRIPTION>\n<CLEANED>\n")
    assert not READER.sniff(readme)


def test_scenes_of_gre3d7_are_not_claimed(tmp_path):
    """Its descriptions name no schema; one that does not fit its scene is no ground for a scene, either."""
    head = "subjid,sceneid,sceneorder,desc,cleaned,pattern,pattern (normalised order)"
    path = write(tmp_path / "d.csv", "1,30,2,big ball,large ball,tg_size tg_type,tg_size tg_type", head=head)
    (example,) = ReadFile(READER, path)
    assert not example.scenes
    assert str(example.meaning) == "[size=large, type=ball]"

    (other,) = ReadFile(READER, write(tmp_path / "e.csv", ROWS[0].replace(",A,", ",B,")))
    assert not other.scenes


def test_scenes_of_a_file_with_others_are_not_claimed(tmp_path):
    """Scenes 1 to 20 of another corpus may have the numbers and letters of those of GRE3D3."""
    others = [ROWS[0].replace("1,1,1,A", f"{speaker},{20 + speaker},1,A") for speaker in range(1, 4)]
    one_slip = [ROWS[0].replace("1,1,1", f"{speaker},1,1") for speaker in range(2, 20)]

    assert not any(one.scenes for one in ReadFile(READER, write(tmp_path / "d.csv", *ROWS, *others)))
    assert sum(bool(one.scenes) for one in ReadFile(READER, write(tmp_path / "e.csv", *one_slip, others[0]))) == 18


def test_rows_that_cannot_be_read_are_refused_by_code(tmp_path):
    """Nothing is dropped but empty lines."""
    many = "1,1,1,A,a,ball,tg_type,tg_type,,7,7"
    read = ReadFile(
        READER, write(tmp_path / "d.csv", ROWS[0], many, "", "1,2,2,B,,,tg_type,tg_type,", "1,x,1,A,a,b,c,d,")
    )

    assert (read.records, len(read)) == (4, 1)
    assert [refusal.code for refusal in read.refusals] == ["odd-row", "no-text", "unreadable"]
    with pytest.raises(BrokenDataset, match="has no columns"):
        ReadFile(READER, write(tmp_path / "e.csv", "1,2", head="a,b"))


@pytest.mark.parametrize("size", [40, 100, 118])
def test_a_row_that_is_cut_short_is_refused(tmp_path, size):
    """A cell without a name may be left out of rows, but not of the last one, behind which the file may go on."""
    rows = [row.removesuffix(",") for row in ROWS]
    whole = write(tmp_path / "d.csv", rows[1], rows[0], "")
    cut = write(tmp_path / "e.csv", rows[1], rows[0][:size])

    assert len(ReadFile(READER, whole)) == 2
    read = ReadFile(READER, cut)
    assert (len(read), [one.code for one in read.refusals]) == (1, ["odd-row"])


def test_hostile_bytes_never_crash(tmp_path):
    """Changed bytes give examples, refusals or one line."""
    path = write(tmp_path / "d.csv", *ROWS)
    check_hostile_bytes(READER, path, path, seed=2)


def test_every_scene_has_a_description_of_its_target():
    """The facts of all 20 scenes can be read; what is said of the target in full fits it alone."""
    for number, facts in enumerate(SCENES, start=1):
        scene = known_scene(number)
        assert len(scene) == 3
        size, color, shape = facts.split(", ")[0].split()
        wanted = {("size", size), ("color", color), ("type", shape)}
        assert [k for k in range(3) if wanted <= scene.objects[k]] == [0]


@needs_sample
def test_descriptions_agree_with_the_scenes():
    """621 of 627 descriptions fit the target alone; three compare sizes and have no meaning."""
    read = ReadFile(READER, REAL)
    judged = Counter(
        why_not_judged(example.meaning, example.context) for example in read if example.meaning is not None
    )

    assert (read.records, len(read), dict(read.refused)) == (630, 630, {})
    assert judged[""] == 621
    assert sum(judged.values()) == 627


@needs_sample
def test_what_is_said_of_the_landmark_is_true_of_it():
    """Four recorded values of all that people say are false: the scenes are the right ones."""
    true = false = 0
    for example in ReadFile(READER, REAL):
        if example.meaning is None:
            continue
        scene = example.scenes[0]
        mentions = list(example.meaning.mentions())
        for number, mention in enumerate(mentions):
            for step in mention.phrase.steps:
                is_true = step.value in scene.values(number, step.attribute)
                true, false = true + is_true, false + (not is_true)
        for clause in example.meaning.clauses:
            is_true = scene.related(clause.relation, 0, 1)
            true, false = true + is_true, false + (not is_true)

    assert false == 4
    assert true > 2000
