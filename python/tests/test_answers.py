"""Known answers, made by others, through Python."""

import hashlib
import json

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


@pytest.mark.parametrize(("file", "name"), [("umac_test.json", "UMAC"), ("pmac_test.json", "PMAC-AES128")])
def test_those_for_other_projects(file: str, name: str) -> None:
    """In Wycheproof's schemas: valid tags are accepted, others refused, and a stream of single bytes agrees."""
    of = json.loads((answers.VECTORS / "wycheproof" / file).read_text())
    count = 0
    for group in of["testGroups"]:
        for test in group["tests"]:
            key, data, tag = (bytes.fromhex(test[part]) for part in ("key", "msg", "tag"))
            nonce = bytes.fromhex(test["iv"]) if "iv" in test else None
            mac = wegman.new(
                f"{name}-{8 * len(tag)}" if nonce is not None else name,
                key,
                tag_length=len(tag),
                nonce_length=len(nonce) if nonce is not None else None,
            )
            stream = mac.stream()
            for i in range(len(data)):
                stream.update(data[i : i + 1])
            valid = test["result"] == "valid"
            assert (stream.tag(nonce) == tag) is valid, test["tcId"]
            if valid:
                mac.verify(data, tag, nonce)
            else:
                with pytest.raises(wegman.InvalidTag):
                    mac.verify(data, tag, nonce)
            count += 1
    assert count == of["numberOfTests"] >= 500


def test_hmac_is_pythons() -> None:
    import hmac

    for length in [*range(200), 4095, 4096, 100_000]:
        data = hashlib.shake_128(b"%d" % length).digest(length)
        mac = wegman.new("HMAC-SHA256", b"any key at all")
        assert mac.tag(data) == hmac.digest(b"any key at all", data, "sha256")
