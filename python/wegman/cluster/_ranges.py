"""Ranges of names: `(after, upto]`, where None for `upto` means no end. A job has one; its result cuts it into adjacent pieces."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

# A page of a list.
PAGE = 1000
# After every name that begins as another does.
TOP = "\U0010ffff"

ASCII = [chr(c) for c in range(0x21, 0x7F)]
# Where other alphabets begin.
WIDE = [
    chr(c)
    for c in (
        *(0x7F, 0xC0, 0x100, 0x370, 0x400, 0x590, 0x900, 0xE00, 0x1100, 0x3040, 0x30A0),
        *range(0x4E00, 0xA000, 0x800), *range(0xAC00, 0xD7A0, 0x800), 0xF900, 0x10000, 0x1F300, 0x20000,
    )
]  # fmt: skip


def raw(name: str) -> bytes:
    """A name's bytes. Files have names that are not UTF-8."""
    return name.encode(errors="surrogateescape")


def before(one: str, other: str | None) -> bool:
    """Whether a name comes before another, in the order of their bytes."""
    return other is None or raw(one) < raw(other)


def tiles(after: str, upto: str | None, ends: Sequence[str | None]) -> bool:
    """Whether pieces with these ends are a range, cut: the one invariant. So no name is lost between two ranges, or in two of them."""
    at: str | None = after
    for end in ends:
        if at is None or not before(at, end):
            return False
        at = end
    return bool(ends) and at == upto


def split(first_after: Callable[[str], str | None], last: str, upto: str | None, each: Callable[..., Iterable[str | None]] = map) -> list[str]:
    """Names between `last`, that of a page, and `upto`, at which to cut. They decide how even the pieces are, and nothing else.

    first_after: the first name after another that the store has. each: map, or that of an executor.
    """

    def is_inside(name: str | None) -> bool:
        return name is not None and before(last, name) and before(name, upto)

    # The shallowest place at which another name follows: deeper ones have one, too.
    low, high, sibling = 0, len(last), None
    while low < high:
        depth = (low + high) // 2
        found = first_after(last[: depth + 1] + TOP)
        if is_inside(found):
            high, sibling = depth, found
        else:
            low = depth + 1
    if sibling is None:
        return []
    stem, most = last[:high], TOP
    if upto is not None and upto.startswith(stem) and len(upto) > high:
        most = upto[high]
    chars = [c for c in ASCII if last[high] <= c <= most]
    if sibling[high : high + 1] > "~" or is_inside(first_after(stem + "~" + TOP)):
        chars += [c for c in WIDE if last[high] <= c <= most]
    cuts = {name for name in each(first_after, [stem + c for c in chars]) if name is not None and is_inside(name)}
    return sorted(cuts | {sibling}, key=raw)


def even(named: Sequence[tuple[str, float]], pieces: int) -> list[str]:
    """Names at which to cut a sequence of names and costs into so many pieces of about the same cost."""
    if pieces < 2:
        return []
    cuts: list[str] = []
    done, share = 0.0, sum(cost for _, cost in named) / pieces
    for name, cost in named[:-1]:
        done += cost
        if done >= share:
            cuts.append(name)
            done = 0.0
    return cuts


def cut(cuts: Iterable[str], upto: str | None) -> list[dict[str, Any]]:
    """The pieces of a range that ends there, all still to do."""
    return [{"kind": "rest", "upto": end} for end in (*cuts, upto)]
