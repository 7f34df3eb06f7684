"""The definitions of the theorems in proofs/coq, line by line with numbers for what Coq leaves open: bytes, words, fields.
`OF` has Coq's text, which must stand in its file. answers.py computes known answers with them."""
import pathlib
import re

COQ = pathlib.Path(__file__).resolve().parents[1] / "coq"

OF = {
    "Uhash.v": [
        "Definition C := 1024.",
        "Definition pairs := 128.",
        "Definition start (p : nat) (b : bool) := 32 * (p %/ 4) + 4 * (p %% 4) + 16 * b.",
        "Definition bytes_at M s := mkseq (fun t => nth zero M (s + t)) 4.",
        "Definition elements M (ph : 'I_pairs * bool) : W := elt (bytes_at M (start ph.1 ph.2)).",
        "Definition counts s (p : 'I_pairs) := (p %/ 4 == 0) || (32 * (p %/ 4) < s).",
        "unsigned (K (p, false) + elements M (p, false))%R (K (p, true) + elements M (p, true))%R.",
        "Definition level1 K M : V := (\\sum_(p | counts (size M) p) product_at K M p + (8 * size M)%:R)%R.",
        "Definition chunks_of len := (len.-1 %/ C).+1. (* the empty message is one empty chunk *)",
        "Definition chunk M i := take C (drop (C * i) M).",
        "if size ws <= 1 then nth 0 ws 0",
        "else if size ws <= n64 then (POLY64 k.1 ws : nat) else (POLY128 k.2 (later k.1 ws) : nat).",
    ],
    "Poly.v": [
        "Definition steps (x : F) ts : F := foldl (fun y t => x * y + t) 1 ts.",
        "Definition coded w : seq F := if (w < limit)%N then [:: number w] else [:: number p.-1; number (w - offset)].",
        "Definition code ws : seq F := flatten (map coded ws).",
        "Definition POLY (k : K) ws : F := steps (point k) (code ws).",
    ],
    "L3.v": [
        "Definition inner (k : key) (m : 'I_n -> F) : F := \\sum_i m i * red (k i).",
        "Definition low (u : 'F_p) : nat := (u %% T)%N.",
    ],
    "UhashBound.v": [
        "Definition digits (y : nat) (i : 'I_8) : 'F_p := (((y %/ D ^ i) %% D)%N)%:R%R.",
        "mkseq (fun i => level1 zero elt K (chunk M i) : nat) (chunks_of (size M)).",
    ],
    "Carter.v": [
        "\\sum_(i < n | A i) c * (M (i, false) + K (i, false)) * (M (i, true) + K (i, true)).",
        "Definition L2 r ys : F := foldl (fun y l => c * y * r + l) 0 ys.",
        "Definition B := 2048.",
        "Definition pairs := 64. (* pair p is pair p %% 4 of group p %/ 4 *)",
        "Definition start (p : nat) := 128 * (p %/ 4) + 16 * (p %% 4). (* of its x; its y is 64 bytes later *)",
        "Definition half M s (h : bool) := mkseq (fun t => nth zero M (s + 8 * h + t)) 8.",
        "[ffun ph : 'I_pairs * bool => elt (half M (start ph.1) ph.2 ++ half M (start ph.1 + 64) ph.2)].",
        "Definition counts M : pred 'I_pairs := fun p => start p < size M.",
        "Definition blocks_of len := (len.-1 %/ B).+1. (* the empty message is one empty block *)",
        "Definition block M i := take B (drop (B * i) M).",
        "(L2 c r (mkseq (fun i => level1 K (block M i)) (blocks_of (size M))) + c * number (size M) * kL)%R.",
    ],
    "Pmac.v": [
        "Definition place (L : F) t : F := t.1 * L + t.2.",
        "Definition at_place f t : F := f (place (f 0) t).",
        "Definition total a c s f : F := a * f 0 + c + \\sum_(t <- s) at_place f t.",
        "Definition pairs M := zip (mkseq gamma (size M.1.1)) M.1.1.",
        "Definition last M : F := if M.2 then half else 0.",
        "Definition final f M := total (last M) M.1.2 (pairs M) f.",
        "Definition tag f M : F := f (final f M).",
    ],
}


def plain(text):
    """Without comments, in which a definition defines nothing, and with one space in place of many."""
    while text != (text := re.sub(r"\(\*(?:(?!\(\*|\*\)).)*\*\)", "", text, flags=re.S)):
        pass
    return " ".join(text.split())


def all_stand():
    for file, lines in OF.items():
        whole = plain((COQ / file).read_text())
        for text in lines:
            if plain(text) not in whole:
                raise SystemExit(f"proofs/coq/{file} has no definition like this any more: {text}")
    return sum(len(lines) for lines in OF.values())


def at(source, s, n):
    """mkseq of nth zero: bytes behind the end are zero."""
    return bytes(source[s:s + n]).ljust(n, b"\0")


# UHASH of one stream: N = 2^32, 'elt' reads with the lowest byte first.

N, C, P64, P36 = 2**32, 1024, 2**64 - 59, 2**36 - 5
LIMIT64, OFFSET64, WORDS64 = 2**64 - 2**32, 59, 2**14


def level1(k, m):
    start = lambda p, b: 32 * (p // 4) + 4 * (p % 4) + 16 * b
    element = lambda p, b: int.from_bytes(at(m, start(p, b), 4), "little")
    total = 8 * len(m)
    for p in range(128):
        if p // 4 == 0 or 32 * (p // 4) < len(m):
            factors = ((k[start(p, b) // 4] + element(p, b)) % N for b in (False, True))
            total += next(factors) * next(factors)
    return total % (N * N)


def poly64(k, words):
    code = [t for w in words for t in ([w] if w < LIMIT64 else [P64 - 1, w - OFFSET64])]
    y = 1
    for t in code:
        y = (k * y + t) % P64
    return y


def uhash(key, t, m):
    """One stream, of at most 2^14 chunks, with the mask that RFC 4418 adds."""
    chunks = (max(len(m), 1) - 1) // C + 1
    words = [level1(key["l1"][4 * t:], m[C * i:][:C]) for i in range(chunks)]
    assert len(words) <= WORDS64
    word = words[0] if len(words) <= 1 else poly64(key["l2"][t], words)
    digits = [word // 2**(16 * i) % 2**16 for i in range(8)]  # whose keys are numbered from the other end
    return sum(d * k for d, k in zip(digits, key["l3"][t][::-1])) % P36 % 2**32 ^ key["mask"][t]


# Fields of 2^128 elements: numbers whose bit i is the coefficient of x^i.


def product(a, b, modulus):
    out = 0
    for i in range(128):
        out ^= a if b >> i & 1 else 0
        a = a << 1 ^ (modulus if a >> 127 else 0)
    return out


CARTER = 1 << 128 | 1 << 127 | 1 << 126 | 1 << 121 | 1
PMAC = 1 << 128 | 0x87


def by_x(a, modulus):
    """a / x"""
    return (a ^ (modulus if a & 1 else 0)) >> 1


def inverse_of_power(n, modulus):
    out = 1
    for _ in range(n):
        out = by_x(out, modulus)
    return out


CONSTANT = inverse_of_power(128, CARTER)


def carter(key, m):
    times = lambda *v: v[0] if len(v) == 1 else product(v[0], times(*v[1:]), CARTER)
    start = lambda p: 128 * (p // 4) + 16 * (p % 4)
    of = lambda s, p, h: int.from_bytes(at(s, start(p) + 8 * h, 8) + at(s, start(p) + 64 + 8 * h, 8), "little")
    y = 0
    for i in range((max(len(m), 1) - 1) // 2048 + 1):
        block, level = m[2048 * i:][:2048], 0
        for p in range(64):
            if start(p) < len(block):
                level ^= product(*(of(block, p, h) ^ of(key["k"], p, h) for h in (False, True)), CARTER)
        y = times(CONSTANT, y, key["r"]) ^ times(CONSTANT, level)
    return y ^ times(CONSTANT, len(m), key["length"])


def pmac(f, m):
    """`f` encrypts a number; gamma is the Gray code from one on, half is 1 / x."""
    number = lambda b: int.from_bytes(b, "big")
    m = bytes(m)
    blocks = [number(m[i:i + 16]) for i in range(0, max(len(m) - 1, 0) // 16 * 16, 16)]
    rest = m[16 * len(blocks):]
    full = len(rest) == 16
    last = number(rest if full else (rest + b"\x80").ljust(16, b"\0"))
    gamma = [(i + 1) ^ (i + 1) >> 1 for i in range(len(blocks))]
    l = f(0)
    total = (product(inverse_of_power(1, PMAC), l, PMAC) if full else 0) ^ last
    for t in zip(gamma, blocks):
        total ^= f(product(l, t[0], PMAC) ^ t[1])
    return f(total)
