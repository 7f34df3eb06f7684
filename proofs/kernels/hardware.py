"""The models of instructions against this processor: each function of hardware.rs runs here and, from its IR, in the
machine, on random inputs. Every x86 intrinsic that has a model and stands in the kernels' IR, with its immediate, must be
among them; so must each model of LLVM's own that a compiler makes of such code.

  hardware.py IR         the folder with wegman.ll and carter.ll; exit 1 if a model differs or was not compared
"""
import ctypes
import mmap
import os
import random
import re
import subprocess
import sys

import ir
import machine_code
import models
from machine import Machine

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS, TRIES = 200, 10  # of a function; of an instruction
NOT_COMPARED = {"assume", "memcpy", "memmove", "memset"}  # no instructions


def calls(path, only=None):
    """The intrinsics that have a model, as (name without what depends on types only, immediate), and the functions
    in which each stands."""
    out, where = {}, None
    for line in open(path):
        if line.startswith("define "):
            where = re.search(r'@("[^"]*"|[-\w.$]+)\(', line).group(1)
        call = re.search(r"call .*@llvm\.([\w.]+)\((.*)\)", line)
        if call and line[0] == " ":
            name = re.sub(r"(\.(p\d|[iv]\d+\w*))+$", "", call[1])
            immediate = re.search(r"i(?:8|32) (\d+)$", call[2]) if re.search("pclmul|pternlog", name) else None
            if any(p.match(name) for p, _ in models.MODELS):
                out.setdefault((name, immediate and int(immediate[1])), set()).add(where)
    return out


def compare(library, machine, name, k):
    """Whether processor and machine agree on a random input; every third is random, the others have many bytes of equal
    bits."""
    content = bytes(random.choice([0, 0xff, random.randrange(256)] if k % 3 else [random.randrange(256)]) for _ in range(192))
    out = ctypes.create_string_buffer(64)
    getattr(library, name)(content, out)
    m = machine.fork()
    at = m.alloc([0] * 64, "what it computes", 1)
    m.run(name, [m.alloc(list(content), "arguments", 1, constant=True), at])
    return bytes(m.read(at, 64)) == out.raw


FLAGS = {"c": 0, "z": 6, "s": 7, "o": 11}
STATE = {"number": 0, "flags": 128, "mask": 192, "vector": 256, "end": 256 + 32 * 64}


def shape(i):
    """What two instructions must have in common so that one stands for both: not which registers, but which are the same."""
    regs = [o[2] for o in i.operands if o[0] == "reg"]
    operand = lambda o: o[2] & 0xff if o[0] == "imm" else (regs.index(o[2]), o[2][1:], o[2][0] > 15) if o[0] == "reg" else tuple(map(bool, o[2][:2]))
    return i.name, tuple((o[0], o[1], operand(o)) for o in i.operands), i.masked and i.masked[1]


class Instructions:
    """The models of machine_code.py, one instruction of the kernels at a time."""

    def __init__(self, native, code):
        self.native, self.code, self.processor = native, code, machine_code.Processor(code)
        self.page = mmap.mmap(-1, 1 << 13, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self.at = ctypes.addressof(ctypes.c_char.from_buffer(self.page))
        self.data, self.state = self.at + 4096, ctypes.create_string_buffer(STATE["end"])
        native.after.restype = ctypes.c_size_t
        self.processor.stack = None
        self.back = b"\xff\x25\0\0\0\0" + native.after().to_bytes(8, "little")

    def prepared(self, plain, target, numbers):
        """The instruction at its place, with its operand in memory at the target. None if it can't be."""
        code = bytearray(plain.code)
        memory = [o for o in plain.operands if o[0] == "mem"]
        if memory and plain.name != "lea":
            base, index, scale, disp = memory[0][2]
            if base == "rip":
                code[plain.disp:plain.disp + 4] = (target - self.at - len(code)).to_bytes(4, "little", signed=True)
            elif base is None or base == index:
                return None
            else:
                if index:
                    numbers[machine_code.NAMES.index(index)] = n = random.randrange(64)
                    disp += n * scale
                numbers[machine_code.NAMES.index(base)] = (target - disp) % (1 << 64)
        self.page[:len(code) + 14] = bytes(code) + self.back
        return machine_code.Instruction(next(self.code.decoder.disasm(bytes(code), self.at, 1)), self.code.decoder)

    def agrees(self, plain):
        """Whether processor and model agree on random inputs; None if the model takes none of them."""
        word = lambda: random.choice([random.getrandbits(64), random.randrange(70), 0, (1 << 64) - 1, 1 << 63, random.getrandbits(32)])
        ran = False
        for _ in range(TRIES):
            target, processor = self.data + 1024 + 64 * random.randrange(8), self.processor
            numbers, masks = [word() for _ in range(16)], [word() for _ in range(8)]
            numbers[machine_code.RSP] = target
            vectors = [[word() for _ in range(8)] for _ in range(32)]
            i = self.prepared(plain, target, numbers)
            if i is None:
                return None
            before = random.randbytes(4096)
            self.page[4096:] = before
            number = self.data >> 40
            processor.memory[number], processor.first[number] = list(before), self.data & (1 << 40) - 1
            flags = {f: random.getrandbits(1) for f in FLAGS}
            processor.flags = {f: lambda v=v: v for f, v in flags.items()}
            processor.regs = numbers + [list(v) for v in vectors] + masks
            put = lambda name, words: ctypes.memmove(ctypes.addressof(self.state) + STATE[name], b"".join(w.to_bytes(8, "little") for w in words), 8 * len(words))
            put("number", numbers)
            put("flags", [2 | sum(v << FLAGS[f] for f, v in flags.items())])
            put("mask", masks)
            put("vector", sum(vectors, []))
            try:
                processor.execute(i)
            except machine_code.Refused:
                continue
            ran = True
            self.native.one(self.state, ctypes.c_void_p(self.at))
            word_at = lambda at: int.from_bytes(self.state.raw[at:at + 8], "little")
            got = [word_at(8 * n) for n in range(16)], [word_at(256 + 8 * n) for n in range(256)], [word_at(192 + 8 * n) for n in range(8)]
            if got != (processor.regs[:16], sum(processor.regs[16:48], []), processor.regs[48:]) or self.page[4096:] != bytes(processor.memory[number]):
                return False
            if any(f() != word_at(128) >> FLAGS[name] & 1 for name, f in processor.flags.items()):
                return False
        return ran or None

    def all(self):
        """Of each shape in the object two instructions. Names of those that differ, of those not compared, and how many
        shapes were compared."""
        shapes, bad, left = {}, [], []
        for start, name in self.code.names.items():
            end = min([n for n in self.code.names if n > start] + [sum(self.code.bounds(start - machine_code.BASE, 1)) + machine_code.BASE])
            for found in self.code.decoder.disasm(self.code.image[start - machine_code.BASE:end - machine_code.BASE], start):
                i = machine_code.Instruction(found, self.code.decoder)
                if i.plain and machine_code.modelled(i.name):
                    shapes.setdefault(shape(i), {}).setdefault(i.code, i)
        for same in shapes.values():
            for i in list(same.values())[:2]:
                answer = self.agrees(i)
                (left if answer is None else bad if not answer else []).append(i.text)
        return bad, left, len(shapes)


def main():
    folder = sys.argv[1]
    source, library = os.path.join(HERE, "hardware.rs"), os.path.join(folder, "hardware.so")
    subprocess.run(["rustc", "--edition", "2024", "-O", "--crate-type=cdylib", "-C", "codegen-units=1", "-A", "warnings",
                    f"--emit=link={library},llvm-ir={folder}/hardware.ll", source], check=True)
    native, machine = ctypes.CDLL(library), Machine(ir.Module(f"{folder}/hardware.ll"))
    flags = set(re.search(r"^flags\s*: (.*)", open("/proc/cpuinfo").read(), re.M)[1].split())
    forms = re.findall(r'^form!\((\w+), "([\w,.]+)"', open(source).read(), re.M)
    random.seed(4418)
    bad, lacking, compared = [], {}, []
    for name, needs in forms:
        missing = [n for n in needs.split(",") if n not in flags]
        if missing:
            lacking[name] = missing
            print(f"not compared: {name}: this processor has no {missing[0]}")
            continue
        compared.append(name)
        bad += [name] if not all(compare(native, machine, name, k) for k in range(RUNS)) else []
    for name in bad:
        print(f"the model of {name} differs from this processor")
    tested = calls(f"{folder}/hardware.ll")
    used = {i for file in ("wegman", "carter") for i in calls(f"{folder}/{file}.ll") if i[0] not in NOT_COMPARED}
    for name, immediate in sorted(used - set(tested), key=str):
        bad.append(name)
        print(f"no function of hardware.rs has the intrinsic {name}" + (f" with {immediate}" if immediate is not None else ""))
    if {"avx512bw", "avx512vl", "vaes"} <= flags:
        wrong, left, count = Instructions(native, machine_code.Object(f"{folder}/wegman.o")).all()
        for text in wrong:
            print(f"the model of `{text}` differs from this processor")
        print(f"machine code: {count} shapes of instructions, {len(wrong)} differ; not compared: {', '.join(sorted(set(left))) or 'none'}")
        bad += wrong
    else:
        print("not compared: machine code: this processor has no avx512bw")
    done = {i for i, where in tested.items() if where & set(compared)}
    print(f"{len(used & done)} of the kernels' {len(used)} intrinsics, {len(compared)} functions, {RUNS * len(compared)} runs: "
          + ("the models agree with this processor" if not bad else "NOT as this processor"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
