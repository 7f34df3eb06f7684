"""Read by mypy --strict and pyright, not run: what programs rely on has these types, and what is wrong is found."""

import array
import hashlib
import hmac
import mmap
from multiprocessing import Pipe
from pathlib import Path
from typing import assert_type

import numpy
import wegman
from wegman import connection, files, frames, pmac


def right(key: wegman.Umac64, plain: wegman.Pmac, mapped: mmap.mmap) -> None:
    tag = assert_type(key.tag(b"", nonce=1), wegman.Tag)
    key.verify(bytearray(), tag, nonce=b"12345678")
    assert_type(bytes(tag), bytes)
    assert_type(b"" + tag + tag, bytes)
    assert_type((tag[0], tag[1:], list(tag)), tuple[int, bytes, list[int]])
    hmac.compare_digest(tag, b"")
    key.verify_many([b""], [tag], nonces=numpy.arange(5))
    assert_type(key.digest_size, int)
    assert_type(plain.tag_many([b"", memoryview(b""), mapped, array.array("B")]), list[wegman.Tag])
    plain.verify_many([b""], [tag, b""])
    with open("file", "rb") as file:
        digest = hashlib.file_digest(file, plain.stream)
    assert_type(digest.hexdigest(), str)
    any_mac: wegman.Mac = wegman.new("HMAC-SHA256", b"")
    assert_type(any_mac.stream().copy().digest(), bytes)
    assert_type(wegman.Sender("UMAC-64", b"").seal(b""), tuple[int, wegman.Tag])
    assert_type(wegman.Link("UMAC-64", b"", initiator=True).open_packet(b""), bytes)
    assert_type(pmac.combine([pmac.Segment(plain, b"")]).tag(), wegman.Tag)
    assert_type(files.check(Path("manifest"), "key").files[0].tag, wegman.Tag | None)
    sealed = files.Sealed("manifest", Path("key"), at_least=7)
    assert_type(sealed.read("file"), bytes)
    assert_type(sealed.read("file", into=mapped), memoryview)
    with sealed.path("file", progress=lambda done, size: print(done, size)) as path:
        assert_type(path, str)
    opener = frames.Opener(b"", b"", sessions=1)
    assert_type(opener.open([b"", b""]), list[bytes])
    opener.open(frames.Sealer(b"", bytearray()).seal([b"", mapped, tag]))
    link = wegman.Link("UMAC-64", b"", initiator=True)
    link.open_parts(b"", [b"", mapped], assert_type(link.seal_parts((b"", tag)), tuple[bytes, wegman.Tag])[1])
    connection.Sealed(Pipe()[0], b"", initiator=True, maxlength=1).send(1)
    try:
        key.verify(b"", b"", 1)
    except wegman.InvalidTag as error:
        assert_type(error.valid, list[bool])
    except wegman.Rejected as error:
        assert_type(error.reason, str)


def wrong(key: wegman.Umac64, plain: wegman.Pmac) -> None:
    key.tag(b"x")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    key.verify(b"x", b"")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    key.tag_many([b"x"])  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    key.verify_many([b"x"], [b""])  # type: ignore[call-overload] # pyright: ignore[reportCallIssue]
    plain.tag(b"x", nonce=1)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    plain.verify(b"x", b"", 1)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    plain.tag_many([b"x"], 1)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    plain.verify_many([b"x"], [b""], nonces=[1])  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    "" + key.tag(b"", 1)  # type: ignore[operator] # pyright: ignore[reportOperatorIssue, reportUnusedExpression]
    key.tag("text", nonce=1)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    key.tag(b"", nonce=1.5)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    key.verify(b"", "tag", 1)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    wegman.Link("UMAC-64", b"")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    wegman.Link("UMAC-64", b"", initiator=True).seal_parts(["text"])  # type: ignore[list-item] # pyright: ignore[reportArgumentType]
    frames.Sealer(b"")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    connection.Sealed(Pipe()[0], b"")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    wegman.Umac64(16)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    {key.tag(b"", 1): 1}  # pyright: ignore[reportUnhashable, reportUnusedExpression]
