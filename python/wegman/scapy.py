"""The MACs of IPsec for scapy: AH and ESP packets made and checked with the package's HMAC and CMAC.

    import wegman.scapy
    wegman.scapy.install()

From then on, scapy's SecurityAssociation computes "HMAC-SHA1-96", "HMAC-MD5-96", "SHA2-256-128" and "AES-CMAC-96" here: every
ICV that it makes or checks. These are MACs to compare with, here for interoperability.
"""

from collections.abc import Callable
from functools import partial

from scapy.layers.ipsec import AUTH_ALGOS, AuthAlgo

from wegman import Mac, Stream, find, new

__all__ = ["Authenticator", "install"]

#: What scapy calls a MAC, its name here, bytes of the ICV, and bytes of a key if only one length is good.
_ALGORITHMS: list[tuple[str, str, int, tuple[int, ...] | None]] = [
    ("HMAC-SHA1-96", "HMAC-SHA1-96", 12, None),
    ("HMAC-MD5-96", "HMAC-MD5-96", 12, None),
    ("SHA2-256-128", "HMAC-SHA256", 16, None),
    ("AES-CMAC-96", "CMAC-AES128", 12, (16,)),
]


class _Message:
    """One packet's authenticated bytes, with the methods that scapy calls."""

    def __init__(self, mac: Mac) -> None:
        self._stream: Stream = mac.stream()

    def update(self, data: bytes) -> None:
        self._stream.update(data)

    def finalize(self) -> bytes:
        return self._stream.digest()


class Authenticator(AuthAlgo):
    """An integrity algorithm of scapy. `mac` is the algorithm's name for wegman.new."""

    def __init__(self, name: str, mac: str, icv_size: int, key_size: tuple[int, ...] | None = None) -> None:
        find(mac)  # a name that is none is an error now, not at the first packet
        super().__init__(name, mac, None, icv_size, key_size)  # type: ignore[no-untyped-call]
        self._make: Callable[[bytes], Mac] = partial(new, mac, tag_length=icv_size)
        self._keyed: tuple[bytes, Mac] | None = None

    def new_mac(self, key: bytes) -> _Message:
        """A message under a key. The key is prepared once for all packets of a security association."""
        if self._keyed is None or self._keyed[0] != key:
            self._keyed = (key, self._make(key))
        return _Message(self._keyed[1])


def install() -> None:
    """Serves scapy's MACs from here. Calling it again changes nothing."""
    for name, mac, icv_size, key_size in _ALGORITHMS:
        AUTH_ALGOS[name] = Authenticator(name, mac, icv_size, key_size)
