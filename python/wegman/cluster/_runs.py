"""The runs: tag, check and retag are one, with three verbs; and plan, upload, workers."""

import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import obstore

from wegman._native import KeyFile
from wegman.cluster._coordinator import MIB, ClusterError, Coordinator, Options, Outcome, Pool, Range, Report
from wegman.cluster._journal import Journal
from wegman.cluster._places import ManifestError, Piece, Place, Row, new_shard, shard_rows
from wegman.cluster._ranges import before, raw
from wegman.cluster._store import Files, Source, connected, environment, local, locate, source_at
from wegman.cluster._work import introduce, is_name, is_of_part
from wegman.files import listed
from wegman.pmac import SegmentStream

StrPath = str | os.PathLike[str]
# How long what was read counts if the run that read it was interrupted.
WEEK = timedelta(days=7)
# No store takes more parts of an upload.
MOST_PARTS = 10_000
# A part has whole shards if the root has so many for each part, else names.
SHARDS_A_PART = 10


@dataclass(slots=True)
class Setup:
    """Who works and how, the same for every kind of run.

    client: a Dask client; or executor: any of `concurrent.futures`; or neither: `workers` threads of this machine, by default as many
    as it has processors. Workers of Dask find the key by the variable WEGMAN_KEY of their machines.
    state: a file that keeps what is done, so that a run that was interrupted goes on. It is removed when the run is done.
    resume_within: how long ago that run may have begun. By default a week, but for check nothing that an earlier run has read counts;
    otherwise `report.earlier` says for how many objects it did.
    include, exclude: patterns of names, as the shell has them. versions: whether the version that is newest at the start is read by its
    id. show_all: whether on_object gets objects that are good, too. partial: whether a manifest
    is written that lacks what could not be read. source: what to read instead of the URL's store, by threads.
    """

    client: Any = None
    executor: Executor | None = None
    workers: int | None = None
    state: StrPath | None = None
    resume_within: timedelta | None = None
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    versions: bool = False
    show_all: bool = False
    partial: bool = False
    options: Options = field(default_factory=Options)
    on_object: Callable[[Outcome], None] = lambda outcome: None
    on_progress: Callable[[Report], None] = lambda report: None
    source: Source | None = None


class _Run:
    """A run of one verb over a URL. What it found is in `report`."""

    def __init__(self, verb: str, url: str, key_file: StrPath, manifest: str, setup: Setup | None, more: dict[str, Any]) -> None:
        self.verb, self.key, self.setup, self.report = verb, KeyFile(key_file), replace(setup or Setup(), **more), Report()
        # Only PMAC has sums of parts.
        if not self.key.algorithm.startswith("PMAC"):
            raise ClusterError(f"{self.key.algorithm} can't tag an object in parts: `wegman keygen -o KEY` makes a key that can")
        self.place = Place(manifest, self.key, writes=verb == "tag")
        self.base, self.one = (url, None) if self.setup.source is not None else locate(url)
        self._key_file = os.path.abspath(key_file)

    def ranges(self) -> list[Range]:
        """Those of the manifest. Raises InvalidTag, ManifestError."""
        self.report.about, pieces = self.place.read()
        return [Range(piece.after, piece.upto, [piece]) for piece in pieces]

    def do(self, ranges: Sequence[Range], **more: Any) -> Report:
        """Does these ranges. more: what jobs have besides. Raises ClusterError, StateError."""
        setup, place, verb, report, about = self.setup, self.place, self.verb, self.report, self.report.about
        # Workers write shards where they can.
        reaches = place.is_tree and (place.is_url or (setup.client is None and setup.executor is None))
        expect = more.pop("expect", ())
        job = {
            "verb": verb, "url": self.base, "one": self.one, "is_plain": not place.is_tree, "place": place.full if reaches else None,
            "versions": setup.versions, "all": setup.show_all, "include": listed(setup.include, "include"), "exclude": listed(setup.exclude, "exclude"),
            "beside": self._beside(), **more,
        }  # fmt: skip
        # Whatever makes it another run. What tag has read is not what check has read, and one name is of many stores.
        of = {
            "command": verb, **{name: job[name] for name in ("url", "one", "include", "exclude", "versions", *more)},
            "expect": sha256("\0".join(expect).encode(errors="surrogateescape")).hexdigest(), "environment": environment(self.base),
            "grain": str(setup.options.grain), "place": place.full, "manifest": about and f"{about.seal_id}, serial {about.serial}",
        }  # fmt: skip
        engine = self._engine()
        report.engine = engine.name
        journal = Journal(setup.state, self.key, of, setup.resume_within or (None if verb == "check" else WEEK))
        collects = place if place.is_tree and not reaches else None
        if place.is_tree and verb in {"tag", "retag"} and journal.records:
            # Shards that are gone are made again.
            there = {None, *place.files()}
            journal.records = [record for record in journal.records if record[0] != "done" or record[2].get("file") in there]
        coordinator = Coordinator(engine, self.key, journal, job, setup.options, report, collects, setup.on_object, setup.on_progress, expect)
        is_done = False
        try:
            coordinator.run(ranges)
            if verb == "retag" and place.is_tree:
                coordinator.join(ranges)
            is_done = self._finish(coordinator, coordinator.pieces(ranges if verb == "check" else [Range("", None)]))
        except BaseException:
            if setup.state is None and not place.is_written:
                # Nobody goes on with these shards.
                with suppress(Exception):
                    place.remove(coordinator.files)
            raise
        finally:
            journal.close(is_done=is_done)
        if report.earlier:
            since = journal.since and f"{journal.since:%Y-%m-%d %H:%M} UTC"
            report.remarks.append(f"{report.earlier} of these results rest on what was read before this run, since {since}")
        report.remarks += place.remarks
        source = setup.source or source_at(self.base, self.one, journal.run)
        if isinstance(source, Files) and source.passed_over:
            report.remarks.append(source.passed_over)
        return report

    def _engine(self) -> Pool:
        setup, client = self.setup, self.setup.client
        if client is None:
            width = setup.workers or os.cpu_count() or 1
            executor = setup.executor or ThreadPoolExecutor(width)
            return Pool(executor, lambda: width, type(executor).__name__, self._key_file, setup.source)

        @lru_cache(maxsize=1)
        def threads(second: int) -> int:
            """How many jobs a Dask cluster does at once, asked once a second."""
            return sum(client.nthreads().values())

        return Pool(client.get_executor(pure=False, retries=0), lambda: threads(int(time.monotonic())), "dask")

    def _finish(self, coordinator: Coordinator, pieces: list[Piece]) -> bool:
        """Writes the manifest, if there is one to write; False if the same run should go on."""
        report, place, counts = self.report, self.place, self.report.counts
        if self.verb not in {"tag", "retag"}:
            return True
        if self.verb == "tag" and not counts:
            raise ManifestError(f"{self.base}: there are no objects")
        if counts["unreadable"] and not self.setup.partial and counts.total() > counts["unreadable"]:
            place.remove(coordinator.loose if self.setup.state else coordinator.files)
            goes_on = "the same command reads the rest" if self.setup.state else "use --state, and the same command reads only the rest"
            report.remarks.append(f"no manifest was written, because some objects could not be read: {goes_on}; --partial leaves them as they were")
            return False
        if counts["tagged"] or counts["removed"]:
            report.about = place.write(pieces, report.bytes, coordinator.files)
        elif self.verb == "tag":
            report.remarks.append("nothing could be tagged: no manifest was written")
        return True

    def _beside(self) -> str:
        """What is no object, although it may be among them: the key, the manifest and the state."""
        is_local, top = self.base.startswith("file://"), local(self.base)
        patterns = ["(?!)"]

        def add(place: str, ending: str = "") -> None:
            path = f"{os.path.realpath(place)}{'/' if place.endswith('/') else ''}" if is_local and "://" not in place else place
            if path.startswith(top):
                patterns.append(re.escape(path.removeprefix(top)) + ending)

        if self.place.place != "-":
            shards = r"(root|shard-[0-9a-f]{16}(\.index\.gz)?|shard-\d{6}-[0-9a-f]{8}(\.index\.gz)?)"
            add(self.place.place, shards if self.place.is_tree else r"(\.index\.gz)?")
        if is_local:
            add(self._key_file)
            if self.setup.state is not None:
                add(os.fspath(self.setup.state))
        return "|".join(patterns)


def tag(url: str, key_file: StrPath, output: str = "-", setup: Setup | None = None, *, force: bool = False, **more: Any) -> Report:
    """Tags all objects below a URL, and writes their manifest.

    more: fields of Setup, such as client=. output: a file or a URL for a plain manifest; with a slash at the end a root and its shards;
    "-" is standard output. Raises ClusterError, ManifestError, StateError, ValueError; what is wrong with an object is in the report.
    """
    run = _Run("tag", url, key_file, output, setup, more)
    if run.place.look() and not force:
        raise ManifestError(f"{output}: there is a manifest already: check it, or bring it up to date with retag; force makes a new one over it")
    return run.do([Range("", None)])


def check(
    url: str, manifest: str, key_file: StrPath, setup: Setup | None = None, *, part: tuple[int, int] | None = None, round: str = "",
    at_least: int = 0, fail_on_new: bool = False, **more: Any,
) -> Report:  # fmt: skip
    """Reads all objects of a manifest, and compares their tags.

    part: (3, 30) checks the third of thirty parts, which together have every object once; another round has other parts. at_least: the
    serial number of the oldest manifest that counts. Raises InvalidTag if the manifest itself is not authentic; ManifestError,
    ClusterError, StateError, ValueError.
    """
    if part is not None and not 1 <= part[0] <= part[1]:
        raise ValueError(f"{part[0]}/{part[1]} is not a part: the third of thirty is 3/30")
    run = _Run("check", url, key_file, manifest, setup, more)
    ranges, about = run.ranges(), run.report.about
    if about is not None and about.serial < at_least:
        raise ManifestError(f"{manifest}: its serial number is {about.serial}, and at least {at_least} was asked for: it is an old one")
    run.report.fails_on_new = fail_on_new
    more = {}
    if part is not None:
        chosen = (*part, round)
        has_shards = len(ranges) >= SHARDS_A_PART * part[1]
        more = {"shards" if has_shards else "part": list(chosen)}
        ranges = [one for one in ranges if not has_shards or is_of_part(run.key, one.after, chosen)]
    report = run.do(ranges, **more)
    if report.objects == report.counts["new"]:
        globs = " and ".join(f"--{name}" for name in ("include", "exclude") if getattr(run.setup, name))
        if globs and not part:
            raise ValueError(f"{manifest}: {globs} leaves no name of it, so nothing was checked")
        if part:
            report.remarks.append("nothing was checked: no name of the manifest is in this part")
    return report


def retag(url: str, manifest: str, key_file: StrPath, expect: Iterable[str], setup: Setup | None = None, **more: Any) -> Report:
    """Brings a manifest up to date: what is named in `expect` is read and gets a new tag, or is taken out if it is gone.

    Other objects whose ETag or size differs from the manifest's index are reported and keep their tags. The rest is not read,
    unless its shard has become too large, or lost so much that it joins a neighbour: what another shard takes is read, compared with its
    tag and tagged under the other key at once. Raises as check does; ManifestError also if another run wrote the manifest meanwhile.
    """
    run = _Run("retag", url, key_file, manifest, setup, more)
    return run.do(run.ranges(), expect=sorted(frozenset(listed(expect, "expect")), key=raw))


def plan(url: str, key_file: StrPath, setup: Setup | None = None, **more: Any) -> Report:
    """Lists the objects, and counts what reading them takes: objects, bytes, requests. Reads none of them. Raises as tag does."""
    report = _Run("plan", url, key_file, "-", setup, more).do([Range("", None)])
    report.remarks.append(f"{report.objects} objects, {report.bytes} bytes, {report.gets} requests")
    return report


def upload(
    file: StrPath, url: str, key_file: StrPath, output: str | None = None, piece: int = 8 * MIB, on_remark: Callable[[str], None] = lambda text: None
) -> Row:  # fmt: skip
    """Stores a file as the object of that URL, and tags it from the bytes as they are sent: none is read twice. Returns name, tag, object.

    url: with a slash at the end, the file's name is added. output: a manifest to which the object's row is added, under the URL's last
    part; if there is none, it is made. Raises OSError, ValueError, ManifestError, Problem, or obstore's own error.
    """
    url = local(url)
    if url.endswith("/"):
        url += Path(file).name
    parent, slash, name = url.rpartition("/")
    if "://" in url and parent.endswith("/"):
        raise ValueError(f"{url}: it names no object: {url}/ stores the file under its own name")
    parent, key, place = parent or slash or ".", KeyFile(key_file), output and Place(output, KeyFile(key_file), writes=True)
    if not place:
        return _uploaded(file, parent, name, key, None, piece)
    if not is_name(name):
        raise ValueError(f"{url}: no manifest can have the name {name!r}: nothing was sent")
    pieces = place.read()[1] if place.look() else [Piece("", None)]
    at = next(at for at, one in enumerate(pieces) if not before(one.upto or "", name) or one.upto is None)
    old = pieces[at]
    rows = shard_rows(key, *place.shard(old.file), old) if old.file else list(old.rows)
    shard = (rows[0].shard if rows else secrets.token_hex(8)) if place.is_tree else None
    found = _uploaded(file, parent, name, key, shard, piece)
    rows = sorted([*(row for row in rows if row.name != name), found], key=lambda row: row.name.encode())
    pieces[at] = Piece(old.after, old.upto, rows=rows)
    if place.is_tree:
        stem, pieces[at].tag, data, index = new_shard(key, rows, shard)
        pieces[at].file = stem
        place.put_shard(stem, data, index)
    place.write(pieces)
    for remark in place.remarks:
        on_remark(remark)
    return found


def _uploaded(file: StrPath, parent: str, name: str, key: KeyFile, shard: str | None, piece: int) -> Row:
    stream, size, piece = SegmentStream(key.mac(shard)), 0, max(piece, -(-os.path.getsize(file) // MOST_PARTS))
    with open(file, "rb", buffering=0) as source, obstore.open_writer(connected(parent), name, buffer_size=piece) as sink:
        while data := source.read(piece):
            stream.update(data)
            sink.write(data)
            size += len(data)
    stored = source_at(locate(f"{parent.rstrip('/')}/")[0], None, secrets.token_hex(8)).head(name)
    if stored.size != size:
        raise ValueError(f"{parent}/{name}: {size} bytes were sent, but the object has {stored.size}")
    return Row(name, stream.segment().tag_of_length(size), stored, shard)


def workers(key_file: StrPath, setup: Setup | None = None, **more: Any) -> list[dict[str, str | float]]:
    """What each worker says of itself: machine, key, kernel, speed, version, or `error`. One that has another key says so."""
    setup, key = replace(setup or Setup(), **more), KeyFile(key_file)
    if setup.client is not None:
        found = list(setup.client.run(introduce, on_error="return").values())
    else:
        path = os.path.abspath(key_file)
        found = [setup.executor.submit(introduce, path).result() if setup.executor else introduce(path)]
    for one in found:
        if one.get("key", key.id) != key.id:
            one["error"] = f"it has the key {one['key']}, not {key.id}"
    return found
