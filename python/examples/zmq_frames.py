"""A server that adds and its client, over ZMQ: `python zmq_frames.py`. Neither unpickles what the other did not seal."""

import multiprocessing
import pickle
import secrets
from multiprocessing.connection import Connection

import wegman
import zmq
from wegman.frames import Opener, Sealer


def server(secret: bytes, ready: Connection) -> None:
    opener, sealer = Opener(secret, b"requests"), Sealer(secret, b"replies")
    with zmq.Context() as context, context.socket(zmq.ROUTER) as socket:
        ready.send(socket.bind_to_random_port("tcp://127.0.0.1"))
        while True:
            client, *message = socket.recv_multipart()
            try:
                number, request = opener.open(message)
            except wegman.Rejected as refused:
                print("server: refused:", refused, flush=True)
                continue
            answer = pickle.dumps(sum(pickle.loads(request)))
            # A reply names its request by a random number, so that nobody can give it to another one.
            socket.send_multipart([client, *sealer.seal([number, answer])])


def main() -> None:
    # Fresh for each start: nothing recorded in an earlier run opens in this one.
    secret = secrets.token_bytes(32)
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=server, args=(secret, there), daemon=True)
    process.start()
    sealer, opener = Sealer(secret, b"requests"), Opener(secret, b"replies")
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.connect(f"tcp://127.0.0.1:{here.recv()}")
        socket.send_multipart([pickle.dumps("what anybody on the port may send")])
        number = secrets.token_bytes(16)
        request = sealer.seal([number, pickle.dumps([2, 3])])
        socket.send_multipart(request)
        socket.send_multipart(request)
        answered, answer = opener.open(socket.recv_multipart())
        if answered != number:
            raise SystemExit("client: this is the reply to another request")
        socket.send_multipart(sealer.seal([secrets.token_bytes(16), pickle.dumps([2, 2])]))
        # After this answer, the server has seen the second copy.
        opener.open(socket.recv_multipart())
    process.terminate()
    process.join()
    print("client: 2 + 3 =", pickle.loads(answer))


if __name__ == "__main__":
    main()
