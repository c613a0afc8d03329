"""Loads the TLS certificate: the user's own, or one that Conductor makes and signs itself.

Nobody vouches for a self-made certificate, so clients must be given the file, or compare its fingerprint.
"""

import hashlib
import ipaddress
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from conductor.base.atomic import OWNER_ONLY_MODE, write_atomic
from conductor.base.loopback import LOOPBACK_HOST
from conductor.errors import NotAvailable

CERTIFICATE_FILE_NAME = "remote-certificate.pem"
KEY_FILE_NAME = "remote-key.pem"
VALIDITY = timedelta(days=820)
"""Apple's systems reject certificates that are valid for more than 825 days."""
RENEW_BEFORE = timedelta(days=30)
MAX_FILE_BYTES = 1_000_000


class Certificate(NamedTuple):
    """A certificate that is ready to be served."""

    context: ssl.SSLContext
    path: Path
    fingerprint: str
    """The SHA-256 digest of the certificate, as browsers and `openssl` show it."""
    is_self_made: bool
    expires_at: datetime
    pem: bytes
    """The content of the file, in which a renewed certificate is noticed."""


def load_certificate(host: str, home: Path, certificate: str, key: str) -> Certificate:
    """Load the user's certificate files, or the self-made certificate of a host if the user names no files.

    The self-made certificate is made when it is first needed, and again before it expires or when the host
    has changed.

    Raises:
        NotAvailable: The files cannot be used. The message says what to do.
    """
    if bool(certificate) != bool(key):
        missing = "remote_certificate_key" if certificate else "remote_certificate"
        raise NotAvailable(
            f"a certificate needs its key: set llm.mcp.{missing} too, or neither of the two for a"
            " certificate that Conductor makes"
        )
    if certificate:
        return _load_files(
            home / Path(certificate).expanduser(), home / Path(key).expanduser(), is_self_made=False
        )
    certificate_path, key_path = home / CERTIFICATE_FILE_NAME, home / KEY_FILE_NAME
    if not _is_usable(certificate_path, key_path, host):
        _make_certificate(certificate_path, key_path, host)
    return _load_files(certificate_path, key_path, is_self_made=True)


def _load_files(certificate: Path, key: Path, *, is_self_made: bool) -> Certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        # Without a password, OpenSSL would ask for that of an encrypted key at the terminal.
        context.load_cert_chain(certificate, key, password=lambda: "")
        pem = certificate.read_bytes()[:MAX_FILE_BYTES]
        parsed = x509.load_pem_x509_certificate(pem)
    except FileNotFoundError:
        missing = key if certificate.exists() else certificate
        raise NotAvailable(
            f"there is no file {missing}: correct llm.mcp.remote_certificate and"
            " llm.mcp.remote_certificate_key"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or "not PEM"
        raise NotAvailable(
            f"the certificate {certificate} cannot be used with the key {key} ({reason}): both must be PEM"
            " files, the key without a password and of this certificate"
        ) from None
    if parsed.not_valid_after_utc <= datetime.now(UTC):
        raise NotAvailable(
            f"the certificate {certificate} expired on {parsed.not_valid_after_utc:%Y-%m-%d}: renew it"
        )
    return Certificate(
        context,
        certificate,
        _format_fingerprint(parsed),
        is_self_made,
        parsed.not_valid_after_utc,
        pem,
    )


def _format_fingerprint(certificate: x509.Certificate) -> str:
    digest = hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).hexdigest()
    return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2)).upper()


def _is_usable(certificate: Path, key: Path, host: str) -> bool:
    """Return whether the self-made certificate exists, is for this host, and does not expire soon."""
    try:
        parsed = x509.load_pem_x509_certificate(certificate.read_bytes())
        names = parsed.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return False
    is_fresh = parsed.not_valid_after_utc - RENEW_BEFORE > datetime.now(UTC)
    return is_fresh and key.exists() and _build_name(host) in names


def _make_certificate(certificate_path: Path, key_path: Path, host: str) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Conductor on {host}"[:64])])
    start = datetime.now(UTC) - timedelta(hours=1)  # clocks differ
    hosts = dict.fromkeys((host, socket.gethostname(), "localhost", LOOPBACK_HOST))
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + VALIDITY)
        .add_extension(x509.SubjectAlternativeName([*map(_build_name, hosts)]), critical=False)
        # not an authority: whoever trusts this file must not trust what its key could sign
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    try:
        write_atomic(key_path, private, OWNER_ONLY_MODE)
        write_atomic(certificate_path, built.public_bytes(serialization.Encoding.PEM))
    except OSError as error:
        raise NotAvailable(
            f"the certificate cannot be saved at {certificate_path} ({error.strerror}): make the folder"
            " writable, or set llm.mcp.remote_certificate and llm.mcp.remote_certificate_key to your files"
        ) from error


def _build_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        # certificates contain the ASCII form of a name
        return x509.DNSName(host.encode("idna").decode() if not host.isascii() else host)
