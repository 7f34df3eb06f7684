"""The known answers in vectors/, with concrete keys: through the machine, which tests its models, through the
specification, and through the definitions of the proofs in Coq (definitions.py). The oracle's own tests run the same files
(reference/tests/vectors.rs)."""
import json
import os

import carter
import definitions
import pmac
import specification as S
import umac
from kernels import Refused

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../vectors")
MOST = 3000  # bytes of a message; longer ones take minutes


def length(m):
    if m.get("pattern") == "concat":
        return sum(length(part) for part in m["parts"])
    return m["length"] if "length" in m else len(m.get("hex", m.get("unit_hex"))) // 2 * m.get("repeat", 1)


def message(m):
    """The bytes that vectors/ describes by `msg`."""
    if m.get("pattern") == "concat":
        return [b for part in m["parts"] for b in message(part)]
    if m.get("pattern") == "affine":
        return [(m["a"] * i + m["b"]) % 256 for i in range(m["length"])]
    return list(bytes.fromhex(m.get("hex", m.get("unit_hex"))) * m.get("repeat", 1))


def read(file, prefix):
    cases = json.load(open(os.path.join(VECTORS, file)))["cases"]
    cases = [(c, c.get("msg", {"hex": c.get("msg_hex")})) for c in cases if c["algorithm"].startswith(prefix) and "tag_hex" in c]
    return [(c, message(m)) for c, m in cases if length(m) <= MOST]


FILES = {"PMAC": ("pmac.json", "PMAC-AES"), "UMAC": ("umac-rfc4418.json", "UMAC-"), "Carter": ("carter.json", "Carter-")}


class Known:
    """The answers of a MAC on one row."""

    def __init__(self, module, row, mac):
        self.module, self.row, self.declined = module, row, []
        definitions.all_stand()
        self.make, self.cases = {"PMAC": self.pmac, "UMAC": self.umac, "Carter": self.carter}[mac], read(*FILES[mac])

    def decide(self, case, limit=None):
        case, m = self.cases[case[0]]
        try:
            got, want, proved = self.make(case, m)
        except Refused as e:
            return f"{case['id']}: {e}"
        tag = list(bytes.fromhex(case["tag_hex"]))
        wrong = [name for name, t in (("machine", got), ("specification", want), ("definitions in Coq", proved)) if t[:len(tag)] != tag]
        return f"{case['id']}: another tag by the {' and the '.join(wrong)}" if wrong else None

    def pmac(self, c, m):
        keys = S.expand(bytes.fromhex(c["key_hex"]))
        proved = definitions.pmac(lambda block: S.swap(S.encrypt(keys, S.swap(block))), m)
        return *pmac.Tag(self.module, self.row, len(keys) - 1, keys).case(len(m), message=m), list(proved.to_bytes(16, "big"))

    def umac(self, c, m):
        size, nonce = int(c["algorithm"].split("-")[1]) // 8, bytearray.fromhex(c["nonce_hex"])
        start = 0
        if size < 12:
            # RFC 4418, 3.3.1: the lowest bits of the nonce choose a part of the block.
            parts = 16 // size
            start = nonce[-1] % parts * size
            nonce[-1] -= nonce[-1] % parts
        keys = S.expand(bytes.fromhex(c["key_hex"]))
        key, block = S.umac_key(lambda index, n: S.umac_subkey(keys, index, n)), int.from_bytes(nonce, "little")
        hashed = b"".join(definitions.uhash(key, t, m).to_bytes(4, "big") for t in range(size // 4))
        proved = [a ^ b for a, b in zip(hashed, S.split(S.encrypt(key["rounds"], block), 128)[start:])]
        return *umac.Tag(self.module, self.row, size // 4, key).case(len(m), start, message=m, block=block), proved

    def carter(self, c, m):
        key = S.carter_key(bytes.fromhex(c["key_hex"]), int(c["algorithm"].split("-")[1]))
        block = int.from_bytes(bytes.fromhex(c["nonce_hex"]), "little")
        proved = definitions.carter(key, m) ^ S.encrypt(key["rounds"], block)
        check = carter.Tag(self.module, self.row, len(key["rounds"]) - 1, key)
        return *check.case(len(m), message=m, block=block), S.split(proved, 128)
