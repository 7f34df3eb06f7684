"""Lists of frames, sealed: the multipart messages of ZMQ, and other transports that deliver whole messages.

A receiver that starts again remembers nothing: under a secret that lasts, it accepts frames of its earlier runs once more. Make a
fresh secret for each start, in the parent of both ends; or let the receiver send 16 fresh random bytes, which both put into the
context. PUSH/PULL and PUB/SUB have no way back for such bytes, so a lasting secret can't refuse replays over a restart there.

    sealer = frames.Sealer(secret, b"jobs")                 # secret: 32 random bytes; context: one for each direction
    socket.send_multipart(sealer.seal([b"job", payload]))

    opener = frames.Opener(secret, b"jobs")
    name, payload = opener.open(socket.recv_multipart())    # or raises wegman.Rejected

Messages that are forged, altered or repeated, or whose frames are joined, split or moved, are refused. That some are missing or
out of order is not noticed. Whoever can open can also seal. docs/uses.md has the layout.
"""

import os
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, TypeVar

from wegman import Link, Rejected

if TYPE_CHECKING:
    from wegman._native import Buffer

__all__ = ["Opener", "Sealer"]

Frame = TypeVar("Frame", bound="Buffer")
_VERSION, _FRONT = b"wgf1", 48  # the front frame: version, session of 16 bytes, header of the link, tag


_forks: list[None] = []  # one for each fork that led to this process; asking the system takes as long as half a seal
os.register_at_fork(after_in_child=lambda: _forks.append(None))


def refused(reason: str, text: str) -> Rejected:
    """What is raised for a message that no link sees."""
    error = Rejected(text)
    error.reason = reason
    return error


def _link(secret: bytes, session: bytes, context: bytes, *, seals: bool) -> Link:
    return Link("UMAC-128", secret, b"wegman frames 1" + session + context, initiator=seals)


class Sealer:
    """Seals messages for openers with the same secret and context. One thread at a time may use it.

    Each sealer is a session; a forked process starts one of its own. Raises ValueError if the secret does not have 32 bytes.
    """

    def __init__(self, secret: "Buffer", context: "Buffer") -> None:
        self._secret, self._context = bytes(secret), bytes(context)
        self._start()

    def _start(self) -> None:
        session = secrets.token_bytes(16)
        link = _link(self._secret, session, self._context, seals=True)
        self._process, self._front, self._link = len(_forks), _VERSION + session, link

    def seal(self, frames: "Sequence[Buffer]") -> list["Buffer"]:
        """The frames to send: a front frame of 48 bytes, then these, not copied."""
        if self._process != len(_forks):
            self._start()
        len(frames)  # TypeError for a generator, whose frames would be sealed and not sent
        header, tag = self._link.seal_parts(frames)
        return [b"".join((self._front, header, tag)), *frames]


class Opener:
    """Opens messages of sealers with the same secret and context, each once. One thread at a time may use it.

    It keeps each session, since a forgotten one could be replayed, and refuses more than `sessions`. Raises ValueError as Sealer.
    """

    def __init__(self, secret: "Buffer", context: "Buffer", *, sessions: int = 1000) -> None:
        self._secret, self._context = bytes(secret), bytes(context)
        self._sessions, self._process = sessions, len(_forks)
        self._links: dict[bytes, Link] = {}
        _link(self._secret, b"", b"", seals=False)  # a wrong length is reported now

    def __reduce__(self) -> NoReturn:
        raise TypeError("an opener can't be copied or pickled, since each copy would accept every message: make one in each process")

    def open(self, frames: Sequence[Frame]) -> list[Frame]:
        """The frames that were sealed, not copied.

        Raises Rejected unless they are authentic and new; `reason` may also be "version" or "sessions". Raises RuntimeError in a
        forked process: it can't know what its parent accepts.
        """
        if self._process != len(_forks):
            raise RuntimeError("the opener is the parent's, and this process was forked: make one with another context")
        front = b"".join(frames[:1])
        if len(front) != _FRONT or front[:4] != _VERSION:
            raise refused("version", "the message has no front frame of wegman.frames: its sender does not seal")
        session, parts = front[4:20], list(frames[1:])
        link = self._links.get(session)
        if link is None and len(self._links) >= self._sessions:
            raise refused("sessions", f"there are {self._sessions} sessions: restart all ends with a fresh secret")
        link = link or _link(self._secret, session, self._context, seals=False)
        link.open_parts(front[20:32], parts, front[32:])
        self._links[session] = link  # only now: a forged session must not take a place
        return parts
