"""The other side of lab/tests/ipsec: makes and checks packets with scapy. Each line of the input is a request in JSON,
and each gets one line of output.

An error that is not a wrong ICV ends this program, and with it the test: a packet that cannot be read was not refused
because of its ICV."""

import json
import sys

import cryptography
from scapy.config import conf
from scapy.layers.inet import IP
from scapy.layers.ipsec import AH, ESP, IPSecIntegrityError, SecurityAssociation

HEADERS = {"ESP": ESP, "AH": AH}
LOW = 2**32 - 1


def association(request):
    tunnel = request["tunnel"] and IP(src=request["tunnel"][0], dst=request["tunnel"][1])
    return SecurityAssociation(
        HEADERS[request["protocol"]],
        spi=request["spi"],
        auth_algo=request["algorithm"],
        auth_key=bytes.fromhex(request["key"]),
        tunnel_header=tunnel,
        esn_en=request["extended"],
    )


def make(request):
    """Each packet, secured under its sequence number."""
    sa = association(request)

    def secured(sequence, original):
        # Not as arguments, of which a zero is taken for none.
        sa.seq_num, sa.esn = sequence & LOW, sequence >> 32
        return bytes(sa.encrypt(IP(bytes.fromhex(original)))).hex()

    return [secured(*packet) for packet in request["packets"]]


def check(request):
    """What each packet carried, or None if its ICV is wrong."""
    sa = association(request)
    header = HEADERS[request["protocol"]]

    def carried(sequence, secured):
        packet = IP(bytes.fromhex(secured))
        # Another SPI would be refused before anything is computed. Here the ICV must tell.
        sa.spi = packet[header].spi
        sa.esn = sequence >> 32
        try:
            return bytes(sa.decrypt(packet)).hex()
        except IPSecIntegrityError:
            return None

    return [carried(*packet) for packet in request["packets"]]


def main():
    print(json.dumps(f"scapy {conf.version} with cryptography {cryptography.__version__}"), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"make": make, "check": check}[request["do"]](request)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
