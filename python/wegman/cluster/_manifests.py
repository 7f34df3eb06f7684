"""Manifests: a plain one in a file, or shards under a root, in a directory or below a prefix of a store."""

import gzip
import secrets
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from json import dumps, loads
from pathlib import Path
from typing import Any

import obstore

from wegman import Tag
from wegman._native import KeyFile, read_manifest, seal_manifest
from wegman.cluster._objects import Object
from wegman.cluster._sources import connected, shown

ROOT = "root"
INDEX = ".index.gz"

# A shard is closed at so many rows, or so many bytes of objects: its key is good for no more, and a machine can hold it.
MOST_ROWS = 1_000_000
MOST_BYTES = 1 << 40


class ManifestError(Exception):
    """The manifest can't be used: it is not there, of another kind, or can't be written. The text says what to do."""


@dataclass(slots=True)
class Shard:
    """The rows of a shard, or of a plain manifest, whose id is None."""

    id: str | None
    # The file it was read from.
    file: str | None = None
    rows: dict[str, Tag] = field(default_factory=dict[str, Tag])
    # ETag, version and size of the objects when they were tagged: for planning only, nothing vouches for them.
    index: dict[str, Object] = field(default_factory=dict[str, Object])
    # Of its file, for the root.
    tag: Tag | None = None
    has_changed: bool = False

    def forget(self) -> None:
        """Its rows are written, or were not changed: a million of them need not stay."""
        self.rows, self.index = {}, {}


@dataclass(frozen=True, slots=True)
class About:
    """What a sealed manifest says of itself."""

    serial: int
    seal_id: str


def new_shard() -> Shard:
    return Shard(secrets.token_hex(8))


def _name(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise ManifestError(f"the manifest has the name {name!r}, and stores have only names in UTF-8") from None


class Place:
    """Where a manifest is. A place that ends with a slash has a root and its shards; "-" is standard output."""

    def __init__(self, place: str, key: KeyFile, writes: bool = False) -> None:
        """writes: whether the folder of a root is made if it is not there."""
        self.place = place
        self._writes = writes
        self.is_tree = place.endswith("/")
        self._key = key
        self._folder = tempfile.TemporaryDirectory(prefix="wegman-")
        self._store: Any = None

    def close(self) -> None:
        self._folder.cleanup()

    def _connect(self) -> Any:
        if self._store is None:
            parent, _, self._file = self.place.rpartition("/")
            if "://" in self.place:
                self._store = connected(parent)
            else:
                folder = Path(parent or ("/" if self.place.startswith("/") else "."))
                if self.is_tree and self._writes:
                    folder.mkdir(parents=True, exist_ok=True)
                if not folder.is_dir():
                    raise ManifestError(f"{folder}: no such folder")
                self._store = connected(str(folder))
        return self._store

    def _fetch(self, name: str) -> Path | None:
        """A copy of a file of this place, in which nobody writes while it is read."""
        copy = Path(self._folder.name) / name.replace("/", "_")
        try:
            copy.write_bytes(obstore.get(self._connect(), name).bytes())
        except FileNotFoundError:
            return None
        return copy

    def _put(self, name: str, copy: Path) -> None:
        obstore.put(self._connect(), name, copy)
        copy.unlink()

    def exists(self) -> bool:
        """Whether there is a manifest already."""
        if self.place == "-":
            return False
        store = self._connect()
        try:
            obstore.head(store, ROOT if self.is_tree else self._file)
        except FileNotFoundError:
            return False
        return True

    # Reading.

    def read(self) -> tuple[About, Iterator[Shard]]:
        """The manifest's shards, one after the other, each checked before anything of it comes. Raises InvalidTag, ManifestError."""
        if self.is_tree:
            return self._read_tree()
        self._connect()
        copy = self._fetch(self._file)
        if copy is None:
            raise ManifestError(f"{self.place}: no such file")
        manifest = read_manifest(self._key, copy)
        if manifest.kind == "root":
            raise ManifestError(f"{self.place}: it is a root: name its directory, with a slash at the end")
        shard = Shard(manifest.shard, self._file, {_name(name): tag for name, tag in manifest.rows})
        shard.index = self._read_index(self._file)
        copy.unlink()
        return About(manifest.serial, manifest.seal_id), iter([shard])

    def _read_tree(self) -> tuple[About, Iterator[Shard]]:
        copy = self._fetch(ROOT)
        if copy is None:
            raise ManifestError(f"{self.place}: there is no {ROOT}; a manifest in one file is named without a slash at the end")
        root = read_manifest(self._key, copy)
        if root.kind != "root":
            raise ManifestError(f"{self.place}{ROOT}: it is not the root of shards")
        return About(root.serial, root.seal_id), self._read_shards(root.rows)

    def _read_shards(self, files: Iterable[tuple[bytes, Tag]]) -> Iterator[Shard]:
        mac = self._key.mac()
        last = ""
        for name, tag in files:
            file = _name(name)
            copy = self._fetch(file)
            if copy is None:
                raise ManifestError(f"{self.place}{file}: the shard is missing")
            mac.verify(copy.read_bytes(), tag)
            manifest = read_manifest(self._key, copy)
            copy.unlink()
            if manifest.kind != "shard":
                raise ManifestError(f"{self.place}{file}: it is not a shard")
            shard = Shard(manifest.shard, file, {_name(name): tag for name, tag in manifest.rows})
            names = list(shard.rows)
            if names and names[0].encode() <= last.encode() and last:
                raise ManifestError(f"{self.place}{file}: its names do not follow those of the shard before")
            last = names[-1] if names else last
            shard.index, shard.tag = self._read_index(file), tag
            yield shard

    def _read_index(self, file: str) -> dict[str, Object]:
        copy = self._fetch(file + INDEX)
        if copy is None:
            return {}
        index: dict[str, Object] = {}
        try:
            for line in gzip.decompress(copy.read_bytes()).decode().splitlines():
                name, size, etag, version = loads(line)
                index[name] = Object(str(name), int(size), str(etag), version if version is None else str(version))
        except (ValueError, TypeError, OSError, EOFError):
            # Without it, everything counts as changed.
            return {}
        return index

    # Writing.

    def write_plain(self, shard: Shard) -> About:
        """A manifest in one file, or on standard output. The file becomes the new one at once."""
        rows = _sorted(shard.rows)
        if self.place == "-":
            copy = Path(self._folder.name) / "manifest"
            about = About(*seal_manifest(self._key, copy, rows))
            manifest = copy.read_bytes()
            if sys.stdout.isatty():
                # A terminal is to obey no name.
                manifest = b"\n".join(shown(line.decode(errors="backslashreplace")).encode() for line in manifest.split(b"\n"))
            sys.stdout.buffer.write(manifest)
            sys.stdout.buffer.flush()
            return about
        if "://" not in self.place:
            about = About(*seal_manifest(self._key, self.place, rows, shard=shard.id))
            self._connect()
        else:
            self._connect()
            copy = self._fetch(self._file) or Path(self._folder.name) / self._file
            about = About(*seal_manifest(self._key, copy, rows, shard=shard.id))
            self._put(self._file, copy)
        self._write_index(self._file, shard)
        return about

    def write_shard(self, number: int, shard: Shard) -> None:
        """A shard, under a name that none had before: the root decides which ones count."""
        file = f"shard-{number:06}-{secrets.token_hex(4)}"
        copy = (self._fetch(shard.file) if shard.file else None) or Path(self._folder.name) / file
        seal_manifest(self._key, copy, _sorted(shard.rows), shard=shard.id)
        shard.tag = self._key.mac().tag(copy.read_bytes())
        self._put(file, copy)
        self._write_index(file, shard)
        shard.file = file
        shard.forget()

    def write_root(self, shards: Iterable[Shard]) -> About:
        """The root over these shards. From then on they count, and what the root before had is removed."""
        files = {shard.file: shard.tag for shard in shards if shard.file is not None and shard.tag is not None}
        copy = self._fetch(ROOT)
        if copy is not None:
            before = [_name(name) for name, _ in read_manifest(self._key, copy).rows]
        else:
            before, copy = [], Path(self._folder.name) / ROOT
        about = About(*seal_manifest(self._key, copy, _sorted(files), root=True))
        self._put(ROOT, copy)
        for file in set(before) - set(files):
            obstore.delete(self._connect(), [file, file + INDEX])
        return about

    def _write_index(self, file: str, shard: Shard) -> None:
        lines = (dumps([one.name, one.size, one.etag, one.version]) for one in shard.index.values())
        copy = Path(self._folder.name) / "index"
        copy.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))
        self._put(file + INDEX, copy)


def _sorted(rows: Mapping[str, Tag]) -> list[tuple[bytes, Tag]]:
    return sorted(((name.encode(), tag) for name, tag in rows.items()), key=lambda row: row[0])
