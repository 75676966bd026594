"""`deixis convert`: splits chosen, named and merged, and the folders of a release."""

from __future__ import annotations

import json
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

from deixis._cli import main
from deixis.data.store import open_dataset
from deixis.errors import UnknownName
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.formats._release import FILE_NAME
from deixis.worlds.grid.formats.vocabulary import read_vocabulary


if TYPE_CHECKING:
    from pathlib import Path


VOCABULARIES = ("input_vocabulary.txt", "target_vocabulary.txt")


def printed(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> dict:
    """What a verb prints as JSON."""
    assert main([*map(str, words), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """The one line with which a verb refuses."""
    assert main([*map(str, words)]) == 2
    said = capsys.readouterr().err.strip()
    assert "\n" not in said
    return said


def members(path: Path, split: str | None = None) -> dict[int, str]:
    """The splits of every example, by its id."""
    found: dict[int, str] = {}
    for table in open_source(path).tables(split):
        for number, name in zip(table["id"].to_pylist(), table["split"].to_pylist(), strict=True):
            assert number not in found, "an example stands there twice"
            found[number] = name
    return found


# -------------------------------------------------------------------------------- one split


@pytest.mark.parametrize("form", ["parquet", "reascan"])
def test_one_split_is_written_without_the_others_its_examples_are_in(form, shared, tmp_path, capsys):
    """Examples of a1 and a2 are written as members of a1 alone, and counted."""
    out = tmp_path / ("out.json" if form == "reascan" else "out")

    found = printed(capsys, "convert", shared, out, "--to", form, "--split", "a1")

    wanted = members(shared, "a1")
    both = sum(name == "a1+a2" for name in wanted.values())
    assert found["splits"] == {"a1": len(wanted)}
    assert found["in other splits as well"] == {"a2": both}
    assert both > 0
    assert members(out) == dict.fromkeys(wanted, "a1")


def test_the_vocabulary_of_one_split_is_that_of_the_dataset(shared, tmp_path, capsys):
    """Models read indices from the file beside a test set, which have to be those that they were trained with."""
    printed(capsys, "convert", shared, tmp_path / "all" / "all.json", "--to", "reascan")
    printed(capsys, "convert", shared, tmp_path / "one" / "a1.json", "--to", "reascan", "--split", "a1")

    for name in VOCABULARIES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "all" / name).read_bytes()


def test_the_vocabulary_beside_a_released_file_is_kept(download, tmp_path, capsys):
    """Indices of released models stay right, whatever is converted from the file."""
    source = tmp_path / "source"
    copytree(download / "ReaSCAN-compositional", source)
    path = source / VOCABULARIES[0]
    fields = json.loads(path.read_text(encoding="utf-8"))
    words = fields["idx_to_word"][:3] + fields["idx_to_word"][:2:-1]
    order = {word: number for number, word in enumerate(words) if number}
    path.write_text(json.dumps({**fields, "idx_to_word": words, "word_to_idx": order}), encoding="utf-8")

    printed(capsys, "convert", source, tmp_path / "out", "--to", "reascan", "--split", "dev")

    assert read_vocabulary(tmp_path / "out" / VOCABULARIES[0]).words == tuple(words[3:])


@pytest.mark.parametrize("words", [["--split", "a2"], []])
def test_vocabularies_of_other_data_are_not_replaced_unasked(words, shared, tmp_path, capsys):
    """A second file beside a first one, of one split or of all, must not take its indices away."""
    printed(capsys, "convert", shared, tmp_path / "a1.json", "--to", "reascan", "--split", "a1")
    printed(capsys, "convert", shared, tmp_path / "same.json", "--to", "reascan", *words)
    path = tmp_path / VOCABULARIES[0]
    fields = json.loads(path.read_text(encoding="utf-8"))
    turned = fields["idx_to_word"][:3] + fields["idx_to_word"][:2:-1]
    order = {word: number for number, word in enumerate(turned) if number}
    path.write_text(json.dumps({**fields, "idx_to_word": turned, "word_to_idx": order}), encoding="utf-8")

    said = refused(capsys, "convert", shared, tmp_path / "other.json", "--to", "reascan", *words)

    assert "is the vocabulary of other data" in said
    assert json.loads(path.read_text(encoding="utf-8"))["idx_to_word"] == turned


def test_a_file_in_a_folder_is_not_replaced_unasked(shared, tmp_path, capsys):
    """A folder as OUT means the file of the release in it, which is kept just so."""
    printed(capsys, "convert", shared, tmp_path / "out", "--to", "reascan", "--split", "a1")

    assert "already exists" in refused(capsys, "convert", shared, tmp_path / "out", "--to", "reascan", "--split", "a2")


# -------------------------------------------------------------------------------- compact


def test_compact_lines_of_several_splits_are_not_mixed(shared, tmp_path, capsys):
    """Lines do not say which split they are of, so one file holds one split."""
    said = refused(capsys, "convert", shared, tmp_path / "out.jsonl", "--to", "compact")

    assert (
        f"would mix the splits {', '.join(name for name, size in open_dataset(shared).splits.items() if size)}," in said
    )
    assert not (tmp_path / "out.jsonl").exists()


def test_a_folder_gets_a_compact_file_for_every_split(shared, tmp_path, capsys):
    """An example of two test sets is in both files; what is set aside has a file of its own."""
    found = printed(capsys, "convert", shared, tmp_path / "out", "--to", "compact")

    assert found["splits"] == {name: size for name, size in open_dataset(shared).splits.items() if size}
    sizes = {path.stem: len(path.read_text().splitlines()) for path in (tmp_path / "out").iterdir()}
    assert sizes == found["splits"]


# -------------------------------------------------------------------------------- back again


def test_examples_of_two_test_sets_come_back_once(shared, tmp_path, capsys):
    """The layout lists them twice; their content tells that they are one."""
    printed(capsys, "convert", shared, tmp_path / "all.json", "--to", "reascan")

    found = printed(capsys, "convert", tmp_path / "all.json", tmp_path / "back", "--to", "parquet")

    assert members(tmp_path / "back") == members(shared)
    assert found["splits"] == {name: size for name, size in open_dataset(shared).splits.items() if size}
    both = sum(name == "a1+a2" for name in members(shared).values())
    assert f"{both:,} examples were listed in several test sets; each is kept once" in found["notes"]
    assert printed(capsys, "check", tmp_path / "back", "--select", "E")["problems"] is False


def test_roles_that_the_layout_cannot_say_are_counted(tmp_path, capsys):
    """Worlds in which every word counts have sets of a kind that the release does not know."""
    recipe = tmp_path / "every.toml"
    pool = '[[pools]]\nname = "p2"\npattern = "p2"\ncommands = 8\nworlds = 2\n'
    recipe.write_text(f'mode = "every-word"\nseed = 3\n{pool}', encoding="utf-8")
    assert main(["make", "reascan", "--recipe", str(recipe), "--out", str(tmp_path / "every")]) == 0
    capsys.readouterr()

    words = ("convert", tmp_path / "every", tmp_path / "all.json", "--to", "reascan")
    assert "add --allow-losses" in refused(capsys, *words)
    assert not (tmp_path / "all.json").exists()
    assert "--allow-losses" in refused(capsys, "convert", tmp_path / "every", tmp_path / "all", "--to", "release")
    assert not list(tmp_path.glob("all/*"))
    found = printed(capsys, *words, "--allow-losses")
    printed(capsys, "convert", tmp_path / "all.json", tmp_path / "back", "--to", "parquet")

    changed = _roles(tmp_path / "back")
    lost = sum(changed[number] != roles for number, roles in _roles(tmp_path / "every").items())
    assert sum(found["losses"]["left out"].values()) == lost > 0
    assert main([*map(str, words), "--allow-losses", "--force"]) == 0
    assert f"{lost} of {len(changed)} examples' roles left out: the released layout cannot" in capsys.readouterr().out


def test_roles_that_the_layout_can_say_are_not_counted(shared, tmp_path, capsys):
    """Nothing is lost of worlds that are made as the released ones are."""
    found = printed(capsys, "convert", shared, tmp_path / "all.json", "--to", "reascan")

    printed(capsys, "convert", tmp_path / "all.json", tmp_path / "back", "--to", "parquet")
    back = _roles(tmp_path / "back")
    lost = sum(back[number] != roles for number, roles in _roles(shared).items())
    assert found["losses"].get("left out", {}) == {}
    assert lost == 0


@pytest.mark.parametrize(("mode", "lost"), [("corrected", 0), ("compatible", 1)])
def test_counterparts_of_size_words_come_back_in_both_modes(mode, lost, tmp_path, capsys):
    """Which size word a counterpart belongs to is found by the rule of the mode; rarely both explain it."""
    pools = "".join(f'[[pools]]\nname = "{p}"\npattern = "{p}"\ncommands = 120\nworlds = 2\n' for p in ("p2", "p3"))
    (tmp_path / "recipe.toml").write_text(f'mode = "{mode}"\nseed = 1\n{pools}', encoding="utf-8")
    printed(capsys, "make", "reascan", "--recipe", tmp_path / "recipe.toml", "--out", tmp_path / "made")

    found = printed(capsys, "convert", tmp_path / "made", tmp_path / "all.json", "--to", "reascan")["losses"]

    assert found["seen"] > 400
    assert sum(found.get("left out", {}).values()) <= lost


def _roles(path: Path) -> dict[int, list[tuple[str, int]]]:
    """Why the objects of every example are there, whatever order they have: kinds with what they punish."""
    from deixis.worlds.grid.data.table import examples_of

    found = {}
    for table in open_source(path).tables():
        for one in examples_of(table):
            reasons = [
                (thing.codes(), role.kind, one.misreadings[role.number] if role.has_misreading else 0)
                for thing, role in zip(one.scene.objects, one.roles, strict=True)
            ]
            found[one.id] = sorted(reasons)
    return found


# -------------------------------------------------------------------------------- names


def test_a_split_can_be_named_on_import(download, tmp_path, capsys):
    """A single split of any file is called as one likes; several have to be told apart."""
    file = tmp_path / "somewhere.json"
    file.write_bytes((download / "ReaSCAN-compositional-a1" / FILE_NAME).read_bytes())

    assert list(printed(capsys, "convert", file, tmp_path / "one", "--to", "parquet", "--as", "a1")["splits"]) == ["a1"]
    pair = printed(capsys, "convert", file, tmp_path / "two", "--to", "parquet", "--as", "test=b2")
    assert list(pair["splits"]) == ["b2"]
    chosen = (download / "ReaSCAN-compositional", tmp_path / "dev", "--to", "parquet", "--split", "dev", "--as", "val")
    assert list(printed(capsys, "convert", *chosen)["splits"]) == ["val"]
    said = refused(
        capsys, "convert", download / "ReaSCAN-compositional", tmp_path / "x", "--to", "parquet", "--as", "a1"
    )
    assert "has the splits train, dev" in said
    assert "--as gives 2 names for 1 paths" in refused(
        capsys, "convert", file, tmp_path / "x", "--to", "parquet", "--as", "a1,a2"
    )


def test_folders_of_the_release_name_their_splits(download):
    """The split of ReaSCAN-compositional-a1 is a1, though its file calls it test."""
    for name, split in (("a1", "a1"), ("p3-test", "p3-test")):
        folder = download / f"ReaSCAN-compositional-{name}"
        for path in (folder, folder / FILE_NAME):
            assert {s for table in open_source(path).tables() for s in table["split"].to_pylist()} == {split}
    main_folder = open_source(download / "ReaSCAN-compositional")
    assert {s for table in main_folder.tables() for s in table["split"].to_pylist()} == {"train", "dev", "test"}


# -------------------------------------------------------------------------------- the release


def test_a_release_becomes_one_dataset(shared, download, tmp_path, capsys):
    """The folder of a download is read as train, dev, test and its test sets, and what is left out is named."""
    found = printed(capsys, "convert", download, tmp_path / "one", "--to", "parquet")

    wanted = {number: split for number, split in members(shared).items() if split != "aside"}
    assert members(tmp_path / "one") == wanted
    (left_out,) = (note for note in found["notes"] if note.startswith("left out"))
    assert left_out.endswith("ReaSCAN-compositional-p1, ReaSCAN-compositional-p3-test")


def test_folders_of_a_release_are_merged_one_by_one(download, tmp_path, capsys):
    """Several paths become one dataset."""
    folders = [download / f"ReaSCAN-compositional{name}" for name in ("", "-a1")]

    found = printed(capsys, "convert", *folders, tmp_path / "one", "--to", "parquet")

    assert list(found["splits"]) == ["train", "dev", "test", "a1"]


def test_a_leak_is_told_and_not_merged(download, tmp_path, capsys):
    """Examples of train that are in a test set too stay in both, so that check finds them."""
    folders = [download / f"ReaSCAN-compositional{name}" for name in ("", "-p3-test")]

    found = printed(capsys, "convert", *folders, tmp_path / "one", "--to", "parquet")

    assert "5 examples are in two splits, train, p3-test: a leak, which stays as it is" in found["notes"]
    assert open_dataset(tmp_path / "one").manifest["in several splits"]["also elsewhere"] == {"train, p3-test": 5}
    assert printed(capsys, "check", tmp_path / "one", "--select", "E401", code=1)["problems"] is True


@pytest.mark.parametrize("verb", ["check", "audit", "stats"])
def test_verbs_read_the_folder_of_a_release(verb, download, capsys):
    """A download can be looked at before anything is converted."""
    words = ["check", "--select", "E"] if verb == "check" else [verb]

    assert main([words[0], str(download), *words[1:]]) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("words", [["check", "--select", "E"], ["audit"]])
def test_what_is_left_out_of_a_release_is_told(words, download, capsys):
    """A verb says what it did not look at."""
    assert main([words[0], str(download), *words[1:]]) == 0

    assert "ReaSCAN-compositional-p1, ReaSCAN-compositional-p3-test" in capsys.readouterr().out


def test_examples_of_a_release_are_found_by_number(download):
    """Numbers go on from file to file, over all splits and within one, and are those of the tables."""
    source = open_source(download)
    for split in (None, "dev", "a2"):
        ids = [number for table in source.tables(split) for number in table["id"].to_pylist()]
        assert source.count(split) == len(ids)
        for place in (0, len(ids) // 2, len(ids) - 1):
            assert source.example(place, split).id == ids[place]
        with pytest.raises(UnknownName, match=f"it has {len(ids)}"):
            source.example(len(ids), split)
    assert source.example(0, "a2").split == "a2"
    with pytest.raises(UnknownName, match="no split 'b1'"):
        source.example(0, "b1")


def test_a_folder_without_table_3_says_what_it_has(download, tmp_path, capsys):
    """Folders with nothing held out are read by themselves, never as one dataset."""
    copytree(download / "ReaSCAN-compositional-p1", tmp_path / "in" / "ReaSCAN-compositional-p1")

    said = refused(capsys, "convert", tmp_path / "in", tmp_path / "out", "--to", "parquet")

    assert "name one of ReaSCAN-compositional-p1 in it" in said


def test_a_dataset_is_written_as_a_release(shared, tmp_path, capsys):
    """Each test set has a folder with the split test, all have the vocabulary of the whole, and it reads back."""
    found = printed(capsys, "convert", shared, tmp_path / "out", "--to", "release")

    folders = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert folders == ["ReaSCAN-compositional", "ReaSCAN-compositional-a1", "ReaSCAN-compositional-a2"]
    held = json.loads((tmp_path / "out" / "ReaSCAN-compositional-a2" / FILE_NAME).read_text(encoding="utf-8"))
    assert list(held["examples"]) == ["test"]
    for name in VOCABULARIES:
        assert len({(tmp_path / "out" / folder / name).read_bytes() for folder in folders}) == 1
    wanted = {number: split for number, split in members(shared).items() if split != "aside"}
    printed(capsys, "convert", tmp_path / "out", tmp_path / "back", "--to", "parquet")
    assert members(tmp_path / "back") == wanted
    assert found["splits"] == {name: size for name, size in open_dataset(shared).splits.items() if name != "aside"}
    lost = f"{len(members(shared)) - len(wanted):,} of {len(members(shared)):,} examples left out"
    assert f"{lost}, since a release has no folder for their split: aside" in found["notes"]


def test_where_to_write_must_be_said(shared, capsys):
    """A single path is not enough, and an address has to be one of storage that is known."""
    assert "where to write" in refused(capsys, "convert", shared, "--to", "parquet")
    assert "no storage called foo://" in refused(capsys, "convert", shared, "foo://bucket/folder", "--to", "parquet")
