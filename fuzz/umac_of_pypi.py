"""Answers each line `BYTES KEY NONCE MESSAGE...` with the tag that PyPI's umac makes of the message in pieces."""

import sys

from umac import UMAC

for line in sys.stdin:
    size, key, nonce, *pieces = line.rstrip("\n").split(" ")
    umac = UMAC(int(size), bytes.fromhex(key), bytes.fromhex(nonce))
    for piece in pieces:
        umac.update(bytes.fromhex(piece))
    print(umac.digest().hex(), flush=True)
