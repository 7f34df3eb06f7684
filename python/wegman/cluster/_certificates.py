"""Certificates for the machines of a cluster: one authority, and one key and certificate that all machines share."""

import datetime
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CERTIFICATE, KEY, AUTHORITY, AUTHORITY_KEY = "cert.pem", "key.pem", "ca.pem", "ca-key.pem"


def security(folder: Path) -> Any:
    """What Dask asks of both ends: certificates of this authority, and nothing without TLS. Raises ValueError if one is missing."""
    ca, certificate, key = (str(folder / name) for name in (AUTHORITY, CERTIFICATE, KEY))
    for path in (ca, certificate, key):
        if not Path(path).is_file():
            raise ValueError(f"{path}: it is missing; `wegman-cluster certificates DIR` makes all three")
    ends = {f"tls_{end}_{kind}": path for end in ("client", "scheduler", "worker") for kind, path in (("cert", certificate), ("key", key))}
    return import_module("distributed.security").Security(require_encryption=True, tls_ca_file=ca, **ends)


def make(folder: Path, days: int) -> None:
    """Makes an authority, and a certificate that it signed. Raises FileExistsError rather than overwrite one."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    begin = datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=5)
    authority_key, node_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority_name, node_name = (
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"wegman cluster{what}")]) for what in ("", " member")
    )

    def certificate(name: x509.Name, key: ec.EllipticCurvePrivateKey, is_authority: bool) -> x509.Certificate:
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(authority_name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(begin + datetime.timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=0 if is_authority else None), critical=True)
        )
        if not is_authority:
            usage = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
            builder = builder.add_extension(x509.ExtendedKeyUsage(usage), critical=False)
        return builder.sign(authority_key, hashes.SHA256())

    def private(key: ec.EllipticCurvePrivateKey) -> bytes:
        return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    for name, data, mode in (
        (AUTHORITY, certificate(authority_name, authority_key, True).public_bytes(serialization.Encoding.PEM), 0o644),
        (CERTIFICATE, certificate(node_name, node_key, False).public_bytes(serialization.Encoding.PEM), 0o644),
        (AUTHORITY_KEY, private(authority_key), 0o600),
        (KEY, private(node_key), 0o600),
    ):
        # Never over another, and never open to others for a moment.
        with os.fdopen(os.open(folder / name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "wb") as file:
            file.write(data)
