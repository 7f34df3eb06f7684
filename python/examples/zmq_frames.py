"""A server that adds and its clients, over ZMQ, under a secret that lasts: `python zmq_frames.py` runs all of them.

Nobody unpickles what the others did not seal, and a server that starts again refuses what was recorded before. For services that
start by themselves, take `serve` and `Client`, and read the secret from a file of mode 0600.
"""

import multiprocessing
import pickle
import secrets
import tempfile
from typing import Any

import wegman
import zmq
from wegman.frames import Opener, Sealer


def serve(address: str, secret: bytes) -> None:
    # Both ends put these bytes into the context: what an earlier server got does not open at this one. They need be neither
    # secret nor authentic, since other bytes only make everything refused.
    fresh = secrets.token_bytes(16)
    opener, sealer = Opener(secret, b"requests" + fresh), Sealer(secret, b"replies" + fresh)
    with zmq.Context() as context, context.socket(zmq.ROUTER) as socket:
        socket.bind(address)
        while True:
            client, *message = socket.recv_multipart()
            if message == [b"hello"]:
                socket.send_multipart([client, b"fresh", fresh])
                continue
            try:
                number, request = opener.open(message)
            except wegman.Rejected as refused:
                print("server: refused:", refused.reason, flush=True)
                continue
            socket.send_multipart([client, *sealer.seal([number, pickle.dumps(sum(pickle.loads(request)))])])


class Client:
    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", address: str, secret: bytes) -> None:
        self.secret, self.socket, self.fresh = secret, context.socket(zmq.DEALER), b""
        self.socket.connect(address)

    def ask(self, value: Any) -> Any:
        """The server's answer. A server that starts again meanwhile is asked again, so it may run a request twice."""
        # A reply repeats its request's number, so that neither another's reply nor an old one is taken for it.
        number = secrets.token_bytes(16)
        request = [number, pickle.dumps(value)]
        self.socket.send_multipart(self.sealer.seal(request) if self.fresh else [b"hello"])
        while True:
            if not self.socket.poll(1000):  # lost, or the server knows other fresh bytes now
                self.socket.send_multipart([b"hello"])
                continue
            message = self.socket.recv_multipart()
            if len(message) == 2 and message[0] == b"fresh":
                if message[1] != self.fresh:
                    self.fresh = message[1]
                    self.sealer = Sealer(self.secret, b"requests" + self.fresh)
                    self.opener = Opener(self.secret, b"replies" + self.fresh)
                self.socket.send_multipart(self.sealer.seal(request))
            elif self.fresh:
                try:
                    answered, answer = self.opener.open(message)
                except wegman.Rejected as refused:
                    print("client: refused:", refused.reason, flush=True)
                    continue
                if answered == number:
                    return pickle.loads(answer)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        show(f"ipc://{folder}/server", secrets.token_bytes(32))


def show(address: str, secret: bytes) -> None:
    def start() -> multiprocessing.Process:
        process = multiprocessing.Process(target=serve, args=(address, secret), daemon=True)
        process.start()
        return process

    server = start()
    with zmq.Context() as context:
        one, two = Client(context, address, secret), Client(context, address, secret)
        print("one: 2 + 3 =", one.ask([2, 3]), flush=True)
        print("two: 4 + 5 =", two.ask([4, 5]), flush=True)
        one.socket.send_multipart([pickle.dumps("what anybody on the port may send")])
        recorded = one.sealer.seal([secrets.token_bytes(16), pickle.dumps([0])])
        for _ in range(2):
            one.socket.send_multipart(recorded)
        print("one: 6 + 7 =", one.ask([6, 7]), flush=True)
        server.terminate()
        server.join()
        server = start()
        one.socket.send_multipart(recorded)
        print("one: 8 + 9 =", one.ask([8, 9]), flush=True)
        one.socket.close(linger=0)
        two.socket.close(linger=0)
    server.terminate()
    server.join()


if __name__ == "__main__":
    main()
