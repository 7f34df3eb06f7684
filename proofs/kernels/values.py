"""Values: bits in algebraic normal form over GF(2), and words as polynomials over the integers.

A number is an int if it is known, otherwise a tuple of bits, the lowest first; None is poison. A bit is a set of
monomials, whose sum it is; a monomial is an atom (an int above 0), a product of two atoms, or 0 for the constant one.
An atom is one bit of a term: an input, a polynomial, a round of AES, a minimum, ... Equal terms are one object, so
numbers of one canonical form are equal; for others `decisions` asks z3.
"""
ZERO, ONE = frozenset(), frozenset([0])
SHIFT = 40
LOW = (1 << SHIFT) - 1


class Term:
    __slots__ = ("n", "kind", "args", "width", "hi", "base", "poly", "mod", "name", "bits")

    def __repr__(self):
        return f"{self.kind}{self.n}:{self.width}" + (f"[{self.name}]" if self.name else "")


TERMS, INTERN, OWNER = [], {}, [None]  # OWNER[atom] = (term, bit)
WORD_CUTS = sorted({*range(8, 64, 8), *range(15, 64, 16)})
CUTS = {}  # the name of an input: where its parts end
SUMS = {}  # a sum mod 2^w: (a, b, sign) as it was added
COMPARED = {}  # a word: the comparisons with it
VARS, VAR_OF = [], {}  # integer variables: (term, lo, hi) or a bit


EXACT = 1 << 20  # a polynomial mod 2^EXACT is the number itself


class Refused(Exception):
    """What can't be proved; `placed` if the text names a line of the IR."""

    def __init__(self, text="", placed=False):
        super().__init__(text)
        self.placed = placed


def reset():
    for part in (TERMS, INTERN, VARS, VAR_OF, CUTS, COMPARED, SUMS):
        part.clear()
    del OWNER[1:]


def term(kind, args, width, hi=None, poly=None, mod=None, name=None):
    key = (kind, args)
    if key in INTERN:
        return INTERN[key]
    t = Term()
    t.n, t.kind, t.args, t.width, t.name = len(TERMS), kind, args, width, name
    t.hi = (1 << width) - 1 if hi is None else hi
    t.base, t.poly, t.mod = len(OWNER), poly, mod
    OWNER.extend((t, i) for i in range(width))
    t.bits = tuple(frozenset([t.base + i]) for i in range(width))
    TERMS.append(t)
    INTERN[key] = t
    return t


def bits_of(t, width=None):
    return t.bits if width is None or width == t.width else t.bits + (ZERO,) * (width - t.width)


def fresh(name, width, hi=None, cuts=()):
    """An input; the same one for the same name, which then must have the same bound."""
    if cuts:
        CUTS[name] = cuts
    hi = (1 << width) - 1 if hi is None else hi
    t = term("in", name, hi.bit_length(), hi, name=name)
    if t.hi != hi or CUTS.get(name, ()) != cuts:
        raise Refused(f"two inputs are named {name}")
    return bits_of(t, width)


def bits(v, w):
    if isinstance(v, int):
        return tuple(ONE if v >> i & 1 else ZERO for i in range(w))
    assert len(v) == w, (len(v), w)
    return v


def norm(b):
    n = 0
    for i, x in enumerate(b):
        if x:
            if x is not ONE and x != ONE:
                return tuple(b)
            n |= 1 << i
    return n


def xor(a, b, w):
    if a is None or b is None:
        return None
    if isinstance(a, int) and isinstance(b, int):
        return a ^ b
    return norm([y if not x else x if not y else x ^ y for x, y in zip(bits(a, w), bits(b, w))])


def times(m, n):
    """The product of two monomials."""
    if m == 0 or m == n:
        return n
    if n == 0:
        return m
    if m >> SHIFT or n >> SHIFT:
        raise Refused("degree above 2")
    return m << SHIFT | n if m > n else n << SHIFT | m


def and_bit(x, y):
    if not x or not y:
        return ZERO
    if x == ONE:
        return y
    if y == ONE or x == y:
        return x
    out = set()
    try:
        if len(x) * len(y) > 64:
            raise Refused
        for m in x:
            for n in y:
                out ^= {times(m, n)}
        return frozenset(out)
    except Refused:
        if exclude(x, y) or exclude(y, x):
            return ZERO
        return bits_of(term("and", frozenset([x, y]), 1))[0]


def exclude(x, y):
    """Whether x has a factor that is zero wherever y is not."""
    common = None
    for m in x:
        atoms = {a for a in (m >> SHIFT, m & LOW) if a}
        common = atoms if common is None else common & atoms
    return any(not with_atom(y, a, 1) for a in common)


def and_(a, b, w):
    if a is None or b is None:
        return None
    if isinstance(a, int) and isinstance(b, int):
        return a & b
    return norm([and_bit(x, y) for x, y in zip(bits(a, w), bits(b, w))])


def or_(a, b, w):
    if a is None or b is None:
        return None
    if isinstance(a, int) and isinstance(b, int):
        return a | b
    return norm([y if not x else x if not y else x ^ y ^ and_bit(x, y) for x, y in zip(bits(a, w), bits(b, w))])


# Words as numbers

def var(key):
    if key not in VAR_OF:
        VAR_OF[key] = len(VARS)
        VARS.append(key)
    return VAR_OF[key]


def var_hi(v):
    key = VARS[v]
    if isinstance(key, frozenset):
        return 1
    t, lo, hi = key
    return min((1 << hi - lo) - 1, t.hi >> lo)


def var_bits(v):
    key = VARS[v]
    if isinstance(key, frozenset):
        return (key,)
    t, lo, hi = key
    return tuple(frozenset([t.base + i]) for i in range(lo, hi))


def chooser(v):
    """The comparison that decides between two words, if that is what v is: its atom is in all products of two."""
    common = None
    for b in v:
        if len(b) < 2 and (not b or next(iter(b)) < LOW):
            continue
        for m in b:
            if m >> SHIFT:
                pair = {a for a in (m >> SHIFT, m & LOW) if OWNER[a][0].width == 1}
                common = pair if common is None else common & pair
                if not common:
                    return None
    return min(common) if common else None


def with_atom(b, atom, one):
    """A bit, given the value of an atom."""
    out = set()
    for m in b:
        if m >> SHIFT and atom in (m >> SHIFT, m & LOW):
            out ^= {m & LOW if m >> SHIFT == atom else m >> SHIFT} if one else set()
        elif m == atom:
            out ^= {0} if one else set()
        else:
            out ^= {m}
    return frozenset(out)


def poly(v, w, mod):
    """The number as a polynomial, exact mod 2^mod."""
    if isinstance(v, int):
        return {(): v} if v else {}
    t = whole(v)
    if t and t.name not in CUTS:
        return t.poly if t.poly is not None and (t.mod is None or t.mod >= mod) else {(var((t, 0, t.width)),): 1}
    atom = chooser(v)
    if atom:
        # c yes + (1 - c) no
        yes, no = (poly(norm([with_atom(b, atom, one) for b in v]), w, mod) for one in (1, 0))
        return plus(no, product({(var((OWNER[atom][0], 0, 1)),): 1}, plus(yes, no, -1)))
    out, i = {}, 0

    def add(m, c):
        out[m] = out.get(m, 0) + c
    while i < w:
        b = v[i]
        if not b:
            i += 1
            continue
        if b == ONE:
            add((), 1 << i)
            i += 1
            continue
        atom = next(iter(b)) if len(b) == 1 else 0
        if len(b) != 1 or atom >> SHIFT:
            if len(b) == 2 and 0 in b and max(b) < 1 << SHIFT:
                t, k = OWNER[max(b)]  # not x = 1 - x
                add((), 1 << i)
                add((var((t, k, k + 1)),), -1 << i)
            else:
                add((var(b),), 1 << i)
            i += 1
            continue
        t, k = OWNER[atom]
        n = 1
        while i + n < w and k + n < t.width and (v[i + n] is t.bits[k + n] or v[i + n] == t.bits[k + n]):
            n += 1
        if t.poly is not None and k == 0 and (
            (t.mod is None and n == t.width) or (i + n >= mod and (t.mod is None or i + t.mod >= mod))
        ):
            for m, c in t.poly.items():
                add(m, c << i)
        else:
            # Parts of words of level 1 and of keys always end at the same places, so that products of parts have one form.
            ends = [c for c in CUTS.get(t.name, WORD_CUTS if t.mod == 64 or t.kind == "residue" else ()) if k < c < k + n] if n < t.width or t.name in CUTS else []
            for lo, hi in zip([k] + ends, ends + [k + n]):
                add((var((t, lo, hi)),), 1 << i + lo - k)
        i += n
    return out


def plus(p, q, sign=1):
    out = dict(p)
    for m, c in q.items():
        out[m] = out.get(m, 0) + sign * c
    return out


def product(p, q):
    if len(p) * len(q) > 4096:
        raise Refused("large product")
    out = {}
    for m, c in p.items():
        for n, d in q.items():
            k = tuple(sorted(m + n))
            out[k] = out.get(k, 0) + c * d
    return out


def most(m):
    """The most that a product can be; the least is 0, but 1 for the empty product."""
    out = 1
    for v in m:
        out *= var_hi(v)
    return out


def bounds(p, cases=3):
    """A least and a most for the number; exact in up to so many of its booleans that come with a minus."""
    if cases:
        for m in p:
            for v in m:
                if p[m] < 0 and var_hi(v) == 1:
                    both = [bounds(given(p, v, one), cases - 1) for one in (0, 1)]
                    return min(b[0] for b in both), max(b[1] for b in both)
    return (sum(c * most(m) for m, c in p.items() if c < 0 or not m),
            sum(c * most(m) for m, c in p.items() if c > 0 or not m))


def given(p, v, one):
    """A polynomial, given the value of a boolean."""
    out = {}
    for m, c in p.items():
        n = tuple(x for x in m if x != v)
        if n == m or one:
            out[n] = out.get(n, 0) + c
    return {m: c for m, c in out.items() if c}


def of_poly(p, w, added=None):
    """The bits of a polynomial mod 2^w, and what it was added of."""
    p = {m: c % (1 << w) for m, c in p.items() if c % (1 << w)}
    if not p:
        return 0
    if list(p) == [()]:
        return p[()]
    # A common power of two is a shift.
    k = min((c & -c).bit_length() - 1 for c in p.values())
    if k:
        rest = of_poly({m: c >> k for m, c in p.items()}, w - k)
        return rest << k if isinstance(rest, int) else (ZERO,) * k + tuple(rest)
    # A concatenation of bits, if no two parts overlap.
    out, used = [ZERO] * w, 0
    for m, c in p.items():
        if len(m) > 1 or (m and c & (c - 1)):
            break
        if not m:
            span, part = c, bits(c, w)
            if span & used:
                break
            for i in range(w):
                if part[i]:
                    out[i] = ONE
        else:
            at, b = c.bit_length() - 1, var_bits(m[0])
            span = ((1 << len(b)) - 1) << at
            if span & used & ((1 << w) - 1):
                break
            for i, x in enumerate(b):
                if at + i < w:
                    out[at + i] = x
        used |= span
    else:
        return norm(out)
    found = columns(p, w)
    if found:
        return found
    signed = {m: c - (1 << w) if c >> w - 1 else c for m, c in p.items()}
    for form in (p, signed):
        low, high = bounds(form)
        if 0 <= low and high < 1 << w:
            return bits_of(term("poly", (None, frozenset(form.items())), high.bit_length(), high, form), w)
    before = len(TERMS)
    t = term("poly", (w, frozenset(p.items())), w, None, p, w)
    if added and t.n == before:  # what it is made of is older, so that no circle comes of it
        SUMS[t] = added
    return changed(bits_of(t, w))


def columns(p, w):
    """The bits of a sum of products of two bits, if the sums at different places do not reach each other: the lowest bit
    of such a sum is its sum without carries."""
    at = {}
    for m, c in p.items():
        if len(m) != 2 or c & (c - 1) or var_hi(m[0]) > 1 or var_hi(m[1]) > 1:
            return None
        at.setdefault(c.bit_length() - 1, []).append(m)
    out, places = [ZERO] * w, sorted(at)
    for k, end in zip(places, places[1:] + [w]):
        n = len(at[k])
        if n >> end - k:
            return None
        t = term("poly", (None, frozenset((m, 1) for m in at[k])), n.bit_length(), n, {m: 1 for m in at[k]})
        lowest = ZERO
        for a, b in at[k]:
            lowest = lowest ^ and_bit(var_bits(a)[0], var_bits(b)[0])
        out[k:k + t.width] = (lowest,) + bits_of(t)[1:]
    return norm(out)


CHANGES = []  # what may replace a new term by an equal one


def changed(v):
    for change in CHANGES:
        v = change(v)
    return v


def add(a, b, w, sign=1):
    if a is None or b is None:
        return None
    if isinstance(a, int) and isinstance(b, int):
        return (a + sign * b) % (1 << w)
    return of_poly(plus(poly(a, w, w), poly(b, w, w), sign), w, (a, b, sign))


def whole(v):
    """The term whose bits these are, if they are all of it."""
    if isinstance(v, int) or len(v[0]) != 1:
        return None
    t = OWNER[next(iter(v[0])) & LOW][0] if max(v[0]) else None
    return t if t and t.width == len(v) and bits_of(t) == v else None


def mul(a, b, w):
    if a is None or b is None:
        return None
    if isinstance(a, int) and isinstance(b, int):
        return a * b % (1 << w)
    return of_poly(product(poly(a, w, w), poly(b, w, w)), w)


def high(v, w):
    """An upper bound."""
    if isinstance(v, int):
        return v
    top = max(i for i in range(w) if v[i]) + 1
    return min((1 << top) - 1, bounds(poly(v, w, EXACT))[1])


def ult(a, b, w):
    if a is None or b is None:
        return None
    if isinstance(a, int) and isinstance(b, int):
        return int(a < b)
    if isinstance(b, int) and high(a, w) < b:
        return 1
    if isinstance(b, int) and b == 0:
        return 0
    if isinstance(a, int) and high(b, w) <= a:
        return 0
    if b == 1 << w - 1:
        return norm((a[-1] ^ ONE,))
    if a == (1 << w - 1) - 1:
        return norm((b[-1],))
    t = term("ult", (bits(a, w), bits(b, w)), 1)
    for x in (a, b):
        if isinstance(x, tuple):
            COMPARED.setdefault(x, []).append(t)
    return bits_of(t)


def eq(a, b, w):
    if a is None or b is None:
        return None
    if isinstance(a, int) and isinstance(b, int):
        return int(a == b)
    a, b = bits(a, w), bits(b, w)
    if a == b:
        return 1
    unlike = [x ^ y for x, y in zip(a, b) if x != y]
    if ONE in unlike:
        return 0
    if len(unlike) == 1:
        return (unlike[0] ^ ONE,)
    return bits_of(term("eq", frozenset([a, b]), 1))


def select(c, a, b, w):
    if c is None:
        return None
    if isinstance(c, int):
        return a if c & 1 else b
    if a is None or b is None:
        return None
    if a == b:
        return a
    if isinstance(a, int) and isinstance(b, int):
        return norm([(c[0] if x else c[0] ^ ONE) if x != y else x for x, y in zip(bits(a, w), bits(b, w))])
    return changed(bits_of(term("select", (c, bits(a, w), bits(b, w)), w)))


def umin(a, b, w):
    if a is None or b is None:
        return None
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return changed(bits_of(term("umin", frozenset([bits(a, w), bits(b, w)]), w, min(high(a, w), high(b, w)))))


def mod(v, w, p):
    """For specifications: v mod p."""
    if isinstance(v, int):
        return v % p
    return bits_of(term("mod", (bits(v, w), p), (p - 1).bit_length(), p - 1), w)


MOST_LAYERS = 1 << 14


def layers(v):
    """A word as a sum of words, each a part of one input or term; the word itself if it is no sum of a few of them."""
    out = {}
    for i, b in enumerate(v):
        for m in b:
            if m >> SHIFT:
                return [v]
            t, k = OWNER[m] if m else (None, i)
            name, dot, number = t.name.rpartition(".") if m and t.name else ("", "", "")
            key = (name, 8 * int(number) + k - i) if dot and t.width == 8 else (t, k - i)
            out.setdefault(key, [ZERO] * len(v))[i] = frozenset([m])
            if len(out) > MOST_LAYERS:
                return [v]
    return [tuple(layer) for layer in out.values()]


def clmul_words(a, b):
    """The product of two words as a term, or as bits if one of them is known."""
    for known, word in ((norm(a), b), (norm(b), a)):
        if isinstance(known, int):
            out = [ZERO] * 128
            for i in range(64):
                for j, x in enumerate(word if known >> i & 1 else ()):
                    out[i + j] = out[i + j] ^ x
            return tuple(out)
    return bits_of(term("clmul", frozenset([a, b]), 128))


def clmul(a, b):
    """64 x 64 -> 128 bits without carries: the sum of the products of the words that the factors are sums of."""
    if a is None or b is None:
        return None
    a, b = ([bits(v, 64)] if isinstance(v, int) else layers(v) for v in (a, b))
    out = [set() for _ in range(128)]
    for x in a:
        for y in b:
            for sum, bit in zip(out, clmul_words(x, y)):
                sum ^= bit
    return norm([frozenset(sum) for sum in out])


def concat(parts):
    """Scalars (value, width), the lowest first."""
    if any(v is None for v, _ in parts):
        return None
    if all(isinstance(v, int) for v, _ in parts):
        n, at = 0, 0
        for v, w in parts:
            n |= v << at
            at += w
        return n
    return norm([x for v, w in parts for x in bits(v, w)])


def cut(v, lo, hi, w):
    if v is None:
        return None
    if isinstance(v, int):
        return v >> lo & ((1 << hi - lo) - 1)
    return norm(v[lo:hi])


# AES: the round without its key is an uninterpreted function of 128 bits, unless the state is concrete; the last round is
# made of the S-box, an uninterpreted function of 8 bits, as the key schedule needs it.

def _sbox():
    """FIPS 197, 5.1.1: the inverses, as powers of 3 and of 1/3 side by side, and their affine images."""
    p, q, box = 1, 1, [0] * 256
    while True:
        p = (p ^ p << 1 ^ (0x11b if p & 0x80 else 0)) & 0xff
        for n in (1, 2, 4):
            q ^= q << n
        q &= 0xff
        if q & 0x80:
            q ^= 0x09
        r = lambda n: (q << n | q >> 8 - n) & 0xff
        box[p] = q ^ r(1) ^ r(2) ^ r(3) ^ r(4) ^ 0x63
        if p == 1:
            break
    box[0] = 0x63
    return box


SBOX = _sbox()


def doubled(b):
    return (b << 1 ^ (0x1b if b & 0x80 else 0)) & 0xff


def _round(state, last):
    s = [SBOX[b] for b in state.to_bytes(16, "little")]
    s = [s[(i + 4 * (i % 4)) % 16] for i in range(16)]
    if not last:
        out = []
        for c in range(0, 16, 4):
            col = s[c:c + 4]
            for i in range(4):
                a, b, d, e = (col[(i + j) % 4] for j in range(4))
                out.append(doubled(a) ^ doubled(b) ^ b ^ d ^ e)
        s = out
    return int.from_bytes(bytes(s), "little")


def aesenc(state, key, last=False):
    if state is None or key is None:
        return None
    if isinstance(state, int):
        r = _round(state, last)
    elif last:
        s = [norm(state[i:i + 8]) for i in range(0, 128, 8)]
        r = concat([(sbox(s[(i + 4 * (i % 4)) % 16]), 8) for i in range(16)])
    else:
        r = bits_of(term("aes", state, 128))
    return xor(r, key, 128)


def sbox(b):
    """A function of bytes of which nothing is known, but for known bytes."""
    return SBOX[b] if isinstance(b, int) else bits_of(term("sbox", b, 8))


OPERATIONS = {"add": add, "sub": lambda a, b, w: add(a, b, w, -1), "mul": mul, "and": and_, "or": or_, "xor": xor}
