"""The model that is told the structure: set by hand it resolves as the definition says, else it learns."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
import torch
from hypothesis import given

from deixis._kernels.ops import Op
from deixis.errors import SchemaError
from deixis.expression import Description, Extreme, Is, Related
from deixis.expression.program import Program, compile_expression
from deixis.learn._programs import SchemaSymbols, lines_of, read_rows
from deixis.learn._soft_sets import NEVER
from deixis.learn._told import ObjectReader, ReaderSizes, choice_cost
from deixis.schema import Which
from deixis.testing import expressions, grid_scenes
from deixis.worlds.grid.models._program import LOOKS, SYMBOLS, ProgramPolicy, ProgramSettings
from deixis.worlds.grid.resolution import resolve_pairs, to_indices
from deixis.worlds.grid.scene import GRID, GridBatch


SURE = 40.0
OF_REASCAN = replace(GRID, relations=GRID.relations[:6])  # without those of gSCAN, which are not set by hand
SIDE = 12
SPREAD = 2 * SIDE - 1
PAIR = 16
SIZES = ReaderSizes(features=LOOKS, places=2 * SPREAD, words=len(SYMBOLS), width=LOOKS, pair=PAIR)
ROW, COLUMN, SMALLER, BIGGER, IN_BOX = 0, 1, 2, 3, 4  # units of what is seen of two objects; boxes of four sizes
SIZE_0, NUMBER, BOX = 8, 12, 3  # places among the features


def number_of(expression: Description) -> int:
    """The number of the word that one step says."""
    line = SYMBOLS.line(expression)
    return next(line[at + 1] for at in reversed(range(0, len(line), 3)) if line[at] in (Op.IS, Op.EXTREME, Op.RELATED))


def related(name: str) -> int:
    """The number of a relation."""
    return number_of(Description((Related(name, Description(())),)))


def set_by_hand() -> ObjectReader:
    """A reader whose words mean what the schema of the grid says, as sure as it can be."""
    reader = ObjectReader(SIZES)
    pairs = reader.pairs
    with torch.no_grad():
        for weight in reader.parameters():
            weight.zero_()
        reader.look.weight.copy_(torch.eye(LOOKS))
        pairs.alike.weight[:LOOKS] = torch.eye(LOOKS)
        pairs.places.weight[ROW, SIDE - 1] = pairs.places.weight[COLUMN, SPREAD + SIDE - 1] = 1.0
        order = torch.arange(4.0)
        pairs.one.weight[SMALLER, SIZE_0:NUMBER], pairs.other.weight[SMALLER, SIZE_0:NUMBER] = -order, order
        pairs.one.weight[BIGGER, SIZE_0:NUMBER], pairs.other.weight[BIGGER, SIZE_0:NUMBER] = order, -order
        for size in range(4):  # the box lies up to `size` rows and columns before what is in it
            unit = IN_BOX + size
            pairs.other.weight[unit, [BOX, SIZE_0 + size]] = 1.0
            for start in (0, SPREAD):
                pairs.places.weight[unit, start + SIDE - 1 - size : start + SIDE] = 1.0
            pairs.one.bias[unit] = -3.0
        for attribute, values in ((one.name, one.values) for one in GRID.attributes):
            for value in values:
                word = number_of(Description((Is(attribute, value),)))
                reader.word.weight[word, word - 1] = 2 * SURE * sqrt(LOOKS)
        reader.word_bias.weight.fill_(-SURE)
        said = {related("same row"): [ROW], related("same column"): [COLUMN]}
        said |= {related("inside"): list(range(IN_BOX, IN_BOX + 4))}
        said |= {
            related(f"same {one.name}"): list(range(PAIR + at, PAIR + at + 4))
            for at, one in zip((0, 4, 8), GRID.attributes, strict=True)
        }
        said |= {
            number_of(Description((Extreme("size", which),))): [unit]
            for which, unit in ((Which.LEAST, SMALLER), (Which.MOST, BIGGER))
        }
        for word, units in said.items():
            pairs.relation.weight[word, units] = 2 * SURE * sqrt(PAIR)
        pairs.bias.weight.fill_(-SURE)
        pairs.some.weight.fill_(SURE)
    return reader


READER = set_by_hand()


def found_by(reader: ObjectReader, expression: Description, batch: GridBatch) -> frozenset[int]:
    """The objects of one scene that a reader finds more likely than not."""
    things = torch.from_numpy(batch.objects[:, : int(batch.count[0])].astype(np.int64))
    lit = [torch.nn.functional.one_hot(things[..., k] - int(k == 2), 4) for k in range(3)]
    features = torch.cat((*lit, things[..., 2:3] / 4), dim=-1)
    places = ProgramPolicy(ProgramSettings(), 1)._places(things[..., 3] * batch.size + things[..., 4], batch.size)
    seen = reader.see(features, torch.ones(things.shape[:2], dtype=torch.bool), places, things[..., [4, 3]].float())
    with torch.no_grad():
        fits = reader.fit(read_rows(torch.tensor(lines_of([SYMBOLS.line(expression)]))), seen)
    return frozenset(torch.nonzero(fits[0] > np.log(0.5))[:, 0].tolist())


@given(
    expression=expressions(OF_REASCAN) | expressions(OF_REASCAN, in_spoken_order=True),
    scene=grid_scenes(size=6, max_objects=10),
)
def test_set_by_hand_it_resolves_as_the_definition_says(expression, scene):
    """Soft sets of words that are sure are the sets of the plain definition, mentions not matched to each other."""
    batch = GridBatch.of([scene])
    if not batch.count[0]:
        return
    program = compile_expression(expression, GRID)
    alone = Program(rows=program.rows, tree=program.tree[:1])

    wanted = to_indices(resolve_pairs([alone], batch, np.zeros(1, np.int64), backend="numpy")[0, 0])

    assert found_by(READER, expression, batch) == wanted


def test_symbols_have_one_number_each():
    """No two things that a schema can say share a number, and 0 is left for nothing."""
    said = [Description((Is(one.name, value),)) for one in GRID.attributes for value in one.values]
    said += [Description((Extreme("size", which),)) for which in Which]
    numbers = [number_of(one) for one in said] + [related(one.name) for one in GRID.relations]

    assert len(set(numbers)) == len(numbers)
    assert all(0 < number < len(SYMBOLS) for number in numbers)


def test_a_bag_says_what_holds_first_and_compares_last():
    """Where nobody knows the order, filters come before comparisons, and nothing is related."""
    steps = [Extreme("size", Which.MOST), Is("color", "red"), Related("same row", Description((Is("shape", "box"),)))]
    bag = SchemaSymbols(GRID).bag([Description((step,)) for step in steps])

    assert bag[::3] == [Op.ALL, Op.IS, Op.IS, Op.EXTREME]


def test_a_reader_without_pairs_refuses_relations():
    """Asked how objects stand to each other, a reader that looks at no pairs says so."""
    reader = ObjectReader(ReaderSizes(features=2, places=0, words=5, relates=False))
    seen = reader.see(torch.eye(2)[None], torch.ones(1, 2, dtype=torch.bool))

    with pytest.raises(SchemaError, match="relates no objects"):
        reader.fit(read_rows(torch.tensor([[Op.ALL, 0, 0, Op.ALL, 0, 0, Op.RELATED, 1, 0]])), seen)


def test_the_cost_is_least_where_the_target_alone_fits():
    """Fitting others costs, fitting nothing costs, and padding counts for nothing."""
    there, target = torch.tensor([[True, True, False]]), torch.tensor([0])
    right, both, none = (
        float(choice_cost(torch.tensor([fits]), there, target, truth=1.0))
        for fits in ([-0.01, -9.0, NEVER], [-0.01, -0.01, NEVER], [-9.0, -9.0, NEVER])
    )

    assert right < 0.1 < both < none


def test_it_learns_words_relations_and_comparisons_from_targets_alone():
    """In a world of three colours, five columns and three sizes it finds what is meant after some seconds."""
    torch.default_generator.manual_seed(0)
    red, near, big = 1, 4, 5  # words; 2 and 3 are the other colours

    def scenes(count: int) -> tuple[torch.Tensor, ...]:
        color, place, size = (torch.randint(0, most, (count, 5)) for most in (3, 5, 3))
        asked, kind = torch.randint(0, 3, (count,)), torch.randint(0, 3, (count,))
        is_red = color == asked[:, None]
        away = (place[:, None] - place[:, :, None]).abs()
        beside = ((away == 1) & is_red[:, None]).any(2)
        biggest = is_red & ~((size[:, None] > size[:, :, None]) & is_red[:, None]).any(2)
        right = torch.where((kind == 0)[:, None], is_red, torch.where((kind == 1)[:, None], beside, biggest))
        lines = torch.zeros(count, 15, dtype=torch.int64)
        lines[:, 0], lines[:, 3] = Op.ALL, Op.IS
        lines[:, 4] = asked + red
        lines[kind == 1] = torch.stack(
            [
                torch.tensor([Op.ALL, 0, 0, Op.ALL, 0, 0, Op.IS, int(a) + red, 0, Op.RELATED, near, 0, 0, 0, 0])
                for a in asked[kind == 1]
            ]
        )
        lines[kind == 2, 6], lines[kind == 2, 7] = Op.EXTREME, big
        features = torch.cat((torch.nn.functional.one_hot(color, 3), torch.nn.functional.one_hot(size, 3)), -1).float()
        spots = torch.nn.functional.one_hot(place[:, None] - place[:, :, None] + 4, 9).float()
        keep = right.sum(1) == 1
        return lines[keep], features[keep], spots[keep], right[keep].float().argmax(1)

    reader = ObjectReader(ReaderSizes(features=6, places=9, words=6, width=8, pair=8))
    lines, features, spots, target = scenes(3000)
    there = torch.ones(features.shape[:2], dtype=torch.bool)
    optimizer = torch.optim.Adam(reader.parameters(), lr=0.03)
    for step in range(60):
        rows = torch.arange(step * 96, (step + 1) * 96) % len(lines)
        fits = reader.fit(read_rows(lines[rows]), reader.see(features[rows], there[rows], spots[rows]))
        optimizer.zero_grad()
        choice_cost(fits, there[rows], target[rows], truth=0.1).mean().backward()
        optimizer.step()
    lines, features, spots, target = scenes(600)
    with torch.no_grad():
        fits = reader.fit(read_rows(lines), reader.see(features, there[: len(lines)], spots))
    assert float((fits.argmax(1) == target).float().mean()) > 0.9
