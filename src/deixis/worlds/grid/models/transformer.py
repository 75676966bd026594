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

from deixis.learn.layers import can_fuse
from deixis.worlds.grid.models.policy import Layout, Policy


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
        points: whether it says of every cell, besides the plan, how much it is that of the target; one vector more.
        shared_blocks: whether all blocks of the encoder are one and the same, applied again and again, so that what is
            learnt about one clause holds for the next.
        relative_words: whether words know how far apart they stand instead of where, so that the words of a third
            clause stand nowhere new; each head has a vector for every distance, which its queries are compared with.
        longest_distance: words further apart than this are taken to stand this far apart.
        points_mentions: whether every word says of every cell how much it is that of the object that a noun phrase
            ending there mentions; one matrix more.
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


class Looked(NamedTuple):
    """What the decoder looks at: keys and values of each layer for words and cells together.

    Shapes:
        pairs: [example, place, layer, key and value, head, part]; may_look: bool [example, place].
        pointed: float32 [example, cell], or [example, 0] where the model does not point.
        mentioned: float32 [example, word, cell], or [example, 0, cell] where it does not point at mentions.
    """

    pairs: Tensor
    may_look: Tensor
    pointed: Tensor
    mentioned: Tensor


class Said(NamedTuple):
    """What has been said: keys and values of each layer with room for the whole plan, and how many steps are taken.

    Shapes:
        pairs: [layer, example, step, key and value, head, part].
    """

    pairs: Tensor
    taken: int


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
        self.words = Places(words + 4, 0 if settings.relative_words else settings.longest_command, width)
        self.actions = Places(self.layout.size, settings.longest_plan, width)
        self.cell = nn.Linear(settings.channels, width)
        self.place = CellPlaces(settings.longest_side, width) if settings.place_tables else nn.Linear(2, width)
        self.cell_norm = nn.LayerNorm(width, FORGIVING)
        self.blocks = nn.ModuleList(Block(settings) for _ in range(1 if settings.shared_blocks else settings.blocks))
        self.decoder = nn.ModuleList(DecoderLayer(settings) for _ in range(settings.decoder_layers))
        self.offer = nn.Linear(width, settings.decoder_layers * 2 * width)  # keys and values for all of them
        self.output = nn.Linear(width, self.layout.size)
        last = (nn.LayerNorm(width, FORGIVING) if settings.norm_first else nn.Identity() for _ in range(3))
        self.words_last, self.cells_last, self.actions_last = last
        self.points = settings.points
        self.point = nn.Linear(width, 1, bias=False) if settings.points else None
        self.points_mentions = settings.points_mentions
        self.point_mentions = nn.Linear(width, width, bias=False) if settings.points_mentions else None

    def remember(self, words: Tensor, word_count: Tensor, grid: Tensor) -> Looked:
        """Let words and cells look at each other; prepare what the decoder looks at."""
        rows, count = self._wrapped(words, word_count)
        is_word = torch.arange(rows.shape[1], device=rows.device) < count[:, None]
        with self._precision(rows):
            text = self._dropped(self.words(rows))
            cells = self._dropped(self._cells(grid))
            for number in range(self.settings.blocks):
                text, cells = self.blocks[number % len(self.blocks)](text, cells, is_word)
            text, cells = self.words_last(text), self.cells_last(cells)
            both = torch.cat((text, cells), dim=1)
            pairs = self.offer(both).unflatten(2, (len(self.decoder), 2, self.settings.heads, -1))
            pointed = cells[:, :0, 0] if self.point is None else self.point(cells[:, 1:]).squeeze(2)
            named = text[:, :0] if self.point_mentions is None else self.point_mentions(text[:, 1:-1])
            mentioned = named @ cells[:, 1:].transpose(1, 2) * self.settings.width**-0.5
        may_look = torch.cat((is_word, is_word.new_ones(cells.shape[:2])), dim=1)
        if self.settings.sees_padding:
            may_look = torch.ones_like(may_look)
        return Looked(pairs, may_look, pointed.float(), mentioned.float())

    def scores(self, memory: Looked, shown: Tensor) -> Tensor:
        """Scores for every next action, given the right ones before it."""
        with self._precision(shown):
            x = self._dropped(self.actions(shown))
            for layer, pairs in zip(self.decoder, memory.pairs.unbind(2), strict=True):
                x = layer(x, pairs, memory.may_look)
            return self.output(self.actions_last(x)).float()

    def pointed(self, memory: Looked) -> Tensor:
        """How much each cell is that of the target."""
        return memory.pointed

    def mentioned(self, memory: Looked) -> Tensor:
        """How much each cell is that of what a noun phrase mentions, by the word with which the phrase ends."""
        return memory.mentioned

    def begin(self, memory: Looked, limit: int) -> Said:
        """Where decoding starts: nothing said, and room for `limit` steps."""
        examples, _, layers, *rest = memory.pairs.shape
        room = memory.pairs.new_zeros(layers, examples, limit, *rest)
        return Said(room, 0)

    def next_scores(self, memory: Looked, last: Tensor, state: Said) -> tuple[Tensor, Said]:
        """Scores for the next action; keys and values of earlier steps are not computed again."""
        with self._precision(last):
            x = self.actions(last[:, None], start=state.taken)
            for number, layer in enumerate(cast("list[DecoderLayer]", self.decoder)):
                said = state.pairs[number][:, : state.taken + 1]  # the last of which is this step's own
                x = layer.next(x, said, memory.pairs[:, :, number], memory.may_look)
            return self.output(self.actions_last(x[:, 0])).float(), state._replace(taken=state.taken + 1)

    def narrowed(self, memory: Looked, state: Said, rows: Tensor) -> tuple[Looked, Said]:
        """Memory and state of some examples alone."""
        return Looked(*(part[rows] for part in memory)), state._replace(pairs=state.pairs[:, rows])

    def compile_parts(self) -> None:
        """Let torch compile blocks and layers, which are alike: the first update takes a minute, the others less."""
        for block in self.blocks:
            block.compile(dynamic=False)
        for layer in self.decoder:
            layer.compile(dynamic=True)

    def may_be_lower(self) -> Iterator[nn.Parameter]:
        """The weights of all products, which are taken in the lower precision anyway."""
        for module in self.modules():
            if isinstance(module, nn.Linear) and module is not self.cell and module is not self.place:
                yield from module.parameters()

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


class Places(nn.Module):
    """Words or actions with where they stand; words or actions alone with a table of no places."""

    def __init__(self, rows: int, places: int, width: int) -> None:
        super().__init__()
        self.row = nn.Embedding(rows, width)
        self.place = nn.Embedding(places, width) if places else None
        self.norm = nn.LayerNorm(width, FORGIVING)

    def forward(self, rows: Tensor, start: int = 0) -> Tensor:
        """Float [example, place, width] from int64 [example, place], the first of which stands at `start`."""
        if self.place is None:
            return self.norm(self.row(rows))
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


class Distances(nn.Module):
    """How far apart two places stand: a vector of each head for every distance up to the longest, onward and back."""

    def __init__(self, longest: int, width: int) -> None:
        super().__init__()
        self.longest = longest
        self.vectors = nn.Embedding(2 * longest + 1, width)

    def forward(self, query: Tensor) -> Tensor:
        """The products of queries, [example, place, head, part], and distances: [example, head, place, other place]."""
        places = torch.arange(query.shape[1], device=query.device)
        apart = (places - places[:, None]).clamp(-self.longest, self.longest) + self.longest
        vectors = self.vectors(apart).unflatten(2, query.shape[2:]).to(query.dtype)
        return torch.einsum("eqhp,qkhp->ehqk", query, vectors)


def found_by_distance(asks: Tensor, products: Tensor, mask: Tensor, dropout: float) -> Tensor:
    """What places that look at each other find, the heads joined again.

    Shapes:
        asks: [example, place, 3, head, part]. products: of queries and distances, [example, head, place, other place].
        mask: bool [example, other place], False where nobody looks.
    """
    query, key, value = (part.transpose(1, 2) for part in asks.unbind(2))
    scores = (query @ key.transpose(2, 3) + products) * query.shape[3] ** -0.5
    weights = torch.softmax(scores.float().masked_fill(~mask[:, None, None, :], -torch.inf), dim=3)
    found = functional.dropout(weights, dropout).to(value.dtype) @ value
    return found.transpose(1, 2).flatten(2)


def found_of(
    asks: Tensor, offers: Tensor | None, mask: Tensor | None, *, is_causal: bool = False, dropout: float = 0.0
) -> Tensor:
    """What places find, the heads joined again.

    Shapes:
        asks: [example, place, 1, head, part], or with 3 in place of 1 where places look at each other.
        offers: [example, other place, 2, head, part]. mask: bool [example, other place], False where nobody looks.
    """
    offered = asks if offers is None else offers
    if can_fuse(asks) and offered.shape[1] <= MOST_KEYS and asks.shape[4] in FUSED_PARTS:
        from deixis.worlds.grid.models.fused_attention import small_attention

        return small_attention(asks, offers, mask, is_causal=is_causal, dropout=dropout)
    query, key, value = (part.transpose(1, 2) for part in (asks[:, :, 0], offered[:, :, -2], offered[:, :, -1]))
    wide = None if mask is None else mask[:, None, None, :]
    found = functional.scaled_dot_product_attention(query, key, value, wide, dropout, is_causal=is_causal)
    return found.transpose(1, 2).flatten(2)


class Attention(nn.Module):
    """Attention of several heads.

    Args:
        settings: of the model.
        asks: 3 where places look at each other, and queries, keys and values are one product; 1 for queries alone.
        offers: whether keys and values are made here for who looks from elsewhere.
        distances: whether places that look at each other know how far apart they stand.
    """

    def __init__(
        self, settings: GridTransformerSettings, *, asks: int, offers: bool = False, distances: bool = False
    ) -> None:
        super().__init__()
        width = settings.width
        self.heads, self.drops = settings.heads, settings.dropout
        self.ask = nn.Linear(width, asks * width)
        self.offer = nn.Linear(width, 2 * width) if offers else None
        self.out = nn.Linear(width, width)
        self.distances = Distances(settings.longest_distance, width) if distances else None

    def asked(self, x: Tensor) -> Tensor:
        """Queries, and keys and values where they are made with them: [example, place, 1 or 3, head, part]."""
        return self.ask(x).unflatten(2, (-1, self.heads, x.shape[2] // self.heads))

    def forward(self, x: Tensor, other: Tensor | None, mask: Tensor | None, *, is_causal: bool = False) -> Tensor:
        """What x finds among what the other offers, or in itself; where the mask is False it does not look."""
        offers = None
        if other is not None and self.offer is not None:
            offers = self.offer(other).unflatten(2, (2, self.heads, -1))
        return self.found(self.asked(x), offers, mask, is_causal=is_causal)

    def found(self, asks: Tensor, offers: Tensor | None, mask: Tensor | None, *, is_causal: bool = False) -> Tensor:
        """What is found, given queries, keys and values."""
        dropout = self.drops if self.training else 0.0
        if self.distances is not None and mask is not None:
            return self.out(found_by_distance(asks, self.distances(asks[:, :, 0]), mask, dropout))
        return self.out(found_of(asks, offers, mask, is_causal=is_causal, dropout=dropout))


class Layer(nn.Module):
    """One stream looks at another, or at itself; norms come after the sums, or before everything."""

    def __init__(self, settings: GridTransformerSettings, *, looks_away: bool, distances: bool = False) -> None:
        super().__init__()
        self.attention = Attention(settings, asks=1 if looks_away else 3, offers=looks_away, distances=distances)
        self.norm = nn.LayerNorm(settings.width, FORGIVING)
        self.first = nn.Linear(settings.width, settings.hidden)
        self.second = nn.Linear(settings.hidden, settings.width)
        self.last_norm = nn.LayerNorm(settings.width, FORGIVING)
        self.dropout, self.norm_first = settings.dropout, settings.norm_first

    def shown(self, x: Tensor) -> Tensor:
        """What a stream asks with, and shows to who looks at it."""
        return self.norm(x) if self.norm_first else x

    def forward(self, x: Tensor, shown: Tensor, other: Tensor | None, is_there: Tensor | None) -> Tensor:
        """X after it has looked at what the other shows, or at itself."""
        x = x + self._dropped(self.attention(shown, other, is_there))
        if self.norm_first:
            return x + self._dropped(self.second(functional.relu(self.first(self.last_norm(x)))))
        x = self.norm(x)
        return self.last_norm(x + self._dropped(self.second(functional.relu(self.first(x)))))

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)


class Block(nn.Module):
    """Words look at cells and cells at words, then each stream at itself."""

    def __init__(self, settings: GridTransformerSettings) -> None:
        super().__init__()
        self.to_cells, self.to_words = (Layer(settings, looks_away=True) for _ in range(2))
        self.among_words = Layer(settings, looks_away=False, distances=settings.relative_words)
        self.among_cells = Layer(settings, looks_away=False)

    def forward(self, text: Tensor, cells: Tensor, is_word: Tensor) -> tuple[Tensor, Tensor]:
        """Both streams after a block: [example, word, width] and [example, cell, width]."""
        of_words, of_cells = self.to_cells.shown(text), self.to_words.shown(cells)
        text, cells = self.to_cells(text, of_words, of_cells, None), self.to_words(cells, of_cells, of_words, is_word)
        text = self.among_words(text, self.among_words.shown(text), None, is_word)
        return text, self.among_cells(cells, self.among_cells.shown(cells), None, None)


class DecoderLayer(nn.Module):
    """What has been said looks at itself, then at words and cells."""

    def __init__(self, settings: GridTransformerSettings) -> None:
        super().__init__()
        self.own, self.other = Attention(settings, asks=3), Attention(settings, asks=1)
        self.own_norm, self.other_norm, self.last_norm = (nn.LayerNorm(settings.width, FORGIVING) for _ in range(3))
        self.first = nn.Linear(settings.width, settings.hidden)
        self.second = nn.Linear(settings.hidden, settings.width)
        self.dropout, self.norm_first = settings.dropout, settings.norm_first

    def forward(self, x: Tensor, pairs: Tensor, may_look: Tensor) -> Tensor:
        """X after a layer in which each step sees those before it, as in training."""
        return self._rest(x, self.own(self._asks_with(x), None, None, is_causal=True), pairs, may_look)

    def next(self, x: Tensor, said: Tensor, pairs: Tensor, may_look: Tensor) -> Tensor:
        """X, a step, after a layer; what it shows to later steps is put at the end of what has been `said`."""
        asks = self.own.asked(self._asks_with(x))
        said[:, -1:] = asks[:, :, 1:]
        return self._rest(x, self.own.found(asks[:, :, :1], said.to(asks.dtype), None), pairs, may_look)

    def _asks_with(self, x: Tensor) -> Tensor:
        return self.own_norm(x) if self.norm_first else x

    def _rest(self, x: Tensor, found: Tensor, pairs: Tensor, may_look: Tensor) -> Tensor:
        x = x + self._dropped(found)
        if self.norm_first:
            x = x + self._dropped(self._seen(self.other_norm(x), pairs, may_look))
            return x + self._dropped(self.second(functional.gelu(self.first(self.last_norm(x)))))
        x = self.own_norm(x)
        x = self.other_norm(x + self._dropped(self._seen(x, pairs, may_look)))
        return self.last_norm(x + self._dropped(self.second(functional.gelu(self.first(x)))))

    def _seen(self, x: Tensor, pairs: Tensor, may_look: Tensor) -> Tensor:
        asks = self.other.asked(x)
        return self.other.found(asks, pairs.to(asks.dtype), may_look)

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.dropout, self.training)
