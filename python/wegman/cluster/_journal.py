"""What is done so far, in a file, so that the same command goes on after an interruption.

Nothing in it is trusted: each line is encrypted under the run's key and bound to its place. The first says what the run is.
"""

import fcntl
import os
import re
import secrets
import time
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from json import dumps, loads
from pathlib import Path
from typing import Any

from wegman import InvalidTag
from wegman._native import KeyFile, States


class StateError(Exception):
    """The file is not of this run, or too old: the text says what to do."""


class Journal:
    """Records of a run, in a file, or nowhere if `path` is None. `records` are those of an earlier run, which began at `since`."""

    def __init__(self, path: str | os.PathLike[str] | None, key: KeyFile, about: dict[str, Any], resume_within: timedelta | None = None) -> None:
        """about: what the run is, which the file must be of, too. resume_within: how long ago it may have begun; None: what an earlier
        run has read does not count. Raises StateError.
        """
        self.run = secrets.token_hex(16)
        self.states = States(key, self.run)
        self.records: list[Any] = []
        self.since: datetime | None = None
        # The line before binds each, so that lines of two histories of a run do not make a third.
        self._lines, self._last = 0, ""
        self._path = path
        # Nobody else reads it, from its first moment on.
        self._file: Any = None if path is None else os.fdopen(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600), "r+b")
        if self._file is not None:
            try:
                self._begin(key, about, resume_within)
            except BaseException as error:
                self._file.close()
                if isinstance(error, StateError):
                    raise StateError(f"{path}: {error}") from None
                raise

    def _begin(self, key: KeyFile, about: dict[str, Any], within: timedelta | None) -> None:
        file = self._file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateError("another run uses it") from None
        if os.fstat(file.fileno()).st_mode & 0o077:
            raise StateError("others may access it: run `chmod 600` with it")
        lines = file.read().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            # The machine stopped while it was written.
            torn = lines.pop()
            if not lines and not re.fullmatch(rb"[0-9a-f]{0,32}( [A-Za-z0-9+/=]*)?", torn):
                raise StateError("it is no state: name another file, or remove it")
            file.seek(-len(torn), os.SEEK_END)
            file.truncate()
        if not lines:
            file.write(f"{self.run} ".encode())
            self.put({**about, "began": int(time.time())})
            self.flush()
            return
        try:
            run, _, first = lines[0].partition(b" ")
            self.run = run.decode()
            self.states = States(key, self.run)
            header, *self.records = [self._read(line) for line in (first, *lines[1:])]
            began = datetime.fromtimestamp(header.pop("began"), UTC)
        except (InvalidTag, ValueError, TypeError, AttributeError, KeyError):
            what = "its header" if self._lines == 0 else f"line {self._lines + 1}"
            raise StateError(
                f"{what} is not what this key sealed there: it was altered, or is of another key: name another file, or remove it"
            ) from None
        for name in {**header, **about}:
            was, now = header.get(name), about.get(name)
            if was != now:
                raise StateError(f"it is of another run, whose {name} is {was!r}, not {now!r}: name another file, or remove it")
        age = datetime.fromtimestamp(int(time.time()), UTC) - began
        if self.records and (within is None or not timedelta(0) <= age <= within):
            limit = "but only what this run reads counts" if within is None else "which is not within the time that counts"
            raise StateError(
                f"it has results of a run that began {began:%Y-%m-%d %H:%M} UTC, {limit}: remove it to read all again, or let them count with "
                "--resume-within"
            )
        self.since = began if self.records else None

    def _binding(self) -> bytes:
        return f"journal {self._lines} {self._last}".encode()

    def _read(self, line: bytes) -> Any:
        record = loads(self.states.open_bytes(b64decode(line.rstrip(b"\n"), validate=True), self._binding()))
        self._lines, self._last = self._lines + 1, sha256(line.rstrip(b"\n")).hexdigest()
        return record

    def put(self, record: Any) -> None:
        """Adds a record, which `flush` keeps."""
        if self._file is not None:
            line = b64encode(self.states.seal_bytes(dumps(record).encode(), self._binding()))
            self._file.write(line + b"\n")
            self._last = sha256(line).hexdigest()
        self._lines += 1

    def flush(self) -> None:
        """Keeps what was put, whatever happens after."""
        if self._file is not None:
            self._file.flush()
            os.fdatasync(self._file.fileno())

    def close(self, *, is_done: bool) -> None:
        """The file of a run that is done goes: what is kept longer would count as read although nobody reads it again."""
        if self._file is not None:
            if is_done and self._path is not None:
                Path(self._path).unlink(missing_ok=True)
            self._file.close()
