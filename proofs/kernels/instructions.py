"""The models of machine_code.py against this processor: two instructions of each shape in the object file, on random
registers and memory. All registers, flags and memory must be as the model has them.

  instructions.py IR     the folder with wegman.o; exit 1 if a model differs or was not compared
"""
import ctypes
import mmap
import os
import random
import re
import subprocess
import sys

import machine_code

HERE = os.path.dirname(os.path.abspath(__file__))
TRIES = 10
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
        for tried in range(50 * TRIES):
            if ran and tried >= TRIES:
                break
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
    flags = re.search(r"^flags\s*: (.*)", open("/proc/cpuinfo").read(), re.M)[1].split()
    if not {"avx512bw", "avx512vl", "avx512ifma", "avx512vbmi", "vaes", "bmi2"} <= set(flags):
        print("not compared: models of machine code: this processor has no AVX-512")
        return 0
    subprocess.run(["rustc", "--edition", "2024", "-O", "--crate-type=cdylib", "-A", "warnings", "-o", f"{folder}/instructions.so",
                    os.path.join(HERE, "instructions.rs")], check=True)
    random.seed(4418)
    bad, left, count = Instructions(ctypes.CDLL(f"{folder}/instructions.so"), machine_code.Object(f"{folder}/wegman.o")).all()
    for text in bad:
        print(f"the model of `{text}` differs from this processor")
    print(f"{count} shapes of instructions, {len(bad)} models differ from this processor; not compared: {', '.join(sorted(set(left))) or 'none'}")
    return 1 if bad or left else 0


if __name__ == "__main__":
    sys.exit(main())
