"""Compiled resolution against subgraph matching, on the same worlds and expressions."""

from __future__ import annotations

import time

import networkx as nx
import numpy as np

from benchmarks.machine import Row
from deixis.expression.patterns import P3
from deixis.expression.program import compile_expression
from deixis.resolution.reference import denotation
from deixis.seeds import Stream
from deixis.worlds.grid.commands import choose_uniform
from deixis.worlds.grid.data.table import grid_batch
from deixis.worlds.grid.language import read
from deixis.worlds.grid.making._shards import make_shard
from deixis.worlds.grid.making.recipe import Pool, Recipe
from deixis.worlds.grid.resolution import resolve_pairs, to_indices
from deixis.worlds.grid.scene import GRID


__all__ = ["measure_resolution"]


def measure_resolution(worlds: int = 20_000, matched: int = 150) -> list[Row]:
    """Scenes resolved per second of processor time, by every way there is, on expressions of three mentions."""
    batch, expressions, which = _sample(worlds)
    scenes = [batch.scene(i) for i in range(matched)]
    programs = [compile_expression(expression, GRID) for expression in expressions]
    fast, found = _rate(lambda: resolve_pairs(programs, batch, which), worlds, repeat=5)
    slow, by_numpy = _rate(lambda: resolve_pairs(programs, batch, which, backend="numpy"), worlds)
    plain, by_definition = _rate(
        lambda: [denotation(expressions[which[i]], scene) for i, scene in enumerate(scenes)], matched
    )
    vf2, by_vf2 = _rate(
        lambda: [match_with_vf2(expressions[which[i]], scene) for i, scene in enumerate(scenes)], matched
    )
    assert [to_indices(word) for word in found[:matched, 0]] == by_definition == by_vf2
    assert (found == by_numpy).all()
    return [
        Row("resolution, compiled, scenes of 13 to 16 objects", fast, "scenes/s"),
        Row("resolution, numpy", slow, "scenes/s"),
        Row("resolution, plain definition", plain, "scenes/s"),
        Row("resolution, networkx VF2, graphs built for each scene", vf2, "scenes/s"),
        Row("compiled resolution over networkx VF2", fast / vf2, "times", at_least=500),
    ]


def _sample(worlds: int) -> tuple:
    instructions = [i for i, _ in zip(choose_uniform(P3, rng=Stream(5)), range(worlds // 60), strict=False)]
    pool = Pool(name="p3", pattern="p3", commands=len(instructions), worlds=90)
    table = make_shard(Recipe(mode="compatible", pools=(pool,), cap=24), pool, instructions, 0).table.slice(0, worlds)
    texts = table["command"].combine_chunks()
    expressions = [read(text).expression for text in texts.dictionary.to_pylist()]
    return grid_batch(table), expressions, texts.indices.to_numpy().astype(np.int64)


def _rate(work, count: int, repeat: int = 1) -> tuple[float, object]:
    result = work()
    start = time.process_time()
    for _ in range(repeat):
        result = work()
    return count * repeat / (time.process_time() - start), result


def match_with_vf2(expression, scene) -> frozenset[int]:
    """The referents by subgraph matching: a graph of the scene, a graph of the expression, VF2."""
    world = nx.MultiDiGraph()
    world.add_nodes_from(range(len(scene)))
    names = [relation.name for relation in GRID.relations]
    for one in range(len(scene)):
        for other in range(len(scene)):
            for name in names:
                if one != other and scene.related(name, one, other):
                    world.add_edge(one, other, relation=name)
    said = nx.MultiDiGraph()
    mentions = []

    def add(description, parent, relation) -> None:
        here = len(mentions)
        mentions.append(description)
        said.add_node(here, fits=denotation(description.phrase, scene))
        if parent is not None:
            said.add_edge(parent, here, relation=relation)
        for clause in description.clauses:
            add(clause.to, here, clause.relation)

    add(expression, None, None)
    nx.set_node_attributes(world, {o: o for o in range(len(scene))}, "number")
    matcher = nx.isomorphism.MultiDiGraphMatcher(
        world,
        said,
        node_match=lambda a, b: a["number"] in b["fits"],
        edge_match=lambda a, b: {e["relation"] for e in b.values()} <= {e["relation"] for e in a.values()},
    )
    found = set()
    for mapping in matcher.subgraph_monomorphisms_iter():
        found.add(next(o for o, mention in mapping.items() if mention == 0))
    return frozenset(found)
