"""Writes Answers.v, the known answers of vectors/ as Coq reads them, to $1."""
import itertools, json, pathlib, sys

VECTORS = pathlib.Path(__file__).resolve().parents[1] / "vectors"

def message(m):
    """The bytes that a file of vectors describes."""
    if "hex" in m:
        return bytes.fromhex(m["hex"])
    if m["pattern"] == "repeat":
        return bytes.fromhex(m["unit_hex"]) * m["repeat"]
    if m["pattern"] == "affine":
        period = bytes((m["a"] * i + m["b"]) % 256 for i in range(256))
        return (period * (m["length"] // 256 + 1))[:m["length"]]
    assert m["pattern"] == "concat", m
    return b"".join(map(message, m["parts"]))

def string(b):
    rows = [f"bytes_of {len(r)} 0x{r.hex()}" for r in (b[i:i + 32] for i in range(0, len(b), 32))]
    return " ++ ".join(rows) or "[::]"

class Chunks:
    """Every chunk of 1024 bytes is written once."""
    def __init__(self):
        self.names, self.text = {}, []

    def name(self, chunk):
        if chunk not in self.names:
            self.names[chunk] = f"chunk{len(self.names)}"
            self.text.append(f"Definition {self.names[chunk]} : seq N := Eval vm_compute in {string(chunk)}.")
        return self.names[chunk]

    def runs(self, m):
        """Equal chunks with their number, and what is left, of which there is something."""
        n = max(len(m) - 1, 0) // 1024
        rows = [(k, len(list(g))) for k, g in itertools.groupby(m[1024 * i:][:1024] for i in range(n))]
        return "([:: " * bool(rows) + "; ".join(f"({count}%nat, {self.name(k)})" for k, count in rows) + "]" * bool(rows) or "([::]", string(m[1024 * n:])

def cases(file, wanted):
    for case in json.loads((VECTORS / file).read_text())["cases"]:
        m = message(case["msg"]) if "msg" in case else bytes.fromhex(case["msg_hex"])
        if wanted(case, len(m)):
            yield case, m

chunks = Chunks()

def umac(case, m):
    runs, rest = chunks.runs(m)
    key, nonce, tag = (case[f"{part}_hex"] for part in ("key", "nonce", "tag"))
    return f"({string(bytes.fromhex(key))}, {len(tag) // 8}%nat, {len(nonce) // 2}, 0x{nonce}, {runs}, {rest}), 0x{tag})"

sys.stdout = open(sys.argv[1], "w")
print("From Coq Require Import String NArith.\nFrom mathcomp Require Import all_ssreflect.\nRequire Import Aes RunUmac.\nLocal Open Scope N_scope.")
rows = [(case["id"], umac(case, m)) for case, m in cases("umac-rfc4418.json", lambda c, l: c["origin"] == "official" or int(c["id"][-4:]) % 40 == 0 or "concat" in str(c) and int(c["id"][-4:])>552 )]
print("\n".join(chunks.text))
for n, r in rows: print(f'Time Eval vm_compute in ("{n}"%string, holds {r}).')
