"""In every world: a word that the language does not know is named, wherever it stands; it is never passed over."""

from __future__ import annotations

from itertools import islice

import pytest

from deixis._cli import main
from deixis.errors import DeixisError, ParseError
from deixis.worlds.example import context_of
from deixis.worlds.registry import find_world


UNKNOWN = "qxqxq"
TEXTS = 6
PHRASE = 6  # words of the longest phrase that a language reads as one, as "has the same color as the"


@pytest.fixture(scope="module")
def language_and_texts(made):
    """The language of a world, and a few (number of example, text, scene) that it reads."""
    world = find_world(made.world)
    if not world.has("language"):
        pytest.skip(f"{made.world} has no language")
    language = world.part("language")
    return language, list(islice(_texts(world, language, made.path), TEXTS))


def _texts(world, language, path):
    for number, example in enumerate(world.part("examples").open(path)):
        context = context_of(example)
        if context is None:
            continue
        scene = context.scenes[context.target.scene]
        try:
            language.read(example.text, scene)
        except DeixisError:
            continue
        yield number, example.text, scene


def test_an_unknown_word_is_named_wherever_it_stands(language_and_texts):
    """A text with a word that no language knows is refused with that word, or with the phrase that it breaks."""
    language, texts = language_and_texts
    assert texts

    for _, text, scene in texts:
        words = text.lower().split()
        named = [_named(language, scene, words, place) for place in range(len(words) + 1)]
        assert named[0] == named[-1] == UNKNOWN
        assert named.count(UNKNOWN) > len(words) / 2, named
        for place, word in enumerate(named):
            assert word in (UNKNOWN, *words[max(0, place - PHRASE) : place]), (text, place, word)


def _named(language, scene, words, place):
    """The word that is refused where the unknown one stands at a place; of 'teddy qxqxq bear' it may be 'teddy'."""
    with pytest.raises(ParseError) as refused:
        language.read(" ".join([*words[:place], UNKNOWN, *words[place:]]).lower(), scene)
    found = refused.value
    assert found.text.split(" ")[found.position - 1] == found.word
    return found.word


def test_the_command_line_names_the_unknown_word(language_and_texts, made, capsys):
    """`deixis explain` says in one line which word is not known; reading what was meant does not help."""
    number, text, _ = language_and_texts[1][0]

    for more in ((), ("--tolerant",)):
        assert main(["explain", f"{text} {UNKNOWN}", "--scene", f"{made.path}#{number}", *more]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"unexpected word '{UNKNOWN}' at word {len(text.split()) + 1}" in line
