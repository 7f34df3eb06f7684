"""`make kernels`: proves each row's functions from the IR, prints a table of what was proved, and writes it into
docs/kernels.md after a full run. Exit 1 if something is not proved, or if a wrong specification is.

  prove.py IR            everything: all lengths, every row
  prove.py IR --few      each function of each row at a few lengths
  prove.py IR --only T   those whose title contains T, for example `UMAC-64 avx512`
  prove.py IR --digest   prints what identifies the functions in the IR and the checker
"""
import argparse
import ast
import gc
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
FEW = [0, 33, 100]
ALIGNED = 64  # other messages begin at odd addresses


def eights(few, *lists):
    """Lengths of eight messages: some that a kernel was written for, the same for all or each its own, and any."""
    random.seed(str(lists))
    lists = [*lists, (33,) * 8, (43,) * 8, tuple(range(8)), tuple(range(9, 25, 2)), tuple(range(25, 33)), (16, 64, 33, 0, 32, 31, 1, 63)]
    return lists[-2:] if few else lists + [tuple(random.randrange(65) for _ in range(8)) for _ in range(8)]


def single(few, lengths, *starts):
    """The cases of one message: each length and place of the pad, and some lengths at an aligned address."""
    cases = [(n, *s) for n in (FEW if few else lengths) for s in starts]
    return cases + [(n, *starts[-1], ALIGNED) for n in (FEW[-1:] if few else (0, 1, 31, 64, 100, 1024))]


AFTER = ("a block", pmac.TagAfterOne), ("two blocks", pmac.TagAfterTwo)


def jobs_of_pmac(module, few):
    groups = [(1, 1, 0)] if few else [(1, 1, 0), (1, 2, 7), (97, 3, 31), *((33, 0, rest) for rest in range(1, 32))]
    for row, functions in kernels.table(Machine(module), pmac.ROWS, pmac.POINTERS).items():
        for rounds in pmac.OFFSETS if functions[0] else ():
            name, args = f"PMAC-AES{32 * rounds - 192} {row}", (module, row, rounds)
            yield Job(f"{name} tag", pmac.Tag, args, single(few, [*ALL, *EDGES], ()))
            for what, make in AFTER if functions[pmac.OFFSETS[rounds] + pmac.TAG_AFTER_ONE] else ():
                yield Job(f"{name} tag after {what}", make, args, [case for case in single(few, [*ALL, *EDGES], ()) if case[0]])
            lists = [*((n,) * 8 for n in (0, 16, 200, 700)), tuple(range(33, 41)), tuple(range(57, 73)[::2])]
            yield Job(f"{name} eight tags", pmac.Tags, args, eights(few, *lists), EIGHTS)
            yield Job(f"{name} add_groups, add_few", pmac.Blocks, args, groups, "streams behind any sum: some groups, 0 to 31 blocks more")
            if module.arch == "x86_64" and (not few or rounds == 10):
                yield Job(f"{name} add_groups, any length", pmac.AnyGroups, args, [()], "any number of groups from any group on, behind any sum")


def jobs_of_umac(module, few):
    seen, lengths = {}, [*ALL, *EDGES]
    for row, functions in kernels.table(Machine(module), umac.ROWS, umac.POINTERS).items():
        has_packets = bool(umac.of_streams(functions, 1)[umac.TAG])
        for streams in (1, 2, 3, 4):
            starts = [(s,) for s in range(0, 16, 4 * streams)] if streams < 3 else [(0,)]
            of_streams = umac.of_streams(functions, streams)
            steps = [(0, 1), (5, 2), (16382, 2)][:1 if few else 3] if streams == 1 or not few else []
            x86 = [()] if module.arch == "x86_64" and has_packets else []
            any_length = x86 if not few or (row, streams) == ("avx2", 1) else []
            longer = [(43, 65, 100, 0, 1024, 3, 200, 128), (0, 64, 65, 1, 1025, 7, 33, 90), (100,) * 8][:1 if few else 3]
            kinds = [
                ("level 1", umac.Level1, umac.LEVEL1, single(few, [*ALL, 1023, 1024], ()) if streams == 3 or not few else [], None),
                ("tag", umac.Tag, umac.TAG, single(few, lengths, *(starts[-1:] if few else starts)), None),
                ("tag after a line", umac.TagAfter, umac.TAG_AFTER, [case for case in single(few, lengths, *(starts[-1:] if few else starts)) if case[0] > 64], None),
                ("hash", umac.Hash, umac.HASH, [(n,) for n in (FEW[-2:] if few else lengths)], None),
                ("absorb", umac.Absorb, umac.ABSORB, steps, "1 and 2 chunks behind any state of POLY-64"),
                ("absorb, any length", umac.AnyChunks, umac.ABSORB, any_length, "any number of chunks behind any state, up to 2^14 in all"),
                ("inner", umac.Inner, umac.INNER, x86, "any words"),
                ("eight tags", umac.Tag8, umac.TAG8, eights(few), EIGHTS),
                ("words8, inner8", umac.Longer8, umac.WORDS8, longer, EIGHTS)]
            for what, make, f, cases, about in kinds:
                if not of_streams[f]:
                    continue
                # The same function with the same arrangement of keys is proved once.
                key = (functions[0], of_streams[f], of_streams[umac.INNER8] if make is umac.Longer8 else None, streams)
                first = seen.setdefault(key, row)
                if cases:
                    # `portable` is a row of each processor.
                    arm = " (ARM)" if module.arch == "aarch64" and row == "portable" else ""
                    yield Job(f"UMAC-{32 * streams} {row} {what}{arm}", make, (module, row, streams), cases, about, first if first != row else None)


def jobs_of_carter(module, few):
    for row, functions in kernels.table(Machine(module), carter.ROWS, carter.WORDS).items():
        for rounds in carter.KERNELS if functions[carter.KERNELS[10]] else ():
            name, args = f"Carter-AES{32 * rounds - 192} {row}", (module, row, rounds)
            # The hash is the same for both ciphers. Behind one block or two, a part of a group and whole groups; two only where
            # a sum has one lane: products of the sums of several have more terms than memory holds.
            behind = [2127, 4097, 4225] if row in ("pclmul", "pmull") else [2127]
            some = [n for n in [*ALL, *EDGES, *behind] if n <= 2048 or rounds == 10]
            yield Job(f"{name} tag", carter.Tag, args, single(few, some, ()))
            yield Job(f"{name} tag after a line", carter.TagAfter, args, [case for case in single(few, some, ()) if case[0] > 64])
            if functions[carter.KERNELS[rounds] + carter.TAG8]:
                yield Job(f"{name} eight tags", carter.Tag8, args, eights(few), EIGHTS)
        if functions[carter.KERNELS[10]]:
            ends = [(0, n) for n in (FEW if few else [*ALL, *(n for n in EDGES if n <= 2048)])]
            if module.arch == "x86_64" and not few:
                yield Job(f"Carter {row} absorb, any length", carter.AnyBlocks, (module, row, 10), [()], "any number of blocks behind any state")
            yield Job(f"Carter {row} absorb, finish", carter.Stream, (module, row, 10), ends if few else [(1, 0), *ends], "a block, or an end of 0 to 2048 bytes, behind any state")


def jobs_of_machine_code(code, few):
    lengths = FEW if few else [*range(65), 100, 128, 256, 1024]
    for row in ("aesni", "vaes256", "vaes512"):
        yield Job(f"machine code of PMAC-AES128 {row} tag", pmac.Tag, (code, row, 10), single(few, lengths, ()))
        for what, make in AFTER:
            yield Job(f"machine code of PMAC-AES128 {row} tag after {what}", make, (code, row, 10), [case for case in single(few, lengths, ()) if case[0]])
    for row, streams in itertools.product(("sse", "avx2", "avx512"), (1, 2, 3, 4)):
        starts = [(s,) for s in range(0, 16, 4 * streams)] if streams < 3 else [(0,)]
        yield Job(f"machine code of UMAC-{32 * streams} {row} tag", umac.Tag, (code, row, streams), single(few, lengths, *starts))
    for row, streams in () if few else (("sse", 1), ("sse", 2), ("avx2", 1)):
        yield Job(f"machine code of UMAC-{32 * streams} {row} tag with POLY-64", umac.Tag, (code, row, streams), [(1025, 0)])
    for row, mac in (("aesni", "PMAC"), ("vaes256", "PMAC"), ("vaes512", "PMAC"), ("sse", "UMAC"), ("avx2", "UMAC"), ("avx512", "UMAC")):
        cases = [(i,) for i in range(3 if few else 100)]
        yield Job(f"machine code of {mac} {row}, known answers", answers.Known, (code, row, mac), cases, "answers by machine and specification")


def modules(folder):
    """What scripts/prove-kernels built, by name; the files of ARM may be missing."""
    module = {name: ir.Module(path) for name in ("wegman", "carter", "wegman-arm", "carter-arm")
              if os.path.exists(path := os.path.join(folder, name + ".ll")) or not name.endswith("-arm")}
    return dict(module, code=machine_code.Object(os.path.join(folder, "wegman.o")), instances=ir.Module(os.path.join(folder, "instances.ll"), "instances"))


def cpus(module):
    return [cpu for cpu in ("", "-arm") if "wegman" + cpu in module]


def jobs(module, few):
    if "code" in module:  # mutants have none
        yield from jobs_of_machine_code(module["code"], few)
    for cpu in cpus(module):
        yield from jobs_of_pmac(module["wegman" + cpu], few)
        yield from jobs_of_umac(module["wegman" + cpu], few)
        yield from jobs_of_carter(module["carter" + cpu], few)


def known(module, few):
    kinds = (("PMAC", "wegman", pmac.ROWS, pmac.POINTERS, pmac.TAG), ("UMAC", "wegman", umac.ROWS, umac.POINTERS, 1 + umac.TAG), ("Carter", "carter", carter.ROWS, carter.WORDS, 2))
    for cpu, (mac, file, part, words, tag) in itertools.product(cpus(module), kinds):
        file += cpu
        rows = [r for r, functions in kernels.table(Machine(module[file]), part, words).items() if functions[tag]]
        # All of them on the last row, some on the others.
        count = len(answers.read(*answers.FILES[mac]))
        for row in rows:
            cases = [(i,) for i in range(3 if few else count if row == rows[-1] else 20)]
            yield Job(f"{mac} {row}, known answers", answers.Known, (module[file], row, mac), cases, "answers by machine, specification and definitions in Coq")


def premises(module, few=False):
    for title, make, args, cases, about in keys.checks(module):
        yield Job(title, make, args, cases[:1] if few else cases, about)


def together(job):
    """Jobs with one name for this run in one process: those of one MAC know the same keys, messages and answers of z3."""
    if isinstance(job, controls.Control):
        return job.title
    mac = re.search(r"(PMAC|UMAC|Carter)[-\w]*", job.title)
    kind = type(job.args[0]).__name__  # machine code names residues by other terms
    return f"{kind} {getattr(job.args[0], 'arch', '')} {mac[0] if mac else job.title}"


def run(job, limit=None):
    started, proved, refused = time.process_time(), [], []
    check = None
    try:
        check = job.make(*job.args)
    except kernels.Refused as e:
        refused.append((None, str(e)))
    for case in job.cases if check else ():
        answer = check.decide(case, limit)
        (refused.append((case, answer)) if answer else proved.append(case))
    return Result(proved, refused, check.declined if check else [], time.process_time() - started)


def in_process(group):
    """Runs jobs and controls, and prints what came of each; of a control, whether it was refused."""
    gc.disable()  # terms have no circles, and looking for some costs a fifth of the time
    kernels.reset()
    out = []
    for i in group:
        job = WORK[i]
        if isinstance(job, Job):
            r = run(job)
            lines = [line(job, r)] + [f"  not proved: {job.title} {case}: {answer}" for case, answer in r.refused]
        else:
            controls.plant(job)
            refused = run(Job(job.title, job.make, job.args, [job.case]), controls.STEPS).refused
            r = bool(refused and re.search(job.why, refused[0][1]))
            lines = [f"{job.title}: " + ("PROVED, which is wrong" if not refused else f"{'' if r else 'WRONGLY '}refused: {refused[0][1][:100]}")]
        print("\n".join(lines), flush=True)
        out.append((i, r))
    return out


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


def table(jobs, results):
    """The page's lines: one for each function of a MAC, with its rows and its sizes of keys or tags. What is refused has a
    line of its own."""
    lines = {}
    for i, job in enumerate(jobs):
        r = results.get(i, Result([], [], [], 0))
        row = job.args[1] if len(job.args) > 1 and f" {job.args[1]}" in job.title else ""
        size = re.search(r"\w-((AES)?\d+)", job.title)
        name = job.title.replace(f" {row}" if row else "", "", 1).replace(f"-{size[1]}" if size else "", "", 1)
        what = summary(job, r)
        if r.refused:
            what += "; **not proved: " + ", ".join(str(case) for case, _ in r.refused) + "**"
        sizes = lines.setdefault((name, what, job.title if r.refused else ""), {})
        found = sizes.setdefault(size[1] if size else "", [[], 0, 0])
        found[0].append(row)
        found[1] += len(r.proved)
        found[2] += r.seconds
    out = []
    for (name, what, _), sizes in lines.items():
        same = {}  # sizes with the same rows
        for size, (rows, cases, seconds) in sizes.items():
            found = same.setdefault(", ".join(rows), [[], 0, 0])
            found[0].append(size)
            found[1] += cases
            found[2] += seconds
        for rows, (of, cases, seconds) in same.items():
            out.append(f"| {name} | {', '.join(of)} | {rows} | {what} | {cases} | {seconds:.0f} |")
    return out


def reachable(module):
    """The text of all that the tables and the checks of keys lead to, without what differs from folder to folder."""
    texts = {n: [t for _, t in body] for n, body in module.bodies.items()} | {n: [t] for n, (_, t) in module.globals.items()}
    named = {n: [x for t in body for x in re.findall(r'@([-\w.$]+|"[^"]*")', t)] for n, body in texts.items()}
    # Where the source stands, for messages of a panic; lines of it change more often than functions.
    paths = {n for n in module.globals if '.rs\\00"' in texts[n][0]}
    paths |= {n for n in module.globals if n.startswith("alloc_") and paths & set(named[n])}
    todo = [n for n in texts if any(all(part in n for part in parts) for parts in [*((r,) for r in ROWS), *keys.ROOTS])]
    seen = set()
    while todo:
        name = todo.pop()
        if name in texts and name not in seen | paths:
            seen.add(name)
            todo += named[name]
    whole = [numbered("\n".join(re.split(r", ![a-z]", t)[0] for t in texts[n])) for n in seen]
    return sorted(re.sub(r"17h[0-9a-f]{16}E|(alloc_|anon\.)[0-9a-f]{32}|#\d+|metadata !\d+", "", t) for t in whole)


def numbered(function):
    """A function with numbers in place of the names of its values and blocks, which tell how the compiler came to them."""
    names = {}
    number = lambda found: names.setdefault(found[1] or found[2], f"%{len(names)}")
    return re.sub(r'(?m)%("[^"]*"|[-\w.$]+)|^("[^"]*"|[-\w.$]+)(?=:)', number, function)


def digest(module):
    h = hashlib.sha256()
    for m in module.values():
        if isinstance(m, ir.Module):
            h.update("\n".join(reachable(m)).encode())
    for folder, names in ((HERE, sorted(os.listdir(HERE))), (os.path.dirname(HERE), ["requirements.txt"])):
        for name in names:
            # No proof rests on the planted errors.
            if name.endswith((".py", ".rs", ".txt")) and name != "mutants.py":
                h.update(open(os.path.join(folder, name), "rb").read())
    return h.hexdigest()


CHECKER = "values ir machine machine_code loops decisions residues models promises kernels".split()


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


def write(lines, total, identity):
    """The page; without what `--if-changed` compares if something is not proved, so that it is asked again."""
    text = open(PAGE).read()
    head, rest = text.split("<!-- proved -->\n")[0], text.split("<!-- end -->\n")[1]
    lines = ["| function | sizes | rows | what | cases | seconds |", "|---|---|---|---|---:|---:|", *lines]
    with open(PAGE, "w") as out:
        out.write(head + "<!-- proved -->\n" + "\n".join(lines) + f"\n\n{total}\nThe functions in the IR, and the checker:\n\n`{identity}`\n<!-- end -->\n" + rest)


def main():
    global WORK
    p = argparse.ArgumentParser()
    p.add_argument("ir")
    p.add_argument("--few", action="store_true")
    p.add_argument("--only", default="")
    p.add_argument("--digest", action="store_true")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    a = p.parse_args()
    try:
        module = modules(a.ir)
    except OSError as e:
        print(f"kernels: {e.filename} is missing; run `make kernels`", file=sys.stderr)
        return 2
    if a.digest:
        print(digest(module))
        return 0
    WORK = [j for j in [*jobs(module, a.few), *premises(module, a.few), *known(module, a.few)] if a.only in j.title]
    count = len(WORK)
    if not count:
        print(f"kernels: there is nothing with {a.only!r} in its title", file=sys.stderr)
        return 2
    WORK += [] if a.only else controls.controls(module, a.few)
    groups, results = {}, {}
    for i, j in enumerate(WORK):
        if not getattr(j, "same", None):
            groups.setdefault(together(j), []).append(i)
    gc.freeze()
    with multiprocessing.get_context("fork").Pool(a.jobs, maxtasksperchild=1) as pool:
        for part in pool.imap_unordered(in_process, sorted(groups.values(), key=len, reverse=True), chunksize=1):
            results.update(part)
    passed = sum(not results.pop(i) for i in range(count, len(WORK)))
    bad = sum(len(r.refused) for r in results.values())
    wrong = len(WORK) - count
    total = (f"{sum(len(r.proved) for r in results.values())} cases proved, {bad} refused; of {wrong} wrong specifications, "
             f"premises and models {passed} were proved; {sum(os.times()[:4]):.0f} seconds of processor time. The checker has {lines_of_code()} lines of code.")
    print(total)
    if not a.few and not a.only:
        write(table(WORK[:count], results), total, "not clean" if bad or passed else digest(module))
    return 1 if bad or passed else 0


if __name__ == "__main__":
    sys.exit(main())
