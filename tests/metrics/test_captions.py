from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deixis.errors import SchemaError
from deixis.judge.captions import SURFACE, Bleu, bleu_counts, cider, meteor, rouge_l, surface, tuples, words
from deixis.worlds.rooms.captions import captions
from deixis.worlds.rooms.judging._arrays import score_captions


SHORT = ("the", "red", "ball")
LONG = ("the", "small", "red", "ball")
texts = st.lists(st.sampled_from(("a", "b", "c", "d")), min_size=1, max_size=9).map(tuple)


def test_bleu_is_computed_as_on_paper():
    """Three words of four, two of whose pairs are one: precisions 1 and 1/2, and a penalty for being short."""
    counts = Bleu(np.array(bleu_counts(SHORT, [LONG])))

    assert counts.score(1) == pytest.approx(exp(1 - 4 / 3))
    assert counts.score(2) == pytest.approx(exp(1 - 4 / 3) * sqrt(1 / 2))
    assert counts.score(4) == 0.0


def test_bleu_agrees_with_sacrebleu():
    """The corpus score is that of the library everybody uses."""
    sacrebleu = pytest.importorskip("sacrebleu")
    rng = np.random.default_rng(1)
    said = [
        captions(int(i))[int(j)] for i, j in zip(rng.integers(0, 480_000, 40), rng.integers(0, 20, 40), strict=True)
    ]
    known = [captions(int(i))[:5] for i in rng.integers(0, 480_000, 40)]
    state = Bleu(np.zeros(10))
    for one, some in zip(said, known, strict=True):
        state += Bleu(np.array(bleu_counts(words(one), [words(text) for text in some])))
    for order in (1, 2, 3, 4):
        theirs = sacrebleu.BLEU(tokenize="none", max_ngram_order=order, smooth_method="none")
        references = [[" ".join(words(some[n])) for some in known] for n in range(5)]
        score = theirs.corpus_score([" ".join(words(one)) for one in said], references).score

        assert 100 * state.score(order) == pytest.approx(score)


def test_rouge_is_computed_as_on_paper():
    """The common subsequence has three words: precision 1, recall 3/4."""
    assert rouge_l(SHORT, [LONG]) == pytest.approx((1 + 1.44) * 0.75 / (0.75 + 1.44))
    assert rouge_l((), [LONG]) == 0.0


@given(texts, texts)
def test_the_longest_common_subsequence_is_that_of_the_textbook(one, other):
    """The bit-parallel length equals that of the usual table."""
    table = np.zeros((len(one) + 1, len(other) + 1), int)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1, j + 1] = table[i, j] + 1 if a == b else max(table[i, j + 1], table[i + 1, j])
    found = table[-1, -1]
    p, r = found / len(one), found / len(other)

    assert rouge_l(one, [other]) == pytest.approx((1 + 1.44) * p * r / (r + 1.44 * p) if found else 0.0)


def test_meteor_is_computed_as_on_paper():
    """Three matches in two chunks; recall counts nine times as much as precision."""
    mean = 10 * 1 * 0.75 / (0.75 + 9 * 1)

    assert meteor(SHORT, [LONG]) == pytest.approx(mean * (1 - 0.5 * (2 / 3) ** 3))
    assert meteor(LONG, [SHORT, LONG]) == pytest.approx(1 - 0.5 / 4**3)
    assert meteor(("green",), [LONG]) == 0.0


def test_cider_is_computed_as_on_paper():
    """Of two images, words that one has in its references weigh log 2 and words of both nothing."""
    said = [("red", "ball"), ("blue", "ball")]
    known = [[("red", "ball")], [("blue", "big", "ball")]]
    found = cider(said, known)
    unigrams = log(2) ** 2 / (log(2) * sqrt(2) * log(2))  # 'blue' matches, 'big' does not, 'ball' weighs nothing

    assert found[0] == pytest.approx(10 * 2 / 4)  # one- and two-word n-grams match, longer ones do not exist
    assert found[1] == pytest.approx(10 * unigrams / 4 * exp(-1 / 72))


def test_tuples_compare_what_is_said_with_what_holds():
    """Two of six features, one false: F of 2/3 and 2/6."""
    scores = score_captions(["a huge red ball"], np.array([163_233]), np.array([0]))

    assert tuples(scores)[0] == pytest.approx(2 * 2 / (3 + 6))


def test_all_surface_metrics_have_intervals():
    """A reference said as it stands has the best BLEU, ROUGE and tuples there are."""
    images = np.array([163_233, 5_121, 118_308])
    said = [captions(int(image))[0] for image in images]
    found = surface(said, [captions(int(i)) for i in images], score_captions(said, images, images + 1), resamples=20)

    assert tuple(found) == SURFACE
    assert found["bleu_4"].mean == found["rouge_l"].mean == found["tuples"].mean == pytest.approx(1)
    assert all(one.low <= one.mean + 1e-9 and one.mean <= one.high + 1e-9 for one in found.values())


def test_empty_captions_score_nothing():
    """No words, no likeness, no failure."""
    found = surface([""], [["a ball"]], score_captions([""], np.array([0]), np.array([1])), resamples=4)

    assert {one.mean for one in found.values()} == {0.0}


def test_a_caption_needs_references():
    """Without a reference there is nothing to compare with."""
    with pytest.raises(SchemaError, match="at least one reference"):
        surface(["a"], [[]], score_captions(["a"], np.array([0]), np.array([1])))
