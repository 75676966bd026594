"""Making datasets: the same bytes whoever makes them, how often they are interrupted and where they go on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deixis.data import _resumable as resumable
from deixis.data._resumable import ResumableFolder
from deixis.data.store import MANIFEST, PARTIAL
from deixis.errors import BrokenDataset, LeakySplit, RecipeError, UnsatisfiablePattern
from deixis.expression.parts import parts
from deixis.expression.patterns import pattern_of
from deixis.resolution import resolve
from deixis.worlds.grid.actions import Action
from deixis.worlds.grid.data.table import examples_of
from deixis.worlds.grid.language import grounded_determiners
from deixis.worlds.grid.making import _places as places
from deixis.worlds.grid.making import _pool_maker as pool_maker
from deixis.worlds.grid.making import make as make_module
from deixis.worlds.grid.making._shards import Shard, make_shard
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import Pool, read_recipe, reascan, recipe_from
from deixis.worlds.grid.scene import Facing
from deixis.worlds.grid.splits.rules import Rule, find_rule, phrase_key, relation_key
from tests.datasets.tiny import examples_in, folder_bytes, quick, tiny, whole


RECIPES = Path(__file__).parents[2] / "recipes"
INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from deixis.worlds.grid.making import _pool_maker as pool_maker
from deixis.worlds.grid.making.make import make
from tests.datasets.tiny import quick

pool_maker.COMMANDS_PER_SHARD = 3
left = int(sys.argv[2])
fsync = os.fsync

def die_in_time(descriptor):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    fsync(descriptor)

os.fsync = die_in_time  # a file is complete then, but does not have its name yet
make(quick(), Path(sys.argv[1]), workers=2)
"""


@pytest.fixture(scope="module", params=["compatible", "corrected"])
def dataset(request, tmp_path_factory):
    """A dataset with every hold-out of the paper, in one of the modes."""
    return make(whole(request.param), tmp_path_factory.mktemp(request.param) / "whole", workers=2)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of the tiny dataset, made in one go by one worker."""
    out = tmp_path_factory.mktemp("tiny") / "finished"
    make(quick(), out, workers=1)
    return out


@pytest.fixture
def small_shards(monkeypatch):
    """Shards of three commands, so that even a tiny pool has several."""
    monkeypatch.setattr(pool_maker, "COMMANDS_PER_SHARD", 3)


def stop_after(count):
    """A progress report after which the user presses Ctrl-C."""
    left = iter(range(count, -1, -1))

    def progress(stage, done, total, /):
        if next(left) == 0:
            raise KeyboardInterrupt

    return progress


def begun(out, *, reports=3):
    """The beginning of the tiny dataset."""
    with pytest.raises(KeyboardInterrupt):
        make(quick(), out, workers=1, progress=stop_after(reports))
    return out


# --- the same bytes


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_number_of_workers_changes_no_byte(finished, small_shards, tmp_path, workers):
    """Every file, the manifest included, is the same for any number of workers and any size of shards."""
    make(quick(), tmp_path / "again", workers=workers)

    assert folder_bytes(tmp_path / "again") == folder_bytes(finished)


def test_another_seed_gives_other_examples(finished, tmp_path):
    """What is made follows from the seed: with another one hardly an example is the same."""
    other = make(quick(seed=43), tmp_path / "other", workers=2)

    mine = {example.id for example in examples_in(make(quick(), finished))}
    assert not mine & {example.id for example in examples_in(other)}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix signal")
def test_a_killed_maker_loses_nothing_and_damages_nothing(finished, tmp_path):
    """Killed while a file is being written, three times over, and run again, it makes the same bytes."""
    out = tmp_path / "killed"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(["src", ".", os.environ.get("PYTHONPATH", "")])}
    root = Path(__file__).parents[2]
    for left in (2, 7, 12):
        command = [sys.executable, "-c", INTERRUPTED, str(out), str(left)]
        done = subprocess.run(command, env=environment, cwd=root, capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
        assert not (out / MANIFEST).exists()

    make(quick(), out, workers=2)

    assert folder_bytes(out) == folder_bytes(finished)


@pytest.mark.parametrize("reports", [1, 4, 11, 13])
def test_making_goes_on_after_ctrl_c(finished, small_shards, tmp_path, reports):
    """Interrupted at any stage, be it the proof or the writing, it can be finished and gives the same bytes."""
    out = begun(tmp_path / "stopped", reports=reports)

    make(quick(), out, workers=2)

    assert folder_bytes(out) == folder_bytes(finished)


def test_what_is_finished_is_not_made_again(small_shards, tmp_path, monkeypatch):
    """After an interruption only the shards that are missing are made."""
    out = begun(tmp_path / "stopped", reports=13)
    made = []
    original = pool_maker.make_shard
    monkeypatch.setattr(pool_maker, "make_shard", lambda *a: made.append(a[1].name) or original(*a))

    make(quick(), out, workers=1)

    assert not made


# --- damage


def spoil_bytes(folder):
    shard = next(folder.glob("p1-*.arrow"))
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 0xFF
    shard.write_bytes(data)


def cut_short(folder):
    shard = next(folder.glob("p1-*.arrow"))
    shard.write_bytes(shard.read_bytes()[:100])


def lose_note(folder):
    lines = (folder / "finished.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "finished.jsonl").write_text("".join([lines[0], *lines[2:]]), encoding="utf-8")


def garble_note(folder):
    lines = (folder / "finished.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "finished.jsonl").write_text("".join([*lines[:-1], lines[-1][:20]]), encoding="utf-8")


def swap_shards(folder):
    one, two = sorted(folder.glob("p1-*.arrow"))[:2]
    shutil.copy(one, two)


def half_write(folder):
    (folder / ".p1-00000.arrow.1.tmp").write_bytes(b"ARROW1")


def garble_recipe(folder):
    (folder / "finished.jsonl").write_text("{", encoding="utf-8")


@pytest.mark.parametrize(
    "damage", [spoil_bytes, cut_short, lose_note, garble_note, swap_shards, half_write, garble_recipe]
)
def test_damaged_work_is_done_again(finished, small_shards, tmp_path, damage):
    """A shard that is spoilt, cut short, swapped or without its note is never taken for a whole one."""
    out = begun(tmp_path / "damaged", reports=6)
    damage(out / PARTIAL)

    make(quick(), out, workers=2)

    assert folder_bytes(out) == folder_bytes(finished)


def test_shards_of_another_size_are_not_mistaken(finished, small_shards, tmp_path, monkeypatch):
    """A shard is known by its commands: what was begun with small shards can be finished with larger ones."""
    out = begun(tmp_path / "small", reports=6)
    monkeypatch.setattr(pool_maker, "COMMANDS_PER_SHARD", 5)

    make(quick(), out, workers=2)

    assert folder_bytes(out) == folder_bytes(finished)


def test_the_work_of_another_version_is_thrown_away(finished, small_shards, tmp_path, monkeypatch):
    """Shards made by another version of deixis are not mixed with those of this one."""
    with monkeypatch.context() as patch:
        patch.setattr(resumable, "__version__", "0.0.0-other")
        patch.setattr(pool_maker, "make_shard", lambda *a: Shard(*_cut(*a)))
        out = begun(tmp_path / "old", reports=6)

    make(quick(), out, workers=2)

    assert folder_bytes(out) == folder_bytes(finished)


def _cut(recipe, pool, instructions, first):
    """A shard as a faulty version might make it: without its first world."""
    table, outcomes = make_shard(recipe, pool, instructions, first)
    outcomes[np.argmax(outcomes[:, 0] > 0), 0] -= 1
    return table.slice(1), outcomes


# --- who may work where


def test_a_finished_dataset_is_returned_as_it_is(finished):
    """Making it again touches no file."""
    before = {path: path.stat().st_mtime_ns for path in finished.rglob("*")}

    again = make(quick(), finished)

    assert again.manifest["examples"] == sum(entry["rows"] for entry in again.manifest["files"])
    assert {path: path.stat().st_mtime_ns for path in finished.rglob("*")} == before


def test_what_a_finished_maker_left_behind_is_tidied_up(finished, tmp_path, monkeypatch):
    """Killed between the manifest and the tidying up, it leaves a finished dataset; the next call tidies up."""
    with monkeypatch.context() as patch:
        patch.setattr(resumable, "_remove_traces", lambda _: None)
        make(quick(), tmp_path / "left", workers=2)
    assert (tmp_path / "left" / PARTIAL).is_dir()

    make(quick(), tmp_path / "left")

    assert folder_bytes(tmp_path / "left") == folder_bytes(finished)


def test_a_finished_dataset_of_another_recipe_is_refused(finished):
    """A folder holds one dataset: another recipe is turned away, whether the first is finished or only begun."""
    with pytest.raises(RecipeError, match="already holds a dataset made from another recipe"):
        make(quick(seed=7), finished)


def test_a_begun_dataset_of_another_recipe_is_refused(tmp_path):
    """What was begun is not overwritten by another recipe."""
    out = begun(tmp_path / "begun")

    with pytest.raises(RecipeError, match="beginning of a dataset made from another recipe"):
        make(quick(seed=7), out)

    assert list((out / PARTIAL).glob("p1-*.arrow"))


def test_two_makers_at_once_are_refused(finished, tmp_path):
    """While one process makes a dataset another one is turned away, and may come in afterwards."""
    with (
        ResumableFolder(tmp_path / "busy", quick().digest),
        pytest.raises(RecipeError, match="another process is making a dataset"),
    ):
        make(quick(), tmp_path / "busy")

    make(quick(), tmp_path / "busy", workers=2)

    assert folder_bytes(tmp_path / "busy") == folder_bytes(finished)


def test_finishing_while_another_waits_is_noticed(finished, tmp_path, monkeypatch):
    """A maker that comes in just after another has finished returns what that one made."""
    out = tmp_path / "raced"

    def enter_late(folder, digest):
        shutil.copytree(finished, folder)
        return ResumableFolder(folder, digest)

    monkeypatch.setattr(resumable, "ResumableFolder", enter_late)

    assert make(quick(), out).manifest == json.loads((finished / MANIFEST).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["notes.txt", "data", "README.md", ".x.tmp"])
def test_a_folder_of_somebody_else_is_left_alone(tmp_path, name):
    """Nothing is written to a folder that holds something which is not ours."""
    (tmp_path / name).mkdir()

    with pytest.raises(RecipeError, match="not empty"):
        make(quick(), tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_foreign_files_among_the_data_stop_the_making(tmp_path):
    """A file that we did not write is not deleted when making goes on."""
    out = begun(tmp_path / "begun")
    (out / "data").mkdir()
    (out / "data" / "thesis.tex").write_text("years of work", encoding="utf-8")

    with pytest.raises(RecipeError, match=r"thesis\.tex"):
        make(quick(), out)

    assert (out / "data" / "thesis.tex").exists()


@pytest.mark.parametrize("name", [PARTIAL, "data"])
def test_links_out_of_the_folder_are_refused(tmp_path, name):
    """Nothing is written or deleted through a link to another folder."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious.parquet").write_text("!", encoding="utf-8")
    out = begun(tmp_path / "out") if name == "data" else tmp_path / "out"
    out.mkdir(exist_ok=True)
    (out / name).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(RecipeError, match="links"):
        make(quick(), out)

    assert (tmp_path / "elsewhere" / "precious.parquet").exists()


def test_a_file_where_the_folder_should_be_is_refused(tmp_path):
    """The folder cannot be made where a file of that name lies."""
    (tmp_path / "file").write_text("", encoding="utf-8")

    with pytest.raises(RecipeError, match="is a file"):
        make(quick(), tmp_path / "file")


def test_a_folder_that_cannot_be_made_is_an_error_of_one_line(tmp_path):
    """What the operating system refuses is told in one line."""
    (tmp_path / "file").write_text("", encoding="utf-8")

    with pytest.raises(RecipeError, match=r"^cannot write to .*$"):
        make(quick(), tmp_path / "file" / "below")


@pytest.mark.parametrize("workers", [0, -1])
def test_somebody_has_to_work(tmp_path, workers):
    """Fewer than one worker is refused before anything is written."""
    with pytest.raises(RecipeError, match="at least 1 worker"):
        make(quick(), tmp_path / "out", workers=workers)

    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("damage", ["unlink", "truncate"])
def test_a_finished_dataset_with_missing_files_is_not_returned(finished, tmp_path, damage):
    """A file that has gone, or has been cut short, since the dataset was finished is noticed."""
    shutil.copytree(finished, tmp_path / "copy")
    victim = next((tmp_path / "copy" / "data").iterdir())
    victim.unlink() if damage == "unlink" else victim.write_bytes(victim.read_bytes()[:-1])

    with pytest.raises(BrokenDataset, match="make it again"):
        make(quick(), tmp_path / "copy")


def test_a_leaking_partition_is_never_written(tmp_path, monkeypatch):
    """Where the partition is wrong, the proof stops the making before a file of examples is written."""

    def careless(recipe, tables):
        right = places.divide(recipe, tables)
        return right._replace(rows=tuple((table, np.zeros_like(numbers)) for table, numbers in right.rows))

    monkeypatch.setattr(make_module, "divide", careless)

    with pytest.raises(LeakySplit, match="is held out, but"):
        make(quick(), tmp_path / "leaky", workers=2)

    assert [path.name for path in (tmp_path / "leaky").iterdir()] == [PARTIAL]


# --- what is made


def test_every_example_is_right_by_the_plain_definitions(dataset):
    """The target is the only referent, the plan is the planner's, determiners and ids are those of the world."""
    for example in examples_in(dataset):
        assert resolve(example.expression, example.scene).indices == {example.target} == {0}
        assert example.plan == example.gold_plan()
        assert example.utterance.determiners == grounded_determiners(example.expression, example.scene)
        assert example.roles[0].kind == "target"


def test_stored_ids_patterns_and_necessity_are_those_of_the_example(dataset):
    """The columns that could be worked out anew say what the plain definitions say."""
    for table in dataset.tables():
        rows = table.to_pylist()
        for row, example in list(zip(rows, examples_of(table), strict=True))[::7]:
            assert row["id"] == example.id
            assert row["pattern"] == example.pattern
            assert (row["verb"], row["manner"]) == (str(example.verb), str(example.manner))
            assert row["necessary"] == list(example.necessity().values())


def test_corrected_worlds_mean_the_same_in_both_readings(tmp_path_factory):
    """In the corrected mode both readings of sizes agree, every clause is needed, every misreading finds its victim."""
    dataset = make(tiny(), tmp_path_factory.mktemp("corrected") / "tiny", workers=2)
    for example in examples_in(dataset):
        assert resolve(example.expression, example.scene, reading="superlative").indices == {0}
        assert all(needed for part, needed in example.necessity().items() if part.kind == "clause")
        assert victims_are_reached(example)


def victims_are_reached(example):
    """Whether the first object of every distractor set fits the misreading that the set was made for."""
    firsts = {}
    for index, role in enumerate(example.roles):
        if role.has_misreading:
            firsts.setdefault(role.number, index)
    readings = {number: example.misreading_of(index) for number, index in firsts.items()}
    return all(
        firsts[number] in resolve(reading.expression, example.scene).indices
        for number, reading in readings.items()
        if example.roles[firsts[number]].kind != "size"
    )


def test_places_are_disjoint_and_as_large_as_the_manifest_says(dataset):
    """No example is in two files, and the numbers of the manifest are those of the files."""
    ids = [example.id for example in examples_in(dataset)]

    assert len(ids) == len(set(ids)) == dataset.manifest["examples"]
    for split, size in dataset.splits.items():
        assert len(examples_in(dataset, split)) == size


def test_dev_and_test_have_their_shares(dataset):
    """Dev and test are the shares of what is not held out that the recipe asks for."""
    sizes = dataset.splits
    free = sizes["train"] + sizes["dev"] + sizes["test"]

    assert (sizes["dev"], sizes["test"]) == (int(0.1 * free), int(0.1 * free))


def test_held_out_and_kept_examples_satisfy_their_rules(dataset):
    """Training holds nothing that a rule holds out; every test set holds only what its rule does."""
    rules = recipe_from(dataset.manifest["recipe"]).hold_out
    for example in examples_in(dataset, "train", "dev", "test"):
        assert not any(rule.holds(example.expression, example.scene) for rule in rules)
    for rule in rules:
        for example in examples_in(dataset, rule.name) if not rule.new_phrases else ():
            assert rule.holds(example.expression, example.scene)


def test_what_forms_no_test_set_is_set_aside(tmp_path):
    """Examples of a rule without a test set are in aside alone; no split has its name."""
    rules = (find_rule("inside-then-shape"), find_rule("first-yellow-box"))
    pools = (Pool(name="p3", pattern="p3", commands=200, worlds=1),)

    dataset = make(quick(hold_out=rules, pools=pools), tmp_path / "aside", workers=2)

    assert set(dataset.splits) == {"train", "dev", "test", "aside"}
    for example in examples_in(dataset):
        assert (example.split == "aside") == any(rule.says(example.expression) for rule in rules)
    assert dataset.splits["aside"] > 0


@pytest.mark.slow
def test_decisive_words_matter_in_the_test_sets_and_only_there(dataset):
    """Where a held-out word has to matter, it does in the test set; where it does not, the example is set aside."""
    recipe = recipe_from(dataset.manifest["recipe"])
    matters = matters_by_set if recipe.mode == "compatible" else matters_by_necessity
    for example in examples_in(dataset, "a1", "a2", "a3", "aside"):
        for rule in recipe.hold_out:
            if rule.decisive and rule.says(example.expression):
                assert (rule.name in example.split.split("+")) == matters(rule, example)


def matters_by_necessity(rule, example):
    needed = list(example.necessity().values())
    return any(needed[place] for place in rule.decisive_parts(example.expression))


def matters_by_set(rule, example):
    """Whether a complete attribute set changes the decisive word of the held-out phrase."""
    members = [index for index, role in enumerate(example.roles) if role.kind == "attribute"]
    if len(members) != sum(1 for _ in example.expression.mentions()):
        return False
    (changed,) = example.misreading_of(members[0]).parts
    said = {tuple(part.address) for part in _parts_of(example, rule)}
    return tuple(changed.address) in said


def _parts_of(example, rule):
    everything = list(parts(example.expression))
    return [everything[place] for place in rule.decisive_parts(example.expression)]


def test_b1_combines_known_phrases_in_a_new_way(dataset):
    """Every phrase of B1, and its relations together, are known from training; the phrases together are not."""
    trained = [example.expression for example in examples_in(dataset, "train")]
    together = {phrase_key(expression) for expression in trained}
    alone = {phrase for key in together for phrase in key}
    relations = {relation_key(expression) for expression in trained}

    found = examples_in(dataset, "b1")

    assert found
    for example in found:
        key = phrase_key(example.expression)
        assert key not in together
        assert set(key) <= alone
        assert relation_key(example.expression) in relations


def test_c1_has_three_clauses_that_are_all_needed(dataset):
    """C1 commands have one clause more than training, and none of them can be left out."""
    found = examples_in(dataset, "c1")

    assert {example.pattern for example in found} == {"p4"}
    assert all(v for example in found for part, v in example.necessity().items() if part.kind == "clause")


def test_c2_rehangs_what_training_knows(dataset):
    """C2 commands are chains of known phrases; the compatible ones are training commands with a clause rehung."""
    trained = [example.expression for example in examples_in(dataset, "train")]
    phrases = {mention.phrase for expression in trained for mention in expression.mentions()}
    mode = dataset.manifest["recipe"]["mode"]

    found = [example.expression for example in examples_in(dataset, "c2")]

    assert found
    assert {pattern_of(expression).name for expression in found} == {"chain"}
    assert all(mention.phrase in phrases for expression in found for mention in expression.mentions())
    if mode == "compatible":
        two = {phrase_key(expression) for expression in trained if pattern_of(expression).name == "p3"}
        assert {relation_key(expression) for expression in found} == {("same column", "same row")}
        assert {phrase_key(expression) for expression in found} <= two


def test_pools_give_what_they_promise_or_say_what_is_missing(dataset):
    """The manifest accounts for every example: made, missing and how the tries ended."""
    asked = {pool["name"]: pool for pool in dataset.manifest["recipe"]["pools"] + dataset.manifest["recipe"]["tests"]}
    for name, made in dataset.manifest["pools"].items():
        wanted = asked[name]["commands"] * asked[name]["worlds"]
        assert made["examples"] + made["worlds missing"] == wanted
        assert made["tries"]["accepted"] >= made["examples"]
        assert made["commands tried"] == made["commands"] + made["commands without any world"]


# --- recipes of one's own


def test_without_hold_outs_everything_is_divided_at_random(tmp_path):
    """With nothing held out there are train, dev and test and nothing else."""
    dataset = make(tiny(hold_out=()), tmp_path / "plain", workers=2)

    assert [name for name, size in dataset.splits.items() if size] == ["train", "dev", "test"]


def test_only_random_distractors(tmp_path):
    """The random-only recipe has pools named -rd and worlds without any distractor set."""
    recipe = reascan(mode="compatible", patterns=("p2", "p3"), random_only=True)
    recipe = replace(recipe, pools=tuple(replace(pool, commands=5, worlds=2) for pool in recipe.pools))

    dataset = make(recipe, tmp_path / "rd", workers=2)

    assert list(dataset.manifest["pools"]) == ["p2-rd", "p3-rd"]
    kinds = {role.kind for example in examples_in(dataset) for role in example.roles}
    assert kinds <= {"target", "mentioned", "size", "random"}
    assert "random" in kinds


def test_a_hold_out_of_ones_own(tmp_path):
    """A phrase, a thing, a pair of relations and a pattern of one's own stay out of training and form test sets."""
    rules = (
        Rule(id="own/1", name="green-circle", phrase="green circle", decisive="color"),
        Rule(id="own/2", name="blue-things", thing="blue object"),
        Rule(id="own/3", name="lines", relations=("same row", "same column")),
        Rule(id="own/4", name="short", pattern="^"),
    )
    pools = (Pool(name="p2", pattern="p2", commands=12, worlds=2), Pool(name="p3", pattern="p3", commands=60, worlds=2))

    dataset = make(tiny(hold_out=rules, pools=pools), tmp_path / "own", workers=2)

    assert {example.pattern for example in examples_in(dataset, "short")} == {"p2"}
    assert dataset.splits["blue-things"] > 0 < dataset.splits["lines"]
    for example in examples_in(dataset, "train", "dev", "test"):
        assert not any(rule.holds(example.expression, example.scene) for rule in rules)
    assert any("+" in entry["split"] for entry in dataset.manifest["files"])


def test_sixteen_hold_outs_at_once(tmp_path):
    """As many hold-outs as a recipe may have work together, whatever the number of their combinations."""
    colors, shapes = ("red", "blue", "green", "yellow"), ("circle", "cylinder", "square", "box")
    rules = tuple(
        Rule(id=f"own/{color}-{shape}", name=f"{color}-{shape}", thing=f"{color} {shape}")
        for color in colors
        for shape in shapes
    )

    dataset = make(tiny(hold_out=rules), tmp_path / "sixteen", workers=2)

    assert dataset.splits["train"] == 0
    assert sum(entry["rows"] for entry in dataset.manifest["files"]) == dataset.manifest["examples"]
    for rule in rules:
        assert all(rule.holds(e.expression, e.scene) for e in examples_in(dataset, rule.name))


@pytest.mark.parametrize(("any_facing", "facings"), [(False, {Facing.EAST}), (True, set(Facing))])
def test_where_the_agent_may_look(tmp_path, any_facing, facings):
    """The agent faces east, unless it may face anywhere."""
    dataset = make(tiny(any_facing=any_facing, hold_out=()), tmp_path / "facing", workers=2)

    assert {example.scene.agent.facing for example in examples_in(dataset)} == facings


def test_what_must_move_moves(tmp_path):
    """Where pushing and pulling must move something, every such plan does."""
    dataset = make(tiny(must_move=True, hold_out=()), tmp_path / "moving", workers=2)

    handled = [example for example in examples_in(dataset) if str(example.verb) in ("push", "pull")]
    assert handled
    assert all({Action.PUSH, Action.PULL} & set(example.plan) for example in handled)


@pytest.mark.parametrize("notation", ["^ & ^", "^ ^ ^", "^ & & &"])
def test_any_pattern_can_be_made_corrected(tmp_path, notation):
    """Commands of patterns that were never released are made in the corrected mode, right by the plain definitions."""
    pools = (Pool(name="general", pattern=notation, commands=3, worlds=2),)

    found = examples_in(make(tiny(pools=pools, hold_out=(), cap=24), tmp_path / "general", workers=2))

    assert len(found) == 6
    for example in found:
        assert resolve(example.expression, example.scene).indices == {0}
        assert all(needed for part, needed in example.necessity().items() if part.kind == "clause")
        assert example.pattern.count("$OBJ") == len(notation.split()) + 1


def test_a_board_without_room_is_an_error_of_one_line(tmp_path):
    """Where no world can hold what a command needs, the pool says so."""
    pools = (Pool(name="p3", pattern="p3", commands=2, worlds=1, retries=5),)

    with pytest.raises(UnsatisfiablePattern, match=r"no world was found for any of \d+ commands of pool 'p3'"):
        make(tiny(pools=pools, fill=3, cap=3), tmp_path / "crowded", workers=2)


def test_equal_examples_of_two_pools_are_kept_once(tmp_path):
    """Two pools may come upon the same command in the same world; the second one is left out and counted."""
    pools = tuple(Pool(name=name, pattern="p1", commands=400, worlds=8) for name in ("one", "two"))

    dataset = make(tiny(pools=pools, hold_out=(), grid_size=4, fill=1, cap=2), tmp_path / "twins", workers=2)

    ids = [example.id for example in examples_in(dataset)]
    made = dataset.manifest["pools"]
    assert len(ids) == len(set(ids)) == dataset.manifest["examples"]
    assert made["two"]["repeated examples left out"] > 0
    assert made["two"]["tries"]["accepted"] == made["two"]["examples"] + made["two"]["repeated examples left out"]


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_recipe_that_comes_along_makes_a_dataset(tmp_path, path):
    """The recipes in the repository can be read and made; here with few commands."""
    recipe = read_recipe(path)
    few = replace(recipe, pools=tuple(replace(pool, commands=40, worlds=1) for pool in recipe.pools))

    dataset = make(few, tmp_path / "out", workers=2)

    assert dataset.splits["train"] > 0
    assert recipe_from(dataset.manifest["recipe"]) == few


def test_the_manifest_gives_the_recipe_back(dataset):
    """A dataset can be made again from its manifest alone."""
    recipe = recipe_from(dataset.manifest["recipe"])

    assert recipe == whole(recipe.mode)
    assert recipe.digest == dataset.manifest["recipe digest"]
