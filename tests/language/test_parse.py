"""Words to meaning: the inverse of realising, and what is said about text that cannot be read."""

from __future__ import annotations

from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import ParseError
from deixis.expression import Description, Extreme, Is, Related
from deixis.expression.patterns import MAX_CLAUSES, pattern
from deixis.language import Instruction
from deixis.schema import Which
from deixis.seeds import Stream
from deixis.worlds.grid.actions import MANNERS, VERBS
from deixis.worlds.grid.commands import COLORS, RELATIONS, commands, sample_commands
from deixis.worlds.grid.language import WORDS, parse, parse_instruction, read, realise


VERB_PHRASES = ("walk to", "push", "pull")
SIZES = ("big", "small")
NOUNS = ("circle", "cylinder", "square", "box", "object")
MANNER_PHRASES = ("while zigzagging", "while spinning", "cautiously", "hesitantly")
SAME = ("row", "column", "color", "shape", "size")
RELATION_PHRASES = (*(f"in the same {name} as" for name in SAME), "inside of")
AFTER_NOUN = ("that is", *MANNER_PHRASES, "<the end>")
AFTER_CLAUSE = ("that is", "and", *MANNER_PHRASES, "<the end>")
DETERMINERS = ("the", "a")
PHRASES = tuple(
    tuple(step for step in steps if step)
    for steps in product(
        (None, *(Is("shape", noun) for noun in NOUNS[:4])),
        (None, *(Is("color", color) for color in COLORS)),
        (None, *(Extreme("size", which) for which in Which)),
    )
)


@pytest.mark.parametrize("name", ["p1", "p2"])
def test_every_short_command_is_read_back(name):
    """Reading what was realised gives the expression back, for every command without clauses or with one."""
    wrong = [expression for expression in commands(pattern(name)) if parse(realise(expression).text) != expression]

    assert wrong == []


@pytest.mark.parametrize("name", ["p3", "p4", "chain"])
def test_longer_commands_are_read_back(name):
    """Reading what was realised gives the whole utterance back, spans and determiners included."""
    sample = islice(sample_commands(pattern(name), rng=Stream(5)), 4_000)

    wrong = [said.text for said in map(realise, sample) if read(said.text) != said]

    assert wrong == []


@pytest.mark.parametrize("seed", range(4))
def test_instructions_of_every_form_are_read_back(seed):
    """Anything right-branching with up to seven clauses is read back, whatever its words, determiners and manner."""
    wrong = [said.text for said in _random_utterances(6_000, seed) if read(said.text) != said]

    assert wrong == []


def test_a_noun_phrase_is_read():
    """The steps stand in the order of meaning: noun, colour, then size."""
    expected = Description((Is("shape", "circle"), Is("color", "red"), Extreme("size", Which.LEAST)))

    assert parse("the small red circle") == expected
    assert parse("a object") == Description()


def test_and_hangs_a_clause_on_the_head_of_the_last_that_is():
    """'that is' starts a clause of the phrase before it; 'and' goes on with the same head."""
    text = (
        "the circle that is in the same row as a red square and inside of a blue box "
        "that is in the same color as a big cylinder and in the same size as a green circle"
    )

    first, second = parse(text).clauses

    assert (first.relation, second.relation) == ("same row", "inside")
    assert first.to.clauses == ()
    assert [clause.relation for clause in second.to.clauses] == ["same color", "same size"]


@pytest.mark.parametrize(
    "text",
    [
        "push,the,big,red,circle,that,is,inside,of,a,blue,box,while,spinning",
        "PUSH The Big RED circle THAT is inside of a blue box while spinning",
        "  push the big\tred \n circle that is inside of a blue box while spinning\r\n",
        ", push, the, big, red, circle, that is inside of a blue box, while spinning ,",
        "push\u00a0the\u2003big red circle that is inside of\u3000a blue box while spinning\x1c",
    ],
)
def test_separators_and_case_do_not_matter(text):
    """Commas, any kind of blank and capitals all read the same."""
    plain = "push the big red circle that is inside of a blue box while spinning"

    assert read(text) == read(plain)
    assert read(text).text == plain


@pytest.mark.parametrize(("verb", "manner"), list(product(VERBS, MANNERS)))
def test_every_verb_and_manner_is_read(verb, manner):
    """All fifteen ways to act are told apart."""
    text = f"{WORDS.verb_phrase(verb)} the circle {manner}"

    assert parse_instruction(text) == Instruction(verb, parse("the circle"), manner)


def test_adjectives_may_stand_in_any_order_on_request():
    """gSCAN's order of adjectives is read to the same meaning, with spans that follow the words."""
    said = read("walk to the red small circle", any_order=True)

    assert said.expression == parse("the small red circle")
    assert [said.words_of((k,)) for k in range(3)] == ["circle", "red", "small"]
    assert read("the small red circle", any_order=True) == read("the small red circle")


def test_the_longest_phrase_is_read():
    """Where one phrase begins with another, the longer one is taken if it is there."""
    words = WORDS
    longer = type(words)(
        **{name: getattr(words, name) for name in words.__slots__} | {"verbs": {"go": "a", "go to": "b"}}
    )

    assert parse_instruction("go to the circle", words=longer).verb == "b"
    assert parse_instruction("go the circle", words=longer).verb == "a"


@pytest.mark.parametrize(
    ("text", "word", "position", "expected"),
    [
        ("", "", 1, (*VERB_PHRASES, *DETERMINERS)),
        (" ,, \n", "", 1, (*VERB_PHRASES, *DETERMINERS)),
        ("kick the circle", "kick", 1, (*VERB_PHRASES, *DETERMINERS)),
        ("circle", "circle", 1, (*VERB_PHRASES, *DETERMINERS)),
        ("walk the circle", "the", 2, ("to",)),
        ("walk", "", 2, ("to",)),
        ("push", "", 2, DETERMINERS),
        ("push circle", "circle", 2, DETERMINERS),
        ("push an circle", "an", 2, DETERMINERS),
        ("push the", "", 3, (*SIZES, *COLORS, *NOUNS)),
        ("push the pink circle", "pink", 3, (*SIZES, *COLORS, *NOUNS)),
        ("push the big", "", 4, (*COLORS, *NOUNS)),
        ("push the big small circle", "small", 4, (*COLORS, *NOUNS)),
        ("push the red big circle", "big", 4, NOUNS),
        ("push the red blue circle", "blue", 4, NOUNS),
        ("push the red triangle", "triangle", 4, NOUNS),
        ("push the circle circle", "circle", 4, AFTER_NOUN),
        ("push the circle and inside of a red box", "and", 4, AFTER_NOUN),
        ("push the circle that was inside of a red box", "was", 5, ("is",)),
        ("push the circle that", "", 5, ("is",)),
        ("push the circle that is", "", 6, RELATION_PHRASES),
        ("push the circle that is near a red box", "near", 6, RELATION_PHRASES),
        ("push the circle that is in a red box", "a", 7, ("the",)),
        ("push the circle that is in the same line as a red box", "line", 9, SAME),
        ("push the circle that is in the same", "", 9, SAME),
        ("push the circle that is in the same row", "", 10, ("as",)),
        ("push the circle that is inside a red box", "a", 7, ("of",)),
        ("push the circle that is inside of red box", "red", 8, DETERMINERS),
        ("push the circle that is inside of a red box or", "or", 11, AFTER_CLAUSE),
        ("push the circle that is inside of a red box and that is", "that", 12, RELATION_PHRASES),
        ("push the circle while", "", 5, ("zigzagging", "spinning")),
        ("push the circle while singing", "singing", 5, ("zigzagging", "spinning")),
        ("push the circle quickly", "quickly", 4, AFTER_NOUN),
        ("push the circle hesitantly cautiously", "cautiously", 5, ("<the end>",)),
        ("push the circle hesitantly that is inside of a box", "that", 5, ("<the end>",)),
        ("push the circle <the fence", "<the", 4, AFTER_NOUN),
    ],
)
def test_a_mistake_is_located_and_what_was_expected_is_named(text, word, position, expected):
    """The error names the first word that does not fit, its number and everything that could have stood there."""
    with pytest.raises(ParseError) as caught:
        read(text)

    assert (caught.value.word, caught.value.position, caught.value.expected) == (word, position, expected)


@pytest.mark.parametrize(
    ("read_it", "text", "word", "position", "expected"),
    [
        (parse, "push the circle", "push", 1, DETERMINERS),
        (parse, "walk to the circle hesitantly", "walk", 1, DETERMINERS),
        (parse, "the circle while spinning", "while", 3, ("that is", "<the end>")),
        (parse_instruction, "the circle", "the", 1, VERB_PHRASES),
        (parse_instruction, "the circle hesitantly", "the", 1, VERB_PHRASES),
    ],
)
def test_noun_phrases_and_commands_are_told_apart(read_it, text, word, position, expected):
    """`parse` wants a noun phrase, `parse_instruction` a verb; the error points at what is too much or missing."""
    with pytest.raises(ParseError) as caught:
        read_it(text)

    assert (caught.value.word, caught.value.position, caught.value.expected) == (word, position, expected)


def test_the_message_is_a_sentence():
    """The message of an error says what was found, where, and what was expected."""
    with pytest.raises(ParseError) as caught:
        read("push the red triangle")

    assert str(caught.value) == (
        "unexpected word 'triangle' at word 4 of 'push the red triangle'; "
        "expected 'circle', 'cylinder', 'square', 'box' or 'object'"
    )


@pytest.mark.parametrize(
    "text",
    [
        "the circle " * 5_000,
        "the circle" + " that is in the same row as a red circle" * 1_000,
        "x" * 1_000_000,
        "push the \x00\x1b[31mred\x07 circle",
        "push the circle\x7f",
        "schiebe den roten Kreis",
        "推动红色的圆",
        "ادفع الدائرة",
        "\u202ethe circle",
        "the circle; drop table",
        "🔴" * 100,
        "{}%s\\n'\"",
    ],
    ids=range(12),
)
def test_hostile_text_is_refused_in_one_short_line(text):
    """Endless, foreign or unprintable text gives a parse error whose message is one short printable line."""
    with pytest.raises(ParseError) as caught:
        read(text)

    message = str(caught.value)
    assert len(message) < 1_200
    assert message.isprintable()


@given(st.text() | st.lists(st.sampled_from(WORDS.vocabulary())).map(" ".join))
def test_any_text_is_read_or_refused(text):
    """No text makes the reader fail in another way, and what is read is said again as it was."""
    try:
        said = read(text)
    except ParseError:
        return

    assert realise(said.instruction, determiners=said.determiners) == said


def _random_utterances(count, seed):
    """Utterances with random trees of up to seven clauses, filled with random words."""
    rng = np.random.default_rng(seed)
    clauses = rng.integers(0, MAX_CLAUSES + 1, size=(count, 2)).min(axis=1).tolist()
    hung_on_last = rng.integers(0, 2, size=(count, MAX_CLAUSES)).tolist()
    phrases = rng.integers(0, len(PHRASES), size=(count, MAX_CLAUSES + 1)).tolist()
    relations = rng.integers(0, len(RELATIONS), size=(count, MAX_CLAUSES + 1)).tolist()
    determiners = rng.integers(0, 2, size=(count, MAX_CLAUSES + 1)).tolist()
    ways = rng.integers(0, (len(VERBS) + 1) * len(MANNERS), size=count).tolist()
    for k in range(count):
        expression = _hung_together(clauses[k], hung_on_last[k], phrases[k], relations[k])
        verb, manner = ("", *VERBS)[ways[k] // len(MANNERS)], MANNERS[ways[k] % len(MANNERS)]
        chosen = [DETERMINERS[d] for d in determiners[k][: clauses[k] + 1]]
        yield realise(Instruction(str(verb), expression, str(manner)), determiners=chosen)


def _hung_together(clauses, hung_on_last, phrases, relations):
    parents, head = [-1], 0
    for k in range(clauses):
        head = k if hung_on_last[k] else head
        parents.append(head)
    steps = [list(PHRASES[phrases[k]]) for k in range(clauses + 1)]
    ends = [len(said) for said in steps]
    for child in range(clauses, 0, -1):
        clause = Related(RELATIONS[relations[child]], Description(tuple(steps[child])))
        steps[parents[child]].insert(ends[parents[child]], clause)
    return Description(tuple(steps[0]))


# ---------------------------------------------------------------------------------------------------- spatial relations


@pytest.mark.parametrize("phrase", WORDS.bare)
def test_spatial_relations_are_said_without_that_is(phrase):
    """They follow the noun at once, are said so again, and are understood with 'that is' as well."""
    text = f"push the red circle {phrase} a big square while spinning"

    said = parse_instruction(text)

    assert said.expression.clauses[0].relation == WORDS.bare[phrase]
    assert realise(said).text == text
    assert parse_instruction(text.replace(phrase, f"that is {phrase}")) == said


def test_spatial_and_other_relations_go_together():
    """'and' adds a clause to the same head, 'that is' and a bare relation to the phrase just before."""
    text = "the circle next to a red square and north of a box that is in the same row as a cylinder"

    expression = parse(text)

    assert [clause.relation for clause in expression.clauses] == ["next to", "north of"]
    assert [clause.relation for clause in expression.clauses[1].to.clauses] == ["same row"]
    assert realise(expression).text == text
    assert parse("the circle north of a square west of a box").clauses[0].to.clauses[0].relation == "west of"


def test_the_longest_spatial_relation_is_read():
    """'north east of' is not 'north', and a half-said one names what is missing."""
    assert parse("the circle north east of a square").clauses[0].relation == "north east of"
    with pytest.raises(ParseError):
        parse("the circle north a square")
