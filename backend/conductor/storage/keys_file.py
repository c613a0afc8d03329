"""Stores keys in keys.enc, a file encrypted with a passphrase (scrypt, AES-256-GCM)."""

import errno
import hashlib
import json
import os
import stat
from base64 import b64decode, b64encode
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Self

from pydantic import BaseModel, Field, ValidationError, model_validator

from conductor.base.atomic import OWNER_ONLY_MODE, write_atomic
from conductor.base.json_types import JsonObject
from conductor.errors import InvalidParams, NotAvailable

MIN_PASSPHRASE_LENGTH = 8
MAX_KEY_FILE_BYTES = 1_000_000
SALT_BYTES, NONCE_BYTES, TAG_BYTES = 16, 12, 16
"""The lengths of salt, nonce and authentication tag in bytes."""
SCRYPT_COST = 2**17  # 128 MB and about 0.4 s: the minimum that OWASP recommends


class _EncryptedKeyFile(BaseModel):
    """The parsed content of keys.enc.

    Its `digest` shows whether a failed decryption means damage or a wrong passphrase.
    """

    version: int = Field(default=1, ge=1, le=1)
    n: int = Field(ge=2**14, le=2**18)
    salt: str
    nonce: str
    data: str
    digest: str

    @model_validator(mode="after")
    def _check_can_open(self) -> Self:
        salt, nonce, data = (
            b64decode(value, validate=True) for value in (self.salt, self.nonce, self.data)
        )
        if (
            self.n & (self.n - 1)
            or len(salt) != SALT_BYTES
            or len(nonce) != NONCE_BYTES
            or len(data) < TAG_BYTES
        ):
            raise ValueError
        return self

    def compute_digest(self) -> str:
        text = f"{self.version}:{self.n}:{self.salt}:{self.nonce}:{self.data}"
        return hashlib.sha256(text.encode()).hexdigest()


class KeysFile:
    """The encrypted file keys.enc and, while it is unlocked, the secret that was derived from the passphrase.

    The passphrase itself is not kept in memory.
    """

    def __init__(self, path: Path, scrypt_n: int = SCRYPT_COST) -> None:
        self.path = path
        self._n = scrypt_n
        self._lock = Lock()
        self._secret: bytes | None = None
        self._salt = b""

    @property
    def has_file(self) -> bool:
        return self.path.exists()

    @property
    def is_locked(self) -> bool:
        return self._secret is None

    def find_problem(self) -> str | None:
        """Return why no passphrase could open the file, for example because it is damaged; None if one
        could.
        """
        try:
            self._read_encrypted_file()
        except NotAvailable as error:
            return str(error)
        return None

    def create_file(self, passphrase: str) -> None:
        """Create a file without keys that is encrypted with a passphrase; an existing file is renamed.

        Raises:
            InvalidParams: the passphrase is too short.
            NotAvailable: the file cannot be written.
        """
        if len(passphrase) < MIN_PASSPHRASE_LENGTH:
            raise InvalidParams(
                f"the passphrase is too short: use at least {MIN_PASSPHRASE_LENGTH} characters"
            )
        with self._lock:
            self._rename_existing_file()
            self._salt = os.urandom(SALT_BYTES)
            self._secret = _derive_secret(passphrase, self._salt, self._n)
            self._write_keys({})

    def unlock_file(self, passphrase: str) -> None:
        """Unlock the key file with its passphrase.

        Raises:
            InvalidParams: the passphrase is wrong.
            NotAvailable: the file is damaged or missing.
        """
        with self._lock:
            sealed = self._read_encrypted_file()
            salt = b64decode(sealed.salt)
            secret = _derive_secret(passphrase, salt, sealed.n)
            _decrypt_keys(sealed, secret)
            self._secret, self._salt, self._n = secret, salt, sealed.n

    def get_key(self, name: str) -> str | None:
        """Return the key with this name, or None if it does not exist or the file is locked or unreadable."""
        with self._lock:
            if self._secret is None:
                return None
            try:
                return self._read_keys().get(name)
            except NotAvailable:
                return None

    def store_key(self, name: str, key: str) -> None:
        """Store a key under a name in the encrypted file.

        Raises:
            NotAvailable: the file is locked, damaged or cannot be written.
        """
        with self._lock:
            self._write_keys({**self._read_keys(), name: key})

    def delete_key(self, name: str) -> None:
        """Delete the key with this name, if it exists.

        Raises:
            NotAvailable: the file is locked, damaged or cannot be written.
        """
        with self._lock:
            keys = self._read_keys()
            if keys.pop(name, None) is not None:
                self._write_keys(keys)

    def _rename_existing_file(self) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        try:
            self.path.rename(self.path.with_name(f"{self.path.name}.old-{stamp}"))
        except FileNotFoundError:
            return
        except OSError as error:
            raise NotAvailable(f"{self.path} cannot be renamed: {error.strerror}") from None

    def _read_keys(self) -> dict[str, str]:
        try:
            return _decrypt_keys(self._read_encrypted_file(), self._require_secret())
        except InvalidParams:  # another process has replaced the file
            self._secret = None
            raise NotAvailable(
                f"{self.path} was replaced in the meantime; unlock it again"
            ) from None

    def _require_secret(self) -> bytes:
        if self._secret is None:
            raise NotAvailable(f"{self.path} is locked; enter its passphrase first")
        return self._secret

    def _read_encrypted_file(self) -> _EncryptedKeyFile:
        """Read the key file without decrypting it.

        Raises:
            NotAvailable: the file is missing or damaged.
        """
        try:
            sealed = _EncryptedKeyFile.model_validate_json(_read_owner_only_file(self.path))
        except OSError as error:
            raise NotAvailable(f"{self.path} cannot be read: {error.strerror}") from None
        except ValidationError:
            raise self._build_damaged_error() from None
        if sealed.digest != sealed.compute_digest():
            raise self._build_damaged_error()
        return sealed

    def _build_damaged_error(self) -> NotAvailable:
        return NotAvailable(
            f"{self.path} is damaged; restore a copy of it, or start over and enter your keys again"
        )

    def _write_keys(self, keys: dict[str, str]) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = os.urandom(NONCE_BYTES)
        data = AESGCM(self._require_secret()).encrypt(nonce, json.dumps(keys).encode(), None)
        salt, nonce_text, data_text = (
            b64encode(value).decode() for value in (self._salt, nonce, data)
        )
        sealed = _EncryptedKeyFile(
            n=self._n, salt=salt, nonce=nonce_text, data=data_text, digest=""
        )
        sealed = sealed.model_copy(update={"digest": sealed.compute_digest()})
        content = sealed.model_dump_json().encode()
        # Reading stops at this size, so the end of a larger file and with it every key would be lost.
        if len(content) > MAX_KEY_FILE_BYTES:
            raise NotAvailable(
                f"{self.path} would be too large; delete keys, or sign out of MCP servers to make room"
            )
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomic(self.path, content, OWNER_ONLY_MODE)
        except OSError as error:
            raise NotAvailable(f"{self.path} cannot be written: {error.strerror}") from None


def _derive_secret(passphrase: str, salt: bytes, n: int) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=32, n=n, r=8, p=1).derive(passphrase.encode())


def _decrypt_keys(sealed: _EncryptedKeyFile, secret: bytes) -> dict[str, str]:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        data = AESGCM(secret).decrypt(b64decode(sealed.nonce), b64decode(sealed.data), None)
    except InvalidTag:
        raise InvalidParams("wrong passphrase for keys.enc; try again") from None
    keys: JsonObject = json.loads(data)
    return {name: str(key) for name, key in keys.items()}


def _read_owner_only_file(path: Path) -> bytes:
    """Return the content of a regular file, and make the file readable by its owner only.

    A pipe is refused, because reading it could block forever.
    """
    with open(path, "rb", opener=_open_without_blocking) as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file")
        if stat.S_IMODE(mode) & ~OWNER_ONLY_MODE:
            with suppress(OSError):
                path.chmod(OWNER_ONLY_MODE)
        return file.read(MAX_KEY_FILE_BYTES)


def _open_without_blocking(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
