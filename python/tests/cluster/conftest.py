import os
import subprocess
import sys
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


def run(*arguments: object, cwd: Path, code: int = 0, **more: str) -> "subprocess.CompletedProcess[str]":
    """Runs the command `wegman-cluster`."""
    words = [sys.executable, "-P", "-m", "wegman.cluster", *map(str, arguments)]
    done = subprocess.run(
        words, cwd=cwd, env={**os.environ, **more}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done
