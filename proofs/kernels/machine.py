"""Executes a function of the IR: addresses, lengths and branches are concrete, the bytes behind the addresses are values.

A run stops, and what it should prove is refused, at anything that is not known to be right: an instruction without a
model; a branch, an address or a shift that depends on a value, which would be a leak by timing; a byte outside its
object or one that was never written; an alignment that is less than promised. Poison is None, as are bytes that were
never written and results whose flags (nuw, nsw, ...) are not seen to hold; what is computed from None is None; a tag
must not be.
"""
import promises
import values as V
from ir import lane, offset, size, width
from values import Refused

OBJECT = 40  # an address is the number of its object, and a place in it of 40 bits


class Machine:
    def __init__(self, module):
        self.module, self.memory, self.owned, self.constant = module, {}, set(), set()
        self.first, self.names, self.addresses, self.functions = {}, {}, {}, {}
        self.next, self.steps, self.used, self.doubts = 1, 0, {}, []
        self.stand_ins = {}  # functions of Python in place of the module's, by name

    def fork(self):
        """A machine with the same memory; neither sees what is written to the other's from now on."""
        other = Machine.__new__(type(self))
        Machine.__init__(other, self.module)
        for part in ("memory", "constant", "first", "names", "addresses", "functions", "stand_ins"):
            setattr(other, part, getattr(self, part).copy())
        other.next, other.used, self.owned = self.next, self.used, set()
        return other

    # Memory

    def alloc(self, content, name, align=64, constant=False):
        """A new object, whose address is a multiple of `align` and of no higher power of two."""
        n = self.next
        self.next += 1
        self.memory[n], self.names[n], self.first[n] = list(content), name, align
        self.owned.add(n)
        if constant:
            self.constant.add(n)
        return (n << OBJECT) + align

    def address(self, name):
        """Of a global or a function of the module."""
        name = self.module.called(name)
        if name not in self.addresses:
            if name in self.module.globals:
                t, v = self.module.constant(name)
                at = self.addresses[name] = self.alloc([None] * size(t), name, self.module.alignment(name))
                if v is not None:
                    self.store(at, t, self.get({}, t, v))
                    self.constant.add(at >> OBJECT)
            else:
                at = self.addresses[name] = self.alloc([], name)
                self.functions[at] = name
        return self.addresses[name]

    def wide(self, v):
        """A number of 128 bits as an argument."""
        return v

    def extent(self, at):
        """The size of the object at an address."""
        return len(self.memory[at >> OBJECT])

    def place(self, at, n):
        if not isinstance(at, int):
            raise Refused("an address depends on " + kind(at))
        number = at >> OBJECT
        content, place = self.memory.get(number), (at & (1 << OBJECT) - 1) - self.first.get(number, 0)
        if content is None or place < 0 or place + n > len(content):
            raise Refused(f"{n} bytes at {place} are outside of {self.names.get(number)}, {len(content or [])} bytes")
        return number, place

    def public(self, v):
        return isinstance(v, int)

    def inside(self, start, at):
        """Whether both addresses are in one object, or at its end."""
        number, low = start >> OBJECT, self.first.get(start >> OBJECT, 0)
        return number in self.memory and all(low <= a - (number << OBJECT) <= low + len(self.memory[number]) for a in (start, at))

    def read(self, at, n):
        number, place = self.place(at, n)
        return self.memory[number][place:place + n]

    def write(self, at, content):
        number, place = self.place(at, len(content))
        if number in self.constant:
            raise Refused(f"writes to {self.names[number]}, which is constant")
        if number not in self.owned:
            self.memory[number] = list(self.memory[number])
            self.owned.add(number)
        self.memory[number][place:place + len(content)] = content

    def number(self, at, w):
        """A number of w bits."""
        n = (w + 7) // 8
        whole = V.concat([(b, 8) for b in self.read(at, n)])
        return V.cut(whole, 0, w, 8 * n) if w % 8 else whole

    def load(self, at, t):
        if t[0] in ("i", "ptr"):
            return self.number(at, width(t))
        if t[0] == "v":
            w = width(t[2])
            if w % 8:
                return bitcast(("i", w * t[1]), t, self.number(at, w * t[1]))
            return [self.number(at + i * w // 8, w) for i in range(t[1])]
        if t[0] == "a":
            return [self.load(at + i * size(t[2]), t[2]) for i in range(t[1])]
        return [self.load(at + offset(t, i), x) for i, x in enumerate(t[1])]

    def store(self, at, t, v):
        if t[0] in ("i", "ptr"):
            w = size(t) * 8
            if v is None:
                self.write(at, [None] * size(t))
            else:
                v = V.bits(v, width(t)) + (V.ZERO,) * (w - width(t)) if isinstance(v, tuple) else v
                self.write(at, [V.cut(v, i, i + 8, w) for i in range(0, w, 8)])
        elif t[0] == "v" and width(t[2]) % 8:
            whole = ("i", size(t) * 8)
            self.store(at, whole, V.concat([(x, width(t[2])) for x in v] + [(0, whole[1] - t[1] * width(t[2]))]))
        elif t[0] in ("v", "a"):
            for i in range(t[1]):
                self.store(at + i * size(t[2]), t[2], v[i])
        else:
            for i, x in enumerate(t[1]):
                self.store(at + offset(t, i), x, v[i])

    # Operands

    def get(self, env, t, v):
        k = v[0]
        if k == "%":
            return env[v[1]]
        if k == "k":
            return v[1]
        if k == "@":
            return self.address(v[1][1:])
        if k in ("u", "z"):
            if t[0] in ("v", "a"):
                return [self.get(env, t[2], v)] * t[1]
            if t[0] == "s":
                return [self.get(env, x, v) for x in t[1]]
            return None if k == "u" else 0
        if k == "list":
            parts = t[1] if t[0] == "s" else [t[2]] * t[1]
            return [self.get(env, x, e) for x, e in zip(parts, v[1])]
        return self.element(env, *v[1:])

    def element(self, env, t, args, flags):
        """The address that getelementptr computes."""
        start = at = self.get(env, *args[0])
        concrete(start, "an address")
        for n, (it, iv) in enumerate(args[1:]):
            i = concrete(self.get(env, it, iv), "an index")
            i = i - (1 << it[1]) if i >> it[1] - 1 else i
            if n == 0:
                at += i * size(t)
            elif t[0] == "s":
                at += offset(t, i)
                t = t[1][i]
            else:
                t = t[2]
                at += i * size(t)
        if "inbounds" in flags and at != start and not self.inside(start, at) or "nuw" in flags and at < start:
            # Poison, which may be computed but not used: an address far ahead, before it is known whether it is there.
            self.doubts.append(f"{at - start} bytes from its beginning an address leaves {self.names.get(start >> OBJECT)}")
            return None
        return at % (1 << 64)

    def promised(self, t, v, attributes):
        """What attributes and metadata promise of a value. Without `noundef` it may be poison."""
        parts = v if isinstance(v, list) else [v]
        if "noundef" in attributes and None in parts:
            raise Refused("what is promised to be a value is poison")
        for v in parts:
            for name, n in attributes.items() if v is not None else ():
                if name == "align" and concrete(v, "an address") % n:
                    raise Refused(f"an address is not a multiple of {n}")
                if name == "dereferenceable" or name == "dereferenceable_or_null" and v != 0:
                    self.place(v, n)
                if name == "nonnull" and v == 0:
                    raise Refused("an address is null")
                if name == "range" and not any(promises.inside(v, lane(t), *pair) for pair in n):
                    raise Refused("a number is outside of its range")

    def promising(self, r, op, flags, a, b, w):
        """The result, or poison if a flag is not seen to hold."""
        if promises.kept(op, flags, a, b, w):
            return r
        self.doubts.append(f"{op} {' '.join(sorted(flags))} of {w} bits is not seen to hold")
        return None

    # Instructions

    def run(self, name, args):
        f = self.module.function(name)
        env = {}
        for (t, parameter, attributes), v in zip(f.parameters, args, strict=True):
            if attributes:
                self.promised(t, v, attributes)
            env[parameter] = v
        before, at = None, f.first
        while True:
            phis = {}
            for i in f.blocks[at]:
                self.steps += 1
                if i.op == "phi":
                    phis[i.dest] = self.get(env, i.args[0], i.args[1][before])
                    continue
                if phis:
                    env.update(phis)
                    phis = {}
                try:
                    if i.op in ENDS:
                        to = ENDS[i.op](self, env, *i.args)
                        break
                    if i.op == "unknown":
                        raise Refused("an instruction without a model: " + i.args[0])
                    r = STEPS[i.op](self, env, *i.args)
                except Refused as e:
                    if not e.placed:
                        e = Refused(f"{e} ({self.module.path.rsplit('/', 1)[-1]}, line {i.line}, {short(name)})", True)
                    raise e
                if i.dest:
                    env[i.dest] = r
            if i.op == "ret":
                if f.promised:
                    self.promised(f.result, to, f.promised)
                return to
            before, at = at, to

    def count(self, what):
        self.used[what] = self.used.get(what, 0) + 1


def short(name):
    """A mangled name's readable parts."""
    out, rest = [], name.removeprefix("_ZN")
    while rest[:1].isdigit():
        n = len(rest) - len(rest.lstrip("0123456789"))
        length = int(rest[:n])
        out.append(rest[n:n + length])
        rest = rest[n + length:]
    return "::".join(out[:-1]) or name


def kind(v):
    return "poison" if v is None else "secret data"


def concrete(v, what):
    if not isinstance(v, int):
        raise Refused(f"{what} depends on {kind(v)}")
    return v


def lanes(t, f, *vs):
    return [f(*x) for x in zip(*vs, strict=True)] if t[0] == "v" else f(*vs)


def bitcast(s, d, v):
    if s == d or "ptr" in (s[0], d[0]):
        return v
    a, b = lane(s), lane(d)
    parts = v if s[0] == "v" else [v]
    if a != b:
        if a % b == 0:
            parts = [V.cut(x, i, i + b, a) for x in parts for i in range(0, a, b)]
        elif b % a == 0:
            parts = [V.concat([(x, a) for x in parts[i:i + b // a]]) for i in range(0, len(parts), b // a)]
        else:
            raise Refused(f"lanes of {a} bits as lanes of {b}")
    return parts if d[0] == "v" else parts[0]


def arithmetic(op, a, b, w):
    if op in V.OPERATIONS:
        return V.OPERATIONS[op](a, b, w)
    if a is None or b is None:
        return None
    concrete(b, "a shift or a divisor")
    if op in ("shl", "lshr", "ashr"):
        if b >= w:
            return None
        if op == "shl":
            return V.concat([(0, b), (V.cut(a, 0, w - b, w), w - b)])
        x = V.bits(a, w)
        return V.norm(x[b:] + (x[-1] if op == "ashr" else V.ZERO,) * b)
    if op in ("udiv", "urem") and b and not b & (b - 1):
        n = b.bit_length() - 1
        return V.cut(a, n, w, w) if op == "udiv" and n == 0 else arithmetic("lshr", a, n, w) if op == "udiv" else V.and_(a, b - 1, w)
    if b == 0:
        raise Refused("a division by zero")
    concrete(a, "a division")
    if op in ("udiv", "urem"):
        return a // b if op == "udiv" else a % b
    raise Refused("an instruction without a model: " + op)


def compare(p, a, b, w):
    if p in ("eq", "ne"):
        c = V.eq(a, b, w)
        return c if p == "eq" else V.xor(c, 1, 1)
    if p[0] == "s":
        top = 1 << w - 1
        a, b = V.xor(a, top, w), V.xor(b, top, w)
    if p[1:] == "lt":
        return V.ult(a, b, w)
    if p[1:] == "gt":
        return V.ult(b, a, w)
    return V.xor(V.ult(b, a, w) if p[1:] == "le" else V.ult(a, b, w), 1, 1)


def _binary(m, env, op, t, a, b, flags):
    m.count(op)
    w = lane(t)

    def one(x, y):
        r = arithmetic(op, x, y, w)
        return r if r is None or not flags else m.promising(r, op, flags, x, y, w)
    return lanes(t, one, m.get(env, t, a), m.get(env, t, b))


def _cast(m, env, op, t, a, d, flags):
    v = m.get(env, t, a)
    if op == "bitcast":
        return bitcast(t, d, v)
    if op in ("ptrtoint", "inttoptr"):
        if lane(t) != lane(d):
            raise Refused("an address of another width")
        return v
    m.count(op)
    s, w = lane(t), lane(d)

    def one(x):
        if x is None:
            return None
        bits = V.bits(x, s)
        r = V.cut(x, 0, w, s) if op == "trunc" else V.norm(bits + (V.ZERO if op == "zext" else bits[-1],) * (w - s))
        return m.promising(r, op, flags, x, w, s) if flags else r
    return lanes(t, one, v)


def _icmp(m, env, p, t, a, b, flags):
    m.count("icmp")
    w = lane(t)

    def one(x, y):
        r = compare(p, x, y, w)
        return r if r is None or not flags else m.promising(r, "icmp", flags, x, y, w)
    return lanes(t, one, m.get(env, t, a), m.get(env, t, b))


def _load(m, env, t, at, align, promised):
    at = m.get(env, ("ptr",), at)
    m.promised(("ptr",), at, {"align": align})
    m.count("load")
    v = m.load(at, t)
    if promised:
        m.promised(t, v, promised)
    return v


def _store(m, env, t, v, at, align):
    at = m.get(env, ("ptr",), at)
    m.promised(("ptr",), at, {"align": align})
    m.count("store")
    m.store(at, t, m.get(env, t, v))


def _alloca(m, env, t, count, align):
    return m.alloc([None] * (size(t) * concrete(m.get(env, ("i", 64), count), "a size")), "the stack", align)


def _shuffle(m, env, t, a, b, mt, mask):
    both = m.get(env, t, a) + m.get(env, t, b)
    m.count("shufflevector")
    return [None if i is None else both[i] for i in m.get(env, mt, mask)]


def _extract(m, env, t, v, it, i):
    i = concrete(m.get(env, it, i), "a lane's number")
    return m.get(env, t, v)[i]


def _insert(m, env, t, v, et, e, it, i):
    v = list(m.get(env, t, v))
    v[concrete(m.get(env, it, i), "a lane's number")] = m.get(env, et, e)
    return v


def _select(m, env, ct, c, t, a, b):
    m.count("select")
    c, a, b = m.get(env, ct, c), m.get(env, t, a), m.get(env, t, b)
    w = lane(t)
    if ct[0] == "v":
        return [V.select(k, x, y, w) for k, x, y in zip(c, a, b, strict=True)]
    if isinstance(c, int):
        return a if c else b
    if t[0] not in ("i", "v"):
        raise Refused("a choice of an address depends on " + kind(c))
    return lanes(t, lambda x, y: V.select(c, x, y, w), a, b)


def _extractvalue(m, env, t, v, path):
    v = m.get(env, t, v)
    for i in path:
        v = v[i]
    return v


def _insertvalue(m, env, t, v, et, e, path):
    def put(v, path, e):
        v = list(v)
        v[path[0]] = e if len(path) == 1 else put(v[path[0]], path[1:], e)
        return v
    return put(m.get(env, t, v), path, m.get(env, et, e))


def _asm(m, env, text, args):
    # Empty assembly hides a value from the compiler: an address (black_box) or a register.
    text = text.replace("\\0A", " ").replace("\\09", " ").strip()
    if text and not (text.startswith("/*") and text.endswith("*/")):
        raise Refused("assembly: " + text)
    return m.get(env, *args[0][:2]) if args else None


def _call(m, env, t, callee, args, promised):
    v = called(m, env, t, callee, args)
    if promised:
        m.promised(t, v, promised)
    return v


def called(m, env, t, callee, args):
    import models
    given = [m.get(env, *a[:2]) for a in args]
    for (at, _, attributes), v in zip(args, given):
        if attributes:
            m.promised(at, v, attributes)
    if callee[0] == "@" and callee[1].startswith("@llvm."):
        return models.intrinsic(m, callee[1][6:], t, given, [a[0] for a in args])
    name = m.functions.get(m.get(env, ("ptr",), callee))
    if name in m.stand_ins:
        return m.stand_ins[name](m, *given)
    if name not in m.module.bodies:
        raise Refused(f"a call of {name}, which is not in this crate")
    return m.run(name, given)


def _br(m, env, c, yes, no):
    return yes if concrete(m.get(env, ("i", 1), c), "a branch") else no


def _switch(m, env, t, v, default, cases):
    return cases.get(concrete(m.get(env, t, v), "a branch"), default)


def _unreachable(m, env):
    raise Refused("what must not be reached is reached")


STEPS = {"binary": _binary, "cast": _cast, "icmp": _icmp, "load": _load, "store": _store, "alloca": _alloca,
         "gep": Machine.element, "shuffle": _shuffle, "extract": _extract, "insert": _insert, "select": _select,
         "extractvalue": _extractvalue, "insertvalue": _insertvalue, "asm": _asm, "call": _call,
         "freeze": Machine.get, "nothing": lambda m, env: None}
ENDS = {"jump": lambda m, env, to: to, "br": _br, "switch": _switch, "unreachable": _unreachable,
        "ret": lambda m, env, t, v: None if v is None else m.get(env, t, v)}
