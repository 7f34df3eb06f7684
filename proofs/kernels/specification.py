"""PMAC, UMAC and Carter as their papers define them: RFC 4418, the PMAC paper, docs/carter.md of this repository.

Messages and keys are lists of bytes, each a number of 8 bits; other numbers have the width that is named. All may be
concrete or symbolic: the known answers are computed with the same lines that the kernels are compared with.
"""
import residues
import values as V


def little(parts):
    """Bytes as a number, the lowest first."""
    return V.concat([(b, 8) for b in parts])


def big(parts):
    return little(list(parts)[::-1])


def split(v, w):
    """A number's bytes, the lowest first."""
    return [V.cut(v, i, i + 8, w) for i in range(0, w, 8)]


def wide(v, a, b):
    """A number of a bits as one of b bits."""
    return V.concat([(v, a), (0, b - a)])


# AES (FIPS 197). A block is a number, its first byte the lowest. A round without its key is `values.aesenc`.


def encrypt(keys, block):
    """AES with the round keys."""
    state = V.xor(block, keys[0], 128)
    for key in keys[1:-1]:
        state = V.aesenc(state, key)
    return V.aesenc(state, keys[-1], last=True)


def expand(key):
    """The round keys of a key of 16, 24 or 32 bytes (FIPS 197, 5.2)."""
    n, r = len(key) // 4, 1
    w = [list(key[4 * i:4 * i + 4]) for i in range(n)]
    for i in range(n, 4 * (n + 7)):
        t = w[-1]
        if i % n == 0:
            t = [V.sbox(b) for b in t[1:] + t[:1]]
            t[0] = V.xor(t[0], r, 8)
            r = V.doubled(r)
        elif n > 6 and i % n == 4:
            t = [V.sbox(b) for b in t]
        w.append([V.xor(a, b, 8) for a, b in zip(w[-n], t)])
    return [little(sum(w[i:i + 4], [])) for i in range(0, len(w), 4)]


def encrypted(keys, blocks, n):
    """The first n bytes of what blocks of known bytes encrypt to."""
    return sum((split(encrypt(keys, little(b)), 128) for b in blocks), [])[:n]


# PMAC. The paper's strings are numbers whose highest byte is the first.


def swap(v):
    return big(split(v, 128))


def pmac_double(l):
    """L x in GF(2^128) mod x^128 + x^7 + x^2 + x + 1."""
    b = V.bits(l, 128)
    return V.norm([x ^ b[127] if i in (0, 1, 2, 7) else x for i, x in enumerate((V.ZERO,) + b[:127])])


def pmac_half(l):
    """L / x."""
    b = V.bits(l, 128)
    return V.norm([x ^ b[0] if i in (127, 6, 1, 0) else x for i, x in enumerate(b[1:] + (V.ZERO,))])


def pmac_times(l, n):
    """L times the polynomial n."""
    out = 0
    for i in range(n.bit_length()):
        out = V.xor(out, l, 128) if n >> i & 1 else out
        l = pmac_double(l)
    return out


def gray(i):
    return i ^ i >> 1


def pmac(keys, message):
    cipher = lambda block: swap(encrypt(keys, swap(block)))
    l = cipher(0)
    blocks = max(1, -(-len(message) // 16))
    total = 0
    for i in range(1, blocks):
        block = big(message[16 * i - 16:16 * i])
        total = V.xor(total, cipher(V.xor(block, pmac_times(l, gray(i)), 128)), 128)
    last = message[16 * (blocks - 1):]
    if len(last) == 16:
        total = V.xor(V.xor(total, big(last), 128), pmac_half(l), 128)
    else:
        total = V.xor(total, big(last + [0x80] + [0] * (15 - len(last))), 128)
    return split(swap(cipher(total)), 128)


# UMAC (RFC 4418). A key has `l1`, 268 numbers of 32 bits; `l2`, for each stream k64; `l3`, for each stream eight
# numbers of 64 bits below P36; `mask`, for each stream 32 bits; `rounds`, the round keys for the pads.

P36, P64 = 2**36 - 5, 2**64 - 59
CHUNK, MARKER, OFFSET, MAXWORD = 1024, P64 - 1, 59, 2**64 - 2**32


def nh(k, message):
    """5.2.2, of at most 1024 bytes: words are read with their lowest byte first (5.2.1)."""
    n = max(32, -(-len(message) // 32) * 32)
    padded = message + [0] * (n - len(message))
    m = [little(padded[i:i + 4]) for i in range(0, n, 4)]
    y = 0
    for i in range(0, len(m), 8):
        for j in range(i, i + 4):
            a, b = V.add(m[j], k[j], 32), V.add(m[j + 4], k[j + 4], 32)
            y = V.add(y, V.mul(wide(a, 32, 64), wide(b, 32, 64), 64), 64)
    return V.add(y, 8 * len(message), 64)


def poly_step(field, k, y, word):
    """5.3.2: a word of 64 bits behind the value y; a word from MAXWORD on takes two steps."""
    k, m = field.of(k, 64), field.of(word, 64)
    step = lambda y, m: field.add(field.mul(k, y), m)
    two = step(step(y, field.number(MARKER)), field.add(m, field.number(-OFFSET)))
    return field.named(field.choose(V.ult(MAXWORD - 1, word, 64), two, step(y, m)))


def poly(k, words):
    field = residues.Field(P64)
    y = field.number(1)
    for word in words:
        y = poly_step(field, k, y, word)
    return field.least(y, 64)


def level3(k, mask, word):
    """5.4, of a word of 64 bits behind eight zero bytes."""
    s = 0
    for i in range(4):
        digit = V.cut(word, 48 - 16 * i, 64 - 16 * i, 64)
        s = V.add(s, V.mul(wide(digit, 16, 64), k[4 + i], 64), 64)
    return V.xor(V.cut(V.mod(s, 64, P36), 0, 32, 64), mask, 32)


def umac_word(key, t, message):
    """Levels 1 and 2 of stream t, of at most 2^24 bytes."""
    chunks = [message[i:i + CHUNK] for i in range(0, len(message), CHUNK)] or [[]]
    words = [nh(key["l1"][4 * t:], chunk) for chunk in chunks]
    return words[0] if len(words) == 1 else poly(key["l2"][t], words)


def umac_hash(key, streams, message):
    out = []
    for t in range(streams):
        out += split(level3(key["l3"][t], key["mask"][t], umac_word(key, t, message)), 32)[::-1]
    return out


def umac(key, streams, message, block, start=0):
    """The tag: the hash xor the pad, which begins at byte `start` of the encrypted block (RFC 4418, 3.3)."""
    pad = split(encrypt(key["rounds"], block), 128)[start:]
    return [V.xor(a, b, 8) for a, b in zip(umac_hash(key, streams, message), pad)]


def umac_subkey(keys, index, n):
    """KDF (3.2), n bytes, with the round keys of the secret."""
    return encrypted(keys, [index.to_bytes(8, "big") + i.to_bytes(8, "big") for i in range(1, n // 16 + 2)], n)


def umac_key(subkey, streams=4):
    """All keys of so many streams; `subkey` gives n bytes of a subkey."""
    numbers = lambda index, w, n: [big(b[i:i + w]) for b in [subkey(index, n)] for i in range(0, n, w)]
    l3 = [V.mod(k, 64, P36) for k in numbers(3, 8, 64 * streams)]
    return {"l1": numbers(1, 4, CHUNK + 16 * (streams - 1)), "l3": [l3[i:i + 8] for i in range(0, len(l3), 8)],
            "l2": [V.and_(k, 0x01ffffff01ffffff, 64) for k in numbers(2, 8, 24 * streams)[::3]],
            "mask": numbers(4, 4, 4 * streams), "rounds": expand(subkey(0, 16))}


# Carter. A key has `k`, 2048 bytes; `r` and `length`, numbers of 128 bits; `rounds`.


def carter_dot(a, b):
    """a b x^-128 mod x^128 + x^127 + x^126 + x^121 + 1: the product, divided by x 128 times."""
    halves = lambda v: (V.cut(v, 0, 64, 128), V.cut(v, 64, 128, 128))
    (a0, a1), (b0, b1) = halves(a), halves(b)
    c = [V.ZERO] * 256
    for x, y, at in ((a0, b0, 0), (a0, b1, 64), (a1, b0, 64), (a1, b1, 128)):
        for i, bit in enumerate(V.bits(V.clmul(x, y), 128), at):
            c[i] = c[i] ^ bit
    for i in range(128):
        for d in (121, 126, 127, 128):
            c[i + d] = c[i + d] ^ c[i]
    return V.norm(c[128:])


def carter_level1(k, block):
    """The sum over pairs j of each group of 128 bytes; only pairs with a byte of the message count."""
    h = 0
    part = lambda source, i: (source[i:i + 16] + [0] * 16)[:16]
    for at in (g + 16 * j for g in range(0, len(block), 128) for j in range(4)):
        if at < len(block):
            x, y, kx, ky = part(block, at), part(block, at + 64), part(k, at), part(k, at + 64)
            a, b = little(x[:8] + y[:8]), little(x[8:] + y[8:])
            ka, kb = little(kx[:8] + ky[:8]), little(kx[8:] + ky[8:])
            h = V.xor(h, carter_dot(V.xor(a, ka, 128), V.xor(b, kb, 128)), 128)
    return h


def carter_step(key, y, block):
    return V.xor(carter_dot(y, key["r"]), carter_level1(key["k"], block), 128)


def carter_end(key, y, length):
    return V.xor(y, carter_dot(length, key["length"]), 128)


def carter_hash(key, message):
    y = 0
    for i in range(0, max(1, len(message)), 2048):
        y = carter_step(key, y, message[i:i + 2048])
    return carter_end(key, y, len(message))


def carter(key, message, block):
    return split(V.xor(carter_hash(key, message), encrypt(key["rounds"], block), 128), 128)


def carter_key(secret, bits):
    """All keys of a secret, for tags of so many bits."""
    keys = expand(secret)
    stream = lambda p, n: encrypted(keys, [bytes([bits, p]) + bytes(10) + j.to_bytes(4, "big") for j in range(-(-n // 16))], n)
    return {"k": stream(1, 2048), "r": little(stream(2, 32)[:16]), "length": little(stream(2, 32)[16:]),
            "rounds": expand(stream(0, len(secret)))}
