"""The known answers of vectors/."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parents[2] / "vectors"


def message(case: dict[str, Any]) -> bytes | None:
    """The message of a known answer; None if it is not a whole number of bytes."""
    if "msg_hex" in case:
        return bytes.fromhex(case["msg_hex"])
    return built(case["msg"]) if "msg" in case else None


def built(rule: dict[str, Any]) -> bytes | None:
    """A message by its rule: the vectors' message_rules say what they mean."""
    if "hex" in rule:
        return bytes.fromhex(rule["hex"])
    match rule["pattern"]:
        case "repeat":
            return bytes.fromhex(rule["unit_hex"]) * int(rule["repeat"])
        case "affine":
            a, b, length = rule["a"], rule["b"], rule["length"]
            # It repeats after 256 bytes.
            period = bytes((a * i + b) % 256 for i in range(256))
            return (period * (length // 256 + 1))[:length]
        case "quad":
            a, b, c, length = rule["a"], rule["b"], rule["c"], rule["length"]
            return bytes((a * i * i + b * i + c) // 4 % 256 for i in range(length))
        case "krovetz2000":
            return bytes((i % 127) * (i % 123) % 127 for i in range(rule["length"]))
        case "concat":
            parts = [built(part) for part in rule["parts"]]
            return None if None in parts else b"".join(part for part in parts if part is not None)
        case _:
            return None


def cases() -> Iterator[dict[str, Any]]:
    """Every known answer with a key, a message and a tag."""
    for path in sorted(VECTORS.glob("*.json")):
        for case in json.loads(path.read_text()).get("cases", []):
            yield {"file": path.name, **case}
