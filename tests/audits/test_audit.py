from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.audits import Audit
from deixis.errors import BrokenDataset


flags = st.booleans()
patterns = st.sampled_from(["p1", "p3", "chain"])
audits = st.builds(
    Audit,
    examples=st.integers(0, 9),
    parts=st.dictionaries(
        st.tuples(patterns, st.sampled_from(["target", "other"]), st.sampled_from(["noun", "clause"]), flags),
        st.integers(1, 9),
    ),
    overlooked=st.dictionaries(st.tuples(patterns, st.integers(1, 9), st.integers(0, 5)), st.integers(1, 9)),
    readers=st.dictionaries(st.tuples(st.sampled_from(["row", "chance"]), st.integers(1, 5), flags), st.integers(1, 9)),
)


@given(audits)
def test_an_audit_survives_json(audit):
    """What is written as JSON is read back as the same audit."""
    assert Audit.from_dict(json.loads(json.dumps(audit.to_dict()))) == audit


@given(audits, audits, audits)
def test_merging_is_adding(one, two, three):
    """Audits merge in any order, and an empty one changes nothing."""
    assert one.merge(two).merge(three) == three.merge(two.merge(one))
    assert one.merge(Audit()) == one
    assert one.merge(two).examples == one.examples + two.examples


@pytest.mark.parametrize(
    "values",
    [
        None,
        [],
        {},
        {"format": "deixis audit 1"},
        {"format": "deixis audit 1", "examples": 1, "counts": {}},
        {"format": "deixis audit 1", "examples": "many", "counts": Audit().to_dict()["counts"]},
        {"format": "deixis audit 1", "examples": 1, "counts": {**Audit().to_dict()["counts"], "parts": [3]}},
    ],
)
def test_what_is_no_audit_is_refused(values):
    """Values of another kind are refused with an error of ours."""
    with pytest.raises(BrokenDataset, match="audit"):
        Audit.from_dict(values)


def test_shares_follow_from_counts():
    """Words are counted without clauses and implied nouns, by phrase."""
    parts = {
        ("p3", "target", "noun", True): 1,
        ("p3", "target", "noun", False): 3,
        ("p3", "other", "colour word", True): 2,
        ("p3", "other", "implied noun", False): 5,
        ("p3", "target", "clause", True): 7,
    }
    audit = Audit(parts=parts)

    assert audit.words_needed("target") == (1, 4)
    assert audit.words_needed() == (3, 6)
    assert audit.clauses_needed() == (7, 7)
    assert audit.needed["other", "implied noun"] == (0, 5)


def test_difficulty_is_the_mean_over_parts_then_over_examples():
    """Two parts that leave 1 and 2 objects make an error of a quarter; losing the target is always one."""
    assert Audit(overlooked={("p1", 2, 1): 1, ("p1", 2, 2): 1}).difficulty() == 0.25
    assert Audit(overlooked={("p1", 1, 0): 1}).difficulty() == 1
    assert Audit().difficulty() is None


def test_ties_are_guessed():
    """A reader to whom four objects seem best is right a quarter of the time when the target is one of them."""
    audit = Audit(readers={("row", 4, True): 1, ("row", 1, False): 1})

    assert audit.reading_nothing == {"row": 0.125}


def test_places_follow_from_cells():
    """Rows and columns are counted over solids and boxes together."""
    audit = Audit(cells={("solid", 0, 2, True): 1, ("box", 0, 1, False): 3})

    assert audit.feature_tables["row"] == {("0", False): 3, ("0", True): 1}
    assert audit.feature_tables["cell"] == {("0, 1", False): 3, ("0, 2", True): 1}
    assert audit.skew["row"].bits == 0
    assert audit.skew["column"].bits == audit.skew["column"].entropy > 0
