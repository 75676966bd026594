"""A model that is told the structure of a text, and learns what its words mean: the same in every world.

A world gives three things: the features of its objects, the parse of a text as a program (`deixis.learn._programs`),
and which object is meant. Learnt are

    holds(word)       log sigmoid(word · look(object) + bias)
    related(word)     log sigmoid(word · pair(object, other) + bias)
    comparison(word)  log of a mixture of: one relation holds to some other object of the set; another holds to none

with look = A relu(B x) or, plainly, A x, and pair = (relu(C x + D y + E of the places of both), F x * F y), of which
the products can tell that two objects have a feature in common. What comes out for an object is the logarithm of the
probability that it is what is meant.

The number of a word says no more than that it is the same word as elsewhere; a text that no parser can read is a bag of
its known words (`SchemaSymbols.bag`), scored by the same functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from deixis._kernels.ops import Op
from deixis.errors import SchemaError
from deixis.learn._layers import MASKED_SCORE
from deixis.learn._programs import PAD, run_programs
from deixis.learn._soft_sets import NEVER, relate, same, unless


if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from deixis.learn._programs import ProgramRows


SUPERVISION = "targets, told the parse"  # of a model that only finds what is meant


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSizes:
    """The sizes of a reader.

    Attributes:
        features: of an object. places: what is told of the places of two objects; 0 for nothing.
        words: how many there are, number 0 included.
        width: of words and looks. pair: of what is seen of two objects, twice: as a sum and as a product.
        hidden: width of the layer before a look; 0 for a look that is linear in the features.
        relates: whether texts relate or compare objects, so that pairs of them are looked at.
    """

    features: int
    places: int
    words: int
    width: int = 64
    pair: int = 32
    hidden: int = 0
    relates: bool = True


class Look(NamedTuple):
    """Objects as seen.

    Shapes:
        look: float [scene, object, width]. pair: float [scene, object, other, 2 x pair], empty where nothing asks for
            it. centre: float [scene, object, 2], across and down. there: bool [scene, object], False for padding.
    """

    look: Tensor
    pair: Tensor
    centre: Tensor
    there: Tensor


class Pairs(nn.Module):
    """What is seen of two objects, and the relations that words say of them.

    Args:
        sizes: of the model.
        parts: for each word the words whose vectors it is the sum of; empty where each has its own.
    """

    parts: Tensor

    def __init__(self, sizes: ReaderSizes, parts: Sequence[Sequence[int]] = ()) -> None:
        super().__init__()
        self.sizes, self.has_parts = sizes, bool(parts)
        self.register_buffer("parts", _pad(parts), persistent=False)
        self.one, self.other = nn.Linear(sizes.features, sizes.pair), nn.Linear(sizes.features, sizes.pair)
        self.alike = nn.Linear(sizes.features, sizes.pair, bias=False)
        self.places = nn.Linear(sizes.places, sizes.pair, bias=False) if sizes.places else None
        self.relation, self.bias = nn.Embedding(sizes.words, 2 * sizes.pair), nn.Embedding(sizes.words, 1)
        self.against, self.against_bias = nn.Embedding(sizes.words, 2 * sizes.pair), nn.Embedding(sizes.words, 1)
        self.some = nn.Embedding(sizes.words, 1)
        for start in (self.bias, self.against_bias, self.some):
            nn.init.zeros_(start.weight)
        with torch.no_grad():  # to begin with, what is alike in anything is likelier to be related
            self.relation.weight[:, sizes.pair :].abs_()
            nn.init.orthogonal_(self.alike.weight, gain=2.0)

    def forward(self, features: Tensor, places: Tensor | None) -> Tensor:
        """Look at every two objects: float [scene, object, other, 2 x pair]."""
        summed = self.one(features)[:, :, None] + self.other(features)[:, None]
        if self.places is not None and places is not None:
            summed = summed + self.places(places)
        alike = self.alike(features)
        product = alike[:, :, None] * alike[:, None]
        return torch.cat((functional.relu(summed), product), dim=-1)

    def spread(self) -> Tensor:
        """Sum of the weights that all words together put on features of two objects, in absolute value."""
        pair = self.sizes.pair
        summed, product = torch.cat((self.relation.weight, self.against.weight)).split(pair, dim=1)
        looks = [self.one.weight, self.other.weight, *([] if self.places is None else [self.places.weight])]
        reach = torch.cat(looks, dim=1).abs().sum(1)
        joint = torch.einsum("wp,pf,pg->wfg", product, self.alike.weight, self.alike.weight)
        return ((summed.abs() @ reach).sum() + joint.abs().sum()) / sqrt(pair)

    def stand(self, words: Tensor, pair: Tensor) -> tuple[Tensor, Tensor]:
        """Return whether relations hold, int64 [text, word]: twice float [text, word, object, other].

        The second is what comparisons ask of no member of a set.
        """
        flat, found = pair.flatten(1, 2).transpose(1, 2) / sqrt(self.sizes.pair), []
        for vector, bias in ((self.relation, self.bias), (self.against, self.against_bias)):
            odds = self._sum(vector, words) @ flat + self._sum(bias, words)
            found.append(functional.logsigmoid(odds).unflatten(2, pair.shape[1:3]))
        return found[0], found[1]

    def _sum(self, table: nn.Embedding, words: Tensor) -> Tensor:
        """Return the vectors of words, each the sum of its parts."""
        if not self.has_parts:
            found: Tensor = table(words)
            return found
        parts = self.parts[words]
        return (table(parts) * (parts != PAD)[..., None]).sum(-2)

    def compare(self, words: Tensor, stand: Tensor, against: Tensor, inside: Tensor) -> Tensor:
        """Return whether words, int64 [text], hold compared with a set: float [text, object].

        Either something holds to some other member of the set, or something else to none.
        """
        weight = self.some(words)
        some = functional.logsigmoid(weight) + relate(stand, inside)
        return torch.logaddexp(some, functional.logsigmoid(-weight) + unless(relate(against, inside)))


class ObjectReader(nn.Module):
    """Soft sets along programs, over objects with features.

    Args:
        sizes: of the model.
        values: for each dimension of `SAME`, the words that are its values.
        relations: for each word those that a relation is put together from, see `Pairs`.
    """

    values: Tensor

    def __init__(
        self,
        sizes: ReaderSizes,
        values: Sequence[Sequence[int]] = (),
        relations: Sequence[Sequence[int]] = (),
    ) -> None:
        super().__init__()
        self.sizes = sizes
        self.region = nn.Linear(sizes.features, sizes.hidden) if sizes.hidden else None
        self.look = nn.Linear(sizes.hidden or sizes.features, sizes.width)
        self.word, self.word_bias = nn.Embedding(sizes.words, sizes.width), nn.Embedding(sizes.words, 1)
        nn.init.zeros_(self.word_bias.weight)
        self.pairs = Pairs(sizes, relations) if sizes.relates else None
        self.register_buffer("values", _pad(values), persistent=False)

    def see(self, features: Tensor, there: Tensor, places: Tensor | None = None, centre: Tensor | None = None) -> Look:
        """Encode the objects of scenes.

        Shapes:
            features: float [scene, object, feature]. there: bool [scene, object]. places: float [scene, object, other,
                number]. centre: float [scene, object, 2].
        """
        region = features if self.region is None else functional.relu(self.region(features))
        pair = features.new_zeros(0) if self.pairs is None else self.pairs(features, places)
        centre = features.new_zeros(*there.shape, 2) if centre is None else centre
        return Look(self.look(region), pair, centre, there)

    def spread(self) -> Tensor:
        """Sum of the weights that all words together put on features, in absolute value.

        A small part of it in the loss keeps words to the features that they need. Without it "square" comes to mean a
        square that is not red, where no red square was ever meant in training.
        """
        look = self.look.weight if self.region is None else self.look.weight.abs() @ self.region.weight.abs()
        of_words = (self.word.weight @ look).abs().sum() / sqrt(self.sizes.width)
        return of_words if self.pairs is None else of_words + self.pairs.spread()

    def fit(self, programs: ProgramRows, seen: Look) -> Tensor:
        """Return how each object fits the text of its scene: float [scene, object], at most 0."""
        return run_programs(programs, seen.there, _ObjectJudge(self, programs, seen))


def _pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of words as a table, int64 [row, place], with `PAD` behind short ones."""
    most = max((len(row) for row in rows), default=0)
    return torch.tensor([[*row, *[PAD] * (most - len(row))] for row in rows], dtype=torch.int64).view(len(rows), most)


class _ObjectJudge:
    """What a reader says of the objects of some scenes: the judge of programs.

    The words of a text are judged at once, since taking pairs of objects apart would cost more than judging them.
    """

    def __init__(self, reader: ObjectReader, programs: ProgramRows, seen: Look) -> None:
        self.reader, self.seen = reader, seen
        words, self.slot = _said_words(programs, Op.IS)
        odds = reader.word(words) @ seen.look.transpose(1, 2) / sqrt(reader.sizes.width)
        self.are = functional.logsigmoid(odds + reader.word_bias(words))  # [text, word, object]
        words, self.pair_slot = _said_words(programs, Op.RELATED, Op.EXTREME)
        self.stand = None if reader.pairs is None else reader.pairs.stand(words, seen.pair)

    def holds(self, row: int, words: Tensor, pairs: Tensor) -> Tensor:  # noqa: ARG002 (judged before)
        return self.are[pairs, self.slot[pairs, row]]

    def relation(self, row: int, words: Tensor, pairs: Tensor) -> Tensor:  # noqa: ARG002 (judged before)
        return self._stand(0, row, pairs)

    def comparison(self, row: int, words: Tensor, inside: Tensor, pairs: Tensor) -> Tensor:
        stand, against = (self._stand(side, row, pairs) for side in (0, 1))
        assert self.reader.pairs is not None
        return self.reader.pairs.compare(words, stand, against, inside)

    def _stand(self, side: int, row: int, pairs: Tensor) -> Tensor:
        if self.stand is None:
            raise SchemaError("this reader relates no objects to each other, but a text does")
        return self.stand[side][pairs, self.pair_slot[pairs, row]]

    def common(self, dimensions: Tensor, pairs: Tensor) -> Tensor:
        reader = self.reader
        words = reader.values[dimensions]  # [text, value]
        odds = self.seen.look[pairs] @ reader.word(words).transpose(1, 2) / sqrt(reader.sizes.width)
        are = functional.logsigmoid(odds + reader.word_bias(words).transpose(1, 2))
        return same(are.masked_fill((words == PAD)[:, None], NEVER))

    def centres(self, pairs: Tensor) -> Tensor:
        return self.seen.centre[pairs]


def _said_words(programs: ProgramRows, *ops: Op) -> tuple[Tensor, Tensor]:
    """Return the words that rows with some operations say, int64 [text, word], and the place of each row's word."""
    is_said = torch.stack([programs.op == op for op in ops]).any(0)
    slot = (is_said.cumsum(1) - 1).clamp(min=0)
    most = max(1, int(is_said.sum(1).max())) if is_said.numel() else 1
    words = programs.first.new_full((len(slot), most), PAD)
    return words.scatter_add(1, slot, programs.first * is_said), slot


def choice_cost(fits: Tensor, there: Tensor, target: Tensor, *, truth: float) -> Tensor:
    """Compute the cost of each text: that the target fits best, and `truth` of it that it alone fits at all.

    Shapes:
        fits: float [text, object], at most 0. there: bool [text, object]. target: int64 [text]. Returns float [text].
    """
    best = functional.cross_entropy(fits.masked_fill(~there, MASKED_SCORE), target, reduction="none")
    is_target = torch.arange(fits.shape[1], device=fits.device) == target[:, None]
    wrong = -unless(fits).masked_fill(is_target | ~there, 0.0).sum(1)
    return best + truth * (wrong - fits.gather(1, target[:, None])[:, 0])
