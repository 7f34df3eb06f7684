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
        # The line before binds each: none is left out, exchanged or repeated, and lines of two histories of a run do not make a third.
        self._binding = b"journal "
        self._path = path
        # Nobody else reads it, from its first moment on.
        self._file: Any = None if path is None else os.fdopen(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600), "r+b")
        if self._file is not None:
            self._begin(key, about, resume_within)

    def _refuses(self, text: str) -> StateError:
        self._file.close()
        return StateError(f"{self._path}: {text}")

    def _begin(self, key: KeyFile, about: dict[str, Any], within: timedelta | None) -> None:
        file = self._file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._refuses("another run uses it") from None
        if os.fstat(file.fileno()).st_mode & 0o077:
            raise self._refuses("others may access it: run `chmod 600` on it")
        lines = file.read().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            # The machine stopped while it was written.
            torn = lines.pop()
            if not lines and not re.fullmatch(rb"[0-9a-f]{0,32}( [A-Za-z0-9+/=]*)?", torn):
                raise self._refuses("it is not a state: name another file, or remove it")
            file.seek(-len(torn), os.SEEK_END)
            file.truncate()
        if not lines:
            file.write(f"{self.run} ".encode())
            self.put({**about, "began": int(time.time())})
            self.flush()
            return
        found: list[Any] = []
        try:
            run, _, lines[0] = lines[0].partition(b" ")
            self.run = run.decode()
            self.states = States(key, self.run)
            for line in lines:
                found.append(loads(self.states.open_bytes(b64decode(line.rstrip(b"\n"), validate=True), self._binding)))
                self._binding = b"journal " + sha256(line.rstrip(b"\n")).hexdigest().encode()
            header, *self.records = found
            began = header.pop("began")
            since = datetime.fromtimestamp(began, UTC)
        except (InvalidTag, ValueError, TypeError, AttributeError, KeyError):
            what = f"line {len(found) + 1}" if found else "its header"
            raise self._refuses(
                f"{what} is not what this key sealed there: it was altered, or is of another key: name another file, or remove it"
            ) from None
        for name in {**header, **about}:
            was, now = header.get(name), about.get(name)
            if was != now:
                raise self._refuses(f"it is of another run, whose {name} is {was!r}, not {now!r}: name another file, or remove it")
        if not self.records:
            return
        if within is None or not 0 <= time.time() - began <= within.total_seconds():
            limit = "but only what this run reads counts" if within is None else "which is not within the time that counts"
            raise self._refuses(
                f"it has results of a run that began {since:%Y-%m-%d %H:%M} UTC, {limit}: remove it to read all again, or let them count with "
                "--resume-within"
            )
        self.since = since

    def put(self, record: Any) -> None:
        """Adds a record, which `flush` keeps."""
        if self._file is not None:
            line = b64encode(self.states.seal_bytes(dumps(record).encode(), self._binding))
            self._file.write(line + b"\n")
            self._binding = b"journal " + sha256(line).hexdigest().encode()

    def flush(self) -> None:
        """Keeps what was put, whatever happens after."""
        if self._file is not None:
            self._file.flush()
            os.fdatasync(self._file.fileno())

    def close(self, *, is_done: bool) -> None:
        """The file of a run that is done goes: what is kept longer would count as read although nobody reads it again."""
        if self._file is not None:
            if is_done:
                Path(self._path or "").unlink(missing_ok=True)
            self._file.close()
