"""For `dask worker --preload wegman.cluster.preload`: a worker without a usable key does not start."""

import sys
from typing import Any

from wegman.cluster._work import Refused, key_at


def dask_setup(worker: Any) -> None:
    """Reads the key file that WEGMAN_KEY names. If this machine can't work, that ends the process: Dask would only log an error."""
    del worker
    try:
        key_at(None)
    except Refused as refused:
        sys.exit(f"wegman-cluster: {refused}")
