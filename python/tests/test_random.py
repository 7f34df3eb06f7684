"""Random calls with random objects: an exception at most, and only of those that are documented."""

import random
from typing import Any

import numpy
import pytest
import wegman
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wegman import pmac

pytestmark = pytest.mark.filterwarnings("ignore")

KEY = bytes(range(16))
ALLOWED = (TypeError, ValueError, OverflowError, RuntimeError, wegman.InvalidTag, wegman.Rejected, wegman.SealError)

things: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 40),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.binary(max_size=80),
    st.sampled_from([bytes(16), bytes(32), bytes(8), bytes(12), bytes(68), bytes(100_000), "UMAC-64", "PMAC-AES128", "HMAC-MD5"]),
    st.binary(max_size=80).map(bytearray),
    st.binary(max_size=80).map(lambda data: memoryview(data)[::3]),
    st.integers(0, 9).map(lambda n: numpy.arange(n * 4, dtype=numpy.int16).reshape(2, -1).T),
    st.lists(st.binary(max_size=40), max_size=12),
    st.lists(st.one_of(st.integers(), st.text(max_size=3), st.none()), max_size=4),
    st.sampled_from([print, object(), {}, set(), type, wegman, lambda saved: None, iter(())]),
)


def objects() -> list[Any]:
    """Fresh ones: what a call did to another must not decide."""
    mac, plain = wegman.Umac64(KEY), wegman.Pmac(KEY)
    return [
        mac,
        plain,
        wegman.new("HMAC-SHA256", KEY),
        mac.stream(),
        plain.stream(),
        mac.tag(b"", 1),
        wegman.Sender("UMAC-64", KEY),
        wegman.SharedSender("PMAC-AES128", KEY),
        wegman.Receiver("UMAC-64", KEY),
        wegman.Link("UMAC-64", bytes(32), initiator=True),
        pmac.Segment(plain, bytes(20)),
        pmac.Sum(plain, plain.tag(bytes(20)), 20),
        *(getattr(wegman, name) for name in wegman.__all__),
        wegman.Tag.fromhex,
        wegman.Link.restore,
        wegman.Sender.restore,
        wegman.Receiver.restore,
        pmac.Segment.from_bytes,
    ]


CALLS = [
    (i, name)
    for i, thing in enumerate(objects())
    for name in ([None] if callable(thing) else [n for n in dir(thing) if callable(getattr(thing, n))])
    if name not in {"__class__", "__init_subclass__", "__subclasshook__", "__dir__", "__sizeof__"}
]


def called(i: int, name: str | None, args: list[Any], named: dict[str, Any]) -> None:
    thing = objects()[i]
    try:
        (thing if name is None else getattr(thing, name))(*args, **named)
    except ALLOWED:
        pass
    except (AttributeError, BufferError, ImportError, IndexError) as error:
        # Of Python's own methods, such as __setattr__, those for pickle, and a tag's __buffer__ and __getitem__.
        assert name is not None and name.startswith("__"), error
    except wegman.ExperimentalWarning:
        pass


names = st.sampled_from(["nonce", "data", "tag", "key", "offset", "first", "first_nonce", "nonces", "initiator", "budget", "longest"])


@settings(max_examples=2000, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(CALLS), st.lists(things, max_size=4), st.dictionaries(names, things, max_size=2))
def test_random_calls(call: tuple[int, str | None], args: list[Any], named: dict[str, Any]) -> None:
    called(*call, args, named)


def a_thing(chance: random.Random) -> Any:
    """One of those above, drawn faster."""
    size = chance.choice([0, 1, 4, 8, 12, 16, 20, 32, 68, chance.randrange(3000)])
    data = chance.randbytes(size)
    match chance.randrange(12):
        case 0:
            return chance.choice([None, True, 1.5, "UMAC-64", "PMAC-AES128", "HMAC-MD5", "", print, object(), {}, iter(())])
        case 1:
            return chance.choice([chance.randrange(-3, 130), chance.getrandbits(64), -chance.getrandbits(80), 1 << 61])
        case 2:
            return [chance.randbytes(chance.randrange(40)) for _ in range(chance.randrange(12))]
        case 3:
            return bytearray(data)
        case 4:
            return memoryview(data)[:: chance.choice([1, 1, 2, -1])]
        case 5:
            return numpy.arange(size * 4, dtype=numpy.int16).reshape(2, -1).T
        case 6:
            return lambda saved: None
        case 7:
            return chance.choice(objects())
        case _:
            return data


@settings(max_examples=1000, deadline=None, database=None)
@given(st.integers(0, 2**64 - 1))
def test_a_hundred_random_calls(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(100):
        args = [a_thing(chance) for _ in range(chance.randrange(5))]
        called(*chance.choice(CALLS), args, {})


@settings(max_examples=300, deadline=None, database=None)
@given(st.binary(max_size=5000), st.lists(st.integers(0, 5000), max_size=8), st.sampled_from(["UMAC-64", "PMAC-AES128", "HMAC-SHA1"]))
def test_any_split_has_the_same_tag(data: bytes, cuts: list[int], name: str) -> None:
    mac = wegman.new(name, wegman.generate_key(name))
    nonce = 1 if mac.nonce_length else None
    stream, places = mac.stream(), [0, *sorted(cuts), len(data)]
    for start, end in zip(places, places[1:]):
        stream.update(data[start:end])
    assert stream.tag(nonce) == mac.tag(data, nonce)
