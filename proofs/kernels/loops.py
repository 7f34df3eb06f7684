"""Any number of chunks, by induction over a kernel's own loop.

The message lies at an address A that is a number, has `index + 1 + rest` chunks of the same size, and of its bytes only
those of one chunk are needed at a time: the one at A + size * index. A run begins at the function's beginning. Where it
comes to a loop that walks over the message, it is cut: all that the loop carries becomes any value that the invariant
allows, and one iteration is run from there, for any chunk. To be proved are

  entry   what the loop begins with is what the invariant says of the chunks before it;
  step    an iteration that is not the last keeps the invariant: the state of the specification takes one step;
  exit    after an iteration the loop is left exactly if no chunk is left, and what the function leaves behind is the
          specification's state after its step.

Numbers of chunks, their addresses and what follows from these alone are public: a branch on them is followed both ways,
unless z3 proves that one is impossible.
"""
import functools
from collections import namedtuple

import decisions
import values as V
from decisions import node
from ir import lane, offset, size, width
from kernels import Check, inputs
from machine import ENDS, OBJECT, STEPS, Machine, Refused, bitcast, kind, short
from specification import split

ADDRESSES = 1 << 61  # bytes that a message has at most, and where it begins at most

# Where a run of a loop ended: `how` is "cut" or "ret".
End = namedtuple("End", "machine how frames")


def owner(v):
    """The term that an input is."""
    return V.OWNER[next(iter(v[0]))][0]


def successors(block):
    last = block[-1]
    return {"jump": lambda: last.args, "br": lambda: last.args[1:], "switch": lambda: (last.args[2], *last.args[3].values())}.get(last.op, tuple)()


def outer_loops(f):
    """The blocks at which loops begin that are in no other loop: what an edge leads back to."""
    before = {b: [] for b in f.blocks}
    for b, block in f.blocks.items():
        for s in successors(block):
            before[s].append(b)
    seen, open_, back = {f.first}, [f.first], []
    todo = [iter(successors(f.blocks[f.first]))]
    while todo:
        s = next(todo[-1], None)
        if s is None:
            todo.pop()
            open_.pop()
        elif s in open_:
            back.append((open_[-1], s))
        elif s not in seen:
            seen.add(s)
            open_.append(s)
            todo.append(iter(successors(f.blocks[s])))
    inside = {}
    for b, head in back:
        body, todo_ = inside.setdefault(head, set()), [b]
        while todo_:
            x = todo_.pop()
            if x != head and x not in body:
                body.add(x)
                todo_ += before[x]
    return {h for h in inside if not any(h in body for g, body in inside.items() if g != h)}


class Frame:
    """A function under way: `at` is the next instruction of its block."""

    def __init__(self, f, env, block, before=None, at=0):
        self.f, self.env, self.block, self.before, self.at = f, env, block, before, at

    def copy(self):
        return Frame(self.f, dict(self.env), self.block, self.before, self.at)


class Walker(Machine):
    """A machine with a long message, of which it follows all paths that are possible."""

    def setup(self, publics, start, end):
        self.publics, self.start, self.end = publics, start, end
        self.entries, self.zeroes = {}, None
        self.path, self.windows, self.outer, self.passed, self.doubtful = [], {}, {}, 0, set()

    def fork(self):
        other = super().fork()
        for part in ("publics", "start", "end", "outer", "passed", "doubtful", "entries", "zeroes"):
            setattr(other, part, getattr(self, part))
        other.path, other.windows, other.doubts = list(self.path), dict(self.windows), list(self.doubts)
        return other

    # What is public, and what is known of it

    def public(self, v):
        return isinstance(v, int) or all(self.public_term(V.OWNER[a][0]) for b in v for a in decisions.supports(b))

    def public_term(self, t):
        if t not in self.publics:
            # What z3 takes as an unknown, a product of two words, depends on both.
            words = [V.var_bits(v) for m in t.poly for v in m] if t.kind == "poly" else decisions.Integers().words(t)
            self.publics[t] = bool(words) and all(map(self.public, words))
        return self.publics[t]

    def refuted(self, make, *words):
        """Whether z3 proves that what `make` says of the words can't be on this path."""
        i = decisions.Integers()
        for word in (*((b,) for b, _ in self.path), *words):
            i.collect(word)
        path = [node("eq", i.bit(b), yes) for b, yes in self.path]
        goal = make(*(i.word(w) for w in words))
        return decisions.ask(i.facts, node("And", *path, goal)) == "unsat"

    def within(self, at, n):
        """Whether n bytes there are of the message."""
        words = [V.bits(x, 64) for x in (at, self.start, self.end)]
        return self.refuted(lambda a, first, end: node("Or", node("lt", a, first), node("gt", node("add", a, n), end)), *words)

    # Addresses in the message

    def load(self, at, t):
        return super().load(self.known(at), t)

    def store(self, at, t, v):
        super().store(self.known(at), t, v)

    def known(self, at):
        """An address in the chunk, or in a table at a public place, as one in the bytes that are there."""
        if isinstance(at, int):
            return at
        p = V.poly(at, 64, 64) if at is not None else {}
        place = frozenset((m, c) for m, c in p.items() if m)
        first, known = self.windows.get(place, self.entries.get(place, (0, None)))
        if known is None:
            raise Refused("an address of the message that is not in the chunk, or depends on " + kind(at))
        return known + (p.get((), 0) - first + (1 << 63)) % (1 << 64) - (1 << 63)

    def window(self, at, content):
        """The bytes of the message that are known from now on, at an address."""
        self.windows = {}
        if content:
            self.at_public(self.windows, at, self.alloc(content, "the chunk", 1, constant=True))

    def entry(self, at, content):
        """An entry of a table whose number is public."""
        self.at_public(self.entries, at, self.alloc(content, "an entry", 64, constant=True))

    def at_public(self, windows, at, known):
        p = V.poly(at, 64, 64)
        windows[frozenset((m, c) for m, c in p.items() if m)] = p.get((), 0), known

    def element(self, env, t, args, flags):
        given = [self.get(env, *a) for a in args]
        if all(isinstance(v, int) for v in given):
            return super().element(env, t, args, flags)
        start = at = given[0]
        if None in given or not all(map(self.public, given)):
            raise Refused("an address depends on " + kind(next(v for v in given if not isinstance(v, int))))
        for n, ((it, _), i) in enumerate(zip(args[1:], given[1:])):
            if n and t[0] == "s":
                at, t = V.add(at, offset(t, i), 64), t[1][i]
                continue
            t = t if n == 0 else t[2]
            at = V.add(at, V.mul(i, size(t), 64), 64)
        if isinstance(start, int):
            self.known(at)
        elif "inbounds" in flags and not self.within(start, 0):
            return None
        elif "inbounds" in flags and not self.within(at, 0):
            self.doubtful.add(at)
        return at

    def get(self, env, t, v):
        """An address is poison where it leaves the message, which the path may exclude before the address is used."""
        x = super().get(env, t, v)
        return None if t == ("ptr",) and isinstance(x, tuple) and x in self.doubtful and not self.within(x, 0) else x

    def promised(self, t, v, attributes):
        if not isinstance(v, tuple) or t[0] == "v":
            return super().promised(t, v, attributes)
        for name, n in attributes.items():
            if name == "align" and any(c % n for c in V.poly(v, 64, 64).values()):
                raise Refused(f"an address may be no multiple of {n}")
            if name == "dereferenceable" and not self.within(v, n):
                raise Refused(f"{n} bytes are not of the message")
            if name == "range":
                w = width(t)
                low, high = (x % (1 << w) for x in n[0])
                if not self.refuted(lambda x: node("Or", node("lt", x, low), node("ge", x, high)), v):
                    raise Refused("an argument is outside of its range")

    # Paths

    def begin(self, name, args):
        f = self.module.function(name)
        env = {}
        for (t, parameter, attributes), v in zip(f.parameters, args, strict=True):
            self.promised(t, v, attributes)
            env[parameter] = v
        return Frame(f, env, f.first)

    def is_cut(self, frame):
        """Whether a loop over the message begins here."""
        if frame.f.name not in self.outer:
            self.outer[frame.f.name] = outer_loops(frame.f)
        if frame.block not in self.outer[frame.f.name]:
            return False
        phis = [i for i in frame.f.blocks[frame.block] if i.op == "phi"]
        return any(i.args[0] == ("ptr",) and isinstance(frame.env[i.dest], tuple) for i in phis)

    def walk(self, frames, uncut=0):
        """The ends of all paths; `uncut` times a loop is not cut where it begins."""
        while True:
            frame = frames[-1]
            block = frame.f.blocks[frame.block]
            if frame.at == 0:
                frame.env.update({i.dest: self.get(frame.env, i.args[0], i.args[1][frame.before]) for i in block if i.op == "phi"})
                frame.at = sum(i.op == "phi" for i in block)
                if self.is_cut(frame):
                    self.passed += 1
                    if self.passed > uncut:
                        yield End(self, "cut", frames)
                        return
            i = block[frame.at]
            frame.at += 1
            self.steps += 1
            try:
                if i.op == "ret":
                    value = ENDS["ret"](self, frame.env, *i.args)
                    self.promised(frame.f.result, value, frame.f.promised)
                    frames.pop()
                    if not frames:
                        yield End(self, "ret", frames)
                        return
                    call = frames[-1].f.blocks[frames[-1].block][frames[-1].at - 1]
                    self.promised(call.args[0], value, call.args[3])
                    if call.dest:
                        frames[-1].env[call.dest] = value
                elif i.op in ENDS:
                    for machine, to, mine in self.targets(frame, i):
                        if not mine:
                            others = [f.copy() for f in frames]
                            others[-1].block, others[-1].before, others[-1].at = to, frame.block, 0
                            yield from machine.walk(others, uncut)
                            continue
                        here = to
                    frame.before, frame.block, frame.at = frame.block, here, 0
                elif i.op == "call" and (name := self.callee(frame.env, i)):
                    given = [self.get(frame.env, *a[:2]) for a in i.args[2]]
                    for (t, _, attributes), v in zip(i.args[2], given):
                        self.promised(t, v, attributes)
                    frames.append(self.begin(name, given))
                else:
                    r = self.result(frame.env, i)
                    if i.dest:
                        frame.env[i.dest] = r
            except Refused as e:
                raise e if e.placed else Refused(f"{e} (line {i.line}, {short(frame.f.name)})", True)

    def callee(self, env, i):
        name = self.functions.get(self.get(env, ("ptr",), i.args[1])) if not i.args[1][1].startswith("@llvm.") else None
        return name if name in self.module.bodies else None

    def result(self, env, i):
        if i.op == "unknown":
            raise Refused("an instruction without a model: " + i.args[0])
        if i.op == "call" and i.args[1][1].startswith("@llvm.cttz"):
            x = self.get(env, *i.args[2][0][:2])
            if isinstance(x, tuple):
                return self.zeroes(x)
        r = (Walker.element if i.op == "gep" else STEPS[i.op])(self, env, *i.args)
        return low_bits(r) if i.op == "binary" and isinstance(r, tuple) else r

    def targets(self, frame, i):
        """Where a branch leads to: (machine, block, whether it is this machine)."""
        c = self.get(frame.env, ("i", 1), i.args[0]) if i.op == "br" else 0
        if isinstance(c, int) or c is None:
            return [(self, ENDS[i.op](self, frame.env, *i.args), True)]
        if not self.public(c):
            raise Refused("a branch depends on secret data")
        possible = [yes for yes in (1, 0) if not self.refuted(lambda x: node("eq", x, yes), V.bits(c, 1))]
        if not possible:
            raise Refused("a path that can't be")
        out = []
        for yes in possible:
            machine = self.fork() if len(possible) == 2 and yes else self
            machine.path.append((V.bits(c, 1)[0], yes))
            out.append((machine, i.args[1] if yes else i.args[2], machine is self))
        return out


def low_bits(v):
    """A sum mod 2^w whose lowest bits are those of its constant, as these bits and the rest."""
    t = V.whole(v)
    if not t or t.mod != len(v) or not t.poly.get((), 0):
        return v
    k = min((c & -c).bit_length() - 1 for m, c in t.poly.items() if m)
    return V.concat([(t.poly[()] % (1 << k), k), (V.of_poly({m: c >> k for m, c in t.poly.items()}, t.mod - k), t.mod - k)]) if k else v


# What a loop carries from iteration to iteration and is public: what it is at the loop's beginning behind the first chunks,
# behind any number of them, and after an iteration from there.
Public = namedtuple("Public", "first now next")


class Any(Check):
    """A function for any number of chunks. A subclass adds to a check of its kernels

      size, uncut, lane      bytes of a chunk; how many iterations are run before the loop is cut; the bits of a part of
                             what the loop carries
      setting(m, at, n)      the function and its arguments, of a message's address and number of chunks
      before                 the specification's state before the first chunk
      named(contents)        {name: value} of parts that are known at the loop's beginning behind these chunks
      state(parts, others)   the state that the loop's parts mean: the named ones, and all others
      step(state, content)   the specification's step
      bytes(state)           what is compared
      left(m, n)             the state that the function leaves, as bytes
      publics(), counts(k)   further inputs that are public, and values of type `Public`
    """

    def publics(self):
        return []

    def counts(self, k):
        return []

    def known(self, m, n):
        """What is known of numbers beside their bounds: bits."""
        return []

    def after(self, n):
        """Bytes that `left` gives beside the state."""
        return []

    def prove(self):
        size, k = self.size, self.uncut
        most = ADDRESSES // size // 2
        at, i, rest = V.fresh("address", 64, ADDRESSES), V.fresh("index", 64, most), V.fresh("rest", 64, most)
        add = lambda *parts: functools.reduce(lambda a, b: V.add(a, b, 64), parts)
        behind = lambda c: add(at, V.mul(c, size, 64))
        index = add(i, k)
        n = add(index, 1, rest)
        self.public_terms = {owner(v): True for v in (at, i, rest, *self.publics())}
        self.got, self.want = [], []
        contents = [inputs(f"first chunk {c}", size) for c in range(k)]
        for count in (*range(1, k + 1), n):
            m = self.walker(at, behind(count), count)
            m.window(at, sum(contents[:k if count is n else count], []))
            state = functools.reduce(self.step, contents[:k if count is n else count], self.before())
            function, args = self.setting(m, at, count)
            ends = 0
            for end in m.walk([m.begin(function, args)], k):
                ends += 1
                if end.how == "cut" and count is n:
                    pointer = Public(behind(k), behind(index), behind(add(index, 1)))
                    publics = [pointer, Public(k, index, add(index, 1)), *self.counts(index)]
                    while not self.iterate(end, publics, contents, state, pointer.now, rest):
                        pass
                elif end.how == "ret" and count is not n:
                    self.equal(self.left(end.machine), self.bytes(state) + self.after(count))
                else:
                    raise Refused("no loop over the message is left after all chunks")
            if not ends:
                raise Refused("no path")
        return self.got, self.want

    def equal(self, got, want):
        self.got += got
        self.want += want

    def walker(self, at, end, n):
        m = Walker.__new__(Walker)
        m.__dict__ = self.machine.fork().__dict__
        m.setup(self.public_terms, at, end)
        m.path = [(V.bits(b, 1)[0], 1) for b in self.known(m, n)]
        self.running = m
        return m

    def iterate(self, end, publics, contents, before, at, rest):
        """Entry, step and exit of the loop; False if memory changes that was thought not to."""
        frame, m = end.frames[-1], end.machine.fork()
        named, chosen, others, lanes = self.named(contents), {}, [], []
        places = {name: [] for name in named}

        def any_value(v, w, where):
            """In place of a part's value at the beginning: any one of the invariant."""
            if v is None:
                return None
            name = next((name for name, x in named.items() if x == v), None)
            if name is None:
                others.append((v, where))
                lanes.append(V.fresh(f"part {len(lanes)}", w))
                return lanes[-1]
            places[name].append(where)
            return chosen.setdefault(name, V.fresh(f"any {name}", w))

        env, kept, constant = dict(frame.env), {}, []
        for i in (i for i in frame.f.blocks[frame.block] if i.op == "phi"):
            t, v = i.args[0], frame.env[i.dest]
            scalar = t[0] != "v"
            if scalar and v is not None and m.public(v):
                found = next((p for p in publics if p.first == v and t != ("i", 1)), Public(v, v, v))
                env[i.dest] = found.now
                constant.append((i.dest, found.next))
                continue
            w = min(self.lane, width(t) if scalar else t[1] * lane(t))
            as_lanes = ("v", (width(t) if scalar else t[1] * lane(t)) // w, ("i", w))
            parts = [any_value(x, w, (i.dest, t, as_lanes, j)) for j, x in enumerate(bitcast(t, as_lanes, v))]
            env[i.dest] = bitcast(as_lanes, t, parts)
        for number in [x for x in m.memory if x not in m.constant]:
            content = list(m.memory[number])
            for p in range(0, len(content) - 7, 8):
                part = content[p:p + 8]
                v = None if None in part else V.concat([(b, 8) for b in part])
                where = (number, p)
                found = next((x for x in publics if isinstance(v, tuple) and x.first == v), None)
                if found:
                    content[p:p + 8] = split(found.now, 64)
                    constant.append((where, found.next))
                elif self.lane == 64 and v is not None and v in named.values():
                    content[p:p + 8] = split(any_value(v, self.lane, where), self.lane)
                elif where in self.changed:
                    content[p:p + 8] = [None] * 8
                else:
                    kept[where] = part
            kept[number, "end"] = content[len(content) // 8 * 8:]
            m.memory[number] = content
            m.owned.add(number)

        def value(end, where):
            if len(where) == 2:
                return end.machine.number(*self.word(end.machine, where))
            dest, t, as_lanes, j = where
            return bitcast(t, as_lanes, end.frames[-1].env[dest])[j]

        first = {name: named[name] for name in places if places[name]}
        begun = self.bytes(self.state(first, [v for v, _ in others]))
        state, content = self.state(chosen, lanes), inputs("chunk", self.size)
        m.window(at, content)
        frames = [f.copy() for f in end.frames]
        frames[-1].env, m.passed = env, 0
        want = self.step(state, content)
        todo, kinds = [(begun, self.bytes(before))], set()
        for e in m.walk(frames):
            kinds.add(e.how)
            self.steps += e.machine.steps
            if e.how == "ret":
                if not e.machine.refuted(lambda x: node("ne", x, 0), rest):
                    raise Refused("the loop is left before the last chunk")
                todo.append((self.left(e.machine), self.bytes(want) + self.after(publics[1].next)))
                continue
            if (e.frames[-1].f, e.frames[-1].block, len(e.frames)) != (frame.f, frame.block, len(end.frames)):
                raise Refused("another loop over the message")
            if not e.machine.refuted(lambda x: node("eq", x, 0), rest):
                raise Refused("the loop goes on after the last chunk")
            changed = {where for where, part in kept.items() if where[1] != "end" and e.machine.read(*self.piece(e.machine, where)) != part}
            if any(e.machine.memory[where[0]][-len(part):] != part for where, part in kept.items() if where[1] == "end" and part):
                raise Refused("the end of an object changes")
            if changed:
                self.changed |= changed
                return False
            for where, next_value in constant:
                now = value(e, where) if isinstance(where, tuple) else e.frames[-1].env[where]
                if now != next_value:
                    raise Refused(f"{where} is not what follows")
            parts = {name: value(e, where[0]) for name, where in places.items() if where}
            for name, where in places.items():
                for other in where[1:]:
                    w = V.bits(parts[name], self.lane)
                    todo.append((split(value(e, other), self.lane), split(V.norm(w), self.lane)))
            todo.append((self.bytes(self.state(parts, [value(e, where) for _, where in others])), self.bytes(want)))
        if kinds != {"cut", "ret"}:
            raise Refused("a loop that does not end, or no loop")
        for got, w in todo:
            self.equal(got, w)
        return True

    def piece(self, m, where):
        return (where[0] << OBJECT) + m.first[where[0]] + where[1], 8

    def word(self, m, where):
        return self.piece(m, where)[0], 64
