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
    # Without types.
    security: Any = import_module("distributed.security")
    names = {name: folder / name for name in (AUTHORITY, CERTIFICATE, KEY)}
    for path in names.values():
        if not path.is_file():
            raise ValueError(f"{path}: it is missing; `wegman-cluster certificates DIR` makes all three")
    certificate, key = str(names[CERTIFICATE]), str(names[KEY])
    return security.Security(
        require_encryption=True,
        tls_ca_file=str(names[AUTHORITY]),
        tls_client_cert=certificate,
        tls_client_key=key,
        tls_scheduler_cert=certificate,
        tls_scheduler_key=key,
        tls_worker_cert=certificate,
        tls_worker_key=key,
    )


def _write(path: Path, data: bytes, mode: int) -> None:
    # Never over another, and never open to others for a moment.
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "wb") as file:
        file.write(data)


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def make(folder: Path, days: int) -> None:
    """Makes an authority, and a certificate that it signed. Raises FileExistsError rather than overwrite one."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    begin = datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=5)
    authority_key, node_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "wegman cluster")])

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

    node_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "wegman cluster member")])
    for name, made in (
        (AUTHORITY, certificate(authority_name, authority_key, True)),
        (CERTIFICATE, certificate(node_name, node_key, False)),
    ):
        _write(folder / name, made.public_bytes(serialization.Encoding.PEM), 0o644)
    _write(folder / AUTHORITY_KEY, _private(authority_key), 0o600)
    _write(folder / KEY, _private(node_key), 0o600)
