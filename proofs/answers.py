"""Writes Answers.v, the known answers of vectors/ as Coq reads them, to $1."""
import itertools, json, pathlib, re, sys

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
        rows = [(k, len(list(g))) for k, g in itertools.groupby(m[1024 * i:1024 * (i + 1)] for i in range(n))]
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

def pmac(case, m):
    return f"({string(bytes.fromhex(case['key_hex']))}, {string(m)}, 0x{case['tag_hex']})"

def carter(case, m):
    key, nonce, tag = (case[f"{part}_hex"] for part in ("key", "nonce", "tag"))
    return f"({string(bytes.fromhex(key))}, {len(tag) // 2}%nat, {len(nonce) // 2}, 0x{nonce}, {string(m)}, 0x{tag})"

def number(case):
    return int(re.search("[0-9]+$", case["id"])[0])

# All that the authors published, and others of every kind.
pmacs = [pmac(*c) for c in cases("pmac.json", lambda c, n: "AES" in c["algorithm"] and n < 3000 and (c["origin"] == "official" or number(c) % 20 == 0))]
carters = [carter(*c) for c in cases("carter.json", lambda c, n: n < 5000 and number(c) % 5 == 0)]
umacs = [umac(*c) for c in cases("umac-rfc4418.json", lambda c, n: c["origin"] == "official" or number(c) % 40 == 0 or number(c) in (554, 560))]
if min(len(pmacs), len(carters), len(umacs)) < 12:
    sys.exit("proofs/answers.py: vectors/ has fewer than 12 known answers of one kind")
text = ["(* Known answers of vectors/, written by proofs/answers.py. *)", "From Coq Require Import NArith.",
        "From mathcomp Require Import all_ssreflect.", "Require Import Quick Aes RunUmac RunField.", "Local Open Scope N_scope.", *chunks.text]
for name, kind, holds, rows, proof in [("pmac", "seq N * seq N * N", "pmac_holds", pmacs, ""),
                                       ("carter", "seq N * nat * N * N * seq N * N", "carter_holds", carters, ""),
                                       ("umac", "answer", "holds", umacs, "rewrite -(eq_all quickE). ")]:
    listed = ";\n  ".join(rows)
    text += [f"Definition {name}_answers : seq ({kind}) := [::\n  {listed}].",
             f"Lemma {name} : all {holds} {name}_answers.", f"Proof. {proof}vm_cast_no_check (erefl true). Qed."]
pathlib.Path(sys.argv[1]).write_text("\n".join(text) + "\n")
