"""The models of instructions against processors: each function of hardware.rs runs here or, for ARM, in QEMU, and from its
IR in the machine, on random inputs. Every intrinsic that has a model and stands in the kernels' IR, with its immediate,
must be among them; so must each model of LLVM's own that a compiler makes of such code.

  hardware.py IR         the folder with the kernels' IR; exit 1 if a model differs or was not compared, but for ARM where
                         there is no QEMU, and in CI there too
"""
import os
import random
import re
import shutil
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


# Of each processor: the ends of files' names, what builds and runs a program for it, how it is named.
PROCESSORS = {
    "x86": ("", [], [], "this processor"),
    "arm": ("-arm", ["--target", "aarch64-unknown-linux-gnu", "-C", "linker=aarch64-linux-gnu-gcc"],
            ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"], "QEMU's ARM")}


def content(k):
    """Random bytes for three arguments: in two of three runs many of a byte's bits are equal."""
    return bytes(random.choice([0, 0xff, random.randrange(256)] if k % 3 else [random.randrange(256)]) for _ in range(192))


def computed(machine, name, arguments):
    m = machine.fork()
    at = m.alloc([0] * 64, "what it computes", 1)
    m.run(name, [m.alloc(list(arguments), "arguments", 1, constant=True), at])
    return bytes(m.read(at, 64))


def compared(folder, cpu, lacks):
    """The intrinsics of the functions that ran, those of all functions, and the functions whose models differ."""
    end, built, runs, processor = PROCESSORS[cpu]
    source, program = os.path.join(HERE, "hardware.rs"), os.path.join(folder, "hardware" + end)
    subprocess.run(["rustc", "--edition", "2024", "-O", "-C", "codegen-units=1", "-A", "warnings", *built,
                    f"--emit=link={program},llvm-ir={program}.ll", source], check=True)
    machine = Machine(ir.Module(program + ".ll"))
    part = re.search(rf"\nmod {cpu} .*?\n}}\n}}", open(source).read(), re.DOTALL)[0]
    forms, bad = [], []
    for number, (name, needs) in enumerate(re.findall(r'^form!\((\w+), "([\w,.]+)"', part, re.M)):
        missing = lacks(needs.split(","))
        if missing:
            print(f"not compared: {name}: this processor has no {missing[0]}")
        else:
            forms.append((number, name))
    cases = [(number, name, content(k)) for number, name in forms for k in range(RUNS)]
    out = subprocess.run([*runs, program], input=b"".join(bytes([number]) + c for number, _, c in cases), stdout=subprocess.PIPE, check=True).stdout
    assert len(out) == 64 * len(cases), "not all functions were run"
    for i, (_, name, c) in enumerate(cases):
        if computed(machine, name, c) != out[64 * i:64 * i + 64] and name not in bad:
            bad.append(name)
            print(f"the model of {name} differs from {processor}")
    tested, names = calls(program + ".ll"), {name for _, name in forms}
    print(f"{len(forms)} functions, {len(cases)} runs: " + (f"NOT as {processor}" if bad else f"the models agree with {processor}"))
    return {i for i, where in tested.items() if where & names}, set(tested), bad


def main():
    folder = sys.argv[1]
    random.seed(4418)
    flags = set(re.search(r"^flags\s*: (.*)", open("/proc/cpuinfo").read(), re.M)[1].split())
    done, tested, bad = compared(folder, "x86", lambda needs: [n for n in needs if n not in flags])
    files = ["wegman", "carter"]
    missing = [p for p in ("qemu-aarch64", "aarch64-linux-gnu-gcc") if not shutil.which(p)]
    if not os.path.exists(f"{folder}/wegman-arm.ll"):
        print("the models of ARM's instructions: skipped, without IR for ARM")
    elif missing:
        print(f"the models of ARM's instructions: skipped, without {' and '.join(missing)}")
        bad += missing if os.environ.get("CI") else []
    else:
        files += ["wegman-arm", "carter-arm"]
        of_arm = compared(folder, "arm", lambda needs: [])
        done, tested, bad = done | of_arm[0], tested | of_arm[1], bad + of_arm[2]
    used = {i for file in files for i in calls(f"{folder}/{file}.ll") if i[0] not in NOT_COMPARED}
    for name, immediate in sorted(used - tested, key=str):
        bad.append(name)
        print(f"no function of hardware.rs has the intrinsic {name}" + (f" with {immediate}" if immediate is not None else ""))
    print(f"{len(used & done)} of the kernels' {len(used)} intrinsics were compared")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
