"""Scene graphs at the size of GQA: written, read, cleaned, indexed and resolved, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile

from benchmarks.machine import Row


__all__ = ["measure_graphs"]

SCRIPT = """
import json, resource, sys, time
from pathlib import Path
import numpy as np
from deixis.worlds.photos.data.graphs import read_table
from deixis.worlds.photos._formats.scene_graphs import write_gqa
from deixis.expression import Description, Is, Related
from deixis.worlds.photos.resolution.graphs import counts_of, resolve_graphs
from deixis.worlds.photos.resolution.unknowns import judge_graph_pairs
from deixis.worlds.photos.scene.graph_table import GraphTable
from deixis.worlds.photos.imagine._corpus import Corpus, imagine_graphs
from deixis.worlds.photos._index import GraphIndex
folder, images = Path(sys.argv[1]), int(sys.argv[2])
said = {}

def timed(name, work):
    start = time.perf_counter()
    result = work()
    said[name] = time.perf_counter() - start
    return result

timed("write", lambda: write_gqa(folder / "corpus.json", imagine_graphs(Corpus(images=images))))
table = timed("read", lambda: read_table(folder / "corpus.json"))
timed("index", lambda: GraphIndex.of(table).save(folder / "index"))
timed("save", lambda: table.save(folder / "table"))
said["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
said |= {"images": len(table), "objects": table.object_count, "relations": table.edge_count}
said["json"] = (folder / "corpus.json").stat().st_size
said["disk"] = sum(path.stat().st_size for path in folder.glob("*/*"))
table = timed("load", lambda: GraphTable.load(folder / "table"))
shirt = Description((Is("name", "shirt"), Is("color", "white")))
expression = Description((Is("name", "man"), Related("to the left of", shirt), Related("near", Description())))
every = np.arange(len(table))
resolve_graphs(expression, table, every[:1])
judge_graph_pairs([expression], table, every[:1] * 0, every[:1])
start = time.process_time()
for _ in range(20):
    found = resolve_graphs(expression, table)
said["resolved"] = 20 * len(table) / (time.process_time() - start)
everything = Description((Related("to the left of", Description()), Related("near", Description())))
start = time.process_time()
for _ in range(5):
    resolve_graphs(everything, table)
said["clauses"] = 5 * len(table) / (time.process_time() - start)
start = time.process_time()
for _ in range(20):
    judge_graph_pairs([expression], table, every * 0, every)
said["judged"] = 20 * len(table) / (time.process_time() - start)
print(json.dumps(said))
"""


def measure_graphs(images: int = 75_000) -> list[Row]:
    """Time, memory and disk of a made-up corpus of GQA's size, and the speed of resolution over all of it."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(  # noqa: S603 - our own script, our own arguments
            [sys.executable, "-c", SCRIPT, folder, str(images)], check=True, capture_output=True, text=True
        )
    said = json.loads(done.stdout.splitlines()[-1])
    size = f"{said['images']:,} images, {said['objects']:,} objects, {said['relations']:,} relations"
    return [
        Row(f"scene graphs, {size}: JSON of one line", said["json"] / 1e6, "MB"),
        Row("time to read, clean and index them", said["read"] + said["index"], "s", at_most=180),
        Row("most memory used", said["peak"] / 1e6, "MB", at_most=4000),
        Row("table and index on disk", said["disk"] / 1e6, "MB"),
        Row("time to map the table into memory", said["load"], "s"),
        Row("resolution of an expression of three mentions", said["resolved"], "scenes/s"),
        Row("the same without nouns, so that every object is tried", said["clauses"], "scenes/s"),
        Row("certain and possible referents of the first", said["judged"], "scenes/s"),
    ]
