"""Audits of any examples: figures that need no meaning, of files of others and of all worlds side by side."""

from __future__ import annotations

import json

import numpy as np
import pytest

from deixis._cli import main
from deixis.audits._surface import SurfaceCount
from deixis.audits.figures import ROWS, compare_figures, explain_missing, mean_figure
from deixis.audits.run import audit_dataset
from deixis.expression.description import Description
from deixis.expression.steps import Is
from deixis.judge.boxes import Box
from deixis.readers.files import json_lines
from deixis.readers.reader import Image, Reader, ReadExample, Region
from deixis.scene.scene import PlainScene, Where
from deixis.schema import Attribute, Schema
from tests.cli.test_check_gscan import gscan_file
from tests.reports.test_page import read_page
from tests.shelf import registered_readers


SCHEMA = Schema(
    name="toys",
    attributes=(
        Attribute(name="kind", values=("ball", "cube", "cone"), is_head=True),
        Attribute(name="color", values=("red", "blue")),
    ),
    relations=(),
)
WORDS = ("man", "dog", "tree", "house", "sits", "runs", "near", "under", "small", "old")


def toys(*things):
    """A scene of (kind, colour) pairs."""
    objects = tuple(frozenset({("kind", kind), ("color", color)}) for kind, color in things)
    return PlainScene(schema=SCHEMA, objects=objects)


def meaning(**said):
    return Description(tuple(Is(name, value) for name, value in said.items()))


def pair(number, right, wrong, *, image="", split="all", **more):
    images = (Image(image or f"{number}.jpg"),)
    return ReadExample(id=number, text=right, choices=(right, wrong), images=images, split=split, **more)


def figures(examples, task="match"):
    count = SurfaceCount(task)
    for example in examples:
        count.add(example)
    return count.figures()


def values(found):
    return {name: one.value for name, one in found.items() if one.value is not None}


def sentences(count, spoil, seed=1):
    """Pairs of a random sentence and what `spoil` makes of its words."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        words = rng.permutation(WORDS)[:6].tolist()
        yield pair(number, " ".join(words), " ".join(spoil(list(words), rng)))


# -------------------------------------------------------------------------------- pairs of sentences


def test_pairs_are_compared_by_length_and_words():
    """Shares are those of the pairs as they stand; the same words in another order are told."""
    found = values(
        figures(
            [
                pair(0, "a dog runs", "a big dog runs"),
                pair(1, "a man and a dog", "a dog and a man"),
                pair(2, "a dog runs fast", "a dog runs"),
                pair(3, "two dogs", "three dogs"),
            ]
        )
    )

    assert found["shorter is right"] == found["longer is right"] == 0.25
    assert found["same words in another order"] == 0.25
    assert found["chance"] == 0.5
    assert found["texts"] == 4


def test_words_that_sentences_of_a_pair_share_are_said_once():
    """Else no word of a caption and its foil could be."""
    found = values(figures([pair(0, "a dog runs", "a cat runs"), pair(1, "a horse", "a cow")]))
    assert found["different words"] == 6
    assert found["words said once"] == 5 / 6


def test_a_word_that_gives_wrong_sentences_away_is_found_without_an_image():
    """A blind reader learns it from one half; where nothing gives them away, its interval holds chance."""
    spoilt = figures(sentences(400, lambda words, _: [*words[:-1], "not"]))
    fair = figures(sentences(400, lambda words, rng: [str(rng.choice(WORDS)), *words[1:]]))

    assert spoilt["text only"].value == 1.0
    assert fair["text only"].low < 0.5 < fair["text only"].high
    assert fair["length only"].value == 0.5
    assert 150 < spoilt["text only"].of < 250  # judged on one half


def test_only_a_reader_of_order_finds_sorted_words():
    """A bag of words is the same for both, so the reader of words guesses."""
    found = figures(
        sentences(300, lambda words, _: ["old" if w == "man" else "man" if w == "old" else w for w in words])
    )
    shuffled = figures(
        pair(k, f"{one} sees {other}", f"{other} sees {one}")
        for k, (one, other) in enumerate([("man", "dog")] * 200 + [("woman", "cat")] * 100)
    )

    assert found["same words in another order"].value > 0
    assert shuffled["same words in another order"].value == 1
    assert shuffled["text only"].value == 0.5
    assert shuffled["text only, with order"].value == 1.0


def test_a_reader_of_lengths_finds_what_is_always_shorter():
    """The right sentence has one word less."""
    found = figures(sentences(200, lambda words, rng: [*words, str(rng.choice(WORDS))]))

    assert found["length only"].value == found["shorter is right"].value == 1.0


def test_figures_do_not_depend_on_the_order_of_examples():
    """Halves are divided by what examples hold."""
    some = list(sentences(120, lambda words, rng: [*words[1:], str(rng.choice(WORDS))]))

    assert figures(some) == figures(some[::-1])


def test_two_images_and_two_sentences_tell_nothing_by_words():
    """Each sentence is right once; what cannot exist is said in one line."""
    both = [
        ReadExample(id=k, text="a b", choices=("a b", "b a"), images=(Image(f"{k}x"), Image(f"{k}y")))
        for k in range(50)
    ]
    found = figures(both)

    assert found["same words in another order"].value == 1.0
    assert found["text only"].value is None
    assert "every sentence is right for one of the images" in found["text only"].why


def test_votes_are_told_by_name_or_by_answer():
    """VALSE counts votes by caption and foil; others list answers."""
    by_name = figures([pair(0, "a b", "b a", facts={"votes": {"caption": 2, "foil": 1, "other": 0}})])
    listed = [
        ReadExample(
            id=0,
            text="all is red",
            choices=("true", "false"),
            right=1,
            facts={"votes": ["false", "false", "true", "false"]},
        )
    ]

    assert by_name["people choose the right one"].value == pytest.approx(2 / 3)
    assert figures(listed, "verify")["people choose the right one"].value == 0.75


def test_statements_have_a_most_frequent_answer_and_blind_readers():
    """A word that only false statements have is found."""
    some = [
        ReadExample(
            id=k,
            text=f"{'no' if k % 4 == 0 else 'one'} {WORDS[k % 7]} {WORDS[k % 3]}",
            choices=("true", "false"),
            right=int(k % 4 == 0),
            images=(Image(f"{k}"),),
        )
        for k in range(200)
    ]
    found = figures(some, "verify")

    assert found["most frequent answer"].value == 0.75
    assert found["text only"].value == 1.0
    assert found["shorter is right"].why == "the choices are no sentences"


# -------------------------------------------------------------------------------- candidates and boxes


def refer(number, things, target, text="the ball", **more):
    return ReadExample(id=number, text=text, scenes=(toys(*things),), targets=(Where(0, target),), **more)


def test_candidates_are_measured_by_category_size_and_place():
    """The largest and the most central are those of the boxes; equal ones share the guess."""
    boxes = ((Box(0, 0, 10, 10), Box(40, 40, 60, 60), Box(80, 80, 90, 90)),)
    image = (Image("a.jpg", 100, 100),)
    things = (("ball", "red"), ("cube", "red"), ("ball", "blue"))
    found = values(
        figures(
            [
                refer(0, things, 1, regions=boxes, images=image),
                refer(1, things, 0, regions=boxes, images=image),
                refer(2, things[:2], 0, images=image),
            ],
            "refer",
        )
    )

    assert found["candidates"] == pytest.approx(8 / 3)
    assert found["chance"] == pytest.approx((1 / 3 + 1 / 3 + 1 / 2) / 3)
    assert found["category suffices"] == pytest.approx(2 / 3)
    assert found["largest is the target"] == found["most central is the target"] == 0.5
    assert found["first is the target"] == pytest.approx(2 / 3)


def test_blind_readers_of_candidates():
    """Targets are always red, which the image gives away; the noun tells the category, and lengths tell nothing."""
    rng = np.random.default_rng(3)
    examples = []
    for number in range(400):
        kinds = rng.permutation(("ball", "cube", "cone")).tolist()
        target = int(rng.integers(3))
        things = [(kind, "red" if place == target else "blue") for place, kind in enumerate(kinds)]
        examples.append(refer(number, things, target, f"the {kinds[target]}", images=(Image(f"{number}"),)))
    found = figures(examples, "refer")

    assert found["image only"].value == 1.0
    assert found["text only"].value == 1.0
    assert found["length only"].low < 1 / 3 < found["length only"].high
    assert found["chance"].value == pytest.approx(1 / 3)


def test_boxes_without_candidates_are_placed_by_the_text():
    """Left and right are in the words; a mean box finds none of them."""
    examples = []
    for number in range(200):
        side = number % 2
        box = Box(10, 40, 20, 60) if side else Box(80, 40, 90, 60)
        text = f"the {'left' if side else 'right'} {WORDS[number % 10]}"
        examples.append(
            ReadExample(id=number, text=text, images=(Image(f"{number}", 100, 100),), boxes=(Region(0, box),))
        )
    found = figures(examples, "localise")

    assert found["ninth by the text alone"].value == 1.0
    assert found["most frequent ninth"].value == 0.5
    assert found["one box for all, IoU .5"].value == 0.0
    assert found["candidates"].value is None


# -------------------------------------------------------------------------------- duplicates


def test_duplicates_within_and_across_splits():
    """Texts, texts with their image, and images are counted apart, outside train."""
    found = values(
        figures(
            [
                pair(0, "a b", "b a", image="one", split="train"),
                pair(1, "a b", "b a", image="two", split="train"),
                pair(2, "A b.", "b a", image="one", split="test"),
                pair(3, "c d", "d c", image="one", split="test"),
                pair(4, "c d", "d c", image="one", split="test"),
                pair(5, "e f", "f e", image="six", split="test"),
            ]
        )
    )

    assert found["same text twice in a split"] == pytest.approx(2 / 6)
    assert found["same text and image twice in a split"] == pytest.approx(1 / 6)
    assert found["same text in another split"] == 0.25
    assert found["same text and image in another split"] == 0.25
    assert found["image in another split"] == 0.75
    assert found["images"] == 3


def test_an_example_of_two_splits_is_no_leak():
    """It is one example."""
    found = figures([pair(0, "a b", "b a", split="x+y"), pair(1, "c d", "d c", split="x")])

    assert found["same text in another split"].value == 0


def test_examples_without_an_image_share_none():
    """Not to know an image is not to have the same one."""
    bare = [ReadExample(id=k, text=f"text {k}", choices=("x y", f"y {k}"), split="ab"[k]) for k in range(2)]
    found = figures([*bare, pair(2, "a b", "b a", split="a")])

    assert found["images"].value == 1
    assert found["image in another split"].value == 0


def test_intervals_of_groups_are_wider():
    """Ten copies of an answer are worth one."""
    right, group = np.repeat(np.arange(40) % 2, 10), np.repeat(np.arange(40), 10)

    alone, together = mean_figure(right), mean_figure(right, group)
    assert alone.value == together.value == 0.5
    assert together.high - together.low > 2.5 * (alone.high - alone.low)


# -------------------------------------------------------------------------------- as a part of readers


def read_toy(record):
    """A record has a text, what is meant by number, and toys; some texts are read, others not."""
    scene = toys(*record["toys"])
    said = [word for word in record["text"].split() if word in ("ball", "cube", "cone")]
    yield ReadExample(
        id=record["id"],
        text=record["text"],
        split=record.get("split", "all"),
        scenes=(scene,),
        targets=tuple(Where(0, number) for number in record["meant"]),
        parse=lambda _: meaning(kind=said[0]) if said else None,
    )


TOYS = Reader(
    name="toys",
    title="Toys",
    task="refer",
    license="none",
    citation="nobody, nowhere",
    schema=SCHEMA,
    sniff=lambda path: path.suffix == ".toys",
    records=json_lines,
    read=read_toy,
)


def read_pair(record):
    yield pair(record["id"], record["right"], record["wrong"], split=record["split"])


PAIRS = Reader(
    name="couples",
    title="Pairs of sentences",
    task="match",
    license="none",
    citation="nobody, nowhere",
    sniff=lambda path: path.suffix == ".couples",
    records=json_lines,
    read=read_pair,
)


@pytest.fixture
def tiny(tmp_path):
    """A few commands on grids."""
    return gscan_file(tmp_path / "tiny", "a")


@pytest.fixture
def readers():
    with registered_readers(toys=f"{__name__}:TOYS", couples=f"{__name__}:PAIRS"):
        yield


def write(path, records):
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


@pytest.fixture
def toy_file(tmp_path, readers):
    things = [["ball", "red"], ["cube", "red"], ["cube", "blue"]]
    texts = {"the ball": [0], "the cube": [1], "both cube toys": [1, 2], "the cone": [], "that thing": [0]}
    records = [
        {"id": 10 * k + n, "text": text, "meant": meant, "toys": things}
        for k in range(10)
        for n, (text, meant) in enumerate(texts.items())
    ]
    return write(tmp_path / "some.toys", [*records, {"id": 999}])


@pytest.fixture
def pair_file(tmp_path, readers):
    records = [
        {"id": k, "right": one.choices[0], "wrong": one.choices[1], "split": "ab"[k % 2]}
        for k, one in enumerate(sentences(60, lambda words, _: [*words, "not"]))
    ]
    return write(tmp_path / "some.couples", records)


def test_what_is_covered_and_what_it_fits_is_told(toy_file):
    """Four texts in five are read; several and none are judged as sets; only single targets are judged by part."""
    found = audit_dataset(toy_file)

    assert values(found.figures)["meaning known"] == 0.8
    assert values(found.figures)["meaning fits the target alone"] == 0.75
    assert values(found.figures)["meaning fits others, too"] == 0.25
    assert found.audit.judged == 10
    assert sum(found.audit.unjudged.values()) == 40
    assert "51 records read, 50 examples; refused: 1 unreadable" in found.notes
    assert found.to_dict()["read"]["refused"] == {"unreadable": 1}


def test_texts_that_are_not_read_are_no_losses(toy_file, capsys):
    """A fifth is not covered, and still the audit is made, with the reason and without --allow-losses."""
    assert main(["audit", str(toy_file), "--json"]) == 0

    shown = json.loads(capsys.readouterr().out)
    assert "losses" not in shown
    one = shown["audits"]["some.toys"]["figures"]["category suffices"]
    assert one["needs"] == "scenes and target"
    assert one["value"] == pytest.approx(2 / 3)


def test_a_sample_and_a_split_choose(pair_file, capsys):
    """As for any dataset; the same seed gives the same figures."""
    words = ["audit", str(pair_file), "--json", "--sample", "30", "--seed"]
    shown = []
    for seed in ("1", "1", "2"):
        assert main([*words, seed]) == 0
        shown.append(capsys.readouterr().out)
    assert main(["audit", str(pair_file), "--json", "--split", "a"]) == 0

    assert shown[0] == shown[1] != shown[2]
    assert json.loads(capsys.readouterr().out)["audits"]["some.couples"]["figures"]["texts"]["value"] == 30


def test_worlds_and_readers_stand_on_one_page(toy_file, pair_file, tiny, tmp_path, capsys):
    """All have the same rows; a dash has its reason, in the terminal and as a hint on the page."""
    out = tmp_path / "audit"
    assert main(["audit", str(tiny), str(toy_file), str(pair_file), "--workers", "1", "--out", str(out)]) == 0

    printed = capsys.readouterr().out
    chance = [line for line in printed.splitlines() if line.split()[:1] == ["chance"]][-1]
    assert chance.split()[-2:] == ["33.3%", "50.0%"]
    assert "needs: scenes and target" in printed
    assert "– tiny, some.toys: it has no choices (shorter is right; longer is right; " in " ".join(printed.split())
    assert "some.couples: Sentences by split" in printed
    reader = read_page(out / "audit.html")
    assert not reader.faults
    assert {"any", "plot-blind-any", "plot-sentences-any"} <= set(reader.ids)
    assert "no example has scenes and a single target" in (out / "audit.html").read_text(encoding="utf-8")
    assert "**needs: text**" in (out / "audit.md").read_text(encoding="utf-8")


def test_a_world_alone_has_figures_on_demand(tiny, capsys):
    """Without --figures its JSON is as it was."""
    assert main(["audit", str(tiny), "--json"]) == 0
    before = json.loads(capsys.readouterr().out)["audits"]["tiny"]
    assert main(["audit", str(tiny), "--json", "--figures"]) == 0
    after = json.loads(capsys.readouterr().out)["audits"]["tiny"]

    assert set(after.pop("figures")) == set(ROWS)
    assert before == after


def test_dashes_of_all_datasets_leave_the_row_out():
    """A row that nobody has is not shown, and nobody is asked why."""
    found = {"one": figures([pair(0, "a b", "b a")])}

    assert not any("candidates" in row[0] for row in compare_figures(found))
    assert not any("candidates" in line for line in explain_missing(found))
