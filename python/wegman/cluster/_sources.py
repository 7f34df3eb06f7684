"""Where objects are: S3, Google's and Azure's stores, and files, by obstore. Every request is pinned to what was listed."""

import os
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import obstore
from obstore import exceptions
from obstore.store import LocalStore, from_url

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


def first_line(error: BaseException) -> str:
    """What went wrong, without the library's own details."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def problem_of(error: Exception) -> Problem:
    if isinstance(error, exceptions.PreconditionError | exceptions.NotModifiedError):
        return Problem("changed", "it is not what was listed any more")
    if isinstance(error, FileNotFoundError):
        return Problem("missing", "it is gone")
    return Problem("unreadable", first_line(error))


class Store:
    """A store by obstore."""

    def __init__(self, url: str) -> None:
        """Raises ValueError if the URL is none that obstore knows."""
        try:
            self._store = connected(url)
            # A URL that names one object, not what is below it.
            self._one: str | None = None
            if not url.endswith("/"):
                parent, _, name = url.rstrip("/").rpartition("/")
                if name and not parent.endswith("/"):
                    above = connected(parent)
                    try:
                        obstore.head(above, name)
                        self._store, self._one = above, name
                    except (exceptions.BaseError, OSError, ValueError):
                        pass
        except exceptions.BaseError as error:
            raise ValueError(f"{url}: {first_line(error)}") from None

    def _object(self, meta: Any) -> Object:
        if meta["e_tag"] is None:
            raise Problem("unreadable", "the store gives no ETag, so that nothing tells one version from another")
        return Object(meta["path"], meta["size"], meta["e_tag"], None)

    def objects(self) -> Iterator[Object]:
        if self._one is not None:
            yield self.head(self._one)
            return
        listed = (self._object(meta) for chunk in self._chunks() for meta in chunk)
        if isinstance(self._store, LocalStore):
            # Directories have no order.
            yield from sorted(listed, key=lambda one: one.name.encode())
            return
        before = b""
        for one in listed:
            name = one.name.encode()
            if name <= before and before:
                raise Problem("unreadable", f"the list of objects: {one.name!r} comes out of order")
            before = name
            yield one

    def _chunks(self) -> Iterator[Any]:
        try:
            listed: Any = obstore.list  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            yield from listed(self._store, chunk_size=1000)
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
            # Of a file, obstore reads pieces of 8 KiB, each on another thread, or all at once.
            is_file = isinstance(self._store, LocalStore)
            for data in [answer.bytes()] if is_file else answer.stream(min_chunk_size=CHUNK):
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
