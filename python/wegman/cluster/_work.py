"""What a worker does with a job: list its range, read, sum, compare, and seal its shard. It knows no engine, and nothing is pickled:
jobs and results are JSON, encrypted under the run's key and bound to their number.
"""

import os
import re
import secrets
import socket
import time
from base64 import b64decode, b64encode
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache, partial
from hashlib import sha256
from importlib.metadata import version
from json import dumps, loads
from threading import Condition, Lock
from typing import Any

from wegman import InvalidTag, Mac, Tag
from wegman._native import KeyFile, States
from wegman.cluster._places import ManifestError, Piece, Place, Row, new_shard, shard_rows
from wegman.cluster._ranges import PAGE, before, cut, even, raw, split
from wegman.cluster._store import STOPS, Object, Problem, Source, first_line, shown, source_at
from wegman.pmac import Segment, SegmentStream, combine

# Requests at once, and objects that are read beyond the oldest that is not done.
MANY, WINDOW = 32, 1024
# A job waits so long for the next bytes of the first object of its range, which is unreadable then, and so long for the others after its time.
PATIENCE, GRACE = 180.0, 5.0
# So long after its first object that broke off, a job reads such objects again; when one is good then, the time begins anew.
AGAIN = 30.0
# A job ends with so many objects that are not good; and so many in a row that the store refuses alike end the run.
MOST_PROBLEMS, ALIKE = 1000, 20
# What reading is taken to cost, to cut a range into equal work: seconds for a request, bytes in a second.
REQUEST, RATE = 0.001, 100e6
# What begins an answer that could not be sealed.
REFUSED = b"refused: "
# What no name in a manifest has; the others are bytes that are not UTF-8.
NO_NAME = re.compile("[\0\ud800-\udfff]")
# An object has no more parts: with the default grain, that is more than S3's largest.
MOST_GRAINS = 20_000
GOOD = frozenset({"ok", "tagged", "unchanged", "planned"})


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


def binding(kind: str, number: str) -> bytes:
    """What a job or a result is bound to, besides the run that its key is of."""
    return f"{kind} {number}".encode()


def work(run: str, number: str, data: bytes, key_path: str | None = None, source: Source | None = None) -> bytes:
    """Does a job. `source` takes the place of its URL's. What it can't do as a whole is said in the result."""
    cpu = time.process_time()
    try:
        key = key_at(key_path)
    except Refused as refused:
        return REFUSED + str(refused).encode()
    states = States(key, run)
    try:
        job = loads(states.open_bytes(data, binding("job", number)))
    except InvalidTag:
        return REFUSED + f"{worker_name()}: it has the key {key.id}, which did not seal the job".encode()
    result: dict[str, Any] = {}
    try:
        worker = Worker(job, key, source or source_at(job["url"], job["one"], run))
        try:
            result = {"walk": worker.walk, "sum": worker.sum, "close": worker.close}[job["kind"]]()
        finally:
            worker.end()
            result |= worker.said
    except ManifestError as error:
        result["stop"] = ["BadShard", str(error)]
    except Problem as problem:
        result["stop"] = [problem.code, problem.detail]
        # The next try has the credentials of then.
        source_at.cache_clear()
    result |= {"worker": worker_name(), "cpu": time.process_time() - cpu}
    return states.seal_bytes(dumps(result).encode(), binding("result", number))


@dataclass(slots=True)
class Entry:
    """A name in the store, in the manifest, or in both, and what becomes of it. outcome: its sums, or why there are none."""

    name: str
    object: Object | None
    row: Row | None
    # Whose keys it is read with. The second is that of a row which another shard takes.
    shards: tuple[str | None, ...] = ()
    # Of its bytes those that are read; to the end if that is None.
    start: int = 0
    end: int | None = None
    status: str | None = None
    detail: str = ""
    is_read: bool = False
    outcome: list[Segment] | BaseException | None = None
    # What the requests have that sum it now; others were given up.
    parts: list[list[Segment]] | None = None
    tries: int = 0
    # When something of it was heard, and whether a thread has begun with it.
    heard: float = 0.0
    has_begun: bool = False
    # Whether the next version is read.
    is_next: bool = False


class Worker:
    """One job."""

    def __init__(self, job: dict[str, Any], key: KeyFile, source: Source) -> None:
        self.job, self.key, self.source, self.verb = job, key, source, job["verb"]
        self.said: dict[str, Any] = {"gets": 0, "lists": 0}
        self._lock, self._has_ended = Lock(), False
        # What is to read, how many threads take from this, and the object for whose outcome the job waits.
        self._todo: deque[Callable[[], None]] = deque()
        self._busy, self._many = 0, MANY if job["kind"] == "walk" else job["gets"]
        self._awaited: Entry | None = None
        self._news = Condition(self._lock)
        # One more, so that reading does not keep the next page waiting.
        self._threads = ThreadPoolExecutor(self._many + 1)
        self._last_code, self._alike = "", 0
        # When any object was heard of, and until when objects that broke off are read again.
        self._heard, self._again = 0.0, float("inf")
        self._rows: list[Row] = []
        self._counts: Counter[str] = Counter()
        self._problems: list[list[Any]] = []
        self._bytes = 0
        self._place = Place(job["place"], key) if job.get("place") else None
        # Of the shard that is made; None is the key of plain manifests. And what all shards have of which rows are here.
        self.shard: str | None = None
        self._known: list[Row] = []
        self._includes, self._excludes = (
            re.compile("|".join(translate(glob) for glob in job[kind]) or default) for kind, default in (("include", ""), ("exclude", "(?!)"))
        )
        self._beside = re.compile(job["beside"])
        self._expect = frozenset(job.get("expect", ()))
        # Where a shard is cut, rows go to another, for which their objects are read: that is done where it is too large, not when time is up.
        self._is_one_shard = self.verb == "retag" and not job["is_plain"]

    def end(self) -> None:
        self._has_ended = True
        self._threads.shutdown(wait=False, cancel_futures=True)

    # Names.

    def _list(self, after: str, most: int = PAGE) -> tuple[Any, bool]:
        self.said["lists"] += 1
        return self.source.page(after, most)

    def _listed(self, first: tuple[Any, bool] | None = None) -> Iterator[Object]:
        """The objects of the range. Raises Problem if the list is not in order: then objects could be left out."""
        at, upto = self.job["after"], self.job["upto"]
        has_empty = False
        page, is_last = first or self._list(at)
        while True:
            following = None
            if not is_last:
                if not page or not before(at, page[-1].name):
                    raise Problem("unreadable", "the list of objects: it has another page after an empty one", "BadList")
                if before(page[-1].name, upto):
                    following = self._threads.submit(self._list, page[-1].name)
            for one in page:
                # The empty name, which is below every start, may come once, first.
                if not before(at, one.name) and (one.name or at or has_empty):
                    raise Problem("unreadable", f"the list of objects: {shown(one.name)!r} comes out of order", "BadList")
                if not before(one.name, upto) and one.name != upto:
                    return
                at, has_empty = one.name, not one.name
                yield one
            if following is None:
                return
            page, is_last = following.result()

    def _is_wanted(self, name: str) -> bool:
        if self._excludes.match(name) or not self._includes.match(name):
            return False
        return "part" not in self.job or is_of_part(self.key, name, self.job["part"])

    def _expected(self) -> list[Row]:
        """The rows that the manifest has in this range."""
        job = self.job
        after, upto = job["after"], job["upto"]
        rows = [row_of(row) for row in job.get("rows", ())]
        for file, tag, shard_after, shard_upto, *both in job.get("known", ()):
            data, index = self._place.shard(file) if self._place is not None else (b64decode(text) for text in both)
            try:
                rows += shard_rows(self.key, data, index, Piece(shard_after, shard_upto, file, tag))
            except InvalidTag:
                raise ManifestError(f"{file}: it is not the shard that the root has") from None
        self._known = rows
        rows = [row for row in rows if before(after, row.name) and (upto is None or not before(upto, row.name))]
        if not job["is_plain"] and self.verb in {"tag", "retag"}:
            shards = Counter(row.shard for row in rows)
            self.shard = shards.most_common(1)[0][0] if shards and job["keeps"] else secrets.token_hex(8)
        return rows

    def _limits(self, rows: list[Row]) -> tuple[int, int]:
        """How many rows and bytes a shard gets: if what is here is too much for one, all get about the same."""
        most, most_bytes = self.job["most"], self.job["most_bytes"]
        if not self._is_one_shard:
            return most, most_bytes
        new = self._expect.difference(row.name for row in rows)
        count, size = len(rows) + len(new), sum(row.object.size for row in rows if row.object)
        # New names that follow all others move none of them.
        if most // 2 <= len(rows) <= most < count and all(before(rows[-1].name, name) for name in new):
            return len(rows), most_bytes
        return _share(count, most), _share(size, most_bytes)

    def _cuts(self, rows: list[Row], page: list[Object], is_whole: bool) -> list[str]:
        """Names at which the range is cut for others who have nothing to do."""
        job = self.job
        shares, upto = job["shares"], job["upto"]
        if shares < 2 or self._is_one_shard:
            return []
        if is_whole:
            # A larger object is cut by itself.
            costs = [(one.name, REQUEST + min(one.size, job["grain"]) / RATE) for one in page]
            return even(costs, min(shares, int(sum(cost for _, cost in costs) / job["seconds"])))
        if rows:
            return even([(row.name, 1.0) for row in rows], min(shares, len(rows) // PAGE))

        def first_after(name: str) -> str | None:
            found = self._list(name, 1)[0]
            return found[0].name if found else None

        return split(first_after, page[-1].name, upto, self._threads.map)

    # Reading.

    def _read(self, entry: Entry) -> None:
        """Has an object read; `_awaits` has the outcome."""
        assert entry.object is not None
        entry.is_read, entry.has_begun, entry.heard = True, False, time.monotonic()
        # Others may wait for one that is read again.
        self._reads(partial(self._begin, entry), are_next=entry.tries > 0)

    def _hears(self, entry: Entry) -> None:
        entry.heard = self._heard = time.monotonic()

    def _reads(self, *tasks: Callable[[], None], are_next: bool = False) -> None:
        """Gives these to the threads. To hand each to the pool by itself costs as much as to sum a small object."""
        with self._lock:
            (self._todo.extendleft if are_next else self._todo.extend)(reversed(tasks) if are_next else tasks)
            more = min(len(tasks), self._many - self._busy)
            self._busy += more
        for _ in range(more):
            self._threads.submit(self._take_turns)

    def _take_turns(self) -> None:
        while True:
            with self._lock:
                if not self._todo or self._has_ended:
                    self._busy -= 1
                    return
                task = self._todo.popleft()
            task()

    def _awaits(self, entry: Entry, seconds: float | None = None) -> bool:
        """Whether the outcome of an object comes in time: by default as long as bytes of it come, or before it is begun any bytes."""
        limit = None if seconds is None else time.monotonic() + seconds
        with self._lock:
            self._awaited = entry
            while entry.outcome is None:
                heard = entry.heard if entry.has_begun else max(entry.heard, self._heard)
                left = (heard + PATIENCE if limit is None else limit) - time.monotonic()
                if left <= 0:
                    return False
                self._news.wait(left)
        return True

    def _ends(self, entry: Entry, parts: list[list[Segment]], outcome: list[Segment] | BaseException) -> None:
        """Takes what came of an object. One that broke off is read again at once, side by side with others."""
        with self._lock:
            if entry.parts is not parts:
                return
            entry.parts = None
            is_again = isinstance(outcome, Problem) and self._is_for_now(entry, outcome)
            if not is_again:
                entry.outcome = outcome
                if entry is self._awaited:
                    self._news.notify()
        if is_again:
            self._read(entry)
        elif entry.tries and not isinstance(outcome, BaseException):
            self._again = float("inf")

    def _is_for_now(self, entry: Entry, problem: Problem) -> bool:
        """Whether an object that could not be read may be good the next time."""
        # What is tagged may be the next version, but not of a part.
        entry.is_next = problem.kind == "changed" and self.verb != "check" and entry.end is None
        if not entry.is_next and (problem.kind != "unreadable" or problem.code):
            return False
        entry.tries += 1
        if entry.end is None:
            self._again = min(self._again, time.monotonic() + AGAIN)
        return entry.tries < 3 and time.monotonic() < self._again

    def _begin(self, entry: Entry) -> None:
        """Sums an object, or a part of it, under the keys of its shards."""
        parts = entry.parts = list[list[Segment]]()
        entry.has_begun = True
        self._hears(entry)
        assert entry.object is not None
        try:
            # Parts of a large object keep the ETag of the list: else each could be of another version.
            if entry.is_next or (self.job["versions"] and entry.object.version is None and entry.end is None):
                entry.object = self.source.head(entry.name)
            stop = entry.object.size if entry.end is None else entry.end
            starts = range(entry.start, max(stop, entry.start + 1), self.job["get"])
            if len(starts) > 1:
                # Before any other object, so that this one is done first.
                self._reads(*(partial(self._piece, entry, parts, len(starts), at, stop) for at in starts[1:]), are_next=True)
        except BaseException as error:
            self._ends(entry, parts, error)
            return
        self._piece(entry, parts, len(starts), starts[0], stop)

    def _piece(self, entry: Entry, parts: list[list[Segment]], count: int, at: int, stop: int) -> None:
        """Sums what one request gets, of so many."""
        one = entry.object
        if entry.parts is not parts or one is None:
            return
        try:
            streams = [SegmentStream(mac_of(self.key, shard), offset=at) for shard in entry.shards]
            for data in self.source.get(one, at, min(at + self.job["get"], stop)):
                self._hears(entry)
                for stream in streams:
                    stream.update(data)
            with self._lock:
                self.said["gets"] += 1
                parts.append([stream.segment() for stream in streams])
                is_last = len(parts) == count
            if is_last:
                # An object of one request is a snapshot. One of several is compared with the store again.
                if count > 1 and entry.end is None:
                    self._look_again(one)
                self._ends(entry, parts, parts[0] if count == 1 else [combine(list(some)) for some in zip(*parts, strict=True)])
        except BaseException as error:  # also a panic of Rust: nobody waits for what never comes
            self._ends(entry, parts, error)

    def _look_again(self, one: Object) -> None:
        if one.version is not None:
            return
        now = self.source.head(one.name)
        self.said["gets"] += 1
        if (now.etag, now.size) != (one.etag, one.size):
            raise Problem("changed", "it was replaced while it was read")

    # A walk.

    def walk(self) -> dict[str, Any]:
        """A range: the pieces that it was cut into, in order."""
        job = self.job
        after, upto = job["after"], job["upto"]
        rows = self._expected()
        first = self._list(after)
        page, is_last = first
        is_whole = is_last or not page or not before(page[-1].name, upto)
        cuts = self._cuts(rows, [one for one in page if before(one.name, upto) or one.name == upto], is_whole)
        if cuts:
            return {"pieces": cut(cuts, upto)}
        most, most_bytes = self._limits(rows)
        deadline = time.monotonic() + job["seconds"]
        queue: deque[Entry] = deque()
        done, begun, size = after, 0, 0
        is_stopped, large = False, None
        for name, one, row in merged(self._listed(first), rows, self._expect.difference(row.name for row in rows)):
            entry = Entry(name, one, row)
            is_read = self._decides(entry)
            is_counted = is_read or row is not None or not self._is_one_shard
            is_full = begun >= most or size >= most_bytes
            is_over = not self._is_one_shard and (time.monotonic() > deadline or len(self._problems) >= MOST_PROBLEMS)
            large = entry if is_read and one and one.size > job["grain"] and self._goes_alone(entry, len(rows), size + one.size) else None
            if large or (begun and is_counted and (is_full or is_over)):
                is_stopped = True
                break
            if is_read:
                self._read(entry)
            size += one.size if one and (is_read or row) else 0
            begun += is_counted
            queue.append(entry)
            while queue and (len(queue) >= WINDOW or not queue[0].is_read or queue[0].outcome is not None):
                if not self._settle(queue[0], max(deadline - time.monotonic(), 0) + GRACE, done == after):
                    is_stopped = True
                    break
                done = queue.popleft().name
            if is_stopped:
                break
        limit = time.monotonic() + GRACE
        while queue and self._settle(queue[0], max(limit - time.monotonic(), 0), done == after):
            done = queue.popleft().name
        if not is_stopped and not queue:
            return {"pieces": [self._done(upto)]}
        # The old key goes with the first old rows.
        keeps = job["keeps"] and not any(row.shard == self.shard for row in self._rows)
        pieces = [self._done(done)] if done != after else []
        if large and large.object and not queue:
            if job["versions"]:
                # All parts are of the same.
                with suppress(Problem):
                    large.object = self.source.head(large.name)
            shard = secrets.token_hex(8) if self._is_one_shard and large.row is None else large.shards[0]
            about = {"object": large.object, "shard": shard, "row": large.row and to_row(large.row)}
            pieces.append({"kind": "large", "upto": large.name, **about})
            keeps = keeps and large.row is None
        if not pieces or pieces[-1]["upto"] != upto:
            pieces.append({"kind": "rest", "upto": upto, "keeps": keeps})
        return {"pieces": pieces}

    def _goes_alone(self, entry: Entry, rows: int, size: int) -> bool:
        """Whether several workers read an object. In a shard that is retagged, it would divide the others."""
        return not self._is_one_shard or (len(entry.shards) == 1 and (rows <= 1 or size > self.job["most_bytes"]))

    def _decides(self, entry: Entry) -> bool:
        """Whether it is to be read; else its status is set, or None if nothing is said of it."""
        name, one, row, verb = entry.name, entry.object, entry.row, self.verb
        is_read = False
        if not self._is_wanted(name) or (row is None and self._beside.fullmatch(name)):
            entry.status = None
        elif not is_name(name):
            entry.status, entry.detail = "unnamed", "no manifest can have this name"
        elif verb == "plan" and one is not None:
            count = max(1, -(-one.size // self.job["get"]))
            self.said["gets"] += count + (count > 1)
            entry.status = "planned"
        elif verb == "retag" and name in self._expect:
            is_read = one is not None
            if one is None:
                entry.status = "removed" if row else "missing"
                entry.detail = "" if row else "it is expected, but neither in the manifest nor in the store"
        elif one is None:
            entry.status = "missing"
        elif verb in {"check", "retag"} and row is None:
            entry.status = "new"
        elif verb == "retag" and row is not None:
            entry.status = "unchanged" if row.object and (row.object.etag, row.object.size) == (one.etag, one.size) else "changed"
        else:
            is_read = True
        entry.shards = (row.shard if verb == "check" and row is not None else self.shard,)
        if self.job.get("joins"):
            # All of it was said before the two shards became one.
            entry.status = None
        if self._is_one_shard and row is not None and row.shard != self.shard and not is_read and one is not None:
            entry.shards, is_read = (self.shard, row.shard), True
        if is_read and one is not None and one.size > MOST_GRAINS * self.job["grain"]:
            entry.status, entry.detail, is_read = "unreadable", f"it has more than {MOST_GRAINS} parts: use a larger --grain", False
        return is_read

    def _settle(self, entry: Entry, seconds: float, is_first: bool) -> bool:
        """Takes what came of an object; False if it is still awaited. The first of a range is not left to another job."""
        tag = None
        is_awaited = is_first or self._is_one_shard
        if entry.is_read and not self._awaits(entry, None if is_awaited else seconds):
            if not is_awaited:
                return False
            entry.status, entry.detail = "unreadable", f"no answer for {PATIENCE:.0f} s"
            # What comes now is too late.
            entry.tries = 3
        elif isinstance(entry.outcome, Problem):
            self._fails(entry, entry.outcome)
        elif isinstance(entry.outcome, BaseException):
            raise entry.outcome
        elif entry.outcome is not None and entry.object:
            self._alike, size = 0, entry.object.size
            tag, *old = (segment.tag_of_length(size) for segment in entry.outcome)
            if not old:
                self._judge(entry, tag)
            elif entry.row and old[0] == entry.row.tag:
                # A row that another shard takes gets a tag of its key, if the object is the one that was tagged. Else it keeps a tag that is none.
                entry.row = entry.row._replace(tag=tag, shard=self.shard)
            else:
                entry.status, entry.detail = "changed", "it is not what was tagged"
            tag = None if old else tag
        self._take(entry, tag)
        return True

    def _judge(self, entry: Entry, tag: Tag) -> None:
        is_good = self.verb != "check" or (entry.row is not None and tag == entry.row.tag)
        entry.status = "failed" if not is_good else "ok" if self.verb == "check" else "tagged"

    def _fails(self, entry: Entry, problem: Problem) -> None:
        """Says why an object could not be read. Raises Problem if the others can't be read either."""
        if problem.code in STOPS:
            raise problem
        self._alike = self._alike + 1 if problem.code == self._last_code else 1
        self._last_code = problem.code
        if problem.code and problem.kind == "unreadable" and self._alike >= ALIKE:
            raise problem
        entry.status, entry.detail = problem.kind, problem.detail

    def _take(self, entry: Entry, tag: Tag | None) -> None:
        one, status = entry.object, entry.status
        if self.verb in {"tag", "retag"}:
            if tag is not None:
                self._rows.append(Row(entry.name, tag, one, entry.shards[0]))
            elif status != "removed" and entry.row is not None:
                self._rows.append(entry.row)
        if status is None:
            return
        self._bytes += one.size if one is not None and (tag is not None or status == "planned") else 0
        self._counts[status] += 1
        if status not in GOOD or self.job["all"]:
            self._problems.append([entry.name, status, one and one.size, entry.detail, tag and tag.hex()])

    def _done(self, upto: str | None) -> dict[str, Any]:
        """A piece that is done, and its shard, if it has one."""
        job, rows = self.job, self._rows
        piece: dict[str, Any] = {"kind": "done", "upto": upto, "counts": self._counts, "bytes": self._bytes, "problems": self._problems}
        if self.verb not in {"tag", "retag"} or job.get("sample"):
            return piece
        if job["is_plain"]:
            return piece | {"rows": [to_row(row) for row in rows]}
        if self._is_one_shard:
            piece |= {"count": len(rows), "size": sum(row.object.size for row in rows if row.object)}
        if not rows:
            return piece | {"file": None, "tag": ""}
        if self._is_one_shard and len(job.get("known", ())) == 1 and rows == self._known:
            return piece | {"file": job["known"][0][0], "tag": job["known"][0][1]}
        file, tag, data, index = new_shard(self.key, rows, self.shard)
        if self._place is not None:
            self._place.put_shard(file, data, index)
        else:
            piece |= {"data": b64encode(data).decode(), "index": b64encode(index).decode()}
        return piece | {"file": file, "tag": tag}

    # A large object.

    def sum(self) -> dict[str, Any]:
        """The sum of a part of an object, which is as secret as the key."""
        job = self.job
        one = Object(*job["object"])
        entry = Entry(one.name, one, None, shards=(job["shard"],), start=job["start"], end=job["end"])
        self._read(entry)
        self._awaits(entry, 24 * 3600.0)
        outcome = entry.outcome
        if isinstance(outcome, Problem) and outcome.code not in STOPS:
            return {"problem": [outcome.kind, outcome.detail]}
        if not isinstance(outcome, list):
            raise outcome or TimeoutError(entry.name)
        return {"sum": outcome[0].to_bytes().hex()}

    def close(self) -> dict[str, Any]:
        """All parts of an object are summed: its tag, if it is still the same."""
        job = self.job
        one, self.shard = Object(*job["object"]), job["shard"]
        entry = Entry(one.name, one, job["row"] and row_of(job["row"]), shards=(self.shard,))
        tag = None
        try:
            if job["problem"]:
                raise Problem(*job["problem"])
            self._look_again(one)
            mac = mac_of(self.key, self.shard)
            tag = combine([Segment.from_bytes(mac, bytes.fromhex(digits)) for digits in job["sums"]]).tag_of_length(one.size)
            self._judge(entry, tag)
        except Problem as problem:
            self._fails(entry, problem)
        self._take(entry, tag)
        return {"pieces": [self._done(job["upto"])]}


def _share(total: int, limit: int) -> int:
    parts = -(-total // limit)
    return -(-total // parts) if parts > 1 else limit


@lru_cache(maxsize=64)
def mac_of(key: KeyFile, shard: str | None) -> Mac:
    """The key of a shard's files, or of a plain manifest's."""
    return key.mac(shard)


def is_name(name: str) -> bool:
    """Whether a manifest can have this name. The command takes - for its standard input, not for a file."""
    return name != "-" and NO_NAME.search(name) is None and 0 < len(name.encode()) <= 4096


def is_of_part(key: KeyFile, name: str, part: tuple[int, int, str]) -> bool:
    """Whether a name belongs to a part of a round. Nobody without the key knows when it is checked."""
    number, of, what = part
    # A key of its own: no shard has this id but by chance, as none has another's.
    mac = mac_of(key, sha256(f"part {what}".encode()).hexdigest()[:16])
    return int.from_bytes(bytes(mac.tag(name.encode(errors="surrogateescape")))[:8]) % of == number - 1


def to_row(row: Row) -> list[Any]:
    return [row.name, row.tag.hex(), row.shard, row.object]


def row_of(row: list[Any]) -> Row:
    name, tag, shard, one = row
    return Row(name, Tag.fromhex(tag), one and Object(*one), shard)


def merged(objects: Iterable[Object], rows: Sequence[Row], names: Iterable[str] = ()) -> Iterator[tuple[str, Object | None, Row | None]]:
    """What store and manifest have, side by side, in the order of the names, and other names that are asked for."""
    both: list[tuple[str, Row | None]] = [*((row.name, row) for row in rows), *((name, None) for name in names)]
    known = deque(sorted(both, key=lambda one: raw(one[0])))
    for one in objects:
        while known and before(known[0][0], one.name):
            name, row = known.popleft()
            yield name, None, row
        yield one.name, one, known.popleft()[1] if known and known[0][0] == one.name else None
    for name, row in known:
        yield name, None, row


def introduce(key_path: str | None = None) -> dict[str, str | float]:
    """What a worker says of itself: its key, kernel, and how many bytes a second it sums from its memory. Never a secret."""
    try:
        key = key_at(key_path)
        mac = mac_of(key, None)
    except (Refused, ValueError) as refused:
        return {"worker": worker_name(), "error": first_line(refused)}
    data = bytes(64 << 20)
    Segment(mac, data[: 1 << 20])
    began = time.perf_counter()
    Segment(mac, data)
    return {
        "worker": worker_name(), "key": key.id, "algorithm": key.algorithm, "kernel": mac.kernel,
        "bytes_per_second": len(data) / (time.perf_counter() - began), "version": version("wegman"),
    }  # fmt: skip
