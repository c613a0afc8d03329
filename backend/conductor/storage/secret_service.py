"""The keychain of Linux desktops (Secret Service), without connections that stay open after a failure."""

from contextlib import ExitStack, closing

import secretstorage
from keyring.backends.SecretService import Keyring
from keyring.errors import KeyringLocked


class SecretServiceBackend(Keyring):
    """The library's backend, which left its D-Bus connection open when the keychain stayed locked or failed."""

    def get_preferred_collection(self) -> secretstorage.Collection:
        """Return the default collection, unlocked, with an open connection that the caller closes.

        Raises:
            KeyringLocked: the user did not unlock it.
        """
        with ExitStack() as on_error:
            connection = on_error.enter_context(closing(secretstorage.dbus_init()))
            collection = secretstorage.get_default_collection(connection)
            if collection.is_locked():
                collection.unlock()
                if collection.is_locked():
                    raise KeyringLocked("the keychain was not unlocked")
            on_error.pop_all()
        return collection

    def is_locked(self) -> bool:
        """Return whether the default collection is locked; the user is not asked to unlock it."""
        with closing(secretstorage.dbus_init()) as connection:
            return secretstorage.get_default_collection(connection).is_locked()
