"""Executes machine code of x86-64 as machine.py executes the IR: the same values, the same memory, the same refusals.

The code is an object file of the compiler, its relocations applied. What capstone decodes and has no model here is
refused with its address and its text. What was never written, and registers at the entry, are unknown values: nothing
may depend on them. A return must find the stack and the registers that a function has to keep as they were.
"""
import bisect

import capstone
from capstone import x86
from elftools.elf.elffile import ELFFile

import models
import values as V
from machine import Machine, concrete, short
from values import Refused

IMAGE, GAP = 1, 64
BASE = IMAGE << 40
STACK, RED = 1 << 15, 128
RETURN = 1 << 62  # where the first function returns to
NAMES = "rax rcx rdx rbx rsp rbp rsi rdi".split() + [f"r{i}" for i in range(8, 16)]
MASKS = 48  # the first of the masks among the registers
ARGUMENTS, KEPT = (7, 6, 2, 1, 8, 9), (3, 4, 5, 12, 13, 14, 15)
RAX, RDX, RSP = 0, 2, 4


def registers():
    """Of each register's name: its number, its lowest bit, its width; vectors have numbers from 16 on."""
    out = {}
    for i, r in enumerate(NAMES):
        x = r[1:]
        parts = ((r, 64), (r + "d", 32), (r + "w", 16), (r + "b", 8)) if x[0].isdigit() else (
            (r, 64), ("e" + x, 32), (x, 16), (x[0] + "l" if x[1] == "x" else x + "l", 8))
        out |= {name: (i, 0, w) for name, w in parts}
    out |= {name + "h": (i, 8, 8) for i, name in enumerate("acdb")}
    out |= {f"{c}mm{i}": (16 + i, 0, w) for c, w in (("x", 128), ("y", 256), ("z", 512)) for i in range(32)}
    return out | {f"k{i}": (48 + i, 0, 64) for i in range(8)}


REGISTERS = registers()


class Object:
    """An object file in memory: its sections, with gaps between them; functions from elsewhere and the table of addresses
    are sections, too."""
    arch = "x86_64"

    def __init__(self, path):
        self.path, self.decoded, self.globals, self.bodies = path, {}, {}, {}
        self.sections, self.symbols, self.names, self.foreign, got = [], [], {}, {}, {}
        with open(path, "rb") as file:
            elf, image, places = ELFFile(file), bytearray(GAP), {}
            for i, s in enumerate(elf.iter_sections()):
                if s["sh_flags"] & 2:  # takes memory
                    if s["sh_addralign"] > GAP:
                        raise Refused(f"{path}: {s.name} is aligned to {s['sh_addralign']} bytes")
                    places[i] = self.section(image, s.data() if s["sh_type"] != "SHT_NOBITS" else bytes(s["sh_size"]))
            of_symbols = elf.get_section_by_name(".symtab")
            for s in of_symbols.iter_symbols():
                place = places.get(s["st_shndx"])
                if s["st_shndx"] == "SHN_UNDEF":
                    place = self.section(image, b"\xf4")
                    self.foreign[BASE + place] = s.name
                elif place is not None:
                    place += s["st_value"]
                    if s["st_info"]["type"] in ("STT_FUNC", "STT_OBJECT"):
                        self.globals[s.name] = BASE + place
                    if s["st_info"]["type"] == "STT_FUNC":
                        self.names[BASE + place] = s.name
                self.symbols.append(place)
            for s in elf.iter_sections():
                if s["sh_type"] == "SHT_RELA" and s["sh_info"] in places:
                    for r in s.iter_relocations():
                        self.relocate(image, places[s["sh_info"]], r, got)
        self.image, self.starts = bytes(image), [start for start, _ in self.sections]
        self.content = list(self.image)
        self.decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self.decoder.detail = True

    def section(self, image, data):
        start = len(image)
        self.sections.append((start, len(data)))
        image += data + bytes(-len(data) % GAP + GAP)
        return start

    def relocate(self, image, section, r, got):
        at, kind, n = section + r["r_offset"], r["r_info_type"], r["r_info_sym"]
        to = self.symbols[n]
        if kind in (9, 41, 42):  # the address in a table
            if n not in got:
                got[n] = self.section(image, (BASE + to).to_bytes(8, "little"))
            to = got[n]
        if to is None or kind not in (1, 2, 4, 9, 41, 42):
            raise Refused(f"{self.path}: a relocation of kind {kind}")
        size, v = (8, BASE + to) if kind == 1 else (4, to - at)
        image[at:at + size] = ((v + r["r_addend"]) % (1 << 8 * size)).to_bytes(size, "little")

    def find(self, part):
        found = [n for n in self.globals if part in n]
        if len(found) != 1:
            raise Refused(f"{self.path}: {len(found)} names with {part}")
        return found[0]

    def bounds(self, place, n):
        """The section that has these bytes."""
        i = bisect.bisect(self.starts, place) - 1
        if i < 0 or place + n > sum(self.sections[i]):
            raise Refused(f"{n} bytes at {place:#x} are outside of every section")
        return self.sections[i]

    def decode(self, at):
        if at not in self.decoded:
            start, size = self.bounds(at - BASE, 1)
            code = self.image[at - BASE:min(at - BASE + 15, start + size)]
            found = next(self.decoder.disasm(code, at, 1), None)
            if found is None:
                raise Refused(f"no instruction at {at:#x}: {code[:8].hex()}")
            self.decoded[at] = Instruction(found, self.decoder)
        return self.decoded[at]


class Instruction:
    def __init__(self, i, decoder):
        self.name, self.text, self.next = i.mnemonic, f"{i.mnemonic} {i.op_str}", i.address + i.size
        self.code, self.address = bytes(i.bytes), i.address
        self.vex, self.spread = self.name[0] == "v", "{1to" in i.op_str
        self.operands, self.plain, self.masked, self.disp = [], True, None, i.disp_offset
        for n, o in enumerate(i.operands):
            if n and f"{{{decoder.reg_name(o.reg) if o.type == x86.X86_OP_REG else ''}}}" in i.op_str:
                # Which lanes are written, and whether the others become zeroes.
                self.masked = REGISTERS[decoder.reg_name(o.reg)][0], o.avx_zero_opmask
                continue
            if o.type == x86.X86_OP_IMM:
                self.operands.append(("imm", 8 * o.size, o.imm))
            elif o.type == x86.X86_OP_REG:
                name = decoder.reg_name(o.reg)
                self.plain &= name in REGISTERS
                self.operands.append(("reg", 8 * o.size, REGISTERS.get(name)))
            else:
                name = lambda r: decoder.reg_name(r) if r else None
                base, index, segment = name(o.mem.base), name(o.mem.index), name(o.mem.segment)
                self.plain &= segment is None and base in (*NAMES, "rip", None) and index in (*NAMES, None)
                self.operands.append(("mem", 8 * o.size, (base, index, o.mem.scale, o.mem.disp)))


class Processor(Machine):
    def __init__(self, module):
        super().__init__(module)
        self.memory[IMAGE], self.names[IMAGE], self.first[IMAGE] = module.content, "the image", 0
        self.constant.add(IMAGE)
        self.functions, self.next, self.unknowns, self.seen = module.names, IMAGE + 1, 0, {}
        self.stack = self.alloc([None] * STACK, "the stack") >> 40

    def fork(self):
        other = Processor.__new__(Processor)
        other.__dict__ = super().fork().__dict__ | {"unknowns": self.unknowns, "seen": self.seen, "stack": self.stack}
        other.doubts = []
        return other

    # Memory

    def address(self, name):
        return self.module.globals[name]

    def extent(self, at):
        return self.module.bounds(at - BASE, 1)[1] if at >> 40 == IMAGE else super().extent(at)

    def place(self, at, n):
        number, place = super().place(at, n)
        if number == IMAGE:
            self.module.bounds(place, n)
        if number == self.stack and at < self.regs[RSP] - RED:
            raise Refused(f"{n} bytes below the stack")
        return number, place

    def unknown(self, width):
        self.unknowns += 1
        return V.fresh(f"unknown {self.unknowns} of {width} bits", width)

    def fetch(self, at, w):
        """A number of w bits; what was never written is anything."""
        number, place = self.place(at, w // 8)
        for i in range(place, place + w // 8):
            if self.memory[number][i] is None:
                constant = number in self.constant
                self.constant.discard(number)
                self.write(at + i - place, [self.unknown(8)])
                if constant:
                    self.constant.add(number)
        return self.number(at, w)

    def put(self, at, v, w):
        self.write(at, [V.cut(v, i, i + 8, w) for i in range(0, w, 8)])

    def push(self, v):
        self.regs[RSP] -= 8
        self.put(self.regs[RSP], v, 64)

    def pop(self):
        v = self.fetch(concrete(self.regs[RSP], "the stack"), 64)
        self.regs[RSP] += 8
        return v

    # Operands

    def sum(self, i, o):
        """What lea computes."""
        base, index, scale, disp = o[2]
        n = (disp + (i.next if base == "rip" else 0)) % (1 << 64)
        if base and base != "rip":
            n = V.add(self.regs[REGISTERS[base][0]], n, 64)
        return V.add(n, V.mul(self.regs[REGISTERS[index][0]], scale, 64), 64) if index else n

    def at(self, i, o):
        return concrete(self.sum(i, o), "an address")

    def get(self, i, o):
        how, w, what = o
        if how == "imm":
            return what % (1 << w)
        if how == "mem":
            return self.fetch(self.at(i, o), w)
        n, low, w = what
        return V.cut(self.regs[n], low, low + w, 64)

    def set(self, i, o, v):
        if o[0] == "mem":
            return self.put(self.at(i, o), v, o[1])
        n, low, w = o[2]
        parts = [(v, w), (0, 64 - w)] if w >= 32 else [(v, w), (V.cut(self.regs[n], w, 64, 64), 64 - w)]
        if low:
            parts = [(V.cut(self.regs[n], 0, 8, 64), 8), (v, 8), (V.cut(self.regs[n], 16, 64, 64), 48)]
        self.regs[n] = V.concat(parts)

    def words(self, i, o, w=None):
        """The words of 64 bits of a vector; a number in memory stands for all its lanes."""
        w = w or o[1]
        if o[0] == "mem" and i.spread:
            return gather([self.fetch(self.at(i, o), o[1])] * (max(x[1] for x in i.operands) // o[1]), o[1])
        if o[0] == "reg":
            return self.regs[o[2][0]][:w // 64]
        at = self.at(i, o)
        name = i.name[i.vex:]
        if name in ALIGNED or not i.vex and w == 128 and name not in UNALIGNED:
            if at % (w // 8):
                raise Refused("an address that is not aligned")
        return [self.fetch(at + 8 * k, 64) for k in range(w // 64)]

    def put_words(self, i, o, words):
        if o[0] == "mem":
            if i.name[i.vex:] in ALIGNED and self.at(i, o) % (8 * len(words)):
                raise Refused("an address that is not aligned")
            for k, v in enumerate(words):
                self.put(self.at(i, o) + 8 * k, v, 64)
        else:
            n = o[2][0]
            self.regs[n] = words + ([0] * (8 - len(words)) if i.vex else self.regs[n][len(words):])

    # Flags: functions of what they were computed from; one that is not there is undefined

    def flag(self, name):
        if name not in self.flags:
            raise Refused("a flag that is not defined")
        return self.flags[name]()

    def result(self, r, w, **others):
        self.flags = {"z": lambda: V.eq(r, 0, w), "s": lambda: V.cut(r, w - 1, w, w), **others}

    def condition(self, name):
        for negated in (0, 1):
            if name in CONDITIONS:
                return V.xor(CONDITIONS[name](self.flag), negated, 1)
            name = OPPOSITE.get(name, name)
        raise Refused("a condition without a model")

    # Execution

    def wide(self, v):
        return V.bits(v, 128)

    def run(self, name, args):
        at = self.module.globals[name]
        at = at if at in self.module.names else None
        words = []
        for v in args:
            words += [V.cut(v, 0, 64, 128), V.cut(v, 64, 128, 128)] if isinstance(v, tuple) and len(v) == 128 else [v]
        self.memory[self.stack] = [None] * STACK
        self.owned.add(self.stack)
        vectors = [[self.unknown(64) for _ in range(8)] for _ in range(32)]
        self.regs = [self.unknown(64) for _ in range(16)] + vectors + [self.unknown(64) for _ in range(8)]
        self.flags = {}
        for n, v in zip(ARGUMENTS, words):
            self.regs[n] = v
        self.regs[RSP] = (self.stack << 40) + 64 + STACK - 8 * (len(words[6:]) + len(words[6:]) % 2)
        for k, v in enumerate(words[6:]):
            self.put(self.regs[RSP] + 8 * k, v, 64)
        before = [self.regs[n] for n in KEPT]
        self.push(RETURN)
        while at != RETURN:
            self.steps += 1
            at = self.step(at)
        if [self.regs[n] for n in KEPT] != before:
            raise Refused(f"{short(name)} changes registers that it should keep")
        return self.regs[RAX]

    def step(self, at):
        i = None
        try:
            if at in self.module.foreign:
                return self.elsewhere(self.module.foreign[at])
            i = self.module.decode(at)
            self.seen.setdefault(i.code, i)
            if not i.plain and i.name != "nop":
                raise Refused("an operand without a model")
            return self.execute(i)
        except Refused as e:
            if not e.placed:
                n = bisect.bisect(self.order(), at) - 1
                start = self.order()[n]
                e = Refused(f"{e} ({short(self.module.names[start])} + {at - start:#x}: {i.text if i else ''})", True)
            raise e

    def order(self):
        if not hasattr(self.module, "sorted"):
            self.module.sorted = sorted(self.module.names)
        return self.module.sorted

    def elsewhere(self, name):
        """The functions of the system that compilers call."""
        to, at, n = (self.regs[r] for r in ARGUMENTS[:3])
        if name in ("memcpy", "memmove", "memset"):
            n = concrete(n, "a length")
            if n:
                self.write(to, [V.cut(at, 0, 8, 64)] * n if name == "memset" else self.read(at, n))
            self.regs[RAX] = to
        else:
            raise Refused(f"a call of {name}, which is not in this crate")
        for r in (1, 2, 6, 7, 8, 9, 10, 11):
            self.regs[r] = self.unknown(64)
        self.regs[16:] = [[self.unknown(64) for _ in range(8)] for _ in range(32)] + [self.unknown(64) for _ in range(8)]
        self.flags = {}
        return concrete(self.pop(), "a branch")

    def execute(self, i):
        name, o = i.name, i.operands
        if name == "jmp" or name == "call":
            to = concrete(self.get(i, o[0]), "a branch")
            if name == "call":
                self.push(i.next)
            return to
        if name == "ret" and not o:
            return concrete(self.pop(), "a branch")
        for prefix in ("j", "set", "cmov"):
            if name.startswith(prefix) and (name[len(prefix):] in CONDITIONS or name[len(prefix):] in OPPOSITE):
                c = self.condition(name[len(prefix):])
                if prefix == "j":
                    return o[0][2] if concrete(c, "a branch") else i.next
                if prefix == "set":
                    self.set(i, o[0], V.concat([(c, 1), (0, 7)]))
                else:
                    self.set(i, o[0], V.select(c, self.get(i, o[1]), self.get(i, o[0]), o[0][1]))
                return i.next
        if name in NUMBERS:
            NUMBERS[name](self, i, *o)
        elif name in MOVES:
            MOVES[name](self, i, *o)
        elif name[i.vex:] in VECTORS:
            self.vector(i, *VECTORS[name[i.vex:]])
        elif name not in ("nop", "endbr64", "vzeroupper") and not name.startswith("prefetch"):
            raise Refused("an instruction without a model")
        elif name == "vzeroupper":
            for r in range(16, 32):  # not those that only AVX-512 has
                self.regs[r] = self.regs[r][:2] + [0] * 6
        return i.next

    def vector(self, i, w, f):
        """Without VEX the first operand is the destination as well, but for those of one source."""
        o = list(i.operands)
        imm = [x[2] & 0xff for x in o if x[0] == "imm"]
        o = [x for x in o if x[0] != "imm"]
        if not i.vex and i.name not in ONE:
            o.insert(0, o[0])
        n = o[0][1]
        if i.name[i.vex:] in THREE:
            o.insert(1, o[0])
        source = [spread(self.words(i, x, x[1]), w) for x in o[1:]]
        out = f(*source, *imm)
        if o[0][2][0] >= MASKS and o[0][0] == "reg":
            if i.masked:
                raise Refused("an operand without a model")
            self.regs[o[0][2][0]] = V.concat([(c, 1) for c in out] + [(0, 64 - len(out))])
            return
        if len(out) != n // w:
            raise Refused("a vector of another length")
        words = gather(out, w)
        if i.masked:
            w = {"b": 8, "w": 16, "d": 32, "q": 64}[i.name[-1]]
            words = gather(self.chosen(i, o[0], spread(words, w), w), w)
        self.put_words(i, o[0], words)

    def chosen(self, i, x, lanes, w):
        """The lanes whose bit in the mask is set; the others are as before, or zeroes."""
        register, zeroes = i.masked
        before = [0] * len(lanes) if zeroes else spread(self.words(i, x, w * len(lanes)), w)
        mask = self.regs[register]
        return [V.select(V.cut(mask, k, k + 1, 64), a, b, w) for k, (a, b) in enumerate(zip(lanes, before, strict=True))]


def modelled(name):
    """Whether an instruction, but for branches, has a model."""
    bare = name.removeprefix("v")
    return (name in NUMBERS or name in MOVES or bare in VECTORS
            or any(name.startswith(p) and name[len(p):] in {*CONDITIONS, *OPPOSITE} for p in ("set", "cmov")))


def spread(words, w):
    if w == 64:
        return words
    if w > 64:
        return [V.concat([(v, 64) for v in words[k:k + w // 64]]) for k in range(0, len(words), w // 64)]
    return [V.cut(v, k, k + w, 64) for v in words for k in range(0, 64, w)]


def gather(lanes, w):
    if w == 64:
        return lanes
    if w > 64:
        return [V.cut(v, k, k + 64, w) for v in lanes for k in range(0, w, 64)]
    return [V.concat([(v, w) for v in lanes[k:k + 64 // w]]) for k in range(0, len(lanes), 64 // w)]


CONDITIONS = {"b": lambda f: f("c"), "e": lambda f: f("z"), "s": lambda f: f("s"), "o": lambda f: f("o"),
              "be": lambda f: V.or_(f("c"), f("z"), 1), "l": lambda f: V.xor(f("s"), f("o"), 1),
              "le": lambda f: V.or_(f("z"), V.xor(f("s"), f("o"), 1), 1)}
OPPOSITE = {"ae": "b", "ne": "e", "ns": "s", "no": "o", "a": "be", "ge": "l", "g": "le"}


def carry(a, b, r, w):
    """Of a + b = r; it is none if the number shows so."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b >> w
    if V.bounds(V.plus(V.poly(a, w, V.EXACT), V.poly(b, w, V.EXACT)))[1] < 1 << w:
        return 0
    return V.ult(r, b, w)


def overflow(a, b, r, w, sign):
    top = lambda x, y: V.cut(V.xor(x, y, w), w - 1, w, w)
    return V.and_(top(a, b) if sign < 0 else V.xor(top(a, b), 1, 1), top(a, r), 1)


def addition(sign, keep=True, carried=False, one=False):
    def model(m, i, x, y=None):
        w = x[1]
        a, b = m.get(i, x), 1 if one else V.cut(sign_extended(m, i, y, w), 0, w, w)
        c = m.flag("c") if carried else 0
        if carried and sign < 0 and x == y:
            r = V.norm(V.bits(c, 1) * w)
            m.result(r, w, c=lambda: c)
        else:
            s = V.add(a, b, w, sign)
            r = s if c == 0 else V.add(s, V.concat([(c, 1), (0, w - 1)]), w, sign)
            under = lambda: V.ult(a, b, w) if sign < 0 else carry(a, b, s, w)

            def out():
                if c == 0:
                    return under()
                if sign < 0:
                    return V.or_(under(), V.and_(V.eq(a, b, w), c, 1), 1)
                return V.or_(under(), carry(s, V.concat([(c, 1), (0, w - 1)]), r, w), 1)
            others = {"c": m.flags["c"]} if one and "c" in m.flags else {} if one else {"c": out}
            m.result(r, w, o=lambda: overflow(a, b, r, w, sign), **others)
        if keep:
            m.set(i, x, r)
    return model


def sign_extended(m, i, o, w):
    """A source; an immediate operand stands for its signed value."""
    return o[2] % (1 << w) if o[0] == "imm" else m.get(i, o)


def logic(f, keep=True):
    def model(m, i, x, y):
        w = x[1]
        r = 0 if f is V.xor and x == y else f(m.get(i, x), sign_extended(m, i, y, w), w)
        m.result(r, w, c=lambda: 0, o=lambda: 0)
        if keep:
            m.set(i, x, r)
    return model


def shifted(v, n, w, how):
    if how == "l":
        return V.concat([(0, n), (V.cut(v, 0, w - n, w), w - n)])
    b = V.bits(v, w)
    if how[0] == "r":
        n = n % w if how == "ror" else -n % w
        return V.norm(b[n:] + b[:n])
    return V.norm(b[n:] + (b[-1] if how == "a" else V.ZERO,) * n)


def shift(how):
    def model(m, i, x, y=None):
        w = x[1]
        n = 1 if y is None else concrete(m.get(i, y), "a shift") & (63 if w == 64 else 31)
        if n == 0:
            return m.set(i, x, m.get(i, x))
        if n >= w:
            raise Refused("a shift by the width")
        v = m.get(i, x)
        r = shifted(v, n, w, how)
        if how in ("rol", "ror"):
            m.flags = {k: f for k, f in m.flags.items() if k in "zs"}
        else:
            last = (w - n if how == "l" else n - 1)
            m.result(r, w, c=lambda: V.cut(v, last, last + 1, w))
        m.set(i, x, r)
    return model


def shift_by(how):
    """Without flags."""
    def model(m, i, x, y, z):
        n = concrete(m.get(i, z), "a shift") & x[1] - 1
        m.set(i, x, shifted(m.get(i, y), n, x[1], how))
    return model


def shift_double(left):
    def model(m, i, x, y, z):
        w = x[1]
        n = concrete(m.get(i, z), "a shift") & (63 if w == 64 else 31)
        a, b = m.get(i, x), m.get(i, y)
        both = V.concat([(b, w), (a, w)] if left else [(a, w), (b, w)])
        m.flags = {}
        m.set(i, x, V.cut(both, w - n if left else n, 2 * w - n if left else n + w, 2 * w))
    return model


def wide(a, b, w):
    return V.mul(V.concat([(a, w), (0, w)]), V.concat([(b, w), (0, w)]), 2 * w)


def _mul(m, i, x):
    w = x[1]
    low, high = (("reg", w, (r, 0, w)) for r in (RAX, RDX))
    p = wide(m.get(i, low), m.get(i, x), w)
    m.set(i, low, V.cut(p, 0, w, 2 * w))
    m.set(i, high, V.cut(p, w, 2 * w, 2 * w))
    m.flags = {}


def _mulx(m, i, high, low, x):
    w = x[1]
    p = wide(V.cut(m.regs[RDX], 0, w, 64), m.get(i, x), w)
    m.set(i, low, V.cut(p, 0, w, 2 * w))
    m.set(i, high, V.cut(p, w, 2 * w, 2 * w))


def _imul(m, i, x, *o):
    if not o:
        raise Refused("an instruction without a model")
    a, b = (x, *o) if len(o) == 1 else o
    m.set(i, x, V.mul(m.get(i, a), sign_extended(m, i, b, x[1]), x[1]))
    m.flags = {}


def _neg(m, i, x):
    a, w = m.get(i, x), x[1]
    r = V.add(0, a, w, -1)
    m.result(r, w, c=lambda: V.xor(V.eq(a, 0, w), 1, 1), o=lambda: V.eq(a, 1 << w - 1, w))
    m.set(i, x, r)


def _bswap(m, i, x):
    v, w = m.get(i, x), x[1]
    m.set(i, x, V.concat([(V.cut(v, k - 8, k, w), 8) for k in range(w, 0, -8)]))


def _bzhi(m, i, x, y, z):
    n = concrete(m.get(i, z), "a mask") & 0xff
    r = V.and_(m.get(i, y), (1 << min(n, x[1])) - 1, x[1])
    m.result(r, x[1], c=lambda: int(n >= x[1]), o=lambda: 0)
    m.set(i, x, r)


def _count(m, i, x, y):
    v, w = concrete(m.get(i, y), "a count of bits"), x[1]
    if i.name == "bsr" and not v:
        raise Refused("a count of no bits")
    r = v.bit_length() - 1 if i.name == "bsr" else (v & -v).bit_length() - 1 if v else w
    m.flags = {"z": lambda: int(v == 0)} if i.name == "bsr" else {"z": lambda: int(r == 0), "c": lambda: int(v == 0)}
    m.set(i, x, r)


def _exchange(m, i, x, y):
    a, b = m.get(i, x), m.get(i, y)
    m.set(i, x, b)
    m.set(i, y, a)


def _extend(m, i, x, y):
    v = V.bits(m.get(i, y), y[1])
    m.set(i, x, V.norm(v + (V.ZERO if i.name == "movzx" else v[-1],) * (x[1] - y[1])))


NUMBERS = {
    "mov": lambda m, i, x, y: m.set(i, x, sign_extended(m, i, y, x[1])), "movabs": lambda m, i, x, y: m.set(i, x, m.get(i, y)),
    "movzx": _extend, "movsxd": _extend, "lea": lambda m, i, x, y: m.set(i, x, V.cut(m.sum(i, y), 0, x[1], 64)),
    "add": addition(1), "sub": addition(-1), "cmp": addition(-1, keep=False), "adc": addition(1, carried=True),
    "sbb": addition(-1, carried=True), "inc": addition(1, one=True), "dec": addition(-1, one=True),
    "and": logic(V.and_), "or": logic(V.or_), "xor": logic(V.xor), "test": logic(V.and_, keep=False),
    "not": lambda m, i, x: m.set(i, x, V.xor(m.get(i, x), (1 << x[1]) - 1, x[1])), "neg": _neg,
    "shl": shift("l"), "shr": shift("z"), "sar": shift("a"), "rol": shift("rol"), "ror": shift("ror"),
    "shlx": shift_by("l"), "shrx": shift_by("z"), 
    "shld": shift_double(True), "shrd": shift_double(False), "mul": _mul, "mulx": _mulx, "imul": _imul,
    "bswap": _bswap, "bzhi": _bzhi, "tzcnt": _count, "bsr": _count,
    "xchg": _exchange, "push": lambda m, i, x: m.push(sign_extended(m, i, x, 64)),
    "pop": lambda m, i, x: m.set(i, x, m.pop())}


# Vectors

ALIGNED = {"movdqa", "movaps", "movapd", "movdqa64"}
UNALIGNED = {"movdqu", "movups"}
ONE = {"pshufd", "pshuflw", "pshufhw"}  # without VEX, too, the destination is no source


def _move(m, i, x, y):
    if not i.masked:
        return m.put_words(i, x, m.words(i, y))
    # Only lanes that may be chosen are read, only those that are chosen are written.
    w, n, aligned = int(i.name.partition("dq")[2][1:]), x[1], i.name.partition("dq")[2][0] == "a"
    memory = x if x[0] == "mem" else y
    if aligned and memory[0] == "mem" and m.at(i, memory) % (n // 8):
        raise Refused("an address that is not aligned")
    mask = [V.cut(m.regs[i.masked[0]], k, k + 1, 64) for k in range(n // w)]
    if y[0] == "reg":
        lanes = spread(m.words(i, y), w)
    else:
        lanes = [0 if bit == 0 else m.fetch(m.at(i, y) + k * w // 8, w) for k, bit in enumerate(mask)]
    if x[0] == "reg":
        return m.put_words(i, x, gather(m.chosen(i, x, lanes, w), w))
    for k, bit in enumerate(mask):
        if concrete(bit, "a mask"):
            m.put(m.at(i, x) + k * w // 8, lanes[k], w)


def _mask(m, i, x, y):
    w = {"w": 16, "d": 32, "q": 64}[i.name[-1]]
    v = m.get(i, ("mem", w, y[2])) if y[0] == "mem" else V.cut(m.regs[y[2][0]], 0, w, 64)
    if x[0] == "mem":
        m.put(m.at(i, x), v, w)
    else:
        m.regs[x[2][0]] = V.concat([(v, w), (0, 64 - w)])


def _move_low(m, i, x, y):
    """movd and movq, which fill the rest with zeroes."""
    w = 32 if i.name[i.vex:] == "movd" else 64
    if y[0] == "mem" or y[2][0] < 16:
        v = m.get(i, (y[0], w, y[2]))
    else:
        v = V.cut(m.regs[y[2][0]][0], 0, w, 64)
    if x[0] == "mem" or x[2][0] < 16:
        return m.set(i, (x[0], w, x[2]), v)
    m.put_words(i, x, [V.concat([(v, w), (0, 64 - w)]), 0])


def _move_double(m, i, x, y):
    """movsd: between registers, the upper half stays."""
    if "mem" in (x[0], y[0]):
        return _move_low(m, i, x, y)
    m.put_words(i, x, [m.words(i, y, 128)[0], m.words(i, x, 128)[1]])


def _widen(m, i, x, y):
    """vpmovzxdq and vpmovsxdq."""
    m.put_words(i, x, [extended(v, i.name[5] == "s") for v in spread(m.words(i, y), 32)[:x[1] // 64]])


def _broadcast(w):
    def model(m, i, x, y):
        if y[0] == "mem":
            part = V.concat([(m.fetch(m.at(i, y) + k, min(w, 64)), min(w, 64)) for k in range(0, w // 8, 8)])
        elif y[2][0] < 16:
            part = V.cut(m.regs[y[2][0]], 0, w, 64)
        else:
            part = spread(m.regs[y[2][0]][:max(2, w // 64)], w)[0]
        words = gather([part] * (x[1] // w), w)
        if i.masked:
            lane = 64 if "64" in i.name or i.name[-1] == "q" else 32
            words = gather(m.chosen(i, x, spread(words, lane), lane), lane)
        m.put_words(i, x, words)
    return model


def _insert_block(m, i, x, y, z, n):
    w = 256 if i.name[-3:] == "4x4" else 128
    words, part = list(m.words(i, y, x[1])), m.words(i, z, w)
    at = w // 64 * (n[2] % (x[1] // w))
    words[at:at + w // 64] = part
    m.put_words(i, x, words)


def _extract_block(m, i, x, y, n):
    w = 256 if i.name[-3:] == "4x4" else 128
    at = w // 64 * (n[2] % (y[1] // w))
    m.put_words(i, x, m.words(i, y)[at:at + w // 64])


def _extract(w):
    def model(m, i, x, y, n):
        v = spread(m.words(i, y), w)[n[2] % (128 // w)]
        size = w if x[0] == "mem" else x[2][2]
        m.set(i, (x[0], size, x[2]), V.concat([(v, w), (0, size - w)]))
    return model


def _insert(w):
    def model(m, i, x, *o):
        y, z, n = o if len(o) == 3 else (x, *o)
        lanes = list(spread(m.words(i, y, 128), w))
        lanes[n[2] % (128 // w)] = V.cut(m.get(i, z), 0, w, z[1])
        m.put_words(i, x, gather(lanes, w))
    return model


MOVES = {prefix + name: _move for prefix in ("", "v") for name in ALIGNED | UNALIGNED | {"movdqu8", "movdqu64"}}
for _v in ("", "v"):
    MOVES |= {_v + "movd": _move_low, _v + "movq": _move_low}
MOVES |= {"movsd": _move_double, "vpextrq": _extract(64), "vpextrd": _extract(32), "pextrw": _extract(16), "vpinsrq": _insert(64), "vpinsrd": _insert(32),
          "pinsrw": _insert(16), "vpmovzxdq": _widen, "vpmovsxdq": _widen}
MOVES |= {f"kmov{s}": _mask for s in "wdq"}
MOVES |= {"vbroadcasti32x4": _broadcast(128), "vbroadcasti64x4": _broadcast(256),
          "vextracti32x4": _extract_block, "vinserti32x4": _insert_block, "vextracti64x4": _extract_block, "vinserti64x4": _insert_block}
MOVES |= {"vpbroadcastd": _broadcast(32), "vpbroadcastq": _broadcast(64),
          "vbroadcastss": _broadcast(32), "vbroadcastsd": _broadcast(64), "vbroadcasti128": _broadcast(128),
          "vinserti128": _insert_block, "vinsertf128": _insert_block, "vextracti128": _extract_block, "vextractf128": _extract_block}


def each(f, w):
    return w, lambda a, b: [f(x, y, w) for x, y in zip(a, b, strict=True)]


def by_number(how, w):
    """A shift of all lanes by an immediate operand, or by the lowest 64 bits of a register."""
    def model(a, n):
        if isinstance(n, list):
            n = concrete(V.cut(V.concat([(v, w) for v in n]), 0, 64, w * len(n)), "a shift")
        if n >= w and how == "a":
            n = w - 1
        return [0 if n >= w else shifted(v, n, w, how) for v in a]
    return w, model


def by_lane(how, w):
    def one(x, n):
        n = concrete(n, "a shift")
        return 0 if n >= w else shifted(x, n, w, how)
    return w, lambda a, b: [one(x, n) for x, n in zip(a, b, strict=True)]


def extended(v, signed):
    b = V.bits(V.cut(v, 0, 32, 64), 32)
    return V.norm(b + (b[-1] if signed else V.ZERO,) * 32)


def multiplied(signed):
    return 64, lambda a, b: [V.mul(extended(x, signed), extended(y, signed), 64) for x, y in zip(a, b, strict=True)]


def in_blocks(w, f):
    """Block by block of 128 bits."""
    n = 128 // w

    def model(*o):
        vectors, imm = [x for x in o if isinstance(x, list)], [x for x in o if not isinstance(x, list)]
        return [v for k in range(0, len(vectors[0]), n) for v in f(*(x[k:k + n] for x in vectors), *imm)]
    return w, model


def greater(w):
    top = 1 << w - 1
    return w, lambda a, b: [V.norm(V.bits(V.ult(V.xor(y, top, w), V.xor(x, top, w), w), 1) * w) for x, y in zip(a, b, strict=True)]


def equal(w):
    return w, lambda a, b: [V.norm(V.bits(V.eq(x, y, w), 1) * w) for x, y in zip(a, b, strict=True)]


def rounds(last):
    return 128, lambda a, b: [V.aesenc(x, y, last) for x, y in zip(a, b, strict=True)]


def permuted(a, imm):
    return [a[k & ~3 | imm >> 2 * (k & 3) & 3] for k in range(len(a))]


VECTORS = {
    **{f"p{op}{s}": each(f, w) for op, f in (("add", V.add), ("sub", lambda a, b, w: V.add(a, b, w, -1)))
       for s, w in (("b", 8), ("w", 16), ("d", 32), ("q", 64))},
    **{name: each(f, 64) for op, f in (("and", V.and_), ("or", V.or_), ("xor", V.xor),
                                       ("andn", lambda a, b, w: V.and_(V.xor(a, (1 << w) - 1, w), b, w)))
       for name in ("p" + op, "p" + op + "d", "p" + op + "q", op + "ps", op + "pd")},
    **{f"ps{d}l{s}" if d == "l" else f"psr{how}{s}": by_number(d, w)
       for d, how in (("l", "l"), ("z", "l"), ("a", "a")) for s, w in (("w", 16), ("d", 32), ("q", 64))},
    "psllvq": by_lane("l", 64),
    **{f"pcmpgt{s}": greater(w) for s, w in (("b", 8), ("w", 16), ("d", 32), ("q", 64))},
    **{f"pcmpeq{s}": equal(w) for s, w in (("b", 8), ("w", 16), ("d", 32), ("q", 64))},
    "pmuludq": multiplied(False), "pmuldq": multiplied(True), "aesenc": rounds(False), "aesenclast": rounds(True),
    "pshufd": in_blocks(32, lambda a, imm: permuted(a, imm)),
    "shufps": in_blocks(32, lambda a, b, imm: [a[imm & 3], a[imm >> 2 & 3], b[imm >> 4 & 3], b[imm >> 6]]),
    **{name: in_blocks(64, lambda a, b: [a[0], b[0]]) for name in ("punpcklqdq", "unpcklpd", "movlhps")},
    "punpckhqdq": in_blocks(64, lambda a, b: [a[1], b[1]]),
    "punpckldq": in_blocks(32, lambda a, b: [a[0], b[0], a[1], b[1]]),
    "punpckhdq": in_blocks(32, lambda a, b: [a[2], b[2], a[3], b[3]]),
    "psrldq": in_blocks(8, lambda a, imm: (a[imm:] + [0] * 16)[:16]),
    "pslldq": in_blocks(8, lambda a, imm: ([0] * imm + a)[:16] if imm < 16 else [0] * 16),
    "pshufb": (8, lambda a, b: models.pshufb(None, "", None, None, [a, b], None)),
    "pmaddwd": (16, lambda a, b: gather_pairs(models.pmaddwd(None, "", ("v", len(a) // 2, None), None, [a, b], None))),
    "permd": (32, lambda order, a: models.permute(None, "", None, None, [a, order], None)),
    "perm2i128": (128, lambda a, b, imm: [0 if imm >> k & 8 else (a + b)[imm >> k & 3] for k in (0, 4)]),
    "pblendd": (32, lambda a, b, imm: [(b if imm >> k & 1 else a)[k] for k in range(len(a))]),
    "pblendw": (16, lambda a, b, imm: [(b if imm >> k % 8 & 1 else a)[k] for k in range(len(a))]),
}
def compared(predicate, w):
    """A bit for each lane."""
    below = {"lt": lambda x, y: V.ult(x, y, w), "nle": lambda x, y: V.ult(y, x, w)}[predicate]
    return w, lambda a, b: [below(x, y) for x, y in zip(a, b, strict=True)]


def by_intrinsic(f, name, w, order):
    """A model of the intrinsic, its arguments in another order."""
    return w, lambda *o: f(None, name, ("v", len(o[0]), ("i", w)), w, order(*o), None)


THREE = {"pternlogd", "pternlogq", "pmadd52luq", "pmadd52huq", "permi2b", "permi2q", "permt2b", "permt2q"}  # the destination is a source
VECTORS |= {
    **{f"pternlog{s}": by_intrinsic(models.ternary, "", w, lambda a, b, c, imm: [a, b, c, imm]) for s, w in (("d", 32), ("q", 64))},
    **{f"pmadd52{h}uq": by_intrinsic(models.madd52, f"52{h}", 64, lambda c, x, y: [c, x, y]) for h in "lh"},
    **{f"permi2{s}": by_intrinsic(models.permute_two, "", w, lambda order, a, b: [a, order, b]) for s, w in (("b", 8), ("q", 64))},
    **{f"permt2{s}": by_intrinsic(models.permute_two, "", w, lambda a, order, b: [a, order, b]) for s, w in (("b", 8), ("q", 64))},
    **{f"pcmp{p}u{s}": compared(p, w) for p in ("lt", "nle") for s, w in (("d", 32), ("q", 64))},
    **{f"pminu{s}": each(V.umin, w) for s, w in (("d", 32), ("q", 64))},
    "permb": (8, lambda order, a: models.permute(None, "", None, None, [a, order], None)),
    "permq": (64, lambda a, b: permuted(a, b) if isinstance(b, int) else models.permute(None, "", None, None, [b, a], None)),
    "shufi64x2": (128, lambda a, b, imm: [(a if k < len(a) // 2 else b)[imm >> k * (len(a) // 2) & len(a) - 1] for k in range(len(a))]),
}


def gather_pairs(lanes):
    """Lanes of 32 bits as lanes of 16."""
    return [V.cut(v, k, k + 16, 32) for v in lanes for k in (0, 16)]
