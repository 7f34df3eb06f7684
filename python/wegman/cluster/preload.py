"""For `dask worker --preload wegman.cluster.preload`: a worker without a usable key does not start."""

from typing import Any

from wegman.cluster._work import key_at


def dask_setup(worker: Any) -> None:
    """Reads the key file that WEGMAN_KEY names. Raises if this machine can't work, which ends the worker."""
    del worker
    key_at(None)
