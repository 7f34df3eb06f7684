"""UMAC and PMAC: fast message authentication with bounds on forgeries.

A message authentication code (MAC) answers one question: did someone who knows the key send, or store, exactly these
bytes? Keys are made once and shared; any number of threads may use one.

    key = wegman.Umac64(wegman.generate_key())    # packets, records: each has a number that is never used again
    tag = key.tag(b"a packet", nonce=1)
    key.verify(b"a packet", tag, nonce=1)         # or raises wegman.InvalidTag

    key = wegman.Pmac(wegman.generate_key())      # files, objects: no nonce
    assert hashlib.file_digest(open(path, "rb"), key.stream).hexdigest() == str(key.tag(data))

Which MAC:
    If you have a number that is never used twice under a key, such as a packet counter, use Umac64, or Umac128 where a
    forgery's probability of 2**-60 for each attempt is too high. Otherwise, use Pmac. new(name, key) makes a key of any
    algorithm that algorithms() lists, such as HMAC-SHA256.

Classes and functions:
    Umac64, Umac128, Pmac, Carter128    keys: tag, verify, tag_many, verify_many, stream
    new, algorithms, find               every algorithm by name, with its bound
    generate_key                        random bytes for a key
    Tag                                 bytes that compare in constant time and print as hexadecimal digits
    Link                                one end of a channel, both directions from one secret
    Sender, Receiver, SharedSender      one direction under one key: numbers, replay window, budget
    wegman.pmac                         segments and edits of messages under PMAC
    wegman.files                        manifests of directories: the command's tag, check and audit; verified loads
    wegman.frames, wegman.connection    messages of ZMQ and of multiprocessing, sealed
    wegman.asyncssh                     OpenSSH's UMACs for AsyncSSH
    wegman.scapy                        integrity of AH and ESP for scapy

Data is bytes, or another object with the buffer protocol whose bytes are contiguous: bytearray, memoryview, mmap, a numpy array.
Do not change it in another thread during a call. A call with long data lets other Python threads run.

A wrong tag raises InvalidTag; a packet that is not accepted raises Rejected. Wrong types raise TypeError, wrong lengths
ValueError, and say what to do.
"""

import secrets

from wegman import pmac
from wegman._native import (
    Algorithm,
    Carter128,
    ExperimentalWarning,
    InvalidTag,
    Link,
    Mac,
    Pmac,
    Receiver,
    Rejected,
    SealError,
    Sender,
    SharedSender,
    Stream,
    Tag,
    Umac64,
    Umac128,
    algorithms,
    find,
    new,
)
from wegman._native import __version__ as __version__

__all__ = [
    "Algorithm",
    "Carter128",
    "ExperimentalWarning",
    "InvalidTag",
    "Link",
    "Mac",
    "Pmac",
    "Receiver",
    "Rejected",
    "SealError",
    "Sender",
    "SharedSender",
    "Stream",
    "Tag",
    "Umac64",
    "Umac128",
    "algorithms",
    "find",
    "generate_key",
    "new",
    "pmac",
]


def generate_key(name: str = "UMAC-64") -> bytes:
    """Random bytes for a key of the algorithm of that name: 16 for Umac64, Umac128, Pmac and Carter128.

    Store them as a secret. Raises ValueError if there is no such algorithm, TypeError if name is no string.
    """
    return secrets.token_bytes(find(name).key_length)
