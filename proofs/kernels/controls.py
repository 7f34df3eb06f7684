"""The checker must refuse: wrong specifications, wrong premises, wrong models. Each runs in a process of its own, with
one name replaced."""
from collections import namedtuple

import carter
import models
import pmac
import residues
import specification as S
import umac
import values as V
from values import Refused

# `where` is a module or a class, in which `name` is replaced by what `wrong` makes of it.
Control = namedtuple("Control", "title where name wrong make args case")


def run(control):
    """Why it is refused; None if it is proved."""
    setattr(control.where, control.name, control.wrong(getattr(control.where, control.name)))
    try:
        return control.make(*control.args).decide(control.case, 4_000_000)
    except Refused as e:
        return str(e)


def with_l3(bound):
    def wrong(fresh):
        return lambda name, width, hi=None, cuts=(): fresh(name, width, bound if name.startswith("l3") else hi, cuts)
    return wrong


def lower_half(madd):
    """madd52hi as madd52lo."""
    return lambda m, name, *rest: madd(m, name.replace("52h", "52l"), *rest)


def controls(module):
    w, c = module["wegman"], module["carter"]
    out = [
        Control("level 3: keys of 41 bits", V, "fresh", with_l3(2**41 - 1), umac.Tag, (w, "avx512", 2), (43,)),
        Control("level 3: keys of 52 bits on sse", V, "fresh", with_l3(2**52 - 1), umac.Tag, (w, "sse", 2), (43,)),
        Control("NH: words with their highest byte first", S, "little", lambda f: lambda p: f(p[::-1] if len(p) == 4 else p),
                umac.Tag, (w, "avx2", 2), (43,)),
        Control("UMAC: chunks of 512 bytes", S, "CHUNK", lambda n: n // 2, umac.Tag, (w, "avx2", 1), (600,)),
        Control("UMAC: the modulus 2^36 - 7", S, "P36", lambda p: p - 2, umac.Tag, (w, "avx2", 1), (5,)),
        Control("POLY: another marker", S, "MARKER", lambda p: p - 1, umac.Tag, (w, "avx512", 2), (1025,)),
        Control("POLY: another limit", S, "MAXWORD", lambda p: p + 1, umac.Tag, (w, "avx512", 2), (1025,)),
        Control("POLY: another offset", S, "OFFSET", lambda p: p + 1, umac.Tag, (w, "avx512", 2), (1025,)),
        Control("Carter: double the length", S, "carter_dot", lambda f: lambda a, b: f(2 * a if isinstance(a, int) else a, b),
                carter.Tag, (c, "pclmul", 10), (16,)),
        Control("Carter: another modulus", carter, "MODULUS", lambda m: m + 1, carter.Tag, (c, "pclmul", 10), (16,)),
        Control("PMAC: offsets without Gray code", S, "gray", lambda f: lambda i: i, pmac.Tag, (w, "vaes256", 10), (60,)),
        Control("PMAC: 2 L in place of L / 2", S, "pmac_half", lambda f: S.pmac_double, pmac.Tag, (w, "vaes512", 10), (64,)),
    ]
    return out
