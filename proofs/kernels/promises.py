"""What the flags of an instruction promise to the compiler: a broken one makes poison of the result. A flag that is not
seen to hold for all values, by bounds or by z3, counts as broken."""
import decisions
import values as V

def top(v, w):
    """The highest bit, or None if it depends on values."""
    bit = V.bits(v, w)[-1]
    return 0 if not bit else 1 if bit == V.ONE else None


def number(v, w, signed):
    """The number as a polynomial; as a signed one if asked."""
    p = V.poly(v, w, V.EXACT)
    if not signed:
        return p
    return V.plus(p, {m: c << w for m, c in V.poly(V.norm((V.bits(v, w)[-1],)), 1, V.EXACT).items()}, -1)


def between(p, low, high):
    """Whether low <= p < high for all values."""
    least, most = V.bounds(p)
    return low <= least and most < high or decisions.between(p, low, high)


def inside(v, w, low, high):
    """Whether a number is in a range, which may go over the top."""
    low, high = low % (1 << w), high % (1 << w)
    if isinstance(v, int):
        return (v - low) % (1 << w) < (high - low) % (1 << w)
    return between(V.poly(v, w, V.EXACT), low, high if high > low else 1 << w)


def fits(op, flag, a, b, w):
    """Whether the exact result has w bits."""
    signed = flag == "nsw"
    p, q = number(a, w, signed), number(b, w, signed)
    exact = V.product(p, q) if op == "mul" else V.plus(p, q, 1 if op == "add" else -1)
    return between(exact, -(1 << w - 1), 1 << w - 1) if signed else between(exact, 0, 1 << w)


def keeps(op, flag, a, b, w):
    if op in ("add", "sub", "mul"):
        return fits(op, flag, a, b, w)
    if flag == "disjoint":
        return not any(x and y and V.and_bit(x, y) for x, y in zip(V.bits(a, w), V.bits(b, w)))
    if op == "shl":
        # Nothing is lost but copies of the sign.
        lost = V.bits(a, w)[w - b - (flag == "nsw"):]
        return not any(lost) or flag == "nsw" and all(x == lost[0] for x in lost)
    if op == "trunc":
        lost = V.bits(a, w)[b - (flag == "nsw"):]
        return not any(lost) or flag == "nsw" and all(x == lost[0] for x in lost)
    if flag == "exact":
        return op != "udiv" and isinstance(b, int) and not any(V.bits(a, w)[:b])
    if flag == "nneg":
        return top(a, w) == 0
    if flag == "samesign":
        return top(a, w) is not None and top(a, w) == top(b, w)
    return False


def kept(op, flags, a, b, w):
    return all(keeps(op, flag, a, b, w) for flag in flags)
