"""Decides whether two lists of bytes are equal for all values: by canonical form, then by z3 on what is left.

z3 is asked about more values than there are: of a term only its bounds are known, or what it is made of by sums,
choices and comparisons. So what it proves holds; what it refutes (`sat`) may hold, and what it can't decide (`unknown`)
is named so.
"""
import operator

import z3
import values as V

LIMIT = 40_000_000  # of z3's steps a question, ten times what the longest takes: not of time, which others' work changes
EQUAL = {}  # two terms: so many of their lowest bits have been proved equal
ANSWERS = {}  # a question, all of it: the answer
NODES = {}  # an operation and what it is of: the expression


class Node:
    """An expression. Equal ones are one object; z3 gets one only when a question with it is asked for the first time, since
    most questions are asked again at the next length."""
    __slots__ = ("n", "op", "args")

    def __add__(self, x):
        return node("add", self, x)

    def __sub__(self, x):
        return node("sub", self, x)

    def __mul__(self, x):
        return node("mul", self, x)

    def __rmul__(self, x):
        return node("mul", x, self)


def node(op, *args):
    """`op` is a function of z3 or of `operator`."""
    key = (op, args)
    found = NODES.get(key)
    if found is None:
        found = NODES[key] = Node()
        found.n, found.op, found.args = len(NODES), op, args
    return found


def expressions(nodes):
    """The same for z3."""
    todo, found = list(nodes), {}
    while todo:
        x = todo.pop()
        if x not in found:
            found[x] = None
            todo += [a for a in x.args if isinstance(a, Node)]
    for x in sorted(found, key=lambda x: x.n):  # what an expression is of is older
        args = [found[a] if isinstance(a, Node) else a for a in x.args]
        lists = x.op in ("Sum", "And", "Or")
        found[x] = (getattr(operator, x.op, None) or getattr(z3, x.op))(*([args] if lists else args))
    return [found[x] for x in nodes]


def supports(bit):
    """The atoms of a bit."""
    for m in bit:
        while m:
            yield m & V.LOW
            m >>= V.SHIFT


def runs(b):
    """The parts of a word: ('k', number, width), ('s', width, term, low) or ('b', 1, bit)."""
    i = 0
    while i < len(b):
        x, n = b[i], 1
        atom = next(iter(x)) if len(x) == 1 else 0
        if not x or x == V.ONE:
            number = 0
            while i + n < len(b) and (not b[i + n] or b[i + n] == V.ONE):
                n += 1
            for j in range(n):
                number |= bool(b[i + j]) << j
            yield "k", n, number
        elif atom and not atom >> V.SHIFT:
            t, k = V.OWNER[atom]
            while i + n < len(b) and k + n < t.width and b[i + n] == t.bits[k + n]:
                n += 1
            yield "s", n, t, k
        else:
            yield "b", 1, x
        i += n


def two(args):
    """Both members of a set that may have one."""
    return (list(args) * 2)[:2]


def parts(m):
    """The booleans of a product, and the words."""
    return [v for v in m if V.var_hi(v) == 1], [v for v in m if V.var_hi(v) != 1]


def comparison(v):
    """The comparison whose result a variable is."""
    key = V.VARS[v]
    return key[0] if isinstance(key, tuple) and key[0].kind == "ult" else None


def added(t):
    """What the sum t mod 2^w was added of, if its carry matters: it was compared, has a comparison's result in it, or
    is the sum of a choice or of such a sum."""
    if t not in V.SUMS:
        return None
    a, b, sign = V.SUMS[t]
    if sign == 1 and V.bits_of(t) not in V.COMPARED:
        parts = [V.whole(x) for x in (a, b)]
        if not any(x and (x.kind in ("select", "umin", "residue") or x.mod and added(x)) for x in parts):
            if not any(comparison(v) for x in (a, b) for m in V.poly(x, t.mod, V.EXACT) for v in m):
                return None
    return V.bits(a, t.mod), V.bits(b, t.mod), sign


def is_linear(t):
    """Whether a term is a sum of words, some of them chosen by bits."""
    return t.kind == "poly" and all(len(parts(m)[1]) < 2 for m in t.poly)


def ask(facts, goal, limit=None):
    """z3's answer: whether the facts allow the goal."""
    question = (goal, *facts)
    if question not in ANSWERS:
        solver = z3.Solver()
        solver.set("rlimit", limit or LIMIT)
        goal, *facts = expressions(question)
        solver.add(*facts, goal)
        answer = str(solver.check())
        if answer == "unknown":
            return answer
        ANSWERS[question] = answer
    return ANSWERS[question]


class Integers:
    """Terms as whole numbers. A slice of a term is an unknown; the term is the weighted sum of its slices."""

    def __init__(self):
        self.cuts, self.facts, self.known, self.pieces, self.carries, self.names = {}, [], {}, {}, {}, 0

    def words(self, t):
        """The words that a term is made of."""
        if t.mod and added(t):
            return list(added(t)[:2])
        if is_linear(t):
            return [V.var_bits(v) for m in t.poly for v in m]
        if t.kind in ("umin", "eq", "ult", "select"):
            return list(t.args)
        if t.kind == "mod":
            k = t.args[1].bit_length()
            return [t.args[0][:k], t.args[0][k:]]
        if t.kind == "poly":
            return [V.var_bits(v) for m in t.poly for v in (m if len(parts(m)[1]) < 2 else parts(m)[0])]
        return [(x,) for x in t.args] if t.kind == "and" else []

    def collect(self, word):
        """Cuts the terms of a word where its parts end, and so on down."""
        for part in runs(word):
            if part[0] == "s":
                slices = [(part[2], part[3], part[3] + part[1])]
            else:
                slices = [(*V.OWNER[a], V.OWNER[a][1] + 1) for a in supports(part[2])] if part[0] == "b" else []
            for t, low, high in slices:
                if t not in self.cuts:
                    self.cuts[t] = {0, t.width}
                    for w in self.words(t):
                        self.collect(w)
                self.cuts[t] |= {low, high}

    def new(self, low, high):
        self.names += 1
        v = node("Int", f"v{self.names}")
        self.facts += [node("ge", v, low), node("le", v, high)]
        return v

    def slice(self, t, low, high):
        self.term(t)
        return node("Sum", *(x * 2 ** (a - low) for (a, b), x in self.pieces[t].items() if low <= a and b <= high))

    def bit(self, x):
        total = node("BoolVal", False)
        for m in x:
            one = node("And", *(node("eq", self.slice(*V.OWNER[a], V.OWNER[a][1] + 1), 1) for a in supports([m])))
            total = node("Xor", total, one)
        return node("If", node("simplify", total), 1, 0)

    def word(self, b):
        total, at = node("IntVal", 0), 0
        for kind, n, *part in runs(b):
            if kind == "k":
                value = node("IntVal", part[0])
            elif kind == "b":
                value = self.bit(part[0])
            else:
                value = self.slice(part[0], part[1], part[1] + n)
            total, at = total + value * 2 ** at, at + n
        return node("simplify", total)

    def product(self, m):
        """A word, if all bits before it are one; a product of two words is an unknown."""
        booleans, words = parts(m)
        if len(words) < 2:
            value = self.word(V.var_bits(words[0])) if words else node("IntVal", 1)
        else:
            key = tuple(words)
            if key not in self.known:
                self.known[key] = self.new(0, V.most(key))
            value = self.known[key]
        if booleans:
            return node("If", node("And", *(node("eq", self.word(V.var_bits(v)), 1) for v in booleans)), value, 0)
        return value

    def linear(self, p):
        return node("IntVal", 0) + node("Sum", *(c * self.product(m) for m, c in p.items()))

    def term(self, t):
        if t in self.known:
            return self.known[t]
        v = self.known[t] = self.new(0, t.hi)
        cuts = sorted(self.cuts[t])
        self.pieces[t] = {(0, t.width): v}
        if len(cuts) > 2:
            self.pieces[t] = {(a, b): self.new(0, min((1 << b - a) - 1, t.hi >> a)) for a, b in zip(cuts, cuts[1:])}
            self.facts.append(node("eq", v, node("Sum", *(x * 2 ** a for (a, b), x in self.pieces[t].items()))))
        self.facts += self.meaning(t, v)
        return v

    def meaning(self, t, v):
        """What is known of a term but its bounds."""
        if t.mod and added(t):
            a, b, sign = added(t)
            self.carries[t] = self.new(0, 1) if sign == 1 else self.new(-1, 0)
            return [node("eq", v, self.word(a) + sign * self.word(b) - 2 ** t.mod * self.carries[t])]
        if is_linear(t):
            return [node("eq", v, self.sum(t))]
        if t.kind == "poly" and not t.mod:
            if any(parts(m)[0] for m in t.poly):
                return [node("eq", v, self.linear(t.poly))]
            # The same products and another constant.
            constant = t.poly.get((), 0)
            products = frozenset((m, c) for m, c in t.poly.items() if m)
            if products not in self.known:
                self.known[products] = self.new(*V.bounds(dict(products)))
            return [node("eq", v, self.known[products] + constant)]
        if t.kind in ("umin", "eq", "ult"):
            a, b = (self.word(x) for x in two(t.args))
            if t.kind == "umin":
                return [node("eq", v, node("If", node("lt", a, b), a, b))]
            return [node("eq", v, node("If", node("eq" if t.kind == "eq" else "lt", a, b), 1, 0))]
        if t.kind == "and":
            a, b = (self.bit(x) for x in two(t.args))
            return [node("eq", v, node("If", node("And", node("eq", a, 1), node("eq", b, 1)), 1, 0))]
        if t.kind == "select":
            c, a, b = (self.word(x) for x in t.args)
            return [node("eq", v, node("If", node("eq", c, 1), a, b))]
        if t.kind == "mod":
            # x = 2^k h + l and p = 2^k - c: x = h p + (c h + l), and so v = (c h + l) mod p, where few quotients are
            # possible.
            bits, p = t.args
            k = p.bit_length()
            c, h, l = 2 ** k - p, self.word(bits[k:]), self.word(bits[:k])
            most = V.high(V.norm(bits), len(bits)) >> k
            return [node("eq", c * h + l, p * self.new(0, (c * most + 2 ** k - 1) // p) + v)]
        return []

    def sum(self, t):
        """A sum of words, mod 2^mod if the term has that."""
        if not t.mod:
            return self.linear(t.poly)
        p = {m: c - (1 << t.mod) if c >> t.mod - 1 else c for m, c in t.poly.items()}
        low, high = V.bounds(p)
        self.carries[t] = self.new(low >> t.mod, high >> t.mod)
        return self.linear(p) - 2 ** t.mod * self.carries[t]

    def differ(self, a, b, limit):
        """z3's answer: whether two words can be different."""
        self.collect(a)
        self.collect(b)
        x, y = self.word(a), self.word(b)
        return ask(self.facts, node("ne", x, y), limit)


def between(p, low, high):
    """Whether low <= p < high for all values of a sum of words."""
    i = Integers()
    for m in p:
        for v in m:
            i.collect(V.var_bits(v))
    total = i.linear(p)
    return ask(i.facts, node("Or", node("lt", total, low), node("ge", total, high))) == "unsat"


def carries(t):
    """What the sum t mod 2^w is without its carries, as a polynomial, and how many times it carried: a number, or the
    result of a comparison. None if z3 doesn't prove that it is one of these."""
    i, word = Integers(), V.bits_of(t)
    near = [word]
    if added(t):
        a, b, sign = added(t)
        p = V.plus(V.poly(V.norm(a), t.mod, V.EXACT), V.poly(V.norm(b), t.mod, V.EXACT), sign)
        low, high = (0, 1) if sign == 1 else (-1, 0)
        near += [a, b]
    else:
        p = {m: c - (1 << t.mod) if c >> t.mod - 1 else c for m, c in t.poly.items()}
        low, high = (n >> t.mod for n in V.bounds(p))
    compared = [comparison(v) for m in p for v in m] + [c for x in near for c in V.COMPARED.get(x, [])]
    compared = [c for c in dict.fromkeys(compared) if c]
    words = [word] + [V.bits_of(c) for c in compared]
    for x in words:
        i.collect(x)
    for x in words:
        i.word(x)
    if t not in i.carries:
        return None
    q = i.carries[t]
    while low < high and ask(i.facts, node("eq", q, low)) == "unsat":
        low += 1
    while low < high and ask(i.facts, node("eq", q, high)) == "unsat":
        high -= 1
    if low == high:
        return p, {(): low}
    for c in compared:
        for sign in (1, -1):
            count = {(): low if sign == 1 else low + 1, (V.var((c, 0, 1)),): sign}
            if ask(i.facts, node("ne", q, i.linear(count))) == "unsat":
                return p, count
    return None


def differs_by(t, word, numbers):
    """Whether a term is the word plus one of these numbers."""
    i = Integers()
    i.collect(V.bits_of(t))
    i.collect(word)
    v, x = i.word(V.bits_of(t)), i.word(word)
    return ask(i.facts, node("And", *(node("ne", v, x + n) for n in numbers))) == "unsat"


def is_more(t, word, c, n):
    """Whether a term is the word plus n if c, without a carry."""
    i = Integers()
    for x in (V.bits_of(t), word, c):
        i.collect(x)
    v, x, c = (i.word(x) for x in (V.bits_of(t), word, c))
    return ask(i.facts, node("ne", v, x + n * c)) == "unsat"


def is_below(t, p):
    i = Integers()
    i.collect(V.bits_of(t))
    v = i.word(V.bits_of(t))
    return ask(i.facts, node("ge", v, p)) == "unsat"


class BitVectors:
    """Terms as bit vectors: a second try."""

    def __init__(self):
        self.facts, self.known = [], {}

    def bit(self, b):
        out = node("BitVecVal", 0, 1)
        for m in b:
            x = node("BitVecVal", 1, 1)
            for a in supports([m]):
                t, i = V.OWNER[a]
                x = node("and_", x, node("Extract", i, i, self.term(t)))
            out = node("xor", out, x)
        return node("simplify", out)

    def word(self, b):
        parts = []
        for kind, n, *part in runs(b):
            if kind == "k":
                parts.append(node("BitVecVal", part[0], n))
            elif kind == "b":
                parts.append(self.bit(part[0]))
            else:
                parts.append(node("Extract", part[1] + n - 1, part[1], self.term(part[0])))
        return parts[0] if len(parts) == 1 else node("Concat", *parts[::-1])

    def sized(self, x, size, w):
        return node("ZeroExt", w - size, x) if size <= w else node("Extract", w - 1, 0, x)

    def term(self, t):
        if t not in self.known:
            self.known[t] = self.meaning(t)
        return self.known[t]

    def meaning(self, t):
        if is_linear(t):
            w, v = t.width, node("BitVecVal", 0, t.width)
            for m, c in t.poly.items():
                x = node("BitVecVal", c % (1 << w), w)
                for factor in m:
                    x = x * self.sized(self.word(V.var_bits(factor)), len(V.var_bits(factor)), w)
                v = v + x
            return v
        if t.kind in ("umin", "ult", "eq"):
            a, b = (self.word(x) for x in two(t.args))
            if t.kind == "umin":
                return node("If", node("ULT", a, b), a, b)
            return node("If", node("ULT" if t.kind == "ult" else "eq", a, b), node("BitVecVal", 1, 1), node("BitVecVal", 0, 1))
        if t.kind == "and":
            a, b = (self.bit(x) for x in two(t.args))
            return node("and_", a, b)
        if t.kind == "select":
            c, a, b = t.args
            return node("If", node("eq", self.bit(c[0]), 1), self.word(a), self.word(b))
        v = node("BitVec", f"t{t.n}", t.width)
        if t.kind == "mod":
            # There is exactly one such pair of a quotient and v.
            bits, p = t.args
            w = len(bits) + 1
            q = node("BitVec", f"q{t.n}", w)
            most = V.high(V.norm(bits), len(bits)) // p
            x = self.sized(self.word(bits), len(bits), w)
            self.facts += [node("ULT", v, p), node("ULE", q, most), node("eq", x, q * p + self.sized(v, t.width, w))]
        elif t.hi < (1 << t.width) - 1:
            self.facts.append(node("ULE", v, t.hi))
        return v


def chosen(v):
    """A word whose bits a comparison chooses, as a choice of one of two words."""
    atom = V.chooser(v)
    if not atom:
        return v
    yes, no = (tuple(V.with_atom(b, atom, one) for b in v) for one in (1, 0))
    return V.bits_of(V.term("select", ((frozenset([atom]),), yes, no), len(v)))


def same_number(a, b, w):
    """Whether z3 proves that two words of w bits are the same whole number."""
    return a == b or Integers().differ(chosen(V.bits(a, w)), chosen(V.bits(b, w)), None) == "unsat"


def as_integers(diff, limit):
    """Whether all differences are of bits of two terms at the same place, and the terms are equal numbers."""
    pairs = {}
    for d in diff:
        atoms = [V.OWNER[m] for m in d if m and not m >> V.SHIFT]
        if len(d) != 2 or len(atoms) != 2 or atoms[0][1] != atoms[1][1]:
            return False
        (t, i), (u, _) = sorted(atoms, key=lambda a: a[0].n)
        pairs.setdefault((t, u), []).append(i)
    for (t, u), at in pairs.items():
        n = max(at) + 1
        if EQUAL.get((t, u), 0) >= n:
            continue
        word = lambda x, n: x.bits[:n] + (V.ZERO,) * (n - x.width)
        if not any(Integers().differ(word(t, w), word(u, w), limit) == "unsat" for w in sorted({n, t.width, u.width})
                   if w >= n):
            return False
        EQUAL[t, u] = n
    return True


def equal(got, want, limit=None):
    """None if equal for all values; otherwise in which bytes they differ, or what z3 says of them."""
    if len(got) != len(want):
        return f"{len(got)} bytes instead of {len(want)}"
    groups = {}  # of bytes that depend on the same terms
    for i, (g, w) in enumerate(zip(got, want)):
        if g is None or w is None:
            return f"byte {i} is poison"
        if g != w:
            d = V.bits(V.xor(g, w, 8), 8)
            if V.ONE in d:
                return f"byte {i} differs"
            groups.setdefault(frozenset(V.OWNER[a][0].n for x in d for a in supports(x)), []).append((i, d))
    for members in groups.values():
        diff = [x for _, d in members for x in d if x]
        if as_integers(diff, limit):
            continue
        v = BitVectors()
        goal = node("Or", *(node("eq", v.bit(x), 1) for x in diff))
        answer = ask(v.facts, goal, limit)
        if answer != "unsat":
            return f"bytes {', '.join(str(i) for i, _ in members)}: z3 says {answer}"
    return None
