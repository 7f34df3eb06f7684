"""OpenSSH's UMACs for AsyncSSH, clients and servers.

    import wegman.asyncssh
    wegman.asyncssh.install()

From then on, AsyncSSH's connections compute umac-64-etm@openssh.com, umac-128-etm@openssh.com, umac-64@openssh.com and
umac-128@openssh.com here. Without install(), AsyncSSH has them only where the library nettle is. A MAC is used with ciphers that
need one, such as aes128-ctr.
"""

from asyncssh.mac import MAC, get_default_mac_algs, get_mac_algs, register_mac_alg  # pyright: ignore[reportUnknownVariableType]

from wegman import InvalidTag, Mac, Umac64, Umac128

__all__ = ["Umac", "install"]

_ALGORITHMS: list[tuple[bytes, int, bool, type[Umac64] | type[Umac128]]] = [
    (b"umac-128@openssh.com", 16, False, Umac128),
    (b"umac-64@openssh.com", 8, False, Umac64),
    (b"umac-128-etm@openssh.com", 16, True, Umac128),
    (b"umac-64-etm@openssh.com", 8, True, Umac64),
]


class Umac(MAC):
    """The MAC of one direction of a connection. The key is prepared once, not for every packet."""

    def __init__(self, key: bytes, hash_size: int, kind: type[Umac64] | type[Umac128]) -> None:
        super().__init__(key, hash_size)
        self._mac: Mac = kind(key)

    def sign(self, seq: int, packet: bytes) -> bytes:
        """The tag of a packet; its sequence number is the nonce."""
        return bytes(self._mac.tag(packet, seq))

    def verify(self, seq: int, packet: bytes, sig: bytes) -> bool:
        """Whether the tag of a packet is right."""
        try:
            self._mac.verify(packet, sig, seq)
        except InvalidTag:
            return False
        return True


def install() -> None:
    """Serves AsyncSSH's UMACs from here. Calling it again changes nothing."""
    for name, size, etm, kind in _ALGORITHMS:
        register_mac_alg(name, 16, size, etm, Umac, (kind,), True)
        for names in (get_mac_algs(), get_default_mac_algs()):
            # It was appended. A name that was there keeps its place; a new one comes first, as OpenSSH prefers it.
            names.pop()
            if name not in names:
                names.insert(0, name)
