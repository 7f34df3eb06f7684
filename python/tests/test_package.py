"""What the documentation promises."""

import array
import base64
import ctypes
import hashlib
import hmac
import importlib.metadata
import io
import json
import mmap
import multiprocessing
import os
import pickle
import pydoc
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy
import pytest
import wegman
from wegman import pmac

KEY = bytes(range(16))


def test_a_tag() -> None:
    mac = wegman.Umac64(KEY)
    tag = mac.tag(b"a packet", nonce=1)
    assert str(tag) == tag.hex() == bytes(tag).hex()
    assert repr(tag) == f"<wegman.Tag {tag}>"
    assert len(tag) == 8
    assert tag == mac.tag(b"a packet", (1).to_bytes(8)) == bytes(tag)
    assert tag != mac.tag(b"a packet", 2)
    assert tag != bytes(tag)[:-1]
    assert tag != "text"
    assert tag == wegman.Tag.fromhex(str(tag)) == wegman.Tag(bytes(tag)) == pickle.loads(pickle.dumps(tag))
    with pytest.raises(TypeError):
        hash(tag)
    for length in [0, 33]:
        with pytest.raises(ValueError, match="1 to 32 bytes"):
            wegman.Tag(bytes(length))


def test_a_tag_is_used_as_bytes() -> None:
    tag = wegman.Umac64(KEY).tag(b"a packet", nonce=1)
    plain = bytes(tag)
    assert b"packet " + tag == b"packet " + plain and tag + b" end" == plain + b" end"
    assert type(tag + tag) is bytes and tag + tag == b"".join([tag, tag]) == 2 * plain
    assert bytearray(b"packet ") + tag == b"packet " + plain
    assert (tag[0], tag[-1], list(tag)) == (plain[0], plain[-1], list(plain))
    assert (tag[2:4], tag[:], tag[::-1]) == (plain[2:4], plain, plain[::-1]) and type(tag[:4]) is bytes
    for wrong, error in [(8, IndexError), (-9, IndexError), ("0", TypeError)]:
        with pytest.raises(error):
            tag[wrong]
    for wrong in ["text", 1, None]:
        with pytest.raises(TypeError):
            tag + wrong
    assert base64.b64decode(base64.b64encode(tag)) == plain
    assert json.loads(json.dumps({"tag": tag}, default=str)) == {"tag": tag.hex()}
    assert int.from_bytes(tag, "big") == int(tag.hex(), 16)
    assert hmac.compare_digest(tag, plain) and hmac.compare_digest(plain, tag) and hmac.compare_digest(tag, tag)
    assert not hmac.compare_digest(tag, plain[:-1]) and not hmac.compare_digest(tag, bytes(8))
    # What it lends is read, not written, and outlives it.
    view = memoryview(wegman.Tag(plain))
    assert (view.readonly, view.format, view.shape, view.tobytes()) == (True, "B", (8,), plain)
    with pytest.raises((BufferError, TypeError)):
        io.BytesIO(bytes(8)).readinto(tag)  # type: ignore[arg-type]


def test_equal_tags() -> None:
    tag = wegman.Umac64(KEY).tag(b"a packet", nonce=1)
    plain = bytes(tag)
    for same in [plain, bytearray(plain), memoryview(plain), wegman.Tag(plain), array.array("B", plain)]:
        assert tag == same and same == tag and not tag != same
    # Bytes leave it to the tag, whose time does not depend on them.
    assert bytes.__eq__(plain, tag) is NotImplemented
    for i in range(8):
        other = plain[:i] + bytes([plain[i] ^ 1]) + plain[i + 1 :]
        assert tag != other and other != tag and tag != wegman.Tag(other)
    for wrong in [str(tag), tag.hex(), list(tag), tuple(tag), int(tag.hex(), 16), 0, None, object(), plain[:-1], plain + b"\0", bytes(99)]:
        assert tag != wrong and wrong != tag and not tag == wrong
    assert wegman.Tag(b"\1") != 1 and wegman.Tag(b"\1") != True  # noqa: E712


def test_verify() -> None:
    mac = wegman.Umac128(KEY)
    tag = mac.tag(b"a packet", 1)
    mac.verify(b"a packet", tag, nonce=1)
    mac.verify(bytearray(b"a packet"), bytes(tag), 1)
    for data, other, nonce in [
        (b"a pocket", tag, 1),
        (b"a packet", tag, 2),
        (b"a packet", bytes(tag)[:-1], 1),
        (b"a packet", b"", 1),
        (b"a packet", bytes(99), 1),
    ]:
        with pytest.raises(wegman.InvalidTag):
            mac.verify(data, other, nonce)
    with pytest.raises(TypeError):
        mac.verify(b"a packet", str(tag), 1)


def test_all_buffers() -> None:
    data = bytes(range(256)) * 300
    mac = wegman.Pmac(KEY)
    tag = mac.tag(data)
    numbers = numpy.frombuffer(data, dtype=numpy.uint32)
    for same in [bytearray(data), memoryview(data), numbers, numbers.reshape(2, -1), array.array("Q", data)]:
        assert mac.tag(same) == tag
        stream = mac.stream()
        stream.update(same)
        assert stream.digest() == bytes(tag)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            assert mac.tag(mapped) == tag
        with pytest.raises(ValueError, match="closed"):
            mac.tag(mapped)
    for scattered in [memoryview(data)[::2], numbers.reshape(2, -1).T, numbers[::-1]]:
        with pytest.raises(ValueError, match="contiguous"):
            mac.tag(scattered)
    # The addresses of objects stay where they are when the objects change.
    objects = [numpy.array([[1], None], dtype=object), numpy.zeros(2, dtype=[("x", "i4"), ("y", "O")])]
    for pointers in [*objects, *((kind * 2)() for kind in (ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)))]:
        for refuse in [lambda: mac.tag(pointers), lambda: mac.tag_many([pointers]), lambda: wegman.Tag(memoryview(pointers)[:1])]:
            with pytest.raises(TypeError, match="an array of objects or pointers"):
                refuse()
    assert mac.tag(numpy.zeros(2, dtype=[("O", "i4")])) == mac.tag(bytes(8))
    assert mac.tag(numpy.empty(0)) == mac.tag(b"") == mac.tag(memoryview(b""))
    # A buffer that is held can't be resized under our feet, and is given back.
    growing = bytearray(data)
    mac.tag(growing)
    growing.append(0)


def test_many() -> None:
    mac = wegman.Umac64(KEY)
    messages = [bytes([i]) * (7 * i) for i in range(100)]
    tags = mac.tag_many(messages, 5)
    assert tags == [mac.tag(message, 5 + i) for i, message in enumerate(messages)]
    mac.verify_many(messages, tags, 5)
    mac.verify_many(reversed(messages), reversed(tags), nonces=reversed(range(5, 105)))
    tags[17] = tags[18]
    with pytest.raises(wegman.InvalidTag, match="1 of 100") as caught:
        mac.verify_many(messages, tags, 5)
    assert caught.value.valid == [i != 17 for i in range(100)]
    with pytest.raises(wegman.InvalidTag) as caught:
        mac.verify_many([b"a", b"b"], [b"", mac.tag(b"b", 6)], nonces=[5, 6])
    assert caught.value.valid == [False, True]
    assert mac.tag_many([], 1) == []
    mac.verify_many([], [], 1)
    with pytest.raises(ValueError, match="fewer nonces"):
        mac.tag_many(messages, b"\xff" * 8)
    for wrong in [lambda: mac.verify_many(messages, tags[1:], 5), lambda: mac.verify_many([b""], tags[:1], nonces=[])]:
        with pytest.raises(ValueError, match="there are"):
            wrong()
    with pytest.raises(TypeError, match="not one message"):
        mac.tag_many(b"abc", 1)
    with pytest.raises(TypeError):
        mac.tag_many(messages)
    with pytest.raises(TypeError, match="not both"):
        mac.verify_many([b""], tags[:1], 5, nonces=[5])


def test_nonces() -> None:
    mac = wegman.Umac64(KEY)
    for wrong, error in [(None, TypeError), (1.5, TypeError), (-1, ValueError), (1 << 64, ValueError), (b"7", ValueError)]:
        with pytest.raises(error):
            mac.tag(b"", wrong)
    with pytest.raises(TypeError, match="takes no nonce"):
        wegman.Pmac(KEY).tag(b"", 1)
    with pytest.raises(TypeError, match="takes no nonce"):
        wegman.Pmac(KEY).tag(b"", b"12345678")
    twelve = wegman.new("UMAC-64", KEY, nonce_length=12)
    assert twelve.tag(b"", 3) == twelve.tag(b"", (3).to_bytes(12))


def test_nonces_of_numpy() -> None:
    """They lend bytes, in the machine's order, but are numbers."""
    mac = wegman.Umac64(KEY)
    for seven in [numpy.uint64(7), numpy.int64(7), numpy.int8(7), numpy.array(7), numpy.array(7, dtype=">u8")]:
        assert mac.tag(b"", seven) == mac.tag(b"", 7)
        mac.verify(b"", mac.tag(b"", 7), seven)
        assert mac.tag_many([b""], seven) == [mac.tag(b"", 7)]
        assert mac.stream().tag(seven) == mac.tag(b"", 7)
        with pytest.raises(TypeError, match="takes no nonce"):
            wegman.Pmac(KEY).tag(b"", seven)
    mac.verify_many([b"a", b"b"], mac.tag_many([b"a", b"b"], 5), nonces=numpy.arange(5, 7))
    # A row of bytes is bytes.
    row = numpy.arange(8, dtype=numpy.uint8)
    assert mac.tag(b"", row) == mac.tag(b"", row.tobytes())
    for wrong in [numpy.float64(7), ctypes.c_uint64(7), "12345678", [7]]:
        with pytest.raises(TypeError, match=r"a number from 0 to 2\*\*64 - 1, or bytes, not "):
            mac.tag(b"", wrong)
    with pytest.raises(ValueError, match="a number from 0"):
        mac.tag(b"", numpy.int64(-1))


def test_streams_without_nonce() -> None:
    mac = wegman.Pmac(KEY)
    data = bytes(range(256)) * 1000
    assert hashlib.file_digest(io.BytesIO(data), mac.stream).digest() == bytes(mac.tag(data))
    stream = mac.stream()
    stream.update(data[:1000])
    copy = stream.copy()
    stream.update(data[1000:])
    assert stream.hexdigest() == stream.hexdigest() == str(stream.tag()) == str(mac.tag(data))
    assert copy.digest() == bytes(mac.tag(data[:1000]))
    stream.verify(mac.tag(data))
    with pytest.raises(wegman.InvalidTag):
        copy.verify(mac.tag(data))
    assert (stream.name, stream.digest_size, stream.nonce_length) == ("PMAC-AES128", 16, 0)
    for key in [mac, wegman.Umac64(KEY), wegman.new("HMAC-SHA256", KEY, tag_length=20)]:
        assert key.digest_size == key.tag_length == key.stream().digest_size


def test_streams_with_nonce() -> None:
    mac = wegman.Umac64(KEY)
    stream = mac.stream()
    stream.update(b"a packet")
    for forbidden in (stream.copy, stream.digest, stream.hexdigest):
        with pytest.raises(TypeError, match="nonce"):
            forbidden()
    with pytest.raises(TypeError):
        stream.tag()
    stream.verify(mac.tag(b"a packet", 1), 1)
    assert stream.tag(1) == mac.tag(b"a packet", 1)
    for ended in (lambda: stream.update(b"more"), lambda: stream.tag(2), lambda: stream.verify(bytes(8), 1)):
        with pytest.raises(ValueError, match="ended"):
            ended()
    del mac
    stream = wegman.Umac64(KEY).stream()
    stream.update(b"its key is gone")
    assert stream.tag(1) == wegman.Umac64(KEY).tag(b"its key is gone", 1)


def test_names() -> None:
    assert [found.name for found in wegman.algorithms()][:2] == ["UMAC-32", "UMAC-64"]
    for algorithm in wegman.algorithms():
        with warnings.catch_warnings(action="ignore", category=wegman.ExperimentalWarning):
            mac = wegman.new(algorithm.name.lower(), wegman.generate_key(algorithm.name))
        assert (mac.name, mac.tag_length, mac.nonce_length) == (
            algorithm.name,
            algorithm.tag_length,
            algorithm.nonce_length,
        )
        assert algorithm.bound and algorithm.source
        nonce = 1 if mac.nonce_length else None
        mac.verify(b"a message", mac.tag(b"a message", nonce), nonce)
    for name, kind in [("UMAC-64", wegman.Umac64), ("UMAC-128", wegman.Umac128), ("PMAC-AES128", wegman.Pmac)]:
        assert kind(KEY).name == name
        assert isinstance(kind(KEY), wegman.Mac)
    for wrong in [
        lambda: wegman.new("UMAC-65", KEY),
        lambda: wegman.new("UMAC-64", KEY[1:]),
        lambda: wegman.new("UMAC-64", KEY, tag_length=9),
        lambda: wegman.new("UMAC-64", KEY, nonce_length=99),
        lambda: wegman.new("PMAC-AES128", KEY, nonce_length=8),
        lambda: wegman.Umac64(b""),
    ]:
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError):
        wegman.Umac64("sixteen byte key")
    for no_name in [lambda: wegman.generate_key(16), lambda: wegman.find(16), lambda: wegman.new(KEY, "UMAC-64")]:
        with pytest.raises(TypeError, match='name of an algorithm is needed, such as "UMAC-64", not (int|bytes)'):
            no_name()


def run(program: str, *options: str) -> str:
    """What a program says, on its own."""
    done = subprocess.run([sys.executable, "-P", *options, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_experiments_warn_once() -> None:
    said = run("import wegman\nfor _ in range(3): wegman.Carter128(bytes(16))\nwegman.new('Carter-64', bytes(16))", "-W", "always")
    assert said.count("ExperimentalWarning") == 1
    # A program that makes an error of it stays warned.
    said = run(
        "import wegman\nfor _ in range(3):\n try: wegman.Carter128(bytes(16))\n except wegman.ExperimentalWarning: print('no')",
        "-W",
        "error",
    )
    assert said.split() == ["no", "no", "no"]


def test_help() -> None:
    text = pydoc.render_doc(wegman, renderer=pydoc.plaintext)
    for word in [*wegman.__all__, "2**-60", "2**-127", "Raises", "verify_many", "InvalidTag"]:
        assert word in text, word
    for name in wegman.__all__:
        assert getattr(wegman, name).__doc__, name
        for method in dir(getattr(wegman, name)):
            value = getattr(getattr(wegman, name), method)
            assert method.startswith("_") or not callable(value) or value.__doc__, (name, method)


def test_links() -> None:
    secret, context = wegman.generate_key("PMAC-AES256"), b"weather 1"
    for name in ["UMAC-64", "umac-128", "PMAC-AES128", "PMAC-AES256"]:
        ours = wegman.Link(name, secret, context, initiator=True)
        theirs = wegman.Link(name, secret, context, initiator=False)
        for i in range(50):
            packet = ours.seal_packet(b"%d" % i)
            assert theirs.open_packet(packet) == b"%d" % i
            header, tag = theirs.seal(b"answer")
            ours.open(header, b"answer", tag)
        with pytest.raises(wegman.Rejected) as caught:
            theirs.open_packet(packet)
        assert caught.value.reason == "replayed"
        packet = bytearray(ours.seal_packet(b"21 C"))
        packet[14] ^= 1
        with pytest.raises(wegman.Rejected) as caught:
            theirs.open_packet(packet)
        assert caught.value.reason == "forged"
        with pytest.raises(wegman.Rejected) as caught:
            theirs.open_packet(b"short")
        assert caught.value.reason == "too short"
        ours.rekey()
        assert theirs.open_packet(ours.seal_packet(b"again")) == b"again"
        assert theirs.counts() == {
            "accepted": 51, "replayed": 1, "too old": 0, "outside": 0, "forged": 1, "closed": 0, "not reserved": 0,
        }  # fmt: skip
    for wrong in [
        lambda: wegman.Link("HMAC-MD5", secret, initiator=True),
        lambda: wegman.Link("UMAC-64", secret[1:], initiator=True),
        lambda: wegman.Link("UMAC-64", secret, initiator=True, budget=121),
        lambda: wegman.Link("UMAC-64", secret, initiator=True, epoch_limit=0),
        lambda: ours.open(b"", b"", b""),
        lambda: wegman.Link.restore("UMAC-64", b"", b""),
    ]:
        with pytest.raises(ValueError):
            wrong()


def test_links_take_parts() -> None:
    """Parts are the message that they make together, and their lengths; from 128 KiB on, too, where others may run meanwhile."""

    def both() -> list[wegman.Link]:
        return [wegman.Link("UMAC-64", bytes(range(32)), b"parts", initiator=initiator) for initiator in (True, False)]

    for parts in ([], [b""], [b"", b"ab", b"c"], [bytearray(3000), memoryview(bytes(300_000)), array.array("H", [1, 2])]):
        whole = b"".join(parts) + b"".join(len(bytes(part)).to_bytes(8, "big") for part in parts)
        (ours, theirs), (other, _) = both(), both()
        header, tag = ours.seal_parts(parts)
        assert (header, tag) == other.seal(whole + len(parts).to_bytes(8, "big"))
        for moved in [[*parts, b""], [b"", *parts], [b"".join(parts), b"", b"", b"", b""], parts[1:], [b"d", *parts[1:]]]:
            if [bytes(part) for part in moved] != [bytes(part) for part in parts]:
                with pytest.raises(wegman.Rejected, match="authentic|forged|tag"):
                    theirs.open_parts(header, moved, tag)
        theirs.open_parts(header, tuple(parts), tag)
        with pytest.raises(wegman.Rejected) as caught:
            theirs.open_parts(header, parts, tag)
        assert caught.value.reason == "replayed"
        # A whole message may end like the lengths of parts: a link has one form.
        for refuse in [
            lambda: theirs.open(header, whole, tag),
            lambda: theirs.open_packet(header + whole + tag),
            lambda: ours.seal(whole),
            lambda: ours.seal_packet(whole),
            lambda: other.seal_parts(parts),
            lambda: other.open_parts(header, parts, tag),
        ]:
            with pytest.raises(ValueError, match="either whole messages or parts"):
                refuse()
    with pytest.raises(TypeError, match="list"):
        ours.seal_parts(b"one message")
    with pytest.raises(TypeError):
        ours.seal_parts([b"", "text"])


def test_links_let_other_threads_run() -> None:
    """While a long message is sealed, another thread gets the interpreter: this one finds the link in use then."""
    link, long = wegman.Link("UMAC-64", bytes(32), initiator=True), bytes(256 << 20)
    over, refused = threading.Event(), []

    def use() -> None:
        while not over.is_set():
            try:
                link.counts()
            except RuntimeError as error:
                refused.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    until = time.monotonic() + 60
    while not refused and time.monotonic() < until:
        link.seal_parts([long])
    over.set()
    thread.join()
    assert refused


def test_links_are_stored() -> None:
    secret = bytes(range(32))
    stored: dict[str, bytes] = {}
    ours = wegman.Link("UMAC-64", secret, initiator=True)
    theirs = wegman.Link("UMAC-64", secret, initiator=False)
    ours.reserve_sealing(10, 1000, lambda saved: stored.update(sealing=saved))
    ours.reserve_opening(10, 10, 1000, lambda saved: stored.update(opening=saved))
    first = ours.seal_packet(b"one")
    del ours
    ours = wegman.Link.restore("UMAC-64", stored["sealing"], stored["opening"])
    with pytest.raises(wegman.SealError) as caught:
        ours.seal_packet(b"two")
    assert caught.value.reason == "not reserved"
    ours.reserve_sealing(10, 1000, lambda saved: None)
    assert theirs.open_packet(first) == b"one"
    assert theirs.open_packet(ours.seal_packet(b"two")) == b"two"

    # What both ends agreed on is not stored: it is passed again.
    ours = wegman.Link.restore("UMAC-64", stored["sealing"], stored["opening"], longest=3)
    with pytest.raises(wegman.SealError, match="raise the longest message") as caught:
        ours.seal_packet(b"four")
    assert caught.value.reason == "too long"

    class Full(Exception):
        pass

    def fails(saved: bytes) -> None:
        raise Full

    def uses_it(saved: bytes) -> None:
        ours.seal_packet(b"within")

    with pytest.raises(Full):
        ours.reserve_sealing(1, 1, fails)
    with pytest.raises(RuntimeError, match="borrowed"):
        ours.reserve_sealing(1, 1, uses_it)


def test_senders_and_receivers() -> None:
    for name in ["UMAC-64", "UMAC-128", "PMAC-AES128", "PMAC-AES256"]:
        key = wegman.generate_key(name)
        sender, receiver = wegman.Sender(name, key, first=7), wegman.Receiver(name, key, first=7)
        number, tag = sender.seal(b"a packet")
        assert number == 7 and sender.next_number == 8
        receiver.open(number, b"a packet", tag)
        with pytest.raises(wegman.Rejected) as caught:
            receiver.open(number, b"a packet", tag)
        assert caught.value.reason == "replayed"
        first, tags = sender.seal_many([b"a", b"b", b"c"])
        for i, message in enumerate([b"a", b"b", b"c"]):
            receiver.open(first + i, message, tags[i])
        with pytest.raises(wegman.Rejected) as caught:
            receiver.open(99, b"a", bytes(len(tag)))
        assert caught.value.reason == "forged"
        with pytest.raises(wegman.Rejected):
            receiver.open(99, b"a", b"")
        assert receiver.highest == 10 and not receiver.is_closed and receiver.counts()["accepted"] == 4
    umac = wegman.Umac64(KEY)
    assert wegman.Sender("UMAC-64", KEY).seal(b"x")[1] == umac.tag(b"x", 1)
    # Closed before the budget is exceeded.
    receiver = wegman.Receiver("UMAC-64", KEY, budget=58)
    reasons = []
    for i in range(6):
        with pytest.raises(wegman.Rejected) as caught:
            receiver.open(i + 1, b"x", bytes(8))
        reasons.append(caught.value.reason)
    assert reasons[0] == "forged" and reasons[-1] == "closed" and receiver.is_closed


def test_senders_are_stored() -> None:
    saved: list[bytes] = []
    sender = wegman.Sender("UMAC-64", KEY)
    sender.reserve(10, 1000, saved.append)
    assert sender.seal(b"x")[0] == 1
    sender = wegman.Sender.restore("UMAC-64", KEY, saved[-1])
    with pytest.raises(wegman.SealError):
        sender.seal(b"x")
    sender.reserve(1, 100, saved.append)
    assert sender.seal(b"x")[0] == 11
    receiver = wegman.Receiver("UMAC-64", KEY)
    receiver.reserve(10, 10, 1000, saved.append)
    receiver = wegman.Receiver.restore("UMAC-64", KEY, saved[-1])
    with pytest.raises(ValueError, match="not stored"):
        wegman.Sender.restore("UMAC-64", bytes(16), saved[0])
    with pytest.raises(ValueError, match="not stored"):
        wegman.Receiver.restore("UMAC-64", KEY, saved[0])


def test_parts_and_edits() -> None:
    mac = wegman.Pmac(KEY)
    data = bytearray(range(256)) * 40
    cuts = [0, 16, 4096, 5008, len(data)]
    parts = [pmac.Segment(mac, data[a:b], offset=a) for a, b in zip(cuts, cuts[1:])]
    assert [part.offset for part in parts] == cuts[:-1]
    kept = [pmac.Segment.from_bytes(mac, part.to_bytes()) for part in reversed(parts)]
    whole = pmac.combine(kept)
    assert whole.tag() == mac.tag(data) and len(whole) == len(data)
    for wrong in [
        lambda: pmac.combine([]),
        lambda: pmac.combine(parts[:1] + parts[2:]),
        lambda: pmac.combine([parts[0], parts[0]]),
        lambda: parts[1].tag(),
        lambda: pmac.Segment(mac, b"", offset=8),
        lambda: pmac.Segment.from_bytes(mac, b""),
        lambda: pmac.combine([parts[0], pmac.Segment(wegman.Pmac(bytes(16)), data[16:], offset=16)]),
        lambda: pmac.Sum(mac, bytes(8), 10),
        lambda: pmac.Sum(mac, bytes(16), 1 << 61),
    ]:
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(TypeError, match="PMAC"):
        pmac.Segment(wegman.Umac64(KEY), b"")
    total = pmac.Sum(mac, mac.tag(data), len(data))
    start, end = total.replace_window(1000, 5)
    total.replace(1000, b"hello", data[start:end])
    data[1000:1005] = b"hello"
    assert total.tag() == mac.tag(data)
    start, end = total.append_window()
    total.append(b" and more", data[start:end])
    data += b" and more"
    assert total.tag() == mac.tag(data) and total.length == len(data)
    start, end = total.truncate_window(77)
    total.truncate(77, data[start:end])
    assert total.tag() == mac.tag(data[:77]) == pmac.Segment(mac, data[:77]).sum().tag()
    with pytest.raises(ValueError):
        total.replace(76, b"beyond", b"")


def test_threads_share_a_key_and_a_stream() -> None:
    mac, data = wegman.Umac64(KEY), bytes(1 << 20)
    right = mac.tag(data, 1)
    stream, zeros = wegman.Pmac(KEY).stream(), bytes(100_000)
    wrong: list[int] = []

    def work(thread: int) -> None:
        for _ in range(50):
            if mac.tag(data, 1) != right:
                wrong.append(thread)
            stream.update(zeros)

    threads = [threading.Thread(target=work, args=[i]) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert stream.tag() == wegman.Pmac(KEY).tag(bytes(8 * 50 * 100_000))


def test_the_wheel_names_no_folder_of_the_machine_that_built_it() -> None:
    cargo = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
    compiled = [file for file in importlib.metadata.files("wegman") or [] if file.suffix == ".so" or file.name == "wegman"]
    assert len(compiled) == 2
    for file in compiled:
        data = Path(str(file.locate())).read_bytes()
        for folder in (cargo, str(Path(__file__).parents[2])):
            assert folder.encode() not in data, f"{file}: {folder}"


def test_threads_share_a_sender() -> None:
    sender, numbers = wegman.SharedSender("UMAC-64", KEY), list[int]()

    def work() -> None:
        numbers.extend(sender.seal(b"a packet")[0] for _ in range(2000))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 8001))


def test_other_threads_run_meanwhile() -> None:
    """With the interpreter's lock held, no other thread could start and end during one call."""
    mac, data = wegman.Umac64(KEY), numpy.zeros(1 << 28, dtype=numpy.uint8)
    begun, seen = threading.Event(), list[int]()

    def other() -> None:
        begun.wait()
        seen.append(1)

    interval = sys.getswitchinterval()
    # Python does not take the lock from a thread by itself in this test.
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=other)
        thread.start()
        begun.set()
        before = len(seen)
        for _ in range(100):
            mac.tag(data, 1)
            if seen:
                break
        assert before == 0 or seen
        assert seen
    finally:
        sys.setswitchinterval(interval)
        thread.join()


def in_child(kind: str, ours: Any, pipe: Any) -> None:
    try:
        if kind == "open":
            ours.open(1, b"", bytes(8))
        elif kind == "reserve":
            ours.reserve(1, 1, lambda stored: pipe.send("stored"))
        else:
            ours.seal(b"in the child")
        pipe.send("used")
    except RuntimeError as error:
        pipe.send(str(error))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("kind", "ours"),
    [
        ("seal", wegman.Sender("UMAC-64", KEY)),
        ("seal", wegman.SharedSender("UMAC-64", KEY)),
        ("seal", wegman.Link("UMAC-64", bytes(32), initiator=True)),
        ("open", wegman.Receiver("UMAC-64", KEY)),
        ("reserve", wegman.Sender("UMAC-64", KEY)),
    ],
)
def test_counters_stay_with_their_process(kind: str, ours: Any) -> None:
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe()
    child = fork.Process(target=in_child, args=(kind, ours, there))
    child.start()
    assert "forked" in here.recv()
    child.join()
    # Keys work on both sides.
    pid = os.fork()
    if pid == 0:
        os._exit(0 if wegman.Umac64(KEY).tag(bytes(100_000), 1) else 1)
    assert os.waitpid(pid, 0)[1] == 0
    if kind == "seal":
        ours.seal(b"in the parent")


def test_subinterpreters_are_refused() -> None:
    program = """
try:
    import _interpreters as interpreters
    other = interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    other = interpreters.create(isolated=False)
import wegman
code = '''
try:
    import wegman
    print("loaded")
except ImportError as error:
    print(error)
'''
interpreters.run_string(other, code)
"""
    assert "subinterpreters" in run(program)


def test_the_wheel_has_its_types_and_its_version() -> None:
    assert (Path(wegman.__file__).parent / "py.typed").exists()
    assert wegman.__version__ == version("wegman")
