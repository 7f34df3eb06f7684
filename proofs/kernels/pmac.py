"""The kernels of PMAC: `pmac::sum::Key` by its definition, and each row's functions for whole messages."""
import functools

import loops
import specification as S
import values as V
import z3
from kernels import Check, Refused, inputs, slices, table
from machine import concrete
from specification import gray, pmac_half  # as they are, whatever controls.py makes of the specification's

ROWS = "pmac3sum4ROWS"
ADD_GROUPS, ADD_FEW, TAG, TAGS, TAG_AFTER_ONE, TAG_AFTER_TWO = range(6)
OFFSETS = {10: 0, 12: 6, 14: 12}  # rounds: where the kernels for them begin in a row
POINTERS = 18  # in a row
STEPS = 16 * (32 + 15 * 4)  # where this field of a key begins
ALL = (1 << 128) - 1


def key_bytes(keys, mask):
    """The fields in order: table, rounds, steps, ends, mask."""
    out = []
    l = S.swap(S.encrypt(keys, 0))
    offset = lambda i: S.swap(S.pmac_times(l, gray(i)))
    powers = [l]
    for _ in range(63):
        powers.append(S.pmac_double(powers[-1]))
    put = lambda *parts: out.extend(b for v in parts for b in S.split(v, 128))
    put(*(V.xor(offset(i), keys[0], 128) for i in range(1, 33)))
    for r in range(15):
        put(*[keys[r] if r < len(keys) else 0] * 4)
    put(*(V.xor(S.swap(p), offset(31), 128) for p in powers))
    ends = [0x80 << 8 * i for i in range(16)] + [S.swap(pmac_half(l))]
    put(*(V.xor(end, keys[0], 128) for end in ends))
    put(mask)
    return out + [None] * (-len(out) % 64)


class Pmac(Check):
    def __init__(self, module, row, rounds, keys=None):
        super().__init__(module)
        self.functions = table(self.machine, ROWS, POINTERS)[row][OFFSETS[rounds]:]
        self.keys = keys or [V.fresh(f"round key {i}", 128) for i in range(rounds + 1)]
        self.key = self.machine.alloc(key_bytes(self.keys, ALL), "the key", constant=True)


class Blocks(Pmac):
    """Blocks of a stream behind any sum, from block number `first` on: whole groups of 32, or a part of one."""

    def case(self, first, groups, rest):
        m = self.fork()
        l = S.swap(S.encrypt(self.keys, 0))
        offset = lambda i: S.swap(S.pmac_times(l, gray(i)))
        total = want = V.fresh("sum", 128)
        message = inputs("message", 512 * groups + 16 * rest)
        for i in range(32 * groups + rest):
            block = V.xor(S.little(message[16 * i:16 * i + 16]), offset(first + i), 128)
            want = V.xor(want, S.encrypt(self.keys, block), 128)
        blocks = m.alloc(message, "the blocks", 1, constant=True)
        base, sum = (m.alloc(S.split(v, 128), name, 1) for v, name in ((offset(first - 1), "base"), (total, "sum")))
        if groups:
            m.run(self.functions[ADD_GROUPS], [self.key, base, first, blocks, groups, sum])
        if rest:
            # The first of a group's 32 offsets is at the start of the key.
            m.run(self.functions[ADD_FEW], [self.key, base, self.key, 32, blocks + 512 * groups, rest, sum])
        want = S.split(want, 128) + S.split(offset(first - 1 + 32 * groups), 128)
        return m.read(sum, 16) + m.read(base, 16), want


class AnyGroups(Pmac, loops.Any):
    """`add_groups`, any number of groups from any group on. The offset of a block is that of the one before and L x^n,
    where 2^n is the highest that divides the number of the block; L x^n of a group's last block is any value, which the
    table has for this n."""
    size, uncut, lane = 512, 0, 128

    def case(self):
        m, i = self.fork(), z3.BitVec("i", 64)
        solver = z3.Solver()
        solver.add(i > 0, S.gray(i) ^ S.gray(i - 1) != i & -i)
        if solver.check() != z3.unsat:
            raise Refused("Gray code: neighbours differ by something else")
        self.changed, l = set(), S.swap(S.encrypt(self.keys, 0))
        powers = [l]
        for _ in range(63):
            powers.append(S.pmac_double(powers[-1]))
        self.before_last = S.swap(S.pmac_times(l, gray(31)))
        for n in range(5, 64):
            if m.read(self.key + STEPS + 16 * n, 16) != S.split(V.xor(S.swap(powers[n]), self.before_last, 128), 128):
                raise Refused(f"the table's entry {n}")
        self.power, self.n = V.fresh("L x^n", 128), V.fresh("n", 64, 63)
        self.added = [S.swap(powers[(k & -k).bit_length() - 1]) for k in range(1, 32)] + [self.power]
        self.sum, self.base = V.fresh("sum", 128), V.fresh("base", 128)
        self.begin, self.first = (V.concat([(1, 5), (V.fresh(name, 59), 59)]) for name in ("first group", "group"))
        return self.prove()

    def publics(self):
        return [self.n, self.begin[5:], self.first[5:]]

    def counts(self, index):
        return [loops.Public(self.begin, self.first, loops.low_bits(V.add(self.first, 32, 64)))]

    def zeroes(self, x):
        """Of a group's last block's number, or of 2^64 less it, which has as many."""
        last = V.add(self.first, 31, 64)
        if x not in (last, V.add(0, last, 64, -1)):
            raise Refused("bits of another number are counted")
        return self.n

    def setting(self, m, at, n):
        m.zeroes = self.zeroes
        m.entry(V.add(self.key + STEPS, V.mul(self.n, 16, 64), 64), S.split(V.xor(self.power, self.before_last, 128), 128))
        base, sum = self.places = [m.alloc(S.split(v, 128), name, 1) for v, name in ((self.base, "base"), (self.sum, "sum"))]
        return self.functions[ADD_GROUPS], [self.key, base, self.begin, at, n, sum]

    def before(self):
        return self.base, self.sum

    def named(self, contents):
        return {"base": self.base, "sum": self.sum}

    def state(self, parts, others):
        # A loop that has not loaded the sum adds its own at the end.
        return parts["base"], functools.reduce(lambda a, b: V.xor(a, b, 128), others, parts.get("sum", self.sum))

    def step(self, state, group):
        offset, total = state
        for i, added in enumerate(self.added):
            offset = V.xor(offset, added, 128)
            block = V.xor(S.little(group[16 * i:16 * i + 16]), offset, 128)
            total = V.xor(total, S.encrypt(self.keys, block), 128)
        return offset, total

    def bytes(self, state):
        return [b for v in state for b in S.split(v, 128)]

    def left(self, m):
        return [b for place in self.places for b in m.read(place, 16)]


class Tag(Pmac):
    def case(self, n, align=1, message=None):
        m = self.fork()
        message = inputs("message", n) if message is None else message
        out = m.alloc([None] * 16, "the tag", 1)
        m.run(self.functions[TAG], [self.key, m.alloc(message, "the message", align, constant=True), n, out])
        return m.read(out, 16), S.pmac(self.keys, message)


class TagAfterOne(Pmac):
    """Any block before a message that is not empty."""
    given, function = 1, TAG_AFTER_ONE

    def case(self, n, align=1):
        m, message = self.fork(), inputs("message", n)
        given = [V.fresh(f"block {i}", 128) for i in range(self.given)]
        out = m.alloc([None] * 16, "the tag", 1)
        m.run(self.functions[self.function], [self.key, *given, m.alloc(message, "the message", align, constant=True), n, out])
        return m.read(out, 16), S.pmac(self.keys, [b for block in given for b in S.split(block, 128)] + message)


class TagAfterTwo(TagAfterOne):
    """Any two."""
    given, function = 2, TAG_AFTER_TWO


class Tags(Tag):
    def case(self, *lengths):
        m = self.fork()
        messages = [inputs(f"message {i}", n) for i, n in enumerate(lengths)]
        out = m.alloc([None] * 128, "the tags", 1)
        # The caller branches on the result.
        taken = concrete(m.run(self.functions[TAGS], [self.key, slices(m, "messages", messages), out]), "a result")
        if taken == 0:
            # No tags: nothing may have been written.
            self.declined.append(lengths)
            return [b is not None for b in m.read(out, 128)], [False] * 128
        return m.read(out, 128), [b for message in messages for b in S.pmac(self.keys, message)]
