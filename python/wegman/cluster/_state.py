"""What was summed so far, in a file of SQLite, so that a run that was interrupted goes on where it stopped.

Nothing in it is trusted: sums and tags are encrypted or sealed under the key, each bound to what it is of.
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from json import dumps
from pathlib import Path

from wegman import InvalidTag, Mac, Tag
from wegman._native import KeyFile, States
from wegman.cluster._objects import Object, Range
from wegman.pmac import Segment

SCHEMA = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS shard (number INTEGER PRIMARY KEY, id TEXT NOT NULL, first TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS part (
    shard TEXT, name TEXT, etag TEXT, version TEXT, size INTEGER, start INTEGER, end INTEGER, run TEXT NOT NULL,
    sealed BLOB NOT NULL, PRIMARY KEY (shard, name, etag, version, size, start, end));
CREATE TABLE IF NOT EXISTS tag (
    shard TEXT, name TEXT, etag TEXT, version TEXT, size INTEGER, run TEXT NOT NULL, sealed BLOB NOT NULL,
    PRIMARY KEY (shard, name, etag, version, size));
"""


class StateError(Exception):
    """The file is not of this run: another object, key or grain."""


def _tag_binding(run: str, shard: str | None, one: Object) -> bytes:
    return dumps(["tag", run, shard, one.name, one.etag, one.version, one.size]).encode()


class State:
    """The state of a run, in a file, or nowhere if `path` is None."""

    def __init__(self, path: str | os.PathLike[str] | None, key: KeyFile, run: str, about: dict[str, str]) -> None:
        """Raises StateError if the file is of something else."""
        self._key = key
        self._run = run
        self._states = {run: States(key, run)}
        self.refused: list[str] = []
        self._held: int | None = None
        place = ":memory:" if path is None else os.fspath(path)
        try:
            if path is not None:
                self._hold(place)
            self._file = sqlite3.connect(place, isolation_level=None)
            if path is not None:
                self._file.execute("PRAGMA journal_mode=WAL")
            self._file.executescript(SCHEMA)
            self._check(place, {"format": "1", "key": key.id, **about})
        except BaseException as error:
            self._release()
            if isinstance(error, sqlite3.DatabaseError):
                raise StateError(f"{place}: {error}") from None
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

    def _check(self, place: str, about: dict[str, str]) -> None:
        for name, value in about.items():
            self._file.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (name, value))
            (there,) = self._file.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
            if there != value:
                raise StateError(
                    f"{place}: it is of another run, whose {name} is {there!r}, not {value!r}: name another file, or remove it"
                )

    def commit(self) -> None:
        """Keeps what was put, whatever happens after."""
        self._file.execute("COMMIT")
        self._file.execute("BEGIN")

    def close(self) -> None:
        try:
            self._file.execute("COMMIT")
        finally:
            self._file.close()
            self._release()

    def shards(self) -> list[tuple[int, str, str]]:
        """Number, id and first name of the shards so far."""
        return self._file.execute("SELECT number, id, first FROM shard ORDER BY number").fetchall()

    def put_shard(self, number: int, shard: str, first: str) -> None:
        self._file.execute("INSERT OR REPLACE INTO shard VALUES (?, ?, ?)", (number, shard, first))

    def _of(self, run: str) -> States:
        if run not in self._states:
            self._states[run] = States(self._key, run)
        return self._states[run]

    def put_part(self, one: Range, sealed: bytes) -> None:
        self._file.execute(
            "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (one.shard or "", *_of(one.object), one.start, one.end, self._run, sealed),
        )

    def parts(self, shard: str | None, one: Object, mac: Mac) -> Iterator[tuple[int, int, Segment]]:
        """Start, end and sum of the parts of an object that are there. One that was changed is removed and named in `refused`."""
        where = (shard or "", *_of(one))
        with closing(
            self._file.execute(
                "SELECT start, end, run, sealed FROM part WHERE shard = ? AND name = ? AND etag = ? AND version = ? AND size = ?",
                where,
            )
        ) as rows:
            found = rows.fetchall()
        for start, end, run, sealed in found:
            place = Range(shard, one, start, end)
            try:
                yield start, end, opened(self._of(run), run, mac, place, sealed)
            except (InvalidTag, ValueError):
                self.refused.append(f"{one.name}: bytes {start} to {end}")
                self._file.execute(
                    "DELETE FROM part WHERE shard = ? AND name = ? AND etag = ? AND version = ? AND size = ? AND start = ? AND end = ?",
                    (*where, start, end),
                )

    def put_tag(self, shard: str | None, one: Object, tag: Tag) -> None:
        """An object is done: its parts are needed no longer."""
        sealed = self._of(self._run).seal_bytes(bytes(tag), _tag_binding(self._run, shard, one))
        where = (shard or "", *_of(one))
        self._file.execute("INSERT OR REPLACE INTO tag VALUES (?, ?, ?, ?, ?, ?, ?)", (*where, self._run, sealed))
        self._file.execute(
            "DELETE FROM part WHERE shard = ? AND name = ? AND etag = ? AND version = ? AND size = ?", where
        )

    def tag(self, shard: str | None, one: Object) -> Tag | None:
        """The tag of an object that is done."""
        where = (shard or "", *_of(one))
        row = self._file.execute(
            "SELECT run, sealed FROM tag WHERE shard = ? AND name = ? AND etag = ? AND version = ? AND size = ?", where
        ).fetchone()
        if row is None:
            return None
        run, sealed = row
        try:
            return Tag(self._of(run).open_bytes(sealed, _tag_binding(run, shard, one)))
        except (InvalidTag, ValueError):
            self.refused.append(one.name)
            self._file.execute(
                "DELETE FROM tag WHERE shard = ? AND name = ? AND etag = ? AND version = ? AND size = ?", where
            )
            return None


def _of(one: Object) -> tuple[str, str, str, int]:
    return one.name, one.etag, one.version or "", one.size


def opened(states: States, run: str, mac: Mac, one: Range, sealed: bytes) -> Segment:
    """The sum of a range. Raises InvalidTag if these bytes are not that, ValueError if they are of another length or place."""
    segment = states.open(mac, sealed, one.binding(run))
    if (segment.offset, len(segment)) != (one.start, one.end - one.start):
        raise ValueError("the sum is not of that range")
    return segment
