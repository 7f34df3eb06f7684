"""What it costs to load verified weights and to send authentic messages: `scripts/python uses [GIGABYTES]`.
With 0, only the messages.

Processor time of all that takes part, this process and its threads, the shortest of rounds in which all subjects take turns. The
file is warm. docs/uses.md has the tables.
"""

import hashlib
import hmac
import json
import os
import pickle
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from pathlib import Path

import blake3
import numpy
import safetensors.numpy
import zmq
from wegman import files
from wegman.connection import Sealed
from wegman.frames import Opener, Sealer

SECRET = bytes(range(32))
SIZES = {"64 B": 64, "16 KiB": 16 << 10, "11 MiB": 11 << 20}
Calls = dict[str, Callable[[], None]]


def shortest(calls: Calls, rounds: int, prepare: Callable[[Callable[[], None]], float]) -> dict[str, float]:
    """Seconds of each."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            best[name] = min(best[name], prepare(call))
    return best


def here(call: Callable[[], None]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def in_a_fork(call: Callable[[], None], size: int) -> float:
    """What is loaded is freed after it was measured.

    Free memory of a virtual machine may be its host's, and the first touch costs more than the load: so it is touched before, enough
    for two copies of a file of `size` bytes.
    """
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            numpy.empty(2 * size + (1 << 28), "uint8")[::4096] = 1
            os.write(write, b"%f" % here(call))
        finally:
            os._exit(0)
    os.wait()
    said = os.read(read, 100)
    os.close(read)
    os.close(write)
    return float(said)


def tensors(data: memoryview) -> dict[str, numpy.ndarray]:
    """The tensors of a safetensors file where they lie."""
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(bytes(data[8:start]))
    header.pop("__metadata__", None)
    return {
        name: numpy.frombuffer(data[start + about["data_offsets"][0] : start + about["data_offsets"][1]], "float32").reshape(about["shape"])
        for name, about in header.items()
    }


def weights(gigabytes: float) -> None:
    """The table of loads."""
    with tempfile.TemporaryDirectory() as place:
        name, shape = "model.safetensors", (1024, int(gigabytes * 1e9 / 80 / 4096))
        one = numpy.random.default_rng(1).random(shape, "float32")
        safetensors.numpy.save_file({f"layer {i}": one for i in range(80)}, Path(place) / name)
        del one
        files.keygen("key", cwd=place)
        files.tag_tree(name, "manifest", "key", cwd=place)
        path, size = Path(place) / name, (Path(place) / name).stat().st_size
        kept: list[object] = []

        def load(of: Path | str = path) -> None:
            kept.append(safetensors.numpy.load_file(of))

        def sealed_buffer() -> None:
            view = files.Sealed("manifest", "key", cwd=place).read(name, into=numpy.empty(size, "uint8"))
            kept.append(tensors(view))

        def sealed_path() -> None:
            with files.Sealed("manifest", "key", cwd=place).path(name) as copy:
                load(copy)

        def sealed_bytes() -> None:
            kept.append(safetensors.numpy.load(files.Sealed("manifest", "key", cwd=place).read(name)))

        def with_blake3() -> None:
            blake3.blake3().update_mmap(path).digest()
            load()

        def with_sha256() -> None:
            with open(path, "rb") as file:
                hashlib.file_digest(file, "sha256")
            load()

        calls: Calls = {
            "`load_file`, unverified": load,
            "`Sealed.read` into a buffer, tensors in it": sealed_buffer,
            "`Sealed.read`, `safetensors.numpy.load`": sealed_bytes,
            "`Sealed.path`, `load_file`": sealed_path,
            "BLAKE3, `load_file`": with_blake3,
            "SHA-256, `load_file`": with_sha256,
        }
        best = shortest(calls, 3, lambda call: in_a_fork(call, size))
    print(f"| {size / 1e9:.2f} GB of safetensors, warm | CPU s | of unverified |\n|---|---|---|")
    for name, seconds in best.items():
        print(f"| {name} | {seconds:.2f} | {seconds / best['`load_file`, unverified']:.2f} |")


def zmq_calls(context: zmq.Context[zmq.Socket[bytes]], place: str, size: int, count: int) -> Calls:
    """For each way to send, a call that sends `count` messages and receives them."""
    message = os.urandom(size)

    def sockets(name: str, curve: bool) -> tuple[zmq.Socket[bytes], zmq.Socket[bytes]]:
        pull, push = context.socket(zmq.PULL), context.socket(zmq.PUSH)
        if curve:
            public, private = zmq.curve_keypair()
            pull.curve_server, pull.curve_secretkey = True, private
            push.curve_serverkey = public
            push.curve_publickey, push.curve_secretkey = zmq.curve_keypair()
        pull.bind(f"ipc://{place}/{name}-{size}")
        push.connect(f"ipc://{place}/{name}-{size}")
        return pull, push

    def way(
        name: str, seal: Callable[[list[bytes]], list[bytes]], check: Callable[[list[bytes]], object], curve: bool = False
    ) -> Callable[[], None]:
        pull, push = sockets(name, curve)

        def call() -> None:
            for _ in range(count):
                push.send_multipart(seal([message]), copy=size < 1 << 16)
            for _ in range(count):
                # A large frame is not copied out of ZMQ's message.
                check([frame.buffer for frame in pull.recv_multipart(copy=False)] if size >= 1 << 16 else pull.recv_multipart())

        return call

    def tagged(frames: list[bytes]) -> list[bytes]:
        return [hmac.digest(SECRET, frames[0], "sha256"), *frames]

    def compared(frames: list[bytes]) -> None:
        assert hmac.compare_digest(frames[0], hmac.digest(SECRET, frames[1], "sha256"))

    sealer, opener, front = Sealer(SECRET, b""), Opener(SECRET, b""), bytes(48)
    return {
        "none": way("none", lambda frames: frames, lambda frames: None),
        "none, two frames": way("two", lambda frames: [front, *frames], lambda frames: None),
        "ours": way("ours", sealer.seal, opener.open),
        "HMAC-SHA256": way("hmac", tagged, compared),
        "CURVE": way("curve", lambda frames: frames, lambda frames: None, curve=True),
    }


class Tagged:
    """A connection with HMAC-SHA256 by hand."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def send(self, value: object) -> None:
        data = pickle.dumps(value)
        self.connection.send_bytes(hmac.digest(SECRET, data, "sha256") + data)

    def recv(self) -> object:
        data = memoryview(self.connection.recv_bytes())
        assert hmac.compare_digest(data[:32], hmac.digest(SECRET, data[32:], "sha256"))
        return pickle.loads(data[32:])


def pipe_calls(size: int, count: int) -> Calls:
    """As zmq_calls."""
    message = os.urandom(size)

    def way(one: Sealed | Tagged | Connection, other: Sealed | Tagged | Connection) -> Callable[[], None]:
        def send() -> None:
            for _ in range(count):
                one.send(message)

        def call() -> None:
            if size < 1 << 16:
                send()
            else:  # more than the pipe holds
                thread = threading.Thread(target=send)
                thread.start()
            for _ in range(count):
                other.recv()

        return call

    one, other = Pipe()
    made: list[Sealed] = []
    thread = threading.Thread(target=lambda: made.append(Sealed(other, SECRET, initiator=False)))
    thread.start()
    ours = Sealed(one, SECRET, initiator=True)
    thread.join()
    return {"none": way(*Pipe()), "ours": way(ours, made[0]), "HMAC-SHA256": way(*map(Tagged, Pipe()))}


def main() -> None:
    with tempfile.TemporaryDirectory() as place, zmq.Context() as context:
        tables = {
            "ZMQ, ipc": {name: (zmq_calls(context, place, size, count), count) for (name, size), count in zip(SIZES.items(), (500, 100, 2))},
            "multiprocessing.Pipe": {name: (pipe_calls(size, count), count) for (name, size), count in zip(SIZES.items(), (100, 4, 2))},
        }
        for table, columns in tables.items():
            best = {}
            for name, (calls, count) in columns.items():
                taken = shortest(calls, 30 if name == "11 MiB" else 200, here)
                best[name] = {way: seconds / count * 1e6 for way, seconds in taken.items()}
            print(f"| {table}: CPU us of a message, both ends |", " | ".join(best), "|\n|---" + "|---" * len(best) + "|")
            for way in next(iter(best.values())):
                print("|", way, "|", " | ".join(f"{best[name][way]:.3g}" if best[name][way] < 1000 else f"{best[name][way]:.0f}" for name in best), "|")
            print(flush=True)
        context.destroy(linger=0)
    if gigabytes := float(sys.argv[1]) if len(sys.argv) > 1 else 4:
        weights(gigabytes)


main()
