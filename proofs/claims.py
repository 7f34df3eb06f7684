"""Whether Coq proved what docs/proofs.md says. $1 is where proofs/coq was compiled. Three things must agree: the lemmas that
the page's table names, those that Claims.v restates in full, and those that Coq reports as resting on no axiom. Then Coq's
separate checker goes over the compiled files. Exit code 1 if one of them says otherwise."""
import pathlib, re, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "proofs.md"

def documented(page):
    """The lemmas that the page's table names, each with its file: `a`, `b` in `File.v`."""
    names = []
    for row in re.findall(r"(?m)^\|.*\|.*\|(.*)\|.*\|$", page):
        waiting = []
        for token in re.findall(r"`([^`]+)`", row):
            if re.fullmatch(r"\w+\.v", token):
                names += [f"{token[:-2]}.{name}" for name in waiting]
                waiting = []
            elif re.fullmatch(r"\w+", token):
                waiting.append(token)
    return names

def without_comments(text):
    """Coq's comments may stand in each other."""
    depth, kept = 0, ""
    for part in re.split(r"(\(\*|\*\))", text):
        depth += (part == "(*") - (part == "*)")
        kept += part if depth == 0 and part != "*)" else ""
    return kept

def restated(text):
    """The lemmas that Claims.v restates. It has nothing that proves, assumes or redefines, and every `Check` a statement."""
    names = []
    for sentence in re.split(r"\.(?:\s+|$)", without_comments(text)):
        words = sentence.split()
        if not words:
            continue
        if words[:3] == ["Local", "Open", "Scope"]:
            continue
        if words[0] == "Check":
            if not re.search(r"\s:\s", sentence) or re.search(r"(?<![\w'^])_(?![\w'])|\"|ltac:|\?\[", sentence):
                sys.exit(f"proofs/coq/Claims.v: no statement in full: {sentence}")
            if not words[1].startswith(("(fun", "erefl")):
                names.append(words[1])
        elif words[0] not in ("From", "Require", "Set", "Unset", "Section", "Variable", "Variables", "Hypothesis", "End"):
            sys.exit(f"proofs/coq/Claims.v: only Check has a place here: {sentence}")
    return names

def assumptions(folder, names):
    """What Coq says that these lemmas rest on, where it is not nothing. One term has them all, so that Coq goes over what they
    share once: it rests on what each of them rests on. If that is something, the two halves tell which lemma it is."""
    (folder / "Assumptions.v").write_text("".join(f"Require {file}.\n" for file in dict.fromkeys(name.split(".")[0] for name in names))
        + f"Definition all_of_them := {' '.join(f'let _ := @{name} in' for name in names)} tt.\nPrint Assumptions all_of_them.\n")
    run = subprocess.run(["coqc", "-q", "-w", "none", "Assumptions.v"], cwd=folder, capture_output=True, text=True)
    if run.returncode or run.stdout != "Closed under the global context\n":
        if len(names) == 1:
            return f"{names[0]}: {(run.stdout + run.stderr).strip() or 'nothing'}"
        half = len(names) // 2
        found = [part for part in [assumptions(folder, names[:half]), assumptions(folder, names[half:])] if part]
        return "\n".join(found) or (run.stdout + run.stderr).strip() or "nothing"

def checked(folder, modules):
    """What Coq's separate checker finds in these files that is assumed or that was not checked. Libraries are believed here:
    `assumptions` has seen which of their axioms a lemma needs, none. What Coq computed is computed again, in the same machine."""
    run = subprocess.run(["coqchk", "-silent", "-bytecode-compiler", "yes", "-o", *[word for module in modules for word in ("-norec", module)]],
                         cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    parts = dict(re.findall(r"(?ms)^\* ([^:]+):(.*?)(?=^\* |\Z)", run.stdout))
    wrong = [name for name in parts.pop("Axioms", "none was asked for").split() if not name.startswith(("Coq.", "mathcomp.", "<none>"))]
    wrong += [f"{what}: {' '.join(names.split())}" for what, names in parts.items() if what != "Theory" and names.strip() != "<none>"]
    if run.returncode or wrong or len(parts) != 4:
        return "\n".join(wrong) or run.stdout[-1000:]

def main(folder):
    ours, page = restated((HERE / "coq" / "Claims.v").read_text()), documented(PAGE.read_text())
    if missing := set(page) - set(ours):
        sys.exit(f"docs/proofs.md says that these are proved, and proofs/coq/Claims.v does not restate them: {', '.join(sorted(missing))}")
    if missing := set(ours) - set(page):
        sys.exit(f"proofs/coq/Claims.v restates lemmas that the table of docs/proofs.md does not have: {', '.join(sorted(missing))}")
    if found := assumptions(folder, ours):
        sys.exit(f"these lemmas rest on more than Coq's logic:\n{found}")
    if found := checked(folder, sorted(file.stem for file in (HERE / "coq").glob("*.v"))):
        sys.exit(f"Coq's checker finds in the compiled files what is assumed:\n{found}")
    print(f"{len(ours)} theorems, each restated in full, none with an axiom")

if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
