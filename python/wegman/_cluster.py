"""The console script `wegman-cluster`."""

import sys
from importlib.util import find_spec


def main() -> None:
    """Runs it, or says how to get what it needs."""
    try:
        for name in ("boto3", "click", "cryptography", "distributed", "obstore", "tqdm"):
            if find_spec(name) is None:
                print(f'wegman-cluster: {name} is not installed: `pip install "wegman[cluster]"`', file=sys.stderr)
                sys.exit(2)
        from wegman.cluster._main import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()
