"""Models and examples that the tests of models look at; all follow from a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from deixis.seeds import derive
from deixis.worlds.grid.models._graph_lstm import GraphLSTM, GraphLSTMSettings
from deixis.worlds.grid.models._multimodal_lstm import MultimodalLSTM, MultimodalLSTMSettings
from deixis.worlds.grid.models._transformer import GridTransformer, GridTransformerSettings
from deixis.worlds.grid.models.policy import Batch


if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from deixis.worlds.grid.models.policy import Policy


WORDS = 35  # of ReaSCAN
CELLS = 36
PUBLISHED: dict[str, Callable[[], Policy]] = {
    "m-lstm": lambda: MultimodalLSTM(MultimodalLSTMSettings(), WORDS),
    "gcn-lstm": lambda: GraphLSTM(GraphLSTMSettings(), WORDS),
    "transformer": lambda: GridTransformer(GridTransformerSettings(), WORDS),
}
SMALL: dict[str, Callable[[], Policy]] = {
    "m-lstm": lambda: MultimodalLSTM(MultimodalLSTMSettings(word_width=5, width=12, filters=6), WORDS),
    "gcn-lstm": lambda: GraphLSTM(GraphLSTMSettings(word_width=6, width=16, rounds=3), WORDS),
    "gcn-lstm with scaled scores": lambda: GraphLSTM(GraphLSTMSettings(word_width=6, width=16, scaled=True), WORDS),
    "m-lstm that points": lambda: MultimodalLSTM(
        MultimodalLSTMSettings(word_width=5, width=12, filters=6, points=True), WORDS
    ),
    "gcn-lstm that points": lambda: GraphLSTM(GraphLSTMSettings(word_width=6, width=16, rounds=3, points=True), WORDS),
    "transformer": lambda: small_transformer(norm_first=False),
    "transformer that sees padding": lambda: small_transformer(sees_padding=True),
    "transformer with norms first": lambda: small_transformer(norm_first=True),
    "transformer with tables of places": lambda: small_transformer(place_tables=True),
    "transformer that points": lambda: small_transformer(points=True),
    "transformer with shared blocks": lambda: small_transformer(shared_blocks=True),
    "transformer with relative words": lambda: small_transformer(relative_words=True, longest_distance=3),
    "transformer that reads structure": lambda: small_transformer(
        norm_first=True, points=True, shared_blocks=True, relative_words=True, longest_distance=3, points_mentions=True
    ),
}


def small_transformer(*, longest_command: int = 20, **options: Any) -> GridTransformer:
    """A transformer of two blocks and two layers."""
    settings = GridTransformerSettings(
        width=32,
        heads=2,
        hidden=24,
        blocks=2,
        decoder_layers=2,
        longest_command=longest_command,
        longest_plan=30,
        longest_side=7,
        **options,
    )
    return GridTransformer(settings, WORDS)


def started(make: Callable[[], Policy], *, seed: int = 1) -> Policy:
    """A model with weights of its own, ready to be asked.

    Its matrices are larger than those that learning starts from, so that attention has preferences, and its vectors are
    not the ones and zeros of a start: a mistake in any part shows in the scores.
    """
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.default_generator.manual_seed(derive(seed, "weights") >> 1)
        model = make()
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.mul_(2.0)
            elif parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter), alpha=0.2)
    return model.eval()


def some_examples(count: int, *, channels: int, seed: int, words: int = 11, steps: int = 8) -> Batch:
    """Commands, grids and plans of all lengths up to the longest; no sense is to be looked for in them.

    The first example has the longest command and the longest plan; the last has one word, one occupied cell and an
    empty plan. Behind the end of a plan stands anything. The first and the last word of a command end noun phrases.
    """
    rng = np.random.default_rng(seed)
    word_count = rng.integers(1, words, count, endpoint=True)
    action_count = rng.integers(0, steps - 1, count, endpoint=True)
    word_count[[0, -1]], action_count[[0, -1]] = (words, 1), (steps - 1, 0)
    numbers = rng.integers(1, WORDS, (count, words), endpoint=True) * (np.arange(words) < word_count[:, None])
    is_lit = rng.random((count, CELLS, channels)) < 0.2
    grid = rng.integers(1, 2, (count, CELLS, channels), endpoint=True) * is_lit
    grid *= rng.random((count, CELLS, 1)) < 0.4  # the other cells are empty
    grid[-1] = 0
    grid[-1, 17, channels - 5 : channels - 3] = 1
    actions, target = rng.integers(0, 6, (count, steps)), rng.integers(0, CELLS, count)
    mentions = np.stack((np.array((0 * target, target)).T, np.array((word_count - 1, (target + 1) % CELLS)).T), axis=1)
    mentions[word_count == 1, 1] = -1
    return Batch(
        words=torch.from_numpy(numbers),
        word_count=torch.from_numpy(word_count),
        grid=torch.from_numpy(grid.astype(np.float32)),
        actions=torch.from_numpy(actions),
        action_count=torch.from_numpy(action_count),
        target=torch.from_numpy(target),
        told=torch.zeros(count, 0, dtype=torch.int64),
        mentions=torch.from_numpy(mentions),
    )


def shown_in(model: Policy, batch: Batch) -> Tensor:
    """What a decoder is shown of a batch's plans."""
    return model.layout.teach(batch.actions[:, :-1], batch.action_count)[0]


def scores_of(model: Policy, batch: Batch) -> list[np.ndarray]:
    """The scores of every example, float32 [action and end, row], without those behind its end."""
    with torch.no_grad():
        scores = model(batch.words, batch.word_count, batch.grid, shown_in(model, batch)).numpy()
    return [rows[: count + 1] for rows, count in zip(scores, batch.action_count.tolist(), strict=True)]


def taking(batch: Batch, example: int) -> Batch:
    """One example alone, without padding."""
    words, steps = int(batch.word_count[example]), int(batch.action_count[example]) + 1
    one = Batch(*(part[example : example + 1] for part in batch))
    return one._replace(words=one.words[:, :words], actions=one.actions[:, :steps])
