"""What is left of a key: two_secrets.py makes the same calls under two secrets, and the memories of its two processes are compared."""

import hashlib
import mmap
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from two_secrets import FILE, SECRET

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


def key_file(secret: bytes) -> bytes:
    text = f"# wegman key\nwegman-key: 1\nid: 0123456789abcdef\nalgorithm: PMAC-AES128\ntag-bits: 128\nsecret: {secret.hex()}\n"
    return f"{text}checksum: {hashlib.sha256(text.encode()).hexdigest()[:16]}\n".encode()


def stopped(process: int) -> bool:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def memory_of(process: int) -> dict[int, tuple[str, bytes]]:
    """The pages that the process alone can write to, by address, with the name of their part of memory."""
    pages = {}
    with open(f"/proc/{process}/mem", "rb", buffering=0) as file:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            place, access, *_, name = [*line.split(maxsplit=5), ""][:6]
            if access == "rw-p":
                start, end = (int(number, 16) for number in place.split("-"))
                file.seek(start)
                pages |= {at: (name, file.read(mmap.PAGESIZE)) for at in range(start, end, mmap.PAGESIZE)}
    return pages


def differences(what: str) -> dict[str, int]:
    """How many words differ after these calls, by the name of the part of memory."""
    read, write = os.pipe()
    for which in (1, 2):
        secret = bytes(37 * which + 101 * i & 255 for i in range(SECRET))
        os.write(write, secret + key_file(secret[:32]).ljust(FILE, b"\0"))
    command = [sys.executable, Path(__file__).with_name("two_secrets.py"), what, str(read)]
    # A function that is found at its first call has all registers on the stack.
    environment = {**os.environ, "LD_BIND_NOW": "1", "PYTHONHASHSEED": "0"}
    with subprocess.Popen(command, pass_fds=[read], env=environment, stderr=subprocess.PIPE) as one:
        processes = [one.pid]
        try:
            while not (len(processes) == 2 and all(map(stopped, processes))):
                time.sleep(0.01)
                children = Path(f"/proc/{one.pid}/task/{one.pid}/children").read_text().split()
                processes = [one.pid, *map(int, children)]
                assert one.poll() is None, one.stderr.read()
            first, second = map(memory_of, processes)
        finally:
            for process in processes:
                os.kill(process, signal.SIGKILL)
            os.close(read)
            os.close(write)
    assert first.keys() == second.keys()
    counts: dict[str, int] = {}
    for address, (name, page) in first.items():
        other = second[address][1]
        if page == other:
            continue
        for at, words in enumerate(zip(memoryview(page).cast("i"), memoryview(other).cast("i"), strict=True)):
            # The numbers of the processes differ, too, and the C library counts forks in fours.
            if words[0] != words[1] and list(words) not in (processes, [0, 4]):
                counts[name] = counts.get(name, 0) + 1
                print(what, name, hex(address + 4 * at), words)
    return counts


def test_the_stack_that_made_keys_depends_on_no_secret() -> None:
    assert "[stack]" not in differences("made")


def test_what_is_freed_depends_on_no_secret() -> None:
    assert differences("freed") == {}


def test_what_was_used_and_is_freed_depends_on_no_secret() -> None:
    """The interpreter does not clean the stack, on which tags were made."""
    assert differences("used").keys() <= {"[stack]"}


def test_what_is_kept_is_noticed() -> None:
    assert sum(differences("made").values()) > 10_000
