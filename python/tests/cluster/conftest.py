import subprocess
from pathlib import Path

import pytest
from wegman import files
from wegman._command import command


@pytest.fixture
def key(tmp_path: Path) -> str:
    """A key file for PMAC."""
    path = tmp_path / "key"
    files.keygen(path)
    return str(path)


def wegman(*arguments: object, cwd: Path | None = None, code: int = 0) -> str:
    """Runs the command, and returns what it prints."""
    words = [command(), *map(str, arguments)]
    done = subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout
