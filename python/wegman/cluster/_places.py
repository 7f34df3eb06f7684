"""Manifests: a plain one in a file, or shards under a root, in a directory or below a prefix of a store."""

import fcntl
import gzip
import os
import secrets
import sys
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from json import dumps, loads
from pathlib import Path
from typing import Any, NamedTuple

import obstore
from obstore import exceptions

from wegman import InvalidTag, Tag
from wegman._native import KeyFile, SealedManifest, read_manifest, seal_manifest
from wegman.cluster._ranges import before, raw
from wegman.cluster._store import Object, connected, first_line, shown

ROOT, INDEX = "root", ".index.gz"
# A plain manifest has no more: its key is good for no more, and a machine can hold it.
MOST_ROWS, MOST_BYTES = 1_000_000, 1 << 40
# What of a manifest is read, and of an index.
MOST_READ, MOST_INDEX = 1 << 30, 1 << 28


class ManifestError(Exception):
    """The manifest can't be used: it is not there, of another kind, or can't be written. The text says what to do."""


class Row(NamedTuple):
    """A name and its tag, and the shard whose key it is of. `object` is what the index says: for planning only, nothing vouches for it."""

    name: str
    tag: Tag
    object: Object | None = None
    shard: str | None = None


class About(NamedTuple):
    """What a sealed manifest says of itself."""

    serial: int
    seal_id: str


@dataclass(slots=True)
class Piece:
    """A range of names, `(after, upto]`: a shard's file and its tag, or rows of a plain manifest. After a retag, what it has and lost, too."""

    after: str
    upto: str | None
    file: str | None = None
    tag: str = ""
    rows: Sequence[Row] = ()
    count: int = 0
    size: int = 0
    removed: int = 0


def sealed(key: KeyFile, rows: Iterable[Any], old: bytes | None = None, **role: Any) -> tuple[bytes, About]:
    """A manifest's bytes, as the version after an old one."""
    with tempfile.TemporaryDirectory(prefix="wegman-") as folder:
        copy = Path(folder, "manifest")
        if old is not None:
            copy.write_bytes(old)
        about = About(*seal_manifest(key, copy, rows, **role))
        return copy.read_bytes(), about


def opened(key: KeyFile, data: bytes, name: str) -> SealedManifest:
    """A manifest from its bytes. Raises InvalidTag, ValueError."""
    with tempfile.NamedTemporaryFile(prefix="wegman-") as copy:
        copy.write(data)
        copy.flush()
        try:
            return read_manifest(key, copy.name)
        except (InvalidTag, ValueError) as error:
            raise type(error)(str(error).replace(copy.name, name)) from None


def pairs(rows: Iterable[Row]) -> list[tuple[bytes, Tag]]:
    return [(row.name.encode(), row.tag) for row in rows]


def packed_index(rows: Iterable[Row]) -> bytes:
    return gzip.compress("".join(f"{dumps(row.object)}\n" for row in rows if row.object).encode(), mtime=0)


def rows_of(manifest: SealedManifest, index: bytes | None) -> list[Row]:
    """Its rows, with what the index says of them."""
    try:
        tags = {name.decode(): tag for name, tag in manifest.rows}
    except UnicodeDecodeError as error:
        raise ManifestError(f"the manifest has the name {error.object!r}, and stores have only names in UTF-8") from None
    # A few bytes can become very many: of these rows there are no more, each with all of its name escaped.
    found, left = dict[str, Object](), sum(512 + 6 * len(name.encode()) for name in tags)
    # What it does not say of a row counts as changed.
    with suppress(ValueError, TypeError, OverflowError, RecursionError, EOFError, OSError, zlib.error):
        lines = gzip.open(BytesIO(index or b""), "rt", encoding="utf-8")
        while line := lines.readline(left):
            left -= len(line)
            name, size, etag, version = loads(line)
            if name in tags:
                found[name] = Object(name, int(size), str(etag), version if version is None else str(version))
    return sorted((Row(name, tag, found.get(name), manifest.shard) for name, tag in tags.items()), key=lambda row: row.name.encode())


def new_shard(key: KeyFile, rows: Sequence[Row], shard: str | None) -> tuple[str, str, bytes, bytes]:
    """A shard: the name of its file, which none had before, its tag, its bytes, and its index. The root decides which files count."""
    data, _ = sealed(key, pairs(rows), shard=shard)
    return f"shard-{secrets.token_hex(8)}", key.mac().tag(data).hex(), data, packed_index(rows)


class Place:
    """Where a manifest is. A place that ends with a slash has a root and its shards; "-" is standard output."""

    def __init__(self, place: str, key: KeyFile, writes: bool = False) -> None:
        """writes: whether the folder of a root is made if it is not there. Raises ManifestError."""
        self.place, self._key = place, key
        self.is_tree, self.is_url = place.endswith("/"), "://" in place
        parent, _, file = place.rpartition("/")
        self.main = ROOT if self.is_tree else file
        # What was there when it was read, and its ETag.
        self._old: bytes | None = None
        self._etag: str | None = None
        self.is_written = False
        self.remarks: list[str] = []
        if self.is_url:
            self._store = connected(parent)
        else:
            self.folder = Path(parent or ("/" if place.startswith("/") else "."))
            if self.is_tree and writes:
                self.folder.mkdir(parents=True, exist_ok=True)
            if not self.folder.is_dir():
                raise ManifestError(f"{self.folder}: no such folder")
            self._store = connected(str(self.folder))
        # For other machines and other folders; and what a state is bound to.
        self.full = place if self.is_url or place == "-" else f"{self.folder.resolve()}/{file}"

    def _get(self, name: str) -> Any:
        answer = obstore.get(self._store, name)
        if answer.meta["size"] > (MOST_INDEX if name.endswith(INDEX) else MOST_READ):
            raise ManifestError(f"{name}: no manifest has {answer.meta['size']} bytes")
        return answer

    def fetch(self, name: str) -> bytes | None:
        try:
            return bytes(self._get(name).bytes())
        except FileNotFoundError:
            return None

    def put(self, name: str, data: bytes) -> None:
        obstore.put(self._store, name, data)

    def shard(self, file: str) -> tuple[bytes, bytes]:
        """A shard and its index; what is missing is empty."""
        return self.fetch(file) or b"", self.fetch(file + INDEX) or b""

    def put_shard(self, file: str, data: bytes, index: bytes) -> None:
        self.put(file + INDEX, index)
        self.put(file, data)

    def files(self) -> set[str]:
        """What is there, without folders."""
        found: Any = obstore.list_with_delimiter(self._store)  # pyright: ignore[reportUnknownMemberType]
        return {one["path"] for one in found["objects"]}

    def remove(self, files: Iterable[str]) -> None:
        """Removes shards; what the store refuses to remove is a remark."""
        left = [name for file in files for name in (file, file + INDEX)]
        try:
            while left:
                with suppress(FileNotFoundError):
                    obstore.delete(self._store, left[-1])
                left.pop()
        except (exceptions.BaseError, OSError) as error:
            named = f"{', '.join(left[:20])}{', ...' if left[20:] else ''}"
            self.remarks.append(f"{self.place}: {len(left)} files of no manifest could not be removed ({first_line(error)}): {named}")

    def look(self) -> bool:
        """Whether there is a manifest. What is written takes the place of that, and of no other."""
        if self.place == "-":
            return False
        try:
            answer = self._get(self.main)
        except FileNotFoundError:
            return False
        self._old, self._etag = bytes(answer.bytes()), answer.meta["e_tag"]
        return True

    def read(self) -> tuple[About, list[Piece]]:
        """What it says of itself, and its pieces in order. Raises InvalidTag, ManifestError."""
        if not self.look() or self._old is None:
            what = f"there is no {ROOT}; a manifest in one file is named without a slash at the end" if self.is_tree else "no such file"
            raise ManifestError(f"{self.place}: {what}")
        manifest = opened(self._key, self._old, self.place + (ROOT if self.is_tree else ""))
        about = About(manifest.serial, manifest.seal_id)
        if not self.is_tree:
            if manifest.kind in {"root", "shard"}:
                raise ManifestError(f"{self.place}: it is a {manifest.kind}: name the directory of the root, with a slash at the end")
            return about, [Piece("", None, rows=rows_of(manifest, self.fetch(self.main + INDEX)))]
        if manifest.kind != "root":
            raise ManifestError(f"{self.place}{ROOT}: it is not the root of shards")
        ends = [end.decode(errors="surrogateescape") for end in manifest.ends or ()]
        if len(ends) != len(manifest.rows):
            raise ManifestError(f"{self.place}{ROOT}: its shards have no ranges of names: make it again with tag")
        rows = zip(["", *ends], ends, manifest.rows, strict=False)
        # One that lost all its rows has the range of all names.
        return about, [Piece(after, end or None, name.decode(), tag.hex()) for after, end, (name, tag) in rows] or [Piece("", None)]

    def write(self, pieces: Sequence[Piece], bytes_of: int = 0, files: Iterable[str] = ()) -> About:
        """Puts the manifest there, if nobody else did meanwhile, and removes the shards that it does not have: its old ones, and of these files.

        Raises ManifestError.
        """
        if not self.is_tree:
            rows = [row for piece in pieces for row in piece.rows]
            if len(rows) > 1 and (len(rows) > MOST_ROWS or bytes_of > MOST_BYTES):
                raise ManifestError("more than a million objects, or than 1 TiB: name a directory with -o, with a slash at the end, for shards")
            data, about = sealed(self._key, pairs(rows), self._old)
            if self.place == "-":
                _print(data)
                return about
            self._swap(data)
            self.put(self.main + INDEX, packed_index(rows))
            return about
        kept = joined(pieces)
        # A range may end at a name that is too long for any manifest, and no other name is between that and its beginning.
        ranges = [(str(piece.file).encode(), bytes.fromhex(piece.tag), raw(piece.upto or "")[:4096]) for piece in kept]
        data, about = sealed(self._key, ranges, self._old, root=True)
        old = [] if self._old is None else [name.decode() for name, _ in opened(self._key, self._old, self.place).rows]
        self._swap(data)
        self.remove({*old, *files} - {str(piece.file) for piece in kept})
        return about

    def _swap(self, data: bytes) -> None:
        late = f"{self.place}: another run wrote it meanwhile, and its manifest stays: repeat this one"
        if not self.is_url:
            held = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(held, fcntl.LOCK_EX)
                if self.fetch(self.main) != self._old:
                    raise ManifestError(late)
                self.put(self.main, data)
                self.is_written = True
            finally:
                os.close(held)
            return
        mode: Any = "create" if self._etag is None else {"e_tag": self._etag}
        try:
            obstore.put(self._store, self.main, data, mode=mode)
            self.is_written = True
        except Exception as error:
            has_lost = isinstance(error, exceptions.AlreadyExistsError | exceptions.PreconditionError)
            can_not = isinstance(error, exceptions.NotSupportedError | NotImplementedError)
            # A request whose answer was lost may be made again; and a store that failed may have written it all the same: then these
            # shards are those of the manifest.
            if has_lost or can_not:
                now = self.fetch(self.main)
                if now != (data if has_lost else self._old):
                    raise ManifestError(late) from None
            self.is_written = True
            if can_not:
                self.remarks.append(f"{self.place}: the store has no conditional requests: let only one run write there at a time")
                self.put(self.main, data)
            elif not has_lost:
                raise


def shard_rows(key: KeyFile, data: bytes, index: bytes, piece: Piece) -> list[Row]:
    """A shard's rows, if it is the one of which the root has the tag, with names in its range. Raises InvalidTag, ManifestError."""
    if not data:
        raise ManifestError(f"{piece.file}: the shard is missing")
    key.mac().verify(data, bytes.fromhex(piece.tag))
    manifest = opened(key, data, str(piece.file))
    if manifest.kind != "shard":
        raise ManifestError(f"{piece.file}: it is not a shard")
    rows = rows_of(manifest, index)
    if rows and (not before(piece.after, rows[0].name) or (piece.upto is not None and before(piece.upto, rows[-1].name))):
        raise ManifestError(f"{piece.file}: its names do not follow those of the shard before, or are not in the range that the root has")
    return rows


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Pieces without rows go to the one before, or at the beginning to the one after: only the root knows ranges."""
    kept: list[Piece] = []
    for piece in pieces:
        if piece.file is not None:
            kept.append(piece)
        elif kept:
            kept[-1].upto = piece.upto
    return kept


def _print(data: bytes) -> None:
    if sys.stdout.isatty():
        # A terminal is to obey no name.
        data = b"\n".join(shown(line.decode(errors="backslashreplace")).encode() for line in data.split(b"\n"))
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
