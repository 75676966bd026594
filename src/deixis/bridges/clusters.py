"""Work done on a Dask cluster: shards go out, results come back, and the files are the same as from one machine.

A worker that is lost takes nothing along: Dask hands its shards to others, and each is taken in once. A scheduler that
is lost is called again, and what it had in hand is handed out anew. Workers need the same version of deixis, but no
common file system. Dask sends code and believes whoever answers, so that a cluster has to be one that is trusted.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from deixis._version import __version__
from deixis.data._processes import ignored_interrupts
from deixis.data._retries import WORK_TRIES
from deixis.errors import DeixisError


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


__all__ = ["ClusterError", "DaskCrew", "dask_crew"]

CONNECT_SECONDS = 5.0
LOOK_SECONDS = 5.0  # between looks at whether the cluster is still there
CALL_SECONDS = 0.5  # between calls of a scheduler that has gone
LOGGERS = ("distributed.client", "distributed.comm", "distributed.core")
Done = TypeVar("Done")


class ClusterError(DeixisError, RuntimeError):
    """A cluster that cannot be reached, has gone, or whose workers are not fit for the work."""


class ClusterLost(ClusterError):
    """A scheduler that does not answer any more."""


class OtherVersion(ClusterError):
    """A worker with another version of deixis, which would make other data."""


@contextmanager
def dask_crew(
    address: str | None = None, *, workers: int | None = None, patience_seconds: float = 60.0
) -> Iterator[DaskCrew]:
    """The workers of a Dask cluster as a crew for `make` and the checks.

    Args:
        address: of the scheduler, e.g. `tcp://10.0.0.1:8786`; without one, a cluster is started on this machine and
            ended afterwards.
        workers: how many processes such a cluster of our own has, by default one per core.
        patience_seconds: how long to wait for a worker while there is none.

    Raises:
        ClusterError: when nobody answers, no worker comes, or a worker has another version of deixis.
    """
    with ExitStack() as stack:
        client = _connect(address) if address else stack.enter_context(_start_local_cluster(workers))
        crew = DaskCrew(client, address or "this machine", patience_seconds)
        stack.callback(crew.close)
        if address:
            stack.enter_context(_quietly(*LOGGERS))
        crew.demand_fit()
        yield crew


class DaskCrew:
    """A Dask cluster to which work is handed out (see `deixis.data._crew`)."""

    def __init__(self, client: Any, name: str, patience_seconds: float) -> None:
        self.client, self.name, self.patience_seconds = client, name, patience_seconds
        self._guard = threading.Lock()
        self._renewing = threading.RLock()
        self._size = 0
        self._looked = -LOOK_SECONDS
        self._seen = time.monotonic()  # when there was a worker last

    @property
    def size(self) -> int:
        """Number of threads of all workers together.

        At least 1, as workers may come and go.
        """
        with self._guard:
            if time.monotonic() - self._looked >= LOOK_SECONDS:
                with suppress(ClusterLost):  # whoever waits for a result calls the scheduler again
                    self._look()
            return max(1, self._size)

    def submit(self, work: Callable[..., Done], /, *arguments: object) -> DaskPromise[Done]:
        """Hand out one piece of work.

        Results of promises among the arguments go from worker to worker.
        """
        return DaskPromise(self, work, arguments)

    def hand_out(self, work: Callable[..., Done], arguments: tuple[object, ...]) -> tuple[Any, Any]:
        """Return the client through which some work is handed out, and what it will return."""
        with self._renewing:
            for left in reversed(range(WORK_TRIES)):
                client = self.client
                given = [one.future_of(client) if isinstance(one, DaskPromise) else one for one in arguments]
                try:
                    with _in_words(self.name):
                        return client, client.submit(_do, __version__, work, *given, pure=False)
                except Exception:
                    if client.status in ("running", "connecting") or not left:
                        raise
                    self.renew(client)
        raise AssertionError("the last attempt returns or raises")  # pragma: no cover

    def renew(self, lost: Any) -> None:
        """Call the scheduler again, unless somebody has done so, for as long as we have patience.

        Raises:
            ClusterError: when it does not answer in that time, or it was a cluster of our own.
        """
        with self._renewing:
            if self.client is not lost:
                return
            if lost.cluster is not None:
                raise ClusterError(_cluster_lost_message(self.name))
            _close_quietly(lost)
            self._seen = time.monotonic()
            while True:
                try:
                    self.client = _connect(self.name)
                    self._looked = -LOOK_SECONDS
                    self.demand_fit()
                except OtherVersion:
                    raise
                except ClusterError as error:
                    if self.client is not lost:
                        _close_quietly(self.client)
                    if time.monotonic() - self._seen > self.patience_seconds:
                        raise ClusterError(_cluster_lost_message(self.name)) from error
                    time.sleep(CALL_SECONDS)
                else:
                    return

    def close(self) -> None:
        """Let go of the cluster."""
        _close_quietly(self.client)

    def demand_fit(self) -> None:
        """Wait for workers, and raise an error unless all have this version of deixis."""
        with _in_words(self.name):
            while not self.client.nthreads():
                self._demand_patience()
                time.sleep(0.1)
            found = self.client.run(_about, on_error="return")
        for worker, about in sorted(found.items()):
            if about != __version__:
                said = f"has deixis {about}" if isinstance(about, str) else "has no deixis that can be imported"
                raise OtherVersion(
                    f"the worker {worker} {said}; data are the same everywhere only with one version: "
                    f"install deixis {__version__} there"
                )

    def demand_same(self, client: Any) -> None:
        """An error when the cluster has gone, or was called again since a client handed something out."""
        if client is not self.client or client.status not in ("running", "connecting"):
            raise ClusterLost(_cluster_lost_message(self.name))

    def demand_alive(self) -> None:
        """An error when the cluster has had no worker for longer than we have patience."""
        with self._guard:
            self._look()
            if not self._size:
                self._demand_patience()

    def _look(self) -> None:
        self._looked = time.monotonic()
        try:
            threads = self.client.nthreads()
        except Exception as error:  # a client whose scheduler has gone fails in many ways
            raise ClusterLost(_cluster_lost_message(self.name)) from error
        self._size = sum(threads.values())
        if threads:
            self._seen = self._looked

    def _demand_patience(self) -> None:
        if time.monotonic() - self._seen > self.patience_seconds:
            raise ClusterError(
                f"the cluster at {self.name} has had no worker for {self.patience_seconds:.0f} seconds; "
                "start some with `dask worker ADDRESS`, or wait longer with --cluster-wait"
            )


class DaskPromise(Generic[Done]):
    """Work that a cluster was given."""

    def __init__(self, crew: DaskCrew, work: Callable[..., Done], arguments: tuple[object, ...]) -> None:
        self.crew, self.work, self.arguments = crew, work, arguments
        self.is_cancelled = False
        self.client, self.future = crew.hand_out(work, arguments)

    def result(self) -> Done:
        """Return the result, which the workers may then forget.

        Work that was lost is handed out anew.
        """
        for left in reversed(range(WORK_TRIES)):
            try:
                return self._wait()
            except ClusterLost as error:
                if self.is_cancelled or not left:
                    raise ClusterError(_cluster_lost_message(self.crew.name)) from error
                self.crew.renew(self.client)
                self.client, self.future = self.crew.hand_out(self.work, self.arguments)
        raise AssertionError("the last attempt returns or raises")  # pragma: no cover

    def future_of(self, client: Any) -> Any:
        """Return what a client will return of this work, handed out to it unless that was done."""
        if self.client is not client:
            self.client, self.future = self.crew.hand_out(self.work, self.arguments)
        return self.future

    def cancel(self) -> None:
        """Nobody needs it any more."""
        self.is_cancelled = True
        with suppress(Exception):  # it may be gone with the cluster
            self.future.cancel()

    def _wait(self) -> Done:
        with _in_words(self.crew.name):
            while True:
                self.crew.demand_same(self.client)
                try:
                    value: Done = self.future.result(timeout=LOOK_SECONDS)
                except TimeoutError:
                    self.crew.demand_alive()
                except DeixisError:
                    raise
                except Exception:
                    self.crew.demand_same(self.client)  # one that was closed meanwhile fails in many ways
                    raise
                else:
                    self.future.release()
                    self.arguments = ()
                    return value


def _do(version: str, work: Callable[..., Done], *arguments: object) -> Done:
    """Do the work, on a worker; one that came later may have another version than those we asked."""
    if version != __version__:
        raise OtherVersion(
            f"a worker has deixis {__version__}; data are the same everywhere only with one version: "
            f"install deixis {version} there"
        )
    return work(*arguments)


def _about() -> str:
    """Which version a worker has."""
    return __version__


def _connect(address: str) -> Any:
    distributed = _import_distributed()
    with _quietly(*LOGGERS):
        try:
            with ThreadPoolExecutor(1) as aside:  # a notebook has an event loop of its own in this thread
                kind = aside.submit(asyncio.run, _kind_of(address)).result()
        except (OSError, ValueError, TypeError, TimeoutError, RuntimeError) as error:
            raise ClusterError(
                f"no Dask scheduler answers at {address} ({_first_line(error)}); is it running (`dask scheduler`), "
                "and is the address the one that it prints, such as tcp://10.0.0.1:8786?"
            ) from error
        if kind != "Scheduler":
            raise ClusterError(
                f"at {address} there is no Dask scheduler, but a {kind}; give the address of the scheduler"
            )
        with _in_words(address):
            return distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)


def _close_quietly(client: Any) -> None:
    """Close a client whose scheduler may be gone."""
    with _quietly(*LOGGERS), suppress(Exception):
        client.close(timeout=CONNECT_SECONDS)


async def _kind_of(address: str) -> str:
    """What answers at an address: `Scheduler` or `Worker`."""
    from distributed.comm import core

    async def ask() -> Any:
        connect: Any = core.connect
        comm = await connect(address, timeout=CONNECT_SECONDS)
        try:
            await comm.write({"op": "identity", "reply": True})
            return await comm.read()
        finally:
            comm.abort()

    try:
        answer = await asyncio.wait_for(ask(), CONNECT_SECONDS + 1)  # something else may listen there, and be silent
    except TimeoutError as error:
        raise TimeoutError("what listens there does not answer as Dask does") from error
    return str(answer.get("type")) if isinstance(answer, dict) else "stranger"


@contextmanager
def _start_local_cluster(workers: int | None) -> Iterator[Any]:
    distributed = _import_distributed()
    with ignored_interrupts():
        cluster = distributed.LocalCluster(
            n_workers=workers or os.cpu_count() or 1,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        )
    with cluster:
        yield distributed.Client(cluster, set_as_default=False)


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise DeixisError(
            "clusters need dask and distributed; install them with: pip install 'deixis[cluster]'"
        ) from error
    return distributed


@contextmanager
def _quietly(*names: str) -> Iterator[None]:
    """Keep what libraries log to themselves: what matters is said in one line."""
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@contextmanager
def _in_words(name: str) -> Iterator[None]:
    """What can become of a cluster, as an error of ours."""
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            f"several workers of the cluster at {name} were lost over the same piece of work, most likely for want of "
            "memory; give them more each, or fewer threads"
        ) from error
    except (CommClosedError, CancelledError, ConnectionError, TimeoutError) as error:
        raise ClusterLost(_cluster_lost_message(name)) from error


def _cluster_lost_message(name: str) -> str:
    return f"the cluster at {name} has gone; start it again: the same command goes on from what is finished"


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:160]
