"""The known answers in vectors/, with concrete keys: through the machine, which tests its models, and through the
specification."""
import json
import os

import carter
import pmac
import specification as S
import umac
from kernels import Refused

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../vectors")
MOST = 3000  # bytes of a message; longer ones take minutes


def message(case):
    m = case.get("msg")
    if m is None:
        return list(bytes.fromhex(case["msg_hex"]))
    if m["pattern"] == "repeat" and len(m["unit_hex"]) // 2 * m["repeat"] <= MOST:
        return list(bytes.fromhex(m["unit_hex"]) * m["repeat"])
    if m["pattern"] == "affine" and m["length"] <= MOST:
        return [(m["a"] * i + m["b"]) % 256 for i in range(m["length"])]
    return None


def read(file, prefix):
    cases = json.load(open(os.path.join(VECTORS, file)))["cases"]
    out = [(c, message(c)) for c in cases if c["algorithm"].startswith(prefix) and "tag_hex" in c]
    return [(c, m) for c, m in out if m is not None and len(m) <= MOST]


FILES = {"PMAC": ("pmac.json", "PMAC-AES"), "UMAC": ("umac-rfc4418.json", "UMAC-"), "Carter": ("carter.json", "Carter-")}


class Known:
    """The answers of a MAC on one row."""

    def __init__(self, module, row, mac):
        self.module, self.row, self.declined = module, row, []
        self.make, self.cases = {"PMAC": self.pmac, "UMAC": self.umac, "Carter": self.carter}[mac], read(*FILES[mac])

    def decide(self, case, limit=None):
        case, m = self.cases[case[0]]
        try:
            got, want = self.make(case, m)
        except Refused as e:
            return f"{case['id']}: {e}"
        tag = list(bytes.fromhex(case["tag_hex"]))
        wrong = [name for name, t in (("machine", got), ("specification", want)) if t[:len(tag)] != tag]
        return f"{case['id']}: another tag by the {' and the '.join(wrong)}" if wrong else None

    def pmac(self, c, m):
        keys = S.expand(bytes.fromhex(c["key_hex"]))
        return pmac.Tag(self.module, self.row, len(keys) - 1, keys).case(len(m), message=m)

    def umac(self, c, m):
        size, nonce = int(c["algorithm"].split("-")[1]) // 8, bytearray.fromhex(c["nonce_hex"])
        start = 0
        if size < 12:
            # RFC 4418, 3.3.1: the lowest bits of the nonce choose a part of the block.
            parts = 16 // size
            start = nonce[-1] % parts * size
            nonce[-1] -= nonce[-1] % parts
        check = umac.Tag(self.module, self.row, size // 4, S.umac_key(bytes.fromhex(c["key_hex"])))
        return check.case(len(m), start, message=m, block=int.from_bytes(nonce + bytes(16 - len(nonce)), "little"))

    def carter(self, c, m):
        key = S.carter_key(bytes.fromhex(c["key_hex"]), int(c["algorithm"].split("-")[1]))
        check = carter.Tag(self.module, self.row, len(key["rounds"]) - 1, key)
        return check.case(len(m), message=m, block=int.from_bytes(bytes.fromhex(c["nonce_hex"]).ljust(16, b"\0"), "little"))
