"""What `deixis audit` says of datasets about photographs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deixis._cli import main
from deixis.worlds.photos._audit.localise import audit_shortcuts
from deixis.worlds.photos.data.store import write_copsref
from tests.datasets.copsref.posed import posed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small dataset with distractor images, some examples to train on, and expressions that fit nothing."""
    bare = [replace(one, id=10_000 + one.id, split="train", distractors=()) for one in posed().there[:5]]
    out = tmp_path_factory.mktemp("copsref") / "posed"
    write_copsref(out, [*posed().examples, *bare], posed().scenes)
    return out


def printed(capsys, *words):
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def test_readers_are_told_by_setting(folder, capsys):
    """A table has a row for every reader and a column for every setting; what is left out is counted."""
    out = printed(capsys, "audit", folder)

    row = next(line for line in out.splitlines() if line.strip().startswith("whole expression"))
    assert row.split()[2:] == ["100.0"] * 6
    assert f"{len(posed().there):,} of " in out
    assert "5 no distractor images" in out


def test_a_bag_of_words_is_one_reader_in_all_tables(folder, capsys):
    """The measures that all worlds share and the readers by setting judge the same bag, whole phrases included."""
    shown = json.loads(printed(capsys, "audit", folder, "--json", "--split", "val"))["audits"]["posed"]

    by_setting = {one["setting"]: one["solved"] for one in shown["settings"]}
    assert shown["measures"]["solved"]["bag of words"]["share"] == pytest.approx(
        by_setting["Full"]["bag of words"]["share"]
    )


def test_words_alone_are_told(folder, tmp_path, capsys):
    """The area of the reader that sees no image is said with its interval, in the terminal and on the page."""
    out = printed(capsys, "audit", folder, "--out", tmp_path / "told")

    told = audit_shortcuts(posed().examples, posed().scenes).words_alone
    sentence = f"with an area of {told.area:.2f} [{told.low:.2f}, {told.high:.2f}] under the curve"
    assert sentence in " ".join(out.split())
    assert sentence in (tmp_path / "told" / "audit.md").read_text(encoding="utf-8")
    assert "Words alone" not in printed(capsys, "audit", folder, "--split", "train")


def test_json_is_what_the_package_finds(folder, capsys):
    """Figures and intervals are those of `audit_shortcuts`."""
    shown = json.loads(printed(capsys, "audit", folder, "--json", "--split", "val"))

    val = [one for one in posed().examples if one.split == "val"]
    found = audit_shortcuts(val, posed().scenes).to_dict()
    assert shown["split"] == "val"
    own = {"kind": "copsref", **found}
    assert {key: shown["audits"]["posed"][key] for key in own} == own
    assert shown["audits"]["posed"]["measures"]["judged"] > 0


def test_a_folder_gets_the_tables_and_the_figures(folder, tmp_path, capsys):
    """With --out, JSON and Markdown are written, and the text says where."""
    out = printed(capsys, "audit", folder, "--out", tmp_path / "new" / "audit")

    written = json.loads((tmp_path / "new" / "audit" / "audit.json").read_text(encoding="utf-8"))
    page = (tmp_path / "new" / "audit" / "audit.md").read_text(encoding="utf-8")
    assert written["audits"]["posed"]["judged"] == len(posed().there)
    assert page.count("| whole expression | 100.0 ±") == 1
    assert page.count("| whole expression | 100.0 | 100.0 |") == 1
    assert "audit.md" in out
    shown = (tmp_path / "new" / "audit" / "audit.html").read_text(encoding="utf-8")
    assert "whole expression" in shown
    assert "http" not in shown.replace("http://www.w3.org/2000/svg", "")


def test_a_sample_is_chosen_by_the_seed(folder, capsys):
    """Fewer examples may be audited; the same seed chooses the same ones."""
    one, again, other = (printed(capsys, "audit", folder, "--sample", 9, "--seed", s, "--json") for s in (3, 3, 4))

    assert json.loads(one)["audits"]["posed"]["examples"] == 9
    assert one == again != other


def test_examples_to_train_on_have_one_setting(folder, capsys):
    """Without distractor images there is nothing to compare; the table has one column."""
    out = printed(capsys, "audit", folder, "--split", "train")

    assert "Without" in out
    assert "Full" not in out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("{folder}", "--published"), "--published is an option of grid"),
        (("{folder}", "--split", "nowhere"), "there is no split 'nowhere'"),
        (("{nothing}",), "holds no example to audit: 1 fits nothing"),
    ],
)
def test_failures_take_one_line(words, reason, folder, tiny, tmp_path, capsys):
    """What cannot be audited is said in one line, with exit code 2."""
    absent = next(one for one in posed().examples if not one.is_there)
    write_copsref(tmp_path / "nothing", [absent], posed().scenes)
    places = {"{folder}": str(folder), "{tiny}": str(tiny), "{nothing}": str(tmp_path / "nothing")}

    assert main(["audit", *(places.get(word, word) for word in words)]) == 2

    error = capsys.readouterr().err.strip()
    assert reason in error
    assert len(error.splitlines()) == 1
