"""The reader against a server that does everything wrong that a store can do."""

import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from wegman import cluster
from wegman._native import KeyFile
from wegman.cluster import Options, Setup, _work
from wegman.cluster._objects import Object
from wegman.cluster._sources import Problem, Store

CONTENT = bytes(range(256)) * 40
ETAG = '"right"'


class Server(ThreadingHTTPServer):
    """One object, /bucket/object. `wrong` names what is wrong, `times` how often."""

    wrong = ""
    times = 0
    when: list[float]


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

    def do_GET(self) -> None:  # noqa: N802
        self.server.when.append(time.monotonic())
        if self.path != "/bucket/object":
            return self.answer(404)
        if self.is_wrong("slow down"):
            return self.answer(503, b"<Error><Code>SlowDown</Code></Error>")
        if self.is_wrong("broken"):
            self.close_connection = True
            return None
        etag = '"other"' if self.is_wrong("lying etag") else ETAG
        common = {"ETag": etag, "Last-Modified": "Mon, 23 Nov 2026 00:00:00 GMT", "Accept-Ranges": "bytes"}
        asked = self.headers.get("If-Match")
        if asked not in {None, ETAG}:
            if self.server.wrong == "no if-match":
                return self.answer(501)
            if self.server.wrong != "ignores if-match":
                return self.answer(412)
        if self.server.wrong == "no if-match" and asked is not None:
            return self.answer(501)
        span = self.headers.get("Range")
        if span is None:
            return self.answer(200, CONTENT, **common)
        start, end = (int(number) for number in span.removeprefix("bytes=").split("-"))
        if self.is_wrong("another range"):
            start += 16
        body = CONTENT[start : end + 1]
        length = len(body)
        if self.is_wrong("short"):
            # Fewer bytes than were promised, and the end of the connection.
            self.send_response(206)
            for name, value in {**common, "Content-Range": f"bytes {start}-{end}/{len(CONTENT)}"}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body[: length // 2])
            self.close_connection = True
            return None
        size = len(CONTENT) + (1 if self.is_wrong("another size") else 0)
        return self.answer(206, body, **common, Content_Range=f"bytes {start}-{end}/{size}")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    # Stores are kept for their URL, and this test's is elsewhere.
    _work._store.cache_clear()
    server = Server(("127.0.0.1", 0), Handler)
    server.when = []
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


def test_what_is_right(server: Server) -> None:
    store = Store("s3://bucket/object")
    (one,) = store.objects()
    assert (one.name, one.size, one.etag) == ("object", len(CONTENT), ETAG)
    assert read(store, one) == CONTENT and read(store, one, 16, 48) == CONTENT[16:48]
    assert store.obeys_pins(one) == "kept"
    with pytest.raises(Problem) as caught:
        store.head("other")
    assert caught.value.kind == "missing"


@pytest.mark.parametrize("wrong", ["slow down", "broken"])
def test_what_passes_is_waited_for(server: Server, wrong: str) -> None:
    store = Store("s3://bucket/object")
    (one,) = store.objects()
    server.when.clear()
    server.wrong, server.times = wrong, 3
    assert read(store, one) == CONTENT
    # Pauses between the four tries, which grow.
    assert len(server.when) == 4
    pauses = [after - before for before, after in zip(server.when, server.when[1:], strict=False)]
    assert min(pauses) > 0.05, pauses


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [("lying etag", "changed"), ("another range", "unreadable"), ("another size", "changed"), ("short", "unreadable")],
)
def test_answers_that_are_wrong(server: Server, wrong: str, kind: str) -> None:
    store = Store("s3://bucket/object")
    (one,) = store.objects()
    server.wrong, server.times = wrong, 10**6
    with pytest.raises(Problem) as caught:
        read(store, one, 0, 4096)
    assert caught.value.kind == kind


@pytest.mark.parametrize(("wrong", "found"), [("", "kept"), ("ignores if-match", "ignored"), ("no if-match", "refused")])
def test_pins(server: Server, wrong: str, found: str, tmp_path: Path, key: str) -> None:
    server.wrong = wrong
    setup = Setup(workers=2, options=Options(grain=1024, get_size=256))
    report = cluster.tag("s3://bucket/object", key, str(tmp_path / "manifest"), setup)
    assert report.if_match == found and report.counts == {"tagged": 1}
    right = KeyFile(key).mac().tag(CONTENT).hex()
    assert f"(object) = {right}" in (tmp_path / "manifest").read_text()


def test_a_short_answer_is_read_again(server: Server, tmp_path: Path, key: str) -> None:
    server.wrong, server.times = "short", 1
    setup = Setup(workers=1, options=Options(grain=4096, get_size=4096))
    report = cluster.tag("s3://bucket/object", key, str(tmp_path / "manifest"), setup)
    assert report.counts == {"tagged": 1} and server.times == 0


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
    # What the reader can't name is told of, and not passed over.
    for name in (b"\xff", b"new\nline"):
        path = bytes(folder) + b"/" + name
        with open(path, "wb"):
            pass
        with pytest.raises(Problem, match="list of objects"):
            cluster.tag(str(folder), key, manifest, force=True)
        os.unlink(path)


def test_urls_that_are_none(key: str) -> None:
    for url in ("nosuch://bucket/x", "s3://"):
        with pytest.raises((ValueError, Problem)):
            cluster.tag(url, key)
