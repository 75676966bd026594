"""Answers that were acknowledged are on the disk, whatever happens to the server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from deixis._study.design import read_study
from deixis._study.items import NONE
from deixis._study.journal import Journal
from deixis.errors import RecipeError
from tests.studies.conftest import row_for


httpx = pytest.importorskip("httpx", reason="needs httpx")
NAME = "0123456789abcdef" * 2


def test_a_line_that_was_not_finished_is_cut_off(tmp_path):
    """It was never acknowledged; what comes next begins a line of its own."""
    journal = Journal(tmp_path)
    journal.add(NAME, {"item": "i001"})
    with journal.path(NAME).open("ab") as stream:
        stream.write(b'{"item": "i0')

    assert journal.open(NAME) == [{"item": "i001"}]
    journal.add(NAME, {"item": "i002"})

    assert journal.open(NAME) == [{"item": "i001"}, {"item": "i002"}]
    assert journal.names() == [NAME]


@pytest.mark.parametrize("name", ["../x", "", "0123", NAME.upper(), NAME + "/"])
def test_names_never_lead_out_of_the_folder(tmp_path, name):
    """A participant is 32 hexadecimal digits and nothing else."""
    with pytest.raises(RecipeError):
        Journal(tmp_path).add(name, {})


def serve(folder):
    """Start a server of a study, and return it with its address."""
    command = [sys.executable, "-m", "deixis", "studio", "--study", str(folder), "--port", "0", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    text = ""
    while not text.rstrip().endswith("}"):
        line = server.stdout.readline()
        assert line, "the server did not start"
        text += line
    return server, json.loads(text)["address"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_every_acknowledged_answer_survives_a_killed_server(study):
    """Thirty participants answer at once; the server is killed in the middle, and nothing acknowledged is lost."""
    acknowledged, lock, tokens = {}, threading.Lock(), sorted(study.tokens())
    server, address = serve(study.folder)

    def participate(token):
        try:
            with httpx.Client(base_url=address, timeout=20) as client:
                told = client.post("/enter", json={"token": token}).json()
                for place, item in enumerate(told["order"]):
                    reply = client.post("/answer", json={"key": told["key"], "row": row_for(place, item, NONE)})
                    if reply.status_code == 200:
                        with lock:
                            acknowledged.setdefault(told["participant"], []).append(item)
                    time.sleep(0.02)
        except httpx.HTTPError:
            pass

    threads = [threading.Thread(target=participate, args=(token,)) for token in tokens]
    for thread in threads:
        thread.start()
    while sum(map(len, acknowledged.values())) < 60:
        time.sleep(0.005)
    os.kill(server.pid, signal.SIGKILL)
    server.communicate(timeout=20)
    for thread in threads:
        thread.join(30)

    journal = Journal(study.folder / "answers")
    total = sum(map(len, acknowledged.values()))
    assert total < len(tokens) * len(study.items)  # it was in the middle
    for participant, items in acknowledged.items():
        kept = [line["item"] for line in journal.open(participant) if "item" in line]
        assert kept[: len(items)] == items
        assert len(kept) <= len(items) + 1  # one more may have been written and not been acknowledged any more

    again, address = serve(study.folder)
    try:
        told = httpx.post(f"{address}enter", json={"token": tokens[0]}, timeout=20).json()
        assert told["answered"] >= len(acknowledged.get(told["participant"], []))
    finally:
        again.terminate()
        again.communicate(timeout=20)
    assert read_study(study.folder).digest == study.digest
