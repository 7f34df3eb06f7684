"""Integrity of IPsec packets (AH and ESP) for scapy.

    import wegman.scapy
    wegman.scapy.install()
    sa = SecurityAssociation(AH, spi=1, auth_algo="HMAC-SHA1-96", auth_key=key)

From then on, scapy computes the integrity check values of HMAC-SHA1-96, HMAC-MD5-96 and AES-CMAC-96 here. UMAC has no number among
IPsec's algorithms.
"""

from typing import Any

from scapy.layers.ipsec import AUTH_ALGOS, AuthAlgo  # pyright: ignore

import wegman

__all__ = ["install"]

# scapy's name, the catalogue's, and the bytes of a key. All have check values of 12 bytes.
_ALGORITHMS = [("HMAC-SHA1-96", "HMAC-SHA1-96", 20), ("HMAC-MD5-96", "HMAC-MD5-96", 16), ("AES-CMAC-96", "CMAC-AES128", 16)]


class _Message:
    """A message as scapy hashes it: update, and then finalize once."""

    def __init__(self, stream: wegman.Stream) -> None:
        self.update = stream.update
        self.finalize = stream.digest


class _Integrity(AuthAlgo):  # pyright: ignore
    """One of scapy's integrity algorithms, whose sign and verify ask for a MAC."""

    def __init__(self, name: str, ours: str, key_length: int) -> None:
        size = (key_length,)
        super().__init__(name, mac=wegman, digestmod=None, icv_size=12, key_size=size)  # type: ignore[no-untyped-call] # pyright: ignore
        self.ours = ours

    def new_mac(self, key: bytes) -> Any:
        return _Message(wegman.new(self.ours, key).stream())


def install() -> None:
    """Serves scapy's integrity algorithms from here. Calling it again changes nothing."""
    for name, ours, key_length in _ALGORITHMS:
        AUTH_ALGOS[name] = _Integrity(name, ours, key_length)
