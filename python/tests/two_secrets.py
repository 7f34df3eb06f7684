"""The same calls under two secrets, in a process and its fork: what test_wiped.py compares. Arguments: what to do, and the
descriptor of a pipe with both secrets, each with a key file."""

import ctypes
import gc
import mmap
import os
import signal
import sys
import warnings

import wegman
from wegman import pmac
from wegman._native import KeyFile, States

LIBC = ctypes.PyDLL(None)
SECRET, FILE = 64, 4096
MESSAGE = bytes(5000)


def keys(secret: memoryview) -> list[wegman.Mac]:
    return [wegman.new(one.name, secret[: one.key_length]) for one in wegman.algorithms()]


def made(secret: memoryview, _file: str) -> object:
    return keys(secret)


def freed(secret: memoryview, _file: str) -> None:
    keys(secret)


def refused(call, *arguments) -> None:
    """A call that makes a tag and gives it to nobody."""
    try:
        call(*arguments)
    except (wegman.InvalidTag, wegman.Rejected):
        return
    raise AssertionError


def used(secret: memoryview, file: str) -> None:
    for key in keys(secret):
        nonce = [1] if key.nonce_length else []
        refused(key.verify, MESSAGE, bytes(key.tag_length), *nonce)
        stream = key.stream()
        for length in (0, 5, 1000, 5000):
            stream.update(MESSAGE[:length])
        refused(stream.verify, bytes(key.tag_length), *nonce)
        if not nonce:
            stream.copy().update(MESSAGE)
    for mac in ("UMAC-64", "UMAC-128", "PMAC-AES128", "PMAC-AES256", "Carter-128"):
        key = secret[: wegman.find(mac).key_length]
        wegman.Sender(mac, key)
        wegman.SharedSender(mac, key)
        refused(wegman.Receiver(mac, key).open, 1, MESSAGE, bytes(wegman.find(mac).tag_length))
        link = wegman.Link(mac, secret[:32], b"wiped", initiator=True, budget=30, longest=1000, epoch_limit=1000)
        for epoch in range(3):
            refused(link.open, epoch.to_bytes(4, "big") + bytes(8), MESSAGE[:900], bytes(wegman.find(mac).tag_length))
    mac = wegman.Pmac(secret[:16])
    parts = pmac.SegmentStream(mac)
    parts.update(MESSAGE[:160])
    pmac.combine([parts.segment(), pmac.Segment(mac, MESSAGE, offset=160)])
    pmac.Sum(mac, bytes(16), 100).replace(16, b"new", MESSAGE[:16])
    read = KeyFile(file)
    refused(read.mac().verify, MESSAGE, bytes(16))
    States(read, 32 * "a")


def main() -> None:
    calls, pipe = globals()[sys.argv[1]], int(sys.argv[2])
    warnings.simplefilter("ignore")
    gc.disable()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    place = mmap.mmap(-1, SECRET + FILE, mmap.MAP_PRIVATE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(place))
    secret = memoryview(place)[:SECRET]
    LIBC.fork.restype = None  # which of the two this is, is known to nobody here
    LIBC.fork()
    LIBC.read(pipe, ctypes.c_void_p(address), SECRET + FILE)
    file = LIBC.memfd_create(b"key", 0)
    LIBC.fchmod(file, 0o600)
    LIBC.write(file, ctypes.c_void_p(address + SECRET), place.rfind(b"\n") + 1 - SECRET)
    kept = calls(secret, f"/proc/self/fd/{file}")
    ctypes.memset(address, 0, SECRET + FILE)
    LIBC.raise_ = getattr(LIBC, "raise")
    LIBC.raise_(signal.SIGSTOP.value)
    del kept


if __name__ == "__main__":
    main()
