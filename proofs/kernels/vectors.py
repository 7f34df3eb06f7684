"""The known answers in vectors/, computed in three ways: by the specification, by the definitions of the proofs in Coq
(definitions.py), and by a row's function in the machine. The oracle's own tests (reference/tests/vectors.rs) run the same
files. So all four are one function on these messages.

  vectors.py IR          exit 1 if one of them differs
"""
import json
import multiprocessing
import os
import sys

import carter
import definitions
import ir
import kernels
import pmac
import specification as S
import umac
from machine import Machine

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../vectors")
# Longer messages would take minutes: the tests of the library and of the oracle have them.
LONGEST = 20000
IN_THE_MACHINE = 2500


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


def of_pmac(case, text, module, row):
    secret = bytes.fromhex(case["key_hex"])
    keys, rounds = S.expand(secret), len(secret) // 4 + 6
    f = lambda block: S.swap(S.encrypt(keys, S.swap(block)))
    bits = case.get("tag_bits", 4 * len(case["tag_hex"]))
    mask = sum((0xff << max(0, 8 * i + 8 - bits) & 0xff) << 8 * i for i in range((bits + 7) // 8))
    cut = lambda tag: [b & mask >> 8 * i & 0xff for i, b in enumerate(tag)]
    yield cut(S.pmac(keys, text))
    yield cut(definitions.pmac(f, text).to_bytes(16, "big"))
    if row:
        yield pmac.Tag(module["wegman"], row, rounds, keys=keys, mask=mask).case(len(text), message=text)[0]


def of_umac(case, text, module, row):
    size = int(case["algorithm"].split("-")[1]) // 8
    nonce = bytes.fromhex(case["nonce_hex"])
    start = nonce[-1] % (16 // size) * size
    block = int.from_bytes(nonce[:-1] + bytes([nonce[-1] - nonce[-1] % (16 // size)]), "little")
    keys = S.expand(bytes.fromhex(case["key_hex"]))
    key = S.umac_key(lambda index, n: S.umac_subkey(keys, index, n))
    yield S.umac(key, size // 4, text, block, start)
    pad = S.encrypt(key["rounds"], block).to_bytes(16, "little")[start:start + size]
    hashed = b"".join(definitions.uhash(key, t, text).to_bytes(4, "big") for t in range(size // 4))
    yield [a ^ b for a, b in zip(hashed, pad)]
    if row:
        yield umac.Tag(module["wegman"], row, size // 4, key=key).case(len(text), start, message=text, block=block)[0]


def of_carter(case, text, module, row):
    secret = bytes.fromhex(case["key_hex"])
    key = S.carter_key(secret, int(case["algorithm"].split("-")[1]))
    block = int.from_bytes(bytes.fromhex(case["nonce_hex"]), "little")
    yield S.carter(key, text, block)
    yield (definitions.carter(key, text) ^ S.encrypt(key["rounds"], block)).to_bytes(16, "little")
    if row:
        yield carter.Tag(module["carter"], row, len(secret) // 4 + 6, key=key).case(len(text), message=text, block=block)[0]


def cases():
    for file, of, table in (("pmac", of_pmac, pmac), ("pmac-ours", of_pmac, pmac), ("umac-rfc4418", of_umac, umac),
                            ("carter", of_carter, carter)):
        for case in json.load(open(os.path.join(FOLDER, file + ".json")))["cases"]:
            # Other ciphers have no kernels; messages of bits are no messages of bytes.
            if not any(name in case["algorithm"] for name in ("RC6", "DES")) and case.get("bits", 0) % 8 == 0:
                yield of, table, case


def agree(i):
    """Whether all agree: None if the message is too long, otherwise how many answers there were; 0 if one is wrong."""
    of, table, case = CASES[i]
    described = case.get("msg", {"hex": case.get("msg_hex")})
    if length(described) > LONGEST:
        return i, None
    text = message(described)
    rows = ROWS[table.__name__]
    row = rows[i % len(rows)] if len(text) <= IN_THE_MACHINE else None
    tag = list(bytes.fromhex(case["tag_hex"]))
    answers = list(of(case, text, MODULE, row))
    right = all(list(answer[:len(tag)]) == tag for answer in answers)
    return i, len(answers) if right else 0


def main():
    global CASES, MODULE, ROWS
    MODULE = {name: ir.Module(os.path.join(sys.argv[1], name + ".ll")) for name in ("wegman", "carter")}
    CASES, ROWS = list(cases()), {}
    for table, crate, words in ((pmac, "wegman", 12), (umac, "wegman", 34), (carter, "carter", 12)):
        found = kernels.table(Machine(MODULE[crate]), table.ROWS, words)
        ROWS[table.__name__] = [row for row, functions in found.items() if functions[2 if table is carter else 0]]
    lines = definitions.all_stand()
    counts, wrong, long = {}, 0, 0
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for i, n in pool.imap_unordered(agree, range(len(CASES)), chunksize=4):
            name = CASES[i][1].__name__
            long += n is None
            if n == 0:
                wrong += 1
                print(f"{CASES[i][2]['id']}: specification, Coq's definitions, kernel and the known answer differ")
            if n:
                both = counts.setdefault(name, [0, 0])
                both[0] += 1
                both[1] += n == 3
    for name, (all_of, run) in sorted(counts.items()):
        print(f"{name}: {all_of} known answers by the specification and by Coq's definitions, {run} by kernels ({', '.join(ROWS[name])})")
    print(f"{wrong} wrong, {long} left out, longer than {LONGEST} bytes; {lines} lines of proofs/coq stand as they were")
    return 1 if wrong or len(counts) != 3 else 0


if __name__ == "__main__":
    sys.exit(main())
