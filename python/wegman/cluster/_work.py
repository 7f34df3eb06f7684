"""What a worker does with a task: read its ranges, sum them, and encrypt the sums. It knows no engine."""

import os
import socket
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib.metadata import version
from threading import Lock

from wegman import Mac
from wegman._native import KeyFile, States
from wegman.cluster._objects import BLOCK, How, Part, Range, Result, Task
from wegman.cluster._sources import Buffer, Problem, Source, source_of
from wegman.pmac import Segment, SegmentStream, combine

# Small objects are a matter of waiting, not of bytes: more of them at once.
SMALL = 16


class Refused(Exception):
    """This machine can't work: it has no key, or another one."""


@lru_cache(maxsize=4)
def key_at(path: str | None) -> KeyFile:
    """The key of this machine. Raises Refused."""
    path = path or os.environ.get("WEGMAN_KEY")
    if path is None:
        raise Refused(f"{worker_name()}: no key: the variable WEGMAN_KEY should name its file")
    try:
        return KeyFile(path)
    except (OSError, ValueError) as error:
        raise Refused(f"{worker_name()}: {error}") from None


def worker_name() -> str:
    """Who works here: the machine and the process."""
    return f"{socket.gethostname()}:{os.getpid()}"


@lru_cache(maxsize=16)
def _store(url: str) -> Source:
    return source_of(url)[1]


@lru_cache(maxsize=64)
def mac_of(path: str | None, shard: str | None) -> Mac:
    """The key of a shard's files, or of a plain manifest's."""
    return key_at(path).mac(shard)


class Counting:
    """A source that counts what it gives, and pins as the run does."""

    def __init__(self, source: Source, how: How) -> None:
        self._source = source
        self._how = how
        self._lock = Lock()
        self.gets = 0
        self.bytes = 0

    def get(self, one: Range, start: int, end: int) -> Iterable[Buffer]:
        with self._lock:
            self.gets += 1
            self.bytes += end - start
        return self._source.get(one.object, start, end, self._how.pins)

    def is_still(self, one: Range) -> bool:
        """Whether the object is the one that was listed: the last look, where it took more than one request to read."""
        if one.object.version is not None:
            return True
        now = self._source.head(one.object.name)
        with self._lock:
            self.gets += 1
        return (now.etag, now.size) == (one.object.etag, one.object.size)


def sum_range(source: Counting, mac: Mac, one: Range, get_size: int, pool: ThreadPoolExecutor | None) -> Segment:
    """The segment of a range. Raises Problem."""

    def piece(start: int) -> Segment:
        stream = SegmentStream(mac, offset=start)
        for data in source.get(one, start, min(start + get_size, one.end)):
            stream.update(data)
        return stream.segment()

    starts = range(one.start, max(one.end, one.start + 1), get_size)
    if len(starts) == 1:
        return piece(one.start)
    if pool is None:
        segment = combine([piece(start) for start in starts])
    else:
        futures = [pool.submit(piece, start) for start in starts]
        try:
            segment = combine([future.result() for future in futures])
        except Problem:
            for future in futures:
                future.cancel()
            raise
    if one.is_whole and not source.is_still(one):
        raise Problem("changed", "it was replaced while it was read")
    return segment


def work(task: Task, source: Source | None = None) -> Result:
    """Reads and sums the ranges of a task. Raises Refused; what is wrong with an object is in its part."""
    began, cpu = time.monotonic(), time.process_time()
    how = task.how
    if how.get_size % BLOCK:
        raise ValueError("requests are of whole blocks")
    key = key_at(how.key_path)
    if key.id != how.key_id:
        raise Refused(f"{worker_name()}: it has the key {key.id}, not {how.key_id}")
    states = States(key, how.run)
    counting = Counting(source or _store(how.url), how)
    is_one = len(task.ranges) == 1

    def part(one: Range, pool: ThreadPoolExecutor | None) -> Part:
        try:
            segment = sum_range(counting, mac_of(how.key_path, one.shard), one, how.get_size, pool)
        except Problem as problem:
            return Part(one, problem=problem.kind, detail=problem.detail)
        return Part(one, sealed=states.seal(segment, one.binding(how.run)))

    with ThreadPoolExecutor(how.gets if is_one else SMALL) as pool:
        if is_one:
            parts: tuple[Part, ...] = (part(task.ranges[0], pool),)
        else:

            def alone(one: Range) -> Part:
                return part(one, None)

            parts = tuple(pool.map(alone, task.ranges))
    return Result(
        parts, worker_name(), counting.gets, counting.bytes, time.process_time() - cpu, time.monotonic() - began
    )


@lru_cache(maxsize=4)
def speed_of(key_path: str | None) -> float:
    """Bytes a second that this machine sums from its memory, to see that its kernel is the one to expect."""
    data = bytes(64 << 20)
    mac = mac_of(key_path, None)
    Segment(mac, data[: 1 << 20])
    began = time.perf_counter()
    Segment(mac, data)
    return len(data) / (time.perf_counter() - began)


def introduce(key_path: str | None = None) -> dict[str, str | float]:
    """What a worker says of itself. Never a secret."""
    try:
        key = key_at(key_path)
    except Refused as refused:
        return {"worker": worker_name(), "error": str(refused)}
    kernel = mac_of(key_path, None).kernel
    return {
        "worker": worker_name(),
        "key": key.id,
        "algorithm": key.algorithm,
        "kernel": kernel,
        "bytes_per_second": speed_of(key_path),
        "version": version("wegman"),
    }
