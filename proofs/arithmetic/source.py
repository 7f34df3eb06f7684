"""The functions of the source that the formulas here are about. `stands` compares their lines, word for word; a formula
whose line has changed proves nothing about the program. Without Coq and z3: `python3 proofs/arithmetic/source.py`
compares all of them, and every constant with proofs/coq/Constants.v, and prints how many there are."""
import ast, pathlib, re, sys
from functools import lru_cache

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Files whose arithmetic the claims cover as a whole: each function stands in a claim, line by line, or is named here,
# because it moves, wipes or derives numbers, or is linear (docs/proofs.md, "Linear code").
BESIDE = {
    "mac/src/umac/l2_poly.rs": "Key::derive State::count State::is_of_64 State::drop",
    "mac/src/umac/l2_poly/segment.rs": "Segment::room Segment::drop",
    "mac/src/umac/l3_inner.rs": "Key::derive Key::part",
    "historical/src/umac16/poly32.rs": "Key::numbers",
    "historical/src/umac16/l3.rs": "Key::digits Key::mask",
    "yardstick/src/hash127/field.rs": "UpToP::new UpToP::value minus",
    "carter/src/field.rs": "Wide::from_three Wide::bitxor dot multiply halves product",
}

# File, name there, name in Constants.v.
CONSTANTS = [
    ("mac/src/umac/l1_nh.rs", "CHUNK", "chunk_bytes"),
    ("mac/src/umac/l2_poly.rs", "WORDS_64", "poly64_words"),
    ("mac/src/umac/l2_poly.rs", "LIMIT64", "limit64"),
    ("mac/src/umac/l2_poly.rs", "LIMIT128", "limit128"),
    ("mac/src/umac/l2_poly.rs", "P64", "p64"),
    ("mac/src/umac/l2_poly.rs", "P128", "p128"),
    ("mac/src/umac/l2_poly.rs", "END", "end_mark"),
    ("mac/src/umac/l3_inner.rs", "P36", "p36"),
    ("historical/src/umac16/poly32.rs", "LIMIT32", "limit32"),
    ("historical/src/umac16/poly32.rs", "P32", "p32"),
    ("historical/src/umac16/l3.rs", "P19", "p19"),
    ("yardstick/src/hash127/field.rs", "P", "p127"),
    ("carter/src/key.rs", "BLOCK", "carter_block_bytes"),
    ("carter/src/field.rs", "MODULUS", "carter_modulus"),
]

def constants():
    """The definitions of Constants.v. It has no others, so that Coq and this reader cannot see different ones."""
    path, numbers = HERE.parent / "coq" / "Constants.v", {}
    for line in path.read_text().splitlines():
        found = re.fullmatch(r"Definition (\w+) := (\d+(?: [-+*^] \d+)*)\.", line)
        if found and found[1] not in numbers:
            numbers[found[1]] = eval(found[2].replace("^", "**"), {})
        elif not re.fullmatch(r"\(\*[^*]*\*\)|From mathcomp Require Import all_ssreflect\.", line):
            sys.exit(f"{path}: {line}\n    is neither the definition of a number nor of the two lines at its head")
    return numbers

# Where the code runs. An item that none of them compiles is dead, and proves nothing.
BUILDS = [{"target_arch": arch, "target_feature": feature, "target_endian": "little"}
          for arch, feature in [("x86_64", None), ("aarch64", "neon"), ("wasm32", "simd128")]]

def holds(predicate, build, doubt=True):
    """A predicate of `cfg`, without tests and debug checks. What a build does not decide, such as features, is `doubt`: an item
    and its opposite are both live."""
    name, _, rest = (part.strip() for part in predicate.partition("("))
    if rest:
        inner, depth, parts = rest.rstrip()[:-1], 0, [""]
        for char in inner:
            depth += (char == "(") - (char == ")")
            parts = parts + [""] if char == "," and not depth else parts[:-1] + [parts[-1] + char]
        values = [holds(part, build, doubt != (name == "not")) for part in parts if part.strip()]
        return {"all": all, "any": any, "not": lambda inner: not inner[0]}[name](values)
    key, _, value = (part.strip() for part in predicate.partition("="))
    if key in ("test", "doctest", "debug_assertions", "miri"):
        return False
    return build[key] in (None, value.strip('"')) if key in build else doubt

def closing(text, start):
    """The end of the bracket that opens at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if not depth:
            return i + 1
    return len(text)

def opening(text, start, ends):
    """Where the first of these characters stands that no bracket holds."""
    while start < len(text) and text[start] not in ends:
        start = closing(text, start) if text[start] in "([{" else start + 1
    return start

def blank(text, start, end):
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]

@lru_cache(maxsize=None)
def live(text):
    """The text without comments and without what no build compiles or nobody calls, each replaced by blanks; and the same
    with empty strings, for brackets to match."""
    token = r'//[^\n]*|/\*|r(#*)"[\s\S]*?"\1|"(?:\\[\s\S]|[^"\\])*"|b?\'(?:\\[^\']+|[^\\\'])\''
    bare, place = text, 0
    while found := re.compile(token).search(bare, place):
        start, end = found.span()
        if found[0] == "/*":
            depth, end = 1, start + 2
            while depth:
                mark = re.compile(r"/\*|\*/").search(bare, end)
                depth, end = depth + (1 if mark[0] == "/*" else -1), mark.end()
        if found[0].startswith("/"):
            text = blank(text, start, end)
        bare, place = blank(bare, start, end), end
    dead = r"#(!?)\[\s*(?:cfg|cfg_attr|allow|expect)\s*\(|\bmod\s+\w+\s*\{|\bfn\s+_|\bconst\s+_\b"
    place = 0
    while found := re.compile(dead).search(bare, place):
        start, place = found.start(), found.end()
        if found[0].startswith("#"):
            place = closing(bare, bare.index("[", start))
            attribute = text[bare.index("[", start) + 1 : place - 1].strip()
            kind, _, inside = attribute.partition("(")
            inside = " ".join(inside[:-1].split())
            silent = re.search(r"\b(dead_code|unused)\b", inside)
            if kind.strip() == "cfg":
                alive = any(holds(inside, build) for build in BUILDS)
            elif kind.strip() == "cfg_attr":
                alive = not silent or not all(holds(inside[: closing("(" + inside, 0) - 1].partition(", allow")[0], build) for build in BUILDS)
            else:
                alive = not silent
            if alive:
                continue
            if found[1]:
                return "", ""
        # The item: past further attributes, to its block or semicolon; a field or an arm to its comma.
        rest = re.compile(r"(?:\s*#\[[^\]]*\])*\s*").match(bare, place).end() if found[0].startswith("#") else start
        ends = ";{" if re.match(r"(pub|unsafe|const|static|fn|mod|impl|use|struct|enum|trait|type|let|macro_rules|extern|async)\b", bare[rest:]) else ";{,}"
        end = closing(bare, opening(bare, rest, ends))
        text, bare, place = blank(text, start, end), blank(bare, start, end), end
    # A macro is compiled if it is the only one of its name and has one arm, which hands no attribute on, and if an item calls
    # it with no attribute.
    for found in reversed(list(re.finditer(r"\bmacro_rules!\s*(\w+)", bare))):
        name, end = found[1], closing(bare, opening(bare, found.end(), "{"))
        inside = bare[found.start() : end]
        if not (len(re.findall(rf"\bmacro_rules!\s*{name}\b", bare)) == inside.count("=>") == 1 and "#[$" not in inside
                and re.search(rf"(?m)^{name}!\s*[(\[{{](?!\s*#)", bare)):
            text, bare = blank(text, found.start(), end), blank(bare, found.start(), end)
    return text, bare

@lru_cache(maxsize=None)
def code(text):
    """Numbered lines without indentation, blank lines, comments and what only debug builds check."""
    lines, inside = [], False
    for number, line in enumerate(live(text)[0].splitlines()):
        line = line.strip()
        inside = inside or line.startswith("debug_assert")
        if not inside and line:
            lines.append((number, line))
        inside = inside and not line.endswith(";")
    return lines

@lru_cache(maxsize=None)
def functions(text):
    """Each function that is compiled: its name, behind that of its type, and its first and last line."""
    bare, found = live(text)[1], []
    line = lambda place: bare.count("\n", 0, place)
    types = [(m.start(), closing(bare, m.end() - 1), re.findall(r"\w+", re.sub(r"<[^{]*?>", "", m[1]))[-1])
             for m in re.finditer(r"\bimpl\b([^{;]*?)\{", bare) if re.match(r"\s*(unsafe\s+)?$", bare[bare.rfind("\n", 0, m.start()) + 1 : m.start()])]
    for m in re.finditer(r"\bfn\s+(\w+)", bare):
        body = opening(bare, m.end(), ";{")
        if bare[body : body + 1] == "{":
            owner = [name for start, end, name in types if start < m.start() < end]
            found.append(("::".join(owner[-1:] + [m[1]]), line(m.start()), line(closing(bare, body) - 1)))
    # A macro's call, by the name it makes a module of.
    found += [(m[1], line(m.start()), line(closing(bare, m.end() - 1) - 1)) for m in re.finditer(r"(?m)^\w+!\((?=(\w+):)", bare)]
    return found

@lru_cache(maxsize=None)
def names(text, module):
    """Whether a file makes a module of the file of that name."""
    text = live(text)[0]
    return re.search(rf"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+{module}\s*;", text) and not re.search(r"\bpath\s*=", text)

def outside(path, root):
    """A module that some build compiles is named in the module above it, up to the crate's root."""
    crate, _, inner = path.partition("/src/")
    parts = inner[: -len(".rs")].split("/")
    for depth in range(len(parts) - 1, -1, -1):
        parent = "/".join(parts[:depth]) + ".rs" if depth else "lib.rs"
        if not names((root / crate / "src" / parent).read_text(), parts[depth]):
            sys.exit(f"{path} is not compiled: {crate}/src/{parent} has no `mod {parts[depth]};` that is")

def stands(path, name, text, root=ROOT):
    """These lines stand in that function of that file, one behind the other. Their numbers."""
    outside(path, root)
    whole = (root / path).read_text()
    have, want = code(whole), [line for _, line in code(text)]
    spans = [(first, last) for function, first, last in functions(whole) if function == name]
    if len(spans) != 1:
        sys.exit(f"{path} has {len(spans)} functions `{name}` that are compiled: a proof is about one. Change proofs/arithmetic with it.")
    have = [(number, line) for number, line in have if spans[0][0] <= number <= spans[0][1]]
    starts = [i for i, (_, line) in enumerate(have) if line == want[0]]
    lines = [line for _, line in have]
    for i in starts:
        if lines[i : i + len(want)] == want:
            return {number for number, _ in have[i : i + len(want)]}
    best = max((next((k for k, line in enumerate(want) if lines[i + k : i + k + 1] != [line])) for i in starts), default=0)
    sys.exit(f"{path} has changed: a proof is about the line\n    {want[best]}\nwhich does not stand "
             + (f"behind\n    {want[best - 1]}\n" if best else "there ")
             + f"any more, in `{name}`. Change the formula in proofs/arithmetic with it, and run `make proofs`.")

def named():
    """Every path, function and text that a file beside this one gives to `stands`."""
    for file in sorted(HERE.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "stands" and len(node.args) == 3:
                yield tuple(ast.literal_eval(argument) for argument in node.args)

def value(expression, bits):
    """A constant of Rust as a number."""
    expression = re.sub(r"(\d+)u\d+\.wrapping_neg\(\)", r"-\1", expression).replace("!", "~").replace("_", "")
    return eval(expression, {"__builtins__": {}}) % 2**bits

def compare_constants(root):
    numbers = constants()
    for path, name, ours in CONSTANTS:
        outside(path, root)
        text = live((root / path).read_text())[0]
        found = re.findall(rf"\b(?:const|static)\s+{name}\s*:\s*u(\d+|size)\s*=([^;]*);", text)
        if len(found) != 1:
            sys.exit(f"{path} has {len(found)} constants `{name}` that are compiled: the proofs are about one")
        there = value(found[0][1].strip(), 64 if found[0][0] == "size" else int(found[0][0]))
        if there != numbers[ours]:
            sys.exit(f"{path}: `{name}` is {there}, and proofs/coq/Constants.v proves theorems about {ours} = {numbers[ours]}")

def main(root):
    compare_constants(root)
    seen = {}
    for path, name, text in named():
        lines = stands(path, name, text, root)
        seen.setdefault(path, set()).update(lines)
    for path, beside in BESIDE.items():
        text, beside = (root / path).read_text(), beside.split()
        for name, first, last in functions(text):
            missing = [line for number, line in code(text) if first <= number <= last and number not in seen[path]]
            if missing and name not in beside:
                sys.exit(f"{path}: no claim names this line of `{name}`:\n    {missing[0]}\nName it in proofs/arithmetic, with the formula that covers it.")
        if unknown := set(beside) - {name for name, _, _ in functions(text)}:
            sys.exit(f"{path} has no function {sorted(unknown)[0]}: take it from BESIDE in proofs/arithmetic/source.py")
    count = sum(map(len, seen.values()))
    assert count > 300, "the named lines were not found here"
    print(f"all {count} source lines that the proofs name stand as they were, and {len(CONSTANTS)} constants have the theorems' values")

if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
