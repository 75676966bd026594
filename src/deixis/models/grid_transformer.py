"""A transformer in two streams, words and cells, that look at each other before they look at themselves.

In each of six blocks the words look at the cells and the cells at the words, then each stream at itself: twelve layers
for a stream in all. Six layers of a decoder look at both. The arrangement is that of GroCoT (cross-modal attention
interleaved with self-attention); the grid has 25 channels, so that a box and what stands in its corner stay apart.

4,404,106 parameters with ReaSCAN's 35 words.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from torch import nn
from torch.nn import functional

from deixis.models.policy import Policy
from deixis.models.recurrent import can_fuse
from deixis.models.tokens import Layout


if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor


__all__ = ["GridTransformer", "GridTransformerSettings"]

PAD, START, STOP, WHOLE = 0, 1, 2, 3  # the first rows of both tables
FORGIVING = 1e-12  # of the norms, as published
MOST_KEYS, FUSED_PARTS = 128, (16, 32, 64, 128)  # places and parts of a head that the kernel takes


@dataclass(frozen=True, slots=True, kw_only=True)
class GridTransformerSettings:
    """The sizes of the transformer; the defaults are the published ones.

    Attributes:
        longest_command, longest_plan: rows of the tables of places, marks of beginning and end included.
        sees_padding: whether the decoder looks at the places after a command's end, too, as the published one does;
            then every command is padded to the longest length.
        norm_first: whether norms come before attention instead of after the sums, as in most later transformers; three
            norms more, 768 parameters.
        place_tables: whether each row and each column of the grid has a vector of its own instead of a number that a
            linear map reads; then "in the same row" is an equality that attention sees at once.
        longest_side: rows and columns that have such vectors.
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


class Looked(NamedTuple):
    """What the decoder looks at: keys and values of each layer for words and cells together.

    Shapes:
        keys, values: [layer, example, head, place, part]; may_look: bool [example, place].
    """

    keys: Tensor
    values: Tensor
    may_look: Tensor


class Said(NamedTuple):
    """What has been said: keys and values of each layer with room for the whole plan, and how many steps are taken.

    Shapes:
        keys, values: [layer, example, head, step, part]; taken: int64 [].
    """

    keys: Tensor
    values: Tensor
    taken: Tensor


class GridTransformer(Policy):
    """The model itself; `words` is the number of words it knows."""

    layout = Layout(size=10, pad=PAD, start=START, stop=STOP, first=4)

    def __init__(self, settings: GridTransformerSettings, words: int) -> None:
        super().__init__()
        self.settings = settings
        self.channels = settings.channels
        self.longest_command = settings.longest_command - 2
        self.longest_plan = settings.longest_plan - 1
        width = settings.width
        self.words = Places(words + 4, settings.longest_command, width)
        self.actions = Places(self.layout.size, settings.longest_plan, width)
        self.cell = nn.Linear(settings.channels, width)
        self.place = CellPlaces(settings.longest_side, width) if settings.place_tables else nn.Linear(2, width)
        self.cell_norm = nn.LayerNorm(width, FORGIVING)
        self.across = nn.ModuleList(nn.ModuleList((Layer(settings), Layer(settings))) for _ in range(settings.blocks))
        self.within = nn.ModuleList(nn.ModuleList((Layer(settings), Layer(settings))) for _ in range(settings.blocks))
        self.decoder = nn.ModuleList(DecoderLayer(settings) for _ in range(settings.decoder_layers))
        self.output = nn.Linear(width, self.layout.size)
        last = (nn.LayerNorm(width, FORGIVING) if settings.norm_first else nn.Identity() for _ in range(3))
        self.words_last, self.cells_last, self.actions_last = last

    def remember(self, words: Tensor, word_count: Tensor, grid: Tensor) -> Looked:
        """Let words and cells look at each other; prepare what the decoder looks at."""
        rows, count = self._wrapped(words, word_count)
        is_word = torch.arange(rows.shape[1], device=rows.device) < count[:, None]
        with self._precision(rows):
            text = self._dropped(self.words(rows))
            cells = self._dropped(self._cells(grid))
            blocks = zip(_pairs(self.across), _pairs(self.within), strict=True)
            for (to_cells, to_words), (among_words, among_cells) in blocks:
                of_words, of_cells = to_cells.offered(text), to_words.offered(cells)
                text, cells = to_cells(text, of_cells, None), to_words(cells, of_words, is_word)
                text = among_words(text, among_words.offered(text), is_word)
                cells = among_cells(cells, among_cells.offered(cells), None)
            both = torch.cat((self.words_last(text), self.cells_last(cells)), dim=1)
            pairs = [layer.other.keys_and_values(both) for layer in self._decoder()]
        may_look = torch.cat((is_word, is_word.new_ones(cells.shape[:2])), dim=1)
        if self.settings.sees_padding:
            may_look = torch.ones_like(may_look)
        keys, values = (torch.stack(parts) for parts in zip(*pairs, strict=True))
        return Looked(keys, values, may_look)

    def scores(self, memory: Looked, shown: Tensor) -> Tensor:
        """Scores for every next action, given the right ones before it."""
        with self._precision(shown):
            x = self._dropped(self.actions(shown))
            for layer, keys, values in zip(self._decoder(), memory.keys, memory.values, strict=True):
                x = layer(x, layer.offered(x), None, (keys, values), memory.may_look)
            return self.output(self.actions_last(x)).float()

    def begin(self, memory: Looked, limit: int) -> Said:
        """Where decoding starts: nothing said, and room for `limit` steps."""
        layers, examples, heads, _, part = memory.keys.shape
        room = memory.keys.new_zeros(layers, examples, heads, limit, part)
        return Said(room, room.clone(), torch.zeros((), dtype=torch.int64, device=room.device))

    def next_scores(self, memory: Looked, last: Tensor, state: Said) -> tuple[Tensor, Said]:
        """Scores for the next action; keys and values of earlier steps are not computed again."""
        is_said = (torch.arange(state.keys.shape[3], device=last.device) <= state.taken)[None]
        at = state.taken.expand(1)
        with self._precision(last):
            x = self.actions(last[:, None], start=state.taken)
            for number, layer in enumerate(self._decoder()):
                keys, values = layer.offered(x)
                state.keys[number].index_copy_(2, at, keys.to(state.keys.dtype))
                state.values[number].index_copy_(2, at, values.to(state.values.dtype))
                own = (state.keys[number], state.values[number])
                x = layer(x, own, is_said, (memory.keys[number], memory.values[number]), memory.may_look)
            return self.output(self.actions_last(x[:, 0])).float(), state._replace(taken=state.taken + 1)

    def compile_parts(self) -> None:
        """Let torch compile the layers, which are alike: the first update takes a minute, the others two thirds."""
        for pair in (*_pairs(self.across), *_pairs(self.within)):
            for layer in pair:
                layer.compile(dynamic=False)
        for last in self.decoder:
            last.compile(dynamic=True)

    def _decoder(self) -> Iterator[DecoderLayer]:
        return iter(cast("list[DecoderLayer]", self.decoder))

    def _wrapped(self, words: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
        """Rows of the table of words, after the mark of the whole and before that of the end."""
        rows = torch.where(words > 0, words + 3, PAD)
        spare = self.settings.longest_command - words.shape[1] - 1 if self.settings.sees_padding else 1
        rows = functional.pad(rows, (1, spare), value=PAD)
        rows[:, 0] = WHOLE
        place = torch.arange(rows.shape[1], device=rows.device)
        return torch.where(place == count[:, None] + 1, STOP, rows), count + 2

    def _cells(self, grid: Tensor) -> Tensor:
        """Cells with their places, after one that stands for the whole grid."""
        side = isqrt(grid.shape[1])
        numbers = torch.arange(grid.shape[1], device=grid.device)
        places = torch.stack((numbers // side, numbers % side), dim=-1).to(grid.dtype)
        places = functional.pad(places, (0, 0, 1, 0), value=-1)
        return self.cell_norm(self.cell(functional.pad(grid, (0, 0, 1, 0), value=1)) + self.place(places))

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.settings.dropout, self.training)

    def _precision(self, at: Tensor) -> torch.autocast:
        is_lower = self.computes_in != torch.float32
        return torch.autocast(at.device.type, self.computes_in, enabled=is_lower, cache_enabled=False)


def _pairs(layers: nn.ModuleList) -> Iterator[tuple[Layer, Layer]]:
    """The layers of both streams, words first."""
    for pair in layers:
        words, cells = cast("tuple[Layer, Layer]", pair)
        yield words, cells


class Places(nn.Module):
    """Words or actions with where they stand."""

    def __init__(self, rows: int, places: int, width: int) -> None:
        super().__init__()
        self.row = nn.Embedding(rows, width)
        self.place = nn.Embedding(places, width)
        self.norm = nn.LayerNorm(width, FORGIVING)

    def forward(self, rows: Tensor, start: Tensor | int = 0) -> Tensor:
        """Float [example, place, width] from int64 [example, place], the first of which stands at `start`."""
        places = torch.arange(rows.shape[1], device=rows.device) + start
        return self.norm(self.row(rows) + self.place(places))


class CellPlaces(nn.Module):
    """Where a cell stands: a vector for its row and one for its column; the first of each are for the whole grid."""

    def __init__(self, longest_side: int, width: int) -> None:
        super().__init__()
        self.rows = nn.Embedding(longest_side + 1, width)
        self.columns = nn.Embedding(longest_side + 1, width)

    def forward(self, places: Tensor) -> Tensor:
        """Float [cell, width] from float [cell, (row, column)], counted from 0; -1 is for the whole grid."""
        row, column = (places + 1).long().unbind(-1)
        return self.rows(row) + self.columns(column)


class Attention(nn.Module):
    """Attention of several heads."""

    def __init__(self, settings: GridTransformerSettings) -> None:
        super().__init__()
        self.heads, self.dropout = settings.heads, settings.dropout
        self.query, self.key, self.value, self.out = (nn.Linear(settings.width, settings.width) for _ in range(4))

    def keys_and_values(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """What others can look at, [example, head, place, part] each."""
        return self._headed(self.key(x)), self._headed(self.value(x))

    def forward(
        self, x: Tensor, pair: tuple[Tensor, Tensor], mask: Tensor | None, *, is_causal: bool = False
    ) -> Tensor:
        """What x finds among keys and values; where the mask, bool [example, place], is False it does not look."""
        query = self._headed(self.query(x))
        keys, values = (part.to(query.dtype) for part in pair)
        dropout = self.dropout if self.training else 0.0
        return self.out(_found(query, keys, values, mask, is_causal, dropout))

    def _headed(self, x: Tensor) -> Tensor:
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)


@torch.compiler.disable
def _found(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, is_causal: bool, dropout: float) -> Tensor:
    """What queries find, the heads joined again."""
    if can_fuse(query) and keys.shape[2] <= MOST_KEYS and query.shape[3] in FUSED_PARTS:
        from deixis.models.fused_attention import small_attention

        return small_attention(query, keys, values, mask, is_causal=is_causal, dropout=dropout)
    wide = None if mask is None else mask[:, None, None, :]
    found = functional.scaled_dot_product_attention(query, keys, values, wide, dropout, is_causal=is_causal)
    return found.transpose(1, 2).flatten(2)


class Layer(nn.Module):
    """One stream looks at another, or at itself; norms come after the sums, or before everything."""

    def __init__(self, settings: GridTransformerSettings) -> None:
        super().__init__()
        self.attention = Attention(settings)
        self.norm = nn.LayerNorm(settings.width, FORGIVING)
        self.first = nn.Linear(settings.width, settings.hidden)
        self.second = nn.Linear(settings.hidden, settings.width)
        self.last_norm = nn.LayerNorm(settings.width, FORGIVING)
        self.dropout, self.norm_first = settings.dropout, settings.norm_first

    def offered(self, x: Tensor) -> Tensor:
        """What a stream shows to who looks at it."""
        return self.norm(x) if self.norm_first else x

    def forward(self, x: Tensor, other: Tensor, is_there: Tensor | None) -> Tensor:
        """X after it has looked at what the other offers."""
        if self.norm_first:
            pair = self.attention.keys_and_values(other)
            x = x + self._dropped(self.attention(self.norm(x), pair, is_there))
            return x + self._dropped(self.second(functional.relu(self.first(self.last_norm(x)))))
        x = self.norm(x + self._dropped(self.attention(x, self.attention.keys_and_values(other), is_there)))
        return self.last_norm(x + self._dropped(self.second(functional.relu(self.first(x)))))

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)


class DecoderLayer(nn.Module):
    """What has been said looks at itself, then at words and cells."""

    def __init__(self, settings: GridTransformerSettings) -> None:
        super().__init__()
        self.own, self.other = Attention(settings), Attention(settings)
        self.own_norm, self.other_norm, self.last_norm = (nn.LayerNorm(settings.width, FORGIVING) for _ in range(3))
        self.first = nn.Linear(settings.width, settings.hidden)
        self.second = nn.Linear(settings.hidden, settings.width)
        self.dropout, self.norm_first = settings.dropout, settings.norm_first

    def offered(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of what has been said, for itself to look at."""
        return self.own.keys_and_values(self.own_norm(x) if self.norm_first else x)

    def forward(
        self,
        x: Tensor,
        own: tuple[Tensor, Tensor],
        is_said: Tensor | None,
        other: tuple[Tensor, Tensor],
        may_look: Tensor,
    ) -> Tensor:
        """X after a layer; without `is_said` each step sees those before it, as in training."""
        if self.norm_first:
            x = x + self._dropped(self.own(self.own_norm(x), own, is_said, is_causal=is_said is None))
            x = x + self._dropped(self.other(self.other_norm(x), other, may_look))
            return x + self._dropped(self.second(functional.gelu(self.first(self.last_norm(x)))))
        x = self.own_norm(x + self._dropped(self.own(x, own, is_said, is_causal=is_said is None)))
        x = self.other_norm(x + self._dropped(self.other(x, other, may_look)))
        return self.last_norm(x + self._dropped(self.second(functional.gelu(self.first(x)))))

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)
