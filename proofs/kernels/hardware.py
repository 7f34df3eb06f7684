"""The models of instructions against this processor: each function of hardware.rs runs here and, from its IR, in the
machine, on random inputs. Every x86 intrinsic that has a model and stands in the kernels' IR, with its immediate, must be
among them; so must each model of LLVM's own that a compiler makes of such code.

  hardware.py IR         the folder with wegman.ll and carter.ll; exit 1 if a model differs or was not compared
"""
import ctypes
import os
import random
import re
import subprocess
import sys

import ir
import models
from machine import Machine

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = 200
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
    done = {i for i, where in tested.items() if where & set(compared)}
    print(f"{len(used & done)} of the kernels' {len(used)} intrinsics, {len(compared)} functions, {RUNS * len(compared)} runs: "
          + ("the models agree with this processor" if not bad else "NOT as this processor"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
