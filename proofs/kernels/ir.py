"""Reads textual LLVM IR: types, constants, and functions as blocks of instructions.

A type is ('i', bits), ('ptr',), ('void',), ('v', count, type), ('a', count, type) or ('s', types, packed).
An operand is ('%', name), ('@', name), ('k', number), ('u',) for poison, ('z',) for zeroes, ('list', operands) or
('gep', type, operands).
"""
import re
from collections import namedtuple
from values import Refused

TOKEN = re.compile(r'c"[^"]*"|[%@]"[^"]*"|"[^"]*"|[%@][-\w.$]+|-?\d+|[A-Za-z_][\w.]*|<\{|\}>|\.\.\.|[<>{}\[\]()=,*!#]')
# What may stand before a parameter's or an argument's name: promises, of which the machine checks some.
PARAMETER = {"noundef", "nonnull", "readonly", "writeonly", "noalias", "nocapture", "zeroext", "signext", "align",
             "immarg", "dereferenceable", "captures", "range", "readnone", "inreg", "returned", "initializes",
             "dead_on_unwind", "writable", "sret", "dead_on_return", "nofree", "dereferenceable_or_null", "noext",
             "byval", "allocptr"}
CHECKED = {"align", "dereferenceable", "dereferenceable_or_null", "noundef", "nonnull", "range"}
FLAGS = {"nuw", "nsw", "exact", "inbounds", "samesign", "disjoint", "nneg", "nusw", "volatile", "atomic"}
WITHOUT_EFFECT = ("@llvm.experimental", "@llvm.lifetime", "@llvm.dbg")

Instruction = namedtuple("Instruction", "dest op args line")
Function = namedtuple("Function", "name parameters blocks first result promised")


def width(t):
    return t[1] if t[0] == "i" else 64 if t[0] == "ptr" else 0


def lane(t):
    """The width of a number or of a lane of a vector."""
    return width(t[2] if t[0] == "v" else t)


def size(t):
    """Bytes in memory."""
    kind = t[0]
    if kind == "i":
        n = (t[1] + 7) // 8
        return n if n & (n - 1) == 0 else 1 << n.bit_length()
    if kind == "ptr":
        return 8
    if kind == "v":
        return (t[1] * width(t[2]) + 7) // 8
    if kind == "a":
        return t[1] * size(t[2])
    return offset(t, len(t[1]))


def alignment(t):
    if t[0] == "i":
        return min(size(t), 16)
    if t[0] in ("v", "ptr"):
        return size(t)
    if t[0] == "a":
        return alignment(t[2])
    return 1 if t[2] else max([alignment(x) for x in t[1]] or [1])


def offset(t, n):
    """Where field n of a structure begins; its size for n = the number of fields."""
    at = 0
    for i, x in enumerate(t[1]):
        if not t[2]:
            at = -(-at // alignment(x)) * alignment(x)
        if i == n:
            return at
        at += size(x)
    return at if t[2] else -(-at // alignment(t)) * alignment(t)


class Reader:
    """The tokens of a line."""

    def __init__(self, text, types, number=0, metadata=None):
        self.tokens, self.i, self.types, self.text, self.number = TOKEN.findall(text), 0, types, text, number
        self.metadata = metadata or {}

    def refuse(self, what):
        raise Refused(f"line {self.number} of the IR: {what}: {self.text.strip()[:160]}")

    def peek(self, n=0):
        return self.tokens[self.i + n] if self.i + n < len(self.tokens) else None

    def next(self):
        if self.i == len(self.tokens):
            self.refuse("ends too early")
        self.i += 1
        return self.tokens[self.i - 1]

    def eat(self, token):
        if self.peek() == token:
            self.i += 1
            return True
        return False

    def need(self, token):
        if not self.eat(token):
            self.refuse(f"{token} expected")

    def type(self):
        x = self.next()
        if x[0] == "i" and x[1:].isdigit():
            return ("i", int(x[1:]))
        if x in ("ptr", "void"):
            return (x,)
        if x in ("float", "double"):  # only moved: arithmetic on them has no model
            return ("i", 32 if x == "float" else 64)
        if x in ("<", "["):
            n = int(self.next())
            self.need("x")
            e = self.type()
            self.need(">" if x == "<" else "]")
            return ("v" if x == "<" else "a", n, e)
        if x in ("{", "<{"):
            out, end = [], "}" if x == "{" else "}>"
            while not self.eat(end):
                out.append(self.type())
                self.eat(",")
            return ("s", tuple(out), x == "<{")
        if x[0] == "%":
            return self.types[x]
        self.refuse(f"type {x}")

    def skip(self, words):
        seen = set()
        while self.peek() in words:
            seen.add(self.next())
            if self.peek() == "(":
                self.parentheses()
        return frozenset(seen)

    def attributes(self):
        """Those of a parameter or an argument that promise what the machine checks: {name: number or None}."""
        out = {}
        while self.peek() in PARAMETER:
            w = self.next()
            inside = self.parentheses() if self.peek() == "(" else [self.next()] if w == "align" else []
            numbers = [int(x) for x in inside if x.lstrip("-").isdigit()]
            out[w] = [numbers] if w == "range" else numbers[0] if numbers else None
        return {w: n for w, n in out.items() if w in CHECKED}

    def promised(self):
        """What the metadata of a load or a call promise of its result, in the same form."""
        out = {}
        for w, numbers in self.metadata.items():
            if w in CHECKED:
                pairs = [numbers[i:i + 2] for i in range(0, len(numbers), 2)]
                out[w] = pairs if w == "range" else numbers[0] if numbers else None
        return out

    def parentheses(self):
        depth, inside = 0, []
        while True:
            x = self.next()
            depth += (x == "(") - (x == ")")
            if depth == 0:
                return inside[1:]
            inside.append(x)

    def typed(self):
        t = self.type()
        return t, self.value(t)

    def comma(self):
        """The next typed operand."""
        self.need(",")
        return self.typed()

    def same(self, t):
        """The next operand, of a type that is known."""
        self.need(",")
        return self.value(t)

    def label(self):
        self.need(",")
        self.need("label")
        return self.next()

    def value(self, t):
        x = self.next()
        if x[0] in "%@":
            return (x[0], x)
        if x.lstrip("-").isdigit():
            return ("k", int(x) % (1 << width(t)))
        if x in ("true", "false"):
            return ("k", int(x == "true"))
        if x == "null":
            return ("k", 0)
        if x in ("poison", "undef"):
            return ("u",)
        if x == "zeroinitializer":
            return ("z",)
        if x == "splat":
            self.need("(")
            _, v = self.typed()
            self.need(")")
            return ("list", [v] * t[1])
        if x in ("<", "[", "{", "<{"):
            end = {"<": ">", "[": "]", "{": "}", "<{": "}>"}[x]
            out = []
            while not self.eat(end):
                out.append(self.typed()[1])
                self.eat(",")
            return ("list", out)
        if x.startswith('c"'):
            return ("list", [("k", b) for b in string(x[2:-1])])
        if x == "inttoptr":
            self.need("(")
            _, v = self.typed()
            self.parenthesis_of_cast()
            return v
        if x == "getelementptr":
            flags = set()
            while self.peek() in FLAGS:
                flags.add(self.next())
            self.need("(")
            return ("gep", self.type(), self.rest(")"), flags)
        self.refuse(f"operand {x}")

    def parenthesis_of_cast(self):
        self.need("to")
        self.type()
        self.need(")")

    def rest(self, end=None):
        """Typed operands, each behind a comma."""
        out = []
        while self.eat(","):
            out.append(self.typed())
        if end:
            self.need(end)
        return out


def string(text):
    """The bytes of a string, in which other bytes are written \\xx."""
    return [int(b[1:], 16) if b[0] == "\\" and len(b) == 3 else ord(b) for b in re.findall(r"\\[0-9A-Fa-f]{2}|.", text)]


class Module:
    def __init__(self, path, private=None):
        """`private` stands before the names of constants that are numbers, which other modules may have, too."""
        self.path, self.globals, self.bodies, self.parsed, self.metadata = path, {}, {}, {}, {}
        named, body = {}, None
        for number, line in enumerate(open(path), 1):
            if private:
                line = re.sub(r"@(vtable|alloc_|anon)", rf"@{private}.\1", line)
            if body is not None:
                if line[0] == "}":
                    body = None
                else:
                    body.append((number, line.rstrip()))
            elif line.startswith("define "):
                name = re.search(r'@("[^"]*"|[-\w.$]+)\(', line).group(1)
                body = self.bodies[name] = [(number, line.rstrip())]
            elif line.startswith("target triple"):
                self.arch = line.split('"')[1].split("-")[0]
            elif line[0] == "%":
                a, b = line.split(" = type ", 1)
                named[a] = b
            elif line[0] == "@":
                a, b = line.split(" = ", 1)
                self.globals[a[1:]] = (number, b.rstrip())
            elif line[0] == "!" and " = !{" in line:
                # Only numbers are asked for: the bounds of a range, an alignment, a size.
                a, b = line.split(" = !{", 1)
                self.metadata[a] = [int(n) for n in re.findall(r"\bi\d+ (-?\d+)", b)]

        class Types(dict):
            def __missing__(types, name):
                types[name] = Reader(named[name], types).type()
                return types[name]
        self.types = Types()

    def find(self, part, names=None):
        """The one global or function whose mangled name has this part."""
        found = [n for n in (names or self.globals) if part in n]
        if len(found) != 1:
            raise Refused(f"{self.path}: {len(found)} names with {part}")
        return found[0]

    def constant(self, name):
        """The type and the value of a global; no value if it is not defined here."""
        number, text = self.globals[name]
        x = Reader(text, self.types, number)
        external = False
        while x.peek() not in ("constant", "global"):
            external |= x.next() in ("external", "extern_weak")
        x.next()
        t = x.type()
        return t, None if external else x.value(t)

    def alignment(self, name):
        """That of a global."""
        found = re.search(r", align (\d+)", self.globals[name][1])
        return int(found[1]) if found else 1

    def called(self, name):
        """The name under which this is defined."""
        return name

    def function(self, name):
        if name not in self.parsed:
            self.parsed[name] = self.parse(name, self.bodies[name])
        return self.parsed[name]

    def parse(self, name, lines):
        head = Reader(lines[0][1], self.types, lines[0][0])
        while head.peek() not in PARAMETER and not re.match(r"i\d+$|ptr$|void$|float$|double$|[<{\[]", head.peek()):
            head.next()
        of_result = head.attributes()
        result = head.type()
        head.need("@" + name)
        head.need("(")
        parameters = []
        while not head.eat(")"):
            t = head.type()
            promised = head.attributes()
            parameters.append((t, head.next(), promised))
            head.eat(",")
        blocks, current = {}, None
        rest = iter(lines[1:])
        for number, line in rest:
            if not line or line.lstrip().startswith((";", "#dbg")):
                continue
            after = None
            label = re.match(r'^("[^"]*"|[-\w.$]+):', line)
            if label:
                current = blocks["%" + label.group(1)] = []
                continue
            if line.lstrip().startswith("switch "):
                while "]" not in line:
                    line += " " + next(rest)[1].strip()
            if "invoke " in line:
                # A call, and a jump: nothing unwinds here.
                line = line.replace("invoke ", "call ", 1)
                after = "br " + next(rest)[1].strip().removeprefix("to ").split(" unwind ")[0]
            if current is None:
                current = blocks["%start"] = []
            for one in filter(None, (line, after)):
                one, *_ = re.split(r", ![a-z]", text := one)
                metadata = {w: self.metadata.get(n, []) for w, n in re.findall(r", !([a-z_]+) (!\d+)", text[len(one):])}
                current.append(instruction(Reader(one, self.types, number, metadata)))
        return Function(name, parameters, blocks, next(iter(blocks)), result, of_result)


def path(name):
    """A mangled name without its hash."""
    return re.sub(r'17h[0-9a-f]{16}E"?$', "", name)


class Joined(Module):
    """Several modules as one. What is only declared in one is what another defines: under the same name or, since a crate
    may be compiled twice with other features, under the only one with the same path."""

    def __init__(self, *modules):
        self.path, self.arch = modules[0].path, modules[0].arch
        self.bodies, self.globals, self.owner, self.paths = {}, {}, {}, {}
        for m in modules:
            defined = {n: g for n, g in m.globals.items() if " external " not in f" {g[1]}"}
            if any(self.globals[n][1] != g[1] for n, g in defined.items() if n in self.globals):
                raise Refused(f"{m.path}: two constants of one name")
            for here, there in ((self.bodies, m.bodies), (self.globals, defined)):
                for n in there.keys() - here.keys():
                    here[n], self.owner[n] = there[n], m
                    self.paths.setdefault(path(n), []).append(n)

    def called(self, name):
        found = self.paths.get(path(name), [])
        return name if name in self.owner or len(found) != 1 else found[0]

    def function(self, name):
        return self.owner[name].function(name)

    def constant(self, name):
        return self.owner[name].constant(name)


ARITHMETIC = {"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem", "sdiv", "srem"}
CASTS = {"zext", "sext", "trunc", "bitcast", "ptrtoint", "inttoptr"}


def instruction(x):
    dest = None
    if x.peek(1) == "=":
        dest = x.next()
        x.next()
    op = x.next()
    if op in ("tail", "musttail", "notail"):
        op = x.next()
    read = "binary" if op in ARITHMETIC else "cast" if op in CASTS else op
    if read not in READERS:
        # Refused only if it is reached.
        return Instruction(dest, "unknown", (x.text.strip(),), x.number)
    op, args = READERS[read](x, op)
    return Instruction(dest, op, args, x.number)


def _binary(x, op):
    flags = x.skip(FLAGS)
    t, a = x.typed()
    return "binary", (op, t, a, x.same(t), flags)


def _icmp(x, op):
    flags = x.skip(FLAGS)
    predicate = x.next()
    t, a = x.typed()
    return op, (predicate, t, a, x.same(t), flags)


def _cast(x, op):
    flags = x.skip(FLAGS)
    t, a = x.typed()
    x.need("to")
    return "cast", (op, t, a, x.type(), flags)


def _freeze(x, op):
    return op, x.typed()


def _gep(x, op):
    flags = x.skip(FLAGS)
    return "gep", (x.type(), x.rest(), flags)


def _align(x):
    return int(x.next()) if x.eat(",") and x.eat("align") else 1


def _load(x, op):
    x.skip(FLAGS)
    t = x.type()
    return op, (t, x.comma()[1], _align(x), x.promised())


def _store(x, op):
    x.skip(FLAGS)
    t, a = x.typed()
    return op, (t, a, x.comma()[1], _align(x))


def _alloca(x, op):
    t = x.type()
    count = x.comma()[1] if x.peek() == "," and x.peek(1) != "align" else ("k", 1)
    return op, (t, count, _align(x))


def _br(x, op):
    if x.eat("label"):
        return "jump", (x.next(),)
    _, c = x.typed()
    return op, (c, x.label(), x.label())


def _switch(x, op):
    t, v = x.typed()
    default = x.label()
    x.need("[")
    cases = {}
    while not x.eat("]"):
        _, k = x.typed()
        cases[k[1]] = x.label()
    return op, (t, v, default, cases)


def _phi(x, op):
    t, arms = x.type(), {}
    while True:
        x.need("[")
        v = x.value(t)
        x.need(",")
        arms[x.next()] = v
        x.need("]")
        if not x.eat(","):
            return op, (t, arms)


def _select(x, op):
    ct, c = x.typed()
    t, a = x.comma()
    return op, (ct, c, t, a, x.comma()[1])


def _shuffle(x, op):
    t, a = x.typed()
    b = x.comma()[1]
    return "shuffle", (t, a, b, *x.comma())


def _extract(x, op):
    return "extract", (*x.typed(), *x.comma())


def _insert(x, op):
    return "insert", (*x.typed(), *x.comma(), *x.comma())


def _path(x):
    out = []
    while x.eat(","):
        out.append(int(x.next()))
    return out


def _extractvalue(x, op):
    return op, (*x.typed(), _path(x))


def _insertvalue(x, op):
    return op, (*x.typed(), *x.comma(), _path(x))


def _ret(x, op):
    t = x.type()
    return op, (t, None if t[0] == "void" else x.value(t))


def _unreachable(x, op):
    return op, ()


def _call(x, op):
    x.skip({"fastcc", "coldcc", "cold"})
    promised = x.attributes() | x.promised()
    t = x.type()
    if x.peek() == "(":
        x.parentheses()
    if x.peek() == "asm":
        text = re.search(r'asm (?:sideeffect |inteldialect |alignstack )*"([^"]*)"', x.text).group(1)
        x.i = max(i for i, token in enumerate(x.tokens) if token[0] == '"') + 1
        return "asm", (text, _arguments(x))
    callee = x.value(("ptr",))
    if callee[1].startswith(WITHOUT_EFFECT):
        return "nothing", ()
    return op, (t, callee, _arguments(x), promised)


def _arguments(x):
    x.need("(")
    out = []
    while not x.eat(")"):
        if x.peek() == "metadata":
            x.refuse("metadata as an argument")
        t = x.type()
        promised = x.attributes()
        out.append((t, x.value(t), promised))
        x.eat(",")
    return out


READERS = {"binary": _binary, "icmp": _icmp, "cast": _cast, "freeze": _freeze, "getelementptr": _gep, "load": _load,
           "store": _store, "alloca": _alloca, "br": _br, "switch": _switch, "phi": _phi, "select": _select,
           "shufflevector": _shuffle, "extractelement": _extract, "insertelement": _insert,
           "extractvalue": _extractvalue, "insertvalue": _insertvalue, "ret": _ret, "unreachable": _unreachable,
           "call": _call}
