"""The coordinator: gives out ranges of names, and takes results that tile them. It knows ranges, counts and seals, and no objects."""

import secrets
import time
from base64 import b64decode, b64encode
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from json import dumps, loads
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from wegman import InvalidTag
from wegman._native import KeyFile
from wegman.cluster._journal import Journal
from wegman.cluster._places import About, Piece, Place
from wegman.cluster._ranges import before, raw, tiles
from wegman.cluster._store import first_line, shown
from wegman.cluster._work import PATIENCE, REFUSED, binding, row_of, to_row, work, worker_name

GIB, MIB = 1 << 30, 1 << 20
# A job that is lost, or whose result is none, is given out again so often.
ATTEMPTS = 6
GOES_ON = "with --state, and for check with --resume-within, the same command continues"
# What of an object is bad: the content, the bytes, the list.
FAILED = ("failed", "changed", "missing", "disagreed")


class ClusterError(Exception):
    """The run can't go on. The text says why; what was done is in the state file, if there is one."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is cut, and how much of it is done twice.

    grain: an object of more bytes is read by several workers, in parts of so many. get_size, gets: bytes of a request, and requests at
    once for such a part. rows, bytes: when a shard is closed. seconds: how long a job may take; 0: as long as is good for progress.
    """

    grain: int = 4 * GIB
    get_size: int = 8 * MIB
    gets: int = 4
    twice: float = 0.0
    rows: int = 100_000
    bytes: int = 1 << 40
    seconds: float = 0.0
    patience: float = 60.0

    def __post_init__(self) -> None:
        if self.get_size % 16 or self.get_size <= 0 or self.grain % self.get_size or self.grain <= 0:
            raise ValueError("grain must be a multiple of get_size, and get_size a multiple of 16")
        if self.grain > 64 * GIB:
            raise ValueError("a grain has at most 64 GiB")
        if not 0 <= self.twice <= 1:
            raise ValueError(f"{self.twice} is not a share, from 0 to 1, of the jobs to do twice")


class Outcome(NamedTuple):
    """What became of an object.

    status: of tag "tagged"; of check "ok", "failed", or "new" for what the manifest does not have; of retag "unchanged", "tagged",
    "changed", "new" or "removed". Of all: "changed" (it was replaced meanwhile), "missing", "unreadable", "unnamed" (no manifest can have
    its name), "disagreed" (two workers found different things).
    """

    name: str
    status: str
    size: int | None = None
    detail: str = ""
    tag: str | None = None


@dataclass(slots=True)
class Report:
    """What was found so far, and what it took.

    `exit` is 0 if everything is as it should be, 1 if something changed, failed or is missing, and 2 if something could not be read.
    own_cpu: of `cpu`, the coordinator's own. earlier: objects whose results rest on what an earlier run has read. refused: results that
    were not of their job, or not of this key. remarks: what else there is to say.
    """

    counts: Counter[str] = field(default_factory=Counter[str])
    bytes: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    own_cpu: float = 0.0
    workers: int = 0
    jobs: int = 0
    gets: int = 0
    lists: int = 0
    shards: int = 0
    earlier: int = 0
    again: int = 0
    refused: int = 0
    twice: int = 0
    about: About | None = None
    engine: str = ""
    remarks: list[str] = field(default_factory=list[str])
    fails_on_new: bool = False

    @property
    def objects(self) -> int:
        return self.counts.total()

    @property
    def exit(self) -> int:
        if any(self.counts[status] for status in FAILED) or (self.fails_on_new and self.counts["new"]):
            return 1
        return 2 if self.counts["unreadable"] or self.counts["unnamed"] else 0

    @property
    def ok(self) -> bool:
        return self.exit == 0

    def record(self) -> dict[str, Any]:
        """For JSON."""
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in {"counts", "about"}}
        numbers = {name: round(n, 3) if isinstance(n, float) else n for name, n in found.items()}
        return {**self.counts, "objects": self.objects, **numbers, **(self.about._asdict() if self.about else {})}


@contextmanager
def reaching() -> Generator[None]:
    """Whatever Dask calls it."""
    try:
        yield
    except Exception as error:
        raise ClusterError(f"the scheduler is lost; {GOES_ON}: {error}") from error


class Pool:
    """Who works on jobs: any executor of `concurrent.futures`, also Dask's. What has its methods can take its place."""

    def __init__(self, executor: Executor, count: Callable[[], int], name: str, *more: Any) -> None:
        self._executor, self._count, self.name, self._more = executor, count, name, more
        self._queue: SimpleQueue[Future[bytes]] = SimpleQueue()

    def now(self) -> float:
        return time.monotonic()

    @reaching()
    def width(self) -> int:
        return self._count()

    @reaching()
    def submit(self, run: str, number: str, job: bytes) -> Any:
        future = self._executor.submit(work, run, number, job, *self._more)
        future.add_done_callback(self._queue.put)
        return future

    def wait(self, seconds: float) -> Iterable[tuple[Any, bytes | BaseException]]:
        with suppress(Empty):
            future = self._queue.get(timeout=seconds)
            while True:
                yield future, InterruptedError("it was cancelled") if future.cancelled() else future.exception() or future.result()
                future = self._queue.get_nowait()


@dataclass(slots=True)
class Range:
    """Names to do, and what the manifest has of them. keeps: whether the shard that is made may be one of those, with its key."""

    after: str
    upto: str | None
    known: Sequence[Piece] = ()
    keeps: bool = True

    def of(self, rows: Sequence[Any], name: Callable[[Any], str]) -> Sequence[Any]:
        """Those of sorted rows that have a name in it."""
        low, high = (bisect_right(rows, raw(end), key=lambda row: raw(name(row))) for end in (self.after, self.upto or ""))
        return rows[low:] if self.upto is None else rows[low:high]


@dataclass(slots=True)
class _Flight:
    job: dict[str, Any]
    number: str
    range: Range
    late: float


@dataclass(slots=True)
class _Large:
    """An object of which parts are summed. job: what is done with the sums. is_earlier: some are of a run before."""

    range: Range
    job: dict[str, Any]
    missing: set[int]
    is_earlier: bool


@dataclass(slots=True)
class Coordinator:
    """One run over ranges. What is done is in `done`, by the name after which it begins.

    job: what all jobs have. place: where shards are read and written that workers can't reach. expect: sorted names. files: the shards that
    this run has made; loose: of them those with an object that could not be read, which no journal has.
    """

    engine: Pool
    key: KeyFile
    journal: Journal
    job: dict[str, Any]
    options: Options
    report: Report
    place: Place | None = None
    on_object: Callable[[Outcome], None] = lambda outcome: None
    on_progress: Callable[[Report], None] = lambda report: None
    expect: Sequence[str] = ()
    done: dict[str, Piece] = field(default_factory=dict[str, Piece])
    files: set[str] = field(default_factory=set[str])
    loose: set[str] = field(default_factory=set[str])
    _pending: list[Range] = field(default_factory=list[Range])
    _ready: list[tuple[dict[str, Any], Range]] = field(default_factory=list[tuple[dict[str, Any], Range]])
    _flights: dict[Any, _Flight] = field(default_factory=dict[Any, _Flight])
    _late: dict[Any, _Flight] = field(default_factory=dict[Any, _Flight])
    _large: dict[str, _Large] = field(default_factory=dict[str, _Large])
    _attempts: Counter[str] = field(default_factory=Counter[str])
    _looks: float = 0.0

    def __post_init__(self) -> None:
        self.job = {**self.job, "grain": self.options.grain, "get": self.options.get_size, "gets": self.options.gets}

    # What is to do.

    def run(self, ranges: Sequence[Range]) -> list[Piece]:
        """Does these ranges, of which it returns the pieces in order. Raises ClusterError."""
        began, cpu, all_cpu = self.engine.now() - self.report.seconds, time.thread_time() - self.report.own_cpu, time.process_time()
        self._pending = [*reversed(self._resume(ranges))]
        idle_since = self.engine.now()
        try:
            while self._pending or self._ready or self._flights:
                width = self.report.workers = max(0, self.engine.width())
                if width:
                    idle_since = self.engine.now()
                elif self.engine.now() - idle_since > self.options.patience:
                    raise ClusterError(f"there are no workers for {self.options.patience:.0f} s: start some, and run this again")
                self._give_out(width)
                for handle, outcome in self.engine.wait(1.0):
                    self._take(handle, outcome)
                self.journal.flush()
                self._look_for_late()
                self.report.seconds = self.engine.now() - began
                self.report.own_cpu = time.thread_time() - cpu
                self.on_progress(self.report)
        finally:
            self.journal.flush()
            for handle in self._flights:
                handle.cancel()
            self.report.cpu += time.process_time() - all_cpu
        return self.pieces(ranges)

    def pieces(self, ranges: Sequence[Range]) -> list[Piece]:
        """What is done of these ranges, in order. Raises ClusterError if that is not all of it."""
        found: list[Piece] = []
        for one in ranges:
            at: str | None = one.after
            while at is not None and at != one.upto and at in self.done:
                found.append(self.done[at])
                at = found[-1].upto
            if at != one.upto:
                raise ClusterError("the ranges do not meet: this should not happen")
        return found

    def join(self, ranges: Sequence[Range]) -> None:
        """Joins shards that lost at least as many rows as they kept with a neighbour. So no more is read than was removed."""
        joins: list[Range] = []
        before_it: Piece | None = None
        for piece in self.pieces(ranges):
            if piece.file is None:
                continue
            both = [before_it, piece] if before_it is not None else []
            is_small = any(one.removed >= one.count for one in both)
            if is_small and sum(one.count for one in both) <= self.options.rows and sum(one.size for one in both) <= self.options.bytes:
                joins.append(Range(both[0].after, piece.upto, both))
                before_it = None
            else:
                before_it = piece
        for one in self.pieces(joins):
            del self.done[one.after]
        self.run(joins)

    def _give_out(self, width: int) -> None:
        room = int(width * 1.1) + 1 - len(self._flights)
        while room > 0 and self._ready and width:
            self._submit(*self._ready.pop(), 3600.0)
            room -= 1
        idle, count = width - len(self._flights), len(self._pending)
        is_scarce, is_one_shard = count < idle, self.job["verb"] == "retag" and not self.job["is_plain"]
        for _ in range(min(room, count) if width else 0):
            one = self._pending.pop()
            # The fewer the workers, the shorter their jobs, and the first end one after another: somebody should see that something is done.
            share = 1.0 if self.report.jobs >= 2 * width else 0.2 + 0.8 * (self.report.jobs * 0.618 % 1)
            seconds = self.options.seconds or max(1.5, share * min(10.0 if is_scarce else 60.0, width / 2))
            # A shard that is retagged is cut by its rows alone.
            attempts = 0 if is_one_shard else self._attempts[f"{one.after}\0{one.upto}"]
            limits = {"seconds": seconds, "most": max(1, self.options.rows // 10**attempts), "most_bytes": self.options.bytes}
            job = {**self.job, "kind": "walk", "shares": max(2, idle // count) if is_scarce else 1, **limits}
            # A large object of a slow store takes longer than a worker that is lost is waited for.
            self._submit(job, one, 24 * 3600.0 if is_one_shard else (2 * seconds + PATIENCE + 60.0) * 2**attempts)

    def _submit(self, job: dict[str, Any], one: Range, limit: float) -> None:
        number = secrets.token_hex(8)
        job |= {"after": one.after, "upto": one.upto}
        if job["kind"] == "walk":
            # What a worker is to know of the manifest, and two shards that become one have been retagged.
            job |= {"keeps": one.keeps, "known": [self._known(piece) for piece in one.known if piece.file is not None]}
            job["rows"] = [to_row(row) for piece in one.known for row in one.of(piece.rows, lambda row: str(row.name))]
            job["joins"] = len(one.known) > 1
            job["expect"] = [] if job["joins"] else one.of(self.expect, str)
        self.report.jobs += 1
        sealed = self.journal.states.seal_bytes(dumps(job).encode(), binding("job", number))
        handle = self.engine.submit(self.journal.run, number, sealed)
        self._flights[handle] = _Flight(job, number, one, self.engine.now() + limit)

    def _known(self, piece: Piece) -> list[Any]:
        both = self.place.shard(str(piece.file)) if self.place is not None else ()
        return [piece.file, piece.tag, piece.after, piece.upto, *(b64encode(data).decode() for data in both)]

    def _look_for_late(self) -> None:
        now = self.engine.now()
        if now < self._looks:
            return
        self._looks = now + 5.0
        for handle, flight in [(handle, flight) for handle, flight in self._flights.items() if flight.late < now]:
            self._late[handle] = self._flights.pop(handle)
            handle.cancel()
            self._again(flight, f"no answer for {PATIENCE:.0f} s and more")

    # What came.

    def _take(self, handle: Any, outcome: bytes | BaseException) -> None:
        is_late = handle in self._late
        flight = self._late.pop(handle, None) or self._flights.pop(handle, None)
        if flight is None:
            return
        if isinstance(outcome, bytes) and outcome.startswith(REFUSED):
            raise ClusterError(shown(outcome.removeprefix(REFUSED).decode(errors="replace"))[:500])
        if isinstance(outcome, BaseException):
            if not is_late:
                self._again(flight, f"{type(outcome).__name__}: {first_line(outcome)}")
            return
        try:
            result = loads(self.journal.states.open_bytes(outcome, binding("result", flight.number)))
            report = self.report
            report.gets += int(result.get("gets", 0))
            report.lists += int(result.get("lists", 0))
            report.cpu += float(result["cpu"]) if result["worker"] != worker_name() else 0.0
            if is_late:
                # Somebody else does it meanwhile.
                if self.place is None and self.job.get("place"):
                    files = {str(piece["file"]) for piece in result.get("pieces", ()) if piece.get("file")}
                    Place(self.job["place"], self.key).remove(files - {one.file for one in flight.range.known})
                return
            if "stop" in result:
                code, detail = result["stop"]
                raise ClusterError(f"{detail}{'' if code in detail else f' ({code})'}: when that is mended, {GOES_ON}")
            self._take_result(flight, result)
        except (InvalidTag, KeyError, TypeError, ValueError, AttributeError) as error:
            self.report.refused += 1
            if not is_late:
                self._again(flight, f"what came is no result of it: {error}")

    def _again(self, flight: _Flight, why: str) -> None:
        job, one = flight.job, flight.range
        self.report.again += 1
        place = f"{one.after}\0{one.upto}" + (f"\0{job['kind']} {job.get('start')}" if job["kind"] != "walk" else "")
        self._attempts[place] += 1
        if self._attempts[place] >= ATTEMPTS:
            names = f"the names after {shown(one.after)!r}" if one.after else "the first names"
            raise ClusterError(f"the job for {names} failed {ATTEMPTS} times: {shown(why)[:300]}")
        if job["kind"] == "walk" and "sample" not in job:
            self._pending.append(one)
        else:
            self._ready.append((job, one))

    def _take_result(self, flight: _Flight, result: dict[str, Any]) -> None:
        job, one = flight.job, flight.range
        if job["kind"] == "sum":
            # It is closed already if another part of it could not be read.
            if one.after in self._large:
                self._take_sum(job["start"], self._large[one.after], result)
            return
        pieces = result["pieces"]
        ends = [piece["upto"] for piece in pieces]
        if not tiles(one.after, one.upto, ends):
            raise ValueError("its pieces are not its range")
        if "sample" in job:
            self._compare(job, one, pieces)
            return
        if not {piece["kind"] for piece in pieces} <= ({"done"} if job["kind"] == "close" else {"done", "large", "rest"}):
            raise ValueError("its pieces are of another kind")
        parts = [replace(one, after=at, upto=end) for at, end in zip([one.after, *ends], ends, strict=False)]
        # All of it is read before any of it counts.
        dones = [_done(part, piece) if piece["kind"] == "done" else None for part, piece in zip(parts, pieces, strict=True)]
        for part, piece, done in zip(parts, pieces, dones, strict=True):
            if done is not None:
                self._take_done(part, piece, done, job)
            elif piece["kind"] == "large":
                self.journal.put(["large", part.after, piece])
                self._begin_large(part, piece)
            else:
                part.keeps = bool(piece.get("keeps"))
                self._pending.append(part)

    def _take_done(self, one: Range, piece: dict[str, Any], done: Piece, job: dict[str, Any]) -> None:
        counts: Counter[str] = Counter(piece["counts"])
        if self.place is not None and "data" in piece:
            self.place.put_shard(piece["file"], b64decode(piece.pop("data")), b64decode(piece.pop("index")))
        large = self._large.pop(one.after, None)
        self.done[one.after] = done
        self._tell(counts, piece, large is not None and large.is_earlier)
        if done.file is not None and done.file not in {known.file for known in one.known}:
            self.files.add(done.file)
            self.loose |= {done.file} if counts["unreadable"] else set()
        if not counts["unreadable"]:
            self.journal.put(["done", one.after, piece])
        if secrets.SystemRandom().random() < self.options.twice and job["kind"] == "walk" and job["verb"] in {"tag", "check"} and counts.total():
            self.report.twice += 1
            sample = {"kind": "walk", "verb": "check", "sample": dict(counts), "shares": 1, "seconds": 3600.0, "most": 1 << 30, "most_bytes": 1 << 62}
            self._ready.append(({**self.job, **sample}, replace(one, known=[done]) if job["verb"] == "tag" else one))

    def _tell(self, counts: Counter[str], piece: dict[str, Any], is_earlier: bool) -> None:
        report = self.report
        report.counts += counts
        report.bytes += int(piece["bytes"])
        report.shards += bool(piece.get("file"))
        report.earlier += counts.total() if is_earlier else 0
        for name, status, size, why, tag in piece["problems"]:
            said = "; ".join(filter(None, (why, "read before this run" if is_earlier else "")))
            self.on_object(Outcome(str(name), str(status), size, said, tag))

    def _compare(self, job: dict[str, Any], one: Range, pieces: list[dict[str, Any]]) -> None:
        """What a second worker found of the same names."""
        counts: list[Counter[str]] = [Counter(piece.get("counts", {})) for piece in [{"counts": job["sample"]}, *pieces]]
        first, found = counts[0], sum(counts[1:], Counter[str]())
        if found["ok"] + found["failed"] and (found["ok"], found["failed"]) != (first["ok"] + first["tagged"], first["failed"]):
            self.report.counts["disagreed"] += 1
            self.on_object(Outcome(one.after, "disagreed", detail=f"of the names after it, two workers found {dict(first)} and {dict(found)}"))

    # Large objects.

    def _begin_large(self, one: Range, piece: dict[str, Any], sums: dict[int, str] | None = None) -> None:
        size, known, job = int(piece["object"][1]), sums or {}, {**self.job, **piece}
        starts = range(0, size, self.options.grain)
        close = {**job, "kind": "close", "sums": [*known.values()], "problem": None}
        large = self._large[one.after] = _Large(one, close, {*starts} - {*known}, bool(known))
        for start in sorted(large.missing):
            self._ready.append(({**job, "kind": "sum", "start": start, "end": min(start + self.options.grain, size)}, one))
        if not large.missing:
            self._ready.append((close, one))

    def _take_sum(self, start: int, large: _Large, result: dict[str, Any]) -> None:
        if start not in large.missing:
            return
        if "problem" in result:
            large.job["problem"] = [str(word) for word in result["problem"]]
            # What is still worked on is of no use.
            large.missing.clear()
            self._ready = [(job, one) for job, one in self._ready if one is not large.range]
        else:
            large.job["sums"].append(result["sum"])
            large.missing.discard(start)
            self.journal.put(["part", large.range.after, start, result["sum"]])
        if not large.missing:
            self._ready.append((large.job, large.range))

    # What an earlier run has done.

    def _resume(self, ranges: Sequence[Range]) -> list[Range]:
        larges: dict[str, tuple[dict[str, Any], dict[int, str]]] = {}
        records, self.journal.records = self.journal.records, []
        for kind, after, *rest in records:
            if kind == "large":
                larges[after] = rest[0], {}
            elif kind == "part":
                larges[after][1][rest[0]] = rest[1]
            else:
                larges.pop(after, None)
                piece, self.done[after] = rest[0], _done(Range(after, rest[0]["upto"]), rest[0])
                self.files |= {piece["file"]} if piece.get("file") else set()
                self._tell(Counter(piece["counts"]), piece, is_earlier=True)
        left: list[Range] = []
        known = sorted({*self.done, *larges}, key=raw)
        for one in ranges:
            at: str | None = one.after
            while at is not None and at != one.upto:
                if at in self.done:
                    at = self.done[at].upto
                elif at in larges:
                    piece, sums = larges[at]
                    self._begin_large(replace(one, after=at, upto=piece["upto"]), piece, sums)
                    at = piece["upto"]
                else:
                    following = bisect_right(known, raw(at), key=raw)
                    end = known[following] if following < len(known) and before(known[following], one.upto) else one.upto
                    left.append(replace(one, after=at, upto=end, keeps=one.keeps and (at, end) == (one.after, one.upto)))
                    at = end
        return left


def _done(one: Range, piece: dict[str, Any]) -> Piece:
    """What a done piece has, if it is one. Raises KeyError, TypeError, ValueError."""
    if not all(isinstance(count, int) for count in piece["counts"].values()) or not all(len(row) == 5 for row in piece["problems"]):
        raise ValueError("it has no counts")
    rows = [row_of(row) for row in piece.get("rows", ())]
    names = [raw(one.after), *(raw(row.name) for row in rows)]
    if any(first >= second for first, second in zip(names, names[1:], strict=False)):
        raise ValueError("its rows are not in order")
    count, size, removed = int(piece.get("count", 0)), int(piece.get("size", 0)), int(piece["counts"].get("removed", 0))
    return Piece(one.after, one.upto, piece.get("file"), piece.get("tag", ""), rows, count, size, removed)
