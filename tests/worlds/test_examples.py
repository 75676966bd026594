"""The examples of every world, through the interface alone."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from deixis.errors import BrokenDataset, SchemaError, UnknownName
from deixis.expression.description import Description
from deixis.resolution.reference import resolve_one
from deixis.worlds.example import count_examples, pick_example, pick_random
from deixis.worlds.registry import find_world, world_of


WORLDS = ("grid", "rooms", "photos")


def opened(folder):
    return world_of(folder).part("examples").open(folder)


def seen(example):
    """What an example says, as far as examples of all worlds do."""
    return example.id, example.split, example.text, example.expression, example.answer


@pytest.mark.parametrize("name", WORLDS)
def test_examples_have_what_every_example_has(name, folders):
    """Id, split, text, expression, context and answer are there, and the expression picks out the target."""
    examples = opened(folders[name])
    there = resolved = 0
    for example in islice(examples, 200):
        assert isinstance(example.id, int | str)
        assert isinstance(example.expression, Description)
        assert example.text
        assert example.split
        if example.answer is None:
            with pytest.raises(SchemaError, match="not there"):
                _ = example.context
        else:
            there += 1
            resolved += resolve_one(example.expression, example.context) == example.context.target
    assert there > 40
    assert resolved >= there * 0.9  # two rooms may differ in what captions do not say


@pytest.mark.parametrize("name", WORLDS)
def test_numbers_lead_to_the_same_examples_as_reading_them_all(name, folders):
    """One by number is the one that reading them in order gives; splits are stretches of numbers."""
    examples = opened(folders[name])
    first = list(islice(examples, 60))

    assert len(examples) == sum(1 for _ in examples)
    assert [seen(examples[number]) for number in range(len(first))] == [seen(one) for one in first]
    for split, size in examples.splits.items():
        numbers = examples.numbers(split)
        assert len(numbers) == size
        assert all(examples[number].split in (split, *examples[number].split.split("+")) for number in numbers[:20])
        assert seen(pick_example(examples, size - 1, split)) == seen(examples[numbers[-1]])
        assert count_examples(examples, split) == size
    assert list(examples.numbers()) == list(range(len(examples)))


@pytest.mark.parametrize("name", WORLDS)
def test_a_seed_chooses_within_a_split(name, folders):
    """The same seed gives the same example, and others are given by other seeds."""
    examples = opened(folders[name])
    split = next(iter(examples.splits))
    chosen = [pick_random(examples, seed, split)[0] for seed in (1, 1, 2, 3, 4, 5, 6)]

    assert chosen[0] == chosen[1]
    assert len(set(chosen)) > 1
    assert all(number < examples.splits[split] for number in chosen)


@pytest.mark.parametrize("name", WORLDS)
def test_what_is_not_there_is_said(name, folders):
    """Numbers and splits that do not exist are refused by name."""
    examples = opened(folders[name])
    with pytest.raises(UnknownName, match="counted from 0"):
        examples[len(examples)]
    with pytest.raises(UnknownName, match="'weight'"):
        examples.numbers("weight")
    with pytest.raises(UnknownName, match="'weight'"):
        pick_example(examples, 0, "weight")
    with pytest.raises(UnknownName, match="counted from 0"):
        pick_example(examples, 1 << 40, next(iter(examples.splits)))


def test_captions_of_pairs_tell_the_target_from_the_distractor(folders):
    """In every pair that captions can tell apart, the caption fits the target alone; it is the same each time."""
    examples = opened(folders["rooms"])
    for number in range(0, len(examples), 4_321):
        example = examples[number]
        target, other = example.images
        assert example.text == examples[number].text
        assert len(example.context.scenes) == 2
        assert example.answer == target
        assert examples.splits.keys() == set(examples.sets)
        assert other != target


def test_images_without_pairs_are_shown_beside_another_of_their_split(tmp_path):
    """Where no pairs were made, every image is a target, and its distractor is of the same split."""
    from deixis.worlds.rooms._examples import RoomExamples

    examples = RoomExamples(tmp_path, {})
    assert len(examples) == 480_000
    assert set(examples.splits) == {"train", "tune", "validation", "test"}
    for number in examples.numbers("tune")[:50]:
        target, other = examples[number].images
        assert target == number
        assert other != number
        assert examples[other].split == "tune"
        assert examples[number].split == "tune"


def test_files_without_a_manifest_are_recognised(folders, tmp_path):
    """Parquet files and released files are told apart by what they hold."""
    pairs = folders["rooms"] / "pairs" / "test.parquet"
    board = next((folders["grid"] / "data").glob("*.parquet"))
    refs = tmp_path / "refs.json"
    record = {"ref_id": 3, "image_id": "1", "objectId": "2", "expression": "The red cup", "logic": "chain"}
    refs.write_text(json.dumps({"refs": [{**record, "split": "val"}, None]}))

    assert [world_of(path).name for path in (board, pairs, refs)] == ["grid", "rooms", "photos"]
    assert opened(pairs).splits == opened(folders["rooms"]).splits
    assert opened(refs)[0].text == "The red cup"
    assert opened(refs).splits == {"val": 1}
    with pytest.raises(SchemaError, match="without the scenes"):
        _ = opened(refs)[0].context
    assert sum(opened(board).splits.values()) >= len(opened(board)) > 0


@pytest.mark.parametrize("written", [b"", b"hello", b"\x00" * 10, b'{"a": 1}', b"[1]", b"PAR1"])
def test_strange_files_are_of_no_world(written, tmp_path):
    """A file that nobody can read is refused, and no world raises over it."""
    path = tmp_path / "strange"
    path.write_bytes(written)
    assert not any(find_world(name).part("examples").recognises(path) for name in WORLDS if written != b"PAR1")
    with pytest.raises(BrokenDataset):
        world_of(path).part("examples").open(path)[0]
