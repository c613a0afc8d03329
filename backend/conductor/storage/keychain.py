"""Accesses the operating system's keychain. Each call has a time limit, because the keychain may hang.

The backend is chosen here, because the `keyring` library would accept any installed one, including
backends that write plain text or ask for a password on standard input.
"""

import sys
import threading
from collections.abc import Callable
from typing import Any, Literal, TypeVar

KEYCHAIN_SERVICE_NAME = "Conductor"
KEYCHAIN_TIMEOUT_S = 5.0
KEYCHAIN_PROMPT_TIMEOUT_S = 60.0
"""Seconds that the user has to answer when the system asks for the password of the keychain."""
PROBE_KEY_NAME = "conductor-probe"
"""The name of a key that never exists; reading it shows whether the keychain works."""

T = TypeVar("T")
KeychainCondition = Literal["open", "locked", "broken", "absent"]


class KeychainCallError(Exception):
    """Raised if a call of the keychain library fails.

    The library's own message is left out, because it could contain a key.
    """

    def __init__(self, condition: KeychainCondition) -> None:
        super().__init__(condition)
        self.condition: KeychainCondition = condition


class Keychain:
    """The keys in the system keychain, stored under the service name `Conductor`."""

    def __init__(self, timeout_s: float = KEYCHAIN_TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._hanging: threading.Thread | None = None

    def check_condition(self, *, ask: bool = False) -> KeychainCondition:
        """Return whether the keychain is usable, locked, missing or broken.

        With `ask`, the system may ask the user to unlock it, and the call waits for the answer.
        """
        try:
            self._call_keychain(
                lambda backend: backend.get_password(KEYCHAIN_SERVICE_NAME, PROBE_KEY_NAME), ask=ask
            )
        except KeychainCallError as failed:
            return failed.condition
        return "open"

    def is_still_locked(self) -> bool:
        """Return whether the keychain is locked; the user is not asked to unlock it."""
        try:
            return self._call_keychain(_is_backend_locked)
        except KeychainCallError as failed:
            return failed.condition == "locked"

    def get_key(self, name: str) -> str | None:
        """Return the key with this name, or None if it does not exist.

        Raises:
            KeychainError: the keychain cannot be used.
        """
        return self._call_keychain(
            lambda backend: backend.get_password(KEYCHAIN_SERVICE_NAME, name)
        )

    def store_key(self, name: str, key: str) -> None:
        """Store a key in the system keychain under a name.

        Raises:
            KeychainError: the keychain cannot be used.
        """
        self._call_keychain(
            lambda backend: backend.set_password(KEYCHAIN_SERVICE_NAME, name, key), ask=True
        )

    def delete_key(self, name: str) -> None:
        """Delete the key with this name, if it exists.

        Raises:
            KeychainError: the keychain cannot be used.
        """

        def work(backend: Any) -> None:
            if backend.get_password(KEYCHAIN_SERVICE_NAME, name) is not None:
                backend.delete_password(KEYCHAIN_SERVICE_NAME, name)

        self._call_keychain(work, ask=True)

    def _call_keychain(self, function: Callable[[Any], T], *, ask: bool = False) -> T:
        # A hanging call cannot be cancelled, and a second call would only wait for the same answer of the
        # user.
        if self._hanging is not None and self._hanging.is_alive():
            raise KeychainCallError("locked")
        results: list[T | KeychainCallError] = []

        def run() -> None:
            try:
                results.append(function(_find_keychain_backend()))
            except KeychainCallError as failed:
                results.append(failed)
            except Exception as error:  # noqa: BLE001 -- each backend raises errors of its own library
                is_locked = type(error).__name__ in ("KeyringLocked", "LockedException")
                results.append(KeychainCallError("locked" if is_locked else "broken"))

        thread = threading.Thread(target=run, name="keychain", daemon=True)
        thread.start()
        thread.join(KEYCHAIN_PROMPT_TIMEOUT_S if ask else self._timeout_s)
        if not results:
            self._hanging = thread
            raise KeychainCallError("locked")
        if isinstance(result := results[0], KeychainCallError):
            raise result
        return result


def _find_keychain_backend() -> Any:
    """Return the first keychain backend that works on this platform.

    Raises:
        KeychainError: no backend is usable.
    """
    for make in _list_backend_factories():
        backend = make()
        if backend.viable:
            return backend()
    raise KeychainCallError("absent")


def _is_backend_locked(backend: Any) -> bool:
    """Return whether a keychain is locked, which only Secret Service can tell without asking the user; false
    for other backends.
    """
    check = getattr(backend, "is_locked", None)
    return check is not None and check()


def _list_backend_factories() -> tuple[Callable[[], Any], ...]:
    match sys.platform:
        case "darwin":
            return (_load_macos_backend,)
        case "win32":
            return (_load_windows_backend,)
        case _:
            return (_load_secret_service_backend, _load_kwallet_backend)


def _load_macos_backend() -> Any:
    from keyring.backends.macOS import Keyring

    return Keyring


def _load_windows_backend() -> Any:
    from keyring.backends.Windows import WinVaultKeyring

    return WinVaultKeyring


def _load_secret_service_backend() -> Any:
    from conductor.storage.secret_service import SecretServiceBackend

    return SecretServiceBackend


def _load_kwallet_backend() -> Any:
    from keyring.backends.kwallet import DBusKeyring

    return DBusKeyring
