"""Known answers, made by others, through Python."""

import hashlib

import answers
import pytest
import wegman

# How many there are at least; other files have what is not a MAC with one key, and are run by lab/answers.
FILES = {"carter.json": 163, "hmac96.json": 18, "pmac.json": 295, "umac-rfc4418.json": 562}


@pytest.mark.filterwarnings("ignore::wegman.ExperimentalWarning")
@pytest.mark.parametrize("file", FILES)
def test_every_answer(file: str) -> None:
    count = 0
    for case in answers.cases():
        if case["file"] != file:
            continue
        data = answers.message(case)
        assert data is not None, case["id"]
        tag, key = bytes.fromhex(case["tag_hex"]), bytes.fromhex(case["key_hex"])
        name = case["algorithm"]
        if name.startswith("Carter") and len(key) == 32:
            name += "-AES256"
        if name.startswith("HMAC") and len(key) != wegman.find(name).key_length:
            # RFC 2202 has keys of other lengths, which IPsec's HMACs do not take.
            continue
        nonce = bytes.fromhex(case["nonce_hex"]) if "nonce_hex" in case else None
        mac = wegman.new(
            name, key, tag_length=len(tag), nonce_length=len(nonce) if nonce is not None else None
        )
        assert bytes(mac.tag(data, nonce)) == tag, case["id"]
        mac.verify(data, tag, nonce)
        stream = mac.stream()
        stream.update(data[: len(data) // 3])
        stream.update(data[len(data) // 3 :])
        assert stream.tag(nonce) == tag, case["id"]
        assert mac.tag_many([data], nonce) == [tag], case["id"]
        count += 1
    assert count >= FILES[file]


def test_hmac_is_pythons() -> None:
    import hmac

    for length in [*range(200), 4095, 4096, 100_000]:
        data = hashlib.shake_128(b"%d" % length).digest(length)
        mac = wegman.new("HMAC-SHA256", b"any key at all")
        assert mac.tag(data) == hmac.digest(b"any key at all", data, "sha256")
