"""Who works: threads or processes of this machine, or a Dask cluster. All that the coordinator needs of either."""

import secrets
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, Protocol

from wegman.cluster._objects import Result, Task
from wegman.cluster._sources import Source
from wegman.cluster._work import introduce, work

# Tasks that are given out for each worker: what comes after is still here if a worker is lost.
IN_FLIGHT = 10


class ClusterError(Exception):
    """The run can't go on. The text says why; what was done is in the state file, if there is one."""


class Handle(Protocol):
    """A task that was given out."""

    def cancel(self) -> object: ...


# What a task came to: a result, or why there is none.
Outcome = tuple[Handle, Result | BaseException]


class Engine(Protocol):
    """Who works on tasks."""

    name: str

    def width(self) -> int:
        """How many tasks are worked on at once, now."""
        ...

    def submit(self, tasks: Sequence[Task], done: "SimpleQueue[Outcome]", avoid: Sequence[Handle] = ()) -> list[Handle]:
        """Gives out tasks, not to the workers that have those in `avoid`, if there are others. Each comes back through `done` once."""
        ...

    def introductions(self, key_path: str | None) -> list[dict[str, str | float]]:
        """What each worker says of itself."""
        ...

    def close(self) -> None: ...


class Local:
    """An executor of `concurrent.futures`, or as many threads as asked for."""

    def __init__(self, workers: int, executor: Executor | None = None, source: Source | None = None) -> None:
        self._executor = executor or ThreadPoolExecutor(workers, thread_name_prefix="wegman")
        self._is_ours = executor is None
        self._workers = workers
        # One that was given, which only threads can use; else workers make theirs of the URL.
        self._source = source
        self.name = type(self._executor).__name__

    def width(self) -> int:
        return self._workers

    def submit(
        self, tasks: Sequence[Task], done: "SimpleQueue[Outcome]", avoid: Sequence[Handle] = ()
    ) -> list[Handle]:
        del avoid
        handles: list[Handle] = []
        for task in tasks:
            future = self._executor.submit(work, task, self._source)
            future.add_done_callback(lambda future: done.put((future, _outcome(future))))
            handles.append(future)
        return handles

    def introductions(self, key_path: str | None) -> list[dict[str, str | float]]:
        return [self._executor.submit(introduce, key_path).result()]

    def close(self) -> None:
        if self._is_ours:
            self._executor.shutdown(wait=False, cancel_futures=True)


def _outcome(future: "Future[Result]") -> Result | BaseException:
    if future.cancelled():
        return InterruptedError("the task was cancelled")
    return future.exception() or future.result()


class Dask:
    """A Dask cluster, through its client."""

    name = "dask"

    def __init__(self, client: Any) -> None:
        self._client = client
        # A worker that stopped may hold a result: waiting for it must not keep the others waiting.
        self._fetchers = ThreadPoolExecutor(16, thread_name_prefix="wegman-results")
        self._is_closed = threading.Event()
        self._looked = -1.0
        self._width = 0

    def width(self) -> int:
        now = time.monotonic()
        if now - self._looked > 1.0:
            self._looked = now
            with self._connected():
                self._width = sum(self._client.nthreads().values())
        return self._width

    @contextmanager
    def _connected(self) -> Generator[None, None, None]:
        try:
            yield
        except Exception as error:
            # Whatever Dask calls it.
            raise ClusterError(f"the scheduler is lost; with a state file the same run goes on: {error}") from error

    def submit(
        self, tasks: Sequence[Task], done: "SimpleQueue[Outcome]", avoid: Sequence[Handle] = ()
    ) -> list[Handle]:
        # A name is used once: that of a task that was cancelled would bring back its cancellation.
        names = [f"wegman-{secrets.token_hex(8)}" for _ in tasks]
        with self._connected():
            futures: list[Any] = self._client.map(
                work, tasks, key=names, pure=False, retries=0, workers=self._others(avoid), batch_size=1000
            )
        for future in futures:
            future.add_done_callback(self._fetching(done))
        return list(futures)

    def _fetching(self, done: "SimpleQueue[Outcome]") -> Callable[[Any], None]:
        def fetch(future: Any) -> None:
            try:
                outcome: Result | BaseException = future.result(timeout=60)
            except BaseException as error:  # noqa: BLE001 -- whatever it is, the coordinator decides
                outcome = error
            done.put((future, outcome))

        def finished(future: Any) -> None:
            if not self._is_closed.is_set():
                self._fetchers.submit(fetch, future)

        return finished

    def _others(self, avoid: Sequence[Handle]) -> list[str] | None:
        if not avoid:
            return None
        names = {future.key for future in avoid}  # type: ignore[attr-defined]
        working = self._client.processing()
        busy = {worker for worker, keys in working.items() if names & {str(key) for key in keys}}
        others = [worker for worker in working if worker not in busy]
        return others or None

    def introductions(self, key_path: str | None) -> list[dict[str, str | float]]:
        return list(self._client.run(introduce, key_path, on_error="return").values())

    def close(self) -> None:
        self._is_closed.set()
        self._fetchers.shutdown(wait=False, cancel_futures=True)
