"""Saves changes that the user makes in the page to the config, each as a new version in the history."""

from collections.abc import Sequence

from conductor.bridge.services import Call, Services
from conductor.domain.change_kinds import Change
from conductor.domain.versions import WINDOW_EDIT_REASON
from conductor.errors import NotAvailable


def require_writable(services: Services) -> None:
    """Check that the config may be changed.

    Raises:
        NotAvailable: The config is read-only, as in the demo. The message says why.
    """
    if services.app.read_only_reason is not None:
        raise NotAvailable(services.app.read_only_reason)


def commit_changes(call: Call, changes: Sequence[Change], base_hash: str, reason: str) -> str:
    """Save the changes to the config and return the hash of the new config.

    Raises:
        NotAvailable: The config is read-only, as in the demo.
        StaleConfig: The running config no longer has the hash `base_hash`, so somebody else changed it.
        ConfigError: The changed config would be invalid.
    """
    require_writable(call.services)
    store = call.services.config.store
    store.commit_changes(changes, base_hash, reason or WINDOW_EDIT_REASON, call.requester)
    return store.config_hash
