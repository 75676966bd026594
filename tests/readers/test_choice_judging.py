"""Judging of choices: answers in one order or several, two images and two sentences, true or false."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from deixis._cli import main
from deixis.errors import BrokenDataset, DeixisError, RecipeError
from deixis.judge.request import Request
from deixis.judge.verdicts import read_verdicts
from deixis.readers._choice_answers import place_of
from deixis.worlds.registry import world_of
from tests.readers.pairs import OTHERS, WRONG, cola_record, crepe, crepe_file, foil, write
from tests.readers.test_nlvr import statement


REAL = OTHERS / "sugarcrepe"
GPT = [REAL / f"gpt4v-swap_obj-{order}.json" for order in ("negative-first", "positive-first")]
needs_sample = pytest.mark.skipif(not REAL.is_dir(), reason="the sample of SugarCrepe does not lie beside the checkout")


def evaluate(data, *answers, **more):
    """The output for answers to a file."""
    judging = world_of(data).part("judging")
    return judging.evaluate(Request(answers=tuple(map(Path, answers)), data=data, **more))


def overall(data, *answers, **more):
    return evaluate(data, *answers, **more).values["overall"]


def answer_file(path, *records):
    return write(path, [{"id": number, **record} for number, record in records], as_lines=True)


def means(found, *names):
    return [round(found[name]["mean"], 4) for name in names]


# -------------------------------------------------------------------------------- one order


@pytest.mark.parametrize(
    ("choice", "order", "outcome"),
    [
        (0, None, "right"),
        (1, None, "wrong"),
        (2, None, "no such choice"),
        (-1, None, "no such choice"),
        (0, [1, 0], "right"),
        ("first", None, "right"),
        ("first", [1, 0], "wrong"),
        ("B", [1, 0], "right"),
        ("(2)", "negative-first", "right"),
        ("(2)", "positive-first", "wrong"),
        ("C", None, "no such choice"),
        (WRONG, [1, 0], "wrong"),
        (WRONG.upper().rstrip("."), None, "wrong"),
        ("A red cup stands on a blue box 0", None, "right"),
        ("1", None, "unreadable"),
        ("both", None, "unreadable"),
        (None, None, "unreadable"),
        (0.0, None, "unreadable"),
        (True, None, "unreadable"),
        ([0], None, "unreadable"),
    ],
)
def test_a_choice_is_a_number_a_text_or_a_place(tmp_path, choice, order, outcome):
    """Numbers count in the order of the dataset, places in the order in which choices were shown."""
    data = crepe_file(tmp_path / "swap_att.json", 1)
    record = {"choice": choice} | ({} if order is None else {"order": order})

    assert overall(data, answer_file(tmp_path / "a.jsonl", (0, record)))["outcomes"] == {outcome: 1}


def test_places_are_read_in_many_forms():
    """Ordinals, letters and numbers in brackets, alone or with the word that they belong to."""
    first = (
        "first",
        "First",
        "A",
        "a.",
        "(a)",
        "(A)",
        "(1)",
        "the first one",
        "option A",
        "Caption (1)",
        "first caption",
    )

    assert [place_of(said) for said in first] == [0] * len(first)
    assert [place_of(said) for said in ("1", "a cup", "", "one", "(0)", "first and second")] == [None] * 6


def test_scores_need_a_single_highest_one(tmp_path):
    """A tie is no answer, and neither are scores that are no numbers."""
    data = crepe_file(tmp_path / "swap_att.json", 5)
    given = [[0.3, 0.1], [0.1, 0.3], [0.2, 0.2], ["x", 1], [1, 2, 3]]
    answers = answer_file(tmp_path / "a.jsonl", *((number, {"scores": some}) for number, some in enumerate(given)))

    assert overall(data, answers)["outcomes"] == {"right": 1, "wrong": 1, "tie": 1, "unreadable": 2}


def test_lists_and_objects_of_answers_are_read_like_lines(tmp_path):
    """By id as a field, or as the key."""
    data = crepe_file(tmp_path / "swap_att.json", 2)
    places = (
        write(tmp_path / "a.json", [{"id": "0", "choice": 0}, {"id": "1", "choice": 1}]),
        write(tmp_path / "b.json", {"0": {"choice": 0}, "1": {"choice": "second"}}),
        write(tmp_path / "c.json", {"0": 0, "1": 1}),
        answer_file(tmp_path / "d.jsonl", (0, {"choice": 0}), (1, {"choice": "B"})),
    )

    assert [overall(data, place)["outcomes"] for place in places] == [{"right": 1, "wrong": 1}] * 4


def test_scores_come_by_split_and_by_fact_with_intervals(tmp_path):
    """The way in which negatives were made is a fact, and unanswered examples of an answered split are wrong."""
    for name in ("swap_att", "swap_obj", "add_obj"):
        crepe_file(tmp_path / "data" / f"{name}.json", 4)
    ids = [f"{name}/{number}" for name in ("swap_att", "add_obj") for number in range(4)]
    right = [0, 0, 0, 1, 0, 1, 1]
    answers = answer_file(tmp_path / "a.jsonl", *((one, {"choice": k}) for one, k in zip(ids, right, strict=False)))
    values = evaluate(tmp_path / "data", answers).values

    assert {name: one["accuracy"]["mean"] for name, one in values["splits"].items()} == {
        "add_obj": 0.25,
        "swap_att": 0.75,
    }
    assert values["overall"]["outcomes"] == {"right": 4, "wrong": 3, "unanswered": 1}
    assert {value: one["examples"] for value, one in values["facts"]["change"].items()} == {"add": 4, "swap": 4}
    accuracy = values["facts"]["changed"]["object"]["accuracy"]
    assert accuracy["low"] < accuracy["mean"] == 0.25 < accuracy["high"]


def test_wrong_choices_are_named_by_their_difference(tmp_path):
    """The words are the same in another order, or one is replaced."""
    records = {"0": crepe(caption="a b c", negative_caption="c b a"), "1": crepe(caption="a b", negative_caption="a c")}
    data = write(tmp_path / "swap_att.json", records)
    answers = answer_file(tmp_path / "a.jsonl", (0, {"choice": 1}), (1, {"choice": 1}))

    assert overall(data, answers)["misreadings"] == {"words in another order": 1, "words replaced": 1}


# -------------------------------------------------------------------------------- several orders


def both_orders(tmp_path, chosen):
    """A file of answers in both orders: for every example the two choices."""
    records = []
    for number, pair in enumerate(chosen):
        for order, choice in zip(([0, 1], [1, 0]), pair, strict=True):
            if choice is not None:
                records.append((number, {"choice": choice, "order": order}))
    return answer_file(tmp_path / "both.jsonl", *records)


def test_an_answer_counts_only_if_it_is_right_in_both_orders(tmp_path):
    """Single orders, how often the choices agree, and how often the first place is chosen, are told beside it."""
    data = crepe_file(tmp_path / "swap_att.json", 4)
    found = overall(data, both_orders(tmp_path, [(0, 0), (0, 1), (0, 1), (1, 1)]))

    assert means(found, "accuracy", "same choice", "same place") == [0.25, 0.5, 0.5]
    assert {name: one["mean"] for name, one in found["orders"].items()} == {
        "right one first": 0.75,
        "right one second": 0.25,
    }
    assert found["mean of orders"] == 0.5
    assert found["chance"] == 0.25
    assert found["first place"]["mean"] == 0.75  # 6 of 8: both orders of the first example choose another place
    assert found["outcomes"] == {"right": 1, "right in part": 2, "wrong": 1}


def test_two_files_are_two_orders(tmp_path):
    """The same figures as from one file; without an order they are called by the names of the files."""
    data = crepe_file(tmp_path / "swap_att.json", 3)
    one = answer_file(tmp_path / "one.jsonl", *((k, {"choice": 0}) for k in range(3)))
    two = answer_file(tmp_path / "two.jsonl", *((k, {"choice": k % 2}) for k in range(3)))
    found = overall(data, one, two)

    assert means(found, "accuracy", "same choice") == [0.6667, 0.6667]
    assert {name: one["mean"] for name, one in found["orders"].items()} == {"one.jsonl": 1.0, "two.jsonl": 0.666667}
    assert "first place" not in found


def test_what_is_answered_in_one_order_only_is_not_right_in_both(tmp_path):
    """The missing answer counts as wrong in its order, too."""
    data = crepe_file(tmp_path / "swap_att.json", 2)
    found = overall(data, both_orders(tmp_path, [(0, 0), (0, None)]))

    assert found["accuracy"]["mean"] == 0.5
    assert found["orders"]["right one second"]["mean"] == 0.5
    assert found["orders"]["right one second"]["rows"] == 2
    assert found["outcomes"] == {"right": 1, "right in part": 1}


def test_five_choices_can_be_asked_in_many_orders(tmp_path):
    """Places are counted among all of them."""
    options = {"image_path": "1.jpg", "caption_options": ["a b c", "b a c", "c a b", "c b a", "b c a"]}
    data = write(tmp_path / "coco_order.json", [options])
    orders = ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0])
    answers = answer_file(tmp_path / "a.jsonl", *((0, {"choice": "A", "order": list(order)}) for order in orders))
    found = overall(data, answers)

    assert set(found["orders"]) == {"right one first", "right one in place 5"}
    assert (found["accuracy"]["mean"], found["chance"], found["same place"]["mean"]) == (0.0, 0.04, 1.0)


# -------------------------------------------------------------------------------- two and two


def cola_file(tmp_path, count=3):
    return write(tmp_path / "cola.json", [cola_record(number) for number in range(count)])


def test_scores_of_two_and_two_give_text_image_and_group(tmp_path):
    """By the definitions of Winoground, strictly: rows are sentences, columns images."""
    data = cola_file(tmp_path, 4)
    tables = [
        [[0.9, 0.1], [0.2, 0.8]],  # all right
        [[0.9, 0.95], [0.2, 0.97]],  # each image gets its sentence, sentence 0 the wrong image
        [[0.5, 0.1], [0.6, 0.7]],  # each sentence gets its image, image 0 the wrong sentence
        [[0.5, 0.5], [0.5, 0.5]],  # ties are wrong
    ]
    answers = answer_file(tmp_path / "a.jsonl", *((k, {"scores": table}) for k, table in enumerate(tables)))
    found = overall(data, answers)

    assert means(found, "group_score", "text_score", "image_score") == [0.25, 0.5, 0.5]
    assert found["chance"] == round(1 / 6, 6)
    assert found["outcomes"] == {"right": 1, "right in part": 2, "tie": 1}


def test_single_questions_of_two_and_two_are_gathered(tmp_path):
    """Each image is asked for its sentence, and each sentence for its image."""
    data = cola_file(tmp_path, 1)
    records = [
        {"image": 0, "choice": 0},
        {"image": 1, "choice": "cup 0 red"},
        {"sentence": 0, "choice": "0.jpg"},
        {"sentence": 1, "choice": "A"},
    ]
    found = overall(data, answer_file(tmp_path / "a.jsonl", *((0, record) for record in records)))
    texts = overall(data, answer_file(tmp_path / "b.jsonl", *((0, record) for record in records[:2])))

    assert means(found, "group_score", "text_score", "image_score") == [0.0, 1.0, 0.0]
    assert texts["text_score"]["mean"] == 1.0
    assert not {"group_score", "image_score"} & set(texts)


def test_which_question_is_answered_is_never_guessed(tmp_path):
    """A choice for two images and two sentences that names neither is counted as lost."""
    data = cola_file(tmp_path, 1)
    answers = answer_file(tmp_path / "a.jsonl", (0, {"choice": 0}))

    with pytest.raises(BrokenDataset, match="which image or sentence"):
        evaluate(data, answers)


# -------------------------------------------------------------------------------- true or false


def test_statements_are_answered_by_words_or_values(tmp_path):
    """True and false in any of their forms."""
    data = write(tmp_path / "dev.json", [statement(identifier=str(k)) for k in range(6)], as_lines=True)
    given = [True, "true", "Yes.", 0, "false", "no"]
    found = overall(data, answer_file(tmp_path / "a.jsonl", *((str(k), {"choice": x}) for k, x in enumerate(given))))

    assert found["outcomes"] == {"right": 4, "wrong": 2}
    assert found["misreadings"] == {}
    assert overall(data, "constant")["accuracy"]["mean"] == 1.0


# -------------------------------------------------------------------------------- baselines


def test_baselines_answer_without_a_model(tmp_path):
    """The oracle is right, chance is near a half, and length is found out where it tells."""
    data = crepe_file(tmp_path / "swap_att.json", 300)  # right captions are a word longer

    assert overall(data, "oracle")["accuracy"]["mean"] == 1.0
    assert overall(data, "longer")["accuracy"]["mean"] == 1.0
    assert overall(data, "shorter")["accuracy"]["mean"] == 0.0
    random = overall(data, "random")
    assert random["accuracy"]["low"] < 0.5 < random["accuracy"]["high"]
    assert random == overall(data, "random")
    assert random != overall(data, "random", seed=1)


def test_baselines_of_two_and_two_answer_all_questions(tmp_path):
    """The oracle has all scores; a reader of lengths guesses at images."""
    data = cola_file(tmp_path)

    assert means(overall(data, "oracle"), "group_score", "text_score", "image_score") == [1.0, 1.0, 1.0]
    assert overall(data, "shorter")["text_score"]["rows"] == 3
    with pytest.raises(RecipeError, match="alone"):
        evaluate(data, "oracle", "random")


# -------------------------------------------------------------------------------- losses and files


def test_what_is_lost_is_counted_and_has_to_be_allowed(tmp_path):
    """Answers without an id, to no example, second ones, and odd orders."""
    data = crepe_file(tmp_path / "swap_att.json", 2)
    path = answer_file(
        tmp_path / "a.jsonl",
        (0, {"choice": 0}),
        (0, {"choice": 1}),
        (7, {"choice": 1}),
        (None, {"choice": 1}),
        (1, {"choice": 1, "order": [0, 0]}),
    )
    path.write_text(path.read_text() + "no json\n")

    with pytest.raises(BrokenDataset, match="--allow-losses"):
        evaluate(data, path)
    found = evaluate(data, path, allow_losses=True)
    assert found.values["losses"]["seen"] == 6
    assert sum(found.values["losses"]["left out"].values()) == 5
    assert found.values["overall"]["outcomes"] == {"right": 1, "unanswered": 1}


def test_a_folder_keeps_verdicts_in_the_common_schema(tmp_path):
    """Other splits are kept, and another model is not put in their place."""
    for name in ("swap_att", "swap_obj"):
        crepe_file(tmp_path / "data" / f"{name}.json", 3)
    ids = [(f"{name}/{k}", {"choice": k % 2}) for name in ("swap_att", "swap_obj") for k in range(3)]
    answers = answer_file(tmp_path / "a.jsonl", *ids)
    out = tmp_path / "out"
    for split in ("swap_att", "swap_obj"):
        evaluate(tmp_path / "data", answers, out=out, splits=(split,))

    verdicts = read_verdicts(out / "verdicts.parquet")
    assert len(verdicts) == 6
    assert set(verdicts.parts) == {"swap_att", "swap_obj"}
    assert verdicts.right["accuracy"].sum() == 4
    assert sorted(verdicts.chosen.tolist()) == [0, 0, 0, 0, 1, 1]
    kept = json.loads((out / "evaluation.json").read_text())
    assert list(kept["splits"]) == ["swap_att", "swap_obj"]
    with pytest.raises(RecipeError, match="--force"):
        evaluate(tmp_path / "data", "oracle", out=out)


def test_verdicts_of_two_and_two_have_a_column_for_each_score(tmp_path):
    """Group, text and image."""
    data = cola_file(tmp_path)
    evaluate(data, "oracle", out=tmp_path / "out")

    assert list(read_verdicts(tmp_path / "out" / "verdicts.parquet").right) == [
        "group_score",
        "text_score",
        "image_score",
    ]


def test_files_that_hold_no_answers_are_told_in_one_line(tmp_path):
    """Absent, a folder, empty, of other ids, and no JSON at all."""
    data = crepe_file(tmp_path / "swap_att.json", 2)
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "text.jsonl").write_text("A cat.\n")
    (tmp_path / "none.json").write_text("[]")
    strange = answer_file(tmp_path / "strange.jsonl", ("x", {"choice": 0}))
    for answers in (tmp_path / "absent", tmp_path, tmp_path / "empty.jsonl", tmp_path / "text.jsonl", strange):
        with pytest.raises(DeixisError) as caught:
            evaluate(data, answers)
        assert "\n" not in str(caught.value)
    with pytest.raises(BrokenDataset, match="holds no answers"):
        evaluate(data, tmp_path / "none.json")
    with pytest.raises(BrokenDataset, match="none of the answers"):
        evaluate(data, strange, allow_losses=True)
    with pytest.raises(DeixisError, match="no split"):
        evaluate(data, "oracle", splits=("nowhere",))
    with pytest.raises(RecipeError, match="--space"):
        evaluate(data, "oracle", options={"space": "share"})


def test_hostile_bytes_in_answers_never_crash(tmp_path):
    """Changed bytes give results or one line."""
    data = crepe_file(tmp_path / "swap_att.json", 4)
    lines = both_orders(tmp_path, [(0, 0), (0, 1), (1, 1), (1, 0)]).read_bytes()
    said = {"free_form_answer": "(1)", "multiple_choice_answer": WRONG}
    published = json.dumps({str(k): {**crepe(k), "answer": said, "correct": False} for k in range(4)}).encode()
    rng = np.random.default_rng(3)
    for number in range(120):
        changed = bytearray((lines, published)[number % 2])
        for _ in range(int(rng.integers(1, 5))):
            place = int(rng.integers(len(changed)))
            changed[place : place + int(rng.integers(0, 9))] = rng.bytes(int(rng.integers(0, 3)))
        (tmp_path / "x.jsonl").write_bytes(bytes(changed))
        try:
            evaluate(data, tmp_path / "x.jsonl", allow_losses=True)
        except DeixisError as error:
            assert "\n" not in str(error)  # noqa: PT017 (both outcomes are right)


def test_the_command_line_tells_orders_and_losses(tmp_path, capsys):
    """A table for people, and JSON."""
    data = crepe_file(tmp_path / "swap_att.json", 4)
    answers = both_orders(tmp_path, [(0, 0), (0, 1), (0, 1), (1, 1)])

    assert main(["evaluate", str(answers), "--data", str(data)]) == 0
    told = capsys.readouterr().out
    assert "right one second" in told
    assert "same choice" in told
    assert main(["evaluate", str(answers), "--data", str(data), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["overall"]["accuracy"]["mean"] == 0.25


def test_disputed_items_can_be_left_out(tmp_path):
    """By their split."""
    items = {str(k): foil(mturk={"caption": 3 * (k % 2), "foil": 1, "other": 0}) for k in range(4)}
    data = write(tmp_path / "relations.json", items)

    assert overall(data, "oracle")["examples"] == 4
    assert overall(data, "oracle", splits=("relations",))["examples"] == 2


# -------------------------------------------------------------------------------- published answers


def published(choice, said="", **changes):
    """A record of GPT-4V's answers in the layout of SugarCrepe."""
    record = crepe(**changes)
    texts = [record["caption"], record["negative_caption"]]
    text = texts[choice] if choice is not None else "Neither of them."
    return {"answer": {"free_form_answer": said, "multiple_choice_answer": text}, **record, "correct": choice == 0}


def test_published_answers_are_found_by_their_captions(tmp_path):
    """Keys may have moved since; a number beside the records is counted, and so is what the data does not hold."""
    data = write(tmp_path / "swap_obj.json", {"0": crepe(0), "1": crepe(2)})
    answers = {"0": published(0, "(2)", number=0), "1": published(0, number=1), "2": published(1, "(1)", number=2)}
    path = write(tmp_path / "gpt.json", {**answers, "accuracy": 0.85})

    found = evaluate(data, path, allow_losses=True)
    assert found.values["overall"]["outcomes"] == {"right": 1, "wrong": 1}
    assert list(found.values["overall"]["orders"]) == ["right one second"]
    assert sum(found.values["losses"]["left out"].values()) == 2


def test_an_answer_that_is_neither_caption_is_unreadable(tmp_path):
    """It is wrong, and counted apart."""
    data = write(tmp_path / "swap_obj.json", {"0": crepe(0)})
    path = write(tmp_path / "gpt.json", {"0": published(None, "Neither (1) nor (2)", number=0)})

    assert overall(data, path)["outcomes"] == {"unreadable": 1}


@pytest.mark.parametrize(("name", "outcome"), [("x-negative-first", "wrong"), ("x-positive-first", "right"), ("x", "")])
def test_a_published_place_needs_the_order_in_the_name_of_the_file(tmp_path, name, outcome):
    """Without it nothing is assumed."""
    data = write(tmp_path / "swap_obj.json", {"0": crepe(0)})
    path = write(tmp_path / f"{name}.json", {"0": {**crepe(0), "answer": "(1)"}})

    assert overall(data, path)["outcomes"] == {outcome or "unreadable": 1}


def test_two_examples_with_the_same_captions_are_told_apart(tmp_path):
    """By the image, then by the key."""
    same = {"caption": "a b", "negative_caption": "b a"}
    records = {"0": crepe(0, **same), "1": crepe(1, **same), "2": crepe(1, **same)}
    data = write(tmp_path / "swap_obj.json", records)
    said = {"answer": {"multiple_choice_answer": "a b"}}
    path = write(tmp_path / "gpt.json", {key: {**said, **one} for key, one in records.items()})

    assert overall(data, path)["outcomes"] == {"right": 3}


def test_a_converted_file_is_judged_alike(tmp_path, capsys):
    """Our Parquet keeps choices and images."""
    data = crepe_file(tmp_path / "swap_att.json", 4)
    answers = both_orders(tmp_path, [(0, 0), (0, 1), (0, 1), (1, 1)])

    assert main(["convert", str(data), str(tmp_path / "rows"), "--to", "parquet"]) == 0
    capsys.readouterr()
    assert overall(tmp_path / "rows", answers) == overall(data, answers)


@needs_sample
def test_answers_of_gpt4v_are_judged_in_both_orders():
    """85.7 % and 80.4 % in single orders, 73.9 % in both: 181 of the 245 examples that are released."""
    found = evaluate(REAL / "swap_obj.json", *GPT).values
    scores = found["overall"]

    assert scores["examples"] == 245
    assert scores["outcomes"] == {"right": 181, "right in part": 45, "wrong": 16, "unreadable": 3}
    assert {name: round(one["mean"] * 245) for name, one in scores["orders"].items()} == {
        "right one first": 210,
        "right one second": 197,
    }
    assert found["losses"] == {
        "of": "answers",
        "seen": 493,
        "left out": {
            "it is about other sentences than any example": 2,
            "it is no answer but a value beside them": 1,
        },
    }


@needs_sample
def test_our_judgement_agrees_with_that_of_the_authors():
    """For each published answer to a released example."""
    for path in GPT:
        records = {key: one for key, one in json.loads(path.read_text()).items() if isinstance(one, dict)}
        correct = sum(one["correct"] for key, one in records.items() if key != "108")
        assert overall(REAL, path)["outcomes"]["right"] == correct
