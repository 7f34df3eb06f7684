"""What the kernels' checks take as given, proved from the same IR: round keys, the derivation of subkeys, and the key in
memory as a constructor leaves it, field by field.

  FIPS 197     `expand` for keys of 16, 24 and 32 bytes; `encrypt` of 1 to 9 blocks
  KDF          `Rfc4418::fill` under any key, each subkey at the lengths that are asked for
  UMAC         the whole of `ssh::Mac::new`, with any bytes for the subkeys in place of `fill`, and the functions that
               derive the keys of levels 1 and 2 and the masks. Not the reduction of level 3's keys.
  Carter       `l1::Key::prepare`
"""
import carter
import residues
import specification as S
import umac
import values as V
from kernels import Check, Refused, inputs, little64, table
from machine import Machine, concrete

AT = umac.LAYOUTS["x86_64"]
AES_NI = 1 << 6  # of `Cpu`: all rows here need it
# Parts of the names of the functions that are run here: prove.py must know them before.
ROOTS = [("cipher3aes5aesni6expand",), ("cipher3aes5aesni7encrypt",), ("umac3kdf5keyed",), ("Rfc4418", "4fill"), ("3cpu3Cpu6detect",),
         ("3ssh3Mac3new",), ("l1_nh3Key10from_bytes",), ("l2_poly3Key6derive",), ("l3_inner3Key6derive",), ("5field7product",),
         ("2l13Key7prepare",)]


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


class Schedule(Keys):
    """Round keys, behind which is their number."""

    def case(self, n):
        m, key = self.fork(), inputs("key", n)
        at = self.expanded(m, self.function("cipher3aes5aesni6expand"), 248, [m.alloc(key, "the key", 1, constant=True), n])
        want = [b for k in S.expand(key) for b in S.split(k, 128)]
        return m.read(at, len(want)) + m.read(at + 240, 8), want + little64(n // 4 + 6)


class Encrypt(Keys):
    def case(self, rounds, count):
        m, keys = self.fork(), [V.fresh(f"round key {i}", 128) for i in range(rounds + 1)]
        content = [b for k in keys for b in S.split(k, 128)]
        at = m.alloc(content + [0] * (240 - len(content)) + little64(rounds), "the round keys", 8, constant=True)
        blocks = inputs("block", 16 * count)
        out = m.alloc(blocks, "blocks", 1)
        m.run(self.function("cipher3aes5aesni7encrypt"), [at, out, count])
        want = [S.encrypt(keys, S.little(blocks[i:i + 16])) for i in range(0, 16 * count, 16)]
        return m.read(out, 16 * count), [b for block in want for b in S.split(block, 128)]


class Kdf(Keys):
    def case(self, index, n):
        m, secret = self.fork(), inputs("secret", 16)
        aes = self.expanded(m, self.function("umac3kdf5keyed"), 368, [AES_NI, m.alloc(secret, "the secret", 1, constant=True)])
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


class Whole(Umac):
    def __init__(self, module):
        super().__init__(module)
        m = self.machine
        self.rows = table(m, umac.ROWS, 34)
        at = m.address(m.module.find(umac.ROWS))
        first = m.number(at, 64)
        size = len(m.memory[first >> 40]) // len(self.rows)
        self.places = {row: first + size * i for i, row in enumerate(self.rows)}
        self.needs = {row: m.number(place + size - 8, 16) for row, place in self.places.items()}
        m.stand_ins["bcmp"] = lambda m, a, b, n: int(m.read(a, n) != m.read(b, n))

    def case(self, row, streams):
        m = self.fork()
        m.stand_ins[self.function("3cpu3Cpu6detect")] = lambda m: self.needs[row]
        name = b"umac-%d@openssh.com" % (32 * streams)
        at = self.expanded(m, self.function("3ssh3Mac3new"), 6208, [
            m.alloc(list(name), "the name", 1, constant=True), len(name), m.alloc(inputs("secret", 16), "the secret", 1, constant=True), 16])
        key = S.umac_key(subkey, streams)
        l1, l2, masks = self.padded(key, streams)
        want = level1(l1)
        places = [p for p in range(at, at + 6208 - AT.end + 1, 64) if m.read(p, 16) == want[:16]]
        if len(places) != 1:
            raise Refused(f"{len(places)} places with the keys of level 1")
        at = places[0]
        got = m.read(at, AT.l2) + self.level2(m, at + AT.l2, l2)
        want += [True] * 4 + [b for k in l2 for b in little64(k)]
        # The row's own arrangement of the keys beside it, the masks as bytes of a tag, the round keys of the pads.
        again = m.fork()
        copies = [again.alloc(m.read(at, AT.l2), "level 1"), again.alloc(m.read(at + AT.l2, 192), "level 2"),
                  again.alloc(m.read(at + AT.end, 288), "level 3")]
        place = again.alloc([0] * (AT.end - AT.table), "arranged")
        again.run(self.rows[row][0], [*copies, place])
        ends = AT.rounds - 16 - AT.table
        want += again.read(place, ends) + [b for mask in masks for b in S.split(mask, 32)[::-1]] + [b for k in key["rounds"] for b in S.split(k, 128)]
        got += m.read(at + AT.table, AT.end - AT.table)
        # The kernels are those of this row.
        content = m.memory[at >> 40]
        pointers = [content[i:i + 8] for i in range(0, len(content), 8)]
        return asked(got + [little64(self.places[row] + 32 + 64 * (streams - 1)) in pointers], want + [True])


class Levels(Umac):
    """The same by levels, for any number of streams."""

    def case(self, streams):
        m = self.fork()
        kdf = m.alloc([0] * 384, "the KDF", 16)
        key = S.umac_key(subkey, streams)
        l1, l2, masks = self.padded(key, streams)
        fill = self.function("Rfc4418", "4fill")
        run = lambda part, size, *arguments: self.expanded(m, self.calling(part, fill), size, arguments)
        got = m.read(run("l1_nh3Key10from_bytes", AT.l2, streams, kdf), AT.l2)
        got += self.level2(m, run("l2_poly3Key6derive", 192, kdf, streams), l2)
        # The masks; the keys of level 3 are not compared.
        at = run("l3_inner3Key6derive", 288, kdf, streams)
        got += [b for t in range(4) for b in m.read(at + 72 * t + 64, 4)]
        return asked(got, level1(l1) + [True] * 4 + [b for k in l2 for b in little64(k)] + [b for mask in masks for b in S.split(mask, 32)])


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
        given, r = [0] * len(want), 2048 + 16 * (8 + 2 + 5 + 10)
        for low, high in ((0, 2048), (r, len(want))):
            given[low:high] = want[low:high]
        at = m.alloc(given, "the key")
        m.run(self.function("2l13Key7prepare"), [at])
        return asked(m.read(at, len(want)), want)


def checks(module):
    """Titles, checks, cases, and what was proved."""
    w = module["wegman"]
    subkeys = [(0, 16)] + [(i, a + b * s) for s in (1, 2, 3, 4) for i, a, b in ((1, 1008, 16), (2, 0, 24), (3, 0, 64), (4, 0, 4))]
    rows = [(row, s) for row in table(Machine(w), umac.ROWS, 34) for s in (2, 4)]
    return [
        ("AES, key schedule", Schedule, (w,), [(16,), (24,), (32,)], "keys of 16, 24 and 32 bytes, by FIPS 197"),
        ("AES, blocks", Encrypt, (w,), [(rounds, n) for rounds in (10, 12, 14) for n in (*range(1, 10), 16, 17)], "1 to 9, 16, 17 blocks"),
        ("UMAC, KDF", Kdf, (w,), subkeys, "every subkey of 1 to 4 streams"),
        ("UMAC, keys by levels", Levels, (w,), [(2,), (3,), (4,)], "2 to 4 streams, any subkeys, without the keys of level 3"),
        ("UMAC, a whole key", Whole, (w,), rows, "2 and 4 streams on every row, any subkeys, without the keys of level 3"),
    ] + [check for cpu, name in (("", ""), ("-arm", " (ARM)")) if "carter" + cpu in module for check in (
        ("Carter, product in software" + name, Product, (module["carter" + cpu],), [()], "any two words"),
        ("Carter, prepare" + name, Prepare, (module["carter" + cpu],), [(10,), (14,)], "any keys"))]
