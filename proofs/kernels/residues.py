"""Numbers mod p = 2^w - c, for POLY: polynomials mod p in keys, words and choices.

A kernel's accumulators are lazy: any number of w bits that is equal to the value mod p. What a number is mod p follows
from what it is made of:

  a sum mod 2^w that carried q times    the sum, less 2^w q; z3 proves what q is: a constant, or a comparison's result
  the upper part of a number            (the number - its lower part) / 2^k
  a choice                              c a + (1 - c) b

A number that z3 proves to be below p, and that was a sum or a minimum of such, becomes the least residue itself: one
term, by which kernel and specification are compared. The specification names each step's value; a kernel's residue that
is equal to a named one gets its name, so that residues stay small however many words there are.
"""
import decisions
import values as V

DECLARED = {}  # a term that is an input: its residue
NAMES = {}  # (p, the terms of a polynomial): the variable that stands for it
KNOWN = {}  # (p, term): its residue
LEAST = {}  # a term: what it is replaced by


def reset():
    for part in (DECLARED, NAMES, KNOWN, LEAST, decisions.EQUAL):
        part.clear()
    V.CHANGES[:] = [least]


def least(v):
    """For `values.CHANGES`: a number that is below p, and is a minimum, a choice or a sum with a comparison."""
    w = len(v)
    t = V.OWNER[next(iter(v[0]))][0] if w in PRIMES and len(v[0]) == 1 else None
    if t is None or t.width != w or t.hi < PRIMES[w] or V.bits_of(t) != v:
        return v
    if t.kind == "poly" and not any(decisions.comparison(x) for m in t.poly for x in m):
        return v
    if t not in LEAST:
        f = Field(PRIMES[w])
        LEAST[t] = f.least(f.of_term(t), w) if decisions.is_below(t, f.p) else v
    return LEAST[t]


PRIMES = {64: 2**64 - 59, 128: 2**128 - 159}


class Field:
    def __init__(self, p):
        self.p, self.w = p, p.bit_length()

    def clean(self, p):
        """Booleans are their own squares."""
        out = {}
        for m, c in p.items():
            m = tuple(v for i, v in enumerate(m) if not (i and m[i - 1] == v and V.var_hi(v) == 1))
            out[m] = (out.get(m, 0) + c) % self.p
        return {m: c for m, c in out.items() if c}

    def number(self, n):
        return self.clean({(): n})

    def add(self, p, q, k=1):
        return self.clean(V.plus(p, q, k))

    def mul(self, p, q):
        return self.clean(V.product(p, q))

    def choose(self, c, p, q):
        return self.add(q, self.mul(self.of(c, 1), self.add(p, q, -1)))

    def of(self, v, w):
        return self.of_poly(V.poly(v, w, V.EXACT))

    def of_poly(self, p):
        out = {}
        for m, c in p.items():
            q = self.number(c)
            for v in m:
                q = self.mul(q, self.of_var(v))
            out = self.add(out, q)
        return self.name_of(out)

    def of_var(self, v):
        key = V.VARS[v]
        if isinstance(key, frozenset):
            return {(v,): 1}
        t, low, high = key
        return self.add(self.upper(t, low), self.upper(t, high), -1 << high - low)

    def upper(self, t, k):
        """The part of a term above its k lowest bits; all other parts are differences of these, and cancel."""
        if k == 0:
            return self.of_term(t)
        if k == 1 and t.kind == "poly" and [(len(m), m[0] == m[-1], c % 4) for m, c in t.poly.items() if c % 4] == [(2, True, 1)]:
            return self.mul(self.upper(t, 2), self.number(2))  # a square is 0 or 1 mod 4
        return {(V.var((t, k, t.width)),): 1} if k < t.width else {}

    def of_term(self, t):
        key = (self.p, t)
        if key not in KNOWN:
            KNOWN[key] = DECLARED.get(t) or self.name_of(self.meaning(t))
        return KNOWN[key]

    def meaning(self, t):
        itself = {(V.var((t, 0, t.width)),): 1}
        if t.kind == "ult":
            return {} if decisions.is_below(t, 1) else itself
        if t.kind == "poly" and t.mod is None:
            return self.of_poly(t.poly)
        if t.kind == "poly" and t.mod == self.w:
            found = decisions.carries(t)
            return itself if found is None else self.of_poly(V.plus(*found, -1 << t.mod))
        if t.kind in ("select", "umin") and t.width == self.w:
            for x in decisions.two(t.args)[-2:] if t.kind == "umin" else t.args[1:]:
                if decisions.differs_by(t, x, (0, -self.p, self.p)):
                    return self.of(V.norm(x), t.width)
        if t.kind == "select":
            c, a, b = t.args
            more = V.add(V.norm(a), V.norm(b), t.width, -1)
            if isinstance(more, int) and decisions.is_more(t, b, c, more):
                return self.add(self.of(V.norm(b), t.width), self.of(V.norm(c), 1), more)
            return self.choose(V.norm(c), self.of(V.norm(a), t.width), self.of(V.norm(b), t.width))
        return itself

    def declare(self, v, p):
        """What an input is mod p, by a premise."""
        t = V.OWNER[next(iter(v[0]))][0]
        assert V.bits_of(t, len(v)) == v
        DECLARED[t] = p

    # Names

    def named(self, p):
        """The value of a step, by a name if it is more than one product."""
        if len(p) < 2:
            return p
        key = (self.p, frozenset(p.items()))
        if key not in NAMES:
            t = V.term("residue", key, self.w, self.p - 1)
            NAMES[key] = V.var((t, 0, t.width))
            KNOWN[self.p, t] = {(NAMES[key],): 1}
        return {(NAMES[key],): 1}

    def name_of(self, p):
        v = NAMES.get((self.p, frozenset(p.items())))
        return p if v is None else {(v,): 1}

    def least(self, p, w):
        """The number below p, as one of w bits."""
        if not p or list(p) == [()]:
            return p.get((), 0)
        (m, c), *more = self.name_of(p).items()
        t = V.whole(V.var_bits(m[0])) if (c, len(m), more) == (1, 1, []) else None
        if t is None or t.kind != "residue":  # a part of a residue is another number
            t = V.term("residue", (self.p, frozenset(p.items())), self.w, self.p - 1)
            KNOWN[self.p, t] = p
        return V.bits_of(t, w)
