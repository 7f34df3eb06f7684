"""The runs: tag, check, retag, upload, plan."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import unquote_to_bytes
from typing import Any, TypedDict, Unpack

import obstore

from wegman import Tag
from wegman._native import KeyFile
from wegman.cluster._coordinator import Coordinator, Found, Options, Progress, new_run
from wegman.cluster._engines import ClusterError, Dask, Engine, Local
from wegman.cluster._manifests import INDEX, MOST_BYTES, MOST_ROWS, About, ManifestError, Place, Shard, new_shard
from wegman.cluster._objects import MIB, Object, packed, ranges_of
from wegman.cluster._sources import Files, Source, connected, endpoints, source_of
from wegman.cluster._state import State
from wegman.pmac import SegmentStream

StrPath = str | os.PathLike[str]

# What of it is bad: the content, the bytes, the list.
FAILED = ("failed", "changed", "missing", "disagreed")

# How long what was read counts if the run that read it was interrupted.
WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an object.

    status: of tag "tagged", and "passed over" for markers of folders; of check "ok" or "failed", and "new" for what the manifest does not have; of retag "unchanged", "tagged",
    "changed", "new" or "removed". Of all: "changed" (it was replaced meanwhile), "missing", "unreadable", "disagreed" (two workers
    have two sums of it).
    """

    name: str
    status: str
    size: int | None = None
    tag: Tag | None = None
    detail: str = ""


@dataclass(slots=True)
class Report:
    """What was found, and what it took.

    `exit` is 0 if everything is as it should be, 1 if something changed, failed or is missing, and 2 if something could not be read.
    """

    counts: dict[str, int] = field(default_factory=dict[str, int])
    progress: Progress = field(default_factory=Progress)
    about: About | None = None
    engine: str = ""
    # What the store makes of If-Match: "kept", "ignored", "refused", or None if nothing was read.
    if_match: str | None = None
    # Sums of an earlier run that were not what was sealed, and were made again.
    refused: list[str] = field(default_factory=list[str])
    # What else there is to say.
    remarks: list[str] = field(default_factory=list[str])

    @property
    def exit(self) -> int:
        if any(self.counts.get(status) for status in FAILED):
            return 1
        return 2 if self.counts.get("unreadable") else 0

    @property
    def ok(self) -> bool:
        return self.exit == 0

    def record(self) -> dict[str, Any]:
        """For JSON."""
        numbers = {name: round(n, 3) if isinstance(n, float) else n for name, n in asdict(self.progress).items()}
        about = {} if self.about is None else asdict(self.about)
        return {**self.counts, **numbers, **about, "engine": self.engine, "if_match": self.if_match, **versions()}


def versions() -> dict[str, str]:
    """Of the packages that did it."""
    found: dict[str, str] = {}
    for name in ("wegman", "obstore", "distributed"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _nothing(outcome: Outcome) -> None:
    del outcome


def _still(progress: Progress) -> None:
    del progress


@dataclass(slots=True)
class Setup:
    """Who works and how, the same for every kind of run.

    client: a Dask client; or executor: any of `concurrent.futures`; or neither: `workers` threads of this machine, by default as many
    as it has processors. Workers of Dask find the key by the variable WEGMAN_KEY of their machines.
    state: a file that keeps what was summed, so that a run that was interrupted goes on. It is removed when the run is done.
    resume_within: how long ago that run may have begun. By default a week, but for check nothing that an earlier run has read counts:
    if it shall, `progress.earlier` says for how many objects it did.
    versions: whether the version that is newest at the start is read by its id. source: what to read instead of the URL's store, by
    threads.
    """

    client: Any = None
    executor: Executor | None = None
    workers: int | None = None
    state: StrPath | None = None
    resume_within: timedelta | None = None
    versions: bool = False
    options: Options = field(default_factory=Options)
    on_object: Callable[[Outcome], None] = _nothing
    on_progress: Callable[[Progress], None] = _still
    source: Source | None = None


class Keywords(TypedDict, total=False):
    """The fields of Setup, to name them in a call."""

    client: Any
    executor: Executor | None
    workers: int | None
    state: StrPath | None
    resume_within: timedelta | None
    versions: bool
    options: Options
    on_object: Callable[[Outcome], None]
    on_progress: Callable[[Progress], None]
    source: Source | None


def _key(key_file: StrPath) -> KeyFile:
    key = KeyFile(key_file)
    # Only PMAC has sums of parts.
    if not key.algorithm.startswith("PMAC"):
        raise ClusterError(f"{key.algorithm} can't tag an object in parts: `wegman keygen -o KEY` makes a key that can")
    return key


class _Session:
    """A source, an engine and a state, for one run, which is in the report at its end."""

    def __init__(
        self, command: str, url: str, key: KeyFile, key_file: StrPath, place: str, setup: Setup, about: About | None = None
    ) -> None:
        """place: the manifest's. about: the manifest that the run is of, if it is of one."""
        self.setup = setup
        options = setup.options
        if setup.client is None and options.key_path is None:
            options = replace(options, key_path=os.path.abspath(key_file))
        base, self.source = (url, setup.source) if setup.source else source_of(url)
        within = setup.resume_within
        if within is None and command != "check":
            within = WEEK
        # Whatever makes it another run. What tag has read is not what check has read, and one name is of many stores.
        of = {"command": command, "url": base, "environment": endpoints(base), "grain": str(options.grain)}
        if about is not None:
            of["manifest"] = f"{about.seal_id}, serial {about.serial}"
        if isinstance(self.source, Files):
            self.source.leave_out(key_file, [place, place + INDEX], setup.state)
        self.state = State(setup.state, key, of, within)
        self.engine: Engine
        if setup.client is not None:
            self.engine = Dask(setup.client)
        else:
            self.engine = Local(setup.workers or os.cpu_count() or 1, setup.executor, setup.source)
        # Workers get an id of their own: what they sent in an earlier run counts by the state alone.
        self.coordinator = Coordinator(
            self.engine, self.source, base, key, self.state, new_run(), options, setup.on_progress
        )
        self.report = Report(about=about, engine=self.engine.name)

    def __enter__(self) -> "_Session":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        report = self.report
        report.progress = self.coordinator.progress
        report.if_match = self.coordinator.pins
        report.refused = self.state.refused
        if report.progress.earlier:
            report.remarks.append(
                f"{report.progress.earlier} of these results rest on what was read before this run, since {self.state.since:%Y-%m-%d %H:%M} UTC"
            )
        if isinstance(self.source, Files) and self.source.passed_over:
            report.remarks.append(self.source.passed_over)
        self.state.close(is_done=kind is None)
        self.engine.close()

    def objects(self) -> Iterator[Object]:
        """What the store has, sorted, with versions if they were asked for."""
        if not self.setup.versions:
            yield from self.source.objects()
            return
        with ThreadPoolExecutor(16) as heads:

            def newest(one: Object) -> Object:
                return self.source.head(one.name)

            for pack in _chunks(self.source.objects(), 256):
                yield from heads.map(newest, pack)

    def found(self, outcome: Outcome) -> None:
        counts = self.report.counts
        counts[outcome.status] = counts.get(outcome.status, 0) + 1
        self.setup.on_object(outcome)

    def problem(self, found: Found) -> None:
        one = found.object
        self.found(Outcome(one.name, found.problem or "unreadable", one.size, detail=found.detail))


def _chunks(objects: Iterable[Object], size: int) -> Iterator[list[Object]]:
    chunk: list[Object] = []
    for one in objects:
        chunk.append(one)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


class _Births:
    """Shards as they are born while objects are listed."""

    def __init__(self, session: _Session, is_tree: bool) -> None:
        self._session = session
        self._is_tree = is_tree
        self.shards: dict[str | None, Shard] = {}
        self.numbers: dict[str | None, int] = {}
        self._pending: dict[str | None, int] = {}
        self._open: str | None = None
        self._has_open = False

    def objects(self) -> Iterator[tuple[str | None, Object]]:
        earlier = self._session.state.shards()
        rows = size = 0
        for one in self._session.objects():
            is_next = bool(earlier) and earlier[0][1].encode() <= one.name.encode()
            is_full = self._is_tree and rows > 0 and (rows == MOST_ROWS or size + one.size > MOST_BYTES)
            if not self._has_open or is_full or (is_next and rows > 0):
                if self._is_tree:
                    shard = Shard(earlier.pop(0)[0]) if is_next else new_shard()
                    if shard.id in self.shards:
                        # Somebody put an older row back in the state.
                        shard = new_shard()
                else:
                    shard = Shard(None)
                self._begin(shard, one.name)
                rows = size = 0
            rows, size = rows + 1, size + one.size
            if not self._is_tree and rows > 1 and (rows > MOST_ROWS or size > MOST_BYTES):
                raise ManifestError(
                    "more than a million objects, or than 1 TiB: name a directory with -o, with a slash at the end, for shards"
                )
            self._pending[self._open] += 1
            yield self._open, one
        self._has_open = False

    def _begin(self, shard: Shard, first: str) -> None:
        number = len(self.shards)
        self.shards[shard.id] = shard
        self.numbers[shard.id] = number
        self._pending[shard.id] = 0
        self._open, self._has_open = shard.id, True
        if shard.id is not None:
            self._session.state.put_shard(number, shard.id, first)

    def take(self, found: Found) -> Shard | None:
        """Takes what was found; a shard that is complete comes back."""
        shard = self.shards[found.shard]
        self._pending[found.shard] -= 1
        if found.tag is not None:
            shard.rows[found.object.name] = found.tag
            shard.index[found.object.name] = found.object
        is_open = self._has_open and self._open == found.shard
        return shard if self._pending[found.shard] == 0 and not is_open else None


def tag(
    url: str,
    key_file: StrPath,
    output: str = "-",
    setup: Setup | None = None,
    *,
    force: bool = False,
    **more: Unpack[Keywords],
) -> Report:
    """Tags all objects below a URL, and writes their manifest.

    more: fields of Setup, such as client=. output: a file or a URL for a plain manifest; with a slash at the end a root and its shards; "-" is standard output. Raises
    ClusterError, ManifestError, StateError, ValueError; what is wrong with an object is told of in the report.
    """
    setup = replace(setup or Setup(), **more)
    key = _key(key_file)
    with closing(Place(output, key, writes=True)) as place:
        if not force and place.exists():
            raise ManifestError(
                f"{output}: there is a manifest already: check it, or bring it up to date with retag; force makes a new one over it"
            )
        with _Session("tag", url, key, key_file, output, setup) as session:
            _tag(session, url, place)
    return session.report


def _tag(session: _Session, url: str, place: Place) -> None:
    births = _Births(session, place.is_tree)
    waiting: set[str | None] = set()
    for found in session.coordinator.run(births.objects()):
        if found.tag is not None:
            session.found(Outcome(found.object.name, "tagged", found.object.size, found.tag))
        elif found.problem == "missing" and found.object.size == 0 and not isinstance(session.source, Files):
            # Stores list a folder's marker, `d/`, and obstore calls it `d`, which nobody can read.
            session.found(Outcome(found.object.name, "passed over", 0, detail="an empty object that is not there: a folder's marker"))
        else:
            session.problem(found)
        complete = births.take(found)
        waiting.add(found.shard)
        if complete is not None and place.is_tree:
            place.write_shard(births.numbers[complete.id], complete)
            waiting.discard(complete.id)
    if not births.shards:
        raise ManifestError(f"{url}: there are no objects")
    if not session.report.counts.get("tagged"):
        session.report.remarks.append("nothing could be tagged: no manifest was written")
    elif place.is_tree:
        for shard in waiting:
            place.write_shard(births.numbers[shard], births.shards[shard])
        session.report.about = place.write_root(births.shards.values())
    else:
        session.report.about = place.write_plain(births.shards[None])


@dataclass(slots=True)
class _Row:
    """A name in the manifest, in the store, or in both."""

    shard: Shard
    name: str
    tag: Tag | None
    object: Object | None


def _joined(shards: Iterable[Shard], objects: Iterable[Object], ended: Callable[[Shard], None]) -> Iterator[_Row]:
    """What manifest and store have, side by side, in the order of the names. A new object belongs to the shard before it."""
    listed = iter(objects)
    one = next(listed, None)
    shard = None
    for following in shards:
        if shard is not None:
            ended(shard)
        shard = following
        for name in sorted(shard.rows, key=str.encode):
            while one is not None and one.name.encode() < name.encode():
                yield _Row(shard, one.name, None, one)
                one = next(listed, None)
            if one is not None and one.name == name:
                yield _Row(shard, name, shard.rows[name], one)
                one = next(listed, None)
            else:
                yield _Row(shard, name, shard.rows[name], None)
    if shard is None:
        return
    while one is not None:
        yield _Row(shard, one.name, None, one)
        one = next(listed, None)
    ended(shard)


def check(
    url: str,
    manifest: str,
    key_file: StrPath,
    setup: Setup | None = None,
    *,
    part: tuple[int, int] | None = None,
    **more: Unpack[Keywords],
) -> Report:
    """Reads all objects of a manifest, and compares their tags.

    part: (3, 30) checks the third of thirty parts, which together have every object once. Raises InvalidTag if the manifest itself is
    not authentic; ManifestError, ClusterError, StateError, ValueError.
    """
    setup = replace(setup or Setup(), **more)
    key = _key(key_file)
    expected: dict[tuple[str | None, str], Tag] = {}

    def objects() -> Iterator[tuple[str | None, Object]]:
        for row in _joined(shards, session.objects(), lambda shard: None):
            if part is not None and int.from_bytes(sha256(row.name.encode()).digest()[:8]) % part[1] != part[0] - 1:
                continue
            if row.tag is None:
                session.found(Outcome(row.name, "new", row.object.size if row.object else None))
            elif row.object is None:
                session.found(Outcome(row.name, "missing"))
            else:
                expected[row.shard.id, row.name] = row.tag
                yield row.shard.id, row.object

    with closing(Place(manifest, key)) as place:
        about, shards = place.read()
        with _Session("check", url, key, key_file, manifest, setup, about) as session:
            for found in session.coordinator.run(objects()):
                one, right = found.object, expected.pop((found.shard, found.object.name))
                if found.tag is None:
                    session.problem(found)
                    continue
                detail = "read before this run" if found.is_earlier else ""
                session.found(Outcome(one.name, "ok" if found.tag == right else "failed", one.size, found.tag, detail))
    return session.report


def retag(
    url: str,
    manifest: str,
    key_file: StrPath,
    expect: Iterable[str],
    setup: Setup | None = None,
    **more: Unpack[Keywords],
) -> Report:
    """Brings a manifest up to date: what is named in `expect` is read and gets a new tag, or is taken out if it is gone.

    What else has another ETag, version or size than the manifest's index says is told of, and keeps its old tag. What has the same is
    not read. Raises as check does.
    """
    setup = replace(setup or Setup(), **more)
    names = frozenset(expect)
    seen: set[str] = set()
    key = _key(key_file)
    kept: dict[str | None, Shard] = {}
    order: list[Shard] = []

    def ended(shard: Shard) -> None:
        order.append(shard)
        if not shard.has_changed:
            shard.forget()

    def objects() -> Iterator[tuple[str | None, Object]]:
        for row in _joined(shards, session.objects(), ended):
            shard, one = row.shard, row.object
            if row.name in names:
                seen.add(row.name)
            kept.setdefault(shard.id, shard)
            if one is None:
                if row.name in names:
                    del shard.rows[row.name]
                    shard.index.pop(row.name, None)
                    shard.has_changed = True
                    session.found(Outcome(row.name, "removed"))
                else:
                    session.found(Outcome(row.name, "missing"))
            elif row.name in names:
                # Its rows stay until the new tag is there.
                shard.has_changed = True
                yield shard.id, one
            elif row.tag is None:
                session.found(Outcome(row.name, "new", one.size))
            else:
                before = shard.index.get(row.name)
                is_same = before is not None and (before.etag, before.size) == (one.etag, one.size)
                if is_same and before is not None and None not in (before.version, one.version):
                    is_same = before.version == one.version
                session.found(Outcome(row.name, "unchanged" if is_same else "changed", one.size))

    with closing(Place(manifest, key)) as place:
        about, shards = place.read()
        with _Session("retag", url, key, key_file, manifest, setup, about) as session:
            for found in session.coordinator.run(objects()):
                shard, one = kept[found.shard], found.object
                if found.tag is None:
                    session.problem(found)
                    continue
                shard.rows[one.name], shard.index[one.name] = found.tag, one
                session.found(Outcome(one.name, "tagged", one.size, found.tag))
            for name in sorted(names - seen):
                session.found(Outcome(name, "missing", detail="it is expected, but neither in the manifest nor in the store"))
            if any(shard.has_changed for shard in order):
                if place.is_tree:
                    for number, shard in enumerate(order):
                        if shard.has_changed:
                            place.write_shard(number, shard)
                    session.report.about = place.write_root(order)
                else:
                    session.report.about = place.write_plain(order[0])
    return session.report


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would take: counted from the list of objects, before anything is read."""

    objects: int
    bytes: int
    gets: int
    tasks: int
    shards: int

    def hours(self, workers: int, bytes_per_second: float) -> float:
        """How long so many workers take at that speed each."""
        return self.bytes / (workers * bytes_per_second) / 3600


def plan(url: str, options: Options | None = None, source: Source | None = None) -> Plan:
    """Lists the objects, and counts what reading them takes. Reads none of them."""
    options = options or Options()
    source = source or source_of(url)[1]
    objects = size = gets = shards = in_shard = shard_size = 0

    def ranges() -> Iterator[Any]:
        nonlocal objects, size, gets, shards, in_shard, shard_size
        for one in source.objects():
            objects, size = objects + 1, size + one.size
            if in_shard == 0 or in_shard == MOST_ROWS or shard_size + one.size > MOST_BYTES:
                shards, in_shard, shard_size = shards + 1, 0, 0
            in_shard, shard_size = in_shard + 1, shard_size + one.size
            count = max(1, -(-one.size // options.get_size))
            # The last look at an object that took more than one request.
            gets += count + (count > 1)
            yield from ranges_of(None, one, options.grain)

    tasks = sum(1 for _ in packed(ranges(), options.grain))
    return Plan(objects, size, gets, tasks, shards)


@dataclass(frozen=True, slots=True)
class Uploaded:
    """An object that was stored, and its tag."""

    object: Object
    tag: Tag


def upload(file: StrPath, url: str, key_file: StrPath, output: str | None = None, piece: int = 8 * MIB) -> Uploaded:
    """Stores a file as the object of that URL, and tags it from the bytes as they are sent: none is read twice.

    url: with a slash at the end, the file's name is added. output: where a manifest of this one object is written, if there is none
    yet. Raises OSError, ValueError, ManifestError, Problem, or obstore's own error.
    """
    if url.startswith("file://"):
        url = os.fsdecode(unquote_to_bytes(url.removeprefix("file://")))
    if url.endswith("/"):
        url += Path(file).name
    parent, slash, name = url.rpartition("/")
    if "://" in url and parent.endswith("/"):
        raise ValueError(f"{url}: it names no object: {url}/ stores the file under its own name")
    parent = parent or slash or "."
    key = KeyFile(key_file)
    place = None if output is None else Place(output, key, writes=True)
    try:
        if place is not None and (place.is_tree or place.exists()):
            raise ManifestError(f"{output}: upload makes a new manifest of one object; `retag --expect` adds an object to one that is there")
        uploaded = _uploaded(file, parent, name, key, piece)
        if place is not None:
            place.write_plain(Shard(None, rows={name: uploaded.tag}, index={name: uploaded.object}))
    finally:
        if place is not None:
            place.close()
    return uploaded


def _uploaded(file: StrPath, parent: str, name: str, key: KeyFile, piece: int) -> Uploaded:
    stream = SegmentStream(key.mac())
    size = 0
    with (
        open(file, "rb", buffering=0) as source,
        obstore.open_writer(connected(parent), name, buffer_size=piece) as sink,
    ):
        while data := source.read(piece):
            stream.update(data)
            sink.write(data)
            size += len(data)
    stored = source_of(f"{parent.rstrip('/')}/")[1].head(name)
    if stored.size != size:
        raise ValueError(f"{parent}/{name}: {size} bytes were sent, but the object has {stored.size}")
    return Uploaded(stored, stream.segment().tag_of_length(size))


def workers(
    key_file: StrPath, setup: Setup | None = None, **more: Unpack[Keywords]
) -> list[dict[str, str | float]]:
    """What each worker says of itself: machine, key, kernel, speed, version, or `error`. One that has another key says so."""
    setup = replace(setup or Setup(), **more)
    key = KeyFile(key_file)
    engine: Engine
    if setup.client is not None:
        engine, path = Dask(setup.client), setup.options.key_path
    else:
        engine, path = Local(setup.workers or os.cpu_count() or 1, setup.executor), os.path.abspath(key_file)
    try:
        found = engine.introductions(path)
    finally:
        engine.close()
    for one in found:
        if one.get("key", key.id) != key.id:
            one["error"] = f"it has the key {one['key']}, not {key.id}"
    return found
