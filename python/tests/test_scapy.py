"""IPsec packets of scapy's own code and of ours accept each other's check values; tshark accepts ours."""

import os
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pytest

with warnings.catch_warnings(action="ignore"):
    from scapy.layers.inet import IP, UDP
    from scapy.layers.ipsec import AH, AUTH_ALGOS, ESP, IPSecIntegrityError, SecurityAssociation
    from scapy.utils import wrpcap

import wegman.scapy

THEIRS = dict(AUTH_ALGOS)
wegman.scapy.install()
OURS = dict(AUTH_ALGOS)
NAMES = {"HMAC-SHA1-96": 20, "HMAC-MD5-96": 16, "AES-CMAC-96": 16}


def association(algorithms: dict[str, Any], header: Any, name: str, **more: Any) -> Any:
    """A security association that computes with these."""
    AUTH_ALGOS.update(algorithms)
    return SecurityAssociation(header, spi=7, auth_algo=name, auth_key=bytes(range(NAMES[name])), **more)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("header", [AH, ESP])
@pytest.mark.parametrize("more", [{}, {"esn_en": True, "esn": 5}, {"tunnel_header": IP(src="192.0.2.1", dst="198.51.100.2")}])
def test_both_ways(header: Any, name: str, more: dict[str, Any]) -> None:
    assert type(OURS[name]) is not type(THEIRS[name])
    for sign, verify in [(OURS, THEIRS), (THEIRS, OURS), (OURS, OURS)]:
        for length in range(0, 1400, 47):
            packet = IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=1, dport=2) / bytes(length)
            sender, receiver = association(sign, header, name, **more), association(verify, header, name, **more)
            secured = bytes(sender.encrypt(packet))
            # Behind the IP header is what was there.
            assert bytes(receiver.decrypt(IP(secured)))[20:] == bytes(packet)[20:]
            altered = bytearray(secured)
            altered[-1] ^= 1
            with pytest.raises(IPSecIntegrityError):
                receiver.decrypt(IP(bytes(altered)))


@pytest.mark.skipif(not shutil.which("tshark") and not os.environ.get("CI"), reason="tshark is not here (Debian: tshark)")
@pytest.mark.parametrize(("name", "theirs"), [("HMAC-SHA1-96", "HMAC-SHA-1-96 [RFC2404]"), ("HMAC-MD5-96", "HMAC-MD5-96 [RFC2403]")])
def test_tshark_agrees(name: str, theirs: str, tmp_path: Path) -> None:
    sender = association(OURS, ESP, name)
    packet = IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=1, dport=2) / b"a message"
    packets = [sender.encrypt(packet) for _ in range(10)]
    altered = bytearray(bytes(packets[-1]))
    altered[-1] ^= 1
    wrpcap(str(tmp_path / "packets"), [*packets, IP(bytes(altered))])
    key = bytes(range(NAMES[name])).hex()
    said = subprocess.run(
        ["tshark", "-r", tmp_path / "packets", "-T", "fields", "-e", "esp.icv_good", "-e", "esp.icv_bad",
         "-o", "esp.enable_encryption_decode:TRUE", "-o", "esp.enable_authentication_check:TRUE",
         "-o", f'uat:esp_sa:"IPv4","*","*","*","NULL","","{theirs}","0x{key}"'],
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout.split("\n")[:-1] == 10 * ["1\t0"] + ["0\t1"], said.stdout + said.stderr
