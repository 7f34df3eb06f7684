"""The coordinator: gives out ranges, opens their sums, joins them to tags, and copes with whatever is lost, slow or changed."""

import secrets
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from wegman import InvalidTag, Mac, Tag
from wegman._native import KeyFile, States
from wegman.cluster._engines import IN_FLIGHT, ClusterError, Engine, Handle, Outcome
from wegman.cluster._objects import GIB, MIB, How, Object, Part, Range, Result, Task, packed, ranges_of
from wegman.cluster._sources import Problem, Source
from wegman.cluster._state import State, opened
from wegman.cluster._work import Refused, worker_name
from wegman.pmac import Segment, combine

# A range is given out so often before its object counts as unreadable.
ATTEMPTS = 3
# A range is summed by another worker, too, if nothing came for so many times the usual pause.
STRAGGLER = 4
# Nobody to work for so long is an error.
PATIENCE = 60.0
# How often what was done is kept.
COMMIT_EVERY = 0.25


@dataclass(slots=True)
class Progress:
    """How far a run is, and what happened in it."""

    objects: int = 0
    bytes: int = 0
    total_objects: int = 0
    total_bytes: int = 0
    is_listed: bool = False
    workers: int = 0
    tasks: int = 0
    gets: int = 0
    cpu: float = 0.0
    seconds: float = 0.0
    resumed: int = 0
    # Objects whose results rest on what an earlier run has read.
    earlier: int = 0
    retried: int = 0
    duplicates: int = 0
    twice: int = 0
    refused: int = 0


@dataclass(slots=True, frozen=True)
class Found:
    """What became of an object: its tag, or `problem` says why there is none."""

    shard: str | None
    object: Object
    tag: Tag | None = None
    problem: str | None = None
    detail: str = ""
    # Whether some of its bytes were read by an earlier run only.
    is_earlier: bool = False


@dataclass(slots=True)
class _Whole:
    """An object of which parts are missing."""

    object: Object
    shard: str | None
    missing: set[int]
    segments: list[Segment] = field(default_factory=list[Segment])
    # Starts of the ranges of which another worker is to make the sum, too.
    awaited: set[int] = field(default_factory=set[int])
    has_read: bool = False
    is_earlier: bool = False

    def is_summed(self) -> bool:
        return not self.missing and not self.awaited

    def lacks(self, start: int) -> bool:
        return start in self.missing or start in self.awaited


@dataclass(slots=True)
class _Flight:
    """A task that was given out."""

    task: Task
    began: float
    handle: Handle
    # The second of the same ranges, because the first is slow, or because every hundredth is compared.
    is_again: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is cut, and how much of it is done twice."""

    grain: int = 512 * MIB
    get_size: int = 8 * MIB
    gets: int = 4
    twice: float = 0.0
    key_path: str | None = None
    patience: float = PATIENCE
    straggler_floor: float = 1.0

    def __post_init__(self) -> None:
        if self.get_size % 16 or self.get_size <= 0 or self.grain % self.get_size or self.grain <= 0:
            raise ValueError("the grain is a multiple of a request's bytes, and these are a multiple of 16")
        if self.grain > 64 * GIB:
            raise ValueError("a grain has at most 64 GiB")
        if not 0 <= self.twice <= 1:
            raise ValueError("the share that is read twice is a number from 0 to 1")


class Coordinator:
    """One run over objects."""

    def __init__(
        self,
        engine: Engine,
        source: Source,
        url: str,
        key: KeyFile,
        state: State,
        run: str,
        options: Options,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._engine = engine
        self._source = source
        self._key = key
        self._state = state
        self._run = run
        self._options = options
        self._states = States(key, run)
        self._how = How(url, run, key.id, options.key_path, options.get_size, options.gets)
        self._done: SimpleQueue[Outcome] = SimpleQueue()
        self._flights: dict[int, _Flight] = {}
        self._wholes: dict[tuple[str | None, str], _Whole] = {}
        self._attempts: dict[Range, int] = {}
        self._again: list[Task] = []
        self._macs: dict[str | None, Mac] = {}
        self._gaps: list[float] = []
        self._seconds: list[float] = []
        self._last = time.monotonic()
        self._random = secrets.SystemRandom()
        self._found: list[Found] = []
        self._on_progress = on_progress
        self.progress = Progress()
        self.pins: str | None = None

    def mac(self, shard: str | None) -> Mac:
        """The key of a shard's files."""
        if shard not in self._macs:
            self._macs[shard] = self._key.mac(shard)
        return self._macs[shard]

    # What is to do.

    def _ranges(self, objects: Iterable[tuple[str | None, Object]]) -> Iterator[Range]:
        """The ranges that nobody has summed yet."""
        for shard, one in objects:
            self.progress.total_objects += 1
            self.progress.total_bytes += one.size
            tag = self._state.tag(shard, one)
            if tag is not None:
                self.progress.resumed += 1
                self._finish(Found(shard, one, tag, is_earlier=True), one.size)
                continue
            ranges = {place.start: place for place in ranges_of(shard, one, self._options.grain)}
            whole = _Whole(one, shard, set(ranges))
            for start, end, segment in self._state.parts(shard, one, self.mac(shard)):
                if start in ranges and ranges[start].end == end:
                    whole.segments.append(segment)
                    whole.missing.discard(start)
                    whole.is_earlier = True
                    self.progress.resumed += 1
                    self.progress.bytes += end - start
            self._wholes[shard, one.name] = whole
            if whole.is_summed():
                self._join(whole)
            for start in sorted(whole.missing):
                yield ranges[start]

    def _tasks(self, objects: Iterable[tuple[str | None, Object]]) -> Iterator[Task]:
        ranges = self._ranges(objects)
        for pack in packed(ranges, self._options.grain):
            if self.pins is None:
                self._try_pins(pack[0].object)
            yield Task(self._how, pack)

    def _try_pins(self, one: Object) -> None:
        """What the store makes of If-Match."""
        self.pins = self._source.obeys_pins(one)
        if self.pins == "refused":
            # The answers' ETags are compared in any case.
            how = self._how
            self._how = How(how.url, how.run, how.key_id, how.key_path, how.get_size, how.gets, pins=False)

    # The run.

    def run(self, objects: Iterable[tuple[str | None, Object]]) -> Iterator[Found]:
        """What became of each object, in the order in which that is known. Raises ClusterError, Problem."""
        began, cpu = time.monotonic(), time.process_time()
        tasks = self._tasks(objects)
        committed = time.monotonic()
        has_more = True
        try:
            while has_more or self._wholes:
                has_more = self._give_out(tasks, has_more)
                if self._flights or self.progress.workers == 0:
                    self._wait()
                yield from self._take_found()
                now = time.monotonic()
                if now - committed > COMMIT_EVERY:
                    self._state.commit()
                    committed = now
                self.progress.seconds = now - began
                self._on_progress(self.progress)
            yield from self._take_found()
        finally:
            self._state.commit()
            for flight in self._flights.values():
                # The scheduler may be lost, which is said already.
                with suppress(Exception):
                    flight.handle.cancel()
            self.progress.refused = len(self._state.refused)
            self.progress.cpu += time.process_time() - cpu
            self.progress.seconds = time.monotonic() - began
        self._on_progress(self.progress)

    def _take_found(self) -> Iterator[Found]:
        found, self._found = self._found, []
        yield from found

    def _finish(self, found: Found, read: int = 0) -> None:
        self.progress.objects += 1
        self.progress.bytes += read
        self.progress.earlier += found.is_earlier
        self._found.append(found)

    def _give_out(self, tasks: Iterator[Task], has_more: bool) -> bool:
        """Gives out what there are workers for, in one batch."""
        width = self._engine.width()
        self.progress.workers = width
        if width == 0:
            return has_more
        # Less than nothing, if workers were lost.
        room = max(0, IN_FLIGHT * width - len(self._flights))
        batch, self._again = self._again[:room], self._again[room:]
        room -= len(batch)
        while room > 0 and has_more:
            task_or_none = next(tasks, None)
            if task_or_none is None:
                has_more = False
                self.progress.is_listed = True
                break
            batch.append(task_or_none)
            room -= 1
            if len(self._found) > 1000:
                break
        if not self._flights:
            # The pause before the first task says nothing of the workers.
            self._last = time.monotonic()
        # Not what another range of its object has decided meanwhile.
        lacking = [Task(self._how, ranges) for task in batch if (ranges := self._lacking(task))]
        self._submit(lacking)
        if not has_more and self._wholes and not self._flights and not self._again:
            raise ClusterError("some objects were given out and never came back: this should not happen")
        return has_more

    def _submit(self, tasks: Sequence[Task], avoid: Sequence[Handle] = (), is_again: bool = False) -> None:
        if not tasks:
            return
        now = time.monotonic()
        self.progress.tasks += len(tasks)
        for task, handle in zip(tasks, self._engine.submit(tasks, self._done, avoid), strict=True):
            flight = _Flight(task, now, handle, is_again)
            self._flights[id(handle)] = flight
            if not is_again and self._random.random() < self._options.twice:
                self._submit_twice(flight)

    def _submit_twice(self, flight: _Flight) -> None:
        """The same ranges, by somebody else, to compare the sums."""
        self.progress.twice += 1
        for one in flight.task.ranges:
            self._wholes[one.shard, one.object.name].awaited.add(one.start)
        self._submit([flight.task], [flight.handle], True)

    def _wait(self) -> None:
        """Takes what came, and does again what does not come."""
        try:
            outcomes = [self._done.get(timeout=0.1)]
        except Empty:
            self._look_for_stragglers()
            return
        while True:
            try:
                outcomes.append(self._done.get_nowait())
            except Empty:
                break
        now = time.monotonic()
        self._gaps = [*self._gaps[-50:], (now - self._last) / len(outcomes)]
        self._last = now
        for handle, outcome in outcomes:
            flight = self._flights.pop(id(handle), None)
            if flight is not None:
                self._take(flight, outcome)

    def _lacking(self, task: Task) -> tuple[Range, ...]:
        """The ranges of a task that are needed still."""
        wholes = ((one, self._wholes.get((one.shard, one.object.name))) for one in task.ranges)
        return tuple(one for one, whole in wholes if whole is not None and whole.lacks(one.start))

    def _look_for_stragglers(self) -> None:
        now = time.monotonic()
        pause = now - self._last
        for flight in [flight for flight in self._flights.values() if not self._lacking(flight.task)]:
            # Somebody else was faster.
            flight.handle.cancel()
            del self._flights[id(flight.handle)]
        if self._gaps and self._seconds and self._engine.width() > 1:
            usual = max(
                STRAGGLER * statistics.median(self._gaps),
                2 * statistics.median(self._seconds),
                self._options.straggler_floor,
            )
            if pause > usual:
                again = {one for flight in self._flights.values() if flight.is_again for one in flight.task.ranges}
                slow = [flight for flight in self._flights.values() if now - flight.began > usual and not flight.is_again]
                ranges = [self._lacking(flight.task) for flight in slow]
                tasks = [Task(self._how, some) for some in ranges if again.isdisjoint(some)]
                self.progress.duplicates += len(tasks)
                self._submit(tasks, [flight.handle for flight in slow], True)
        if pause > self._options.patience and self._engine.width() == 0:
            raise ClusterError(f"there are no workers for {pause:.0f} s: start some, and run this again")

    # What came.

    def _take(self, flight: _Flight, outcome: Result | BaseException) -> None:
        if isinstance(outcome, BaseException):
            if isinstance(outcome, Refused):
                raise ClusterError(str(outcome))
            self._failed(flight.task.ranges, f"no worker could do it: {type(outcome).__name__}: {outcome}"[:300])
            return
        self._seconds = [*self._seconds[-50:], outcome.seconds]
        self.progress.gets += outcome.gets
        if outcome.worker != worker_name():
            self.progress.cpu += outcome.cpu
        left_out = dict.fromkeys(flight.task.ranges)
        for part in outcome.parts:
            if part.range in left_out:
                del left_out[part.range]
                self._take_part(part, outcome.worker)
        self._failed(left_out, f"{outcome.worker} left it out")

    def _failed(self, ranges: Iterable[Range], detail: str) -> None:
        """Ranges that nobody summed are given out again, each alone, or their objects are given up."""
        for one in ranges:
            whole = self._wholes.get((one.shard, one.object.name))
            if whole is None or not whole.lacks(one.start):
                continue
            self._attempts[one] = self._attempts.get(one, 0) + 1
            if self._attempts[one] >= ATTEMPTS:
                self._give_up(whole, "unreadable", detail)
            else:
                self.progress.retried += 1
                self._again.append(Task(self._how, (one,)))

    def _give_up(self, whole: _Whole, problem: str, detail: str) -> None:
        del self._wholes[whole.shard, whole.object.name]
        self._finish(Found(whole.shard, whole.object, problem=problem, detail=detail))

    def _take_part(self, part: Part, worker: str) -> None:
        one = part.range
        whole = self._wholes.get((one.shard, one.object.name))
        if whole is None or whole.object != one.object:
            return
        if part.sealed is None:
            if part.problem in {"changed", "missing"}:
                self._give_up(whole, part.problem, part.detail)
            else:
                self._failed([one], part.detail)
            return
        try:
            segment = opened(self._states, self._run, self.mac(one.shard), one, part.sealed)
        except (InvalidTag, ValueError) as error:
            self._failed([one], f"{worker} sent what is no sum of it: {error}")
            return
        if one.start in whole.missing:
            whole.missing.discard(one.start)
            whole.segments.append(segment)
            whole.has_read = True
            self.progress.bytes += one.end - one.start
            self._state.put_part(one, segment)
        elif one.start in whole.awaited:
            whole.awaited.discard(one.start)
            first = next(first for first in whole.segments if first.offset == one.start)
            if first.to_bytes() != segment.to_bytes():
                text = f"two workers have two sums of bytes {one.start} to {one.end}; the second is {worker}"
                self._give_up(whole, "disagreed", text)
                return
        else:
            return
        if whole.is_summed():
            self._join(whole)

    def _join(self, whole: _Whole) -> None:
        """All sums of an object are there."""
        one = whole.object
        # Sums of several tasks are of one version only if the object is still the same after the last of them.
        if whole.has_read and len(whole.segments) > 1 and one.version is None:
            try:
                now = self._source.head(one.name)
            except Problem as problem:
                self._give_up(whole, problem.kind, problem.detail)
                return
            if (now.etag, now.size) != (one.etag, one.size):
                self._give_up(whole, "changed", "it was replaced while it was read")
                return
        del self._wholes[whole.shard, one.name]
        tag = combine(whole.segments).tag_of_length(one.size)
        self._state.put_tag(whole.shard, one, tag)
        self._finish(Found(whole.shard, one, tag, is_earlier=whole.is_earlier))


def new_run() -> str:
    """An id for a run."""
    return secrets.token_hex(16)
