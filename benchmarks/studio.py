"""The studio over a million examples, in a process of its own: the first page, filters, and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.machine import Row


__all__ = ["measure_studio"]

FILTERS = (
    "verb=push&relation=same+row",
    "split=a2&pattern=p3",
    "kind=isomorphism&length=31-50",
    "objects=9&manner=while+spinning",
    'text=yellow+"big+circle"',
    "text=inside+blue&verb=pull&split=train",
)
SCRIPT = """
import sys
from pathlib import Path
from deixis.worlds.grid.making.make import make
from deixis.worlds.grid.making.recipe import reascan
out = Path(sys.argv[1])
if not (out / "manifest.json").exists():
    make(reascan(mode="compatible", scale="paper"), out, workers=2)
"""
SERVE = """
import http.client, json, socket, sys, threading, time
from pathlib import Path
import uvicorn
from deixis._studio.server import make_app
from deixis.worlds.grid._pages.gallery import grid_shelf

def memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))

app = make_app([Path(sys.argv[1])])
place = socket.socket()
place.bind(("127.0.0.1", 0))
place.listen(128)
server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, lifespan="off"))
threading.Thread(target=server.run, kwargs={"sockets": [place]}, daemon=True).start()
while not server.started:
    time.sleep(0.01)
entry = next(iter(app.app.state.library))

def get(query):
    connection = http.client.HTTPConnection("127.0.0.1", place.getsockname()[1], timeout=60)
    start = time.perf_counter()
    connection.request("GET", f"/d/{entry.slug}?{query}".replace('"', "%22"))
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, body
    return time.perf_counter() - start

said = {"first": get("")}
said["first filter"] = get("verb=pull&relation=inside")
grid_shelf(entry).finish()
said["filters"] = [get(query) for query in json.loads(sys.argv[2])]
get("")
said["again"] = get("")
said["memory"] = memory("VmRSS")
said["peak"] = memory("VmHWM")
said["examples"] = sum(file["rows"] for file in entry.data.dataset.manifest["files"])
print(json.dumps(said))
server.should_exit = True
"""


def measure_studio(data: Path | None = None) -> list[Row]:
    """How long pages of the gallery take, and how much memory the server needs, over the paper-size set.

    Args:
        data: such a set, if it is there already; by default one is made, which takes about a minute.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = data or Path(folder) / "paper"
        _run(SCRIPT, str(place))
        said = json.loads(_run(SERVE, str(place), json.dumps(FILTERS)).splitlines()[-1])
    filters = sorted(said["filters"])
    return [
        Row("examples in the gallery", said["examples"], "examples"),
        Row("first page after the start", said["first"], "s", at_most=1),
        Row("first filter, while everything is being read", said["first filter"], "s", at_most=1),
        Row("a filter afterwards, median", filters[len(filters) // 2], "s", at_most=1),
        Row("a filter afterwards, slowest", filters[-1], "s", at_most=1),
        Row("a page that was seen before", said["again"], "s"),
        Row("memory of the server", said["memory"] / 1e6, "MB", at_most=500),
        Row("most memory of the server", said["peak"] / 1e6, "MB", at_most=500),
    ]


def _run(script: str, *arguments: str) -> str:
    done = subprocess.run(  # noqa: S603 - our own script, our own arguments
        [sys.executable, "-c", script, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout
