"""The checker must refuse: wrong specifications, wrong premises, wrong models. Each runs in a process of its own, with
one name replaced."""
import re
from collections import namedtuple

import carter
import decisions
import ir
import keys
import loops
import models
import pmac
import residues
import specification as S
import umac
import values as V
# `where` is a module or a class, in which `name` is replaced by what `wrong` makes of it; `why` is a pattern of the refusal.
Control = namedtuple("Control", "title where name wrong make args case why", defaults=("",))
STEPS = 1_000_000  # of z3 for a question: an error may make one that it can't decide


def plant(control):
    setattr(control.where, control.name, control.wrong(getattr(control.where, control.name)))


def with_l3(bound):
    def wrong(fresh):
        return lambda name, width, hi=None, cuts=(): fresh(name, width, bound if name.startswith("l3") else hi, cuts)
    return wrong


def patched(code, by):
    """Machine code in which each such sequence of bytes is another one."""
    return lambda image: re.sub(code, by, image, flags=re.DOTALL)


def with_k64(bound):
    def wrong(fresh):
        return lambda name, width, hi=None, cuts=(): fresh(name, width, bound if name.startswith("k64") else hi, cuts)
    return wrong


def one_more(module):
    """`residues` with another declaration of squares."""
    class Field(module.Field):
        def declare(self, v, p):
            super().declare(v, self.add(p, self.number(1)))
    return type("residues", (), {"Field": Field})


def found(pattern):
    """The place of a model."""
    return next(i for i, (p, _) in enumerate(models.MODELS) if p.match(pattern))


def lower_half(models):
    """madd52hi as madd52lo."""
    i = found("x86.avx512.vpmadd52h.uq.512")
    pattern, madd = models[i]
    return [*models[:i], (pattern, lambda m, name, *rest: madd(m, name.replace("52h", "52l"), *rest)), *models[i + 1:]]


def not_last(models):
    """aesenclast as aesenc."""
    i = found("x86.aesni.aesenclast")
    pattern, aes = models[i]
    return [*models[:i], (pattern, lambda m, name, *rest: aes(m, "aesenc", *rest)), *models[i + 1:]]


def without(op):
    return lambda known: {name: f for name, f in known.items() if name != op}


class Question:
    """One that the checker must answer with no."""

    def __init__(self, asked):
        self.asked, self.declined = asked, []

    def decide(self, case, limit=None):
        return None if self.asked() else "no"


def part_of_residue():
    """Is half a residue the residue?"""
    field, a, b = residues.Field(S.P64), V.fresh("a", 64), V.fresh("b", 64)
    residue = field.least(field.named(field.add(field.of(a, 64), field.of(b, 64))), 64)
    half = residue[1:] + (V.ZERO,)
    return field.least(field.of(half, 64), 64) == residue


def taken_off():
    """Is a number less a product the number?"""
    a, b = (V.concat([(V.fresh(name, 16), 16), (0, 48)]) for name in "ab")
    return decisions.same_number(V.add(1 << 40, V.mul(a, b, 64), 64, -1), 1 << 40, 64)


def with_product():
    """Is the sum of a secret product and a public number public?"""
    a, b, n = (V.fresh(name, 64) for name in "abn")
    walker = loops.Walker.__new__(loops.Walker)
    walker.publics = {loops.owner(n): True}
    return walker.public(V.add(V.mul(a, b, 64), n, 64))


# Those that take seconds: not in `--few`.
LONG = ("keys of level 3: the modulus 2^36 - 7", "a model: madd52hi is madd52lo", "UMAC, any number of chunks: another marker",
        "POLY: another offset", "POLY: k64 of 58 bits", "Carter's key: for tags of 12 bytes")


def controls(module, few=False):
    return [c for c in every(module) if not (few and c.title in LONG)]


def every(module):
    w, c, code = module["wegman"], module["carter"], module["code"]
    made = ir.Joined(module["instances"], w, c)
    out = [
        Control("level 3: keys of 41 bits", V, "fresh", with_l3(2**41 - 1), umac.Tag, (w, "avx2", 1), (5,)),
        Control("level 3: keys of 52 bits", V, "fresh", with_l3(2**52 - 1), umac.Tag, (w, "sse", 2), (43,)),
        Control("NH: words with their highest byte first", S, "little", lambda f: lambda p: f(p[::-1] if len(p) == 4 else p),
                umac.Tag, (w, "avx2", 2), (43,)),
        Control("UMAC: chunks of 512 bytes", S, "CHUNK", lambda n: n // 2, umac.Tag, (w, "avx2", 1), (600,)),
        Control("UMAC: the modulus 2^36 - 7", S, "P36", lambda p: p - 2, umac.Tag, (w, "avx2", 1), (5,)),
        Control("POLY: another marker", S, "MARKER", lambda p: p - 1, umac.Absorb, (w, "avx512", 1), (5, 1)),
        Control("POLY: another limit", S, "MAXWORD", lambda p: p + 1, umac.Absorb, (w, "avx512", 1), (5, 1)),
        Control("POLY: another offset", S, "OFFSET", lambda p: p + 1, umac.Absorb, (w, "avx512", 1), (5, 1)),
        Control("POLY: k64 of 58 bits", V, "fresh", with_k64(2**58 - 1), umac.Absorb, (w, "avx2", 1), (5, 1)),
        Control("UMAC: a square that is k64 times itself and 1", umac, "residues", one_more, umac.Absorb, (w, "sse", 1), (5, 1)),
        Control("Carter: double the length", S, "carter_dot", lambda f: lambda a, b: f(2 * a if isinstance(a, int) else a, b),
                carter.Tag, (c, "pclmul", 10), (16,)),
        Control("Carter: another modulus", carter, "MODULUS", lambda m: m + 1, carter.Tag, (c, "pclmul", 10), (16,)),
        Control("PMAC: offsets without Gray code", S, "gray", lambda f: lambda i: i, pmac.Tag, (w, "vaes256", 10), (60,)),
        Control("PMAC: 2 L in place of L / 2", S, "pmac_half", lambda f: S.pmac_double, pmac.Tag, (w, "vaes512", 10), (64,)),
        Control("PMAC, any number of groups: offsets without Gray code", S, "gray", lambda f: lambda i: i, pmac.AnyGroups, (w, "vaes256", 10), ()),
        Control("PMAC, any number of groups: the number of the group's first block", pmac.loops, "low_bits", lambda f: lambda v: V.add(f(v), 32, 64),
                pmac.AnyGroups, (w, "vaes512", 10), ()),
        Control("UMAC, any number of chunks: another marker", S, "MARKER", lambda p: p - 1, umac.AnyChunks, (w, "avx2", 1), ()),
        Control("UMAC, inner: the modulus 2^36 - 7", S, "P36", lambda p: p - 2, umac.Inner, (w, "avx2", 1), ()),
        Control("encrypt: one round less", S, "encrypt", lambda f: lambda keys, block: f([*keys[:9], keys[10]], block), carter.Tag, (c, "avx512", 10), (16,)),
        Control("AES: the schedule's constants are not reduced", V, "doubled", lambda f: lambda b: b << 1 & 0xff, keys.Schedule, (w,), (16,)),
        Control("KDF: the next subkey", S, "umac_subkey", lambda f: lambda k, index, n: f(k, index + 1, n), keys.Kdf, (w,), (2, 48)),
        Control("keys of level 3: the modulus 2^36 - 7", S, "P36", lambda p: p - 2, keys.Levels, (w,), (2,)),
        Control("PMAC's key: offsets without Gray code", pmac, "gray", lambda f: lambda i: i, keys.Pmac, (made,), ("vaes256", 10)),
        Control("PMAC's key: 2 L in place of L / 2", S, "pmac_half", lambda f: S.pmac_double, keys.Pmac, (made,), ("aesni", 14)),
        Control("Carter's key: for tags of 12 bytes", S, "carter_key", lambda f: lambda secret, bits: f(secret, 96), keys.Carter, (made,), ("avx512", 10)),
        Control("Carter: a product with carries", keys, "product", lambda f: lambda a, b: V.mul(S.wide(a, 64, 128), S.wide(b, 64, 128), 128),
                keys.Product, (c,), ()),
        Control("a model: madd52hi is madd52lo", models, "MODELS", lower_half, umac.Tag, (w, "avx512", 1), (1025,)),
        Control("a model: aesenclast is aesenc", models, "MODELS", not_last, pmac.Tag, (w, "aesni", 10), (16,)),
        Control("machine code: aesenc for aesenclast", code, "image", patched(rb"\x0f\x38\xdd", b"\x0f\x38\xdc"), pmac.Tag, (code, "aesni", 10), (16,)),
        Control("machine code: vpaddd for vpaddq", code, "image", patched(rb"(\xc5.)\xd4", b"\\1\xfe"), umac.Tag, (code, "avx2", 2), (43,)),
        Control("machine code: pop rdx for pop rbx", code, "image", patched(rb"\x5b\x41", b"\x5a\x41"), umac.Tag, (code, "avx2", 2), (43,)),
        Control("an instruction without a model", ir, "READERS", without("shufflevector"), pmac.Tag, (w, "vaes512", 10), (64,),
                r"an instruction without a model: .*shufflevector.* \(wegman\.ll, line \d+, "),
        Control("an intrinsic without a model", models, "MODELS", lambda models: [], pmac.Tag, (w, "vaes512", 10), (64,),
                r"an intrinsic without a model: .* \(wegman\.ll, line \d+, "),
        *(Control(f.__doc__, V, "EXACT", lambda n: n, Question, (f,), (), "no") for f in (part_of_residue, taken_off, with_product)),
        Control("a range that a load does not keep", ir.Reader, "promised", lambda f: lambda x: {**f(x), "range": [[0, 1]]}, pmac.Tag,
                (w, "aesni", 10), (16,), r"outside of its range \(wegman\.ll, line \d+, "),
    ]
    return out
