"""The reader against a server that does everything wrong that a store can do."""

import contextlib
import datetime
import ipaddress
import json
import os
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, quote_plus, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from conftest import run, wegman
from obstore.exceptions import BaseError
from wegman import cluster
from wegman._native import KeyFile, read_manifest
from wegman.cluster import ClusterError, Options, Setup, _store
from wegman.cluster._places import Place
from wegman.cluster._store import Object, Problem, Store, locate, source_at

CONTENT = bytes(range(256)) * 40
ETAG = '"right"'
# What paints another line on a terminal, in the body of an error.
EVIL = b"<Error>\x1b[2K\x1b[1A\rphotos/a: OK\xc2\x9b2K\xe2\x80\xae</Error>"

# What objects are refused with.
ERRORS = {
    "refused objects": (403, EVIL), "unauthorized": (401, b""), "no bucket": (404, b"<Error><Code>NoSuchBucket</Code></Error>"),
    "denied": (403, b"<Error><Code>AccessDenied</Code></Error>"), "gone": (404, b"")
}  # fmt: skip
# What a client that waits for the end of a header never gets, first and again and again.
ENDLESS = {"dripped header": (b"HTTP/1.1 200 OK\r\n", b"X"), "dripped chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"), "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n")}
# What is no list, although the store says so.
LISTS = {
    "an error": b"<Error><Code>SlowDown</Code></Error>", "a page": b"<html><p>hello</p></html>", "no end": b"<ListBucketResult></ListBucketResult>",
    **{f"size {size!r}": f"<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>p/a</Key><Size>{size}</Size><ETag>e</ETag></Contents></ListBucketResult>".encode()
       for size in ("9" * 30, "-1", "", "1e3")},
    "long": b"<ListBucketResult><IsTruncated>false</IsTruncated>" + b" " * 10_000 + b"</ListBucketResult>",
    "elements": b"<ListBucketResult><IsTruncated>false</IsTruncated>" + b"<a/>" * 100_000 + b"</ListBucketResult>",
    "a name": b"<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>p/%s</Key><Size>1</Size><ETag>e</ETag></Contents></ListBucketResult>" % (b"a" * 70_000),
    "an entity": b'<!DOCTYPE l [<!ENTITY a "false">]><ListBucketResult><IsTruncated>&a;</IsTruncated></ListBucketResult>',
    "entities": b'<!DOCTYPE l [<!ENTITY a "' + b"a" * 1000 + b'">' + b"".join(b'<!ENTITY %c "%s">' % (c + 1, b"&%c;" % c * 1000) for c in b"abc")
    + b"]><ListBucketResult><IsTruncated>&d;</IsTruncated></ListBucketResult>",
}  # fmt: skip


class Server(ThreadingHTTPServer):
    """A bucket, in which all contents of a name have one ETag. `wrong` names what is wrong, `times` how often."""

    wrong = ""
    times = 0
    when: list[float]
    objects: dict[str, bytes]
    # What was read of objects, and not only asked.
    read: list[str]
    # Whose key the last list was signed with.
    signer = ""
    # What a slow answer waits for.
    goes_on: threading.Event


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: object) -> None:
        pass

    def is_wrong(self, what: str) -> bool:
        if self.server.wrong == what and self.server.times > 0:
            self.server.times -= 1
            return True
        return False

    def answer(self, code: int, body: bytes = b"", **more: str) -> None:
        self.send_response(code)
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self) -> None:  # noqa: N802
        self.do_GET()

    def do_PUT(self) -> None:  # noqa: N802
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.objects[unquote(self.path.removeprefix("/bucket/"))] = body
        self.answer(200, ETag=ETAG)

    def list(self, asked: dict[str, list[str]]) -> None:
        """A page of names."""
        prefix, after, most = asked.get("prefix", [""])[0], asked.get("start-after", [""])[0], int(asked["max-keys"][0])
        if self.server.wrong == "no lists" or (self.server.wrong == "late page" and after):
            return self.answer(403, EVIL)
        if self.server.wrong in {"ExpiredToken", "NoSuchBucket"}:
            return self.answer(404 if self.server.wrong == "NoSuchBucket" else 400, f"<Error><Code>{self.server.wrong}</Code></Error>".encode())
        if self.server.wrong == "no s3":
            return self.answer(200, b"<html><p>hello</html>")
        if self.server.wrong in LISTS:
            return self.answer(200, LISTS[self.server.wrong])
        if self.server.wrong == "slow list":
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                while self.server.wrong:
                    self.wfile.write(b" ")
                    time.sleep(0.05)
            return None
        names = sorted(name for name in self.server.objects if name.startswith(prefix) and name > after)
        # As AWS does, a space is a plus, or as others do; or names as they are, and no word of an encoding.
        encoded = {"forms": quote_plus, "bare": escape}.get(self.server.wrong, quote)
        encoding = "<EncodingType>url</EncodingType>" if encoded is not escape else ""
        rows = "".join(
            f"<Contents><Key>{encoded(name)}</Key><Size>{len(self.server.objects[name])}</Size><ETag>{ETAG}</ETag>"
            "<LastModified>2026-11-23T00:00:00.000Z</LastModified></Contents>"
            for name in names[:most]
        )
        more = str(len(names) > most).lower()
        return self.answer(200, f"<ListBucketResult><IsTruncated>{more}</IsTruncated>{encoding}{rows}</ListBucketResult>".encode())

    def do_DELETE(self) -> None:  # noqa: N802
        self.answer(403, b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>')

    do_POST = do_DELETE  # noqa: N815

    def endless(self) -> None:
        first, again = ENDLESS[self.server.wrong]
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.wfile.write(first)
            while self.server.wrong:
                self.wfile.write(again)
                time.sleep(0.02)

    def do_GET(self) -> None:  # noqa: N802
        self.server.when.append(time.monotonic())
        url = urlsplit(self.path)
        if self.server.wrong in ENDLESS:
            return self.endless()
        if url.path.rstrip("/") == "/bucket":
            self.server.signer = self.headers.get("Authorization", "").partition("Credential=")[2].partition("/")[0]
            return self.list(parse_qs(url.query))
        name = unquote(self.path.split("?")[0]).removeprefix("/bucket/")
        if self.server.wrong == "slow head":
            self.server.goes_on.wait(50)
        if self.server.wrong == "no heads" and self.command == "HEAD":
            return self.answer(403)
        if name not in self.server.objects:
            return self.answer(404)
        content = self.server.objects[name]
        if self.is_wrong("slow down"):
            return self.answer(503, b"<Error><Code>SlowDown</Code></Error>", Retry_After="100000")
        if self.is_wrong("broken"):
            self.close_connection = True
            return None
        etag = '"other"' if self.is_wrong("lying etag") else ETAG
        common = {"ETag": etag, "Last-Modified": "Mon, 23 Nov 2026 00:00:00 GMT", "Accept-Ranges": "bytes"}
        if self.command == "GET" and self.server.wrong in ERRORS:
            return self.answer(*ERRORS[self.server.wrong])
        span = self.headers.get("Range")
        if self.command == "GET":
            self.server.read.append(name)
        if span is None and self.server.wrong == "huge":
            self.send_response(200)
            for field, value in {**common, "Content-Length": str(1 << 40)}.items():
                self.send_header(field, value)
            return self.end_headers()
        if span is None:
            return self.answer(200, content, **common)
        start, end = (int(number) for number in span.removeprefix("bytes=").split("-"))
        if start >= len(content):
            return self.answer(416)
        if self.is_wrong("another range"):
            start += 16
        body = content[start : end + 1]
        length = len(body)
        if self.is_wrong("short"):
            # Fewer bytes than were promised, and the end of the connection.
            self.send_response(206)
            for name, value in {**common, "Content-Range": f"bytes {start}-{end}/{len(content)}"}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body[: length // 2])
            self.close_connection = True
            return None
        if self.is_wrong("more"):
            body += bytes(1 << 20)
        size = len(content) + (1 if self.is_wrong("another size") else 0)
        return self.answer(206, body, **common, Content_Range=f"bytes {start}-{end}/{size}")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    # Stores are kept for their URL, and this test's is elsewhere.
    _store.source_at.cache_clear()
    server = Server(("127.0.0.1", 0), Handler)
    server.when, server.objects, server.read, server.goes_on = [], {"object": CONTENT}, [], threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_address[1]}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    yield server
    server.shutdown()
    server.server_close()


def read(store: Store, one: Object, start: int = 0, end: int = len(CONTENT)) -> bytes:
    return b"".join(bytes(data) for data in store.get(one, start, end))


def only() -> Store:
    """The store of the one object."""
    store = source_at(*locate("s3://bucket/object"), "")
    assert isinstance(store, Store)
    return store


def test_what_is_right(server: Server) -> None:
    store = only()
    ((one,), _) = store.page("", 10)
    assert (one.name, one.size, one.etag) == ("object", len(CONTENT), ETAG)
    assert read(store, one) == CONTENT and read(store, one, 16, 48) == CONTENT[16:48]
    with pytest.raises(Problem) as caught:
        store.head("other")
    assert caught.value.kind == "missing"


@pytest.mark.parametrize("wrong", ["slow down", "broken"])
def test_what_passes_is_waited_for(server: Server, wrong: str) -> None:
    store = only()
    ((one,), _) = store.page("", 10)
    server.when.clear()
    server.wrong, server.times = wrong, 3
    assert read(store, one) == CONTENT
    # Pauses between the four tries, which grow.
    assert len(server.when) == 4
    pauses = [after - before for before, after in zip(server.when, server.when[1:], strict=False)]
    assert min(pauses) > 0.05, pauses
    # Requests of our own are tried again, too, and wait no longer because the store says so.
    server.times = 1
    assert store.head("object").size == one.size and server.times == 0


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [("lying etag", "changed"), ("another range", "unreadable"), ("another size", "changed"), ("short", "unreadable"), ("more", "unreadable")],
)
def test_answers_that_are_wrong(server: Server, wrong: str, kind: str) -> None:
    store = only()
    ((one,), _) = store.page("", 10)
    server.wrong, server.times = wrong, 10**6
    with pytest.raises(Problem) as caught:
        read(store, one, 0, 4096)
    assert caught.value.kind == kind


def test_an_object_that_is_shorter_now_has_changed(server: Server) -> None:
    store = only()
    ((one,), _) = store.page("", 10)
    server.objects["object"] = CONTENT[:16]
    for odd in (one, one._replace(name="a//b")):
        server.objects[odd.name] = CONTENT[:16]
        with pytest.raises(Problem, match="changed.*shorter"):
            b"".join(Store("s3://bucket/").get(odd, 16, 48))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [("unauthorized", "401"), ("refused objects", "403"), ("no bucket", "NoSuchBucket"), ("gone", "it is gone"), ("no server", "sending")],
)  # fmt: skip
def test_errors_of_a_store_are_said(server: Server, wrong: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_store.RETRY, "max_retries", 0)
    store = only()
    ((one,), _) = store.page("", 10)
    server.wrong = wrong
    if wrong == "no server":
        server.shutdown()
        server.server_close()
    with pytest.raises(Problem, match=says):
        read(store, one)


def test_a_short_answer_is_read_again(server: Server, tmp_path: Path, key: str) -> None:
    server.wrong, server.times = "short", 1
    setup = Setup(workers=1, options=Options(grain=1 << 20, get_size=4096))
    report = cluster.tag("s3://bucket/object", key, str(tmp_path / "manifest"), setup)
    assert report.counts == {"tagged": 1} and server.times == 0


def test_progress_waits_for_no_answer(server: Server, tmp_path: Path, key: str) -> None:
    server.wrong = "slow head"
    words = ["tag", "s3://bucket/object", "-k", key, "-o", str(tmp_path / "manifest"), "--json"]
    with subprocess.Popen([sys.executable, "-P", "-m", "wegman.cluster", *words], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        said = [json.loads(command.stdout.readline())["type"] for _ in range(4)]
        # Its first request still waits.
        assert len(server.when) == 1 and said == ["start", "progress", "progress", "progress"]
        server.goes_on.set()
        assert json.loads(command.stdout.readlines()[-1])["tagged"] == 1
    assert command.returncode == 0


def test_names_that_are_odd(tmp_path: Path, key: str) -> None:
    names = ["a b", "ü/é", "%41", "#?&", "x" * 200, "-k", "back\\slash", "trailing.", "~"]
    folder = tmp_path / "data"
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    manifest = str(tmp_path / "manifest")
    report = cluster.tag(str(folder), key, manifest)
    assert report.counts == {"tagged": len(names)}
    assert cluster.check(str(folder), manifest, key).counts == {"ok": len(names)}
    (folder / "ü/é").write_bytes(b"other")
    assert cluster.check(str(folder), manifest, key).counts == {"ok": len(names) - 1, "failed": 1}
    # What can't be named is told of and counted, and the others are tagged.
    with open(bytes(folder) + b"/\xff", "wb"):
        pass
    odd: list[cluster.Outcome] = []
    report = cluster.tag(str(folder), key, manifest, force=True, on_object=odd.append)
    assert report.counts == {"tagged": len(names), "unnamed": 1} and report.exit == 2 and odd[0].name == "\udcff"


def test_local_trees_are_those_of_the_command(tmp_path: Path, key: str) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "data"
    (outside / "sub").mkdir(parents=True)
    (outside / "sub/secret").write_text("of somebody else")
    (folder / "deep/er").mkdir(parents=True)
    names = ["report#1", "draft#2026", "deep/a#7", "deep/er/b", "deep.txt", "new\nline", "\x1b[1A\rdeep.txt: OK"]
    for name in names:
        (folder / name).write_text(name)
    (folder / "deep/ignored.log").write_text("left out")
    (folder / ".wegmanignore").write_text("*.log\n")
    (folder / "link").symlink_to(outside / "sub/secret")
    (folder / "directory").symlink_to(outside / "sub")
    (folder / "deep/inside").symlink_to("a#7")
    os.mkfifo(folder / "deep/pipe")
    wegman("tag", "-r", "-k", key, "-o", tmp_path / "theirs", ".", cwd=folder)
    done = run("tag", folder, "-k", key, "-o", "ours", cwd=tmp_path)
    assert "8 tagged" in done.stderr and "not read: 3 symbolic links, 1 socket, pipe or device" in done.stderr

    def rows(manifest: str) -> list[tuple[str, bytes]]:
        rows = read_manifest(KeyFile(key), tmp_path / manifest).rows
        return sorted((os.path.normpath(name.decode()), bytes(tag)) for name, tag in rows)

    assert rows("ours") == rows("theirs")
    assert sorted([*names, ".wegmanignore"]) == [name for name, _ in rows("ours")]
    done = run("check", folder, "ours", "-k", key, cwd=tmp_path)
    assert "8 ok" in done.stderr and done.stdout == ""
    done = run("check", folder, "ours", "-k", key, "-v", cwd=tmp_path)
    assert done.stdout.count(": OK\n") == 8 and "\x1b" not in done.stdout
    # Links are not followed that come later, nor at the top, nor as the object itself.
    (folder / "report#1").unlink()
    (folder / "report#1").symlink_to(outside / "sub/secret")
    assert "report#1: MISSING" in run("check", folder, "ours", "-k", key, cwd=tmp_path, code=1).stdout
    assert "symbolic link" in run("tag", folder / "link", "-k", key, cwd=tmp_path, code=2).stderr
    assert "symbolic link" in run("tag", folder / "directory", "-k", key, cwd=tmp_path, code=2).stderr
    done = run("tag", folder / "draft#2026", "-k", key, cwd=tmp_path)
    assert "(draft#2026) = " in done.stdout
    assert done.stdout.splitlines()[1:2] == run("tag", (folder / "draft#2026").as_uri(), "-k", key, cwd=tmp_path).stdout.splitlines()[1:2]


def test_files_that_become_links_are_not_followed(tmp_path: Path, key: str) -> None:
    folder, outside = tmp_path / "data", tmp_path / "outside"
    (folder / "sub").mkdir(parents=True)
    outside.mkdir()
    for place in (folder, folder / "sub", outside):
        (place / "a").write_text("the same")
    files = source_at(*locate(str(folder)), "")
    (one, below), _ = files.page("", 10)
    assert (one.name, below.name) == ("a", "sub/a")
    assert b"".join(files.get(below, 0, 8)) == b"the same" and b"".join(files.get(one, 4, 6)) == b"sa"
    (folder / "a").unlink()
    (folder / "a").symlink_to(outside / "a")
    (folder / "sub").rename(tmp_path / "elsewhere")
    (folder / "sub").symlink_to(tmp_path / "elsewhere")
    for changed in (one, below):
        for act in (lambda: list(files.get(changed, 0, 8)), lambda: files.head(changed.name)):  # noqa: B023
            with pytest.raises(Problem) as caught:
                act()
            assert caught.value.kind in {"changed", "missing"}
    (folder / "a").unlink()
    (folder / "a").write_text("another")
    with pytest.raises(Problem, match="changed"):
        list(files.get(one, 0, 8))


def test_a_file_whose_time_is_set_back(tmp_path: Path, key: str) -> None:
    """Whoever writes a file can restore its time between two requests, or two workers."""
    (tmp_path / "data").mkdir()
    file = tmp_path / "data/a"
    file.write_bytes(CONTENT)
    files = source_at(*locate(str(tmp_path / "data")), "")
    ((one,), _) = files.page("", 10)
    times = file.stat()
    with open(file, "r+b") as out:
        out.write(b"evil")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert file.stat().st_mtime_ns == times.st_mtime_ns and file.stat().st_size == times.st_size
    assert files.head("a").etag == one.etag and files.head("a") != one
    with pytest.raises(Problem) as caught:
        list(files.get(one, 0, 16))
    assert caught.value.kind == "changed"
    # For `retag` a new mode is no change.
    file.write_bytes(CONTENT)
    cluster.tag(str(tmp_path / "data"), key, str(tmp_path / "m"))
    file.chmod(0o600)
    assert cluster.retag(str(tmp_path / "data"), str(tmp_path / "m"), key, []).counts == {"unchanged": 1}


def test_a_store_that_breaks_off_and_lies_gains_nothing(server: Server, tmp_path: Path, key: str) -> None:
    """It refuses a late page of the list, replaces every object, keeps the ETags, and gets the same command again."""
    server.objects = {f"photos/{i:04}": bytes([i % 251]) * 1024 for i in range(1050)}
    place, words = "s3://bucket/photos/", ("-k", key, "-j", 1)
    server.objects |= {f"photos/{i:04}": b"late" for i in range(1050, 2200)}
    words = ("check", place, "all/", *words, "--state", "state", "-v")
    states = _interrupted(key, tmp_path)
    # Its threads are in this process, and what they read yet counts for nobody.
    before = -1
    while before != len(server.read):
        before = len(server.read)
        time.sleep(3)
    server.objects = {name: b"evil" * 256 for name in server.objects}
    server.read.clear()
    done = run(*words, cwd=tmp_path, code=2)
    assert done.stdout == "" and "only what this run reads counts" in done.stderr and not server.read
    # Asked for, it is counted and said: no object is OK that was neither read now nor is told to be from before.
    done = run(*words, "--resume-within", "1h", cwd=tmp_path, code=1)
    earlier = done.stdout.count(": OK (read before this run)\n")
    assert earlier == states and done.stdout.count(": OK") == earlier
    assert done.stdout.count(": FAILED\n") == 2200 - earlier == len(set(server.read))
    assert f"{earlier} of these results rest on what was read before this run" in done.stderr
    done = run(*words, cwd=tmp_path, code=1)
    assert done.stdout.count(": FAILED\n") == 2200


def _interrupted(key: str, folder: Path) -> int:
    """A check of three shards that stops after the first; how many objects it has read."""

    def stop(report: cluster.Report) -> None:
        seen.append(report.counts["ok"])
        if seen[-1]:
            raise KeyboardInterrupt

    seen: list[int] = []
    cluster.tag("s3://bucket/photos/", key, f"{folder}/all/", workers=1, options=Options(rows=700, seconds=600))
    with pytest.raises(KeyboardInterrupt):
        cluster.check(
            "s3://bucket/photos/", f"{folder}/all/", key, workers=1, state=folder / "state", on_progress=stop, show_all=True
        )
    return seen[-1]


@pytest.mark.parametrize("encoding", ["", "forms", "bare"])
def test_names_that_other_libraries_refuse(server: Server, tmp_path: Path, key: str, encoding: str) -> None:
    server.wrong = encoding
    names = ["a//b", "d", "d/", "d/e", "/", "//", "../z", "./y", "x/../y", "a b+c", "%2F", "é", "~", "<&>", *(() if encoding == "bare" else ("ctrl\x01", "new\nline"))]
    server.objects = {f"p/{name}": name.encode() * 3 for name in names}
    report = cluster.tag("s3://bucket/p/", key, str(tmp_path / "m"), workers=2)
    assert report.counts == {"tagged": len(names)}
    mac = KeyFile(key).mac()
    rows = dict(read_manifest(KeyFile(key), tmp_path / "m").rows)
    assert rows == {name.encode(): mac.tag(name.encode() * 3) for name in names}
    # What no manifest can have is said and counted.
    unnamed = ["", *(() if encoding == "bare" else ["nul\0"])]
    server.objects |= {f"p/{name}": b"1" for name in unnamed}
    odd: list[cluster.Outcome] = []
    report = cluster.check("s3://bucket/p/", str(tmp_path / "m"), key, workers=2, on_object=odd.append)
    assert report.counts == {"ok": len(names), "unnamed": len(unnamed)} and report.exit == 2 and [one.name for one in odd] == unnamed
    server.objects["p/a//b"] = b"evil" * 3
    assert cluster.check("s3://bucket/p/", str(tmp_path / "m"), key, workers=2).counts["failed"] == 1


def test_a_manifest_that_says_it_is_huge_is_not_read(server: Server, tmp_path: Path, key: str) -> None:
    run("tag", "s3://bucket/object", "-k", key, "-o", "s3://bucket/m/", cwd=tmp_path)
    server.wrong = "huge"
    assert "no manifest has 1099511627776 bytes" in run("check", "s3://bucket/object", "s3://bucket/m/", "-k", key, cwd=tmp_path, code=2).stderr


@pytest.mark.parametrize("wrong", ["ExpiredToken", "NoSuchBucket", "no lists", "no s3"])
def test_the_stores_own_word(server: Server, tmp_path: Path, key: str, wrong: str) -> None:
    server.objects = {f"p/{i}": b"1" for i in range(10)}
    run("tag", "s3://bucket/p/", "-k", key, "-o", "m", cwd=tmp_path)
    server.wrong = wrong
    words = {"no lists": ": 403 <", "no s3": "its answer is no list"}
    for command in (("check", "s3://bucket/p/", "m"), ("tag", "s3://bucket/p/", "-o", "m2/", "--state", "s")):
        done = run(*command, "-k", key, cwd=tmp_path, code=2)
        assert words.get(wrong, wrong) in done.stderr and "the same command" in done.stderr and done.stdout == ""
    assert not (tmp_path / "m2/root").exists()
    server.wrong = ""
    assert "10 tagged" in run("tag", "s3://bucket/p/", "-o", "m2/", "--state", "s", "-k", key, cwd=tmp_path).stderr


def test_a_worker_that_lives_on_takes_new_credentials(server: Server, tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    server.objects = {"p/a": b"1"}
    setup = Setup(workers=1, state=tmp_path / "state")
    server.wrong = "ExpiredToken"
    with pytest.raises(ClusterError, match="ExpiredToken"):
        cluster.tag("s3://bucket/p/", key, str(tmp_path / "m"), setup)
    assert server.signer == "test"
    server.wrong = ""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "renewed")
    assert cluster.tag("s3://bucket/p/", key, str(tmp_path / "m"), setup).counts == {"tagged": 1}
    assert server.signer == "renewed"


@pytest.mark.parametrize("wrong", [*LISTS, "slow list"])
def test_what_is_no_list(server: Server, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Objects would be left out, or the run would wait for ever."""
    store = Store("s3://bucket/p/")
    server.wrong = wrong
    with monkeypatch.context() as patch, pytest.raises(Problem) as caught:
        if wrong == "slow list":
            patch.setattr(_store, "SLOWEST", datetime.timedelta(seconds=0.2))
        if wrong == "long":
            patch.setattr(_store, "MOST_BODY", 8192)
        store.page("", 10)
    server.wrong = ""
    assert caught.value.code == ("" if wrong in {"slow list", "long"} else "BadSize" if wrong.startswith("size") else "BadList")
    assert store.page("", 10) == ([], True)


@pytest.mark.parametrize("wrong", ENDLESS)
def test_a_request_has_a_time(server: Server, key: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many bytes come in it: an object, a list and a manifest."""
    monkeypatch.setattr(_store, "SLOWEST", datetime.timedelta(seconds=0.5))
    monkeypatch.setitem(_store.RETRY, "max_retries", 0)
    store, place, odd = Store("s3://bucket/p/"), Place("s3://bucket/m/", KeyFile(key)), Object("a//b", 1, ETAG)
    server.wrong = wrong
    for act in (lambda: store.page("", 10), lambda: store.head("a"), lambda: list(store.get(odd, 0, 1)), place.look):
        if wrong == "dripped chunk" and act == place.look:
            continue
        began = time.monotonic()
        with pytest.raises((Problem, BaseError)):
            act()
        assert time.monotonic() - began < 20
    server.wrong = ""


def test_whatever_encoding_a_list_names(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LISTS, "nonsense", b'<?xml version="1.0" encoding="nonsense"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>')
    server.wrong = "nonsense"
    assert Store("s3://bucket/p/").page("", 10) == ([], True)


def test_a_store_that_removes_nothing(server: Server, tmp_path: Path, key: str) -> None:
    server.objects = {f"p/{i}": b"1" for i in range(4)}
    run("tag", "s3://bucket/p/", "-k", key, "-o", "s3://bucket/m/", cwd=tmp_path)
    old = {name for name in server.objects if name.startswith("m/shard-")}
    server.objects["p/1"] = b"22"
    (tmp_path / "expect").write_text("1\n")
    done = run("retag", "s3://bucket/p/", "s3://bucket/m/", "--expect", "expect", "-k", key, cwd=tmp_path)
    assert "could not be removed (AccessDenied: " in done.stderr and all(name.removeprefix("m/") in done.stderr for name in old)
    assert "4 ok" in run("check", "s3://bucket/p/", "s3://bucket/m/", "-k", key, cwd=tmp_path).stderr
    done = run("upload", "expect", "s3://bucket/p/9", "-k", key, "-o", "s3://bucket/m/", cwd=tmp_path)
    assert "could not be removed" in done.stderr and "<?xml" not in done.stderr


def test_the_stores_word_of_the_manifests_own_place(server: Server, tmp_path: Path, key: str) -> None:
    run("tag", "s3://bucket/object", "-k", key, "-o", "s3://bucket/m/", cwd=tmp_path)
    server.wrong = "denied"
    assert "AccessDenied: " in run("check", "s3://bucket/", "s3://bucket/m/", "-k", key, cwd=tmp_path, code=2).stderr


def test_without_credentials_nobody_is_asked(server: Server, tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    began = time.monotonic()
    done = run("tag", "s3://bucket/p/", "-k", key, cwd=tmp_path, code=2)
    assert "there are no credentials" in done.stderr and time.monotonic() - began < 20
    done = run("tag", "s3://bucket/object", "-k", key, cwd=tmp_path, AWS_SKIP_SIGNATURE="true")
    assert "(object) = " in done.stdout
    # Those of a profile are found.
    (tmp_path / "credentials").write_text("[other]\naws_access_key_id = a\naws_secret_access_key = b\n")
    profile = {"AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"), "AWS_PROFILE": "other"}
    assert "(object) = " in run("tag", "s3://bucket/object", "-k", key, cwd=tmp_path, **profile).stdout


class Metadata(ThreadingHTTPServer):
    """The address at which a machine of AWS is asked for its role."""

    asked: list[str]


class MetadataHandler(BaseHTTPRequestHandler):
    server: Metadata

    def log_message(self, *_: object) -> None:
        pass

    def do_PUT(self) -> None:  # noqa: N802
        self.do_GET()

    def do_GET(self) -> None:  # noqa: N802
        self.server.asked.append(self.path)
        role = {"Code": "Success", "AccessKeyId": "a", "SecretAccessKey": "b", "Token": "c", "Expiration": "2099-01-01T00:00:00Z", "LastUpdated": "2026-01-01T00:00:00Z"}
        body = {"/latest/api/token": "token", "/latest/meta-data/iam/security-credentials/": "role"}.get(self.path, json.dumps(role)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def test_a_metadata_address_is_asked_only_by_those_who_say_so(server: Server, tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    metadata = Metadata(("127.0.0.1", 0), MetadataHandler)
    metadata.asked = []
    threading.Thread(target=metadata.serve_forever, daemon=True).start()
    address = {"AWS_EC2_METADATA_SERVICE_ENDPOINT": f"http://127.0.0.1:{metadata.server_address[1]}"}
    for url in ("s3://bucket/object", "gs://bucket/object", "az://bucket/object"):
        assert "there are no credentials" in run("tag", url, "-k", key, cwd=tmp_path, code=2, **address).stderr
    assert not metadata.asked
    run("tag", "s3://bucket/object", "-k", key, cwd=tmp_path, AWS_EC2_METADATA_DISABLED="false", **address)
    assert metadata.asked
    metadata.shutdown()
    metadata.server_close()


def test_a_private_authority(server: Server, tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store with a certificate that only AWS_CA_BUNDLE vouches for."""
    private, pem, now = ec.generate_private_key(ec.SECP256R1()), serialization.Encoding.PEM, datetime.datetime.now(datetime.UTC)
    authority, store = (x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]) for name in ("authority", "store"))
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    for file, name, extension in (("ca.pem", authority, x509.BasicConstraints(ca=True, path_length=0)), ("cert.pem", store, address)):
        certificate = (
            x509.CertificateBuilder().subject_name(name).issuer_name(authority).public_key(private.public_key()).serial_number(len(file))
            .not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
            .add_extension(extension, critical=file == "ca.pem").sign(private, hashes.SHA256())
        )  # fmt: skip
        (tmp_path / file).write_bytes(certificate.public_bytes(pem))
    (tmp_path / "key.pem").write_bytes(private.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    secure = Server(("127.0.0.1", 0), Handler)
    secure.when, secure.objects, secure.read = [], {"p/a": b"1", "p/a//b": b"2"}, []
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    threading.Thread(target=secure.serve_forever, daemon=True).start()
    endpoint = {"AWS_ENDPOINT_URL": f"https://127.0.0.1:{secure.server_address[1]}"}
    done = run("tag", "s3://bucket/p/", "-k", key, "-o", "m", cwd=tmp_path, code=2, **endpoint)
    assert "certificate" in done.stderr.lower() and not secure.read
    done = run("tag", "s3://bucket/p/", "-k", key, "-o", "m", cwd=tmp_path, **endpoint, AWS_CA_BUNDLE=str(tmp_path / "ca.pem"))
    assert "2 tagged" in done.stderr
    # It vouches for that address alone.
    for name, value in (("AWS_ENDPOINT_URL", f"https://localhost:{secure.server_address[1]}"), ("AWS_CA_BUNDLE", str(tmp_path / "ca.pem"))):
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(_store.RETRY, "max_retries", 0)
    for act in (lambda store: store.page("", 10), lambda store: read(store, Object("a", 1, ETAG))):
        with pytest.raises(Problem, match="(?i)certificate|sending"):
            act(Store("s3://bucket/p/"))
    secure.shutdown()
    secure.server_close()


def test_a_manifest_in_its_own_bucket_is_not_new(server: Server, tmp_path: Path, key: str) -> None:
    server.objects = {f"{i}": b"1" for i in range(5)}
    for place in ("s3://bucket/meta/tree/", "s3://bucket/meta/plain"):
        cluster.tag("s3://bucket/", key, place, workers=1, include=["[0-9]"])
        report = cluster.check("s3://bucket/", place, key, workers=1, exclude=["meta/tree/*"] if place.endswith("n") else [], fail_on_new=True)
        assert report.counts == {"ok": 5} and report.ok
        server.objects["other"] = b"1"
        report = cluster.check("s3://bucket/", place, key, workers=1, exclude=["meta/tree/*"] if place.endswith("n") else [], fail_on_new=True)
        assert report.counts == {"ok": 5, "new": 1} and report.exit == 1
        del server.objects["other"]


def test_an_object_with_the_name_of_a_prefix(server: Server, tmp_path: Path, key: str) -> None:
    below = {"photos/a": b"one", "photos/b": b"two"}
    server.objects = {"photos": b"evil", **below}
    done = run("tag", "s3://bucket/photos", "-k", key, cwd=tmp_path, code=2)
    assert "s3://bucket/photos is an object" in done.stderr and "s3://bucket/photos/ means those" in done.stderr
    assert "2 tagged" in run("tag", "s3://bucket/photos/", "-k", key, "-o", "m", cwd=tmp_path).stderr
    for command in ("check", "retag"):
        assert "is an object" in run(command, "s3://bucket/photos", "m", "-k", key, cwd=tmp_path, code=2).stderr
    assert run("check", "s3://bucket/photos/", "m", "-k", key, "-v", cwd=tmp_path).stdout == "a: OK\nb: OK\n"
    # One of the two meanings is the only one.
    server.objects = {**below, "photos.txt": b""}
    assert "2 tagged" in run("tag", "s3://bucket/photos", "-k", key, cwd=tmp_path).stderr
    server.objects = {"photos": b"a picture"}
    done = run("tag", "s3://bucket/photos", "-k", key, cwd=tmp_path)
    assert "(photos) = " in done.stdout
    assert "no objects" in run("tag", "s3://bucket/photos/", "-k", key, cwd=tmp_path, code=2).stderr
    # Who may not list can only mean the object; who may not ask is not taken to mean the prefix.
    server.wrong = "no lists"
    assert "(photos) = " in run("tag", "s3://bucket/photos", "-k", key, cwd=tmp_path).stdout
    server.objects, server.wrong = {"photos": b"evil", **below}, "no heads"
    done = run("tag", "s3://bucket/photos", "-k", key, cwd=tmp_path, code=2)
    assert "for all objects below it, give s3://bucket/photos/" in done.stderr and "403" in done.stderr


def test_what_comes_from_outside_is_escaped(server: Server, tmp_path: Path, key: str) -> None:
    server.objects = {"photos/a": b"one", "photos/b": b"two"}
    run("tag", "s3://bucket/photos/", "-k", key, "-o", "m", cwd=tmp_path)
    for wrong in ("refused objects", "no lists"):
        server.wrong = wrong
        for words in (("check", "s3://bucket/photos/", "m"), ("tag", "s3://bucket/photos/")):
            done = run(*words, "-k", key, cwd=tmp_path, code=2)
            said = done.stdout + done.stderr
            assert "\\x1b[2K" in said and all(c.isprintable() or c == "\n" for c in said)
            assert not any(line.startswith("photos/a: OK") for line in said.splitlines())


def test_upload_to_a_store(server: Server, tmp_path: Path, key: str) -> None:
    (tmp_path / "f").write_text("content")
    run("upload", "f", "s3://bucket/up/", "-k", key, cwd=tmp_path)
    run("upload", "f", "s3://bucket/", "-k", key, cwd=tmp_path)
    assert server.objects.keys() == {"object", "up/f", "f"} and server.objects["up/f"] == b"content"
    assert "names no object" in run("upload", "f", "s3://bucket", "-k", key, cwd=tmp_path, code=2).stderr


def test_urls_that_are_none(key: str) -> None:
    for url in ("nosuch://bucket/x", "s3://"):
        with pytest.raises((ValueError, Problem)):
            cluster.tag(url, key)
