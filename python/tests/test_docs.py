"""The documents' snippets and the examples run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import safetensors.numpy
from wegman import files

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["docs/python.md", "docs/uses.md", "python/README.md"])
def test_snippets(page: str, tmp_path: Path) -> None:
    snippets = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert snippets
    for directory in ("photos", "weights"):
        (tmp_path / directory).mkdir()
    safetensors.numpy.save_file({"layer": numpy.zeros(100)}, tmp_path / "weights/model.safetensors")
    files.keygen("node.key", cwd=tmp_path)
    files.tag_tree("weights", "weights.manifest", "node.key", cwd=tmp_path)
    for photo in ("photo.jpg", "photos/a.jpg"):
        (tmp_path / photo).write_text("a photo")
    # One after another, in one program, as a reader tries them.
    program = tmp_path / "program.py"
    program.write_text("\n".join(snippets))
    subprocess.run([sys.executable, "-P", "-W", "error", program], cwd=tmp_path, check=True, timeout=100)


def test_the_echo() -> None:
    said = subprocess.check_output([sys.executable, "-P", ROOT / "python/examples/echo.py"], text=True, timeout=30)
    assert said.splitlines() == [
        "you said hello",
        "dropped: a packet of this number was accepted before",
        "you said goodbye",
    ]
