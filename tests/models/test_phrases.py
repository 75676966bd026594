"""Attention along the parse: which words are told to see which, and that the others really have no effect."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from deixis.errors import SchemaError
from deixis.worlds.grid.models._phrases import mask_of, phrases_of
from deixis.worlds.grid.models._transformer import Block, GridTransformer, GridTransformerSettings


SAID = (
    "push the small circle that is in the same row as a blue square and in the same color as a big object "
    "that is inside of a yellow box while spinning"
)
SMALL = GridTransformerSettings(width=8, heads=2, hidden=8, blocks=1, decoder_layers=1, dropout=0.0, parse_mask=True)


def seen_by(word: int, command: str = SAID) -> set[str]:
    """The words that one word of a command sees, named by their places."""
    words = command.split()
    told = torch.from_numpy(phrases_of([command])[0]).long()
    mask = mask_of(told, torch.ones(1, len(words) + 2, dtype=torch.bool))[0, 1:-1, 1:-1]
    return {f"{place} {words[place]}" for place in torch.nonzero(mask[word])[:, 0].tolist()}


def test_a_word_sees_its_phrase_and_the_heads_above_and_below():
    """What is said of the square sees the circle that it is said of, and nothing of the other clauses."""
    of_square = seen_by(SAID.split().index("blue"))

    assert {"3 circle", "13 square"} <= of_square
    assert not {name for name in of_square if name.split()[1] in ("box", "yellow", "big", "small", "push", "object")}
    assert {"22 object"} <= seen_by(SAID.split().index("box"))


def test_commands_that_nobody_can_read_hide_nothing():
    """Without a parse all words see each other, and such commands are counted."""
    _, is_unread = phrases_of([SAID, "circle push the"])

    assert is_unread.tolist() == [False, True]
    assert len(seen_by(0, "circle push the")) == 3


@pytest.mark.parametrize("relative", [False, True])
def test_what_is_hidden_has_no_effect_on_attention_among_words(relative):
    """After a block a word depends on the words that it sees, and on no other."""
    torch.default_generator.manual_seed(0)
    settings = GridTransformerSettings(
        width=8, heads=2, hidden=8, dropout=0.0, parse_mask=True, relative_words=relative
    )
    layer = Block(settings).among_words.eval()
    count = len(SAID.split()) + 2
    mask = mask_of(torch.from_numpy(phrases_of([SAID])[0]).long(), torch.ones(1, count, dtype=torch.bool))
    text = torch.randn(1, count, 8, requires_grad=True)

    after = layer(text, layer.normalise(text), None, mask)

    for word in range(count):
        (reach,) = torch.autograd.grad(after[0, word].square().sum(), text, retain_graph=True)
        has_effect = reach[0].abs().sum(1) > 0
        assert not (has_effect & ~mask[0, word]).any(), word
        assert has_effect[mask[0, word]].all(), word


def test_a_transformer_along_the_parse_must_be_told_it():
    """Asked without the parse it refuses, instead of attending to everything."""
    model = GridTransformer(SMALL, 5)
    words, count, grid = torch.ones(1, 3, dtype=torch.int64), torch.tensor([3]), torch.zeros(1, 36, 25)

    with pytest.raises(SchemaError, match="must be told"):
        model.encode(words, count, grid)


def test_padding_of_what_is_told_does_not_matter():
    """A command is masked the same alone and beside longer ones."""
    short = "push the red circle"
    alone, beside = phrases_of([short])[0], phrases_of([short, SAID])[0][:1]
    is_word = torch.ones(1, 6, dtype=torch.bool)

    one, other = (mask_of(torch.from_numpy(told.astype(np.int64)), is_word) for told in (alone, beside))

    assert torch.equal(one, other)
