"""Manifests of files: sealed lists of their tags, and whether the files have changed since.

    files.keygen("key")                                     # once; keep it where the files' enemies can't read it
    files.tag_tree("photos", "manifest", "key")
    report = files.check("manifest", "key")
    if not report.ok:
        print([file.name for file in report.files if file.status != "ok"])
    report = files.audit("photos", "manifest", "key")       # new, missing, changed and moved files
    data = files.Sealed("manifest", "key").read("photos/a.jpg")     # or raises: only what was verified is handed over

These functions run the command `wegman`, so both use the same keys and manifests. Names in a manifest are relative to the directory
in which it was made: `cwd`, or the current one.
"""

import fcntl
import io
import json
import os
import subprocess
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from wegman import InvalidTag, Tag
from wegman._command import command
from wegman._native import KeyFile, Tree, read_whole_manifest

if TYPE_CHECKING:
    from wegman._native import Buffer

__all__ = ["Error", "File", "Report", "Sealed", "audit", "check", "keygen", "tag_tree"]

StrPath = str | os.PathLike[str]
Progress = Callable[[int, int], object]
_PIECE = 1 << 18  # bytes that are read, hashed and written at a time, in a processor's own cache


class Error(Exception):
    """Nothing was done, for example because a key or manifest is missing or not readable. The text says why."""


@dataclass(frozen=True, slots=True)
class File:
    """A file's result.

    status: from tag_tree "tagged" or "unreadable"; from check "ok", "failed", "missing", "unreadable" or "interrupted"; from audit
    "changed", "missing", "moved", "new", "unreadable" or "interrupted". `moved_to` is the new name of a moved file, `detail` says
    what differs other than the content, `kind` what it is if it is no file, `error` why it could not be read.
    """

    name: str
    status: str
    tag: Tag | None = None
    moved_to: str | None = None
    kind: str | None = None
    detail: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a run.

    ok: whether every file is as it should be. files: those with a result, in order. counts: the number of files of each status.
    """

    ok: bool
    files: list[File]
    counts: dict[str, int]

    def verify(self) -> None:
        """Returns if every file is as it should be.

        Raises InvalidTag if not.
        """
        if not self.ok:
            found = ", ".join(f"{count} {status}" for status, count in self.counts.items() if count)
            raise InvalidTag(f"the files are not what the manifest says: {found}")


def _file(record: dict[str, Any]) -> File:
    name = os.fsdecode(bytes.fromhex(record["name_hex"])) if "name_hex" in record else str(record["name"])
    tag = Tag.fromhex(record["tag"]) if "tag" in record else None
    return File(
        name, record["status"], tag, record.get("to"), record.get("kind"), record.get("detail"), record.get("error")
    )


def listed(words: Iterable[StrPath], what: str) -> list[str]:
    """Raises TypeError for a single string: each letter would be an entry, and * matches everything."""
    if isinstance(words, str | bytes):
        raise TypeError(f"{what} is a list, such as [{words!r}], and not one string")
    return [os.fsdecode(word) for word in words]


def _ran(arguments: Iterable[StrPath], cwd: StrPath | None) -> "subprocess.CompletedProcess[str]":
    """Runs the command. Names that it prints are as os.listdir has them, whatever the locale."""
    # A path is never standard input here, which the command calls -.
    words = [command(), *("./-" if os.fspath(word) == "-" else os.fspath(word) for word in arguments)]
    to, errors = subprocess.PIPE, "surrogateescape"
    return subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, stdout=to, stderr=to, text=True, errors=errors, check=False)


def _run(arguments: Iterable[StrPath], cwd: StrPath | None) -> Report:
    """Runs the command, and reads its output."""
    done = _ran(arguments, cwd)
    records: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    if not records or records[-1]["type"] != "summary":
        raise Error(done.stderr.strip().removeprefix("wegman: "))
    summary = records.pop()
    if "error" in summary:
        raise InvalidTag(summary["error"])
    counts = {key: value for key, value in summary.items() if key not in {"type", "command", "exit"}}
    return Report(done.returncode == 0, [_file(record) for record in records], counts)


def keygen(key: StrPath, algorithm: str = "PMAC-AES128", *, cwd: StrPath | None = None) -> None:
    """Makes a key file, which only its owner may read.

    Raises Error if the file exists, or there is no such algorithm.
    """
    done = _ran(["keygen", "--algorithm", algorithm, "--", key], cwd)
    if done.returncode != 0:
        raise Error(done.stderr.strip().removeprefix("wegman: "))


def tag_tree(
    directory: StrPath,
    manifest: StrPath,
    key: StrPath,
    *,
    exclude: Iterable[str] = (),
    cwd: StrPath | None = None,
) -> Report:
    """Tags all files below a directory, and writes their manifest.

    exclude: patterns of names to leave out, as in a .gitignore. The report has the tags, too. Raises Error if the key can't be
    used, if the manifest can't be written, or if another kind of file has its name.
    """
    left_out = [f"--exclude={pattern}" for pattern in listed(exclude, "exclude")]
    return _run(["tag", "--json", *left_out, "--key", key, "--recursive", "-o", manifest, "--", directory], cwd)


def check(manifest: StrPath, key: StrPath, parts: Iterable[StrPath] = (), *, cwd: StrPath | None = None) -> Report:
    """Checks that the files of a manifest are unchanged: all, or the files and directories in `parts`.

    Raises InvalidTag if the manifest itself is not authentic; Error if manifest or key can't be read.
    """
    return _run(["check", "--json", "--key", key, "--", manifest, *listed(parts, "parts")], cwd)


def audit(
    directory: StrPath,
    manifest: StrPath,
    key: StrPath,
    *,
    exclude: Iterable[str] = (),
    cwd: StrPath | None = None,
) -> Report:
    """Compares a directory with its manifest: new, missing, changed and moved files.

    Raises InvalidTag if the manifest itself is not authentic; Error if something can't be read.
    """
    left_out = [f"--exclude={pattern}" for pattern in listed(exclude, "exclude")]
    return _run(["audit", "--json", *left_out, "--key", key, "--", directory, manifest], cwd)


class Sealed:
    """The files of a manifest, to be loaded: what is handed over is what was verified.

    at_least: the smallest serial number to accept; keep the last `serial` where the files' enemies can't write. cwd: what the
    manifest's names are relative to. The manifest is read once, here.

    Raises InvalidTag if the manifest is not authentic or too old; ValueError if the key is not for PMAC or not the manifest's, the
    manifest is a part of a large one, or an edit is not finished; OSError if it or the key can't be read.
    """

    def __init__(self, manifest: StrPath, key: StrPath, *, at_least: int = 0, cwd: StrPath = "") -> None:
        key_file = KeyFile(os.path.join(cwd, key))
        loaded = read_whole_manifest(key_file, os.path.join(cwd or ".", manifest), at_least)
        self.serial = loaded.serial
        self._mac, self._tree = key_file.mac(), Tree(cwd or ".")
        self._rows = {os.path.normpath(name): (name, tag) for name, tag in loaded.rows}

    @overload
    def read(self, name: StrPath, into: None = None, *, progress: Progress | None = None) -> bytes: ...
    @overload
    def read(self, name: StrPath, into: "Buffer", *, progress: Progress | None = None) -> memoryview: ...
    def read(self, name: StrPath, into: "Buffer | None" = None, *, progress: Progress | None = None) -> bytes | memoryview:
        """The bytes of a file, or the part of the buffer `into` that they fill. Calls progress(done, size) as it reads.

        Raises InvalidTag if the file is not what the manifest says, or not listed; Error if it can't be read, or its length
        changes meanwhile; ValueError if `into` is too short. `into` is all zeros then.
        """
        if into is None:
            data = io.BytesIO()

            def memory(size: int) -> memoryview:
                nonlocal data
                data = io.BytesIO(bytes(size))  # of the file's length at once: growing would copy
                return data.getbuffer()

            self._copy(name, progress, memory)
            return data.getvalue()
        room = memoryview(into).cast("B")
        try:
            return room[: self._copy(name, progress, lambda size: room[:size])]
        except BaseException:
            for at in range(0, len(room), _PIECE):
                room[at : at + _PIECE] = bytes(len(room[at : at + _PIECE]))
            raise

    @contextmanager
    def path(self, name: StrPath, *, progress: Progress | None = None) -> Generator[str]:
        """A path in this process of a copy in memory that nobody can change (Linux). A map of it outlives the path.

        Raises as read() does.
        """
        descriptor = os.memfd_create("wegman", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            with open(descriptor, "wb", closefd=False) as copy:
                self._copy(name, progress, write=copy.write)
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)

    def _copy(
        self,
        name: StrPath,
        progress: Progress | None,
        memory: Callable[[int], memoryview] | None = None,
        write: Callable[[memoryview], object] = len,
    ) -> int:
        """Reads a file once, into memory(its length) if given, hashes and writes each piece, and verifies the whole. Returns its length."""
        shown, row = os.fspath(name), self._rows.get(os.path.normpath(os.fsencode(name)))
        if row is None:
            raise InvalidTag(f"{shown}: the manifest does not list it")
        try:
            descriptor = self._tree.open(row[0])
        except (OSError, ValueError) as error:
            raise Error(f"{shown}: {error}") from error
        with open(descriptor, "rb", buffering=0) as file:
            size, done, stream, room = os.fstat(descriptor).st_size, 0, self._mac.stream(), memoryview(bytearray(_PIECE))
            into = None if memory is None else memory(size)
            if into is not None and size > len(into):
                raise ValueError(f"{shown}: it has {size} bytes, and `into` has room for {len(into)}")
            # What may come after the last byte is not read into the buffer.
            piece = room if into is None or not size else into[: min(_PIECE, size)]
            while (count := file.readinto(piece)) and done + count <= size:
                stream.update(piece[:count])
                write(piece[:count])
                done += count
                piece = room if into is None or done == size else into[done : min(done + _PIECE, size)]
                if progress is not None:
                    progress(done, size)
        if count or done < size:
            changed = "grew" if count else f"shrank to {done}"
            raise Error(f"{shown}: it had {size} bytes, and {changed} while it was read: load it again when nobody writes it")
        if stream.tag() != row[1]:
            raise InvalidTag(f"{shown}: it is not what the manifest says; if it was edited, read the manifest again")
        return size
