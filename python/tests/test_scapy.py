"""AH and ESP with our MACs: scapy's own check them, and tshark does."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import wegman.scapy
from scapy.config import conf
from scapy.layers import ipsec
from scapy.layers.inet import IP, UDP
from scapy.packet import Raw
from scapy.utils import wrpcap

#: Its functions have no types.
SecurityAssociation: Any = ipsec.SecurityAssociation
THEIRS = dict(ipsec.AUTH_ALGOS)
KEYS = {"HMAC-SHA1-96": 20, "SHA2-256-128": 32, "HMAC-MD5-96": 16, "AES-CMAC-96": 16}
#: tshark's names.
TSHARK = {
    "HMAC-SHA1-96": "HMAC-SHA-1-96 [RFC2404]",
    "HMAC-MD5-96": "HMAC-MD5-96 [RFC2403]",
    "SHA2-256-128": "HMAC-SHA-256-128 [RFC4868]",
}
PACKETS = [
    IP(src="127.0.0.1", dst="127.0.0.2") / UDP(sport=1000 + size, dport=9) / Raw(bytes(i % 256 for i in range(size)))
    # Not 1 byte, which tshark takes for another protocol, and then shows no verdict.
    for size in (0, 2, 15, 16, 17, 64, 1400)
]


@pytest.fixture(autouse=True)
def as_before() -> Any:
    """Every test begins and ends with scapy's own."""
    yield
    ipsec.AUTH_ALGOS.clear()
    ipsec.AUTH_ALGOS.update(THEIRS)


def association(protocol: Any, name: str, *, ours: bool) -> Any:
    if ours:
        wegman.scapy.install()
    else:
        ipsec.AUTH_ALGOS.update(THEIRS)
    key = bytes(range(7, 7 + KEYS[name]))
    made = SecurityAssociation(protocol, spi=0x1234, auth_algo=name, auth_key=key, seq_num=1)
    assert isinstance(made.auth_algo, wegman.scapy.Authenticator) is ours
    return made


def test_install_again() -> None:
    wegman.scapy.install()
    names = list(ipsec.AUTH_ALGOS)
    wegman.scapy.install()
    assert list(ipsec.AUTH_ALGOS) == names == list(THEIRS)
    assert [name for name, one in ipsec.AUTH_ALGOS.items() if one is not THEIRS[name]] == list(KEYS)


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("protocol", [ipsec.ESP, ipsec.AH], ids=["ESP", "AH"])
@pytest.mark.parametrize("sender_is_ours", [True, False], ids=["made here", "made by scapy"])
def test_each_checks_the_other(protocol: Any, name: str, sender_is_ours: bool) -> None:
    sender = association(protocol, name, ours=sender_is_ours)
    receiver = association(protocol, name, ours=not sender_is_ours)
    for packet in PACKETS:
        secured = bytes(sender.encrypt(packet))
        assert bytes(IP(bytes(receiver.decrypt(IP(secured))))[UDP]) == bytes(packet[UDP])
        # The last byte, one before the ICV of ESP, and the last of the sequence number.
        for byte in (len(secured) - 1, len(secured) - 13, 27 if protocol is ipsec.ESP else 31):
            forged = bytearray(secured)
            forged[byte] ^= 0x40
            with pytest.raises(ipsec.IPSecIntegrityError):
                receiver.decrypt(IP(bytes(forged)))


def test_a_key_of_another_length() -> None:
    wegman.scapy.install()
    with pytest.raises(ValueError, match="16 bytes, not 15"):
        SecurityAssociation(ipsec.ESP, spi=1, auth_algo="AES-CMAC-96", auth_key=bytes(15)).encrypt(PACKETS[0])


@pytest.mark.parametrize("name", TSHARK)
def test_tshark_accepts(name: str, tmp_path: Path) -> None:
    if shutil.which("tshark") is None and not os.environ.get("CI"):
        pytest.skip("tshark is not installed (Debian: apt-get install --no-install-recommends tshark)")
    sender = association(ipsec.ESP, name, ours=True)
    packets = [bytes(sender.encrypt(packet)) for packet in PACKETS]
    # And one whose ICV is wrong.
    packets.append(packets[-1][:-1] + bytes([packets[-1][-1] ^ 1]))
    capture = tmp_path / "esp.pcap"
    wrpcap(str(capture), [IP(packet) for packet in packets], linktype=228)  # IPv4, without a link layer
    key = bytes(range(7, 7 + KEYS[name])).hex()
    answer = subprocess.run(
        ["tshark", "-r", str(capture), "-o", "esp.enable_authentication_check:TRUE", "-o", "esp.enable_encryption_decode:TRUE"]
        + ["-o", f'uat:esp_sa:"IPv4","*","*","*","NULL","","{TSHARK[name]}","0x{key}"']
        + ["-T", "fields", "-e", "esp.icv_good", "-e", "esp.icv_bad"],
        capture_output=True,
        text=True,
        check=True,
        # Without the settings of whoever runs this.
        env=os.environ | {"WIRESHARK_CONFIG_DIR": str(tmp_path)},
    )
    # Good and not bad; the last the other way round.
    assert answer.stdout.splitlines() == ["1\t0"] * len(PACKETS) + ["0\t1"], (conf.version, answer.stderr)
