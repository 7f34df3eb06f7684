"""Read by mypy --strict and pyright, not run: what programs rely on has these types, and what is wrong is found."""

import array
import hashlib
import mmap
from pathlib import Path
from typing import assert_type

import wegman
from wegman import files, pmac


def right(key: wegman.Umac64, plain: wegman.Pmac, mapped: mmap.mmap) -> None:
    tag = assert_type(key.tag(b"", nonce=1), wegman.Tag)
    key.verify(bytearray(), tag, nonce=b"12345678")
    assert_type(bytes(tag), bytes)
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
    try:
        key.verify(b"", b"", 1)
    except wegman.InvalidTag as error:
        assert_type(error.valid, list[bool])
    except wegman.Rejected as error:
        assert_type(error.reason, str)


def wrong(key: wegman.Umac64) -> None:
    key.tag("text", nonce=1)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    key.tag(b"", nonce=1.5)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    key.verify(b"", "tag")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    wegman.Link("UMAC-64", b"")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    wegman.Umac64(16)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    {key.tag(b"", 1): 1}  # pyright: ignore[reportUnhashable, reportUnusedExpression]
