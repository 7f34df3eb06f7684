"""What a tag costs in Python, beside what others have: `scripts/python speed`.

Each is called as its documentation says, with its key prepared before if it can be. A row is the shortest of many rounds, in
which all subjects take turns, so that a slow moment of the machine meets all of them.
"""

import hashlib
import hmac
import os
import platform
import sys
import time
from collections.abc import Callable

import blake3
import umac
import wegman
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC
from cryptography.hazmat.primitives.poly1305 import Poly1305

KEY = bytes(range(16))
SIZES = {"64 B": 64, "1500 B": 1500, "64 KiB": 64 << 10, "64 MiB": 64 << 20}
# Messages of a list.
MANY = {"64 B": 1000, "1500 B": 1000, "64 KiB": 100}

# umac 2.0 gives back a reference to None at each update that it never had: before Python 3.12, None would run out.
NONES = [None] * 20_000_000

Call = Callable[[bytes], object]


def subjects() -> dict[str, Call]:
    """What makes a tag of a message."""
    umac64, umac128, pmac = wegman.Umac64(KEY), wegman.Umac128(KEY), wegman.Pmac(KEY)
    sha256 = hmac.new(KEY, digestmod="sha256")
    gcm = AESGCM(KEY)
    cmac = CMAC(AES(KEY))
    nonce12, nonce8, key32 = bytes(12), bytes(8), KEY + KEY

    def hmac_copied(message: bytes) -> bytes:
        copy = sha256.copy()
        copy.update(message)
        return copy.digest()

    def cmac_copied(message: bytes) -> bytes:
        copy = cmac.copy()
        copy.update(message)
        return copy.finalize()

    def umac_of_pypi(message: bytes) -> bytes:
        mac = umac.UMAC(8, KEY, nonce8)
        mac.update(message)
        return mac.digest()

    return {
        "wegman.Umac64": lambda message: umac64.tag(message, 1),
        "wegman.Umac128": lambda message: umac128.tag(message, 1),
        "wegman.Pmac": pmac.tag,
        "hmac.digest, SHA-256": lambda message: hmac.digest(KEY, message, "sha256"),
        "hmac, SHA-256, copied": hmac_copied,
        "hashlib.blake2b(key=)": lambda message: hashlib.blake2b(message, key=KEY).digest(),
        "cryptography Poly1305": lambda message: Poly1305.generate_tag(key32, message),
        "cryptography CMAC, copied": cmac_copied,
        "cryptography AESGCM, GMAC": lambda message: gcm.encrypt(nonce12, b"", message),
        "blake3, keyed": lambda message: blake3.blake3(message, key=key32).digest(),
        "umac (PyPI), 64 bits": umac_of_pypi,
    }


def seconds(call: Callable[[], object], rounds: int) -> float:
    """Of one call, on average of so many."""
    start = time.perf_counter()
    for _ in range(rounds):
        call()
    return (time.perf_counter() - start) / rounds


def best(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The shortest time of each, measured in turns."""
    rounds = {name: max(1, int(0.002 / seconds(call, 1))) for name, call in calls.items()}
    shortest = dict.fromkeys(calls, float("inf"))
    until = time.perf_counter() + 0.15 * len(calls)
    while time.perf_counter() < until:
        for name, call in calls.items():
            shortest[name] = min(shortest[name], seconds(call, rounds[name]))
    return shortest


def written(time: float) -> str:
    """In the unit that fits."""
    for limit, unit, scale in [(1e-6, "ns", 1e9), (1e-3, "us", 1e6), (1, "ms", 1e3)]:
        if time < limit:
            return f"{time * scale:.3g} {unit}"
    return f"{time:.3g} s"


def main() -> int:
    """Prints the table; 1 if one of ours is not ahead of all others."""
    everyone = subjects()
    columns: dict[str, dict[str, float]] = {}
    for name, size in SIZES.items():
        message = os.urandom(size)
        columns[name] = best({who: (lambda call=call: call(message)) for who, call in everyone.items()})
    keys = {"wegman.Umac64": wegman.Umac64(KEY), "wegman.Umac128": wegman.Umac128(KEY), "wegman.Pmac": wegman.Pmac(KEY)}
    for name, count in MANY.items():
        messages = [os.urandom(SIZES[name]) for _ in range(count)]
        calls: dict[str, Callable[[], object]] = {
            who: (lambda call=call: [call(message) for message in messages]) for who, call in everyone.items()
        }
        for who, key in keys.items():
            calls[who] = lambda key=key: key.tag_many(messages, 1 if key.nonce_length else None)
        columns[f"{name}, of {count}"] = {who: time / count for who, time in best(calls).items()}
    print(f"Python {platform.python_version()}, kernel {keys['wegman.Umac64'].kernel}\n")
    print("| time of a tag |", " | ".join(columns), "|")
    print("|---" * (len(columns) + 1) + "|")
    for who in everyone:
        print("|", who, "|", " | ".join(written(column[who]) for column in columns.values()), "|")
    behind = [
        (name, who)
        for name, column in columns.items()
        for who in everyone
        if not who.startswith("wegman") and column[who] <= min(column[ours] for ours in keys)
    ]
    for name, who in behind:
        print(f"\n{who} is ahead at {name}")
    return bool(behind)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # Without the end of the interpreter, which would count the references.
    os._exit(status)
