"""The studio's pages as files: what is refused, how addresses become names, and how tags and scripts are changed."""

from __future__ import annotations

import json
import re

import pytest

from deixis._cli import main
from deixis._studio import export as exporting
from deixis._studio.copied_pages import CopiedPage, copy_page, plain_script
from deixis.errors import DeixisError
from tests.studio.drawn import write_dataset
from tests.studio.exported import faults_of


class Links:
    """A copy that holds one page, one picture and one script."""

    def page(self, address):
        """The page is /d/one."""
        return "../d/one.html" if address == "/d/one" else None

    def asset(self, address):
        """Every picture but one is there."""
        return None if "missing" in address else f"..{address}"

    def imports(self, address):
        """The script of an example needs that of all pages."""
        return ["/static/studio.js"] if "example" in address else []

    def facts(self, address):
        """Half of the words are needed, as far as it is asked for them."""
        return {"words": "50 %"} if address == "/needed" else {}


@pytest.mark.parametrize(
    ("written", "copied"),
    [
        ('<a class="x" href="/d/one#a">1</a>', '<a class="x" href="../d/one.html#a">1</a>'),
        ('<a href="/d/two">2 &amp; <b>3</b></a>', "<a>2 &amp; <b>3</b></a>"),
        ('<a class="button" href="/d/two">2</a>!', "!"),
        ('<nav class="chips"><a class="chip" href="/play">2</a></nav>', '<nav class="chips"></nav>'),
        ('<nav class="crumbs"><a href="/d/two">2</a></nav>', '<nav class="crumbs"><a>2</a></nav>'),
        ('<a href="https://example.org/">2</a>', "<a>2</a>"),
        ("<form><p>a</p><form><input></form></form>b", "b"),
        ("<p data-served>a<p>b</p></p>c", "c"),
        ("<p class='x' data-copied hidden>a</p>", "<p class='x'>a</p>"),
        ('<img src="/missing.png" alt="">a', "a"),
        (
            '<svg viewBox="0 0 1 1"><image href="/a.png"/></svg>',
            '<svg viewBox="0 0 1 1"><image href="../a.png"/></svg>',
        ),
        (
            '<a href="/d/one" data-needed="/needed" hidden></a>',
            '<a href="../d/one.html">50 % of words needed</a>',
        ),
        (
            '<script type="module" src="/static/example.js"></script>',
            '<script defer src="../static/studio.js"></script>\n<script defer src="../static/example.js"></script>',
        ),
    ],
)
def test_tags_are_changed_as_a_place_without_a_server_needs(written, copied):
    """Links become relative, and what leads nowhere or needs a server goes."""
    assert copy_page(written, "/d/one/1", Links()) == copied


def test_a_gallery_keeps_as_many_cards_as_have_pages():
    """Cards beyond them are left out, with all that is in them, and the number is told."""
    cards = "".join(f'<li class="card"><ul><li>{number}</li></ul></li>' for number in range(3))
    page = CopiedPage("/d/one", Links(), 2)
    page.feed(f'<b data-shown></b><ul class="cards gallery">{cards}</ul>')

    assert page.text.startswith("<b data-shown>2</b>")
    assert [page.text.count(f"<li>{number}</li>") for number in range(3)] == [1, 1, 0]


def test_a_module_becomes_a_script_that_finds_what_it_imports():
    """Exports go into one object and come from there."""
    text = 'import { light } from "./studio.js";\nexport async function show(it) { light(it); }\n'

    script = plain_script(text, "/static/example.js")

    assert 'const { light } = globalThis.deixisModules["/static/studio.js"];' in script
    assert '["/static/example.js"] = { show };' in script
    assert "export" not in script


def test_a_module_in_another_form_is_refused():
    """A script that would fail in the browser is not written."""
    with pytest.raises(DeixisError, match=r"/static/x\.js"):
        plain_script('import * as all from "./studio.js";\n', "/static/x.js")


@pytest.mark.slow
def test_a_whole_demo_is_exported(demo_roots, tmp_path, capsys):
    """Four worlds and results in one folder; every link leads to a file, and the numbers are told."""
    words = ["studio", *map(str, demo_roots), "--export", str(tmp_path / "pages"), "--examples", "12", "--json"]

    assert main(words) == 0

    said = json.loads(capsys.readouterr().out)
    files = [path for path in (tmp_path / "pages").rglob("*") if path.is_file()]
    assert list(faults_of(tmp_path / "pages")) == []
    assert (said["files"], said["bytes"]) == (len(files), sum(path.stat().st_size for path in files))
    assert (tmp_path / "pages" / "results.html").is_file()
    assert {path.suffix for path in (tmp_path / "pages" / "results" / "scores").iterdir()} == {".csv", ".tex"}
    assert re.search(
        r'<a href="results/scores/[^"]*\.csv" download>', (tmp_path / "pages" / "results.html").read_text()
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--export", "{there}"], "is there already"),
        (["--examples", "5"], "--examples is for the pages of --export"),
        (["--force"], "--force is for the folder of --export"),
        (["--export", "{there}", "--force"], "was not made by deixis studio --export"),
        (["--export", "{new}", "--study", "{there}"], "--study serves a study and nothing else"),
    ],
)
def test_what_cannot_be_exported_is_told_in_one_line(tmp_path, capsys, words, told):
    """Nothing is overwritten, and options that say nothing together are refused."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "kept.txt").write_text("kept")
    given = [word.format(there=tmp_path / "there", new=tmp_path / "new") for word in words]
    paths = [] if "--study" in words else [str(tmp_path)]

    assert main(["studio", *paths, *given]) == 2

    said = capsys.readouterr().err
    assert told in said
    assert len(said.splitlines()) == 1
    assert [path.name for path in tmp_path.rglob("*")] == ["there", "kept.txt"]


def test_a_folder_without_data_is_no_empty_export(tmp_path, capsys):
    """There is nothing to export, and nothing is written."""
    (tmp_path / "empty").mkdir()

    assert main(["studio", str(tmp_path / "empty"), "--export", str(tmp_path / "pages")]) == 2

    assert "no datasets or results were found" in capsys.readouterr().err
    assert not (tmp_path / "pages").exists()


@pytest.fixture
def exported(tmp_path):
    """An export of a few drawn worlds, and the command that wrote it."""
    write_dataset(tmp_path / "drawn")
    words = ["studio", str(tmp_path / "drawn"), "--export", str(tmp_path / "pages"), "--examples", "2"]
    assert main(words) == 0
    return tmp_path / "pages", words


def files_in(folder):
    """The bytes of every file of a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_export_replaces_an_earlier_one_only_when_it_is_told_to(exported, capsys):
    """Without --force the folder is taken; with it, pages that are not written again are gone."""
    out, words = exported
    before = files_in(out)
    fewer = [*words[:-1], "1"]

    assert main(fewer) == 2
    assert "is there already" in capsys.readouterr().err
    assert files_in(out) == before

    assert main([*fewer, "--force"]) == 0
    assert len(files_in(out)) < len(before)
    assert sorted(json.loads((out / "export.json").read_text())["files"]) == sorted(files_in(out))
    assert main([*words, "--force"]) == 0
    assert files_in(out) == before
    assert sorted(path.name for path in out.parent.iterdir()) == ["drawn", "pages"]


@pytest.mark.parametrize("name", ["notes.txt", "d/drawn/mine.html"])
def test_a_folder_with_anything_else_in_it_is_not_replaced(exported, capsys, name):
    """The file that no export wrote is named, and nothing is touched."""
    out, words = exported
    (out / name).write_text("mine")
    before = files_in(out)

    assert main([*words, "--force"]) == 2

    said = capsys.readouterr().err
    assert f"also holds {name}" in said
    assert len(said.splitlines()) == 1
    assert files_in(out) == before


def test_an_export_that_fails_leaves_the_earlier_one(exported, monkeypatch):
    """The new pages take the place of the old ones when they are whole."""
    out, words = exported
    before = files_in(out)

    def fail(*_):
        raise DeixisError("no more")

    monkeypatch.setattr(exporting.Export, "write", fail)

    assert main([*words, "--force"]) == 2
    assert files_in(out) == before
    assert sorted(path.name for path in out.parent.iterdir()) == ["drawn", "pages"]
