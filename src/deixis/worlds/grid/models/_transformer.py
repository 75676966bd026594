"""A transformer of two streams, words and cells, with cross-attention before self-attention.

In each of six blocks the words attend to the cells and the cells to the words, then each stream to itself: twelve
layers for a stream in all. Six layers of a decoder attend to both. The arrangement is that of GroCoT (cross-modal
attention interleaved with self-attention); the grid has 25 channels, so that a box and what stands in its corner stay
apart.

4,404,106 parameters with ReaSCAN's 35 words.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch import nn
from torch.nn import functional

from deixis.errors import SchemaError
from deixis.learn._layers import can_fuse
from deixis.learn._lean import attend_to_few
from deixis.worlds.grid.models._phrases import mask_of, phrases_of
from deixis.worlds.grid.models.policy import Layout, Policy


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from torch import Tensor


PAD, START, STOP, WHOLE = 0, 1, 2, 3  # the first rows of both tables
LAYER_NORM_EPS = 1e-12  # as published
MAX_FUSED_KEYS, FUSED_HEAD_SIZES = 128, (16, 32, 64, 128)  # what the fused kernel takes


@dataclass(frozen=True, slots=True, kw_only=True)
class GridTransformerSettings:
    """The sizes of the transformer, by default the published ones.

    Attributes:
        longest_command, longest_plan: rows of the tables of places, marks of beginning and end included.
        sees_padding: whether the decoder looks at the places after a command's end, too, as the published one does;
            then every command is padded to the longest length.
        norm_first: whether norms come before attention instead of after the sums, as in most later transformers; three
            norms more, 768 parameters.
        place_tables: whether each row and each column of the grid has a vector of its own instead of a number that a
            linear map reads; then "in the same row" is an equality that attention sees at once.
        longest_side: rows and columns that have such vectors.
        points: whether it says of every cell, besides the plan, how much it is that of the target; one vector more.
        shared_blocks: whether all blocks of the encoder are one and the same, applied again and again, so that what is
            learnt about one clause holds for the next.
        relative_words: whether words know how far apart they stand instead of where, so that the words of a third
            clause stand nowhere new; each head has a vector for every distance, which its queries are compared with.
        longest_distance: words further apart than this are taken to stand this far apart.
        points_mentions: whether every word says of every cell how much it is that of the object that a noun phrase
            ending there mentions; one matrix more.
        parse_mask: whether words attend only to words of their own phrase and to the nouns of the phrases above and
            below it in the parse, which the model is told; no parameters. What they learn of cells they learn of all.
    """

    width: int = 128
    heads: int = 8
    hidden: int = 256
    blocks: int = 6
    decoder_layers: int = 6
    channels: int = 25
    dropout: float = 0.1
    longest_command: int = 50
    longest_plan: int = 105
    sees_padding: bool = False
    norm_first: bool = False
    place_tables: bool = False
    longest_side: int = 12
    points: bool = False
    shared_blocks: bool = False
    relative_words: bool = False
    longest_distance: int = 16
    points_mentions: bool = False
    parse_mask: bool = False


class EncoderMemory(NamedTuple):
    """Keys and values of words and cells for every layer of the decoder, and scores for pointing.

    Shapes:
        pairs: [example, place, layer, key and value, head, part]; mask: bool [example, place], False for padding.
        target_scores: float32 [example, cell], or [example, 0] where the model does not point.
        mention_scores: float32 [example, word, cell], or [example, 0, cell] where it does not point at mentions.
    """

    pairs: Tensor
    mask: Tensor
    target_scores: Tensor
    mention_scores: Tensor


class DecoderCache(NamedTuple):
    """Keys and values of the actions so far for every layer, with room for the whole plan.

    Attributes:
        pairs: [layer, example, step, key and value, head, part].
        taken: how many steps are taken.
    """

    pairs: Tensor
    taken: int


class GridTransformer(Policy):
    """The transformer, for `words` known words."""

    layout = Layout(size=10, pad=PAD, start=START, stop=STOP, first=4)
    checks_drafts = True

    def __init__(self, settings: GridTransformerSettings, words: int) -> None:
        super().__init__()
        self.settings = settings
        self.channels = settings.channels
        self.longest_command = settings.longest_command - 2
        self.longest_plan = settings.longest_plan - 1
        width = settings.width
        self.words = Places(words + 4, 0 if settings.relative_words else settings.longest_command, width)
        self.actions = Places(self.layout.size, settings.longest_plan, width)
        self.cell = nn.Linear(settings.channels, width)
        self.place = CellPlaces(settings.longest_side, width) if settings.place_tables else nn.Linear(2, width)
        self.cell_norm = nn.LayerNorm(width, LAYER_NORM_EPS)
        self.blocks = nn.ModuleList(Block(settings) for _ in range(1 if settings.shared_blocks else settings.blocks))
        self.decoder = nn.ModuleList(DecoderLayer(settings) for _ in range(settings.decoder_layers))
        self.offer = nn.Linear(width, settings.decoder_layers * 2 * width)  # keys and values for all of them
        self.output = nn.Linear(width, self.layout.size)
        last = (nn.LayerNorm(width, LAYER_NORM_EPS) if settings.norm_first else nn.Identity() for _ in range(3))
        self.words_last, self.cells_last, self.actions_last = last
        self.points = settings.points
        self.point = nn.Linear(width, 1, bias=False) if settings.points else None
        self.points_mentions = settings.points_mentions
        self.is_told = settings.parse_mask
        self.point_mentions = nn.Linear(width, width, bias=False) if settings.points_mentions else None

    def tell(self, commands: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the phrase of every word, where words attend along the parse (see `_phrases.phrases_of`)."""
        return phrases_of(commands) if self.is_told else super().tell(commands)

    def encode(self, words: Tensor, word_count: Tensor, grid: Tensor, told: Tensor | None = None) -> EncoderMemory:
        """Encode commands and grids, and compute keys and values for the decoder."""
        rows, count = self._wrap(words, word_count)
        is_word = torch.arange(rows.shape[1], device=rows.device) < count[:, None]
        with self._precision(rows):
            text = self._drop(self.words(rows))
            seen = self._seen_words(is_word, told)
            cells = self._drop(self._cells(grid))
            for number in range(self.settings.blocks):
                text, cells = self.blocks[number % len(self.blocks)](text, cells, is_word, seen)
            text, cells = self.words_last(text), self.cells_last(cells)
            both = torch.cat((text, cells), dim=1)
            pairs = self.offer(both).unflatten(2, (len(self.decoder), 2, self.settings.heads, -1))
            target = cells[:, :0, 0] if self.point is None else self.point(cells[:, 1:]).squeeze(2)
            named = text[:, :0] if self.point_mentions is None else self.point_mentions(text[:, 1:-1])
            mentions = named @ cells[:, 1:].transpose(1, 2) * self.settings.width**-0.5
        mask = torch.cat((is_word, is_word.new_ones(cells.shape[:2])), dim=1)
        if self.settings.sees_padding:
            mask = torch.ones_like(mask)
        return EncoderMemory(pairs, mask, target.float(), mentions.float())

    def scores(self, memory: EncoderMemory, shown: Tensor) -> Tensor:
        """Return scores for every next action, given the right ones before it (teacher forcing)."""
        with self._precision(shown):
            x = self._drop(self.actions(shown))
            for layer, pairs in zip(self.decoder, memory.pairs.unbind(2), strict=True):
                x = layer(x, pairs, memory.mask)
            return self.output(self.actions_last(x)).float()

    def target_scores(self, memory: EncoderMemory) -> Tensor:
        """Return the scores of the cells for the target."""
        return memory.target_scores

    def mention_scores(self, memory: EncoderMemory) -> Tensor:
        """Return the scores of the cells for what a noun phrase mentions, by the last word of the phrase."""
        return memory.mention_scores

    def begin(self, memory: EncoderMemory, limit: int) -> DecoderCache:
        """Return an empty cache with room for `limit` steps."""
        examples, _, layers, *rest = memory.pairs.shape
        return DecoderCache(memory.pairs.new_zeros(layers, examples, limit, *rest), 0)

    def next_scores(self, memory: EncoderMemory, last: Tensor, state: DecoderCache) -> tuple[Tensor, DecoderCache]:
        """Return scores for the next action, with keys and values of earlier steps from the cache."""
        with self._precision(last):
            x = self.actions(last[:, None], start=state.taken)
            for number, layer in enumerate(cast("list[DecoderLayer]", self.decoder)):
                cached = state.pairs[number][:, : state.taken + 1]  # the last of which is this step's own
                x = layer.step(x, cached, memory.pairs[:, :, number], memory.mask)
            return self.output(self.actions_last(x[:, 0])).float(), state._replace(taken=state.taken + 1)

    def select(self, memory: EncoderMemory, state: DecoderCache, rows: Tensor) -> tuple[EncoderMemory, DecoderCache]:
        """Return memory and cache of some examples."""
        return EncoderMemory(*(part[rows] for part in memory)), state._replace(pairs=state.pairs[:, rows])

    def compile_parts(self) -> None:
        """Let torch compile blocks and layers, which are alike: the first step takes a minute, the others less."""
        for block in self.blocks:
            block.compile(dynamic=False)
        for layer in self.decoder:
            layer.compile(dynamic=True)

    def low_precision_parameters(self) -> Iterator[nn.Parameter]:
        """Yield the weights of all products, which are taken in the lower precision anyway."""
        for module in self.modules():
            if isinstance(module, nn.Linear) and module is not self.cell and module is not self.place:
                yield from module.parameters()

    def _wrap(self, words: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
        """Return rows of the word table, after the token for the whole and before the one for the end."""
        rows = torch.where(words > 0, words + 3, PAD)
        spare = self.settings.longest_command - words.shape[1] - 1 if self.settings.sees_padding else 1
        rows = functional.pad(rows, (1, spare), value=PAD)
        rows[:, 0] = WHOLE
        place = torch.arange(rows.shape[1], device=rows.device)
        return torch.where(place == count[:, None] + 1, STOP, rows), count + 2

    def _seen_words(self, is_word: Tensor, told: Tensor | None) -> Tensor:
        """Which words a word attends to: bool [example, other word], or [example, word, other word] along the parse."""
        if not self.is_told:
            return is_word
        if told is None:
            raise SchemaError("a transformer with parse_mask must be told the parse of a command")
        return mask_of(told, is_word)

    def _cells(self, grid: Tensor) -> Tensor:
        """Embed the cells with their positions, after one that stands for the whole grid."""
        side = isqrt(grid.shape[1])
        numbers = torch.arange(grid.shape[1], device=grid.device)
        places = torch.stack((numbers // side, numbers % side), dim=-1).to(grid.dtype)
        places = functional.pad(places, (0, 0, 1, 0), value=-1)
        return self.cell_norm(self.cell(functional.pad(grid, (0, 0, 1, 0), value=1)) + self.place(places))

    def _drop(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.settings.dropout, self.training)

    def _precision(self, at: Tensor) -> torch.autocast:
        is_lower = self.computes_in != torch.float32
        return torch.autocast(at.device.type, self.computes_in, enabled=is_lower, cache_enabled=False)


class Places(nn.Module):
    """Embeddings of words or actions, plus positions unless the table of positions is empty."""

    def __init__(self, rows: int, places: int, width: int) -> None:
        super().__init__()
        self.row = nn.Embedding(rows, width)
        self.place = nn.Embedding(places, width) if places else None
        self.norm = nn.LayerNorm(width, LAYER_NORM_EPS)

    def forward(self, rows: Tensor, start: int = 0) -> Tensor:
        """Return float [example, place, width] for int64 [example, place], the first of which stands at `start`."""
        if self.place is None:
            return self.norm(self.row(rows))
        places = torch.arange(rows.shape[1], device=rows.device) + start
        return self.norm(self.row(rows) + self.place(places))


class CellPlaces(nn.Module):
    """Embeddings of the row and of the column of a cell, the first of each for the whole grid."""

    def __init__(self, longest_side: int, width: int) -> None:
        super().__init__()
        self.rows = nn.Embedding(longest_side + 1, width)
        self.columns = nn.Embedding(longest_side + 1, width)

    def forward(self, places: Tensor) -> Tensor:
        """Return float [cell, width] for float [cell, (row, column)], counted from 0, with -1 for the whole grid."""
        row, column = (places + 1).long().unbind(-1)
        return self.rows(row) + self.columns(column)


class Distances(nn.Module):
    """Relative positions: a vector of each head for every distance up to the longest, forwards and backwards."""

    def __init__(self, longest: int, width: int) -> None:
        super().__init__()
        self.longest = longest
        self.vectors = nn.Embedding(2 * longest + 1, width)

    def forward(self, query: Tensor) -> Tensor:
        """Return products of queries, [example, place, head, part], and distances: [example, head, place, other]."""
        places = torch.arange(query.shape[1], device=query.device)
        apart = (places - places[:, None]).clamp(-self.longest, self.longest) + self.longest
        vectors = self.vectors(apart).unflatten(2, query.shape[2:]).to(query.dtype)
        return torch.einsum("eqhp,qkhp->ehqk", query, vectors)


def attend_with_distances(qkv: Tensor, products: Tensor, mask: Tensor, dropout: float) -> Tensor:
    """Compute self-attention with relative positions, the heads joined again.

    Shapes:
        qkv: [example, place, 3, head, part]. products: of queries and distances, [example, head, place, other place].
        mask: bool [example, other place], False for padding, or [example, place, other place].
    """
    query, key, value = (part.transpose(1, 2) for part in qkv.unbind(2))
    scores = (query @ key.transpose(2, 3) + products) * query.shape[3] ** -0.5
    weights = torch.softmax(scores.float().masked_fill(~_widen(mask), -torch.inf), dim=3)
    found = functional.dropout(weights, dropout).to(value.dtype) @ value
    return found.transpose(1, 2).flatten(2)


def attend(
    queries: Tensor,
    pairs: Tensor | None,
    mask: Tensor | None,
    *,
    is_causal: bool = False,
    dropout: float = 0.0,
    is_lean: bool = False,
) -> Tensor:
    """Compute attention, the heads joined again.

    Shapes:
        queries: [example, place, 1, head, part], or queries, keys and values [example, place, 3, head, part] of
            self-attention.
        pairs: keys and values [example, other place, 2, head, part]; None for self-attention.
        mask: bool [example, other place], False for padding, or [example, place, other place].

    With `is_lean` the route of `deixis.learn._lean` is taken, without dropout.
    """
    source = queries if pairs is None else pairs
    is_plain = mask is None or mask.ndim == 2
    if is_lean and is_plain:
        return attend_to_few(queries[:, :, 0], source[:, :, -2], source[:, :, -1], mask, is_causal=is_causal)
    if can_fuse(queries) and is_plain and source.shape[1] <= MAX_FUSED_KEYS and queries.shape[4] in FUSED_HEAD_SIZES:
        from deixis.worlds.grid.models._fused_attention import small_attention

        return small_attention(queries, pairs, mask, is_causal=is_causal, dropout=dropout)
    query, key, value = (part.transpose(1, 2) for part in (queries[:, :, 0], source[:, :, -2], source[:, :, -1]))
    wide = None if mask is None else _widen(mask)
    found = functional.scaled_dot_product_attention(query, key, value, wide, dropout, is_causal=is_causal)
    return found.transpose(1, 2).flatten(2)


def _widen(mask: Tensor) -> Tensor:
    """Return a mask as bool [example, 1, place or 1, other place]."""
    return mask[:, None, None, :] if mask.ndim == 2 else mask[:, None]


class Attention(nn.Module):
    """Multi-head attention.

    Args:
        settings: of the model.
        projections: 3 for self-attention, whose queries, keys and values are one product; 1 for queries alone.
        makes_pairs: whether keys and values of another stream are projected here.
        distances: whether self-attention has relative positions.
    """

    def __init__(
        self, settings: GridTransformerSettings, *, projections: int, makes_pairs: bool = False, distances: bool = False
    ) -> None:
        super().__init__()
        width = settings.width
        self.heads, self.drops = settings.heads, settings.dropout
        self.ask = nn.Linear(width, projections * width)  # checkpoints know the projections as ask and offer
        self.offer = nn.Linear(width, 2 * width) if makes_pairs else None
        self.out = nn.Linear(width, width)
        self.is_lean = False
        self.distances = Distances(settings.longest_distance, width) if distances else None

    def project(self, x: Tensor) -> Tensor:
        """Project to queries, or to queries, keys and values: [example, place, 1 or 3, head, part]."""
        return self.ask(x).unflatten(2, (-1, self.heads, x.shape[2] // self.heads))

    def forward(self, x: Tensor, other: Tensor | None, mask: Tensor | None, *, is_causal: bool = False) -> Tensor:
        """Attend from x to another stream, or to x itself, with a mask that is False for padding."""
        pairs = None
        if other is not None and self.offer is not None:
            pairs = self.offer(other).unflatten(2, (2, self.heads, -1))
        return self.attend(self.project(x), pairs, mask, is_causal=is_causal)

    def attend(self, queries: Tensor, pairs: Tensor | None, mask: Tensor | None, *, is_causal: bool = False) -> Tensor:
        """Attend with given queries, keys and values."""
        dropout = self.drops if self.training else 0.0
        if self.distances is not None and mask is not None:
            return self.out(attend_with_distances(queries, self.distances(queries[:, :, 0]), mask, dropout))
        return self.out(attend(queries, pairs, mask, is_causal=is_causal, dropout=dropout, is_lean=self.is_lean))


class Layer(nn.Module):
    """An encoder layer: cross-attention or self-attention, then a feed-forward network."""

    def __init__(self, settings: GridTransformerSettings, *, is_cross: bool, distances: bool = False) -> None:
        super().__init__()
        self.attention = Attention(
            settings, projections=1 if is_cross else 3, makes_pairs=is_cross, distances=distances
        )
        self.norm = nn.LayerNorm(settings.width, LAYER_NORM_EPS)
        self.first = nn.Linear(settings.width, settings.hidden)
        self.second = nn.Linear(settings.hidden, settings.width)
        self.last_norm = nn.LayerNorm(settings.width, LAYER_NORM_EPS)
        self.dropout, self.norm_first = settings.dropout, settings.norm_first

    def normalise(self, x: Tensor) -> Tensor:
        """Return what attention sees of a stream: normalised first where norms come first."""
        return self.norm(x) if self.norm_first else x

    def forward(self, x: Tensor, normed: Tensor, other: Tensor | None, mask: Tensor | None) -> Tensor:
        """Return x after a layer.

        `normed` and `other` are what `normalise` returns of x and of the other stream.
        """
        x = x + self._drop(self.attention(normed, other, mask))
        if self.norm_first:
            return x + self._drop(self.second(functional.relu(self.first(self.last_norm(x)))))
        x = self.norm(x)
        return self.last_norm(x + self._drop(self.second(functional.relu(self.first(x)))))

    def _drop(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)


class Block(nn.Module):
    """Cross-attention between words and cells both ways, then self-attention of each."""

    def __init__(self, settings: GridTransformerSettings) -> None:
        super().__init__()
        self.to_cells, self.to_words = (Layer(settings, is_cross=True) for _ in range(2))
        self.among_words = Layer(settings, is_cross=False, distances=settings.relative_words)
        self.among_cells = Layer(settings, is_cross=False)

    def forward(self, text: Tensor, cells: Tensor, is_word: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
        """Return both streams after a block: [example, word, width] and [example, cell, width].

        `seen` says which words a word attends to.
        """
        of_words, of_cells = self.to_cells.normalise(text), self.to_words.normalise(cells)
        text, cells = self.to_cells(text, of_words, of_cells, None), self.to_words(cells, of_cells, of_words, is_word)
        text = self.among_words(text, self.among_words.normalise(text), None, seen)
        return text, self.among_cells(cells, self.among_cells.normalise(cells), None, None)


class DecoderLayer(nn.Module):
    """A decoder layer: self-attention of the actions, then cross-attention to words and cells."""

    def __init__(self, settings: GridTransformerSettings) -> None:
        super().__init__()
        self.own, self.other = Attention(settings, projections=3), Attention(settings, projections=1)
        self.own_norm, self.other_norm, self.last_norm = (
            nn.LayerNorm(settings.width, LAYER_NORM_EPS) for _ in range(3)
        )
        self.first = nn.Linear(settings.width, settings.hidden)
        self.second = nn.Linear(settings.hidden, settings.width)
        self.dropout, self.norm_first = settings.dropout, settings.norm_first

    def forward(self, x: Tensor, pairs: Tensor, mask: Tensor) -> Tensor:
        """Return x after a layer in which each step sees those before it, as in training."""
        return self._finish(x, self.own(self._normalise(x), None, None, is_causal=True), pairs, mask)

    def step(self, x: Tensor, cached: Tensor, pairs: Tensor, mask: Tensor) -> Tensor:
        """Return one step after a layer, and append its own keys and values to the cached ones."""
        qkv = self.own.project(self._normalise(x))
        cached[:, -1:] = qkv[:, :, 1:]
        return self._finish(x, self.own.attend(qkv[:, :, :1], cached.to(qkv.dtype), None), pairs, mask)

    def _normalise(self, x: Tensor) -> Tensor:
        return self.own_norm(x) if self.norm_first else x

    def _finish(self, x: Tensor, found: Tensor, pairs: Tensor, mask: Tensor) -> Tensor:
        x = x + self._drop(found)
        if self.norm_first:
            x = x + self._drop(self._cross_attend(self.other_norm(x), pairs, mask))
            return x + self._drop(self.second(functional.gelu(self.first(self.last_norm(x)))))
        x = self.own_norm(x)
        x = self.other_norm(x + self._drop(self._cross_attend(x, pairs, mask)))
        return self.last_norm(x + self._drop(self.second(functional.gelu(self.first(x)))))

    def _cross_attend(self, x: Tensor, pairs: Tensor, mask: Tensor) -> Tensor:
        queries = self.other.project(x)
        return self.other.attend(queries, pairs.to(queries.dtype), mask)

    def _drop(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)
