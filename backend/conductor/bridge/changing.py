"""The user's own changes of the config: direct, atomic, kept in the history."""

from collections.abc import Sequence

from conductor.bridge.services import Call, Services
from conductor.domain.change_kinds import Change
from conductor.errors import NotAvailable


def require_writable(desk: Services) -> None:
    """Refuse a change where the config is not the user's.

    Raises:
        NotAvailable: this is the demo.
    """
    if desk.read_only_because is not None:
        raise NotAvailable(desk.read_only_because)


def commit(call: Call, changes: Sequence[Change], base_hash: str, reason: str) -> str:
    """Save changes and give the new hash.

    Raises:
        NotAvailable: this is the demo.
        StaleConfig: the config is another one by now.
        ConfigError: the result would not be valid.
    """
    require_writable(call.desk)
    store, words = call.desk.store, reason or "edited in the window"
    store.commit(changes, base_hash, words, call.by)
    return store.hash
