"""Who plays chunks: this process, processes of this machine, or a Dask cluster; the rows are the same."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Protocol

from sprawlsim.experiments.cells import Cell, Chunk
from sprawlsim.experiments.measure import Columns, Measure
from sprawlsim.experiments.spec import ExperimentError

LOCAL, DASK = "local", "dask"
BACKENDS = (LOCAL, DASK)
DEATHS_IN_A_ROW = 3
"""Deaths of workers, with no chunk finished between them, after which a run gives up."""
TICK = 2.0
"""Seconds after which a run that hears nothing looks whether its workers are there."""
PATIENCE = 30.0
"""Seconds that a cluster may be without any worker."""
WATCH = 0.5
"""Seconds between two looks of a process whether its parent is still there."""
AHEAD = 2
"""Chunks handed out per worker: one being played, one waiting."""


class Workers(Protocol):
    """Somebody to play chunks."""

    lost: tuple[type[BaseException], ...]
    """Errors that mean: a worker died, and the chunk should be played again."""
    die_together: bool
    """Whether the death of one loses all that is under way."""

    @property
    def slots(self) -> int:
        """How many play at a time."""
        ...

    def submit(self, job: Callable[..., Any], *args: Any) -> Future[Any]:
        """Hand out a job."""
        ...

    def replace(self) -> None:
        """Replace workers that died."""
        ...

    def check(self) -> None:
        """Raise an `ExperimentError` if nobody is left to play."""
        ...


def play_chunk(measure: Measure, sources: str, cell: tuple[Any, int], first: int, count: int) -> Columns:
    """Play a chunk where it arrives, if the sources there are the same.

    Raises
    ------
    ExperimentError
        If they are not.
    """
    if measure.sources() != sources:
        raise ExperimentError(
            f"a worker has other sources of the measure {measure.name}: {measure.sources()}, here {sources}; "
            "install the same versions of this package and of numba there"
        )
    prepared, seed = cell
    return measure.run_chunk(prepared, seed, first, count)


def play_all(
    chunks: Collection[Chunk],
    cells: Sequence[Cell],
    job: Callable[[Cell, Chunk], tuple[Any, ...]],
    workers: Workers,
    keep: Callable[[Chunk, Columns], None],
) -> None:
    """Play chunks, in whatever order they get done; those of workers that die are played again.

    Parameters
    ----------
    job : callable
        Of a cell and a chunk: the arguments of `play_chunk`.
    keep : callable
        Given each finished chunk.

    Raises
    ------
    ExperimentError
        If workers keep dying, or nobody is left.
    """
    waiting = deque(chunks)
    under_way: dict[Future[Any], Chunk] = {}
    deaths = 0

    def collect(done: Collection[Future[Any]]) -> bool:
        """Take in what is done; say whether a worker died."""
        nonlocal deaths
        died = False
        for future in done:
            chunk = under_way.pop(future)
            try:
                columns = future.result()
            except workers.lost:
                waiting.appendleft(chunk)
                died = True
                continue
            deaths = 0
            keep(chunk, columns)
        return died

    while waiting or under_way:
        while waiting and len(under_way) < AHEAD * workers.slots:
            chunk = waiting.popleft()
            under_way[workers.submit(play_chunk, *job(cells[chunk.cell], chunk))] = chunk
        done, _ = wait(under_way, timeout=TICK, return_when=FIRST_COMPLETED)
        if not done:
            workers.check()
            continue
        if not collect(done):
            continue
        if workers.die_together:
            collect(wait(under_way).done)
        deaths += 1
        if deaths >= DEATHS_IN_A_ROW:
            where = waiting[0]
            raise ExperimentError(
                f"workers died {deaths} times in a row, the last time at chunk {where.number} of "
                f"{cells[where.cell].words} or one beside it; is there enough memory?"
            )
        workers.replace()


class Here:
    """The process itself: one chunk after the other."""

    slots = 1
    lost: tuple[type[BaseException], ...] = ()
    die_together = False

    def submit(self, job: Callable[..., Any], *args: Any) -> Future[Any]:
        """Do the job at once."""
        future: Future[Any] = Future()
        future.set_result(job(*args))
        return future

    def replace(self) -> None:
        """Nobody dies here."""

    def check(self) -> None:
        """Somebody is always here."""


def _begin_process(parent: int) -> None:
    """Make a process of the pool leave Ctrl-C to its parent, and go when that is gone, however it went.

    Loky's processes would wait for ever for the next job of a parent that was killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)


class Processes:
    """Processes of this machine, joblib's (loky)."""

    lost: tuple[type[BaseException], ...] = (BrokenProcessPool,)
    die_together = True

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._start()

    def _start(self) -> None:
        from joblib.externals.loky import ProcessPoolExecutor

        self._pool = ProcessPoolExecutor(self.slots, initializer=_begin_process, initargs=(os.getpid(),))

    def submit(self, job: Callable[..., Any], *args: Any) -> Future[Any]:
        """Hand a job to a process; to a pool that broke just now, too, as one more job that it lost."""
        try:
            future: Future[Any] = self._pool.submit(job, *args)
        except self.lost as error:
            future = Future()
            future.set_exception(error)
        return future

    def replace(self) -> None:
        """Start new processes."""
        self.close()
        self._start()

    def check(self) -> None:
        """Leave it to the pool, which tells by itself when a process is gone."""

    def close(self) -> None:
        """End all processes at once."""
        self._pool.shutdown(wait=True, kill_workers=True)


class Cluster:
    """The workers of a Dask scheduler that is there already."""

    die_together = False

    def __init__(self, address: str) -> None:
        try:
            import distributed
        except ImportError:
            raise ExperimentError(
                "--backend dask needs the package distributed: pip install 'sprawlsim[cluster]'"
            ) from None
        self.lost: tuple[type[BaseException], ...] = (distributed.KilledWorker,)
        self.address = address
        client: Any = distributed.Client  # without types of its own
        try:
            self.client = client(address, timeout=10)
        except (OSError, ValueError, TimeoutError) as error:
            first = str(error).partition("\n")[0]
            raise ExperimentError(
                f"--scheduler {address}: no Dask scheduler answers there ({first})"
            ) from None
        self._seen = time.monotonic()
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            self.client.close()
            raise ExperimentError(
                f"--scheduler {address}: no worker has joined it; start one: dask worker {address}"
            ) from None
        self._executor = self.client.get_executor(pure=False)

    @property
    def slots(self) -> int:
        """Threads of all workers."""
        return max(1, sum(map(int, self.client.nthreads().values())))

    def submit(self, job: Callable[..., Any], *args: Any) -> Future[Any]:
        """Hand a job to the scheduler."""
        future: Future[Any] = self._executor.submit(job, *args)
        return future

    def replace(self) -> None:
        """Leave it to the cluster."""

    def check(self) -> None:
        """Raise an `ExperimentError` if the scheduler, or for a while every worker, is gone."""
        running = self.client.status == "running"
        if running and self.client.nthreads():
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > PATIENCE:
            who = "no worker is left at" if running else "nobody answers any more at"
            raise ExperimentError(f"{who} {self.address}")

    def close(self) -> None:
        """Leave the scheduler, which forgets what is still under way."""
        self.client.close()


@contextmanager
def open_workers(backend: str, slots: int, scheduler: str | None) -> Iterator[Workers]:
    """Get workers, and let them go in the end whatever happens.

    Raises
    ------
    ExperimentError
        If they cannot be had.
    """
    if backend == LOCAL and slots == 1:
        yield Here()
        return
    workers: Processes | Cluster = Processes(slots) if backend == LOCAL else Cluster(scheduler or "")
    try:
        yield workers
    finally:
        workers.close()
