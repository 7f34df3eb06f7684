"""The console script `wegman-cluster`."""

import sys


def main() -> None:
    """Runs it, or says how to get what it needs."""
    try:
        from wegman.cluster._main import main as run
    except ImportError as error:
        if (error.name or "").startswith("wegman"):
            raise
        print(f'wegman-cluster: {error.name} is not installed: `pip install "wegman[cluster]"`', file=sys.stderr)
        sys.exit(2)
    run()
