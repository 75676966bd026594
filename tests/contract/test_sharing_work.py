"""Checks, audits and evaluations are shared among workers in every world, and come out the same."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deixis.audits.run import audit_dataset, runs_on_clusters
from deixis.data import _data_places as data_places
from deixis.data._processes import ProcessCrew, process_crew
from deixis.data.checks import CheckRequest
from deixis.data.store import MANIFEST
from deixis.judge.request import Request
from deixis.worlds.registry import BUILT_IN, find_world, world_of
from tests.readers.samples import write_sample


if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.slow
READERS = ("gre3d", "refcoco", "sugarcrepe", "nlvr")  # one for each task


@pytest.fixture(scope="module")
def crew() -> Iterator[ProcessCrew]:
    """Two processes."""
    with process_crew(2) as found:
        yield found


@pytest.fixture
def shared(made: SimpleNamespace) -> SimpleNamespace:
    """A dataset of a world that other processes know, too."""
    if made.world not in BUILT_IN:
        pytest.skip("this world is installed in the process of the test only")
    return made


def checked(made: SimpleNamespace, **how: Any) -> str:
    checks = find_world(made.world).part("checks")
    return checks.check(made.path, CheckRequest(select=tuple({code[0] for code in checks.codes}), **how)).to_json()


def audited(made: SimpleNamespace, **how: Any) -> str:
    found = audit_dataset(made.path, **how)
    return json.dumps([found.to_dict(), [one.example.tolist() for one in found.sightings]])


def judged(made: SimpleNamespace, out: Path, **how: Any) -> tuple[str, bytes]:
    request = Request(answers=(Path("random"),), data=made.path, out=out, seed=3, **how)
    values = world_of(made.path).part("judging").evaluate(request).values
    return json.dumps(values), (out / "verdicts.parquet").read_bytes()


@pytest.fixture(params=READERS)
def read(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A file of others of every task, in several pieces."""
    monkeypatch.setattr("deixis.judge._sharing.EVERY", 16)
    return SimpleNamespace(world=request.param, path=write_sample(request.param, tmp_path / "read", 90)[0])


def test_a_crew_finds_the_same_problems(shared, crew):
    """The report of a check is the same, finding by finding, whoever looks."""
    assert checked(shared, crew=crew) == checked(shared, workers=1)


def test_a_crew_audits_the_same(shared, crew):
    """The counts of an audit, and what it remembers of every example, do not depend on who counts."""
    if not runs_on_clusters(shared.path) or shared.world == "rooms":
        pytest.skip("this world has no audit that is shared")

    assert audited(shared, crew=crew) == audited(shared, workers=1)


def test_a_crew_judges_the_same(shared, crew, tmp_path, monkeypatch):
    """Results and verdicts, byte for byte, do not depend on who judges."""
    monkeypatch.setattr("deixis.judge._sharing.EVERY", 16)

    assert judged(shared, tmp_path / "there", crew=crew) == judged(shared, tmp_path / "here")


def test_a_crew_judges_files_of_others_the_same(read, crew, tmp_path):
    """Answers with objects, boxes, choices, and true or false: results and verdicts do not depend on who judges."""
    assert judged(read, tmp_path / "there", crew=crew) == judged(read, tmp_path / "here")


def test_processes_judge_files_of_others_the_same(read, tmp_path, monkeypatch):
    """The same holds where `--workers` starts processes for a long evaluation."""
    here = judged(read, tmp_path / "one", workers=1)
    monkeypatch.setattr(data_places, "TRIAL_SECONDS", 0.0)
    monkeypatch.setattr(data_places, "WORTH_SECONDS", float("-inf"))

    assert judged(read, tmp_path / "two", workers=2) == here


def test_processes_of_this_machine_change_nothing(shared, tmp_path, monkeypatch):
    """Where `--workers` starts processes for a long check, audit or evaluation, the result is that of one process."""
    here = checked(shared, workers=1)
    answers = judged(shared, tmp_path / "one", workers=1)
    monkeypatch.setattr(data_places, "TRIAL_SECONDS", 0.0)
    monkeypatch.setattr(data_places, "WORTH_SECONDS", float("-inf"))

    assert checked(shared, workers=2) == here
    if shared.world != "grid":  # whose plans threads judge
        assert judged(shared, tmp_path / "two", workers=2) == answers


def test_faults_are_told_in_the_same_order(shared, crew, tmp_path):
    """What is wrong with single examples is found in the same places and order when several look at the pieces."""
    folder = tmp_path / "harmed"
    shutil.copytree(shared.path, folder)
    for path in sorted(folder.rglob("*.parquet")):
        table = pq.read_table(path)
        for name in {"text", "command", "distractor"} & set(table.column_names):
            turned = table[name].take(pa.array(range(len(table))[::-1]))
            table = table.set_column(table.column_names.index(name), table.schema.field(name), turned)
            pq.write_table(table, path)
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    for entry in manifest["files"]:
        entry["bytes"] = (folder / entry["path"]).stat().st_size
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    harmed = SimpleNamespace(world=shared.world, path=folder)

    found = checked(harmed, crew=crew)

    assert found == checked(harmed, workers=1)
    assert len({finding["code"] for finding in json.loads(found)["findings"]} - {"E002"}) >= 1
