"""The functions of UMAC: `umac::packet::Key` by its definition, its arrangement by the row's own function, and each row's
functions for levels and for whole messages."""
from collections import namedtuple

import loops
import residues
import specification as S
import values as V
from kernels import Check, Refused, blocks, inputs, little64, slices, table

FUNCTIONS = 9  # for a number of streams
ROWS, POINTERS = "umac6packet4ROWS", 1 + 4 * FUNCTIONS
# Where the fields of `packet::Key` begin up to those that packets load; behind these are the keys of level 3 as numbers,
# and the pad cipher.
# The masks stand before the round keys.
Layout = namedtuple("Layout", "l1 l2 table rounds end size")
LAYOUTS = {"x86_64": Layout(0, 3264, 3456, 5328, 5504, 6208), "aarch64": Layout(0, 1072, 1280, 1472, 1664, 2368)}
NAMES = [f"{what}.{t}" for what in ("accumulator", "word") for t in range(4)]  # what `absorb` carries
LEVEL1, ABSORB, INNER, HASH, TAG, TAG_AFTER, TAG8, WORDS8, INNER8 = range(FUNCTIONS)


def symbolic_key(arch):
    # Where kernels cut the keys of level 3, so that products of the parts have one form.
    cut = 32 if arch == "x86_64" else 8
    return {"l1": [V.fresh(f"k{i}", 32) for i in range(268)], "l2": [V.fresh(f"k64.{t}", 64, 2**57 - 1) for t in range(4)],
            "l3": [[V.fresh(f"l3.{t}.{i}", 64, S.P36 - 1, (cut,)) for i in range(8)] for t in range(4)],
            "mask": [V.fresh(f"mask{t}", 32) for t in range(4)],
            "rounds": [V.fresh(f"round key {i}", 128) for i in range(11)]}


def l1_bytes(words, arch):
    """l1_nh::Key: the words in the order of products, from stream 0 and from stream 1 on; and in order. Without the
    first on AArch64."""
    out = []
    for t in range(2 if arch == "x86_64" else 0):
        pairs = []
        for at in range(4 * t, 4 * t + 8 * ((268 - 4 * t) // 8), 8):
            for j in range(4):
                pairs += [words[at + j], words[at + 4 + j]]
        out += pairs + [0] * (272 - len(pairs))
    return [b for w in out + words for b in S.split(w, 32)]


def l2_bytes(keys):
    """l2_poly::Key: k128 and its square, k64 and any number that is its square mod p64."""
    field, out = residues.Field(S.P64), []
    for t, k in enumerate(keys):
        square = k * k % S.P64 if isinstance(k, int) else V.fresh(f"square64.{t}", 64)
        if isinstance(square, tuple):
            field.declare(square, field.mul(field.of(k, 64), field.of(k, 64)))
        out += [None] * 32 + little64(k) + little64(square)
    return out


def of_streams(functions, streams):
    return functions[1 + FUNCTIONS * (streams - 1):][:FUNCTIONS]


class Umac(Check):
    """Functions for some streams. A key has as many masks and keys of level 3 as a key of four streams."""

    def __init__(self, module, row, streams, key=None):
        super().__init__(module)
        functions = table(self.machine, ROWS, POINTERS)[row]
        self.streams, self.functions = streams, of_streams(functions, streams)
        self.key = key or symbolic_key(module.arch)
        self.address = self.place(functions[0])

    def place(self, arrange):
        m, key = self.machine, self.key
        arch = m.module.arch
        at = LAYOUTS[arch]
        masks = [b for mask in key["mask"] for b in S.split(mask, 32)[::-1]]
        l3 = []
        for keys, mask in zip(key["l3"], key["mask"]):
            l3 += [b for k in keys for b in little64(k)] + S.split(mask, 32) + [None] * 4
        content = [None] * at.end + l3
        content += [None] * (at.size - len(content))
        for start, part in ((at.l1, l1_bytes(key["l1"], arch)), (at.l2, l2_bytes(key["l2"])),
                            (at.table, [0] * (at.rounds - at.table)), (at.rounds - 16, masks),
                            (at.rounds, [b for r in key["rounds"] for b in S.split(r, 128)])):
            content[start:start + len(part)] = part
        address = m.alloc(content, "the key")
        m.run(arrange, [address + at.l1, address + at.l2, address + at.end, address + at.table])
        m.constant.add(address >> 40)
        return address


class Tag(Umac):
    function = TAG

    def message(self, m, message, align):
        return [m.alloc(message, "the message", align, constant=True), len(message)]

    def case(self, n, start=0, align=1, message=None, block=None):
        m = self.fork()
        message = inputs("message", n) if message is None else message
        block = V.fresh("block", 128) if block is None else block
        want = S.umac(self.key, self.streams, message, block, start)
        out = m.alloc([None] * 16, "the tag", 1)
        low, high = S.split(block, 128)[:8], S.split(block, 128)[8:]
        of = m.alloc([*high, *little64(start), *low], "the pad's block", 8, constant=True)
        first = m.run(self.functions[self.function], [self.address, of, *self.message(m, message, align), out])
        got = m.read(out, 16) if self.streams > 2 else [None] * 8 if first is None else little64(first)
        return got[:4 * self.streams], want


class TagAfter(Tag):
    """A message of more than 64 bytes, which lie elsewhere than the rest."""
    function = TAG_AFTER

    def message(self, m, message, align):
        head, rest = message[:64], message[64:]
        return [m.alloc(head, "the head", 1, constant=True), m.alloc(rest, "the rest", align, constant=True), len(rest)]


class Hash(Umac):
    """The hash alone: the result is a number, whose upper bytes may be anything."""

    def case(self, n):
        m = self.fork()
        message = inputs("message", n)
        want = S.umac_hash(self.key, self.streams, message)  # before the kernel: it names the steps of POLY (residues.py)
        hash = m.run(self.functions[HASH], [self.address, m.alloc(message, "the message", 1, constant=True), n])
        return S.split(hash, 128)[:4 * self.streams], want


class Inner(Umac):
    """Level 3 alone, of any words of the streams."""

    def case(self):
        m = self.fork()
        words = [V.fresh(f"word {t}", 64, cuts=tuple(V.WORD_CUTS)) for t in range(4)]
        hash = m.run(self.functions[INNER], [self.address, m.alloc([b for w in words for b in little64(w)], "words", 8, constant=True)])
        want = [S.split(S.level3(*of, word), 32)[::-1] for *of, word in zip(self.key["l3"], self.key["mask"], words)]
        return S.split(hash, 128)[:4 * self.streams], sum(want[:self.streams], [])


class Level1(Umac):
    """Level 1 of at most a chunk: a word for each stream."""

    def case(self, n, align=1):
        m = self.fork()
        message = inputs("message", n)
        want = [S.nh(self.key["l1"][4 * t:], message) for t in range(self.streams)]
        words, key = m.alloc([None] * 32, "words", 8), self.address + LAYOUTS[m.module.arch].l1
        m.run(self.functions[LEVEL1], [key, m.alloc(message, "the message", align, constant=True), n, words])
        return m.read(words, 8 * self.streams), [b for v in want for b in little64(v)]


class Absorb(Umac):
    """Some chunks behind any state of POLY-64: the new accumulators are any numbers that are right mod p64, and so are
    the old ones. l2_poly::State: y128, y64, the first of a pair of words, the count."""

    def case(self, count, chunks):
        m = self.fork()
        field = residues.Field(S.P64)
        message = inputs("message", S.CHUNK * chunks)
        y = [V.fresh(f"y.{t}", 64) for t in range(4)]
        state = m.alloc([None] * 64 + [b for v in y for b in little64(v)] + [None] * 32 + little64(count) + [None] * 8, "state", 16)
        want = []
        for t in range(self.streams):
            value = field.of(y[t], 64)
            for i in range(0, len(message), S.CHUNK):
                word = S.nh(self.key["l1"][4 * t:], message[i:i + S.CHUNK])
                value = S.poly_step(field, self.key["l2"][t], value, word)
            want += little64(field.least(value, 64))
        m.run(self.functions[ABSORB], [self.address, state, m.alloc(message, "the chunks", 1, constant=True), chunks])
        words = [m.number(state + 64 + 8 * t, 64) for t in range(self.streams)]
        got = [b for word in words for b in little64(field.least(field.of(word, 64), 64))]
        return got + m.read(state + 128, 8), want + little64(count + chunks)


class AnyChunks(Umac, loops.Any):
    """`absorb`, any number of chunks behind any state of POLY-64, as long as there are 2^14 at most. A loop takes a
    chunk's words one iteration later: it carries accumulators, and the words of the chunk before."""
    size, uncut, lane = S.CHUNK, 1, 64

    def case(self):
        self.changed, self.field = set(), residues.Field(S.P64)
        self.streams += self.streams == 3  # its kernel takes four
        self.y, self.count = [V.fresh(f"y.{t}", 64) for t in range(self.streams)], V.fresh("count", 64, 2**14)
        return self.prove()

    def publics(self):
        return [self.count]

    def known(self, m, n):
        return [V.ult(V.add(self.count, n, 64), 2**14 + 1, 64)]

    def counts(self, index):
        at = lambda n: V.add(self.count, n, 64)
        return [loops.Public(at(0), V.add(at(index), 1, 64, -1), at(index))]

    def setting(self, m, at, n):
        y = self.y + [None] * (4 - self.streams)
        content = [None] * 64 + [b for v in y for b in ([None] * 8 if v is None else little64(v))]
        self.at = m.alloc(content + [None] * 32 + little64(self.count) + [None] * 8, "state", 16)
        return self.functions[ABSORB], [self.address, self.at, at, n]

    def before(self):
        return [self.field.of(y, 64) for y in self.y]

    def words(self, chunk):
        return [S.nh(self.key["l1"][4 * t:], chunk) for t in range(self.streams)]

    def named(self, contents):
        return dict(zip(NAMES, self.y)) | dict(zip(NAMES[4:], self.words(contents[0])))

    def state(self, parts, others):
        if others:
            raise Refused("a part that is no word and no accumulator")
        y = [self.field.of(parts[n], 64) for n in NAMES[:self.streams]]
        return self.stepped(y, [parts[n] for n in NAMES[4:][:self.streams]])

    def stepped(self, y, words):
        return [S.poly_step(self.field, k, *pair) for k, *pair in zip(self.key["l2"], y, words)]

    def step(self, y, chunk):
        return self.stepped(y, self.words(chunk))

    def bytes(self, y):
        return [b for v in y for b in little64(self.field.least(v, 64))]

    def left(self, m):
        y = [m.number(self.at + 64 + 8 * t, 64) for t in range(self.streams)]
        return self.bytes([self.field.of(v, 64) for v in y]) + m.read(self.at + 128, 8)

    def after(self, n):
        return little64(V.add(self.count, n, 64))


class Tag8(Umac):
    """Eight messages of at most 64 bytes, under nonces of 8 bytes that follow each other."""

    def case(self, *lengths):
        m = self.fork()
        messages = [inputs(f"message {i}", n) for i, n in enumerate(lengths)]
        bits = (4 // self.streams).bit_length() - 1
        place, of_nonces = blocks(m, bits)
        tags = m.alloc([None] * self.room(), "tags", 1)
        want = []
        for i, message in enumerate(messages):
            start = i % (1 << bits) * 4 * self.streams
            want += S.umac(self.key, self.streams, message, of_nonces[i >> bits], start)
        self.call(m, slices(m, "messages", messages), place, tags)
        return [b for i in range(8) for b in m.read(tags + self.room() // 8 * i, 4 * self.streams)], want

    def room(self):
        """Of eight tags."""
        return 64 if self.streams < 3 else 128

    def call(self, m, messages, place, tags):
        m.run(self.functions[TAG8], [self.address, messages, place, tags, self.room() // 64])


class Longer8(Tag8):
    """Eight longer messages, in two calls: their words, then their tags."""

    def call(self, m, messages, place, tags):
        words = m.alloc([None] * 256, "words", 64)
        m.run(self.functions[WORDS8], [self.address, messages, words])
        m.run(self.functions[INNER8], [self.address, words, place, tags, self.room() // 64])
