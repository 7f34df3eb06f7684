"""`make kernels`: proves each row's functions from the IR, prints a table of what was proved, and writes it into
docs/kernels.md after a full run. Exit 1 if something is not proved, or if a wrong specification is.

  prove.py IR            everything: all lengths, every row
  prove.py IR --few      each function of each row at a few lengths
  prove.py IR --only T   those whose title contains T, for example `UMAC-64 avx512`
  prove.py IR --digest   prints what identifies the functions in the IR and the checker
"""
import argparse
import ast
import hashlib
import itertools
import multiprocessing
import os
import random
import re
import sys
import time
import tokenize
from collections import namedtuple

import answers
import carter
import controls
import ir
import kernels
import keys
import machine_code
import pmac
import umac
from machine import Machine

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "../../docs/kernels.md")
ROWS = (pmac.ROWS, umac.ROWS, carter.ROWS)

# What is proved by itself in a process: `make` makes the check, then its cases run. `about` says what the cases are, if
# they are no lengths; `same` is the row that has the same function.
Job = namedtuple("Job", "title make args cases about same", defaults=(None, None))
Result = namedtuple("Result", "proved refused declined seconds")

EIGHTS = "lists of eight lengths"
ALL = range(129)
EDGES = [255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 1500, 2047, 2048, 2049, 4096]
FEW = [0, 1, 16, 33, 64, 100]
ALIGNED = 64  # other messages begin at odd addresses


def eights(few, *lists):
    """Lengths of eight messages: some that a kernel was written for, the same for all or each its own, and any."""
    random.seed(str(lists))
    lists = [*lists, (43,) * 8, tuple(range(8)), (16, 64, 33, 0, 32, 31, 1, 63)]
    return lists[-1:] if few else lists + [tuple(random.randrange(65) for _ in range(8)) for _ in range(8)]


def single(few, lengths, *starts):
    """The cases of one message: each length and place of the pad, and some lengths at an aligned address."""
    cases = [(n, *s) for n in (FEW if few else lengths) for s in starts]
    return cases + [(n, *starts[-1], ALIGNED) for n in (FEW[-1:] if few else (0, 1, 31, 64, 100, 1024))]


def jobs_of_pmac(module, few):
    # The offset of a group's last block depends on how often 2 divides its number: 5 to 63 times.
    groups = [(32 * (2**j - 1) + 1, 1, 0) for j in range(0, 59, 20 if few else 1)]
    groups += [] if few else [(1, 2, 7), (97, 3, 31)] + [(33, 0, rest) for rest in range(1, 32, 15 if few else 1)]
    for row, functions in kernels.table(Machine(module), pmac.ROWS, 12).items():
        for rounds in pmac.OFFSETS if functions[0] else ():
            name, args = f"PMAC-AES{32 * rounds - 192} {row}", (module, row, rounds)
            yield Job(f"{name} tag", pmac.Tag, args, single(few, [*ALL, *EDGES], ()))
            lists = [*((n,) * 8 for n in (0, 16, 200, 700)), tuple(range(33, 41)), tuple(range(57, 73)[::2])]
            yield Job(f"{name} eight tags", pmac.Tags, args, eights(few, *lists), EIGHTS)
            yield Job(f"{name} whole_groups, few", pmac.Blocks, args, groups, "streams behind any sum: groups of every kind, 0 to 31 blocks more")


def jobs_of_umac(module, few):
    seen = {}
    lengths = [*ALL, *EDGES]
    for row, functions in kernels.table(Machine(module), umac.ROWS, 34).items():
        for streams in (1, 2, 3, 4):
            starts = [(s,) for s in range(0, 16, 4 * streams)] if streams < 3 else [(0,)]
            of_streams = functions[2 + 8 * (streams - 1):][:8]
            steps = [(0, 1), (5, 2), (16382, 2)][:1 if few else 3] if streams == 1 or not few else []
            longer = [(43, 65, 100, 0, 1024, 3, 200, 128), (0, 64, 65, 1, 1025, 7, 33, 90)][:1 if few else 2]
            kinds = [
                ("tag", umac.Tag, umac.TAG, single(few, lengths, *(starts[-1:] if few else starts)), None),
                ("hash", umac.Hash, umac.HASH, [(n,) for n in (FEW[-2:] if few else lengths)], None),
                ("pad", umac.Pad, umac.PAD, starts, "all places in a block"),
                ("absorb", umac.Absorb, umac.ABSORB, steps, "1 and 2 chunks behind any state of POLY-64"),
                ("eight tags", umac.Tag8, umac.TAG8, eights(few), EIGHTS),
                ("words8, inner8", umac.Longer8, umac.WORDS8, longer, EIGHTS)]
            for what, make, f, cases, about in kinds:
                # The same function with the same arrangement of keys is proved once.
                key = (functions[0], of_streams[f], of_streams[umac.INNER8] if make is umac.Longer8 else None, streams)
                first = seen.setdefault(key, row)
                if cases:
                    yield Job(f"UMAC-{32 * streams} {row} {what}", make, (module, row, streams), cases, about, first if first != row else None)


def jobs_of_carter(module, few):
    for row, functions in kernels.table(Machine(module), carter.ROWS, 12).items():
        for rounds in carter.KERNELS if functions[carter.KERNELS[10]] else ():
            name, args = f"Carter-AES{32 * rounds - 192} {row}", (module, row, rounds)
            # The hash is the same for both ciphers.
            some = [n for n in [*ALL, *EDGES] if n <= 2048 or rounds == 10]
            yield Job(f"{name} tag", carter.Tag, args, single(few, some, ()))
            yield Job(f"{name} tag with a pad", carter.TagWithPad, args, [(n,) for n in (FEW if few else some) if n <= 2048])
            if functions[carter.KERNELS[rounds] + carter.TAG8]:
                yield Job(f"{name} eight tags", carter.Tag8, args, eights(few), EIGHTS)
        if functions[carter.KERNELS[10]]:
            ends = [(0, n) for n in (FEW if few else [*ALL, *(n for n in EDGES if n <= 2048)])]
            yield Job(f"Carter {row} absorb, finish", carter.Stream, (module, row, 10), ends if few else [(1, 0), *ends], "a block, or an end of 0 to 2048 bytes, behind any state")


def jobs_of_machine_code(code, few):
    lengths = FEW if few else [*range(65), 100, 128, 256, 1024]
    for row in ("aesni", "vaes256", "vaes512"):
        yield Job(f"machine code of PMAC-AES128 {row} tag", pmac.Tag, (code, row, 10), single(few, lengths, ()))
    for row, streams in itertools.product(("sse", "avx2", "avx512"), (1, 2, 3, 4)):
        starts = [(s,) for s in range(0, 16, 4 * streams)] if streams < 3 else [(0,)]
        yield Job(f"machine code of UMAC-{32 * streams} {row} tag", umac.Tag, (code, row, streams), single(few, lengths, *starts))
    for row, streams in () if few else (("sse", 1), ("sse", 2), ("avx2", 1)):
        yield Job(f"machine code of UMAC-{32 * streams} {row} tag with POLY-64", umac.Tag, (code, row, streams), [(1025, 0)])
    for row, mac in (("aesni", "PMAC"), ("vaes256", "PMAC"), ("vaes512", "PMAC"), ("sse", "UMAC"), ("avx2", "UMAC"), ("avx512", "UMAC")):
        cases = [(i,) for i in range(8 if few else 100)]
        yield Job(f"machine code of {mac} {row}, known answers", answers.Known, (code, row, mac), cases, "answers by machine and specification")


def jobs(module, few):
    yield from jobs_of_machine_code(module["code"], few)
    yield from jobs_of_pmac(module["wegman"], few)
    yield from jobs_of_umac(module["wegman"], few)
    yield from jobs_of_carter(module["carter"], few)


def known(module, few):
    for mac, file, part, words in (("PMAC", "wegman", pmac.ROWS, 12), ("UMAC", "wegman", umac.ROWS, 34),
                                   ("Carter", "carter", carter.ROWS, 12)):
        rows = [r for r, functions in kernels.table(Machine(module[file]), part, words).items() if functions[2]]
        # All of them on the last row, some on the others.
        count = len(answers.read(*answers.FILES[mac]))
        for row in rows:
            cases = [(i,) for i in range(8 if few else count if row == rows[-1] else 20)]
            yield Job(f"{mac} {row}, known answers", answers.Known, (module[file], row, mac), cases, "answers by machine, specification and definitions in Coq")


def premises(module):
    for title, make, args, cases, about in keys.checks(module):
        yield Job(title, make, args, cases, about)


def run(job):
    started, proved, refused = time.process_time(), [], []
    check = None
    try:
        check = job.make(*job.args)
    except kernels.Refused as e:
        refused.append((None, str(e)))
    for case in job.cases if check else ():
        answer = check.decide(case)
        (refused.append((case, answer)) if answer else proved.append(case))
    return Result(proved, refused, check.declined if check else [], time.process_time() - started)


def in_process(i):
    return i, (run if isinstance(WORK[i], Job) else controls.run)(WORK[i])


def ranges(numbers):
    """1, 2, 3, 7 as `1 to 3, 7`."""
    out = []
    for n in sorted(set(numbers)):
        if out and n == out[-1][1] + 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ", ".join(f"{a}" if a == b else f"{a}, {b}" if b == a + 1 else f"{a} to {b}" for a, b in out)


def summary(job, result):
    if job.same:
        return f"the functions of {job.same}"
    if job.about:
        return f"{job.about}{f', {len(result.declined)} of them left to `tag`' if result.declined else ''}"
    return ranges(c[0] for c in result.proved) or "nothing"


def line(job, result):
    state = "" if not result.refused else f" **refused: {len(result.refused)}**"
    return f"| {job.title} | {summary(job, result)}{state} | {len(result.proved)} | {result.seconds:.0f} |"


def reachable(module, roots):
    """The text of all functions and constants that the tables lead to, without what differs from build to build."""
    texts = {n: [t for _, t in body] for n, body in module.bodies.items()} | {n: [t] for n, (_, t) in module.globals.items()}
    todo, seen = list(roots), set()
    while todo:
        name = todo.pop()
        if name in seen or name not in texts or any('c"/' in t for t in texts[name]):
            continue
        seen.add(name)
        for t in texts[name]:
            todo += re.findall(r'@([-\w.$]+|"[^"]*")', t)
    whole = ["\n".join(re.split(r", ![a-z]", t)[0] for t in texts[n]) for n in seen]
    return sorted(re.sub(r"17h[0-9a-f]{16}E|alloc_[0-9a-f]{32}|#\d+", "", t) for t in whole)


def digest(module):
    h = hashlib.sha256()
    for m in (module["wegman"], module["carter"]):
        roots = [n for n in m.globals if any(part in n for part in ROWS)]
        h.update("\n".join(reachable(m, roots)).encode())
    for file in sorted(os.listdir(HERE)):
        if file.endswith(".py"):
            h.update(open(os.path.join(HERE, file), "rb").read())
    return h.hexdigest()


CHECKER = "values ir machine machine_code decisions residues models promises kernels".split()


def lines_of_code():
    """Of the checker, without comments, documentation and empty lines."""
    count = 0
    for name in CHECKER:
        tree = ast.parse(open(os.path.join(HERE, name + ".py")).read())
        texts = {n.value for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)}
        inside = {line for t in texts for line in range(t.lineno, t.end_lineno + 1)}
        with open(os.path.join(HERE, name + ".py"), "rb") as file:
            marks = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER)
            at = {line for t in tokenize.tokenize(file.readline) if t.type not in marks for line in range(t.start[0], t.end[0] + 1)}
        count += len(at - inside)
    return count


def write(lines, identity):
    text = open(PAGE).read()
    head, rest = text.split("<!-- proved -->\n")[0], text.split("<!-- end -->\n")[1]
    table = ["| function | what | cases | seconds |", "|---|---|---:|---:|", *lines]
    with open(PAGE, "w") as out:
        out.write(head + "<!-- proved -->\n" + "\n".join(table) + f"\n\n`{identity}`\n<!-- end -->\n" + rest)


def modules(folder):
    at = lambda name: os.path.join(folder, name)
    return {"wegman": ir.Module(at("wegman.ll")), "carter": ir.Module(at("carter.ll")), "code": machine_code.Object(at("wegman.o")),
            "instances": ir.Module(at("instances.ll"), "instances")}


def main():
    global WORK
    p = argparse.ArgumentParser()
    p.add_argument("ir")
    p.add_argument("--few", action="store_true")
    p.add_argument("--only", default="")
    p.add_argument("--digest", action="store_true")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    a = p.parse_args()
    module = modules(a.ir)
    if a.digest:
        print(digest(module))
        return 0
    WORK = [j for j in [*jobs(module, a.few), *premises(module), *known(module, a.few)] if a.only in j.title]
    count = len(WORK)
    WORK += [] if a.only else controls.controls(module)
    bad, results, passed = 0, {}, 0
    todo = [i for i, j in enumerate(WORK) if not getattr(j, "same", None)]
    with multiprocessing.get_context("fork").Pool(a.jobs, maxtasksperchild=1) as pool:
        for i, r in pool.imap_unordered(in_process, todo, chunksize=1):
            if i >= count:
                print(f"{WORK[i].title}: {'refused: ' + r[:100] if r else 'PROVED, which is wrong'}", flush=True)
                passed += not r
                continue
            results[i] = r
            print(line(WORK[i], r), flush=True)
            for case, answer in r.refused:
                bad += 1
                print(f"  not proved: {WORK[i].title} {case}: {answer}", flush=True)
    lines = [line(j, results.get(i, Result([], [], [], 0))) for i, j in enumerate(WORK[:count])]
    total = sum(r.seconds for r in results.values())
    print(f"{sum(len(r.proved) for r in results.values())} cases proved, {bad} refused; of {len(WORK) - count} wrong "
          f"specifications, premises and models {passed} were proved; {total:.0f} seconds of processor time; the checker has {lines_of_code()} lines of code")
    if not a.few and not a.only:
        write(lines, digest(module))
    return 1 if bad or passed else 0


if __name__ == "__main__":
    sys.exit(main())
