"""The kernels of PMAC: `pmac::sum::Key` by its definition, and each row's functions for whole messages."""
import specification as S
import values as V
from kernels import Check, inputs, slices, table
from specification import gray, pmac_half  # as they are, whatever controls.py makes of the specification's

ROWS = "pmac3sum4ROWS"
OFFSETS = {10: 0, 12: 4, 14: 8}  # rounds: where the kernels for them begin in a row
WHOLE_GROUPS, FEW, TAG, TAGS = range(4)
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
        self.functions = table(self.machine, ROWS, 12)[row][OFFSETS[rounds]:]
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
            m.run(self.functions[WHOLE_GROUPS], [self.key, base, first, blocks, groups, sum])
        if rest:
            # The first of a group's 32 offsets is at the start of the key.
            m.run(self.functions[FEW], [self.key, base, self.key, 32, blocks + 512 * groups, rest, sum])
        want = S.split(want, 128) + S.split(offset(first - 1 + 32 * groups), 128)
        return m.read(sum, 16) + m.read(base, 16), want


class Tag(Pmac):
    def case(self, n, align=1, message=None):
        m = self.fork()
        message = inputs("message", n) if message is None else message
        out = m.alloc([None] * 16, "the tag", 1)
        m.run(self.functions[TAG], [self.key, m.alloc(message, "the message", align, constant=True), n, out])
        return m.read(out, 16), S.pmac(self.keys, message)


class Tags(Tag):
    def case(self, *lengths):
        m = self.fork()
        messages = [inputs(f"message {i}", n) for i, n in enumerate(lengths)]
        out = m.alloc([None] * 128, "the tags", 1)
        taken = m.run(self.functions[TAGS], [self.key, slices(m, "messages", messages), out])
        if taken == 0:
            # No tags: nothing may have been written.
            self.declined.append(lengths)
            return [b is not None for b in m.read(out, 128)], [False] * 128
        return m.read(out, 128), [b for message in messages for b in S.pmac(self.keys, message)]
