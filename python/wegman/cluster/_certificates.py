"""A key and a certificate that all machines of a cluster share. It is its own authority, and Dask makes it."""

import os
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

AUTHORITY, CERTIFICATE, KEY = "ca.pem", "cert.pem", "key.pem"


def security(folder: Path) -> Any:
    """What Dask asks of both ends: certificates of this authority, and nothing without TLS. Raises ValueError if one is missing."""
    ca, certificate, key = (str(folder / name) for name in (AUTHORITY, CERTIFICATE, KEY))
    for path in (ca, certificate, key):
        if not Path(path).is_file():
            raise ValueError(f"{path}: it is missing; `wegman-cluster certificates DIR` makes all three")
    ends = {f"tls_{end}_{kind}": path for end in ("client", "scheduler", "worker") for kind, path in (("cert", certificate), ("key", key))}
    return import_module("distributed.security").Security(require_encryption=True, tls_ca_file=ca, **ends)


def make(folder: Path) -> None:
    """Makes them. Raises FileExistsError rather than overwrite one."""
    made = import_module("distributed.security").Security.temporary()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, data in ((AUTHORITY, made.tls_ca_file), (CERTIFICATE, made.tls_client_cert), (KEY, made.tls_client_key)):
        # Never over another, and never open to others for a moment.
        with open(folder / name, "x", opener=partial(os.open, mode=0o600)) as file:
            file.write(data)
