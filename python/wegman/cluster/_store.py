"""Where objects are: S3, Google's and Azure's stores, and files. Every answer is compared with what was listed."""

import os
import re
import time
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property, lru_cache
from http.client import HTTPResponse
from importlib import import_module
from io import BufferedReader, RawIOBase
from pathlib import Path
from threading import local as thread_local
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, unquote_plus, unquote_to_bytes, urlencode
from xml.etree import ElementTree

import obstore
from obstore import exceptions
from obstore.store import from_url

from wegman._native import Tree
from wegman.cluster._ranges import raw

# These have no types.
_boto3: Any = import_module("boto3")
_auth: Any = import_module("botocore.auth")
_requests: Any = import_module("botocore.awsrequest")
_urllib3: Any = import_module("urllib3")
_providers: Any = import_module("obstore.auth.boto3")

# Bytes, or a view of them.
Buffer = Any

# A request is tried six times, at most so long, with growing pauses of random length: a server that is restarted or says
# 503 SlowDown gets its time.
RETRY: Any = {
    "max_retries": 6,
    "retry_timeout": timedelta(minutes=3),
    "backoff": {"init_backoff": timedelta(milliseconds=200), "max_backoff": timedelta(seconds=20), "base": 2},
}
# Nor does a request take longer. A list has 8 KiB for each of its 1,000 names, and 32 elements, each of which takes much memory.
SLOWEST, MOST_BODY, MOST_MARKS = timedelta(minutes=10), 8 << 20, 64_000
# Bytes are summed as they come, while they are in the processor's cache: in larger pieces that costs a fifth more.
CHUNK = 128 << 10
# What is wrong with who asks, not with an object: the run ends, and goes on when that is mended.
STOPS = frozenset(
    "ExpiredToken InvalidToken TokenRefreshRequired InvalidAccessKeyId SignatureDoesNotMatch RequestTimeTooSkewed NoSuchBucket "
    "AuthorizationHeaderMalformed PermanentRedirect AuthenticationFailed InvalidAuthenticationInfo AllAccessDisabled 401".split()
)


class Problem(Exception):
    """Why an object, or a part of it, could not be read: `kind` is "changed", "missing" or "unreadable"; `code` the store's own."""

    def __init__(self, kind: str, detail: str = "", code: str = "") -> None:
        super().__init__(kind, detail, code)
        self.kind, self.detail, self.code = kind, detail, code


class Object(NamedTuple):
    """An object as it was listed. `etag`, and `version` where there is one, pin its content."""

    name: str
    size: int
    etag: str
    version: str | None = None


Page = tuple[Sequence[Object], bool]


class Source(Protocol):
    """What objects are read from. All of it raises Problem.

    page: the next objects after a name, sorted by the bytes of their names, and whether these are the last. head: what the object of that
    name is now. get: bytes of an object, exactly as it was listed, in pieces.
    """

    def page(self, after: str, most: int) -> Page: ...
    def head(self, name: str) -> Object: ...
    def get(self, one: Object, start: int, end: int) -> Iterable[Buffer]: ...


def shown(text: str) -> str:
    """Text from outside for a terminal, which is to obey nothing of it."""
    return text if text.isprintable() else "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def code_of(text: str) -> str:
    """The store's own word in an error."""
    found = re.search(r"<Code>(\w+)</Code>", text)
    return found[1] if found else ""


def first_line(error: BaseException, most: int = 300) -> str:
    """What went wrong, without the library's own details, as it may be shown: stores and workers write some of it."""
    # What obstore raises has the store's answer, too.
    text, code = str(error).partition("<?xml")[0].strip(" :\n"), code_of(str(error))
    return shown((f"{code}: " if code else "") + (text.splitlines() or [type(error).__name__])[0][:most])


SHORTER = "it is shorter than what was listed"


@contextmanager
def problems(kind: str = "unreadable") -> Generator[None]:
    """Makes what obstore or a file's system raises a Problem; a ValueError, of which no store is the reason, one of that kind."""
    try:
        yield
    except ValueError as error:
        raise Problem(kind, first_line(error)) from None
    except (exceptions.BaseError, OSError) as error:
        code = code_of(str(error)) or ("401" if isinstance(error, exceptions.UnauthenticatedError) else "")
        if "416 Range Not Satisfiable" in str(error):
            raise Problem("changed", SHORTER) from None
        if isinstance(error, FileNotFoundError) and code != "NoSuchBucket":
            raise Problem("missing", "it is gone") from None
        raise Problem("unreadable", first_line(error), code) from None


# Google's and Azure's stores, and all reading, by obstore.


# A machine's own role comes from a metadata address, at which only those ask who say so.
NO_CREDENTIALS = {
    "s3": "there are no credentials for S3: set AWS_ACCESS_KEY_ID or AWS_PROFILE, or AWS_SKIP_SIGNATURE=true for a public bucket, or "
    "AWS_EC2_METADATA_DISABLED=false to ask this machine's role",
    "gs": "there are no credentials for Google's store: set GOOGLE_APPLICATION_CREDENTIALS, or GOOGLE_SKIP_SIGNATURE=true for a public bucket, "
    "or GCE_METADATA_HOST=metadata.google.internal to ask this machine's role",
    "az": "there are no credentials for Azure: set AZURE_STORAGE_ACCOUNT_KEY or another of its variables, or AZURE_MSI_ENDPOINT to ask this "
    "machine's role",
}
ASKED = {
    "gs": r"GOOGLE_(SERVICE_ACCOUNT|APPLICATION_CREDENTIALS|SKIP_SIGNATURE)\w*|SERVICE_ACCOUNT|GCE_METADATA_HOST",
    "az": r"AZURE_\w*(KEY|TOKEN|SAS|CLIENT|MSI|CLI|EMULATOR|SKIP)\w*|(IDENTITY|MSI)_ENDPOINT",
}
# Which variables say where S3 is.
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")


def connected(url: str, account: "Account | None" = None) -> Any:
    """The store of a URL, or of a path, by obstore."""
    if "://" not in url:
        url = Path(url).resolve().as_uri()
    if url.startswith("file://"):
        return from_url(url)
    # Without TLS only where the endpoint was named so.
    allows_http = any(os.environ.get(name, "").startswith("http://") for name in (*ENDPOINTS, "AZURE_ENDPOINT"))
    options: dict[str, Any] = {"timeout": SLOWEST, "connect_timeout": timedelta(seconds=15), "allow_http": allows_http}
    if bundle := os.environ.get("AWS_CA_BUNDLE"):
        options["root_certificate"] = Path(bundle).read_bytes()
    kind = "az" if url.startswith("a") else url[:2]
    has_file = kind == "gs" and Path("~/.config/gcloud/application_default_credentials.json").expanduser().exists()
    if kind in ASKED and not has_file and not any(re.fullmatch(ASKED[kind], name) for name in os.environ):
        raise Problem("unreadable", NO_CREDENTIALS[kind], "NoCredentials")
    more: dict[str, Any] = {"retry_config": RETRY, "client_options": options}
    if kind == "s3":
        account = account or Account()
        signs = {"skip_signature": True} if account.session is None else {"credential_provider": _providers.Boto3CredentialProvider(account.session)}
        more |= {"endpoint": account.endpoint, "region": account.region, **signs}
    return from_url(url, **more)


def environment(url: str) -> str:
    """What the environment says of where a URL leads: buckets of one name are in many stores."""
    if "://" not in url or url.startswith("file://"):
        return ""
    told = sorted(name for name in os.environ if re.match(r"(AWS|AZURE|GOOGLE)_.*(ENDPOINT|REGION|ACCOUNT_NAME|EMULATOR)", name))
    return " ".join(f"{name}={os.environ[name]}" for name in told)


class Account:
    """Endpoint, region and credentials of S3, as AWS's own tools find them: variables, profiles, SSO, roles."""

    def __init__(self) -> None:
        # A machine of AWS is asked for its role only if that is set to "false".
        os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")
        session = _boto3.Session()
        self.region: str = session.region_name or os.environ.get("AWS_REGION") or "us-east-1"
        named = (os.environ[name] for name in ENDPOINTS if os.environ.get(name))
        self.endpoint = next(named, f"https://s3.{self.region}.amazonaws.com").rstrip("/")
        self.session: Any = None if os.environ.get("AWS_SKIP_SIGNATURE", "").lower() in {"1", "true"} else session
        self.credentials: Any = self.session and self.session.get_credentials()
        if self.session and not self.credentials:
            raise Problem("unreadable", NO_CREDENTIALS["s3"], "NoCredentials")


_until = thread_local()


class _InTime(RawIOBase):
    """What a socket receives until this thread's time is over: urllib3's own limit is one for each byte of a header."""

    def __init__(self, sock: Any, source: Any) -> None:
        self._sock, self._source = sock, source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        left = _until.end - time.monotonic()
        if left <= 0:
            raise ValueError("the answer is too slow")
        self._sock.settimeout(min(left, 60.0))
        return self._source.readinto(buffer)

    def close(self) -> None:
        self._source.close()
        super().close()


class _Answer(HTTPResponse):
    def __init__(self, sock: Any, *more: Any, **named: Any) -> None:
        super().__init__(sock, *more, **named)
        self.fp = BufferedReader(_InTime(sock, self.fp.detach()))


class Signed:
    """Requests to S3 with any name, which have the store's own error."""

    def __init__(self, bucket: str, account: Account) -> None:
        self._account = account
        parts = _urllib3.util.parse_url(self._account.endpoint)
        self._base = f"{parts.path or ''}/{bucket}"
        self._host = self._account.endpoint.removesuffix(parts.path or "")
        tls = {"ca_certs": os.environ.get("AWS_CA_BUNDLE")} if parts.scheme == "https" else {}
        self._pool = _urllib3.connection_from_url(self._account.endpoint, maxsize=64, timeout=_urllib3.Timeout(connect=15, read=60), **tls)
        self._pool.ConnectionCls = type("Connection", (self._pool.ConnectionCls,), {"response_class": _Answer})
        self._retry = _urllib3.Retry(
            6, backoff_factor=0.2, backoff_jitter=0.2, backoff_max=20, status_forcelist=[500, 502, 503, 504], raise_on_status=False,
            respect_retry_after_header=False
        )

    def __call__(self, method: str, name: str = "", query: dict[str, str] | None = None, most: int = 0, **headers: str) -> tuple[Any, bytes]:
        """The answer's headers and body, if that is neither too much nor too slow. Raises Problem."""
        _until.end = time.monotonic() + SLOWEST.total_seconds()
        path = self._base + (f"/{quote(name, safe='/~', errors='surrogateescape')}" if name else "")
        path += f"?{urlencode(query, quote_via=quote, safe='~', errors='surrogateescape')}" if query else ""
        request: Any = _requests.AWSRequest(method, self._host + path, headers)
        if self._account.credentials is not None:
            _auth.S3SigV4Auth(self._account.credentials, "s3", self._account.region).add_auth(request)
        try:
            headers = dict(request.headers)
            answer: Any = self._pool.urlopen(method, path, headers=headers, retries=self._retry, redirect=False, preload_content=False)
            data = bytearray()
            while chunk := answer.read1(1 << 16, decode_content=False):
                data += chunk
                if len(data) > max(most, MOST_BODY):
                    answer.close()
                    raise ValueError("the answer is too long")
            answer.release_conn()
        except (_urllib3.exceptions.HTTPError, ValueError) as error:
            # ValueError: no header can have what the list says of it.
            raise Problem("unreadable", first_line(error)) from None
        if answer.status in {200, 206}:
            return answer.headers, bytes(data)
        text = data.decode(errors="replace")
        code = code_of(text)
        if answer.status == 416:
            raise Problem("changed", SHORTER)
        if answer.status == 404 and code != "NoSuchBucket":
            raise Problem("missing", "it is gone", code)
        raise Problem("unreadable", shown(f"{answer.status} {code or text[:300]}".strip()), code or str(answer.status))


def _number(text: str | None) -> int:
    """A size. Raises Problem."""
    if not re.fullmatch(r"[0-9]{1,14}", text or ""):
        raise Problem("unreadable", f"the store says that it has {shown(text or '')[:40]!r} bytes", "BadSize")
    return int(text or "")


class Store:
    """A store: what is below a URL, or one object of it."""

    def __init__(self, url: str, one: str | None = None) -> None:
        self.url, self._one = url, one
        scheme, _, rest = url.partition("://")
        bucket, _, self._prefix = rest.partition("/")
        self._account = Account() if scheme == "s3" else None
        self._signed = Signed(bucket, self._account) if self._account else None

    @cached_property
    def _store(self) -> Any:
        return connected(self.url, self._account)

    def page(self, after: str, most: int) -> Page:
        if self._one is not None:
            return [self.head(self._one)] if after.encode() < self._one.encode() else [], True
        if self._signed is None:
            return self._offset(after, most)
        query = {"list-type": "2", "encoding-type": "url", "max-keys": str(most), "prefix": self._prefix}
        if after:
            query["start-after"] = self._prefix + after
        _, data = self._signed("GET", query=query)
        answer = ElementTree.Element("none")
        # A tree of very many elements, or of entities that stand for much, would take gigabytes.
        if data.count(b"<") < MOST_MARKS and b"<!DOCTYPE" not in data:
            with suppress(ElementTree.ParseError):
                answer = ElementTree.fromstring(data, ElementTree.XMLParser(encoding="utf-8"))
        # The namespace, if there is one.
        space = answer.tag.removesuffix("ListBucketResult")
        more = answer.findtext(f"{space}IsTruncated")
        if space == answer.tag or more not in {"true", "false"}:
            raise Problem("unreadable", "its answer is no list: what is at that address is not S3", "BadList")
        # Who says that names are encoded encodes as forms are: a space is a plus. Others have them as they are.
        is_encoded = answer.findtext(f"{space}EncodingType") == "url"
        found: list[Object] = []
        for row in answer.iterfind(f"{space}Contents"):
            name, size, etag = (row.findtext(space + field, "") for field in ("Key", "Size", "ETag"))
            if len(name) > 1 << 16:
                raise Problem("unreadable", f"the list has a name of {len(name)} characters", "BadList")
            name = unquote_plus(name, errors="surrogateescape") if is_encoded else name
            if not name.startswith(self._prefix):
                raise Problem("unreadable", f"the list has {shown(name)!r}, which is not below {self._prefix!r}")
            found.append(Object(name.removeprefix(self._prefix), _number(size), etag))
        return found, more == "false"

    def _offset(self, after: str, most: int) -> Page:
        with problems():
            listed: Any = obstore.list(self._store, chunk_size=most, offset=after or None)  # pyright: ignore[reportUnknownMemberType]
            chunk: Any = next(iter(listed), ())
        return [self._object(meta) for meta in chunk], len(chunk) < most

    def _object(self, meta: Any) -> Object:
        if meta["e_tag"] is None:
            raise Problem("unreadable", "the store gives no ETag, so that nothing tells one version from another")
        return Object(meta["path"], meta["size"], meta["e_tag"])

    def head(self, name: str) -> Object:
        if self._signed is not None:
            found, _ = self._signed("HEAD", self._prefix + name)
            version = found.get("x-amz-version-id")
            return Object(name, _number(found.get("Content-Length")), found.get("ETag", ""), None if version == "null" else version)
        with problems():
            meta = obstore.head(self._store, name)
        return self._object(meta)._replace(version=meta["version"])

    def get(self, one: Object, start: int, end: int) -> Iterator[Buffer]:
        came: tuple[int, ...]
        pieces: Iterable[Buffer]
        with problems():
            if self._signed and not (one.name.isprintable() and {"", ".", ".."}.isdisjoint(one.name.split("/"))):
                headers = {"Range": f"bytes={start}-{end - 1}"} if one.size > 0 else {}
                found, data = self._signed("GET", self._prefix + one.name, {"versionId": one.version} if one.version else None, end - start, **headers)
                numbers = re.fullmatch(r"bytes (\d{1,14})-(\d{1,14})/(\d{1,14})", found.get("Content-Range", ""))
                first, last, size = (int(number) for number in numbers.groups()) if numbers else (0, len(data) - 1, len(data))
                etag, came, pieces = found.get("ETag"), (first, last + 1), [data]
            else:
                options: Any = {"range": (start, end)} if one.size > 0 else {}
                if one.version is not None:
                    options["version"] = one.version
                answer = obstore.get(self._store, one.name, options=options)
                meta = answer.meta
                etag, size, came, pieces = meta["e_tag"], meta["size"], tuple(answer.range), answer.stream(min_chunk_size=CHUNK)
            # These decide, and not If-Match, which some stores ignore or refuse.
            if etag != one.etag or size != one.size:
                raise Problem("changed", "the answer is of another version than the one that was listed")
            if came != (start, end):
                raise Problem("unreadable", f"bytes {came} came instead of {(start, end)}")
            left = end - start
            for data in pieces:
                left -= len(data)
                if left < 0:
                    break
                yield data
                if not left and len(data) < CHUNK:
                    # Only the last piece is short: to ask for another takes as long as to sum this.
                    break
        if left:
            raise Problem("unreadable", f"{end - start - left} bytes came instead of {end - start}")


class Files:
    """The files of a directory, or one of them. What it lists is what was there when it was first asked."""

    def __init__(self, directory: Path, one: str | None = None) -> None:
        self._tree = Tree(directory)
        self._one = one
        # What is no file, in words.
        self.passed_over: str | None = None

    @cached_property
    def _listed(self) -> list[Object]:
        if self._one is not None:
            return [self.head(self._one)]
        try:
            files, self.passed_over = self._tree.files()
        except (OSError, ValueError) as error:
            raise Problem("unreadable", f"the list of objects: {first_line(error)}") from None
        # Directories have no order.
        return [_file(os.fsdecode(name), *look) for name, look in sorted(files)]

    def page(self, after: str, most: int) -> Page:
        at = bisect_right(self._listed, raw(after), key=lambda one: raw(one.name)) if after else 0
        return self._listed[at : at + most], at + most >= len(self._listed)

    def head(self, name: str) -> Object:
        with problems("changed"):
            return _file(name, *self._tree.look(os.fsencode(name)))

    def get(self, one: Object, start: int, end: int) -> Iterator[Buffer]:
        with problems("changed"), open(self._tree.open(os.fsencode(one.name)), "rb", buffering=0) as file:
            if _now(one.name, file.fileno()) != one:
                raise Problem("changed", "it is not what was listed any more")
            while start < end and (data := os.pread(file.fileno(), min(CHUNK, end - start), start)):
                start += len(data)
                yield data
            if start < end or _now(one.name, file.fileno()) != one:
                raise Problem("changed", "it was written while it was read")


def _now(name: str, descriptor: int) -> Object:
    stat = os.fstat(descriptor)
    return _file(name, stat.st_ino, stat.st_mtime_ns, stat.st_size, stat.st_ctime_ns)


def _file(name: str, inode: int, written: int, size: int, changed: int) -> Object:
    # Whoever writes a file can set the first time back, but not the second, which `retag` does not ask: it changes with a mode, too.
    return Object(name, size, f"{inode:x}-{written // 1000:x}-{size:x}", f"{changed:x}")


def locate(url: str) -> tuple[str, str | None]:
    """The URL, ending with a slash, to which the names of a URL's or a path's objects are relative, and the name if it means one.

    A URL that ends with a slash is that of all below it. Any other may be an object's, or of all below it, but not both. Raises
    ValueError, Problem.
    """
    if "://" not in url or url.startswith("file://"):
        return _locate_file(url)
    scheme, _, rest = url.partition("://")
    if scheme not in {"s3", "gs", "az", "abfs", "abfss"} or not rest.strip("/"):
        raise ValueError(f"{url}: it is not the URL of a store: s3://BUCKET/PREFIX, gs:// or az://")
    below = f"{url.rstrip('/')}/"
    parent, _, name = url.rpartition("/")
    if not name or parent.endswith("/"):
        return below, None
    try:
        Store(f"{parent}/", name).head(name)
    except Problem as problem:
        if problem.kind == "missing":
            return below, None
        raise ValueError(f"{url}: can't tell if it is an object: {problem.detail}; for all objects below it, give {below}") from None
    try:
        has_more = bool(Store(below).page("", 1)[0])
    except Problem as problem:
        # Who may not list can't mean that.
        if problem.code not in {"AccessDenied", "403"}:
            raise
        has_more = False
    if has_more:
        raise ValueError(
            f"{url} is an object, and other objects are below it: {below} means those, {parent}/ all of them; to name the object "
            "alone, rename it or those"
        )
    return f"{parent}/", name


def local(url: str) -> str:
    """The path of a file's URL; what is none stays as it is."""
    return os.fsdecode(unquote_to_bytes(url.removeprefix("file://"))) if url.startswith("file://") else url


def _locate_file(url: str) -> tuple[str, str | None]:
    if url.startswith("file://") and not url.startswith("file:///"):
        raise ValueError(f"{url}: files of this machine have URLs that begin with file:///")
    path = Path(local(url))
    if url.endswith("/") or (path.is_dir() and not path.is_symlink()):
        return f"{path.resolve().as_uri().rstrip('/')}/", None
    # Links are followed on the way to what was named, but it may be none itself.
    try:
        Files(path.parent.resolve()).head(path.name)
    except Problem as problem:
        raise ValueError(f"{path}: {problem.detail}") from None
    return f"{path.parent.resolve().as_uri().rstrip('/')}/", path.name


@lru_cache(maxsize=4)
def source_at(base: str, one: str | None, run: str) -> Source:
    """What is there, for one run: files are listed once in a run. Raises Problem."""
    del run
    return Files(Path(local(base)), one) if base.startswith("file://") else Store(base, one)
