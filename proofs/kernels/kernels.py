"""What the checks of all kernels have in common: the shipped tables of rows, arguments in memory, cases."""
import decisions
import ir
import residues
import specification as S
import values as V
from machine import Machine
from machine_code import Processor
from values import Refused


def table(machine, part, words):
    """The rows of the table whose name has this part: the name of each, and the functions behind it, `words` pointers
    as the machine finds them in memory; None for what is no function."""
    at = machine.address(machine.module.find(part))
    first, count = machine.number(at, 64), machine.number(at + 8, 64)
    if not isinstance(count, int) or not count:
        raise Refused(f"no rows in {part}")
    n = machine.extent(first) // count
    rows = {}
    for row in range(first, first + n * count, n):
        name = bytes(machine.read(machine.number(row, 64), machine.number(row + 8, 64))).decode()
        pointers = [machine.read(row + 16 + 8 * i, 8) for i in range(words)]
        rows[name] = [None if None in p else machine.functions.get(machine.number(row + 16 + 8 * i, 64))
                      for i, p in enumerate(pointers)]
    return rows


def little64(v):
    return [V.cut(v, i, i + 8, 64) for i in range(0, 64, 8)]


def inputs(name, n):
    """So many bytes, each of any value."""
    return [V.fresh(f"{name}.{i}", 8) for i in range(n)]


def slices(machine, name, messages, align=1):
    """Eight slices in memory, as a kernel for eight messages takes them."""
    content = []
    for i, message in enumerate(messages):
        content += little64(machine.alloc(message, f"{name} {i}", align, constant=True)) + little64(len(message))
    return machine.alloc(content, name, 8, constant=True)


def blocks(machine, bits):
    """The pads' blocks of eight nonces of 8 bytes that follow each other, and how it is in memory; 2^bits pads a block."""
    high = V.fresh("first nonce", 64)
    at = machine.alloc(little64(high) + little64(64 + bits) + little64(0) * 2, "blocks", 8, constant=True)
    numbers = [V.add(high, i << bits, 64) for i in range(8 >> bits)]
    return at, [V.concat([(b, 8) for b in little64(n)[::-1] + [0] * 8]) for n in numbers]


def reset():
    """Forgets all values, before other checks than those of the same MAC."""
    V.reset()
    residues.reset()


class Check:
    """One function of one row. A key is put in memory; each case then runs in a fork of that machine."""

    def __init__(self, module):
        self.machine = (Machine if isinstance(module, ir.Module) else Processor)(module)
        self.steps, self.declined = 0, []

    def fork(self):
        machine = self.machine.fork()
        self.running = machine
        return machine

    def decide(self, case, limit=None):
        """None if proved, otherwise why not."""
        try:
            got, want = self.case(*case)
            answer = decisions.equal(got, want, limit)
        except Refused as e:
            answer = str(e)
        self.steps += self.running.steps
        return answer and "; ".join([answer, *self.running.doubts[:1]])
