"""UHASH's bound in numbers: the constants of RFC 4418 meet what `uhash_collision` asks for, and its fraction is below
2^-30 for messages of up to 2^64 bytes. Exact fractions; exit code 1 on a failure."""
import sys
from fractions import Fraction
from source import stands

failed = False

def claim(name, holds):
    global failed
    failed |= not holds
    print("proved  " if holds else "FAILED  ", name, flush=True)

stands("mac/src/umac/l2_poly.rs", "pub(crate) const WORDS_64: u64 = 1 << 14;")
stands("mac/src/umac/l2_poly.rs", "State::finish", "const END: u64 = 0x80 << 56;")
stands("mac/src/umac/l1_nh.rs", "pub(crate) const CHUNK: usize = 1024;")
N, D, T, c = 2**32, 2**16, 2**32, 16
p64, p128, p36 = 2**64 - 59, 2**128 - 159, 2**36 - 5
limit64, limit128, mark, n64 = 2**64 - 2**32, 2**128 - 2**96, 0x80 << 56, 2**14
chunks = -(-(2**64) // 1024)
n128 = (chunks - n64) // 2 + 3
claim("the lengths of a chunk in bits differ mod 2^64, the mark is a word", 8 * 1024 < N * N and 0 < mark < N * N)
claim("POLY-64: limit below p, offset below limit, words at most p + 59", 59 <= limit64 < p64 and N * N <= p64 + 59)
claim("POLY-128: the same with 159", 159 <= limit128 < p128 and N**4 <= p128 + 159)
claim("level 3: eight digits of 16 bits hold every word, digits are below p, p is at most 16 * 2^32",
      max(N * N, p64, p128) <= D**8 and D <= p36 <= c * T)
claim("messages of up to 2^64 bytes have so many chunks", chunks <= n64 + 2 * (n128 - 2))
beta = 2**64 // p36 + 1  # numbers of 64 bits with one residue, at most
claim("of 2^64 numbers at most 2^28 + 1 have one residue mod 2^36 - 5", beta == 2**28 + 1)
keys64 = 2 ** bin(0x01FFFFFF01FFFFFF).count("1")
keys128 = keys64**2
claim("the masks leave 2^50 and 2^100 keys", keys64 == 2**50 and keys128 == 2**100)
levels = [Fraction(N + 2, N**2), Fraction(2 * n64, keys64), Fraction(2 * n128, keys128), Fraction((2 * c - 1) * beta, 2**64)]
for name, term in zip(["NH", "POLY-64", "POLY-128", "level 3"], levels):
    print(f"         {name}: {float(term) * 2**30:.6f} * 2^-30")
claim(f"all levels: {float(sum(levels)) * 2**30:.4f} * 2^-30, below 2^-30", sum(levels) < Fraction(1, 2**30))
claim("and not below 2^-31, so that the sum means something", sum(levels) > Fraction(1, 2**31))
# Level 3 alone does not keep this bound for differences by xor (docs/proofs.md): a sample of the keys is enough to see it.
tried, hits = 2**21, 0
for i in range(tried):
    w = i * 0x9E3779B97F4A7C15 % p36
    hits += (w ^ 3 * w % p36) % 2**32 == 0xAAAAAAAA
print(f"         level 3 of a word and of three times it: xor 0xaaaaaaaa for {hits} of {tried} keys")
claim("this is far more than 2^-30", hits > 2)
sys.exit(failed)
