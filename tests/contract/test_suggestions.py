"""In every world: texts that are not unique are mended by suggestions, slips are read as what was meant."""

from __future__ import annotations

from itertools import islice

import pytest

from deixis.errors import DeixisError
from deixis.expression.parts import parts, without
from deixis.language.suggestions import suggest_edits
from deixis.language.tolerant import read_tolerantly
from deixis.resolution.reference import resolve
from deixis.worlds.example import context_of
from deixis.worlds.registry import find_world


MOST_TEXTS = 12


@pytest.fixture(scope="module")
def spoken(made):
    """The language of a world, and a few (text, context) in which parts of examples were left out."""
    world = find_world(made.world)
    if not world.has("language"):
        pytest.skip(f"{made.world} has no language")
    return world.part("language"), list(islice(_texts(world, made.path), MOST_TEXTS))


def _texts(world, path):
    language, examples = world.part("language"), world.part("examples").open(path)
    for number in range(0, len(examples), max(1, len(examples) // MOST_TEXTS)):
        example = examples[number]
        context = context_of(example)
        if context is None or example.expression is None:
            continue
        for part in parts(example.expression):
            left = without(example.expression, part)
            try:
                text = language.realise(left).text
                language.read(text, context.scenes[context.target.scene])
            except DeixisError:
                continue
            if len(resolve(left, context).objects) > 1:
                yield text, context
                break


def test_suggestions_pick_out_one_object_in_every_world(spoken):
    """Where a needed part was left out, each suggestion is a text that picks out the object that it names."""
    language, texts = spoken
    made = 0

    for text, context in texts:
        scene = context.scenes[context.target.scene]
        for one in suggest_edits(language.read(text, scene), context, language=language):
            meant = language.read(one.text, scene).expression
            assert resolve(meant, context).objects == {one.target}, (text, one.words)
            assert one.words
            made += 1

    assert texts
    assert made


def test_what_can_be_read_is_not_changed_in_any_world(spoken):
    """The tolerant reader reads a text without slips as the strict one does."""
    language, texts = spoken

    for text, context in texts:
        scene = context.scenes[context.target.scene]
        found = read_tolerantly(
            text, lambda said, scene=scene: language.read(said, scene), words=language.words, schema=scene.schema
        )
        assert found.changes == ()
        assert found.utterance.expression == language.read(text, scene).expression
