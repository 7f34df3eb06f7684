"""The reduction of GF(2^128), for all inputs. Shifts, xors and products by a constant are linear over GF(2), so equality
on a basis is equality everywhere; z3 finds the same for the plain form without being told. Exit code 1 on a failure."""
import sys
from source import constants, stands
from z3 import BitVec, BitVecVal, Concat, Extract, LShR, Solver

MODULUS = 1 << 128 | constants()["carter_modulus"] << 64 | 1
WORD, TWO = 2**64 - 1, 2**128 - 1
failed = False

def report(name, holds):
    global failed
    failed |= not holds
    print("proved  " if holds else "FAILED  ", name, flush=True)

def definition(w):
    """w x^-128: divided by x, 128 times, after the modulus was added where the lowest bit is one."""
    for _ in range(128):
        w = (w ^ MODULUS if w & 1 else w) >> 1
    return w

stands("carter/src/field.rs", "Wide::reduce", """
pub fn reduce(self) -> u128 {
    let up = |word: u64| {
        let word = u128::from(word);
        word << 64 ^ word << 63 ^ word << 62 ^ word << 57
    };
    let low = self.low as u64;
    let middle = (self.low >> 64) ^ up(low);
    let high = self.high ^ (middle >> 64);
    high ^ up(middle as u64)
}
""")

def plain(w):
    """Wide::reduce."""
    low, high = w & TWO, w >> 128
    up = lambda word: (word << 64 ^ word << 63 ^ word << 62 ^ word << 57) & TWO
    middle = (low >> 64) ^ up(low & WORD)
    return high ^ (middle >> 64) ^ up(middle & WORD)

def carryless(a, b):
    return xor_all(a << i for i in range(64) if b >> i & 1)

def xor_all(numbers):
    total = 0
    for number in numbers:
        total ^= number
    return total

stands("carter/src/lanes.rs", "reduce_by", """
let middle = self.xor(middle, self.xor(self.lower(low, modulus), self.swapped(low)));
self.xor(high, self.xor(self.lower(middle, modulus), self.swapped(middle)))
""")
# What the operations of each row compute is proved with the compiled kernels (docs/kernels.md).

def kernels(low, middle, high):
    """reduce_by in each lane: three registers, 64 bits apart."""
    swap = lambda part: part >> 64 | (part & WORD) << 64
    up = lambda part: carryless(part & WORD, constants()["carter_modulus"]) ^ swap(part)
    return high ^ up(middle ^ up(low))

report("plain: equal to the definition on the basis of 256", all(plain(1 << i) == definition(1 << i) for i in range(256)))
report("kernels: equal to the definition on the basis of 3 * 128", all(
    kernels(*[(1 << i) if part == j else 0 for j in range(3)]) == definition(1 << i + 64 * part)
    for part in range(3) for i in range(128)))

# Rabin's test: x^(2^128) = x, and x^(2^64) - x has no factor in common with the modulus.
def reduced(a):
    while a.bit_length() > 128:
        a ^= MODULUS << a.bit_length() - 129
    return a

def square(a):
    return reduced(xor_all(1 << 2 * i for i in range(128) if a >> i & 1))

def gcd(a, b):
    while b:
        while a.bit_length() >= b.bit_length():
            a ^= b << a.bit_length() - b.bit_length()
        a, b = b, a
    return a

powers = [2]
for _ in range(128):
    powers.append(square(powers[-1]))
report("the modulus is irreducible", powers[128] == 2 and gcd(MODULUS, powers[64] ^ 2) == 1)
report("x^-128 is x^127 + x^124 + x^121 + x^114 + 1", definition(1) == 1 << 127 | 1 << 124 | 1 << 121 | 1 << 114 | 1)

w = BitVec("w", 256)
low, high = Extract(127, 0, w), Extract(255, 128, w)
def up(word):
    word = Concat(BitVecVal(0, 64), word)
    return word << 64 ^ word << 63 ^ word << 62 ^ word << 57
middle = LShR(low, 64) ^ up(Extract(63, 0, low))
fast = high ^ LShR(middle, 64) ^ up(Extract(63, 0, middle))
slow = w
for _ in range(128):
    slow = LShR(slow ^ BitVecVal(MODULUS, 256) & -(slow & 1), 1)
solver = Solver()
solver.set("timeout", 600_000)
solver.add(fast != Extract(127, 0, slow))
report("plain: equal to the definition for every w, by z3", str(solver.check()) == "unsat")
sys.exit(failed)
