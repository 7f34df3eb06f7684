"""What is read: objects, the ranges that they are read in, and the tasks that ranges are gathered in."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from json import dumps

MIB = 1 << 20
GIB = 1 << 30

# A range begins with a whole block.
BLOCK = 16


@dataclass(frozen=True, slots=True)
class Object:
    """An object as it was listed. `etag`, and `version` where there is one, pin its content."""

    name: str
    size: int
    etag: str
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Range:
    """Bytes of an object, summed at once. `shard` names the key: that of a manifest's shard, or None for a plain manifest."""

    shard: str | None
    object: Object
    start: int
    end: int

    @property
    def is_whole(self) -> bool:
        return self.start == 0 and self.end == self.object.size

    def binding(self, run: str) -> bytes:
        """What an encrypted sum is bound to, so that no other range, object, version, shard or run takes it."""
        one = self.object
        return dumps(["part", run, self.shard, one.name, one.etag, one.version, one.size, self.start, self.end]).encode()


@dataclass(frozen=True, slots=True)
class How:
    """How ranges are read, on whichever machine."""

    url: str
    run: str
    # Which key the machine should have, and where it is if that is known. Else WEGMAN_KEY says where.
    key_id: str
    key_path: str | None = None
    # Bytes of a request, and requests at once.
    get_size: int = 8 * MIB
    gets: int = 4
    # Whether requests have If-Match. Answers are compared in either case.
    pins: bool = True


@dataclass(frozen=True, slots=True)
class Task:
    """Ranges that one worker reads."""

    how: How
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What became of a range: `sealed` is its sum, encrypted, or `problem` says why there is none.

    problem: "changed", "missing" or "unreadable". `detail` is for people.
    """

    range: Range
    sealed: bytes | None = None
    problem: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a task, and what it cost."""

    parts: tuple[Part, ...]
    worker: str
    gets: int
    bytes: int
    cpu: float
    seconds: float


def ranges_of(shard: str | None, one: Object, grain: int) -> Iterator[Range]:
    """An object on our own grid: an empty one is a range, too."""
    for start in range(0, max(one.size, 1), grain):
        yield Range(shard, one, start, min(start + grain, one.size))


def packed(ranges: Iterable[Range], grain: int, most: int = 10_000) -> Iterator[tuple[Range, ...]]:
    """Ranges in tasks: a range of the whole grain alone, smaller ones together up to two grains or `most` ranges."""
    pack: list[Range] = []
    size = 0
    for one in ranges:
        length = one.end - one.start
        if length >= grain:
            yield (one,)
            continue
        if pack and (size + length > 2 * grain or len(pack) == most):
            yield tuple(pack)
            pack, size = [], 0
        pack.append(one)
        size += length
    if pack:
        yield tuple(pack)
