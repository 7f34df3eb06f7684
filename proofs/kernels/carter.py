"""The kernels of Carter: `Key` by the definition of its fields, and each row's functions for whole messages."""
import loops
import specification as S
import values as V
from kernels import Check, blocks, inputs, slices, table

ROWS = "rows4ROWS17h"  # the table itself: its rows have functions in it
# Rounds: where the kernels of whole messages begin in a row; then their order. rustc chooses both: with another order
# nothing is proved.
WORDS, KERNELS = 8, {10: 2, 14: 5}
TAG, TAG_AFTER, TAG8 = range(3)
MODULUS = 0xC2 << 56


def xor(*parts):
    out = 0
    for p in parts:
        out = V.xor(out, p, 128)
    return out


def key_bytes(key, arch, product=None):
    """The fields in order: k, of_pairs, halves_of_length, of_zero, of_missing, r, length, modulus, rounds. On AArch64 a
    pair of keys is the lower halves of both, then the upper ones."""
    out = list(key["k"])
    halves = lambda v: (V.cut(v, 0, 64, 128), V.cut(v, 64, 128, 128))
    put = lambda *parts: out.extend(b for v in parts for b in S.split(v, 128))
    products = []
    for j in range(4):
        x, y = (S.little(key["k"][16 * i:16 * i + 16]) for i in (j, 4 + j))
        pair = [*halves(x), *halves(xor(x, y))]
        for v in pair if arch == "x86_64" else pair[::2] + pair[1::2]:
            out.extend(S.split(v, 64))
        products.append([(product or V.clmul)(*halves(v)) for v in (x, y, xor(x, y))])
    for h in halves(key["length"]):
        put(V.concat([(h, 64), (h, 64)]))
    missing = []
    for pairs in range(5):
        there, rest = products[:pairs], products[pairs:]
        of_zero, low = xor(*(p[1] for p in there)), xor(*(p[0] for p in rest))
        put(of_zero)
        missing += [low, xor(of_zero, low, *(p[2] for p in rest))]
    put(*missing, key["r"], key["length"], MODULUS << 64 | MODULUS)
    for i in range(15):
        put(key["rounds"][i] if i < len(key["rounds"]) else 0)
    return out + [None] * (-len(out) % 64)


class Carter(Check):
    def __init__(self, module, row, rounds, key=None):
        super().__init__(module)
        functions = table(self.machine, ROWS, WORDS)[row]
        self.functions, self.absorb, self.finish = functions[KERNELS[rounds]:][:3], *functions[:2]
        self.key = key or {
            "k": inputs("k", 2048), "r": V.fresh("r", 128), "length": V.fresh("key of the length", 128),
            "rounds": [V.fresh(f"round key {i}", 128) for i in range(rounds + 1)]}
        self.address = self.machine.alloc(key_bytes(self.key, module.arch), "the key", constant=True)


class Tag(Carter):
    def case(self, n, align=1, message=None, block=None):
        m = self.fork()
        message = inputs("message", n) if message is None else message
        block = V.fresh("block", 128) if block is None else block
        out = m.alloc([None] * 16, "the tag", 1)
        self.call(m, block, message, align, out)
        return m.read(out, 16), S.carter(self.key, message, block)

    def call(self, m, block, message, align, out):
        at = m.alloc(message, "the message", align, constant=True)
        m.run(self.functions[TAG], [self.address, block, at, len(message), out])


class TagAfter(Tag):
    """A message of more than 64 bytes, whose first ones lie elsewhere."""

    def call(self, m, block, message, align, out):
        head, rest = message[:64], message[64:]
        head, at = m.alloc(head, "the head", 1, constant=True), m.alloc(rest, "the rest", align, constant=True)
        m.run(self.functions[TAG_AFTER], [self.address, block, head, at, len(rest), out])


class Stream(Carter):
    """Whole blocks behind any state, and the end of a message behind any state, of any length before it. A state is
    four numbers, whose sum it is."""

    def case(self, blocks, rest):
        m = self.fork()
        sums = [V.fresh(f"y{i}", 128) for i in range(4)]
        state = m.alloc([b for v in sums for b in S.split(v, 128)], "the state", 64)
        message, want = inputs("message", 2048 * blocks + rest), xor(*sums)
        at = m.alloc(message, "the blocks", 1, constant=True)
        for i in range(blocks):
            want = S.carter_step(self.key, want, message[2048 * i:2048 * i + 2048])
        if blocks:
            m.run(self.absorb, [self.address, state, at, blocks])
            return S.split(xor(*(m.number(state + 16 * i, 128) for i in range(4))), 128), S.split(want, 128)
        length = V.fresh("length", 64)
        got = m.run(self.finish, [self.address, state, at, rest, length])
        want = S.carter_end(self.key, S.carter_step(self.key, want, message), V.concat([(length, 64), (0, 64)]))
        return S.split(got, 128), S.split(want, 128)


class AnyBlocks(Carter, loops.Any):
    """`absorb`, any number of blocks: a loop carries four sums, or one or two."""
    size, uncut, lane = 2048, 0, 128

    def case(self):
        self.changed, self.sums = set(), [V.fresh(f"y{i}", 128) for i in range(4)]
        return self.prove()

    def setting(self, m, at, n):
        self.partial = m.alloc([b for v in self.sums for b in S.split(v, 128)], "the state", 64)
        return self.absorb, [self.address, self.partial, at, n]

    def before(self):
        return xor(*self.sums)

    def named(self, contents):
        return {}

    def state(self, parts, others):
        return xor(*others)

    def step(self, y, block):
        return S.carter_step(self.key, y, block)

    def bytes(self, y):
        return S.split(y, 128)

    def left(self, m):
        return S.split(xor(*(m.number(self.partial + 16 * i, 128) for i in range(4))), 128)


class Tag8(Carter):
    """Eight messages under nonces of 8 bytes that follow each other."""

    def case(self, *lengths):
        m = self.fork()
        messages = [inputs(f"message {i}", n) for i, n in enumerate(lengths)]
        place, of_nonces = blocks(m, 0)
        tags = m.alloc([None] * 128, "tags", 1)
        m.run(self.functions[TAG8], [self.address, slices(m, "messages", messages), max(lengths), place, tags])
        want = [b for message, block in zip(messages, of_nonces) for b in S.carter(self.key, message, block)]
        return m.read(tags, 128), want
