"""What was summed so far, in a file of SQLite, so that a run that was interrupted goes on where it stopped.

Nothing in it is trusted. Its header is sealed under the key and says what the state is of: command, URL, manifest, start. All else is
encrypted or sealed under the key of the id that only this header has, and bound to what it is of: a row of any other state is none here.
"""

import fcntl
import os
import secrets
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from json import dumps, loads
from pathlib import Path

from wegman import InvalidTag, Mac, Tag
from wegman._native import KeyFile, States
from wegman.cluster._objects import Object, Range
from wegman.pmac import Segment

SCHEMA = """
BEGIN;
CREATE TABLE header (run TEXT NOT NULL, sealed BLOB NOT NULL);
CREATE TABLE shard (number INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
CREATE TABLE part (
    shard TEXT, name TEXT, etag TEXT, version TEXT, size INTEGER, start INTEGER, end INTEGER, sealed BLOB NOT NULL,
    PRIMARY KEY (shard, name, etag, version, size, start, end));
CREATE TABLE tag (
    shard TEXT, name TEXT, etag TEXT, version TEXT, size INTEGER, sealed BLOB NOT NULL,
    PRIMARY KEY (shard, name, etag, version, size));
COMMIT;
"""
OBJECT = "shard = ? AND name = ? AND etag = ? AND version = ? AND size = ?"


class StateError(Exception):
    """The file is not of this run, or too old: the text says what to do."""


def _tag_binding(run: str, shard: str | None, one: Object) -> bytes:
    return dumps(["tag", run, shard, one.name, one.etag, one.version, one.size]).encode()


def _shard_binding(run: str, number: int) -> bytes:
    return dumps(["shard", run, number]).encode()


class State:
    """The state of a run, in a file, or nowhere if `path` is None."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        key: KeyFile,
        about: dict[str, str],
        resume_within: timedelta | None = None,
    ) -> None:
        """about: what the run is, which the file must be of, too. resume_within: how long ago it may have begun; None: what an earlier
        run has read does not count. Raises StateError.
        """
        self._key = key
        self.refused: list[str] = []
        # When the run began whose results count here, too.
        self.since: datetime | None = None
        self._held: int | None = None
        self._place = None if path is None else os.fspath(path)
        place = ":memory:" if path is None else os.fspath(path)
        try:
            if path is not None:
                self._hold(place)
            self._file = sqlite3.connect(place, isolation_level=None)
            self._begin(place, about, resume_within)
            if path is not None:
                self._file.execute("PRAGMA journal_mode=WAL")
        except BaseException as error:
            self._release()
            if isinstance(error, sqlite3.DatabaseError):
                raise StateError(f"{place}: it can't be used as a state of this version: {error}") from None
            raise
        self._file.execute("BEGIN")

    def _hold(self, place: str) -> None:
        # Nobody else reads it, from its first moment on. Kept open: closing it would give up the locks of SQLite.
        self._held = os.open(place, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateError(f"{place}: another run uses it") from None
        if Path(place).stat().st_mode & 0o077:
            raise StateError(f"{place}: others may access it: run `chmod 600 {place}`")

    def _release(self) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def _begin(self, place: str, about: dict[str, str], resume_within: timedelta | None) -> None:
        """Goes on with what is there, or begins if that is nothing."""
        if not self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._file.executescript(SCHEMA)
        (rows,) = self._file.execute("SELECT (SELECT count(*) FROM part) + (SELECT count(*) FROM tag)").fetchone()
        if rows:
            self._go_on(place, about, resume_within)
            return
        self._run = secrets.token_hex(16)
        self._states = States(self._key, self._run)
        header = dumps({**about, "began": int(time.time())}).encode()
        self._file.execute("BEGIN")
        self._file.execute("DELETE FROM shard")
        self._file.execute("DELETE FROM header")
        sealed = self._states.seal_bytes(header, self._header_binding())
        self._file.execute("INSERT INTO header VALUES (?, ?)", (self._run, sealed))
        self._file.execute("COMMIT")

    def _header_binding(self) -> bytes:
        return dumps(["header", self._run]).encode()

    def _go_on(self, place: str, about: dict[str, str], resume_within: timedelta | None) -> None:
        try:
            ((self._run, sealed),) = self._file.execute("SELECT run, sealed FROM header").fetchall()
            self._states = States(self._key, self._run)
            header = loads(self._states.open_bytes(sealed, self._header_binding()))
        except (InvalidTag, ValueError, TypeError):
            raise StateError(
                f"{place}: its header is not what this key sealed: it was altered, or is of another key: name another file, or remove it"
            ) from None
        began = datetime.fromtimestamp(header.pop("began"), UTC)
        for name in {**header, **about}:
            if header.get(name) != about.get(name):
                raise StateError(
                    f"{place}: it is of another run, whose {name} is {header.get(name)!r}, not {about.get(name)!r}: "
                    "name another file, or remove it"
                )
        age = datetime.fromtimestamp(int(time.time()), UTC) - began
        if resume_within is None or not timedelta(0) <= age <= resume_within:
            limit = "but only what this run reads counts" if resume_within is None else "which is not within the time that counts"
            raise StateError(
                f"{place}: it has results of a run that began {began:%Y-%m-%d %H:%M} UTC, {limit}: remove it to read all again, "
                "or let them count with --resume-within"
            )
        self.since = began

    def commit(self) -> None:
        """Keeps what was put, whatever happens after."""
        self._file.execute("COMMIT")
        self._file.execute("BEGIN")

    def close(self, *, is_done: bool = False) -> None:
        """The file of a run that is done goes, while no other run can hold it: what is kept longer would count as read although nobody
        reads it again.
        """
        try:
            self._file.execute("COMMIT")
        finally:
            self._file.close()
            if is_done and self._place is not None:
                for ending in ("", "-wal", "-shm"):
                    Path(self._place + ending).unlink(missing_ok=True)
            self._release()

    def shards(self) -> list[tuple[str, str]]:
        """Id and first name of the shards so far, in order, up to one that was changed."""
        found: list[tuple[str, str]] = []
        for number, sealed in self._file.execute("SELECT number, sealed FROM shard ORDER BY number").fetchall():
            try:
                shard, first = loads(self._states.open_bytes(sealed, _shard_binding(self._run, number)))
            except (InvalidTag, TypeError):
                self.refused.append(f"shard {number}")
                break
            found.append((shard, first))
        return found

    def put_shard(self, number: int, shard: str, first: str) -> None:
        sealed = self._states.seal_bytes(dumps([shard, first]).encode(), _shard_binding(self._run, number))
        self._file.execute("INSERT OR REPLACE INTO shard VALUES (?, ?)", (number, sealed))

    def put_part(self, one: Range, segment: Segment) -> None:
        if self._held is None:
            return
        sealed = self._states.seal(segment, one.binding(self._run))
        self._file.execute(
            "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (*_where(one.shard, one.object), one.start, one.end, sealed),
        )

    def parts(self, shard: str | None, one: Object, mac: Mac) -> list[tuple[int, int, Segment]]:
        """Start, end and sum of the parts of an object that are there. One that was changed is removed and named in `refused`."""
        where = _where(shard, one)
        with closing(self._file.execute(f"SELECT start, end, sealed FROM part WHERE {OBJECT}", where)) as rows:
            found = rows.fetchall()
        parts: list[tuple[int, int, Segment]] = []
        for start, end, sealed in found:
            try:
                segment = opened(self._states, self._run, mac, Range(shard, one, start, end), sealed)
                parts.append((start, end, segment))
            except (InvalidTag, ValueError, TypeError):
                self.refused.append(f"{one.name}: bytes {start} to {end}")
                self._file.execute(f"DELETE FROM part WHERE {OBJECT} AND start = ? AND end = ?", (*where, start, end))
        return parts

    def put_tag(self, shard: str | None, one: Object, tag: Tag) -> None:
        """An object is done: its parts are needed no longer."""
        if self._held is None:
            return
        sealed = self._states.seal_bytes(bytes(tag), _tag_binding(self._run, shard, one))
        where = _where(shard, one)
        self._file.execute("INSERT OR REPLACE INTO tag VALUES (?, ?, ?, ?, ?, ?)", (*where, sealed))
        self._file.execute(f"DELETE FROM part WHERE {OBJECT}", where)

    def tag(self, shard: str | None, one: Object) -> Tag | None:
        """The tag of an object that is done."""
        where = _where(shard, one)
        row = self._file.execute(f"SELECT sealed FROM tag WHERE {OBJECT}", where).fetchone()
        if row is None:
            return None
        try:
            return Tag(self._states.open_bytes(row[0], _tag_binding(self._run, shard, one)))
        except (InvalidTag, ValueError, TypeError):
            self.refused.append(one.name)
            self._file.execute(f"DELETE FROM tag WHERE {OBJECT}", where)
            return None


def _where(shard: str | None, one: Object) -> tuple[str, str, str, str, int]:
    return shard or "", one.name, one.etag, one.version or "", one.size


def opened(states: States, run: str, mac: Mac, one: Range, sealed: bytes) -> Segment:
    """The sum of a range. Raises InvalidTag if these bytes are not that, ValueError if they are of another length or place."""
    segment = states.open(mac, sealed, one.binding(run))
    if (segment.offset, len(segment)) != (one.start, one.end - one.start):
        raise ValueError("the sum is not of that range")
    return segment
