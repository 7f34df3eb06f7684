"""The kernels of PMAC: `pmac::sum::Key` by its definition, and each row's functions for whole messages."""
import specification as S
import values as V
from kernels import Check, inputs, slices, table
from specification import gray, pmac_half  # as they are, whatever controls.py makes of the specification's

ROWS = "pmac3sum4ROWS"
OFFSETS = {10: 0, 12: 4, 14: 8}  # rounds: where the kernels for them begin in a row
TAG, TAGS = 2, 3
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

    def place(self, m, mask=ALL):
        return m.alloc(key_bytes(self.keys, mask), "the key", constant=True)


class Tag(Pmac):
    def __init__(self, *args, mask=ALL, **named):
        super().__init__(*args, **named)
        self.mask, self.key = mask, self.place(self.machine, mask)

    def case(self, n, align=1, message=None):
        m = self.fork()
        message = inputs("message", n) if message is None else message
        out = m.alloc([None] * 16, "the tag", 1)
        m.run(self.functions[TAG], [self.key, m.alloc(message, "the message", align, constant=True), n, out])
        want = S.split(V.and_(S.little(S.pmac(self.keys, message)), self.mask, 128), 128)
        return m.read(out, 16), want


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
        got, want = m.read(out, 128), []
        for message in messages:
            want += S.split(V.and_(S.little(S.pmac(self.keys, message)), self.mask, 128), 128)
        return got, want
