"""What every verb does with the files of every built-in reader, from the command line."""

from __future__ import annotations

import json
import re
from xml.parsers import expat

import pytest

from deixis._cli import main
from deixis.readers._rows import RowFile
from deixis.readers.registry import BUILT_IN, find_reader, world_of_reader
from tests.readers.samples import write_sample


SCENE = re.compile(r'id="scene"[^>]*>\s*<svg')
UNKNOWN = ("expressions",)  # readers whose files have neither objects nor boxes, so that nothing can be asked
SILENT = ("clembench",)  # readers whose examples have no text


@pytest.fixture(params=BUILT_IN)
def sample(request, tmp_path):
    """The name of a reader, and a small file in its layout."""
    path, _ = write_sample(request.param, tmp_path / "sample")
    return request.param, path


def run(capsys, *words):
    """The exit code of a command, what it printed and what it complained of."""
    code = main([str(word) for word in words])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def values(capsys, *words):
    """What a command prints as JSON."""
    code, out, err = run(capsys, *words, "--json")
    assert code in (0, 1), err
    return json.loads(out)


def test_every_reader_has_a_sample():
    """A new reader is tried with every verb, too."""
    assert set(BUILT_IN) == set(write_sample.__globals__["SAMPLES"])


def test_check_counts_what_it_finds(sample, capsys):
    """Nothing is wrong with the invented files, and `--json` is JSON."""
    (found,) = values(capsys, "check", sample[1])["reports"]
    assert (found["world"], found["rows"]) == (sample[0], 6)
    assert values(capsys, "check", sample[1])["errors"] == 0


def test_show_tells_an_example_in_text_and_json(sample, capsys):
    """Both have its id."""
    code, out, err = run(capsys, "show", sample[1], 1)
    plain = values(capsys, "show", sample[1], 1)

    assert code == 0, err
    assert f"id {plain['id']}" in out
    assert plain["task"] == find_reader(sample[0]).task


def test_show_draws_an_example(sample, capsys, tmp_path):
    """A well-formed picture, in which the text or the choices are to be read."""
    code, _, err = run(capsys, "show", sample[1], 1, "--out", tmp_path / "x.svg")
    drawn = (tmp_path / "x.svg").read_bytes()
    expat.ParserCreate().Parse(drawn, True)
    assert code == 0, err
    assert b"<text" in drawn


def test_stats_counts(sample, capsys):
    """In text and as JSON."""
    code, shown, _ = run(capsys, "stats", sample[1])
    assert code == 0
    assert f"licence: {find_reader(sample[0]).license}" in " ".join(shown.split())
    (told,) = values(capsys, "stats", sample[1])["datasets"]
    assert told["citation"] == find_reader(sample[0]).citation


def test_audit_counts(sample, capsys):
    """In text and as JSON."""
    code, out, err = run(capsys, "audit", sample[1])
    assert code == 0, err
    assert out
    assert values(capsys, "audit", sample[1])


def test_prompts_are_written(sample, capsys, tmp_path):
    """One for every example that can be asked about, or a line that says why there is none."""
    code, _, err = run(
        capsys, "prompts", sample[1], "--out", tmp_path / "prompts.jsonl", "--limit", 4, "--allow-losses"
    )
    if sample[0] in UNKNOWN + SILENT:
        assert code == 2
        assert err.count("\n") == 1
        return
    assert code == 0, err
    assert (tmp_path / "prompts.jsonl").read_text(encoding="utf-8").count("\n") >= 3


def test_the_oracle_is_right_and_chance_is_judged(sample, capsys):
    """An accuracy of 1 for right answers."""
    if sample[0] in UNKNOWN:
        assert run(capsys, "evaluate", "oracle", "--data", sample[1])[0] == 2
        return
    oracle, chance = (values(capsys, "evaluate", name, "--data", sample[1]) for name in ("oracle", "random"))
    assert accuracy(oracle) == 1
    assert 0 <= accuracy(chance) <= 1


def accuracy(found):
    """The share of right answers, of right groups where there are several questions on one example."""
    overall = found["overall"]
    return overall["accuracy" if "accuracy" in overall else "group_score"]["mean"]


def test_a_converted_file_holds_the_same_examples(sample, capsys, tmp_path):
    """As Parquet, opened again, byte for byte; every verb takes the folder."""
    found = values(capsys, "convert", sample[1], tmp_path / "rows", "--to", "parquet")
    world = world_of_reader(sample[0])
    before, after = (world.part("examples").open(path) for path in (sample[1], tmp_path / "rows"))

    assert (found["examples"], found["identical"]) == (6, 6)
    assert isinstance(after, RowFile)
    assert [json.dumps(one.content()) for one in before] == [json.dumps(one.content()) for one in after]
    assert [(one.id, one.split, one.facts) for one in before] == [(one.id, one.split, one.facts) for one in after]
    assert before.splits == after.splits
    assert values(capsys, "check", tmp_path / "rows")["reports"][0]["rows"] == 6
    assert values(capsys, "show", tmp_path / "rows", 2) == values(capsys, "show", sample[1], 2)


@pytest.mark.slow
def test_the_studio_shows_the_file(sample, tmp_path):
    """Its gallery with pictures, and an example with its scene drawn in the page."""
    testclient = pytest.importorskip("starlette.testclient")
    from deixis._studio.server import make_app

    app = make_app([sample[1]], answers=tmp_path / "answers")
    browser = testclient.TestClient(app, base_url="http://127.0.0.1")
    home = browser.get("/")
    assert home.status_code == 200
    slug = re.search(r'href="(/d/[^"/?]+)', home.text)[1]
    for address in (slug, f"{slug}/0", f"{slug}/5"):
        page = browser.get(address)
        assert page.status_code == 200, address
    has_scene = sample[0] != "expressions"  # a file of expressions alone
    assert bool(SCENE.search(browser.get(f"{slug}/0").text)) == has_scene
    pictures = re.findall(r'src="(/d/[^"]+)"', browser.get(slug).text)
    assert pictures
    for picture in pictures:
        assert browser.get(picture).status_code == 200


@pytest.mark.parametrize(("name", "word"), [("mdetr", "right"), ("valse", "right"), ("stars2", "right object")])
def test_results_are_named_by_what_is_answered(name, word):
    """Boxes and choices are right or wrong; where objects are listed, one of them is."""
    assert world_of_reader(name).part("pages").results.measures == {"accuracy": word}
