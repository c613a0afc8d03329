"""The keys of model providers: in the keychain, else in an encrypted file, else only in the environment."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from conductor.base.clock import now
from conductor.base.invisible_chars import has_hidden
from conductor.domain.value import Value
from conductor.errors import InvalidParams, NotAvailable
from conductor.storage.keychain import Condition, Keychain, KeychainFailed
from conductor.storage.keys_file import KeysFile

FILE = "keys.enc"
PASSPHRASE = "CONDUCTOR_KEYS_PASSPHRASE"  # noqa: S105 -- the name of a variable
LONGEST_KEY = 1_200  # Windows keeps no more
LOOKS_AGAIN_S = 10.0
"""A keychain that could not be used, as it is while the user signs in, may be open by now."""
Place = Literal["keychain", "file", "environment"]

OPEN = {
    "keychain": "Keys are kept in the keychain of this computer.",
    "file": "Keys are kept in an encrypted file; your passphrase is needed once after each start.",
}
KEYCHAIN_LOCKED = (
    "The keychain of this computer is locked. Unlock it, or choose a passphrase and keep keys"
    " in an encrypted file."
)
FILE_LOCKED = "Keys are in an encrypted file. Enter its passphrase to use them."
FILE_DAMAGED = "The encrypted file with your keys is damaged. Put back a copy of it, or begin anew."
WRONG_VARIABLE = (
    f"{PASSPHRASE} is not the passphrase of the file with your keys. Enter the right one."
)
NO_PLACE = (
    "This computer has no keychain that works. Choose a passphrase and keep keys in an encrypted"
    " file, or name an environment variable that holds the key."
)
NOT_NEEDED = "keys are kept in the keychain of this computer, which needs no passphrase of ours"
IS_THERE = "there is a file with keys already: unlock it, or begin anew without those keys"
NO_KEY = "this is no key: paste it whole, on one line and without spaces"


class KeySource(NamedTuple):
    """Where the key of a provider comes from."""

    place: Place
    variable: str | None
    """The environment variable, if it is one."""


class KeysState(Value):
    """Where keys are kept on this computer, and whether they can be used now."""

    place: Place
    locked: bool
    words: str
    """A sentence for the user, with what to do next."""
    keychain: Condition
    """`broken`: the system has one, and it does not work."""
    file: str
    """The path of the encrypted file, whether it is there or not."""
    file_exists: bool


class Keys:
    """Keys by the provider's name. No key is ever in a message, a log or a repr.

    Every method may wait: for the keychain, which may ask the user, or for the passphrase to be worked on.
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
        """Take the home folder; nothing is opened before the first use."""
        self._keychain = keychain or Keychain()
        self._file = file or KeysFile(home / FILE)
        self._environment = environment
        self._clock = clock
        self._condition: Condition | None = None
        self._looked_at = 0.0
        self._refused: str | None = None
        """The passphrase of the environment that did not fit."""
        self._read: dict[str, str | None] = {}

    def get(self, name: str) -> str | None:
        """Return a key; None when there is none, or when what keeps it is locked."""
        if name in self._read:
            return self._read[name]
        was_open = self._keychain_now() == "open"
        key = self._find(name)
        if key is not None or (was_open and self._condition == "open"):
            self._read[name] = key
        return key

    def put(self, name: str, key: str) -> None:
        """Keep a key in the place of the one there is.

        Raises:
            InvalidParams: it cannot be a key.
            NotAvailable: there is no place for it, or it is locked.
        """
        key = key.strip()
        if not key or len(key) > LONGEST_KEY or has_hidden(key, "") or " " in key:
            raise InvalidParams(NO_KEY)
        match self._place():
            case "keychain":
                self._in_keychain(lambda: self._keychain.put(name, key))
            case "file":
                if not self._file.exists:
                    self._file.create(self._environment[PASSPHRASE])
                self._require_file()
                self._file.put(name, key)
            case "environment":
                raise NotAvailable(NO_PLACE)
        self._read[name] = key

    def delete(self, name: str) -> None:
        """Delete a key wherever it is kept.

        Raises:
            NotAvailable: what keeps it is locked.
        """
        place = self._place()
        if place == "keychain":
            self._in_keychain(lambda: self._keychain.delete(name))
        if self._file.exists and (place == "file" or self._is_file_open()):
            self._require_file()
            self._file.delete(name)
        self._read.pop(name, None)

    def state(self) -> KeysState:
        """Look where keys are kept now; keys are read anew after it."""
        self._read.clear()
        self._condition = None
        place = self._place()
        words = self._locked_words(place)
        return KeysState(
            place=place,
            locked=words is not None,
            words=words or OPEN.get(place, NO_PLACE),
            keychain=self._keychain_now(),
            file=str(self._file.path),
            file_exists=self._file.exists,
        )

    @property
    def place(self) -> Place:
        """Where a key that was given is kept."""
        return self._place()

    def unlock(self, passphrase: str = "") -> KeysState:
        """Open the file with its passphrase; without a file, have the system ask for the keychain's.

        Raises:
            InvalidParams: the passphrase is another.
            NotAvailable: the file is damaged.
        """
        if self._file.exists:
            self._file.unlock(passphrase)
        else:
            self._keychain.condition(ask=True)
        return self.state()

    def create(self, passphrase: str, *, anew: bool = False) -> KeysState:
        """Begin an encrypted file. With `anew` one that is there is moved aside.

        Raises:
            InvalidParams: the passphrase is too short, or no file is needed.
            NotAvailable: the file cannot be written.
        """
        if self._place() == "keychain" and self._keychain_now() == "open":
            raise InvalidParams(NOT_NEEDED)
        if self._file.exists and not anew:
            raise InvalidParams(IS_THERE)
        self._file.create(passphrase)
        return self.state()

    def _place(self) -> Place:
        if self._keychain_now() == "open":
            return "keychain"
        if self._file.exists or self._environment.get(PASSPHRASE):
            return "file"
        return "keychain" if self._keychain_now() == "locked" else "environment"

    def _keychain_now(self) -> Condition:
        known = self._condition
        if known is None:
            return self._note(self._keychain.condition())
        if known == "open" or self._clock() < self._looked_at + LOOKS_AGAIN_S:
            return known
        is_still_locked = known == "locked" and self._keychain.is_still_locked()
        return self._note(known if is_still_locked else self._keychain.condition())

    def _note(self, condition: Condition) -> Condition:
        self._condition, self._looked_at = condition, self._clock()
        return condition

    def _locked_words(self, place: Place) -> str | None:
        """Return why keys cannot be used, or None."""
        if place == "environment" or (place == "keychain" and self._keychain_now() == "open"):
            return None
        if place == "keychain":
            return KEYCHAIN_LOCKED
        if not self._file.exists or self._is_file_open():
            return None
        if self._file.problem() is not None:
            return FILE_DAMAGED
        return WRONG_VARIABLE if self._refused is not None else FILE_LOCKED

    def _find(self, name: str) -> str | None:
        key = None
        if self._keychain_now() == "open":
            try:
                key = self._keychain.get(name)
            except KeychainFailed as failed:
                self._note(failed.condition)
        if key is None and self._file.exists and self._is_file_open():
            key = self._file.get(name)
        return key

    def _is_file_open(self) -> bool:
        """Return whether the file is open; the passphrase of the environment is tried once."""
        given = self._environment.get(PASSPHRASE)
        if self._file.locked and given and given != self._refused:
            try:
                self._file.unlock(given)
            except InvalidParams:
                self._refused = given
            except NotAvailable:
                return False
        return not self._file.locked and self._file.problem() is None

    def _require_file(self) -> None:
        if not self._is_file_open():
            raise NotAvailable(self._locked_words("file") or FILE_LOCKED)

    def _in_keychain(self, work: Callable[[], None]) -> None:
        try:
            work()
        except KeychainFailed as failed:
            self._note(failed.condition)
            raise NotAvailable(
                KEYCHAIN_LOCKED if failed.condition == "locked" else NO_PLACE
            ) from None
