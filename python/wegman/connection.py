"""multiprocessing's connections and pipes, sealed.

    conn = Sealed(Client(address, authkey=k), secret, initiator=True)       # the other end: initiator=False
    conn.send({"job": 7})
    print(conn.recv())
    conn.close()

multiprocessing's authkey authenticates the first moment of a connection; recv() runs whatever pickle comes later. Here nothing is
unpickled before it is verified, messages and the end must come in order, and an authentic peer is trusted to run code.
"""

import pickle
import secrets
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

from wegman import Link, Rejected
from wegman.frames import refused

if TYPE_CHECKING:
    from wegman._native import Buffer

__all__ = ["Sealed"]

# A message: its kind, the link's header, the tag, the body. A long body is a message of its own, not copied.
_SHORT, _LONG, _END, _MOST, _FRONT = b"o", b"O", b"e", 64 << 10, 29


class Sealed:
    """One end of a duplex connection or pipe; `connection` is what it seals. A secret, of 32 random bytes, may serve many.

    Both ends send 16 random bytes first: this waits for the other end to be made. One thread may send and another receive. A
    forked process must make a connection of its own. Messages above maxlength bytes are neither sent nor accepted. Raises
    ValueError if the secret does not have 32 bytes; Rejected or EOFError if the other end does not seal, or closes.
    """

    def __init__(self, connection: Connection, secret: "Buffer", *, initiator: bool, maxlength: int = 1 << 30) -> None:
        self.connection, self._maxlength = connection, maxlength
        self._sent = self._received = 0
        connection.send_bytes(ours := secrets.token_bytes(16))
        if len(theirs := self._take(16)) != 16:
            raise refused("version", "the other end does not seal: make a wegman.connection.Sealed there, too")
        context = b"wegman connection 1" + (ours + theirs if initiator else theirs + ours)
        # One only seals, the other only opens, so that two threads can use them.
        self._sealer, self._opener = (Link("UMAC-128", secret, context, initiator=initiator) for _ in range(2))

    def _take(self, longest: int) -> bytes:
        try:
            return self.connection.recv_bytes(longest)
        except OSError as error:
            if error.errno is not None or self.connection.closed:
                raise
            raise refused("too long", "the message is longer than maxlength, or the other end does not seal") from None

    def _send(self, kind: bytes, body: memoryview) -> None:
        if len(body) > self._maxlength:
            raise ValueError(f"the message has {len(body)} bytes, and maxlength is {self._maxlength}: nothing was sent")
        header, tag = self._sealer.seal_parts([body, kind + self._sent.to_bytes(8, "big")])
        self._sent += 1
        self.connection.send_bytes(b"".join((kind, header, tag, b"" if kind == _LONG else body)))
        if kind == _LONG:
            self.connection.send_bytes(body)

    def send(self, obj: Any) -> None:
        """Sends an object, pickled. Raises ValueError if its pickle is longer than maxlength."""
        body = ForkingPickler.dumps(obj)
        self._send(_LONG if len(body) > _MOST else _SHORT, body)

    def recv(self) -> Any:
        """The next object. Raises EOFError at the sealed end.

        Raises Rejected, and closes the connection, if the message is not authentic, not the next one or too long, or if the
        connection ends without a sealed end: `reason` says why.
        """
        try:
            packet = self._take(_FRONT + min(_MOST, self._maxlength))
            kind, body = packet[:1], memoryview(packet)[_FRONT:]
            if len(packet) < _FRONT or (kind == _LONG and body):
                raise refused("too short", "the message is not one of wegman.connection")
            if kind == _LONG:
                body = memoryview(self._take(self._maxlength))
            # A message does not say its number: it opens under the next one or not at all.
            self._opener.open_parts(packet[1:13], [body, kind + self._received.to_bytes(8, "big")], packet[13:29])
        except (EOFError, Rejected) as error:
            self.connection.close()
            if isinstance(error, Rejected):
                raise
            raise refused("cut off", "the connection ended without a sealed end: messages may be missing") from None
        self._received += 1
        if kind == _END:
            self.connection.close()
            raise EOFError("the other end has closed the connection")
        return pickle.loads(body)

    def close(self) -> None:
        """Sends the sealed end, and closes the connection."""
        with suppress(OSError, RuntimeError):  # the other end is gone, or a forked process lets go of its parent's
            if not self.connection.closed:
                self._send(_END, memoryview(b""))
        self.connection.close()
