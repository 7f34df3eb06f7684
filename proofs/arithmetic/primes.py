"""The moduli are prime, by Pocklington's theorem: if p - 1 = f r, f above the root of p, and for each prime q of f there is
an a with a^(p-1) = 1 mod p and a^((p-1)/q) - 1 invertible mod p, then p is prime. The primes of f are proved in the same
way, small ones by division. The certificates are found here each time; nothing rests on how they are found."""
import re, sys
from math import gcd
from source import constants

def small(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))

def factors(n):
    """Prime factors of n by division and Pollard's rho: candidates, which `prime` proves."""
    found = []
    for d in range(2, 10_000):
        while n % d == 0:
            found.append(d)
            n //= d
    stack = [n] if n > 1 else []
    while stack:
        n = stack.pop()
        if n < 10**8 or pow(3, n - 1, n) == 1 and pow(5, n - 1, n) == 1:
            found.append(n)
            continue
        c, d = 1, n
        while d == n:
            x = y = 2
            d = 1
            while d == 1:
                x = (x * x + c) % n
                y = (y * y + c) % n
                y = (y * y + c) % n
                d = gcd(x - y, n)
            c += 1
        stack += [d, n // d]
    return found

def prime(p):
    if p < 10**8:
        return small(p)
    parts = factors(p - 1)
    product = 1
    for q in parts:
        product *= q
    if product != p - 1:
        return False
    for q in set(parts):
        if not prime(q):
            return False
        if not any(pow(a, p - 1, p) == 1 and gcd(pow(a, (p - 1) // q, p) - 1, p) == 1 for a in range(2, 200)):
            return False
    return True

failed = False
for name, p in constants().items():
    if not re.fullmatch(r"p\d+", name):
        continue
    holds = prime(p)
    failed |= not holds
    print("proved  " if holds else "FAILED  ", f"{name}, {p}, is prime", flush=True)
for name, n in [("2^36 - 7", 2**36 - 7), ("2^64 - 57", 2**64 - 57)]:
    if prime(n):
        failed = True
        print("BLUNT    a composite number was called prime:", name)
sys.exit(failed)
