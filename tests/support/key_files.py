"""Encrypted files of keys that open eight times as fast as Conductor's own."""

from pathlib import Path

from conductor.storage.keys import KEYS_FILE_NAME, PASSPHRASE_VARIABLE, Keys
from conductor.storage.keys_file import KeysFile

QUICK_SCRYPT_N = 2**14
PASSPHRASE = {PASSPHRASE_VARIABLE: "a long enough passphrase"}
"""The environment that opens the files."""


def keys_in_file(folder: Path) -> Keys:
    """Return the keys in the encrypted file of a folder, which is created when it is needed."""
    file = KeysFile(folder / KEYS_FILE_NAME, scrypt_n=QUICK_SCRYPT_N)
    return Keys(folder, environment=PASSPHRASE, file=file)
