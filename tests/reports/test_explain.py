"""Explanations in the gallery: they say what the codes mean, and only what is true of the world."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape, unescape

import pytest

from deixis.expression.parts import parts, without
from deixis.report._markup import Themes
from deixis.resolution.reference import denotation, resolve
from deixis.worlds.grid._report.explain import distractor_sets, ignored_parts, misreading_words, plan_words
from deixis.worlds.grid._report.gallery import card, command_markup, ignored_part_words
from deixis.worlds.grid._report.sample import SampledExample
from deixis.worlds.grid.actions import plan_from_letters
from deixis.worlds.grid.language import read
from deixis.worlds.grid.roles import Role, decode_misreading, encode_misreading


TEXT = "push the small red circle that is in the same row as a blue square and inside of a big green box"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (encode_misreading("relation", 1), "ignored ‘in the same row as a blue square’"),
        (encode_misreading("relation", 2), "ignored ‘inside of a big green box’"),
        (encode_misreading("size", 2), "ignored ‘big’ in ‘a big green box’"),
        (encode_misreading("attribute", 0, 1, 3), "read ‘red’ as ‘yellow’ in ‘the small red circle’"),
        (encode_misreading("attribute", 1, 0, 1), "read ‘square’ as ‘cylinder’ in ‘a blue square’"),
        (encode_misreading("attribute", 0, 2, 1), "read ‘small’ as ‘big’ in ‘the small red circle’"),
        (encode_misreading("isomorphism", 1, 2, 0), "swapped the colours of ‘a blue square’ and ‘a big green box’"),
        (
            encode_misreading("isomorphism", 1, 2, 1),
            "swapped the sizes and nouns of ‘a blue square’ and ‘a big green box’",
        ),
    ],
)
def test_every_kind_of_misreading_has_its_words(code, words):
    """The words name what was misread, where it stands and what it was taken for."""
    assert misreading_words(read(TEXT), code) == words


def test_traps_agree_with_the_codes(examples):
    """Each set says the misreading that its code decodes to, and its end points are what the misread command fits."""
    found = [(example, trap) for example in examples for trap in distractor_sets(example)]

    assert found
    for example, trap in found:
        (code,) = example.misreadings
        understood = decode_misreading(code, example.expression)
        fits = denotation(understood.expression, example.scene, reading=example.scene.schema.reading)
        assert trap.misreading == understood
        assert trap.words == misreading_words(example.utterance, code)
        assert set(trap.ends) == {i for i, role in enumerate(example.roles) if role.has_misreading} & fits
        assert example.target not in trap.ends


def test_cards_say_where_a_careless_reader_ends(examples):
    """The sentence of the gallery names the objects that the misread command fits, and the words that were ignored."""
    for number, example in enumerate(examples, start=1):
        page = card(SampledExample(example.split, example.pattern, example), Themes(), number=number, splits={})
        said = unescape(re.sub(r"<[^>]+>", "", page))
        for trap in distractor_sets(example):
            for index in trap.ends:
                thing = example.scene.objects[index]
                assert f"{thing.color} {thing.shape}{index}: you would end here if you {trap.words}." in said


def test_a_card_of_a_command_that_cannot_be_read_says_so(examples):
    """An unreadable example is shown as it is, with the reason."""
    broken = replace(examples[0], text="abracadabra <b>")
    page = card(SampledExample("train", "p1", broken), Themes(), number=1, splits={})

    assert "abracadabra &lt;b&gt;" in page
    assert "cannot be explained" in page


def test_parts_of_a_command_become_nested_spans(examples):
    """Taking the markup away gives the command back; every part has one span, a clause a frame besides."""
    utterance = read(TEXT)
    page = command_markup(replace(examples[0], text=TEXT), None)

    assert unescape(re.sub(r"<[^>]+>", "", page)) == TEXT
    assert page.count('class="part clause') == page.count('class="frame"') == 2
    assert page.count('class="part noun') == 3
    assert page.count("<span") == page.count("</span>") == len(list(parts(utterance.expression))) + 2


def test_needed_parts_are_marked(examples):
    """A span says needed exactly where the target is not found without the part."""
    for example in examples:
        needed = example.necessity()
        page = command_markup(example, ignored_parts(example))

        assert len(re.findall(r'class="part \w+ needed"', page)) == sum(needed.values())
        assert len(re.findall(r'class="part \w+ idle"', page)) == len(needed) - sum(needed.values())


def test_oversights_are_what_the_shorter_command_picks_out(examples):
    """Wrong is all that fits without a part, but for the target; the part is needed when anything changes."""
    for example in examples:
        found = ignored_parts(example)
        needed = example.necessity()
        assert {one.part for one in found} == set(needed)
        for one in found:
            fits = resolve(without(example.expression, one.part), example.context).objects
            assert set(one.wrong) == {where.object for where in fits} - {example.target}
            assert one.is_punished == needed[one.part]


def test_words_light_up_what_is_taken_without_them(examples):
    """A needed word carries the target and the wrong objects, and the sentence that names them."""
    example = examples[2]
    page = command_markup(example, ignored_parts(example))

    for one in ignored_parts(example):
        lit = " ".join(map(str, (example.target, *one.wrong)))
        assert f'data-objects="{lit}"' in page
        assert escape(ignored_part_words(example, one)) in page


def test_a_helper_is_said_to_lead_to_the_object_of_another_set(examples):
    """A set without an end of its own names the objects that its misreading reaches through it."""
    example = examples[2]
    (trap,) = distractor_sets(example)
    roles = tuple(
        Role("helper") if i == 5 else Role("random") if r.kind == "relation" else r for i, r in enumerate(example.roles)
    )
    helped = replace(example, roles=roles)
    (other,) = distractor_sets(helped)
    said = unescape(re.sub(r"<[^>]+>", "", card(SampledExample("train", "p2", helped), Themes(), number=1, splits={})))

    assert other.ends == ()
    assert set(other.elsewhere) == set(trap.ends) | set(trap.elsewhere)
    assert "Helperyellow square5 leads to red circle2" in said


@pytest.mark.parametrize(
    ("letters", "words"),
    [
        ("", "nothing: the agent stands on the target already"),
        ("W", "walk"),
        ("WWW", "walk 3 times"),
        ("RWW", "turn right, then walk 2 times"),
        ("LLLLWLLLLWLLLLRW", "2 times (turn left 4 times, walk), then turn left 4 times, then turn right, then walk"),
        ("WSWSPS", "2 times (walk, stay), then push, then stay"),
    ],
)
def test_plans_are_told_without_tiring_repetition(letters, words):
    """What repeats is said once, with how often."""
    assert plan_words(plan_from_letters(letters)) == words
