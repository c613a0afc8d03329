"""The keychain of the operating system, where it has a real one. Calls to it may hang: each has a time limit.

Which backend is used is decided here. The `keyring` library would also take any that happens to be installed,
among them some that write plain text or ask for a password on standard input.
"""

import sys
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any, Literal, TypeVar

SERVICE = "Conductor"
ANSWERS_WITHIN_S = 5.0
ASKS_WITHIN_S = 60.0
"""How long the user has when the system asks for the keychain's password."""
PROBED = "conductor-probe"
"""A name that no key has; to look for it shows whether the keychain works."""

T = TypeVar("T")
Condition = Literal["open", "locked", "broken", "absent"]


class KeychainFailed(Exception):
    """A call did not succeed. Never holds what the library said: a key could be in it."""

    def __init__(self, condition: Condition) -> None:
        super().__init__(condition)
        self.condition: Condition = condition


class Keychain:
    """Keys by name, under the service `Conductor`."""

    def __init__(self, answers_within_s: float = ANSWERS_WITHIN_S) -> None:
        self._answers_within_s = answers_within_s
        self._hanging: threading.Thread | None = None

    def condition(self, *, ask: bool = False) -> Condition:
        """Return whether it can be used. With `ask` the user has time to answer the system's question."""
        try:
            self._call(lambda backend: backend.get_password(SERVICE, PROBED), ask=ask)
        except KeychainFailed as failed:
            return failed.condition
        return "open"

    def is_still_locked(self) -> bool:
        """Look at one that was locked, without having the system ask the user to unlock it once more."""
        try:
            return self._call(_is_locked)
        except KeychainFailed as failed:
            return failed.condition == "locked"

    def get(self, name: str) -> str | None:
        """Return a key.

        Raises:
            KeychainFailed: it cannot be used.
        """
        return self._call(lambda backend: backend.get_password(SERVICE, name))

    def put(self, name: str, key: str) -> None:
        """Keep a key.

        Raises:
            KeychainFailed: it cannot be used.
        """
        self._call(lambda backend: backend.set_password(SERVICE, name, key), ask=True)

    def delete(self, name: str) -> None:
        """Delete a key, if it is there.

        Raises:
            KeychainFailed: it cannot be used.
        """

        def work(backend: Any) -> None:
            if backend.get_password(SERVICE, name) is not None:
                backend.delete_password(SERVICE, name)

        self._call(work, ask=True)

    def _call(self, work: Callable[[Any], T], *, ask: bool = False) -> T:
        if self._hanging is not None and self._hanging.is_alive():
            raise KeychainFailed("locked")
        results: list[T | KeychainFailed] = []

        def run() -> None:
            try:
                results.append(work(_backend()))
            except KeychainFailed as failed:
                results.append(failed)
            except Exception as error:  # noqa: BLE001 -- each backend raises errors of its own library
                is_locked = type(error).__name__ in ("KeyringLocked", "LockedException")
                results.append(KeychainFailed("locked" if is_locked else "broken"))

        thread = threading.Thread(target=run, name="keychain", daemon=True)
        thread.start()
        thread.join(ASKS_WITHIN_S if ask else self._answers_within_s)
        if not results:
            self._hanging = thread
            raise KeychainFailed("locked")
        if isinstance(result := results[0], KeychainFailed):
            raise result
        return result


def _backend() -> Any:
    """Return the real keychain.

    Raises:
        KeychainFailed: there is none.
    """
    for make in _candidates():
        backend = make()
        if backend.viable:
            return backend()
    raise KeychainFailed("absent")


def _is_locked(backend: Any) -> bool:
    """Return whether one is known to be locked; only this one can be looked at without a question."""
    if type(backend).__module__ != "keyring.backends.SecretService":
        return False
    import secretstorage

    with closing(secretstorage.dbus_init()) as connection:
        return secretstorage.get_default_collection(connection).is_locked()


def _candidates() -> tuple[Callable[[], Any], ...]:
    match sys.platform:
        case "darwin":
            return (_macos,)
        case "win32":
            return (_windows,)
        case _:
            return (_secret_service, _kwallet)


def _macos() -> Any:
    from keyring.backends.macOS import Keyring

    return Keyring


def _windows() -> Any:
    from keyring.backends.Windows import WinVaultKeyring

    return WinVaultKeyring


def _secret_service() -> Any:
    from keyring.backends.SecretService import Keyring

    return Keyring


def _kwallet() -> Any:
    from keyring.backends.kwallet import DBusKeyring

    return DBusKeyring
