from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.prompts.answers import (
    Unparsable,
    parse_caption,
    parse_choice,
    parse_region,
)
from deixis.worlds.grid._questions.answers import parse_actions, parse_cell
from deixis.worlds.grid.actions import Action, plan_from_letters, plan_to_letters


PLANS = st.lists(st.sampled_from(Action), min_size=1, max_size=40).map(tuple)
SIGNS = "ABLRWPQS()[]{},.:;#*\n\"'"
PHRASES = (
    "Answer:|answer is|turn left|walk|push|2x|not there|region|image|row|column|3|17|```|<think>|</think>|caption:"
)
WORDS = st.sampled_from([*SIGNS, *PHRASES.split("|"), "I cannot help", '{"answer":', "null", "\\boxed{"])
TEXTS = st.text(max_size=200) | st.lists(WORDS, max_size=30).map(" ".join) | st.lists(WORDS, max_size=30).map("".join)


def written(plan, form):
    """A plan in one of the forms that models write."""
    words = [action.words for action in plan]
    return {
        "words": ", ".join(words),
        "lines": "\n".join(f"{number}. {word.capitalize()}" for number, word in enumerate(words, 1)),
        "bullets": "\n".join(f"- {word}" for word in words),
        "letters": plan_to_letters(plan),
        "spaced": " ".join(plan_to_letters(plan)),
        "json": json.dumps(words),
        "object": json.dumps({"answer": words}),
        "arrows": " -> ".join(words),
        "underscores": ", ".join(word.replace(" ", "_") for word in words),
    }[form]


FORMS = ("words", "lines", "bullets", "letters", "spaced", "json", "object", "arrows", "underscores")


@given(PLANS, st.sampled_from(FORMS), st.booleans())
def test_a_plan_is_read_back_from_every_form(plan, form, is_marked):
    """Whatever form a plan is written in, alone or after a long text, the same plan is read."""
    text = written(plan, form)
    if is_marked:
        text = f"Let me think: the circle is east, so I walk.\n\nAnswer: {text}"

    assert parse_actions(text) == plan


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("walk 3x, push", "WWWP"),
        ("walk three steps", None),
        ("3 x walk then turn right", "WWWR"),
        ("turn left twice and walk 2 times", "LLWW"),
        ("**Answer:** turn left, walk", "LW"),
        ("Answer:\n```\nturn left, walk\n```", "LW"),
        ("The answer is: walk.", "W"),
        ("Answer: walk\nAnswer: walk", "W"),
        ("Answer: walk\nAnswer: push", None),
        ("<think>Answer: push</think>walk", "W"),
        ("go left", None),
        ("walk, jump", None),
        ("I would walk there", None),
        ("[]", ""),
        ("nothing", ""),
        ("walk 100000 times", None),
        ("", None),
        ("I'm sorry, I can't help with that.", None),
        ('{"actions": ["turn left", "walk"]}', "LW"),
        ('{"actions": ["walk"], "plan": ["push"]}', None),
    ],
)
def test_forms_of_plans(text, letters):
    """Plans are read where it is clear what is meant, and nowhere else."""
    if letters is None:
        with pytest.raises(Unparsable):
            parse_actions(text)
    else:
        assert parse_actions(text) == plan_from_letters(letters)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("Answer: (2, 3)", (2, 3)),
        ("2,3", (2, 3)),
        ("[2, 3]", (2, 3)),
        ("row 2, column 3", (2, 3)),
        ("Column 3, row 2.", (2, 3)),
        ('{"row": 2, "column": 3}', (2, 3)),
        ('{"answer": [2, 3]}', (2, 3)),
        ("D3", (2, 3)),
        ("The object is the red circle at (2, 3).", (2, 3)),
        ("From (0, 0) to (2, 3)", None),
        ("From (0, 0) I go on.\nAnswer: (2, 3)", (2, 3)),
        ("(9, 9)", None),
        ("2", None),
        ("none of them", None),
    ],
)
def test_forms_of_cells(text, cell):
    """A cell is read in every usual notation; several cells, or one off the board, are not understood."""
    if cell is None:
        with pytest.raises(Unparsable):
            parse_cell(text, size=6)
    else:
        assert parse_cell(text, size=6) == cell


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("B", "B"),
        ("(b)", "B"),
        ("Image B.", "B"),
        ("**B**", "B"),
        ("Image A has a green floor, image B a red one.\nAnswer: B", "B"),
        ("So the answer is B.", "B"),
        ("Answer: B, because image A is blue", "B"),
        ("Image A or image B", None),
        ("Answer: A\nAnswer: B", None),
        ("A red ball", None),
        ("C", None),
        ('{"choice": "B"}', "B"),
    ],
)
def test_forms_of_choices(text, label):
    """A label is read where it stands for the answer; an article is no label."""
    if label is None:
        with pytest.raises(Unparsable):
            parse_choice(text, "AB")
    else:
        assert parse_choice(text, "AB") == label


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("Region 7.", 7),
        ("#7", 7),
        ("Answer: not there", None),
        ("The blue cup is not in any of the images.", None),
        ("It is region 7", 7),
        ("Region 7 or region 8", Unparsable),
        ("7, 8", Unparsable),
        ("Region 7 fits best, but it is not there", Unparsable),
        ("Answer: 7 (the man on the left)", 7),
        ("0", Unparsable),
        ("4000", Unparsable),
        ("Maybe", Unparsable),
        ("9" * 5000, Unparsable),
    ],
)
def test_forms_of_regions(text, number):
    """A region is read by its number, its absence in several wordings; anything else is not understood."""
    if number is Unparsable:
        with pytest.raises(Unparsable):
            parse_region(text, count=30)
    else:
        assert parse_region(text, count=30) == number


@pytest.mark.parametrize(
    ("text", "caption"),
    [
        ("a red ball", "a red ball"),
        ('"A red ball."', "A red ball"),
        ("Image A is red.\nAnswer: a red ball", "a red ball"),
        ("I thought about it.\nCaption: a red ball", "a red ball"),
        ('{"caption": "a red ball"}', "a red ball"),
        ("One line\nand another", None),
        ("I'm sorry, I cannot see images.", None),
        ("a" * 1000, None),
    ],
)
def test_forms_of_captions(text, caption):
    """A caption is the marked line, or the only one; a refusal is no caption."""
    if caption is None:
        with pytest.raises(Unparsable):
            parse_caption(text)
    else:
        assert parse_caption(text) == caption


@given(TEXTS)
def test_no_text_is_too_strange(text):
    """Whatever a model says, it is understood or it is not; nothing else happens."""
    readers = (
        lambda said: parse_cell(said, size=6),
        lambda said: parse_choice(said, "AB"),
        lambda said: parse_region(said, count=30),
        parse_caption,
    )
    for reader in readers:
        with suppress(Unparsable):
            reader(text)


@given(st.integers(0, 5), st.integers(0, 5), st.text(alphabet="abcdefgh .\n", max_size=60))
def test_a_marked_cell_is_found_behind_any_talk(row, column, talk):
    """What stands before the marked answer does not matter."""
    assert parse_cell(f"{talk}\nAnswer: ({row}, {column})", size=6) == (row, column)
