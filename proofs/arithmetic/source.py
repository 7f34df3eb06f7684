"""The lines of the sources that the formulas here are about. `stands` compares them, word for word; a formula whose line
has changed proves nothing about the program. Without Coq and z3: `python3 proofs/arithmetic/source.py` compares all of
them and prints how many there are."""
import ast, pathlib, sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

def code(text):
    """The lines without indentation, blank lines, comments and what only debug builds check."""
    lines, inside = [], False
    for line in text.splitlines():
        line = line.strip()
        inside = inside or line.startswith("debug_assert")
        if not inside and line and not line.startswith("//"):
            lines.append(line.split(" // ")[0].rstrip())
        inside = inside and not line.endswith(";")
    return lines

def stands(path, text, root=ROOT):
    """These lines stand in that file, one behind the other."""
    have, want = code((root / path).read_text()), code(text)
    starts = [i for i, line in enumerate(have) if line == want[0]]
    if any(have[i : i + len(want)] == want for i in starts):
        return
    best = max((next((k for k, line in enumerate(want) if have[i + k : i + k + 1] != [line])) for i in starts), default=0)
    sys.exit(f"{path} has changed: a proof is about the line\n    {want[best]}\nwhich does not stand "
             + (f"behind\n    {want[best - 1]}\n" if best else "there ")
             + "any more. Change the formula in proofs/arithmetic with it, and run `make proofs`.")

def named():
    """Every path and text that a file beside this one gives to `stands`."""
    for file in sorted(HERE.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "stands" and len(node.args) == 2:
                yield tuple(ast.literal_eval(argument) for argument in node.args)

if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    count = 0
    for path, text in named():
        stands(path, text, root)
        count += len(code(text))
    assert count > 100, "the named lines were not found here"
    print(f"all {count} source lines that the proofs name stand as they were")
