"""What the kernels' checks take as given, proved from the same IR: round keys, the derivation of subkeys, and the key in
memory as a constructor leaves it, field by field.

  FIPS 197     `expand` for keys of 16, 24 and 32 bytes; `encrypt` of 1 to 9 blocks
  KDF          `Rfc4418::fill` under any key, each subkey at the lengths that are asked for
  UMAC         the whole key, with any bytes for the subkeys in place of `fill`, and the functions that derive its levels
  PMAC         the whole key
  Carter       the whole key, by `Key::prepare` and by the rest

Constructors are generic, and instances.rs compiles them.
"""
import carter
import decisions
import ir
import pmac
import residues
import specification as S
import umac
import values as V
from kernels import Check, Refused, inputs, little64, table
from machine import Machine, concrete

AT = umac.LAYOUTS["x86_64"]
PREPARED = slice(2048, 2048 + 16 * (8 + 2 + 5 + 10))  # of Carter's key: what `prepare` makes of the rest
AES_NI = 1 << 6  # of `Cpu`: all rows here need it
# Parts of the names of the functions that are run here: prove.py must know them before.
ROOTS = [("cipher3aes5aesni6expand",), ("cipher3aes5aesni7encrypt",), ("cipher3aes7vaes2567encrypt",), ("umac3kdf5keyed",), ("Rfc4418", "4fill"), ("3cpu3Cpu6detect",),
         ("3ssh3Mac3new",), ("l1_nh3Key6derive",), ("l2_poly3Key6derive",), ("l3_inner3Key6derive",), ("5field7product",),
         ("3key3Key7prepare",)]


def level1(words):
    """The keys of level 1 in memory, and nothing about the bytes behind them."""
    content = umac.l1_bytes(words, "x86_64")
    return content + [None] * (AT.l2 - len(content))


def asked(got, want):
    """Without the bytes between fields."""
    return [g for g, w in zip(got, want, strict=True) if w is not None], [w for w in want if w is not None]


def known(parts):
    if parts not in ROOTS:
        raise Refused(f"{parts} is missing in keys.ROOTS")


def pointers(m, at):
    """The known numbers in an object at the places of pointers."""
    content = m.memory[at >> 40]
    words = [content[i:i + 8] for i in range(0, len(content), 8)]
    return [little for little in (S.little(w) for w in words if None not in w) if isinstance(little, int)]


def string(m, at):
    """What a string at an address says; None if there is none."""
    try:
        return bytes(m.read(m.number(at, 64), m.number(at + 8, 64)))
    except Refused:
        return None


class Keys(Check):
    """A function by a part of its name."""

    def function(self, *parts):
        known(parts)
        names = [n for n in self.machine.module.bodies if all(p in n for p in parts)]
        if len(names) != 1:
            raise Refused(f"{len(names)} functions with {' and '.join(parts)}")
        return names[0]

    def calling(self, part, callee):
        """The function with this part in its name that calls another."""
        known((part,))
        bodies = self.machine.module.bodies
        names = [n for n in bodies if part in n and any(callee in text for _, text in bodies[n])]
        if len(names) != 1:
            raise Refused(f"{len(names)} functions with {part} call {callee}")
        return names[0]

    def expanded(self, m, name, size, arguments):
        """What a function makes in a place of so many bytes."""
        at = m.alloc([None] * size, "the result")
        m.run(name, [at, *arguments])
        return at


class Made(Keys):
    """A key as its constructor leaves it in memory, on the row that its kernels are of."""

    def made(self, name, row, n):
        """The machine, the key's address and size, the row's address, and the secret."""
        m, part = self.fork(), {"umac": umac.ROWS, "pmac": pmac.ROWS, "carter": carter.ROWS}[name.split("_")[0]]
        at = m.address(m.module.find(part))
        place = m.number(at, 64)
        size = m.extent(place) // m.number(at + 8, 64)
        while bytes(m.read(m.number(place, 64), m.number(place + 8, 64))) != row.encode():
            place += size
        # A row ends with its needs.
        needs = m.number(place + size - 8, 32)
        m.stand_ins[self.function("3cpu3Cpu6detect")] = lambda m: needs | AES_NI
        secret, size = inputs("secret", n), m.module.function(name).parameters[0][2]["dereferenceable"]
        at = self.expanded(m, name, size, [m.alloc(secret, "the secret", 1, constant=True)])
        return m, at, size, place, secret

    def found(self, m, at, size, want, step=16):
        """The one place in the key with these bytes."""
        found = [p for p in range(at, at + size - len(want) + 1, step) if m.read(p, len(want)) == want]
        if len(found) != 1:
            raise Refused(f"{len(found)} places in the key with {len(want)} bytes that it must have")
        return found[0]


class Schedule(Keys):
    """Round keys, behind which is their number."""

    def case(self, n):
        m, key = self.fork(), inputs("key", n)
        at = self.expanded(m, self.function("cipher3aes5aesni6expand"), 248, [m.alloc(key, "the key", 1, constant=True), n])
        want = [b for k in S.expand(key) for b in S.split(k, 128)]
        return m.read(at, len(want)) + m.read(at + 240, 8), want + little64(n // 4 + 6)


class Encrypt(Keys):
    def case(self, row, rounds, count):
        m, keys = self.fork(), [V.fresh(f"round key {i}", 128) for i in range(rounds + 1)]
        content = [b for k in keys for b in S.split(k, 128)]
        at = m.alloc(content + [0] * (240 - len(content)) + little64(rounds), "the round keys", 8, constant=True)
        blocks = inputs("block", 16 * count)
        out = m.alloc(blocks, "blocks", 1)
        m.run(self.function(f"cipher3aes{row}7encrypt"), [at, out, count])
        want = [S.encrypt(keys, S.little(blocks[i:i + 16])) for i in range(0, 16 * count, 16)]
        return m.read(out, 16 * count), [b for block in want for b in S.split(block, 128)]


class Kdf(Keys):
    def case(self, index, n):
        m, secret = self.fork(), inputs("secret", 16)
        aes = self.expanded(m, self.function("umac3kdf5keyed"), 368, [AES_NI, m.alloc(secret, "the secret", 1, constant=True), 16])
        out = m.alloc([None] * n, "the subkey", 1)
        m.run(self.function("Rfc4418", "4fill"), [aes, index, out, n])
        return m.read(out, n), S.umac_subkey(S.expand(secret), index, n)


def subkey(index, n):
    return inputs(f"subkey {index}", n)


def filled(m, aes, index, out, n):
    """In place of `fill`: any bytes, the same for the same index."""
    m.write(out, subkey(index, concrete(n, "a length")))


class Umac(Keys):
    """A whole key, for any subkeys."""

    def __init__(self, module):
        super().__init__(module)
        self.machine.stand_ins[self.function("Rfc4418", "4fill")] = filled

    def padded(self, key, streams):
        """Zeroes are the keys of streams that are not there."""
        zeroes = lambda of, n: of + [0] * (n - len(of))
        return zeroes(key["l1"], 268), zeroes(key["l2"], 4), zeroes(key["mask"], 4)

    def level2(self, m, at, keys):
        """Whether the squares of POLY-64's keys in memory are squares mod p; and the keys."""
        field, right = residues.Field(S.P64), []
        for t, k in enumerate(keys):
            square = m.number(at + 48 * t + 40, 64)
            right.append(field.of(square, 64) == field.mul(field.of(k, 64), field.of(k, 64)))
        return right + sum((m.read(at + 48 * t + 32, 8) for t in range(4)), [])

    def level3(self, m, at, key):
        """Whether the keys of level 3 in memory are those, less multiples of p36; and the masks. Zeroes are those of
        streams that are not there."""
        keys = [*sum(key["l3"], []), *[0] * 32][:32]
        right = [decisions.same_number(m.number(at + 72 * (i // 8) + 8 * (i % 8), 64), k, 64) for i, k in enumerate(keys)]
        return right + [b for t in range(4) for b in m.read(at + 72 * t + 64, 4)]


class Whole(Umac, Made):
    """The generic constructor, for a number of streams."""

    def case(self, row, streams):
        m, at, size, place, _ = self.made(f"umac_{32 * streams}", row, 16)
        key = S.umac_key(subkey, streams)
        l1, l2, masks = self.padded(key, streams)
        want = level1(l1)
        at = self.found(m, at, size, want[:16], 64)
        got = m.read(at, AT.l2) + self.level2(m, at + AT.l2, l2) + self.level3(m, at + AT.end, key)
        want += [True] * 4 + [b for k in l2 for b in little64(k)] + [True] * 32 + [b for mask in masks for b in S.split(mask, 32)]
        # The row's own arrangement of the keys beside it, the masks as bytes of a tag, the round keys of the pads.
        again = m.fork()
        copies = [again.alloc(m.read(at, AT.l2), "level 1"), again.alloc(m.read(at + AT.l2, 192), "level 2"),
                  again.alloc(m.read(at + AT.end, 288), "level 3")]
        arranged = again.alloc([0] * (AT.end - AT.table), "arranged")
        functions = table(m, umac.ROWS, umac.POINTERS)[row]
        again.run(functions[0], [*copies, arranged])
        want += again.read(arranged, AT.rounds - 16 - AT.table) + [b for mask in masks for b in S.split(mask, 32)[::-1]]
        want += [b for k in key["rounds"] for b in S.split(k, 128)]
        got += m.read(at + AT.table, AT.end - AT.table)
        return asked(got + [place in pointers(m, at)], want + [True])


class Levels(Umac):
    """The same by levels, for any number of streams."""

    def case(self, streams):
        m = self.fork()
        kdf = m.alloc([0] * 384, "the KDF", 16)
        key = S.umac_key(subkey, streams)
        l1, l2, masks = self.padded(key, streams)
        fill = self.function("Rfc4418", "4fill")
        def run(part, size):
            at = m.alloc([0] * size, "the result")
            m.run(self.calling(part, fill), [at, streams, kdf])
            return at
        got = m.read(run("l1_nh3Key6derive", AT.l2), AT.l2)
        got += self.level2(m, run("l2_poly3Key6derive", 192), l2) + self.level3(m, run("l3_inner3Key6derive", 288), key)
        return asked(got, level1(l1) + [True] * 4 + [b for k in l2 for b in little64(k)] + [True] * 32 + [b for mask in masks for b in S.split(mask, 32)])


class Pmac(Made):
    """The constructor for tags of 16 bytes: the kernels' key, the powers of x times L, the round keys."""

    def case(self, row, rounds):
        m, at, size, place, secret = self.made(f"pmac_{rounds}", row, 4 * rounds - 24)
        keys = S.expand(secret)
        want, l = pmac.key_bytes(keys, pmac.ALL), S.swap(S.encrypt(keys, 0))
        powers = [l]
        for _ in range(63):
            powers.append(S.pmac_double(powers[-1]))
        for parts in ([S.swap(p) for p in [*powers, S.pmac_half(l)]], keys):
            self.found(m, at, size, [b for p in parts for b in S.split(p, 128)], 8)
        kernels = self.found(m, at, size, want[:16])
        return asked(m.read(kernels, len(want)) + [place + 16 + 8 * pmac.OFFSETS[rounds] in pointers(m, at)], want + [True])


def product(a, b):
    """Without carries, bit by bit."""
    out = [V.ZERO] * 128
    for i, x in enumerate(V.bits(a, 64)):
        for j, y in enumerate(V.bits(b, 64), i):
            out[j] = out[j] ^ V.and_bit(x, y)
    return V.norm(out)


class Product(Keys):
    """Carter's product in software."""

    def case(self):
        m, a, b = self.fork(), V.fresh("a", 64), V.fresh("b", 64)
        return S.split(m.run(self.function("5field7product"), [a, b]), 128), S.split(product(a, b), 128)


class Prepare(Keys):
    """What Carter's kernels load beside the keys themselves; its products are those of `Product`, made a part of it."""

    def case(self, rounds):
        m = self.fork()
        key = {"k": inputs("k", 2048), "r": V.fresh("r", 128), "length": V.fresh("key of the length", 128),
               "rounds": [V.fresh(f"round key {i}", 128) for i in range(rounds + 1)]}
        want = carter.key_bytes(key, m.module.arch, product)
        # Before: the keys, the modulus, the round keys; zeroes elsewhere.
        given = list(want)
        given[PREPARED] = [0] * len(given[PREPARED])
        at = m.alloc(given, "the key")
        m.run(self.function("3key3Key7prepare"), [at])
        return asked(m.read(at, len(want)), want)


class Carter(Made):
    """The constructor for tags of 16 bytes, up to `prepare`."""

    def __init__(self, module):
        super().__init__(module)
        self.machine.stand_ins[self.function("3key3Key7prepare")] = lambda m, at: None

    def case(self, row, rounds):
        m, at, size, place, secret = self.made(f"carter_{rounds}", row, 4 * rounds - 24)
        key = S.carter_key(secret, 128)
        want = carter.key_bytes(key, lambda a, b: 0)
        given = self.found(m, at, size, want[:16])
        got = m.read(given, len(want))
        del got[PREPARED], want[PREPARED]
        # The table of rows is compiled with the constructor: a row is known by its name.
        names = [string(m, p) for p in pointers(m, at) if p >> 40 in m.constant]
        return asked(got + [[n for n in names if n] == [row.encode()]], want + [True])


def checks(module):
    """Titles, checks, cases, and what was proved."""
    w, c = module["wegman"], module["carter"]
    subkeys = [(0, 16)] + [(i, a + b * s) for s in (1, 2, 3, 4) for i, a, b in ((1, 1008, 16), (2, 0, 24), (3, 0, 64), (4, 0, 4))]
    made = ir.Joined(module["instances"], w, c)
    rows = lambda module, part, words, cases: [(row, n) for row, f in table(Machine(module), part, words).items() for n in cases if f[2]]
    return [
        ("AES, key schedule", Schedule, (w,), [(16,), (24,), (32,)], "keys of 16, 24 and 32 bytes, by FIPS 197"),
        ("AES, blocks", Encrypt, (w,), [(row, rounds, n) for row, counts in (("5aesni", (*range(1, 10), 16, 17)), ("7vaes256", (1, 16, 19, 67))) for rounds in (10, 12, 14) for n in counts],
         "1 to 9, 16, 17 blocks in 128 bits, 1, 16, 19, 67 in 256"),
        ("UMAC, KDF", Kdf, (w,), subkeys, "every subkey of 1 to 4 streams"),
        ("UMAC, keys by levels", Levels, (made,), [(2,), (3,), (4,)], "2 to 4 streams, any subkeys"),
        ("UMAC, a whole key", Whole, (made,), rows(w, umac.ROWS, umac.POINTERS, (1, 2, 3, 4)), "1 to 4 streams on every row, any subkeys"),
        ("PMAC, a whole key", Pmac, (made,), rows(w, pmac.ROWS, pmac.POINTERS, (10, 12, 14)), "any secret of 16, 24 and 32 bytes on every row"),
        ("Carter, a whole key", Carter, (made,), rows(c, carter.ROWS, carter.WORDS, (10, 14)), "any secret of 16 and 32 bytes on every row, up to `prepare`"),
    ] + [check for cpu, name in (("", ""), ("-arm", " (ARM)")) if "carter" + cpu in module for check in (
        ("Carter, product in software" + name, Product, (module["carter" + cpu],), [()], "any two words"),
        ("Carter, prepare" + name, Prepare, (module["carter" + cpu],), [(10,), (14,)], "any keys"))]
