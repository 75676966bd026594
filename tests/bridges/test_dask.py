"""Work on a real cluster of several processes: the same as on one machine, whatever becomes of the workers."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from distributed import Client, LocalCluster

from deixis._cli import main
from deixis._version import __version__
from deixis.bridges.clusters import ClusterError, OtherVersion, dask_crew
from deixis.errors import DeixisError
from deixis.judge._evaluation import evaluate_request
from deixis.judge.request import Request
from deixis.worlds.grid.checks import check_dataset
from deixis.worlds.grid.data.example_arrays import example_arrays_by_split
from deixis.worlds.grid.data.sources import open_source
from deixis.worlds.grid.judging._crews import judge_with_crew
from deixis.worlds.grid.judging.baselines import random_plans
from deixis.worlds.grid.judging.verdicts import judge_all
from deixis.worlds.grid.making import _pool_maker as pool_maker
from deixis.worlds.grid.making.make import make
from deixis.worlds.photos.making.make import CopsRefRecipe, make_copsref
from deixis.worlds.registry import world_of
from deixis.worlds.rooms.data.make import A3dsRecipe, make_a3ds
from tests.datasets.tiny import folder_bytes, quick, whole
from tests.readers.samples import write_sample
from tests.stopping import Stopped, stop_after


if TYPE_CHECKING:
    from collections.abc import Iterator

    from deixis.bridges.clusters import DaskCrew


RECIPES = Path(__file__).parents[2] / "recipes"
ON_SLURM, IN_KUBERNETES = RECIPES / "slurm" / "on_slurm.py", RECIPES / "kubernetes" / "dask.yaml"


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Two worker processes on this machine."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as started:
        yield started


@pytest.fixture(scope="module")
def crew(cluster: LocalCluster) -> Iterator[DaskCrew]:
    with dask_crew(cluster.scheduler_address) as found:
        yield found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset made on this machine alone."""
    out = tmp_path_factory.mktemp("made") / "here"
    make(whole("corrected"), out, workers=2)
    return out


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many shards of few commands."""
    monkeypatch.setattr(pool_maker, "COMMANDS_PER_SHARD", 2)


def complaint(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([str(word) for word in words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("deixis: ")
    assert err.count("\n") == 1
    return err


# --- the same result


@pytest.mark.slow
def test_a_cluster_makes_the_same_bytes(made, crew, tmp_path):
    """Every file of a dataset made on a cluster is that of one machine."""
    make(whole("corrected"), tmp_path / "there", crew=crew)

    assert folder_bytes(tmp_path / "there") == folder_bytes(made)


@pytest.mark.slow
def test_captions_of_a_cluster_are_the_same_bytes(crew, tmp_path):
    """A3DS as well comes out the same."""
    recipe = A3dsRecipe(captions=("short",))
    make_a3ds(recipe, tmp_path / "here")

    make_a3ds(recipe, tmp_path / "there", crew=crew)

    assert folder_bytes(tmp_path / "there") == folder_bytes(tmp_path / "here")


@pytest.mark.slow
def test_photographs_of_a_cluster_are_the_same_bytes(crew, tmp_path):
    """Scenes are drawn, spoken of and given distractor images on a cluster to the same bytes; what is begun goes on."""
    recipe = CopsRefRecipe(seed=3, images=40, val=0.0, test=0.7, each=1)
    make_copsref(recipe, tmp_path / "here", workers=1)

    def stop(stage, _done, _total, /):
        if stage.startswith("distractor images"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_copsref(recipe, tmp_path / "there", crew=crew, progress=stop)
    begun = {path.name for path in (tmp_path / "there" / ".partial").glob("*.parquet")}
    make_copsref(recipe, tmp_path / "there", crew=crew)

    assert {"scenes-00000.parquet", "said-00000.parquet"} <= begun
    assert folder_bytes(tmp_path / "there") == folder_bytes(tmp_path / "here")


@pytest.mark.slow
def test_a_cluster_finds_the_same_problems(made, crew, tmp_path):
    """The report on a dataset that says something false is the same, finding by finding."""
    source = open_source(made)
    rules = source.rules
    expected = check_dataset(source.dataset, rules=rules, select=("E", "W", "I"))

    found = check_dataset(source.dataset, rules=rules, select=("E", "W", "I"), crew=crew)

    assert found.as_dict() == expected.as_dict()
    assert found.findings


@pytest.mark.slow
def test_a_cluster_judges_plans_the_same(made, crew, monkeypatch):
    """Verdicts come back in order, whatever the pieces."""
    monkeypatch.setattr("deixis.worlds.grid.judging._crews.ROWS", 7)
    asked = example_arrays_by_split(open_source(made), ["train"])["train"]
    plans = random_plans(asked, seed=3)

    found = judge_with_crew(asked, plans, crew=crew)

    expected = judge_all(asked, plans)
    assert all((getattr(found, name) == getattr(expected, name)).all() for name in expected.__dataclass_fields__)


@pytest.mark.slow
def test_the_verbs_work_on_a_cluster(made, cluster, tmp_path, capsys):
    """`--on dask --address` prints what the verb prints without it."""
    place = ("--on", "dask", "--address", cluster.scheduler_address, "--json")
    read = [str(write_sample(name, tmp_path / name, 600)[0]) for name in ("refcoco", "sugarcrepe")]
    lines = [("check", str(made)), ("evaluate", "random", "--data", str(made), "--split", "test")]
    lines += [("evaluate", "random", "--data", path) for path in read]
    lines += [("evaluate", "speakers", "--split", "shape", "--count", "20")]
    for line in lines:
        code = main([*line, "--json"])
        here = capsys.readouterr().out

        assert main([*line, *place]) == code
        assert capsys.readouterr().out == here


@pytest.mark.slow
def test_an_evaluation_begun_on_a_cluster_goes_on_without_it(crew, tmp_path, monkeypatch):
    """What the cluster has judged is not judged again, and the files are those of this machine alone."""
    monkeypatch.setattr("deixis.judge._sharing.EVERY", 64)
    data = write_sample("refcoco", tmp_path / "read", 600)[0]
    request = Request(answers=(Path("random"),), data=data, workers=1)
    with monkeypatch.context() as patch:
        everything = stop_after(1000, patch)
        evaluate_request(world_of(data), replace(request, out=tmp_path / "here"))
    with monkeypatch.context() as patch:
        before = stop_after(3, patch)
        with pytest.raises(Stopped):
            evaluate_request(world_of(data), replace(request, out=tmp_path / "there", crew=crew))
    after = stop_after(1000, monkeypatch)

    evaluate_request(world_of(data), replace(request, out=tmp_path / "there"))

    assert len(before) == 3
    assert before + after == everything
    assert folder_bytes(tmp_path / "there") == folder_bytes(tmp_path / "here")


@pytest.mark.slow
def test_a_cluster_of_our_own_needs_no_address(made, tmp_path, capsys):
    """`--on dask` alone starts processes on this machine and ends them."""
    assert main(["check", str(made), "--on", "dask", "--workers", "1", "--json"]) in (0, 1)

    assert json.loads(capsys.readouterr().out)["reports"][0]["rows"] == open_source(made).total


# --- what becomes of workers


@pytest.mark.slow
def test_shards_of_a_killed_worker_are_made_again(made, small_shards, tmp_path):
    """A worker that is killed in mid-run loses nothing: the bytes are the same, and every shard is taken in once."""
    killed: list[int] = []
    with (
        LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0") as three,
        dask_crew(three.scheduler_address) as crew,
    ):
        pids = list(crew.client.run(os.getpid).values())

        def kill_one(stage: str, done: int, total: int, /) -> None:
            if stage == "p3" and 0 < done < total and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        make(whole("corrected"), tmp_path / "there", progress=kill_one, crew=crew)
        after = set(crew.client.run(os.getpid).values())

    assert killed
    assert killed[0] not in after
    assert folder_bytes(tmp_path / "there") == folder_bytes(made)


@pytest.mark.slow
def test_a_scheduler_that_is_killed_and_started_again_changes_no_byte(made, small_shards, tmp_path):
    """With scheduler and worker as processes of their own, what was not finished is handed out anew, once each."""
    address = f"tcp://127.0.0.1:{_free_port()}"
    running = [_start("scheduler", address), _start("worker", address)]
    killed: list[str] = []

    def restart(stage: str, done: int, total: int, /) -> None:
        if stage == "p3" and 0 < done < total and not killed:
            killed.append(stage)
            for process in running:
                process.kill()  # as where a node is lost that holds both
                process.wait(30)
            running[:] = [_start("scheduler", address), _start("worker", address)]

    try:
        with _crew_when_there(address) as crew:
            make(whole("corrected"), tmp_path / "there", progress=restart, crew=crew)
    finally:
        for process in running:
            process.kill()
            process.wait(30)

    assert killed
    assert folder_bytes(tmp_path / "there") == folder_bytes(made)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _start(role: str, address: str) -> subprocess.Popen[bytes]:
    """Start a scheduler at an address, or a worker of it, as a process that no other one looks after."""
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    words = {"scheduler": ["--host", host, "--port", port], "worker": [address, "--nthreads", "1", "--no-nanny"]}
    line = [sys.executable, "-m", f"distributed.cli.dask_{role}", *words[role], "--no-dashboard"]
    return subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextmanager
def _crew_when_there(address: str) -> Iterator[DaskCrew]:
    """The crew of a scheduler that is just being started."""
    with ExitStack() as stack:
        for _ in range(60):
            with suppress(ClusterError):
                found = stack.enter_context(dask_crew(address, patience_seconds=300))
                break
            time.sleep(0.5)
        else:
            pytest.fail("the scheduler did not start")
        yield found


@pytest.mark.slow
def test_what_a_cluster_has_begun_goes_on_without_it(small_shards, crew, tmp_path):
    """An interrupted run leaves finished shards, from which one machine goes on to the same bytes."""

    def stop(stage: str, done: int, total: int, /) -> None:
        if stage == "p3" and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(quick(), tmp_path / "begun", crew=crew, progress=stop)
    kept = len(list((tmp_path / "begun" / ".partial").glob("*.arrow")))
    make(quick(), tmp_path / "begun", workers=1)
    make(quick(), tmp_path / "fresh", workers=1)

    assert kept
    assert folder_bytes(tmp_path / "begun") == folder_bytes(tmp_path / "fresh")


@pytest.mark.slow
def test_no_more_is_under_way_than_a_cluster_can_do(small_shards, crew, tmp_path):
    """Shards are handed out as they are taken in, so that nothing piles up."""
    counted = _Counted(crew)

    make(quick(), tmp_path / "out", workers=2, crew=counted)

    assert counted.given > 8
    assert counted.most <= 2 * (crew.size + 2)


class _Counted:
    """A crew that counts what it was given and has not been asked for."""

    def __init__(self, crew: DaskCrew) -> None:
        self.crew, self.given, self.open, self.most = crew, 0, 0, 0

    @property
    def size(self) -> int:
        return self.crew.size

    def submit(self, work, /, *arguments):
        self.given, self.open = self.given + 1, self.open + 1
        self.most = max(self.most, self.open)
        return _Promised(self, self.crew.submit(work, *arguments))


class _Promised:
    def __init__(self, crew: _Counted, promise) -> None:
        self.crew, self.promise = crew, promise

    def result(self):
        value = self.promise.result()
        self.crew.open -= 1
        return value

    def cancel(self) -> None:
        self.promise.cancel()
        self.crew.open -= 1


# --- what can be wrong


@pytest.mark.slow
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "http://127.0.0.1:1"])
def test_an_unreachable_cluster_is_told_soon(address, tmp_path, capsys):
    """Where nobody answers, one line says so within some seconds and what to look at."""
    start = time.monotonic()
    said = complaint(capsys, "make", "reascan", "--out", tmp_path / "out", "--on", "dask", "--address", address)

    assert address in said
    assert "dask scheduler" in said
    assert time.monotonic() - start < 15
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_address_of_a_worker_is_told_apart(cluster, made, capsys):
    """A worker is no scheduler."""
    worker = next(iter(cluster.scheduler_info["workers"]))

    assert "give the address of the scheduler" in complaint(capsys, "check", made, "--on", "dask", "--address", worker)


def test_an_address_needs_a_cluster(made, capsys):
    """--address without --on dask is a mistake."""
    assert "add --on dask" in complaint(capsys, "check", made, "--address", "tcp://127.0.0.1:9")


@pytest.mark.slow
def test_a_cluster_without_workers_is_told(made, capsys):
    """Nobody waits for ever for workers that do not come."""
    with LocalCluster(n_workers=0, dashboard_address=":0") as empty:
        words = ("--on", "dask", "--address", empty.scheduler_address, "--cluster-wait", "1")

        assert "has had no worker for 1 seconds" in complaint(capsys, "check", made, *words)


@pytest.mark.slow
def test_workers_with_another_version_are_refused(tmp_path):
    """A worker that would make other data is named, with the version that it needs."""
    (tmp_path / "older.py").write_text("import deixis._version as v\nv.__version__ = '0.0.1'\n", encoding="utf-8")
    with LocalCluster(n_workers=0, dashboard_address=":0") as empty:
        line = [sys.executable, "-m", "distributed.cli.dask_worker", empty.scheduler_address, "--no-dashboard"]
        worker = subprocess.Popen(
            [*line, "--nthreads", "1", "--no-nanny", "--preload", str(tmp_path / "older.py")], stderr=subprocess.DEVNULL
        )
        try:
            with pytest.raises(OtherVersion, match=rf"has deixis 0\.0\.1.*install deixis {__version__} there"):
                dask_crew(empty.scheduler_address).__enter__()
            with Client(empty.scheduler_address) as client:  # one that comes later is found out by its first shard
                from deixis.bridges.clusters import _do

                with pytest.raises(OtherVersion, match=r"a worker has deixis 0\.0\.1"):
                    client.submit(_do, __version__, len, "abc").result(timeout=60)
        finally:
            worker.terminate()
            worker.wait(30)


@pytest.mark.slow
def test_a_cluster_that_goes_is_told(tmp_path):
    """When the scheduler ends in mid-run, one line says that the same command goes on."""
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as own,
        dask_crew(own.scheduler_address, patience_seconds=1) as crew,
    ):
        promise = crew.submit(time.sleep, 60)
        own.close()

        with pytest.raises(ClusterError, match="the same command goes on"):
            promise.result()


def test_a_missing_package_is_named(monkeypatch):
    """Without distributed, one line says how to get it."""
    monkeypatch.setitem(sys.modules, "distributed", None)

    with pytest.raises(DeixisError, match=r"pip install 'deixis\[cluster\]'"):
        dask_crew().__enter__()


# --- Kubernetes


@pytest.mark.slow
def test_the_commands_of_the_kubernetes_recipe_make_a_dataset(tmp_path):
    """The containers' commands, started as processes of this machine, make the bytes of one machine."""
    found = [one for one in yaml.safe_load_all(IN_KUBERNETES.read_text(encoding="utf-8")) if one["kind"] != "Service"]
    pods = {one["metadata"]["name"]: one["spec"].get("template", {}).get("spec", {}) for one in found}
    commands = {name: pod["containers"][0]["command"] for name, pod in pods.items() if pod}
    port = str(_free_port())
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('mode = "corrected"\n[[pools]]\nname = "p1"\npattern = "p1"\ncommands = 20\nworlds = 2\n')
    assert main(["make", "reascan", "--recipe", str(recipe), "--out", str(tmp_path / "here")]) == 0
    local = {"tcp://dask-scheduler:8786": f"tcp://127.0.0.1:{port}", "8786": port, "--scale": "--recipe"}
    local |= {"s3://bucket/reascan": f"file://{tmp_path}/there", "paper": str(recipe)}
    lines = {name: [local.get(word, word) for word in words] for name, words in commands.items()}
    programs = {"dask": [sys.executable, "-m", "dask"], "deixis": [sys.executable, "-m", "deixis"]}
    lines = {name: [*programs[words[0]], *words[1:]] for name, words in lines.items()}
    environment = {**os.environ, "DEIXIS_CACHE": str(tmp_path / "kept")}
    running = [
        subprocess.Popen(lines[name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in ("dask-scheduler", "dask-worker")
    ]
    try:
        for _ in range(5):  # as Kubernetes tries a job again
            if subprocess.run(lines["make-reascan"], env=environment, capture_output=True, check=False).returncode == 0:
                break
    finally:
        for process in running:
            process.terminate()
            process.wait(60)

    there, here = folder_bytes(tmp_path / "there"), folder_bytes(tmp_path / "here")
    assert there == here


# --- SLURM


def test_the_slurm_recipe_writes_a_job_script():
    """The real library renders the script that SLURM would be given."""
    words = ["--show", "--jobs", "4", "--cores", "16", "--queue", "short", "--before", "module load python"]
    done = subprocess.run([sys.executable, ON_SLURM, *words], capture_output=True, text=True, check=True, timeout=60)

    lines = done.stdout.splitlines()
    assert {"#SBATCH -p short", "#SBATCH --cpus-per-task=16", "module load python"} <= set(lines)
    assert "--nworkers 16" in lines[-1]


@pytest.mark.slow
def test_the_slurm_recipe_runs_a_command(made, tmp_path):
    """With a queue that starts jobs at once, on this machine, the recipe makes the same dataset."""
    queue = tmp_path / "bin"
    queue.mkdir()
    keep = f'cp "$1" {tmp_path}/job.sh'  # as SLURM does: who submits a script may delete it at once
    start = f"bash {tmp_path}/job.sh >/dev/null 2>&1 &"
    (queue / "sbatch").write_text(f'#!/bin/sh\n{keep}\n{start}\necho "Submitted batch job $!"\n')
    (queue / "scancel").write_text('#!/bin/sh\nkill "$@"\n')
    for program in queue.iterdir():
        program.chmod(0o755)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('mode = "corrected"\n[[pools]]\nname = "p1"\npattern = "p1"\ncommands = 20\nworlds = 2\n')
    words = ["make", "reascan", "--recipe", recipe, "--out"]
    assert main([*map(str, words), str(tmp_path / "here")]) == 0

    line = [sys.executable, ON_SLURM, "--jobs", "1", "--cores", "1", "--wait", "60", "--", *words, tmp_path / "there"]
    path = f"{queue}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(line, check=True, timeout=180, env={**os.environ, "PATH": path}, capture_output=True)

    assert folder_bytes(tmp_path / "there") == folder_bytes(tmp_path / "here")
