"""Where objects are: S3, Google's and Azure's stores by obstore, and files. Every request is pinned to what was listed."""

import os
import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

import obstore
from obstore import exceptions
from obstore.store import from_url

from wegman._native import Tree
from wegman.cluster._objects import Object

Buffer = Any

# A request is tried six times, at most so long, with growing pauses of random length: a server that is restarted or says
# 503 SlowDown gets its time.
RETRY: Any = {
    "max_retries": 6,
    "retry_timeout": timedelta(minutes=3),
    "backoff": {"init_backoff": timedelta(milliseconds=200), "max_backoff": timedelta(seconds=20), "base": 2},
}

# Bytes are summed as they come, while they are in the processor's cache: in larger pieces that costs a fifth more.
CHUNK = 128 << 10


class Problem(Exception):
    """Why an object, or a part of it, could not be read: `kind` is "changed", "missing" or "unreadable"."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail


class Source(Protocol):
    """What objects are read from."""

    def objects(self) -> Iterator[Object]:
        """All objects, sorted by the bytes of their names."""
        ...

    def head(self, name: str, version: str | None = None) -> Object:
        """What the object of that name is now. Raises Problem."""
        ...

    def get(self, one: Object, start: int, end: int, pins: bool = True) -> Iterable[Buffer]:
        """Bytes of an object, exactly as it was listed, in pieces. Raises Problem, also after some of them."""
        ...

    def obeys_pins(self, one: Object) -> str:
        """What the store makes of If-Match: "kept", "ignored" or "refused"."""
        ...


def connected(url: str, **more: Any) -> Any:
    """The store of a URL, or of a path. Credentials and endpoints are in the environment, as obstore's pages say."""
    if "://" not in url:
        url = Path(url).resolve().as_uri()
    if url.startswith("file://"):
        return from_url(url, **more)
    is_local = any(
        os.environ.get(name, "").startswith("http://") for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT", "AZURE_ENDPOINT")
    )
    # Without TLS only where the endpoint was named so.
    options = {"timeout": timedelta(minutes=10), "connect_timeout": timedelta(seconds=15), "allow_http": is_local}
    return from_url(url, retry_config=RETRY, client_options=options, **more)  # type: ignore[call-overload]


def endpoints(url: str) -> str:
    """What the environment says of where a URL leads: buckets of one name are in many stores."""
    if url.startswith("file://"):
        return ""
    told = sorted(name for name in os.environ if re.match(r"(AWS|AZURE|GOOGLE)_.*(ENDPOINT|REGION|ACCOUNT_NAME|EMULATOR)", name))
    return " ".join(f"{name}={os.environ[name]}" for name in told)


def source_of(url: str) -> tuple[str, Source]:
    """What is at a URL or a path, and the URL that ends with a slash to which its names are relative.

    A URL that ends with a slash is that of all below it. Any other may be an object's, or of all below it, but not both. Raises
    ValueError, Problem.
    """
    if "://" not in url or url.startswith("file://"):
        return _files(url)
    try:
        below = Store(f"{url.rstrip('/')}/")
        parent, _, name = url.rpartition("/")
        if not name or parent.endswith("/"):
            return below.url, below
        above = Store(f"{parent}/", name)
        try:
            above.head(name)
        except Problem as problem:
            if problem.kind == "missing":
                return below.url, below
            raise ValueError(f"{url}: {url}/ means all objects below it, and no answer says whether it is one: {problem.detail}") from None
        if below.has_any():
            raise ValueError(
                f"{url} is an object, and other objects are below it: {url}/ means those, {parent}/ all of them; "
                "the object alone can't be named before one of them has another name"
            )
        return above.url, above
    except exceptions.BaseError as error:
        raise ValueError(f"{url}: {first_line(error)}") from None


def _files(url: str) -> tuple[str, Source]:
    is_url = url.startswith("file://")
    if is_url and not url.startswith("file:///"):
        raise ValueError(f"{url}: files of this machine have URLs that begin with file:///")
    path = Path(os.fsdecode(unquote_to_bytes(url.removeprefix("file://"))) if is_url else url)
    is_below = url.endswith("/") or (path.is_dir() and not path.is_symlink())
    # Links are followed on the way to what was named, but it may be none itself.
    directory, one = (path.resolve(), None) if is_below else (path.parent.resolve(), path.name)
    files = Files(directory, one)
    if one is not None:
        try:
            files.head(one)
        except Problem as problem:
            raise ValueError(f"{path}: {problem.detail}") from None
    return f"{directory.as_uri().rstrip('/')}/", files


def first_line(error: BaseException) -> str:
    """What went wrong, without the library's own details, as it may be shown: stores and workers write some of it."""
    return shown((str(error).strip().splitlines() or [type(error).__name__])[0][:300])


def shown(text: str) -> str:
    """Text from outside for a terminal, which is to obey nothing of it."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def problem_of(error: Exception) -> Problem:
    if isinstance(error, exceptions.PreconditionError | exceptions.NotModifiedError):
        return Problem("changed", "it is not what was listed any more")
    if isinstance(error, FileNotFoundError):
        return Problem("missing", "it is gone")
    return Problem("unreadable", first_line(error))


class Files:
    """The files of a directory, or one of them."""

    def __init__(self, directory: Path, one: str | None = None) -> None:
        self._tree = Tree(directory)
        self._directory = directory
        self._one = one
        self._key: os.stat_result | None = None
        self._beside: set[Path] = set()
        # What is no file, in words.
        self.passed_over: str | None = None

    def leave_out(self, key_file: str | os.PathLike[str], places: list[str], state: str | os.PathLike[str] | None) -> None:
        """The key, the manifest and the state are no files of the tree."""
        self._key = os.stat(key_file)
        states = [] if state is None else [os.fspath(state) + ending for ending in ("", "-wal", "-shm")]
        self._beside = {Path(os.path.realpath(place)) for place in places + states}

    def _is_beside(self, name: str, inode: int) -> bool:
        path = self._directory / name
        return path in self._beside or (
            self._key is not None and inode == self._key.st_ino and path.exists() and os.path.samestat(path.stat(), self._key)
        )

    def objects(self) -> Iterator[Object]:
        if self._one is not None:
            yield self.head(self._one)
            return
        try:
            files, self.passed_over = self._tree.files()
            # Directories have no order.
            files.sort()
            for name, look in files:
                if not self._is_beside(name.decode(), look[0]):
                    yield _file(name.decode(), *look)
        except UnicodeDecodeError as error:
            raise Problem("unreadable", f"the list of objects: {error.object!r} is not UTF-8") from None
        except (OSError, ValueError) as error:
            raise Problem("unreadable", f"the list of objects: {first_line(error)}") from None

    def head(self, name: str, version: str | None = None) -> Object:
        del version
        try:
            return _file(name, *self._tree.look(name.encode()))
        except (OSError, ValueError) as error:
            raise _of_file(error) from None

    def get(self, one: Object, start: int, end: int, pins: bool = True) -> Iterator[Buffer]:
        del pins
        try:
            with open(self._tree.open(one.name.encode()), "rb", buffering=0) as file:
                before = os.fstat(file.fileno())
                if _file(one.name, before.st_ino, before.st_mtime_ns, before.st_size) != one:
                    raise Problem("changed", "it is not what was listed any more")
                while start < end:
                    data = os.pread(file.fileno(), min(CHUNK, end - start), start)
                    if not data:
                        break
                    start += len(data)
                    yield data
                after = os.fstat(file.fileno())
        except (OSError, ValueError) as error:
            raise _of_file(error) from None
        if start < end or (before.st_mtime_ns, before.st_ctime_ns) != (after.st_mtime_ns, after.st_ctime_ns):
            raise Problem("changed", "it was written while it was read")

    def obeys_pins(self, one: Object) -> str:
        del one
        return "kept"


def _of_file(error: OSError | ValueError) -> Problem:
    # What is no file any more is ValueError's.
    return problem_of(error) if isinstance(error, OSError) else Problem("changed", first_line(error))


def _file(name: str, inode: int, time: int, size: int) -> Object:
    return Object(name, size, f"{inode:x}-{time // 1000:x}-{size:x}")


class Store:
    """A store by obstore: what is below a URL, or one object of it."""

    def __init__(self, url: str, one: str | None = None) -> None:
        self.url = url
        self._store = connected(url)
        self._one = one

    def has_any(self) -> bool:
        """Whether anything is there, for those who may list: others can't mean that."""
        try:
            return any(self._listed(1))
        except exceptions.BaseError as error:
            # Of a list, obstore has only the text.
            if "403 Forbidden" in str(error):
                return False
            raise

    def _object(self, meta: Any) -> Object:
        if meta["e_tag"] is None:
            raise Problem("unreadable", "the store gives no ETag, so that nothing tells one version from another")
        return Object(meta["path"], meta["size"], meta["e_tag"], None)

    def objects(self) -> Iterator[Object]:
        if self._one is not None:
            yield self.head(self._one)
            return
        listed = (self._object(meta) for chunk in self._chunks() for meta in chunk)
        before = b""
        for one in listed:
            name = one.name.encode()
            if name <= before and before:
                raise Problem("unreadable", f"the list of objects: {one.name!r} comes out of order")
            before = name
            yield one

    def _listed(self, chunk_size: int) -> Iterator[Any]:
        listed: Any = obstore.list  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return iter(listed(self._store, chunk_size=chunk_size))

    def _chunks(self) -> Iterator[Any]:
        try:
            yield from self._listed(1000)
        except (exceptions.BaseError, OSError) as error:
            raise Problem("unreadable", f"the list of objects: {first_line(error)}") from None

    def head(self, name: str, version: str | None = None) -> Object:
        try:
            if version is None:
                meta = obstore.head(self._store, name)
            else:
                meta = obstore.get(self._store, name, options={"head": True, "version": version}).meta
        except (exceptions.BaseError, OSError, ValueError) as error:
            raise problem_of(error) from None
        one = self._object(meta)
        return Object(one.name, one.size, one.etag, meta["version"])

    def get(self, one: Object, start: int, end: int, pins: bool = True) -> Iterator[Buffer]:
        options: Any = {}
        if pins:
            options["if_match"] = one.etag
        if one.version is not None:
            options["version"] = one.version
        if one.size > 0:
            options["range"] = (start, end)
        came = 0
        try:
            answer = obstore.get(self._store, one.name, options=options)
            meta = answer.meta
            # The request was pinned, but the answer decides: some stores ignore If-Match.
            if meta["e_tag"] != one.etag or meta["size"] != one.size:
                raise Problem("changed", "the answer is of another version than the one that was listed")
            if tuple(answer.range) != (start, end):
                raise Problem("unreadable", f"bytes {answer.range} came instead of {(start, end)}")
            for data in answer.stream(min_chunk_size=CHUNK):
                came += len(data)
                yield data
        except (exceptions.BaseError, OSError, ValueError) as error:
            raise problem_of(error) from None
        if came != end - start:
            raise Problem("unreadable", f"{came} bytes came instead of {end - start}")

    def obeys_pins(self, one: Object) -> str:
        try:
            options: Any = {"if_match": '"no version has this"'}
            if one.size > 0:
                options["range"] = (0, 1)
            obstore.get(self._store, one.name, options=options)
        except exceptions.PreconditionError:
            return "kept"
        except (exceptions.BaseError, OSError, ValueError):
            return "refused"
        return "ignored"
