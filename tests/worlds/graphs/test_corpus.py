from __future__ import annotations

from collections import Counter

import pytest

from deixis.worlds.photos._balance import gqa_counts
from deixis.worlds.photos._left_right import LEFT, RIGHT, with_left_right
from deixis.worlds.photos.clean import GraphReport, clean_graphs
from deixis.worlds.photos.imagine._corpus import Corpus, imagine_graph, imagine_graphs
from deixis.worlds.photos.scene.graph_table import GraphTable


@pytest.fixture(scope="module")
def corpus():
    return list(imagine_graphs(Corpus(images=300), seed=3))


def test_a_graph_depends_on_seed_and_number_only(corpus):
    """The same seed gives the same graphs, made alone or with others; another seed gives others."""
    assert imagine_graph(17, seed=3) == corpus[17]
    assert imagine_graph(17, seed=4) != corpus[17]


def test_the_corpus_is_as_full_as_gqa(corpus):
    """Objects, attributes and relations per image, and the share of left and right, are near those of GQA."""
    things = [thing for graph in corpus for thing in graph.objects]
    links = [link for thing in things for link in thing.relations]
    sides = sum(link.relation in (LEFT, RIGHT) for link in links)
    rivals = sum(n for g in corpus for n in Counter(thing.name for thing in g.objects).values() if n > 1)

    assert len(things) / len(corpus) == pytest.approx(17.4, rel=0.05)
    assert len(links) / len(corpus) == pytest.approx(50.4, rel=0.1)
    assert sides / len(links) == pytest.approx(0.89, abs=0.02)
    assert sum(len(thing.attributes) for thing in things) / len(things) == pytest.approx(0.48, abs=0.03)
    assert 0.38 < rivals / len(things) < 0.53


def test_the_corpus_is_clean(corpus):
    """Nothing has to be left out, sides follow the rule, and frequent names are the frequent ones of GQA."""
    report = GraphReport()
    table = GraphTable.of(clean_graphs(corpus, report))

    assert len(table) == 300
    assert not [code for code in report.counts if code.startswith("G0")]
    assert all(with_left_right(graph) == graph for graph in corpus[:20])
    assert set(table.vocabulary.names[:3]) <= set(list(gqa_counts().names)[:8])


def test_the_counts_of_gqa_are_there():
    """The compact table holds the counts that the specification quotes."""
    counts = gqa_counts()

    assert counts.names["window"] == 35_907
    assert counts.attributes["white"] == 92_659
    assert counts.relations[LEFT] == counts.relations[RIGHT] == 1_691_172
    assert (len(counts.names), len(counts.attributes), len(counts.relations)) == (500, 609, 229)
