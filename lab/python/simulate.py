"""wegman-cluster's own coordinator over simulated workers and a store whose names are never in memory, on a virtual clock.

    python lab/python/simulate.py [CASE ...]       flat hashes dirs comb lost petabyte large; all by default
    python lab/python/simulate.py fake [OBJECTS ...]

A worker's times are the constants below. Names, jobs, results and journal are real: they are sealed, opened and written. `fake` has real
workers, too: two processes, for a store that answers a LIST after LATENCY, and whose objects cost nothing.
"""

import bisect
import heapq
import json
import random
import resource
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from wegman._native import KeyFile, States
from wegman import cluster, files
from wegman.cluster import Options, Report
from wegman.cluster._coordinator import Coordinator, Range
from wegman.cluster._journal import Journal
from wegman.cluster._places import sealed
from wegman.cluster._ranges import PAGE, cut, even, split
from wegman.cluster._store import Object, Page
from wegman.cluster._work import MANY, RATE, REQUEST, binding, work

# The store's: seconds until it answers; and a worker's network, bytes a second (1 Gbit/s).
LATENCY, LISTING, NETWORK = 0.05, 0.1, 117e6
# Measured by `scripts/cluster --steps constants` on this code and two cores: processor seconds of a page of a list, of an object of 1 kB, of a byte, and of
# a row of a shard, and seconds until a job of Dask begins.
LIST_CPU, OBJECT, BYTE, ROW, START = 0.01321, 0.000209, 3.053e-10, 4.40e-06, 0.0107
LIST, BANDWIDTH, OBJECTS = LISTING + LIST_CPU, min(NETWORK, 1 / BYTE), min(MANY / LATENCY, 1 / OBJECT)
WORKERS = 1000
GIB, TIB, BILLION = 1 << 30, 1 << 40, 10**9


class Space:
    """A sorted sequence of names, of objects of one size."""

    def __init__(self, count: int, name: Callable[[int], str], size: int) -> None:
        self.count, self.name, self.size = count, name, size

    def after(self, name: str | None) -> int:
        """How many names are not after this one."""
        if name is None:
            return self.count
        return bisect.bisect_right(range(self.count), name.encode(), key=lambda i: self.name(i).encode()) if name else 0


class Handle:
    """A job that was given out."""

    def cancel(self) -> None: ...


class Workers:
    """An engine in which no time passes but on its own clock."""

    name = "simulated"

    def __init__(self, space: Space, key: KeyFile, lost: float) -> None:
        self.space, self.key, self.lost = space, key, lost
        self.clock, self.free, self.busy, self.cpu = 0.0, WORKERS, 0.0, 0.0
        self.states: States | None = None
        self.queue: list[tuple[Handle, str, dict[str, Any]]] = []
        self.events: list[tuple[float, int, Handle, str, Any]] = []
        self.random, self.count, self.all_busy = random.Random(1), 0, 0.0

    def width(self) -> int:
        return WORKERS

    def now(self) -> float:
        return self.clock

    def submit(self, run: str, number: str, job: bytes) -> Handle:
        began = time.thread_time()
        self.states = self.states or States(self.key, run)
        handle = Handle()
        self.queue.append((handle, number, json.loads(self.states.open_bytes(job, binding("job", number)))))
        self._begin()
        self.cpu += time.thread_time() - began
        return handle

    def _begin(self) -> None:
        while self.free and self.queue:
            handle, number, job = self.queue.pop(0)
            seconds, result = self._do(job)
            self.free -= 1
            if not self.free and not self.all_busy:
                self.all_busy = self.clock
            if self.random.random() < self.lost:
                seconds, result = seconds * self.random.random(), None
            self.busy += seconds
            self.count += 1
            heapq.heappush(self.events, (self.clock + seconds, self.count, handle, number, result))

    def wait(self, seconds: float) -> Iterator[tuple[Handle, bytes | BaseException]]:
        began = time.thread_time()
        end, found = self.clock + seconds, []
        while self.events and self.events[0][0] <= (self.clock + 1e-3 if found else end):
            at, _, handle, number, result = heapq.heappop(self.events)
            self.clock = max(self.clock, at)
            self.free += 1
            assert self.states is not None
            said = {**(result or {}), "worker": "simulated", "cpu": 0.0}
            data = self.states.seal_bytes(json.dumps(said).encode(), binding("result", number))
            found.append((handle, OSError("lost") if result is None else data))
        if not found:
            self.clock = end
        self._begin()
        self.cpu += time.thread_time() - began
        yield from found

    def _done(self, upto: str | None, rows: int) -> dict[str, Any]:
        counts = {"tagged": rows}
        return {
            "kind": "done", "upto": upto, "counts": counts, "bytes": rows * self.space.size, "problems": [],
            "file": f"shard-{secrets.token_hex(8)}", "tag": "0" * 32,
        }  # fmt: skip

    def _do(self, job: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """What a worker does with a job: how long that takes, and the result."""
        space, size = self.space, self.space.size
        if job["kind"] == "sum":
            return START + (job["end"] - job["start"]) / BANDWIDTH, {"sum": "0" * 96}
        if job["kind"] == "close":
            return START + 2 * LIST, {"pieces": [self._done(job["upto"], 1)]}
        after, upto, shares = job["after"], job["upto"], job["shares"]
        first, end = space.after(after), space.after(upto)
        lists = 1
        if shares > 1 and end - first > PAGE:

            def first_after(name: str) -> str | None:
                nonlocal lists
                lists += 1
                at = space.after(name)
                return space.name(at) if at < space.count else None

            cuts = split(first_after, space.name(first + PAGE - 1), upto)
            if cuts:
                # The search is one after the other, the probes are 32 at once.
                return START + LIST * (3 + 10), {"lists": lists, "pieces": cut(cuts, upto)}
        elif shares > 1:
            cost = REQUEST + min(size, job["grain"]) / RATE
            costs = [(space.name(i), cost) for i in range(first, end)]
            cuts = even(costs, min(shares, int(cost * len(costs) / job["seconds"])))
            if cuts:
                return START + LIST, {"lists": 1, "pieces": cut(cuts, upto)}
        if size > job["grain"] and end > first:
            name = space.name(first)
            pieces = [{"kind": "large", "upto": name, "object": [name, size, "e", None], "shard": "0" * 16, "row": None}]
            return START + LIST, {"lists": 1, "pieces": pieces + ([{"kind": "rest", "upto": upto}] if name != upto else [])}
        rate = min(OBJECTS, BANDWIDTH / size)
        rows = min(end - first, max(1, int(rate * job["seconds"])), job["most"], max(1, job["most_bytes"] // size))
        lists += rows // PAGE
        seconds = START + LIST + max(rows / rate, (lists - 1) * LIST) + rows * ROW
        last = upto if first + rows == end else space.name(first + rows - 1)
        pieces = [self._done(last, rows)]
        return seconds, {"lists": lists, "gets": rows, "pieces": pieces if last == upto else [*pieces, {"kind": "rest", "upto": upto}]}


def flat(i: int) -> str:
    return f"data/2026/{i:012}.parquet"


def hashes(i: int) -> str:
    return f"{(i << 64) // BILLION:016x}"


def directories() -> Callable[[int], str]:
    """365 directories, sizes by Zipf."""
    shares = [1 / (k + 1) ** 1.1 for k in range(365)]
    random.Random(7).shuffle(shares)
    sizes = [int(share / sum(shares) * BILLION) + 1 for share in shares]
    starts = [sum(sizes[:k]) for k in range(365)]

    def name(i: int) -> str:
        k = bisect.bisect_right(starts, i) - 1
        return f"logs/2026/{k:03}/host-{k % 10}/{i - starts[k]:09}.gz"

    return name


def comb(i: int) -> str:
    """Half of what is left at each of forty levels."""
    k = min(39, (BILLION - 1).bit_length() - (BILLION - 1 - i).bit_length())
    return "z/" * (k * 10) + f"a{i:010}"


def simulate(label: str, space: Space, lost: float = 0.0) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files.keygen(f"{folder}/key")
        key = KeyFile(f"{folder}/key")
        engine, journal, report = Workers(space, key, lost), Journal(f"{folder}/journal", key, {}), Report()
        job = {"verb": "tag", "is_plain": False, "place": None}
        first: list[float] = []

        def progress(now: Report) -> None:
            if now.shards and not first:
                first.append(engine.clock)

        coordinator = Coordinator(engine, key, journal, job, Options(), report, on_progress=progress)
        began = time.thread_time()
        coordinator.run([Range("", None)])
        cpu = time.thread_time() - began - engine.cpu
        began = time.thread_time()
        pieces = coordinator.pieces([Range("", None)])
        rows = [(str(piece.file).encode(), bytes(16), (piece.upto or "").encode()) for piece in pieces]
        root, _ = sealed(key, rows, root=True)
        assert report.counts == {"tagged": space.count}, report.counts
        ideal = space.count * max(1 / OBJECTS, space.size / BANDWIDTH) / WORKERS
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        size = Path(f"{folder}/journal").stat().st_size / 1e6
        print(
            f"{label}: {engine.clock / 3600:.2f} h (ideal {ideal / 3600:.2f}), all busy after {engine.all_busy:.0f} s, first shard {first[0]:.0f} s; "
            f"coordinator {cpu:.1f} CPU s, {cpu / report.jobs * 1e3:.2f} ms a job, {cpu / space.count * 1e6:.4f} us an object; {report.jobs} jobs, "
            f"{report.again} again, {len(pieces)} shards, {report.lists} LISTs; journal {size:.0f} MB, root {len(root) / 1e6:.1f} MB in "
            f"{time.thread_time() - began:.1f} s; {peak} MiB",
            flush=True,
        )
        journal.close(is_done=True)


class Fake:
    """A store of numbered objects without bytes."""

    def __init__(self, count: int) -> None:
        self.space = Space(count, numbered, 0)

    def page(self, after: str, most: int) -> Page:
        time.sleep(LATENCY)
        first = self.space.after(after)
        last = min(first + most, self.space.count)
        return [Object(numbered(i), 0, "e") for i in range(first, last)], last == self.space.count

    def head(self, name: str) -> Object:
        return Object(name, 0, "e")

    def get(self, one: Object, start: int, end: int) -> Iterator[bytes]:
        yield b""


def numbered(i: int) -> str:
    return f"{i:012}"


def alone(key_path: str, place: str, source: Fake, after: str, upto: str | None) -> float:
    """What a worker takes for a range without a coordinator: processor seconds."""
    states = States(KeyFile(key_path), "00" * 16)
    job = {
        "kind": "walk", "verb": "tag", "after": after, "upto": upto, "shares": 1, "seconds": 1e6, "most": 100_000, "most_bytes": 1 << 60, "place": place,
        "is_plain": False, "all": False, "include": [], "exclude": [], "beside": "(?!)", "versions": False, "grain": 1 << 32, "get": 1 << 23, "gets": 4,
        "keeps": True,
    }  # fmt: skip
    cpu = 0.0
    while job["after"] != upto:
        result = work("00" * 16, "0", states.seal_bytes(json.dumps(job).encode(), binding("job", "0")), key_path, source)
        said = json.loads(states.open_bytes(result, binding("result", "0")))
        cpu += said["cpu"]
        job["after"] = said["pieces"][0]["upto"]
    return cpu


def fake(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(2) as pool:
        files.keygen(f"{folder}/key")
        Path(folder, "tree").mkdir()
        Path(folder, "alone").mkdir()
        source, middle = Fake(count), numbered(count // 2)
        ranges = [("", middle), (middle, None)]
        began = time.monotonic()
        by_themselves = sum(
            one.result() for one in [pool.submit(alone, f"{folder}/key", f"file://{folder}/alone/", source, *ends) for ends in ranges]
        )
        alone_wall = time.monotonic() - began
        print(f"fake, {count} objects: two workers alone {alone_wall:.1f} s; now with the coordinator", file=sys.stderr)
        told: list[tuple[float, int]] = [(0.0, 0)]

        def progress(now: Report) -> None:
            if now.objects != told[-1][1]:
                # A long run says now and then that it goes on.
                if now.seconds // 60 != told[-1][0] // 60:
                    print(f"after {now.seconds:.0f} s: {now.objects} objects", file=sys.stderr)
                told.append((now.seconds, now.objects))

        cpu = time.process_time()
        report = cluster.tag("memory", f"{folder}/key", f"file://{folder}/tree/", executor=pool, workers=2, source=source, on_progress=progress)
        cpu = time.process_time() - cpu
        assert report.counts == {"tagged": count}, report
        gaps = [second[0] - first[0] for first, second in zip(told, told[1:], strict=False)]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"fake, {count} objects, 2 workers: coordinator {cpu / count * 1e6:.2f} us of processor time an object, {peak:.0f} MiB; first objects after "
            f"{told[1][0]:.1f} s, then at least every {max(gaps[1:], default=0):.1f} s; {report.seconds:.1f} s, workers {report.cpu - cpu:.1f} CPU s; "
            f"two workers alone {alone_wall:.1f} s, {by_themselves:.1f} CPU s; {report.jobs} jobs, {report.shards} shards",
            flush=True,
        )


CASES: dict[str, Callable[[], None]] = {
    "flat": lambda: simulate("10^9 x 100 kB, one directory", Space(BILLION, flat, 100_000)),
    "hashes": lambda: simulate("10^9 x 100 kB, hashes", Space(BILLION, hashes, 100_000)),
    "dirs": lambda: simulate("10^9 x 100 kB, 365 directories by Zipf", Space(BILLION, directories(), 100_000)),
    "comb": lambda: simulate("10^9 x 100 kB, a comb 40 deep", Space(BILLION, comb, 100_000)),
    "lost": lambda: simulate("10^9, hashes, 1 % of jobs lost", Space(BILLION, hashes, 100_000), 0.01),
    "petabyte": lambda: simulate("1 PB in objects of 1 GiB", Space(10**15 // GIB, flat, GIB)),
    "large": lambda: simulate("1 PB in objects of 1 TiB", Space(10**15 // TIB, flat, TIB)),
}

if __name__ == "__main__":
    if sys.argv[1:2] == ["fake"]:
        for words in sys.argv[2:] or ["1000000"]:
            fake(int(words))
    else:
        for case in sys.argv[1:] or CASES:
            CASES[case]()
