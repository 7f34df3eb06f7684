"""Sealed connections: a man in the middle, who can do everything but forge."""

import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable
from multiprocessing.connection import Client, Connection, Listener, Pipe, wait
from typing import Any

import pytest
import wegman
from wegman.connection import Sealed

SECRET = bytes(range(32))
RUN: list[str] = []


class Program:
    """A pickle that does something when it is loaded."""

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return RUN.append, ("run",)


def sealed(one: Connection, other: Connection, **named: Any) -> tuple[Sealed, Sealed]:
    """Both ends. Each waits for the other to be made."""
    made: list[Sealed] = []
    thread = threading.Thread(target=lambda: made.append(Sealed(other, SECRET, initiator=False, **named)))
    thread.start()
    ours = Sealed(one, SECRET, initiator=True, **named)
    thread.join()
    return ours, made[0]


def middle(**named: Any) -> tuple[Sealed, Sealed, Connection, Connection]:
    """Two ends, and what is between them: what arrives from the first, and what goes to the second."""
    (one, near), (far, other) = Pipe(), Pipe()

    def exchange() -> None:
        far.send_bytes(near.recv_bytes())
        near.send_bytes(far.recv_bytes())

    thread = threading.Thread(target=exchange)
    thread.start()
    ours, theirs = sealed(one, other, **named)
    thread.join()
    return ours, theirs, near, far


def refused(end: Sealed) -> str:
    """Why the next message is refused. The connection is closed then, and nothing was unpickled."""
    del RUN[:]
    with pytest.raises(wegman.Rejected) as caught:
        end.recv()
    assert end.connection.closed and not RUN
    with pytest.raises(OSError, match="closed"):
        end.recv()
    return caught.value.reason


def test_objects_go_both_ways() -> None:
    ours, theirs = sealed(*Pipe())
    for value in (None, {"job": 7}, b"", bytes(65_536), bytes(90_000), [0] * 90_000):
        ours.send(value)
        assert theirs.recv() == value
        theirs.send([value])
        assert ours.recv() == [value]
    big = os.urandom(11 << 20)
    thread = threading.Thread(target=ours.send, args=[big])
    thread.start()
    assert theirs.recv() == big
    thread.join()
    ours.send("last")
    assert wait([theirs.connection], 10) == [theirs.connection]
    ours.close()
    ours.close()
    assert theirs.recv() == "last"
    with pytest.raises(EOFError, match="the other end has closed"):
        theirs.recv()
    with pytest.raises(OSError, match="closed"):
        ours.send("more")
    theirs.close()


def test_client_and_listener() -> None:
    with Listener(("127.0.0.1", 0), authkey=b"k") as listener:
        ends: list[Connection] = []
        thread = threading.Thread(target=lambda: ends.append(listener.accept()))
        thread.start()
        client = Client(listener.address, authkey=b"k")
        thread.join()
    ours, theirs = sealed(client, ends[0])
    ours.send({"job": 7})
    assert theirs.recv() == {"job": 7}
    ours.close()
    theirs.close()


def test_two_threads_use_one_end() -> None:
    """One sends while the other receives, messages that are hashed without the interpreter's lock among them."""
    ours, theirs = sealed(*Pipe())
    big = bytes(1 << 20)

    def send(end: Sealed) -> None:
        for _ in range(50):
            end.send(big)

    threads = [threading.Thread(target=send, args=[end]) for end in (ours, theirs)]
    got: dict[int, int] = {}

    def receive(place: int, end: Sealed) -> None:
        got[place] = sum(end.recv() == big for _ in range(50))

    threads += [threading.Thread(target=receive, args=[i, end]) for i, end in enumerate((ours, theirs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {0: 50, 1: 50}


@pytest.mark.parametrize("size", [10, 90_000], ids=["short", "long"])
def test_a_changed_message_is_refused(size: int) -> None:
    for message, at in [(0, 0), (0, 1), (0, 12), (0, 13), (0, 28), (-1, -1), (-1, -5)]:
        ours, theirs, near, far = middle()
        ours.send([Program(), bytes(size)])
        sent = [bytearray(near.recv_bytes()) for _ in range(1 if size < 65_536 else 2)]
        sent[message][at] ^= 1
        for part in sent:
            far.send_bytes(part)
        far.close()
        assert refused(theirs) in {"forged", "outside", "cut off"}


def test_what_a_man_in_the_middle_can_do() -> None:
    program = pickle.dumps(Program())

    def replay(sent: list[bytes]) -> list[bytes]:
        return [sent[0], sent[0]]

    def skip(sent: list[bytes]) -> list[bytes]:
        return sent[1:]

    def swap(sent: list[bytes]) -> list[bytes]:
        return [sent[1], sent[0]]

    def join(sent: list[bytes]) -> list[bytes]:
        return [sent[0] + sent[1]]

    def cut(sent: list[bytes]) -> list[bytes]:
        return [sent[0][:-1]]

    def longer(sent: list[bytes]) -> list[bytes]:
        return [sent[0] + b"\0"]

    def relabel(sent: list[bytes]) -> list[bytes]:
        return [b"e" + sent[0][1:]]

    def split(sent: list[bytes]) -> list[bytes]:
        return [b"O" + sent[0][1:29], sent[0][29:]]

    def both(sent: list[bytes]) -> list[bytes]:
        return [b"O" + sent[0][1:], sent[0][29:]]

    def another(sent: list[bytes]) -> list[bytes]:
        return [sent[0][:29] + program]

    def raw(sent: list[bytes]) -> list[bytes]:
        return [program]

    def nothing(sent: list[bytes]) -> list[bytes]:
        return [b""]

    expected: dict[Callable[[list[bytes]], list[bytes]], str] = {
        replay: "replayed", skip: "forged", swap: "forged", join: "forged", cut: "forged", longer: "forged", relabel: "forged",
        split: "forged", both: "too short", another: "forged", raw: "forged", nothing: "too short",
    }  # fmt: skip
    for attack, reason in expected.items():
        ours, theirs, near, far = middle()
        for i in range(3):
            ours.send(i)
        for packet in attack([near.recv_bytes() for _ in range(3)]):
            far.send_bytes(packet)
        far.close()
        if attack is replay:
            assert theirs.recv() == 0
        got = refused(theirs)
        assert got == reason or (attack is raw and got in {"forged", "outside", "too short"}), attack.__name__


def test_what_was_sent_comes_back_to_its_sender() -> None:
    ours, _, near, _ = middle()
    ours.send(1)
    near.send_bytes(near.recv_bytes())
    assert refused(ours) == "forged"


def test_a_recorded_connection_is_refused() -> None:
    """Both ends bring fresh bytes: what was said to the first server says nothing to the second."""
    (one, near), (far, other) = Pipe(), Pipe()
    recorded: list[bytes] = []

    def exchange() -> None:
        recorded.append(near.recv_bytes())
        far.send_bytes(recorded[0])
        near.send_bytes(far.recv_bytes())

    thread = threading.Thread(target=exchange)
    thread.start()
    ours, theirs = sealed(one, other)
    thread.join()
    ours.send("pay")
    recorded.append(near.recv_bytes())
    attacker, victim = Pipe()
    attacker.send_bytes(recorded[0])
    again = Sealed(victim, SECRET, initiator=False)
    attacker.send_bytes(recorded[1])
    assert refused(again) == "forged"
    theirs.close()


def test_an_end_that_nobody_sealed_is_told_from_one_that_was_sealed() -> None:
    ours, theirs, near, far = middle()
    ours.send(1)
    far.send_bytes(near.recv_bytes())
    assert theirs.recv() == 1
    far.close()
    assert refused(theirs) == "cut off"
    # In the middle of a long message.
    ours, theirs, near, far = middle()
    ours.send(bytes(70_000))
    far.send_bytes(near.recv_bytes())
    far.close()
    assert refused(theirs) == "cut off"
    # The end that was sealed after the second message does not end the connection after the first.
    ours, theirs, near, far = middle()
    for i in range(2):
        ours.send(i)
    ours.close()
    packets = [near.recv_bytes() for _ in range(3)]
    far.send_bytes(packets[0])
    far.send_bytes(packets[2])
    assert theirs.recv() == 0
    assert refused(theirs) == "forged"


def test_lengths_have_a_limit() -> None:
    ours, theirs, near, far = middle(maxlength=100_000)
    with pytest.raises(ValueError, match="nothing was sent"):
        ours.send(bytes(100_000))
    ours.send(bytes(90_000))
    far.send_bytes(near.recv_bytes())
    # What follows says that it has 2**62 bytes.
    os.write(far.fileno(), b"\xff\xff\xff\xff" + (1 << 62).to_bytes(8, "big"))
    assert refused(theirs) == "too long"
    ours, theirs, near, far = middle()
    os.write(far.fileno(), (70_000).to_bytes(4, "big"))
    assert refused(theirs) == "too long"
    ours, theirs, near, far = middle()
    os.write(far.fileno(), b"\xff\xff\xff\xfe")
    assert refused(theirs) == "too short"
    # A short one, too, of an end that may send more.
    ours, theirs, near, far = middle()
    theirs._maxlength = 100
    ours.send(bytes(100))
    far.send_bytes(near.recv_bytes())
    assert refused(theirs) == "too long"


@pytest.mark.parametrize("hello", [b"", b"15 bytes, no more"[:15]])
def test_the_other_end_must_be_sealed(hello: bytes) -> None:
    one, other = Pipe()
    other.send_bytes(hello)
    with pytest.raises(wegman.Rejected, match="does not seal"):
        Sealed(one, SECRET, initiator=True)
    one, other = Pipe()
    other.send({"much": "longer than that"})
    with pytest.raises(wegman.Rejected, match="longer than maxlength, or the other end does not seal"):
        Sealed(one, SECRET, initiator=True)
    one, other = Pipe()
    other.close()
    with pytest.raises((EOFError, OSError)):
        Sealed(one, SECRET, initiator=True)


def test_other_secrets_and_roles_are_refused() -> None:
    one, other = Pipe()
    with pytest.raises(ValueError, match="32 bytes"):
        other.send_bytes(bytes(16))
        Sealed(one, b"short", initiator=True)
    for secret, initiator in ((bytes(32), False), (SECRET, True)):
        one, other = Pipe()
        made: list[Sealed] = []
        thread = threading.Thread(
            target=lambda end=other, s=secret, i=initiator: made.append(Sealed(end, s, initiator=i))  # type: ignore[misc]
        )
        thread.start()
        ours = Sealed(one, SECRET, initiator=True)
        thread.join()
        made[0].send(Program())
        assert refused(ours) == "forged"


def serve(pipe: Connection, secret: bytes) -> None:
    end = Sealed(pipe, secret, initiator=False)
    end.send(sum(end.recv()))
    end.close()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_a_process_gets_its_secret_as_an_argument(way: str) -> None:
    start: Any = multiprocessing.get_context(way)
    here, there = start.Pipe()
    child = start.Process(target=serve, args=(there, SECRET))
    child.start()
    there.close()
    ours = Sealed(here, SECRET, initiator=True)
    ours.send([2, 3])
    assert ours.recv() == 5
    with pytest.raises(EOFError, match="the other end has closed"):
        ours.recv()
    child.join()


def test_a_fork_does_not_speak_for_its_parent() -> None:
    ours, theirs = sealed(*Pipe())
    pid = os.fork()
    if pid == 0:
        try:
            ours.send("child")
        except RuntimeError:
            ours.close()
            os._exit(0)
        os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0
    ours.send("parent")
    assert theirs.recv() == "parent"
