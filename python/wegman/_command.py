"""Where the command `wegman` is."""

import shutil
import sysconfig
from pathlib import Path


def command() -> str:
    """The path of the command: this wheel's, or else the first on the search path.

    Raises FileNotFoundError if there is none.
    """
    ours = Path(sysconfig.get_path("scripts")) / "wegman"
    found = str(ours) if ours.exists() else shutil.which("wegman")
    if found is None:
        raise FileNotFoundError(
            "the command wegman is missing: this wheel was built without it. In the project's repository, "
            "`make python` builds a wheel with it, and `cargo install --path cli` installs it alone"
        )
    return found
