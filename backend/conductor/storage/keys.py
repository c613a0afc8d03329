"""Stores provider API keys in the keychain or, if there is none, in an encrypted file.

Without either, keys can only be read from environment variables.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from conductor.base.clock import now
from conductor.base.invisible_chars import has_hidden
from conductor.domain.value import Value
from conductor.errors import InvalidParams, NotAvailable
from conductor.storage.keychain import Keychain, KeychainCallError, KeychainCondition
from conductor.storage.keys_file import KeysFile

KEYS_FILE_NAME = "keys.enc"
PASSPHRASE_VARIABLE = "CONDUCTOR_KEYS_PASSPHRASE"  # noqa: S105 -- the name of a variable
MAX_KEY_LENGTH = 1_200  # the limit of the Windows credential store
KEYCHAIN_RECHECK_INTERVAL_S = 10.0
"""Seconds after which an unusable keychain is checked again, because the user may have unlocked it, for
example at login."""
KeyStoragePlace = Literal["keychain", "file", "environment"]

STORAGE_PLACE_DESCRIPTIONS = {
    "keychain": "Keys are kept in the keychain of this computer.",
    "file": "Keys are kept in an encrypted file; your passphrase is needed once after each start.",
}
KEYCHAIN_LOCKED_MESSAGE = (
    "The keychain of this computer is locked. Unlock it, or choose a passphrase and keep keys"
    " in an encrypted file."
)
KEY_FILE_LOCKED_MESSAGE = "Keys are in an encrypted file. Enter its passphrase to use them."
KEY_FILE_DAMAGED_MESSAGE = (
    "The encrypted file with your keys is damaged. Restore a copy of it, or start over."
)
WRONG_PASSPHRASE_VARIABLE_MESSAGE = (
    f"{PASSPHRASE_VARIABLE} is not the passphrase of the file with your keys. Enter the right one."
)
NO_KEY_STORAGE_MESSAGE = (
    "This computer has no working keychain. Choose a passphrase to keep keys in an encrypted"
    " file, or name an environment variable that holds the key."
)
KEY_FILE_NOT_NEEDED_MESSAGE = (
    "keys are kept in the keychain of this computer; no passphrase is needed"
)
KEY_FILE_EXISTS_MESSAGE = (
    "a file with keys already exists: unlock it, or start over without those keys"
)
INVALID_KEY_MESSAGE = "this is not a key: paste all of it, on one line and without spaces"


class KeySource(NamedTuple):
    """Describes the place from which the key of a provider is read."""

    place: KeyStoragePlace
    variable: str | None
    """The name of the environment variable that contains the key; None if the key is stored."""


class KeysState(Value):
    """Describes where keys are stored on this computer, and whether they can be read now."""

    place: KeyStoragePlace
    locked: bool
    words: str
    """A sentence for the user that says where keys are and what to do next."""
    keychain: KeychainCondition
    """The condition of the system keychain; `broken` means that it exists but does not work."""
    file: str
    """The path of the encrypted file, whether it exists or not."""
    file_exists: bool


class Keys:
    """Stores and reads the API keys of providers, by the name of the provider. A key never appears in a
    message, a log or a repr.

    Every method may block: the keychain may prompt the user, and deriving a key from a passphrase takes 0.4
    s.
    """

    def __init__(
        self,
        home: Path,
        *,
        environment: Mapping[str, str] = os.environ,
        keychain: Keychain | None = None,
        file: KeysFile | None = None,
        clock: Callable[[], float] = now,
    ) -> None:
        """Create the store without opening the keychain or the file, which happens on first use."""
        self._keychain = keychain or Keychain()
        self._file = file or KeysFile(home / KEYS_FILE_NAME)
        self._environment = environment
        self._clock = clock
        self._condition: KeychainCondition | None = None
        self._checked_at = 0.0
        self._wrong_passphrase: str | None = None
        """The passphrase in the environment variable, if it has turned out to be wrong, so that it is tried
        once."""
        self._cached_keys: dict[str, str | None] = {}

    def get_key(self, name: str) -> str | None:
        """Return the key of a provider, or None if there is no such key or keys cannot be read now."""
        if name in self._cached_keys:
            return self._cached_keys[name]
        was_open = self._check_keychain() == "open"
        key = self._find_key(name)
        # That a key is missing is remembered only if the keychain was usable during the whole call.
        if key is not None or (was_open and self._condition == "open"):
            self._cached_keys[name] = key
        return key

    def store_key(self, name: str, key: str) -> None:
        """Store the key of a provider, replacing an earlier one.

        Raises:
            InvalidParams: the text cannot be a key.
            NotAvailable: there is neither a keychain nor a file, or it is locked.
        """
        key = key.strip()
        if not key or len(key) > MAX_KEY_LENGTH or has_hidden(key, "") or " " in key:
            raise InvalidParams(INVALID_KEY_MESSAGE)
        match self._choose_place():
            case "keychain":
                self._run_in_keychain(lambda: self._keychain.store_key(name, key))
            case "file":
                if not self._file.has_file:
                    self._file.create_file(self._environment[PASSPHRASE_VARIABLE])
                self._require_usable_file()
                self._file.store_key(name, key)
            case "environment":
                raise NotAvailable(NO_KEY_STORAGE_MESSAGE)
        self._cached_keys[name] = key

    def delete_key(self, name: str) -> None:
        """Delete the key of a provider from both the keychain and the file.

        Raises:
            NotAvailable: the keychain or file is locked.
        """
        place = self._choose_place()
        if place == "keychain":
            self._run_in_keychain(lambda: self._keychain.delete_key(name))
        if self._file.has_file and (place == "file" or self._is_file_open()):
            self._require_usable_file()
            self._file.delete_key(name)
        self._cached_keys.pop(name, None)

    def read_state(self) -> KeysState:
        """Check again where keys are stored, forget the keys in memory, and return the state."""
        self._cached_keys.clear()
        self._condition = None
        place = self._choose_place()
        words = self._explain_locked(place)
        return KeysState(
            place=place,
            locked=words is not None,
            words=words or STORAGE_PLACE_DESCRIPTIONS.get(place, NO_KEY_STORAGE_MESSAGE),
            keychain=self._check_keychain(),
            file=str(self._file.path),
            file_exists=self._file.has_file,
        )

    @property
    def storage_place(self) -> KeyStoragePlace:
        """The place where the next new key would be stored: keychain, file or nowhere."""
        return self._choose_place()

    def unlock_file(self, passphrase: str = "") -> KeysState:
        """Open the encrypted file with its passphrase, so that keys can be read. If there is no file, the
        system asks the user to unlock the keychain.

        Raises:
            InvalidParams: the passphrase is wrong.
            NotAvailable: the file is damaged.
        """
        if self._file.has_file:
            self._file.unlock_file(passphrase)
        else:
            self._keychain.check_condition(ask=True)
        return self.read_state()

    def create_file(self, passphrase: str, *, replace: bool = False) -> KeysState:
        """Create an encrypted file for keys. With `replace`, an existing file is renamed first.

        Raises:
            InvalidParams: the passphrase is too short, or no file is needed.
            NotAvailable: the file cannot be written.
        """
        if self._choose_place() == "keychain" and self._check_keychain() == "open":
            raise InvalidParams(KEY_FILE_NOT_NEEDED_MESSAGE)
        if self._file.has_file and not replace:
            raise InvalidParams(KEY_FILE_EXISTS_MESSAGE)
        self._file.create_file(passphrase)
        return self.read_state()

    def _choose_place(self) -> KeyStoragePlace:
        if self._check_keychain() == "open":
            return "keychain"
        if self._file.has_file or self._environment.get(PASSPHRASE_VARIABLE):
            return "file"
        return "keychain" if self._check_keychain() == "locked" else "environment"

    def _check_keychain(self) -> KeychainCondition:
        known = self._condition
        if known is None:
            return self._update_keychain_condition(self._keychain.check_condition())
        if known == "open" or self._clock() < self._checked_at + KEYCHAIN_RECHECK_INTERVAL_S:
            return known
        # Asking about the lock does not prompt the user, unlike reading a key.
        is_still_locked = known == "locked" and self._keychain.is_still_locked()
        return self._update_keychain_condition(
            known if is_still_locked else self._keychain.check_condition()
        )

    def _update_keychain_condition(self, condition: KeychainCondition) -> KeychainCondition:
        self._condition, self._checked_at = condition, self._clock()
        return condition

    def _explain_locked(self, place: KeyStoragePlace) -> str | None:
        """Return an explanation of why keys in the given place cannot be used, or None if they can."""
        if place == "environment" or (place == "keychain" and self._check_keychain() == "open"):
            return None
        if place == "keychain":
            return KEYCHAIN_LOCKED_MESSAGE
        if not self._file.has_file or self._is_file_open():
            return None
        if self._file.find_problem() is not None:
            return KEY_FILE_DAMAGED_MESSAGE
        return (
            WRONG_PASSPHRASE_VARIABLE_MESSAGE
            if self._wrong_passphrase is not None
            else KEY_FILE_LOCKED_MESSAGE
        )

    def _find_key(self, name: str) -> str | None:
        key = None
        if self._check_keychain() == "open":
            try:
                key = self._keychain.get_key(name)
            except KeychainCallError as failed:
                self._update_keychain_condition(failed.condition)
        if key is None and self._file.has_file and self._is_file_open():
            key = self._file.get_key(name)
        return key

    def _is_file_open(self) -> bool:
        """Return whether the encrypted file is unlocked, after trying the passphrase in the environment
        once.
        """
        passphrase = self._environment.get(PASSPHRASE_VARIABLE)
        if self._file.is_locked and passphrase and passphrase != self._wrong_passphrase:
            try:
                self._file.unlock_file(passphrase)
            except InvalidParams:
                self._wrong_passphrase = passphrase
            except NotAvailable:
                return False
        return not self._file.is_locked and self._file.find_problem() is None

    def _require_usable_file(self) -> None:
        if not self._is_file_open():
            raise NotAvailable(self._explain_locked("file") or KEY_FILE_LOCKED_MESSAGE)

    def _run_in_keychain(self, function: Callable[[], None]) -> None:
        try:
            function()
        except KeychainCallError as failed:
            self._update_keychain_condition(failed.condition)
            raise NotAvailable(
                KEYCHAIN_LOCKED_MESSAGE if failed.condition == "locked" else NO_KEY_STORAGE_MESSAGE
            ) from None
