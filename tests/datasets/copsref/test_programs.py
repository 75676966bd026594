"""What expressions mean, as numbers."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis._kernels.ops import Op
from deixis.errors import BrokenDataset, RecipeError, SchemaError
from deixis.expression.description import Description
from deixis.expression.steps import AnyOf, Extreme, Is, Not, Nth, Related
from deixis.schema import Which
from deixis.worlds.photos.data._arrays import TextSettings, copsref_arrays
from deixis.worlds.photos.data._programs import (
    RELATION,
    ProgramWords,
    copsref_programs,
    program_words,
    programs_of,
)
from deixis.worlds.photos.data.store import write_copsref
from tests.datasets.copsref.posed import posed


CAR, RED, WOOD = Is("name", "car"), Is("color", "red"), Is("material", "wood")
NEAR_CAR = Related("near", Description((CAR,)))
WORDS = ProgramWords((("name", "car"), ("color", "red"), (RELATION, "near"), ("color", "blue"), ("material", "wood")))


def test_a_program_says_what_the_expression_says():
    """Steps follow each other, inner descriptions come before their relation, and alternatives get copies."""
    said = Description(
        (CAR, Nth(2, "right"), Not(RED), AnyOf((NEAR_CAR, RED)), Related("same material", Description()))
    )

    programs = programs_of([said], WORDS)

    rows = [(Op(op).name, a, b) for op, a, b in programs.words[0].reshape(-1, 3).tolist()]
    assert programs.count.tolist() == [3 * len(rows)]
    assert rows == [
        ("ALL", 0, 0),
        ("IS", 2, 0),
        ("NTH", 2, 1),
        *(("COPY", 0, 0), ("IS", 3, 0), ("NOT", 0, 0)),
        *(("COPY", 0, 0), ("ALL", 0, 0), ("IS", 2, 0), ("RELATED", 4, 0)),
        *(("COPY", 1, 0), ("IS", 3, 0), ("OR", 0, 0), ("DROP", 0, 0)),
        *(("ALL", 0, 0), ("SAME", 2, 0)),
    ]


def test_words_are_counted_and_rare_ones_are_unknown():
    """The most frequent words come first; a word that is too rare, or a noun where an adjective was met, is unknown."""
    words = program_words(
        [Description((CAR, RED, Not(NEAR_CAR))), Description((CAR, AnyOf((RED, WOOD)))), None], rare=1
    )

    assert words.words == (("name", "car"), ("color", "red"))
    assert len(words) == 4
    assert words.values == ((3,), (), (), (), ())
    programs = programs_of([Description((Is("color", "car"), WOOD, NEAR_CAR))], words)
    assert [row[1] for row in programs.words[0].reshape(-1, 3).tolist()] == [0, 1, 1, 0, 2, 1]


def test_what_nobody_has_read_has_no_program():
    """Programs are padded to the longest, and an expression that is not known is empty."""
    programs = programs_of([None, Description((CAR,))], WORDS)

    assert programs.words.tolist() == [[0] * 6, [1, 0, 0, 2, 2, 0]]
    assert programs.count.tolist() == [0, 6]
    assert programs_of([], WORDS).words.shape == (0, 0)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (Description((Extreme("size", Which.MOST),)), "do not order things by 'size'"),
        (Description((Nth(40_000, "left"),)), "too high"),
    ],
)
def test_what_cannot_be_a_program_is_refused(said, reason):
    """Sizes are no part of photographs, and ranks have an end."""
    with pytest.raises(SchemaError, match=reason):
        programs_of([said], WORDS)


def test_deep_nesting_is_refused():
    """A program needs no more sets at once than the compiled resolver does."""
    said = Description((CAR,))
    for _ in range(20):
        said = Description((Related("near", said),))

    with pytest.raises(SchemaError, match="too deeply"):
        programs_of([said], WORDS)


def test_a_dataset_has_a_program_for_every_expression_in_the_order_of_its_arrays(tmp_path):
    """Programs stand beside the arrays of a dataset row by row; a vocabulary that was learnt before is kept."""
    examples = posed().examples
    dataset = write_copsref(tmp_path / "data", examples, posed().scenes)

    words, programs = copsref_programs(dataset, split="val", rare=0)

    by_id = {example.id: example.expression for example in examples}
    ids = copsref_arrays(dataset, TextSettings(split="val")).expressions.id.tolist()
    expected = programs_of([by_id[one] for one in ids], words)
    assert programs.words.tolist() == expected.words.tolist()
    assert words == program_words([e.expression for e in examples if e.split == "val"], rare=0)
    assert copsref_programs(dataset, WORDS)[0] is WORDS
    with pytest.raises(RecipeError, match="has only val, test"):
        copsref_programs(dataset)


def test_a_broken_expression_is_named(tmp_path):
    """A row that cannot be read is told by its file and number, in one line."""
    dataset = write_copsref(tmp_path / "data", posed().examples, posed().scenes)
    path = next(iter(dataset.dataset.files()))
    table = pq.read_table(path)
    broken = ['[{"is": 3}]', *table.column("expression").to_pylist()[1:]]
    place = table.column_names.index("expression")
    pq.write_table(table.set_column(place, "expression", pa.array(broken)), path)

    with pytest.raises(BrokenDataset, match=r"\.parquet, row 0: ") as caught:
        copsref_programs(dataset, WORDS)
    assert "\n" not in str(caught.value)
