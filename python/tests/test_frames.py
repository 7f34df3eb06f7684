"""Sealed frames: what is refused, the layout, and the patterns of ZMQ over the real libzmq."""

import copy
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import numpy
import pytest
import wegman
import zmq
from wegman.frames import Opener, Sealer

ROOT = Path(__file__).parents[2]
SECRET = bytes(range(32))


def refused(opener: Opener, frames: list[bytes]) -> str:
    with pytest.raises(wegman.Rejected) as caught:
        opener.open(frames)
    return caught.value.reason


def test_what_is_sealed_opens_once() -> None:
    sealer, opener = Sealer(SECRET, b"jobs"), Opener(SECRET, b"jobs")
    for frames in ([], [b""], [b"job", bytes(100_000)], [bytearray(b"a"), memoryview(b"b")], [bytes(1 << 20), b""]):
        message = sealer.seal(frames)
        assert len(message[0]) == 48 and message[1:] == frames
        assert all(sent is given for sent, given in zip(message[1:], frames, strict=True))
        opened = opener.open(message)
        assert all(got is sent for got, sent in zip(opened, message[1:], strict=True))
        assert refused(opener, message) == "replayed"
    # Late is not lost, and lost is not noticed.
    messages = [sealer.seal([b"%d" % i]) for i in range(1200)]
    assert opener.open(messages[1199]) == [b"1199"]
    assert opener.open(messages[1198]) == [b"1198"]
    assert refused(opener, messages[0]) == "too old"


def test_what_is_not_as_it_was_sealed_is_refused() -> None:
    sealer, opener = Sealer(SECRET, b"jobs"), Opener(SECRET, b"jobs")
    front, *frames = sealer.seal([b"ab", b"c", b""])
    other, *_ = sealer.seal([b"ab", b"c", b""])
    assert opener.open(sealer.seal([b"known"])) == [b"known"]
    for moved in [
        [b"a", b"bc", b""], [b"abc", b"", b""], [b"abc"], [b"ab", b"c"], [b"ab", b"c", b"", b""], [b"c", b"ab", b""], [],
        [b"", b"ab", b"c"], [b"ab" + b"c" + bytes(32)],
    ]:  # fmt: skip
        assert refused(opener, [front, *moved]) == "forged", moved
    # The front frame of another message, of another session, and a changed one.
    assert refused(opener, [front[:32] + other[32:], *frames]) == "forged"
    for at in range(4, 48):
        changed = bytearray(front)
        changed[at] ^= 0x40
        assert refused(opener, [changed, *frames]) in {"forged", "outside"}, at
    for junk in [[], [b""], [front[:47]], [front + b"x", *frames], [b"wgf2" + front[4:], *frames], [b"x" * 48], [pickle.dumps(1)]]:
        assert refused(opener, junk) == "version"
    with pytest.raises(TypeError):
        opener.open(["text"])
    # After all that, the message itself still opens.
    assert opener.open([front, *frames]) == frames


def test_what_is_no_list_is_not_sealed() -> None:
    """A generator's frames would be sealed, and none of them sent."""
    for wrong in ((frame for frame in [b"a", b"b"]), b"ab", numpy.arange(4, dtype=numpy.uint8)):
        with pytest.raises(TypeError):
            Sealer(SECRET, b"jobs").seal(wrong)  # type: ignore[arg-type]


def test_an_opener_has_no_copies() -> None:
    """Each would accept every message once."""
    for one in (Opener(SECRET, b""), Sealer(SECRET, b"")):
        for copied in (copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="pickle"):
                copied(one)


def test_contexts_and_secrets_do_not_mix() -> None:
    message = Sealer(SECRET, b"requests").seal([b"x"])
    assert refused(Opener(SECRET, b"replies"), message) == "forged"
    assert refused(Opener(SECRET, b""), message) == "forged"
    assert refused(Opener(bytes(32), b"requests"), message) == "forged"
    for wrong in (Sealer, Opener):
        with pytest.raises(ValueError, match="32 bytes"):
            wrong(b"short", b"")


def test_a_challenge_refuses_replays_over_a_restart() -> None:
    """And without one they are accepted, as the module's first paragraph says."""
    challenge = os.urandom(16)
    message = Sealer(SECRET, b"jobs" + challenge).seal([b"x"])
    assert Opener(SECRET, b"jobs" + challenge).open(message) == [b"x"]
    assert refused(Opener(SECRET, b"jobs" + os.urandom(16)), message) == "forged"
    lasting = Sealer(SECRET, b"jobs").seal([b"x"])
    for _ in "two starts of the receiver":
        assert Opener(SECRET, b"jobs").open(lasting) == [b"x"]


def test_sessions_are_capped_and_junk_takes_no_place() -> None:
    opener = Opener(SECRET, b"", sessions=2)
    for _ in range(100):
        assert refused(opener, [b"wgf1" + os.urandom(44), b"x"]) in {"forged", "outside"}
    first, second, third = (Sealer(SECRET, b"") for _ in range(3))
    assert opener.open(first.seal([])) == opener.open(second.seal([])) == []
    assert refused(opener, third.seal([])) == "sessions"
    assert opener.open(first.seal([b"still"])) == [b"still"]


def in_child(sealer: Sealer, opener: Opener, pipe: Connection) -> None:
    pipe.send(sealer.seal([b"child"]))
    try:
        opener.open(sealer.seal([b"child"]))
    except RuntimeError as error:
        pipe.send(str(error))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_makes_its_own_session() -> None:
    sealer, opener = Sealer(SECRET, b""), Opener(SECRET, b"")
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe()
    child = fork.Process(target=in_child, args=(sealer, opener, there))
    child.start()
    message = here.recv()
    assert "forked" in here.recv()
    child.join()
    assert message[0][4:20] != sealer.seal([])[0][4:20]
    assert opener.open(message) == [b"child"]
    assert opener.open(sealer.seal([b"parent"])) == [b"parent"]


def test_the_known_answers_of_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = re.findall(r"^\| `(.*?)` \| `([0-9a-f]{64})`<br>`([0-9a-f]{32})` \|$", (ROOT / "docs/uses.md").read_text(), re.MULTILINE)
    assert len(rows) == 3
    monkeypatch.setattr("secrets.token_bytes", lambda length: bytes(range(length)))
    sealer, opener = Sealer(SECRET, b"jobs"), Opener(SECRET, b"jobs")
    for number, (frames, *front) in enumerate(rows):
        given = eval(frames, {})
        message = sealer.seal(given)
        assert message[0].hex() == "".join(front)
        assert opener.open([bytes.fromhex("".join(front)), *given]) == given
        # From the layout alone: version, session, epoch and number; the tag is a link's over frames, lengths and their number.
        assert message[0][:32] == b"wgf1" + bytes(range(16)) + bytes(4) + number.to_bytes(8, "big")
        link = wegman.Link("UMAC-128", SECRET, b"wegman frames 1" + bytes(range(16)) + b"jobs", initiator=False)
        lengths = [len(frame) for frame in given]
        whole = b"".join(given) + b"".join(length.to_bytes(8, "big") for length in [*lengths, len(given)])
        link.open(message[0][20:32], whole, message[0][32:])


OPENED: list[zmq.Socket[bytes]] = []


@pytest.fixture
def context() -> Iterator[zmq.Context[zmq.Socket[bytes]]]:
    # The same for all tests and never ended: the end of one has hung in a process that other tests had forked.
    yield zmq.Context.instance()
    while OPENED:
        OPENED.pop().close(linger=0)


def pair(context: zmq.Context[zmq.Socket[bytes]], one: int, other: int, curve: bool) -> tuple[zmq.Socket[bytes], zmq.Socket[bytes]]:
    server, client = context.socket(one), context.socket(other)
    OPENED.extend((server, client))
    if curve:
        public, private = zmq.curve_keypair()
        server.curve_server, server.curve_secretkey = True, private
        client.curve_serverkey = public
        client.curve_publickey, client.curve_secretkey = zmq.curve_keypair()
    for socket in (server, client):
        socket.rcvtimeo = socket.sndtimeo = 20_000
    client.connect(f"tcp://127.0.0.1:{server.bind_to_random_port('tcp://127.0.0.1')}")
    return server, client


@pytest.mark.parametrize("curve", [False, True], ids=["plain", "curve"])
@pytest.mark.parametrize("pattern", ["PUSH/PULL", "REQ/REP", "DEALER/ROUTER", "PUB/SUB"])
def test_zmq(context: zmq.Context[zmq.Socket[bytes]], pattern: str, curve: bool) -> None:
    sends, receives = (getattr(zmq, name) for name in pattern.split("/"))
    receiver, sender = pair(context, receives, sends, curve)
    sealer, opener = Sealer(SECRET, b"there"), Opener(SECRET, b"there")
    back, backs = Sealer(SECRET, b"back"), Opener(SECRET, b"back")
    big = os.urandom(1 << 20)

    def of_peer(message: list[bytes]) -> tuple[list[bytes], list[bytes]]:
        """What the router says of the sender, and the rest."""
        at = int(pattern == "DEALER/ROUTER")
        return message[:at], message[at:]

    if pattern == "PUB/SUB":
        receiver.subscribe(b"")
        # A publisher drops what nobody has subscribed to yet.
        while not receiver.poll(50):
            sender.send_multipart(sealer.seal([b"too early"]))
        sender.send_multipart(sealer.seal([b"now"]))
        while opener.open(receiver.recv_multipart()) != [b"now"]:
            pass
    for copy in (True, False):
        for junk in ([b"junk"], sealer.seal([b"x"])[:1], [*sealer.seal([b"x"]), b""], [pickle.dumps(1)] * 2):
            sender.send_multipart(junk)
            peer, message = of_peer(receiver.recv_multipart())
            assert refused(opener, message) in {"version", "forged"}
            if pattern == "REQ/REP":
                receiver.send(b"refused")
                sender.recv()
        for frames in ([b"job", b"7"], [b"weights", big, b""]):
            sender.send_multipart(sealer.seal(frames), copy=copy)
            peer, message = of_peer(receiver.recv_multipart(copy=copy))
            assert [bytes(frame) for frame in opener.open(message)] == frames
            if pattern in {"REQ/REP", "DEALER/ROUTER"}:
                receiver.send_multipart([*peer, *back.seal([b"done"])])
                answer = sender.recv_multipart()
                assert backs.open(answer) == [b"done"]
                assert refused(backs, answer) == "replayed"
                assert refused(opener, answer) == "forged"


def test_the_example() -> None:
    program = ROOT / "python/examples/zmq_frames.py"
    said = subprocess.check_output([sys.executable, "-P", program], text=True, timeout=60)
    assert said.splitlines() == [
        "one: 2 + 3 = 5",
        "two: 4 + 5 = 9",
        "server: refused: version",
        "server: refused: replayed",
        "one: 6 + 7 = 13",
        "server: refused: forged",  # recorded before the server's restart
        "server: refused: forged",  # the client doesn't know of the restart yet
        "one: 8 + 9 = 17",
    ]
