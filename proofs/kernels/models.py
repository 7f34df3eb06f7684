"""Models of LLVM's intrinsics and, as the manuals of Intel and Arm have them, of instructions. hardware.py compares
those of instructions with an x86 processor and with QEMU's ARM.

A model gets the machine, the type of the result, the width of its lanes, the arguments and their types.
"""
import re
import values as V
from ir import lane
from machine import bitcast, concrete, lanes
from values import Refused

MODELS = []  # (pattern of a name, model)
WITHOUT_EFFECT = {"prefetch", "donothing"}


def model(*patterns):
    def add(f):
        MODELS.extend((re.compile(p.replace(".", r"\.").replace("*", ".*") + "$"), f) for p in patterns)
        return f
    return add


FOUND = {}


def intrinsic(m, name, t, args, types):
    base = re.sub(r"(\.(p\d|[iv]\d+\w*))+$", "", name)
    m.count("@" + base)
    if base in WITHOUT_EFFECT:
        if any(isinstance(v, tuple) and not m.public(v) for v in args):
            raise Refused("an address depends on secret data")  # the cache shows which
        return None
    if base not in FOUND:
        FOUND[base] = next((f for p, f in MODELS if p.match(base)), None)
    if FOUND[base] is None:
        raise Refused("an intrinsic without a model: " + name)
    return FOUND[base](m, base, t, lane(t), args, types)


@model("assume")
def assume(m, name, t, w, a, types):
    if concrete(a[0], "an assumption") != 1:
        raise Refused("an assumption is wrong")


@model("umin", "umax")
def minimum(m, name, t, w, a, types):
    if name == "umin":
        return lanes(t, lambda x, y: V.umin(x, y, w), *a)
    return lanes(t, lambda x, y: V.select(V.ult(x, y, w), y, x, w), *a)


@model("usub.sat")
def saturating(m, name, t, w, a, types):
    return lanes(t, lambda x, y: V.select(V.ult(x, y, w), 0, V.add(x, y, w, -1), w), *a)


@model("uadd.with.overflow", "usub.with.overflow")
def with_overflow(m, name, t, w, a, types):
    w = lane(types[0])
    x, y = a
    r = V.add(x, y, w, 1 if name[1] == "a" else -1)
    return [r, V.ult(r, y, w) if name[1] == "a" else V.ult(x, y, w)]


@model("bswap")
def bswap(m, name, t, w, a, types):
    return lanes(t, lambda x: V.concat([(V.cut(x, i - 8, i, w), 8) for i in range(w, 0, -8)]), *a)


@model("cttz", "ctlz", "ctpop")
def count_bits(m, name, t, w, a, types):
    x = concrete(a[0], "a count of bits")
    if name == "ctpop":
        return bin(x).count("1")
    if x == 0 and a[1]:
        return None
    return w - x.bit_length() if name == "ctlz" else (x & -x).bit_length() - 1 if x else w


@model("fshl", "fshr")
def funnel(m, name, t, w, a, types):
    def one(x, y, n):
        n = concrete(n, "a shift") % w
        at = w - n if name == "fshl" else n
        return V.cut(V.concat([(y, w), (x, w)]), at, at + w, 2 * w)
    return lanes(t, one, *a)


@model("memcpy", "memmove", "memset")
def memory(m, name, t, w, a, types):
    n = concrete(a[2], "a length")
    if n:
        m.write(a[0], [a[1]] * n if name == "memset" else m.read(a[1], n))


@model("masked.load")
def masked_load(m, name, t, w, a, types):
    mask, other = a[-2:]
    return [m.load(a[0] + i * w // 8, t[2]) if concrete(k, "a mask") else other[i] for i, k in enumerate(mask)]


@model("masked.store")
def masked_store(m, name, t, w, a, types):
    t = types[0]
    for i, k in enumerate(a[-1]):
        if concrete(k, "a mask"):
            m.store(a[1] + i * lane(t) // 8, t[2], a[0][i])


@model("vector.reduce.add", "vector.reduce.xor", "vector.reduce.or")
def reduce(m, name, t, w, a, types):
    n = 0
    for x in a[0]:
        n = V.OPERATIONS[name.rsplit(".", 1)[1]](n, x, w)
    return n


# x86


@model("x86.bmi.bzhi.64", "x86.bmi.bzhi.32")
def bzhi(m, name, t, w, a, types):
    return V.and_(a[0], (1 << min(concrete(a[1], "a mask") & 0xff, w)) - 1, w)


@model("x86.aesni.aesenc*")
def aesenc(m, name, t, w, a, types):
    blocks = ("v", t[1] * w // 128, ("i", 128))
    state, key = (bitcast(t, blocks, v) for v in a)
    return bitcast(blocks, t, [V.aesenc(x, y, "last" in name) for x, y in zip(state, key)])


@model("x86.pclmulqdq*")
def pclmulqdq(m, name, t, w, a, types):
    imm, out = concrete(a[2], "an operand"), []
    for i in range(0, t[1], 2):
        p = V.clmul(a[0][i + (imm & 1)], a[1][i + (imm >> 4 & 1)])
        out += [V.cut(p, 0, 64, 128), V.cut(p, 64, 128, 128)]
    return out


@model("x86.ssse3.pshuf.b.128", "x86.avx2.pshuf.b", "x86.avx512.pshuf.b.512")
def pshufb(m, name, t, w, a, types):
    order = [concrete(k, "a shuffle") for k in a[1]]
    return [0 if k & 0x80 else a[0][i // 16 * 16 + k % 16] for i, k in enumerate(order)]


@model("x86.avx512.permvar*", "x86.avx2.permd", "x86.avx2.permps")
def permute(m, name, t, w, a, types):
    return [a[0][concrete(k, "a permutation") % len(a[0])] for k in a[1]]


@model("x86.avx512.vpermi2var*")
def permute_two(m, name, t, w, a, types):
    both = a[0] + a[2]
    return [both[concrete(k, "a permutation") % len(both)] for k in a[1]]


@model("x86.avx512.vpmadd52*")
def madd52(m, name, t, w, a, types):
    low = "52l" in name

    def one(c, x, y):
        if c is None or x is None or y is None:
            return None
        p = V.product(V.poly(V.cut(x, 0, 52, 64), 52, 104), V.poly(V.cut(y, 0, 52, 64), 52, 104))
        whole = V.of_poly(p, 104)
        part = V.cut(whole, 0, 52, 104) if low else V.cut(whole, 52, 104, 104)
        return V.add(c, V.concat([(part, 52), (0, 12)]), 64)
    return [one(*x) for x in zip(*a)]


@model("x86.avx512.pternlog*")
def ternary(m, name, t, w, a, types):
    """The table of the operation as a polynomial over GF(2)."""
    imm = concrete(a[3], "an operand")
    n = [imm >> i & 1 for i in range(8)]
    for i in (1, 2, 4):
        for j in range(8):
            if j & i:
                n[j] ^= n[j ^ i]

    def one(*xyz):
        r = 0
        for j in range(8):
            if n[j]:
                product = (1 << w) - 1
                for bit, v in zip((4, 2, 1), xyz):
                    product = V.and_(product, v, w) if j & bit else product
                r = V.xor(r, product, w)
        return r
    return [one(*x) for x in zip(*a[:3])]


@model("x86.sse2.pmadd.wd", "x86.avx2.pmadd.wd", "x86.avx512.pmaddw.d.512")
def pmaddwd(m, name, t, w, a, types):
    def signed(x):
        p = V.poly(x, 16, 32)
        return V.plus(p, {k: c << 16 for k, c in V.poly(V.cut(x, 15, 16, 16), 1, 32).items()}, -1)
    out = []
    for i in range(t[1]):
        pairs = [(a[0][j], a[1][j]) for j in (2 * i, 2 * i + 1)]
        if any(v is None for pair in pairs for v in pair):
            out.append(None)
            continue
        p = V.plus(*(V.product(signed(x), signed(y)) for x, y in pairs))
        out.append(V.of_poly(p, 32))
    return out


# AArch64


@model("aarch64.crypto.aese")
def aese(m, name, t, w, a, types):
    """The round's first half: the key is added before it."""
    block = ("i", 128)
    state, key = (bitcast(t, block, v) for v in a)
    return bitcast(block, t, V.aesenc(V.xor(state, key, 128), 0, last=True))


@model("aarch64.crypto.aesmc")
def aesmc(m, name, t, w, a, types):
    """The second half. Of unknown bytes it is known only behind the first half."""
    if None in a[0]:
        return [None] * 16
    state = [None] * 16
    for i, b in enumerate(a[0]):
        box = V.whole(b)
        if isinstance(b, tuple) and (box is None or box.kind != "sbox"):
            raise Refused("aesmc of what is not aese's")
        state[(i + 4 * (i % 4)) % 16] = (V.SBOX.index(b) if box is None else box.args, 8)
    return bitcast(("i", 128), t, V.aesenc(V.concat(state), 0))


@model("aarch64.neon.tbl1")
def tbl1(m, name, t, w, a, types):
    order = [concrete(k, "a shuffle") for k in a[1]]
    return [a[0][k] if k < 16 else 0 for k in order]


@model("aarch64.neon.ld2")
def ld2(m, name, t, w, a, types):
    """Every second lane from memory, and the others."""
    n, part = t[1][0][1], t[1][0][2]
    both = m.load(a[0], ("v", 2 * n, part))
    return [both[::2], both[1::2]]


@model("aarch64.neon.ld2r")
def ld2r(m, name, t, w, a, types):
    """Two numbers, each in all lanes of its own."""
    n, part = t[1][0][1], t[1][0][2]
    return [[v] * n for v in m.load(a[0], ("v", 2, part))]


@model("aarch64.neon.pmull64")
def pmull64(m, name, t, w, a, types):
    return bitcast(("i", 128), t, V.clmul(*a))


@model("aarch64.neon.uaddlp")
def uaddlp(m, name, t, w, a, types):
    long = [V.concat([(x, w // 2), (0, w // 2)]) for x in a[0]]
    return [V.add(x, y, w) for x, y in zip(long[::2], long[1::2])]
