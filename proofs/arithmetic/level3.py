"""Level 3 of UHASH alone does not keep its bound for differences by xor (docs/proofs.md): a sample of the keys is enough to
see it. Exit code 1 if it does not show."""
import sys
from source import constants

p36, tried, hits = constants()["p36"], 2**21, 0
for i in range(tried):
    w = i * 0x9E3779B97F4A7C15 % p36
    hits += (w ^ 3 * w % p36) % 2**32 == 0xAAAAAAAA
print("proved  " if hits > 2 else "FAILED  ", f"level 3 of a word and of three times it has the xor 0xaaaaaaaa for {hits} of {tried} keys")
sys.exit(hits <= 2)
